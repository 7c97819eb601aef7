// SPDX-FileCopyrightText: the Quern authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Differences of differences, and of arrays that are computed or found as they are read, against NumPy's.

#include <quern/map.hpp>
#include <support/reference_archive.hpp>
#include <support/testing.hpp>

namespace {

const test::reference_archive numpy("map/data/making.npz");

template <class Case>
struct Differences : testing::Test {
  using L = typename Case::layout;
  using E = typename Case::exec;
  static auto table() { return test::make_array<double, 2, L, E>({6, 9}, numpy.values("table")); }
  static auto of(std::int64_t rows, std::int64_t columns) { return test::make_array<double, 2, L, E>({rows, columns}); }
};
using difference_cases = test::covering<double>;
TYPED_TEST_SUITE(Differences, difference_cases);

// Each is made as NumPy makes it, by differences of the ones before, and so has its bits.
TYPED_TEST(Differences, OfDifferencesAreNumPys) {
  const typename TypeParam::exec exec;
  const auto x = this->table();
  for (int n = 0; n <= 5; ++n) {
    const auto rows = this->of(6 - n, 9), columns = this->of(6, 9 - n);
    quern::diff(exec, rows, x, quern::axis{0}, quern::difference_order{n});
    EXPECT_EQ(numpy.values("diff_" + std::to_string(n) + "_0"), test::contents(rows)) << n;
    quern::diff(columns, x, quern::difference_order{n});
    EXPECT_EQ(numpy.values("diff_" + std::to_string(n) + "_1"), test::contents(columns)) << n;
  }
}

TYPED_TEST(Differences, OfArraysThatAreReindexed) {
  const typename TypeParam::exec exec;
  const auto x = this->table(), out = this->of(6, 7), more = this->of(6, 6), with_first = this->of(6, 9);
  quern::diff(exec, out, quern::flip(x, quern::axis{1}), quern::difference_order{2});
  EXPECT_EQ(numpy.values("diff_of_flip"), test::contents(out));
  quern::diff(more, quern::roll(x, 2, quern::axis{1}), quern::difference_order{3});
  EXPECT_EQ(numpy.values("diff_of_roll"), test::contents(more));
  quern::diff(exec, with_first, quern::pad(x, {{0, 0}, {1, 0}}, 0.0));
  EXPECT_EQ(numpy.values("diff_prepend"), test::contents(with_first));
}

struct negated {
  KOKKOS_FUNCTION double operator()(double x) const { return -x; }
};

TYPED_TEST(Differences, OfLazyArrays) {
  const auto x = this->table(), out = this->of(6, 8);
  quern::diff(out, quern::lazy(negated(), quern::lazy(negated(), x)));
  EXPECT_EQ(numpy.values("diff_1_1"), test::contents(out));
}

template <class Exec>
struct DifferencesOn : testing::Test {
  template <class T>
  static auto row(const std::vector<T>& v) {
    return test::make_array<T, 1, Kokkos::LayoutRight, Exec>({static_cast<std::int64_t>(v.size())}, v);
  }
};
TYPED_TEST_SUITE(DifferencesOn, test::all_spaces);

TYPED_TEST(DifferencesOn, OfIntegersWrapAround) {
  const auto x = this->row(numpy.values<std::int8_t>("small"));
  for (int n = 0; n <= 5; ++n) {
    const auto out = this->row(std::vector<std::int8_t>(9 - n));
    quern::diff(TypeParam(), out, x, quern::difference_order{n});
    EXPECT_EQ(numpy.values<std::int8_t>("small_diff_" + std::to_string(n)), test::contents(out)) << n;
  }
}

TYPED_TEST(DifferencesOn, OfFewAreNoneAndOrdersAreChecked) {
  const auto x = this->row(std::vector<double>{1, 4, 9}), none = this->row(std::vector<double>());
  const auto one = this->row(std::vector<double>{7});
  quern::diff(TypeParam(), none, x, quern::difference_order{3});
  quern::diff(TypeParam(), none, x, quern::difference_order{2000000000});
  quern::diff(TypeParam(), one, x, quern::difference_order{2});
  EXPECT_EQ(std::vector<double>{2}, test::contents(one));
  test::expect_error("quern::diff: differences of order -1",
                     [&] { quern::diff(TypeParam(), x, x, quern::difference_order{-1}); });
  test::expect_error("quern::diff: out has extents (3), expected (1)",
                     [&] { quern::diff(TypeParam(), x, x, quern::difference_order{2}); });
  const Kokkos::View<double*, TypeParam> same = x;
  for (const int order : {1, 2})
    test::expect_error("quern::diff: out and in share memory", [&] {
      quern::diff(TypeParam(), Kokkos::subview(same, std::pair(0, 3 - order)), x, quern::difference_order{order});
    });
  const auto four = this->row(std::vector<double>{1, 2, 4, 8});
  test::expect_error("quern::diff: out and in share memory", [&] {
    quern::diff(TypeParam(), Kokkos::subview(four, std::pair(1, 2)), four, quern::difference_order{3});
  });
  test::expect_error("quern::diff: out and in share memory",
                     [&] { quern::diff(Kokkos::subview(same, std::pair(0, 2)), x); });
}

}  // namespace
