// SPDX-FileCopyrightText: the Quern authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef QUERN_SRC_TABLE_CHUNK_QUANTILES_HPP
#define QUERN_SRC_TABLE_CHUNK_QUANTILES_HPP

#include <algorithm>
#include <numeric>
#include <quern/core/call/error.hpp>
#include <quern/keyed/histogram.hpp>
#include <quern/reducers/counted_selection.hpp>

#include "columns.hpp"

namespace quern::impl {

struct add_to_counts {
  const std::int64_t* from;
  std::int64_t* to;
  KOKKOS_FUNCTION void operator()(std::int64_t i) const { to[i] += from[i]; }
};

/// Values of ranks among numbers that come several times, in chunks: each time another 16 bits of their ordered keys
/// are counted, for all ranks at once.
template <class Exec>
class counted_ranks {
 public:
  static constexpr int readings = 64 / digit_bits;

  counted_ranks(const std::string& label, const Exec& exec) : label_(label), exec_(exec) { begin_reading({0}); }

  /// Counts values in double.
  void count(const column_in<Exec>& values) {
    if (values.rows == 0) return;
    const auto bins = digit_bins();
    for (std::size_t k = 0; k < prefixes_.size(); ++k) {
      const key_digit<double> digit{prefixes_[k], 64 - digit_bits * (reading_ + 1)};
      count_call(count_operation{label_, own_bin{digit_values}}, exec_, packed_of<std::int64_t>(exec_, bins),
                 lazy(digit, view_of<double>(exec_, values)));
      Kokkos::parallel_for(kernel_label(label_, "/counts"), index_range(exec_, digit_values),
                           add_to_counts{data_of<std::int64_t>(bins), data_of<std::int64_t>(counts_[k])});
    }
  }
  /// Says which ranks are asked for: after the first reading, before it ends.
  void ask(const std::vector<std::int64_t>& ranks) {
    for (const auto rank : ranks) asked_.push_back({0, rank, -1});
  }
  void end_reading() {
    std::vector<digit_counts> counts;
    for (const auto& c : counts_) counts.push_back(on_host(c));
    std::vector<std::uint64_t> next;
    for (auto& a : asked_) {
      const auto k = std::lower_bound(prefixes_.begin(), prefixes_.end(), a.prefix) - prefixes_.begin();
      descend(a, counts[static_cast<std::size_t>(k)]);
      next.push_back(a.prefix);
    }
    std::sort(next.begin(), next.end());
    next.erase(std::unique(next.begin(), next.end()), next.end());
    ++reading_;
    begin_reading(reading_ < readings ? std::move(next) : std::vector<std::uint64_t>());
  }
  /// Of the k-th rank that was asked for, after all readings.
  double value(std::size_t k) const { return ordered<double>::number_of(asked_[k].prefix); }

 private:
  /// A rank among the values whose keys begin with a prefix, and how many of them there are.
  struct asked_rank {
    std::uint64_t prefix;
    std::int64_t rank, size;
  };

  column_in<Exec> digit_bins() const { return new_values(exec_, {}, column_type::int64, digit_values); }
  void begin_reading(std::vector<std::uint64_t> prefixes) {
    prefixes_ = std::move(prefixes);
    counts_.clear();
    for (std::size_t k = 0; k < prefixes_.size(); ++k) {
      counts_.push_back(digit_bins());
      Kokkos::deep_copy(exec_, packed_of<std::int64_t>(exec_, counts_.back()), std::int64_t(0));
    }
  }
  digit_counts on_host(const column_in<Exec>& c) const {
    digit_counts counts(digit_values);
    Kokkos::deep_copy(exec_, on_host_view(counts.data(), counts.size()), packed_of<std::int64_t>(exec_, c));
    exec_.fence(kernel_label(label_));
    return counts;
  }
  void descend(asked_rank& a, const digit_counts& counts) const {
    const std::int64_t size = std::accumulate(counts.begin(), counts.end(), std::int64_t{0});
    if (size <= a.rank || (a.size >= 0 && size != a.size))
      throw Error(label_, "the chunks have other values than at the first reading");
    const std::int64_t digit = digit_of_rank(counts.data(), 0, a.rank);
    a.prefix = a.prefix << digit_bits | static_cast<std::uint64_t>(digit);
    a.size = counts[static_cast<std::size_t>(digit)];
  }

  const std::string& label_;
  Exec exec_;
  int reading_ = 0;
  std::vector<std::uint64_t> prefixes_;  // sorted
  std::vector<column_in<Exec>> counts_;  // of the digits behind each
  std::vector<asked_rank> asked_;
};

}  // namespace quern::impl

#endif
