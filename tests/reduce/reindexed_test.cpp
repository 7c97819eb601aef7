// SPDX-FileCopyrightText: the Quern authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Reductions of what is found by maps of indices are those of its copy, of which hosts read as many elements at a time
// as are at equal distances.

#include <quern/map.hpp>
#include <quern/reduce.hpp>
#include <support/testing.hpp>

namespace {

template <class Exec>
struct ReducedMapsOn : testing::Test {
  static constexpr std::int64_t rows = 23, columns = 1301;
  using array = Kokkos::View<double**, Kokkos::LayoutRight, Exec>;
  /// Numbers whose sums are exact.
  static array numbers() {
    std::vector<double> values(rows * columns);
    for (std::size_t i = 0; i < values.size(); ++i) values[i] = static_cast<double>((i * 7919 + 13) % 4099);
    return test::make_array<double, 2, Kokkos::LayoutRight, Exec>({rows, columns}, values);
  }
  template <class In>
  static void is_that_of_a_copy(const std::string& what, const In& in) {
    const Exec exec;
    const quern::shape n = quern::extents_of(in);
    const array copied("copied", n.extent[0], n.extent[1]);
    quern::copy(exec, copied, in);
    EXPECT_EQ(quern::sum(exec, copied), quern::sum(exec, in)) << what;
    EXPECT_EQ(quern::argmax(exec, copied), quern::argmax(exec, in)) << what;
    const auto twice = quern::lazy(with_first(), in, quern::slice(copied, {{0, n.extent[0]}}));
    EXPECT_EQ(2 * quern::sum(exec, copied), quern::sum(exec, twice)) << what;
    for (const int along : {0, 1}) {
      const Kokkos::View<double*, Exec> expected("expected", n.extent[1 - along]), found("found", n.extent[1 - along]);
      quern::sum(exec, expected, copied, quern::axis{along});
      quern::sum(exec, found, in, quern::axis{along});
      EXPECT_EQ(test::contents(expected), test::contents(found)) << what << " along axis " << along;
      quern::max(exec, expected, copied, quern::axis{along});
      quern::max(exec, found, in, quern::axis{along});
      EXPECT_EQ(test::contents(expected), test::contents(found)) << what << ", largest along axis " << along;
    }
  }
  struct with_first {
    KOKKOS_FUNCTION double operator()(double a, double b) const { return a + b; }
  };
};
TYPED_TEST_SUITE(ReducedMapsOn, test::all_spaces);

TYPED_TEST(ReducedMapsOn, AreThoseOfACopy) {
  const auto x = this->numbers();
  this->is_that_of_a_copy("roll", quern::roll(x, 5, quern::axis{1}));
  this->is_that_of_a_copy("roll of rows", quern::roll(x, {3, -700}, quern::axes{0, 1}));
  this->is_that_of_a_copy("pad", quern::pad(x, {{2, 0}, {3, 130}}, quern::pad_mode::reflect));
  this->is_that_of_a_copy("repeat", quern::repeat(x, 3, quern::axis{1}));
  const auto rows = test::make_array<int, 1, Kokkos::LayoutRight, TypeParam>({4}, {7, 0, 22, 7});
  this->is_that_of_a_copy("take", quern::take(x, rows, quern::axis{0}, quern::index_mode::wrap));
}

// Long rows in the opposite order, which hosts copy by vectors, and those of a part of an array.
TYPED_TEST(ReducedMapsOn, CopiesBackwards) {
  using array = typename TestFixture::array;
  const auto x = this->numbers();
  const std::int64_t rows = this->rows, columns = this->columns;
  const auto values = test::contents(x);
  for (const std::int64_t n : {columns, columns - 4, std::int64_t{31}, std::int64_t{1}}) {
    const auto part = Kokkos::subview(x, Kokkos::ALL, std::pair<std::int64_t, std::int64_t>(0, n));
    const array flipped("flipped", rows, n);
    quern::copy(flipped, quern::flip(part, quern::axis{1}));
    const auto found = test::contents(flipped);
    for (std::int64_t j = 0; j < rows; ++j)
      for (std::int64_t i = 0; i < n; ++i)
        ASSERT_EQ(values[j * columns + n - 1 - i], found[j * n + i]) << j << " " << i;
  }
}

}  // namespace
