// SPDX-FileCopyrightText: the Quern authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef QUERN_CORE_VIEWS_SOURCE_HPP
#define QUERN_CORE_VIEWS_SOURCE_HPP

/// @file
/// Sources that kernels read by offsets: memory, or a lazy array by the same operators.

#include <quern/core/launch/loop_nest.hpp>
#include <quern/core/launch/operations.hpp>
#include <quern/core/views/operands.hpp>

namespace quern::impl {

/// The values of a lazy array by offset. `Common`: its leaves have equal strides, or repeat one value, and an offset is
/// that of all of them. Otherwise it is the row-major position of an element, from which the leaves' offsets are found
/// by division.
template <bool Common, class G, class... Leaf>
struct lazy_source {
  static constexpr int leaves = sizeof...(Leaf);
  using value_type = std::remove_cvref_t<std::invoke_result_t<const G&, typename Leaf::value_type...>>;
  using numbers = std::make_index_sequence<leaves>;
  G g;
  operand_tuple<Leaf...> leaf;
  std::conditional_t<Common, std::tuple<>, row_nest<leaves>> nest;

  /// Reads on from an offset, as a pointer does.
  struct cursor {
    using value_type = typename lazy_source::value_type;
    const lazy_source* source;
    std::int64_t at;
    KOKKOS_FORCEINLINE_FUNCTION value_type operator[](std::int64_t i) const { return (*source)[at + i]; }
    KOKKOS_FORCEINLINE_FUNCTION cursor operator+(std::int64_t i) const { return {source, at + i}; }
    template <int W>
    KOKKOS_FORCEINLINE_FUNCTION auto load_pack(std::int64_t i) const {
      return source->template load_pack<W>(at + i);
    }
  };
  KOKKOS_FORCEINLINE_FUNCTION cursor operator+(std::int64_t i) const { return {this, i}; }
  KOKKOS_FORCEINLINE_FUNCTION value_type operator[](std::int64_t offset) const { return value(offset, numbers()); }

  /// W elements from an offset that is a multiple of W, where the source holds packs; a single one from any offset.
  template <int W>
  KOKKOS_FORCEINLINE_FUNCTION pack<value_type, W> load_pack(std::int64_t offset) const {
    if constexpr (W == 1) return {{value(offset, numbers())}};
    else return pack_of<W>(offset, numbers());
  }
  template <int W>
  bool holds_packs() const {
    constexpr std::int64_t along[max_rank] = {1};
    return Common && all_leaves([&](const auto& l) { return l.template packs<W>(along, 1); });
  }
  /// Whether a leaf begins where that memory does.
  bool reads(const void* memory) const {
    return !all_leaves([&](const auto& l) {
      if constexpr (requires { l.data; }) return static_cast<const void*>(l.data) != memory;
      else return true;
    });
  }

