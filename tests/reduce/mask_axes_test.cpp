// SPDX-FileCopyrightText: the Quern authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Reductions along axes of what a mask selects, which broadcasts along some.
#include <algorithm>
#include <cmath>
#include <limits>
#include <quern/reduce.hpp>
#include <support/testing.hpp>

namespace {

using quern::mask;
using extents = std::array<std::int64_t, 3>;

/// The selected elements of each result, with their positions along the reduced axes.
template <class T>
using groups = std::vector<std::vector<std::pair<std::int64_t, T>>>;

template <class Case>
struct MasksAlong : testing::Test {
  using exec = typename Case::exec;
  using T = typename Case::value;
  using layout = typename Case::layout;
  exec e;

  static bool has(const quern::axes& along, int d) {
    return std::find(along.number.begin(), along.number.begin() + along.count, d) != along.number.begin() + along.count;
  }
  static groups<T> selected(const extents& n, const extents& of_mask, const quern::axes& along,
                            const std::vector<T>& values, const std::vector<bool>& m) {
    groups<T> all(1);
    std::int64_t results = 1;
    for (int d = 0; d < 3; ++d) results *= has(along, d) ? 1 : n[d];
    all.resize(results);
    for (std::int64_t i = 0; i < n[0] * n[1] * n[2]; ++i) {
      const std::int64_t at[] = {i / (n[1] * n[2]), i / n[2] % n[1], i % n[2]};
      std::int64_t result = 0, position = 0, chosen = 0;
      for (int d = 0; d < 3; ++d) {
        (has(along, d) ? position : result) *= n[d];
        (has(along, d) ? position : result) += at[d];
        chosen = chosen * of_mask[d] + (of_mask[d] == 1 ? 0 : at[d]);
      }
      if (m[chosen]) all[result].emplace_back(position, values[i]);
    }
    return all;
  }

