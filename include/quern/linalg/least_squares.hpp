// SPDX-FileCopyrightText: the Quern authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef QUERN_LINALG_LEAST_SQUARES_HPP
#define QUERN_LINALG_LEAST_SQUARES_HPP

/// @file
/// Applications of singular values and QR factorizations: least squares, pseudo-inverse, rank, condition and norms of
/// one matrix. All need the component `linalg`.

#include <algorithm>
#include <numeric>
#include <optional>
#include <quern/core/call/call.hpp>
#include <quern/core/launch/operations.hpp>
#include <quern/core/views/part_view.hpp>
#include <quern/linalg/qr.hpp>
#include <quern/linalg/solve.hpp>
#include <quern/linalg/svd.hpp>
#include <quern/reduce/reduce.hpp>
#include <vector>

namespace quern {

/// How a least-squares problem is solved: by the singular value decomposition, which finds the rank and the shortest of
/// all solutions, or by a QR factorization, which is faster and needs independent columns.
enum class least_squares { svd, qr };
template <>
inline constexpr bool impl::marked_option<least_squares> = true;

/// Singular values up to so much of the largest count as zero, `pinv(exec, out, a, rcond{1e-9})`; below 0, the default:
/// max(m, n) eps.
struct rcond {
  using option_of = impl::any_place;
  double value = -1;
};

namespace impl {

/// What the options of `lstsq` ask for.
struct lstsq_options {
  least_squares method;
  double rcond;
};

/// Singular values below this share of the largest one count as zero.
template <class T>
double default_rcond(std::int64_t m, std::int64_t n) {
  return static_cast<double>(std::max(m, n)) * static_cast<double>(Kokkos::Experimental::epsilon_v<real_type<T>>);
}

/// Divides row i by value i.
template <class T>
struct divided_rows {
  column_major<T> rows;
  const real_type<T>* by;
  KOKKOS_FUNCTION void operator()(std::int64_t i, std::int64_t j) const { rows(i, j) /= by[i]; }
};

/// A singular value decomposition in scratch memory, whose values are known to the host too. The left vectors are u, or
/// of a tall matrix `tall->x` u, a product that is never made.
template <class Exec, class T>
struct decomposed {
  using R = real_type<T>;
  std::int64_t m, n, k;
  std::optional<tall_factors<Exec, T>> tall;
  work_matrix<Exec, T> u, vt;
  scratch_array<Exec, R> s;
  std::vector<R> values;

  decomposed(const Exec& exec, const std::string& label, const strided<const T>& a, bool vectors)
      : m(a.extents.extent[0]),
        n(a.extents.extent[1]),
        k(std::min(m, n)),
        u(exec, vectors ? (is_tall(a.extents) ? n : m) : 0, vectors ? k : 0),
        vt(exec, vectors ? k : 0, vectors ? n : 0),
        s(exec, k),
        values(k) {
    if (is_tall(a.extents) && n > 0) tall.emplace(exec, label, a);
    const work_matrix<Exec, T> of_triangle(exec, vectors && tall ? n : 0, k);
    const strided<R> there{s.data(), {k}, {1}};
    const strided<T> left = as_matrix(tall ? *of_triangle : *u), right = as_matrix(*vt);
    if (svd_matrix(exec, label, vectors ? left : strided<T>{}, there, vectors ? right : strided<T>{},
                   tall ? as_input(tall->r()) : a, tall ? part::upper : part::all) != 0)
      throw ConvergenceError(label, "the matrix does not converge", 0, 0);
    if (tall && vectors)
      multiply_matrices(exec, label, as_matrix(*u), as_input(tall->inverse()), as_input(*of_triangle));
    copy_items_to_host(exec, values.data(), s.data(), k);
    exec.fence(kernel_label(label, ": singular values"));
  }

  /// How many values are greater than `rcond` of the largest (below 0: the default), or a negative number where they
  /// are NaN.
  std::int64_t rank(double rcond) const {
    if (k == 0) return 0;
    const double limit = (rcond < 0 ? default_rcond<T>(m, n) : rcond) * static_cast<double>(values[0]);
    if (!(limit == limit)) return -1;
    return std::count_if(values.begin(), values.end(), [&](R x) { return static_cast<double>(x) > limit; });
  }

