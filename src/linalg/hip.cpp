// SPDX-FileCopyrightText: the Quern authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// rocBLAS, where Kokkos Kernels does not pass on to it.
#include <rocblas/rocblas.h>

#include <quern/core/error.hpp>

#include "handles.hpp"
#include "vendor.hpp"

namespace quern::impl::vendor {
namespace {

void check(rocblas_status status, const char* call) {
  if (status != rocblas_status_success) throw BackendError(call, rocblas_status_to_string(status));
}

class rocblas_owner {
 public:
  rocblas_owner() { check(rocblas_create_handle(&handle_), "rocblas_create_handle"); }
  ~rocblas_owner() { rocblas_destroy_handle(handle_); }
  rocblas_owner(const rocblas_owner&) = delete;
  rocblas_owner& operator=(const rocblas_owner&) = delete;
  rocblas_handle get() const { return handle_; }

 private:
  rocblas_handle handle_;
};

template <class T>
struct names;
template <>
struct names<float> {
  using type = float;
  static constexpr auto gemm = rocblas_sgemm_strided_batched;
};
template <>
struct names<double> {
  using type = double;
  static constexpr auto gemm = rocblas_dgemm_strided_batched;
};
template <>
struct names<Kokkos::complex<float>> {
  using type = rocblas_float_complex;
  static constexpr auto gemm = rocblas_cgemm_strided_batched;
};
template <>
struct names<Kokkos::complex<double>> {
  using type = rocblas_double_complex;
  static constexpr auto gemm = rocblas_zgemm_strided_batched;
};

template <class T>
auto* vendor_pointer(T* p) {
  using V = typename names<std::remove_const_t<T>>::type;
  return reinterpret_cast<std::conditional_t<std::is_const_v<T>, const V, V>*>(p);
}

rocblas_operation operation(bool transposed) {
  return transposed ? rocblas_operation_transpose : rocblas_operation_none;
}

}  // namespace

template <class Exec, class T>
void gemm(const Exec& exec, std::int64_t batch, std::int64_t m, std::int64_t n, std::int64_t k, T alpha,
          blas::operand<const T> a, blas::operand<const T> b, T beta, blas::operand<T> c) {
  handles<rocblas_owner>::use(exec.hip_device(), [&](rocblas_handle handle) {
    check(rocblas_set_stream(handle, exec.hip_stream()), "rocblas_set_stream");
    check(names<T>::gemm(handle, operation(a.transposed), operation(b.transposed), m, n, k, vendor_pointer(&alpha),
                         vendor_pointer(a.data), a.ld, a.next, vendor_pointer(b.data), b.ld, b.next,
                         vendor_pointer(&beta), vendor_pointer(c.data), c.ld, c.next, batch),
          "rocblas_gemm_strided_batched");
  });
}

#define QUERN_VENDOR_GEMM(T)                                                                        \
  template void gemm(const Kokkos::HIP&, std::int64_t, std::int64_t, std::int64_t, std::int64_t, T, \
                     blas::operand<const T>, blas::operand<const T>, T, blas::operand<T>);
QUERN_VENDOR_GEMM(float)
QUERN_VENDOR_GEMM(double)
QUERN_VENDOR_GEMM(Kokkos::complex<float>)
QUERN_VENDOR_GEMM(Kokkos::complex<double>)

}  // namespace quern::impl::vendor
