// SPDX-FileCopyrightText: the Quern authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef QUERN_INTEGRATE_ADAPTIVE_HPP
#define QUERN_INTEGRATE_ADAPTIVE_HPP

#include <algorithm>
#include <limits>
#include <quern/core/call/label.hpp>
#include <quern/core/call/tolerance.hpp>
#include <quern/core/launch/index_range.hpp>
#include <quern/integrate/domain.hpp>
#include <quern/reducers/sums.hpp>
#include <vector>

namespace quern {

/// A method of `quern::integrate` in one and two dimensions: the Gauss-Kronrod rule of 7 and 15 points (Kronrod, Nodes
/// and Weights of Quadrature Formulas, 1965) in each of the regions, and its product in two dimensions. Regions with
/// more than their share of the tolerance are halved, all of a generation at once.
///
/// Ends when the sum of the differences between the two rules, `error`, is at most
/// max(relative * |value|, absolute) of the option `tolerance`, both 1.49e-8 without it, or when no region can be
/// improved: their errors are rounding, or the evaluations are used up; then `converged` is false. The differences are
/// those of the rule of 7 points, so that for smooth functions the value is far better than `error` says. A NaN of f
/// makes value and error NaN.
///
/// f is never called at the ends of the intervals, where it may be infinite. At a singular end of 0 regions become as
/// small as the tolerance needs. At another one, such as 1000 of `1 / sqrt(x - 1000)`, numbers are no closer than a
/// unit in the last place: regions end before their points round to the end, and `converged` is false where the
/// tolerance needs more. Integrate over the distance from that end instead.
///
/// `converged` is judged by the points of the rules alone, as in SciPy's `quad`: of a step or a peak that falls between
/// them, or that both rules take alike, it is true and the value wrong. Split the domain where f is not smooth.
struct adaptive {
  using integration_method = void;
};
/// The most evaluations of `adaptive`, no fewer than 15, or 225 in two dimensions; 10 million without it.
struct max_evaluations {
  using option_of = impl::any_place;
  std::int64_t value;
};

namespace impl {

template <int Rank>
struct adaptive_region {
  double centre[Rank], half[Rank];
  double value, error, magnitude;  // of f; what the rules differ by; of |f|
  double variation;                // of f along the worst axis, times the volume over its width
  int worst;                       // the axis along which they differ most
};

/// Value and error of each region.
template <class T, class F, int Rank>
struct adaptive_kernel {
  F f;
  adaptive_region<Rank>* regions;
  inside<T> within[Rank];
  // Nodes from the end to the centre, and the weights of both rules.
  double node[8] = {0.991455371120812639206854697526329, 0.949107912342758524526189684047851,
                    0.864864423359769072789712788640926, 0.741531185599394439863864773280788,
                    0.586087235467691130294144691258380, 0.405845151377397166906606412076961,
                    0.207784955007898467600689403773245, 0};
  double kronrod[8] = {0.022935322010529224963732008058970, 0.063092092629978553290700663189204,
                       0.104790010322250183839876322541518, 0.140653259715525918745189590510238,
                       0.169004726639267902826583426598550, 0.190350578064785409913256402421014,
                       0.204432940075298892414161999234649, 0.209482141084727828012999174891714};
  double gauss[8] = {0, 0.129484966168869693270611432679082, 0, 0.279705391489276667901467771423780,
                     0, 0.381830050505118944950369775488975, 0, 0.417959183673469387755102040816327};

