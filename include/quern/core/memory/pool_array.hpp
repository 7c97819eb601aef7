// SPDX-FileCopyrightText: the Quern authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef QUERN_CORE_MEMORY_POOL_ARRAY_HPP
#define QUERN_CORE_MEMORY_POOL_ARRAY_HPP

#include <quern/core/launch/loop_nest.hpp>
#include <quern/core/memory/pool.hpp>

namespace quern::impl {

/// A packed array in memory of the pool, whose elements are not initialized.
template <class T, class Space>
struct pool_array : strided<T> {
  pool_block<Space> block{};

  pool_array() = default;
  template <class Exec>
  pool_array(const Exec& exec, const shape& extents, const stride_array& stride)
      : strided<T>{nullptr, extents, stride}, block(take_block<Space>(instance_ref(exec), extents.size() * sizeof(T))) {
    this->data = reinterpret_cast<T*>(block.data());
  }
  template <class Exec>
  pool_array(const Exec& exec, const shape& extents) : pool_array(exec, extents, row_major_strides(extents)) {}
};
template <class T, class Exec>
using scratch_block = pool_array<T, typename Exec::memory_space>;

}  // namespace quern::impl

#endif
