// SPDX-FileCopyrightText: the Quern authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <cmath>
#include <limits>
#include <quern/map.hpp>
#include <quern/stencil.hpp>
#include <support/reference_archive.hpp>
#include <support/testing.hpp>

namespace {

using quern::boundary;
using quern::components;
using quern::spline_order;

const test::reference_archive scipy("stencil/data/map_coordinates.npz");
const double nan = std::numeric_limits<double>::quiet_NaN(), inf = std::numeric_limits<double>::infinity();

/// The name of each boundary in the archive. Where SciPy takes a constant for all beyond the outermost elements,
/// results are kept that have been filled with it.
const std::vector<std::pair<std::string, boundary>> modes{
    {"constant", boundary::keep},   {"grid-constant", boundary::constant(7)},
    {"nearest", boundary::nearest}, {"reflect", boundary::reflect},
    {"mirror", boundary::mirror},   {"grid-wrap", boundary::wrap}};

void expect(const std::vector<double>& expected, const std::vector<double>& found, double error,
            const std::string& what) {
  ASSERT_EQ(expected.size(), found.size()) << what;
  for (std::size_t i = 0; i < expected.size(); ++i) EXPECT_NEAR(expected[i], found[i], error) << what << " at " << i;
}

template <class Case>
struct MapCoordinates : testing::Test {
  using T = typename Case::value;
  using E = typename Case::exec;
  /// The arrays are of values up to 40; coordinates, whose errors these multiply, are of double.
  static constexpr double error = 40 * 16 * std::numeric_limits<double>::epsilon();

