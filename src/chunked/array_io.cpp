// SPDX-FileCopyrightText: the Quern authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <quern/chunked/array_io.hpp>

namespace quern::impl {

stride_array packed_strides(const shape& extents, bool fortran_order) {
  stride_array stride{};
  std::int64_t next = 1;
  for (int k = 0; k < extents.rank; ++k) {
    const int d = fortran_order ? k : extents.rank - 1 - k;
    stride[d] = next;
    next *= extents.extent[d];
  }
  return stride;
}

packed_box make_box(const shape& extents, const stride_array& first, bool fortran_order) {
  return {first, extents, packed_strides(extents, fortran_order)};
}

void for_each_run(const shape& whole, bool fortran_order, const packed_box& box,
                  const std::function<void(std::int64_t, std::int64_t, std::int64_t)>& f) {
  if (box.extents.size() == 0) return;
  const int rank = whole.rank;
  const auto axis = [&](int k) { return fortran_order ? k : rank - 1 - k; };
  const stride_array stride = packed_strides(whole, fortran_order);
  std::int64_t element = 0, run = 1;
  for (int d = 0; d < rank; ++d) element += box.first[d] * stride[d];
  int outer = 0;
  while (outer < rank) {
    const int d = axis(outer++);
    run *= box.extents.extent[d];
    if (box.extents.extent[d] != whole.extent[d]) break;
  }
  stride_array index{};
  for (std::int64_t at = 0;; at += run) {
    f(element, run, at);
    int k = outer;
    for (; k < rank; ++k) {
      const int d = axis(k);
      element += stride[d];
      if (++index[d] < box.extents.extent[d]) break;
      element -= index[d] * stride[d];
      index[d] = 0;
    }
    if (k == rank) return;
  }
}

void check_whole_rows(const array_io& array, const packed_box& box) {
  for (int d = 1; d < array.extents.rank; ++d)
    if (box.extents.extent[d] != array.extents.extent[d])
      throw Error("quern::chunked", "a user's reader or writer has rows along axis 0; all operands must be in C order");
}

std::string rows_of(const packed_box& box) {
  return "rows " + std::to_string(box.first[0]) + " to " + std::to_string(box.first[0] + box.extents.extent[0] - 1);
}

}  // namespace quern::impl
