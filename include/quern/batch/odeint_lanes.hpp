// SPDX-FileCopyrightText: the Quern authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef QUERN_BATCH_ODEINT_LANES_HPP
#define QUERN_BATCH_ODEINT_LANES_HPP

#include <algorithm>
#include <quern/batch/dormand_prince.hpp>
#include <quern/core/launch/ivdep.hpp>

namespace quern::batch::impl {

/// The times of outputs, which all items share, of a type of their own.
template <class T, class Stored>
struct time_list {
  const Stored* data = nullptr;
  std::int64_t step = 0, count = 0;
  T begin = 0, end = 0;
  bool usable = false;  // finite and in order, with time between the first and the last

  template <class Times>
  explicit time_list(const Times& times)
      : data(times.data()),
        step(static_cast<std::int64_t>(times.stride(0))),
        count(static_cast<std::int64_t>(times.extent(0))) {
    if (count == 0) return;
    begin = (*this)(0);
    end = (*this)(count - 1);
    usable = begin != end && Kokkos::isfinite(begin);
    for (std::int64_t n = 1; n < count; ++n)
      usable = usable && Kokkos::isfinite((*this)(n)) && ((*this)(n) - (*this)(n - 1)) * direction() >= 0;
  }
  T operator()(std::int64_t n) const { return static_cast<T>(data[n * step]); }
  T direction() const { return end < begin ? T(-1) : T(1); }
};

/// The user's function of the values, the time and the number of an item.
template <class F, class... Source>
struct function_of_items {
  const F& f;
  operand_tuple<Source...> in;

  template <class Y, class T>
  KOKKOS_FUNCTION Y operator()(const Y& y, const T& t, std::int64_t item) const {
    return call(y, t, item, std::index_sequence_for<Source...>());
  }

 private:
  template <class Y, class T, std::size_t... I>
  KOKKOS_FUNCTION Y call(const Y& y, const T& t, [[maybe_unused]] std::int64_t item, std::index_sequence<I...>) const {
    return call_function(f, y, t, argument_of_item(get<I>(in)(item))...);
  }
};
/// That of one item.
template <class Function>
struct function_of_item {
  const Function& f;
  std::int64_t item;
  template <class Y, class T>
  KOKKOS_FUNCTION Y operator()(const Y& y, const T& t) const {
    return f(y, t, item);
  }
};

/// Systems that a thread of a host integrates side by side, one in each lane of its vectors: each takes steps of its
/// own length, and a lane whose system is finished takes the next one. The operations on a system are those of
/// `integration`, in the same order; compilers may fuse others of them.
template <class T, int N, class Function, class Times>
struct integration_lanes {
  using scheme = dormand_prince;
  using vector = Kokkos::Array<T, N>;
  using components = std::make_index_sequence<N>;
  /// As wide as T: vectors choose by flags of the same width.
  using flag = std::conditional_t<sizeof(T) == 8, std::int64_t, std::int32_t>;
  static constexpr int stages = scheme::stages;
  /// g++ writes out loops of 16 rounds or fewer, and then finds no vector instructions.
  static constexpr int lanes = 32;
  static constexpr std::int64_t least_items = lanes / 2;
  /// So few running systems are finished one by one, when none waits.
  static constexpr int few = lanes / 8;
  using lane = T[lanes];

  const Function& f;  // of values, time and the number of the item
  const odeint_options& options;
  const Times& times;

  alignas(64) lane t{}, h{}, last_error{}, reached{}, error{}, factor{};
  alignas(64) lane y[N]{}, next[N]{}, slope[stages][N]{};  // the first of which is that at t
  alignas(64) flag accepted[lanes]{};
  bool rejected[lanes]{}, active[lanes]{};
  std::int64_t item[lanes]{}, steps[lanes]{}, output[lanes]{};  // the output that comes next

