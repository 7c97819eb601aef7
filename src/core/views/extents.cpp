// SPDX-FileCopyrightText: the Quern authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <algorithm>
#include <quern/core/views/extents.hpp>

namespace quern {

shape::shape(std::initializer_list<std::int64_t> extents) : rank(static_cast<int>(extents.size())) {
  if (extents.size() > max_rank) throw Error("quern::shape", "at most 8 extents are possible");
  std::copy(extents.begin(), extents.end(), extent.begin());
}
std::string shape::str() const {
  std::string s = "(";
  for (int d = 0; d < rank; ++d) s += (d > 0 ? ", " : "") + std::to_string(extent[d]);
  return s + ")";
}

namespace impl {

bool broadcast_strides(const shape& from, const stride_array& stride, const shape& to, stride_array& result) {
  if (from.rank > to.rank) return false;
  result = {};
  for (int d = 0; d < from.rank; ++d) {
    const int e = d + to.rank - from.rank;
    if (from.extent[d] == to.extent[e]) result[e] = from.extent[d] == 1 ? 0 : stride[d];
    else if (from.extent[d] != 1) return false;
  }
  return true;
}

std::size_t bytes_of_array(const std::string& label, const shape& extents, std::size_t element) {
  auto bytes = static_cast<std::int64_t>(element);
  bool empty = false, fits = true;
  for (int d = 0; d < extents.rank; ++d) {
    const std::int64_t n = extents.extent[d];
    if (n < 0) throw Error(label, "a negative extent in " + extents.str());
    empty = empty || n == 0;
    fits = fits && !__builtin_mul_overflow(bytes, n, &bytes);
  }
  if (empty) return 0;
  if (!fits)
    throw MemoryError(label, "an array of extents " + extents.str() + " and " + std::to_string(element) +
                                 " bytes an element has more than 2^63 - 1 bytes");
  return static_cast<std::size_t>(bytes);
}

void reject_extents(const std::string& label, std::string_view name, const shape& found, const std::string& expected) {
  throw Error(label, std::string(name) + " has extents " + found.str() + ", expected " + expected);
}
void check_extents(const std::string& label, std::string_view name, const shape& found, const shape& expected,
                   const char* why) {
  if (found != expected) reject_extents(label, name, found, expected.str() + why);
}
void check_rows(std::size_t k, const shape& found) {
  if (found.rank == 0 || found.extent[found.rank - 1] != static_cast<std::int64_t>(k))
    throw Error("quern::rows", "k is " + std::to_string(k) + ", and not the last extent of " + found.str());
}
void reject_positions(const std::string& label, std::string_view name, std::int64_t n, std::size_t bytes) {
  throw Error(label, "positions to before " + std::to_string(n) + " do not fit the type of " + std::string(name) +
                         ", of " + std::to_string(8 * bytes) + " bits");
}
void reject_broadcast(const std::string& label, std::string_view name, const shape& found, const shape& to) {
  throw Error(label, std::string(name) + " has extents " + found.str() + ", which do not broadcast to " + to.str());
}

}  // namespace impl
}  // namespace quern
