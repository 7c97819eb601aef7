// SPDX-FileCopyrightText: the Quern authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef QUERN_DISTRIBUTED_RANK_SHARES_HPP
#define QUERN_DISTRIBUTED_RANK_SHARES_HPP

/// @file
/// Reductions and scans of arrays across ranks by kernels: each rank joins its share of the items of all ranks, so that
/// a rank sends and receives the items twice, whatever the number of ranks.

#include <quern/core/memory/pool.hpp>
#include <quern/distributed/redistribute.hpp>

namespace quern::impl {

/// Whether items in the memory of devices are joined by kernels: small ones are joined on the host, where a message
/// takes a tenth of the time of one between devices.
template <class Exec>
bool joins_by_kernels(const Communicator& comm, std::int64_t bytes) {
  constexpr std::int64_t least_by_nccl = 16 * 1024, least_through_hosts = 256 * 1024;
  return is_device<Exec> && bytes >= (comm.transport() == device_transport::nccl ? least_by_nccl : least_through_hosts);
}

/// joined = join(...join(join(item of rank 0, rank 1), rank 2)...)
template <class T, class Join>
struct join_share {
  T* items;  // those of one rank behind those of the one before
  std::int64_t n;
  int ranks;
  Join join;
  KOKKOS_FUNCTION void operator()(std::int64_t i) const {
    T joined = items[i];
    for (int r = 1; r < ranks; ++r) join(joined, items[r * n + i]);
    items[i] = joined;
  }
};
/// The item of each rank becomes what those of the ranks before it are joined to, from `start` on.
template <class T, class Join>
struct scan_share {
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

/// n items on each rank of a group among those of a communicator, which are joined in the group's order.
template <class Exec, class T>
class shared_items {
 public:
  shared_items(const Communicator& comm, const Communicator& group, const Exec& exec, const std::string& label,
               T* items, std::int64_t n)
      : comm_(comm),
        exec_(exec),
        label_(label),
        ranks_(ranks_of(group, comm)),
        items_(items),
        n_(n),
        place_(group.rank()) {
    block_ = take_block<typename Exec::memory_space>(instance_ref(exec), size() * ranks_.size() * sizeof(T));
    bring([&](int r) { return items_of(r); }, [&](int r) { return share_of(r); });
  }

  /// Every rank gets the items joined over the ranks.
  template <class Join>
  void join(const Join& join) const {
    launch("/join", join_share<T, Join>{shares(), size(), size_of_group(), join});
    bring([&](int) { return share_of(0); }, [&](int r) { return items_of(r); });
  }
  /// Every rank gets what the items of the ranks before it are joined to.
  template <class Join>
  void scan(const T& start, const Join& join) const {
    launch("/scan", scan_share<T, Join>{shares(), size(), size_of_group(), start, join});
    bring([&](int r) { return share_of(r); }, [&](int r) { return items_of(r); });
  }

 private:
  int size_of_group() const { return static_cast<int>(ranks_.size()); }
  std::int64_t first(int r) const { return block_begin(n_, size_of_group(), r); }
  std::int64_t size() const { return first(place_ + 1) - first(place_); }
  T* shares() const { return reinterpret_cast<T*>(block_.data()); }
  strided<T> items_of(int r) const { return {items_ + first(r), {first(r + 1) - first(r)}, {1}}; }
  strided<T> share_of(int r) const { return {shares() + r * size(), {size()}, {1}}; }
  template <class F>
  void launch(const char* name, const F& f) const {
    Kokkos::parallel_for(label_ + name, Kokkos::RangePolicy<Exec, Kokkos::IndexType<std::int64_t>>(exec_, 0, size()),
                         f);
  }
  /// Brings `sent(r)` to each rank r of the group, and what each has for this one to `received(r)`.
  template <class Sent, class Received>
  void bring(const Sent& sent, const Received& received) const {
    std::vector<peer_box> out, in;
    for (int r = 0; r < size_of_group(); ++r) {
      out.emplace_back(ranks_[r], sent(r));
      in.emplace_back(ranks_[r], received(r));
    }
    exchange_once(comm_, exec_, label_, out, in);
  }

  const Communicator& comm_;
  const Exec& exec_;
  std::string label_;
  std::vector<int> ranks_;
  T* items_;
  std::int64_t n_;
  int place_;
  pool_block<typename Exec::memory_space> block_;
};

}  // namespace quern::impl

#endif
