#!/usr/bin/env python3
# SPDX-FileCopyrightText: the Quern authors
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Writes src/map/coefficients.hpp, the polynomials of the elementary functions (needs mpmath).

Each interpolates a function at Chebyshev nodes, which is within a factor of two of the least possible error. The terms
that a function adds exactly (as 1 + r of exp) are taken out beforehand. The error that is printed is relative to what
the polynomial is multiplied with and added to, in units of 2^-53.

elementary_coefficients.py > src/map/coefficients.hpp
"""

import struct

import mpmath as mp

mp.mp.dps = 60


def interpolate(f, low, high, n):
    """The coefficients of the polynomial of n terms through f at Chebyshev nodes of [low, high]."""
    nodes = [(low + high) / 2 + (high - low) / 2 * mp.cos(mp.pi * (2 * i + 1) / (2 * n)) for i in range(n)]
    matrix = mp.matrix(n, n)
    for i, x in enumerate(nodes):
        for j in range(n):
            matrix[i, j] = x**j
    return [float(c) for c in mp.lu_solve(matrix, mp.matrix([f(x) for x in nodes]))]


def series(f, terms):
    """A function that takes a Taylor series near 0, where f(x) divides by powers of x."""
    coefficients = mp.taylor(f, 0, terms)
    return lambda x: mp.polyval(coefficients[::-1], x)


def write(name, comment, f, low, high, n, weight):
    low, high = mp.mpf(low), mp.mpf(high)
    c = interpolate(f, low, high, n)
    worst = 0
    for i in range(400):
        x = low + (high - low) * (i + mp.mpf(1) / 2) / 400
        worst = max(worst, abs((mp.polyval([mp.mpf(v) for v in c[::-1]], x) - f(x)) * weight(x)))
    print(f"/// {comment}; relative error {mp.nstr(worst * 2**53, 2)} * 2^-53.")
    print(f"inline constexpr double {name}[] = {{{', '.join(v.hex() for v in c)}}};")


def write_float(name, comment, f, low, high, n, weight):
    """As write, for polynomials that are computed in float. Each coefficient is rounded before those of higher terms are
    chosen, which make up for it."""
    low, high = mp.mpf(low), mp.mpf(high)
    m = 4 * n
    nodes = [(low + high) / 2 + (high - low) / 2 * mp.cos(mp.pi * (2 * i + 1) / (2 * m)) for i in range(m)]
    left, c = [f(x) for x in nodes], []
    for k in range(n):
        matrix = mp.matrix(m, n - k)  # least squares, which lu_solve does
        for i, x in enumerate(nodes):
            for j in range(k, n):
                matrix[i, j - k] = x**j * weight(x)
        right = mp.matrix([v * weight(x) for v, x in zip(left, nodes)])
        c.append(struct.unpack("f", struct.pack("f", float(mp.lu_solve(matrix, right)[0])))[0])
        left = [v - c[-1] * x**k for v, x in zip(left, nodes)]
    worst = 0
    for i in range(400):
        x = low + (high - low) * (i + mp.mpf(1) / 2) / 400
        worst = max(worst, abs((mp.polyval([mp.mpf(v) for v in c[::-1]], x) - f(x)) * weight(x)))
    print(f"/// {comment}; relative error {mp.nstr(worst * 2**24, 2)} * 2^-24.")
    print(f"inline constexpr float {name}[] = {{{', '.join(v.hex() + 'f' for v in c)}}};")


def round_to(x, unit):
    return mp.nint(x / unit) * unit


def table(name, comment, values, number="double", suffix=""):
    print(f"/// {comment}.")
    print(f"inline constexpr {number} {name}[] = {{{', '.join(float(v).hex() + suffix for v in values)}}};")


def float_table(name, comment, values):
    table(name, comment, [to_float(v) for v in values], "float", "f")


def log_tables():
    """1/c and logarithms of c for 32 intervals of m, of which the first begins at 0x3fe6c00000000000 and 1 is in the middle
    of another. 1/c has so few bits that m/c - 1 is exact."""
    inverses = []
    for j in range(32):
        low, high = (struct.unpack("d", struct.pack("Q", 0x3FE6C00000000000 + (i << 47)))[0] for i in (j, j + 1))
        unit = mp.mpf(1) / (32 if high <= 1 else 64)
        middle = round_to(2 / (mp.mpf(low) + high), unit)
        error = lambda v: max(abs(low * v - 1), abs(high * v - 1))
        inverse = mp.mpf(1) if j in (17, 18) else min((middle - unit, middle, middle + unit), key=error)
        assert error(inverse) < mp.mpf(1) / 32, (j, low, high, error(inverse))
        inverses.append(inverse)
    table("log_inverse", "1/c", inverses)
    for name, unit, log in (("log", mp.mpf(2)**-42, mp.log), ("log2", mp.mpf(2)**-42, lambda x: mp.log(x, 2))):
        heads = [round_to(log(1 / v), unit) for v in inverses]
        table(name + "_head", f"{name}(c), multiples of 2^-42", heads)
        table(name + "_tail", "What they lack", [log(1 / v) - h for v, h in zip(inverses, heads)])
    heads = [round_to(-mp.log(v), mp.mpf(2) ** -15) for v in inverses]
    float_table("log_inverse_float", "The same in float, of which the first part of log(c) is a multiple of 2^-15", inverses)
    float_table("log_head_float", "log(c)", heads)
    float_table("log_tail_float", "What they lack", [-mp.log(v) - h for v, h in zip(inverses, heads)])


def short_log_tables():
    """The same for 16 intervals and numbers of 24 bits."""
    inverses = []
    for j in range(16):
        low, high = (struct.unpack("d", struct.pack("Q", 0x3FE6800000000000 + (i << 48)))[0] for i in (j, j + 1))
        inverses.append(mp.mpf(1) if j == 9 else round_to(2 / (mp.mpf(low) + high), mp.mpf(2) ** -20))
    table("short_inverse", "1/c for results in float", inverses)
    table("short_log2", "log2(c)", [-mp.log(v, 2) for v in inverses])


def exp_tables():
    roots = [mp.mpf(2) ** (mp.mpf(j) / 16) for j in range(16)]
    bits = [struct.unpack("Q", struct.pack("d", float(v)))[0] - (j << 48) for j, v in enumerate(roots)]
    table("exp_root", "2^(j/16), with j 2^48 taken from the bits", [struct.unpack("d", struct.pack("Q", b))[0] for b in bits])
    table("exp_root_tail", "What they lack, relative to them", [(v - float(v)) / v for v in roots])


def to_float(x):
    return struct.unpack("f", struct.pack("f", float(x)))[0]


def atan_tables():
    """Tangents c and angles for intervals of a quarter of a power of two from 1/16 to 16, of which the first begins at 0
    and the last ends at infinity. Of numbers near the middle of the interval c is one whose angle is nearly a number."""
    for suffix, nearest, unit, within, write in (
        ("", float, mp.mpf(2) ** -53, 2**-9, table),
        ("_float", to_float, mp.mpf(2) ** -24, 2**-7, float_table),
    ):
        tangents, angles = [0], [0]
        for i in range(1, 31):
            low, high = (mp.mpf(2) ** (j // 4 - 4) * (1 + mp.mpf(j % 4) / 4) for j in (i, i + 1))
            c = nearest(mp.tan((mp.atan(low) + mp.atan(high)) / 2))
            step = unit * mp.mpf(2) ** (i // 4 - 3)
            while abs(mp.atan(c) - nearest(mp.atan(c))) > within * unit * 2 ** mp.floor(mp.log(mp.atan(c), 2)):
                c = nearest(c + step)
            tangents.append(c)
            angles.append(mp.atan(c))
        tangents.append(mp.tan(nearest(mp.pi / 2)))
        angles.append(mp.pi / 2)
        write("atan_tangent" + suffix, "c", tangents)
        write("atan_angle" + suffix, "atan(c)", angles)


def exp_rest(x):
    return mp.nsum(lambda k: x**k / mp.factorial(k + 3), [0, 60])


def exp_quotient(r):
    """(exp(r) - 1 - r) / r^2."""
    return mp.mpf(1) / 2 + r * exp_rest(r)


def sinh_rest(z):
    return mp.nsum(lambda k: z**k / mp.factorial(2 * k + 3), [0, 40])


def cosh_rest(z):
    return mp.nsum(lambda k: z**k / mp.factorial(2 * k + 2), [0, 40])


def tanh_rest(z):
    """(tanh(t) - t) / t^3 of z = t^2."""
    if z < mp.mpf("1e-6"):
        return -mp.mpf(1) / 3 + z * 2 / 15
    t = mp.sqrt(z)
    return (mp.tanh(t) - t) / (t * z)


def tan_rest(z):
    """(tan(t) - t) / t^3 of z = t^2."""
    if z < mp.mpf("1e-6"):
        return mp.mpf(1) / 3 + z * 2 / 15
    t = mp.sqrt(z)
    return (mp.tan(t) - t) / (t * z)


def sin_rest(z):
    return mp.nsum(lambda k: (-1) ** (k + 1) * z**k / mp.factorial(2 * k + 3), [0, 40])


def cos_rest(z):
    return mp.nsum(lambda k: (-1) ** k * z**k / mp.factorial(2 * k + 4), [0, 40])


def atan_tail(z):
    """(atan(t) - t) / t^3 of z = t^2."""
    if z < mp.mpf("1e-6"):
        return -mp.mpf(1) / 3 + z / 5 - z * z / 7
    t = mp.sqrt(z)
    return (mp.atan(t) - t) / (t * z)


def atan_quotient(w):
    z = w + mp.mpf("0.4375")
    return z * atan_tail(z)


def asin_rest(z):
    if z < mp.mpf("1e-6"):
        return mp.mpf(1) / 6 + z * 3 / 40 + z * z * 15 / 336
    r = mp.sqrt(z)
    return (mp.asin(r) - r) / (r * z)


def erf_rest(z):
    return 2 / mp.sqrt(mp.pi) * mp.nsum(lambda k: (-1) ** (k + 1) * z**k / (mp.factorial(k + 1) * (2 * k + 3)), [0, 60])


def erf_one(d):
    if abs(d) < mp.mpf("1e-12"):
        return 2 / mp.sqrt(mp.pi) / mp.e * (1 - d)
    return (mp.erf(1 + d) - mp.erf(1)) / d


def scaled_erfc(t):
    """exp(x^2) erfc(x) with x = 3 (1 + t) / (1 - t)."""
    x = 3 * (1 + t) / (1 - t)
    return mp.exp(x * x) * mp.erfc(x)


def log_quotient(x):
    """(log(1 + x) / x - 1) / x."""
    if abs(x) < mp.mpf("1e-9"):
        return -mp.mpf(1) / 2 + x / 3
    return (mp.log(1 + x) / x - 1) / x


def log_cubic(x):
    """(log(1 + x) - x + x^2/2) / x^3."""
    if abs(x) < mp.mpf("1e-9"):
        return mp.mpf(1) / 3 - x / 4
    return (log_quotient(x) + mp.mpf("0.5")) / x


def log2_quotient(x):
    """log2(1 + x) / x."""
    return (1 + x * log_quotient(x)) / mp.log(2)


def log_error(x):
    return abs(x) / (1 + x * log_quotient(x))


half_ln2, quarter_pi2 = mp.log(2) / 2 * mp.mpf("1.0001"), (mp.pi / 4 * mp.mpf("1.0001")) ** 2
print("""// SPDX-FileCopyrightText: the Quern authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef QUERN_SRC_MAP_COEFFICIENTS_HPP
#define QUERN_SRC_MAP_COEFFICIENTS_HPP

