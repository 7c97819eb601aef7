// SPDX-FileCopyrightText: the Quern authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef QUERN_STREAM_MAP_HPP
#define QUERN_STREAM_MAP_HPP

#include <quern/core/whole_positions.hpp>
#include <quern/map/map.hpp>
#include <quern/stream/operands.hpp>

namespace quern::stream {
namespace impl {

/// A scalar or the positions, which are the same in every chunk.
template <class V>
struct constant_operand {
  V value;
  std::shared_ptr<array_reader> array() const { return nullptr; }
};

/// An input of map: cut along the axis of the iteration, or repeated along it and then whole in every chunk.
template <class Exec, class V>
class map_operand : public input_in_chunks<Exec, V> {
  using base = input_in_chunks<Exec, V>;

 public:
  using base::base;
  void join_map(const Exec& exec, plan& p) {
    axis_ = p.axis - (p.extents.rank - base::rank);
    cut_ = axis_ >= 0 && this->extents().extent[axis_] != 1;
    stride_array ignored;
    if (!broadcast_strides(this->extents(), {}, p.extents, ignored))
      reject_broadcast(p.label, "an input", this->extents(), p.extents);
    if (cut_) {
      if (!base::is_resident && base::rank != p.extents.rank)
        throw Error(p.label, "an input of fewer axes than out must be in memory that is repeated along axis " +
                                 std::to_string(p.axis));
      this->join(p.inputs, false);
    } else if (this->array()) {
      bring(exec);
    }
  }
  auto view(const plan& p, const chunk& c) const {
    if (!cut_) return as_part<Exec, base::rank>(this->array() ? brought_ : this->memory());
    plan own = {};
    own.axis = axis_;
    return as_part<Exec, base::rank>(this->part(this->array() ? p : own, c, false));
  }

 private:
  /// Copies an array that every chunk needs to memory of `exec`.
  void bring(const Exec& exec) {
    using value = std::remove_const_t<typename base::element>;
    array_reader& from = *this->array();
    const packed_box all = make_box(from.extents, {}, from.fortran_order);
    const auto bytes = from.extents.size() * static_cast<std::int64_t>(sizeof(value));
    memory_ = take_block<typename Exec::memory_space>(instance_ref(exec), bytes);
    const auto host = take_block<result_space<Exec>>(instance_ref(exec), bytes);
    from.read(all, host.data());
    copy_bytes<Exec, typename Exec::memory_space, result_space<Exec>>(exec, memory_.data(), host.data(), bytes);
    exec.fence("quern::stream::map");
    brought_ = {reinterpret_cast<const value*>(memory_.data()), all.extents, all.packed};
  }
  bool cut_ = true;
  int axis_ = 0;
  pool_block<typename Exec::memory_space> memory_;
  strided<typename base::element> brought_;
};

template <class Exec, class V>
auto as_map_operand(const V& v) {
  if constexpr (source_like<V>) return map_operand<Exec, V>(v);
  else return constant_operand<V>{v};
}

template <class Exec, class Out, class F, class... In>
void map_stream(const Exec& exec, const Out& out, const F& f, const options& settings, const In&... in) {
  constexpr bool all_resident = resident<Exec, Out> && (resident<Exec, In> && ...);
  if constexpr (all_resident) {
    map_checked("quern::stream::map", exec, out, f, in...);
    exec.fence("quern::stream::map");
  } else {
    output_in_chunks<Exec, Out> to(out);
    auto from = std::tuple(as_map_operand<Exec>(in)...);
    plan p{"quern::stream::map", to.extents()};
    p.settings = settings;
    p.axis = unpack([&](const auto&... o) { return axis_of(to, o...); }, from);
    to.join(p.outputs, false);
    const auto join = [&](auto& o) {
      if constexpr (requires { o.value; }) {
      } else {
        check_memory(p.label, to, o, true);
        o.join_map(exec, p);
      }
    };
    std::apply([&](auto&... o) { (join(o), ...); }, from);
    constexpr int rank = rank_in_chunks<Out>;
    if (p.extents.rank == 0) throw Error(p.label, "out of rank 0 is one element; use quern::map");
    run<Exec>(exec, p, [&](const Exec& e, const chunk& c) {
      const auto part = [&](const auto& o) {
        if constexpr (requires { o.value; }) return o.value;
        else return o.view(p, c);
      };
      unpack(
          [&](const auto&... o) {
            const auto target = as_part<Exec, rank>(to.part(p, c, false));
            shape first = p.extents;
            first.extent.fill(0);
            first.extent[p.axis] = c.first;
            map_checked(p.label, e, target, count_in_whole<rank, In...>(f, first), part(o)...);
          },
          from);
    });
  }
}

template <class T>
concept map_input = source_like<T> || scalar_value<T> || is_positions<T>;

}  // namespace impl

/// `quern::map` of arrays that need not fit into the memory of the execution space: `out(i...) = f(in(i...)...)`, chunk
/// by chunk, with the bits of the call in memory. The line that runs an operation of host arrays on a device:
///
/// @code
/// quern::stream::map(exec, z, KOKKOS_LAMBDA(float a, float b) { return a + b; }, x, y);  // Views of the host
/// @endcode
///
/// @param out      a View or a sink, of rank 1 or more
/// @param f        a functor or `KOKKOS_LAMBDA` that takes one value of each input
/// @param settings optional: memory and progress
/// @param in       Views, sources, scalars and `positions()`, which are counted in the whole array. They broadcast as
/// for
///                 `quern::map`; what is repeated along the axis of the chunks is copied to the execution space once
///
/// Chunks are cut along the slowest axis of the first operand that is not in the memory of `exec`. While one is
/// computed, the next is read and the one before is written. Waits for `exec` and returns when all is written.
/// @throws Error if extents do not fit or the memory is too little for a row; StreamError if a chunk cannot be read or
/// written
template <execution_space Exec, sink_like Out, class F, impl::map_input... In>
void map(const Exec& exec, const Out& out, const F& f, const options& settings, const In&... in) {
  impl::map_stream(exec, out, f, settings, in...);
}
template <execution_space Exec, sink_like Out, class F, impl::map_input... In>
void map(const Exec& exec, const Out& out, const F& f, const In&... in) {
  impl::map_stream(exec, out, f, options(), in...);
}
/// On a default instance of Kokkos's default execution space.
template <sink_like Out, class F, class... In>
void map(const Out& out, const F& f, const In&... in) {
  map(Kokkos::DefaultExecutionSpace(), out, f, in...);
}

}  // namespace quern::stream

#endif
