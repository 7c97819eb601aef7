// SPDX-FileCopyrightText: the Quern authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <cmath>
#include <quern/integrate.hpp>
#include <quern/keyed.hpp>
#include <quern/linalg/matmul.hpp>
#include <quern/map.hpp>
#include <quern/reduce.hpp>
#include <quern/transfer.hpp>
#include <support/testing.hpp>

// Calls as a user's program writes them, with plain types and on the default execution space.
namespace {

using vector = Kokkos::View<double*>;
using matrix = Kokkos::View<double**>;
using scalar = Kokkos::View<double>;

template <class V>
std::vector<typename V::non_const_value_type> values(const V& v) {
  const auto host = quern::to_host(v);
  std::vector<typename V::non_const_value_type> all;
  if constexpr (V::rank() == 0) {
    all.push_back(host());
  } else if constexpr (V::rank() == 1) {
    for (std::size_t i = 0; i < v.extent(0); ++i) all.push_back(host(i));
  } else {
    for (std::size_t i = 0; i < v.extent(0); ++i)
      for (std::size_t j = 0; j < v.extent(1); ++j) all.push_back(host(i, j));
  }
  return all;
}
vector numbers(std::initializer_list<double> list) {
  const vector v("numbers", list.size());
  const auto host = Kokkos::create_mirror_view(v);
  std::copy(list.begin(), list.end(), host.data());
  Kokkos::deep_copy(v, host);
  return v;
}

struct index_of {
  template <class P>
  KOKKOS_FUNCTION double operator()(const P& p) const {
    return static_cast<double>(10 * p[0] + p[P::size() - 1]);
  }
};
struct negated {
  KOKKOS_FUNCTION double operator()(double x) const { return -x; }
};
struct squared {
  KOKKOS_FUNCTION double operator()(double x) const { return x * x; }
};
struct product_of {
  KOKKOS_FUNCTION double operator()(double a, double b) const { return a * b; }
};
struct row_first {
  KOKKOS_FUNCTION double operator()(double x, double y) const { return 100 * x + y; }
};

// An operation that is made of others names itself in their errors, and leaves what a callback threw as it is.
TEST(Calls, ErrorsOfDerivedClassesAreThrownOn) {
  struct bad_row : quern::Error {
    using Error::Error;
    int row = 7;
  };
  test::expect_error("quern::outer: x is wrong", [] {
    quern::impl::in_operation("quern::outer", [] { throw quern::Error("quern::inner", "x is wrong"); });
  });
  try {
    quern::impl::in_operation("quern::outer", [] { throw bad_row("quern::reader", "no number"); });
    ADD_FAILURE() << "no error";
  } catch (const bad_row& e) {
    EXPECT_STREQ("quern::reader: no number", e.what());
    EXPECT_EQ(7, e.row);
  }
  EXPECT_EQ(3, quern::impl::in_operation("quern::outer", [] { return 3; }));
}

TEST(Calls, ListsOfProbabilities) {
  const vector x = numbers({4, 1, 3, 2, 5}), out("out", 2);
  quern::quantile(out, x, {0.25, 0.75});
  EXPECT_EQ((std::vector<double>{2, 4}), values(out));
  quern::nanquantile(out, x, {0.0, 1.0});
  EXPECT_EQ((std::vector<double>{1, 5}), values(out));
  quern::quantile(Kokkos::DefaultExecutionSpace(), out, x, {0.5, 0.25});
  EXPECT_EQ((std::vector<double>{3, 2}), values(out));
  const matrix both("both", 2, 1), column("column", 5, 1);
  quern::copy(Kokkos::subview(column, Kokkos::ALL, 0), x);
  quern::quantile(both, column, {0.25, 0.75}, quern::axis{0}, quern::interpolation::lower);
  EXPECT_EQ((std::vector<double>{2, 4}), values(both));

  std::vector<double> many(101), expected(101);
  for (int i = 0; i <= 100; ++i) {
    many[i] = i / 100.0;
    expected[i] = 1 + 4 * many[i];
  }
  const vector hundred("hundred", many.size());
  quern::quantile(hundred, x, quern::probabilities(many));
  const auto found = values(hundred);
  for (std::size_t i = 0; i < found.size(); ++i) EXPECT_NEAR(expected[i], found[i], 1e-14);
}

TEST(Calls, LazyArraysOfPositionsTakeTheExtentsOfTheOutput) {
  const matrix out("out", 2, 3);
  const std::vector<double> places{0, 1, 2, 10, 11, 12};
  quern::copy(out, quern::lazy(index_of(), quern::positions()));
  EXPECT_EQ(places, values(out));
  quern::map(out, negated(), quern::lazy(negated(), quern::lazy(index_of(), quern::positions())));
  EXPECT_EQ(places, values(out));
  // Inside of another lazy array they have the extents of that one.
  const vector row = numbers({1, 2, 3});
  quern::map(out, squared(), quern::lazy(product_of(), quern::lazy(index_of(), quern::positions()), row));
  EXPECT_EQ((std::vector<double>{0, 484, 4356, 0, 484, 4356}), values(out));
  EXPECT_EQ(0 + 22 + 66, quern::sum(quern::lazy(product_of(), quern::lazy(index_of(), quern::positions()), row)));
  quern::map(out, row_first(), quern::lazy(index_of(), quern::positions()), row);
  EXPECT_EQ((std::vector<double>{1, 102, 203, 1001, 1102, 1203}), values(out));
}

TEST(Calls, CopiesAndFills) {
  const vector x = numbers({1, 2, 3}), out("out", 3);
  quern::copy(out, quern::lazy(squared(), x));
  EXPECT_EQ((std::vector<double>{1, 4, 9}), values(out));
  quern::copy(Kokkos::DefaultExecutionSpace(), out, quern::lazy(negated(), x));
  EXPECT_EQ((std::vector<double>{-1, -2, -3}), values(out));
  const scalar one("one");
  quern::sum(one, x);
  quern::fill(out, one);
  EXPECT_EQ((std::vector<double>{6, 6, 6}), values(out));
  quern::fill(Kokkos::DefaultExecutionSpace(), out, quern::lazy(negated(), one));
  EXPECT_EQ((std::vector<double>{-6, -6, -6}), values(out));
  const Kokkos::View<int*> whole("whole", 3);
  quern::fill(whole, one);
  EXPECT_EQ((std::vector<int>{6, 6, 6}), values(whole));
  test::expect_error("quern::fill: out and in 1 share memory and are not the same View",
                     [&] { quern::fill(out, scalar(out.data() + 1)); });
}

TEST(Calls, LazyValuesOfGroups) {
  const vector x = numbers({1, -2, 3, -4, 5}), out("out", 2);
  const Kokkos::View<int*> keys("keys", 5);
  const auto host = Kokkos::create_mirror_view(keys);
  for (int i = 0; i < 5; ++i) host(i) = i % 2;
  Kokkos::deep_copy(keys, host);
  const auto by = quern::group_by(keys);
  const auto opposite = quern::lazy(negated(), x);
  const Kokkos::View<int*> rows("rows", 2);
  const auto expect = [&](double first, double second) {
    EXPECT_EQ((std::vector<double>{first, second}), values(out));
  };
  quern::sum(out, opposite, by);
  expect(-9, 6);
  quern::sum(out, opposite, by, quern::reproducible);
  expect(-9, 6);
  quern::mean(out, opposite, by);
  expect(-3, 3);
  quern::var(out, opposite, by);
  expect(8.0 / 3, 1);
  quern::min(out, opposite, by);
  expect(-5, 2);
  quern::max(out, opposite, by);
  expect(-1, 4);
  quern::group_first(out, opposite, by);
  expect(-1, 2);
  quern::argmin(rows, opposite, by);
  EXPECT_EQ((std::vector<int>{4, 1}), values(rows));
  quern::argmax(rows, opposite, by);
  EXPECT_EQ((std::vector<int>{0, 3}), values(rows));
}

TEST(Calls, LazyLinesThatAreSorted) {
  const vector x = numbers({3, 2, 1, 0});
  EXPECT_FALSE(quern::is_sorted(x));
  EXPECT_TRUE(quern::is_sorted(quern::lazy(negated(), x)));
  EXPECT_FALSE(quern::is_sorted(quern::lazy(negated(), x), quern::sort_order::descending));
  // Rows descend and columns ascend, in leaves that lie in memory alike and in leaves that do not.
  const Kokkos::View<double**, Kokkos::LayoutRight> a("a", 2, 4);
  quern::map(a, row_first(), quern::lazy(index_of(), quern::positions()), x);
  const auto sum = quern::lazy(product_of(), a, quern::lazy(index_of(), quern::positions()));
  EXPECT_TRUE(quern::is_sorted(quern::lazy(negated(), a), quern::sort_order::descending));
  EXPECT_TRUE(quern::is_sorted(sum, quern::axis{0}));
  EXPECT_TRUE(quern::is_sorted(quern::lazy(product_of(), a, x), quern::axis{0}));
  EXPECT_FALSE(quern::is_sorted(quern::lazy(product_of(), a, x), quern::axis{0}, quern::sort_order::descending));
  const Kokkos::View<bool> out("out");
  quern::is_sorted(out, quern::lazy(negated(), x));
  EXPECT_TRUE(values(out)[0]);
  EXPECT_TRUE(quern::is_sorted(quern::lazy(negated(), vector("none", 0))));
}

TEST(Calls, TwoResultsInTwoOutputs) {
  const Kokkos::View<double**, Kokkos::LayoutLeft> x("x", 2, 3);
  quern::copy(x, quern::lazy(index_of(), quern::positions()));  // 0 1 2, 10 11 12
  const vector low("low", 2), high("high", 2), mean("mean", 3), var("var", 3);
  quern::minmax(quern::outputs(low, high), x, quern::axis{1});
  EXPECT_EQ((std::vector<double>{0, 10}), values(low));
  EXPECT_EQ((std::vector<double>{2, 12}), values(high));
  quern::mean_var(Kokkos::DefaultExecutionSpace(), quern::outputs(mean, var), x, quern::axis{0}, quern::ddof{1});
  EXPECT_EQ((std::vector<double>{5, 6, 7}), values(mean));
  EXPECT_EQ((std::vector<double>{50, 50, 50}), values(var));
  const scalar least("least"), largest("largest");
  quern::minmax(quern::outputs(least, largest), quern::lazy(negated(), x));
  EXPECT_EQ(-12, values(least)[0]);
  EXPECT_EQ(0, values(largest)[0]);
  const Kokkos::View<Kokkos::complex<double>*> z("z", 2);
  quern::fill(z, Kokkos::complex<double>(1, 2));
  const Kokkos::View<Kokkos::complex<double>> complex_mean("complex_mean");
  quern::mean_var(quern::outputs(complex_mean, least), z);
  EXPECT_EQ(Kokkos::complex<double>(1, 2), values(complex_mean)[0]);
  EXPECT_EQ(0, values(least)[0]);
  test::expect_error("quern::minmax: out has extents (3), expected (2)",
                     [&] { quern::minmax(quern::outputs(mean, var), x, quern::axis{1}); });
  test::expect_error("quern::minmax: out and another output share memory",
                     [&] { quern::minmax(quern::outputs(low, low), x, quern::axis{1}); });
}

TEST(Calls, SamplesThatAreLazyOrHaveOneAxis) {
  const vector x = numbers({0, 1, 2, 3}), out("out", 4);
  const auto parabola = quern::lazy(squared(), x);
  EXPECT_EQ(9.5, quern::trapezoid(parabola, 1.0));  // 0.5 + 2.5 + 6.5
  EXPECT_EQ(9.5, quern::trapezoid(parabola, x));
  EXPECT_NEAR(9, quern::simpson(parabola, 1.0), 1e-14);
  const scalar area("area");
  quern::trapezoid(area, parabola, 1.0);
  EXPECT_EQ(9.5, values(area)[0]);
  quern::simpson(area, parabola, 1.0);
  EXPECT_NEAR(9, values(area)[0], 1e-14);
  quern::cumulative_trapezoid(out, x, 1.0);
  EXPECT_EQ((std::vector<double>{0, 0.5, 2, 4.5}), values(out));
  quern::cumulative_trapezoid(out, parabola, 1.0);
  EXPECT_EQ((std::vector<double>{0, 0.5, 3, 9.5}), values(out));
  const matrix table("table", 2, 4), areas("areas", 2, 4);
  const vector rows("rows", 2), weights = numbers({1, 2});
  quern::copy(table, parabola);
  // A lazy array whose leaves lie differently in memory: row i has the factor 1 + i.
  const auto column = Kokkos::subview(matrix("column", 2, 1), Kokkos::ALL, Kokkos::ALL);
  quern::copy(Kokkos::subview(column, Kokkos::ALL, 0), weights);
  const auto scaled = quern::lazy(product_of(), table, column);
  quern::trapezoid(rows, scaled, 1.0, quern::axis{1});
  EXPECT_EQ((std::vector<double>{9.5, 19}), values(rows));
  quern::cumulative_trapezoid(areas, scaled, 1.0, quern::axis{1});
  EXPECT_EQ((std::vector<double>{0, 0.5, 3, 9.5, 0, 1, 6, 19}), values(areas));
  test::expect_error("quern::cumulative_trapezoid: in has extents (2, 4), expected rank 1, or an axis",
                     [&] { quern::cumulative_trapezoid(areas, table, 1.0); });
}

matrix temporary() {
  const matrix a("a", 2, 3);
  quern::copy(a, quern::lazy(index_of(), quern::positions()));
  return a;
}

TEST(Calls, TransposedOwnsItsMemory) {
  const auto t = quern::transposed(temporary());  // the matrix itself is gone
  EXPECT_EQ((std::vector<double>{0, 10, 1, 11, 2, 12}), values(t));
  EXPECT_EQ(1, t.use_count());
  EXPECT_EQ(36, quern::sum(quern::transposed(temporary())));
  const matrix a = temporary();
  const auto back = quern::transposed(quern::transposed(a));
  EXPECT_EQ(a.data(), back.data());
  EXPECT_EQ(2, a.use_count());
  const Kokkos::View<double**, Kokkos::LayoutRight, Kokkos::MemoryTraits<Kokkos::Unmanaged>> unmanaged(a.data(), 3, 2);
  EXPECT_EQ(3, quern::transposed(unmanaged).extent_int(1));
}

TEST(Calls, HintsOfMemoryTraitsAreDropped) {
  const vector x = numbers({1, 2, 3}), out("out", 3);
  const Kokkos::View<const double*, Kokkos::MemoryTraits<Kokkos::RandomAccess>> random = x;
  const Kokkos::View<double*, Kokkos::MemoryTraits<Kokkos::Restrict>> restricted = out;
  quern::map(restricted, squared(), random);
  EXPECT_EQ((std::vector<double>{1, 4, 9}), values(out));
  const Kokkos::View<double*, Kokkos::MemoryTraits<Kokkos::Unmanaged | Kokkos::Aligned>> aligned(out.data(), 3);
  EXPECT_EQ(14, quern::sum(aligned));
}

TEST(Calls, AMirrorIsCalledOne) {
  const Kokkos::View<double*, Kokkos::HostSpace> host("host", 3);
  const quern::Mirror both(host);
  const scalar out("out");
  both.modify_host();
  try {
    quern::sum(out, both);
    ADD_FAILURE() << "no error";
  } catch (const quern::Error& e) {
    EXPECT_STREQ("quern::sum: a mirror was modified on the other side; synchronize it first", e.what());
  }
}

}  // namespace
