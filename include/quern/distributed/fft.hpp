// SPDX-FileCopyrightText: the Quern authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef QUERN_DISTRIBUTED_FFT_HPP
#define QUERN_DISTRIBUTED_FFT_HPP

#include <quern/core/call/label.hpp>
#include <quern/core/memory/pool.hpp>
#include <quern/distributed/redistribute.hpp>
#include <quern/fft/fft.hpp>
#include <quern/fft/run.hpp>
#include <quern/map/map.hpp>

namespace quern::impl {

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
auto scratch_field(const Exec& exec, const Decomposition& d) {
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
  const auto moved = scratch_field<value_of<In>, In::rank>(exec, cut_for(stage, in));
  distributed::redistribute(exec, moved, in);
  return moved;
}

/// What a transform over ranks cannot do.
inline void check_transform(const std::string& label, const Decomposition& out, const Decomposition& in,
                            const fourier::request& r) {
  if (!(out.communicator() == in.communicator())) throw Error(label, "out and in are of two communicators");
  fourier::check_result(label, out.extents(), in.extents(), r);
  shape expected = in.extents();
  for (int i = 0; i < r.count; ++i) expected.extent[r.axis[i]] = r.in_extent(i);
  check_extents(label, "in", in.extents(), expected, ": over ranks lengths are those of the arrays");
  const bool real = r.what == fourier::kind::complex_to_real || r.what == fourier::kind::real_to_complex;
  if (real && r.axis[r.count - 1] != in.extents().rank - 1)
    throw Error(label, "over ranks real transforms are halved along the last axis of the array");
}

/// The options of the transforms of a stage.
inline fourier::transform_options options_of(const fourier::request& r, const fft_stage& stage) {
  return fourier::transform_options(stage.whole, r.norm, r.rigor);
}

/// The same array with values of type T.
template <class T, class Exec, class In>
auto converted(const Exec& exec, const In& in) {
  if constexpr (std::is_same_v<T, value_of<In>>) {
    return in;
  } else {
    const auto out = scratch_field<T, In::rank>(exec, in.decomposition());
    quern::map(exec, out.local(), op::identity(), in.local());
    return out;
  }
}

/// From real or complex numbers to complex ones.
template <fourier::kind What, class Exec, class Out, class In>
void transform_blocks(const operation_name& label, const Exec& exec, const Out& out, const In& in,
                      const fourier::request& r) {
  constexpr auto rest = What == fourier::kind::backward ? What : fourier::kind::forward;
  const auto stages = fft_stages(out.extents(), out.communicator().size(), r);
  const auto source = moved_to(exec, in, stages[0]);
  auto work = scratch_field<value_of<Out>, Out::rank>(exec, cut_for(stages[0], out));
  fourier::transform_call<What>(label, exec, work.local(), source.local(), max_rank, options_of(r, stages[0]));
  for (std::size_t s = 1; s < stages.size(); ++s) {
    work = moved_to(exec, work, stages[s]);
    fourier::transform_call<rest>(label, exec, work.local(), work.local(), max_rank, options_of(r, stages[s]));
  }
  distributed::redistribute(exec, out, work);
}

/// From complex numbers to real ones, in the opposite order.
template <class Exec, class Out, class In>
void transform_blocks_to_real(const operation_name& label, const Exec& exec, const Out& out, const In& in,
                              const fourier::request& r) {
  using fourier::kind;
  const auto stages = fft_stages(in.extents(), in.communicator().size(), r);
  auto work = converted<Kokkos::complex<value_of<Out>>>(exec, moved_to(exec, in, stages.back()));
  for (std::size_t s = stages.size() - 1; s > 0; --s) {
    fourier::transform_call<kind::backward>(label, exec, work.local(), work.local(), max_rank,
                                            options_of(r, stages[s]));
    work = moved_to(exec, work, stages[s - 1]);
  }
  const auto result = scratch_field<value_of<Out>, Out::rank>(exec, cut_for(stages[0], out));
  fourier::transform_call<kind::complex_to_real>(label, exec, result.local(), work.local(), max_rank,
                                                 options_of(r, stages[0]));
  distributed::redistribute(exec, out, result);
}

/// Transforms of DistributedViews, between which arrays are cut anew.
template <>
struct engine<over_ranks_place, fourier::transforms> {
  template <fourier::kind What, class Exec, class Out, class In>
  static void run(const operation_name& label, const Exec& exec, const Out& out, const In& in, int axes_by_default,
                  const fourier::transform_options& options) {
    constexpr bool distributed = distributed_like<Out> && distributed_like<In>;
    static_assert(distributed, "quern::fft: over ranks, out and in are DistributedViews");
    if constexpr (distributed) {
      static_assert(Out::rank == In::rank && Out::rank >= 2,
                    "quern::fft: over ranks, out and in have one rank, 2 or more");
      check_same_arrays(in.communicator(), label, [&] { return described(options); }, out, in);
      const fourier::request r =
          fourier::request_of(label, What, out.extents(), in.extents(), options, axes_by_default);
      check_transform(label, out.decomposition(), in.decomposition(), r);
      in_operation(label, [&] {
        if constexpr (What == fourier::kind::complex_to_real) transform_blocks_to_real(label, exec, out, in, r);
        else transform_blocks<What>(label, exec, out, in, r);
      });
    }
  }

 private:
  static std::string described(const fourier::transform_options& options) {
    std::string text = options.along.count > 0 ? " along axes" : "";
    for (int i = 0; i < options.along.count; ++i) text += " " + std::to_string(options.along.number[i]);
    if (options.lengths.rank > 0) text += " of lengths " + options.lengths.str();
    return text + ", norm " + std::to_string(static_cast<int>(options.norm));
  }
};

}  // namespace quern::impl

#endif
