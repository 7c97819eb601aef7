// SPDX-FileCopyrightText: the Quern authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <unistd.h>

#include <quern/distributed/checkpoint.hpp>

#include "../files/hdf5_handle.hpp"

namespace quern::distributed::impl {

namespace {

using quern::files::FileError;

/// Opens a file on all ranks, or on none.
std::shared_ptr<hdf5_handle> open_together(const Communicator& comm, const std::string& path,
                                           const std::string& unfinished) {
  std::shared_ptr<hdf5_handle> file;
  together(comm, path, [&] {
    const quern::files::impl::id access(path, "parallel access", H5Pcreate(H5P_FILE_ACCESS), H5Pclose);
    quern::files::impl::check(path, "parallel access", H5Pset_fapl_mpio(access, comm.mpi(), MPI_INFO_NULL));
    quern::files::impl::check(path, "parallel access", H5Pset_all_coll_metadata_ops(access, false));
    file = std::make_shared<hdf5_handle>(path, unfinished, access, comm.rank() == 0);
  });
  return file;
}

}  // namespace

std::shared_ptr<hdf5_handle> open_hdf5(const Communicator& comm, const std::string& path) {
  return open_together(comm, path, {});
}

std::shared_ptr<hdf5_handle> create_hdf5(const Communicator& comm, const std::string& path) {
  std::int64_t process = ::getpid();
  broadcast(comm, &process, sizeof process, 0);
  return open_together(comm, path, path + ".part-" + std::to_string(process));
}

void commit_hdf5(const Communicator& comm, hdf5_handle& file) {
  together(comm, file.name(), [&] { file.close(); });
  together(comm, file.name(), [&] { file.give_name(); });
}

}  // namespace quern::distributed::impl
