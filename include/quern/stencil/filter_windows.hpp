// SPDX-FileCopyrightText: the Quern authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef QUERN_STENCIL_FILTER_WINDOWS_HPP
#define QUERN_STENCIL_FILTER_WINDOWS_HPP

/// @file
/// The functors of filters: windows with weights and without, and what becomes of their sums.

#include <array>
#include <cmath>
#include <cstdint>
#include <limits>
#include <quern/core/memory/workspace.hpp>
#include <quern/core/values/values.hpp>
#include <quern/map/math.hpp>
#include <quern/reducers/sums.hpp>
#include <quern/stencil/stencil.hpp>
#include <vector>

namespace quern::impl {

/// How far a window reaches along each axis, known when the program runs.
struct run_time_box {
  static constexpr bool arms_only = false, fixed = false;
  static constexpr int radii = 1;
  int r[3] = {};
  int radius(int d) const { return r[d]; }
};

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
template <class W>
double total_magnitude(const std::vector<W>& weights) {
  double total = 0;
  if constexpr (std::is_integral_v<W>)
    for (const W w : weights) total += std::fabs(static_cast<double>(w));
  return total;
}

/// Adds the product of a weight and a value.
template <class S, class W, class T>
KOKKOS_FUNCTION void add_weighted(S& s, const W& weight, const T& value) {
  if constexpr (std::is_integral_v<S> && sizeof(S) == 8)
    s = wrapping_add(s, wrapping_multiply(static_cast<S>(weight), static_cast<S>(value)));
  else s += static_cast<S>(weight) * static_cast<S>(value);
}
template <class S, class T>
KOKKOS_FUNCTION void add_plain(S& s, const T& value) {
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
  static constexpr int most = 64;
  W few[most];
  const W* many = nullptr;

  // No pointer to the few, for which devices would copy them to each thread.
  template <bool Many>
  KOKKOS_FUNCTION W at(int k) const {
    if constexpr (Many) return many[k];
    else return few[k];
  }
};

/// Weights on their way to memory, as part of a kernel: nothing on the host has to outlive the call.
template <class W>
struct store_weights {
  static constexpr int most = 128;
  W list[most];
  W* to;
  KOKKOS_FUNCTION void operator()(int k) const { to[k] = list[k]; }
};

/// `list` for the kernels of `exec`, in scratch memory of at least as many weights.
template <class Exec, class W>
weight_list<W> send_weights(const Exec& exec, const std::string& label, const std::vector<W>& list, W* memory) {
  weight_list<W> sent{};
  if (list.size() <= weight_list<W>::most) {
    std::copy(list.begin(), list.end(), sent.few);
    return sent;
  }
  for (std::size_t first = 0; first < list.size(); first += store_weights<W>::most) {
    const auto count = std::min<std::size_t>(store_weights<W>::most, list.size() - first);
    store_weights<W> some{{}, memory + first};
    std::copy_n(list.begin() + first, count, some.list);
    Kokkos::parallel_for(label + "/weights", Kokkos::RangePolicy<Exec>(exec, 0, count), some);
  }
  sent.many = memory;
  return sent;
}

/// A window of run-time extents with its weights in the order of the last axis fastest.
template <class S, class W, int Rank>
struct weighted_window {
  weight_list<W> weights;
  int first[Rank], count[Rank];

