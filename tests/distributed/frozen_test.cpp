// SPDX-FileCopyrightText: the Quern authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Reproducible results and random fields over any number of ranks, which have the bits of those in memory.
#include <distributed/world.hpp>
#include <quern/distributed/random.hpp>
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

template <class E, class T, class L>
void check_sums_along_axes() {
  const E e;
  const auto& extents = test::frozen_extents;
  const std::int64_t n = extents[0] * extents[1] * extents[2];
  for (const auto& grid : test::grids(test::world().size(), 3)) {
    const Decomposition d(test::world(), {extents[0], extents[1], extents[2]}, {.grid = grid});
    const auto u = test::distribute<T, 3, L, E>(d, test::frozen_values<T>(n));
    using sum = decltype(quern::sum(e, u));
    for (int axis = 0; axis < 3; ++axis) {
      const auto out =
          test::make_array<sum, 2, L, E>({axis == 0 ? extents[1] : extents[0], axis == 2 ? extents[1] : extents[2]});
      quern::sum(e, out, u, quern::axis{axis}, reproducible);
      expect_frozen(frozen_name("sum_axis", test::name_of_type<T>(), axis), test::contents(out));
    }
  }
}

TYPED_TEST(FrozenRanks, SumsAlongAxes) {
  check_sums_along_axes<TypeParam, float, Kokkos::LayoutLeft>();
  check_sums_along_axes<TypeParam, Kokkos::complex<double>, Kokkos::LayoutRight>();
  check_sums_along_axes<TypeParam, std::int8_t, Kokkos::LayoutRight>();
}

template <class E, class T, class L>
void check_fields() {
  const E e;
  const quern::random::key k(42);
  for (const auto& grid : test::grids(test::world().size(), 2)) {
    const Decomposition d(test::world(), {1001, 7}, {.grid = grid});
    const quern::DistributedView<T, 2, L, typename E::memory_space> u("u", d);
    const Kokkos::View<T**, Kokkos::LayoutRight, typename E::memory_space> all("all", 1001, 7);
    const auto check = [&](const std::string& name, const auto& fill) {
      fill();
      distributed::to_global(e, all, u);
      expect_frozen(name + "/" + test::name_of_type<T>(), test::contents(all));
    };
    if constexpr (std::is_integral_v<T>) {
      check("integers", [&] { quern::random::integers(e, u, k, -1000, 100'000); });
      check("poisson_30", [&] { quern::random::poisson(e, u, k, 30.5); });
    } else {
      check("uniform", [&] { quern::random::uniform(e, u, k); });
      check("normal", [&] { quern::random::normal(e, u, k); });
      check("exponential", [&] { quern::random::exponential(e, u, k, T(2)); });
      check("gamma", [&] { quern::random::gamma(e, u, k, 2.5); });
    }
  }
}

TYPED_TEST(FrozenRanks, RandomFields) {
  check_fields<TypeParam, float, Kokkos::LayoutLeft>();
  check_fields<TypeParam, double, Kokkos::LayoutRight>();
  check_fields<TypeParam, std::int64_t, Kokkos::LayoutLeft>();
}

}  // namespace
