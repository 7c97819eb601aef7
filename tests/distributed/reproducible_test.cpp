// SPDX-FileCopyrightText: the Quern authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Sums with the same bits for every number of ranks.
#include <distributed/reductions.hpp>
#include <quern/distributed/reduce.hpp>

namespace {

namespace distributed = quern::distributed;
using quern::Decomposition;

template <class Case>
struct DistributedReproducible : testing::Test {};
TYPED_TEST_SUITE(DistributedReproducible, test::reduce_cases);

TYPED_TEST(DistributedReproducible, HasTheBitsOfOneDevice) {
  const typename TypeParam::exec exec;
  test::for_distributed_arrays<TypeParam>([&](const auto& v, const auto& u) {
    const auto r = quern::reproducible;
    EXPECT_EQ(quern::sum(exec, v, r), quern::sum(exec, u, r));
    EXPECT_EQ(quern::mean(exec, v, r), quern::mean(exec, u, r));
    EXPECT_EQ(quern::norm(exec, v, r), quern::norm(exec, u, r));
    EXPECT_EQ(quern::var(exec, v, r), quern::var(exec, u, r));
    EXPECT_EQ(quern::stddev(exec, v, r), quern::stddev(exec, u, r));
    EXPECT_EQ(quern::dot(exec, v, v, r), quern::dot(exec, u, u, r));
  });
}

template <class Exec>
struct DistributedReproducibleOn : testing::Test {};
TYPED_TEST_SUITE(DistributedReproducibleOn, test::all_spaces);

TYPED_TEST(DistributedReproducibleOn, ExtremeValues) {
  using E = TypeParam;
  const E exec{};
  const auto comm = test::world();
  std::vector<double> values;
  for (int i = 0; i < 300; ++i) values.push_back(std::ldexp(i % 2 == 0 ? 1.1 : -1.3, 37 * i % 1900 - 950));
  const auto v = test::make_array<double, 1, Kokkos::LayoutRight, E>({300}, values);
  const auto u = test::distribute<double, 1, Kokkos::LayoutRight, E>(Decomposition(comm, {300}), values);
  EXPECT_EQ(quern::sum(exec, v, quern::reproducible), quern::sum(exec, u, quern::reproducible));
  values[150] = std::numeric_limits<double>::infinity();
  const auto w = test::distribute<double, 1, Kokkos::LayoutRight, E>(Decomposition(comm, {300}), values);
  EXPECT_EQ(values[150], quern::sum(exec, w, quern::reproducible));
}

}  // namespace
