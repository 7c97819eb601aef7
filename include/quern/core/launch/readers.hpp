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

/// Calls f with what a host loop reads of each operand from its offset on: a pointer where elements are contiguous, a
/// value where they repeat. Both are compiled for each operand, so that compilers can use vector instructions for every
/// combination.
template <class F, class... Done>
void with_each_reader(const F& f, std::tuple<>, const std::int64_t*, const Done&... done) {
  f(done...);
}
template <class F, class Operand, class... Rest, class... Done>
void with_each_reader(const F& f, std::tuple<const Operand&, const Rest&...> operands, const std::int64_t* offset,
                      const Done&... done) {
  const Operand& first = std::get<0>(operands);
  const auto rest = [&]<std::size_t... I>(std::index_sequence<I...>) {
    return std::tuple<const Rest&...>(std::get<I + 1>(operands)...);
  }(std::index_sequence_for<Rest...>());
  if constexpr (requires { first.data; } && !is_target<Operand>) {
    using value = repeated<typename Operand::value_type>;
    if (first.step == 0) return with_each_reader(f, rest, offset + 1, done..., value{first.load(*offset)});
  }
  with_each_reader(f, rest, offset + 1, done..., contiguous_from(first, *offset));
}

template <class Operand>
bool reads_contiguously(const Operand& operand) {
  if constexpr (requires { operand.data; }) return operand.step == operand.unit;
  else return true;
}

/// What a loop over n elements, at most `Most`, reads of an operand as if they followed each other: a value that
/// repeats is spread over memory.
template <class Operand, std::int64_t Most>
class spread_reader {
  using value = typename Operand::value_type;
  using run = decltype(contiguous_from(std::declval<const Operand&>(), 0));
  static constexpr bool spreads = std::is_pointer_v<run> && std::is_trivially_copyable_v<value>;
  alignas(64) std::byte memory_[spreads ? Most * sizeof(value) : 1];

 public:
  spread_reader() {}  // in a tuple, a default one would fill its memory with zeros
  static bool repeats(const Operand& operand) {
    if constexpr (spreads) return operand.step == 0;
    else return false;
  }
  run from(const Operand& operand, std::int64_t offset, std::int64_t n) {
    if constexpr (spreads) {
      if (operand.step == 0) {
        auto* const all = reinterpret_cast<value*>(memory_);
        std::uninitialized_fill_n(all, n, operand.load(offset));
        return all;
      }
    }
    return contiguous_from(operand, offset);
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

/// The combinations of up to three operands. Their number would double with each, so of more there is one loop for
/// contiguous ones, where those that repeat are spread, and one for all others.
template <std::int64_t Most, class F, class... Operand>
void with_readers(const F& f, std::tuple<const Operand&...> operands, const std::int64_t* offset,
                  [[maybe_unused]] std::int64_t n) {
  if constexpr (sizeof...(Operand) <= 3) {
    with_each_reader(f, operands, offset);
  } else {
    [&]<std::size_t... I>(std::index_sequence<I...>) {
      if ((has_reader<sizeof...(Operand)>(std::get<I>(operands)) && ...)) {
        std::tuple<spread_reader<Operand, Most>...> readers;
        f(std::get<I>(readers).from(std::get<I>(operands), offset[I], n)...);
      } else {
        f(std::get<I>(operands).strided_from(offset[I])...);
      }
    }(std::index_sequence_for<Operand...>());
  }
}

}  // namespace quern::impl

#endif
