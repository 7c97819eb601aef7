// SPDX-FileCopyrightText: the Quern authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef QUERN_CORE_MEMORY_SCRATCH_LAYOUT_HPP
#define QUERN_CORE_MEMORY_SCRATCH_LAYOUT_HPP

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <quern/core/memory/workspace.hpp>

namespace quern::impl {

/// Several arrays in one block of scratch memory, each from a cache line of its own on:
///
/// @code
/// scratch_layout layout;
/// layout.add(kernel.left, tiles);
/// layout.add(kernel.first, tiles);
/// layout.allocate(exec, scratch);  // sets both pointers
/// @endcode
class scratch_layout {
 public:
  template <class T>
  void add(T*& array, std::int64_t count) {
    arrays_[count_++] = {&array, bytes_,
                         [](void* to, std::byte* memory) { *static_cast<T**>(to) = reinterpret_cast<T*>(memory); }};
    bytes_ += (bytes_of(std::max<std::int64_t>(count, 1), sizeof(T)) + alignment - 1) / alignment * alignment;
  }
  template <class Exec>
  void allocate(const Exec& exec, Workspace<Exec>& scratch) const {
    auto* memory = static_cast<std::byte*>(scratch.require(exec, bytes_));
    for (int i = 0; i < count_; ++i) arrays_[i].set(arrays_[i].array, memory + arrays_[i].offset);
  }

 private:
  static constexpr std::size_t alignment = 128;  // a line of devices, which is two of most hosts
  struct placed {
    void* array;
    std::size_t offset;
    void (*set)(void* to, std::byte* memory);
  };
  std::array<placed, 8> arrays_{};
  int count_ = 0;
  std::size_t bytes_ = 0;
};

/// A pointer to set, and how many elements it is to point to.
template <class T>
struct scratch_part {
  T*& array;
  std::int64_t count;
};
template <class T>
scratch_part(T*&, std::int64_t) -> scratch_part<T>;

/// Several arrays of scratch memory while an operation launches its kernels:
///
/// @code
/// const scratch_arrays<Exec> memory(exec, scratch_part{keys, n}, scratch_part{positions, n});  // sets both pointers
/// @endcode
template <class Exec>
class scratch_arrays {
 public:
  template <class... T>
  explicit scratch_arrays(const Exec& exec, const scratch_part<T>&... part) : held_(exec) {
    scratch_layout layout;
    (layout.add(part.array, part.count), ...);
    layout.allocate(exec, held_.scratch());
  }

 private:
  lease<Exec> held_;
};

}  // namespace quern::impl

#endif
