// SPDX-FileCopyrightText: the Quern authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef QUERN_SCAN_SEGMENTED_KERNEL_HPP
#define QUERN_SCAN_SEGMENTED_KERNEL_HPP

#include <quern/core/axes.hpp>
#include <quern/core/scratch_layout.hpp>
#include <quern/core/values.hpp>
#include <quern/scan/launch.hpp>

namespace quern::impl {

/// A one-dimensional array as kernels carry it.
template <class T>
struct strided_line {
  T* data;
  std::int64_t step;
  explicit strided_line(const strided<T>& s) : data(s.data), step(s.stride[0]) {}
  KOKKOS_FUNCTION T& operator[](std::int64_t i) const { return data[i * step]; }
};

/// A one-dimensional source.
template <class Source>
struct source_line {
  Source data;
  std::int64_t step;
  template <class Array>
  explicit source_line(const Array& a) : data(a.data), step(a.stride[0]) {}
  KOKKOS_FUNCTION auto operator[](std::int64_t i) const { return data[i * step]; }
};

/// What a stretch of values and segment ends leaves to the next one: the state since its last end, if it has any.
template <class State>
struct segment_carry {
  State state;
  int ended;
};

/// Joins what follow each other: associative, and not commutative.
template <class Reducer>
struct carry_reducer {
  using carry = segment_carry<typename Reducer::state>;
  using state = carry;
  Reducer reducer;
  KOKKOS_FUNCTION carry init() const { return {reducer.init(), 0}; }
  KOKKOS_FUNCTION void join(carry& a, const carry& b) const {
    if (b.ended) {
      a = b;
    } else {
      reducer.join(a.state, b.state);
    }
  }
  KOKKOS_FUNCTION void add(carry& a, const carry& b) const { join(a, b); }
  KOKKOS_FUNCTION carry result(const carry& a, std::int64_t) const { return a; }
};

struct starts_tag {};
struct reduce_tag {};
struct ends_tag {};
struct open_tag {};
struct scan_tag {};

/// Reductions or scans of segments of a line of values, segment s from offsets[s] to offsets[s + 1].
///
/// The values and the m + 1 offsets are merged: value v comes before the first offset that is greater than v, and tiles
/// of the merged sequence are equal work, whatever the lengths of segments (Merrill and Garland, Merge-based parallel
/// sparse matrix-vector multiplication, SC 2016). A first kernel finds where tiles start. Each tile then reduces what
/// it has of segments, or for a scan only of that which it leaves open; a scan over the tiles joins what they leave
/// open, and a last kernel finishes the segment that each tile ended first, or scans the tiles.
template <bool Scan, class Exec, class Reducer, class Source, class Index, class Out>
struct segmented_kernel {
  using T = source_value_t<Source>;
  using state = typename Reducer::state;
  using carry = segment_carry<state>;
  using scan = device_scan<strided_scan<Exec, false, Reducer, const T*, Out>>;  // for what teams share
  static constexpr bool device = tuning<Exec>::device;
  static constexpr std::size_t slot = std::max(sizeof(T), sizeof(Out));
  static constexpr int items = slot <= 8 ? 19 : std::max<int>(1, 128 / slot - 1);
  static constexpr int batch = 5;  // loads of a thread in flight

  Reducer reducer;
  source_line<Source> values;
  strided_line<const Index> offsets;
  strided_line<Out> out;
  std::int64_t n;
  std::int64_t ends;  // offsets: the segments and one before them, which has no result
  std::int64_t tile;  // values and ends of each tile
  std::int64_t* starts = nullptr;
  carry* left = nullptr;    // by each tile
  carry* before = nullptr;  // each tile
  state* first = nullptr;   // what each tile has of the segment that it ends first

  KOKKOS_FUNCTION carry_reducer<Reducer> carries() const { return {reducer}; }
  KOKKOS_FUNCTION std::int64_t end_at(std::int64_t e) const { return static_cast<std::int64_t>(offsets[e]); }

