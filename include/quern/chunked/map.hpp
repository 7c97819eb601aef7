// SPDX-FileCopyrightText: the Quern authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef QUERN_CHUNKED_MAP_HPP
#define QUERN_CHUNKED_MAP_HPP

#include <quern/chunked/operands.hpp>
#include <quern/core/call/label.hpp>
#include <quern/map/map.hpp>

namespace quern::impl {

/// Elementwise operations on arrays that come in chunks, cut along the slowest axis of the first operand that is not in
/// the memory of `exec`. While one chunk is computed, the next is read and the one before is written. Waits.
template <>
struct engine<in_chunks_place, maps> {
  template <class Exec, class Out, class F, class... In, class... Options>
  static void run(const operation_name& label, const Exec& exec, const Out& out, const F& f,
                  const std::tuple<const In&...>& inputs, const Options&... options) {
    unpack(
        [&](const auto&... in) {
          if constexpr (resident<Exec, Out> && (resident<Exec, In> && ...))
            map_checked(label, exec, as_resident(out), f, as_resident(in)...);
          else chunk_by_chunk(label, exec, f, settings_of(options...), as_outputs(out), in...);
        },
        inputs);
    exec.fence(kernel_label(label));
  }

 private:
  /// Rejects outputs that share memory.
  template <class First, class... Others>
  static void check_apart(const std::string& label, const First& first, const Others&... others) {
    (check_memory(label, first, others, false, "another output"), ...);
    if constexpr (sizeof...(Others) > 0) check_apart(label, others...);
  }

  template <class Exec, class F, class... Out, class... In>
  static void chunk_by_chunk(const operation_name& label, const Exec& exec, const F& f, const chunking& settings,
                             const std::tuple<Out...>& outputs, const In&... in) {
    constexpr int rank = std::max({rank_of<Out>...});
    auto to = unpack([](const auto&... o) { return std::tuple(output_in_chunks<Exec, Out>(o)...); }, outputs);
    chunk_inputs<Exec, rank, In...> from(in...);
    chunk_plan p = unpack(
        [&](const auto&... o) { return from.plan(label, "out", std::get<0>(to).extents(), settings, o...); }, to);
    unpack([&](const auto&... o) { check_apart(p.label, o...); }, to);
    std::apply(
        [&](auto&... o) {
          (check_extents(p.label, "another output", o.extents(), p.extents), ...);
          (o.join(p.outputs, false), ...);
        },
        to);
    from.for_each([&](auto& array, const std::string& name) {
      unpack([&](const auto&... o) { (check_memory(p.label, o, array, true), ...); }, to);
      array.join_call(exec, p, name);
    });
    run_chunks<Exec>(exec, p, [&](const Exec& e, const array_chunk& c) {
      const auto targets =
          unpack([&](const auto&... o) { return std::tuple(as_part<Exec, rank>(o.part(p.axis, c, false))...); }, to);
      from.with_parts(p, c, [&](const auto&... part) {
        map_checked(p.label, e, targets, count_in_whole<In...>(f, part_origin<rank>(p.first_of_chunk(c, false))),
                    part...);
      });
    });
  }
};

}  // namespace quern::impl

#endif
