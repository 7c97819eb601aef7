// SPDX-FileCopyrightText: the Quern authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef QUERN_ANALYSIS_RUNNING_STATISTICS_HPP
#define QUERN_ANALYSIS_RUNNING_STATISTICS_HPP

/// @file
/// Statistics of fields that grow with the steps of a simulation, in the memory where the fields are.

#include <algorithm>
#include <concepts>
#include <quern/core/views/part_view.hpp>
#include <quern/map/functions.hpp>
#include <quern/reduce/reduce.hpp>

namespace quern {
namespace impl {

/// Mean, squares, minimum and maximum in one pass. Its results are its states.
template <class T>
struct statistics_reducer {
  using of_moments = moments_reducer<T>;
  using of_extrema = minmax_reducer<T>;
  struct state {
    typename of_moments::state moments;
    extrema<T> ends;
  };

  /// Values that a thread of a device adds at once: with the extrema of more of them registers spill.
  template <class V>
  static constexpr int at_once = std::min(of_moments::template at_once<V>, 4);

  KOKKOS_FUNCTION state init() const { return {of_moments().init(), of_extrema().init()}; }
  KOKKOS_FUNCTION void add(state& s, const T& v) const {
    of_moments().add(s.moments, v);
    of_extrema().add(s.ends, v);
    keep_overflow(s);
  }
  template <int N>
  KOKKOS_FUNCTION void add_block(state& s, const T* v) const {
    of_moments().template add_block<N>(s.moments, v);
    of_extrema().template add_block<N>(s.ends, v);
    keep_overflow(s);
  }
  KOKKOS_FUNCTION void join(state& s, const state& t) const {
    of_moments().join(s.moments, t.moments);
    of_extrema().join(s.ends, t.ends);
    keep_overflow(s);
  }
  KOKKOS_FUNCTION state result(const state& s, std::int64_t) const { return s; }

 private:
  /// Squares that have overflowed stay infinite, also where they are taken about another center.
  KOKKOS_FUNCTION static void keep_overflow(state& s) {
    auto& squares = s.moments.squares;
    const auto distance = s.moments.distances.value();
    if (!is_nan(squares.value()) || distance - distance != 0) return;
    squares = {};
    squares.sum = Kokkos::Experimental::infinity_v<typename of_moments::wide>;
  }
};

/// A state with one value more.
template <class T>
struct with_value {
  using state = typename statistics_reducer<T>::state;
  template <class V>
  KOKKOS_FUNCTION state operator()(state s, const V& v) const {
    statistics_reducer<T>().add(s, static_cast<T>(v));
    return s;
  }
};
/// The state of the values of two.
template <class T>
struct joined_states {
  using state = typename statistics_reducer<T>::state;
  KOKKOS_FUNCTION state operator()(state s, const state& t) const {
    statistics_reducer<T>().join(s, t);
    return s;
  }
};

template <class T>
struct mean_of_state {
  KOKKOS_FUNCTION T operator()(const typename statistics_reducer<T>::state& s) const {
    return moments_reducer<T>().mean(s.moments);
  }
};
template <class T, bool Root>
struct variance_of_state {
  std::int64_t ddof;
  KOKKOS_FUNCTION T operator()(const typename statistics_reducer<T>::state& s) const {
    const T v = moments_reducer<T>{ddof}.variance(s.moments);
    return Root ? Kokkos::sqrt(v) : v;
  }
};
template <class T, int Sign>
struct extremum_of_state {
  KOKKOS_FUNCTION T operator()(const typename statistics_reducer<T>::state& s) const {
    const T found = Sign < 0 ? s.ends.min : s.ends.max;
    return s.moments.n == 0 ? Kokkos::Experimental::quiet_NaN_v<T> : found;
  }
};
template <class T>
struct count_of_state {
  KOKKOS_FUNCTION std::int64_t operator()(const typename statistics_reducer<T>::state& s) const {
    return static_cast<std::int64_t>(s.moments.n);
  }
};

}  // namespace impl

/// Count, mean, variance, minimum and maximum of all values that have been added, of each element of a field over
/// time, of all elements together, or of all along some axes, as the profiles of turbulence are averaged:
///
/// @code
/// quern::RunningStatistics<field> of_cells(exec, u);                              // one for each cell
/// quern::RunningStatistics<Kokkos::View<double>> of_all(exec);                    // one for all cells and steps
/// quern::RunningStatistics<Kokkos::View<double*>> profile(exec, u.extent(0));     // one for each plane
/// for (int step = 0; step < steps; ++step) {
///   advance(exec, u);
///   of_cells.add(exec, u);
///   of_all.add(exec, u);
///   profile.add(exec, u, quern::axes{1, 2});
/// }
/// of_cells.mean(exec, mean_field);       // a View of the extents of u
/// const double deviation = of_all.stddev(exec);
/// @endcode
///
/// @tparam V a View of the values' type, float or double, with as many axes as there are statistics along; their
///           states have its layout and lie in its memory
///
/// The states are those of `mean_var`, `min` and `max`, and so is the accuracy, whatever the number of steps: results
/// are those of one call for all values, up to the rounding of sums that carry their errors along. A state of double
/// takes 64 bytes, one of float 40, which `add` reads and writes. They are in memory that `exec` reaches, and what is
/// called is asynchronous on `exec`: nothing waits for the host, and a warm call allocates nothing. Only what returns a
/// number waits. `add` may be captured in a device graph, which adds at each launch; where it reduces, with a
/// `WorkspaceScope`. Work on one object must be ordered, as work on one View is; copies share the states, as those of a
/// View do.
///
/// NaN gives NaN in mean, variance and extrema of its element, and infinite values a variance of NaN, as NumPy's. A
/// variance is infinite where squares overflow, above some 1e154; what sums of values overflow at, means do, too. Where
/// nothing has been added, the count is 0 and all else NaN.
template <view_like V>
class RunningStatistics {
  using T = impl::value_of<V>;
  using reducer = impl::statistics_reducer<T>;
  static constexpr int rank = impl::rank_of<V>;
  using layout = std::conditional_t<std::is_same_v<typename V::array_layout, Kokkos::LayoutLeft>, Kokkos::LayoutLeft,
                                    Kokkos::LayoutRight>;
  static_assert(std::is_same_v<T, float> || std::is_same_v<T, double>,
                "quern::RunningStatistics: the values are float or double; what is added converts to them");

