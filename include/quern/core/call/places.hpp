// SPDX-FileCopyrightText: the Quern authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef QUERN_CORE_CALL_PLACES_HPP
#define QUERN_CORE_CALL_PLACES_HPP

/// @file
/// Where the data of operands are, and what runs an operation there.
///
/// An operation describes what it computes. An engine for operations of its kind runs the description: in memory, chunk
/// by chunk, or over ranks. It is chosen by the types of the operands, of which those that are not arrays in memory
/// name their `place`.

#include <quern/core/views/lazy.hpp>
#include <string>

namespace quern::impl {

struct in_memory {};
/// No place: an operation on `values_of_type<T>` gives the description of what it does with such values.
struct described_place {};

/// Whether the header of a place is included, which brings the engines for all kinds of operations that work there.
template <class Place>
inline constexpr bool engines_included = false;

/// Runs operations of a kind on operands of a place: `engine::run(description, exec, out, in..., options...)`. The
/// header of the place specializes it.
template <class Place, class Kind>
struct engine {
  static constexpr bool in_chunks = std::is_same_v<Place, in_chunks_place>,
                        over_ranks = std::is_same_v<Place, over_ranks_place>, included = engines_included<Place>;
  static_assert(
      !std::is_same_v<Place, in_memory>,
      "quern: this operation is of a module whose header is missing: include <quern/reduce.hpp> for reductions "
      "among outputs");
  static_assert(!std::is_same_v<Place, described_place>,
                "quern::reduced: this operation needs more than one pass over the values");
  static_assert(
      included || !in_chunks,
      "quern: an operand comes in chunks: include <quern/chunked.hpp>, whose guide lists what works in chunks");
  static_assert(
      included || !over_ranks,
      "quern: an operand is a DistributedView: include <quern/distributed.hpp>, whose guide lists what works over "
      "ranks");
  static_assert(!included || !in_chunks,
                "quern: this operation does not work in chunks; docs/operations.md lists those that do");
  static_assert(!included || !over_ranks,
                "quern: this operation does not work over ranks; docs/operations.md lists those that do");
  template <auto...>
  static void run(const auto&...) {}
  static void compare(const auto&...) {}
};

/// Rejects options of other places in calls of operands in memory or over ranks.
template <class... Options>
void check_place_options() {
  static_assert((!place_option<Options> && ...),
                "quern: chunking is an option of calls with an operand that comes in chunks");
}

/// Whether an operand, or one of a lazy array or of several outputs, is of that place.
template <class Place, class V>
inline constexpr bool is_at = false;
template <class Place, placed V>
inline constexpr bool is_at<Place, V> = std::is_same_v<Place, typename V::place>;
template <class Place, class F, class... In>
inline constexpr bool is_at<Place, lazy_array<F, In...>> = (is_at<Place, In> || ...);
template <class Place, class... Out>
inline constexpr bool is_at<Place, std::tuple<Out...>> = (is_at<Place, Out> || ...);

/// Whether all operands are in memory.
template <class... V>
inline constexpr bool all_in_memory =
    !((is_at<in_chunks_place, V> || is_at<over_ranks_place, V> || is_at<described_place, V>) || ...);

template <class... V>
auto find_place() {
  constexpr bool chunks = (is_at<in_chunks_place, std::remove_cvref_t<V>> || ...),
                 ranks = (is_at<over_ranks_place, std::remove_cvref_t<V>> || ...);
  constexpr bool described = (is_at<described_place, std::remove_cvref_t<V>> || ...);
  static_assert(!(chunks && ranks),
                "quern: what comes in chunks and a DistributedView do not combine; read a file into the blocks of the "
                "ranks first (quern::distributed::read_npy)");
  using elsewhere =
      std::conditional_t<ranks, over_ranks_place, std::conditional_t<described, described_place, in_memory>>;
  return std::conditional_t<chunks, in_chunks_place, elsewhere>();
}
/// The kinds of operations.
struct maps {};
struct reducing_maps {};       // with reductions among their outputs
struct several_reductions {};  // maps whose outputs are reductions alone
struct reductions {};
struct scans {};
struct counts {};
struct selections {};
struct stencils {};
struct reducing_stencils {};
struct iterations {};
struct window_filters {};  // of windows whose sizes are known when the program runs
struct rollings {};        // reductions of windows along an axis

/// Whether operations of a kind take `quern::rows` of what is not in memory, and of Views beside it.
template <class Kind>
inline constexpr bool takes_rows_anywhere = false;
template <>
inline constexpr bool takes_rows_anywhere<maps> = true;
template <>
inline constexpr bool takes_rows_anywhere<reducing_maps> = true;
template <>
inline constexpr bool takes_rows_anywhere<several_reductions> = true;
template <>
inline constexpr bool takes_rows_anywhere<reductions> = true;
template <class V>
inline constexpr bool has_rows = is_rows<V>;
template <placed V>
inline constexpr bool has_rows<V> = is_placed_rows<V>;
template <class F, class... In>
inline constexpr bool has_rows<lazy_array<F, In...>> = (has_rows<In> || ...);
template <class... Out>
inline constexpr bool has_rows<std::tuple<Out...>> = (has_rows<Out> || ...);

/// The place of calls that are rejected, whose engines do nothing.
struct no_place {};
template <class Kind, class... V>
auto place_of_call() {
  using place = decltype(find_place<V...>());
  constexpr bool fits =
      std::is_same_v<place, in_memory> || takes_rows_anywhere<Kind> || !(has_rows<std::remove_cvref_t<V>> || ...);
  static_assert(fits,
                "quern::rows: over ranks and in chunks, map, copy, fill and reductions take rows; for other "
                "operations, give each component an array of its own");
  return std::conditional_t<fits, place, no_place>();
}
/// The engine for operations of a kind on these operands.
template <class Kind, class... V>
using engine_of = engine<decltype(place_of_call<Kind, V...>()), Kind>;

/// An array in memory whose values are compared between ranks.
template <class Exec, class V>
struct compared_values {
  const Exec& exec;
  const V& of;
};
template <class Exec, class V>
compared_values<Exec, V> values_to_compare(const Exec& exec, const V& of) {
  return {exec, of};
}
/// Where operands lie over ranks that check calls, compares a call of this kind with those of the other ranks: its
/// operands, and what `more()` tells of other arguments. It comes before what looks at their values, so that all ranks
/// throw where one does.
template <class Kind, class More, class... V>
void compare_calls(const std::string& label, const More& more, const V&... operands) {
  using place = std::conditional_t<(is_at<over_ranks_place, V> || ...), over_ranks_place, in_memory>;
  if constexpr (!std::is_same_v<place, in_memory>) engine<place, Kind>::compare(label, more, operands...);
}

}  // namespace quern::impl

#endif
