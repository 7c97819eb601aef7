// SPDX-FileCopyrightText: the Quern authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef QUERN_DISTRIBUTED_OPERANDS_HPP
#define QUERN_DISTRIBUTED_OPERANDS_HPP

/// @file
/// What operations on distributed arrays share.

#include <quern/core/call/places.hpp>
#include <quern/core/views/part_view.hpp>
#include <quern/core/views/whole_positions.hpp>
#include <quern/distributed/rows.hpp>
#include <quern/distributed/same_calls.hpp>
#include <quern/transfer/copy.hpp>

namespace quern::impl {

void check_same_blocks(const std::string& label, std::string_view name, const Decomposition& d,
                       const Decomposition& other);

/// The block of an array over ranks, and other arrays as they are.
template <class V>
const auto& local_of(const V& v) {
  if constexpr (array_of_blocks<V>) return v.local();
  else return v;
}

/// The part of a replicated array at the cells of a rank's block: along an axis where it has the whole array's extent,
/// that of the block; elsewhere it broadcasts.
template <class A>
A part_of_block(const std::string& label, std::string_view name, A a, const shape& extents, const Decomposition& d) {
  stride_array broadcast{};
  if (!broadcast_strides(extents, a.stride, d.extents(), broadcast))
    reject_broadcast(label, name, extents, d.extents());
  const Decomposition::Block own = d.local();
  for (int axis = 0; axis < extents.rank; ++axis) {
    const int of_block = axis + d.extents().rank - extents.rank;
    if (extents.extent[axis] != 1) a = part_along(a, axis, own.first.extent[of_block], own.extents.extent[of_block]);
  }
  return a;
}
/// A replicated array at the cells of a rank's block; what is no array as it is.
template <class V>
auto replicated_part(const std::string& label, std::string_view name, const V& v, const Decomposition& d) {
  if constexpr (stored_array<V>) {
    using view = std::remove_cvref_t<decltype(view_of(v))>;
    using value = const value_of<view>;
    static_assert(Kokkos::is_view_v<view> || is_strided_array<view>,
                  "quern: beside DistributedViews, inputs must be Kokkos::Views or scalars, which are whole and equal "
                  "on all ranks");
    const strided<value> s =
        part_of_block(label, name, describe<value>(view_of(v).data(), view_of(v)), view_extents(v), d);
    return like_rows(v, as_part<typename view::device_type, static_cast<int>(view::rank())>(s));
  } else if constexpr (is_mapped<V>) {
    return part_of_block(label, name, v, v.extents, d);
  } else {
    return v;
  }
}
/// What an array, a scalar or the positions are at the cells of a rank's block.
template <class V>
auto leaf_at_block(const std::string& label, std::size_t number, const V& leaf, const Decomposition& d) {
  if constexpr (array_of_blocks<V>) {
    check_same_blocks(label, input_name(number), d, leaf.decomposition());
    return leaf.local();
  } else {
    return replicated_part(label, input_name(number), leaf, d);
  }
}
/// An input of a call at the cells of a rank's block.
template <int Rank, class V>
auto operand_at_block(const std::string& label, std::size_t number, const V& v, const Decomposition& d) {
  const shape& first = d.local().first;
  return at_part<Rank>(label, v, first, first, [&](const auto& leaf) { return leaf_at_block(label, number, leaf, d); });
}
/// Its last elements along an axis.
template <class Exec, int Rank, class V>
auto operand_at_end(const std::string& label, const V& v, const Decomposition& d, int axis) {
  shape origin = d.local().first;
  origin.extent[axis] += d.local().extents.extent[axis] - 1;
  return at_part<Rank>(label, v, origin, origin, [&](const auto& leaf) {
    const auto part = leaf_at_block(label, 0, leaf, d);
    static_assert(!is_rows<std::remove_cvref_t<decltype(part)>>, "quern: quern::rows is no input of scans over ranks");
    if constexpr (view_like<decltype(part)>) {
      constexpr int rank = known_rank<std::remove_cvref_t<decltype(part)>>();
      return as_part<Exec, rank>(last_of(describe(part.data(), part), axis - (Rank - rank), false));
    } else if constexpr (is_mapped<std::remove_cvref_t<decltype(part)>>) {
      return last_of(part, axis - (Rank - part.extents.rank), false);
    } else {
      return part;
    }
  });
}

/// The first array over ranks among inputs, which may be lazy; the others are cut as it is.
template <class First, class... Rest>
const auto& leading_field(const First& first, const Rest&... rest) {
  [[maybe_unused]] const auto among = [](const auto&... in) -> const auto& { return leading_field(in...); };
  if constexpr (array_of_blocks<First>) return first;
  else if constexpr (is_outputs<First> && is_at<over_ranks_place, First>) return std::apply(among, first);
  else if constexpr (is_at<over_ranks_place, First>) return std::apply(among, first.in);
  else return leading_field(rest...);
}

template <class Exec, class V>
std::string text_of_operand(const compared_values<Exec, V>& values) {
  return text_of_operand(values.of);
}
template <class Exec, class V>
std::string text_of_values(const compared_values<Exec, V>& values) {
  std::string text;
  if constexpr (known_rank<V>() == 1) {
    const Kokkos::View<value_of<V>*, Kokkos::HostSpace> found("quern::compared values", view_extents(values.of).size());
    quern::copy(values.exec, found, values.of);
    values.exec.fence(kernel_label("quern::distributed: compared values"));
    for (std::size_t i = 0; i < found.extent(0); ++i) text += text_of_scalar(found(i));
  }
  return text;
}

/// The comparison of calls by the engines of operations that look at values of their arguments.
struct compared_calls {
  template <class More, class... V>
  static void compare(const std::string& label, const More& more, const V&... operands) {
    check_same_arrays(leading_field(operands...).communicator(), label, more, operands...);
  }
};

}  // namespace quern::impl

#endif
