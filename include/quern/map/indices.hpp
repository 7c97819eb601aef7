// SPDX-FileCopyrightText: the Quern authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef QUERN_MAP_INDICES_HPP
#define QUERN_MAP_INDICES_HPP

/// @file
/// Elements at indices that arrays hold, and indices of arrays as numbers.
///
/// Indices are integers of any type, and those from -n on count from the end of n elements. Where one is out of range:
///
/// | option | what happens |
/// | --- | --- |
/// | none | the call waits for `exec`, and throws ElementError before it writes anything |
/// | `index_mode::wrap` | it is taken modulo n |
/// | `index_mode::clip` | the nearest is taken; one below 0 is 0, and does not count from the end |
/// | `info`, a View of rank 0 of `std::int64_t` | it is counted there; the nearest is read, and nothing written |
///
/// With an option calls are asynchronous on `exec`, without scratch memory.

#include <quern/core/views/axes.hpp>
#include <quern/map/index_rules.hpp>

namespace quern {
namespace impl {

/// The element of an array at an index along an axis.
template <class T, int Rank>
struct element_along_axis {
  const T* data;
  index_rule rule;
  std::int64_t along;
  Kokkos::Array<std::int64_t, Rank> stride;  // 0 along the axis

  template <class I>
  KOKKOS_FUNCTION T operator()(const I& index, const Kokkos::Array<std::int64_t, Rank>& at) const {
    std::int64_t offset = rule(index) * along;
    for (int d = 0; d < Rank; ++d) offset += at[d] * stride[d];
    return data[offset];
  }
};

/// One value for all positions.
template <class T>
struct constant_source {
  T value;
  KOKKOS_FORCEINLINE_FUNCTION const T& load(std::int64_t) const { return value; }
};

/// Writes values to elements at indices: along an axis, where the position of an index says the rest, or of all
/// elements in row-major order.
template <bool Along, class T, class Addresses, class Indices, class Values>
struct write_at_indices {
  T* data;
  Addresses addresses;
  Indices indices;
  Values values;
  std::int64_t value_count;
  index_rule rule;
  std::int64_t along;

  KOKKOS_FUNCTION void operator()(std::int64_t k) const {
    const auto v = indices.load(k);
    const std::int64_t i = rule(v);
    if (rule.outside != nullptr && !rule.valid(v)) return;
    const auto value = convert<T>(values.load(k < value_count ? k : k % value_count));
    if constexpr (Along) data[addresses.load(k) + i * along] = value;
    else data[addresses.load(i)] = value;
  }
};

/// Addresses of an array's elements by their row-major positions.
inline auto addresses_in_order(const shape& extents, const stride_array& stride) {
  mapped_array<position_source, -1> addresses{};
  addresses.extents = extents;
  addresses.stride = stride;
  return in_row_major_order(addresses).source;
}

/// Values as a source by row-major positions of an array of extents to which they broadcast.
template <class Exec, int Rank, class V>
auto broadcast_in_order(const std::string& label, const char* name, const V& v, const shape& to) {
  if constexpr (scalar_value<V>) return constant_source<V>{v};
  else
    return source_in_order<Exec>(
        restride<Rank>(v, [&](const index_layout& l) { return broadcast_layout(label, name, l, to); }));
}

template <bool Along, class Exec, class T, class Addresses, class Indices, class Values>
void launch_write(const call<Exec>& c, const strided<T>& out, const Addresses& addresses, const Indices& indices,
                  std::int64_t count, const Values& values, std::int64_t value_count, const index_rule& rule,
                  std::int64_t along) {
  Kokkos::parallel_for(kernel_label(c.label), index_range(c.exec, count),
                       write_at_indices<Along, T, Addresses, Indices, Values>{out.data, addresses, indices, values,
                                                                              value_count, rule, along});
}

/// Rejects an output that shares memory with what is read.
template <class Exec, class T, class V>
void check_read(const call<Exec>& c, const strided<T>& out, const V& v, const char* name) {
  if constexpr (stored_array<V>) {
    check_overlap(c.label, out, make_input<Exec>(v, c.label).array, name, false);
  } else if constexpr (!scalar_value<V>) {
    const auto leaf = mapped_leaf<Exec>(as_mapped(v));
    check_leaf_overlap(c.label, out, leaf, name, false);
  }
}

/// Rejects a write at indices that shares memory with what it reads, or where it counts.
template <class Exec, class Settings, class T, class Indices, class Values>
void check_write(const call<Exec>& c, const Settings& settings, const strided<T>& out, const Indices& indices,
                 const Values& values) {
  check_read(c, out, indices, "indices");
  check_read(c, out, values, "values");
  settings.check_apart("out", out);
  settings.check_apart("indices", indices);
  settings.check_apart("values", values);
}

/// What writes at indices takes as values.
template <class T>
concept written_values = index_array<T> || scalar_value<T>;

/// The numbers along axes of an element of an array, from its row-major position, each of which goes to an output.
template <int Rank>
struct unraveled {
  index_rule rule;
  Kokkos::Array<std::int64_t, Rank> extent;

