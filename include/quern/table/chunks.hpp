// SPDX-FileCopyrightText: the Quern authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef QUERN_TABLE_CHUNKS_HPP
#define QUERN_TABLE_CHUNKS_HPP

#include <functional>
#include <iterator>
#include <optional>
#include <quern/table/groups.hpp>

namespace quern {

template <execution_space Exec>
class TableChunkGroups;

/// The rows of a table that is larger than memory, as tables that follow each other: those that `csv_chunks` reads, or
/// that a function makes. A handle.
///
/// @code
/// const auto runs = quern::csv_chunks(exec, "runs.csv", quern::chunk_rows{1000000});
/// double energy = 0;
/// for (const quern::Table<>& part : runs) energy += quern::sum(exec, part.column<double>("energy"));
/// const auto all = runs.describe();
/// const auto of_cells = runs.group_by("cell").aggregate({{"mass", quern::statistic::sum}});
/// @endcode
///
/// A range that can be gone through several times, each time from the first table on. `describe` and `aggregate` do so,
/// with one table in memory at a time, of what `Table`'s operations of these names tell of all rows. All tables have
/// columns of the same names and types. Categories of texts may differ: texts are compared, and not their codes.
template <execution_space Exec = Kokkos::DefaultExecutionSpace>
class TableChunks {
 public:
  using execution_space = Exec;
  /// Gives one table after the other, and nothing behind the last one.
  using next_table = std::function<std::optional<Table<Exec>>()>;

  /// The tables that a function makes:
  ///
  /// @code
  /// const quern::TableChunks<> all([&] {
  ///   return [&, k = std::size_t(0)]() mutable -> std::optional<quern::Table<>> {
  ///     if (k == paths.size()) return {};
  ///     return quern::read_csv(exec, paths[k++]);
  ///   };
  /// });
  /// @endcode
  ///
  /// @param open is called at the beginning of each reading, and returns the function that this one gets its tables
  /// from
  explicit TableChunks(std::function<next_table()> open) : open_(std::move(open)) {}

  /// Goes to the next table, once: copies are of the same reading.
  class iterator {
   public:
    using iterator_concept = std::input_iterator_tag;
    using value_type = Table<Exec>;
    using difference_type = std::ptrdiff_t;

    explicit iterator(next_table next) : next_(std::move(next)) { ++*this; }
    const Table<Exec>& operator*() const { return *part_; }
    const Table<Exec>* operator->() const { return &*part_; }
    iterator& operator++() {
      part_.reset();  // its memory is free before there is another one
      part_ = next_();
      return *this;
    }
    void operator++(int) { ++*this; }
    friend bool operator==(const iterator& i, std::default_sentinel_t) { return !i.part_; }

   private:
    next_table next_;
    std::optional<Table<Exec>> part_;
  };
  /// Begins a reading: makes the first table.
  iterator begin() const { return iterator(open_()); }
  std::default_sentinel_t end() const { return {}; }

  /// The tables that a function makes of these, while they are gone through: some rows, or more columns.
  ///
  /// @code
  /// const auto heavy = runs.transform([](const quern::Table<>& part) { return part.sort_by("mass").tail(10); });
  /// @endcode
  template <class F>
    requires(std::is_invocable_r_v<Table<Exec>, const F&, const Table<Exec>&>)
  TableChunks transform(F f) const {
    return TableChunks([open = open_, f = std::move(f)]() -> next_table {
      return [next = open(), f]() -> std::optional<Table<Exec>> {
        const std::optional<Table<Exec>> part = next();
        if (!part) return {};
        return f(*part);
      };
    });
  }

  /// `Table::describe` of all rows.
  ///
  /// Counts, minima, maxima and quantiles are those of one table; means and standard deviations are joined from those
  /// of the chunks, with an error of some roundings. A quantile is found by counts of the bits of all values, and then
  /// among those that begin with its bits: the chunks are read two to four times, and once with `describe({})`. Memory
  /// for each column: up to 1 MB for each quantile, or as many values as a chunk has, at least 2^20. Waits.
  /// @throws Error as `Table::describe`; if there is no chunk, or they have different columns, also from one reading to
  /// the next
  Table<Exec> describe(const std::vector<double>& quantiles = {0.25, 0.5, 0.75}) const;

  /// The rows of all chunks in groups of equal keys. Nothing is read before `aggregate`.
  TableChunkGroups<Exec> group_by(const column_names& keys) const { return {*this, keys}; }

 private:
  std::function<next_table()> open_;
};

/// The rows of tables that follow each other in groups of equal keys: what `TableChunks::group_by` returns.
template <execution_space Exec>
class TableChunkGroups {
 public:
  /// `TableGroups::aggregate` of all rows, except `median`, of which parts tell nothing.
  ///
  /// Each chunk is aggregated by itself, and what can be merged is aggregated again: sums, counts, extrema, `first` and
  /// `last` as they are, means as sums and counts, and variances by the distances of the chunks' means, with an error
  /// of some roundings. Sums of float columns are added in another order than in one table. Categories of texts are
  /// those that results have, or some more. Reads the chunks once. Memory: a chunk, and three times the groups. Waits.
  /// @throws Error as `Table::group_by` and `TableGroups::aggregate`; if a statistic is `median`, there is no chunk, or
  /// they have different columns
  Table<Exec> aggregate(const std::vector<aggregation>& results) const;

 private:
  friend class TableChunks<Exec>;
  TableChunkGroups(TableChunks<Exec> chunks, column_names keys) : chunks_(std::move(chunks)), keys_(std::move(keys)) {}

  TableChunks<Exec> chunks_;
  column_names keys_;
};

}  // namespace quern

#endif
