#!/usr/bin/env python3
# SPDX-FileCopyrightText: the Quern authors
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Writes tests/support/scipy_reference.hpp: arrays and what scipy.ndimage makes of them at every boundary, and integrals
of samples. Run it to renew the file:

    python3 tools/scipy_reference.py > tests/support/scipy_reference.hpp
"""
import itertools

import numpy as np
from scipy import integrate, ndimage

modes = {"constant": "constant", "nearest": "nearest", "reflect": "reflect", "mirror": "mirror", "wrap": "grid-wrap"}


def numbers(values):
    return "{" + ", ".join(str(int(v)) for v in np.asarray(values).ravel()) + "}"


def reals(values):
    return "{" + ", ".join(repr(float(v)) for v in np.asarray(values).ravel()) + "}"


def weights(sizes):
    """Different for each place, so that none may be mistaken for another."""
    index = np.indices(sizes)
    return sum((7**d * (i + 1)) for d, i in enumerate(index)) % 23 - 8


print("// SPDX-FileCopyrightText: the Quern authors")
print("// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception")
print(f"// Made by tools/scipy_reference.py with NumPy {np.__version__} and its integers, which are exact.")
print("#ifndef QUERN_TESTS_SUPPORT_SCIPY_REFERENCE_HPP\n#define QUERN_TESTS_SUPPORT_SCIPY_REFERENCE_HPP\n")
print("#include <cstdint>\n#include <vector>\n\nnamespace scipy {\n")
print("struct correlation {\n  const char* mode;\n  std::vector<std::int64_t> extents, in, weights, out;\n};\n")
print("// The weights reach 2 along the first axis and 1 along the others; the constant is -3.")
print("inline const std::vector<correlation> correlations = {")
rng = np.random.RandomState(3)
for extents in [(1,), (2,), (9,), (1, 1), (1, 4), (3, 2), (5, 7), (1, 1, 1), (2, 1, 3), (4, 3, 5)]:
    x = rng.randint(-20, 21, size=extents)
    w = weights((5,) + (3,) * (len(extents) - 1))
    for name, mode in modes.items():
        out = ndimage.correlate(x, w, mode=mode, cval=-3)
        print(f'    {{"{name}", {numbers(extents)}, {numbers(x)}, {numbers(w)}, {numbers(out)}}},')
print("};\n")

print("struct weighted {\n  const char *operation, *mode;\n  std::vector<std::int64_t> extents, in, size, weights, out;\n};\n")
print("// Windows of even extents and of extents beyond those of the arrays; the constant is -3.")
print("inline const std::vector<weighted> filters = {")
for extents, size in [((7,), (3,)), ((7,), (4,)), ((5, 6), (3, 3)), ((6, 4), (5, 5)), ((5, 6), (2, 4)), ((3, 4), (1, 7)),
                      ((3, 4, 2), (3, 3, 3)), ((3, 2, 4), (2, 3, 4))]:
    x = rng.randint(-20, 21, size=extents)
    w = weights(size)
    for operation in (ndimage.correlate, ndimage.convolve):
        for name, mode in modes.items():
            out = operation(x, w, mode=mode, cval=-3)
            print(f'    {{"{operation.__name__}", "{name}", {numbers(extents)}, {numbers(x)}, {numbers(size)}, {numbers(w)},'
                  f' {numbers(out)}}},')
print("};\n")

print("struct smoothed {\n  const char *operation, *mode;\n  std::vector<std::int64_t> extents;\n"
      "  std::vector<double> in, parameters, out;\n};\n")
print("// Parameters are sizes of uniform_filter, standard deviations of gaussian_filter.")
print("inline const std::vector<smoothed> smoothings = {")
for extents, sizes, sigmas in [((9,), (4,), (1.5,)), ((5, 7), (3, 3), (0.7, 2.0)), ((4, 6), (5, 2), (1.0, 0.0)),
                               ((3, 4, 5), (3, 4, 1), (0.5, 1.0, 1.5))]:
    x = rng.randint(-20, 21, size=extents) / 4.0
    for name, mode in modes.items():
        for operation, parameters in ((ndimage.uniform_filter, sizes), (ndimage.gaussian_filter, sigmas)):
            out = operation(x, parameters, mode=mode, cval=-3)
            print(f'    {{"{operation.__name__}", "{name}", {numbers(extents)}, {reals(x)}, {reals(parameters)},'
                  f' {reals(out)}}},')
print("};\n")

print("struct integrals {\n  int axis;\n  std::vector<double> x, y, trapezoid, simpson, cumulative;\n};\n")
print("// Arrays of 3 x 5 x 7 over abscissae that are not uniform.")
print("inline const std::vector<integrals> sampled = {")
for axis in range(3):
    y = rng.randint(-20, 21, size=(3, 5, 7)) / 4.0
    x = np.cumsum(rng.randint(1, 9, size=y.shape[axis])) / 4.0
    print(f"    {{{axis}, {reals(x)}, {reals(y)}, {reals(integrate.trapezoid(y, x=x, axis=axis))},"
          f" {reals(integrate.simpson(y, x=x, axis=axis))},"
          f" {reals(integrate.cumulative_trapezoid(y, x=x, axis=axis, initial=0))}}},")
print("};\n\n}  // namespace scipy\n\n#endif")
