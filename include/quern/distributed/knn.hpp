// SPDX-FileCopyrightText: the Quern authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef QUERN_DISTRIBUTED_KNN_HPP
#define QUERN_DISTRIBUTED_KNN_HPP

#include <quern/core/memory/pool_array.hpp>
#include <quern/distributed/box_exchange.hpp>
#include <quern/distributed/operands.hpp>
#include <quern/particles/knn.hpp>
#include <quern/particles/nearest_so_far.hpp>

namespace quern::impl {

/// The nearest points that a rank has of each query, the nearest first: their numbers, -1 for none, and distances, one
/// table behind the other.
template <class T>
struct nearest_of_rank {
  std::byte* data;
  std::int64_t queries, k;

  static std::int64_t bytes(std::int64_t queries, std::int64_t k) {
    constexpr auto of_one = static_cast<std::int64_t>(sizeof(std::int64_t) + sizeof(T));
    constexpr std::int64_t unit = 16;
    return (queries * k * of_one + unit - 1) / unit * unit;
  }
  KOKKOS_FUNCTION std::int64_t* numbers() const { return reinterpret_cast<std::int64_t*>(data); }
  KOKKOS_FUNCTION T* distances() const { return reinterpret_cast<T*>(data + queries * k * sizeof(std::int64_t)); }
};

/// Numbers of a rank's points become those of all, and rows get their missing results.
template <class T>
struct number_nearest {
  nearest_of_rank<T> of;
  std::int64_t found, first;  // results of each query, and the number of the rank's first point
  KOKKOS_FUNCTION void operator()(std::int64_t e) const {
    std::int64_t& number = of.numbers()[e];
    const bool missing = e % of.k >= found || number < 0;
    number = missing ? -1 : number + first;
    if (missing) of.distances()[e] = Kokkos::Experimental::infinity_v<T>;
  }
};

/// The nearest of the points that all ranks have found, of equal distances the one with the smaller number.
template <class T>
struct merge_nearest {
  nearest_of_rank<T> first, to;  // of rank 0, with those of the others behind it
  int ranks;
  std::int64_t bytes;
  KOKKOS_FUNCTION void operator()(std::int64_t q) const {
    const std::int64_t k = to.k;
    nearest_so_far<T, std::int64_t> nearest{to.distances() + q * k, to.numbers() + q * k, 1, static_cast<int>(k)};
    for (int r = 0; r < ranks; ++r) {
      const nearest_of_rank<T> from{first.data + r * bytes, to.queries, k};
      for (std::int64_t e = q * k; e < (q + 1) * k; ++e) {
        if (from.numbers()[e] < 0 || !nearest.takes(from.distances()[e], from.numbers()[e])) break;
        nearest.add(from.distances()[e], from.numbers()[e]);
      }
    }
    for (int j = nearest.found; j < k; ++j) {
      nearest.distances[j] = Kokkos::Experimental::infinity_v<T>;
      nearest.points[j] = -1;
    }
  }
};

template <>
struct engine<over_ranks_place, nearest_searches> {
  template <class Search, class Exec, class Neighbors, class Distances, class Queries, class Points>
  static void run(const Search& search, const Exec& exec, const Neighbors& neighbors, const Distances& distances,
                  const Queries& queries, const Points& points) {
    static_assert(view_like<Neighbors> && view_like<Distances> && view_like<Queries> && distributed_like<Points>,
                  "quern::knn: over ranks, points is a DistributedView and the other arrays are Views");
    using T = std::remove_const_t<value_of<Points>>;
    const call c("quern::knn", exec);
    const Communicator& comm = points.communicator();
    check_same_arrays(comm, c.label, [&] { return search.text(); }, neighbors, distances, queries, points);
    check(c, neighbors, distances, queries, points);
    succeed_together(comm, c.label, [&] {  // memory is a rank's own: one may have arrays that overlap, and others not
      check_knn_apart(c, neighbors, distances, points.local(), queries);
      return true;
    });
    // On all ranks, since those without points do not search.
    search.template check<T>(c.label, points.extents().extent[1], view_extents(neighbors).extent[1]);
    check_point_numbers(c.label, max_rows(points));
    const std::int64_t m = view_extents(queries).extent[0], k = view_extents(neighbors).extent[1];
    if (m == 0 || k == 0) return;
    const std::int64_t bytes = nearest_of_rank<T>::bytes(m, k);
    const auto block = take_block<typename Exec::memory_space>(instance_ref(exec), (comm.size() + 2) * bytes);
    auto* const all = reinterpret_cast<std::byte*>(block.data());
    const nearest_of_rank<T> own{all + comm.size() * bytes, m, k}, merged{own.data + bytes, m, k};
    in_operation(c.label, [&] { search_own(search, exec, own, queries, points); });
    Kokkos::parallel_for(
        kernel_label(c.label, "/numbers"), index_range(exec, m * k),
        number_nearest<T>{own, own_results(points, k), points.decomposition().local().first.extent[0]});
    all_gather_values(exec, comm, c.label, own.data, all, bytes);
    Kokkos::parallel_for(kernel_label(c.label, "/merge"), index_range(exec, m),
                         merge_nearest<T>{{all, m, k}, merged, comm.size(), bytes});
    map_checked(label_text(c.label, "/neighbors"), exec, neighbors, op::identity(),
                table<Exec>(merged.numbers(), m, k, k));
    map_checked(label_text(c.label, "/distances"), exec, distances, op::identity(),
                table<Exec>(merged.distances(), m, k, k));
    exec.fence(kernel_label(c.label));
  }

