// SPDX-FileCopyrightText: the Quern authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Maps of what a mask selects: as NumPy's `where=` of ufuncs.
#include <chunked/behind_function.hpp>
#include <limits>
#include <quern/map.hpp>
#include <quern/transfer/copy.hpp>
#include <support/testing.hpp>

namespace {

using quern::mask, quern::outputs;

struct added {
  template <class T>
  KOKKOS_FUNCTION T operator()(const T& a, const T& b) const {
    return static_cast<T>(a + b);
  }
};
struct added_to_itself {
  KOKKOS_FUNCTION double operator()(double x) const { return x + x; }
};
struct both_signs {
  template <class T>
  KOKKOS_FUNCTION auto operator()(const T& x) const {
    return quern::values(x, -x);
  }
};
struct plus_one {
  KOKKOS_FUNCTION double operator()(double x) const { return x + 1; }
};
struct quotient {
  KOKKOS_FUNCTION int operator()(int a, int b) const { return a / b; }
};

template <class Case>
struct MaskedMap : testing::Test {
  using exec = typename Case::exec;
  using T = typename Case::value;
  using layout = typename Case::layout;
  exec e;
};
using cases = test::covering<double, float, std::int8_t, Kokkos::complex<float>, std::uint16_t, std::int64_t>;
TYPED_TEST_SUITE(MaskedMap, cases);

TYPED_TEST(MaskedMap, LeavesWhatIsNotSelected) {
  using T = typename TypeParam::value;
  using E = typename TypeParam::exec;
  using L = typename TypeParam::layout;
  for (const std::array<std::int64_t, 2>& n :
       {std::array<std::int64_t, 2>{1, 1}, {7, 33}, {300, 2}, {5, 1000}, {0, 3}}) {
    const auto a = test::samples<T>(n[0] * n[1], 1), b = test::samples<T>(n[1], 2),
               before = test::samples<T>(n[0] * n[1], 3);
    for (const bool whole : {true, false}) {
      std::vector<std::int32_t> chosen;
      for (std::int64_t i = 0; i < (whole ? n[0] * n[1] : n[0]); ++i) chosen.push_back(test::sample(i, 7) > 0 ? -3 : 0);
      const auto m = test::make_array<std::int32_t, 2, L, E>({n[0], whole ? n[1] : 1}, chosen);
      const auto x = test::make_array<T, 2, L, E>(n, a), out = test::make_array<T, 2, L, E>(n, before);
      const auto y = test::make_array<T, 1, L, E>({n[1]}, b);
      quern::map(this->e, out, added(), mask{m}, x, y);
      std::vector<T> expected = before;
      for (std::int64_t i = 0; i < n[0] * n[1]; ++i)
        if (chosen[whole ? i : i / n[1]] != 0) expected[i] = added()(a[i], b[i % n[1]]);
      EXPECT_EQ(expected, test::contents(out));
    }
  }
}

template <class Exec>
struct MaskedMapOn : testing::Test {
  template <class T>
  static auto row(const std::vector<T>& v) {
    return test::make_array<T, 1, Kokkos::LayoutRight, Exec>({static_cast<std::int64_t>(v.size())}, v);
  }
};
TYPED_TEST_SUITE(MaskedMapOn, test::all_spaces);

TYPED_TEST(MaskedMapOn, WritesSeveralOutputsAndInPlace) {
  const TypeParam e;
  const auto m = this->row(std::vector<std::uint8_t>{1, 0, 1, 0});
  const auto x = this->row(std::vector<double>{1, 2, 3, 4}), u = this->row(std::vector<double>(4, 9));
  const auto v = this->row(std::vector<float>(4, 8));
  quern::map(e, outputs(u, v), both_signs(), mask{m}, x);
  EXPECT_EQ((std::vector<double>{1, 9, 3, 9}), test::contents(u));
  EXPECT_EQ((std::vector<float>{-1, 8, -3, 8}), test::contents(v));
  quern::map(x, added(), mask{m}, x, x);
  EXPECT_EQ((std::vector<double>{2, 2, 6, 4}), test::contents(x));
  quern::map(x, added(), quern::named{"masked"}, mask{true}, x, 1.0);
  EXPECT_EQ((std::vector<double>{3, 3, 7, 5}), test::contents(x));
}

TYPED_TEST(MaskedMapOn, CallsTheFunctionForSelectedElementsAlone) {
  const auto b = this->row(std::vector<int>{0, 2, 0, -3}), out = this->row(std::vector<int>{7, 7, 7, 7});
  quern::map(TypeParam(), out, quotient(), mask{b}, 12, b);
  EXPECT_EQ((std::vector<int>{7, 6, 7, -4}), test::contents(out));
}

TYPED_TEST(MaskedMapOn, ComputesLazyInputsOfSelectedElementsAlone) {
  const auto b = this->row(std::vector<int>{0, 2, 0, -3}), out = this->row(std::vector<int>{7, 7, 7, 7});
  quern::add(TypeParam(), out, quern::lazy(quotient(), 12, b), 1, mask{b});
  EXPECT_EQ((std::vector<int>{7, 7, 7, -3}), test::contents(out));
  quern::fill(TypeParam(), out, 5, mask{b});
  EXPECT_EQ((std::vector<int>{7, 5, 7, 5}), test::contents(out));
  quern::clip(TypeParam(), out, b, -1, 1, mask{b});
  EXPECT_EQ((std::vector<int>{7, 1, 7, -1}), test::contents(out));
}

TYPED_TEST(MaskedMapOn, LeavesWhatIsNotSelectedOfEveryFunction) {
  const TypeParam e;
  const double nan = std::numeric_limits<double>::quiet_NaN();
  const auto row = [this](std::initializer_list<double> v) { return this->row(std::vector<double>(v)); };
  const auto x = row({nan, 2, nan, 4}), y = row({5, 2, 7, 8});
  const auto m = this->row(std::vector<std::uint8_t>{1, 0, 0, 1});
  const auto c = this->row(std::vector<bool>{true, true, false, false});
  const auto written = [&](const auto& write) {
    const auto out = row({9, 9, 9, 9});
    write(out);
    return test::contents(out);
  };
  EXPECT_EQ((std::vector<double>{5, 9, 9, 8}), written([&](auto out) { quern::copy(e, out, y, mask{m}); }));
  EXPECT_EQ((std::vector<double>{0, 9, 9, 4}), written([&](auto out) { quern::nan_to_num(e, out, x, mask{m}); }));
  EXPECT_EQ((std::vector<double>{-1, 9, 9, 4}),
            written([&](auto out) { quern::nan_to_num(e, out, x, mask{m}, quern::replacements{.nan = -1}); }));
  EXPECT_EQ((std::vector<double>{1, 9, 9, 0}),
            written([&](auto out) { quern::isclose(e, out, row({5, 2, 7, 3}), y, quern::equal_nan, mask{m}); }));
  EXPECT_EQ((std::vector<double>{5, 9, 9, -1}), written([&](auto out) { quern::where(e, out, c, y, -1, mask{m}); }));
  EXPECT_EQ((std::vector<double>{5, 9, 9, -2}), written([&](auto out) { quern::select(e, out, mask{m}, c, y, -2); }));
  EXPECT_EQ((std::vector<double>{6, 9, 9, -3}),
            written([&](auto out) { quern::piecewise(e, out, quern::pieces(plus_one(), -3), mask{m}, y, c); }));
  const auto square = [&](const auto& write) {
    const auto out = test::make_array<double, 2, Kokkos::LayoutRight, TypeParam>({2, 2}, std::vector<double>(4, 9));
    write(out, test::make_array<double, 2, Kokkos::LayoutRight, TypeParam>({2, 2}, std::vector<double>{1, 2, 3, 4}));
    return test::contents(out);
  };
  const auto rows = this->row(std::vector<int>{0, 1});
  EXPECT_EQ((std::vector<double>{9, 0, 9, 4}), square([&](auto out, auto in) { quern::tril(e, out, in, mask{rows}); }));
  EXPECT_EQ((std::vector<double>{9, 0, 9, 0}),
            square([&](auto out, auto in) { quern::triu(e, out, in, quern::diagonal_offset{2}, mask{rows}); }));
}

TYPED_TEST(MaskedMapOn, WorksInChunks) {
  const TypeParam e;
  const auto x = test::behind<double>(std::array<std::int64_t, 2>{50, 3});
  const auto chosen = test::behind<int>(std::array<std::int64_t, 2>{50, 3}, 5);
  const auto out = test::make_array<double, 2, Kokkos::LayoutRight, TypeParam>({50, 3}, std::vector<double>(150, 99));
  std::vector<double> expected(150, 99);
  for (int i = 0; i < 150; ++i)
    if (chosen.values[i] != 0) expected[i] = 2 * x.values[i];
  for (const std::int64_t rows : {1, 7, 100}) {
    quern::map(e, out, added(), mask{chosen.source()}, test::memory_for(x, rows, 3), x.source(), x.source());
    EXPECT_EQ(expected, test::contents(out));
    quern::map(e, out, added(), test::memory_for(x, rows, 3), mask{chosen.source()}, x.source(), x.source());
    EXPECT_EQ(expected, test::contents(out));
    quern::select(e, out, mask{chosen.source()}, test::memory_for(x, rows, 3), true, x.source());
    quern::piecewise(e, out, quern::pieces(added_to_itself()), test::memory_for(x, rows, 3), mask{chosen.source()},
                     x.source(), true);
    EXPECT_EQ(expected, test::contents(out));
  }
}

TYPED_TEST(MaskedMapOn, RejectsMasksThatDoNotFit) {
  const TypeParam e;
  const auto out = this->row(std::vector<int>(4, 1));
  const Kokkos::View<bool*, TypeParam> wrong("m", 3);
  test::expect_error("quern::map: the mask has extents (3), which do not broadcast to (4)",
                     [&] { quern::map(e, out, added(), mask{wrong}, out, 1); });
  EXPECT_THROW(quern::map(e, out, added(), mask{out}, out, 1), quern::Error);
  EXPECT_EQ((std::vector<int>(4, 1)), test::contents(out));
}

}  // namespace
