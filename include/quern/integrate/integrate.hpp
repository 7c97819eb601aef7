// SPDX-FileCopyrightText: the Quern authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef QUERN_INTEGRATE_INTEGRATE_HPP
#define QUERN_INTEGRATE_INTEGRATE_HPP

#include <array>
#include <limits>
#include <quern/core/call/label.hpp>
#include <quern/core/call/options.hpp>
#include <quern/core/launch/index_range.hpp>
#include <quern/integrate/adaptive.hpp>
#include <quern/integrate/domain.hpp>
#include <quern/integrate/monte_carlo.hpp>
#include <quern/integrate/rules.hpp>
#include <quern/reducers/reproducible.hpp>
#include <utility>

namespace quern {

namespace impl {

/// The weighted sum of f over the nodes of a rule. A work item sums a run of cells of the last axis: enough that the
/// rest of its cost does not matter. The place of a run is computed from its index in double, so that coordinates are
/// as exact for the last point as for the first.
template <class T, class F, class Rule, int Rank, bool Reproducible>
struct integrate_kernel {
  using value_type = std::conditional_t<Reproducible, reproducible_sum<T>, compensated<T>>;
  using real = std::conditional_t<Reproducible, double, T>;
  static constexpr int run_points = 64, lanes = 4;
  F f;
  Rule rule;
  double lower[Rank], upper[Rank], width[Rank];
  std::int64_t n[Rank];
  std::int64_t cells, runs;  // of a run; along the last axis
  double one;                // for prevent_contraction
  inside<T> within[Rank];    // where open rules stay
  bool rounds = false;       // nodes of the last axis may round to its ends or beyond

  KOKKOS_FUNCTION static real product(real a, real b) {
    if constexpr (Reproducible) return rounded_product(a, b);
    else return a * b;
  }
  /// Cells with nodes along an axis: rules that use both ends have one more.
  KOKKOS_FUNCTION std::int64_t extent(int axis) const { return n[axis] + (Rule::closed ? 1 : 0); }
  KOKKOS_FUNCTION real node(int axis, std::int64_t cell, int p) const {
    if (Rule::closed && cell == n[axis]) return static_cast<real>(upper[axis]);
    const double at = static_cast<double>(cell) + rule.offset(p);
    double x = 0;
    if constexpr (Reproducible) x = lower[axis] + rounded_product(at, width[axis]);
    else x = lower[axis] + at * width[axis];
    if (Rule::closed || (axis == Rank - 1 && !rounds)) return static_cast<real>(x);
    return static_cast<real>(within[axis](static_cast<T>(x)));
  }
  KOKKOS_FUNCTION real weight(int axis, std::int64_t cell, int p) const {
    return static_cast<real>(rule.weight(cell, p, n[axis]));
  }

  template <class... X>
  KOKKOS_FUNCTION real value(std::int64_t cell, int p, real outer, X... x) const {
    const real v = static_cast<real>(f(static_cast<T>(x)...));
    if constexpr (Rule::weighted) return product(v, product(outer, weight(Rank - 1, cell, p)));
    else if constexpr (Reproducible) return prevent_contraction(v, one);
    else return v;
  }
  /// The cells from `first` to before `last` at their nodes p.
  template <class... X>
  KOKKOS_FUNCTION void run(value_type& s, std::int64_t first, std::int64_t last, int p, real outer, X... x) const {
    const real h = static_cast<real>(width[Rank - 1]);
    const int count = static_cast<int>(last - first);
    real start[lanes], sum[lanes] = {}, done = 0;
    for (int l = 0; l < lanes; ++l) start[l] = node(Rank - 1, first + l, p);
    int c = 0;
    for (; !rounds && c + lanes <= count; c += lanes, done += lanes) {
      real v[lanes];
      for (int l = 0; l < lanes; ++l) v[l] = value(first + c + l, p, outer, x..., start[l] + product(done, h));
      if constexpr (Reproducible) s.template add_block<lanes>(v);
      else
        for (int l = 0; l < lanes; ++l) sum[l] += v[l];
    }
    if constexpr (!Reproducible) s.template add_block<lanes>(sum);
    for (; c < count; ++c) s.add(value(first + c, p, outer, x..., node(Rank - 1, first + c, p)));
  }

