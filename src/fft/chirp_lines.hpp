// SPDX-FileCopyrightText: the Quern authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef QUERN_SRC_FFT_CHIRP_LINES_HPP
#define QUERN_SRC_FFT_CHIRP_LINES_HPP

// Complex transforms of many lines whose length has a large prime factor, by convolution with a chirp (Bluestein).
// FFTW does so too, but without trials pads to lengths for which it is slow, and walks along each line by its stride.
#include <algorithm>
#include <cmath>
#include <memory>
#include <numbers>
#include <quern/core/launch/index_range.hpp>
#include <quern/fft/transform.hpp>
#include <vector>

namespace quern::impl::fourier {

/// The largest prime factor.
inline std::int64_t largest_factor(std::int64_t n) {
  std::int64_t largest = 1;
  for (std::int64_t f = 2; f * f <= n; ++f)
    while (n % f == 0) {
      n /= f;
      largest = f;
    }
  return std::max(largest, n);
}
/// The least multiple of 64 from n on with no prime factor above 7: FFTW is fast for these as estimated.
inline std::int64_t chirp_length(std::int64_t n) {
  std::int64_t length = (n + 63) / 64 * 64;
  while (largest_factor(length) > 7) length += 64;
  return length;
}
/// Transforms that are faster so.
inline bool takes_chirps(const transform& t) {
  constexpr std::int64_t min_length = 500, max_length = 1 << 14;
  if (t.rigor != fft_rigor::estimate || (t.what != kind::forward && t.what != kind::backward) || t.rank == 0)
    return false;
  return std::all_of(t.axes.begin(), t.axes.begin() + t.rank, [](const transform_axis& a) {
    return a.length >= min_length && a.length <= max_length && 2 * largest_factor(a.length) >= a.length;
  });
}

/// Real and imaginary parts, whose product needs no care for infinities.
template <class T>
struct complex_number {
  T re, im;
  friend complex_number operator*(const complex_number& a, const complex_number& b) {
    return {a.re * b.re - a.im * b.im, a.re * b.im + a.im * b.re};
  }
};

/// The transform of lines of one length. Lib is FFTW's of that precision.
template <class Lib, class T>
class chirp_line {
 public:
  using number = complex_number<T>;

  chirp_line(std::int64_t length, bool forward)
      : length_(length), padded_(chirp_length(2 * length - 1)), chirp_(length), filter_(padded_) {
    for (std::int64_t j = 0; j < length; ++j) {
      const long double angle = std::numbers::pi_v<long double> * static_cast<long double>(j * j % (2 * length)) /
                                static_cast<long double>(length);
      const auto sine = static_cast<T>(std::sin(angle));
      chirp_[j] = {static_cast<T>(std::cos(angle)), forward ? -sine : sine};
    }
    std::vector<number> spread(padded_ + 2 * room);
    number* const b = aligned(spread.data());
    const T scale = 1 / static_cast<T>(padded_);
    for (std::int64_t j = 0; j < length; ++j)
      b[j] = b[(padded_ - j) % padded_] = {scale * chirp_[j].re, -scale * chirp_[j].im};
    std::vector<number> result(padded_ + 2 * room);
    number* const transformed = aligned(result.data());
    there_ = plan(b, transformed, -1);
    back_ = plan(transformed, b, 1);
    execute(there_, b, transformed);
    std::copy_n(transformed, padded_, filter_.begin());
  }
  ~chirp_line() {
    Lib::destroy(there_);
    Lib::destroy(back_);
  }
  chirp_line(const chirp_line&) = delete;
  chirp_line& operator=(const chirp_line&) = delete;

  std::int64_t length() const { return length_; }
  /// Numbers of memory that `run` and `tile` need.
  std::int64_t work_size() const { return 2 * padded_ + 4 * room; }

  /// Transforms a line in place.
  void run(number* line, number* work) const {
    number* const a = aligned(work);
    number* const b = aligned(a + padded_);
    for (std::int64_t j = 0; j < length_; ++j) a[j] = line[j] * chirp_[j];
    std::fill(a + length_, a + padded_, number{});
    execute(there_, a, b);
    for (std::int64_t j = 0; j < padded_; ++j) b[j] = b[j] * filter_[j];
    execute(back_, b, a);
    for (std::int64_t j = 0; j < length_; ++j) line[j] = a[j] * chirp_[j];
  }

 private:
  static constexpr std::int64_t room = 64 / sizeof(number);
  static number* aligned(number* p) {
    return reinterpret_cast<number*>((reinterpret_cast<std::uintptr_t>(p) + 63) / 64 * 64);
  }
  typename Lib::plan plan(number* in, number* out, int sign) const {
    const typename Lib::dimension axis{padded_, 1, 1};
    return Lib::plan_complex(1, &axis, 0, nullptr, reinterpret_cast<typename Lib::complex*>(in),
                             reinterpret_cast<typename Lib::complex*>(out), sign, FFTW_ESTIMATE | FFTW_DESTROY_INPUT);
  }
  static void execute(typename Lib::plan p, number* in, number* out) {
    Lib::execute_complex(p, reinterpret_cast<typename Lib::complex*>(in),
                         reinterpret_cast<typename Lib::complex*>(out));
  }