  /// How many of the first `place` of the merged sequence are ends; `end(e)` is the value that comes after end e.
  template <class I, class End>
  KOKKOS_FUNCTION static I ends_before(I place, I values, I ends, const End& end) {
    I low = place > values ? place - values : 0, high = Kokkos::min(place, ends);
    while (low < high) {
      const I middle = low + (high - low) / 2;
      if (end(middle) < place - middle) low = middle + 1;
      else high = middle;
    }
    return low;
  }

  KOKKOS_FUNCTION void operator()(starts_tag, std::int64_t t) const {
    starts[t] = ends_before(Kokkos::min(t * tile, n + ends), n, ends, [&](std::int64_t e) { return end_at(e); });
  }

  /// Where a tile begins and how much it has. Offsets that are not sorted make nonsense of it, but stay within it.
  struct extent {
    std::int64_t first_end, first_value;
    std::int64_t ends, values;
  };
  KOKKOS_FUNCTION extent extent_of(std::int64_t t) const {
    const std::int64_t place = t * tile, count = Kokkos::min(tile, n + ends - place);
    extent x;
    x.first_end = starts[t];
    x.first_value = place - x.first_end;
    x.ends = Kokkos::clamp<std::int64_t>(starts[t + 1] - starts[t], 0, Kokkos::min(count, ends - x.first_end));
    x.values = Kokkos::min(count - x.ends, n - x.first_value);
    return x;
  }

  /// What of a tile comes after its last end.
  KOKKOS_FUNCTION extent open_part(extent x) const {
    if (x.ends > 0) {
      const std::int64_t last = end_at(x.first_end + x.ends - 1) - x.first_value;
      const std::int64_t closed = Kokkos::clamp<std::int64_t>(last, 0, x.values);
      x = {x.first_end + x.ends, x.first_value + closed, 0, x.values - closed};
    }
    return x;
  }

  /// The segment that the tile ends first, now that what tiles before have of it is known.
  KOKKOS_FUNCTION void operator()(ends_tag, std::int64_t t) const {
    const std::int64_t e = starts[t];
    if (!left[t].ended || e == 0) return;
    state s = before[t].state;
    reducer.join(s, first[t]);
    out[e - 1] = convert<Out>(reducer.result(s, 0));
  }

  /// What a team shares: carries, values and then results of a tile, and its ends as numbers of values.
  struct team_memory {
    typename scan::team_memory carries;
    T* value;
    Out* result;
    std::uint16_t* end;
  };
  static std::size_t team_bytes(int threads) {
    return (scan::thread_slots(threads) + scan::group_slots(threads)) * sizeof(carry) +
           threads * items * (slot + sizeof(std::uint16_t)) + sizeof(Out) + 4 * 64;
  }
  template <class Member>
  KOKKOS_FUNCTION team_memory memory_of(const Member& team, const extent& x) const {
    const int threads = team.team_size();
    const auto shared = [&](std::size_t bytes) {
      return static_cast<std::byte*>(team.team_shmem().get_shmem_aligned(bytes, alignof(std::max_align_t)));
    };
    team_memory m;
    m.carries = {shared(scan::thread_slots(threads) * sizeof(carry)),
                 shared(scan::group_slots(threads) * sizeof(carry)), nullptr};
    std::byte* slots = shared(threads * items * slot + sizeof(Out));
    m.value = reinterpret_cast<T*>(slots);
    m.result = reinterpret_cast<Out*>(slots) + (x.values * sizeof(T) + sizeof(Out) - 1) / sizeof(Out);
    m.end = reinterpret_cast<std::uint16_t*>(shared(threads * items * sizeof(std::uint16_t)));
    return m;
  }

