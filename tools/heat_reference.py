#!/usr/bin/env python3
# SPDX-FileCopyrightText: the Quern authors
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Writes tests/install/heat.npy, a field of small binary fractions, and heat.csv, which examples/02_heat3d writes of three steps from it: all is exact.

    python3 tools/heat_reference.py tests
"""
import sys

import numpy as np

u = np.random.default_rng(47).integers(0, 16, (5, 4, 4)) / 16
np.save(f"{sys.argv[1]}/install/heat.npy", u)
states = [u]
for _ in range(3):
    p = np.pad(u, 1, mode="symmetric")
    around = p[:-2, 1:-1, 1:-1] + p[2:, 1:-1, 1:-1] + p[1:-1, :-2, 1:-1] + p[1:-1, 2:, 1:-1] + p[1:-1, 1:-1, :-2] + p[1:-1, 1:-1, 2:]
    states.append(u := u + 0.125 * (around - 6 * u))
planes = np.moveaxis(states, 1, 0).reshape(5, -1)
with open(f"{sys.argv[1]}/install/heat.csv", "w") as out:
    print("plane,count,mean,stddev,min,max", file=out)
    for number, x in enumerate(planes):
        print(number, x.size, *(float(v) for v in (x.mean(), x.std(), x.min(), x.max())), sep=",", file=out)
