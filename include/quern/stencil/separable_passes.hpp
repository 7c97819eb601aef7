// SPDX-FileCopyrightText: the Quern authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef QUERN_STENCIL_SEPARABLE_PASSES_HPP
#define QUERN_STENCIL_SEPARABLE_PASSES_HPP

/// @file
/// Filters that are a product of one along each axis: one pass along each, through scratch memory.

#include <functional>
#include <optional>
#include <quern/core/call/call.hpp>
#include <quern/core/call/per_axis.hpp>
#include <quern/stencil/device_filters.hpp>
#include <quern/stencil/filter_windows.hpp>
#include <span>

namespace quern::impl {

/// The first offset of a window of n, or of one turned around.
inline int first_offset(int n, bool turned) { return turned ? -((n - 1) / 2) : -(n / 2); }

/// The checked arrays of a filter.
template <int Rank, bool Reversed, class Exec, class Out, class In>
struct filter_call {
  static constexpr int rank = Rank;
  using exec_type = Exec;
  using in_type = In;
  using out_type = Out;
  const Exec& exec;
  const std::string& label;
  const boundaries& edges;
  strided<Out> out;
  strided<const In> in;

  template <class Shape, class F>
  void launch(const Shape& reach, const F& f) const {
    pass(reach, f, edges, out, in);
  }
  template <class Shape, class F, class To, class From>
  void pass(const Shape& reach, const F& f, const boundaries& e, const strided<To>& to,
            const strided<const From>& from) const {
    stencil_launch<Shape, Rank, Reversed>(exec, label, reach, f, e, std::tuple(to), from);
  }
  /// Of arrays without elements no boundary is looked at, as in stencils.
  void check_edges(const run_time_box& reach) const {
    if (in.extents.size() > 0) boxes_of<Rank, Reversed>(label, reach, in.extents, edges);
  }
  /// Whether devices can move packs of the arrays, which their stencils of fixed windows need to be fast.
  bool holds_packs() const {
    constexpr int width = std::min(pack_width<Exec, Out, In>(), 8);
    return aligned_rows<width>(on_grid<Rank, Reversed>(out)) &&
           aligned_rows<width>(on_grid<Rank, Reversed>(label, in, edges));
  }
  static window_extents window(const std::array<int, Rank>& size, bool turned) {
    window_extents w;
    for (int d = 0; d < Rank; ++d) w.set(grid_axis<Rank, Reversed>(d), first_offset(size[d], turned), size[d]);
    return w;
  }
  /// The cells of a pass in tiles of a device.
  template <int Rows, int Along = Rank == 3 ? 1 : 0, class To, class From>
  device_tiles<Exec, Rank, Reversed, To, From, Rows, Along> tiles(const run_time_box& reach,
                                                                  const window_extents& window, const boundaries& e,
                                                                  const strided<To>& to,
                                                                  const strided<const From>& from) const {
    return {boxes_of<Rank, Reversed>(label, reach, from.extents, e), on_grid<Rank, Reversed>(to),
            on_grid<Rank, Reversed>(label, from, e), window};
  }
};

/// Checks arrays and calls f with them as a filter_call.
template <class Exec, class Out, class In, class F>
void with_filter(const std::string& label, const Exec& exec, const Out& out_view, const boundaries& edges,
                 const In& in_view, const F& f) {
  constexpr int rank = known_rank<Out>();
  static_assert(rank >= 1 && rank <= 3, "quern: filters take Views of rank 1, 2 or 3, known when compiling");
  static_assert(known_rank<In>() == rank, "quern: in must have the rank of out");
  static_assert(converts<value_of<In>, value_of<Out>>,
                "quern: the filter's values do not convert to out's type, as complex numbers to real ones");
  if constexpr (rank >= 1 && rank <= 3 && known_rank<In>() == rank &&
                converts<value_of<In>, value_of<Out>>) {  // else one message is enough
    const call c(label, exec);
    const auto out = c.output(out_view);
    const auto in = c.input(in_view);
    check_stencil_input(label, std::tie(out), in, in.extents);
    using T = std::remove_pointer_t<decltype(out.data)>;
    f(filter_call<rank, first_axis_fastest<Out>, Exec, T, value_of<In>>{exec, c.label, edges, out, in});
  }
}

/// An array in scratch memory between two passes of a filter, in the order of its output.
template <int Rank, bool Reversed, class T>
strided<T> array_between(T* data, const shape& extents) {
  strided<T> array{data, extents, {}};
  std::int64_t next = 1;
  for (int k = Rank - 1; k >= 0; --k) {
    const int d = Reversed ? Rank - 1 - k : k;
    array.stride[d] = next;
    next *= extents.extent[d];
  }
  return array;
}

/// How far windows of that size reach.
/// @throws Error where one has no cell
run_time_box reach_of(const std::string& label, std::span<const int> size);

/// The boundaries of the pass along the axes from `first` to `last`, where a constant is `scaled`, and how far it
/// reaches of windows that reach `radius` far.
///
/// Values from beyond along these are those of the passes before. Earlier axes that keep cells have none to give there;
/// later ones will need what lies around a box.
boundaries edges_of_pass(const boundaries& edges, int rank, const run_time_box& radius, int first, int last,
                         const std::function<boundary(const boundary&)>& scaled, run_time_box& reach);

/// Whether some passes of `Lines` may be of windows so wide that they have a way of their own: `is_wide`, `run_wide`.
/// (For nvcc a constant: it took a `requires` of those two for false, and made no kernels of theirs.)
template <class Lines>
inline constexpr bool may_be_wide = false;

/// A pass along each axis, or on devices one along both axes of a tile; the sums S of all but the last in scratch
/// memory. `lines` called with an axis, and whether it is the last, gives the functor of the pass along it, and `sums`
/// are those of the weights along each.
template <class S, int Rank, bool Reversed, class Exec, class Out, class In, class Lines>
struct separable_passes {
  const filter_call<Rank, Reversed, Exec, Out, In>& call;
  run_time_box radius;
  std::array<S, Rank> sums;
  const Lines& lines;
  S factor{1};
  std::array<std::optional<scratch_array<Exec, S>>, 2> between_passes{};  // in turn, and none where tiles need none

