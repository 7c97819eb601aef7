// SPDX-FileCopyrightText: the Quern authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Reproducible results and random fields over any number of ranks, which have the bits of those in memory.
#include <distributed/world.hpp>
#include <quern/distributed/reduce.hpp>
#include <quern/random.hpp>
#include <support/frozen.hpp>

namespace {

namespace distributed = quern::distributed;
using quern::Decomposition, quern::reproducible;
using test::expect_frozen, test::frozen_name;

template <class E, class T>
void check_whole_arrays() {
  const E e;
  const auto type = test::name_of_type<T>();
  for (const std::int64_t n : test::frozen_sizes) {
    const Decomposition d(test::world(), {n});
    const auto u = test::distribute<T, 1, Kokkos::LayoutRight, E>(d, test::frozen_values<T>(n)),
               v = test::distribute<T, 1, Kokkos::LayoutRight, E>(d, test::frozen_values<T>(n, 1));
    expect_frozen(frozen_name("sum", type, n), quern::sum(e, u, reproducible));
    expect_frozen(frozen_name("mean", type, n), quern::mean(e, u, reproducible));
    expect_frozen(frozen_name("dot", type, n), quern::dot(e, u, v, reproducible));
    if constexpr (!std::is_integral_v<T>) {
      expect_frozen(frozen_name("norm", type, n), quern::norm(e, u, reproducible));
      expect_frozen(frozen_name("var", type, n), quern::var(e, u, reproducible));
      expect_frozen(frozen_name("stddev", type, n), quern::stddev(e, u, reproducible));
    }
  }
}

template <class Exec>
struct FrozenRanks : testing::Test {};
TYPED_TEST_SUITE(FrozenRanks, test::all_spaces);

TYPED_TEST(FrozenRanks, SumsOfWholeArrays) {
  check_whole_arrays<TypeParam, float>();
  check_whole_arrays<TypeParam, double>();
  check_whole_arrays<TypeParam, Kokkos::complex<float>>();
  check_whole_arrays<TypeParam, Kokkos::complex<double>>();
  check_whole_arrays<TypeParam, std::int8_t>();
  check_whole_arrays<TypeParam, std::int64_t>();
}

TYPED_TEST(FrozenRanks, RandomFields) {
  using E = TypeParam;
  const quern::shape whole{1001, 7};
  for (const auto& grid : test::grids(test::world().size(), 2)) {
    const Decomposition d(test::world(), whole, {.grid = grid});
    const quern::DistributedView<double, 2, Kokkos::LayoutRight, typename E::memory_space> u("u", d);
    const auto first = d.local().first;
    quern::random::normal(
        E(), u.local(), quern::random::part_of(quern::random::key(42), {1001, 7}, {first.extent[0], first.extent[1]}));
    const Kokkos::View<double**, Kokkos::LayoutRight, typename E::memory_space> all("all", 1001, 7);
    distributed::to_global(E(), all, u);
    expect_frozen("normal/float64", test::contents(all));
  }
}

}  // namespace
