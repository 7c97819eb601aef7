// SPDX-FileCopyrightText: the Quern authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef QUERN_STENCIL_FILTER_WINDOWS_HPP
#define QUERN_STENCIL_FILTER_WINDOWS_HPP

/// @file
/// The functors of filters: windows with weights and without, and what becomes of their sums.

#include <cmath>
#include <cstdint>
#include <limits>
#include <quern/core/call/label.hpp>
#include <quern/core/launch/ivdep.hpp>
#include <quern/core/launch/launch_units.hpp>
#include <quern/core/launch/noinline.hpp>
#include <quern/core/launch/operations.hpp>
#include <quern/core/memory/workspace.hpp>
#include <quern/core/values/short_list.hpp>
#include <quern/core/values/values.hpp>
#include <quern/map/math.hpp>
#include <quern/reducers/sums.hpp>
#include <quern/stencil/stencil.hpp>

namespace quern::impl {

/// How far a window reaches along each axis, known when the program runs.
struct run_time_box {
  static constexpr bool arms_only = false, fixed = false;
  static constexpr int radii = 1;
  int r[3] = {};
  int radius(int d) const { return r[d]; }
};

/// How far two windows reach, one after the other.
inline run_time_box sum_of(run_time_box a, const run_time_box& b) {
  for (int d = 0; d < 3; ++d)
    a.r[d] = static_cast<int>(std::min<std::int64_t>(std::int64_t{a.r[d]} + b.r[d], std::numeric_limits<int>::max()));
  return a;
}

/// A sum of integers of 64 bits or of their products: 128 bits in two's complement.
struct wide_sum {
  std::uint64_t low = 0;
  std::int64_t high = 0;

  wide_sum() = default;
  template <class T>
    requires(std::is_integral_v<T>)
  KOKKOS_FUNCTION explicit wide_sum(T x) : low(static_cast<std::uint64_t>(x)), high(is_negative(x) ? -1 : 0) {}
  KOKKOS_FUNCTION wide_sum& operator+=(const wide_sum& other) {
    low += other.low;
    const std::uint64_t carry = low < other.low ? 1 : 0;
    high = static_cast<std::int64_t>(static_cast<std::uint64_t>(high) + static_cast<std::uint64_t>(other.high) + carry);
    return *this;
  }
  KOKKOS_FUNCTION wide_sum operator*(const wide_sum& other) const {
    const std::uint64_t a = low & digit, b = low >> 32, c = other.low & digit, d = other.low >> 32;
    const std::uint64_t middle = (a * c >> 32) + (a * d & digit) + (b * c & digit);
    const std::uint64_t carried = b * d + (a * d >> 32) + (b * c >> 32) + (middle >> 32);
    wide_sum product;
    product.low = low * other.low;
    product.high = static_cast<std::int64_t>(carried + static_cast<std::uint64_t>(high) * other.low +
                                             low * static_cast<std::uint64_t>(other.high));
    return product;
  }
  /// The mean of a number of cells below 2^32, rounded down: the last 64 bits of it, which has no more.
  KOKKOS_FUNCTION std::uint64_t floor_mean(std::uint64_t cells) const {
    const std::uint64_t flip = high < 0 ? ~std::uint64_t{0} : 0;  // floor(-x - 1) is -floor(x) - 1
    const std::uint64_t top = (static_cast<std::uint64_t>(high) ^ flip) % cells, bottom = low ^ flip;
    const std::uint64_t upper = top << 32 | bottom >> 32, lower = upper % cells << 32 | (bottom & digit);
    return (upper / cells << 32 | lower / cells) ^ flip;
  }
  /// The nearest double, which other floating-point numbers come from.
  template <class T>
    requires(!std::is_integral_v<T> && !std::is_same_v<T, wide_sum>)
  KOKKOS_FUNCTION explicit operator T() const {
    return static_cast<T>(nearest());
  }

