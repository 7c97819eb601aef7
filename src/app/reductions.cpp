// SPDX-FileCopyrightText: the Quern authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <fstream>
#include <quern/chunked.hpp>
#include <quern/core.hpp>
#include <quern/map.hpp>
#include <quern/reduce.hpp>
#include <quern/scan.hpp>
#include <vector>

#include "input.hpp"
#include "report.hpp"
#include "workload.hpp"

namespace app {
namespace {

template <class T>
device_view<T*> sample_vector(const settings& s, std::int64_t n) {
  const auto x = uninitialized<device_view<T*>>("x", n);
  fill_with(s.exec, x, KOKKOS_LAMBDA(std::int64_t i) { return hashed(i, 1); });
  return x;
}

template <class T, class... Option>
measurement sum_of(const settings& s, const device_view<T*>& x, Option... option) {
  const std::int64_t n = x.extent(0);
  using S = decltype(quern::sum(s.exec, x));
  S result{};
  measurement m =
      timed(s, {n}, static_cast<double>(sizeof(T)) * n, 1.0 * n, [&] { result = quern::sum(s.exec, x, option...); });
  const auto hx = quern::to_host(x);
  long double exact = 0, magnitude = 0;
  for (std::int64_t i = 0; i < n; ++i) {
    exact += hx(i);
    magnitude += std::fabs(static_cast<long double>(hx(i)));
  }
  if constexpr (std::is_integral_v<T>) {
    m.verified = static_cast<long double>(result) == exact;
  } else {
    // The error bound of pairwise summation.
    const double depth = std::log2(static_cast<double>(n) + 2);
    m.verified = agrees(result, exact, depth * std::numeric_limits<T>::epsilon() * magnitude);
  }
  m.note = fmt::format("sum = {}", result);
  m.baseline_seconds = time_baseline(n, [&](std::int64_t k) {
    S sum{};
    for (std::int64_t i = 0; i < k; ++i) sum += hx(i);
    keep(sum);
  });
  return m;
}

/// Verified besides: the host finds the same bits in the values in reverse order.
template <class T>
measurement sum_reproducible_of(const settings& s, const device_view<T*>& x) {
  measurement m = sum_of(s, x, quern::reproducible);
  const auto hx = quern::to_host(x);
  std::vector<T> reversed(hx.data(), hx.data() + hx.extent(0));
  std::reverse(reversed.begin(), reversed.end());
  const Kokkos::View<const T*, Kokkos::HostSpace, Kokkos::MemoryTraits<Kokkos::Unmanaged>> r(reversed.data(),
                                                                                             reversed.size());
  const auto forwards = quern::sum(s.exec, x, quern::reproducible), backwards = quern::sum(r, quern::reproducible);
  m.verified = m.verified && (forwards == backwards || (forwards != forwards && backwards != backwards));
  return m;
}

struct exact_moments {
  long double mean = 0, var = 0;
};
template <class View>
exact_moments exact_moments_of(const View& hx) {
  const auto n = static_cast<std::int64_t>(hx.extent(0));
  exact_moments m;
  for (std::int64_t i = 0; i < n; ++i) m.mean += hx(i);
  m.mean /= n;
  for (std::int64_t i = 0; i < n; ++i) m.var += (hx(i) - m.mean) * (hx(i) - m.mean);
  m.var /= n;
  return m;
}
/// A plain loop for the mean and one for the squares.
template <class View>
double time_two_passes(const View& hx) {
  return time_baseline(static_cast<std::int64_t>(hx.extent(0)), [&](std::int64_t k) {
    double a = 0, b = 0;
    for (std::int64_t i = 0; i < k; ++i) a += hx(i);
    for (std::int64_t i = 0; i < k; ++i) b += (hx(i) - a / k) * (hx(i) - a / k);
    keep(b);
  });
}

template <class T>
measurement mean_var_of(const settings& s, const device_view<T*>& x) {
  const std::int64_t n = x.extent(0);
  decltype(quern::mean_var(s.exec, x)) result{};
  measurement m =
      timed(s, {n}, static_cast<double>(sizeof(T)) * n, 4.0 * n, [&] { result = quern::mean_var(s.exec, x); });
  const auto hx = quern::to_host(x);
  const auto [mean, var] = exact_moments_of(hx);
  const double eps = std::numeric_limits<std::conditional_t<std::is_integral_v<T>, double, T>>::epsilon();
  const double depth = std::log2(static_cast<double>(n) + 2);
  m.verified = agrees(result.mean, mean, depth * eps * (std::fabs(mean) + std::sqrt(var))) &&
               agrees(result.var, var, 2 * depth * eps * var);
  m.note = fmt::format("mean = {}, var = {}", result.mean, result.var);
  m.baseline_seconds = time_two_passes(hx);
  return m;
}

template <class T>
measurement stddev_of(const settings& s, const device_view<T*>& x) {
  const std::int64_t n = x.extent(0);
  decltype(quern::stddev(s.exec, x)) result{};
  measurement m =
      timed(s, {n}, static_cast<double>(sizeof(T)) * n, 4.0 * n, [&] { result = quern::stddev(s.exec, x); });
  const auto hx = quern::to_host(x);
  const long double exact = std::sqrt(exact_moments_of(hx).var);
  const double eps = std::numeric_limits<decltype(result)>::epsilon();
  m.verified = agrees(result, exact, std::log2(static_cast<double>(n) + 2) * eps * exact);
  m.note = fmt::format("stddev = {}", result);
  m.baseline_seconds = time_two_passes(hx);
  return m;
}

template <class T>
measurement median_of(const settings& s, const device_view<T*>& x) {
  const std::int64_t n = x.extent(0);
  decltype(quern::median(s.exec, x)) result{};
  measurement m =
      timed(s, {n}, static_cast<double>(sizeof(T)) * n, 1.0 * n, [&] { result = quern::median(s.exec, x); });
  const auto hx = quern::to_host(x);
  const std::int64_t below = std::count_if(hx.data(), hx.data() + n, [&](T v) { return v < result; });
  const std::int64_t above = std::count_if(hx.data(), hx.data() + n, [&](T v) { return v > result; });
  const bool any_nan = std::any_of(hx.data(), hx.data() + n, [](T v) { return v != v; });
  m.verified = any_nan ? result != result : 2 * below <= n && 2 * above <= n;
  m.note = fmt::format("median = {}", result);
  m.baseline_seconds = time_baseline(n, [&](std::int64_t k) {
    std::vector<T> copy(hx.data(), hx.data() + k);
    std::nth_element(copy.begin(), copy.begin() + k / 2, copy.end());
    keep(copy[k / 2]);
  });
  return m;
}

template <class T>
measurement argmax_of(const settings& s, const device_view<T*>& x) {
  const std::int64_t n = x.extent(0);
  std::int64_t result = -1;
  measurement m =
      timed(s, {n}, static_cast<double>(sizeof(T)) * n, 1.0 * n, [&] { result = quern::argmax(s.exec, x); });
  const auto hx = quern::to_host(x);
  const T* const nan = std::find_if(hx.data(), hx.data() + n, [](T v) { return v != v; });
  const T* const largest = nan != hx.data() + n ? nan : std::max_element(hx.data(), hx.data() + n);
  m.verified = result == largest - hx.data();
  m.note = fmt::format("argmax = {}", result);
  m.baseline_seconds = time_baseline(n, [&](std::int64_t k) {
    std::int64_t at = 0;
    for (std::int64_t i = 1; i < k; ++i)
      if (hx(i) > hx(at)) at = i;
    keep(at);
  });
  return m;
}

/// Runs f on the array of a file, in the device's memory.
template <class F>
measurement from_file(const settings& s, const F& f) {
  const auto file = open_input(*s.input, s.array);
  return with_type_of(*s.input, file->info().type, [&]<class T>(T) {
    measurement m = f(read_flat<T>(*file));
    describe_input<T>(m, file->info());
    return m;
  });
}

/// f(i, value) for the elements of a .npy file, in its order, by a plain loop over what the standard library reads.
template <class F>
void for_each_value(const std::string& path, const quern::files::array_info& info, const F& f) {
  using quern::files::number_kind;
  std::ifstream file(path, std::ios::binary);
  file.seekg(info.offset);
  const std::int64_t n = info.extents.size(), bytes = info.type.bytes;
  const bool swapped = info.big_endian && bytes > 1;
  std::vector<char> buffer(bytes << 18);
  const auto loop = [&]<class T>(T, const auto& value) {
    for (std::int64_t i = 0; i < n;) {
      const std::int64_t count = std::min<std::int64_t>(n - i, 1 << 18);
      if (!file.read(buffer.data(), count * bytes))
        throw quern::files::FileError(path, "cannot be read to its end to verify the result");
      for (std::int64_t k = 0; k < count; ++k, ++i) {
        if (swapped) std::reverse(buffer.data() + k * bytes, buffer.data() + (k + 1) * bytes);
        f(i, value(reinterpret_cast<const T*>(buffer.data())[k]));
      }
    }
  };
  const auto itself = [](auto v) { return v; };
  if (info.type.kind == number_kind::boolean)
    return loop(std::uint8_t(), [](std::uint8_t v) { return v != 0 ? 1 : 0; });
  if (info.type.kind == number_kind::floating_point) {
    if (bytes == 2) return loop(std::uint16_t(), half_value);
    return bytes == 8 ? loop(double(), itself) : loop(float(), itself);
  }
  const bool is_signed = info.type.kind == number_kind::signed_integer;
  if (bytes == 8) return loop(std::int64_t(), itself);
  if (bytes == 4) return is_signed ? loop(std::int32_t(), itself) : loop(std::uint32_t(), itself);
  if (bytes == 2) return is_signed ? loop(std::int16_t(), itself) : loop(std::uint16_t(), itself);
  return is_signed ? loop(std::int8_t(), itself) : loop(std::uint8_t(), itself);
}

/// A reduction of a .npy file that is read in chunks, `reduce(source, options)`; `right(m, result, info)` verifies it
/// with a loop over the file, whose time is that of one core.
template <class Reduce, class Right>
measurement in_chunks(const settings& s, const Reduce& reduce, const Right& right) {
  using clock = std::chrono::steady_clock;
  const auto seconds_of = [](const auto& call) {
    const auto start = clock::now();
    call();
    return std::chrono::duration<double>(clock::now() - start).count();
  };
  const std::string& path = *s.input;
  const auto info = quern::files::npy_info(path);
  return with_type_of(path, info.type, [&]<class File>(File) {
    using T =
        std::conditional_t<std::is_integral_v<File>, std::int64_t, File>;  // integers are converted as they are read
    const std::int64_t n = info.extents.size();
    measurement m{fmt::format("{}", n), 0, 0, 1.0 * n};
    constexpr bool device = quern::impl::is_device<exec_space>;
    const double limit = device ? limits(s.exec).link_rate() : plain_read_rate(path);
    const auto options = shown_chunking(s, limit, device ? "the link" : "a plain read");
    const auto source = quern::files::npy_flat_source<T>(path);
    decltype(reduce(source, options)) result{};
    m.seconds = seconds_of([&] { result = reduce(source, options); });
    m.baseline_seconds = seconds_of([&] { right(m, result, info); });
    describe_input<T>(m, info);
    return m;
  });
}

/// Sums of a file within the error of pairwise summation.
struct file_sums {
  long double sum = 0, magnitude = 0;
  file_sums(const std::string& path, const quern::files::array_info& info) {
    for_each_value(path, info, [&](std::int64_t, auto v) {
      sum += v;
      magnitude += std::fabs(static_cast<long double>(v));
    });
  }
};
template <class... Option>
measurement chunked_sum_of(const settings& s, Option... option) {
  return in_chunks(
      s, [&](const auto& x, const auto& options) { return quern::sum(s.exec, x, options, option...); },
      [&](measurement& m, auto result, const auto& info) {
        const file_sums exact(*s.input, info);
        if constexpr (std::is_integral_v<decltype(result)>) {
          m.verified = static_cast<long double>(result) == exact.sum;
        } else {
          const double depth = std::log2(m.flops + 2);
          m.verified =
              agrees(result, exact.sum, depth * std::numeric_limits<decltype(result)>::epsilon() * exact.magnitude);
        }
        m.note = fmt::format("sum = {}", result);
      });
}

/// Mean and variance of a file, by two loops.
exact_moments file_moments(const std::string& path, const quern::files::array_info& info) {
  exact_moments e;
  const auto n = static_cast<long double>(info.extents.size());
  for_each_value(path, info, [&](std::int64_t, auto v) { e.mean += v; });
  e.mean /= n;
  for_each_value(path, info, [&](std::int64_t, auto v) { e.var += (v - e.mean) * (v - e.mean); });
  e.var /= n;
  return e;
}
measurement chunked_mean_var(const settings& s) {
  return in_chunks(
      s, [&](const auto& x, const auto& options) { return quern::mean_var(s.exec, x, options); },
      [&](measurement& m, auto result, const auto& info) {
        const auto [mean, var] = file_moments(*s.input, info);
        const double eps = std::log2(m.flops + 2) * std::numeric_limits<decltype(result.mean)>::epsilon();
        m.verified = agrees(result.mean, mean, eps * (std::fabs(mean) + std::sqrt(var))) &&
                     agrees(result.var, var, 2 * eps * var);
        m.note = fmt::format("mean = {}, var = {}", result.mean, result.var);
      });
}
measurement chunked_stddev(const settings& s) {
  return in_chunks(
      s, [&](const auto& x, const auto& options) { return quern::stddev(s.exec, x, options); },
      [&](measurement& m, auto result, const auto& info) {
        const long double exact = std::sqrt(file_moments(*s.input, info).var);
        m.verified =
            agrees(result, exact, std::log2(m.flops + 2) * std::numeric_limits<decltype(result)>::epsilon() * exact);
        m.note = fmt::format("stddev = {}", result);
      });
}
measurement chunked_median(const settings& s) {
  return in_chunks(
      s, [&](const auto& x, const auto& options) { return quern::median(s.exec, x, options); },
      [&](measurement& m, auto result, const auto& info) {
        std::int64_t below = 0, above = 0, nan = 0;
        for_each_value(*s.input, info, [&](std::int64_t, auto v) {
          below += v < result;
          above += v > result;
          nan += v != v;
        });
        m.verified = nan > 0 ? result != result : 2 * below <= m.flops && 2 * above <= m.flops;
        m.note = fmt::format("median = {}", result);
      });
}
measurement chunked_argmax(const settings& s) {
  if (quern::files::npy_info(*s.input).fortran_order)
    throw usage_error(
        *s.input + ": argmax counts in C order and --chunked reads in the file's, Fortran order: leave --chunked out");
  return in_chunks(
      s, [&](const auto& x, const auto& options) { return quern::argmax(s.exec, x, options); },
      [&](measurement& m, std::int64_t result, const auto& info) {
        std::int64_t at = -1;
        double largest = 0;
        for_each_value(*s.input, info, [&](std::int64_t i, auto v) {
          const auto x = static_cast<double>(v);
          if (at >= 0 && !(x > largest) && !(x != x && largest == largest)) return;
          at = i;
          largest = x;
        });
        m.verified = result == at;
        m.note = fmt::format("argmax = {}", result);
      });
}

template <class T>
measurement sum(const settings& s, std::int64_t n) {
  if (s.chunked) return chunked_sum_of(s);
  if (s.input) return from_file(s, [&](const auto& x) { return sum_of(s, x); });
  return sum_of(s, sample_vector<T>(s, n));
}

measurement sum_reproducible(const settings& s, std::int64_t n) {
  if (s.chunked) return chunked_sum_of(s, quern::reproducible);
  if (s.input) return from_file(s, [&](const auto& x) { return sum_reproducible_of(s, x); });
  return sum_reproducible_of(s, sample_vector<double>(s, n));
}

measurement mean_var(const settings& s, std::int64_t n) {
  if (s.chunked) return chunked_mean_var(s);
  if (s.input) return from_file(s, [&](const auto& x) { return mean_var_of(s, x); });
  return mean_var_of(s, sample_vector<double>(s, n));
}

measurement stddev(const settings& s, std::int64_t n) {
  if (s.chunked) return chunked_stddev(s);
  if (s.input) return from_file(s, [&](const auto& x) { return stddev_of(s, x); });
  return stddev_of(s, sample_vector<double>(s, n));
}

measurement argmax(const settings& s, std::int64_t n) {
  if (s.chunked) return chunked_argmax(s);
  if (s.input) return from_file(s, [&](const auto& x) { return argmax_of(s, x); });
  return argmax_of(s, sample_vector<double>(s, n));
}

measurement median(const settings& s, std::int64_t n) {
  if (s.chunked) return chunked_median(s);
  if (s.input) return from_file(s, [&](const auto& x) { return median_of(s, x); });
  return median_of(s, sample_vector<double>(s, n));
}

/// Sums of the rows (axis 1) or the columns (axis 0) of a matrix.
template <int Axis>
measurement sum_axis(const settings& s, std::int64_t n) {
  const auto x = uninitialized<device_view<double**>>("x", n, n);
  const auto out = uninitialized<device_view<double*>>("out", n);
  fill_with(s.exec, x, KOKKOS_LAMBDA(std::int64_t i) { return hashed(i, 1); });
  measurement m =
      timed(s, {n, n}, 8.0 * n * n + 8.0 * n, 1.0 * n * n, [&] { quern::sum(s.exec, out, x, quern::axis{Axis}); });
  m.note = fmt::format("axis {}", Axis);
  const auto hx = quern::to_host(x);
  const auto hout = quern::to_host(out);
  std::vector<long double> exact(n, 0);
  for (std::int64_t i = 0; i < n; ++i)
    for (std::int64_t j = 0; j < n; ++j) exact[Axis == 0 ? j : i] += hx(i, j);
  const double bound = std::log2(static_cast<double>(n) + 2) * std::numeric_limits<double>::epsilon();
  m.verified = all_right(n, [&](std::int64_t k) { return std::fabs(hout(k) - exact[k]) <= bound * exact[k]; });
  m.baseline_seconds = time_baseline(n, [&](std::int64_t k) {
    for (std::int64_t i = 0; i < k; ++i) {
      double sum = 0;
      for (std::int64_t j = 0; j < n; ++j) sum += Axis == 0 ? hx(j, i) : hx(i, j);
      hout(i) = sum;
    }
    keep(hout(0));
  });
  return m;
}

measurement cumsum(const settings& s, std::int64_t n) {
  const auto x = sample_vector<double>(s, n);
  const auto out = uninitialized<device_view<double*>>("out", n);
  measurement m = timed(s, {n}, 16.0 * n, 1.0 * n, [&] { quern::cumsum(s.exec, out, x); });
  const auto hx = quern::to_host(x);
  const auto hout = quern::to_host(out);
  const double bound = std::log2(static_cast<double>(n) + 2) * std::numeric_limits<double>::epsilon();
  long double exact = 0;
  m.verified = true;
  for (std::int64_t i = 0; i < n; ++i) {
    exact += hx(i);
    m.verified = m.verified && std::fabs(hout(i) - exact) <= bound * exact;
  }
  m.baseline_seconds = time_baseline(n, [&](std::int64_t k) {
    double sum = 0;
    for (std::int64_t i = 0; i < k; ++i) hout(i) = sum += hx(i);
    keep(hout(0));
  });
  return m;
}

}  // namespace

std::vector<workload> reduction_workloads() {
  std::vector<workload> list{
      {"sum", "float64", "sum of x", {20'000'000}, {100'000'000}, arrays(8), sum<double>},
      {"sum", "float32", "sum of x", {40'000'000}, {1'000'000'000}, arrays(4), sum<float>},
      {"sum_reproducible",
       "float64",
       "the same bits everywhere",
       {20'000'000},
       {100'000'000},
       arrays(8),
       sum_reproducible},
      {"mean_var", "float64", "mean and variance in one pass", {20'000'000}, {100'000'000}, arrays(8), mean_var},
      {"stddev", "float64", "standard deviation in one pass", {20'000'000}, {100'000'000}, arrays(8), stddev},
      {"median", "float64", "median by selection", {20'000'000}, {100'000'000}, arrays(8), median},
      {"argmax", "float64", "first position of the largest", {20'000'000}, {100'000'000}, arrays(8), argmax},
  };
  for (auto& w : list) w.takes = w.takes | option::input | option::array | option::chunked | option::memory;
  const auto square = [](std::int64_t n) { return 16.0 * static_cast<double>(n) * static_cast<double>(n); };
  list.push_back({"sum_axis", "float64", "sum over axis 0", {3000}, {10'000}, square, sum_axis<0>});
  list.push_back({"sum_axis", "float64", "sum over axis 1", {3000}, {10'000}, square, sum_axis<1>});
  list.push_back({"cumsum", "float64", "inclusive scan", {20'000'000}, {100'000'000}, arrays(16), cumsum});
  return list;
}

}  // namespace app
