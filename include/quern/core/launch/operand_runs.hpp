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
inline constexpr bool has_runs<mapped_operand<Source>> = Source::has_runs;

/// An operand from an element on as one of memory. `count` becomes the number of elements for which that holds; 0 where
/// there is no loop for them.
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
template <class Operand>
auto run_at(const Operand& operand, std::int64_t from, std::int64_t k, std::int64_t& count) {
  if constexpr (has_runs<Operand>) {
    const auto r = operand.run(from + k * operand.step, count);
    const bool reads = r.data != nullptr && (r.step == 0 || r.step == 1 || r.count == 1);
    count = reads ? std::min(count, r.count) : 0;
    return memory_run<typename Operand::value_type>{{r.data, r.count == 1 ? 1 : r.step}};
  } else {
    return operand_run<Operand>{operand, from + k * operand.step};
  }
}

}  // namespace quern::impl

#endif
