// SPDX-FileCopyrightText: the Quern authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Products of very many rows on lanes that take turns, so that a host tests what devices compute.
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

}  // namespace
