#!/usr/bin/env python3
# SPDX-FileCopyrightText: the Quern authors
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Calls the quern program as a user does and checks exit codes, messages, records and files."""
import decimal
import json
import os
import resource
import signal
import struct
import subprocess
import sys
import tempfile
import time
import zipfile

PROGRAM, MPIEXEC, *MPI_ENVIRONMENT = sys.argv[1:]
os.environ.setdefault("OMP_PROC_BIND", "false")
signal.signal(signal.SIGINT, signal.default_int_handler)  # what a background shell ignores, its programs would as well
os.chdir(tempfile.mkdtemp())


def call(*arguments):
    done = subprocess.run([PROGRAM, *arguments], capture_output=True, text=True, timeout=250)
    return done.returncode, done.stdout, done.stderr


def expect(code, message, *arguments):
    """The exit code, and a part of what is printed."""
    got, out, err = call(*arguments)
    assert got == code, f"{arguments}: exit code {got}, expected {code}\n{out}{err}"
    assert message in out + err, f"{arguments}: expected '{message}' in\n{out}{err}"
    return out


def npy(path, dtype, shape, data, fortran=False):
    header = f"{{'descr': '{dtype}', 'fortran_order': {fortran}, 'shape': {shape}, }}".ljust(117) + "\n"
    with open(path, "wb") as f:
        f.write(b"\x93NUMPY\x01\x00" + struct.pack("<H", len(header)) + header.encode() + data)


def interrupt(number, began, *command, **settings):
    """Sends a signal once `began` is true of the process; its exit code, what it printed from then on, and its errors."""
    running = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, **settings)
    began(running)
    running.send_signal(number)
    out, err = running.communicate(timeout=60)
    return running.returncode, out, err


def line_with(text):
    return lambda running: next(line for line in iter(running.stdout.readline, "") if text in line)


def unfinished_file(name):
    def wait(running):
        while not any(f.startswith(name + ".part-") for f in os.listdir(".")):
            assert running.poll() is None, f"no unfinished {name} was seen: {running.communicate()}"
            time.sleep(0.01)
        time.sleep(0.1)
    return wait


def left_over():
    return [f for f in os.listdir(".") if ".part" in f]


# What it knows, every component by its name.
about = expect(0, "Kokkos", "info")
for component in ("core", "linalg", "fft", "files", "zlib", "hdf5", "distributed", "nccl", "rccl"):
    line = next(line.split() for line in about.splitlines() if line.startswith(f"  {component} "))
    assert line[1] in ("yes", "no"), line
expect(2, "--limits needs a call without a file", "info", "data.npy", "--limits")
listed = expect(0, "vector_add", "list").splitlines()
distributed = [line.split()[0] for line in listed if line.endswith("under mpirun")]
names = {line.split()[0] for line in listed if not line.startswith(" ") and not line.endswith("under mpirun")}
assert len(names) >= 14, names

# Every workload at a small size, with its record.
expect(0, "verified", "run", "--size", "64", "--repeat", "2", "--json", "all.json")
records = json.load(open("all.json"))
missing = {line.split()[0] for line in expect(0, "", "list").splitlines() if " needs " in line}
for name in missing:  # said by name, with what to install
    expect(2, f"{name} needs a LAPACK: build Quern with QUERN_ENABLE_LINALG=ON", "run", name)
names -= missing
keys = ["workload", "type", "size", "seconds", "bytes", "flops", "fraction_of_limit", "speedup", "verified"]
assert {r["workload"] for r in records} == names
for r in records:
    assert sorted(r) == sorted(keys), r
    assert r["verified"] is True and r["seconds"] > 0 and r["speedup"] > 0, r

# Over the ranks of MPI.
def on_ranks(count, *arguments):
    done = subprocess.run([MPIEXEC, "-n", str(count), PROGRAM, *arguments], capture_output=True, text=True, timeout=250,
                          env={**os.environ, **dict(setting.split("=", 1) for setting in MPI_ENVIRONMENT)})
    return done.returncode, done.stdout, done.stderr


if distributed:
    expect(0, "1 rank on 1 node, weak scaling", "run", "halo", "--size", "8", "--repeat", "2")
    sized = [name for name in distributed if name not in ("allreduce", "distributed_svd")]
    for some, size in ((sized, ("--size", "24")), (["allreduce"], ()), (distributed[-1:], ("--size", "200"))):
        if some == ["distributed_sum"]: continue  # without a LAPACK
        code, out, err = on_ranks(3, "run", *some, *size, "--repeat", "2", "--json", "ranks.json")
        assert code == 0 and "3 ranks on 1 node" in out, out + err
        records = json.load(open("ranks.json"))
        assert [r["workload"] for r in records] == some, records
        for r in records:
            assert r["verified"] is True and r["ranks"] == 3 and r["nodes"] == 1 and r["efficiency"] > 0, r
    code, out, err = on_ranks(2, "run", "heat", "--size", "24", "--repeat", "2", "--scaling", "strong")
    assert code == 0 and "24 x 24 x 24 x 10" in out and "strong scaling" in out, out + err
    code, out, err = on_ranks(2, "run", "median")
    assert code == 2 and err.count("'median' does not run on several processes") == 1, out + err
    # One rank prints, whatever is asked for.
    for arguments, text, expected in (
        (("info",), "components:", 0), (("list",), "selu ", 0), (("--version",), "0.3", 0), (("run", "--help"), "--scaling", 0),
        (("frobnicate",), "frobnicate", 2), (("run", "--size", "none"), "--size is 'none'", 2),
        (("run", "heat", "--input", "x.npy"), "no workload on several processes takes --input", 2),
        (("run", "heat", "--chunked"), "--chunked needs an --input", 2),
        (("run", "heat", "allreduce", "--size", "8"), "allreduce takes no --size; heat, halo, distributed_sum", 2),
        (("run", "allreduce", "--size", "8"), "allreduce takes no --size; heat, halo, distributed_sum", 2),
        (("run", "halo", "--json", "nowhere/x.json"), "nowhere/x.json: cannot be opened for writing", 2),
    ):
        code, out, err = on_ranks(2, *arguments)
        own = "\n".join(line for line in (out + err).splitlines() if text in line)
        assert (code == 0) == (expected == 0) and own.count(text) == 1, (arguments, code, out, err)
    npy("one.npy", "<f8", "(1,)", struct.pack("<d", 1))
    code, out, err = on_ranks(2, "convert", "one.npy", "copy.npy")
    assert code != 0 and err.count("convert runs in one process, and was started in 2") == 1, (code, err)
    assert not os.path.exists("copy.npy")
    code, out, err = on_ranks(1, "convert", "one.npy", "copy.npy")
    assert code == 0 and os.path.exists("copy.npy"), err
    code, out, err = on_ranks(1, "run", "heat", "--size", "16", "--repeat", "2", "--scaling", "strong")
    assert code == 0 and "1 rank on 1 node, strong scaling" in out, out + err
expect(2, "--scaling needs ranks, as in: mpirun -n 4 quern run heat --scaling strong", "run", "sum", "--scaling", "strong")

# Arrays.
values = [0.5 * i for i in range(1000)]
npy("data.npy", "<f8", "(10, 100)", struct.pack("<1000d", *values))
expect(0, f"sum = {sum(values):g}", "run", "sum", "--input", "data.npy")
expect(0, "mean = 249.75", "run", "mean_var", "--input", "data.npy")
expect(0, "argmax = 999", "run", "argmax", "--input", "data.npy")
expect(0, f"sum = {sum(values):g}", "run", "sum_reproducible", "--input", "data.npy")
expect(0, "stddev = 144.3", "run", "stddev", "--input", "data.npy")
npy("ints.npy", "<i4", "(3,)", struct.pack("<3i", 1, 2, -7))
expect(0, "sum = -4", "run", "sum", "--input", "ints.npy")
npy("bytes.npy", "|u1", "(3,)", bytes([250, 255, 7]))
expect(0, "sum = 512", "run", "sum", "--input", "bytes.npy")
npy("short.npy", "<f8", "(1000,)", b"\0" * 79)
expect(2, "short.npy: is truncated: it has 207 bytes, too few for float64 (1000)", "run", "sum", "--input", "short.npy")
npy("complex.npy", "<c16", "(2,)", b"\0" * 32)
expect(2, "complex.npy: expected bool, float16 to float64 or integers other than uint64, found complex128", "run", "sum", "--input", "complex.npy")
expect(2, "complex.npy: expected bool, float16", "run", "sum", "--chunked", "--input", "complex.npy")
npy("unsigned.npy", "<u8", "(1,)", b"\xff" * 8)
expect(2, "found uint64", "run", "sum", "--input", "unsigned.npy")
npy("fortran.npy", "<f8", "(2, 3)", struct.pack("<6d", 1, 2, 3, 4, 9, 5), fortran=True)  # ((1, 3, 9), (2, 4, 5))
expect(0, "sum = 24", "run", "sum", "--input", "fortran.npy")
expect(0, "argmax = 2", "run", "argmax", "--input", "fortran.npy")
expect(0, "sum = 24", "run", "sum", "--chunked", "--input", "fortran.npy")
expect(2, "argmax counts in C order", "run", "argmax", "--chunked", "--input", "fortran.npy")

# Every type that is taken, with its own name and its own bytes.
types = {"<f4": ("float32", struct.pack("<3f", 1, -2, 4.5), 3.5), ">f2": ("float16", struct.pack(">3e", 1, -2, 65504), 65503),
         "|b1": ("bool", bytes([1, 0, 1]), 2), "|i1": ("int8", bytes([1, 255, 128]), -128), "<u2": ("uint16", struct.pack("<3H", 1, 2, 65535), 65538),
         ">u4": ("uint32", struct.pack(">3I", 1, 2, 2**32 - 1), 2**32 + 2), "<i8": ("int64", struct.pack("<3q", 1, -2, 2**62), 2**62 - 1)}
for dtype, (name, data, total) in types.items():
    npy("typed.npy", dtype, "(3,)", data)
    for further in ((), ("--chunked",)) if dtype[1:] in ("f2", "b1", "u4") else ((),):
        out = expect(0, "sum = ", "run", "sum", "--input", "typed.npy", "--json", "typed.json", *further)
        assert decimal.Decimal(out.split("sum = ")[1].split()[0]) == total, (dtype, further, out)
        record = json.load(open("typed.json"))[0]
        assert (record["type"], record["bytes"], record["verified"]) == (name, len(data), True), record
        assert out.split("sum ", 1)[1].split()[0] == name, out

# Archives, of one array or of several.
with zipfile.ZipFile("two.npz", "w") as archive:
    archive.write("ints.npy", "a.npy")
    archive.write("fortran.npy", "b.npy")
expect(2, "two.npz: has 2 arrays, and none was named: a, b", "run", "sum", "--input", "two.npz")
expect(0, "argmax = 2", "run", "argmax", "--input", "two.npz", "--array", "b")
expect(2, "--array needs an --input that may hold several arrays", "run", "sum", "--input", "data.npy", "--array", "b")
expect(2, "--chunked needs a .npy file", "run", "sum", "--input", "two.npz", "--chunked")
expect(2, "missing.npy: cannot be opened: No such file", "run", "sum", "--input", "missing.npy")

# Headers that no program should believe, data without a number, and no data.
npy("huge.npy", "<f8", "(4294967296, 4294967296)", b"")
expect(2, "huge.npy: its header has extents of more than 64 bits", "run", "sum", "--input", "huge.npy")
npy("negative.npy", "<f8", "(-1,)", b"\0" * 8)
expect(2, "negative.npy: its header has no extent at character", "run", "sum", "--input", "negative.npy")
npy("digits.npy", "<f8", "(12345678901234567890123,)", b"")
expect(2, "digits.npy: its header has an extent of more than 64 bits", "run", "sum", "--input", "digits.npy")
nan, inf = float("nan"), float("inf")
npy("nan.npy", "<f8", "(4,)", struct.pack("<4d", 1, nan, 3, 2))
for name, result in {"sum": "nan", "sum_reproducible": "nan", "median": "nan", "mean_var": "mean = nan", "argmax": "argmax = 1"}.items():
    expect(0, result, "run", name, "--input", "nan.npy")
npy("inf.npy", "<f8", "(3,)", struct.pack("<3d", 1, inf, 3))
expect(0, "sum = inf", "run", "sum", "--input", "inf.npy")
npy("overflow.npy", "<f8", "(2,)", struct.pack("<2d", 1.7e308, 1.7e308))
expect(0, "sum = inf", "run", "sum", "--input", "overflow.npy")
npy("none.npy", "<f8", "(0,)", b"")
assert "nan" not in expect(0, "sum = 0", "run", "sum", "--input", "none.npy")
expect(2, "a file brings its own size", "run", "sum", "--input", "data.npy", "--size", "100")

# In chunks.
chunks = ("--chunked", "--memory", "2K", "--input", "data.npy")
for name, result in {"sum": f"sum = {sum(values):g}", "sum_reproducible": f"sum = {sum(values):g}", "mean_var": "mean = 249.75",
                     "stddev": "stddev = 144.3", "argmax": "argmax = 999"}.items():
    assert "NO" not in expect(0, result, "run", name, *chunks), name
for name, dtype, data, result in (("ints", "<i4", struct.pack("<3i", 1, 2, -7), "sum = -4"), ("bytes", "|u1", bytes([250, 255, 7]), "sum = 512"),
                                  ("big", ">f8", struct.pack(">3d", 1, 2, 4), "sum = 7"), ("shorts", ">i2", struct.pack(">3h", 1, -2, 300), "sum = 299")):
    npy(f"{name}.npy", dtype, "(3,)", data)
    assert "NO" not in expect(0, result, "run", "sum", "--chunked", "--input", f"{name}.npy")
expect(0, "argmax = 1", "run", "argmax", "--chunked", "--input", "nan.npy")
expect(2, "smooth takes no --chunked", "run", "smooth", "--chunked", "--input", "data.npy")
expect(2, "--chunked needs an --input", "run", "sum", "--chunked")
expect(1, "quern::sum: the memory of 10 bytes is too little for chunks of 1 along axis 0, which take 24", "run", "sum", "--chunked",
       "--input", "data.npy", "--memory", "10")

# Ctrl-C ends it at the next chunk: of a file of zeros that takes no room on the disk.
npy("sparse.npy", "<f8", "(8000000000,)", b"")
os.truncate("sparse.npy", 128 + 64 * 10**9)
chunked = [PROGRAM, "run", "sum", "--chunked", "--memory", "50M", "--input", "sparse.npy", "--json", "chunked.json"]
code, _, err = interrupt(signal.SIGINT, line_with("verified"), *chunked)
assert code == 130 and err.count("quern: interrupted") == 1, (code, err)
assert not os.path.exists("chunked.json") and not left_over()

# A signal that is ignored when the program is started stays ignored, as in a background job of a script.
running = subprocess.Popen([PROGRAM, "run", "selu", "--size", "1000", "--repeat", "20000"], stdout=subprocess.PIPE, text=True,
                           preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_IGN))
line_with("-----")(running)
running.send_signal(signal.SIGINT)
assert "yes" in running.communicate(timeout=60)[0] and running.returncode == 0, running.returncode

# A conversion that is interrupted leaves the earlier file and nothing else.
for target in ("target.npy",) if "without HDF5" in call("convert", "data.npy", "probe.h5")[2] else ("target.npy", "target.h5"):
    expect(0, "", "convert", "data.npy", target)
    before = open(target, "rb").read()
    code, _, err = interrupt(signal.SIGTERM, unfinished_file(target), PROGRAM, "convert", "sparse.npy", target)
    assert code == 143 and err.count("quern: interrupted") == 1, (code, err)
    assert open(target, "rb").read() == before and not left_over(), os.listdir(".")
os.remove("sparse.npy")

# What a process has open is written where it is, and not replaced.
with open("open.log", "w") as log:
    log.write("before\n")
    log.flush()
    subprocess.run([PROGRAM, "run", "sum", "--input", "data.npy", "--json", "/dev/stdout"], stdout=log, check=True)
assert open("open.log").read().startswith("before\n") and '"verified": true' in open("open.log").read()

# What files hold, and one format as another.
expect(0, "float64 (10, 100)", "info", "data.npy")
expect(0, "int16 (3), big endian", "info", "shorts.npy")
expect(2, "data.txt: its name ends in none of .npy, .npz, .h5 and .hdf5", "info", "data.txt")
expect(0, "", "convert", "shorts.npy", "native.npy")
expect(0, "sum = 299", "run", "sum", "--input", "native.npy")
if "without HDF5" in call("convert", "data.npy", "data.h5")[2]:
    expect(2, "this Quern was built without HDF5 (QUERN_ENABLE_HDF5)", "convert", "data.npy", "data.h5")
else:
    expect(0, "", "convert", "data.npy", "data.h5", "--dataset", "group/u", "--compression", "3")
    expect(0, "group/u  float64 (10, 100)", "info", "data.h5")
    expect(2, "has 2 arrays, and none was named: data, group/u", "convert", "data.h5", "again.npy")
    expect(0, "", "convert", "data.h5", "again.npy", "--array", "group/u")
    assert open("again.npy", "rb").read()[-8000:] == open("data.npy", "rb").read()[-8000:]
    expect(0, "verified", "run", "sum", "--input", "data.h5", "--array", "group/u")
    expect(2, "has 2 arrays, and none was named: data, group/u", "run", "sum", "--input", "data.h5")
    expect(2, "data.h5: there is no dataset none", "convert", "data.h5", "again.npy", "--array", "none")
    expect(0, "", "convert", "fortran.npy", "fortran.h5")

# What is done keeps its records.
for number, status in ((signal.SIGINT, 130), (signal.SIGTERM, 143)):
    command = [PROGRAM, "run", "vector_add", "sum", "matmul", "--size", "2000", "--json", "done.json"]  # of which matmul takes seconds
    code, _, err = interrupt(number, line_with("vector_add "), *command)
    assert code == status and err.count("quern: interrupted") == 1, (code, err)
    records = json.load(open("done.json"))
    assert records and records[0]["workload"] == "vector_add" and len(records) < 5 and all(r["verified"] for r in records), records
    os.remove("done.json")
running = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True)
line_with("vector_add ")(running)
running.kill()
running.wait()
assert json.load(open("done.json"))[0]["workload"] == "vector_add"
os.remove("done.json")
# Also where a later workload fails, in a file and in a pipe.
for target in ("failed.json", "/dev/stdout"):
    code, out, err = call("run", "sum", "argmax", "--chunked", "--input", "fortran.npy", "--json", target)
    assert code == 2 and "argmax counts in C order" in err, (code, err)
    records = open(target).read() if target == "failed.json" else out[out.index("[\n"):]
    assert [r["workload"] for r in json.loads(records)] == ["sum"], records
open("kept.json", "w").write("before")  # where nothing is done
code, _, err = interrupt(signal.SIGINT, line_with("-----"), PROGRAM, "run", "selu", "--repeat", "1000000", "--json", "kept.json")
assert code == 130 and open("kept.json").read() == "before" and not left_over(), (code, err)
if distributed:
    ranks = [MPIEXEC, "-n", "2", PROGRAM, "run", "allreduce", "distributed_sum", "--repeat", "2000", "--json", "ranks_done.json"]
    environment = {**os.environ, **dict(setting.split("=", 1) for setting in MPI_ENVIRONMENT)}
    for number in (signal.SIGINT, signal.SIGTERM):
        code, _, err = interrupt(number, line_with("allreduce "), *ranks, env=environment)
        records = json.load(open("ranks_done.json"))
        assert code != 0 and [r["workload"] for r in records] == ["allreduce"], (code, records, err)
        os.remove("ranks_done.json")

# On a full disk, for which a limit on the size of files stands, an earlier file stays, and nothing else.
def call_without_room(*arguments):
    def without_room():
        resource.setrlimit(resource.RLIMIT_FSIZE, (1000, resource.RLIM_INFINITY))
    done = subprocess.run([PROGRAM, *arguments], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, timeout=250,
                          preexec_fn=without_room)
    return done.returncode, done.stderr


for target, options in (("full.npy", ()), ("full.h5", ()), ("full.h5", ("--compression", "9"))):
    if target.endswith(".h5") and not os.path.exists("data.h5"): continue
    open(target, "w").close()
    os.remove(target)
    expect(0, "", "convert", "fortran.npy", target)
    before = open(target, "rb").read()
    code, err = call_without_room("convert", "data.npy", target, *options)
    assert code == 2 and target + ": " in err, (code, err)
    assert open(target, "rb").read() == before
assert not [f for f in os.listdir(".") if ".part" in f]

# Files are written whole or not at all.
expect(1, "/dev/full: cannot be written: No space left on device", "run", "selu", "--size", "10", "--json", "/dev/full")
for arguments in (("list",), ("--help",), ("info", "data.npy"), ("run", "selu", "--size", "10")):
    with open("/dev/full", "w") as full:
        done = subprocess.run([PROGRAM, *arguments], stdout=full, stderr=subprocess.PIPE, text=True, timeout=250)
    assert done.returncode == 1 and done.stderr.startswith("quern: "), (arguments, done)
open("kept.json.part", "w").write("a user's")
expect(0, "", "run", "selu", "--size", "10", "--json", "kept.json")
assert open("kept.json.part").read() == "a user's"
os.remove("kept.json.part")
open("kept.json", "w").write("before")
running = subprocess.Popen([PROGRAM, "run", "selu", "--repeat", "1000000", "--json", "kept.json"], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL)
running.stdout.readline()  # it has begun
running.kill()
running.wait()
assert open("kept.json").read() == "before"
expect(2, "nowhere/x.json: cannot be opened for writing", "run", "selu", "--json", "nowhere/x.json")

# Records and pictures, too: of records those that are finished stay, of pictures the one that was there.
with open("noise.pgm", "wb") as f:
    f.write(b"P5\n64 64\n255\n" + bytes((x * x * 7 + x // 64) % 251 for x in range(64 * 64)))
for target, arguments in (("full.json", ("selu", "sum", "stddev", "median", "argmax", "cumsum", "--size", "10", "--json")),
                          ("full.pgm", ("smooth", "--input", "noise.pgm", "--output")),
                          ("full.png", ("smooth", "--input", "noise.pgm", "--output"))):
    open(target, "w").write("before")
    code, err = call_without_room("run", *arguments, target)
    assert code != 0 and target in err, (target, code, err)
    left = open(target).read()
    assert (len(json.loads(left)) > 0 if target == "full.json" else left == "before"), (target, left)
    assert not [f for f in os.listdir(".") if ".part" in f], os.listdir(".")

# Images: a single bright pixel spreads over its neighbours, the border stays.
width, height = 9, 7
pixels = bytearray(width * height)
pixels[3 * width + 4] = 90
pixels[0] = 255
with open("dot.pgm", "wb") as f:
    f.write(b"P5\n9 7\n255\n" + pixels)
expect(0, "written to smooth.pgm", "run", "smooth", "--input", "dot.pgm", "--output", "smooth.pgm")
smooth = open("smooth.pgm", "rb").read()[-width * height :]
for y in range(height):
    for x in range(width):
        near_dot = abs(y - 3) <= 1 and abs(x - 4) <= 1
        wanted = 255 if (x, y) == (0, 0) else 28 if (x, y) == (1, 1) else 10 if near_dot else 0
        assert smooth[y * width + x] == wanted, (x, y, smooth[y * width + x])
expect(0, "written to smooth.png", "run", "smooth", "--input", "dot.pgm", "--output", "smooth.png")
expect(0, "verified", "run", "smooth", "--input", "smooth.png")
for name in ("smooth.jpg", "smooth.jpeg"):  # what it is called
    expect(0, f"written to {name}", "run", "smooth", "--input", "dot.pgm", "--output", name)
    assert open(name, "rb").read()[:3] == b"\xff\xd8\xff"
    expect(0, "uint8", "run", "smooth", "--input", name)
code, _, err = interrupt(signal.SIGINT, line_with("-----"), PROGRAM, "run", "smooth", "--input", "dot.pgm", "--output", "none.png", "--repeat", "10000000")
assert code == 130 and not os.path.exists("none.png") and not left_over(), (code, err)
expect(2, "data.npy: expected a whole PNG, JPEG, PGM or PPM image", "run", "smooth", "--input", "data.npy")
for name, ending in (("smooth.gif", ".gif"), ("smooth", ""), ("smooth.PNG", ".PNG"), ("smooth.npy", ".npy")):
    expect(2, f"{name}: expected an output that ends in .png, .jpg, .jpeg, .pgm or .ppm, found '{ending}'", "run", "smooth", "--input", "dot.pgm",
           "--output", name)
expect(2, "smooth.ppm: expected 3 channels for .ppm, found 1", "run", "smooth", "--input", "dot.pgm", "--output", "smooth.ppm")

# Descriptions of CSV files.
open("data.csv", "w").write("name,x,n\na,1.5,1\nb,,2\nc,2.5,3\n")
out = expect(0, "3 rows", "run", "describe", "--input", "data.csv", "--json", "csv.json")
assert json.load(open("csv.json"))[0]["verified"] is True
assert "statistic         x    n\n  0     count  2.000000  3.0\n  1      mean  2.000000  2.0" in out, out
assert "not described: 'name' (text)" in out, out
open("texts.csv", "w").write("name\na\n")
expect(2, "texts.csv: quern::Table::describe: there is no column of numbers", "run", "describe", "--input", "texts.csv")
open("ragged.csv", "w").write("a,b\n1\n1,2,3\n")
expect(2, "ragged.csv: line 3: 3 fields, expected 2", "run", "describe", "--input", "ragged.csv")
expect(2, "none.csv: cannot be read: No such file", "run", "describe", "--input", "none.csv")

# No option is ignored: each workload takes it, or says that it does not and who does; so do the other commands.
takers = {"sum", "sum_reproducible", "mean_var", "stddev", "median", "argmax"}
for name in names - takers:
    option = "--chunked" if name in ("smooth", "describe") else "--input"
    expect(2, f"{name} takes no {option}; sum, sum_reproducible", "run", name, "--input", "data.npy", "--chunked")
expect(2, "sum takes no --output; smooth does", "run", "sum", "--input", "data.npy", "--output", "x.png")
expect(2, "smooth takes no --array", "run", "smooth", "--input", "two.npz", "--array", "a")
expect(2, "--input needs the name of a workload that takes it: sum, sum_reproducible", "run", "--input", "data.npy")
expect(2, "--memory needs --chunked", "run", "sum", "--input", "data.npy", "--memory", "1G")
expect(2, "--memory needs --chunked", "run", "sum", "--memory", "1G")
for option in ("--input", "--output", "--json"):
    expect(2, f"{option} needs the name of a file", "run", "smooth", option, "")
for nothing in ("0", "0M"):
    expect(2, "--memory", "run", "sum", "--chunked", "--input", "data.npy", "--memory", nothing)
expect(0, "one core, which reads the whole file.", "run", "sum", "--chunked", "--input", "data.npy")
expect(0, "one core, which is timed for up to half a second", "run", "sum", "--input", "data.npy")
expect(2, "--repeat needs a file that is read whole", "run", "sum", "--input", "data.npy", "--chunked", "--repeat", "3")
expect(2, "--output needs an --input", "run", "smooth", "--output", "x.png")
for option, value in (("--compression", "3"), ("--dataset", "u")):
    expect(2, f"{option} needs an HDF5 file (.h5) to write", "convert", "data.npy", "x.npy", option, value)
expect(2, "--array needs a file that may hold several arrays", "convert", "data.npy", "x.npy", "--array", "u")

# Misuse.
expect(2, "'nonsense' is not a workload", "run", "nonsense")
expect(2, "selu takes no --input", "run", "selu", "--input", "data.npy")
expect(2, "--size is 'big', expected", "run", "sum", "--size", "big")
expect(2, "are free", "run", "sum", "--size", "900000000000000")
expect(2, "", "run", "--repeat", "0")
expect(2, "frobnicate", "frobnicate")
expect(2, "expected info, list, run or convert")
print("app: all checks passed")
