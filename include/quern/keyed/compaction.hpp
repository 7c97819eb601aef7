// SPDX-FileCopyrightText: the Quern authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef QUERN_KEYED_COMPACTION_HPP
#define QUERN_KEYED_COMPACTION_HPP

#include <quern/keyed/device_compaction.hpp>
#include <quern/keyed/host_compaction.hpp>
#include <quern/keyed/one_pass_compaction.hpp>
#include <quern/keyed/tuning.hpp>

namespace quern::impl {

/// Keeps what an array has marked.
template <class T>
struct is_marked {
  const T* marks;
  KOKKOS_FUNCTION bool operator()(std::int64_t i) const { return marks[i] != 0; }
};

/// Numbers what is kept; how many there are is written to `count`, which `exec` reaches. What `keep` reads, `put` does
/// not write, except at the same i: a device may put some before it looks at others.
template <class Exec, class Keep, class Put>
void for_selected(const std::string& label, const Exec& exec, std::int64_t n, const Keep& keep, const Put& put,
                  std::int64_t* count) {
  constexpr std::size_t bytes = compaction_tiles<Exec, Keep, Put>::bytes;
  if constexpr (keyed_tuning<Exec>::compaction_in_one_pass(bytes)) keep_in_one_pass(exec, label, n, keep, put, count);
  else if constexpr (is_device<Exec>) keep_on_device(exec, label, n, keep, put, count);
  else keep_on_host(exec, label, n, keep, put, count);
}

}  // namespace quern::impl

#endif
