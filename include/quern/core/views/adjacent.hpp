// SPDX-FileCopyrightText: the Quern authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef QUERN_CORE_VIEWS_ADJACENT_HPP
#define QUERN_CORE_VIEWS_ADJACENT_HPP

#include <quern/core/views/source.hpp>

namespace quern::impl {

/// f of the element at an offset and the next one of a source, which computes them as they are read.
template <class F, class Source>
struct of_adjacent {
  F f;
  Source x;
  std::int64_t step;
  template <class... More>
  KOKKOS_FUNCTION auto operator()(std::int64_t offset, const More&... more) const {
    return f(x[offset], x[offset + step], more...);
  }
};

/// Calls `run(g, in...)` with the inputs of a map, of which g makes f of each element of x and the next one along axis
/// d. `pairs` are their extents.
template <class F, class X, class Run>
void with_adjacent(const F& f, const X& x, const shape& pairs, int d, const Run& run) {
  using source = std::remove_const_t<decltype(x.data)>;
  if constexpr (std::is_pointer_v<source>) {
    using input = array_input<source_value_t<source>>;
    run(f, input{{x.data, pairs, x.stride}}, input{{x.data + x.stride[d], pairs, x.stride}});
  } else {
    run(of_adjacent<F, source>{f, x.data, x.stride[d]}, position_input{{nullptr, pairs, x.stride}});
  }
}

}  // namespace quern::impl

#endif
