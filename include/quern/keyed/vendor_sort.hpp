// SPDX-FileCopyrightText: the Quern authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef QUERN_KEYED_VENDOR_SORT_HPP
#define QUERN_KEYED_VENDOR_SORT_HPP

/// @file
/// The vendor's radix sort: CUB, which comes with CUDA, or rocPRIM, where Kokkos was built with rocThrust. It takes
/// long to compile, so it is compiled once for the types below, in the library of `Quern::core` (src/keyed).

#include <Kokkos_Core.hpp>
#include <bit>
#include <cstdint>
#include <quern/keyed/sort_buffer.hpp>
#include <string>
#include <tuple>
#include <type_traits>

namespace quern::impl {

/// Whether a vendor's sort serves an execution space.
template <class Exec>
inline constexpr bool has_vendor_sort = false;
#if defined(KOKKOS_ENABLE_CUDA)
template <>
inline constexpr bool has_vendor_sort<Kokkos::Cuda> = true;
#elif defined(KOKKOS_ENABLE_HIP) && defined(KOKKOS_ENABLE_ROCTHRUST)
template <>
inline constexpr bool has_vendor_sort<Kokkos::HIP> = true;
#endif

/// A number of the type as which numbers of type T are sorted: of one integer for each size and sign.
template <class T>
constexpr auto sortable_as() {
  constexpr int log_bytes = std::bit_width(sizeof(T)) - 1;
  if constexpr (!std::is_integral_v<T>) return T();
  else if constexpr (std::is_signed_v<T>)
    return std::get<log_bytes>(std::tuple<std::int8_t, std::int16_t, std::int32_t, std::int64_t>());
  else return std::get<log_bytes>(std::tuple<std::uint8_t, std::uint16_t, std::uint32_t, std::uint64_t>());
}

/// The bits by which keys are sorted, from `begin` to before `end`.
struct bit_range {
  int begin, end;
};
template <class K>
inline constexpr bit_range all_bits{0, 8 * sizeof(K)};

/// Sorts lines of n keys each, which lie one after the other, in ascending order, and moves values with them. Stable.
/// Instantiated for keys that are integers, float or double, and for unsigned keys and values of 32 or 64 bits.
template <class Exec, class... T>
void vendor_sort(const std::string& label, const Exec& exec, std::int64_t lines, std::int64_t n, bit_range bits,
                 sort_buffer<T>&... arrays);

/// What has been subtracted from keys, and the bits in which they differ now.
template <class K>
struct narrowed_keys {
  K least;
  bit_range bits;
};
/// Finds the bits in which n unsigned keys of 32 or 64 bits differ, since a radix sort needs no pass for others, and
/// subtracts the least from all where that saves a pass. Waits for `exec`.
template <class Exec, class K>
narrowed_keys<K> narrow_keys(const std::string& label, const Exec& exec, std::int64_t n, K* keys);

/// Sorts numbers of any type, as `vendor_sort` does.
template <class Exec, class T>
void vendor_sort_numbers(const std::string& label, const Exec& exec, std::int64_t lines, std::int64_t n,
                         sort_buffer<T>& numbers) {
  using number = decltype(sortable_as<T>());
  sort_buffer<number> same{reinterpret_cast<number*>(numbers.data), reinterpret_cast<number*>(numbers.other)};
  vendor_sort(label, exec, lines, n, all_bits<number>, same);
  numbers = {reinterpret_cast<T*>(same.data), reinterpret_cast<T*>(same.other)};
}

}  // namespace quern::impl

#endif
