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
/// | `quantile(exec, out, in, probabilities{0.1, 0.9}, axis{0})` | several: the first extent of `out` is their number |
/// | `quantile(exec, out, in, 0.9, interpolation::lower)` | with another interpolation than the linear one |
/// | `quantile(exec, out, in, 0.9, axis{1}, work)` | with the caller's `quern::workspace`, for device graphs |
///
/// All forms have one without `exec`, on a default instance of the execution space of `in`. Options may come in any
/// order.
///
/// `in` has real elements, any rank, layout and strides, and is not changed. Short lines (on a device at most 32
/// elements, on the host 1024) are sorted or partitioned by a thread; others are read a few times, and histograms of
/// their bit patterns narrow down where the quantile is (radix selection). A line of more than 65536 elements is read
/// twice, as a rule, and takes up to 150 kB of scratch memory; on the host, a thread copies eight shorter columns at a
/// time. Scratch comes from the pool of the execution-space instance. Each of several probabilities is a selection of
/// its own. Results do not depend on the machine.
///
/// @throws Error if extents do not fit, an axis is out of range or repeated, a line has no elements, a probability is
/// not from 0 to 1, or `out` shares memory with `in`

#include <quern/core/options.hpp>
#include <quern/reduce/reduce.hpp>
#include <quern/reduce/select.hpp>

namespace quern {

/// The probabilities of several quantiles, in any order: `probabilities{0.05, 0.5, 0.95}`.
struct probabilities {
  static constexpr int most = 64;
  int count = 0;
  std::array<double, most> value{};

  probabilities(std::initializer_list<double> values) : count(static_cast<int>(values.size())) {
    if (values.size() > most) throw Error("quern::probabilities", "at most 64 are possible");
    std::copy(values.begin(), values.end(), value.begin());
  }
};

namespace impl {

template <class T>
inline constexpr bool is_probability = std::is_arithmetic_v<std::remove_cvref_t<T>>;
template <class T>
inline constexpr bool is_probabilities = std::is_same_v<probabilities, std::remove_cvref_t<T>>;
template <class T>
inline constexpr bool is_interpolation = std::is_same_v<interpolation, std::remove_cvref_t<T>>;

/// Arguments of a quantile: [exec,] [out,] in, [probabilities] [, axes] [, interpolation] [, workspace].
template <int Probabilities, class... Args>
constexpr bool are_quantile_arguments() {
  constexpr int single = (0 + ... + (is_probability<Args> ? 1 : 0));
  constexpr int several = (0 + ... + (is_probabilities<Args> ? 1 : 0));
  constexpr int how = (0 + ... + (is_interpolation<Args> ? 1 : 0));
  constexpr int execs = (0 + ... + (execution_space<Args> ? 1 : 0));
  constexpr int works = (0 + ... + (is_workspace<std::remove_cvref_t<Args>> ? 1 : 0));
  constexpr int views = (0 + ... + (view_like<Args> ? 1 : 0));
  constexpr int along = (0 + ... + (is_axes<Args> ? 1 : 0));
  return single + several + how + execs + works + views + along == sizeof...(Args) &&
         single + several == Probabilities && how <= 1 && execs <= 1 && works <= execs && along <= 1 &&
         (views == 2 || (views == 1 && works == 0 && along == 0 && several == 0));
}
template <class... Args>
concept quantile_arguments = are_quantile_arguments<1, Args...>();
template <class... Args>
concept median_arguments = are_quantile_arguments<0, Args...>();

/// What is asked for, without the arrays.
struct quantile_request {
  std::string label;
  bool skip_nan;
  probabilities of{0.5};
  bool several = false;
  interpolation how = interpolation::linear;
  const axes* wanted = nullptr;

