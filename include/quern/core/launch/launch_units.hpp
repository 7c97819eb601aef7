// SPDX-FileCopyrightText: the Quern authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef QUERN_CORE_LAUNCH_LAUNCH_UNITS_HPP
#define QUERN_CORE_LAUNCH_LAUNCH_UNITS_HPP

#include <quern/core/call/label.hpp>
#include <quern/core/launch/compiled.hpp>
#include <quern/core/launch/tuning.hpp>
#include <string>
#include <type_traits>

namespace quern::impl {

/// What a loop calls: `in_loop<F> local = f;`. Of bits alone it is a copy, since compilers keep in registers what
/// stores cannot change. What does more when it is copied, as a View that counts references, stays the one of the
/// launch.
template <class F>
using in_loop = std::conditional_t<std::is_trivially_copyable_v<F>, const F, const F&>;

/// A kernel without its type. What Kokkos adds to a kernel of a type of its own takes compilers longer than most loops;
/// hosts, whose launches return when they are done, share the launch of this one.
struct host_units {
  void (*run)(const void* kernel, std::int64_t unit);
  const void* kernel;
  void operator()(std::int64_t unit) const { run(kernel, unit); }
};

/// Runs the units on the calling thread where no second thread would get one, and returns whether it did: a parallel
/// region only takes its time there, which is that of thousands of additions. Tools are told of all launches.
/// (bench_map, vector_add)
bool ran_here(const host_units& units, std::int64_t count, int threads);
/// Launches `count` units. Compiled in the library: it is the same for every kernel.
template <class Exec>
void launch_host_units(const Exec& exec, const std::string& label, std::int64_t count, const host_units& units) {
  if (ran_here(units, count, exec.concurrency())) return;
  Kokkos::parallel_for(kernel_label(label), Kokkos::RangePolicy<Exec, Kokkos::IndexType<std::int64_t>>(exec, 0, count),
                       units);
}
/// Runs the first unit of a few on the calling thread, and the others as well, as unit -1, if it took so little time
/// that all are done before a parallel region would have begun. Returns how many units are left to the region.
std::int64_t left_by_quick_units(const host_units& units, std::int64_t count);
/// Launches `count` units that may be `quick`, as that says.
template <class Exec>
void launch_quick_units(const Exec& exec, const std::string& label, std::int64_t count, const host_units& units) {
  if (ran_here(units, count, exec.concurrency())) return;
  const std::int64_t left = left_by_quick_units(units, count);
  if (left == 0) return;
  Kokkos::parallel_for(kernel_label(label),
                       Kokkos::RangePolicy<Exec, Kokkos::IndexType<std::int64_t>>(exec, count - left, count), units);
}
#define QUERN_HOST_UNITS(Space, ...)                                                                              \
  __VA_ARGS__ template void launch_host_units(const Space&, const std::string&, std::int64_t, const host_units&); \
  __VA_ARGS__ template void launch_quick_units(const Space&, const std::string&, std::int64_t, const host_units&);
QUERN_ON_HOSTS(QUERN_HOST_UNITS, extern)

/// Calls kernel(Tag(), unit), or with no tag kernel(unit), for every unit of work below `count`. On hosts a unit is
/// long enough to be called by a pointer. All call one copy of the kernel, in which Views count no references, as in
/// the copies that Kokkos makes for its own launches.
/// Few units may be `quick`, where kernel(Tag(), -1) does all but the first.
template <class Tag = void, class Exec, class Kernel>
void launch_units(const Exec& exec, const std::string& label, std::int64_t count, const Kernel& kernel,
                  [[maybe_unused]] bool quick = false) {
  if constexpr (is_device<Exec>) {
    using policy = Kokkos::RangePolicy<Exec, Tag, Kokkos::IndexType<std::int64_t>>;
    Kokkos::parallel_for(kernel_label(label), policy(exec, 0, count), kernel);
  } else {
    const auto run = [](const void* k, std::int64_t unit) {
      if constexpr (std::is_void_v<Tag>) (*static_cast<const Kernel*>(k))(unit);
      else (*static_cast<const Kernel*>(k))(Tag(), unit);
    };
    const auto own = Kokkos::Impl::construct_with_shared_allocation_tracking_disabled<Kernel>(kernel);
    const auto launch = quick ? &launch_quick_units<Exec> : &launch_host_units<Exec>;
    launch(exec, label, count, host_units{run, &own});
  }
}

}  // namespace quern::impl

#endif
