// SPDX-FileCopyrightText: the Quern authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef QUERN_LINALG_SOLVE_HPP
#define QUERN_LINALG_SOLVE_HPP

#include <quern/core/call/call.hpp>
#include <quern/core/values/values.hpp>
#include <quern/linalg/dense_solve.hpp>
#include <quern/linalg/small_solve.hpp>

namespace quern {

/// The solution of a system of linear equations, `a x = b`, or of many small ones, by Gaussian elimination with partial
/// pivoting.
///
/// | a | b | x | |
/// | --- | --- | --- | --- |
/// | (n, n) | (n) or (n, m) | as b | one matrix, one or m right-hand sides |
/// | (batch, n, n) | (batch, n) or (batch, n, m) | as b | many matrices, n up to 64 |
///
/// Views of any layout, of one type: float, double or their complex numbers. x may be the same View as b. The result is
/// that of `a + e` with `|e| <= c n eps |a|`, however badly conditioned a is.
///
/// One matrix is factored by LAPACK, cuSOLVER or rocSOLVER (component `linalg`), and the call waits for `exec`; scratch
/// memory takes a copy of a and b. A batch is one kernel; on devices systems of up to 32 rows with one right-hand side
/// are in registers, of a thread or of the lanes of a warp; other matrices that do not fit into shared memory spill to
/// global memory, which is allocated when first needed.
///
/// With `info`, a View of int of one element an item (of rank 0 for one matrix), `info(b)` is 0, or the number from 1
/// of the row in which the pivot is exactly zero; such an item's x is NaN, others are not affected. A batch is then
/// asynchronous on `exec`. Without it the call waits for `exec` and throws. NaN in an item give NaN, and no failure.
/// @throws Error if ranks or extents do not fit or x shares memory otherwise
/// @throws SingularMatrixError for a singular matrix, the first of a batch, without `info`
template <execution_space Exec, view_like X, array_like A, array_like B, view_like... Info>
void solve(const Exec& exec, const X& x_view, const A& a_view, const B& b_view, const Info&... info) {
  using T = impl::value_of<X>;
  static_assert(impl::are_matrices_of<T, A, B>,
                "quern::solve: x, a and b must have one floating-point or complex type");
  impl::call c("quern::solve", exec);
  const auto x = c.output(x_view);
  const auto a = c.input(a_view);
  const auto b = c.input(b_view);
  impl::check_square<Exec, A>(c.label, a);
  impl::check_right_side(c.label, a, b);
  impl::check_extents(c.label, "x", x.extents, b.extents);
  impl::check_overlap(c.label, x, a, "a", false);
  impl::check_overlap(c.label, x, b, "b", true);
  impl::check_info<Exec>(c.label, std::tie(x, a, b), info...);
  const auto one = [&](const auto& matrix) {
    return impl::solve_matrix(exec, c.label, impl::columns_of(x), matrix, impl::columns_of(b));
  };
  const impl::solve_op<T> many{impl::as_matrices(x), impl::as_matrices(a), impl::as_matrices(b), {}};
  impl::factor<SingularMatrixError, A>(exec, c.label, impl::zero_pivot, a, one, many, info...);
}
template <view_like X, array_like A, array_like B, view_like... Info>
void solve(const X& x, const A& a, const B& b, const Info&... info) {
  solve(impl::space_of(x), x, a, b, info...);
}
QUERN_TAKES_NAME_NOT(option_or_place, solve)

/// The inverse of a matrix, (n, n), or of many small ones, (batch, n, n), by Gaussian elimination with partial
/// pivoting. `out` may be the same View as a. To solve equations, `solve` is faster and more accurate. Types, layouts,
/// `info`, errors and asynchrony are those of `solve`.
template <execution_space Exec, view_like Out, array_like A, view_like... Info>
void inv(const Exec& exec, const Out& out_view, const A& a_view, const Info&... info) {
  using T = impl::value_of<Out>;
  static_assert(impl::are_matrices_of<T, A>, "quern::inv: out and a must have one floating-point or complex type");
  impl::call c("quern::inv", exec);
  const auto out = c.output(out_view);
  const auto a = c.input(a_view);
  impl::check_square<Exec, A>(c.label, a);
  impl::check_extents(c.label, "out", out.extents, a.extents);
  impl::check_overlap(c.label, out, a, "a", true);
  impl::check_info<Exec>(c.label, std::tie(out, a), info...);
  const auto one = [&](const auto& matrix) { return impl::inverse_matrix(exec, c.label, out, matrix); };
  const impl::inverse_op<T> many{impl::as_matrices(out), impl::as_matrices(a), {}};
  impl::factor<SingularMatrixError, A>(exec, c.label, impl::zero_pivot, a, one, many, info...);
}
template <view_like Out, array_like A, view_like... Info>
void inv(const Out& out, const A& a, const Info&... info) {
  inv(impl::space_of(out), out, a, info...);
}
QUERN_TAKES_NAME_NOT(option_or_place, inv)

/// The LU factorization of a matrix, or those of many small ones, with partial pivoting, `P a = L U`, as
/// `scipy.linalg.lu_factor`.
///
/// @param lu     (n, n) or (batch, n, n), as a: U in the upper triangle, L below it without its ones; may be the same
///               View as a
/// @param pivots (n) or (batch, n), of int: row i was exchanged with row `pivots(i)`, one after the other from i = 0 on
///
/// An item with a pivot that is exactly zero has its factorization too, with that zero in U. Types, layouts, `info`,
/// errors and asynchrony are those of `solve`.
template <execution_space Exec, view_like LU, view_like Pivots, array_like A, view_like... Info>
void lu_factor(const Exec& exec, const LU& lu_view, const Pivots& pivots_view, const A& a_view, const Info&... info) {
  using T = impl::value_of<LU>;
  static_assert(impl::are_matrices_of<T, A>, "quern::lu_factor: lu and a must have one floating-point or complex type");
  static_assert(std::is_same_v<impl::value_of<Pivots>, int>, "quern::lu_factor: pivots must be a View of int");
  impl::call c("quern::lu_factor", exec);
  const auto lu = c.output(lu_view);
  const auto pivots = c.output(pivots_view);
  const auto a = c.input(a_view);
  impl::check_square<Exec, A>(c.label, a);
  impl::check_extents(c.label, "lu", lu.extents, a.extents);
  impl::check_extents(c.label, "pivots", pivots.extents, impl::without_last(a.extents));
  impl::check_overlap(c.label, lu, a, "a", true);
  impl::check_apart(c.label, {"lu", "pivots"}, lu, pivots);
  impl::check_apart(c.label, {"pivots", "a"}, pivots, a);
  impl::check_info<Exec>(c.label, std::tie(lu, pivots, a), info...);
  const auto one = [&](const auto& matrix) { return impl::lu_matrix(exec, c.label, lu, pivots, matrix); };
  const impl::lu_op<T> many{impl::as_matrices(lu), impl::as_matrices(pivots), impl::as_matrices(a), {}};
  impl::factor<SingularMatrixError, A>(exec, c.label, impl::zero_pivot, a, one, many, info...);
}
template <view_like LU, view_like Pivots, array_like A, view_like... Info>
void lu_factor(const LU& lu, const Pivots& pivots, const A& a, const Info&... info) {
  lu_factor(impl::space_of(lu), lu, pivots, a, info...);
}
QUERN_TAKES_NAME_NOT(option_or_place, lu_factor)

/// The solution of `a x = b` from the `lu` and `pivots` that `lu_factor` has given, of one matrix or of a batch.
///
/// | lu | pivots | b | x |
/// | --- | --- | --- | --- |
/// | (n, n) | (n) | (n) or (n, m) | as b |
/// | (batch, n, n) | (batch, n) | (batch, n) or (batch, n, m) | as b |
///
/// x may be the same View as b. A zero in the diagonal of U gives infinities or NaN. Types, layouts and scratch memory
/// are those of `solve`; asynchronous on `exec`.
/// @throws Error if ranks or extents do not fit or x shares memory otherwise
template <execution_space Exec, view_like X, view_like LU, view_like Pivots, array_like B>
void lu_solve(const Exec& exec, const X& x_view, const LU& lu_view, const Pivots& pivots_view, const B& b_view) {
  using T = impl::value_of<X>;
  static_assert(impl::are_matrices_of<T, LU, B>,
                "quern::lu_solve: x, lu and b must have one floating-point or complex type");
  static_assert(std::is_same_v<impl::value_of<Pivots>, int>, "quern::lu_solve: pivots must be a View of int");
  impl::call c("quern::lu_solve", exec);
  const auto x = c.output(x_view);
  const auto lu = c.input(lu_view);
  const auto pivots = c.input(pivots_view);
  const auto b = c.input(b_view);
  impl::check_square<Exec, LU>(c.label, lu);
  impl::check_right_side(c.label, lu, b);
  impl::check_extents(c.label, "pivots", pivots.extents, impl::without_last(lu.extents));
  impl::check_extents(c.label, "x", x.extents, b.extents);
  impl::check_overlap(c.label, x, lu, "lu", false);
  impl::check_overlap(c.label, x, pivots, "pivots", false);
  impl::check_overlap(c.label, x, b, "b", true);
  if (x.extents.size() == 0) return;
  if constexpr (impl::may_be_matrix<Exec, LU>)
    if (lu.extents.rank == 2)
      impl::substitute_matrix(exec, c.label, impl::columns_of(x), lu, pivots, impl::columns_of(b));
  if constexpr (impl::may_be_batch<LU>) {
    const impl::lu_solve_op<T> op{impl::as_matrices(x), impl::as_matrices(lu), impl::as_matrices(b),
                                  impl::as_matrices(pivots)};
    if (lu.extents.rank == 3) impl::launch_items(exec, c.label, lu.extents.extent[0], op);
  }
}
template <view_like X, view_like LU, view_like Pivots, array_like B>
void lu_solve(const X& x, const LU& lu, const Pivots& pivots, const B& b) {
  lu_solve(impl::space_of(x), x, lu, pivots, b);
}
QUERN_TAKES_NAME_NOT(option_or_place, lu_solve)

/// Which triangle of a matrix is its own; the other is not read. The diagonal of a unit triangle is not read either: it
/// consists of ones.
enum class triangle { lower, upper, unit_lower, unit_upper };
template <>
inline constexpr bool impl::marked_option<triangle> = true;

/// The solution of `a x = b` for one triangular matrix, (n, n), by substitution. b is (n) or (n, m), x as b and perhaps
/// the same View. A zero in the diagonal gives infinities or NaN. Types and layouts are those of `solve`; asynchronous
/// on `exec`. `transposed(a)` is a lower triangle where a is an upper. Needs the component `linalg`.
/// @throws Error if ranks or extents do not fit or x shares memory otherwise
template <execution_space Exec, view_like X, array_like A, array_like B>
void triangular_solve(const Exec& exec, const X& x_view, const A& a_view, const B& b_view, triangle which) {
  using T = impl::value_of<X>;
  static_assert(impl::are_matrices_of<T, A, B>,
                "quern::triangular_solve: x, a and b must have one floating-point or complex type");
  impl::call c("quern::triangular_solve", exec);
  const auto x = c.output(x_view);
  const auto a = c.input(a_view);
  const auto b = c.input(b_view);
  impl::check_one_square<Exec, T>(c.label, "a", a);
  impl::check_right_side(c.label, a, b);
  impl::check_extents(c.label, "x", x.extents, b.extents);
  impl::check_overlap(c.label, x, a, "a", false);
  impl::check_overlap(c.label, x, b, "b", true);
  const impl::blas::triangle_kind kind{which == triangle::upper || which == triangle::unit_upper,
                                       which == triangle::unit_lower || which == triangle::unit_upper};
  if (x.extents.size() > 0) impl::triangular_matrix(exec, c.label, impl::columns_of(x), a, impl::columns_of(b), kind);
}
template <view_like X, array_like A, array_like B>
void triangular_solve(const X& x, const A& a, const B& b, triangle which) {
  triangular_solve(impl::space_of(x), x, a, b, which);
}
QUERN_TAKES_NAME_NOT(place, triangular_solve)

/// The Cholesky factorization of a matrix, (n, n), or those of many small ones, (batch, n, n), `a = l l^H` with lower
/// triangular l, as `numpy.linalg.cholesky`: the lower triangle of a is read, the upper of l is zero. l may be the same
/// View as a.
///
/// `info(b)` is 0, or the number from 1 of the row in which the pivot is not positive. Types, layouts, `info` and
/// asynchrony are those of `solve`.
/// @throws NotPositiveDefiniteError for a matrix, the first of a batch, that is not positive definite, without `info`
template <execution_space Exec, view_like L, array_like A, view_like... Info>
void cholesky(const Exec& exec, const L& l_view, const A& a_view, const Info&... info) {
  using T = impl::value_of<L>;
  static_assert(impl::are_matrices_of<T, A>, "quern::cholesky: l and a must have one floating-point or complex type");
  impl::call c("quern::cholesky", exec);
  const auto l = c.output(l_view);
  const auto a = c.input(a_view);
  impl::check_square<Exec, A>(c.label, a);
  impl::check_extents(c.label, "l", l.extents, a.extents);
  impl::check_overlap(c.label, l, a, "a", true);
  impl::check_info<Exec>(c.label, std::tie(l, a), info...);
  const auto one = [&](const auto& matrix) { return impl::cholesky_matrix(exec, c.label, l, matrix); };
  const impl::cholesky_op<T> many{impl::as_matrices(l), impl::as_matrices(a), {}};
  impl::factor<NotPositiveDefiniteError, A>(exec, c.label, impl::no_positive_pivot, a, one, many, info...);
}
template <view_like L, array_like A, view_like... Info>
void cholesky(const L& l, const A& a, const Info&... info) {
  cholesky(impl::space_of(l), l, a, info...);
}
QUERN_TAKES_NAME_NOT(option_or_place, cholesky)

/// The determinant of one matrix, (n, n): the product of the pivots of its LU factorization, 0 for a singular matrix, 1
/// for n = 0. It overflows where the product does. Types and layouts are those of `solve`; waits for `exec`. Needs the
/// component `linalg`.
/// @throws Error if a is not a square matrix
template <execution_space Exec, array_like A>
auto det(const Exec& exec, const A& a_view) {
  using T = impl::value_of<A>;
  static_assert(impl::is_matrix_value<T>, "quern::det: a must have a floating-point or complex type");
  if constexpr (impl::is_matrix_value<T>) {
    impl::call c("quern::det", exec);
    const auto a = c.input(a_view);
    impl::check_one_square<Exec, T>(c.label, "a", a);
    return impl::determinant(exec, c.label, a).value();
  }
}
template <array_like A>
auto det(const A& a) {
  return det(impl::space_of(a), a);
}
QUERN_TAKES_NAME_NOT(option_or_place, det)

/// A determinant as `sign exp(logabsdet)`, with a sign of absolute value 1, or 0 for a singular matrix.
template <class T>
struct slogdet_result {
  T sign;
  impl::real_type<T> logabsdet;
};

/// The sign of the determinant of one matrix and the logarithm of its absolute value, as `numpy.linalg.slogdet`: they
/// do not overflow. Minus infinity for a singular matrix. Else as `det`.
template <execution_space Exec, array_like A>
auto slogdet(const Exec& exec, const A& a_view) {
  using T = impl::value_of<A>;
  static_assert(impl::is_matrix_value<T>, "quern::slogdet: a must have a floating-point or complex type");
  if constexpr (impl::is_matrix_value<T>) {
    impl::call c("quern::slogdet", exec);
    const auto a = c.input(a_view);
    impl::check_one_square<Exec, T>(c.label, "a", a);
    const impl::scaled_product<T> d = impl::determinant(exec, c.label, a);
    return slogdet_result<T>{d.sign(), d.log()};
  }
}
template <array_like A>
auto slogdet(const A& a) {
  return slogdet(impl::space_of(a), a);
}
QUERN_TAKES_NAME_NOT(option_or_place, slogdet)

}  // namespace quern

#endif
