// SPDX-FileCopyrightText: the Quern authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef QUERN_CORE_CALL_ERROR_HPP
#define QUERN_CORE_CALL_ERROR_HPP

#include <cstdint>
#include <stdexcept>
#include <string>
#include <string_view>

namespace quern {

/// A call that cannot be carried out as written: wrong extents, an overlap of output and input, an option out of
/// range. Thrown on the host before anything is launched and before any output is written.
///
/// The message names operation, argument, what was expected and what was found, for example
/// `quern::map: in 1 has extents (3), which do not broadcast to (10, 20)`.
class Error : public std::invalid_argument {
 public:
  Error(const std::string& operation, const std::string& problem);
};

/// The data of a call have no result. Thrown where the call waits; a matrix operation with an `info` View reports there
/// instead.
class DataError : public std::runtime_error {
 public:
  DataError(const std::string& operation, const std::string& problem);
};

/// A matrix has no result.
class MatrixError : public DataError {
 public:
  MatrixError(const std::string& operation, const std::string& problem, std::int64_t item, int position)
      : DataError(operation, problem), item_(item), position_(position) {}
  /// The first matrix of the batch that failed, counted from 0.
  std::int64_t item() const { return item_; }
  /// The row at which it failed, counted from 0; an `info` View counts from 1.
  int position() const { return position_; }

 private:
  std::int64_t item_;
  int position_;
};

/// A matrix has no inverse: the pivot in row `position()` of its LU factorization is exactly zero.
class SingularMatrixError : public MatrixError {
  using MatrixError::MatrixError;
};

/// A matrix is not positive definite: the pivot in row `position()` of its Cholesky factorization is not positive.
class NotPositiveDefiniteError : public MatrixError {
  using MatrixError::MatrixError;
};

/// An iteration has not converged.
class ConvergenceError : public MatrixError {
  using MatrixError::MatrixError;
};

/// An element has a value that the operation cannot take.
class ElementError : public DataError {
 public:
  ElementError(const std::string& operation, const std::string& problem, std::int64_t position)
      : DataError(operation, problem), position_(position) {}
  /// The row-major position of the first such element.
  std::int64_t position() const { return position_; }

 private:
  std::int64_t position_;
};

/// A key is outside of the range that the call names.
class KeyRangeError : public ElementError {
  using ElementError::ElementError;
};

/// An element is greater than the next, or NaN, where the operation needs ascending order.
class UnsortedError : public ElementError {
  using ElementError::ElementError;
};

/// There are more results than the outputs hold.
class CapacityError : public DataError {
 public:
  CapacityError(const std::string& operation, const std::string& problem, std::int64_t needed, std::int64_t room)
      : DataError(operation, problem), needed_(needed), room_(room) {}
  std::int64_t needed() const { return needed_; }
  std::int64_t room() const { return room_; }

 private:
  std::int64_t needed_, room_;
};

/// There is less memory than a call needs.
class MemoryError : public std::runtime_error {
 public:
  MemoryError(const std::string& operation, const std::string& problem);
};

/// A library below Quern (a vendor's, MPI) reported a failure.
class BackendError : public std::runtime_error {
 public:
  BackendError(const std::string& operation, const std::string& problem);
};

namespace impl {

/// A number in a message, with all its digits.
std::string text_of(double x);

/// Throws the Error that is being handled once more, with another operation's name. One of a class derived from Error
/// is thrown on as it is.
[[noreturn]] void rethrow_as(std::string_view operation);

/// `f()`, whose Errors name the operation that the user has called, and not one that it is made of.
template <class F>
auto in_operation(std::string_view operation, const F& f) {
  try {
    return f();
  } catch (const Error&) {
    rethrow_as(operation);
  }
}

}  // namespace impl
}  // namespace quern

#endif
