// SPDX-FileCopyrightText: the Quern authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <quern/map.hpp>
#include <support/arrays_of_case.hpp>
#include <support/reference_archive.hpp>

namespace {

const test::reference_archive numpy("map/data/functions.npz");

template <class Case>
struct Concatenate : test::arrays_of_case<Case> {};
using cases = test::covering<double>;
TYPED_TEST_SUITE(Concatenate, cases);

TYPED_TEST(Concatenate, AlongAnAxisAsNumPy) {
  const typename TypeParam::exec exec;
  const auto a = this->template array<2>({3, 7}, numpy.values("a"));
  const auto b = this->template array<2, float>({2, 7}, numpy.values<float>("b"));
  const auto c = this->template array<2>({3, 2}, numpy.values("c"));
  const auto rows = this->template array<2>({5, 7}), columns = this->template array<2>({3, 9});
  quern::concatenate(exec, rows, quern::components(a, b));
  EXPECT_EQ(numpy.values("a_b"), test::contents(rows));
  quern::concatenate(columns, quern::components(c, a), quern::axis{-1});
  EXPECT_EQ(numpy.values("c_a_1"), test::contents(columns));
  const auto twice = this->template array<2>({9, 7});
  quern::concatenate(exec, twice, std::vector{a, a, a}, quern::axis{0});
  EXPECT_EQ(numpy.values("a_a_a"), test::contents(twice));
}

TYPED_TEST(Concatenate, StacksAlongANewAxis) {
  const typename TypeParam::exec exec;
  const auto a = this->template array<2>({3, 7}, numpy.values("a"));
  std::vector<double> turned = numpy.values("a");
  for (double& v : turned) v = -v;
  const auto b = this->template array<2>({3, 7}, turned);
  const auto first = this->template array<3>({2, 3, 7}), middle = this->template array<3>({3, 2, 7}),
             last = this->template array<3>({3, 7, 2});
  quern::stack(exec, first, quern::components(a, b));
  EXPECT_EQ(numpy.values("stack_0"), test::contents(first));
  quern::stack(middle, std::vector{a, b}, quern::axis{1});
  EXPECT_EQ(numpy.values("stack_1"), test::contents(middle));
  quern::stack(exec, last, quern::components(a, b), quern::axis{-1});
  EXPECT_EQ(numpy.values("stack_2"), test::contents(last));
  const Kokkos::View<double, typename TypeParam::exec> number("number");
  const auto pair = this->template array<1>({2});
  quern::stack(pair, quern::components(number, number));
  EXPECT_EQ((std::vector<double>{0, 0}), test::contents(pair));
}

struct negative {
  KOKKOS_FUNCTION double operator()(double x) const { return -x; }
};

TYPED_TEST(Concatenate, ReadsReindexedAndLazyArrays) {
  const typename TypeParam::exec exec;
  const auto x = this->template array<2>({2, 3}, {1, 2, 3, 4, 5, 6});
  const auto y = this->template array<1>({2}, {7, 8});
  const auto line = this->template array<1>({8});
  quern::concatenate(exec, line,
                     quern::components(quern::reshape(quern::slice(x, {}), {-1}), quern::lazy(negative(), y)));
  EXPECT_EQ((std::vector<double>{1, 2, 3, 4, 5, 6, -7, -8}), test::contents(line));
  const auto pair = this->template array<3>({2, 2, 3}), turned = this->template array<3>({2, 2, 3});
  quern::stack(exec, pair, quern::components(x, quern::roll(x, 1)));
  EXPECT_EQ((std::vector<double>{1, 2, 3, 4, 5, 6, 6, 1, 2, 3, 4, 5}), test::contents(pair));
  quern::stack(turned, std::vector{quern::roll(x, -1), quern::roll(x, 1)});
  EXPECT_EQ((std::vector<double>{2, 3, 4, 5, 6, 1, 6, 1, 2, 3, 4, 5}), test::contents(turned));
  test::expect_error("quern::concatenate: out and the array that in 2 re-indexes share memory", [&] {
    quern::concatenate(line, quern::components(y, quern::roll(quern::slice(line, {{2, 8}}), 1)));
  });
}

TYPED_TEST(Concatenate, ChecksIndicesBeforeItWrites) {
  const typename TypeParam::exec exec;
  const auto x = this->template array<1>({2}, {1, 2}), out = this->template array<1>({3}, {7, 7, 7});
  const auto at = this->template array<1, int>({1}, {2});
  const auto taken = quern::take(x, at, quern::axis{0});
  EXPECT_THROW(quern::concatenate(exec, out, quern::components(x, taken)), quern::ElementError);
  EXPECT_EQ(std::vector<double>(3, 7.0), test::contents(out));
}

TYPED_TEST(Concatenate, OfNothingIsNothing) {
  const auto none = this->template array<2>({0, 3}), x = this->template array<2>({1, 3}, {1, 2, 3});
  const auto out = this->template array<2>({1, 3});
  quern::concatenate(out, quern::components(none, x, none));
  EXPECT_EQ((std::vector<double>{1, 2, 3}), test::contents(out));
  // NumPy: need at least one array
  test::expect_error("quern::concatenate: there is no input, expected at least one",
                     [&] { quern::concatenate(none, std::vector<std::remove_cvref_t<decltype(none)>>{}); });
  test::expect_error("quern::stack: there is no input, expected at least one", [&] {
    quern::stack(this->template array<3>({0, 1, 3}), std::vector<std::remove_cvref_t<decltype(x)>>{});
  });
}

TYPED_TEST(Concatenate, RejectsOtherExtentsAndSharedMemoryBeforeItWrites) {
  const auto x = this->template array<2>({2, 3}, {1, 2, 3, 4, 5, 6}), y = this->template array<2>({1, 4}, {1, 2, 3, 4});
  const auto out = this->template array<2>({4, 3}, std::vector<double>(12, 7.0));
  test::expect_error("quern::concatenate: in 2 has extents (1, 4), expected (1, 3)",
                     [&] { quern::concatenate(out, quern::components(x, y)); });
  test::expect_error("quern::concatenate: out has extents (4, 3), expected (2, 3)",
                     [&] { quern::concatenate(out, quern::components(x)); });
  const auto inside = Kokkos::subview(out, std::pair(2, 4), Kokkos::ALL);
  test::expect_error("quern::concatenate: out and in 2 share memory",
                     [&] { quern::concatenate(out, quern::components(x, inside)); });
  test::expect_error("quern::stack: axis 3 is out of range, expected one of an array of rank 3", [&] {
    quern::stack(this->template array<3>({2, 2, 3}), quern::components(x, x), quern::axis{3});
  });
  test::expect_error("quern::stack: out has extents (3, 2, 3), expected (2, 2, 3)",
                     [&] { quern::stack(this->template array<3>({3, 2, 3}), quern::components(x, x)); });
  EXPECT_EQ(std::vector<double>(12, 7.0), test::contents(out));
}

}  // namespace
