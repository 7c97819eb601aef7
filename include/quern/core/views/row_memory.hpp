// SPDX-FileCopyrightText: the Quern authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef QUERN_CORE_VIEWS_ROW_MEMORY_HPP
#define QUERN_CORE_VIEWS_ROW_MEMORY_HPP

/// @file
/// Memory whose elements are not values but rows of values, which are as far apart as the layout says.

#include <Kokkos_Core.hpp>
#include <cstdint>
#include <quern/core/launch/pack_types.hpp>
#include <type_traits>
#include <utility>

namespace quern::impl {

/// Stands for rows of k values T in memory, each of which kernels read and write as one `Element`, in place of the type
/// that other memory holds. Adjacent: the values of a row follow each other, as those of LayoutRight do, which is then
/// known when compiling; else they are at a distance that is the same for all rows.
template <class Element, class T, bool Adjacent>
struct row_memory {
  Element element;
};

template <class M>
inline constexpr bool is_row_memory = false;
template <class Element, class T, bool Adjacent>
inline constexpr bool is_row_memory<row_memory<Element, T, Adjacent>> = true;
template <class Element, class T, bool Adjacent>
inline constexpr bool is_row_memory<const row_memory<Element, T, Adjacent>> = true;

/// An element of rows of which `component(c)` are the values.
template <class Element, class T, class Component, std::size_t... C>
KOKKOS_FORCEINLINE_FUNCTION Element make_row(const Component& component, std::index_sequence<C...>) {
  const Kokkos::Array<T, sizeof...(C)> values{component(C)...};
  if constexpr (std::is_same_v<Element, Kokkos::Array<T, sizeof...(C)>>) return values;
  else return Kokkos::bit_cast<Element>(values);
}

/// The values of an element.
template <class T, class Element>
KOKKOS_FORCEINLINE_FUNCTION auto row_values(const Element& element) {
  using values = Kokkos::Array<T, sizeof(Element) / sizeof(T)>;
  if constexpr (std::is_same_v<Element, values>) return element;
  else return Kokkos::bit_cast<values>(element);
}

/// W rows as packs of each component, as they are read and as they are written.
template <class Element, class T, int W>
struct row_pack {
  static constexpr std::size_t components = sizeof(Element) / sizeof(T);
  loaded_pack<T, W> component[components];
  KOKKOS_FORCEINLINE_FUNCTION Element operator[](int k) const {
    return make_row<Element, T>([&](std::size_t c) { return component[c][k]; }, std::make_index_sequence<components>());
  }
};

template <class Element, class T, int W>
struct written_rows {
  static constexpr std::size_t components = sizeof(Element) / sizeof(T);
  pack<T, W> component[components];
  KOKKOS_FORCEINLINE_FUNCTION void set(int k, const Element& element) {
    const auto values = row_values<T>(element);
    for (std::size_t c = 0; c < components; ++c) component[c].value[k] = values[c];
  }
};

/// What a pointer is to other memory. Offsets count values T, which may be const.
template <class Element, class T, bool Adjacent>
struct row_pointer {
  using value_type = Element;
  using component = std::remove_const_t<T>;
  static constexpr std::size_t components = sizeof(Element) / sizeof(T);
  /// The distance of rows that leave no gaps.
  static constexpr std::int64_t unit = Adjacent ? static_cast<std::int64_t>(components) : 1;
  static constexpr bool are_arrays = Adjacent && std::is_same_v<Element, Kokkos::Array<component, components>>;
  using numbers = std::make_index_sequence<components>;

  T* data = nullptr;
  std::int64_t apart = 1;  // the values of a row

  KOKKOS_FORCEINLINE_FUNCTION T& at(std::int64_t offset, std::size_t c) const {
    return data[offset + static_cast<std::int64_t>(c) * (Adjacent ? 1 : apart)];
  }
  KOKKOS_FORCEINLINE_FUNCTION Element load(std::int64_t offset) const {
    return make_row<Element, component>([&](std::size_t c) { return at(offset, c); }, numbers());
  }
  KOKKOS_FORCEINLINE_FUNCTION void store(std::int64_t offset, const Element& element) const {
    if constexpr (std::is_same_v<Element, Kokkos::Array<component, components>>) store(offset, element, numbers());
    else store(offset, row_values<component>(element), numbers());
  }
  /// Without a loop, which compilers need not unroll.
  template <class Values, std::size_t... C>
  KOKKOS_FORCEINLINE_FUNCTION void store(std::int64_t offset, const Values& values, std::index_sequence<C...>) const {
    ((at(offset, C) = values[C]), ...);
  }
  template <int W>
  KOKKOS_FORCEINLINE_FUNCTION auto load_packs(std::int64_t offset) const {
    row_pack<Element, component, W> p;
    for (std::size_t c = 0; c < components; ++c)
      p.component[c] = *reinterpret_cast<const loaded_pack<component, W>*>(&at(offset, c));
    return p;
  }

