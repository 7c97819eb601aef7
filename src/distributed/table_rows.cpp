// SPDX-FileCopyrightText: the Quern authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "table_rows.hpp"

#include <algorithm>
#include <cstring>
#include <quern/keyed/hash_keys.hpp>

namespace quern::impl {
namespace {

// ---- texts --------------------------------------------------------------------------------------------------------

void append_number(std::string& bytes, std::uint64_t n) { bytes.append(reinterpret_cast<const char*>(&n), sizeof n); }
/// The categories of the text columns of a table, as bytes.
template <class Exec>
std::string bytes_of_categories(const Table<Exec>& t) {
  std::string bytes;
  for (const auto& c : columns_of(t)) {
    if (c.type != column_type::text) continue;
    append_number(bytes, c.categories->size());
    for (const auto& text : *c.categories) {
      append_number(bytes, text.size());
      bytes += text;
    }
  }
  return bytes;
}
/// Reads them again, list by list.
class categories_reader {
 public:
  explicit categories_reader(std::string bytes) : bytes_(std::move(bytes)) {}
  categories_ptr next() {
    std::vector<std::string> texts(number());
    for (auto& text : texts) {
      const std::uint64_t length = number();
      text = bytes_.substr(at_, length);
      at_ += length;
    }
    return std::make_shared<const std::vector<std::string>>(std::move(texts));
  }

 private:
  std::uint64_t number() {
    std::uint64_t n;
    std::memcpy(&n, bytes_.data() + at_, sizeof n);
    at_ += sizeof n;
    return n;
  }
  std::string bytes_;
  std::size_t at_ = 0;
};

// ---- hashes -------------------------------------------------------------------------------------------------------

/// What a missing key has for bits: those of NaN.
constexpr std::uint64_t missing_key = 0x7ff8000000000000;
/// Joins the hashes of rows with the values of one more key; of texts, by those of their categories.
template <class T>
struct join_hashes {
  const T* values;
  std::int64_t stride;
  const std::int64_t* of_texts;
  bool first, removes_missing;
  std::int64_t* hashes;
  std::int32_t* ranks;  // -1 where a row is removed

  KOKKOS_FUNCTION bool is_missing(T v) const {
    if constexpr (std::is_floating_point_v<T>) return v != v;
    else if constexpr (std::is_same_v<T, std::int32_t>) return of_texts != nullptr && v < 0;
    else return false;
  }
  KOKKOS_FUNCTION std::uint64_t bits(T v) const {
    if (is_missing(v)) return missing_key;
    if constexpr (std::is_floating_point_v<T>) return bits_of_real(static_cast<double>(v));
    else return static_cast<std::uint64_t>(of_texts != nullptr ? of_texts[v] : static_cast<std::int64_t>(v));
  }
  /// Of a whole number those of the integer: of -0, and where others have the same keys as integers.
  KOKKOS_FUNCTION static std::uint64_t bits_of_real(double v) {
    constexpr double limit = 0x1p63;
    if (v >= -limit && v < limit && Kokkos::floor(v) == v)
      return static_cast<std::uint64_t>(static_cast<std::int64_t>(v));
    return Kokkos::bit_cast<std::uint64_t>(v);
  }
  KOKKOS_FUNCTION void operator()(std::int64_t i) const {
    const T v = values[i * stride];
    const std::uint64_t before = first ? 0 : static_cast<std::uint64_t>(hashes[i]);
    hashes[i] = static_cast<std::int64_t>(hash_table::mixed(before + 0x9e3779b97f4a7c15 + bits(v)));
    if (first) ranks[i] = 0;
    if (removes_missing && is_missing(v)) ranks[i] = -1;
  }
};
/// By the upper bits, as hash tables on a rank use the lower ones.
struct rank_of_hash {
  const std::int64_t* hashes;
  std::uint64_t size;
  std::int32_t* ranks;
  KOKKOS_FUNCTION void operator()(std::int64_t i) const {
    if (ranks[i] >= 0) ranks[i] = static_cast<std::int32_t>((static_cast<std::uint64_t>(hashes[i]) >> 32) * size >> 32);
  }
};

/// FNV-1a of the bytes of each text.
std::vector<std::int64_t> hashes_of(const std::vector<std::string>& texts) {
  std::vector<std::int64_t> hashes;
  for (const auto& text : texts) {
    std::uint64_t h = 0xcbf29ce484222325;
    for (const char c : text) h = (h ^ static_cast<unsigned char>(c)) * 0x100000001b3;
    hashes.push_back(static_cast<std::int64_t>(h));
  }
  return hashes;
}

}  // namespace

template <class Exec>
Table<Exec> with_categories_of_ranks(const std::string& label, const Communicator& comm, const Table<Exec>& t) {
  const auto is_text = [](const auto& c) { return c.type == column_type::text; };
  if (comm.size() == 1 || std::none_of(columns_of(t).begin(), columns_of(t).end(), is_text)) return t;
  const std::string mine = bytes_of_categories(t);
  const std::string first = values_of_rank(comm, mine, 0);
  if (max_of_ranks(comm, first == mine ? 0 : 1) == 0) return t;
  std::vector<std::vector<categories_ptr>> lists(columns_of(t).size());
  for (int r = 0; r < comm.size(); ++r) {
    categories_reader texts(r == 0 ? first : values_of_rank(comm, mine, r));
    for (std::size_t k = 0; k < lists.size(); ++k)
      if (is_text(columns_of(t)[k])) lists[k].push_back(texts.next());
  }
  std::vector<column_in<Exec>> columns = columns_of(t);
  for (std::size_t k = 0; k < lists.size(); ++k)
    if (!lists[k].empty()) columns[k] = with_categories(label, t.exec(), columns[k], all_categories(lists[k]));
  return table_access<Exec>::make(t.exec(), std::move(columns));
}

template <class Exec>
column_in<Exec> ranks_of_keys(const std::string& label, const Exec& exec, const Communicator& comm,
                              const std::vector<column_in<Exec>>& keys, missing_keys missing) {
  const std::int64_t n = keys.front().rows;
  const auto hashes = new_values(exec, {}, column_type::int64, n);
  const auto ranks = new_values(exec, {}, column_type::int32, n);
  bool first = true;
  for (const auto& key : keys) {
    column_in<Exec> of_texts;
    if (key.type == column_type::text) {
      const auto values = hashes_of(*key.categories);
      of_texts = column_of_host(exec, {}, column_type::int64, values.data(), values.size());
    }
    with_element(key.type, [&]<class T>(T) {
      Kokkos::parallel_for(kernel_label(label, "/hash"), index_range(exec, n),
                           join_hashes<T>{static_cast<const T*>(key.data), key.stride, data_of<std::int64_t>(of_texts),
                                          first, missing == missing_keys::are_removed, data_of<std::int64_t>(hashes),
                                          data_of<std::int32_t>(ranks)});
    });
    first = false;
  }
  Kokkos::parallel_for(kernel_label(label, "/ranks"), index_range(exec, n),
                       rank_of_hash{data_of<std::int64_t>(hashes), static_cast<std::uint64_t>(comm.size()),
                                    data_of<std::int32_t>(ranks)});
  return ranks;
}

#define QUERN_TABLE_ROWS(E)                                                                             \
  template Table<E> with_categories_of_ranks(const std::string&, const Communicator&, const Table<E>&); \
  template column_in<E> ranks_of_keys(const std::string&, const E&, const Communicator&,                \
                                      const std::vector<column_in<E>>&, missing_keys);
QUERN_ON_ALL(QUERN_TABLE_ROWS)

}  // namespace quern::impl
