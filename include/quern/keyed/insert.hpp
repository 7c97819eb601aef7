// SPDX-FileCopyrightText: the Quern authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef QUERN_KEYED_INSERT_HPP
#define QUERN_KEYED_INSERT_HPP

/// @file
/// Values put among others: behind each other before one index, or each before an index of its own.

#include <quern/core/values/binary_search.hpp>
#include <quern/core/views/axes.hpp>
#include <quern/core/views/check_indices.hpp>
#include <quern/core/views/part_view.hpp>
#include <quern/keyed/sort.hpp>
#include <quern/map/restrided.hpp>

namespace quern {
namespace impl {

/// What `insert` takes as values.
template <class T>
concept inserted_values = array_like<T> || scalar_value<T>;

/// Indices before which values are put, of an axis of n elements: from -n to n.
template <class I>
struct insertion_map {
  row_of_indices<I> indices;
  std::int64_t n;

  KOKKOS_FUNCTION std::int64_t given(std::int64_t k) const { return index_number(indices.load(k)); }
  KOKKOS_FUNCTION bool valid(std::int64_t k) const { return given(k) >= -n && given(k) <= n; }
  KOKKOS_FUNCTION std::int64_t operator()(std::int64_t k) const { return given(k) < 0 ? given(k) + n : given(k); }
};
template <class I>
struct write_insertion_places {
  insertion_map<I> map;
  std::int64_t* places;
  KOKKOS_FUNCTION void operator()(std::int64_t k) const { places[k] = map(k); }
};

/// Where values stand on the longer axis, in ascending order: the r-th of them r places behind its own.
struct write_insertion_targets {
  const std::int64_t *places, *order;
  std::int64_t* targets;
  KOKKOS_FUNCTION void operator()(std::int64_t r) const { targets[r] = places[order[r]] + r; }
};
/// What stands at each index of the longer axis, `together` of them in a unit of work: after one search they are a
/// merge of elements and values.
template <bool Device>
struct write_insertion_sources {
  static constexpr std::int64_t together = Device ? 4 : 512;
  const std::int64_t *targets, *order;
  std::int64_t count, all;
  std::int64_t *elements, *values;  // -1 in one of them

  KOKKOS_FUNCTION void operator()(std::int64_t unit) const {
    const std::int64_t begin = unit * together, end = Kokkos::min(begin + together, all);
    std::int64_t r = partition_point(targets, 1, count, [&](std::int64_t t) { return t < begin; });
    for (std::int64_t i = begin; i < end; ++i) {
      const bool is_value = r < count && targets[r] == i;
      elements[i] = is_value ? -1 : i - r;
      values[i] = is_value ? order[r] : -1;
      r += is_value ? 1 : 0;
    }
  }
};

/// The element, or the value where there is none.
template <class T>
struct element_or_value {
  template <class E, class V>
  KOKKOS_FUNCTION T operator()(std::int64_t at, const E& element, const V& value) const {
    return at < 0 ? convert<T>(value) : convert<T>(element);
  }
};

/// Where elements and values of a longer axis come from, in scratch memory.
template <class Exec>
struct insertion_sources {
  std::int64_t n, count;
  std::int64_t *places = nullptr, *order = nullptr, *targets = nullptr, *elements = nullptr, *values = nullptr;
  scratch_arrays<Exec> memory;

  insertion_sources(const Exec& exec, std::int64_t elements_before, std::int64_t values_between)
      : n(elements_before),
        count(values_between),
        memory(exec, scratch_part{places, count}, scratch_part{order, count}, scratch_part{targets, count},
               scratch_part{elements, n + count}, scratch_part{values, n + count}) {}

