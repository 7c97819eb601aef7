#!/usr/bin/env python3
# SPDX-FileCopyrightText: the Quern authors
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Writes tests/fft/data/transforms.npz: arrays and their transforms by numpy.fft and scipy.fft. Run it to renew the file,
which NumPy 1.24.2 and SciPy 1.10.1 have made:

    python3 tools/fft_reference.py tests/fft/data/transforms.npz

The transform "fft/ortho/56" is fft with this norm and has the arrays "fft/ortho/56/in" and ".../out", ".../axes", and
".../lengths" where the transform was called with some.
"""
import sys

import numpy as np
from scipy import fft

rng = np.random.RandomState(7)


arrays = {}
transforms = 0


def sample(extents, is_complex):
    """Quarters, which are exact in every type."""
    real = rng.randint(-20, 21, extents) / 4
    return real + 1j * rng.randint(-20, 21, extents) / 4 if is_complex else real


def record(name, norm, axes, lengths, x, y):
    global transforms
    group = f"{name}/{norm}/{transforms}"
    transforms += 1
    arrays[f"{group}/axes"] = np.array(axes, np.int64)
    if lengths:
        arrays[f"{group}/lengths"] = np.array(lengths, np.int64)
    arrays[f"{group}/in"] = np.array(x, order="C")
    arrays[f"{group}/out"] = np.array(y, order="C")


def along_one(name, extents, axis, n, norm="backward"):
    x = sample(extents, name in ("fft", "ifft", "irfft", "hfft"))
    y = getattr(np.fft, name)(x, n=n or None, axis=axis, norm=norm)
    record(name, norm, [axis], [n] if n else [], x, y)


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
    """SciPy's, except for sines of types 2 and 3, of which SciPy scales the wrong end: its matrices are not orthonormal."""
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
                record(f"{name}{kind}", norm, [axis], [], x, y)
        x = sample((2, 5), False)
        record(f"i{name}{kind}", "backward", [1], [], x, getattr(fft, f"i{name}")(x, type=kind, axis=1))
np.savez(sys.argv[1], **arrays)
