// SPDX-FileCopyrightText: the Quern authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef QUERN_MAP_HOST_MAP_HPP
#define QUERN_MAP_HOST_MAP_HPP

#include <quern/core/launch/ivdep.hpp>
#include <quern/core/launch/launch_units.hpp>
#include <quern/core/launch/nontemporal_store.hpp>
#include <quern/core/launch/operand_runs.hpp>
#include <quern/core/launch/readers.hpp>
#include <quern/core/views/row_copies.hpp>
#include <quern/map/mapped_elements.hpp>
#include <quern/map/transpose_tile.hpp>
#include <quern/map/transposing.hpp>

namespace quern::impl {

struct block_tag {};       // a work item is a block of a row
struct transposed_tag {};  // a work item is a tile of several rows
struct rows_tag {};        // a work item is several rows, which are shorter than a block
struct alike_rows_tag {};  // the same of rows for which what is read is chosen at once

/// What a host loop writes of contiguous elements.
template <class T>
using run_of = decltype(std::declval<const array_operand<T>&>().contiguous_from(0));
template <class Pointer>
std::int64_t elements_to_line(const row_run<Pointer>&) {
  return 0;
}
/// Whether a host loop writes rows whose values follow each other.
template <class Run>
inline constexpr bool writes_adjacent_rows = false;
template <class Element, class T>
inline constexpr bool writes_adjacent_rows<row_run<row_pointer<Element, T, true>>> = true;

/// A map on a host, block by block.
template <class Work>
struct host_map;
template <class Exec, class F, class... T, class... In>
struct host_map<mapped_elements<Exec, F, map_output<T...>, In...>> {
  using work_type = mapped_elements<Exec, F, map_output<T...>, In...>;
  static constexpr int outputs = work_type::outputs, operands = work_type::operands;
  using tune = map_tuning<Exec>;
  static constexpr std::int64_t block = tune::block_bytes / static_cast<std::int64_t>(work_type::largest_value);
  static constexpr std::int64_t spread = 64;  // elements that a value which repeats is spread over
  static constexpr std::int64_t tile = tune::largest_tile;
  using offsets = typename work_type::offsets;
  static constexpr bool streams = !(is_row_memory<T> || ...);  // whether outputs may be written past the caches
  static constexpr bool copies_elements = std::is_same_v<F, op::identity> && outputs == 1 &&
                                          (std::is_same_v<std::tuple<array_operand<const T>...>, std::tuple<In...>> &&
                                           ((std::is_trivially_copyable_v<T> && transposes_size(sizeof(T))) && ...)) &&
                                          streams;
  /// Whether it copies elements that are found by maps of indices.
  static constexpr bool copies_found = std::is_same_v<F, op::identity> && streams && (has_runs<In> || ...) &&
                                       std::is_same_v<std::tuple<T...>, std::tuple<typename In::value_type...>>;
  static constexpr bool narrow = ((sizeof(T) <= 2) && ...);
  /// Whether what loops over short rows read is chosen once for many of them: of narrow numbers, of which a vector
  /// holds a whole row, and of others for one or two inputs, as each choice takes time to compile.
  static constexpr bool chooses_for_rows = outputs == 1 && (std::is_arithmetic_v<T> && ...) &&
                                           (narrow || sizeof...(In) <= 2) && !takes_several<F> &&
                                           !(has_runs<In> || ...);
  /// Such rows: of two inputs even the shortest, as one of them may repeat. (bench_short_rows)
  static constexpr std::int64_t shortest_alike_row = !narrow && sizeof...(In) == 2 ? 2 : 8, longest_alike_row = 127;

  work_type work;
  std::int64_t length = block;     // of a work item of a row
  std::int64_t per_row = 0;        // work items of a row
  std::int64_t rows_together = 1;  // rows of a work item, where they are short
  bool nontemporal = false;        // written past the caches
  bool gathers = false;            // elements of a row are not contiguous

