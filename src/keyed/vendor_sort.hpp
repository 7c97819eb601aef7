// SPDX-FileCopyrightText: the Quern authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef QUERN_SRC_KEYED_VENDOR_SORT_HPP
#define QUERN_SRC_KEYED_VENDOR_SORT_HPP

/// @file
/// The definition of the vendor's sort, for the sources that instantiate it.

#include <cstddef>
#include <quern/core/call/error.hpp>
#include <quern/core/memory/workspace.hpp>
#include <quern/keyed/vendor_sort.hpp>
#include <utility>
#if defined(KOKKOS_ENABLE_CUDA)
#include <cub/device/device_radix_sort.cuh>
#else
#include <rocprim/device/device_radix_sort.hpp>
#endif

namespace quern::impl {

// The vendor's functions: keys and values in a `vendor_buffer` of two halves, of which the current one has the data.
// With null memory they tell the bytes that they want.
#if defined(KOKKOS_ENABLE_CUDA)
using vendor_space = Kokkos::Cuda;
template <class T>
using vendor_buffer = cub::DoubleBuffer<T>;
template <class T>
T* current(vendor_buffer<T>& b) {
  return b.Current();
}
inline void check_vendor(const std::string& label, cudaError_t status) {
  if (status != cudaSuccess) throw BackendError(label, std::string("CUB: ") + cudaGetErrorString(status));
}
template <class K, class... V>
void run_vendor_sort(const std::string& label, const Kokkos::Cuda& exec, void* memory, std::size_t& bytes,
                     std::int64_t n, bit_range by, vendor_buffer<K>& keys, vendor_buffer<V>&... values) {
  const auto stream = exec.cuda_stream();
  if constexpr (sizeof...(V) == 0)
    check_vendor(label, cub::DeviceRadixSort::SortKeys(memory, bytes, keys, n, by.begin, by.end, stream));
  else
    check_vendor(label, cub::DeviceRadixSort::SortPairs(memory, bytes, keys, values..., n, by.begin, by.end, stream));
}
#else
using vendor_space = Kokkos::HIP;
template <class T>
using vendor_buffer = rocprim::double_buffer<T>;
template <class T>
T* current(vendor_buffer<T>& b) {
  return b.current();
}
inline void check_vendor(const std::string& label, hipError_t status) {
  if (status != hipSuccess) throw BackendError(label, std::string("rocPRIM: ") + hipGetErrorString(status));
}
template <class K, class... V>
void run_vendor_sort(const std::string& label, const Kokkos::HIP& exec, void* memory, std::size_t& bytes,
                     std::int64_t n, bit_range by, vendor_buffer<K>& keys, vendor_buffer<V>&... values) {
  const auto stream = exec.hip_stream();
  if constexpr (sizeof...(V) == 0)
    check_vendor(label, rocprim::radix_sort_keys(memory, bytes, keys, n, by.begin, by.end, stream));
  else check_vendor(label, rocprim::radix_sort_pairs(memory, bytes, keys, values..., n, by.begin, by.end, stream));
}
#endif

template <class Exec, class... T>
void vendor_sort(const std::string& label, const Exec& exec, std::int64_t lines, std::int64_t n, bit_range bits,
                 sort_buffer<T>&... arrays) {
  const auto sort_line = [&](void* memory, std::size_t& bytes, std::int64_t first) {
    const auto sort_halves = [&](auto... halves) {
      run_vendor_sort(label, exec, memory, bytes, n, bits, halves...);
      return ((current(halves) != arrays.data + first) || ...);
    };
    return sort_halves(vendor_buffer<T>(arrays.data + first, arrays.other + first)...);
  };
  std::size_t bytes = 0;
  sort_line(nullptr, bytes, 0);
  const scratch_array<Exec, std::byte> memory(exec, static_cast<std::int64_t>(bytes));
  bool moved = false;
  for (std::int64_t l = 0; l < lines; ++l) moved = sort_line(memory.data(), bytes, l * n);
  if (moved) (std::swap(arrays.data, arrays.other), ...);
}

}  // namespace quern::impl

/// Instantiates the sort of keys, or of keys with values.
#define QUERN_INSTANTIATE_SORT(K)                                                                            \
  template void quern::impl::vendor_sort(const std::string&, const quern::impl::vendor_space&, std::int64_t, \
                                         std::int64_t, quern::impl::bit_range, quern::impl::sort_buffer<K>&);
#define QUERN_INSTANTIATE_SORT_WITH(K, V)                                                                    \
  template void quern::impl::vendor_sort(const std::string&, const quern::impl::vendor_space&, std::int64_t, \
                                         std::int64_t, quern::impl::bit_range, quern::impl::sort_buffer<K>&, \
                                         quern::impl::sort_buffer<V>&);

#endif
