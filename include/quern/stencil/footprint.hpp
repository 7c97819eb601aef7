// SPDX-FileCopyrightText: the Quern authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef QUERN_STENCIL_FOOTPRINT_HPP
#define QUERN_STENCIL_FOOTPRINT_HPP

/// @file
/// The cells around a cell that a filter of order statistics or of morphology looks at.

#include <cstdint>
#include <quern/core/call/per_axis.hpp>
#include <quern/core/launch/operations.hpp>
#include <quern/core/views/copies.hpp>
#include <quern/core/views/part_view.hpp>
#include <quern/map/map.hpp>
#include <quern/stencil/filter_windows.hpp>
#include <string>
#include <vector>

namespace quern {
namespace impl {

/// What the host reads of a View before a call returns: of an array of known rank, which may be re-indexed by strides.
template <class V>
concept readable_view = (pointer_view<V> || span_view<V>) && rank_of<V> >= 0;

/// A View where the host can read it: itself if it is in host memory, else a copy of its elements in row-major order,
/// which waits for all kernels.
template <class V>
auto readable(const V& view) {
  constexpr bool on_host = [] {
    if constexpr (pointer_view<V>) return std::is_same_v<typename V::memory_space, Kokkos::HostSpace>;
    else return true;  // an mdspan does not say where its memory is
  }();
  if constexpr (on_host) {
    return view;
  } else if constexpr (Kokkos::is_view_v<V>) {
    return to_host(view);
  } else {
    using space = default_execution_space<V>;
    using value = value_of<V>;
    const shape extents = view_extents(view);
    const Kokkos::View<value*, space> packed("quern::weights", static_cast<std::size_t>(extents.size()));
    const auto in_order = as_part<space, rank_of<V>, Kokkos::LayoutRight>(strided<value>{packed.data(), extents, {}});
    Kokkos::fence("quern::weights");
    map_checked("quern::weights", space(), in_order, op::identity(), view);
    return to_host(packed);
  }
}

/// Calls f with the values of a View, the last axis fastest.
template <class V, class F>
void for_each_value(const V& view, const F& f) {
  const auto host = readable(view);
  const auto s = describe(host);
  const std::int64_t size = s.extents.size();
  for (std::int64_t n = 0; n < size; ++n) {
    std::int64_t rest = n, at = 0;
    for (int d = s.extents.rank - 1; d >= 0; --d) {
      at += rest % s.extents.extent[d] * s.stride[d];
      rest /= s.extents.extent[d];
    }
    f(s.data[at]);
  }
}

template <int Rank>
struct window_cells;

}  // namespace impl

/// The window of a filter: all cells of a box, `5` along each axis or `{3, 5}`; the cells of one that are not zero in a
/// View or a re-indexed one, `footprint(flip(view))`, which the host reads before the call returns, from other memory
/// by a copy that waits; or what `generate_binary_structure` returns. A window of n cells reaches from -(n / 2) to (n -
/// 1) / 2 along an axis, unless the option `origin` moves it.
class footprint {
 public:
  footprint(int size) : sizes_{size} {}                           // NOLINT(google-explicit-constructor)
  footprint(std::initializer_list<int> sizes) : sizes_(sizes) {}  // NOLINT(google-explicit-constructor)
  template <impl::readable_view V>
  explicit footprint(const V& cells) : listed_(true) {
    const shape extents = impl::view_extents(cells);
    for (int d = 0; d < extents.rank; ++d) sizes_.push_back(static_cast<int>(extents.extent[d]));
    impl::for_each_value(cells, [&](const auto& v) { cells_.push_back(v != std::remove_cvref_t<decltype(v)>(0)); });
  }
  /// The sizes along the axes, or one for all.
  const impl::axis_list<int>& sizes() const { return sizes_; }
  /// Which cells of the box count, where that is not all of them.
  const std::vector<char>& cells() const { return cells_; }

 private:
  template <int Rank>
  friend struct impl::window_cells;
  friend footprint generate_binary_structure(int rank, int connectivity);
  /// Of a box with the last axis fastest.
  footprint(const impl::axis_list<int>& sizes, const std::vector<char>& cells)
      : sizes_(sizes), cells_(cells), listed_(true) {}
  impl::axis_list<int> sizes_;
  std::vector<char> cells_;
  bool listed_ = false;
};

/// Where a window lies, along all axes, `origin{1}`, or each, `origin{0, -1}`: it reaches from -(n / 2) - origin on.
/// SciPy's sign: positive values move the window to lower indices.
struct origin : per_axis<int> {
  using option_of = impl::any_place;
  origin(int all) : per_axis<int>(all) {}                           // NOLINT(google-explicit-constructor)
  origin(std::initializer_list<int> each) : per_axis<int>(each) {}  // NOLINT(google-explicit-constructor)
};

/// The cells of a box of 3 along each of `rank` axes that are at most `connectivity` steps along axes away from the
/// middle, as SciPy's: the cell and its neighbours along the axes for 1, the whole box for `rank`.
/// @throws Error if `rank` is not 1, 2 or 3
footprint generate_binary_structure(int rank, int connectivity);

namespace impl {

/// How a cell is away from the middle of a window, along the three axes of which arrays of lower rank have the last
/// ones.
struct cell_offset {
  int of[3];
};

/// Cells of a window in a list.
struct listed_window {
  static constexpr bool fixed = false;
  weight_list<cell_offset> cells;
  int size;
};
template <class F>
KOKKOS_FORCEINLINE_FUNCTION void for_each_offset(const listed_window& w, const F& f) {
  if (w.cells.in_memory())
    for (int n = 0; n < w.size; ++n) {
      const cell_offset c = w.cells.template at<true>(n);
      f(n, c.of[0], c.of[1], c.of[2]);
    }
  else
    for (int n = 0; n < w.size; ++n) f(n, w.cells.few[n].of[0], w.cells.few[n].of[1], w.cells.few[n].of[2]);
}

/// The cells of a window for arrays of that rank, checked.
template <int Rank>
struct window_cells {
  std::array<int, Rank> first, size;  // of the box along each axis
  bool box = true;                    // all of its cells
  host_weights<cell_offset> offsets;  // where it is not all, of those that count
  std::int64_t count = 1;