  std::int64_t length_, padded_;
  std::vector<number> chirp_, filter_;
  typename Lib::plan there_{}, back_{};
};

/// Transforms of all lines along one axis, from and to arrays of any strides: a range of them for each thread, which
/// copies some neighbouring lines at a time to memory of its own.
template <class Lib, class T>
struct chirp_pass {
  using number = complex_number<T>;
  static constexpr int most_lines = 16;
  static constexpr std::int64_t tile_numbers = 1 << 14;

  const chirp_line<Lib, T>* line;
  transform_axis axis;
  std::vector<transform_axis> others;  // the last of which neighbouring lines lie along
  const number* in;
  number* out;
  std::int64_t threads;

  std::int64_t rows() const {
    std::int64_t n = 1;
    for (std::size_t d = 0; d + 1 < others.size(); ++d) n *= others[d].length;
    return n;
  }
  void operator()(std::int64_t thread) const {
    const std::int64_t across = others.back().length;
    const std::int64_t some = std::clamp<std::int64_t>(tile_numbers / axis.length, 1, most_lines);
    const std::int64_t per_row = (across + some - 1) / some, tiles = rows() * per_row;
    thread_local std::vector<number> memory;
    memory.resize(std::max<std::size_t>(memory.size(), some * axis.length + line->work_size()));
    for (std::int64_t t = thread * tiles / threads; t < (thread + 1) * tiles / threads; ++t) {
      const std::int64_t first = t % per_row * some;
      run(memory.data(), t / per_row, first, static_cast<int>(std::min(some, across - first)));
    }
  }
  void run(number* tile, std::int64_t row, std::int64_t first, int lines) const {
    const std::int64_t n = axis.length;
    const number* from = in + first * others.back().in;
    number* to = out + first * others.back().out;
    for (std::size_t d = others.size() - 1; d-- > 0;) {
      const std::int64_t i = row % others[d].length;
      row /= others[d].length;
      from += i * others[d].in;
      to += i * others[d].out;
    }
    const auto for_elements = [&](const auto& copy) {
      if (axis.in == 1 && axis.out == 1) {
        for (int k = 0; k < lines; ++k)
          for (std::int64_t i = 0; i < n; ++i) copy(i, k);
      } else {
        for (std::int64_t i = 0; i < n; ++i)
          for (int k = 0; k < lines; ++k) copy(i, k);
      }
    };
    for_elements([&](std::int64_t i, int k) { tile[k * n + i] = from[i * axis.in + k * others.back().in]; });
    for (int k = 0; k < lines; ++k) line->run(tile + k * n, tile + most_lines_numbers(n));
    for_elements([&](std::int64_t i, int k) { to[i * axis.out + k * others.back().out] = tile[k * n + i]; });
  }
  static std::int64_t most_lines_numbers(std::int64_t n) {
    return std::clamp<std::int64_t>(tile_numbers / n, 1, most_lines) * n;
  }
};

/// The lines of each axis of a transform.
template <class Lib, class T>
struct chirp_plan {
  std::vector<std::unique_ptr<chirp_line<Lib, T>>> lines;

  explicit chirp_plan(const transform& t) {
    for (int d = 0; d < t.rank; ++d)
      lines.push_back(std::make_unique<chirp_line<Lib, T>>(t.axes[d].length, t.what == kind::forward));
  }
  /// Along the last axis from `in` to `out`, then along the others in place.
  template <class Exec>
  void execute(const Exec& exec, const std::string& label, const transform& t, void* in, void* out) const {
    using pass = chirp_pass<Lib, T>;
    using number = complex_number<T>;
    for (int d = t.rank - 1; d >= 0; --d) {
      const bool first = d == t.rank - 1;
      const auto strides = [&](transform_axis a) {
        if (!first) a.in = a.out;
        return a;
      };
      std::vector<transform_axis> others;
      for (int k = 0; k < t.batch_rank; ++k) others.push_back(strides(t.batch[k]));
      for (int k = 0; k < t.rank; ++k)
        if (k != d) others.push_back(strides(t.axes[k]));
      if (others.empty()) others.push_back({1, 1, 1});
      std::stable_sort(others.begin(), others.end(), [](const auto& a, const auto& b) { return a.out > b.out; });
      const auto* from = static_cast<const number*>(first ? in : out);
      const std::int64_t threads = exec.concurrency();
      Kokkos::parallel_for(label, index_range(exec, threads),
                           pass{lines[d].get(), strides(t.axes[d]), others, from, static_cast<number*>(out), threads});
    }
  }
};

}  // namespace quern::impl::fourier

#endif
