// SPDX-FileCopyrightText: the Quern authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef QUERN_DISTRIBUTED_REDISTRIBUTE_HPP
#define QUERN_DISTRIBUTED_REDISTRIBUTE_HPP

#include <quern/core/call/label.hpp>
#include <quern/core/views/copies.hpp>
#include <quern/distributed/box_exchange.hpp>
#include <quern/distributed/map.hpp>
#include <quern/distributed/operands.hpp>
#include <quern/transfer/copy.hpp>

namespace quern::impl {

/// Whether an output has elements of the type of an input's.
template <class Out, class In>
concept same_elements = std::is_same_v<typename Out::value_type, std::remove_const_t<typename In::value_type>>;

/// Some cells of an array that begins at `begin` in the whole array.
template <class T>
strided<T> part_of_cells(strided<T> s, const shape& begin, const Decomposition::Block& cells) {
  for (int d = 0; d < s.extents.rank; ++d) s.data += (cells.first.extent[d] - begin.extent[d]) * s.stride[d];
  s.extents = cells.extents;
  return s;
}
template <class V>
peer_box box_of_cells(int peer, const V& v, const shape& begin, const Decomposition::Block& cells) {
  return {peer, part_of_cells(describe(v.data(), v), begin, cells)};
}

template <class Exec>
void exchange_once(const Exec& exec, const Communicator& comm, const std::string& label,
                   const std::vector<peer_box>& out, const std::vector<peer_box>& in) {
  box_exchange<Exec> exchange(exec, comm, label, out, in);
  exchange.start();
  exchange.finish();
}

/// Brings rows of several columns to all ranks, and what these have for this one to others: each so many rows, those of
/// a rank behind those of the one before. The columns are given as boxes, of any peer.
template <class Exec>
void exchange_rows(const Exec& exec, const Communicator& comm, const std::string& label,
                   const std::vector<peer_box>& from, const std::vector<std::int64_t>& sent,
                   const std::vector<peer_box>& to, const std::vector<std::int64_t>& received) {
  const auto for_ranks = [&](const std::vector<peer_box>& columns, const std::vector<std::int64_t>& counts) {
    std::vector<peer_box> boxes;
    std::int64_t first = 0;
    for (int r = 0; r < comm.size(); first += counts[r++])
      for (peer_box rows : columns) {
        rows.peer = r;
        rows.data += first * rows.stride[0] * rows.element;
        rows.extents.extent[0] = counts[r];
        boxes.push_back(rows);
      }
    return boxes;
  };
  exchange_once(exec, comm, label, for_ranks(from, sent), for_ranks(to, received));
}
template <class Exec, class... Column>
void exchange_rows(const Exec& exec, const Communicator& comm, const std::string& label,
                   const std::tuple<Column...>& from, const std::vector<std::int64_t>& sent,
                   const std::tuple<Column...>& to, const std::vector<std::int64_t>& received) {
  const auto boxes = [](const auto&... c) { return std::vector<peer_box>{peer_box(0, describe(c.data(), c))...}; };
  exchange_rows(exec, comm, label, unpack(boxes, from), sent, unpack(boxes, to), received);
}

/// The whole array, of rank `Rank`, in memory that `exec` reaches: the View itself, or one of the pool for it.
template <int Rank, class Exec, class V>
auto within_reach(const Exec& exec, const V& v, bool wanted) {
  if constexpr (reachable<Exec, V>) {
    return v;
  } else {
    using T = std::remove_const_t<value_of<V>>;
    using view = Kokkos::View<typename with_pointers<T, Rank>::type, Kokkos::LayoutRight, typename Exec::memory_space>;
    typename view::array_layout layout;
    const shape extents = view_extents(v);
    if (wanted) bytes_of_array("quern::distributed", extents, sizeof(T));
    for (int d = 0; d < Rank; ++d) layout.dimension[d] = wanted ? static_cast<std::size_t>(extents.extent[d]) : 0;
    return view(Kokkos::view_alloc(exec, Kokkos::WithoutInitializing, "quern::distributed"), layout);
  }
}

/// What is wrong with an output of which two elements share memory, for calls that are compared.
template <class V>
std::string text_of_output(const V& v) {
  const std::string text = text_of_shared_elements(describe(v.data(), v));
  return text.empty() ? text : ", where " + text;
}

/// @throws Error, the same on every rank, where the root is none of the ranks, or where calls are checked and differ
template <bool Writes, class Field, class V>
void check_root(const std::string& label, const Field& u, const V& whole, int root) {
  const Communicator& comm = u.communicator();
  const auto more = [&] {
    const std::string text = " with root " + std::to_string(root);
    if (comm.rank() != root) return text;
    const shape found = view_extents(whole);
    if (found != u.extents()) return text + ", which has extents " + found.str();
    return Writes ? text + text_of_output(whole) : text;
  };
  check_same_arrays(comm, label, more, u);
  if (root < 0 || root >= comm.size())
    throw Error(label, "the root is rank " + std::to_string(root) + " of " + std::to_string(comm.size()));
}

/// Brings the whole array to the ranks that `gets(rank)` names.
template <class Exec, class Out, class In, class Gets>
void bring_whole(const std::string& label, const Exec& exec, const Out& out, const In& in, const Gets& gets) {
  const Decomposition& d = in.decomposition();
  const bool here = gets(d.communicator().rank());
  if (here) check_extents(label, "out", view_extents(out), d.extents());
  if (here) check_output(label, describe(out.data(), out));  // whole: a rank's block may have one row
  const auto whole = within_reach<In::rank>(exec, out, here);
  std::vector<peer_box> sent, received;
  for (int rank = 0; rank < d.communicator().size(); ++rank) {
    if (gets(rank)) sent.push_back(box_of_cells(rank, in.local(), d.local().first, d.local()));
    if (here) received.push_back(box_of_cells(rank, whole, d.of(0).first, d.of(rank)));
  }
  exchange_once(exec, d.communicator(), label, sent, received);
  if (here && whole.data() != out.data()) quern::copy(exec, out, whole);
  exec.fence(kernel_label(label));
}

/// `out = in` of DistributedViews with other blocks.
template <class Exec, class Out, class In>
void move_cells(const std::string& label, const Exec& exec, const Out& out, const In& in) {
  const Decomposition &to = out.decomposition(), &from = in.decomposition();
  check_same_arrays(from.communicator(), label, [] { return ""; }, out, in);
  check_extents(label, "in", from.extents(), to.extents());
  if (!(to.communicator() == from.communicator())) throw Error(label, "out and in are of two communicators");
  check_output(label, describe(out.local().data(), out.local()));
  std::vector<peer_box> sent, received;
  for (const auto& m : shared_cells(from, to))
    sent.push_back(box_of_cells(m.rank, in.local(), from.local().first, m.cells));
  for (const auto& m : shared_cells(to, from))
    received.push_back(box_of_cells(m.rank, out.local(), to.local().first, m.cells));
  exchange_once(exec, to.communicator(), label, sent, received);
}

/// Copies with DistributedViews, beside which Views are whole on every rank.
template <>
struct engine<over_ranks_place, copies> {
  template <class Exec, class Out, class In, class... Options>
  static void run(const Exec& exec, const Out& out, const In& in, const Options&...) {
    check_place_options<Options...>();
    const std::string& label = label_text("quern::copy");
    const auto more = [] { return ""; };
    if constexpr ((is_rows<Out> || is_placed_rows<Out>) && (is_rows<In> || is_placed_rows<In>)) {
      run(exec, out.view, in.view);
    } else if constexpr (!array_of_blocks<Out>) {
      constexpr bool fits = distributed_like<In> && same_elements<Out, In>;
      static_assert(fits, "quern::copy: to a View, in must be a DistributedView of the same type of elements");
      if constexpr (fits) {
        check_same_arrays(in.communicator(), label, [&] { return text_of_output(out); }, out, in);
        bring_whole(label, exec, out, in, [](int) { return true; });
      }
    } else if constexpr (view_like<In>) {
      check_same_arrays(out.communicator(), label, more, out, in);
      quern::copy(exec, out.local(), replicated_part(label, "in", in, out.decomposition()));
    } else {
      if constexpr (distributed_like<In> && same_elements<Out, In> && rank_of<Out> == rank_of<In>)
        if (!out.decomposition().same_blocks(in.decomposition())) return move_cells(label, exec, out, in);
      engine<over_ranks_place, maps>::run(label, exec, out, op::identity(), std::tie(in));
    }
  }
};

}  // namespace quern::impl

