#!/usr/bin/env python3
# SPDX-FileCopyrightText: the Quern authors
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Writes tests/stencil/data/map_coordinates.npz: what scipy.ndimage.map_coordinates makes of arrays of 1 to 3 axes, at coordinates inside, on
elements, halfway between them, and far outside. The version of SciPy stands in the file:

    python3 tools/map_coordinates_reference.py tests
"""
import sys

import numpy as np
import scipy
from scipy import ndimage

rng = np.random.default_rng(20261129)
arrays = {"scipy_version": np.frombuffer(scipy.__version__.encode(), np.uint8)}
MODES = ("constant", "grid-constant", "nearest", "reflect", "mirror", "grid-wrap")
CONSTANT = 7
for name, extents in {"line": (9,), "single": (1,), "pair": (2,), "matrix": (5, 7), "column": (1, 4), "block": (3, 4, 5)}.items():
    x = rng.integers(-40, 40, extents).astype(np.float64)
    # Multiples of 1/4, up to a few times the array away, and on both ends of each axis.
    where = np.stack([np.round(rng.uniform(-2.5 * n - 2, 3.5 * n + 2, 160) * 4) / 4 for n in extents])
    for axis, n in enumerate(extents):
        where[axis, : 4 * len(extents)] = rng.choice([-0.5, -1, -1.5, 0, n - 1, n - 0.5, n, n + 0.5], 4 * len(extents))
        where[axis, 90:100] = rng.choice([12345.75, -98765.25, 1e6 + 0.5, -1e6, 4096], 10)
        where[axis, 100:] = rng.uniform(-0.25, n - 0.75, 60)  # most of them between elements
    arrays[name], arrays[f"{name}_where"] = x, where
    for mode in MODES:
        for order in (0, 1):
            arrays[f"{name}_{mode}_{order}"] = ndimage.map_coordinates(x, where, order=order, mode=mode, cval=CONSTANT)

# Infinite and NaN, which SciPy takes for what lies outside where it has no other rule than undefined conversions to integers.
odd = np.array([np.nan, np.inf, -np.inf, 1e300, -1e300, 2.0])
arrays["odd_where"] = odd
arrays["odd_constant"] = ndimage.map_coordinates(arrays["line"], odd[np.newaxis], order=1, mode="constant", cval=CONSTANT)
# Integers are rounded.
arrays["rounded_where"] = np.arange(-2, 10, 0.125)
for kind in (np.int16, np.uint8):
    x = np.array([-3, 2, 7, -8, 1, 200, 100, 3]).astype(np.int64).astype(kind)
    arrays[f"rounded_{np.dtype(kind).name}"] = ndimage.map_coordinates(x, arrays["rounded_where"][np.newaxis], order=1, mode="mirror")
np.savez(f"{sys.argv[1]}/stencil/data/map_coordinates.npz", **{name: np.ascontiguousarray(a) for name, a in arrays.items()})
