#!/usr/bin/env python3
# SPDX-FileCopyrightText: the Quern authors
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Writes tests/print/data/numpy.npz: arrays, and the text that NumPy makes of each, as bytes. Its version stands in the file:

    python3 tools/numpy_texts.py tests
"""
import sys

import numpy as np

archive = {"numpy_version": np.frombuffer(np.__version__.encode(), np.uint8)}
rng = np.random.default_rng(20260401)


def text(name, values, kind=np.float64, **ways):
    """An array, its text, and its text with other options, by a name for each."""
    with np.errstate(all="ignore"):
        values = np.array(values, dtype=kind, order="C")
        for way, options in {"": {}, **ways}.items():
            written = np.array2string(values, **options)
            archive[f"{name}_text{'_' + way if way else ''}"] = np.frombuffer(written.encode(), np.uint8)
    archive[name] = values.view(np.uint8) if values.dtype == bool else values


every_way = {
    "precision_3": {"precision": 3},
    "precision_0": {"precision": 0},
    "fixed_2": {"precision": 2, "floatmode": "fixed"},
    "unique": {"floatmode": "unique"},
    "equal": {"floatmode": "maxprec_equal"},
    "suppress": {"suppress_small": True},
    "narrow": {"max_line_width": 20},
    "edges": {"threshold": 5, "edgeitems": 1},
}

# Magnitudes that ask for exponents and others; numbers that round up to another digit before the point; ties at 8 digits.
text("reals", rng.normal(size=(2, 3)), **every_way)
text("line", np.arange(100) * 0.5 - 7, **every_way)
text("large", [1e8, 1, -2.5], **every_way)
text("below_large", [99999999.0, 1e5])
text("ratio", [1, 0.001, 0.0009], **every_way)
text("just_within", [1, 0.001])
text("small", [1e-5, -3e-300, 5e-324], **every_way)
text("exponents", [1e300, -1.5e-300, 2.0])
text("rounded_up", [0.999999999, 9.9999999999, -1.4999999999999], **every_way)
text("ties", [0.0048828125, 0.00048828125 * 3, 2.0**-9 + 1], **every_way)
text("mixed", [np.nan, np.inf, -np.inf, 1.5], **every_way)
text("nan_and_exponents", [np.nan, 1e20, -np.inf], **every_way)
text("nans", [np.nan, np.nan])
text("infinities", [np.inf, -np.inf])
text("zeros", [-0.0, 0.0], **every_way)
text("integers", [1.0, 2.0, 300.0], **every_way)

# Extents: nothing, one element, those at the threshold, axes of which some are cut; ranks 0 to 8.
text("empty", np.zeros(0))
text("empty_rows", np.zeros((2, 0, 3)))
text("one", [[1.5]])
text("scalar", 1 / 3, **every_way)
text("thousand", np.arange(1000) / 8)
text("more_than_thousand", np.arange(1001) / 8)
text("matrix", np.arange(2000).reshape(50, 40) / 4)
text("few_long_rows", np.arange(1500).reshape(3, 500) / 4)
text("seven_rows", np.arange(1400).reshape(7, 200) / 4)
text("cube", rng.normal(size=(11, 12, 13)), edges={"threshold": 5, "edgeitems": 1})
text("wrapped_rows", rng.normal(size=(3, 40)), **every_way)
text("rank_4", np.arange(24).reshape(2, 3, 2, 2))
text("rank_8", np.arange(16).reshape(2, 1, 2, 1, 2, 1, 2, 1), edges={"threshold": 5, "edgeitems": 1})

# Other types, with their limits.
text("floats", rng.normal(size=(3, 4)), np.float32, **every_way)
text("float_limits", [np.finfo(np.float32).max, np.finfo(np.float32).tiny, 1e-45], np.float32, **every_way)
text("float_third", [1 / 3, 16777216, 0.1], np.float32, **every_way)
text("float_integers", [99999992, 33554434, -2], np.float32, **every_way)
text("halves", [1 / 3, 1000, 0.1, 65504, 6e-8, -2], np.float16, **every_way)
archive["halves"] = archive["halves"].astype(np.float32)
for bits in (8, 16, 32, 64):
    for kind in (np.dtype(f"i{bits // 8}").type, np.dtype(f"u{bits // 8}").type):
        limits = np.iinfo(kind)
        text(np.dtype(kind).name, [[limits.min, 0, 1], [limits.max, 7, 42]], kind)
text("bools", [[True, False], [False, True]], bool)
text("trues", [True, True], bool)
text("bool", True, bool)
text("complex128", (rng.normal(size=(2, 3)) + 1j * rng.normal(size=(2, 3))), np.complex128, **every_way)
text("complex64", (rng.normal(size=5) + 1j * rng.normal(size=5)), np.complex64, **every_way)
text("complex_mixed", [complex(1, -2), complex(np.nan, np.inf), complex(0.25, -np.inf), complex(-1, np.nan)], np.complex128, **every_way)
text("complex_exponents", [1e10 + 1j, -2 - 1e-9j], np.complex128, **every_way)
text("complex_scalar", 1.5 - 2j, np.complex128)
np.savez(f"{sys.argv[1]}/print/data/numpy.npz", **archive)
