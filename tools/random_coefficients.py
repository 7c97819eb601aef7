#!/usr/bin/env python3
# SPDX-FileCopyrightText: the Quern authors
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Prints the constants of include/quern/random/elementary.hpp: near-minimax polynomials by interpolation at Chebyshev
nodes in 60 digits, and the largest error of each."""
import mpmath as mp

mp.mp.dps = 60


def polynomial(f, low, high, terms):
    """Coefficients c of f(x) ~ c[0] + c[1] x + ... on [low, high], and the largest error."""
    middle, half = (low + high) / 2, (high - low) / 2
    nodes = [middle + half * mp.cos(mp.pi * (2 * k + 1) / (2 * terms)) for k in range(terms)]
    matrix = mp.matrix(terms, terms)
    right = mp.matrix(terms, 1)
    for i, x in enumerate(nodes):
        right[i] = f(x)
        for j in range(terms):
            matrix[i, j] = x**j
    c = list(mp.lu_solve(matrix, right))
    grid = [low + (high - low) * k / 1000 for k in range(1, 1000)]
    return c, max(abs(mp.polyval(c[::-1], x) - f(x)) for x in grid)


def log_tail(x):  # (log(1 + x) - x) / x^2
    return (mp.log(1 + x) - x) / x**2 if abs(x) > mp.mpf("1e-25") else mp.mpf(-1) / 2


def sin_quarter(s):  # sin(pi/2 t) / t with s = t^2
    t = mp.sqrt(s)
    return mp.sin(mp.pi / 2 * t) / t if t else mp.pi / 2


def cos_quarter(s):
    return mp.cos(mp.pi / 2 * mp.sqrt(s))


def exp_tail(x):  # (exp(x) - 1 - x) / x^2
    return (mp.exp(x) - 1 - x) / x**2 if abs(x) > mp.mpf("1e-25") else mp.mpf(1) / 2


low, high = mp.sqrt(mp.mpf(1) / 2) - 1, mp.sqrt(2) - 1
half_log = mp.log(2) / 2
for type_, logs, sines, cosines, exps in (("float", 8, 5, 6, 0), ("double", 20, 9, 10, 11)):
    for name, f, a, b, terms in (
        ("log", log_tail, low, high, logs),
        ("sin", sin_quarter, mp.mpf(0), mp.mpf(1), sines),
        ("cos", cos_quarter, mp.mpf(0), mp.mpf(1), cosines),
        ("exp", exp_tail, -half_log, half_log, exps),
    ):
        if terms:
            c, error = polynomial(f, a, b, terms)
            print(type_, name, "error", mp.nstr(error, 3), ", ".join(mp.nstr(x, 18) for x in c))
print("log 2:", mp.nstr(mp.log(2), 20), "without its last 21 bits and the rest:")
high_part = mp.floor(mp.log(2) * 2**32) / 2**32
print(float(high_part).hex(), float(mp.log(2) - high_part).hex())
