// SPDX-FileCopyrightText: the Quern authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef QUERN_KEYED_COUNTED_HPP
#define QUERN_KEYED_COUNTED_HPP

/// @file
/// Operations whose number of results depends on the data.

#include <quern/core/arguments.hpp>
#include <quern/core/operations.hpp>
#include <quern/core/workspace.hpp>
#include <quern/map/map.hpp>

namespace quern::impl {

/// Views of scratch memory.
template <class Exec, class T>
using scratch_view = Kokkos::View<T, typename Exec::memory_space, Kokkos::MemoryTraits<Kokkos::Unmanaged>>;
template <class Exec, class T>
using pinned_view = Kokkos::View<T, result_space<Exec>, Kokkos::MemoryTraits<Kokkos::Unmanaged>>;

template <class Exec, class T>
void fill_scratch(const std::string& label, const Exec& exec, T* data, std::int64_t n, const T& value) {
  map_checked(label, exec, scratch_view<Exec, T*>(data, n), op::identity(), value);
}

/// No output of this kind is wanted.
struct no_output {};

template <class T>
const strided<T>& require_rank_1(const std::string& label, const std::string& name, const strided<T>& a) {
  if (a.extents.rank != 1) throw Error(label, name + " has extents " + a.extents.str() + ", expected rank 1");
  return a;
}

/// An output of rank 1 for as many results as there is room for.
template <class T>
struct result_row {
  T* data = nullptr;
  std::int64_t stride = 1, room = 0;
  template <class V>
  KOKKOS_FUNCTION void set(std::int64_t k, const V& v) const {
    if (k < room) data[k * stride] = convert<T>(v);
  }
};
/// `in` are the inputs, arrays that it must not share memory with.
template <class Exec, class V, class... In>
result_row<value_of<V>> make_result(const std::string& label, const std::string& name, const V& view, const In&... in) {
  const auto out = require_rank_1(label, name, make_output<Exec>(view, label));
  (check_overlap(label, out, in, "an input", false), ...);
  return {out.data, out.stride[0], out.extents.extent[0]};
}

/// The room of an output that may not be wanted: then there is none.
template <class Exec, class V, class... In>
auto make_optional_result(const std::string& label, const std::string& name, const V& view, const In&... in) {
  if constexpr (std::is_same_v<V, no_output>) return result_row<std::int64_t>();
  else return make_result<Exec>(label, name, view, in...);
}

/// Where the number of results is written.
template <class Exec, class V>
std::int64_t* count_output(const std::string& label, const V& view) {
  static_assert(std::is_same_v<value_of<V>, std::int64_t>, "quern: count must be a View of std::int64_t");
  const auto count = make_output<Exec>(view, label);
  if (count.extents.rank != 0) throw Error(label, "count has extents " + count.extents.str() + ", expected rank 0");
  return count.data;
}

/// Arguments of an operation with so many outputs and inputs: [exec,] outputs..., [count,] inputs...
template <int Outputs, int Inputs, class First, class... Rest>
inline constexpr bool are_counted_arguments = [] {
  if constexpr (execution_space<First>) return are_counted_arguments<Outputs, Inputs, Rest...>;
  else return view_like<First> && (sizeof...(Rest) + 1 == Outputs + Inputs || sizeof...(Rest) == Outputs + Inputs);
}();

/// The outputs of such an operation, the number of results among them, share no memory.
template <class Exec, class... Out>
void check_results(const std::string& label, const Out&... out) {
  constexpr const char* names[] = {"output 1", "output 2", "output 3", "output 4", "output 5"};
  [&]<std::size_t... I>(std::index_sequence<I...>) {
    check_apart(label, {names[I]...}, as_strided<Exec, use::output>(out, label)...);
  }(std::index_sequence_for<Out...>());
}

/// Sorts out these arguments and calls `run(exec, count, outputs..., inputs...)`. Without a View for the number of
/// results it waits, and returns it.
template <int Outputs, int Inputs, class Run, class First, class... Rest>
auto counted_call(const std::string& label, const Run& run, const First& first, const Rest&... rest) {
  const deferred_marks marks;
  if constexpr (!execution_space<First>) {
    return counted_call<Outputs, Inputs>(label, run, default_execution_space<First>(), first, rest...);
  } else if constexpr (sizeof...(Rest) == Outputs + Inputs + 1) {
    [&]<std::size_t... O, std::size_t... I>(const auto& arguments, std::index_sequence<O...>,
                                            std::index_sequence<I...>) {
      if constexpr (Outputs > 0) check_results<First>(label, std::get<O>(arguments)..., std::get<Outputs>(arguments));
      run(first, std::get<Outputs>(arguments), std::get<O>(arguments)..., std::get<Outputs + 1 + I>(arguments)...);
    }(std::tie(rest...), std::make_index_sequence<Outputs>(), std::make_index_sequence<Inputs>());
  } else {
    [&]<std::size_t... O>(const auto& arguments, std::index_sequence<O...>) {
      if constexpr (Outputs > 1) check_results<First>(label, std::get<O>(arguments)...);
    }(std::tie(rest...), std::make_index_sequence<Outputs>());
    lease<First> held(first);
    auto* count = held.template result<std::int64_t>();
    run(first, pinned_view<First, std::int64_t>(count), rest...);
    first.fence(label + ": wait for the number of results");
    if constexpr (Outputs > 0) {
      const std::int64_t room = extents_of(std::get<0>(std::tie(rest...))).extent[0];
      if (*count > room)
        throw DataError(label, "there are " + std::to_string(*count) + " results and room for " + std::to_string(room),
                        room, 0);
    }
    return std::int64_t{*count};
  }
}

}  // namespace quern::impl

#endif
