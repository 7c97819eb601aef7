// SPDX-FileCopyrightText: the Quern authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef QUERN_DISTRIBUTED_RANK_SUMS_HPP
#define QUERN_DISTRIBUTED_RANK_SUMS_HPP

#include <cstring>
#include <quern/core/memory/pool.hpp>
#include <quern/distributed/rank_shares.hpp>
#include <quern/transfer/staging.hpp>

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
    exec.fence("quern::distributed: values for the host");
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

template <class T>
void add_values(void* lower, void* upper, int* n, MPI_Datatype*) {
  for (int i = 0; i < *n; ++i) {
    T a, b;
    std::memcpy(&a, static_cast<std::byte*>(lower) + i * sizeof(T), sizeof(T));
    std::memcpy(&b, static_cast<std::byte*>(upper) + i * sizeof(T), sizeof(T));
    b = a + b;
    std::memcpy(static_cast<std::byte*>(upper) + i * sizeof(T), &b, sizeof(T));
  }
}

struct add_to {
  template <class T>
  KOKKOS_FUNCTION void operator()(T& sum, const T& x) const {
    sum = sum + x;
  }
};

/// The sums over all ranks of n values of each, the same bits on every rank; waits.
template <class Exec, class T>
void sum_over_ranks(const Communicator& comm, const Exec& exec, T* data, std::int64_t n) {
  if (comm.size() == 1 || n == 0) return;
  if (joins_by_kernels<Exec>(comm, n * static_cast<std::int64_t>(sizeof(T))))
    return shared_items<Exec, T>(comm, exec, "quern::distributed", all_ranks(comm), data, n).join(add_to());
  const host_values<Exec, T> values(exec, data, n);
  all_reduce(comm, values.data(), n, sizeof(T), add_values<T>);
  values.write();
}

/// Values in memory that kernels reach.
template <class T>
struct values_of {
  T* data;
  std::int64_t n;
  std::int64_t bytes() const { return n * static_cast<std::int64_t>(sizeof(T)); }
};

/// The values of rank 0 on every rank, by one message; waits.
template <class Exec, class... T>
void take_from_first(const Communicator& comm, const Exec& exec, const values_of<T>&... values) {
  if (comm.size() == 1) return;
  const std::int64_t bytes = (0 + ... + values.bytes());
  const auto block = take_block<result_space<Exec>>(instance_ref(exec), bytes);
  auto* begin = reinterpret_cast<std::byte*>(block.data());
  const auto for_each = [&](const auto& f) {
    std::byte* at = begin;
    ((f(values.data, at, values.bytes()), at += values.bytes()), ...);
  };
  if (comm.rank() == 0)
    for_each([&](const auto* from, std::byte* to, std::int64_t n) { copy_to_host(exec, to, from, n); });
  exec.fence("quern::distributed: values for the host");
  broadcast(comm, begin, bytes, 0);
  if (comm.rank() != 0)
    for_each([&](auto* to, const std::byte* from, std::int64_t n) { copy_to_device(exec, to, from, n); });
}

}  // namespace quern::impl

#endif
