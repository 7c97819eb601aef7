// SPDX-FileCopyrightText: the Quern authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef QUERN_CORE_VIEWS_OVERLAP_HPP
#define QUERN_CORE_VIEWS_OVERLAP_HPP

#include <cstdint>
#include <initializer_list>
#include <quern/core/views/extents.hpp>
#include <string>
#include <string_view>

namespace quern::impl {

/// An array without its type.
struct array_bytes {
  const void* data = nullptr;
  std::int64_t element = 0;  // bytes
  shape extents;
  Kokkos::Array<std::int64_t, max_rank> stride{};  // in elements

  array_bytes() = default;
  template <class T>
  array_bytes(const strided<T>& s) : data(s.data), element(sizeof(T)), extents(s.extents), stride(s.stride) {}
  /// Rows of values, which are the elements here.
  template <class M>
    requires is_row_memory<M>
  array_bytes(const strided<M>& s)
      : data(s.data), element(sizeof(typename pointer_to<M>::component)), extents(s.extents), stride(s.stride) {
    using pointer = pointer_to<M>;
    extents.extent[extents.rank] = pointer::components;
    stride[extents.rank++] = pointer::unit == 1 ? s.data.apart : 1;
  }
};

/// Whether two arrays share a byte. Exact (a bounded Diophantine equation, as in NumPy's `shares_memory`) for the
/// strides that views of one allocation have; where the search would take long the answer is true.
bool overlap(const array_bytes& a, const array_bytes& b);

/// What is wrong with an output of which two elements share memory; empty where none do.
std::string text_of_shared_elements(const array_bytes& out);
/// Rejects such an output.
void check_output(const std::string& operation, const array_bytes& out);

/// Rejects an output that shares memory with an input that is read while it is written.
void check_overlap(const std::string& operation, const array_bytes& out, const array_bytes& in, std::string_view name,
                   bool same_allowed);

/// Rejects several outputs, or an output and inputs that have names of their own, unless no two
/// of them share memory. Those without data are not wanted.
void check_all_apart(const std::string& operation, std::initializer_list<const char*> names,
                     std::initializer_list<array_bytes> arrays);
template <class... Array>
void check_apart(const std::string& operation, std::initializer_list<const char*> names, const Array&... arrays) {
  check_all_apart(operation, names, {array_bytes(arrays)...});
}

}  // namespace quern::impl

#endif
