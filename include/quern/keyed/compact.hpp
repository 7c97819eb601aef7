// SPDX-FileCopyrightText: the Quern authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef QUERN_KEYED_COMPACT_HPP
#define QUERN_KEYED_COMPACT_HPP

/// @file
/// The elements of an array that a mask or a predicate selects, or its rows, and the positions of those that are not
/// zero.
///
/// Results whose number depends on the data go to Views of the caller's that are large enough. How many there are is
/// returned by the calls that wait for `exec`, or written to a View of rank 0 by those that do not:
///
/// | call | |
/// | --- | --- |
/// | `n = compact(exec, out, x, mask)` | waits |
/// | `compact(exec, out, x, mask, size_to{n})` | asynchronous; n is a View of rank 0 of `std::int64_t` |
///
/// Results that do not fit are not written: the count tells, and the calls that wait throw a `CapacityError`. Scratch
/// memory is a few numbers for each 4096 elements or more, and one for each row of the output. Without exec, calls run
/// on a default instance of out's execution space.

#include <concepts>
#include <quern/core/call/mask.hpp>
#include <quern/core/launch/ivdep.hpp>
#include <quern/core/launch/loop_nest.hpp>
#include <quern/keyed/compact_along.hpp>
#include <quern/keyed/compaction.hpp>
#include <quern/keyed/counted.hpp>
#include <quern/map/map.hpp>

