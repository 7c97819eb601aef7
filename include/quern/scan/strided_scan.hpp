// SPDX-FileCopyrightText: the Quern authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef QUERN_SCAN_STRIDED_SCAN_HPP
#define QUERN_SCAN_STRIDED_SCAN_HPP

#include <cstdint>
#include <quern/core/launch/loop_nest.hpp>
#include <quern/core/launch/operations.hpp>
#include <quern/core/memory/workspace.hpp>
#include <quern/core/views/source.hpp>
#include <quern/reduce/launch.hpp>
#include <quern/reduce/strided_reduction.hpp>
#include <quern/reducers/operations.hpp>
#include <quern/reducers/reproducible.hpp>
#include <quern/scan/tuning.hpp>

namespace quern::impl {

/// How lines and chunks of lines are shared out.
struct scan_shape : reduce_shape {  // a tile, on the host, has `across` lines
  bool by_team = false;             // device: a team for each chunk; otherwise a thread
  std::int64_t chunks = 1;          // of each line
  std::int64_t length = 0;          // of a chunk
};

/// A reducer whose operands may change places, so that a reduction finds the totals of chunks faster than a scan does.
template <class Reducer>
inline constexpr bool is_commutative = false;
template <class S, class Sum>
inline constexpr bool is_commutative<sum_reducer<S, Sum>> = true;
template <class S>
inline constexpr bool is_commutative<op_reducer<S, prod_op>> = true;

/// A reducer that adds several values faster at once, also where the sum at each of them is wanted.
template <class Reducer>
inline constexpr bool adds_each = false;
template <class S, int Bins>
inline constexpr bool adds_each<sum_reducer<S, binned<Bins>>> = true;

/// A stride that is known when compiling.
struct one {
  KOKKOS_FUNCTION constexpr operator std::int64_t() const { return 1; }
};

/// A short run of consecutive values after a state. `local` is what values of a run, or of the runs of a tile, make
/// among themselves.
template <class Reducer>
struct scan_run {
  using state = typename Reducer::state;
  using local = state;
  state s;

  KOKKOS_FUNCTION static local none(const Reducer& reducer) { return reducer.init(); }
  template <class T>
  KOKKOS_FUNCTION static void add(const Reducer& reducer, local& l, const T& v) {
    reducer.add(l, v);
  }
  KOKKOS_FUNCTION static void join(const Reducer& reducer, local& l, const local& next) { reducer.join(l, next); }
  KOKKOS_FUNCTION static void append(const Reducer& reducer, state& s, const local& l) { reducer.join(s, l); }
  /// One of a few that are appended: what else the state then needs waits for the last of them.
  KOKKOS_FUNCTION static void append_one(const Reducer& reducer, state& s, const local& l) { reducer.join(s, l); }

  /// A run after `before` and `between`.
  KOKKOS_FUNCTION static scan_run after(const Reducer& reducer, const state& before, const local& between) {
    scan_run r{before};
    reducer.join(r.s, between);
    return r;
  }
  template <class T>
  KOKKOS_FUNCTION void add(const Reducer& reducer, const T& v) {
    reducer.add(s, v);
  }
  KOKKOS_FUNCTION auto result(const Reducer& reducer) const { return reducer.result(s, 0); }
  /// With nothing between, `before` becomes the state at the end.
  KOKKOS_FUNCTION void end(const Reducer&, state& before) const { before = s; }
};
/// Sums of a few values need no compensation among themselves, and do not wait for the sum before them.
template <class S>
struct scan_run<sum_reducer<S, compensated<S>>> {
  using reducer_type = sum_reducer<S, compensated<S>>;
  using state = compensated<S>;
  using local = S;
  S before, run;

  KOKKOS_FUNCTION static local none(const reducer_type&) { return S(0); }
  template <class T>
  KOKKOS_FUNCTION static void add(const reducer_type&, local& l, const T& v) {
    l = wrapping_add(l, static_cast<S>(v));
  }
  KOKKOS_FUNCTION static void join(const reducer_type&, local& l, const local& next) { l = wrapping_add(l, next); }
  KOKKOS_FUNCTION static void append(const reducer_type&, state& s, const local& l) {
    s.add(l);
    s.settle();
  }
  KOKKOS_FUNCTION static void append_one(const reducer_type&, state& s, const local& l) { s.add(l); }

