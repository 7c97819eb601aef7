// SPDX-FileCopyrightText: the Quern authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// rocBLAS, where Kokkos Kernels does not pass on to it, and rocSOLVER.
#include <rocblas/rocblas.h>
#include <rocsolver/rocsolver.h>

#include <quern/core/call/error.hpp>
#include <quern/core/memory/workspace.hpp>

#include "handles.hpp"
#include "instantiate.hpp"
#include "vendor.hpp"

namespace quern::impl::vendor {
namespace {

void check(rocblas_status status, const char* call) {
  if (status != rocblas_status_success) throw BackendError(call, rocblas_status_to_string(status));
}

/// Calls `run(handle)` with the handle of the device, on the stream of `exec`.
template <class Run>
void with_handle(const Kokkos::HIP& exec, const Run& run) {
  using handle_owner = owned<rocblas_handle, rocblas_destroy_handle>;
  const auto make = [] {
    rocblas_handle handle;
    check(rocblas_create_handle(&handle), "rocblas_create_handle");
    return handle_owner(handle);
  };
  handles<handle_owner>::use(exec.hip_device(), make, [&](const handle_owner& handle) {
    check(rocblas_set_stream(handle.get(), exec.hip_stream()), "rocblas_set_stream");
    run(handle.get());
  });
}

rocblas_operation operation(blas::form f) {
  return f == blas::form::as_is        ? rocblas_operation_none
         : f == blas::form::transposed ? rocblas_operation_transpose
                                       : rocblas_operation_conjugate_transpose;
}

}  // namespace

#define QUERN_NAMES(T, V, p, orthogonal, symmetric)                                 \
  template <>                                                                       \
  struct names<T> {                                                                 \
    using type = V;                                                                 \
    static constexpr auto gemm = rocblas_##p##gemm_strided_batched;                 \
    static constexpr auto getrf = rocsolver_##p##getrf;                             \
    static constexpr auto getrs = rocsolver_##p##getrs;                             \
    static constexpr auto potrf = rocsolver_##p##potrf;                             \
    static constexpr auto geqrf = rocsolver_##p##geqrf;                             \
    static constexpr auto orgqr = rocsolver_##p##orthogonal;                        \
    static constexpr auto gesvd = rocsolver_##p##gesvd;                             \
    static constexpr auto syevd = rocsolver_##p##symmetric;                         \
    static constexpr auto syevd_batch = rocsolver_##p##symmetric##_strided_batched; \
  };
QUERN_NAMES(float, float, s, orgqr, syevd)
QUERN_NAMES(double, double, d, orgqr, syevd)
QUERN_NAMES(Kokkos::complex<float>, rocblas_float_complex, c, ungqr, heevd)
QUERN_NAMES(Kokkos::complex<double>, rocblas_double_complex, z, ungqr, heevd)

template <class Exec, class T>
void gemm(const Exec& exec, std::int64_t batch, std::int64_t m, std::int64_t n, std::int64_t k, T alpha,
          blas::operand<const T> a, blas::operand<const T> b, T beta, blas::operand<T> c) {
  with_handle(exec, [&](rocblas_handle handle) {
    check(names<T>::gemm(handle, operation(a.use), operation(b.use), m, n, k, vendor_pointer(&alpha),
                         vendor_pointer(a.data), a.ld, a.next, vendor_pointer(b.data), b.ld, b.next,
                         vendor_pointer(&beta), vendor_pointer(c.data), c.ld, c.next, batch),
          "rocblas_gemm_strided_batched");
  });
}

QUERN_LINALG_TYPES(Kokkos::HIP, QUERN_GEMM)

}  // namespace quern::impl::vendor

