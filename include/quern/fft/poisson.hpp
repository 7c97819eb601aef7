// SPDX-FileCopyrightText: the Quern authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef QUERN_FFT_POISSON_HPP
#define QUERN_FFT_POISSON_HPP

#include <quern/fft/spectral.hpp>

namespace quern {

/// What holds at both ends of an axis: the solution continues periodically, or it is 0 there (Dirichlet), or its
/// derivative is (Neumann).
enum class poisson_side { periodic, dirichlet, neumann };

/// The lengths of the box of `poisson`, one for each axis, `box_lengths{2, 1}`; without it all are 2 pi, as a `period`.
struct box_lengths {
  using option_of = impl::any_place;
  std::vector<double> of;
  box_lengths(std::initializer_list<double> lengths) : of(lengths) {}
};
/// What holds at both ends of each axis, `poisson_sides{poisson_side::periodic, poisson_side::dirichlet}`; without it
/// all are periodic.
struct poisson_sides {
  using option_of = impl::any_place;
  std::vector<poisson_side> of;
  poisson_sides(std::initializer_list<poisson_side> sides) : of(sides) {}
};

namespace impl::fourier {

/// What the options of `poisson` ask for, one for each axis.
struct poisson_options {
  std::array<double, max_rank> lengths{};
  std::array<poisson_side, max_rank> sides{};

  template <class... Options>
  poisson_options(const std::string& label, int rank, const Options&... options) {
    lengths.fill(2 * std::numbers::pi);
    if (const auto* given = find_option<box_lengths>(options...)) take(label, "lengths", rank, given->of, lengths);
    if (const auto* given = find_option<poisson_sides>(options...)) take(label, "sides", rank, given->of, sides);
  }

