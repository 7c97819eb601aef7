// SPDX-FileCopyrightText: the Quern authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef QUERN_CORE_MEMORY_FREE_MEMORY_HPP
#define QUERN_CORE_MEMORY_FREE_MEMORY_HPP

#include <Kokkos_Core.hpp>
#include <cstddef>

namespace quern::impl {

/// Bytes that can be allocated in a memory space: what the driver says for a device, and the system for the host.
template <class Space>
std::size_t free_memory();

}  // namespace quern::impl

#endif