  /// Elements up to the next cache line come first: vectors that cross lines cost up to 7 % even in a loop that waits
  /// for memory.
  template <std::size_t... J, class... P>
  static void loop(std::int64_t n, const F& g, std::index_sequence<J...>, run_of<T>... to, P... from) {
    in_loop<F> local = g;  // what the loop reads must not be what it might write
    constexpr bool makes_rows = outputs == 1 && (writes_adjacent_rows<run_of<T>> && ...) &&
                                std::is_trivially_copyable_v<decltype(local(from[0]...))>;
    if constexpr (makes_rows) return loop_of_rows(n, local, to..., from...);
    std::int64_t k = 0;
    for (const std::int64_t end : {Kokkos::min(n, elements_to_line(nth<0>(to...))), n}) {
      if constexpr (takes_several<F>)
        for (; k + F::together <= end; k += F::together) local.apply(to..., from..., k);
      // Equal pointers are the only overlap that map allows, so no iteration depends on another.
      k = independent_loop(k, end, [&](std::int64_t i) {
        const auto r = local(from[i]...);
        ((to[i] = converted<stored<T>>(map_output<T...>::template part<J>(r))), ...);
      });
    }
  }

  /// Rows are made some at a time, and then written. With -O2, g++ leaves an Array in memory that a functor fills in a
  /// loop, and copies two values by one instruction, which waits for both stores to end if it follows at once: that
  /// made a map of rows four times as slow. With -O3 both loops are vectorized. (The two Arrays of two outputs, made
  /// in one place, g++ does not vectorize: those are written one by one.)
  template <class To, class... P>
  static void loop_of_rows(std::int64_t n, const F& g, To to, P... from) {
    using result = std::remove_cvref_t<decltype(g(from[0]...))>;
    constexpr std::int64_t several = 32;
    alignas(result) std::byte memory[several * sizeof(result)];
    auto* const made = reinterpret_cast<result*>(memory);
    for (std::int64_t begin = 0; begin < n; begin += several) {
      const std::int64_t count = Kokkos::min(several, n - begin);
      QUERN_IMPL_IVDEP
      for (std::int64_t k = 0; k < count; ++k) ::new (made + k) result(g(from[begin + k]...));
      QUERN_IMPL_IVDEP
      for (std::int64_t k = 0; k < count; ++k) to[begin + k] = converted<stored<T>...>(made[k]);
    }
  }

  /// Copies what lies in the opposite order, in a loop of vector instructions.
  template <class Operand>
  bool copy_backwards(const offsets& o, std::int64_t n, const Operand& in) const {
    if constexpr (requires { requires std::is_pointer_v<decltype(in.contiguous_from(0))>; }) {
      const auto& out = get<0>(work.out.array);
      if (in.step != -1 || out.step != 1) return false;
      const auto* const last = in.contiguous_from(o.of[1] - n + 1);
      auto* const to = out.contiguous_from(o.of[0]);
      independent_loop(0, n, [&](std::int64_t k) {
        to[k] = converted<std::tuple_element_t<0, std::tuple<stored<T>...>>>(work.f(last[n - 1 - k]));
      });
      return true;
    } else {
      return false;
    }
  }

