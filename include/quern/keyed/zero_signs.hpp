// SPDX-FileCopyrightText: the Quern authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef QUERN_KEYED_ZERO_SIGNS_HPP
#define QUERN_KEYED_ZERO_SIGNS_HPP

/// @file
/// A vendor's radix sort of numbers with zeros of either sign, which are equal and keep their order: it sorts keys with
/// one zero, and the signs are put back behind it.

#include <quern/core/launch/loop_nest.hpp>
#include <quern/core/memory/workspace.hpp>
#include <quern/core/values/binary_search.hpp>
#include <quern/keyed/compaction.hpp>
#include <quern/keyed/order.hpp>

namespace quern::impl {

/// Keys with one zero; records whether a zero was negative.
template <class T>
struct make_key_of_zeros {
  by_order<T> order;
  int* found;
  KOKKOS_FUNCTION typename by_order<T>::key operator()(const T& v) const {
    if (ordered<T>::key_of(v) == by_equal_zeros<T>::negative_zero) Kokkos::atomic_store(found, 1);
    return order.encode(v);
  }
};

/// The elements of a line, of which it selects the zeros; without a negative zero none.
template <class T>
struct zeros_of_line {
  const T* in;
  row_nest<1> nest;  // of all lines, in the order of the sorted keys
  std::int64_t first;
  const int* found;

  KOKKOS_FUNCTION T operator[](std::int64_t i) const {
    std::int64_t j;
    return in[nest.at_item(first + i, nest.inner, 1, j).of[0]];
  }
  KOKKOS_FUNCTION bool operator()(std::int64_t i) const { return *found != 0 && (*this)[i] == T(0); }
};

/// Gives the zeros among sorted keys the signs that the zeros of each line have, in the order in which they are there.
/// @param in     the lines, with the axis last
/// @param sorted their sorted keys with one zero, line after line
/// @param found  whether a zero is negative
template <class Exec, class T>
void put_zero_signs(const std::string& label, const Exec& exec, std::int64_t lines, std::int64_t n,
                    const strided<const T>& in, const by_equal_zeros<T>& order, const int* found,
                    typename by_order<T>::key* sorted) {
  using key = typename by_order<T>::key;
  const row_nest<1> nest(row_major_nest<1>(in.extents, {in.stride}));
  const key least_zero = std::min<key>(order.negative_zero, order.sorted_as(order.negative_zero));
  const scratch_array<Exec, std::int64_t> count(exec, 1);
  for (std::int64_t l = 0; l < lines; ++l) {
    const zeros_of_line<T> zeros{in.data, nest, l * n, found};
    key* line = sorted + l * n;
    const auto put = KOKKOS_LAMBDA(std::int64_t i, std::int64_t k) {
      line[partition_point(line, 1, n, [=](key there) { return there < least_zero; }) + k] = order.encode(zeros[i]);
    };
    for_selected(label + "/zeros", exec, n, zeros, put, count.data());
  }
}

}  // namespace quern::impl

#endif
