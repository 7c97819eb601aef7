// SPDX-FileCopyrightText: the Quern authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef QUERN_CORE_VIEWS_CONCEPTS_HPP
#define QUERN_CORE_VIEWS_CONCEPTS_HPP

#include <Kokkos_Core.hpp>
#include <tuple>
#include <type_traits>
#include <utility>

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
/// of any layout that has strides, managed or not. Kernels use its pointer and strides: of its memory traits,
/// RandomAccess, Restrict and Aligned are hints that have no effect here. An Atomic View is rejected, and so is an
/// mdspan with another accessor than the default one.
template <class T>
concept view_like = impl::pointer_view<std::remove_cvref_t<T>> || impl::span_view<std::remove_cvref_t<T>> ||
                    impl::dual_view<std::remove_cvref_t<T>>;

template <class F, class... In>
struct lazy_array;
template <std::size_t K, class Element, class V>
struct row_array;
template <class V, int Rank>
class strided_array;
template <class Source, int Rank, class... Owner>
struct mapped_array;
struct positions_t;
struct named;

namespace impl {

template <class T>
inline constexpr bool is_lazy = false;
template <class F, class... In>
inline constexpr bool is_lazy<lazy_array<F, In...>> = true;
template <class T>
inline constexpr bool is_rows = false;
template <std::size_t K, class Element, class V>
inline constexpr bool is_rows<row_array<K, Element, V>> = true;
template <class T>
inline constexpr bool is_mapped = false;
template <class Source, int Rank, class... Owner>
inline constexpr bool is_mapped<mapped_array<Source, Rank, Owner...>> = true;
/// The same of what is not in memory as a whole.
template <class T>
inline constexpr bool is_placed_rows = false;
template <class T>
inline constexpr bool is_positions = std::is_same_v<std::remove_cvref_t<T>, positions_t>;

}  // namespace impl

/// An array of which operations read and write elements in memory: a `view_like`, or `quern::rows` of one.
template <class T>
concept stored_array = view_like<T> || impl::is_rows<std::remove_cvref_t<T>>;

/// An array whose elements an operation reads one by one: a `stored_array`, values that `quern::lazy` computes as
/// they are read, or an array whose elements are found by a map of indices, as those of `quern::roll`.
template <class T>
concept array_like =
    stored_array<T> || impl::is_lazy<std::remove_cvref_t<T>> || impl::is_mapped<std::remove_cvref_t<T>>;

namespace impl {

/// The places beside memory.
struct in_chunks_place {};
struct over_ranks_place {};
struct described_place;
/// An array that is not in memory as a whole, which says where it is.
template <class T>
concept placed = std::is_same_v<typename std::remove_cvref_t<T>::place, in_chunks_place> ||
                 std::is_same_v<typename std::remove_cvref_t<T>::place, over_ranks_place> ||
                 std::is_same_v<typename std::remove_cvref_t<T>::place, described_place>;

/// Options are marked, so that no operation takes one for an operand: structs by a member type `option_of`, the place
/// whose operations take it, or `any_place`; enumerations by a specialization.
struct any_place {};
template <class T>
inline constexpr bool marked_option = requires { typename T::option_of; };
template <class T>
concept option_type = marked_option<std::remove_cvref_t<T>>;
/// An option of every operation on operands of a place, as `quern::chunking`.
template <class T>
concept place_option = std::is_same_v<typename std::remove_cvref_t<T>::option_of, in_chunks_place>;

}  // namespace impl

/// An array wherever its elements are: an `array_like`, what comes in chunks (a source, `quern::in_chunks`), or a
/// `quern::DistributedView`.
template <class T>
concept any_array = array_like<T> || impl::placed<T>;

/// A value that broadcasts to an array of any extents.
template <class T>
concept scalar_value =
    !any_array<T> && !impl::is_positions<T> && !execution_space<T> && !impl::option_type<T> &&
    !std::is_same_v<std::remove_cvref_t<T>, named> && std::is_trivially_copyable_v<std::remove_cvref_t<T>>;

/// An input that broadcasts to the extents of an operation: an array, a scalar, or `quern::positions()`.
template <class T>
concept operand = any_array<T> || scalar_value<T> || impl::is_positions<T>;

