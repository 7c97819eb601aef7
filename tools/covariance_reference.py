#!/usr/bin/env python3
# SPDX-FileCopyrightText: the Quern authors
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Writes tests/linalg/data/covariance.npz: NumPy's cov and corrcoef of random variables. NumPy's version stands in the file:

    python3 tools/covariance_reference.py tests
"""
import sys

import numpy as np

rng = np.random.default_rng(20261203)
arrays = {"numpy_version": np.frombuffer(np.__version__.encode(), np.uint8)}
x = arrays["x"] = rng.normal(size=(4, 1)) + rng.normal(size=(4, 4)) @ rng.normal(size=(4, 23))
arrays["cov"] = np.cov(x)
arrays["cov_biased"] = np.cov(x, ddof=0)
arrays["cov_columns"] = np.cov(x[:, :7], rowvar=False)
arrays["corrcoef"] = np.corrcoef(x)
arrays["corrcoef_columns"] = np.corrcoef(x[:, :7], rowvar=False)
z = arrays["z"] = x[:2] + 1j * x[2:]
arrays["cov_z"] = np.cov(z)
arrays["corrcoef_z"] = np.corrcoef(z)
arrays["whole"] = rng.integers(-9, 9, (3, 11)).astype(np.int32)
arrays["cov_whole"] = np.cov(arrays["whole"])
np.savez(f"{sys.argv[1]}/linalg/data/covariance.npz", **arrays)
