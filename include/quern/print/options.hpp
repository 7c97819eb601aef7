// SPDX-FileCopyrightText: the Quern authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef QUERN_PRINT_OPTIONS_HPP
#define QUERN_PRINT_OPTIONS_HPP

#include <cstdint>
#include <quern/core/views/concepts.hpp>

namespace quern {

/// Which digits of floating-point numbers are printed; NumPy's `floatmode`.
enum class float_mode {
  unique,        ///< the fewest that read back as the same number, whatever `precision` is
  fixed,         ///< `precision` digits behind the point
  maxprec,       ///< the fewest that read back, but at most `precision` behind the point
  maxprec_equal  ///< the same, each number with as many as the one that has the most
};

/// How arrays are printed, with the names and values of `numpy.set_printoptions`:
/// `print(x, print_options{.precision = 3})`.
struct print_options {
  using option_of = impl::any_place;

  int precision = 8;  ///< digits behind the point
  float_mode floatmode = float_mode::maxprec;
  bool suppress = false;          ///< no exponents for small numbers
  std::int64_t threshold = 1000;  ///< of more elements the edges are printed
  std::int64_t edgeitems = 3;     ///< elements at each edge
  int linewidth = 75;             ///< characters in a line
  bool describe = false;          ///< before the elements a line with label, type, extents, layout and memory space
};

}  // namespace quern

#endif
