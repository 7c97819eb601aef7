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
  // 32 bits are what fast memory of devices adds by itself; a team has fewer values.
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

}  // namespace quern::impl

#endif
