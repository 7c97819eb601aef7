// SPDX-FileCopyrightText: the Quern authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef QUERN_CORE_MEMORY_SCRATCH_LAYOUT_HPP
#define QUERN_CORE_MEMORY_SCRATCH_LAYOUT_HPP

#include <array>
#include <cstddef>
#include <cstdint>
#include <quern/core/memory/workspace.hpp>

namespace quern::impl {

/// Several arrays in one piece of scratch memory, each aligned for any type:
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
    bytes_ += (bytes_of(count, sizeof(T)) + alignment - 1) / alignment * alignment;
  }
  template <class Exec>
  void allocate(const Exec& exec, Workspace<Exec>& scratch) const {
    auto* memory = static_cast<std::byte*>(scratch.require(exec, bytes_));
    for (int i = 0; i < count_; ++i) arrays_[i].set(arrays_[i].array, memory + arrays_[i].offset);
  }

 private:
  static constexpr std::size_t alignment = 16;
  struct placed {
    void* array;
    std::size_t offset;
    void (*set)(void* to, std::byte* memory);
  };
  std::array<placed, 8> arrays_{};
  int count_ = 0;
  std::size_t bytes_ = 0;
};

}  // namespace quern::impl

#endif
