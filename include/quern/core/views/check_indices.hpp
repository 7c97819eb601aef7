// SPDX-FileCopyrightText: the Quern authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef QUERN_CORE_VIEWS_CHECK_INDICES_HPP
#define QUERN_CORE_VIEWS_CHECK_INDICES_HPP

/// @file
/// The check of indices in memory, before an operation reads elements by them.

#include <quern/core/call/label.hpp>
#include <quern/core/launch/least_position.hpp>
#include <quern/core/views/layouts.hpp>
#include <quern/core/views/operands.hpp>

namespace quern::impl {

/// What a search for indices out of range finds.
struct found_indices {
  std::int64_t outside, first, index;  // how many, the position of the first of them, and that one
  KOKKOS_FUNCTION void join(const found_indices& other) {
    if (other.outside > 0 && (outside == 0 || other.first < first)) {
      first = other.first;
      index = other.index;
    }
    outside += other.outside;
  }
};
/// The position of the first of them.
template <class Map>
struct first_index_outside {
  Map map;
  KOKKOS_FUNCTION void operator()(std::int64_t i, std::int64_t& first) const {
    if (!map.valid(i)) first = Kokkos::min(first, i);
  }
};
template <class Map>
struct index_search {
  using value_type = found_indices;
  Map map;
  KOKKOS_FUNCTION void init(found_indices& f) const { f = {0, 0, 0}; }
  KOKKOS_FUNCTION void join(found_indices& f, const found_indices& other) const { f.join(other); }
  KOKKOS_FUNCTION void operator()(std::int64_t i, found_indices& f) const {
    if (!map.valid(i)) f.join({1, i, map.given(i)});
  }
};

template <class Indices>
struct index_count {
  using value_type = std::int64_t;
  take_map<Indices> map;
  KOKKOS_FUNCTION void operator()(std::int64_t i, std::int64_t& outside) const { outside += map.valid(i) ? 0 : 1; }
};

/// Waits, and throws, if one of `count` indices is out of range for an extent of n: `map.valid(i)`, `map.given(i)`.
template <class Exec, class Map>
void search_indices(const Exec& exec, const std::string& label, const Map& map, std::int64_t count, std::int64_t n) {
  if (least_position(exec, label_text(label, "/indices"), count, first_index_outside<Map>{map}) == count) return;
  found_indices found{};
  Kokkos::parallel_reduce(kernel_label(label, "/indices"), index_range(exec, count), index_search<Map>{map}, found);
  reject_indices(label, found.first, found.index, n, found.outside);
}

template <class Exec, class Source>
void check_source(const Exec&, const std::string&, const Source&) {}
template <class Exec, class Inner>
void check_source(const Exec& exec, const std::string& label, const row_major_source<Inner>& source) {
  check_source(exec, label, source.inner);
}
template <class Exec, class Inner, class Map>
void check_source(const Exec& exec, const std::string& label, const axis_source<Inner, Map>& source) {
  check_source(exec, label, source.inner);
}
template <class Exec, class Inner, class Indices>
void check_source(const Exec& exec, const std::string& label, const axis_source<Inner, take_map<Indices>>& source) {
  check_source(exec, label, source.inner);
  const take_map<Indices>& map = source.map;
  if (map.is_checked) return;
  if (map.outside != nullptr) {
    const Kokkos::View<std::int64_t, typename Exec::memory_space, Kokkos::MemoryTraits<Kokkos::Unmanaged>> result(
        map.outside);
    return Kokkos::parallel_reduce(kernel_label(label, "/indices"), index_range(exec, map.count),
                                   index_count<Indices>{map}, result);
  }
  if (map.mode != index_mode::raise || map.count == 0) return;
  search_indices(exec, label, map, map.count, map.n);
}

/// Waits, and throws, if an operand has indices that are to be checked and are out of range.
template <class Exec, class V>
void check_indices(const Exec& exec, const std::string& label, const V& v) {
  if constexpr (is_mapped<V>) check_source(exec, label, v.source);
  else if constexpr (is_lazy<V>) unpack([&](const auto&... in) { (check_indices(exec, label, in), ...); }, v.in);
}

template <class Source>
void mark_checked(Source&) {}
template <class Inner>
void mark_checked(row_major_source<Inner>& source) {
  mark_checked(source.inner);
}
template <class Inner, class Map>
void mark_checked(axis_source<Inner, Map>& source) {
  mark_checked(source.inner);
  if constexpr (requires { source.map.is_checked; }) source.map.is_checked = true;
}
/// The same for an operation that reads an array part by part: the indices of the array that it gets are not looked at
/// again.
template <class Exec, class Source, int Rank, class... Owner>
void check_indices_once(const Exec& exec, const std::string& label, mapped_array<Source, Rank, Owner...>& v) {
  check_indices(exec, label, v);
  mark_checked(v.source);
}

}  // namespace quern::impl

#endif
