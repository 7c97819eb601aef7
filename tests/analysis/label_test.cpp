// SPDX-FileCopyrightText: the Quern authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <limits>
#include <quern/analysis.hpp>
#include <quern/core.hpp>
#include <quern/map.hpp>
#include <quern/reduce.hpp>
#include <support/reference_archive.hpp>
#include <support/testing.hpp>

namespace {

using quern::footprint, quern::generate_binary_structure, quern::periodic, quern::size_to;

const test::reference_archive scipy("analysis/data/label.npz");

template <int Rank>
using extents_of = std::array<std::int64_t, Rank>;

/// A box of 3 cells along each of three axes, of which an array of lower rank has the last ones.
using connections = std::array<bool, 27>;

/// Features by filling one after the other from its first cell on.
std::vector<std::int64_t> filled(const extents_of<3>& n, const std::vector<bool>& mask, const connections& connected,
                                 const std::array<bool, 3>& wrapped) {
  std::vector<std::int64_t> labels(mask.size()), open;
  std::int64_t features = 0;
  for (std::size_t first = 0; first < mask.size(); ++first) {
    if (!mask[first] || labels[first] != 0) continue;
    labels[first] = ++features;
    open.assign(1, static_cast<std::int64_t>(first));
    while (!open.empty()) {
      const std::int64_t i = open.back();
      open.pop_back();
      for (int c = 0; c < 27; ++c) {
        std::int64_t at[] = {i / n[2] / n[1] + c / 9 - 1, i / n[2] % n[1] + c / 3 % 3 - 1, i % n[2] + c % 3 - 1};
        bool inside = connected[c];
        for (int d = 0; d < 3; ++d) {
          if (wrapped[d]) at[d] = (at[d] + n[d]) % n[d];
          inside = inside && at[d] >= 0 && at[d] < n[d];
        }
        const std::int64_t to = (at[0] * n[1] + at[1]) * n[2] + at[2];
        if (!inside || !mask[to] || labels[to] != 0) continue;
        labels[to] = features;
        open.push_back(to);
      }
    }
  }
  return labels;
}

template <class Case>
struct LabelOn : testing::Test {
  using E = typename Case::exec;
  using T = typename Case::value;
  template <class V, int Rank>
  static auto array(const extents_of<Rank>& n, const std::vector<V>& values) {
    return test::make_array<V, Rank, typename Case::layout, E>(n, values);
  }
  template <int Rank>
  static void check(const std::string& name, const std::string& how, const footprint& structure) {
    const auto n = scipy.extents_of_rank<Rank>(name + "/mask");
    std::vector<T> values;
    for (const std::uint8_t v : scipy.values<std::uint8_t>(name + "/mask")) values.push_back(static_cast<T>(3 * v));
    const auto expected = scipy.values<std::int32_t>(name + "/" + how);
    const auto labels = array<std::int32_t, Rank>(n, std::vector<std::int32_t>(values.size(), -7));
    const auto number = quern::label(E(), labels, array<T, Rank>(n, values), structure);
    EXPECT_EQ(expected, test::contents(labels)) << name << ", " << how;
    EXPECT_EQ(*std::max_element(expected.begin(), expected.end()), number) << name << ", " << how;
  }
  template <int Rank>
  static void check_all(const std::string& name) {
    for (int c = 1; c <= Rank; ++c) check<Rank>(name, std::to_string(c), generate_binary_structure(Rank, c));
  }
};
using cases = test::covering<std::uint8_t, double, float>;
TYPED_TEST_SUITE(LabelOn, cases);

TYPED_TEST(LabelOn, IsSciPys) {
  this->template check_all<1>("line");
  for (const char* name : {"full", "empty", "plane", "tall", "wide", "snake"}) this->template check_all<2>(name);
  for (const char* name : {"volume", "dense"}) this->template check_all<3>(name);
  for (const std::string name : {"diagonal", "upright"}) {
    const auto structure = test::make_array<std::uint8_t, 2, Kokkos::LayoutRight, Kokkos::DefaultHostExecutionSpace>(
        {3, 3}, scipy.values<std::uint8_t>("structure/" + name));
    this->template check<2>("plane", name, footprint(structure));
  }
}

/// By structures that SciPy has and has not, with ends that meet, beside a loop.
TYPED_TEST(LabelOn, IsWhatFillingFinds) {
  using E = typename TestFixture::E;
  int round = 0;
  for (const extents_of<3>& n : {extents_of<3>{7, 9, 35},
                                 {1, 40, 70},
                                 {30, 1, 3},
                                 {2, 2, 2},
                                 {1, 1, 5000},
                                 {3, 33, 1},
                                 {2, 3, 31},
                                 {3, 1, 32},
                                 {1, 2, 65},
                                 {2, 2, 4097}})
    for (const int least : {-3, 0, 2}) {
      const std::int64_t size = n[0] * n[1] * n[2];
      std::vector<std::uint8_t> mask(size);
      for (std::int64_t i = 0; i < size; ++i) mask[i] = test::sample(i, 17 + round) > least;
      connections connected{};
      std::vector<std::uint8_t> cells(27);
      for (int c = 0; c < 13; ++c) connected[c] = connected[26 - c] = test::sample(c, 90 + round) > 1.5;
      connected[13] = true;
      std::copy(connected.begin(), connected.end(), cells.begin());
      const std::array<bool, 3> ends{round % 2 == 0, round % 3 == 0, round % 5 < 2};
      const auto structure =
          test::make_array<std::uint8_t, 3, Kokkos::LayoutLeft, Kokkos::DefaultHostExecutionSpace>({3, 3, 3}, cells);
      const auto labels = this->template array<std::int64_t, 3>(n, std::vector<std::int64_t>(size));
      const auto x = this->template array<std::uint8_t, 3>(n, mask);
      const Kokkos::View<std::int64_t, E> number("number");
      quern::label(E(), labels, x, footprint(structure), size_to{number}, periodic{ends[0], ends[1], ends[2]});
      const auto expected = filled(n, std::vector<bool>(mask.begin(), mask.end()), connected, ends);
      EXPECT_EQ(expected, test::contents(labels)) << "round " << round;
      EXPECT_EQ(*std::max_element(expected.begin(), expected.end()), test::value(number)) << "round " << round;
      ++round;
    }
}

template <class Exec>
struct Label : testing::Test {
  const Exec exec{};
  template <class T>
  static auto row(const std::vector<T>& v) {
    return test::make_array<T, 1, Kokkos::LayoutRight, Exec>({static_cast<std::int64_t>(v.size())}, v);
  }
};
TYPED_TEST_SUITE(Label, test::all_spaces);

struct above {
  double bound;
  KOKKOS_FUNCTION bool operator()(double x) const { return x > bound; }
};

TYPED_TEST(Label, OfLazyAndReindexedMasks) {
  const auto x = this->row(std::vector<double>{5, 1, 6, 7, 2, 9, std::numeric_limits<double>::quiet_NaN()});
  const auto labels = this->row(std::vector<int>(7));
  EXPECT_EQ(3, quern::label(this->exec, labels, quern::lazy(above{4}, x)));
  EXPECT_EQ((std::vector<int>{1, 0, 2, 2, 0, 3, 0}), test::contents(labels));
  EXPECT_EQ(3, quern::label(this->exec, labels, quern::roll(quern::lazy(above{4}, x), 2)));
  EXPECT_EQ((std::vector<int>{1, 0, 2, 0, 3, 3, 0}), test::contents(labels));
  EXPECT_EQ(1, quern::label(labels, x));  // NaN is not zero
  EXPECT_EQ(std::vector<int>(7, 1), test::contents(labels));
}

TYPED_TEST(Label, InPlaceOfTheMask) {
  const auto x = this->row(std::vector<int>{4, 0, 4, 4, 0, 0, 1});
  EXPECT_EQ(3, quern::label(this->exec, x, x));
  EXPECT_EQ((std::vector<int>{1, 0, 2, 2, 0, 0, 3}), test::contents(x));
  EXPECT_EQ(2, quern::label(x, x, periodic{true}));
  EXPECT_EQ((std::vector<int>{1, 0, 2, 2, 0, 0, 1}), test::contents(x));
}

TYPED_TEST(Label, OfNothing) {
  const auto none = this->row(std::vector<int>());
  EXPECT_EQ(0, quern::label(this->exec, none, none));
  const Kokkos::View<int**, TypeParam> flat("flat", 0, 5);
  EXPECT_EQ(0, quern::label(flat, flat, generate_binary_structure(2, 2), periodic{true}));
}

TYPED_TEST(Label, RejectsBeforeItWrites) {
  const auto x = this->row(std::vector<int>{1, 1, 1}), labels = this->row(std::vector<int>{5, 5, 5, 5});
  const auto small = this->row(std::vector<std::int8_t>(200));
  const auto fill = [](const std::vector<int>& cells) {
    return footprint(test::make_array<int, 1, Kokkos::LayoutRight, Kokkos::DefaultHostExecutionSpace>(
        {static_cast<std::int64_t>(cells.size())}, cells));
  };
  const TypeParam& exec = this->exec;
  test::expect_error("quern::label: mask has extents (3), expected (4), as labels",
                     [&] { quern::label(exec, labels, x); });
  test::expect_error("quern::label: positions to before 201 do not fit the type of labels, of 8 bits",
                     [&] { quern::label(exec, small, small); });
  test::expect_error("quern::label: a structure that is not symmetric about its middle",
                     [&] { quern::label(exec, labels, labels, fill({1, 1, 0})); });
  test::expect_error("quern::label: a structure of 5 cells along an axis, expected 3",
                     [&] { quern::label(exec, labels, labels, fill({1, 1, 1, 1, 1})); });
  test::expect_error("quern::label: 2 parameters for 1 axes",
                     [&] { quern::label(exec, labels, labels, periodic{true, false}); });
  EXPECT_EQ((std::vector<int>{5, 5, 5, 5}), test::contents(labels));
}

/// Trees whose vertices are joined in descending order, and lines of one and three cells.
TYPED_TEST(Label, OfLongChains) {
  const std::int64_t n = 300'000;
  const Kokkos::View<int*, TypeParam> from("from", n - 1), to("to", n - 1), components("components", n);
  quern::arange(this->exec, from, n - 1, 0, -1);
  quern::arange(this->exec, to, n - 2, -1, -1);
  EXPECT_EQ(1, quern::connected_components(this->exec, components, from, to));
  EXPECT_EQ(std::vector<int>(n, 0), test::contents(components));
  for (const std::int64_t width : {1, 3}) {
    const Kokkos::View<int**, TypeParam> mask("mask", n, width);
    quern::fill(this->exec, mask, 1);
    EXPECT_EQ(1, quern::label(this->exec, mask, mask));
    EXPECT_EQ(n * width, quern::sum(this->exec, mask));
  }
}

TYPED_TEST(Label, CountsElsewhere) {
  const Kokkos::View<std::int64_t*, TypeParam> labels("labels", 4);
  EXPECT_THROW(quern::label(this->exec, labels, labels, size_to{Kokkos::subview(labels, 2)}), quern::Error);
}

TYPED_TEST(Label, ComponentsOfGraphsAreSciPys) {
  for (const std::string name : {"graph 500 300", "graph 500 700", "graph 6 0", "graph 1 4"}) {
    const auto ends = scipy.values<std::int64_t>(name + "/ends");
    const auto expected = scipy.values<std::int32_t>(name + "/components");
    const auto half = ends.begin() + static_cast<std::ptrdiff_t>(ends.size() / 2);
    const auto from = this->row(std::vector<std::int64_t>(ends.begin(), half));
    const auto to = this->row(std::vector<int>(half, ends.end()));
    const auto components = this->row(std::vector<std::int32_t>(expected.size()));
    const auto number = quern::connected_components(this->exec, components, from, to);
    EXPECT_EQ(expected, test::contents(components)) << name;
    EXPECT_EQ(*std::max_element(expected.begin(), expected.end()) + 1, number) << name;
    const Kokkos::View<std::int64_t, TypeParam> count("count");
    quern::connected_components(components, to, from, size_to{count});
    EXPECT_EQ(expected, test::contents(components)) << name;
    EXPECT_EQ(number, test::value(count)) << name;
  }
}

TYPED_TEST(Label, EndsThatAreNoVerticesAreRejected) {
  const auto components = this->row(std::vector<int>{9, 9, 9});
  const auto from = this->row(std::vector<int>{0, 1, 3}), to = this->row(std::vector<int>{0, -1, 1});
  EXPECT_THROW(quern::connected_components(this->exec, components, from, from), quern::KeyRangeError);
  EXPECT_THROW(quern::connected_components(this->exec, components, to, to), quern::KeyRangeError);
  test::expect_error("quern::connected_components: to has extents (3), expected (2), as from", [&] {
    quern::connected_components(this->exec, components, Kokkos::subview(from, Kokkos::pair<int, int>(0, 2)), to);
  });
  EXPECT_EQ((std::vector<int>{9, 9, 9}), test::contents(components));
  const Kokkos::View<std::int64_t, TypeParam> count("count");
  quern::connected_components(this->exec, components, from, this->row(std::vector<int>{2, 2, 1}), size_to{count});
  EXPECT_EQ((std::vector<int>{0, 0, 0}), test::contents(components));
  EXPECT_EQ(1, test::value(count));
}

}  // namespace
