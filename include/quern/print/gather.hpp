// SPDX-FileCopyrightText: the Quern authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef QUERN_PRINT_GATHER_HPP
#define QUERN_PRINT_GATHER_HPP

/// @file
/// The elements of an array that are printed, brought to the host.

#include <cstddef>
#include <quern/core/views/overlap.hpp>
#include <quern/print/options.hpp>
#include <string>

namespace quern::impl {

/// Which elements are printed: of each axis the first `shown.extent[d]`, or half of these from its start and half from
/// its end where it is cut.
struct shown_elements {
  shape whole, shown;
  bool summarized = false;  // more elements than the threshold

  bool cut(int d) const { return shown.extent[d] < whole.extent[d]; }
};
/// @throws Error if an option is out of range
shown_elements select_shown(const std::string& label, const shape& extents, const print_options& options);

/// Copies the elements that are printed, packed in the order of indices, the last one fastest.
void gather_on_host(const shown_elements& which, const array_bytes& from, std::byte* to);
/// The same on a device, asynchronously: `to` is memory that its kernels can write.
template <class Exec>
void gather_on_device(const Exec& exec, const std::string& label, const shown_elements& which, const array_bytes& from,
                      std::byte* to);

}  // namespace quern::impl

#endif
