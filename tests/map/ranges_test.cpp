// SPDX-FileCopyrightText: the Quern authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <quern/map.hpp>
#include <support/reference_archive.hpp>
#include <support/testing.hpp>

namespace {

const test::reference_archive numpy("map/data/functions.npz");

template <class Case>
struct Ranges : testing::Test {
  using E = typename Case::exec;
  template <class T>
  static auto line(std::int64_t n) {
    return test::make_array<T, 1, typename Case::layout, E>({n});
  }
  /// Writes a range as long as NumPy's of that name, and compares both to rounding in T.
  template <class T, class Write>
  static void expect(const std::string& name, const Write& write) {
    const auto expected = numpy.values<T>(name);
    const auto out = line<T>(static_cast<std::int64_t>(expected.size()));
    write(out);
    const auto found = test::contents(out);
    double largest = 0;
    if constexpr (!std::is_integral_v<T>)
      for (const T& x : expected) largest = std::max(largest, static_cast<double>(Kokkos::abs(x)));
    for (std::size_t i = 0; i < expected.size(); ++i) {
      if constexpr (std::is_integral_v<T>) EXPECT_EQ(expected[i], found[i]) << name << " at " << i;
      else EXPECT_LE(Kokkos::abs(expected[i] - found[i]), 2 * test::eps<T>() * largest) << name << " at " << i;
    }
  }
  static void expect_ends(const std::string& name, double first, double last, const std::vector<double>& found) {
    EXPECT_EQ(first, found.front()) << name;
    EXPECT_EQ(last, found.back()) << name;
  }
};
using cases = test::covering<double>;
TYPED_TEST_SUITE(Ranges, cases);

TYPED_TEST(Ranges, OfStepsHaveNumPysLengthsAndValues) {
  const typename TypeParam::exec exec;
  this->template expect<std::int64_t>("arange_to_7", [&](const auto& out) { quern::arange(exec, out, 7); });
  this->template expect<std::int32_t>("arange_from_2_to_7", [&](const auto& out) { quern::arange(out, 2, 7); });
  this->template expect<std::int8_t>("arange_down", [&](const auto& out) { quern::arange(exec, out, 5, -6, -3); });
  this->template expect<double>("arange_none", [&](const auto& out) { quern::arange(exec, out, 3, 3); });
  this->template expect<double>("arange_backwards", [&](const auto& out) { quern::arange(out, 3, 9, -1); });
  this->template expect<double>("arange_tenths", [&](const auto& out) { quern::arange(exec, out, 0, 1, 0.1); });
  this->template expect<double>("arange_one_more", [&](const auto& out) { quern::arange(exec, out, 1, 1.3, 0.1); });
  this->template expect<float>("arange_floats", [&](const auto& out) { quern::arange(exec, out, -1.5, 2.2, 0.3); });
  this->template expect<std::int64_t>("arange_truncated",
                                      [&](const auto& out) { quern::arange(exec, out, 0.5, 5, 1.5); });
  constexpr std::int64_t large = std::int64_t{1} << 62;
  this->template expect<std::int64_t>("arange_large",
                                      [&](const auto& out) { quern::arange(exec, out, large, large + 9, 4); });
  constexpr std::uint64_t high = std::uint64_t{1} << 63;
  this->template expect<std::uint64_t>("arange_unsigned",
                                       [&](const auto& out) { quern::arange(exec, out, high, high + 7, 3); });
}

// The whole range of a type has a length, though stop - start has none in it.
TYPED_TEST(Ranges, OfIntegersReachTheirLimits) {
  const typename TypeParam::exec exec;
  constexpr auto low = std::numeric_limits<std::int64_t>::min(), high = std::numeric_limits<std::int64_t>::max();
  const auto out = this->template line<std::int64_t>(4);
  quern::arange(exec, out, low, high, std::int64_t{1} << 62);
  EXPECT_EQ((std::vector<std::int64_t>{low, low / 2, 0, -(low / 2)}), test::contents(out));
  quern::arange(exec, out, high, low, -(std::int64_t{1} << 62));
  EXPECT_EQ((std::vector<std::int64_t>{high, high + low / 2, high + low, high + low + low / 2}), test::contents(out));
}

TYPED_TEST(Ranges, OfBoolsAndOfQuotientsThatUnderflowAreNumPys) {
  using E = typename TypeParam::exec;
  const Kokkos::View<bool*, E> three("three", 3);
  quern::linspace(three, 0, 1);
  EXPECT_EQ((std::vector<bool>{false, true, true}), test::contents(three));
  const Kokkos::View<double*, E> one("one", 1);
  quern::fill(one, 7);
  quern::arange(one, 0.0, 1.0, HUGE_VAL);
  EXPECT_EQ(std::vector<double>{0}, test::contents(one));
}

TYPED_TEST(Ranges, OfALengthHaveNumPysValues) {
  const typename TypeParam::exec exec;
  using quern::without_endpoint;
  const auto line = [&](const std::string& name, double start, double stop, const auto&... options) {
    this->template expect<double>(name, [&](const auto& out) { quern::linspace(exec, out, start, stop, options...); });
  };
  line("linspace_eleven", -1, 2.3);
  line("linspace_open", -1, 2.3, without_endpoint);
  line("linspace_one", 3, 9);
  line("linspace_one_open", 3, 9, without_endpoint);
  line("linspace_none", 3, 9);
  line("linspace_down", 5, -5);
  line("linspace_equal", 4, 4);
  line("linspace_third", 0, 1.0 / 3);
  line("linspace_tiny", 0, 5e-324);
  this->template expect<std::int64_t>("linspace_integers", [&](const auto& out) { quern::linspace(out, -3, 4); });
  this->template expect<float>("linspace_floats", [&](const auto& out) { quern::linspace(exec, out, -1, 2.3); });
  using complex = Kokkos::complex<double>;
  this->template expect<complex>("linspace_complex",
                                 [&](const auto& out) { quern::linspace(exec, out, complex(1, 2), complex(0, -3)); });
}

TYPED_TEST(Ranges, OfPowersHaveNumPysValues) {
  const typename TypeParam::exec exec;
  this->template expect<double>("logspace", [&](const auto& out) { quern::logspace(exec, out, -2, 3); });
  this->template expect<double>("logspace_2_open", [&](const auto& out) {
    quern::logspace(out, 0, 5, quern::without_endpoint, quern::log_base{2});
  });
  const auto geometric = [&](const std::string& name, double start, double stop, const auto&... options) {
    this->template expect<double>(name, [&](const auto& out) { quern::geomspace(exec, out, start, stop, options...); });
  };
  geometric("geomspace", 1e-3, 250);
  geometric("geomspace_negative", -7, -0.5);
  geometric("geomspace_open", 1, 1000, quern::without_endpoint);
}

// Both ends are as they are given, whatever steps between them round to.
TYPED_TEST(Ranges, HaveExactEnds) {
  const typename TypeParam::exec exec;
  for (const std::int64_t n : {2, 3, 7, 49, 1000, 1025}) {
    const auto out = this->template line<double>(n);
    quern::linspace(exec, out, 0.1, 0.7);
    this->expect_ends("linspace", 0.1, 0.7, test::contents(out));
    quern::geomspace(exec, out, 0.1, 0.7);
    this->expect_ends("geomspace", 0.1, 0.7, test::contents(out));
  }
}

TYPED_TEST(Ranges, RejectWhatHasNoRange) {
  const auto out = this->template line<double>(3);
  test::expect_error("quern::arange: step is 0", [&] { quern::arange(out, 0, 3, 0); });
  test::expect_error("quern::arange: out has extents (3), expected (4) for start, stop and step",
                     [&] { quern::arange(out, 4); });
  test::expect_error("quern::arange: start, stop and step give no length that an array can have",
                     [&] { quern::arange(out, 0, HUGE_VAL); });
  using limits = std::numeric_limits<std::int64_t>;
  test::expect_error("quern::arange: start, stop and step give no length that an array can have",
                     [&] { quern::arange(out, limits::min(), limits::max(), 1); });
  test::expect_error("quern::geomspace: start -1 and stop 2 must be finite, of one sign, and not 0",
                     [&] { quern::geomspace(out, -1, 2); });
  test::expect_error("quern::geomspace: start 0 and stop 2 must be finite, of one sign, and not 0",
                     [&] { quern::geomspace(out, 0, 2); });
}

}  // namespace
