// SPDX-FileCopyrightText: the Quern authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef QUERN_CORE_VIEWS_STRIDED_ARRAY_HPP
#define QUERN_CORE_VIEWS_STRIDED_ARRAY_HPP

#include <quern/core/views/extents.hpp>
#include <quern/core/views/lazy.hpp>
#include <type_traits>

namespace quern {

/// The elements of a View in another order: a pointer, extents and signed strides, made by `flip`, `slice`,
/// `permute_dims` and the like. It stands wherever a View does, as an input and as an output. It keeps the View, and so
/// its memory, alive.
///
/// @tparam V    the View, DynRankView or mdspan whose memory it is
/// @tparam Rank its own rank, or -1 where that is not known when compiling
template <class V, int Rank>
class strided_array {
  template <class Of>
  static auto space_of_memory() {
    if constexpr (requires { typename Of::memory_space; }) return std::type_identity<typename Of::memory_space>();
    else return std::type_identity<Kokkos::HostSpace>();
  }

 public:
  using value_type = std::remove_reference_t<decltype(*impl::describe(std::declval<const V&>()).data)>;
  using non_const_value_type = std::remove_const_t<value_type>;
  using memory_space = typename decltype(space_of_memory<V>())::type;
  using execution_space = typename impl::view_traits<V>::execution_space;
  using device_type = Kokkos::Device<execution_space, memory_space>;

  strided_array(const V& owner, value_type* data, const shape& extents, const impl::stride_array& stride)
      : owner_(owner), data_(data), extents_(extents), stride_(stride) {}

  static constexpr std::size_t rank()
    requires(Rank >= 0)
  {
    return static_cast<std::size_t>(Rank);
  }
  std::size_t rank() const
    requires(Rank < 0)
  {
    return static_cast<std::size_t>(extents_.rank);
  }
  /// The element whose indices are all 0.
  value_type* data() const { return data_; }
  std::size_t extent(std::size_t d) const { return static_cast<std::size_t>(extents_.extent[d]); }
  /// In elements; negative where the axis runs backwards.
  std::int64_t stride(std::size_t d) const { return stride_[d]; }
  std::size_t size() const { return static_cast<std::size_t>(extents_.size()); }
  /// What it was made of.
  const V& owner() const { return owner_; }

 private:
  V owner_;
  value_type* data_;
  shape extents_;
  impl::stride_array stride_;
};

namespace impl {

template <class T>
inline constexpr bool is_strided_array = false;
template <class V, int Rank>
inline constexpr bool is_strided_array<strided_array<V, Rank>> = true;

/// What an array has to keep alive.
template <class V>
const V& owner_of(const V& v) {
  return v;
}
template <class V, int Rank>
const V& owner_of(const strided_array<V, Rank>& v) {
  return v.owner();
}

/// Extents and strides, and the address of the first element: what re-indexing changes.
struct index_layout {
  shape extents;
  stride_array stride{};
  std::int64_t first = 0;
};

}  // namespace impl
}  // namespace quern

#endif
