// SPDX-FileCopyrightText: the Quern authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef QUERN_SCAN_HOST_SEGMENTS_HPP
#define QUERN_SCAN_HOST_SEGMENTS_HPP

#include <quern/core/launch/launch_units.hpp>
#include <quern/scan/segments.hpp>

namespace quern::impl {

/// Segments on the host, where a tile is a thread's share.
template <class Exec, class Reducer, class Source, class Index, class Out>
struct host_segments {
  using Work = merged_segments<Exec, Reducer, Source, Index, Out>;
  using state = typename Reducer::state;
  using extent = typename Work::extent;

  Work work;

  void operator()(reduce_tag, std::int64_t t) const {
    in_loop<host_segments> local = *this;  // what loops read must not be what they might write
    local.reduce(t);
  }
  void operator()(scan_tag, std::int64_t t) const {
    in_loop<host_segments> local = *this;
    local.scan(t);
  }

  void reduce(std::int64_t t) const {
    const extent x = work.extent_of(t);
    const std::int64_t last = x.first_value + x.values;
    std::int64_t v = x.first_value;
    const auto until = [&](std::int64_t end) {
      const std::int64_t stop = Kokkos::clamp(end, v, last);
      state s = work.reducer.init();
      reduce_values(s, v, stop);
      v = stop;
      return s;
    };
    if (x.ends > 0) work.first[t] = until(work.end_at(x.first_end));
    for (std::int64_t e = x.first_end + 1; e < x.first_end + x.ends; ++e)
      work.out[e - 1] = convert<Out>(work.reducer.result(until(work.end_at(e)), 0));
    work.left[t] = {until(last), x.ends > 0};
  }
  void operator()(open_tag, std::int64_t t) const {
    const extent whole = work.extent_of(t), x = work.open_part(whole);
    work.left[t] = {work.reducer.init(), whole.ends > 0};
    reduce_values(work.left[t].state, x.first_value, x.first_value + x.values);
  }
  void scan(std::int64_t t) const {
    const extent x = work.extent_of(t);
    const std::int64_t last = x.first_value + x.values, past = x.first_end + x.ends;
    std::int64_t v = x.first_value;
    state s = work.before[t].state;
    for (std::int64_t e = x.first_end; e <= past; ++e) {
      const std::int64_t stop = e < past ? Kokkos::clamp(work.end_at(e), v, last) : last;
      if (e > 0 && e < work.ends) scan_values(s, v, stop);
      v = stop;
      s = work.reducer.init();
    }
  }

  void reduce_values(state& s, std::int64_t v, std::int64_t last) const {
    constexpr int chains = 4, length = 16;  // joined in order
    for (; v + chains * length <= last; v += chains * length) {
      state of[chains] = {work.reducer.init(), work.reducer.init(), work.reducer.init(), work.reducer.init()};
      for (int k = 0; k < length; ++k)
        for (int c = 0; c < chains; ++c) work.reducer.add(of[c], work.values[v + c * length + k]);
      for (int c = 0; c < chains; ++c) work.reducer.join(s, of[c]);
    }
    for (; v < last; ++v) work.reducer.add(s, work.values[v]);
  }
  void scan_values(state& s, std::int64_t v, std::int64_t last) const {
    for (; v < last; ++v) {
      work.reducer.add(s, work.values[v]);
      work.out[v] = convert<Out>(work.reducer.result(s, 0));
    }
  }
};

}  // namespace quern::impl

#endif
