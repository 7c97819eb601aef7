// SPDX-FileCopyrightText: the Quern authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// What is promised to have the same bits in every version, on every back end and in every layout: random fields.
#include <quern/random.hpp>
#include <support/frozen_arrays.hpp>

namespace {

namespace random = quern::random;
using test::expect_frozen;

template <class Case>
struct FrozenRandomReals : test::FrozenArrays<Case> {};
TYPED_TEST_SUITE(FrozenRandomReals, test::frozen_reals);

TYPED_TEST(FrozenRandomReals, Fields) {
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
struct FrozenRandomIntegers : test::FrozenArrays<Case> {};
using integers = test::covering<std::int32_t, std::int64_t, std::uint32_t, std::uint64_t>;
TYPED_TEST_SUITE(FrozenRandomIntegers, integers);

TYPED_TEST(FrozenRandomIntegers, Fields) {
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
