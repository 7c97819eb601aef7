// SPDX-FileCopyrightText: the Quern authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// cuBLAS, where Kokkos Kernels does not pass on to it.
#include <cublas_v2.h>

#include <quern/core/error.hpp>

#include "handles.hpp"
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

cublasOperation_t operation(bool transposed) { return transposed ? CUBLAS_OP_T : CUBLAS_OP_N; }

}  // namespace

template <class Exec, class T>
void gemm(const Exec& exec, std::int64_t batch, std::int64_t m, std::int64_t n, std::int64_t k, T alpha,
          blas::operand<const T> a, blas::operand<const T> b, T beta, blas::operand<T> c) {
  handles<cublas>::use(exec.cuda_device(), [&](cublasHandle_t handle) {
    check(cublasSetStream(handle, exec.cuda_stream()), "cublasSetStream");
    check(names<T>::gemm(handle, operation(a.transposed), operation(b.transposed), m, n, k, vendor_pointer(&alpha),
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
