// SPDX-FileCopyrightText: the Quern authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef QUERN_FFT_COSINE_HPP
#define QUERN_FFT_COSINE_HPP

#include <numbers>
#include <quern/core/call/label.hpp>
#include <quern/core/launch/divisor.hpp>
#include <quern/core/memory/scratch_layout.hpp>
#include <quern/fft/fft.hpp>

namespace quern {

/// The type of a cosine or sine transform, 1 to 4: `dct(exec, out, in, dct_type{3})`; 2 without it.
struct dct_type {
  using option_of = impl::any_place;
  int value;
};

namespace impl::fourier {

/// A cosine transform of contiguous rows, or a sine transform as the cosine transform of other numbers: type 2 of
/// alternating signs, whose results are in reverse; types 3 and 4 of the reverse, whose results have alternating signs.
template <class T>
struct cosine_rows {
  const T* x;
  T* y;
  std::int64_t n;
  int type;
  bool sine;
  T factor;
  T first_in = 1, last_in = 1, first_out = 1, last_out = 1;  // of orthonormal transforms

  KOKKOS_FUNCTION T read(std::int64_t row, std::int64_t j) const {
    const std::int64_t i = sine && type > 2 ? n - 1 - j : j;
    const T value = x[row * n + i] * (i == 0 ? first_in : T(1)) * (i == n - 1 ? last_in : T(1));
    return sine && type == 2 && j % 2 == 1 ? -value : value;
  }
  KOKKOS_FUNCTION void write(std::int64_t row, std::int64_t k, T value) const {
    const std::int64_t i = sine && type == 2 ? n - 1 - k : k;
    if (sine && type > 2 && k % 2 == 1) value = -value;
    y[row * n + i] = value * factor * (i == 0 ? first_out : T(1)) * (i == n - 1 ? last_out : T(1));
  }
};

/// Points of the unit circle, `exp(-i pi (first + 2 j) / 4n)`, for j from 0 to n - 1.
template <class T>
struct circle_points {
  Kokkos::complex<T>* points;
  std::int64_t n, first;
  KOKKOS_FUNCTION void operator()(std::int64_t j) const {
    const T angle = std::numbers::pi_v<T> * static_cast<T>(first + 2 * j) / static_cast<T>(4 * n);
    points[j] = Kokkos::complex<T>(Kokkos::cos(angle), -Kokkos::sin(angle));
  }
};
template <class Exec, class T>
void set_circle(const launcher<Exec>& launch, Kokkos::complex<T>* points, std::int64_t n, std::int64_t first) {
  for_elements(launch, "quern::dct/circle", n, circle_points<T>{points, n, first});
}

/// What kernels do before the transform of a library, and after it.
struct before_tag {};
struct after_tag {};

/// Rows of which one thread takes a column: on devices so many that enough loads are under way.
template <class Exec>
inline constexpr int rows_of_thread = is_device<Exec> ? 8 : 1;

/// Moves elements between rows: `put(tag, row, column, take(tag, row, column))`. A thread takes those of a column in
/// several rows before it puts the first.
template <class Tag, int Rows, class Kernel>
struct columns_kernel {
  Kernel kernel;
  std::int64_t rows;
  row_division items;
  KOKKOS_FUNCTION void operator()(std::int64_t item) const {
    std::int64_t column;
    const std::int64_t first = items(item, column) * Rows;
    if (first + Rows <= rows) return move<Rows>(first, column);
    for (std::int64_t row = first; row < rows; ++row) move<1>(row, column);
  }
  template <int Count>
  KOKKOS_FORCEINLINE_FUNCTION void move(std::int64_t first, std::int64_t column) const {
    decltype(kernel.take(Tag(), first, column)) taken[Count];
    for (int r = 0; r < Count; ++r) taken[r] = kernel.take(Tag(), first + r, column);
    for (int r = 0; r < Count; ++r) kernel.put(Tag(), first + r, column, taken[r]);
  }
};
template <class Tag, class Exec, class Kernel>
void for_columns(const launcher<Exec>& launch, const operation_name& label, std::int64_t rows, std::int64_t columns,
                 const Kernel& kernel) {
  constexpr int together = rows_of_thread<Exec>;
  const std::int64_t groups = (rows + together - 1) / together;
  for_elements(launch, label, groups * columns, columns_kernel<Tag, together, Kernel>{kernel, rows, {groups, columns}});
}

/// The unscaled transform along the rows of a matrix.
template <class Exec, class O, class I>
void transform_rows(const launcher<Exec>& launch, kind what, std::int64_t n, const strided<O>& out,
                    const strided<I>& in) {
  stage(launch, request{what, 1, {1}, {n}}).run(out, in);
}

/// Type 1: the transform of an even or odd continuation of twice the length.
template <class T>
struct mirror_kernels {
  cosine_rows<T> rows;
  std::int64_t length, half;
  T* u;
  const Kokkos::complex<T>* spectrum;
  KOKKOS_FUNCTION T take(before_tag, std::int64_t row, std::int64_t j) const {
    const std::int64_t n = rows.n, back = length - j;
    if (!rows.sine) return rows.read(row, j < n ? j : back);
    if (j == 0 || j == n + 1) return 0;
    return j <= n ? rows.read(row, j - 1) : -rows.read(row, back - 1);
  }
  KOKKOS_FUNCTION void put(before_tag, std::int64_t row, std::int64_t j, T value) const { u[row * length + j] = value; }
  KOKKOS_FUNCTION T take(after_tag, std::int64_t row, std::int64_t k) const {
    const auto* const s = spectrum + row * half;
    return rows.sine ? -s[k + 1].imag() : s[k].real();
  }
  KOKKOS_FUNCTION void put(after_tag, std::int64_t row, std::int64_t k, T value) const { rows.write(row, k, value); }
};
template <class Exec, class T>
void mirrored_cosines(const launcher<Exec>& launch, std::int64_t count, const cosine_rows<T>& rows) {
  const std::int64_t n = rows.n, length = rows.sine ? 2 * (n + 1) : 2 * (n - 1), half = length / 2 + 1;
  const scratch_copy<Exec, T> mirrored(launch.exec, {count, length});
  const scratch_copy<Exec, Kokkos::complex<T>> transformed(launch.exec, {count, half});
  const mirror_kernels<T> kernels{rows, length, half, mirrored.array().data, transformed.array().data};
  for_columns<before_tag>(launch, "quern::dct/mirror", count, length, kernels);
  transform_rows(launch, kind::real_to_complex, length, transformed.array(), mirrored.array());
  for_columns<after_tag>(launch, "quern::dct/result", count, n, kernels);
}

/// Type 2: even elements, then odd ones in reverse (Makhoul, A fast cosine transform in one and two dimensions, 1980).
/// Type 3 is its inverse. Real numbers are moved by pairs of an even and an odd one.
template <class T>
struct reorder_kernels {
  using C = Kokkos::complex<T>;
  struct before_inverse_tag {};
  struct after_inverse_tag {};
  struct pair {
    T even, odd;
  };
  cosine_rows<T> rows;
  std::int64_t half;  // elements of a row of the spectrum
  T* v;
  C* spectrum;
  const C* turn;
  KOKKOS_FUNCTION bool has_odd(std::int64_t j) const { return 2 * j + 1 < rows.n; }

