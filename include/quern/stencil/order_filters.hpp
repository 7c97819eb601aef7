// SPDX-FileCopyrightText: the Quern authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef QUERN_STENCIL_ORDER_FILTERS_HPP
#define QUERN_STENCIL_ORDER_FILTERS_HPP

/// @file
/// Filters of order statistics, after `scipy.ndimage`: the least, the greatest, the median and any other rank of the
/// values in a window whose size is known when the program runs. All are called as
///
/// | call | what it does |
/// | --- | --- |
/// | `median_filter(exec, out, in, 5, edge)` | the median of a box of 5 cells along each axis, asynchronous on `exec` |
/// | `median_filter(out, in, {3, 5}, edge)` | of 3 x 5 cells, on a default instance of out's execution space |
/// | `median_filter(out, in, footprint(view), edge)` | of the cells of a box that are not zero in `view` |
/// | `median_filter(out, in, 5, edge, origin{1})` | of a window that is moved by one cell to lower indices |
///
/// with `edge` the values beyond the array, as for `quern::stencil`, and `out` and `in` of equal extents and rank 1 to
/// 3, of real numbers. The values are compared in the type of `in` and converted to that of `out`. The result of a
/// window that contains NaN is NaN, as that of NumPy's `min`, `max` and `median`; SciPy's depends on the order.
///
/// In chunks, which overlap by the window, the call waits, and an option `chunking` stands among the others. Over
/// ranks, both arrays are DistributedViews with the same blocks and a halo at least as wide as the window reaches along
/// the axes that are cut; the call is collective and writes the halo of `in`.
///
/// @throws Error if extents or ranks do not fit, a window has no cell or does not contain its own, `out` shares memory
/// with `in`, or `edge` does not fit

#include <numeric>
#include <quern/stencil/device_median.hpp>
#include <quern/stencil/filter_engine.hpp>
#include <quern/stencil/order_windows.hpp>
#include <quern/stencil/wide_extremes.hpp>

namespace quern {
namespace impl {

/// Sends a list of cells to kernels and calls f with the `listed_window`.
template <int Rank, class Call, class F>
void with_listed(const Call& call, window_cells<Rank> window, const F& f) {
  window.list_all();
  const scratch_array<typename Call::exec_type, cell_offset> memory(call.exec, window.offsets.size());
  f(listed_window{send_weights(call.exec, call.label, window.offsets, memory.data()), static_cast<int>(window.count)});
}

/// The cells along each axis of a box, in lists.
template <int Rank, class Exec>
struct window_lines {
  const Exec& exec;
  const std::string& label;
  const window_cells<Rank>& window;
  scratch_array<Exec, cell_offset> memory;

  window_lines(const Exec& on, const std::string& operation, const window_cells<Rank>& cells)
      : exec(on), label(operation), window(cells), memory(on, start(Rank)) {}
  listed_window along(int axis) const {
    return {send_weights(exec, label, window.line(axis), memory.data() + start(axis)), window.size[axis]};
  }

 private:
  std::int64_t start(int axis) const {
    return std::accumulate(window.size.begin(), window.size.begin() + axis, std::int64_t{0});
  }
};

/// Boundaries of a binary filter: constants are zero or one.
template <class T>
boundaries binary_edges(const std::string& label, const boundaries& edge) {
  if (edge.is_box()) return edge;
  const auto binary = [&](const boundary& b) {
    if (b.kind() != boundary::mode::constant) return b;
    return boundary::constant(b.value_for<T>(label) != T(0) ? 1 : 0);
  };
  axis_list<boundary_pair> each;
  for (int d = 0; d < edge.count(); ++d) each.push_back({binary(edge.axis(d).low), binary(edge.axis(d).high)});
  return boundaries(each);
}

/// Extremes of windows by `Rule`, an `extreme_of`: of boxes along one axis after the other.
template <int Rank, class Rule>
struct extreme_filter {
  const std::string& label;
  window_cells<Rank> window;
  run_time_box before{};  // how far a filter before this one looks

  template <class T>
  using result = std::conditional_t<Rule::binary, unsigned char, compared_value<T>>;

  run_time_box reach() const { return window.reach(); }
  std::string text() const { return window.text(); }
  template <class T>
  boundaries edges_for(const boundaries& edge) const {
    if constexpr (Rule::binary) return binary_edges<T>(label, edge);
    else return edge;
  }
  template <class Call>
  void run(const Call& call) const {
    static_assert(!is_complex<typename Call::in_type>, "quern: complex numbers have no order");
    using S = result<typename Call::in_type>;
    const run_time_box all = reach_with(call.edges, before);
    if (!window.box)
      return with_listed(call, window, [&](const listed_window& cells) {
        call.launch(all, window_sum<Rank, S, equal_weights, listed_window, op::identity, Rule>{{}, cells});
      });
    // Constants stay as they are from pass to pass, as those of sums with weights of one do.
    std::array<S, Rank> ones;
    ones.fill(S(1));
    const auto run_along = [&]<class Line>(const Line& line) {
      run_passes<S>(call, all, ones, extreme_lines<Rule, S, Rank, Line>{window, line});
    };
    if constexpr (is_device<typename Call::exec_type>) {
      run_along([&]<int D>(std::integral_constant<int, D> axis, auto) {
        return window_sum<Rank, S, equal_weights, line_window<Rank, D>, op::identity, Rule>{{}, window.along(axis)};
      });
    } else {  // one kernel for all axes and footprints
      const window_lines<Rank, typename Call::exec_type> lines(call.exec, call.label, window);
      run_along([&](auto axis, auto) {
        return window_sum<Rank, S, equal_weights, listed_window, op::identity, Rule>{{}, lines.along(axis)};
      });
    }
  }

