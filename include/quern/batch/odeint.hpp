// SPDX-FileCopyrightText: the Quern authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef QUERN_BATCH_ODEINT_HPP
#define QUERN_BATCH_ODEINT_HPP

#include <quern/batch/items.hpp>
#include <quern/core/call/label.hpp>
#include <quern/core/call/tolerance.hpp>

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

/// What `odeint` says of an item.
struct odeint_status {
  static constexpr int finished = 0, step_limit = 1, step_underflow = 2, not_finite = 3, unordered_times = 4;
};

namespace batch::impl {

/// What the options of `odeint` ask for.
struct odeint_options {
  quern::impl::tolerances within;
  std::int64_t max_steps;
  double first_step;
};

/// The coefficients of Dormand and Prince, A family of embedded Runge-Kutta formulae (1980), of order 5(4), and of the
/// interpolation of order 4 by Hairer, Norsett and Wanner, Solving Ordinary Differential Equations I (1993), II.6.
struct dormand_prince {
  static constexpr int stages = 7;
  KOKKOS_FUNCTION static constexpr double node(int s) {
    constexpr double c[stages] = {0, 1.0 / 5, 3.0 / 10, 4.0 / 5, 8.0 / 9, 1, 1};
    return c[s];
  }
  KOKKOS_FUNCTION static constexpr double weight(int s, int k) {
    constexpr double a[stages][stages - 1] = {{},
                                              {1.0 / 5},
                                              {3.0 / 40, 9.0 / 40},
                                              {44.0 / 45, -56.0 / 15, 32.0 / 9},
                                              {19372.0 / 6561, -25360.0 / 2187, 64448.0 / 6561, -212.0 / 729},
                                              {9017.0 / 3168, -355.0 / 33, 46732.0 / 5247, 49.0 / 176, -5103.0 / 18656},
                                              {35.0 / 384, 0, 500.0 / 1113, 125.0 / 192, -2187.0 / 6784, 11.0 / 84}};
    return a[s][k];
  }
  /// Of the difference between the two orders.
  KOKKOS_FUNCTION static constexpr double error(int k) {
    constexpr double e[stages] = {71.0 / 57600,      0,          -71.0 / 16695, 71.0 / 1920,
                                  -17253.0 / 339200, 22.0 / 525, -1.0 / 40};
    return e[k];
  }
  KOKKOS_FUNCTION static constexpr double dense(int k) {
    constexpr double d[stages] = {-12715105075.0 / 11282082432,  0,
                                  87487479700.0 / 32700410799,   -10690763975.0 / 1880347072,
                                  701980252875.0 / 199316789632, -1453857185.0 / 822651844,
                                  69997945.0 / 29380423};
    return d[k];
  }
};

/// The integration of one item.
template <class T, int N, class Function>
struct integration {
  using vector = Kokkos::Array<T, N>;
  using scheme = dormand_prince;
  static constexpr int stages = scheme::stages;

  const Function& f;
  const odeint_options& options;
  T t, end;  // now, and the last time, which f is not called beyond
  vector y;
  T h = 0;                              // of the next step, with its sign
  std::int64_t steps = 0;               // so far
  T last_error = T(1e-4);               // of the step before, for the controller
  vector k[stages]{};                   // the last of which is the slope at t
  vector at_start{}, coefficient[4]{};  // of the interpolation over the last step, from start to t
  T start = t;

  /// Root mean square of values, each divided by what is allowed at y.
  KOKKOS_FUNCTION T scaled_norm(const vector& v, const vector& a, const vector& b) const {
    T sum = 0, largest = 0;
    for (int i = 0; i < N; ++i) {
      const T allowed = static_cast<T>(options.within.absolute) +
                        static_cast<T>(options.within.relative) * Kokkos::max(Kokkos::abs(a[i]), Kokkos::abs(b[i]));
      const T ratio = v[i] == T(0) ? T(0) : v[i] / allowed;  // nothing is allowed at 0 without an absolute tolerance
      sum += ratio * ratio;
      largest = Kokkos::max(largest, Kokkos::abs(ratio));
    }
    // Where squares overflow, the largest is the norm within a factor of the root of N.
    return Kokkos::isinf(sum) ? largest : Kokkos::sqrt(sum / N);
  }
  /// That time, or the last one where rounding or a step goes beyond it.
  KOKKOS_FUNCTION T within(T time) const { return end < start ? Kokkos::max(time, end) : Kokkos::min(time, end); }