  void run() {
    call.check_edges(radius);
    if (call.in.extents.size() > 0) passes<0>();
  }

 private:
  /// The first of the two axes of a tile.
  static constexpr int pair = !is_device<Exec> || Rank == 1 ? Rank : Rank == 2 || Reversed ? 0 : 1;

  template <int D>
  void passes() {
    if constexpr (D < Rank) {
      if constexpr (D == pair)
        if (pass_along_two<D>()) return passes<D + 2>();
      run_time_box reach;
      const boundaries e = edges_of(D, D, reach);
      if (is_wide(D)) run_wide<D>(reach, e);
      else if (!pass_in_columns<D>(reach, e)) call.pass(reach, line<D, D + 1 == Rank>(), e, to<D>(), from<D>());
      passes<D + 1>();
    }
  }
  template <int D, bool Last>
  auto line() const {
    return lines(std::integral_constant<int, D>(), std::bool_constant<Last>());
  }
  bool is_wide(int d) const {
    if constexpr (may_be_wide<Lines>) return lines.template is_wide<Exec>(d);
    else return false;
  }
  template <int D>
  void run_wide(const run_time_box& reach, const boundaries& e) {
    if constexpr (may_be_wide<Lines>)
      lines.template run_wide<Reversed>(call.exec, call.label, D, reach, e, to<D>(), from<D>());
  }
  /// On devices along the slowest of three axes, where tiles suit the array.
  template <int D>
  bool pass_in_columns([[maybe_unused]] const run_time_box& reach, [[maybe_unused]] const boundaries& e) {
    if constexpr (is_device<Exec> && Rank == 3 && grid_axis<Rank, Reversed>(D) == 0) {
      const auto down = line<D, D + 1 == Rank>();
      window_extents window;
      window.set(0, down.offsets.from, down.offsets.cells);
      const auto tiles = call.template tiles<strip_rows<S>, 0>(reach, window, e, to<D>(), from<D>());
      const tiled_columns<std::remove_const_t<decltype(tiles)>, S, std::remove_const_t<decltype(down)>> kernel(tiles,
                                                                                                               down);
      if (kernel.usable()) launch_tiles(call.exec, call.label, kernel);
      return kernel.usable();
    } else {
      return false;
    }
  }
  /// Along D and the axis after it, where tiles suit the array and the window.
  template <int D>
  bool pass_along_two() {
    if (is_wide(D) || is_wide(D + 1)) return false;
    constexpr int down = Reversed ? D + 1 : D, across = Reversed ? D : D + 1;
    const auto rows = line<down, false>();
    const auto columns = line<across, D + 2 == Rank>();
    window_extents window;
    window.set(grid_axis<Rank, Reversed>(down), rows.offsets.from, rows.offsets.cells);
    window.set(grid_axis<Rank, Reversed>(across), columns.offsets.from, columns.offsets.cells);
    const S before = factor;
    run_time_box reach;
    const boundaries e = edges_of(D, D + 1, reach);
    const auto tiles = call.template tiles<strip_rows<S>>(reach, window, e, to<D + 1>(), from<D>());
    const tiled_lines<std::remove_const_t<decltype(tiles)>, S, std::remove_const_t<decltype(rows)>,
                      std::remove_const_t<decltype(columns)>>
        kernel(tiles, rows, columns);
    if (kernel.usable()) launch_tiles(call.exec, call.label, kernel);
    else factor = before;
    return kernel.usable();
  }
  /// The boundaries of a pass: by those before it, a constant has become `factor` times as large.
  boundaries edges_of(int first, int last, run_time_box& reach) {
    const S before = factor;
    for (int d = first; d <= last; ++d) factor = wrapping_multiply(factor, sums[d]);
    const auto scaled = [&](const boundary& b) {
      return boundary::constant(wrapping_multiply(static_cast<S>(b.value_for<In>(call.label)), before));
    };
    return edges_of_pass(call.edges, Rank, radius, first, last, scaled, reach);
  }
  /// Where the pass that ends with axis D writes.
  template <int D>
  auto to() {
    if constexpr (D + 1 == Rank) return call.out;
    else return between(D % 2);
  }
  template <int D>
  auto from() {
    if constexpr (D == 0) {
      return call.in;
    } else {
      const strided<S> sums_before = between((D - 1) % 2);
      return strided<const S>{sums_before.data, sums_before.extents, sums_before.stride};
    }
  }
  strided<S> between(int turn) {
    auto& memory = between_passes[turn];
    if (!memory) memory.emplace(call.exec, call.in.extents.size());
    return array_between<Rank, Reversed>(memory->data(), call.in.extents);
  }
};
/// The rank is deduced from the call, and not from the sums.
template <class S, int Rank, bool Reversed, class Exec, class Out, class In, class Lines>
void run_passes(const filter_call<Rank, Reversed, Exec, Out, In>& call, const run_time_box& radius,
                const std::type_identity_t<std::array<S, Rank>>& sums, const Lines& lines) {
  separable_passes<S, Rank, Reversed, Exec, Out, In, Lines>{call, radius, sums, lines}.run();
}

}  // namespace quern::impl

#endif
