// SPDX-FileCopyrightText: the Quern authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef QUERN_CORE_VIEWS_PART_VIEW_HPP
#define QUERN_CORE_VIEWS_PART_VIEW_HPP

#include <quern/core/views/extents.hpp>
#include <quern/core/views/strided_array.hpp>

namespace quern::impl {

template <class T, int Rank, class Layout, class Exec>
using part_view = Kokkos::View<typename with_pointers<T, Rank>::type, Layout, typename Exec::memory_space,
                               Kokkos::MemoryTraits<Kokkos::Unmanaged>>;

/// An array as a View; where its rank is only known when running, which is a `Rank` of -1, as one of its strides.
/// LayoutLeft is for arrays that have it.
template <class Exec, int Rank, class Layout = Kokkos::LayoutStride, class T>
auto as_part(const strided<T>& s) {
  if constexpr (Rank < 0) {
    using first = part_view<T, 0, Kokkos::LayoutRight, Exec>;
    return strided_array<first, -1>(first(s.data), s.data, s.extents, s.stride);
  } else {
    Layout layout;
    for (int d = 0; d < Rank; ++d) {
      layout.dimension[d] = static_cast<std::size_t>(s.extents.extent[d]);
      if constexpr (std::is_same_v<Layout, Kokkos::LayoutStride>)
        layout.stride[d] = static_cast<std::size_t>(s.stride[d]);
    }
    return part_view<T, Rank, Layout, Exec>(s.data, layout);
  }
}

/// The part of an array from index `first` along an axis, `n` of them.
template <class T>
strided<T> part_along(strided<T> a, int d, std::int64_t first, std::int64_t n) {
  a.data += first * a.stride[d];
  a.extents.extent[d] = n;
  return a;
}

/// The extents and strides without the first axis, from its index `i` on.
template <class T>
strided<T> without_first_axis(const strided<T>& array, int i) {
  strided<T> part{array.data + i * array.stride[0], {}, {}};
  part.extents.rank = array.extents.rank - 1;
  for (int d = 0; d < part.extents.rank; ++d) {
    part.extents.extent[d] = array.extents.extent[d + 1];
    part.stride[d] = array.stride[d + 1];
  }
  return part;
}

/// The part of an array at the end of its first axes: the last index along one, or the last element.
template <class T>
strided<T> last_of(strided<T> s, int axis, bool all_axes) {
  for (int d = 0; d < s.extents.rank; ++d) {
    if (d != axis && !all_axes) continue;
    s.data += (s.extents.extent[d] - 1) * s.stride[d];
    s.extents.extent[d] = 1;
  }
  return s;
}

}  // namespace quern::impl

#endif
