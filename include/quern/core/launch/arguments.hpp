// SPDX-FileCopyrightText: the Quern authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef QUERN_CORE_LAUNCH_ARGUMENTS_HPP
#define QUERN_CORE_LAUNCH_ARGUMENTS_HPP

#include <exception>
#include <functional>
#include <quern/core/launch/pack.hpp>
#include <quern/core/views/lazy.hpp>
#include <quern/core/views/overlap.hpp>
#include <quern/core/views/rows.hpp>
#include <string_view>
#include <tuple>
#include <utility>
#include <vector>

namespace quern {

/// Several outputs of an operation: `outputs(u, v)`.
template <class... Out>
std::tuple<Out...> outputs(const Out&... out) {
  static_assert(sizeof...(Out) > 1, "quern::outputs: at least two");
  return {out...};
}

namespace impl {
/// Several results of a functor, of types of their own.
template <class... T>
struct several_values {
  operand_tuple<T...> of;
};
}  // namespace impl

/// Several results of a functor, one for each output: `return quern::values(a, b);`. A `Kokkos::Array` serves those of
/// one type.
template <class... T>
KOKKOS_FUNCTION impl::several_values<T...> values(const T&... v) {
  return {{{v}...}};
}

/// Several inputs that belong together, as the components of a field: `components(u, v)`.
template <class... In>
  requires((array_like<In> || impl::placed<In>) && ...)
std::tuple<In...> components(const In&... in) {
  return {in...};
}

namespace impl {
template <class T>
inline constexpr bool is_outputs = false;
template <class... Out>
inline constexpr bool is_outputs<std::tuple<Out...>> = true;

/// How many results a functor has that returns an R: 0 where it is one value for one output.
template <class R>
inline constexpr std::size_t value_count = 0;
template <class R>
  requires requires { R::size(); }
inline constexpr std::size_t value_count<R> = R::size();
template <class... T>
inline constexpr std::size_t value_count<several_values<T...>> = sizeof...(T);
/// Result number J of several.
template <std::size_t J, class R>
KOKKOS_FORCEINLINE_FUNCTION decltype(auto) value_part(const R& r) {
  return r[J];
}
template <std::size_t J, class... T>
KOKKOS_FORCEINLINE_FUNCTION const auto& value_part(const several_values<T...>& r) {
  return get<J>(r.of);
}
template <std::size_t J, class R>
using value_part_type = std::remove_cvref_t<decltype(value_part<J>(std::declval<const R&>()))>;

/// Whether some of several outputs are reductions, `reduced<op::sum>(total)`.
template <class Out>
inline constexpr bool is_reduced = false;
template <class Out>
inline constexpr bool has_reduced = is_reduced<Out>;
template <class... Out>
inline constexpr bool has_reduced<std::tuple<Out...>> = (is_reduced<Out> || ...);
template <class Out>
inline constexpr bool all_reduced = false;
template <class... Out>
inline constexpr bool all_reduced<std::tuple<Out...>> = (is_reduced<Out> && ...);

/// Whether hosts call `f.apply(to, from, k)` for `F::together` elements from k on, rather than f for each.
template <class F>
inline constexpr bool takes_several = false;
}  // namespace impl

/// One output, or several: `outputs(u, v)`.
template <class T>
concept output_like = stored_array<T> || impl::placed<T> || impl::is_outputs<T>;
/// One input, or several that belong together: `components(u, v)`.
template <class T>
concept input_like = view_like<T> || impl::is_outputs<T>;

}  // namespace quern

namespace quern::impl {

template <class Out>
auto as_outputs(const Out& out) {
  if constexpr (is_outputs<Out>) return out;
  else return std::tuple<Out>(out);
}

/// An input of an operation on the host: an array, or a scalar that is repeated.
template <class T>
struct array_input {
  using value_type = stored<T>;
  using operand = array_operand<const T>;
  strided<const T> array;
  operand at_step(std::int64_t step) const { return {array.data, step}; }
};

/// An output as an input of kernels that get pointers to its elements.
template <class T>
struct target_input {
  using value_type = pointer_to<T>;
  using operand = target_operand<T>;
  strided<T> array;
  operand at_step(std::int64_t step) const { return {{array.data, step}}; }
};

template <class T>
struct scalar_input {
  using value_type = T;
  using operand = scalar_operand<T>;
  T value;
  strided<const T> array{};  // rank 0 broadcasts to all extents
  operand at_step(std::int64_t) const { return {{}, value}; }
};

/// Positions along some axes, with the extents of an array.
struct position_input {
  using value_type = std::int64_t;
  using operand = position_operand;
  strided<const std::int64_t> array;
  operand at_step(std::int64_t step) const { return {{}, step}; }
};

template <class Exec, class V>
auto make_input(const V& v, const std::string& operation) {
  if constexpr (stored_array<V>) {
    static_assert(
        view_traits<V>::template accessible<Exec>,
        "quern: an input is not accessible from the execution space; quern::in_chunks(view), of operations that "
        "take it, brings what the host has");
    const auto s = as_strided<Exec, use::input>(v, operation);
    return array_input<memory_type<V>>{{s.data, s.extents, s.stride}};
  } else {
    static_assert(!placed<V>,
                  "quern: this operation takes arrays in memory, not what comes in chunks or lies over ranks");
    static_assert(placed<V> || scalar_value<V>, "quern: an input is neither a View nor a scalar");
    return scalar_input<std::remove_cvref_t<V>>{v};
  }
}

/// The DualViews that a call writes, and marks as modified when it ends; none of them where it throws. A call within
/// another one of the same thread leaves that to the other.
class written_views {
 public:
  written_views();
  ~written_views();
  written_views(const written_views&) = delete;
  written_views& operator=(const written_views&) = delete;

