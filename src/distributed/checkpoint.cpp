// SPDX-FileCopyrightText: the Quern authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <quern/distributed/checkpoint.hpp>

namespace quern::impl {

void on_all_ranks(const Communicator& comm, const std::string& path, const std::function<void()>& f) {
  std::string problem;
  try {
    f();
  } catch (const std::exception& e) {
    problem = e.what();
    if (problem.rfind(path + ": ", 0) == 0) problem.erase(0, path.size() + 2);
    if (problem.empty()) problem = "an error";
  }
  try {
    throw_together(comm, path, problem);
  } catch (const Error& e) {
    const std::string text = e.what();
    throw quern::files::FileError(path, text.substr(text.find(": ") + 2));
  }
}

}  // namespace quern::impl