  template <class Window>
  KOKKOS_FUNCTION S operator()(const Window& at) const {
    return weights.many == nullptr ? sum<false>(at) : sum<true>(at);
  }
  // What kernels need that add up the windows of a row together.
  using sum_type = S;
  KOKKOS_FUNCTION W weight(int k) const {
    return weights.many == nullptr ? weights.template at<false>(k) : weights.template at<true>(k);
  }
  template <class V>
  KOKKOS_FUNCTION static void add(S& s, const W& weight, const V& value) {
    add_weighted(s, weight, value);
  }
  KOKKOS_FUNCTION S result(const S& s) const { return s; }
  template <class F>
  void for_each(const F& f) const {
    int n = 0;
    for (int k = 0; k < (Rank == 3 ? count[0] : 1); ++k)
      for (int j = 0; j < (Rank > 1 ? count[Rank - 2] : 1); ++j)
        for (int i = 0; i < count[Rank - 1]; ++i, ++n)
          f(weight(n), [&](const auto& at) {
            if constexpr (Rank == 1) return at(first[0] + i);
            else if constexpr (Rank == 2) return at(first[0] + j, first[1] + i);
            else return at(first[0] + k, first[1] + j, first[2] + i);
          });
  }

 private:
  template <bool Many, class Window>
  KOKKOS_FUNCTION S sum(const Window& at) const {
    S s(0);
    int k = 0;
    if constexpr (Rank == 1) {
      row<Many>(s, k, [&](int i) { return at(i); });
    } else if constexpr (Rank == 2) {
      for (int j = 0; j < count[0]; ++j) row<Many>(s, k, [&](int i) { return at(first[0] + j, i); });
    } else {
      for (int l = 0; l < count[0]; ++l)
        for (int j = 0; j < count[1]; ++j) row<Many>(s, k, [&](int i) { return at(first[0] + l, first[1] + j, i); });
    }
    return s;
  }
  template <bool Many, class At>
  KOKKOS_FUNCTION void row(S& s, int& k, const At& at) const {
    for (int i = 0; i < count[Rank - 1]; ++i, ++k)
      add_weighted(s, weights.template at<Many>(k), at(first[Rank - 1] + i));
  }
};

/// The cells of a window of 2 R + 1 along each axis.
template <int Rank, int R>
inline constexpr int box_cells = (2 * R + 1) * box_cells<Rank - 1, R>;
template <int R>
inline constexpr int box_cells<0, R> = 1;

/// The weighted sum of a window that kernels hold in registers.
template <class S, class W, int Rank, int R>
struct weighted_box {
  static constexpr int side = 2 * R + 1, cells = box_cells<Rank, R>;
  W weights[cells];

  template <class Window>
  KOKKOS_FUNCTION S operator()(const Window& at) const {
    S s(0);
    for (int n = 0; n < cells; ++n) {
      const int i = n % side - R, j = n / side % side - R, k = n / side / side - R;
      if constexpr (Rank == 1) add_weighted(s, weights[n], at(i));
      else if constexpr (Rank == 2) add_weighted(s, weights[n], at(j, i));
      else add_weighted(s, weights[n], at(k, j, i));
    }
    return s;
  }
};

/// The sum of such a window of integers or floating-point numbers, and what is made of it.
template <class S, int Rank, int R, class Finish>
struct plain_box {
  Finish finish;
  template <class Window>
  KOKKOS_FUNCTION auto operator()(const Window& at) const {
    S s(0);
    for (int k = Rank == 3 ? -R : 0; k <= (Rank == 3 ? R : 0); ++k)
      for (int j = Rank > 1 ? -R : 0; j <= (Rank > 1 ? R : 0); ++j)
        for (int i = -R; i <= R; ++i) {
          if constexpr (Rank == 1) add_plain(s, at(i));
          else if constexpr (Rank == 2) add_plain(s, at(j, i));
          else add_plain(s, at(k, j, i));
        }
    return finish(s);
  }
};

/// The value i away along an axis.
template <int Rank, int Axis, class Window>
KOKKOS_FUNCTION auto neighbour_along(const Window& at, int i) {
  if constexpr (Rank == 1) return at(i);
  else if constexpr (Rank == 2) return at(Axis == 0 ? i : 0, Axis == 1 ? i : 0);
  else return at(Axis == 0 ? i : 0, Axis == 1 ? i : 0, Axis == 2 ? i : 0);
}

/// A pass of a separable filter along one axis.
template <class S, class W, int Rank, int Axis>
struct weighted_line {
  weight_list<W> weights;
  int first, count;
  template <class Window>
  KOKKOS_FUNCTION S operator()(const Window& at) const {
    return weights.many == nullptr ? sum<false>(at) : sum<true>(at);
  }
  // What kernels that do without windows need.
  using sum_type = S;
  using weight_type = W;
  KOKKOS_FUNCTION W weight(int k) const {
    return weights.many == nullptr ? weights.template at<false>(k) : weights.template at<true>(k);
  }
  template <class V>
  KOKKOS_FUNCTION static void add(S& s, const W& weight, const V& value) {
    add_weighted(s, weight, value);
  }
  KOKKOS_FUNCTION S result(const S& s) const { return s; }
  template <class F>
  void for_each(const F& f) const {
    for (int i = 0; i < count; ++i)
      f(weight(i), [&](const auto& at) { return neighbour_along<Rank, Axis>(at, first + i); });
  }

