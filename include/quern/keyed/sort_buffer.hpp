// SPDX-FileCopyrightText: the Quern authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef QUERN_KEYED_SORT_BUFFER_HPP
#define QUERN_KEYED_SORT_BUFFER_HPP

namespace quern::impl {

/// Two halves that a sort moves data between; what is in the first at the beginning is in `data` at the end.
template <class T>
struct sort_buffer {
  T* data;
  T* other;
};

}  // namespace quern::impl

#endif
