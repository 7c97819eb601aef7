// SPDX-FileCopyrightText: the Quern authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef QUERN_CORE_VIEWS_INDEX_SOURCES_HPP
#define QUERN_CORE_VIEWS_INDEX_SOURCES_HPP

/// @file
/// Elements that are found by a map of indices.
///
/// A source is read by addresses, which are numbers. Those of memory count its elements. Where the index along an axis
/// is mapped, an address has that index in some of its bits, in those below it the address of the axes that are closer
/// in memory, and in those above it the address of the others: strides then lead from element to element as they do in
/// memory, and in the same order, and what re-indexes by strides, and kernels that walk by them, need not know. No
/// division is needed to take an address apart.

#include <Kokkos_Core.hpp>
#include <algorithm>
#include <quern/core/launch/pack_types.hpp>
#include <quern/core/views/extents.hpp>
#include <type_traits>

namespace quern::impl {

/// Elements at equal distances in memory, as far as they are: `count` of them from `data` on.
template <class T>
struct source_run {
  const T* data = nullptr;  // null where nothing is known
  std::int64_t step = 0;
  std::int64_t count = 0;
};

/// Memory. M is what it is said to hold, values or rows of them.
template <class M>
struct memory_source {
  using value_type = stored<M>;
  using pointer = pointer_to<const M>;
  static constexpr bool has_runs = std::is_pointer_v<pointer>, has_strides = has_runs;
  pointer data;

  KOKKOS_FORCEINLINE_FUNCTION value_type load(std::int64_t at) const { return data[at]; }
  /// Whether the elements of W addresses from any multiple of W are one aligned pack, which `load_pack` then reads.
  bool holds_packs(int w) const {
    if constexpr (has_runs)
      return reinterpret_cast<std::uintptr_t>(data) % (static_cast<std::size_t>(w) * sizeof(value_type)) == 0;
    else return false;
  }
  template <int W>
  KOKKOS_FORCEINLINE_FUNCTION pack<value_type, W> load_pack(std::int64_t at) const {
    if constexpr (has_runs) return *reinterpret_cast<const pack<value_type, W>*>(data + at);
    else return {};
  }
  source_run<value_type> run(std::int64_t at, std::int64_t step, std::int64_t count) const {
    if constexpr (has_runs) return {data + at, step, count};
    else return {};
  }
  KOKKOS_FORCEINLINE_FUNCTION source_run<value_type> strided(std::int64_t at, std::int64_t step, int count) const {
    return {data + at, step, count};
  }
  std::int64_t period(std::int64_t) const { return 1; }
  void gather(std::int64_t at, std::int64_t step, std::int64_t count, value_type* to) const {
    if (step == 1) {
      std::copy_n(data + at, count, to);
    } else if (step == 0) {
      if (count > 0) std::fill_n(to, count, value_type(data[at]));
    } else {
      for (std::int64_t k = 0; k < count; ++k) to[k] = data[at + k * step];
    }
  }
};

/// Addresses themselves, as positions are read.
struct position_source {
  using value_type = std::int64_t;
  static constexpr bool has_runs = false, has_strides = false;
  KOKKOS_FORCEINLINE_FUNCTION std::int64_t load(std::int64_t at) const { return at; }
  std::int64_t period(std::int64_t) const { return 1; }
  bool holds_packs(int) const { return false; }
  template <int W>
  KOKKOS_FORCEINLINE_FUNCTION pack<std::int64_t, W> load_pack(std::int64_t) const {
    return {};
  }
  source_run<std::int64_t> run(std::int64_t, std::int64_t, std::int64_t) const { return {}; }
};

/// The number of steps from i that stay from `low` to `high`, both included, at most `count`. All do that stand still.
inline std::int64_t steps_within(std::int64_t i, std::int64_t low, std::int64_t high, std::int64_t step,
                                 std::int64_t count) {
  if (step == 0) return count;
  if (step == 1) return high - i < count - 1 ? high - i + 1 : count;  // without the time of a division
  const std::int64_t room = step > 0 ? (high - i) / step : (i - low) / -step;
  return room < count - 1 ? room + 1 : count;  // a step more may be no number
}

/// Where in an address the index along an axis stands.
struct index_bits {
  int below = 0;        // bits of the axes that are closer in memory
  int of_index = 0;     // bits of the index
  int outer_shift = 0;  // low bits that the addresses of all other axes leave 0, which are not stored
};

/// Where consecutive indices lead, `count` of them: to `first`, then always `step` further (1, 0 or -1). A count of 0
/// says that they lead anywhere; `outside`, that they lead to no element.
struct index_run {
  std::int64_t first = 0;
  int step = 1;
  std::int64_t count = 0;
  bool outside = false;
};

/// Whether a map says itself what stands where an index leads to no element, `map.outside(i, line)`: it computes that
/// from elements along the axis. Of others it is one value, `map.outside`.
template <class Map>
inline constexpr bool computes_outside = requires { Map::computes_outside; };

/// Whether a map leads from index i to one that is k - i behind that of k only where each index between them leads to
/// the next one. Jumps of a map that goes on by 1 or less are all in one direction.
template <class Map>
inline constexpr bool goes_by_steps = true;

/// The elements along an axis whose index is mapped, by the indices that the map leads to.
template <class Inner>
struct mapped_line {
  using value_type = typename Inner::value_type;
  const Inner& inner;
  std::int64_t first, stride;
  KOKKOS_FUNCTION value_type operator[](std::int64_t j) const { return inner.load(first + j * stride); }
};

struct tile_map;
struct repeat_map;

/// A source with the index along one axis mapped.
template <class Inner, class Map>
struct axis_source {
  using value_type = typename Inner::value_type;
  static constexpr bool has_runs = Inner::has_runs && Map::has_runs, has_strides = Inner::has_strides;
  Inner inner;
  Map map;
  std::int64_t first;   // the inner address where the index leads to 0 and all other bits are 0
  std::int64_t stride;  // of the inner addresses along the axis
  index_bits bits;

