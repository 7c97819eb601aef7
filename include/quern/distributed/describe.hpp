// SPDX-FileCopyrightText: the Quern authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef QUERN_DISTRIBUTED_DESCRIBE_HPP
#define QUERN_DISTRIBUTED_DESCRIBE_HPP

/// @file
/// Statistics of the columns of tables whose rows are those of several ranks: for programs that link `Quern::table`,
/// too.

#include <algorithm>
#include <limits>
#include <quern/core/memory/pool.hpp>
#include <quern/distributed/rank_sums.hpp>
#include <quern/distributed/same_calls.hpp>
#include <quern/keyed/counted_quantile.hpp>
#include <quern/map/functions.hpp>
#include <quern/table/column.hpp>
#include <quern/table/described_column.hpp>
#include <quern/table/table.hpp>
#include <quern/transfer/as_view.hpp>
#include <quern/transfer/copy.hpp>

namespace quern {
namespace impl {

struct to_double {
  template <class T>
  KOKKOS_FUNCTION double operator()(const T& x) const {
    return static_cast<double>(x);
  }
};

/// f(elements) with those of a column of numbers.
template <class Exec, class F>
auto with_numbers(const Table<Exec>& rows, const std::string& name, const F& f) {
  switch (rows.type(name)) {
    case column_type::float32:
      return f(rows.template column<float>(name));
    case column_type::float64:
      return f(rows.template column<double>(name));
    case column_type::int32:
      return f(rows.template column<std::int32_t>(name));
    default:
      return f(rows.template column<std::int64_t>(name));
  }
}

/// Quantiles of the elements of all ranks that are no NaN, by counts of their bits.
template <class Exec>
class quantiles_of_ranks {
 public:
  quantiles_of_ranks(const Exec& exec, const Communicator& comm, const std::string& label)
      : exec_(exec),
        comm_(comm),
        label_(label),
        bins_(pool_view<Kokkos::View<std::int64_t*, typename Exec::memory_space>>(exec, digit_values)) {}

  template <class V>
  void write(const V& column, const std::vector<double>& quantiles, double* result) const {
    const auto count = [&](const key_digit<double>& digit) { return count_of_ranks(column, digit); };
    for (std::size_t k = 0; k < quantiles.size(); ++k)
      result[k] = counted_quantile<double>({quantiles[k], interpolation::linear, true}, count);
  }

 private:
  template <class V>
  digit_counts count_of_ranks(const V& column, const key_digit<double>& digit) const {
    count_call(count_operation{label_, own_bin{digit_values}}, exec_, bins_, lazy(digit, lazy(to_double(), column)));
    digit_counts counts(digit_values);
    quern::copy(exec_, as_view(counts), bins_);
    exec_.fence(kernel_label(label_));
    const std::int64_t zero = 0;
    const add_to add;
    all_reduce(comm_, counts.data(), digit_values, sizeof(std::int64_t),
               mpi_operation<std::int64_t, add_to>::of(add, zero));
    return counts;
  }
  const Exec& exec_;
  const Communicator& comm_;
  const std::string& label_;
  Kokkos::View<std::int64_t*, typename Exec::memory_space> bins_;
};

}  // namespace impl

namespace distributed {

/// `rows.describe(quantiles)` of the rows of all ranks, where each has a table with some of them, or none: pandas'
/// `describe`. All ranks get the same table.
///
/// @code
/// const quern::Table<> all = quern::distributed::describe(comm, part);
/// @endcode
///
/// Counts, minima, maxima and quantiles are those of one table with all rows; means and standard deviations are joined
/// from those of the ranks, in their order, with an error of some roundings. A quantile is found by counts of the bits
/// of all elements: by up to four passes over a column, each with a message of 512 KB. Collective; waits.
/// @param rows of columns of the same names and types on all ranks
/// @throws Error as `Table::describe`, or, where calls are checked, if the ranks have other columns or quantiles
template <execution_space Exec>
Table<Exec> describe(const Communicator& comm, const Table<Exec>& rows,
                     const std::vector<double>& quantiles = {0.25, 0.5, 0.75}) {
  using namespace quern::impl;
  const std::string& label = label_text("quern::distributed::describe");
  if (comm.checks_calls()) {
    std::string text = label + " of";
    for (const auto& name : rows.names()) text += " " + name + " " + std::string(name_of(rows.type(name)));
    for (const double q : quantiles) text += ", " + text_of(q);
    check_same(comm, label, "the calls", text);
  }
  const Exec& exec = rows.exec();
  const Table<Exec> layout = in_operation(label, [&] { return rows.head(0).describe(quantiles); });
  const Table<Exec> own = rows.describe({});
  const quantiles_of_ranks<Exec> select(exec, comm, label);
  Table<Exec> result = layout.select({"statistic"});
  for (const auto& name : layout.names()) {
    if (name == "statistic") continue;
    std::vector<double> values(5);
    quern::copy(exec, as_view(values), own.template column<double>(name));
    exec.fence(kernel_label(label));
    const auto all = described_column::joined(
        all_gather(comm, described_column{values[0], values[1], values[2], values[3], values[4]}));
    values.assign(quantiles.size() + 5, std::numeric_limits<double>::quiet_NaN());
    std::copy_n(std::data({all.count, all.mean, all.deviation, all.least}), 4, values.begin());
    values.back() = all.greatest;
    if (all.count > 0)
      with_numbers(rows, name, [&](const auto& column) { select.write(column, quantiles, values.data() + 4); });
    const Kokkos::View<double*, typename Exec::memory_space> column(
        Kokkos::view_alloc(exec, Kokkos::WithoutInitializing, label), values.size());
    quern::copy(exec, column, as_view(values));
    exec.fence(kernel_label(label));
    result.insert(name, column);
  }
  return result;
}

}  // namespace distributed
}  // namespace quern

#endif
