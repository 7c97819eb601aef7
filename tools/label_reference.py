#!/usr/bin/env python3
# SPDX-FileCopyrightText: the Quern authors
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Writes tests/analysis/data/label.npz: what SciPy's ndimage.label and connected_components make of random masks and graphs. The
version of SciPy stands in the file:

    python3 tools/label_reference.py tests
"""
import sys

import numpy as np
import scipy
from scipy import ndimage, sparse

rng = np.random.default_rng(20261130)
arrays = {"scipy_version": np.frombuffer(scipy.__version__.encode(), np.uint8)}

masks = {"line": rng.random(203) < 0.6, "full": np.ones((5, 70)), "empty": np.zeros((4, 4)),
         "plane": rng.random((41, 67)) < 0.5, "tall": rng.random((90, 3)) < 0.6, "wide": rng.random((3, 301)) < 0.7,
         "volume": rng.random((13, 17, 37)) < 0.28, "dense": rng.random((9, 10, 33)) < 0.6}
# A line that winds through a plane, connected only at its bends.
snake = np.zeros((19, 45))
snake[::2] = 1
snake[1::4, -1] = snake[3::4, 0] = 1
masks["snake"] = snake
for name, mask in masks.items():
    arrays[f"{name}/mask"] = mask.astype(np.uint8)
    for connectivity in range(1, mask.ndim + 1):
        structure = ndimage.generate_binary_structure(mask.ndim, connectivity)
        arrays[f"{name}/{connectivity}"] = ndimage.label(mask, structure)[0].astype(np.int32)
# Cells that are connected across one diagonal, and along the first axis alone.
structures = {"diagonal": [[0, 0, 1], [0, 1, 0], [1, 0, 0]], "upright": [[0, 1, 0]] * 3}
for name, structure in structures.items():
    arrays[f"structure/{name}"] = np.array(structure, np.uint8)
    arrays[f"plane/{name}"] = ndimage.label(masks["plane"], structure)[0].astype(np.int32)

for vertices, edges in ((500, 300), (500, 700), (6, 0), (1, 4)):
    ends = rng.integers(0, vertices, (2, edges))
    graph = sparse.coo_matrix((np.ones(edges), tuple(ends)), shape=(vertices, vertices))
    found = sparse.csgraph.connected_components(graph, directed=False)[1]
    # Numbered as they first occur, whatever the order in which SciPy looks for them.
    first, inverse = np.unique(found, return_index=True, return_inverse=True)[1:]
    arrays[f"graph {vertices} {edges}/ends"] = ends.astype(np.int64)
    arrays[f"graph {vertices} {edges}/components"] = np.argsort(np.argsort(first))[inverse].astype(np.int32)

np.savez(f"{sys.argv[1]}/analysis/data/label.npz", **arrays)
