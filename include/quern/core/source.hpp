// SPDX-FileCopyrightText: the Quern authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef QUERN_CORE_SOURCE_HPP
#define QUERN_CORE_SOURCE_HPP

/// @file
/// Arrays that kernels read by offsets: memory, or a lazy array that looks like it.

#include <quern/core/loop_nest.hpp>
#include <quern/core/operands.hpp>

namespace quern::impl {

/// The values of a lazy array by offset. Where all leaves lie in memory alike (or repeat), an offset is theirs.
/// Otherwise it is the row-major position of an element, from which those of the leaves are found by division.
template <class G, class... Leaf>
struct lazy_source {
  static constexpr int leaves = sizeof...(Leaf);
  using value_type = std::remove_cvref_t<std::invoke_result_t<const G&, typename Leaf::value_type...>>;
  G f;
  operand_tuple<Leaf...> leaf;
  row_nest<leaves> nest;
  bool alike;

  /// Reads on from an offset, as a pointer does.
  struct cursor {
    const lazy_source* source;
    std::int64_t at;
    using value_type = typename lazy_source::value_type;
    KOKKOS_FORCEINLINE_FUNCTION value_type operator[](std::int64_t i) const { return source->load(at + i); }
    KOKKOS_FORCEINLINE_FUNCTION cursor operator+(std::int64_t i) const { return {source, at + i}; }
  };
  KOKKOS_FORCEINLINE_FUNCTION cursor operator+(std::int64_t i) const { return {this, i}; }
  KOKKOS_FORCEINLINE_FUNCTION value_type operator[](std::int64_t i) const { return load(i); }

  KOKKOS_FORCEINLINE_FUNCTION value_type load(std::int64_t offset) const {
    return load(offset, std::make_index_sequence<leaves>());
  }
  template <int W>
  KOKKOS_FORCEINLINE_FUNCTION pack<value_type, W> load_pack(std::int64_t offset) const {
    return load_pack<W>(offset, std::make_index_sequence<leaves>());
  }
  /// Whether W elements from a multiple of W on are a pack of each leaf.
  template <int W>
  bool packs() const {
    return alike && [&]<std::size_t... I>(std::index_sequence<I...>) {
      return (get<I>(leaf).template packs<W>(nest.stride[I], 1) && ...);
    }(std::make_index_sequence<leaves>());
  }

 private:
  template <std::size_t... I>
  KOKKOS_FORCEINLINE_FUNCTION value_type load(std::int64_t offset, std::index_sequence<I...>) const {
    if (alike) return f(get<I>(leaf).load(offset)...);
    std::int64_t i;
    const auto o = nest.at_item(offset, nest.inner, 1, i);
    return f(get<I>(leaf).load(o.of[I])...);
  }
  template <int W, std::size_t... I>
  KOKKOS_FORCEINLINE_FUNCTION pack<value_type, W> load_pack(std::int64_t offset, std::index_sequence<I...>) const {
    return expand_packs<W>(std::index_sequence<I...>(), get<I>(leaf).template load_pack<W>(offset)...);
  }
  template <int W, std::size_t... I, class... P>
  KOKKOS_FORCEINLINE_FUNCTION pack<value_type, W> expand_packs(std::index_sequence<I...>, const P&... p) const {
    pack<value_type, W> result;
    for (int k = 0; k < W; ++k) result.value[k] = f(get<I>(leaf).template expand<W>(p, k)...);
    return result;
  }
};

/// W elements from an offset that is a multiple of W.
template <int W, class T>
KOKKOS_FORCEINLINE_FUNCTION pack<T, W> load_pack(const T* data, std::int64_t offset) {
  return *reinterpret_cast<const pack<T, W>*>(data + offset);
}
template <int W, class G, class... Leaf>
KOKKOS_FORCEINLINE_FUNCTION auto load_pack(const lazy_source<G, Leaf...>& source, std::int64_t offset) {
  return source.template load_pack<W>(offset);
}
/// Whether that is possible.
template <int W, class T>
bool holds_packs(const T* data) {
  return reinterpret_cast<std::uintptr_t>(data) % (W * sizeof(T)) == 0;
}
template <int W, class G, class... Leaf>
bool holds_packs(const lazy_source<G, Leaf...>& source) {
  return source.template packs<W>();
}

}  // namespace quern::impl

#endif