  KOKKOS_FUNCTION pair take(before_tag, std::int64_t row, std::int64_t j) const {
    return {rows.read(row, 2 * j), rows.read(row, Kokkos::min(2 * j + 1, rows.n - 1))};  // without a branch
  }
  KOKKOS_FUNCTION void put(before_tag, std::int64_t row, std::int64_t j, const pair& x) const {
    T* const to = v + row * rows.n;
    to[j] = x.even;
    if (has_odd(j)) to[rows.n - 1 - j] = x.odd;
  }
  KOKKOS_FUNCTION C take(after_tag, std::int64_t row, std::int64_t k) const {
    return spectrum[row * half + k] * turn[k];
  }
  KOKKOS_FUNCTION void put(after_tag, std::int64_t row, std::int64_t k, const C& c) const {
    const std::int64_t n = rows.n;
    rows.write(row, k, 2 * c.real());
    if (k > 0 && 2 * k < n) rows.write(row, n - k, -2 * c.imag());
  }
  KOKKOS_FUNCTION C take(before_inverse_tag, std::int64_t row, std::int64_t k) const {
    const std::int64_t n = rows.n;
    const T real = rows.read(row, Kokkos::min(k, n - 1)), imaginary = rows.read(row, Kokkos::min(n - k, n - 1));
    const C y(real, k == 0 ? T(0) : -imaginary);
    return y * conjugate(turn[k]);
  }
  KOKKOS_FUNCTION void put(before_inverse_tag, std::int64_t row, std::int64_t k, const C& value) const {
    spectrum[row * half + k] = value;
  }
  KOKKOS_FUNCTION pair take(after_inverse_tag, std::int64_t row, std::int64_t j) const {
    const T* const from = v + row * rows.n;
    return {from[j], from[rows.n - 1 - j]};
  }
  KOKKOS_FUNCTION void put(after_inverse_tag, std::int64_t row, std::int64_t j, const pair& x) const {
    rows.write(row, 2 * j, x.even);
    if (has_odd(j)) rows.write(row, 2 * j + 1, x.odd);
  }
};
template <class Exec, class T>
void reordered_cosines(const launcher<Exec>& launch, std::int64_t count, const cosine_rows<T>& rows) {
  using C = Kokkos::complex<T>;
  const std::int64_t n = rows.n, half = n / 2 + 1, pairs = (n + 1) / 2;
  const scratch_copy<Exec, T> reordered(launch.exec, {count, n});
  const scratch_copy<Exec, C> transformed(launch.exec, {count, half});
  const scratch_array<Exec, C> points(launch.exec, n);
  set_circle(launch, points.data(), n, 0);
  using of = reorder_kernels<T>;
  const of kernels{rows, half, reordered.array().data, transformed.array().data, points.data()};
  if (rows.type == 2) {
    for_columns<before_tag>(launch, "quern::dct/order", count, pairs, kernels);
    transform_rows(launch, kind::real_to_complex, n, transformed.array(), reordered.array());
    for_columns<after_tag>(launch, "quern::dct/result", count, half, kernels);
  } else {
    for_columns<typename of::before_inverse_tag>(launch, "quern::dct/spectrum", count, half, kernels);
    transform_rows(launch, kind::complex_to_real, n, reordered.array(), transformed.array());
    for_columns<typename of::after_inverse_tag>(launch, "quern::dct/result", count, pairs, kernels);
  }
}

/// Type 4: a complex transform of twice the length, with zeros in its second half.
template <class T>
struct turn_kernels {
  using C = Kokkos::complex<T>;
  cosine_rows<T> rows;
  C* z;
  const C *before, *after;
  KOKKOS_FUNCTION C take(before_tag, std::int64_t row, std::int64_t j) const {
    return j < rows.n ? rows.read(row, j) * before[j] : C(0);
  }
  KOKKOS_FUNCTION void put(before_tag, std::int64_t row, std::int64_t j, const C& value) const {
    z[row * 2 * rows.n + j] = value;
  }
  KOKKOS_FUNCTION T take(after_tag, std::int64_t row, std::int64_t k) const {
    return 2 * (z[row * 2 * rows.n + k] * after[k]).real();
  }
  KOKKOS_FUNCTION void put(after_tag, std::int64_t row, std::int64_t k, T value) const { rows.write(row, k, value); }
};
template <class Exec, class T>
void turned_cosines(const launcher<Exec>& launch, std::int64_t count, const cosine_rows<T>& rows) {
  using C = Kokkos::complex<T>;
  const std::int64_t n = rows.n;
  const scratch_copy<Exec, C> turned(launch.exec, {count, 2 * n});
  C *points_before = nullptr, *points_after = nullptr;
  const scratch_arrays<Exec> memory(launch.exec, scratch_part{points_before, n}, scratch_part{points_after, n});
  set_circle(launch, points_before, n, 0);
  set_circle(launch, points_after, n, 1);
  const turn_kernels<T> kernels{rows, turned.array().data, points_before, points_after};
  for_columns<before_tag>(launch, "quern::dct/turn", count, 2 * n, kernels);
  transform_rows(launch, kind::forward, 2 * n, turned.array(), turned.array());
  for_columns<after_tag>(launch, "quern::dct/result", count, n, kernels);
}

/// The factors of a norm. Orthonormal transforms treat the ends of rows in a way of their own.
template <class T>
void set_factors(cosine_rows<T>& rows, fft_norm norm) {
  const double length = 2.0 * static_cast<double>(rows.type == 1 ? rows.n + (rows.sine ? 1 : -1) : rows.n);
  rows.factor = static_cast<T>(norm == fft_norm::backward ? 1
                               : norm == fft_norm::ortho  ? 1 / std::sqrt(length)
                                                          : 1 / length);
  if (norm != fft_norm::ortho) return;
  const T root = std::numbers::sqrt2_v<T>;
  if (rows.type == 1 && !rows.sine) {
    rows.first_in = rows.last_in = root;
    rows.first_out = rows.last_out = 1 / root;
  } else if (rows.type == 2) {
    (rows.sine ? rows.last_out : rows.first_out) = 1 / root;
  } else if (rows.type == 3) {
    (rows.sine ? rows.last_in : rows.first_in) = root;
  }
}

/// Brings the lines along an axis into rows, transforms them, and brings them back.
template <class Exec, class T, class I>
void cosine_along(const launcher<Exec>& launch, const strided<T>& out, const strided<const I>& in, int axis, int type,
                  bool sine, fft_norm norm) {
  const auto order = transformed_last(request{kind::forward, 1, {axis}}, in.extents.rank);
  const auto to = permuted(out, order);
  const auto from = permuted(in, order);
  const std::int64_t n = in.extents.extent[axis], count = in.extents.size() / n;
  const bool packed = std::is_same_v<T, I> && from.stride == row_major_strides(from.extents);
  const scratch_copy<Exec, T> x(launch.exec, packed ? shape{0} : from.extents);
  if (!packed) launch.apply("quern::dct/pack", x.array(), op::identity(), from);
  const bool contiguous = to.stride == row_major_strides(to.extents);
  const scratch_copy<Exec, T> y(launch.exec, contiguous ? shape{0} : to.extents);
  // All of the input is read before any output is written: they may be the same.
  const T* const rows_in = packed ? reinterpret_cast<const T*>(from.data) : x.array().data;
  cosine_rows<T> rows{rows_in, contiguous ? to.data : y.array().data, n, type, sine, 1};
  set_factors(rows, norm);
  if (type == 1) mirrored_cosines(launch, count, rows);
  else if (type == 4) turned_cosines(launch, count, rows);
  else reordered_cosines(launch, count, rows);
  if (!contiguous) launch.apply("quern::dct/unpack", to, op::identity(), y.array());
}

template <class Exec, class Out, class In, class... Options>
void cosine_views(const operation_name& label, const Exec& exec, const Out& out_view, const In& in_view, bool sine,
                  bool inverse, const Options&... options) {
  using T = value_of<Out>;
  using I = value_of<In>;
  static_assert(is_result<T> && !is_complex<T>, "quern::dct: out must be of float or double");
  static_assert(!is_complex<I>, "quern::dct: in must be real");
  call c(label, exec);
  const auto out = c.output(out_view);
  const strided<const I> in = c.input(in_view);
  check_available<Exec>(label);
  int type = option_or(dct_type{2}, options...).value;
  if (type < 1 || type > 4) throw Error(label, "type " + std::to_string(type) + ", expected 1 to 4");
  const request r = request_of(label, kind::forward, out.extents, in.extents, transform_options(options...), 1);
  check_extents(label, "out", out.extents, in.extents);
  check_overlap(label, out, in, "in", std::is_same_v<T, I>);
  if (type == 1 && !sine && r.length[0] < 2)
    throw Error(label, "type 1 has 2 elements or more, and in has extents " + in.extents.str());
  if (in.extents.size() == 0) return;
  if (inverse && (type == 2 || type == 3)) type = 5 - type;
  cosine_along(launcher<Exec>{exec}, out, in, r.axis[0], type, sine, inverse ? swapped(r.norm) : r.norm);
}

}  // namespace impl::fourier

/// Cosine transforms of real numbers along an axis, of length n, with SciPy's factors; `dst` are the sine transforms.
///
/// | type | `out(k)` of dct |
/// | --- | --- |
/// | 1 | `x(0) + (-1)^k x(n-1) + 2 sum_{0<j<n-1} x(j) cos(pi k j / (n-1))` |
/// | 2 | `2 sum x(j) cos(pi k (2j+1) / 2n)` |
/// | 3 | `x(0) + 2 sum_{j>0} x(j) cos(pi (2k+1) j / 2n)` |
/// | 4 | `2 sum x(j) cos(pi (2k+1)(2j+1) / 4n)` |
///
/// | type | `out(k)` of dst |
/// | --- | --- |
/// | 1 | `2 sum x(j) sin(pi (k+1)(j+1) / (n+1))` |
/// | 2 | `2 sum x(j) sin(pi (k+1)(2j+1) / 2n)` |
/// | 3 | `(-1)^k x(n-1) + 2 sum_{j<n-1} x(j) sin(pi (2k+1)(j+1) / 2n)` |
/// | 4 | `2 sum x(j) sin(pi (2k+1)(2j+1) / 4n)` |
///
/// `idct` and `idst` are the inverses of that type. With the norm `ortho` the transforms are orthonormal (SciPy's `dst`
/// of types 2 and 3 is not: it scales the first element in place of the last). With `forward` the factor is in the
/// forward ones: 1 / 2n; of type 1 1 / 2(n-1), of sines 1 / 2(n+1).
///
/// out and in are real Views of the same extents and any layout, and may be the same View; `in` is converted to the
/// precision of `out`. Options are a `dct_type`, an `axis`, the last one by default, and an `fft_norm`. They are
/// computed by one `rfft` of length n (types 2 and 3, after Makhoul, 1980), of twice that (type 1), or by an `fft` of
/// length 2n (type 4), whose errors they have, from and to rows in scratch memory.
///
/// Asynchronous on `exec`.
/// @throws Error if extents differ, the axis is out of range, the length is 0 (of type 1 below 2), or out shares memory
/// with in otherwise
/// @throws BackendError without a library for the execution space
template <execution_space Exec, view_like Out, view_like In, option<dct_type, axis, fft_norm>... Options>
void dct(const Exec& exec, const Out& out, const In& in, const Options&... options) {
  impl::fourier::cosine_views("quern::dct", exec, out, in, false, false, options...);
}
template <execution_space Exec, view_like Out, view_like In, option<dct_type, axis, fft_norm>... Options>
void idct(const Exec& exec, const Out& out, const In& in, const Options&... options) {
  impl::fourier::cosine_views("quern::idct", exec, out, in, false, true, options...);
}
template <execution_space Exec, view_like Out, view_like In, option<dct_type, axis, fft_norm>... Options>
void dst(const Exec& exec, const Out& out, const In& in, const Options&... options) {
  impl::fourier::cosine_views("quern::dst", exec, out, in, true, false, options...);
}
template <execution_space Exec, view_like Out, view_like In, option<dct_type, axis, fft_norm>... Options>
void idst(const Exec& exec, const Out& out, const In& in, const Options&... options) {
  impl::fourier::cosine_views("quern::idst", exec, out, in, true, true, options...);
}
QUERN_TRANSFORM_FORMS(dct, view_like, view_like, option<dct_type, axis, fft_norm>)
QUERN_REJECTS(place, dct)
QUERN_TRANSFORM_FORMS(idct, view_like, view_like, option<dct_type, axis, fft_norm>)
QUERN_REJECTS(place, idct)
QUERN_TRANSFORM_FORMS(dst, view_like, view_like, option<dct_type, axis, fft_norm>)
QUERN_REJECTS(place, dst)
QUERN_TRANSFORM_FORMS(idst, view_like, view_like, option<dct_type, axis, fft_norm>)
QUERN_REJECTS(place, idst)

}  // namespace quern

#endif
