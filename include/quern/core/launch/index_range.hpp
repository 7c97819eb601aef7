// SPDX-FileCopyrightText: the Quern authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef QUERN_CORE_LAUNCH_INDEX_RANGE_HPP
#define QUERN_CORE_LAUNCH_INDEX_RANGE_HPP

#include <Kokkos_Core.hpp>
#include <cstdint>

namespace quern::impl {

/// The policy of a kernel that is called for each i from 0 to n - 1, behind a tag if there is one.
template <class Tag = void, class Exec>
auto index_range(const Exec& exec, std::int64_t n) {
  return Kokkos::RangePolicy<Exec, Tag, Kokkos::IndexType<std::int64_t>>(exec, 0, n);
}

}  // namespace quern::impl

#endif
