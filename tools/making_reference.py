#!/usr/bin/env python3
# SPDX-FileCopyrightText: the Quern authors
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Writes tests/map/data/making.npz: what NumPy makes of differences of differences, elements along an axis by indices, products and
polynomials. NumPy's version stands in the file:

    python3 tools/making_reference.py tests
"""
import sys

import numpy as np

rng = np.random.default_rng(20261201)
arrays = {"numpy_version": np.frombuffer(np.__version__.encode(), np.uint8)}


def keep(name, values, kind=None):
    arrays[name] = np.array(values, dtype=kind, order="C")
    return arrays[name]


# Differences of differences.
table = keep("table", rng.normal(size=(6, 9)))
small = keep("small", rng.integers(-128, 128, 9), np.int8)
for n in (0, 1, 2, 3, 4, 5):
    keep(f"diff_{n}_0", np.diff(table, n, axis=0))
    keep(f"diff_{n}_1", np.diff(table, n))
    keep(f"small_diff_{n}", np.diff(small, n))
keep("diff_of_flip", np.diff(np.flip(table, 1), 2))
keep("diff_of_roll", np.diff(np.roll(table, 2, 1), 3))
keep("diff_prepend", np.diff(table, prepend=0.0))

# Elements along an axis, and at positions.
cube = keep("cube", rng.normal(size=(3, 4, 5)))
order = keep("order", np.argsort(cube, axis=1))
keep("sorted", np.take_along_axis(cube, order, axis=1))
keep("largest", np.argmax(cube, axis=2, keepdims=True))
keep("of_largest", np.take_along_axis(cube, arrays["largest"], axis=2))
some = keep("some", rng.integers(-4, 4, (1, 6, 5)), np.int16)
keep("taken", np.take_along_axis(cube, some, axis=1))
put = cube.copy()
values = keep("values", rng.normal(size=(3, 2, 1)))
few = keep("few", [[[3], [-3]]], np.int32)
np.put_along_axis(put, few, values, axis=1)
keep("put_along", put)
put = cube.copy()
np.put_along_axis(put, arrays["largest"], -1, axis=2)
keep("put_largest", put)
positions = keep("positions", [7, -1, 30, 59, 0, 12])
put = cube.copy()
np.put(put, positions, [1.5, 2.5])
keep("put", put)
wild = keep("wild", [61, -70, 5])
for mode in ("wrap", "clip"):
    put = cube.copy()
    np.put(put, wild, [1.0, 2.0, 3.0], mode=mode)
    keep(f"put_{mode}", put)

# Numbers of elements.
numbers = keep("numbers", rng.integers(0, 60, (2, 7)))
for d, at in enumerate(np.unravel_index(numbers, (3, 4, 5))):
    keep(f"unraveled_{d}", at)
rows, columns = keep("rows", [0, 3, 1, 2]), keep("columns", [4, 0, 1, 2])
keep("raveled", np.ravel_multi_index((rows, columns), (4, 5)))
wild_rows, wild_columns = keep("wild_rows", [0, -1, 9, 4]), keep("wild_columns", [5, 0, -8, 2])
for mode in ("wrap", "clip"):
    keep(f"raveled_{mode}", np.ravel_multi_index((wild_rows, wild_columns), (4, 5), mode=mode))

# Products and polynomials.
u, v = keep("u", rng.normal(size=(4, 5, 3))), keep("v", rng.normal(size=(5, 3)))
keep("cross", np.cross(u, v))
keep("cross_one", np.cross(u, [1.0, -2.0, 0.5]))
whole_u, whole_v = keep("whole_u", rng.integers(-9, 9, (6, 3)), np.int32), keep("whole_v", rng.integers(-9, 9, (6, 3)), np.int32)
keep("cross_integers", np.cross(whole_u, whole_v))
a, b, line = keep("a", rng.normal(size=(2, 3))), keep("b", rng.normal(size=(4, 2))), keep("line", rng.normal(size=3))
keep("kron", np.kron(a, b))
keep("kron_line", np.kron(a, line))
keep("kron_lines", np.kron(line, line))
c = keep("coefficients", [2.0, -1.0, 0.5, 3.0])
keep("polyval", np.polyval(c, table))
keep("polyval_integers", np.polyval(np.array([1, 0, -2]), np.arange(-3, 4)))
keep("polyval_complex", np.polyval(c, table[0] + 1j * table[1]))

# Elements among others.
keep("insert_number", np.insert(line, 1, 7.0))
keep("insert_row", np.insert(table, 2, np.arange(9.0), axis=0))
keep("insert_columns", np.insert(table, [-1, -1], table[:, :2], axis=1))
marks = keep("marks", [4, -1, 0, 9, 4, -9, 4], np.int16)  # several at 4 and at 0, and one behind all
marked = keep("marked", rng.normal(size=(6, 7)))
keep("insert_marked", np.insert(table, marks, marked, axis=1))
keep("insert_marked_flipped", np.insert(np.flip(table, 1), marks, marked[0], axis=1))
keep("insert_marked_number", np.insert(table, marks, -3.5, axis=1))
keep("insert_marked_rows", np.insert(table, [6, 1, 1, -6], marked[:4, :1], axis=0))
keep("insert_behind", np.insert(table, 9, -1.0, axis=1))

np.savez(f"{sys.argv[1]}/map/data/making.npz", **arrays)
