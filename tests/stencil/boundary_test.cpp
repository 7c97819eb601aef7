// SPDX-FileCopyrightText: the Quern authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Boundaries: SciPy's results on small arrays, and larger ones against arrays that are continued step by step.

#include <algorithm>
#include <cstring>
#include <quern/stencil.hpp>
#include <stencil/continued.hpp>
#include <support/boundaries.hpp>
#include <support/reference_archive.hpp>
#include <support/testing.hpp>
#include <support/window.hpp>

namespace {

const test::reference_archive scipy("stencil/data/scipy.npz");

using quern::boundary;

/// The weighted sum over a box that reaches 2 along the first axis and 1 along the others.
struct correlate {
  std::int64_t weight[45];
  template <class W>
  KOKKOS_FUNCTION std::int64_t operator()(const W& w) const {
    std::int64_t s = 0;
    int k = 0;
    if constexpr (requires { w(0); }) {
      for (int i = -2; i <= 2; ++i) s += weight[k++] * w(i);
    } else if constexpr (requires { w(0, 0); }) {
      for (int j = -2; j <= 2; ++j)
        for (int i = -1; i <= 1; ++i) s += weight[k++] * w(j, i);
    } else {
      for (int l = -2; l <= 2; ++l)
        for (int j = -1; j <= 1; ++j)
          for (int i = -1; i <= 1; ++i) s += weight[k++] * w(l, j, i);
    }
    return s;
  }
};

template <class Case>
struct Boundary : testing::Test {
  using exec = typename Case::exec;
  using layout = typename Case::layout;
  using value = typename Case::value;

  /// Of the arrays whose names begin in this way.
  template <class Shape, int Rank>
  void agrees(const std::string& group) {
    std::array<std::int64_t, Rank> n;
    std::copy_n(scipy.extents(group + "in").begin(), Rank, n.begin());
    const auto in = test::make_array<std::int64_t, Rank, layout, exec>(n, scipy.values<std::int64_t>(group + "in"));
    const auto out = test::make_array<std::int64_t, Rank, layout, exec>(n);
    correlate f{};
    std::ranges::copy(scipy.values<std::int64_t>(group + "weights"), f.weight);
    for (const std::string mode : test::mode_names) {
      quern::stencil<Shape>(exec(), out, f, test::mode_named(mode), in);
      EXPECT_EQ(scipy.values<std::int64_t>(group + mode), test::contents(out)) << group << mode;
    }
  }
};
using index_cases = test::full_product<std::int64_t>;
TYPED_TEST_SUITE(Boundary, index_cases);

TYPED_TEST(Boundary, AgreesWithSciPy) {
  for (int k = 0; k < 10; ++k) {
    const std::string group = "stencil/" + std::to_string(k) + "/";
    const auto rank = scipy.extents(group + "in").size();
    if (rank == 1) this->template agrees<quern::box<2>, 1>(group);
    else if (rank == 2) this->template agrees<quern::box<2, 1>, 2>(group);
    else this->template agrees<quern::box<2, 1, 1>, 3>(group);
  }
}

struct mixed {
  template <class W>
  KOKKOS_FUNCTION auto operator()(const W& w) const {
    return w(0, 0) + 2 * w(-2, 0) + 3 * w(2, 0) + 5 * w(0, -1) + 7 * w(0, 1) + 11 * w(-1, 0);
  }
};
struct corners {
  template <class W>
  KOKKOS_FUNCTION auto operator()(const W& w) const {
    return w(0, 0) + 2 * w(-2, -1) + 3 * w(2, 1) + 5 * w(-1, 1) + 7 * w(1, -1);
  }
};

template <class Case>
struct BoundaryMix : testing::Test {
  using exec = typename Case::exec;
  using layout = typename Case::layout;
  using value = typename Case::value;

