// SPDX-FileCopyrightText: the Quern authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// NCCL and RCCL, whose functions have the same names.
#include "device_link.hpp"

#include <array>
#include <quern/distributed/communicator.hpp>

#include "device_runtime.hpp"

#ifdef KOKKOS_ENABLE_CUDA
#include <nccl.h>
#else
#include <rccl/rccl.h>
#endif

namespace quern::impl {

namespace {

void check(ncclResult_t status) {
  if (status != ncclSuccess)
    throw BackendError("quern::Communicator", std::string("NCCL reports: ") + ncclGetErrorString(status));
}

class vendor_link : public device_link {
 public:
  vendor_link(MPI_Comm comm, int rank, int size) {
    ncclUniqueId id;
    if (rank == 0) check(ncclGetUniqueId(&id));
    check_mpi("quern::Communicator", MPI_Bcast(&id, sizeof id, MPI_BYTE, 0, comm));
    check(ncclCommInitRank(&comm_, size, id, rank));
  }
  ~vendor_link() override {
    if (!aborted_) ncclCommDestroy(comm_);
  }

  void start(void* stream, const std::vector<message>& sends, const std::vector<message>& receives) override {
    auto* s = static_cast<QUERN_DEVICE(Stream_t)>(stream);
    check(ncclGroupStart());
    for (const auto& m : receives) check(ncclRecv(m.data, m.bytes, ncclInt8, m.peer, comm_, s));
    for (const auto& m : sends) check(ncclSend(m.data, m.bytes, ncclInt8, m.peer, comm_, s));
    check(ncclGroupEnd());
  }

  void all_gather(void* stream, const std::byte* mine, std::byte* all, std::int64_t bytes) override {
    check(ncclAllGather(mine, all, bytes, ncclInt8, comm_, static_cast<QUERN_DEVICE(Stream_t)>(stream)));
  }

  void check_transfers() override {
    ncclResult_t status = ncclSuccess;
    check(ncclCommGetAsyncError(comm_, &status));
    check(status);
  }

  void abort() noexcept override {
    if (!aborted_) ncclCommAbort(comm_);
    aborted_ = true;
  }

 private:
  ncclComm_t comm_ = nullptr;
  bool aborted_ = false;
};

}  // namespace

bool has_device_link() { return true; }

std::string device_identity() {
  int device = 0;
  std::array<char, 32> name{};
  check_device(QUERN_DEVICE(GetDevice)(&device));
  check_device(QUERN_DEVICE(DeviceGetPCIBusId)(name.data(), static_cast<int>(name.size()), device));
  return name.data();
}

std::shared_ptr<device_link> make_device_link(MPI_Comm comm, int rank, int size) {
  return std::make_shared<vendor_link>(comm, rank, size);
}

}  // namespace quern::impl
