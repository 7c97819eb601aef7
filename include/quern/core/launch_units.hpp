// SPDX-FileCopyrightText: the Quern authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef QUERN_CORE_LAUNCH_UNITS_HPP
#define QUERN_CORE_LAUNCH_UNITS_HPP

#include <quern/core/tuning.hpp>
#include <string>

namespace quern::impl {

/// A kernel without its type. What Kokkos adds to a kernel of a type of its own takes compilers longer than most loops;
/// hosts, whose launches return when they are done, share the launch of this one.
struct host_units {
  void (*run)(const void* kernel, std::int64_t unit);
  const void* kernel;
  void operator()(std::int64_t unit) const { run(kernel, unit); }
};

/// Calls kernel(Tag(), unit), or with no tag kernel(unit), for every unit of work below `count`. On hosts a unit is
/// long enough to be called by a pointer.
template <class Tag = void, class Exec, class Kernel>
void launch_units(const Exec& exec, const std::string& label, std::int64_t count, const Kernel& kernel) {
  using index = Kokkos::IndexType<std::int64_t>;
  if constexpr (is_device<Exec>) {
    Kokkos::parallel_for(label, Kokkos::RangePolicy<Exec, Tag, index>(exec, 0, count), kernel);
  } else {
    const auto run = [](const void* k, std::int64_t unit) {
      if constexpr (std::is_void_v<Tag>) (*static_cast<const Kernel*>(k))(unit);
      else (*static_cast<const Kernel*>(k))(Tag(), unit);
    };
    Kokkos::parallel_for(label, Kokkos::RangePolicy<Exec, index>(exec, 0, count), host_units{run, &kernel});
  }
}

}  // namespace quern::impl

#endif
