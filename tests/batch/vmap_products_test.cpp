// SPDX-FileCopyrightText: the Quern authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Products for a thread, inside a functor of vmap, beside loops.

#include <quern/batch/vmap.hpp>
#include <quern/linalg/inner.hpp>
#include <support/testing.hpp>

namespace {

struct inner_matvec {
  template <class Y, class A, class X>
  KOKKOS_FUNCTION void operator()(const Y& y, const A& a, const X& x) const {
    quern::inner::matvec(y, a, x);
  }
};
struct inner_matmul {
  template <class C, class A, class B>
  KOKKOS_FUNCTION void operator()(const C& c, const A& a, const B& b) const {
    quern::inner::matmul(c, a, b);
  }
};

constexpr int batch = 13, m = 5, n = 7;

template <class Case>
struct VmapProducts : testing::Test {
  using T = typename Case::value;
  using E = typename Case::exec;

  template <int Rank>
  static auto array(const std::array<std::int64_t, Rank>& extents, const std::vector<T>& values) {
    return test::make_array<T, Rank, typename Case::layout, E>(extents, values);
  }
};
using cases = test::covering<float, double, std::int32_t>;
TYPED_TEST_SUITE(VmapProducts, cases);

TYPED_TEST(VmapProducts, Matvec) {
  using T = typename TestFixture::T;
  const auto a = test::samples<T>(batch * m * n, 1), x = test::samples<T>(batch * n, 2);
  const auto y = this->template array<2>({batch, m}, std::vector<T>(batch * m));
  quern::vmap(typename TestFixture::E(), y, inner_matvec(), this->template array<3>({batch, m, n}, a),
              this->template array<2>({batch, n}, x));
  std::vector<T> expected(batch * m);  // of quarters: exact
  for (int b = 0; b < batch; ++b)
    for (int i = 0; i < m; ++i)
      for (int k = 0; k < n; ++k) expected[b * m + i] += a[(b * m + i) * n + k] * x[b * n + k];
  EXPECT_EQ(expected, test::contents(y));
}

TYPED_TEST(VmapProducts, Matmul) {
  using T = typename TestFixture::T;
  const auto a = test::samples<T>(batch * m * n, 1), b = test::samples<T>(batch * n * m, 4);
  const auto c = this->template array<3>({batch, m, m}, std::vector<T>(batch * m * m));
  quern::vmap(typename TestFixture::E(), c, inner_matmul(), this->template array<3>({batch, m, n}, a),
              this->template array<3>({batch, n, m}, b));
  std::vector<T> expected(batch * m * m);
  for (int item = 0; item < batch; ++item)
    for (int i = 0; i < m; ++i)
      for (int j = 0; j < m; ++j)
        for (int k = 0; k < n; ++k)
          expected[(item * m + i) * m + j] += a[(item * m + i) * n + k] * b[(item * n + k) * m + j];
  EXPECT_EQ(expected, test::contents(c));
}

}  // namespace
