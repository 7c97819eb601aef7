// SPDX-FileCopyrightText: the Quern authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef QUERN_REDUCE_KERNEL_HPP
#define QUERN_REDUCE_KERNEL_HPP

#include <quern/core/arguments.hpp>
#include <quern/core/operations.hpp>
#include <quern/core/workspace.hpp>
#include <quern/reduce/reducers.hpp>

namespace quern::impl {

/// What a team makes of its threads' states: their join, in thread 0, in an order that depends on the team size alone.
template <class Reducer, class Member>
KOKKOS_FUNCTION void team_join(const Member& team, const Reducer& reducer, typename Reducer::state& s) {
  using state = typename Reducer::state;
  auto* shared =
      static_cast<state*>(team.team_shmem().get_shmem_aligned(team.team_size() * sizeof(state), alignof(state)));
  const int t = team.team_rank();
  shared[t] = s;
  for (int half = team.team_size() / 2; half > 0; half /= 2) {
    team.team_barrier();
    if (t < half) reducer.join(shared[t], shared[t + half]);
  }
  if (t == 0) s = shared[0];
}

/// The reduction of f(in(i)...): each team reduces a share, through packs where the operands allow it, and the last
/// team to finish joins the teams' states in their order.
///
/// On a device thread t of all takes packs t, t + threads, ...; on the host a team is one thread and takes a contiguous
/// run of blocks. Both shares depend on the launch's shape alone, so results repeat from run to run.
template <class Exec, class Reducer, class F, class Out, class... In>
struct reduce_kernel {
  static constexpr int operands = sizeof...(In);
  static constexpr bool device = tuning<Exec>::device;
  static constexpr int width = pack_width<Exec, typename In::value_type...>();
  static constexpr int packs = tuning<Exec>::reduce_packs;
  static constexpr std::int64_t block =
      tuning<Exec>::reduce_block_bytes /
      static_cast<std::int64_t>(std::bit_ceil(std::max({sizeof(typename In::value_type)...})));
  using state = typename Reducer::state;
  using value = std::remove_cvref_t<std::invoke_result_t<const F&, typename In::value_type...>>;
  using offsets = typename row_nest<operands>::offsets;
  using indices = std::index_sequence_for<In...>;
  using policy = Kokkos::TeamPolicy<Exec>;
  using member = typename policy::member_type;

  Reducer reducer;
  F f;
  operand_tuple<In...> in;
  row_nest<operands> nest;
  std::int64_t values;
  Out* out;
  std::int64_t items = 0;  // per row: packs, elements or blocks
  std::int64_t total = 0;
  bool packed = false;       // device: items are packs
  bool gathers = false;      // host: elements of a row are not neighbours
  state* partial = nullptr;  // of each team
  int* finished = nullptr;   // teams; 0 before and after the kernel

  template <std::size_t... I>
  KOKKOS_FUNCTION value element(const offsets& o, std::int64_t k, std::index_sequence<I...>) const {
    return f(get<I>(in).load(o.of[I] + k * get<I>(in).step)...);
  }

  /// The values of several items of W elements, all loaded before the first is used.
  template <int W, int Count, std::size_t... I>
  KOKKOS_FUNCTION void whole_items(value* v, const offsets (&o)[Count], std::index_sequence<I...>) const {
    apply_packs<W, Count>(v, std::index_sequence<I...>(), load_packs<W, I>(get<I>(in), o)...);
  }
  template <int W, int Which, int Count, class Operand>
  KOKKOS_FUNCTION auto load_packs(const Operand& operand, const offsets (&o)[Count]) const {
    packs_of<typename Operand::value_type, W, Count> p;
    for (int u = 0; u < Count; ++u) p.at[u] = operand.template load_pack<W>(o[u].of[Which]);
    return p;
  }
  template <int W, int Count, std::size_t... I, class... P>
  KOKKOS_FUNCTION void apply_packs(value* v, std::index_sequence<I...>, const P&... p) const {
    for (int u = 0; u < Count; ++u)
      for (int k = 0; k < W; ++k) v[u * W + k] = f(get<I>(in).template expand<W>(p.at[u], k)...);
  }

  /// A thread's share of a device. W values an item.
  template <int W>
  KOKKOS_FUNCTION void device_share(state& s, std::int64_t first, std::int64_t threads) const {
    value v[packs * W];
    const std::int64_t whole = nest.outer == 1 ? nest.inner / W : total;  // the last item of a single row may be short
    std::int64_t item = first, i;
    for (; item + (packs - 1) * threads < whole; item += packs * threads) {
      offsets o[packs];
      for (int u = 0; u < packs; ++u) o[u] = nest.at_item(item + u * threads, items, W, i);
      whole_items<W>(v, o, indices());
      reducer.template add_block<packs * W>(s, v);
    }
    for (; item < total; item += threads) {
      const offsets o[1] = {nest.at_item(item, items, W, i)};
      if (item < whole) {
        whole_items<W>(v, o, indices());
        reducer.template add_block<W>(s, v);
      } else {
        for (std::int64_t k = 0; i + k < nest.inner; ++k) reducer.add(s, element(o[0], k, indices()));
      }
    }
  }

