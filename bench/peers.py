#!/usr/bin/env python3
# SPDX-FileCopyrightText: the Quern authors
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Times what Python programmers would call instead of Quern, under the names and sizes of the benchmarks.

  bench/peers.py [PATTERN...] > peers.json         CuPy and, where they are installed, PyTorch, JAX and Numba on a GPU
  bench/peers.py --cpu [PATTERN...] > peers.json   NumPy and SciPy on the host

Arrays are where they are used before timing starts. A time is the median
of several runs, of CUDA events or, where a library has none, from a call to the end of its work.
"""
import json
import math
import os
import statistics
import sys
import time

import numpy as np

RUNS = 10
os.environ.setdefault("XLA_PYTHON_CLIENT_PREALLOCATE", "false")  # JAX would take most of the GPU's memory
if not hasattr(np, "row_stack"):
    np.row_stack = np.vstack  # numba-cuda asks for what NumPy has removed
results, versions = [], {"numpy": np.__version__}


def optional(name):
    try:
        module = __import__(name, fromlist=["_"])
    except Exception:  # a library that is installed but does not load here is as good as missing
        return None
    versions[name.split(".")[0]] = __import__(name.split(".")[0]).__version__
    return module


def median_of(run):
    for _ in range(3):
        run()
    return statistics.median(run() for _ in range(RUNS))


def median_within(call, seconds):
    """The median of the milliseconds of five calls or more, for about so many seconds."""
    call()
    times, start = [], time.perf_counter()
    while len(times) < 5 or (time.perf_counter() - start < seconds and len(times) < 30):
        before = time.perf_counter()
        call()
        times.append((time.perf_counter() - before) * 1e3)
    return statistics.median(times)


def host_time(call, wait=lambda: None, inner=1):
    def run():
        start = time.perf_counter()
        for _ in range(inner):
            last = call()
        wait() if last is None else getattr(last, "block_until_ready", wait)()
        return (time.perf_counter() - start) * 1e3 / inner

    return median_of(run)


def event_time(make_event, elapsed, call, inner=1):
    def run():
        first, last = make_event(), make_event()
        first.record()
        for _ in range(inner):
            call()
        last.record()
        last.synchronize()
        return elapsed(first, last) / inner

    return median_of(run)


def cupy_time(call, inner=1):
    return event_time(cp.cuda.Event, cp.cuda.get_elapsed_time, call, inner)


def torch_time(call, inner=1):
    return event_time(lambda: torch.cuda.Event(enable_timing=True), lambda a, b: a.elapsed_time(b), call, inner)


def numba_time(call):
    return host_time(call, wait=nc.synchronize)


def jax_time(function, *arrays, inner=5):
    compiled = jax.jit(function)
    return host_time(lambda: jax.tree_util.tree_leaves(compiled(*arrays))[0], inner=inner)


def add(operation, size, peer, ms):
    results.append({"operation": operation, "size": size, "peer": peer, "ms": float(f"{ms:.4g}")})
    print(results[-1], file=sys.stderr, flush=True)


def compare(operation, size, **timed):
    """Times each peer that is there; a keyword is its name, its value times it."""
    modules = {"CuPy": cp, "PyTorch": torch, "JAX": jax, "Numba": nc}
    if PATTERNS and not any(p in operation for p in PATTERNS):
        return
    for peer, measure in timed.items():
        if modules[peer] is not None:
            add(operation, size, peer, measure())


def to_torch(x):
    return torch.utils.dlpack.from_dlpack(x) if torch else None


def to_jax(x):
    return jax.dlpack.from_dlpack(x) if jax else None


def random(*shape, dtype="float64"):
    return cp.random.random(shape).astype(dtype)


def elementwise():
    n = 10**8
    x, y, z = (random(n, dtype="float32") for _ in range(3))
    tx, ty, tz = map(to_torch, (x, y, z))
    compare("vector_add/float32", n,
            CuPy=lambda: cupy_time(lambda: cp.add(x, y, out=z)),
            PyTorch=lambda: torch_time(lambda: torch.add(tx, ty, out=tz)),
            JAX=lambda: jax_time(lambda a, b: a + b, to_jax(x), to_jax(y)))
    n = 10**7
    for dtype in ("float32", "float64"):
        x = cp.arange(n, dtype=dtype)
        kernel = cp.ElementwiseKernel("T x", "T y", "y = cos(x) * cos(x) + sin(x) * sin(x)", "trig")
        y = cp.empty_like(x)
        compare(f"trig_identity/{dtype}", n,
                CuPy=lambda: cupy_time(lambda: kernel(x, y)),
                JAX=lambda: jax_time(lambda a: jnp.cos(a)**2 + jnp.sin(a)**2, to_jax(x)))
    n = 10**6
    x = cp.random.standard_normal(n, dtype=cp.float32)
    y = cp.empty_like(x)
    kernel = cp.ElementwiseKernel("T x", "T y", "y = 1.05f * (x > 0 ? x : 1.67f * expf(x) - 1.67f)", "selu")
    compare("selu/float32", n,
            CuPy=lambda: cupy_time(lambda: kernel(x, y), 20),
            JAX=lambda: jax_time(lambda a: 1.05 * jnp.where(a > 0, a, 1.67 * jnp.exp(a) - 1.67), to_jax(x), inner=50))


def reductions():
    for n, dtype in ((10**8, "float64"), (10**9, "float32")):
        x = random(n, dtype=dtype)
        t = to_torch(x)
        compare(f"sum/{dtype}", n,
                CuPy=lambda: cupy_time(x.sum),
                PyTorch=lambda: torch_time(t.sum),
                JAX=lambda: jax_time(jnp.sum, to_jax(x)))
    n = 10**8
    x = random(n)
    t = to_torch(x)
    compare("mean_var/float64", n,
            CuPy=lambda: cupy_time(x.std),
            PyTorch=lambda: torch_time(t.std),
            JAX=lambda: jax_time(jnp.std, to_jax(x)))
    compare("argmax/float64", n, CuPy=lambda: cupy_time(x.argmax), PyTorch=lambda: torch_time(t.argmax))
    compare("cumsum/float64", n, CuPy=lambda: cupy_time(lambda: cp.cumsum(x)),
            PyTorch=lambda: torch_time(lambda: torch.cumsum(t, 0)))
    compare("median/float64", n, CuPy=lambda: cupy_time(lambda: cp.median(x)), PyTorch=lambda: torch_time(t.median))
    m = x.reshape(10**4, 10**4)
    t = to_torch(m)
    for axis in (0, 1):
        compare(f"sum_axis{axis}/float64 n2", 10**4,
                CuPy=lambda: cupy_time(lambda: m.sum(axis=axis)),
                PyTorch=lambda: torch_time(lambda: t.sum(dim=axis)),
                JAX=lambda: jax_time(lambda a: jnp.sum(a, axis=axis), to_jax(m)))


SMOOTH = r"""extern "C" __global__ void smooth(const signed char* x, signed char* y, int n) {
  const int j = blockIdx.x * blockDim.x + threadIdx.x, i = blockIdx.y * blockDim.y + threadIdx.y;
  if (i < 1 || j < 1 || i >= n - 1 || j >= n - 1) return;
  int sum = 0;
  for (int p = -1; p < 2; ++p)
    for (int q = -1; q < 2; ++q) sum += x[(long)(i + p) * n + j + q];
  y[(long)i * n + j] = sum / 9;
}"""
LAPLACIAN = r"""extern "C" __global__ void laplacian(const double* u, double* w, int n) {
  const int k = blockIdx.x * blockDim.x + threadIdx.x, j = blockIdx.y * blockDim.y + threadIdx.y;
  const int i = blockIdx.z * blockDim.z + threadIdx.z;
  if (i < 1 || j < 1 || k < 1 || i >= n - 1 || j >= n - 1 || k >= n - 1) return;
  const long plane = (long)n * n, p = i * plane + (long)j * n + k;
  w[p] = u[p + 1] + u[p - 1] + u[p + n] + u[p - n] + u[p + plane] + u[p - plane] - 6 * u[p];
}"""


def numba_smooth(x, y):
    @nc.jit
    def kernel(x, y):
        i, j = nc.grid(2)
        if 1 <= i < x.shape[0] - 1 and 1 <= j < x.shape[1] - 1:
            y[i, j] = (x[i - 1, j - 1] + x[i - 1, j] + x[i - 1, j + 1] + x[i, j - 1] + x[i, j] + x[i, j + 1]
                       + x[i + 1, j - 1] + x[i + 1, j] + x[i + 1, j + 1]) // 9

    n = x.shape[0]
    a, b = nc.as_cuda_array(x), nc.as_cuda_array(y)
    return numba_time(lambda: kernel[(n, math.ceil(n / 256)), (1, 256)](a, b))


def numba_integral(dtype):
    from numba import float32, float64
    real = {"float32": float32, "float64": float64}[dtype]
    n = 102400

    @nc.jit(f"void({dtype}[:], {dtype}, int64)")
    def kernel(sums, h, n):
        row = nc.grid(1)
        if row >= n:
            return
        total, x = real(0), h * (real(row) + real(0.5))
        for column in range(n):
            total += math.sin(x + h * (real(column) + real(0.5)))
        sums[row] = total

    sums = nc.device_array(n, dtype)
    h = np.dtype(dtype).type(math.pi / n)
    return numba_time(lambda: kernel[n // 128, 128](sums, h, n))


def stencils():
    smooth = cp.RawKernel(SMOOTH, "smooth")
    for n in (10_000, 20_000):
        x = cp.random.randint(0, 100, (n, n)).astype(cp.int8)
        y = cp.zeros_like(x)
        grid = (math.ceil(n / 32), math.ceil(n / 8))
        compare("smooth/int8 n2", n,
                CuPy=lambda: cupy_time(lambda: smooth(grid, (32, 8), (x, y, np.int32(n)))),
                Numba=lambda: numba_smooth(x, y))
    laplacian = cp.RawKernel(LAPLACIAN, "laplacian")
    u, w = random(512, 512, 512), random(512, 512, 512)
    compare("laplacian/float64 n3", 512,
            CuPy=lambda: cupy_time(lambda: laplacian((16, 64, 128), (32, 8, 4), (u, w, np.int32(512)))))
    for dtype in ("float64", "float32"):
        compare(f"integrate2d/{dtype} n2", 102_400, Numba=lambda: numba_integral(dtype))


def products():
    for name, size, (m, k, n), dtype in (("matmul/float64 n x 2n x n/2", 1024, (1024, 2048, 512), "float64"),
                                         ("matmul/float64", 1000, (1000, 1000, 1000), "float64"),
                                         ("matmul/float64", 10_000, (10_000, 10_000, 10_000), "float64"),
                                         ("matmul_transposed/float32", 3000, (3000, 3000, 3000), "float32")):
        a, b = random(m, k, dtype=dtype), random(k, n, dtype=dtype)
        right = a.T if "transposed" in name else b
        c = cp.empty((m, n), dtype)
        compare(name, size,
                CuPy=lambda: cupy_time(lambda: cp.matmul(a, right, out=c), 5),
                JAX=lambda: jax_time(lambda p, q: jnp.matmul(p, q, precision="highest"), to_jax(a), to_jax(b)))
    matrix, vectors = random(150, 100, dtype="float32"), random(10, 100, dtype="float32")
    compare("vmap_matvec/float32 150x100", 10,
            CuPy=lambda: cupy_time(lambda: vectors @ matrix.T, 200),
            JAX=lambda: jax_time(jax.vmap(jnp.dot, in_axes=(None, 0)), to_jax(matrix), to_jax(vectors), inner=200))
    a, x = random(100_000, 8, 8), random(100_000, 8, 1)
    compare("batched_matvec/float64 8x8", 100_000,
            CuPy=lambda: cupy_time(lambda: a @ x),
            JAX=lambda: jax_time(jax.vmap(jnp.matmul), to_jax(a), to_jax(x)))
    s = a + 8 * cp.eye(8)
    compare("batched_solve/float64 8x8", 100_000, CuPy=lambda: cupy_time(lambda: cp.linalg.solve(s, x)))


def decompositions():
    for name, m, n in (("n x n", 1000, 1000), ("m x 1000", 10_000, 1000), ("m x 1000", 20_000, 1000),
                       ("m x 100", 10**6, 100)):
        a = random(m, n)
        t = to_torch(a)
        compare(f"svd/float64 {name}", m,
                CuPy=lambda: cupy_time(lambda: cp.linalg.svd(a, full_matrices=False)),
                PyTorch=lambda: torch_time(lambda: torch.linalg.svd(t, full_matrices=False)),
                JAX=lambda: jax_time(lambda p: jnp.linalg.svd(p, full_matrices=False), to_jax(a), inner=1))
    compare("qr/float64 m x 100", 10**6,
            CuPy=lambda: cupy_time(lambda: cp.linalg.qr(a)),
            PyTorch=lambda: torch_time(lambda: torch.linalg.qr(t)))
    a, b = random(4000, 4000), random(4000)
    compare("solve/float64 n x n", 4000, CuPy=lambda: cupy_time(lambda: cp.linalg.solve(a, b)))
    s = a + a.T
    compare("eigh/float64 n x n", 4000, CuPy=lambda: cupy_time(lambda: cp.linalg.eigh(s)))


def random_numbers():
    n = 10**8
    rng = cp.random.default_rng(0)
    compare("uniform_f64", n,
            CuPy=lambda: cupy_time(lambda: rng.random(n)),
            PyTorch=lambda: torch_time(lambda: torch.rand(n, device="cuda", dtype=torch.float64)))
    compare("normal_f32", n,
            CuPy=lambda: cupy_time(lambda: rng.standard_normal(n, dtype=cp.float32)),
            PyTorch=lambda: torch_time(lambda: torch.randn(n, device="cuda")),
            JAX=lambda: jax_time(lambda k: jax.random.normal(k, (n,), jnp.float32), jax.random.key(0)))


def keyed():
    n = 10**8
    x, i = random(n), cp.random.randint(0, 2**31 - 1, n, dtype=cp.int32)
    compare("sort_f64", n, CuPy=lambda: cupy_time(lambda: cp.sort(x)))
    compare("sort_i32", n, CuPy=lambda: cupy_time(lambda: cp.sort(i)))
    compare("argsort_f64", n, CuPy=lambda: cupy_time(lambda: cp.argsort(x)))
    compare("histogram_256_f64", n, CuPy=lambda: cupy_time(lambda: cp.histogram(x, 256, (0, 1))))
    k = cp.random.randint(0, 1000, n, dtype=cp.int32)
    compare("group_sum_1000_f64", n, CuPy=lambda: cupy_time(lambda: cp.bincount(k, weights=x, minlength=1000)))
    compare("unique_i32", n, CuPy=lambda: cupy_time(lambda: cp.unique(k, return_counts=True)))


def transforms():
    n = 10_000
    x = random(n, n) + 1j * random(n, n)
    for name, axis in (("rows", 1), ("columns", 0)):
        compare(f"fft_{name}/complex128 n2", n,
                CuPy=lambda: cupy_time(lambda: cp.fft.fft(x, axis=axis)),
                JAX=lambda: jax_time(lambda a: jnp.fft.fft(a, axis=axis), to_jax(x)))
    u = random(512, 512, 512)
    compare("rfftn/float64 n3", 512,
            CuPy=lambda: cupy_time(lambda: cp.fft.rfftn(u)),
            JAX=lambda: jax_time(jnp.fft.rfftn, to_jax(u)))


def solvers():
    if jax is None:
        return
    from jax.experimental.ode import odeint

    def rates(u, t):
        return jnp.stack([u[0] * (1.1 - 0.4 * u[1]), u[1] * (0.1 * u[0] - 0.4)])

    n = 10**6
    first, times = to_jax(5 + 5 * random(n, 2)), jnp.arange(11.0)
    solve = jax.vmap(lambda u: odeint(rates, u, times, rtol=1e-6, atol=1e-6))
    compare("odeint/float64 2 at 11 times", n, JAX=lambda: jax_time(solve, first, inner=1))


def on_host():
    """What NumPy and SciPy have for the benchmarks, at sizes that a host thread computes in seconds: operation, size, library, and what
    makes the call. Both run on one thread where OMP_NUM_THREADS is 1, and as many as that says in products and decompositions."""
    from scipy import fft, ndimage, special

    rng = np.random.default_rng(0)
    threads = int(os.environ.get("OMP_NUM_THREADS", "0")) or os.cpu_count()

    def reals(*shape, dtype="float64"):
        return rng.random(shape).astype(dtype, copy=False)

    def into(call, *inputs):
        """A call that writes to an array that is there, as Quern's does."""
        out = np.empty_like(call(*inputs))
        return lambda: call(*inputs, out=out)

    def selu(x):
        return 1.05 * np.maximum(x, 0) + 1.05 * 1.67 * np.expm1(np.minimum(x, 0))

    def smooth(x):
        rows = x[:-2].astype(np.int16) + x[1:-1] + x[2:]
        return ((rows[:, :-2] + rows[:, 1:-1] + rows[:, 2:]) // 9).astype(np.int8)

    def laplacian(u):
        return (u[2:, 1:-1, 1:-1] + u[:-2, 1:-1, 1:-1] + u[1:-1, 2:, 1:-1] + u[1:-1, :-2, 1:-1] + u[1:-1, 1:-1, 2:]
                + u[1:-1, 1:-1, :-2] - 6 * u[1:-1, 1:-1, 1:-1])

    def definite(count, n):
        a = reals(count, n, n)
        return a @ a.transpose(0, 2, 1) + n * np.eye(n)

    n = 10**6
    for dtype, size in (("float32", n), ("float32", 4096), ("float32", 10**8), ("float64", n), ("float64", 5 * 10**7)):
        yield f"vector_add/{dtype}", size, "NumPy", lambda: into(np.add, reals(size, dtype=dtype), reals(size, dtype=dtype))
    for dtype in ("float32", "float64"):
        yield (f"trig_identity/{dtype}", 10**7, "NumPy",
               lambda x=np.arange(10**7, dtype=dtype): lambda: np.cos(x)**2 + np.sin(x)**2)
    for operation, low, high, call in (
            ("exp", -20, 20, np.exp), ("exp2", -20, 20, np.exp2), ("expm1", -2, 2, np.expm1), ("log", 0.5, 40, np.log), ("log2", 0.5, 40, np.log2),
            ("log1p", 0, 40, np.log1p), ("sin", -3, 3, np.sin), ("cos", -1.5, 1.5, np.cos), ("tan", -1.5, 1.5, np.tan), ("sinh", -20, 20, np.sinh),
            ("cosh", -20, 20, np.cosh), ("tanh", -20, 20, np.tanh), ("asin", -1, 1, np.arcsin), ("acos", -1, 0.9, np.arccos),
            ("atan", -20, 20, np.arctan), ("erf", -3, 3, special.erf), ("cbrt", -20, 20, np.cbrt)):
        for dtype in ("float64", "float32"):
            yield (f"{operation}/{dtype}", 5 * 10**6, "SciPy" if call is special.erf else "NumPy",
                   lambda: into(call, (low + (high - low) * reals(5 * 10**6)).astype(dtype)))
    for operation, call in (("pow", np.power), ("atan2", np.arctan2)):
        for dtype in ("float64", "float32"):
            yield (f"{operation}/{dtype}", 5 * 10**6, "NumPy",
                   lambda: into(call, reals(5 * 10**6, dtype=dtype), reals(5 * 10**6, dtype=dtype)))
    yield "selu/float32", n, "NumPy", lambda x=rng.standard_normal(n, dtype=np.float32): lambda: selu(x)
    for size in (n, 10**8):
        yield "copy/float64", size, "NumPy", lambda: (lambda x, y: lambda: np.copyto(y, x))(reals(size), reals(size))
    for size in (1000, 10**4):
        yield ("transpose_copy/float64", size, "NumPy",
               lambda: (lambda x, y: lambda: np.copyto(y, x.T))(reals(size, size), reals(size, size)))
    yield ("add_transposed/float64 n2", 8000, "NumPy",
           lambda: (lambda x, y, z: lambda: np.add(x, y.T, out=z))(reals(8000, 8000), reals(8000, 8000), reals(8000, 8000)))

    for operation, call, sizes in (("sum/float64", np.sum, (10**4, n, 10**8)), ("mean_var/float64", np.std, (n, 10**8)),
                                   ("var/float64", np.var, (n, 10**8)), ("argmax/float64", np.argmax, (n, 10**8)),
                                   ("median/float64", np.median, (n,))):
        for size in sizes:
            yield operation, size, "NumPy", lambda: (lambda x: lambda: call(x))(reals(size))
    yield "sum/float32", n, "NumPy", lambda: reals(n, dtype="float32").sum
    yield "var/float32", n, "NumPy", lambda: reals(n, dtype="float32").var
    yield "var/int32", n, "NumPy", lambda: rng.integers(0, 100, n, dtype=np.int32).var
    yield "var/int8", n, "NumPy", lambda: rng.integers(0, 100, n, dtype=np.int8).var
    for name, dtype in (("short_argmax_rows", "float64"), ("short_argmax_rows_int64", "int64"), ("short_argmax_rows_int32", "int32")):
        for size in (2, 3, 4, 5, 7, 8, 12, 16, 24, 32, 48, 64):
            yield (name, size, "NumPy", lambda: (lambda x: lambda: x.argmax(axis=1))((1e6 * reals(2**19 // size, size)).astype(dtype)))
    for size in (4, 100):
        rows = 100_000 // size
        yield (f"copy_repeat_rows_of_{size}/float32", rows, "NumPy",
               lambda: (lambda x: lambda: np.repeat(x, 3, axis=0))(reals(rows, size, dtype="float32")))
        yield (f"copy_tile_rows_of_{size}/float32", rows, "NumPy", lambda: (lambda x: lambda: np.tile(x, (2, 3)))(reals(rows, size, dtype="float32")))
    yield ("copy_take_rows_of_100/float32", 1000, "NumPy",
           lambda: (lambda x, at: lambda: np.take(x, at, axis=0, mode="wrap"))(reals(1000, 100, dtype="float32"), rng.integers(0, 1000, 1000)))
    for size, dtype in ((size, dtype) for dtype in ("float64", "float32") for size in (5, 10, 30, 100)):
        yield (f"var_axis0/{dtype} 1e5xn", size, "NumPy",
               lambda: (lambda x: lambda: x.var(axis=0))(100 * reals(10**5, size).astype(dtype)))
    yield "minmax/float64", 10**8, "NumPy", lambda: (lambda x: lambda: (x.min(), x.max()))(reals(10**8))
    for dtype, size in (("int8", 4 * 10**8), ("int16", 2 * 10**8)):
        yield f"sum/{dtype}", size, "NumPy", lambda: rng.integers(0, 100, size, dtype=dtype).sum
    yield "dot/float64", 5 * 10**7, "NumPy", lambda: (lambda x, y: lambda: x @ y)(reals(5 * 10**7), reals(5 * 10**7))
    for size in (1000, 10**4):
        yield ("broadcast_add/float64", size, "NumPy",
               lambda: (lambda x, row, column, z: lambda: np.add(np.add(x, row, out=z), column, out=z))(
                   reals(size, size), reals(size), reals(size, 1), np.empty((size, size))))
    for axis in (0, 1):
        for size in (1000, 10**4):
            yield f"sum_axis{axis}/float64 n2", size, "NumPy", lambda: (lambda x: lambda: x.sum(axis=axis))(reals(size, size))
    for operation, shape, dtype, call in (
            ("sum_axis1/float64 1e5xn", (10**5, 777), "float64", lambda x: x.sum(axis=1)),
            ("max_axis1/float64 1e5xn", (10**5, 777), "float64", lambda x: x.max(axis=1)),
            ("argmax_axis1/float64 1e5xn", (10**5, 777), "float64", lambda x: x.argmax(axis=1)),
            ("sum_axis1/float64 300x400xn", (300, 400, 501), "float64", lambda x: x.sum(axis=1)),
            ("sum_axes02/float32 300x400xn", (300, 400, 501), "float32", lambda x: x.sum(axis=(0, 2))),
            ("mean_axis1/float32 300x400xn", (300, 400, 501), "float32", lambda x: x.mean(axis=1)),
            ("median_axis1/float64 nx101", (10**6, 101), "float64", lambda x: np.median(x, axis=1)),
            ("median_axis0/float64 9999xn", (9999, 10**4), "float64", lambda x: np.median(x, axis=0)),
            ("median_axis1/float64 nx9999", (10**4, 9999), "float64", lambda x: np.median(x, axis=1))):
        size = shape[0] if "/float64 nx" in operation else shape[-1]
        yield operation, size, "NumPy", lambda: (lambda x: lambda: call(x))(reals(*shape, dtype=dtype))

    for size in (n, 10**8):
        yield "cumsum/float64", size, "NumPy", lambda: into(np.cumsum, reals(size))
    for axis in (0, 1):
        yield (f"cumsum_axis{axis}/float64 n2", 10**4, "NumPy",
               lambda: (lambda x, y: lambda: np.cumsum(x, axis=axis, out=y))(reals(10**4, 10**4), reals(10**4, 10**4)))

    for size in (1000, 10**4):
        yield "smooth/int8 n2", size, "NumPy", lambda: (lambda x: lambda: smooth(x))(rng.integers(0, 100, (size, size), dtype=np.int8))
    yield "laplacian/float64 n3", 128, "NumPy", lambda: (lambda u: lambda: laplacian(u))(reals(128, 128, 128))
    for operation, call in (
            ("correlate_3x3", lambda x, y: ndimage.correlate(x, np.full((3, 3), 0.1, np.float32), output=y)),
            ("correlate_5x5", lambda x, y: ndimage.correlate(x, np.full((5, 5), 0.04, np.float32), output=y)),
            ("correlate_7x7", lambda x, y: ndimage.correlate(x, np.full((7, 7), 0.02, np.float32), output=y)),
            ("gaussian_1", lambda x, y: ndimage.gaussian_filter(x, 1, output=y)),
            ("gaussian_2", lambda x, y: ndimage.gaussian_filter(x, 2, output=y)),
            ("uniform_3x3", lambda x, y: ndimage.uniform_filter(x, 3, output=y)),
            ("uniform_15x15", lambda x, y: ndimage.uniform_filter(x, 15, output=y))):
        yield (f"{operation}/float32 n2", 8191, "SciPy",
               lambda: (lambda x, y: lambda: call(x, y))(reals(8191, 8191, dtype="float32"), np.empty((8191, 8191), np.float32)))

    yield "uniform_f64", n, "NumPy", lambda: (lambda y: lambda: rng.random(out=y))(np.empty(n))
    yield "normal_f64", n, "NumPy", lambda: (lambda y: lambda: rng.standard_normal(out=y))(np.empty(n))
    yield "normal_f32", n, "NumPy", lambda: (lambda y: lambda: rng.standard_normal(dtype=np.float32, out=y))(np.empty(n, np.float32))
    yield "gamma_f64", 10**7, "NumPy", lambda: lambda: rng.standard_gamma(2.5, 10**7)
    yield "poisson_i32", 10**7, "NumPy", lambda: lambda: rng.poisson(4, 10**7)

    def keys(size, different):
        return rng.integers(0, different, size, dtype=np.int32)

    for size in (n, 10**8):
        yield "sort_f64", size, "NumPy", lambda: (lambda x: lambda: np.sort(x))(reals(size))
        yield "sort_i32", size, "NumPy", lambda: (lambda x: lambda: np.sort(x))(keys(size, 2**31 - 1))
    for dtype, low, high in (("int8", -128, 127), ("int16", -2**15, 2**15 - 1), ("int64", -2**63, 2**63 - 1)):
        yield (f"sort_random_{dtype.replace('int', 'i')}", n, "NumPy",
               lambda: (lambda x: lambda: np.sort(x))(rng.integers(low, high, n, dtype=dtype, endpoint=True)))
    yield "sort_random_f32", n, "NumPy", lambda: (lambda x: lambda: np.sort(x))(reals(n, dtype="float32") - 0.5)
    for spread, make in (("ascending", lambda: np.arange(n, dtype="float64")), ("descending", lambda: np.arange(n, dtype="float64")[::-1].copy()),
                         ("few", lambda: keys(n, 16).astype("float64")), ("equal", lambda: np.ones(n))):
        yield f"sort_{spread}_f64", n, "NumPy", lambda: (lambda x: lambda: np.sort(x))(make())
    for operation, axis, shape in (("sort_rows_f64", 1, (1000, 1000)), ("sort_short_rows_f64", 1, (10**5, 10)), ("sort_columns_f64", 0, (1000, 1000))):
        yield operation, n, "NumPy", lambda: (lambda x: lambda: np.sort(x, axis=axis))(reals(*shape))
    yield "argsort_f64", n, "NumPy", lambda: (lambda x: lambda: np.argsort(x, kind="stable"))(reals(n))
    yield "histogram_256_f64", n, "NumPy", lambda: (lambda x: lambda: np.histogram(x, 256, (0, 1)))(reals(n))
    yield ("group_sum_1000_f64", n, "NumPy",
           lambda: (lambda k, x: lambda: np.bincount(k, weights=x, minlength=1000))(keys(n, 1000), reals(n)))
    yield "unique_i32", n, "NumPy", lambda: (lambda k: lambda: np.unique(k, return_counts=True))(keys(n, 1000))
    for size in (10_000, 4_000_000):
        yield "count/int8", size, "NumPy", lambda: (lambda x: lambda: np.count_nonzero(x))(rng.integers(-128, 127, size, dtype=np.int8))
    for size in (10_000, n):
        yield ("nonzero_half_bool", size, "NumPy", lambda: (lambda x: lambda: np.flatnonzero(x))(reals(size) < 0.5))
    yield ("compact_half_f64", n, "NumPy", lambda: (lambda x: lambda: x[x > 0.5])(reals(n)))
    yield ("top_k_100_f64", n, "NumPy", lambda: (lambda x: lambda: np.sort(np.partition(x, -100)[-100:]))(reals(n)))

    def complexes(*shape):
        return reals(*shape) + 1j * reals(*shape)

    for name, axis, sizes in (("rows", 1, (256,)), ("columns", 0, (256, 2048))):
        for size in sizes:
            yield (f"fft_{name}/complex128 n2", size, "SciPy",
                   lambda: (lambda x: lambda: fft.fft(x, axis=axis, workers=threads))(complexes(size, size)))
    for size in (64, 512):
        yield "rfftn/float64 n3", size, "SciPy", lambda: (lambda x: lambda: fft.rfftn(x, workers=threads))(reals(size, size, size))

    yield "matmul/float32", 1000, "NumPy", lambda: into(np.matmul, reals(1000, 1000, dtype="float32"), reals(1000, 1000, dtype="float32"))
    yield "batched_matvec/float64 8x8", 10**5, "NumPy", lambda: into(np.matmul, reals(10**5, 8, 8), reals(10**5, 8, 1))
    for size in (100, 1000):
        yield "matmul/float64", size, "NumPy", lambda: into(np.matmul, reals(size, size), reals(size, size))
    yield "matvec/float64", 1000, "NumPy", lambda: into(np.matmul, reals(1000, 1000), reals(1000))
    for size, count in ((8, 10**5), (16, 10**5), (32, 10**4)):
        yield (f"batched_matmul/float64 {size}x{size}", count, "NumPy",
               lambda: into(np.matmul, reals(count, size, size), reals(count, size, size)))
    for size, count in ((4, 10**5), (8, 10**5), (16, 10**5), (32, 10**4), (64, 10**4)):
        yield (f"batched_solve/float64 {size}x{size}", count, "NumPy",
               lambda: (lambda a, b: lambda: np.linalg.solve(a, b))(definite(count, size), reals(count, size, 1)))
    for size in (8, 16, 32, 64):
        for operation, call in (("cholesky", np.linalg.cholesky), ("inv", np.linalg.inv), ("eigh", np.linalg.eigh), ("qr", np.linalg.qr),
                                ("svd", lambda a: np.linalg.svd(a, full_matrices=False))):
            yield (f"batched_{operation}/float64 {size}x{size}", 10**4, "NumPy",
                   lambda: (lambda a: lambda: call(a))(definite(10**4, size)))
    for operation, shape, call in (
            ("qr/float64 m x 100", (10**4, 100), np.linalg.qr),
            ("svd/float64 m x 100", (10**4, 100), lambda a: np.linalg.svd(a, full_matrices=False)),
            ("svd/float64 n x n", (100, 100), np.linalg.svd), ("svd/float64 n x n", (1000, 1000), np.linalg.svd),
            ("inv/float64 n x n", (100, 100), np.linalg.inv), ("inv/float64 n x n", (2000, 2000), np.linalg.inv),
            ("eigh/float64 n x n", (100, 100), lambda a: np.linalg.eigh(a + a.T)),
            ("eigh/float64 n x n", (1000, 1000), lambda a: np.linalg.eigh(a + a.T))):
        yield operation, shape[0], "NumPy", lambda: (lambda a: lambda: call(a))(reals(*shape))
    for size in (100, 1000, 4000):
        yield "solve/float64 n x n", size, "NumPy", lambda: (lambda a, b: lambda: np.linalg.solve(a, b))(reals(size, size), reals(size))


def time_on_host():
    optional("scipy")
    for operation, size, peer, make in on_host():
        if not PATTERNS or any(p in operation for p in PATTERNS):
            add(operation, size, peer, median_within(make(), 2))


PATTERNS = [a for a in sys.argv[1:] if a != "--cpu"]
if "--cpu" in sys.argv:
    time_on_host()
else:
    cp, torch, jax, nc = map(optional, ("cupy", "torch", "jax", "numba.cuda"))
    if jax:
        jax.config.update("jax_enable_x64", True)
        import jax.numpy as jnp
    for group in (elementwise, reductions, stencils, products, decompositions, random_numbers, keyed, transforms, solvers):
        group()
        cp.get_default_memory_pool().free_all_blocks()
print(json.dumps({"versions": versions, "peers": results}, indent=1))
