// SPDX-FileCopyrightText: the Quern authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef QUERN_RANDOM_POISSON_TABLE_HPP
#define QUERN_RANDOM_POISSON_TABLE_HPP

#include <quern/core/launch/team_scratch.hpp>
#include <quern/core/launch/tuning.hpp>
#include <quern/core/memory/workspace.hpp>
#include <quern/random/draws.hpp>

/// @file
/// Poisson numbers of one rate for all, by inversion: a table of sums of probabilities, which a uniform number is
/// looked up in.

namespace quern::impl {

/// Counts below the table and above it are less probable than 2^-53.
struct poisson_table {
  static constexpr int most = 512, cells = 256;
  static constexpr double largest_rate = 750;

  double* sums = nullptr;         // of the probabilities up to that of `first + i`
  std::int32_t* start = nullptr;  // for each cell of [0, 1), the first entry that a number in it may find
  std::int64_t first = 0;
  int entries = 0;

  KOKKOS_FORCEINLINE_FUNCTION std::int64_t number(std::uint64_t w) const {
    const double u = variate::uniform(w);
    int i = start[w >> 56];
    while (u >= sums[i]) ++i;
    return first + i;
  }
};

/// Fills a table, by one team. The order of the additions is the same for every size of a team: Hillis and Steele, Data
/// parallel algorithms (Comm. ACM 29, 1986).
template <class Exec>
struct poisson_table_kernel {
  using policy = Kokkos::TeamPolicy<Exec>;
  poisson_table table;
  double rate;

  KOKKOS_FUNCTION double probability(std::int64_t k) const {
    const double x = variate::log_poisson(static_cast<double>(k), Kokkos::max(rate, 1e-300));
    return x < -700 ? 0 : portable::exp(x);
  }

  KOKKOS_FUNCTION void operator()(const typename policy::member_type& team) const {
    const int entries = table.entries;
    auto* from = static_cast<double*>(team.team_shmem().get_shmem(2 * entries * sizeof(double)));
    auto* to = from + entries;
    const auto each = [&](int n, const auto& f) {
      Kokkos::parallel_for(Kokkos::TeamThreadRange(team, n), f);
      team.team_barrier();
    };
    each(entries, [&](int i) { from[i] = probability(table.first + i); });
    for (int step = 1; step < entries; step *= 2) {
      each(entries, [&](int i) { to[i] = i < step ? from[i] : from[i - step] + from[i]; });
      Kokkos::kokkos_swap(from, to);
    }
    each(entries, [&](int i) { table.sums[i] = i == entries - 1 ? 1 : from[i]; });
    each(poisson_table::cells, [&](int cell) {
      int low = 0, high = entries - 1;
      while (low < high) {
        const int middle = (low + high) / 2;
        if (from[middle] > static_cast<double>(cell) / poisson_table::cells) high = middle;
        else low = middle + 1;
      }
      table.start[cell] = low;
    });
  }

  void launch(const Exec& exec, const std::string& label) const {
    const int bytes = 2 * table.entries * static_cast<int>(sizeof(double));
    Kokkos::parallel_for(
        label, policy(exec, 1, Kokkos::AUTO).set_scratch_size(0, team_scratch<Exec>(label, 1024, bytes)), *this);
  }
};

template <class T>
struct poisson_draw : word_draw<T, std::uint64_t, poisson_draw<T>> {
  poisson_table table;
  explicit poisson_draw(const poisson_table& t) : table(t) {}
  KOKKOS_FORCEINLINE_FUNCTION T number(std::uint64_t w, const random::key&, std::int64_t) const {
    return static_cast<T>(table.number(w));
  }
};

/// A table in scratch memory, which kernels on `exec` may read while this is there.
template <class Exec>
class poisson_table_of {
 public:
  poisson_table_of(const std::string& label, const Exec& exec, double rate)
      : memory_(exec, poisson_table::most + poisson_table::cells / 2) {
    const double around = 8.5 * std::sqrt(rate);
    table_.sums = memory_.data();
    table_.start = reinterpret_cast<std::int32_t*>(memory_.data() + poisson_table::most);
    table_.first = static_cast<std::int64_t>(std::max(0.0, rate - around));
    table_.entries = static_cast<int>(rate + around - static_cast<double>(table_.first)) + 30;
    poisson_table_kernel<Exec>{table_, rate}.launch(exec, label + "/table");
  }
  const poisson_table& table() const { return table_; }

 private:
  scratch_array<Exec, double> memory_;
  poisson_table table_;
};

}  // namespace quern::impl

#endif
