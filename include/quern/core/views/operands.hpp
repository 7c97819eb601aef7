// SPDX-FileCopyrightText: the Quern authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef QUERN_CORE_VIEWS_OPERANDS_HPP
#define QUERN_CORE_VIEWS_OPERANDS_HPP

/// @file
/// Operands as kernels take them: `f(lazy(g, x, y), z)` is one functor of the leaves x, y and z, which are arrays,
/// scalars or positions along an axis.

#include <quern/core/launch/arguments.hpp>
#include <quern/core/views/lazy.hpp>
#include <quern/core/views/mapped_array.hpp>

namespace quern::impl {

/// Argument number `I` of a pack.
template <int I, class First, class... Rest>
KOKKOS_FORCEINLINE_FUNCTION const auto& nth(const First& first, const Rest&... rest) {
  if constexpr (I == 0) return first;
  else return nth<I - 1>(rest...);
}

/// An operand that is a leaf itself.
struct leaf_part {
  static constexpr int leaves = 1;
  template <int At, class... V>
  KOKKOS_FORCEINLINE_FUNCTION const auto& from(const V&... v) const {
    return nth<At>(v...);
  }
};

/// The indices of an element: a leaf for each axis.
template <int Rank>
struct positions_part {
  static constexpr int leaves = Rank;
  template <int At, class... V>
  KOKKOS_FORCEINLINE_FUNCTION auto from(const V&... v) const {
    return collect<At>(std::make_integer_sequence<int, Rank>(), v...);
  }

 private:
  template <int At, int... D, class... V>
  KOKKOS_FORCEINLINE_FUNCTION auto collect(std::integer_sequence<int, D...>, const V&... v) const {
    return Kokkos::Array<std::int64_t, Rank>{nth<At + D>(v...)...};
  }
};

template <class F, class... Part>
struct fused;
/// A functor that uses its other arguments only where its last one, a number, is not zero: elsewhere lazy ones are not
/// computed, and it gets values `T()` in their place.
template <class F>
concept selects_by_last = requires { typename F::selects_by_last; };
/// A functor of the library that may be called with any values: to leave it out would only cost time.
template <class F>
concept takes_any_value = requires { typename F::takes_any_value; };

/// Whether a part is computed by functors that may not be called with any values, and whether some of it is only
/// computed for some elements.
template <class Part>
inline constexpr bool is_delicate = false;
template <class F, class... Part>
inline constexpr bool is_delicate<fused<F, Part...>> = !takes_any_value<F> || (is_delicate<Part> || ...);
template <class... Part>
constexpr bool is_delicate_before_last() {
  const bool delicate[] = {is_delicate<Part>...};
  bool any = false;
  for (std::size_t i = 0; i + 1 < sizeof...(Part); ++i) any = any || delicate[i];
  return any;
}
template <class Part>
inline constexpr bool skips_some = false;
template <class F, class... Part>
inline constexpr bool skips_some<fused<F, Part...>> =
    (selects_by_last<F> && is_delicate_before_last<Part...>()) || (skips_some<Part> || ...);
/// How many masks say for which elements it is computed, without those of what another leaves out.
template <class Part>
inline constexpr int masks_of = 0;
template <class F, class... Part>
inline constexpr int masks_of<fused<F, Part...>> =
    selects_by_last<F> && is_delicate_before_last<Part...>() ? 1 : (0 + ... + masks_of<Part>);
/// Whether functors that may not be called with any values are all behind a mask.
template <class Part>
inline constexpr bool is_safe_without_mask = !is_delicate<Part>;
template <class F, class... Part>
inline constexpr bool is_safe_without_mask<fused<F, Part...>> =
    (selects_by_last<F> && is_delicate_before_last<Part...>()) ||
    (takes_any_value<F> && (is_safe_without_mask<Part> && ...));

/// `f(part...)` as a functor of all leaves. Each part takes its own; those of this one begin with number `At`.
template <class F, class... Part>
struct fused {
  static constexpr int leaves = (0 + ... + Part::leaves);
  F f;
  operand_tuple<Part...> parts;

