#!/usr/bin/env python3
# SPDX-FileCopyrightText: the Quern authors
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Writes tests/MODULE/data/numpy.npz: inputs and what NumPy makes of them. Run it to renew the files, which NumPy 1.24.2
has made:

    python3 tools/numpy_reference.py tests
"""
import math
import sys
import warnings
from fractions import Fraction

import numpy as np

rng = np.random.default_rng(20260101) if hasattr(np.random, "default_rng") else np.random.RandomState(1)


archives = {module: {} for module in ("map", "reduce", "scan", "keyed")}


def array(module, name, values, kind=np.float64):
    archives[module][name] = np.array(values, dtype=kind, order="C")


# Broadcasting: (3, 1, 5) with (4, 1) gives (3, 4, 5).
a = rng.normal(size=(3, 1, 5))
b = rng.normal(size=(4, 1))
array("map", "a", a)
array("map", "b", b)
array("map", "a_plus_b", a + b)
array("map", "a_minus_b", a - b)
array("map", "a_times_b", a * b)
array("map", "a_over_b", a / b)
array("map", "where_a_positive", np.where(a > 0, a, b))

i = rng.integers(-9, 10, size=7)
j = rng.integers(1, 5, size=7)

# Integers of length 7.
array("map", "i", i, np.int32)
array("map", "j", j, np.int32)
array("map", "i_over_j", i / j)

# Reductions of 11 x 13 numbers with mean 1000.
x = rng.normal(loc=1000, size=(11, 13))
y = rng.normal(size=(11, 13))
array("reduce", "x", x)
array("reduce", "y", y)
for name, v in (("sum", x.sum()), ("mean", x.mean()), ("var", x.var()), ("std", x.std()), ("min", x.min()),
                ("max", x.max()), ("norm", np.linalg.norm(x)), ("dot", np.vdot(x, y)),
                ("prod", np.prod(y))):
    array("reduce", f"x_{name}" if name != "prod" else "y_prod", v)

# Quantiles of x, of each way to interpolate, and of its rows.
quantile_q = np.array([0, 0.1, 0.25, 0.3, 0.5, 0.75, 0.99, 1, 3.5 / 142, 4.5 / 142])
array("reduce", "quantile_q", quantile_q)
for way in ("linear", "lower", "higher", "midpoint", "nearest"):
    array("reduce", f"x_quantile_{way}", np.quantile(x, quantile_q, method=way))
array("reduce", "x_quantiles_of_rows", np.quantile(x, [0.25, 0.9, 0], axis=1))

# Small integers, whose sums and products wrap around in 64 bits.
u8 = rng.integers(0, 256, size=50).astype(np.uint8)
i8 = rng.integers(-128, 128, size=50).astype(np.int8)
array("reduce", "u8", u8, np.uint8)
array("reduce", "i8", i8, np.int8)
array("reduce", "u8_sum", u8.sum(), np.uint64)
array("reduce", "i8_sum", i8.sum(), np.int64)
array("reduce", "i8_prod", i8[i8 != 0][:20].prod(), np.int64)
array("reduce", "i8_nonzero", i8[i8 != 0][:20], np.int8)
array("reduce", "i8_mean", i8.mean())
array("reduce", "i8_var", i8.var())
array("reduce", "i8_median", np.median(i8))
array("reduce", "i8_nonzeros", np.count_nonzero(i8), np.int64)

# NaN and infinity.
with np.errstate(all="ignore"):
    w = np.array([1.0, np.nan, -np.inf, 3.0])
    v = np.array([1.0, np.inf, 3.0])
    for name, z in (("nan", w), ("inf", v)):
        array("reduce", f"with_{name}", z)
        for f in ("sum", "mean", "var", "min", "max"):
            array("reduce", f"{name}_{f}", getattr(z, f)())
        array("reduce", f"{name}_median", np.median(z))
        array("reduce", f"{name}_all", bool(z.all()), bool)
        array("reduce", f"{name}_any", bool(z.any()), bool)

    array("reduce", "nan_nanmedian", np.nanmedian(w))
    array("reduce", "nan_nanquantile", np.nanquantile(w, 0.8))

# Reductions along axes of 3 x 4 x 5 numbers, some of them NaN in t_nan, one line of which is nothing else.
t = np.round(rng.normal(size=(3, 4, 5)), 1)
t_nan = np.where(rng.random(size=t.shape) < 0.3, np.nan, t)
t_nan[1, :, 2] = np.nan
t_nan[2] = t[2]
ties = rng.integers(0, 3, size=(6, 7))
array("reduce", "t", t)
array("reduce", "t_nan", t_nan)
array("reduce", "ties", ties, np.int32)
array("reduce", "ties_argmax_0", ties.argmax(axis=0), np.int64)
array("reduce", "ties_argmin_1", ties.argmin(axis=1), np.int64)
array("reduce", "ties_argmax", ties.argmax(), np.int64)
array("reduce", "t_sum_1", t.sum(axis=1))
array("reduce", "t_prod_02", t.prod(axis=(0, 2)))
array("reduce", "t_min_0", t.min(axis=0))
array("reduce", "t_max_2", t.max(axis=2))
array("reduce", "t_mean_12", t.mean(axis=(1, 2)))
array("reduce", "t_var_1_ddof_1", t.var(axis=1, ddof=1))
array("reduce", "t_std_0_ddof_2", t.std(axis=0, ddof=2))
array("reduce", "t_norm_1_axis_2", np.linalg.norm(t, ord=1, axis=2))
array("reduce", "t_norm_2_axis_1", np.linalg.norm(t, axis=1))
array("reduce", "t_norm_inf_axis_0", np.linalg.norm(t, ord=np.inf, axis=0))
array("reduce", "t_dot_1", (t * t[::-1]).sum(axis=1))
array("reduce", "t_count_1", np.count_nonzero(t > 0, axis=1), np.int64)
array("reduce", "t_argmax_1", t.argmax(axis=1), np.int64)
array("reduce", "t_nan_argmax_1", t_nan.argmax(axis=1), np.int64)
array("reduce", "t_nan_argmin_0", t_nan.argmin(axis=0), np.int64)
with np.errstate(all="ignore"), warnings.catch_warnings():
    warnings.simplefilter("ignore")
    array("reduce", "t_nansum_1", np.nansum(t_nan, axis=1))
    array("reduce", "t_nanmean_1", np.nanmean(t_nan, axis=1))
    array("reduce", "t_nanvar_1", np.nanvar(t_nan, axis=1))
    array("reduce", "t_nanvar_1_ddof_1", np.nanvar(t_nan, axis=1, ddof=1))
    array("reduce", "t_nanmin_1", np.nanmin(t_nan, axis=1))
    array("reduce", "t_nanmax_1", np.nanmax(t_nan, axis=1))
    array("reduce", "t_nanargmax_0", np.nanargmax(t_nan, axis=0), np.int64)
    array("reduce", "t_nanargmin_2", np.nanargmin(t_nan, axis=2), np.int64)
    array("reduce", "t_nancount_1", np.count_nonzero(~np.isnan(t_nan), axis=1), np.int64)

# Scans of t, and with NaN.
array("scan", "t", t)
array("scan", "t_nan", t_nan)
array("scan", "t_cumsum", t.cumsum())
array("scan", "t_cumsum_0", t.cumsum(axis=0))
array("scan", "t_cumsum_1", t.cumsum(axis=1))
array("scan", "t_cumsum_2", t.cumsum(axis=2))
array("scan", "t_cumprod_1", t.cumprod(axis=1))
array("scan", "t_nan_cumsum_1", t_nan.cumsum(axis=1))


def reproducible_sum(values, bins):
    """The definition of reproducible sums, by exact arithmetic: every value becomes a multiple of a unit."""
    largest = max((abs(v) for v in values), default=0.0)
    biased = max(math.frexp(largest)[1] + 1022, 0) if largest > 0 else 0
    top = max((biased + 52) // 26, bins - 1)
    unit = Fraction(2) ** (26 * (top - bins + 1) - 1074)
    return float(sum(round(Fraction(v) / unit) for v in values) * unit)


def wide(i, span):
    """Numbers of many magnitudes, made of integers so that any language computes the same."""
    return math.ldexp((i * 2654435761 + 12345) % 2**24 - 2**23, i * 7 % span - span // 2 - 23)


def cancelling(i):
    return (1e16, 1.0, -1e16)[i % 3] if i % 12 else 0.3


# Reproducible sums of n values: sum, mean, dot with the next value, norm, variance; see the generator.
sizes = (1, 2, 7, 1000, 8191, 100003)
for name, make, bins, kind in (
    ("wide_double", lambda i: wide(i, 120), 4, np.float64),
    ("wide_float", lambda i: wide(i, 60), 3, np.float32),
    ("cancelling_double", cancelling, 4, np.float64),
    ("cancelling_float", cancelling, 3, np.float32),
):
    frozen = []
    for n in sizes:
        x = [float(kind(make(i))) for i in range(n + 1)]
        y, x = x[1:], x[:n]
        total = reproducible_sum(x, bins)
        mean = float(kind(total / n))
        squares = reproducible_sum([v * v for v in x], bins)
        distances = [v - mean for v in x]
        rest = reproducible_sum(distances, bins)
        deviations = max(reproducible_sum([d * d for d in distances], bins) - rest * (rest / n), 0.0)
        dot = reproducible_sum([u * v for u, v in zip(x, y)], bins)
        frozen += [float(kind(v)) for v in (total, mean, dot, math.sqrt(squares), deviations / n)]
    array("reduce", name, np.reshape(frozen, (len(sizes), 5)))
# Histograms: values on the edges themselves among others.
bins_rng = np.random.default_rng(5)
low, high, count = -1.3, 2.9, 37
edges = np.linspace(low, high, count + 1)
on_and_beside = np.concatenate([edges, np.nextafter(edges, -9), np.nextafter(edges, 9)])
values = np.concatenate([bins_rng.normal(size=200), on_and_beside, [np.nan, np.inf, -np.inf, -5, 7]])
bins_rng.shuffle(values)
value_weights = bins_rng.integers(-8, 9, size=values.size) / 4  # sums of which are exact
uneven = np.sort(np.concatenate([bins_rng.normal(size=20), [0.0, 0.0]]))
keys = bins_rng.integers(0, 50, size=300)
finite = values[np.isfinite(values)]
sorted_nan = np.sort(np.concatenate([bins_rng.integers(-6, 7, size=40) / 2, [np.nan, np.nan]]))

# Histograms from low to high with 37 bins, or between edges; searches.
array("keyed", "bins_low", low)
array("keyed", "bins_high", high)
array("keyed", "binned", values)
array("keyed", "binned_weights", value_weights)
array("keyed", "equal_bins", np.histogram(values, count, (low, high))[0], np.int64)
array("keyed", "equal_bins_weighted", np.histogram(values, count, (low, high), weights=value_weights)[0])
array("keyed", "uneven_edges", uneven)
array("keyed", "uneven_bins", np.histogram(values, uneven)[0], np.int64)
array("keyed", "digitized", np.digitize(finite, uneven), np.int64)
array("keyed", "digitized_right", np.digitize(finite, uneven, right=True), np.int64)
array("keyed", "finite_values", finite)
array("keyed", "bin_keys", keys, np.int32)
array("keyed", "bin_counts", np.bincount(keys, minlength=50), np.int64)
array("keyed", "sorted_with_nan", sorted_nan)
array("keyed", "sought", np.concatenate([sorted_nan, [-7.0, 0.25, 9.0, np.inf, -np.inf]]))
for side in ("left", "right"):
    sought = np.concatenate([sorted_nan, [-7.0, 0.25, 9.0, np.inf, -np.inf]])
    array("keyed", f"found_{side}", np.searchsorted(sorted_nan, sought, side=side), np.int64)

# Order: many equal values, zeros of both signs, infinities and NaN.
order_rng = np.random.default_rng(6)
unordered = np.concatenate([order_rng.integers(-9, 10, size=140) / 4, [-0.0, 0.0, -0.0, np.inf, -np.inf, np.inf], [np.nan] * 5])
order_rng.shuffle(unordered)
table = order_rng.integers(0, 30, size=(12, 17))

# Order; unordered_table is (12, 17).
array("keyed", "unordered", unordered)
array("keyed", "ordered", np.sort(unordered))
array("keyed", "order_of", np.argsort(unordered, kind="stable"), np.int64)
array("keyed", "descending_order_of", np.argsort(-unordered, kind="stable"), np.int64)
array("keyed", "unordered_table", table, np.int32)
for axis in (0, 1):
    array("keyed", f"ordered_table_{axis}", np.sort(table, axis=axis), np.int32)
    array("keyed", f"order_of_table_{axis}", np.argsort(table, axis=axis, kind="stable"), np.int64)
distinct, first, inverse, counts = np.unique(unordered, return_index=True, return_inverse=True, return_counts=True)
array("keyed", "distinct", distinct)
array("keyed", "distinct_first", first, np.int64)
array("keyed", "distinct_inverse", inverse.ravel(), np.int64)
array("keyed", "distinct_counts", counts, np.int64)
for module, arrays in archives.items():
    np.savez(f"{sys.argv[1]}/{module}/data/numpy.npz", **arrays)
