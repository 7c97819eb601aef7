// SPDX-FileCopyrightText: the Quern authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef QUERN_TESTS_SUPPORT_WATCH_HPP
#define QUERN_TESTS_SUPPORT_WATCH_HPP

/// @file
/// What a call launches, allocates and waits for, by the callbacks of Kokkos Tools.

#include <gtest/gtest.h>

#include <cstdint>
#include <impl/Kokkos_Profiling.hpp>
#include <string>
#include <support/call_ref.hpp>
#include <vector>

namespace test {

namespace tools = Kokkos::Tools::Experimental;

struct event {
  std::string kind, name;
  std::uint32_t device;
};
inline std::vector<event> events;

template <int Kind>
void on_kernel(const char* name, const std::uint32_t device, std::uint64_t*) {
  events.push_back({Kind == 0 ? "for" : "reduce", name, device});
}

/// Records what a call does.
inline std::vector<event> watch(const call_ref<>& f) {
  events.clear();
  tools::set_begin_parallel_for_callback(on_kernel<0>);
  tools::set_begin_parallel_reduce_callback(on_kernel<1>);
  tools::set_begin_fence_callback([](const char* name, const std::uint32_t device, std::uint64_t*) {
    // Kokkos fences by itself before each callback; those are the tool's, not the operation's.
    if (std::string(name).find("Profile Tool Fence") == std::string::npos) events.push_back({"fence", name, device});
  });
  tools::set_allocate_data_callback(
      [](Kokkos::Profiling::SpaceHandle, const char* name, const void*, std::uint64_t bytes) {
        // Kokkos reports an allocation of no bytes for every team kernel without level-1 scratch on CUDA.
        if (bytes > 0) events.push_back({"allocate", name, 0});
      });
  f();
  tools::set_begin_parallel_for_callback(nullptr);
  tools::set_begin_parallel_reduce_callback(nullptr);
  tools::set_begin_fence_callback(nullptr);
  tools::set_allocate_data_callback(nullptr);
  return events;
}

/// A label without the type of a functor, which compilers spell differently.
inline std::string without_functor(const std::string& label) {
  const auto begin = label.find('<'), end = label.rfind('>');
  return begin == std::string::npos ? label : label.substr(0, begin) + label.substr(end + 1);
}

/// Runs a call on an instance of its own, once to warm up and once watched. Of its kernels those count whose labels
/// begin with `of`.
template <class Exec>
void expect_quiet(const std::vector<std::string>& kernels, int fences, const call_ref<const Exec&>& call,
                  const std::string& of = "") {
  const auto instances = Kokkos::Experimental::partition_space(Exec(), 1, 1);
  const Exec& exec = instances[1];
  call(exec);
  exec.fence();
  const auto seen = watch([&] { call(exec); });
  exec.fence();
  const std::uint32_t id = tools::device_id(exec);
  std::vector<std::string> launched;
  int waited = 0;
  for (const auto& e : seen) {
    EXPECT_NE("allocate", e.kind) << e.name;
    if (e.kind == "for" || e.kind == "reduce") {
      if (e.name.starts_with(of)) launched.push_back(without_functor(e.name));
      EXPECT_EQ(id, e.device) << e.name << " ran on another instance";
    }
    if (e.kind == "fence") {
      ++waited;
      EXPECT_EQ(id, e.device) << e.name << " waits for more than the instance";
    }
  }
  EXPECT_EQ(kernels, launched);
  EXPECT_EQ(fences, waited);
}

}  // namespace test

#endif
