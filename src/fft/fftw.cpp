// SPDX-FileCopyrightText: the Quern authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// FFTW, on hosts.
#include <fftw3.h>
#include <unistd.h>

#include <algorithm>
#include <mutex>
#include <numeric>
#include <quern/core/call/error.hpp>
#include <quern/core/call/label.hpp>

#include "instantiate.hpp"
#include "plan_cache.hpp"

namespace quern::impl::fourier {
namespace {

template <class T>
struct fftw;
#define QUERN_FFTW(p, T)                                            \
  template <>                                                       \
  struct fftw<T> {                                                  \
    using plan = p##plan;                                           \
    using complex = p##complex;                                     \
    using dimension = p##iodim64;                                   \
    static constexpr auto plan_complex = p##plan_guru64_dft;        \
    static constexpr auto plan_to_complex = p##plan_guru64_dft_r2c; \
    static constexpr auto plan_to_real = p##plan_guru64_dft_c2r;    \
    static constexpr auto execute_complex = p##execute_dft;         \
    static constexpr auto execute_to_complex = p##execute_dft_r2c;  \
    static constexpr auto execute_to_real = p##execute_dft_c2r;     \
    static constexpr auto destroy = p##destroy_plan;                \
    static constexpr auto alignment = p##alignment_of;              \
    static constexpr auto allocate = p##malloc;                     \
    static constexpr auto free = p##free;                           \
    static constexpr auto start_threads = p##init_threads;          \
    static constexpr auto set_threads = p##plan_with_nthreads;      \
  };
QUERN_FFTW(fftwf_, float)
QUERN_FFTW(fftw_, double)
#undef QUERN_FFTW

/// Only executing plans is safe in several threads at once; making and destroying them is not.
std::mutex planner;

/// Memory for a transform that FFTW tries, as aligned as the arrays that it is meant for.
template <class T>
class trial_array {
 public:
  trial_array(std::int64_t elements, std::size_t element_bytes, int alignment)
      : memory_(fftw<T>::allocate(elements * element_bytes + alignment)),
        data_(static_cast<std::byte*>(memory_) + alignment) {
    if (memory_ == nullptr) throw MemoryError("quern::fft", "no memory for the trials of a plan");
  }
  ~trial_array() { fftw<T>::free(memory_); }
  trial_array(const trial_array&) = delete;
  trial_array& operator=(const trial_array&) = delete;
  void* data() const { return data_; }

