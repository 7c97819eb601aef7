// SPDX-FileCopyrightText: the Quern authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef QUERN_CORE_MEMORY_WORKSPACE_HPP
#define QUERN_CORE_MEMORY_WORKSPACE_HPP

#include <Kokkos_Core.hpp>
#include <algorithm>
#include <memory>
#include <quern/core/launch/tuning.hpp>
#include <quern/core/views/concepts.hpp>
#include <span>
#include <utility>
#include <vector>

namespace quern {

namespace impl {
template <class Exec>
class lease;
template <class Exec>
class scratch_of_pool;
}  // namespace impl

/// Scratch memory of operations, in the memory space of `Exec`.
///
/// An operation that needs scratch takes it from a pool of the execution-space instance, so that a warm call neither
/// allocates nor fences. A caller who must not depend on the pool (graph capture, tight memory) gives a workspace to
/// any operation by a `WorkspaceScope`. It grows when an operation needs more than it has; growing allocates and may
/// fence, nothing else does. Work that uses one workspace must be ordered, as work on one instance is.
///
/// A graph that has captured operations uses the memory that their workspace had then. Call them once before they are
/// captured, so that it need not grow meanwhile, keep the workspace as long as the graph, and let no later operation
/// grow it: what is outgrown goes back to the pool, where others get it. A workspace for each graph is the simplest.
template <execution_space Exec>
class Workspace {
 public:
  using memory_space = typename Exec::memory_space;

  Workspace() = default;
  Workspace(Workspace&&) noexcept = default;
  Workspace& operator=(Workspace&&) noexcept = default;
  /// Allocates `bytes` at once, so that no later call needs to; operations of several kernels, and those whose teams
  /// wait for each other, take more when they are first called.
  Workspace(const Exec& exec, std::size_t bytes) : Workspace() { require(exec, bytes); }

  /// At least `bytes` bytes, aligned for any type. Their content is undefined.
  void* require(const Exec& exec, std::size_t bytes);
  /// The same, apart from those of `require`: an operation that calls another one leaves there what both need.
  void* require_lasting(const Exec& exec, std::size_t bytes);
  /// At least `count` words by which the teams of a kernel tell each other what they have found, all that are there: 0
  /// when they are new, and written by kernels with a `tile_chain` alone, so that these know what is of an earlier one.
  /// Words that are outgrown stay as they are, for graphs that have captured such kernels: with those that others write
  /// there, teams would wait for ever. Each growth doubles them at least, so that they are no more than those in use.
  std::span<std::uint64_t> require_signals(const Exec& exec, std::size_t count);

  /// Bytes that are there.
  std::size_t size() const;

  /// Counters that are 0 between kernels: teams count themselves with one, and the last of them resets it. Valid after
  /// `require`.
  int* counters() const { return reinterpret_cast<int*>(buffer_.data()); }
  /// The same of a call that needs no other memory.
  int* require_counters(const Exec& exec) {
    require(exec, 1);
    return counters();
  }
  static constexpr int max_counters = 1024;

 private:
  friend class impl::lease<Exec>;
  using buffer_type = Kokkos::View<std::byte*, memory_space>;
  static constexpr std::size_t header = max_counters * sizeof(int);

  static buffer_type allocated(const Exec& exec, std::size_t bytes, std::size_t before = 0);
  std::size_t bytes_here() const { return buffer_.extent(0) > 0 ? buffer_.extent(0) - header : 0; }
  /// Keeps what `signals_` is in one beside it, which nobody gets.
  void keep_outgrown_signals();
  /// This workspace, or one beside it where a part of the same operation holds it.
  Workspace& acquire();

  buffer_type buffer_, lasting_, signals_;
  std::vector<std::unique_ptr<Workspace>> others_;
  bool held_ = false;
};

/// While it lives, operations that this thread calls on `Exec` take their scratch memory from a workspace instead of
/// the pool:
///
/// @code
/// quern::Workspace<Exec> work;
/// const quern::WorkspaceScope scope(work);
/// quern::sort(exec, out, x);
/// @endcode
template <execution_space Exec>
class WorkspaceScope {
 public:
  explicit WorkspaceScope(Workspace<Exec>& work) : before_(std::exchange(current(), &work)) {}
  ~WorkspaceScope() { current() = before_; }
  WorkspaceScope(const WorkspaceScope&) = delete;
  WorkspaceScope& operator=(const WorkspaceScope&) = delete;

 private:
  friend class impl::lease<Exec>;
  friend class impl::scratch_of_pool<Exec>;
  static Workspace<Exec>*& current() {
    thread_local Workspace<Exec>* of_thread = nullptr;
    return of_thread;
  }
  Workspace<Exec>* before_;
};

namespace impl {

/// While it lives, operations on devices take scratch memory from the pool, where each instance has its own, as they
/// must on one that runs beside the caller's: a workspace is for one instance at a time.
template <class Exec>
class scratch_of_pool {
 public:
  scratch_of_pool() : before_(WorkspaceScope<Exec>::current()) {
    if (is_device<Exec>) WorkspaceScope<Exec>::current() = nullptr;
  }
  ~scratch_of_pool() { WorkspaceScope<Exec>::current() = before_; }
  scratch_of_pool(const scratch_of_pool&) = delete;
  scratch_of_pool& operator=(const scratch_of_pool&) = delete;

