// SPDX-FileCopyrightText: the Quern authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef QUERN_FITS_POLYFIT_HPP
#define QUERN_FITS_POLYFIT_HPP

#include <quern/fits/fit_arguments.hpp>

namespace quern {
namespace impl {

/// Row i of the matrix of powers, the highest first, times the weight of the row.
template <class T>
struct weighted_powers {
  column_major<T> to;
  strided<const T> x, weight;
  KOKKOS_FUNCTION void operator()(std::int64_t i) const {
    const T value = x.data[i * x.stride[0]];
    T power = weight.data == nullptr ? T(1) : weight.data[i * weight.stride[0]];
    for (std::int64_t k = to.columns - 1; k >= 0; --k) {
      to(i, k) = power;
      power *= value;
    }
  }
};
template <class T>
struct weighted_targets {
  column_major<T> to;
  strided<const T> y, weight;
  KOKKOS_FUNCTION void operator()(std::int64_t i, std::int64_t j) const {
    const T value = y.data[i * y.stride[0] + j * y.stride[1]];
    to(i, j) = weight.data == nullptr ? value : value * weight.data[i * weight.stride[0]];
  }
};
/// Divides columns by their lengths, or rows; a length of zero divides nothing.
template <class T>
struct divided_by_lengths {
  column_major<T> a;
  const T* length;
  bool rows;
  KOKKOS_FUNCTION void operator()(std::int64_t i, std::int64_t j) const {
    const T by = length[rows ? i : j];
    if (by != T(0)) a(i, j) /= by;
  }
};

/// Divides the columns of a by their norms, which go to `lengths`.
template <norm_order Order, class Exec, class T>
void scale_columns(const Exec& exec, const std::string& label, const column_major<T>& a, T* lengths) {
  norm<Order>(exec, as_part<Exec, 1>(strided<T>{lengths, {a.columns}, {1}}), as_part<Exec, 2>(as_input(a)), axis{0});
  for_each_element(exec, label_text(label, "/scale"), a.rows, a.columns, divided_by_lengths<T>{a, lengths, false});
}

template <class Exec, class T>
std::int64_t fit_polynomials(const Exec& exec, const std::string& label, const strided<T>& out,
                             const strided<const T>& x, const strided<const T>& y, const strided<const T>& weight,
                             double rcond) {
  const std::int64_t n = x.extents.extent[0], terms = out.extents.extent[0], targets = y.extents.extent[1];
  const work_matrix<Exec, T> powers(exec, n, terms), right(exec, n, targets), found(exec, terms, targets);
  Kokkos::parallel_for(kernel_label(label, "/powers"), index_range(exec, n), weighted_powers<T>{*powers, x, weight});
  for_each_element(exec, label_text(label, "/targets"), n, targets, weighted_targets<T>{*right, y, weight});
  // By the largest power first, whose square may overflow.
  const scratch_array<Exec, T> largest(exec, terms), lengths(exec, terms);
  scale_columns<norm_order::infinity>(exec, label, *powers, largest.data());
  scale_columns<norm_order::two>(exec, label, *powers, lengths.data());
  const std::int64_t rank = solve_least_squares<Exec, T>(
      exec, label, as_matrix(*found), {}, {}, as_input(*powers), as_input(*right),
      {least_squares::svd, rcond < 0 ? static_cast<double>(n) * Kokkos::Experimental::epsilon_v<T> : rcond});
  for (const T* by : {largest.data(), lengths.data()})
    for_each_element(exec, label_text(label, "/scale"), terms, targets, divided_by_lengths<T>{*found, by, true});
  copy_matrix(exec, label, out, as_input(*found));
  exec.fence(kernel_label(label, ": results"));
  return rank;
}

}  // namespace impl

/// The polynomial that is nearest to n points, as `numpy.polyfit`: the coefficients p, of the highest power first, with
/// the least `sum_i (weight_i (y_i - sum_k p_k x_i^(degree - k)))^2`. Gives the rank; where it is below degree + 1,
/// which NumPy warns of, p is of all such polynomials the one whose scaled coefficients are the shortest.
///
/// @code
/// quern::polyfit(exec, p, x, y);  // of degree p.extent(0) - 1
/// @endcode
///
/// | x | y | p |
/// | --- | --- | --- |
/// | (n) | (n) | (degree + 1) |
/// | (n) | (n, t) | (degree + 1, t), a polynomial in each column |
///
/// @param out     p
/// @param options `rcond{r}`, n eps without it: singular values of the powers, each column scaled to length 1, up to r
///            of the largest count as zero. `weights{w}`, a View (n) of weights of the residuals, not of their squares:
///            1 / sigma for points of a standard deviation sigma
///
/// Views of any layout, all of float or all of double. The powers, n (degree + 1) numbers, are in scratch memory, where
/// `lstsq` solves for p; waits for `exec`. The error is some eps times the condition of the scaled powers, which grows
/// fast with the degree unless x is centred. NaN and infinities, in powers of x too, give NaN and a rank of -1; those
/// in y give NaN for their column.
/// @throws Error if ranks or extents do not fit, there are fewer points than coefficients, or p shares memory with
///         another array; ConvergenceError
template <execution_space Exec, output_like Out, array_like X, array_like Y, impl::polyfit_option... Options>
std::int64_t polyfit(const Exec& exec, const Out& out_view, const X& x_view, const Y& y_view,
                     const Options&... options) {
  using T = impl::value_of<X>;
  constexpr bool real = std::is_same_v<T, float> || std::is_same_v<T, double>;
  static_assert(real && std::is_same_v<impl::value_of<Y>, T> && std::is_same_v<impl::value_of<Out>, T>,
                "quern::polyfit: p, x and y must be all of float or all of double");
  const impl::call c("quern::polyfit", exec);
  impl::check_lapack<Exec>(c.label);
  const auto out = c.output(out_view);
  const impl::strided<const T> x = c.input(x_view), y = c.input(y_view);
  if (x.extents.rank != 1) impl::reject_extents(c.label, "x", x.extents, "rank 1");
  const std::int64_t n = x.extents.extent[0], terms = out.extents.rank > 0 ? out.extents.extent[0] : 0;
  if ((y.extents.rank != 1 && y.extents.rank != 2) || y.extents.extent[0] != n)
    throw Error(c.label, "y has extents " + y.extents.str() + ", which do not fit x with extents " + x.extents.str());
  shape expected = y.extents;
  expected.extent[0] = std::max<std::int64_t>(terms, 1);
  impl::check_extents(c.label, "p", out.extents, expected);
  if (n < terms)
    throw Error(c.label, "x has " + std::to_string(n) + " points, expected at least " + std::to_string(terms));
  const auto weight = impl::weights_of_rows<T>(c, n, options...);
  impl::check_apart(c.label, {"p", "x"}, out, x);
  impl::check_apart(c.label, {"p", "y"}, out, y);
  if (weight.data != nullptr) impl::check_apart(c.label, {"p", "weights"}, out, weight);
  if (out.extents.size() == 0) return terms;
  return impl::fit_polynomials(exec, c.label, impl::columns_of(out), x, impl::columns_of(y), weight,
                               impl::option_or(rcond(), options...).value);
}
template <output_like Out, array_like X, array_like Y, impl::polyfit_option... Options>
std::int64_t polyfit(const Out& out, const X& x, const Y& y, const Options&... options) {
  return polyfit(impl::space_of(out), out, x, y, options...);
}
QUERN_TAKES_NAME_NOT(place, polyfit)

}  // namespace quern

#endif
