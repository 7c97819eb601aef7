// SPDX-FileCopyrightText: the Quern authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <quern/core/views/repeat_by_counts.hpp>

namespace quern::impl {

void check_counts(const std::string& label, const shape& counts, std::int64_t n) {
  if (counts.rank != 1 || (counts.extent[0] != n && counts.extent[0] != 1))
    throw Error(label, "counts have extents " + counts.str() + ", expected (" + std::to_string(n) + ") or (1)");
}

void reject_count(const std::string& label, std::int64_t position) {
  throw ElementError(label, "the count at position " + std::to_string(position) + " is negative", position);
}

}  // namespace quern::impl