  KOKKOS_FUNCTION static constexpr int leaves_before(std::size_t part) {
    constexpr int count[] = {Part::leaves...};
    int before = 0;
    for (std::size_t i = 0; i < part; ++i) before += count[i];
    return before;
  }
  template <int At, class... V>
  KOKKOS_FORCEINLINE_FUNCTION auto from(const V&... v) const {
    return call<At>(std::index_sequence_for<Part...>(), v...);
  }
  template <class... V>
  KOKKOS_FORCEINLINE_FUNCTION auto operator()(const V&... v) const {
    return from<0>(v...);
  }
  /// Whether all of it is computed for an element.
  template <int At, class... V>
  KOKKOS_FORCEINLINE_FUNCTION bool computes_all(const V&... v) const {
    if constexpr (skips) {
      const auto chosen = argument<At, last>(v...);
      return chosen != std::remove_const_t<decltype(chosen)>(0);
    } else {
      return parts_compute_all<At>(std::index_sequence_for<Part...>(), v...);
    }
  }
  /// The value of an element as if its masks selected it (`All`) or left it out, whatever they are: without a branch.
  template <bool All, int At, class... V>
  KOKKOS_FORCEINLINE_FUNCTION auto where_known(const V&... v) const {
    return call_where_known<All, At>(std::index_sequence_for<Part...>(), v...);
  }

 private:
  static constexpr std::size_t last = sizeof...(Part) - 1;
  static constexpr bool skips = selects_by_last<F> && is_delicate_before_last<Part...>();

