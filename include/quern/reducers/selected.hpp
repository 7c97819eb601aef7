// SPDX-FileCopyrightText: the Quern authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef QUERN_REDUCERS_SELECTED_HPP
#define QUERN_REDUCERS_SELECTED_HPP

/// @file
/// Reducers of values of which a mask selects some.
///
/// Where a reducer has a value that changes no state, it is taken for what is not selected, and the reducer stays as it
/// is (`filled`). Where a result depends on the number of the values, or there is no such value, a reducer of
/// `selected` values stands around it (`selected_reducer`).

#include <bit>
#include <quern/core/call/mask.hpp>
#include <quern/core/launch/operations.hpp>
#include <quern/reducers/components.hpp>
#include <quern/reducers/extrema.hpp>
#include <quern/reducers/moments.hpp>
#include <quern/reducers/operations.hpp>
#include <quern/reducers/sums.hpp>

namespace quern::impl {

/// A value whose components are all this one.
template <class T>
KOKKOS_FUNCTION T value_with(const component_type<T>& component) {
  if constexpr (component_count<T> > 0) {
    T v;
    for (std::size_t c = 0; c < component_count<T>; ++c) v[c] = component;
    return v;
  } else {
    return component;
  }
}
template <class T>
KOKKOS_FUNCTION T nan_of() {
  if constexpr (is_complex<T>) return T(Kokkos::Experimental::quiet_NaN_v<real_type<T>>);
  else return Kokkos::Experimental::quiet_NaN_v<T>;
}

/// What changes no state of a reducer of values T: `value(reducer)`, of any type that the reducer takes.
/// @tparam `enough` whether results need nothing else to be those of the selected values
struct no_neutral {
  static constexpr bool exists = false, enough = false;
};
template <class Reducer, class T>
struct neutral : no_neutral {};
template <class T>
struct neutral_zero {
  static constexpr bool exists = true, enough = true;
  KOKKOS_FUNCTION static T value(const auto&) { return value_with<T>(component_type<T>(0)); }
};
template <class S, class Sum, class T>
struct neutral<sum_reducer<S, Sum>, T> : neutral_zero<T> {};
template <class S, class Sum, class T>
struct neutral<root_reducer<S, Sum>, T> : neutral_zero<T> {};
template <class S, class Sum, bool Integers, class T>
struct neutral<mean_reducer<S, Sum, Integers>, T> : neutral_zero<T> {
  static constexpr bool enough = false;
};
template <class S, class Op, class T>
struct neutral<op_reducer<S, Op>, T> {
  static constexpr bool exists = true, enough = true;
  KOKKOS_FUNCTION static S value(const op_reducer<S, Op>& r) { return r.identity; }
};
template <class T, int Sign>
struct neutral<extremum_reducer<T, Sign>, T> {
  static constexpr bool exists = true, enough = std::is_integral_v<T>;
  KOKKOS_FUNCTION static T value(const auto&) { return worst<Sign, T>(); }
};
/// NaN is what these leave out.
template <class T>
struct neutral_nan {
  static constexpr bool exists = !std::is_integral_v<component_type<T>>, enough = exists;
  KOKKOS_FUNCTION static T value(const auto&) { return value_with<T>(nan_of<component_type<T>>()); }
};
template <class T, int Sign>
struct neutral<nan_extremum_reducer<T, Sign>, T>
    : std::conditional_t<std::is_integral_v<T>, neutral<extremum_reducer<T, Sign>, T>, neutral_nan<T>> {};
template <class T, int Sign>
struct neutral<arg_reducer<T, Sign, true>, T> : neutral_nan<T> {};
template <class S, class T>
struct neutral<nan_mean_reducer<S>, T> : neutral_nan<T> {};
template <class Reducer, class T>
struct neutral<nan_moments_reducer<Reducer>, T> : neutral_nan<T> {};
template <class Reducer, std::size_t N, class T>
struct neutral<component_reducer<Reducer, N>, T> {
  using of_component = neutral<Reducer, component_type<T>>;
  static constexpr bool exists = of_component::exists, enough = of_component::enough;
  KOKKOS_FUNCTION static T value(const component_reducer<Reducer, N>& r) {
    return value_with<T>(of_component::value(r.of_component));
  }
};

/// `chosen ? x : otherwise`. Hosts choose between floating-point numbers by their bits: of masks without a pattern,
/// half of the branches that compilers make of it would be mispredicted.
template <class T>
KOKKOS_FORCEINLINE_FUNCTION T selected_or(bool chosen, const T& x, const T& otherwise) {
  if constexpr (std::is_same_v<T, float> || std::is_same_v<T, double>) {
    using bits = std::conditional_t<sizeof(T) == 4, std::uint32_t, std::uint64_t>;
    KOKKOS_IF_ON_HOST((const bits mask = -static_cast<bits>(chosen); return Kokkos::bit_cast<T>(
                           (Kokkos::bit_cast<bits>(x) & mask) | (Kokkos::bit_cast<bits>(otherwise) & ~mask));))
    KOKKOS_IF_ON_DEVICE((return chosen ? x : otherwise;))
  } else {
    return chosen ? x : otherwise;
  }
}

/// f of values of which the first is selected, or else what changes no state of the reducer.
template <class Reducer, class F>
struct filled {
  struct takes_any_value {};
  F f;
  Reducer reducer;
  template <class T, class... V>
  KOKKOS_FORCEINLINE_FUNCTION auto operator()(const selected<T>& first, const V&... v) const {
    using value = std::remove_cvref_t<decltype(f(first.value, v...))>;
    const auto otherwise = neutral<Reducer, value>::value(reducer);
    using common = std::remove_const_t<decltype(otherwise)>;
    const auto x = static_cast<common>(f(first.value, v...));
    return selected_or<common>(first.chosen, x, otherwise);
  }
};

/// The values of an array, or what changes no state of the reducer where a mask does not select them.
template <class Reducer>
struct filled_values {
  struct selects_by_last {};
  Reducer reducer;
  template <class T, class M>
  KOKKOS_FORCEINLINE_FUNCTION auto operator()(const T& v, const M& m) const {
    return filled<Reducer, op::identity>{{}, reducer}(select_values()(v, m));
  }
};

/// f of values of which the first is selected, which then the result is.
template <class F>
struct of_selected {
  struct takes_any_value {};
  F f;
  template <class T, class... V>
  KOKKOS_FORCEINLINE_FUNCTION auto operator()(const selected<T>& first, const V&... v) const {
    return selected<std::remove_cvref_t<decltype(f(first.value, v...))>>{f(first.value, v...), first.chosen};
  }
};

/// The result of a reducer of numbers for none, where an identity is none: NaN.
template <class Reducer>
struct result_of_none {
  static constexpr bool exists = false;
};
template <class T, int Sign>
struct result_of_none<extremum_reducer<T, Sign>> {
  static constexpr bool exists = !std::is_integral_v<T>;
  KOKKOS_FUNCTION static T value() { return nan_of<T>(); }
};
template <class T>
struct result_of_none<minmax_reducer<T>> {
  static constexpr bool exists = !std::is_integral_v<component_type<T>>;
  KOKKOS_FUNCTION static extrema<T> value() {
    const T nan = value_with<T>(nan_of<component_type<T>>());
    return {nan, nan};
  }
};
template <class T>
struct result_of_none<range_reducer<T>> {
  static constexpr bool exists = true;
  KOKKOS_FUNCTION static T value() {
    if constexpr (std::is_integral_v<T>) return T(0);
    else return nan_of<T>();
  }
};
template <class Reducer, std::size_t N>
struct result_of_none<component_reducer<Reducer, N>> {
  using of_component = result_of_none<Reducer>;
  static constexpr bool exists = of_component::exists;
  KOKKOS_FUNCTION static auto value() {
    return value_with<Kokkos::Array<decltype(of_component::value()), N>>(of_component::value());
  }
};

/// A reducer of `selected` values, with their number.
template <class Reducer>
struct selected_reducer : Reducer {
  struct state {
    typename Reducer::state of;
    std::int64_t n;
  };
  KOKKOS_FUNCTION state init() const { return {Reducer::init(), 0}; }
  template <class T>
  KOKKOS_FUNCTION void add(state& s, const selected<T>& v) const {
    if (!v.chosen) return;
    Reducer::add(s.of, v.value);
    ++s.n;
  }
  template <int N, class T>
  KOKKOS_FUNCTION void add_block(state& s, const selected<T>* v) const {
    if constexpr (neutral<Reducer, T>::exists && N > 1) {
      const T otherwise = neutral<Reducer, T>::value(static_cast<const Reducer&>(*this));
      T value[N];
      int n = 0;
      for (int i = 0; i < N; ++i) {
        value[i] = v[i].chosen ? v[i].value : otherwise;
        n += v[i].chosen ? 1 : 0;
      }
      Reducer::template add_block<N>(s.of, value);
      s.n += n;
    } else if constexpr (N == 1) {
      add(s, *v);
    } else {
      KOKKOS_IF_ON_DEVICE((for (int i = 0; i < N; ++i) add(s, v[i]);))
      KOKKOS_IF_ON_HOST((add_dense<N>(s, v);))
    }
  }
  KOKKOS_FUNCTION void join(state& s, const state& t) const {
    if (t.n == 0) return;
    Reducer::join(s.of, t.of);
    s.n += t.n;
  }
  KOKKOS_FUNCTION auto result(const state& s, std::int64_t) const {
    if constexpr (result_of_none<Reducer>::exists)
      if (s.n == 0) return result_of_none<Reducer>::value();
    return Reducer::result(s.of, s.n);
  }
  template <int N, class T>
  KOKKOS_FUNCTION state start(const T*) const = delete;  // the first values need not be selected
  template <int N, class T>
  KOKKOS_FUNCTION state state_of(const T*) const = delete;  // and not all are

