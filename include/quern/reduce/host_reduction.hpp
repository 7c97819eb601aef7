// SPDX-FileCopyrightText: the Quern authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef QUERN_REDUCE_HOST_REDUCTION_HPP
#define QUERN_REDUCE_HOST_REDUCTION_HPP

#include <algorithm>
#include <bit>
#include <cstddef>
#include <quern/core/launch/ivdep.hpp>
#include <quern/core/launch/noinline.hpp>
#include <quern/core/launch/operand_runs.hpp>
#include <quern/core/launch/operations.hpp>
#include <quern/core/launch/prefetch.hpp>
#include <quern/core/launch/readers.hpp>
#include <quern/core/launch/teams.hpp>
#include <quern/reduce/byte_counts.hpp>
#include <quern/reduce/chosen_elements.hpp>
#include <quern/reduce/strided_reduction.hpp>
#include <quern/reduce/tuning.hpp>
#include <quern/reduce/vector_columns.hpp>
#include <quern/reduce/vector_extrema.hpp>
#include <quern/reduce/vector_rows.hpp>

namespace quern::impl {

/// Elements of a block: what fits into `bytes`, and of larger elements `least`, as far as these fit into `least_bytes`.
constexpr std::int64_t host_block(std::int64_t bytes, std::int64_t least, std::int64_t least_bytes, std::size_t value) {
  const auto size = static_cast<std::int64_t>(std::bit_ceil(value));
  return std::max({bytes / size, std::min(least, least_bytes / size), std::int64_t{1}});
}

/// A reduction on the host by threads, each of which walks through blocks of one result, or through segments of
/// rows that belong to many.
template <class Exec, class Reducer, class F, class Out, class... In>
struct host_reduction {
  using Work = strided_reduction<Exec, Reducer, F, Out, In...>;
  using state = typename Work::state;
  using value = typename Work::value;
  using inputs = typename Work::inputs;
  using offsets = typename Work::offsets;
  using tile_start = typename Work::tile_start;
  static constexpr int operands = Work::operands;
  static constexpr bool positions = Work::positions;
  using operand_list = typename Work::operand_list;
  using all_operands = std::make_index_sequence<operands>;
  using tune = reduce_tuning<Exec>;
  static constexpr int position = Work::position;
  static constexpr std::int64_t block =
      host_block(tune::block_bytes, tune::least_block, tune::least_block_bytes, Work::largest_value);
  static constexpr bool settles = requires(const Work& w, state& s) { w.reducer.is_unsettled(s); };
  /// Vector instructions take states apart whose size is a power of two, which those of complex numbers are too large
  /// for.
  static constexpr std::size_t padded_size = std::bit_ceil(sizeof(state));
  struct alignas(padded_size <= 64 ? padded_size : alignof(state)) padded : state {
    using base = state;
    using base::operator=;
  };
  using slot = std::conditional_t<settles, padded, state>;
  /// The results of a tile, whose states are on a thread's stack.
  static constexpr int max_across =
      std::clamp(tune::state_bytes / static_cast<int>(sizeof(slot)), 16, static_cast<int>(tune::results));
  /// The same where each has that many adjacent elements.
  static std::int64_t max_gathered(std::int64_t values) {
    return std::clamp<std::int64_t>(tune::gathered_bytes / (values * Work::largest_value), 16, max_across);
  }
  /// Rows of elements that are read together, and how far: in as much memory of the stack.
  static constexpr int rows = 8, chunk = static_cast<int>(std::clamp<std::size_t>(4096 / sizeof(value), 16, 512));

  Work work;
  bool by_rows = false;     // items are rows of elements, one for each result of a tile
  bool gathers = false;     // what a loop reads is not contiguous
  bool prefetches = false;  // what a loop reads is in memory
  bool whole_rows = false;  // the library reduces all rows of a tile
  int taken_as_one = 0;     // rows that it adds to states as one, where it does

