// SPDX-FileCopyrightText: the Quern authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef QUERN_DISTRIBUTED_RANK_SUMS_HPP
#define QUERN_DISTRIBUTED_RANK_SUMS_HPP

#include <cstring>
#include <quern/core/call/label.hpp>
#include <quern/core/memory/pool.hpp>
#include <quern/distributed/join_by_kernels.hpp>
#include <quern/transfer/staging.hpp>
#include <span>

namespace quern::impl {

/// Values of each rank in memory that the host reaches: those of `data`, copied where kernels alone reach them, and
/// copied back by `write`. Both wait for what is needed.
template <class Exec, class T>
class host_values {
 public:
  host_values(const Exec& exec, T* data, std::int64_t n) : exec_(exec), data_(data), n_(n) {
    if constexpr (is_device<Exec>) {
      block_ = take_block<result_space<Exec>>(instance_ref(exec), n * sizeof(T));
      copy_to_host(exec, block_.data(), data, bytes());
    }
    exec.fence(kernel_label("quern::distributed: values for the host"));
  }
  T* data() const { return is_device<Exec> ? reinterpret_cast<T*>(block_.data()) : data_; }
  void write() const {
    if constexpr (is_device<Exec>) copy_to_device(exec_, data_, block_.data(), bytes());
  }

 private:
  std::int64_t bytes() const { return n_ * static_cast<std::int64_t>(sizeof(T)); }
  const Exec& exec_;
  T* data_;
  std::int64_t n_;
  pool_block<result_space<Exec>> block_;
};

/// A functor as an operation of MPI, which takes functions: that of the call that is under way on this thread. T may
/// have no default constructor, so that `start` is where copies begin.
template <class T, class Join>
struct mpi_operation {
  static inline thread_local const Join* join = nullptr;
  static inline thread_local const T* start = nullptr;

  static MPI_User_function* of(const Join& with, const T& from) {
    join = &with;
    start = &from;
    return apply;
  }
  static void apply(void* lower, void* upper, int* n, MPI_Datatype*) {
    for (int i = 0; i < *n; ++i) {
      T a = *start, b = *start;
      std::memcpy(&a, static_cast<std::byte*>(lower) + i * sizeof(T), sizeof(T));
      std::memcpy(&b, static_cast<std::byte*>(upper) + i * sizeof(T), sizeof(T));
      (*join)(a, b);
      std::memcpy(static_cast<std::byte*>(upper) + i * sizeof(T), &a, sizeof(T));
    }
  }
};

struct add_to {
  template <class T>
  KOKKOS_FUNCTION void operator()(T& sum, const T& x) const {
    sum = sum + x;
  }
};

/// Gives every rank of a group among those of a communicator n items joined over the group; or with `Before` what those
/// of the ranks before it are joined to, from `start` on. Waits.
template <bool Before, class Exec, class T, class Join>
void join_items(const Exec& exec, const Communicator& comm, const Communicator& group, const std::string& label,
                T* items, std::int64_t n, const T& start, const Join& join) {
  if (joins_by_kernels<Exec>(comm, n * static_cast<std::int64_t>(sizeof(T))))
    return join_by_kernels<Before>(exec, comm, group, label, items, n, start, join);
  const host_values<Exec, T> values(exec, items, n);
  MPI_User_function* const operation = mpi_operation<T, Join>::of(join, start);
  if constexpr (Before) exclusive_scan(group, values.data(), n, sizeof(T), &start, operation);
  else all_reduce(group, values.data(), n, sizeof(T), operation);
  values.write();
}

/// The sums over all ranks of n values of each, the same bits on every rank; waits.
template <class Exec, class T>
void sum_over_ranks(const Exec& exec, const Communicator& comm, T* data, std::int64_t n) {
  if (comm.size() > 1 && n > 0) join_items<false>(exec, comm, comm, "quern::distributed", data, n, T{}, add_to());
}

/// The values of rank 0, in memory that kernels reach, on every rank, by one message; waits.
template <class Exec, class... T>
void take_from_first(const Exec& exec, const Communicator& comm, const std::span<T>&... values) {
  if (comm.size() == 1) return;
  const auto bytes_in = [](const auto& v) { return static_cast<std::int64_t>(v.size_bytes()); };
  const std::int64_t bytes = (0 + ... + bytes_in(values));
  const auto block = take_block<result_space<Exec>>(instance_ref(exec), bytes);
  auto* begin = reinterpret_cast<std::byte*>(block.data());
  const auto for_each = [&](const auto& f) {
    std::byte* at = begin;
    ((f(values.data(), at, bytes_in(values)), at += bytes_in(values)), ...);
  };
  if (comm.rank() == 0)
    for_each([&](const auto* from, std::byte* to, std::int64_t n) { copy_to_host(exec, to, from, n); });
  exec.fence(kernel_label("quern::distributed: values for the host"));
  broadcast(comm, begin, bytes, 0);
  if (comm.rank() != 0)
    for_each([&](auto* to, const std::byte* from, std::int64_t n) { copy_to_device(exec, to, from, n); });
}

}  // namespace quern::impl

#endif
