// SPDX-FileCopyrightText: the Quern authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// What is promised to have the same bits in every version, on every back end and in every layout.
#include <quern/keyed.hpp>
#include <quern/random.hpp>
#include <quern/reduce.hpp>
#include <quern/scan.hpp>
#include <support/frozen.hpp>
#include <support/testing.hpp>

namespace {

namespace random = quern::random;
using quern::reproducible;
using test::expect_frozen, test::frozen_name;

template <class Case>
struct FrozenSums : testing::Test {
  using T = typename Case::value;
  using E = typename Case::exec;

  template <std::size_t Rank>
  static auto array(const std::array<std::int64_t, Rank>& extents, std::int64_t first = 0) {
    std::int64_t n = 1;
    for (const auto e : extents) n *= e;
    return test::make_array<T, Rank, typename Case::layout, E>(extents, test::frozen_values<T>(n, first));
  }
  template <class R, std::size_t Rank>
  static auto results(const std::array<std::int64_t, Rank>& extents) {
    return test::make_array<R, Rank, typename Case::layout, E>(extents);
  }
};
using numbers =
    test::covering<float, double, Kokkos::complex<float>, Kokkos::complex<double>, std::int8_t, std::int64_t>;
TYPED_TEST_SUITE(FrozenSums, numbers);

TYPED_TEST(FrozenSums, OfWholeArrays) {
  using T = typename TypeParam::value;
  const typename TypeParam::exec e;
  const auto type = test::name_of_type<T>();
  for (const std::int64_t n : test::frozen_sizes) {
    const auto x = this->array(std::array{n}), y = this->array(std::array{n}, 1);
    expect_frozen(frozen_name("sum", type, n), quern::sum(e, x, reproducible));
    expect_frozen(frozen_name("mean", type, n), quern::mean(e, x, reproducible));
    expect_frozen(frozen_name("dot", type, n), quern::dot(e, x, y, reproducible));
    if constexpr (!std::is_integral_v<T>) {
      expect_frozen(frozen_name("norm", type, n), quern::norm(e, x, reproducible));
      expect_frozen(frozen_name("var", type, n), quern::var(e, x, reproducible));
      expect_frozen(frozen_name("stddev", type, n), quern::stddev(e, x, reproducible));
    }
  }
}

TYPED_TEST(FrozenSums, AlongAxes) {
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
struct FrozenReals : FrozenSums<Case> {};
using reals = test::covering<float, double>;
TYPED_TEST_SUITE(FrozenReals, reals);

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

TYPED_TEST(FrozenReals, RandomFields) {
  using T = typename TypeParam::value;
  const typename TypeParam::exec e;
  const auto out = this->template results<T>(std::array<std::int64_t, 2>{1001, 7});
  const random::key k(42);
  const auto check = [&](const std::string& name, const auto& fill) {
    fill();
    expect_frozen(name + "/" + test::name_of_type<T>(), test::contents(out));
  };
  check("uniform", [&] { random::uniform(e, out, k); });
  check("uniform_between", [&] { random::uniform(e, out, k, T(-2), T(5)); });
  check("normal", [&] { random::normal(e, out, k); });
  check("normal_around", [&] { random::normal(e, out, k, T(10), T(3)); });
  check("exponential", [&] { random::exponential(e, out, k, T(2)); });
  check("gamma", [&] { random::gamma(e, out, k, 2.5); });
  check("gamma_small", [&] { random::gamma(e, out, k, 0.3, 2.0); });
  check("sobol", [&] { random::sobol(e, out); });
  check("sobol_scrambled", [&] { random::sobol(e, out, k, 5); });
}

template <class Case>
struct FrozenIntegers : FrozenSums<Case> {};
using integers = test::covering<std::int32_t, std::int64_t, std::uint32_t, std::uint64_t>;
TYPED_TEST_SUITE(FrozenIntegers, integers);

TYPED_TEST(FrozenIntegers, RandomFields) {
  using T = typename TypeParam::value;
  using E = typename TypeParam::exec;
  const E e;
  const auto out = this->template results<T>(std::array<std::int64_t, 2>{1001, 7});
  const random::key k(42);
  const auto check = [&](const std::string& name, const auto& fill) {
    fill();
    expect_frozen(name + "/" + test::name_of_type<T>(), test::contents(out));
  };
  if constexpr (std::is_unsigned_v<T>) {
    check("bits", [&] { random::bits(e, out, k); });
  } else {
    check("integers", [&] { random::integers(e, out, k, -1000, 100'000); });
    for (const double rate : {0.7, 30.5, 750.0, 1e4})
      check("poisson_" + std::to_string(static_cast<int>(rate)), [&] { random::poisson(e, out, k, rate); });
    check("choice", [&] { random::choice(e, out, k, 1'000'003); });
    check("choice_without_replacement", [&] { random::choice(e, out, k, 10'007, random::without_replacement); });
    const auto weights = test::make_array<double, 1, Kokkos::LayoutRight, E>({5}, {1, 2, 0, 4, 0.5});
    check("choice_by_weight", [&] { random::choice(e, out, k, weights); });
    const auto line = this->template results<T>(std::array<std::int64_t, 1>{5003});
    random::permutation(e, line, k);
    expect_frozen("permutation/" + test::name_of_type<T>(), test::contents(line));
  }
}

}  // namespace
