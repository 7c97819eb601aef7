// SPDX-FileCopyrightText: the Quern authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef QUERN_CORE_LAUNCH_HOST_THREADS_HPP
#define QUERN_CORE_LAUNCH_HOST_THREADS_HPP

#include <cstdint>
#include <functional>

namespace quern::impl {

/// Threads of the host that move memory beside what a device computes. They are not those of an execution space: in a
/// Kokkos for a device and Serial the host has one thread, which is too few for the link to the device.
int host_threads();

/// Calls `f(k)` for k from 0 to n - 1 on these threads and the caller's, and waits. The first exception of an f is
/// thrown again. Calls from several threads take turns.
void on_host_threads(std::int64_t n, const std::function<void(std::int64_t)>& f);

/// Lets other threads run: `std::this_thread::yield`, whose header is long.
void yield_thread();

}  // namespace quern::impl

#endif
