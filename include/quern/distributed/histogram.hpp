// SPDX-FileCopyrightText: the Quern authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef QUERN_DISTRIBUTED_HISTOGRAM_HPP
#define QUERN_DISTRIBUTED_HISTOGRAM_HPP

#include <quern/core/call/label.hpp>
#include <quern/core/launch/operations.hpp>
#include <quern/core/views/lazy.hpp>
#include <quern/distributed/operands.hpp>
#include <quern/distributed/rank_sums.hpp>
#include <quern/keyed/group_by.hpp>
#include <quern/keyed/histogram.hpp>
#include <quern/map/map.hpp>
#include <quern/transfer/as_view.hpp>
#include <quern/transfer/copy.hpp>
#include <vector>

namespace quern::impl {

/// out = the sum over all ranks of what `count` writes to a View of out's extents.
template <class Exec, class Out, class Count>
void sum_of_counts(const Communicator& comm, const Exec& exec, const Out& out, const Count& count) {
  using T = value_of<Out>;
  const std::int64_t n = extents_of(out).size();
  const auto counts = pool_view<Kokkos::View<T*, typename Exec::memory_space>>(exec, n);
  count(counts);
  sum_over_ranks(comm, exec, counts.data(), n);
  quern::copy(exec, out, counts);
  exec.fence(kernel_label("quern::distributed: counts"));
}

/// The values of an array in the message of calls that differ: all, or of many the first and the last, and a sum of
/// their bits.
template <class Exec, class V>
std::string text_of_operand(const compared_values<Exec, V>& values) {
  std::string text = text_of_operand(values.of);
  if constexpr (known_rank<V>() == 1) {
    const auto n = static_cast<std::size_t>(extents_of(values.of).size());
    const auto numbers = pool_view<Kokkos::View<double*, typename Exec::memory_space>>(values.exec, n);
    quern::map(values.exec, numbers, op::identity(), values.of);
    std::vector<double> found(n);
    quern::copy(values.exec, as_view(found), numbers);
    values.exec.fence(kernel_label("quern::distributed: compared values"));
    constexpr std::size_t shown = 8;
    std::uint64_t bits = 0;
    for (std::size_t i = 0; i < n; ++i) {
      if (i < shown || i + 1 == n) text += (i > shown ? " ..." : "") + text_of_scalar(found[i]);
      bits = 31 * bits + Kokkos::bit_cast<std::uint64_t>(found[i]);
    }
    if (n > shown) text += " of bits " + std::to_string(bits);
  }
  return text;
}

/// Counts of DistributedViews, added up over all ranks: counts in integers are exact, sums of weights have the bits of
/// the number of ranks. Collective; waits.
template <>
struct engine<over_ranks_place, counts> : compared_calls {
  template <class Bin, class Exec, class Out, class... In, class... Options>
  static void run(const count_operation<Bin>& counted, const Exec& exec, const Out& out,
                  const std::tuple<const In&...>& inputs, const Options&...) {
    check_place_options<Options...>();
    const std::string label = counted.label;
    constexpr int rank = std::max({rank_of<In>...});
    const Decomposition d = unpack([](const auto&... in) { return leading_field(in...).decomposition(); }, inputs);
    std::size_t number = 0;
    unpack(
        [&](const auto&... in) {
          (check_extents(label, input_name(number++), operand_extents(label, in), d.extents()), ...);
        },
        inputs);
    sum_of_counts(d.communicator(), exec, out, [&](const auto& counts) {
      [&]<std::size_t... I>(std::index_sequence<I...>) {
        with_bins(exec, label, counts, counted.bin, operand_at_block<rank>(label, I, std::get<I>(inputs), d)...);
      }(std::index_sequence_for<In...>());
    });
  }
};

/// Where a key is in a range; -1 outside.
struct from_low {
  std::int64_t low, high;
  template <class K>
  KOKKOS_FUNCTION std::int64_t operator()(const K& key) const {
    const bool inside = !value_less(key, low) && value_less(key, high);
    return inside ? static_cast<std::int64_t>(key) - low : -1;
  }
};

}  // namespace quern::impl

namespace quern::distributed {

/// The sums of groups of rows whose keys are in a range that is known: `out(k)` is the sum of x over the rows of all
/// ranks that have the key `range.low + k`, and 0 where there is none. Rows with other keys are in no group.
///
/// @param out  of rank 1 with `range.high - range.low` elements, the same on every rank when the call returns
/// @param x    the rank's rows: a View of rank 1, of any extent on each rank, or a DistributedView
/// @param keys the keys of the rows, integers
///
/// Collective; waits. Counts of rows are sums of ones: pass `quern::lazy` of a constant, or use `bincount`.
/// @throws Error if extents do not fit, or the range does not go up
template <execution_space Exec, view_like Out, class X, class Keys>
void group_sum(const Exec& exec, const Communicator& comm, const Out& out, const X& x, const Keys& keys,
               const key_range& range) {
  const std::string& label = quern::impl::label_text("quern::distributed::group_sum");
  const auto keys_between = [&] {
    const shape rows = impl::operand_extents(label, impl::local_of(keys));
    impl::stride_array ignored;
    const bool fit = impl::broadcast_strides(impl::operand_extents(label, impl::local_of(x)), {}, rows, ignored);
    return " of keys from " + std::to_string(range.low) + " to " + std::to_string(range.high) +
           (fit ? "" : ", x does not fit keys of extents " + rows.str());
  };
  impl::check_same_arrays(comm, label, keys_between, out);
  std::int64_t groups;
  if (__builtin_sub_overflow(range.high, range.low, &groups) || groups < 0)
    throw Error(label, "the range of keys is from " + std::to_string(range.low) + " to " + std::to_string(range.high));
  impl::check_extents(label, "out", impl::extents_of(out), shape{groups});
  impl::sum_of_counts(comm, exec, out, [&](const auto& counts) {
    const auto values = impl::local_of(x);
    impl::in_operation(label, [&] {
      quern::bincount(exec, counts, quern::lazy(impl::from_low{range.low, range.high}, impl::local_of(keys)),
                      quern::weights<std::remove_const_t<decltype(values)>>{values});
    });
  });
}

template <view_like Out, class X, class Keys>
void group_sum(const Communicator& comm, const Out& out, const X& x, const Keys& keys, const key_range& range) {
  group_sum(quern::impl::space_of(out), comm, out, x, keys, range);
}
QUERN_TAKES_NAME(group_sum)

}  // namespace quern::distributed

#endif
