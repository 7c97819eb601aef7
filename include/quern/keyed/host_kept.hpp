// SPDX-FileCopyrightText: the Quern authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef QUERN_KEYED_HOST_KEPT_HPP
#define QUERN_KEYED_HOST_KEPT_HPP

#include <quern/keyed/kept_tiles.hpp>

namespace quern::impl {

/// Keeps by the threads of a host, a tile each.
template <class Work>
struct host_kept {
  Work work;

  void operator()(count_kept_tag, std::int64_t t) const {
    constexpr int most = 128;  // counted in bytes, of which vector registers hold most
    const std::int64_t last = work.last_of(t);
    std::int64_t kept = 0;
    for (std::int64_t i = work.first_of(t); i < last; i += most) {
      std::uint8_t some = 0;
      for_run(i, Kokkos::min(i + most, last), [&](std::int64_t, bool set) { some += set ? 1 : 0; });
      kept += some;
    }
    work.counts[t] = kept;
  }
  void operator()(put_kept_tag, std::int64_t t) const {
    put_on_host(work.first_of(t), work.last_of(t), work.counts[t]);
  }

  /// By blocks: first which are kept, without a branch that would be guessed wrong, then what is done with them.
  void put_on_host(std::int64_t first, std::int64_t last, std::int64_t before) const {
    constexpr int block = 256;
    const auto local = work.put;  // what loops read must not be what they might write
    for (; first < last; first += block) {
      const int size = static_cast<int>(Kokkos::min<std::int64_t>(block, last - first));
      std::uint8_t kept[block];
      [[maybe_unused]] std::int64_t number[Work::follows ? block : 1];
      int found = 0;
      for_run(first, first + size, [&](std::int64_t item, bool set) {
        const auto i = item - first;
        kept[found] = static_cast<std::uint8_t>(i);
        if constexpr (Work::follows) number[i] = before + found - (set ? 0 : 1);
        found += set ? 1 : 0;
      });
      for (int k = 0; k < found; ++k) local(first + kept[k], before + k);
      if constexpr (Work::follows)
        for (int i = 0; i < size; ++i) local.follow(first + i, number[i]);
      before += found;
    }
  }

  /// f(i, keep(i)) for a run of elements, on a host.
  template <class F>
  void for_run(std::int64_t first, std::int64_t last, const F& f) const {
    if constexpr (requires { work.keep.for_run(first, last, f); }) work.keep.for_run(first, last, f);
    else
      for (std::int64_t i = first; i < last; ++i) f(i, work.keep(i));
  }
};

template <class Tag, class Exec, class Work>
void over_tiles_on_host(const Exec& exec, const std::string& label, const Work& work) {
  using policy = Kokkos::RangePolicy<Exec, Tag, Kokkos::IndexType<std::int64_t>>;
  Kokkos::parallel_for(label, policy(exec, 0, work.tiles), host_kept<Work>{work});
}

}  // namespace quern::impl

#endif
