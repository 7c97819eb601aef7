#!/usr/bin/env python3
# SPDX-FileCopyrightText: the Quern authors
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Writes tests/support/scipy_reference.hpp: arrays and what scipy.ndimage.correlate makes of them at every boundary. Run
it to renew the file:

    python3 tools/scipy_reference.py > tests/support/scipy_reference.hpp
"""
import itertools

import numpy as np
from scipy import ndimage

modes = {"constant": "constant", "nearest": "nearest", "reflect": "reflect", "mirror": "mirror", "wrap": "grid-wrap"}


def numbers(values):
    return "{" + ", ".join(str(int(v)) for v in np.asarray(values).ravel()) + "}"


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
print("};\n\n}  // namespace scipy\n\n#endif")
