#!/usr/bin/env python3
# SPDX-FileCopyrightText: the Quern authors
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Writes tests/install/heat.npy, a field of small binary fractions, whose steps are exact, and heat.regex, which the table matches that
examples/02_heat3d writes of three steps from it: means and deviations to twelve digits.

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


def digits(v):
    text = f"{v:.16f}"
    assert text[14:17] not in ("000", "999")  # which rounding may carry over
    return text[:14].replace(".", "[.]") + "[0-9]*"


with open(f"{sys.argv[1]}/install/heat.regex", "w") as out:
    print("plane,count,mean,stddev,min,max", file=out)
    for number, x in enumerate(planes):
        ends = (str(float(v)).replace(".", "[.]") for v in (x.min(), x.max()))
        print(number, x.size, digits(x.mean()), digits(x.std()), *ends, sep=",", file=out)
