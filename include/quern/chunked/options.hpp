// SPDX-FileCopyrightText: the Quern authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef QUERN_CHUNKED_OPTIONS_HPP
#define QUERN_CHUNKED_OPTIONS_HPP

#include <cstddef>
#include <cstdint>
#include <functional>
#include <quern/core/views/concepts.hpp>
#include <stdexcept>

namespace quern::chunked {

/// How far an operation is.
struct progress {
  std::int64_t chunks_done = 0, chunks = 0;
  double bytes_done = 0, bytes = 0;  ///< read and written, outside of the memory of the execution space
  double seconds = 0;                ///< since the call
};

/// A chunk could not be read or written. The message names the operation, the chunk, its position in the file and the
/// reason; the exception of the reader or writer is nested (`std::rethrow_if_nested`).
class ChunkError : public std::runtime_error {
  using std::runtime_error::runtime_error;
};

}  // namespace quern::chunked

namespace quern {

/// How chunks are taken: an option of every call with operands in chunks, `sum(exec, source, chunking{.memory = n})`.
struct chunking {
  using option_of = impl::in_chunks_place;
  /// The bytes that the buffers of the operation may take in the memory of the execution space, and once more in pinned
  /// memory beside a device. 0: half of what is free there. Chunks of some tens of megabytes reach the full rate, so
  /// that less is taken where rows are short. More than 2^63 - 1 is an error.
  std::size_t memory = 0;
  /// Called by the thread of the caller after each chunk. What it throws ends the operation, as an error would.
  std::function<void(const chunked::progress&)> on_progress{};
};

}  // namespace quern

#endif
