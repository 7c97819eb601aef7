// SPDX-FileCopyrightText: the Quern authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef QUERN_BATCH_ITEMS_HPP
#define QUERN_BATCH_ITEMS_HPP

/// @file
/// What solvers of many small systems share: each system is solved by one thread, and has a status.

#include <quern/batch/vmap.hpp>
#include <quern/core/call/label.hpp>
#include <quern/core/memory/pool.hpp>
#include <quern/core/views/lazy.hpp>
#include <quern/reduce/reduce.hpp>

namespace quern::batch::impl {

using namespace quern::impl;

/// What a user's function gets of an item: its number, or its View.
template <class Item>
KOKKOS_FUNCTION decltype(auto) argument_of_item(const Item& item) {
  if constexpr (Item::rank() == 0) return item();
  else return (item);
}

/// f(x, rest...), or a message in place of what a compiler says of each kernel.
template <class F, class X, class... Rest>
KOKKOS_FUNCTION auto call_function(const F& f, const X& x, const Rest&... rest) {
  constexpr bool callable = std::is_invocable_v<const F&, const X&, const Rest&...>;
  static_assert(
      callable,
      "quern::newton, odeint: f must be callable with a Kokkos::Array of N numbers of any type, for odeint the "
      "time, and a number or a View of each parameter");
  if constexpr (callable) return f(x, rest...);
  else return x;
}

template <class T, int N, class Item>
KOKKOS_FUNCTION Kokkos::Array<T, N> load_item(const Item& item) {
  Kokkos::Array<T, N> x;
  for (int i = 0; i < N; ++i) x[i] = item(i);
  return x;
}
template <class Item, class T, std::size_t N>
KOKKOS_FUNCTION void store_item(const Item& item, const Kokkos::Array<T, N>& x) {
  for (std::size_t i = 0; i < N; ++i) item(i) = x[i];
}
template <class T, std::size_t N>
KOKKOS_FUNCTION bool all_finite(const Kokkos::Array<T, N>& x) {
  bool finite = true;
  for (std::size_t i = 0; i < N; ++i) finite = finite && Kokkos::isfinite(x[i]);
  return finite;
}

/// The last extent of an output, which must be the number of unknowns.
template <int N, class V>
void check_unknowns(const std::string& label, const V& v) {
  const shape e = view_extents(v);
  if (e.rank == 0 || e.extent[e.rank - 1] != N)
    throw Error(label, "out has extents " + e.str() + ", expected " + std::to_string(N) + " along the last axis");
}

struct is_failure {
  KOKKOS_FUNCTION bool operator()(int status) const { return status != 0; }
};

/// Calls f with the solution, the status and the inputs of each item. Without statuses by the caller, waits, and throws
/// for the first item that has failed.
template <class Exec, class Out, class F, class... In>
void solve_items(const std::string& label, const Exec& exec, const Out& out, std::string (*problem_of)(int status),
                 const F& f, const In&... in) {
  if constexpr (is_outputs<Out>) {
    static_assert(std::tuple_size_v<Out> == 2, "quern: outputs are the solution and an int for each item");
    vmap_call(label, exec, out, f, in...);
  } else {
    const std::int64_t items = view_extents(out).rank > 0 ? view_extents(out).extent[0] : 0;
    const auto status = pool_view<Kokkos::View<int*, typename Exec::memory_space>>(exec, items);
    vmap_call(label, exec, outputs(out, status), f, in...);
    if (items == 0 || !quern::any(exec, status)) return;
    const std::int64_t first = quern::argmax(exec, quern::lazy(is_failure(), status));
    int why = 0;
    Kokkos::deep_copy(exec, Kokkos::View<int, Kokkos::HostSpace, Kokkos::MemoryTraits<Kokkos::Unmanaged>>(&why),
                      Kokkos::subview(status, first));
    exec.fence(quern::impl::kernel_label(label));
    throw ConvergenceError(label, "item " + std::to_string(first) + ": " + problem_of(why), first, 0);
  }
}

}  // namespace quern::batch::impl

#endif
