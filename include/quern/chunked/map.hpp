// SPDX-FileCopyrightText: the Quern authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef QUERN_CHUNKED_MAP_HPP
#define QUERN_CHUNKED_MAP_HPP

#include <quern/chunked/operands.hpp>
#include <quern/core/call/label.hpp>
#include <quern/map/map.hpp>
#include <quern/transfer/copy.hpp>

namespace quern::impl {

/// Rejects outputs that share memory.
template <class First, class... Others>
void check_outputs_apart(const std::string& label, const First& first, const Others&... others) {
  (check_memory(label, first, others, false, "another output"), ...);
  if constexpr (sizeof...(Others) > 0) check_outputs_apart(label, others...);
}

/// Cuts a map along the slowest axis of the first operand that is not in the memory of `exec`, and calls `compute(exec,
/// plan, chunk, targets, f, in...)` for each chunk. While one is computed, the next is read and the one before is
/// written. `begin(plan)` is called first.
template <class Exec, class F, class... Out, class Begin, class Compute, class... In>
void map_in_chunks(const operation_name& label, const Exec& exec, const F& f, const chunking& settings,
                   const std::tuple<Out...>& outputs, const Begin& begin, const Compute& compute, const In&... in) {
  constexpr int rank = std::max({rank_of<Out>...});
  auto to = unpack([&](const auto&... o) { return std::tuple(output_in_chunks<Exec, Out>(o, label)...); }, outputs);
  chunk_inputs<Exec, rank, In...> from(in...);
  chunk_plan p =
      unpack([&](const auto&... o) { return from.plan(label, "out", std::get<0>(to).extents(), settings, o...); }, to);
  unpack([&](const auto&... o) { check_outputs_apart(p.label, o...); }, to);
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
  begin(p);
  run_chunks<Exec>(exec, p, [&](const Exec& e, const array_chunk& c) {
    const auto targets =
        unpack([&](const auto&... o) { return std::tuple(o.view_of_part(o.part(p.axis, c, false))...); }, to);
    from.with_parts(p, c, [&](const auto&... part) {
      compute(e, p, c, targets, count_in_whole<In...>(f, part_origin<rank>(p.first_of_chunk(c, false))), part...);
    });
  });
}

/// Elementwise operations on arrays that come in chunks. Waits.
template <>
struct engine<in_chunks_place, maps> {
  template <class Exec, class Out, class F, class... In, class... Options>
  static void run(const operation_name& label, const Exec& exec, const Out& out, const F& f,
                  const std::tuple<const In&...>& inputs, const Options&... options) {
    // With checks for each chunk: what a launch reads is described for each chunk anyway, since the last one has other
    // extents, and comparing extents and memory meanwhile takes nanoseconds beside a transfer. Types are checked once,
    // by the compiler.
    const auto compute = [&](const Exec& e, const chunk_plan& p, const array_chunk&, const auto& targets, const auto& g,
                             const auto&... part) { map_checked(p.label, e, targets, g, part...); };
    unpack(
        [&](const auto&... in) {
          if constexpr (resident<Exec, Out> && (resident<Exec, In> && ...))
            map_checked(label, exec, as_resident(out), f, as_resident(in)...);
          else
            map_in_chunks(
                label, exec, f, settings_of(options...), as_outputs(out), [](const chunk_plan&) {}, compute, in...);
        },
        inputs);
    exec.fence(kernel_label(label));
  }
};

/// Copies of what comes in chunks.
template <>
struct engine<in_chunks_place, copies> {
  template <class Exec, class Out, class In, class... Options>
  static void run(const Exec& exec, const Out& out, const In& in, const Options&... options) {
    engine<in_chunks_place, maps>::run("quern::copy", exec, out, op::identity(), std::tie(in), options...);
  }
};

}  // namespace quern::impl

#endif