 private:
  template <class T>
  static void take(const std::string& label, const char* what, int rank, const std::vector<T>& given,
                   std::array<T, max_rank>& all) {
    if (static_cast<int>(given.size()) != rank)
      throw Error(label, std::to_string(given.size()) + " " + what + " for an array of rank " + std::to_string(rank));
    std::copy(given.begin(), given.end(), all.begin());
  }
};

/// The waves along an axis of a spectrum, in the precision R.
template <class R>
struct axis_waves {
  row_division along;   // of the numbers of elements in this axis and those before it
  std::int64_t stride;  // of the spectrum
  std::int64_t points;  // of the field
  poisson_side side;
  R half_turn;  // pi over the length
  KOKKOS_FUNCTION R wave(std::int64_t i) const {
    if (side == poisson_side::periodic) return 2 * half_turn * static_cast<R>(frequency_of(i, points));
    return half_turn * static_cast<R>(side == poisson_side::dirichlet ? i + 1 : i);
  }
};

/// Divides the elements of a spectrum by the eigenvalues of the Laplacian, the one for the constant by infinity.
template <class T>
struct eigenvalue_division {
  using R = real_type<T>;
  T* data;
  int rank;
  Kokkos::Array<axis_waves<R>, max_rank> axes;
  KOKKOS_FUNCTION void operator()(std::int64_t e) const {
    R sum = 0;
    std::int64_t at = 0;
    for (int d = rank - 1; d >= 0; --d) {
      std::int64_t i;
      e = axes[d].along(e, i);
      const R k = axes[d].wave(i);
      sum += k * k;
      at += i * axes[d].stride;
    }
    data[at] = sum == R(0) ? T(0) : data[at] * (-1 / sum);
  }
};
template <class Exec, class T>
void divide_by_eigenvalues(const launcher<Exec>& launch, const strided<T>& spectrum, const poisson_options& options,
                           const shape& points) {
  using R = real_type<T>;
  eigenvalue_division<T> division{spectrum.data, points.rank, {}};
  std::int64_t before = 1;
  for (int d = 0; d < points.rank; ++d) {
    const std::int64_t n = spectrum.extents.extent[d];
    division.axes[d] = {row_division(before, n), spectrum.stride[d], points.extent[d], options.sides[d],
                        std::numbers::pi_v<R> / static_cast<R>(options.lengths[d])};
    before *= n;
  }
  for_elements(launch, "quern::poisson/divide", spectrum.extents.size(), division);
}

/// Solves in place: u holds the right-hand side at first.
template <class Exec, class T>
void solve_poisson(const std::string& label, const launcher<Exec>& launch, const strided<T>& u,
                   const poisson_options& options) {
  request periodic{kind::real_to_complex};
  const auto along_others = [&](int type, fft_norm norm) {
    for (int d = 0; d < u.extents.rank; ++d)
      if (options.sides[d] != poisson_side::periodic)
        cosine_along(launch, u, strided<const T>{u.data, u.extents, u.stride}, d, type,
                     options.sides[d] == poisson_side::dirichlet, norm);
  };
  for (int d = 0; d < u.extents.rank; ++d) {
    if (options.sides[d] != poisson_side::periodic) continue;
    periodic.axis[periodic.count] = d;
    periodic.length[periodic.count++] = u.extents.extent[d];
  }
  along_others(2, fft_norm::backward);
  if (periodic.count == 0) {
    divide_by_eigenvalues(launch, u, options, u.extents);
  } else {
    const scratch_copy<Exec, Kokkos::complex<T>> spectrum(launch.exec, periodic.result_of(u.extents));
    const auto& s = spectrum.array();
    run(label, launch, s, u, periodic);
    divide_by_eigenvalues(launch, s, options, u.extents);
    periodic.what = kind::complex_to_real;
    run(label, launch, u, s, periodic);
  }
  along_others(3, fft_norm::forward);
}

}  // namespace impl::fourier

/// Solves Poisson's equation `d^2u/dx^2 + d^2u/dy^2 + ... = f` on a box, at points in the middle of equal cells:
/// x_j = (j + 1/2) L / n along an axis of length L and n points.
///
/// @param u,f     real Views of the same extents and any layout, which may be the same; f is converted to the precision
///                of u, float or double
/// @param options the lengths of the box, `box_lengths{2, 1}`, and what holds at its sides, `poisson_sides`
///
/// The solution is expanded in waves (periodic), sines (Dirichlet) or cosines (Neumann), which are divided by the
/// eigenvalues of the derivatives, not of their differences: exact except for rounding errors where f consists of waves
/// that n points resolve, and of the order that f is smooth otherwise. Where no side is of Dirichlet's, u is determined
/// up to a constant: its mean is 0, and that of f is left out, as no solution has another.
///
/// Asynchronous on `exec`; scratch memory of two arrays from the pool.
/// @throws Error if extents differ or are 0, lengths or sides are not as many as axes, a length is not positive and
/// finite, or u shares memory with f otherwise
/// @throws BackendError without a library for the execution space
template <execution_space Exec, view_like Out, view_like In, option<box_lengths, poisson_sides>... Options>
void poisson(const Exec& exec, const Out& u_view, const In& f_view, const Options&... options) {
  using namespace impl;
  using T = value_of<Out>;
  static_assert(fourier::is_result<T> && !is_complex<T> && !is_complex<value_of<In>>,
                "quern::poisson: u must be of float or double, and f real");
  call c("quern::poisson", exec);
  const auto u = c.output(u_view);
  const strided<const value_of<In>> f = c.input(f_view);
  fourier::check_available<Exec>(c.label);
  check_extents(c.label, "f", f.extents, u.extents);
  check_overlap(c.label, u, f, "f", std::is_same_v<T, value_of<In>>);
  const fourier::poisson_options wanted(c.label, u.extents.rank, options...);
  for (int d = 0; d < u.extents.rank; ++d) {
    if (u.extents.extent[d] == 0) throw Error(c.label, "u has extents " + u.extents.str());
    const double length = wanted.lengths[d];
    if (!(length > 0 && std::isfinite(length)))
      throw Error(c.label, "the length along axis " + std::to_string(d) + " must be positive and finite");
  }
  if (u.extents.rank == 0) throw Error(c.label, "u has rank 0, and no axis");
  const fourier::launcher<Exec> launch{exec};
  if (static_cast<const void*>(u.data) != f.data) launch.apply("quern::poisson/copy", u, impl::op::identity(), f);
  fourier::solve_poisson(c.label, launch, u, wanted);
}
template <view_like Out, view_like In, option<box_lengths, poisson_sides>... Options>
void poisson(const Out& u, const In& f, const Options&... options) {
  poisson(impl::space_of(u), u, f, options...);
}
QUERN_TAKES_NAME_NOT(place, poisson)

}  // namespace quern

#endif
