// SPDX-FileCopyrightText: the Quern authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <quern/core/call/label.hpp>

#include <Kokkos_Core.hpp>
#include <array>
#include <atomic>
#include <functional>

namespace quern::impl {
namespace {

/// Texts that hash alike, in a list that only grows. That there are few of them, those of the library, makes it right
/// to keep them.
struct kept_text {
  std::string text;
  const kept_text* next;
};
constexpr std::size_t lists = 1024;
std::array<std::atomic<const kept_text*>, lists> texts;

const std::string* find_text(const kept_text* from, const kept_text* end, std::string_view a, std::string_view b) {
  for (; from != end; from = from->next)
    if (from->text.size() == a.size() + b.size() && from->text.starts_with(a) && from->text.ends_with(b))
      return &from->text;
  return nullptr;
}

/// Whether anyone reads the names of kernels.
bool tool_listens() {
#ifdef KOKKOS_ENABLE_TUNING
  return true;
#else
  return Kokkos::Tools::profileLibraryLoaded();
#endif
}

}  // namespace

const std::string& label_text(std::string_view operation, std::string_view part) {
  const std::hash<std::string_view> hash;
  std::atomic<const kept_text*>& list = texts[(hash(operation) + 31 * hash(part)) % lists];
  const kept_text* first = list.load(std::memory_order_acquire);
  if (const std::string* found = find_text(first, nullptr, operation, part)) return *found;
  auto* const added = new kept_text{std::string(operation).append(part), first};
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

std::string kernel_label(std::string_view operation, std::string_view part) {
  if (!tool_listens()) return {};
  return std::string(operation).append(part);
}

}  // namespace quern::impl
