// SPDX-FileCopyrightText: the Quern authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef QUERN_CORE_CALL_WEIGHTS_HPP
#define QUERN_CORE_CALL_WEIGHTS_HPP

#include <quern/core/call/call.hpp>

namespace quern {

/// The weight of each value of a histogram, as its last argument, `weights{w}`, with extents that broadcast to those of
/// the values; of a fit, the weight of each row.
template <any_array V>
struct weights {
  using option_of = impl::any_place;
  V of;
};
template <class V>
weights(V) -> weights<V>;

namespace impl {

template <class T>
inline constexpr bool is_weights = false;
template <class V>
inline constexpr bool is_weights<weights<V>> = true;

}  // namespace impl

/// The option `weights`, of any type of array; others are rejected by name.
template <class T>
concept weights_option = impl::is_weights<std::remove_cvref_t<T>> || option<T>;

}  // namespace quern

#endif
