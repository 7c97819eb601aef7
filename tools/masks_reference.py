#!/usr/bin/env python3
# SPDX-FileCopyrightText: the Quern authors
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Writes tests/reduce/data/masks.npz: NumPy's reductions of what a mask selects, of all elements and along each axis, by `where=`, and of
medians, which have none, those of the selected elements. NumPy's version stands in the file:

    python3 tools/masks_reference.py tests
"""
import sys
import warnings

import numpy as np

rng = np.random.default_rng(20261204)
arrays = {"numpy_version": np.frombuffer(np.__version__.encode(), np.uint8)}
x = arrays["x"] = np.round(rng.normal(0, 8, (3, 5, 7)) * 4) / 4  # sums of these are exact
x[rng.random(x.shape) < 1 / 8] = 0
# One for each element, with a line along each axis of which nothing is selected; and those that broadcast.
full = rng.random(x.shape) < 0.6
full[1, 2, :] = full[1, :, 4] = full[:, 2, 4] = False
masks = {"full": full, "plane": rng.random((5, 7)) < 0.5, "column": rng.random((3, 1, 1)) < 0.7, "none": np.zeros((1, 1, 1), bool)}


def median(a, m, axis):
    lines = [a.ravel()] if axis is None else np.moveaxis(a, axis, -1).reshape(-1, a.shape[axis])
    chosen = [m.ravel()] if axis is None else np.moveaxis(m, axis, -1).reshape(-1, a.shape[axis])
    found = [np.median(line[c]) for line, c in zip(lines, chosen)]
    return np.array(found).reshape(() if axis is None else np.delete(a.shape, axis))


def extreme(function, a, m, axis):
    """NaN where nothing is selected: NumPy has the value of its argument `initial` there."""
    none = np.inf if function is np.min else -np.inf
    found = function(a, axis=axis, where=m, initial=none)
    return np.where(np.any(m, axis=axis), found, np.nan)


warnings.simplefilter("ignore")  # of means of nothing
for name, given in masks.items():
    m = np.broadcast_to(given, x.shape)
    arrays[f"mask_{name}"] = given.astype(np.uint8)
    for axis in (None, 0, 1, 2):
        at = f"_{name}" + ("" if axis is None else f"_{axis}")
        arrays["sum" + at] = np.sum(x, axis=axis, where=m)
        arrays["prod" + at] = np.prod(x / 8, axis=axis, where=m)
        arrays["mean" + at] = np.mean(x, axis=axis, where=m)
        arrays["var" + at] = np.var(x, axis=axis, where=m, ddof=1)
        arrays["min" + at] = extreme(np.min, x, m, axis)
        arrays["max" + at] = extreme(np.max, x, m, axis)
        arrays["any" + at] = np.any(x > 9, axis=axis, where=m).astype(np.uint8)
        arrays["all" + at] = np.all(x != 0, axis=axis, where=m).astype(np.uint8)
        arrays["count" + at] = np.sum((x != 0) & m, axis=axis)
        arrays["median" + at] = median(x, m, axis)
np.savez(f"{sys.argv[1]}/reduce/data/masks.npz", **{name: np.ascontiguousarray(a) for name, a in arrays.items()})
