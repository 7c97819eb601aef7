// SPDX-FileCopyrightText: the Quern authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef QUERN_CORE_CALL_CALL_HPP
#define QUERN_CORE_CALL_CALL_HPP

/// @file
/// The treatment of arguments that all operations share, before they launch anything.
///
/// An operation has one function with all of its arguments, `op(exec, out, in..., options)`, which opens an
/// `impl::call`. That gives it the memory of outputs and inputs, and scratch memory. The overload without
/// an execution space passes `impl::space_of(out)` on and does nothing else.

#include <concepts>
#include <optional>
#include <quern/core/call/label.hpp>
#include <quern/core/call/options.hpp>
#include <quern/core/call/places.hpp>
#include <quern/core/memory/workspace.hpp>
#include <quern/core/views/check_indices.hpp>
#include <quern/core/views/index_operands.hpp>
#include <quern/core/views/operands.hpp>
#include <quern/core/views/source.hpp>
#include <string>
#include <utility>

namespace quern::impl {

template <class Wanted, class T>
inline constexpr bool is_option =
    std::same_as<std::remove_cvref_t<T>, Wanted> || std::derived_from<std::remove_cvref_t<T>, Wanted>;

/// Whether there is an option of that type.
template <class Wanted, class... Options>
inline constexpr bool has_option = (is_option<Wanted, Options> || ...);

/// The option of that type, or null where there is none.
template <class Wanted, class... Options>
const Wanted* find_option(const Options&... options) {
  static_assert((0 + ... + (is_option<Wanted, Options> ? 1 : 0)) <= 1, "quern: an option is given twice");
  const Wanted* found = nullptr;
  [[maybe_unused]] const auto take = [&](const auto& o) {
    if constexpr (is_option<Wanted, decltype(o)>) found = &o;
  };
  (take(options), ...);
  return found;
}

/// The option of that type, or what holds without one.
template <class Wanted, class... Options>
Wanted option_or(const Wanted& otherwise, const Options&... options) {
  const Wanted* found = find_option<Wanted>(options...);
  return found == nullptr ? otherwise : *found;
}

/// The number of the axis that an operation on arrays of that rank is along.
template <class... Options>
int axis_option(const std::string& label, int by_default, int rank, const Options&... options) {
  return axis_set(label, option_or(axis{by_default}, options...), rank).only();
}

/// False; an error where two options are of one type. What is no option does not count.
template <class... Options>
struct repeated_option : std::false_type {};
template <class First, class... Rest>
struct repeated_option<First, Rest...> : repeated_option<Rest...> {
  static_assert(!option_type<First> || !(std::is_same_v<First, Rest> || ...), "quern: an option is given twice");
};

/// The options that are those of a place, as `chunking`, or the others, as a tuple.
template <bool OfPlace, class... Options>
auto select_options(const Options&... options) {
  static_assert(!repeated_option<Options...>::value);
  [[maybe_unused]] const auto selected = [](const auto& o) {
    if constexpr (place_option<decltype(o)> == OfPlace) return std::tuple(o);
    else return std::tuple<>();
  };
  return std::tuple_cat(selected(options)...);
}

/// A call of an operation on `exec`, from the checks of its arguments to the last launch. DualViews that it writes are
/// marked as modified when it ends, and none of them where it throws, so that a rejected call changes nothing.
template <class Exec>
class call {
 public:
  const std::string& label;  // in messages and, as a prefix, of kernels
  const Exec& exec;

  call(const operation_name& operation, const Exec& where) : label(operation), exec(where) {}
  call(const char* operation, const Exec& where) : call(operation_name(operation), where) {}
  /// Of a label that its caller keeps.
  call(const std::string& operation, const Exec& where) : label(operation), exec(where) {}
  call(std::string&&, const Exec&) = delete;

  template <class V>
  auto output(const V& view) const {
    return make_output<Exec>(view, label);
  }
  /// The memory of an input that is no lazy array, and no rows.
  template <class V>
  auto input(const V& view) const {
    static_assert(!is_lazy<V>,
                  "quern: this operation reads memory; write a lazy array to a View with quern::map first");
    static_assert(
        !is_mapped<V>,
        "quern: this operation reads memory; write what roll, take, remove_at, pad, tile, repeat or reshape make to a "
        "View with quern::copy first");
    static_assert(!is_rows<V>, "quern: this operation reads the values of a View, not its rows as elements");
    return make_input<Exec>(view, label).array;
  }
  /// An input that may be lazy, taken apart.
  template <class V>
  auto elements(const V& v) const {
    check_indices(exec, label, v);
    return expand<Exec, rank_of<V>>(label, v, operand_extents(label, v));
  }

