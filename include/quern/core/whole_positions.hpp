// SPDX-FileCopyrightText: the Quern authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef QUERN_CORE_WHOLE_POSITIONS_HPP
#define QUERN_CORE_WHOLE_POSITIONS_HPP

/// @file
/// Positions in a chunk or a rank's block, counted in the whole array.

#include <quern/core/lazy.hpp>
#include <quern/core/operands.hpp>

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

/// f of operands `In`, of which the positions are counted in the whole array.
template <class F, int Rank, class... In>
struct of_whole_positions {
  F f;
  part_origin<Rank> origin;

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
template <int Rank, class... In, class F>
auto count_in_whole(const F& f, const shape& first) {
  if constexpr ((is_positions<In> || ...))
    return of_whole_positions<F, Rank, std::remove_cvref_t<In>...>{f, part_origin<Rank>(first)};
  else return f;
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