  /// store(i, load(i)) for all i below count, by a team, with several loads in flight: none has a condition, which
  /// would make it wait for those before.
  template <class Member, class Load, class Store>
  KOKKOS_FUNCTION static void move(const Member& team, int count, const Load& load, const Store& store) {
    const int threads = team.team_size();
    for (int i = team.team_rank(); i < count; i += batch * threads) {
      std::remove_cvref_t<std::invoke_result_t<const Load&, int>> v[batch];
      for (int u = 0; u < batch; ++u) v[u] = load(Kokkos::min(i + u * threads, count - 1));
      for (int u = 0; u < batch; ++u)
        if (i + u * threads < count) store(i + u * threads, v[u]);
    }
  }
  template <class Member>
  KOKKOS_FUNCTION void load(const Member& team, const extent& x, const team_memory& m) const {
    const auto value = values.data + x.first_value * values.step;
    const Index* end = &offsets[x.first_end];
    move(
        team, static_cast<int>(x.values), [&](int i) { return value[i * values.step]; },
        [&](int i, const T& v) { m.value[i] = v; });
    move(
        team, static_cast<int>(x.ends), [&](int i) { return end[i * offsets.step]; },
        [&](int i, Index at) {
          m.end[i] = static_cast<std::uint16_t>(
              Kokkos::clamp<std::int64_t>(static_cast<std::int64_t>(at) - x.first_value, 0, x.values));
        });
    team.team_barrier();
  }

  /// A thread's part of a tile: `count` values and ends from end e and value v on.
  struct part {
    int e, v, count;
  };
  KOKKOS_FUNCTION part part_of(int t, const extent& x, const team_memory& m) const {
    const int values_here = static_cast<int>(x.values), ends_here = static_cast<int>(x.ends);
    const int place = Kokkos::min(t * items, values_here + ends_here);
    const int e = ends_before(place, values_here, ends_here, [&](int i) { return int{m.end[i]}; });
    return {e, place - e, Kokkos::min(int{items}, values_here + ends_here - place)};
  }
  /// Calls at_end(e) and at_value(v) in the order of the merged sequence.
  template <class AtEnd, class AtValue>
  KOKKOS_FUNCTION void walk(const part& p, const extent& x, const team_memory& m, const AtEnd& at_end,
                            const AtValue& at_value) const {
    if (x.ends == 0) {
      for (int i = 0; i < items; ++i)
        if (i < p.count) at_value(p.v + i);
      return;
    }
    const int ends_here = static_cast<int>(x.ends), none = static_cast<int>(tile);
    int e = p.e, v = p.v, next = e < ends_here ? m.end[e] : none;
    for (int i = 0; i < p.count; ++i) {
      if (v < next) {
        at_value(v++);
      } else {
        at_end(e++);
        next = e < ends_here ? m.end[e] : none;
      }
    }
  }
  template <class Member>
  KOKKOS_FUNCTION carry carry_before(const Member& team, const team_memory& m, const carry& mine, carry& all) const {
    return scan::join_before(team, m.carries, carries().init(), mine, all,
                             [&](carry& a, const carry& b) { carries().join(a, b); });
  }

  // Segments that begin and end in a thread's part are finished there, those that begin in another of the tile after
  // the carries are known, and that which the tile ends first by the last kernel.
  template <class Member>
    requires(device)
  KOKKOS_FUNCTION void operator()(reduce_tag, const Member& team) const {
    const extent x = extent_of(team.league_rank());
    const team_memory m = memory_of(team, x);
    load(team, x, m);
    carry mine = carries().init(), all;
    state to_first = reducer.init();
    int first_end = 0;
    const auto at_end = [&](int e) {
      if (!mine.ended) {
        to_first = mine.state;
        first_end = e;
      } else {
        m.result[e] = convert<Out>(reducer.result(mine.state, 0));
      }
      mine = {reducer.init(), 1};
    };
    walk(part_of(team.team_rank(), x, m), x, m, at_end, [&](int v) { reducer.add(mine.state, m.value[v]); });
    const carry prior = carry_before(team, m, mine, all);
    if (team.team_rank() == 0) left[team.league_rank()] = all;
    if (mine.ended) {
      state s = prior.state;
      reducer.join(s, to_first);
      if (prior.ended) m.result[first_end] = convert<Out>(reducer.result(s, 0));
      else first[team.league_rank()] = s;
    }
    team.team_barrier();
    for (int i = team.team_rank(); i < x.ends; i += team.team_size())
      if (i > 0) out[x.first_end + i - 1] = m.result[i];
  }

