// SPDX-FileCopyrightText: the Quern authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <algorithm>
#include <quern/distributed/checkpoint.hpp>

// The handle of an open file is private to Quern's sources, not to the component below: what it does for one process is
// done here for all ranks.
#include "../files/hdf5_handle.hpp"

namespace quern::impl {

namespace {

/// Opens a file on all ranks, or on none.
/// @param unfinished the name of a new file until it is committed, or empty
std::shared_ptr<files::impl::hdf5_handle> open_together(const Communicator& comm, const std::string& path,
                                                        const std::string& unfinished) {
  using namespace files::impl;
  std::shared_ptr<files::impl::hdf5_handle> file;
  on_all_ranks(comm, path, [&] {
    const id access(path, "parallel access cannot be set up", H5Pcreate(H5P_FILE_ACCESS), H5Pclose);
    check(path, "parallel access cannot be set up", H5Pset_fapl_mpio(access, comm.mpi(), MPI_INFO_NULL));
    check(path, "parallel access cannot be set up", H5Pset_all_coll_metadata_ops(access, false));
    if (unfinished.empty()) {
      file = std::make_shared<files::impl::hdf5_handle>(path, opening::read, path, access);
    } else {
      // One rank gives the file its name, or removes it.
      auto name = comm.rank() == 0 ? unfinished_file(path, unfinished) : unfinished_file();
      file = std::make_shared<files::impl::hdf5_handle>(path, opening::create, unfinished, access, std::move(name));
    }
  });
  return file;
}

/// f() on every rank. Where that fails on one, all abandon the file, of which nothing stays.
template <class F>
void or_abandon(const Communicator& comm, files::impl::hdf5_handle& file, const F& f) {
  try {
    on_all_ranks(comm, file.name(), f);
  } catch (...) {
    file.abandon();
    file.discard();
    throw;
  }
}

}  // namespace

std::shared_ptr<files::impl::hdf5_handle> open_hdf5(const Communicator& comm, const std::string& path) {
  return open_together(comm, path, {});
}

std::shared_ptr<files::impl::hdf5_handle> create_hdf5(const Communicator& comm, const std::string& path) {
  // Rank 0 chooses the name of the unfinished file.
  return open_together(comm, path, values_of_rank(comm, files::impl::unfinished_file::name_beside(path), 0));
}

void reserve_hdf5(const Communicator& comm, files::impl::hdf5_handle& file, std::int64_t bytes,
                  const std::string& name) {
  or_abandon(comm, file, [&] {
    (void)file.file();
    file.needs(bytes, std::count(name.begin(), name.end(), '/'));
    file.reserve();
  });
}

void write_together(const Communicator& comm, files::impl::hdf5_handle& file, const std::function<void()>& f) {
  try {
    on_all_ranks(comm, file.name(), f);
  } catch (...) {
    if (sum_of_ranks(comm, file.damaged() ? 1 : 0) > 0) file.abandon();
    throw;
  }
}

void commit_hdf5(const Communicator& comm, files::impl::hdf5_handle& file) {
  or_abandon(comm, file, [&] {
    file.check_whole();
    file.reserve();
  });
  or_abandon(comm, file, [&] { file.close(); });
  or_abandon(comm, file, [&] { file.give_name(); });
}

}  // namespace quern::impl
