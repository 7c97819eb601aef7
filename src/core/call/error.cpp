// SPDX-FileCopyrightText: the Quern authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <quern/core/call/error.hpp>

#include <cstdio>
#include <typeinfo>

namespace quern {

Error::Error(const std::string& operation, const std::string& problem)
    : std::invalid_argument(operation + ": " + problem) {}
DataError::DataError(const std::string& operation, const std::string& problem)
    : std::runtime_error(operation + ": " + problem) {}
BackendError::BackendError(const std::string& operation, const std::string& problem)
    : std::runtime_error(operation + ": " + problem) {}
MemoryError::MemoryError(const std::string& operation, const std::string& problem)
    : std::runtime_error(operation + ": " + problem) {}

std::string impl::text_of(double x) {
  char text[32];
  std::snprintf(text, sizeof text, "%.17g", x);
  return text;
}

void impl::rethrow_as(std::string_view operation) {
  try {
    throw;
  } catch (const Error& e) {
    if (typeid(e) != typeid(Error)) throw;  // a callback's, which whoever wrote it catches by its class
    const std::string text = e.what();
    const auto problem = text.find(": ");
    if (text.rfind("quern::", 0) != 0 || problem == std::string::npos) throw;
    throw Error(std::string(operation), text.substr(problem + 2));
  }
}

}  // namespace quern