  /// The first step, by the scale of the function and of its change over an Euler step (Hairer, Norsett and Wanner,
  /// II.4).
  KOKKOS_FUNCTION void begin(T direction) {
    k[stages - 1] = f(y, t);
    if (options.first_step > 0) {
      h = direction * static_cast<T>(options.first_step);
      return;
    }
    const vector& slope = k[stages - 1];
    const T size = scaled_norm(y, y, y), speed = scaled_norm(slope, y, y);
    const T distance = Kokkos::abs(end - t), least = Kokkos::Experimental::epsilon_v<T> * distance;
    // With no absolute tolerance, norms of zeros are not finite.
    const bool known = size >= T(1e-5) && speed >= T(1e-5) && Kokkos::isfinite(speed);
    T trial = known ? T(0.01) * (size / speed) : T(1e-6);
    trial = Kokkos::clamp(trial, least, distance);
    vector next, change;
    for (int i = 0; i < N; ++i) next[i] = y[i] + direction * trial * slope[i];
    const vector there = f(next, within(t + direction * trial));
    for (int i = 0; i < N; ++i) change[i] = there[i] - slope[i];
    const T bend = scaled_norm(change, y, y) / trial;
    const T steepest = Kokkos::isfinite(bend) ? Kokkos::max(speed, bend) : speed;  // f may end before the trial step
    const T other = !Kokkos::isfinite(steepest) ? trial
                    : steepest <= T(1e-15)      ? Kokkos::max(T(1e-6), trial * T(1e-3))
                                                : Kokkos::pow(T(0.01) / steepest, T(0.2));
    h = direction * Kokkos::min(100 * trial, other);
  }

  /// One accepted step; a status.
  KOKKOS_FUNCTION int step() {
    using Kokkos::abs, Kokkos::pow;
    bool rejected = false;
    for (;;) {
      if (steps++ >= options.max_steps) return odeint_status::step_limit;
      // The last step reaches the end, also where it is a little longer than the error allows, rather than leave a
      // rest.
      const bool last = abs(end - t) <= T(1.01) * abs(h);
      if (last) h = end - t;
      else if (abs(h) <= 4 * Kokkos::Experimental::epsilon_v<T> * abs(t) || h == T(0))
        return odeint_status::step_underflow;
      vector first = k[stages - 1], next, errors;
      vector slope[stages];
      slope[0] = first;
      for (int s = 1; s < stages; ++s) {
        for (int i = 0; i < N; ++i) {
          T sum = 0;
          for (int j = 0; j < s; ++j) sum += static_cast<T>(scheme::weight(s, j)) * slope[j][i];
          next[i] = y[i] + h * sum;
        }
        slope[s] = f(next, last && scheme::node(s) == 1 ? end : within(t + static_cast<T>(scheme::node(s)) * h));
      }
      for (int i = 0; i < N; ++i) {
        T sum = 0;
        for (int j = 0; j < stages; ++j) sum += static_cast<T>(scheme::error(j)) * slope[j][i];
        errors[i] = h * sum;
      }
      const T error = scaled_norm(errors, y, next);
      if (error <= T(1)) {
        accept(slope, next, last ? end : t + h);
        // A controller with memory of the step before (Hairer and Wanner II, IV.2).
        const T factor = T(0.9) * pow(Kokkos::max(error, T(1e-10)), T(-0.17)) * pow(last_error, T(0.04));
        last_error = Kokkos::max(error, T(1e-4));
        h *= Kokkos::clamp(factor, T(0.2), rejected ? T(1) : T(10));
        return odeint_status::finished;
      }
      rejected = true;
      h *= Kokkos::isfinite(error) ? Kokkos::max(T(0.2), T(0.9) * pow(error, T(-0.2))) : T(0.1);
    }
  }

  KOKKOS_FUNCTION void accept(const vector (&slope)[stages], const vector& next, T reached) {
    at_start = y;
    for (int i = 0; i < N; ++i) {
      T sum = 0;
      for (int j = 0; j < stages; ++j) sum += static_cast<T>(scheme::dense(j)) * slope[j][i];
      const T change = next[i] - y[i], curve = h * slope[0][i] - change;
      coefficient[0][i] = change;
      coefficient[1][i] = curve;
      coefficient[2][i] = change - h * slope[stages - 1][i] - curve;
      coefficient[3][i] = h * sum;
    }
    k[stages - 1] = slope[stages - 1];
    start = t;
    t = reached;
    y = next;
  }

  /// The solution between the ends of the last step.
  KOKKOS_FUNCTION vector at(T time) const {
    if (time == t) return y;
    const T s = (time - start) / (t - start), r = 1 - s;
    vector v;
    for (int i = 0; i < N; ++i)
      v[i] = at_start[i] +
             s * (coefficient[0][i] + r * (coefficient[1][i] + s * (coefficient[2][i] + r * coefficient[3][i])));
    return v;
  }
};

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
  const shape found = extents_of(y), times = extents_of(t);
  check_extents(label, "y0", extents_of(y0), shape{found.extent[0], N});
  check_extents(label, "t", times, shape{found.extent[1]});
  if (!(options.first_step >= 0)) throw Error(label, "the first step is negative or NaN");
  solve_items(label, exec, out, odeint_problem, odeint_item<N, F>{f, options}, y0, unbatched(t), in...);
}

}  // namespace batch::impl

/// Solves `dy/dt = f(y, t)` for many small systems by the method of Dormand and Prince of order 5, with an error
/// estimate of order 4 that chooses each system's steps: one thread for each system.
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
/// which ends there, are as long as their errors allow. The error of a step, not that of the result, is kept below the
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
