// SPDX-FileCopyrightText: the Quern authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef QUERN_TESTS_SUPPORT_BOUNDARIES_HPP
#define QUERN_TESTS_SUPPORT_BOUNDARIES_HPP

#include <quern/stencil/boundary.hpp>

namespace test {

/// The boundary of a name in scipy_reference.hpp.
inline quern::boundary mode_named(const std::string& name) {
  return name == "constant"  ? quern::boundary::constant(-3)
         : name == "nearest" ? quern::boundary::nearest
         : name == "reflect" ? quern::boundary::reflect
         : name == "mirror"  ? quern::boundary::mirror
                             : quern::boundary::wrap;
}

}  // namespace test

#endif
