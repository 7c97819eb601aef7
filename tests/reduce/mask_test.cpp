// SPDX-FileCopyrightText: the Quern authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Reductions of what a mask selects, beside those of an array of the selected elements alone: of many types.
#include <quern/reduce.hpp>
#include <support/masks.hpp>

namespace {

using quern::mask, quern::reproducible;
using test::expect_near, test::expect_same, test::whole_position;

template <class Case>
struct Masks : test::masked_rows<Case> {};
using cases = test::covering<double, float, std::int8_t, bool, Kokkos::complex<float>, std::int64_t>;
TYPED_TEST_SUITE(Masks, cases);

TYPED_TEST(Masks, SumsAreThoseOfTheSelected) {
  this->for_masks([&](const auto& some, const auto& x, const auto& m, const auto&) {
    const auto& e = this->e;
    EXPECT_EQ(quern::sum(e, some), quern::sum(e, x, mask{m}));  // of quarters: exact
    EXPECT_EQ(quern::any(e, some), quern::any(e, x, mask{m}));
    EXPECT_EQ(quern::dot(e, some, some), quern::dot(e, x, x, mask{m}));
    expect_near(quern::norm(e, some), quern::norm(e, x, mask{m}), 1e6, "norm");
    EXPECT_EQ(quern::sum(e, some, reproducible), quern::sum(e, x, mask{m}, reproducible));
  });
}

TYPED_TEST(Masks, MomentsAreThoseOfTheSelected) {
  this->for_masks([&](const auto& some, const auto& x, const auto& m, const auto&) {
    const auto& e = this->e;
    const auto n = static_cast<double>(some.size());
    const auto mean = quern::mean(e, some), found = quern::mean(e, x, mask{m});
    if (n == 0) EXPECT_NE(found, found);
    else EXPECT_EQ(mean, found);
    expect_near(quern::var(e, some), quern::var(e, x, mask{m}), n, "var");
  });
}

template <class Case>
struct OrderedMasks : test::masked_rows<Case> {};
using ordered_cases = test::covering<float, std::int8_t, double, std::uint32_t, bool, std::int64_t>;
TYPED_TEST_SUITE(OrderedMasks, ordered_cases);

TYPED_TEST(OrderedMasks, ExtremaAreThoseOfTheSelected) {
  this->for_masks([&](const auto& some, const auto& x, const auto& m, const auto& on_host) {
    if (some.size() == 0) return;
    const auto& e = this->e;
    EXPECT_EQ(quern::min(e, some), quern::min(e, x, mask{m}));
    EXPECT_EQ(quern::nanmax(e, some), quern::nanmax(e, x, mask{m}));
    EXPECT_EQ(whole_position(on_host, quern::argmax(e, some)), quern::argmax(e, x, mask{m}));
  });
}

TYPED_TEST(OrderedMasks, WithoutASelectedElementAreIdentities) {
  using T = typename TypeParam::value;
  using limits = std::numeric_limits<T>;
  const auto& e = this->e;
  for (const std::int64_t n : {0, 1, 300}) {
    const auto x = this->row(std::vector<T>(n, T(1)));
    const auto m = this->row(std::vector<std::uint8_t>(n, 0));
    const auto none = [](T least) { return std::is_integral_v<T> ? least : limits::quiet_NaN(); };
    expect_same(none(limits::max()), quern::min(e, x, mask{m}), "min");
    expect_same(none(limits::lowest()), quern::nanmax(e, x, mask{m}), "nanmax");
    EXPECT_EQ(-1, quern::argmax(e, x, mask{m}));
  }
}

TYPED_TEST(OrderedMasks, WorstValuesAreFoundAmongTheSelected) {
  using T = typename TypeParam::value;
  const T low = std::is_integral_v<T> ? std::numeric_limits<T>::lowest() : -std::numeric_limits<T>::infinity();
  const T high = std::is_integral_v<T> ? std::numeric_limits<T>::max() : std::numeric_limits<T>::infinity();
  std::vector<std::uint8_t> chosen(700, 0);
  chosen[300] = chosen[611] = 1;
  const auto m = this->row(chosen);
  const auto highest = this->row(std::vector<T>(700, high)), lowest = this->row(std::vector<T>(700, low));
  EXPECT_EQ(high, quern::min(this->e, highest, mask{m}));
  EXPECT_EQ(low, quern::nanmax(this->e, lowest, mask{m}));
  EXPECT_EQ(300, quern::argmax(this->e, lowest, mask{m}));
}

}  // namespace
