// SPDX-FileCopyrightText: the Quern authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef QUERN_STENCIL_FILTER_ENGINE_HPP
#define QUERN_STENCIL_FILTER_ENGINE_HPP

#include <quern/stencil/footprint.hpp>
#include <quern/stencil/separable_passes.hpp>

namespace quern::impl {

// A filter is described by what an engine runs where its arrays are: `label`; `reach()`, how far from a cell all of its
// passes together look; `run(call)` with a `filter_call`, which launches them; `text()`, its parameters, which all
// ranks must agree on; and, where boundaries are not taken as they are given, `edges_for<T>(edge)`, those of arrays of
// T.

/// Filters of arrays in memory.
template <>
struct engine<in_memory, window_filters> {
  template <class Filter, class Exec, class Out, class In, class... Options>
  static void run(const Filter& filter, const Exec& exec, const Out& out, const boundaries& edge, const In& in,
                  const Options&...) {
    check_place_options<Options...>();
    with_filter(filter.label, exec, out, edge, in, [&](const auto& call) {
      call.check_edges(filter.reach());
      if (call.in.extents.size() > 0) filter.run(call);
    });
  }
};

/// The ranks of the arrays of a filter, where they fit.
template <class Out, class In>
constexpr int rank_of_filter() {
  constexpr int rank = rank_of<Out>;
  static_assert(rank >= 1 && rank <= 3, "quern: filters take arrays of rank 1, 2 or 3, known when compiling");
  static_assert(rank_of<In> == rank, "quern: in must have the rank of out");
  return rank >= 1 && rank <= 3 && rank_of<In> == rank ? rank : 0;
}

/// What `describe()` returns. Over ranks, what one of them rejects is compared before it throws.
template <class Place, class Out, class In, class Describe>
auto described_filter(const std::string& label, const Out& out, const In& in, const Describe& describe) {
  if constexpr (requires { Place::compare_rejected(label, out, in, label); }) {
    try {
      return describe();
    } catch (const Error& e) {
      Place::compare_rejected(label, out, in, e.what());
      throw;
    }
  } else {
    return describe();
  }
}

/// Runs the filter that `make(rank)` describes, by the engine of the place where its arrays are.
template <class Exec, class Out, class In, class Make, class... Options>
void filter_by_engine(const std::string& label, const Exec& exec, const Out& out, const boundaries& edge, const In& in,
                      const Make& make, const Options&... options) {
  constexpr int rank = rank_of_filter<Out, In>();
  if constexpr (rank > 0) {
    using place = engine_of<window_filters, Out, In>;
    const auto describe = [&] {
      auto filter = make(std::integral_constant<int, rank>());
      if constexpr (requires { filter.template edges_for<value_of<In>>(edge); }) {
        const boundaries edges = filter.template edges_for<value_of<In>>(edge);
        return std::pair(std::move(filter), edges);
      } else {
        return std::pair(std::move(filter), edge);
      }
    };
    const auto filter = described_filter<place>(label, out, in, describe);
    std::apply([&](const auto&... of_place) { place::run(filter.first, exec, out, filter.second, in, of_place...); },
               select_options<true>(options...));
  }
}

}  // namespace quern::impl

#endif
