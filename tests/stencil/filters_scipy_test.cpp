// SPDX-FileCopyrightText: the Quern authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Filters beside those of scipy.ndimage, on small arrays.

#include <algorithm>
#include <quern/stencil.hpp>
#include <string>
#include <support/boundaries.hpp>
#include <support/reference_archive.hpp>
#include <support/testing.hpp>

namespace {

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
struct FiltersSciPy : testing::Test {};
TYPED_TEST_SUITE(FiltersSciPy, test::all_spaces);

// Windows of even extents and of extents beyond those of the arrays.
TYPED_TEST(FiltersSciPy, WeightsAgreeWithSciPy) {
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

}  // namespace
