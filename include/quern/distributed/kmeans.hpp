// SPDX-FileCopyrightText: the Quern authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef QUERN_DISTRIBUTED_KMEANS_HPP
#define QUERN_DISTRIBUTED_KMEANS_HPP

#include <algorithm>
#include <quern/analysis/kmeans.hpp>
#include <quern/core/memory/pool_array.hpp>
#include <quern/distributed/operands.hpp>
#include <quern/distributed/rank_sums.hpp>
#include <quern/distributed/redistribute.hpp>

namespace quern::impl {

/// Rows of ranks: the first of each, and behind the last rank their number.
using rows_of_each = std::vector<std::int64_t>;
inline rows_of_each rows_of_blocks(const Decomposition& d) {
  rows_of_each first;
  for (int r = 0; r < d.communicator().size(); ++r) first.push_back(d.of(r).first.extent[0]);
  first.push_back(d.extents().extent[0]);
  return first;
}
/// Where rows begin at multiples of `unit`, as near as can be to where they are.
inline rows_of_each rows_together(rows_of_each first, std::int64_t unit) {
  for (std::size_t r = 0; r + 1 < first.size(); ++r)
    first[r] = std::min(first.back(), (first[r] + unit / 2) / unit * unit);
  return first;
}

/// Brings rows from one cut over ranks to another.
template <class Exec, class To, class From>
void move_rows(const Exec& exec, const Communicator& comm, const std::string& label, const strided<To>& to,
               const rows_of_each& wanted, const strided<From>& from, const rows_of_each& given) {
  std::vector<peer_box> out, in;
  const auto add = [](std::vector<peer_box>& boxes, int peer, const auto& rows, std::int64_t begin, std::int64_t first,
                      std::int64_t last) {
    if (first >= last) return;
    auto some = rows;
    some.data += (first - begin) * some.stride[0];
    some.extents.extent[0] = last - first;
    boxes.emplace_back(peer, some);
  };
  const int rank = comm.rank();
  for (int r = 0; r < comm.size(); ++r) {
    add(out, r, from, given[rank], std::max(given[rank], wanted[r]), std::min(given[rank + 1], wanted[r + 1]));
    add(in, r, to, wanted[rank], std::max(wanted[rank], given[r]), std::min(wanted[rank + 1], given[r + 1]));
  }
  exchange_once(exec, comm, label, out, in);
}

/// The points of all ranks, which have them one behind the other.
template <class Exec>
class points_of_ranks : public other_points {
 public:
  points_of_ranks(const Exec& exec, const Communicator& comm, std::int64_t of_all, std::int64_t of_first)
      : other_points(of_all, of_first), exec_(exec), comm_(comm) {}
  void sum(float* values, std::int64_t count) const override { sum_over_ranks(exec_, comm_, values, count); }
  void sum(double* values, std::int64_t count) const override { sum_over_ranks(exec_, comm_, values, count); }
  void sum_on_host(double* values, std::int64_t count) const override {
    const double zero = 0;
    const add_to add;
    all_reduce(comm_, values, count, sizeof(double), mpi_operation<double, add_to>::of(add, zero));
  }
  std::int64_t least(std::int64_t value) const override {
    const auto values = all_gather(comm_, value);
    return *std::min_element(values.begin(), values.end());
  }
  int size() const override { return comm_.size(); }
  int number() const override { return comm_.rank(); }

 private:
  const Exec& exec_;
  const Communicator& comm_;
};

/// The points of this rank, from a part of all of them on, and their labels. Where the ranks' blocks begin with no
/// parts, some rows are on another rank than in the blocks, so that all are copied.
template <class Exec, class Labels, class Points>
class points_in_parts {
 public:
  using T = std::remove_const_t<value_of<Points>>;
  using L = value_of<Labels>;
  points_in_parts(const call<Exec>& c, const Labels& labels, const Points& points, std::int64_t unit)
      : c_(c),
        labels_(labels),
        comm_(points.communicator()),
        rows_(rows_together(rows_of_blocks(points.decomposition()), unit)),
        moved_(rows_ != rows_of_blocks(points.decomposition()) || rows_ != rows_of_blocks(labels.decomposition())),
        points_(c.input(points.local())) {
    if (!moved_) return;
    const std::int64_t n = rows_[comm_.rank() + 1] - first(), d = points.extents().extent[1];
    memory_ = pool_view<Kokkos::View<T**, Kokkos::LayoutRight, typename Exec::memory_space>>(c.exec, n, d);
    own_labels_ = pool_view<Kokkos::View<L*, typename Exec::memory_space>>(c.exec, n);
    const strided<T> to = describe(memory_.data(), memory_);
    move_rows(c.exec, comm_, c.label, to, rows_, points_, rows_of_blocks(points.decomposition()));
    points_ = strided<const T>{to.data, to.extents, to.stride};
  }
  std::int64_t first() const { return rows_[comm_.rank()]; }
  const strided<const T>& points() const { return points_; }
  template <class Run, class Centers>
  void write(Run& run, const Centers& centers) const {
    if (!moved_) return run.write(centers, labels_.local());
    run.write(centers, own_labels_);
    move_rows(c_.exec, comm_, c_.label, c_.output(labels_.local()), rows_of_blocks(labels_.decomposition()),
              describe<const L>(own_labels_.data(), own_labels_), rows_);
  }

