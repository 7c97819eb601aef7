// SPDX-FileCopyrightText: the Quern authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Filters with run-time sizes: SciPy's results, and larger arrays against plain sums.

#include <algorithm>
#include <cmath>
#include <quern/stencil.hpp>
#include <support/boundaries.hpp>
#include <support/reference_archive.hpp>
#include <support/testing.hpp>

namespace {

using quern::boundary;

const test::reference_archive scipy("stencil/data/scipy.npz");

template <int Rank>
std::array<std::int64_t, Rank> extents_of(const std::string& name) {
  std::array<std::int64_t, Rank> n;
  std::copy_n(scipy.extents(name).begin(), Rank, n.begin());
  return n;
}

/// Calls f with the rank of this array as a constant.
template <class F>
void with_rank_of(const std::string& name, const F& f) {
  const auto rank = scipy.extents(name).size();
  if (rank == 1) f(std::integral_constant<int, 1>());
  else if (rank == 2) f(std::integral_constant<int, 2>());
  else f(std::integral_constant<int, 3>());
}

template <class Exec>
struct FiltersOn : testing::Test {};
TYPED_TEST_SUITE(FiltersOn, test::all_spaces);

// Windows of even extents and of extents beyond those of the arrays.
TYPED_TEST(FiltersOn, WeightsAgreeWithSciPy) {
  using E = TypeParam;
  const auto array = []<int Rank>(std::integral_constant<int, Rank>, const std::string& name) {
    return test::make_array<std::int64_t, Rank, Kokkos::LayoutLeft, E>(extents_of<Rank>(name),
                                                                       scipy.values<std::int64_t>(name));
  };
  for (int k = 0; k < 8; ++k) {
    const std::string group = "weights/" + std::to_string(k) + "/";
    with_rank_of(group + "in", [&](auto rank) {
      const auto in = array(rank, group + "in"), weights = array(rank, group + "weights"),
                 out = array(rank, group + "in");
      for (const std::string mode : test::mode_names) {
        quern::correlate(E(), out, in, weights, test::mode_named(mode));
        EXPECT_EQ(scipy.values<std::int64_t>(group + "correlate/" + mode), test::contents(out)) << group << mode;
        quern::convolve(E(), out, in, weights, test::mode_named(mode));
        EXPECT_EQ(scipy.values<std::int64_t>(group + "convolve/" + mode), test::contents(out)) << group << mode;
      }
    });
  }
}

template <class Case>
struct Smoothing : testing::Test {
  using E = typename Case::exec;
  using T = typename Case::value;

