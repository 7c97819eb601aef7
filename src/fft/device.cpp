// SPDX-FileCopyrightText: the Quern authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// cuFFT and hipFFT, whose functions have the same names.
#include <Kokkos_Core.hpp>
#include <mutex>
#include <quern/core/call/error.hpp>
#include <quern/core/memory/workspace.hpp>
#include <utility>

#include "instantiate.hpp"
#include "plan_cache.hpp"

#ifdef KOKKOS_ENABLE_CUDA
#include <cufft.h>
#define QUERN_VENDOR(name) cufft##name
#define QUERN_VENDOR_CONSTANT(name) CUFFT_##name
#else
#include <hipfft/hipfft.h>
#define QUERN_VENDOR(name) hipfft##name
#define QUERN_VENDOR_CONSTANT(name) HIPFFT_##name
#endif

namespace quern::impl::fourier {
namespace {

#ifdef KOKKOS_ENABLE_CUDA
using device = Kokkos::Cuda;
auto stream_of(const device& exec) { return exec.cuda_stream(); }
// "Out-of-place" transforms from complex to real numbers use their input as scratch memory.
constexpr bool keeps(kind what) { return what != kind::complex_to_real; }
#else
using device = Kokkos::HIP;
auto stream_of(const device& exec) { return exec.hip_stream(); }
constexpr bool keeps(kind what) { return what == kind::forward || what == kind::backward; }
#endif

void check(QUERN_VENDOR(Result) status, const char* call) {
  if (status != QUERN_VENDOR_CONSTANT(SUCCESS)) throw BackendError(call, "status " + std::to_string(status));
}
#define QUERN_CALL(name, ...) check(QUERN_VENDOR(name)(__VA_ARGS__), "fft" #name)

/// How the library describes an array: element (b, i, j, k) is at b distance + ((i embed[1] + j) embed[2] + k) stride.
struct placement {
  std::array<long long, transform::max_axes> embed{};
  long long stride = 1, distance = 1;
  bool possible = true;

  placement(const transform& t, std::int64_t transform_axis::* along, bool halved) {
    const int last = t.rank - 1;
    stride = t.axes[last].*along;
    distance = t.batch_rank == 1 ? t.batch[0].*along : 1;
    possible = stride > 0 && distance > 0;
    embed[0] = t.axes[0].length;
    for (int d = last; d > 0 && possible; --d) {
      const std::int64_t outer = t.axes[d - 1].*along, inner = t.axes[d].*along;
      const std::int64_t extent = halved && d == last ? t.axes[d].length / 2 + 1 : t.axes[d].length;
      embed[d] = outer / inner;
      possible = outer % inner == 0 && embed[d] >= extent;
    }
  }
};

/// Whether the rows of real numbers are as far apart as those of a transform in place. cuFFT takes them for such rows,
/// where it may write what is behind the real numbers; but there, other data may lie (seen on an H100 with CUDA 13, in
/// double).
bool writes_between_rows(const transform& t, const placement& out) {
  if (t.what != kind::complex_to_real || t.in_place) return false;
  const int last = t.rank - 1;
  const std::int64_t row = 2 * (t.axes[last].length / 2 + 1);
  return last > 0 ? out.embed[last] == row : out.distance == row * out.stride;
}

class device_plan {
 public:
  explicit device_plan(const transform& t) {
    const placement in(t, &transform_axis::in, t.what == kind::complex_to_real);
    const placement out(t, &transform_axis::out, t.what == kind::real_to_complex);
    std::array<long long, transform::max_axes> lengths{}, in_embed = in.embed, out_embed = out.embed;
    for (int d = 0; d < t.rank; ++d) lengths[d] = t.axes[d].length;
    QUERN_CALL(Create, &handle_);
    const auto made = [&] {
      QUERN_CALL(SetAutoAllocation, handle_, 0);
      QUERN_CALL(MakePlanMany64, handle_, t.rank, lengths.data(), in_embed.data(), in.stride, in.distance,
                 out_embed.data(), out.stride, out.distance, type_of(t), t.batch_rank == 1 ? t.batch[0].length : 1,
                 &bytes_);
    };
    try {
      made();
    } catch (...) {
      QUERN_VENDOR(Destroy)(handle_);
      throw;
    }
  }
  ~device_plan() { QUERN_VENDOR(Destroy)(handle_); }
  device_plan(const device_plan&) = delete;
  device_plan& operator=(const device_plan&) = delete;