  /// X = V diag(1 / s) U^H B for the first `rank` values.
  void apply_inverse(const Exec& exec, const std::string& label, const strided<T>& x, const strided<const T>& b,
                     std::int64_t rank) const {
    const std::int64_t columns = x.extents.extent[1];
    if (rank < 0) return fill_nan(exec, label, x);
    if (rank == 0) return fill_matrix(exec, label, x, T(0));
    const work_matrix<Exec, T> c(exec, rank, columns), result(exec, x);
    multiply_left_adjoint(exec, label, *c, b);
    divide_rows(exec, label, *c);
    multiply_adjoint(exec, label, *result, strided<const T>{vt->data, {rank, n}, {1, vt->ld}}, as_input(*c));
    copy_matrix(exec, label, x, as_matrix(*result));
  }

  /// X = V diag(1 / s) U^H for the first `rank` values, made as its adjoint.
  void inverse(const Exec& exec, const std::string& label, const strided<T>& x, std::int64_t rank) const {
    if (rank < 0) return fill_nan(exec, label, x);
    if (rank == 0) return fill_matrix(exec, label, x, T(0));
    const column_major<T> right{vt->data, rank, n, vt->ld};
    divide_rows(exec, label, right);
    multiply_left(exec, label, exchanged(x), as_input(right));
    if constexpr (is_complex<T>)
      map_launch<Exec, op::conjugate, T>(exec, label_text(label, "/conjugate"), x, {}, true, {{x.stride, x.stride}},
                                         array_input<T>{as_input(x)});
  }

  /// C = U^H B for as many of the left vectors U as C has rows.
  void multiply_left_adjoint(const Exec& exec, const std::string& label, const column_major<T>& c,
                             const strided<const T>& b) const {
    const column_input<Exec, T> right(exec, label, b);
    const auto left = as_input(u->first_columns(c.rows));
    if (!tall) return multiply_adjoint(exec, label, c, left, as_input(*right));
    const work_matrix<Exec, T> of_rows(exec, n, c.columns);
    multiply_adjoint(exec, label, *of_rows, tall->x, as_input(*right));
    multiply_adjoint(exec, label, c, left, as_input(*of_rows));
  }

  /// C = U B for as many of the left vectors U as B has rows.
  void multiply_left(const Exec& exec, const std::string& label, const strided<T>& c, const strided<const T>& b) const {
    const auto left = as_input(u->first_columns(b.extents.extent[0]));
    if (!tall) return multiply_matrices(exec, label, c, left, b);
    const work_matrix<Exec, T> of_rows(exec, n, b.extents.extent[1]);
    multiply_matrices(exec, label, as_matrix(*of_rows), left, b);
    multiply_matrices(exec, label, c, tall->x, as_input(*of_rows));
  }

