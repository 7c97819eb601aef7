// SPDX-FileCopyrightText: the Quern authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Reductions of what a mask selects, beside those of an array of the selected elements alone.
#include <cmath>
#include <limits>
#include <quern/reduce.hpp>
#include <support/testing.hpp>

namespace {

using quern::axis, quern::mask, quern::reproducible;

/// Which of n elements are selected, in several ways: none, all, every third, the last one, and some at random.
std::vector<std::vector<std::uint8_t>> patterns(std::int64_t n) {
  std::vector<std::vector<std::uint8_t>> all(5, std::vector<std::uint8_t>(n, 0));
  for (std::int64_t i = 0; i < n; ++i) {
    all[1][i] = 1;
    all[2][i] = i % 3 == 0 ? 2 : 0;
    all[3][i] = i == n - 1;
    all[4][i] = test::sample(i, 9) > 0;
  }
  return all;
}
/// The first position in the whole array of the one at `position` among those that are selected; -1 stays.
std::int64_t whole_position(const std::vector<std::uint8_t>& m, std::int64_t position) {
  for (std::int64_t i = 0; position >= 0; ++i)
    if (m[i] != 0 && position-- == 0) return i;
  return -1;
}
template <class X>
void expect_same(const X& expected, const X& found, const char* what) {
  if (expected != expected) EXPECT_NE(found, found) << what;
  else EXPECT_EQ(expected, found) << what;
}
/// Of no element both are NaN.
template <class X>
void expect_same_mean(const X& expected, const X& found) {
  EXPECT_TRUE(expected == found || (expected != expected && found != found));
}
template <class X>
void expect_near(const X& expected, const X& found, double n, const char* what) {
  if (expected != expected) EXPECT_NE(found, found) << what;
  else EXPECT_NEAR(expected, found, 16 * test::eps<X>() * (std::log2(n + 2) + std::fabs(expected))) << what;
}

template <class Case>
struct Masks : testing::Test {
  using exec = typename Case::exec;
  using T = typename Case::value;
  using layout = typename Case::layout;
  exec e;

