#!/usr/bin/env python3
# SPDX-FileCopyrightText: the Quern authors
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Writes tests/scan/data/unwrap.npz: NumPy's unwrap of angles with jumps. NumPy's version stands in the file:

    python3 tools/unwrap_reference.py tests
"""
import sys

import numpy as np

rng = np.random.default_rng(20261202)
arrays = {"numpy_version": np.frombuffer(np.__version__.encode(), np.uint8)}
arrays["phase"] = np.angle(np.exp(1j * np.cumsum(rng.uniform(-2.5, 2.5, (5, 40)), axis=1)))
for axis in (0, 1):
    arrays[f"unwrapped_{axis}"] = np.unwrap(arrays["phase"], axis=axis)
arrays["discontinuity"] = np.unwrap(arrays["phase"], discont=4.5)
arrays["degrees"] = np.array([0, 90, 180, 270, 0, 350, 10, 190, 10, -170, -350, 5], np.float64)
arrays["of_degrees"] = np.unwrap(arrays["degrees"], period=360)
arrays["special"] = np.array([0, 3, 6, np.nan, 1, 2])
arrays["of_special"] = np.unwrap(arrays["special"])
np.savez(f"{sys.argv[1]}/scan/data/unwrap.npz", **arrays)
