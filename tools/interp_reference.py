#!/usr/bin/env python3
# SPDX-FileCopyrightText: the Quern authors
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Writes tests/keyed/data/interp.npz: what NumPy's interp makes of points, among them equal and infinite ones. NumPy's version stands in the file:

    python3 tools/interp_reference.py tests
"""
import sys

import numpy as np

rng = np.random.default_rng(20261129)
arrays = {"numpy_version": np.frombuffer(np.__version__.encode(), np.uint8)}
x = np.concatenate([np.arange(-3.0, 60.0), [0.0, -0.0, 1e6, -1e6]])
arrays["x"] = x
cases = {
    "many": (np.sort(rng.choice(np.arange(60), 23, replace=False)), rng.integers(-50, 50, 23)),
    "equal": (np.array([0, 0, 3, 3, 3, 9, 40]), np.array([1, 5, -2, 4, 8, 8, 100])),
    "one": (np.array([5]), np.array([3])),
    "two": (np.array([-2, 30]), np.array([7, 7])),
}
for name, (points, values) in cases.items():
    arrays[f"{name}_points"], arrays[f"{name}_values"] = points.astype(np.float64), values.astype(np.float64)
    arrays[name] = np.interp(x, points, values)
    arrays[f"{name}_outside"] = np.interp(x, points, values, left=-1, right=7.5)
inf = np.inf
arrays["infinite_points"] = np.array([-inf, -1, 0, 1, 2, inf])
arrays["infinite_values"] = np.array([3, inf, inf, -inf, 4, 4.0])
arrays["infinite_x"] = np.array([-inf, -2, -1, -0.5, 0, 0.5, 1, 1.5, 2, 3, inf])
arrays["infinite"] = np.interp(arrays["infinite_x"], arrays["infinite_points"], arrays["infinite_values"])
# Points in any order, below zero and beyond a period.
repeated = {
    "degrees": (np.array([-190, 190, -15, 5, 700, 33]), np.array([5, 10, 3, 4, -7, 20]), 360),
    "short": (rng.permutation(np.arange(-40, 40, 4)) + rng.integers(0, 3, 20), rng.integers(-50, 50, 20), -97),
    "alone": (np.array([5]), np.array([3]), 4),
}
for name, (points, values, period) in repeated.items():
    arrays[f"{name}_points"], arrays[f"{name}_values"] = points.astype(np.float64), values.astype(np.float64)
    arrays[f"{name}_period"] = np.array([float(period)])
    arrays[name] = np.interp(x, points, values, period=period)
arrays["fine_x"] = np.concatenate([rng.uniform(-9, 9, 60), [-1e-20, 1e-20, 2.5, -2.5, np.nan, inf, -inf]])
arrays["fine_points"], arrays["fine_values"] = rng.uniform(-6, 6, 40), rng.normal(size=40)
arrays["fine_imaginary"] = rng.normal(size=40)
z = np.interp(arrays["fine_x"], arrays["fine_points"], arrays["fine_values"] + 1j * arrays["fine_imaginary"], period=2.5)
arrays["fine"], arrays["fine_of_imaginary"] = z.real, z.imag
np.savez(f"{sys.argv[1]}/keyed/data/interp.npz", **arrays)
