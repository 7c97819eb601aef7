// SPDX-FileCopyrightText: the Quern authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <quern/core/call/label.hpp>
#include <quern/core/launch/compiled.hpp>
#include <quern/transfer/staging.hpp>

#include <array>
#include <atomic>
#include <chrono>
#include <deque>
#include <limits>
#include <quern/core/call/error.hpp>
#include <quern/core/memory/entry_pool.hpp>
#include <string>
#include <thread>

namespace quern::impl {

namespace {

struct write_number {
  std::uint64_t* to;
  std::uint64_t number;
  KOKKOS_FUNCTION void operator()(int) const { *to = number; }
};

/// Numbers that no two marks have, as memory is used again and again.
std::uint64_t next_number() {
  static std::atomic<std::uint64_t> last{0x6b43a9b5};
  return ++last;
}

/// Whether an instance has done all that was launched on it; does not wait. False where its back end cannot tell.
/// @throws BackendError where the device reports a failure
template <class Exec>
bool is_idle(const Exec& exec) {
  [[maybe_unused]] const auto check = [](bool idle, bool busy, const char* report) {
    if (!idle && !busy) throw BackendError("quern::copy", std::string("the device reports: ") + report);
    return idle;
  };
#if defined(KOKKOS_ENABLE_CUDA)
  if constexpr (is_device<Exec>) {
    const auto status = cudaStreamQuery(exec.cuda_stream());
    if (status == cudaErrorNotReady) (void)cudaGetLastError();  // which is not for the next call to find
    return check(status == cudaSuccess, status == cudaErrorNotReady, cudaGetErrorString(status));
  }
#elif defined(KOKKOS_ENABLE_HIP)
  if constexpr (is_device<Exec>) {
    const auto status = hipStreamQuery(exec.hip_stream());
    if (status == hipErrorNotReady) (void)hipGetLastError();
    return check(status == hipSuccess, status == hipErrorNotReady, hipGetErrorString(status));
  }
#endif
  (void)exec;
  return !is_device<Exec>;
}

}  // namespace

template <class Exec>
void order_mark<Exec>::set(const Exec& exec) {
  if (exec_ == nullptr || !(*exec_ == exec)) {
    exec_ = std::make_shared<Exec>(exec);
    memory_ = {};
  }
  if constexpr (is_device<Exec>) {
    if (memory_.data() == nullptr) {
      memory_ = take_block<result_space<Exec>>(instance_ref(exec), sizeof(std::uint64_t));
      *flag() = 0;
    }
    number_ = next_number();
    Kokkos::parallel_for(kernel_label("quern::order_mark"), Kokkos::RangePolicy<Exec>(exec, 0, 1),
                         write_number{flag(), number_});
  }
}

template <class Exec>
bool order_mark<Exec>::reached() const {
  if constexpr (!is_device<Exec>) return true;  // whose kernels end before their launch returns
  else return number_ == 0 || std::atomic_ref(*flag()).load(std::memory_order_acquire) == number_;
}

template <class Exec>
void order_mark<Exec>::wait() const {
  using clock = std::chrono::steady_clock;
  // A kernel that failed never writes its number: after a while the device is asked, again and again. The instance is
  // not waited for, which may have got more to do.
  const auto patience = clock::now() + std::chrono::seconds(1);
  while (!reached()) {
    if (clock::now() < patience) {
      std::this_thread::yield();
    } else {
      if (is_idle(*exec_) && !reached()) throw BackendError("quern::copy", "a kernel of the device has not run");
      std::this_thread::sleep_for(std::chrono::microseconds(100));
    }
  }
}

namespace {

/// Memory for a chunk that is under way: pinned on the host, and on the device.
template <class Exec>
class slot {
 public:
  using host_space = result_space<Exec>;
  using device_space = typename Exec::memory_space;

  void* host(const Exec& exec, std::int64_t bytes) { return sized(exec, host_, bytes); }
  void* device(const Exec& exec, std::int64_t bytes) { return sized(exec, device_, bytes); }
  order_mark<Exec> done;

 private:
  template <class Block>
  static void* sized(const Exec& exec, Block& block, std::int64_t bytes) {
    if (block.size() < static_cast<std::size_t>(bytes))
      block = take_block<typename Block::memory_space>(instance_ref(exec), bytes);
    return block.data();
  }
  pool_block<host_space> host_;
  pool_block<device_space> device_;
};

/// The slots of an instance, kept from one transfer to the next: what the last one has under way goes on.
template <class Exec>
struct slot_ring {
  static constexpr int slots = 3;
  std::array<slot<Exec>, slots> ring;
  int last = 0;
  slot<Exec>& next() { return ring[last = (last + 1) % slots]; }
};

/// The slots of an instance while a transfer uses them.
template <class Exec>
auto acquire_slots(const Exec& exec) {
  return entry_pool<Exec, slot_ring<Exec>>::instance().acquire(exec);
}

/// A part of an array as an array, and the same elements packed.
array_bytes part_of(const array_bytes& array, const packed_box& box) {
  array_bytes part = array;
  part.data = address_of(array, box.first);
  part.extents = box.extents;
  return part;
}
array_bytes packed_at(const void* data, const array_bytes& array, const packed_box& box) {
  array_bytes packed = array;
  packed.data = data;
  packed.extents = box.extents;
  packed.stride = box.packed;
  return packed;
}

/// How the chunks of a transfer go: those of the first box are the largest, and what holds for it holds for all.
struct route {
  bool host_direct, device_direct;
  std::int64_t max_bytes;