  template <class Member>
    requires(device)
  KOKKOS_FUNCTION void operator()(open_tag, const Member& team) const {
    const extent whole = extent_of(team.league_rank()), x = open_part(whole);
    const team_memory m = memory_of(team, x);
    load(team, x, m);
    carry mine = carries().init(), all;
    walk(part_of(team.team_rank(), x, m), x, m, [](int) {}, [&](int v) { reducer.add(mine.state, m.value[v]); });
    carry_before(team, m, mine, all);
    if (team.team_rank() == 0) left[team.league_rank()] = {all.state, whole.ends > 0};
  }

  // Writes the prefixes of the tile's values, except those outside of all segments. Those of segments that begin in a
  // thread's part come first, the others when it is known what is before them.
  template <class Member>
    requires(device)
  KOKKOS_FUNCTION void operator()(scan_tag, const Member& team) const {
    const extent x = extent_of(team.league_rank());
    const team_memory m = memory_of(team, x);
    const std::int64_t begin = end_at(0), past = end_at(ends - 1);
    carry s = before[team.league_rank()];
    load(team, x, m);
    const auto write = [&](std::int64_t v, const Out& result) {
      if (v >= begin && v < past) out[v] = result;
    };
    constexpr bool in_place = sizeof(T) == sizeof(Out);  // a thread reads what it overwrites
    Out* results = reinterpret_cast<Out*>(m.value);
    const auto step = [&](state& prefix, int v, bool known) {
      reducer.add(prefix, m.value[v]);
      if (!known) return;
      const Out result = convert<Out>(reducer.result(prefix, 0));
      if constexpr (in_place) results[v] = result;
      else write(x.first_value + v, result);
    };
    const part p = part_of(team.team_rank(), x, m);
    carry mine = carries().init(), all;
    int open = 0;
    walk(
        p, x, m, [&](int) { mine = {reducer.init(), 1}; },
        [&](int v) {
          step(mine.state, v, mine.ended);
          if (!mine.ended) ++open;
        });
    carries().join(s, carry_before(team, m, mine, all));
    for (int i = 0; i < open; ++i) step(s.state, p.v + i, true);
    if constexpr (in_place) {
      team.team_barrier();
      for (int i = team.team_rank(); i < x.values; i += team.team_size()) write(x.first_value + i, results[i]);
    }
  }

  // On the host a tile is a thread's share.
  void operator()(reduce_tag, std::int64_t t) const {
    const extent x = extent_of(t);
    const std::int64_t last = x.first_value + x.values;
    std::int64_t v = x.first_value;
    const auto until = [&](std::int64_t end) {
      const std::int64_t stop = Kokkos::clamp(end, v, last);
      state s = reducer.init();
      reduce_piece(s, v, stop);
      v = stop;
      return s;
    };
    if (x.ends > 0) first[t] = until(end_at(x.first_end));
    for (std::int64_t e = x.first_end + 1; e < x.first_end + x.ends; ++e)
      out[e - 1] = convert<Out>(reducer.result(until(end_at(e)), 0));
    left[t] = {until(last), x.ends > 0};
  }
  void operator()(open_tag, std::int64_t t) const {
    const extent whole = extent_of(t), x = open_part(whole);
    left[t] = {reducer.init(), whole.ends > 0};
    reduce_piece(left[t].state, x.first_value, x.first_value + x.values);
  }
  void operator()(scan_tag, std::int64_t t) const {
    const extent x = extent_of(t);
    const std::int64_t last = x.first_value + x.values, past = x.first_end + x.ends;
    std::int64_t v = x.first_value;
    state s = before[t].state;
    for (std::int64_t e = x.first_end; e <= past; ++e) {
      const std::int64_t stop = e < past ? Kokkos::clamp(end_at(e), v, last) : last;
      if (e > 0 && e < ends) scan_piece(s, v, stop);
      v = stop;
      s = reducer.init();
    }
  }

