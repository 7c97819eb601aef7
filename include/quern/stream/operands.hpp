// SPDX-FileCopyrightText: the Quern authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef QUERN_STREAM_OPERANDS_HPP
#define QUERN_STREAM_OPERANDS_HPP

/// @file
/// The operands of an operation on streams, and their parts in each chunk.

#include <optional>
#include <quern/core/call.hpp>
#include <quern/stream/pipeline.hpp>
#include <quern/transfer/as_view.hpp>

namespace quern::stream::impl {

/// Whether an execution space uses an operand where it is; scalars are with it. What kernels of a device reach in the
/// memory of the host is copied all the same, since copy engines are faster.
template <class Exec, class V>
inline constexpr bool resident = [] {
  if constexpr (is_source<V> || is_sink<V>) return false;
  else if constexpr (!Kokkos::is_view_v<V>) return true;
  else return reachable<Exec, V> && (!is_device<Exec> || !host_reachable<V>);
}();

template <class V>
struct element_of {
  using type = typename V::value_type;
};
template <class T, int Rank>
struct element_of<source<T, Rank>> {
  using type = const T;
};
template <class T, int Rank>
struct element_of<sink<T, Rank>> {
  using type = T;
};
template <class V>
inline constexpr int rank_in_chunks = [] {
  if constexpr (is_source<V> || is_sink<V>) return V::rank;
  else return static_cast<int>(V::rank());
}();

template <class T, int Rank, class Layout, class Exec>
using part_view = Kokkos::View<typename quern::impl::with_pointers<T, Rank>::type, Layout, typename Exec::memory_space,
                               Kokkos::MemoryTraits<Kokkos::Unmanaged>>;

/// An array as a View. LayoutLeft is for arrays that have it.
template <class Exec, int Rank, class Layout = Kokkos::LayoutStride, class T>
auto as_part(const strided<T>& s) {
  Layout layout;
  for (int d = 0; d < Rank; ++d) {
    layout.dimension[d] = static_cast<std::size_t>(s.extents.extent[d]);
    if constexpr (std::is_same_v<Layout, Kokkos::LayoutStride>)
      layout.stride[d] = static_cast<std::size_t>(s.stride[d]);
  }
  return part_view<T, Rank, Layout, Exec>(s.data, layout);
}

/// An operand on its way into a plan. `Access` is array_reader or array_writer.
template <class Exec, class V, class Access>
class operand_in_chunks {
 public:
  static constexpr bool writes = std::is_same_v<Access, array_writer>;
  static constexpr int rank = rank_in_chunks<V>;
  static constexpr bool is_resident = resident<Exec, V>;
  using element = std::conditional_t<writes, typename element_of<V>::type, const typename element_of<V>::type>;
  static_assert(!writes || !std::is_const_v<typename element_of<V>::type>, "quern::stream: out must not be const");

  explicit operand_in_chunks(const V& v) {
    if constexpr (is_source<V>) array_ = access::reader_of(v);
    else if constexpr (is_sink<V>) array_ = access::writer_of(v);
    else {
      static_assert(is_resident || (is_device<Exec> && host_reachable<V>),
                    "quern::stream: a View is reached neither by the execution space nor by the host");
      memory_ = describe(static_cast<element*>(v.data()), v);
      constexpr bool pinned = reachable<Exec, V>;
      if constexpr (!is_resident && writes) array_ = std::make_shared<view_writer>(memory_, pinned);
      else if constexpr (!is_resident) array_ = std::make_shared<view_reader>(memory_, pinned);
    }
  }

  const shape& extents() const { return array_ ? array_->extents : memory_.extents; }
  const std::shared_ptr<Access>& array() const { return array_; }
  /// The memory of a View.
  const strided<element>& memory() const { return memory_; }

  /// Adds what is not resident to a plan.
  void join(std::vector<lane<Access>>& lanes, bool with_halo) {
    if (!array_) return;
    number_ = static_cast<int>(lanes.size());
    lanes.push_back({array_, static_cast<std::int64_t>(sizeof(element)), with_halo});
  }

  /// The part of the array in a chunk.
  strided<element> part(const plan& p, const chunk& c, bool with_halo) const {
    if (!array_) {
      strided<element> s = memory_;
      s.data += (c.first - (with_halo ? c.low : 0)) * s.stride[p.axis];
      s.extents.extent[p.axis] = c.extent(with_halo);
      return s;
    }
    const packed_box box = box_of_chunk(*array_, p.axis, c, with_halo);
    return {static_cast<element*>((writes ? c.out : c.in)[number_]), box.extents, box.packed};
  }

 private:
  std::shared_ptr<Access> array_;
  strided<element> memory_;
  int number_ = -1;
};
template <class Exec, class V>
using input_in_chunks = operand_in_chunks<Exec, V, array_reader>;
template <class Exec, class V>
using output_in_chunks = operand_in_chunks<Exec, V, array_writer>;

/// Rejects an output that shares memory with an input; where chunks do not overlap, it may be the same View.
template <class Out, class In>
void check_memory(const std::string& label, const Out& out, const In& in, bool same_allowed) {
  if (out.memory().data != nullptr && in.memory().data != nullptr)
    check_overlap(label, out.memory(), in.memory(), "an input", same_allowed);
}

/// The axis of the first array that is not resident.
template <class... Operand>
int axis_of(const Operand&... operand) {
  int axis = -1;
  const auto look = [&](const auto& o) {
    if (axis < 0 && o.array()) axis = slowest_axis(*o.array());
  };
  (look(operand), ...);
  return std::max(axis, 0);
}

template <class... Options>
options settings_of(const Options&... o) {
  const options* given = find_option<options>(o...);
  return given == nullptr ? options() : *given;
}

/// The options that are not those of streams.
template <class... Options>
auto other_options(const Options&... o) {
  [[maybe_unused]] const auto kept = [](const auto& option) {
    if constexpr (std::is_same_v<std::remove_cvref_t<decltype(option)>, options>) return std::tuple<>();
    else return std::tuple(option);
  };
  return std::tuple_cat(kept(o)...);
}

}  // namespace quern::stream::impl

#endif
