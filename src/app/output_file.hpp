// SPDX-FileCopyrightText: the Quern authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef QUERN_APP_OUTPUT_FILE_HPP
#define QUERN_APP_OUTPUT_FILE_HPP

#include <string>

namespace app {

/// @throws usage_error if a file cannot be made there
void check_writable(const std::string& path);

/// Writes a file whole or not at all: beside its final name, which it gets when all bytes are there.
/// @throws std::runtime_error with the system's reason, if the disk is full for example
void write_file(const std::string& path, const std::string& bytes);

}  // namespace app

#endif
