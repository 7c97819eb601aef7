// SPDX-FileCopyrightText: the Quern authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef QUERN_DISTRIBUTED_FFT_HPP
#define QUERN_DISTRIBUTED_FFT_HPP

#include <quern/core/pool.hpp>
#include <quern/distributed/redistribute.hpp>
#include <quern/fft/fft.hpp>

namespace quern::distributed {
namespace impl {

/// Axes that are transformed while blocks have the whole of them, and the grid of ranks that does so.
struct fft_stage {
  std::vector<int> grid;
  axes whole;
};
/// In slabs, which are cut along one axis, or, where that has less cells than there are ranks, in pencils, which are
/// cut along two. The last axis is in the first stage.
std::vector<fft_stage> fft_stages(const shape& extents, int ranks);

/// An array in scratch memory of the pool.
template <class T, int Rank, class Exec>
auto scratch_view(const Exec& exec, const Decomposition& d) {
  using view = DistributedView<T, Rank, Kokkos::LayoutRight, typename Exec::memory_space>;
  const shape extents = d.local().extents;
  return [&]<std::size_t... D>(std::index_sequence<D...>) {
    return view(pool_view<typename view::view_type>(exec, extents.extent[D]...), d);
  }(std::make_index_sequence<Rank>());
}
/// A copy that is cut in another way.
template <class Exec, class In>
auto moved_to(const Exec& exec, const In& in, const fft_stage& stage) {
  const auto moved = scratch_view<std::remove_const_t<typename In::value_type>, In::rank>(
      exec, Decomposition(in.communicator(), in.extents(), {.grid = stage.grid}));
  redistribute(exec, moved, in);
  return moved;
}

template <class Out, class In>
void check_transform(const std::string& label, const Out& out, const In& in) {
  static_assert(Out::rank == In::rank && Out::rank >= 2,
                "quern::distributed::fftn: out and in must have one rank, 2 or more");
  if (!(out.communicator() == in.communicator())) throw Error(label, "out and in are of two communicators");
}

/// From real or complex numbers to complex ones.
template <class Exec, class Out, class In>
void transform(const std::string& label, const Exec& exec, const Out& out, const In& in, bool inverse, fft_norm norm) {
  using T = typename Out::value_type;
  check_transform(label, out, in);
  const auto local = [&](const auto& to, const auto& from, const axes& along) {
    const fftn_options options{.axes = along, .norm = norm};
    if constexpr (!quern::impl::is_complex<
                      std::remove_const_t<typename std::remove_cvref_t<decltype(from)>::value_type>>)
      quern::rfftn(exec, to.local(), from.local(), options);
    else
      inverse ? quern::ifftn(exec, to.local(), from.local(), options)
              : quern::fftn(exec, to.local(), from.local(), options);
  };
  const auto stages = fft_stages(out.extents(), out.communicator().size());
  const auto source = moved_to(exec, in, stages[0]);
  auto work =
      scratch_view<T, Out::rank>(exec, Decomposition(out.communicator(), out.extents(), {.grid = stages[0].grid}));
  local(work, source, stages[0].whole);
  for (std::size_t s = 1; s < stages.size(); ++s) {
    work = moved_to(exec, work, stages[s]);
    local(work, work, stages[s].whole);
  }
  redistribute(exec, out, work);
}

/// From complex numbers to real ones, in the opposite order.
template <class Exec, class Out, class In>
void transform_to_real(const std::string& label, const Exec& exec, const Out& out, const In& in, fft_norm norm) {
  check_transform(label, out, in);
  const auto stages = fft_stages(in.extents(), in.communicator().size());
  auto work = moved_to(exec, in, stages.back());
  for (std::size_t s = stages.size() - 1; s > 0; --s) {
    quern::ifftn(exec, work.local(), work.local(), {.axes = stages[s].whole, .norm = norm});
    work = moved_to(exec, work, stages[s - 1]);
  }
  const auto result = scratch_view<typename Out::value_type, Out::rank>(
      exec, Decomposition(out.communicator(), out.extents(), {.grid = stages[0].grid}));
  quern::irfftn(exec, result.local(), work.local(), {.axes = stages[0].whole, .norm = norm});
  redistribute(exec, out, result);
}

}  // namespace impl

/// The Fourier transform along all axes of an array over ranks, as `quern::fftn` defines it: of complex numbers, with
/// its inverse `ifftn`, and of real ones, `rfftn`, whose result has n / 2 + 1 elements along the last axis, with its
/// inverse `irfftn`.
///
/// @param out,in DistributedViews of one rank, 2 or more, of float or double. They may be cut in any way, and `ifftn`
/// and
///               `fftn` may have the same array as both
///
/// Each rank transforms whole lines: of slabs, which are cut along one axis, or of pencils, which are cut along two
/// where there are more ranks than cells along an axis. Between, arrays are cut anew, by messages between all ranks
/// that share cells. An array that is cut along its first axis alone is spared the first of these moves but for a copy.
///
/// Collective; waits as `redistribute` does. Scratch memory of two to three blocks from the pool.
/// @throws Error if extents do not fit; BackendError without a library for the execution space
template <execution_space Exec, distributed_like Out, distributed_like In>
void fftn(const Exec& exec, const Out& out, const In& in, fft_norm norm = fft_norm::backward) {
  quern::impl::check_extents("quern::distributed::fftn", "out", out.extents(), in.extents());
  impl::transform("quern::distributed::fftn", exec, out, in, false, norm);
}
template <execution_space Exec, distributed_like Out, distributed_like In>
void ifftn(const Exec& exec, const Out& out, const In& in, fft_norm norm = fft_norm::backward) {
  quern::impl::check_extents("quern::distributed::ifftn", "out", out.extents(), in.extents());
  impl::transform("quern::distributed::ifftn", exec, out, in, true, norm);
}
template <execution_space Exec, distributed_like Out, distributed_like In>
void rfftn(const Exec& exec, const Out& out, const In& in, fft_norm norm = fft_norm::backward) {
  shape expected = in.extents();
  expected.extent[In::rank - 1] = expected.extent[In::rank - 1] / 2 + 1;
  quern::impl::check_extents("quern::distributed::rfftn", "out", out.extents(), expected, " for this transform of in");
  impl::transform("quern::distributed::rfftn", exec, out, in, false, norm);
}
template <execution_space Exec, distributed_like Out, distributed_like In>
void irfftn(const Exec& exec, const Out& out, const In& in, fft_norm norm = fft_norm::backward) {
  shape expected = out.extents();
  expected.extent[Out::rank - 1] = expected.extent[Out::rank - 1] / 2 + 1;
  quern::impl::check_extents("quern::distributed::irfftn", "in", in.extents(), expected, " for this out");
  impl::transform_to_real("quern::distributed::irfftn", exec, out, in, norm);
}
template <distributed_like Out, distributed_like In>
void fftn(const Out& out, const In& in, fft_norm norm = fft_norm::backward) {
  fftn(typename Out::execution_space(), out, in, norm);
}
template <distributed_like Out, distributed_like In>
void ifftn(const Out& out, const In& in, fft_norm norm = fft_norm::backward) {
  ifftn(typename Out::execution_space(), out, in, norm);
}
template <distributed_like Out, distributed_like In>
void rfftn(const Out& out, const In& in, fft_norm norm = fft_norm::backward) {
  rfftn(typename Out::execution_space(), out, in, norm);
}
template <distributed_like Out, distributed_like In>
void irfftn(const Out& out, const In& in, fft_norm norm = fft_norm::backward) {
  irfftn(typename Out::execution_space(), out, in, norm);
}

}  // namespace quern::distributed

#endif
