// SPDX-FileCopyrightText: the Quern authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef QUERN_DISTRIBUTED_DISTRIBUTED_VIEW_HPP
#define QUERN_DISTRIBUTED_DISTRIBUTED_VIEW_HPP

#include <quern/core/views/operands.hpp>
#include <quern/distributed/decomposition.hpp>
#include <quern/transfer/as_view.hpp>
#include <string>

namespace quern {

/// An array of which each rank has a block, and around the block a halo of the cells that its neighbours own.
///
/// | view | extents | index (0, 0) |
/// | --- | --- | --- |
/// | `u.local()` | the block | the block's first cell, `u.decomposition().local().first` of the whole array |
/// | `u.local_with_halo()` | the block and the halo, at both ends of every axis | the first cell of the halo |
///
/// Both are Kokkos Views of the rank's own memory, for kernels and for every operation of Quern. The halo is there at
/// the ends of the whole array, too. It holds what was last written to it: `HaloExchange` brings the neighbours'
/// cells.
///
/// Copies share the memory, as copies of a View do.
///
/// @tparam T          the type of the elements
/// @tparam Rank       the rank, 1 to 8
/// @tparam Properties those of the View: its layout and its memory space or execution space
template <class T, int Rank, class... Properties>
class DistributedView {
 public:
  using place = impl::over_ranks_place;
  using view_type = Kokkos::View<typename impl::with_pointers<T, Rank>::type, Properties...>;
  using local_type =
      Kokkos::View<typename impl::with_pointers<T, Rank>::type, Kokkos::LayoutStride, typename view_type::device_type>;
  using value_type = typename view_type::value_type;
  using execution_space = typename view_type::execution_space;
  using memory_space = typename view_type::memory_space;
  static constexpr int rank = Rank;

  DistributedView() = default;
  /// Allocates, and sets all elements to zero as Kokkos does.
  /// @throws Error if the decomposition is of another rank; MemoryError if no memory holds the block
  DistributedView(const std::string& label, const Decomposition& decomposition)
      : DistributedView(make(label, decomposition), decomposition) {}
  /// Takes a View of the block with its halo: one of a pool, or of memory that something else owns.
  /// @throws Error if its extents are others
  DistributedView(const view_type& with_halo, const Decomposition& decomposition)
      : decomposition_(std::make_shared<const Decomposition>(decomposition)), with_halo_(with_halo) {
    const shape expected = extents_with_halo(decomposition), found = impl::view_extents(with_halo);
    impl::check_extents("quern::DistributedView", "the View with its halo", found, expected);
    typename local_type::array_layout layout;
    std::int64_t offset = 0;
    for (int d = 0; d < Rank; ++d) {
      layout.dimension[d] = decomposition.local().extents.extent[d];
      layout.stride[d] = with_halo.stride(d);
      offset += decomposition.halo(d) * static_cast<std::int64_t>(with_halo.stride(d));
    }
    local_ = local_type(
        typename local_type::data_handle_type(with_halo.data_handle().tracker(), with_halo.data() + offset), layout);
  }

  const Decomposition& decomposition() const { return *decomposition_; }
  const Communicator& communicator() const { return decomposition_->communicator(); }
  /// The extents of the whole array.
  const shape& extents() const { return decomposition_->extents(); }
  const local_type& local() const { return local_; }
  const view_type& local_with_halo() const { return with_halo_; }

 private:
  static shape extents_with_halo(const Decomposition& d) {
    if (d.extents().rank != Rank)
      throw Error("quern::DistributedView",
                  "a decomposition of extents " + d.extents().str() + " for rank " + std::to_string(Rank));
    shape s = d.local().extents;
    for (int axis = 0; axis < Rank; ++axis) s.extent[axis] += 2 * d.halo(axis);
    return s;
  }
  static view_type make(const std::string& label, const Decomposition& d) {
    const shape extents = extents_with_halo(d);
    impl::bytes_of_array("quern::DistributedView", extents, sizeof(value_type));
    typename view_type::array_layout layout;
    for (int axis = 0; axis < Rank; ++axis) layout.dimension[axis] = extents.extent[axis];
    return view_type(label, layout);
  }

  std::shared_ptr<const Decomposition> decomposition_;
  view_type with_halo_;
  local_type local_;
};

namespace impl {
template <class T>
inline constexpr bool is_distributed = false;
template <class T, int Rank, class... Properties>
inline constexpr bool is_distributed<DistributedView<T, Rank, Properties...>> = true;
}  // namespace impl

/// A `DistributedView` of any type.
template <class T>
concept distributed_like = impl::is_distributed<std::remove_cvref_t<T>>;

}  // namespace quern

#endif