  template <int At, std::size_t... I, class... V>
  KOKKOS_FORCEINLINE_FUNCTION bool parts_compute_all(std::index_sequence<I...>, const V&... v) const {
    return (part_computes_all<At, I>(v...) && ...);
  }
  template <int At, std::size_t I, class... V>
  KOKKOS_FORCEINLINE_FUNCTION bool part_computes_all(const V&... v) const {
    if constexpr (skips_some<std::remove_cvref_t<decltype(get<I>(parts))>>)
      return get<I>(parts).template computes_all<At + leaves_before(I)>(v...);
    else return true;
  }
  template <int At, std::size_t... I, class... V>
  KOKKOS_FORCEINLINE_FUNCTION auto call(std::index_sequence<I...>, const V&... v) const {
    if constexpr (skips) return call_where_selected<At>(std::make_index_sequence<last>(), v...);
    else return f(argument<At, I>(v...)...);
  }
  template <int At, std::size_t... I, class... V>
  KOKKOS_FORCEINLINE_FUNCTION auto call_where_selected(std::index_sequence<I...>, const V&... v) const {
    const auto chosen = argument<At, last>(v...);
    if (chosen != std::remove_const_t<decltype(chosen)>(0)) return f(argument<At, I>(v...)..., chosen);
    return f(argument_elsewhere<At, I>(v...)..., chosen);
  }
  template <bool All, int At, std::size_t... I, class... V>
  KOKKOS_FORCEINLINE_FUNCTION auto call_where_known(std::index_sequence<I...>, const V&... v) const {
    return f(argument_where_known<All, At, I>(v...)...);
  }
  template <bool All, int At, std::size_t I, class... V>
  KOKKOS_FORCEINLINE_FUNCTION decltype(auto) argument_where_known(const V&... v) const {
    using part = std::remove_cvref_t<decltype(get<I>(parts))>;
    if constexpr (skips && I == last) return std::remove_cvref_t<decltype(argument<At, I>(v...))>(All ? 1 : 0);
    else if constexpr (skips && !All) return argument_elsewhere<At, I>(v...);
    else if constexpr (!skips && skips_some<part>)
      return get<I>(parts).template where_known<All, At + leaves_before(I)>(v...);
    else return argument<At, I>(v...);
  }
  template <int At, std::size_t I, class... V>
  KOKKOS_FORCEINLINE_FUNCTION decltype(auto) argument(const V&... v) const {
    return get<I>(parts).template from<At + leaves_before(I)>(v...);
  }
  template <int At, std::size_t I, class... V>
  KOKKOS_FORCEINLINE_FUNCTION decltype(auto) argument_elsewhere(const V&... v) const {
    using value = std::remove_cvref_t<decltype(argument<At, I>(v...))>;
    constexpr bool computed = is_delicate<std::remove_cvref_t<decltype(get<I>(parts))>>;
    if constexpr (computed && std::is_default_constructible_v<value>) return value();
    else return argument<At, I>(v...);
  }
};

/// f of operands of which none is lazy, or else f of what their parts make of the leaves.
template <class F, class... Part>
auto fuse(const F& f, const Part&... part) {
  if constexpr ((std::is_same_v<Part, leaf_part> && ...)) return f;
  else return fused<F, Part...>{f, {{part}...}};
}

/// An operand taken apart.
template <class Part, class... Leaf>
struct expanded {
  Part part;
  std::tuple<Leaf...> leaves;
};
template <class Part, class... Leaf>
expanded(Part, std::tuple<Leaf...>) -> expanded<Part, Leaf...>;

/// An input of a lazy array as one of the array's extents.
template <class Leaf>
Leaf broadcast_leaf(const std::string& label, Leaf leaf, const shape& to) {
  leaf.array.stride = broadcast_input(label, leaf, to, "an input of a lazy array");
  leaf.array.extents = to;
  return leaf;
}

/// The same of an operand that is taken apart.
template <class Part, class... Leaf>
auto broadcast_elements(const std::string& label, const expanded<Part, Leaf...>& in, const shape& to) {
  return expanded{
      in.part, unpack([&](const auto&... leaf) { return std::tuple(broadcast_leaf(label, leaf, to)...); }, in.leaves)};
}

/// The extents to which both broadcast.
shape broadcast_extents(const std::string& label, const shape& a, const shape& b);

/// The extents of an operand; those of a scalar or of positions are of rank 0.
template <operand V>
shape operand_extents(const std::string& label, const V& v) {
  shape extents;
  if constexpr (stored_array<V>) extents = view_extents(v);
  else if constexpr (placed<V>) extents = v.extents();
  else if constexpr (is_mapped<V>) extents = v.extents;
  else if constexpr (is_lazy<V>)
    unpack([&](const auto&... in) { ((extents = broadcast_extents(label, extents, operand_extents(label, in))), ...); },
           v.in);
  return extents;
}

/// The index along axis d.
inline position_input index_along(const shape& extents, int d) {
  position_input p{{nullptr, extents, {}}};
  p.array.stride[d] = 1;
  return p;
}
template <int... D>
auto expand_positions(const shape& extents, std::integer_sequence<int, D...>) {
  return expanded{positions_part<sizeof...(D)>(), std::tuple(index_along(extents, D)...)};
}

/// Takes an operand apart. `extents` of rank `Rank` are those that its positions are counted in. An internal input
/// stays what it is.
template <class Exec, int Rank, class V>
auto expand(const std::string& label, const V& v, const shape& extents) {
  if constexpr (is_lazy<V>) {
    constexpr int rank = has_no_extents<V> ? Rank : rank_of<V>;
    const shape own = has_no_extents<V> ? extents : operand_extents(label, v);
    const auto join = [&](const auto&... in) {
      const auto leaves = unpack([&](const auto&... leaf) { return std::tuple(broadcast_leaf(label, leaf, own)...); },
                                 std::tuple_cat(in.leaves...));
      return expanded{
          fused<std::remove_const_t<decltype(v.f)>, std::remove_cvref_t<decltype(in.part)>...>{v.f, {{in.part}...}},
          leaves};
    };
    return unpack([&](const auto&... in) { return join(expand<Exec, rank>(label, in, own)...); }, v.in);
  } else if constexpr (is_positions<V>) {
    static_assert(Rank >= 0, "quern::positions: the rank must be known when compiling");
    return expand_positions(extents, std::make_integer_sequence<int, Rank>());
  } else if constexpr (is_mapped<V>) {
    return expanded{leaf_part(), std::tuple(mapped_leaf<Exec>(v))};
  } else if constexpr (described_input<V>) {
    return expanded{leaf_part(), std::tuple(v)};
  } else {
    return expanded{leaf_part(), std::tuple(make_input<Exec>(v, label))};
  }
}

/// The operand whose order in memory a loop nest follows: the first array that does not repeat, or else the first.
template <class... Input>
int leading_input(const Input&... in) {
  int lead = -1, number = 0;
  const auto look = [&](const auto& array) {
    bool repeats = array.data == nullptr;
    for (int d = 0; d < array.extents.rank; ++d) repeats |= array.extents.extent[d] > 1 && array.stride[d] == 0;
    if (!repeats && lead < 0) lead = number;
    ++number;
  };
  (look(in.array), ...);
  return std::max(lead, 0);
}

/// Calls `run(g, leaf...)` with the functor g of leaves that is f of the operands.
template <class F, class Run, class... Expanded>
auto with_leaves(const F& f, const Run& run, const Expanded&... in) {
  const auto g = fuse(f, in.part...);
  return unpack([&](const auto&... leaf) { return run(g, leaf...); }, std::tuple_cat(in.leaves...));
}

}  // namespace quern::impl

#endif
