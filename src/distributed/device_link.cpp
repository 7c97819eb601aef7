// SPDX-FileCopyrightText: the Quern authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// NCCL and RCCL, whose functions have the same names.
#include "device_link.hpp"

#include <Kokkos_Core.hpp>
#include <array>
#include <quern/core/error.hpp>
#include <quern/distributed/communicator.hpp>

#ifdef KOKKOS_ENABLE_CUDA
#include <cuda_runtime.h>
#include <nccl.h>
#define QUERN_DEVICE(function) cuda##function
#else
#include <hip/hip_runtime.h>
#include <rccl/rccl.h>
#define QUERN_DEVICE(function) hip##function
#endif

namespace quern::impl {

namespace {

void check(ncclResult_t status) {
  if (status != ncclSuccess)
    throw BackendError("quern::Communicator", std::string("NCCL reports: ") + ncclGetErrorString(status));
}
void check(QUERN_DEVICE(Error_t) status) {
  if (status != QUERN_DEVICE(Success))
    throw BackendError("quern::Communicator",
                       std::string("the device reports: ") + QUERN_DEVICE(GetErrorString)(status));
}

/// Transfers go on a stream of their own, of the highest priority, so that they overlap with what the instance computes
/// and are not kept from the device by it.
class stream_link : public device_link {
 public:
  stream_link(MPI_Comm comm, int rank, int size) {
    ncclUniqueId id;
    if (rank == 0) check(ncclGetUniqueId(&id));
    check_mpi("quern::Communicator", MPI_Bcast(&id, sizeof id, MPI_BYTE, 0, comm));
    check(ncclCommInitRank(&comm_, size, id, rank));
    int least = 0, greatest = 0;
    check(QUERN_DEVICE(DeviceGetStreamPriorityRange)(&least, &greatest));
    check(QUERN_DEVICE(StreamCreateWithPriority)(&stream_, QUERN_DEVICE(StreamNonBlocking), greatest));
    check(QUERN_DEVICE(EventCreateWithFlags)(&ready_, QUERN_DEVICE(EventDisableTiming)));
    check(QUERN_DEVICE(EventCreateWithFlags)(&done_, QUERN_DEVICE(EventDisableTiming)));
  }
  ~stream_link() override {
    if (aborted_) return;
    static_cast<void>(QUERN_DEVICE(StreamSynchronize)(stream_));
    ncclCommDestroy(comm_);
    static_cast<void>(QUERN_DEVICE(EventDestroy)(ready_));
    static_cast<void>(QUERN_DEVICE(EventDestroy)(done_));
    static_cast<void>(QUERN_DEVICE(StreamDestroy)(stream_));
  }

  void start(void* stream, const std::vector<message>& sends, const std::vector<message>& receives) override {
    check(QUERN_DEVICE(EventRecord)(ready_, static_cast<QUERN_DEVICE(Stream_t)>(stream)));
    check(QUERN_DEVICE(StreamWaitEvent)(stream_, ready_, 0));
    check(ncclGroupStart());
    for (const auto& m : receives) check(ncclRecv(m.data, m.bytes, ncclInt8, m.peer, comm_, stream_));
    for (const auto& m : sends) check(ncclSend(m.data, m.bytes, ncclInt8, m.peer, comm_, stream_));
    check(ncclGroupEnd());
    check(QUERN_DEVICE(EventRecord)(done_, stream_));
  }

  void finish(void* stream) override {
    ncclResult_t status = ncclSuccess;
    check(ncclCommGetAsyncError(comm_, &status));
    check(status);
    check(QUERN_DEVICE(StreamWaitEvent)(static_cast<QUERN_DEVICE(Stream_t)>(stream), done_, 0));
  }

  void abort() noexcept override {
    if (!aborted_) ncclCommAbort(comm_);
    aborted_ = true;
  }

 private:
  ncclComm_t comm_ = nullptr;
  QUERN_DEVICE(Stream_t) stream_ = nullptr;
  QUERN_DEVICE(Event_t) ready_ = nullptr, done_ = nullptr;
  bool aborted_ = false;
};

}  // namespace

bool has_device_link() { return true; }

std::string device_identity() {
  int device = 0;
  std::array<char, 32> name{};
  check(QUERN_DEVICE(GetDevice)(&device));
  check(QUERN_DEVICE(DeviceGetPCIBusId)(name.data(), static_cast<int>(name.size()), device));
  return name.data();
}

std::shared_ptr<device_link> make_device_link(MPI_Comm comm, int rank, int size) {
  return std::make_shared<stream_link>(comm, rank, size);
}

}  // namespace quern::impl
