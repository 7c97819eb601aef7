// SPDX-FileCopyrightText: the Quern authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <fstream>
#include <numeric>
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

/// What integers are added up as, and read as in chunks.
template <class T>
using widened = std::conditional_t<std::is_integral_v<T>, std::int64_t, T>;

/// Calls f(i, value) for the elements of an array.
template <class T>
struct values_in_memory {
  host_view<T*> x;
  template <class F>
  void operator()(const F& f) const {
    for (std::int64_t i = 0; i < static_cast<std::int64_t>(x.size()); ++i) f(i, x(i));
  }
};

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

/// Of a .npy file that is read in chunks. The time of one core is that of the loop over the file that verifies.
template <class Reduce, class Verify>
measurement in_chunks(const settings& s, const Reduce& reduce, const Verify& verify) {
  const std::string& path = s.input;
  const auto info = quern::files::npy_info(path);
  return with_type_of(path, info.type, [&]<class File>(File) {
    using T = widened<File>;
    const std::int64_t n = info.extents.size();
    measurement m{fmt::format("{}", n), 0, 0, 1.0 * n};
    constexpr bool device = quern::impl::is_device<exec_space>;
    const double limit = device ? limits(s.exec).link_rate() : plain_read_rate(path);
    const auto options = shown_chunking(s, limit, device ? "the link" : "a plain read");
    const auto source = quern::files::npy_flat_source<T>(path);
    decltype(reduce(s.exec, source, options)) result{};
    m.seconds = seconds_of([&] { result = reduce(s.exec, source, options); });
    const auto values = [&](const auto& f) { for_each_value(path, info, f); };
    m.baseline_seconds = seconds_of([&] { verify(m, static_cast<double>(n), result, values); });
    describe_input<T>(m, info);
    return m;
  });
}

/// The result of `reduce(exec, source, options...)` of a sample or of a file. `verify(m, n, result, values)` notes it
/// and checks it against `values(f)`, which calls f(i, value) for all of them; `plain(x, k)` is the loop of one core.
template <class T, class Reduce, class Verify, class Plain>
measurement reduction(const settings& s, std::int64_t size, double flops, const Reduce& reduce, const Verify& verify,
                      const Plain& plain) {
  if (s.chunked) return in_chunks(s, reduce, verify);
  const auto in_memory = [&]<class U>(const device_view<U*>& x) {
    const std::int64_t n = x.extent(0);
    decltype(reduce(s.exec, x)) result{};
    measurement m = timed(s, {n}, 1.0 * sizeof(U) * n, flops * n, [&] { result = reduce(s.exec, x); });
    const values_in_memory<U> values{quern::to_host(x)};
    verify(m, static_cast<double>(n), result, values);
    m.baseline_seconds = time_baseline(n, [&](std::int64_t k) { keep(plain(values.x.data(), k)); });
    return m;
  };
  if (s.input.empty()) return in_memory(filled<device_view<T*>>(s, hashes{1}, size));
  const auto file = open_input(s.input, s.array);
  return with_type_of(s.input, file->info().type, [&]<class File>(File) {
    measurement m = in_memory(read_flat<File>(*file));
    describe_input<File>(m, file->info());
    return m;
  });
}

/// Within the error of pairwise summation.
constexpr auto verify_sum = []<class S>(measurement& m, double n, S result, const auto& values) {
  long double exact = 0, magnitude = 0;
  values([&](std::int64_t, auto v) {
    exact += v;
    magnitude += std::fabs(static_cast<long double>(v));
  });
  m.verified = std::is_integral_v<S> ? static_cast<long double>(result) == exact
                                     : agrees(result, exact, summation_error<S>(n) * magnitude);
  m.note = fmt::format("sum = {}", result);
};
constexpr auto plain_sum = []<class T>(const T* x, std::int64_t k) { return std::accumulate(x, x + k, widened<T>()); };

template <class T>
measurement sum(const settings& s, std::int64_t n) {
  return reduction<T>(s, n, 1, [](const auto&... x) { return quern::sum(x...); }, verify_sum, plain_sum);
}