// Written by tools/elementary_coefficients.py. The names that end in _single are for results in float.
// Those that end in _float are for float arithmetic.
namespace quern::math::coefficients {

// clang-format off""")
for suffix, exp_n, sin_n, cos_n, erfc_n in (
    ("", 10, 7, 6, 15),
    ("_single", 5, 4, 3, 10),
):
    write("exp" + suffix, "(exp(r) - 1 - r - r^2/2) / r^3", exp_rest, -half_ln2, half_ln2, exp_n, lambda x: x**3)
    write("sin" + suffix, "(sin(r) - r) / r^3 of z = r^2", sin_rest, 0, quarter_pi2, sin_n, lambda z: z)
    write("cos" + suffix, "(cos(r) - 1 + r^2/2) / r^4 of z = r^2", cos_rest, 0, quarter_pi2, cos_n, lambda z: z * z)
    write("erfc" + suffix, "exp(x^2) erfc(x) of t = (x - 3) / (x + 3)", scaled_erfc, -0.38, mp.mpf(1) / 3, erfc_n,
          lambda t: 1 / mp.exp(9 * ((1 + t) / (1 - t)) ** 2))
write("asin", "(asin(s) - s) / s^3 of z = s^2", asin_rest, 0, mp.mpf(1) / 4, 13, lambda z: z)
for suffix, n, m in (("", 11, 16), ("_single", 6, 9)):
    write("erf" + suffix, "(erf(x) - x 2/sqrt(pi)) / x^3 of z = x^2", erf_rest, 0, mp.mpf("0.4226"), n, lambda z: z)
    write("erf_one" + suffix, "(erf(1 + d) - erf(1)) / d", erf_one, -0.3501, 0.3501, m, lambda d: d / 0.7)
low, high, asin_end = mp.mpf("-0.25"), mp.mpf("0.5"), mp.mpf(1) / 4
write_float("log_float", "(log(1 + r) / r - 1) / r", log_quotient, low, high, 9, log_error)
write_float("log2_float", "(log2(1 + r) / r - log2(e)) / r", lambda r: log_quotient(r) / mp.log(2),
            mp.sqrt(0.5) - 1 - mp.mpf("1e-7"), mp.sqrt(2) - 1 + mp.mpf("1e-7"), 9,
            lambda r: log_error(r) * mp.log(2))
write_float("atan_float", "atan(t) / t - 1 of t^2 - 7/16", atan_quotient, -0.4375, 0.5625, 10,
            lambda w: 1 / (1 + atan_quotient(w)))
write_float("asin_float", "(asin(s) - s) / s^3 of z = s^2", asin_rest, mp.mpf("1e-30"), asin_end, 5, lambda z: z)
write_float("exp_float", "(exp(r) - 1 - r) / r^2", exp_quotient, -half_ln2, half_ln2, 5, lambda r: r * r / mp.exp(r))
write_float("expm1_float", "(exp(r) - 1 - r) / r^2", exp_quotient, -half_ln2, half_ln2, 6,
            lambda r: r / (1 + r * exp_quotient(r)))
write_float("exp2_float", "(2^f - 1 - f ln(2)) / f^2", lambda f: exp_quotient(f * mp.log(2)) * mp.log(2) ** 2,
            mp.mpf("-0.5"), mp.mpf("0.5"), 5, lambda f: f * f / 2**f)
write_float("sinh_float", "(sinh(r) - r) / r^3 of z = r^2", sinh_rest, 0, half_ln2**2, 3, lambda z: z)
write_float("cosh_float", "(cosh(r) - 1) / r^2 of z = r^2", cosh_rest, 0, half_ln2**2, 3, lambda z: z)
write_float("tanh_float", "(tanh(t) - t) / t^3 of z = t^2", tanh_rest, 0, 1, 7,
            lambda z: z / (1 + z * tanh_rest(z)))
write("atan", "atan(t) / t - 1 of t^2 - 7/16", atan_quotient, -0.4375, 0.5625, 23, lambda w: 1 / (1 + atan_quotient(w)))
write("sinh", "(sinh(r) - r) / r^3 of z = r^2", sinh_rest, 0, half_ln2**2, 5, lambda z: z)
write("cosh", "(cosh(r) - 1) / r^2 of z = r^2", cosh_rest, 0, half_ln2**2, 6, lambda z: z)
log_tables()
exp_tables()
atan_tables()
atan_end = (mp.mpf(5) / 64) ** 2
write_float("sin_float", "(sin(r) - r) / r^3 of z = r^2", sin_rest, 0, quarter_pi2, 4, lambda z: z)
write_float("cos_float", "(cos(r) - 1 + r^2/2) / r^4 of z = r^2", cos_rest, 0, quarter_pi2, 3, lambda z: z * z)
write_float("tan_float", "(tan(r) - r) / r^3 of z = r^2", tan_rest, 0, quarter_pi2, 7, lambda z: z / (1 + z * tan_rest(z)))
write("atan_rest", "(atan(t) - t) / t^3 of z = t^2", atan_tail, 0, atan_end, 5, lambda z: z)
write_float("atan_rest_float", "(atan(t) - t) / t^3 of z = t^2", atan_tail, 0, atan_end, 2, lambda z: z)
table_end = mp.mpf("0.0236")
write("log_of_table", "(log(1 + r) - r) / r^2", log_quotient, -table_end, table_end, 8, abs)
write("log2_of_table", "(log2(1 + r) - r log2(e)) / r^2", lambda r: log_quotient(r) / mp.log(2), -table_end, table_end, 8,
      lambda r: abs(r) * mp.log(2))
write("pow_log", "-2 (log(1 + r) - r + r^2/2) / r^3", lambda r: -2 * log_cubic(r), -table_end, table_end, 9,
      lambda r: r * r)
write_float("pow_log_float", "(log(1 + r) - r + r^2/2) / r^3", log_cubic, -table_end, table_end, 4, lambda r: r * r)
write("pow_exp", "(exp(r) - 1 - r) / r^2", exp_quotient, -mp.log(2) / 31, mp.log(2) / 31, 6, lambda r: r * r)
short_log_tables()
short_end = mp.mpf("0.0314")
write("short_log2_rest", "log2(1 + r) / r", log2_quotient, -short_end, short_end, 6, lambda r: 1 / log2_quotient(r))
write("short_exp2", "(2^f - 1) / f", lambda f: mp.expm1(f * mp.log(2)) / f if f else mp.log(2), -mp.mpf(1) / 32,
      mp.mpf(1) / 32, 3, lambda f: abs(f) / 2**f)
print("""// clang-format on

}  // namespace quern::math::coefficients

#endif""")
