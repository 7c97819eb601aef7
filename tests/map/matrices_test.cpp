// SPDX-FileCopyrightText: the Quern authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <quern/map.hpp>
#include <support/reference_archive.hpp>
#include <support/testing.hpp>

namespace {

const test::reference_archive numpy("map/data/functions.npz");

using quern::diagonal_offset;

struct negated {
  KOKKOS_FUNCTION double operator()(double x) const { return -x; }
};

template <class Case>
struct Matrices : testing::Test {
  using E = typename Case::exec;
  template <int Rank, class T = double>
  static auto array(const std::array<std::int64_t, Rank>& n) {
    return test::make_array<T, Rank, typename Case::layout, E>(n);
  }
  static auto batch() {
    return test::make_array<double, 3, typename Case::layout, E>({2, 5, 4}, numpy.values("batch"));
  }
};
using cases = test::covering<double>;
TYPED_TEST_SUITE(Matrices, cases);

TYPED_TEST(Matrices, IdentitiesAreNumPys) {
  const typename TypeParam::exec exec;
  const auto out = this->template array<2>({4, 6});
  for (const int k : {-2, 0, 3}) {
    quern::eye(exec, out, diagonal_offset{k});
    EXPECT_EQ(numpy.values("eye_" + std::to_string(k)), test::contents(out)) << k;
  }
  quern::eye(out);
  EXPECT_EQ(numpy.values("eye_0"), test::contents(out));
  const auto flags = this->template array<3, bool>({2, 1, 2});
  quern::eye(exec, flags, diagonal_offset{1});
  EXPECT_EQ((std::vector<bool>{false, true, false, true}), test::contents(flags));
}

TYPED_TEST(Matrices, TrianglesAreNumPys) {
  const typename TypeParam::exec exec;
  const auto x = this->batch(), out = this->template array<3>({2, 5, 4});
  for (const int k : {-1, 0, 2}) {
    quern::tril(exec, out, x, diagonal_offset{k});
    EXPECT_EQ(numpy.values("tril_" + std::to_string(k)), test::contents(out)) << k;
    quern::triu(exec, out, x, diagonal_offset{k});
    EXPECT_EQ(numpy.values("triu_" + std::to_string(k)), test::contents(out)) << k;
  }
  quern::triu(out, quern::lazy(negated(), quern::lazy(negated(), x)));
  EXPECT_EQ(numpy.values("triu_0"), test::contents(out));
  quern::tril(x, x);
  EXPECT_EQ(numpy.values("tril_0"), test::contents(x));
  quern::tril(exec, x, x, diagonal_offset{std::numeric_limits<std::int64_t>::min()});
  EXPECT_EQ(std::vector<double>(40, 0.0), test::contents(x));
}

TYPED_TEST(Matrices, GridsAreNumPys) {
  using E = typename TypeParam::exec;
  using L = typename TypeParam::layout;
  const E exec{};
  const auto x = test::make_array<double, 1, L, E>({3}, {1, 2, 3});
  const auto y = test::make_array<double, 1, L, E>({2}, {10, 20});
  const auto z = test::make_array<double, 1, L, E>({4}, {5, 6, 7, 8});
  for (const std::string order : {"xy", "ij"}) {
    const bool ij = order == "ij";
    const auto kind = ij ? quern::indexing::ij : quern::indexing::xy;
    const std::array<std::int64_t, 3> n =
        ij ? std::array<std::int64_t, 3>{3, 2, 4} : std::array<std::int64_t, 3>{2, 3, 4};
    const auto a = this->template array<3>(n), b = this->template array<3>(n), c = this->template array<3>(n);
    quern::meshgrid(exec, quern::outputs(a, b, c), quern::components(x, y, z), kind);
    EXPECT_EQ(numpy.values("grid_" + order + "_0"), test::contents(a)) << order;
    EXPECT_EQ(numpy.values("grid_" + order + "_1"), test::contents(b)) << order;
    EXPECT_EQ(numpy.values("grid_" + order + "_2"), test::contents(c)) << order;
    const auto u = this->template array<2>({n[0], n[1]}), v = this->template array<2>({n[0], n[1]});
    quern::meshgrid(quern::outputs(u, v), quern::components(x, y), kind);
    EXPECT_EQ(numpy.values("grid_" + order + "_of_two_0"), test::contents(u)) << order;
    EXPECT_EQ(numpy.values("grid_" + order + "_of_two_1"), test::contents(v)) << order;
  }
}

struct halved {
  KOKKOS_FUNCTION double operator()(double x) const { return x / 2; }
};

TYPED_TEST(Matrices, GridsReadReindexedAndLazyArrays) {
  using E = typename TypeParam::exec;
  const auto x = test::make_array<double, 1, typename TypeParam::layout, E>({3}, {1, 2, 3});
  const auto u = this->template array<2>({3, 3}), v = this->template array<2>({3, 3});
  quern::meshgrid(E(), quern::outputs(u, v), quern::components(quern::roll(x, 1), quern::lazy(halved(), x)));
  EXPECT_EQ((std::vector<double>{3, 1, 2, 3, 1, 2, 3, 1, 2}), test::contents(u));
  EXPECT_EQ((std::vector<double>{0.5, 0.5, 0.5, 1, 1, 1, 1.5, 1.5, 1.5}), test::contents(v));
}

TYPED_TEST(Matrices, GridsRejectOtherExtents) {
  using E = typename TypeParam::exec;
  const auto x = test::make_array<double, 1, Kokkos::LayoutRight, E>({3}, {1, 2, 3});
  const auto one = test::make_array<double, 1, Kokkos::LayoutRight, E>({1}, {1});
  const auto u = this->template array<2>({2, 3}), v = this->template array<2>({2, 3});
  test::expect_error("quern::meshgrid: out has extents (2, 3), expected (1, 3)",
                     [&] { quern::meshgrid(quern::outputs(u, v), quern::components(x, one)); });
  const auto empty = this->template array<2>({0, 3});
  const auto nothing = test::make_array<double, 1, Kokkos::LayoutRight, E>({0});
  quern::meshgrid(quern::outputs(empty, this->template array<2>({0, 3})), quern::components(x, nothing));
}

}  // namespace
