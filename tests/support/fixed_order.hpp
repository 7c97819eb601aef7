// SPDX-FileCopyrightText: the Quern authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef QUERN_TESTS_SUPPORT_FIXED_ORDER_HPP
#define QUERN_TESTS_SUPPORT_FIXED_ORDER_HPP

#include <algorithm>
#include <quern/scan/strided_scan.hpp>
#include <vector>

namespace test {

/// A scan by one thread in the order of additions that a scan in one pass promises, for bits: tiles of `threads` by
/// `items` elements, of which 16 threads make a group; groups of 32 tiles, and of 32 of these. For values among
/// themselves of at most 8 bytes.
template <bool Exclusive, class Out, class Reducer, class T>
class fixed_order {
  using run = quern::impl::scan_run<Reducer>;
  using local = typename run::local;
  using state = typename Reducer::state;
  static_assert(sizeof(local) <= 8);
  static constexpr int together = 16, fan = 32;

 public:
  fixed_order(const Reducer& reducer, int threads, int items) : reducer_(reducer), threads_(threads), items_(items) {}

  std::vector<Out> operator()(const std::vector<T>& values) const {
    std::vector<Out> out(values.size());
    const std::size_t tile = std::size_t(threads_) * items_;
    state supers = reducer_.init(), groups = reducer_.init(), tiles = reducer_.init();
    for (std::size_t first = 0, number = 1; first < values.size(); first += tile, ++number) {
      state s = supers;
      reducer_.join(s, groups);
      reducer_.join(s, tiles);
      const local all = scan_tile(values, out, first, std::min(values.size(), first + tile), s);
      run::append_one(reducer_, tiles, all);
      if (number % (fan * fan) == 0) {
        run::append_one(reducer_, s, all);
        supers = s;
        groups = tiles = reducer_.init();
      } else if (number % fan == 0) {
        reducer_.join(groups, tiles);
        tiles = reducer_.init();
      }
    }
    return out;
  }

 private:
  local scan_tile(const std::vector<T>& values, std::vector<Out>& out, std::size_t first, std::size_t last,
                  const state& before) const {
    local groups = run::none(reducer_);
    for (int g = 0; g < threads_ / together; ++g) {
      local in_group = run::none(reducer_);
      for (int t = 0; t < together; ++t) {
        const std::size_t from = first + std::size_t(g * together + t) * items_;
        const std::size_t to = std::min(last, from + items_);
        local between = groups;
        run::join(reducer_, between, in_group);
        run::join(reducer_, in_group, scan_thread(values, out, from, to, run::after(reducer_, before, between)));
      }
      run::join(reducer_, groups, in_group);
    }
    return groups;
  }
  local scan_thread(const std::vector<T>& values, std::vector<Out>& out, std::size_t from, std::size_t to,
                    run r) const {
    local total = run::none(reducer_);
    for (std::size_t i = from; i < to; ++i) {
      if (Exclusive) out[i] = static_cast<Out>(r.result(reducer_));
      r.add(reducer_, values[i]);
      if (!Exclusive) out[i] = static_cast<Out>(r.result(reducer_));
      run::add(reducer_, total, values[i]);
    }
    return total;
  }

  Reducer reducer_;
  int threads_, items_;
};

}  // namespace test

#endif
