// SPDX-FileCopyrightText: the Quern authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <quern/keyed/insert.hpp>
#include <support/arrays_of_case.hpp>
#include <support/reference_archive.hpp>

namespace {

const test::reference_archive making("map/data/making.npz");

template <class Case>
struct Insert : test::arrays_of_case<Case> {};
using cases = test::covering<double>;
TYPED_TEST_SUITE(Insert, cases);

TYPED_TEST(Insert, InsertsAmongOthersAsNumPy) {
  const typename TypeParam::exec exec;
  const auto x = this->template array<2>({6, 9}, making.values("table"));
  const auto rows = this->template array<2>({7, 9}), columns = this->template array<2>({6, 11}),
             behind = this->template array<2>({6, 10});
  quern::insert(exec, rows, x, 2, this->template array<1>({9}, {0, 1, 2, 3, 4, 5, 6, 7, 8}));
  EXPECT_EQ(making.values("insert_row"), test::contents(rows));
  quern::insert(columns, x, -1, quern::slice(x, {{}, {0, 2}}), quern::axis{1});
  EXPECT_EQ(making.values("insert_columns"), test::contents(columns));
  quern::insert(exec, behind, x, 9, -1.0, quern::axis{-1});
  EXPECT_EQ(making.values("insert_behind"), test::contents(behind));
  const auto line = this->template array<1>({4});
  quern::insert(exec, line, quern::flip(quern::flip(this->template array<1>({3}, making.values("line")))), 1, 7);
  EXPECT_EQ(making.values("insert_number"), test::contents(line));
}

TYPED_TEST(Insert, InsertsNothingOrIntoNothing) {
  const auto none = this->template array<1>({0}), two = this->template array<1>({2}, {1, 2});
  const auto out = this->template array<1>({2}, {7, 7});
  quern::insert(out, two, 1, none);
  EXPECT_EQ((std::vector<double>{1, 2}), test::contents(out));
  quern::insert(out, none, 0, 5);
  EXPECT_EQ((std::vector<double>{5, 5}), test::contents(out));
  const auto three = this->template array<1>({3}, {7, 7, 7});
  test::expect_error("quern::insert: index 3 is out of range for an extent of 2",
                     [&] { quern::insert(three, two, 3, 1.0); });
  test::expect_error("quern::insert: index -3 is out of range for an extent of 2",
                     [&] { quern::insert(three, two, -3, 1.0); });
  test::expect_error("quern::insert: out has extents (2), expected at least those of in, (3)",
                     [&] { quern::insert(two, three, 0, 1.0); });
  test::expect_error("quern::insert: in 1 has extents (2), which do not broadcast to (1)",
                     [&] { quern::insert(three, two, 1, two); });
  test::expect_error("quern::insert: out and values share memory",
                     [&] { quern::insert(three, two, 1, Kokkos::subview(three, std::pair(0, 1))); });
  EXPECT_EQ(std::vector<double>(3, 7.0), test::contents(three));
}

TYPED_TEST(Insert, ByIndicesAsNumPy) {
  const typename TypeParam::exec exec;
  const auto x = this->template array<2>({6, 9}, making.values("table"));
  const auto marks = this->template array<1, std::int16_t>({7}, making.values<std::int16_t>("marks"));
  const auto marked = this->template array<2>({6, 7}, making.values("marked"));
  const auto wide = this->template array<2>({6, 16}), tall = this->template array<2>({10, 9});
  quern::insert(exec, wide, x, marks, marked, quern::axis{1});
  EXPECT_EQ(making.values("insert_marked"), test::contents(wide));
  quern::insert(wide, quern::flip(x, quern::axis{1}), marks, quern::slice(marked, {{0, 1}}), quern::axis{-1});
  EXPECT_EQ(making.values("insert_marked_flipped"), test::contents(wide));
  quern::insert(exec, wide, x, marks, -3.5f, quern::axis{1});
  EXPECT_EQ(making.values("insert_marked_number"), test::contents(wide));
  const auto rows = this->template array<1, std::int64_t>({4}, {6, 1, 1, -6});
  quern::insert(exec, tall, x, rows, quern::slice(marked, {{0, 4}, {0, 1}}));
  EXPECT_EQ(making.values("insert_marked_rows"), test::contents(tall));
}

TYPED_TEST(Insert, ByIndicesOfNothingOrIntoNothing) {
  const auto none = this->template array<1>({0}), two = this->template array<1>({2}, {1, 2});
  const auto nowhere = this->template array<1, int>({0}, {}), first = this->template array<1, int>({2}, {0, 0});
  const auto out = this->template array<1>({2}, {7, 7});
  quern::insert(out, two, nowhere, none);
  EXPECT_EQ((std::vector<double>{1, 2}), test::contents(out));
  quern::insert(out, none, first, quern::flip(two));
  EXPECT_EQ((std::vector<double>{2, 1}), test::contents(out));
  quern::insert(none, none, nowhere, 1.0);
}

// Sorted by kernels for long arrays; elements and values are told apart by their signs.
TYPED_TEST(Insert, ByManyIndices) {
  const std::int64_t n = 5000, m = 7001;
  std::vector<double> elements(n), values(m), expected;
  std::vector<std::int32_t> indices(m);
  std::vector<std::vector<double>> before(n + 1);
  for (std::int64_t i = 0; i < n; ++i) elements[i] = static_cast<double>(i + 1);
  for (std::int64_t k = 0; k < m; ++k) {
    indices[k] = static_cast<std::int32_t>((k * 7919 + k % 3) % (n + 1) / (k % 2 == 0 ? 1 : 50));
    values[k] = -static_cast<double>(k + 1);
    before[indices[k]].push_back(values[k]);
  }
  for (std::int64_t i = 0; i <= n; ++i) {
    expected.insert(expected.end(), before[i].begin(), before[i].end());
    if (i < n) expected.push_back(elements[i]);
  }
  const auto out = this->template array<1>({n + m});
  quern::insert(out, this->template array<1>({n}, elements), this->template array<1, std::int32_t>({m}, indices),
                this->template array<1>({m}, values));
  EXPECT_EQ(expected, test::contents(out));
}

TYPED_TEST(Insert, ByIndicesOfAnyValue) {
  const auto two = this->template array<1>({2}, {1, 2}), out = this->template array<1>({4});
  const auto at = this->template array<1, int>({2}, {-2, 7});
  const auto values = this->template array<1>({2}, {8, 9});
  quern::insert(out, two, at, values, quern::index_mode::clip);
  EXPECT_EQ((std::vector<double>{8, 1, 2, 9}), test::contents(out));
  quern::insert(out, two, at, values, quern::axis{0}, quern::index_mode::wrap);  // before element 1 of 3 places, both
  EXPECT_EQ((std::vector<double>{1, 8, 9, 2}), test::contents(out));
}

TYPED_TEST(Insert, ByIndicesRejectsWhatDoesNotFitBeforeItWrites) {
  const auto two = this->template array<1>({2}, {1, 2}), four = this->template array<1>({4}, {7, 7, 7, 7});
  const auto at = this->template array<1, int>({2}, {0, 2}), wrong = this->template array<1, int>({2}, {-3, 3});
  try {
    quern::insert(four, two, wrong, 1.0);
    ADD_FAILURE() << "no error";
  } catch (const quern::ElementError& e) {
    EXPECT_EQ(0, e.position());
    EXPECT_STREQ("quern::insert: index -3 at position 0 is out of range for an extent of 2; so is another", e.what());
  }
  test::expect_error("quern::insert: out has extents (2), expected (4)", [&] { quern::insert(two, two, at, 1.0); });
  test::expect_error("quern::insert: out and values share memory",
                     [&] { quern::insert(four, two, at, Kokkos::subview(four, std::pair(0, 2))); });
  test::expect_error("quern::insert: values has extents (4), which do not broadcast to (2)",
                     [&] { quern::insert(four, two, at, this->template array<1>({4})); });
  EXPECT_EQ(std::vector<double>(4, 7.0), test::contents(four));
}

}  // namespace
