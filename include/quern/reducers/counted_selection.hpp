// SPDX-FileCopyrightText: the Quern authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef QUERN_REDUCERS_COUNTED_SELECTION_HPP
#define QUERN_REDUCERS_COUNTED_SELECTION_HPP

/// @file
/// Quantiles of arrays that are only read through counts: in chunks, or by several processes. Each pass counts the next
/// 16 bits of the elements' ordered keys, among those that begin with the bits that are known.
///
/// There are three selections by digits of keys, which share `digit_of_rank` and the orders of keys and no passes: this
/// one keeps its counts on the host, since a pass there costs a reading of a file or a message, so that digits are
/// wide; that of `top_k` (keyed/top_k.hpp) keeps them in a device's memory and never waits, with digits whose counts
/// fit into a team's shared memory; that of quantiles in memory (reduce/select_passes.hpp) begins with an interval from
/// a sample, reads a line once or twice instead of once for each digit, and needs counts of the keys below, which the
/// others do not.

#include <array>
#include <numeric>
#include <quern/core/values/ordered.hpp>
#include <quern/reducers/quantile_rule.hpp>
#include <utility>
#include <vector>

namespace quern::impl {

inline constexpr int digit_bits = 16;
inline constexpr std::int64_t digit_values = 1 << digit_bits;

/// The digit of an element's key behind a prefix, or -1 for elements that do not begin with it.
template <class T>
struct key_digit {
  std::uint64_t prefix;
  int shift;
  KOKKOS_FUNCTION std::int32_t operator()(const T& x) const {
    const std::uint64_t key = ordered<T>::key_of(x);
    const int above = shift + digit_bits;
    if (above < ordered<T>::bits && key >> above != prefix) return -1;
    return static_cast<std::int32_t>(key >> shift & (digit_values - 1));
  }
};

/// The same where a mask selects; -1 elsewhere.
template <class T>
struct digit_where {
  struct selects_by_last {};
  key_digit<T> digit;
  template <class M>
  KOKKOS_FUNCTION std::int32_t operator()(const T& x, const M& m) const {
    return m != M(0) ? digit(x) : -1;
  }
};

/// The digit that a rank falls to, of those from `digit` on; `rank` becomes that among the keys with this digit.
KOKKOS_INLINE_FUNCTION std::int64_t digit_of_rank(const std::int64_t* counts, std::int64_t digit, std::int64_t& rank) {
  while (rank >= counts[digit]) rank -= counts[digit++];
  return digit;
}

/// Counts of digits by value.
using digit_counts = std::vector<std::int64_t>;

/// The elements of ranks, in ascending order of all. `count(digit)` gives the counts of a `key_digit` over all
/// elements; ranks whose keys begin with the same digits share these.
template <class T, class Count>
class counted_selection {
 public:
  using number = typename ordered<T>::number;
  explicit counted_selection(const Count& count) : count_(count) {}

  /// How many elements are counted.
  std::int64_t size() {
    const digit_counts& counts = counts_behind(0, 0);
    return std::accumulate(counts.begin(), counts.end(), std::int64_t{0});
  }
  /// How many NaN there are: their key has a first digit of its own.
  std::int64_t nans() { return ordered<T>::floating ? counts_behind(0, 0)[digit_values - 1] : 0; }

  number operator()(std::int64_t rank) {
    std::uint64_t prefix = 0;
    for (int level = 0; level < digits; ++level) {
      const std::int64_t digit = digit_of_rank(counts_behind(prefix, level).data(), 0, rank);
      prefix = prefix << digit_bits | static_cast<std::uint64_t>(digit);
    }
    return ordered<T>::number_of(static_cast<typename ordered<T>::key>(prefix));
  }

 private:
  static constexpr int digits = (ordered<T>::bits + digit_bits - 1) / digit_bits;

  /// The counts of the next digit behind a prefix of so many; the last ones of each number of digits are kept.
  const digit_counts& counts_behind(std::uint64_t prefix, int level) {
    auto& [of, counts] = known_[level];
    if (counts.empty() || of != prefix) {
      counts = count_(key_digit<T>{prefix, (digits - 1 - level) * digit_bits});
      of = prefix;
    }
    return counts;
  }

  const Count& count_;
  std::array<std::pair<std::uint64_t, digit_counts>, digits> known_{};
};

/// A quantile of the elements that are counted.
template <class T, class Count>
mean_type<T> counted_quantile(const quantile_rule& rule, const Count& count) {
  counted_selection<T, Count> select(count);
  const std::int64_t n = select.size();
  if (rule.is_nan(n, select.nans())) return Kokkos::Experimental::quiet_NaN_v<mean_type<T>>;
  const quantile_position position = rule.among(rule.skip_nan ? n - select.nans() : n);
  const auto a = static_cast<double>(select(position.first)), b = static_cast<double>(select(position.second));
  return static_cast<mean_type<T>>(between(a, b, position.fraction));
}

}  // namespace quern::impl

#endif