  template <class I>
  KOKKOS_FUNCTION auto operator()(const I& v) const {
    std::int64_t rest = rule(v);
    if constexpr (Rank == 1) {
      return rest;
    } else {
      Kokkos::Array<std::int64_t, Rank> at;
      for (int d = Rank - 1; d > 0; --d) {
        at[d] = rest % extent[d];
        rest /= extent[d];
      }
      at[0] = rest;
      return at;
    }
  }
};
/// The row-major position.
template <int Rank>
struct raveled {
  Kokkos::Array<index_rule, Rank> rule;
  template <class... I>
  KOKKOS_FUNCTION std::int64_t operator()(const I&... v) const {
    std::int64_t at = 0;
    int d = 0;
    ((at = at * rule[d].n + rule[d](v), ++d), ...);
    return at;
  }
};

/// Where indices are written: a View, or several.
template <class T>
concept index_outputs = view_like<T> || is_outputs<T>;

}  // namespace impl

/// `out(i, j, k) = in(i, indices(i, j, k), k)` along axis 1, along the last axis without the option `axis` (NumPy's
/// `take_along_axis`): what `argsort` or `argmax` found, `take_along_axis(exec, sorted, x, order)`.
///
/// @param out     a View
/// @param in      a View of as many axes, which broadcasts to `out` along the others
/// @param indices a View of as many axes, or one that is re-indexed; it broadcasts to `out`
/// @param options `axis{k}`; `index_mode`, or an `info` View, for indices that are out of range, as this header says
///
/// @throws ElementError with the row-major position of the first index that is out of range; Error if extents do not
/// fit, the axis is out of range, or empty where there are indices, or `out` shares memory with an input
template <execution_space Exec, view_like Out, array_like In, impl::index_array Indices, impl::index_option... Options>
void take_along_axis(const Exec& exec, const Out& out_view, const In& in, const Indices& indices,
                     const Options&... options) {
  constexpr int rank = impl::rank_of<Out>;
  static_assert(rank >= 1, "quern::take_along_axis: out must have one axis at least, known when compiling");
  constexpr bool same = impl::may_have_rank<In, rank, rank> && impl::may_have_rank<Indices, rank, rank>;
  static_assert(same, "quern::take_along_axis: in and indices must have the rank of out");
  if constexpr (rank >= 1 && same && impl::are_indices<Indices>() && impl::reads_memory<In>()) {
    const impl::call c("quern::take_along_axis", exec);
    const auto out = c.output(out_view);
    const auto x = c.input(in);
    const int along = impl::axis_option(c.label, -1, rank, options...);
    shape full = out.extents;
    full.extent[along] = x.extents.extent[along];
    const impl::index_layout own{x.extents, x.stride, 0};
    const auto others = impl::broadcast_layout(c.label, "in", own, full);
    impl::broadcast_layout(c.label, "the array of indices", {impl::operand_extents(c.label, indices), {}, 0},
                           out.extents);
    impl::check_overlap(c.label, out, x, "in", false);
    impl::check_read(c, out, indices, "indices");
    const impl::index_settings settings(c, options...);
    settings.check_apart("out", out);
    settings.check_apart("in", x);
    settings.check_apart("indices", indices);
    const impl::index_rule rule = settings.rule(x.extents.extent[along], true);
    settings.check(indices, rule, along);
    settings.start_count(std::tuple(out), indices);
    impl::element_along_axis<impl::value_of<In>, rank> element{x.data, rule, x.stride[along], {}};
    for (int d = 0; d < rank; ++d) element.stride[d] = d == along ? 0 : others.stride[d];
    impl::map_checked(c.label, exec, out_view, element, indices, positions());
  }
}
template <view_like Out, array_like In, impl::index_array Indices, impl::index_option... Options>
void take_along_axis(const Out& out, const In& in, const Indices& indices, const Options&... options) {
  take_along_axis(impl::space_of(out), out, in, indices, options...);
}
QUERN_TAKES_NAME_NOT(place, take_along_axis)

/// `out(i, indices(i, j, k), k) = values(i, j, k)` along axis 1, along the last axis without the option `axis` (NumPy's
/// `put_along_axis`). Other elements keep their values. Where indices are equal, one of their values is written, and it
/// is not said which; of values wider than 8 bytes, as complex numbers of double, parts of several may be.
///
/// @param out     a View, an input and an output
/// @param indices a View of as many axes, or one that is re-indexed; it broadcasts to out's extents along the others
/// @param values  a scalar, a View, or one that is re-indexed, which broadcasts to these extents; converted to out's
/// type
/// @param options those of `take_along_axis`
///
/// One kernel. @throws Error and ElementError as `take_along_axis`
template <execution_space Exec, view_like Out, impl::index_array Indices, impl::written_values Values,
          impl::index_option... Options>
void put_along_axis(const Exec& exec, const Out& out_view, const Indices& indices, const Values& values,
                    const Options&... options) {
  constexpr int rank = impl::rank_of<Out>;
  static_assert(rank >= 1, "quern::put_along_axis: out must have one axis at least, known when compiling");
  static_assert(impl::may_have_rank<Indices, rank, rank>, "quern::put_along_axis: indices must have the rank of out");
  static_assert(impl::converts<impl::value_of<Values>, impl::value_of<Out>>,
                "quern: the values do not convert to out's type, as complex numbers to real ones");
  if constexpr (rank >= 1 && impl::may_have_rank<Indices, rank, rank> && impl::are_indices<Indices>()) {
    const impl::call c("quern::put_along_axis", exec);
    const auto out = c.output(out_view);
    const int along = impl::axis_option(c.label, -1, rank, options...);
    shape full = out.extents;
    full.extent[along] = impl::operand_extents(c.label, indices).extent[along];
    const auto at = impl::broadcast_in_order<Exec, rank>(c.label, "the array of indices", indices, full);
    const auto from = impl::broadcast_in_order<Exec, rank>(c.label, "the array of values", values, full);
    const impl::index_settings settings(c, options...);
    impl::check_write(c, settings, out, indices, values);
    const impl::index_rule rule = settings.rule(out.extents.extent[along], true);
    settings.check(indices, rule, along);
    impl::check_indices(exec, c.label, values);
    settings.start_count();
    auto others = out.stride;
    others[along] = 0;
    if (full.size() == 0) return;
    impl::launch_write<true>(c, out, impl::addresses_in_order(full, others), at, full.size(), from, full.size(), rule,
                             out.stride[along]);
  }
}
template <view_like Out, impl::index_array Indices, impl::written_values Values, impl::index_option... Options>
void put_along_axis(const Out& out, const Indices& indices, const Values& values, const Options&... options) {
  put_along_axis(impl::space_of(out), out, indices, values, options...);
}
QUERN_TAKES_NAME_NOT(place, put_along_axis)

/// Writes values to the elements of `out` that have these row-major positions, whatever its layout (NumPy's `put`);
/// others keep theirs. Where positions are equal, one of their values is written, and it is not said which; of values
/// wider than 8 bytes parts of several may be.
///
/// @param out     a View, an input and an output
/// @param indices a View of any rank, or an array that is re-indexed, which is read in row-major order
/// @param values  a scalar, or an array as `indices`: fewer values begin again, of no value nothing is written
/// @param options `index_mode`, or an `info` View, for indices that are out of range, as this header says
///
/// One kernel.
/// @throws ElementError with the row-major position of the first index that is out of range; Error if out has no
/// elements and there are indices, or shares memory with an input
template <execution_space Exec, view_like Out, impl::index_array Indices, impl::written_values Values,
          impl::index_mode_option... Options>
void put(const Exec& exec, const Out& out_view, const Indices& indices, const Values& values,
         const Options&... options) {
  static_assert(impl::converts<impl::value_of<Values>, impl::value_of<Out>>,
                "quern: the values do not convert to out's type, as complex numbers to real ones");
  if constexpr (impl::are_indices<Indices>()) {
    const impl::call c("quern::put", exec);
    const auto out = c.output(out_view);
    const std::int64_t count = impl::operand_extents(c.label, indices).size();
    const impl::index_settings settings(c, options...);
    impl::check_write(c, settings, out, indices, values);
    const impl::index_rule rule = settings.rule(out.extents.size(), true);
    settings.check(indices, rule, 0);
    impl::check_indices(exec, c.label, values);
    settings.start_count();
    const auto run = [&](const auto& from, std::int64_t value_count) {
      if (count > 0 && value_count > 0)
        impl::launch_write<false>(c, out, impl::addresses_in_order(out.extents, out.stride),
                                  impl::source_in_order<Exec>(indices), count, from, value_count, rule, 0);
    };
    if constexpr (scalar_value<Values>) run(impl::constant_source<Values>{values}, count);
    else run(impl::source_in_order<Exec>(values), impl::operand_extents(c.label, values).size());
  }
}
template <view_like Out, impl::index_array Indices, impl::written_values Values, impl::index_mode_option... Options>
void put(const Out& out, const Indices& indices, const Values& values, const Options&... options) {
  put(impl::space_of(out), out, indices, values, options...);
}
QUERN_TAKES_NAME_NOT(place, put)

/// The indices along each axis of elements that have these row-major positions in an array of some extents (NumPy's
/// `unravel_index`): `unravel_index(exec, outputs(row, column), where, {4, 5})`.
///
/// @param out     an output of integers for each axis, of the extents to which `indices` broadcast
/// @param indices a View, or one that is re-indexed; none is negative
/// @param options `index_mode`, or an `info` View, for indices that are out of range, as this header says
///
/// @throws ElementError with the row-major position of the first index that is out of range; Error if there are not as
/// many outputs as extents, if the type of one does not hold the indices along its axis, or if extents do not fit or
/// memory overlaps
template <execution_space Exec, impl::index_outputs Out, impl::index_array Indices, impl::index_mode_option... Options>
void unravel_index(const Exec& exec, const Out& out, const Indices& indices, const shape& extents,
                   const Options&... options) {
  constexpr int rank = std::tuple_size_v<decltype(impl::as_outputs(out))>;
  if constexpr (impl::are_indices<Indices>()) {
    const impl::call c("quern::unravel_index", exec);
    impl::check_numbered(c.label, extents, rank);
    const impl::index_settings settings(c, options...);
    const auto to = impl::unpack([&](const auto&... o) { return std::tuple(c.output(o)...); }, impl::as_outputs(out));
    impl::unpack([&](const auto&... o) { (settings.check_apart("out", o), ...); }, to);
    settings.check_apart("indices", indices);
    int d = 0;
    const auto check_type = [&]<class O>(const O&) {
      impl::check_positions<impl::value_of<O>>(c.label, "output " + std::to_string(d), extents.extent[d]);
      ++d;
    };
    impl::unpack([&](const auto&... o) { (check_type(o), ...); }, impl::as_outputs(out));
    const impl::index_rule rule = settings.rule(extents.size(), false);
    settings.check(indices, rule, 0);
    settings.start_count(to, indices);
    impl::unraveled<rank> f{rule, {}};
    for (d = 0; d < rank; ++d) f.extent[d] = extents.extent[d];
    impl::map_checked(c.label, exec, out, f, indices);
  }
}
template <impl::index_outputs Out, impl::index_array Indices, impl::index_mode_option... Options>
void unravel_index(const Out& out, const Indices& indices, const shape& extents, const Options&... options) {
  unravel_index(impl::space_of(out), out, indices, extents, options...);
}
QUERN_TAKES_NAME_NOT(place, unravel_index)

/// The row-major positions of elements in an array of some extents (NumPy's `ravel_multi_index`):
/// `ravel_index(exec, out, components(row, column), {4, 5})`.
///
/// @param out     a View of integers
/// @param indices a View of the indices along each axis, which broadcast to `out`; none is negative
/// @param options `index_mode`, or an `info` View, for indices that are out of range, as this header says; it counts
///                those of all axes
///
/// @throws ElementError with the row-major position of the first index that is out of range, of the first axis that has
/// one; Error if there are not as many Views as extents, if out's type does not hold all positions, or if extents do
/// not fit or memory overlaps
template <execution_space Exec, view_like Out, input_like Indices, impl::index_mode_option... Options>
void ravel_index(const Exec& exec, const Out& out, const Indices& indices, const shape& extents,
                 const Options&... options) {
  const auto all = impl::as_outputs(indices);
  constexpr int rank = std::tuple_size_v<std::remove_const_t<decltype(all)>>;
  const impl::call c("quern::ravel_index", exec);
  impl::check_numbered(c.label, extents, rank);
  const impl::index_settings settings(c, options...);
  const auto to = c.output(out);
  settings.check_apart("out", to);
  impl::check_positions<impl::value_of<Out>>(c.label, "out", extents.size());
  impl::raveled<rank> f;
  for (int d = 0; d < rank; ++d) f.rule[d] = settings.rule(extents.extent[d], false);
  const auto run = [&](const auto&... v) {
    if constexpr ((impl::are_indices<std::remove_cvref_t<decltype(v)>>() && ...)) {
      int d = 0;
      (settings.check_apart("indices", v), ...);
      ((settings.check(v, f.rule[d], d), ++d), ...);
      settings.start_count(std::tuple(to), v...);
      impl::map_checked(c.label, exec, out, f, v...);
    }
  };
  impl::unpack(run, all);
}
template <view_like Out, input_like Indices, impl::index_mode_option... Options>
void ravel_index(const Out& out, const Indices& indices, const shape& extents, const Options&... options) {
  ravel_index(impl::space_of(out), out, indices, extents, options...);
}
QUERN_TAKES_NAME_NOT(place, ravel_index)

}  // namespace quern

#endif