  /// Elements of one row, n of them, and at most a block of those that are written past the caches.
  template <std::size_t... J, std::size_t... I>
  void compute_block(const offsets& o, std::int64_t n, std::index_sequence<J...> outs,
                     std::index_sequence<I...>) const {
    if (gathers) {
      if constexpr (std::is_same_v<F, op::identity> && (std::is_pointer_v<run_of<T>> && ...) && sizeof...(J) == 1)
        if (copy_backwards(o, n, get<I>(work.in)...)) return;
      for (std::int64_t k = 0; k < n; ++k)
        work.out.put(o, k, work.f(get<I>(work.in).strided_from(o.of[outputs + I])[k]...));
      return;
    }
    if constexpr (copies_found)
      if (!nontemporal)
        return (copy_elements(get<I>(work.in).source, get<I>(work.in).first + o.of[1 + I], get<I>(work.in).step, n,
                              get<J>(work.out.array).contiguous_from(o.of[J])),
                ...);
    alignas(64) std::byte buffer[outputs][tune::block_bytes];
    // From element `done` on, of operands that begin at their offsets.
    const auto write_block = [&](std::int64_t done, std::int64_t many, const std::int64_t* offset, const auto&... in) {
      with_readers<spread>(
          [&](std::int64_t k, std::int64_t count, const auto&... from) {
            loop(count, work.f, outs, target<T>(get<J>(work.out.array), o.of[J], buffer[J], done + k)..., from...);
          },
          many, many, std::tuple<decltype(in)...>(in...), offset);
    };
    const std::int64_t* const from = o.of + outputs;
    if constexpr ((has_runs<In> || ...)) write_runs(n, from, std::index_sequence<I...>(), write_block);
    else write_block(0, n, from, get<I>(work.in)...);
    if constexpr (streams)
      if (nontemporal) (nontemporal_store(get<J>(work.out.array).data + o.of[J], buffer[J], n * sizeof(T)), ...);
  }
  /// Writes a block run by run, where elements that are found by maps of indices are at equal distances, or gathered.
  template <std::size_t... I, class Write>
  void write_runs(std::int64_t n, const std::int64_t* from, std::index_sequence<I...>, const Write& write) const {
    operand_tuple<gathered_elements<In>...> rooms;
    for (std::int64_t k = 0, count = 0; k < n; k += count) {
      count = n - k;
      const std::tuple runs{run_at(get<I>(work.in), from[I], k, count, get<I>(rooms))...};
      const std::int64_t offset[] = {std::get<I>(runs).offset...};
      write(k, count, offset, std::get<I>(runs).operand...);
    }
  }
  /// Where a loop writes: to memory, or to a buffer on the way past the caches.
  template <class U>
  run_of<U> target(const array_operand<U>& array, std::int64_t offset, std::byte* buffer, std::int64_t k) const {
    if constexpr (streams)
      if (nontemporal) return reinterpret_cast<U*>(buffer) + k;
    return array.contiguous_from(offset + k * array.unit);
  }
  void compute_block(const offsets& o, std::int64_t n) const {
    compute_block(o, n, std::index_sequence_for<T...>(), std::index_sequence_for<In...>());
  }

  /// Item -1 of a single row is all from item 1 on.
  void operator()(block_tag, std::int64_t item) const {
    std::int64_t i;
    const bool rest = item < 0;
    const offsets o = work.nest.at_item(rest ? 1 : item, per_row, static_cast<int>(length), i);
    compute_block(o, Kokkos::min(rest ? work.nest.inner : length, work.nest.inner - i));
    if (nontemporal) nontemporal_fence();
  }

  /// Short rows follow each other in one work item. The shortest are not worth a choice of loops for each.
  void operator()(rows_tag, std::int64_t item) const {
    in_loop<host_map> local = *this;  // what the loop reads must not be what it might write
    const auto& nest = local.work.nest;
    const std::int64_t last = Kokkos::min(nest.outer, (item + 1) * rows_together);
    for (std::int64_t row = item * rows_together, end; row < last; row = end) {
      offsets o = nest.at(row, 0);
      end = Kokkos::min(last, row + nest.extent[1] - row % nest.extent[1]);
      local.compute_rows(o, end - row, std::index_sequence_for<In...>());
    }
  }
  /// Copies rows of elements that are found by maps, and returns how many; 0 where they are found one by one.
  std::int64_t copy_found_rows(const offsets& o, std::int64_t rows) const {
    const auto& nest = work.nest;
    const auto& in = get<0>(work.in);
    if (in.step != 1) return 0;
    const row_target<T...> target{get<0>(work.out.array).contiguous_from(o.of[0]), nest.stride[0][1], nest.inner};
    return copy_rows(in.source, in.first + o.of[1], nest.stride[1][1], rows, target);
  }
  template <std::size_t... I>
  void compute_rows(offsets& o, std::int64_t rows, std::index_sequence<I...> ins) const {
    const auto& nest = work.nest;
    if constexpr (copies_found)
      for (std::int64_t copied; rows > 0 && !gathers && (copied = copy_found_rows(o, rows)) > 0; rows -= copied)
        for (int k = 0; k < operands; ++k) o.of[k] += copied * nest.stride[k][1];
    constexpr bool bytes = ((sizeof(T) == 1) || ...);
    constexpr std::int64_t short_row = (has_runs<In> || ...) ? 16 : tune::short_row;  // whose elements are soon read
    // Of copies, which no result of a type of characters may overwrite: otherwise all is read again for each element.
    const auto compute_bytes = [n = nest.inner, out = work.out](const F& g, const offsets at, const auto... from) {
      in_loop<F> local = g;
      for (std::int64_t k = 0; k < n; ++k) out.put(at, k, local(from[k]...));
    };
    for (std::int64_t row = 0; row < rows; ++row) {
      if (nest.inner >= short_row) compute_block(o, nest.inner, std::index_sequence_for<T...>(), ins);
      else if constexpr (bytes) compute_bytes(work.f, o, get<I>(work.in).strided_from(o.of[outputs + I])...);
      else
        for (std::int64_t k = 0; k < nest.inner; ++k)
          work.out.put(o, k, work.f(get<I>(work.in).strided_from(o.of[outputs + I])[k]...));
      for (int k = 0; k < operands; ++k) o.of[k] += nest.stride[k][1];
    }
  }

