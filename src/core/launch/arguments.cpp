// SPDX-FileCopyrightText: the Quern authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <exception>
#include <quern/core/launch/arguments.hpp>
#include <utility>

namespace quern::impl {

written_views*& written_views::current() {
  thread_local written_views* of_thread = nullptr;
  return of_thread;
}

written_views::written_views() : exceptions_(std::uncaught_exceptions()) {
  if (current() == nullptr) current() = this;
}
written_views::~written_views() {
  if (current() != this) return;
  current() = nullptr;
  if (std::uncaught_exceptions() == exceptions_)
    for (const auto& mark : marks_) mark();
}

void written_views::mark_later(std::function<void()> mark) { current()->marks_.push_back(std::move(mark)); }

void reject_output(const std::string& label, std::size_t number, const shape& found, const shape& first) {
  throw Error(label, "out " + std::to_string(number + 1) + " has extents " + found.str() +
                         ", expected those of the first, " + first.str());
}

std::string input_name(std::size_t i) { return "in " + std::to_string(i + 1); }

}  // namespace quern::impl
