#!/usr/bin/env python3
# SPDX-FileCopyrightText: the Quern authors
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Writes tests/map/elementary_samples.hpp, arguments and values of the elementary functions by mpmath, in 40 digits.

A value is a double and what it leaves of the exact one, in units of its last place, from -0.5 to 0.5.

elementary_samples.py > tests/map/elementary_samples.hpp
"""

import math
import random

import mpmath as mp

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
print("""// SPDX-FileCopyrightText: the Quern authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef TESTS_MAP_ELEMENTARY_SAMPLES_HPP
#define TESTS_MAP_ELEMENTARY_SAMPLES_HPP

// Written by tools/elementary_samples.py. f(x) is value + rest units in its last place; y is 0 for one argument.
namespace samples {

struct sample {
  double x, y, value, rest;
};
// clang-format off""")
for name, (f, draw) in functions.items():
    print(f"inline constexpr sample of_{name}[] = {{")
    done = 0
    while done < count:
        x = draw(source)
        exact = f(mp.mpf(x))
        value = float(exact)
        if 0 < abs(value) < math.inf:
            print(f"    {{{x.hex()}, 0, {value.hex()}, {rest(value, exact):.6f}}},")
            done += 1
    print("};")
for name, f, draw in (
    ("pow", lambda x, y: mp.mpf(x) ** mp.mpf(y), lambda s: (abs(moderate(s)), s.uniform(-300, 300))),
    ("atan2", lambda x, y: mp.atan2(mp.mpf(x), mp.mpf(y)), lambda s: (moderate(s), moderate(s))),
):
    print(f"inline constexpr sample of_{name}[] = {{")
    done = 0
    while done < count:
        x, y = draw(source)
        exact = f(x, y)
        if 1e-300 < abs(exact) < 1e300:
            value = float(exact)
            print(f"    {{{x.hex()}, {y.hex()}, {value.hex()}, {rest(value, exact):.6f}}},")
            done += 1
    print("};")
print("""// clang-format on

}  // namespace samples

#endif""")
