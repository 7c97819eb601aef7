// SPDX-FileCopyrightText: the Quern authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <algorithm>
#include <cmath>
#include <limits>
#include <quern/distributed/describe.hpp>
#include <quern/distributed/rank_sums.hpp>
#include <quern/keyed/counted_quantile.hpp>
#include <quern/table/described_column.hpp>
#include <quern/transfer/as_view.hpp>
#include <quern/transfer/copy.hpp>

#include "table_rows.hpp"

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
      : comm_(comm), counter_(label, exec) {}

  template <class V>
  void write(const V& column, const std::vector<double>& quantiles, double* result) const {
    const auto count = [&](const key_digit<double>& digit) {
      return of_all_ranks(counter_(lazy(digit, lazy(to_double(), column))));
    };
    for (std::size_t k = 0; k < quantiles.size(); ++k)
      result[k] = counted_quantile<double>({quantiles[k], interpolation::linear, true}, count);
  }

 private:
  digit_counts of_all_ranks(digit_counts counts) const {
    const std::int64_t zero = 0;
    const add_to add;
    all_reduce(comm_, counts.data(), digit_values, sizeof(std::int64_t),
               mpi_operation<std::int64_t, add_to>::of(add, zero));
    return counts;
  }
  const Communicator& comm_;
  digit_counter<Exec> counter_;
};

}  // namespace impl

using namespace impl;

template <execution_space Exec>
Table<Exec> distributed::describe(const Communicator& comm, const Table<Exec>& rows,
                                  const std::vector<double>& quantiles) {
  const std::string& label = label_text("quern::distributed::describe");
  std::string text = label + " of" + text_of_columns(rows);
  for (const double q : quantiles) text += ", " + text_of(q);
  check_same(comm, label, "the calls", text);
  const Exec& exec = rows.exec();
  const Table<Exec> layout = in_operation(label, [&] { return rows.head(0).describe(quantiles); });
  const Table<Exec> own = rows.describe({});
  const quantiles_of_ranks<Exec> select(exec, comm, label);
  std::vector<column_in<Exec>> columns = columns_of(layout.select("statistic"));
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
    columns.push_back(column_of_host(exec, name, column_type::float64, values.data(), values.size()));
  }
  return table_access<Exec>::make(exec, std::move(columns));
}

#define QUERN_DESCRIBE_OVER_RANKS(E) \
  template Table<E> distributed::describe(const Communicator&, const Table<E>&, const std::vector<double>&);
QUERN_ON_ALL(QUERN_DESCRIBE_OVER_RANKS)

}  // namespace quern
