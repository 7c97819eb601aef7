// SPDX-FileCopyrightText: the Quern authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef QUERN_INTEGRATE_INTEGRATE_HPP
#define QUERN_INTEGRATE_INTEGRATE_HPP

#include <Kokkos_Core.hpp>
#include <array>
#include <cmath>
#include <quern/core/error.hpp>
#include <quern/core/workspace.hpp>
#include <quern/reduce/reducers.hpp>
#include <string>

namespace quern {

/// The range of one variable of integration. `upper` may be below `lower`: the integral then changes its sign.
template <class T>
struct interval {
  T lower;
  T upper;
};

namespace impl {

/// Points of the innermost axis that one work item sums: enough that the rest of its cost does not matter.
inline constexpr int integrate_points = 64;

/// The midpoint sum over a run of points of the last axis. Coordinates are computed from the index in double, so that
/// they are as exact for the last point as for the first.
template <class T, class F, int Rank>
struct integrate_kernel {
  using value_type = compensated<T>;
  F f;
  double lower[Rank], width[Rank];
  std::int64_t n[Rank];
  std::int64_t runs;  // along the last axis

  KOKKOS_FUNCTION T coordinate(int axis, std::int64_t i) const {
    return static_cast<T>(lower[axis] + (static_cast<double>(i) + 0.5) * width[axis]);
  }

  template <class... X>
  KOKKOS_FUNCTION T run(std::int64_t first, std::int64_t last, X... x) const {
    T sum = 0;
    for (std::int64_t i = first; i < last; ++i) sum += f(x..., coordinate(Rank - 1, i));
    return sum;
  }

  KOKKOS_FUNCTION void operator()(std::int64_t item, value_type& s) const {
    std::int64_t row = item / runs;
    const std::int64_t first = (item - row * runs) * integrate_points;
    const std::int64_t last = Kokkos::min(first + integrate_points, n[Rank - 1]);
    if constexpr (Rank == 1) {
      s.add(run(first, last));
    } else if constexpr (Rank == 2) {
      s.add(run(first, last, coordinate(0, row)));
    } else {
      const std::int64_t i = row / n[1];
      s.add(run(first, last, coordinate(0, i), coordinate(1, row - i * n[1])));
    }
  }
  KOKKOS_FUNCTION void init(value_type& s) const { s = value_type::zero(); }
  KOKKOS_FUNCTION void join(value_type& s, const value_type& t) const { s.join(t); }
};

template <class T, class Exec, class F, std::size_t Rank>
T integrate_box(const Exec& exec, const F& f, const std::array<interval<T>, Rank>& box,
                const std::array<std::int64_t, Rank>& n) {
  const std::string label = "quern::integrate";
  integrate_kernel<T, F, static_cast<int>(Rank)> kernel{f, {}, {}, {}, 0};
  double cell = 1;
  std::int64_t items = 1;
  for (std::size_t d = 0; d < Rank; ++d) {
    if (n[d] < 1)
      throw Error(
          label, "n has " + std::to_string(n[d]) + " points along axis " + std::to_string(d) + ", expected at least 1");
    if (!std::isfinite(box[d].lower) || !std::isfinite(box[d].upper))
      throw Error(label, "the interval of axis " + std::to_string(d) + " is not finite");
    kernel.lower[d] = box[d].lower;
    kernel.width[d] = (static_cast<double>(box[d].upper) - box[d].lower) / static_cast<double>(n[d]);
    kernel.n[d] = n[d];
    cell *= kernel.width[d];
    if (d + 1 < Rank) items *= n[d];
  }
  kernel.runs = (n[Rank - 1] + integrate_points - 1) / integrate_points;
  items *= kernel.runs;

  lease<Exec> held(exec);
  auto* result = held.template result<compensated<T>>();
  const Kokkos::View<compensated<T>, result_space<Exec>, Kokkos::MemoryTraits<Kokkos::Unmanaged>> out(result);
  Kokkos::parallel_reduce(label, Kokkos::RangePolicy<Exec, Kokkos::IndexType<std::int64_t>>(exec, 0, items), kernel,
                          out);
  exec.fence(label + ": result");
  return static_cast<T>(static_cast<double>(result->value()) * cell);
}

}  // namespace impl

/// The integral of f over a box by the composite midpoint rule: `sum f(x) * cell`, x the centres of n cells.
///
/// @tparam T   float or double: the type of the coordinates, of the sum and of the result (default double)
/// @param  f   a functor of one, two or three coordinates; `KOKKOS_LAMBDA(double x, double y)`
/// @param  x   the interval of each axis, `{lower, upper}`
/// @param  n   the number of points along each axis, at least 1
///
/// The error of the rule falls as 1/n^2 for a function with continuous second derivatives. Coordinates are computed in
/// double and sums carry their rounding errors along. Waits for `exec`; uses no scratch memory of its own.
/// @throws Error if a number of points is below 1 or an interval is not finite
template <class T = double, execution_space Exec, class F>
T integrate(const Exec& exec, const F& f, std::type_identity_t<interval<T>> x, std::int64_t n) {
  return impl::integrate_box<T, Exec, F, 1>(exec, f, {x}, {n});
}
/// The same over two axes: `integrate(exec, f, {x0, x1}, {y0, y1}, {nx, ny})`.
template <class T = double, execution_space Exec, class F>
T integrate(const Exec& exec, const F& f, std::type_identity_t<interval<T>> x, std::type_identity_t<interval<T>> y,
            std::array<std::int64_t, 2> n) {
  return impl::integrate_box<T, Exec, F, 2>(exec, f, {x, y}, n);
}
/// The same over three axes.
template <class T = double, execution_space Exec, class F>
T integrate(const Exec& exec, const F& f, std::type_identity_t<interval<T>> x, std::type_identity_t<interval<T>> y,
            std::type_identity_t<interval<T>> z, std::array<std::int64_t, 3> n) {
  return impl::integrate_box<T, Exec, F, 3>(exec, f, {x, y, z}, n);
}
/// The same on a default instance of the default execution space.
template <class T = double, class F>
  requires(!execution_space<F>)
T integrate(const F& f, std::type_identity_t<interval<T>> x, std::int64_t n) {
  return integrate<T>(Kokkos::DefaultExecutionSpace(), f, x, n);
}
/// The same on a default instance of the default execution space.
template <class T = double, class F>
  requires(!execution_space<F>)
T integrate(const F& f, std::type_identity_t<interval<T>> x, std::type_identity_t<interval<T>> y,
            std::array<std::int64_t, 2> n) {
  return integrate<T>(Kokkos::DefaultExecutionSpace(), f, x, y, n);
}
/// The same on a default instance of the default execution space.
template <class T = double, class F>
  requires(!execution_space<F>)
T integrate(const F& f, std::type_identity_t<interval<T>> x, std::type_identity_t<interval<T>> y,
            std::type_identity_t<interval<T>> z, std::array<std::int64_t, 3> n) {
  return integrate<T>(Kokkos::DefaultExecutionSpace(), f, x, y, z, n);
}

}  // namespace quern

#endif
