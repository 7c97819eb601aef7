// SPDX-FileCopyrightText: the Quern authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef QUERN_REDUCERS_REDUCERS_HPP
#define QUERN_REDUCERS_REDUCERS_HPP

/// @file
/// A reducer turns values into one result. It has
///   state            what a thread carries
///   init()           the state of no values
///   add(s, v)        one more value
///   add_block<N>(s, v)  N more values, N a power of two or 3; blocks may differ in N
///   join(s, t)       the state of both
///   result(s, n)     the result of n values
/// All are callable from kernels. One that names a type `uses_positions` gets add(s, v, at) and add_block<N>(s, v, at)
/// instead, with at the position of the value, and at(i) that of v[i], which grows with i. It may have
///   start<N>(v)         in place of init(), for threads of a device that share a result whose first values v are
///   at_once<T>          how many values T a thread of a device adds at once
///   add_bytes<T>(s, w)  integers T of a byte, in words
///   take<N>(s, v)       add_block<N> without a part that keeps loops from becoming vector instructions, which
///   settle<N>(s, v)     does later, where is_unsettled(s)
///   state_of<N>(v)      the state of few values, which are all
/// One that names a type `idempotent` may get a value twice.

#include <quern/reducers/components.hpp>
#include <quern/reducers/extrema.hpp>
#include <quern/reducers/moments.hpp>
#include <quern/reducers/operations.hpp>
#include <quern/reducers/sums.hpp>

#endif
