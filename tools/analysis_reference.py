#!/usr/bin/env python3
# SPDX-FileCopyrightText: the Quern authors
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Writes tests/analysis/data/kmeans.npz: points, first centres, and what scikit-learn's KMeans makes of them; and tests/particles/data/knn.npz: the nearest points of
queries by its NearestNeighbors, with SciPy's distances. The versions stand in the files:

    python3 tools/analysis_reference.py tests
"""
import sys
import warnings

import numpy as np
import scipy
import sklearn
from scipy.spatial.distance import cdist
from sklearn.cluster import KMeans
from sklearn.neighbors import NearestNeighbors

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

# In few and many dimensions; extents around those of tiles; all points; so many that lists of cells find them.
arrays = {"versions": np.frombuffer(f"SciPy {scipy.__version__}, scikit-learn {sklearn.__version__}".encode(), np.uint8)}
NEAREST = ((70, 300, 5, 7, "euclidean"), (33, 200, 17, 10, "cosine"), (65, 129, 16, 129, "euclidean"), (5, 90, 1, 3, "euclidean"), (1, 1, 9, 1, "cosine"),
           (257, 511, 33, 12, "cosine"), (40, 1500, 3, 6, "euclidean"), (3, 257, 64, 40, "euclidean"))
for m, n, d, k, metric in NEAREST:
    name, points, queries = f"{m} {n} {d} {k} {metric}", rng.normal(0.3, 1, (n, d)).astype(np.float32), rng.normal(0.2, 1, (m, d)).astype(np.float32)
    arrays[f"{name}/points"], arrays[f"{name}/queries"] = points, queries
    exact = points.astype(float), queries.astype(float)
    nearest = NearestNeighbors(n_neighbors=k, metric=metric, algorithm="brute").fit(exact[0]).kneighbors(exact[1], return_distance=False)
    arrays[f"{name}/neighbors"] = nearest.astype(np.int32)
    arrays[f"{name}/distances"] = np.take_along_axis(cdist(exact[1], exact[0], metric), nearest, 1)

np.savez(f"{sys.argv[1]}/particles/data/knn.npz", **arrays)
