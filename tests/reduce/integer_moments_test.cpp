// SPDX-FileCopyrightText: the Quern authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <limits>
#include <quern/reduce.hpp>
#include <support/testing.hpp>

namespace {

template <class E>
struct MomentsOfIntegers : testing::Test {};
TYPED_TEST_SUITE(MomentsOfIntegers, test::all_spaces);

template <class E, class T>
auto moments_of(const std::vector<T>& x) {
  return quern::mean_var(E(), test::make_array<T, 1, Kokkos::LayoutRight, E>({static_cast<std::int64_t>(x.size())}, x));
}
template <class E, class T>
double mean_of(const std::vector<T>& x) {
  return quern::mean(E(), test::make_array<T, 1, Kokkos::LayoutRight, E>({static_cast<std::int64_t>(x.size())}, x));
}

TYPED_TEST(MomentsOfIntegers, MeansAreRoundedOnce) {
  using E = TypeParam;
  std::vector<std::int8_t> narrow(2000);
  std::int64_t sum = 0;
  for (int i = 0; i < 2000; ++i) sum += narrow[i] = static_cast<std::int8_t>(i * 37 % 251 - 125);
  narrow[1000] = static_cast<std::int8_t>(narrow[1000] + (narrow[1000] > 0 ? -1 : 1));
  sum = 0;
  for (const auto v : narrow) sum += v;
  EXPECT_EQ(static_cast<double>(sum) / 2000, moments_of<E>(narrow).mean);
  EXPECT_EQ(static_cast<double>(sum) / 2000, mean_of<E>(narrow));
  constexpr std::int64_t least = std::numeric_limits<std::int64_t>::min(), most = -(least + 1);
  constexpr std::uint64_t largest = std::numeric_limits<std::uint64_t>::max();
  const auto check = [](const auto& x, double mean, double var) {
    const auto got = moments_of<E>(x);
    EXPECT_EQ(mean, got.mean);
    EXPECT_EQ(mean, mean_of<E>(x));
    EXPECT_NEAR(var, got.var, 4 * test::eps<double>() * var);
  };
  check(std::vector<std::int64_t>{most, most - 1, most - 2}, 0x1p63, 2.0 / 3);
  check(std::vector<std::int64_t>{(1LL << 53) + 1, 1}, 0x1p52 + 1, 0x1p104);
  check(std::vector<std::int64_t>{-1, -2, -3}, -2, 2.0 / 3);
  check(std::vector<std::int64_t>{least, most}, -0.5, 0x1p126);
  check(std::vector<std::uint64_t>{largest, largest - 1}, 0x1p64, 0.25);
  check(std::vector<std::uint64_t>(5000, largest), 0x1p64, 0);
}

/// The sums of their distances from one that is near the mean, and of the squares, are integers that the test forms
/// exactly.
template <class E, class T>
void check_small_integers() {
  constexpr auto least = std::numeric_limits<T>::min(), most = std::numeric_limits<T>::max();
  const auto check = [](const auto& value_at, const char* what) {
    for (const std::int64_t n : {2, 3, 31, 32, 33, 129, 1000, 100'003}) {
      std::vector<T> x(n);
      long double sum = 0, squares = 0;
      for (std::int64_t i = 0; i < n; ++i) {
        x[i] = static_cast<T>(value_at(i, n));
        const auto distance = static_cast<long double>(value_at(i, n) - value_at(n / 2, n));
        sum += distance;
        squares += distance * distance;
      }
      const auto count = static_cast<long double>(n);
      const long double mean = (value_at(n / 2, n) * count + sum) / count, var = (squares - sum * sum / count) / count;
      const auto got = moments_of<E>(x);
      EXPECT_EQ(static_cast<double>(mean), got.mean) << what << " of " << n;
      EXPECT_NEAR(static_cast<double>(var), got.var, 8 * test::eps<double>() * static_cast<double>(var))
          << what << " of " << n;
      const auto columns = test::make_array<T, 2, Kokkos::LayoutRight, E>({n, 18});
      for (int k = 0; k < 18; ++k)
        Kokkos::deep_copy(Kokkos::subview(columns, Kokkos::ALL, k),
                          test::make_array<T, 1, Kokkos::LayoutRight, E>({n}, x));
      const Kokkos::View<double*, E> vars("vars", 18);
      quern::var(E(), vars, columns, quern::axis{0});
      const auto on_host = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), vars);
      for (int k = 0; k < 18; ++k) EXPECT_NEAR(got.var, on_host(k), 8 * test::eps<double>() * got.var) << what;
    }
  };
  check([](std::int64_t i, std::int64_t) { return i % 2 == 0 ? least : most; }, "both ends");
  check([](std::int64_t i, std::int64_t n) { return i == n - 1 ? least : most; }, "one apart");
  check([](std::int64_t i, std::int64_t) { return i < 2 ? least : most; }, "first two");
  check([](std::int64_t i, std::int64_t) { return i * 7919 % 251 - (std::is_signed_v<T> ? 125 : 0); }, "spread");
}
TYPED_TEST(MomentsOfIntegers, VariancesOfSmallOnes) {
  check_small_integers<TypeParam, std::int8_t>();
  check_small_integers<TypeParam, std::uint8_t>();
  check_small_integers<TypeParam, std::int16_t>();
  check_small_integers<TypeParam, std::uint16_t>();
}

TYPED_TEST(MomentsOfIntegers, ReproducibleSumsOfLargeOnes) {
  using E = TypeParam;
  constexpr std::int64_t large = 1LL << 60;
  std::vector<std::int64_t> x;
  for (std::int64_t i = 0; i < 1000; ++i) x.push_back(i % 2 == 0 ? large + i : -large);
  x.push_back(501);  // of 250 thousand in all, of which double(large + i) holds none
  const auto v = test::make_array<std::int64_t, 1, Kokkos::LayoutRight, E>({1001}, x);
  EXPECT_EQ(250'001.0, quern::sum<double>(E(), v, quern::reproducible));
  EXPECT_EQ(250'001.0 / 1001, quern::mean(E(), v, quern::reproducible));
}

}  // namespace