/// Verified besides: the host finds the same bits in the values in reverse order.
measurement sum_reproducible(const settings& s, std::int64_t n) {
  const auto verify = [](measurement& m, double count, auto result, const auto& values) {
    verify_sum(m, count, result, values);
    if constexpr (requires { values.x; }) {
      const auto reversed = quern::to_host(values.x);
      std::reverse(reversed.data(), reversed.data() + reversed.size());
      const auto backwards = quern::sum(reversed, quern::reproducible);
      m.verified = m.verified && (result == backwards || (result != result && backwards != backwards));
    }
  };
  return reduction<double>(
      s, n, 1, [](const auto&... x) { return quern::sum(x..., quern::reproducible); }, verify, plain_sum);
}

struct exact_moments {
  long double mean = 0, var = 0;
};
template <class Values>
exact_moments exact_moments_of(double n, const Values& values) {
  exact_moments e;
  values([&](std::int64_t, auto v) { e.mean += v; });
  e.mean /= n;
  values([&](std::int64_t, auto v) { e.var += (v - e.mean) * (v - e.mean); });
  e.var /= n;
  return e;
}
/// A loop for the mean and one for the squares.
constexpr auto plain_moments = [](const auto* x, std::int64_t k) {
  double a = 0, b = 0;
  for (std::int64_t i = 0; i < k; ++i) a += x[i];
  for (std::int64_t i = 0; i < k; ++i) b += (x[i] - a / k) * (x[i] - a / k);
  return b;
};

measurement mean_var(const settings& s, std::int64_t size) {
  const auto verify = [](measurement& m, double n, auto result, const auto& values) {
    const auto [mean, var] = exact_moments_of(n, values);
    const double error = summation_error<decltype(result.mean)>(n);
    m.verified = agrees(result.mean, mean, error * (std::fabs(mean) + std::sqrt(var))) &&
                 agrees(result.var, var, 2 * error * var);
    m.note = fmt::format("mean = {}, var = {}", result.mean, result.var);
  };
  return reduction<double>(s, size, 4, [](const auto&... x) { return quern::mean_var(x...); }, verify, plain_moments);
}

measurement stddev(const settings& s, std::int64_t size) {
  const auto verify = []<class S>(measurement& m, double n, S result, const auto& values) {
    const long double exact = std::sqrt(exact_moments_of(n, values).var);
    m.verified = agrees(result, exact, summation_error<S>(n) * exact);
    m.note = fmt::format("stddev = {}", result);
  };
  return reduction<double>(s, size, 4, [](const auto&... x) { return quern::stddev(x...); }, verify, plain_moments);
}

measurement median(const settings& s, std::int64_t size) {
  const auto verify = [](measurement& m, double n, auto result, const auto& values) {
    std::int64_t below = 0, above = 0, nan = 0;
    values([&](std::int64_t, auto v) {
      below += v < result;
      above += v > result;
      nan += v != v;
    });
    m.verified = nan > 0 ? result != result : 2 * below <= n && 2 * above <= n;
    m.note = fmt::format("median = {}", result);
  };
  const auto plain = []<class T>(const T* x, std::int64_t k) {
    std::vector<T> copy(x, x + k);
    std::nth_element(copy.begin(), copy.begin() + k / 2, copy.end());
    return copy[k / 2];
  };
  return reduction<double>(s, size, 1, [](const auto&... x) { return quern::median(x...); }, verify, plain);
}

