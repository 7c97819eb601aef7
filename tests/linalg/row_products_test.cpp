// SPDX-FileCopyrightText: the Quern authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Products of very many rows on lanes that take turns, so that a host tests what devices compute.
#include <quern/linalg/narrow_products.hpp>
#include <quern/linalg/row_products.hpp>
#include <support/emulated_lanes.hpp>
#include <support/matrices.hpp>
#include <support/testing.hpp>

namespace {

using namespace test;
using quern::impl::row_products;
using quern::impl::segment_sums;
using quern::impl::strided;

/// A matrix of (rows, columns) in memory, by rows or by columns with a gap behind each.
template <class T>
struct stored {
  matrix<T> values;
  std::vector<T> memory;
  strided<const T> array;

  stored(int rows, int columns, bool by_rows, int seed) : values(rows, columns) {
    const std::int64_t down = by_rows ? columns : 1, across = by_rows ? 1 : rows + 3;
    memory.assign(std::max(rows * columns, (rows + 3) * columns), T(1e30F));
    for (int i = 0; i < rows; ++i)
      for (int j = 0; j < columns; ++j) memory[i * down + j * across] = values(i, j) = any<T>(i * columns + j, seed);
    array = {memory.data(), {rows, columns}, {down, across}};
  }
};

/// a^H b in so many segments, or fewer, as column-major.
template <class T>
matrix<T> by_rows(const stored<T>& a, const stored<T>& b, std::int64_t warps) {
  using kernel = row_products<T>;
  const int m = a.values.columns, n = b.values.columns;
  kernel products{
      quern::impl::tall_columns<T>(a.array), quern::impl::tall_columns<T>(b.array), a.values.rows, 0, 0, nullptr};
  set_segments(products, warps);
  std::vector<T> partial(m * n * products.segments, T(1e30F));
  products.partial = partial.data();
  const emulated_lanes<kernel::width> lanes;
  for (std::int64_t item = 0; item < products.segments * products.blocks(); ++item) products(lanes, item, true);
  matrix<T> c(m, n);
  const segment_sums<T> sums{c.v.data(), n, 1, n, products.segments, partial.data()};
  for (int e = 0; e < m * n; ++e) sums(lanes, e, true);
  sums(lanes, 0, false);  // of lanes without an element of their own: nothing is written
  return c;
}

template <class T>
void expect_product(int rows, int m, int n, std::int64_t warps) {
  const double eps = Kokkos::Experimental::epsilon_v<quern::impl::real_type<T>>;
  for (const bool layout : {false, true}) {
    const stored<T> a(rows, m, layout, 1), b(rows, n, !layout, 2);
    const double error = distance(product(adjoint(a.values), b.values), by_rows(a, b, warps));
    EXPECT_LE(error, 2 * n * rows * eps) << rows << ' ' << m << ' ' << n;
  }
}
TEST(RowProducts, EveryShape) {
  expect_product<double>(1, 1, 1, 1);
  expect_product<double>(31, 8, 8, 5);
  expect_product<double>(1000, 9, 1, 7);
  expect_product<float>(333, 1, 17, 4);
  expect_product<Kokkos::complex<float>>(129, 3, 8, 100);
  expect_product<Kokkos::complex<double>>(257, 5, 4, 3);
}

/// x f and, where f is a triangle, its Gram matrix, by lanes in several segments.
template <class T, bool Gram>
void expect_narrow(int rows, int n, int columns, std::int64_t warps) {
  using kernel = quern::impl::narrow_product<T, Gram>;
  const double eps = Kokkos::Experimental::epsilon_v<quern::impl::real_type<T>>;
  for (const bool layout : {false, true}) {
    const stored<T> x(rows, n, layout, 1), f(n, columns, false, 2);
    stored<T> y(rows, columns, !layout, 3);
    matrix<T> factor = f.values;
    for (int i = 0; i < n && Gram; ++i)
      for (int j = 0; j < i; ++j) factor(i, j) = T(0);
    const quern::impl::column_major<const T> small{f.memory.data(), n, columns, n + 3};
    kernel product{quern::impl::tall_columns<T>(x.array),
                   small,
                   y.memory.data(),
                   y.array.stride[0],
                   y.array.stride[1],
                   rows,
                   0,
                   0};
    set_segments(product, warps);
    std::vector<T> partial(n * columns * product.segments, T(1e30F));
    product.partial = partial.data();
    const emulated_lanes<32> lanes;
    for (std::int64_t item = 0; item < product.segments; ++item) product(lanes, item, true);
    product(lanes, 0, false);  // writes nothing
    matrix<T> found(rows, columns), gram(columns, columns);
    for (int i = 0; i < rows; ++i)
      for (int j = 0; j < columns; ++j) found(i, j) = y.memory[i * y.array.stride[0] + j * y.array.stride[1]];
    EXPECT_LE(distance(test::product(x.values, factor), found), 8 * n * eps * std::sqrt(rows)) << rows;
    if (!Gram) continue;
    const segment_sums<T> sums{gram.v.data(), columns, 1, columns, product.segments, partial.data()};
    for (int e = 0; e < columns * columns; ++e) sums(lanes, e, true);
    EXPECT_LE(distance(test::product(adjoint(found), found), gram), 64 * n * rows * eps) << rows;
  }
}
TEST(NarrowProducts, EveryShape) {
  expect_narrow<double, true>(1000, 8, 8, 7);
  expect_narrow<double, false>(1000, 8, 8, 7);
  expect_narrow<double, true>(1, 1, 1, 1);
  expect_narrow<float, true>(333, 5, 5, 100);
  expect_narrow<Kokkos::complex<float>, true>(97, 3, 3, 2);
  expect_narrow<Kokkos::complex<float>, false>(97, 3, 2, 2);
}

}  // namespace
