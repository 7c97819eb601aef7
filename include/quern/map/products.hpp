// SPDX-FileCopyrightText: the Quern authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef QUERN_MAP_PRODUCTS_HPP
#define QUERN_MAP_PRODUCTS_HPP

/// @file
/// Products of vectors and of arrays, and values of polynomials.

#include <quern/core/launch/operations.hpp>
#include <quern/core/views/part_view.hpp>
#include <quern/core/views/rows.hpp>
#include <quern/map/differences.hpp>
#include <quern/map/restrided.hpp>

namespace quern {
namespace impl {

/// a b - c d. Integers wrap around, narrow ones as int.
template <class A, class B>
KOKKOS_FUNCTION auto difference_of_products(const A& a, const B& b, const A& c, const B& d) {
  using P = std::remove_cvref_t<decltype(a * b)>;
  if constexpr (is_integer<P>) {
    const auto product = [](const A& x, const B& y) { return wrapping_multiply(static_cast<P>(x), static_cast<P>(y)); };
    return difference()(product(a, b), product(c, d));
  } else {
    return a * b - c * d;
  }
}

/// The vector product, converted to T.
template <class T>
struct cross_product {
  template <class A, class B>
  KOKKOS_FUNCTION Kokkos::Array<T, 3> operator()(const Kokkos::Array<A, 3>& a, const Kokkos::Array<B, 3>& b) const {
    return {convert<T>(difference_of_products(a[1], b[2], a[2], b[1])),
            convert<T>(difference_of_products(a[2], b[0], a[0], b[2])),
            convert<T>(difference_of_products(a[0], b[1], a[1], b[0]))};
  }
};

/// An array of vectors: rows of three, or an array whose last axis they are along.
template <class V>
auto as_vectors(const V& v) {
  constexpr bool fits = !is_lazy<V> || !std::is_arithmetic_v<value_of<V>>;
  static_assert(fits, "quern::cross: a lazy array must be one of vectors, Kokkos::Array<T, 3>");
  if constexpr (view_like<V>) return rows<3>(v);
  else if constexpr (placed<V> && !is_placed_rows<V>) return rows_in_place<typename V::place>::template of<3>(v);
  else return v;
}

/// The value of a polynomial, by Horner's rule.
template <class T, class P>
struct polynomial {
  const P* coefficients;
  std::int64_t stride, count;
  template <class X>
  KOKKOS_FUNCTION T operator()(const X& x_value) const {
    const T x = convert<T>(x_value);
    T y{};
    for (std::int64_t k = 0; k < count; ++k) {
      const T c = convert<T>(coefficients[k * stride]);
      if constexpr (is_integer<T>) y = wrapping_add(wrapping_multiply(y, x), c);
      else y = y * x + c;
    }
    return y;
  }
};

/// The axes of a layout, missing ones before the first, with one of extent 1 behind each, or before it.
inline index_layout interleaved_with_ones(const index_layout& l, int rank, bool behind) {
  index_layout wide{{}, {}, l.first};
  wide.extents.rank = 2 * rank;
  for (int d = 0; d < 2 * rank; ++d) wide.extents.extent[d] = 1;
  for (int d = 0; d < l.extents.rank; ++d) {
    const int to = 2 * (rank - l.extents.rank + d) + (behind ? 0 : 1);
    wide.extents.extent[to] = l.extents.extent[d];
    wide.stride[to] = l.stride[d];
  }
  return wide;
}

/// An array of `blocks` of as many elements each along each axis, which become two axes.
template <class T>
strided<T> in_blocks(const strided<T>& a, const shape& blocks, const shape& each) {
  strided<T> wide{a.data, blocks, {}};
  wide.extents.rank = 2 * a.extents.rank;
  for (int d = 0; d < a.extents.rank; ++d) {
    wide.extents.extent[2 * d] = blocks.extent[d];
    wide.extents.extent[2 * d + 1] = each.extent[d];
    wide.stride[2 * d] = a.stride[d] * each.extent[d];
    wide.stride[2 * d + 1] = a.stride[d];
  }
  return wide;
}

/// The extents with 1 for missing ones before the first.
inline shape of_rank(const shape& extents, int rank) {
  shape all;
  all.rank = rank;
  for (int d = 0; d < rank; ++d)
    all.extent[d] = d < rank - extents.rank ? 1 : extents.extent[d - (rank - extents.rank)];
  return all;
}

}  // namespace impl

/// The vector product of three-dimensional vectors: `out(i..., :) = a(i..., :) x b(i..., :)` (NumPy's `cross`).
///
/// @param out, a, b Views, arrays in chunks or DistributedViews whose last axis has the three components, or `rows<3>`
///                  of arrays; a and b may also be one vector, `Kokkos::Array<double, 3>`, and lazy arrays of vectors
///
/// Computed in the type that products of the components have in C++, which is int for narrower integers, and converted
/// to out's; integers wrap around. A line over `map` of rows: broadcasting, places, `mask`, asynchrony and errors are
/// those of `map`. Vectors of two components, which NumPy no longer takes, have a product that is a number, `a(0) b(1)
/// - a(1) b(0)`.
template <execution_space Exec, rows_or_view Out, operand A, operand B, call_option<mask_t>... Options>
void cross(const Exec& exec, const Out& out, const A& a, const B& b, const Options&... options) {
  const auto to = impl::as_vectors(out);
  const auto u = impl::as_vectors(a);
  const auto v = impl::as_vectors(b);
  using component = typename impl::value_of<decltype(to)>::value_type;
  impl::map_call("quern::cross", exec, to, impl::cross_product<component>(), std::tie(u, v), options...);
}
template <rows_or_view Out, operand A, operand B, call_option<mask_t>... Options>
void cross(const Out& out, const A& a, const B& b, const Options&... options) {
  cross(impl::space_of(out, a, b), out, a, b, options...);
}
QUERN_TAKES_NAME(cross)

/// The Kronecker product (NumPy's `kron`): `out(i p + k, j q + l) = a(i, j) b(k, l)`, where b has the extents (p, q).
///
/// @param out a View of as many axes as a and b have at most, up to 4; its extents are the products of theirs
/// @param a,b arrays, which may be lazy or re-indexed; missing axes before their first ones have the extent 1
///
/// A line over `multiply`, of an output that is taken as one of blocks. Asynchronous on `exec`: one kernel, without
/// scratch memory, which may be captured in a device graph.
/// @throws Error if extents do not fit, or memory overlaps
template <execution_space Exec, view_like Out, array_like A, array_like B>
void kron(const Exec& exec, const Out& out_view, const A& a, const B& b) {
  constexpr int rank = impl::rank_of<Out>;
  constexpr bool fits = rank >= 0 && rank <= max_rank / 2 && impl::rank_of<A> >= 0 && impl::rank_of<B> >= 0 &&
                        impl::rank_of<A> <= rank && impl::rank_of<B> <= rank;
  static_assert(fits, "quern::kron: out must have the axes of a and b, at most 4, and ranks be known when compiling");
  if constexpr (fits) {
    const impl::call c("quern::kron", exec);
    const shape blocks = impl::of_rank(impl::operand_extents(c.label, a), rank),
                each = impl::of_rank(impl::operand_extents(c.label, b), rank);
    shape expected = blocks;
    for (int d = 0; d < rank; ++d) expected.extent[d] *= each.extent[d];
    const auto out = c.output(out_view);
    impl::check_extents(c.label, "out", out.extents, expected);
    const auto between = [&](const auto& v, bool behind) {
      return impl::restrided_input<2 * rank>(
          c, v, [&](const impl::index_layout& l) { return impl::interleaved_with_ones(l, rank, behind); });
    };
    impl::map_checked(c.label, exec, impl::as_part<Exec, 2 * rank>(impl::in_blocks(out, blocks, each)),
                      impl::op::of_values<impl::value_of<Out>, impl::op::multiply>(), between(a, true),
                      between(b, false));
  }
}
template <view_like Out, array_like A, array_like B>
void kron(const Out& out, const A& a, const B& b) {
  kron(impl::space_of(out), out, a, b);
}
QUERN_TAKES_NAME_NOT(option_or_place, kron)

/// The values of a polynomial: `out(i...) = c(0) x^(n - 1) + ... + c(n - 2) x + c(n - 1)` at `x(i...)` (NumPy's
/// `polyval`, which has the coefficient of the highest power first).
///
/// @param coefficients a View of rank 1, which the execution space reaches; of none the polynomial is 0
/// @param x            an operand of `map`, which broadcasts to `out`
///
/// By Horner's rule in out's type, to which coefficients and x are converted, and of which integers wrap around. A line
/// over `map`: places, `mask`, asynchrony and errors are those of `map`; over ranks each has all coefficients.
/// @throws Error as `map`, and if the coefficients have not one axis
template <execution_space Exec, result_view Out, array_like Coefficients, operand X, call_option<mask_t>... Options>
void polyval(const Exec& exec, const Out& out, const Coefficients& coefficients, const X& x,
             const Options&... options) {
  using T = impl::value_of<Out>;
  using P = impl::value_of<Coefficients>;
  static_assert(impl::may_have_rank<Coefficients, 1, 1>, "quern::polyval: the coefficients must have rank 1");
  if constexpr (impl::reads_memory<Coefficients>()) {
    const impl::call c("quern::polyval", exec);
    impl::compare_calls<impl::maps>(
        c.label, [] { return ", coefficients"; }, out, x, impl::values_to_compare(exec, coefficients));
    const auto all = c.input(coefficients);
    if (all.extents.rank != 1) impl::reject_extents(c.label, "coefficients", all.extents, "rank 1");
    impl::check_apart_from_whole<Exec>(c.label, out, all, "coefficients");
    impl::map_call("quern::polyval", exec, out, impl::polynomial<T, P>{all.data, all.stride[0], all.extents.extent[0]},
                   std::tie(x), options...);
  }
}
template <result_view Out, array_like Coefficients, operand X, call_option<mask_t>... Options>
void polyval(const Out& out, const Coefficients& coefficients, const X& x, const Options&... options) {
  polyval(impl::space_of(out, x), out, coefficients, x, options...);
}
QUERN_TAKES_NAME(polyval)

}  // namespace quern

#endif
