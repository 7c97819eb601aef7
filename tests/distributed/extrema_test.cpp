// SPDX-FileCopyrightText: the Quern authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Extrema, places, and counts.
#include <distributed/reductions.hpp>
#include <quern/distributed/reduce.hpp>
#include <quern/reduce/compare.hpp>

namespace {

namespace distributed = quern::distributed;

template <class Case>
struct DistributedExtrema : testing::Test {};
TYPED_TEST_SUITE(DistributedExtrema, test::reduce_cases);

TYPED_TEST(DistributedExtrema, AreThoseOfOneDevice) {
  using T = typename TypeParam::value;
  const typename TypeParam::exec exec;
  test::for_distributed_arrays<TypeParam>([&](const auto& v, const auto& u) {
    QUERN_TEST_SAME(min);
    QUERN_TEST_SAME(max);
    QUERN_TEST_SAME(all);
    QUERN_TEST_SAME(any);
    QUERN_TEST_SAME(count);
    QUERN_TEST_SAME(argmax);
    QUERN_TEST_SAME(argmin);
    QUERN_TEST_SAME(nanmin);
    QUERN_TEST_SAME(ptp);
    QUERN_TEST_SAME(nanmax);
    QUERN_TEST_SAME(nanargmax);
    QUERN_TEST_SAME(nanargmin);
    QUERN_TEST_SAME(nancount);
    EXPECT_TRUE(quern::array_equal(exec, u, u));
    EXPECT_TRUE(quern::allclose(exec, u, u));
    EXPECT_EQ(quern::minmax(exec, v).max, quern::minmax(exec, u).max);
    EXPECT_EQ(quern::minmax(exec, v).min, quern::minmax(exec, u).min);
    EXPECT_EQ(quern::max(exec, v), quern::reduce(exec, quern::impl::extremum_op<1>(), T(-100), u));
  });
}

}  // namespace
