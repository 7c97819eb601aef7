// SPDX-FileCopyrightText: the Quern authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Reductions of what a mask selects, against NumPy's with `where=` (tools/masks_reference.py).
#include <cmath>
#include <limits>
#include <quern/reduce.hpp>
#include <support/reference_archive.hpp>
#include <support/testing.hpp>

namespace {

using quern::axis, quern::mask;

const test::reference_archive numpy("reduce/data/masks.npz");

/// NumPy's results, those of truths and counts as the others.
std::vector<double> expected_of(const std::string& name) {
  const auto as_numbers = [&](const auto& v) { return std::vector<double>(v.begin(), v.end()); };
  if (numpy.holds<std::uint8_t>(name)) return as_numbers(numpy.values<std::uint8_t>(name));
  if (numpy.holds<std::int64_t>(name)) return as_numbers(numpy.values<std::int64_t>(name));
  return numpy.values(name);
}
struct above_nine {
  KOKKOS_FUNCTION bool operator()(double x) const { return x > 9; }
};
struct eighth {
  KOKKOS_FUNCTION double operator()(double x) const { return x / 8; }
};

template <class Exec>
struct MasksOfNumPy : testing::Test {
  Exec e;
  Kokkos::View<double***, Kokkos::LayoutLeft, Exec> x =
      test::make_array<double, 3, Kokkos::LayoutLeft, Exec>(numpy.extents_of_rank<3>("x"), numpy.values("x"));

  /// Sums of quarters are exact, and so are their means where division rounds alike; variances and products round a few
  /// times.
  static void expect(const std::vector<double>& expected, const std::vector<double>& found, double epsilons,
                     const std::string& what) {
    ASSERT_EQ(expected.size(), found.size()) << what;
    for (std::size_t i = 0; i < expected.size(); ++i) {
      if (std::isnan(expected[i])) EXPECT_TRUE(std::isnan(found[i])) << what << " at " << i;
      else
        EXPECT_NEAR(expected[i], found[i], epsilons * std::numeric_limits<double>::epsilon() * std::fabs(expected[i]))
            << what << " at " << i;
    }
  }

  /// Calls op(out, options...) for all elements and along each axis, with each mask of the archive.
  template <class Op>
  void compare(const std::string& name, double epsilons, const Op& op) const {
    for (const std::string which : {"full", "plane", "column", "none"}) {
      const auto values = numpy.values<std::uint8_t>("mask_" + which);
      std::array<std::int64_t, 3> n{1, 1, 1};  // the plane has no first axis
      const auto own = numpy.extents("mask_" + which);
      std::copy(own.begin(), own.end(), n.end() - static_cast<std::ptrdiff_t>(own.size()));
      const mask m{test::make_array<std::uint8_t, 3, Kokkos::LayoutRight, Exec>(n, values)};
      const Kokkos::View<double, Exec> one("one");
      op(one, m);
      expect(expected_of(name + "_" + which), std::vector<double>{test::value(one)}, epsilons, name + " " + which);
      for (int d = 0; d < 3; ++d) {
        const std::string result = name + "_" + which + "_" + std::to_string(d);
        const auto extents = numpy.extents_of_rank<2>(result);
        const auto out = test::make_array<double, 2, Kokkos::LayoutRight, Exec>(extents);
        op(out, m, axis{d});
        expect(expected_of(result), test::contents(out), epsilons, result);
      }
    }
  }
};
TYPED_TEST_SUITE(MasksOfNumPy, test::all_spaces);

TYPED_TEST(MasksOfNumPy, SumsAndMoments) {
  this->compare("sum", 0, [&](const auto& out, const auto&... o) { quern::sum(this->e, out, this->x, o...); });
  this->compare("mean", 1, [&](const auto& out, const auto&... o) { quern::mean(this->e, out, this->x, o...); });
  this->compare("var", 16,
                [&](const auto& out, const auto&... o) { quern::var(this->e, out, this->x, quern::ddof{1}, o...); });
  const auto scaled = quern::lazy(eighth(), this->x);
  this->compare("prod", 128, [&](const auto& out, const auto&... o) { quern::prod(this->e, out, scaled, o...); });
}

TYPED_TEST(MasksOfNumPy, ExtremaAndMedians) {
  this->compare("min", 0, [&](const auto& out, const auto&... o) { quern::min(this->e, out, this->x, o...); });
  this->compare("max", 0, [&](const auto& out, const auto&... o) { quern::max(this->e, out, this->x, o...); });
  this->compare("median", 0, [&](const auto& out, const auto&... o) { quern::median(this->e, out, this->x, o...); });
}

TYPED_TEST(MasksOfNumPy, TruthsAndCounts) {
  const auto high = quern::lazy(above_nine(), this->x);
  this->compare("any", 0, [&](const auto& out, const auto&... o) { quern::any(this->e, out, high, o...); });
  this->compare("all", 0, [&](const auto& out, const auto&... o) { quern::all(this->e, out, this->x, o...); });
  this->compare("count", 0, [&](const auto& out, const auto&... o) { quern::count(this->e, out, this->x, o...); });
}

}  // namespace
