// SPDX-FileCopyrightText: the Quern authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef QUERN_CHUNKED_ROLLING_HPP
#define QUERN_CHUNKED_ROLLING_HPP

#include <quern/chunked/stencil.hpp>
#include <quern/stencil/filter_engine.hpp>

namespace quern::impl {

/// Rolling windows of arrays that come in chunks, which overlap by the windows. Waits.
template <>
struct engine<in_chunks_place, rollings> {
  template <class Rolling, class Exec, class Out, class In, class... Options>
  static void run(const Rolling& rolling, const Exec& exec, const Out& out, const In& in, const Options&... options) {
    if constexpr (all_resident<Exec, Out, In>) {
      rolling.run(exec, as_resident(out), as_resident(in));
    } else if constexpr (rank_of_filter<Out, In>() > 0) {
      const auto compute = [&](const Exec& e, const chunk_plan&, const array_chunk&, const auto& to, op::identity,
                               const boundaries& edge,
                               const auto& part) { rolling.run(e, std::get<0>(to), part, rolling.margins(edge)); };
      // What is beyond the array is in no window: any boundary will do that continues it.
      stencil_in_chunks(
          rolling.label, rolling.reach(), exec, out, op::identity(), boundary::nearest, settings_of(options...),
          [&](const chunk_plan& p) { rolling.check_cut(p.axis); }, compute, in);
    }
    exec.fence(kernel_label(rolling.label));
  }
};

}  // namespace quern::impl

#endif
