#!/usr/bin/env python3
# SPDX-FileCopyrightText: the Quern authors
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Writes tests/map/data/functions.npz and tests/reduce/data/functions.npz: what NumPy makes of ranges, matrices, limits, choices,
differences and reductions that skip NaN. NumPy's version stands in the files:

    python3 tools/numpy_functions.py tests
"""
import sys
import warnings

import numpy as np

warnings.simplefilter("ignore")
rng = np.random.default_rng(20260402)
version = np.frombuffer(np.__version__.encode(), np.uint8)
archives = {"map": {"numpy_version": version}, "reduce": {"numpy_version": version}}


def keep(name, values, kind=None, module="map"):
    values = np.array(values, dtype=kind, order="C")
    archives[module][name] = values.view(np.uint8) if values.dtype == bool else values


# Ranges: lengths and values by the rule of their type.
for name, arguments, kind in (("to_7", (7,), np.int64), ("from_2_to_7", (2, 7), np.int32), ("down", (5, -6, -3), np.int8),
                              ("none", (3, 3), np.float64), ("backwards", (3, 9, -1), np.float64),
                              ("tenths", (0, 1, 0.1), np.float64), ("one_more", (1, 1.3, 0.1), np.float64),
                              ("floats", (-1.5, 2.2, 0.3), np.float32), ("truncated", (0.5, 5, 1.5), np.int64),
                              ("large", (2**62, 2**62 + 9, 4), np.int64), ("unsigned", (2**63, 2**63 + 7, 3), np.uint64)):
    keep(f"arange_{name}", np.arange(*arguments, dtype=kind), kind)
for name, arguments, ways in (("eleven", (-1, 2.3, 11), {}), ("open", (-1, 2.3, 11), {"endpoint": False}), ("one", (3, 9, 1), {}),
                              ("one_open", (3, 9, 1), {"endpoint": False}), ("none", (3, 9, 0), {}), ("down", (5, -5, 7), {}),
                              ("equal", (4, 4, 5), {}), ("third", (0, 1 / 3, 50), {}), ("tiny", (0, 5e-324, 5), {})):
    keep(f"linspace_{name}", np.linspace(*arguments, **ways))
keep("linspace_integers", np.linspace(-3, 4, 9, dtype=np.int64))
keep("linspace_floats", np.linspace(-1, 2.3, 11, dtype=np.float32))
keep("linspace_complex", np.linspace(1 + 2j, -3j, 5))
keep("logspace", np.logspace(-2, 3, 9))
keep("logspace_2_open", np.logspace(0, 5, 6, base=2, endpoint=False))
keep("geomspace", np.geomspace(1e-3, 250, 8))
keep("geomspace_negative", np.geomspace(-7, -0.5, 5))
keep("geomspace_open", np.geomspace(1, 1000, 4, endpoint=False))

# Matrices by places, of which some have more rows than columns.
for k in (-2, 0, 3):
    keep(f"eye_{k}", np.eye(4, 6, k), np.float64)
batch = np.round(rng.normal(size=(2, 5, 4)), 3)
keep("batch", batch)
for k in (-1, 0, 2):
    keep(f"tril_{k}", np.tril(batch, k))
    keep(f"triu_{k}", np.triu(batch, k))
lines = [np.array([1.0, 2.0, 3.0]), np.array([10.0, 20.0]), np.array([5.0, 6.0, 7.0, 8.0])]
for order in ("xy", "ij"):
    for number, values in enumerate(np.meshgrid(*lines, indexing=order)):
        keep(f"grid_{order}_{number}", values)
    for number, values in enumerate(np.meshgrid(*lines[:2], indexing=order)):
        keep(f"grid_{order}_of_two_{number}", values)

# Limits, replacements and closeness, with NaN and infinities everywhere.
special = np.array([np.nan, np.inf, -np.inf, 0.0, -0.0, 1.5, -2.5, 1e300])
x, low = (v.ravel() for v in np.meshgrid(special, special))
high = np.roll(low, 3)
keep("x", x)
keep("low", low)
keep("high", high)
keep("clipped", np.clip(x, low, high))
keep("clipped_by_scalars", np.clip(x, -1.0, 1.25))
keep("numbers", np.nan_to_num(x))
keep("replaced", np.nan_to_num(x, nan=7.0, posinf=1e9, neginf=-1e9))
keep("float_numbers", np.nan_to_num(x.astype(np.float32)))
near = np.concatenate([x, [1.0, 1.0, 1e-9, 1e10, 100.0]])
nearly = np.concatenate([low, [1.00001, 1.0001, 0.0, 1.00001e10, 100.1]])
keep("near", near)
keep("nearly", nearly)
keep("close", np.isclose(near, nearly))
keep("close_with_nan", np.isclose(near, nearly, equal_nan=True))
keep("closer", np.isclose(near, nearly, rtol=1e-3, atol=0))

# Choices and differences.
a = np.round(rng.normal(size=(3, 7)), 2)
keep("a", a)
keep("selected", np.select([a < -0.5, a < 0.5], [a * 10, -a], 42.0))
keep("selected_or_0", np.select([a < -0.5, a > 0.5], [a * 10, -a]))
keep("pieces", np.piecewise(a, [a < 0.5, a < -0.5], [lambda v: v * 2, lambda v: -v, 9.0]))
keep("pieces_or_0", np.piecewise(a, [a < -0.5], [lambda v: v * 2]))
for axis in (0, 1):
    keep(f"diff_{axis}", np.diff(a, axis=axis))
small = np.array([100, -100, 127, -128, 0], np.int8)
keep("small", small)
keep("small_diff", np.diff(small))
keep("small_diff_unsigned", np.diff(small.astype(np.uint8)))
keep("flags_diff", np.diff(np.array([True, True, False, True])))

# Several arrays in one.
b = np.round(rng.normal(size=(2, 7)), 2).astype(np.float32)
c = np.round(rng.normal(size=(3, 2)), 2)
keep("b", b)
keep("c", c)
keep("a_b", np.concatenate([a, b]))
keep("c_a_1", np.concatenate([c, a], axis=-1))
keep("a_a_a", np.concatenate([a, a, a], axis=0))
for axis in range(3):
    keep(f"stack_{axis}", np.stack([a, -a], axis=axis))

# Reductions that skip NaN, of the array that tests/reduce/data/numpy.npz has.
t_nan = np.load(f"{sys.argv[1]}/reduce/data/numpy.npz")["t_nan"]
t = np.load(f"{sys.argv[1]}/reduce/data/numpy.npz")["t"]
keep("t_nanstd_1", np.nanstd(t_nan, axis=1), module="reduce")
keep("t_nanstd_1_ddof_1", np.nanstd(t_nan, axis=1, ddof=1), module="reduce")
keep("t_nanprod_1", np.nanprod(t_nan, axis=1), module="reduce")
keep("t_ptp_1", np.ptp(t, axis=1), module="reduce")
keep("t_nan_ptp_0", np.ptp(t_nan, axis=0), module="reduce")
keep("t_nancumsum_1", np.nancumsum(t_nan, axis=1), module="reduce")
keep("t_nancumprod_1", np.nancumprod(t_nan, axis=1), module="reduce")
keep("small_ptp", np.ptp(small), module="reduce")
for module, arrays in archives.items():
    np.savez(f"{sys.argv[1]}/{module}/data/functions.npz", **arrays)
