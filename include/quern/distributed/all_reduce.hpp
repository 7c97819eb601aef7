// SPDX-FileCopyrightText: the Quern authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef QUERN_DISTRIBUTED_ALL_REDUCE_HPP
#define QUERN_DISTRIBUTED_ALL_REDUCE_HPP

#include <array>
#include <quern/core/launch/launch_units.hpp>
#include <quern/core/launch/pack.hpp>
#include <quern/core/memory/pool.hpp>
#include <quern/core/values/short_list.hpp>
#include <quern/distributed/box_exchange.hpp>
#include <quern/distributed/same_calls.hpp>
#include <quern/reduce/reduce.hpp>
#include <quern/reduce/reducing_map.hpp>
#include <quern/stencil/halo_fields.hpp>

namespace quern::impl {

/// Whether what an operation makes of results is that of all elements: a mean of means is none.
template <class Op>
inline constexpr bool reduces_results =
    !(std::is_same_v<Op, quern::op::mean> || std::is_same_v<Op, quern::op::var> ||
      std::is_same_v<Op, quern::op::stddev> || std::is_same_v<Op, quern::op::ptp> ||
      std::is_same_v<Op, quern::op::nanmean> || std::is_same_v<Op, quern::op::nanvar> ||
      std::is_same_v<Op, quern::op::nanstd>);

/// Whether an operation makes values T of values T; an error unless it does so with results.
template <class Op, class T, class Exec>
constexpr bool reduces_to_values() {
  using reduction = decltype(Op::describe(std::declval<const Exec&>(), values_of_type<T>()));
  constexpr bool fits = converts<result_of<decltype(reduction::reducer)>, T>;
  static_assert(fits && reduces_results<Op>,
                "quern::distributed::all_reduce: what is reduced is results of ranks, by op::sum, prod, min or max; "
                "the mean, the variance or the range of results is none of all elements");
  return fits;
}
/// The reduction of an operation for values T, of which each rank has one.
template <class Op, class T, class Exec>
auto reduction_of_ranks(const Exec& exec) {
  const auto reduction = Op::describe(exec, values_of_type<T>());
  using reducer = std::remove_cvref_t<decltype(reduction.reducer)>;
  static_assert(
      !uses_positions<reducer> && std::is_same_v<std::remove_cvref_t<decltype(reduction.transform)>, op::identity>,
      "quern::distributed::all_reduce: what is reduced is results of ranks, by op::sum, prod, min or max; the "
      "norm, the count or the position of results is none of all elements");
  return reduction;
}
template <class Op, class T, class Exec>
auto reducer_of_ranks(const Exec& exec) {
  return reduction_of_ranks<Op, T>(exec).reducer;
}
/// The operation in the message of calls that differ between ranks.
template <class Op, class T, class Exec>
std::string text_of_operation(const Exec& exec) {
  return " with " + static_cast<const std::string&>(reduction_of_ranks<Op, T>(exec).label);
}

/// Values of a View, and where they are among those of a rank: `first` bytes from the first.
template <class T, class Reducer>
struct values_of_rank_in {
  T* data;
  std::int64_t n, stride, first;
  Reducer reducer;

  array_bytes memory() const { return strided<T>{data, shape{n}, {stride}}; }
};

/// Copies the values of all Views behind each other, or brings to them what those of all ranks are reduced to.
template <bool Pack, class... Values>
struct all_reduce_values {
  operand_tuple<Values...> views;
  std::byte* packed;
  std::int64_t bytes_of_rank;
  int ranks;

  KOKKOS_FUNCTION void operator()(std::int64_t item) const { run<0>(item); }

