// SPDX-FileCopyrightText: the Quern authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef QUERN_KEYED_HISTOGRAM_HPP
#define QUERN_KEYED_HISTOGRAM_HPP

#include <cmath>
#include <quern/core/call/call.hpp>
#include <quern/core/call/mask.hpp>
#include <quern/core/call/weights.hpp>
#include <quern/core/launch/least_position.hpp>
#include <quern/core/launch/operations.hpp>
#include <quern/core/views/part_view.hpp>
#include <quern/keyed/binning.hpp>
#include <quern/keyed/search.hpp>
#include <utility>

namespace quern {

/// Whole numbers from `low` to before `high`, all that keys can be.
struct key_range {
  using option_of = impl::any_place;
  std::int64_t low = 0, high = 0;
};

namespace impl {

/// Checks the arguments of every histogram but the extents of `out`, which the bins have, zeroes the bins and adds the
/// values up, with weights or without.
template <class Exec, class Out, class Bin, class X, class... Weights>
void with_bins(const Exec& exec, const std::string& label, const Out& out_view, const Bin& bin, const X& x_view,
               const Weights&... weights_view) {
  using O = value_of<Out>;
  static_assert(sizeof...(Weights) <= 1, "quern::histogram: at most one array of weights");
  static_assert((std::is_integral_v<O> && sizeof(O) >= 4) || std::is_same_v<O, float> || std::is_same_v<O, double>,
                "quern::histogram: out must be of integers of 32 or 64 bits, float or double");
  const call c(label, exec);
  const auto out = c.output(out_view);
  const auto elements = c.elements(x_view);
  shape extents = operand_extents(label, x_view);
  check_overlap(label, out, elements, "x", false);
  if constexpr (requires(const value_of<X>* p) { bin.at(p); })
    extents.rank = 1;  // the bins know the points' other axis
  [[maybe_unused]] const auto weight_elements = [&](const auto& view) {
    const shape of_weights = operand_extents(label, view);
    Kokkos::Array<std::int64_t, max_rank> ignored;
    if (!broadcast_strides(of_weights, {}, extents, ignored)) reject_broadcast(label, "in 2", of_weights, extents);
    const auto weights = c.elements(view);
    check_overlap(label, out, weights, "weights", false);
    return weights;
  };
  const auto add = [&](const auto&... weights) {
    map_checked(label_text(label, "/zero"), exec, out_view, op::identity(), O(0));
    with_sources(
        [&](auto x, const auto&... w) {
          x.extents = extents;
          add_by_bin(exec, label, out, x, bin, w...);
        },
        elements, weights...);
  };
  add(weight_elements(weights_view)...);
}

inline void check_range(const std::string& label, const bin_range& range, std::int64_t bins) {
  constexpr double largest = Kokkos::Experimental::finite_max_v<double>;
  const double width = range.high - range.low, n = static_cast<double>(bins);
  if (!(range.low < range.high && width <= largest))
    throw Error(label, "the range is from " + std::to_string(range.low) + " to " + std::to_string(range.high) +
                           ", expected low < high at a finite distance");
  const double apart =
      std::max(std::nextafter(range.low, range.high) - range.low, range.high - std::nextafter(range.high, range.low));
  if (bins > 0 && !(width / n >= apart && n / width <= largest))
    throw Error(label, "the range is too small for " + std::to_string(bins) + " bins: their edges are equal in double");
}

/// The first position, in row-major order, whose key has no place.
template <class Source>
struct first_outside {
  Source x;
  row_nest<2> nest;  // offsets and positions
  range_bin bin;
  KOKKOS_FUNCTION void operator()(std::int64_t i, std::int64_t& first) const {
    std::int64_t j;
    const auto o = nest.at_item(i, nest.inner, 1, j);
    if (outside(x[o.of[0]])) first = Kokkos::min(first, o.of[1]);
  }
  template <class T>
  KOKKOS_FUNCTION bool outside(const T& key) const {
    if constexpr (is_selected<T>) return key.chosen && bin.of_key(key.value) < 0;
    else return bin.of_key(key) < 0;
  }
};

/// Waits.
template <class Exec, class X>
void check_keys(const Exec& exec, const std::string& label, const X& x_view, const range_bin& bin) {
  const shape extents = operand_extents(label, x_view);
  const std::int64_t n = extents.size();
  std::int64_t first = n;
  with_sources(
      [&](const auto& x) {
        const row_nest<2> nest(make_loop_nest<2>(extents, {x.stride, row_major_strides(extents)}));
        first = least_position(exec, label_text(label, "/check"), n,
                               first_outside<std::remove_const_t<decltype(x.data)>>{x.data, nest, bin});
      },
      call(label, exec).elements(x_view));
  if (first < n)
    throw KeyRangeError(label,
                        "the key at position " + std::to_string(first) + " is not from " + std::to_string(bin.low) +
                            " to " + std::to_string(bin.low + bin.bins - 1),
                        first);
}

/// A range in the message of calls that differ between ranks.
inline std::string text_of(const bin_range& range) {
  return " in bins from " + text_of(range.low) + " to " + text_of(range.high);
}
inline std::string text_of(const key_range* range) {
  return range == nullptr ? "" : " of keys from " + std::to_string(range->low) + " to " + std::to_string(range->high);
}

/// Where a key is in a range; -1 outside.
struct from_low {
  std::int64_t low, high;
  template <class K>
  KOKKOS_FUNCTION std::int64_t operator()(const K& key) const {
    const bool inside = !value_less(key, low) && value_less(key, high);
    return inside ? static_cast<std::int64_t>(key) - low : -1;
  }
};
inline void check_range(const std::string& label, const key_range& range, const shape& out) {
  std::int64_t keys;
  if (__builtin_sub_overflow(range.high, range.low, &keys) || keys < 0)
    throw Error(label, "the range of keys is from " + std::to_string(range.low) + " to " + std::to_string(range.high));
  check_extents(label, "out", out, shape{keys});
}

/// An operation that counts values in bins, or adds up their weights.
template <class Bin>
struct count_operation {
  operation_name label;
  Bin bin;
};

/// Counts of arrays in memory.
template <>
struct engine<in_memory, counts> {
  template <class Bin, class Exec, class Out, class... In, class... Options>
  static void run(const count_operation<Bin>& c, const Exec& exec, const Out& out, const std::tuple<In...>& inputs,
                  const Options&...) {
    check_place_options<Options...>();
    unpack([&](const auto&... in) { with_bins(exec, c.label, out, c.bin, in...); }, inputs);
  }
};

template <class T>
concept points_option = is_option<mask_t, T> || weights_option<T>;
template <class T>
concept histogram_option = place_option<T> || points_option<T>;
template <class T>
concept keys_option = is_option<key_range, T> || histogram_option<T>;
template <class T>
concept bincount_option = is_option<checked_t, T> || keys_option<T>;

/// The arrays of an option.
template <class Option>
auto weights_in([[maybe_unused]] const Option& option) {
  if constexpr (is_weights<Option>) return std::tie(option.of);
  else return std::tuple<>();
}
/// Compares a call with those of other ranks: its operands, `also`, which tells of the bins, and `more()`.
template <class More, class Out, class X, class Also, class... Options>
void compare_counts(const operation_name& label, const More& more, const Out& out, const X& x, const Also& also,
                    const Options&... options) {
  unpack([&](const auto&... arrays) { compare_calls<counts>(label, more, out, x, arrays...); },
         std::tuple_cat(weights_in(options)..., also));
}

/// `op(exec, out, x, options...)` of every operation that counts, by the engine of the place where its operands are.
template <class Bin, class Exec, class Out, class X, class... Options>
void count_call(const count_operation<Bin>& c, const Exec& exec, const Out& out, const X& x,
                const Options&... options) {
  static_assert((0 + ... + (is_weights<Options> ? 1 : 0)) <= 1, "quern: an option is given twice");
  const shape found = view_extents(out);
  if (found.rank != 1) reject_extents(c.label, "out", found, "rank 1");
  const auto run = [&]<class... In>(const std::tuple<const In&...>& inputs) {
    unpack([&](const auto&... of_place) { engine_of<counts, In...>::run(c, exec, out, inputs, of_place...); },
           select_options<true>(options...));
  };
  run(std::tuple_cat(std::tie(x), weights_in(options)...));
}

/// The weight of a value that a mask selects, or 0.
struct weight_where {
  struct selects_by_last {};
  template <class W, class M>
  KOKKOS_FUNCTION W operator()(const W& weight, const M& m) const {
    return m != M(0) ? weight : W(0);
  }
};
/// Whether a mask selects a value.
struct is_chosen {
  template <class T, class M>
  KOKKOS_FUNCTION bool operator()(const T&, const M& m) const {
    return m != M(0);
  }
};
/// A mask as an array, also where it is a single value, or of positions in x.
template <class X, class M>
auto mask_array([[maybe_unused]] const X& x, const M& m) {
  if constexpr (has_no_extents<M>) return lazy(is_chosen(), x, m);
  else return m;
}

/// `run(options...)` with weights in place of a mask: what it does not select weighs nothing. x is the values, which
/// have these extents. A mask that does not fit is rejected when the call has been compared with those of other ranks.
template <class Exec, class Out, class X, class Run, class... Options>
void with_mask_as_weights(const std::string& label, const Out& out, const X& x, const shape& values, const Run& run,
                          const Options&... options) {
  if constexpr (!with_mask<Options...>) {
    run(options...);
  } else if constexpr (check_mask_type<std::remove_cvref_t<decltype(mask_among(options...).where)>, rank_of<X>>()) {
    const auto& m = mask_among(options...).where;
    if (!mask_fits(label, m, values)) {
      compare_calls<counts>(label, [] { return std::string(); }, out, x);
      check_mask(label, m, values);
    }
    check_mask_apart<Exec>(label, out, m);
    const auto chosen = mask_array(x, m);
    [[maybe_unused]] const auto selected = [&]<class Option>(const Option& o) {
      if constexpr (is_weights<Option>) return weights{lazy(weight_where(), o.of, chosen)};
      else return o;
    };
    const auto with_weights = [&](const auto&... o) {
      if constexpr ((is_weights<Options> || ...)) run(selected(o)...);
      else run(o..., weights{lazy(op::not_zero(), chosen)});
    };
    unpack(with_weights, without_mask(options...));
  }
}
}  // namespace impl

/// How many values lie in each of n equal bins from `range.low` to `range.high`, n the extent of `out`:
/// `numpy.histogram(x, n, (low, high))`. With weights, `out(b)` is the sum of those whose values lie in bin b.
///
/// Bin b holds `edge(b) <= x < edge(b + 1)`, the last one `high` too. What lies outside and NaN are not counted. Values
/// are compared in double.
///
/// Counts are exact and do not depend on the order. Sums of weights are formed in double (64-bit integers for
/// integers), in an order that changes from call to call on several threads: they may differ in the last bits.
/// Asynchronous on `exec`; takes scratch memory from the pool, on hosts of one `out` a thread, on devices of a table of
/// frequent bins. In chunks and over ranks the call waits, and out is a View that is whole on every rank.
///
/// With the option `mask{m}` (quern/core/call/mask.hpp), values where m is zero are not counted, nor are their weights
/// added, be they NaN.
///
/// @param out     of rank 1, of integers of 32 or 64 bits, float or double
/// @param x       of any rank and arithmetic type
/// @param options `weights{w}` and `mask{m}`, which broadcast to x
/// @throws Error if `low` is not less than `high`, one is not finite, or double has not enough numbers between them for
///         the edges of the bins; if extents do not fit
template <execution_space Exec, view_like Out, any_array X, impl::histogram_option... Options>
void histogram(const Exec& exec, const Out& out, const X& x, const bin_range& range, const Options&... options) {
  const std::string& label = impl::label_text("quern::histogram");
  const std::int64_t bins = impl::view_extents(out).size();
  static_assert(impl::has_order<impl::value_of<X>>,
                "quern::histogram: x must be of real numbers; complex numbers have no order");
  const auto run = [&](const auto&... others) {
    impl::compare_counts(label, [&] { return impl::text_of(range); }, out, x, std::tuple<>(), others...);
    impl::check_range(label, range, bins);
    if constexpr (impl::has_order<impl::value_of<X>>)
      impl::count_call(impl::count_operation{label, impl::equal_bins(range, bins)}, exec, out, x, others...);
  };
  impl::with_mask_as_weights<Exec>(label, out, x, impl::operand_extents(label, x), run, options...);
}
template <view_like Out, any_array X, impl::histogram_option... Options>
void histogram(const Out& out, const X& x, const bin_range& range, const Options&... options) {
  histogram(impl::space_of(out, x), out, x, range, options...);
}

/// The histogram of points with several coordinates: `numpy.histogramdd(x, bins, ranges)`. Extent d of `out` is the
/// number of equal bins in `ranges[d]`.
///
/// @param out     of rank 2 to 4
/// @param x       points as rows: (n, rank of out)
/// @param options `weights{w}` and `mask{m}`; of rank 1, one element for each point, or one for all
template <execution_space Exec, view_like Out, view_like X, std::size_t Rank, impl::points_option... Options>
void histogram(const Exec& exec, const Out& out, const X& x, const std::array<bin_range, Rank>& ranges,
               const Options&... options) {
  static_assert((0 + ... + (impl::is_weights<Options> ? 1 : 0)) <= 1, "quern: an option is given twice");
  static_assert(Rank > 1 && Rank <= 4, "quern::histogram: points have two to four coordinates");
  static_assert(impl::has_order<impl::value_of<X>>,
                "quern::histogram: x must be of real numbers; complex numbers have no order");
  if constexpr (impl::has_order<impl::value_of<X>> && Rank > 1 && Rank <= 4) {
    impl::call c("quern::histogram", exec);
    const auto points = c.input(x);
    const shape bins = impl::view_extents(out);
    if (bins.rank != Rank || points.extents.rank != 2 || points.extents.extent[1] != static_cast<std::int64_t>(Rank))
      throw Error(c.label, "out has extents " + bins.str() + " and x " + points.extents.str() + ", expected rank " +
                               std::to_string(Rank) + " and (n, " + std::to_string(Rank) + ")");
    for (std::size_t d = 0; d < Rank; ++d) impl::check_range(c.label, ranges[d], bins.extent[d]);
    const impl::point_bins<impl::value_of<X>, Rank> of_points(ranges, bins, points.stride[1],
                                                              std::make_index_sequence<Rank>());
    const auto run = [&](const auto&... weights) { impl::with_bins(exec, c.label, out, of_points, x, weights.of...); };
    const shape rows{points.extents.extent[0]};
    // A mask has the extents of the points, which are those of their first coordinates.
    using coordinate = const impl::value_of<X>;
    const auto first = impl::as_part<Exec, 1>(impl::strided<coordinate>{points.data, rows, {points.stride[0]}});
    impl::with_mask_as_weights<Exec>(c.label, out, first, rows, run, options...);
  }
}
template <view_like Out, view_like X, std::size_t Rank, impl::points_option... Options>
void histogram(const Out& out, const X& x, const std::array<bin_range, Rank>& ranges, const Options&... options) {
  histogram(impl::space_of(out), out, x, ranges, options...);
}

/// The histogram between given edges: bin b holds `edges(b) <= x < edges(b + 1)`, the last one its upper end too. Waits
/// for a check of the edges.
///
/// @param edges of rank 1, one more than `out` has elements, in ascending order, of any type; values are compared as
/// numbers
/// @throws UnsortedError at the first edge that is greater than the next, or NaN
template <execution_space Exec, view_like Out, any_array X, view_like Edges, impl::histogram_option... Options>
void histogram(const Exec& exec, const Out& out, const X& x, const Edges& edges_view, const Options&... options) {
  static_assert(impl::has_order<impl::value_of<X>> && impl::has_order<impl::value_of<Edges>>,
                "quern::histogram: x and edges must be of real numbers; complex numbers have no order");
  impl::call c("quern::histogram", exec);
  const auto run = [&](const auto&... others) {
    const impl::compared_values<Exec, Edges> between_edges{exec, edges_view};
    impl::compare_counts("quern::histogram", [] { return ""; }, out, x, std::tie(between_edges), others...);
    const auto edges = c.input(edges_view);
    const shape found = impl::view_extents(out);
    const std::int64_t bins = found.size();
    if (edges.extents != shape{bins + 1} || bins == 0)
      impl::reject_extents(c.label, "edges", edges.extents, "one more than out with extents " + found.str());
    if constexpr (impl::has_order<impl::value_of<X>> && impl::has_order<impl::value_of<Edges>>) {
      impl::check_increasing(exec, c.label, "the edges", edges);
      const impl::given_edges<impl::value_of<Edges>, impl::value_of<X>> between{edges.data, edges.stride[0], bins};
      impl::count_call(impl::count_operation{"quern::histogram", between}, exec, out, x, others...);
    }
  };
  impl::with_mask_as_weights<Exec>(c.label, out, x, impl::operand_extents(c.label, x), run, options...);
}
template <view_like Out, any_array X, view_like Edges, impl::histogram_option... Options>
void histogram(const Out& out, const X& x, const Edges& edges, const Options&... options) {
  histogram(impl::space_of(out, x), out, x, edges, options...);
}
QUERN_TAKES_NAME(histogram)

/// How often each of the numbers 0 to n - 1 is among the elements of x, n the extent of `out`, or the sums of their
/// weights: `numpy.bincount` with a length that is given. Other numbers are not counted, or with `checked`, for which
/// the call waits, an error. Accuracy, asynchrony and memory as of `histogram`.
///
/// @param options `weights{w}`; `mask{m}`; `key_range{low, high}` for the numbers from low to high - 1, as many as
///                `out` has elements, the first of which is that of low; `checked` (in memory), of what the mask
///                selects
/// @throws KeyRangeError with `checked`, at the first key that is none of the numbers; Error if the range is of another
///         size than out
template <execution_space Exec, view_like Out, any_array X, impl::bincount_option... Options>
void bincount(const Exec& exec, const Out& out, const X& x, const Options&... options) {
  using namespace impl;
  static_assert(std::is_integral_v<value_of<X>>, "quern::bincount: x must be of an integer type");
  constexpr bool in_reach = std::is_same_v<decltype(find_place<X>()), in_memory>;
  static_assert(in_reach || !has_option<checked_t, Options...>, "quern: checked keys are those in memory");
  const std::string& label = label_text("quern::bincount");
  const std::int64_t bins = impl::view_extents(out).size();
  const key_range* range = find_option<key_range>(options...);
  const auto check = [&](const auto& keys) {
    check_keys(exec, label, keys, range_bin{{bins, range == nullptr ? 0 : range->low}});
  };
  const auto run = [&](const auto&... others) {
    compare_counts(label, [&] { return text_of(range); }, out, x, std::tuple<>(), others...);
    if (range != nullptr) check_range(label, *range, impl::view_extents(out));
    if constexpr (in_reach && has_option<checked_t, Options...>) {
      if constexpr (with_mask<Options...>) check(lazy(select_values(), x, mask_among(options...).where));
      else check(x);
    }
    const count_operation counted{label, own_bin{bins}};
    if constexpr (has_option<key_range, Options...>)
      count_call(counted, exec, out, lazy(from_low{range->low, range->high}, x), others...);
    else count_call(counted, exec, out, x, others...);
  };
  with_mask_as_weights<Exec>(label, out, x, operand_extents(label, x), run, options...);
}
template <view_like Out, any_array X, impl::bincount_option... Options>
void bincount(const Out& out, const X& x, const Options&... options) {
  bincount(impl::space_of(out, x), out, x, options...);
}
QUERN_TAKES_NAME(bincount)

}  // namespace quern

#endif
