// SPDX-FileCopyrightText: the Quern authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef QUERN_MAP_RESTRIDED_HPP
#define QUERN_MAP_RESTRIDED_HPP

#include <quern/core/views/each_array.hpp>
#include <quern/map/map.hpp>

namespace quern::impl {

/// An input of rank `Rank` whose elements are those of another, `change(layout)`: a View, or what is lazy or
/// re-indexed.
template <int Rank, class Exec, class V, class Change>
auto restrided_input(const call<Exec>& c, const V& v, const Change& change) {
  if constexpr (view_like<V>) {
    auto x = c.input(v);
    const index_layout l = change(index_layout{x.extents, x.stride, 0});
    x.data += l.first;
    x.extents = l.extents;
    x.stride = l.stride;
    return array_input<memory_type<V>>{x};
  } else {
    return restride_each<Rank>(c.label, v, change);
  }
}

}  // namespace quern::impl

#endif
