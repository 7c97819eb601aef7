// SPDX-FileCopyrightText: the Quern authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <algorithm>
#include <quern/table/partial_aggregates.hpp>

#include "chunks.hpp"

namespace quern {
namespace impl {

/// The aggregates of chunks until they are merged: when they have as many rows again as those before, so that each
/// group is merged a few times.
template <class Exec>
class pending_aggregates {
 public:
  explicit pending_aggregates(const partial_aggregates& statistics) : statistics_(statistics) {}
  void add(Table<Exec> part) {
    rows_ += part.rows();
    parts_.push_back(std::move(part));
    if (rows_ > merged_beyond_) merge();
  }
  Table<Exec> results() {
    merge();
    return statistics_.results(parts_.front());
  }

 private:
  void merge() {
    parts_ = {statistics_.merged(parts_)};
    rows_ = parts_.front().rows();
    merged_beyond_ = std::max(least_rows, 2 * rows_);
  }
  static constexpr std::int64_t least_rows = 1 << 16;
  const partial_aggregates& statistics_;
  std::vector<Table<Exec>> parts_;
  std::int64_t rows_ = 0, merged_beyond_ = least_rows;
};

}  // namespace impl

template <execution_space Exec>
Table<Exec> TableChunkGroups<Exec>::aggregate(const std::vector<aggregation>& results) const {
  const std::string& label = impl::label_text("quern::TableChunkGroups::aggregate");
  const impl::partial_aggregates statistics(label, keys_, results);
  impl::pending_aggregates<Exec> parts(statistics);
  impl::chunk_layout(label).each(chunks_, [&](const auto& part) { parts.add(statistics.of_part(part)); });
  return parts.results();
}

#define QUERN_TABLE_CHUNK_GROUPS(E) \
  template Table<E> TableChunkGroups<E>::aggregate(const std::vector<aggregation>&) const;
QUERN_ON_ALL(QUERN_TABLE_CHUNK_GROUPS)

}  // namespace quern
