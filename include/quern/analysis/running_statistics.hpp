// SPDX-FileCopyrightText: the Quern authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef QUERN_ANALYSIS_RUNNING_STATISTICS_HPP
#define QUERN_ANALYSIS_RUNNING_STATISTICS_HPP

/// @file
/// Statistics of fields that grow with the steps of a simulation, in the memory where the fields are.

#include <algorithm>
#include <concepts>
#include <quern/core/launch/launch_units.hpp>
#include <quern/core/views/part_view.hpp>
#include <quern/core/views/rows.hpp>
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

/// The same of states in words, that of all states behind that of all states, and of values in their order. What a
/// value leaves as it was, as most do extrema, is not written.
template <class T, class V>
struct add_in_words {
  using state = typename statistics_reducer<T>::state;
  static constexpr int words = sizeof(state) / sizeof(std::uint64_t);
  std::uint64_t* states;
  std::int64_t count;
  const V* values;
  KOKKOS_FUNCTION void operator()(std::int64_t i) const {
    Kokkos::Array<std::uint64_t, words> before;
    for (int w = 0; w < words; ++w) before[w] = states[w * count + i];
    const auto after = Kokkos::bit_cast<decltype(before)>(with_value<T>()(Kokkos::bit_cast<state>(before), values[i]));
    for (int w = 0; w < words; ++w)
      if (after[w] != before[w]) states[w * count + i] = after[w];
  }
};
/// Adds them where they are in that order; else returns false.
template <class T, class Exec, class V, int Rank>
bool added_in_words(const Exec& exec, const std::string& label, std::uint64_t* states,
                    const Kokkos::LayoutStride& layout, const strided<const V>& values,
                    std::integral_constant<int, Rank>) {
  for (int d = 0; d < Rank; ++d)
    if (values.extents.extent[d] > 1 && values.stride[d] != static_cast<std::int64_t>(layout.stride[d])) return false;
  const std::int64_t count = values.extents.size();
  if (count > 0) launch_units(exec, label, count, add_in_words<T, V>{states, count, values.data});
  return true;
}

