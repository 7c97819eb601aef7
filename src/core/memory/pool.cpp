// SPDX-FileCopyrightText: the Quern authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <algorithm>
#include <bit>
#include <limits>
#include <mutex>
#include <quern/core/call/error.hpp>
#include <quern/core/memory/pool.hpp>
#include <quern/core/values/bytes_text.hpp>
#include <utility>
#include <vector>

namespace quern {
namespace impl {
namespace {

/// An instance that is kept alive, so that no later one is taken for it.
class held_instance {
 public:
  explicit held_instance(instance_ref r) : type_(r.type), instance_(r.type->copy(r.instance)) {}
  bool is(instance_ref r) const { return r.type == type_ && type_->equal(instance_.get(), r.instance); }
  void fence() const { type_->fence(instance_.get()); }

 private:
  const instance_type* type_;
  std::shared_ptr<const void> instance_;
};

/// Sizes have eight steps to each doubling, so that a View that grows a little finds the memory of the one before.
std::size_t rounded(std::size_t bytes) {
  constexpr std::size_t least = 512;
  if (bytes <= least) return least;
  const std::size_t step = std::bit_floor(bytes - 1) / 8;
  return (bytes + step - 1) / step * step;
}

template <class Space>
class pool_state {
 public:
  /// f of the pool, while no other thread uses it.
  template <class F>
  static auto locked(const F& f) {
    pool_state& all = instance();
    const std::lock_guard lock(all.mutex_);
    return f(all);
  }

  std::size_t limit = std::numeric_limits<std::size_t>::max();

  pool_block<Space> take(instance_ref taker, std::size_t bytes) {
    if (!std::exchange(hooked_, true)) Kokkos::push_finalize_hook([this] { release_all(); });
    const std::size_t size = rounded(bytes);
    if (block* b = unused(blocks_of(taker), size)) {
      for (const auto& user : b->users) user.fence();
      b->users.clear();
      ++usage_.reuses;
      return b->memory;
    }
    if (size > limit || usage_.held > limit - size) release_unused();
    if (size > limit || usage_.held > limit - size) throw over_limit(size);
    const auto memory = allocated(size);
    auto& blocks = blocks_of(taker);
    const auto position = std::upper_bound(blocks.begin(), blocks.end(), size,
                                           [](std::size_t s, const block& b) { return s < b.memory.size(); });
    blocks.insert(position, {memory, {}});
    ++usage_.allocations;
    usage_.held += size;
    usage_.high_water = std::max(usage_.high_water, usage_.held);
    return memory;
  }

  void record(const void* data, instance_ref user) {
    const auto* address = static_cast<const std::byte*>(data);
    for (auto& o : owners_)
      for (auto& b : o.blocks) {
        if (address < b.memory.data() || address >= b.memory.data() + b.memory.size()) continue;
        const bool known = std::any_of(b.users.begin(), b.users.end(), [&](const auto& u) { return u.is(user); });
        if (!known && !o.instance.is(user)) b.users.emplace_back(user);
        return;
      }
  }

  pool_usage usage() const {
    pool_usage u = usage_;
    for (const auto& o : owners_)
      for (const auto& b : o.blocks)
        if (!b.is_unused()) u.in_use += b.memory.size();
    return u;
  }

  /// Kokkos waits for all devices before it frees, so what was launched has ended.
  std::size_t release_unused() {
    std::size_t released = 0;
    for (auto& o : owners_)
      std::erase_if(o.blocks, [&](const block& b) {
        if (b.is_unused()) released += b.memory.size();
        return b.is_unused();
      });
    std::erase_if(owners_, [](const owner& o) { return o.blocks.empty(); });
    usage_.held -= released;
    return released;
  }

 private:
  static pool_state& instance() {
    static pool_state s;
    return s;
  }

  struct block {
    pool_block<Space> memory;
    std::vector<held_instance> users;  // other than the owner, since the block was taken
    bool is_unused() const { return memory.use_count() == 1; }
  };
  struct owner {
    held_instance instance;
    std::vector<block> blocks;  // by size
  };

