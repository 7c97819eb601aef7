// SPDX-FileCopyrightText: the Quern authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <quern/core/call/label.hpp>

#include <Kokkos_Core.hpp>
#include <array>
#include <atomic>
#include <cstdlib>
#include <functional>
#include <mutex>
#include <typeindex>
#include <unordered_map>

#if __has_include(<cxxabi.h>)
#include <cxxabi.h>
#endif

namespace quern::impl {
namespace {

/// Texts that hash alike, in a list that only grows. That there are few of them, those of the library, makes it right
/// to keep them.
struct text_in_list {
  std::string text;
  const text_in_list* next;
};
constexpr std::size_t lists = 1024;
std::array<std::atomic<const text_in_list*>, lists> texts;

const std::string* find_text(const text_in_list* from, const text_in_list* end, std::string_view a,
                             std::string_view b) {
  for (; from != end; from = from->next)
    if (from->text.size() == a.size() + b.size() && from->text.starts_with(a) && from->text.ends_with(b))
      return &from->text;
  return nullptr;
}

std::string demangled(const char* mangled) {
#if __has_include(<cxxabi.h>)
  int status = 0;
  if (char* text = abi::__cxa_demangle(mangled, nullptr, nullptr, &status); text != nullptr) {
    const std::string readable(text);
    std::free(text);
    return readable;
  }
#endif
  return mangled;
}

void erase_all(std::string& text, std::string_view what) {
  for (auto at = text.find(what); at != std::string::npos; at = text.find(what, at)) text.erase(at, what.size());
}

/// What nvcc calls the namespaces without a name.
void erase_device_namespaces(std::string& text) {
  constexpr std::string_view prefix = "_GLOBAL__N_";
  for (auto at = text.find(prefix); at != std::string::npos; at = text.find(prefix, at)) {
    const auto end = text.find("::", at);
    if (end == std::string::npos) return;
    text.erase(at, end + 2 - at);
  }
}

/// nvcc's `__nv_hdl_wrapper_t<false, ..., __nv_dl_tag<..., &(run(double)), 2u>, ...>` of a lambda that a kernel calls
/// becomes `run(double)::{lambda#2}`.
void shorten_device_lambdas(std::string& text) {
  constexpr std::string_view wrapper = "__nv_hdl_wrapper_t<", device = "__nv_dl_wrapper_t<", tag = "__nv_dl_tag<";
  for (const std::string_view name : {wrapper, device})
    for (auto at = text.find(name); at != std::string::npos; at = text.find(name, at + 1)) {
      const auto inner = text.find(tag, at);
      if (inner == std::string::npos) return;
      auto end = at + name.size();  // behind the wrapper's bracket
      for (int depth = 1; depth > 0 && end < text.size(); ++end) {
        if (text[end] == '<') ++depth;
        if (text[end] == '>' && text[end - 1] != '-') --depth;
      }
      const auto function = text.find('&', inner);
      const auto number = text.rfind("u>", text.find("u>", function));
      if (function == std::string::npos || number == std::string::npos || number > end) return;
      const auto comma = text.rfind(", ", number);
      std::string shown = text.substr(function + 1, comma - function - 1);
      if (shown.starts_with('(') && shown.ends_with(')')) shown = shown.substr(1, shown.size() - 2);
      text.replace(at, end - at, shown + "::{lambda#" + text.substr(comma + 2, number - comma - 2) + "}");
    }
}

/// The name of a type for people, made once.
const std::string& type_name(const std::type_info& type) {
  static std::mutex mutex;
  static std::unordered_map<std::type_index, std::string> known;
  const std::lock_guard lock(mutex);
  const auto [name, added] = known.try_emplace(type);
  if (added) {
    name->second = demangled(type.name());
    erase_all(name->second, "(anonymous namespace)::");
    erase_device_namespaces(name->second);
    shorten_device_lambdas(name->second);
  }
  return name->second;
}

/// Whether a label is an operation's name, or that of a part of it.
bool is_name_of(std::string_view operation, std::string_view label) {
  if (!label.starts_with(operation)) return false;
  return label.size() == operation.size() || label[operation.size()] == '/' || label[operation.size()] == ':';
}

}  // namespace

const label_scope*& label_scope::current() {
  thread_local const label_scope* of_thread = nullptr;
  return of_thread;
}

std::string label_scope::complete(std::string_view operation, std::string_view part) {
  std::string label = std::string(operation).append(part);
  bool with_functor = false;
  for (const label_scope* s = current(); s != nullptr; s = s->before_) {
    if (s->functor_ == nullptr) {
      label = std::string(s->text_) + ": " + label;
    } else if (!with_functor && is_name_of(s->text_, operation)) {
      label.insert(s->text_.size() + (label.size() - operation.size() - part.size()),
                   "<" + type_name(*s->functor_) + ">");
      with_functor = true;
    }
  }
  return label;
}

const std::string& label_text(std::string_view operation, std::string_view part) {
  const std::hash<std::string_view> hash;
  std::atomic<const text_in_list*>& list = texts[(hash(operation) + 31 * hash(part)) % lists];
  const text_in_list* first = list.load(std::memory_order_acquire);
  if (const std::string* found = find_text(first, nullptr, operation, part)) return *found;
  auto* const added = new text_in_list{std::string(operation).append(part), first};
  while (!list.compare_exchange_weak(first, added, std::memory_order_acq_rel)) {
    const std::string* found = find_text(first, added->next, operation, part);  // by another thread in the meantime
    if (found != nullptr) {
      delete added;
      return *found;
    }
    added->next = first;
  }
  return added->text;
}

bool tool_listens() {
#ifdef KOKKOS_ENABLE_TUNING
  return true;
#else
  return Kokkos::Tools::profileLibraryLoaded();
#endif
}

std::string kernel_label(std::string_view operation, std::string_view part) {
  if (!tool_listens()) return {};
  return label_scope::complete(operation, part);
}

}  // namespace quern::impl
