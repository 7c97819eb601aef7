// SPDX-FileCopyrightText: the Quern authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef QUERN_STENCIL_MORPHOLOGY_HPP
#define QUERN_STENCIL_MORPHOLOGY_HPP

/// @file
/// Mathematical morphology, after `scipy.ndimage`, with a window or a structuring element whose size is known when the
/// program runs. All are called as
///
/// | call | what it does |
/// | --- | --- |
/// | `grey_erosion(exec, out, in, 3, edge)` | of a box of 3 cells along each axis, asynchronous on `exec` |
/// | `grey_erosion(out, in, footprint(view), edge)` | of some cells of a box |
/// | `grey_erosion(out, in, 3, edge, structuring(heights))` | of a box with heights that are subtracted |
/// | `binary_erosion(out, in, generate_binary_structure(2, 1), edge)` | of whether values are zero |
///
/// An erosion is the least value of the window around a cell, a dilation the greatest of the window turned around, an
/// opening a dilation of an erosion, and a closing the reverse, with the same boundaries for both. What an opening and
/// a closing keep between the two is in scratch memory, in the type of `in` (bytes for bools and of binary filters,
/// float of half), and they reach twice as far. Arrays, windows, places, NaN and errors are those of `minimum_filter`.

#include <quern/stencil/order_filters.hpp>

namespace quern {

/// The heights of a structuring element, for each cell of a window with the extents of the View, which the host reads
/// before the call returns: `grey_erosion` subtracts them from values, `grey_dilation` adds them. Sums are formed in
/// the type of `in` where it is float, else in double, which holds integers up to 2^53; those that an integer `out`
/// does not hold have no meaning there.
struct structuring {
  using option_of = impl::any_place;
  impl::axis_list<int> sizes;
  std::vector<double> heights;
  template <impl::readable_view V>
  explicit structuring(const V& view) {
    const shape extents = impl::view_extents(view);
    for (int d = 0; d < extents.rank; ++d) sizes.push_back(static_cast<int>(extents.extent[d]));
    impl::for_each_value(view, [&](const auto& v) { heights.push_back(static_cast<double>(v)); });
  }
};

namespace impl {

/// Extremes of windows with heights.
template <int Rank, int Sign>
struct height_filter {
  const std::string& label;
  window_cells<Rank> window;
  host_weights<double> heights;  // of the cells of the window

  run_time_box reach() const { return window.reach(); }
  std::string text() const {
    std::string s = window.text() + " with heights";
    for (const double h : heights) s += " " + text_of(h);
    return s;
  }
  template <class Call>
  void run(const Call& call) const {
    using S =
        std::conditional_t<std::is_same_v<real_type<compared_value<typename Call::in_type>>, float>, float, double>;
    const host_weights<S> list(heights.begin(), heights.end());
    const scratch_array<typename Call::exec_type, S> memory(call.exec, list.size());
    const auto sent = send_weights(call.exec, call.label, list, memory.data());
    with_listed(call, window, [&](const listed_window& cells) {
      call.launch(reach(),
                  window_sum<Rank, S, weight_list<S>, listed_window, op::identity, extreme_of<Sign>>{sent, cells});
    });
  }
};

/// One filter after another, through scratch memory. The second knows how far the first looks.
template <class First, class Second>
struct two_filters {
  const std::string& label;
  First first;
  Second second;

