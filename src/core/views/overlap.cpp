// SPDX-FileCopyrightText: the Quern authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <quern/core/views/overlap.hpp>

#include <algorithm>
#include <array>
#include <cstdlib>
#include <utility>

namespace quern::impl {
namespace {

/// One unknown of the equation below: a step in bytes and the range of its whole-number factor.
struct overlap_term {
  std::int64_t step, lowest, highest;
};
/// The unknowns of two arrays, and the bytes within an element; a call allocates nothing for them.
struct overlap_terms {
  std::array<overlap_term, 2 * max_rank + 1> of;
  std::size_t count = 0;
  void add(const overlap_term& t) { of[count++] = t; }
  void sort_by_falling_step() {
    std::sort(of.begin(), of.begin() + count, [](const auto& x, const auto& y) { return x.step > y.step; });
  }
};

/// Whether sum_k step_k * i_k = target has a solution within the ranges. Terms are sorted by falling step, so that the
/// rest of them bounds each factor to a few candidates; `work` bounds the search for adversarial strides.
bool overlap_search(const overlap_terms& terms, std::size_t k, std::int64_t target, int& work) {
  if (--work < 0) return true;
  if (k == terms.count) return target == 0;
  std::int64_t low = 0, high = 0;  // what the terms after k can still add
  for (std::size_t j = k + 1; j < terms.count; ++j) {
    low += terms.of[j].step * terms.of[j].lowest;
    high += terms.of[j].step * terms.of[j].highest;
  }
  const auto& t = terms.of[k];
  const auto floor_div = [](std::int64_t a, std::int64_t b) { return a / b - (a % b != 0 && a < 0); };
  const std::int64_t first = std::max(t.lowest, -floor_div(high - target, t.step));
  const std::int64_t last = std::min(t.highest, floor_div(target - low, t.step));
  for (std::int64_t i = first; i <= last; ++i)
    if (overlap_search(terms, k + 1, target - t.step * i, work)) return true;
  return false;
}

/// The first byte of an array and the one after its last.
std::pair<std::intptr_t, std::intptr_t> byte_range(const array_bytes& s) {
  std::int64_t low = 0, high = 0;
  for (int d = 0; d < s.extents.rank; ++d) {
    const std::int64_t reach = s.stride[d] * (s.extents.extent[d] - 1);
    (reach < 0 ? low : high) += reach;
  }
  const auto start = reinterpret_cast<std::intptr_t>(s.data);
  return {start + low * s.element, start + (high + 1) * s.element};
}

bool same_array(const array_bytes& a, const array_bytes& b) {
  if (a.data != b.data || a.element != b.element || a.extents != b.extents) return false;
  for (int d = 0; d < a.extents.rank; ++d)
    if (a.extents.extent[d] > 1 && a.stride[d] != b.stride[d]) return false;
  return true;
}

/// Whether two elements of an array are at one address: whether some distances along the axes, not all zero, add up to
/// nothing.
bool overlaps_itself(const shape& extents, const Kokkos::Array<std::int64_t, max_rank>& stride) {
  if (extents.size() == 0) return false;
  const auto step = [&](int d) { return std::abs(stride[d]); };
  const auto smaller = [&](int e, int d) { return step(e) < step(d) || (step(e) == step(d) && e < d); };
  bool apart = true;  // each axis steps over all that those with smaller strides reach
  for (int d = 0; d < extents.rank; ++d) {
    std::int64_t reach = 0;
    for (int e = 0; e < extents.rank; ++e)
      if (smaller(e, d)) reach += step(e) * (extents.extent[e] - 1);
    apart = apart && (extents.extent[d] == 1 || step(d) > reach);
  }
  if (apart) return false;
  overlap_terms terms;  // distances of up to extent - 1 in either direction
  for (int d = 0; d < extents.rank; ++d)
    if (const std::int64_t n = extents.extent[d] - 1; n > 0) terms.add({step(d), -n, n});
  terms.sort_by_falling_step();
  int work = 10000;
  for (std::size_t k = 0; k < terms.count; ++k) {
    terms.of[k].lowest = 1;  // the first distance that is not zero
    if (overlap_search(terms, k, 0, work)) return true;
  }
  return false;
}

}  // namespace

bool overlap(const array_bytes& a, const array_bytes& b) {
  if (a.extents.size() == 0 || b.extents.size() == 0) return false;
  const auto [a_low, a_high] = byte_range(a);
  const auto [b_low, b_high] = byte_range(b);
  if (a_high <= b_low || b_high <= a_low) return false;  // all but views of one allocation
  // address(a) + sum a.stride * i  ==  address(b) + sum b.stride * j  (bytes within an element included)
  overlap_terms terms;
  const auto add = [&](std::int64_t step, std::int64_t lowest, std::int64_t highest) {
    if (step < 0) {
      step = -step;
      std::swap(lowest, highest);
      lowest = -lowest;
      highest = -highest;
    }
    if (step != 0 && lowest != highest) terms.add({step, lowest, highest});
  };
  const auto add_array = [&](const auto& s, std::int64_t size, int sign) {
    for (int d = 0; d < s.extents.rank; ++d) {
      const std::int64_t n = s.extents.extent[d] - 1;
      add(s.stride[d] * size, sign > 0 ? 0 : -n, sign > 0 ? n : 0);
    }
  };
  add_array(a, a.element, 1);
  add_array(b, b.element, -1);
  add(1, 1 - b.element, a.element - 1);
  terms.sort_by_falling_step();
  overlap_terms merged;  // equal steps are one unknown: two Views of one allocation have many
  for (std::size_t k = 0; k < terms.count; ++k) {
    const auto& t = terms.of[k];
    if (merged.count > 0 && merged.of[merged.count - 1].step == t.step) {
      merged.of[merged.count - 1].lowest += t.lowest;
      merged.of[merged.count - 1].highest += t.highest;
    } else {
      merged.add(t);
    }
  }
  const std::int64_t target = static_cast<const char*>(b.data) - static_cast<const char*>(a.data);
  int work = 10000;
  return overlap_search(merged, 0, target, work);
}

std::string text_of_shared_elements(const array_bytes& out) {
  const char* const end = ": its elements share memory";
  for (int d = 0; d < out.extents.rank; ++d)
    if (out.extents.extent[d] > 1 && out.stride[d] == 0 && out.extents.size() > 0)
      return "out has stride 0 along axis " + std::to_string(d) + " of extents " + out.extents.str() + end;
  if (!overlaps_itself(out.extents, out.stride)) return "";
  shape strides = out.extents;
  strides.extent = out.stride;
  return "out has strides " + strides.str() + " for extents " + out.extents.str() + end;
}

void check_output(const std::string& operation, const array_bytes& out) {
  if (const std::string text = text_of_shared_elements(out); !text.empty()) throw Error(operation, text);
}

void check_overlap(const std::string& operation, const array_bytes& out, const array_bytes& in, std::string_view name,
                   bool same_allowed) {
  if (same_allowed && same_array(out, in)) return;
  if (overlap(out, in))
    throw Error(operation,
                "out and " + std::string(name) + " share memory" + (same_allowed ? " and are not the same View" : ""));
}

void check_all_apart(const std::string& operation, std::initializer_list<const char*> names,
                     std::initializer_list<array_bytes> arrays) {
  const char* const* name = names.begin();
  const array_bytes* array = arrays.begin();
  for (std::size_t i = 0; i < arrays.size(); ++i)
    for (std::size_t j = i + 1; j < arrays.size(); ++j)
      if (array[i].data != nullptr && array[j].data != nullptr && overlap(array[i], array[j]))
        throw Error(operation, std::string(name[i]) + " and " + name[j] + " share memory");
}

}  // namespace quern::impl
