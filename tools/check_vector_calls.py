#!/usr/bin/env python3
# SPDX-FileCopyrightText: the Quern authors
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Compiles tests/map/vector_calls.cpp as a consumer would and looks for calls of the vector forms of quern::math.

check_vector_calls.py SOURCE COMPILER OPTION...    the options, with which maps and reductions call them; with -O3 behind these
                                                   stencils and what is behind a condition do, too; that from g++ 14 on also
                                                   without -O3, with AVX-512
"""

import pathlib
import platform
import subprocess
import sys
import tempfile

# Names of functions in C; what each is in is said by the source.
WANTED = ("sin", "exp2", "expm1", "pow", "tanhf", "log2")
OF_STENCILS = ("log1p",)
OF_CONDITIONS = ("exp",)


def missing_of(wanted, source, compiler, options):
    """The functions whose vector forms an object does not call."""
    with tempfile.TemporaryDirectory() as folder:
        target = str(pathlib.Path(folder, "consumer.o"))
        subprocess.run([compiler, *options, "-c", source, "-o", target], check=True)
        names = subprocess.run(["nm", "-u", target], check=True, capture_output=True, text=True).stdout.split()
    vectors = {name for name in names if name.startswith("_ZGV")}
    missing = [f for f in wanted if not any(name.endswith(f"_quern_{f}") for name in vectors)]
    print("\n".join(sorted(vectors)))
    if missing:
        print("without a vector form:", ", ".join(missing))
    return missing


def main(source, compiler, options):
    missing = missing_of(WANTED, source, compiler, options)
    missing += missing_of(WANTED + OF_STENCILS + OF_CONDITIONS, source, compiler, [*options, "-O3"])
    version = subprocess.run([compiler, "-dumpversion"], check=True, capture_output=True, text=True).stdout
    if platform.machine() in ("x86_64", "AMD64") and int(version.split(".")[0]) >= 14:
        missing += missing_of(WANTED + OF_CONDITIONS, source, compiler, [*options, "-march=x86-64-v4"])
    return 1 if missing else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1], sys.argv[2], sys.argv[3:]))
