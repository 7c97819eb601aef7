// SPDX-FileCopyrightText: the Quern authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef QUERN_CORE_VIEWS_EXTENTS_HPP
#define QUERN_CORE_VIEWS_EXTENTS_HPP

#include <array>
#include <cstdint>
#include <initializer_list>
#include <limits>
#include <quern/core/call/error.hpp>
#include <quern/core/values/values.hpp>
#include <quern/core/views/concepts.hpp>
#include <quern/core/views/row_memory.hpp>
#include <string>

namespace quern {

/// The greatest rank that a View may have.
inline constexpr int max_rank = 8;

/// The extents of an array, known at run time: `shape{10, 20}`.
struct shape {
  int rank = 0;
  Kokkos::Array<std::int64_t, max_rank> extent{};

  shape() = default;
  shape(std::initializer_list<std::int64_t> extents);

  /// The number of elements; 1 for rank 0.
  std::int64_t size() const {
    std::int64_t n = 1;
    for (int d = 0; d < rank; ++d) n *= extent[d];
    return n;
  }

  bool operator==(const shape&) const = default;

  /// `(10, 20)`, as messages show it.
  std::string str() const;
};

namespace impl {

using stride_array = Kokkos::Array<std::int64_t, max_rank>;

/// The form to which every operation reduces its array arguments: a pointer, extents and strides (in elements), without
/// type of layout, rank or memory space. Kernels see nothing else, so that each is compiled once for all Views.
template <class T>
struct strided {
  using value_type = stored<T>;
  pointer_to<T> data{};
  shape extents;
  Kokkos::Array<std::int64_t, max_rank> stride{};
};

/// The pointer, extents and strides of an array whose elements kernels read and write by that pointer.
template <class T, class V>
strided<T> describe(T* data, const V& v) {
  static_assert(!is_atomic<V>,
                "quern: an argument is an Atomic View, whose elements operations would access without atomics; pass a "
                "View without that trait");
  strided<T> s{data, {}, {}};
  s.extents.rank = static_cast<int>(v.rank());
  for (int d = 0; d < s.extents.rank; ++d) {
    s.extents.extent[d] = static_cast<std::int64_t>(v.extent(d));
    if constexpr (!requires { requires V::rank() == 0; })  // whose stride does not compile in an mdspan
      s.stride[d] = static_cast<std::int64_t>(v.stride(d));
  }
  return s;
}

/// The pointer of an mdspan.
template <span_view V>
typename V::element_type* pointer_of(const V& v) {
  static_assert(
      has_plain_accessor<V>,
      "quern: an argument is an mdspan whose accessor is not Kokkos::default_accessor, which operations would "
      "not use; pass an mdspan of the memory itself, or its values by way of quern::lazy");
  if constexpr (has_plain_accessor<V>) return v.data_handle();
  else return nullptr;
}
template <class V>
auto describe(const V& v) {
  if constexpr (pointer_view<V>) return describe(v.data(), v);
  else return describe(pointer_of(v), v);
}

enum class use { input, output };

/// Whether `Exec` works on the device's side of a DualView.
template <class Exec, class V>
inline constexpr bool on_device_side = Kokkos::SpaceAccessibility<Exec, typename V::t_dev::memory_space>::accessible;

/// What has two sides, by the name that its type gives itself.
template <class V>
constexpr const char* name_of_sides() {
  if constexpr (requires { V::name; }) return V::name;
  else return "a DualView";
}

/// The pointer, extents and strides of any `view_like`, as seen from `Exec`. A DualView that is an input must be up to
/// date there.
template <class Exec, use Use, class V>
auto as_strided(const V& v, const std::string& operation) {
  if constexpr (dual_view<V>) {
    constexpr bool on_device = on_device_side<Exec, V>;
    if (Use == use::input && (on_device ? v.need_sync_device() : v.need_sync_host()))
      throw Error(operation, std::string(name_of_sides<V>()) + " was modified on the other side; synchronize it first");
    if constexpr (on_device) return describe(v.view_device());
    else return describe(v.view_host());
  } else {
    return describe(v);
  }
}

/// The strides with which an array of `from` is read as one of `to` (NumPy's rule: axes are matched from the last one
/// backwards, an extent of 1 is repeated). False where the extents do not broadcast.
bool broadcast_strides(const shape& from, const stride_array& stride, const shape& to, stride_array& result);

/// The bytes of an array with elements of `element` bytes.
/// @throws Error if an extent is negative; MemoryError if there are more than 2^63 - 1 bytes
std::size_t bytes_of_array(const std::string& label, const shape& extents, std::size_t element);

/// Rejects an output whose type T does not hold the positions from 0 to before n.
[[noreturn]] void reject_positions(const std::string& label, std::string_view name, std::int64_t n, std::size_t bytes);
template <class T>
void check_positions(const std::string& label, std::string_view name, std::int64_t n) {
  static_assert(is_integer<T>, "quern: an output of positions must be of an integer type");
  if constexpr (is_integer<T>)
    if (n > 0 && static_cast<std::uint64_t>(n - 1) > static_cast<std::uint64_t>(std::numeric_limits<T>::max()))
      reject_positions(label, name, n, sizeof(T));
}

/// Rejects an argument for its extents.
[[noreturn]] void reject_extents(const std::string& label, std::string_view name, const shape& found,
                                 const std::string& expected);
[[noreturn]] void reject_broadcast(const std::string& label, std::string_view name, const shape& found,
                                   const shape& to);
/// Rejects rows of k values that are not those along the last axis.
void check_rows(std::size_t k, const shape& found);
void check_extents(const std::string& label, std::string_view name, const shape& found, const shape& expected,
                   const char* why = "");

}  // namespace impl
}  // namespace quern

#endif
