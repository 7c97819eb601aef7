// SPDX-FileCopyrightText: the Quern authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Maps whose outputs are reductions alone, beside the same reductions one by one.
#include <quern/map.hpp>
#include <quern/reduce.hpp>
#include <support/testing.hpp>

namespace {

namespace op = quern::op;
using Kokkos::LayoutLeft, Kokkos::LayoutRight;
using quern::on_host, quern::outputs, quern::reduced;

struct of_particles {
  KOKKOS_FUNCTION auto operator()(double v, double x, double mass) const {
    return quern::values(mass * v * v, mass * x, v, x > 0);
  }
};
struct both_and_product {
  KOKKOS_FUNCTION auto operator()(float a, double b) const { return quern::values(a, b, a * b); }
};
struct twice {
  KOKKOS_FUNCTION auto operator()(double y) const { return quern::values(y, y); }
};
struct itself_twice {
  template <class T>
  KOKKOS_FUNCTION auto operator()(const T& x) const {
    return quern::values(x, x);
  }
};
struct pair_of_sums {
  KOKKOS_FUNCTION auto operator()(double a, double b) const { return quern::values(a + b, a - b); }
};
struct product {
  KOKKOS_FUNCTION double operator()(float a, double b) const { return a * b; }
};

template <class Exec>
struct ReductionsAloneOn : testing::Test {
  using E = Exec;
  const E exec{};

