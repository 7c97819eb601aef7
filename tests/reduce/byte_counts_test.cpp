// SPDX-FileCopyrightText: the Quern authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <quern/reduce.hpp>
#include <support/testing.hpp>
#include <utility>

// Bytes that are not 0, counted by a loop: of all lengths around those of vectors, and of more than a byte counts, from
// places on that no vector is aligned with.

namespace {

TEST(ByteCounts, AreThoseOfALoop) {
  std::vector<std::int8_t> v(70'000);
  for (std::size_t i = 0; i < v.size(); ++i) v[i] = static_cast<std::int8_t>(i * i % 7 == 0 ? 0 : i % 256 - 128);
  std::vector<std::int64_t> sizes{32'639, 32'640, 32'641, 65'300, 69'990};
  for (std::int64_t n = 0; n < 300; ++n) sizes.push_back(n);
  for (const std::int64_t first : {0, 1, 7})
    for (const std::int64_t n : sizes) {
      std::int64_t expected = 0;
      for (std::int64_t i = first; i < first + n; ++i) expected += v[i] != 0 ? 1 : 0;
      EXPECT_EQ(expected, quern::impl::count_nonzero_bytes(v.data() + first, n)) << n << " from " << first;
    }
}

template <class Exec>
struct ByteCountsOn : testing::Test {};
TYPED_TEST_SUITE(ByteCountsOn, test::all_spaces);

TYPED_TEST(ByteCountsOn, OfRowsAndOfAll) {
  constexpr std::int64_t n = 37, m = 1'003;
  std::vector<std::int8_t> v(n * m);
  std::vector<std::int64_t> of_rows(n, 0);
  std::int64_t of_all = 0;
  for (std::int64_t i = 0; i < n * m; ++i) {
    v[i] = static_cast<std::int8_t>(i * i % 7 == 0 ? 0 : i % 256 - 128);
    of_rows[i / m] += v[i] != 0 ? 1 : 0;
    of_all += v[i] != 0 ? 1 : 0;
  }
  const auto x = test::make_array<std::int8_t, 2, Kokkos::LayoutRight, TypeParam>({n, m}, v);
  const auto out = test::make_array<std::int64_t, 1, Kokkos::LayoutRight, TypeParam>({n});
  EXPECT_EQ(of_all, quern::count(TypeParam(), x));
  quern::count(TypeParam(), out, x, quern::axis{1});
  EXPECT_EQ(of_rows, test::contents(out));
  const auto columns = Kokkos::subview(x, Kokkos::ALL, std::pair<int, int>(5, 1'000));
  std::int64_t of_columns = 0;
  for (std::int64_t i = 0; i < n * m; ++i) of_columns += i % m >= 5 && i % m < 1'000 && v[i] != 0 ? 1 : 0;
  EXPECT_EQ(of_columns, quern::count(TypeParam(), columns));
}

}  // namespace
