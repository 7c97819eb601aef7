// SPDX-FileCopyrightText: the Quern authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Copies between host and device, bounded by the link: its limit is a copy of contiguous pinned memory in that
// direction by Kokkos, which leaves it to the driver. On hosts the two ends are one memory.

#include <algorithm>
#include <quern/transfer.hpp>
#include <support/bench.hpp>
#include <support/link.hpp>

namespace {

using bench::direction, bench::link_limit, bench::exec_space, bench::hashed, bench::memory_space, bench::prepared;
using Kokkos::LayoutLeft, Kokkos::LayoutRight, Kokkos::LayoutStride;
using pageable = Kokkos::HostSpace;
using pinned = Kokkos::SharedHostPinnedSpace;

template <class T, class Layout, class Space>
using matrix = Kokkos::View<T**, Layout, Space>;

template <class V>
V uninitialized(const std::string& label, std::int64_t rows, std::int64_t columns) {
  return V(Kokkos::view_alloc(Kokkos::WithoutInitializing, label), rows, columns);
}

/// Every `step`th element of the rows and columns of a matrix.
template <class V>
auto stepped(const V& v, std::int64_t step) {
  const std::size_t rows = v.extent(0) / step, columns = v.extent(1) / step;
  return matrix<typename V::value_type, LayoutStride, typename V::memory_space>(
      v.data(), LayoutStride(rows, step * v.stride(0), columns, step * v.stride(1)));
}

KOKKOS_INLINE_FUNCTION double expected(std::int64_t i, std::int64_t j) { return hashed(i * 1'000'003 + j, 1); }

/// What a user writes without Quern: pack where the source is, copy, unpack.
template <class To, class From>
void plain_copy(const exec_space& exec, const To& to, const From& from) {
  if constexpr (std::is_same_v<typename To::array_layout, typename From::array_layout> &&
                std::is_same_v<typename To::value_type, typename From::value_type>) {
    if (to.span_is_contiguous() && from.span_is_contiguous()) return Kokkos::deep_copy(exec, to, from);
  }
  const matrix<typename To::value_type, LayoutRight, typename From::memory_space> packed("packed", to.extent(0),
                                                                                         to.extent(1));
  const matrix<typename To::value_type, LayoutRight, typename To::memory_space> arrived("arrived", to.extent(0),
                                                                                        to.extent(1));
  Kokkos::deep_copy(packed, from);
  Kokkos::deep_copy(arrived, packed);
  Kokkos::deep_copy(to, arrived);
}

template <class T, class There>
struct set_there {
  There there;
  bool right;
  KOKKOS_FUNCTION void operator()(std::int64_t i, std::int64_t j) const {
    there(i, j) = right ? static_cast<typename There::value_type>(expected(i, j)) : -7;
  }
};
template <class T, class There>
struct is_there {
  There there;
  KOKKOS_FUNCTION bool operator()(std::int64_t k) const {
    const std::int64_t n = there.extent(1), i = k / n, j = k % n;
    return there(i, j) == static_cast<typename There::value_type>(static_cast<T>(expected(i, j)));
  }
};

template <class T, class There>
void fill_there(const There& there, bool right) {
  const std::int64_t n = there.extent(0);
  Kokkos::parallel_for("bench::fill", Kokkos::MDRangePolicy<exec_space, Kokkos::Rank<2>>({0, 0}, {n, n}),
                       set_there<T, There>{there, right});
  Kokkos::fence();
}
template <class Here>
void fill_here(const Here& here, bool right) {
  const std::int64_t n = here.extent(0);
  for (std::int64_t i = 0; i < n; ++i)
    for (std::int64_t j = 0; j < n; ++j)
      here(i, j) = right ? static_cast<typename Here::value_type>(expected(i, j)) : -7;
}
template <class U, class Here>
bool is_here(const Here& here) {
  std::int64_t wrong = 0;
  const std::int64_t n = here.extent(0);
  for (std::int64_t i = 0; i < n; ++i)
    for (std::int64_t j = 0; j < n; ++j)
      wrong += here(i, j) != static_cast<typename Here::value_type>(static_cast<U>(expected(i, j)));
  return wrong == 0;
}

/// A matrix of n x n on the device, and one on the host of which rows and columns `step` apart inside of `ghost` cells
/// are copied.
template <direction D, class T, class U, class Space, class HostLayout, class DeviceLayout>
prepared link_copy(const exec_space& exec, std::int64_t n, std::int64_t step, std::int64_t ghost) {
  const std::int64_t rows = n * step + 2 * ghost;
  const auto there = uninitialized<matrix<U, DeviceLayout, memory_space>>("there", n, n);
  const auto all = uninitialized<matrix<T, HostLayout, Space>>("here", rows, rows);
  const auto inner = std::pair(ghost, ghost + n * step);
  const auto here = stepped(Kokkos::subview(all, inner, inner), step);
  const bool whole = rows == n;
  prepared p;
  p.bytes = 1.0 * sizeof(T) * n * n;
  p.limit = link_limit(exec, D);
  if constexpr (D == direction::to_device) {
    fill_here(here, true);
    p.variants = {{"quern", [=] { quern::copy(exec, there, here); }},
                  {"plain", [=] { whole ? plain_copy(exec, there, all) : plain_copy(exec, there, here); }}};
    p.poison = [=] { fill_there<T>(there, false); };
    p.right = [=] { return bench::failures(n * n, is_there<T, std::remove_const_t<decltype(there)>>{there}) == 0; };
  } else {
    fill_there<T>(there, true);
    p.variants = {{"quern", [=] { quern::copy(exec, here, there); }},
                  {"plain", [=] { whole ? plain_copy(exec, all, there) : plain_copy(exec, here, there); }}};
    p.poison = [=] { fill_here(here, false); };
    p.right = [=] { return is_here<U>(here); };
  }
  return p;
}

template <class T, class U, class Space, class HostLayout, class DeviceLayout>
void add_both(const std::string& name, std::int64_t host_step = 1, std::int64_t ghost = 0) {
  const std::vector<std::int64_t> sizes{100, 1000, 6000};
  bench::add({"to_device/" + name, sizes, 37, [=](const exec_space& exec, std::int64_t n) {
                return link_copy<direction::to_device, T, U, Space, HostLayout, DeviceLayout>(exec, n, host_step,
                                                                                              ghost);
              }});
  bench::add({"to_host/" + name, sizes, 37, [=](const exec_space& exec, std::int64_t n) {
                return link_copy<direction::to_host, T, U, Space, HostLayout, DeviceLayout>(exec, n, host_step, ghost);
              }});
}

/// A View of n values: made by the pool, and by Kokkos.
prepared allocation(const exec_space& exec, std::int64_t n) {
  using line = Kokkos::View<double*, memory_space>;
  const auto size = std::make_shared<std::size_t>(0);
  prepared p;
  p.bytes = 8.0 * n;
  p.variants = {
      {"quern", [=] { *size = quern::pool_view<line>(exec, n).size(); }},
      {"plain", [=] { *size = line(Kokkos::view_alloc(exec, Kokkos::WithoutInitializing, "line"), n).size(); }}};
  p.poison = [=] { *size = 0; };
  p.right = [=] { return *size == static_cast<std::size_t>(n); };
  return p;
}

const bool registered = [] {
  add_both<double, double, pinned, LayoutRight, LayoutRight>("pinned");
  add_both<double, double, pinned, LayoutRight, LayoutLeft>("pinned_transposed");
  add_both<double, double, pinned, LayoutRight, LayoutRight>("pinned_inner", 1, 1);
  add_both<double, double, pinned, LayoutRight, LayoutRight>("pinned_every_second", 2);
  add_both<double, float, pinned, LayoutRight, LayoutRight>("pinned_to_float");
  add_both<double, double, pageable, LayoutRight, LayoutRight>("pageable");
  add_both<double, double, pageable, LayoutRight, LayoutLeft>("pageable_transposed");
  add_both<double, double, pageable, LayoutRight, LayoutRight>("pageable_inner", 1, 1);
  add_both<double, double, pageable, LayoutRight, LayoutRight>("pageable_every_second", 2);
  bench::add({"allocate", {1000, 10'000'000}, 1000, allocation});
  return true;
}();

}  // namespace
