// SPDX-FileCopyrightText: the Quern authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Builds without NCCL and RCCL.
#include "device_link.hpp"

namespace quern::impl {

bool has_device_link() { return false; }
std::string device_identity() { return {}; }
std::shared_ptr<device_link> make_device_link(MPI_Comm, int, int) { return nullptr; }

}  // namespace quern::impl
