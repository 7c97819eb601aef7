// SPDX-FileCopyrightText: the Quern authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef QUERN_REDUCE_QUANTILE_HPP
#define QUERN_REDUCE_QUANTILE_HPP

/// @file
/// Quantiles and medians, exact, of a whole array or along some of its axes.
///
/// | call | what it does |
/// | --- | --- |
/// | `double v = quantile(exec, in, 0.9)` | returns the value on the host; waits for `exec`, and only for it |
/// | `quantile(exec, out, in, 0.9)` | writes the rank-0 View `out`; asynchronous on `exec` |
/// | `quantile(exec, out, in, 0.9, axes{0, -1})` | the same along axes, to a View of the remaining extents |
/// | `quantile(exec, out, in, {0.1, 0.9}, axis{0})` | several: the first extent of `out` is their number |
/// | `quantile(exec, out, in, 0.9, interpolation::lower)` | with another interpolation than the linear one |
///
/// All forms have one without `exec`, on a default instance of the execution space of `out`, or else of `in`. Options
/// come last, in any order.
///
/// `in` has real elements, any rank, layout and strides, and is not changed. Short lines (on a device at most 32
/// elements, on the host 1024) are sorted or partitioned by a thread; others are read a few times, and histograms of
/// their bit patterns narrow down where the quantile is (radix selection). A line of more than 65536 elements is read
/// twice, as a rule, and takes up to 150 kB of scratch memory. Hosts whose library has Highway sort lines of up to a
/// million elements instead (integers, of which one line is narrowed down sooner, up to 65536), in a copy of up to 8 MB
/// for each thread. Scratch comes from the pool of the execution-space instance, or the caller's `WorkspaceScope`. Each
/// of several probabilities is a selection of its own: ten of them take as long as ten calls with one. Results do not
/// depend on the machine.
///
/// With the option `mask{m}` (quern/core/call/mask.hpp) the quantile is that of the elements where m, which broadcasts
/// to `in`, is not zero; NaN where there is none. In memory that takes a copy of `in` as scratch memory.
///
/// @throws Error if extents do not fit, an axis is out of range or repeated, a line has no elements and there is no
/// mask, a probability is not from 0 to 1, a mask does not broadcast to `in`, or `out` shares memory with `in` or a
/// mask

#include <quern/core/call/call.hpp>
#include <quern/core/call/kept_axes.hpp>
#include <quern/core/call/mask.hpp>
#include <quern/core/memory/scratch_layout.hpp>
#include <quern/core/values/short_list.hpp>
#include <quern/core/views/part_view.hpp>
#include <quern/map/map.hpp>
#include <quern/reduce/call.hpp>
#include <quern/reduce/forms.hpp>
#include <quern/reduce/select.hpp>
#include <quern/reducers/selected.hpp>
#include <vector>

namespace quern {

/// The probabilities of several quantiles, in any order: `probabilities{0.05, 0.5, 0.95}`.
struct probabilities {
  impl::short_list<double, 8> value;

