// SPDX-FileCopyrightText: the Quern authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef QUERN_CORE_WORKSPACE_HPP
#define QUERN_CORE_WORKSPACE_HPP

#include <Kokkos_Core.hpp>
#include <algorithm>
#include <memory>
#include <mutex>
#include <quern/core/concepts.hpp>
#include <quern/core/tuning.hpp>
#include <vector>

namespace quern {

/// Scratch memory of operations, in the memory space of `Exec`.
///
/// An operation that needs scratch takes it from a pool of the execution-space instance, so that a warm call neither
/// allocates nor fences. A caller who must not depend on the pool (graph capture, tight memory) passes a workspace as
/// the last argument. It grows when an operation needs more than it has; growing allocates and may fence, nothing else
/// does. Work that uses one workspace must be ordered, as work on one instance is.
template <execution_space Exec>
class workspace {
 public:
  using memory_space = typename Exec::memory_space;

  workspace() = default;
  /// Allocates `bytes` at once, so that no later call needs to; operations of several kernels take a second part when
  /// they are first called.
  workspace(const Exec& exec, std::size_t bytes) { require(exec, bytes); }

  /// At least `bytes` bytes, aligned for any type. Their content is undefined. Operations of several kernels keep what
  /// one leaves for the next in a part of its own.
  void* require(const Exec& exec, std::size_t bytes, int part = 0) {
    if (part > 0) {
      if (bytes > kept_.extent(0))
        kept_ = buffer_type(Kokkos::view_alloc(exec, Kokkos::WithoutInitializing, "quern::workspace"), bytes);
      return kept_.data();
    }
    if (bytes > size()) {
      buffer_ = buffer_type(Kokkos::view_alloc(exec, Kokkos::WithoutInitializing, "quern::workspace"), header + bytes);
      Kokkos::deep_copy(
          exec, Kokkos::View<int*, memory_space, Kokkos::MemoryTraits<Kokkos::Unmanaged>>(counters(), max_counters), 0);
    }
    return buffer_.data() + header;
  }

  /// Bytes that are there.
  std::size_t size() const { return buffer_.extent(0) > 0 ? buffer_.extent(0) - header : 0; }

  /// Counters that are 0 between kernels: teams count themselves with one, and the last of them resets it. Valid after
  /// `require`.
  int* counters() const { return reinterpret_cast<int*>(buffer_.data()); }
  static constexpr int max_counters = 1024;

 private:
  using buffer_type = Kokkos::View<std::byte*, memory_space>;
  static constexpr std::size_t header = max_counters * sizeof(int);
  buffer_type buffer_, kept_;
};

namespace impl {

/// Memory that both a kernel on `Exec` can write and the host can read.
template <class Exec>
using result_space = std::conditional_t<is_device<Exec>, Kokkos::SharedHostPinnedSpace, Kokkos::HostSpace>;

/// Scratch and a place for a scalar result, for one operation at a time on one execution-space instance.
template <class Exec>
struct pool_entry {
  static constexpr std::size_t result_bytes = 64;
  Exec exec;
  workspace<Exec> scratch;
  Kokkos::View<std::byte*, result_space<Exec>> result;
  bool busy = false;

  explicit pool_entry(const Exec& e) : exec(e), result("quern::result", result_bytes) {}
};

/// The entries of all instances of `Exec`. An entry keeps its instance alive, so that two instances never share
/// memory; everything is released by `Kokkos::finalize`.
template <class Exec>
class pool {
 public:
  static pool& instance() {
    static pool p;
    return p;
  }

  pool_entry<Exec>* acquire(const Exec& exec) {
    std::lock_guard lock(mutex_);
    if (!hooked_) {
      Kokkos::push_finalize_hook([this] { release_all(); });
      hooked_ = true;
    }
    for (auto& e : entries_)
      if (!e->busy && e->exec == exec) {
        e->busy = true;
        return e.get();
      }
    entries_.push_back(std::make_unique<pool_entry<Exec>>(exec));
    entries_.back()->busy = true;
    return entries_.back().get();
  }

  void release(pool_entry<Exec>* entry) {
    std::lock_guard lock(mutex_);
    entry->busy = false;
  }

 private:
  void release_all() {
    std::lock_guard lock(mutex_);
    entries_.clear();
    hooked_ = false;
  }

  std::mutex mutex_;
  std::vector<std::unique_ptr<pool_entry<Exec>>> entries_;
  bool hooked_ = false;
};

/// Holds a pool entry while an operation launches its kernels: calls from several host threads on one instance get
/// different scratch, and a later call may reuse it because its kernels are ordered after the earlier ones. Such calls
/// are safe where Kokkos's own kernels are: not on Serial of a Kokkos with KOKKOS_ENABLE_ATOMICS_BYPASS, whose team
/// kernels share memory of the instance without a lock.
template <class Exec>
class lease {
 public:
  explicit lease(const Exec& exec) : entry_(pool<Exec>::instance().acquire(exec)) {}
  ~lease() { pool<Exec>::instance().release(entry_); }
  lease(const lease&) = delete;
  lease& operator=(const lease&) = delete;

  workspace<Exec>& scratch() { return entry_->scratch; }

  template <class T>
  T* result() {
    static_assert(sizeof(T) <= pool_entry<Exec>::result_bytes);
    return reinterpret_cast<T*>(entry_->result.data());
  }

 private:
  pool_entry<Exec>* entry_;
};

/// Scratch memory for `count` elements while an operation launches its kernels.
template <class Exec, class T>
class scratch_array {
 public:
  scratch_array(const Exec& exec, std::int64_t count)
      : held_(exec),
        data_(static_cast<T*>(held_.scratch().require(exec, std::max<std::size_t>(count, 1) * sizeof(T)))) {}
  T* data() const { return data_; }

 private:
  lease<Exec> held_;
  T* data_;
};

}  // namespace impl
}  // namespace quern

#endif