  template <class V>
  static auto row(const std::vector<V>& v) {
    return test::make_array<V, 1, layout, exec>({static_cast<std::int64_t>(v.size())}, v);
  }
  /// Calls check(selected elements, whole array, mask, mask on the host) for several sizes and masks. What is not
  /// selected is NaN or infinite where T has those.
  template <class Check>
  static void for_masks(const Check& check) {
    for (const std::int64_t n : {1, 2, 31, 256, 1000, 5003})
      for (const auto& m : patterns(n)) {
        auto values = test::samples<T>(n);
        std::vector<T> some;
        for (std::int64_t i = 0; i < n; ++i) {
          if (m[i] != 0) some.push_back(values[i]);
          else if constexpr (!std::is_integral_v<T>)
            values[i] =
                T(i % 2 == 0 ? std::numeric_limits<double>::quiet_NaN() : std::numeric_limits<double>::infinity());
          else values[i] = std::numeric_limits<T>::max();
        }
        check(row(some), row(values), row(m), m);
      }
  }
};
using cases = test::covering<double, float, std::int8_t, bool, Kokkos::complex<float>, std::int64_t>;
TYPED_TEST_SUITE(Masks, cases);

TYPED_TEST(Masks, SumsAreThoseOfTheSelected) {
  this->for_masks([&](const auto& some, const auto& x, const auto& m, const auto&) {
    const auto& e = this->e;
    EXPECT_EQ(quern::sum(e, some), quern::sum(e, x, mask{m}));  // of quarters: exact
    EXPECT_EQ(quern::count(e, some), quern::count(e, x, mask{m}));
    EXPECT_EQ(quern::all(e, some), quern::all(e, x, mask{m}));
    EXPECT_EQ(quern::any(e, some), quern::any(e, x, mask{m}));
    EXPECT_EQ(quern::nansum(e, some), quern::nansum(e, x, mask{m}));
    EXPECT_EQ(quern::dot(e, some, some), quern::dot(e, x, x, mask{m}));
    EXPECT_EQ(quern::vdot(e, some, some), quern::vdot(e, x, x, mask{m}));
    expect_near(quern::norm<1>(e, some), quern::norm<1>(e, x, mask{m}), 1e6, "norm<1>");
    expect_near(quern::norm(e, some), quern::norm(e, x, mask{m}), 1e6, "norm");
    EXPECT_EQ(quern::norm<quern::norm_order::infinity>(e, some),
              quern::norm<quern::norm_order::infinity>(e, x, mask{m}));
  });
}

TYPED_TEST(Masks, MomentsAreThoseOfTheSelected) {
  this->for_masks([&](const auto& some, const auto& x, const auto& m, const auto&) {
    const auto& e = this->e;
    const auto n = static_cast<double>(some.size());
    const auto mean = quern::mean(e, some), found = quern::mean(e, x, mask{m});
    if (n == 0) EXPECT_NE(found, found);
    else EXPECT_EQ(mean, found);
    expect_near(quern::var(e, some), quern::var(e, x, mask{m}), n, "var");
    expect_near(quern::stddev(e, some, quern::ddof{1}), quern::stddev(e, x, mask{m}, quern::ddof{1}), n, "stddev");
    expect_near(quern::mean_var(e, some).var, quern::mean_var(e, x, mask{m}).var, n, "mean_var");
    expect_near(quern::nanvar(e, some), quern::nanvar(e, x, mask{m}), n, "nanvar");
    const auto nanmean = quern::nanmean(e, some), nanfound = quern::nanmean(e, x, mask{m});
    if (n == 0) EXPECT_NE(nanfound, nanfound);
    else EXPECT_EQ(nanmean, nanfound);
  });
}

TYPED_TEST(Masks, ReproducibleResultsHaveTheBitsOfTheSelected) {
  this->for_masks([&](const auto& some, const auto& x, const auto& m, const auto&) {
    const auto& e = this->e;
    EXPECT_EQ(quern::sum(e, some, reproducible), quern::sum(e, x, mask{m}, reproducible));
    EXPECT_EQ(quern::dot(e, some, some, reproducible), quern::dot(e, x, x, reproducible, mask{m}));
    EXPECT_EQ(quern::norm(e, some, reproducible), quern::norm(e, x, mask{m}, reproducible));
    expect_same(quern::var(e, some, reproducible), quern::var(e, x, mask{m}, reproducible), "var");
    expect_same_mean(quern::mean(e, some, reproducible), quern::mean(e, x, mask{m}, reproducible));
  });
}

template <class Case>
struct OrderedMasks : Masks<Case> {};
using ordered_cases = test::covering<float, std::int8_t, double, std::uint32_t, bool, std::int64_t>;
TYPED_TEST_SUITE(OrderedMasks, ordered_cases);

TYPED_TEST(OrderedMasks, ExtremaAreThoseOfTheSelected) {
  this->for_masks([&](const auto& some, const auto& x, const auto& m, const auto& on_host) {
    if (some.size() == 0) return;
    const auto& e = this->e;
    EXPECT_EQ(quern::min(e, some), quern::min(e, x, mask{m}));
    EXPECT_EQ(quern::max(e, some), quern::max(e, x, mask{m}));
    EXPECT_EQ(quern::nanmin(e, some), quern::nanmin(e, x, mask{m}));
    EXPECT_EQ(quern::nanmax(e, some), quern::nanmax(e, x, mask{m}));
    EXPECT_EQ(quern::minmax(e, some).min, quern::minmax(e, x, mask{m}).min);
    EXPECT_EQ(quern::minmax(e, some).max, quern::minmax(e, x, mask{m}).max);
    EXPECT_EQ(whole_position(on_host, quern::argmin(e, some)), quern::argmin(e, x, mask{m}));
    EXPECT_EQ(whole_position(on_host, quern::argmax(e, some)), quern::argmax(e, x, mask{m}));
    EXPECT_EQ(whole_position(on_host, quern::nanargmin(e, some)), quern::nanargmin(e, x, mask{m}));
    EXPECT_EQ(whole_position(on_host, quern::nanargmax(e, some)), quern::nanargmax(e, x, mask{m}));
  });
}

TYPED_TEST(OrderedMasks, WithoutASelectedElementAreIdentities) {
  using T = typename TypeParam::value;
  using limits = std::numeric_limits<T>;
  const auto& e = this->e;
  for (const std::int64_t n : {0, 1, 300}) {
    const auto x = this->row(std::vector<T>(n, T(1)));
    const auto m = this->row(std::vector<std::uint8_t>(n, 0));
    const auto none = [](T least) { return std::is_integral_v<T> ? least : limits::quiet_NaN(); };
    expect_same(none(limits::max()), quern::min(e, x, mask{m}), "min");
    expect_same(none(limits::lowest()), quern::max(e, x, mask{m}), "max");
    expect_same(none(limits::max()), quern::nanmin(e, x, mask{m}), "nanmin");
    expect_same(none(limits::max()), quern::minmax(e, x, mask{m}).min, "min of minmax");
    expect_same(none(limits::lowest()), quern::minmax(e, x, mask{m}).max, "max of minmax");
    EXPECT_EQ(-1, quern::argmin(e, x, mask{m}));
    EXPECT_EQ(-1, quern::nanargmax(e, x, mask{m}));
    EXPECT_TRUE(1 == quern::prod(e, x, mask{m}));
    EXPECT_TRUE(std::isnan(quern::mean(e, x, mask{m})));
  }
}

TYPED_TEST(OrderedMasks, WorstValuesAreFoundAmongTheSelected) {
  using T = typename TypeParam::value;
  const T low = std::is_integral_v<T> ? std::numeric_limits<T>::lowest() : -std::numeric_limits<T>::infinity();
  const T high = std::is_integral_v<T> ? std::numeric_limits<T>::max() : std::numeric_limits<T>::infinity();
  std::vector<std::uint8_t> chosen(700, 0);
  chosen[300] = chosen[611] = 1;
  const auto m = this->row(chosen);
  const auto highest = this->row(std::vector<T>(700, high)), lowest = this->row(std::vector<T>(700, low));
  EXPECT_EQ(high, quern::min(this->e, highest, mask{m}));
  EXPECT_EQ(300, quern::argmin(this->e, highest, mask{m}));
  EXPECT_EQ(300, quern::nanargmin(this->e, highest, mask{m}));
  EXPECT_EQ(low, quern::max(this->e, lowest, mask{m}));
  EXPECT_EQ(300, quern::argmax(this->e, lowest, mask{m}));
}

template <class Exec>
struct MasksOn : testing::Test {};
TYPED_TEST_SUITE(MasksOn, test::all_spaces);

TYPED_TEST(MasksOn, NansAmongTheSelectedCount) {
  const TypeParam e;
  const double nan = std::numeric_limits<double>::quiet_NaN();
  const auto make = [](const auto& v) {
    using T = typename std::remove_cvref_t<decltype(v)>::value_type;
    return test::make_array<T, 1, Kokkos::LayoutRight, TypeParam>({static_cast<std::int64_t>(v.size())}, v);
  };
  const auto x = make(std::vector<double>{nan, 4, 2, nan, 1, 3});
  const auto m = make(std::vector<int>{0, 1, 1, -7, 0, 1});
  EXPECT_TRUE(std::isnan(quern::min(e, x, mask{m})));
  EXPECT_TRUE(std::isnan(quern::minmax(e, x, mask{m}).max));
  EXPECT_EQ(3, quern::argmax(e, x, mask{m}));
  EXPECT_EQ(2, quern::nanmin(e, x, mask{m}));
  EXPECT_EQ(1, quern::nanargmax(e, x, mask{m}));
  EXPECT_EQ(9, quern::nansum(e, x, mask{m}));
  EXPECT_EQ(3, quern::nanmean(e, x, mask{m}));
  EXPECT_EQ(3, quern::nancount(e, x, mask{m}));
  EXPECT_TRUE(std::isnan(quern::sum(e, x, mask{m})));
}

TYPED_TEST(MasksOn, LazyAndSingleValuesAreMasks) {
  const TypeParam e;
  const auto values = test::samples<double>(777);
  const auto x = test::make_array<double, 1, Kokkos::LayoutRight, TypeParam>({777}, values);
  double expected = 0;
  for (const double v : values) expected += v != 0 ? 2 * v : 0;
  const auto twice = quern::lazy(quern::impl::op::multiply(), x, 2.0);
  EXPECT_EQ(expected, quern::sum(e, twice, mask{quern::lazy(quern::impl::op::not_zero(), x)}));
  EXPECT_EQ(quern::sum(e, x), quern::sum(e, x, mask{true}));
  EXPECT_EQ(0, quern::sum(e, x, mask{false}));
  Kokkos::View<double, TypeParam> out("out");
  quern::sum(out, x, quern::named{"masked"}, mask{true});
  EXPECT_EQ(quern::sum(x), test::value(out));
}

TYPED_TEST(MasksOn, RowsAreSelectedWhole) {
  const TypeParam e;
  const auto x =
      test::make_array<double, 2, Kokkos::LayoutRight, TypeParam>({4, 3}, {1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12});
  const auto m = test::make_array<bool, 1, Kokkos::LayoutRight, TypeParam>({4}, {true, false, true, false});
  const auto rows = quern::rows<3>(x);
  const auto is = [](double a, double b, double c, const Kokkos::Array<double, 3>& found) {
    EXPECT_EQ(a, found[0]);
    EXPECT_EQ(b, found[1]);
    EXPECT_EQ(c, found[2]);
  };
  is(8, 10, 12, quern::sum(e, rows, mask{m}));
  is(4, 5, 6, quern::mean(e, rows, mask{m}));
  is(7, 8, 9, quern::max(e, rows, mask{m}));
  is(7, 8, 9, quern::minmax(e, rows, mask{m}).max);
  EXPECT_TRUE(std::isnan(quern::min(e, rows, mask{false})[1]));
}

TYPED_TEST(MasksOn, MasksThatDoNotBroadcastAreRejected) {
  const TypeParam e;
  const Kokkos::View<double**, TypeParam> x("x", 3, 4);
  const Kokkos::View<double*, TypeParam> out("out", 4);
  const Kokkos::View<bool*, TypeParam> m("m", 3);
  const Kokkos::View<bool***, TypeParam> more("m", 2, 3, 4);
  const auto rejects = [](const std::string& message, const auto& call) { test::expect_error(message, call); };
  rejects("quern::sum: the mask has extents (3), which do not broadcast to (3, 4)", [&] { quern::sum(e, x, mask{m}); });
  rejects("quern::mean: the mask has extents (2, 3, 4), which do not broadcast to (3, 4)",
          [&] { quern::mean(e, out, x, axis{0}, mask{more}); });
}

TYPED_TEST(MasksOn, ResultsDoNotOverlapMasks) {
  const TypeParam e;
  const Kokkos::View<int**, TypeParam> x("x", 3, 4);
  const Kokkos::View<int*, TypeParam> m("m", 4);
  EXPECT_THROW(quern::sum(e, m, x, axis{0}, mask{m}), quern::Error);
}

}  // namespace
