// SPDX-FileCopyrightText: the Quern authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Limits, replacements, closeness, choices and differences, beside what NumPy makes of the same arrays.

#include <quern/map.hpp>
#include <support/reference_archive.hpp>
#include <support/testing.hpp>

namespace {

const test::reference_archive numpy("map/data/functions.npz");

struct doubled {
  KOKKOS_FUNCTION double operator()(double x) const { return 2 * x; }
};
struct negated {
  KOKKOS_FUNCTION double operator()(double x) const { return -x; }
};
struct tenfold {
  KOKKOS_FUNCTION double operator()(double x) const { return 10 * x; }
};
struct below {
  KOKKOS_FUNCTION bool operator()(double x, double limit) const { return x < limit; }
};
struct above {
  KOKKOS_FUNCTION bool operator()(double x, double limit) const { return x > limit; }
};

template <class Case>
struct Values : testing::Test {
  using E = typename Case::exec;
  template <class T>
  static auto line(const std::vector<T>& values) {
    return test::make_array<T, 1, typename Case::layout, E>({static_cast<std::int64_t>(values.size())}, values);
  }
  static auto line(const char* name) { return line(numpy.values(name)); }
  template <class T>
  static auto lines(std::int64_t n) {
    return test::make_array<T, 1, typename Case::layout, E>({n});
  }
  static auto table() { return test::make_array<double, 2, typename Case::layout, E>({3, 7}, numpy.values("a")); }
  /// The same values, NaN where NaN is.
  template <class T>
  static void expect(const std::vector<T>& expected, const std::vector<T>& found, const char* what) {
    ASSERT_EQ(expected.size(), found.size()) << what;
    for (std::size_t i = 0; i < found.size(); ++i) {
      const bool both_nan = quern::impl::is_nan(expected[i]) && quern::impl::is_nan(found[i]);
      EXPECT_TRUE(both_nan || expected[i] == found[i])
          << what << " at " << i << ": " << expected[i] << ", " << found[i];
    }
  }
  static void expect_flags(const char* name, const std::vector<bool>& found) {
    const auto expected = numpy.values<std::uint8_t>(name);
    for (std::size_t i = 0; i < found.size(); ++i) EXPECT_EQ(expected[i] != 0, found[i]) << name << " at " << i;
  }
};
using cases = test::covering<double>;
TYPED_TEST_SUITE(Values, cases);

TYPED_TEST(Values, AreClippedAsNumPyClips) {
  const typename TypeParam::exec exec;
  const auto x = this->line("x"), low = this->line("low"), high = this->line("high");
  const auto out = this->template lines<double>(64);
  quern::clip(exec, out, x, low, high);
  this->expect(numpy.values("clipped"), test::contents(out), "clipped");
  quern::clip(out, x, -1.0, 1.25);
  this->expect(numpy.values("clipped_by_scalars"), test::contents(out), "by scalars");
  quern::clip(exec, x, x, low, high);
  this->expect(numpy.values("clipped"), test::contents(x), "in place");
}

// Limits of another type are the numbers that they are.
TYPED_TEST(Values, OfIntegersAreClippedAsNumbers) {
  const typename TypeParam::exec exec;
  const auto small = this->line(numpy.values<std::int8_t>("small"));
  const auto out = this->template lines<std::int8_t>(5);
  quern::clip(exec, out, small, -1000, 1000);
  EXPECT_EQ(numpy.values<std::int8_t>("small"), test::contents(out));
  quern::clip(exec, out, small, 0u, 100u);
  EXPECT_EQ((std::vector<std::int8_t>{100, 0, 100, 0, 0}), test::contents(out));
  constexpr auto largest = std::numeric_limits<std::uint64_t>::max();
  const auto wide = this->line(std::vector<std::uint64_t>{0, 1, largest});
  const auto cut = this->template lines<std::uint64_t>(3);
  quern::clip(exec, cut, wide, -5, std::numeric_limits<std::int64_t>::max());
  EXPECT_EQ((std::vector<std::uint64_t>{0, 1, largest >> 1}), test::contents(cut));
}

TYPED_TEST(Values, ThatAreNoNumbersAreReplaced) {
  using quern::replacements;
  const typename TypeParam::exec exec;
  const auto x = this->line("x"), out = this->template lines<double>(64);
  quern::nan_to_num(exec, out, x);
  this->expect(numpy.values("numbers"), test::contents(out), "defaults");
  quern::nan_to_num(out, x, replacements{.nan = 7, .posinf = 1e9, .neginf = -1e9});
  this->expect(numpy.values("replaced"), test::contents(out), "replaced");
  std::vector<float> floats;
  for (const double v : numpy.values("x")) floats.push_back(static_cast<float>(v));
  const auto narrow = this->line(floats);
  quern::nan_to_num(exec, narrow, narrow);
  this->expect(numpy.values<float>("float_numbers"), test::contents(narrow), "floats");
  using complex = Kokkos::complex<double>;
  const auto z = this->line(std::vector<complex>{{NAN, 2}, {1, -HUGE_VAL}});
  quern::nan_to_num(exec, z, z, replacements{.neginf = -3});
  EXPECT_EQ((std::vector<complex>{{0, 2}, {1, -3}}), test::contents(z));
}

TYPED_TEST(Values, AreCloseWhereNumPySaysSo) {
  const typename TypeParam::exec exec;
  const auto a = this->line("near"), b = this->line("nearly");
  const auto out = this->template lines<bool>(69);
  quern::isclose(exec, out, a, b);
  this->expect_flags("close", test::contents(out));
  quern::isclose(out, a, b, quern::equal_nan);
  this->expect_flags("close_with_nan", test::contents(out));
  quern::isclose(exec, out, a, b, quern::tolerance{.relative = 1e-3, .absolute = 0});
  this->expect_flags("closer", test::contents(out));
  test::expect_error("quern::isclose: a tolerance is negative or NaN",
                     [&] { quern::isclose(out, a, b, quern::tolerance{.absolute = -1}); });
}

TYPED_TEST(Values, AreSelectedByTheFirstCondition) {
  const typename TypeParam::exec exec;
  const auto a = this->table();
  const auto out = test::make_array<double, 2, typename TypeParam::layout, typename TypeParam::exec>({3, 7});
  const auto low = quern::lazy(below(), a, -0.5), middle = quern::lazy(below(), a, 0.5);
  const auto high = quern::lazy(above(), a, 0.5);
  const auto larger = quern::lazy(tenfold(), a);
  const auto turned = quern::lazy(negated(), a);
  quern::select(exec, out, low, larger, middle, turned, 42);
  EXPECT_EQ(numpy.values("selected"), test::contents(out));
  quern::select(out, low, larger, high, turned);
  EXPECT_EQ(numpy.values("selected_or_0"), test::contents(out));
}

TYPED_TEST(Values, ComeFromTheFunctionOfTheLastCondition) {
  const typename TypeParam::exec exec;
  const auto a = this->table();
  const auto out = test::make_array<double, 2, typename TypeParam::layout, typename TypeParam::exec>({3, 7});
  const auto low = quern::lazy(below(), a, -0.5), middle = quern::lazy(below(), a, 0.5);
  quern::piecewise(exec, out, quern::pieces(doubled(), negated(), 9.0), a, middle, low);
  EXPECT_EQ(numpy.values("pieces"), test::contents(out));
  quern::piecewise(out, quern::pieces(doubled()), a, low);
  EXPECT_EQ(numpy.values("pieces_or_0"), test::contents(out));
}

TYPED_TEST(Values, DifferAsInNumPy) {
  using E = typename TypeParam::exec;
  using L = typename TypeParam::layout;
  const E exec{};
  const auto a = this->table();
  const auto rows = test::make_array<double, 2, L, E>({2, 7}), columns = test::make_array<double, 2, L, E>({3, 6});
  quern::diff(exec, rows, a, quern::axis{0});
  EXPECT_EQ(numpy.values("diff_0"), test::contents(rows));
  quern::diff(columns, a);
  EXPECT_EQ(numpy.values("diff_1"), test::contents(columns));
  const auto small = numpy.values<std::int8_t>("small");
  const auto out = this->template lines<std::int8_t>(4);
  quern::diff(exec, out, this->line(small));
  EXPECT_EQ(numpy.values<std::int8_t>("small_diff"), test::contents(out));
  const auto unsigned_out = this->template lines<std::uint8_t>(4);
  quern::diff(exec, unsigned_out, this->line(std::vector<std::uint8_t>(small.begin(), small.end())));
  EXPECT_EQ(numpy.values<std::uint8_t>("small_diff_unsigned"), test::contents(unsigned_out));
  const auto flags = this->template lines<bool>(3);
  quern::diff(exec, flags, this->line(std::vector<bool>{true, true, false, true}));
  this->expect_flags("flags_diff", test::contents(flags));
}

TYPED_TEST(Values, DifferencesOfFewAreNone) {
  const auto none = this->template lines<double>(0);
  quern::diff(none, this->template lines<double>(1));
  quern::diff(none, none);
  const auto x = this->line(std::vector<double>{1, 4, 9});
  test::expect_error("quern::diff: out has extents (3), expected (2)", [&] { quern::diff(x, x); });
  test::expect_error("quern::diff: axis 1 is out of range, expected one of an array of rank 1",
                     [&] { quern::diff(x, x, quern::axis{1}); });
}

}  // namespace
