// SPDX-FileCopyrightText: the Quern authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef QUERN_CORE_CALL_TOLERANCE_HPP
#define QUERN_CORE_CALL_TOLERANCE_HPP

#include <optional>
#include <quern/core/call/call.hpp>

namespace quern {

/// How far off a result may be, `tolerance{.relative = 1e-9}`: so much of a magnitude, and so much beside it. The
/// operation says of which, how it combines both, and what holds where one is not given.
struct tolerance {
  using option_of = impl::any_place;
  std::optional<double> relative{}, absolute{};
};

/// The limit of iterations of what iterates.
struct max_iterations {
  using option_of = impl::any_place;
  int value;
};

namespace impl {

struct tolerances {
  double relative, absolute;
};
/// The tolerances that options ask for, and defaults.
/// @throws Error if one is negative or NaN
template <class... Options>
tolerances tolerances_of(const std::string& label, const tolerances& otherwise, const Options&... options) {
  const tolerance given = option_or(tolerance(), options...);
  const tolerances all{given.relative.value_or(otherwise.relative), given.absolute.value_or(otherwise.absolute)};
  if (!(all.relative >= 0 && all.absolute >= 0)) throw Error(label, "a tolerance is negative or NaN");
  return all;
}

}  // namespace impl
}  // namespace quern

#endif
