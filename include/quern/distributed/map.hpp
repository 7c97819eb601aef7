// SPDX-FileCopyrightText: the Quern authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef QUERN_DISTRIBUTED_MAP_HPP
#define QUERN_DISTRIBUTED_MAP_HPP

#include <quern/core/whole_positions.hpp>
#include <quern/distributed/operands.hpp>
#include <quern/map/map.hpp>
#include <quern/transfer/copy.hpp>

namespace quern::distributed {
namespace impl {

/// A replicated array at the cells of a rank's block: along an axis where it has the whole array's extent, the block's
/// part of it; elsewhere it broadcasts.
template <class V>
auto replicated_part(const std::string& label, const std::string& name, const V& v, const Decomposition& d) {
  if constexpr (view_like<V>) {
    static_assert(Kokkos::is_view_v<V>, "quern::distributed::map: replicated inputs must be Kokkos::Views or scalars");
    constexpr int rank = static_cast<int>(V::rank());
    const auto s = describe(v.data(), v);
    stride_array broadcast{};
    if (rank > d.extents().rank || !broadcast_strides(s.extents, s.stride, d.extents(), broadcast))
      reject_broadcast(label, name, s.extents, d.extents());
    const block own = d.local();
    Kokkos::LayoutStride layout;
    std::int64_t offset = 0;
    for (int axis = 0; axis < rank; ++axis) {
      const int of_block = axis + d.extents().rank - rank;
      const bool repeated = s.extents.extent[axis] == 1;
      layout.dimension[axis] = repeated ? 1 : own.extents.extent[of_block];
      layout.stride[axis] = s.stride[axis];
      if (!repeated) offset += own.first.extent[of_block] * s.stride[axis];
    }
    return Kokkos::View<typename V::const_data_type, Kokkos::LayoutStride, typename V::device_type,
                        Kokkos::MemoryTraits<Kokkos::Unmanaged>>(v.data() + offset, layout);
  } else {
    return v;
  }
}
template <class F, class... In>
lazy_array<F, In...> lazy_of(const F& f, const In&... in) {
  return {f, {in...}};
}
template <int Rank, class F, class... In>
auto lazy_at_block(const std::string& label, std::size_t number, const lazy_array<F, In...>& v, const Decomposition& d,
                   const shape& first_around);

/// An input of map at the cells of a rank's block. What a lazy array reads is cut as other inputs are, and its
/// positions are those in the whole array. `first_around` is where the block begins in the array that the input is an
/// operand of, in whose extents positions without arrays beside them are counted.
template <int Rank, class V>
auto at_block(const std::string& label, std::size_t number, const V& v, const Decomposition& d,
              const shape& first_around) {
  if constexpr (distributed_like<V>) {
    check_same_blocks(label, input_name(number), d, v.decomposition());
    return v.local();
  } else if constexpr (is_lazy<V>) {
    return lazy_at_block<Rank>(label, number, v, d, first_around);
  } else {
    return replicated_part(label, input_name(number), v, d);
  }
}
template <int Rank, class F, class... In>
auto lazy_at_block(const std::string& label, std::size_t number, const lazy_array<F, In...>& v, const Decomposition& d,
                   const shape& first_around) {
  shape first = first_around;
  if constexpr (!has_no_extents<lazy_array<F, In...>>) {
    const shape whole = operand_extents(label, v);
    first = d.local().first;
    for (int axis = 0; axis < whole.rank; ++axis)  // along a repeated axis all positions are 0
      if (whole.extent[axis] == 1) first.extent[Rank - whole.rank + axis] = 0;
  }
  return unpack(
      [&](const auto&... in) {
        const auto f = count_in_whole<Rank, In...>(v.f, first);
        return lazy_of(f, at_block<Rank>(label, number, in, d, first)...);
      },
      v.in);
}

template <class Exec, class Out, class F, class... In, std::size_t... I>
void map_blocks(const Exec& exec, const Out& out, const F& f, std::index_sequence<I...>, const In&... in) {
  constexpr int rank = Out::rank;
  const std::string label = "quern::distributed::map";
  const Decomposition& d = out.decomposition();
  check_blocks(label, d);
  map_checked(label, exec, out.local(), count_in_whole<rank, In...>(f, d.local().first),
              at_block<rank>(label, I, in, d, d.local().first)...);
}

}  // namespace impl

/// `out(j, i) = f(x(j, i), y(j, i), ...)` as `quern::map`, each rank for the cells of its block.
///
/// @param out a DistributedView; its halo is not written
/// @param in  DistributedViews with the blocks of out; replicated arrays, Kokkos::Views that all ranks have whole and
///            that broadcast to the extents of out; scalars; `positions()`, which are counted in the whole array; and
///            lazy arrays of such Views, scalars and positions
///
/// No messages; asynchronous on `exec`.
/// @throws Error as `quern::map`, and if a distributed input has other blocks
template <execution_space Exec, distributed_like Out, class F, class... In>
void map(const Exec& exec, const Out& out, const F& f, const In&... in) {
  impl::map_blocks(exec, out, f, std::index_sequence_for<In...>(), in...);
}
template <distributed_like Out, class F, class... In>
void map(const Out& out, const F& f, const In&... in) {
  map(typename Out::execution_space(), out, f, in...);
}

}  // namespace quern::distributed

#endif
