// SPDX-FileCopyrightText: the Quern authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef QUERN_REDUCE_BYTE_COUNTS_HPP
#define QUERN_REDUCE_BYTE_COUNTS_HPP

#include <cstdint>
#include <quern/core/launch/operations.hpp>
#include <quern/reducers/sums.hpp>

namespace quern::impl {

/// How many of n bytes are not 0, on hosts: by AVX2 where the processor has it, whatever a program is compiled for.
std::int64_t count_nonzero_bytes(const void* bytes, std::int64_t n);

/// Whether a reduction of one operand counts the values that are not 0, and these are bytes.
template <class Reducer, class F, class... In>
inline constexpr bool counts_bytes =
    sizeof...(In) == 1 && std::is_same_v<F, op::not_zero> && std::is_same_v<Reducer, sum_reducer<std::int64_t>> &&
    ((std::is_integral_v<typename In::value_type> && sizeof(typename In::value_type) == 1) && ...);

}  // namespace quern::impl

#endif
