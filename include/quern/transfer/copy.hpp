// SPDX-FileCopyrightText: the Quern authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef QUERN_TRANSFER_COPY_HPP
#define QUERN_TRANSFER_COPY_HPP

#include <quern/core/call/label.hpp>
#include <quern/core/launch/operations.hpp>
#include <quern/map/map.hpp>
#include <quern/transfer/staging.hpp>

namespace quern {
namespace impl {

/// Whether an array is in memory that kernels of `Exec` reach, and whether it is in memory that the host reaches. An
/// mdspan is where `Exec` is; of a DualView, the side that `Exec` reaches is meant.
template <class Exec, class V>
inline constexpr bool reachable = view_traits<V>::template accessible<Exec>;
template <class V>
inline constexpr bool host_reachable = [] {
  if constexpr (pointer_view<V>)
    return Kokkos::SpaceAccessibility<Kokkos::DefaultHostExecutionSpace, typename V::memory_space>::accessible;
  else return false;
}();
template <std::size_t K, class Element, class V>
inline constexpr bool host_reachable<row_array<K, Element, V>> = host_reachable<V>;

/// Whether two arrays are on the two ends of the link between host and device.
template <class Exec, class Out, class In>
inline constexpr bool across_link =
    is_device<Exec> && pointer_view<Out> && pointer_view<In> && host_reachable<Out> != host_reachable<In>;
/// Whether the host has to pack or to unpack.
template <class Exec, class Out, class In>
inline constexpr bool through_host = !reachable<Exec, Out> || !reachable<Exec, In>;

template <class Exec, class T, class U>
void copy_part(const Exec& exec, const strided<T>& to, const strided<const U>& from) {
  map_launch<Exec, op::identity, T>(exec, "quern::copy", to, op::identity(), false, {to.stride, from.stride},
                                    array_input<U>{from});
}

/// A box of an array; along an axis of extent 1 all of `whole`, which it broadcasts to.
template <class T>
strided<T> box_of(const strided<T>& whole, const shape& own, const packed_box& box) {
  strided<T> part = whole;
  for (int d = 0; d < own.rank; ++d) {
    if (own.extent[d] == 1) continue;
    part.extents.extent[d] = box.extents.extent[d];
    part.data += box.first[d] * whole.stride[d];
  }
  return part;
}

template <class Exec, class T, class U>
void copy_to_device(const Exec& exec, const strided<T>& to, const strided<const U>& from, bool pinned,
                    std::int64_t chunk_bytes = staged_bytes) {
  // What the host sends is not repeated: axes that broadcast have one element.
  strided<const U> host = from;
  for (int d = 0; d < to.extents.rank; ++d)
    if (host.stride[d] == 0) host.extents.extent[d] = 1;
  const bool same = std::is_same_v<T, U> && host.extents == to.extents;
  upload(exec, {host, pinned, same ? array_bytes(to) : array_bytes(strided<T>()),
                [&](const packed_box& box, void* packed) {
                  const strided<T> part = box_of(to, host.extents, box);
                  strided<const U> arrived{static_cast<const U*>(packed), part.extents, box.packed};
                  for (int d = 0; d < to.extents.rank; ++d)
                    if (host.extents.extent[d] == 1) arrived.stride[d] = 0;
                  copy_part(exec, part, arrived);
                },
                chunk_bytes});
}

template <class Exec, class T, class U>
void copy_to_host(const Exec& exec, const strided<T>& to, const strided<const U>& from, bool pinned,
                  std::int64_t chunk_bytes = staged_bytes) {
  download(exec, {to, pinned, std::is_same_v<T, U> ? array_bytes(from) : array_bytes(strided<T>()),
                  [&](const packed_box& box, void* packed) {
                    copy_part(exec, strided<T>{static_cast<T*>(packed), box.extents, box.packed},
                              box_of(from, to.extents, box));
                  },
                  chunk_bytes});
}

/// The two arrays, the second one with the extents of the first.
template <class Exec, class Out, class In>
auto checked_ends(const Out& out, const In& in) {
  const std::string& label = label_text("quern::copy");
  static_assert(!view_traits<Out>::is_const, "quern: out must not be const");
  const auto to = as_strided<Exec, use::output>(out, label);
  check_output(label, to);
  array_input<value_of<In>> from{{}};
  from.array = {in.data(), view_extents(in), describe(in.data(), in).stride};
  from.array.stride = broadcast_input(label, from, to.extents, 0);
  from.array.extents = to.extents;
  return std::pair(to, from.array);
}

template <class Exec, class Out, class In>
void copy_across(const Exec& exec, const Out& out, const In& in) {
  constexpr bool pinned = !through_host<Exec, Out, In>;
  const auto [to, from] = checked_ends<Exec>(out, in);
  if (to.extents.size() == 0) return;
  // Kernels read pinned memory that is not contiguous without the help of the host. Their writes across the link would
  // be slow: there the host unpacks.
  if constexpr (host_reachable<Out>) copy_to_host(exec, to, from, pinned && lies_packed(to));
  else if (pinned && !lies_packed(from)) copy_part(exec, to, from);
  else copy_to_device(exec, to, from, pinned);
}

/// Whether the host packs or unpacks, and the call waits for it.
template <class Exec, class Out, class In>
bool waits_for_host(const Out& out, const In&) {
  if constexpr (through_host<Exec, Out, In>) return true;
  else if constexpr (host_reachable<Out>) return !lies_packed(describe(out.data(), out));
  else return false;
}

struct copies {};
template <>
inline constexpr bool takes_rows_anywhere<copies> = true;

/// Copies in memory.
template <>
struct engine<in_memory, copies> {
  template <class Exec, class Out, class In, class... Options>
  static void run(const Exec& exec, const Out& out, const In& in, const Options&...) {
    check_place_options<Options...>();
    constexpr bool fits = [] {
      if constexpr (is_lazy<In> || is_mapped<In>) return true;  // or `map` says so
      else return converts<value_of<In>, value_of<Out>>;
    }();
    static_assert(fits, "quern::copy: in's values do not convert to out's type, as complex numbers to real ones");
    if constexpr (is_lazy<In> || is_mapped<In> || is_rows<In> != is_rows<Out>) {
      map_checked("quern::copy", exec, out, op::identity(), in);
    } else if constexpr (is_rows<Out>) {
      run(exec, out.view, in.view);
    } else if constexpr (!fits) {
    } else if constexpr (across_link<Exec, Out, In>) {
      copy_across(exec, out, in);
    } else if constexpr (!through_host<Exec, Out, In>) {
      map_checked("quern::copy", exec, out, op::identity(), in);
    } else if constexpr (is_device<Exec>) {  // both on the host, one of them out of the device's reach
      const Kokkos::DefaultHostExecutionSpace host;
      exec.fence(kernel_label("quern::copy"));
      map_checked("quern::copy", host, out, op::identity(), in);
      host.fence(kernel_label("quern::copy"));
    } else {
      const std::conditional_t<reachable<Exec, Out>, default_execution_space<In>, default_execution_space<Out>> device;
      exec.fence(kernel_label("quern::copy"));
      run(device, out, in);
      device.fence(kernel_label("quern::copy"));
    }
  }
};

}  // namespace impl

/// Where `copy` writes: a View, `rows` of one, a sink, or a DistributedView.
template <class T>
concept copied_to = stored_array<T> || impl::placed<T>;

/// `out = in`, between any two Views: of the host, of pinned memory, of the device; LayoutLeft, LayoutRight, strided;
/// of any value type that converts to out's. `in` broadcasts to the extents of `out`. What lies between the elements of
/// a strided View is not touched.
///
/// @param exec an instance of the device that has one of the Views, or of any space where both are on the host
///
/// Within the memory that `exec` reaches this is one kernel, asynchronous on `exec`. Contiguous pinned memory is
/// copied by the link's copy engine, asynchronously too; where its layout or its type differ from those of the device's
/// View, kernels rearrange the elements on the device; from strided pinned memory they read across the link. Other
/// memory of the host (pageable memory, and strided memory that is written) is packed or unpacked by threads of the
/// host, in chunks that go through pinned buffers of the pool while the next ones are packed. Such a call comes after
/// what was launched on `exec` before. It returns when the host's memory may be used again: to the device when `in` is
/// read, to the host when `out` is complete.
///
/// Two Views of the host are copied by the host after `exec` has ended, and a host's instance beside a View of a device
/// waits for a default instance of the device.
///
/// The values of a lazy array, of Views that `exec` reaches, are computed by one kernel, asynchronously on `exec`, and
/// so are `rows` copied to or from a View of Arrays. In chunks, `copy(exec, sink, source)`, the call waits, and takes
/// the option `chunking`. Over ranks it is collective. Between DistributedViews of the same blocks each rank copies its
/// own; cells of other blocks come by messages, where the values have one type. Views are whole: a DistributedView
/// takes its blocks from one that all ranks have, and to one all blocks are brought on every rank, for which the call
/// waits. A scalar broadcasts as in `fill`, and so do `positions()`, whose Arrays are the values.
///
/// With `mask{m}` the elements of `out` where m is zero are left as they are (NumPy's `copyto` with `where`), as `map`
/// does it: between arrays that `exec` reaches, and over ranks between those of the same blocks.
/// @throws Error if `in` does not broadcast to `out`, or shares memory with it and is not the same View
template <execution_space Exec, copied_to Out, operand In, call_option<mask_t>... Options>
void copy(const Exec& exec, const Out& out, const In& in, const Options&... options) {
  if constexpr (any_array<In> && !impl::with_mask<Options...>)
    impl::engine_of<impl::copies, Out, In>::run(exec, out, in, options...);
  else impl::map_call("quern::copy", exec, out, impl::op::identity(), std::tie(in), options...);
}

/// On a default instance of the space that reaches both Views, or else of the device's. A copy to memory of the host
/// that is not pinned has ended when the call returns.
template <copied_to Out, operand In, call_option<mask_t>... Options>
void copy(const Out& out, const In& in, const Options&... options) {
  using namespace impl;
  if constexpr (view_like<Out> && view_like<In>) {
    using of_out = default_execution_space<Out>;
    using of_in = default_execution_space<In>;
    copy(std::conditional_t<!through_host<of_out, Out, In> || is_device<of_out>, of_out, of_in>(), out, in, options...);
  } else {
    copy(space_of(out, in), out, in, options...);
  }
}
QUERN_TAKES_NAME(copy)

}  // namespace quern

#endif
