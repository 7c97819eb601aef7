// SPDX-FileCopyrightText: the Quern authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef QUERN_DISTRIBUTED_SCAN_HPP
#define QUERN_DISTRIBUTED_SCAN_HPP

/// @file
/// Scans of distributed arrays along an axis: `distributed::cumsum(exec, out, in, axis{0})`. `out` and `in` are
/// DistributedViews with the same blocks; of rank 1, the axis may be left out. Types are those of the scans on one
/// device. Each rank scans its block, and adds what the blocks before it sum up to.
///
/// Collective; all calls wait.
/// @throws Error where the scan on one device does, and if blocks differ; BackendError if MPI reports a failure

#include <quern/chunked/scan.hpp>
#include <quern/distributed/operands.hpp>
#include <quern/distributed/rank_sums.hpp>

namespace quern::distributed {
namespace impl {

using quern::chunked::impl::carried, quern::chunked::impl::carry_op, quern::chunked::impl::carry_sum,
    quern::chunked::impl::next_carry, quern::chunked::impl::result_of_carry, quern::chunked::impl::last_of,
    quern::chunked::impl::as_part;

/// What comes before on a line, of two neighbouring groups of ranks.
template <class Carry>
struct join_carries {
  using state = carried<typename Carry::type>;
  Carry carry;
  KOKKOS_FUNCTION void operator()(state& lower, const state& upper) const {
    lower = carry.next(lower, carry.result({carry.start().value, upper.error}, upper.value));
  }
};
/// The same as an operation of MPI.
template <class Carry>
struct joined_carries {
  using state = carried<typename Carry::type>;
  static inline thread_local const Carry* carry = nullptr;
  static void join(void* lower, void* upper, int* n, MPI_Datatype*) {
    for (int i = 0; i < *n; ++i) {
      state a = carry->start(), b = a;
      std::memcpy(&a, static_cast<std::byte*>(lower) + i * sizeof(state), sizeof(state));
      std::memcpy(&b, static_cast<std::byte*>(upper) + i * sizeof(state), sizeof(state));
      join_carries<Carry>{*carry}(a, b);
      std::memcpy(static_cast<std::byte*>(upper) + i * sizeof(state), &a, sizeof(state));
    }
  }
};

/// The carries of each rank become what those of the ranks before it are joined to.
template <class Exec, class Carry, class State>
void scan_carries(const Exec& exec, const Decomposition& d, const std::array<bool, max_rank>& axes, const Carry& carry,
                  State* carries, std::int64_t n) {
  const State start = carry.start();
  if (joins_by_kernels<Exec>(d.communicator(), n * static_cast<std::int64_t>(sizeof(State))))
    return shared_items<Exec, State>(d.communicator(), exec, "quern::distributed", ranks_along(d, axes), carries, n)
        .scan(start, join_carries<Carry>{carry});
  const host_values<Exec, State> values(exec, carries, n);
  joined_carries<Carry>::carry = &carry;
  exclusive_scan(d.along(axes), values.data(), n, sizeof(State), &start, joined_carries<Carry>::join);
  values.write();
}

/// `scan(exec, out, in, options...)` of each block, then what comes before it.
template <bool Exclusive, class Exec, class Out, class In, class Carry, class Scan, class... Options>
void scan_blocks(const std::string& label, const Exec& exec, const Out& out, const In& in, const Carry& carry,
                 const Scan& scan, const Options&... given) {
  using S = typename Carry::type;
  constexpr int rank = In::rank;
  static_assert(rank == Out::rank, "quern::distributed: out and in of a scan must have the same rank");
  const Decomposition& d = in.decomposition();
  check_blocks(label, d, out);
  const axis* wanted = find_option<axis>(given...);
  if (wanted == nullptr && rank > 1) throw Error(label, "an array of rank " + std::to_string(rank) + " needs an axis");
  const axis_set along = wanted == nullptr ? axis_set::all() : axis_set(label, *wanted, rank);
  int axis = 0;
  while (!along.has(axis)) ++axis;
  const shape own = d.local().extents;
  if (d.grid(axis) == 1) {
    if (own.size() > 0) scan(exec, out.local(), in.local(), given...);
    exec.fence(label);
    return;
  }

  shape lines = own;
  lines.extent[axis] = 1;
  const std::int64_t count = lines.size();
  const auto block = take_block<typename Exec::memory_space>(instance_ref(exec), own.size() * sizeof(S));
  const auto totals = take_block<typename Exec::memory_space>(instance_ref(exec), count * sizeof(carried<S>));
  const strided<S> scanned{reinterpret_cast<S*>(block.data()), own, row_major_strides(own)};
  const auto before = as_part<Exec, rank>(
      strided<carried<S>>{reinterpret_cast<carried<S>*>(totals.data()), lines, row_major_strides(lines)});
  quern::map(exec, before, op::identity(), carry.start());
  if (own.size() > 0) {
    scan(exec, as_part<Exec, rank>(scanned), in.local(), given...);
    const auto values = describe(in.local().data(), in.local());
    quern::map(exec, before, next_carry<Carry, Exclusive>{carry}, before,
               as_part<Exec, rank>(last_of(scanned, axis, false)), as_part<Exec, rank>(last_of(values, axis, false)));
  }
  if (count > 0) {
    std::array<bool, max_rank> axes{};
    axes[axis] = true;
    scan_carries(exec, d, axes, carry, reinterpret_cast<carried<S>*>(totals.data()), count);
  }
  if (own.size() > 0)
    quern::map(exec, out.local(), result_of_carry<Carry>{carry}, before, as_part<Exec, rank>(scanned));
  exec.fence(label);
}

template <bool Exclusive, class Exec, class... Arguments>
void scan_ranks(const std::string& label, const Exec& exec, const Arguments&... arguments) {
  in_operation(label, [&] { scan_blocks<Exclusive>(label, exec, arguments...); });
}

template <class T>
concept scan_setting = option<T, axis>;

}  // namespace impl

/// `out(i) = in(0) + in(1) + ... + in(i)` along the axis. The rounding errors of the blocks' sums are carried along.
template <class Result = void, execution_space Exec, distributed_like Out, distributed_like In,
          impl::scan_setting... Options>
void cumsum(const Exec& exec, const Out& out, const In& in, const Options&... options) {
  using S = impl::result_or<Result, impl::sum_type<typename In::value_type>>;
  const auto scan = [](const auto& e, const auto& o, const auto& x, const auto&... option) {
    quern::cumsum<S>(e, o, x, option...);
  };
  impl::scan_ranks<false>("quern::distributed::cumsum", exec, out, in, impl::carry_sum<S>(), scan, options...);
}

/// `out(i) = in(0) * in(1) * ... * in(i)` along the axis.
template <class Result = void, execution_space Exec, distributed_like Out, distributed_like In,
          impl::scan_setting... Options>
void cumprod(const Exec& exec, const Out& out, const In& in, const Options&... options) {
  using S = impl::result_or<Result, impl::sum_type<typename In::value_type>>;
  const auto scan = [](const auto& e, const auto& o, const auto& x, const auto&... option) {
    quern::cumprod<S>(e, o, x, option...);
  };
  impl::scan_ranks<false>("quern::distributed::cumprod", exec, out, in, impl::carry_op<S, impl::prod_op>{{}, S(1)},
                          scan, options...);
}

/// `out(i) = op(...op(in(0), in(1))..., in(i))` along the axis, see `quern::inclusive_scan`.
template <execution_space Exec, distributed_like Out, class Op, scalar_value T, distributed_like In,
          impl::scan_setting... Options>
void inclusive_scan(const Exec& exec, const Out& out, const Op& op, const T& identity, const In& in,
                    const Options&... options) {
  const auto scan = [&](const auto& e, const auto& o, const auto& x, const auto&... option) {
    quern::inclusive_scan(e, o, op, identity, x, option...);
  };
  impl::scan_ranks<false>("quern::distributed::inclusive_scan", exec, out, in, impl::carry_op<T, Op>{op, identity},
                          scan, options...);
}

/// The scan without the element itself, see `quern::exclusive_scan`.
template <execution_space Exec, distributed_like Out, class Op, scalar_value T, distributed_like In,
          impl::scan_setting... Options>
void exclusive_scan(const Exec& exec, const Out& out, const Op& op, const T& identity, const In& in,
                    const Options&... options) {
  const auto scan = [&](const auto& e, const auto& o, const auto& x, const auto&... option) {
    quern::exclusive_scan(e, o, op, identity, x, option...);
  };
  impl::scan_ranks<true>("quern::distributed::exclusive_scan", exec, out, in, impl::carry_op<T, Op>{op, identity}, scan,
                         options...);
}

}  // namespace quern::distributed

#endif
