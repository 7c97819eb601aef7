// SPDX-FileCopyrightText: the Quern authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef QUERN_LINALG_MATRIX_PRODUCT_HPP
#define QUERN_LINALG_MATRIX_PRODUCT_HPP

#include <Kokkos_Core.hpp>
#include <quern/core/call/call.hpp>
#include <quern/core/values/values.hpp>

namespace quern {

namespace impl {
/// The type in which products of the type C add up: float for half types, else C.
template <class C>
using product_sum = std::conditional_t<sizeof(C) == 2 && !std::is_integral_v<C>, float, C>;
}  // namespace impl

/// The factors of `c = alpha a b + beta c`, for c of the value type C: `matmul(exec, c, a, b, {.alpha = 2, .beta =
/// 1})`.
template <class C>
struct product_scaling {
  using option_of = impl::any_place;
  impl::product_sum<C> alpha = 1, beta = 0;
};

namespace impl {
template <class T>
inline constexpr bool is_scaling = false;
template <class C>
inline constexpr bool is_scaling<product_scaling<C>> = true;
namespace rejected {
/// False; an error where an argument is an option other than the scaling of a product.
template <class... Args>
struct option_of_products : std::false_type {};
template <class... Args>
  requires((option_type<Args> && !is_scaling<Args>) || ...)
struct option_of_products<Args...> : option<Args...> {};
}  // namespace rejected
}  // namespace impl

}  // namespace quern

namespace quern::impl {

/// alpha times a sum, plus beta times what is there already, which is not read where beta is 0.
template <class C>
struct product_result {
  using sum_type = product_sum<C>;
  sum_type alpha = sum_type(1), beta = sum_type(0);

  KOKKOS_FUNCTION C value(const C& c, const sum_type& sum) const {
    sum_type scaled = alpha == sum_type(1) ? sum : wrapping_multiply(alpha, sum);
    if (beta != sum_type(0)) add_product(scaled, beta, convert<sum_type>(c));
    return convert<C>(scaled);
  }
  KOKKOS_FUNCTION void store(C& c, const sum_type& sum) const { c = value(c, sum); }
};

/// c(b, i, j) = alpha sum_k a(b, i, k) b(b, k, j) + beta c(b, i, j). Strides are those of batch, rows and columns.
template <class C, class A, class B>
struct matrix_product {
  using stride = Kokkos::Array<std::int64_t, 3>;
  C* c;
  const A* a;
  const B* b;
  std::int64_t batch, m, n, k;
  stride c_stride, a_stride, b_stride;
  product_result<C> result;

  /// The transposed product.
  matrix_product<C, B, A> transposed() const {
    const auto swapped = [](const stride& s) { return stride{s[0], s[2], s[1]}; };
    return {c, b, a, batch, n, m, k, swapped(c_stride), swapped(b_stride), swapped(a_stride), result};
  }
};

}  // namespace quern::impl

#endif
