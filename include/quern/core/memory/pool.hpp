// SPDX-FileCopyrightText: the Quern authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef QUERN_CORE_MEMORY_POOL_HPP
#define QUERN_CORE_MEMORY_POOL_HPP

#include <Kokkos_Core.hpp>
#include <cstddef>
#include <memory>
#include <quern/core/call/label.hpp>
#include <quern/core/views/concepts.hpp>
#include <quern/core/views/extents.hpp>

namespace quern {

/// What a pool has, in bytes, and what it has done.
struct pool_usage {
  std::size_t in_use = 0;        ///< of Views that exist
  std::size_t held = 0;          ///< in use, or kept for the next View
  std::size_t high_water = 0;    ///< the most that was ever held
  std::int64_t allocations = 0;  ///< times that the pool asked Kokkos for memory
  std::int64_t reuses = 0;       ///< times that it did not need to
};

/// Memory of one space that is kept for reuse when the last View of it is gone.
///
/// Kokkos allocates through the driver, and its deallocation waits for all devices. Views that `pool_view` makes do
/// neither once the pool is warm. Their memory belongs to the execution-space instance that they were made for, and the
/// next View of about that size on the same instance gets it: what is launched there comes after everything that was
/// launched before. What other instances do with a View is unknown to the pool unless `record` says it.
///
/// Quern's own scratch memory comes from these pools too. All functions may be called by several host threads.
///
/// @tparam Space a memory space of Kokkos: of the host, of the device, or `Kokkos::SharedHostPinnedSpace`
template <class Space>
  requires(Kokkos::is_memory_space_v<Space>)
class pool {
 public:
  static pool_usage usage();

  /// Bytes that the pool may hold; without end at first. A View that does not fit, not even when unused memory is given
  /// back, is refused with a MemoryError. What is held already is kept.
  static void set_limit(std::size_t bytes);
  static std::size_t limit();

  /// Gives memory that no View uses back to Kokkos, which waits for all devices. Returns its bytes.
  static std::size_t trim();
};

namespace impl {

/// An execution-space instance of any type.
struct instance_type {
  bool (*equal)(const void* a, const void* b);
  void (*fence)(const void*);
  std::shared_ptr<const void> (*copy)(const void*);
};
template <class Exec>
inline constexpr instance_type instance_type_of{
    [](const void* a, const void* b) { return *static_cast<const Exec*>(a) == *static_cast<const Exec*>(b); },
    [](const void* a) { static_cast<const Exec*>(a)->fence(kernel_label("quern::pool: a use that was recorded")); },
    [](const void* a) { return std::shared_ptr<const void>(std::make_shared<Exec>(*static_cast<const Exec*>(a))); }};

struct instance_ref {
  const instance_type* type;
  const void* instance;
  template <class Exec>
  explicit instance_ref(const Exec& exec) : type(&instance_type_of<Exec>), instance(&exec) {}
};

template <class Space>
using pool_block = Kokkos::View<std::byte*, Space>;
/// A block of at least that many bytes, aligned for any type, whose memory returns to the pool with its last View.
template <class Space>
pool_block<Space> take_block(instance_ref owner, std::size_t bytes);
template <class Space>
void record_use(const void* data, instance_ref user);

}  // namespace impl

/// A View whose memory comes from the pool of its memory space, for work on `exec`:
///
/// @code
/// using field = Kokkos::View<double**>;
/// const auto u = quern::pool_view<field>(exec, n, m);
/// @endcode
///
/// A warm call allocates nothing, waits for nothing and takes less than a microsecond. The elements are not
/// initialized; the View's label is that of the pool. A View of host memory may still be read or written by what was
/// launched on `exec` before: the host waits for `exec` before it touches it.
///
/// @tparam V      a managed Kokkos::View of LayoutLeft or LayoutRight
/// @param extents those that are not in V's type
/// @throws MemoryError where the pool's limit, or the memory, does not allow it; Error if an extent is negative
template <class V, execution_space Exec, class... N>
  requires(Kokkos::is_view_v<V>)
V pool_view(const Exec& exec, N... extents) {
  static_assert(sizeof...(N) == V::rank_dynamic(),
                "quern::pool_view: one extent for each of V that is not in its type");
  static_assert(!std::is_same_v<typename V::array_layout, Kokkos::LayoutStride>,
                "quern::pool_view: V must be LayoutLeft or LayoutRight");
  static_assert(!V::memory_traits::is_unmanaged, "quern::pool_view: V must be managed");
  using value = typename V::value_type;
  const std::int64_t given[] = {static_cast<std::int64_t>(extents)..., 0};
  shape all;
  all.rank = static_cast<int>(V::rank());
  for (int d = 0; d < all.rank; ++d)
    all.extent[d] = d < static_cast<int>(V::rank_dynamic()) ? given[d] : static_cast<std::int64_t>(V::static_extent(d));
  const std::size_t bytes = impl::bytes_of_array("quern::pool_view", all, sizeof(value));
  const Kokkos::View<typename V::data_type, typename V::array_layout, typename V::memory_space,
                     Kokkos::MemoryTraits<Kokkos::Unmanaged>>
  form(nullptr, extents...);
  const auto block = impl::take_block<typename V::memory_space>(impl::instance_ref(exec), bytes);
  // The View shares the block's reference count, as a subview would.
  return V(typename V::data_handle_type(block.data_handle().tracker(), reinterpret_cast<value*>(block.data())),
           form.layout());
}

/// Tells the pool that `exec` uses memory of a View that was made for another instance: before that memory is used
/// again, the host waits for `exec`. Views that are not of a pool are ignored.
template <class V, execution_space Exec>
  requires(Kokkos::is_view_v<V>)
void record_use(const V& view, const Exec& exec) {
  impl::record_use<typename V::memory_space>(view.data(), impl::instance_ref(exec));
}

}  // namespace quern

#endif
