#!/usr/bin/env python3
# SPDX-FileCopyrightText: the Quern authors
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Writes the file of h5py that the tests read: hdf5_files.py FILE (tests/files/data/types.h5).

A group for each type, with datasets `rank0` to `rank3` and attributes of those names, and one attribute `one` of extents
(1). Element k of a number is n = k + 1, of a complex number n - 2n i, of a boolean n % 2."""
import sys

import h5py
import numpy as np
from h5py import h5a, h5d, h5p, h5s, h5t

shapes = [(), (3,), (3, 2), (3, 2, 2)]
count = 12
untimed = h5p.create(h5p.DATASET_CREATE)
untimed.set_obj_track_times(False)


def space_of(shape): return h5s.create(h5s.SCALAR) if shape == () else h5s.create_simple(shape)


def write(group, kind, raw):
    """raw: bytes of `count` elements of the type."""
    size = kind.get_size()
    names = [(f"rank{len(s)}", s) for s in shapes]
    for name, shape in names + [("one", (1,))]:
        n = int(np.prod(shape))
        elements = np.frombuffer(raw[:n * size], dtype=f"V{size}").reshape(shape)
        attribute = h5a.create(group.id, name.encode(), kind, space_of(shape))
        attribute.write(elements, mtype=kind)
        if name == "one": continue
        h5d.create(group.id, name.encode(), kind, space_of(shape), untimed).write(h5s.ALL, h5s.ALL, elements, mtype=kind)


def write_objects(group, elements, dtype):
    """Of types whose elements lie elsewhere in the file."""
    for name, shape in [(f"rank{len(s)}", s) for s in shapes] + [("one", (1,))]:
        n = int(np.prod(shape))
        values = np.empty(n, dtype=object)
        values[:] = elements[:n]
        values = values[0] if shape == () else values.reshape(shape)
        group.attrs.create(name, values, shape=shape, dtype=dtype)
        if name != "one": group.create_dataset(name, data=values, shape=shape, dtype=dtype, track_times=False)


def enumeration(base, members):
    kind = h5t.enum_create(base)
    for name, value in members: kind.enum_insert(name.encode(), value)
    return kind


def compound(size, members):
    kind = h5t.create(h5t.COMPOUND, size)
    for name, offset, part in members: kind.insert(name.encode(), offset, part)
    return kind


def resized(kind, bits, size):
    kind = kind.copy()
    if size > kind.get_size():
        kind.set_size(size)
        kind.set_precision(bits)
    else:
        kind.set_precision(bits)
        kind.set_size(size)
    return kind


def numbers(file):
    n = np.arange(1, count + 1)
    for name in ["int8", "int16", "int32", "int64", "uint8", "uint16", "uint32", "uint64", "float16", "float32", "float64",
                 "complex64", "complex128"]:
        values = n * (1 - 2j) if name.startswith("complex") else n
        for order, suffix in [("<", ""), (">", "_big")]:
            dtype = np.dtype(name).newbyteorder(order)
            if dtype.itemsize == 1 and suffix: continue
            write(file.create_group(name + suffix), h5t.py_create(dtype, logical=True), values.astype(dtype).tobytes())
    parity = (n % 2).astype("i1")
    write(file.create_group("bool"), h5t.py_create(np.dtype("bool"), logical=True), parity.tobytes())
    # Members in another order, and of another size: they are booleans by their names and values.
    write(file.create_group("bool_turned"), enumeration(h5t.STD_I8LE, [("TRUE", 1), ("FALSE", 0)]), parity.tobytes())
    write(file.create_group("bool_int32"), enumeration(h5t.STD_I32BE, [("FALSE", 0), ("TRUE", 1)]),
          parity.astype(">i4").tobytes())
    # The upper halves of float32; integers of 24 bits.
    bfloat16 = h5t.IEEE_F32LE.copy()
    bfloat16.set_fields(15, 7, 8, 0, 7)
    bfloat16.set_precision(16)
    bfloat16.set_size(2)
    upper = (n.astype("<f4").view("<u4") >> 16).astype("<u2")
    write(file.create_group("bfloat16"), bfloat16, upper.tobytes())
    low = b"".join(int(v).to_bytes(3, "little") for v in n)
    write(file.create_group("int24"), resized(h5t.STD_I32LE, 24, 3), low)


def others(file):
    n = np.arange(1, count + 1)
    f4, f8 = h5t.IEEE_F32LE, h5t.IEEE_F64LE
    pairs4, pairs8 = np.arange(2 * count, dtype="<f4").tobytes(), np.arange(2 * count, dtype="<f8").tobytes()
    small = (n % 2).astype("u1").tobytes()
    write(file.create_group("switch"), enumeration(h5t.STD_U8LE, [("ON", 0), ("OFF", 1)]), small)
    write(file.create_group("inverted"), enumeration(h5t.STD_I8LE, [("TRUE", 0), ("FALSE", 1)]), small)
    write(file.create_group("colour"), enumeration(h5t.STD_I16BE, [("RED", 1), ("GREEN", 2), ("BLUE", -3)]), 2 * small)
    write(file.create_group("point"), compound(8, [("x", 0, f4), ("y", 4, f4)]), pairs4)
    write(file.create_group("point64"), compound(16, [("real", 0, f8), ("imag", 8, f8)]), pairs8)
    write(file.create_group("exchanged"), compound(16, [("i", 0, f8), ("r", 8, f8)]), pairs8)
    write(file.create_group("mixed"), compound(16, [("r", 0, f4), ("i", 8, f8)]), pairs8)
    write(file.create_group("gap"), compound(24, [("r", 0, f8), ("i", 16, f8)]), bytes(24 * count))
    write(file.create_group("integers"), compound(8, [("r", 0, h5t.STD_I32LE), ("i", 4, h5t.STD_I32LE)]), pairs4)
    write(file.create_group("record"), compound(12, [("n", 0, h5t.STD_I32LE), ("v", 4, f8)]), bytes(12 * count))
    write(file.create_group("array"), h5t.array_create(f8, (3,)), np.arange(3 * count, dtype="<f8").tobytes())
    write(file.create_group("int128"), resized(h5t.STD_I64LE, 128, 16), bytes(16 * count))
    write(file.create_group("float80"), h5t.NATIVE_LDOUBLE, n.astype(np.longdouble).tobytes())
    opaque = h5t.create(h5t.OPAQUE, 5)
    opaque.set_tag(b"bytes")
    write(file.create_group("opaque"), opaque, bytes(5 * count))
    write(file.create_group("bits"), h5t.STD_B8LE, small)
    text = h5t.C_S1.copy()
    text.set_size(4)
    text.set_strpad(h5t.STR_NULLPAD)
    write(file.create_group("fixed_text"), text, b"a\0b\0" * count)
    write_objects(file.create_group("text"), [f"tëxt {i}" for i in n], h5py.string_dtype())
    sequences = file.create_group("sequence")
    kind = h5py.vlen_dtype(np.dtype("i4"))
    for shape in shapes:
        for make in [lambda n, s: sequences.create_dataset(n, s, dtype=kind, track_times=False),
                     lambda n, s: h5a.create(sequences.id, n.encode(), h5t.py_create(kind, logical=True), space_of(s))]:
            make(f"rank{len(shape)}", shape)
    h5a.create(sequences.id, b"one", h5t.py_create(kind, logical=True), space_of((1,)))
    references = file.create_group("reference")
    write_objects(references, [references.ref] * count, h5py.ref_dtype)
    regions = file.create_group("region")
    write_objects(regions, [file["int8/rank1"].regionref[0:2]] * count, h5py.regionref_dtype)
    # Without elements at all, and of extents with a zero.
    empty = file.create_group("empty")
    for name, dtype in [("float", "f8"), ("text", h5py.string_dtype())]:
        empty.create_dataset(name, data=h5py.Empty(dtype), track_times=False)
        empty.attrs[name] = h5py.Empty(dtype)
    empty.create_dataset("rows", (0, 3), "f8", track_times=False)
    empty.attrs["rows"] = np.zeros((0, 3))


def texts(file):
    """Texts as attributes of the file."""
    file.attrs["str"] = "tëxt"
    file.attrs["ascii"] = np.array("abc", dtype=h5py.string_dtype("ascii"))
    file.attrs["bytes"] = np.bytes_(b"a\0bc")
    file.attrs["nothing"] = ""
    file.attrs["thousand"] = [f"name {i}" for i in range(1000)]
    file.attrs["thousand_bytes"] = np.array([f"name {i}".encode() for i in range(1000)])
    for name, pad in [("terminated", h5t.STR_NULLTERM), ("spaces", h5t.STR_SPACEPAD)]:
        kind = h5t.C_S1.copy()
        kind.set_size(6)
        kind.set_strpad(pad)
        h5a.create(file.id, name.encode(), kind, space_of(())).write(
            np.frombuffer(b"ab\0xyz" if name == "terminated" else b"a b   ", dtype="V6").reshape(()), mtype=kind)
    file.attrs["wide"] = np.int64(-2**40)
    file.attrs["large"] = np.uint64(2**64 - 1)


with h5py.File(sys.argv[1], "w") as out:
    numbers(out)
    others(out)
    texts(out)
