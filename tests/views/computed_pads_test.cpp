// SPDX-FileCopyrightText: the Quern authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <limits>
#include <quern/reduce.hpp>
#include <views/reading.hpp>

// Mirrored values and ramps around arrays of which computed elements are rounded, or wrap around.

namespace {

using quern::linear_ramp;
using quern::pad_mode;
using quern::reflect_type;

using E = Kokkos::DefaultExecutionSpace;

template <class T>
auto frozen(const std::string& name) {
  return test::make_array<T, 2, Kokkos::LayoutRight, E>(test::re_indexed.extents_of_rank<2>(name),
                                                        test::re_indexed.values<T>(name));
}
template <class V>
auto written(const V& operand) {
  using T = quern::impl::value_of<V>;
  const quern::shape s = quern::extents_of(operand);
  const Kokkos::View<T*, E> out("out", static_cast<std::size_t>(s.size()));
  quern::copy(E(), out, quern::reshape(operand, {-1}));
  return test::contents(out);
}
auto narrow_steps() {
  const auto wide = test::re_indexed.values<std::int64_t>("steps");
  return test::make_array<std::int8_t, 2, Kokkos::LayoutRight, E>({2, 3}, {wide.begin(), wide.end()});
}
std::vector<std::int8_t> narrow(const std::string& name) {
  const auto wide = test::re_indexed.values<std::int64_t>(name);
  return {wide.begin(), wide.end()};
}

TEST(ComputedPads, OfRealNumbersHaveNumPysBits) {
  const auto x = frozen<double>("samples");
  EXPECT_EQ(test::re_indexed.values("pad_samples_reflect_odd"),
            written(quern::pad(x, 2, pad_mode::reflect, reflect_type::odd)));
  EXPECT_EQ(test::re_indexed.values("pad_samples_symmetric_odd"),
            written(quern::pad(x, 2, pad_mode::symmetric, reflect_type::odd)));
  EXPECT_EQ(test::re_indexed.values("pad_samples_ramp"),
            written(quern::pad(x, {{7, 3}, {5, 1}}, linear_ramp{{0.1, -3}, {1e9, 0.7}})));
}

TEST(ComputedPads, OfNarrowIntegersRoundDownAndWrapAround) {
  const auto x = narrow_steps();
  EXPECT_EQ(narrow("pad_steps_ramp"), written(quern::pad(x, {{5, 3}, {7, 4}}, linear_ramp{{-100, 3}, {100, -77}})));
  EXPECT_EQ(narrow("pad_steps_odd"), written(quern::pad(x, {{4, 3}, {9, 4}}, pad_mode::symmetric, reflect_type::odd)));
  std::vector<std::int8_t> numbers(35);
  for (int i = 0; i < 35; ++i) numbers[i] = static_cast<std::int8_t>(i);
  const auto table = test::make_array<std::int8_t, 2, Kokkos::LayoutLeft, E>({5, 7}, numbers);
  for (const auto& [mode, name] :
       {std::pair(pad_mode::reflect, "reflect"), std::pair(pad_mode::symmetric, "symmetric")})
    EXPECT_EQ(narrow("pad_x_wide_" + std::string(name) + "_odd"),
              written(quern::pad(table, {{11, 17}, {23, 9}}, mode, reflect_type::odd)));
}

// A double holds neither the largest number of 64 bits nor those next to it.
TEST(ComputedPads, OfLargeIntegersStayInRange) {
  constexpr std::int64_t most = std::numeric_limits<std::int64_t>::max();
  const auto x = test::line<E>(std::vector<std::int64_t>{most, most});
  const auto found = written(quern::pad(x, {{1000, 1}}, linear_ramp{most - 1000}));
  for (const std::int64_t v : found) EXPECT_GT(v, most - 3000);
  EXPECT_EQ((std::vector<std::int64_t>{most, most, most}),
            written(quern::pad(x, {{1, 0}}, pad_mode::reflect, reflect_type::odd)));
}

TEST(ComputedPads, InfinitiesAndNaNsStayWithTheirElements) {
  constexpr double inf = std::numeric_limits<double>::infinity(), nan = std::numeric_limits<double>::quiet_NaN();
  const auto x = test::line<E>(std::vector<double>{1, 2, inf, nan});
  const auto found = written(quern::pad(x, {{2, 0}}, pad_mode::reflect, reflect_type::odd));
  EXPECT_EQ(-inf, found[0]);
  EXPECT_EQ(0, found[1]);
  const auto ramp = written(quern::pad(x, {{1, 1}}, linear_ramp{3}));
  EXPECT_EQ(3, ramp[0]);
  EXPECT_TRUE(std::isnan(ramp[5]));
}

TEST(ComputedPads, ComplexNumbersHaveRealEnds) {
  const auto x = test::line<E>(std::vector<Kokkos::complex<double>>{{2, 4}});
  EXPECT_EQ((std::vector<Kokkos::complex<double>>{{0, 0}, {1, 2}, {2, 4}}),
            written(quern::pad(x, {{2, 0}}, linear_ramp{0})));
}

// Elements inside are read as memory is, and those around them by operations of every kind.
TEST(ComputedPads, AreInputsOfOperations) {
  const auto x = test::line<E>(test::samples<double>(5000, 3));
  const auto padded = quern::pad(x, {{3, 4999}}, pad_mode::reflect, reflect_type::odd);
  const auto all = written(padded);
  ASSERT_EQ(3 + 5000 + 4999, all.size());
  double sum = 0;
  for (const double v : all) sum += v;
  EXPECT_NEAR(sum, quern::sum(E(), padded), 1e-9);
  EXPECT_EQ(all[2], 2 * all[3] - all[4]);
  EXPECT_EQ(all.back(), 2 * all[5002] - all[3]);
  EXPECT_EQ(all[4], written(quern::flip(quern::slice(padded, {{4, 5}})))[0]);
}

TEST(ComputedPads, RejectWhatTheyCannotCompute) {
  const auto x = narrow_steps();
  const Kokkos::View<double*, E> none("none", 0);
  test::expect_error("quern::pad: a reflect_type, which pad_mode::reflect and pad_mode::symmetric alone have",
                     [&] { quern::pad(x, 1, pad_mode::edge, reflect_type::odd); });
  test::expect_error("quern::pad: 3 pairs of end values for an array of rank 2",
                     [&] { quern::pad(x, 1, linear_ramp{{0, 1}, {0, 1}, {0, 1}}); });
  test::expect_error("quern::pad: an end value of 128.000000, which x's type does not hold",
                     [&] { quern::pad(x, 1, linear_ramp{{0, 1}, {0, 128}}); });
  test::expect_error("quern::pad: an end value of nan, which x's type does not hold",
                     [&] { quern::pad(x, 1, linear_ramp{std::numeric_limits<double>::quiet_NaN()}); });
  test::expect_error("quern::pad: -1 and 0 elements around axis 1, expected 0 or more",
                     [&] { quern::pad(x, {{0, 0}, {-1, 0}}, linear_ramp{0}); });
  test::expect_error("quern::pad: 1 and 1 elements around axis 0, which is empty: only a value can be put there",
                     [&] { quern::pad(none, 1, linear_ramp{0}); });
}

}  // namespace
