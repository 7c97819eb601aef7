// SPDX-FileCopyrightText: the Quern authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef QUERN_DISTRIBUTED_HALO_SUMS_HPP
#define QUERN_DISTRIBUTED_HALO_SUMS_HPP

#include <algorithm>
#include <quern/core/call/label.hpp>
#include <quern/core/launch/launch_units.hpp>
#include <quern/core/memory/pool.hpp>
#include <quern/distributed/box_exchange.hpp>
#include <quern/distributed/decomposition.hpp>
#include <quern/stencil/halo.hpp>
#include <quern/stencil/halo_passes.hpp>
#include <quern/transfer/staging.hpp>
#include <span>
#include <tuple>
#include <vector>

/// @file
/// Ghosts that ranks have sent back to their owners, and are added to them. A cell may have ghosts on several ranks,
/// whose boxes overlap, so that boxes cannot be added side by side: cells are cut into boxes that get ghosts of the
/// same messages, and for each cell one thread adds these in the order of the ranks.

namespace quern::impl {

/// A box of a field's cells that goes between this rank and another, its first cell counted from the block's.
struct peer_cells {
  int peer;
  int field;
  Decomposition::Block cells;
};

/// A box of cells to which the ghosts of some boxes are added. Axes are those of the memory, the fastest first.
struct summed_cells {
  std::int64_t first_item;
  std::byte* to;
  int field;  // of those of its kernel
  int first_box, boxes;
  std::int64_t extent[max_rank], stride[max_rank];  // in elements
};
/// A box of ghosts in a message, from the first of those cells on.
struct summed_box {
  const std::byte* from;
  std::int64_t stride[max_rank];
};
struct summed_table {
  std::vector<summed_cells> cells;
  std::vector<summed_box> boxes;
  std::vector<boxes_of_kernel> kernels;  // their boxes of cells
};
/// What is added where.
/// @param fields   with all their ghosts, `stored` of them before the first cell of each axis
/// @param boxes    those whose ghosts are added, in that order
/// @param packed   where they are, each in row-major order
/// @param row_item a work item is a row along the fastest axis, and not a cell
summed_table make_summed_table(std::span<const peer_box> fields, const stride_array& stored,
                               std::span<const peer_cells> boxes, std::span<const std::byte* const> packed,
                               bool row_item);

/// Adds ghosts to the cells of a kernel's fields, whose values are T..., or all T where that is one.
template <int Rank, bool RowItem, class... T>
struct add_packed_ghosts {
  const summed_cells* cells;
  const summed_box* box;
  int count;
  field_shifts shifts;

  KOKKOS_FUNCTION void operator()(std::int64_t item) const {
    const summed_cells& c = cells[box_of_item(cells, count, item)];
    add_to_field<0>(c, item - c.first_item);
  }

 private:
  template <std::size_t I>
  KOKKOS_FUNCTION void add_to_field(const summed_cells& c, std::int64_t item) const {
    if constexpr (I + 1 < sizeof...(T)) {
      if (c.field != static_cast<int>(I)) return add_to_field<I + 1>(c, item);
    }
    add<std::tuple_element_t<I, std::tuple<T...>>>(c, item);
  }
  template <class V>
  KOKKOS_FUNCTION void add(const summed_cells& c, std::int64_t item) const {
    static_assert(has_sum<V>, "quern::HaloExchange: the values of a field have no sum");
    if constexpr (has_sum<V>) {
      Kokkos::Array<std::int64_t, Rank> at{};
      auto* to = reinterpret_cast<V*>(c.to + shifts.bytes[c.field]);
      for (int d = RowItem ? 1 : 0; d < Rank; ++d) {
        const std::int64_t rest = item / c.extent[d];
        at[d] = item - rest * c.extent[d];
        to += at[d] * c.stride[d];
        item = rest;
      }
      for (int b = c.first_box; b < c.first_box + c.boxes; ++b) {
        const auto* from = reinterpret_cast<const V*>(box[b].from);
        for (int d = RowItem ? 1 : 0; d < Rank; ++d) from += at[d] * box[b].stride[d];
        add_row(to, c.stride[0], from, box[b].stride[0], RowItem ? c.extent[0] : 1);
      }
    }
  }
  template <class V>
  KOKKOS_FUNCTION static void add_row(V* to, std::int64_t to_stride, const V* from, std::int64_t from_stride,
                                      std::int64_t n) {
    if (n > 1 && to_stride == 1 && from_stride == 1) {
      for (std::int64_t k = 0; k < n; ++k) to[k] = static_cast<V>(to[k] + from[k]);
    } else {
      for (std::int64_t k = 0; k < n; ++k)
        to[k * to_stride] = static_cast<V>(to[k * to_stride] + from[k * from_stride]);
    }
  }
};

/// What is added where, in memory that kernels reach.
template <class Exec>
class ghost_sums {
 public:
  ghost_sums(const Exec& exec, const summed_table& table)
      : cells_(copied(exec, table.cells)), boxes_(copied(exec, table.boxes)), kernels_(table.kernels) {}

  static constexpr bool row_item = !is_device<Exec>;
  template <int Rank, class... T>
  void launch(const Exec& exec, const std::string& label, std::span<const std::int64_t> shifts) const {
    const auto* cells = reinterpret_cast<const summed_cells*>(cells_.data());
    const auto* boxes = reinterpret_cast<const summed_box*>(boxes_.data());
    for (const boxes_of_kernel& k : kernels_)
      launch_units(exec, label, k.items,
                   add_packed_ghosts<Rank, row_item, T...>{cells + k.first_box, boxes, k.boxes,
                                                           field_shifts(shifts, k.first_field)});
  }

 private:
  using memory_space = typename Exec::memory_space;
  template <class T>
  static pool_block<memory_space> copied(const Exec& exec, const std::vector<T>& values) {
    const auto bytes = static_cast<std::int64_t>(values.size() * sizeof(T));
    auto block = take_block<memory_space>(instance_ref(exec), std::max<std::int64_t>(bytes, 1));
    // From pageable memory, which has been read when the call returns.
    if (bytes > 0) copy_to_device(exec, block.data(), values.data(), bytes);
    return block;
  }
  pool_block<memory_space> cells_, boxes_;
  std::vector<boxes_of_kernel> kernels_;
};

}  // namespace quern::impl

#endif
