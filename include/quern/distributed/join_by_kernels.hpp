// SPDX-FileCopyrightText: the Quern authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef QUERN_DISTRIBUTED_JOIN_BY_KERNELS_HPP
#define QUERN_DISTRIBUTED_JOIN_BY_KERNELS_HPP

/// @file
/// Reductions and scans of arrays across ranks by kernels: each rank joins its block of the items of all ranks, so that
/// a rank sends and receives the items twice, whatever the number of ranks.

#include <quern/core/call/label.hpp>
#include <quern/core/memory/pool_array.hpp>
#include <quern/distributed/box_exchange.hpp>
#include <quern/distributed/redistribute.hpp>

namespace quern::impl {

/// Whether items in the memory of devices are joined by kernels: small ones are joined on the host, where a message
/// takes a tenth of the time of one between devices.
template <class Exec>
bool joins_by_kernels(const Communicator& comm, std::int64_t bytes) {
  constexpr std::int64_t least_by_nccl = 16 * 1024, least_through_hosts = 256 * 1024;
  return is_device<Exec> && bytes >= (comm.transport() == device_transport::nccl ? least_by_nccl : least_through_hosts);
}

/// to = join(...join(join(item of rank 0, rank 1), rank 2)...)
template <class T, class Join>
struct join_block {
  const T* items;  // those of one rank behind those of the one before
  T* to;
  std::int64_t n;
  int ranks;
  Join join;
  KOKKOS_FUNCTION void operator()(std::int64_t i) const {
    T joined = items[i];
    for (int r = 1; r < ranks; ++r) join(joined, items[r * n + i]);
    to[i] = joined;
  }
};
/// The item of each rank becomes what those of the ranks before it are joined to, from `start` on.
template <class T, class Join>
struct scan_block {
  T* items;
  std::int64_t n;
  int ranks;
  T start;
  Join join;
  KOKKOS_FUNCTION void operator()(std::int64_t i) const {
    T before = start;
    for (int r = 0; r < ranks; ++r) {
      const T item = items[r * n + i];
      items[r * n + i] = before;
      join(before, item);
    }
  }
};

/// Gives every rank of a group among those of a communicator n items joined in the group's order; or with `Before` what
/// those of the ranks before it are joined to, from `start` on.
template <bool Before, class Exec, class T, class Join>
void join_by_kernels(const Exec& exec, const Communicator& comm, const Communicator& group, const std::string& label,
                     T* items, std::int64_t n, const T& start, const Join& join) {
  const std::vector<int> ranks = ranks_of(group, comm);
  const int members = group.size();
  const auto first = [&](int r) { return block_begin(n, members, r); };
  const std::int64_t size = first(group.rank() + 1) - first(group.rank());
  const scratch_block<T, Exec> blocks(exec, shape{members * size});
  const auto items_of = [&](int r) { return strided<T>{items + first(r), {first(r + 1) - first(r)}, {1}}; };
  const auto block_of = [&](int r) { return strided<T>{blocks.data + r * size, {size}, {1}}; };
  const auto bring = [&](const auto& sent, const auto& received) {
    std::vector<peer_box> out, in;
    for (int r = 0; r < members; ++r) {
      out.emplace_back(ranks[r], sent(r));
      in.emplace_back(ranks[r], received(r));
    }
    exchange_once(exec, comm, label, out, in);
  };
  const Kokkos::RangePolicy<Exec, Kokkos::IndexType<std::int64_t>> policy(exec, 0, size);
  bring(items_of, block_of);
  if constexpr (Before) {
    Kokkos::parallel_for(kernel_label(label, "/scan"), policy,
                         scan_block<T, Join>{blocks.data, size, members, start, join});
    bring(block_of, items_of);
  } else {
    Kokkos::parallel_for(kernel_label(label, "/join"), policy,
                         join_block<T, Join>{blocks.data, blocks.data, size, members, join});
    bring([&](int) { return block_of(0); }, items_of);
  }
}

/// Gives every rank n items joined in the order of the ranks: each gets those of all by one message, and joins them.
/// With NCCL nothing waits for it.
template <class Exec, class T, class Join>
void join_gathered(const Exec& exec, const Communicator& comm, const std::string& label, T* items, std::int64_t n,
                   const Join& join) {
  const scratch_block<T, Exec> all(exec, shape{comm.size() * n});
  all_gather_values(exec, comm, label, reinterpret_cast<const std::byte*>(items),
                    reinterpret_cast<std::byte*>(all.data), n * static_cast<std::int64_t>(sizeof(T)));
  Kokkos::parallel_for(kernel_label(label, "/join"),
                       Kokkos::RangePolicy<Exec, Kokkos::IndexType<std::int64_t>>(exec, 0, n),
                       join_block<T, Join>{all.data, items, n, comm.size(), join});
}

}  // namespace quern::impl

#endif
