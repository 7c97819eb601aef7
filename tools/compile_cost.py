#!/usr/bin/env python3
# SPDX-FileCopyrightText: the Quern authors
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Measures what it costs to include Quern: CPU time of the compiler and bytes of the object, as multiples of those of a
plain Kokkos program that is compiled in the same run; and of programs with one call each, the bytes, and of some the time.

  tools/compile_cost.py COMPILER...           with all its options, but without -c and -o; with -DWITH_RANKS and where
                                              MPI's headers are, arrays over ranks too
  tools/compile_cost.py --table COMPILER...   prints what each call takes, with any compiler, and checks nothing

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
    "map_and_sum": (1.5, "1.5", 1.35),
    "stencil_and_sort": (1.25, "", 0.8),
    "everything": (1.9, "2.0", 1.35),
    "chunked_sum": (1.7, "", 2.9),
    "distributed_stencil": (1.8, "", 2.6),
    "halo_exchange": (1.7, "", 2.1),
}
OF_RANKS = ("distributed_stencil", "halo_exchange")
# Programs with one call: header, call, and the budget for the multiple of the plain program's bytes.
CALLS = {
    "map": ("map.hpp", "quern::map(y, KOKKOS_LAMBDA(double v) { return 2 * v; }, x)", 0.5),
    "sum": ("reduce.hpp", "*sink = quern::sum(x)", 1.1),
    "argmax": ("reduce.hpp", "*index = quern::argmax(x)", 1.25),
    "histogram": ("keyed/histogram.hpp", "quern::histogram(counts, x, quern::bin_range{0, 1})", 1.2),
    "normal": ("random.hpp", "quern::random::normal(x, quern::random::key(1))", 1.95),
    "gaussian": ("stencil.hpp", "quern::gaussian_filter(b, a, 2.0, quern::boundary::reflect)", 1.4),
    "sort": ("keyed/sort.hpp", "quern::sort(x)", 0.3),
    "fft": ("fft.hpp", "quern::fft(f, f)", 0.35),
    "svd": ("linalg.hpp", "quern::svd(a, x, b, a)", 0.8),
    "unique": ("keyed/unique.hpp", "*index = quern::unique(y, x)", 1.45),
    "argsort": ("keyed/sort.hpp", "quern::argsort(counts, x)", 0.3),
    "cumsum": ("scan.hpp", "quern::cumsum(y, x)", 0.3),
    "lstsq": ("linalg.hpp", "quern::lstsq(y, a, x)", 0.8),
    "median": ("reduce.hpp", "*sink = quern::median(x)", 0.6),
    "top_k": ("keyed/top_k.hpp", "quern::top_k(y, counts, x)", 1.1),
    "reduced": ("reduce.hpp", "*sink = quern::map(quern::outputs(y, quern::reduced<quern::op::sum>(quern::on_host)), "
                              "KOKKOS_LAMBDA(double v) { return quern::values(2 * v, v * v); }, x)", 0.95),
    "rows": ("map.hpp", "quern::map(quern::rows<2>(b), KOKKOS_LAMBDA(const Kokkos::Array<double, 2>& v) { return v; }, "
                        "quern::rows<2>(a))", 0.5),
    "fill_halo": ("stencil/halo.hpp", "quern::fill_halo(a, quern::boundary::reflect, quern::depth{1})", 0.85),
    "table": ("table.hpp", 'quern::Table().insert("x", x).sort_by("x").describe().print()', 0.6),
    "group_by": ("keyed/group_reductions.hpp", "quern::sum(y, x, quern::group_by(counts))", 0.5),
}
# Of some of these, the budget for the multiple of the plain program's time; the aim is 1.5 for each.
CALL_SECONDS = {"map": 1.1, "sum": 1.4, "argmax": 1.5, "normal": 1.4, "gaussian": 1.5, "sort": 1.0, "fft": 0.95, "median": 1.0,
                "group_by": 1.1, "svd": 1.1, "table": 0.9, "reduced": 1.4, "rows": 1.1, "fill_halo": 1.1}


def write_call(call, target):
    header, expression, _ = CALLS[call]
    with open(target, "w") as source:
        source.write(f"""#include <Kokkos_Core.hpp>
#include <quern/{header}>
template <class T>
using view = Kokkos::View<T>;
void run(const view<double*>& x, const view<double*>& y, const view<double**>& a, const view<double**>& b,
         const view<Kokkos::complex<double>*>& f, const view<std::int64_t*>& counts, double* sink, std::int64_t* index) {{
  {expression};
}}
""")


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
    for call, budget in CALL_SECONDS.items():
        seconds = best[call][0]
        print(f"{call}: {seconds:.2f} s, {seconds / plain:.2f} times plain (budget {budget}, aim 1.5)", flush=True)
        if seconds / plain > 1.2 * budget:
            over.append(call)
    return over


def measure_calls(command, folder, check=True):
    """Compiles the programs with one call: {call: (CPU seconds, bytes)}, and those whose bytes are over their budget."""
    target = os.path.join(folder, "call.o")
    plain, plain_size = compile_once(command, "plain", target)
    found, over = {"plain": (plain, plain_size)}, []
    for call, (*_, budget) in CALLS.items():
        source = os.path.join(folder, call)
        write_call(call, f"{source}.cpp")
        seconds, size = found[call] = compile_once(command, source, target)
        share = size / plain_size
        limit = f" (budget {budget})" if check else ""
        print(f"{call}: {seconds / plain:.2f} times plain; {size} bytes, {share:.2f} times plain{limit}", flush=True)
        if check and share > 1.2 * budget:
            over.append(call)
    return found, over


def main(command):
    if command[0] == "--table":
        with tempfile.TemporaryDirectory() as folder:
            measure_calls(command[1:], folder, check=False)
        return
    programs = {program: program for program in ("plain", *BUDGETS)}
    if "-DWITH_RANKS" not in command:
        for program in OF_RANKS:
            del programs[program]
    with tempfile.TemporaryDirectory() as folder:
        best, over = measure_calls(command, folder)
        if over:
            sys.exit(f"more than 20 % above the budget of bytes: {', '.join(over)}")
        target = os.path.join(folder, "program.o")
        for _ in range(5):  # again where a busy machine may have slowed one of them
            for program, source in programs.items():
                found = compile_once(command, source, target)
                best[program] = min(found, best.get(program, found))
            programs.update({call: os.path.join(folder, call) for call in CALL_SECONDS})  # measured once already
            over = over_budget(best)
            if not over:
                return
    sys.exit(f"more than 20 % above the budget: {', '.join(over)}")


if __name__ == "__main__":
    main(sys.argv[1:])
