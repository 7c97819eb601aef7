// SPDX-FileCopyrightText: the Quern authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef QUERN_TESTS_SUPPORT_COMPARABLE_HPP
#define QUERN_TESTS_SUPPORT_COMPARABLE_HPP

#include <cmath>
#include <vector>

namespace test {

/// NaN as a number that compares, and that no test has.
inline std::vector<float> comparable(std::vector<float> values) {
  for (float& v : values)
    if (std::isnan(v)) v = 12345;
  return values;
}

}  // namespace test

#endif
