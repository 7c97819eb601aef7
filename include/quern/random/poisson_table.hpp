// SPDX-FileCopyrightText: the Quern authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef QUERN_RANDOM_POISSON_TABLE_HPP
#define QUERN_RANDOM_POISSON_TABLE_HPP

#include <quern/core/call/label.hpp>
#include <quern/core/launch/team_scratch.hpp>
#include <quern/random/draws.hpp>

/// @file
/// Poisson numbers of one rate for all, by inversion: a table of sums of probabilities, which a uniform number is
/// looked up in.

namespace quern::impl {

/// Counts below the table and above it are less probable than 2^-53.
struct poisson_table {
  static constexpr int max_entries = 512, cells = 256, doubles = max_entries + cells / 2;
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
};

template <class T>
struct table_poisson_draw : word_draw<T, std::uint64_t, table_poisson_draw<T>> {
  poisson_table table;
  KOKKOS_FORCEINLINE_FUNCTION T number(std::uint64_t w, const random::key&, std::int64_t) const {
    return static_cast<T>(table.number(w));
  }
};

/// A table in `memory` for `poisson_table::doubles` numbers, which kernels on `exec` may read.
template <class Exec>
poisson_table make_poisson_table(const std::string& label, const Exec& exec, double rate, double* memory) {
  const double around = 8.5 * std::sqrt(rate);
  poisson_table table{memory, reinterpret_cast<std::int32_t*>(memory + poisson_table::max_entries)};
  table.first = static_cast<std::int64_t>(std::max(0.0, rate - around));
  table.entries = static_cast<int>(rate + around - static_cast<double>(table.first)) + 30;
  const int bytes = 2 * table.entries * static_cast<int>(sizeof(double));
  typename poisson_table_kernel<Exec>::policy policy(exec, 1, Kokkos::AUTO);
  policy.set_scratch_size(0, team_scratch<Exec>(label_text(label, "/table"), 1024, bytes));
  Kokkos::parallel_for(kernel_label(label, "/table"), policy, poisson_table_kernel<Exec>{table, rate});
  return table;
}

}  // namespace quern::impl

#endif
