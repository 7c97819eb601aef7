// SPDX-FileCopyrightText: the Quern authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Reductions of groups of which a mask selects some rows, beside those of arrays of the selected rows alone.

#include <cmath>
#include <keyed/groups.hpp>
#include <limits>
#include <quern/reduce.hpp>
#include <vector>

namespace {

constexpr double nan = std::numeric_limits<double>::quiet_NaN();

using quern::ddof, quern::mask, quern::reproducible;
using test::hashed;

template <class Exec>
struct GroupMasks : test::GroupTest<Exec> {
  using groups = quern::Groups<Exec>;

  /// What `reduce(out, x, by, options...)` writes.
  template <class R, class Reduce>
  static std::vector<R> results(std::int64_t n, const Reduce& reduce) {
    const auto out = test::GroupTest<Exec>::template row<R>(n);
    reduce(out);
    return test::contents(out);
  }
  /// Results of the selected rows, beside those of groups that have all of them; every group has one at least.
  template <class T>
  static void expect_as_of_selected(const groups& by, const std::vector<int>& keys, const std::vector<T>& x,
                                    const std::vector<std::uint8_t>& chosen) {
    std::vector<int> keys_of_some;
    std::vector<T> some;
    std::vector<std::int32_t> position;
    for (std::size_t i = 0; i < x.size(); ++i) {
      if (chosen[i] == 0) continue;
      keys_of_some.push_back(keys[i]);
      some.push_back(x[i]);
      position.push_back(static_cast<std::int32_t>(i));
    }
    const auto of_some = quern::group_by(Exec(), test::row<Exec>(keys_of_some));
    ASSERT_EQ(by.size(), of_some.size());
    const auto a = test::row<Exec>(some), b = test::row<Exec>(x);
    const mask m(test::row<Exec>(chosen));
    const std::int64_t n = by.size();
    const auto same = [&]<class R>(const R&, const auto& reduce) {
      const auto expected = results<R>(n, [&](const auto& out) { reduce(out, a, of_some); });
      const auto found = results<R>(n, [&](const auto& out) { reduce(out, b, by, m); });
      for (std::int64_t g = 0; g < n; ++g) ASSERT_TRUE(test::same(expected[g], found[g])) << g;
    };
    const Exec e;
    same(double(), [&](const auto&... v) { quern::sum(e, v...); });  // sums are exact
    same(double(), [&](const auto&... v) { quern::sum(v..., reproducible); });
    same(double(), [&](const auto&... v) { quern::mean(v...); });
    same(double(), [&](const auto&... v) { quern::mean(e, v..., reproducible); });
    same(T(), [&](const auto&... v) { quern::min(e, v...); });
    same(T(), [&](const auto&... v) { quern::max(v...); });
    same(0, [&](const auto& out, const auto&, const auto&... v) { quern::count(e, out, v...); });
    const auto expected = results<std::int32_t>(n, [&](const auto& out) { quern::argmax(e, out, a, of_some); });
    const auto found = results<std::int32_t>(n, [&](const auto& out) { quern::argmax(e, out, b, by, m); });
    for (std::int64_t g = 0; g < n; ++g) ASSERT_EQ(position[expected[g]], found[g]) << g;
  }
};
TYPED_TEST_SUITE(GroupMasks, test::all_spaces);

TYPED_TEST(GroupMasks, ResultsAreThoseOfTheSelectedRows) {
  const std::int64_t n = 30'011, different = 211;
  std::vector<int> keys(n);
  std::vector<double> x(n);
  std::vector<std::uint8_t> chosen(n);
  for (std::int64_t i = 0; i < n; ++i) {
    keys[i] = static_cast<int>(hashed(i) % different);
    chosen[i] = i % 1000 < 700 && test::sample(i, 4) > 0 ? 3 : 0;
    x[i] = chosen[i] != 0 ? test::sample(i, 7) : i % 2 == 0 ? nan : INFINITY;
  }
  const auto view = this->row(keys);
  this->expect_as_of_selected(quern::group_by(TypeParam(), view), keys, x, chosen);
  this->expect_as_of_selected(quern::group_by(view, quern::key_range{0, different}), keys, x, chosen);
  this->expect_as_of_selected(
      quern::impl::group_in_order("test", TypeParam(), quern::impl::make_input<TypeParam>(view, "test").array), keys, x,
      chosen);
}

TYPED_TEST(GroupMasks, VariancesAreThoseOfTheSelectedRows) {
  const auto by = quern::group_by(this->row(std::vector<int>{3, 1, 1, 3, 1, 3, 3}));
  const auto x = this->row(std::vector<double>{1e9 + 1, 5, nan, 7, 9, 1e9 + 5, INFINITY});
  const auto m = this->row(std::vector<int>{1, 1, 0, 0, 1, 1, 0});
  const auto out = this->template row<double>(2);
  quern::var(TypeParam(), out, x, by, mask{m});
  EXPECT_EQ((std::vector<double>{4, 4}), test::contents(out));
  quern::var(out, x, by, mask{m}, ddof{1});
  EXPECT_EQ((std::vector<double>{8, 8}), test::contents(out));
}

// The last group has no row that is selected.
template <class T, class Exec>
void expect_nothing_selected(const T& least, const T& largest) {
  const auto by = quern::group_by(test::row<Exec>(std::vector<int>{0, 1, 0, 1}));
  const auto x = test::row<Exec>(std::vector<T>{4, 5, 6, 7});
  const auto m = test::row<Exec>(std::vector<bool>{true, false, true, false});
  const auto number = test::row<Exec>(std::vector<double>(2));
  const auto of_type = test::row<Exec>(std::vector<T>(2));
  const auto place = test::row<Exec>(std::vector<std::int64_t>(2));
  const auto last = [](const auto& out) { return test::contents(out)[1]; };
  quern::sum(number, x, by, mask{m});
  EXPECT_EQ(0, last(number));
  quern::sum(number, x, by, mask{m}, reproducible);
  EXPECT_EQ(0, last(number));
  quern::mean(number, x, by, mask{m});
  EXPECT_TRUE(std::isnan(last(number)));
  quern::var(number, x, by, mask{m});
  EXPECT_TRUE(std::isnan(last(number)));
  quern::min(of_type, x, by, mask{m});
  EXPECT_TRUE(test::same(least, last(of_type)));
  quern::max(of_type, x, by, mask{m});
  EXPECT_TRUE(test::same(largest, last(of_type)));
  quern::argmin(place, x, by, mask{m});
  EXPECT_EQ(-1, last(place));
  quern::argmax(place, x, by, mask{m});
  EXPECT_EQ(-1, last(place));
  quern::count(place, by, mask{m});
  EXPECT_EQ(0, last(place));
}
TYPED_TEST(GroupMasks, GroupsOfWhichNothingIsSelected) {
  expect_nothing_selected<float, TypeParam>(NAN, NAN);
  expect_nothing_selected<std::int8_t, TypeParam>(127, -128);
}

TYPED_TEST(GroupMasks, MayBeLazyOrSingleValues) {
  const auto keys = this->row(std::vector<int>{2, 1, 2, 1});
  const auto by = quern::group_by(keys);
  const auto x = this->row(std::vector<double>{0, 5, 6, 7});
  const auto out = this->template row<double>(2);
  quern::mean(out, x, by, mask{quern::lazy(quern::impl::op::not_zero(), x)});
  EXPECT_EQ((std::vector<double>{6, 6}), test::contents(out));
  quern::sum(TypeParam(), out, x, by, mask{false});
  EXPECT_EQ((std::vector<double>{0, 0}), test::contents(out));
  quern::max(out, x, by, mask{true}, quern::named{"masked"});
  EXPECT_EQ((std::vector<double>{7, 6}), test::contents(out));
}

TYPED_TEST(GroupMasks, RejectsMasksThatDoNotFit) {
  const auto by = quern::group_by(this->row(std::vector<int>{0, 1, 0, 1}));
  const auto x = this->row(std::vector<double>(4));
  const auto out = this->row(std::vector<int>(2));
  const auto m = this->row(std::vector<int>(3));
  test::expect_error("quern::sum: the mask has extents (3), which do not broadcast to (4)",
                     [&] { quern::sum(out, x, by, mask{m}); });
  test::expect_error("quern::count: the mask has extents (3), which do not broadcast to (4)",
                     [&] { quern::count(out, by, mask{m}); });
}

TYPED_TEST(GroupMasks, ResultsDoNotOverlapMasks) {
  const auto by = quern::group_by(this->row(std::vector<int>{0, 1, 0, 1}));
  const auto x = this->row(std::vector<int>(4));
  const Kokkos::View<int*, TypeParam> m("m", 4);
  const auto out = Kokkos::subview(m, std::pair(1, 3));
  EXPECT_THROW(quern::sum(out, x, by, mask{m}), quern::Error);
  EXPECT_THROW(quern::argmin(out, x, by, mask{m}), quern::Error);
  EXPECT_THROW(quern::count(out, by, mask{m}), quern::Error);
}

}  // namespace
