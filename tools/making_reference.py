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

np.savez(f"{sys.argv[1]}/map/data/making.npz", **arrays)
