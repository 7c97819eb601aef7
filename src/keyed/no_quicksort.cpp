// SPDX-FileCopyrightText: the Quern authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Without Highway: no call is taken.

#include <quern/keyed/quicksort.hpp>

namespace quern::impl {

bool keys_differ(std::array<std::uint64_t, sampled_keys>&) { return false; }

template <class Exec, class Number>
bool quicksort_numbers(const std::string&, const Exec&, const sort_lines&, const strided<Number>&,
                       const strided<const Number>&, bool) {
  return false;
}
template <class Exec, class Key>
bool quicksort_positions(const std::string&, const Exec&, std::int64_t, std::int64_t, std::int64_t, const Key*,
                         const key_alias<Key>&, std::uint64_t*) {
  return false;
}

QUERN_ON_HOSTS(QUERN_QUICKSORT_NUMBERS)
QUERN_ON_HOSTS(QUERN_QUICKSORT_POSITIONS)

}  // namespace quern::impl