  /// f of n elements: where the values are, or computed into `room`.
  template <class... P>
  const value* apply_block(value* room, std::int64_t n, const P&... p) const {
    if constexpr (std::is_same_v<F, op::identity> && (std::is_pointer_v<P> && ...)) {
      return (p, ...);
    } else if constexpr (requires { work.f.compute_block(room, n, p...); } && writes<F>) {
      work.f.compute_block(room, n, p...);
      return room;
    } else if constexpr (skips_some<F>) {
      return chosen_elements<F, value, P...>(work.f, room, p...).apply(n);
    } else {
      in_loop<F> local = work.f;
      // Outputs that f writes are those that it reads, or others.
      independent_loop(0, n, [&](std::int64_t k) { room[k] = local(p[k]...); });
      return room;
    }
  }
  /// Reads n elements, `length` of them at a time; adds each lot to a state if there is one, and returns the last one.
  template <std::size_t... I>
  const value* read_blocks(state* s, value* room, std::int64_t n, std::int64_t length, const operand_list& from,
                           const offsets& p, std::index_sequence<I...>) const {
    const value* v = nullptr;
    const auto read = [&](std::int64_t k, std::int64_t count, const auto&... readers) {
      constexpr bool in_place =
          std::is_same_v<F, op::identity> && (std::is_pointer_v<std::remove_cvref_t<decltype(readers)>> && ...);
      v = apply_block(room, count, readers...);
      if (s != nullptr) add_values(*s, v, p, k, count, in_place ? k : 0);
    };
    if (gathers) {
      for (std::int64_t k = 0; k < n; k += length)
        read(k, Kokkos::min(length, n - k), get<I>(from).strided_from(p.of[I] + k * get<I>(from).step)...);
    } else if constexpr ((has_runs<In> || ...)) {
      for (std::int64_t k = 0; k < n; k += length) {
        const std::int64_t count = Kokkos::min(length, n - k);
        v = read_runs(room, k, count, from, p, inputs());
        if (s != nullptr) add_values(*s, v, p, k, count, 0);
      }
    } else {
      with_readers<std::max<std::int64_t>(block, chunk)>(read, n, length, std::tie(get<I>(from)...), p.of);
    }
    return v;
  }
  /// The values of n elements from k on, of which those that are found by maps of indices are read where they are at
  /// equal distances, or gathered.
  template <std::size_t... I>
  const value* read_runs(value* room, std::int64_t k, std::int64_t n, const operand_list& from, const offsets& p,
                         std::index_sequence<I...>) const {
    operand_tuple<gathered_elements<In>...> rooms;
    for (std::int64_t done = 0, count = 0; done < n; done += count) {
      count = n - done;
      const std::tuple runs{run_at(get<I>(from), p.of[I], k + done, count, get<I>(rooms))...};
      const std::int64_t offset[] = {std::get<I>(runs).offset...};
      const value* v = nullptr;
      const auto read = [&](std::int64_t, std::int64_t, const auto&... at) {
        v = apply_block(room + done, count, at...);
      };
      with_readers<std::max<std::int64_t>(block, chunk)>(
          read, count, count, std::tuple<decltype((std::get<I>(runs).operand))...>(std::get<I>(runs).operand...),
          offset);
      if (count == n && v != reinterpret_cast<const value*>(&rooms)) return v;
      if (v != room + done) std::copy_n(v, count, room + done);
    }
    return room;
  }
  /// What follows each other in an array stays there.
  const value* read_block(value* room, std::int64_t n, const operand_list& from, const offsets& p) const {
    if constexpr (std::is_same_v<F, op::identity>)
      if constexpr (requires(const value* v) { v = get<0>(from).contiguous_from(0); })
        if (reads_contiguously(get<0>(from))) return get<0>(from).contiguous_from(p.of[0]);
    return read_blocks(nullptr, room, n, n, from, p, inputs());
  }

