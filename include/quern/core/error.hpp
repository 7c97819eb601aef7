// SPDX-FileCopyrightText: the Quern authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef QUERN_CORE_ERROR_HPP
#define QUERN_CORE_ERROR_HPP

#include <cstdint>
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

/// The data of a call have no result. Operations that find this on a device say so in an `info` View where one is
/// passed, and wait and throw where none is.
class DataError : public std::runtime_error {
 public:
  /// `item` is the first of the batch that failed, `position` the row at which it did.
  DataError(const std::string& operation, const std::string& problem, std::int64_t item, int position)
      : std::runtime_error(operation + ": " + problem), item_(item), position_(position) {}
  std::int64_t item() const { return item_; }
  int position() const { return position_; }

 private:
  std::int64_t item_;
  int position_;
};

/// A matrix has no inverse: the pivot in row `position()` of its LU factorization is exactly zero.
class SingularMatrixError : public DataError {
  using DataError::DataError;
};

/// A matrix is not positive definite: the pivot in row `position()` of its Cholesky factorization is not positive.
class NotPositiveDefiniteError : public DataError {
  using DataError::DataError;
};

/// An iteration has not converged.
class ConvergenceError : public DataError {
  using DataError::DataError;
};

/// A library below Quern (a vendor's, MPI) reported a failure.
class BackendError : public std::runtime_error {
 public:
  BackendError(const std::string& operation, const std::string& problem)
      : std::runtime_error(operation + ": " + problem) {}
};

}  // namespace quern

#endif
