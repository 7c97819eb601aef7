// SPDX-FileCopyrightText: the Quern authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <quern/core/views/computed_pads.hpp>

namespace quern::impl {

void check_reflection(pad_mode mode) {
  if (mode != pad_mode::reflect && mode != pad_mode::symmetric)
    throw Error("quern::pad", "a reflect_type, which pad_mode::reflect and pad_mode::symmetric alone have");
}

void check_ramp(const linear_ramp& ramp, int rank, bool integers, double least, double most) {
  const std::string label = "quern::pad";
  if (ramp.count != 1 && ramp.count != static_cast<std::size_t>(rank))
    throw Error(label,
                std::to_string(ramp.count) + " pairs of end values for an array of rank " + std::to_string(rank));
  for (int d = 0; integers && d < rank; ++d)
    for (const double v : {ramp.along(d).before, ramp.along(d).after})
      if (!(v >= least && v <= most))
        throw Error(label, "an end value of " + std::to_string(v) + ", which x's type does not hold");
}

}  // namespace quern::impl