 private:
  Workspace<Exec>* before_;
};

/// Memory that both a kernel on `Exec` can write and the host can read.
template <class Exec>
using result_space = std::conditional_t<is_device<Exec>, Kokkos::SharedHostPinnedSpace, Kokkos::HostSpace>;

/// Scratch and memory for a scalar result, for one operation at a time on one execution-space instance. The pool of
/// all entries keeps the instances alive, so that two of them never share memory; everything is released by
/// `Kokkos::finalize`.
template <class Exec>
struct pool_entry {
  static constexpr std::size_t result_bytes = 256;
  Workspace<Exec> scratch;
  Kokkos::View<std::byte*, result_space<Exec>> result{"quern::result", result_bytes};
};
/// An entry that goes back to the pool when its user is done.
template <class Exec>
using held_entry = std::unique_ptr<pool_entry<Exec>, void (*)(pool_entry<Exec>*)>;
template <class Exec>
held_entry<Exec> acquire_entry(const Exec& exec);

/// Holds scratch memory while an operation launches its kernels: of the thread's `WorkspaceScope`, or a pool entry.
/// Calls from several host threads on one instance get different entries, and a later call may reuse one because its
/// kernels are ordered after the earlier ones. Such calls are safe where Kokkos's own kernels are: not on Serial of a
/// Kokkos with KOKKOS_ENABLE_ATOMICS_BYPASS, whose team kernels share memory of the instance without a lock.
template <class Exec>
class lease {
 public:
  explicit lease(const Exec& exec) : exec_(exec) {
    if (auto* given = WorkspaceScope<Exec>::current()) given_ = &given->acquire();
  }
  ~lease() {
    if (given_ != nullptr) given_->held_ = false;
  }
  lease(const lease&) = delete;
  lease& operator=(const lease&) = delete;

  Workspace<Exec>& scratch() { return given_ != nullptr ? *given_ : entry().scratch; }

  template <class T>
  T* result() {
    static_assert(sizeof(T) <= pool_entry<Exec>::result_bytes,
                  "quern: the result is too large to be returned; write it to a View of rank 0");
    return reinterpret_cast<T*>(entry().result.data());
  }

 private:
  pool_entry<Exec>& entry() {
    if (entry_ == nullptr) entry_ = acquire_entry(exec_);
    return *entry_;
  }
  const Exec& exec_;
  Workspace<Exec>* given_ = nullptr;
  held_entry<Exec> entry_{nullptr, nullptr};
};

/// @throws MemoryError that says so
[[noreturn]] void reject_scratch(std::int64_t count, std::size_t element);

/// The bytes of some elements: at most 2^59, so that those of 16 arrays can be added up.
/// @throws MemoryError if there are more, which no memory has
inline std::size_t bytes_of(std::int64_t count, std::size_t element) {
  constexpr std::size_t max_bytes = std::size_t{1} << 59;
  const auto n = static_cast<std::size_t>(std::max<std::int64_t>(count, 0));
  if (n > max_bytes / element) reject_scratch(count, element);
  return n * element;
}

/// Views of scratch memory.
template <class Exec, class T>
using scratch_view = Kokkos::View<T, typename Exec::memory_space, Kokkos::MemoryTraits<Kokkos::Unmanaged>>;

/// Copies items of scratch memory to the host; asynchronous on `exec`.
template <class Exec, class T>
void copy_items_to_host(const Exec& exec, T* to, const T* from, std::int64_t count) {
  Kokkos::deep_copy(exec, Kokkos::View<T*, Kokkos::HostSpace, Kokkos::MemoryTraits<Kokkos::Unmanaged>>(to, count),
                    scratch_view<Exec, const T*>(from, count));
}

/// Copies items of the host to scratch memory; asynchronous on `exec`, so that the host must keep them until it waits.
template <class Exec, class T>
void copy_items_from_host(const Exec& exec, T* to, const T* from, std::int64_t count) {
  Kokkos::deep_copy(exec, scratch_view<Exec, T*>(to, count),
                    Kokkos::View<const T*, Kokkos::HostSpace, Kokkos::MemoryTraits<Kokkos::Unmanaged>>(from, count));
}

/// Memory for `count` elements of one operation.
template <class T, class Exec>
T* scratch_for(const Exec& exec, Workspace<Exec>& scratch, std::int64_t count) {
  return static_cast<T*>(scratch.require(exec, bytes_of(count, sizeof(T))));
}
/// The same, where another operation of the call, which takes its scratch memory from the same workspace, runs
/// meanwhile.
template <class T, class Exec>
T* lasting_scratch(const Exec& exec, Workspace<Exec>& scratch, std::int64_t count) {
  return static_cast<T*>(scratch.require_lasting(exec, bytes_of(count, sizeof(T))));
}

/// Scratch memory for `count` elements while an operation launches its kernels.
template <class Exec, class T>
class scratch_array {
 public:
  scratch_array(const Exec& exec, std::int64_t count)
      : held_(exec), data_(scratch_for<T>(exec, held_.scratch(), std::max<std::int64_t>(count, 1))) {}
  T* data() const { return data_; }

 private:
  lease<Exec> held_;
  T* data_;
};

}  // namespace impl
}  // namespace quern

#endif
