// SPDX-FileCopyrightText: the Quern authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef QUERN_CORE_CALL_LABEL_HPP
#define QUERN_CORE_CALL_LABEL_HPP

/// @file
/// Names of operations, in messages and as what profilers call kernels.
///
/// They are longer than what a string holds by itself. A call that made a string of one would allocate, so each text is
/// made once, and kernels get a name only where a tool listens.

#include <string>
#include <string_view>
#include <typeinfo>

namespace quern::impl {

/// `operation` with `part` behind it, as a string that exists until the program ends. Threads may share it.
const std::string& label_text(std::string_view operation, std::string_view part = {});

/// The name of an operation, as what takes a literal passes it on to what takes a string.
class operation_name {
 public:
  operation_name(const char* text) : text_(&label_text(text)) {}         // NOLINT(google-explicit-constructor)
  operation_name(const std::string& text) : text_(&label_text(text)) {}  // NOLINT(google-explicit-constructor)
  operator const std::string&() const { return *text_; }                 // NOLINT(google-explicit-constructor)
  operator std::string_view() const { return *text_; }                   // NOLINT(google-explicit-constructor)

 private:
  const std::string* text_;
};

/// While it lives, what this thread launches has a name before its label, or the type of a functor behind the name of
/// its operation.
class label_scope {
 public:
  explicit label_scope(std::string_view name) : label_scope(name, nullptr) {}
  label_scope(std::string_view operation, const std::type_info& functor) : label_scope(operation, &functor) {}
  ~label_scope() { current() = before_; }
  label_scope(const label_scope&) = delete;
  label_scope& operator=(const label_scope&) = delete;

  /// A label as the scopes of this thread make it.
  static std::string complete(std::string_view operation, std::string_view part);

 private:
  label_scope(std::string_view text, const std::type_info* functor)
      : text_(text), functor_(functor), before_(current()) {
    current() = this;
  }
  static const label_scope*& current();
  std::string_view text_;
  const std::type_info* functor_;
  const label_scope* before_;
};

/// Whether anyone reads the names of kernels.
bool tool_listens();

/// What tools call a kernel, or a fence, of an operation. Empty where no tool listens: Kokkos copies what it is given.
std::string kernel_label(std::string_view operation, std::string_view part = {});

}  // namespace quern::impl

#endif
