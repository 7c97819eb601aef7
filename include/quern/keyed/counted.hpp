// SPDX-FileCopyrightText: the Quern authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef QUERN_KEYED_COUNTED_HPP
#define QUERN_KEYED_COUNTED_HPP

/// @file
/// Operations whose number of results depends on the data.

#include <quern/core/call/call.hpp>
#include <quern/core/launch/arguments.hpp>
#include <quern/core/launch/operations.hpp>
#include <quern/core/memory/workspace.hpp>
#include <quern/map/map.hpp>

namespace quern {

/// Where an operation writes how many results it has, as its last argument: the rank-0 View of `std::int64_t`. The call
/// is then asynchronous; without it, it waits and returns the number. It is an error if it lies in an input.
template <view_like V>
struct size_to {
  using option_of = impl::any_place;
  V number;
};
template <class V>
size_to(V) -> size_to<V>;

namespace impl {
template <class T>
concept any_size_to = requires(const T& o) {
  { size_to{o.number} } -> std::same_as<std::remove_cvref_t<T>>;
};
}  // namespace impl

/// The option `size_to`, of any type of number; others are rejected by name.
template <class T>
concept size_option = impl::any_size_to<T> || option<T>;

}  // namespace quern

namespace quern::impl {

/// The option size_to of a call that has it, as a tuple.
template <class... Options>
auto size_among(const Options&... options) {
  static_assert(!repeated_option<Options...>::value);
  [[maybe_unused]] const auto size = [](const auto& o) {
    if constexpr (any_size_to<decltype(o)>) return std::tuple(o);
    else return std::tuple<>();
  };
  return std::tuple_cat(size(options)...);
}

template <class Exec, class T>
void fill_scratch(const std::string& label, const Exec& exec, T* data, std::int64_t n, const T& value) {
  map_checked(label, exec, scratch_view<Exec, T*>(data, n), op::identity(), value);
}

/// No output of this kind is wanted.
struct no_output {};
template <class V>
inline constexpr bool is_wanted = !std::is_same_v<V, no_output>;
/// An output as a tuple, which is empty where none is wanted.
template <class V>
auto wanted_output(const V& view) {
  if constexpr (is_wanted<V>) return std::tie(view);
  else return std::tuple<>();
}

/// An output for positions, which are below `size`, in an array of these extents, if it is wanted.
template <class Exec, class V, class T>
auto position_output(const call<Exec>& c, std::string_view name, const V& view, const shape& extents, std::int64_t size,
                     const strided<const T>& x) {
  if constexpr (is_wanted<V>) {
    const auto positions = c.output(view);
    check_extents(c.label, name, positions.extents, extents);
    check_positions<value_of<V>>(c.label, name, size);
    check_overlap(c.label, positions, x, "x", false);
    return positions;
  } else {
    return view;
  }
}

template <class T>
const strided<T>& require_rank_1(const std::string& label, std::string_view name, const strided<T>& a) {
  if (a.extents.rank != 1) reject_extents(label, name, a.extents, "rank 1");
  return a;
}

/// An output of rank 1 for as many results as there is room for.
template <class T>
struct result_row {
  pointer_to<T> data{};
  std::int64_t stride = 1, room = 0;
  template <class V>
  KOKKOS_FUNCTION void set(std::int64_t k, const V& v) const {
    if (k < room) data[k * stride] = convert<stored<T>>(v);
  }
};
/// `in` are the inputs, which it must not share memory with. One that is not wanted has no room.
template <class Exec, class V, class... In>
auto make_result(const std::string& label, std::string_view name, const V& view, const In&... in) {
  if constexpr (is_wanted<V>) {
    const auto out = require_rank_1(label, name, make_output<Exec>(view, label));
    (check_overlap(label, out, in, "an input", false), ...);
    return result_row<memory_type<V>>{out.data, out.stride[0], out.extents.extent[0]};
  } else {
    return result_row<std::int64_t>();
  }
}

/// Where the number of results is written.
template <class Exec, class V>
std::int64_t* count_output(const std::string& label, const V& view) {
  static_assert(std::is_same_v<value_of<V>, std::int64_t>, "quern: count must be a View of std::int64_t");
  const auto count = make_output<Exec>(view, label);
  if (count.extents.rank != 0) reject_extents(label, "count", count.extents, "rank 0");
  return count.data;
}

/// The outputs of such an operation, the number of results among them, share no memory.
template <class Exec, class... Out>
void check_results(const std::string& label, const Out&... out) {
  constexpr const char* names[] = {"output 1", "output 2", "output 3", "output 4", "output 5"};
  [&]<std::size_t... I>(std::index_sequence<I...>) {
    check_apart(label, {names[I]...}, as_strided<Exec, use::output>(out, label)...);
  }(std::index_sequence_for<Out...>());
}

/// Rejects an input in which the number of results is written.
inline void check_number_apart(const std::string& label, const std::int64_t* number, const array_bytes& in,
                               const char* name) {
  check_apart(label, {name, "count"}, in, strided<const std::int64_t>{number, {}, {}});
}
template <class Part, class... Leaf>
void check_number_apart(const std::string& label, const std::int64_t* number, const expanded<Part, Leaf...>& in,
                        const char* name) {
  const auto check = [&]<class L>(const L& leaf) {
    if constexpr (is_mapped_leaf<L>)
      for (const source_bytes& m : leaf.memory) check_number_apart(label, number, m.bytes, name);
    else check_number_apart(label, number, array_bytes(leaf.array), name);
  };
  unpack([&](const auto&... leaf) { (check(leaf), ...); }, in.leaves);
}

/// Calls `run(number)` with where the number of results is written: to the View of the caller's, or else to memory for
/// which the call waits, to return what is in it. `out` are the outputs, of which the first one has room for it along
/// an axis.
template <class Exec, class... Out, class Run, class... Size>
auto run_counted_along(call<Exec>& c, int along, const std::tuple<const Out&...>& out, const Run& run,
                       const Size&... size) {
  static_assert(sizeof...(Size) <= 1, "quern: an option is given twice");
  if constexpr (sizeof...(Out) + sizeof...(Size) > 1)
    unpack([&](const auto&... o) { check_results<Exec>(c.label, o..., size.number...); }, out);
  if constexpr (sizeof...(Size) > 0) {
    (run(count_output<Exec>(c.label, size.number)), ...);
  } else {
    auto* number = c.template result<std::int64_t>();
    run(number);
    c.exec.fence(kernel_label(c.label, ": wait for the number of results"));
    if constexpr (sizeof...(Out) > 0) {
      const std::int64_t room = view_extents(std::get<0>(out)).extent[along];
      if (*number > room)
        throw CapacityError(c.label,
                            "there are " + std::to_string(*number) + " results and room for " + std::to_string(room),
                            *number, room);
    }
    return std::int64_t{*number};
  }
}
template <class Exec, class... Out, class Run, class... Size>
auto run_counted(call<Exec>& c, const std::tuple<const Out&...>& out, const Run& run, const Size&... size) {
  return run_counted_along(c, 0, out, run, size...);
}

}  // namespace quern::impl

#endif