 public:
  using merged_over_ranks = void;
  using space_type = typename V::execution_space;
  using value_type = T;
  using state_type = typename reducer::state;
  using state_view =
      Kokkos::View<typename impl::with_pointers<state_type, rank>::type, layout, typename V::memory_space>;

  /// Of these extents, one for each axis. Allocates.
  /// @throws Error if one is negative
  template <execution_space Exec, std::integral... N>
    requires(sizeof...(N) == rank)
  explicit RunningStatistics(const Exec& exec, N... extents)
      : states_(Kokkos::view_alloc(exec, Kokkos::WithoutInitializing, "quern::RunningStatistics"),
                checked(static_cast<std::int64_t>(extents))...) {
    reset(exec);
  }
  /// Of the extents of a View.
  template <execution_space Exec>
    requires(rank > 0)
  RunningStatistics(const Exec& exec, const V& like)
      : states_(Kokkos::view_alloc(exec, Kokkos::WithoutInitializing, "quern::RunningStatistics"), layout_of(like)) {
    reset(exec);
  }

  /// Forgets all values.
  template <execution_space Exec>
  void reset(const Exec& exec) const {
    impl::map_checked(name("/reset"), exec, states_, impl::op::identity(), reducer().init());
  }

  /// Adds the elements of x, each to the statistics at its place. x has the extents of the statistics; with the option
  /// `axes` (or `axis`) those along the other axes, and where the statistics have no axis any: then all that is
  /// reduced to one place is added to its state. x may be lazy or re-indexed. Where it is reduced it may be in chunks
  /// or over ranks, too: the call then waits as other reductions do, and the statistics are whole on every rank.
  /// @throws Error if extents do not fit, or an axis is out of range or repeated
  template <execution_space Exec, any_array X, call_option<axes>... Options>
  void add(const Exec& exec, const X& x, const Options&... options) const {
    constexpr bool real = impl::has_order<impl::value_of<X>> && impl::converts<impl::value_of<X>, T>;
    static_assert(real, "quern::RunningStatistics: x must be of real numbers");
    constexpr bool reduced = rank == 0 || impl::has_option<axes, Options...>;
    static_assert(reduced || array_like<X>,
                  "quern::RunningStatistics: statistics of each element are of arrays in memory; over ranks they are "
                  "those of each rank's local View");
    if constexpr (real && reduced) {
      const impl::scratch_array<Exec, state_type> memory(exec, states_.size());
      const impl::strided<state_type> sample{memory.data(), impl::view_extents(states_),
                                             impl::row_major_strides(impl::view_extents(states_))};
      const auto states = impl::as_part<Exec, rank>(sample);
      impl::reduce_call(impl::reduction{name("/reduce"), reducer(), impl::cast_to<T>()}, exec, states, std::tie(x),
                        options...);
      impl::map_checked(name("/add"), exec, states_, impl::joined_states<T>(), states_, states);
    } else if constexpr (real && array_like<X>) {
      impl::check_extents(name(), "x", impl::operand_extents(name(), x), impl::view_extents(states_));
      impl::map_checked(name("/add"), exec, states_, impl::with_value<T>(), states_, x);
    }
  }