  /// A parameter for each axis.
  template <int Rank, class P>
  static quern::per_axis<P> per_axis(const std::string& name) {
    const auto p = scipy.values(name);
    const auto at = [&](int d) { return static_cast<P>(p[d]); };
    if constexpr (Rank == 1) return quern::per_axis<P>(at(0));
    else if constexpr (Rank == 2) return quern::per_axis<P>({at(0), at(1)});
    else return quern::per_axis<P>({at(0), at(1), at(2)});
  }
  /// Sums of weights that are 1 together, of values up to 5.
  static void expect_near(const std::string& name, const std::vector<T>& found) {
    const auto expected = scipy.values(name);
    ASSERT_EQ(expected.size(), found.size());
    for (std::size_t i = 0; i < found.size(); ++i)
      EXPECT_NEAR(expected[i], found[i], 5 * 16 * test::eps<T>()) << name << ' ' << i;
  }
  template <int Rank>
  static void agrees(const std::string& group) {
    const auto n = extents_of<Rank>(group + "in");
    const auto values = scipy.values(group + "in");
    const auto in =
        test::make_array<T, Rank, typename Case::layout, E>(n, std::vector<T>(values.begin(), values.end()));
    const auto out = test::make_array<T, Rank, typename Case::layout, E>(n);
    for (const std::string mode : test::mode_names) {
      quern::uniform_filter(E(), out, in, per_axis<Rank, int>(group + "sizes"), test::mode_named(mode));
      expect_near(group + "uniform_filter/" + mode, test::contents(out));
      quern::gaussian_filter(E(), out, in, per_axis<Rank, double>(group + "sigmas"), test::mode_named(mode));
      expect_near(group + "gaussian_filter/" + mode, test::contents(out));
    }
  }
};
using some_types = test::covering<double, float>;
TYPED_TEST_SUITE(Smoothing, some_types);

TYPED_TEST(Smoothing, AgreesWithSciPy) {
  for (int k = 0; k < 4; ++k) {
    const std::string group = "smoothing/" + std::to_string(k) + "/";
    with_rank_of(group + "in",
                 [&]<int Rank>(std::integral_constant<int, Rank>) { TestFixture::template agrees<Rank>(group); });
  }
}

/// Sums of a window in 64 bits, where the array goes on in a circle.
inline std::vector<std::int64_t> plain_sums(const std::vector<std::int8_t>& in, int rows, int columns, int high,
                                            int wide) {
  std::vector<std::int64_t> sums(in.size());
  for (int j = 0; j < rows; ++j)
    for (int i = 0; i < columns; ++i)
      for (int k = -(high / 2); k <= (high - 1) / 2; ++k)
        for (int l = -(wide / 2); l <= (wide - 1) / 2; ++l)
          sums[j * columns + i] += in[(j + k + 8 * rows) % rows * columns + (i + l + 8 * columns) % columns];
  return sums;
}

TYPED_TEST(FiltersOn, MeansOfIntegersRoundDown) {
  using L = Kokkos::LayoutRight;
  const int rows = 37, columns = 71;
  std::vector<std::int8_t> values(rows * columns);
  for (std::size_t i = 0; i < values.size(); ++i) values[i] = static_cast<std::int8_t>(20 * test::sample(i, 5));
  const auto in = test::make_array<std::int8_t, 2, L, TypeParam>({rows, columns}, values);
  const auto mean = test::make_array<std::int8_t, 2, L, TypeParam>({rows, columns});
  const auto sum = test::make_array<std::int32_t, 2, L, TypeParam>({rows, columns});
  const auto exact = test::make_array<double, 2, L, TypeParam>({rows, columns});
  for (const auto& [high, wide] : {std::pair{3, 3}, {5, 4}, {1, 9}, {2, 1}}) {
    const quern::per_axis<int> size{high, wide};
    quern::uniform_filter(TypeParam(), mean, in, size, boundary::wrap);
    quern::uniform_filter(TypeParam(), exact, in, size, boundary::wrap);
    quern::box_sum(TypeParam(), sum, in, size, boundary::wrap);
    const auto expected = plain_sums(values, rows, columns, high, wide);
    const auto means = test::contents(mean);
    const auto sums = test::contents(sum);
    const auto exacts = test::contents(exact);
    int negative = 0;
    for (std::size_t i = 0; i < values.size(); ++i) {
      ASSERT_EQ(expected[i], sums[i]);
      ASSERT_EQ(std::floor(static_cast<double>(expected[i]) / (high * wide)), means[i]);
      ASSERT_NEAR(static_cast<double>(expected[i]) / (high * wide), exacts[i], 1e-13);
      negative += expected[i] < 0 && expected[i] % (high * wide) != 0;
    }
    EXPECT_TRUE(negative > 0 || high * wide == 1);
  }
}

__extension__ typedef __int128 int128;

/// The sum of a window of `size` along each axis, exact, where the array goes on in a circle.
template <class T>
std::vector<int128> exact_sums(const std::vector<T>& in, int rows, int columns, int size) {
  std::vector<int128> sums(in.size());
  for (int j = 0; j < rows; ++j)
    for (int i = 0; i < columns; ++i)
      for (int k = -(size / 2); k <= (size - 1) / 2; ++k)
        for (int l = -(size / 2); l <= (size - 1) / 2; ++l)
          sums[j * columns + i] += in[(j + k + size * rows) % rows * columns + (i + l + size * columns) % columns];
  return sums;
}

template <class Exec>
struct ExactMeans {
  template <class T>
  static void check(int size) {
    const int rows = 5, columns = 7;
    std::vector<T> values(rows * columns);
    for (std::size_t i = 0; i < values.size(); ++i) {
      const T largest = std::numeric_limits<T>::max(), smallest = std::numeric_limits<T>::min();
      values[i] = i % 3 == 0 ? static_cast<T>(largest - T(i)) : i % 5 == 0 ? static_cast<T>(smallest + T(i)) : largest;
    }
    const auto in = test::make_array<T, 2, Kokkos::LayoutRight, Exec>({rows, columns}, values);
    const auto mean = test::make_array<T, 2, Kokkos::LayoutRight, Exec>({rows, columns});
    const auto sum = test::make_array<std::int64_t, 2, Kokkos::LayoutRight, Exec>({rows, columns});
    const auto real = test::make_array<double, 2, Kokkos::LayoutRight, Exec>({rows, columns});
    quern::uniform_filter(Exec(), mean, in, size, boundary::wrap);
    quern::uniform_filter(Exec(), real, in, size, boundary::wrap);
    quern::box_sum(Exec(), sum, in, size, boundary::wrap);
    const auto real_sum = test::make_array<double, 2, Kokkos::LayoutRight, Exec>({rows, columns});
    quern::box_sum(Exec(), real_sum, in, size, boundary::wrap);
    const auto expected = exact_sums(values, rows, columns, size);
    const auto means = test::contents(mean);
    const auto sums = test::contents(sum);
    const auto reals = test::contents(real), real_sums = test::contents(real_sum);
    const int128 cells = size * size;
    for (std::size_t i = 0; i < expected.size(); ++i) {
      const int128 rest = (expected[i] % cells + cells) % cells;
      ASSERT_EQ(static_cast<T>((expected[i] - rest) / cells), means[i]) << size << ' ' << i;
      ASSERT_EQ(static_cast<std::int64_t>(static_cast<std::uint64_t>(expected[i])), sums[i]) << size << ' ' << i;
      ASSERT_EQ(static_cast<double>(expected[i]), real_sums[i]) << size << ' ' << i;
      const double right = static_cast<double>(expected[i]) / static_cast<double>(cells);
      ASSERT_NEAR(right, reals[i], 4 * test::eps<double>() * std::fabs(right)) << size << ' ' << i;
    }
  }
};

TEST(WideSums, AreTheNearestDouble) {
  using quern::impl::wide_sum;
  const auto check = [](int128 x) {
    wide_sum s;
    s.low = static_cast<std::uint64_t>(x);
    s.high = static_cast<std::int64_t>(x >> 64);
    EXPECT_EQ(static_cast<double>(x), static_cast<double>(s)) << static_cast<double>(x);
  };
  for (int bit = 0; bit < 126; ++bit)
    for (const int128 near : {-3, -2, -1, 0, 1, 2, 3})
      for (const int128 more : {int128(0), int128(1) << bit / 2, int128(1) << std::max(0, bit - 53)}) {
        check((int128(1) << bit) + near + more);
        check(-(int128(1) << bit) + near - more);
      }
}

// Whose sums are less than one wide digit from 0.
TYPED_TEST(FiltersOn, RealMeansOfSmallWideIntegers) {
  const auto mean_of = [](const auto& values, int size) {
    using T = typename std::remove_cvref_t<decltype(values)>::value_type;
    const auto n = static_cast<std::int64_t>(values.size());
    const auto in = test::make_array<T, 1, Kokkos::LayoutRight, TypeParam>({n}, values);
    const auto out = test::make_array<double, 1, Kokkos::LayoutRight, TypeParam>({n});
    quern::uniform_filter(TypeParam(), out, in, size, boundary::wrap);
    return test::contents(out);
  };
  using wide = std::vector<std::int64_t>;
  for (const double x : mean_of(wide{-1, -2, -3}, 3)) EXPECT_NEAR(-2, x, 1e-15);
  EXPECT_EQ((std::vector<double>{-1, -2, -3}), mean_of(wide{-1, -2, -3}, 1));
  for (const double x : mean_of(wide{-7, 3, -1, 2, -9}, 5)) EXPECT_NEAR(-2.4, x, 1e-15);
  const auto most = std::numeric_limits<std::int64_t>::min();
  for (const double x : mean_of(wide{most, most, most, most}, 4)) EXPECT_EQ(-0x1p63, x);
  for (const double x : mean_of(std::vector<std::uint64_t>{1, 2, 3}, 3)) EXPECT_NEAR(2, x, 1e-15);
}

// Sums beyond 32 bits of narrow values, and beyond 64 of wide ones.
TYPED_TEST(FiltersOn, MeansOfIntegersAreExact) {
  for (const int size : {1, 2, 3, 4, 200}) {
    ExactMeans<TypeParam>::template check<std::int8_t>(size);
    ExactMeans<TypeParam>::template check<std::uint16_t>(size);
    ExactMeans<TypeParam>::template check<std::uint32_t>(size);
    ExactMeans<TypeParam>::template check<std::int64_t>(size);
    ExactMeans<TypeParam>::template check<std::uint64_t>(size);
  }
}

TYPED_TEST(FiltersOn, ConstantsBesideWideIntegers) {
  const auto big = std::int64_t{1} << 62;
  const auto in = test::make_array<std::int64_t, 2, Kokkos::LayoutRight, TypeParam>({1, 2}, {big, big});
  const auto out = test::make_array<std::int64_t, 2, Kokkos::LayoutRight, TypeParam>({1, 2});
  quern::uniform_filter(TypeParam(), out, in, 3, boundary::constant(big));
  EXPECT_EQ((std::vector<std::int64_t>{big, big}), test::contents(out));
  quern::uniform_filter(TypeParam(), out, in, {3, 5}, boundary::constant(-big));  // 2 cells of big among 15
  const auto expected = static_cast<std::int64_t>((int128(big) * (2 - 13) - 14) / 15);
  EXPECT_EQ((std::vector<std::int64_t>{expected, expected}), test::contents(out));
}

TYPED_TEST(FiltersOn, LargeWeightsOfNarrowValues) {
  const std::int32_t big = 1 << 30;
  const auto in = test::make_array<std::uint8_t, 1, Kokkos::LayoutRight, TypeParam>({4}, {255, 254, 1, 255});
  const auto out = test::make_array<std::int64_t, 1, Kokkos::LayoutRight, TypeParam>({4});
  const auto w = test::make_array<std::int32_t, 1, Kokkos::LayoutRight, TypeParam>({3}, {big, -1, big});
  const auto line = test::make_array<std::int32_t, 1, Kokkos::LayoutRight, TypeParam>({2}, {big, big});
  quern::correlate(TypeParam(), out, in, w, boundary::constant(0));
  const std::int64_t b = big;
  EXPECT_EQ((std::vector<std::int64_t>{254 * b - 255, 256 * b - 254, 509 * b - 1, b - 255}), test::contents(out));
  quern::correlate(TypeParam(), out, in, quern::separable(line), boundary::constant(0));
  EXPECT_EQ((std::vector<std::int64_t>{255 * b, 509 * b, 255 * b, 256 * b}), test::contents(out));
}

// Sums of more than 64 bits, which floating-point outputs hold: in one pass and in two, beside a constant.
TYPED_TEST(FiltersOn, RealSumsOfWideIntegersAreRoundedOnce) {
  const auto sums_of = []<class T, class W>(const std::vector<T>& values, const std::vector<W>& list, T edge,
                                            auto out_value) {
    const std::int64_t n = static_cast<std::int64_t>(values.size()), cells = static_cast<std::int64_t>(list.size());
    const auto in = test::make_array<T, 2, Kokkos::LayoutRight, TypeParam>({1, n}, values);
    const auto line = test::make_array<W, 1, Kokkos::LayoutRight, TypeParam>({cells}, list);
    const auto one = test::make_array<W, 1, Kokkos::LayoutRight, TypeParam>({1}, {W(3)});
    std::vector<W> tripled;
    for (const W w : list) tripled.push_back(static_cast<W>(3 * w));
    const auto all = test::make_array<W, 2, Kokkos::LayoutRight, TypeParam>({1, cells}, tripled);
    const auto out = test::make_array<decltype(out_value), 2, Kokkos::LayoutRight, TypeParam>({1, n});
    const auto parts = test::make_array<decltype(out_value), 2, Kokkos::LayoutRight, TypeParam>({1, n});
    quern::correlate(TypeParam(), out, in, all, boundary::constant(edge));
    quern::correlate(TypeParam(), parts, in, quern::separable(one, line), boundary::constant(edge));
    for (std::int64_t i = 0; i < n; ++i) {
      int128 sum = 0;
      for (std::int64_t k = 0; k < cells; ++k) {
        const std::int64_t at = i + k - cells / 2;
        sum += int128(3) * list[k] * (at < 0 || at >= n ? edge : values[at]);
      }
      EXPECT_EQ(static_cast<decltype(out_value)>(static_cast<double>(sum)), test::contents(out)[i]) << i;
      EXPECT_EQ(static_cast<decltype(out_value)>(static_cast<double>(sum)), test::contents(parts)[i]) << i;
    }
  };
  const std::int64_t most = std::numeric_limits<std::int64_t>::max(), least = std::numeric_limits<std::int64_t>::min();
  sums_of(std::vector<std::int64_t>{most, most, 1, least, 7}, std::vector<std::int64_t>{1 << 20, -5, 3}, most, 0.0);
  sums_of(std::vector<std::int64_t>{most, 1, least, most, 7}, std::vector<int>{1, 1, 1, 1, 1, 1, 1}, least, 0.0f);
  const auto top = std::numeric_limits<std::uint64_t>::max();
  sums_of(std::vector<std::uint64_t>{top, top, 1, 0, top - 1}, std::vector<std::uint32_t>{1, 4, 3}, top, 0.0);
  const std::int16_t small = 32767;
  sums_of(std::vector<std::int16_t>(6, small), std::vector<std::int16_t>(5, 10000), small, 0.0);
  const std::int32_t big = std::numeric_limits<std::int32_t>::max();
  sums_of(std::vector<std::int32_t>{big, big, big, -big}, std::vector<std::int32_t>{big / 3, big / 3, big / 3}, big,
          0.0);
}

/// The outer product of two lists.
std::vector<double> product_of(const std::vector<double>& a, const std::vector<double>& b) {
  std::vector<double> w;
  for (const double x : a)
    for (const double y : b) w.push_back(x * y);
  return w;
}

template <class Exec, class Layout>
void expect_separable(const std::vector<double>& down, const std::vector<double>& across,
                      const quern::boundaries& edge) {
  const std::array<std::int64_t, 2> n{23, 29};
  const auto values = test::samples<double>(n[0] * n[1]);
  const auto line = [](const std::vector<double>& v) {
    return test::make_array<double, 1, Layout, Exec>({static_cast<std::int64_t>(v.size())}, v);
  };
  const auto w0 = line(down), w1 = line(across);
  const auto w = test::make_array<double, 2, Layout, Exec>(
      {static_cast<std::int64_t>(down.size()), static_cast<std::int64_t>(across.size())}, product_of(down, across));
  const auto in = test::make_array<double, 2, Layout, Exec>(n, values);
  for (const bool turned : {false, true}) {
    const auto whole = test::make_array<double, 2, Layout, Exec>(n, std::vector<double>(n[0] * n[1], 99));
    const auto parts = test::make_array<double, 2, Layout, Exec>(n, std::vector<double>(n[0] * n[1], 99));
    if (turned) {
      quern::convolve(Exec(), whole, in, w, edge);
      quern::convolve(Exec(), parts, in, quern::separable(w0, w1), edge);
    } else {
      quern::correlate(Exec(), whole, in, w, edge);
      quern::correlate(Exec(), parts, in, quern::separable(w0, w1), edge);
    }
    const auto expected = test::contents(whole), found = test::contents(parts);
    for (std::size_t i = 0; i < expected.size(); ++i) ASSERT_NEAR(expected[i], found[i], 1e-9) << i;
  }
}

TYPED_TEST(FiltersOn, SeparableWeightsAreTheirProduct) {
  const std::vector<double> odd = {1, -2, 3, 4, 0.5}, even = {2, 1, -3, 5};
  const auto k = boundary::constant(2.5);
  for (const quern::boundaries& edge :
       {quern::boundaries(k), quern::boundaries(boundary::keep), quern::boundaries(boundary::wrap),
        quern::boundaries{boundary::keep, boundary::reflect}, quern::boundaries{boundary::mirror, boundary::keep},
        quern::boundaries{quern::boundary_pair{boundary::keep, k}, quern::boundary_pair{boundary::nearest, k}},
        quern::boundaries(quern::interior_only{{2, 20}, {5, 24}})}) {
    expect_separable<TypeParam, Kokkos::LayoutRight>(odd, even, edge);
    expect_separable<TypeParam, Kokkos::LayoutLeft>(even, odd, edge);
  }
  // More weights than go along with a kernel: 81 of a window, 65 of a line.
  expect_separable<TypeParam, Kokkos::LayoutRight>(std::vector<double>(9, 0.5), std::vector<double>(9, 2.0), k);
  std::vector<double> many(65);
  for (int i = 0; i < 65; ++i) many[i] = test::sample(i, 2);
  expect_separable<TypeParam, Kokkos::LayoutRight>(many, odd, boundary::reflect);
}

/// An image that its boundaries continue: rows in a circle or by a constant, columns by their nearest or by another
/// one.
struct continued_image {
  int rows, columns;
  std::vector<std::int64_t> values;
  bool constants;
  static constexpr std::int64_t above = 3, beside = -2;

