// SPDX-FileCopyrightText: the Quern authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef QUERN_SCAN_LAUNCH_HPP
#define QUERN_SCAN_LAUNCH_HPP

#include <quern/scan/device_scan.hpp>
#include <quern/scan/host_scan.hpp>
#include <quern/scan/one_pass_scan.hpp>

namespace quern::impl {

/// Scans with the algorithm of the execution space. `out` and `in` have equal extents, and are equal or do not overlap.
template <bool Exclusive, class Exec, class Reducer, class In, class Out>
void scan_launch(const Exec& exec, const std::string& label, Workspace<Exec>& scratch, const Reducer& reducer,
                 const axis_set& axes, const strided<Out>& out, const In& in) {
  using source = std::remove_const_t<decltype(In::data)>;
  const auto along = row_major_nest(axes.part(in.extents, true), axes.part(in, true), axes.part(out, true));
  const auto line = make_loop_nest<2>(axes.part(in.extents, false), {axes.part(in, false), axes.part(out, false)});
  const std::int64_t n = along.inner() * along.outer(), lines = line.inner() * line.outer();
  if (n == 0 || lines == 0) return;

  const strided_scan<Exec, Exclusive, Reducer, source, Out> work{
      reducer, in.data, out.data, row_nest<2>(line), row_nest<2>(along), n, lines};
  if constexpr (scans_in_one_pass<Exec, Reducer>)
    if (scan_in_one_pass(exec, label, scratch, work)) return;
  if constexpr (is_device<Exec>) scan_on_device(exec, label, scratch, work);
  else scan_on_host(exec, label, scratch, work);
}

}  // namespace quern::impl

#endif