  /// Whether the rows of a tile are read where they are.
  static bool reads_in_place(const Work& work) {
    if constexpr (std::is_same_v<F, op::identity> && Work::arrays == 1)
      if constexpr (requires(const value* v) { v = get<0>(work.in).contiguous_from(0); })
        return reads_contiguously(get<0>(work.in).with_step(work.result_nest.stride[0][0]));
    return false;
  }

  /// Blocks of one result, those of a row together, so that operands are looked at once.
  void add_blocks_of(state& s, const offsets& base, std::int64_t first, std::int64_t last) const {
    alignas(64) std::byte room[block * sizeof(value)];
    while (first < last) {
      const std::int64_t begin = work.nest.rank == 1 ? first : first % work.items,
                         end = Kokkos::min(begin + last - first, work.items);
      const std::int64_t n = Kokkos::min(end * block, work.nest.inner) - begin * block;
      const offsets p = work.item_at(base, first, block);
      first += end - begin;
      if constexpr (takes_columns)
        if (!gathers && reads_contiguously(get<0>(work.in))) {
          auto columns = columns_from(get<0>(work.in).data + p.of[0]);
          for (std::int64_t k = 0; k < n; k += block, columns += block)
            add_values(s, columns, p, k, Kokkos::min(block, n - k), 0);
          continue;
        }
      if (!added_by_vectors(s, p, n)) read_blocks(&s, reinterpret_cast<value*>(room), n, block, work.in, p, inputs());
    }
  }
  /// Whether n values from p on are in memory, and vector instructions of the library have reduced them.
  bool added_by_vectors(state& s, const offsets& p, std::int64_t n) const {
    if constexpr (std::is_same_v<F, op::identity> && Work::arrays == 1)
      if constexpr (requires(const value* v) { v = get<0>(work.in).contiguous_from(0); })
        if (!gathers && reads_contiguously(get<0>(work.in))) {
          return added_by_vectors(s, get<0>(work.in).contiguous_from(p.of[0]), n, p);
        }
    if constexpr (counts_bytes<Reducer, F, In...>)
      if constexpr (requires { requires std::is_pointer_v<decltype(get<0>(work.in).contiguous_from(0))>; })
        if (!gathers && reads_contiguously(get<0>(work.in))) {
          work.reducer.add(s, count_nonzero_bytes(get<0>(work.in).contiguous_from(p.of[0]), n));
          return true;
        }
    return false;
  }
  bool added_by_vectors(state& s, const value* v, std::int64_t n, const offsets& p) const {
    if constexpr (positions) return add_by_vectors(work.reducer, s, v, n, p.of[position], get<position>(work.in).step);
    else return add_by_vectors(work.reducer, s, v, n, 0, 1);
  }
  /// At most a block of values, the first of which is number k of those from p on, `before` of which are in memory
  /// before it. Not inlined, as there would be one for each combination of readers.
  template <class V>
  QUERN_IMPL_NOINLINE void add_values(state& s, V v, offsets p, std::int64_t k, std::int64_t size,
                                      std::int64_t before) const {
    if constexpr (positions) p.of[position] += k * get<position>(work.in).step;
    constexpr bool by_vectors = std::is_same_v<V, const value*> && has_vector_extrema<Reducer>;
    if constexpr (by_vectors)
      if (added_by_vectors(s, v, size, p)) return;
    if (size == block) work.template add_block<block, block>(s, v, &p);
    else add_rest<by_vectors ? 8 : std::max<int>(64, idempotent<Reducer> ? block : block / 2)>(s, v, p, size, before);
  }
  /// Whether components are reduced where they are, without a copy as rows.
  static constexpr bool takes_columns = [] {
    if constexpr (operands == 1 && std::is_same_v<F, op::identity>)
      return requires(const Work& w, state& s) { w.reducer.template add_block<1>(s, columns_from(get<0>(w.in).data)); };
    else return false;
  }();
  /// Fewer values than a block: Step of them at a time, and then half as many. (Where processors most often have the
  /// library's vectors, steps are short from the beginning: each length takes time to compile.) Where values may be
  /// added twice, more than half of Step are Step of which some came before: a few long steps take less time than one
  /// of each length. What is less than the shortest step, which comes after one of four times its length, is one whose
  /// last value repeats.
  template <int Step, class V>
  void add_rest(state& s, V v, offsets& p, std::int64_t n, std::int64_t before) const {
    constexpr bool repeats = idempotent<Reducer> && std::is_same_v<V, const value*>, last = repeats && Step <= 8;
    const auto move = [&](std::int64_t by) {
      v += by;
      n -= by;
      before += by;
      if constexpr (positions) p.of[position] += by * get<position>(work.in).step;
    };
    while (true) {
      if constexpr (idempotent<Reducer>)
        if (n < Step && n > (last ? 0 : Step / 2) && before >= Step - n) move(n - Step);
      if (n < Step) break;
      work.template add_block<Step, Step>(s, v, &p);
      move(Step);
    }
    if (n == 0) return;
    if constexpr (last) {
      value some[Step];
      std::fill(std::copy_n(v, n, some), some + Step, v[n - 1]);
      work.template add_block<Step, Step>(s, some, &p);
    } else if constexpr (Step > 1) {
      add_rest<repeats && Step == 32 ? 8 : Step / 2>(s, v, p, n, before);
    }
  }

