// SPDX-FileCopyrightText: the Quern authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <algorithm>
#include <limits>
#include <quern/core/axes.hpp>
#include <quern/core/loop_nest.hpp>
#include <quern/core/operands.hpp>

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

axes::axes(std::initializer_list<int> numbers) : count(static_cast<int>(numbers.size())) {
  if (numbers.size() > max_rank) throw Error("quern::axes", "at most 8 axes are possible");
  std::copy(numbers.begin(), numbers.end(), number.begin());
}

namespace impl {

axis_set::axis_set(const std::string& operation, const axes& wanted, int rank) {
  for (int i = 0; i < wanted.count; ++i) {
    const int n = wanted.number[i], d = n < 0 ? n + rank : n;
    if (d < 0 || d >= rank)
      throw Error(operation, "axis " + std::to_string(n) + " is out of range, expected one of an array of rank " +
                                 std::to_string(rank));
    if (in_[d]) throw Error(operation, "axis " + std::to_string(n) + " is repeated");
    in_[d] = true;
  }
}
shape axis_set::part(const shape& extents, bool in_set) const {
  shape s;
  for (int d = 0; d < extents.rank; ++d)
    if (in_[d] == in_set) s.extent[s.rank++] = extents.extent[d];
  return s;
}
std::int64_t smallest_stride(const shape& extents, const stride_array& stride, const axis_set& axes, bool in_set) {
  std::int64_t smallest = std::numeric_limits<std::int64_t>::max();
  for (int d = 0; d < extents.rank; ++d)
    if (axes.has(d) == in_set && extents.extent[d] > 1) smallest = std::min(smallest, stride[d]);
  return smallest;
}

bool broadcast_strides(const shape& from, const stride_array& stride, const shape& to, stride_array& result) {
  if (from.rank > to.rank) return false;
  result.fill(0);
  for (int d = 0; d < from.rank; ++d) {
    const int e = d + to.rank - from.rank;
    if (from.extent[d] == to.extent[e]) result[e] = from.extent[d] == 1 ? 0 : stride[d];
    else if (from.extent[d] != 1) return false;
  }
  return true;
}
shape broadcast_extents(const std::string& label, const shape& a, const shape& b) {
  shape both = a.rank >= b.rank ? a : b;
  const shape& other = a.rank >= b.rank ? b : a;
  for (int d = 0; d < other.rank; ++d) {
    std::int64_t& extent = both.extent[both.rank - other.rank + d];
    if (extent == 1) extent = other.extent[d];
    else if (other.extent[d] != 1 && other.extent[d] != extent)
      throw Error(label, "the inputs of a lazy array have extents " + a.str() + " and " + b.str() +
                             ", which do not broadcast to each other");
  }
  return both;
}
stride_array row_major_strides(const shape& extents) {
  stride_array stride{};
  std::int64_t next = 1;
  for (int d = extents.rank - 1; d >= 0; next *= extents.extent[d--]) stride[d] = next;
  return stride;
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

std::string input_name(std::size_t i) { return "in " + std::to_string(i + 1); }
void reject_extents(const std::string& label, const std::string& name, const shape& found,
                    const std::string& expected) {
  throw Error(label, name + " has extents " + found.str() + ", expected " + expected);
}
void check_extents(const std::string& label, const std::string& name, const shape& found, const shape& expected,
                   const char* why) {
  if (found != expected) reject_extents(label, name, found, expected.str() + why);
}
void reject_positions(const std::string& label, const std::string& name, std::int64_t n, std::size_t bytes) {
  throw Error(label, "positions to before " + std::to_string(n) + " do not fit the type of " + name + ", of " +
                         std::to_string(8 * bytes) + " bits");
}
void reject_broadcast(const std::string& label, const std::string& name, const shape& found, const shape& to) {
  throw Error(label, name + " has extents " + found.str() + ", which do not broadcast to " + to.str());
}

}  // namespace impl
}  // namespace quern
