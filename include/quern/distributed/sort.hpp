// SPDX-FileCopyrightText: the Quern authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef QUERN_DISTRIBUTED_SORT_HPP
#define QUERN_DISTRIBUTED_SORT_HPP

#include <algorithm>
#include <quern/core/memory/pool_array.hpp>
#include <quern/core/values/ordered.hpp>
#include <quern/distributed/operands.hpp>
#include <quern/distributed/redistribute.hpp>
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
/// order of all.
template <class Exec, class T>
class sorted_cuts {
 public:
  sorted_cuts(const Exec& exec, const Communicator& comm, const by_order<T>& order, const T* sorted, std::int64_t n,
              const std::vector<std::int64_t>& first_of_block)
      : exec_(exec),
        comm_(comm),
        order_(order),
        sorted_(sorted),
        n_(n),
        boundaries_(first_of_block.size()),
        limits_(exec, shape{comm.size()}),
        counts_(exec, shape{comm.size()}) {
    const std::int64_t all = sum_of_ranks(comm, n);
    // The key at each boundary by bisection, which every rank counts for.
    std::vector<std::uint64_t> low(boundaries_, 0), high(boundaries_, std::uint64_t{ordered<T>::nan});
    for (int bit = 0; bit <= 8 * static_cast<int>(sizeof(typename ordered<T>::key)); ++bit) {
      for (std::size_t b = 0; b < boundaries_; ++b) limits_.data[b] = low[b] + (high[b] - low[b]) / 2;
      const auto here = counts(), everywhere = summed(here);
      for (std::size_t b = 0; b < boundaries_; ++b)
        if (everywhere[b] > first_of_block[b]) high[b] = std::min<std::uint64_t>(high[b], limits_.data[b]);
        else low[b] = std::max<std::uint64_t>(low[b], std::min<std::uint64_t>(limits_.data[b] + 1, high[b]));
    }
    // Of equal values, the boundary takes those of the first ranks.
    for (std::size_t b = 0; b < boundaries_; ++b) limits_.data[b] = low[b];
    const auto up_to = counts();
    for (std::size_t b = 0; b < boundaries_; ++b) limits_.data[b] = low[b] > 0 ? low[b] - 1 : 0;
    auto below = counts();
    for (std::size_t b = 0; b < boundaries_; ++b)
      if (low[b] == 0) below[b] = 0;
    const auto all_below = summed(below);
    std::vector<std::int64_t> equal(boundaries_), before(boundaries_, 0);
    for (std::size_t b = 0; b < boundaries_; ++b) equal[b] = up_to[b] - below[b];
    check_mpi("quern::sort",
              MPI_Exscan(equal.data(), before.data(), static_cast<int>(boundaries_), MPI_INT64_T, MPI_SUM, comm.mpi()));
    if (comm.rank() == 0) std::fill(before.begin(), before.end(), 0);
    for (std::size_t b = 0; b < boundaries_; ++b)
      cut_.push_back(first_of_block[b] >= all
                         ? n
                         : below[b] +
                               std::clamp<std::int64_t>(first_of_block[b] - all_below[b] - before[b], 0, equal[b]));
    cut_.push_back(n);
  }

  /// The first of the values for a rank, and behind the last rank their number.
  std::int64_t operator[](int rank) const { return cut_[rank]; }

 private:
  std::vector<std::int64_t> counts() const {
    Kokkos::parallel_for("quern::sort/counts", Kokkos::RangePolicy<Exec>(exec_, 0, boundaries_),
                         count_up_to<T>{order_, sorted_, n_, limits_.data, counts_.data});
    exec_.fence("quern::sort: counts");
    return {counts_.data, counts_.data + boundaries_};
  }
  std::vector<std::int64_t> summed(std::vector<std::int64_t> values) const {
    check_mpi("quern::sort", MPI_Allreduce(MPI_IN_PLACE, values.data(), static_cast<int>(values.size()), MPI_INT64_T,
                                           MPI_SUM, comm_.mpi()));
    return values;
  }

  const Exec& exec_;
  const Communicator& comm_;
  by_order<T> order_;
  const T* sorted_;
  std::int64_t n_;
  std::size_t boundaries_;
  pool_array<std::uint64_t, result_space<Exec>> limits_;
  pool_array<std::int64_t, result_space<Exec>> counts_;
  std::vector<std::int64_t> cut_;
};

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
  const sorted_cuts<Exec, T> cut(exec, comm, order, sorted.data(), n, first);
  for (int r = 0; r < comm.size(); ++r) given[r] = cut[r + 1] - cut[r];
  all_to_all(comm, given.data(), taken.data());
  std::vector<peer_box> sends, receives;
  std::int64_t at = 0;
  for (int r = 0; r < comm.size(); ++r) {
    sends.emplace_back(r, strided<T>{sorted.data() + cut[r], {given[r]}, {1}});
    receives.emplace_back(r, strided<T>{arrived.data() + at, {taken[r]}, {1}});
    at += taken[r];
  }
  exchange_once(comm, exec, label, sends, receives);
  quern::sort(exec, out.local(), arrived, direction);
  exec.fence(label);
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
    const std::string label = "quern::sort";
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
      exec.fence(label);
    } else {
      in_operation(label, [&] { sort_over_ranks(label, exec, out, in, ordering_of<T>(options...)); });
    }
  }
};

}  // namespace quern::impl

#endif
