// SPDX-FileCopyrightText: the Quern authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <cmath>
#include <quern/reduce.hpp>
#include <support/reference_archive.hpp>
#include <support/testing.hpp>

namespace {

const test::reference_archive numpy("reduce/data/numpy.npz");

struct largest_magnitude {
  KOKKOS_FUNCTION double operator()(double a, double b) const { return Kokkos::abs(a) > Kokkos::abs(b) ? a : b; }
};

template <class Case>
struct Reductions : testing::Test {
  template <class T>
  static auto array(const std::vector<T>& v) {
    return test::make_array<T, 1, typename Case::layout, typename Case::exec>({static_cast<std::int64_t>(v.size())}, v);
  }
};
using cases = test::covering<double>;
TYPED_TEST_SUITE(Reductions, cases);

TYPED_TEST(Reductions, AgreeWithNumPy) {
  using E = typename TypeParam::exec;
  const E exec{};
  const auto x = test::make_array<double, 2, typename TypeParam::layout, E>({11, 13}, numpy.values("x"));
  const auto y = test::make_array<double, 2, typename TypeParam::layout, E>({11, 13}, numpy.values("y"));
  // NumPy adds 143 numbers in pairs: its own error is a few units of the last place of the sum of magnitudes.
  const double eps = 8 * test::eps<double>();
  EXPECT_NEAR(numpy.value("x_sum"), quern::sum(exec, x), eps * numpy.value("x_sum"));
  EXPECT_NEAR(numpy.value("x_mean"), quern::mean(exec, x), eps * numpy.value("x_mean"));
  const auto [mean, var] = quern::mean_var(exec, x);
  EXPECT_NEAR(numpy.value("x_mean"), mean, eps * numpy.value("x_mean"));
  // The rounding of the mean, eps * 1000, enters each deviation of size 1, and the variance with its square root.
  EXPECT_NEAR(numpy.value("x_var"), var, 1000 * eps * numpy.value("x_var"));
  EXPECT_NEAR(numpy.value("x_std"), quern::stddev(exec, x), 1000 * eps * numpy.value("x_std"));
  EXPECT_EQ(numpy.value("x_min"), quern::min(exec, x));
  EXPECT_EQ(numpy.value("x_max"), quern::max(exec, x));
  const auto both = quern::minmax(exec, x);
  EXPECT_EQ(numpy.value("x_min"), both.min);
  EXPECT_EQ(numpy.value("x_max"), both.max);
  EXPECT_NEAR(numpy.value("x_norm"), quern::norm(exec, x), eps * numpy.value("x_norm"));
  EXPECT_NEAR(numpy.value("x_dot"), quern::dot(exec, x, y), eps * 143 * 1000);
  EXPECT_NEAR(numpy.value("y_prod"), quern::prod(exec, y),
              143 * test::eps<double>() * std::fabs(numpy.value("y_prod")));
  EXPECT_TRUE(quern::all(exec, x));
  EXPECT_TRUE(quern::any(exec, x));
  EXPECT_EQ(143, quern::count(exec, x));
}

TYPED_TEST(Reductions, AgreeWithNumPyOnIntegers) {
  using E = typename TypeParam::exec;
  const E exec{};
  EXPECT_EQ(numpy.value<std::uint64_t>("u8_sum"), quern::sum(exec, this->array(numpy.values<std::uint8_t>("u8"))));
  const auto values = numpy.values<std::int8_t>("i8");
  const auto x = this->array(values);
  EXPECT_EQ(numpy.value<std::int64_t>("i8_sum"), quern::sum(exec, x));
  EXPECT_EQ(static_cast<double>(numpy.value<std::int64_t>("i8_sum")), quern::sum<double>(exec, x));
  EXPECT_EQ(numpy.value<std::int64_t>("i8_prod"),
            quern::prod(exec, this->array(numpy.values<std::int8_t>("i8_nonzero"))));
  EXPECT_DOUBLE_EQ(numpy.value("i8_mean"), quern::mean(exec, x));
  EXPECT_NEAR(numpy.value("i8_var"), quern::mean_var(exec, x).var, 8 * test::eps<double>() * numpy.value("i8_var"));
  EXPECT_EQ(numpy.value<std::int64_t>("i8_nonzeros"), quern::count(exec, x));
  EXPECT_EQ(*std::min_element(values.begin(), values.end()), quern::min(exec, x));
}

TYPED_TEST(Reductions, TreatNanAndInfinityAsNumPyDoes) {
  using E = typename TypeParam::exec;
  const E exec{};
  const auto same = [](double a, double b) { return a == b || (std::isnan(a) && std::isnan(b)); };
  const auto n = this->array(numpy.values("with_nan")), i = this->array(numpy.values("with_inf"));
  EXPECT_PRED2(same, numpy.value("nan_sum"), quern::sum(exec, n));
  EXPECT_PRED2(same, numpy.value("nan_mean"), quern::mean(exec, n));
  EXPECT_PRED2(same, numpy.value("nan_var"), quern::mean_var(exec, n).var);
  EXPECT_PRED2(same, numpy.value("nan_min"), quern::min(exec, n));
  EXPECT_PRED2(same, numpy.value("nan_max"), quern::max(exec, n));
  EXPECT_EQ(numpy.value<bool>("nan_all"), quern::all(exec, n));
  EXPECT_EQ(numpy.value<bool>("nan_any"), quern::any(exec, n));
  EXPECT_PRED2(same, numpy.value("inf_sum"), quern::sum(exec, i));
  EXPECT_PRED2(same, numpy.value("inf_mean"), quern::mean(exec, i));
  EXPECT_PRED2(same, numpy.value("inf_var"), quern::mean_var(exec, i).var);
  EXPECT_PRED2(same, numpy.value("inf_min"), quern::min(exec, i));
  EXPECT_PRED2(same, numpy.value("inf_max"), quern::max(exec, i));
}

TYPED_TEST(Reductions, WriteRankZeroViews) {
  using E = typename TypeParam::exec;
  const E exec{};
  const auto x = this->array(std::vector<double>{3, -1, 0, 2});
  Kokkos::View<double, E> d("d");
  Kokkos::View<bool, E> b("b");
  Kokkos::View<int, E> i("i");
  const auto is = [&](double expected, const auto& call) {
    call();
    EXPECT_EQ(expected, test::value(d));
  };
  is(4, [&] { quern::sum(exec, d, x); });
  is(-0.0, [&] { quern::prod(exec, d, x); });
  is(-1, [&] { quern::min(exec, d, x); });
  is(3, [&] { quern::max(exec, d, x); });
  is(14, [&] { quern::dot(exec, d, x, x); });
  is(std::sqrt(14.0), [&] { quern::norm(exec, d, x); });
  is(1, [&] { quern::mean(exec, d, x); });
  is(std::sqrt(2.5), [&] { quern::stddev(exec, d, x); });
  is(3, [&] { quern::reduce(exec, d, largest_magnitude(), 0.0, x); });
  is(3, [&] { quern::reduce(d, largest_magnitude(), 0.0, x); });
  is(4, [&] { quern::sum(d, x); });
  is(14, [&] { quern::dot(d, x, x); });
  quern::all(exec, b, x);
  EXPECT_FALSE(test::value(b));
  quern::any(exec, b, x);
  EXPECT_TRUE(test::value(b));
  quern::count(exec, i, x);
  EXPECT_EQ(3, test::value(i));
  Kokkos::View<quern::moments<double>, E> m("m");
  quern::mean_var(exec, m, x);
  EXPECT_EQ(1.0, test::value(m).mean);
  EXPECT_EQ(2.5, test::value(m).var);
  Kokkos::View<quern::extrema<double>, E> e("e");
  quern::minmax(exec, e, x);
  EXPECT_EQ(-1.0, test::value(e).min);
  EXPECT_EQ(3.0, test::value(e).max);
}

TYPED_TEST(Reductions, HaveOverloadsWithoutAnInstance) {
  const auto x = this->array(std::vector<double>{3, -1, 0, 2});
  EXPECT_EQ(4, quern::sum(x));
  EXPECT_EQ(0, quern::prod(x));
  EXPECT_EQ(-1, quern::min(x));
  EXPECT_EQ(3, quern::max(x));
  EXPECT_EQ(3, quern::minmax(x).max);
  EXPECT_EQ(14, quern::dot(x, x));
  EXPECT_EQ(std::sqrt(14.0), quern::norm(x));
  EXPECT_EQ(1, quern::mean(x));
  EXPECT_EQ(2.5, quern::mean_var(x).var);
  EXPECT_EQ(std::sqrt(2.5), quern::stddev(x));
  EXPECT_FALSE(quern::all(x));
  EXPECT_TRUE(quern::any(x));
  EXPECT_EQ(3, quern::count(x));
  EXPECT_EQ(3, quern::reduce(largest_magnitude(), 0.0, x));
}

TYPED_TEST(Reductions, DotsOfIntegersAreTheirNumbers) {
  using E = typename TypeParam::exec;
  const E exec{};
  const auto minus = this->array(std::vector<std::int32_t>{-1, 2, -3});
  const auto plus = this->array(std::vector<std::uint32_t>{3, 4, 4000000000});
  EXPECT_EQ(-11999999995, quern::dot(exec, minus, plus));
  EXPECT_EQ(-11999999995, quern::vdot(exec, plus, minus));
  EXPECT_EQ(-11999999995.0, quern::dot<double>(exec, minus, plus));
  EXPECT_EQ(-11999999995, quern::dot(exec, minus, plus, quern::reproducible));
  Kokkos::View<double, E> out("out");
  quern::dot(exec, out, this->array(std::vector<std::int64_t>{-1}), this->array(std::vector<std::uint64_t>{3}));
  EXPECT_EQ(-3.0, test::contents(out)[0]);
  const auto big = this->array(std::vector<std::int64_t>{std::int64_t{1} << 40, -(std::int64_t{1} << 50)});
  EXPECT_EQ(0x1p80 + 0x1p100, quern::dot<double>(exec, big, big));
  EXPECT_EQ(0x1p80 + 0x1p100, quern::vdot<double>(exec, big, big));
  EXPECT_EQ(0x1p80 + 0x1p100, quern::dot<double>(exec, big, big, quern::reproducible));
  // Each product is rounded by itself.
  const std::int64_t odd = (std::int64_t{1} << 53) + 12345, next = (std::int64_t{1} << 52) + 777;
  const double x = static_cast<double>(odd), y = static_cast<double>(next);
  const volatile double first = x * y, second = -y * y;
  const auto factors = this->array(std::vector<std::int64_t>{odd, -next}),
             others = this->array(std::vector<std::int64_t>{next, next});
  EXPECT_EQ(first + second, quern::dot<double>(exec, factors, others, quern::reproducible));
}

TYPED_TEST(Reductions, TakeComplexAndHalf) {
  using E = typename TypeParam::exec;
  using complex = Kokkos::complex<double>;
  const E exec{};
  const auto z = this->array(std::vector<complex>{{1, 2}, {3, -4}});
  EXPECT_EQ(complex(4, -2), quern::sum(exec, z));
  EXPECT_EQ(complex(11, 2), quern::prod(exec, z));
  EXPECT_EQ(complex(1 - 4 + 9 - 16, 4 - 24), quern::dot(exec, z, z)) << "no conjugation, as NumPy's dot";
  EXPECT_DOUBLE_EQ(std::sqrt(30.0), quern::norm(exec, z));
  EXPECT_EQ(complex(2, -1), quern::mean(exec, z));
  EXPECT_DOUBLE_EQ(10.0, quern::mean_var(exec, z).var);
  Kokkos::View<Kokkos::Experimental::half_t*, E> h("h", 4096);
  Kokkos::deep_copy(h, Kokkos::Experimental::half_t(1.0f));
  EXPECT_EQ(4096.0f, quern::sum(exec, h)) << "in float: half itself stops at 2048";
  EXPECT_EQ(1.0f, quern::mean(exec, h));
}

}  // namespace