  KOKKOS_FORCEINLINE_FUNCTION std::int64_t index(std::int64_t at) const {
    return (at >> bits.below) & ((std::int64_t{1} << bits.of_index) - 1);
  }
  /// The inner address for index 0.
  KOKKOS_FORCEINLINE_FUNCTION std::int64_t others(std::int64_t at) const {
    return first + (at & ((std::int64_t{1} << bits.below) - 1)) +
           ((at >> (bits.below + bits.of_index)) << bits.outer_shift);
  }
  KOKKOS_FORCEINLINE_FUNCTION value_type load(std::int64_t at) const {
    const std::int64_t j = map(index(at));
    if constexpr (Map::has_outside)
      if (j < 0) return outside(at);
    return inner.load(others(at) + j * stride);
  }
  bool holds_packs(int w) const {
    return (std::int64_t{1} << bits.below) % w == 0 && (std::int64_t{1} << bits.outer_shift) % w == 0 &&
           first % w == 0 && stride % w == 0 && inner.holds_packs(w);
  }
  template <int W>
  KOKKOS_FORCEINLINE_FUNCTION pack<value_type, W> load_pack(std::int64_t at) const {
    const std::int64_t j = map(index(at));
    if constexpr (Map::has_outside) {
      if (j < 0) {
        pack<value_type, W> p;
        for (int k = 0; k < W; ++k) p.value[k] = outside(at + k);
        return p;
      }
    }
    return inner.template load_pack<W>(others(at) + j * stride);
  }
  source_run<value_type> run(std::int64_t at, std::int64_t step, std::int64_t count) const {
    const inner_run p = inner_run_at(at, step, count);
    if (p.count == 0) return {};
    if constexpr (Map::has_outside)
      if (p.outside) return outside_run(p.count);
    return inner.run(p.first, p.step, p.count);
  }
  /// Copies the elements of `count` addresses.
  void gather(std::int64_t at, std::int64_t step, std::int64_t count, value_type* to) const {
    if constexpr (repeats)
      if (bits.of_index > 0 && step == std::int64_t{1} << bits.below) {
        // Where the indices are a power of two, the addresses of the next line follow those of this one.
        for (const std::int64_t line = std::int64_t{1} << bits.of_index; count > 0;) {
          const std::int64_t n = std::min(count, line - index(at));
          gather_line(at, step, n, to);
          at += n * step;
          count -= n;
          to += n;
        }
        return;
      }
    gather_runs(at, step, count, to);
  }
  /// Addresses that are a multiple of how many steps apart `strided` finds, where it does not find any others.
  std::int64_t period(std::int64_t step) const {
    const std::int64_t below = std::int64_t{1} << bits.below, beyond = below << bits.of_index;
    if (step >= below && step < beyond) {
      if constexpr (std::is_same_v<Map, repeat_map>) return map.times;
      else return inner.period(stride);
    }
    return inner.period(step < below ? step : step / beyond << bits.outer_shift);
  }
  /// The elements of `count` addresses, `step` apart, where they are that far from each other in memory: by the first
  /// and the last one. A thread of a device then finds one of them instead of each.
  KOKKOS_FORCEINLINE_FUNCTION source_run<value_type> strided(std::int64_t at, std::int64_t step, int count) const {
    const std::int64_t i = index(at), j = map(i), along = step >> bits.below, last = i + (count - 1) * along;
    if constexpr (Map::has_outside)
      if (j < 0) return {};
    const std::int64_t below = std::int64_t{1} << bits.below, in_below = (at & (below - 1)) + (count - 1) * step;
    std::int64_t inner_step = step;
    if (along << bits.below == step && last >> bits.of_index == 0) {
      inner_step = along * stride;
      if constexpr (!goes_by_steps<Map>) {
        return {};
      } else if constexpr (std::is_same_v<Map, repeat_map>) {
        const std::int64_t elements = along > 0 ? map(along) : 0;
        if (elements * map.times != along) return {};
        inner_step = elements * stride;
      } else {
        const std::int64_t end = map(last);
        if ((Map::has_outside && end < 0) || end - j != last - i) return {};
      }
    } else if (in_below < 0 || in_below >= below) {
      const int other_bits = bits.below + bits.of_index;
      if (step >> other_bits << other_bits != step) return {};  // along several axes at once
      inner_step = step >> other_bits << bits.outer_shift;
    }
    // Called once: of calls in each case, compilers would make a number of copies that has the depth as its exponent.
    return inner.strided(others(at) + j * stride, inner_step, count);
  }

