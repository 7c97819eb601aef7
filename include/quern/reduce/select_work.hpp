// SPDX-FileCopyrightText: the Quern authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef QUERN_REDUCE_SELECT_WORK_HPP
#define QUERN_REDUCE_SELECT_WORK_HPP

#include <quern/core/launch/loop_nest.hpp>
#include <quern/core/launch/team_scratch.hpp>
#include <quern/core/values/values.hpp>
#include <quern/reduce/select_team.hpp>
#include <quern/reduce/tuning.hpp>
#include <quern/reducers/quantile_rule.hpp>

namespace quern::impl {

/// How results and threads share a selection.
struct select_shape : reduce_shape {
  int log_bins = 11;
  std::int64_t copied = 0;  // keys
  bool held = false;        // by the registers of a device's team, which has one result
};

struct select_short_tag {};  // a thread for a result
struct select_tile_tag {};   // a team for adjacent results
struct select_held_tag {};   // a team for a result, whose keys are in its registers

/// Bins for a line of n keys, as a power of two.
inline int log_bins_for(std::int64_t n) {
  return std::clamp(static_cast<int>(std::bit_width(static_cast<std::uint64_t>(n))) - 1, 5, 11);
}

/// Quantiles along some axes by selection, without sorting: what hosts and devices share. How lines are read is in
/// device_select.hpp and host_select.hpp, and in select_passes.hpp for long ones.
template <class Exec, class T, class Out>
struct select_work {
  using order = ordered<T>;
  using key = typename order::key;
  using number = mean_type<T>;
  template <class Tag>
  using policy =
      Kokkos::TeamPolicy<Exec, Tag,
                         registers_of_teams<tuning<Exec>::team_size, std::is_same_v<Tag, select_held_tag>
                                                                         ? reduce_tuning<Exec>::select_held_teams
                                                                         : reduce_tuning<Exec>::select_teams>>;
  using member = typename policy<select_tile_tag>::member_type;

  quantile_rule rule;
  const T* in;
  row_nest<1> nest;         // the elements of a line
  row_nest<2> result_nest;  // the lines, and out
  std::int64_t n;
  Out* out;
  const std::int64_t* hidden;  // by a mask, where out has the result: elements that come last; null for none
  select_shape shape{};

  KOKKOS_FUNCTION typename row_nest<2>::offsets result_at(std::int64_t result) const {
    std::int64_t i;
    return result_nest.at_item(result, result_nest.inner, 1, i);
  }
  KOKKOS_FUNCTION key_line<Exec, T> line_at(std::int64_t offset) const { return {nest, in + offset}; }
  std::int64_t results() const { return result_nest.inner * result_nest.outer; }
  /// f(tile) for the tiles of a team.
  template <class F>
  KOKKOS_FUNCTION void for_tiles(const member& team, const F& f) const {
    const std::int64_t teams = team.league_size(), rank = team.league_rank();
    for (std::int64_t t = rank * shape.tiles / teams; t < (rank + 1) * shape.tiles / teams; ++t)
      f(shape.tile_at(t, result_nest.inner));
  }

  KOKKOS_FUNCTION std::int64_t hidden_of(std::int64_t to) const { return hidden == nullptr ? 0 : hidden[to]; }
  /// How many elements come after those that the quantile is of: NaN, as which a mask's hidden ones are counted, too,
  /// or hidden integers.
  KOKKOS_FUNCTION std::int64_t after(std::int64_t to, std::int64_t nans) const {
    return order::floating ? nans : hidden_of(to);
  }
  KOKKOS_FUNCTION bool is_nan(std::int64_t to, std::int64_t nans) const {
    return rule.is_nan(n, after(to, nans), hidden_of(to));
  }
  KOKKOS_FUNCTION quantile_position among(std::int64_t to, std::int64_t nans) const {
    return rule.among(n - after(to, nans));
  }

  KOKKOS_FUNCTION void write(std::int64_t at, key first, key second, double fraction) const {
    const auto a = static_cast<double>(order::number_of(first)), b = static_cast<double>(order::number_of(second));
    out[at] = convert<Out>(static_cast<number>(between(a, b, fraction)));
  }
  KOKKOS_FUNCTION void write_nan(std::int64_t at) const {
    out[at] = convert<Out>(number{Kokkos::Experimental::quiet_NaN_v<number>});
  }

  /// Writes the quantile of a line by the threads that share it.
  template <class Threads, class Keys>
  KOKKOS_FUNCTION void select_line(Threads threads, const Keys& keys_of, const line_share& share,
                                   std::int64_t to) const {
    key_tally<key> t;
    if (threads.used) keys_of.for_each(share, [&](const auto& block) { t.template add<order>(block); });
    t = threads.joined(t);
    const bool writes = threads.used && threads.r == 0, nan = is_nan(to, t.nans);
    if (nan) threads.used = false;
    const quantile_position p = among(to, t.nans);
    const auto pair = threads.select(keys_of, share, {t.low, t.high, p.first, p.second});
    if (writes && nan) write_nan(to);
    else if (writes) write(to, pair.first, pair.second, p.fraction);
  }
};

}  // namespace quern::impl

#endif
