#!/usr/bin/env python3
# SPDX-FileCopyrightText: the Quern authors
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Writes tests/keyed/data/splines.npz: values of SciPy's CubicSpline. SciPy's version stands in the file:

    python3 tools/spline_reference.py tests
"""
import sys

import numpy as np
import scipy
from scipy.interpolate import CubicSpline

rng = np.random.default_rng(20261130)
arrays = {"scipy_version": np.frombuffer(scipy.__version__.encode(), np.uint8)}


def floats(a):
    """Numbers that float has, too."""
    return np.asarray(a, np.float32).astype(np.float64)


for name, n, steps in (("few", 11, "any"), ("two", 2, "any"), ("three", 3, "any"), ("four", 4, "any"), ("long", 700, "any"),
                       ("grid", 600, "one"), ("uneven", 40, "wild")):
    step = {"any": rng.integers(1, 9, n) / 4, "one": np.ones(n), "wild": 2.0 ** rng.integers(-6, 7, n)}[steps]
    points = floats(np.cumsum(step) - 3)
    values = floats(rng.normal(size=n))
    values[-1] = values[0]
    inside = rng.uniform(points[0], points[-1], 60)
    x = floats(np.concatenate([points[:5], points[-5:], inside, [points[0] - 0.5, points[-1] + 0.25]]))
    arrays |= {f"{name}/points": points, f"{name}/values": values, f"{name}/x": x}
    for ends in ("not-a-knot", "natural", "clamped", "periodic"):
        arrays[f"{name}/{ends}"] = CubicSpline(points, values, bc_type=ends)(x)
np.savez(f"{sys.argv[1]}/keyed/data/splines.npz", **arrays)
