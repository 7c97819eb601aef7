// SPDX-FileCopyrightText: the Quern authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <quern/stencil.hpp>
#include <support/testing.hpp>

namespace {

struct weighted_3x3 {
  template <class Window>
  KOKKOS_FUNCTION auto operator()(const Window& w) const {
    auto s = w(0, 0);
    for (int j = -1; j <= 1; ++j)
      for (int i = -1; i <= 1; ++i) s += static_cast<decltype(s)>(j + 2) * w(j, i) * static_cast<decltype(s)>(i + 3);
    return s;
  }
};
struct far_corners {
  template <class Window>
  KOKKOS_FUNCTION auto operator()(const Window& w) const {
    return w(-2, -2) - w(2, 2) + w(-2, 2);
  }
};
struct laplacian {
  template <class Window>
  KOKKOS_FUNCTION auto operator()(const Window& w) const {
    return w(-1, 0, 0) + w(1, 0, 0) + w(0, -1, 0) + w(0, 1, 0) + w(0, 0, -1) + w(0, 0, 1) - 6 * w(0, 0, 0);
  }
};

template <class Case>
struct Stencil : testing::Test {};
using cases = test::full_product<float, double, std::int32_t>;
TYPED_TEST_SUITE(Stencil, cases);

template <class T, class F>
void check_2d(std::int64_t rows, std::int64_t columns, int radius, const std::vector<T>& in, const std::vector<T>& out,
              T kept, const F& f) {
  for (std::int64_t j = 0; j < rows; ++j)
    for (std::int64_t i = 0; i < columns; ++i) {
      const bool inside = j >= radius && j < rows - radius && i >= radius && i < columns - radius;
      const auto w = [&](int dj, int di) { return in[(j + dj) * columns + i + di]; };
      ASSERT_EQ(inside ? static_cast<T>(f(w)) : kept, out[j * columns + i]) << j << ' ' << i;
    }
}

TYPED_TEST(Stencil, TwoDimensionsKeepTheirBorder) {
  using T = typename TypeParam::value;
  using L = typename TypeParam::layout;
  using E = typename TypeParam::exec;
  for (const std::array<std::int64_t, 2> n : {std::array<std::int64_t, 2>{0, 5}, {2, 9}, {3, 3}, {5, 5}, {41, 67}}) {
    const auto values = test::samples<T>(n[0] * n[1]);
    const auto in = test::make_array<T, 2, L, E>(n, values);
    const auto out = test::make_array<T, 2, L, E>(n, std::vector<T>(n[0] * n[1], T(99)));
    quern::stencil<quern::box<1>>(E(), out, weighted_3x3(), quern::boundary::keep, in);
    check_2d(n[0], n[1], 1, values, test::contents(out), T(99), weighted_3x3());
    const auto out2 = test::make_array<T, 2, L, E>(n, std::vector<T>(n[0] * n[1], T(99)));
    quern::stencil<quern::box<2>>(out2, far_corners(), quern::boundary::keep, in);
    check_2d(n[0], n[1], 2, values, test::contents(out2), T(99), far_corners());
  }
}

TYPED_TEST(Stencil, ThreeDimensions) {
  using T = typename TypeParam::value;
  using E = typename TypeParam::exec;
  const std::array<std::int64_t, 3> n{7, 11, 13};
  const auto values = test::samples<T>(7 * 11 * 13);
  const auto in = test::make_array<T, 3, typename TypeParam::layout, E>(n, values);
  const auto out = test::make_array<T, 3, typename TypeParam::layout, E>(n, std::vector<T>(7 * 11 * 13, T(99)));
  quern::stencil<quern::box<1>>(E(), out, laplacian(), quern::boundary::keep, in);
  const auto got = test::contents(out);
  for (int k = 0; k < 7; ++k)
    for (int j = 0; j < 11; ++j)
      for (int i = 0; i < 13; ++i) {
        const bool inside = k > 0 && k < 6 && j > 0 && j < 10 && i > 0 && i < 12;
        const auto w = [&](int dk, int dj, int di) { return values[((k + dk) * 11 + j + dj) * 13 + i + di]; };
        ASSERT_EQ(inside ? laplacian()(w) : T(99), got[(k * 11 + j) * 13 + i]);
      }
}

TYPED_TEST(Stencil, ReportsMisuse) {
  using T = typename TypeParam::value;
  using E = typename TypeParam::exec;
  const auto a = test::make_array<T, 2, Kokkos::LayoutRight, E>({5, 6});
  const auto b = test::make_array<T, 2, Kokkos::LayoutRight, E>({5, 7});
  test::expect_error("quern::stencil: in has extents (5, 7), expected those of out, (5, 6)",
                     [&] { quern::stencil<quern::box<1>>(E(), a, weighted_3x3(), quern::boundary::keep, b); });
  test::expect_error("quern::stencil: out and in share memory",
                     [&] { quern::stencil<quern::box<1>>(E(), a, weighted_3x3(), quern::boundary::keep, a); });
}

}  // namespace
