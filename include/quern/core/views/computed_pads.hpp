// SPDX-FileCopyrightText: the Quern authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef QUERN_CORE_VIEWS_COMPUTED_PADS_HPP
#define QUERN_CORE_VIEWS_COMPUTED_PADS_HPP

/// @file
/// `pad` with elements that are computed from those of the array as they are read: mirrored values, and ramps.

#include <quern/core/values/exact.hpp>
#include <quern/core/views/index_operands.hpp>

namespace quern {

/// Whether `pad` mirrors the places of elements alone, or their values at the one at the edge, too: NumPy's
/// `reflect_type`.
enum class reflect_type {
  even,  ///< the elements
  odd,   ///< twice the element at the edge, less the element: a line that rises goes on rising
};

/// The values at which a ramp along an axis begins and ends.
struct ramp_ends {
  double before, after;
};
/// NumPy's mode `linear_ramp` of `pad`, with its `end_values`: `linear_ramp{0}`, `linear_ramp{{0, 5}}` before and
/// behind each axis, `linear_ramp{{0, 5}, {1, 1}}` of two axes.
struct linear_ramp {
  std::size_t count = 1;
  std::array<ramp_ends, max_rank> of{};
  template <class T>
    requires(std::is_arithmetic_v<T>)
  linear_ramp(T everywhere) : of{{{static_cast<double>(everywhere), static_cast<double>(everywhere)}}} {}
  linear_ramp(std::initializer_list<ramp_ends> ends) : count(ends.size()) {
    if (count > max_rank) throw Error("quern::pad", "at most 8 axes are possible");
    std::copy(ends.begin(), ends.end(), of.begin());
  }
  const ramp_ends& along(int d) const { return of[count == 1 ? 0 : static_cast<std::size_t>(d)]; }
};

namespace impl {

/// With elements there that are computed from those of the array, of which there are some.
struct computed_pad_map : outer_pad_map {
  static constexpr bool computes_outside = true;
};

/// a + times (b - c) in the type of the values; integers wrap around.
template <class T>
KOKKOS_FUNCTION T plus_times_difference(const T& a, std::int64_t times, const T& b, const T& c) {
  if constexpr (is_integer<T>) {
    using U = std::uint64_t;
    return static_cast<T>(static_cast<U>(a) + static_cast<U>(times) * (static_cast<U>(b) - static_cast<U>(c)));
  } else {
    return a + static_cast<real_type<T>>(times) * (b - c);
  }
}
/// 2 centre - v.
template <class T>
KOKKOS_FUNCTION T mirrored_value(const T& centre, const T& v) {
  if constexpr (is_integer<T>) return plus_times_difference(centre, 1, centre, v);
  else return centre + centre - v;
}

/// Values mirrored at the edges. Beyond the first mirrored copy there are further ones, mirrored at its ends: of h
/// elements each, by turns mirrored and not, and shifted by multiples of twice the difference of both edges.
struct reflecting_map : computed_pad_map {
  pad_mode mode;  // reflect or symmetric
  reflect_type type;

  template <class Line>
  KOKKOS_FUNCTION typename Line::value_type outside(std::int64_t i, const Line& line) const {
    const std::int64_t k = i - before, in_copy = mode == pad_mode::symmetric ? n : n - 1;
    if (n == 1) return line[0];
    const bool is_before = k < 0;
    const std::int64_t distance = is_before ? -1 - k : k - n, copy = distance / in_copy;
    const std::int64_t from_edge = distance - copy * in_copy + (mode == pad_mode::symmetric ? 0 : 1);
    const bool mirrored = copy % 2 == 0, counts_up = is_before == mirrored;
    const auto element = line[counts_up ? from_edge : n - 1 - from_edge];
    return type == reflect_type::even ? element : shifted(line, element, is_before, mirrored, copy);
  }

 private:
  template <class Line, class T>
  KOKKOS_FUNCTION T shifted(const Line& line, const T& element, bool is_before, bool mirrored,
                            std::int64_t copy) const {
    const T low = line[0], high = line[n - 1];
    if (!mirrored) return plus_times_difference(element, is_before ? -(copy + 1) : copy + 1, high, low);
    T centre = is_before ? low : high;  // of the first copy as it is, so that infinities elsewhere do not matter
    if (copy > 0) centre = plus_times_difference(centre, is_before ? -copy / 2 : copy / 2, high, low);
    return mirrored_value(centre, element);
  }
};

/// A value that double precision holds as one of T: integers are rounded down, and kept in their range.
template <class T>
KOKKOS_FUNCTION T ramp_value(double v) {
  if constexpr (std::is_integral_v<T>) {
    constexpr T least = std::numeric_limits<T>::min(), most = std::numeric_limits<T>::max();
    const double down = Kokkos::floor(v);
    return down >= static_cast<double>(most) ? most : down <= static_cast<double>(least) ? least : static_cast<T>(down);
  } else {
    return static_cast<T>(v);
  }
}

/// Ramps from the edges to end values, in double precision: NumPy's `linspace` from the end value on, without the edge.
struct ramp_map : computed_pad_map {
  std::int64_t behind;
  ramp_ends end;