 private:
  static constexpr std::uint64_t digit = 0xffffffff;
  KOKKOS_FUNCTION double nearest() const {
    const bool negative = high < 0;
    const std::uint64_t bottom = negative ? 0 - low : low;  // of the magnitude
    std::uint64_t top = static_cast<std::uint64_t>(high);
    if (negative) top = ~top + (low == 0 ? 1 : 0);
    double magnitude = static_cast<double>(bottom);
    if (top != 0) {
      // The first 64 bits, of which the last one stands for all that follow when they are rounded.
      const int shift = Kokkos::countl_zero(top);
      const std::uint64_t first = shift == 0 ? top : top << shift | bottom >> (64 - shift);
      const bool more = bottom << shift != 0;
      const auto scale = Kokkos::bit_cast<double>(static_cast<std::uint64_t>(1023 + 64 - shift) << 52);
      magnitude = static_cast<double>(first | (more ? 1 : 0)) * scale;
    }
    return negative ? -magnitude : magnitude;
  }
};

/// The type of sums of values T with weights W; integers wrap around at 64 bits.
template <class T, class W>
struct weighted_sum_of {
  static constexpr bool is_unsigned = sizeof(T) == 8 && std::is_unsigned_v<T> && std::is_unsigned_v<W>;
  using integer = std::conditional_t<is_unsigned, std::uint64_t, std::int64_t>;
  using type = std::conditional_t<std::is_integral_v<T> && std::is_integral_v<W>, integer, decltype(T() * W())>;
};

/// Calls f(std::type_identity<S>()) with the type that sums for an output Out are formed in, `total` the sum of the
/// magnitudes of the weights: int, which is faster, where values are so narrow that no sum overflows it; where a sum
/// that does not fit 64 bits may become a floating-point number 128 bits, and double beyond those.
///
/// @tparam Plain whether the weights are ones, less than 2^31 of them
template <class T, class W, class Out, bool Plain, class F>
void with_sum_type(double total, const F& f) {
  if constexpr (std::is_integral_v<T> && std::is_integral_v<W>) {
    const double largest = std::ldexp(total, 8 * sizeof(T));
    if constexpr (sizeof(T) < 4)
      if (largest <= static_cast<double>(std::numeric_limits<int>::max())) return f(std::type_identity<int>());
    if constexpr (!std::is_integral_v<Out> && !(Plain && sizeof(T) < 8)) {
      if constexpr (!Plain)
        if (largest > 0x1p127) return f(std::type_identity<double>());
      if (sizeof(T) == 8 || largest > 0x1p63) return f(std::type_identity<wide_sum>());
      if constexpr (sizeof(T) == 8) return;  // so that what is not used is not compiled
    }
  }
  f(std::type_identity<typename weighted_sum_of<T, W>::type>());
}
/// Weights on the host.
template <class W>
using host_weights = short_list<W, 64>;

template <class W>
double total_magnitude(const host_weights<W>& weights) {
  double total = 0;
  if constexpr (std::is_integral_v<W>)
    for (const W w : weights) total += std::fabs(static_cast<double>(w));
  return total;
}

/// The weight of sums without weights.
struct unit_weight {};

/// Adds the product of a weight and a value.
template <class S, class W, class T>
KOKKOS_FUNCTION void add_weighted(S& s, const W& weight, const T& value) {
  if constexpr (std::is_integral_v<S> && sizeof(S) == 8)
    s = wrapping_add(s, wrapping_multiply(static_cast<S>(weight), static_cast<S>(value)));
  else s += static_cast<S>(weight) * static_cast<S>(value);
}
template <class S, class T>
KOKKOS_FUNCTION void add_weighted(S& s, unit_weight, const T& value) {
  if constexpr (std::is_integral_v<S> && sizeof(S) == 8) s = wrapping_add(s, static_cast<S>(value));
  else s += static_cast<S>(value);
}

/// The greatest integer up to a / b, b > 0.
template <class T>
KOKKOS_FUNCTION T floor_divide(T a, T b) {
  return a / b - (a % b < 0);
}

/// Weights for kernels: few go along with the kernel, where all threads read one at once, and more are in memory.
template <class W>
struct weight_list {
  using value_type = W;
  static constexpr int capacity = 64;
  W few[capacity];
  const W* many = nullptr;

