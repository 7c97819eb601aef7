// SPDX-FileCopyrightText: the Quern authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef QUERN_CORE_VIEWS_WHOLE_POSITIONS_HPP
#define QUERN_CORE_VIEWS_WHOLE_POSITIONS_HPP

/// @file
/// Positions in a chunk or a rank's block, counted in the whole array.

#include <quern/core/views/lazy.hpp>
#include <quern/core/views/operands.hpp>

namespace quern::impl {

/// Where a part of an array begins in it.
template <int Rank>
struct part_origin {
  Kokkos::Array<std::int64_t, Rank> first{};

  explicit part_origin(const shape& s) {
    for (int d = 0; d < Rank; ++d) first[d] = s.extent[d];
  }
  /// An index in the part as one in the whole array. Of fewer axes, it is along the last ones.
  template <std::size_t N>
  KOKKOS_FUNCTION Kokkos::Array<std::int64_t, N> whole(Kokkos::Array<std::int64_t, N> at) const {
    constexpr int before = Rank - static_cast<int>(N);
    for (int d = 0; d < static_cast<int>(N); ++d) at[d] += first[before + d];
    return at;
  }
};

/// Where cells of an array begin, with those around them: an index before the first one or behind the last one of an
/// axis, which wraps around, is that of a cell at its other end.
template <int Rank>
struct wrapped_origin {
  part_origin<Rank> origin;
  Kokkos::Array<std::int64_t, Rank> cells{};  // of the array along each axis

  wrapped_origin(const shape& first, const shape& extents) : origin(first) {
    for (int d = 0; d < Rank; ++d) cells[d] = extents.extent[d];
  }
  KOKKOS_FUNCTION Kokkos::Array<std::int64_t, Rank> whole(Kokkos::Array<std::int64_t, Rank> at) const {
    at = origin.whole(at);
    for (int d = 0; d < Rank; ++d) at[d] += at[d] < 0 ? cells[d] : at[d] >= cells[d] ? -cells[d] : 0;
    return at;
  }
};

/// f of operands `In`, of which the positions are counted in the whole array.
template <class F, class Origin, class... In>
struct of_whole_positions {
  F f;
  Origin origin;

  template <class... T>
  KOKKOS_FORCEINLINE_FUNCTION auto operator()(const T&... v) const {
    return f(argument<In>(v)...);
  }

 private:
  template <class V, class T>
  KOKKOS_FORCEINLINE_FUNCTION decltype(auto) argument(const T& v) const {
    if constexpr (is_positions<V>) return origin.whole(v);
    else return (v);
  }
};
template <class... In, class F, class Origin>
auto count_in_whole(const F& f, const Origin& origin) {
  if constexpr ((is_positions<In> || ...)) return of_whole_positions<F, Origin, std::remove_cvref_t<In>...>{f, origin};
  else return f;
}

template <class F, class... In>
lazy_array<F, In...> lazy_of(const F& f, const In&... in) {
  return {f, {in...}};
}
template <int Rank, class F, class... In, class Leaf>
auto lazy_at_part(const std::string& label, const lazy_array<F, In...>& v, const shape& origin,
                  const shape& first_around, const Leaf& leaf);

/// An operand at a part of an array of rank `Rank`, which begins at `origin`: `leaf(v)` for what is not lazy. What a
/// lazy array reads is cut as other inputs are, and its positions are those in the whole array. `first_around` is where
/// the part begins in the array that the operand belongs to, in whose extents positions without arrays beside them are
/// counted.
template <int Rank, class V, class Leaf>
auto at_part(const std::string& label, const V& v, const shape& origin, const shape& first_around, const Leaf& leaf) {
  if constexpr (is_lazy<V>) return lazy_at_part<Rank>(label, v, origin, first_around, leaf);
  else return leaf(v);
}
template <int Rank, class F, class... In, class Leaf>
auto lazy_at_part(const std::string& label, const lazy_array<F, In...>& v, const shape& origin,
                  const shape& first_around, const Leaf& leaf) {
  shape first = first_around;
  if constexpr (!has_no_extents<lazy_array<F, In...>>) {
    const shape whole = operand_extents(label, v);
    first = origin;
    for (int axis = 0; axis < whole.rank; ++axis)  // along a repeated axis all positions are 0
      if (whole.extent[axis] == 1) first.extent[Rank - whole.rank + axis] = 0;
  }
  return unpack(
      [&](const auto&... in) {
        return lazy_of(count_in_whole<In...>(v.f, part_origin<Rank>(first)),
                       at_part<Rank>(label, in, origin, first, leaf)...);
      },
      v.in);
}

/// An operand at cells with those around them, which begin at an origin: `leaf(v)` for what is not lazy. All arrays of
/// a lazy one have the extents of the whole array, where its positions are counted.
template <class V, class Origin, class Leaf>
auto at_cells(const V& v, const Origin& origin, const Leaf& leaf) {
  if constexpr (is_lazy<V>)
    return unpack(
        [&](const auto&... in) {
          return lazy_of(count_in_whole<std::remove_cvref_t<decltype(in)>...>(v.f, origin),
                         at_cells(in, origin, leaf)...);
        },
        v.in);
  else return leaf(v);
}

/// A functor of windows that is called with a cell's indices first.
template <class F, int Rank>
struct at_whole_index {
  F f;
  part_origin<Rank> origin;
  template <class Index, class... Window>
  KOKKOS_FUNCTION auto operator()(const Index& at, const Window&... w) const {
    return f(origin.whole(at), w...);
  }
};

}  // namespace quern::impl

#endif