  /// f of a block in contiguous memory: where the values are, or computed into `room`.
  template <class... P>
  const value* apply_block(value* room, std::int64_t n, const P&... p) const {
    if constexpr (std::is_same_v<F, op::identity> && (std::is_pointer_v<P> && ...)) {
      return (p, ...);
    } else {
      const F local = f;
      for (std::int64_t k = 0; k < n; ++k) room[k] = local(p[k]...);
      return room;
    }
  }
  template <std::size_t... I>
  void host_block(state& s, std::int64_t item, std::index_sequence<I...>) const {
    alignas(64) std::byte room[block * sizeof(value)];
    std::int64_t i;
    const offsets o = nest.at_item(item, items, block, i);
    const std::int64_t size = Kokkos::min(block, nest.inner - i);
    const value* v = nullptr;
    if (gathers) v = apply_block(reinterpret_cast<value*>(room), size, get<I>(in).strided_from(o.of[I])...);
    else
      with_readers([&](const auto&... from) { v = apply_block(reinterpret_cast<value*>(room), size, from...); },
                   std::tuple<const In&...>(get<I>(in)...), o.of);
    constexpr int step = 16;
    std::int64_t k = 0;
    if (size == block) {
      reducer.template add_block<block>(s, v);
      k = size;
    }
    for (; k + step <= size; k += step) reducer.template add_block<step>(s, v + k);
    for (; k < size; ++k) reducer.add(s, v[k]);
  }

  KOKKOS_FUNCTION void operator()(const member& team) const {
    state s = reducer.init();
    const std::int64_t teams = team.league_size(), rank = team.league_rank();
    if constexpr (device) {
      const std::int64_t first = rank * team.team_size() + team.team_rank();
      if (packed) device_share<width>(s, first, teams * team.team_size());
      else device_share<1>(s, first, teams * team.team_size());
      team_join(team, reducer, s);
    } else {
      for (std::int64_t item = rank * total / teams; item < (rank + 1) * total / teams; ++item)
        host_block(s, item, indices());
    }
    if (teams == 1) {
      if (team.team_rank() == 0) *out = static_cast<Out>(reducer.result(s, values));
    } else {
      finish(team, s);
    }
  }

  /// Leaves the team's state to the last team, or is it.
  KOKKOS_FUNCTION void finish(const member& team, state& s) const {
    const int teams = team.league_size();
    int before = 0;
    if (team.team_rank() == 0) {
      partial[team.league_rank()] = s;
      Kokkos::memory_fence();
      before = Kokkos::atomic_fetch_add(finished, 1);
      Kokkos::memory_fence();
    }
    team.team_broadcast(before, 0);
    if (before != teams - 1) return;
    s = reducer.init();
    for (int i = team.team_rank(); i < teams; i += team.team_size()) reducer.join(s, partial[i]);
    if constexpr (device) team_join(team, reducer, s);
    if (team.team_rank() == 0) {
      *out = static_cast<Out>(reducer.result(s, values));
      *finished = 0;
    }
  }
};

/// Chooses the launch's shape and launches it. `out` is memory that `exec` reaches.
template <class Exec, class Reducer, class Out, class F, class... Input>
void reduce_launch(const Exec& exec, const std::string& label, workspace<Exec>& scratch, const Reducer& reducer,
                   const F& f, Out* out, const Input&... in) {
  constexpr int operands = sizeof...(Input);
  using kernel_type = reduce_kernel<Exec, Reducer, F, Out, typename Input::operand...>;
  using state = typename Reducer::state;
  const shape extents = std::get<0>(std::tie(in...)).array.extents;
  const std::array<std::array<std::int64_t, max_rank>, operands> strides{in.array.stride...};
  const auto nest = make_loop_nest<operands>(extents, strides);

  int k = -1;
  kernel_type kernel{reducer, f, {{in.at_step(nest.stride[++k][0])}...}, row_nest<operands>(nest), extents.size(), out};
  const auto& rows = kernel.nest;
  kernel.packed = [&]<std::size_t... I>(std::index_sequence<I...>) {
    constexpr int w = kernel_type::width;
    return w > 1 && (get<I>(kernel.in).template packs<w>(rows.stride[I], rows.rank) && ...) &&
           (rows.outer == 1 || rows.inner % w == 0);
  }(std::index_sequence_for<Input...>());
  kernel.gathers = [&]<std::size_t... I>(std::index_sequence<I...>) {
    return ((get<I>(kernel.in).step > 1) || ...);
  }(std::index_sequence_for<Input...>());
  const std::int64_t per_item = !kernel.device ? kernel.block : kernel.packed ? kernel.width : 1;
  kernel.items = (rows.inner + per_item - 1) / per_item;
  kernel.total = kernel.items * rows.outer;

  const int team = tuning<Exec>::team_size;
  const std::int64_t useful = (kernel.total + team - 1) / team;
  const auto most = static_cast<std::int64_t>(exec.concurrency() * tuning<Exec>::reduce_occupancy) / team;
  const int league = static_cast<int>(std::clamp<std::int64_t>(useful, 1, std::max<std::int64_t>(most, 1)));
  kernel.partial = static_cast<state*>(scratch.require(exec, league * sizeof(state)));
  kernel.finished = scratch.counter();
  const auto shared = Kokkos::PerTeam(2 * (team * sizeof(state) + alignof(state)));
  Kokkos::parallel_for(label, typename kernel_type::policy(exec, league, team).set_scratch_size(0, shared), kernel);
}

}  // namespace quern::impl

#endif
