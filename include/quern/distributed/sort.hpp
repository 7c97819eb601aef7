// SPDX-FileCopyrightText: the Quern authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef QUERN_DISTRIBUTED_SORT_HPP
#define QUERN_DISTRIBUTED_SORT_HPP

#include <algorithm>
#include <quern/core/call/label.hpp>
#include <quern/core/memory/pool_array.hpp>
#include <quern/core/values/ordered.hpp>
#include <quern/distributed/operands.hpp>
#include <quern/distributed/redistribute.hpp>
#include <quern/keyed/order.hpp>
#include <quern/keyed/sort.hpp>

namespace quern::impl {

/// count(b) = how many of a rank's sorted values have a key of at most limit(b).
template <class T>
struct count_up_to {
  using key = typename ordered<T>::key;
  by_order<T> order;
  const T* sorted;
  std::int64_t n;
  const std::uint64_t* limit;
  std::int64_t* count;
  KOKKOS_FUNCTION void operator()(std::int64_t b) const {
    std::int64_t low = 0, high = n;
    while (low < high) {
      const std::int64_t middle = low + (high - low) / 2;
      if (order.encode(sorted[middle]) <= static_cast<key>(limit[b])) low = middle + 1;
      else high = middle;
    }
    count[b] = low;
  }
};

/// Where the sorted values of every rank are cut, so that the parts for each rank are the values of its block in the
/// order of all: the first of the values for a rank, and behind the last rank their number.
template <class Exec, class T>
std::vector<std::int64_t> sorted_cuts(const Exec& exec, const Communicator& comm, const by_order<T>& order,
                                      const T* sorted, std::int64_t n,
                                      const std::vector<std::int64_t>& first_of_block) {
  const std::size_t blocks = first_of_block.size();
  const pool_array<std::uint64_t, result_space<Exec>> limits(exec, shape{comm.size()});
  const pool_array<std::int64_t, result_space<Exec>> found(exec, shape{comm.size()});
  const auto counts = [&](const std::vector<std::uint64_t>& up_to) {
    std::copy(up_to.begin(), up_to.end(), limits.data);
    Kokkos::parallel_for(kernel_label("quern::sort/counts"), Kokkos::RangePolicy<Exec>(exec, 0, blocks),
                         count_up_to<T>{order, sorted, n, limits.data, found.data});
    exec.fence(kernel_label("quern::sort: counts"));
    return std::vector<std::int64_t>(found.data, found.data + blocks);
  };
  const auto summed = [&](std::vector<std::int64_t> values) {
    check_mpi("quern::sort",
              MPI_Allreduce(MPI_IN_PLACE, values.data(), static_cast<int>(blocks), MPI_INT64_T, MPI_SUM, comm.mpi()));
    return values;
  };
  const std::int64_t all = sum_of_ranks(comm, n);
  // The key at the begin of each block by bisection, which every rank counts for.
  std::vector<std::uint64_t> low(blocks, 0), high(blocks, std::uint64_t{ordered<T>::nan}), limit(blocks);
  for (int bit = 0; bit <= 8 * static_cast<int>(sizeof(typename ordered<T>::key)); ++bit) {
    for (std::size_t b = 0; b < blocks; ++b) limit[b] = low[b] + (high[b] - low[b]) / 2;
    const auto everywhere = summed(counts(limit));
    for (std::size_t b = 0; b < blocks; ++b)
      if (everywhere[b] > first_of_block[b]) high[b] = std::min<std::uint64_t>(high[b], limit[b]);
      else low[b] = std::max<std::uint64_t>(low[b], std::min<std::uint64_t>(limit[b] + 1, high[b]));
  }
  // Of equal values, the block takes those of the first ranks.
  const auto up_to = counts(low);
  for (std::size_t b = 0; b < blocks; ++b) limit[b] = low[b] > 0 ? low[b] - 1 : 0;
  auto below = counts(limit);
  for (std::size_t b = 0; b < blocks; ++b)
    if (low[b] == 0) below[b] = 0;
  const auto all_below = summed(below);
  std::vector<std::int64_t> equal(blocks), before(blocks, 0), cut;
  for (std::size_t b = 0; b < blocks; ++b) equal[b] = up_to[b] - below[b];
  check_mpi("quern::sort",
            MPI_Exscan(equal.data(), before.data(), static_cast<int>(blocks), MPI_INT64_T, MPI_SUM, comm.mpi()));
  if (comm.rank() == 0) std::fill(before.begin(), before.end(), 0);
  for (std::size_t b = 0; b < blocks; ++b) {
    const std::int64_t taken = std::clamp<std::int64_t>(first_of_block[b] - all_below[b] - before[b], 0, equal[b]);
    cut.push_back(first_of_block[b] >= all ? n : below[b] + taken);
  }
  cut.push_back(n);
  return cut;
}

/// Sorts an array of rank 1 over all ranks.
template <class Exec, class Out, class In, class T>
void sort_over_ranks(const std::string& label, const Exec& exec, const Out& out, const In& in,
                     const by_order<T>& order) {
  const Decomposition& to = out.decomposition();
  const Communicator& comm = to.communicator();
  const auto direction = order.descending ? quern::sort_order::descending : quern::sort_order::ascending;
  using column = Kokkos::View<T*, typename Exec::memory_space>;
  const std::int64_t n = in.decomposition().local().extents.size(), received = to.local().extents.size();
  const auto sorted = pool_view<column>(exec, n), arrived = pool_view<column>(exec, received);
  quern::sort(exec, sorted, in.local(), direction);
  std::vector<std::int64_t> first, given(comm.size()), taken(comm.size());
  for (int r = 0; r < comm.size(); ++r) first.push_back(to.of(r).first.extent[0]);
  const auto cut = sorted_cuts(exec, comm, order, sorted.data(), n, first);
  for (int r = 0; r < comm.size(); ++r) given[r] = cut[r + 1] - cut[r];
  all_to_all(comm, given.data(), taken.data());
  exchange_rows(exec, comm, label, std::tuple(sorted), given, std::tuple(arrived), taken);
  quern::sort(exec, out.local(), arrived, direction);
  exec.fence(kernel_label(label));
}

/// Sorts of DistributedViews.
template <>
struct engine<over_ranks_place, sorts> {
  template <class Exec, class Out, class In, class... Options>
  static void run(const Exec& exec, const Out& out, const In& in, const Options&... options) {
    static_assert(distributed_like<Out> && distributed_like<In>,
                  "quern::sort: over ranks, out and x are DistributedViews");
    using T = value_of<In>;
    constexpr bool own_order = !(is_comparator_option<Options, T> || ...);
    static_assert(own_order || In::rank > 1,
                  "quern::sort: a comparator sorts along axes that are not cut, of rank 2 or more");
    const std::string& label = label_text("quern::sort");
    const Decomposition &from = in.decomposition(), &to = out.decomposition();
    check_same_arrays(
        from.communicator(), label,
        [&] {
          std::string text = text_of_axes(find_option<axis>(options...), In::rank);
          if constexpr (own_order)
            if (ordering_of<T>(options...).descending) text += ", descending";
          return text;
        },
        out, in);
    const sort_lines lines(label, from.extents(), options...);
    check_extents(label, "x", from.extents(), to.extents());
    if (!(to.communicator() == from.communicator())) throw Error(label, "out and x are of two communicators");
    if constexpr (In::rank > 1) {
      check_same_blocks(label, "x", to, from);
      if (to.grid(lines.along) != 1)
        throw Error(label, "axis " + std::to_string(lines.along) + " is cut into the blocks of " +
                               std::to_string(to.grid(lines.along)) +
                               " ranks; redistribute the array along another axis");
      in_operation(label, [&] { quern::sort(exec, out.local(), in.local(), options...); });
      exec.fence(kernel_label(label));
    } else {
      in_operation(label, [&] { sort_over_ranks(label, exec, out, in, ordering_of<T>(options...)); });
    }
  }
};

}  // namespace quern::impl

#endif
