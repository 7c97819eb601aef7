#!/usr/bin/env python3
# SPDX-FileCopyrightText: the Quern authors
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Writes tests/map/data/elementary.npz: arguments and values of the elementary functions by mpmath, in 1100 digits.

A value is a double and what it leaves of the exact one, in units of its last place, from -0.5 to 0.5: f(f_x) is f + f_rest units, and of
functions of two arguments f(f_x, f_y) is.

    python3 tools/elementary_samples.py tests
"""

import math
import random
import sys

import mpmath as mp
import numpy as np

mp.mp.dps = 1100  # sines of the largest numbers need all digits of pi up to theirs


def rest(value, exact):
    return float((exact - mp.mpf(value)) / mp.mpf(math.ulp(value)))


def everywhere(source):
    return math.ldexp(source.uniform(1, 2), source.randint(-1022, 1022)) * source.choice((-1, 1))


def moderate(source):
    return math.ldexp(source.uniform(1, 2), source.randint(-40, 9)) * source.choice((-1, 1))


def inside(source):
    return source.uniform(-1, 1)


def positive(draw):
    return lambda source: abs(draw(source))


functions = {
    "exp": (mp.exp, lambda s: s.uniform(-745, 709)),
    "exp2": (lambda x: mp.mpf(2) ** x, lambda s: s.uniform(-1074, 1023)),
    "expm1": (mp.expm1, lambda s: s.choice((inside, moderate))(s)),
    "log": (mp.log, positive(everywhere)),
    "log2": (lambda x: mp.log(x, 2), positive(everywhere)),
    "log1p": (mp.log1p, lambda s: s.choice((inside, positive(moderate)))(s)),
    "sin": (mp.sin, lambda s: s.choice((moderate, everywhere))(s)),
    "cos": (mp.cos, lambda s: s.choice((moderate, everywhere))(s)),
    "tan": (mp.tan, lambda s: s.choice((moderate, everywhere))(s)),
    "sinh": (mp.sinh, moderate),
    "cosh": (mp.cosh, moderate),
    "tanh": (mp.tanh, moderate),
    "asin": (mp.asin, inside),
    "acos": (mp.acos, inside),
    "atan": (mp.atan, lambda s: s.choice((moderate, everywhere))(s)),
    "erf": (mp.erf, lambda s: s.uniform(-6, 6)),
    "cbrt": (lambda x: mp.sign(x) * mp.cbrt(abs(x)), everywhere),
}
count = 40
source = random.Random(7)
arrays = {}


def keep(name, f, draw, is_kept):
    arguments, values, rests = [], [], []
    while len(values) < count:
        x = draw(source)
        exact = f(*map(mp.mpf, x))
        if is_kept(exact):
            arguments.append(x)
            values.append(float(exact))
            rests.append(rest(values[-1], exact))
    for axis, numbers in zip("xy", zip(*arguments)):
        arrays[f"{name}_{axis}"] = np.array(numbers)
    arrays[name], arrays[f"{name}_rest"] = np.array(values), np.array(rests)


for name, (f, draw) in functions.items():
    keep(name, f, lambda s: (draw(s),), lambda exact: 0 < abs(float(exact)) < math.inf)
for name, f, draw in (
    ("pow", lambda x, y: x**y, lambda s: (abs(moderate(s)), s.uniform(-300, 300))),
    ("atan2", mp.atan2, lambda s: (moderate(s), moderate(s))),
):
    keep(name, f, draw, lambda exact: 1e-300 < abs(exact) < 1e300)
np.savez(f"{sys.argv[1]}/map/data/elementary.npz", **arrays)
