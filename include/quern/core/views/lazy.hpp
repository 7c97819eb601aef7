// SPDX-FileCopyrightText: the Quern authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef QUERN_CORE_VIEWS_LAZY_HPP
#define QUERN_CORE_VIEWS_LAZY_HPP

/// @file
/// Operands that are computed as they are read.

#include <algorithm>
#include <quern/core/views/concepts.hpp>
#include <tuple>
#include <type_traits>

namespace quern {

/// The values of `f(in...)`, as an operand; made by `quern::lazy`.
template <class F, class... In>
struct lazy_array {
  F f;
  std::tuple<In...> in;
};

/// `lazy(f, in...)` is an array with the elements `f(in(i...)...)`, which is never stored: an operation that takes it
/// applies f as it reads the inputs. `sum(exec, lazy(f, x, y))` is one kernel that reads x and y once.
///
/// @param f  a functor or `KOKKOS_LAMBDA` of one value of each input; the elements have the type that it returns
/// @param in Views, scalars, `positions()` or other lazy arrays. They broadcast by NumPy's rule, and the result has the
///           extents that they broadcast to. Of positions and scalars alone it has those of the operation: it is an
///           input of `map`, or of a lazy array with others, `map(exec, out, g, x, lazy(f, positions()))`
///
/// It keeps copies of its inputs, which for Views are handles: it is valid as long as their memory is, and reads what
/// that holds when the operation runs. An operation that reads elements more than once says so, and computes them as
/// often. What hands memory to a vendor's library (solve, svd, products) takes no lazy array: write it to a View with
/// `quern::map` first.
template <class F, operand... In>
lazy_array<F, In...> lazy(const F& f, const In&... in) {
  static_assert(((any_array<In> || impl::is_positions<In>) || ...),
                "quern::lazy: at least one input must be an array, which gives the extents, or positions()");
  return {f, {in...}};
}

/// The type of `positions()`.
struct positions_t {};

/// The indices of an element in the extents of the operation, as a `Kokkos::Array<std::int64_t, rank>`: an input of
/// `map` and `lazy`, `map(exec, out, f, x, positions())`. The rank must be known when compiling.
inline positions_t positions() { return {}; }

namespace impl {

/// The View whose type tells rank and layout.
template <class V>
auto typical_view() {
  if constexpr (dual_view<V>) return std::type_identity<typename V::t_dev>();
  else return std::type_identity<V>();
}
template <class V>
using typical = typename decltype(typical_view<std::remove_cvref_t<V>>())::type;

/// The rank of a View, or -1 where it is not known when compiling.
template <class V>
constexpr int known_rank() {
  if constexpr (requires { std::integral_constant<std::size_t, typical<V>::rank()>(); })
    return static_cast<int>(typical<V>::rank());
  else return -1;
}

/// The rank of an operand, or -1 where it is not known when compiling; 0 for scalars and positions.
template <class V>
inline constexpr int rank_of = 0;
template <view_like V>
inline constexpr int rank_of<V> = known_rank<V>();
template <placed V>
inline constexpr int rank_of<V> = V::rank;
template <std::size_t K, class Element, class V>
inline constexpr int rank_of<row_array<K, Element, V>> = std::max(-1, known_rank<V>() - 1);
template <class Source, int Rank, class... Owner>
inline constexpr int rank_of<mapped_array<Source, Rank, Owner...>> = Rank;
template <class F, class... In>
inline constexpr int rank_of<lazy_array<F, In...>> = ((rank_of<In> < 0) || ...) ? -1 : std::max({rank_of<In>...});

/// Whether an operand has no extents of its own: positions, and lazy arrays of them and scalars.
template <class V>
inline constexpr bool has_no_extents = !stored_array<V> && !placed<V>;
template <class Source, int Rank, class... Owner>
inline constexpr bool has_no_extents<mapped_array<Source, Rank, Owner...>> = false;
template <class F, class... In>
inline constexpr bool has_no_extents<lazy_array<F, In...>> = (has_no_extents<In> && ...);

/// Whether an operand has a rank from `Low` to `High`, or may have one.
template <class V, int Low, int High>
inline constexpr bool may_have_rank = rank_of<V> < 0 || (rank_of<V> >= Low && rank_of<V> <= High);

/// The argument that a functor gets for an operand of elements with `Rank` indices.
template <class V, int Rank>
struct argument_of {
  using type = value_of<V>;
};
template <int Rank>
struct argument_of<positions_t, Rank> {
  using type = Kokkos::Array<std::int64_t, static_cast<std::size_t>(Rank < 0 ? 1 : Rank)>;
};
template <class F, class... In, int Rank>
struct argument_of<lazy_array<F, In...>, Rank> {
  using lazy = lazy_array<F, In...>;
  static constexpr int rank = has_no_extents<lazy> ? Rank : rank_of<lazy>;
  static_assert(std::is_invocable_v<const F&, typename argument_of<In, rank>::type...>,
                "quern::lazy: f must be callable with one value of each input, and of positions() with a "
                "Kokkos::Array<std::int64_t, rank>");
  using type = std::remove_cvref_t<std::invoke_result_t<const F&, typename argument_of<In, rank>::type...>>;
};
template <class Source, int Rank, class... Owner>
struct value_type_of_operand<mapped_array<Source, Rank, Owner...>> {
  using type = typename Source::value_type;
};
template <class F, class... In>
struct value_type_of_operand<lazy_array<F, In...>> {
  static_assert(!has_no_extents<lazy_array<F, In...>>,
                "quern::lazy: positions alone have no extents; only quern::map gives them some, those of its output");
  using type = typename argument_of<lazy_array<F, In...>, 0>::type;
};

}  // namespace impl
}  // namespace quern

#endif