  void reduce_piece(state& s, std::int64_t v, std::int64_t last) const {
    constexpr int chains = 4, length = 16;  // joined in order
    for (; v + chains * length <= last; v += chains * length) {
      state of[chains] = {reducer.init(), reducer.init(), reducer.init(), reducer.init()};
      for (int k = 0; k < length; ++k)
        for (int c = 0; c < chains; ++c) reducer.add(of[c], values[v + c * length + k]);
      for (int c = 0; c < chains; ++c) reducer.join(s, of[c]);
    }
    for (; v < last; ++v) reducer.add(s, values[v]);
  }
  void scan_piece(state& s, std::int64_t v, std::int64_t last) const {
    for (; v < last; ++v) {
      reducer.add(s, values[v]);
      out[v] = convert<Out>(reducer.result(s, 0));
    }
  }
};

/// Launches the kernels: of a reduction into out[segment], or a scan into out[value].
template <bool Scan, class Exec, class Reducer, class Values, class Index, class Out>
void segmented_launch(const Exec& exec, const std::string& label, workspace<Exec>& scratch, const Reducer& reducer,
                      const strided<Out>& out, const Values& values, const strided<const Index>& offsets) {
  using kernel_type = segmented_kernel<Scan, Exec, Reducer, std::remove_const_t<decltype(Values::data)>, Index, Out>;
  using state = typename kernel_type::state;
  using carry = typename kernel_type::carry;
  const std::int64_t n = values.extents.extent[0], ends = offsets.extents.extent[0];
  if (ends < 2 || (Scan && n == 0)) return;

  kernel_type kernel{reducer,
                     source_line<std::remove_const_t<decltype(Values::data)>>(values),
                     strided_line(offsets),
                     strided_line(out),
                     n,
                     ends,
                     0};
  int threads = tuning<Exec>::segment_team;
  const auto by_teams = [&]<class Tag>(Tag, std::int64_t teams) {
    using policy =
        Kokkos::TeamPolicy<Exec, Tag, Kokkos::LaunchBounds<tuning<Exec>::segment_team, tuning<Exec>::segment_teams>>;
    const auto shared = team_scratch<Exec>(label, threads, kernel_type::team_bytes(threads));
    return policy(exec, static_cast<int>(teams), threads).set_scratch_size(0, shared);
  };
  if constexpr (kernel_type::device) {
    // Smaller teams where a multiprocessor has no room for so many of this reducer's.
    threads = team_with_room<Exec>(threads, [](int t) { return kernel_type::team_bytes(t); });
    if (threads == 0)
      throw Error(label, "a state of " + std::to_string(sizeof(state)) + " bytes is too large for this device");
    const auto fit = [&](auto tag) {
      return by_teams(tag, 1).team_size_max(kernel, Kokkos::ParallelForTag()) >= threads;
    };
    const auto all_fit = [&] {
      if constexpr (Scan) return fit(open_tag()) && fit(scan_tag());
      else return fit(reduce_tag());
    };
    while (threads > 32 && !all_fit()) threads /= 2;
  }
  const std::int64_t tile =
      kernel_type::device ? threads * kernel_type::items : (n + ends + exec.concurrency() - 1) / exec.concurrency();
  kernel.tile = tile;
  const std::int64_t tiles = (n + ends + tile - 1) / tile;
  scratch_layout layout;
  layout.add(kernel.left, tiles);
  layout.add(kernel.before, tiles);
  layout.add(kernel.first, tiles);
  layout.add(kernel.starts, tiles + 1);
  layout.allocate(exec, scratch);

  const auto each_tile = [&]<class Tag>(Tag, const std::string& name, std::int64_t count) {
    using policy = Kokkos::RangePolicy<Exec, Tag, Kokkos::IndexType<std::int64_t>>;
    Kokkos::parallel_for(name, policy(exec, 0, count), kernel);
  };
  const auto work = [&]<class Tag>(Tag, const std::string& name) {
    if constexpr (kernel_type::device) {
      Kokkos::parallel_for(name, by_teams(Tag(), tiles), kernel);
    } else {
      each_tile(Tag(), name, tiles);
    }
  };
  each_tile(starts_tag(), label + "/starts", tiles + 1);
  if constexpr (Scan) work(open_tag(), label + "/open");
  else work(reduce_tag(), label);
  const shape line{tiles};
  scan_launch<true>(exec, label + "/carries", scratch, kernel.carries(), axis_set::all(),
                    strided<carry>{kernel.before, line, {1}}, strided<const carry>{kernel.left, line, {1}});
  if constexpr (Scan) work(scan_tag(), label);
  else each_tile(ends_tag(), label + "/ends", tiles);
}

}  // namespace quern::impl

#endif
