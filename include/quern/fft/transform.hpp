// SPDX-FileCopyrightText: the Quern authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef QUERN_FFT_TRANSFORM_HPP
#define QUERN_FFT_TRANSFORM_HPP

/// @file
/// Transforms as the libraries behind them take them: FFTW on hosts, cuFFT and hipFFT on devices. What a call asks for
/// is another type, `request` in fft/run.hpp: one request may need several transforms, packed arrays between them and a
/// scaling, and calls that differ in these alone share plans, whose keys are the transforms.

#include <compare>
#include <memory>
#include <quern/core/views/extents.hpp>

namespace quern {

/// How much time FFTW may spend on a plan: none to speak of, or that of trying some or many algorithms on arrays of its
/// own. Devices choose without trying.
enum class fft_rigor { estimate, measure, patient };
template <>
inline constexpr bool impl::marked_option<fft_rigor> = true;

}  // namespace quern

namespace quern::impl::fourier {

enum class kind { forward, backward, real_to_complex, complex_to_real };

/// Strides are in elements of the array that they belong to, which are real or complex numbers.
struct transform_axis {
  std::int64_t length = 0, in = 0, out = 0;
  auto operator<=>(const transform_axis&) const = default;
};

/// An unscaled transform along some axes, for each index along the others. Along the last axis of a real one there are
/// length / 2 + 1 complex numbers.
struct transform {
  static constexpr int max_axes = 3;
  kind what = kind::forward;
  bool single = false;  // of float, or else of double
  bool in_place = false;
  fft_rigor rigor = fft_rigor::estimate;
  int rank = 0, batch_rank = 0;
  std::array<transform_axis, max_axes> axes{};
  std::array<transform_axis, max_rank> batch{};
  auto operator<=>(const transform&) const = default;
};

/// All that a plan depends on: it serves any arrays that have these in common.
struct plan_key {
  transform what;
  std::uint64_t instance = 0;               // on devices the execution-space instance, on hosts the number of threads
  int in_alignment = 0, out_alignment = 0;  // on hosts
  auto operator<=>(const plan_key&) const = default;
};

/// Whether this installation has a library for the execution space.
template <class Exec>
bool available();

/// Whether the library takes a transform of these arrays as it is, and is not faster with packed ones.
template <class Exec>
bool takes(const transform& t, const void* in, const void* out);

/// Whether it overwrites the input of such a transform that is not in place.
template <class Exec>
bool overwrites(kind what, int rank);

template <class Exec>
plan_key key_of(const Exec& exec, const transform& t, const void* in, const void* out);

/// A plan, which is kept for the next transform like it.
template <class Exec>
std::shared_ptr<void> plan(const Exec& exec, const plan_key& key);

/// Launches a transform by its plan, asynchronously on `exec`. One that is not in place leaves `in` as it is, unless it
/// overwrites it.
template <class Exec>
void execute(const Exec& exec, const std::shared_ptr<void>& plan, const transform& t, void* in, void* out);

}  // namespace quern::impl::fourier

#endif
