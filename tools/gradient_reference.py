#!/usr/bin/env python3
# SPDX-FileCopyrightText: the Quern authors
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Writes tests/stencil/data/gradient.npz: NumPy's gradient of random arrays on even and uneven grids. NumPy's version stands in the file:

    python3 tools/gradient_reference.py tests
"""
import sys

import numpy as np

rng = np.random.default_rng(20261130)
arrays = {"numpy_version": np.frombuffer(np.__version__.encode(), np.uint8)}
u = {1: rng.normal(size=11), 2: rng.normal(size=(7, 9)), 3: rng.normal(size=(5, 3, 6))}
spacings = {1: [0.5], 2: [0.3, 2.0], 3: [0.3, 2.0, 0.7]}
for rank, values in u.items():
    arrays[f"u{rank}"] = values
    points = [np.cumsum(rng.uniform(0.1, 2.0, n)) for n in values.shape]
    for d, p in enumerate(points): arrays[f"points{rank}_{d}"] = p
    for order in (1, 2):
        even = np.gradient(values, *spacings[rank], edge_order=order)
        uneven = np.gradient(values, *points, edge_order=order)
        if rank == 1: even, uneven = [even], [uneven]
        for d in range(rank):
            arrays[f"even{rank}_{order}_{d}"] = even[d]
            arrays[f"uneven{rank}_{order}_{d}"] = uneven[d]
arrays["integers"] = rng.integers(-50, 50, 8).astype(np.int32)
arrays["of_integers"] = np.gradient(arrays["integers"], 0.25)
arrays["unsigned"] = np.array([200, 3, 0, 255, 7], np.uint8)
arrays["of_unsigned"] = np.gradient(arrays["unsigned"].astype(np.float64), edge_order=2)
arrays["complex"] = rng.normal(size=6) + 1j * rng.normal(size=6)
arrays["of_complex"] = np.gradient(arrays["complex"], arrays["points1_0"][:6], edge_order=2)
arrays["special"] = np.array([1, np.inf, 2, 3, np.nan, 5, 6, 7])
arrays["of_special"] = np.gradient(arrays["special"])
arrays["least"] = np.array([3.0, 4.5])
arrays["of_least"] = np.gradient(arrays["least"], 0.5)
arrays["of_least_points"] = np.gradient(np.array([1.0, 4.0, 2.0]), np.array([0.0, 1.0, 3.0]), edge_order=2)
# More axes; the even ones of each order along all, the others along two.
for rank, shape in {4: (3, 4, 2, 5), 5: (3, 2, 3, 4, 3)}.items():
    values = rng.normal(size=shape)
    arrays[f"u{rank}"] = values
    points = [np.cumsum(rng.uniform(0.1, 2.0, n)) for n in shape]
    for d, g in enumerate(np.gradient(values, *[0.5 + d for d in range(rank)])): arrays[f"even{rank}_1_{d}"] = g
    for d in (0, 3):
        arrays[f"points{rank}_{d}"] = points[d]
        arrays[f"even{rank}_2_{d}"] = np.gradient(values, 0.7, axis=d, edge_order=2)
        arrays[f"uneven{rank}_2_{d}"] = np.gradient(values, points[d], axis=d, edge_order=2)
    arrays[f"points{rank}_1"] = points[1]
    arrays[f"uneven{rank}_1_1"] = np.gradient(values, points[1], axis=1)
np.savez(f"{sys.argv[1]}/stencil/data/gradient.npz", **arrays)
