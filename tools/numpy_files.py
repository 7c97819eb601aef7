#!/usr/bin/env python3
# SPDX-FileCopyrightText: the Quern authors
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Writes the files of NumPy that the tests read: numpy_files.py FOLDER (tests/files/data)."""
import pathlib
import sys

import numpy as np
from numpy.lib import format

folder = pathlib.Path(sys.argv[1])
folder.mkdir(parents=True, exist_ok=True)
# Element i of row-major order is a function of i that the tests know.
base = np.arange(24).reshape(2, 3, 4)
types = ["bool", "int8", "int16", "int32", "int64", "uint8", "uint16", "uint32", "uint64", "float16", "float32", "float64",
         "complex64", "complex128"]
for name in types:
    values = base % 2 == 1 if name == "bool" else base.astype(name) * (1 - 2j if name.startswith("complex") else 1)
    values = values.astype(name)
    np.save(folder / f"{name}.npy", values)
    if values.itemsize > 1: np.save(folder / f"{name}_big.npy", values.astype(values.dtype.newbyteorder(">")))
np.save(folder / "fortran.npy", np.asfortranarray(base.astype("float64")))
np.save(folder / "scalar.npy", np.array(2.5))
np.save(folder / "vector.npy", np.arange(5, dtype="float32"))
np.save(folder / "empty.npy", np.zeros((0, 3)))
for version in (2, 3):
    with open(folder / f"version{version}.npy", "wb") as f: format.write_array(f, base.astype("int32"), version=(version, 0))
np.savez(folder / "stored.npz", u=base.astype("float64"), v=np.arange(7, dtype="int16"))
np.savez_compressed(folder / "compressed.npz", u=np.asfortranarray(base.astype("float64")),
                    long=(np.arange(100000) % 1000).astype("int32"))
np.save(folder / "objects.npy", np.array([None, "a"], dtype=object))
np.save(folder / "records.npy", np.zeros(2, dtype=[("a", "f8"), ("b", "i4")]))
np.save(folder / "strings.npy", np.array(["a", "bc"]))
np.savez(folder / "mixed.npz", u=np.arange(5, dtype="float64"), names=np.array(["a", "bc"]),
         records=np.zeros(2, dtype=[("a", "f8"), ("b", "i4")]), objects=np.array([None, "a"], dtype=object))
