// SPDX-FileCopyrightText: the Quern authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef QUERN_LINALG_SHORT_ROWS_PRODUCT_HPP
#define QUERN_LINALG_SHORT_ROWS_PRODUCT_HPP

#include <algorithm>
#include <quern/core/launch/launch_units.hpp>
#include <quern/core/values/values.hpp>
#include <quern/linalg/matrix_product.hpp>

namespace quern::impl {

/// Products of many small matrices with a vector each on a host, where rows and vectors are contiguous and short: their
/// usual lengths are known when compiled, and a vector is read once.
template <class C, class A, class B>
struct short_rows_product {
  using S = product_sum<C>;
  /// The longest rows, and the multiplications of a unit of work.
  static constexpr std::int64_t max_terms = 16, unit_work = 1 << 12;

  matrix_product<C, A, B> p;
  std::int64_t items_of_unit;

  static bool takes(const matrix_product<C, A, B>& p) {
    return p.n == 1 && p.batch > 1 && p.k > 0 && p.k <= max_terms && p.a_stride[2] == 1 &&
           (p.b_stride[1] == 1 || p.k == 1);
  }

  void operator()(std::int64_t unit) const {
    const std::int64_t first = unit * items_of_unit, last = std::min(first + items_of_unit, p.batch);
    switch (p.k) {
      case 2:
        return multiply<2>(first, last);
      case 3:
        return multiply<3>(first, last);
      case 4:
        return multiply<4>(first, last);
      case 6:
        return multiply<6>(first, last);
      case 8:
        return multiply<8>(first, last);
      default:
        return multiply<0>(first, last);
    }
  }

 private:
  /// Rows of Terms elements; with 0 of any number.
  template <int Terms>
  void multiply(std::int64_t first, std::int64_t last) const {
    constexpr int room = Terms > 0 ? Terms : static_cast<int>(max_terms);
    const int terms = Terms > 0 ? Terms : static_cast<int>(p.k);
    for (std::int64_t item = first; item < last; ++item) {
      const A* a = p.a + item * p.a_stride[0];
      const B* b = p.b + item * p.b_stride[0];
      C* c = p.c + item * p.c_stride[0];
      S x[room];
      for (int k = 0; k < terms; ++k) x[k] = convert<S>(b[k]);
      for (std::int64_t i = 0; i < p.m; ++i, a += p.a_stride[1], c += p.c_stride[1]) {
        S sum(0);
        for (int k = 0; k < terms; ++k) add_product(sum, convert<S>(a[k]), x[k]);
        p.result.store(*c, sum);
      }
    }
  }
};

template <class Exec, class C, class A, class B>
void multiply_short_rows(const Exec& exec, const std::string& label, const matrix_product<C, A, B>& p) {
  using kernel = short_rows_product<C, A, B>;
  const std::int64_t items = std::max<std::int64_t>(1, kernel::unit_work / (p.m * p.k));
  launch_units(exec, label_text(label, "/short_rows"), (p.batch + items - 1) / items, kernel{p, items});
}

}  // namespace quern::impl

#endif