 private:
  template <std::size_t I>
  KOKKOS_FUNCTION void run(std::int64_t item) const {
    const auto& v = get<I>(views);
    if constexpr (I + 1 < sizeof...(Values)) {
      if (item >= v.n) return run<I + 1>(item - v.n);
    }
    element(v, item);
  }
  template <class T, class Reducer>
  KOKKOS_FUNCTION void element(const values_of_rank_in<T, Reducer>& v, std::int64_t i) const {
    T* const first = reinterpret_cast<T*>(packed + v.first) + i;
    if constexpr (Pack) {
      *first = v.data[i * v.stride];
    } else {
      auto state = v.reducer.init();
      for (int r = 0; r < ranks; ++r)
        v.reducer.add(state,
                      *reinterpret_cast<const T*>(reinterpret_cast<const std::byte*>(first) + r * bytes_of_rank));
      v.data[i * v.stride] = convert<T>(v.reducer.result(state, ranks));
    }
  }
};

/// The operation of each View of a call.
template <class... Op>
struct operation_list {};
template <class Op, class>
using operation_for_view = Op;

/// The operations in the message of calls that differ between ranks: one, if that is of all Views.
template <class First, class... Op, class T, class... U, class Exec>
std::string text_of_operations(operation_list<First, Op...>, operation_list<T, U...>, const Exec& exec) {
  std::string text = text_of_operation<First, T>(exec);
  if constexpr (!(std::is_same_v<Op, First> && ...)) ((text += text_of_operation<Op, U>(exec)), ...);
  return text;
}

/// Brings the values of all ranks to each, and reduces them there.
template <class Exec, class... Values>
void reduce_packed(const Exec& exec, const Communicator& comm, const std::string& label,
                   const std::tuple<Values...>& found, std::int64_t bytes, std::int64_t items) {
  const auto block = take_block<typename Exec::memory_space>(instance_ref(exec), (comm.size() + 1) * bytes);
  auto* const all = reinterpret_cast<std::byte*>(block.data());
  std::byte* const mine = all + comm.size() * bytes;
  const auto launch = [&]<bool Pack>(std::bool_constant<Pack>, std::byte* packed, const std::string& part) {
    unpack(
        [&](const auto&... of) {
          launch_units(
              exec, part, items,
              all_reduce_values<Pack, std::remove_cvref_t<decltype(of)>...>{{of...}, packed, bytes, comm.size()});
        },
        found);
  };
  launch(std::true_type(), mine, label_text(label, "/pack"));
  all_gather_values(exec, comm, label, mine, all, bytes);
  launch(std::false_type(), all, label);
}

/// The values of a View, and its operation.
template <class Op, class Exec, class V>
auto values_to_reduce(const call<Exec>& c, const V& view, std::int64_t& bytes, std::int64_t& items) {
  using T = value_of<V>;
  c.input(view);  // whose values are read, so that they must be up to date
  const strided<T> s = c.output(view);
  if (s.extents.rank > 1) throw Error(c.label, "a View of extents " + s.extents.str() + ", expected one axis or none");
  constexpr std::int64_t unit = 16;
  const values_of_rank_in<T, decltype(reducer_of_ranks<Op, T>(c.exec))> found{s.data, s.extents.size(), s.stride[0],
                                                                              bytes, reducer_of_ranks<Op, T>(c.exec)};
  bytes += (found.n * static_cast<std::int64_t>(sizeof(T)) + unit - 1) / unit * unit;
  items += found.n;
  return found;
}

/// Reduces Views over ranks in one message, each by its operation.
template <class... Op, class Exec, class... V>
  requires(!(reduces_to_values<Op, value_of<V>, Exec>() && ...))
void all_reduce_views(operation_list<Op...>, const Exec&, const Communicator&, const V&...) {}
template <class... Op, class Exec, class... V>
void all_reduce_views(operation_list<Op...> operations, const Exec& exec, const Communicator& comm, const V&... v) {
  const std::string& label = label_text("quern::distributed::all_reduce");
  check_same_arrays(
      comm, label, [&] { return text_of_operations(operations, operation_list<value_of<V>...>(), exec); }, v...);
  const call<Exec> c(label, exec);
  std::int64_t bytes = 0, items = 0;
  const auto found = check_together(comm, label, [&] {
    const std::tuple values{values_to_reduce<Op>(c, v, bytes, items)...};
    unpack([&](const auto&... of) { check_no_overlap(label, std::array{of.memory()...}); }, values);
    return values;
  });
  if (comm.size() > 1 && items > 0) reduce_packed(exec, comm, label, found, bytes, items);
}

/// The same of a number of each rank.
template <class Op, class T>
T all_reduce_number(const Communicator& comm, const T& x) {
  struct value_of_rank {  // a vector of bool has no memory for messages
    T value;
  };
  const Kokkos::DefaultHostExecutionSpace host;
  const std::string& label = label_text("quern::distributed::all_reduce");
  if (comm.checks_calls())
    check_same(comm, label, "the calls", label + " of one " + type_text<T>() + text_of_operation<Op, T>(host));
  const auto reducer = reducer_of_ranks<Op, T>(host);
  auto state = reducer.init();
  short_list<value_of_rank, 64> all(static_cast<std::size_t>(comm.size()));
  const value_of_rank mine{x};
  all_gather(comm, &mine, all.begin(), sizeof(value_of_rank));
  for (const auto& r : all) reducer.add(state, r.value);
  return convert<T>(reducer.result(state, comm.size()));
}

}  // namespace quern::impl

