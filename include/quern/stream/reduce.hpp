// SPDX-FileCopyrightText: the Quern authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef QUERN_STREAM_REDUCE_HPP
#define QUERN_STREAM_REDUCE_HPP

/// @file
/// Reductions of arrays that need not fit into the memory of the execution space.
///
/// Every reduction of quern/reduce.hpp, here `sum`, is called as
///
/// | call | what it does |
/// | --- | --- |
/// | `T s = stream::sum(exec, in)` | returns the value |
/// | `stream::sum(exec, out, in, axis{0})` | along axes, to a View of the remaining extents |
/// | `stream::sum(exec, in, options{.memory = n})` | with settings, which come among the options |
/// | `stream::sum(in)`, `stream::sum(out, in, axis{0})` | on a default instance of Kokkos's default execution space |
///
/// `in` is a View or a source. Types, accuracy and options are those of the operation in memory; with `reproducible`
/// the result has its bits, and without, those of the order of the chunks, which the memory decides. All calls wait.
///
/// @throws Error where the operation in memory does, and if the memory is too little for a row; StreamError if a chunk
/// cannot be read

#include <quern/core/mirror.hpp>
#include <quern/reduce/partial.hpp>
#include <quern/reduce/reduce.hpp>
#include <quern/stream/operands.hpp>

namespace quern::stream {
namespace impl {

/// What is set for a chunk of a reduction beside its values: nothing.
struct no_preparation {
  void operator()(auto&) const {}
};

/// `op(exec, out, in..., options...)` chunk by chunk.
template <class Exec, class Op, class Prepare, class Options, class... In>
class chunked_reduction {
 public:
  chunked_reduction(const char* label, const Exec& exec, const Op& op, const Prepare& prepare, const Options& given,
                    const options& settings, const In&... in)
      : exec_(exec),
        op_(op),
        prepare_(prepare),
        options_(given),
        in_(in_chunks<In>(in)...),
        plan_{label, first().extents()} {
    plan_.settings = settings;
    if (plan_.extents.rank == 0) throw Error(label, "in of rank 0 is one element");
    plan_.axis = unpack([](const auto&... i) { return axis_of(i...); }, in_);
    std::size_t number = 0;
    const auto join = [&](auto& i) {
      check_extents(plan_.label, input_name(number++), i.extents(), plan_.extents);
      i.join(plan_.inputs, false);
    };
    std::apply([&](auto&... i) { (join(i), ...); }, in_);
  }

  const plan& the_plan() const { return plan_; }

  /// The reduction of a chunk, to a View or to partial_states.
  template <class Out>
  void reduce(const Exec& e, const Out& out, const chunk& c) const {
    unpack(
        [&](const auto&... i) {
          unpack([&](const auto&... option) { op_(e, out, view_of(i, c)..., option...); }, options_);
        },
        in_);
  }

  /// Reductions along the axis of the chunks: their states are joined.
  template <class Result>
  void joined(const strided<Result>& results) const {
    partial_states<Exec, Result, slots> states(exec_, plan_.extents, plan_.axis);
    prepare_(states);
    run<Exec>(exec_, plan_, [&](const Exec& e, const chunk& c) {
      states.next_chunk(c.first, c.slot);
      reduce(e, states, c);
    });
    states.finish(results);
    exec_.fence(plan_.label);
  }

  /// Reductions along other axes: each chunk has results of its own, along an axis of the results.
  template <int Rank, class Result>
  void separate(const strided<Result>& results, int axis) const {
    run<Exec>(exec_, plan_, [&](const Exec& e, const chunk& c) {
      auto part = results;
      part.data += c.first * part.stride[axis];
      part.extents.extent[axis] = c.count;
      reduce(e, as_part<Exec, Rank>(part), c);
    });
  }

 private:
  template <class V>
  using in_chunks = input_in_chunks<Exec, V>;
  const auto& first() const { return std::get<0>(in_); }
  template <class Input>
  auto view_of(const Input& i, const chunk& c) const {
    return as_part<Exec, Input::rank>(i.part(plan_, c, false));
  }

