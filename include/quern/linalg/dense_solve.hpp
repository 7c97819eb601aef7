// SPDX-FileCopyrightText: the Quern authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef QUERN_LINALG_DENSE_SOLVE_HPP
#define QUERN_LINALG_DENSE_SOLVE_HPP

/// @file
/// Systems of linear equations with one matrix. Each function waits, and gives 0 or the row, from 1, that has no pivot.

#include <cmath>
#include <quern/core/call/label.hpp>
#include <quern/core/values/values.hpp>
#include <quern/linalg/dense_kernels.hpp>

namespace quern::impl {

/// X = A^-1 B, where `fill` writes B to a matrix of its extents. B is appended to A before the factorization, so that
/// only one triangular system is left to solve: those are slow for one right-hand side.
template <class Exec, class T, class Fill>
int solve_filled(const Exec& exec, const std::string& label, const strided<T>& x, const strided<const T>& a,
                 const Fill& fill) {
  const std::int64_t n = a.extents.extent[0], columns = x.extents.extent[1];
  if (n == 0) return 0;
  const work_matrix<Exec, T> both(exec, n, n + columns);
  const column_major<T> right{both->data + n * both->ld, n, columns, both->ld};
  const scratch_array<Exec, int> pivots(exec, n);
  copy_matrix(exec, label, as_matrix(both->first_columns(n)), a);
  fill(right);
  const auto zero = run_routine(exec, label, both->first_columns(n), part::all,
                                [&](int* info) { lapack::getrf(exec, *both, pivots.data(), info); });
  if (zero != 0) {
    fill_nan(exec, label, x);
    return zero.value_or(0);
  }
  blas::trsm<Exec, T>(exec, blas::side::left, {.upper = true}, n, columns, {both->data, blas::form::as_is, both->ld, 0},
                      {right.data, blas::form::as_is, right.ld, 0});
  copy_matrix(exec, label, x, as_matrix(right));
  return 0;
}
template <class Exec, class T>
int solve_matrix(const Exec& exec, const std::string& label, const strided<T>& x, const strided<const T>& a,
                 const strided<const T>& b) {
  return solve_filled(exec, label, x, a, [&](const auto& right) { copy_matrix(exec, label, as_matrix(right), b); });
}
template <class Exec, class T>
int inverse_matrix(const Exec& exec, const std::string& label, const strided<T>& out, const strided<const T>& a) {
  return solve_filled(exec, label, out, a, [&](const auto& right) { set_identity(exec, label, right); });
}

/// Pivots count from 0 in this library and from 1 in LAPACK: to(i) = from(i) + by, or i + by without `from`.
struct pivot_shift {
  int* to;
  std::int64_t to_step;
  const int* from;
  std::int64_t from_step;
  int by;
  KOKKOS_FUNCTION void operator()(std::int64_t i) const {
    to[i * to_step] = (from ? from[i * from_step] : static_cast<int>(i)) + by;
  }
};
template <class Exec>
void shift_pivots(const Exec& exec, const std::string& label, std::int64_t n, const pivot_shift& shift) {
  Kokkos::parallel_for(kernel_label(label, "/pivots"), index_range(exec, n), shift);
}

/// A factored in `lu`, with pivots that count from 1; of NaN where an element is not finite. Gives the row, from 1, of
/// the first pivot that is zero, or 0.
template <class Exec, class T>
int factor_lu(const Exec& exec, const std::string& label, const column_major<T>& lu, int* pivots,
              const strided<const T>& a) {
  copy_matrix(exec, label, as_matrix(lu), a);
  const auto zero = run_routine(exec, label, lu, part::all, [&](int* info) { lapack::getrf(exec, lu, pivots, info); });
  if (!zero) {
    fill_nan(exec, label, as_matrix(lu));
    shift_pivots(exec, label, lu.rows, {pivots, 1, nullptr, 0, 1});
  }
  return zero.value_or(0);
}

template <class Exec, class T>
int lu_matrix(const Exec& exec, const std::string& label, const strided<T>& lu, const strided<int>& pivots,
              const strided<const T>& a) {
  const std::int64_t n = a.extents.extent[0];
  if (n == 0) return 0;
  const work_matrix<Exec, T> work(exec, lu);
  const scratch_array<Exec, int> from_one(exec, n);
  const int zero = factor_lu(exec, label, *work, from_one.data(), a);
  copy_matrix(exec, label, lu, as_matrix(*work));
  shift_pivots(exec, label, n, {pivots.data, pivots.stride[0], from_one.data(), 1, -1});
  return zero;
}

template <class Exec, class T>
int cholesky_matrix(const Exec& exec, const std::string& label, const strided<T>& l, const strided<const T>& a) {
  const std::int64_t n = a.extents.extent[0];
  if (n == 0) return 0;
  const work_matrix<Exec, T> work(exec, n, n);
  copy_matrix(exec, label, as_matrix(*work), a);
  const auto bad = run_routine(exec, label, *work, part::lower, [&](int* info) { lapack::potrf(exec, *work, info); });
  if (bad == 0) copy_part<Exec, T>(exec, label, l, *work, part::lower);
  else fill_nan(exec, label, l);
  return bad.value_or(0);
}

/// X = A^-1 B with a triangular A.
template <class Exec, class T>
void triangular_matrix(const Exec& exec, const std::string& label, const strided<T>& x, const strided<const T>& a,
                       const strided<const T>& b, blas::triangle_kind kind) {
  const std::int64_t n = a.extents.extent[0];
  const bool rows = !as_columns(a) && as_columns(exchanged(a));  // which hold the other triangle, transposed
  const column_input<Exec, T> matrix(exec, label, rows ? exchanged(a) : a);
  const work_matrix<Exec, T> work(exec, x);
  copy_matrix(exec, label, as_matrix(*work), b);
  if (rows) kind.upper = !kind.upper;
  const auto form = rows ? blas::form::transposed : blas::form::as_is;
  blas::trsm<Exec, T>(exec, blas::side::left, kind, n, x.extents.extent[1], {(*matrix).data, form, (*matrix).ld, 0},
                      {work->data, blas::form::as_is, work->ld, 0});
  copy_matrix(exec, label, x, as_matrix(*work));
}

/// X = A^-1 B from what lu_factor gives.
template <class Exec, class T>
void substitute_matrix(const Exec& exec, const std::string& label, const strided<T>& x, const strided<const T>& lu,
                       const strided<const int>& pivots, const strided<const T>& b) {
  const std::int64_t n = lu.extents.extent[0];
  const column_input<Exec, T> factors(exec, label, lu);
  const scratch_array<Exec, int> from_one(exec, n);
  shift_pivots(exec, label, n, {from_one.data(), 1, pivots.data, pivots.stride[0], 1});
  const work_matrix<Exec, T> work(exec, x);
  copy_matrix(exec, label, as_matrix(*work), b);
  lapack::getrs<Exec, T>(exec, *factors, from_one.data(), *work);
  copy_matrix(exec, label, x, as_matrix(*work));
}

/// A determinant as `fraction 2^exponent`, with a fraction of absolute value from 1 to 2, or 0.
template <class T>
struct scaled_product {
  T fraction = T(1);
  std::int64_t exponent = 0;