 private:
  /// Addresses of the inner source that follow each other, `count` of them, or of elements that are outside. A count of
  /// 0 says that they are anywhere.
  struct inner_run {
    std::int64_t first = 0, step = 0, count = 0;
    bool outside = false;
  };
  inner_run inner_run_at(std::int64_t at, std::int64_t step, std::int64_t count) const {
    const std::int64_t i = index(at), below = std::int64_t{1} << bits.below,
                       in_index = std::int64_t{1} << bits.of_index;
    const std::int64_t along = step >> bits.below;
    if (along != 0 && along << bits.below == step && along < in_index && along > -in_index) {
      const index_run r = map.run(i, along, steps_within(i, 0, in_index - 1, along, count));
      return {others(at) + r.first * stride, r.step * along * stride, r.count, r.outside};
    }
    if (step < below && step > -below) {
      count = steps_within(at & (below - 1), 0, below - 1, step, count);
    } else {
      const std::int64_t inner_step = step >> (bits.below + bits.of_index);
      if (inner_step * below * in_index != step) return {};  // along several axes at once
      step = inner_step * (std::int64_t{1} << bits.outer_shift);
    }
    const std::int64_t j = map(i);
    return {others(at) + j * stride, step, count, Map::has_outside && j < 0};
  }
  static constexpr bool repeats = std::is_same_v<Map, repeat_map> || std::is_same_v<Map, tile_map>;
  /// The elements of indices that follow each other, of one line.
  void gather_line(std::int64_t at, std::int64_t step, std::int64_t count, value_type* to) const {
    if constexpr (std::is_same_v<Map, repeat_map>) {
      gather_repeated(at, count, to);
    } else {
      // Copies of what has been copied, of as much as stays in the first cache.
      constexpr std::int64_t most = 4096 / sizeof(value_type);
      std::int64_t made = std::min(map.n, count);
      gather_runs(at, step, made, to);
      for (std::int64_t k = made; k < count;) {
        const std::int64_t n = std::min(made, count - k);
        std::copy_n(to, n, to + k);
        k += n;
        if (k <= most) made = k;
      }
    }
  }
  void gather_runs(std::int64_t at, std::int64_t step, std::int64_t count, value_type* to) const {
    constexpr std::int64_t least = 8;  // elements that are worth the choice of a loop
    while (count > 0) {
      inner_run p = inner_run_at(at, step, count);
      if (p.count == 0) return gather_each(at, step, count, to);
      if (p.count < least) gather_each(at, step, p.count = std::min(least, count), to);
      else gather_run(p, at, step, to);
      at += p.count * step;
      count -= p.count;
      to += p.count;
    }
  }
  void gather_run(const inner_run& p, std::int64_t at, std::int64_t step, value_type* to) const {
    if constexpr (Map::has_outside)
      if (p.outside) {
        if constexpr (computes_outside<Map>) gather_each(at, step, p.count, to);
        else std::fill_n(to, p.count, value_type(map.outside));
        return;
      }
    inner.gather(p.first, p.step, p.count, to);
  }
  void gather_each(std::int64_t at, std::int64_t step, std::int64_t count, value_type* to) const {
    const axis_source own = *this;  // which no value of a type of characters may overwrite
    for (std::int64_t k = 0; k < count; ++k) to[k] = own.load(at + k * step);
  }
  /// Of a map that repeats indices, without a division for each. Stores are wide, as the next ones write over what is
  /// too much, where they stay within the elements.
  void gather_repeated(std::int64_t at, std::int64_t count, value_type* to) const {
    constexpr std::int64_t wide = sizeof(value_type) == 1 ? 16 : 8;
    const axis_source own = *this;  // which no value of a type of characters may overwrite
    const std::int64_t i = own.index(at), times = own.map.times, j = own.map(i);
    std::int64_t from = own.others(at) + j * own.stride;
    value_type* const end = to + count;
    const auto repeat = [&](std::int64_t n) {
      const value_type v = own.inner.load(from);
      std::int64_t k = 0;
      for (const std::int64_t last = std::min(n, end - to - wide + 1); k < last; k += wide)
        for (std::int64_t u = 0; u < wide; ++u) to[k + u] = v;
      for (; k < n; ++k) to[k] = v;
      from += own.stride;
      to += n;
    };
    repeat(std::min((j + 1) * times - i, count));
    const auto repeat_by = [&]<std::int64_t Stores>(std::integral_constant<std::int64_t, Stores>) {
      if (times > Stores || (Stores > wide && 2 * times <= Stores)) return;
      for (; end - to >= Stores; to += times, from += own.stride) {
        const value_type v = own.inner.load(from);
        for (std::int64_t u = 0; u < Stores; ++u) to[u] = v;
      }
    };
    repeat_by(std::integral_constant<std::int64_t, wide>());
    repeat_by(std::integral_constant<std::int64_t, 2 * wide>());
    repeat_by(std::integral_constant<std::int64_t, 4 * wide>());
    while (to < end) repeat(std::min(times, static_cast<std::int64_t>(end - to)));
  }
  /// What stands at an address whose index leads to no element.
  KOKKOS_FUNCTION value_type outside(std::int64_t at) const {
    if constexpr (computes_outside<Map>) return map.outside(index(at), mapped_line<Inner>{inner, others(at), stride});
    else return map.outside;
  }
  source_run<value_type> outside_run(std::int64_t count) const {
    if constexpr (computes_outside<Map>) return {};
    else return {&map.outside, 0, count};
  }
};

/// Elements by their row-major position in an array, for `reshape`: extents and strides from the last axis on, of which
/// those that lie as one are one.
template <class Inner>
struct row_major_source {
  using value_type = typename Inner::value_type;
  static constexpr bool has_runs = Inner::has_runs, has_strides = false;
  Inner inner;
  std::int64_t first;
  int rank;
  bool small;  // whether 32 bits hold all positions
  std::int64_t extent[max_rank];
  std::int64_t stride[max_rank];

