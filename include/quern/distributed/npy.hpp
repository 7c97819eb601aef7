// SPDX-FileCopyrightText: the Quern authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef QUERN_DISTRIBUTED_NPY_HPP
#define QUERN_DISTRIBUTED_NPY_HPP

#include <quern/distributed/checkpoint.hpp>
#include <quern/distributed/redistribute.hpp>
#include <quern/files/npy.hpp>

namespace quern::impl {

/// The whole of a distributed array in the memory of one rank's host, and nothing on the others.
template <class V>
auto whole_on_host(const V& v, bool here) {
  using view = Kokkos::View<typename V::view_type::non_const_data_type, Kokkos::LayoutRight, Kokkos::HostSpace>;
  Kokkos::LayoutRight layout;
  for (int d = 0; d < V::rank; ++d) layout.dimension[d] = here ? v.extents().extent[d] : 0;
  return view(Kokkos::view_alloc(Kokkos::WithoutInitializing, "quern::distributed"), layout);
}

}  // namespace quern::impl

namespace quern::distributed {

/// Writes an array that fits into the memory of one host as a `.npy` file: it is brought to rank 0. Larger ones go to a
/// `Checkpoint`. Collective; waits.
/// @throws files::FileError, on every rank, if the file cannot be written
template <distributed_like V>
void write_npy(const std::string& path, const V& in) {
  const Communicator& comm = in.communicator();
  const bool here = comm.rank() == 0;
  const auto whole = impl::whole_on_host(in, here);
  to_global(typename V::execution_space(), whole, in, 0);
  impl::on_all_ranks(comm, path, [&] {
    if (here) files::write_npy(path, whole);
  });
}

/// Reads a `.npy` file of out's extents, which rank 0 reads. Collective; waits.
/// @throws files::FileError, on every rank, if the file cannot be read or has other extents
template <distributed_like V>
void read_npy(const std::string& path, const V& out) {
  const Communicator& comm = out.communicator();
  const bool here = comm.rank() == 0;
  const auto whole = impl::whole_on_host(out, here);
  impl::on_all_ranks(comm, path, [&] {
    if (here) files::read_npy(path, whole);
  });
  from_global(typename V::execution_space(), out, whole, 0);
}

}  // namespace quern::distributed

#endif
