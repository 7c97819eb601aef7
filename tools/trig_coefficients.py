#!/usr/bin/env python3
# SPDX-FileCopyrightText: the Quern authors
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Prints the constants of include/quern/map/math.hpp: near-minimax polynomials for sine and cosine on [-pi/4, pi/4],
and for sine on [-pi/2, pi/2] (interpolation at Chebyshev nodes in 60 digits), and pi/2 in parts."""
import mpmath as mp

mp.mp.dps = 60


def polynomial(f, terms, reach=mp.pi / 4):
    """Coefficients c of f(s) ~ c[0] + c[1] s + ... for s = r^2 on [0, reach^2], and the largest error."""
    end = reach**2
    nodes = [end / 2 * (1 + mp.cos(mp.pi * (2 * k + 1) / (2 * terms))) for k in range(terms)]
    matrix = mp.matrix(terms, terms)
    right = mp.matrix(terms, 1)
    for i, s in enumerate(nodes):
        right[i] = f(s)
        for j in range(terms):
            matrix[i, j] = s**j
    c = list(mp.lu_solve(matrix, right))
    grid = [end * k / 1000 for k in range(1, 1001)]
    return c, max(abs(mp.polyval(c[::-1], s) - f(s)) for s in grid)


def sin_tail(s):  # (sin(r) - r) / r^3
    r = mp.sqrt(s)
    return (mp.sin(r) - r) / r**3


def cos_tail(s):  # (cos(r) - 1 + r^2/2) / r^4
    r = mp.sqrt(s)
    return (mp.cos(r) - 1 + s / 2) / s**2


def split_half_pi(bits):
    """pi/2 as a sum of doubles, all but the last with the given number of significant bits."""
    rest, parts = mp.pi / 2, []
    for b in bits:
        exponent = mp.floor(mp.log(abs(rest), 2)) + 1
        unit = mp.mpf(2) ** (exponent - b)
        part = mp.floor(rest / unit) * unit
        parts.append(part)
        rest -= part
    return parts + [rest]


for name, terms_sin, terms_cos in (("double", 6, 6), ("float", 3, 3)):
    for label, f, n in (("sin", sin_tail, terms_sin), ("cos", cos_tail, terms_cos)):
        c, error = polynomial(f, n)
        print(name, label, "error", mp.nstr(error, 3), ", ".join(mp.nstr(x, 18) for x in c))
for name, terms in (("double", 8), ("float", 5)):
    c, error = polynomial(sin_tail, terms, mp.pi / 2)
    print(name, "sin to pi/2 error", mp.nstr(error, 3), ", ".join(mp.nstr(x, 18) for x in c))
print("2/pi", mp.nstr(2 / mp.pi, 20), "1/pi", mp.nstr(1 / mp.pi, 20))
print("pi/2 in 28-bit parts", ", ".join(float(p).hex() for p in split_half_pi([28, 28, 28])))
print("pi/2 in three doubles", ", ".join(float(p).hex() for p in split_half_pi([53, 53])))
print("pi/2 in three floats", ", ".join(float(p).hex() for p in split_half_pi([24, 24, 24])[:3]))
