// SPDX-FileCopyrightText: the Quern authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef QUERN_APP_RECORD_FILE_HPP
#define QUERN_APP_RECORD_FILE_HPP

#include <memory>
#include <nlohmann/json.hpp>
#include <string>

#include "interrupts.hpp"

namespace app {

/// The records of a run. They are written when it is complete; where a signal ends the program, those that there are. A
/// file of that name stays as it is where there is none.
class record_file {
 public:
  /// @param path the file; empty for none
  /// @throws usage_error if it cannot be made
  explicit record_file(const std::string& path);
  void add(nlohmann::json record);
  /// @throws std::runtime_error with the system's reason
  void finish();

 private:
  struct contents;
  std::shared_ptr<contents> contents_;
  at_interrupt keep_;
};

}  // namespace app

#endif
