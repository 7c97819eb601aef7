#!/usr/bin/env python3
# SPDX-FileCopyrightText: the Quern authors
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Measures what it costs to include Quern: CPU time of the compiler and bytes of the object, as multiples of those of a
plain Kokkos program that is compiled in the same run.

  tools/compile_cost.py COMPILER...   with all its options, but without -c and -o; with -DWITH_RANKS and where
                                      MPI's headers are, arrays over ranks too

Fails where a program is 20 % above its budget. Budgets are what was reached; aims are in brackets.
"""
import os
import pathlib
import resource
import subprocess
import sys
import tempfile

PROGRAMS = pathlib.Path(__file__).resolve().parent.parent / "tests/compile_cost"
# The multiple of the plain program's time, its aim, and the multiple of its bytes.
BUDGETS = {
    "map_and_sum": (1.5, "1.5", 1.8),
    "stencil_and_sort": (1.8, "", 2.8),
    "everything": (1.8, "2.0", 1.9),
    "chunked_sum": (1.6, "", 3.8),
    "distributed_stencil": (1.6, "", 3.5),
}


def compile_once(command, program, target):
    """CPU seconds, and bytes of the object."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    subprocess.run([*command, "-c", str(PROGRAMS / f"{program}.cpp"), "-o", target], check=True)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime, os.path.getsize(target)


def over_budget(best):
    plain, plain_size = best["plain"]
    print(f"plain: {plain:.2f} s, {plain_size} bytes")
    over = []
    for program in sorted(best.keys() & BUDGETS.keys(), key=list(BUDGETS).index):
        budget, aim, size_budget = BUDGETS[program]
        seconds, size = best[program]
        time_share, size_share = seconds / plain, size / plain_size
        print(f"{program}: {seconds:.2f} s, {time_share:.2f} times plain (budget {budget}, aim {aim or 'none'}); "
              f"{size} bytes, {size_share:.2f} times plain (budget {size_budget})")
        if time_share > 1.2 * budget or size_share > 1.2 * size_budget:
            over.append(program)
    return over


def main(command):
    best = {}
    programs = ["plain", *BUDGETS]
    if "-DWITH_RANKS" not in command:
        programs.remove("distributed_stencil")
    with tempfile.TemporaryDirectory() as folder:
        target = os.path.join(folder, "program.o")
        for _ in range(5):  # again where a busy machine may have slowed one of them
            for program in programs:
                found = compile_once(command, program, target)
                best[program] = min(found, best.get(program, found))
            over = over_budget(best)
            if not over:
                return
    sys.exit(f"more than 20 % above the budget: {', '.join(over)}")


if __name__ == "__main__":
    main(sys.argv[1:])
