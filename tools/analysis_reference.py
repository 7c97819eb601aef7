#!/usr/bin/env python3
# SPDX-FileCopyrightText: the Quern authors
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Writes tests/analysis/data/kmeans.npz: points, first centres, and what scikit-learn's KMeans makes of them. The versions stand in the file:

    python3 tools/analysis_reference.py tests
"""
import sys
import warnings

import numpy as np
import sklearn
from sklearn.cluster import KMeans

warnings.simplefilter("ignore")  # of fewer points that differ than clusters
rng = np.random.default_rng(20261129)
arrays = {"versions": np.frombuffer(f"NumPy {np.__version__}, scikit-learn {sklearn.__version__}".encode(), np.uint8)}


def rounded(x):
    """Multiples of 2^-10, which floats hold."""
    return np.floor(np.asarray(x) * 1024) / 1024


def blobs(n, d, k):
    return rounded(rng.normal(0, 4, (k, d))[rng.integers(0, k, n)] + rng.normal(0, 0.7, (n, d)))


# Extents around those of tiles and parts; far from the origin; clusters that are empty at first; points that are equal, few, one.
CASES = {f"{n} {d} {k}": (p := blobs(n, d, max(2, k // 2)), p[rng.permutation(n)[:k]])
         for n, d, k in ((300, 2, 5), (100, 1, 3), (257, 16, 16), (255, 17, 9), (129, 33, 17), (1100, 3, 65), (2100, 2, 64), (64, 15, 63), (1025, 1, 2))}
p = blobs(400, 3, 4)
CASES["far"] = p + 4096, p[:4] + 4096
CASES["empty"] = p, np.concatenate([p[:3], [[500, 500, 500]]])
CASES["two empty"] = p, np.concatenate([[[500, 500, 500]], p[:4], [[-400, 900, 0]]])
CASES["equal"] = np.full((20, 2), 3.0), np.array([[3.0, 3], [3, 3], [4, 4]])
CASES["all"] = p[:16], p[:16][::-1]
CASES["one"] = p[:1], p[1:2]
for name, (points, initial) in CASES.items():
    arrays[f"{name}/points"], arrays[f"{name}/initial"] = points.astype(np.float32), np.ascontiguousarray(initial, np.float32)
    for limit, tolerance in ((300, 1e-4), (2, 0)):
        found = KMeans(len(initial), init=initial, n_init=1, max_iter=limit, tol=tolerance).fit(points)
        arrays[f"{name}/centers {limit}"], arrays[f"{name}/labels {limit}"] = found.cluster_centers_, found.labels_.astype(np.int32)
        arrays[f"{name}/inertia {limit}"], arrays[f"{name}/iterations {limit}"] = np.float64(found.inertia_), np.int64(found.n_iter_)

np.savez(f"{sys.argv[1]}/analysis/data/kmeans.npz", **arrays)
