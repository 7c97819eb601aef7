// SPDX-FileCopyrightText: the Quern authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef QUERN_KEYED_KEPT_HPP
#define QUERN_KEYED_KEPT_HPP

#include <algorithm>
#include <quern/core/workspace.hpp>
#include <quern/keyed/device_kept.hpp>
#include <quern/keyed/host_kept.hpp>
#include <quern/keyed/tuning.hpp>

namespace quern::impl {

/// Keeps what an array has marked.
template <class T>
struct is_marked {
  const T* marks;
  KOKKOS_FUNCTION bool operator()(std::int64_t i) const { return marks[i] != 0; }
};

/// Numbers what is kept; how many there are is written to `count`, which `exec` reaches.
template <class Exec, class Keep, class Put>
void for_kept(const std::string& label, const Exec& exec, std::int64_t n, const Keep& keep, const Put& put,
              std::int64_t* count) {
  using work_type = kept_tiles<Exec, Keep, Put>;
  const std::int64_t parts = std::clamp<std::int64_t>(n / keyed_tuning<Exec>::kept_least, 1, 4 * exec.concurrency());
  const std::int64_t tile = tuning<Exec>::device ? device_kept<work_type>::tile : (n + parts - 1) / parts;
  const std::int64_t tiles = n == 0 ? 1 : (n + tile - 1) / tile;
  const scratch_array<Exec, std::int64_t> counts(exec, tiles);
  const work_type work{keep, put, n, tile, tiles, counts.data(), count};
  const auto over_tiles = [&]<class Tag>(Tag, const char* what) {
    if constexpr (tuning<Exec>::device) over_tiles_on_device<Tag>(exec, label + what, work);
    else over_tiles_on_host<Tag>(exec, label + what, work);
  };
  over_tiles(count_kept_tag(), "/count");
  Kokkos::parallel_scan(
      label + "/add", Kokkos::RangePolicy<Exec, add_counts_tag, Kokkos::IndexType<std::int64_t>>(exec, 0, tiles), work);
  over_tiles(put_kept_tag(), "/put");
}

}  // namespace quern::impl

#endif