  /// The items from first to before end.
  template <class Out, class Status, class First>
  void solve(std::int64_t begin, std::int64_t end, const Out& out, const Status& status, const First& first) {
    std::int64_t waiting = begin;
    int running = 0;
    const auto finish = [&](int l, int result) {
      const auto to = out(item[l]);
      for (; output[l] < times.count; ++output[l])
        for (int i = 0; i < N; ++i) to(output[l], i) = Kokkos::Experimental::quiet_NaN_v<T>;
      status(item[l])() = result;
      active[l] = false;
      --running;
    };
    const auto refill = [&](int l) {
      while (!active[l] && waiting < end) {
        active[l] = true;
        ++running;
        const int result = load(l, waiting, first(waiting));
        ++waiting;
        if (result != odeint_status::finished) finish(l, result);
        else write_outputs(l, out(item[l]));
      }
      if (!active[l]) idle(l);
    };
    for (int l = 0; l < lanes; ++l) {
      set(l, begin, times.begin, load_item<T, N>(first(begin)));
      refill(l);
    }
    while (running > 0) {
      if (waiting == end && running <= few)
        for (int l = 0; l < lanes; ++l)
          if (active[l] && !rejected[l]) {
            finish(l, solve_alone(l, out(item[l])));
            refill(l);
          }
      for (int l = 0; l < lanes; ++l)
        while (active[l]) {
          const int result = prepare(l);
          if (result == odeint_status::finished) break;
          finish(l, result);
          refill(l);
        }
      if (running == 0) return;
      attempt();
      estimate();
      for (int l = 0; l < lanes; ++l)
        if (active[l] && accepted[l] != 0 && is_due(l, reached[l])) write_outputs(l, out(item[l]));
      advance();
      for (int l = 0; l < lanes; ++l)
        if (active[l] && output[l] == times.count) {
          finish(l, odeint_status::finished);
          refill(l);
        }
    }
  }

 private:
  T within(T time) const {
    return times.end < times.begin ? Kokkos::max(time, times.end) : Kokkos::min(time, times.end);
  }

  template <std::size_t... I>
  vector lane_of(const lane (&v)[N], int l, std::index_sequence<I...>) const {
    return {v[I][l]...};
  }
  vector lane_of(const lane (&v)[N], int l) const { return lane_of(v, l, components()); }

  void set(int l, std::int64_t number, T time, const vector& values) {
    item[l] = number;
    t[l] = reached[l] = time;
    for (int i = 0; i < N; ++i) y[i][l] = next[i][l] = values[i];
  }
  /// Begins with an item; a status.
  template <class First>
  int load(int l, std::int64_t number, const First& first) {
    const function_of_item<Function> function{f, number};
    integration<T, N, function_of_item<Function>> one{function, options, times.begin, times.end,
                                                      load_item<T, N>(first)};
    set(l, number, one.t, one.y);
    output[l] = steps[l] = 0;
    rejected[l] = false;
    if (!all_finite(one.y)) return odeint_status::not_finite;
    one.begin(times.direction());
    h[l] = one.h;
    last_error[l] = one.last_error;
    for (int i = 0; i < N; ++i) slope[0][i][l] = one.k[stages - 1][i];
    return all_finite(one.k[stages - 1]) ? odeint_status::finished : odeint_status::not_finite;
  }
  /// Gives a lane without a system the values of another's: f is called with these again, and they stay what they are.
  void idle(int l) {
    const auto other = std::find(active, active + lanes, true) - active;
    if (other == lanes) return;
    set(l, item[other], t[other], lane_of(y, static_cast<int>(other)));
    h[l] = 0;
    for (auto& stage : slope)
      for (int i = 0; i < N; ++i) stage[i][l] = 0;
  }
  /// What is left of a system, without the others; a status.
  template <class Out>
  int solve_alone(int l, const Out& out) {
    const function_of_item<Function> function{f, item[l]};
    integration<T, N, function_of_item<Function>> one{function, options, t[l], times.end, lane_of(y, l)};
    one.h = h[l];
    one.steps = steps[l];
    one.last_error = last_error[l];
    one.k[stages - 1] = lane_of(slope[0], l);
    for (; output[l] < times.count; ++output[l]) {
      const T time = times(output[l]);
      while ((time - one.t) * times.direction() > 0)
        if (const int result = one.step(); result != odeint_status::finished) return result;
      const vector values = one.at(time);
      for (int i = 0; i < N; ++i) out(output[l], i) = values[i];
    }
    return odeint_status::finished;
  }
  /// Chooses the end of the next step; a status.
  int prepare(int l) {
    using Kokkos::abs;
    if (steps[l]++ >= options.max_steps) return odeint_status::step_limit;
    reached[l] = t[l] + h[l];
    if (abs(times.end - t[l]) <= T(1.01) * abs(h[l])) {
      h[l] = times.end - t[l];
      reached[l] = times.end;
    } else if (abs(h[l]) <= 4 * Kokkos::Experimental::epsilon_v<T> * abs(t[l]) || h[l] == T(0)) {
      return odeint_status::step_underflow;
    }
    return odeint_status::finished;
  }