  const Exec& exec_;
  const Op& op_;
  const Prepare& prepare_;
  const Options& options_;
  std::tuple<in_chunks<In>...> in_;
  plan plan_;
};

/// The value of a reduction of all elements.
template <class Result, class Exec, class Reduction>
Result value_in_chunks(const Exec& exec, const Reduction& r) {
  const auto place = take_block<result_space<Exec>>(instance_ref(exec), sizeof(Result));
  auto* value = reinterpret_cast<Result*>(place.data());
  r.joined(strided<Result>{value, {}, {}});
  return *value;
}

/// The results of a reduction along axes, in memory that `exec` reaches.
template <int Rank, class Result, class Reduction>
void results_in_chunks(const Reduction& r, const axis_set& along, const strided<Result>& results) {
  const plan& p = r.the_plan();
  shape before = p.extents;
  before.rank = p.axis;
  if (along.has(p.axis)) r.joined(results);
  else r.template separate<Rank>(results, along.part(before, false).rank);
}

/// Every reduction: `op(exec, out, in..., options...)`. `out` is a View, or `on_host` for the value.
template <class Exec, class Op, class Out, class Prepare, class... In, class... Options>
auto reduce_chunks(const char* label, const Exec& exec, const Op& op, const Out& out, const Prepare& prepare,
                   const std::tuple<In...>& inputs, const Options&... given) {
  const auto others = other_options(given...);
  const auto in_memory = [&](const auto& o) {
    return unpack(
        [&](const auto&... in) {
          return unpack([&](const auto&... option) { return op(exec, o, in..., option...); }, others);
        },
        inputs);
  };
  constexpr bool all_resident = (resident<Exec, In> && ...);
  if constexpr (std::is_same_v<Out, on_host_t>) {
    if constexpr (all_resident) {
      return in_memory(on_host);
    } else {
      using result = decltype(op(
          exec, on_host, as_part<Exec, rank_in_chunks<In>>(strided<typename input_in_chunks<Exec, In>::element>())...));
      return unpack(
          [&](const auto&... in) {
            return value_in_chunks<result>(
                exec, chunked_reduction(label, exec, op, prepare, others, settings_of(given...), in...));
          },
          inputs);
    }
  } else if constexpr (!resident<Exec, Out>) {
    // Results for a View of the host are copied to it in the end.
    using device_out =
        Kokkos::View<typename Out::non_const_data_type, Kokkos::LayoutRight, typename Exec::memory_space>;
    const device_out results(Kokkos::view_alloc(exec, Kokkos::WithoutInitializing, "quern::stream"),
                             layout_like<device_out>(out));
    reduce_chunks(label, exec, op, results, prepare, inputs, given...);
    quern::copy(exec, out, results);
    exec.fence(label);
  } else if constexpr (all_resident) {
    in_memory(out);
    exec.fence(label);
  } else {
    call<Exec> c(label, exec);
    const auto results = c.output(out);
    unpack(
        [&](const auto&... in) {
          const chunked_reduction r(label, exec, op, prepare, others, settings_of(given...), in...);
          const shape& extents = r.the_plan().extents;
          const axes* wanted = find_option<axes>(given...);
          const axis_set along = wanted == nullptr ? axis_set::all() : axis_set(label, *wanted, extents.rank);
          check_extents(label, "out", results.extents, along.part(extents, false));
          results_in_chunks<static_cast<int>(Out::rank())>(r, along, results);
        },
        inputs);
  }
}

template <class Exec, class... Arguments>
auto reduce_stream(const char* label, const Exec& exec, const Arguments&... arguments) {
  return in_operation(label, [&] { return reduce_chunks(label, exec, arguments...); });
}

template <class T>
concept reduction_setting = option<T, axes, ddof, reproducible_t, options>;

}  // namespace impl
}  // namespace quern::stream