 private:
  const call<Exec>& c_;
  const Labels& labels_;
  const Communicator& comm_;
  rows_of_each rows_;
  bool moved_;
  strided<const T> points_;
  Kokkos::View<T**, Kokkos::LayoutRight, typename Exec::memory_space> memory_;
  Kokkos::View<L*, typename Exec::memory_space> own_labels_;
};

template <>
struct engine<over_ranks_place, clusterings> {
  template <class Exec, class Centers, class Labels, class Points, class Start, class... Options>
  static kmeans_result run(const Exec& exec, const Centers& centers_view, const Labels& labels_view,
                           const Points& points_view, const Start& start, const Options&... options) {
    static_assert(view_like<Centers> && distributed_like<Labels> && distributed_like<Points>,
                  "quern::kmeans: over ranks, labels and points are DistributedViews and centers is a View");
    check_place_options<Options...>();
    const call c("quern::kmeans", exec);
    const Communicator& comm = points_view.communicator();
    check_same_arrays(
        comm, c.label, [&] { return start.text() + text_of_options(options...); }, centers_view, labels_view,
        points_view);
    const auto request = request_of_kmeans<Centers, Labels, Points>(c.label, start, options...);
    const auto centers = c.output(centers_view);
    check(c, centers, labels_view, points_view);
    succeed_together(comm, c.label, [&] {  // memory is a rank's own: one may have arrays that overlap, and others not
      check_kmeans_apart(c.label, centers, c.output(labels_view.local()), c.input(points_view.local()));
      start.check(c, centers);
      return true;
    });
    using T = std::remove_const_t<value_of<Points>>;
    using run_type = kmeans_run<reproducibly<Options...>, Exec, T>;
    const std::int64_t n = points_view.extents().extent[0], d = points_view.extents().extent[1],
                       k = centers.extents.extent[0];
    return in_operation(c.label, [&] {
      const points_in_parts<Exec, Labels, Points> rows(c, labels_view, points_view, run_type::points_together(n, k, d));
      const points_of_ranks<Exec> others(exec, comm, n, rows.first());
      const resident_points<T> points{rows.points()};
      run_type found(c.label, exec, points, k, comm.size() > 1 ? &others : nullptr);
      const kmeans_result result = request(c, found);
      rows.write(found, centers_view);
      exec.fence(kernel_label(c.label));
      return result;
    });
  }

 private:
  template <class Exec, class Centers, class Labels, class Points>
  static void check(const call<Exec>& c, const Centers& centers, const Labels& labels, const Points& points) {
    static_assert(Points::rank == 2 && Labels::rank == 1, "quern::kmeans: points are of rank 2, and labels of rank 1");
    check_kmeans_extents(c.label, points.extents(), centers.extents, labels.extents());
    check_positions<value_of<Labels>>(c.label, "labels", centers.extents.extent[0]);
    if (points.decomposition().grid(1) != 1)
      throw Error(c.label, "points has a grid of " + std::to_string(points.decomposition().grid(1)) +
                               " ranks along axis 1, expected 1: rows are distributed");
    if (!(labels.communicator() == points.communicator()))
      throw Error(c.label, "labels and points are of two communicators");
  }
  template <class... Options>
  static std::string text_of_options(const Options&... options) {
    std::string text = reproducibly<Options...> ? ", reproducible" : "";
    const tolerance within = option_or(tolerance(), options...);
    if (within.relative) text += ", relative " + text_of(*within.relative);
    if (within.absolute) text += ", absolute " + text_of(*within.absolute);
    if (const auto* limit = find_option<max_iterations>(options...))
      text += ", max_iterations " + std::to_string(limit->value);
    return text;
  }
};

}  // namespace quern::impl

#endif
