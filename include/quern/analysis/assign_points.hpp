// SPDX-FileCopyrightText: the Quern authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef QUERN_ANALYSIS_ASSIGN_POINTS_HPP
#define QUERN_ANALYSIS_ASSIGN_POINTS_HPP

#include <quern/analysis/assign_memory.hpp>
#include <quern/analysis/kmeans_update.hpp>
#include <quern/particles/row_tiles.hpp>

namespace quern::impl {

/// Assigns points to the nearest row of a table, and adds up those of each row: each part of the points by itself, a
/// point to one of `groups` sums of the part, in their order; those of a part are joined then.
template <class T>
struct assign_points {
  centred_rows<T> points;
  row_table<T> table;
  kmeans_parts plan;
  std::int32_t* labels;
  T* sums;                     // of each part, none where they are not wanted
  std::int64_t between;        // the sums of two parts
  std::uint64_t* counts;       // of each cluster, and behind these of labels that changed

  KOKKOS_FUNCTION std::int64_t elements() const { return table.count * points.columns; }
  KOKKOS_FUNCTION std::int64_t end_of(std::int64_t part) const {
    return Kokkos::min(points.count, (part + 1) * plan.length);
  }
};

}  // namespace quern::impl

#endif
