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

#include <quern/reduce/partial.hpp>
#include <quern/reduce/reduce.hpp>
#include <quern/stream/operands.hpp>

namespace quern::stream {
namespace impl {

/// What is set for a chunk of a reduction beside its values: nothing.
struct no_preparation {
  void operator()(auto&) const {}
};

/// The extents of the axes before one.
inline shape shape_before(shape extents, int axis) {
  extents.rank = axis;
  return extents;
}

/// `op(exec, out, in..., options...)` chunk by chunk. `out` is a View, or `on_host` for the value.
template <class Exec, class Op, class Out, class Prepare, class... In, class... Options>
auto reduce_stream(const char* label, const Exec& exec, const Op& op, const Out& out, const Prepare& prepare,
                   const std::tuple<In...>& inputs, const Options&... given) {
  constexpr bool to_host = std::is_same_v<Out, on_host_t>;
  const auto with_values = [&](const auto& o, const auto&... in) {
    return with_other_options([&](const auto&... option) { return op(exec, o, in..., option...); }, given...);
  };
  if constexpr ((resident<Exec, In> && ...)) {
    if constexpr (to_host) {
      return unpack([&](const auto&... in) { return with_values(out, in...); }, inputs);
    } else {
      unpack([&](const auto&... in) { with_values(out, in...); }, inputs);
      exec.fence(label);
    }
  } else {
    auto from = unpack([&](const auto&... in) { return std::tuple(input_in_chunks<Exec, In>(in)...); }, inputs);
    plan p{label, std::get<0>(from).extents()};
    p.settings = settings_of(given...);
    if (p.extents.rank == 0) throw Error(label, "in of rank 0 is one element");
    p.axis = unpack([&](const auto&... in) { return axis_of(in...); }, from);
    std::size_t number = 0;
    const auto join = [&](auto& in) {
      check_extents(label, input_name(number++), in.extents(), p.extents);
      in.join(p.inputs, false);
    };
    std::apply([&](auto&... in) { (join(in), ...); }, from);

    const auto reduce_part = [&](const Exec& e, const auto& o, const chunk& c) {
      unpack(
          [&](const auto&... in) {
            with_other_options(
                [&](const auto&... option) {
                  op(e, o, as_part<Exec, std::remove_cvref_t<decltype(in)>::rank>(in.part(p, c, false))..., option...);
                },
                given...);
          },
          from);
    };
    const auto in_chunks = [&]<class Result>(std::type_identity<Result>, const strided<Result>& results) {
      partial_states<Exec, Result, slots> states(exec, p.extents, p.axis);
      prepare(states);
      run<Exec>(exec, p, [&](const Exec& e, const chunk& c) {
        states.next_chunk(c.first, c.slot);
        reduce_part(e, states, c);
      });
      states.finish(results);
      exec.fence(label);
    };
    // Chunks have results of their own where their axis remains.
    [[maybe_unused]] const auto each_chunk = [&](const auto& results, int kept_axis, auto rank) {
      run<Exec>(exec, p, [&](const Exec& e, const chunk& c) {
        auto part = results;
        part.data += c.first * part.stride[kept_axis];
        part.extents.extent[kept_axis] = c.count;
        reduce_part(e, as_part<Exec, decltype(rank)::value>(part), c);
      });
    };
    if constexpr (to_host) {
      using result = decltype(op(
          exec, on_host, as_part<Exec, rank_in_chunks<In>>(strided<typename input_in_chunks<Exec, In>::element>())...));
      const auto place = take_block<result_space<Exec>>(instance_ref(exec), sizeof(result));
      auto* value = reinterpret_cast<result*>(place.data());
      in_chunks(std::type_identity<result>(), strided<result>{value, {}, {}});
      return result(*value);
    } else {
      using result = value_of<Out>;
      constexpr int rank = static_cast<int>(Out::rank());
      static_assert(!Kokkos::is_view_v<Out> || !std::is_const_v<typename Out::value_type>,
                    "quern: out must not be const");
      const axes* wanted = find_option<axes>(given...);
      const axis_set along = wanted == nullptr ? axis_set::all() : axis_set(label, *wanted, p.extents.rank);
      const shape rest = along.part(p.extents, false);
      check_extents(label, "out", extents_of(out), rest);
      // Results of a device for a View of the host are copied in the end.
      pool_block<typename Exec::memory_space> memory;
      strided<result> results = describe(out.data(), out);
      if constexpr (!resident<Exec, Out>) {
        memory = take_block<typename Exec::memory_space>(instance_ref(exec), rest.size() * sizeof(result));
        results = {reinterpret_cast<result*>(memory.data()), rest, row_major_strides(rest)};
      }
      if (along.has(p.axis)) in_chunks(std::type_identity<result>(), results);
      else
        each_chunk(results, along.part(shape_before(p.extents, p.axis), false).rank,
                   std::integral_constant<int, rank>());
      if constexpr (!resident<Exec, Out>) {
        quern::copy(exec, out, as_part<Exec, rank>(results));
        exec.fence(label);
      }
    }
  }
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
    const double mean = stream::mean<Result>(exec, in, reproducible, settings_of(given...));
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
