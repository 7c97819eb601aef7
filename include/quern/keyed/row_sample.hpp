// SPDX-FileCopyrightText: the Quern authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef QUERN_KEYED_ROW_SAMPLE_HPP
#define QUERN_KEYED_ROW_SAMPLE_HPP

#include <quern/core/call/label.hpp>
#include <quern/core/launch/index_range.hpp>
#include <quern/keyed/tuning.hpp>

namespace quern::impl {

/// Calls a kernel of rows for some of them, at equal distances.
template <class Tag, class Kernel>
struct sampled_rows {
  Kernel kernel;
  std::int64_t step;
  KOKKOS_FUNCTION void operator()(std::int64_t i) const {
    if constexpr (std::is_void_v<Tag>) kernel(i * step);
    else kernel(Tag(), i * step);
  }
};

/// On devices, calls a kernel that raises or lowers what many rows share for a sample of them, before it is called for
/// all: what rows of a frequent key share is then near its last value when all threads of the device begin, each of
/// which would otherwise wait for an atomic operation at one address. (bench_keyed: group_by minima half equal)
template <class Tag = void, class Exec, class Kernel>
void launch_sample(const Exec& exec, const std::string& label, std::int64_t rows, const Kernel& kernel) {
  if constexpr (is_device<Exec>) {
    constexpr std::int64_t samples = keyed_tuning<Exec>::shared_samples;
    if (rows >= keyed_tuning<Exec>::sampled_least)
      Kokkos::parallel_for(kernel_label(label, "/sample"), index_range(exec, samples),
                           sampled_rows<Tag, Kernel>{kernel, rows / samples});
  }
}

}  // namespace quern::impl

#endif
