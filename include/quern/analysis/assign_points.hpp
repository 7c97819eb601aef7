// SPDX-FileCopyrightText: the Quern authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef QUERN_ANALYSIS_ASSIGN_POINTS_HPP
#define QUERN_ANALYSIS_ASSIGN_POINTS_HPP

#include <quern/analysis/assign_memory.hpp>
#include <quern/analysis/kmeans_update.hpp>
#include <quern/core/launch/pack_types.hpp>
#include <quern/particles/row_tiles.hpp>

namespace quern::impl {

/// What a thread of a device loads of a row at once.
template <class T>
inline constexpr int row_pack_values = 16 / sizeof(T);
/// Whether rows of points are of such packs, which are aligned.
template <class T>
KOKKOS_FUNCTION bool has_row_packs(const centred_rows<T>& x) {
  constexpr int W = row_pack_values<T>;
  return x.across == 1 && x.step % W == 0 && x.columns % W == 0 && reinterpret_cast<std::uintptr_t>(x.data) % 16 == 0;
}
template <class T>
KOKKOS_FORCEINLINE_FUNCTION pack<T, row_pack_values<T>> load_row_pack(const T* from) {
  return *reinterpret_cast<const pack<T, row_pack_values<T>>*>(from);
}

/// Assigns points to the nearest row of a table, and adds up those of each row: each part of the points by itself, a
/// point to one of `groups` sums of the part, in their order; those of a part are joined then.
template <class T>
struct assign_points {
  centred_rows<T> points;
  row_table<T> table;
  kmeans_parts plan;
  std::int32_t* labels;
  T* sums;                // of each part, none where they are not wanted
  std::int64_t between;   // the sums of two parts
  std::uint64_t* counts;  // of each cluster, and behind these of labels that changed

  KOKKOS_FUNCTION std::int64_t elements() const { return table.count * points.columns; }
  KOKKOS_FUNCTION std::int64_t end_of(std::int64_t part) const {
    return Kokkos::min(points.count, (part + 1) * plan.length);
  }
};

}  // namespace quern::impl

#endif