  template <class T>
  static auto line(std::int64_t n, std::uint64_t seed) {
    return test::make_array<T, 1, LayoutRight, E>({n}, test::samples<T>(n, seed));
  }
  static void expect_near(const Kokkos::View<double*, LayoutRight, E>& expected,
                          const Kokkos::View<double*, LayoutRight, E>& found) {
    const auto e = test::contents(expected), f = test::contents(found);
    for (std::size_t i = 0; i < e.size(); ++i) EXPECT_NEAR(e[i], f[i], 1e-12 * (1 + std::fabs(e[i]))) << i;
  }
};
TYPED_TEST_SUITE(ReductionsAloneOn, test::all_spaces);

TYPED_TEST(ReductionsAloneOn, GoToTheHost) {
  const auto& exec = this->exec;
  for (const std::int64_t n : {1, 2, 31, 4099}) {
    const auto v = this->template line<double>(n, 1), x = this->template line<double>(n, 2);
    const auto call = [&](const auto&... out) { return quern::map(exec, outputs(out...), of_particles(), v, x, 2.0); };
    const auto [energy, weight, fastest, right] =
        call(reduced<op::sum>(on_host, quern::reproducible), reduced<op::mean>(on_host), reduced<op::argmax>(on_host),
             reduced<op::count>(on_host));
    const auto square = quern::dot(exec, v, v, quern::reproducible);
    EXPECT_NEAR(2 * square, energy, 1e-15 * square);
    EXPECT_NEAR(2 * quern::mean(exec, x), weight, 1e-13 * static_cast<double>(n));
    EXPECT_EQ(quern::argmax(exec, v), fastest);
    std::int64_t positive = 0;
    for (const double at : test::contents(x)) positive += at > 0 ? 1 : 0;
    EXPECT_EQ(positive, right);
  }
}

TYPED_TEST(ReductionsAloneOn, GoToViewsAndTheHost) {
  using E = TypeParam;
  const auto& exec = this->exec;
  const Kokkos::View<double, E> weight("weight"), energy("energy");
  const Kokkos::View<std::int8_t, E> fastest("fastest");
  const auto v = this->template line<double>(100, 1), x = this->template line<double>(100, 2);
  const auto call = [&](const auto&... out) { return quern::map(exec, outputs(out...), of_particles(), v, x, 2.0); };
  const auto right = call(reduced<op::sum>(energy), reduced<op::mean>(weight), reduced<op::argmax>(fastest),
                          reduced<op::count>(on_host));
  const double expected = test::value(energy);
  EXPECT_EQ(quern::argmax(exec, v), test::value(fastest));
  Kokkos::deep_copy(energy, -1.0);
  const Kokkos::View<std::int64_t, E> count("count");
  call(reduced<op::sum>(energy), reduced<op::mean>(weight), reduced<op::argmax>(fastest), reduced<op::count>(count));
  EXPECT_EQ(expected, test::value(energy));
  EXPECT_EQ(right, test::value(count));
}

TYPED_TEST(ReductionsAloneOn, AreAlongAxesOfWhatTheInputsBroadcastTo) {
  using E = TypeParam;
  const auto& exec = this->exec;
  for (const auto& n : {std::array<std::int64_t, 2>{5, 7}, {1, 9}, {300, 3}, {3, 300}, {4, 0}}) {
    const auto a = test::make_array<float, 2, LayoutLeft, E>(n, test::samples<float>(n[0] * n[1], 3));
    const auto b = this->template line<double>(n[1], 4);
    const auto make = [&] { return test::make_array<double, 1, LayoutRight, E>({n[0]}); };
    const auto sums = make(), lengths = make(), products = make(), expected = make();
    const quern::axis rows{1};
    const auto out =
        outputs(reduced<op::sum>(sums, rows), reduced<op::norm>(lengths, rows), reduced<op::sum>(products, rows));
    quern::map(exec, out, both_and_product(), a, b);
    quern::sum<double>(exec, expected, a, rows);
    const auto coarse = test::contents(expected), found = test::contents(sums);  // which were summed in float
    for (std::size_t i = 0; i < found.size(); ++i) EXPECT_NEAR(coarse[i], found[i], 1e-4) << i;
    quern::sum(exec, expected, quern::lazy(product(), a, b), rows);
    this->expect_near(expected, products);
    quern::fill(exec, expected, quern::norm(exec, b));
    this->expect_near(expected, lengths);
  }
}

TYPED_TEST(ReductionsAloneOn, NameOneAxisInTwoWays) {
  using E = TypeParam;
  const auto x = test::make_array<double, 2, LayoutLeft, E>({3, 4}, test::samples<double>(12, 3));
  const auto make = [&] { return test::make_array<double, 1, LayoutRight, E>({3}); };
  const auto sums = make(), largest = make(), expected = make();
  quern::map(this->exec, outputs(reduced<op::sum>(sums, quern::axis{1}), reduced<op::max>(largest, quern::axis{-1})),
             twice(), x);
  quern::sum(this->exec, expected, x, quern::axis{1});
  this->expect_near(expected, sums);
  quern::max(this->exec, expected, x, quern::axis{1});
  this->expect_near(expected, largest);
  EXPECT_THROW(quern::map(outputs(reduced<op::sum>(sums, quern::axis{1}), reduced<op::max>(largest, quern::axis{0})),
                          twice(), x),
               quern::Error);
}

TYPED_TEST(ReductionsAloneOn, DoNotOverlapInputs) {
  using E = TypeParam;
  const Kokkos::View<double, E> total("total");
  const auto x = this->template line<double>(3, 1);
  const auto call = [&](const auto&... out) { quern::map(outputs(out...), pair_of_sums(), x, total); };
  EXPECT_THROW(call(reduced<op::sum>(on_host), reduced<op::max>(total)), quern::Error);
  const Kokkos::View<double, E> other("other");
  EXPECT_THROW(call(reduced<op::sum>(other), reduced<op::max>(total)), quern::Error);
  call(reduced<op::sum>(on_host), reduced<op::max>(other));
}

TYPED_TEST(ReductionsAloneOn, OfInfinitiesAndTheLargestIntegers) {
  using E = TypeParam;
  const double inf = std::numeric_limits<double>::infinity();
  const auto line = [](const auto& v) {
    using T = typename std::remove_cvref_t<decltype(v)>::value_type;
    return test::make_array<T, 1, LayoutRight, E>({static_cast<std::int64_t>(v.size())}, v);
  };
  const auto call = [&](const auto& x) {
    return quern::map(this->exec, outputs(reduced<op::max>(on_host), reduced<op::argmin>(on_host)), itself_twice(),
                      line(x));
  };
  EXPECT_EQ(std::tuple(inf, 1), call(std::vector<double>{inf, -inf, -inf}));
  EXPECT_EQ(std::tuple(-inf, 0), call(std::vector<double>{-inf}));
  using limits = std::numeric_limits<std::int64_t>;
  EXPECT_EQ(std::tuple(limits::max(), 2), call(std::vector<std::int64_t>{0, limits::max(), limits::min()}));
  EXPECT_EQ(std::tuple(limits::min(), 0), call(std::vector<std::int64_t>{limits::min(), limits::min()}));
}

TYPED_TEST(ReductionsAloneOn, WantResultsApartAndElements) {
  using E = TypeParam;
  const auto& exec = this->exec;
  const Kokkos::View<double, E> total("total");
  const auto x = this->template line<double>(3, 1), none = this->template line<double>(0, 1);
  const auto call = [&](const auto& v, const auto&... out) { return quern::map(exec, outputs(out...), twice(), v); };
  EXPECT_THROW(call(x, reduced<op::sum>(total), reduced<op::max>(total)), quern::Error);
  EXPECT_THROW(call(none, reduced<op::sum>(total), reduced<op::max>(on_host)), quern::Error);
  EXPECT_EQ(std::tuple(0.0, 1.0), call(none, reduced<op::sum>(on_host), reduced<op::prod>(on_host)));
}

}  // namespace
