// SPDX-FileCopyrightText: the Quern authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <algorithm>
#include <bit>
#include <quern/core/call/label.hpp>
#include <quern/core/launch/index_range.hpp>

#include "vendor_sort.hpp"

namespace quern::impl {
namespace {

/// What keys have in common: the least and the greatest, and the bits that some and that all of them have.
template <class K>
struct key_survey {
  K least = static_cast<K>(~K{0}), greatest = 0, some = 0, all = static_cast<K>(~K{0});
};
template <class K>
struct survey_keys {
  using value_type = key_survey<K>;
  const K* keys;
  KOKKOS_FUNCTION void init(value_type& s) const { s = {}; }
  KOKKOS_FUNCTION void join(value_type& s, const value_type& other) const {
    s.least = other.least < s.least ? other.least : s.least;
    s.greatest = other.greatest > s.greatest ? other.greatest : s.greatest;
    s.some |= other.some;
    s.all &= other.all;
  }
  KOKKOS_FUNCTION void operator()(std::int64_t i, value_type& s) const {
    join(s, {keys[i], keys[i], keys[i], keys[i]});
  }
};

}  // namespace

template <class Exec, class K>
narrowed_keys<K> narrow_keys(const std::string& label, const Exec& exec, std::int64_t n, K* keys) {
  const auto rows = index_range(exec, n);
  key_survey<K> found;
  Kokkos::parallel_reduce(kernel_label(label, "/bits"), rows, survey_keys<K>{keys}, found);
  const K differing = found.some ^ found.all, range = found.greatest - found.least;
  if (differing == 0) return {0, {0, 1}};
  const int begin = std::countr_zero(differing);
  const auto passes = [begin](K highest) { return (std::bit_width(highest) - begin + 7) / 8; };
  if (passes(range) == passes(differing)) return {0, {begin, std::bit_width(differing)}};
  const K least = found.least;
  Kokkos::parallel_for(kernel_label(label, "/distances"), rows, KOKKOS_LAMBDA(std::int64_t i) { keys[i] -= least; });
  return {least, {begin, std::bit_width(range)}};
}

template narrowed_keys<std::uint32_t> narrow_keys(const std::string&, const vendor_space&, std::int64_t,
                                                  std::uint32_t*);
template narrowed_keys<std::uint64_t> narrow_keys(const std::string&, const vendor_space&, std::int64_t,
                                                  std::uint64_t*);

}  // namespace quern::impl
