// SPDX-FileCopyrightText: the Quern authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef QUERN_SRC_DISTRIBUTED_DEVICE_RUNTIME_HPP
#define QUERN_SRC_DISTRIBUTED_DEVICE_RUNTIME_HPP

/// @file
/// The runtimes of CUDA and HIP, whose functions have the same names: `QUERN_DEVICE(GetDevice)`.

#include <Kokkos_Core.hpp>
#include <quern/core/call/error.hpp>
#include <string>

#ifdef KOKKOS_ENABLE_CUDA
#include <cuda_runtime.h>
#define QUERN_DEVICE(function) cuda##function
#else
#include <hip/hip_runtime.h>
#define QUERN_DEVICE(function) hip##function
#endif

namespace quern::impl {

inline void check_device(QUERN_DEVICE(Error_t) status) {
  if (status != QUERN_DEVICE(Success))
    throw BackendError("quern::Communicator",
                       std::string("the device reports: ") + QUERN_DEVICE(GetErrorString)(status));
}

}  // namespace quern::impl

#endif
