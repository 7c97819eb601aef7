// SPDX-FileCopyrightText: the Quern authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef QUERN_CORE_LAUNCH_OPERAND_RUNS_HPP
#define QUERN_CORE_LAUNCH_OPERAND_RUNS_HPP

/// @file
/// What the loops of hosts read of operands that are found by maps of indices.

#include <algorithm>
#include <quern/core/launch/pack.hpp>
#include <quern/core/views/mapped_array.hpp>

namespace quern::impl {

/// Whether an operand is found by a map of indices, and can say how far its elements are at equal distances.
template <class Operand>
inline constexpr bool has_runs = false;
template <class Source>
inline constexpr bool has_runs<mapped_operand<Source>> =
    Source::has_runs && std::is_trivially_copyable_v<typename Source::value_type>;

/// So many elements are gathered at a time, and adjacent ones from `least_run` on are read where they are.
/// (bench_views)
inline constexpr std::int64_t least_run = 32, gathered_length = 128;

/// Where elements of an operand are gathered.
template <class Operand>
struct gathered_elements {};
template <class Operand>
  requires has_runs<Operand>
struct gathered_elements<Operand> {
  using value = typename Operand::value_type;
  alignas(64) std::byte memory[gathered_length * sizeof(value)];
};

/// An operand from an element on as one of memory, where it is found by a map.
template <class Operand>
struct operand_run {
  const Operand& operand;
  std::int64_t offset;
};
template <class T>
struct memory_run {
  array_operand<const T> operand;
  std::int64_t offset = 0;
};
/// `count` becomes the number of elements for which that holds.
template <class Operand>
auto run_at(const Operand& operand, std::int64_t from, std::int64_t k, std::int64_t& count,
            gathered_elements<Operand>& room) {
  if constexpr (has_runs<Operand>) {
    using value = typename Operand::value_type;
    const std::int64_t at = from + k * operand.step;
    const auto r = operand.run(at, count);
    const std::int64_t worth = r.step == 1 ? least_run : gathered_length;
    if (r.data != nullptr && (r.step == 0 || r.step == 1) && r.count >= std::min(worth, count)) {
      count = std::min(count, r.count);
      return memory_run<value>{{r.data, r.step}};
    }
    count = std::min(count, gathered_length);
    auto* const gathered = reinterpret_cast<value*>(room.memory);
    operand.gather(at, count, gathered);
    return memory_run<value>{{gathered, 1}};
  } else {
    return operand_run<Operand>{operand, from + k * operand.step};
  }
}

}  // namespace quern::impl

#endif