namespace quern {
namespace impl {

template <class T>
concept compact_option = is_option<axis, T> || size_option<T>;

/// Puts the number of what is kept.
template <class T>
struct put_number {
  result_row<T> out;
  KOKKOS_FUNCTION void operator()(std::int64_t i, std::int64_t k) const { out.set(k, i); }
};

/// The offsets of x and of the mask, in row-major order. Contiguous: they are the positions of elements.
template <bool Contiguous>
struct pair_offsets {
  row_nest<2> nest;
  template <int Which>
  KOKKOS_FUNCTION std::int64_t at(std::int64_t i) const {
    if constexpr (Contiguous) return i;
    std::int64_t j;
    return nest.at_item(i, nest.inner, 1, j).of[Which];
  }
};
/// Whether an element of x, or of a mask, meets a condition.
template <class Source, class Condition, int Which, class Offsets>
struct element_meets {
  Condition condition;
  Source data;
  Offsets offsets;
  KOKKOS_FUNCTION bool operator()(std::int64_t i) const { return condition(data[offsets.template at<Which>(i)]); }
  /// f(i, whether it does) for a run of them on a host, as a loop for vector instructions where that is possible.
  template <class F>
  void for_run(std::int64_t first, std::int64_t last, const F& f) const {
    if (offsets.nest.outer == 1 && offsets.nest.stride[Which][0] == 1) {
      for (std::int64_t i = first; i < last; ++i) f(i, condition(data[i]));
    } else {
      for (std::int64_t i = first; i < last; ++i) f(i, (*this)(i));
    }
  }
};

template <class Source, class Out, class Offsets>
struct put_element {
  Source x;
  Offsets offsets;
  result_row<Out> out;
  KOKKOS_FUNCTION auto get(std::int64_t i) const { return x[offsets.template at<0>(i)]; }
  template <class T>
  KOKKOS_FUNCTION void set(std::int64_t k, const T& value) const {
    out.set(k, value);
  }
};

/// Positions as row-major numbers, or as rows of one number for each axis.
template <class Out>
struct put_position {
  Out* out;
  std::int64_t stride, room;
  int rank;  // 0 for row-major numbers
  std::int64_t across;
  std::int64_t extent[max_rank];
  KOKKOS_FUNCTION void operator()(std::int64_t i, std::int64_t k) const {
    if (k >= room) return;
    if (rank == 0) {
      out[k * stride] = static_cast<Out>(i);
      return;
    }
    for (int d = rank - 1; d >= 0; --d) {
      out[k * stride + d * across] = static_cast<Out>(i % extent[d]);
      i /= extent[d];
    }
  }
  /// Puts first + selected[j] as numbers k + j, on a host: as a loop for vector instructions where that is possible.
  void put_run(std::int64_t first, const std::uint8_t* selected, std::int64_t count, std::int64_t k) const {
    if (rank == 0 && stride == 1) {
      Out* const to = out + k;
      independent_loop(0, Kokkos::min(count, room - k),
                       [&](std::int64_t j) { to[j] = static_cast<Out>(first + selected[j]); });
    } else {
      for (std::int64_t j = 0; j < count; ++j) (*this)(first + selected[j], k + j);
    }
  }
};

/// Keeps the elements of x for which a condition holds of the same element of `mask`, operand number `Which`, by what
/// `put_by` makes of the offsets. Which offsets these are is decided once, since to find that costs more than to use
/// them.
template <int Which, class Exec, class X, class Mask, class Condition, class PutBy>
void keep_where(const call<Exec>& c, const X& x, const Mask& mask, const Condition& condition, const PutBy& put_by,
                std::int64_t* number) {
  const row_nest<2> nest(row_major_nest(x.extents, x.stride, mask.stride));
  const auto keep_by = [&]<class Offsets>(const Offsets& at) {
    using keep = element_meets<std::remove_const_t<decltype(mask.data)>, Condition, Which, Offsets>;
    for_selected(c.label, c.exec, x.extents.size(), keep{condition, mask.data, at}, put_by(at), number);
  };
  if (nest.outer == 1 && nest.stride[0][0] == 1 && nest.stride[1][0] == 1) keep_by(pair_offsets<true>{nest});
  else keep_by(pair_offsets<false>{nest});
}

template <class Exec, class Out, class X, class Mask>
void compact_into(const call<Exec>& c, const Out& out_view, const X& x_view, const Mask& mask_view,
                  std::int64_t* number) {
  const auto elements = c.elements(x_view);
  const auto out = make_result<Exec>(c.label, "out", out_view, elements);
  check_number_apart(c.label, number, elements, "x");
  const auto put_from = [&]<class Source>(const Source& x) {
    return [&]<class Offsets>(const Offsets& at) { return put_element<Source, memory_type<Out>, Offsets>{x, at, out}; };
  };
  if constexpr (array_like<Mask>) {
    const shape extents = operand_extents(c.label, x_view);
    check_mask(c.label, mask_view, extents);
    const auto mask_elements = broadcast_elements(c.label, c.elements(mask_view), extents);
    make_result<Exec>(c.label, "out", out_view, mask_elements);
    check_number_apart(c.label, number, mask_elements, "the mask");
    with_sources(
        [&](const auto& x, const auto& mask) { keep_where<1>(c, x, mask, op::not_zero(), put_from(x.data), number); },
        elements, mask_elements);
  } else {
    static_assert(std::predicate<const Mask&, const value_of<X>&>,
                  "quern::compact: mask must be an array or a predicate of x's elements");
    with_sources([&](const auto& x) { keep_where<0>(c, x, x, mask_view, put_from(x.data), number); }, elements);
  }
}

/// The slices along an axis for which the mask is not zero.
template <class Exec, class Out, class X, class Mask>
void compact_along(const call<Exec>& c, int along, const Out& out_view, const X& x_view, const Mask& mask_view,
                   std::int64_t* number) {
  const shape extents = operand_extents(c.label, x_view);
  const auto out = c.output(out_view);
  shape expected = extents;
  expected.extent[along] = out.extents.rank > along ? out.extents.extent[along] : 0;
  check_extents(c.label, "out", out.extents, expected, ", of any number of slices along the axis");
  check_extents(c.label, "the mask", operand_extents(c.label, mask_view), shape{extents.extent[along]});
  const auto elements = c.elements(x_view);
  const auto mask_elements = c.elements(mask_view);
  check_overlap(c.label, out, elements, "x", false);
  check_overlap(c.label, out, mask_elements, "the mask", false);
  check_number_apart(c.label, number, elements, "x");
  check_number_apart(c.label, number, mask_elements, "the mask");
  const std::int64_t most = std::min(extents.extent[along], out.extents.extent[along]);
  const scratch_array<Exec, std::int64_t> positions(c.exec, most);
  const put_position<std::int64_t> put{positions.data(), 1, most, 0, 0, {}};
  with_sources(
      [&](const auto& mask) { keep_where<0>(c, mask, mask, op::not_zero(), [&](const auto&) { return put; }, number); },
      mask_elements);
  with_sources(
      [&](const auto& x) {
        take_slices(c.exec, label_text(c.label, "/rows"), out, x, along, most, positions.data(), number);
      },
      elements);
}

template <class Exec, class Out, class X>
void nonzero_into(const call<Exec>& c, const Out& out_view, const X& x_view, std::int64_t* number) {
  const auto elements = c.elements(x_view);
  const shape extents = operand_extents(c.label, x_view);
  const auto out = c.output(out_view);
  const bool rows = out.extents.rank == 2 && out.extents.extent[1] == extents.rank;
  if (out.extents.rank != 1 && !rows)
    reject_extents(c.label, "out", out.extents, "rank 1 or (n, " + std::to_string(extents.rank) + ")");
  const std::int64_t largest = rows ? *std::max_element(extents.extent.begin(), extents.extent.end()) : extents.size();
  check_positions<value_of<Out>>(c.label, "out", largest);
  check_overlap(c.label, out, elements, "x", false);
  check_number_apart(c.label, number, elements, "x");
  put_position<value_of<Out>> put{
      out.data, out.stride[0], out.extents.extent[0], rows ? extents.rank : 0, out.stride[1], {}};
  std::copy_n(extents.extent.begin(), max_rank, put.extent);
  with_sources([&](const auto& x) { keep_where<0>(c, x, x, op::not_zero(), [&](const auto&) { return put; }, number); },
               elements);
}

}  // namespace impl

/// The elements of x where a mask is not zero, in row-major order: `x[mask]`, `numpy.compress`.
///
/// `n = compact([exec,] out, x, mask)` or `compact([exec,] out, x, mask, size_to{n})`:
/// - out: of rank 1; must not share memory with x or the mask
/// - x: of any rank
/// - mask: an array that broadcasts to x's extents, or a predicate of an element of x
///
/// With the option `axis{d}` whole slices are kept, of (n, k) along `axis{0}` rows: `numpy.compress(mask, x, axis=d)`.
/// The mask then has rank 1 and an element for each, and `out` the extents of x but along that axis.
///
/// @throws Error if extents do not fit, or the axis is out of range; CapacityError if the call waits and `out` has no
///         room for the result
template <execution_space Exec, stored_array Out, array_like X, class Mask, impl::compact_option... Options>
auto compact(const Exec& exec, const Out& out, const X& x, const Mask& mask, const Options&... options) {
  using namespace impl;
  call c("quern::compact", exec);
  const auto run = [&](const auto&... size) {
    if constexpr (has_option<axis, Options...>) {
      static_assert(
          array_like<Mask> && view_like<Out>,
          "quern::compact: along an axis, out is a View, and the mask an array with an element for each slice");
      if constexpr (array_like<Mask> && view_like<Out>) {
        const int along = axis_option(c.label, 0, operand_extents(c.label, x).rank, options...);
        return run_counted_along(
            c, along, std::tie(out), [&](std::int64_t* number) { compact_along(c, along, out, x, mask, number); },
            size...);
      }
    } else {
      return run_counted(
          c, std::tie(out), [&](std::int64_t* number) { compact_into(c, out, x, mask, number); }, size...);
    }
  };
  return unpack(run, size_among(options...));
}
template <stored_array Out, array_like X, class Mask, impl::compact_option... Options>
auto compact(const Out& out, const X& x, const Mask& mask, const Options&... options) {
  return compact(impl::space_of(out), out, x, mask, options...);
}
QUERN_TAKES_NAME_NOT(place, compact)

/// The positions of the elements of x that are not zero, in row-major order: `numpy.flatnonzero`, or `numpy.argwhere`
/// where `out` has rank 2. NaN is not zero.
///
/// `n = nonzero([exec,] out, x)` or `nonzero([exec,] out, x, size_to{n})`:
/// - out: of an integer type; of rank 1 for row-major numbers, or (n, rank of x) for positions along the axes
///
/// @throws Error if extents do not fit or out's type does not hold the positions; CapacityError as above
template <execution_space Exec, view_like Out, array_like X, size_option... Size>
auto nonzero(const Exec& exec, const Out& out, const X& x, const Size&... size) {
  impl::call c("quern::nonzero", exec);
  return impl::run_counted(
      c, std::tie(out), [&](std::int64_t* number) { impl::nonzero_into(c, out, x, number); }, size...);
}
template <view_like Out, array_like X, size_option... Size>
auto nonzero(const Out& out, const X& x, const Size&... size) {
  return nonzero(impl::space_of(out), out, x, size...);
}
QUERN_TAKES_NAME_NOT(place, nonzero)

}  // namespace quern

#endif
