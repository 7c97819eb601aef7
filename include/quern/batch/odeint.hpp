// SPDX-FileCopyrightText: the Quern authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef QUERN_BATCH_ODEINT_HPP
#define QUERN_BATCH_ODEINT_HPP

#include <quern/batch/items.hpp>
#include <quern/batch/odeint_lanes.hpp>
#include <quern/core/call/label.hpp>

namespace quern {

/// The limit of the steps of one item of `odeint`, accepted or not; 100 000 without it.
struct max_steps {
  using option_of = impl::any_place;
  std::int64_t value;
};
/// The first step of `odeint`; without it, or of 0, it is chosen by the function's scale.
struct first_step {
  using option_of = impl::any_place;
  double value;
};

namespace batch::impl {

/// Systems of more variables are solved one by one: side by side, each variable takes 2 kB of a thread's stack.
inline constexpr int max_lane_variables = 64;

template <int N, class F>
struct odeint_item {
  F f;
  odeint_options options;

  template <class Y, class Status, class First, class Times, class... In>
  KOKKOS_FUNCTION void operator()(const Y& out, const Status& status, const First& first, const Times& times,
                                  const In&... in) const {
    using T = typename Y::value_type;
    const auto count = static_cast<std::int64_t>(times.extent(0));
    if (count == 0) {
      status() = odeint_status::finished;
      return;
    }
    const auto function = [&](const Kokkos::Array<T, N>& y, T t) {
      return call_function(f, y, t, argument_of_item(in)...);
    };
    const T begin = times(0), end = times(count - 1), direction = end < begin ? T(-1) : T(1);
    integration<T, N, std::remove_const_t<decltype(function)>> run{function, options, begin, end,
                                                                   load_item<T, N>(first)};
    const bool finite = all_finite(run.y) && Kokkos::isfinite(begin) && Kokkos::isfinite(end);
    int result = finite ? odeint_status::finished : odeint_status::not_finite;
    if (result == odeint_status::finished && begin != end) {
      run.begin(direction);
      if (!all_finite(run.k[run.stages - 1])) result = odeint_status::not_finite;
    }
    T before = begin;
    for (std::int64_t n = 0; n < count; ++n) {
      const T time = times(n);
      if (result == odeint_status::finished) {
        if (!Kokkos::isfinite(time)) result = odeint_status::not_finite;
        else if ((time - before) * direction < 0 || (end - time) * direction < 0)
          result = odeint_status::unordered_times;
      }
      before = time;
      while (result == odeint_status::finished && (time - run.t) * direction > 0) result = run.step();
      const bool known = result == odeint_status::finished;
      const Kokkos::Array<T, N> y = known ? run.at(time) : run.y;
      for (int i = 0; i < N; ++i) out(n, i) = known ? y[i] : Kokkos::Experimental::quiet_NaN_v<T>;
    }
    status() = result;
  }

