// SPDX-FileCopyrightText: the Quern authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef QUERN_CORE_ERROR_HPP
#define QUERN_CORE_ERROR_HPP

#include <stdexcept>
#include <string>

namespace quern {

/// A call that cannot be carried out as written: wrong extents, an overlap of output and input, an option out of
/// range. Thrown on the host before anything is launched and before any output is written.
///
/// The message names operation, argument, what was expected and what was found, for example
/// `quern::map: in 1 has extents (3), which do not broadcast to (10, 20)`.
class Error : public std::invalid_argument {
 public:
  Error(const std::string& operation, const std::string& problem) : std::invalid_argument(operation + ": " + problem) {}
};

/// A library below Quern (a vendor's, MPI) reported a failure.
class BackendError : public std::runtime_error {
 public:
  BackendError(const std::string& operation, const std::string& problem)
      : std::runtime_error(operation + ": " + problem) {}
};

}  // namespace quern

#endif