  KOKKOS_FUNCTION static scan_run after(const reducer_type&, const state& s, const local& between) {
    return {s.value(), between};
  }
  template <class T>
  KOKKOS_FUNCTION void add(const reducer_type& reducer, const T& v) {
    add(reducer, run, v);
  }
  KOKKOS_FUNCTION S result(const reducer_type&) const { return wrapping_add(before, run); }
  KOKKOS_FUNCTION void end(const reducer_type& reducer, state& s) const { append(reducer, s, run); }
};

/// Prefixes out(i) = in(0) o in(1) o ... o in(i) along lines of an array, by the reducer of o, without the order in
/// which threads do it: that is in device_scan.hpp and host_scan.hpp. Only associativity is used: states are always
/// joined in order. Lines that are too few for the machine are cut into chunks.
template <class Exec, bool Exclusive, class Reducer, class Source, class Out>
struct strided_scan {
  using T = source_value_t<Source>;
  using state = typename Reducer::state;
  using run = scan_run<Reducer>;
  static constexpr int batch = scan_tuning<Exec>::batch;
  static constexpr int block = std::max<int>(16, scan_tuning<Exec>::block_bytes / std::bit_ceil(sizeof(T)));

  Reducer reducer;
  Source in;
  Out* out;
  row_nest<2> line;   // to where lines start in in and out
  row_nest<2> along;  // to the elements of a line, in order
  std::int64_t n;
  std::int64_t lines;
  scan_shape shape{};

  using offsets = typename row_nest<2>::offsets;

  KOKKOS_FUNCTION offsets line_at(std::int64_t l) const {
    std::int64_t i;
    return line.at_item(l, line.inner, 1, i);
  }
  KOKKOS_FUNCTION offsets element_at(const offsets& base, std::int64_t e) const {
    std::int64_t i;
    const auto o = along.at_item(e, along.inner, 1, i);
    return {{base.of[0] + o.of[0], base.of[1] + o.of[1]}};
  }
  KOKKOS_FUNCTION std::int64_t first_of(std::int64_t chunk) const { return chunk * shape.length; }
  KOKKOS_FUNCTION std::int64_t last_of(std::int64_t chunk) const { return Kokkos::min(n, (chunk + 1) * shape.length); }

  /// The result at the next element of a run.
  KOKKOS_FUNCTION Out step(run& r, const T& v) const {
    if constexpr (!Exclusive) r.add(reducer, v);
    const Out result = convert<Out>(r.result(reducer));
    if constexpr (Exclusive) r.add(reducer, v);
    return result;
  }

  /// What N elements that follow each other are among themselves, and `put(k, result)` for each of them.
  template <int N, class From>
  KOKKOS_FUNCTION void add_all(typename run::local& l, const From& v) const {
    if constexpr (adds_each<Reducer>) reducer.template add_block<N>(l, v);
    else
      for (int k = 0; k < N; ++k) run::add(reducer, l, v[k]);
  }
  template <int N, class From, class Put>
  KOKKOS_FUNCTION void step_all(run& r, const From& v, const Put& put) const {
    using result = decltype(r.result(reducer));
    if constexpr (adds_each<Reducer> && !Exclusive)
      r.s.template add_each<N>(v, [&](int k, double sum) { put(k, convert<Out>(static_cast<result>(sum))); });
    else
      for (int k = 0; k < N; ++k) put(k, step(r, v[k]));
  }

  /// N elements that follow each other.
  template <bool Write, int N, class From, class Step>
  KOKKOS_FUNCTION void scan_batch(state& s, const From& from, Out* to, Step in_step, Step out_step) const {
    T v[N];
    for (int k = 0; k < N; ++k) v[k] = from[k * in_step];
    run r = run::after(reducer, s, run::none(reducer));
    if constexpr (Write) step_all<N>(r, v, [&](int k, const Out& result) { to[k * out_step] = result; });
    else
      for (int k = 0; k < N; ++k) r.add(reducer, v[k]);
    r.end(reducer, s);
  }
  template <bool Write, class From, class Step>
  KOKKOS_FUNCTION void scan_row(state& s, const From& from, Out* to, std::int64_t count, Step in_step,
                                Step out_step) const {
    state mine = s;  // no store of a result may change it
    std::int64_t k = 0;
    if constexpr (!Write && is_commutative<Reducer> && std::is_same_v<Step, one>) {
      T room[std::is_pointer_v<From> ? 1 : block];
      for (; k + block <= count; k += block) reducer.template add_block<block>(mine, read_block(from + k, room, block));
    }
    for (; k + batch <= count; k += batch)
      scan_batch<Write, batch>(mine, from + k * in_step, to + k * out_step, in_step, out_step);
    if constexpr (is_device<Exec>) {
      for (; k < count; ++k) scan_batch<Write, 1>(mine, from + k * in_step, to + k * out_step, in_step, out_step);
    } else if (k < count) {  // one run, too, as short lines have no other
      run r = run::after(reducer, mine, run::none(reducer));
      for (; k < count; ++k) {
        const T v = from[k * in_step];
        if constexpr (Write) to[k * out_step] = step(r, v);
        else r.add(reducer, v);
      }
      r.end(reducer, mine);
    }
    s = mine;
  }
};

}  // namespace quern::impl

#endif
