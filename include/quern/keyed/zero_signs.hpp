// SPDX-FileCopyrightText: the Quern authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef QUERN_KEYED_ZERO_SIGNS_HPP
#define QUERN_KEYED_ZERO_SIGNS_HPP

/// @file
/// A vendor's radix sort of numbers with zeros of either sign, which are equal and keep their order: it sorts keys with
/// one zero, and the signs are put back behind it.

#include <quern/core/launch/launch_units.hpp>
#include <quern/core/launch/loop_nest.hpp>
#include <quern/core/memory/workspace.hpp>
#include <quern/core/values/binary_search.hpp>
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

struct count_zeros_tag {};
struct offset_zeros_tag {};
struct put_zeros_tag {};

/// Gives the zeros among sorted keys the signs that the zeros of each line have, in the order in which they are there.
/// Lines are cut into tiles, of which each counts its zeros and then finds its offset among those of all. Without a
/// negative zero, the kernels end at once.
template <class T>
struct zero_signs {
  using key = typename by_order<T>::key;
  by_equal_zeros<T> order;
  const T* in;
  row_nest<1> nest;  // of the lines, in the order of the sorted keys
  std::int64_t n, tile, tiles;
  const int* found;
  key* sorted;
  std::int64_t* zeros;  // of each tile: their number, and then the offset of the first

  KOKKOS_FUNCTION T element(std::int64_t position) const {
    std::int64_t i;
    const auto o = nest.at_item(position, nest.inner, 1, i);
    return in[o.of[0]];
  }
  /// f(element) of the zeros of a tile in order.
  template <class F>
  KOKKOS_FUNCTION void for_each_zero(std::int64_t item, const F& f) const {
    const std::int64_t line = item / tiles, first = item % tiles * tile;
    for (std::int64_t i = first; i < Kokkos::min(first + tile, n); ++i)
      if (const T v = element(line * n + i); v == T(0)) f(v);
  }
  KOKKOS_FUNCTION std::int64_t first_zero(std::int64_t line) const {
    const key zero = order.sorted_as(order.encode(T(0)));
    return line * n + partition_point(sorted + line * n, 1, n, [=](key k) { return k < zero; });
  }

  KOKKOS_FUNCTION void operator()(count_zeros_tag, std::int64_t item) const {
    if (*found == 0) return;
    std::int64_t count = 0;
    for_each_zero(item, [&](const T&) { ++count; });
    zeros[item] = count;
  }
  KOKKOS_FUNCTION void operator()(offset_zeros_tag, std::int64_t line) const {
    if (*found == 0) return;
    std::int64_t next = first_zero(line);
    for (std::int64_t k = line * tiles; k < (line + 1) * tiles; ++k) {
      const std::int64_t here = zeros[k];
      zeros[k] = next;
      next += here;
    }
  }
  KOKKOS_FUNCTION void operator()(put_zeros_tag, std::int64_t item) const {
    if (*found == 0) return;
    std::int64_t at = tiles == 1 ? first_zero(item) : zeros[item];
    for_each_zero(item, [&](const T& v) { sorted[at++] = order.encode(v); });
  }
};

/// @param in     the lines, with the axis last
/// @param sorted their sorted keys with one zero, line after line
/// @param found  whether a zero is negative
template <class Exec, class T>
void put_zero_signs(const std::string& label, const Exec& exec, std::int64_t lines, std::int64_t n,
                    const strided<const T>& in, const by_equal_zeros<T>& order, const int* found,
                    typename by_order<T>::key* sorted) {
  constexpr std::int64_t least = 1024;  // elements of a tile
  std::int64_t tile = least;
  while (tile * tile < n) tile *= 2;  // about as many as there are tiles
  const std::int64_t tiles = (n + tile - 1) / tile;
  const scratch_array<Exec, std::int64_t> zeros(exec, lines * tiles);
  const zero_signs<T> kernel{order, in.data, row_nest<1>(row_major_nest<1>(in.extents, {in.stride})),
                             n,     tile,    tiles,
                             found, sorted,  zeros.data()};
  if (tiles > 1) {
    launch_units<count_zeros_tag>(exec, label_text(label, "/zeros"), lines * tiles, kernel);
    launch_units<offset_zeros_tag>(exec, label_text(label, "/zeros"), lines, kernel);
  }
  launch_units<put_zeros_tag>(exec, label_text(label, "/zeros"), lines * tiles, kernel);
}

}  // namespace quern::impl

#endif
