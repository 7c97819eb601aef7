// SPDX-FileCopyrightText: the Quern authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <quern/reduce.hpp>
#include <support/testing.hpp>

namespace {

template <class Case>
struct Compare : testing::Test {
  using E = typename Case::exec;
  template <int Rank, class T>
  static auto array(const std::array<std::int64_t, Rank>& n, const std::vector<T>& values) {
    return test::make_array<T, Rank, typename Case::layout, E>(n, values);
  }
  template <class T>
  static auto line(const std::vector<T>& values) {
    return array<1>({static_cast<std::int64_t>(values.size())}, values);
  }
};
using cases = test::covering<double>;
TYPED_TEST_SUITE(Compare, cases);

TYPED_TEST(Compare, AllCloseBroadcasts) {
  using quern::tolerance;
  const typename TypeParam::exec exec;
  const auto table = this->template array<2, double>({2, 3}, {1, 2, 3, 1, 2, 3.00001});
  const auto row = this->line(std::vector<double>{1, 2, 3});
  EXPECT_TRUE(quern::allclose(exec, table, row));
  EXPECT_TRUE(quern::allclose(row, table));
  EXPECT_FALSE(quern::allclose(exec, table, row, tolerance{.relative = 1e-7}));
  EXPECT_TRUE(quern::allclose(exec, table, 2, tolerance{.relative = 0, .absolute = 1.1}));
  EXPECT_FALSE(quern::allclose(table, 2));
  const Kokkos::View<bool, typename TypeParam::exec> out("out");
  quern::allclose(exec, out, table, row);
  EXPECT_TRUE(test::value(out));
  quern::allclose(out, table, 2.0);
  EXPECT_FALSE(test::value(out));
}

TYPED_TEST(Compare, InfinitiesEqualThemselvesAndNanOnRequest) {
  const typename TypeParam::exec exec;
  const auto x = this->line(std::vector<double>{HUGE_VAL, -HUGE_VAL, 0.0});
  const auto y = this->line(std::vector<double>{HUGE_VAL, HUGE_VAL, -0.0});
  const auto z = this->line(std::vector<double>{1, NAN, 3});
  EXPECT_TRUE(quern::allclose(exec, x, x));
  EXPECT_FALSE(quern::allclose(exec, x, y));
  EXPECT_FALSE(quern::allclose(exec, x, y, quern::tolerance{.relative = HUGE_VAL}));
  EXPECT_FALSE(quern::allclose(exec, z, z));
  EXPECT_TRUE(quern::allclose(exec, z, z, quern::equal_nan));
  EXPECT_TRUE(quern::array_equal(exec, x, x));
  EXPECT_FALSE(quern::array_equal(exec, z, z));
  EXPECT_TRUE(quern::array_equal(z, z, quern::equal_nan));
}

TYPED_TEST(Compare, ArraysOfOtherExtentsAreNotEqual) {
  const typename TypeParam::exec exec;
  const auto row = this->line(std::vector<double>{1, 1});
  const auto one = this->line(std::vector<double>{1});
  const auto table = this->template array<2, double>({1, 2}, {1, 1});
  EXPECT_TRUE(quern::array_equal(exec, row, row));
  EXPECT_FALSE(quern::array_equal(exec, row, one));
  EXPECT_FALSE(quern::array_equal(row, table));
  const Kokkos::View<bool, typename TypeParam::exec> out("out");
  quern::array_equal(exec, out, row, row);
  EXPECT_TRUE(test::value(out));
  quern::array_equal(out, row, one);
  EXPECT_FALSE(test::value(out));
  const auto none = this->line(std::vector<double>{});
  const auto nothing = this->template array<2, double>({0, 3}, {});
  EXPECT_TRUE(quern::array_equal(none, none));
  EXPECT_FALSE(quern::array_equal(none, nothing));
  EXPECT_TRUE(quern::allclose(none, 1.0));
}

// The language would say that -1 equals the largest unsigned number, and 2^63 + 1 as a double 2^63.
TYPED_TEST(Compare, NumbersOfOtherTypesAreTheSameNumbers) {
  const typename TypeParam::exec exec;
  const auto i = this->line(std::vector<std::int64_t>{-1, 5}), j = this->line(std::vector<std::int64_t>{4, 5});
  const auto u = this->line(std::vector<std::uint64_t>{std::numeric_limits<std::uint64_t>::max(), 5});
  const auto large = std::int64_t{1} << 62;
  const auto a = this->line(std::vector<std::int64_t>{large});
  const auto b = this->line(std::vector<std::uint64_t>{1ull << 62});
  const auto c = this->line(std::vector<std::int64_t>{large + 1});
  EXPECT_FALSE(quern::array_equal(exec, i, u));
  EXPECT_TRUE(quern::array_equal(exec, a, b));
  EXPECT_FALSE(quern::array_equal(exec, c, b));
  EXPECT_TRUE(quern::array_equal(exec, j, this->line(std::vector<double>{4, 5})));
  EXPECT_FALSE(quern::array_equal(exec, j, this->line(std::vector<double>{4, NAN})));
  using complex = Kokkos::complex<double>;
  EXPECT_TRUE(quern::array_equal(exec, j, this->line(std::vector<complex>{{4, 0}, {5, 0}})));
  EXPECT_FALSE(quern::array_equal(exec, j, this->line(std::vector<complex>{{4, 0}, {5, 1}})));
}

}  // namespace
