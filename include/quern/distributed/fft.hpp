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
/// cut along two, for the axes of a request alone. The last axis of the array is in the first stage.
std::vector<fft_stage> fft_stages(const shape& extents, int ranks, const fourier::request& wanted);

/// An array in scratch memory of the pool.
template <class T, int Rank, class Exec>
auto scratch_view(const Exec& exec, const Decomposition& d) {
  using view = DistributedView<T, Rank, Kokkos::LayoutRight, typename Exec::memory_space>;
  const shape extents = d.local().extents;
  return [&]<std::size_t... D>(std::index_sequence<D...>) {
    return view(pool_view<typename view::view_type>(exec, extents.extent[D]...), d);
  }(std::make_index_sequence<Rank>());
}
template <class V>
auto cut_for(const fft_stage& stage, const V& v) {
  return Decomposition(v.communicator(), v.extents(), {.grid = stage.grid});
}

/// A copy that is cut in another way.
template <class Exec, class In>
auto moved_to(const Exec& exec, const In& in, const fft_stage& stage) {
  const auto moved = scratch_view<std::remove_const_t<typename In::value_type>, In::rank>(exec, cut_for(stage, in));
  redistribute(exec, moved, in);
  return moved;
}

/// What all ranks compare, then the checks that need no message.
inline void check_transform(const std::string& label, const Decomposition& out, const Decomposition& in,
                            const fourier::request& r) {
  shape along;
  along.rank = r.count;
  for (int i = 0; i < r.count; ++i) along.extent[i] = r.axis[i];
  check_same_call(in.communicator(), label, [&] {
    return label + " of " + in.extents().str() + " along axes " + along.str() + " with norm " +
           std::to_string(static_cast<int>(r.norm));
  });
  if (!(out.communicator() == in.communicator())) throw Error(label, "out and in are of two communicators");
  fourier::check_result(label, out.extents(), in.extents(), r);
  const bool to_real = r.what == fourier::kind::complex_to_real,
             real = to_real || r.what == fourier::kind::real_to_complex;
  for (int i = 0; i < r.count; ++i)
    if (r.length[i] != (to_real ? out : in).extents().extent[r.axis[i]])
      throw Error(label, "over ranks the length is that of the array, " +
                             std::to_string((to_real ? out : in).extents().extent[r.axis[i]]) + " along axis " +
                             std::to_string(r.axis[i]));
  if (real && r.axis[r.count - 1] != in.extents().rank - 1)
    throw Error(label, "over ranks real transforms are halved along the last axis of the array");
}

/// The options of the transforms of a stage.
inline fourier::transform_options options_of(const fourier::request& r, const fft_stage& stage) {
  fourier::transform_options options;
  options.along = stage.whole;
  options.norm = r.norm;
  options.rigor = r.rigor;
  return options;
}

/// From real or complex numbers to complex ones.
template <fourier::kind What, class Exec, class Out, class In>
void transform(const Exec& exec, const Out& out, const In& in, const fourier::request& r) {
  constexpr auto rest = What == fourier::kind::backward ? What : fourier::kind::forward;
  const auto stages = fft_stages(out.extents(), out.communicator().size(), r);
  const auto source = moved_to(exec, in, stages[0]);
  auto work = scratch_view<typename Out::value_type, Out::rank>(exec, cut_for(stages[0], out));
  fourier::transform_call<What>("quern::fftn", exec, work.local(), source.local(), max_rank, options_of(r, stages[0]));
  for (std::size_t s = 1; s < stages.size(); ++s) {
    work = moved_to(exec, work, stages[s]);
    fourier::transform_call<rest>("quern::fftn", exec, work.local(), work.local(), max_rank, options_of(r, stages[s]));
  }
  redistribute(exec, out, work);
}

/// From complex numbers to real ones, in the opposite order.
template <class Exec, class Out, class In>
void transform_to_real(const Exec& exec, const Out& out, const In& in, const fourier::request& r) {
  using fourier::kind;
  const auto stages = fft_stages(in.extents(), in.communicator().size(), r);
  auto work = moved_to(exec, in, stages.back());
  for (std::size_t s = stages.size() - 1; s > 0; --s) {
    fourier::transform_call<kind::backward>("quern::ifftn", exec, work.local(), work.local(), max_rank,
                                            options_of(r, stages[s]));
    work = moved_to(exec, work, stages[s - 1]);
  }
  const auto result = scratch_view<typename Out::value_type, Out::rank>(exec, cut_for(stages[0], out));
  fourier::transform_call<kind::complex_to_real>("quern::irfftn", exec, result.local(), work.local(), max_rank,
                                                 options_of(r, stages[0]));
  redistribute(exec, out, result);
}

}  // namespace impl
}  // namespace quern::distributed

namespace quern::impl {

/// Transforms of DistributedViews, between which arrays are cut anew.
template <>
struct engine<over_ranks_place, fourier::transforms> {
  template <fourier::kind What, class Exec, class Out, class In, class Request>
  static void run(const char* name, const Exec& exec, const Out& out, const In& in, const Request& request_of) {
    static_assert(distributed_like<Out> && distributed_like<In>,
                  "quern::fft: over ranks, out and in are DistributedViews");
    if constexpr (distributed_like<Out> && distributed_like<In>) {
      static_assert(Out::rank == In::rank && Out::rank >= 2,
                    "quern::fft: over ranks, out and in have one rank, 2 or more");
      const std::string label = name;
      const fourier::request r = request_of(label, out.extents(), in.extents());
      quern::distributed::impl::check_transform(label, out.decomposition(), in.decomposition(), r);
      in_operation(label, [&] {
        if constexpr (What == fourier::kind::complex_to_real)
          quern::distributed::impl::transform_to_real(exec, out, in, r);
        else quern::distributed::impl::transform<What>(exec, out, in, r);
      });
    }
  }
};

}  // namespace quern::impl

#endif
