// SPDX-FileCopyrightText: the Quern authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// cuBLAS, where Kokkos Kernels does not pass on to it, and cuSOLVER.
#include <cublas_v2.h>
#include <cusolverDn.h>

#include <quern/core/call/error.hpp>
#include <quern/core/call/label.hpp>
#include <quern/core/memory/workspace.hpp>

#include "handles.hpp"
#include "instantiate.hpp"
#include "vendor.hpp"

namespace quern::impl::vendor {
namespace {

void check(cublasStatus_t status, const char* call) {
  if (status != CUBLAS_STATUS_SUCCESS) throw BackendError(call, cublasGetStatusString(status));
}

using cublas = owned<cublasHandle_t, cublasDestroy>;
cublas make_cublas() {
  cublasHandle_t handle;
  check(cublasCreate(&handle), "cublasCreate");
  return cublas(handle);
}

cublasOperation_t operation(blas::form f) {
  return f == blas::form::as_is ? CUBLAS_OP_N : f == blas::form::transposed ? CUBLAS_OP_T : CUBLAS_OP_C;
}

}  // namespace

#define QUERN_NAMES(T, V, p, orthogonal)                                       \
  template <>                                                                  \
  struct names<T> {                                                            \
    using type = V;                                                            \
    static constexpr auto gemm = cublas##p##gemmStridedBatched;                \
    static constexpr auto orgqr = cusolverDn##p##orthogonal;                   \
    static constexpr auto orgqr_size = cusolverDn##p##orthogonal##_bufferSize; \
  };
QUERN_NAMES(float, float, S, orgqr)
QUERN_NAMES(double, double, D, orgqr)
QUERN_NAMES(Kokkos::complex<float>, cuComplex, C, ungqr)
QUERN_NAMES(Kokkos::complex<double>, cuDoubleComplex, Z, ungqr)

template <class Exec, class T>
void gemm(const Exec& exec, std::int64_t batch, std::int64_t m, std::int64_t n, std::int64_t k, T alpha,
          blas::operand<const T> a, blas::operand<const T> b, T beta, blas::operand<T> c) {
  handles<cublas>::use(exec.cuda_device(), make_cublas, [&](const cublas& handle) {
    check(cublasSetStream(handle.get(), exec.cuda_stream()), "cublasSetStream");
    check(names<T>::gemm(handle.get(), operation(a.use), operation(b.use), m, n, k, vendor_pointer(&alpha),
                         vendor_pointer(a.data), a.ld, a.next, vendor_pointer(b.data), b.ld, b.next,
                         vendor_pointer(&beta), vendor_pointer(c.data), c.ld, c.next, batch),
          "cublasGemmStridedBatched");
  });
}

QUERN_LINALG_TYPES(Kokkos::Cuda, QUERN_GEMM)

}  // namespace quern::impl::vendor

