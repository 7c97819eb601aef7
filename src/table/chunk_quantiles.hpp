// SPDX-FileCopyrightText: the Quern authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef QUERN_SRC_TABLE_CHUNK_QUANTILES_HPP
#define QUERN_SRC_TABLE_CHUNK_QUANTILES_HPP

#include <algorithm>
#include <map>
#include <numeric>
#include <quern/core/call/error.hpp>
#include <quern/keyed/compact.hpp>
#include <quern/keyed/histogram.hpp>
#include <quern/reducers/counted_selection.hpp>

#include "columns.hpp"

namespace quern::impl {

struct add_to_counts {
  const std::int64_t* from;
  std::int64_t* to;
  KOKKOS_FUNCTION void operator()(std::int64_t i) const { to[i] += from[i]; }
};

/// Whether the key of a value begins with the bits of a prefix.
struct begins_with {
  std::uint64_t prefix;
  int shift;
  KOKKOS_FUNCTION bool operator()(double v) const { return ordered<double>::key_of(v) >> shift == prefix; }
};

/// Values of ranks among numbers that come several times, in chunks: each time another 16 bits of their ordered keys
/// are counted, for all ranks at once, until the values that begin as those of the ranks are so few that they are
/// gathered.
template <class Exec>
class counted_ranks {
 public:
  counted_ranks(const std::string& label, const Exec& exec) : label_(label), exec_(exec) { begin_reading({{0, -1}}); }

  /// Adds values in double.
  void add(const column_in<Exec>& values) {
    if (values.rows == 0 || parts_.empty()) return;
    room_ = std::max(room_, values.rows);
    if (gathers_) gather(values);
    else count(values);
  }
  /// Says which ranks are asked for: after the first reading, before it ends.
  void ask(const std::vector<std::int64_t>& ranks) {
    for (const auto rank : ranks) asked_.push_back({0, rank});
  }
  void end_reading() {
    part_sizes next;
    for (auto& p : parts_) {
      if (gathers_) find(p);
      else descend(p, next);
    }
    ++reading_;
    const bool found = gathers_ || reading_ * digit_bits == 64;
    begin_reading(found ? part_sizes() : next);
  }
  /// Whether the values must be added once more.
  bool needs_reading() const { return !parts_.empty(); }
  /// Of the k-th rank that was asked for, after all readings.
  double value(std::size_t k) const { return ordered<double>::number_of(asked_[k].prefix); }

 private:
  /// A rank among the values whose keys begin with a prefix, of so many digits.
  struct asked_rank {
    std::uint64_t prefix;
    std::int64_t rank;
    int digits = 0;
  };
  /// The values whose keys begin with a prefix: how many of them there are, counts of the digits behind it, or the
  /// values themselves.
  struct part {
    std::uint64_t prefix;
    std::int64_t size;  // -1 where it is not known
    column_in<Exec> data;
    std::int64_t gathered = 0;
  };
  using part_sizes = std::map<std::uint64_t, std::int64_t>;
  /// So many values are gathered, or as many as a chunk has.
  static constexpr std::int64_t least_room = 1 << 20;

  void begin_reading(const part_sizes& sizes) {
    std::int64_t total = 0;
    for (const auto& [prefix, size] : sizes) total += size;
    gathers_ = reading_ > 0 && total <= room_;
    parts_.clear();
    for (const auto& [prefix, size] : sizes) {
      parts_.push_back({prefix, size,
                        new_values(exec_, {}, gathers_ ? column_type::float64 : column_type::int64,
                                   gathers_ ? size : digit_values)});
      if (!gathers_) Kokkos::deep_copy(exec_, packed_of<std::int64_t>(exec_, parts_.back().data), std::int64_t(0));
    }
  }
  void count(const column_in<Exec>& values) {
    const auto bins = new_values(exec_, {}, column_type::int64, digit_values);
    for (const auto& p : parts_) {
      const key_digit<double> digit{p.prefix, 64 - digit_bits * (reading_ + 1)};
      count_call(count_operation{label_, own_bin{digit_values}}, exec_, packed_of<std::int64_t>(exec_, bins),
                 lazy(digit, view_of<double>(exec_, values)));
      Kokkos::parallel_for(kernel_label(label_, "/counts"), index_range(exec_, digit_values),
                           add_to_counts{data_of<std::int64_t>(bins), data_of<std::int64_t>(p.data)});
    }
  }
  void gather(const column_in<Exec>& values) {
    for (auto& p : parts_) {
      const auto rest = rows_of(p.data, p.gathered, p.size);
      try {
        p.gathered += compact(exec_, packed_of<double>(exec_, rest), view_of<double>(exec_, values),
                              begins_with{p.prefix, 64 - digit_bits * reading_});
      } catch (const CapacityError&) {
        reject_change();
      }
    }
  }
  template <class T>
  std::vector<T> on_host(const column_in<Exec>& c) const {
    std::vector<T> values(static_cast<std::size_t>(c.rows));
    Kokkos::deep_copy(exec_, on_host_view(values.data(), values.size()), packed_of<T>(exec_, c));
    exec_.fence(kernel_label(label_));
    return values;
  }
  /// Takes the digits that the ranks in a part fall to.
  void descend(const part& p, part_sizes& next) {
    const auto counts = on_host<std::int64_t>(p.data);
    const std::int64_t size = std::accumulate(counts.begin(), counts.end(), std::int64_t{0});
    if (p.size >= 0 && size != p.size) reject_change();
    for (auto& a : asked_) {
      if (a.prefix != p.prefix || a.digits != reading_) continue;
      const std::int64_t digit = digit_of_rank(counts.data(), 0, a.rank);
      a.prefix = a.prefix << digit_bits | static_cast<std::uint64_t>(digit);
      ++a.digits;
      next[a.prefix] = counts[static_cast<std::size_t>(digit)];
    }
  }
  /// Finds the values of the ranks in a part.
  void find(const part& p) {
    if (p.gathered != p.size) reject_change();
    auto values = on_host<double>(p.data);
    std::sort(values.begin(), values.end());
    for (auto& a : asked_) {
      if (a.prefix != p.prefix || a.digits != reading_) continue;
      a.prefix = ordered<double>::key_of(values[static_cast<std::size_t>(a.rank)]);
      a.digits = 64 / digit_bits;
    }
  }
  [[noreturn]] void reject_change() const {
    throw Error(label_, "the chunks have other values than at the first reading");
  }

  const std::string& label_;
  Exec exec_;
  int reading_ = 0;
  bool gathers_ = false;
  std::int64_t room_ = least_room;
  std::vector<part> parts_;  // by their prefixes
  std::vector<asked_rank> asked_;
};

}  // namespace quern::impl

#endif