  KOKKOS_FUNCTION bool in_memory() const { return many != nullptr; }
  // No pointer to the few, for which devices would copy them to each thread.
  template <bool InMemory>
  KOKKOS_FUNCTION W at(int k) const {
    if constexpr (InMemory) return many[k];
    else return few[k];
  }
  KOKKOS_FUNCTION W operator[](int k) const { return in_memory() ? at<true>(k) : at<false>(k); }
};

/// A number of weights that the compiler knows, for windows that kernels hold in registers.
template <class W, int Count>
struct fixed_weights {
  using value_type = W;
  W list[Count];
  KOKKOS_FUNCTION static constexpr bool in_memory() { return false; }
  template <bool>
  KOKKOS_FUNCTION W at(int k) const {
    return list[k];
  }
};

/// Sums without weights.
struct equal_weights {
  using value_type = unit_weight;
  KOKKOS_FUNCTION static constexpr bool in_memory() { return false; }
  template <bool>
  KOKKOS_FUNCTION unit_weight at(int) const {
    return {};
  }
  KOKKOS_FUNCTION unit_weight operator[](int) const { return {}; }
};

/// Weights on their way to memory, as part of a kernel: nothing on the host has to outlive the call.
template <class W>
struct store_weights {
  static constexpr int capacity = 128;
  W list[capacity];
  W* to;
  KOKKOS_FUNCTION void operator()(std::int64_t k) const { to[k] = list[k]; }
};

/// `list` for the kernels of `exec`, in scratch memory of at least as many weights.
template <class Exec, class W>
weight_list<W> send_weights(const Exec& exec, const std::string& label, const host_weights<W>& list, W* memory) {
  weight_list<W> sent{};
  if (list.size() <= weight_list<W>::capacity) {
    std::copy(list.begin(), list.end(), sent.few);
    return sent;
  }
  for (std::size_t first = 0; first < list.size(); first += store_weights<W>::capacity) {
    const auto count = std::min<std::size_t>(store_weights<W>::capacity, list.size() - first);
    store_weights<W> some{{}, memory + first};
    std::copy_n(list.begin() + first, count, some.list);
    launch_units(exec, label_text(label, "/weights"), static_cast<std::int64_t>(count), some);
  }
  sent.many = memory;
  return sent;
}

/// The result of a sum: itself (`op::identity`), its mean, or that rounded down.
template <class S>
struct scale_sum {
  S factor;
  template <class T>
  KOKKOS_FUNCTION S operator()(const T& s) const {
    return static_cast<S>(s) * factor;
  }
};
/// Means of values T.
template <class T>
using mean_of = std::conditional_t<sizeof(T) == 8 && std::is_unsigned_v<T>, std::uint64_t, std::int64_t>;
/// The mean by a number of cells, or by one that the compiler knows.
template <class T, int Known = 0>
struct floor_mean {
  std::int64_t cells;
  KOKKOS_FUNCTION std::int64_t count() const { return Known > 0 ? Known : cells; }
  KOKKOS_FUNCTION int operator()(int s) const {
    if constexpr (Known > 0) return math::floor_divide<Known>(s);
    else return floor_divide(s, static_cast<int>(cells));
  }
  KOKKOS_FUNCTION std::int64_t operator()(std::int64_t s) const { return floor_divide(s, count()); }
  KOKKOS_FUNCTION mean_of<T> operator()(const wide_sum& s) const {
    return static_cast<mean_of<T>>(s.floor_mean(count()));
  }
};

/// The cells of a box.
template <int Rank, int R>
inline constexpr int box_cells = (2 * R + 1) * box_cells<Rank - 1, R>;
template <int R>
inline constexpr int box_cells<0, R> = 1;

// The offsets of windows along three axes, of which arrays of lower rank have the last ones.

/// Of 2 R + 1 cells along each axis.
template <int Rank, int R>
struct box_window {
  static constexpr bool fixed = true;
  KOKKOS_FUNCTION static constexpr int first(int axis) { return axis < 3 - Rank ? 0 : -R; }
  KOKKOS_FUNCTION static constexpr int count(int axis) { return axis < 3 - Rank ? 1 : 2 * R + 1; }
};

/// Of any cells.
template <int Rank>
struct any_window {
  static constexpr bool fixed = false;
  int from[Rank], cells[Rank];
  KOKKOS_FUNCTION int first(int axis) const { return axis < 3 - Rank ? 0 : from[axis - 3 + Rank]; }
  KOKKOS_FUNCTION int count(int axis) const { return axis < 3 - Rank ? 1 : cells[axis - 3 + Rank]; }
};

/// Along one axis of an array.
template <int Rank, int Axis>
struct line_window {
  static constexpr bool fixed = false;
  int from, cells;
  KOKKOS_FUNCTION int first(int axis) const { return axis == 3 - Rank + Axis ? from : 0; }
  KOKKOS_FUNCTION int count(int axis) const { return axis == 3 - Rank + Axis ? cells : 1; }
};

/// The value of a window at offsets along the three axes.
template <int Rank, class Window>
KOKKOS_FUNCTION auto value_at(const Window& at, int k, int j, int i) {
  if constexpr (Rank == 1) return at(i);
  else if constexpr (Rank == 2) return at(j, i);
  else return at(k, j, i);
}

/// Calls f(n, offsets...) for each cell of a window along the three axes, of which it is the nth.
template <class Offsets, class F>
KOKKOS_FORCEINLINE_FUNCTION void for_each_offset(const Offsets& offsets, const F& f) {
  int n = 0;
  for (int k = 0; k < offsets.count(0); ++k)
    for (int j = 0; j < offsets.count(1); ++j)
      for (int i = 0; i < offsets.count(2); ++i)
        f(n++, offsets.first(0) + k, offsets.first(1) + j, offsets.first(2) + i);
}

/// What a window of weights is reduced to: the sum.
struct weighted_sums {
  template <class S>
  KOKKOS_FUNCTION static S initial() {
    return S(0);
  }
  template <class S, class W, class T>
  KOKKOS_FORCEINLINE_FUNCTION static void add(S& s, const W& weight, const T& value) {
    add_weighted(s, weight, value);
  }
};

/// A filter: what a rule, as `weighted_sums`, makes of the values of a window with their weights, which are in the
/// order of the last axis fastest, in S; and what is made of that.
template <int Rank, class S, class Weights, class Offsets, class Finish = op::identity, class Rule = weighted_sums>
struct window_sum {
  using sum_type = S;
  using rule = Rule;
  using weight_type = typename Weights::value_type;
  Weights weights;
  Offsets offsets;
  Finish finish{};

