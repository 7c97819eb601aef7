// SPDX-FileCopyrightText: the Quern authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Of the arrays that other tests write to: that a change of their gaps is seen, and one of their elements is not.
#include <gtest/gtest-spi.h>

#include <support/testing.hpp>

namespace {

template <class Case>
struct Gaps : testing::Test {
  using exec = typename Case::exec;
  using T = typename Case::value;
  using layout = typename Case::layout;

  static auto make() { return test::make_array<T, 2, layout, exec>({3, 5}); }
  /// Writes an element at a distance from the first one.
  static void write(const auto& x, std::int64_t distance) {
    Kokkos::deep_copy(test::bytes<typename exec::memory_space>(x.data() + distance, sizeof(T)), 0);
  }
};
using cases = test::covering<double, std::int8_t, Kokkos::complex<float>>;
TYPED_TEST_SUITE(Gaps, cases);

TYPED_TEST(Gaps, AreSeenToBeWritten) {
  for (const test::gaps kind : test::all_gaps) {
    const std::int64_t behind = 5 + (std::is_same_v<typename TypeParam::layout, Kokkos::LayoutLeft> ? -2 : 0);
    for (const std::int64_t distance : {std::int64_t{-1}, behind}) {
      const auto write_one = [&] {
        const test::with_gaps guard(kind);
        TestFixture::write(TestFixture::make(), distance);
      };
      EXPECT_NONFATAL_FAILURE(write_one(), "memory beside them is written");
    }
    const test::with_gaps guard(kind);
    const auto x = TestFixture::make();
    for (std::int64_t i = 0; i < 3; ++i)
      for (std::int64_t j = 0; j < 5; ++j) TestFixture::write(x, i * x.stride(0) + j * x.stride(1));
  }
}

TYPED_TEST(Gaps, HaveTheirWidths) {
  using layout = typename TypeParam::layout;
  if constexpr (!std::is_same_v<layout, Kokkos::LayoutStride>) {
    constexpr bool left = std::is_same_v<layout, Kokkos::LayoutLeft>;
    const auto pitch = [](test::gaps kind) {
      const test::with_gaps guard(kind);
      return static_cast<int>(TestFixture::make().stride(left ? 1 : 0));
    };
    const int n = left ? 3 : 5;
    EXPECT_EQ(n + 3, pitch(test::gaps::columns));
    EXPECT_EQ(n + 1, pitch(test::gaps::one));
    EXPECT_EQ(2 * (n / 2 + 1), pitch(test::gaps::halved));
  }
}

}  // namespace
