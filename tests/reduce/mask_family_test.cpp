// SPDX-FileCopyrightText: the Quern authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Every reduction of what a mask selects, beside that of an array of the selected elements alone; masks of all kinds,
// and wrong ones.
#include <quern/reduce.hpp>
#include <support/masks.hpp>

namespace {

using quern::axis, quern::mask, quern::reproducible;
using test::expect_near, test::expect_same, test::whole_position;

template <class Case>
struct MaskedFamily : test::masked_rows<Case> {};
using of_double = test::covering<double>;
TYPED_TEST_SUITE(MaskedFamily, of_double);

TYPED_TEST(MaskedFamily, SumsAreThoseOfTheSelected) {
  this->for_masks([&](const auto& some, const auto& x, const auto& m, const auto&) {
    const auto& e = this->e;
    EXPECT_EQ(quern::count(e, some), quern::count(e, x, mask{m}));
    EXPECT_EQ(quern::all(e, some), quern::all(e, x, mask{m}));
    EXPECT_EQ(quern::nansum(e, some), quern::nansum(e, x, mask{m}));
    EXPECT_EQ(quern::nanprod(e, some), quern::nanprod(e, x, mask{m}));
    EXPECT_EQ(quern::vdot(e, some, some), quern::vdot(e, x, x, mask{m}));
    expect_near(quern::norm<1>(e, some), quern::norm<1>(e, x, mask{m}), 1e6, "norm<1>");
    EXPECT_EQ(quern::norm<quern::norm_order::infinity>(e, some),
              quern::norm<quern::norm_order::infinity>(e, x, mask{m}));
    if (some.size() == 0) {
      EXPECT_EQ(1, quern::prod(e, x, mask{m}));
    }
  });
}

TYPED_TEST(MaskedFamily, MomentsAreThoseOfTheSelected) {
  this->for_masks([&](const auto& some, const auto& x, const auto& m, const auto&) {
    const auto& e = this->e;
    const auto n = static_cast<double>(some.size());
    expect_near(quern::stddev(e, some, quern::ddof{1}), quern::stddev(e, x, mask{m}, quern::ddof{1}), n, "stddev");
    expect_near(quern::mean_var(e, some).var, quern::mean_var(e, x, mask{m}).var, n, "mean_var");
    expect_near(quern::nanvar(e, some), quern::nanvar(e, x, mask{m}), n, "nanvar");
    expect_near(quern::nanstd(e, some), quern::nanstd(e, x, mask{m}), n, "nanstd");
    expect_same(quern::nanmean(e, some), quern::nanmean(e, x, mask{m}), "nanmean");
  });
}

TYPED_TEST(MaskedFamily, ReproducibleResultsHaveTheBitsOfTheSelected) {
  this->for_masks([&](const auto& some, const auto& x, const auto& m, const auto&) {
    const auto& e = this->e;
    EXPECT_EQ(quern::dot(e, some, some, reproducible), quern::dot(e, x, x, reproducible, mask{m}));
    EXPECT_EQ(quern::norm(e, some, reproducible), quern::norm(e, x, mask{m}, reproducible));
    expect_same(quern::var(e, some, reproducible), quern::var(e, x, mask{m}, reproducible), "var");
    expect_same(quern::mean(e, some, reproducible), quern::mean(e, x, mask{m}, reproducible), "mean");
  });
}

TYPED_TEST(MaskedFamily, ExtremaAreThoseOfTheSelected) {
  this->for_masks([&](const auto& some, const auto& x, const auto& m, const auto& on_host) {
    const auto& e = this->e;
    if (some.size() == 0) {
      expect_same(std::numeric_limits<double>::quiet_NaN(), quern::minmax(e, x, mask{m}).min, "minmax");
      expect_same(std::numeric_limits<double>::quiet_NaN(), quern::ptp(e, x, mask{m}), "ptp");
      EXPECT_EQ(-1, quern::nanargmin(e, x, mask{m}));
      return;
    }
    EXPECT_EQ(quern::max(e, some), quern::max(e, x, mask{m}));
    EXPECT_EQ(quern::nanmin(e, some), quern::nanmin(e, x, mask{m}));
    EXPECT_EQ(quern::minmax(e, some).min, quern::minmax(e, x, mask{m}).min);
    EXPECT_EQ(quern::minmax(e, some).max, quern::minmax(e, x, mask{m}).max);
    EXPECT_EQ(quern::ptp(e, some), quern::ptp(e, x, mask{m}));
    EXPECT_EQ(whole_position(on_host, quern::argmin(e, some)), quern::argmin(e, x, mask{m}));
    EXPECT_EQ(whole_position(on_host, quern::nanargmin(e, some)), quern::nanargmin(e, x, mask{m}));
    EXPECT_EQ(whole_position(on_host, quern::nanargmax(e, some)), quern::nanargmax(e, x, mask{m}));
  });
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

TYPED_TEST(MasksOn, RangesOfIntegersAreThoseOfTheSelected) {
  const TypeParam e;
  const auto x =
      test::make_array<std::int8_t, 2, Kokkos::LayoutRight, TypeParam>({3, 3}, {1, 5, 9, -90, 7, 100, 3, 8, -128});
  const auto m = test::make_array<bool, 2, Kokkos::LayoutRight, TypeParam>(
      {3, 3}, {true, true, false, true, true, true, false, false, false});
  EXPECT_EQ(-66, quern::ptp(e, x, mask{m}));  // 190 - 256
  const Kokkos::View<int*, TypeParam> out("out", 3);
  quern::ptp(e, out, x, axis{1}, mask{m});
  EXPECT_EQ((std::vector<int>{4, -66, 0}), test::contents(out));
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

/// The value; counts its calls, of which those for negative values are wrong.
struct counted {
  std::int64_t* calls;
  KOKKOS_FUNCTION double operator()(double x) const {
    Kokkos::atomic_inc(calls + (x < 0 ? 1 : 0));
    return 3 * x;
  }
};

TYPED_TEST(MasksOn, LazyInputsAreComputedForTheSelectedAlone) {
  const TypeParam e;
  const Kokkos::View<std::int64_t*, TypeParam> calls("calls", 2);
  const auto f = counted{calls.data()};
  for (const int run : {1, 2, 5, 31, 64, 65, 200, 5000}) {
    for (const std::int64_t n : {1, 63, 64, 65, 129, 1000, 4500}) {
      std::vector<double> values(n);
      std::vector<std::uint8_t> chosen(n);
      std::int64_t count = 0;
      double sum = 0, dot = 0;
      for (std::int64_t k = 0; k < n; ++k) {
        chosen[k] = k / run % 2 == 0 ? 0xff : 0;
        values[k] = static_cast<double>(chosen[k] != 0 ? k % 7 : -1 - k % 3);
        count += chosen[k] != 0;
        sum += chosen[k] != 0 ? 3 * values[k] : 0;
        dot += chosen[k] != 0 ? 9 * values[k] * values[k] : 0;
      }
      const auto x = test::make_array<double, 1, Kokkos::LayoutRight, TypeParam>({n}, values);
      const auto m = test::make_array<std::uint8_t, 1, Kokkos::LayoutRight, TypeParam>({n}, chosen);
      Kokkos::deep_copy(calls, 0);
      EXPECT_EQ(sum, quern::sum(e, quern::lazy(f, x), mask{m}));
      EXPECT_EQ((std::vector<std::int64_t>{count, 0}), test::contents(calls)) << n << " in runs of " << run;
      EXPECT_EQ(dot, quern::dot(e, quern::lazy(f, x), quern::lazy(f, x), mask{m}));
      EXPECT_EQ((std::vector<std::int64_t>{3 * count, 0}), test::contents(calls)) << n << " in runs of " << run;
    }
  }
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