namespace impl {

/// Whether elements of a View are accessed by atomic operations, which kernels that take its pointer would not use.
template <class V>
inline constexpr bool is_atomic = false;
template <class V>
  requires requires { V::traits::memory_traits::is_atomic; }
inline constexpr bool is_atomic<V> = V::traits::memory_traits::is_atomic;

/// Whether an accessor reads and writes what a pointer points to: the default one, and what Kokkos wraps around it.
template <class Accessor>
inline constexpr bool is_plain_accessor = false;
template <class T>
inline constexpr bool is_plain_accessor<Kokkos::default_accessor<T>> = true;
template <class Accessor>
  requires requires {
    typename Accessor::memory_space;
    typename Accessor::nested_accessor_type;
  }
inline constexpr bool is_plain_accessor<Accessor> = is_plain_accessor<typename Accessor::nested_accessor_type>;
template <span_view V>
inline constexpr bool has_plain_accessor =
    std::is_pointer_v<typename V::data_handle_type> && is_plain_accessor<typename V::accessor_type>;

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
struct view_traits<V> : view_traits<typename V::t_dev> {
  template <class Exec>
  static constexpr bool accessible = view_traits<typename V::t_dev>::template accessible<Exec> ||
                                     view_traits<typename V::t_host>::template accessible<Exec>;
};

template <std::size_t K, class Element, class V>
struct view_traits<row_array<K, Element, V>> : view_traits<V> {
  using value_type = Element;
};

template <class V, int Rank>
struct view_traits<strided_array<V, Rank>> : view_traits<V> {};

/// An input as modules hand it to each other, already described.
template <class T>
concept described_input = requires { typename T::operand; };

template <class V>
struct value_type_of_operand;
template <stored_array V>
struct value_type_of_operand<V> {
  using type = typename view_traits<V>::value_type;
};
template <class V>
  requires(placed<V> || described_input<V>)
struct value_type_of_operand<V> {
  using type = std::remove_const_t<typename V::value_type>;
};
template <scalar_value T>
  requires(!described_input<T>)
struct value_type_of_operand<T> {
  using type = T;
};
/// The type of an operand's values.
template <class V>
using value_of = typename value_type_of_operand<std::remove_cvref_t<V>>::type;

/// `T`, `T*`, `T**` and so on, as a View's first argument.
template <class T, std::size_t Rank>
struct with_pointers {
  using type = typename with_pointers<T, Rank - 1>::type*;
};
template <class T>
struct with_pointers<T, 0> {
  using type = T;
};

/// f of the elements of a tuple, as std::apply without the question whether f throws, whose answer costs compilers
/// time.
template <class F, class... T>
auto unpack(const F& f, const std::tuple<T...>& t) {
  return [&]<std::size_t... I>(std::index_sequence<I...>) {
    return f(std::get<I>(t)...);
  }(std::index_sequence_for<T...>());
}

/// The execution space of the first View among operands.
template <class... None>
struct first_execution_space {
  static_assert(sizeof...(None) > 0, "quern: no View among the arguments says where to run; pass an execution space");
  using type = Kokkos::DefaultExecutionSpace;
};
template <class First, class... Rest>
struct first_execution_space<First, Rest...> : first_execution_space<Rest...> {};
template <view_like First, class... Rest>
struct first_execution_space<First, Rest...> {
  using type = typename view_traits<First>::execution_space;
};
template <std::size_t K, class Element, class V, class... Rest>
struct first_execution_space<row_array<K, Element, V>, Rest...> : first_execution_space<V> {};
template <class F, class... In, class... Rest>
struct first_execution_space<lazy_array<F, In...>, Rest...> : first_execution_space<In..., Rest...> {};
template <class Source, int Rank, class... Owner, class... Rest>
struct first_execution_space<mapped_array<Source, Rank, Owner...>, Rest...> : first_execution_space<Owner..., Rest...> {
};
template <class... Out, class... Rest>
struct first_execution_space<std::tuple<Out...>, Rest...> : first_execution_space<Out..., Rest...> {};

/// The execution space of the first operand that is not in memory, or else that of the first View.
template <class All, class... V>
struct execution_space_among : All {};
template <class All, class First, class... Rest>
struct execution_space_among<All, First, Rest...> : execution_space_among<All, Rest...> {};
template <class All, placed First, class... Rest>
struct execution_space_among<All, First, Rest...> {
  using type = typename First::execution_space;
};
template <class All, class F, class... In, class... Rest>
struct execution_space_among<All, lazy_array<F, In...>, Rest...> : execution_space_among<All, In..., Rest...> {};
template <class All, class... Out, class... Rest>
struct execution_space_among<All, std::tuple<Out...>, Rest...> : execution_space_among<All, Out..., Rest...> {};

/// The execution space that an overload without one uses.
template <class... V>
using default_execution_space =
    typename execution_space_among<first_execution_space<std::remove_cvref_t<V>...>, std::remove_cvref_t<V>...>::type;

/// A default instance of the execution space of the first operand that is not in memory, or else of the first View
/// among the arguments: the output, where there is one.
template <class... V>
default_execution_space<V...> space_of(const V&...) {
  return {};
}

}  // namespace impl
}  // namespace quern

#endif