  /// Rows of a tile, several at a time, which a core reads as so many streams.
  void add_rows_of(slot* s, const tile_start& tile, std::int64_t first, std::int64_t last) const {
    const auto across = steps_across(all_operands());
    if constexpr (!positions && requires(const value* v) { v = get<0>(across).contiguous_from(0); })
      if (work.nest.rank == 1 && !gathers && reads_in_place(work))
        return add_rows_in_place(s, get<0>(across), tile, first, last);
    typename row_nest<operands>::element_walk walk(work.nest, first);
    for (std::int64_t row = first; row < last; row += rows) {
      const int n = static_cast<int>(Kokkos::min<std::int64_t>(rows, last - row));
      offsets p[rows];
      for (int u = 0; u < n; ++u) {
        p[u] = walk.next();
        for (int k = 0; k < operands; ++k) p[u].of[k] += tile.from.of[k];
      }
      for (int from = 0; from < tile.results; from += chunk) {
        add_chunk(s + from, across, p, n, Kokkos::min(chunk, tile.results - from));
        for (int u = 0; u < n; ++u)
          for (int k = 0; k < operands; ++k) p[u].of[k] += chunk * work.result_nest.stride[k][0];
      }
    }
  }
  /// Rows at equal distances, which are read where they are.
  template <class Operand>
  void add_rows_in_place(slot* s, const Operand& in, const tile_start& tile, std::int64_t first,
                         std::int64_t last) const {
    const std::int64_t apart = work.nest.stride[0][0];
    const auto at = [&](std::int64_t row) -> const value* { return in.contiguous_from(tile.from.of[0] + row * apart); };
    if constexpr (has_vector_columns<Reducer, value>)
      if (taken_as_one > 0 && first < last)
        first += add_vector_columns(work.reducer, s, at(first), apart, last - first, tile.results, taken_as_one,
                                    !prefetches);
    for (std::int64_t row = first; row < last; row += rows) {
      const int n = static_cast<int>(Kokkos::min<std::int64_t>(rows, last - row));
      const value* v[rows] = {};
      for (int u = 0; u < n; ++u) v[u] = at(row + u);
      add_rows<rows>(s, v, nullptr, n, tile.results);
    }
  }
  void add_chunk(slot* s, const operand_list& across, const offsets (&p)[rows], int n, int results) const {
    alignas(64) std::byte room[rows][chunk * sizeof(value)];
    const value* v[rows] = {};
    for (int u = 0; u < n; ++u) v[u] = read_block(reinterpret_cast<value*>(room[u]), results, across, p[u]);
    if constexpr (idempotent<Reducer> && positions) {
      offsets repeated[rows];
      for (int u = 0; u < rows; ++u) repeated[u] = p[Kokkos::min(u, n - 1)];
      for (int u = n; u < rows; ++u) v[u] = v[n - 1];
      add_repeated<rows>(s, v, repeated, n, results);
    } else {
      add_rows<rows>(s, v, p, n, results);
    }
  }
  /// Adds n <= R rows, the last of which repeats: where values may be added twice, and states are so large that they
  /// take more time than values.
  template <int R>
  void add_repeated(slot* s, const value* const* v, const offsets* p, int n, int results) const {
    if constexpr (R > 2)
      if (n <= R / 2) return add_repeated<R / 2>(s, v, p, n, results);
    add_columns(s, v, p, results, std::make_index_sequence<R>());
  }
  /// Adds n < 2 R rows, R of them and then the rest, a column of each result at a time. The last three are one step.
  template <int R>
  void add_rows(slot* s, const value* const* v, const offsets* p, int n, int results) const {
    if (n >= R) {
      add_columns(s, v, p, results, std::make_index_sequence<R>());
      v += R;
      if constexpr (positions) p += R;
      n -= R;
    }
    if constexpr (R == 4)
      if (n == 3) return add_columns(s, v, p, results, std::make_index_sequence<3>());
    if constexpr (R > 1) add_rows<R / 2>(s, v, p, n, results);
  }
  /// Asks for the rows behind these, of most arrays at the distance of two of them: they are too short for a processor
  /// to see streams by itself.
  static void prefetch_next_rows(const value* const* v, int from, int to) {
    constexpr int line = std::max<int>(64 / sizeof(value), 1);
    const std::int64_t next = (v[1] - v[0]) * rows;
    for (int u = 0; u < rows; ++u)
      for (int k = from; k < to; k += line) prefetch(v[u], (next + k) * std::int64_t{sizeof(value)});
  }
  template <std::size_t... U>
  void add_columns(slot* s, const value* const* v, const offsets* p, int results, std::index_sequence<U...>) const {
    const value* const column[] = {v[U]...};  // which no state of a type of characters may overwrite
    bool unsettled = false;
    const auto add_parts = [&](const auto& add) {
      const int width = prefetches ? 64 : results;
      for (int from = 0; from < results; from += width) {
        const int to = Kokkos::min(from + width, results);
        if (sizeof...(U) == rows && prefetches) prefetch_next_rows(v, from, to);
        add(from, to);
      }
    };
    if (adds_by_vectors<Reducer, value, sizeof...(U)>(results)) {
      add_parts([&](int from, int to) { unsettled |= add_rows_by_vectors<Reducer>(s, column, from, to); });
    } else {
      add_parts([&](int from, int to) {
        QUERN_IMPL_IVDEP
        for (int k = from; k < to; ++k) add_column(s[k], {column[U][k]...}, p, std::index_sequence<U...>());
      });
      if constexpr (settles)
        for (int k = 0; k < results; ++k) unsettled |= work.reducer.is_unsettled(s[k]);
    }
    if constexpr (settles)
      for (int k = 0; unsettled && k < results; ++k) settle(s[k], {v[U][k]...});
  }
  template <std::size_t... U>
  void add_column(state& s, const value (&column)[sizeof...(U)], const offsets* p, std::index_sequence<U...>) const {
    if constexpr (positions) (work.add(s, column[U], p[U], 0), ...);  // which need not have one stride
    else if constexpr (settles) work.reducer.template take<sizeof...(U)>(s, column);
    else if constexpr (requires { work.reducer.template add_column<sizeof...(U)>(s, column); })
      work.reducer.template add_column<sizeof...(U)>(s, column);
    else work.reducer.template add_block<sizeof...(U)>(s, column);
  }
  template <std::size_t N>
  void settle(state& s, const value (&column)[N]) const {
    work.reducer.template settle<static_cast<int>(N)>(s, column);
  }
  template <std::size_t... U>
  state state_of(const value (&column)[sizeof...(U)], const offsets* p, std::index_sequence<U...> all) const {
    if constexpr (requires { work.reducer.template state_of<sizeof...(U)>(column); }) {
      return work.reducer.template state_of<sizeof...(U)>(column);
    } else {
      state s = work.reducer.init();
      add_column(s, column, p, all);
      return s;
    }
  }
  /// All of a few rows at once, so that no state is kept between them.
  template <std::size_t... U>
  void reduce_few(const tile_start& tile, std::index_sequence<U...> all) const {
    const auto across = steps_across(all_operands());
    const offsets p[] = {work.item_at(tile.from, U, 1)...};
    Out* to = work.out + tile.out;
    const std::int64_t step = work.result_nest.stride[operands][0];
    // Copies, which no result of a type of characters may overwrite.
    const auto reduce_columns = [&, results = tile.results, values = work.values](const auto value_at) {
      const auto with_step = [&](std::int64_t apart) {
        QUERN_IMPL_IVDEP
        for (int k = 0; k < results; ++k) {
          const state s = state_of({value_at(U, k)...}, p, all);
          to[k * apart] = convert<Out>(work.reducer.result(s, values));
        }
      };
      step == 1 ? with_step(1) : with_step(step);  // vector instructions store to adjacent elements
    };
    if (gathers) return reduce_columns([&](int u, int k) { return work.element(across, p[u], k, inputs()); });
    alignas(64) std::byte room[sizeof...(U)][chunk * sizeof(value)];
    const value* const v[] = {read_block(reinterpret_cast<value*>(room[U]), tile.results, across, p[U])...};
    reduce_columns([&](int u, int k) { return v[u][k]; });
  }
  /// The inputs with their steps from one result to the next.
  template <std::size_t... I>
  operand_list steps_across(std::index_sequence<I...>) const {
    return {{get<I>(work.in).with_step(work.result_nest.stride[I][0])}...};
  }

