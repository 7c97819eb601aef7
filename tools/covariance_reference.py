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
arrays["cov_two"] = np.cov(x[0], x[1])
arrays["cov_one"] = np.cov(x[0], ddof=0)
arrays["corrcoef_two"] = np.corrcoef(x[0], x[1])
arrays["whole"] = rng.integers(-9, 9, (3, 11)).astype(np.int32)
arrays["cov_whole"] = np.cov(arrays["whole"])

# Weights of observations: how often each was made, how important it is, and both.
f = arrays["fweights"] = rng.integers(0, 4, 23).astype(np.int32)
a = arrays["aweights"] = rng.uniform(0, 2, 23)
arrays["cov_f"] = np.cov(x, fweights=f)
arrays["cov_a"] = np.cov(x, aweights=a)
arrays["cov_fa"] = np.cov(x, fweights=f, aweights=a)
arrays["cov_fa_biased"] = np.cov(x, fweights=f, aweights=a, bias=True)
arrays["cov_fa_3"] = np.cov(x, fweights=f, aweights=a, ddof=3)
arrays["cov_a_columns"] = np.cov(x[:, :7], rowvar=False, aweights=a[:4])
arrays["cov_z_fa"] = np.cov(z, fweights=f, aweights=a)
arrays["cov_whole_f"] = np.cov(arrays["whole"], fweights=f[:11])
np.savez(f"{sys.argv[1]}/linalg/data/covariance.npz", **arrays)
