// SPDX-FileCopyrightText: the Quern authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef QUERN_SRC_DISTRIBUTED_COMMUNICATOR_STATE_HPP
#define QUERN_SRC_DISTRIBUTED_COMMUNICATOR_STATE_HPP

#include <memory>
#include <quern/distributed/communicator.hpp>

#include "device_link.hpp"
#include "side_instance.hpp"

namespace quern::impl {

struct communicator_state {
  MPI_Comm comm = MPI_COMM_NULL;
  int rank = 0, size = 1, node_rank = 0, node_size = 1;
  device_transport transport = device_transport::staged;
  bool checks = false;
  std::shared_ptr<device_link> link;    // where the transport is nccl
  std::shared_ptr<side_instance> side;  // made when arrays of a device are first exchanged

  communicator_state();
  ~communicator_state();
  communicator_state(const communicator_state&) = delete;
  communicator_state& operator=(const communicator_state&) = delete;
  /// Frees the duplicate, unless MPI has done it or has ended.
  void release();
};

}  // namespace quern::impl

#endif
