// SPDX-FileCopyrightText: the Quern authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef QUERN_STENCIL_WINDOW_HPP
#define QUERN_STENCIL_WINDOW_HPP

/// @file
/// The windows of `rolling`, of arrays and of columns of tables.

#include <cstdint>
#include <optional>

namespace quern {

/// Windows of a number of elements: `window{5}`, `window{.count = 5, .center = true, .min_periods = 3}`. The names are
/// those of pandas.
struct window {
  std::int64_t count;                         ///< the elements of a window, its own one the last
  bool center = false;                        ///< its own one in the middle, of an even number behind the middle
  std::optional<std::int64_t> min_periods{};  ///< of a result that is not NaN; `count` where none is given
  std::int64_t step = 1;                      ///< a result for each so many elements, from the first one on
};

/// Windows of a part of a sorted axis: `value_window{60.0}` is of the elements less than 60 below the own one.
struct value_window {
  double width;                               ///< above 0, or infinite: all elements up to the own one
  bool center = false;                        ///< half of it on both sides, with what is at its upper end
  std::optional<std::int64_t> min_periods{};  ///< of a result that is not NaN; 1 where none is given
  std::int64_t step = 1;                      ///< a result for each so many elements, from the first one on
};

}  // namespace quern

#endif
