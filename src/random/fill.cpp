// SPDX-FileCopyrightText: the Quern authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <limits>
#include <quern/random/fill.hpp>

namespace quern::impl {

field_positions::field_positions(const std::string& label, const shape& out, const random::part_of& where)
    : at{{nullptr, out, {}}} {
  const bool whole = where.extents.rank == 0;
  const shape& field = whole ? out : where.extents;
  if (!whole && (field.rank != out.rank || where.first.rank != out.rank))
    throw Error(label, "the field has extents " + field.str() + " and out is its part at " + where.first.str() +
                           ", expected rank " + std::to_string(out.rank) + " as of out");
  std::int64_t next = 1;
  for (int d = out.rank - 1; d >= 0; --d) {
    const std::int64_t start = whole ? 0 : where.first.extent[d];
    if (start < 0 || start > field.extent[d] || out.extent[d] > field.extent[d] - start)
      throw Error(label, "out with extents " + out.str() + " at " + where.first.str() +
                             " is not within a field of extents " + field.str());
    at.array.stride[d] = next;
    first += start * next;
    if (field.extent[d] > 0 && next > std::numeric_limits<std::int64_t>::max() / field.extent[d])
      throw Error(label, "the field has extents " + field.str() + ", more than 2^63 - 1 positions");
    next *= std::max<std::int64_t>(field.extent[d], 1);
  }
}

}  // namespace quern::impl