/// Where states are: on hosts one behind the other, each in a line of the cache. On devices word by word, that of all
/// states behind that of all states, so that threads beside each other reach words beside each other, and results read
/// only those that they need.
template <class State, int Rank, class Layout, class Space, bool InWords>
struct state_memory {
  static constexpr bool in_words = false;
  using view = Kokkos::View<typename with_pointers<State, Rank>::type, Layout, Space>;
  static Layout layout(const Layout& of_states) { return of_states; }
  template <class States>
  static const States& elements(const States& states) {
    return states;
  }
};
template <class State, int Rank, class Layout, class Space>
struct state_memory<State, Rank, Layout, Space, true> {
  static constexpr bool in_words = true;
  using word = std::uint64_t;
  static constexpr std::size_t words = sizeof(State) / sizeof(word);
  static_assert(sizeof(State) == words * sizeof(word));
  using view = Kokkos::View<typename with_pointers<word, Rank + 1>::type, Kokkos::LayoutStride, Space>;
  static Kokkos::LayoutStride layout(const Layout& of_states) {
    constexpr bool left = std::is_same_v<Layout, Kokkos::LayoutLeft>;
    Kokkos::LayoutStride l;
    std::size_t step = 1;
    for (int k = 0; k < Rank; ++k) {
      const int d = left ? k : Rank - 1 - k;
      l.dimension[d] = of_states.dimension[d];
      l.stride[d] = step;
      step *= of_states.dimension[d];
    }
    l.dimension[Rank] = words;
    l.stride[Rank] = step;
    return l;
  }
  template <class States>
  static auto elements(const States& states) {
    return row_array<words, State, States>{states};
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
///           states lie in its memory, in the order of its layout
///
/// The states are those of `mean_var`, `min` and `max`, and so is the accuracy, whatever the number of steps: results
/// are those of one call for all values, up to the rounding of sums that carry their errors along. A state of double
/// takes 64 bytes, one of float 40, which `add` reads, and of which it writes on devices what has changed. They are in
/// memory that `exec` reaches, and what is called is asynchronous on `exec`: nothing waits for the host, and a warm
/// call allocates nothing. Only what returns a number waits. `add` may be captured in a device graph, which adds at
/// each launch; where it reduces, with a `WorkspaceScope`. Work on one object must be ordered, as work on one View is;
/// copies share the states, as those of a View do.
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

 private:
  using memory = impl::state_memory<state_type, rank, layout, typename V::memory_space, impl::is_device<space_type>>;

 public:
  using state_view = typename memory::view;

  /// Of these extents, one for each axis. Allocates.
  /// @throws Error if one is negative
  template <execution_space Exec, std::integral... N>
    requires(sizeof...(N) == rank)
  explicit RunningStatistics(const Exec& exec, N... extents)
      : RunningStatistics(exec, layout(checked(static_cast<std::int64_t>(extents))...)) {}
  /// Of the extents of a View.
  template <execution_space Exec>
    requires(rank > 0)
  RunningStatistics(const Exec& exec, const V& like) : RunningStatistics(exec, layout_of(like)) {}

  /// Forgets all values.
  template <execution_space Exec>
  void reset(const Exec& exec) const {
    impl::map_checked(name("/reset"), exec, elements(), impl::op::identity(), reducer().init());
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
      const shape own = extents();
      const impl::scratch_array<Exec, state_type> scratch(exec, own.size());
      const impl::strided<state_type> sample{scratch.data(), own, impl::row_major_strides(own)};
      const auto states = impl::as_part<Exec, rank>(sample);
      impl::reduce_call(impl::reduction{name("/reduce"), reducer(), impl::cast_to<T>()}, exec, states, std::tie(x),
                        options...);
      impl::map_checked(name("/add"), exec, elements(), impl::joined_states<T>(), elements(), states);
    } else if constexpr (real && array_like<X>) {
      impl::check_extents(name(), "x", impl::operand_extents(name(), x), extents());
      if constexpr (memory::in_words && view_like<X>) {
        const impl::call c(name("/add"), exec);
        if (impl::added_in_words<T>(exec, c.label, states_.data(), states_.layout(), c.input(x),
                                    std::integral_constant<int, rank>()))
          return;
      }
      impl::map_checked(name("/add"), exec, elements(), impl::with_value<T>(), elements(), x);
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

  /// The states, of bits alone: what is kept of a run, and what ranks exchange. On devices they are words, which have a
  /// last axis of their own.
  const state_view& states() const { return states_; }
  /// Adds all values of states of the same extents.
  template <execution_space Exec, view_like States>
  void join(const Exec& exec, const States& states) const {
    const auto& other = memory::elements(states);
    impl::check_extents(name(), "other", impl::view_extents(other), extents());
    impl::map_checked(name("/merge"), exec, elements(), impl::joined_states<T>(), elements(), other);
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
  template <execution_space Exec>
  RunningStatistics(const Exec& exec, const layout& l)
      : states_(Kokkos::view_alloc(exec, Kokkos::WithoutInitializing, "quern::RunningStatistics"), memory::layout(l)) {
    reset(exec);
  }
  decltype(auto) elements() const { return memory::elements(states_); }
  shape extents() const { return impl::view_extents(elements()); }
  template <class Exec, class Out, class F>
  void write(const Exec& exec, const Out& out, const F& f) const {
    impl::check_extents(name(), "out", impl::view_extents(out), extents());
    impl::map_checked(name("/result"), exec, out, f, elements());
  }
  template <class Exec, class F>
  auto on_host(const Exec& exec, const F& f) const {
    impl::call<Exec> c(name("/result"), exec);
    using result = std::invoke_result_t<const F&, const state_type&>;
    return impl::value_on_host<result>(
        c, [&](const auto& out) { impl::map_checked(c.label, exec, impl::as_part<Exec, 0>(out), f, elements()); });
  }

  state_view states_;
};

template <execution_space Exec, view_like V>
RunningStatistics(const Exec&, const V&) -> RunningStatistics<V>;

}  // namespace quern

#endif