namespace quern::distributed {

/// Reduces Views over ranks, where each has values of its own: every element becomes, on every rank, what those at its
/// place on all ranks are reduced to: `op::sum`, `op::prod`, `op::min` or `op::max`. So are completed the reductions
/// of a program that has its own blocks, which are of this rank's cells:
///
/// @code
/// quern::map(exec, quern::outputs(u, r, quern::reduced<quern::op::sum>(rr)), step, u, r, p, w, alpha);
/// quern::distributed::all_reduce(exec, comm, rr);  // of all ranks
/// @endcode
///
/// @param v one or several Views of rank 0 or 1, of one or several types, the same on all ranks, in memory that `exec`
///          reaches; all go in one message, also with operations that differ, `all_reduce<op::sum, op::max>(comm, a,
///          b)`
///
/// The values of all ranks are brought to each, which reduces them in the order of the ranks: the same bits on every
/// rank, and in each run with as many. That is for some numbers, as results of reductions are. Collective. With NCCL
/// asynchronous on `exec`; with MPI it waits for what was launched on `exec`, and for the messages.
/// @throws Error if a View has more axes, Views share memory, or, where calls are checked, the ranks have other Views
/// or operations. Where one rank alone has such Views and calls are not checked, the others wait
template <class Op = op::sum, execution_space Exec, std::same_as<Communicator> Comm, view_like... V>
  requires(sizeof...(V) > 0)
void all_reduce(const Exec& exec, const Comm& comm, const V&... v) {
  using namespace quern::impl;
  all_reduce_views(operation_list<operation_for_view<Op, V>...>(), exec, comm, v...);
}
/// The same with an operation for each View, all in one message:
/// `all_reduce<op::sum, op::max>(exec, comm, rr, fastest)`.
template <class First, class Second, class... More, execution_space Exec, std::same_as<Communicator> Comm,
          view_like... V>
  requires(sizeof...(V) > 0)
void all_reduce(const Exec& exec, const Comm& comm, const V&... v) {
  constexpr bool fits = sizeof...(V) == 2 + sizeof...(More);
  static_assert(fits, "quern::distributed::all_reduce: one operation for all Views, or one for each");
  if constexpr (fits)
    quern::impl::all_reduce_views(quern::impl::operation_list<First, Second, More...>(), exec, comm, v...);
}
template <class First, class Second, class... More, std::same_as<Communicator> Comm, view_like... V>
  requires(sizeof...(V) > 0)
void all_reduce(const Comm& comm, const V&... v) {
  all_reduce<First, Second, More...>(quern::impl::space_of(v...), comm, v...);
}
template <class Op = op::sum, std::same_as<Communicator> Comm, view_like... V>
  requires(sizeof...(V) > 0)
void all_reduce(const Comm& comm, const V&... v) {
  all_reduce<Op>(quern::impl::space_of(v...), comm, v...);
}
/// The same of a number of each rank. Collective; waits. It launches nothing, so that it takes no `named`.
/// @throws Error if, where calls are checked, the ranks have other types or operations
template <class Op = op::sum, std::same_as<Communicator> Comm, scalar_value T>
T all_reduce(const Comm& comm, const T& x) {
  if constexpr (quern::impl::reduces_to_values<Op, T, Kokkos::DefaultHostExecutionSpace>())
    return quern::impl::all_reduce_number<Op>(comm, x);
  else return x;
}
QUERN_TAKES_NAME_WITH(all_reduce, class Op, Op)
template <class First, class Second, class... More, class... Args>
  requires quern::impl::named_call<Args...>
void all_reduce(const Args&... args) {
  quern::impl::call_named([](const auto&... others) { all_reduce<First, Second, More...>(others...); }, args...);
}
template <class Op = op::sum, std::same_as<Communicator> Comm, scalar_value T>
T all_reduce(const Comm&, const T& x, const named&) {
  static_assert(!scalar_value<T>,
                "quern::distributed::all_reduce: a number is reduced without a launch that has a name");
  return x;
}

}  // namespace quern::distributed

#endif
