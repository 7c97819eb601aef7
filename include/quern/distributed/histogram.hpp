// SPDX-FileCopyrightText: the Quern authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef QUERN_DISTRIBUTED_HISTOGRAM_HPP
#define QUERN_DISTRIBUTED_HISTOGRAM_HPP

#include <quern/core/call/label.hpp>
#include <quern/distributed/operands.hpp>
#include <quern/distributed/rank_sums.hpp>
#include <quern/keyed/histogram.hpp>
#include <quern/transfer/copy.hpp>

namespace quern::impl {

/// out = the sum over all ranks of what `count` writes to a View of out's extents.
template <class Exec, class Out, class Count>
void sum_of_counts(const Exec& exec, const Communicator& comm, const Out& out, const Count& count) {
  using T = value_of<Out>;
  const std::int64_t n = view_extents(out).size();
  const auto counts = pool_view<Kokkos::View<T*, typename Exec::memory_space>>(exec, n);
  count(counts);
  sum_over_ranks(exec, comm, counts.data(), n);
  quern::copy(exec, out, counts);
  exec.fence(kernel_label("quern::distributed: counts"));
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
    constexpr int rank = rank_of<std::tuple_element_t<0, std::tuple<In...>>>;  // weights broadcast
    const Decomposition d = unpack([](const auto&... in) { return leading_field(in...).decomposition(); }, inputs);
    check_extents(label, input_name(0), operand_extents(label, std::get<0>(inputs)), d.extents());
    sum_of_counts(exec, d.communicator(), out, [&](const auto& counts) {
      [&]<std::size_t... I>(std::index_sequence<I...>) {
        with_bins(exec, label, counts, counted.bin, operand_at_block<rank>(label, I, std::get<I>(inputs), d)...);
      }(std::index_sequence_for<In...>());
    });
  }
};

/// What is wrong with the weights or the mask of a rank's keys; nothing if they broadcast to these.
template <class X, class... Options>
std::string text_of_unfit_rows(const std::string& label, const X& x, const Options&... options) {
  const shape rows = operand_extents(label, x);
  stride_array ignored;
  const auto fits = [&](const auto& w) { return broadcast_strides(operand_extents(label, w), {}, rows, ignored); };
  if (!unpack([&](const auto&... w) { return (fits(w) && ...); }, std::tuple_cat(weights_in(options)...)))
    return "weights do not fit keys of extents " + rows.str();
  if constexpr (with_mask<Options...>)
    if (!fits(mask_among(options...).where)) return "the mask does not fit keys of extents " + rows.str();
  return "";
}

}  // namespace quern::impl

namespace quern {

/// `bincount` of the rows of all ranks, of which each has its own in Views, any number of them: `out(k)` is how many
/// have the key k, or the sum of their weights. Of DistributedViews, which know the communicator, it is `bincount`
/// without one.
///
/// @param out     of rank 1, the same on every rank when the call returns
/// @param x       the keys of the rank's rows, integers
/// @param options `weights{w}` and `mask{m}`, with extents that broadcast to those of x; `key_range`
///
/// Collective; waits.
/// @throws Error, the same on every rank, if weights or a mask do not fit the keys of a rank, or out has another rank
template <execution_space Exec, std::same_as<Communicator> Comm, view_like Out, array_like X,
          impl::keys_option... Options>
void bincount(const Exec& exec, const Comm& comm, const Out& out, const X& x, const Options&... options) {
  using namespace impl;
  const std::string& label = label_text("quern::bincount");
  const std::string unfit = text_of_unfit_rows(label, x, options...);
  const auto more = [&] {
    return text_of(find_option<key_range>(options...)) + ((is_weights<Options> || ...) ? ", weighted" : "") +
           (with_mask<Options...> ? ", masked" : "") + (unfit.empty() ? "" : ", " + unfit);
  };
  check_same_arrays(comm, label, more, out);
  check_extents(label, "out", impl::view_extents(out), shape{impl::view_extents(out).size()});
  throw_together(comm, label, unfit);  // rows are a rank's own
  sum_of_counts(exec, comm, out, [&](const auto& counts) { quern::bincount(exec, counts, x, options...); });
}
template <std::same_as<Communicator> Comm, view_like Out, array_like X, impl::keys_option... Options>
void bincount(const Comm& comm, const Out& out, const X& x, const Options&... options) {
  bincount(impl::space_of(out), comm, out, x, options...);
}

}  // namespace quern

#endif
