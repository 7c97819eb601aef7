#!/usr/bin/env python3
# SPDX-FileCopyrightText: the Quern authors
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Writes tests/random/data/fields.npz: random fields computed in Python, with every rounding carried out on exact
fractions, and Sobol points of SciPy. A second implementation of what the documentation says, for frozen tests. Run it to
renew the file, which NumPy 1.24.2 and SciPy 1.10.1 have made:

    python3 tools/random_reference.py include/quern/random/elementary.hpp tests/random/data/fields.npz

The coefficients are read from the header. Arrays have the numbers of the key 42 at "position", or the points "sobol/517"."""
import math
import re
import struct
import sys
from decimal import Decimal, localcontext
from fractions import Fraction

import numpy as np
from scipy.stats import qmc

MASK = (1 << 32) - 1
FOLD_IN = 0x9C63A1F0D5B8472E
source = open(sys.argv[1]).read()


def philox(seed, block, stream):
    c = [block & MASK, block >> 32, stream & MASK, stream >> 32]
    k0, k1 = seed & MASK, seed >> 32
    for _ in range(10):
        a, b = 0xD2511F53 * c[0], 0xCD9E8D57 * c[2]
        c = [(b >> 32) ^ c[1] ^ k0, b & MASK, (a >> 32) ^ c[3] ^ k1, a & MASK]
        k0, k1 = (k0 + 0x9E3779B9) & MASK, (k1 + 0xBB67AE85) & MASK
    return c


def word32(key, i):
    return philox(key[0], i // 4, key[1])[i % 4]


def word64(key, i):
    c = philox(key[0], i // 2, key[1])
    return c[2 * (i % 2)] | c[2 * (i % 2) + 1] << 32


def derived(key, purpose, data):
    c = philox(key[0] ^ purpose, data, key[1])
    return (c[0] | c[1] << 32, c[2] | c[3] << 32)


class arithmetic:
    """Numbers with so many bits, as fractions; every operation rounds once, to the nearest and ties to even."""

    def __init__(self, bits):
        self.bits = bits

    def round(self, x):
        if x == 0:
            return Fraction(0)
        e = len(bin(abs(x.numerator))) - len(bin(x.denominator))
        while abs(x) >= Fraction(2) ** (e + 1):
            e += 1
        while abs(x) < Fraction(2) ** e:
            e -= 1
        unit = Fraction(2) ** (e - self.bits + 1)
        return round(x / unit) * unit

    def fma(self, a, b, c):
        return self.round(a * b + c)

    def polynomial(self, x, c):
        r = c[-1]
        for k in reversed(c[:-1]):
            r = self.fma(x, r, k)
        return r

    def constants(self, name):
        type_ = "float" if self.bits == 24 else "double"
        body = re.search(rf"{type_} {name}\([a-z]* [a-z]\) {{\s*return [^;]*polynomial\(([^;]*)\);", source).group(1)
        numbers = body.split(",")[1:]
        return [self.round(Fraction(re.sub(r"Factor \*|f|\s", "", n))) for n in numbers]

    def log(self, x, factor):
        e = 0
        root_half = self.round(Fraction(6369051672525773, 2**53)) if self.bits == 53 else Fraction(11863283, 2**24)
        while x >= 2 * root_half:
            x, e = x / 2, e + 1
        while x < root_half:
            x, e = x * 2, e - 1
        y = x - 1
        c = [factor * k for k in self.constants("log_tail")]
        m = self.round(y * self.fma(y, self.polynomial(y, c), Fraction(factor)))
        log2 = Fraction("0.693147182464599609") if self.bits == 24 else Fraction("0.693147180559945309")
        return self.fma(Fraction(e), factor * self.round(log2), m)

    def exp(self, x):
        """For double."""
        body = re.search(r"double exp\(double x\) {(.*?)\n}", source, re.S).group(1)
        high, low = (Fraction(float.fromhex(n)) for n in (re.search(r"-p, (0x1.6\S*),", body)[1], re.search(r"-p, (0x1.a\S*),", body)[1]))
        c = [self.round(Fraction(n)) for n in re.search(r"polynomial\(r,([^)]*)\)", body).group(1).split(",")]
        p = self.fma(x, self.round(Fraction("1.44269504088896341")), Fraction(3 * 2**51)) - 3 * 2**51
        r = self.fma(-p, low, self.fma(-p, high, x))
        return self.round(self.fma(self.round(r * r), self.polynomial(r, c), r) + 1) * Fraction(2) ** p

    def sqrt(self, x):
        if self.bits == 24:
            return Fraction(float(np.sqrt(np.float32(float(x)))))
        guess = 0x5FE6EB50C7B537A9 - (struct.unpack("<Q", struct.pack("<d", float(x)))[0] >> 1)
        y = Fraction(struct.unpack("<d", struct.pack("<Q", guess))[0])
        half = self.round(x / 2)
        for _ in range(3):
            y = self.fma(y, self.fma(self.round(-half * y), y, Fraction(1, 2)), y)
        root = self.round(x * y)
        return self.fma(self.round(y / 2), self.fma(-root, root, x), root)


single, double = arithmetic(24), arithmetic(53)


def positive32(w):
    s = w - (1 << 32) if w >> 31 else w
    return single.fma(abs(single.round(Fraction(s))), Fraction(2**24 - 1, 2**55), Fraction(1, 2**32))


def positive64(w):
    return Fraction(2 * (w >> 12) + 1, 2**53)


def normal_pair(a, radius, angle):
    if a.bits == 24:
        u, sign = positive32(radius), radius >> 31
        t = a.round(Fraction(angle - (1 << 32) if angle >> 31 else angle)) / 2**31
    else:
        u, sign = positive64(radius), radius & 1
        t = Fraction(2 * (angle >> 12), 2**52) - 1
    r = a.sqrt(max(a.log(u, -2), Fraction(1, 2**60)))
    square = a.round(t * t)
    s = a.round(t * a.polynomial(square, a.constants("sin_quarter")))
    c = a.polynomial(square, a.constants("cos_quarter"))
    return a.round(r * s), a.round(r * (-c if sign else c))


def normal(a, key, i):
    word = word32 if a.bits == 24 else word64
    return normal_pair(a, word(key, i & ~1), word(key, i | 1))[i & 1]


def exponential(a, key, i):
    return a.log(positive32(word32(key, i)), -1) if a.bits == 24 else a.log(positive64(word64(key, i)), -1)


def poisson(rate, key, i):
    """The least k whose sum of probabilities, to 60 digits, is more than a uniform number."""
    with localcontext(prec=60):
        u = Decimal(word64(key, i) >> 11) / 2**53
        k, p = 0, (-rate).exp()
        below = p
        while u >= below:
            k, p = k + 1, p * rate / (k + 1)
            below += p
    return k


def large_poisson(rate, key, i):
    """The first attempt of PTRS, where it is accepted without logarithms."""
    a, c = double, lambda x: Fraction(float(x))
    u, v = Fraction(word64(key, 2 * i) >> 11, 2**53) - Fraction(1, 2), positive64(word64(key, 2 * i + 1))
    slope = a.fma(c(2.53), c(math.sqrt(rate)), c(0.931))
    height = a.fma(c(0.02483), slope, c(-0.059))
    squeeze = a.round(c(0.9277) - a.round(c(3.6224) / a.round(slope - 2)))
    edge = Fraction(1, 2) - abs(u)
    if edge < c(0.07) or v > squeeze:
        return -1
    return math.floor(a.fma(a.round(a.round(2 * height / edge) + slope), u, a.round(rate + c(0.43))))


def permutation(n, key, i):
    """Twelve rounds of a Feistel network with MurmurHash3's finalizer, until the image is less than n."""
    bits = max(8, (n - 1).bit_length())
    low_bits = bits // 2
    for_low, for_high = (1 << low_bits) - 1, (1 << (bits - low_bits)) - 1

    def mixed(z):
        z = (z ^ z >> 16) * 0x85EBCA6B & MASK
        z = (z ^ z >> 13) * 0xC2B2AE35 & MASK
        return z ^ z >> 16

    while True:
        low, high = i & for_low, i >> low_bits
        for r in range(0, 12, 2):
            high ^= mixed(low + derived(key, FOLD_IN, r)[0] & MASK) & for_high
            low ^= mixed(high + derived(key, FOLD_IN, r + 1)[0] & MASK) & for_low
        i = high << low_bits | low
        if i < n:
            return i


