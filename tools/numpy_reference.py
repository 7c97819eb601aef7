#!/usr/bin/env python3
# SPDX-FileCopyrightText: the Quern authors
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Writes tests/support/numpy_reference.hpp: inputs and what NumPy makes of them. Run it to renew the file:

    python3 tools/numpy_reference.py > tests/support/numpy_reference.hpp
"""
import math
import warnings
from fractions import Fraction

import numpy as np

rng = np.random.default_rng(20260101) if hasattr(np.random, "default_rng") else np.random.RandomState(1)


def number(x):
    if isinstance(x, (bool, np.bool_)):
        return "true" if x else "false"
    if isinstance(x, (int, np.integer)):
        return f"{int(x)}" + ("u" if x >= 2**63 else "")
    if np.isnan(x):
        return "nan"
    if np.isinf(x):
        return "inf" if x > 0 else "-inf"
    return float(x).hex()


def array(name, values, ctype):
    flat = np.asarray(values).ravel(order="C")
    body = ", ".join(number(v) for v in flat)
    print(f"inline const std::vector<{ctype}> {name} = {{{body}}};")


def scalar(name, value, ctype):
    print(f"inline constexpr {ctype} {name} = {number(value)};")


print("// SPDX-FileCopyrightText: the Quern authors")
print("// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception")
print(f"// Written by tools/numpy_reference.py with NumPy {np.__version__}. Do not edit.")
print("#ifndef QUERN_TESTS_SUPPORT_NUMPY_REFERENCE_HPP")
print("#define QUERN_TESTS_SUPPORT_NUMPY_REFERENCE_HPP\n")
print("#include <cstdint>\n#include <limits>\n#include <vector>\n")
print("namespace numpy_reference {\n")
print("inline constexpr double nan = std::numeric_limits<double>::quiet_NaN();")
print("inline constexpr double inf = std::numeric_limits<double>::infinity();\n")

# Broadcasting: (3, 1, 5) with (4, 1) gives (3, 4, 5).
a = rng.normal(size=(3, 1, 5))
b = rng.normal(size=(4, 1))
print("// a (3, 1, 5), b (4, 1)")
array("a", a, "double")
array("b", b, "double")
array("a_plus_b", a + b, "double")
array("a_minus_b", a - b, "double")
array("a_times_b", a * b, "double")
array("a_over_b", a / b, "double")
array("where_a_positive", np.where(a > 0, a, b), "double")

i = rng.integers(-9, 10, size=7)
j = rng.integers(1, 5, size=7)
print("\n// integers of length 7")
array("i", i, "std::int32_t")
array("j", j, "std::int32_t")
array("i_over_j", i / j, "double")

print("\n// reductions of 11 x 13 numbers with mean 1000")
x = rng.normal(loc=1000, size=(11, 13))
y = rng.normal(size=(11, 13))
array("x", x, "double")
array("y", y, "double")
for name, v in (("sum", x.sum()), ("mean", x.mean()), ("var", x.var()), ("std", x.std()), ("min", x.min()),
                ("max", x.max()), ("norm", np.linalg.norm(x)), ("dot", np.vdot(x, y)),
                ("prod", np.prod(y))):
    scalar(f"x_{name}" if name != "prod" else "y_prod", v, "double")

print("\n// quantiles of x, of each way to interpolate, and of its rows")
quantile_q = np.array([0, 0.1, 0.25, 0.3, 0.5, 0.75, 0.99, 1, 3.5 / 142, 4.5 / 142])
array("quantile_q", quantile_q, "double")
for way in ("linear", "lower", "higher", "midpoint", "nearest"):
    array(f"x_quantile_{way}", np.quantile(x, quantile_q, method=way), "double")
array("x_quantiles_of_rows", np.quantile(x, [0.25, 0.9, 0], axis=1), "double")

print("\n// small integers, whose sums and products wrap around in 64 bits")
u8 = rng.integers(0, 256, size=50).astype(np.uint8)
i8 = rng.integers(-128, 128, size=50).astype(np.int8)
array("u8", u8, "std::uint8_t")
array("i8", i8, "std::int8_t")
scalar("u8_sum", u8.sum(), "std::uint64_t")
scalar("i8_sum", i8.sum(), "std::int64_t")
scalar("i8_prod", i8[i8 != 0][:20].prod(), "std::int64_t")
array("i8_nonzero", i8[i8 != 0][:20], "std::int8_t")
scalar("i8_mean", i8.mean(), "double")
scalar("i8_var", i8.var(), "double")
scalar("i8_median", np.median(i8), "double")
scalar("i8_nonzeros", np.count_nonzero(i8), "std::int64_t")

print("\n// NaN and infinity")
with np.errstate(all="ignore"):
    w = np.array([1.0, np.nan, -np.inf, 3.0])
    v = np.array([1.0, np.inf, 3.0])
    for name, z in (("nan", w), ("inf", v)):
        array(f"with_{name}", z, "double")
        for f in ("sum", "mean", "var", "min", "max"):
            scalar(f"{name}_{f}", getattr(z, f)(), "double")
        scalar(f"{name}_median", np.median(z), "double")
        scalar(f"{name}_all", bool(z.all()), "bool")
        scalar(f"{name}_any", bool(z.any()), "bool")

    scalar("nan_nanmedian", np.nanmedian(w), "double")
    scalar("nan_nanquantile", np.nanquantile(w, 0.8), "double")

print("\n// reductions along axes of 3 x 4 x 5 numbers, some of them NaN in t_nan, one line of which is nothing else")
t = np.round(rng.normal(size=(3, 4, 5)), 1)
t_nan = np.where(rng.random(size=t.shape) < 0.3, np.nan, t)
t_nan[1, :, 2] = np.nan
t_nan[2] = t[2]
ties = rng.integers(0, 3, size=(6, 7))
array("t", t, "double")
array("t_nan", t_nan, "double")
array("ties", ties, "std::int32_t")
array("ties_argmax_0", ties.argmax(axis=0), "std::int64_t")
array("ties_argmin_1", ties.argmin(axis=1), "std::int64_t")
scalar("ties_argmax", ties.argmax(), "std::int64_t")
array("t_sum_1", t.sum(axis=1), "double")
array("t_prod_02", t.prod(axis=(0, 2)), "double")
array("t_min_0", t.min(axis=0), "double")
array("t_max_2", t.max(axis=2), "double")
array("t_mean_12", t.mean(axis=(1, 2)), "double")
array("t_var_1_ddof_1", t.var(axis=1, ddof=1), "double")
array("t_std_0_ddof_2", t.std(axis=0, ddof=2), "double")
array("t_norm_1_axis_2", np.linalg.norm(t, ord=1, axis=2), "double")
array("t_norm_2_axis_1", np.linalg.norm(t, axis=1), "double")
array("t_norm_inf_axis_0", np.linalg.norm(t, ord=np.inf, axis=0), "double")
array("t_dot_1", (t * t[::-1]).sum(axis=1), "double")
array("t_count_1", np.count_nonzero(t > 0, axis=1), "std::int64_t")
array("t_argmax_1", t.argmax(axis=1), "std::int64_t")
array("t_nan_argmax_1", t_nan.argmax(axis=1), "std::int64_t")
array("t_nan_argmin_0", t_nan.argmin(axis=0), "std::int64_t")
with np.errstate(all="ignore"), warnings.catch_warnings():
    warnings.simplefilter("ignore")
    array("t_nansum_1", np.nansum(t_nan, axis=1), "double")
    array("t_nanmean_1", np.nanmean(t_nan, axis=1), "double")
    array("t_nanvar_1", np.nanvar(t_nan, axis=1), "double")
    array("t_nanvar_1_ddof_1", np.nanvar(t_nan, axis=1, ddof=1), "double")
    array("t_nanmin_1", np.nanmin(t_nan, axis=1), "double")
    array("t_nanmax_1", np.nanmax(t_nan, axis=1), "double")
    array("t_nanargmax_0", np.nanargmax(t_nan, axis=0), "std::int64_t")
    array("t_nanargmin_2", np.nanargmin(t_nan, axis=2), "std::int64_t")
    array("t_nancount_1", np.count_nonzero(~np.isnan(t_nan), axis=1), "std::int64_t")

print("\n// scans of t, and with NaN")
array("t_cumsum", t.cumsum(), "double")
array("t_cumsum_0", t.cumsum(axis=0), "double")
array("t_cumsum_1", t.cumsum(axis=1), "double")
array("t_cumsum_2", t.cumsum(axis=2), "double")
array("t_cumprod_1", t.cumprod(axis=1), "double")
array("t_nan_cumsum_1", t_nan.cumsum(axis=1), "double")


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


print("\n// reproducible sums of n values: sum, mean, dot with the next value, norm, variance; see the generator")
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
    array(name, frozen, "double")
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
print("\n// histograms from low to high with 37 bins, or between edges; searches")
scalar("bins_low", low, "double")
scalar("bins_high", high, "double")
array("binned", values, "double")
array("binned_weights", value_weights, "double")
array("equal_bins", np.histogram(values, count, (low, high))[0], "std::int64_t")
array("equal_bins_weighted", np.histogram(values, count, (low, high), weights=value_weights)[0], "double")
array("uneven_edges", uneven, "double")
array("uneven_bins", np.histogram(values, uneven)[0], "std::int64_t")
array("digitized", np.digitize(finite, uneven), "std::int64_t")
array("digitized_right", np.digitize(finite, uneven, right=True), "std::int64_t")
array("finite_values", finite, "double")
array("bin_keys", keys, "std::int32_t")
array("bin_counts", np.bincount(keys, minlength=50), "std::int64_t")
array("sorted_with_nan", sorted_nan, "double")
array("sought", np.concatenate([sorted_nan, [-7.0, 0.25, 9.0, np.inf, -np.inf]]), "double")
for side in ("left", "right"):
    sought = np.concatenate([sorted_nan, [-7.0, 0.25, 9.0, np.inf, -np.inf]])
    array(f"found_{side}", np.searchsorted(sorted_nan, sought, side=side), "std::int64_t")

# Order: many equal values, zeros of both signs, infinities and NaN.
order_rng = np.random.default_rng(6)
unordered = np.concatenate([order_rng.integers(-9, 10, size=140) / 4, [-0.0, 0.0, -0.0, np.inf, -np.inf, np.inf], [np.nan] * 5])
order_rng.shuffle(unordered)
table = order_rng.integers(0, 30, size=(12, 17))
print("\n// order; unordered_table is (12, 17)")
array("unordered", unordered, "double")
array("ordered", np.sort(unordered), "double")
array("order_of", np.argsort(unordered, kind="stable"), "std::int64_t")
array("descending_order_of", np.argsort(-unordered, kind="stable"), "std::int64_t")
array("unordered_table", table, "std::int32_t")
for axis in (0, 1):
    array(f"ordered_table_{axis}", np.sort(table, axis=axis), "std::int32_t")
    array(f"order_of_table_{axis}", np.argsort(table, axis=axis, kind="stable"), "std::int64_t")
distinct, first, inverse, counts = np.unique(unordered, return_index=True, return_inverse=True, return_counts=True)
array("distinct", distinct, "double")
array("distinct_first", first, "std::int64_t")
array("distinct_inverse", inverse.ravel(), "std::int64_t")
array("distinct_counts", counts, "std::int64_t")
print("\n}  // namespace numpy_reference\n\n#endif")
