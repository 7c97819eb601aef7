// SPDX-FileCopyrightText: the Quern authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef QUERN_CORE_VIEWS_CHECK_INCREASING_HPP
#define QUERN_CORE_VIEWS_CHECK_INCREASING_HPP

#include <quern/core/call/label.hpp>
#include <quern/core/launch/least_position.hpp>
#include <quern/core/views/extents.hpp>

namespace quern::impl {

/// Where the first of n elements is that is greater than the next, or not comparable.
template <class T>
struct first_not_increasing {
  const T* data;
  std::int64_t stride, n;
  KOKKOS_FUNCTION void operator()(std::int64_t i, std::int64_t& least) const {
    if (i + 1 < n && !(data[i * stride] <= data[(i + 1) * stride])) least = Kokkos::min(least, i);
  }
};
/// Rejects an array with an element that is greater than the next, or not comparable. Waits.
template <class Exec, class T>
void check_increasing(const Exec& exec, const std::string& label, std::string_view name, const strided<const T>& x) {
  const std::int64_t n = x.extents.extent[0];
  const std::int64_t first =
      least_position(exec, label_text(label, "/check"), n, first_not_increasing<T>{x.data, x.stride[0], n});
  if (first < n)
    throw UnsortedError(label, std::string(name) + " do not increase at position " + std::to_string(first), first);
}

}  // namespace quern::impl

#endif
