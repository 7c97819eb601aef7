// SPDX-FileCopyrightText: the Quern authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef QUERN_APP_WORKLOAD_HPP
#define QUERN_APP_WORKLOAD_HPP

#include <Kokkos_Core.hpp>
#include <cmath>
#include <cstdint>
#include <functional>
#include <optional>
#include <stdexcept>
#include <string>
#include <vector>

#include "run_options.hpp"

namespace app {

using exec_space = QUERN_EXECUTION_SPACE;
using memory_space = exec_space::memory_space;

template <class Data, class Layout = Kokkos::LayoutRight>
using device_view = Kokkos::View<Data, Layout, memory_space>;
template <class Data>
using host_view = Kokkos::View<Data, Kokkos::LayoutRight, Kokkos::HostSpace>;

/// The arguments of a workload.
struct settings {
  exec_space exec;
  int repeat = 0;  // 0: as many as fit into a fifth of a second
  std::optional<std::string> input, output;
  std::string array{};     // of an input that has several
  bool chunked = false;    // read the input in chunks
  std::size_t memory = 0;  // that these may take; 0: half of what is free
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
};

/// One line of the table: a workload with a value type.
struct workload {
  std::string name, type, definition;
  std::vector<std::int64_t> default_sizes, reference_sizes;
  std::function<double(std::int64_t)> memory;  // bytes of host and device memory for a size
  std::function<measurement(const settings&, std::int64_t)> run;
  bound limit = bound::memory;
  option_set takes = option::size | option::repeat;
  std::string missing{};  // what this program was built without, and how it is had; empty where all is there
};

/// Memory of arrays with so many bytes for each of n elements, which exist on the device and, for the check, on the
/// host.
inline auto arrays(double bytes) {
  return [bytes](std::int64_t n) { return 2 * bytes * static_cast<double>(n); };
}

std::vector<workload> elementwise_workloads();
std::vector<workload> reduction_workloads();
std::vector<workload> stencil_workloads();
std::vector<workload> quadrature_workloads();
std::vector<workload> derivative_workloads();
std::vector<workload> random_workloads();
std::vector<workload> keyed_workloads();
std::vector<workload> linear_algebra_workloads();
std::vector<workload> decomposition_workloads();
std::vector<workload> transfer_workloads();
std::vector<workload> transform_workloads();

/// The median time of `call` from fence to fence, after a warm-up.
double time_call(const settings& s, const std::function<void()>& call);

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

/// Whether a result is within `bound` of the exact value; NaN equals NaN, and what overflows the result's type is
/// infinite there.
template <class T>
bool agrees(T found, long double exact, long double bound) {
  const auto rounded = static_cast<T>(exact);
  if (!std::isfinite(rounded)) return found == rounded || (std::isnan(found) && std::isnan(rounded));
  return std::fabs(static_cast<long double>(found) - exact) <= bound;
}

/// How many elements of a contiguous host array fail `right(i)`.
template <class F>
std::int64_t failures(std::int64_t n, const F& right) {
  std::int64_t wrong = 0;
  for (std::int64_t i = 0; i < n; ++i) wrong += !right(i);
  return wrong;
}

template <class V, class... N>
V uninitialized(const std::string& label, N... n) {
  return V(Kokkos::view_alloc(Kokkos::WithoutInitializing, label), n...);
}

}  // namespace app

#endif