  std::vector<block>& blocks_of(instance_ref r) {
    for (auto& o : owners_)
      if (o.instance.is(r)) return o.blocks;
    owners_.push_back({held_instance(r), {}});
    return owners_.back().blocks;
  }

  /// The smallest block that is free and not more than twice as large as wanted, or null; one that nobody has to wait
  /// for, where there is one.
  static block* unused(std::vector<block>& blocks, std::size_t size) {
    block* to_wait_for = nullptr;
    auto b = std::lower_bound(blocks.begin(), blocks.end(), size,
                              [](const block& x, std::size_t s) { return x.memory.size() < s; });
    for (; b != blocks.end() && b->memory.size() <= 2 * size; ++b) {
      if (!b->is_unused()) continue;
      if (b->users.empty()) return &*b;
      if (to_wait_for == nullptr) to_wait_for = &*b;
    }
    return to_wait_for;
  }

  MemoryError over_limit(std::size_t size) const {
    const byte_unit unit(size, limit);
    return {"quern::pool", unit.text(size) + " of " + Space::name() + " do not fit the limit of " + unit.text(limit) +
                               ": " + unit.text(usage_.held) + " are in use"};
  }
  static MemoryError not_free(std::size_t size) {
    return {"quern::pool", byte_unit(size).text(size) + " of " + Space::name() + " are not free"};
  }

  pool_block<Space> allocated(std::size_t size) {
    for (bool first = true;; first = false) {
      try {
        return pool_block<Space>(Kokkos::view_alloc(Kokkos::WithoutInitializing, "quern::pool"), size);
      } catch (const std::exception&) {
        if (!first || release_unused() == 0) throw not_free(size);
      }
    }
  }

  void release_all() {
    const std::lock_guard lock(mutex_);
    owners_.clear();
    usage_.held = 0;
    hooked_ = false;
  }

  std::mutex mutex_;
  std::vector<owner> owners_;
  pool_usage usage_;
  bool hooked_ = false;
};

}  // namespace

template <class Space>
pool_block<Space> take_block(instance_ref owner, std::size_t bytes) {
  return pool_state<Space>::locked([&](auto& all) { return all.take(owner, bytes); });
}
template <class Space>
void record_use(const void* data, instance_ref user) {
  pool_state<Space>::locked([&](auto& all) { all.record(data, user); });
}

}  // namespace impl

template <class Space>
  requires(Kokkos::is_memory_space_v<Space>)
pool_usage pool<Space>::usage() {
  return impl::pool_state<Space>::locked([](const auto& all) { return all.usage(); });
}
template <class Space>
  requires(Kokkos::is_memory_space_v<Space>)
void pool<Space>::set_limit(std::size_t bytes) {
  impl::pool_state<Space>::locked([&](auto& all) { all.limit = bytes; });
}
template <class Space>
  requires(Kokkos::is_memory_space_v<Space>)
std::size_t pool<Space>::limit() {
  return impl::pool_state<Space>::locked([](const auto& all) { return all.limit; });
}
template <class Space>
  requires(Kokkos::is_memory_space_v<Space>)
std::size_t pool<Space>::trim() {
  return impl::pool_state<Space>::locked([](auto& all) { return all.release_unused(); });
}

#define QUERN_POOL(Space)                                                                    \
  template class pool<Space>;                                                                \
  template impl::pool_block<Space> impl::take_block<Space>(impl::instance_ref, std::size_t); \
  template void impl::record_use<Space>(const void*, impl::instance_ref);
QUERN_POOL(Kokkos::HostSpace)
#ifdef KOKKOS_ENABLE_CUDA
QUERN_POOL(Kokkos::CudaSpace)
QUERN_POOL(Kokkos::CudaHostPinnedSpace)
QUERN_POOL(Kokkos::CudaUVMSpace)
#endif
#ifdef KOKKOS_ENABLE_HIP
QUERN_POOL(Kokkos::HIPSpace)
QUERN_POOL(Kokkos::HIPHostPinnedSpace)
QUERN_POOL(Kokkos::HIPManagedSpace)
#endif

}  // namespace quern
