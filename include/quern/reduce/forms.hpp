// SPDX-FileCopyrightText: the Quern authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef QUERN_REDUCE_FORMS_HPP
#define QUERN_REDUCE_FORMS_HPP

#include <quern/core/call/mask.hpp>
#include <quern/reducers/quantile_rule.hpp>

namespace quern::impl {

/// An option of some reduction; each lists its own.
template <class T>
concept reduction_option = call_option<T, axes, ddof, reproducible_t, interpolation, mask_t>;

}  // namespace quern::impl

/// The operation `name` as a type, of which `reduced` asks what it does with values of a type.
#define QUERN_REDUCTION_OP(name)                                                              \
  namespace op {                                                                              \
  struct name {                                                                               \
    template <execution_space Exec, class Values, class... Options>                           \
    static auto describe(const Exec& exec, const Values& values, const Options&... options) { \
      return ::quern::name(exec, on_host, values, options...);                                \
    }                                                                                         \
  };                                                                                          \
  }

/// The forms of a reduction of one array that follow from `name(exec, out, in, options...)`: the one that returns the
/// result, and both on a default instance of the execution space of out or in.
#define QUERN_REDUCTION_FORMS(name)                                                \
  template <execution_space Exec, any_array In, impl::reduction_option... Options> \
  auto name(const Exec& exec, const In& in, const Options&... options) {           \
    return name(exec, on_host, in, options...);                                    \
  }                                                                                \
  template <any_array In, impl::reduction_option... Options>                       \
  auto name(const In& in, const Options&... options) {                             \
    return name(impl::space_of(in), on_host, in, options...);                      \
  }                                                                                \
  template <rows_or_view Out, any_array In, impl::reduction_option... Options>     \
  void name(const Out& out, const In& in, const Options&... options) {             \
    name(impl::space_of(out, in), out, in, options...);                            \
  }                                                                                \
  QUERN_TAKES_NAME(name)                                                           \
  QUERN_REDUCTION_OP(name)

/// These forms of a reduction that has a template parameter, for example `class Result = void`.
#define QUERN_REDUCTION_FORMS_WITH(name, kind, argument, otherwise)                                           \
  template <kind argument = otherwise, execution_space Exec, any_array In, impl::reduction_option... Options> \
  auto name(const Exec& exec, const In& in, const Options&... options) {                                      \
    return name<argument>(exec, on_host, in, options...);                                                     \
  }                                                                                                           \
  template <kind argument = otherwise, any_array In, impl::reduction_option... Options>                       \
  auto name(const In& in, const Options&... options) {                                                        \
    return name<argument>(impl::space_of(in), on_host, in, options...);                                       \
  }                                                                                                           \
  template <kind argument = otherwise, rows_or_view Out, any_array In, impl::reduction_option... Options>     \
  void name(const Out& out, const In& in, const Options&... options) {                                        \
    name<argument>(impl::space_of(out, in), out, in, options...);                                             \
  }                                                                                                           \
  QUERN_TAKES_NAME_WITH(name, kind argument, argument)                                                        \
  QUERN_REDUCTION_OP(name)

/// The forms of a reduction of two arrays that has a template parameter `class Result = void`.
#define QUERN_REDUCTION_FORMS_OF_TWO(name)                                                                          \
  template <class Result = void, execution_space Exec, any_array X, any_array Y, impl::reduction_option... Options> \
  auto name(const Exec& exec, const X& x, const Y& y, const Options&... options) {                                  \
    return name<Result>(exec, on_host, x, y, options...);                                                           \
  }                                                                                                                 \
  template <class Result = void, any_array X, any_array Y, impl::reduction_option... Options>                       \
  auto name(const X& x, const Y& y, const Options&... options) {                                                    \
    return name<Result>(impl::space_of(x, y), on_host, x, y, options...);                                           \
  }                                                                                                                 \
  template <class Result = void, rows_or_view Out, any_array X, any_array Y, impl::reduction_option... Options>     \
  void name(const Out& out, const X& x, const Y& y, const Options&... options) {                                    \
    name<Result>(impl::space_of(out, x, y), out, x, y, options...);                                                 \
  }                                                                                                                 \
  QUERN_TAKES_NAME_WITH(name, class Result, Result)

#endif
