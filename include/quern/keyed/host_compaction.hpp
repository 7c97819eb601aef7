// SPDX-FileCopyrightText: the Quern authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef QUERN_KEYED_HOST_COMPACTION_HPP
#define QUERN_KEYED_HOST_COMPACTION_HPP

#include <algorithm>
#include <array>
#include <bit>
#include <cstdint>
#include <cstring>
#include <quern/core/launch/index_range.hpp>
#include <quern/core/launch/launch_units.hpp>
#include <quern/core/memory/workspace.hpp>
#include <quern/keyed/compaction_tiles.hpp>
#include <quern/keyed/tuning.hpp>
#include <string>

namespace quern::impl {

/// The numbers of the bits that are set in a byte, in ascending order, a byte each.
inline constexpr auto bits_of_byte = [] {
  std::array<std::uint64_t, 256> all{};
  for (unsigned byte = 0; byte < 256; ++byte)
    for (unsigned bit = 0, found = 0; bit < 8; ++bit)
      if ((byte >> bit & 1) != 0) all[byte] |= std::uint64_t{bit} << (8 * found++);
  return all;
}();

/// Writes the numbers i < size, at most 256, for which `set[i]` is 1 and not 0, and returns how many; up to the next
/// multiple of 8 `set` is written, and `selected` too. Eight at a time.
inline int select_set(std::uint8_t* set, int size, std::uint8_t* selected) {
  int found = 0;
  std::fill(set + size, set + (size + 7) / 8 * 8, std::uint8_t{0});
  for (int i = 0; i < size; i += 8) {
    std::uint64_t eight;
    std::memcpy(&eight, set + i, 8);
    const std::uint64_t bits = (eight * 0x0102040810204080u) >> 56;  // of which bit k is byte k
    const std::uint64_t numbers = bits_of_byte[bits] + static_cast<std::uint64_t>(i) * 0x0101010101010101u;
    std::memcpy(selected + found, &numbers, 8);
    found += static_cast<int>((eight * 0x0101010101010101u) >> 56);  // the sum of the bytes
  }
  return found;
}

/// Keeps by the threads of a host, a tile each: tiles are counted, the counts added up, and the tiles looked at again.
template <class Work>
struct host_compaction {
  Work work;
  std::int64_t* counts;  // of the tiles; then of all tiles before

  void operator()(count_selected_tag, std::int64_t t) const {
    constexpr int max_run = 128;  // counted in bytes, of which vector registers hold most
    const std::int64_t last = work.last_of(t);
    std::int64_t found = 0;
    for (std::int64_t i = work.first_of(t); i < last; i += max_run) {
      std::uint8_t some = 0;
      for_run(i, Kokkos::min(i + max_run, last),
              [&](std::int64_t, bool set) { some = static_cast<std::uint8_t>(some + (set ? 1 : 0)); });
      found += some;
    }
    counts[t] = found;
  }
  /// A tile alone need not be counted before.
  void operator()(put_selected_tag, std::int64_t t) const {
    const std::int64_t end = put_tile(work.first_of(t), work.last_of(t), counts == nullptr ? 0 : counts[t]);
    if (counts == nullptr) *work.count = end;
  }

  /// By blocks: first which are kept, without a branch that would be guessed wrong, then what is done with them.
  /// Returns the number of those before the next tile.
  std::int64_t put_tile(std::int64_t first, std::int64_t last, std::int64_t before) const {
    constexpr int block = 256;
    in_loop<Work> local = work;  // what loops read must not be what they might write
    for (; first < last; first += block) {
      const int size = static_cast<int>(Kokkos::min<std::int64_t>(block, last - first));
      std::uint8_t selected[block];
      [[maybe_unused]] std::int64_t number[Work::follows ? block : 1];
      std::uint8_t set[block];
      for_run(first, first + size, [&](std::int64_t item, bool is_set) { set[item - first] = is_set ? 1 : 0; });
      int found = 0;
      if constexpr (Work::follows || std::endian::native != std::endian::little) {
        for (int i = 0; i < size; ++i) {
          selected[found] = static_cast<std::uint8_t>(i);
          if constexpr (Work::follows) number[i] = before + found - (1 - set[i]);
          found += set[i];
        }
      } else {
        found = select_set(set, size, selected);
      }
      if constexpr (requires { local.put.put_run(first, selected, found, before); }) {
        local.put.put_run(first, selected, found, before);
      } else {
        for (int k = 0; k < found; ++k) {
          if constexpr (Work::gets) local.put.set(before + k, local.put.get(first + selected[k]));
          else local.put(first + selected[k], before + k);
        }
      }
      if constexpr (Work::follows)
        for (int i = 0; i < size; ++i) local.put.follow(first + i, number[i]);
      before += found;
    }
    return before;
  }

  /// f(i, keep(i)) for a run of elements, on a host.
  template <class F>
  void for_run(std::int64_t first, std::int64_t last, const F& f) const {
    if constexpr (requires { work.keep.for_run(first, last, f); }) work.keep.for_run(first, last, f);
    else
      for (std::int64_t i = first; i < last; ++i) f(i, work.keep(i));
  }
};

template <class Exec, class Keep, class Put>
void keep_on_host(const Exec& exec, const std::string& label, std::int64_t n, const Keep& keep, const Put& put,
                  std::int64_t* count) {
  const std::int64_t parts =
      std::clamp<std::int64_t>(n / keyed_tuning<Exec>::compaction_least, 1, 4 * exec.concurrency());
  const bool alone = exec.concurrency() == 1;
  const std::int64_t tile = alone ? n : (n + parts - 1) / parts, tiles = n == 0 ? 1 : (n + tile - 1) / tile;
  if (tiles == 1)
    return launch_units<put_selected_tag>(
        exec, label_text(label, "/put"), 1,
        host_compaction<compaction_tiles<Exec, Keep, Put>>{{keep, put, n, n, 1, count}, nullptr});
  const scratch_array<Exec, std::int64_t> memory(exec, tiles);
  std::int64_t* counts = memory.data();
  const host_compaction<compaction_tiles<Exec, Keep, Put>> kernel{{keep, put, n, tile, tiles, count}, counts};
  // Puts the sum of all before in place of each count, and that of all into `count`.
  const auto add_counts = [=](std::int64_t t, std::int64_t& before, bool final) {
    const std::int64_t here = counts[t];
    if (final) counts[t] = before;
    before += here;
    if (final && t == tiles - 1) *count = before;
  };
  launch_units<count_selected_tag>(exec, label_text(label, "/count"), tiles, kernel);
  Kokkos::parallel_scan(kernel_label(label, "/add"), index_range(exec, tiles), add_counts);
  launch_units<put_selected_tag>(exec, label_text(label, "/put"), tiles, kernel);
}

}  // namespace quern::impl

#endif
