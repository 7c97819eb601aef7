// SPDX-FileCopyrightText: the Quern authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef QUERN_SCAN_DEVICE_SEGMENTS_HPP
#define QUERN_SCAN_DEVICE_SEGMENTS_HPP

#include <quern/core/launch/team_scratch.hpp>
#include <quern/scan/device_scan.hpp>
#include <quern/scan/segments.hpp>
#include <quern/scan/tuning.hpp>

namespace quern::impl {

/// Segments on a device: a team for each tile, which it copies into its scratch memory.
template <class Exec, class Reducer, class Source, class Index, class Out>
struct device_segments {
  using Work = merged_segments<Exec, Reducer, Source, Index, Out>;
  using T = source_value_t<Source>;
  using state = typename Reducer::state;
  using carry = segment_carry<state>;
  using extent = typename Work::extent;
  using scan = device_scan<Exec, false, Reducer, const T*, Out>;  // what teams share
  static constexpr std::size_t slot = std::max(sizeof(T), sizeof(Out));
  static constexpr int items = slot <= 8 ? 19 : std::max<int>(1, 128 / slot - 1);
  static constexpr int batch = 5;  // loads of a thread in flight

  Work work;

  /// The shared memory of a team: carries, values and then results of a tile, and its ends as numbers of values.
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
    const auto value = work.values.data + x.first_value * work.values.step;
    const Index* end = &work.offsets[x.first_end];
    move(
        team, static_cast<int>(x.values), [&](int i) { return value[i * work.values.step]; },
        [&](int i, const T& v) { m.value[i] = v; });
    move(
        team, static_cast<int>(x.ends), [&](int i) { return end[i * work.offsets.step]; },
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
    const int position = Kokkos::min(t * items, values_here + ends_here);
    const int e = work.ends_before(position, values_here, ends_here, [&](int i) { return int{m.end[i]}; });
    return {e, position - e, Kokkos::min(int{items}, values_here + ends_here - position)};
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
    const int ends_here = static_cast<int>(x.ends), none = static_cast<int>(work.tile);
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
    return scan::join_before(team, m.carries, work.carries().init(), mine, all,
                             [&](carry& a, const carry& b) { work.carries().join(a, b); });
  }

  // Segments that begin and end in a thread's part are finished there, those that begin in another of the tile after
  // the carries are known, and that which the tile ends first by the last kernel.
  template <class Member>
  KOKKOS_FUNCTION void operator()(reduce_tag, const Member& team) const {
    const extent x = work.extent_of(team.league_rank());
    const team_memory m = memory_of(team, x);
    load(team, x, m);
    carry mine = work.carries().init(), all;
    state to_first = work.reducer.init();
    int first_end = 0;
    const auto at_end = [&](int e) {
      if (!mine.ended) {
        to_first = mine.state;
        first_end = e;
      } else {
        m.result[e] = convert<Out>(work.reducer.result(mine.state, 0));
      }
      mine = {work.reducer.init(), 1};
    };
    walk(part_of(team.team_rank(), x, m), x, m, at_end, [&](int v) { work.reducer.add(mine.state, m.value[v]); });
    const carry prior = carry_before(team, m, mine, all);
    if (team.team_rank() == 0) work.left[team.league_rank()] = all;
    if (mine.ended) {
      state s = prior.state;
      work.reducer.join(s, to_first);
      if (prior.ended) m.result[first_end] = convert<Out>(work.reducer.result(s, 0));
      else work.first[team.league_rank()] = s;
    }
    team.team_barrier();
    for (int i = team.team_rank(); i < x.ends; i += team.team_size())
      if (i > 0) work.out[x.first_end + i - 1] = m.result[i];
  }

  template <class Member>
  KOKKOS_FUNCTION void operator()(open_tag, const Member& team) const {
    const extent whole = work.extent_of(team.league_rank()), x = work.open_part(whole);
    const team_memory m = memory_of(team, x);
    load(team, x, m);
    carry mine = work.carries().init(), all;
    walk(part_of(team.team_rank(), x, m), x, m, [](int) {}, [&](int v) { work.reducer.add(mine.state, m.value[v]); });
    carry_before(team, m, mine, all);
    if (team.team_rank() == 0) work.left[team.league_rank()] = {all.state, whole.ends > 0};
  }

  // Writes the prefixes of the tile's values, except those outside of all segments. Those of segments that begin in a
  // thread's part come first, the others when it is known what is before them.
  template <class Member>
  KOKKOS_FUNCTION void operator()(scan_tag, const Member& team) const {
    const extent x = work.extent_of(team.league_rank());
    const team_memory m = memory_of(team, x);
    const std::int64_t begin = work.end_at(0), past = work.end_at(work.ends - 1);
    carry s = work.before[team.league_rank()];
    load(team, x, m);
    const auto write = [&](std::int64_t v, const Out& result) {
      if (v >= begin && v < past) work.out[v] = result;
    };
    constexpr bool in_place = sizeof(T) == sizeof(Out);  // a thread reads what it overwrites
    Out* results = reinterpret_cast<Out*>(m.value);
    const auto step = [&](state& prefix, int v, bool known) {
      work.reducer.add(prefix, m.value[v]);
      if (!known) return;
      const Out result = convert<Out>(work.reducer.result(prefix, 0));
      if constexpr (in_place) results[v] = result;
      else write(x.first_value + v, result);
    };
    const part p = part_of(team.team_rank(), x, m);
    carry mine = work.carries().init(), all;
    int open = 0;
    walk(
        p, x, m, [&](int) { mine = {work.reducer.init(), 1}; },
        [&](int v) {
          step(mine.state, v, mine.ended);
          if (!mine.ended) ++open;
        });
    work.carries().join(s, carry_before(team, m, mine, all));
    for (int i = 0; i < open; ++i) step(s.state, p.v + i, true);
    if constexpr (in_place) {
      team.team_barrier();
      for (int i = team.team_rank(); i < x.values; i += team.team_size()) write(x.first_value + i, results[i]);
    }
  }
};

/// A launch of teams for the tiles of segments on a device.
template <class Kernel, class Exec>
struct segment_teams {
  Exec exec;
  const std::string& label;
  int threads = scan_tuning<Exec>::segment_team;

  /// The bound is on teams, not on their registers alone: `fit` makes them smaller until so many run at a time.
  template <class Tag>
  auto policy(Tag, std::int64_t teams) const {
    using policy_type =
        Kokkos::TeamPolicy<Exec, Tag,
                           Kokkos::LaunchBounds<scan_tuning<Exec>::segment_team, scan_tuning<Exec>::segment_teams>>;
    const auto shared = team_scratch<Exec>(label, threads, Kernel::team_bytes(threads));
    return policy_type(exec, static_cast<int>(teams), threads).set_scratch_size(0, shared);
  }
  /// Makes teams smaller where a multiprocessor has no room for so many threads of this reducer's.
  template <class... Tag>
  void fit(const Kernel& kernel, Tag... tag) {
    threads = team_with_room<Exec>(threads, [](int t) { return Kernel::team_bytes(t); });
    if (threads == 0)
      throw Error(label, "a state of " + std::to_string(sizeof(typename Kernel::state)) +
                             " bytes is too large for this device");
    while (threads > 32 && !((policy(tag, 1).team_size_max(kernel, Kokkos::ParallelForTag()) >= threads) && ...))
      threads /= 2;
  }
};

}  // namespace quern::impl

#endif