  /// The workspace of the thread's `WorkspaceScope`, or one that this call has until it ends.
  Workspace<Exec>& scratch() { return held().scratch(); }
  /// Memory that kernels can write and the host can read, for one value.
  template <class T>
  T* result() {
    return held().template result<T>();
  }

 private:
  lease<Exec>& held() {
    if (!held_) held_.emplace(exec);
    return *held_;
  }
  written_views marks_;
  std::optional<lease<Exec>> held_;
};

/// Checks an output against every leaf of an input.
template <class T, class Part, class... Leaf>
void check_overlap(const std::string& label, const strided<T>& out, const expanded<Part, Leaf...>& in,
                   std::string_view name, bool same_allowed) {
  unpack([&](const auto&... leaf) { (check_leaf_overlap(label, out, leaf, name, same_allowed), ...); }, in.leaves);
}

}  // namespace quern::impl

namespace quern {

/// In place of an output: the call waits for `exec`, and returns the result.
struct on_host_t {};
inline constexpr on_host_t on_host{};

/// Where a reduction along axes writes its results: a View, `in_chunks(view)`, or a DistributedView.
template <class T>
concept result_view = view_like<T> || impl::placed<T>;
/// Where a reduction writes its result: a `result_view`, or `on_host`.
template <class T>
concept result_like = result_view<T> || std::same_as<std::remove_cvref_t<T>, on_host_t>;
/// The same of reductions whose results may be Arrays: `rows` of a View, too.
template <class T>
concept rows_or_view = result_view<T> || impl::is_rows<std::remove_cvref_t<T>>;
template <class T>
concept rows_or_result = result_like<T> || rows_or_view<T>;

namespace impl {

/// Where an argument that should be one of these options is another one, a call that fits otherwise is rejected by
/// name. The constraint then holds, so that the compiler does not go on to say that no function matches.
template <class T, class... Allowed>
struct foreign_option : std::false_type {};
template <option_type T, class... Allowed>
struct foreign_option<T, Allowed...> : std::true_type {
  static_assert(sizeof(T) == 0, "quern: the operation has no such option");
};

/// The same where an option stands behind an input of a call with a functor.
template <class... Args>
struct misplaced_option : std::false_type {};
template <class First, class... Args>
  requires(!option_type<First> && !std::same_as<First, named> && (option_type<Args> || ...))
struct misplaced_option<First, Args...> : std::false_type {
  static_assert(sizeof(First) == 0, "quern: options of a call with a functor stand before its inputs");
};

/// False; an error where a second option follows the one of a call with a functor.
template <class Option, class... In>
struct second_option : repeated_option<Option, In...> {};
template <option_type Option, option_type Second, class... In>
  requires(!std::is_same_v<Option, Second> && !place_option<Second> && !is_option<mask_t, Second>)
struct second_option<Option, Second, In...> : std::false_type {
  static_assert(sizeof(Second) == 0, "quern: the operation has no such option");
};

/// What would be a scalar if it were trivially copyable: it is rejected by name, since no message of an overload says
/// so.
template <class T>
concept uncopyable_value =
    std::is_class_v<std::remove_cvref_t<T>> && !any_array<T> && !is_positions<T> && !execution_space<T> &&
    !option_type<T> && !is_outputs<std::remove_cvref_t<T>> && !std::is_trivially_copyable_v<std::remove_cvref_t<T>>;
template <class... Args>
struct uncopyable : std::false_type {};
template <class... Args>
  requires(uncopyable_value<Args> || ...)
struct uncopyable<Args...> : std::true_type {
  static_assert(sizeof...(Args) == 0,
                "quern: a value is of a type that is not trivially copyable, as one with a copy constructor, an "
                "assignment or a destructor of its own; kernels copy the bytes of values");
};

/// Whether operands are arrays in memory; an error that says what to do where one is computed as it is read.
template <class... V>
constexpr bool reads_memory() {
  constexpr bool stored = !((is_lazy<V> || is_mapped<V>) || ...);
  static_assert(stored,
                "quern: this operation reads memory; write a lazy array, or what roll, take, remove_at, pad, tile, "
                "repeat or reshape make, to a View with quern::copy first");
  return stored;
}

namespace rejected {
/// False; an error where an argument is an option.
template <class... Args>
struct option : std::false_type {};
template <class... Args>
  requires(option_type<Args> || ...)
struct option<Args...> : std::true_type {
  static_assert(sizeof...(Args) == 0, "quern: the operation has no such option");
};
/// The same where one is not in memory. Of lazy arrays `make_input` says so.
template <class... Args>
struct place : std::false_type {};
template <class... Args>
  requires(placed<Args> || ...)
struct place<Args...> : std::true_type {
  static_assert(sizeof...(Args) == 0,
                "quern: this operation takes arrays in memory, not what comes in chunks or lies over ranks; "
                "docs/operations.md lists those that do");
};
/// The same where one is computed as it is read, or found by a map of indices.
template <class... Args>
struct computed : std::false_type {};
template <class... Args>
  requires((is_lazy<Args> || is_mapped<Args>) || ...)
struct computed<Args...> : std::bool_constant<(reads_memory<Args...>(), true)> {};
template <class... Args>
struct option_or_place : std::bool_constant<option<Args...>::value || place<Args...>::value> {};
}  // namespace rejected

/// The overload of an operation for calls that none of the others takes, because an argument is a `what`: those are
/// rejected by name. It goes with operations of which no overload takes such an argument.
#define QUERN_REJECTS(what, op)                             \
  template <class... Args>                                  \
    requires(::quern::impl::rejected::what<Args...>::value) \
  void op(const Args&...) {}

/// A call with a name for what it launches.
template <class... Args>
concept named_call = (std::same_as<Args, named> || ...);

/// An argument that may be anything else.
template <class T>
concept not_named = !std::same_as<T, named>;

/// Calls an operation with all arguments but the name, which holds until it returns.
template <class Operation, class... Args>
decltype(auto) call_named(const Operation& operation, Args&... args) {
  static_assert((0 + ... + (std::same_as<std::remove_const_t<Args>, named> ? 1 : 0)) == 1,
                "quern: an option is given twice");
  const label_scope scope(find_option<named>(args...)->text);
  [[maybe_unused]] const auto others = []<class T>(T& a) {
    if constexpr (std::same_as<std::remove_const_t<T>, named>) return std::tuple<>();
    else return std::tie(a);
  };
  return std::apply(operation, std::tuple_cat(others(args)...));
}

/// `run(options...)` with the options of a call that may be named.
template <class Run, class... Options>
decltype(auto) with_name(const Run& run, const Options&... options) {
  if constexpr (named_call<Options...>) return call_named(run, options...);
  else return run(options...);
}

/// The overload of an operation for calls that are named, behind its other overloads. Where calls may name a template
/// argument, `parameter` and `argument` are it, as `class Result` and `Result`.
#define QUERN_TAKES_NAME(op)                                                                                          \
  template <class... Args>                                                                                            \
    requires(::quern::impl::named_call<Args...>)                                                                      \
  decltype(auto) op(const Args&... args) {                                                                            \
    return ::quern::impl::call_named([](const auto&... others) -> decltype(auto) { return op(others...); }, args...); \
  }
#define QUERN_TAKES_NAME_WITH(op, parameter, argument)                                                                \
  QUERN_TAKES_NAME(op)                                                                                                \
  template <parameter, class... Args>                                                                                 \
    requires(::quern::impl::named_call<Args...>)                                                                      \
  decltype(auto) op(const Args&... args) {                                                                            \
    return ::quern::impl::call_named([](const auto&... others) -> decltype(auto) { return op<argument>(others...); }, \
                                     args...);                                                                        \
  }

/// The same of an operation that rejects what is a `what` (`QUERN_REJECTS`).
#define QUERN_TAKES_NAME_NOT(what, op) \
  QUERN_REJECTS(what, op)              \
  QUERN_TAKES_NAME(op)

/// Calls `body(std::tie(inputs...), options...)` with the arguments behind a functor.
template <class Body, class... Args>
void with_options_first(const Body& body, const Args&... args) {
  constexpr std::size_t count = (0 + ... + (option_type<Args> ? 1 : 0));
  const auto all = std::tie(args...);
  [&]<std::size_t... Option, std::size_t... Input>(std::index_sequence<Option...>, std::index_sequence<Input...>) {
    static_assert((option_type<std::tuple_element_t<Option, std::tuple<Args...>>> && ...),
                  "quern: options of a call with a functor stand before its inputs");
    body(std::tie(std::get<count + Input>(all)...), std::get<Option>(all)...);
  }(std::make_index_sequence<count>(), std::make_index_sequence<sizeof...(Args) - count>());
}

}  // namespace impl

/// The inputs of a call with a functor, behind its options.
template <class... In>
concept operands = (operand<In> && ...) || impl::misplaced_option<In...>::value || impl::uncopyable<In...>::value;

/// One of the options that an operation takes, in any order: `option<axes, reproducible_t>... Options`.
template <class T, class... Allowed>
concept option =
    (impl::is_option<Allowed, T> || ...) || impl::foreign_option<std::remove_cvref_t<T>, Allowed...>::value;

/// The same of an operation on operands of several places, where those of the place, as `chunking`, are options, too,
/// and `keep_axes` where there are axes.
template <class T, class... Allowed>
concept call_option = impl::place_option<T> || (std::same_as<T, keep_axes_t> && (std::same_as<axes, Allowed> || ...)) ||
                      option<T, Allowed...>;

}  // namespace quern

#endif
