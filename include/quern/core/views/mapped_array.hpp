// SPDX-FileCopyrightText: the Quern authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef QUERN_CORE_VIEWS_MAPPED_ARRAY_HPP
#define QUERN_CORE_VIEWS_MAPPED_ARRAY_HPP

#include <array>
#include <bit>
#include <quern/core/launch/arguments.hpp>
#include <quern/core/launch/pack.hpp>
#include <quern/core/views/index_maps.hpp>
#include <quern/core/views/strided_array.hpp>
#include <tuple>
#include <utility>

namespace quern {
namespace impl {

/// What an array is to an operand that reads it: its elements, indices of them, or where wrong indices are counted.
enum class source_role { elements, indices, info };
struct source_bytes {
  array_bytes bytes;
  source_role role = source_role::elements;
};
/// The arrays that an operand reads or writes.
inline constexpr std::size_t max_sources = 4;
using source_memory = std::array<source_bytes, max_sources>;

/// Rejects an output that shares memory with one of them; `name` is the operand's.
void check_sources_apart(const std::string& label, const array_bytes& out, const source_memory& memory,
                         std::string_view name);

/// What a host loop reads of a source, at any step.
template <class Source>
struct source_reader {
  const Source* source;
  std::int64_t at, step;
  typename Source::value_type operator[](std::int64_t k) const { return source->load(at + k * step); }
};

/// Elements of a source `step` addresses apart.
template <int Count, class Source>
KOKKOS_FORCEINLINE_FUNCTION void load_each(const Source& source, std::int64_t at, std::int64_t step,
                                           typename Source::value_type (&v)[Count]) {
  for (int k = 0; k < Count; ++k) v[k] = source.load(at + k * step);
}
/// Where their indices stand in memory, these are loaded first, as many as registers hold: a thread that loads an index
/// and its element in turns waits for each.
template <int Count, class Inner, class Indices>
KOKKOS_FORCEINLINE_FUNCTION void load_each(const axis_source<Inner, take_map<Indices>>& source, std::int64_t at,
                                           std::int64_t step, typename Inner::value_type (&v)[Count]) {
  constexpr int some = Count % 8 == 0 ? 8 : Count;
  for (int first = 0; first < Count; first += some) {
    typename Indices::value_type index[some];
    for (int k = 0; k < some; ++k) index[k] = source.map.indices.load(source.index(at + (first + k) * step));
    for (int k = 0; k < some; ++k)
      v[first + k] = source.inner.load(source.others(at + (first + k) * step) +
                                       index_by_mode(index[k], source.map.n, source.map.mode) * source.stride);
  }
}

/// Packs from several addresses.
template <int W, class Source, int Count>
KOKKOS_FORCEINLINE_FUNCTION void load_each_pack(const Source& source, const std::int64_t (&at)[Count],
                                                pack<typename Source::value_type, W> (&v)[Count]) {
  for (int u = 0; u < Count; ++u) v[u] = source.template load_pack<W>(at[u]);
}
template <int W, class Inner, class Indices, int Count>
KOKKOS_FORCEINLINE_FUNCTION void load_each_pack(const axis_source<Inner, take_map<Indices>>& source,
                                                const std::int64_t (&at)[Count],
                                                pack<typename Inner::value_type, W> (&v)[Count]) {
  typename Indices::value_type index[Count];
  for (int u = 0; u < Count; ++u) index[u] = source.map.indices.load(source.index(at[u]));
  for (int u = 0; u < Count; ++u)
    v[u] = source.inner.template load_pack<W>(source.others(at[u]) +
                                              index_by_mode(index[u], source.map.n, source.map.mode) * source.stride);
}

/// An operand of kernels whose offsets are addresses of a source, counted from the first.
template <class Source>
struct mapped_operand {
  using value_type = typename Source::value_type;
  using pack_type = value_type;
  static constexpr int components = 1;
  static constexpr std::int64_t unit = 1;
  Source source;
  std::int64_t first;
  std::int64_t step;
  int together;  // how many addresses from a multiple of that number on are an aligned pack