  KOKKOS_FUNCTION void multiply(const T& factor, std::int64_t factor_exponent = 0) {
    exponent += factor_exponent;
    fraction *= by_power_of_two(factor);
    fraction = by_power_of_two(fraction);
  }
  /// The product, under the name that Kokkos looks for to join values of a reduction.
  KOKKOS_FUNCTION void operator+=(const scaled_product& other) { multiply(other.fraction, other.exponent); }
  /// A number brought near 1, whose exponent is counted. It is scaled twice, since the power itself may not be a
  /// number.
  KOKKOS_FUNCTION T by_power_of_two(const T& x) {
    using R = real_type<T>;
    const R size = Kokkos::abs(x);
    if (!(size > 0 && size <= Kokkos::Experimental::finite_max_v<R>)) return x;
    const R power = Kokkos::floor(Kokkos::log2(size)), half = Kokkos::floor(power / 2);
    exponent += static_cast<std::int64_t>(power);
    return x * Kokkos::exp2(-half) * Kokkos::exp2(half - power);
  }

  T value() const {
    const int power = static_cast<int>(std::clamp<std::int64_t>(exponent, -100'000, 100'000));
    if constexpr (is_complex<T>) return T(std::ldexp(fraction.real(), power), std::ldexp(fraction.imag(), power));
    else return std::ldexp(fraction, power);
  }
  T sign() const { return fraction == T(0) ? T(0) : fraction / Kokkos::abs(fraction); }
  real_type<T> log() const {
    using R = real_type<T>;
    return std::log(Kokkos::abs(fraction)) + static_cast<R>(exponent) * Kokkos::numbers::ln2_v<R>;
  }
};

template <class T>
struct pivot_product {
  using value_type = scaled_product<T>;
  column_major<T> lu;
  const int* pivots;
  KOKKOS_FUNCTION void operator()(std::int64_t i, value_type& product) const {
    product.multiply(pivots[i] == i + 1 ? lu(i, i) : -lu(i, i));
  }
};

template <class Exec, class T>
scaled_product<T> determinant(const Exec& exec, const std::string& label, const strided<const T>& a) {
  const std::int64_t n = a.extents.extent[0];
  scaled_product<T> result;
  if (n == 0) return result;
  const work_matrix<Exec, T> work(exec, n, n);
  const scratch_array<Exec, int> from_one(exec, n);
  factor_lu(exec, label, *work, from_one.data(), a);
  Kokkos::parallel_reduce(kernel_label(label, "/product"), index_range(exec, n),
                          pivot_product<T>{*work, from_one.data()}, result);
  return result;
}

}  // namespace quern::impl

#endif
