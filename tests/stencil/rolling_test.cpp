// SPDX-FileCopyrightText: the Quern authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <cmath>
#include <limits>
#include <quern/map.hpp>
#include <quern/stencil.hpp>
#include <support/reference_archive.hpp>
#include <support/testing.hpp>

namespace {

using quern::axis;
using quern::value_window;
using quern::window;
namespace op = quern::op;

const test::reference_archive pandas("stencil/data/rolling.npz");
const double nan = std::numeric_limits<double>::quiet_NaN(), inf = std::numeric_limits<double>::infinity();

/// The results of sums of multiples of 1/4 are exact, quotients are rounded a few times.
void expect(const std::vector<double>& expected, const std::vector<double>& found, double epsilon,
            const std::string& what) {
  ASSERT_EQ(expected.size(), found.size()) << what;
  for (std::size_t i = 0; i < expected.size(); ++i) {
    if (expected[i] != expected[i]) EXPECT_NE(found[i], found[i]) << what << " at " << i;
    else if (std::isinf(expected[i])) EXPECT_EQ(expected[i], found[i]) << what << " at " << i;
    else EXPECT_NEAR(expected[i], found[i], 4 * epsilon * std::fabs(expected[i])) << what << " at " << i;
  }
}

std::optional<std::int64_t> given(std::int64_t least) {
  if (least < 0) return std::nullopt;
  return least;
}

/// Calls f(name, roll) with a generic lambda that is the reduction of each name in the archive.
template <class F>
void for_operations(const F& f) {
  f("sum", []<class... A>(const A&... a) { quern::rolling<op::sum>(a...); });
  f("mean", []<class... A>(const A&... a) { quern::rolling<op::mean>(a...); });
  f("var", []<class... A>(const A&... a) { quern::rolling<op::var>(a..., quern::ddof{1}); });
  f("std", []<class... A>(const A&... a) { quern::rolling<op::stddev>(a..., quern::ddof{1}); });
  f("min", []<class... A>(const A&... a) { quern::rolling<op::min>(a...); });
  f("max", []<class... A>(const A&... a) { quern::rolling<op::max>(a...); });
  f("median", []<class... A>(const A&... a) { quern::rolling<op::median>(a...); });
  f("count", []<class... A>(const A&... a) { quern::rolling<op::count>(a...); });
}

template <class Case>
struct Rolling : testing::Test {
  using T = typename Case::value;
  using E = typename Case::exec;
  static constexpr double epsilon = std::numeric_limits<T>::epsilon();
  template <class V, int Rank>
  static auto array(const std::string& name, const std::array<std::int64_t, Rank>& extents) {
    std::vector<V> values;
    for (const double v : pandas.values(name)) values.push_back(static_cast<V>(v));
    return test::make_array<V, Rank, typename Case::layout, E>(extents, values);
  }
};
using cases = test::covering<double, float>;
TYPED_TEST_SUITE(Rolling, cases);

TYPED_TEST(Rolling, OfCountsIsPandas) {
  using E = typename TypeParam::exec;
  const auto extents = pandas.extents("x");
  const auto x = this->template array<typename TypeParam::value, 2>("x", {extents[0], extents[1]});
  const auto list = pandas.values<std::int64_t>("cases");
  for_operations([&](const std::string& name, const auto& roll) {
    for (std::size_t k = 0; k < list.size() / 4; ++k) {
      const window w{list[4 * k], list[4 * k + 1] != 0, given(list[4 * k + 2]), list[4 * k + 3]};
      const std::string result = name + std::to_string(k);
      const auto out = test::make_array<double, 2, Kokkos::LayoutRight, E>({pandas.extents(result)[0], extents[1]});
      roll(E(), out, x, w, axis{0});
      expect(pandas.values(result), test::contents(out), this->epsilon, result);
    }
  });
}

TYPED_TEST(Rolling, OfTimesIsPandas) {
  using E = typename TypeParam::exec;
  const auto extents = pandas.extents("x");
  const auto x = this->template array<typename TypeParam::value, 2>("x", {extents[0], extents[1]});
  const auto times = test::make_array<std::int64_t, 1, typename TypeParam::layout, E>(
      {extents[0]}, pandas.values<std::int64_t>("times"));
  const auto list = pandas.values<std::int64_t>("spans");
  const auto out = test::make_array<double, 2, Kokkos::LayoutRight, E>({extents[0], extents[1]});
  for_operations([&](const std::string& name, const auto& roll) {
    for (std::size_t k = 0; k < list.size() / 3; ++k) {
      const value_window w{static_cast<double>(list[3 * k]), list[3 * k + 1] != 0, given(list[3 * k + 2])};
      const std::string result = name + "_of_times" + std::to_string(k);
      roll(out, x, times, w, axis{0});
      expect(pandas.values(result), test::contents(out), this->epsilon, result);
    }
  });
}

TYPED_TEST(Rolling, OfALongLineIsPandas) {
  using E = typename TypeParam::exec;
  const std::int64_t n = pandas.extents("long")[0];
  const auto x = this->template array<typename TypeParam::value, 1>("long", {n});
  const auto list = pandas.values<std::int64_t>("counts");
  const auto out = test::make_array<double, 1, typename TypeParam::layout, E>({n});
  for_operations([&](const std::string& name, const auto& roll) {
    for (std::size_t k = 0; k < list.size(); ++k) {
      const std::string result = name + "_of_long" + std::to_string(k);
      roll(E(), out, x, window{.count = list[k], .min_periods = 1});
      expect(pandas.values(result), test::contents(out), this->epsilon * (name == "std" || name == "var" ? 8 : 1),
             result);
    }
  });
}

template <class Exec>
struct RollingOn : testing::Test {
  template <class T>
  static auto row(const std::vector<T>& v) {
    return test::make_array<T, 1, Kokkos::LayoutRight, Exec>({static_cast<std::int64_t>(v.size())}, v);
  }
  /// The results of a reduction of windows of a line.
  template <class Op, class... Window>
  static std::vector<double> of(const std::vector<double>& v, const Window&... w) {
    const auto out = row(std::vector<double>(v.size(), 99));
    quern::rolling<Op>(Exec(), out, row(v), w...);
    return test::contents(out);
  }
};
TYPED_TEST_SUITE(RollingOn, test::all_spaces);

TYPED_TEST(RollingOn, ForgetsInfinitiesAndLargeValues) {
  const std::vector<double> v{1, inf, 2, 3, 1e155, -1e155, 0.25, 0.5, -inf, inf, 1, 1, 1};
  expect({1, inf, inf, 5, 1e155, 0, -1e155, 0.75, -inf, nan, inf, 2, 2},
         this->template of<op::sum>(v, window{.count = 2, .min_periods = 1}), 0, "sum");
  expect({nan, nan, inf, inf, 1e155 / 3, 1, 0.25 / 3, -1e155 / 3, -inf, nan, nan, inf, 1},
         this->template of<op::mean>(v, window{3}), 1e-16, "mean");
  expect({nan, nan, nan, 0.25, inf}, this->template of<op::var>({1, inf, 2, 3, 1e200}, window{2}), 0, "var");
  expect({nan, inf, inf, 3, 1e155, 1e155, 0.25, 0.5, 0.5, inf, inf, 1, 1}, this->template of<op::max>(v, window{2}), 0,
         "max");
}

TYPED_TEST(RollingOn, VariancesDoNotCancel) {
  std::vector<double> v;
  for (int i = 0; i < 300; ++i) v.push_back(1e9 + i % 2 + (i == 100 ? 1e15 : 0));
  const auto found = this->template of<op::var>(v, window{4});
  for (int i = 3; i < 300; ++i) {
    if (i < 100 || i > 103) {
      ASSERT_EQ(0.25, found[i]) << i;
    }
  }
}

TYPED_TEST(RollingOn, WideWindowsOfManyBlocks) {  // of blocks of blocks
  const std::int64_t n = 70001;
  std::vector<std::int32_t> v;
  std::vector<std::int64_t> before{0};  // the sums of what comes before
  for (std::int64_t i = 0; i < n; ++i) {
    v.push_back(static_cast<std::int32_t>(4 * test::sample(i)));
    before.push_back(before.back() + v.back());
  }
  const auto x = this->row(v);
  for (const std::int64_t count : {20000, 17, 66000})
    for (const std::int64_t step : {1, 37, 5000}) {
      const auto out = this->row(std::vector<double>((n + step - 1) / step));
      quern::rolling<op::sum>(TypeParam(), out, x,
                              window{.count = count, .center = true, .min_periods = 0, .step = step});
      const auto found = test::contents(out);
      for (std::int64_t k = 0; k < static_cast<std::int64_t>(found.size()); ++k) {
        const std::int64_t end = k * step + (count - 1) / 2 + 1;
        const auto sum = before[std::min(end, n)] - before[std::max<std::int64_t>(end - count, 0)];
        ASSERT_EQ(static_cast<double>(sum), found[k]) << count << " " << step << " " << k;
      }
    }
}

TYPED_TEST(RollingOn, MediansOfSteps) {  // of which windows are sorted anew
  const auto x = this->row(pandas.values("long"));
  const auto every = pandas.values("median_of_long1");  // of 700 elements
  for (const std::int64_t step : {2, 64, 65, 800}) {
    std::vector<double> expected;
    for (std::size_t i = 0; i < every.size(); i += step) expected.push_back(every[i]);
    const auto out = this->row(expected);
    Kokkos::deep_copy(out, 99);
    quern::rolling<op::median>(TypeParam(), out, x, window{.count = 700, .min_periods = 1, .step = step});
    expect(expected, test::contents(out), 0, "step " + std::to_string(step));
  }
}

TYPED_TEST(RollingOn, MediansOfExtremeValues) {
  const double most = std::numeric_limits<double>::max();
  expect({most, most, inf, inf, 0, -inf},
         this->template of<op::median>({most, most, inf, 1, -1, -inf}, window{.count = 2, .min_periods = 1}), 0,
         "pairs");
  expect({nan, 1, 1, nan, nan, 2},
         this->template of<op::median>({nan, 1, nan, nan, nan, 2}, window{.count = 2, .min_periods = 0}), 0, "missing");
  const auto bytes = this->row(std::vector<std::uint8_t>{255, 0, 254, 3});
  const auto halves = this->row(std::vector<float>(4));
  quern::rolling<op::median>(TypeParam(), halves, bytes, window{.count = 4, .min_periods = 1});
  EXPECT_EQ((std::vector<float>{255, 127.5F, 254, 128.5F}), test::contents(halves));
}

TYPED_TEST(RollingOn, OfOtherReductions) {
  const std::vector<double> v{0, 2, nan, 3, 0, 5};
  const window w{.count = 3, .min_periods = 0};
  expect({1, 2, 2, 2, 2, 3}, this->template of<op::count>(v, w), 0, "count");
  expect({0, 0, 0, 6, 0, 0}, this->template of<op::prod>(v, w), 0, "prod");
  expect({0, 2, 2, std::sqrt(13.0), 3, std::sqrt(34.0)}, this->template of<op::norm>(v, w), 1e-16, "norm");
  expect({0, 1, 1, 1, 1, 1}, this->template of<op::any>(v, w), 0, "any");
}

TYPED_TEST(RollingOn, RangesOfIntegersDoNotWrapAround) {
  const auto bytes = this->row(std::vector<std::int8_t>{-128, 127, 0});
  const auto ranges = this->row(std::vector<double>(3));
  quern::rolling<op::ptp>(TypeParam(), ranges, bytes, window{.count = 2, .min_periods = 1});
  EXPECT_EQ((std::vector<double>{0, 255, 127}), test::contents(ranges));
}

TYPED_TEST(RollingOn, OfNoValues) {
  const std::vector<double> v{nan, nan, 1};
  const window w{.count = 2, .min_periods = 0};
  expect({0, 0, 1}, this->template of<op::sum>(v, w), 0, "sum");
  expect({nan, nan, 1}, this->template of<op::min>(v, w), 0, "min");
  expect({nan, nan, 1}, this->template of<op::mean>(v, w), 0, "mean");
  EXPECT_TRUE(this->template of<op::sum>({}, window{3}).empty());
  expect({7}, this->template of<op::mean>({7}, window{.count = 9, .min_periods = 1}), 0, "one");
  expect({7}, this->template of<op::mean>({7}, window{.count = 1, .step = 1000}), 0, "one of many");
  const std::int64_t most = std::numeric_limits<std::int64_t>::max();
  expect({1, 3, 6}, this->template of<op::sum>({1, 2, 3}, window{.count = most, .min_periods = 1}), 0, "expanding");
}

TYPED_TEST(RollingOn, OfLazyAndComplexValues) {
  using complex = Kokkos::complex<double>;
  const auto x = this->row(std::vector<complex>{{1, 2}, {3, -1}, {0, 1}});
  const auto out = this->row(std::vector<complex>(3));
  quern::rolling<op::sum>(TypeParam(), out, quern::lazy(quern::impl::op::multiply(), x, 2.0),
                          window{.count = 2, .min_periods = 1});
  EXPECT_EQ((std::vector<complex>{{2, 4}, {8, 2}, {6, 0}}), test::contents(out));
}

TYPED_TEST(RollingOn, OfHalfNumbersAndBools) {
  using half = Kokkos::Experimental::half_t;
  const auto h = [](float v) { return static_cast<half>(v); };
  const auto x = this->row(std::vector<half>{h(512), h(1), h(1), h(std::nanf("")), h(3)});
  const auto out = this->row(std::vector<half>(5)), middle = this->row(std::vector<half>(5));
  quern::rolling<op::sum>(TypeParam(), out, x, window{.count = 3, .min_periods = 1});
  quern::rolling<op::median>(TypeParam(), middle, x, window{.count = 3, .min_periods = 1});
  const float sums[] = {512, 513, 514, 2, 4}, medians[] = {512, 256.5F, 1, 1, 2};
  for (int i = 0; i < 5; ++i) {
    EXPECT_EQ(sums[i], static_cast<float>(test::contents(out)[i])) << i;
    EXPECT_EQ(medians[i], static_cast<float>(test::contents(middle)[i])) << i;
  }
  const auto bits = test::make_array<bool, 1, Kokkos::LayoutRight, TypeParam>({4});
  quern::fill(bits, true);
  const auto share = this->row(std::vector<float>(4));
  quern::rolling<op::mean>(TypeParam(), share, bits, window{.count = 2, .min_periods = 1});
  EXPECT_EQ(std::vector<float>(4, 1), test::contents(share));
}

TYPED_TEST(RollingOn, OfRealPositions) {
  const std::vector<double> v{1, 2, 4, 8, 16, 32};
  const auto at = this->row(std::vector<double>{-inf, 0, 0.5, 0.5, 1, nan});
  expect({1, 2, 6, 14, 28, 0}, this->template of<op::sum>(v, at, value_window{.width = 1, .min_periods = 0}), 0,
         "open");
  expect({1, 14, 28, 28, 16, 0},
         this->template of<op::sum>(v, at, value_window{.width = 1, .center = true, .min_periods = 0}), 0, "centred");
  expect({1, 3, 7, 15, 31, 63}, this->template of<op::sum>(v, at, value_window{inf}), 0, "all before");
  const auto far = this->row(std::vector<std::int64_t>{INT64_MIN, INT64_MIN, 0, 1, INT64_MAX, INT64_MAX});
  expect({1, 3, 7, 15, 31, 63}, this->template of<op::sum>(v, far, value_window{inf}), 0, "integers far apart");
  const auto bytes = this->row(std::vector<std::uint8_t>{0, 100, 200, 255, 255, 255});
  expect({1, 3, 6, 12, 28, 60}, this->template of<op::sum>(v, bytes, value_window{100.5}), 0, "bytes");
  const auto down = this->row(std::vector<int>{5, 4, 3, 9, 1, 0});
  (void)this->template of<op::sum>(v, down, value_window{.width = 2, .center = true});  // means nothing
  (void)this->template of<op::median>(v, down, value_window{.width = 2, .center = true});
}

TYPED_TEST(RollingOn, RejectsWhatDoesNotFit) {
  const TypeParam exec;
  const auto x = this->row(std::vector<double>(4, 1)), out = this->row(std::vector<double>(4, 9)),
             two = this->row(std::vector<double>(2, 9));
  const auto reject = [&](const std::string& message, const auto& to, const window& w, int along) {
    test::expect_error(message, [&] { quern::rolling<op::sum>(exec, to, x, w, axis{along}); });
  };
  reject("quern::rolling: a window of 0 elements, expected at least 1", out, window{0}, 0);
  reject("quern::rolling: min_periods of 3 for windows of 2 elements", out, window{.count = 2, .min_periods = 3}, 0);
  reject("quern::rolling: min_periods of -1, expected at least 0", out, window{.count = 2, .min_periods = -1}, 0);
  reject("quern::rolling: a step of 0, expected at least 1", out, window{.count = 2, .step = 0}, 0);
  reject("quern::rolling: out has extents (4), expected (2)", out, window{.count = 2, .step = 2}, 0);
  EXPECT_THROW(quern::rolling<op::sum>(exec, out, x, window{2}, axis{1}), quern::Error);
  EXPECT_THROW(quern::rolling<op::sum>(exec, x, x, window{2}), quern::Error);
  test::expect_error("quern::rolling: a window of width nan, expected more than 0",
                     [&] { quern::rolling<op::sum>(exec, out, x, x, value_window{nan}); });
  test::expect_error("quern::rolling: the axis has extents (2), expected (4)",
                     [&] { quern::rolling<op::sum>(exec, out, x, two, value_window{1}); });
  const auto down = this->row(std::vector<float>{0, 2, 1, 3});
  EXPECT_THROW(quern::rolling<op::sum>(exec, out, x, down, value_window{1}, quern::checked), quern::UnsortedError);
  EXPECT_EQ(std::vector<double>(4, 9), test::contents(out));
  quern::rolling<op::sum>(exec, out, x, x, value_window{1}, quern::checked);  // of equal positions
  EXPECT_EQ((std::vector<double>{1, 2, 3, 4}), test::contents(out));
}

}  // namespace