namespace quern::distributed {

/// `out = in`, where both have the same extents and are cut into other blocks, or have other halos. Halos are neither
/// read nor written. Each rank exchanges messages with those alone whose blocks share cells with its own.
///
/// Collective; waits for `exec` and for the messages, with NCCL for neither.
/// @throws Error if the extents or the communicators differ; BackendError if MPI or NCCL report a failure
template <execution_space Exec, distributed_like Out, distributed_like In>
void redistribute(const Exec& exec, const Out& out, const In& in) {
  static_assert(impl::same_elements<Out, In> && Out::rank == In::rank,
                "quern::distributed::redistribute: out and in must have the same rank and the same type of elements");
  impl::move_cells("quern::distributed::redistribute", exec, out, in);
}
template <distributed_like Out, distributed_like In>
void redistribute(const Out& out, const In& in) {
  redistribute(typename Out::execution_space(), out, in);
}
QUERN_TAKES_NAME(redistribute)

/// `out = in` for an array that one rank has: each rank gets its block.
///
/// @param out  a DistributedView
/// @param in   on rank `root` a View of the extents of out, in any memory; on other ranks it is not read, and may be
/// empty
/// @param root the rank that has the array
///
/// Collective; waits.
/// @throws Error if the extents differ, on rank `root` alone unless calls are checked: use `quern::abort_on_exception`
template <execution_space Exec, distributed_like Out, view_like In>
  requires impl::same_elements<Out, In>
void from_global(const Exec& exec, const Out& out, const In& in, int root) {
  const std::string& label = quern::impl::label_text("quern::distributed::from_global");
  const Decomposition& d = out.decomposition();
  impl::check_root<false>(label, out, in, root);
  impl::check_output(label, impl::describe(out.local().data(), out.local()));
  const bool here = d.communicator().rank() == root;
  if (here) impl::check_extents(label, "in", impl::view_extents(in), d.extents());
  const auto whole = impl::within_reach<Out::rank>(exec, in, here);
  if (here && whole.data() != in.data()) quern::copy(exec, whole, in);
  std::vector<impl::peer_box> sent, received;
  const shape begin = d.of(0).first;
  for (int rank = 0; here && rank < d.communicator().size(); ++rank)
    sent.push_back(impl::box_of_cells(rank, whole, begin, d.of(rank)));
  received.push_back(impl::box_of_cells(root, out.local(), d.local().first, d.local()));
  impl::exchange_once(exec, d.communicator(), label, sent, received);
  exec.fence(quern::impl::kernel_label(label));
}
/// `out = in` for an array that every rank has; no messages.
template <execution_space Exec, distributed_like Out, view_like In>
  requires impl::same_elements<Out, In>
void from_global(const Exec& exec, const Out& out, const In& in) {
  const std::string& label = quern::impl::label_text("quern::distributed::from_global");
  const Decomposition& d = out.decomposition();
  impl::check_extents(label, "in", impl::view_extents(in), d.extents());
  const auto own = impl::part_of_cells(impl::describe(in.data(), in), d.of(0).first, d.local());
  quern::copy(exec, out.local(), impl::as_part<typename In::device_type, Out::rank>(own));
}

/// `out = in`: brings the whole array to one rank.
///
/// @param out  on rank `root` a View of the extents of in, in any memory; on other ranks it is not written, and may be
///             empty
/// @param in   a DistributedView
/// @param root the rank that gets the array
///
/// Collective; waits.
/// @throws Error if the extents differ, on rank `root` alone unless calls are checked: use `quern::abort_on_exception`
template <execution_space Exec, view_like Out, distributed_like In>
  requires impl::same_elements<Out, In>
void to_global(const Exec& exec, const Out& out, const In& in, int root) {
  const std::string& label = quern::impl::label_text("quern::distributed::to_global");
  impl::check_root<true>(label, in, out, root);
  impl::bring_whole(label, exec, out, in, [root](int rank) { return rank == root; });
}
/// `out = in` on every rank.
template <execution_space Exec, view_like Out, distributed_like In>
  requires impl::same_elements<Out, In>
void to_global(const Exec& exec, const Out& out, const In& in) {
  const std::string& label = quern::impl::label_text("quern::distributed::to_global");
  impl::check_same_arrays(in.communicator(), label, [&] { return impl::text_of_output(out); }, out, in);
  impl::bring_whole(label, exec, out, in, [](int) { return true; });
}

template <distributed_like Out, view_like In>
  requires impl::same_elements<Out, In>
void from_global(const Out& out, const In& in, int root) {
  from_global(typename Out::execution_space(), out, in, root);
}
template <distributed_like Out, view_like In>
  requires impl::same_elements<Out, In>
void from_global(const Out& out, const In& in) {
  from_global(typename Out::execution_space(), out, in);
}
QUERN_TAKES_NAME(from_global)
template <view_like Out, distributed_like In>
  requires impl::same_elements<Out, In>
void to_global(const Out& out, const In& in, int root) {
  to_global(typename In::execution_space(), out, in, root);
}
template <view_like Out, distributed_like In>
  requires impl::same_elements<Out, In>
void to_global(const Out& out, const In& in) {
  to_global(typename In::execution_space(), out, in);
}
QUERN_TAKES_NAME(to_global)

}  // namespace quern::distributed

#endif
