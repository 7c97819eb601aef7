// SPDX-FileCopyrightText: the Quern authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef QUERN_CORE_LAUNCH_NOINLINE_HPP
#define QUERN_CORE_LAUNCH_NOINLINE_HPP

/// A function that remains one where it is called: for rare branches that would cost every thread registers, and for
/// long ones that are called in many places.
#if defined(__CUDACC__) || defined(__HIPCC__)
#define QUERN_IMPL_NOINLINE __noinline__
#else
#define QUERN_IMPL_NOINLINE __attribute__((noinline))
#endif

#endif
