// SPDX-FileCopyrightText: the Quern authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef QUERN_KEYED_RADIX_SORT_DEVICE_HPP
#define QUERN_KEYED_RADIX_SORT_DEVICE_HPP

/// @file
/// The vendor's radix sort: CUB, which comes with CUDA, or rocPRIM, where Kokkos was built with rocThrust.

#include <Kokkos_Core.hpp>
#include <cstdint>
#include <quern/core/error.hpp>
#include <quern/core/workspace.hpp>
#include <string>
#if defined(KOKKOS_ENABLE_CUDA) && defined(__CUDACC__)
#include <cub/device/device_radix_sort.cuh>
#define QUERN_IMPL_CUB
#elif defined(KOKKOS_ENABLE_HIP) && defined(KOKKOS_ENABLE_ROCTHRUST) && defined(__HIPCC__)
#include <rocprim/device/device_radix_sort.hpp>
#define QUERN_IMPL_ROCPRIM
#endif

namespace quern::impl {

/// The sort of a vendor's library for an execution space: of keys in a `buffer` of two halves, of which the `current`
/// one has the data, and of values with them. With null memory it tells the bytes that it wants.
template <class Exec>
struct vendor_radix_sort {
  static constexpr bool available = false;
};

#if defined(QUERN_IMPL_CUB)
template <>
struct vendor_radix_sort<Kokkos::Cuda> {
  static constexpr bool available = true;
  template <class T>
  using buffer = cub::DoubleBuffer<T>;
  template <class T>
  static T* current(buffer<T>& b) {
    return b.Current();
  }
  template <class K>
  static void sort(const std::string& label, const Kokkos::Cuda& exec, void* memory, std::size_t& bytes, std::int64_t n,
                   buffer<K>& keys) {
    check(label, cub::DeviceRadixSort::SortKeys(memory, bytes, keys, n, 0, 8 * sizeof(K), exec.cuda_stream()));
  }
  template <class K, class V>
  static void sort(const std::string& label, const Kokkos::Cuda& exec, void* memory, std::size_t& bytes, std::int64_t n,
                   buffer<K>& keys, buffer<V>& values) {
    check(label, cub::DeviceRadixSort::SortPairs(memory, bytes, keys, values, n, 0, 8 * sizeof(K), exec.cuda_stream()));
  }
  static void check(const std::string& label, cudaError_t status) {
    if (status != cudaSuccess) throw BackendError(label, std::string("CUB: ") + cudaGetErrorString(status));
  }
};
#elif defined(QUERN_IMPL_ROCPRIM)
template <>
struct vendor_radix_sort<Kokkos::HIP> {
  static constexpr bool available = true;
  template <class T>
  using buffer = rocprim::double_buffer<T>;
  template <class T>
  static T* current(buffer<T>& b) {
    return b.current();
  }
  template <class K>
  static void sort(const std::string& label, const Kokkos::HIP& exec, void* memory, std::size_t& bytes, std::int64_t n,
                   buffer<K>& keys) {
    check(label, rocprim::radix_sort_keys(memory, bytes, keys, n, 0, 8 * sizeof(K), exec.hip_stream()));
  }
  template <class K, class V>
  static void sort(const std::string& label, const Kokkos::HIP& exec, void* memory, std::size_t& bytes, std::int64_t n,
                   buffer<K>& keys, buffer<V>& values) {
    check(label, rocprim::radix_sort_pairs(memory, bytes, keys, values, n, 0, 8 * sizeof(K), exec.hip_stream()));
  }
  static void check(const std::string& label, hipError_t status) {
    if (status != hipSuccess) throw BackendError(label, std::string("rocPRIM: ") + hipGetErrorString(status));
  }
};
#endif

/// Two halves that a sort moves data between; what is in the first at the beginning is in `data` at the end.
template <class T>
struct sort_buffer {
  T* data;
  T* other;
};

/// Sorts keys in ascending order of their bits' meaning, and with them values. Stable. Lines of n keys each, one after
/// the other.
template <class Exec, class... T>
void vendor_sort(const std::string& label, const Exec& exec, std::int64_t lines, std::int64_t n,
                 sort_buffer<T>&... arrays) {
  using vendor = vendor_radix_sort<Exec>;
  std::size_t bytes = 0;
  [&](auto... halves) {
    vendor::sort(label, exec, nullptr, bytes, n, halves...);
  }(typename vendor::template buffer<T>(arrays.data, arrays.other)...);
  const scratch_array<Exec, std::byte> memory(exec, static_cast<std::int64_t>(bytes));
  bool moved = false;
  for (std::int64_t l = 0; l < lines; ++l) {
    [&](auto... halves) {
      vendor::sort(label, exec, memory.data(), bytes, n, halves...);
      moved = ((vendor::current(halves) != arrays.data + l * n) || ...);
    }(typename vendor::template buffer<T>(arrays.data + l * n, arrays.other + l * n)...);
  }
  if (moved) (std::swap(arrays.data, arrays.other), ...);
}

}  // namespace quern::impl

#undef QUERN_IMPL_CUB
#undef QUERN_IMPL_ROCPRIM

#endif
