#!/usr/bin/env python3
# SPDX-FileCopyrightText: the Quern authors
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Writes tests/analysis/data/running.npz: fields at some steps, and NumPy's statistics of all of them, whose version stands in the file:

    python3 tools/running_reference.py tests
"""
import sys

import numpy as np

np.seterr(all="ignore")  # squares overflow, and differences of infinite values have no value
rng = np.random.default_rng(20261129)
arrays = {"version": np.frombuffer(np.__version__.encode(), np.uint8)}
STEPS, EXTENTS = 9, (5, 7)

plain = rng.integers(-2048, 2049, (STEPS, *EXTENTS)) / 1024  # floats hold these
with_nan, with_infinity = plain.copy(), plain.copy()
with_nan[4, 2, 3] = np.nan
with_infinity[[0, 5], [1, 2], [0, 6]] = np.inf, -np.inf
CASES = {"plain": plain, "far": plain + 2.0**40, "grows": plain * 8.0 ** np.arange(STEPS)[:, None, None], "1e150": plain * 1e150, "1e155": plain * 1e155,
         "1e-155": plain * 1e-155, "1e305": plain * 1e305, "equal": np.full(plain.shape, 0.1), "one": plain[:1], "nan": with_nan, "infinite": with_infinity}
for name, x in CASES.items():
    arrays[f"{name}/x"] = x
    origin = 2.0**40 if name == "far" else 0  # NumPy rounds means there, and variances are wrong in the eighth digit
    for kind, along in (("cells", 0), ("rows", (0, 2)), ("all", None)):
        of = {"mean": x.mean(along), "var": (x - origin).var(along), "stddev": (x - origin).std(along, ddof=1), "min": x.min(along), "max": x.max(along)}
        arrays |= {f"{name}/{kind}/{what}": np.asarray(value, np.float64) for what, value in of.items()}

# Four variables, observed in parts of these numbers.
parts = np.array([20, 1, 0, 29])
x = rng.normal(size=(4, parts.sum())) + np.array([[0], [100], [-3], [0]])
x[3] = x[0] - 2 * x[1]
arrays |= {"observed/parts": parts, "observed/x": x, "observed/cov": np.cov(x), "observed/population": np.cov(x, ddof=0), "observed/mean": x.mean(1)}

x = rng.normal(size=(4, 100))
x[2, 7] = np.nan
weights = rng.integers(0, 9, x.shape) / 4
valid = ~np.isnan(x)
arrays |= {"counted/x": x, "counted/weights": weights, "counted/counts": np.histogram(x[valid], 8, (-2, 2))[0],
           "counted/weighted": np.histogram(x[valid], 8, (-2, 2), weights=weights[valid])[0]}
np.savez(f"{sys.argv[1]}/analysis/data/running.npz", **{k: np.asarray(v, order="C") for k, v in arrays.items()})