 private:
  /// Cells beside an end that keeps cells are those for which the filter before has results, too.
  run_time_box reach_with(const boundaries& edge, const run_time_box& more) const {
    run_time_box all = reach();
    for (int d = 0; d < Rank && !edge.is_box(); ++d)
      if (edge.axis(d).low.kind() == boundary::mode::keep || edge.axis(d).high.kind() == boundary::mode::keep)
        all.r[d] += more.r[d];
    return all;
  }
};

/// The value of a rank in windows; of `Medians`, those of boxes that fit into the registers of devices.
template <int Rank, bool Medians>
struct rank_filter_of {
  const std::string& label;
  window_cells<Rank> window;
  int rank;

  run_time_box reach() const { return window.reach(); }
  std::string text() const { return window.text() + " of rank " + std::to_string(rank); }
  template <class Call>
  void run(const Call& call) const {
    static_assert(!is_complex<typename Call::in_type>, "quern: complex numbers have no order");
    using T = compared_value<typename Call::in_type>;
    if constexpr (!Medians) {
      if (rank == 0) return extreme_filter<Rank, extreme_of<-1>>{label, window}.run(call);
      if (rank == window.count - 1) return extreme_filter<Rank, extreme_of<1>>{label, window}.run(call);
    } else if constexpr (is_device<typename Call::exec_type>) {
      if (launch_box<T, 1>(call) || launch_box<T, 2>(call)) return;
    }
    with_listed(call, window,
                [&](const listed_window& cells) { call.launch(reach(), window_rank<Rank, T>{cells, rank}); });
  }

