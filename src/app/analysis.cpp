// SPDX-FileCopyrightText: the Quern authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// The workloads of analysis.

#include <cstdint>
#include <quern/analysis.hpp>
#include <quern/core.hpp>
#include <quern/map.hpp>
#include <quern/random.hpp>
#include <vector>

#include "workload.hpp"

namespace app {
namespace {

using cube = device_view<std::uint8_t***>;

struct below {
  float bound;
  KOKKOS_FUNCTION std::uint8_t operator()(float v) const { return v < bound ? 1 : 0; }
};

/// Numbers the features of the first planes of a cube, connected along its axes, by filling one after the other.
std::vector<std::int32_t> filled(const cube::host_mirror_type& mask, std::int64_t planes) {
  const std::int64_t n = mask.extent(1), size = planes * n * n;
  const std::uint8_t* cell = mask.data();
  std::vector<std::int32_t> labels(size);
  std::vector<std::int64_t> open;
  std::int32_t features = 0;
  for (std::int64_t first = 0; first < size; ++first) {
    if (cell[first] == 0 || labels[first] != 0) continue;
    ++features;
    const auto add = [&](std::int64_t i) {
      if (cell[i] == 0 || labels[i] != 0) return;
      labels[i] = features;
      open.push_back(i);
    };
    add(first);
    while (!open.empty()) {
      const std::int64_t i = open.back();
      open.pop_back();
      if (i % n > 0) add(i - 1);
      if (i % n < n - 1) add(i + 1);
      if (i / n % n > 0) add(i - n);
      if (i / n % n < n - 1) add(i + n);
      if (i >= n * n) add(i - n * n);
      if (i < size - n * n) add(i + n * n);
    }
  }
  return labels;
}

measurement label(const settings& s, std::int64_t n) {
  const auto density = uninitialized<device_view<float***>>("density", n, n, n);
  const auto mask = uninitialized<cube>("mask", n, n, n);
  const auto labels = uninitialized<device_view<std::int32_t***>>("labels", n, n, n);
  const device_view<std::int64_t> number("number");
  quern::random::uniform(s.exec, density, quern::random::key(1));
  quern::map(s.exec, mask, below{0.3f}, density);
  measurement m = timed(s, {n, n, n}, 5.0 * static_cast<double>(n * n * n), 0,
                        [&] { quern::label(s.exec, labels, mask, quern::size_to{number}); });
  const auto cells = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), mask);
  const auto expected = filled(cells, n);
  const auto found = quern::to_host(labels);
  m.verified = all_right(n * n * n, [&](std::int64_t i) { return found.data()[i] == expected[i]; });
  m.baseline_seconds = time_baseline(n, [&](std::int64_t planes) { keep(filled(cells, planes)[0]); });
  return m;
}

}  // namespace

std::vector<workload> analysis_workloads() {
  return {{"label", "uint8", "connected cells of a random mask, of which 0.3 are set", sizes(256, 512), arrays(9, 3),
           label}};
}

}  // namespace app
