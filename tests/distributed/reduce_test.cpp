// SPDX-FileCopyrightText: the Quern authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Sums and what is made of them.
#include <distributed/reductions.hpp>
#include <quern/distributed/reduce.hpp>

namespace {

namespace distributed = quern::distributed;

template <class Case>
struct DistributedSums : testing::Test {};
TYPED_TEST_SUITE(DistributedSums, test::reduce_cases);

/// A product has a rounding error for each of its factors.
template <class X>
void expect_near_product(const X& expected, const X& found, std::size_t n) {
  if (expected == found || (expected != expected && found != found)) return;  // infinities, too
  EXPECT_NEAR(1, found / expected, static_cast<double>(n) * std::numeric_limits<X>::epsilon());
}

TYPED_TEST(DistributedSums, AreThoseOfOneDevice) {
  const typename TypeParam::exec exec;
  test::for_distributed_arrays<TypeParam>([&](const auto& v, const auto& u) {
    QUERN_TEST_NEAR(sum);
    QUERN_TEST_NEAR(sum<double>);
    expect_near_product(quern::prod<double>(exec, v), distributed::prod<double>(exec, u), v.size());
    QUERN_TEST_NEAR(norm);
    QUERN_TEST_NEAR(norm<1>);
    QUERN_TEST_NEAR(mean);
    QUERN_TEST_NEAR(var);
    QUERN_TEST_NEAR(stddev);
    QUERN_TEST_NEAR(nansum);
    QUERN_TEST_NEAR(nanmean);
    QUERN_TEST_NEAR(nanvar);
    const auto [mean, var] = distributed::mean_var(exec, u, quern::ddof{1});
    test::expect_near(quern::mean(exec, v), mean, v.size(), "mean of mean_var");
    test::expect_near(quern::var(exec, v, quern::ddof{1}), var, v.size(), "var of mean_var");
    test::expect_near(quern::dot(exec, v, v), distributed::dot(exec, u, u), v.size(), "dot");
    test::expect_near(quern::vdot(exec, v, v), distributed::vdot(exec, u, u), v.size(), "vdot");
  });
}

}  // namespace
