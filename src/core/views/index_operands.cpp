// SPDX-FileCopyrightText: the Quern authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <quern/core/views/index_operands.hpp>

#include <limits>

namespace quern::impl {

std::int64_t padded_extent(const pad_widths& widths, int d, std::int64_t n, int rank, bool by_value) {
  const std::string label = "quern::pad";
  if (widths.count != 1 && widths.count != static_cast<std::size_t>(rank))
    throw Error(label, std::to_string(widths.count) + " pairs of widths for an array of rank " + std::to_string(rank));
  const pad_width& w = widths.along(d);
  check_pad(label, w.before, w.after, n == 0 && !by_value, d);
  constexpr std::int64_t most = std::numeric_limits<std::int64_t>::max() / 4;
  if (w.before > most || w.after > most) throw Error(label, "more than 2^61 elements around axis " + std::to_string(d));
  return w.before + n + w.after;
}

}  // namespace quern::impl
