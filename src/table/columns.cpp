// SPDX-FileCopyrightText: the Quern authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
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
    case column_type::float32: return 0x7fc00000U;
    case column_type::text: return 0xffffffffU;
    default: return 0x7ff8000000000000U;
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
    case 1: take_as<std::uint8_t>(label, exec, c, rows, out); break;
    case 4: take_as<std::uint32_t>(label, exec, c, rows, out); break;
    default: take_as<std::uint64_t>(label, exec, c, rows, out);
  }
  return out;
}

template <class Exec>
column_in<Exec> converted(const std::string& label, const Exec& exec, const column_in<Exec>& c, column_type to) {
  const auto out = new_values(exec, c.name, to, c.rows, c.categories);
  if (c.rows == 0) return out;
  with_element(c.type, [&]<class From>(From) {
    with_element(to, [&]<class To>(To) {
      if constexpr (!std::is_same_v<To, bool> || std::is_same_v<From, bool> || std::is_same_v<From, std::int64_t>)
        convert_to<To, From>(label, exec, c, out);
    });
  });
  return out;
}

template <class Exec>
std::int64_t count_missing(const std::string& label, const Exec& exec, const column_in<Exec>& c) {
  if (c.rows == 0) return 0;
  if (c.type == column_type::float32) return count_missing_of<float>(label, exec, c);
  if (c.type == column_type::float64) return count_missing_of<double>(label, exec, c);
  return c.type == column_type::text ? count_missing_of<std::int32_t>(label, exec, c) : 0;
}

#define QUERN_TABLE_COLUMNS(E)                                                                                        \
  template struct table_access<E>;                                                                                    \
  template column_in<E> gather_rows(const std::string&, const E&, const column_in<E>&, const std::int64_t*,           \
                                    std::int64_t, bool);                                                              \
  template column_in<E> converted(const std::string&, const E&, const column_in<E>&, column_type);                    \
  template std::int64_t count_missing(const std::string&, const E&, const column_in<E>&);
QUERN_ON_ALL(QUERN_TABLE_COLUMNS)

}  // namespace impl
}  // namespace quern
