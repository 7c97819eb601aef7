// SPDX-FileCopyrightText: the Quern authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef QUERN_TESTS_SUPPORT_BOUNDARIES_HPP
#define QUERN_TESTS_SUPPORT_BOUNDARIES_HPP

#include <quern/stencil/boundary.hpp>
#include <string>

namespace test {

/// The boundaries that scipy.ndimage has, by their names in tests/stencil/data/scipy.npz.
inline constexpr const char* mode_names[] = {"constant", "nearest", "reflect", "mirror", "wrap"};
/// The boundary of such a name.
inline quern::boundary mode_named(const std::string& name) {
  return name == "constant"  ? quern::boundary::constant(-3)
         : name == "nearest" ? quern::boundary::nearest
         : name == "reflect" ? quern::boundary::reflect
         : name == "mirror"  ? quern::boundary::mirror
                             : quern::boundary::wrap;
}

}  // namespace test

#endif
