// SPDX-FileCopyrightText: the Quern authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef QUERN_KEYED_BINNED_VALUES_HPP
#define QUERN_KEYED_BINNED_VALUES_HPP

#include <quern/core/launch/loop_nest.hpp>
#include <quern/core/launch/tuning.hpp>
#include <quern/core/views/source.hpp>

namespace quern::impl {

/// Where an output has the element that is number i in row-major order.
template <int Rank>
struct element_offsets {
  std::int64_t extent[Rank], stride[Rank];
  template <class T>
  explicit element_offsets(const strided<T>& a) {
    for (int d = 0; d < Rank; ++d) {
      extent[d] = a.extents.extent[d];
      stride[d] = a.stride[d];
    }
  }
  KOKKOS_FUNCTION std::int64_t operator()(std::int64_t i) const {
    std::int64_t offset = 0;
    for (int d = Rank - 1; d > 0; --d) {
      offset += i % extent[d] * stride[d];
      i /= extent[d];
    }
    return offset + i * stride[0];
  }
};

/// Each value counts 1.
struct no_weights {};

/// Weights, or counts, that are added up by bin: what hosts and devices share. A thread adds up runs of one bin before
/// it writes them: so many equal values do not wait for one place.
template <class Exec, class Bin, class X, class Weights, class Out>
struct binned_values {
  using exec_space = Exec;
  using bin_type = Bin;
  using T = source_value_t<X>;
  static constexpr bool weighted = !std::is_same_v<Weights, no_weights>;
  static constexpr bool device = is_device<Exec>;
  static constexpr bool of_points = requires(const Bin& b, const T* p) { b.at(p); };
  using W = typename std::conditional_t<weighted, source_value<Weights>, std::type_identity<std::int64_t>>::type;
  // 32 bits are what shared memory of devices adds by itself; a team has fewer values.
  using integer_sum = std::conditional_t<std::is_unsigned_v<W> && sizeof(W) == 8, std::uint64_t, std::int64_t>;
  static constexpr bool in_integers = std::is_integral_v<W> && !requires { typename Bin::sum_type; };
  static constexpr bool counted = !weighted || std::is_same_v<W, bool>;
  using sum_type = std::conditional_t<counted, std::conditional_t<device, std::uint32_t, std::int64_t>,
                                      std::conditional_t<in_integers, integer_sum, double>>;
  static constexpr int width = weighted ? pack_width<Exec, T, W>() : pack_width<Exec, T>();

  Bin bin;
  X x;
  Weights weights;
  row_nest<2> nest;  // offsets of x and weights
  std::int64_t n;
  bool contiguous;  // and aligned for packs
  Out* out;
  element_offsets<Bin::rank> offsets;  // of bins in `out`
  std::int64_t bins;
  bool shared;  // a team, or a thread of a host, has bins of its own

  struct run {
    std::int64_t bin = -1;
    sum_type sum = 0;
  };
  /// A value is one element, or the first of a point's, which must be where it is in memory.
  KOKKOS_FUNCTION std::int64_t bin_of(const T& value) const {
    if constexpr (of_points) return bin.at(&value);
    else if constexpr (requires { bin.of_key(value); }) return bin.of_key(value);
    else return bin(convert<typename Bin::value_type>(value));
  }
  KOKKOS_FUNCTION W weight_at(std::int64_t offset) const {
    if constexpr (weighted) return weights[offset];
    else return W(1);
  }
  /// Adds to a run, and the sum of the run before to `sums` where a new one begins.
  template <class Sums>
  KOKKOS_FUNCTION void add(const Sums& sums, run& r, std::int64_t b, const W& weight) const {
    if (b != r.bin) {
      flush(sums, r);
      r = {b, 0};
    }
    raise(r.sum, weight);
  }
  KOKKOS_FUNCTION static void raise(sum_type& sum, const W& weight) {
    if constexpr (weighted) sum = wrapping_add(sum, convert<sum_type>(weight));
    else ++sum;
  }
  template <class Sums>
  KOKKOS_FUNCTION void flush(const Sums& sums, const run& r) const {
    if (r.bin >= 0) sums.add(r.bin, r.sum);
  }

  /// Adds a sum to the output.
  KOKKOS_FUNCTION void put(std::int64_t b, const sum_type& sum) const {
    if (sum != 0) Kokkos::atomic_add(out + offsets(b), static_cast<Out>(sum));
  }
  /// Adds value number i of the loop nest by `add(bin, weight)`.
  template <class Add>
  KOKKOS_FUNCTION void one(std::int64_t i, const Add& add) const {
    std::int64_t j;
    const auto o = nest.at_item(i, nest.inner, 1, j);
    add(bin_of(x[o.of[0]]), weight_at(o.of[1]));
  }
};

/// Adds to a sum in a team's shared memory. Kokkos's atomics ask at each address whether it is of that memory.
template <class T>
KOKKOS_FORCEINLINE_FUNCTION void add_in_team_memory(T* to, const T& value) {
  using word = std::conditional_t<std::is_integral_v<T> && sizeof(T) == 8, unsigned long long, T>;
  KOKKOS_IF_ON_DEVICE((atomicAdd(reinterpret_cast<word*>(to), static_cast<word>(value));))
  KOKKOS_IF_ON_HOST((Kokkos::atomic_add(reinterpret_cast<word*>(to), static_cast<word>(value));))
}

/// Calls `f(width, bin_at, weight_at)` with a device's thread's share of the values: a number of adjacent ones as a
/// constant, and functions of k < width. Adjacent threads read adjacent packs, `Packs` at a time each.
template <int Packs, class Work, class Member, class F>
KOKKOS_FUNCTION void for_share_of_team(const Work& work, const Member& team, const F& f) {
  constexpr int width = Work::width;
  using W = typename Work::W;
  const std::int64_t threads = static_cast<std::int64_t>(team.league_size()) * team.team_size();
  const std::int64_t me = static_cast<std::int64_t>(team.league_rank()) * team.team_size() + team.team_rank();
  std::int64_t done = 0;
  if (work.contiguous) {
    const std::int64_t packs = work.n / width;
    for (std::int64_t g = me; g < packs; g += threads * Packs) {
      pack<typename Work::T, width> p[Packs];
      pack<W, width> q[Packs];
      for (int u = 0; u < Packs; ++u)
        if (g + u * threads < packs) {
          p[u] = load_pack<width>(work.x, (g + u * threads) * width);
          if constexpr (Work::weighted) q[u] = load_pack<width>(work.weights, (g + u * threads) * width);
        }
      for (int u = 0; u < Packs; ++u)
        if (g + u * threads < packs)
          f(
              std::integral_constant<int, width>(), [&](int k) { return work.bin_of(p[u].value[k]); },
              [&](int k) { return Work::weighted ? q[u].value[k] : W(1); });
    }
    done = packs * width;
  }
  for (std::int64_t i = done + me; i < work.n; i += threads)
    work.one(i, [&](std::int64_t bin, const W& weight) {
      f(std::integral_constant<int, 1>(), [&](int) { return bin; }, [&](int) { return weight; });
    });
}

}  // namespace quern::impl

#endif
