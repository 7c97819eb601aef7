// SPDX-FileCopyrightText: the Quern authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// What is promised to have the same bits in every version, on every back end and in every layout: reductions of whole
// arrays.
#include <quern/reduce.hpp>
#include <support/frozen_arrays.hpp>

namespace {

using quern::reproducible;
using test::expect_frozen, test::frozen_name;

template <class Case>
struct FrozenSums : test::FrozenArrays<Case> {};
TYPED_TEST_SUITE(FrozenSums, test::frozen_numbers);

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

}  // namespace
