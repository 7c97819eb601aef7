// SPDX-FileCopyrightText: the Quern authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Vector and Kronecker products and polynomials, against NumPy's.

#include <limits>
#include <quern/map.hpp>
#include <support/reference_archive.hpp>
#include <support/testing.hpp>

namespace {

const test::reference_archive numpy("map/data/making.npz");

/// Sums of a few products of numbers up to `scale`, which compilers may contract.
void expect_products(const std::vector<double>& expected, const std::vector<double>& found, double scale) {
  ASSERT_EQ(expected.size(), found.size());
  for (std::size_t i = 0; i < expected.size(); ++i)
    EXPECT_NEAR(expected[i], found[i], 2 * std::numeric_limits<double>::epsilon() * scale) << i;
}

template <class Case>
struct Products : testing::Test {
  using L = typename Case::layout;
  using E = typename Case::exec;
  template <int Rank, class T = double>
  static auto array(const std::string& name) {
    return test::make_array<T, Rank, L, E>(numpy.extents_of_rank<Rank>(name), numpy.values<T>(name));
  }
};
using product_cases = test::covering<double>;
TYPED_TEST_SUITE(Products, product_cases);

TYPED_TEST(Products, OfVectorsAreNumPys) {
  const typename TypeParam::exec exec;
  const auto u = this->template array<3>("u"), out = this->template array<3>("u");
  const auto v = this->template array<2>("v");
  quern::cross(exec, out, u, v);
  expect_products(numpy.values("cross"), test::contents(out), 20);
  quern::cross(out, quern::rows<3>(u), Kokkos::Array<double, 3>{1, -2, 0.5});
  expect_products(numpy.values("cross_one"), test::contents(out), 20);
  const auto w = this->template array<2, std::int32_t>("whole_u");
  quern::cross(exec, w, w, this->template array<2, std::int32_t>("whole_v"));  // in place
  const auto integers = numpy.values<std::int32_t>("cross_integers");
  EXPECT_EQ(integers, test::contents(w));
}

TYPED_TEST(Products, OfKroneckerAreNumPys) {
  const typename TypeParam::exec exec;
  const auto a = this->template array<2>("a"), b = this->template array<2>("b"), out = this->template array<2>("kron");
  quern::kron(exec, out, a, b);
  EXPECT_EQ(numpy.values("kron"), test::contents(out));
  const auto line = this->template array<1>("line");
  const auto wide = this->template array<2>("kron_line");
  quern::kron(wide, a, line);
  EXPECT_EQ(numpy.values("kron_line"), test::contents(wide));
  const auto lines = this->template array<1>("kron_lines");
  quern::kron(exec, lines, line, quern::flip(quern::flip(line)));
  EXPECT_EQ(numpy.values("kron_lines"), test::contents(lines));
}

TYPED_TEST(Products, OfPolynomialsAreNumPys) {
  const typename TypeParam::exec exec;
  const auto c = this->template array<1>("coefficients");
  const auto x = this->template array<2>("table"), out = this->template array<2>("table");
  quern::polyval(exec, out, c, x);
  expect_products(numpy.values("polyval"), test::contents(out), 200);
  quern::polyval(out, test::make_array<double, 1, Kokkos::LayoutRight, typename TypeParam::exec>({0}), x);
  EXPECT_EQ(std::vector<double>(54, 0.0), test::contents(out));
}

template <class Exec>
struct ProductsOn : testing::Test {
  template <class T>
  static auto row(const std::vector<T>& v) {
    return test::make_array<T, 1, Kokkos::LayoutRight, Exec>({static_cast<std::int64_t>(v.size())}, v);
  }
};
TYPED_TEST_SUITE(ProductsOn, test::all_spaces);

TYPED_TEST(ProductsOn, OfPolynomialsOfIntegersAndComplexNumbers) {
  const TypeParam exec;
  const auto out = this->row(std::vector<std::int64_t>(7));
  quern::polyval(exec, out, this->row(std::vector<std::int64_t>{1, 0, -2}),
                 this->row(std::vector<std::int64_t>{-3, -2, -1, 0, 1, 2, 3}));
  EXPECT_EQ(numpy.values<std::int64_t>("polyval_integers"), test::contents(out));
  using complex = Kokkos::complex<double>;
  const auto table = numpy.values("table");
  std::vector<complex> x;
  for (int i = 0; i < 9; ++i) x.emplace_back(table[i], table[9 + i]);
  const auto of_complex = this->row(std::vector<complex>(9));
  quern::polyval(exec, of_complex, this->row(numpy.values("coefficients")), this->row(x));
  const auto expected = numpy.values<complex>("polyval_complex"), found = test::contents(of_complex);
  for (int i = 0; i < 9; ++i) EXPECT_NEAR(0, Kokkos::abs(expected[i] - found[i]), 1e-13) << i;
}

// Modulo 2 to the number of bits, as NumPy's; 65535 * 65535 does not fit int.
TYPED_TEST(ProductsOn, OfIntegersWrapAround) {
  const TypeParam exec;
  constexpr int large = std::numeric_limits<int>::max();
  const auto product = this->row(std::vector<int>(3));
  quern::cross(exec, product, this->row(std::vector<int>{large, large, 1}), this->row(std::vector<int>{2, large, -2}));
  EXPECT_EQ((std::vector<int>{-large + 2, 0, 3}), test::contents(product));
  const auto four = this->row(std::vector<int>(4));
  quern::kron(exec, four, this->row(std::vector<int>{large, -large - 1}), this->row(std::vector<int>{2, -1}));
  EXPECT_EQ((std::vector<int>{-2, -large, 0, -large - 1}), test::contents(four));
  const auto values = this->row(std::vector<int>(2));
  quern::polyval(exec, values, this->row(std::vector<int>{1, 0, large}), this->row(std::vector<int>{1 << 16, large}));
  EXPECT_EQ((std::vector<int>{large, -large - 1}), test::contents(values));
  const auto narrow = this->row(std::vector<std::uint16_t>(1)), most = this->row(std::vector<std::uint16_t>{65535});
  quern::polyval(exec, narrow, this->row(std::vector<std::uint16_t>{1, 0, 3}), most);
  EXPECT_EQ(std::vector<std::uint16_t>{4}, test::contents(narrow));
}

TYPED_TEST(ProductsOn, OfNothingAreNothingAndWhatDoesNotFitIsRejected) {
  const TypeParam exec;
  const auto none = this->row(std::vector<double>()), x = this->row(std::vector<double>{1, 2});
  quern::kron(exec, none, none, x);
  quern::polyval(exec, none, x, none);
  test::expect_error("quern::kron: out has extents (2), expected (4)", [&] { quern::kron(exec, x, x, x); });
  const auto four = this->row(std::vector<double>(4));
  test::expect_error("quern::kron: out and in 2 share memory and are not the same View",
                     [&] { quern::kron(exec, four, x, Kokkos::subview(four, std::pair(1, 3))); });
  test::expect_error("quern::polyval: out and coefficients share memory", [&] { quern::polyval(exec, x, x, 1.0); });
  const Kokkos::View<double**, TypeParam> pairs("pairs", 2, 2);
  EXPECT_THROW(quern::cross(exec, pairs, pairs, pairs), quern::Error);
}

}  // namespace