  quern::boundaries edge() const {
    if (constants) return quern::boundaries{boundary::constant(above), boundary::constant(beside)};
    return quern::boundaries{boundary::wrap, boundary::nearest};
  }
  std::int64_t at(int j, int i) const {
    if (!constants) return values[(j % rows + rows) % rows * columns + std::clamp(i, 0, columns - 1)];
    if (i < 0 || i >= columns) return beside;
    return j < 0 || j >= rows ? above : values[j * columns + i];
  }
  /// The sum of a window with the weights down(k) * across(l).
  template <class Down, class Across>
  std::int64_t sum(int j, int i, int high, int wide, const Down& down, const Across& across) const {
    std::int64_t s = 0;
    for (int k = 0; k < high; ++k)
      for (int l = 0; l < wide; ++l) s += down(k) * across(l) * at(j + k - high / 2, i + l - wide / 2);
    return s;
  }
};

template <class Exec, class Layout, class T>
void expect_wide_windows(const continued_image& image, int high, int wide) {
  const auto down = [](int k) { return k % 3 - 1; };
  const auto across = [](int l) { return l % 4 - 2; };
  const auto one = [](int) { return 1; };
  const auto array = [](std::int64_t n, const auto& f) {
    std::vector<T> v(n);
    for (int k = 0; k < n; ++k) v[k] = static_cast<T>(f(k));
    return test::make_array<T, 1, Layout, Exec>({n}, v);
  };
  std::vector<T> products;
  for (int k = 0; k < high; ++k)
    for (int l = 0; l < wide; ++l) products.push_back(static_cast<T>(down(k) * across(l)));
  const std::array<std::int64_t, 2> n{image.rows, image.columns};
  const auto in = test::make_array<T, 2, Layout, Exec>(n, std::vector<T>(image.values.begin(), image.values.end()));
  const auto product = test::make_array<T, 2, Layout, Exec>({high, wide}, products);
  const auto whole = test::make_array<T, 2, Layout, Exec>(n), lines = test::make_array<T, 2, Layout, Exec>(n),
             boxes = test::make_array<T, 2, Layout, Exec>(n);
  quern::correlate(Exec(), whole, in, product, image.edge());
  quern::correlate(Exec(), lines, in, quern::separable(array(high, down), array(wide, across)), image.edge());
  quern::box_sum(Exec(), boxes, in, {high, wide}, image.edge());
  const auto of_whole = test::contents(whole), of_lines = test::contents(lines), of_boxes = test::contents(boxes);
  for (int j = 0; j < image.rows; ++j)
    for (int i = 0; i < image.columns; ++i) {
      const int at = j * image.columns + i;
      const auto weighted = static_cast<T>(image.sum(j, i, high, wide, down, across));
      ASSERT_EQ(weighted, of_whole[at]) << high << " x " << wide << " at " << j << ", " << i;
      ASSERT_EQ(weighted, of_lines[at]) << high << " x " << wide << " at " << j << ", " << i;
      ASSERT_EQ(static_cast<T>(image.sum(j, i, high, wide, one, one)), of_boxes[at]) << high << " x " << wide;
    }
}

// Windows that devices apply in tiles, of arrays that take several tiles and do not fill the last. All sums are exact.
TYPED_TEST(FiltersOn, WideWindows) {
  continued_image image{70, 261, {}, false};
  for (int n = 0; n < image.rows * image.columns; ++n)
    image.values.push_back(static_cast<std::int64_t>(10 * test::sample(n, 7)));
  for (const bool constants : {false, true}) {
    image.constants = constants;
    for (const auto& [high, wide] : {std::pair{7, 9}, {17, 6}, {2, 33}, {20, 1}, {1, 200}, {80, 2}}) {
      expect_wide_windows<TypeParam, Kokkos::LayoutRight, float>(image, high, wide);
      expect_wide_windows<TypeParam, Kokkos::LayoutLeft, std::int64_t>(image, wide, high);
    }
  }
}

TYPED_TEST(FiltersOn, WideWindowsOfThreeAxes) {
  using L = Kokkos::LayoutRight;
  const std::array<std::int64_t, 3> n{5, 37, 130};
  std::vector<double> values(n[0] * n[1] * n[2]);
  for (std::size_t i = 0; i < values.size(); ++i) values[i] = std::floor(10 * test::sample(i, 4));
  const auto check = [&]<class Layout>(Layout) {
    const auto in = test::make_array<double, 3, Layout, TypeParam>(n, values);
    const auto sums = test::make_array<double, 3, Layout, TypeParam>(n),
               again = test::make_array<double, 3, Layout, TypeParam>(n);
    const auto ones = test::make_array<double, 3, Layout, TypeParam>({3, 5, 4}, std::vector<double>(60, 1.0));
    quern::box_sum(TypeParam(), sums, in, {3, 5, 4}, boundary::reflect);
    quern::correlate(TypeParam(), again, in, ones, boundary::reflect);
    const auto found = test::contents(sums);
    EXPECT_EQ(found, test::contents(again));
    return found;
  };
  const auto found = check(L());
  EXPECT_EQ(found, check(Kokkos::LayoutLeft()));
  const auto at = [&](int l, int j, int i) {  // reflected
    const auto inside = [](int x, std::int64_t extent) { return x < 0 ? -1 - x : x < extent ? x : 2 * extent - 1 - x; };
    return values[(inside(l, n[0]) * n[1] + inside(j, n[1])) * n[2] + inside(i, n[2])];
  };
  for (int cell = 0; cell < static_cast<int>(values.size()); cell += 7) {
    const int i = cell % 130, j = cell / 130 % 37, l = cell / 130 / 37;
    double sum = 0;
    for (int c = -1; c <= 1; ++c)
      for (int b = -2; b <= 2; ++b)
        for (int a = -2; a <= 1; ++a) sum += at(l + c, j + b, i + a);
    ASSERT_EQ(sum, found[cell]) << cell;
  }
}

// More weights than a team's memory holds, and windows that are much wider than the array.
TYPED_TEST(FiltersOn, ThousandsOfWeights) {
  const std::array<std::int64_t, 2> n{40, 30};
  const auto in = test::make_array<double, 2, Kokkos::LayoutRight, TypeParam>(n, std::vector<double>(1200, 2.5));
  const auto out = test::make_array<double, 2, Kokkos::LayoutRight, TypeParam>(n);
  for (const auto& [down, across] : {std::pair{1500.0, 0.5}, {0.5, 200.0}, {300.0, 20.0}}) {
    quern::gaussian_filter(TypeParam(), out, in, {down, across}, boundary::mirror);
    for (const double found : test::contents(out)) ASSERT_NEAR(2.5, found, 1e-12) << down << ", " << across;
  }
}

TYPED_TEST(FiltersOn, NoWeightBeyondTheWindow) {
  // A NaN next to a window must not be multiplied by an imagined zero.
  std::vector<double> values(30, 1.0);
  values[0] = std::nan("");
  const auto in = test::make_array<double, 2, Kokkos::LayoutRight, TypeParam>({5, 6}, values);
  const auto out = test::make_array<double, 2, Kokkos::LayoutRight, TypeParam>({5, 6});
  const auto w = test::make_array<double, 2, Kokkos::LayoutRight, TypeParam>({1, 3}, {1, 1, 1});
  quern::correlate(TypeParam(), out, in, w, boundary::nearest);
  const auto found = test::contents(out);
  for (int i = 0; i < 30; ++i) EXPECT_EQ(i > 1 ? 3.0 : -1.0, std::isnan(found[i]) ? -1.0 : found[i]) << i;
}

TYPED_TEST(FiltersOn, ComplexNumbers) {
  using complex = Kokkos::complex<float>;
  std::vector<float> re(20), im(20);
  std::vector<complex> both(20);
  for (int i = 0; i < 20; ++i) {
    re[i] = static_cast<float>(test::sample(i, 1));
    im[i] = static_cast<float>(test::sample(i, 2));
    both[i] = complex(re[i], im[i]);
  }
  const auto smoothed = [](const auto& values) {
    using T = typename std::remove_cvref_t<decltype(values)>::value_type;
    const auto in = test::make_array<T, 1, Kokkos::LayoutRight, TypeParam>({20}, values);
    const auto out = test::make_array<T, 1, Kokkos::LayoutRight, TypeParam>({20});
    quern::gaussian_filter(TypeParam(), out, in, 1.0, boundary::reflect);
    return test::contents(out);
  };
  const auto found = smoothed(both);
  const auto real = smoothed(re), imaginary = smoothed(im);
  for (int i = 0; i < 20; ++i) {
    EXPECT_NEAR(real[i], found[i].real(), 1e-5f);
    EXPECT_NEAR(imaginary[i], found[i].imag(), 1e-5f);
  }
}

TEST(FiltersDefault, RunOnTheDefaultSpace) {
  using E = Kokkos::DefaultExecutionSpace;
  const auto in = test::make_array<float, 1, Kokkos::LayoutRight, E>({4}, {1, 2, 4, 8});
  const auto out = test::make_array<float, 1, Kokkos::LayoutRight, E>({4});
  const auto w = test::make_array<float, 1, Kokkos::LayoutRight, E>({2}, {1, 10});
  const auto is = [&](const std::vector<float>& expected) { EXPECT_EQ(expected, test::contents(out)); };
  quern::correlate(out, in, w, boundary::constant(0));
  is({10, 21, 42, 84});
  quern::convolve(out, in, w, boundary::constant(0));
  is({12, 24, 48, 80});
  quern::box_sum(out, in, 3, boundary::constant(0));
  is({3, 7, 14, 12});
  quern::uniform_filter(out, in, 2, boundary::nearest);
  is({1, 1.5, 3, 6});
  quern::gaussian_filter(out, in, 0.0, boundary::nearest);
  is({1, 2, 4, 8});
  quern::gaussian_filter(out, in, 3.0, boundary::nearest, quern::truncate_at{0.1});  // a weight of 1 alone
  is({1, 2, 4, 8});
}

TYPED_TEST(FiltersOn, ReportMisuse) {
  const auto in = test::make_array<double, 2, Kokkos::LayoutRight, TypeParam>({4, 5});
  const auto out = test::make_array<double, 2, Kokkos::LayoutRight, TypeParam>({4, 5});
  const auto none = test::make_array<double, 2, Kokkos::LayoutRight, TypeParam>({0, 3});
  const auto large = test::make_array<double, 2, Kokkos::LayoutRight, TypeParam>({5, 5});
  const TypeParam exec;
  test::expect_error("quern::correlate: a window of 0 along axis 0, expected at least 1",
                     [&] { quern::correlate(exec, out, in, none, boundary::wrap); });
  test::expect_error("quern::correlate: boundary::keep along axis 0 of extents (4, 5) with a neighbourhood of 5",
                     [&] { quern::correlate(exec, out, in, large, boundary::keep); });
  test::expect_error("quern::convolve: out and in share memory",
                     [&] { quern::convolve(exec, in, in, large, boundary::wrap); });
  test::expect_error("quern::box_sum: 3 parameters for 2 axes",
                     [&] { quern::box_sum(exec, out, in, {1, 2, 3}, boundary::wrap); });
  test::expect_error("quern::uniform_filter: a window of -1 along axis 1, expected at least 1",
                     [&] { quern::uniform_filter(exec, out, in, {2, -1}, boundary::wrap); });
  test::expect_error("quern::uniform_filter: in has extents (5, 5), expected those of out, (4, 5)",
                     [&] { quern::uniform_filter(exec, out, large, 3, boundary::wrap); });
  for (const double bad : {-1.0, std::nan(""), std::numeric_limits<double>::infinity()})
    test::expect_error("quern::gaussian_filter: sigma and truncate must be finite and not negative",
                       [&] { quern::gaussian_filter(exec, out, in, bad, boundary::wrap); });
}

}  // namespace