  template <class Arg>
  void take(const Arg& arg) {
    if constexpr (is_probability<Arg>) of = {static_cast<double>(arg)};
    else if constexpr (is_probabilities<Arg>) of = arg, several = true;
    else if constexpr (is_interpolation<Arg>) how = arg;
    else if constexpr (is_axes<Arg>) wanted = &arg;
  }
  void check() const {
    for (int i = 0; i < of.count; ++i)
      if (!(of.value[i] >= 0 && of.value[i] <= 1))
        throw Error(label, "a probability is " + std::to_string(of.value[i]) + ", expected 0 to 1");
  }
};

/// The extents and strides without the first axis, from its index `i` on.
template <class T>
strided<T> without_first_axis(const strided<T>& array, int i) {
  strided<T> part{array.data + i * array.stride[0], {}, {}};
  part.extents.rank = array.extents.rank - 1;
  for (int d = 0; d < part.extents.rank; ++d) {
    part.extents.extent[d] = array.extents.extent[d + 1];
    part.stride[d] = array.stride[d + 1];
  }
  return part;
}

template <class Exec, class Out, class T>
void quantile_into(const Exec& exec, workspace<Exec>& scratch, const quantile_request& r, const strided<Out>& out,
                   const strided<const T>& in) {
  r.check();
  const axis_set along = r.wanted == nullptr ? axis_set::all() : axis_set(r.label, *r.wanted, in.extents.rank);
  shape expected;
  if (r.several) expected.extent[expected.rank++] = r.of.count;
  const shape results = along.part(in.extents, false);
  if (expected.rank + results.rank > max_rank) throw Error(r.label, "out would have more than 8 extents");
  for (int d = 0; d < results.rank; ++d) expected.extent[expected.rank++] = results.extent[d];
  if (out.extents != expected)
    throw Error(r.label, "out has extents " + out.extents.str() + ", expected " + expected.str());
  if (along.part(in.extents, true).size() == 0 && results.size() > 0)
    throw Error(r.label, "in has extents " + in.extents.str() + ", expected at least one element along the axes");
  check_overlap(r.label, out, in, "in", false);
  for (int i = 0; i < r.of.count; ++i)
    select_launch(exec, r.label, scratch, quantile_rule{r.of.value[i], r.how, r.skip_nan}, along,
                  r.several ? without_first_axis(out, i) : out, in);
}

template <class First, class... Rest>
auto quantile_call(quantile_request r, First& first, Rest&... rest) {
  if constexpr (!execution_space<First>) {
    const default_execution_space<First> exec;
    return quantile_call(r, exec, first, rest...);
  } else {
    using Exec = std::remove_const_t<First>;
    (r.take(rest), ...);
    const auto views = std::tuple_cat(if_view(rest)...);
    if constexpr (std::tuple_size_v<decltype(views)> == 1) {
      const auto in = make_input<Exec>(std::get<0>(views), r.label).array;
      using number = mean_type<value_of<decltype(std::get<0>(views))>>;
      lease<Exec> held(first);
      auto* result = held.template result<number>();
      quantile_into(first, held.scratch(), r, strided<number>{result, {}, {}}, in);
      first.fence(r.label + ": result");
      return *result;
    } else {
      const auto in = make_input<Exec>(std::get<1>(views), r.label).array;
      const auto out = make_output<Exec>(std::get<0>(views), r.label);
      with_scratch(first, [&](workspace<Exec>& scratch) { quantile_into(first, scratch, r, out, in); }, rest...);
    }
  }
}

}  // namespace impl

/// The value below which the share q of the elements is: with the n elements in ascending order x(0) <= x(1) <= ...,
///
///     quantile = x(k) + (x(k + 1) - x(k)) t,  k = floor(q (n - 1)),  t = q (n - 1) - k,
///
/// as in NumPy. `interpolation::lower` takes x(k), `higher` x(k + 1) where t > 0, `midpoint` their mean, `nearest` the
/// one whose rank is nearer, and the even rank of two. Double for integers, float for half types. NaN if there is one.
/// Between a number and an infinity lies the infinity, where NumPy's interpolations give NaN, and between infinities of
/// both signs NaN.
template <class... Args>
  requires impl::quantile_arguments<Args...>
auto quantile(Args&&... args) {
  return impl::quantile_call({"quern::quantile", false}, args...);
}

/// The quantile of 0.5: the element in the middle, or the mean of the two there.
template <class... Args>
  requires impl::median_arguments<Args...>
auto median(Args&&... args) {
  return impl::quantile_call({"quern::median", false}, args...);
}

/// `quantile` of the elements that are not NaN; NaN where there is none.
template <class... Args>
  requires impl::quantile_arguments<Args...>
auto nanquantile(Args&&... args) {
  return impl::quantile_call({"quern::nanquantile", true}, args...);
}

/// `median` of the elements that are not NaN; NaN where there is none.
template <class... Args>
  requires impl::median_arguments<Args...>
auto nanmedian(Args&&... args) {
  return impl::quantile_call({"quern::nanmedian", true}, args...);
}

}  // namespace quern

#endif
