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
      static_assert(std::is_same_v<value_of<std::remove_cvref_t<decltype(o.of)>>, T>,
                    "quern: the weights of a fit must have the type of x");
      found = c.input(o.of);
      check_extents(c.label, "weights", found.extents, shape{n});
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
    throw Error(c.label, "y has extents " + y.extents.str() + ", which do not fit x with extents " + rows.x.extents.str());
  rows.y = columns_of(y);
  const strided<const T> weight = weights_of_rows<T>(c, n, options...);
  rows.weight = weight.data;
  rows.weight_step = weight.stride[0];
  rows.weight_extents = weight.extents;
  return rows;
}

/// An output of a fit must not share memory with its data.
template <class Exec, class T, class Data>
void check_apart_from_rows(const call<Exec>& c, const char* name, const strided<T>& out,
                           const fit_rows<Data>& rows) {
  check_apart(c.label, {name, "x"}, out, rows.x);
  check_apart(c.label, {name, "y"}, out, rows.y);
  if (rows.weight != nullptr)
    check_apart(c.label, {name, "weights"}, out,
                strided<const Data>{rows.weight, rows.weight_extents, {rows.weight_step}});
}

}  // namespace impl
}  // namespace quern

#endif