  void operator()(alike_rows_tag, std::int64_t item) const {
    const std::int64_t last = Kokkos::min(work.nest.outer, (item + 1) * rows_together);
    for (std::int64_t row = item * rows_together, end; row < last; row = end) {
      end = Kokkos::min(last, row + work.nest.extent[1] - row % work.nest.extent[1]);
      compute_alike_rows(work.nest.at(row, 0), end - row);
    }
  }
  /// Rows whose elements are contiguous or repeat: `from` are functions of a row that return what its loop reads of the
  /// first inputs, chosen once for all rows.
  template <class... From>
  void compute_alike_rows(const offsets& o, std::int64_t rows, const From&... from) const {
    const auto& nest = work.nest;
    if constexpr (sizeof...(From) < sizeof...(In)) {
      constexpr std::size_t next = sizeof...(From);
      const auto& in = get<next>(work.in);
      const std::int64_t first = o.of[outputs + next], down = nest.stride[outputs + next][1];
      if constexpr (requires { in.data; })
        if (in.step == 0)
          return compute_alike_rows(o, rows, from..., [=, data = in](std::int64_t row) {
            return repeated<typename std::remove_cvref_t<decltype(in)>::value_type>{data.load(first + row * down)};
          });
      compute_alike_rows(o, rows, from...,
                         [&in, first, down](std::int64_t row) { return contiguous_from(in, first + row * down); });
    } else {
      const auto& out = get<0>(work.out.array);
      for (std::int64_t row = 0; row < rows; ++row)
        alike_row(nest.inner, work.f, out.contiguous_from(o.of[0] + row * nest.stride[0][1]), from(row)...);
    }
  }
  /// Loops of known lengths, of which compilers make vector instructions that are no longer than the row.
  template <class To, class... P>
  static void alike_row(std::int64_t n, const F& f, To to, P... from) {
    using element = std::tuple_element_t<0, std::tuple<stored<T>...>>;
    in_loop<F> local = f;
    const auto compute = [&](std::int64_t i) { to[i] = converted<element>(local(from[i]...)); };
    std::int64_t k = 0;
    for (; k + 32 <= n; k += 32) {
      QUERN_IMPL_IVDEP
      for (int i = 0; i < 32; ++i) compute(k + i);
    }
    const int rest = static_cast<int>(n - k) & 31;  // which tells compilers how short this loop is
    QUERN_IMPL_IVDEP
    for (int i = 0; i < rest; ++i) compute(k + i);
  }

