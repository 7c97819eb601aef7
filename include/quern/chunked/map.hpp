// SPDX-FileCopyrightText: the Quern authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef QUERN_CHUNKED_MAP_HPP
#define QUERN_CHUNKED_MAP_HPP

#include <quern/chunked/operands.hpp>
#include <quern/map/map.hpp>

namespace quern::impl {

/// Elementwise operations on arrays that come in chunks, cut along the slowest axis of the first operand that is not in
/// the memory of `exec`. While one chunk is computed, the next is read and the one before is written. Waits.
template <>
struct engine<in_chunks_place, maps> {
  template <class Exec, class Out, class F, class... In, class... Options>
  static void run(const char* label, const Exec& exec, const Out& out, const F& f,
                  const std::tuple<const In&...>& inputs, const Options&... options) {
    namespace chunked = quern::chunked::impl;
    unpack(
        [&](const auto&... in) {
          unpack(
              [&](const auto&... o) {
                if constexpr ((chunked::resident<Exec, std::remove_cvref_t<decltype(o)>> && ...) &&
                              (chunked::resident<Exec, In> && ...))
                  map_checked(label, exec, several(chunked::in_place(o)...), f, chunked::in_place(in)...);
                else chunk_by_chunk(label, exec, f, chunked::settings_of(options...), std::tie(o...), in...);
              },
              as_outputs(out));
        },
        inputs);
    exec.fence(label);
  }

 private:
  template <class... Out>
  static auto several(const Out&... out) {
    if constexpr (sizeof...(Out) == 1) return std::get<0>(std::tuple(out...));
    else return std::tuple(out...);
  }

  /// Rejects outputs that share memory.
  template <class... Out>
  static void check_apart(const std::string& label, const std::tuple<Out...>& outs) {
    [[maybe_unused]] const auto check = [&](const auto& a, const auto& b) {
      if (&a.extents() < &b.extents() && a.memory().data != nullptr && b.memory().data != nullptr)
        check_overlap(label, a.memory(), b.memory(), "another output", false);
    };
    [[maybe_unused]] const auto with_all = [&](const auto& a) {
      std::apply([&](const auto&... b) { (check(a, b), ...); }, outs);
    };
    if constexpr (sizeof...(Out) > 1) std::apply([&](const auto&... a) { (with_all(a), ...); }, outs);
  }

  template <class Exec, class F, class... Out, class... In>
  static void chunk_by_chunk(const char* label, const Exec& exec, const F& f, const chunking& settings,
                             const std::tuple<const Out&...>& outputs, const In&... in) {
    namespace chunked = quern::chunked::impl;
    constexpr int rank = std::max({rank_of<Out>...});
    auto to = unpack([](const auto&... o) { return std::tuple(chunked::output_in_chunks<Exec, Out>(o)...); }, outputs);
    auto from = std::tuple(chunked::as_chunk_operand<Exec>(in)...);
    chunked::plan p{label, std::get<0>(to).extents()};
    if (p.extents.rank == 0) throw Error(p.label, "out of rank 0 is one element, in memory");
    p.settings = settings;
    p.axis = std::apply([&](const auto&... o) { return chunked::axis_of_call(rank, from, o...); }, to);
    const auto join_output = [&](auto& o) {
      check_extents(p.label, "another output", o.extents(), p.extents);
      o.join(p.outputs, false);
    };
    check_apart(p.label, to);
    std::size_t number = 0;
    const auto join = [&](auto& i) {
      std::apply([&](const auto&... o) { (chunked::check_memory(p.label, o, i, true), ...); }, to);
      i.join_call(exec, p, input_name(number));
    };
    std::apply([&](auto&... o) { (join_output(o), ...); }, to);
    std::apply([&](auto&... operand) { ((chunked::for_each_input(join, operand), ++number), ...); }, from);
    chunked::run<Exec>(exec, p, [&](const Exec& e, const chunked::chunk& c) {
      const auto targets = std::apply(
          [&](const auto&... o) { return several(chunked::as_part<Exec, rank>(o.part(p, c, false))...); }, to);
      shape first = p.extents;
      first.extent.fill(0);
      first.extent[p.axis] = c.first;
      unpack(
          [&](const auto&... operand) {
            map_checked(p.label, e, targets, count_in_whole<rank, In...>(f, first),
                        chunked::operand_in<Exec, rank>(operand, p, c)...);
          },
          from);
    });
  }
};

}  // namespace quern::impl

#endif
