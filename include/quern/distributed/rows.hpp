// SPDX-FileCopyrightText: the Quern authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef QUERN_DISTRIBUTED_ROWS_HPP
#define QUERN_DISTRIBUTED_ROWS_HPP

#include <quern/core/views/rows.hpp>
#include <quern/distributed/distributed_view.hpp>

namespace quern {
namespace impl {

/// The rows of a DistributedView as elements; made by `quern::rows`.
template <std::size_t K, class Element, class D>
class distributed_rows {
 public:
  using place = over_ranks_place;
  using value_type = Element;
  using execution_space = typename D::execution_space;
  using memory_space = typename D::memory_space;
  static constexpr int rank = D::rank - 1;

  explicit distributed_rows(const D& v) : view(v), blocks_(v.decomposition().of_rows()) {}
  const Decomposition& decomposition() const { return blocks_; }
  const Communicator& communicator() const { return blocks_.communicator(); }
  const shape& extents() const { return blocks_.extents(); }
  auto local() const {
    return rows_with_strides(std::type_identity<row_array<K, Element, typename D::view_type>>(), view.local());
  }

  D view;

 private:
  Decomposition blocks_;
};

template <std::size_t K, class Element, class D>
inline constexpr bool is_placed_rows<distributed_rows<K, Element, D>> = true;

/// An array of which each rank has a block: a DistributedView, or rows of one.
template <class T>
concept array_of_blocks =
    distributed_like<T> || (is_placed_rows<std::remove_cvref_t<T>> && requires(const T& v) { v.decomposition(); });

}  // namespace impl

/// The rows of a DistributedView (n, k) as n elements, each of k values, in blocks of the same ranks: positions and
/// velocities of particles over ranks. No row may be cut.
///
/// @code
/// const quern::Decomposition cut(comm, {n, 3}, {.grid = {0, 1}});
/// const quern::DistributedView<double, 2> v("v", cut);
/// quern::fill(exec, quern::rows<3>(v), Kokkos::Array<double, 3>{1, 0, 0});
/// const Kokkos::Array<double, 3> total = quern::sum(exec, quern::rows<3>(v));
/// @endcode
///
/// As inputs and outputs of `map`, `copy`, `fill` and elementwise functions, beside DistributedViews whose blocks have
/// the same rows, as `mass` of `Decomposition(comm, {n})`; and as inputs of reductions and among those of `map`.
/// @throws Error if K is not the last extent of v, or v is cut along its last axis
template <std::size_t K, class Struct = void, distributed_like V>
auto rows(const V& v) {
  static_assert(K > 0, "quern::rows: k must be positive");
  static_assert(V::rank > 1, "quern::rows: a DistributedView needs an axis of elements beside that of their values");
  using element = typename impl::row_element<K, impl::value_of<V>, Struct>::type;
  impl::check_rows(K, v.extents());
  return impl::distributed_rows<K, element, V>(v);
}

template <>
struct impl::rows_in_place<impl::over_ranks_place> {
  template <std::size_t K, class V>
  static auto of(const V& v) {
    return rows<K>(v);
  }
};

}  // namespace quern

#endif