  template <class Line>
  KOKKOS_FUNCTION typename Line::value_type outside(std::int64_t i, const Line& line) const {
    using T = typename Line::value_type;
    const bool is_before = i < before;
    const T edge = line[is_before ? 0 : n - 1];
    const double from = is_before ? end.before : end.after;
    const double steps = static_cast<double>(is_before ? before : behind);
    const double step = static_cast<double>(is_before ? i : before + n + behind - 1 - i);
    if constexpr (is_complex<T>) {
      using R = real_type<T>;
      return T(static_cast<R>(between(from, static_cast<double>(edge.real()), step, steps)),
               static_cast<R>(between(0, static_cast<double>(edge.imag()), step, steps)));
    } else {
      return ramp_value<T>(between(from, static_cast<double>(edge), step, steps));
    }
  }

 private:
  KOKKOS_FUNCTION static double between(double from, double to, double step, double steps) {
    const double delta = to - from, each = delta / steps;
    return (each == 0 ? rounded_product(step / steps, delta) : rounded_product(step, each)) + from;
  }
};

/// Rejects modes that mirror nothing, and end values of a ramp that do not fit: `least` and `most` of integers.
void check_reflection(pad_mode mode);
void check_ramp(const linear_ramp& ramp, int rank, bool integers, double least, double most);

template <class V>
constexpr bool can_compute_pad() {
  using T = value_of<V>;
  constexpr bool of_elements = !is_lazy<V>;
  static_assert(of_elements, "quern::pad: what is computed from a lazy array's values; copy it to a View first");
  constexpr bool numbers = (std::is_arithmetic_v<real_type<T>> || is_half<T>) && !std::is_same_v<T, bool>;
  static_assert(numbers, "quern::pad: odd reflection and ramps are of numbers");
  return of_elements && numbers && can_reindex<V, reindexing::by_map>();
}
}  // namespace impl

/// x with elements around it that mirror its own, as `pad(x, widths, mode)`, and with `reflect_type::odd` their values,
/// too: of x = `abcd` before a, with `pad_mode::reflect` the elements 2a - d, 2a - c, 2a - b, with `symmetric` 2a - c,
/// 2a - b, a (NumPy's `reflect_type`). `pad(x, 2, pad_mode::reflect, reflect_type::odd)`.
/// Elements are read one by one; with `reflect_type::even` `pad(x, widths, mode)` has the same and is faster.
///
/// Wider ones are mirrored again, at the ends of what has been mirrored. Corners are those of the padded rows: axes are
/// padded one after the other. Values are computed in x's type as they are read: integers wrap around, and those next
/// to x are rounded once. An element of a corner reads up to 3 for each axis. A lazy array is copied to a View first.
/// @throws Error if the mode is another, a width is negative, their number is not that of the axes, or an axis is empty
template <impl::reindexed_operand V>
auto pad(const V& x, const pad_widths& widths, pad_mode mode, reflect_type type) {
  impl::check_pad_rank<V>();
  if constexpr (impl::can_compute_pad<V>()) {
    impl::check_reflection(mode);
    return impl::map_axes<0, impl::rank_of<V>>("quern::pad", impl::as_mapped(x), [&](int d, std::int64_t n) {
      const impl::reflecting_map map{{{n, widths.along(d).before}}, mode, type};
      return std::pair(map, impl::padded_extent(widths, d, n, impl::rank_of<V>, false));
    });
  }
}

/// x with ramps around it, from its edges to end values, which are the outermost elements (NumPy's `linear_ramp`):
/// `pad(x, {{2, 3}}, linear_ramp{0})`. With w elements before the first element a of an axis, element i < w is
/// `end + i (a - end) / w`, and so backwards behind the last one.
///
/// Axes are padded one after the other, corners along the last one. Values are computed in double precision and
/// converted to x's type, integers rounded down; of complex numbers the end values are real. Where an edge is equal to
/// its end value, NumPy rounds others of that side differently in their last bit.
/// @throws Error as above, or if the number of end values is not that of the axes, or one does not fit into integers
template <impl::reindexed_operand V>
auto pad(const V& x, const pad_widths& widths, const linear_ramp& ramp) {
  impl::check_pad_rank<V>();
  if constexpr (impl::can_compute_pad<V>()) {
    using T = impl::real_type<impl::value_of<V>>;
    if constexpr (std::is_integral_v<T>)
      impl::check_ramp(ramp, impl::rank_of<V>, true, static_cast<double>(std::numeric_limits<T>::min()),
                       static_cast<double>(std::numeric_limits<T>::max()));
    else impl::check_ramp(ramp, impl::rank_of<V>, false, 0, 0);
    return impl::map_axes<0, impl::rank_of<V>>("quern::pad", impl::as_mapped(x), [&](int d, std::int64_t n) {
      const pad_width& w = widths.along(d);
      const impl::ramp_map map{{{n, w.before}}, w.after, ramp.along(d)};
      return std::pair(map, impl::padded_extent(widths, d, n, impl::rank_of<V>, false));
    });
  }
}

}  // namespace quern

#endif