  struct sums {
    double kronrod = 0, gauss = 0, magnitude = 0, variation = 0;
  };
  /// Of node i, from -7 to 7.
  KOKKOS_FUNCTION T coordinate(const adaptive_region<Rank>& r, int axis, int i) const {
    const double offset = node[7 - (i < 0 ? -i : i)];
    return within[axis](static_cast<T>(r.centre[axis] + (i < 0 ? -offset : offset) * r.half[axis]));
  }
  /// Both rules along one axis.
  template <class... X>
  KOKKOS_FUNCTION sums line(const adaptive_region<Rank>& r, X... x) const {
    sums s;
    double before = 0;
    for (int i = -7; i <= 7; ++i) {
      const int k = 7 - (i < 0 ? -i : i);
      const double v = static_cast<double>(f(x..., coordinate(r, Rank - 1, i)));
      if (i > -7) s.variation += Kokkos::abs(v - before);
      before = v;
      s.kronrod += kronrod[k] * v;
      s.gauss += gauss[k] * v;
      s.magnitude += kronrod[k] * Kokkos::abs(v);
    }
    return s;
  }
  KOKKOS_FUNCTION void operator()(std::int64_t number) const {
    adaptive_region<Rank> r = regions[number];
    if constexpr (Rank == 1) {
      const sums s = line(r);
      set(r, r.half[0], s.kronrod, s.magnitude, Kokkos::abs(s.kronrod - s.gauss), 0);
      r.variation = s.variation;
    } else {
      double both = 0, first_gauss = 0, second_gauss = 0, magnitude = 0, across = 0, along = 0, before = 0;
      for (int i = -7; i <= 7; ++i) {
        const int k = 7 - (i < 0 ? -i : i);
        const sums s = line(r, coordinate(r, 0, i));
        if (i > -7) across += Kokkos::abs(s.kronrod - before);
        before = s.kronrod;
        along += kronrod[k] * s.variation;
        both += kronrod[k] * s.kronrod;
        first_gauss += gauss[k] * s.kronrod;
        second_gauss += kronrod[k] * s.gauss;
        magnitude += kronrod[k] * s.magnitude;
      }
      set(r, r.half[0] * r.half[1], both, magnitude, Kokkos::abs(both - first_gauss), Kokkos::abs(both - second_gauss));
      r.variation = (r.worst == 0 ? across : along) * Kokkos::abs(r.half[1 - r.worst]);
    }
    regions[number] = r;
  }
  KOKKOS_FUNCTION static void set(adaptive_region<Rank>& r, double volume, double value, double magnitude, double first,
                                  double second) {
    r.value = value * volume;
    r.magnitude = magnitude * Kokkos::abs(volume);
    r.error = (first + second) * Kokkos::abs(volume);
    r.worst = second > first ? 1 : 0;
  }
};

/// Evaluates regions on the device; waits.
template <class T, int Rank, class Exec, class F>
void evaluate(const Exec& exec, const std::string& label, const F& f, const std::array<interval<T>, Rank>& box,
              std::vector<adaptive_region<Rank>>& regions) {
  using region = adaptive_region<Rank>;
  const auto count = static_cast<std::int64_t>(regions.size());
  const scratch_array<Exec, region> memory(exec, count);
  const Kokkos::View<region*, Kokkos::HostSpace, Kokkos::MemoryTraits<Kokkos::Unmanaged>> here(regions.data(), count);
  adaptive_kernel<T, F, Rank> kernel{f, memory.data(), {}};
  for (int d = 0; d < Rank; ++d) kernel.within[d] = inside<T>(box[d]);
  Kokkos::deep_copy(exec, scratch_view<Exec, region*>(memory.data(), count), here);
  Kokkos::parallel_for(kernel_label(label), index_range(exec, count), kernel);
  copy_items_to_host(exec, regions.data(), memory.data(), count);
  exec.fence(kernel_label(label, ": regions"));
}

/// Value and error of a set of regions.
struct adaptive_total {
  compensated<double> value = compensated<double>::zero(), error = compensated<double>::zero();
  template <int Rank>
  void add(const adaptive_region<Rank>& r) {
    value.add(r.value);
    error.add(r.error);
  }
};

/// The halves of a region along its worst axis.
template <int Rank>
void halve(const adaptive_region<Rank>& r, std::vector<adaptive_region<Rank>>& to) {
  for (const int side : {-1, 1}) {
    adaptive_region<Rank> part = r;
    part.half[r.worst] = r.half[r.worst] / 2;
    part.centre[r.worst] = r.centre[r.worst] + side * part.half[r.worst];
    to.push_back(part);
  }
}

/// The whole box as a region.
template <class T, std::size_t Rank>
adaptive_region<static_cast<int>(Rank)> region_of(const std::array<interval<T>, Rank>& box) {
  adaptive_region<static_cast<int>(Rank)> whole{};
  for (std::size_t d = 0; d < Rank; ++d) {
    whole.centre[d] = static_cast<double>(box[d].lower) / 2 + static_cast<double>(box[d].upper) / 2;
    whole.half[d] = static_cast<double>(box[d].upper) / 2 - static_cast<double>(box[d].lower) / 2;
  }
  return whole;
}

/// Whether the halves of a region along an axis have points that differ from each other, and from an end of the
/// interval where the region lies there.
template <class T, int Rank>
bool can_halve(const adaptive_region<Rank>& r, const interval<T>& x, int axis) {
  constexpr double unit = std::numeric_limits<T>::epsilon(), outermost = 1 - 0.991455371120812639;
  const double half = std::fabs(r.half[axis]);
  if (half <= 16 * unit * std::fabs(r.centre[axis])) return false;
  for (const double end : {static_cast<double>(x.lower), static_cast<double>(x.upper)})
    if (std::fabs(r.centre[axis] - end) < 1.5 * half && outermost * half / 2 < 2 * unit * std::fabs(end)) return false;
  return true;
}

/// Moves the regions to the front that are to be halved, the worst of them where no more are affordable: those that use
/// more than half of their share of the tolerance, and whose errors are larger than rounding errors, which are those of
/// values and those of coordinates. Returns the end of the regions that were moved.
template <class T, int Rank>
auto choose_regions(std::vector<adaptive_region<Rank>>& active, const std::array<interval<T>, Rank>& box,
                    double tolerance, double volume, std::int64_t affordable) {
  using region = adaptive_region<Rank>;
  const auto can_improve = [&](const region& r) {
    double allowed = 0.5 * tolerance / std::fabs(volume);
    for (int d = 0; d < Rank; ++d) allowed *= std::fabs(r.half[d]);
    constexpr double unit = std::numeric_limits<T>::epsilon();
    const double moved = unit * std::fabs(r.centre[r.worst]) * r.variation;  // by rounding of coordinates
    return r.error > std::max({allowed, 50 * unit * r.magnitude, moved}) && can_halve(r, box[r.worst], r.worst);
  };
  const auto rest = std::partition(active.begin(), active.end(), can_improve);
  if (affordable >= rest - active.begin()) return rest;
  std::nth_element(active.begin(), active.begin() + affordable, rest,
                   [](const region& a, const region& b) { return a.error > b.error; });
  return active.begin() + affordable;
}

template <class T, class Exec, class F, int Rank, class... Options>
estimate<T> integrate_by(const Exec& exec, const F& f, const std::array<interval<T>, Rank>& box, const adaptive&,
                         const Options&... options) {
  static_assert((option<Options, tolerance, max_evaluations> && ...));
  static_assert(Rank <= 2, "quern::adaptive: one or two dimensions");
  using region = adaptive_region<Rank>;
  constexpr std::int64_t points = Rank == 1 ? 15 : 225;
  const std::string& label = label_text("quern::integrate");
  check_domain<F>(label, box);
  const tolerances within = tolerances_of(label, {1.49e-8, 1.49e-8}, options...);
  const std::int64_t limit = option_or(max_evaluations{10'000'000}, options...).value;
  if (limit < points)
    throw Error(label, std::to_string(limit) + " evaluations, expected at least " + std::to_string(points));

  std::vector<region> active{region_of(box)};
  double volume = 1;
  for (int d = 0; d < Rank; ++d) volume *= active[0].half[d];
  adaptive_total finished;
  std::int64_t evaluations = 0;
  while (true) {
    evaluate<T, Rank>(exec, label_text(label, "/adaptive"), f, box, active);
    evaluations += points * static_cast<std::int64_t>(active.size());
    adaptive_total total = finished;
    for (const region& r : active) total.add(r);
    const double value = total.value.value(), error = total.error.value();
    const double allowed = std::max(within.absolute, within.relative * std::fabs(value));
    const auto result = [&](bool converged) {
      return estimate<T>{static_cast<T>(value), static_cast<T>(error), evaluations, converged};
    };
    if (error <= allowed) return result(true);

    const std::int64_t affordable = (limit - evaluations) / (2 * points);
    const auto rest = choose_regions<T, Rank>(active, box, allowed, volume, affordable);
    if (rest == active.begin()) return result(false);
    for (auto r = rest; r != active.end(); ++r) finished.add(*r);
    std::vector<region> next;
    for (auto r = active.begin(); r != rest; ++r) halve(*r, next);
    active = std::move(next);
  }
}

}  // namespace impl
}  // namespace quern

#endif
