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
struct product {
  KOKKOS_FUNCTION double operator()(float a, double b) const { return a * b; }
};

template <class Exec>
struct ReductionsAloneOn : testing::Test {
  using E = Exec;
  const E exec;

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
