// SPDX-FileCopyrightText: the Quern authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef QUERN_SRC_FFT_INSTANTIATE_HPP
#define QUERN_SRC_FFT_INSTANTIATE_HPP

#include <quern/core/launch/compiled.hpp>
#include <quern/fft/transform.hpp>

// What each glue file instantiates for its execution spaces.
#define QUERN_FFT(E)                                                              \
  template bool available<E>();                                                   \
  template bool takes<E>(const transform&, const void*, const void*);             \
  template bool overwrites<E>(kind, int);                                         \
  template plan_key key_of(const E&, const transform&, const void*, const void*); \
  template std::shared_ptr<void> plan(const E&, const plan_key&);                 \
  template void execute(const E&, const std::shared_ptr<void>&, const transform&, void*, void*);

#endif