  /// @param mirrored whether the window is turned around, as that of a dilation
  window_cells(const std::string& label, const footprint& window, const per_axis<int>& origins, bool mirrored = false)
      : size(sizes_of(label, window)) {
    const auto moved = origins.template all<Rank>(label);
    for (int d = 0; d < Rank; ++d) {
      const std::int64_t middle = std::int64_t{size[d] / 2} + moved[d];
      if (size[d] < 1)
        throw Error(label, "a window of " + std::to_string(size[d]) + " along axis " + std::to_string(d) +
                               ", expected at least 1");
      if (middle < 0 || middle >= size[d])
        throw Error(label, "an origin of " + std::to_string(moved[d]) + " for a window of " + std::to_string(size[d]) +
                               " along axis " + std::to_string(d) + ", whose cells must contain the cell itself");
      first[d] = static_cast<int>(mirrored ? middle - size[d] + 1 : -middle);
      count *= size[d];
      if (count > std::numeric_limits<int>::max()) throw Error(label, "a window of more than 2^31 - 1 values");
    }
    if (!window.listed_) return;
    const std::vector<char>& cells = window.cells_;
    list_cells([&](std::int64_t n) { return cells[mirrored ? count - 1 - n : n] != 0; });
    count = static_cast<std::int64_t>(offsets.size());
    box = offsets.size() == cells.size();
    if (count == 0) throw Error(label, "a footprint without a cell");
  }
  run_time_box reach() const {
    run_time_box r;
    for (int d = 0; d < Rank; ++d) r.r[d] = std::max(-first[d], first[d] + size[d] - 1);
    return r;
  }
  template <int D>
  line_window<Rank, D> along(std::integral_constant<int, D>) const {
    return {first[D], size[D]};
  }
  /// The cells of a box along one axis.
  host_weights<cell_offset> line(int axis) const {
    host_weights<cell_offset> cells;
    for (int k = 0; k < size[axis]; ++k) {
      cell_offset c{};
      c.of[3 - Rank + axis] = first[axis] + k;
      cells.push_back(c);
    }
    return cells;
  }
  /// Lists the cells of a box, too.
  void list_all() {
    if (offsets.empty()) list_cells([](std::int64_t) { return true; });
  }
  /// The values, as heights, of the cells of the window. Lists the cells.
  host_weights<double> values_of_cells(const std::string& label, const axis_list<int>& sizes,
                                       const std::vector<double>& values, bool mirrored) {
    bool fits = sizes.size() == Rank;
    for (int d = 0; d < Rank && fits; ++d) fits = sizes[d] == size[d];
    if (!fits) throw Error(label, "a structuring element whose extents are not those of the window");
    list_all();
    host_weights<double> of_cells;
    const auto all = static_cast<std::int64_t>(values.size());
    for (const cell_offset& c : offsets) {
      std::int64_t n = 0;
      for (int d = 0; d < Rank; ++d) n = n * size[d] + c.of[3 - Rank + d] - first[d];
      of_cells.push_back(values[mirrored ? all - 1 - n : n]);
    }
    return of_cells;
  }
  /// The box in words, for the comparison of calls on several ranks.
  std::string text() const {
    std::string s = " in windows of";
    for (int d = 0; d < Rank; ++d) s += " " + std::to_string(size[d]) + " from " + std::to_string(first[d]);
    if (!box) {
      std::uint64_t hash = 14695981039346656037u;  // FNV-1a
      for (const cell_offset& c : offsets)
        for (const int o : c.of) hash = (hash ^ static_cast<std::uint32_t>(o)) * 1099511628211u;
      s += " of " + std::to_string(count) + " cells, " + std::to_string(hash);
    }
    return s;
  }

 private:
  static std::array<int, Rank> sizes_of(const std::string& label, const footprint& window) {
    const auto& s = window.sizes_;
    if ((window.listed_ || s.size() != 1) && s.size() != Rank)
      throw Error(label,
                  "a window of rank " + std::to_string(s.size()) + " for arrays of rank " + std::to_string(Rank));
    std::array<int, Rank> all;
    for (int d = 0; d < Rank; ++d) all[d] = s[s.size() == 1 ? 0 : d];
    return all;
  }
  /// Lists those of the cells of the box for which counts(n) holds.
  template <class Counts>
  void list_cells(const Counts& counts) {
    for (std::int64_t n = 0; n < count; ++n) {
      if (!counts(n)) continue;
      cell_offset c{};
      std::int64_t rest = n;
      for (int d = Rank - 1; d >= 0; --d) {
        c.of[3 - Rank + d] = first[d] + static_cast<int>(rest % size[d]);
        rest /= size[d];
      }
      offsets.push_back(c);
    }
  }
};

}  // namespace impl
}  // namespace quern

#endif