  KOKKOS_FORCEINLINE_FUNCTION std::int64_t divide(std::int64_t a, std::int64_t b) const {
    return small ? static_cast<std::uint32_t>(a) / static_cast<std::uint32_t>(b) : a / b;
  }
  KOKKOS_FORCEINLINE_FUNCTION std::int64_t inner_address(std::int64_t at) const {
    std::int64_t address = first;
    for (int d = 0; d + 1 < rank; ++d) {
      const std::int64_t rest = divide(at, extent[d]);
      address += (at - rest * extent[d]) * stride[d];
      at = rest;
    }
    return address + at * stride[rank - 1];
  }
  KOKKOS_FORCEINLINE_FUNCTION value_type load(std::int64_t at) const { return inner.load(inner_address(at)); }
  std::int64_t period(std::int64_t) const { return 1; }
  bool holds_packs(int w) const {
    bool rows = stride[0] == 1 && first % w == 0 && (rank == 1 || extent[0] % w == 0);
    for (int d = 1; d < rank; ++d) rows = rows && stride[d] % w == 0;
    return rows && inner.holds_packs(w);
  }
  template <int W>
  KOKKOS_FORCEINLINE_FUNCTION pack<value_type, W> load_pack(std::int64_t at) const {
    return inner.template load_pack<W>(inner_address(at));
  }
  source_run<value_type> run(std::int64_t at, std::int64_t step, std::int64_t count) const {
    if (step != 1) return {};
    return inner.run(inner_address(at), stride[0], row_left(at, count));
  }
  void gather(std::int64_t at, std::int64_t step, std::int64_t count, value_type* to) const {
    while (count > 0) {
      const std::int64_t n = step == 1 ? row_left(at, count) : 1;
      inner.gather(inner_address(at), stride[0], n, to);
      at += n * step;
      count -= n;
      to += n;
    }
  }

 private:
  /// How many of `count` elements stand in the row of the first.
  std::int64_t row_left(std::int64_t at, std::int64_t count) const {
    const std::int64_t left = rank > 1 ? extent[0] - at % extent[0] : count;
    return left < count ? left : count;
  }
};

}  // namespace quern::impl

#endif