  mapped_operand with_step(std::int64_t other) const { return {source, first, other, together}; }
  static bool gathers(std::int64_t) { return false; }
  template <int W>
  bool packs(const std::int64_t (&stride)[max_rank], int rank) const {
    return step == 0 || (step == 1 && together % W == 0 && first % W == 0 && packs_at<W>(stride + 1, rank - 1));
  }
  template <int W>
  bool packs_at(const std::int64_t* stride, int rank) const {
    return step == 0 || are_multiples<W>(stride, rank);
  }
  template <int W>
  static bool components_align() {
    return true;
  }
  template <int W>
  KOKKOS_FUNCTION int phase(std::int64_t) const {
    return -1;
  }
  KOKKOS_FORCEINLINE_FUNCTION value_type load(std::int64_t offset) const { return source.load(first + offset); }
  /// A pack where there is one, and else elements one by one, wherever they are.
  template <int W>
  KOKKOS_FORCEINLINE_FUNCTION pack<value_type, W> load_pack(std::int64_t offset) const {
    if constexpr (W > 1)
      if (step == 1 && together % W == 0 && (first + offset) % W == 0)
        return source.template load_pack<W>(first + offset);
    pack<value_type, W> p;
    load_elements(p.value, offset, step);
    return p;
  }
  /// Elements `distance` addresses apart.
  template <int Count>
  KOKKOS_FORCEINLINE_FUNCTION void load_elements(value_type (&v)[Count], std::int64_t offset,
                                                 std::int64_t distance) const {
    if constexpr (Count > 1 && Source::has_strides) {
      if (const auto found = source.strided(first + offset, distance, Count); found.count > 0) {
        for (int k = 0; k < Count; ++k) v[k] = found.data[k * found.step];
        return;
      }
    }
    load_each(source, first + offset, distance, v);
  }
  template <int W>
  KOKKOS_FORCEINLINE_FUNCTION value_type expand(const pack<value_type, W>& p, int k) const {
    return p.value[k];
  }
  source_reader<Source> strided_from(std::int64_t offset) const { return {&source, first + offset, step}; }
  source_run<value_type> run(std::int64_t offset, std::int64_t count) const {
    return source.run(first + offset, step, count);
  }
  void gather(std::int64_t offset, std::int64_t count, value_type* to) const {
    source.gather(first + offset, step, count, to);
  }
};

/// Single elements at equal distances are found together.
template <int W, std::size_t Which, int Count, class Source, class Offsets>
KOKKOS_FUNCTION auto load_packs(const mapped_operand<Source>& operand, const Offsets (&o)[Count]) {
  packs_of<pack<typename Source::value_type, W>, Count> p;
  if constexpr (W == 1 && Count > 1 && Source::has_strides) {
    const std::int64_t distance = o[1].of[Which] - o[0].of[Which];
    bool even = true;
    for (int u = 2; u < Count; ++u) even = even && o[u].of[Which] - o[u - 1].of[Which] == distance;
    if (even) {
      typename Source::value_type v[Count];
      operand.load_elements(v, o[0].of[Which], distance);
      for (int u = 0; u < Count; ++u) p.at[u].value[0] = v[u];
      return p;
    }
  }
  if constexpr (W > 1) {
    bool packed = operand.step == 1 && operand.together % W == 0;
    std::int64_t at[Count];
    for (int u = 0; u < Count; ++u) {
      at[u] = operand.first + o[u].of[Which];
      packed = packed && at[u] % W == 0;
    }
    if (packed) {
      load_each_pack<W>(operand.source, at, p.at);
      return p;
    }
  }
  for (int u = 0; u < Count; ++u) p.at[u] = operand.template load_pack<W>(o[u].of[Which]);
  return p;
}

/// An array whose elements are found by a map of indices, as an input of an operation.
template <class Source>
struct mapped_input {
  using value_type = typename Source::value_type;
  using operand = mapped_operand<Source>;
  Source source;
  std::int64_t first;
  strided<const std::byte> array;  // without a pointer, since its strides are those of addresses
  source_memory memory;
  operand at_step(std::int64_t step) const {
    int together = 16;
    while (together > 1 && !source.holds_packs(together)) together /= 2;
    return {source, first, step, together};
  }
};

template <class Leaf>
inline constexpr bool is_mapped_leaf = requires(const std::remove_cvref_t<Leaf>& leaf) { leaf.memory; };

/// Rejects an output that shares memory with a leaf of an input. What is re-indexed by a map reads other elements than
/// those that are written meanwhile.
template <class T, class Leaf>
void check_leaf_overlap(const std::string& label, const strided<T>& out, const Leaf& leaf, std::string_view name,
                        bool same_allowed) {
  if constexpr (is_mapped_leaf<Leaf>) check_sources_apart(label, out, leaf.memory, name);
  else check_overlap(label, out, leaf.array, name, same_allowed);
}

}  // namespace impl

/// The elements of arrays, found by a map of indices as they are read: made by `roll`, `take`, `remove_at`, `pad`,
/// `tile`, `repeat`, and by `reshape` where strides do not lead to them. An input of every operation that reads element
/// by element. It keeps the Views, and so their memory, alive.
template <class Source, int Rank, class... Owner>
struct mapped_array {
  Source source;
  shape extents;
  impl::stride_array stride;  // of addresses
  std::int64_t first;         // the address of the first element
  std::tuple<Owner...> owners;
  impl::source_memory memory;
};

namespace impl {

/// A mapped array as an input of operations on `Exec`.
template <class Exec, class Source, int Rank, class... Owner>
mapped_input<Source> mapped_leaf(const mapped_array<Source, Rank, Owner...>& v) {
  static_assert((view_traits<Owner>::template accessible<Exec> && ...),
                "quern: an input is not accessible from the execution space");
  return {v.source, v.first, {nullptr, v.extents, v.stride}, v.memory};
}

/// The part of an array from index `first` along an axis, `n` of them, and its last elements, as those of memory.
template <class Source, int Rank, class... Owner>
mapped_array<Source, Rank, Owner...> part_along(mapped_array<Source, Rank, Owner...> a, int d, std::int64_t first,
                                                std::int64_t n) {
  a.first += first * a.stride[d];
  a.extents.extent[d] = n;
  return a;
}
template <class Source, int Rank, class... Owner>
mapped_array<Source, Rank, Owner...> last_of(mapped_array<Source, Rank, Owner...> a, int axis, bool all_axes) {
  for (int d = 0; d < a.extents.rank; ++d)
    if (d == axis || all_axes) a = part_along(a, d, a.extents.extent[d] - 1, 1);
  return a;
}

/// An array in memory as one that a map of indices begins with.
template <class V>
auto as_mapped(const V& v) {
  if constexpr (is_mapped<V>) {
    return v;
  } else {
    const auto s = [&] {
      if constexpr (is_rows<V>) return rows_of<memory_type<V>>(describe(view_of(v)));
      else return describe(v);
    }();
    using owner = std::remove_cvref_t<decltype(owner_of(view_of(v)))>;
    using source = memory_source<memory_type<V>>;
    return mapped_array<source, rank_of<V>, owner>{
        source{s.data}, s.extents, s.stride, 0, {owner_of(view_of(v))}, {source_bytes{array_bytes(s)}}};
  }
}

/// How many bits hold the numbers from 0 to `last`.
inline int bits_of(std::int64_t last) { return std::bit_width(static_cast<std::uint64_t>(last < 0 ? 0 : last)); }

/// The layout of an array whose index along an axis has n values, which are mapped to those that it had: in `first`
/// and `bits` what an `axis_source` needs.
index_layout mapped_layout(const std::string& label, const index_layout& inner, int axis, std::int64_t n,
                           std::int64_t& first, index_bits& bits);

template <class Source, int Rank, class... Owner, class Map, class... More>
auto map_axis(const std::string& label, const mapped_array<Source, Rank, Owner...>& v, int axis, const Map& map,
              std::int64_t n, const More&... more) {
  using source = axis_source<Source, Map>;
  static_assert(sizeof...(Owner) + sizeof...(More) <= max_sources,
                "quern: an operand that is re-indexed so often reads too many arrays; write some to a View first");
  source s{v.source, map, 0, v.stride[axis], {}};
  const index_layout to = mapped_layout(label, {v.extents, v.stride, v.first}, axis, n, s.first, s.bits);
  source_memory memory = v.memory;
  [[maybe_unused]] std::size_t number = sizeof...(Owner);
  [[maybe_unused]] source_role role = source_role::indices;
  ((memory[number++] = {array_bytes(describe(more)), std::exchange(role, source_role::info)}), ...);
  return mapped_array<source, Rank, Owner..., std::remove_cvref_t<decltype(owner_of(more))>...>{
      s, to.extents, to.stride, to.first, std::tuple_cat(v.owners, std::tuple(owner_of(more)...)), memory};
}

/// Elements that are read by their row-major positions.
template <class Source>
row_major_source<Source> by_row_major_positions(const Source& source, const index_layout& l) {
  const loop_nest<1> nest = row_major_nest<1>(l.extents, {l.stride});
  row_major_source<Source> s{source, l.first, nest.rank, l.extents.size() < (std::int64_t{1} << 31), {}, {}};
  for (int d = 0; d < nest.rank; ++d) {
    s.extent[d] = nest.extent[d];
    s.stride[d] = nest.stride[0][d];
  }
  return s;
}
/// An array with its elements in row-major order along one axis.
template <class Source, int Rank, class... Owner>
auto in_row_major_order(const mapped_array<Source, Rank, Owner...>& v) {
  return mapped_array<row_major_source<Source>, 1, Owner...>{
      by_row_major_positions(v.source, {v.extents, v.stride, v.first}), {v.extents.size()}, {1}, 0, v.owners, v.memory};
}

}  // namespace impl
}  // namespace quern

#endif
