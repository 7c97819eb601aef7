// SPDX-FileCopyrightText: the Quern authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// cuBLAS, where Kokkos Kernels does not pass on to it, and cuSOLVER.
#include <cublas_v2.h>
#include <cusolverDn.h>

#include <quern/core/call/error.hpp>
#include <quern/core/memory/workspace.hpp>

#include "handles.hpp"
#include "instantiate.hpp"
#include "vendor.hpp"

namespace quern::impl::vendor {
namespace {

void check(cublasStatus_t status, const char* call) {
  if (status != CUBLAS_STATUS_SUCCESS) throw BackendError(call, cublasGetStatusString(status));
}

class cublas {
 public:
  cublas() { check(cublasCreate(&handle_), "cublasCreate"); }
  ~cublas() { cublasDestroy(handle_); }
  cublas(const cublas&) = delete;
  cublas& operator=(const cublas&) = delete;
  cublasHandle_t get() const { return handle_; }

 private:
  cublasHandle_t handle_;
};

template <class T>
struct names;
template <>
struct names<float> {
  using type = float;
  static constexpr auto gemm = cublasSgemmStridedBatched;
};
template <>
struct names<double> {
  using type = double;
  static constexpr auto gemm = cublasDgemmStridedBatched;
};
template <>
struct names<Kokkos::complex<float>> {
  using type = cuComplex;
  static constexpr auto gemm = cublasCgemmStridedBatched;
};
template <>
struct names<Kokkos::complex<double>> {
  using type = cuDoubleComplex;
  static constexpr auto gemm = cublasZgemmStridedBatched;
};

template <class T>
auto* vendor_pointer(T* p) {
  using V = typename names<std::remove_const_t<T>>::type;
  return reinterpret_cast<std::conditional_t<std::is_const_v<T>, const V, V>*>(p);
}

cublasOperation_t operation(blas::form f) {
  return f == blas::form::as_is ? CUBLAS_OP_N : f == blas::form::transposed ? CUBLAS_OP_T : CUBLAS_OP_C;
}

}  // namespace

template <class Exec, class T>
void gemm(const Exec& exec, std::int64_t batch, std::int64_t m, std::int64_t n, std::int64_t k, T alpha,
          blas::operand<const T> a, blas::operand<const T> b, T beta, blas::operand<T> c) {
  handles<cublas>::use(exec.cuda_device(), [&](cublasHandle_t handle) {
    check(cublasSetStream(handle, exec.cuda_stream()), "cublasSetStream");
    check(names<T>::gemm(handle, operation(a.use), operation(b.use), m, n, k, vendor_pointer(&alpha),
                         vendor_pointer(a.data), a.ld, a.next, vendor_pointer(b.data), b.ld, b.next,
                         vendor_pointer(&beta), vendor_pointer(c.data), c.ld, c.next, batch),
          "cublasGemmStridedBatched");
  });
}

#define QUERN_VENDOR_GEMM(T)                                                                         \
  template void gemm(const Kokkos::Cuda&, std::int64_t, std::int64_t, std::int64_t, std::int64_t, T, \
                     blas::operand<const T>, blas::operand<const T>, T, blas::operand<T>);
QUERN_VENDOR_GEMM(float)
QUERN_VENDOR_GEMM(double)
QUERN_VENDOR_GEMM(Kokkos::complex<float>)
QUERN_VENDOR_GEMM(Kokkos::complex<double>)

}  // namespace quern::impl::vendor

namespace quern::impl::lapack {
namespace {

void check(cusolverStatus_t status, const char* call) {
  if (status != CUSOLVER_STATUS_SUCCESS) throw BackendError(call, "status " + std::to_string(status));
}

/// A handle with the default parameters of its generic routines.
class cusolver {
 public:
  cusolver() {
    check(cusolverDnCreate(&handle), "cusolverDnCreate");
    check(cusolverDnCreateParams(&params), "cusolverDnCreateParams");
  }
  ~cusolver() {
    cusolverDnDestroyParams(params);
    cusolverDnDestroy(handle);
  }
  cusolver(const cusolver&) = delete;
  cusolver& operator=(const cusolver&) = delete;
  const cusolver& get() const { return *this; }

