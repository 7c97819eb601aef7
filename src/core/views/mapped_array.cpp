// SPDX-FileCopyrightText: the Quern authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <quern/core/views/mapped_array.hpp>

#include <bit>
#include <cstdlib>
#include <quern/core/views/overlap.hpp>

namespace quern::impl {

index_layout mapped_layout(const std::string& label, const index_layout& inner, int axis, std::int64_t n,
                           std::int64_t& first, index_bits& bits) {
  const auto closer = [&](int d) { return std::abs(inner.stride[d]) < std::abs(inner.stride[axis]); };
  const auto matters = [&](int d) { return d != axis && inner.extents.extent[d] > 1; };
  std::int64_t low[2] = {},
               high[2] = {};  // what addresses of the axes reach that are closer in memory, and of the others
  std::uint64_t outer = std::uint64_t{1} << 30;  // of any more the bits do not matter
  for (int d = 0; d < inner.extents.rank; ++d) {
    const std::int64_t reach = inner.stride[d] * (inner.extents.extent[d] - 1);
    if (matters(d)) (reach < 0 ? low : high)[closer(d) ? 0 : 1] += reach;
    if (matters(d) && !closer(d)) outer |= static_cast<std::uint64_t>(inner.stride[d]);
  }
  const int shift = std::countr_zero(outer);
  bits = {bits_of(high[0] - low[0]), bits_of(n - 1), shift};
  const int above = bits.below + bits.of_index;
  if (above + bits_of((high[1] - low[1]) >> shift) > 62)
    throw Error(label, "extents " + inner.extents.str() + " with " + std::to_string(n) + " along axis " +
                           std::to_string(axis) + " are too large");
  first = inner.first + low[0] + low[1];
  const std::int64_t scale = std::int64_t{1} << above;
  index_layout r{inner.extents, {}, -low[0] - (low[1] >> shift) * scale};
  for (int d = 0; d < inner.extents.rank; ++d)
    if (matters(d)) r.stride[d] = closer(d) ? inner.stride[d] : (inner.stride[d] >> shift) * scale;
  r.extents.extent[axis] = n;
  r.stride[axis] = std::int64_t{1} << bits.below;
  return r;
}

void check_sources_apart(const std::string& label, const array_bytes& out, const source_memory& memory,
                         std::string_view name) {
  const auto text = [&](source_role role) {
    if (role == source_role::elements) return "the array that " + std::string(name) + " re-indexes";
    return (role == source_role::indices ? "the indices of " : "the info of ") + std::string(name);
  };
  for (const source_bytes& m : memory)  // no text is made where all is well
    if (m.bytes.data != nullptr && out.data != nullptr && overlap(out, m.bytes))
      check_overlap(label, out, m.bytes, text(m.role), false);
}

}  // namespace quern::impl
