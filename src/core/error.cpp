// SPDX-FileCopyrightText: the Quern authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <quern/core/error.hpp>

namespace quern {

Error::Error(const std::string& operation, const std::string& problem)
    : std::invalid_argument(operation + ": " + problem) {}
DataError::DataError(const std::string& operation, const std::string& problem)
    : std::runtime_error(operation + ": " + problem) {}
BackendError::BackendError(const std::string& operation, const std::string& problem)
    : std::runtime_error(operation + ": " + problem) {}
MemoryError::MemoryError(const std::string& operation, const std::string& problem)
    : std::runtime_error(operation + ": " + problem) {}

}  // namespace quern