  run_time_box reach() const { return sum_of(first.reach(), second.reach()); }
  template <class T>
  boundaries edges_for(const boundaries& edge) const {
    return first.template edges_for<T>(edge);
  }
  std::string text() const { return first.text() + " and" + second.text(); }
  template <int Rank, bool Reversed, class Exec, class Out, class In>
  void run(const filter_call<Rank, Reversed, Exec, Out, In>& call) const {
    using S = typename First::template result<In>;
    const scratch_array<Exec, S> memory(call.exec, call.in.extents.size());
    const auto between = array_between<Rank, Reversed>(memory.data(), call.in.extents);
    boundaries wider = call.edges;
    if (wider.is_box()) {
      axis_list<interior_only::range_type> range;
      for (int d = 0; d < Rank; ++d)
        range.push_back({wider.range(d).first - second.reach().r[d], wider.range(d).second + second.reach().r[d]});
      wider = interior_only(range);
    }
    first.run(filter_call<Rank, Reversed, Exec, S, In>{call.exec, call.label, wider, between, call.in});
    Second after = second;
    after.before = first.reach();
    after.run(filter_call<Rank, Reversed, Exec, Out, S>{
        call.exec, call.label, call.edges, call.out, strided<const S>{between.data, between.extents, between.stride}});
  }
};

/// The grey erosion (Sign -1) or dilation (1).
template <int Sign, class Exec, class Out, class In, class... Options>
void grey_call(const operation_name& operation, const Exec& exec, const Out& out, const In& in, const footprint& window,
               const boundaries& edge, const Options&... options) {
  const std::string& label = operation;
  if constexpr (!has_option<structuring, Options...>) {
    extreme_call<extreme_of<Sign>>(operation, exec, out, in, window, edge, Sign > 0, options...);
  } else {
    const structuring& element = *find_option<structuring>(options...);
    filter_by_engine(
        label, exec, out, edge, in,
        [&]<int Rank>(std::integral_constant<int, Rank>) {
          window_cells<Rank> cells(label, window, option_or(origin{0}, options...), Sign > 0);
          auto heights = cells.values_of_cells(label, element.sizes, element.heights, Sign > 0);
          return height_filter<Rank, Sign>{label, std::move(cells), std::move(heights)};
        },
        options...);
  }
}
/// An opening (Sign -1) or a closing (1), binary or of values.
template <int Sign, bool Binary, class Exec, class Out, class In, class... Options>
void opening_call(const operation_name& operation, const Exec& exec, const Out& out, const In& in,
                  const footprint& window, const boundaries& edge, const Options&... options) {
  const std::string& label = operation;
  filter_by_engine(
      label, exec, out, edge, in,
      [&]<int Rank>(std::integral_constant<int, Rank>) {
        using first = extreme_filter<Rank, extreme_of<Sign, Binary>>;
        using second = extreme_filter<Rank, extreme_of<-Sign, Binary>>;
        const origin where = option_or(origin{0}, options...);
        return two_filters<first, second>{
            label, {label, {label, window, where, Sign > 0}}, {label, {label, window, where, Sign < 0}}};
      },
      options...);
}

}  // namespace impl

/// The erosion: `out(i) = min_k in(i + k)` over the window's offsets k, or `min_k in(i + k) - h(k)` with the option
/// `structuring`.
template <execution_space Exec, result_view Out, result_view In, call_option<origin, structuring>... Options>
void grey_erosion(const Exec& exec, const Out& out, const In& in, const footprint& window, const boundaries& edge,
                  const Options&... options) {
  impl::grey_call<-1>("quern::grey_erosion", exec, out, in, window, edge, options...);
}
template <result_view Out, result_view In, call_option<origin, structuring>... Options>
void grey_erosion(const Out& out, const In& in, const footprint& window, const boundaries& edge,
                  const Options&... options) {
  grey_erosion(impl::space_of(out, in), out, in, window, edge, options...);
}
QUERN_TAKES_NAME_NOT(computed, grey_erosion)

/// The dilation: `out(i) = max_k in(i - k)`, or `max_k in(i - k) + h(k)` with the option `structuring`.
template <execution_space Exec, result_view Out, result_view In, call_option<origin, structuring>... Options>
void grey_dilation(const Exec& exec, const Out& out, const In& in, const footprint& window, const boundaries& edge,
                   const Options&... options) {
  impl::grey_call<1>("quern::grey_dilation", exec, out, in, window, edge, options...);
}
template <result_view Out, result_view In, call_option<origin, structuring>... Options>
void grey_dilation(const Out& out, const In& in, const footprint& window, const boundaries& edge,
                   const Options&... options) {
  grey_dilation(impl::space_of(out, in), out, in, window, edge, options...);
}
QUERN_TAKES_NAME_NOT(computed, grey_dilation)

/// The opening: the dilation of the erosion, which removes what is brighter and smaller than the window.
template <execution_space Exec, result_view Out, result_view In, call_option<origin>... Options>
void grey_opening(const Exec& exec, const Out& out, const In& in, const footprint& window, const boundaries& edge,
                  const Options&... options) {
  impl::opening_call<-1, false>("quern::grey_opening", exec, out, in, window, edge, options...);
}
template <result_view Out, result_view In, call_option<origin>... Options>
void grey_opening(const Out& out, const In& in, const footprint& window, const boundaries& edge,
                  const Options&... options) {
  grey_opening(impl::space_of(out, in), out, in, window, edge, options...);
}
QUERN_TAKES_NAME_NOT(computed, grey_opening)

/// The closing: the erosion of the dilation, which fills what is darker and smaller than the window.
template <execution_space Exec, result_view Out, result_view In, call_option<origin>... Options>
void grey_closing(const Exec& exec, const Out& out, const In& in, const footprint& window, const boundaries& edge,
                  const Options&... options) {
  impl::opening_call<1, false>("quern::grey_closing", exec, out, in, window, edge, options...);
}
template <result_view Out, result_view In, call_option<origin>... Options>
void grey_closing(const Out& out, const In& in, const footprint& window, const boundaries& edge,
                  const Options&... options) {
  grey_closing(impl::space_of(out, in), out, in, window, edge, options...);
}
QUERN_TAKES_NAME_NOT(computed, grey_closing)

/// Whether all values of the window around a cell differ from zero, as 1 and 0. SciPy's `border_value=0` is
/// `boundary::constant(0)`, and its `iterations` are further calls.
template <execution_space Exec, result_view Out, result_view In, call_option<origin>... Options>
void binary_erosion(const Exec& exec, const Out& out, const In& in, const footprint& window, const boundaries& edge,
                    const Options&... options) {
  impl::extreme_call<impl::extreme_of<-1, true>>("quern::binary_erosion", exec, out, in, window, edge, false,
                                                 options...);
}
template <result_view Out, result_view In, call_option<origin>... Options>
void binary_erosion(const Out& out, const In& in, const footprint& window, const boundaries& edge,
                    const Options&... options) {
  binary_erosion(impl::space_of(out, in), out, in, window, edge, options...);
}
QUERN_TAKES_NAME_NOT(computed, binary_erosion)

/// Whether a value of the window around a cell, turned around, differs from zero.
template <execution_space Exec, result_view Out, result_view In, call_option<origin>... Options>
void binary_dilation(const Exec& exec, const Out& out, const In& in, const footprint& window, const boundaries& edge,
                     const Options&... options) {
  impl::extreme_call<impl::extreme_of<1, true>>("quern::binary_dilation", exec, out, in, window, edge, true,
                                                options...);
}
template <result_view Out, result_view In, call_option<origin>... Options>
void binary_dilation(const Out& out, const In& in, const footprint& window, const boundaries& edge,
                     const Options&... options) {
  binary_dilation(impl::space_of(out, in), out, in, window, edge, options...);
}
QUERN_TAKES_NAME_NOT(computed, binary_dilation)

/// The dilation of the erosion, of whether values differ from zero.
template <execution_space Exec, result_view Out, result_view In, call_option<origin>... Options>
void binary_opening(const Exec& exec, const Out& out, const In& in, const footprint& window, const boundaries& edge,
                    const Options&... options) {
  impl::opening_call<-1, true>("quern::binary_opening", exec, out, in, window, edge, options...);
}
template <result_view Out, result_view In, call_option<origin>... Options>
void binary_opening(const Out& out, const In& in, const footprint& window, const boundaries& edge,
                    const Options&... options) {
  binary_opening(impl::space_of(out, in), out, in, window, edge, options...);
}
QUERN_TAKES_NAME_NOT(computed, binary_opening)

/// The erosion of the dilation, of whether values differ from zero.
template <execution_space Exec, result_view Out, result_view In, call_option<origin>... Options>
void binary_closing(const Exec& exec, const Out& out, const In& in, const footprint& window, const boundaries& edge,
                    const Options&... options) {
  impl::opening_call<1, true>("quern::binary_closing", exec, out, in, window, edge, options...);
}
template <result_view Out, result_view In, call_option<origin>... Options>
void binary_closing(const Out& out, const In& in, const footprint& window, const boundaries& edge,
                    const Options&... options) {
  binary_closing(impl::space_of(out, in), out, in, window, edge, options...);
}
QUERN_TAKES_NAME_NOT(computed, binary_closing)

}  // namespace quern

#endif
