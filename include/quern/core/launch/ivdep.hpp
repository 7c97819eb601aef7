// SPDX-FileCopyrightText: the Quern authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef QUERN_CORE_LAUNCH_IVDEP_HPP
#define QUERN_CORE_LAUNCH_IVDEP_HPP

/// QUERN_IMPL_IVDEP before a loop tells g++ that no iteration depends on another through memory. Other compilers do not
/// know the pragma and warn of it; clang's own would also warn wherever it then makes no vector instructions.
#if defined(__GNUC__) && !defined(__clang__)
#define QUERN_IMPL_IVDEP _Pragma("GCC ivdep")
#else
#define QUERN_IMPL_IVDEP
#endif

#endif