 private:
  template <class Test>
  bool all_leaves(const Test& test) const {
    return [&]<std::size_t... I>(std::index_sequence<I...>) { return (test(get<I>(leaf)) && ...); }(numbers());
  }
  template <std::size_t... I>
  KOKKOS_FORCEINLINE_FUNCTION value_type value(std::int64_t offset, std::index_sequence<I...>) const {
    if constexpr (Common) {
      return g(get<I>(leaf).load(get<I>(leaf).step == 0 ? 0 : offset)...);
    } else {
      std::int64_t i;
      const auto o = nest.at_item(offset, nest.inner, 1, i);
      return g(get<I>(leaf).load(o.of[I])...);
    }
  }
  template <int W, std::size_t... I>
  KOKKOS_FORCEINLINE_FUNCTION pack<value_type, W> pack_of(std::int64_t offset, std::index_sequence<I...> all) const {
    return expand<W>(all, get<I>(leaf).template load_pack<W>(get<I>(leaf).step == 0 ? 0 : offset)...);
  }
  template <int W, std::size_t... I, class... P>
  KOKKOS_FORCEINLINE_FUNCTION pack<value_type, W> expand(std::index_sequence<I...>, const P&... p) const {
    pack<value_type, W> result;
    for (int k = 0; k < W; ++k) result.value[k] = g(get<I>(leaf).template expand<W>(p, k)...);
    return result;
  }
};

/// The type of what a source gives.
template <class Source>
struct source_value {
  using type = typename Source::value_type;
};
template <class T>
struct source_value<T*> {
  using type = std::remove_const_t<T>;
};
template <class Source>
using source_value_t = typename source_value<Source>::type;

template <int W, class Source>
KOKKOS_FORCEINLINE_FUNCTION auto load_pack(const Source& source, std::int64_t offset) {
  if constexpr (std::is_pointer_v<Source>)
    return *reinterpret_cast<const pack<source_value_t<Source>, W>*>(source + offset);
  else return source.template load_pack<W>(offset);
}
template <int W, class Source>
bool holds_packs(const Source& source) {
  if constexpr (std::is_pointer_v<Source>) return reinterpret_cast<std::uintptr_t>(source) % (W * sizeof(*source)) == 0;
  else return source.template holds_packs<W>();
}
template <class Source>
bool reads(const Source& source, const void* memory) {
  if constexpr (std::is_pointer_v<Source>) return source == memory;
  else return source.reads(memory);
}

/// N elements in memory: where they are, or computed into `room`.
template <class T>
KOKKOS_FORCEINLINE_FUNCTION const T* read_block(const T* from, T*, int) {
  return from;
}
template <class Cursor>
KOKKOS_FORCEINLINE_FUNCTION auto* read_block(const Cursor& from, typename Cursor::value_type* room, int n) {
  for (int k = 0; k < n; ++k) room[k] = from[k];
  return room;
}

/// Whether offsets are those of the leaves.
template <class Source>
inline constexpr bool reads_common_offset = true;
template <class G, class... Leaf>
inline constexpr bool reads_common_offset<lazy_source<false, G, Leaf...>> = false;

/// The leaf of a source, with other extents and strides.
template <class T>
array_input<T> leaf_input(const array_operand<const T>& leaf, const strided<const void>& as) {
  array_input<T> in{{leaf.data, as.extents, {}}};
  if (leaf.step != 0) in.array.stride = as.stride;
  return in;
}
template <class T>
scalar_input<T> leaf_input(const scalar_operand<T>& leaf, const strided<const void>& as) {
  return {leaf.value, {nullptr, as.extents, {}}};
}
inline position_input leaf_input(const position_operand&, const strided<const void>& as) {
  return {{nullptr, as.extents, as.stride}};
}
template <class Source>
mapped_input<Source> leaf_input(const mapped_operand<Source>& leaf, const strided<const void>& as) {
  mapped_input<Source> in{leaf.source, leaf.first, {nullptr, as.extents, {}}, {}};
  if (leaf.step != 0) in.array.stride = as.stride;
  return in;
}
/// Calls `run(g, leaf...)` with the leaves of a source that reads them by a common offset.
template <class T, class Run>
void with_leaves_of(const T* data, const strided<const void>& as, const Run& run) {
  run(op::identity(), array_input<T>{{data, as.extents, as.stride}});
}
template <class G, class... Leaf, class Run>
void with_leaves_of(const lazy_source<true, G, Leaf...>& source, const strided<const void>& as, const Run& run) {
  [&]<std::size_t... I>(std::index_sequence<I...>) {
    run(source.g, leaf_input(get<I>(source.leaf), as)...);
  }(std::index_sequence_for<Leaf...>());
}

/// A source with extents and strides, as `strided` is for memory.
template <class Source>
struct source_array {
  using value_type = typename Source::value_type;
  Source data;
  shape extents;
  Kokkos::Array<std::int64_t, max_rank> stride;
};

/// Whether a leaf has these strides; those of one that repeats one value are 0.
template <class Leaf>
bool has_strides(const Leaf& leaf, const stride_array& stride) {
  for (int d = 0; d < leaf.array.extents.rank; ++d)
    if (leaf.array.extents.extent[d] > 1 && leaf.array.stride[d] != stride[d]) return false;
  return true;
}

/// Memory, as what kernels read by offsets.
template <class T>
strided<const T> as_source(const expanded<leaf_part, array_input<T>>& in) {
  return std::get<0>(in.leaves).array;
}

/// Whether the leaves of an operand have equal strides, or repeat one value.
template <class Part, class... Leaf>
bool have_equal_strides(const expanded<Part, Leaf...>& in) {
  return unpack(
      [](const auto&... leaf) {
        const std::array<Kokkos::Array<std::int64_t, max_rank>, sizeof...(Leaf)> strides{leaf.array.stride...};
        return ((has_strides(leaf, strides[leading_input(leaf...)]) || has_strides(leaf, stride_array{})) && ...);
      },
      in.leaves);
}

template <bool Common, class T>
strided<const T> make_source(const expanded<leaf_part, array_input<T>>& in) {
  return as_source(in);
}
template <bool Common, class G, class... Leaf>
auto make_source(const expanded<G, Leaf...>& in) {
  return unpack(
      [&](const auto&... leaf) {
        using source = lazy_source<Common, G, typename Leaf::operand...>;
        constexpr int n = sizeof...(Leaf);
        const shape& extents = std::get<0>(in.leaves).array.extents;
        const std::array<Kokkos::Array<std::int64_t, max_rank>, n> strides{leaf.array.stride...};
        const auto of = [&](const auto& nest) {
          return source{in.part, {{leaf.at_step(has_strides(leaf, stride_array{}) ? 0 : 1)}...}, nest};
        };
        if constexpr (Common) return source_array<source>{of(std::tuple<>()), extents, strides[leading_input(leaf...)]};
        else
          return source_array<source>{of(row_nest<n>(row_major_nest<n>(extents, strides))), extents,
                                      row_major_strides(extents)};
      },
      in.leaves);
}

template <bool Common, class Leaf>
auto make_source(const expanded<leaf_part, Leaf>& in) {
  return make_source<Common>(expanded<op::identity, Leaf>{{}, in.leaves});
}

template <class Operand>
inline constexpr bool is_memory = false;
template <class T>
inline constexpr bool is_memory<expanded<leaf_part, array_input<T>>> = true;

/// Calls `run` with operands as what kernels read by offsets. Where the leaves of each have equal strides, they are
/// read by a common offset: that is decided once, here, since a kernel that decides for each value takes more registers
/// and time.
template <class Run, class... Operand>
void with_sources(const Run& run, const Operand&... in) {
  if constexpr ((is_memory<Operand> && ...)) return run(as_source(in)...);
  else if (((is_memory<Operand> || have_equal_strides(in)) && ...)) run(make_source<true>(in)...);
  else run(make_source<false>(in)...);
}

}  // namespace quern::impl

#endif
