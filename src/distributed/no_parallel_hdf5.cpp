// SPDX-FileCopyrightText: the Quern authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Builds without HDF5, or with one that is not parallel.
#include <quern/distributed/checkpoint.hpp>

namespace quern::impl {

namespace {
[[noreturn]] void reject(const std::string& path) {
  throw files::FileError(path, "needs a Quern that was built with a parallel HDF5 (QUERN_ENABLE_HDF5)");
}
}  // namespace

std::shared_ptr<files::impl::hdf5_handle> open_hdf5(const Communicator&, const std::string& path) { reject(path); }
std::shared_ptr<files::impl::hdf5_handle> create_hdf5(const Communicator&, const std::string& path) { reject(path); }
void reserve_hdf5(const Communicator&, files::impl::hdf5_handle&, std::int64_t, const std::string&) {}
void write_together(const Communicator&, files::impl::hdf5_handle&, const std::function<void()>&) {}
void commit_hdf5(const Communicator&, files::impl::hdf5_handle&) {}

}  // namespace quern::impl
