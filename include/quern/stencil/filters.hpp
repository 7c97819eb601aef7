// SPDX-FileCopyrightText: the Quern authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef QUERN_STENCIL_FILTERS_HPP
#define QUERN_STENCIL_FILTERS_HPP

/// @file
/// Filters whose sizes are known when the program runs, after `scipy.ndimage`. All are called as
///
/// | call | what it does |
/// | --- | --- |
/// | `gaussian_filter(exec, out, in, sigma, edge)` | asynchronous on `exec` |
/// | `gaussian_filter(out, in, sigma, edge)` | on a default instance of out's execution space |
///
/// with `edge` the values beyond the array, as for `quern::stencil`; `out` and `in` have equal extents and rank 1
/// to 3. A window of n values reaches from -(n / 2) to (n - 1) / 2. Sums are formed in the common type of values and
/// weights and converted to the type of `out`. Those of integers into integers are exact where they fit 64 bits, and
/// wrap around otherwise; they are unsigned where values and weights are unsigned and a value has 64 bits. Into
/// floating-point numbers they are exact up to 127 bits and a sign and rounded once, and larger ones are added in
/// double.
///
/// @throws Error if extents do not fit, a window is empty, `out` shares memory with `in`, or `edge` does not fit

#include <limits>
#include <numeric>
#include <quern/core/call/label.hpp>
#include <quern/core/launch/compiled.hpp>
#include <quern/core/memory/workspace.hpp>
#include <quern/core/values/values.hpp>
#include <quern/stencil/footprint.hpp>
#include <quern/stencil/separable_passes.hpp>