  probabilities(double one) : value{one} {}
  probabilities(std::initializer_list<double> values) : value(values) {}
  explicit probabilities(const std::vector<double>& values) : value(values.begin(), values.end()) {}
};

namespace impl {

template <class T>
concept quantile_option = call_option<T, axes, interpolation, mask_t>;

/// The quantiles that a call asks for.
struct quantile_request {
  operation_name label;
  bool skip_nan;
  probabilities of{0.5};
  bool several = false;
};

/// The extents of the output of quantiles of an array along some axes.
template <class T>
shape quantile_extents(const quantile_request& r, const strided<const T>& in, const axis_set& along, bool masked) {
  shape expected;
  if (r.several) expected.extent[expected.rank++] = static_cast<std::int64_t>(r.of.value.size());
  const shape results = along.part(in.extents, false);
  if (expected.rank + results.rank > max_rank) throw Error(r.label, "out would have more than 8 extents");
  if (!masked && along.part(in.extents, true).size() == 0 && results.size() > 0)
    reject_extents(r.label, "in", in.extents, "at least one element along the axes");
  for (int d = 0; d < results.rank; ++d) expected.extent[expected.rank++] = results.extent[d];
  return expected;
}

/// A request with what else kernels are told.
struct quantile_selection {
  const quantile_request& request;
  interpolation how;
  const axis_set& along;
};
/// Launches the selection of all quantiles of a request.
template <class Exec, class Out, class T>
void select_lines(call<Exec>& c, const quantile_selection& s, const strided<Out>& out, const strided<const T>& in,
                  const std::int64_t* hidden) {
  const quantile_request& r = s.request;
  for (int i = 0; i < static_cast<int>(r.of.value.size()); ++i)
    select_launch(c.exec, c.label, c.scratch(), quantile_rule{r.of.value[i], s.how, r.skip_nan}, s.along,
                  r.several ? without_first_axis(out, i) : out, in, hidden);
}

/// An element that a mask selects, or what comes after all of them.
struct last_if_hidden {
  template <class T, class M>
  KOKKOS_FUNCTION T operator()(const T& v, const M& m) const {
    if (m != M(0)) return v;
    if constexpr (std::is_integral_v<T>) return Kokkos::Experimental::finite_max_v<T>;
    else return nan_of<T>();
  }
};
struct is_hidden {
  template <class T, class M>
  KOKKOS_FUNCTION bool operator()(const T&, const M& m) const {
    return m == M(0);
  }
};
/// The same of what a mask selects: of a copy in which other elements come last, of which each line knows how many it
/// has.
template <class Exec, class Out, class T, class In, class M>
void select_where(call<Exec>& c, const quantile_selection& s, const strided<Out>& out, const strided<const T>& in,
                  const In& in_view, const M& m) {
  using S = mean_type<T>;
  const shape lines = s.along.part(in.extents, false);
  if (out.extents.size() == 0) return;
  if (in.extents.size() == 0)
    return map_operands(c.exec, label_text(c.label, "/result"), std::tuple(out), op::identity(),
                        expand<Exec, 0>(c.label, nan_of<S>(), shape{}));
  T* of_copy = nullptr;
  std::int64_t* of_hidden = nullptr;
  S* of_found = nullptr;
  const scratch_arrays<Exec> memory(c.exec, scratch_part{of_copy, in.extents.size()},
                                    scratch_part{of_hidden, lines.size()}, scratch_part{of_found, out.extents.size()});
  const strided<T> copy{of_copy, in.extents, contiguous_strides(in)};
  const strided<std::int64_t> hidden{of_hidden, lines, row_major_strides(lines)};
  const strided<S> found{of_found, out.extents, row_major_strides(out.extents)};
  map_operands(c.exec, label_text(c.label, "/copy"), std::tuple(copy), op::identity(),
               c.elements(lazy(last_if_hidden(), in_view, m)));
  reduce_launch(c.exec, label_text(c.label, "/hidden"), c.scratch(),
                describe_reduction<Exec>(sum_reducer<std::int64_t>(), op::identity(), s.along, hidden,
                                         c.elements(lazy(is_hidden(), in_view, m))));
  select_lines(c, s, found, strided<const T>{copy.data, copy.extents, copy.stride}, hidden.data);
  map_operands(c.exec, label_text(c.label, "/result"), std::tuple(out), op::identity(),
               expanded{leaf_part(), std::tuple(array_input<S>{{found.data, found.extents, found.stride}})});
}

/// Quantiles of arrays in memory.
template <>
struct engine<in_memory, selections> {
  /// `op(exec, out, in, probabilities, options)`: checks, then launches. With `on_host` it waits and returns the
  /// result.
  template <class Exec, class Out, class In, class... Options>
  static auto run(const quantile_request& r, const Exec& exec, const Out& out_view, const In& in_view,
                  const Options&... options) {
    check_place_options<Options...>();
    constexpr bool to_host = !view_like<Out>;
    call<Exec> c(r.label, exec);
    const auto in = c.input(in_view);
    const axis_set along = axes_or_all(c.label, find_option<axes>(options...), in.extents.rank);
    const shape expected = quantile_extents(r, in, along, with_mask<Options...>);
    const quantile_selection s{r, option_or(interpolation::linear, options...), along};
    const auto select = [&](const auto& out) {
      if constexpr (!has_order<value_of<In>>) return;
      else if constexpr (with_mask<Options...>) select_where(c, s, out, in, in_view, mask_among(options...).where);
      else select_lines(c, s, out, in, nullptr);
    };
    if constexpr (to_host) {
      if (r.several) throw Error(c.label, "several probabilities need an output");
      return value_on_host<mean_type<value_of<In>>>(c, select);
    } else {
      const auto out = c.output(out_view);
      check_extents(c.label, "out", out.extents, expected);
      check_overlap(c.label, out, in, "in", false);
      if constexpr (with_mask<Options...>) check_mask_apart<Exec>(c.label, out_view, mask_among(options...).where);
      select(out);
    }
  }
};

/// The quantiles in the message of calls that differ between ranks.
inline std::string text_of(const quantile_request& r, interpolation how) {
  std::string text = " at";
  for (const double q : r.of.value) text += " " + text_of(q);
  return text + (how == interpolation::linear ? "" : ", interpolation " + std::to_string(static_cast<int>(how)));
}

/// `op(exec, out, in, probabilities, options)` of every quantile, by the engine of the place where its operands are.
template <class Exec, class Out, class In, class... Options>
auto quantile_call(const quantile_request& r, const Exec& exec, const Out& out, const In& in,
                   const Options&... options) {
  constexpr bool to_host = std::is_same_v<Out, on_host_t>;
  static_assert(!to_host || !has_option<axes, Options...>, "quern: a quantile along axes is written to a View");
  static_assert(!repeated_option<Options...>::value);
  static_assert(has_order<value_of<In>>, "quern::quantile, median: complex numbers have no order");
  if constexpr (has_option<keep_axes_t, Options...>) {
    return with_kept_axes<-1>(
        static_cast<const std::string&>(r.label),
        [&](const auto& narrower, const auto&... others) { return quantile_call(r, exec, narrower, in, others...); },
        out, r.several ? 1 : 0, options...);
  } else if constexpr (has_mask_type<rank_of<In>, Options...>()) {
    const auto more = [&] { return text_of(r, option_or(interpolation::linear, options...)); };
    if constexpr (with_mask<Options...>) {
      const auto& m = mask_among(options...).where;
      compare_calls<selections>(r.label, more, out, lazy(select_values(), in, m));
      check_mask(r.label, m, operand_extents(r.label, in));
    } else {
      compare_calls<selections>(r.label, more, out, in);
    }
    for (const double q : r.of.value)
      if (!(q >= 0 && q <= 1)) throw Error(r.label, "a probability is " + std::to_string(q) + ", expected 0 to 1");
    return engine_of<selections, Out, In>::run(r, exec, out, in, options...);
  }
}

}  // namespace impl

/// The forms that follow from `name(exec, out, in, q, options...)` of one probability and of several.
#define QUERN_QUANTILE_FORMS(name)                                                                               \
  template <execution_space Exec, any_array In, impl::quantile_option... Options>                                \
  auto name(const Exec& exec, const In& in, double q, const Options&... options) {                               \
    return name(exec, on_host, in, q, options...);                                                               \
  }                                                                                                              \
  template <any_array In, impl::quantile_option... Options>                                                      \
  auto name(const In& in, double q, const Options&... options) {                                                 \
    return name(impl::space_of(in), on_host, in, q, options...);                                                 \
  }                                                                                                              \
  template <view_like Out, any_array In, std::convertible_to<probabilities> Q, impl::quantile_option... Options> \
  void name(const Out& out, const In& in, const Q& q, const Options&... options) {                               \
    name(impl::space_of(out, in), out, in, q, options...);                                                       \
  }                                                                                                              \
  template <view_like Out, any_array In, impl::quantile_option... Options>                                       \
  void name(const Out& out, const In& in, std::initializer_list<double> q, const Options&... options) {          \
    name(impl::space_of(out, in), out, in, probabilities(q), options...);                                        \
  }                                                                                                              \
  QUERN_TAKES_NAME(name)

/// The value below which the share q of the elements is: with the n elements in ascending order x(0) <= x(1) <= ...,
/// `quantile = x(k) + (x(k + 1) - x(k)) t` for `k = floor(q (n - 1))` and `t = q (n - 1) - k`, as in NumPy.
/// `interpolation::lower` takes x(k), `higher` x(k + 1) where t > 0, `midpoint` their mean, `nearest` the
/// one whose rank is nearer, and the even rank of two. Double for integers, float for half types. NaN if there is one.
/// Between a number and an infinity lies the infinity, where NumPy's interpolations give NaN, and between infinities of
/// both signs NaN.
///
/// In chunks and over ranks, quantiles are those of all elements, with the same bits; the call waits. For each
/// probability it reads the input once for each 16 bits of an element, and seldom once more.
template <execution_space Exec, result_like Out, any_array In, call_option<axes, interpolation, mask_t>... Options>
auto quantile(const Exec& exec, const Out& out, const In& in, double q, const Options&... options) {
  return impl::quantile_call({"quern::quantile", false, {q}}, exec, out, in, options...);
}
/// Several quantiles: the first extent of `out` is their number.
template <execution_space Exec, view_like Out, any_array In, call_option<axes, interpolation, mask_t>... Options>
void quantile(const Exec& exec, const Out& out, const In& in, const probabilities& q, const Options&... options) {
  impl::quantile_call({"quern::quantile", false, q, true}, exec, out, in, options...);
}
QUERN_QUANTILE_FORMS(quantile)

/// The quantile of 0.5: the element in the middle, or the mean of the two there.
template <execution_space Exec, result_like Out, any_array In, call_option<axes, interpolation, mask_t>... Options>
auto median(const Exec& exec, const Out& out, const In& in, const Options&... options) {
  return impl::quantile_call({"quern::median", false}, exec, out, in, options...);
}
QUERN_REDUCTION_FORMS(median)

/// `quantile` of the elements that are not NaN; NaN where there is none.
template <execution_space Exec, result_like Out, any_array In, call_option<axes, interpolation, mask_t>... Options>
auto nanquantile(const Exec& exec, const Out& out, const In& in, double q, const Options&... options) {
  return impl::quantile_call({"quern::nanquantile", true, {q}}, exec, out, in, options...);
}
/// Several quantiles: the first extent of `out` is their number.
template <execution_space Exec, view_like Out, any_array In, call_option<axes, interpolation, mask_t>... Options>
void nanquantile(const Exec& exec, const Out& out, const In& in, const probabilities& q, const Options&... options) {
  impl::quantile_call({"quern::nanquantile", true, q, true}, exec, out, in, options...);
}
QUERN_QUANTILE_FORMS(nanquantile)

/// `median` of the elements that are not NaN; NaN where there is none.
template <execution_space Exec, result_like Out, any_array In, call_option<axes, interpolation, mask_t>... Options>
auto nanmedian(const Exec& exec, const Out& out, const In& in, const Options&... options) {
  return impl::quantile_call({"quern::nanmedian", true}, exec, out, in, options...);
}
QUERN_REDUCTION_FORMS(nanmedian)

}  // namespace quern

#endif