  /// Adds all that has been added to others, as Chan, Golub and LeVeque join samples.
  /// @throws Error if extents differ
  template <execution_space Exec>
  void merge(const Exec& exec, const RunningStatistics& other) const {
    join(exec, other.states_);
  }

  /// How many values have been added; to integers of 64 bits.
  template <execution_space Exec, view_like Out>
  void count(const Exec& exec, const Out& out) const {
    write(exec, out, impl::count_of_state<T>());
  }
  template <execution_space Exec, view_like Out>
  void mean(const Exec& exec, const Out& out) const {
    write(exec, out, impl::mean_of_state<T>());
  }
  /// The sum of squared deviations divided by the count - ddof; ddof is 0 without the option, as NumPy's.
  template <execution_space Exec, view_like Out, option<ddof>... Options>
  void var(const Exec& exec, const Out& out, const Options&... options) const {
    write(exec, out, impl::variance_of_state<T, false>{impl::ddof_of(options...)});
  }
  template <execution_space Exec, view_like Out, option<ddof>... Options>
  void stddev(const Exec& exec, const Out& out, const Options&... options) const {
    write(exec, out, impl::variance_of_state<T, true>{impl::ddof_of(options...)});
  }
  template <execution_space Exec, view_like Out>
  void min(const Exec& exec, const Out& out) const {
    write(exec, out, impl::extremum_of_state<T, -1>());
  }
  template <execution_space Exec, view_like Out>
  void max(const Exec& exec, const Out& out) const {
    write(exec, out, impl::extremum_of_state<T, 1>());
  }

  /// The same of statistics without axes, as numbers. These wait.
  template <execution_space Exec>
    requires(rank == 0)
  std::int64_t count(const Exec& exec) const {
    return on_host(exec, impl::count_of_state<T>());
  }
  template <execution_space Exec>
    requires(rank == 0)
  T mean(const Exec& exec) const {
    return on_host(exec, impl::mean_of_state<T>());
  }
  template <execution_space Exec, option<ddof>... Options>
    requires(rank == 0)
  T var(const Exec& exec, const Options&... options) const {
    return on_host(exec, impl::variance_of_state<T, false>{impl::ddof_of(options...)});
  }
  template <execution_space Exec, option<ddof>... Options>
    requires(rank == 0)
  T stddev(const Exec& exec, const Options&... options) const {
    return on_host(exec, impl::variance_of_state<T, true>{impl::ddof_of(options...)});
  }
  template <execution_space Exec>
    requires(rank == 0)
  T min(const Exec& exec) const {
    return on_host(exec, impl::extremum_of_state<T, -1>());
  }
  template <execution_space Exec>
    requires(rank == 0)
  T max(const Exec& exec) const {
    return on_host(exec, impl::extremum_of_state<T, 1>());
  }

  /// The states, of bits alone: what is kept of a run, and what ranks exchange.
  const state_view& states() const { return states_; }
  /// Adds all values of states of the same extents.
  template <execution_space Exec, view_like States>
  void join(const Exec& exec, const States& states) const {
    impl::check_extents(name(), "other", impl::view_extents(states), impl::view_extents(states_));
    impl::map_checked(name("/merge"), exec, states_, impl::joined_states<T>(), states_, states);
  }

 private:
  static std::size_t checked(std::int64_t extent) {
    if (extent < 0) throw Error(name(), "an extent is " + std::to_string(extent) + ", expected at least 0");
    return static_cast<std::size_t>(extent);
  }
  static const std::string& name(std::string_view part = {}) {
    return impl::label_text("quern::RunningStatistics", part);
  }
  static layout layout_of(const V& like) {
    layout l;
    for (int d = 0; d < rank; ++d) l.dimension[d] = like.extent(d);
    return l;
  }
  template <class Exec, class Out, class F>
  void write(const Exec& exec, const Out& out, const F& f) const {
    impl::check_extents(name(), "out", impl::view_extents(out), impl::view_extents(states_));
    impl::map_checked(name("/result"), exec, out, f, states_);
  }
  template <class Exec, class F>
  auto on_host(const Exec& exec, const F& f) const {
    impl::call<Exec> c(name("/result"), exec);
    using result = std::invoke_result_t<const F&, const state_type&>;
    return impl::value_on_host<result>(
        c, [&](const auto& out) { impl::map_checked(c.label, exec, impl::as_part<Exec, 0>(out), f, states_); });
  }

  state_view states_;
};

template <execution_space Exec, view_like V>
RunningStatistics(const Exec&, const V&) -> RunningStatistics<V>;

}  // namespace quern

#endif
