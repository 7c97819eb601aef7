// SPDX-FileCopyrightText: the Quern authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Polynomials beside those of NumPy, and random parts of rows.
#include <algorithm>
#include <cmath>
#include <limits>
#include <quern/fits.hpp>
#include <support/reference_archive.hpp>
#include <support/testing.hpp>

namespace {

using quern::rcond, quern::weights;

const test::reference_archive numpy("fits/data/polyfit.npz");

template <class Case>
struct Polyfit : testing::Test {
  using T = typename Case::value;
  using E = typename Case::exec;
  const double eps = std::numeric_limits<T>::epsilon();

  template <int Rank>
  static auto array(const std::array<std::int64_t, Rank>& extents, const std::vector<double>& v = {}) {
    std::vector<T> values(v.begin(), v.end());
    std::int64_t size = 1;
    for (const std::int64_t e : extents) size *= e;
    values.resize(size);
    return test::make_array<T, Rank, typename Case::layout, E>(extents, values);
  }
  template <int Rank>
  static auto frozen(const std::string& name) {
    return array<Rank>(numpy.extents_of_rank<Rank>(name), numpy.values(name));
  }
  /// Coefficients that differ in size are compared by what they say at |x|.
  static void expect_near(const std::string& name, const std::vector<T>& found, double relative, double at = 1) {
    const auto expected = numpy.values(name);
    ASSERT_EQ(expected.size(), found.size());
    const auto extents = numpy.extents(name);
    const std::int64_t terms = extents[0], targets = extents.size() == 2 ? extents[1] : 1;
    for (std::int64_t j = 0; j < targets; ++j) {
      double largest = 0;
      const auto scale = [&](std::int64_t k) { return std::pow(at, static_cast<double>(terms - 1 - k)); };
      for (std::int64_t k = 0; k < terms; ++k)
        largest = std::max(largest, std::fabs(expected[k * targets + j]) * scale(k));
      for (std::int64_t k = 0; k < terms; ++k)
        EXPECT_NEAR(expected[k * targets + j] * scale(k), found[k * targets + j] * scale(k), relative * largest)
            << name << ' ' << k;
    }
  }
  template <int Rank>
  static void check(const std::string& name, double relative, double at = 1) {
    const auto x = frozen<1>(name + "/x"), w = frozen<1>(name + "/weights");
    const auto y = frozen<Rank>(name + "/y");
    const auto p = array<Rank>(numpy.extents_of_rank<Rank>(name + "/p"));
    const auto terms = static_cast<std::int64_t>(p.extent(0));
    EXPECT_EQ(terms, quern::polyfit(E(), p, x, y)) << name;
    expect_near(name + "/p", test::contents(p), relative, at);
    EXPECT_EQ(terms, quern::polyfit(p, x, y, weights{w})) << name;
    expect_near(name + "/weighted", test::contents(p), relative, at);
  }
};
using cases = test::covering<double, float, double>;
TYPED_TEST_SUITE(Polyfit, cases);

TYPED_TEST(Polyfit, IsNumPys) {
  for (const char* name : {"line", "cubic", "constant", "one"}) this->template check<1>(name, 50 * this->eps);
  this->template check<2>("several", 200 * this->eps);
  this->template check<1>("exact", 5000 * this->eps);
  this->template check<1>("far", 10 * 943 * this->eps, 20);  // the condition of the columns when their lengths are 1
  this->template check<1>("large", 50 * this->eps, 1e9);
}

TYPED_TEST(Polyfit, FindsTheRank) {
  using E = typename TestFixture::E;
  const auto p = this->template array<1>({3});
  EXPECT_EQ(numpy.value<std::int64_t>("two/rank"),
            quern::polyfit(E(), p, this->template frozen<1>("two/x"), this->template frozen<1>("two/y")));
  this->expect_near("two/p", test::contents(p), 100 * this->eps);
  const auto cut = this->template array<1>({7});
  EXPECT_EQ(numpy.value<std::int64_t>("cut/rank"),
            quern::polyfit(cut, this->template frozen<1>("cut/x"), this->template frozen<1>("cut/y"), rcond{1e-3}));
  this->expect_near("cut/p", test::contents(cut), 5000 * this->eps);
}

template <class Exec>
struct FitsOn : testing::Test {
  template <class T>
  static auto row(const std::vector<T>& v) {
    return test::make_array<T, 1, Kokkos::LayoutRight, Exec>({static_cast<std::int64_t>(v.size())}, v);
  }
};
TYPED_TEST_SUITE(FitsOn, test::all_spaces);

TYPED_TEST(FitsOn, PolynomialsOfNaN) {
  const double nan = std::numeric_limits<double>::quiet_NaN();
  const auto p = this->template row<double>({0, 0});
  EXPECT_EQ(-1, quern::polyfit(p, this->template row<double>({1, nan, 3}), this->template row<double>({1, 2, 3})));
  for (const double v : test::contents(p)) EXPECT_NE(v, v);
  EXPECT_EQ(2, quern::polyfit(p, this->template row<double>({1, 2, 3}), this->template row<double>({1, nan, 3})));
  for (const double v : test::contents(p)) EXPECT_NE(v, v);
  const auto parabola = this->template row<double>({0, 0, 0});
  EXPECT_EQ(-1, quern::polyfit(parabola, this->template row<double>({1, 1e160, 3, 4}),
                               this->template row<double>({1, 2, 3, 4})));
  EXPECT_EQ(2, quern::polyfit(p, this->template row<double>({1e200, 3e200}), this->template row<double>({1, 2})));
  EXPECT_NEAR(0.5, test::contents(p)[0] * 1e200, 1e-15);
  EXPECT_NEAR(0.5, test::contents(p)[1], 1e-15);
}

TYPED_TEST(FitsOn, PolynomialsThatDoNotFit) {
  const auto x = this->template row<double>({1, 2, 3}), p = this->template row<double>({7, 7, 7, 7});
  test::expect_error("quern::polyfit: x has 3 points, expected at least 4", [&] { quern::polyfit(p, x, x); });
  test::expect_error("quern::polyfit: y has extents (4), which do not fit x with extents (3)",
                     [&] { quern::polyfit(this->template row<double>({1}), x, p); });
  const auto two = Kokkos::subview(x, std::pair(1, 3));
  test::expect_error("quern::polyfit: p and x share memory", [&] { quern::polyfit(two, x, x); });
  test::expect_error("quern::polyfit: p has extents (0), expected (1)",
                     [&] { quern::polyfit(Kokkos::subview(p, std::pair(0, 0)), x, x); });
  EXPECT_EQ((std::vector<double>{7, 7, 7, 7}), test::contents(p));
}

TYPED_TEST(FitsOn, PartsOfAPermutation) {
  using E = TypeParam;
  for (const auto& [trained, tested] : {std::pair<int, int>{75, 25}, {0, 3}, {1, 0}, {1000, 1}, {0, 0}}) {
    const Kokkos::View<int*, E> train("train", trained), all("all", trained + tested);
    const Kokkos::View<std::int64_t*, E> part("test", tested);
    quern::train_test_split(E(), train, part, quern::random::key(5));
    quern::random::permutation(all, quern::random::key(5));
    const auto first = test::contents(part);
    std::vector<int> joined(first.begin(), first.end());
    const auto rest = test::contents(train);
    joined.insert(joined.end(), rest.begin(), rest.end());
    EXPECT_EQ(test::contents(all), joined);
    std::sort(joined.begin(), joined.end());
    for (int i = 0; i < trained + tested; ++i) EXPECT_EQ(i, joined[i]);
  }
  const Kokkos::View<std::int8_t*, E> small("small", 100), other("other", 29);
  test::expect_error("quern::train_test_split: positions to before 129 do not fit the type of train, of 8 bits",
                     [&] { quern::train_test_split(small, other, quern::random::key(5)); });
  const Kokkos::View<int*, E> whole("whole", 10);
  test::expect_error("quern::train_test_split: train and test share memory", [&] {
    quern::train_test_split(Kokkos::subview(whole, std::pair(0, 6)), Kokkos::subview(whole, std::pair(5, 10)),
                            quern::random::key(5));
  });
}

}  // namespace
