#!/usr/bin/env python3
# SPDX-FileCopyrightText: the Quern authors
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Plots what bench_sweep has measured, and prints the largest ratio between lengths of rows that are neighbours.

  tools/performance_tables.py keep h200_sweep sweep.json && tools/sweep_plot.py h200_sweep

reads docs/measurements/NAME.json and writes docs/NAME.svg. Needs matplotlib.
"""
import json
import math
import pathlib
import sys

import matplotlib

matplotlib.use("svg")
matplotlib.rcParams["svg.hashsalt"] = "quern"  # the same plot for the same figures
import matplotlib.pyplot as plt

TOP = pathlib.Path(__file__).resolve().parent.parent


def main(name):
    rows = json.loads((TOP / f"docs/measurements/{name}.json").read_text())["rows"]
    operations = {}
    for row in rows:
        operations.setdefault(row["operation"], []).append((row["size"], row["limit_%"]))
    figure, axes = plt.subplots(figsize=(8, 4))
    for operation, points in operations.items():
        points.sort()
        axes.plot(*zip(*points), marker=".", linewidth=0.8, label=operation)
        groups = {}
        for size, share in points:
            groups.setdefault(round(math.log2(size)), []).append((share, size))
        worst = max(groups.values(), key=lambda g: max(g)[0] / min(g)[0])
        print(f"{operation}: rows of {min(worst)[1]} take {max(worst)[0] / min(worst)[0]:.2f} times "
              f"what those of {max(worst)[1]} take, per byte")
    axes.set_xscale("log", base=2)
    axes.set_ylim(bottom=0)
    axes.set_xlabel("elements of a row")
    axes.set_ylabel("% of the copy rate")
    axes.grid(linewidth=0.3)
    axes.legend()
    figure.tight_layout()
    figure.savefig(TOP / f"docs/{name}.svg", metadata={"Date": None})


if __name__ == "__main__":
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    main(sys.argv[1])