measurement argmax(const settings& s, std::int64_t size) {
  if (s.chunked && quern::files::npy_info(s.input).fortran_order)
    throw usage_error(
        s.input + ": argmax counts in C order and --chunked reads in the file's, Fortran order: leave --chunked out");
  const auto verify = [](measurement& m, double, std::int64_t result, const auto& values) {
    std::int64_t at = -1;
    long double largest = 0;  // which holds every int64 and every double
    values([&](std::int64_t i, auto v) {
      const auto x = static_cast<long double>(v);
      if (at >= 0 && !(x > largest) && !(x != x && largest == largest)) return;
      at = i;
      largest = x;
    });
    m.verified = result == at;
    m.note = fmt::format("argmax = {}", result);
  };
  const auto plain = [](const auto* x, std::int64_t k) { return std::max_element(x, x + k) - x; };
  return reduction<double>(s, size, 1, [](const auto&... x) { return quern::argmax(x...); }, verify, plain);
}

/// Sums of the rows (axis 1) or the columns (axis 0) of a matrix.
template <int Axis>
measurement sum_axis(const settings& s, std::int64_t n) {
  const auto x = filled<device_view<double**>>(s, hashes{1}, n, n);
  const auto out = uninitialized<device_view<double*>>("out", n);
  measurement m =
      timed(s, {n, n}, 8.0 * n * n + 8.0 * n, 1.0 * n * n, [&] { quern::sum(s.exec, out, x, quern::axis{Axis}); });
  m.note = fmt::format("axis {}", Axis);
  const auto hx = quern::to_host(x);
  const auto hout = quern::to_host(out);
  std::vector<long double> exact(n, 0);
  for (std::int64_t i = 0; i < n; ++i)
    for (std::int64_t j = 0; j < n; ++j) exact[Axis == 0 ? j : i] += hx(i, j);
  const double bound = summation_error<double>(static_cast<double>(n));
  m.verified = all_right(n, [&](std::int64_t k) { return std::fabs(hout(k) - exact[k]) <= bound * exact[k]; });
  m.baseline_seconds = time_elements(hout, [&](std::int64_t i) {
    double sum = 0;
    for (std::int64_t j = 0; j < n; ++j) sum += Axis == 0 ? hx(j, i) : hx(i, j);
    return sum;
  });
  return m;
}

measurement cumsum(const settings& s, std::int64_t n) {
  const auto x = filled<device_view<double*>>(s, hashes{1}, n), out = quern::like(x);
  measurement m = timed(s, {n}, 16.0 * n, 1.0 * n, [&] { quern::cumsum(s.exec, out, x); });
  const auto hx = quern::to_host(x);
  const auto hout = quern::to_host(out);
  const double bound = summation_error<double>(static_cast<double>(n));
  long double exact = 0;
  m.verified = all_right(n, [&](std::int64_t i) {
    exact += hx(i);
    return std::fabs(hout(i) - exact) <= bound * exact;
  });
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
      {"sum", "float64", "sum of x", sizes(20'000'000, 100'000'000), arrays(8), sum<double>},
      {"sum", "float32", "sum of x", sizes(40'000'000, 1'000'000'000), arrays(4), sum<float>},
      {"sum_reproducible", "float64", "the same bits everywhere", sizes(20'000'000, 100'000'000), arrays(8),
       sum_reproducible},
      {"mean_var", "float64", "mean and variance in one pass", sizes(20'000'000, 100'000'000), arrays(8), mean_var},
      {"stddev", "float64", "standard deviation in one pass", sizes(20'000'000, 100'000'000), arrays(8), stddev},
      {"median", "float64", "median by selection", sizes(20'000'000, 100'000'000), arrays(8), median},
      {"argmax", "float64", "first position of the largest", sizes(20'000'000, 100'000'000), arrays(8), argmax},
  };
  const option_set of_files{option::input, option::array, option::chunked, option::memory};
  for (auto& w : list) w.takes.insert(w.takes.end(), of_files.begin(), of_files.end());
  list.push_back({"sum_axis", "float64", "sum over axis 0", sizes(3000, 10'000), arrays(8, 2), sum_axis<0>});
  list.push_back({"sum_axis", "float64", "sum over axis 1", sizes(3000, 10'000), arrays(8, 2), sum_axis<1>});
  list.push_back({"cumsum", "float64", "inclusive scan", sizes(20'000'000, 100'000'000), arrays(16), cumsum});
  return list;
}

}  // namespace app
