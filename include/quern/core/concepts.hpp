// SPDX-FileCopyrightText: the Quern authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef QUERN_CORE_CONCEPTS_HPP
#define QUERN_CORE_CONCEPTS_HPP

#include <Kokkos_Core.hpp>
#include <type_traits>

namespace quern {

/// A Kokkos execution space (`Kokkos::Serial`, `Kokkos::OpenMP`, `Kokkos::Cuda`, `Kokkos::HIP`).
template <class T>
concept execution_space = Kokkos::is_execution_space_v<std::remove_cvref_t<T>>;

namespace impl {

/// Anything that shows a pointer, extents and strides: `Kokkos::View`, `DynRankView`.
template <class T>
concept pointer_view = requires(const T& v) {
  typename T::value_type;
  v.data();
  v.extent(0);
  v.stride(0);
  v.rank();
};

template <class T>
concept span_view = requires(const T& v) {
  typename T::value_type;
  typename T::mapping_type;
  v.data_handle();
  v.is_strided();
};

/// `Kokkos::DualView`, known by its two sides so that its header need not be included.
template <class T>
concept dual_view = requires(const T& v) {
  v.view_device();
  v.view_host();
  v.need_sync_device();
};

}  // namespace impl

/// An array that operations take: a `Kokkos::View`, `Kokkos::DynRankView`, `Kokkos::DualView` or `Kokkos::mdspan`,
/// of any layout that has strides.
template <class T>
concept view_like = impl::pointer_view<std::remove_cvref_t<T>> || impl::span_view<std::remove_cvref_t<T>> ||
                    impl::dual_view<std::remove_cvref_t<T>>;

/// A value that stands for an array of any extents (it broadcasts).
template <class T>
concept scalar_value = !view_like<T> && !execution_space<T> && std::is_trivially_copyable_v<std::remove_cvref_t<T>>;

namespace impl {

template <class V>
struct view_traits {
  using value_type = std::remove_cv_t<typename V::value_type>;
  static constexpr bool is_const = std::is_const_v<typename V::value_type>;
  template <class Exec>
  static constexpr bool accessible = Kokkos::SpaceAccessibility<Exec, typename V::memory_space>::accessible;
  using execution_space = typename V::execution_space;
};

template <span_view V>
  requires(!pointer_view<V>)
struct view_traits<V> {
  using value_type = typename V::value_type;
  static constexpr bool is_const = std::is_const_v<typename V::element_type>;
  template <class Exec>
  static constexpr bool accessible = true;  // an mdspan does not say where its memory is
  using execution_space = Kokkos::DefaultHostExecutionSpace;
};

template <dual_view V>
struct view_traits<V> {
  using value_type = std::remove_cv_t<typename V::t_dev::value_type>;
  static constexpr bool is_const = std::is_const_v<typename V::t_dev::value_type>;
  template <class Exec>
  static constexpr bool accessible = Kokkos::SpaceAccessibility<Exec, typename V::t_dev::memory_space>::accessible ||
                                     Kokkos::SpaceAccessibility<Exec, typename V::t_host::memory_space>::accessible;
  using execution_space = typename V::execution_space;
};

template <class V>
using value_of = typename view_traits<std::remove_cvref_t<V>>::value_type;

/// The execution space that an overload without one uses.
template <class V>
using default_execution_space = typename view_traits<std::remove_cvref_t<V>>::execution_space;

}  // namespace impl
}  // namespace quern

#endif
