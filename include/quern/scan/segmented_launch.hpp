// SPDX-FileCopyrightText: the Quern authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef QUERN_SCAN_SEGMENTED_LAUNCH_HPP
#define QUERN_SCAN_SEGMENTED_LAUNCH_HPP

#include <quern/core/launch/compiled.hpp>
#include <quern/core/launch/launch_units.hpp>
#include <quern/core/memory/scratch_layout.hpp>
#include <quern/reducers/reducers.hpp>
#include <quern/scan/device_segments.hpp>
#include <quern/scan/host_segments.hpp>
#include <quern/scan/launch.hpp>

namespace quern::impl {

/// Launches the kernels: of a reduction into out[segment], or a scan into out[value].
template <bool Scan, class Exec, class Reducer, class Values, class Index, class Out>
void segmented_launch(const Exec& exec, const std::string& label, Workspace<Exec>& scratch, const Reducer& reducer,
                      const strided<Out>& out, const Values& values, const strided<const Index>& offsets) {
  using source = std::remove_const_t<decltype(Values::data)>;
  using carry = segment_carry<typename Reducer::state>;
  constexpr bool device = is_device<Exec>;
  using kernel_type = std::conditional_t<device, device_segments<Exec, Reducer, source, Index, Out>,
                                         host_segments<Exec, Reducer, source, Index, Out>>;
  const std::int64_t n = values.extents.extent[0], ends = offsets.extents.extent[0];
  if (ends < 2 || (Scan && n == 0)) return;

  kernel_type kernel{{reducer, source_line(values), source_line(offsets), source_line(out), n, ends, 0}};
  auto& work = kernel.work;
  [[maybe_unused]] segment_teams<kernel_type, Exec> teams{exec, label};
  if constexpr (device) {
    if constexpr (Scan) teams.fit(kernel, open_tag(), scan_tag());
    else teams.fit(kernel, reduce_tag());
    work.tile = teams.threads * kernel_type::items;
  } else {
    work.tile = (n + ends + exec.concurrency() - 1) / exec.concurrency();
  }
  const std::int64_t tiles = (n + ends + work.tile - 1) / work.tile;
  scratch_layout layout;
  layout.add(work.left, tiles);
  layout.add(work.before, tiles);
  layout.add(work.first, tiles);
  layout.add(work.starts, tiles + 1);
  layout.allocate(exec, scratch);

  const auto for_tiles = [&]<class Tag>(Tag, const std::string& name) {
    if constexpr (device) Kokkos::parallel_for(kernel_label(name), teams.policy(Tag(), tiles), kernel);
    else launch_units<Tag>(exec, name, tiles, kernel);
  };
  launch_units<starts_tag>(exec, label_text(label, "/starts"), tiles + 1, work);
  if constexpr (Scan) for_tiles(open_tag(), label_text(label, "/open"));
  else for_tiles(reduce_tag(), label);
  const shape line{tiles};
  scan_launch<true>(exec, label_text(label, "/carries"), scratch, work.carries(), axis_set::all(),
                    strided<carry>{work.before, line, {1}}, strided<const carry>{work.left, line, {1}});
  if constexpr (Scan) for_tiles(scan_tag(), label);
  else launch_units<ends_tag>(exec, label_text(label, "/ends"), tiles, work);
}

#define QUERN_SEGMENTED_SUM(HOW, Exec, T)                                                                 \
  HOW template void segmented_launch<false>(const Exec&, const std::string&, Workspace<Exec>&,            \
                                            const sum_reducer<sum_type<T>>&, const strided<sum_type<T>>&, \
                                            const strided<const T>&, const strided<const std::int64_t>&);
QUERN_COMPILED_ELSEWHERE(QUERN_SEGMENTED_SUM)

}  // namespace quern::impl

#endif