  template <int Kept>
  void check(const extents& n, const extents& of_mask, const quern::axes& along) {
    const auto values = test::samples<T>(n[0] * n[1] * n[2]);
    std::vector<bool> m;
    for (std::int64_t i = 0; i < of_mask[0] * of_mask[1] * of_mask[2]; ++i) m.push_back(test::sample(i, 5) > -1);
    const auto x = test::make_array<T, 3, layout, exec>(n, values);
    const auto mask_view = make_mask(of_mask, m);
    const auto expected = selected(n, of_mask, along, values, m);
    std::array<std::int64_t, Kept> kept{};
    for (int d = 0, k = 0; d < 3; ++d)
      if (!has(along, d)) kept[k++] = n[d];
    compare<Kept>(kept, x, mask_view, along, expected);
  }
  static auto make_mask(const extents& of_mask, const std::vector<bool>& m) {
    std::vector<std::uint8_t> bytes(m.begin(), m.end());
    return test::make_array<std::uint8_t, 3, layout, exec>(of_mask, bytes);
  }
  template <int Kept, class X, class M>
  void compare(const std::array<std::int64_t, Kept>& kept, const X& x, const M& m, const quern::axes& along,
               const groups<T>& expected) {
    const auto sums = test::make_array<double, Kept, layout, exec>(kept);
    const auto means = test::make_array<double, Kept, layout, exec>(kept);
    const auto vars = test::make_array<double, Kept, layout, exec>(kept);
    const auto least = test::make_array<T, Kept, layout, exec>(kept);
    const auto at = test::make_array<std::int64_t, Kept, layout, exec>(kept);
    quern::sum(e, sums, x, along, mask{m});
    quern::mean(e, means, x, along, mask{m});
    quern::template var<double>(e, vars, x, along, mask{m});
    quern::min(e, least, x, along, mask{m});
    quern::argmin(e, at, x, along, mask{m});
    const auto s = test::contents(sums), a = test::contents(means), v = test::contents(vars);
    const auto l = test::contents(least);
    const auto p = test::contents(at);
    for (std::size_t i = 0; i < expected.size(); ++i) {
      const auto& group = expected[i];
      double sum = 0, squares = 0;
      std::pair<std::int64_t, T> best{-1, std::numeric_limits<T>::max()};
      for (const auto& [position, value] : group) {
        sum += static_cast<double>(value);
        if (best.first < 0 || value < best.second) best = {position, value};
      }
      const auto size = static_cast<double>(group.size());
      for (const auto& g : group) squares += std::pow(static_cast<double>(g.second) - sum / size, 2);
      EXPECT_EQ(sum, s[i]);
      EXPECT_EQ(best.first, p[i]);
      if (group.empty()) {
        EXPECT_TRUE(std::isnan(a[i]) && std::isnan(v[i]));
        EXPECT_TRUE(std::is_integral_v<T> ? l[i] == best.second : l[i] != l[i]);
      } else {
        EXPECT_NEAR(sum / size, a[i], 4 * test::eps<float>());
        EXPECT_NEAR(squares / size, v[i], 1e-12 * (1 + squares));
        EXPECT_EQ(best.second, l[i]);
      }
    }
  }
};
using cases = test::covering<double, float, std::int8_t, std::uint16_t, std::int64_t>;
TYPED_TEST_SUITE(MasksAlong, cases);

TYPED_TEST(MasksAlong, OneAxis) {
  for (const extents& n : {extents{3, 5, 70}, extents{70, 1, 5}, extents{2, 65, 33}, extents{1, 300, 2}})
    for (const extents& of_mask : {n, extents{1, n[1], 1}, extents{n[0], 1, 1}, extents{1, 1, n[2]}, extents{1, 1, 1}})
      for (int d = 0; d < 3; ++d) this->template check<2>(n, of_mask, quern::axis{d});
}

TYPED_TEST(MasksAlong, SeveralAxes) {
  for (const extents& n : {extents{3, 5, 70}, extents{40, 3, 17}})
    for (const extents& of_mask : {n, extents{1, n[1], n[2]}, extents{n[0], 1, n[2]}}) {
      this->template check<1>(n, of_mask, quern::axes{0, 2});
      this->template check<1>(n, of_mask, quern::axes{1, 2});
      this->template check<0>(n, of_mask, quern::axes{0, 1, 2});
    }
}

TYPED_TEST(MasksAlong, MasksOfFewerAxesBroadcast) {
  using T = typename TypeParam::value;
  using E = typename TypeParam::exec;
  using L = typename TypeParam::layout;
  const auto x = test::make_array<T, 2, L, E>({3, 4}, std::vector<T>{1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12});
  const auto m = test::make_array<bool, 1, L, E>({4}, {true, false, false, true});
  const auto out = test::make_array<double, 1, L, E>({3}), columns = test::make_array<double, 1, L, E>({4});
  quern::sum(this->e, out, x, quern::axis{-1}, mask{m});
  EXPECT_EQ((std::vector<double>{5, 13, 21}), test::contents(out));
  quern::sum(columns, x, mask{m}, quern::axis{0});
  EXPECT_EQ((std::vector<double>{15, 0, 0, 24}), test::contents(columns));
}

template <class Exec>
struct MaskedOutputs : testing::Test {};
TYPED_TEST_SUITE(MaskedOutputs, test::all_spaces);

TYPED_TEST(MaskedOutputs, MayBeTwoOrRows) {
  const TypeParam e;
  const auto x = test::make_array<double, 2, Kokkos::LayoutRight, TypeParam>({2, 4}, {1, 2, 3, 4, 5, 6, 7, 8});
  const auto m = test::make_array<int, 1, Kokkos::LayoutRight, TypeParam>({4}, {1, 0, 1, 0});
  const Kokkos::View<double*, TypeParam> low("low", 2), high("high", 2), mean("mean", 2), var("var", 2);
  quern::minmax(e, quern::outputs(low, high), x, quern::axis{1}, mask{m});
  quern::mean_var(e, quern::outputs(mean, var), x, quern::axis{1}, mask{m});
  EXPECT_EQ((std::vector<double>{1, 5}), test::contents(low));
  EXPECT_EQ((std::vector<double>{3, 7}), test::contents(high));
  EXPECT_EQ((std::vector<double>{2, 6}), test::contents(mean));
  EXPECT_EQ((std::vector<double>{1, 1}), test::contents(var));
}

}  // namespace
