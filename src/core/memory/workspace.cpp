// SPDX-FileCopyrightText: the Quern authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <quern/core/launch/compiled.hpp>
#include <quern/core/memory/workspace.hpp>

#include <memory>
#include <mutex>
#include <quern/core/call/error.hpp>
#include <quern/core/memory/pool.hpp>
#include <quern/core/values/bytes_text.hpp>
#include <string>
#include <utility>

namespace quern {

template <execution_space Exec>
Workspace<Exec>::Workspace() = default;
template <execution_space Exec>
Workspace<Exec>::~Workspace() = default;
template <execution_space Exec>
Workspace<Exec>::Workspace(Workspace&&) noexcept = default;
template <execution_space Exec>
Workspace<Exec>& Workspace<Exec>::operator=(Workspace&&) noexcept = default;

template <execution_space Exec>
void* Workspace<Exec>::require(const Exec& exec, std::size_t bytes, int part) {
  if (bytes > std::size_t{1} << 62)
    throw MemoryError("quern::Workspace", impl::byte_unit(bytes).text(bytes) + " are more than any memory has");
  const auto allocated = [&](std::size_t n) {
    return buffer_type(
        Kokkos::subview(impl::take_block<memory_space>(impl::instance_ref(exec), n), std::pair(std::size_t(0), n)));
  };
  if (part > 0) {
    if (bytes > kept_.extent(0)) kept_ = allocated(bytes);
    return kept_.data();
  }
  if (bytes > bytes_here()) {
    buffer_ = allocated(header + bytes);
    Kokkos::deep_copy(
        exec, Kokkos::View<int*, memory_space, Kokkos::MemoryTraits<Kokkos::Unmanaged>>(counters(), max_counters), 0);
  }
  return buffer_.data() + header;
}

template <execution_space Exec>
std::size_t Workspace<Exec>::size() const {
  std::size_t bytes = bytes_here();
  for (const auto& other : others_) bytes += other->size();
  return bytes;
}

template <execution_space Exec>
Workspace<Exec>& Workspace<Exec>::acquire() {
  if (!std::exchange(held_, true)) return *this;
  for (auto& other : others_)
    if (!std::exchange(other->held_, true)) return *other;
  others_.push_back(std::make_unique<Workspace>());
  return others_.back()->acquire();
}

namespace impl {

void reject_scratch(std::int64_t count, std::size_t element) {
  throw MemoryError("quern::Workspace", "scratch memory for " + std::to_string(count) + " elements of " +
                                            std::to_string(element) + " bytes is more than any memory has");
}

namespace {

/// The entries of all instances of `Exec`.
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
    entries_.push_back(std::make_unique<owned_entry>(exec));
    return entries_.back().get();
  }

  void release(pool_entry<Exec>* entry) {
    std::lock_guard lock(mutex_);
    static_cast<owned_entry*>(entry)->busy = false;
  }

 private:
  struct owned_entry : pool_entry<Exec> {
    Exec exec;
    bool busy = true;
    explicit owned_entry(const Exec& e) : exec(e) {
      this->result = decltype(this->result)("quern::result", pool_entry<Exec>::result_bytes);
    }
  };

  void release_all() {
    std::lock_guard lock(mutex_);
    entries_.clear();
    hooked_ = false;
  }

  std::mutex mutex_;
  std::vector<std::unique_ptr<owned_entry>> entries_;
  bool hooked_ = false;
};

}  // namespace

template <class Exec>
pool_entry<Exec>* acquire_entry(const Exec& exec) {
  return pool<Exec>::instance().acquire(exec);
}
template <class Exec>
void release_entry(pool_entry<Exec>* entry) {
  pool<Exec>::instance().release(entry);
}

}  // namespace impl

#define QUERN_WORKSPACE(Exec)                                        \
  template class Workspace<Exec>;                                    \
  template impl::pool_entry<Exec>* impl::acquire_entry(const Exec&); \
  template void impl::release_entry(impl::pool_entry<Exec>*);
QUERN_ON_ALL(QUERN_WORKSPACE)

}  // namespace quern