 private:
  void* memory_;
  void* data_;
};

/// From the first element of an array to the last.
std::int64_t span_of(const transform& t, std::int64_t transform_axis::* stride) {
  std::int64_t span = 1;
  for (int d = 0; d < t.rank; ++d) span += (t.axes[d].length - 1) * t.axes[d].*stride;
  for (int d = 0; d < t.batch_rank; ++d) span += (t.batch[d].length - 1) * t.batch[d].*stride;
  return span;
}

/// The bytes of a line of the second-level cache, its sets and the lines of a set; those of an EPYC where the system
/// does not say.
struct second_cache {
  std::int64_t line = 64, sets = 1024, ways = 8;
  second_cache() {
#ifdef _SC_LEVEL2_CACHE_SIZE
    const long bytes = sysconf(_SC_LEVEL2_CACHE_SIZE), known_line = sysconf(_SC_LEVEL2_CACHE_LINESIZE),
               known_ways = sysconf(_SC_LEVEL2_CACHE_ASSOC);
    if (known_line > 0 && known_ways > 0 && bytes >= known_line * known_ways) {
      line = known_line;
      ways = known_ways;
      sets = bytes / (line * ways);
    }
#endif
  }
};

/// FFTW takes all strides. Long lines that are not contiguous are faster packed where their elements fall into few sets
/// of a cache, or on more pages than the TLB holds.
bool faster_packed(std::int64_t length, std::int64_t stride, std::int64_t element_bytes) {
  static const second_cache cache;
  const auto [line, sets, ways] = cache;
  constexpr std::int64_t page = 4096, pages = 1536;
  if (stride == 1 || length <= 128) return false;
  const std::int64_t bytes = stride * element_bytes;
  const std::int64_t shared = bytes % line == 0 ? std::gcd(bytes / line, sets) : 1;
  const bool conflicts = shared >= 4 && 2 * length > ways * sets / shared;  // the results need as many lines
  return conflicts || (length > pages && bytes >= page) || length >= 1 << 18;
}

unsigned flags_of(const transform& t) {
  const unsigned rigor = t.rigor == fft_rigor::estimate  ? FFTW_ESTIMATE
                         : t.rigor == fft_rigor::measure ? FFTW_MEASURE
                                                         : FFTW_PATIENT;
  const bool keeps = t.what != kind::complex_to_real || (t.rank == 1 && !t.in_place);
  return rigor | (keeps ? FFTW_PRESERVE_INPUT : FFTW_DESTROY_INPUT);
}

/// FFTW's codelets n2 read a value each of several transforms that lie side by side, and write the results of each as a
/// row. Those of float store two complex numbers at a time, where 16 bytes align; but they check it of the first row
/// alone, and not of the distance between rows (in all versions up to 3.3.10). They are not chosen for inputs that
/// begin elsewhere, and the plans for those run on any: on an EPYC in 1.1 to 2 times what even distances take, whereas
/// plans that are made with FFTW_UNALIGNED take 2 to 6 times as long.
bool stores_misaligned(const transform& t) {
  if (!t.single || t.what == kind::real_to_complex || t.what == kind::complex_to_real) return false;
  const auto in_rows = [](const transform_axis& a) { return a.out == 1; };
  const auto odd_rows = [](const transform_axis& a) { return a.in == 1 && a.out != 1 && a.out % 2 != 0; };
  const auto end = t.axes.begin() + t.rank;
  return std::any_of(t.axes.begin(), end, in_rows) &&
         (std::any_of(t.axes.begin(), end, odd_rows) ||
          std::any_of(t.batch.begin(), t.batch.begin() + t.batch_rank, odd_rows));
}

template <class T>
std::shared_ptr<void> make_plan(const transform& t, int threads, void* in, void* out) {
  using lib = fftw<T>;
  using complex = typename lib::complex;
  const auto dimension = [](const transform_axis& a) { return typename lib::dimension{a.length, a.in, a.out}; };
  typename lib::dimension axes[transform::max_axes], batch[max_rank];
  for (int d = 0; d < t.rank; ++d) axes[d] = dimension(t.axes[d]);
  for (int d = 0; d < t.batch_rank; ++d) batch[d] = dimension(t.batch[d]);
  const std::lock_guard lock(planner);
  static const bool started = lib::start_threads() != 0;
  if (!started) throw BackendError("fftw_init_threads", "threads cannot be started");
  lib::set_threads(threads);
  const unsigned flags = flags_of(t);
  typename lib::plan p = nullptr;
  switch (t.what) {
    case kind::forward:
    case kind::backward:
      p = lib::plan_complex(t.rank, axes, t.batch_rank, batch, static_cast<complex*>(in), static_cast<complex*>(out),
                            t.what == kind::forward ? FFTW_FORWARD : FFTW_BACKWARD, flags);
      break;
    case kind::real_to_complex:
      p = lib::plan_to_complex(t.rank, axes, t.batch_rank, batch, static_cast<T*>(in), static_cast<complex*>(out),
                               flags);
      break;
    case kind::complex_to_real:
      p = lib::plan_to_real(t.rank, axes, t.batch_rank, batch, static_cast<complex*>(in), static_cast<T*>(out), flags);
  }
  if (p == nullptr) throw BackendError("fftw_plan_guru64_dft", "FFTW has no plan for this transform");
  return {p, [](void* plan) {
            const std::lock_guard destruction(planner);
            lib::destroy(static_cast<typename lib::plan>(plan));
          }};
}

template <class T>
std::shared_ptr<void> make_plan(const plan_key& key) {
  const int threads = static_cast<int>(key.instance);
  const transform& t = key.what;
  if (t.rigor == fft_rigor::estimate) {
    // An estimate reads no array, and asks of addresses only for alignment, and whether they are the same.
    const auto address = [](std::uintptr_t distant, int alignment) {
      return reinterpret_cast<void*>(distant + static_cast<std::uintptr_t>(alignment));
    };
    constexpr std::uintptr_t one = std::uintptr_t{1} << 40, other = std::uintptr_t{1} << 46;
    return make_plan<T>(t, threads, address(one, key.in_alignment),
                        t.in_place ? address(one, key.in_alignment) : address(other, key.out_alignment));
  }
  const auto bytes = [](bool real) { return real ? sizeof(T) : 2 * sizeof(T); };
  const trial_array<T> trial_in(span_of(t, &transform_axis::in), bytes(t.what == kind::real_to_complex),
                                key.in_alignment);
  if (t.in_place) return make_plan<T>(t, threads, trial_in.data(), trial_in.data());
  const trial_array<T> trial_out(span_of(t, &transform_axis::out), bytes(t.what == kind::complex_to_real),
                                 key.out_alignment);
  return make_plan<T>(t, threads, trial_in.data(), trial_out.data());
}

template <class T>
void execute_plan(const transform& t, void* plan, void* in, void* out) {
  using lib = fftw<T>;
  using complex = typename lib::complex;
  const auto p = static_cast<typename lib::plan>(plan);
  if (t.what == kind::real_to_complex) lib::execute_to_complex(p, static_cast<T*>(in), static_cast<complex*>(out));
  else if (t.what == kind::complex_to_real) lib::execute_to_real(p, static_cast<complex*>(in), static_cast<T*>(out));
  else lib::execute_complex(p, static_cast<complex*>(in), static_cast<complex*>(out));
}

}  // namespace

template <class Exec>
bool available() {
  return true;
}
template <class Exec>
bool takes(const transform& t, const void*, const void*) {
  const std::int64_t real = t.single ? 4 : 8;
  const std::int64_t in = t.what == kind::real_to_complex ? real : 2 * real;
  const std::int64_t out = t.what == kind::complex_to_real ? real : 2 * real;
  return std::none_of(t.axes.begin(), t.axes.begin() + t.rank, [&](const transform_axis& a) {
    return faster_packed(a.length, a.in, in) || faster_packed(a.length, a.out, out);
  });
}
template <class Exec>
bool overwrites(kind what, int rank) {
  return what == kind::complex_to_real && rank > 1;
}

template <class Exec>
plan_key key_of(const Exec& exec, const transform& t, const void* in, const void* out) {
  // FFTW's interface takes arrays that it reads by pointers to what it may write.
  const auto of = [&]<class T>(T) {
    const auto alignment = [](const void* p) { return fftw<T>::alignment(static_cast<T*>(const_cast<void*>(p))); };
    return plan_key{t, static_cast<std::uint64_t>(exec.concurrency()), alignment(in), alignment(out)};
  };
  plan_key key = t.single ? of(float()) : of(double());
  if (key.in_alignment == 0 && stores_misaligned(t)) key.in_alignment = 2 * sizeof(float);
  return key;
}

template <class Exec>
std::shared_ptr<void> plan(const Exec&, const plan_key& key) {
  return cached_plan(key, [&] { return key.what.single ? make_plan<float>(key) : make_plan<double>(key); });
}

template <class Exec>
void execute(const Exec& exec, const std::shared_ptr<void>& plan, const transform& t, void* in, void* out) {
  exec.fence(kernel_label("quern::fft: before FFTW"));
  if (t.single) execute_plan<float>(t, plan.get(), in, out);
  else execute_plan<double>(t, plan.get(), in, out);
}

QUERN_ON_HOSTS(QUERN_FFT)

}  // namespace quern::impl::fourier