  /// Row i over value i.
  void divide_rows(const Exec& exec, const std::string& label, const column_major<T>& rows) const {
    for_each_element(exec, label_text(label, "/values"), rows.rows, rows.columns, divided_rows<T>{rows, s.data()});
  }
};

/// The least and the largest element of a diagonal.
template <class T>
struct diagonal_extrema {
  using R = real_type<T>;
  using location = Kokkos::MinLoc<R, std::int64_t>;
  column_major<T> triangle;
  KOKKOS_FUNCTION void operator()(std::int64_t i, typename location::value_type& least, R& largest) const {
    const R size = pivot_size(triangle(i, i));
    if (size < least.val) least = {size, i};
    largest = Kokkos::max(largest, size);
  }
};

/// X = R^-1 Q^H B. Gives the number of columns, or -1 where elements are not finite.
/// @throws SingularMatrixError where a diagonal element of R is negligible against the largest
template <class Exec, class T>
std::int64_t solve_by_qr(const Exec& exec, const std::string& label, const strided<T>& x, const strided<const T>& a,
                         const strided<const T>& b, double rcond) {
  const std::int64_t m = a.extents.extent[0], n = a.extents.extent[1];
  const work_matrix<Exec, T> q(exec, m, n), r(exec, n, n), c(exec, n, x.extents.extent[1]);
  qr_matrix(exec, label, as_matrix(*q), as_matrix(*r), a);
  using location = typename diagonal_extrema<T>::location;
  typename location::value_type least;
  real_type<T> largest = 0;
  Kokkos::parallel_reduce(kernel_label(label, "/rank"), index_range(exec, n), diagonal_extrema<T>{*r}, location(least),
                          Kokkos::Max<real_type<T>>(largest));
  const bool finite = largest <= Kokkos::Experimental::finite_max_v<real_type<T>>;
  if (n > 0 && finite && static_cast<double>(least.val) <= rcond * static_cast<double>(largest))
    throw SingularMatrixError(label, "column " + std::to_string(least.loc) + " depends on those before it", 0,
                              static_cast<int>(least.loc));
  const column_input<Exec, T> right(exec, label, b);
  multiply_adjoint(exec, label, *c, as_input(*q), as_input(*right));
  blas::trsm<Exec, T>(exec, blas::side::left, {.upper = true}, n, c->columns, {r->data, blas::form::as_is, r->ld, 0},
                      {c->data, blas::form::as_is, c->ld, 0});
  copy_matrix(exec, label, x, as_matrix(*c));
  return finite ? n : -1;
}

/// The sums of |B - A X|^2 of each column.
template <class Exec, class T>
void sum_residuals(const Exec& exec, const std::string& label, const strided<real_type<T>>& residuals,
                   const strided<const T>& a, const strided<const T>& x, const strided<const T>& b) {
  using R = real_type<T>;
  const std::int64_t m = b.extents.extent[0], columns = b.extents.extent[1];
  const work_matrix<Exec, T> rest(exec, m, columns);
  copy_matrix(exec, label, as_matrix(*rest), b);
  multiply_matrices(exec, label, as_matrix(*rest), a, x, {T(-1), T(1)});
  const scratch_array<Exec, R> norms(exec, columns);
  const strided<R> found{norms.data(), {columns}, {1}};
  norm(exec, as_part<Exec, 1>(found), as_part<Exec, 2>(as_input(*rest)), axis{0});
  map_launch<Exec, op::multiply, R>(exec, label_text(label, "/residuals"), residuals, {}, false,
                                    {{residuals.stride, found.stride, found.stride}}, array_input<R>{as_input(found)},
                                    array_input<R>{as_input(found)});
}

/// `lstsq` after its checks; residuals and s have no data where they are not wanted.
template <class Exec, class T>
std::int64_t solve_least_squares(const Exec& exec, const std::string& label, const strided<T>& x,
                                 const strided<real_type<T>>& residuals, const strided<real_type<T>>& s,
                                 const strided<const T>& a, const strided<const T>& b, const lstsq_options& options) {
  const std::int64_t m = a.extents.extent[0], n = a.extents.extent[1], k = std::min(m, n);
  const double rcond = options.rcond < 0 ? default_rcond<T>(m, n) : options.rcond;
  std::int64_t rank = n;
  if (options.method == least_squares::qr) {
    rank = solve_by_qr(exec, label, x, a, b, rcond);
  } else {
    const decomposed<Exec, T> d(exec, label, a, true);
    rank = d.rank(rcond);
    d.apply_inverse(exec, label, x, b, rank);
    if (s.data != nullptr) copy_matrix(exec, label, s, strided<const real_type<T>>{d.s.data(), {k}, {1}});
  }
  if (residuals.data != nullptr) sum_residuals(exec, label, residuals, a, as_input(x), b);
  return rank;
}
#define QUERN_LEAST_SQUARES(HOW, Exec, T)                                                                             \
  HOW template std::int64_t solve_least_squares(                                                                      \
      const Exec&, const std::string&, const strided<T>&, const strided<real_type<T>>&, const strided<real_type<T>>&, \
      const strided<const T>&, const strided<const T>&, const lstsq_options&);
QUERN_MATRICES_ELSEWHERE(QUERN_LEAST_SQUARES)

/// An output of lstsq behind the first, of the real type of T; no data where it is not wanted.
template <std::size_t I, class Exec, class T, class Views>
auto make_real_output(const Views& views, const std::string& label) {
  if constexpr (I < std::tuple_size_v<Views>) {
    static_assert(std::is_same_v<value_of<std::tuple_element_t<I, Views>>, real_type<T>>,
                  "quern::lstsq: residuals and s must be real");
    return make_output<Exec>(std::get<I>(views), label);
  } else {
    return strided<real_type<T>>{};
  }
}

struct least_squares_problems {};

template <>
struct engine<in_memory, least_squares_problems> {
  template <class Exec, class Out, class A, class B>
  static std::int64_t run(const Exec& exec, const Out& out, const A& a_view, const B& b_view, lstsq_options options) {
    using T = value_of<A>;
    call c("quern::lstsq", exec);
    const auto views = as_outputs(out);
    constexpr std::size_t count = std::tuple_size_v<decltype(views)>;
    static_assert(count <= 3, "quern::lstsq: at most three outputs, x, residuals and s");
    const auto x = c.output(std::get<0>(views));
    const auto residuals = make_real_output<1, Exec, T>(views, c.label);
    const auto s = make_real_output<2, Exec, T>(views, c.label);
    const auto a = c.input(a_view);
    const auto b = c.input(b_view);
    static_assert(std::is_same_v<std::remove_pointer_t<decltype(x.data)>, T> && std::is_same_v<value_of<B>, T>,
                  "quern::lstsq: x, a and b must have one type");
    check_one_matrix<Exec, T>(c.label, "a", a);
    const std::int64_t m = a.extents.extent[0], n = a.extents.extent[1], k = std::min(m, n);
    check_right_side(c.label, a, b);
    const auto bs = columns_of(b);
    shape solution = b.extents;
    solution.extent[0] = n;
    check_extents(c.label, "x", x.extents, solution);
    if (count >= 2) check_extents(c.label, "residuals", residuals.extents, shape{bs.extents.extent[1]});
    if (count == 3) check_extents(c.label, "s", s.extents, shape{k});
    check_apart(c.label, {"x", "residuals", "s"}, x, residuals, s);
    for (const auto& [name, in] : {std::pair("a", a), std::pair("b", b)}) {
      check_overlap(c.label, x, in, name, false);
      if (count >= 2) check_apart(c.label, {"residuals", name}, residuals, in);
      if (count == 3) check_apart(c.label, {"s", name}, s, in);
    }
    if (options.method == least_squares::qr && m < n)
      reject_extents(c.label, "a", a.extents, "no more columns than rows for qr");
    if (options.method == least_squares::qr && count == 3)
      throw Error(c.label, "singular values are given by the method svd alone");
    return solve_least_squares(exec, c.label, columns_of(x), residuals, s, a, bs, options);
  }
};

}  // namespace impl

/// The least-squares solution of `a x = b`: of all x with the least `|a x - b|` the shortest, as `numpy.linalg.lstsq`.
/// Gives the rank of a.
///
/// | a | b | x | residuals | s |
/// | --- | --- | --- | --- | --- |
/// | (m, n) | (m) or (m, k) | (n) or (n, k) | (1) or (k), real | (min(m, n)), real |
///
/// @param out x, or `outputs(x, residuals)`, the sums of |b - a x|^2 of each column, or `outputs(x, residuals, s)`,
///            with the singular values of a, which the method `svd` alone gives
/// @param options a `least_squares` method and `rcond`, `lstsq(exec, x, a, b, least_squares::qr)`: a must then have at
///            least as many rows as columns
///
/// Views of any layout, of float, double or their complex numbers. Waits for `exec` until the rank is known; outputs
/// are written on `exec` behind that, and are there when it has ended. Matrices with many more rows than columns are
/// decomposed as by `qr`. NaN in a give NaN, and a rank of -1.
///
/// Over ranks a and b are DistributedViews whose rows, no fewer than columns, are distributed in the same way, x is a
/// View, the same on every rank, and the method is `svd`. Collective; waits.
/// @throws Error if ranks or extents do not fit, Views share memory, or s is wanted of `qr`
/// @throws SingularMatrixError by `qr`, if a column depends on those before it; ConvergenceError by `svd`
template <execution_space Exec, output_like Out, any_array A, any_array B, option<least_squares, rcond>... Options>
std::int64_t lstsq(const Exec& exec, const Out& out, const A& a, const B& b, const Options&... options) {
  const impl::lstsq_options wanted{impl::option_or(least_squares::svd, options...),
                                   impl::option_or(rcond(), options...).value};
  return impl::engine_of<impl::least_squares_problems, Out, A, B>::run(exec, out, a, b, wanted);
}
template <output_like Out, any_array A, any_array B, option<least_squares, rcond>... Options>
std::int64_t lstsq(const Out& out, const A& a, const B& b, const Options&... options) {
  return lstsq(impl::space_of(a), out, a, b, options...);
}
QUERN_TAKES_NAME(lstsq)

/// The pseudo-inverse of Moore and Penrose, (n, m), of a matrix a, (m, n), as `numpy.linalg.pinv`: singular values up
/// to `rcond` of the largest (below 0: max(m, n) eps) count as zero. Types, layouts and waits are those of `lstsq`. NaN
/// in a give NaN.
/// @throws Error if ranks or extents do not fit or Views share memory; ConvergenceError
template <execution_space Exec, view_like Out, array_like A, option<rcond>... Options>
void pinv(const Exec& exec, const Out& out_view, const A& a_view, const Options&... options) {
  using T = impl::value_of<A>;
  impl::call c("quern::pinv", exec);
  const auto out = c.output(out_view);
  const auto a = c.input(a_view);
  static_assert(std::is_same_v<impl::value_of<Out>, T>, "quern::pinv: out and a must have one type");
  impl::check_one_matrix<Exec, T>(c.label, "a", a);
  const std::int64_t m = a.extents.extent[0], n = a.extents.extent[1];
  impl::check_extents(c.label, "out", out.extents, shape{n, m});
  impl::check_overlap(c.label, out, a, "a", false);
  if (m * n == 0) return;
  const impl::decomposed<Exec, T> d(exec, c.label, a, true);
  d.inverse(exec, c.label, out, d.rank(impl::option_or(rcond(), options...).value));
}
template <view_like Out, array_like A, option<rcond>... Options>
void pinv(const Out& out, const A& a, const Options&... options) {
  pinv(impl::space_of(out), out, a, options...);
}
QUERN_TAKES_NAME_NOT(place, pinv)

/// How many singular values of a matrix are greater than `rcond` of the largest (below 0: max(m, n) eps), as
/// `numpy.linalg.matrix_rank`; -1 where an element is NaN. Types and layouts are those of `lstsq`; waits for `exec`.
/// @throws Error if a is not a matrix; ConvergenceError
template <execution_space Exec, array_like A, option<rcond>... Options>
std::int64_t matrix_rank(const Exec& exec, const A& a_view, const Options&... options) {
  using T = impl::value_of<A>;
  static_assert(impl::is_matrix_value<T>, "quern::matrix_rank: a must have a floating-point or complex type");
  if constexpr (impl::is_matrix_value<T>) {
    impl::call c("quern::matrix_rank", exec);
    const auto a = c.input(a_view);
    impl::check_one_matrix<Exec, T>(c.label, "a", a);
    const impl::decomposed<Exec, T> d(exec, c.label, a, false);
    return d.rank(impl::option_or(rcond(), options...).value);
  } else {
    return 0;
  }
}
template <array_like A, option<rcond>... Options>
std::int64_t matrix_rank(const A& a, const Options&... options) {
  return matrix_rank(impl::space_of(a), a, options...);
}
QUERN_TAKES_NAME_NOT(place, matrix_rank)

/// A norm of a matrix, as `numpy.linalg.matrix_norm`: the largest sum of absolute values of a column
/// (`norm_order::one`) or of a row (`infinity`), the largest singular value (`two`), the root of the sum of squares
/// (`frobenius`, the default), or the sum of the singular values (`nuclear`). 0 for no elements, NaN where an element
/// is NaN. Views of any layout of float, double or their complex numbers; waits for `exec`. For vectors and arrays of
/// any rank see `norm`.
/// @throws Error if a is not a matrix; ConvergenceError
template <execution_space Exec, array_like A, option<norm_order>... Options>
auto matrix_norm(const Exec& exec, const A& a_view, const Options&... options) {
  const auto order = impl::option_or(norm_order::frobenius, options...);
  using T = impl::value_of<A>;
  static_assert(impl::is_matrix_value<T>, "quern::matrix_norm: a must have a floating-point or complex type");
  if constexpr (impl::is_matrix_value<T>) {
    using R = impl::real_type<T>;
    impl::call c("quern::matrix_norm", exec);
    const auto a = c.input(a_view);
    impl::check_one_matrix<Exec, T>(c.label, "a", a);
    const auto view = impl::as_part<Exec, 2>(a);
    if (a.extents.size() == 0) return R(0);
    if (order == norm_order::frobenius) return norm(exec, view);
    if (order == norm_order::one || order == norm_order::infinity) {
      const int along = order == norm_order::one ? 0 : 1;
      const impl::scratch_array<Exec, R> sums(exec, a.extents.extent[1 - along]);
      const auto lengths = impl::as_part<Exec, 1>(impl::strided<R>{sums.data(), {a.extents.extent[1 - along]}, {1}});
      norm<1>(exec, lengths, view, axis{along});
      return max(exec, lengths);
    }
    const impl::decomposed<Exec, T> d(exec, c.label, a, false);
    return order == norm_order::two ? d.values[0] : std::accumulate(d.values.begin(), d.values.end(), R(0));
  }
}
template <array_like A, option<norm_order>... Options>
auto matrix_norm(const A& a, const Options&... options) {
  return matrix_norm(impl::space_of(a), a, options...);
}
QUERN_TAKES_NAME_NOT(place, matrix_norm)

/// The condition number of a matrix, `|a| |a^-1|`, as `numpy.linalg.cond`: by default, and for matrices of any shape,
/// the largest singular value over the smallest; infinity for a singular matrix, NaN where an element is NaN. Other
/// norms are for square matrices. Types and layouts are those of `matrix_norm`; waits for `exec`.
/// @throws Error if a is not a matrix, has no elements, or is not square for another norm; ConvergenceError
template <execution_space Exec, array_like A, option<norm_order>... Options>
auto cond(const Exec& exec, const A& a_view, const Options&... options) {
  const auto order = impl::option_or(norm_order::two, options...);
  using T = impl::value_of<A>;
  static_assert(impl::is_matrix_value<T>, "quern::cond: a must have a floating-point or complex type");
  if constexpr (impl::is_matrix_value<T>) {
    using R = impl::real_type<T>;
    impl::call c("quern::cond", exec);
    const auto a = c.input(a_view);
    if (order == norm_order::two) impl::check_one_matrix<Exec, T>(c.label, "a", a);
    else impl::check_one_square<Exec, T>(c.label, "a", a);
    if (a.extents.size() == 0) impl::reject_extents(c.label, "a", a.extents, "elements");
    if (order == norm_order::two) {
      const impl::decomposed<Exec, T> d(exec, c.label, a, false);
      return d.values.back() == 0 ? Kokkos::Experimental::infinity_v<R> : d.values.front() / d.values.back();
    }
    const impl::work_matrix<Exec, T> inverse(exec, a.extents.extent[0], a.extents.extent[1]);
    if (impl::inverse_matrix(exec, c.label, impl::as_matrix(*inverse), a) != 0)
      return Kokkos::Experimental::infinity_v<R>;
    return matrix_norm(exec, impl::as_part<Exec, 2>(a), order) *
           matrix_norm(exec, impl::as_part<Exec, 2>(impl::as_input(*inverse)), order);
  }
}
template <array_like A, option<norm_order>... Options>
auto cond(const A& a, const Options&... options) {
  return cond(impl::space_of(a), a, options...);
}
QUERN_TAKES_NAME_NOT(place, cond)

}  // namespace quern

#endif
