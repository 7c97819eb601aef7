// SPDX-FileCopyrightText: the Quern authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef QUERN_DISTRIBUTED_REDUCE_HPP
#define QUERN_DISTRIBUTED_REDUCE_HPP

/// @file
/// Reductions of distributed arrays.
///
/// Every reduction of quern/reduce.hpp, here `sum`, is called as
///
/// | call | what it does |
/// | --- | --- |
/// | `T s = distributed::sum(exec, u)` | returns the value, the same on every rank |
/// | `distributed::sum(exec, out, u, axis{0})` | along axes, to a View of the rank's block of results |
/// | `distributed::sum(u)`, `distributed::sum(out, u, axis{0})` | on a default instance of u's execution space |
///
/// `u` is a DistributedView, whose halo does not count. `out` has the extents of the rank's block without the axes; the
/// ranks that differ in their place along these axes alone all get the same results. Types, accuracy and options are
/// those of the operation on one device; positions (`argmax`) are those in the whole array. With `reproducible` the
/// result has the same bits for every number of ranks and every grid; without, it depends on them.
///
/// Collective; all calls wait for `exec`, and for the ranks that have a part in a result.
///
/// @throws Error where the operation on one device does; BackendError if MPI reports a failure

#include <quern/distributed/rank_states.hpp>
#include <quern/reduce/reduce.hpp>