namespace quern {

/// The weights of a filter that is a product of one along each axis: `separable(w0, w1)`, Views of rank 1.
template <impl::readable_view... W>
std::tuple<W...> separable(const W&... weights) {
  static_assert(((impl::rank_of<W> == 1) && ...), "quern::separable: Views of rank 1, one for each axis");
  return {weights...};
}

namespace impl {

/// The values of weights, the last axis fastest; turned around for a convolution.
template <class V>
auto weight_values(const V& view, bool turned) {
  host_weights<value_of<V>> values(static_cast<std::size_t>(view_extents(view).size()));
  std::size_t n = 0;
  for_each_value(view, [&](const auto& w) {
    values[turned ? values.size() - 1 - n : n] = w;
    ++n;
  });
  return values;
}

/// A window of one weight for each cell, with sums of S.
template <class S, class Call, class W, std::size_t Rank>
void weighted_filter(const Call& call, const host_weights<W>& list, const std::array<int, Rank>& size, bool turned) {
  using exec_type = typename Call::exec_type;
  const run_time_box reach = reach_of(call.label, size);
  call.check_edges(reach);
  const auto all = [&](int n) { return std::all_of(size.begin(), size.end(), [&](int s) { return s == n; }); };
  const auto in_registers = [&]<int R>(std::integral_constant<int, R>) {
    window_sum<Call::rank, S, fixed_weights<W, box_cells<Call::rank, R>>, box_window<Call::rank, R>> f;
    std::copy(list.begin(), list.end(), f.weights.list);
    call.launch(box<R>(), f);
  };
  if (all(3)) return in_registers(std::integral_constant<int, 1>());
  if constexpr (Rank == 2) {
    if (is_device<exec_type> && all(5) && call.holds_packs()) return in_registers(std::integral_constant<int, 2>());
  }
  const scratch_array<exec_type, W> memory(call.exec, list.size());
  const auto sent = send_weights(call.exec, call.label, list, memory.data());
  if constexpr (is_device<exec_type> && Rank > 1) {
    const auto tiles =
        call.template tiles<strip_rows<S>>(reach, call.window(size, turned), call.edges, call.out, call.in);
    if (tiles.worthwhile())
      return launch_tiles(call.exec, call.label, tiled_window<std::remove_const_t<decltype(tiles)>, S, W>(tiles, sent));
  }
  window_sum<Call::rank, S, weight_list<W>, any_window<Call::rank>> f{sent, {}};
  for (std::size_t d = 0; d < Rank; ++d) {
    f.offsets.from[d] = first_offset(size[d], turned);
    f.offsets.cells[d] = size[d];
  }
  call.launch(reach, f);
}
/// Weights along each axis, on the host, with sums of S.
template <class S, class Call, class W, std::size_t Rank>
void weighted_filter(const Call& call, const std::array<host_weights<W>, Rank>& weights,
                     const std::array<int, Rank>& size, bool turned) {
  std::array<S, Rank> sums{};
  for (std::size_t d = 0; d < Rank; ++d)
    for (const W& w : weights[d]) add_weighted(sums[d], unit_weight(), w);
  const run_time_box reach = reach_of(call.label, size);
  const scratch_array<typename Call::exec_type, W> lists(call.exec, std::accumulate(size.begin(), size.end(), 0LL));
  W* memory = lists.data();
  std::array<weight_list<W>, Rank> sent;
  for (std::size_t d = 0; d < Rank; ++d) {
    sent[d] = send_weights(call.exec, call.label, weights[d], memory);
    memory += size[d];
  }
  run_passes<S>(call, reach, sums, [&]<int D>(std::integral_constant<int, D>, auto) {
    return window_sum<Call::rank, S, weight_list<W>, line_window<Call::rank, D>>{
        sent[D], {first_offset(size[D], turned), size[D]}};
  });
}
#define QUERN_SEPARABLE_FILTER(HOW, Space, T, Rank, Reversed)                           \
  HOW template void weighted_filter<T>(const filter_call<Rank, Reversed, Space, T, T>&, \
                                       const std::array<host_weights<T>, Rank>&, const std::array<int, Rank>&, bool);
#define QUERN_SEPARABLE_FILTERS_OF(HOW, Space, T) \
  QUERN_SEPARABLE_FILTER(HOW, Space, T, 1, false) \
  QUERN_SEPARABLE_FILTER(HOW, Space, T, 1, true)  \
  QUERN_SEPARABLE_FILTER(HOW, Space, T, 2, false) \
  QUERN_SEPARABLE_FILTER(HOW, Space, T, 2, true)  \
  QUERN_SEPARABLE_FILTER(HOW, Space, T, 3, false) \
  QUERN_SEPARABLE_FILTER(HOW, Space, T, 3, true)
#define QUERN_SEPARABLE_FILTERS(Space, ...)             \
  QUERN_SEPARABLE_FILTERS_OF(__VA_ARGS__, Space, float) \
  QUERN_SEPARABLE_FILTERS_OF(__VA_ARGS__, Space, double)
QUERN_ON_DEVICES(QUERN_SEPARABLE_FILTERS, extern)

/// Weights W on the host, of each cell or along each axis, whose sums have that magnitude at most.
template <class W, class Call, class Weights, std::size_t Rank>
void weighted_call(const Call& call, const Weights& weights, const std::array<int, Rank>& size, double total,
                   bool turned) {
  with_sum_type<typename Call::in_type, W, typename Call::out_type, false>(
      total, [&]<class S>(std::type_identity<S>) { weighted_filter<S>(call, weights, size, turned); });
}
template <class Call, class W, std::size_t Rank>
void separable_call(const Call& call, const std::array<host_weights<W>, Rank>& weights, bool turned) {
  double total = 1;
  std::array<int, Rank> size;
  for (std::size_t d = 0; d < Rank; ++d) {
    total *= std::max(1.0, total_magnitude(weights[d]));
    size[d] = static_cast<int>(weights[d].size());
  }
  weighted_call<W>(call, weights, size, total, turned);
}

template <class Exec, class Out, class Weights, class In>
void weights_call(const operation_name& label, const Exec& exec, const Out& out, const Weights& weights,
                  const boundaries& edge, const In& in, bool turned) {
  with_filter(label, exec, out, edge, in, [&]<class Call>(const Call& call) {
    constexpr int Rank = Call::rank;
    if constexpr (readable_view<Weights>) {
      static_assert(rank_of<Weights> == Rank, "quern: weights must have the rank of in");
      const shape extents = view_extents(weights);
      std::array<int, Rank> size;
      for (int d = 0; d < Rank; ++d) size[d] = static_cast<int>(extents.extent[d]);
      const auto list = weight_values(weights, turned);
      weighted_call<value_of<Weights>>(call, list, size, total_magnitude(list), turned);
    } else {
      static_assert(std::tuple_size_v<Weights> == Rank, "quern::separable: one View of weights for each axis");
      unpack(
          [&](const auto&... w) {
            using W = std::common_type_t<value_of<decltype(w)>...>;
            const auto list = [&](const auto& v) {
              const auto values = weight_values(v, turned);
              return host_weights<W>(values.begin(), values.end());
            };
            separable_call(call, std::array<host_weights<W>, Rank>{list(w)...}, turned);
          },
          weights);
    }
  });
}

/// Sums S of boxes of `size`; `finish` makes the results of them, and `three` those of boxes of three cells each way.
template <class S, class Call, std::size_t Rank, class Three, class Finish>
void box_filter(const Call& call, const std::array<int, Rank>& size, const Three& three, const Finish& finish) {
  constexpr int rank = Call::rank;
  const run_time_box reach = reach_of(call.label, size);
  call.check_edges(reach);
  if (std::all_of(size.begin(), size.end(), [](int n) { return n == 3; }))
    return call.launch(box<1>(), window_sum<rank, S, equal_weights, box_window<rank, 1>, Three>{{}, {}, three});
  std::array<S, Rank> sums;
  for (std::size_t d = 0; d < Rank; ++d) sums[d] = static_cast<S>(size[d]);
  run_passes<S>(call, reach, sums, [&]<int D, bool Last>(std::integral_constant<int, D>, std::bool_constant<Last>) {
    const auto line = [&](const auto& result) {
      return window_sum<rank, S, equal_weights, line_window<rank, D>, std::remove_cvref_t<decltype(result)>>{
          {}, {first_offset(size[D], false), size[D]}, result};
    };
    if constexpr (Last) return line(finish);
    else return line(op::identity());
  });
}

/// Sums of boxes; `Mean` divides them by the number of cells. Sums of integers of 64 bits that are divided are formed
/// in 128, so that the mean is exact.
template <bool Mean, class Exec, class Out, class In>
void box_call(const operation_name& label, const Exec& exec, const Out& out, const per_axis<int>& sizes,
              const boundaries& edge, const In& in) {
  with_filter(label, exec, out, edge, in, [&]<class Call>(const Call& call) {
    using T = value_of<In>;
    constexpr bool integers = std::is_integral_v<T>;
    const auto size = sizes.template all<Call::rank>(label);
    std::int64_t count = 1;
    for (const int n : size) {
      count *= std::max(n, 1);
      if (count > std::numeric_limits<int>::max()) throw Error(label, "a window of more than 2^31 - 1 values");
    }
    const auto run = [&]<class S>(std::type_identity<S>) {
      using mean = std::conditional_t<integers, double, S>;
      const auto with = [&](const auto& finish) { box_filter<S>(call, size, finish, finish); };
      if constexpr (!Mean) with(op::identity());
      else if constexpr (integers && std::is_integral_v<value_of<Out>>)
        box_filter<S>(call, size, floor_mean<T, box_cells<Call::rank, 1>>{count}, floor_mean<T>{count});
      else with(scale_sum<mean>{static_cast<mean>(1 / static_cast<double>(count))});
    };
    using unit = std::conditional_t<std::is_unsigned_v<T>, unsigned, int>;
    if constexpr (Mean && integers && sizeof(T) == 8) run(std::type_identity<wide_sum>());
    else with_sum_type<T, std::conditional_t<integers, unit, T>, value_of<Out>, true>(static_cast<double>(count), run);
  });
}

/// The weights of a Gaussian, normalized; they end `truncate` standard deviations from the middle.
host_weights<double> gaussian_weights(const std::string& label, double sigma, double truncate);

}  // namespace impl

/// The weights of a filter: a View or a re-indexed one, as `flip(w)`, or `separable(w0, w1)`.
template <class W>
concept filter_weights = impl::readable_view<W> || impl::is_outputs<W>;

/// Correlation: `out(j, i) = sum_kl weights(k, l) in(j + k - nk / 2, i + l - nl / 2)`, nk x nl the extents of weights.
///
/// @param weights a View of the rank of `in`, of any extents, or `quern::separable(w0, w1)`, a View of rank 1 for each
///                axis, whose product they are: one pass for each, with the sums in between in scratch memory. The host
///                reads them before the call returns: from host memory as they are, from other memory by a copy, which
///                waits for all kernels
///
/// 3 weights along every axis, and 5 x 5 where rows are aligned, are applied from registers. The weights of larger
/// windows go with the kernel up to 64, beyond by scratch memory. A device copies the values of wider windows to its
/// teams' memory, from which each thread computes a strip of a column; separable weights of two adjacent axes take
/// one pass there.
template <execution_space Exec, view_like Out, view_like In, filter_weights Weights>
void correlate(const Exec& exec, const Out& out, const In& in, const Weights& weights, const boundaries& edge) {
  impl::weights_call("quern::correlate", exec, out, weights, edge, in, false);
}
template <view_like Out, view_like In, filter_weights Weights>
void correlate(const Out& out, const In& in, const Weights& weights, const boundaries& edge) {
  correlate(impl::space_of(out), out, in, weights, edge);
}
QUERN_REJECTS(option_or_place, correlate)
QUERN_TAKES_NAME_NOT(computed, correlate)

/// Convolution: `out(j, i) = sum_kl weights(k, l) in(j - k + nk / 2, i - l + nl / 2)`; else as `correlate`.
template <execution_space Exec, view_like Out, view_like In, filter_weights Weights>
void convolve(const Exec& exec, const Out& out, const In& in, const Weights& weights, const boundaries& edge) {
  impl::weights_call("quern::convolve", exec, out, weights, edge, in, true);
}
template <view_like Out, view_like In, filter_weights Weights>
void convolve(const Out& out, const In& in, const Weights& weights, const boundaries& edge) {
  convolve(impl::space_of(out), out, in, weights, edge);
}
QUERN_REJECTS(option_or_place, convolve)
QUERN_TAKES_NAME_NOT(computed, convolve)

/// The sum of a box of `size` around each cell, one size or one for each axis: `box_sum(exec, out, in, {3, 5}, edge)`.
/// Windows of 3 along every axis take one pass, others one along each axis; on devices two axes share a pass where
/// windows have no more than 192 cells.
template <execution_space Exec, view_like Out, view_like In>
void box_sum(const Exec& exec, const Out& out, const In& in, const per_axis<int>& size, const boundaries& edge) {
  impl::box_call<false>("quern::box_sum", exec, out, size, edge, in);
}
template <view_like Out, view_like In>
void box_sum(const Out& out, const In& in, const per_axis<int>& size, const boundaries& edge) {
  box_sum(impl::space_of(out), out, in, size, edge);
}
QUERN_REJECTS(option_or_place, box_sum)
QUERN_TAKES_NAME_NOT(computed, box_sum)

/// The mean of that box. From integers to integers it is the exact mean rounded down, of negative values too (Python's
/// `//`; SciPy's filter rounds towards zero, after each axis).
template <execution_space Exec, view_like Out, view_like In>
void uniform_filter(const Exec& exec, const Out& out, const In& in, const per_axis<int>& size, const boundaries& edge) {
  impl::box_call<true>("quern::uniform_filter", exec, out, size, edge, in);
}
template <view_like Out, view_like In>
void uniform_filter(const Out& out, const In& in, const per_axis<int>& size, const boundaries& edge) {
  uniform_filter(impl::space_of(out), out, in, size, edge);
}
QUERN_REJECTS(option_or_place, uniform_filter)
QUERN_TAKES_NAME_NOT(computed, uniform_filter)

/// Where a Gaussian ends, in standard deviations: `gaussian_filter(exec, out, in, 2.0, edge, truncate_at{3})`; 4
/// without it.
struct truncate_at {
  using option_of = impl::any_place;
  double value;
};

/// A Gaussian of standard deviation `sigma`, in cells, one or one for each axis: a separable filter with the weights
/// exp(-i^2 / (2 sigma^2)), normalized, up to 4 standard deviations, or those of the option `truncate_at`. Weights are
/// float for arrays of float, else double. Integers are rounded towards zero once, in the end, where SciPy's filter
/// rounds them after each axis.
template <execution_space Exec, view_like Out, view_like In, option<truncate_at>... Options>
void gaussian_filter(const Exec& exec, const Out& out, const In& in, const per_axis<double>& sigma,
                     const boundaries& edge, const Options&... options) {
  const double end = impl::option_or(truncate_at{4}, options...).value;
  const std::string& label = impl::label_text("quern::gaussian_filter");
  using W = std::conditional_t<std::is_same_v<impl::real_type<impl::value_of<In>>, float>, float, double>;
  impl::with_filter(label, exec, out, edge, in, [&]<class Call>(const Call& call) {
    const auto sigmas = sigma.template all<Call::rank>(label);
    std::array<impl::host_weights<W>, Call::rank> weights;
    for (int d = 0; d < Call::rank; ++d) {
      const auto exact = impl::gaussian_weights(label, sigmas[d], end);
      weights[d] = impl::host_weights<W>(exact.begin(), exact.end());
    }
    impl::separable_call(call, weights, false);
  });
}
template <view_like Out, view_like In, option<truncate_at>... Options>
void gaussian_filter(const Out& out, const In& in, const per_axis<double>& sigma, const boundaries& edge,
                     const Options&... options) {
  gaussian_filter(impl::space_of(out), out, in, sigma, edge, options...);
}
QUERN_REJECTS(place, gaussian_filter)
QUERN_TAKES_NAME_NOT(computed, gaussian_filter)

}  // namespace quern

#endif