  cusolverDnHandle_t handle;
  cusolverDnParams_t params;
};

template <class T>
constexpr cudaDataType kind = std::is_same_v<T, float>                    ? CUDA_R_32F
                              : std::is_same_v<T, double>                 ? CUDA_R_64F
                              : std::is_same_v<T, Kokkos::complex<float>> ? CUDA_C_32F
                                                                          : CUDA_C_64F;

/// Calls `run(solver)` with the handle of the device, on the stream of `exec`.
template <class Run>
void with_solver(const Kokkos::Cuda& exec, const Run& run) {
  vendor::handles<cusolver>::use(exec.cuda_device(), [&](const cusolver& solver) {
    check(cusolverDnSetStream(solver.handle, exec.cuda_stream()), "cusolverDnSetStream");
    run(solver);
  });
}

/// Calls `routine(solver, device work, its size, host work, its size)` with the memory that `sizes(solver, &device
/// size, &host size)` asks for.
template <class Sizes, class Routine>
void call(const Kokkos::Cuda& exec, const char* name, const Sizes& sizes, const Routine& routine) {
  with_solver(exec, [&](const cusolver& solver) {
    std::size_t device = 0, host = 0;
    check(sizes(solver, &device, &host), name);
    const scratch_array<Kokkos::Cuda, std::byte> device_work(exec, device);
    std::vector<std::byte> host_work(host);
    check(routine(solver, device_work.data(), device, host_work.data(), host), name);
    if (host > 0) exec.fence(name);  // it may be read until then
  });
}

/// Where a routine reports of a call that can only fail by a mistake here.
class ignored_info {
 public:
  explicit ignored_info(const Kokkos::Cuda& exec) : held_(exec) {}
  int* data() { return held_.result<int>(); }

