// SPDX-FileCopyrightText: the Quern authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef QUERN_BENCH_LINALG_BATCHED_VENDOR_HPP
#define QUERN_BENCH_LINALG_BATCHED_VENDOR_HPP

/// @file
/// The vendor's batches of small matrices, on CUDA: what Quern is compared with. Matrices are column-major there, which
/// is the transposed of ours; the calls are chosen so that their results are ours.

#include "support/bench.hpp"

#ifdef KOKKOS_ENABLE_CUDA
#include <cublas_v2.h>
#include <cusolverDn.h>

#include <memory>

namespace bench::vendor {

struct handles {
  cublasHandle_t blas;
  cusolverDnHandle_t solver;
  cusolverDnParams_t params;
  gesvdjInfo_t jacobi;
  explicit handles(const exec_space& exec) {
    cublasCreate(&blas);
    cublasSetStream(blas, exec.cuda_stream());
    cusolverDnCreate(&solver);
    cusolverDnSetStream(solver, exec.cuda_stream());
    cusolverDnCreateParams(&params);
    cusolverDnCreateGesvdjInfo(&jacobi);
  }
  ~handles() {
    cusolverDnDestroyGesvdjInfo(jacobi);
    cusolverDnDestroyParams(params);
    cusolverDnDestroy(solver);
    cublasDestroy(blas);
  }
  handles(const handles&) = delete;
  handles& operator=(const handles&) = delete;
};

struct pointer {
  double* to;
};
/// Where each matrix of a batch is.
inline view<pointer*> pointers(const view<double***>& a) {
  const view<pointer*> p("pointers", a.extent(0));
  Kokkos::parallel_for(
      "bench::pointers", range(0, a.extent(0)), KOKKOS_LAMBDA(std::int64_t i) { p(i).to = &a(i, 0, 0); });
  Kokkos::fence();
  return p;
}
inline double** data(const view<pointer*>& p) { return reinterpret_cast<double**>(p.data()); }

/// Up to 32 rows.
inline std::function<void()> inv(const exec_space& exec, const view<double***>& out, const view<double***>& a) {
  const auto from = pointers(a), to = pointers(out);
  const view<int*> info("info", a.extent(0));
  return [=, h = std::make_shared<handles>(exec), n = int(a.extent(1))] {
    cublasDmatinvBatched(h->blas, n, data(from), n, data(to), n, info.data(), int(info.size()));
  };
}

inline std::function<void()> cholesky(const exec_space& exec, const view<double***>& l, const view<double***>& a) {
  const auto to = pointers(l);
  const view<int*> info("info", a.extent(0));
  return [=, h = std::make_shared<handles>(exec), n = int(a.extent(1))] {
    Kokkos::deep_copy(exec, l, a);
    cusolverDnDpotrfBatched(h->solver, CUBLAS_FILL_MODE_UPPER, n, data(to), n, info.data(), int(info.size()));
  };
}

inline std::function<void()> eigh(const exec_space& exec, const view<double**>& w, const view<double***>& v,
                                  const view<double***>& a) {
  const view<int*> info("info", a.extent(0));
  const auto h = std::make_shared<handles>(exec);
  const std::int64_t n = a.extent(1), items = a.extent(0);
  std::size_t device = 0, host = 0;
  cusolverDnXsyevBatched_bufferSize(h->solver, h->params, CUSOLVER_EIG_MODE_VECTOR, CUBLAS_FILL_MODE_LOWER, n,
                                    CUDA_R_64F, v.data(), n, CUDA_R_64F, w.data(), CUDA_R_64F, &device, &host, items);
  const view<char*> work("work", device);
  const auto host_work = std::make_shared<std::vector<char>>(host);
  return [=] {
    Kokkos::deep_copy(exec, v, a);
    cusolverDnXsyevBatched(h->solver, h->params, CUSOLVER_EIG_MODE_VECTOR, CUBLAS_FILL_MODE_LOWER, n, CUDA_R_64F,
                           v.data(), n, CUDA_R_64F, w.data(), CUDA_R_64F, work.data(), device, host_work->data(), host,
                           info.data(), items);
  };
}

/// Up to 32 rows.
inline std::function<void()> svd(const exec_space& exec, const view<double***>& u, const view<double**>& s,
                                 const view<double***>& vt, const view<double***>& a) {
  const view<int*> info("info", a.extent(0));
  const view<double***> copy("copy", a.extent(0), a.extent(1), a.extent(2));
  const auto h = std::make_shared<handles>(exec);
  const int n = int(a.extent(1)), items = int(a.extent(0));
  int size = 0;
  cusolverDnDgesvdjBatched_bufferSize(h->solver, CUSOLVER_EIG_MODE_VECTOR, n, n, copy.data(), n, s.data(), u.data(), n,
                                      vt.data(), n, &size, h->jacobi, items);
  const view<double*> work("work", size);
  return [=] {
    Kokkos::deep_copy(exec, copy, a);
    cusolverDnDgesvdjBatched(h->solver, CUSOLVER_EIG_MODE_VECTOR, n, n, copy.data(), n, s.data(), u.data(), n,
                             vt.data(), n, work.data(), size, info.data(), h->jacobi, items);
  };
}

}  // namespace bench::vendor
#endif

#endif
