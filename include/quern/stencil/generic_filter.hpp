// SPDX-FileCopyrightText: the Quern authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef QUERN_STENCIL_GENERIC_FILTER_HPP
#define QUERN_STENCIL_GENERIC_FILTER_HPP

#include <quern/stencil/order_filters.hpp>

namespace quern {
namespace impl {

/// The values of a window as a functor of the user's gets them: `window.size()` of them, `window[n]`.
template <int Rank, class Window>
struct values_of_window {
  const Window& at;
  const listed_window& cells;
  KOKKOS_FUNCTION int size() const { return cells.size; }
  KOKKOS_FUNCTION auto operator[](int n) const {
    const cell_offset c = cells.cells[n];
    return value_at<Rank>(at, c.of[0], c.of[1], c.of[2]);
  }
};
template <int Rank, class F>
struct call_with_values {
  F f;
  listed_window cells;
  template <class Window>
  KOKKOS_FUNCTION auto operator()(const Window& at) const {
    return f(values_of_window<Rank, Window>{at, cells});
  }
};

/// A functor of the values of windows.
template <int Rank, class F>
struct functor_filter {
  const std::string& label;
  window_cells<Rank> window;
  const F& f;

  run_time_box reach() const { return window.reach(); }
  std::string text() const { return window.text(); }
  template <class Call>
  void run(const Call& call) const {
    with_listed(call, window,
                [&](const listed_window& cells) { call.launch(reach(), call_with_values<Rank, F>{f, cells}); });
  }
};

template <class Exec, class Out, class F, class In, class... Options>
void functor_call(const Exec& exec, const Out& out, const F& f, const footprint& window, const boundaries& edge,
                  const In& in, const Options&... options) {
  const label_scope functor("quern::generic_filter", typeid(F));
  const std::string& label = label_text("quern::generic_filter");
  filter_by_engine(
      label, exec, out, edge, in,
      [&]<int Rank>(std::integral_constant<int, Rank>) {
        return functor_filter<Rank, F>{label, {label, window, option_or(origin{0}, options...)}, f};
      },
      options...);
}

}  // namespace impl

/// A function of the values in a window around each cell: `out(j, i) = f(w)`, where `w[n]` is the nth of `w.size()`
/// values, those of a box, or of the cells of a footprint, in the order of the last axis fastest, as SciPy's function
/// gets them: `generic_filter(exec, out, range_of_values(), 3, boundary::reflect, in)`. An option, `origin` or
/// `chunking`, stands before the input.
///
/// @param f called with windows of several types, so that its operator is a template; integers narrower than int come
///          as int. Hosts take `KOKKOS_LAMBDA(const auto& w)`, too
///
/// A window of a size known when compiling is better given to `quern::stencil`, which holds it in registers. Arrays,
/// places, and errors are those of `minimum_filter`.
template <execution_space Exec, result_view Out, class F, result_view In>
void generic_filter(const Exec& exec, const Out& out, const F& f, const footprint& window, const boundaries& edge,
                    const In& in) {
  impl::functor_call(exec, out, f, window, edge, in);
}
template <execution_space Exec, result_view Out, class F, call_option<origin> Option, result_view In>
void generic_filter(const Exec& exec, const Out& out, const F& f, const footprint& window, const boundaries& edge,
                    const Option& option, const In& in) {
  impl::functor_call(exec, out, f, window, edge, in, option);
}
template <result_view Out, class F, result_view In>
void generic_filter(const Out& out, const F& f, const footprint& window, const boundaries& edge, const In& in) {
  generic_filter(impl::space_of(out, in), out, f, window, edge, in);
}
template <result_view Out, class F, call_option<origin> Option, result_view In>
void generic_filter(const Out& out, const F& f, const footprint& window, const boundaries& edge, const Option& option,
                    const In& in) {
  generic_filter(impl::space_of(out, in), out, f, window, edge, option, in);
}
QUERN_TAKES_NAME_NOT(computed, generic_filter)

}  // namespace quern

#endif