 private:
  lease<Kokkos::Cuda> held_;
};

template <class To, class From>
void copy_integers(const Kokkos::Cuda& exec, std::int64_t n, To* to, const From* from) {
  Kokkos::parallel_for(
      "quern::lapack/pivots", Kokkos::RangePolicy<Kokkos::Cuda>(exec, 0, n),
      KOKKOS_LAMBDA(int i) { to[i] = static_cast<To>(from[i]); });
}

}  // namespace

template <class Exec>
bool available() {
  return true;
}

template <class Exec, class T>
void getrf(const Exec& exec, column_major<T> a, int* pivots, int* info) {
  const std::int64_t n = std::min(a.rows, a.columns);
  const scratch_array<Exec, std::int64_t> wide(exec, n);
  call(
      exec, "cusolverDnXgetrf",
      [&](const cusolver& s, std::size_t* device, std::size_t* host) {
        return cusolverDnXgetrf_bufferSize(s.handle, s.params, a.rows, a.columns, kind<T>, a.data, a.ld, kind<T>,
                                           device, host);
      },
      [&](const cusolver& s, void* device, std::size_t device_size, void* host, std::size_t host_size) {
        return cusolverDnXgetrf(s.handle, s.params, a.rows, a.columns, kind<T>, a.data, a.ld, wide.data(), kind<T>,
                                device, device_size, host, host_size, info);
      });
  copy_integers(exec, n, pivots, wide.data());
}

template <class Exec, class T>
void getrs(const Exec& exec, column_major<const T> lu, const int* pivots, column_major<T> b) {
  const scratch_array<Exec, std::int64_t> wide(exec, lu.rows);
  copy_integers(exec, lu.rows, wide.data(), pivots);
  ignored_info info(exec);
  with_solver(exec, [&](const cusolver& s) {
    check(cusolverDnXgetrs(s.handle, s.params, CUBLAS_OP_N, lu.rows, b.columns, kind<T>, lu.data, lu.ld, wide.data(),
                           kind<T>, b.data, b.ld, info.data()),
          "cusolverDnXgetrs");
  });
}

template <class Exec, class T>
void potrf(const Exec& exec, column_major<T> a, int* info) {
  call(
      exec, "cusolverDnXpotrf",
      [&](const cusolver& s, std::size_t* device, std::size_t* host) {
        return cusolverDnXpotrf_bufferSize(s.handle, s.params, CUBLAS_FILL_MODE_LOWER, a.rows, kind<T>, a.data, a.ld,
                                           kind<T>, device, host);
      },
      [&](const cusolver& s, void* device, std::size_t device_size, void* host, std::size_t host_size) {
        return cusolverDnXpotrf(s.handle, s.params, CUBLAS_FILL_MODE_LOWER, a.rows, kind<T>, a.data, a.ld, kind<T>,
                                device, device_size, host, host_size, info);
      });
}

template <class Exec, class T>
void geqrf(const Exec& exec, column_major<T> a, T* tau) {
  ignored_info info(exec);
  call(
      exec, "cusolverDnXgeqrf",
      [&](const cusolver& s, std::size_t* device, std::size_t* host) {
        return cusolverDnXgeqrf_bufferSize(s.handle, s.params, a.rows, a.columns, kind<T>, a.data, a.ld, kind<T>, tau,
                                           kind<T>, device, host);
      },
      [&](const cusolver& s, void* device, std::size_t device_size, void* host, std::size_t host_size) {
        return cusolverDnXgeqrf(s.handle, s.params, a.rows, a.columns, kind<T>, a.data, a.ld, kind<T>, tau, kind<T>,
                                device, device_size, host, host_size, info.data());
      });
}

namespace {

template <class T>
struct orgqr_names;
#define QUERN_ORGQR(T, V, name)                                 \
  template <>                                                   \
  struct orgqr_names<T> {                                       \
    using type = V;                                             \
    static constexpr auto size = cusolverDn##name##_bufferSize; \
    static constexpr auto routine = cusolverDn##name;           \
  };
QUERN_ORGQR(float, float, Sorgqr)
QUERN_ORGQR(double, double, Dorgqr)
QUERN_ORGQR(Kokkos::complex<float>, cuComplex, Cungqr)
QUERN_ORGQR(Kokkos::complex<double>, cuDoubleComplex, Zungqr)

}  // namespace

template <class Exec, class T>
void orgqr(const Exec& exec, column_major<T> a, std::int64_t reflections, const T* tau) {
  using names = orgqr_names<T>;
  using V = typename names::type;
  const int m = static_cast<int>(a.rows), n = static_cast<int>(a.columns), k = static_cast<int>(reflections);
  const int ld = static_cast<int>(a.ld);
  auto* elements = reinterpret_cast<V*>(a.data);
  const auto* factors = reinterpret_cast<const V*>(tau);
  ignored_info info(exec);
  with_solver(exec, [&](const cusolver& s) {
    int size = 0;
    check(names::size(s.handle, m, n, k, elements, ld, factors, &size), "cusolverDn<t>orgqr");
    const scratch_array<Exec, V> work(exec, size);
    check(names::routine(s.handle, m, n, k, elements, ld, factors, work.data(), size, info.data()),
          "cusolverDn<t>orgqr");
  });
}

namespace {

/// The arguments of both ways to singular values: (m, n), m >= n, all of them with room for vectors.
template <class T>
struct svd_arguments {
  column_major<T> a;
  real_type<T>* s;
  column_major<T> u, vt;
  bool vectors;
  int* info;
};

/// By the polar decomposition, several times as fast as by QR iterations. Gives by how much singular values were moved
/// because some are too small for it. Waits.
template <class T>
double svd_by_polar(const Kokkos::Cuda& exec, const svd_arguments<T>& x) {
  using R = real_type<T>;
  const std::int64_t m = x.a.rows, n = x.a.columns;
  const auto mode = x.vectors ? CUSOLVER_EIG_MODE_VECTOR : CUSOLVER_EIG_MODE_NOVECTOR;
  const scratch_array<Kokkos::Cuda, T> v(exec, n * n);
  double moved = 0;
  call(
      exec, "cusolverDnXgesvdp",
      [&](const cusolver& c, std::size_t* device, std::size_t* host) {
        return cusolverDnXgesvdp_bufferSize(c.handle, c.params, mode, 1, m, n, kind<T>, x.a.data, x.a.ld, kind<R>, x.s,
                                            kind<T>, x.u.data, x.u.ld, kind<T>, v.data(), n, kind<T>, device, host);
      },
      [&](const cusolver& c, void* device, std::size_t device_size, void* host, std::size_t host_size) {
        return cusolverDnXgesvdp(c.handle, c.params, mode, 1, m, n, kind<T>, x.a.data, x.a.ld, kind<R>, x.s, kind<T>,
                                 x.u.data, x.u.ld, kind<T>, v.data(), n, kind<T>, device, device_size, host, host_size,
                                 x.info, &moved);
      });
  const column_major<T> right{v.data(), n, n, n}, vt = x.vt;
  Kokkos::parallel_for(
      "quern::lapack/adjoint", Kokkos::RangePolicy<Kokkos::Cuda, Kokkos::IndexType<std::int64_t>>(exec, 0, n * n),
      KOKKOS_LAMBDA(std::int64_t e) { vt(e % n, e / n) = conjugate(right(e / n, e % n)); });
  return moved;
}

template <class T>
void svd_by_iterations(const Kokkos::Cuda& exec, const svd_arguments<T>& x) {
  using R = real_type<T>;
  const std::int64_t m = x.a.rows, n = x.a.columns;
  const signed char job = x.vectors ? 'S' : 'N';
  call(
      exec, "cusolverDnXgesvd",
      [&](const cusolver& c, std::size_t* device, std::size_t* host) {
        return cusolverDnXgesvd_bufferSize(c.handle, c.params, job, job, m, n, kind<T>, x.a.data, x.a.ld, kind<R>, x.s,
                                           kind<T>, x.u.data, x.u.ld, kind<T>, x.vt.data, x.vt.ld, kind<T>, device,
                                           host);
      },
      [&](const cusolver& c, void* device, std::size_t device_size, void* host, std::size_t host_size) {
        return cusolverDnXgesvd(c.handle, c.params, job, job, m, n, kind<T>, x.a.data, x.a.ld, kind<R>, x.s, kind<T>,
                                x.u.data, x.u.ld, kind<T>, x.vt.data, x.vt.ld, kind<T>, device, device_size, host,
                                host_size, x.info);
      });
}

template <class T>
void copy_columns(const Kokkos::Cuda& exec, const column_major<T>& to, const column_major<T>& from) {
  Kokkos::parallel_for(
      "quern::lapack/copy",
      Kokkos::RangePolicy<Kokkos::Cuda, Kokkos::IndexType<std::int64_t>>(exec, 0, to.rows * to.columns),
      KOKKOS_LAMBDA(std::int64_t e) { to(e % to.rows, e / to.rows) = from(e % to.rows, e / to.rows); });
}

}  // namespace

template <class Exec, class T>
void svd(const Exec& exec, column_major<T> a, real_type<T>* s, column_major<T> u, column_major<T> vt, int* info) {
  const std::int64_t m = a.rows, n = a.columns;
  const bool vectors = u.data != nullptr;
  // The polar decomposition writes U without vectors, too, and what lies between its columns.
  const bool own_u = !vectors || u.ld != m;
  const scratch_array<Exec, T> copy(exec, m * n), room(exec, own_u ? m * n : 0), room_vt(exec, vectors ? 0 : n * n);
  const column_major<T> kept{copy.data(), m, n, m}, left = own_u ? column_major<T>{room.data(), m, n, m} : u;
  if (!vectors) vt = {room_vt.data(), n, n, n};
  copy_columns(exec, kept, a);
  if (svd_by_polar<T>(exec, {a, s, left, vt, vectors, info}) != 0)
    svd_by_iterations<T>(exec, {kept, s, left, vt, vectors, info});
  if (vectors && own_u) copy_columns(exec, u, left);
}

template <class Exec, class T>
void eigh(const Exec& exec, column_major<T> a, real_type<T>* w, bool vectors, int* info) {
  using R = real_type<T>;
  const auto mode = vectors ? CUSOLVER_EIG_MODE_VECTOR : CUSOLVER_EIG_MODE_NOVECTOR;
  call(
      exec, "cusolverDnXsyevd",
      [&](const cusolver& s, std::size_t* device, std::size_t* host) {
        return cusolverDnXsyevd_bufferSize(s.handle, s.params, mode, CUBLAS_FILL_MODE_LOWER, a.rows, kind<T>, a.data,
                                           a.ld, kind<R>, w, kind<T>, device, host);
      },
      [&](const cusolver& s, void* device, std::size_t device_size, void* host, std::size_t host_size) {
        return cusolverDnXsyevd(s.handle, s.params, mode, CUBLAS_FILL_MODE_LOWER, a.rows, kind<T>, a.data, a.ld,
                                kind<R>, w, kind<T>, device, device_size, host, host_size, info);
      });
}

template <class Exec, class T>
void eigh_batch(const Exec& exec, column_major<T> a, real_type<T>* w, bool vectors, int* info) {
  using R = real_type<T>;
  const auto mode = vectors ? CUSOLVER_EIG_MODE_VECTOR : CUSOLVER_EIG_MODE_NOVECTOR;
  const std::int64_t items = a.columns / a.rows;
  call(
      exec, "cusolverDnXsyevBatched",
      [&](const cusolver& s, std::size_t* device, std::size_t* host) {
        return cusolverDnXsyevBatched_bufferSize(s.handle, s.params, mode, CUBLAS_FILL_MODE_LOWER, a.rows, kind<T>,
                                                 a.data, a.ld, kind<R>, w, kind<T>, device, host, items);
      },
      [&](const cusolver& s, void* device, std::size_t device_size, void* host, std::size_t host_size) {
        return cusolverDnXsyevBatched(s.handle, s.params, mode, CUBLAS_FILL_MODE_LOWER, a.rows, kind<T>, a.data, a.ld,
                                      kind<R>, w, kind<T>, device, device_size, host, host_size, info, items);
      });
}

QUERN_LAPACK_TYPES(Kokkos::Cuda)
QUERN_LAPACK_BATCH_TYPES(Kokkos::Cuda)

}  // namespace quern::impl::lapack
