// SPDX-FileCopyrightText: the Quern authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <quern/core/launch/compiled.hpp>
#include <quern/core/memory/workspace.hpp>

#include <algorithm>
#include <memory>
#include <quern/core/call/error.hpp>
#include <quern/core/memory/entry_pool.hpp>
#include <quern/core/memory/pool.hpp>
#include <quern/core/values/bytes_text.hpp>
#include <string>
#include <utility>

namespace quern {

template <execution_space Exec>
auto Workspace<Exec>::allocated(const Exec& exec, std::size_t bytes, std::size_t before) -> buffer_type {
  if (bytes > std::size_t{1} << 62)
    throw MemoryError("quern::Workspace", impl::byte_unit(bytes).text(bytes) + " are more than any memory has");
  const std::size_t n = before + bytes;
  return buffer_type(
      Kokkos::subview(impl::take_block<memory_space>(impl::instance_ref(exec), n), std::pair(std::size_t(0), n)));
}

template <execution_space Exec>
void* Workspace<Exec>::require_lasting(const Exec& exec, std::size_t bytes) {
  if (bytes > lasting_.extent(0)) lasting_ = allocated(exec, bytes);
  return lasting_.data();
}

template <execution_space Exec>
std::span<std::uint64_t> Workspace<Exec>::require_signals(const Exec& exec, std::size_t count) {
  const std::size_t bytes = count * sizeof(std::uint64_t);
  if (bytes > signals_.extent(0)) {
    const auto grown = allocated(exec, std::max(bytes, 2 * signals_.extent(0)));
    if (signals_.extent(0) > 0) keep_outgrown_signals();
    signals_ = grown;
    Kokkos::deep_copy(exec, signals_, std::byte{0});
  }
  return {reinterpret_cast<std::uint64_t*>(signals_.data()), signals_.extent(0) / sizeof(std::uint64_t)};
}

template <execution_space Exec>
void Workspace<Exec>::keep_outgrown_signals() {
  const auto& keeper = others_.emplace_back(std::make_unique<Workspace>());
  keeper->held_ = true;
  keeper->signals_ = signals_;
}

template <execution_space Exec>
void* Workspace<Exec>::require(const Exec& exec, std::size_t bytes) {
  if (bytes > bytes_here()) {
    buffer_ = allocated(exec, bytes, header);
    Kokkos::deep_copy(
        exec, Kokkos::View<int*, memory_space, Kokkos::MemoryTraits<Kokkos::Unmanaged>>(counters(), max_counters), 0);
  }
  return buffer_.data() + header;
}

template <execution_space Exec>
std::size_t Workspace<Exec>::size() const {
  std::size_t bytes = bytes_here() + signals_.extent(0);
  for (const auto& other : others_) bytes += other->size();
  return bytes;
}

template <execution_space Exec>
Workspace<Exec>& Workspace<Exec>::acquire() {
  if (!std::exchange(held_, true)) return *this;
  for (auto& other : others_)
    if (!std::exchange(other->held_, true)) return *other;
  others_.push_back(std::make_unique<Workspace>());
  return others_.back()->acquire();
}

namespace impl {

void reject_scratch(std::int64_t count, std::size_t element) {
  throw MemoryError("quern::Workspace", "scratch memory for " + std::to_string(count) + " elements of " +
                                            std::to_string(element) + " bytes is more than any memory has");
}

template <class Exec>
held_entry<Exec> acquire_entry(const Exec& exec) {
  return entry_pool<Exec, pool_entry<Exec>>::instance().acquire(exec);
}

}  // namespace impl

#define QUERN_WORKSPACE(Exec)     \
  template class Workspace<Exec>; \
  template impl::held_entry<Exec> impl::acquire_entry(const Exec&);
QUERN_ON_ALL(QUERN_WORKSPACE)

}  // namespace quern