  /// What lies transposed is read in lines that the next rows need as well.
  void operator()(transposed_tag, std::int64_t item) const {
    const auto& nest = work.nest;
    std::int64_t i, j;
    const std::int64_t tiles = (nest.extent[1] + tile - 1) / tile;
    const std::int64_t outer = nest.divide(nest.divide(item, per_row, i), tiles, j);
    const std::int64_t n = Kokkos::min(tile, nest.inner - i * tile);
    const std::int64_t rows = Kokkos::min(tile, nest.extent[1] - j * tile);
    in_loop<host_map> local = *this;  // what the loop reads must not be what it might write
    offsets o = nest.at(outer * nest.extent[1] + j * tile, i * tile);
    if constexpr (copies_elements)
      if (nest.stride[0][0] == 1 && nest.stride[1][1] == 1)
        return transpose_tile(get<0>(work.out.array).data + o.of[0], nest.stride[0][1], get<0>(work.in).data + o.of[1],
                              nest.stride[1][0], rows, n, work_type::bytes_written);
    for (std::int64_t row = 0; row < rows; ++row) {
      local.compute_block(o, n);
      for (int k = 0; k < operands; ++k) o.of[k] += local.work.nest.stride[k][1];
    }
  }
};

/// Goes by tiles where operands lie transposed in arrays that caches do not hold, and else by blocks of rows.
template <class Exec, class F, class... T, class... In>
void map_on_host(const Exec& exec, const std::string& label,
                 mapped_elements<Exec, F, map_output<T...>, In...>&& elements,
                 loop_nest<sizeof...(T) + sizeof...(In)> nest, bool in_place) {
  host_map<mapped_elements<Exec, F, map_output<T...>, In...>> kernel{std::move(elements)};
  const auto& work = kernel.work;
  auto& rows = kernel.work.nest;
  const bool is_large =
      rows.inner * rows.outer * static_cast<std::int64_t>(work.bytes_written) >= tuning<Exec>::streaming_bytes;
  if (is_large || kernel.copies_elements) {  // which gain in tiles even where caches hold the array
    const tiled_operands<kernel.operands> transposed(nest, {element_bytes<array_operand<T>>..., element_bytes<In>...},
                                                     kernel.tile / 4);
    if (transposed.bytes > 0) {
      rows = row_nest<kernel.operands>(nest);
      kernel.gathers = true;
      kernel.per_row = (rows.inner + kernel.tile - 1) / kernel.tile;
      const std::int64_t tiles = kernel.per_row * ((rows.extent[1] + kernel.tile - 1) / kernel.tile);
      return launch_units<transposed_tag>(exec, label, tiles * (rows.outer / rows.extent[1]), kernel);
    }
  }
  kernel.gathers = [&]<std::size_t... J, std::size_t... I>(std::index_sequence<J...>, std::index_sequence<I...>) {
    return ((get<J>(work.out.array).step != array_operand<T>::unit) || ...) ||
           !(has_reader<sizeof...(I)>(get<I>(work.in)) && ...);
  }(std::index_sequence_for<T...>(), std::index_sequence_for<In...>());
  kernel.nontemporal = kernel.streams && !in_place && !kernel.gathers && is_large &&
                       exec.concurrency() >= tuning<Exec>::streaming_threads;
  if (rows.outer > 1 && rows.inner <= kernel.block / 2 && !kernel.nontemporal) {
    const std::int64_t threads = exec.concurrency();
    const std::int64_t most = kernel.block * (kernel.copies_found ? 4 : 1) / std::max<std::int64_t>(rows.inner, 1);
    kernel.rows_together = std::clamp<std::int64_t>(rows.outer / (8 * threads), 1, most);
    const std::int64_t items = (rows.outer + kernel.rows_together - 1) / kernel.rows_together;
    if constexpr (kernel.chooses_for_rows)
      if (rows.inner >= kernel.shortest_alike_row && rows.inner <= kernel.longest_alike_row && !kernel.gathers)
        return launch_units<alike_rows_tag>(exec, label, items, kernel);
    return launch_units<rows_tag>(exec, label, items, kernel);
  }
  const bool quick = rows.outer == 1 && exec.concurrency() > 1 && rows.inner > kernel.block &&
                     rows.inner <= kernel.block * map_tuning<Exec>::quick_blocks;
  if (quick) kernel.length = kernel.block / 4;
  // Blocks are read together, where each thread has enough to do: the end of a loop takes as long as 500 elements.
  if (!kernel.gathers && !kernel.nontemporal)
    kernel.length *= std::clamp<std::int64_t>(rows.inner * rows.outer / (kernel.block * 8 * exec.concurrency()), 1, 8);
  kernel.per_row = (rows.inner + kernel.length - 1) / kernel.length;
  launch_units<block_tag>(exec, label, kernel.per_row * rows.outer, kernel, quick);
}

}  // namespace quern::impl

#endif
