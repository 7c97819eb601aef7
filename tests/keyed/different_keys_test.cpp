// SPDX-FileCopyrightText: the Quern authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// How many different keys rows have, by samples of them.

#include <cmath>
#include <quern/keyed/hash_keys.hpp>
#include <support/testing.hpp>

namespace {

using quern::impl::frequent_equally;
using quern::impl::key_sample;

/// The keys that a sample is expected to find, of which key k has a part of the rows that is `weight(k)` of all.
template <class Weight>
double expected(double samples, int keys, const Weight& weight) {
  double sum = 0, found = 0;
  for (int k = 1; k <= keys; ++k) sum += weight(k);
  for (int k = 1; k <= keys; ++k) found -= std::expm1(-samples * weight(k) / sum);
  return found;
}
template <class Weight>
key_sample sample_of(double samples, int keys, const Weight& weight) {
  return {samples,
          {expected(samples / 4, keys, weight), expected(samples / 2, keys, weight), expected(samples, keys, weight)}};
}

TEST(DifferentKeys, OfEqualFrequency) {
  for (int keys : {1, 10, 1000, 100'000, 1'000'000}) {
    const frequent_equally found(sample_of(131'072, keys, [](int) { return 1.0; }));
    EXPECT_TRUE(found.likely) << keys;
    EXPECT_NEAR(keys, found.keys, 1e-3 * keys);
  }
}
TEST(DifferentKeys, WithoutAnyTwice) {
  const frequent_equally found({4096, {1024, 2048, 4096}});
  EXPECT_TRUE(found.likely && found.keys > 1e6);
}
TEST(DifferentKeys, OfSkewedFrequency) {
  constexpr double rows = 5e7, samples = 1 << 20;
  for (int keys : {200'000, 1'000'000})
    for (double exponent : {0.8, 1.2}) {
      const auto weight = [&](int k) { return std::pow(k, -exponent); };
      EXPECT_FALSE(frequent_equally(sample_of(samples / 8, keys, weight)).likely) << keys << ", " << exponent;
      const double ratio =
          quern::impl::extrapolated_keys(sample_of(samples, keys, weight), rows) / expected(rows, keys, weight);
      EXPECT_TRUE(ratio > 0.7 && ratio < 2.6) << keys << " keys, exponent " << exponent << ": " << ratio;
    }
}

}  // namespace
