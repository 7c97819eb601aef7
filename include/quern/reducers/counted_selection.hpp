// SPDX-FileCopyrightText: the Quern authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef QUERN_REDUCERS_COUNTED_SELECTION_HPP
#define QUERN_REDUCERS_COUNTED_SELECTION_HPP

/// @file
/// Quantiles of arrays that are only read through counts: in chunks, or by several processes. Each pass counts the next
/// 16 bits of the elements' ordered keys, among those that begin with the bits that are known.

#include <quern/core/values/ordered.hpp>
#include <quern/reducers/quantile_rule.hpp>
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

/// Counts of digits by value.
using digit_counts = std::vector<std::int64_t>;

/// The elements of two ranks that are equal or neighbours, in ascending order of all. `count(digit)` gives the counts
/// of a `key_digit` over all elements.
template <class T, class Count>
class counted_selection {
 public:
  using number = typename ordered<T>::number;
  explicit counted_selection(const Count& count) : count_(count), top_(count(key_digit<T>{0, first_shift})) {}

  /// How many NaN there are: their key has a first digit of its own.
  std::int64_t nans() const { return ordered<T>::floating ? top_[digit_values - 1] : 0; }

  std::pair<number, number> operator()(std::int64_t first, std::int64_t second) const {
    std::uint64_t next = 0;
    bool has_next = false;
    const std::uint64_t key = select(first, second > first, next, has_next);
    if (second > first && !has_next) {
      bool unused = false;
      next = select(second, false, next, unused);
    }
    return {number_of(key), number_of(second > first ? next : key)};
  }

 private:
  static constexpr int digits = (ordered<T>::bits + digit_bits - 1) / digit_bits;
  static constexpr int first_shift = (digits - 1) * digit_bits;
  static number number_of(std::uint64_t key) {
    return ordered<T>::number_of(static_cast<typename ordered<T>::key>(key));
  }

  /// The key of a rank, and that of the next rank where the last counts tell it.
  std::uint64_t select(std::int64_t rank, bool wants_next, std::uint64_t& next, bool& has_next) const {
    std::uint64_t prefix = 0;
    for (int shift = first_shift;; shift -= digit_bits) {
      const digit_counts counts = shift == first_shift ? top_ : count_(key_digit<T>{prefix, shift});
      std::int64_t digit = 0;
      while (rank >= counts[digit]) rank -= counts[digit++];
      if (shift == 0) {
        if (wants_next) {
          std::int64_t behind = rank + 1 < counts[digit] ? digit : digit + 1;
          while (behind < digit_values && counts[behind] == 0) ++behind;
          has_next = behind < digit_values;
          next = prefix << digit_bits | static_cast<std::uint64_t>(behind);
        }
        return prefix << digit_bits | static_cast<std::uint64_t>(digit);
      }
      prefix = prefix << digit_bits | static_cast<std::uint64_t>(digit);
    }
  }

  const Count& count_;
  digit_counts top_;
};

/// A quantile of n elements, at least one.
template <class T, class Count>
mean_type<T> counted_quantile(const quantile_rule& rule, std::int64_t n, const Count& count) {
  const counted_selection<T, Count> select(count);
  if (rule.is_nan(n, select.nans())) return Kokkos::Experimental::quiet_NaN_v<mean_type<T>>;
  const quantile_place place = rule.among(rule.skip_nan ? n - select.nans() : n);
  const auto [a, b] = select(place.first, place.second);
  return static_cast<mean_type<T>>(between(static_cast<double>(a), static_cast<double>(b), place.fraction));
}

}  // namespace quern::impl

#endif