 private:
  template <class T, int R, class Call>
  bool launch_box(const Call& call) const {
    if constexpr (box_cells<Rank, R> <= 27) {
      bool centred = window.box;
      for (int d = 0; d < Rank; ++d) centred = centred && window.size[d] == 2 * R + 1 && window.first[d] == -R;
      if (centred) call.launch(quern::box<R>(), box_median<Rank, T, R>());
      return centred;
    }
    return false;
  }
};

/// Checks a rank, from the end where it is negative.
inline int checked_rank(const std::string& label, std::int64_t rank, std::int64_t count) {
  const std::int64_t r = rank < 0 ? rank + count : rank;
  if (r < 0 || r >= count)
    throw Error(label, "a rank of " + std::to_string(rank) + " among " + std::to_string(count) + " values");
  return static_cast<int>(r);
}
/// SciPy's rank of a percentile.
inline std::int64_t rank_of_percentile(const std::string& label, double percentile, std::int64_t count) {
  const double p = percentile < 0 ? percentile + 100 : percentile;
  if (!(p >= 0 && p <= 100))
    throw Error(label, "a percentile of " + std::to_string(percentile) + ", expected -100 to 100");
  return p == 100 ? count - 1 : static_cast<std::int64_t>(static_cast<double>(count) * p / 100);
}

/// Calls an engine with an extreme of windows.
template <class Rule, class Exec, class Out, class In, class... Options>
void extreme_call(const operation_name& operation, const Exec& exec, const Out& out, const In& in,
                  const footprint& window, const boundaries& edge, bool mirrored, const Options&... options) {
  const std::string& label = operation;
  filter_by_engine(
      label, exec, out, edge, in,
      [&]<int Rank>(std::integral_constant<int, Rank>) {
        return extreme_filter<Rank, Rule>{label, {label, window, option_or(origin{0}, options...), mirrored}};
      },
      options...);
}
/// The same with a rank that `of_count(count)` gives.
template <bool Medians, class Exec, class Out, class In, class RankOf, class... Options>
void rank_call(const operation_name& operation, const Exec& exec, const Out& out, const In& in, const RankOf& of_count,
               const footprint& window, const boundaries& edge, const Options&... options) {
  const std::string& label = operation;
  filter_by_engine(
      label, exec, out, edge, in,
      [&]<int Rank>(std::integral_constant<int, Rank>) {
        const window_cells<Rank> cells(label, window, option_or(origin{0}, options...));
        return rank_filter_of<Rank, Medians>{label, cells, checked_rank(label, of_count(cells.count), cells.count)};
      },
      options...);
}

}  // namespace impl

/// The least value in a window around each cell. Of boxes, one pass along each axis, with the values in between in
/// scratch memory; on devices two axes share a pass where windows have no more than 192 cells, in which those of 8 to
/// 63 cells along an axis take a few steps for a result. Along an axis with a window of more than 63 cells (hosts: 31,
/// or 96 of values of one byte), a pass takes the same time for all widths: of lines that are copied with what is
/// beyond their ends, as `rolling` (van Herk, Pattern Recognition Letters 13, 1992).
template <execution_space Exec, result_view Out, result_view In, call_option<origin>... Options>
void minimum_filter(const Exec& exec, const Out& out, const In& in, const footprint& window, const boundaries& edge,
                    const Options&... options) {
  impl::extreme_call<impl::extreme_of<-1>>("quern::minimum_filter", exec, out, in, window, edge, false, options...);
}
template <result_view Out, result_view In, call_option<origin>... Options>
void minimum_filter(const Out& out, const In& in, const footprint& window, const boundaries& edge,
                    const Options&... options) {
  minimum_filter(impl::space_of(out, in), out, in, window, edge, options...);
}
QUERN_TAKES_NAME_NOT(computed, minimum_filter)

/// The greatest value in a window around each cell; else as `minimum_filter`.
template <execution_space Exec, result_view Out, result_view In, call_option<origin>... Options>
void maximum_filter(const Exec& exec, const Out& out, const In& in, const footprint& window, const boundaries& edge,
                    const Options&... options) {
  impl::extreme_call<impl::extreme_of<1>>("quern::maximum_filter", exec, out, in, window, edge, false, options...);
}
template <result_view Out, result_view In, call_option<origin>... Options>
void maximum_filter(const Out& out, const In& in, const footprint& window, const boundaries& edge,
                    const Options&... options) {
  maximum_filter(impl::space_of(out, in), out, in, window, edge, options...);
}
QUERN_TAKES_NAME_NOT(computed, maximum_filter)

/// The value of a rank in a window around each cell: 0 is the least, -1 the greatest.
///
/// Extremes are those of `minimum_filter` and `maximum_filter`. Other ranks take a pass over the window for each bit of
/// a value, or, on hosts, as many as there are values to the nearer end where that is less; no memory except for a list
/// of more than 64 cells, and the same time for all values. A zero may come with either sign.
/// @throws Error also where there is no such rank
template <execution_space Exec, result_view Out, result_view In, call_option<origin>... Options>
void rank_filter(const Exec& exec, const Out& out, const In& in, std::int64_t rank, const footprint& window,
                 const boundaries& edge, const Options&... options) {
  impl::rank_call<false>(
      "quern::rank_filter", exec, out, in, [&](std::int64_t) { return rank; }, window, edge, options...);
}
template <result_view Out, result_view In, call_option<origin>... Options>
void rank_filter(const Out& out, const In& in, std::int64_t rank, const footprint& window, const boundaries& edge,
                 const Options&... options) {
  rank_filter(impl::space_of(out, in), out, in, rank, window, edge, options...);
}
QUERN_TAKES_NAME_NOT(computed, rank_filter)

/// A percentile of the values in a window around each cell: that of rank floor(n * percentile / 100) of n values, the
/// greatest for 100; negative ones count from 100. SciPy's; nothing is interpolated. Else as `rank_filter`.
/// @throws Error also for a percentile beyond -100 to 100
template <execution_space Exec, result_view Out, result_view In, call_option<origin>... Options>
void percentile_filter(const Exec& exec, const Out& out, const In& in, double percentile, const footprint& window,
                       const boundaries& edge, const Options&... options) {
  const std::string& label = impl::label_text("quern::percentile_filter");
  const auto rank = [&](std::int64_t count) { return impl::rank_of_percentile(label, percentile, count); };
  impl::rank_call<false>(label, exec, out, in, rank, window, edge, options...);
}
template <result_view Out, result_view In, call_option<origin>... Options>
void percentile_filter(const Out& out, const In& in, double percentile, const footprint& window, const boundaries& edge,
                       const Options&... options) {
  percentile_filter(impl::space_of(out, in), out, in, percentile, window, edge, options...);
}
QUERN_TAKES_NAME_NOT(computed, percentile_filter)

/// The median of the values in a window around each cell; of an even number n of them the one of rank n / 2, as
/// SciPy's. On devices medians of centred boxes of 3 and 5 cells along each axis, up to 27, are found in registers;
/// else as `rank_filter`.
template <execution_space Exec, result_view Out, result_view In, call_option<origin>... Options>
void median_filter(const Exec& exec, const Out& out, const In& in, const footprint& window, const boundaries& edge,
                   const Options&... options) {
  const auto rank = [](std::int64_t count) { return count / 2; };
  impl::rank_call<true>("quern::median_filter", exec, out, in, rank, window, edge, options...);
}
template <result_view Out, result_view In, call_option<origin>... Options>
void median_filter(const Out& out, const In& in, const footprint& window, const boundaries& edge,
                   const Options&... options) {
  median_filter(impl::space_of(out, in), out, in, window, edge, options...);
}
QUERN_TAKES_NAME_NOT(computed, median_filter)

}  // namespace quern

#endif