  template <class Shape, class F>
  void check(const std::array<std::int64_t, 2>& n, const quern::boundary_pair& a, const quern::boundary_pair& b,
             const F& f) {
    const auto values = test::samples<value>(n[0] * n[1]);
    const auto in = test::make_array<value, 2, layout, exec>(n, values);
    const auto out = test::make_array<value, 2, layout, exec>(n, std::vector<value>(n[0] * n[1], value(77)));
    quern::stencil<Shape>(exec(), out, f, {a, b}, in);
    const auto found = test::contents(out);
    const auto rows = test::continued(a.low, a.high, n[0], 2), columns = test::continued(b.low, b.high, n[1], 1);
    const auto keeps = [](const boundary& e) { return e.kind() == boundary::mode::keep; };
    for (std::int64_t j = 0; j < n[0]; ++j)
      for (std::int64_t i = 0; i < n[1]; ++i) {
        const auto cell = [&](int dj, int di) -> value {
          const std::int64_t r = rows[j + dj + 2], c = columns[i + di + 1];
          if (c < 0) return value((i + di < 0 ? b.low : b.high).template value_for<double>("test"));
          if (r < 0) return value((j + dj < 0 ? a.low : a.high).template value_for<double>("test"));
          return values[r * n[1] + c];
        };
        std::array<value, 15> cells;
        for (int k = 0; k < 15; ++k) cells[k] = cell(k / 3 - 2, k % 3 - 1);
        const test::window<value> w{&cells[7], 3};
        const bool kept = (keeps(a.low) && j < 2) || (keeps(a.high) && j >= n[0] - 2) || (keeps(b.low) && i < 1) ||
                          (keeps(b.high) && i >= n[1] - 1);
        ASSERT_EQ(kept ? value(77) : static_cast<value>(f(w)), found[j * n[1] + i])
            << n[0] << " x " << n[1] << ": " << j << ' ' << i;
      }
  }
};
using mixed_cases = test::covering<double, std::int8_t>;
TYPED_TEST_SUITE(BoundaryMix, mixed_cases);

TYPED_TEST(BoundaryMix, EachSideForItself) {
  const boundary modes[] = {boundary::wrap,   boundary::constant(2), boundary::keep,
                            boundary::mirror, boundary::nearest,     boundary::reflect};
  for (int m = 0; m < 6; ++m) {
    const quern::boundary_pair rows(modes[m], modes[(m + 1) % 6]), columns(modes[(m + 3) % 6], modes[(m + 5) % 6]);
    for (const std::array<std::int64_t, 2>& n :
         {std::array<std::int64_t, 2>{5, 3}, {6, 64}, {70, 9}, {33, 160}, {300, 48}}) {
      this->template check<quern::box<2, 1>>(n, rows, columns, corners());
      this->template check<quern::star<2, 1>>(n, columns, rows, mixed());
    }
  }
}

// Rows of which most are border cells, and few rows.
TYPED_TEST(BoundaryMix, OneShortAxis) {
  const boundary modes[] = {boundary::wrap, boundary::constant(2), boundary::mirror, boundary::nearest,
                            boundary::reflect};
  for (std::int64_t k = 1; k <= 66; ++k) {
    const quern::boundary_pair a(modes[k % 5], modes[(k + 1) % 5]), b(modes[(k + 2) % 5], modes[k % 3]);
    this->template check<quern::box<2, 1>>({70, k}, a, b, corners());
    this->template check<quern::star<2, 1>>({k, 70}, b, a, mixed());
  }
  const test::with_gaps padded(test::gaps::columns);
  for (const std::int64_t k : {1, 2, 3, 4, 5, 8, 13})
    this->template check<quern::star<2, 1>>({203, k}, boundary::nearest, boundary::wrap, mixed());
}

// The border is computed after the interior.
TYPED_TEST(BoundaryMix, LargeArray) {
  this->template check<quern::box<2, 1>>({1'000, 1'100}, {boundary::constant(3), boundary::wrap},
                                         {boundary::mirror, boundary::constant(1)}, corners());
}

TYPED_TEST(BoundaryMix, ReportsMisuse) {
  using E = typename TypeParam::exec;
  using T = typename TypeParam::value;
  const auto a = test::make_array<T, 2, typename TypeParam::layout, E>({5, 2});
  const auto b = test::make_array<T, 2, typename TypeParam::layout, E>({5, 2});
  const auto smooth = [&](const quern::boundaries& e) { quern::stencil<quern::box<1>>(E(), a, mixed(), e, b); };
  test::expect_error("quern::stencil: boundary::keep along axis 1 of extents (5, 2) with a neighbourhood of 3",
                     [&] { smooth(boundary::keep); });
  test::expect_error("quern::stencil: boundaries for 3 axes, expected 2",
                     [&] { smooth({boundary::wrap, boundary::wrap, boundary::wrap}); });
  test::expect_error(
      "quern::stencil: interior_only from 0 to 4 along axis 0 of extents (5, 2) needs values outside of them",
      [&] { smooth(quern::interior_only{{0, 4}, {1, 1}}); });
  test::expect_error("quern::stencil: boundaries for 1 axes, expected 2",
                     [&] { smooth(quern::interior_only{{1, 4}}); });
  struct pair {
    int a, b;
  };
  test::expect_error("quern::stencil: the boundary's constant has not the type of the input's values",
                     [&] { smooth(boundary::constant(pair{1, 2})); });
}

}  // namespace