def gamma(shape, key, i):
    """The first attempt, where it is accepted without more bits."""
    w, a = philox(key[0], i, key[1]), double
    radius, angle = w[0] | w[1] << 32, w[2] | w[3] << 32
    x = normal_pair(a, radius, angle)[0]
    d = a.round((shape + 1 if shape < 1 else shape) - a.round(Fraction(1, 3)))
    c = a.round(1 / Fraction(math.sqrt(float(a.round(9 * d)))))
    t, square = a.fma(c, x, Fraction(1)), a.round(x * x)
    u = Fraction(((radius >> 1 & 0x7FF) << 12 | angle & 0xFFF) + 1, 2**23)
    if t <= 0 or u >= a.fma(a.round(-a.round(Fraction(0.0331)) * square), square, Fraction(1)):
        return -1
    number = a.round(d * a.round(a.round(t * t) * t))
    if shape >= 1:
        return number
    more = philox(key[0], i, (key[1] + 0x9E3779B97F4A7C15) % 2**64)
    return a.round(number * a.exp(a.round(a.log(positive64(more[0] | more[1] << 32), 1) / shape)))


def generator_gamma(shape, key, i):
    """What Generator(key, i).gamma(shape) gives for shapes below 1, where the first attempt is accepted."""
    blocks = [philox(key[0], i, (key[1] + j * 0x9E3779B97F4A7C15) % 2**64) for j in (1, 2)]
    power, radius, angle, last = (w for c in blocks for w in (c[0] | c[1] << 32, c[2] | c[3] << 32))
    a = double
    factor = a.exp(a.round(a.log(positive64(power), 1) / shape))
    x = normal_pair(a, radius, angle)[0]
    d = a.round(shape + 1 - a.round(Fraction(1, 3)))
    t, square = a.fma(a.round(1 / Fraction(math.sqrt(float(a.round(9 * d))))), x, Fraction(1)), a.round(x * x)
    if t <= 0 or positive64(last) >= a.fma(a.round(-a.round(Fraction(0.0331)) * square), square, Fraction(1)):
        return -1
    return a.round(a.round(d * a.round(a.round(t * t) * t)) * factor)


