// SPDX-FileCopyrightText: the Quern authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef QUERN_SCAN_UNWRAP_HPP
#define QUERN_SCAN_UNWRAP_HPP

#include <numbers>
#include <quern/map/functions.hpp>
#include <quern/scan/scan.hpp>

namespace quern {

/// Of `unwrap`: steps that are at least so large are jumps. Half a period without it, and at least.
struct discontinuity {
  using option_of = impl::any_place;
  double value;
};

namespace impl {

/// What takes the jump out of a step from `before` to `x`: the multiple of the period that makes it at most half a
/// period, as NumPy rounds it. There is no step to the first element, be it infinite.
template <class R>
struct jump_correction {
  R period, half, discontinuity;

  template <class T>
  KOKKOS_FUNCTION R operator()(const T& x, const T& before, std::int64_t i) const {
    if (i == 0) return R(0);
    const R step = static_cast<R>(x) - static_cast<R>(before);
    if (Kokkos::fabs(step) < discontinuity) return R(0);
    R rest = Kokkos::fmod(step + half, period);
    if (rest < 0) rest += period;
    R within = rest - half;
    if (within == -half && step > 0) within = half;
    return within - step;
  }
};

/// The elements one place before those of an array along an axis; before the first it is the first.
template <class V>
auto one_before(const std::string& label, const V& v, int along) {
  return each_array(label, v, [&](const auto& a) {
    const auto mapped = as_mapped(a);
    const std::int64_t n = mapped.extents.extent[along];
    return map_axis(label, mapped, along, pad_map{std::max<std::int64_t>(n, 1), 1, pad_mode::edge}, n);
  });
}

/// The numbers of elements along an axis, as an array.
template <int Rank>
auto numbers_along(const shape& extents, int along) {
  return restride<Rank>(make_positions(extents, along), [](const index_layout& l) { return l; });
}

}  // namespace impl

/// Angles without their jumps (NumPy's `unwrap`): to each element along an axis, the last one without the option
/// `axis`, the multiple of the period is added that makes the step from the one before at most half a period.
///
/// @param out     a View of in's extents, of floating-point numbers that hold what is computed
/// @param in      an array of real numbers, which may be lazy or re-indexed
/// @param options `axis{k}`; `period{360}`, 2 pi without it; `discontinuity{d}`: smaller steps are left as they are
///
/// Computed in the type of `in` where that is of floating-point numbers, else in double, by a `cumsum` of the multiples
/// and an addition. A step of half a period keeps its direction. Behind a NaN or an infinity all is NaN, as in NumPy.
/// Asynchronous on `exec`; scratch memory is that of `cumsum`.
/// @throws Error if extents do not fit, the axis is out of range, the period is not positive, or memory overlaps
template <execution_space Exec, view_like Out, array_like In, option<axis, period, discontinuity>... Options>
void unwrap(const Exec& exec, const Out& out, const In& in, const Options&... options) {
  using T = impl::value_of<In>;
  using R = std::conditional_t<std::is_floating_point_v<T>, T, double>;
  constexpr bool real = std::is_arithmetic_v<T> && std::is_floating_point_v<impl::value_of<Out>>;
  static_assert(real, "quern::unwrap: in must be of real numbers, and out of floating-point numbers");
  constexpr bool holds = !real || sizeof(impl::value_of<Out>) >= sizeof(R);
  static_assert(holds, "quern::unwrap: out must hold what is computed: in's type, or double for integers");
  static_assert(impl::may_have_rank<In, 1, max_rank>, "quern::unwrap: in must have one axis at least");
  static_assert(!impl::dual_view<In>, "quern::unwrap: in is one side of a DualView: view_device() or view_host()");
  if constexpr (real && holds && !impl::dual_view<In>) {
    const impl::operation_name label = "quern::unwrap";
    const shape extents = impl::operand_extents(label, in);
    impl::check_extents(label, "out", impl::view_extents(out), extents);
    const int along = impl::axis_option(label, -1, extents.rank, options...);
    const double length = impl::option_or(period{2 * std::numbers::pi}, options...).value;
    if (!(length > 0)) throw Error(label, "a period of " + impl::text_of(length));
    const double least = impl::option_or(discontinuity{0}, options...).value;
    const auto half = static_cast<R>(length / 2);
    const impl::jump_correction<R> correction{static_cast<R>(length), half, std::max(static_cast<R>(least), half)};
    const auto sums = impl::sum_reducer<R, impl::accumulator<R>>();
    const auto jumps = lazy(correction, in, impl::one_before(label, in, along),
                            impl::numbers_along<impl::rank_of<In>>(extents, along));
    impl::scan_call(label, sums, exec, out, jumps, axis{along});
    impl::map_call(label, exec, out, impl::op::add(), std::tie(out, in));
  }
}
template <view_like Out, array_like In, option<axis, period, discontinuity>... Options>
void unwrap(const Out& out, const In& in, const Options&... options) {
  unwrap(impl::space_of(out), out, in, options...);
}
QUERN_TAKES_NAME_NOT(place, unwrap)

}  // namespace quern

#endif
