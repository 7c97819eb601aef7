// SPDX-FileCopyrightText: the Quern authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef QUERN_CORE_VIEWS_COPIES_HPP
#define QUERN_CORE_VIEWS_COPIES_HPP

#include <Kokkos_Core.hpp>
#include <quern/core/views/extents.hpp>
#include <string>

namespace quern {

namespace impl {

/// The managed View type with the value type, rank and static extents of V in `Space`. A strided View has no layout
/// that an allocation could have, so its copies are LayoutRight.
template <class V, class Space>
using managed_in = Kokkos::View<typename V::non_const_data_type,
                                std::conditional_t<std::is_same_v<typename V::array_layout, Kokkos::LayoutStride>,
                                                   Kokkos::LayoutRight, typename V::array_layout>,
                                Space>;

/// The layout of a new View R with the extents of v, which may be a View that repeats elements.
/// @throws MemoryError if no View can have as many
template <class R, class V>
auto layout_like(const V& v, const char* label = "quern::like") {
  typename R::array_layout layout;
  shape extents;
  extents.rank = static_cast<int>(V::rank());
  for (int d = 0; d < extents.rank; ++d) {
    layout.dimension[d] = v.extent(d);
    extents.extent[d] = static_cast<std::int64_t>(v.extent(d));
  }
  bytes_of_array(label, extents, sizeof(typename R::value_type));
  return layout;
}

template <class Space, class V>
managed_in<V, Space> copy_in(const V& v) {
  using result = managed_in<V, Space>;
  result r(Kokkos::view_alloc(Kokkos::WithoutInitializing, v.label()), layout_like<result>(v));
  using contiguous =
      Kokkos::View<typename V::non_const_data_type, typename result::array_layout, typename V::memory_space>;
  if constexpr (std::is_same_v<typename V::array_layout, typename result::array_layout>) {
    if (v.span_is_contiguous()) {
      Kokkos::deep_copy(r, v);
      return r;
    }
  }
  // Memory spaces only exchange contiguous Views of one layout; bring v into that form where it is.
  contiguous c(Kokkos::view_alloc(Kokkos::WithoutInitializing, v.label()), layout_like<contiguous>(v));
  Kokkos::deep_copy(c, v);
  Kokkos::deep_copy(r, c);
  return r;
}

}  // namespace impl

/// A new, uninitialized View with the extents, layout and memory space of `v` (LayoutRight where `v` is strided).
/// Allocates.
template <class V>
  requires Kokkos::is_view_v<V>
auto like(const V& v, const std::string& label = "quern::like") {
  using result = impl::managed_in<V, typename V::memory_space>;
  return result(Kokkos::view_alloc(Kokkos::WithoutInitializing, label), impl::layout_like<result>(v));
}

/// A copy of `v`, of any layout, in the memory of `Exec` (default: the default execution space). Allocates and waits.
template <class Exec = Kokkos::DefaultExecutionSpace, class V>
  requires Kokkos::is_view_v<V>
auto to_device(const V& v) {
  return impl::copy_in<typename Exec::memory_space>(v);
}

/// A copy of `v`, of any layout, in host memory. Allocates and waits.
template <class V>
  requires Kokkos::is_view_v<V>
auto to_host(const V& v) {
  return impl::copy_in<Kokkos::HostSpace>(v);
}

}  // namespace quern

#endif
