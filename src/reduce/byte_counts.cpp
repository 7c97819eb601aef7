// SPDX-FileCopyrightText: the Quern authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <quern/reduce/byte_counts.hpp>

// nvcc and hipcc do not know all vector instructions of hosts.
#if defined(__GNUC__) && defined(__x86_64__) && !defined(__CUDACC__) && !defined(__HIPCC__)
#define QUERN_COUNT_BY_AVX2
#endif

namespace quern::impl {
namespace {

#ifdef __GNUC__
[[gnu::always_inline]]
#endif
inline std::int64_t count_in_lanes(const std::uint8_t* v, std::int64_t n) {
  constexpr int lanes = 128, most = 255;  // each counts up to so many in a byte
  std::int64_t found = 0, i = 0;
  while (i + lanes <= n) {
    std::uint8_t some[lanes] = {};
    const std::int64_t groups = (n - i) / lanes, last = i + (groups < most ? groups : most) * lanes;
    for (; i < last; i += lanes)
      for (int l = 0; l < lanes; ++l) some[l] = static_cast<std::uint8_t>(some[l] + (v[i + l] != 0 ? 1 : 0));
    std::uint32_t sum = 0;
    for (int l = 0; l < lanes; ++l) sum += some[l];
    found += sum;
  }
  for (; i < n; ++i) found += v[i] != 0 ? 1 : 0;
  return found;
}

#ifdef QUERN_COUNT_BY_AVX2
__attribute__((target("avx2"))) std::int64_t count_by_avx2(const std::uint8_t* v, std::int64_t n) {
  return count_in_lanes(v, n);
}
#endif

}  // namespace

std::int64_t count_nonzero_bytes(const void* bytes, std::int64_t n) {
  const auto* const v = static_cast<const std::uint8_t*>(bytes);
#ifdef QUERN_COUNT_BY_AVX2
  static const bool has_avx2 = __builtin_cpu_supports("avx2");
  if (has_avx2) return count_by_avx2(v, n);
#endif
  return count_in_lanes(v, n);
}

}  // namespace quern::impl