 private:
  /// Those of the rank that has most.
  template <class Points>
  static std::int64_t max_rows(const Points& points) {
    const std::int64_t n = points.extents().extent[0], ranks = points.decomposition().grid(0);
    return (n + ranks - 1) / ranks;
  }
  template <class Points>
  static std::int64_t own_results(const Points& points, std::int64_t k) {
    return std::min(k, points.decomposition().local().extents.extent[0]);
  }
  template <class Exec, class V>
  static auto table(V* data, std::int64_t rows, std::int64_t columns, std::int64_t between) {
    const std::size_t extents[] = {static_cast<std::size_t>(rows), static_cast<std::size_t>(columns)};
    const std::size_t strides[] = {static_cast<std::size_t>(between), 1};
    return as_view<typename Exec::memory_space>(data, extents, strides);
  }
  template <class Search, class Exec, class T, class Queries, class Points>
  static void search_own(const Search& search, const Exec& exec, const nearest_of_rank<T>& to, const Queries& queries,
                         const Points& points) {
    const std::int64_t found = own_results(points, to.k);
    if (found > 0)
      search(exec, table<Exec>(to.numbers(), to.queries, found, to.k),
             table<Exec>(to.distances(), to.queries, found, to.k), queries, points.local());
  }
  template <class Exec, class Neighbors, class Distances, class Queries, class Points>
  static void check(const call<Exec>& c, const Neighbors& neighbors, const Distances& distances, const Queries& queries,
                    const Points& points) {
    static_assert(Points::rank == 2, "quern::knn: points are of rank 2");
    static_assert(std::is_same_v<value_of<Queries>, value_of<Points>>,
                  "quern::knn: queries and points must be of one type");
    const shape of_queries = view_extents(queries), of_points = points.extents();
    if (of_queries.rank != 2 || of_queries.extent[1] != of_points.extent[1])
      reject_extents(c.label, "queries", of_queries,
                     "(m, " + std::to_string(of_points.extent[1]) + "), as many columns as points");
    check_results_of_knn(c.label, neighbors, distances, of_queries.extent[0], of_points.extent[0]);
    if (points.decomposition().grid(1) != 1)
      throw Error(c.label, "points has a grid of " + std::to_string(points.decomposition().grid(1)) +
                               " ranks along axis 1, expected 1: rows are distributed");
  }
};

}  // namespace quern::impl

#endif
