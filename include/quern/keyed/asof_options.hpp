// SPDX-FileCopyrightText: the Quern authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef QUERN_KEYED_ASOF_OPTIONS_HPP
#define QUERN_KEYED_ASOF_OPTIONS_HPP

#include <cstdint>
#include <limits>
#include <quern/core/call/options.hpp>

namespace quern {

/// Which right row an as-of join takes for a left key: the last one at or before it, the first one at or behind it, or
/// the nearer of both (of two that are equally near, the one before).
enum class asof_direction : std::uint8_t { backward, forward, nearest };

/// Which rows an as-of join takes: `{.direction = asof_direction::nearest, .tolerance = 0.5}`.
struct asof_options {
  using option_of = impl::any_place;

  asof_direction direction = asof_direction::backward;
  bool allow_exact_matches = true;                             ///< whether equal keys match
  double tolerance = std::numeric_limits<double>::infinity();  ///< the greatest distance of keys that match
};

}  // namespace quern

#endif
