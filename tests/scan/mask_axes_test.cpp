// SPDX-FileCopyrightText: the Quern authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Scans along an axis of what a mask selects, which is broadcast.
#include <quern/scan.hpp>
#include <support/testing.hpp>

namespace {

using quern::axis, quern::mask;

template <class Case>
struct MaskedAxes : testing::Test {
  typename Case::exec e;
};
using cases = test::covering<double, float, std::int64_t, std::int8_t, std::uint32_t>;
TYPED_TEST_SUITE(MaskedAxes, cases);

TYPED_TEST(MaskedAxes, OfScansBroadcast) {
  using T = typename TypeParam::value;
  using E = typename TypeParam::exec;
  using L = typename TypeParam::layout;
  const auto x = test::make_array<T, 2, L, E>({3, 4}, std::vector<T>{1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12});
  const auto columns = test::make_array<bool, 1, L, E>({4}, {true, false, true, true});
  const auto rows = test::make_array<bool, 2, L, E>({3, 1}, {true, false, true});
  const auto out = test::make_array<double, 2, L, E>({3, 4});
  quern::cumsum(this->e, out, x, mask{columns}, axis{1});
  EXPECT_EQ((std::vector<double>{1, 1, 4, 8, 5, 5, 12, 20, 9, 9, 20, 32}), test::contents(out));
  quern::cumsum(this->e, out, x, mask{rows}, axis{0});
  EXPECT_EQ((std::vector<double>{1, 2, 3, 4, 1, 2, 3, 4, 10, 12, 14, 16}), test::contents(out));
  quern::cumsum(x, x, mask{rows}, axis{0});  // in place
  EXPECT_EQ((std::vector<T>{1, 2, 3, 4, 1, 2, 3, 4, 10, 12, 14, 16}), test::contents(x));
  quern::cumprod(this->e, out, x, mask{columns}, axis{-1});
  EXPECT_EQ((std::vector<double>{1, 1, 3, 12, 1, 1, 3, 12, 10, 10, 140, 2240}), test::contents(out));
}

}  // namespace
