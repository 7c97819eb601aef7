// SPDX-FileCopyrightText: the Quern authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef QUERN_TESTS_SUPPORT_LABELS_HPP
#define QUERN_TESTS_SUPPORT_LABELS_HPP

#include <gtest/gtest.h>

#include <Kokkos_Core.hpp>
#include <impl/Kokkos_Profiling.hpp>
#include <string>
#include <string_view>
#include <support/call_ref.hpp>
#include <vector>

namespace test {

inline std::vector<std::string> seen_labels;

/// The labels of the kernels that `f` launches, as tools of Kokkos get them.
inline std::vector<std::string> labels_of(const call_ref<>& f) {
  namespace tools = Kokkos::Tools::Experimental;
  seen_labels.clear();
  const auto record = [](const char* name, std::uint32_t, std::uint64_t*) {
    // Kokkos's own fill a View that is new.
    if (!std::string_view(name).starts_with("Kokkos::")) seen_labels.emplace_back(name);
  };
  tools::set_begin_parallel_for_callback(record);
  tools::set_begin_parallel_reduce_callback(record);
  tools::set_begin_parallel_scan_callback(record);
  f();
  Kokkos::fence();
  tools::set_begin_parallel_for_callback(nullptr);
  tools::set_begin_parallel_reduce_callback(nullptr);
  tools::set_begin_parallel_scan_callback(nullptr);
  return seen_labels;
}

/// The labels of what a call with `named{"step"}` launches, all of which have the name.
inline std::vector<std::string> expect_named(const char* what, const call_ref<>& call) {
  const auto labels = labels_of(call);
  for (const auto& label : labels) EXPECT_TRUE(label.starts_with("step: quern::")) << label << " of " << what;
  return labels;
}

/// The names of the fences while `f` runs, but those that Kokkos makes for tools.
inline std::vector<std::string> fences_of(const call_ref<>& f) {
  namespace tools = Kokkos::Tools::Experimental;
  seen_labels.clear();
  tools::set_begin_fence_callback([](const char* name, std::uint32_t, std::uint64_t*) {
    if (std::string_view(name).find("Profile Tool Fence") == std::string_view::npos) seen_labels.emplace_back(name);
  });
  f();
  tools::set_begin_fence_callback(nullptr);
  return seen_labels;
}

}  // namespace test

#endif
