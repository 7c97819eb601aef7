// SPDX-FileCopyrightText: the Quern authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Reproducible results in chunks of several sizes, which have the bits of those in memory.
#include <chunked/behind_function.hpp>
#include <quern/chunked.hpp>
#include <support/frozen.hpp>
#include <support/testing.hpp>

namespace {

namespace chunked = quern::chunked;
using quern::reproducible;
using test::expect_frozen, test::frozen_name;

template <class Case>
struct FrozenChunks : testing::Test {};
using numbers = test::covering<float, double, std::int8_t, std::int64_t>;
TYPED_TEST_SUITE(FrozenChunks, numbers);

TYPED_TEST(FrozenChunks, OfWholeArrays) {
  using T = typename TypeParam::value;
  const typename TypeParam::exec e;
  const auto type = test::name_of_type<T>();
  for (const std::int64_t n : test::frozen_sizes) {
    const test::behind_function<T, 1> x{test::frozen_values<T>(n), {n}}, y{test::frozen_values<T>(n, 1), {n}};
    for (const std::int64_t rows : {n / 50 + 1, n / 3 + 1, 2 * n}) {
      const auto chunks = test::memory_for(x, rows);
      expect_frozen(frozen_name("sum", type, n), quern::sum(e, x.source(), chunks, reproducible));
      expect_frozen(frozen_name("mean", type, n), quern::mean(e, x.source(), chunks, reproducible));
      expect_frozen(frozen_name("dot", type, n),
                    quern::dot(e, x.source(), y.source(), test::memory_for(x, rows, 2), reproducible));
      if constexpr (!std::is_integral_v<T>) {
        expect_frozen(frozen_name("norm", type, n), quern::norm(e, x.source(), chunks, reproducible));
        expect_frozen(frozen_name("var", type, n), quern::var(e, x.source(), chunks, reproducible));
        expect_frozen(frozen_name("stddev", type, n), quern::stddev(e, x.source(), chunks, reproducible));
      }
    }
  }
}

TYPED_TEST(FrozenChunks, AlongAxes) {
  using T = typename TypeParam::value;
  using E = typename TypeParam::exec;
  using sum = decltype(quern::sum(E(), std::declval<test::behind_function<T, 3>>().source()));
  const test::behind_function<T, 3> x{test::frozen_values<T>(37 * 41 * 43), test::frozen_extents};
  for (const std::int64_t rows : {1, 5, 37})
    for (int axis = 0; axis < 3; ++axis) {
      const std::array<std::int64_t, 2> kept = {axis == 0 ? 41 : 37, axis == 2 ? 41 : 43};
      const auto sums = test::make_array<sum, 2, Kokkos::LayoutRight, E>(kept);
      quern::sum(E(), sums, x.source(), quern::axis{axis}, test::memory_for(x, rows), reproducible);
      expect_frozen(frozen_name("sum_axis", test::name_of_type<T>(), axis), test::contents(sums));
    }
}

}  // namespace
