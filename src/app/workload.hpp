// SPDX-FileCopyrightText: the Quern authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef QUERN_APP_WORKLOAD_HPP
#define QUERN_APP_WORKLOAD_HPP

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <Kokkos_Core.hpp>
#include <algorithm>
#include <cmath>
#include <cstdint>
#include <functional>
#include <initializer_list>
#include <limits>
#include <string>
#include <utility>
#include <vector>

#include "run_options.hpp"

namespace app {

using exec_space = QUERN_EXECUTION_SPACE;
using memory_space = exec_space::memory_space;

template <class Data, class Layout = Kokkos::LayoutRight>
using device_view = Kokkos::View<Data, Layout, memory_space>;
template <class Data>
using host_view = Kokkos::View<Data, Kokkos::LayoutRight, Kokkos::HostSpace>;

/// The arguments of a workload: what was asked for, and where it runs.
struct settings : run_options {
  exec_space exec;
};

/// Which measured limit a workload is held against.
enum class bound { memory, compute, link, none };

/// The result of one run of a workload.
struct measurement {
  std::string size;
  double seconds = 0;
  double bytes = 0;
  double flops = 0;
  double baseline_seconds = 0;  // one core's plain loop, scaled to the whole size
  bool verified = false;
  std::string note{};
  std::string type{};  // that of a file, where it brings its own
  int messages = 0;    // that a rank sends at a time, of the rank with the most
};

/// One line of the table: a workload with a value type.
struct workload {
  std::string name, type, definition;
  sizes n;
  std::function<double(std::int64_t)> memory;  // bytes of host and device memory for a size
  std::function<measurement(const settings&, std::int64_t)> run;
  bound limit = bound::memory;
  option_set takes{option::size, option::repeat};
  std::string missing{};  // what this program was built without, and how it is had; empty where all is there
};

/// Memory of arrays with so many bytes for each of n^rank elements, which exist on the device and, for the check, on
/// the host.
inline auto arrays(double bytes, int rank = 1) {
  return [=](std::int64_t n) { return 2 * bytes * std::pow(static_cast<double>(n), rank); };
}

std::vector<workload> elementwise_workloads();
std::vector<workload> reduction_workloads();
std::vector<workload> stencil_workloads();
std::vector<workload> quadrature_workloads();
std::vector<workload> derivative_workloads();
std::vector<workload> random_workloads();
std::vector<workload> keyed_workloads();
std::vector<workload> indexing_workloads();
std::vector<workload> analysis_workloads();
std::vector<workload> table_workloads();
std::vector<workload> linear_algebra_workloads();
std::vector<workload> decomposition_workloads();
std::vector<workload> transfer_workloads();
std::vector<workload> transform_workloads();

/// The time of a call from its begin to its end.
double seconds_of(const std::function<void()>& call);

/// The median of what `time` finds in as many runs as are asked for, after a warm-up.
double median_time(const settings& s, const std::function<double()>& time);

/// The median time of `call` from fence to fence, after a warm-up.
double time_call(const settings& s, const std::function<void()>& call);

/// `1000 x 1000` for extents; others are a text of their own.
struct problem_size {
  std::string text;
  problem_size(std::initializer_list<std::int64_t> extents) : text(fmt::format("{}", fmt::join(extents, " x "))) {}
  problem_size(std::string t) : text(std::move(t)) {}
};

/// The time of a call, whose result is still to be verified.
inline measurement timed(const settings& s, const problem_size& size, double bytes, double flops,
                         const std::function<void()>& call) {
  return {size.text, time_call(s, call), bytes, flops};
}

/// The time of a plain loop on one core for `total` units of work: `loop(units)` is timed for at most about a second
/// and the result scaled.
double time_baseline(std::int64_t total, const std::function<void(std::int64_t)>& loop);

/// Keeps a result of a timed loop alive.
template <class T>
void keep(const T& value) {
  asm volatile("" : : "r"(&value) : "memory");
}

/// A number in [0, 1) from an index: the same data on every machine, without a generator's state.
KOKKOS_INLINE_FUNCTION double hashed(std::uint64_t i, std::uint64_t seed = 0) {
  std::uint64_t z = (i + 1) * 0x9e3779b97f4a7c15u + seed * 0xd1342543de82ef95u;
  z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
  z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
  return static_cast<double>((z ^ (z >> 31)) >> 11) * 0x1p-53;
}

/// Fills a contiguous View with f(index).
template <class V, class F>
void fill_with(const exec_space& exec, const V& v, const F& f) {
  const Kokkos::View<typename V::value_type*, memory_space, Kokkos::MemoryTraits<Kokkos::Unmanaged>> flat(v.data(),
                                                                                                          v.size());
  Kokkos::parallel_for(
      "quern_app::fill", Kokkos::RangePolicy<exec_space, Kokkos::IndexType<std::int64_t>>(exec, 0, flat.size()),
      KOKKOS_LAMBDA(std::int64_t i) { flat(i) = static_cast<typename V::value_type>(f(i)); });
}

/// Numbers on [low, high) as a function of an index, to fill Views with.
struct hashes {
  std::uint64_t seed = 0;
  double low = 0, high = 1;
  KOKKOS_FUNCTION double operator()(std::int64_t i) const { return low + (high - low) * hashed(i, seed); }
};

struct add {
  template <class T>
  KOKKOS_FUNCTION T operator()(T a, T b) const {
    return a + b;
  }
};

template <class V, class... N>
V uninitialized(const std::string& label, N... n) {
  return V(Kokkos::view_alloc(Kokkos::WithoutInitializing, label), n...);
}

/// A new contiguous View with f(index) everywhere.
template <class V, class F, class... N>
V filled(const settings& s, const F& f, N... n) {
  const auto v = uninitialized<V>("filled", n...);
  fill_with(s.exec, v, f);
  return v;
}

/// Whether a result is within `bound` of the exact value; NaN equals NaN, and what overflows the result's type is
/// infinite there.
template <class T>
bool agrees(T found, long double exact, long double bound) {
  const auto rounded = static_cast<T>(exact);
  if (!std::isfinite(rounded)) return found == rounded || (std::isnan(found) && std::isnan(rounded));
  return std::fabs(static_cast<long double>(found) - exact) <= bound;
}

/// The relative error of pairwise summation of n numbers.
template <class T>
double summation_error(double n) {
  return std::log2(n + 2) * std::numeric_limits<T>::epsilon();
}

/// Whether all numbers from 0 to n - 1 are `right`.
template <class F>
bool all_right(std::int64_t n, const F& right) {
  for (std::int64_t i = 0; i < n; ++i)
    if (!right(i)) return false;
  return true;
}

/// f(i, j, ...) at the elements of the first rows of a host array, except for a margin on all sides.
template <class V, class F>
void for_elements(const V& v, std::int64_t rows, std::int64_t margin, const F& f) {
  const auto end = [&](int axis) { return static_cast<std::int64_t>(v.extent(axis)) - margin; };
  for (std::int64_t i = margin; i < std::min(rows, end(0)); ++i) {
    if constexpr (V::rank() == 1) {
      f(i);
    } else {
      for (std::int64_t j = margin; j < end(1); ++j) {
        if constexpr (V::rank() == 2) f(i, j);
        else
          for (std::int64_t k = margin; k < end(2); ++k) f(i, j, k);
      }
    }
  }
}

/// Whether `right(i, j, ...)` at all elements of a host array.
template <class V, class F>
bool elements_right(const V& v, const F& right) {
  bool all = true;
  for_elements(v, v.extent(0), 0, [&](auto... i) { all = right(i...) && all; });
  return all;
}

/// The time of `out(i, j, ...) = f(i, j, ...)` on one core.
template <class V, class F>
double time_elements(const V& out, const F& f, std::int64_t margin = 0) {
  return time_baseline(out.extent(0), [&](std::int64_t rows) {
    for_elements(out, rows, margin, [&](auto... i) { out(i...) = static_cast<typename V::value_type>(f(i...)); });
    keep(*out.data());
  });
}

/// Verifies elements by a plain loop, which is timed too.
template <class V, class F>
void compare(measurement& m, const V& found, const F& plain, double tolerance = 0) {
  m.verified = elements_right(found, [&](auto... i) { return std::fabs(found(i...) - plain(i...)) <= tolerance; });
  m.baseline_seconds = time_elements(found, plain);
}

}  // namespace app

#endif
