// SPDX-FileCopyrightText: the Quern authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef QUERN_KEYED_MAP_LINES_HPP
#define QUERN_KEYED_MAP_LINES_HPP

#include <quern/map/map.hpp>

namespace quern::impl {

/// A map between lines of arrays of equal extents.
template <class Exec, class T, class F, class... In>
void map_lines(const std::string& label, const Exec& exec, const strided<T>& out, const F& f, const In&... in) {
  if (out.extents.size() == 0) return;
  const bool in_place = ((static_cast<const void*>(in.array.data) == out.data) || ...);
  map_launch<Exec, F, T>(exec, label, out, f, in_place, {out.stride, in.array.stride...}, in...);
}
template <class T>
auto line_input(const strided<T>& a) {
  return array_input<std::remove_const_t<T>>{{a.data, a.extents, a.stride}};
}
}  // namespace quern::impl

#endif