namespace quern::impl::lapack {
namespace {

using vendor::owned;

void check(cusolverStatus_t status, const char* call) {
  if (status != CUSOLVER_STATUS_SUCCESS) throw BackendError(call, "status " + std::to_string(status));
}

/// A handle with the default parameters of its generic routines.
struct cusolver {
  owned<cusolverDnHandle_t, cusolverDnDestroy> handle;
  owned<cusolverDnParams_t, cusolverDnDestroyParams> params;
};
cusolver make_cusolver() {
  cusolver made;
  cusolverDnHandle_t handle;
  check(cusolverDnCreate(&handle), "cusolverDnCreate");
  made.handle.reset(handle);
  cusolverDnParams_t params;
  check(cusolverDnCreateParams(&params), "cusolverDnCreateParams");
  made.params.reset(params);
  return made;
}

template <class T>
constexpr cudaDataType kind = std::is_same_v<T, float>                    ? CUDA_R_32F
                              : std::is_same_v<T, double>                 ? CUDA_R_64F
                              : std::is_same_v<T, Kokkos::complex<float>> ? CUDA_C_32F
                                                                          : CUDA_C_64F;

/// Calls `run(handle, params)` with those of the device, on the stream of `exec`.
template <class Run>
void with_solver(const Kokkos::Cuda& exec, const Run& run) {
  vendor::handles<cusolver>::use(exec.cuda_device(), make_cusolver, [&](const cusolver& solver) {
    check(cusolverDnSetStream(solver.handle.get(), exec.cuda_stream()), "cusolverDnSetStream");
    run(solver.handle.get(), solver.params.get());
  });
}

/// Calls `routine(handle, params, arguments..., device work, its size, host work, its size, results...)` with the
/// memory that `sizes(handle, params, arguments..., &device size, &host size)` asks for.
template <class Sizes, class Routine, class... Argument, class... Result>
void call(const Kokkos::Cuda& exec, const char* name, const Sizes& sizes, const Routine& routine,
          const std::tuple<Argument...>& arguments, const Result&... results) {
  with_solver(exec, [&](cusolverDnHandle_t handle, cusolverDnParams_t params) {
    std::size_t device = 0, host = 0;
    std::apply([&](const auto&... a) { check(sizes(handle, params, a..., &device, &host), name); }, arguments);
    const scratch_array<Kokkos::Cuda, std::byte> device_work(exec, device);
    std::vector<std::byte> host_work(host);
    std::apply(
        [&](const auto&... a) {
          check(routine(handle, params, a..., device_work.data(), device, host_work.data(), host, results...), name);
        },
        arguments);
    if (host > 0) exec.fence(kernel_label(name));  // it may be read until then
  });
}

cusolverEigMode_t mode_of(bool vectors) { return vectors ? CUSOLVER_EIG_MODE_VECTOR : CUSOLVER_EIG_MODE_NOVECTOR; }

/// Where a routine reports of a call that can only fail by a mistake here.
using ignored_info = lease<Kokkos::Cuda>;

template <class To, class From>
void copy_integers(const Kokkos::Cuda& exec, std::int64_t n, To* to, const From* from) {
  Kokkos::parallel_for(
      kernel_label("quern::lapack/pivots"), Kokkos::RangePolicy<Kokkos::Cuda>(exec, 0, n),
      KOKKOS_LAMBDA(int i) { to[i] = static_cast<To>(from[i]); });
}

}  // namespace

template <class Exec, class T>
void getrf(const Exec& exec, column_major<T> a, int* pivots, int* info) {
  const std::int64_t n = std::min(a.rows, a.columns);
  const scratch_array<Exec, std::int64_t> wide(exec, n);
  const auto routine = [&](auto handle, auto params, auto rows, auto columns, auto type, auto* data, auto ld,
                           auto... rest) {
    return cusolverDnXgetrf(handle, params, rows, columns, type, data, ld, wide.data(), rest...);
  };
  call(exec, "cusolverDnXgetrf", cusolverDnXgetrf_bufferSize, routine,
       std::tuple(a.rows, a.columns, kind<T>, a.data, a.ld, kind<T>), info);
  copy_integers(exec, n, pivots, wide.data());
}

template <class Exec, class T>
void getrs(const Exec& exec, column_major<const T> lu, const int* pivots, column_major<T> b) {
  const scratch_array<Exec, std::int64_t> wide(exec, lu.rows);
  copy_integers(exec, lu.rows, wide.data(), pivots);
  ignored_info info(exec);
  with_solver(exec, [&](cusolverDnHandle_t handle, cusolverDnParams_t params) {
    check(cusolverDnXgetrs(handle, params, CUBLAS_OP_N, lu.rows, b.columns, kind<T>, lu.data, lu.ld, wide.data(),
                           kind<T>, b.data, b.ld, info.result<int>()),
          "cusolverDnXgetrs");
  });
}

template <class Exec, class T>
void potrf(const Exec& exec, column_major<T> a, int* info) {
  call(exec, "cusolverDnXpotrf", cusolverDnXpotrf_bufferSize, cusolverDnXpotrf,
       std::tuple(CUBLAS_FILL_MODE_LOWER, a.rows, kind<T>, a.data, a.ld, kind<T>), info);
}

template <class Exec, class T>
void geqrf(const Exec& exec, column_major<T> a, T* tau) {
  ignored_info info(exec);
  call(exec, "cusolverDnXgeqrf", cusolverDnXgeqrf_bufferSize, cusolverDnXgeqrf,
       std::tuple(a.rows, a.columns, kind<T>, a.data, a.ld, kind<T>, tau, kind<T>), info.result<int>());
}

template <class Exec, class T>
void orgqr(const Exec& exec, column_major<T> a, std::int64_t reflections, const T* tau) {
  using vendor::names, vendor::vendor_pointer;
  const int m = static_cast<int>(a.rows), n = static_cast<int>(a.columns), k = static_cast<int>(reflections);
  const int ld = static_cast<int>(a.ld);
  ignored_info info(exec);
  with_solver(exec, [&](cusolverDnHandle_t handle, cusolverDnParams_t) {
    int size = 0;
    check(names<T>::orgqr_size(handle, m, n, k, vendor_pointer(a.data), ld, vendor_pointer(tau), &size),
          "cusolverDn<t>orgqr");
    const scratch_array<Exec, T> work(exec, size);
    check(names<T>::orgqr(handle, m, n, k, vendor_pointer(a.data), ld, vendor_pointer(tau), vendor_pointer(work.data()),
                          size, info.result<int>()),
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
  const scratch_array<Kokkos::Cuda, T> v(exec, n * n);
  double moved = 0;
  call(exec, "cusolverDnXgesvdp", cusolverDnXgesvdp_bufferSize, cusolverDnXgesvdp,
       std::tuple(mode_of(x.vectors), 1, m, n, kind<T>, x.a.data, x.a.ld, kind<R>, x.s, kind<T>, x.u.data, x.u.ld,
                  kind<T>, v.data(), n, kind<T>),
       x.info, &moved);
  const column_major<T> right{v.data(), n, n, n}, vt = x.vt;
  Kokkos::parallel_for(
      kernel_label("quern::lapack/adjoint"),
      Kokkos::RangePolicy<Kokkos::Cuda, Kokkos::IndexType<std::int64_t>>(exec, 0, n * n),
      KOKKOS_LAMBDA(std::int64_t e) { vt(e % n, e / n) = conjugate(right(e / n, e % n)); });
  return moved;
}

template <class T>
void svd_by_iterations(const Kokkos::Cuda& exec, const svd_arguments<T>& x) {
  const signed char job = x.vectors ? 'S' : 'N';
  call(exec, "cusolverDnXgesvd", cusolverDnXgesvd_bufferSize, cusolverDnXgesvd,
       std::tuple(job, job, x.a.rows, x.a.columns, kind<T>, x.a.data, x.a.ld, kind<real_type<T>>, x.s, kind<T>,
                  x.u.data, x.u.ld, kind<T>, x.vt.data, x.vt.ld, kind<T>),
       x.info);
}

template <class T>
void copy_columns(const Kokkos::Cuda& exec, const column_major<T>& to, const column_major<T>& from) {
  Kokkos::parallel_for(
      kernel_label("quern::lapack/copy"),
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
  const column_major<T> original{copy.data(), m, n, m}, left = own_u ? column_major<T>{room.data(), m, n, m} : u;
  if (!vectors) vt = {room_vt.data(), n, n, n};
  copy_columns(exec, original, a);
  if (svd_by_polar<T>(exec, {a, s, left, vt, vectors, info}) != 0)
    svd_by_iterations<T>(exec, {original, s, left, vt, vectors, info});
  if (vectors && own_u) copy_columns(exec, u, left);
}

template <class Exec, class T>
void eigh(const Exec& exec, column_major<T> a, real_type<T>* w, bool vectors, int* info) {
  call(exec, "cusolverDnXsyevd", cusolverDnXsyevd_bufferSize, cusolverDnXsyevd,
       std::tuple(mode_of(vectors), CUBLAS_FILL_MODE_LOWER, a.rows, kind<T>, a.data, a.ld, kind<real_type<T>>, w,
                  kind<T>),
       info);
}

template <class Exec, class T>
void eigh_batch(const Exec& exec, column_major<T> a, real_type<T>* w, bool vectors, int* info) {
  // With 100 000 of 24 x 24 the library ends in an internal error, and it asks for more than 0.6 MiB of work for each.
  constexpr std::int64_t max_items = 1 << 12;
  const std::int64_t n = a.rows, all = a.columns / n;
  for (std::int64_t first = 0; first < all; first += max_items) {
    const std::int64_t items = std::min(max_items, all - first);
    const auto sizes = [&](auto... arguments) { return cusolverDnXsyevBatched_bufferSize(arguments..., items); };
    call(exec, "cusolverDnXsyevBatched", sizes, cusolverDnXsyevBatched,
         std::tuple(mode_of(vectors), CUBLAS_FILL_MODE_LOWER, n, kind<T>, a.data + first * n * a.ld, a.ld,
                    kind<real_type<T>>, w + first * n, kind<T>),
         info + first, items);
  }
}

QUERN_LINALG_TYPES(Kokkos::Cuda, QUERN_LAPACK)
QUERN_LINALG_TYPES(Kokkos::Cuda, QUERN_LAPACK_BATCH)

}  // namespace quern::impl::lapack