  /// sum over j of weight(j) slope[j][i][l], in their order.
  template <class Weight, std::size_t... J>
  T sum(const Weight& weight, int i, int l, std::index_sequence<J...>) const {
    return (... + (static_cast<T>(weight(static_cast<int>(J))) * slope[J][i][l]));
  }
  /// Slopes and values at the end of a step.
  void attempt() {
    const auto all = [&]<std::size_t... S>(std::index_sequence<S...>) { (attempt_stage<S + 1>(components()), ...); };
    all(std::make_index_sequence<stages - 1>());
  }
  template <int S, std::size_t... I>
  void attempt_stage(std::index_sequence<I...>) {
    alignas(64) lane time;
    for (int l = 0; l < lanes; ++l)
      time[l] = within(scheme::node(S) == 1 ? reached[l] : t[l] + static_cast<T>(scheme::node(S)) * h[l]);
    for (int i = 0; i < N; ++i)
      for (int l = 0; l < lanes; ++l) {
        const auto weight = [](int j) { return scheme::weight(S, j); };
        next[i][l] = y[i][l] + h[l] * sum(weight, i, l, std::make_index_sequence<S>());
      }
    QUERN_IMPL_IVDEP
    for (int l = 0; l < lanes; ++l) {
      const auto there = f(vector{next[I][l]...}, time[l], item[l]);
      ((slope[S][I][l] = there[I]), ...);
    }
  }
  /// The scaled norms of the errors, as `scaled_norm` has them, and what follows from them.
  void estimate() {
    alignas(64) lane squares{}, largest{};
    for (int i = 0; i < N; ++i)
      for (int l = 0; l < lanes; ++l) {
        const T e = h[l] * sum(scheme::error, i, l, std::make_index_sequence<stages>());
        const T allowed =
            static_cast<T>(options.within.absolute) +
            static_cast<T>(options.within.relative) * Kokkos::max(Kokkos::abs(y[i][l]), Kokkos::abs(next[i][l]));
        const T ratio = e / (e == T(0) ? T(1) : allowed);
        squares[l] += ratio * ratio;
        largest[l] = Kokkos::max(largest[l], Kokkos::abs(ratio));
      }
    for (int l = 0; l < lanes; ++l) {
      error[l] = Kokkos::isinf(squares[l]) ? largest[l] : Kokkos::sqrt(squares[l] / N);
      accepted[l] = error[l] <= T(1) ? -1 : 0;
    }
    for (int l = 0; l < lanes; ++l) factor[l] = step_control<T>::growth(error[l], last_error[l]);
  }
  /// Goes on to the ends of steps that are accepted, and chooses the lengths of the next.
  void advance() {
    for (int i = 0; i < N; ++i)
      for (int l = 0; l < lanes; ++l) {
        y[i][l] = accepted[l] != 0 ? next[i][l] : y[i][l];
        slope[0][i][l] = accepted[l] != 0 ? slope[stages - 1][i][l] : slope[0][i][l];
      }
    for (int l = 0; l < lanes; ++l) {
      if (accepted[l] != 0) {
        t[l] = reached[l];
        last_error[l] = Kokkos::max(error[l], T(1e-4));
        h[l] *= Kokkos::clamp(factor[l], T(0.2), rejected[l] ? T(1) : T(10));
      } else {
        h[l] *= step_control<T>::after_rejection(error[l]);
      }
      rejected[l] = accepted[l] == 0;
    }
  }

  bool is_due(int l, T now) const {
    return output[l] < times.count && (times(output[l]) - now) * times.direction() <= 0;
  }
  /// The outputs until the end of the step.
  template <class Out>
  void write_outputs(int l, const Out& out) {
    interpolation<T, N> step{};
    vector slopes[stages];
    for (int s = 0; s < stages; ++s) slopes[s] = lane_of(slope[s], l);
    const vector now = lane_of(next, l);
    step.set(lane_of(y, l), now, slopes, h[l], t[l], reached[l]);
    for (; is_due(l, reached[l]); ++output[l]) {
      const T time = times(output[l]);
      const vector values = time == reached[l] ? now : step.at(time);
      for (int i = 0; i < N; ++i) out(output[l], i) = values[i];
    }
  }
};

}  // namespace quern::batch::impl

#endif
