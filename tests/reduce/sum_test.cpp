// SPDX-FileCopyrightText: the Quern authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <quern/reduce.hpp>
#include <support/testing.hpp>

namespace {

template <class Case>
struct Sum : testing::Test {};
using cases = test::full_product<float, double, std::int8_t, std::int32_t, std::uint16_t, std::int64_t,
                                 Kokkos::complex<float>, Kokkos::complex<double>>;
TYPED_TEST_SUITE(Sum, cases);

// The samples are multiples of 1/4 below 2^24 in sum, so that every order of additions gives the exact sum.
TYPED_TEST(Sum, IsExactWhereNothingRounds) {
  using T = typename TypeParam::value;
  using L = typename TypeParam::layout;
  using E = typename TypeParam::exec;
  using S = quern::impl::sum_type<T>;
  for (const std::array<std::int64_t, 2> n :
       {std::array<std::int64_t, 2>{0, 3}, {1, 1}, {1, 3}, {7, 13}, {64, 64}, {67, 101}, {3, 40993}, {40993, 3}}) {
    const auto values = test::samples<T>(n[0] * n[1]);
    const auto x = test::make_array<T, 2, L, E>(n, values);
    S expected(0);
    for (const T& v : values) expected += static_cast<S>(v);
    const auto got = quern::sum(E(), x);
    static_assert(std::is_same_v<std::remove_cv_t<decltype(got)>, S>);
    EXPECT_EQ(expected, got) << n[0] << " x " << n[1];
    Kokkos::View<S, E> out("out");
    quern::sum(E(), out, x);
    EXPECT_EQ(expected, test::value(out)) << n[0] << " x " << n[1];
  }
}

}  // namespace
