// SPDX-FileCopyrightText: the Quern authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef QUERN_FFT_FORMS_HPP
#define QUERN_FFT_FORMS_HPP

#include <quern/core/call/call.hpp>

/// The forms that follow from `name(exec, out, in, options...)`: on a default instance of the execution space of out or
/// in, and with a name. `Output` and `Input` are the concepts of both arrays; behind them stands that of the options.
#define QUERN_TRANSFORM_FORMS(name, Output, Input, ...)                \
  template <Output Out, Input In, __VA_ARGS__... Options>              \
  void name(const Out& out, const In& in, const Options&... options) { \
    name(impl::space_of(out, in), out, in, options...);                \
  }                                                                    \
  QUERN_TAKES_NAME(name)

#endif
