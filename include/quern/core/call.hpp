// SPDX-FileCopyrightText: the Quern authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef QUERN_CORE_CALL_HPP
#define QUERN_CORE_CALL_HPP

/// @file
/// The treatment of arguments that all operations share, before they launch anything.
///
/// An operation has one function with all of its arguments, `op(exec, out, in..., options)`, which opens an
/// `impl::call`. That gives it the memory of outputs and inputs, and scratch memory. The overload without
/// an execution space passes `impl::space_of(out)` on and does nothing else.

#include <concepts>
#include <optional>
#include <quern/core/operands.hpp>
#include <quern/core/options.hpp>
#include <quern/core/places.hpp>
#include <quern/core/source.hpp>
#include <quern/core/workspace.hpp>
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

/// The options that are those of a place, as `chunking`, or the others, as a tuple.
template <bool OfPlace, class... Options>
auto select_options(const Options&... options) {
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
  const std::string label;  // in messages and, as a prefix, of kernels
  const Exec& exec;

  call(std::string operation, const Exec& where) : label(std::move(operation)), exec(where) {}

  template <class V>
  auto output(const V& view) const {
    return make_output<Exec>(view, label);
  }
  /// The memory of an input that is no lazy array.
  template <class V>
  auto input(const V& view) const {
    static_assert(!is_lazy<V>,
                  "quern: this operation reads memory; write a lazy array to a View with quern::map first");
    return make_input<Exec>(view, label).array;
  }
  /// An input that may be lazy, taken apart.
  template <class V>
  auto elements(const V& v) const {
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
                   const std::string& name, bool same_allowed) {
  unpack([&](const auto&... leaf) { (check_overlap(label, out, leaf.array, name, same_allowed), ...); }, in.leaves);
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

/// One of the options that an operation takes, in any order: `option<axes, reproducible_t>... Options`.
template <class T, class... Allowed>
concept option = (impl::is_option<Allowed, T> || ...);

/// The same of an operation on operands of several places, where those of the place, as `chunking`, are options, too.
template <class T, class... Allowed>
concept call_option = option<T, Allowed...> || impl::place_option<T>;

}  // namespace quern

#endif