 private:
  /// The selected values of a block side by side, in blocks.
  template <int N, class T>
  KOKKOS_FUNCTION void add_dense(state& s, const selected<T>* v) const {
    T dense[N];
    int n = 0;
    for (int i = 0; i < N; ++i) {
      dense[n] = v[i].value;
      n += v[i].chosen ? 1 : 0;
    }
    s.n += n;
    add_first<std::bit_floor(static_cast<unsigned>(N))>(s, dense, n);
  }
  template <unsigned Step, class T>
  KOKKOS_FUNCTION void add_first(state& s, const T* v, int n) const {
    for (; n >= static_cast<int>(Step); n -= Step, v += Step)
      Reducer::template add_block<static_cast<int>(Step)>(s.of, v);
    if constexpr (Step > 1) add_first<Step / 2>(s, v, n);
  }
};

/// The first position of the smallest or largest value that is selected.
template <class T, int Sign, bool SkipNan>
struct selected_reducer<arg_reducer<T, Sign, SkipNan>> : arg_reducer<T, Sign, SkipNan> {
  using base = arg_reducer<T, Sign, SkipNan>;
  using state = typename base::state;
  KOKKOS_FUNCTION void add(state& s, const selected<T>& v, std::int64_t at) const {
    if (v.chosen) base::add(s, v.value, at);
  }
  /// As that of all values, with the worst one in place of those that are not selected.
  template <int N, class Positions>
  KOKKOS_FUNCTION void add_block(state& s, const selected<T>* v, const Positions& at) const {
    T value[N];
    for (int i = 0; i < N; ++i) value[i] = v[i].chosen ? v[i].value : worst<Sign, T>();
    const T found = block_extremum<N, Sign>(value), best = SkipNan ? found : or_nan<N>(found, value);
    if (!base::beats(best, s.value) && !(base::ties(best, s.value) && at(0) < s.at)) return;
    for (int i = 0; i < N; ++i)
      if (v[i].chosen && base::ties(v[i].value, best)) return base::join(s, {best, at(i)});
  }
};

template <class Reducer>
inline constexpr bool is_selected_reducer = false;
template <class Reducer>
inline constexpr bool is_selected_reducer<selected_reducer<Reducer>> = true;
/// A reducer of the values that `Beside` reduces, which a mask may select.
template <class Beside, class Reducer>
auto selected_as(const Reducer& r) {
  if constexpr (is_selected_reducer<Beside>) return selected_reducer<Reducer>{r};
  else return r;
}

}  // namespace quern::impl

#endif
