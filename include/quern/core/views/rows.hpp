// SPDX-FileCopyrightText: the Quern authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef QUERN_CORE_VIEWS_ROWS_HPP
#define QUERN_CORE_VIEWS_ROWS_HPP

#include <quern/core/views/extents.hpp>
#include <quern/core/views/lazy.hpp>
#include <quern/core/views/row_memory.hpp>
#include <string>

namespace quern {

/// The rows of a View as elements; made by `quern::rows`.
template <std::size_t K, class Element, class V>
struct row_array {
  V view;
};

namespace impl {

/// What a row of K values T is as an element: an Array, or a struct that the caller names.
template <std::size_t K, class T, class Struct>
struct row_element {
  static_assert(std::is_trivially_copyable_v<Struct> && std::is_default_constructible_v<Struct>,
                "quern::rows: the struct must be trivially copyable, and have a default constructor");
  static_assert(sizeof(Struct) == K * sizeof(T),
                "quern::rows: the struct must have the size of k of the View's values: k members of their type, and "
                "nothing else");
  using type = Struct;
};
template <std::size_t K, class T>
struct row_element<K, T, void> {
  using type = Kokkos::Array<T, K>;
};

/// Whether the values of a row follow each other, as the type of the View says.
template <class V>
inline constexpr bool has_adjacent_rows =
    requires { requires std::is_same_v<typename typical<V>::array_layout, Kokkos::LayoutRight>; };

/// The number of values in a row that the type of a View states; 0 where it states none.
template <class V>
constexpr std::size_t known_row() {
  if constexpr (Kokkos::is_view_v<V>)
    if constexpr (V::rank() > 0) return V::static_extent(V::rank() - 1);
  return 0;
}

/// A View of any strides whose rows have adjacent values, as those of LayoutRight.
template <class V>
struct adjacent_rows : V {
  using array_layout = Kokkos::LayoutRight;
};

/// An array without the View type, and its own View.
template <class V>
const V& view_of(const V& v) {
  return v;
}
template <std::size_t K, class Element, class V>
const V& view_of(const row_array<K, Element, V>& rows) {
  return rows.view;
}

/// `of<K>(v)`: the rows of what is in another place, which the engines of that place define.
template <class Place>
struct rows_in_place;

/// A View as the elements that another array has.
template <class V, class Part>
Part like_rows(const V&, const Part& part) {
  return part;
}
template <std::size_t K, class Element, class V, class Part>
row_array<K, Element, Part> like_rows(const row_array<K, Element, V>&, const Part& part) {
  return {part};
}

/// The same of an array that is known by its type, at a View of other strides.
template <std::size_t K, class Element, class V, class Part>
auto rows_with_strides(std::type_identity<row_array<K, Element, V>>, const Part& part) {
  if constexpr (has_adjacent_rows<V>) return row_array<K, Element, adjacent_rows<Part>>{{part}};
  else return row_array<K, Element, Part>{part};
}

/// What the memory of an array is said to hold: its values, or rows of them.
template <class V>
struct memory_type_of {
  using type = value_of<V>;
};
template <std::size_t K, class Element, class V>
struct memory_type_of<row_array<K, Element, V>> {
  using type = row_memory<Element, value_of<V>, has_adjacent_rows<V>>;
};
template <class V>
using memory_type = typename memory_type_of<std::remove_cvref_t<V>>::type;

/// The extents of an output before it is one: a DualView need not be up to date.
template <class V>
shape view_extents(const V& v) {
  if constexpr (dual_view<V>) return describe(v.view_device()).extents;
  else return describe(v).extents;
}
template <std::size_t K, class Element, class V>
shape view_extents(const row_array<K, Element, V>& rows) {
  shape extents = view_extents(rows.view);
  extents.extent[--extents.rank] = 0;
  return extents;
}

/// Memory of values as that of their rows, which are along the last axis.
template <class M, class T>
auto rows_of(const strided<T>& values) {
  using memory = std::conditional_t<std::is_const_v<T>, const M, M>;
  const int last = values.extents.rank - 1;
  strided<memory> rows{
      {values.data, pointer_to<M>::unit == 1 ? values.stride[last] : 1}, values.extents, values.stride};
  rows.extents.extent[last] = rows.stride[last] = 0;
  rows.extents.rank = last;
  return rows;
}
template <class Exec, use Use, std::size_t K, class Element, class V>
auto as_strided(const row_array<K, Element, V>& rows, const std::string& operation) {
  return rows_of<memory_type<row_array<K, Element, V>>>(as_strided<Exec, Use>(rows.view, operation));
}

}  // namespace impl

/// The rows of a View (n, k) as n elements, each of k values: a `Kokkos::Array<T, k>`, or a trivially copyable struct
/// of k members of type T, as positions, velocities and forces of particles are:
///
/// @code
/// quern::map(exec, quern::rows<3>(v), kick{dt}, quern::rows<3>(v), quern::rows<3>(f), mass);
/// Kokkos::Array<double, 3> center = quern::mean(exec, quern::rows<3>(x));
/// @endcode
///
/// @tparam K      the last extent of the View; other axes are those of the elements: (m, n, k) are (m, n) elements
/// @tparam Struct the type of an element, if it is not to be a `Kokkos::Array<T, K>`: `rows<3, vec3>(v)`
/// @param  v      a View of rank 1 to 8, of any layout: the rows may be padded, as of a subview, or lie in columns, as
///                those of LayoutLeft do
///
/// Nothing is copied. As an input, `rows` stands where a lazy array may; as an output, alone or among `outputs`, in
/// `map`, `stencil`, `compact`, `copy`, and as the values of `sort_by_key` and the columns of `migrate`. A View (n)
/// beside `rows<k>(v)` has a value for each row. `sum`, `mean`, `min`, `max` and `minmax` of Arrays have a result for
/// each component, as along axis 0 of the View; results along an axis may be written to rows,
/// `sum(exec, rows<3>(out), rows<3>(x), axis{1})`, by way of scratch memory.
/// There are also rows of a DistributedView (quern/distributed/rows.hpp) and of what comes in chunks
/// (quern/chunked/rows.hpp).
/// Where LayoutRight or LayoutLeft is known from the type of the View, this decides how kernels access it: rows of
/// LayoutRight are read and written whole, those of LayoutLeft as k arrays, in packs. A View of LayoutStride is right,
/// and slower.
/// @throws Error if K is not the last extent of v
template <std::size_t K, class Struct = void, view_like V>
auto rows(const V& v) {
  using element = typename impl::row_element<K, impl::value_of<V>, Struct>::type;
  static_assert(K > 0, "quern::rows: k must be positive");
  static_assert(impl::known_rank<V>() != 0, "quern::rows: the View must have an axis of values");
  static_assert(impl::known_row<V>() == 0 || impl::known_row<V>() == K, "quern::rows: k is not the View's last extent");
  impl::check_rows(K, impl::view_extents(v));
  return row_array<K, element, V>{v};
}

}  // namespace quern

#endif
