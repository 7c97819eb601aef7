// SPDX-FileCopyrightText: the Quern authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef QUERN_FITS_FIT_ARGUMENTS_HPP
#define QUERN_FITS_FIT_ARGUMENTS_HPP

/// @file
/// The arguments that fits to rows of data share, and their checks.

#include <quern/core/call/call.hpp>
#include <quern/core/call/weights.hpp>
#include <quern/fits/products.hpp>
#include <quern/linalg/least_squares.hpp>

namespace quern {

/// How much a penalty counts beside the squares of what a fit leaves, `alpha{0.5}`; 1 without it.
struct alpha {
  using option_of = impl::any_place;
  double value = 1;
};

namespace impl {

template <class T>
concept ridge_option = is_option<alpha, T> || weights_option<T>;
template <class T>
concept polyfit_option = is_option<rcond, T> || weights_option<T>;

/// The memory of the weights of n rows among the options, or no data.
template <class T, class Exec, class... Options>
strided<const T> weights_of_rows(const call<Exec>& c, std::int64_t n, const Options&... options) {
  static_assert(!repeated_option<Options...>::value);
  strided<const T> found;
  [[maybe_unused]] const auto take = [&](const auto& o) {
    if constexpr (is_weights<std::remove_cvref_t<decltype(o)>>) {
      constexpr bool same = std::is_same_v<value_of<std::remove_cvref_t<decltype(o.of)>>, T>;
      static_assert(same, "quern: the weights of a fit must have the type of x");
      if constexpr (same) {
        found = c.input(o.of);
        check_extents(c.label, "weights", found.extents, shape{n});
      }
    }
  };
  (take(options), ...);
  return found;
}

/// The rows of a fit from x, (n, d), and y, (n) or (n, t), checked.
template <class T, class Exec, class X, class Y, class... Options>
fit_rows<T> rows_of_fit(const call<Exec>& c, const X& x_view, const Y& y_view, const Options&... options) {
  constexpr bool real = std::is_same_v<T, float> || std::is_same_v<T, double>;
  static_assert(real && std::is_same_v<value_of<Y>, T>, "quern: x and y of a fit must be both of float or of double");
  fit_rows<T> rows;
  rows.x = c.input(x_view);
  const strided<const T> y = c.input(y_view);
  constexpr std::int64_t max_columns = 1 << 16;
  if (rows.x.extents.rank != 2 || rows.x.extents.extent[1] < 1 || rows.x.extents.extent[1] > max_columns)
    reject_extents(c.label, "x", rows.x.extents, "(n, d), of 1 to 65536 columns");
  const std::int64_t n = rows.x.extents.extent[0];
  const bool fits = (y.extents.rank == 1 || y.extents.rank == 2) && y.extents.extent[0] == n;
  if (!fits || (y.extents.rank == 2 && (y.extents.extent[1] < 1 || y.extents.extent[1] > max_columns)))
    throw Error(c.label,
                "y has extents " + y.extents.str() + ", which do not fit x with extents " + rows.x.extents.str());
  rows.y = columns_of(y);
  const strided<const T> weight = weights_of_rows<T>(c, n, options...);
  rows.weight = weight.data;
  rows.weight_step = weight.stride[0];
  rows.weight_extents = weight.extents;
  return rows;
}

/// An output of a fit must not share memory with its data.
template <class Exec, class T, class Data>
void check_apart_from_rows(const call<Exec>& c, const char* name, const strided<T>& out, const fit_rows<Data>& rows) {
  check_apart(c.label, {name, "x"}, out, rows.x);
  check_apart(c.label, {name, "y"}, out, rows.y);
  if (rows.weight != nullptr)
    check_apart(c.label, {name, "weights"}, out,
                strided<const Data>{rows.weight, rows.weight_extents, {rows.weight_step}});
}

/// The outputs of a linear fit; the intercept has no data where none is wanted.
template <class T>
struct fit_outputs {
  strided<T> coefficients, intercept;
  bool with_intercept;
};
/// The outputs of a linear fit of at least so many rows, checked.
template <class Exec, class Out, class Y, class T>
fit_outputs<T> outputs_of_fit(const call<Exec>& c, const Out& out_view, const Y& y_view, const fit_rows<T>& rows,
                              std::int64_t least) {
  const auto views = as_outputs(out_view);
  constexpr std::size_t count = std::tuple_size_v<decltype(views)>;
  static_assert(count <= 2, "quern: the outputs of a linear fit are the coefficients and the intercept");
  check_lapack<Exec>(c.label);
  if (rows.count() < least)
    throw Error(c.label, "x has " + std::to_string(rows.count()) + " rows, expected at least " + std::to_string(least));
  fit_outputs<T> out{c.output(std::get<0>(views)), {}, count == 2};
  const bool several = operand_extents(c.label, y_view).rank == 2;
  check_extents(c.label, "coefficients", out.coefficients.extents,
                several ? shape{rows.t(), rows.d()} : shape{rows.d()});
  check_apart_from_rows(c, "coefficients", out.coefficients, rows);
  if constexpr (count == 2) {
    out.intercept = c.output(std::get<1>(views));
    check_extents(c.label, "intercept", out.intercept.extents, several ? shape{rows.t()} : shape{});
    check_apart_from_rows(c, "intercept", out.intercept, rows);
    check_apart(c.label, {"coefficients", "intercept"}, out.coefficients, out.intercept);
  }
  return out;
}

}  // namespace impl
}  // namespace quern

#endif
