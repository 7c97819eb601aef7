#!/usr/bin/env python3
# SPDX-FileCopyrightText: the Quern authors
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Writes tests/support/fft_reference.hpp: arrays and their transforms by numpy.fft and scipy.fft. Run it to renew the file:

    python3 tools/fft_reference.py > tests/support/fft_reference.hpp
"""
import numpy as np
import scipy
from scipy import fft

rng = np.random.RandomState(7)


def numbers(values):
    values = np.asarray(values)
    parts = np.stack([values.real, values.imag], -1).ravel() if np.iscomplexobj(values) else values.ravel()
    return "{" + ", ".join(repr(float(v)) for v in parts) + "}"


def integers(values):
    return "{" + ", ".join(str(int(v)) for v in values) + "}"


def sample(extents, is_complex):
    """Quarters, which are exact in every type."""
    real = rng.randint(-20, 21, extents) / 4
    return real + 1j * rng.randint(-20, 21, extents) / 4 if is_complex else real


print("// SPDX-FileCopyrightText: the Quern authors")
print("// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception")
print(f"// Made by tools/fft_reference.py with NumPy {np.__version__} and SciPy {scipy.__version__}.")
print("#ifndef QUERN_TESTS_SUPPORT_FFT_REFERENCE_HPP\n#define QUERN_TESTS_SUPPORT_FFT_REFERENCE_HPP\n")
print("#include <cstdint>\n#include <string>\n#include <vector>\n\nnamespace fft_reference {\n")
print("// Complex numbers are pairs. Of transforms along one axis, `axes` has one number and `lengths` n, or 0 for the input's.")
print("struct transform {\n  std::string name, norm;\n  std::vector<int> axes;\n  std::vector<std::int64_t> lengths, in_extents, out_extents;\n"
      "  std::vector<double> in, out;\n};\n")
print("inline const std::vector<transform> transforms = {")


def record(name, norm, axes, lengths, x, y):
    print(f'    {{"{name}", "{norm}", {integers(axes)}, {integers(lengths)}, {integers(x.shape)}, {integers(y.shape)}, {numbers(x)}, {numbers(y)}}},')


def along_one(name, extents, axis, n, norm="backward"):
    x = sample(extents, name in ("fft", "ifft", "irfft", "hfft"))
    y = getattr(np.fft, name)(x, n=n or None, axis=axis, norm=norm)
    record(name, norm, [axis], [n], x, y)


for name in ("fft", "ifft", "rfft", "ihfft"):
    for extents, axis, n in (((1,), 0, 0), ((2,), -1, 0), ((5,), 0, 0), ((8,), 0, 0), ((31,), 0, 0), ((3, 6), 0, 0), ((2, 4, 3), 1, 0),
                             ((4, 5), 1, 3), ((4, 5), 0, 7)):
        along_one(name, extents, axis, n)
for name in ("irfft", "hfft"):
    for extents, axis, n in (((1,), 0, 1), ((2,), 0, 0), ((3,), 0, 5), ((5,), 0, 8), ((16,), 0, 31), ((3, 4), 0, 4), ((2, 4, 3), 1, 7),
                             ((4, 5), 1, 12), ((4, 5), 1, 5)):
        along_one(name, extents, axis, n)
for name in ("fft", "ifft", "rfft", "irfft", "hfft", "ihfft"):
    for norm in ("ortho", "forward"):
        along_one(name, (2, 6), 1, 0, norm)
for name in ("fftn", "ifftn", "rfftn", "irfftn"):
    for extents, axes, lengths, norm in (((3, 4), (0, 1), (), "backward"), ((2, 3, 4), (0, 1, 2), (), "backward"), ((2, 3, 4), (2, 0), (), "ortho"),
                                         ((2, 3, 4), (-2,), (), "forward"), ((2, 3, 2, 4), (0, 1, 2, 3), (), "backward"),
                                         ((3, 4), (0, 1), (5, 2), "backward"), ((2, 5, 3), (1, 2), (4, 7), "ortho")):
        x = sample(extents, name != "rfftn")
        record(name, norm, axes, lengths, x, getattr(np.fft, name)(x, s=lengths or None, axes=axes, norm=norm))


def orthonormal(name, x, kind, axis):
    """SciPy's, but for sines of types 2 and 3, of which SciPy scales the wrong end: its matrices are not orthonormal."""
    if name == "dct" or kind in (1, 4):
        return getattr(fft, name)(x, type=kind, axis=axis, norm="ortho")
    n = x.shape[axis]
    last = np.where(np.arange(n) == n - 1, 2 ** (-0.5 if kind == 2 else 0.5), 1)
    last = last if axis in (-1, x.ndim - 1) else last[:, None]
    y = fft.dst(x if kind == 2 else x * last, type=kind, axis=axis) / np.sqrt(2 * n)
    return y * last if kind == 2 else y


for name in ("dct", "dst"):
    for kind in (1, 2, 3, 4):
        for extents, axis in (((2,), 0), ((5,), 0), ((8,), -1), ((3, 4), 0), ((2, 7), 1)):
            for norm in ("backward", "ortho", "forward"):
                x = sample(extents, False)
                y = orthonormal(name, x, kind, axis) if norm == "ortho" else getattr(fft, name)(x, type=kind, axis=axis, norm=norm)
                record(f"{name}{kind}", norm, [axis], [0], x, y)
        x = sample((2, 5), False)
        record(f"i{name}{kind}", "backward", [1], [0], x, getattr(fft, f"i{name}")(x, type=kind, axis=1))
print("};\n\n}  // namespace fft_reference\n\n#endif")
