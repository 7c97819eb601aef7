#!/usr/bin/env python3
# SPDX-FileCopyrightText: the Quern authors
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Writes tests/particles/data/particles.npz: points, those around each, the distances of the nearest and counts of pairs by SciPy's cKDTree in open and in periodic boxes, and the clusters
that scikit-learn's DBSCAN finds. The versions stand in the file:

    python3 tools/particles_reference.py tests
"""
import sys

import numpy as np
import scipy
import sklearn
from scipy.spatial import cKDTree
from sklearn.cluster import DBSCAN

rng = np.random.default_rng(20261131)
arrays = {"versions": np.frombuffer(f"SciPy {scipy.__version__}, scikit-learn {sklearn.__version__}".encode(), np.uint8)}

# Points on a grid of 2^-10, so that distances of floats and doubles are equal where they are compared with the radius; in boxes of
# [0, 1), some of them in clumps and some equal.
CASES = {"line": (1, 200, 0.004), "plane": (2, 200, 0.05), "space": (3, 240, 0.11), "few cells": (3, 40, 0.45), "two cells": (2, 40, 0.5)}
RADII = np.array([0, 4, 4, 51, 112, 300, 512, 700, 1229]) / 1024  # equal ones, half of the box and more than that
arrays["radii"] = RADII
for name, (rank, n, radius) in CASES.items():
    uniform, clumps = rng.random((n // 2, rank)), rng.normal(0.5, 0.06, (n - n // 2, rank))
    points = np.floor(np.mod(np.concatenate([uniform, clumps]), 1) * 1024) / 1024
    points[5] = points[17]
    points = points[rng.permutation(n)]
    others = np.mod(points[: n // 3] * 0.5 + 0.25, 1)
    others = np.floor(others * 1024) / 1024
    arrays[f"{name}/others"] = others
    arrays[f"{name}/points"], arrays[f"{name}/radius"] = points, np.float64(radius)
    for how, box in (("open", None), ("periodic", 1.0)):
        tree = cKDTree(points, boxsize=box)
        arrays[f"{name}/{how} distances"] = tree.query(points, 7)[0]
        found = tree.query_ball_point(points, radius)
        lists = [sorted(set(near) - {i}) for i, near in enumerate(found)]
        arrays[f"{name}/{how} starts"] = np.cumsum([0] + [len(near) for near in lists]).astype(np.int32)
        counts = tree.count_neighbors(tree, RADII) - n
        between = tree.count_neighbors(cKDTree(others, boxsize=box), RADII)
        separate = tree.count_neighbors(cKDTree(others, boxsize=box), RADII, cumulative=False)
        arrays[f"{name}/{how} pairs"] = np.stack([counts, between, separate]).astype(np.int64)
        arrays[f"{name}/{how} neighbors"] = np.array([j for near in lists for j in near], np.int32)
    for least in (1, 3, 6, n):
        arrays[f"{name}/clusters {least}"] = DBSCAN(eps=radius, min_samples=least).fit(points).labels_.astype(np.int32)

np.savez(f"{sys.argv[1]}/particles/data/particles.npz", **arrays)
