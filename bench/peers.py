#!/usr/bin/env python3
# SPDX-FileCopyrightText: the Quern authors
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Times what Python programmers would call instead of Quern, under the names and sizes of the benchmarks.

  bench/peers.py [PATTERN...] > peers.json         CuPy and, where they are installed, PyTorch, JAX and Numba on a GPU
  bench/peers.py --cpu [PATTERN...] > peers.json   NumPy on the host

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


def numpy_on_host():
    def time_of(operation, size, call):
        if not PATTERNS or any(p in operation for p in PATTERNS):
            add(operation, size, "NumPy", host_time(call))

    rng = np.random.default_rng(0)
    n = 10**8
    x, y = rng.random(n, dtype=np.float32), rng.random(n, dtype=np.float32)
    z = np.empty_like(x)
    time_of("vector_add/float32", n, lambda: np.add(x, y, out=z))
    for dtype in ("float32", "float64"):
        a = np.arange(10**7, dtype=dtype)
        time_of(f"trig_identity/{dtype}", 10**7, lambda: np.cos(a)**2 + np.sin(a)**2)
    x = rng.random(n)
    time_of("sum/float64", n, x.sum)
    time_of("mean_var/float64", n, x.std)
    time_of("argmax/float64", n, x.argmax)
    time_of("cumsum/float64", n, lambda: np.cumsum(x))
    m = x.reshape(10**4, 10**4)
    for axis in (0, 1):
        time_of(f"sum_axis{axis}/float64 n2", 10**4, lambda: m.sum(axis=axis))
    n = 10**6
    x, i, k = rng.random(n), rng.integers(0, 2**31 - 1, n, dtype=np.int32), rng.integers(0, 1000, n, dtype=np.int32)
    time_of("sort_f64", n, lambda: np.sort(x))
    time_of("sort_i32", n, lambda: np.sort(i))
    time_of("argsort_f64", n, lambda: np.argsort(x, kind="stable"))
    time_of("histogram_256_f64", n, lambda: np.histogram(x, 256, (0, 1)))
    time_of("group_sum_1000_f64", n, lambda: np.bincount(k, weights=x, minlength=1000))
    time_of("unique_i32", n, lambda: np.unique(k, return_counts=True))
    time_of("median/float64", n, lambda: np.median(x))
    time_of("uniform_f64", n, lambda: rng.random(n))
    time_of("normal_f64", n, lambda: rng.standard_normal(n))
    time_of("normal_f32", n, lambda: rng.standard_normal(n, dtype=np.float32))


PATTERNS = [a for a in sys.argv[1:] if a != "--cpu"]
if "--cpu" in sys.argv:
    numpy_on_host()
else:
    cp, torch, jax, nc = map(optional, ("cupy", "torch", "jax", "numba.cuda"))
    if jax:
        jax.config.update("jax_enable_x64", True)
        import jax.numpy as jnp
    for group in (elementwise, reductions, stencils, products, decompositions, random_numbers, keyed, transforms, solvers):
        group()
        cp.get_default_memory_pool().free_all_blocks()
print(json.dumps({"versions": versions, "peers": results}, indent=1))
