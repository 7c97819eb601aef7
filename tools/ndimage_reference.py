#!/usr/bin/env python3
# SPDX-FileCopyrightText: the Quern authors
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Writes tests/stencil/data/ndimage.npz, arrays and what the order filters and the morphology of scipy.ndimage make of
them at every boundary. Run it to renew the file, which NumPy 2.2.4 and SciPy 1.15 have made:

    python3 tools/ndimage_reference.py tests
"""
import sys

import numpy as np
from scipy import ndimage

modes = ("constant", "nearest", "reflect", "mirror", "grid-wrap")
percentiles = (0, 30, 75, 100, -20)
images = {}
rng = np.random.RandomState(11)


def image(name, values, kind=np.int16):
    images[name] = np.array(values, kind, order="C")


def at_all_modes(operation, *arguments, **options):
    return np.stack([operation(*arguments, mode=mode, **options) for mode in modes])


def ranked(operation, x, *arguments, footprint, origin, **options):
    """The same of order filters. SciPy 1.15 reads beyond arrays of one axis where the window is larger: they get another one."""
    found = at_all_modes(operation, x[np.newaxis], *arguments, footprint=footprint[np.newaxis], origin=(0, *origin), **options)
    return found[:, 0]


# Odd and even windows, some larger than the array, moved ones, footprints, one of a single cell. The constant is 3.
cross = [[0, 1, 0], [1, 1, 1], [0, 1, 0]]
corner = [[1, 0, 0, 1], [0, 0, 1, 0]]
cases = [((9,), (3,), None, (0,)), ((7,), (4,), None, (-2,)), ((3,), (11,), None, (3,)), ((1,), (2,), None, (0,)),
         ((6, 5), (3, 3), None, (0, 0)), ((8, 7), (5, 5), None, (0, 0)), ((5, 6), (2, 5), None, (0, -1)),
         ((4, 3), (7, 2), None, (2, 0)), ((5, 7), (3, 3), cross, (0, 0)), ((6, 5), (2, 4), corner, (-1, 1)),
         ((4, 4), (1, 1), [[1]], (0, 0)), ((3, 4, 5), (3, 3, 3), None, (0, 0, 0)), ((4, 3, 3), (2, 3, 4), None, (0, 1, -1)),
         ((3, 4, 4), (3, 3, 3), ndimage.generate_binary_structure(3, 1), (0, 0, 1))]
for k, (extents, sizes, points, origin) in enumerate(cases):
    x = rng.randint(0, 60, size=extents)
    window = np.ones(sizes, bool) if points is None else np.array(points, bool)
    heights = rng.randint(0, 5, size=sizes)
    binary = rng.randint(0, 3, size=extents) > 0
    for name, values in (("in", x), ("sizes", sizes), ("footprint", window), ("origin", origin), ("heights", heights), ("binary", binary)):
        image(f"{k}/{name}", values)
    image(f"{k}/box", [points is None])
    count = int(window.sum())
    ranks = [count // 3, -1 - count // 4]
    image(f"{k}/ranks", ranks)
    filters = {"cval": 3, "origin": origin, "footprint": window}
    image(f"{k}/median_filter", ranked(ndimage.median_filter, x, **filters))
    for operation in ("minimum_filter", "maximum_filter", "grey_erosion", "grey_dilation", "grey_opening", "grey_closing"):
        image(f"{k}/{operation}", at_all_modes(getattr(ndimage, operation), x, **filters))
    image(f"{k}/rank_filter", [ranked(ndimage.rank_filter, x, rank, **filters) for rank in ranks])
    image(f"{k}/percentile_filter", [ranked(ndimage.percentile_filter, x, p, **filters) for p in percentiles])
    numbered = lambda values: np.dot(values, np.arange(1, values.size + 1))
    image(f"{k}/generic_filter", ranked(ndimage.generic_filter, x, numbered, **filters))
    for operation in ("grey_erosion", "grey_dilation"):
        image(f"{k}/{operation}/heights", at_all_modes(getattr(ndimage, operation), x, structure=heights, **filters))
    for border in (0, 1):
        options = {"structure": window, "border_value": border, "origin": origin}
        for operation in ("binary_erosion", "binary_dilation"):
            image(f"{k}/{operation}/{border}", getattr(ndimage, operation)(binary, **options))
    for operation in ("binary_opening", "binary_closing"):
        image(f"{k}/{operation}", getattr(ndimage, operation)(binary, structure=window, origin=origin))

for rank in (1, 2, 3):
    for connectivity in range(0, 5):
        image(f"structure/{rank}/{connectivity}", ndimage.generate_binary_structure(rank, connectivity))

# Derivatives of Gaussians, of doubles.
for k, (extents, sigmas) in enumerate([((17,), (1.5,)), ((9, 12), (0.7, 1.2)), ((12, 10), (1.0, 0.0)), ((5, 6, 7), (0.6, 1.0, 0.8))]):
    x = rng.randint(-20, 21, size=extents) / 4.0
    image(f"gaussian/{k}/in", x, np.float64)
    image(f"gaussian/{k}/sigmas", sigmas, np.float64)
    for operation in (ndimage.gaussian_laplace, ndimage.gaussian_gradient_magnitude):
        image(f"gaussian/{k}/{operation.__name__}", at_all_modes(operation, x, sigmas, cval=0), np.float64)

# Windows so wide that their extremes are found by other ways, longer than one of the axes.
wide = np.random.RandomState(12).randint(0, 250, size=(130, 7))
image("wide/in", wide, np.uint8)
for k, (sizes, origin) in enumerate([((100, 1), (0, 0)), ((1, 101), (0, 20)), ((97, 120), (-40, 3))]):
    image(f"wide/{k}/sizes", sizes)
    image(f"wide/{k}/origin", origin)
    for operation in ("minimum_filter", "maximum_filter", "grey_closing"):
        image(f"wide/{k}/{operation}", at_all_modes(getattr(ndimage, operation), wide, size=sizes, cval=3, origin=origin), np.uint8)

np.savez(f"{sys.argv[1]}/stencil/data/ndimage.npz", **images)
