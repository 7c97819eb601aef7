// SPDX-FileCopyrightText: the Quern authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef QUERN_CORE_VIEWS_EACH_ARRAY_HPP
#define QUERN_CORE_VIEWS_EACH_ARRAY_HPP

/// @file
/// Re-indexing of any operand: of arrays, and of each array that a lazy one reads.

#include <quern/core/call/places.hpp>
#include <quern/core/views/layouts.hpp>
#include <quern/core/views/operands.hpp>

namespace quern::impl {

/// How the elements of a re-indexed operand are found.
enum class reindexing {
  by_boxes,    // any box of it is one of the array: flip, slice, permute_dims
  by_strides,  // diagonal
  by_map,      // roll, take
};
/// Re-indexing of an operand that comes in chunks: whether a way is possible, and `restride<Rank>(v, change)`. The
/// header of the place specializes it.
template <class V>
struct chunked_reindexing {
  static constexpr bool possible(reindexing) { return false; }
};
template <class V>
constexpr bool can_reindex_chunks(reindexing how) {
  return !is_at<in_chunks_place, V> || chunked_reindexing<V>::possible(how);
}
template <class F, class... In>
struct chunked_reindexing<lazy_array<F, In...>> {
  static constexpr bool possible(reindexing how) { return (can_reindex_chunks<In>(how) && ...); }
};

/// Whether an operand can be re-indexed; an error that names why not.
template <class V, reindexing How = reindexing::by_boxes>
constexpr bool can_reindex() {
  constexpr bool in_chunks = can_reindex_chunks<V>(How), over_ranks = is_at<over_ranks_place, V>;
  constexpr bool here = in_chunks && !over_ranks;
  static_assert(in_chunks || How != reindexing::by_map,
                "quern: roll, take, remove_at, pad, tile, repeat and reshape re-index arrays in memory, not what comes "
                "in chunks; "
                "copy it to a View first, or use flip, slice and the like, which read boxes of it");
  static_assert(
      in_chunks || How == reindexing::by_map,
      "quern: what is re-indexed in chunks is in_chunks(view) or, except for its diagonal, a source; a sink is not");
  static_assert(!over_ranks,
                "quern: flip, slice, roll, take and the like re-index arrays in memory, not DistributedViews: re-index "
                "the View of a rank's block, local(), or all of it that quern::distributed::to_global gathers");
  static_assert(!dual_view<V>,
                "quern: flip, slice, roll, take and the like re-index one side of a DualView: view_device() or "
                "view_host()");
  constexpr bool has_extents = !has_no_extents<V>;
  static_assert(!here || has_extents,
                "quern: flip, slice, roll, take and the like need an array, which has extents; a scalar and "
                "positions() have none");
  return here && !dual_view<V> && has_extents;
}
/// An operand that is re-indexed.
template <class V>
concept reindexed_operand = array_like<V> || placed<V>;

/// The rank of an array with n axes more.
constexpr int rank_plus(int rank, int n) { return rank < 0 ? -1 : rank + n; }

/// An array with other extents and strides, `change(layout)`, which have rank `Rank`.
template <int Rank, class V, class Change>
auto restride(const V& v, const Change& change) {
  if constexpr (placed<V>) {
    return chunked_reindexing<V>::template restride<Rank>(v, change);
  } else if constexpr (is_mapped<V>) {
    const auto of = [&]<class Source, int R, class... Owner>(const mapped_array<Source, R, Owner...>& a) {
      const index_layout l = change(index_layout{a.extents, a.stride, a.first});
      return mapped_array<Source, Rank, Owner...>{a.source, l.extents, l.stride, l.first, a.owners, a.memory};
    };
    return of(v);
  } else if constexpr (is_rows<V>) {
    // The axis of a row's values stays the last.
    const auto values = restride<rank_plus(Rank, 1)>(v.view, [&](index_layout l) {
      const int last = --l.extents.rank;
      const std::int64_t k = l.extents.extent[last], apart = l.stride[last];
      l = change(l);
      l.stride[l.extents.rank] = apart;
      l.extents.extent[l.extents.rank++] = k;
      return l;
    });
    return rows_with_strides(std::type_identity<V>(), values);
  } else {
    const auto s = describe(v);
    const index_layout l = change(index_layout{s.extents, s.stride, 0});
    return strided_array<std::remove_cvref_t<decltype(owner_of(v))>, Rank>(owner_of(v), s.data + l.first, l.extents,
                                                                           l.stride);
  }
}

/// Positions along axes as an array.
template <int Rank>
struct gather_positions {
  template <class... I>
  KOKKOS_FORCEINLINE_FUNCTION auto operator()(const I&... i) const {
    return Kokkos::Array<std::int64_t, static_cast<std::size_t>(Rank)>{i...};
  }
};
inline mapped_array<position_source, -1> make_positions(const shape& extents, int d) {
  mapped_array<position_source, -1> p{};
  p.extents = extents;
  p.stride[d] = 1;
  return p;
}
template <int Rank, class F>
auto each_position(const shape& extents, const F& f) {
  static_assert(Rank >= 0, "quern::positions: the rank must be known when compiling");
  const auto along = [&](int d) {
    return f(restride<Rank>(make_positions(extents, d), [](const index_layout& l) { return l; }));
  };
  return [&]<int... D>(std::integer_sequence<int, D...>) {
    return lazy_array<gather_positions<Rank>, decltype(along(D))...>{{}, {along(D)...}};
  }(std::make_integer_sequence<int, Rank>());
}

template <class F, class... In>
lazy_array<F, In...> lazy_of_parts(const F& f, const In&... in) {
  return {f, {in...}};
}
template <int Rank, class V, class F>
auto each_leaf(const std::string& label, const V& v, const shape& extents, const F& f) {
  if constexpr (is_lazy<V>) {
    constexpr int rank = has_no_extents<V> ? Rank : rank_of<V>;
    const shape own = has_no_extents<V> ? extents : operand_extents(label, v);
    const auto of_own = [&](const auto& a) {
      if constexpr (has_no_extents<V>) return f(a);
      else
        return f(
            restride<Rank>(a, [&](const index_layout& l) { return broadcast_layout(label, "an input", l, extents); }));
    };
    return unpack([&](const auto&... in) { return lazy_of_parts(v.f, each_leaf<rank>(label, in, own, of_own)...); },
                  v.in);
  } else if constexpr (is_positions<V>) {
    return each_position<Rank>(extents, f);
  } else if constexpr (any_array<V>) {
    return f(restride<Rank>(v, [&](const index_layout& l) { return broadcast_layout(label, "an input", l, extents); }));
  } else {
    return v;
  }
}

/// `f(array)` of an array; of a lazy one the same lazy array of f of all that it reads, at the extents that it has.
template <class V, class F>
auto each_array(const std::string& label, const V& v, const F& f) {
  if constexpr (is_lazy<V>) return each_leaf<rank_of<V>>(label, v, operand_extents(label, v), f);
  else return f(v);
}

/// The operand with other strides.
template <int Rank, class V, class Change>
auto restride_each(const std::string& label, const V& v, const Change& change) {
  return each_array(label, v, [&](const auto& a) { return restride<Rank>(a, change); });
}

}  // namespace quern::impl

#endif