  /// On a host, the items from first to before end, by their Views; more than a few side by side.
  template <class Out, class Status, class First, class Times, class... In>
  void run_range(std::int64_t begin, std::int64_t end, const Out& out, const Status& status, const First& first,
                 const Times& times, const In&... in) const {
    using T = typename Out::view::value_type;
    const auto alone = [&] {
      for (std::int64_t i = begin; i < end; ++i) (*this)(out(i), status(i), first(i), times(i), in(i)...);
    };
    if constexpr (N > max_lane_variables) {
      alone();
    } else {
      const auto view = times(begin);
      using time_values = time_list<T, std::remove_const_t<typename decltype(view)::value_type>>;
      const function_of_items<F, In...> function{f, {{in}...}};
      using lanes = integration_lanes<T, N, function_of_items<F, In...>, time_values>;
      const time_values wanted(view);
      if (end - begin < lanes::least_items || !wanted.usable) return alone();
      lanes run{function, options, wanted};
      run.solve(begin, end, out, status, first);
    }
  }
};

inline std::string odeint_problem(int status) {
  switch (status) {
    case odeint_status::step_underflow:
      return "the step size underflows";
    case odeint_status::unordered_times:
      return "the times are not in order";
    case odeint_status::not_finite:
      return "the first values, their slopes or a time are not finite";
    default:
      return "the limit of steps is reached";
  }
}

template <int N, class Exec, class Out, class F, class First, class Times, class... In>
void odeint_call(const Exec& exec, const Out& out, const F& f, const odeint_options& options, const First& y0,
                 const Times& t, const In&... in) {
  static_assert(view_like<First> && view_like<Times>, "quern::odeint: y0 and t are Views");
  const std::string& label = quern::impl::label_text("quern::odeint");
  const auto y = std::get<0>(as_outputs(out));
  check_unknowns<N>(label, y);
  const shape found = view_extents(y), times = view_extents(t);
  check_extents(label, "y0", view_extents(y0), shape{found.extent[0], N});
  check_extents(label, "t", times, shape{found.extent[1]});
  if (!(options.first_step >= 0)) throw Error(label, "the first step is negative or NaN");
  solve_items(label, exec, out, odeint_problem, odeint_item<N, F>{f, options}, y0, unbatched(t), in...);
}

}  // namespace batch::impl

/// Solves `dy/dt = f(y, t)` for many small systems by the method of Dormand and Prince of order 5, with an error
/// estimate of order 4 that chooses each system's steps: one thread for each system, and on hosts many of them side by
/// side in the vector instructions of a thread.
///
/// @code
/// quern::odeint<2>(exec, quern::outputs(y, status), predator_and_prey(), y0, t, rate);  // f(y, t, rate(i)) for item i
/// @endcode
///
/// @tparam N  the number of variables of a system
/// @param out y, (items, times, N) of float or double; or also an int for each item, `quern::outputs(y, status)`, which
///            gets its `odeint_status`
/// @param f   returns the slopes, a `Kokkos::Array` of N numbers, for a `Kokkos::Array` of N numbers, the time and the
///            parameters of the item
/// @param options `tolerance`, `max_steps` and `first_step`, before the inputs. A step is accepted where the root mean
///            square of its estimated errors, each divided by `absolute + relative * |y|`, is at most 1; by default
///            1e-6 and 1e-9
/// @param y0  (items, N), the values at t(0)
/// @param t   of rank 1, the same for all items, increasing or decreasing; between steps y is interpolated with order 4
/// @param in  parameters, as inputs of `quern::vmap`: of a View of rank 1 f gets the item's number, of others its View
///
/// f is called at times from t(0) to the last one alone, whose order is that of the whole: all steps but the last,
/// which ends there, are as long as their errors allow. On hosts it is called for a system again, with values
/// and a time that it had, until others are finished. The error of a step, not that of the result, is kept below the
/// tolerances. Stiff systems take many steps. From the time at which an item fails, its y is NaN; others are not
/// affected.
///
/// Asynchronous on `exec` where statuses are asked for; otherwise waits.
/// @throws Error if extents do not fit, or a tolerance or the first step is negative or NaN; ConvergenceError with the
/// first item that failed, without statuses
template <int N, execution_space Exec, output_like Out, class F, class... In>
  requires((impl::vmap_argument<In> || option<In, tolerance, max_steps, first_step>) && ...)
void odeint(const Exec& exec, const Out& out, const F& f, const In&... in) {
  const impl::label_scope functor("quern::odeint", typeid(F));
  impl::with_options_first(
      [&](const auto& inputs, const auto&... options) {
        const batch::impl::odeint_options wanted{impl::tolerances_of("quern::odeint", {1e-6, 1e-9}, options...),
                                                 impl::option_or(max_steps{100'000}, options...).value,
                                                 impl::option_or(first_step{0}, options...).value};
        constexpr bool complete = std::tuple_size_v<std::remove_cvref_t<decltype(inputs)>> >= 2;
        static_assert(complete, "quern::odeint: the first values y0 and the times t stand before the parameters");
        if constexpr (complete)
          impl::unpack([&](const auto&... one) { batch::impl::odeint_call<N>(exec, out, f, wanted, one...); }, inputs);
      },
      in...);
}
template <int N, output_like Out, class F, class... In>
  requires((impl::vmap_argument<In> || option<In, tolerance, max_steps, first_step>) && ...)
void odeint(const Out& out, const F& f, const In&... in) {
  odeint<N>(impl::space_of(out), out, f, in...);
}
QUERN_TAKES_NAME_WITH(odeint, int N, N)

}  // namespace quern

#endif
