// SPDX-FileCopyrightText: the Quern authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef QUERN_DISTRIBUTED_SAME_CALLS_HPP
#define QUERN_DISTRIBUTED_SAME_CALLS_HPP

/// @file
/// The comparison of a call with those of the other ranks: of all that must agree, before anything else is done.

#include <quern/core/views/axes.hpp>
#include <quern/core/views/operands.hpp>
#include <quern/distributed/rows.hpp>

namespace quern::impl {

/// A value type of so many bytes in the message of calls that differ between ranks.
std::string text_of_type(const char* kind, std::size_t bytes);
/// The same, as NumPy names it.
template <class T>
std::string type_text() {
  const char* const kind = is_complex<T>                 ? "complex"
                           : std::is_same_v<T, bool>     ? "bool"
                           : std::is_floating_point_v<T> ? "float"
                           : std::is_unsigned_v<T>       ? "uint"
                           : std::is_integral_v<T>       ? "int"
                                                         : "values of bits: ";
  return text_of_type(kind, sizeof(T));
}
/// An array in such a message, and axes of an array.
std::string text_of_array(const std::string& type, const shape& extents, const Decomposition* cut);
std::string text_of_axes(const axes* wanted, int rank);
/// Texts one behind the other.
std::string joined_texts(std::initializer_list<std::string> texts);

/// A number in such a message; nothing of other values.
template <class T>
std::string text_of_scalar(const T& x) {
  std::string text;
  if constexpr (is_complex<T>) text = " " + text_of(x.real()) + "+" + text_of(x.imag()) + "i";
  else if constexpr (std::is_integral_v<T>) text = " " + std::to_string(x);
  else if constexpr (converts<T, double>) text = " " + text_of(convert<double>(x));
  return text;
}

/// The arrays and numbers of an operand, or of a tuple of operands.
template <class V>
std::string text_of_operand(const V& v) {
  std::string text;
  if constexpr (array_of_blocks<V>) text = text_of_array(type_text<value_of<V>>(), v.extents(), &v.decomposition());
  else if constexpr (stored_array<V>) text = text_of_array(type_text<value_of<V>>(), view_extents(v), nullptr);
  else if constexpr (is_mapped<V>) text = text_of_array(type_text<value_of<V>>(), v.extents, nullptr);
  else if constexpr (is_lazy<V>) text = text_of_operand(v.in);
  else if constexpr (is_outputs<V>)
    text = unpack([](const auto&... in) { return joined_texts({text_of_operand(in)...}); }, v);
  else if constexpr (scalar_value<V>)
    if (const std::string value = text_of_scalar(v); !value.empty()) text = " " + type_text<V>() + value;
  return text;
}
/// The values of an operand that are compared, each behind a space: those of `compared_values`.
template <class V>
std::string text_of_values(const V&) {
  return "";
}
/// What a reducer is given beside the values.
template <class Reducer>
std::string text_of_reducer(const Reducer& r) {
  std::string text;
  if constexpr (requires { r.of_component; }) return text_of_reducer(r.of_component);
  if constexpr (requires { r.ddof; }) text += r.ddof == 0 ? "" : ", ddof " + std::to_string(r.ddof);
  if constexpr (requires { r.identity; }) text += ", identity" + text_of_scalar(r.identity);
  return text;
}
/// Compares the text of a call with those of the other ranks.
/// @throws Error, the same on every rank, if they differ
void check_same_texts(const Communicator& comm, const std::string& label, const std::string& operands,
                      const std::string& more, const std::string& values);
/// Where calls are checked, compares a call with those of the other ranks: its arrays, and what `more()` tells of it.
template <class More, class... V>
void check_same_arrays(const Communicator& comm, const std::string& label, const More& more, const V&... operands) {
  if (comm.checks_calls())
    check_same_texts(comm, label, joined_texts({text_of_operand(operands)...}), more(),
                     joined_texts({text_of_values(operands)...}));
}

}  // namespace quern::impl

#endif
