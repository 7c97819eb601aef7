// SPDX-FileCopyrightText: the Quern authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef QUERN_CORE_CALL_MASK_HPP
#define QUERN_CORE_CALL_MASK_HPP

/// @file
/// The option that selects elements of an operation's inputs.

#include <quern/core/call/call.hpp>
#include <quern/core/launch/arguments.hpp>

namespace quern {

/// Selects elements: `sum(exec, x, mask{m})` is the sum of those elements of x where m is not zero (NumPy's `where=`).
///
/// @param m an array of bool or of integers, wherever the inputs are, that broadcasts to their extents; it may be lazy,
///          `mask{lazy(positive(), x)}`, or a single value
///
/// The result is that of the elements that are selected, as if no others were there: a NaN or an infinity elsewhere
/// does not show, and of a lazy input f is not called for it, but by `histogram`, `bincount` and reductions by groups,
/// which compute it for all elements. The mask is read along with the inputs: once, by quantiles several times.
template <class M>
struct mask : mask_t {
  static_assert(operand<M>, "quern::mask: a mask is an array of bool or of integers, or a single value");
  M where;
  explicit mask(const M& m) : where(m) {}
};

namespace impl {

/// A value, and whether it is selected.
template <class T>
struct selected {
  T value;
  bool chosen;
};
template <class T>
inline constexpr bool is_selected = false;
template <class T>
inline constexpr bool is_selected<selected<T>> = true;

/// The values of an array beside those of a mask.
struct select_values {
  struct selects_by_last {};
  template <class T, class M>
  KOKKOS_FORCEINLINE_FUNCTION selected<T> operator()(const T& v, const M& m) const {
    return {v, m != M(0)};
  }
};

/// The values of a lazy array that is not computed where a mask selects nothing.
struct values_where {
  struct selects_by_last {};
  template <class T, class M>
  KOKKOS_FORCEINLINE_FUNCTION T operator()(const T& v, const M&) const {
    return v;
  }
};
/// An operand as one of which a mask selects elements.
template <class V, class M>
auto computed_where(const V& v, [[maybe_unused]] const M& m) {
  if constexpr (is_lazy<V>) return lazy(values_where(), v, m);
  else return v;
}

/// The mask among the options.
template <class M, class... Rest>
const mask<M>& mask_among(const mask<M>& first, const Rest&...) {
  return first;
}
template <class First, class... Rest>
const auto& mask_among(const First&, const Rest&... rest) {
  return mask_among(rest...);
}
template <class... Options>
concept with_mask = has_option<mask_t, Options...>;

/// What may stand beside another option before the inputs of a call with a functor.
template <class T>
concept mask_or_place = place_option<T> || is_option<mask_t, T>;

/// The options without the mask.
template <class... Options>
auto without_mask(const Options&... options) {
  static_assert((0 + ... + (is_option<mask_t, Options> ? 1 : 0)) <= 1, "quern: an option is given twice");
  [[maybe_unused]] const auto other = [](const auto& o) {
    if constexpr (is_option<mask_t, decltype(o)>) return std::tuple<>();
    else return std::tuple(o);
  };
  return std::tuple_cat(other(options)...);
}

/// The mask among the options, if there is one, and those of a place, as a tuple.
template <class... Options>
auto options_of_maps(const Options&... options) {
  static_assert((0 + ... + (is_option<mask_t, Options> ? 1 : 0)) <= 1, "quern: an option is given twice");
  [[maybe_unused]] const auto the_mask = [](const auto& o) {
    if constexpr (is_option<mask_t, decltype(o)>) return std::tuple(o);
    else return std::tuple<>();
  };
  return std::tuple_cat(the_mask(options)..., select_options<true>(options...));
}

/// Whether the elements of a mask of an array of some rank are right.
template <class M, int Rank>
constexpr bool check_mask_type() {
  constexpr bool numbers = std::is_integral_v<typename argument_of<M, Rank>::type>;
  static_assert(numbers, "quern::mask: the elements of a mask must be of bool or of an integer type");
  return numbers;
}

/// The same of the mask among the options, if there is one.
template <int Rank, class... Options>
constexpr bool has_mask_type() {
  if constexpr (with_mask<Options...>)
    return check_mask_type<std::remove_cvref_t<decltype(mask_among(std::declval<const Options&>()...).where)>, Rank>();
  else return true;
}

/// Whether a mask broadcasts to these extents.
template <class M>
bool mask_fits(const std::string& label, const M& m, const shape& extents) {
  stride_array ignored;
  return broadcast_strides(operand_extents(label, m), {}, extents, ignored);
}

/// Rejects a mask that does not broadcast to the extents of what it selects from.
template <class M>
void check_mask(const std::string& label, const M& m, const shape& extents) {
  if (!mask_fits(label, m, extents)) reject_broadcast(label, "the mask", operand_extents(label, m), extents);
}

/// Rejects an output in memory that shares it with an array that a mask re-indexes by a map of indices.
template <class Exec, class Out, class M>
void check_mask_sources(const std::string& label, const Out& out, const M& m) {
  if constexpr (!stored_array<Out>) return;
  else if constexpr (is_mapped<M>)
    check_sources_apart(label, as_strided<Exec, use::output>(out, label), m.memory, "the mask");
  else if constexpr (is_lazy<M>)
    unpack([&](const auto&... in) { (check_mask_sources<Exec>(label, out, in), ...); }, m.in);
}

/// Rejects outputs that share memory with a mask. Of a mask that a lazy array computes, those arrays are looked at that
/// it re-indexes: what it reads element by element may be an output.
template <class Exec, class Out, class M>
void check_mask_apart(const std::string& label, const Out& out, const M& m) {
  if constexpr (stored_array<Out> && stored_array<M>)
    check_overlap(label, as_strided<Exec, use::output>(out, label), make_input<Exec>(m, label).array, "the mask",
                  false);
  else if constexpr (is_mapped<M> || is_lazy<M>) check_mask_sources<Exec>(label, out, m);
  else if constexpr (requires { out.local_with_halo(), m.local_with_halo(); })
    check_mask_apart<Exec>(label, out.local_with_halo(), m.local_with_halo());
}

}  // namespace impl
}  // namespace quern

#endif
