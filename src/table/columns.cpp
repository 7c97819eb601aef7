// SPDX-FileCopyrightText: the Quern authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <algorithm>
#include <limits>

#include "columns.hpp"

namespace quern {
namespace impl {

template <class Exec>
void table_access<Exec>::reject_name(const std::string& label, std::string_view name,
                                     const std::vector<std::string>& names) {
  throw Error(label, "there is no column " + in_quotes(name) +
                         (names.empty() ? "; the table has none" : "; the columns are " + in_quotes(names)));
}

namespace {

/// The bits of a missing value, in an unsigned integer of the element's size.
std::uint64_t missing_bits(column_type type) {
  switch (type) {
    case column_type::float32:
      return 0x7fc00000U;
    case column_type::text:
      return 0xffffffffU;
    default:
      return 0x7ff8000000000000U;
  }
}

template <class Bits>
struct take_bits {
  const Bits* from;
  std::int64_t stride;
  const std::int64_t* rows;
  Bits* to;
  Bits missing;
  KOKKOS_FUNCTION void operator()(std::int64_t i) const {
    const std::int64_t row = rows[i];
    to[i] = row < 0 ? missing : from[row * stride];
  }
};
template <class To, class From>
struct convert_values {
  const From* from;
  std::int64_t stride;
  To* to;
  KOKKOS_FUNCTION void operator()(std::int64_t i) const { to[i] = static_cast<To>(from[i * stride]); }
};

template <class Bits, class Exec>
void take_as(const std::string& label, const Exec& exec, const column_in<Exec>& c, const std::int64_t* rows,
             const column_in<Exec>& out) {
  Kokkos::parallel_for(kernel_label(label, "/take"), index_range(exec, out.rows),
                       take_bits<Bits>{static_cast<const Bits*>(c.data), c.stride, rows, data_of<Bits>(out),
                                       static_cast<Bits>(missing_bits(c.type))});
}
template <class To, class From, class Exec>
void convert_to(const std::string& label, const Exec& exec, const column_in<Exec>& c, const column_in<Exec>& out) {
  Kokkos::parallel_for(kernel_label(label, "/convert"), index_range(exec, c.rows),
                       convert_values<To, From>{static_cast<const From*>(c.data), c.stride, data_of<To>(out)});
}

/// The least and the greatest of whole numbers.
template <class T>
struct find_bounds {
  const T* data;
  std::int64_t stride;
  using value_type = Kokkos::MinMaxScalar<std::int64_t>;
  KOKKOS_FUNCTION void operator()(std::int64_t i, value_type& b) const {
    const std::int64_t v = data[i * stride];
    b.min_val = Kokkos::min(b.min_val, v);
    b.max_val = Kokkos::max(b.max_val, v);
  }
};
template <class T, class Exec>
Kokkos::MinMaxScalar<std::int64_t> bounds_of_type(const std::string& label, const Exec& exec,
                                                  const column_in<Exec>& c) {
  Kokkos::MinMaxScalar<std::int64_t> bounds;
  Kokkos::parallel_reduce(kernel_label(label, "/bounds"), index_range(exec, c.rows),
                          find_bounds<T>{static_cast<const T*>(c.data), c.stride},
                          Kokkos::MinMax<std::int64_t>(bounds));
  return bounds;
}

/// Codes of texts by the places of their texts in a longer list.
struct move_codes {
  const std::int32_t *codes, *new_code;
  std::int64_t stride;
  std::int32_t* to;
  KOKKOS_FUNCTION void operator()(std::int64_t i) const {
    const std::int32_t code = codes[i * stride];
    to[i] = code < 0 ? -1 : new_code[code];
  }
};
template <class Exec>
void copy_codes(const std::string& label, const Exec& exec, const column_in<Exec>& from, const column_in<Exec>& to) {
  std::vector<std::int32_t> new_code;
  const auto& all = *to.categories;
  for (const auto& text : *from.categories)
    new_code.push_back(static_cast<std::int32_t>(std::lower_bound(all.begin(), all.end(), text) - all.begin()));
  const auto new_codes = column_of_host(exec, {}, column_type::int32, new_code.data(), new_code.size());
  Kokkos::parallel_for(kernel_label(label, "/codes"), index_range(exec, from.rows),
                       move_codes{static_cast<const std::int32_t*>(from.data), data_of<std::int32_t>(new_codes),
                                  from.stride, data_of<std::int32_t>(to)});
}

/// Whether a value is missing.
template <class T>
struct is_missing_value {
  const T* data;
  std::int64_t stride;
  KOKKOS_FUNCTION void operator()(std::int64_t i, std::int64_t& n) const {
    const T v = data[i * stride];
    if constexpr (std::is_floating_point_v<T>) n += v != v ? 1 : 0;
    else n += v < 0 ? 1 : 0;
  }
};
template <class T, class Exec>
std::int64_t count_missing_of(const std::string& label, const Exec& exec, const column_in<Exec>& c) {
  std::int64_t n = 0;
  Kokkos::parallel_reduce(kernel_label(label, "/missing"), index_range(exec, c.rows),
                          is_missing_value<T>{static_cast<const T*>(c.data), c.stride}, n);
  return n;
}

}  // namespace

template <class Exec>
column_in<Exec> gather_rows(const std::string& label, const Exec& exec, const column_in<Exec>& c,
                            const std::int64_t* rows, std::int64_t n, bool may_miss) {
  if (may_miss && !is_floating(c.type) && c.type != column_type::text)
    return gather_rows(label, exec, converted(label, exec, c, column_type::float64), rows, n, true);
  const auto out = new_values(exec, c.name, c.type, n, c.categories);
  if (n == 0) return out;
  switch (bytes_of(c.type)) {
    case 1:
      take_as<std::uint8_t>(label, exec, c, rows, out);
      break;
    case 4:
      take_as<std::uint32_t>(label, exec, c, rows, out);
      break;
    default:
      take_as<std::uint64_t>(label, exec, c, rows, out);
  }
  return out;
}

/// Fills the rows of a packed column with a column's values.
template <class Exec>
void convert_into(const std::string& label, const Exec& exec, const column_in<Exec>& c, const column_in<Exec>& out) {
  if (c.rows == 0) return;
  with_element(c.type, [&]<class From>(From) {
    with_element(out.type, [&]<class To>(To) {
      if constexpr (!std::is_same_v<To, bool> || std::is_same_v<From, bool> || std::is_same_v<From, std::int64_t>)
        convert_to<To, From>(label, exec, c, out);
    });
  });
}
template <class Exec>
column_in<Exec> converted(const std::string& label, const Exec& exec, const column_in<Exec>& c, column_type to) {
  const auto out = new_values(exec, c.name, to, c.rows, c.categories);
  convert_into(label, exec, c, out);
  return out;
}
template <class Exec>
void copy_rows(const std::string& label, const Exec& exec, const column_in<Exec>& from, const column_in<Exec>& to,
               std::int64_t at) {
  const auto part = rows_of(to, at, at + from.rows);
  if (to.type == column_type::text && from.rows > 0 && from.categories != to.categories)
    copy_codes(label, exec, from, part);
  else convert_into(label, exec, from, part);
}
template <class Exec>
void fill_missing(const std::string&, const Exec& exec, const column_in<Exec>& to, std::int64_t begin,
                  std::int64_t end) {
  const auto part = rows_of(to, begin, end);
  if (to.type == column_type::text) Kokkos::deep_copy(exec, packed_of<std::int32_t>(exec, part), -1);
  else if (to.type == column_type::float32)
    Kokkos::deep_copy(exec, packed_of<float>(exec, part), std::numeric_limits<float>::quiet_NaN());
  else Kokkos::deep_copy(exec, packed_of<double>(exec, part), std::numeric_limits<double>::quiet_NaN());
}
template <class Exec>
Kokkos::MinMaxScalar<std::int64_t> bounds_of(const std::string& label, const Exec& exec, const column_in<Exec>& c) {
  return c.type == column_type::int64 ? bounds_of_type<std::int64_t>(label, exec, c)
                                      : bounds_of_type<std::int32_t>(label, exec, c);
}

template <class Exec>
std::int64_t count_missing(const std::string& label, const Exec& exec, const column_in<Exec>& c) {
  if (c.rows == 0) return 0;
  if (c.type == column_type::float32) return count_missing_of<float>(label, exec, c);
  if (c.type == column_type::float64) return count_missing_of<double>(label, exec, c);
  return c.type == column_type::text ? count_missing_of<std::int32_t>(label, exec, c) : 0;
}

#define QUERN_TABLE_COLUMNS(E)                                                                                   \
  template struct table_access<E>;                                                                               \
  template column_in<E> gather_rows(const std::string&, const E&, const column_in<E>&, const std::int64_t*,      \
                                    std::int64_t, bool);                                                         \
  template column_in<E> converted(const std::string&, const E&, const column_in<E>&, column_type);               \
  template void copy_rows(const std::string&, const E&, const column_in<E>&, const column_in<E>&, std::int64_t); \
  template void fill_missing(const std::string&, const E&, const column_in<E>&, std::int64_t, std::int64_t);     \
  template Kokkos::MinMaxScalar<std::int64_t> bounds_of(const std::string&, const E&, const column_in<E>&);      \
  template std::int64_t count_missing(const std::string&, const E&, const column_in<E>&);
QUERN_ON_ALL(QUERN_TABLE_COLUMNS)

}  // namespace impl
}  // namespace quern