  template <int W>
  KOKKOS_FORCEINLINE_FUNCTION void store_packs(std::int64_t offset,
                                               const written_rows<Element, component, W>& p) const {
    for (std::size_t c = 0; c < components; ++c)
      *reinterpret_cast<pack<component, W>*>(&at(offset, c)) = p.component[c];
  }

  /// A row in memory that is written, and may be read.
  struct reference {
    row_pointer to;
    KOKKOS_FORCEINLINE_FUNCTION const reference& operator=(const Element& element) const {
      to.store(0, element);
      return *this;
    }
    KOKKOS_FORCEINLINE_FUNCTION operator Element() const { return to.load(0); }
  };
  KOKKOS_FORCEINLINE_FUNCTION auto operator[](std::int64_t offset) const {
    if constexpr (std::is_const_v<T>) return load(offset);
    else return reference{*this + offset};
  }
  KOKKOS_FORCEINLINE_FUNCTION auto operator*() const { return (*this)[0]; }
  KOKKOS_FORCEINLINE_FUNCTION row_pointer operator+(std::int64_t offset) const { return {data + offset, apart}; }
  KOKKOS_FORCEINLINE_FUNCTION row_pointer& operator+=(std::int64_t offset) {
    data += offset;
    return *this;
  }
  operator const void*() const { return data; }
  template <class Const>
    requires(!std::is_const_v<T> && std::is_same_v<Const, const T>)
  operator row_pointer<Element, Const, Adjacent>() const {
    return {data, apart};
  }

  /// As a source that kernels read by offsets. Rows are no packs.
  template <int W>
  KOKKOS_FORCEINLINE_FUNCTION pack<Element, W> load_pack(std::int64_t offset) const {
    pack<Element, W> p;
    for (int k = 0; k < W; ++k) p.value[k] = load(offset + k * unit);
    return p;
  }
  template <int W>
  bool holds_packs() const {
    return W == 1;
  }
  bool reads(const void* memory) const { return data == memory; }
};

/// Rows without gaps, counted one by one, as host loops read and write them.
template <class Pointer>
struct row_run {
  Pointer first;
  auto operator[](std::int64_t k) const { return first[k * Pointer::unit]; }
};

/// Rows whose components are contiguous, each in a column.
template <class Pointer>
struct row_columns {
  Pointer first;
  const auto* column(std::size_t c) const { return &first.at(0, c); }
  row_columns& operator+=(std::int64_t n) {
    first += n;
    return *this;
  }
};

template <class Element, class T>
row_columns<row_pointer<Element, T, false>> columns_from(const row_pointer<Element, T, false>& first) {
  return {first};
}

/// How memory is accessed that is said to hold T: its pointer, the type of what kernels read and write, and the type
/// that decides on the width of packs.
template <class T>
struct memory_of {
  using pointer = T*;
  using value = std::remove_const_t<T>;
  using pack_type = value;
};
struct packs_of_one {
  std::byte bytes[3];
};
template <class M>
  requires is_row_memory<M>
struct memory_of<M> {
  template <class Element, class T, bool Adjacent>
  static auto describe(const row_memory<Element, T, Adjacent>*) {
    return std::type_identity<row_pointer<Element, std::conditional_t<std::is_const_v<M>, const T, T>, Adjacent>>();
  }
  using pointer = typename decltype(describe(static_cast<const M*>(nullptr)))::type;
  using value = typename pointer::value_type;
  using pack_type = std::conditional_t<pointer::unit == 1, typename pointer::component, packs_of_one>;
};
template <class T>
using pointer_to = typename memory_of<T>::pointer;
/// What memory of T holds: the values that are read from it and written to it.
template <class T>
using stored = typename memory_of<T>::value;

}  // namespace quern::impl

#endif