  /// Adds the side of `v` that `Exec` works on to those of the call that is under way.
  template <class Exec, class V>
  static void add(const V& v) {
    mark_later([shared = v]() mutable {  // a copy shares the flags
      shared.clear_sync_state();
      if constexpr (on_device_side<Exec, V>) shared.modify_device();
      else shared.modify_host();
    });
  }

 private:
  static written_views*& current();
  static void mark_later(std::function<void()> mark);
  int exceptions_;
  std::vector<std::function<void()>> marks_;
};

/// The memory of an output, for a call that is under way.
template <class Exec, class V>
strided<memory_type<V>> make_output(const V& v, const std::string& operation) {
  static_assert(stored_array<V>, "quern: out is not a View");
  static_assert(!view_traits<V>::is_const, "quern: out must not be const");
  static_assert(
      view_traits<V>::template accessible<Exec>,
      "quern: out is not accessible from the execution space; quern::in_chunks(view), of operations that take it, "
      "brings results to the host");
  const auto out = as_strided<Exec, use::output>(v, operation);
  check_output(operation, out);
  if constexpr (dual_view<decltype(view_of(v))>) written_views::add<Exec>(view_of(v));
  return out;
}

/// Rejects outputs, wherever they are, that share memory with an array of which every part of them reads all. What
/// comes behind a function has no memory.
template <class Exec, class Out>
void check_apart_from_whole(const std::string& label, const Out& out, const array_bytes& in, const char* name) {
  if constexpr (is_outputs<Out>) {
    unpack([&](const auto&... o) { (check_apart_from_whole<Exec>(label, o, in, name), ...); }, out);
  } else if constexpr (requires { out.local_with_halo(); }) {
    check_apart_from_whole<Exec>(label, out.local_with_halo(), in, name);
  } else if constexpr (stored_array<Out>) {
    const array_bytes to = as_strided<Exec, use::output>(out, label);
    if (overlap(to, in)) check_overlap(label, to, in, name, false);  // else no text is made
  } else if constexpr (requires { out.view; }) {
    check_apart_from_whole<Exec>(label, out.view, in, name);
  }
}

[[noreturn]] void reject_output(const std::string& label, std::size_t number, const shape& found, const shape& first);

/// Outputs have the extents of the first and share no memory.
template <class... Out, std::size_t... O>
void check_outputs(const std::string& label, const std::tuple<Out...>& out, std::index_sequence<O...>) {
  const auto check = [&](const auto& o, std::size_t number) {
    if (o.extents != std::get<0>(out).extents) reject_output(label, number, o.extents, std::get<0>(out).extents);
    const auto apart = [&](const auto& other, std::size_t i) {
      if (i < number) check_overlap(label, o, other, "another output", false);
    };
    (apart(std::get<O>(out), O), ...);
  };
  (check(std::get<O>(out), O), ...);
}
template <class... Out>
void check_outputs(const std::string& label, const std::tuple<Out...>& out) {
  check_outputs(label, out, std::index_sequence_for<Out...>());
}

/// The name of input number `i` in messages, or one that is given.
std::string input_name(std::size_t i);
inline std::string input_name(std::string_view name) { return std::string(name); }

/// The strides of an input that broadcasts to `to`, or an Error.
template <class Input, class Name>
stride_array broadcast_input(const std::string& operation, const Input& in, const shape& to, const Name& name) {
  stride_array stride;
  if (!broadcast_strides(in.array.extents, in.array.stride, to, stride))
    reject_broadcast(operation, input_name(name), in.array.extents, to);
  return stride;
}

}  // namespace quern::impl

#endif
