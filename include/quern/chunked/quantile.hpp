// SPDX-FileCopyrightText: the Quern authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef QUERN_CHUNKED_QUANTILE_HPP
#define QUERN_CHUNKED_QUANTILE_HPP

#include <quern/chunked/histogram.hpp>
#include <quern/keyed/counted_quantile.hpp>

namespace quern::impl {

template <>
struct engine<in_chunks_place, selections> : counted_quantiles {};

}  // namespace quern::impl

#endif
