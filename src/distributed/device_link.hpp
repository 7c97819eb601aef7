// SPDX-FileCopyrightText: the Quern authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef QUERN_SRC_DISTRIBUTED_DEVICE_LINK_HPP
#define QUERN_SRC_DISTRIBUTED_DEVICE_LINK_HPP

#include <mpi.h>

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

namespace quern::impl {

/// Bytes that go to another rank, or come from it.
struct message {
  int peer;
  std::byte* data;
  std::int64_t bytes;
};

/// The transport of a vendor's library between the devices of the ranks. What it transfers is in the order of streams,
/// so that the host waits for nothing.
class device_link {
 public:
  virtual ~device_link() = default;
  /// Sends and receives in the order of a stream.
  virtual void start(void* stream, const std::vector<message>& sends, const std::vector<message>& receives) = 0;
  /// all = what each rank has at `mine`, in the order of ranks and of a stream.
  virtual void all_gather(void* stream, const std::byte* mine, std::byte* all, std::int64_t bytes) = 0;
  /// @throws BackendError if a transfer that was started has failed
  virtual void check_transfers() = 0;
  /// Ends what is under way, on other ranks too.
  virtual void abort() noexcept = 0;
};

/// Whether this build has such a library.
bool has_device_link();
/// What tells devices of one host apart.
std::string device_identity();
/// The link between the ranks of a communicator, each with a device of its own; collective.
std::shared_ptr<device_link> make_device_link(MPI_Comm comm, int rank, int size);

}  // namespace quern::impl

#endif
