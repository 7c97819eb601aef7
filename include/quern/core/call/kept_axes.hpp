// SPDX-FileCopyrightText: the Quern authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef QUERN_CORE_CALL_KEPT_AXES_HPP
#define QUERN_CORE_CALL_KEPT_AXES_HPP

/// @file
/// The option `keep_axes`: results are written to a View without its axes of extent 1.

#include <quern/core/call/call.hpp>

namespace quern::impl {

/// The rank of what remains of a View when reduced axes are gone, or -1 where options do not tell when compiling. `All`
/// is that of what remains of all axes.
template <int Rank, int All, class... Options>
constexpr int rank_without_axes() {
  if (Rank < 0) return -1;
  if ((std::is_same_v<Options, axis> || ...)) return Rank - 1;
  return has_option<axes, Options...> ? -1 : All;
}

/// An output without the axes that it keeps; `before` its own axes before those of the reduced array.
template <int All, class Out, class... Options>
auto without_kept_axes(const std::string& label, const Out& out, int before, const Options&... options) {
  static_assert(
      view_like<Out> && !dual_view<Out>,
      "quern::keep_axes: results that keep axes are written to a View in memory, not returned, to a DualView, "
      "to rows, in chunks or over ranks");
  if constexpr (view_like<Out> && !dual_view<Out>) {
    const axes* wanted = find_option<axes>(options...);
    return restride<rank_without_axes<rank_of<Out>, All, Options...>()>(out, [&](const index_layout& l) {
      axes gone;
      if (wanted == nullptr) {
        for (int d = before; d < l.extents.rank; ++d) gone.number[gone.count++] = d;
      } else {
        gone = *wanted;
        for (int k = 0; k < gone.count; ++k)
          if (gone.number[k] >= 0) gone.number[k] += before;
      }
      return without_axes(label, l, gone);
    });
  } else {
    return out;
  }
}
template <int All, class... Out, class... Options>
auto without_kept_axes(const std::string& label, const std::tuple<Out...>& out, int before, const Options&... options) {
  return unpack([&](const auto&... o) { return std::tuple(without_kept_axes<All>(label, o, before, options...)...); },
                out);
}

/// `run(out, options...)` with an output without the axes that it keeps, and the other options.
template <int All, class Run, class Out, class... Options>
auto with_kept_axes(const std::string& label, const Run& run, const Out& out, int before, const Options&... options) {
  const auto others = []<class T>(const T& o) {
    if constexpr (std::same_as<T, keep_axes_t>) return std::tuple<>();
    else return std::tie(o);
  };
  const auto narrower = without_kept_axes<All>(label, out, before, options...);
  return unpack([&](const auto&... o) { return run(narrower, o...); }, std::tuple_cat(others(options)...));
}

}  // namespace quern::impl

#endif
