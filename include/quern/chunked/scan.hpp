// SPDX-FileCopyrightText: the Quern authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef QUERN_CHUNKED_SCAN_HPP
#define QUERN_CHUNKED_SCAN_HPP

/// @file
/// Scans of arrays that need not fit into the memory of the execution space: `chunked::cumsum(exec, out, in)` over all
/// elements in row-major order, or `chunked::cumsum(exec, out, in, axis{0})` along an axis. `out` is a View or a sink
/// with the extents of `in`, a View or a source. Types are those of the scans in memory. All calls wait.
///
/// @throws Error as in memory, and if the memory is too little for a row; ChunkError if a chunk cannot be read or
/// written

#include <quern/chunked/operands.hpp>
#include <quern/map/map.hpp>
#include <quern/scan/scan.hpp>

namespace quern::chunked {
namespace impl {

/// What comes before a chunk on one line of a scan; of sums, with the rounding errors of their additions.
template <class S>
struct carried {
  S value, error;
};

/// How sums go on from chunk to chunk.
template <class S>
struct carry_sum {
  using type = S;
  KOKKOS_FUNCTION carried<S> start() const { return {S(0), S(0)}; }
  KOKKOS_FUNCTION S result(const carried<S>& before, const S& v) const {
    if constexpr (std::is_integral_v<S>) return wrapping_add(before.value, v);
    else return before.value + (before.error + v);
  }
  KOKKOS_FUNCTION carried<S> next(const carried<S>& before, const S& total) const {
    compensated<S> sum{before.value, before.error};
    sum.add(total);
    return {sum.sum, sum.error};
  }
};
/// How scans by any operation go on.
template <class S, class Op>
struct carry_op {
  using type = S;
  Op op;
  S identity;
  KOKKOS_FUNCTION carried<S> start() const { return {identity, identity}; }
  KOKKOS_FUNCTION S result(const carried<S>& before, const S& v) const { return op(before.value, v); }
  KOKKOS_FUNCTION carried<S> next(const carried<S>& before, const S& total) const {
    return {op(before.value, total), identity};
  }
};

template <class Carry>
struct result_of_carry {
  Carry carry;
  template <class S>
  KOKKOS_FUNCTION S operator()(const carried<S>& before, const S& v) const {
    return carry.result(before, v);
  }
};
/// What comes before the next chunk, from the last elements of this one's scan. An exclusive scan lacks the last
/// elements of the chunk itself.
template <class Carry, bool Exclusive>
struct next_carry {
  using S = typename Carry::type;
  Carry carry;
  template <class T>
  KOKKOS_FUNCTION carried<S> operator()(const carried<S>& before, const S& last, const T& in) const {
    const S total = Exclusive ? carry.result({last, carry.start().error}, static_cast<S>(in)) : last;
    return carry.next(before, total);
  }
};

/// The part of an array at the end of its first axes: the last index along one, or the last element.
template <class T>
strided<T> last_of(strided<T> s, int axis, bool all_axes) {
  for (int d = 0; d < s.extents.rank; ++d) {
    if (d != axis && !all_axes) continue;
    s.data += (s.extents.extent[d] - 1) * s.stride[d];
    s.extents.extent[d] = 1;
  }
  return s;
}

/// `scan(exec, out, in, options...)` chunk by chunk.
template <bool Exclusive, class Exec, class Out, class In, class Carry, class Scan, class... Options>
void scan_chunks(const char* label, const Exec& exec, const Out& out, const In& in, const Carry& carry,
                 const Scan& scan, const Options&... given) {
  if constexpr (resident<Exec, Out> && resident<Exec, In>) {
    unpack([&](const auto&... option) { scan(exec, out, in, option...); }, other_options(given...));
    exec.fence(label);
  } else {
    using S = typename Carry::type;
    constexpr int rank = rank_in_chunks<In>;
    static_assert(rank == rank_in_chunks<Out>, "quern::chunked: out and in of a scan must have the same rank");
    input_in_chunks<Exec, In> from(in);
    output_in_chunks<Exec, Out> to(out);
    plan p{label, from.extents()};
    check_extents(label, "out", to.extents(), p.extents);
    check_memory(label, to, from, true);
    if (p.extents.rank == 0) throw Error(label, "in of rank 0 is one element");
    const axis* wanted = find_option<axis>(given...);
    const axis_set along = wanted == nullptr ? axis_set::all() : axis_set(label, *wanted, rank);
    p.settings = settings_of(given...);
    p.axis = wanted == nullptr ? 0 : axis_of(from, to);
    from.join(p.inputs, false);
    to.join(p.outputs, false);
    const bool carries = along.has(p.axis);
    p.ordered = carries;
    // What is written has its file, without elements too.
    if (p.extents.size() == 0) return run<Exec>(exec, p, [](const Exec&, const chunk&) {});
    if (carries) p.scratch = p.extents.size() / p.extents.extent[p.axis] * static_cast<std::int64_t>(sizeof(S));

    shape lines = p.extents;
    lines.extent[p.axis] = 1;
    if (wanted == nullptr) lines.extent.fill(1);
    const auto bytes = lines.size() * static_cast<std::int64_t>(sizeof(carried<S>));
    const auto memory = take_block<typename Exec::memory_space>(instance_ref(exec), bytes);
    const auto before = as_part<Exec, rank>(
        strided<carried<S>>{reinterpret_cast<carried<S>*>(memory.data()), lines, row_major_strides(lines)});
    quern::map(exec, before, op::identity(), carry.start());
    exec.fence(label);
    const auto launch = [&](const Exec& e, const auto& target, const auto& values) {
      unpack([&](const auto&... option) { scan(e, target, values, option...); }, other_options(given...));
    };
    run<Exec>(exec, p, [&](const Exec& e, const chunk& c) {
      const auto values = from.part(p, c, false);
      const auto target = as_part<Exec, rank>(to.part(p, c, false));
      if (!carries) return launch(e, target, as_part<Exec, rank>(values));
      const auto block = take_block<typename Exec::memory_space>(instance_ref(e), values.extents.size() * sizeof(S));
      const strided<S> local{reinterpret_cast<S*>(block.data()), values.extents,
                             packed_strides(values.extents, p.axis != 0)};
      launch(e, as_part<Exec, rank>(local), as_part<Exec, rank>(values));
      quern::map(e, target, result_of_carry<Carry>{carry}, before, as_part<Exec, rank>(local));
      const bool all = wanted == nullptr;
      quern::map(e, before, next_carry<Carry, Exclusive>{carry}, before,
                 as_part<Exec, rank>(last_of(local, p.axis, all)), as_part<Exec, rank>(last_of(values, p.axis, all)));
    });
  }
}

template <bool Exclusive, class Exec, class... Arguments>
void scan_stream(const char* label, const Exec& exec, const Arguments&... arguments) {
  in_operation(label, [&] { scan_chunks<Exclusive>(label, exec, arguments...); });
}

template <class T>
concept scan_setting = option<T, axis, chunking>;
template <class In>
using input_type = std::remove_const_t<typename element_of<In>::type>;

}  // namespace impl

/// `out(i) = in(0) + in(1) + ... + in(i)`. The error of the sums of all chunks before is carried along.
template <class Result = void, execution_space Exec, sink_like Out, source_like In, impl::scan_setting... Options>
void cumsum(const Exec& exec, const Out& out, const In& in, const Options&... options) {
  using S = impl::result_or<Result, impl::sum_type<impl::input_type<In>>>;
  const auto scan = [](const auto& e, const auto& o, const auto& x, const auto&... option) {
    quern::cumsum<S>(e, o, x, option...);
  };
  impl::scan_stream<false>("quern::chunked::cumsum", exec, out, in, impl::carry_sum<S>(), scan, options...);
}

/// `out(i) = in(0) * in(1) * ... * in(i)`.
template <class Result = void, execution_space Exec, sink_like Out, source_like In, impl::scan_setting... Options>
void cumprod(const Exec& exec, const Out& out, const In& in, const Options&... options) {
  using S = impl::result_or<Result, impl::sum_type<impl::input_type<In>>>;
  const auto scan = [](const auto& e, const auto& o, const auto& x, const auto&... option) {
    quern::cumprod<S>(e, o, x, option...);
  };
  impl::scan_stream<false>("quern::chunked::cumprod", exec, out, in, impl::carry_op<S, impl::prod_op>{{}, S(1)}, scan,
                           options...);
}

/// `out(i) = op(...op(in(0), in(1))..., in(i))`, see `quern::inclusive_scan`.
template <execution_space Exec, sink_like Out, class Op, scalar_value T, source_like In, impl::scan_setting... Options>
void inclusive_scan(const Exec& exec, const Out& out, const Op& op, const T& identity, const In& in,
                    const Options&... options) {
  const auto scan = [&](const auto& e, const auto& o, const auto& x, const auto&... option) {
    quern::inclusive_scan(e, o, op, identity, x, option...);
  };
  impl::scan_stream<false>("quern::chunked::inclusive_scan", exec, out, in, impl::carry_op<T, Op>{op, identity}, scan,
                           options...);
}

/// The scan without the element itself, see `quern::exclusive_scan`.
template <execution_space Exec, sink_like Out, class Op, scalar_value T, source_like In, impl::scan_setting... Options>
void exclusive_scan(const Exec& exec, const Out& out, const Op& op, const T& identity, const In& in,
                    const Options&... options) {
  const auto scan = [&](const auto& e, const auto& o, const auto& x, const auto&... option) {
    quern::exclusive_scan(e, o, op, identity, x, option...);
  };
  impl::scan_stream<true>("quern::chunked::exclusive_scan", exec, out, in, impl::carry_op<T, Op>{op, identity}, scan,
                          options...);
}

}  // namespace quern::chunked

#endif
