// SPDX-FileCopyrightText: the Quern authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <quern/keyed/sort.hpp>

#include "columns.hpp"

namespace quern {
namespace impl {
namespace {

/// Codes of texts with the missing ones behind all others.
struct missing_last {
  const std::int32_t* codes;
  std::int64_t stride;
  std::int32_t* to;
  KOKKOS_FUNCTION void operator()(std::int64_t i) const {
    const std::int32_t code = codes[i * stride];
    to[i] = code < 0 ? Kokkos::Experimental::finite_max_v<std::int32_t> : code;
  }
};
/// A column as numbers that sort as it does; missing texts are the least numbers, and so the last in descending order.
template <class Exec>
column_in<Exec> sortable(const std::string& label, const Exec& exec, const column_in<Exec>& c, sort_order order) {
  if (c.type == column_type::boolean) return converted(label, exec, c, column_type::int32);
  if (c.type != column_type::text || order == sort_order::descending || c.rows == 0) return c;
  const auto out = new_values(exec, c.name, column_type::int32, c.rows);
  Kokkos::parallel_for(kernel_label(label, "/codes"), index_range(exec, c.rows),
                       missing_last{static_cast<const std::int32_t*>(c.data), c.stride, data_of<std::int32_t>(out)});
  return out;
}
/// The stable order of one column's rows.
template <class Exec>
column_in<Exec> order_of_one(const std::string& label, const Exec& exec, const column_in<Exec>& column,
                             sort_order order) {
  const auto c = sortable(label, exec, column, order);
  const auto rows = new_values(exec, {}, column_type::int64, c.rows);
  with_element(c.type, [&]<class T>(T) {
    if constexpr (!std::is_same_v<T, bool>)
      argsort(exec, packed_of<std::int64_t>(exec, rows), view_of<T>(exec, c), order);
  });
  return rows;
}

}  // namespace

template <class Exec>
column_in<Exec> order_of(const std::string& label, const Exec& exec, const std::vector<column_in<Exec>>& keys,
                         const std::vector<sort_order>& orders) {
  // From the last key on, each sort keeps the order of those before where its own keys are equal.
  auto rows = order_of_one(label, exec, keys.back(), orders.back());
  for (std::size_t k = keys.size() - 1; k-- > 0;) {
    const auto key = gather_rows(label, exec, keys[k], data_of<std::int64_t>(rows), rows.rows);
    const auto order = order_of_one(label, exec, key, orders[k]);
    rows = gather_rows(label, exec, rows, data_of<std::int64_t>(order), rows.rows);
  }
  return rows;
}

}  // namespace impl

using namespace impl;

template <execution_space Exec>
Table<Exec> Table<Exec>::sort_by(const sort_keys& keys) const {
  const std::string& label = label_text("quern::Table::sort_by");
  std::vector<std::string> names;
  std::vector<sort_order> orders;
  for (const auto& key : keys) {
    names.push_back(key.name);
    orders.push_back(key.order);
  }
  const auto order = order_of(label, exec_, key_columns(label, *this, names), orders);
  return gather_table(label, *this, data_of<std::int64_t>(order), rows());
}

#define QUERN_TABLE_ORDER(E)                                                                                 \
  template column_in<E> impl::order_of(const std::string&, const E&, const std::vector<impl::column_in<E>>&, \
                                       const std::vector<sort_order>&);                                      \
  template Table<E> Table<E>::sort_by(const sort_keys&) const;
QUERN_ON_ALL(QUERN_TABLE_ORDER)

}  // namespace quern
