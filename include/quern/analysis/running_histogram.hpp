// SPDX-FileCopyrightText: the Quern authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef QUERN_ANALYSIS_RUNNING_HISTOGRAM_HPP
#define QUERN_ANALYSIS_RUNNING_HISTOGRAM_HPP

#include <quern/core/views/part_view.hpp>
#include <quern/keyed/histogram.hpp>
#include <quern/map/functions.hpp>

namespace quern {

/// The histogram of all values that have been added, step by step:
///
/// @code
/// quern::RunningHistogram<Kokkos::View<std::int64_t*>> speeds(exec, 50, {0.0, 10.0});
/// for (int step = 0; step < steps; ++step) speeds.add(exec, speed);
/// const auto counts = quern::to_host(speeds.counts());
/// @endcode
///
/// @tparam V a View of one axis, of a type that `histogram` counts in: integers of 32 or 64 bits, float or double.
/// Counts are added in that type: those of 32 bits wrap behind 2^31 - 1, or 2^32 - 1, and float stays at 2^24.
///
/// Asynchronous on `exec`: nothing waits, and a warm call allocates nothing. Work on one object must be ordered; copies
/// share the counts.
template <view_like V>
class RunningHistogram {
  using T = impl::value_of<V>;
  static_assert(impl::rank_of<V> == 1, "quern::RunningHistogram: the counts have one axis");

 public:
  using merged_over_ranks = void;
  using space_type = typename V::execution_space;
  using count_view = Kokkos::View<T*, Kokkos::LayoutRight, typename V::memory_space>;

  /// So many equal bins in a range. Allocates.
  /// @throws Error as `histogram`: if there is no bin, the range is no range, or bins are too narrow for doubles
  template <execution_space Exec>
  RunningHistogram(const Exec& exec, std::int64_t bins, const bin_range& range)
      : counts_(Kokkos::view_alloc(exec, "quern::RunningHistogram"), checked_bins(bins, range)), range_(range) {}

  /// Counts the values of x, an array of any axes in memory, in chunks or over ranks, as `histogram` does, with its
  /// options `weights` and `mask`; in chunks and over ranks it waits, and the counts are whole on every rank.
  /// @throws Error as `histogram`
  template <execution_space Exec, any_array X, impl::histogram_option... Options>
  void add(const Exec& exec, const X& x, const Options&... options) const {
    const auto bins = static_cast<std::int64_t>(counts_.extent(0));
    const impl::scratch_array<Exec, T> memory(exec, bins);
    const auto sample = impl::as_part<Exec, 1, Kokkos::LayoutRight>(impl::strided<T>{memory.data(), {bins}, {1}});
    histogram(exec, sample, x, range_, options...);
    quern::add(exec, counts_, counts_, sample);
  }
  /// Adds the counts of another one in the same bins.
  /// @throws Error if the bins are others
  template <execution_space Exec>
  void merge(const Exec& exec, const RunningHistogram& other) const {
    impl::check_extents("quern::RunningHistogram", "other", impl::view_extents(other.counts_),
                        impl::view_extents(counts_));
    if (range_.low != other.range_.low || range_.high != other.range_.high)
      throw Error("quern::RunningHistogram", "the other one has another range");
    quern::add(exec, counts_, counts_, other.counts_);
  }
  /// Forgets all values.
  template <execution_space Exec>
  void reset(const Exec& exec) const {
    quern::fill(exec, counts_, T(0));
  }
  /// The counts of the bins, whose edges are `linspace` of the range.
  const count_view& counts() const { return counts_; }

 private:
  static std::size_t checked_bins(std::int64_t bins, const bin_range& range) {
    const char* const label = "quern::RunningHistogram";
    if (bins < 1) throw Error(label, std::to_string(bins) + " bins, expected at least 1");
    impl::check_range(label, range, bins);
    return static_cast<std::size_t>(bins);
  }

  count_view counts_;
  bin_range range_;
};

}  // namespace quern

#endif