  void operator()(const device& exec, const transform& t, void* in, void* out) {
    scratch_array<device, std::byte> work(exec, static_cast<std::int64_t>(bytes_));
    const std::lock_guard lock(mutex_);
    set_stream(stream_of(exec), work.data());
    const int direction = t.what == kind::backward ? 1 : -1;  // the sign of the exponent, in both libraries
    if (t.single) {
      using real = QUERN_VENDOR(Real);
      using complex = QUERN_VENDOR(Complex);
      if (t.what == kind::real_to_complex)
        QUERN_CALL(ExecR2C, handle_, static_cast<real*>(in), static_cast<complex*>(out));
      else if (t.what == kind::complex_to_real)
        QUERN_CALL(ExecC2R, handle_, static_cast<complex*>(in), static_cast<real*>(out));
      else QUERN_CALL(ExecC2C, handle_, static_cast<complex*>(in), static_cast<complex*>(out), direction);
    } else {
      using real = QUERN_VENDOR(DoubleReal);
      using complex = QUERN_VENDOR(DoubleComplex);
      if (t.what == kind::real_to_complex)
        QUERN_CALL(ExecD2Z, handle_, static_cast<real*>(in), static_cast<complex*>(out));
      else if (t.what == kind::complex_to_real)
        QUERN_CALL(ExecZ2D, handle_, static_cast<complex*>(in), static_cast<real*>(out));
      else QUERN_CALL(ExecZ2Z, handle_, static_cast<complex*>(in), static_cast<complex*>(out), direction);
    }
  }

 private:
  using stream_type = decltype(stream_of(std::declval<device>()));

  /// A plan knows one stream and one work area, which are told to the library where they are others than before.
  void set_stream(stream_type stream, void* work) {
    if (!told_ || stream != stream_) QUERN_CALL(SetStream, handle_, stream);
    if (!told_ || work != work_) QUERN_CALL(SetWorkArea, handle_, work);
    stream_ = stream;
    work_ = work;
    told_ = true;
  }

  static QUERN_VENDOR(Type) type_of(const transform& t) {
    if (t.what == kind::real_to_complex) return t.single ? QUERN_VENDOR_CONSTANT(R2C) : QUERN_VENDOR_CONSTANT(D2Z);
    if (t.what == kind::complex_to_real) return t.single ? QUERN_VENDOR_CONSTANT(C2R) : QUERN_VENDOR_CONSTANT(Z2D);
    return t.single ? QUERN_VENDOR_CONSTANT(C2C) : QUERN_VENDOR_CONSTANT(Z2Z);
  }

  QUERN_VENDOR(Handle) handle_;
  std::size_t bytes_ = 0;
  stream_type stream_{};
  void* work_ = nullptr;
  bool told_ = false;
  std::mutex mutex_;
};

}  // namespace

template <class Exec>
bool available() {
  return true;
}

template <class Exec>
bool takes(const transform& t, const void* in, const void* out) {
  // Long lines that are not contiguous take twice as long as packed ones: on an H200 5 ms beside 2.7 with 10000 x 10000
  // complex numbers, whereas of 2048 x 2048 they are faster.
  const bool contiguous = t.axes[0].in == 1 && t.axes[0].out == 1;
  if (t.rank == 1 && !contiguous && t.axes[0].length > 4096) return false;
  const std::uintptr_t complex_bytes = t.single ? 8 : 16;  // what the library asks for, of real arrays, too
  const auto aligned = [&](const void* p) { return reinterpret_cast<std::uintptr_t>(p) % complex_bytes == 0; };
  const placement from(t, &transform_axis::in, t.what == kind::complex_to_real);
  const placement to(t, &transform_axis::out, t.what == kind::real_to_complex);
  return t.batch_rank <= 1 && aligned(in) && aligned(out) && from.possible && to.possible &&
         !writes_between_rows(t, to);
}

template <class Exec>
bool overwrites(kind what, int) {
  return !keeps(what);
}

template <class Exec>
plan_key key_of(const Exec& exec, const transform& t, const void*, const void*) {
  return {t, reinterpret_cast<std::uint64_t>(stream_of(exec))};
}
template <class Exec>
std::shared_ptr<void> plan(const Exec&, const plan_key& key) {
  return cached_plan(key, [&] { return std::make_shared<device_plan>(key.what); });
}

template <class Exec>
void execute(const Exec& exec, const std::shared_ptr<void>& plan, const transform& t, void* in, void* out) {
  (*static_cast<device_plan*>(plan.get()))(exec, t, in, out);
}

QUERN_ON_DEVICES(QUERN_FFT)

}  // namespace quern::impl::fourier