  template <std::size_t... Axis>
  KOKKOS_FUNCTION void row(value_type& s, std::int64_t row, std::int64_t first, std::index_sequence<Axis...>) const {
    const int points = rule.points();
    std::int64_t cell[Rank] = {};
    int p[Rank] = {};
    for (int a = Rank - 2; a >= 0; --a) {
      const std::int64_t across = extent(a) * points, i = row % across;
      row /= across;
      cell[a] = i / points;
      p[a] = static_cast<int>(i - cell[a] * points);
    }
    real outer = 1;
    if constexpr (Rule::weighted) ((outer = product(outer, weight(Axis, cell[Axis], p[Axis]))), ...);
    // The upper end of a rule that uses it is a node of its own: no rounding may take it beyond.
    const std::int64_t last = Kokkos::min(first + cells, n[Rank - 1]);
    for (int q = 0; q < points; ++q) run(s, first, last, q, outer, node(Axis, cell[Axis], p[Axis])...);
    if (Rule::closed && last == n[Rank - 1])
      s.add(value(last, 0, outer, node(Axis, cell[Axis], p[Axis])..., static_cast<real>(upper[Rank - 1])));
  }
  KOKKOS_FUNCTION void operator()(std::int64_t item, value_type& s) const {
    const std::int64_t at = item / runs;
    row(s, at, (item - at * runs) * cells, std::make_index_sequence<Rank - 1>());
  }
  KOKKOS_FUNCTION void init(value_type& s) const { s = value_type::zero(); }
  KOKKOS_FUNCTION void join(value_type& s, const value_type& t) const { s.join(t); }
};

template <class T, bool Reproducible, class Exec, class F, std::size_t Rank, class Rule>
T integrate_box(const Exec& exec, const F& f, const std::array<interval<T>, Rank>& box,
                const std::array<std::int64_t, Rank>& n, const Rule& rule) {
  static_assert(!Reproducible || exact_arithmetic,
                "quern::reproducible: not with -ffast-math, -fassociative-math or x87 arithmetic");
  const std::string& label = label_text("quern::integrate");
  using kernel_type = integrate_kernel<T, F, Rule, static_cast<int>(Rank), Reproducible>;
  check_domain<F>(label, box);
  check_lengths(label, box);
  kernel_type kernel{f, rule, {}, {}, {}, {}, std::max(1, kernel_type::run_points / rule.points()), 0, 1, {}};
  double cell = 1, items = 1;
  for (std::size_t d = 0; d < Rank; ++d) {
    if (n[d] < 1)
      throw Error(
          label, "n has " + std::to_string(n[d]) + " points along axis " + std::to_string(d) + ", expected at least 1");
    rule.check(label, n[d]);
    kernel.lower[d] = box[d].lower;
    kernel.upper[d] = box[d].upper;
    kernel.width[d] = (static_cast<double>(box[d].upper) - box[d].lower) / static_cast<double>(n[d]);
    kernel.n[d] = n[d];
    kernel.within[d] = inside<T>(box[d]);
    cell *= kernel.width[d];
    if (d + 1 < Rank) items *= static_cast<double>(kernel.extent(static_cast<int>(d))) * rule.points();
  }
  // A sum of the first node of a run and multiples of the width is off by at most two units of the ends.
  const double nearest = std::fabs(kernel.width[Rank - 1]) * (Rule::closed ? 1.0 : rule.offset(0));
  kernel.rounds = nearest < 4 * std::numeric_limits<T>::epsilon() *
                                std::max(std::fabs(kernel.lower[Rank - 1]), std::fabs(kernel.upper[Rank - 1]));
  kernel.runs = (n[Rank - 1] + kernel.cells - 1) / kernel.cells;
  if (items * static_cast<double>(kernel.runs) > 0x1p62) throw Error(label, "more than 2^62 points");

  using state = typename kernel_type::value_type;
  lease<Exec> held(exec);
  auto* result = held.template result<state>();
  const Kokkos::View<state, result_space<Exec>, Kokkos::MemoryTraits<Kokkos::Unmanaged>> out(result);
  Kokkos::parallel_reduce(kernel_label(label), index_range(exec, static_cast<std::int64_t>(items) * kernel.runs),
                          kernel, out);
  exec.fence(kernel_label(label, ": result"));
  return static_cast<T>(static_cast<double>(result->value()) * cell);
}

template <class T>
inline constexpr bool is_rule = requires(const T& r) {
  r.points();
  T::closed;
};
/// The rule among the options: the midpoint rule where there is none.
inline rule::midpoint rule_of() { return {}; }
template <class First, class... Rest>
auto rule_of(const First& first, const Rest&... rest) {
  if constexpr (!is_rule<First>) return rule_of(rest...);
  else return first;
}

/// A rule, `reproducible` and a name. What else there may be is rejected in `integrate_call`, as compilers differ in
/// whether they look at n before.
template <class... Options>
concept integrate_options = ((is_rule<Options> || option_type<Options> || std::same_as<Options, named>) && ...);
template <class T>
concept integrate_option = is_rule<T> || option<T, reproducible_t>;

template <class T, class Exec, class F, std::size_t Rank, class... Options>
T integrate_by_rule(const Exec& exec, const F& f, const std::array<interval<T>, Rank>& box,
                    const std::array<std::int64_t, Rank>& n, const Options&... options) {
  static_assert((integrate_option<Options> && ...) && !repeated_option<Options...>::value);
  static_assert((0 + ... + is_rule<Options>) <= 1, "quern::integrate: there is one rule");
  constexpr bool reproducible = (std::is_same_v<Options, reproducible_t> || ...);
  return integrate_box<T, reproducible>(exec, f, box, n, rule_of(options...));
}
// Intervals are in braces, so the options are where these calls look for a name.
template <class T, class Exec, class F, std::size_t Rank, class... Options>
T integrate_call(const Exec& exec, const F& f, const std::array<interval<T>, Rank>& box,
                 const std::array<std::int64_t, Rank>& n, const Options&... options) {
  const label_scope functor("quern::integrate", typeid(F));
  return with_name([&](const auto&... others) { return integrate_by_rule<T>(exec, f, box, n, others...); }, options...);
}
template <class T, class Exec, class F, int Rank, class Method, class... Options>
estimate<T> estimate_call(const Exec& exec, const F& f, const std::array<interval<T>, Rank>& box, const Method& how,
                          const Options&... options) {
  const label_scope functor("quern::integrate", typeid(F));
  return with_name([&](const auto&... others) { return integrate_by<T, Exec, F, Rank>(exec, f, box, how, others...); },
                   options...);
}

}  // namespace impl

/// The integral of f over a box by a composite rule: the sum of `weight * f(node)` over n cells along each axis.
///
/// @tparam T   float or double: the type of the coordinates, of the sum and of the result (default double)
/// @param  f   a functor of one to four coordinates; `KOKKOS_LAMBDA(double x, double y)`
/// @param  x, y, z, w   the interval of each axis, `{lower, upper}`
/// @param  n   the number of cells along each axis, at least 1; their product may exceed 2^32
/// @param  options   `quern::rule::midpoint()` (the default), `trapezoid()`, `simpson()` or `gauss_legendre(points)`,
///             along all axes; and `quern::reproducible` for a sum that no order of additions changes. The result has
///             the same bits wherever f does
///
/// Coordinates are within 2 ulp of the largest of the interval, and never outside of it, nor at its ends where the rule
/// is open (midpoint, Gauss-Legendre), however many cells there are; sums are folded in fours and carry their rounding
/// errors along. Waits for `exec`; uses no scratch memory of its own.
/// @throws Error if a number of cells is below 1, or odd under Simpson's rule, or an interval or its length is not
/// finite
template <class T = double, execution_space Exec, class F, class... Options>
  requires impl::integrate_options<Options...>
T integrate(const Exec& exec, const F& f, impl::interval_of<T> x, std::int64_t n, const Options&... options) {
  return impl::integrate_call<T, Exec, F, 1>(exec, f, {x}, {n}, options...);
}
/// The integral over two axes: `integrate(exec, f, {x0, x1}, {y0, y1}, {nx, ny})`.
template <class T = double, execution_space Exec, class F, class... Options>
  requires impl::integrate_options<Options...>
T integrate(const Exec& exec, const F& f, impl::interval_of<T> x, impl::interval_of<T> y, std::array<std::int64_t, 2> n,
            const Options&... options) {
  return impl::integrate_call<T, Exec, F, 2>(exec, f, {x, y}, n, options...);
}
/// The integral over three axes.
template <class T = double, execution_space Exec, class F, class... Options>
  requires impl::integrate_options<Options...>
T integrate(const Exec& exec, const F& f, impl::interval_of<T> x, impl::interval_of<T> y, impl::interval_of<T> z,
            std::array<std::int64_t, 3> n, const Options&... options) {
  return impl::integrate_call<T, Exec, F, 3>(exec, f, {x, y, z}, n, options...);
}
/// The integral over four axes.
template <class T = double, execution_space Exec, class F, class... Options>
  requires impl::integrate_options<Options...>
T integrate(const Exec& exec, const F& f, impl::interval_of<T> x, impl::interval_of<T> y, impl::interval_of<T> z,
            impl::interval_of<T> w, std::array<std::int64_t, 4> n, const Options&... options) {
  return impl::integrate_call<T, Exec, F, 4>(exec, f, {x, y, z, w}, n, options...);
}
template <class T = double, class F, class... Options>
  requires(!execution_space<F> && impl::integrate_options<Options...>)
T integrate(const F& f, impl::interval_of<T> x, std::int64_t n, const Options&... options) {
  return integrate<T>(Kokkos::DefaultExecutionSpace(), f, x, n, options...);
}
template <class T = double, class F, class... Options>
  requires(!execution_space<F> && impl::integrate_options<Options...>)
T integrate(const F& f, impl::interval_of<T> x, impl::interval_of<T> y, std::array<std::int64_t, 2> n,
            const Options&... options) {
  return integrate<T>(Kokkos::DefaultExecutionSpace(), f, x, y, n, options...);
}
template <class T = double, class F, class... Options>
  requires(!execution_space<F> && impl::integrate_options<Options...>)
T integrate(const F& f, impl::interval_of<T> x, impl::interval_of<T> y, impl::interval_of<T> z,
            std::array<std::int64_t, 3> n, const Options&... options) {
  return integrate<T>(Kokkos::DefaultExecutionSpace(), f, x, y, z, n, options...);
}
template <class T = double, class F, class... Options>
  requires(!execution_space<F> && impl::integrate_options<Options...>)
T integrate(const F& f, impl::interval_of<T> x, impl::interval_of<T> y, impl::interval_of<T> z, impl::interval_of<T> w,
            std::array<std::int64_t, 4> n, const Options&... options) {
  return integrate<T>(Kokkos::DefaultExecutionSpace(), f, x, y, z, w, n, options...);
}

/// The integral of f over a box with an estimate of its error, by a method that chooses the points:
///
/// | method | axes | what it does |
/// | --- | --- | --- |
/// | `adaptive{}` | 1, 2 | divides the box where the error is large, until it is within a tolerance |
/// | `monte_carlo{samples, seed}` | 1 to 4 | the mean over random points |
/// | `quasi_monte_carlo{samples, seed}` | 1 to 4 | the mean over points that fill the box evenly |
///
/// Options of `adaptive` are `tolerance` and `max_evaluations`.
/// @return `estimate<T>`
/// Waits for `exec`.
/// @throws Error if an interval is not finite, its length is not for Monte Carlo, or the parameters or options of the
/// method say so
template <class T = double, execution_space Exec, class F, impl::integration_method Method, class... Options>
estimate<T> integrate(const Exec& exec, const F& f, impl::interval_of<T> x, const Method& how,
                      const Options&... options) {
  return impl::estimate_call<T, Exec, F, 1>(exec, f, {x}, how, options...);
}
/// The integral over two axes.
template <class T = double, execution_space Exec, class F, impl::integration_method Method, class... Options>
estimate<T> integrate(const Exec& exec, const F& f, impl::interval_of<T> x, impl::interval_of<T> y, const Method& how,
                      const Options&... options) {
  return impl::estimate_call<T, Exec, F, 2>(exec, f, {x, y}, how, options...);
}
/// The integral over three axes.
template <class T = double, execution_space Exec, class F, impl::integration_method Method, class... Options>
estimate<T> integrate(const Exec& exec, const F& f, impl::interval_of<T> x, impl::interval_of<T> y,
                      impl::interval_of<T> z, const Method& how, const Options&... options) {
  return impl::estimate_call<T, Exec, F, 3>(exec, f, {x, y, z}, how, options...);
}
/// The integral over four axes.
template <class T = double, execution_space Exec, class F, impl::integration_method Method, class... Options>
estimate<T> integrate(const Exec& exec, const F& f, impl::interval_of<T> x, impl::interval_of<T> y,
                      impl::interval_of<T> z, impl::interval_of<T> w, const Method& how, const Options&... options) {
  return impl::estimate_call<T, Exec, F, 4>(exec, f, {x, y, z, w}, how, options...);
}
template <class T = double, class F, impl::integration_method Method, class... Options>
  requires(!execution_space<F>)
estimate<T> integrate(const F& f, impl::interval_of<T> x, const Method& how, const Options&... options) {
  return integrate<T>(Kokkos::DefaultExecutionSpace(), f, x, how, options...);
}
template <class T = double, class F, impl::integration_method Method, class... Options>
  requires(!execution_space<F>)
estimate<T> integrate(const F& f, impl::interval_of<T> x, impl::interval_of<T> y, const Method& how,
                      const Options&... options) {
  return integrate<T>(Kokkos::DefaultExecutionSpace(), f, x, y, how, options...);
}
template <class T = double, class F, impl::integration_method Method, class... Options>
  requires(!execution_space<F>)
estimate<T> integrate(const F& f, impl::interval_of<T> x, impl::interval_of<T> y, impl::interval_of<T> z,
                      const Method& how, const Options&... options) {
  return integrate<T>(Kokkos::DefaultExecutionSpace(), f, x, y, z, how, options...);
}
template <class T = double, class F, impl::integration_method Method, class... Options>
  requires(!execution_space<F>)
estimate<T> integrate(const F& f, impl::interval_of<T> x, impl::interval_of<T> y, impl::interval_of<T> z,
                      impl::interval_of<T> w, const Method& how, const Options&... options) {
  return integrate<T>(Kokkos::DefaultExecutionSpace(), f, x, y, z, w, how, options...);
}

}  // namespace quern

#endif
