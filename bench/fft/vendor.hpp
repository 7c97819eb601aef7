// SPDX-FileCopyrightText: the Quern authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef QUERN_BENCH_FFT_VENDOR_HPP
#define QUERN_BENCH_FFT_VENDOR_HPP

/// @file
/// FFTW, cuFFT or hipFFT as a user would call them: a plan that is made once, and its execution.

#include <Kokkos_Core.hpp>
#include <memory>
#include <stdexcept>
#include <vector>

#include "support/bench.hpp"

#if defined(KOKKOS_ENABLE_CUDA)
#include <cufft.h>
#elif defined(KOKKOS_ENABLE_HIP)
#include <hipfft/hipfft.h>
#else
#include <fftw3.h>
#endif

namespace bench {

/// `count` transforms of numbers that are `stride` apart, the first of one `distance` from that of the next. Both
/// arrays of a complex one are placed alike; those of a real one are contiguous.
struct vendor_layout {
  std::vector<long long> lengths;
  long long stride = 1, distance = 1, count = 1;
  bool real = false;
};

#if defined(KOKKOS_ENABLE_CUDA) || defined(KOKKOS_ENABLE_HIP)
#ifdef KOKKOS_ENABLE_CUDA
#define QUERN_BENCH_VENDOR(name) cufft##name
#define QUERN_BENCH_CONSTANT(name) CUFFT_##name
inline auto stream_of(const Kokkos::Cuda& exec) { return exec.cuda_stream(); }
#else
#define QUERN_BENCH_VENDOR(name) hipfft##name
#define QUERN_BENCH_CONSTANT(name) HIPFFT_##name
inline auto stream_of(const Kokkos::HIP& exec) { return exec.hip_stream(); }
#endif

class vendor_fft {
 public:
  vendor_fft(const exec_space& exec, vendor_layout v, const double*, const Kokkos::complex<double>*) {
    handle_ = {new QUERN_BENCH_VENDOR(Handle), [](auto* h) {
                 QUERN_BENCH_VENDOR(Destroy)(*h);
                 delete h;
               }};
    check(QUERN_BENCH_VENDOR(Create)(handle_.get()));
    std::size_t bytes = 0;
    long long* embed = v.real ? nullptr : v.lengths.data();
    check(QUERN_BENCH_VENDOR(MakePlanMany64)(
        *handle_, static_cast<int>(v.lengths.size()), v.lengths.data(), embed, v.stride, v.distance, embed, v.stride,
        v.distance, v.real ? QUERN_BENCH_CONSTANT(D2Z) : QUERN_BENCH_CONSTANT(Z2Z), v.count, &bytes));
    check(QUERN_BENCH_VENDOR(SetStream)(*handle_, stream_of(exec)));
  }
  void operator()(const Kokkos::complex<double>* in, Kokkos::complex<double>* out) const {
    using complex = QUERN_BENCH_VENDOR(DoubleComplex);
    check(QUERN_BENCH_VENDOR(ExecZ2Z)(*handle_, reinterpret_cast<complex*>(const_cast<Kokkos::complex<double>*>(in)),
                                      reinterpret_cast<complex*>(out), -1));
  }
  void operator()(const double* in, Kokkos::complex<double>* out) const {
    using complex = QUERN_BENCH_VENDOR(DoubleComplex);
    check(QUERN_BENCH_VENDOR(ExecD2Z)(*handle_, const_cast<double*>(in), reinterpret_cast<complex*>(out)));
  }

 private:
  static void check(QUERN_BENCH_VENDOR(Result) status) {
    if (status != QUERN_BENCH_CONSTANT(SUCCESS)) throw std::runtime_error("the vendor's transform failed");
  }
  std::shared_ptr<QUERN_BENCH_VENDOR(Handle)> handle_;
};
#undef QUERN_BENCH_VENDOR
#undef QUERN_BENCH_CONSTANT
#else
class vendor_fft {
 public:
  vendor_fft(const exec_space& exec, const vendor_layout& v, const double* real,
             const Kokkos::complex<double>* complex) {
    [[maybe_unused]] static const int started = fftw_init_threads();
    fftw_plan_with_nthreads(exec.concurrency());
    const std::vector<int> n(v.lengths.begin(), v.lengths.end());
    const int rank = static_cast<int>(n.size()), count = static_cast<int>(v.count);
    const int stride = static_cast<int>(v.stride), distance = static_cast<int>(v.distance);
    fftw_complex* out = reinterpret_cast<fftw_complex*>(const_cast<Kokkos::complex<double>*>(complex));
    const fftw_plan p =
        v.real ? fftw_plan_dft_r2c(rank, n.data(), const_cast<double*>(real), out, FFTW_ESTIMATE)
               : fftw_plan_many_dft(rank, n.data(), count, reinterpret_cast<fftw_complex*>(const_cast<double*>(real)),
                                    nullptr, stride, distance, out, nullptr, stride, distance, FFTW_FORWARD,
                                    FFTW_ESTIMATE);
    if (p == nullptr) throw std::runtime_error("FFTW has no plan");
    plan_ = {p, fftw_destroy_plan};
  }
  void operator()(const Kokkos::complex<double>* in, Kokkos::complex<double>* out) const {
    fftw_execute_dft(plan_.get(), reinterpret_cast<fftw_complex*>(const_cast<Kokkos::complex<double>*>(in)),
                     reinterpret_cast<fftw_complex*>(out));
  }
  void operator()(const double* in, Kokkos::complex<double>* out) const {
    fftw_execute_dft_r2c(plan_.get(), const_cast<double*>(in), reinterpret_cast<fftw_complex*>(out));
  }

 private:
  std::shared_ptr<std::remove_pointer_t<fftw_plan> > plan_;
};
#endif

}  // namespace bench

#endif
