// SPDX-FileCopyrightText: the Quern authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef QUERN_KEYED_COMPACT_ALONG_HPP
#define QUERN_KEYED_COMPACT_ALONG_HPP

#include <algorithm>
#include <quern/core/call/call.hpp>
#include <quern/core/launch/launch_units.hpp>
#include <quern/core/launch/loop_nest.hpp>

namespace quern::impl {

/// Takes slices of x, of which those that are kept have their positions in a list, to the first ones of an output.
template <class Source, class Out>
struct take_selected {
  Source x;
  std::int64_t apart;  // slices of x
  const std::int64_t* positions;
  const std::int64_t* count;
  Out* out;
  row_nest<3> nest;  // out, x in a slice, and which slice of out

  KOKKOS_FUNCTION void take(const typename row_nest<3>::offsets& at) const {
    const std::int64_t slice = at.of[2];
    if (slice < *count) out[at.of[0]] = convert<Out>(x[at.of[1] + positions[slice] * apart]);
  }
};
/// By elements of the output, on devices.
template <class Source, class Out>
struct take_elements {
  static constexpr std::int64_t unit = 1;
  take_selected<Source, Out> selected;
  KOKKOS_FUNCTION void operator()(std::int64_t element) const {
    std::int64_t i;
    selected.take(selected.nest.at_item(element, selected.nest.inner, 1, i));
  }
};
/// By runs of elements, on hosts.
template <class Source, class Out>
struct take_runs {
  static constexpr std::int64_t unit = 4096;
  take_selected<Source, Out> selected;
  void operator()(std::int64_t number) const {
    in_loop<take_selected<Source, Out>> local = selected;  // what the loop reads must not be what it might write
    const std::int64_t first = number * unit, n = local.nest.inner * local.nest.outer;
    typename row_nest<3>::element_walk walk(local.nest, first);
    for (std::int64_t i = first; i < std::min(n, first + unit); ++i) local.take(walk.next());
  }
};

/// Launches that for the slices along an axis that are kept, of which there may be as many as there are positions.
template <class Exec, class Out, class X>
void take_slices(const Exec& exec, const std::string& label, const strided<Out>& out, const X& x, int along,
                 std::int64_t most, const std::int64_t* positions, const std::int64_t* count) {
  shape extents = out.extents;
  extents.extent[along] = most;
  if (extents.size() == 0) return;
  stride_array in_slice = x.stride, slices{};
  in_slice[along] = 0;
  slices[along] = 1;
  using source = std::remove_const_t<decltype(x.data)>;
  using kernel = std::conditional_t<is_device<Exec>, take_elements<source, Out>, take_runs<source, Out>>;
  const row_nest<3> nest(make_loop_nest<3>(extents, {out.stride, in_slice, slices}));
  const std::int64_t units = (extents.size() + kernel::unit - 1) / kernel::unit;
  launch_units(exec, label, units, kernel{{x.data, x.stride[along], positions, count, out.data, nest}});
}

}  // namespace quern::impl

#endif
