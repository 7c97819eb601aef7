// SPDX-FileCopyrightText: the Quern authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef QUERN_CHUNKED_WINDOW_FILTERS_HPP
#define QUERN_CHUNKED_WINDOW_FILTERS_HPP

#include <quern/chunked/stencil.hpp>
#include <quern/stencil/filter_engine.hpp>

namespace quern::impl {

/// Filters of arrays that come in chunks, which overlap by the windows. Waits.
template <>
struct engine<in_chunks_place, window_filters> {
  template <class Filter, class Exec, class Out, class In, class... Options>
  static void run(const Filter& filter, const Exec& exec, const Out& out, const boundaries& edge, const In& in,
                  const Options&... options) {
    using in_one = engine<in_memory, window_filters>;
    if constexpr (all_resident<Exec, Out, In>) {
      in_one::run(filter, exec, as_resident(out), edge, as_resident(in));
    } else {
      const auto compute = [&](const Exec& e, const chunk_plan&, const array_chunk&, const auto& to, op::identity,
                               const boundaries& edge_of_chunk,
                               const auto& part) { in_one::run(filter, e, std::get<0>(to), edge_of_chunk, part); };
      stencil_in_chunks(
          filter.label, filter.reach(), exec, out, op::identity(), edge, settings_of(options...),
          [](const chunk_plan&) {}, compute, in);
    }
    exec.fence(kernel_label(filter.label));
  }
};

}  // namespace quern::impl

#endif
