// SPDX-FileCopyrightText: the Quern authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef QUERN_TRANSFER_STAGING_HPP
#define QUERN_TRANSFER_STAGING_HPP

#include <functional>
#include <quern/core/memory/pool.hpp>
#include <quern/core/memory/workspace.hpp>
#include <quern/transfer/box_copy.hpp>

namespace quern::impl {

/// A point in the order of an instance that the host can wait for without waiting for what was launched after it, or
/// ask for without waiting.
template <class Exec>
class order_mark {
 public:
  /// Moves the mark behind everything that was launched on `exec`.
  void set(const Exec& exec);
  bool reached() const;
  /// @throws BackendError where a kernel of the device failed, which never reaches its end
  void wait() const;

 private:
  std::uint64_t* flag() const { return reinterpret_cast<std::uint64_t*>(memory_.data()); }
  std::shared_ptr<const Exec> exec_;
  // Written on the device; of the pool, since Kokkos waits for all devices before it frees memory.
  pool_block<result_space<Exec>> memory_;
  std::uint64_t number_ = 0;
};

/// Bytes of a chunk of a transfer that goes through pinned memory: enough to hide what each costs, few enough for the
/// first to be packed and the last to be unpacked in little time. (bench_transfer)
inline constexpr std::int64_t staged_bytes = 8 << 20;

/// One array of a transfer on the host and the other in the memory of a device. The elements of a chunk are packed in
/// the order in which the host's array has them.
struct transfer {
  array_bytes host;
  /// Whether the device's copy engine reaches the array on the host by itself.
  bool pinned;
  /// The device's array where its elements are of the host's type, or an array without data.
  array_bytes device;
  /// Launches what brings the elements of a box between the device's array and packed memory of the device.
  std::function<void(const packed_box&, void* packed)> on_device;
  std::int64_t chunk_bytes = staged_bytes;
};

/// Copies from the host to the device, or back, in chunks. The host packs one chunk while others are under way. Waits
/// for `exec` where the host has to unpack, and until the host's array is read where it has to pack; otherwise not.
template <class Exec>
void upload(const Exec& exec, const transfer& t);
template <class Exec>
void download(const Exec& exec, const transfer& t);

/// Copies bytes between memory of `exec` and memory that the device's copy engine reaches. Asynchronous; pageable
/// memory has been read when the call returns.
template <class Exec>
void copy_to_device(const Exec& exec, void* to, const void* from, std::int64_t bytes);
template <class Exec>
void copy_to_host(const Exec& exec, void* to, const void* from, std::int64_t bytes);

}  // namespace quern::impl

#endif
