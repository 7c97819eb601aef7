// SPDX-FileCopyrightText: the Quern authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <quern/stencil.hpp>
#include <support/testing.hpp>
#include <support/window.hpp>

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

struct laplacian_and_itself {
  template <class Window>
  KOKKOS_FUNCTION auto operator()(const Window& w) const {
    return Kokkos::Array<decltype(w(0, 0, 0)), 2>{laplacian()(w), w(0, 0, 0)};
  }
};
struct both {
  template <class Window>
  KOKKOS_FUNCTION auto operator()(const Window& w) const {
    return Kokkos::Array<decltype(w(0, 0)), 2>{w(0, 0), w(0, 0)};
  }
};
struct difference {
  template <class Window>
  KOKKOS_FUNCTION auto operator()(const Window& w) const {
    return w(1) - w(-1);
  }
};
struct weighted_flux {
  int down, right;
  template <class Position, class Window, class Coefficient>
  KOKKOS_FUNCTION Kokkos::Array<double, 2> operator()(const Position& at, const Window& w, const Coefficient& c) const {
    return {static_cast<double>(w(down, right) - w(0, 0)) * c(down, right), 100.0 * at[0] + at[1]};
  }
};

template <class Case>
struct Stencil : testing::Test {};
using cases = test::covering<double, std::int32_t>;
TYPED_TEST_SUITE(Stencil, cases);
template <class Case>
struct StencilOn : testing::Test {};
using some_cases = test::covering<float, double, std::int32_t>;
TYPED_TEST_SUITE(StencilOn, some_cases);

template <class T, class F>
void check_2d(std::int64_t rows, std::int64_t columns, int radius, const std::vector<T>& in, const std::vector<T>& out,
              T kept, const F& f) {
  for (std::int64_t j = 0; j < rows; ++j)
    for (std::int64_t i = 0; i < columns; ++i) {
      const bool inside = j >= radius && j < rows - radius && i >= radius && i < columns - radius;
      const test::window<T> w{&in[j * columns + i], columns};
      ASSERT_EQ(inside ? static_cast<T>(f(w)) : kept, out[j * columns + i]) << j << ' ' << i;
    }
}