namespace quern::distributed {
namespace impl {

template <class T>
concept reduction_setting = option<T, axes, ddof, reproducible_t>;

/// `op(exec, out, u..., options...)` of every reduction. `out` is a View, or `on_host` for the value.
template <class Exec, class Op, class Out, class First, class... Field, class... Options>
auto reduce_blocks(const std::string& label, const Exec& exec, const Op& op, const Out& out,
                   const std::tuple<First, Field...>& fields, const Options&... options) {
  const Decomposition& d = std::get<0>(fields).decomposition();
  unpack([&](const auto&... u) { check_blocks(label, d, u...); }, fields);
  const auto reduce = [&](const auto& states) {
    unpack([&](const auto&... u) { op(exec, states, u.local()..., options...); }, fields);
  };
  if constexpr (std::is_same_v<Out, on_host_t>) {
    static_assert(!has_option<axes, Options...>, "quern::distributed: a reduction along axes writes to a View");
    using result = decltype(op(exec, on_host, std::declval<typename First::local_type>(),
                               std::declval<typename Field::local_type>()...));
    const rank_states<Exec, result> states(exec, d, true);
    reduce(states);
    return states.value();
  } else {
    const call<Exec> c(label, exec);
    const auto results = c.output(out);
    const axes* wanted = find_option<axes>(options...);
    const axis_set along = wanted == nullptr ? axis_set::all() : axis_set(label, *wanted, d.extents().rank);
    check_extents(label, "out", results.extents, along.part(d.local().extents, false));
    const rank_states<Exec, value_of<Out>> states(exec, d, false);
    reduce(states);
    states.write(results);
    exec.fence(label);
  }
}

template <class Exec, class... Arguments>
auto reduce_ranks(const char* label, const Exec& exec, const Arguments&... arguments) {
  return in_operation(label, [&] { return reduce_blocks(label, exec, arguments...); });
}

}  // namespace impl

#define QUERN_DISTRIBUTED_OPERATION(call) \
  [&](const auto& e, const auto& o, const auto& x, const auto&... option) { return call(e, o, x, option...); }
#define QUERN_DISTRIBUTED_REDUCTION_WITH(name, parameter, argument)                                                   \
  template <parameter, execution_space Exec, distributed_like In, impl::reduction_setting... Options>                 \
  auto name(const Exec& exec, const In& in, const Options&... options) {                                              \
    return impl::reduce_ranks("quern::distributed::" #name, exec, QUERN_DISTRIBUTED_OPERATION(quern::name<argument>), \
                              on_host, std::tuple(in), options...);                                                   \
  }                                                                                                                   \
  template <parameter, execution_space Exec, view_like Out, distributed_like In, impl::reduction_setting... Options>  \
  void name(const Exec& exec, const Out& out, const In& in, const Options&... options) {                              \
    impl::reduce_ranks("quern::distributed::" #name, exec, QUERN_DISTRIBUTED_OPERATION(quern::name<argument>), out,   \
                       std::tuple(in), options...);                                                                   \
  }                                                                                                                   \
  template <parameter, distributed_like In, impl::reduction_setting... Options>                                       \
  auto name(const In& in, const Options&... options) {                                                                \
    return name<argument>(typename In::execution_space(), in, options...);                                            \
  }                                                                                                                   \
  template <parameter, view_like Out, distributed_like In, impl::reduction_setting... Options>                        \
  void name(const Out& out, const In& in, const Options&... options) {                                                \
    name<argument>(typename In::execution_space(), out, in, options...);                                              \
  }
#define QUERN_DISTRIBUTED_REDUCTION(name)                                                                            \
  template <execution_space Exec, distributed_like In, impl::reduction_setting... Options>                           \
  auto name(const Exec& exec, const In& in, const Options&... options) {                                             \
    return impl::reduce_ranks("quern::distributed::" #name, exec, QUERN_DISTRIBUTED_OPERATION(quern::name), on_host, \
                              std::tuple(in), options...);                                                           \
  }                                                                                                                  \
  template <execution_space Exec, view_like Out, distributed_like In, impl::reduction_setting... Options>            \
  void name(const Exec& exec, const Out& out, const In& in, const Options&... options) {                             \
    impl::reduce_ranks("quern::distributed::" #name, exec, QUERN_DISTRIBUTED_OPERATION(quern::name), out,            \
                       std::tuple(in), options...);                                                                  \
  }                                                                                                                  \
  template <distributed_like In, impl::reduction_setting... Options>                                                 \
  auto name(const In& in, const Options&... options) {                                                               \
    return name(typename In::execution_space(), in, options...);                                                     \
  }                                                                                                                  \
  template <view_like Out, distributed_like In, impl::reduction_setting... Options>                                  \
  void name(const Out& out, const In& in, const Options&... options) {                                               \
    name(typename In::execution_space(), out, in, options...);                                                       \
  }

QUERN_DISTRIBUTED_REDUCTION_WITH(sum, class Result = void, Result)
QUERN_DISTRIBUTED_REDUCTION_WITH(prod, class Result = void, Result)
QUERN_DISTRIBUTED_REDUCTION(min)
QUERN_DISTRIBUTED_REDUCTION(max)
QUERN_DISTRIBUTED_REDUCTION(minmax)
QUERN_DISTRIBUTED_REDUCTION_WITH(norm, auto Order = 2, Order)
QUERN_DISTRIBUTED_REDUCTION_WITH(mean, class Result = void, Result)
QUERN_DISTRIBUTED_REDUCTION_WITH(mean_var, class Result = void, Result)
QUERN_DISTRIBUTED_REDUCTION_WITH(var, class Result = void, Result)
QUERN_DISTRIBUTED_REDUCTION_WITH(stddev, class Result = void, Result)
QUERN_DISTRIBUTED_REDUCTION(all)
QUERN_DISTRIBUTED_REDUCTION(any)
QUERN_DISTRIBUTED_REDUCTION(count)
QUERN_DISTRIBUTED_REDUCTION(argmax)
QUERN_DISTRIBUTED_REDUCTION(argmin)
QUERN_DISTRIBUTED_REDUCTION_WITH(nansum, class Result = void, Result)
QUERN_DISTRIBUTED_REDUCTION_WITH(nanmean, class Result = void, Result)
QUERN_DISTRIBUTED_REDUCTION_WITH(nanvar, class Result = void, Result)
QUERN_DISTRIBUTED_REDUCTION(nanmin)
QUERN_DISTRIBUTED_REDUCTION(nanmax)
QUERN_DISTRIBUTED_REDUCTION(nanargmax)
QUERN_DISTRIBUTED_REDUCTION(nanargmin)
QUERN_DISTRIBUTED_REDUCTION(nancount)

#undef QUERN_DISTRIBUTED_REDUCTION
#undef QUERN_DISTRIBUTED_REDUCTION_WITH
#undef QUERN_DISTRIBUTED_OPERATION

/// `quern::dot` of two arrays with the same blocks.
template <class Result = void, execution_space Exec, distributed_like X, distributed_like Y,
          impl::reduction_setting... Options>
auto dot(const Exec& exec, const X& x, const Y& y, const Options&... options) {
  const auto op = [](const auto& e, const auto& o, const auto& a, const auto& b, const auto&... option) {
    return quern::dot<Result>(e, o, a, b, option...);
  };
  return impl::reduce_ranks("quern::distributed::dot", exec, op, on_host, std::tuple(x, y), options...);
}
/// `quern::vdot` of two arrays with the same blocks.
template <class Result = void, execution_space Exec, distributed_like X, distributed_like Y,
          impl::reduction_setting... Options>
auto vdot(const Exec& exec, const X& x, const Y& y, const Options&... options) {
  const auto op = [](const auto& e, const auto& o, const auto& a, const auto& b, const auto&... option) {
    return quern::vdot<Result>(e, o, a, b, option...);
  };
  return impl::reduce_ranks("quern::distributed::vdot", exec, op, on_host, std::tuple(x, y), options...);
}

/// `quern::reduce`: `op` over all elements, starting from its identity.
template <execution_space Exec, class Op, scalar_value T, distributed_like In, impl::reduction_setting... Options>
  requires(!view_like<Op>)
T reduce(const Exec& exec, const Op& op, const T& identity, const In& in, const Options&... options) {
  const auto reduction = [&](const auto& e, const auto& o, const auto& x, const auto&... option) {
    return quern::reduce(e, o, op, identity, x, option...);
  };
  return impl::reduce_ranks("quern::distributed::reduce", exec, reduction, on_host, std::tuple(in), options...);
}

}  // namespace quern::distributed

#endif
