#!/usr/bin/env python3
# SPDX-FileCopyrightText: the Quern authors
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Measures what it costs to include Quern: CPU time of the compiler as a multiple of a plain Kokkos program's, compiled
in the same run, and bytes of the object.

  tools/compile_cost.py COMPILER...   with all its options, but without -c and -o

Fails where a program is 20 % above its budget. Budgets are what was reached; aims are in brackets.
"""
import os
import pathlib
import resource
import subprocess
import sys
import tempfile

PROGRAMS = pathlib.Path(__file__).resolve().parent.parent / "tests/compile_cost"
# The multiple of the plain program's time, its aim, and bytes of the object.
BUDGETS = {
    "map_and_sum": (2.0, "1.5", 160_000),
    "stencil_and_sort": (3.0, "", 400_000),
    "everything": (2.4, "2.0", 170_000),
}


def compile_once(command, program, target):
    """CPU seconds, and bytes of the object."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    subprocess.run([*command, "-c", str(PROGRAMS / f"{program}.cpp"), "-o", target], check=True)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime, os.path.getsize(target)


def main(command):
    best = {}
    with tempfile.TemporaryDirectory() as folder:
        target = os.path.join(folder, "program.o")
        for _ in range(3):  # in turns, so that a busy machine slows all of them
            for program in ["plain", *BUDGETS]:
                found = compile_once(command, program, target)
                best[program] = min(found, best.get(program, found))
    plain, size = best["plain"]
    print(f"{'program':18} {'CPU s':>6} {'times plain':>18} {'bytes':>16}")
    print(f"{'plain':18} {plain:6.2f} {'':18} {size:16}")
    over = []
    for program, (budget, aim, bytes_allowed) in BUDGETS.items():
        seconds, size = best[program]
        share = seconds / plain
        print(f"{program:18} {seconds:6.2f} {share:6.2f} of {budget:.2f} ({aim or '-'}) {size:9} of {bytes_allowed}")
        if share > 1.2 * budget or size > 1.2 * bytes_allowed:
            over.append(program)
    if over:
        sys.exit(f"more than 20 % above the budget: {', '.join(over)}")


if __name__ == "__main__":
    main(sys.argv[1:])
