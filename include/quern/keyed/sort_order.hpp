// SPDX-FileCopyrightText: the Quern authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef QUERN_KEYED_SORT_ORDER_HPP
#define QUERN_KEYED_SORT_ORDER_HPP

#include <quern/core/views/concepts.hpp>

namespace quern {

/// The direction of a sort. NaN comes last in both.
enum class sort_order { ascending, descending };
template <>
inline constexpr bool impl::marked_option<sort_order> = true;

}  // namespace quern

#endif
