#!/usr/bin/env python3
# SPDX-FileCopyrightText: the Quern authors
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Writes tests/autodiff/data/derivatives.npz: elementary functions and their derivatives, by differences that
mpmath computes with 600 digits, at ordinary points and beside special ones. Run it to renew the file:

    python3 tools/autodiff_reference.py tests/autodiff/data/derivatives.npz

Of a function of one number, an array has the rows x, f, f', f'', f'''; of one of two numbers, x, y, f, the derivatives by
x and y, and those by x twice, by both, and by y twice. All points are numbers of float32 that are also numbers of
float64, or of float64 alone; a value beyond the range of float64 is infinite.
"""
import sys

import mpmath as mp
import numpy as np

mp.mp.dps = 600

line = [-9.5, -3.7, -1.25, -0.5, -1e-2, -1e-6, -1e-20, 1e-30, 1e-8, 1e-3, 0.3, 1.0, 2.2, 9.5]
positive = [1e-30, 1e-8, 1e-3, 0.3, 1.0, 2.5, 40.0, 1e8, 1e30]
wide = [-1e155, -1e100, -1e-155, 1e-155, 1e100, 1e155]
unit = [-1 + 2.0**-20, -0.9, -0.3, -1e-3, -1e-6, -1e-20, 1e-30, 1e-12, 1e-4, 0.01, 0.5, 0.99, 1 - 2.0**-23, 1 - 2.0**-50]
above = [1 + 2.0**-50, 1 + 2.0**-22, 1.01, 2.0, 30.0, 1e10, 1e100, 1e155]
gamma = [-20.3, -2.5, -1.9921875, -1.0078125, -0.9921875, -0.3, -1e-3, -1e-8, -1e-20, 1e-20, 1e-8, 1e-3, 0.2, 0.5, 1.0,
         1.5, 4.0, 9.875, 12.5, 30.0]
one = {
    "abs": (mp.fabs, line),
    "exp": (mp.exp, line + [-700.0, 700.0]),
    "exp2": (lambda x: mp.mpf(2) ** x, line),
    "expm1": (mp.expm1, line + [-700.0, 700.0]),
    "log": (mp.log, positive + [1e-155, 1e155]),
    "log10": (mp.log10, positive),
    "log2": (lambda x: mp.log(x) / mp.log(2), positive),
    "log1p": (mp.log1p, positive + [-1 + 2.0**-20, -0.5, -1e-8, -1e-30, 1e155]),
    "sqrt": (mp.sqrt, positive + [1e-155, 1e155]),
    "rsqrt": (lambda x: 1 / mp.sqrt(x), positive + [1e-100, 1e155]),
    "cbrt": (lambda x: mp.sign(x) * mp.cbrt(abs(x)), positive + [-8.0, -1e-10, 1e-155, 1e155]),
    "sin": (mp.sin, line),
    "cos": (mp.cos, line),
    "tan": (mp.tan, line),
    "asin": (mp.asin, unit),
    "acos": (mp.acos, unit),
    "atan": (mp.atan, line + wide),
    "sinh": (mp.sinh, line + [-80.0, 80.0, 700.0]),
    "cosh": (mp.cosh, line + [-80.0, 80.0, 700.0]),
    "tanh": (mp.tanh, line + [-20.0, 40.0, 400.0, -800.0]),
    "asinh": (mp.asinh, line + wide),
    "acosh": (mp.acosh, above),
    "atanh": (mp.atanh, unit),
    "erf": (mp.erf, line + [-3.3, 4.7, 9.0, 26.0, 1e3]),
    "erfc": (mp.erfc, line + [-3.3, 4.7, 9.0, 26.0, 1e3]),
    "tgamma": (mp.gamma, gamma),
    "lgamma": (lambda x: mp.log(abs(mp.gamma(x))), gamma + [1e6]),
}
plane = [(a, b) for a in (-2.6, -0.3, 1e-8, 0.4, 3.3) for b in (-2.9, -3e-8, 0.7, 2.9)]
far = [(3e155, 4e155), (1.0, 1e155), (1e155, 1.0), (3e-155, 4e-155), (1e-155, 1.0), (1.0, 1e-20), (1e-20, -1.0)]
two = {
    "pow": (lambda x, y: x**y, [(a, b) for a in (1e-8, 0.2, 1.0, 1.7, 40.0) for b in (-2.5, -1.0, 0.0, 0.5, 1.0, 2.0, 3.7)]),
    "atan2": (mp.atan2, plane + far),
    "hypot": (lambda x, y: mp.sqrt(x * x + y * y), plane + far),
    "divide": (lambda x, y: x / y, plane + [(1e155, 1e-100), (1.0, 1e155), (1e-155, 1e-100)]),
    "multiply": (lambda x, y: x * y, plane + far),
}
# At negative bases only derivatives by the base exist.
base = {
    "pow_m2": (lambda x: x**-2, [-3.5, -0.3, -1e-8, 1e-100]),
    "pow_2": (lambda x: x**2, [-3.5, -1e-8, 1e-155, 1e155]),
    "pow_3": (lambda x: x**3, [-3.5, -1e-8, 1e-100, 1e100]),
    "pow_7": (lambda x: x**7, [-3.5, -0.3]),
}


def rounded(x):
    """As float32 where that is close, so that tests of both types have the point."""
    single = float(np.float32(x)) if 1e-37 < abs(x) < 1e38 else x
    return single if abs(single - x) <= 1e-6 * abs(x) and abs(abs(x) - 1) > 1e-6 or x == 1 else x


def number(v):
    v = mp.mpf(v.real) if isinstance(v, mp.mpc) else v
    return float(v)


def step(x):
    """Small beside the distance to any special point, and large beside the last of the digits."""
    return abs(mp.mpf(x)) * mp.mpf(10) ** -40


def taylor(f, x):
    x, h = mp.mpf(x), step(x)
    low, before, at, after, high = (f(x + k * h) for k in (-2, -1, 0, 1, 2))
    first, second = (after - before) / (2 * h), (after - 2 * at + before) / h**2
    return [number(v) for v in (at, first, second, (high - 2 * after + 2 * before - low) / (2 * h**3))]


def partials(f, x, y):
    x, y, hx, hy = mp.mpf(x), mp.mpf(y), step(x), step(y) if y else mp.mpf(10) ** -40
    at = lambda i, j: f(x + i * hx, y + j * hy)  # noqa: E731
    by_x, by_y = (at(1, 0) - at(-1, 0)) / (2 * hx), (at(0, 1) - at(0, -1)) / (2 * hy)
    by_xx = (at(1, 0) - 2 * at(0, 0) + at(-1, 0)) / hx**2
    by_yy = (at(0, 1) - 2 * at(0, 0) + at(0, -1)) / hy**2
    by_xy = (at(1, 1) - at(1, -1) - at(-1, 1) + at(-1, -1)) / (4 * hx * hy)
    return [number(v) for v in (at(0, 0), by_x, by_y, by_xx, by_xy, by_yy)]


arrays = {}
for name, (f, points) in {**one, **base}.items():
    points = [rounded(p) for p in points]
    arrays[name] = np.array([[p] + taylor(f, p) for p in points])
for name, (f, points) in two.items():
    points = [(rounded(a), rounded(b)) for a, b in points]
    arrays[name] = np.array([[a, b] + partials(f, a, b) for a, b in points])
np.savez(sys.argv[1], **arrays)
