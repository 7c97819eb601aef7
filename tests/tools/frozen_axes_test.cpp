// SPDX-FileCopyrightText: the Quern authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// What is promised to have the same bits in every version, on every back end and in every layout: reductions along axes
// and of groups, and scans.
#include <quern/keyed.hpp>
#include <quern/reduce.hpp>
#include <quern/scan.hpp>
#include <support/frozen_arrays.hpp>

namespace {

using quern::reproducible;
using test::expect_frozen, test::frozen_name;

template <class Case>
struct FrozenAxes : test::FrozenArrays<Case> {};
TYPED_TEST_SUITE(FrozenAxes, test::frozen_numbers);

TYPED_TEST(FrozenAxes, SumsAndScans) {
  using T = typename TypeParam::value;
  using mean = decltype(quern::mean(typename TypeParam::exec(), this->array(std::array{std::int64_t{1}})));
  const typename TypeParam::exec e;
  const auto type = test::name_of_type<T>();
  const auto x = this->array(test::frozen_extents);
  for (int axis = 0; axis < 3; ++axis) {
    std::array<std::int64_t, 2> kept{};
    for (int d = 0, k = 0; d < 3; ++d)
      if (d != axis) kept[k++] = test::frozen_extents[d];
    using sum = decltype(quern::sum(e, x));
    const auto sums = this->template results<sum>(kept);
    quern::sum(e, sums, x, quern::axis{axis}, reproducible);
    expect_frozen(frozen_name("sum_axis", type, axis), test::contents(sums));
    const auto means = this->template results<mean>(kept);
    quern::mean(e, means, x, quern::axis{axis}, reproducible);
    expect_frozen(frozen_name("mean_axis", type, axis), test::contents(means));
    const auto scan = this->template results<sum>(test::frozen_extents);
    quern::cumsum(e, scan, x, quern::axis{axis}, reproducible);
    expect_frozen(frozen_name("cumsum", type, axis), test::contents(scan));
  }
}

template <class Case>
struct FrozenReals : test::FrozenArrays<Case> {};
TYPED_TEST_SUITE(FrozenReals, test::frozen_reals);

TYPED_TEST(FrozenReals, VariancesAlongAxes) {
  using T = typename TypeParam::value;
  const typename TypeParam::exec e;
  const auto x = this->array(test::frozen_extents);
  const auto vars = this->template results<T>(std::array<std::int64_t, 2>{37, 43});
  quern::var(e, vars, x, quern::axis{1}, quern::ddof{1}, reproducible);
  expect_frozen("var_axis/" + test::name_of_type<T>(), test::contents(vars));
}

TYPED_TEST(FrozenReals, OfGroups) {
  using T = typename TypeParam::value;
  using E = typename TypeParam::exec;
  constexpr std::int64_t n = 20'011, groups = 61;
  std::vector<int> keys(n);
  for (std::int64_t i = 0; i < n; ++i) keys[i] = static_cast<int>((i * i * 31 + i) % groups);
  const auto by = quern::group_by(E(), test::make_array<int, 1, Kokkos::LayoutRight, E>({n}, keys));
  const auto x = this->array(std::array{n});
  const auto out = this->template results<double>(std::array{static_cast<std::int64_t>(by.size())});
  quern::sum(E(), out, x, by, reproducible);
  expect_frozen("group_sum/" + test::name_of_type<T>(), test::contents(out));
  quern::mean(E(), out, x, by, reproducible);
  expect_frozen("group_mean/" + test::name_of_type<T>(), test::contents(out));
}

}  // namespace
