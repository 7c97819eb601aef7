// SPDX-FileCopyrightText: the Quern authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef QUERN_BATCH_DORMAND_PRINCE_HPP
#define QUERN_BATCH_DORMAND_PRINCE_HPP

#include <quern/batch/items.hpp>
#include <quern/core/call/tolerance.hpp>
#include <quern/map/math.hpp>

namespace quern {

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

/// The solution within a step.
template <class T, int N>
struct interpolation {
  using vector = Kokkos::Array<T, N>;
  using scheme = dormand_prince;
  T start, reached;
  vector at_start{}, coefficient[4]{};

  KOKKOS_FUNCTION void set(const vector& y, const vector& next, const vector (&slope)[scheme::stages], T h, T from,
                           T to) {
    at_start = y;
    for (int i = 0; i < N; ++i) {
      T sum = 0;
      for (int j = 0; j < scheme::stages; ++j) sum += static_cast<T>(scheme::dense(j)) * slope[j][i];
      const T change = next[i] - y[i], curve = h * slope[0][i] - change;
      coefficient[0][i] = change;
      coefficient[1][i] = curve;
      coefficient[2][i] = change - h * slope[scheme::stages - 1][i] - curve;
      coefficient[3][i] = h * sum;
    }
    start = from;
    reached = to;
  }
  KOKKOS_FUNCTION vector at(T time) const {
    const T s = (time - start) / (reached - start), r = 1 - s;
    vector v;
    for (int i = 0; i < N; ++i)
      v[i] = at_start[i] +
             s * (coefficient[0][i] + r * (coefficient[1][i] + s * (coefficient[2][i] + r * coefficient[3][i])));
    return v;
  }
};

/// The lengths of the steps that follow one, in parts of it.
template <class T>
struct step_control {
  /// After an accepted step: a controller with memory of the step before (Hairer and Wanner II, IV.2).
  KOKKOS_FUNCTION static T growth(T error, T last_error) {
    return T(0.9) * math::pow(Kokkos::max(error, T(1e-10)), T(-0.17)) * math::pow(last_error, T(0.04));
  }
  KOKKOS_FUNCTION static T after_rejection(T error) {
    return Kokkos::isfinite(error) ? Kokkos::max(T(0.2), T(0.9) * math::pow(error, T(-0.2))) : T(0.1);
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
  T h = 0;                 // of the next step, with its sign
  std::int64_t steps = 0;  // so far
  T last_error = T(1e-4);  // of the step before, for the controller
  vector k[stages]{};      // the last of which is the slope at t
  interpolation<T, N> last_step{t, t};

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
  KOKKOS_FUNCTION T within(T time) const {
    return end < last_step.start ? Kokkos::max(time, end) : Kokkos::min(time, end);
  }

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
                                                : math::pow(T(0.01) / steepest, T(0.2));
    h = direction * Kokkos::min(100 * trial, other);
  }

  /// One accepted step; a status.
  KOKKOS_FUNCTION int step() {
    using Kokkos::abs;
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
        const T factor = step_control<T>::growth(error, last_error);
        last_error = Kokkos::max(error, T(1e-4));
        h *= Kokkos::clamp(factor, T(0.2), rejected ? T(1) : T(10));
        return odeint_status::finished;
      }
      rejected = true;
      h *= step_control<T>::after_rejection(error);
    }
  }

  KOKKOS_FUNCTION void accept(const vector (&slope)[stages], const vector& next, T reached) {
    last_step.set(y, next, slope, h, t, reached);
    k[stages - 1] = slope[stages - 1];
    t = reached;
    y = next;
  }

  /// The solution between the ends of the last step.
  KOKKOS_FUNCTION vector at(T time) const { return time == t ? y : last_step.at(time); }
};

}  // namespace batch::impl
}  // namespace quern

#endif