  template <class I>
  void find(const Exec& exec, const std::string& label, const insertion_map<I>& map) const {
    launch_units(exec, label_text(label, "/places"), count, write_insertion_places<I>{map, places});
    argsort(exec, line(order, count), line(static_cast<const std::int64_t*>(places), count));
    launch_units(exec, label_text(label, "/targets"), count, write_insertion_targets{places, order, targets});
    using sources = write_insertion_sources<is_device<Exec>>;
    launch_units(exec, label_text(label, "/sources"), (n + count + sources::together - 1) / sources::together,
                 sources{targets, order, count, n + count, elements, values});
  }
  template <class T>
  static auto line(T* data, std::int64_t size) {
    return as_part<Exec, 1>(strided<T>{data, {size}, {1}});
  }
  /// Numbers along one axis, the same along the others.
  template <int Rank>
  static auto along(const std::int64_t* data, const shape& extents, int d) {
    strided<const std::int64_t> s{data, extents, {}};
    s.stride[d] = 1;
    return as_part<Exec, Rank>(s);
  }
};

template <class Exec, class T, class V>
void check_inserted(const call<Exec>& c, const strided<T>& out, const V& v, const shape& places) {
  const shape own = operand_extents(c.label, v);
  stride_array strides{};
  if (!broadcast_strides(own, stride_array{}, places, strides)) reject_broadcast(c.label, "values", own, places);
  check_overlap(c.label, out, c.elements(v), "values", false);
}
/// Values as an operand of as many places along an axis as there are.
template <int Rank, class V>
auto values_at_places(const std::string& label, const V& v, const shape& places) {
  return restride_each<Rank>(label, v,
                             [&](const index_layout& l) { return broadcast_layout(label, "values", l, places); });
}

/// Writes elements and values. Where there are none of either, the others alone.
template <int Rank, class Exec, class Out, class In, class I, class Values>
void write_inserted(const call<Exec>& c, const Out& out, const shape& extents, int along, const In& in,
                    const strided<const I>& indices, const Values& values, const shape& places) {
  const std::int64_t count = places.extent[along], n = extents.extent[along] - count;
  const insertion_map<I> map{{indices.data, indices.stride[0]}, n};
  search_indices(c.exec, c.label, map, count, n);
  const auto spread = [&] {
    if constexpr (scalar_value<Values>) return values;
    else return values_at_places<Rank>(c.label, values, places);
  }();
  if (n == 0) return map_checked(c.label, c.exec, out, op::identity(), spread);  // all indices are 0
  if (count == 0) return map_checked(c.label, c.exec, out, op::identity(), in);
  const insertion_sources<Exec> from(c.exec, n, count);
  from.find(c.exec, c.label, map);
  const auto at = [&](const std::int64_t* numbers) { return from.line(numbers, extents.extent[along]); };
  const auto elements = take(in, at(from.elements), axis{along}, index_mode::clip);
  const auto write = [&](const auto& value) {
    map_checked(c.label, c.exec, out, element_or_value<value_of<Out>>(),
                from.template along<Rank>(from.elements, extents, along), elements, value);
  };
  if constexpr (scalar_value<Values>) write(values);
  else write(take(spread, at(from.values), axis{along}, index_mode::clip));
}

}  // namespace impl

/// An array with values put before an index along an axis (NumPy's `insert`), the first one without the option `axis`:
/// `insert(exec, out, x, 2, row, axis{0})`.
///
/// @param out    a View, longer than `in` along the axis by as many places as are filled
/// @param in     an array of as many axes, which may be lazy or re-indexed
/// @param index  from 0 to the extent of `in`, behind all; negative ones count from the end
/// @param values a scalar, or an array that broadcasts to the places, which have the extents of `in` but along the
///               axis, as NumPy's with an index that is a list: one of rank 1 lies along the last axis
///
/// Asynchronous on `exec`: a kernel for the values and one for each part of `in`, without scratch memory, which may be
/// captured in a device graph. `remove_at` is the operand without some elements.
/// @throws Error if extents do not fit, the axis or the index is out of range, or memory overlaps; nothing is written
/// then
template <execution_space Exec, view_like Out, array_like In, impl::inserted_values Values, option<axis>... Options>
void insert(const Exec& exec, const Out& out_view, const In& in, std::int64_t index, const Values& values,
            const Options&... options) {
  constexpr int rank = impl::rank_of<Out>;
  static_assert(rank >= 1, "quern::insert: out must have one axis at least, known when compiling");
  static_assert(impl::may_have_rank<In, rank, rank>, "quern::insert: in must have the rank of out");
  if constexpr (rank >= 1 && impl::may_have_rank<In, rank, rank>) {
    const impl::call c("quern::insert", exec);
    const auto out = c.output(out_view);
    const int along = impl::axis_option(c.label, 0, rank, options...);
    const shape before = impl::operand_extents(c.label, in);
    shape expected = out.extents;
    expected.extent[along] = before.extent[along];
    impl::check_extents(c.label, "in", before, expected);
    const std::int64_t n = before.extent[along], places = out.extents.extent[along] - n;
    if (places < 0) impl::reject_extents(c.label, "out", out.extents, "at least those of in, " + before.str());
    const std::int64_t at = index == n ? n : impl::index_along_axis(c.label, index, before, along);
    impl::check_overlap(c.label, out, c.elements(in), "in", false);
    if constexpr (!scalar_value<Values>) impl::check_overlap(c.label, out, c.elements(values), "values", false);
    const auto part_of_out = [&](std::int64_t first, std::int64_t count) {
      return impl::as_part<Exec, rank>(impl::part_along(out, along, first, count));
    };
    const auto part_of_in = [&](std::int64_t first, std::int64_t count) {
      return impl::restrided_input<rank>(c, in, [&](impl::index_layout l) {
        l.first += first * l.stride[along];
        l.extents.extent[along] = count;
        return l;
      });
    };
    impl::map_checked(c.label, exec, part_of_out(at, places), impl::op::identity(), values);  // rejects them first
    impl::map_checked(c.label, exec, part_of_out(0, at), impl::op::identity(), part_of_in(0, at));
    impl::map_checked(c.label, exec, part_of_out(at + places, n - at), impl::op::identity(), part_of_in(at, n - at));
  }
}
template <view_like Out, array_like In, impl::inserted_values Values, option<axis>... Options>
void insert(const Out& out, const In& in, std::int64_t index, const Values& values, const Options&... options) {
  insert(impl::space_of(out), out, in, index, values, options...);
}
/// The same with an index for each value (NumPy's `insert` of a list): `insert(exec, out, x, indices, values,
/// axis{0})`. Value k, along the axis, stands before the element of index `indices(k)`; those of one index are in their
/// order.
///
/// @param indices a View of integers of rank 1, from 0 to the extent of `in` along the axis, behind all; negative ones
///                count from the end
/// @param values  a scalar, or an array that broadcasts to the extents of `in` with as many places along the axis as
///                there are indices
///
/// Waits for `exec`, which checks the indices before anything is written. They are sorted; each element of `out` is
/// then written once, by one kernel. Scratch memory takes 16 bytes for each index of `out` along the axis, and 24 for
/// each of `indices`, beside what `argsort` takes.
/// @throws Error as above; ElementError with the position of the first index that is out of range
template <execution_space Exec, view_like Out, array_like In, view_like Indices, impl::inserted_values Values,
          option<axis>... Options>
void insert(const Exec& exec, const Out& out_view, const In& in, const Indices& indices, const Values& values,
            const Options&... options) {
  constexpr int rank = impl::rank_of<Out>;
  constexpr bool ranks = rank >= 1 && impl::may_have_rank<In, rank, rank>;
  constexpr bool integers = impl::is_integer<impl::value_of<Indices>> && impl::may_have_rank<Indices, 1, 1>;
  static_assert(ranks, "quern::insert: out must have one axis at least, known when compiling, and in the rank of out");
  static_assert(integers, "quern::insert: indices must be a View of integers of rank 1");
  if constexpr (ranks && integers && impl::can_reindex<In, impl::reindexing::by_map>()) {
    const impl::call c("quern::insert", exec);
    const auto out = c.output(out_view);
    const auto at = c.input(indices);
    const int along = impl::axis_option(c.label, 0, rank, options...);
    const shape before = impl::operand_extents(c.label, in);
    const std::int64_t n = before.extent[along], count = at.extents.extent[0];
    shape places = before, expected = before;
    places.extent[along] = count;
    expected.extent[along] = n + count;
    impl::check_extents(c.label, "out", out.extents, expected);
    impl::check_overlap(c.label, out, c.elements(in), "in", false);
    impl::check_overlap(c.label, out, at, "indices", false);
    if constexpr (!scalar_value<Values>) impl::check_inserted(c, out, values, places);
    impl::write_inserted<rank>(c, out_view, out.extents, along, in, at, values, places);
  }
}
template <view_like Out, array_like In, view_like Indices, impl::inserted_values Values, option<axis>... Options>
void insert(const Out& out, const In& in, const Indices& indices, const Values& values, const Options&... options) {
  insert(impl::space_of(out), out, in, indices, values, options...);
}
QUERN_TAKES_NAME_NOT(place, insert)

}  // namespace quern

#endif
