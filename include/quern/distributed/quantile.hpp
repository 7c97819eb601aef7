// SPDX-FileCopyrightText: the Quern authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef QUERN_DISTRIBUTED_QUANTILE_HPP
#define QUERN_DISTRIBUTED_QUANTILE_HPP

#include <quern/distributed/histogram.hpp>
#include <quern/keyed/counted_quantile.hpp>

namespace quern::impl {

template <>
struct engine<over_ranks_place, selections> : counted_quantiles, compared_calls {};

}  // namespace quern::impl

#endif