  template <class Window>
  KOKKOS_FUNCTION auto operator()(const Window& at) const {
    return finish(weights.in_memory() ? sum<true>(at) : sum<false>(at));
  }
  /// The results of n cells beside each other on a host; `at(offsets...)` is where the values of the first one and
  /// those behind it are.
  template <class At>
  void for_block(S* sums, std::int64_t n, const At& at) const {
    std::fill_n(sums, n, Rule::template initial<S>());
    for_each_offset(offsets,
                    [&](int m, int k, int j, int i) { add_cells(sums, n, weights[m], value_at<Rank>(at, k, j, i)); });
  }

 private:
  template <bool InMemory, class Window>
  KOKKOS_FUNCTION S sum(const Window& at) const {
    S s = Rule::template initial<S>();
    for_each_offset(offsets, [&](int n, int k, int j, int i) {
      Rule::add(s, weights.template at<InMemory>(n), value_at<Rank>(at, k, j, i));
    });
    return s;
  }
  /// Not inlined, as g++ would jam this loop into the one around it, and make no vector instructions of either.
  template <class Position>
  QUERN_IMPL_NOINLINE static void add_cells(S* sums, std::int64_t n, weight_type weight, Position from) {
    QUERN_IMPL_IVDEP
    for (std::int64_t k = 0; k < n; ++k) Rule::add(sums[k], weight, from[k]);
  }
};

template <int Rank, class S, class Weights, class Offsets, class Finish, class Rule>
inline constexpr bool computes_blocks<window_sum<Rank, S, Weights, Offsets, Finish, Rule>> = !Offsets::fixed;

}  // namespace quern::impl

#endif
