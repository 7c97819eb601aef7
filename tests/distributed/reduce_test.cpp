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
    expect_near_product(quern::prod<double>(exec, v), quern::prod<double>(exec, u), v.size());
    QUERN_TEST_NEAR(norm);
    QUERN_TEST_NEAR(norm<1>);
    QUERN_TEST_NEAR(mean);
    QUERN_TEST_NEAR(var);
    QUERN_TEST_NEAR(stddev);
    QUERN_TEST_NEAR(nansum);
    QUERN_TEST_NEAR(nanmean);
    QUERN_TEST_NEAR(nanvar);
    QUERN_TEST_NEAR(nanstd);
    expect_near_product(quern::nanprod<double>(exec, v), quern::nanprod<double>(exec, u), v.size());
    const auto [mean, var] = quern::mean_var(exec, u, quern::ddof{1});
    test::expect_near(quern::mean(exec, v), mean, v.size(), "mean of mean_var");
    test::expect_near(quern::var(exec, v, quern::ddof{1}), var, v.size(), "var of mean_var");
    test::expect_near(quern::dot(exec, v, v), quern::dot(exec, u, u), v.size(), "dot");
    test::expect_near(quern::vdot(exec, v, v), quern::vdot(exec, u, u), v.size(), "vdot");
  });
}

TYPED_TEST(DistributedSums, VariancesKeepTheirDigits) {
  using E = typename TypeParam::exec;
  const auto& comm = test::world();
  const quern::shape extents{300, 1, 7};
  for (const double first : {0.0, 0x1p53}) {  // of all of them, beside an outlier
    std::vector<double> values(extents.size());
    for (std::size_t i = 0; i < values.size(); ++i) values[i] = 0x1p53 + static_cast<double>(i % 3 * 2);
    values[0] = first;
    const auto n = static_cast<double>(values.size());
    const double exact = first == 0 ? 0x1p106 / n * (1 - 1 / n) : 8.0 / 3;
    for (const auto& grid : test::grids(comm.size(), 3)) {
      const quern::Decomposition d(comm, extents, {.grid = grid});
      const auto u = test::distribute<double, 3, Kokkos::LayoutRight, E>(d, values);
      const auto [mean, var] = quern::mean_var(E(), u);
      EXPECT_NEAR(exact, var, 16 * test::eps<double>() * exact);
      EXPECT_NEAR(first == 0 ? 0x1p53 * (1 - 1 / n) : 0x1p53 + 2, mean, 4 * test::eps<double>() * 0x1p53);
      EXPECT_NEAR(exact, quern::var(E(), u), 16 * test::eps<double>() * exact);
      EXPECT_NEAR(exact, quern::var(E(), u, quern::reproducible), 16 * test::eps<double>() * exact);
    }
  }
}

}  // namespace
