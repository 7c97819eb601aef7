// SPDX-FileCopyrightText: the Quern authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef QUERN_CORE_LAUNCH_READERS_HPP
#define QUERN_CORE_LAUNCH_READERS_HPP

/// @file
/// What the loops of hosts read of operands.

#include <algorithm>
#include <cstddef>
#include <memory>
#include <quern/core/launch/pack.hpp>
#include <tuple>

namespace quern::impl {

/// The elements from `offset` on of an array whose elements are contiguous.
template <class Operand>
auto contiguous_from(const Operand& operand, std::int64_t offset) {
  if constexpr (requires { operand.contiguous_from(offset); }) return operand.contiguous_from(offset);
  else return operand.strided_from(offset);
}

/// Calls f(k, count, reader...) for the elements from k on, `length` of n at a time, with what a host loop reads of
/// each operand there: a pointer where elements are contiguous, a value where they repeat. Both are compiled for each
/// operand, so that compilers can use vector instructions for every combination.
template <class F, class... Done>
void with_each_reader(const F& f, std::int64_t n, std::int64_t length, std::tuple<>, const std::int64_t*,
                      const Done&... done) {
  for (std::int64_t k = 0; k < n; k += length) f(k, std::min(length, n - k), done(k)...);
}
template <class F, class Operand, class... Rest, class... Done>
void with_each_reader(const F& f, std::int64_t n, std::int64_t length,
                      std::tuple<const Operand&, const Rest&...> operands, const std::int64_t* offset,
                      const Done&... done) {
  const Operand& first = std::get<0>(operands);
  const auto rest = [&]<std::size_t... I>(std::index_sequence<I...>) {
    return std::tuple<const Rest&...>(std::get<I + 1>(operands)...);
  }(std::index_sequence_for<Rest...>());
  if constexpr (requires { first.data; } && !is_target<Operand>) {
    using value = repeated<typename Operand::value_type>;
    if (first.step == 0) {
      const value same{first.load(*offset)};
      return with_each_reader(f, n, length, rest, offset + 1, done..., [same](std::int64_t) { return same; });
    }
  }
  const auto from = [&first, at = *offset](std::int64_t k) { return contiguous_from(first, at + k * first.step); };
  with_each_reader(f, n, length, rest, offset + 1, done..., from);
}

template <class Operand>
bool reads_contiguously(const Operand& operand) {
  if constexpr (requires { operand.data; }) return operand.step == operand.unit;
  else return true;
}

/// What a loop over at most `Length` elements reads of an operand as if they followed each other: a value that repeats
/// is spread over memory.
template <class Operand, std::int64_t Length>
class spread_reader {
  using value = typename Operand::value_type;
  using run = decltype(contiguous_from(std::declval<const Operand&>(), 0));
  static constexpr bool spreads = std::is_pointer_v<run> && std::is_trivially_copyable_v<value>;
  alignas(64) std::byte memory_[spreads ? Length * sizeof(value) : 1];

 public:
  spread_reader() {}  // in a tuple, a default one would fill its memory with zeros
  static bool repeats(const Operand& operand) {
    if constexpr (spreads) return operand.step == 0;
    else return false;
  }
  void fill(const Operand& operand, std::int64_t offset, std::int64_t n) {
    if constexpr (spreads)
      if (repeats(operand)) std::uninitialized_fill_n(reinterpret_cast<value*>(memory_), n, operand.load(offset));
  }
  /// From element k on of those that begin at an offset.
  run from(const Operand& operand, std::int64_t offset, std::int64_t k) const {
    if constexpr (spreads)
      if (repeats(operand)) return reinterpret_cast<const value*>(memory_);
    return contiguous_from(operand, offset + k * operand.step);
  }
};
/// Whether there is a loop for the operand among so many that uses vector instructions.
template <int Count, class Operand>
bool has_reader(const Operand& operand) {
  constexpr bool each = Count <= 3;
  if constexpr (requires { operand.data; })
    if (operand.step == 0) return each || spread_reader<Operand, 1>::repeats(operand);
  return reads_contiguously(operand);
}

/// Calls f(k, count, reader...) for the elements from k on, of n that begin at the operands' offsets: `length` of them
/// at a time, and no more than `Length` where some repeat in a loop that has them spread.
///
/// Of up to three operands there are all combinations. Their number would double with each, so of more there is one
/// loop for contiguous ones, where those that repeat are spread, and one for all others.
template <std::int64_t Length, class F, class... Operand>
void with_readers(const F& f, std::int64_t n, std::int64_t length, std::tuple<const Operand&...> operands,
                  const std::int64_t* offset) {
  if constexpr (sizeof...(Operand) <= 3) {
    with_each_reader(f, n, length, operands, offset);
  } else {
    [&]<std::size_t... I>(std::index_sequence<I...>) {
      if ((has_reader<sizeof...(Operand)>(std::get<I>(operands)) && ...)) {
        std::tuple<spread_reader<Operand, Length>...> readers;
        const bool spreads = (spread_reader<Operand, Length>::repeats(std::get<I>(operands)) || ...);
        const std::int64_t part = spreads ? std::min(length, Length) : length;
        (std::get<I>(readers).fill(std::get<I>(operands), offset[I], std::min(part, n)), ...);
        for (std::int64_t k = 0; k < n; k += part)
          f(k, std::min(part, n - k), std::get<I>(readers).from(std::get<I>(operands), offset[I], k)...);
      } else {
        for (std::int64_t k = 0; k < n; k += length)
          f(k, std::min(length, n - k),
            std::get<I>(operands).strided_from(offset[I] + k * std::get<I>(operands).step)...);
      }
    }(std::index_sequence_for<Operand...>());
  }
}

}  // namespace quern::impl

#endif
