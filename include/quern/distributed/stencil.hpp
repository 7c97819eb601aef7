// SPDX-FileCopyrightText: the Quern authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef QUERN_DISTRIBUTED_STENCIL_HPP
#define QUERN_DISTRIBUTED_STENCIL_HPP

#include <quern/core/whole_positions.hpp>
#include <quern/distributed/halo_exchange.hpp>
#include <quern/distributed/operands.hpp>
#include <quern/distributed/stencil_parts.hpp>
#include <quern/stencil/iterate.hpp>
#include <quern/stencil/stencil.hpp>

namespace quern::distributed {
namespace impl {

using namespace quern::impl;

template <int Rank, class F>
auto moved_functor(const F& f, const block& own, const stencil_part& part) {
  if constexpr (is_positioned<F>) {
    shape first = own.first;
    for (int d = 0; d < Rank; ++d) first.extent[d] += part.first.extent[d];
    return with_position(at_whole_index<std::remove_cvref_t<decltype(f.f)>, Rank>{f.f, part_origin<Rank>(first)});
  } else {
    return f;
  }
}

/// The cells of an array with its halo that a part has.
template <class Field>
auto part_view(const Field& u, const stencil_part& part) {
  const auto& whole = u.local_with_halo();
  Kokkos::LayoutStride layout;
  std::int64_t offset = 0;
  for (int d = 0; d < Field::rank; ++d) {
    layout.dimension[d] = part.extents.extent[d];
    layout.stride[d] = whole.stride(d);
    offset += (u.decomposition().halo(d) + part.first.extent[d]) * static_cast<std::int64_t>(whole.stride(d));
  }
  using view = Kokkos::View<typename Field::view_type::data_type, Kokkos::LayoutStride, typename Field::memory_space,
                            Kokkos::MemoryTraits<Kokkos::Unmanaged>>;
  return view(whole.data() + offset, layout);
}

template <class Shape, class Field>
void check_halo_width(const std::string& label, const std::string& name, const Field& u) {
  const Decomposition& d = u.decomposition();
  for (int axis = 0; axis < Field::rank; ++axis)
    if (occupied(d, axis) > 1 && d.halo(axis) < Shape::radius(axis))
      throw Error(label, name + " has a halo of " + std::to_string(d.halo(axis)) + " along axis " +
                             std::to_string(axis) + ", which is cut, expected at least " +
                             std::to_string(Shape::radius(axis)));
}

/// The exchange of what neighbourhoods read of several arrays, kept from call to call.
template <class Shape, class Exec, class First, class... Field>
std::shared_ptr<box_exchange<Exec>> exchange_for(const Exec& exec, const std::string& label, const boundaries& edge,
                                                 const First& first, const Field&... fields) {
  const Decomposition& d = first.decomposition();
  auto wrapped = wraps(label, edge, First::rank);
  std::array<int, max_rank> depth{};
  for (int axis = 0; axis < First::rank; ++axis) {
    const bool cut = occupied(d, axis) > 1;
    depth[axis] = cut ? Shape::radius(axis) : 0;
    wrapped[axis] = wrapped[axis] && cut;
  }
  exchange_key key(exec, Shape::arms_only);
  for (int axis = 0; axis < First::rank; ++axis) key.add(depth[axis], wrapped[axis]);
  key.add(with_halo(first));
  (key.add(with_halo(fields)), ...);
  return kept_exchange<Exec>(d, key, [&] {
    std::vector<peer_box> out, in;
    const auto add = [&](const auto& f) {
      add_halo_boxes(f.decomposition(), with_halo(f), depth, wrapped, !Shape::arms_only, out, in);
    };
    add(first);
    (add(fields), ...);
    return box_exchange<Exec>(d.communicator(), exec, label, out, in);
  });
}

template <class Shape, class Exec, class First, class... Out, class F, class... In>
void stencil_call(const Exec& exec, const std::tuple<First, Out...>& out, const F& f, const boundaries& edge,
                  const In&... in) {
  constexpr const char* label = "quern::distributed::stencil";
  constexpr int rank = First::rank;
  static_assert(((Out::rank == rank) && ...), "quern::distributed::stencil: outputs must have the same rank");
  static_assert(((In::rank == rank) && ...), "quern::distributed::stencil: in must have the rank of out");
  static_assert(sizeof...(In) > 0, "quern::distributed::stencil: no input");
  const Decomposition& d = std::get<0>(out).decomposition();
  check_blocks(label, d, in...);
  unpack(
      [&](const auto&... o) {
        (check_same_blocks(label, "out", d, o.decomposition()), ...);
        (check_halo_width<Shape>(label, "out", o), ...);
      },
      out);
  (check_halo_width<Shape>(label, "in", in), ...);
  std::array<int, max_rank> radius{};
  for (int axis = 0; axis < rank; ++axis) radius[axis] = Shape::radius(axis);
  // Hosts have nothing that would bring the messages while they compute.
  const stencil_parts parts = cut_stencil(label, d, edge, radius, is_device<Exec>);
  const auto compute = [&](const Exec& where, const std::vector<stencil_part>& some) {
    for (const auto& p : some) {
      const auto to = unpack([&](const auto&... o) { return std::tuple(part_view(o, p)...); }, out);
      const auto at = moved_functor<rank>(f, d.local(), p);
      quern::impl::stencil_call(where, label, Shape(), to, at, p.edge, part_view(in, p)...);
    }
  };
  const auto exchange = exchange_for<Shape>(exec, label, edge, in...);
  exchange->start();
  compute(exec, parts.inner);
  exchange->receive();
  compute(exchange->side(), parts.outer);
  exchange->join();
}

template <class T>
inline constexpr bool are_distributed_outputs = distributed_like<T>;
template <class... Out>
inline constexpr bool are_distributed_outputs<std::tuple<Out...>> = (distributed_like<Out> && ...);

}  // namespace impl

/// `quern::stencil` of distributed arrays: `out(j, i) = f(w...)` with the bits of the call on one device. The cells
/// that neighbourhoods reach across the ends of blocks are exchanged; on devices cells whose neighbourhoods are within
/// a block are computed in the meantime.
///
/// Each cell is computed by f from the same values as on one device. Compilers of devices may contract products and
/// sums of f to multiply-adds in one kernel and not in another; `Kokkos::fma` where it is wanted, or the compiler's
/// option
/// (`-fmad=false`, `-ffp-contract=off`), then give the same bits.
///
/// @tparam Shape the neighbourhood, `quern::box<r>` or `quern::star<r>`
/// @param out    a DistributedView of rank 1 to 3, or several with the same blocks, `quern::outputs(u, v)`
/// @param f      as for `quern::stencil`; cells that it asks for by `with_position` are counted in the whole array
/// @param edge   as for `quern::stencil`, at the ends of the whole array
/// @param in     one or more DistributedViews with the blocks of out
///
/// Along the axes that are cut, all have a halo at least as wide as the neighbourhood. That of the inputs is written,
/// that of out is not.
///
/// Collective. With NCCL it is asynchronous on `exec`. With MPI it waits for the kernel that packs, which comes after
/// what was launched on `exec` before, and for the messages.
/// @throws Error as `quern::stencil`, and if blocks differ or a halo is too narrow; BackendError if MPI or NCCL report
/// a failure
template <class Shape, execution_space Exec, class Out, class F, distributed_like... In>
  requires impl::are_distributed_outputs<Out>
void stencil(const Exec& exec, const Out& out, const F& f, const boundaries& edge, const In&... in) {
  if constexpr (distributed_like<Out>) impl::stencil_call<Shape>(exec, std::tuple(out), f, edge, in...);
  else impl::stencil_call<Shape>(exec, out, f, edge, in...);
}
template <class Shape, distributed_like Out, class F, distributed_like... In>
void stencil(const Out& out, const F& f, const boundaries& edge, const In&... in) {
  stencil<Shape>(typename Out::execution_space(), out, f, edge, in...);
}

/// `quern::iterate` of distributed arrays: calls `step(exec, from, to)` n times, swapping the two arrays after each, so
/// that `now` is always the newest.
/// @throws Error if n is negative
template <execution_space Exec, distributed_like View, class Step>
void iterate(const Exec& exec, View& now, View& next, const Step& step, std::int64_t n) {
  if (n < 0) throw Error("quern::distributed::iterate", std::to_string(n) + " steps");
  for (std::int64_t i = 0; i < n; ++i) {
    if constexpr (std::invocable<const Step&, const Exec&, const View&, const View&>) step(exec, now, next);
    else step(exec, now, next, i);
    std::swap(now, next);
  }
}
template <distributed_like View, class Step>
void iterate(View& now, View& next, const Step& step, std::int64_t n) {
  iterate(typename View::execution_space(), now, next, step, n);
}

}  // namespace quern::distributed

#endif