def philox_sum(seed, blocks):
    """The sum of all words of the first blocks, as 32-bit numbers in 64 bits."""
    c = [np.arange(blocks, dtype=np.uint64), *(np.zeros(blocks, np.uint64) for _ in range(3))]
    k0, k1, low, shift = seed & MASK, seed >> 32, np.uint64(MASK), np.uint64(32)
    for _ in range(10):
        a, b = np.uint64(0xD2511F53) * c[0], np.uint64(0xCD9E8D57) * c[2]
        c = [(b >> shift) ^ c[1] ^ np.uint64(k0), b & low, (a >> shift) ^ c[3] ^ np.uint64(k1), a & low]
        k0, k1 = (k0 + 0x9E3779B9) & MASK, (k1 + 0xBB67AE85) & MASK
    return sum(int(x.sum()) for x in c)


positions = list(range(8)) + [1000003, 1000004, 2**33 + 5]
key = (42, 0)
arrays = {"position": np.array(positions), "folded_key": np.array(derived(key, FOLD_IN, 3), np.uint64),
          "split_key": np.array(derived(key, 0x3BD8E9047F2C651A, 1), np.uint64)}


def field(name, type_, number):
    """Numbers at the positions; fractions are numbers of their type."""
    values = [number(i) for i in positions]
    arrays[name] = np.array([float(v) if isinstance(v, Fraction) else v for v in values], type_)


field("bits32", np.uint32, lambda i: word32(key, i))
field("bits64", np.uint64, lambda i: word64(key, i))
field("uniform64", np.float64, lambda i: Fraction(word64(key, i) >> 11, 2**53))
field("uniform32", np.float32, lambda i: Fraction(word32(key, i) >> 8, 2**24))
field("dice", np.int64, lambda i: 1 + (word32(key, i) * 6 >> 32))
field("far", np.int64, lambda i: (word64(key, i) * 10**15 >> 64) - 5 * 10**14)
field("normal64", np.float64, lambda i: normal(double, key, i))
field("normal32", np.float32, lambda i: normal(single, key, i))
field("exponential64", np.float64, lambda i: exponential(double, key, i))
field("exponential32", np.float32, lambda i: exponential(single, key, i))
for name, rate in (("few", "0.7"), ("some", "30.5"), ("many", "750")):
    field(f"poisson_{name}", np.int64, lambda i: poisson(Decimal(float(rate)), key, i))
arrays["permutation_of_300"] = np.array([permutation(300, key, i) for i in range(40)])
# -1: not at once
field("poisson_large", np.int64, lambda i: large_poisson(10000, key, i))
field("gamma64", np.float64, lambda i: gamma(Fraction(5, 2), key, i))
field("small_gamma64", np.float64, lambda i: gamma(Fraction(1, 2), key, i))
field("generator_gamma64", np.float64, lambda i: generator_gamma(Fraction(1, 2), key, i))
arrays["sum_of_bits32"] = np.array(philox_sum(42, 250000), np.uint64)  # of the first million
points = qmc.Sobol(64, scramble=False, bits=53).random(1024)
for row in (1, 2, 3, 517, 1023):
    arrays[f"sobol/{row}"] = points[row]
np.savez(sys.argv[2], **arrays)