namespace quern::impl::lapack {
namespace {

using vendor::check, vendor::names, vendor::vendor_pointer;

/// Calls `routine(handle)` with the handle of the device, on the stream of `exec`, and memory of the scratch pool: once
/// to learn how much, and once to run.
template <class Routine>
void call(const Kokkos::HIP& exec, const char* name, const Routine& routine) {
  vendor::with_handle(exec, [&](rocblas_handle handle) {
    std::size_t bytes = 0;
    check(rocblas_start_device_memory_size_query(handle), "rocblas_start_device_memory_size_query");
    routine(handle);
    check(rocblas_stop_device_memory_size_query(handle, &bytes), "rocblas_stop_device_memory_size_query");
    const scratch_array<Kokkos::HIP, std::byte> work(exec, static_cast<std::int64_t>(bytes));
    check(rocblas_set_workspace(handle, work.data(), bytes), "rocblas_set_workspace");
    const rocblas_status status = routine(handle);
    check(rocblas_set_workspace(handle, nullptr, 0), "rocblas_set_workspace");  // the pool may pass it on
    check(status, name);
  });
}

rocblas_int narrowed(std::int64_t n) { return static_cast<rocblas_int>(n); }

}  // namespace

template <class Exec, class T>
void getrf(const Exec& exec, column_major<T> a, int* pivots, int* info) {
  call(exec, "rocsolver_getrf", [&](rocblas_handle handle) {
    return names<T>::getrf(handle, narrowed(a.rows), narrowed(a.columns), vendor_pointer(a.data), narrowed(a.ld),
                           pivots, info);
  });
}

template <class Exec, class T>
void getrs(const Exec& exec, column_major<const T> lu, const int* pivots, column_major<T> b) {
  auto* factors = vendor_pointer(const_cast<T*>(lu.data));  // which are not written
  call(exec, "rocsolver_getrs", [&](rocblas_handle handle) {
    return names<T>::getrs(handle, rocblas_operation_none, narrowed(lu.rows), narrowed(b.columns), factors,
                           narrowed(lu.ld), pivots, vendor_pointer(b.data), narrowed(b.ld));
  });
}

template <class Exec, class T>
void potrf(const Exec& exec, column_major<T> a, int* info) {
  call(exec, "rocsolver_potrf", [&](rocblas_handle handle) {
    return names<T>::potrf(handle, rocblas_fill_lower, narrowed(a.rows), vendor_pointer(a.data), narrowed(a.ld), info);
  });
}

template <class Exec, class T>
void geqrf(const Exec& exec, column_major<T> a, T* tau) {
  call(exec, "rocsolver_geqrf", [&](rocblas_handle handle) {
    return names<T>::geqrf(handle, narrowed(a.rows), narrowed(a.columns), vendor_pointer(a.data), narrowed(a.ld),
                           vendor_pointer(tau));
  });
}

template <class Exec, class T>
void orgqr(const Exec& exec, column_major<T> a, std::int64_t reflections, const T* tau) {
  auto* factors = vendor_pointer(const_cast<T*>(tau));  // which are not written
  call(exec, "rocsolver_orgqr", [&](rocblas_handle handle) {
    return names<T>::orgqr(handle, narrowed(a.rows), narrowed(a.columns), narrowed(reflections), vendor_pointer(a.data),
                           narrowed(a.ld), factors);
  });
}

template <class Exec, class T>
void svd(const Exec& exec, column_major<T> a, real_type<T>* s, column_major<T> u, column_major<T> vt, int* info) {
  const auto vectors = u.data == nullptr ? rocblas_svect_none : rocblas_svect_singular;
  const scratch_array<Exec, real_type<T>> off_diagonal(exec, a.columns);
  call(exec, "rocsolver_gesvd", [&](rocblas_handle handle) {
    return names<T>::gesvd(handle, vectors, vectors, narrowed(a.rows), narrowed(a.columns), vendor_pointer(a.data),
                           narrowed(a.ld), s, vendor_pointer(u.data), narrowed(std::max(u.ld, a.rows)),
                           vendor_pointer(vt.data), narrowed(std::max(vt.ld, a.columns)), off_diagonal.data(),
                           rocblas_outofplace, info);
  });
}

template <class Exec, class T>
void eigh(const Exec& exec, column_major<T> a, real_type<T>* w, bool vectors, int* info) {
  const auto wanted = vectors ? rocblas_evect_original : rocblas_evect_none;
  const scratch_array<Exec, real_type<T>> off_diagonal(exec, a.rows);
  call(exec, "rocsolver_syevd", [&](rocblas_handle handle) {
    return names<T>::syevd(handle, wanted, rocblas_fill_lower, narrowed(a.rows), vendor_pointer(a.data), narrowed(a.ld),
                           w, off_diagonal.data(), info);
  });
}

template <class Exec, class T>
void eigh_batch(const Exec& exec, column_major<T> a, real_type<T>* w, bool vectors, int* info) {
  const auto wanted = vectors ? rocblas_evect_original : rocblas_evect_none;
  const scratch_array<Exec, real_type<T>> off_diagonal(exec, a.columns);
  call(exec, "rocsolver_syevd_strided_batched", [&](rocblas_handle handle) {
    return names<T>::syevd_batch(handle, wanted, rocblas_fill_lower, narrowed(a.rows), vendor_pointer(a.data),
                                 narrowed(a.ld), a.rows * a.ld, w, a.rows, off_diagonal.data(), a.rows, info,
                                 narrowed(a.columns / a.rows));
  });
}

QUERN_LINALG_TYPES(Kokkos::HIP, QUERN_LAPACK)
QUERN_LINALG_TYPES(Kokkos::HIP, QUERN_LAPACK_BATCH)

}  // namespace quern::impl::lapack
