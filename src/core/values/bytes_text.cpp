// SPDX-FileCopyrightText: the Quern authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <array>
#include <quern/core/values/bytes_text.hpp>

namespace quern::impl {
namespace {
constexpr std::array<const char*, 5> names{" bytes", " kB", " MB", " GB", " TB"};
}  // namespace

void byte_unit::choose(std::uint64_t least) {
  for (; least >= 1000 && power_ + 1 < static_cast<int>(names.size()); least /= 1000) ++power_;
}

std::string byte_unit::text(std::uint64_t bytes) const {
  if (power_ == 0) return std::to_string(bytes) + names[0];
  std::uint64_t thousandth = 1;  // of the unit
  for (int p = 1; p < power_; ++p) thousandth *= 1000;
  const std::uint64_t n = bytes / thousandth + (bytes % thousandth != 0 ? 1 : 0);
  std::string fraction = std::to_string(1000 + n % 1000).substr(1);
  fraction.resize(fraction.find_last_not_of('0') + 1);
  return std::to_string(n / 1000) + (fraction.empty() ? "" : "." + fraction) + names[power_];
}

}  // namespace quern::impl
