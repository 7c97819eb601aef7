// SPDX-FileCopyrightText: the Quern authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef QUERN_CORE_MEMORY_ENTRY_POOL_HPP
#define QUERN_CORE_MEMORY_ENTRY_POOL_HPP

#include <Kokkos_Core.hpp>
#include <memory>
#include <mutex>
#include <utility>
#include <vector>

namespace quern::impl {

/// Entries of execution-space instances, each for one user at a time. They stay for the next users until Kokkos ends.
template <class Exec, class Entry>
class entry_pool {
 public:
  static entry_pool& instance() {
    static entry_pool p;
    return p;
  }

  /// An entry of the instance that nobody uses, until the pointer ends.
  std::unique_ptr<Entry, void (*)(Entry*)> acquire(const Exec& exec) {
    const std::lock_guard lock(mutex_);
    if (!std::exchange(hooked_, true)) Kokkos::push_finalize_hook([this] { release_all(); });
    for (auto& e : entries_)
      if (!e->busy && e->exec == exec) {
        e->busy = true;
        return {e.get(), release};
      }
    entries_.push_back(std::make_unique<owned_entry>(exec));
    return {entries_.back().get(), release};
  }

 private:
  struct owned_entry : Entry {
    Exec exec;
    bool busy = true;
    explicit owned_entry(const Exec& e) : exec(e) {}
  };

  static void release(Entry* entry) {
    const std::lock_guard lock(instance().mutex_);
    static_cast<owned_entry*>(entry)->busy = false;
  }
  void release_all() {
    const std::lock_guard lock(mutex_);
    entries_.clear();
    hooked_ = false;
  }

  std::mutex mutex_;
  std::vector<std::unique_ptr<owned_entry>> entries_;
  bool hooked_ = false;
};

}  // namespace quern::impl

#endif