TYPED_TEST(Stencil, TwoDimensionsKeepTheirBorder) {
  using T = typename TypeParam::value;
  using L = typename TypeParam::layout;
  using E = typename TypeParam::exec;
  for (const std::array<std::int64_t, 2> n :
       {std::array<std::int64_t, 2>{0, 5}, {5, 5}, {41, 67}, {24, 96}, {200, 36}}) {
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

TYPED_TEST(StencilOn, ThreeDimensions) {
  using T = typename TypeParam::value;
  using E = typename TypeParam::exec;
  using L = typename TypeParam::layout;
  for (const std::array<std::int64_t, 3>& n : {std::array<std::int64_t, 3>{7, 11, 13}, {12, 20, 64}, {32, 9, 16}}) {
    const std::int64_t size = n[0] * n[1] * n[2];
    const auto values = test::samples<T>(size);
    const auto in = test::make_array<T, 3, L, E>(n, values);
    const auto boxed = test::make_array<T, 3, L, E>(n, std::vector<T>(size, T(99)));
    const auto starred = test::make_array<T, 3, L, E>(n, std::vector<T>(size, T(99)));
    quern::stencil<quern::box<1>>(E(), boxed, laplacian(), quern::boundary::keep, in);
    quern::stencil<quern::star<1>>(E(), starred, laplacian(), quern::boundary::keep, in);
    const auto got = test::contents(boxed);
    for (int k = 0; k < n[0]; ++k)
      for (int j = 0; j < n[1]; ++j)
        for (int i = 0; i < n[2]; ++i) {
          const bool inside = k > 0 && k < n[0] - 1 && j > 0 && j < n[1] - 1 && i > 0 && i < n[2] - 1;
          const test::window<T> w{&values[(k * n[1] + j) * n[2] + i], n[2], n[1] * n[2]};
          ASSERT_EQ(inside ? laplacian()(w) : T(99), got[(k * n[1] + j) * n[2] + i]);
        }
    EXPECT_EQ(got, test::contents(starred));
  }
}

TYPED_TEST(StencilOn, OneDimension) {
  using T = typename TypeParam::value;
  using E = typename TypeParam::exec;
  for (const std::int64_t n : {1, 2, 5, 64, 1'001}) {
    const auto values = test::samples<T>(n);
    const auto in = test::make_array<T, 1, typename TypeParam::layout, E>({n}, values);
    const auto out = test::make_array<T, 1, typename TypeParam::layout, E>({n});
    quern::stencil<quern::box<1>>(E(), out, difference(), {{quern::boundary::wrap, quern::boundary::constant(3)}}, in);
    const auto got = test::contents(out);
    for (std::int64_t i = 0; i < n; ++i)
      ASSERT_EQ((i + 1 < n ? values[i + 1] : T(3)) - values[(i + n - 1) % n], got[i]) << n << ' ' << i;
  }
}

// Offsets that are known only at run time, several inputs and outputs of other types, and the position.
TYPED_TEST(StencilOn, InputsOutputsAndPosition) {
  using T = typename TypeParam::value;
  using E = typename TypeParam::exec;
  using L = typename TypeParam::layout;
  for (const std::array<std::int64_t, 2>& n : {std::array<std::int64_t, 2>{9, 14}, {40, 64}}) {
    const std::int64_t size = n[0] * n[1];
    const auto x = test::samples<T>(size, 1);
    const auto c = test::samples<std::int8_t>(size, 2);
    const auto in = test::make_array<T, 2, L, E>(n, x);
    const auto coefficient = test::make_array<std::int8_t, 2, L, E>(n, c);
    const auto flux = test::make_array<double, 2, L, E>(n);
    const auto place = test::make_array<T, 2, L, E>(n);
    quern::stencil<quern::star<1>>(E(), quern::outputs(flux, place), quern::with_position(weighted_flux{1, 0}),
                                   quern::boundary::mirror, in, coefficient);
    const auto found = test::contents(flux);
    const auto places = test::contents(place);
    for (std::int64_t j = 0; j < n[0]; ++j)
      for (std::int64_t i = 0; i < n[1]; ++i) {
        const std::int64_t next = (j + 1 < n[0] ? j + 1 : n[0] - 2) * n[1] + i, here = j * n[1] + i;
        ASSERT_EQ(static_cast<double>(x[next] - x[here]) * c[next], found[here]) << j << ' ' << i;
        ASSERT_EQ(static_cast<T>(100 * j + i), places[here]);
      }
  }
}

TYPED_TEST(StencilOn, InteriorOnly) {
  using T = typename TypeParam::value;
  using E = typename TypeParam::exec;
  using L = typename TypeParam::layout;
  const std::array<std::int64_t, 2> n{30, 70};
  const auto values = test::samples<T>(30 * 70);
  const auto in = test::make_array<T, 2, L, E>(n, values);
  const auto out = test::make_array<T, 2, L, E>(n, std::vector<T>(30 * 70, T(99)));
  quern::stencil<quern::box<1>>(E(), out, weighted_3x3(), quern::interior_only{{1, 20}, {3, 69}}, in);
  const auto got = test::contents(out);
  for (std::int64_t j = 0; j < 30; ++j)
    for (std::int64_t i = 0; i < 70; ++i) {
      const bool inside = j >= 1 && j < 20 && i >= 3 && i < 69;
      const test::window<T> w{&values[j * 70 + i], 70};
      ASSERT_EQ(inside ? static_cast<T>(weighted_3x3()(w)) : T(99), got[j * 70 + i]) << j << ' ' << i;
    }
}

// A part of an array, whose rows are not aligned, and arrays of different layouts.
TYPED_TEST(StencilOn, PartsAndOtherLayouts) {
  using T = typename TypeParam::value;
  using E = typename TypeParam::exec;
  const auto values = test::samples<T>(40 * 50);
  const auto whole = test::make_array<T, 2, typename TypeParam::layout, E>({40, 50}, values);
  const auto part = Kokkos::subview(whole, Kokkos::pair(3, 38), Kokkos::pair(1, 48));
  const auto out = test::make_array<T, 2, Kokkos::LayoutRight, E>({35, 47}, std::vector<T>(35 * 47, T(99)));
  quern::stencil<quern::box<1>>(E(), out, weighted_3x3(), quern::boundary::keep, part);
  check_2d(35, 47, 1, test::contents(part), test::contents(out), T(99), weighted_3x3());
}

// Large enough that hosts with eight threads write past their caches, and compute planes in blocks of rows.
TYPED_TEST(StencilOn, LargerThanCaches) {
  using T = typename TypeParam::value;
  using E = typename TypeParam::exec;
  using L = typename TypeParam::layout;
  const std::int64_t n0 = 61, n1 = 701, n2 = 203, size = n0 * n1 * n2;
  const std::array<std::int64_t, 3> n{n0, n1, n2};
  const auto values = test::samples<T>(size);
  const auto in = test::make_array<T, 3, L, E>(n, values);
  const auto out = test::make_array<T, 3, L, E>(n, std::vector<T>(size, T(99)));
  const auto same = test::make_array<T, 3, L, E>(n, std::vector<T>(size, T(99)));
  quern::stencil<quern::star<1>>(E(), quern::outputs(out, same), laplacian_and_itself(), quern::boundary::keep, in);
  const auto got = test::contents(out), copy = test::contents(same);
  std::int64_t wrong = 0;
  for (std::int64_t k = 0; k < n0; ++k)
    for (std::int64_t j = 0; j < n1; ++j)
      for (std::int64_t i = 0; i < n2; ++i) {
        const std::int64_t here = (k * n1 + j) * n2 + i;
        const bool inside = k > 0 && k < n0 - 1 && j > 0 && j < n1 - 1 && i > 0 && i < n2 - 1;
        const test::window<T> w{&values[here], n2, n1 * n2};
        wrong += got[here] != (inside ? static_cast<T>(laplacian()(w)) : T(99));
        wrong += copy[here] != (inside ? values[here] : T(99));
      }
  EXPECT_EQ(0, wrong);
}

TYPED_TEST(StencilOn, ReportsMisuse) {
  using T = typename TypeParam::value;
  using E = typename TypeParam::exec;
  const auto a = test::make_array<T, 2, Kokkos::LayoutRight, E>({5, 6});
  const auto b = test::make_array<T, 2, Kokkos::LayoutRight, E>({5, 7});
  test::expect_error("quern::stencil: in has extents (5, 7), expected those of out, (5, 6)",
                     [&] { quern::stencil<quern::box<1>>(E(), a, weighted_3x3(), quern::boundary::keep, b); });
  const auto c = test::make_array<T, 2, Kokkos::LayoutRight, E>({5, 6});
  const auto twice = [&](const auto& x, const auto& y) {
    quern::stencil<quern::box<1>>(E(), quern::outputs(x, y), both(), quern::boundary::keep, c);
  };
  test::expect_error("quern::stencil: out and another output share memory", [&] { twice(a, a); });
  test::expect_error("quern::stencil: out 2 has extents (5, 7), expected those of the first, (5, 6)",
                     [&] { twice(a, b); });
  test::expect_error("quern::stencil: out and in share memory", [&] { twice(a, c); });
  test::expect_error("quern::stencil: out and in share memory",
                     [&] { quern::stencil<quern::box<1>>(E(), a, weighted_3x3(), quern::boundary::keep, a); });
}

}  // namespace
