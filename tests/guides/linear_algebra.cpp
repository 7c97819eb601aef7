// SPDX-FileCopyrightText: the Quern authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// The code of docs/linear_algebra.md, as part of functions that a user might write around it.
#include <cmath>

#include "guide.hpp"

namespace guide {

// # 1
// # 3 types
// # 4 types

struct product {
  template <class Y, class A, class X>
  KOKKOS_FUNCTION void operator()(const Y& y, const A& a, const X& x) const {
    quern::inner::matvec(y, a, x);
  }
};
struct factorize_item {
  template <class Q, class R, class A>
  KOKKOS_FUNCTION void operator()(const Q& q, const R& r, const A& a) const {
    quern::inner::qr<4>(q, r, a);
  }
};
struct twice_the_identity {
  KOKKOS_FUNCTION double operator()(double i, double j) const { return i == j ? 2.0 : 0.0; }
};
using vector = Kokkos::View<double*>;
using matrix = Kokkos::View<double**>;
using matrices = Kokkos::View<double***>;

template <class V>
void set_twice_the_identity(const V& a) {
  const auto rows = on_device<double>({0, 1, 2, 3});
  const Kokkos::View<double**> column("column", 4, 1);
  quern::copy(Kokkos::subview(column, Kokkos::ALL, 0), rows);
  quern::map(a, twice_the_identity(), column, rows);
}

void products(const space& exec) {
  const matrix a("a", 4, 4), b("b", 4, 4), c("c", 4, 4), d("d", 7, 3), gram("gram", 3, 3), blocks("blocks", 16, 16),
      arm("arm", 7, 3), force("force", 7, 3), torque("torque", 7, 3);
  const matrices batch("batch", 5, 6, 4), many("many", 5, 6, 4);
  const vector x("x", 4), y("y", 4);
  for (const auto& m : {a, b}) set_twice_the_identity(m);
  quern::fill(exec, d, 1.0);
  quern::fill(exec, x, 1.0);
  // # 2
  EXPECT_EQ(8.0, z);  // y = a x is 2 everywhere, and x 1
  EXPECT_EQ(7.0, test::contents(gram)[0]);
  EXPECT_EQ(4.0, test::contents(blocks)[0]);
}

void maps(const space& exec) {
  const matrix vectors("vectors", 3, 4), x("x", 3, 4), y("y", 4, 3), a("a", 4, 4);
  const vector norms("norms", 3);
  const product f;
  quern::fill(exec, vectors, 1.0);
  quern::fill(exec, x, 1.0);
  set_twice_the_identity(a);
  const matrices many("many", 3, 4, 4), q("q", 3, 4, 4), r("r", 3, 4, 4);
  const factorize_item factorize;
  // # 3 statements
  EXPECT_EQ(2.0, test::contents(norms)[0]);
  EXPECT_EQ(2.0, test::contents(y)[5]);
}

void steps(const space& exec) {
  const matrices a("a", 3, 4, 4);
  const matrix x("x", 3, 4);
  for (int item = 0; item < 3; ++item) set_twice_the_identity(Kokkos::subview(a, item, Kokkos::ALL, Kokkos::ALL));
  quern::fill(exec, x, 1.0);
  // # 4 statements
  EXPECT_EQ(0.5, test::contents(x)[5]);
}

void batches(const space& exec) {
  const int batch = 3;
  const matrices a("a", batch, 4, 4), lu("lu", batch, 4, 4), out("out", batch, 4, 4), l("l", batch, 4, 4),
      q("q", batch, 4, 4), r("r", batch, 4, 4), v("v", batch, 4, 4), u("u", batch, 4, 4), vt("vt", batch, 4, 4);
  const matrix b("b", batch, 4), x("x", batch, 4), w("w", batch, 4), s("s", batch, 4);
  const Kokkos::View<int**> pivots("pivots", batch, 4);
  for (int item = 0; item < batch; ++item) set_twice_the_identity(Kokkos::subview(a, item, Kokkos::ALL, Kokkos::ALL));
  quern::fill(exec, b, 1.0);
  // # 5
  EXPECT_NEAR(0.5, test::contents(x)[5], 1e-12);
  // # 6
  EXPECT_EQ(0, test::contents(info)[2]);
}

void single(const space& exec) {
  const matrix a("a", 4, 4), lu("lu", 4, 4), l("l", 4, 4), out("out", 4, 4), q("q", 4, 4), r("r", 4, 4), u("u", 4, 4),
      vt("vt", 4, 4), v("v", 4, 4);
  const vector x("x", 4), b("b", 4), s("s", 4), w("w", 4), residuals("residuals", 1);
  const Kokkos::View<int*> pivots("pivots", 4);
  for (const auto& m : {a, l}) set_twice_the_identity(m);
  quern::fill(exec, b, 1.0);
  // # 7
  EXPECT_NEAR(16.0, d, 1e-10);
  EXPECT_NEAR(std::log(16.0), sign * log, 1e-12);
  EXPECT_EQ(4, rank);
}

void large(const space& exec) {
  const matrix observations("observations", 20, 4), components("components", 2, 4), a("a", 20, 4), u("u", 20, 2),
      vt("vt", 2, 4), covariance("covariance", 4, 4), correlation("correlation", 4, 4);
  const Kokkos::View<int*> counts("counts", 20);
  const vector importance("importance", 20);
  Kokkos::deep_copy(counts, 2);
  Kokkos::deep_copy(importance, 1.0);
  const vector mean("mean", 4), explained_variance("explained variance", 2), s("s", 2);
  quern::random::normal(exec, observations, quern::random::key(1));
  quern::random::normal(exec, a, quern::random::key(2));
  // # 8
  EXPECT_NEAR(1.0, test::contents(correlation)[5], 1e-15);
  EXPECT_LT(0.0, test::contents(s)[1]);
}

}  // namespace guide

TEST(Guides, LinearAlgebra) {
  const space exec;
  guide::products(exec);
  guide::maps(exec);
  guide::steps(exec);
  guide::batches(exec);
  if (!quern::impl::lapack::available<space>()) GTEST_SKIP() << "no LAPACK";
  guide::single(exec);
  guide::large(exec);
}
