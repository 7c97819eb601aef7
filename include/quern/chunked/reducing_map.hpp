// SPDX-FileCopyrightText: the Quern authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef QUERN_CHUNKED_REDUCING_MAP_HPP
#define QUERN_CHUNKED_REDUCING_MAP_HPP

#include <quern/chunked/map.hpp>
#include <quern/chunked/reduce.hpp>
#include <quern/reduce/several_reductions.hpp>

namespace quern::impl {

/// What `run()` returns, when all is done.
template <class Exec, class Run>
auto waited(const Exec& exec, const Run& run) {
  if constexpr (std::is_void_v<decltype(run())>) {
    run();
    exec.fence(kernel_label("quern: chunks"));
  } else {
    return run();  // which has waited
  }
}

/// Reductions along other axes than that of the chunks: each chunk has results of its own, which `launch(results)`
/// writes, along an axis of theirs.
template <class Result, class Exec, class Launch, class... To>
void deliver_of_chunk(call<Exec>& c, const axis_set& along, const chunk_plan& p, const array_chunk& chunk,
                      const Launch& launch, const std::tuple<To...>& to) {
  if constexpr (((rank_of<To> != 0) && ...)) {
    shape before = p.extents, extents = p.extents;
    before.rank = p.axis;
    extents.extent[p.axis] = chunk.count;
    const int axis = along.part(before, false).rank;
    const auto part = [&]<class V>(const V& view) {
      static_assert(rank_of<V> > 0, "quern::reduced: the rank of out must be known when compiling");
      auto s = c.output(view);
      s.data += chunk.first * s.stride[axis];
      s.extents.extent[axis] = chunk.count;
      return as_part<Exec, rank_of<V>>(s);
    };
    deliver_reductions<Result>(c, along.part(extents, false), launch,
                               unpack([&](const auto&... view) { return std::tuple(part(view)...); }, to));
  }
}

/// What all chunks have made of reductions, unless each has delivered results of its own. Waits.
template <class Result, class Exec, class Launch, class... To>
auto deliver_of_all_chunks(call<Exec>& c, const shape& extents, bool are_delivered, const Launch& launch,
                           const std::tuple<To...>& to) {
  return waited(c.exec, [&] {
    const auto deliver = [&] { return deliver_reductions<Result>(c, extents, launch, to); };
    if constexpr (!std::is_void_v<decltype(deliver())>) return deliver();
    else if (!are_delivered) deliver();
  });
}

/// Maps of arrays that come in chunks with reductions among their outputs. Waits.
template <>
struct engine<in_chunks_place, reducing_maps> {
  template <class Exec, class... Out, class F, class... In, class... Options>
  static auto run(const operation_name& label, const Exec& exec, const std::tuple<Out...>& outs, const F& f,
                  const std::tuple<const In&...>& inputs, const Options&... options) {
    if constexpr (resident<Exec, std::tuple<Out...>> && (resident<Exec, In> && ...)) {
      const auto in = unpack([](const auto&... v) { return std::tuple(as_resident(v)...); }, inputs);
      const auto run = [&](const auto&... v) {
        return engine<in_memory, reducing_maps>::run(label, exec, as_resident(outs), f, std::tie(v...));
      };
      return waited(exec, [&] { return unpack(run, in); });
    } else {
      constexpr int rank = rank_of_arrays<std::tuple<Out...>>();
      const auto reductions = reductions_of<rank, In...>(exec, outs, f);
      if constexpr (are_described<decltype(reductions)>)
        return unpack(
            [&](const auto&... in) {
              return chunk_by_chunk(label, exec, f, settings_of(options...), outs, reductions, in...);
            },
            inputs);
    }
  }

 private:
  template <class Exec, class F, class... Out, class Reductions, class... In>
  static auto chunk_by_chunk(const operation_name& label, const Exec& exec, const F& f, const chunking& settings,
                             const std::tuple<Out...>& outs, const Reductions& reductions, const In&... in) {
    using reducer_type = decltype(reductions.reducer());
    using state = typename reducer_type::state;
    constexpr int rank = rank_of_arrays<std::tuple<Out...>>();
    const reducer_type reducer = reductions.reducer();
    const auto arrays = select(outs, typename Reductions::arrays());
    const auto to = reduced_outputs(outs);
    static_assert(!is_at<in_chunks_place, decltype(to)>, "quern::reduced: in chunks, out is a View, or on_host");
    const axis_set along = axes_of_reductions(label, outs, rank);
    std::optional<states_of_chunks<state, Exec>> states;
    shape whole;
    bool is_separate = false;
    constexpr bool masked = selects_by_mask<F>;
    const auto begin = [&](const chunk_plan& p) {
      whole = p.extents;
      is_separate = !along.has(p.axis) && whole.size() > 0;  // without elements no chunk comes
      reductions.check_elements(call<Exec>(label, exec), along, whole);
      check_reduced<masked>(label, to, along.part(whole, false), arrays, in...);
      states.emplace(exec, along.part(whole, false));
    };
    const auto compute = [&](const Exec& e, const chunk_plan& p, const array_chunk& c, const auto& targets,
                             const auto& g, const auto&... part) {
      call<Exec> one(p.label, e);
      const auto map = make_reducing_map<rank>(one, reductions, along, targets, g, part...);
      if (is_separate)
        return deliver_of_chunk<result_of<reducer_type>>(
            one, along, p, c, [&](const auto& results) { map.launch(reducer, results, whole); }, to);
      states->add(e, label, c.slot, reducer, position_of_chunk(p, c, along),
                  [&](const auto& of_chunk) { map.launch(reducer_of_states<reducer_type>{reducer}, of_chunk, whole); });
    };
    map_in_chunks(label, exec, f, settings, arrays, begin, compute, in...);
    call<Exec> c(label, exec);
    const auto write = [&](const auto& results) {
      write_results(exec, label, reducer, states->of_slots(), along.part(whole, true).size(), results);
    };
    return deliver_of_all_chunks<result_of<reducer_type>>(c, along.part(whole, false), is_separate, write, to);
  }
};

}  // namespace quern::impl

#endif
