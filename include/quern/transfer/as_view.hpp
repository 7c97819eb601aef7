// SPDX-FileCopyrightText: the Quern authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef QUERN_TRANSFER_AS_VIEW_HPP
#define QUERN_TRANSFER_AS_VIEW_HPP

#include <Kokkos_Core.hpp>
#include <array>
#include <quern/core/views/concepts.hpp>
#include <span>
#include <type_traits>
#include <vector>

namespace quern {

/// An unmanaged View of memory that something else owns, and that must live as long as the View is used.
template <class T, std::size_t Rank, class Layout, class Space = Kokkos::HostSpace>
using borrowed_view =
    Kokkos::View<typename impl::with_pointers<T, Rank>::type, Layout, Space, Kokkos::MemoryTraits<Kokkos::Unmanaged>>;

/// The elements of a vector or a span of the host as a View of rank 1, without a copy.
template <class T>
  requires(!std::is_same_v<T, bool>)
borrowed_view<T, 1, Kokkos::LayoutRight> as_view(std::vector<T>& v) {
  return borrowed_view<T, 1, Kokkos::LayoutRight>(v.data(), v.size());
}
template <class T>
  requires(!std::is_same_v<T, bool>)
borrowed_view<const T, 1, Kokkos::LayoutRight> as_view(const std::vector<T>& v) {
  return borrowed_view<const T, 1, Kokkos::LayoutRight>(v.data(), v.size());
}
template <class T, std::size_t N>
borrowed_view<T, 1, Kokkos::LayoutRight> as_view(std::span<T, N> s) {
  return borrowed_view<T, 1, Kokkos::LayoutRight>(s.data(), s.size());
}
template <class T>
void as_view(const std::vector<T>&&) = delete;  // whose elements are gone when the call ends

/// Memory as a View, by extents, in row-major order: `as_view(p, {ny, nx})` of the host's, and of a device's
/// `as_view<Kokkos::CudaSpace>(p, {ny, nx})`, since a pointer does not say where its memory is.
template <class Space = Kokkos::HostSpace, class T, std::size_t Rank>
borrowed_view<T, Rank, Kokkos::LayoutRight, Space> as_view(T* data, const std::size_t (&extents)[Rank]) {
  Kokkos::LayoutRight layout;
  for (std::size_t d = 0; d < Rank; ++d) layout.dimension[d] = extents[d];
  return borrowed_view<T, Rank, Kokkos::LayoutRight, Space>(data, layout);
}
/// The same with strides, counted in elements: `as_view(p, {ny, nx}, {pitch, 1})`.
template <class Space = Kokkos::HostSpace, class T, std::size_t Rank>
borrowed_view<T, Rank, Kokkos::LayoutStride, Space> as_view(T* data, const std::size_t (&extents)[Rank],
                                                            const std::size_t (&strides)[Rank]) {
  Kokkos::LayoutStride layout;
  for (std::size_t d = 0; d < Rank; ++d) {
    layout.dimension[d] = extents[d];
    layout.stride[d] = strides[d];
  }
  return borrowed_view<T, Rank, Kokkos::LayoutStride, Space>(data, layout);
}

/// An mdspan as a View of memory space `Space`: an mdspan does not say where its memory is, and operations take it for
/// memory of their execution space.
template <class Space = Kokkos::HostSpace, class T, class Extents, class Layout>
auto as_view(const Kokkos::mdspan<T, Extents, Layout>& m) {
  constexpr bool left = std::is_same_v<Layout, Kokkos::layout_left>;
  constexpr bool right = std::is_same_v<Layout, Kokkos::layout_right>;
  using layout = std::conditional_t<left, Kokkos::LayoutLeft,
                                    std::conditional_t<right, Kokkos::LayoutRight, Kokkos::LayoutStride>>;
  layout form;
  for (std::size_t d = 0; d < Extents::rank(); ++d) {
    form.dimension[d] = m.extent(d);
    if constexpr (!left && !right) form.stride[d] = m.stride(d);
  }
  return borrowed_view<T, Extents::rank(), layout, Space>(m.data_handle(), form);
}

/// A View as an mdspan with strides, of the same memory, which `v` must keep alive.
template <class V>
  requires(Kokkos::is_view_v<V>)
auto as_mdspan(const V& v) {
  static_assert(!impl::is_atomic<V>, "quern::as_mdspan: v is an Atomic View, whose trait an mdspan does not have");
  using extents = Kokkos::dextents<std::size_t, V::rank()>;
  std::array<std::size_t, V::rank()> extent{}, stride{};
  for (std::size_t d = 0; d < V::rank(); ++d) {
    extent[d] = v.extent(d);
    stride[d] = v.stride(d);
  }
  using mapping = Kokkos::layout_stride::mapping<extents>;
  return Kokkos::mdspan<typename V::value_type, extents, Kokkos::layout_stride>(v.data(),
                                                                                mapping(extents(extent), stride));
}
template <class V>
  requires(Kokkos::is_view_v<V> && !V::traits::memory_traits::is_unmanaged)
void as_mdspan(const V&&) = delete;  // whose memory may be gone when the call ends: name the View

}  // namespace quern

#endif
