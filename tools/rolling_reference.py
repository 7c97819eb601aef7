#!/usr/bin/env python3
# SPDX-FileCopyrightText: the Quern authors
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Writes tests/stencil/data/rolling.npz: what pandas' rolling makes of columns and lines with missing values, in windows of a number of
elements and of times. The version of pandas stands in the file:

    python3 tools/rolling_reference.py tests
"""
import fractions
import math
import sys

import numpy as np
import pandas as pd

rng = np.random.default_rng(20261129)
arrays = {"pandas_version": np.frombuffer(pd.__version__.encode(), np.uint8)}
OPERATIONS = ("sum", "mean", "var", "std", "min", "max", "median", "count")


def exact_variance(values):
    """Of one window: pandas adds and subtracts squares from window to window, which rounds."""
    numbers = [fractions.Fraction(v) for v in values if not np.isnan(v)]
    if len(numbers) < 2: return math.nan
    mean = sum(numbers) / len(numbers)
    return float(sum((v - mean) ** 2 for v in numbers) / (len(numbers) - 1))


def results(windows, operation):
    found = getattr(windows, operation)().to_numpy()
    if operation not in ("var", "std"): return found
    exact = windows.apply(exact_variance, raw=True).to_numpy()
    exact = exact if operation == "var" else np.sqrt(exact)
    np.testing.assert_allclose(found, exact, rtol=1e-7, atol=1e-5)
    return exact


# A matrix of exact numbers, one in six of them missing, with a run of missing ones; all of them missing in one column.
n = 47
x = np.round(rng.normal(0, 20, (n, 3)) * 4) / 4
x[rng.random(x.shape) < 1 / 6] = np.nan
x[20:29, 1] = np.nan
x[:, 2] = np.nan
arrays["x"] = x
table = pd.DataFrame(x)
# count, center, min_periods (-1: pandas' own), step
cases = np.array([[1, 0, -1, 1], [2, 0, -1, 1], [5, 0, -1, 1], [5, 0, 0, 1], [5, 1, 1, 1], [6, 1, 3, 1], [7, 0, 2, 3], [4, 1, 1, 9],
                  [47, 0, 1, 1], [100, 0, 1, 1], [100, 1, 1, 5], [3, 0, 1, 100]])
arrays["cases"] = cases
for number, (count, center, least, step) in enumerate(cases):
    windows = table.rolling(int(count), center=bool(center), min_periods=None if least < 0 else int(least), step=int(step))
    for operation in OPERATIONS:
        arrays[f"{operation}{number}"] = results(windows, operation)

# Times in nanoseconds, some of them equal, beyond 2^53.
times = np.sort(rng.integers(0, 200, n)) + 1_700_000_000_123_456_789
arrays["times"] = times
table.index = pd.to_datetime(times, unit="ns")
spans = np.array([[2, 0, -1], [20, 0, -1], [20, 0, 4], [20, 1, 1], [60, 1, 0], [1000, 0, 1], [1000, 1, 1]])  # width, center, min_periods
arrays["spans"] = spans
for number, (width, center, least) in enumerate(spans):
    windows = table.rolling(f"{width}ns", center=bool(center), min_periods=None if least < 0 else int(least))
    for operation in OPERATIONS:
        arrays[f"{operation}_of_times{number}"] = results(windows, operation)

# A long line, in windows of blocks.
long = np.round(rng.normal(0, 20, 900) * 4) / 4
long[rng.random(long.shape) < 1 / 6] = np.nan
arrays["long"] = long
counts = np.array([129, 700])
arrays["counts"] = counts
for number, count in enumerate(counts):
    for operation in OPERATIONS:
        arrays[f"{operation}_of_long{number}"] = results(pd.Series(long).rolling(int(count), min_periods=1), operation)
np.savez(f"{sys.argv[1]}/stencil/data/rolling.npz", **{name: np.ascontiguousarray(a) for name, a in arrays.items()})