  explicit route(const transfer& t) : max_bytes(std::numeric_limits<std::int64_t>::max()) {
    look(t, first_box(t.host, max_bytes));  // which is the whole array
    if (host_direct && device_direct) return;
    max_bytes = t.chunk_bytes;
    look(t, first_box(t.host, max_bytes));
  }

 private:
  void look(const transfer& t, const packed_box& box) {
    host_direct = t.pinned && is_packed(t.host, box);
    device_direct = t.device.data != nullptr && is_packed(t.device, box);
  }
};

}  // namespace

template <class To, class From, class Exec>
void copy_bytes(const Exec& exec, void* to, const void* from, std::int64_t bytes) {
  using unmanaged = Kokkos::MemoryTraits<Kokkos::Unmanaged>;
  Kokkos::deep_copy(exec, Kokkos::View<std::byte*, To, unmanaged>(static_cast<std::byte*>(to), bytes),
                    Kokkos::View<const std::byte*, From, unmanaged>(static_cast<const std::byte*>(from), bytes));
}
template <class Exec>
void copy_to_device(const Exec& exec, void* to, const void* from, std::int64_t bytes) {
  copy_bytes<typename Exec::memory_space, result_space<Exec>>(exec, to, from, bytes);
}
template <class Exec>
void copy_to_host(const Exec& exec, void* to, const void* from, std::int64_t bytes) {
  copy_bytes<result_space<Exec>, typename Exec::memory_space>(exec, to, from, bytes);
}

template <class Exec>
void upload(const Exec& exec, const transfer& t) {
  if (t.host.extents.size() == 0) return;
  const route way(t);
  const auto slots = acquire_slots(exec);
  for_each_box(t.host, way.max_bytes, [&](const packed_box& box) {
    const std::int64_t bytes = box.extents.size() * t.host.element;
    auto& slot = slots->next();
    const void* from = address_of(t.host, box.first);
    if (!way.host_direct) {
      slot.done.wait();
      void* packed = slot.host(exec, bytes);
      copy_on_host(packed_at(packed, t.host, box), part_of(t.host, box));
      from = packed;
    }
    void* to = way.device_direct ? const_cast<void*>(address_of(t.device, box.first)) : slot.device(exec, bytes);
    copy_to_device(exec, to, from, bytes);
    if (!way.device_direct) t.on_device(box, to);
    if (!way.host_direct) slot.done.set(exec);
  });
}

template <class Exec>
void download(const Exec& exec, const transfer& t) {
  struct arriving {
    slot<Exec>* at;
    const void* packed;
    packed_box box;
  };
  if (t.host.extents.size() == 0) return;
  const route way(t);
  const auto slots = acquire_slots(exec);
  std::deque<arriving> under_way;
  const auto unpack_first = [&] {
    const arriving a = under_way.front();
    under_way.pop_front();
    a.at->done.wait();
    copy_on_host(part_of(t.host, a.box), packed_at(a.packed, t.host, a.box));
  };
  for_each_box(t.host, way.max_bytes, [&](const packed_box& box) {
    const std::int64_t bytes = box.extents.size() * t.host.element;
    if (under_way.size() == slot_ring<Exec>::slots) unpack_first();
    auto& slot = slots->next();
    void* from = way.device_direct ? const_cast<void*>(address_of(t.device, box.first)) : slot.device(exec, bytes);
    if (!way.device_direct) t.on_device(box, from);
    void* to = const_cast<void*>(address_of(t.host, box.first));
    if (!way.host_direct) {
      slot.done.wait();
      to = slot.host(exec, bytes);
    }
    copy_to_host(exec, to, from, bytes);
    if (way.host_direct) return;
    slot.done.set(exec);
    under_way.push_back({&slot, to, box});
  });
  while (!under_way.empty()) unpack_first();
}

#define QUERN_STAGING(Exec)                                                          \
  template class order_mark<Exec>;                                                   \
  template void copy_to_device<Exec>(const Exec&, void*, const void*, std::int64_t); \
  template void copy_to_host<Exec>(const Exec&, void*, const void*, std::int64_t);   \
  template void upload<Exec>(const Exec&, const transfer&);                          \
  template void download<Exec>(const Exec&, const transfer&);
QUERN_ON_ALL(QUERN_STAGING)

}  // namespace quern::impl