  template <int Rank>
  static void expect_scipy(const std::string& name) {
    const auto extents = scipy.extents(name);
    std::array<std::int64_t, Rank> of_array;
    std::copy_n(extents.begin(), Rank, of_array.begin());
    std::vector<T> values;
    for (const double v : scipy.values(name)) values.push_back(static_cast<T>(v));
    const auto x = test::make_array<T, Rank, typename Case::layout, E>(of_array, values);
    const std::int64_t n = scipy.extents(name + "_where")[1];
    const auto where = test::make_array<double, 2, typename Case::layout, E>({Rank, n}, scipy.values(name + "_where"));
    const auto out = test::make_array<double, 1, typename Case::layout, E>({n});
    for (const auto& [mode, edge] : modes)
      for (const int order : {0, 1}) {
        const std::string result = name + "_" + mode + "_" + std::to_string(order);
        quern::fill(E(), out, 7);
        quern::map_coordinates(E(), out, x, where, edge, spline_order{order});
        expect(scipy.values(result), test::contents(out), error, result);
      }
  }
};
using cases = test::covering<double, float, std::int8_t>;
TYPED_TEST_SUITE(MapCoordinates, cases);

TYPED_TEST(MapCoordinates, IsSciPysOfAnyRank) {
  for (const std::string name : {"line", "single", "pair"}) this->template expect_scipy<1>(name);
  for (const std::string name : {"matrix", "column"}) this->template expect_scipy<2>(name);
  this->template expect_scipy<3>("block");
}

template <class Exec>
struct MapCoordinatesOn : testing::Test {
  template <class T>
  static auto row(const std::vector<T>& v) {
    return test::make_array<T, 1, Kokkos::LayoutRight, Exec>({static_cast<std::int64_t>(v.size())}, v);
  }
  /// The values of a line at coordinates; 99 where they are kept.
  static std::vector<double> of(const std::vector<double>& line, const std::vector<double>& at, const boundary& edge,
                                int order = 1) {
    const auto out = row(std::vector<double>(at.size(), 99));
    quern::map_coordinates(Exec(), out, row(line), components(row(at)), edge, spline_order{order});
    return test::contents(out);
  }
};
TYPED_TEST_SUITE(MapCoordinatesOn, test::all_spaces);

TYPED_TEST(MapCoordinatesOn, OddCoordinates) {
  const auto line = scipy.values("line"), at = scipy.values("odd_where");
  auto constant = scipy.values("odd_constant");
  EXPECT_EQ(constant, this->of(line, at, boundary::constant(7)));
  std::replace(constant.begin(), constant.end(), 7.0, 99.0);
  EXPECT_EQ(constant, this->of(line, at, boundary::keep));
  auto nearest = this->of(line, at, boundary::nearest);
  EXPECT_NE(nearest[0], nearest[0]);
  nearest.erase(nearest.begin());
  EXPECT_EQ((std::vector<double>{line.back(), line[0], line.back(), line[0], line[2]}), nearest);
  for (const boundary& edge : {boundary::reflect, boundary::mirror, boundary::wrap})
    for (const int order : {0, 1}) {
      const auto found = this->of(line, at, edge, order);
      for (const int i : {0, 1, 2}) EXPECT_NE(found[i], found[i]) << i;
      for (const int i : {3, 4}) EXPECT_NE(line.end(), std::find(line.begin(), line.end(), found[i])) << i;
      EXPECT_EQ(line[2], found[5]);
    }
}

TYPED_TEST(MapCoordinatesOn, FarOutsideIsExact) {  // of lines that repeat after 3, 6 and 4 elements
  const double far = 0x1p52;                       // 1 more than a multiple of 3, 4 more than one of 6, a multiple of 4
  EXPECT_EQ((std::vector<double>{20, 30, 20}), this->of({10, 20, 30}, {far, far + 1, 1 - 3 * 0x1p50}, boundary::wrap));
  EXPECT_EQ((std::vector<double>{20, 10}), this->of({10, 20, 30}, {far, far + 1}, boundary::reflect));
  EXPECT_EQ((std::vector<double>{10, 20, 20}), this->of({10, 20, 30}, {far, far + 1, -far - 1}, boundary::mirror));
}

TYPED_TEST(MapCoordinatesOn, ElementsWithoutWeightHaveNoEffect) {
  EXPECT_EQ((std::vector<double>{1, 3}), this->of({1, nan, 3, inf}, {0, 2}, boundary::nearest));
  const auto found = this->of({1, nan, 3, inf}, {0.5, 2.5}, boundary::nearest);
  EXPECT_NE(found[0], found[0]);
  EXPECT_EQ(inf, found[1]);
}

TYPED_TEST(MapCoordinatesOn, IntegersAreRoundedAsSciPys) {
  const auto at = this->row(scipy.values("rounded_where"));
  const auto run = [&]<class T>(T, const std::string& name) {
    std::vector<T> x;
    for (const int v : {-3, 2, 7, -8, 1, 200, 100, 3}) x.push_back(static_cast<T>(v));
    const auto out = this->row(std::vector<T>(at.extent(0)));
    quern::map_coordinates(TypeParam(), out, this->row(x), components(at), boundary::mirror);
    EXPECT_EQ(scipy.values<T>(name), test::contents(out));
  };
  run(std::int16_t(), "rounded_int16");
  run(std::uint8_t(), "rounded_uint8");
  const auto bytes = this->row(std::vector<std::int8_t>(3));
  quern::map_coordinates(bytes, this->row(std::vector<double>{1e9, -1e9}),
                         components(this->row(std::vector<double>{0, 1, nan})), boundary::nearest);
  EXPECT_EQ((std::vector<std::int8_t>{127, -128, 0}), test::contents(bytes));
}

struct halved {
  template <class P>
  KOKKOS_FUNCTION double operator()(const P& at) const {
    return 0.5 * static_cast<double>(at[1]);
  }
};

TYPED_TEST(MapCoordinatesOn, CoordinatesBroadcastAndMayBeLazy) {
  using complex = Kokkos::complex<float>;
  const auto x = test::make_array<complex, 2, Kokkos::LayoutLeft, TypeParam>({2, 2}, {{0, 1}, {2, 3}, {4, 5}, {6, 7}});
  const auto out = test::make_array<complex, 2, Kokkos::LayoutRight, TypeParam>({2, 3});
  const auto down = test::make_array<int, 2, Kokkos::LayoutRight, TypeParam>({2, 1}, {1, 0});
  quern::map_coordinates(TypeParam(), out, x, components(down, quern::lazy(halved(), quern::positions())),
                         boundary::nearest);
  EXPECT_EQ((std::vector<complex>{{4, 5}, {5, 6}, {6, 7}, {0, 1}, {1, 2}, {2, 3}}), test::contents(out));
  const quern::boundaries edges{quern::boundary_pair{boundary::constant(8), boundary::keep},
                                quern::boundary_pair{boundary::constant(4), boundary::nearest}};
  const auto at = test::make_array<double, 2, Kokkos::LayoutRight, TypeParam>({2, 4}, {-1, -1, 1.5, -0.5, 0, -1, 0, 5});
  const auto line = this->row(std::vector<complex>(4, {9, 9}));
  quern::map_coordinates(TypeParam(), line, x, at, edges);  // the constant of the last axis wins
  EXPECT_EQ((std::vector<complex>{{8, 0}, {4, 0}, {9, 9}, {5, 1.5F}}), test::contents(line));
}

TYPED_TEST(MapCoordinatesOn, RejectsWhatDoesNotFit) {
  const TypeParam exec;
  const auto x = this->row(std::vector<double>{1, 2, 3}), out = this->row(std::vector<double>{5, 5, 5}),
             none = this->row(std::vector<double>());
  const auto at = test::make_array<double, 2, Kokkos::LayoutRight, TypeParam>({2, 3}, std::vector<double>(6));
  test::expect_error("quern::map_coordinates: the coordinates has extents (2, 3), expected (1, 3)",
                     [&] { quern::map_coordinates(exec, out, x, at, boundary::wrap); });
  test::expect_error("quern::map_coordinates: a spline of order 3, expected 0 or 1",
                     [&] { quern::map_coordinates(exec, out, x, components(x), boundary::wrap, spline_order{3}); });
  test::expect_error("quern::map_coordinates: boundaries that are not those of an array of rank 1", [&] {
    quern::map_coordinates(exec, out, x, components(x), quern::boundaries{boundary::wrap, boundary::wrap});
  });
  EXPECT_THROW(quern::map_coordinates(exec, out, x, components(x), boundary::odd_reflect), quern::Error);
  EXPECT_THROW(quern::map_coordinates(exec, out, x, components(x), quern::interior_only{{0, 2}}), quern::Error);
  EXPECT_THROW(quern::map_coordinates(exec, out, none, components(x), boundary::wrap), quern::Error);
  EXPECT_THROW(quern::map_coordinates(exec, x, x, components(out), boundary::wrap), quern::Error);
  EXPECT_EQ(std::vector<double>(3, 5), test::contents(out));
  quern::map_coordinates(exec, none, none, components(none), boundary::wrap);
  quern::map_coordinates(exec, out, x, components(out), boundary::nearest);  // in place of the coordinates
  EXPECT_EQ(std::vector<double>(3, 3), test::contents(out));
}

}  // namespace