 private:
  template <bool Many, class Window>
  KOKKOS_FUNCTION S sum(const Window& at) const {
    S s(0);
    for (int i = 0; i < count; ++i)
      add_weighted(s, weights.template at<Many>(i), neighbour_along<Rank, Axis>(at, first + i));
    return s;
  }
};
template <class S, int Rank, int Axis, class Finish>
struct plain_line {
  Finish finish;
  int first, count;
  template <class Window>
  KOKKOS_FUNCTION auto operator()(const Window& at) const {
    S s(0);
    for (int i = 0; i < count; ++i) add_plain(s, neighbour_along<Rank, Axis>(at, first + i));
    return finish(s);
  }
  using sum_type = S;
  struct weight_type {};
  KOKKOS_FUNCTION weight_type weight(int) const { return {}; }
  template <class V>
  KOKKOS_FUNCTION static void add(S& s, weight_type, const V& value) {
    add_plain(s, value);
  }
  KOKKOS_FUNCTION auto result(const S& s) const { return finish(s); }
  template <class F>
  void for_each(const F& f) const {
    for (int i = 0; i < count; ++i)
      f(weight(i), [&](const auto& at) { return neighbour_along<Rank, Axis>(at, first + i); });
  }
};

template <class S, class W, int Rank>
inline constexpr bool adds_windows<weighted_window<S, W, Rank>> = true;
template <class S, class W, int Rank, int Axis>
inline constexpr bool adds_windows<weighted_line<S, W, Rank, Axis>> = true;
template <class S, int Rank, int Axis, class Finish>
inline constexpr bool adds_windows<plain_line<S, Rank, Axis, Finish>> = true;

/// The result of a sum: itself, its mean, or that rounded down.
struct keep_sum {
  template <class S>
  KOKKOS_FUNCTION S operator()(const S& s) const {
    return s;
  }
};
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
template <class T>
struct floor_mean {
  std::int64_t count;
  KOKKOS_FUNCTION int operator()(int s) const { return floor_divide(s, static_cast<int>(count)); }
  KOKKOS_FUNCTION std::int64_t operator()(std::int64_t s) const { return floor_divide(s, count); }
  KOKKOS_FUNCTION mean_of<T> operator()(const wide_sum& s) const {
    return static_cast<mean_of<T>>(s.floor_mean(count));
  }
};
/// The mean by a number that the compiler knows.
template <class T, int Count>
struct floor_mean_of {
  KOKKOS_FUNCTION int operator()(int s) const { return math::floor_divide<Count>(s); }
  KOKKOS_FUNCTION std::int64_t operator()(std::int64_t s) const { return floor_divide<std::int64_t>(s, Count); }
  KOKKOS_FUNCTION mean_of<T> operator()(const wide_sum& s) const {
    return static_cast<mean_of<T>>(s.floor_mean(Count));
  }
};

}  // namespace quern::impl

#endif
