#!/usr/bin/env python3
# SPDX-FileCopyrightText: the Quern authors
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Writes tests/stencil/data/scipy.npz, arrays and what scipy.ndimage makes of them at every boundary, and
tests/integrate/data/scipy.npz, integrals of samples. Run it to renew the files, which NumPy 1.24.2 and SciPy 1.10.1 have
made:

    python3 tools/scipy_reference.py tests
"""
import sys

import numpy as np
from scipy import integrate, ndimage

modes = {"constant": "constant", "nearest": "nearest", "reflect": "reflect", "mirror": "mirror", "wrap": "grid-wrap"}


def weights(sizes):
    """Different for each place, so that none may be mistaken for another."""
    index = np.indices(sizes)
    return sum((7**d * (i + 1)) for d, i in enumerate(index)) % 23 - 8


images, samples = {}, {}
rng = np.random.RandomState(3)


def image(name, values, kind=np.int64):
    images[name] = np.array(values, kind, order="C")


# The weights reach 2 along the first axis and 1 along the others; the constant is -3.
for k, extents in enumerate([(1,), (2,), (9,), (1, 1), (1, 4), (3, 2), (5, 7), (1, 1, 1), (2, 1, 3), (4, 3, 5)]):
    x = rng.randint(-20, 21, size=extents)
    w = weights((5,) + (3,) * (len(extents) - 1))
    image(f"stencil/{k}/in", x)
    image(f"stencil/{k}/weights", w)
    for name, mode in modes.items():
        image(f"stencil/{k}/{name}", ndimage.correlate(x, w, mode=mode, cval=-3))

# Windows of even extents and of extents beyond those of the arrays; the constant is -3.
for k, (extents, size) in enumerate([((7,), (3,)), ((7,), (4,)), ((5, 6), (3, 3)), ((6, 4), (5, 5)), ((5, 6), (2, 4)),
                                     ((3, 4), (1, 7)), ((3, 4, 2), (3, 3, 3)), ((3, 2, 4), (2, 3, 4))]):
    x = rng.randint(-20, 21, size=extents)
    w = weights(size)
    image(f"weights/{k}/in", x)
    image(f"weights/{k}/weights", w)
    for operation in (ndimage.correlate, ndimage.convolve):
        for name, mode in modes.items():
            image(f"weights/{k}/{operation.__name__}/{name}", operation(x, w, mode=mode, cval=-3))

for k, (extents, sizes, sigmas) in enumerate([((9,), (4,), (1.5,)), ((5, 7), (3, 3), (0.7, 2.0)), ((4, 6), (5, 2), (1.0, 0.0)),
                                              ((3, 4, 5), (3, 4, 1), (0.5, 1.0, 1.5))]):
    x = rng.randint(-20, 21, size=extents) / 4.0
    image(f"smoothing/{k}/in", x, np.float64)
    for operation, of, parameters in ((ndimage.uniform_filter, "sizes", sizes), (ndimage.gaussian_filter, "sigmas", sigmas)):
        image(f"smoothing/{k}/{of}", parameters, np.float64)
        for name, mode in modes.items():
            out = operation(x, parameters, mode=mode, cval=-3)
            image(f"smoothing/{k}/{operation.__name__}/{name}", out, np.float64)

# Arrays of 3 x 5 x 7 over abscissae that are not uniform.
for axis in range(3):
    y = rng.randint(-20, 21, size=(3, 5, 7)) / 4.0
    x = np.cumsum(rng.randint(1, 9, size=y.shape[axis])) / 4.0
    for name, values in (("x", x), ("y", y), ("trapezoid", integrate.trapezoid(y, x=x, axis=axis)),
                         ("simpson", integrate.simpson(y, x=x, axis=axis)),
                         ("cumulative", integrate.cumulative_trapezoid(y, x=x, axis=axis, initial=0))):
        samples[f"{axis}/{name}"] = np.array(values, order="C")

np.savez(f"{sys.argv[1]}/stencil/data/scipy.npz", **images)
np.savez(f"{sys.argv[1]}/integrate/data/scipy.npz", **samples)
