// SPDX-FileCopyrightText: the Quern authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Maps of what a mask selects with reductions among their outputs: as of an array of the selected elements alone.
#include <chunked/behind_function.hpp>
#include <cmath>
#include <limits>
#include <quern/reduce.hpp>
#include <support/testing.hpp>

namespace {

namespace op = quern::op;
using quern::mask, quern::on_host, quern::outputs, quern::reduced;

/// Divides, so that values of elements that are not selected may be infinite.
struct several {
  KOKKOS_FUNCTION auto operator()(double x, double y) const {
    const double q = x / y;
    return quern::values(q, q, q, q, x + y);
  }
};
struct reductions_alone {
  KOKKOS_FUNCTION auto operator()(double x, double y) const {
    const double q = x / y;
    return quern::values(q, q, q, x + y);
  }
};
struct greater {
  KOKKOS_FUNCTION double operator()(double a, double b) const { return a > b ? a : b; }
};

template <class Exec>
struct MaskedReductionsOn : testing::Test {
  using E = Exec;
  const E exec{};

  template <class T>
  static auto row(const std::vector<T>& v) {
    return test::make_array<T, 1, Kokkos::LayoutRight, E>({static_cast<std::int64_t>(v.size())}, v);
  }
  /// Pairs of numbers of which those with a second one that is zero are not selected, by several masks.
  struct pairs {
    std::vector<double> x, y;
    std::vector<std::uint8_t> chosen;
    explicit pairs(std::int64_t n, int pattern) : x(test::samples<double>(n, 1)), y(n), chosen(n) {
      for (std::int64_t i = 0; i < n; ++i) {
        chosen[i] = pattern == 0 ? 0 : pattern == 1 ? 1 : i % 3 == 0;
        y[i] = chosen[i] != 0 ? 2 : 0;
      }
    }
    std::vector<double> quotients() const {
      std::vector<double> q;
      for (std::size_t i = 0; i < x.size(); ++i)
        if (chosen[i] != 0) q.push_back(x[i] / y[i]);
      return q;
    }
  };
  template <class Found>
  static void expect(const pairs& p, const Found& found) {
    const auto [sum, least, first, most] = found;
    double total = 0, all = std::numeric_limits<double>::infinity(), other = -1;
    std::int64_t at = -1;
    for (std::size_t i = 0; i < p.x.size(); ++i) {
      if (p.chosen[i] == 0) continue;
      const double q = p.x[i] / p.y[i];
      total += q;
      all = std::min(all, q);
      if (at < 0 || q > p.x[at] / p.y[at]) at = static_cast<std::int64_t>(i);
      other = std::max(other, p.x[i] + p.y[i]);
    }
    EXPECT_EQ(total, sum);  // of multiples of 1/16
    if (at < 0) EXPECT_TRUE(std::isnan(least));
    else EXPECT_EQ(all, least);
    EXPECT_EQ(at, first);
    EXPECT_EQ(other, most);
  }
};
TYPED_TEST_SUITE(MaskedReductionsOn, test::all_spaces);

TYPED_TEST(MaskedReductionsOn, BesideAnArray) {
  for (const std::int64_t n : {1, 2, 31, 1000, 4099})
    for (const int pattern : {0, 1, 2}) {
      const typename TestFixture::pairs p(n, pattern);
      const auto out = this->row(std::vector<double>(n, 9.0));
      const auto call = [&](const auto&... results) {
        return quern::map(this->exec, outputs(out, results...), several(), mask{this->row(p.chosen)}, this->row(p.x),
                          this->row(p.y));
      };
      this->expect(p, call(reduced<op::sum>(on_host), reduced<op::min>(on_host), reduced<op::argmax>(on_host),
                           reduced(on_host, greater(), -1.0)));
      const auto written = test::contents(out);
      for (std::int64_t i = 0; i < n; ++i) EXPECT_EQ(p.chosen[i] != 0 ? p.x[i] / p.y[i] : 9.0, written[i]);
    }
}

TYPED_TEST(MaskedReductionsOn, Alone) {
  for (const std::int64_t n : {1, 31, 4099})
    for (const int pattern : {0, 1, 2}) {
      const typename TestFixture::pairs p(n, pattern);
      const auto call = [&](const auto&... results) {
        return quern::map(this->exec, outputs(results...), reductions_alone(), mask{this->row(p.chosen)},
                          this->row(p.x), this->row(p.y));
      };
      this->expect(p, call(reduced<op::sum>(on_host), reduced<op::min>(on_host), reduced<op::argmax>(on_host),
                           reduced(on_host, greater(), -1.0)));
    }
}

struct twice_and_itself {
  KOKKOS_FUNCTION auto operator()(double x) const { return quern::values(2 * x, x); }
};

/// The sums of selected values along an axis, and twice the greatest.
struct along_axis {
  std::vector<double> sums, greatest;
  along_axis(const std::vector<double>& x, const std::vector<std::uint8_t>& chosen, std::int64_t columns, int axis)
      : sums(axis == 0 ? columns : std::ssize(x) / columns), greatest(sums.size(), -1000) {
    for (std::int64_t i = 0; i < std::ssize(x); ++i) {
      if (chosen[i] == 0) continue;
      const std::int64_t k = axis == 0 ? i % columns : i / columns;
      sums[k] += x[i];
      greatest[k] = std::max(greatest[k], 2 * x[i]);
    }
  }
};

TYPED_TEST(MaskedReductionsOn, AlongAxesAndToViews) {
  using E = TypeParam;
  constexpr std::int64_t rows = 37, columns = 70;
  const auto x = test::samples<double>(rows * columns, 1);
  std::vector<std::uint8_t> chosen(x.size());
  for (std::size_t i = 0; i < x.size(); ++i) chosen[i] = i % 3 == 0;
  const auto matrix = [&]<class T>(const std::vector<T>& v) {
    return test::make_array<T, 2, Kokkos::LayoutRight, E>({rows, columns}, v);
  };
  const auto vx = matrix(x), out = matrix(std::vector<double>(x.size(), 9.0));
  const mask m{matrix(chosen)};
  for (const int axis : {0, 1}) {
    const along_axis expected(x, chosen, columns, axis);
    const quern::axis along{axis};
    const auto sums = this->row(std::vector<double>(expected.sums.size())), again = quern::like(sums),
               greatest = quern::like(sums);
    quern::map(this->exec, outputs(out, reduced<op::sum>(sums, along)), twice_and_itself(), m, vx);
    quern::map(this->exec, outputs(reduced<op::max>(greatest, along), reduced<op::sum>(again, along)),
               twice_and_itself(), m, vx);
    EXPECT_EQ(expected.sums, test::contents(sums)) << axis;  // of multiples of 1/4
    EXPECT_EQ(expected.sums, test::contents(again)) << axis;
    EXPECT_EQ(expected.greatest, test::contents(greatest)) << axis;
  }
  const Kokkos::View<double, E> total("total"), most("most");
  const along_axis all(x, chosen, rows * columns, 1);
  quern::map(this->exec, outputs(out, reduced<op::sum>(total)), twice_and_itself(), m, vx);
  EXPECT_EQ(all.sums[0], test::value(total));
  Kokkos::deep_copy(total, -1.0);
  quern::map(this->exec, outputs(reduced<op::max>(most), reduced<op::sum>(total)), twice_and_itself(), m, vx);
  EXPECT_EQ(all.sums[0], test::value(total));
  EXPECT_EQ(all.greatest[0], test::value(most));
}

struct quotients {
  KOKKOS_FUNCTION auto operator()(int a, int b) const { return quern::values(a / b, a / b); }
};

// A division by zero ends a program on hosts.
TYPED_TEST(MaskedReductionsOn, CallTheFunctionForSelectedElementsAlone) {
  const auto b = this->row(std::vector<int>{0, 2, 0, -3}), out = this->row(std::vector<int>(4, 7));
  const auto alone = quern::map(this->exec, outputs(reduced<op::sum>(on_host), reduced<op::max>(on_host)), quotients(),
                                mask{b}, 12, b);
  EXPECT_EQ(2, std::get<0>(alone));
  EXPECT_EQ(6, std::get<1>(alone));
  EXPECT_EQ(6, quern::map(this->exec, outputs(out, reduced<op::max>(on_host)), quotients(), mask{b}, 12, b));
  EXPECT_EQ((std::vector<int>{7, 6, 7, -4}), test::contents(out));
}

TYPED_TEST(MaskedReductionsOn, InChunks) {
  using E = TypeParam;
  const auto x = test::behind<double>(std::array<std::int64_t, 2>{50, 3});
  const auto chosen = test::behind<int>(std::array<std::int64_t, 2>{50, 3}, 5);
  const auto out = test::make_array<double, 2, Kokkos::LayoutRight, E>({50, 3}, std::vector<double>(150, 99));
  double expected = 0;
  for (int i = 0; i < 150; ++i) expected += chosen.values[i] != 0 ? x.values[i] : 0;
  for (const std::int64_t rows : {1, 7, 100}) {
    EXPECT_EQ(expected, quern::map(this->exec, outputs(out, reduced<op::sum>(on_host)), twice_and_itself(),
                                   mask{chosen.source()}, test::memory_for(x, rows, 3), x.source()));
    const auto alone = quern::map(this->exec, outputs(reduced<op::max>(on_host), reduced<op::sum>(on_host)),
                                  twice_and_itself(), mask{chosen.source()}, test::memory_for(x, rows, 3), x.source());
    EXPECT_EQ(expected, std::get<1>(alone));
    for (const int axis : {0, 1}) {
      const along_axis by_axis(x.values, {chosen.values.begin(), chosen.values.end()}, 3, axis);
      const quern::axis along{axis};
      const auto sums = this->row(std::vector<double>(by_axis.sums.size())), again = quern::like(sums),
                 greatest = quern::like(sums);
      quern::map(this->exec, outputs(out, reduced<op::sum>(sums, along)), twice_and_itself(), mask{chosen.source()},
                 test::memory_for(x, rows, 3), x.source());
      quern::map(this->exec, outputs(reduced<op::max>(greatest, along), reduced<op::sum>(again, along)),
                 twice_and_itself(), mask{chosen.source()}, test::memory_for(x, rows, 3), x.source());
      EXPECT_EQ(by_axis.sums, test::contents(sums)) << axis;
      EXPECT_EQ(by_axis.sums, test::contents(again)) << axis;
      if (axis == 0) {  // of rows none may be selected
        EXPECT_EQ(by_axis.greatest, test::contents(greatest));
      }
    }
  }
  const auto written = test::contents(out);
  for (int i = 0; i < 150; ++i) EXPECT_EQ(chosen.values[i] != 0 ? 2 * x.values[i] : 99, written[i]);
}

TYPED_TEST(MaskedReductionsOn, RejectWhatDoesNotFit) {
  using E = TypeParam;
  const auto x = this->row(std::vector<double>(4, 1)), out = this->row(std::vector<double>(4, 5));
  const Kokkos::View<bool*, E> wrong("m", 3);
  const Kokkos::View<int, E> total("total");
  const auto rejects = [&](const std::string& message, const auto& outs, const auto& m) {
    test::expect_error(message, [&] { quern::map(this->exec, outs, twice_and_itself(), m, x); });
  };
  const std::string message = "quern::map: the mask has extents (3), which do not broadcast to (4)";
  rejects(message, outputs(out, reduced<op::sum>(on_host)), mask{wrong});
  rejects(message, outputs(reduced<op::max>(on_host), reduced<op::sum>(on_host)), mask{wrong});
  const std::string shared = "quern::map: a reduction's output and the mask share memory";
  rejects(shared, outputs(out, reduced<op::sum>(total)), mask{total});
  rejects(shared, outputs(reduced<op::max>(on_host), reduced<op::sum>(total)), mask{total});
  EXPECT_EQ(std::vector<double>(4, 5), test::contents(out));
}

}  // namespace