  void run_unit(std::int64_t tile, std::int64_t split) const {
    const tile_start start = work.tile_at(tile);
    if constexpr (has_vector_rows<Work>)
      if (whole_rows) return reduce_vector_rows(work, start);
    if (by_rows && work.shape.splits == 1) {
      if (work.total == 2) return reduce_few(start, std::make_index_sequence<2>());
      if (work.total == 3) return reduce_few(start, std::make_index_sequence<3>());
      if constexpr (!positions)  // whose branches take longer than states that are kept
        if (work.total == 4) return reduce_few(start, std::make_index_sequence<4>());
    }
    slot s[max_across];
    for (int k = 0; k < start.results; ++k) s[k] = work.reducer.init();
    const bool whole = work.shape.splits == 1;  // a division takes as long as a few vectors of a short row
    const std::int64_t first = whole ? 0 : split * work.total / work.shape.splits,
                       last = whole ? work.total : (split + 1) * work.total / work.shape.splits;
    if (by_rows) {
      add_rows_of(s, start, first, last);
    } else {
      // Neighbouring results are read side by side.
      const std::int64_t together = start.results == 1 ? last - first : 1;
      for (std::int64_t item = first; item < last; item += together)
        for (int k = 0; k < start.results; ++k) add_blocks_of(s[k], work.result_at(start, k), item, item + together);
    }
    if (!whole) {
      for (int k = 0; k < start.results; ++k) work.leave(tile, split, k, s[k]);
      if (!last_to_finish(work.finished + tile, work.shape.splits)) return;
      for (int k = 0; k < start.results; ++k) {
        s[k] = work.reducer.init();
        work.join_splits(s[k], tile, k, 0, 1);
      }
    }
    for (int k = 0; k < start.results; ++k) work.write(start, k, s[k]);
  }

  void operator()(std::int64_t thread) const {
    const std::int64_t splits = work.shape.splits, units = work.shape.tiles * splits, threads = work.shape.league;
    const std::int64_t end = (thread + 1) * units / threads;
    for (std::int64_t unit = thread * units / threads; unit < end; ++unit)
      splits == 1 ? run_unit(unit, 0) : run_unit(unit / splits, unit % splits);
  }
};

}  // namespace quern::impl

#endif
