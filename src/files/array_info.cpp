// SPDX-FileCopyrightText: the Quern authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <quern/files/array_info.hpp>

namespace quern::files {

std::string data_type::str() const {
  static constexpr const char* names[] = {"bool", "int", "uint", "float", "complex"};  // of number_kind
  return names[static_cast<int>(kind)] + (kind == number_kind::boolean ? "" : std::to_string(8 * bytes));
}

}  // namespace quern::files