#define QUERN_STREAM_REDUCTION_WITH(name, parameter, argument, prepare)                                          \
  template <parameter, execution_space Exec, source_like In, impl::reduction_setting... Options>                 \
  auto name(const Exec& exec, const In& in, const Options&... options) {                                         \
    const auto op = [](const auto& e, const auto& o, const auto& x, const auto&... option) {                     \
      return quern::name<argument>(e, o, x, option...);                                                          \
    };                                                                                                           \
    return impl::reduce_stream("quern::stream::" #name, exec, op, on_host, prepare, std::tuple(in), options...); \
  }                                                                                                              \
  template <parameter, execution_space Exec, view_like Out, source_like In, impl::reduction_setting... Options>  \
  void name(const Exec& exec, const Out& out, const In& in, const Options&... options) {                         \
    const auto op = [](const auto& e, const auto& o, const auto& x, const auto&... option) {                     \
      return quern::name<argument>(e, o, x, option...);                                                          \
    };                                                                                                           \
    impl::reduce_stream("quern::stream::" #name, exec, op, out, prepare, std::tuple(in), options...);            \
  }                                                                                                              \
  template <parameter, source_like In, impl::reduction_setting... Options>                                       \
  auto name(const In& in, const Options&... options) {                                                           \
    return name<argument>(Kokkos::DefaultExecutionSpace(), in, options...);                                      \
  }                                                                                                              \
  template <parameter, view_like Out, source_like In, impl::reduction_setting... Options>                        \
  void name(const Out& out, const In& in, const Options&... options) {                                           \
    name<argument>(Kokkos::DefaultExecutionSpace(), out, in, options...);                                        \
  }
#define QUERN_STREAM_REDUCTION(name)                                                                                 \
  template <execution_space Exec, source_like In, impl::reduction_setting... Options>                                \
  auto name(const Exec& exec, const In& in, const Options&... options) {                                             \
    const auto op = [](const auto& e, const auto& o, const auto& x, const auto&... option) {                         \
      return quern::name(e, o, x, option...);                                                                        \
    };                                                                                                               \
    return impl::reduce_stream("quern::stream::" #name, exec, op, on_host, impl::no_preparation(), std::tuple(in),   \
                               options...);                                                                          \
  }                                                                                                                  \
  template <execution_space Exec, view_like Out, source_like In, impl::reduction_setting... Options>                 \
  void name(const Exec& exec, const Out& out, const In& in, const Options&... options) {                             \
    const auto op = [](const auto& e, const auto& o, const auto& x, const auto&... option) {                         \
      return quern::name(e, o, x, option...);                                                                        \
    };                                                                                                               \
    impl::reduce_stream("quern::stream::" #name, exec, op, out, impl::no_preparation(), std::tuple(in), options...); \
  }                                                                                                                  \
  template <source_like In, impl::reduction_setting... Options>                                                      \
  auto name(const In& in, const Options&... options) {                                                               \
    return name(Kokkos::DefaultExecutionSpace(), in, options...);                                                    \
  }                                                                                                                  \
  template <view_like Out, source_like In, impl::reduction_setting... Options>                                       \
  void name(const Out& out, const In& in, const Options&... options) {                                               \
    name(Kokkos::DefaultExecutionSpace(), out, in, options...);                                                      \
  }

namespace quern::stream {

QUERN_STREAM_REDUCTION_WITH(sum, class Result = void, Result, impl::no_preparation())
QUERN_STREAM_REDUCTION_WITH(prod, class Result = void, Result, impl::no_preparation())
QUERN_STREAM_REDUCTION(min)
QUERN_STREAM_REDUCTION(max)
QUERN_STREAM_REDUCTION(minmax)
QUERN_STREAM_REDUCTION_WITH(norm, auto Order = 2, Order, impl::no_preparation())
QUERN_STREAM_REDUCTION_WITH(mean, class Result = void, Result, impl::no_preparation())
QUERN_STREAM_REDUCTION_WITH(mean_var, class Result = void, Result, impl::no_preparation())

namespace impl {

/// A reproducible variance is one of deviations from the mean, for which the source is read twice.
template <class Result, class Exec, class In, class... Options>
auto mean_first(const Exec& exec, const In& in, const Options&... given) {
  if constexpr (reproducibly<Options...> && !resident<Exec, In>) {
    static_assert(!has_option<axes, Options...>,
                  "quern::stream: reproducible variances are those of all elements, not along axes");
    static_assert(!is_complex<std::remove_const_t<typename element_of<In>::type>>,
                  "quern::stream: reproducible variances are those of real values");
    using element = std::remove_const_t<typename element_of<In>::type>;
    using mean_value = distance_type<result_or<Result, mean_type<element>>, element>;
    const double mean = stream::mean<mean_value>(exec, in, reproducible, settings_of(given...));
    return [mean](auto& states) { states.set_mean(mean); };
  } else {
    return no_preparation();
  }
}

}  // namespace impl

QUERN_STREAM_REDUCTION_WITH(var, class Result = void, Result, impl::mean_first<Result>(exec, in, options...))
QUERN_STREAM_REDUCTION_WITH(stddev, class Result = void, Result, impl::mean_first<Result>(exec, in, options...))
QUERN_STREAM_REDUCTION(all)
QUERN_STREAM_REDUCTION(any)
QUERN_STREAM_REDUCTION(count)
QUERN_STREAM_REDUCTION(argmax)
QUERN_STREAM_REDUCTION(argmin)
QUERN_STREAM_REDUCTION_WITH(nansum, class Result = void, Result, impl::no_preparation())
QUERN_STREAM_REDUCTION_WITH(nanmean, class Result = void, Result, impl::no_preparation())
QUERN_STREAM_REDUCTION_WITH(nanvar, class Result = void, Result, impl::no_preparation())
QUERN_STREAM_REDUCTION(nanmin)
QUERN_STREAM_REDUCTION(nanmax)
QUERN_STREAM_REDUCTION(nanargmax)
QUERN_STREAM_REDUCTION(nanargmin)
QUERN_STREAM_REDUCTION(nancount)

/// `quern::dot` of two arrays of equal extents, chunk by chunk.
template <class Result = void, execution_space Exec, source_like X, source_like Y, impl::reduction_setting... Options>
auto dot(const Exec& exec, const X& x, const Y& y, const Options&... options) {
  const auto op = [](const auto& e, const auto& o, const auto& a, const auto& b, const auto&... option) {
    return quern::dot<Result>(e, o, a, b, option...);
  };
  return impl::reduce_stream("quern::stream::dot", exec, op, on_host, impl::no_preparation(), std::tuple(x, y),
                             options...);
}
/// `quern::vdot` of two arrays of equal extents, chunk by chunk.
template <class Result = void, execution_space Exec, source_like X, source_like Y, impl::reduction_setting... Options>
auto vdot(const Exec& exec, const X& x, const Y& y, const Options&... options) {
  const auto op = [](const auto& e, const auto& o, const auto& a, const auto& b, const auto&... option) {
    return quern::vdot<Result>(e, o, a, b, option...);
  };
  return impl::reduce_stream("quern::stream::vdot", exec, op, on_host, impl::no_preparation(), std::tuple(x, y),
                             options...);
}

/// `quern::reduce`, chunk by chunk: `op` over all elements, starting from its identity.
template <execution_space Exec, class Op, scalar_value T, source_like In, impl::reduction_setting... Options>
  requires(!view_like<Op>)
T reduce(const Exec& exec, const Op& op, const T& identity, const In& in, const Options&... options) {
  const auto reduction = [&](const auto& e, const auto& o, const auto& x, const auto&... option) {
    return quern::reduce(e, o, op, identity, x, option...);
  };
  return impl::reduce_stream("quern::stream::reduce", exec, reduction, on_host, impl::no_preparation(), std::tuple(in),
                             options...);
}

}  // namespace quern::stream

#undef QUERN_STREAM_REDUCTION
#undef QUERN_STREAM_REDUCTION_WITH

#endif
