// SPDX-FileCopyrightText: the Quern authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>
#include <optional>
#include <quern/core/call/error.hpp>
#include <quern/core/launch/host_threads.hpp>
#include <quern/core/views/extents.hpp>
#include <unordered_map>
#include <utility>

#include "arrow.hpp"
#include "columns.hpp"

namespace quern::impl::arrow {
namespace {

/// A number of 16 bits, as Arrow has it.
struct float16 {
  std::uint16_t bits;
  explicit operator float() const {
    const int exponent = bits >> 10 & 31, fraction = bits & 1023;
    const float size = exponent == 31  ? (fraction == 0 ? std::numeric_limits<float>::infinity()
                                                        : std::numeric_limits<float>::quiet_NaN())
                       : exponent == 0 ? std::ldexp(static_cast<float>(fraction), -24)
                                       : std::ldexp(static_cast<float>(fraction + 1024), exponent - 25);
    return (bits & 0x8000) != 0 ? -size : size;
  }
};

template <class T>
T element(const void* data, std::int64_t i) {
  T value;  // memory of others is not always aligned
  std::memcpy(&value, static_cast<const std::byte*>(data) + i * static_cast<std::int64_t>(sizeof(T)), sizeof(T));
  return value;
}
bool bit(const void* data, std::int64_t i) {
  return (static_cast<const std::uint8_t*>(data)[i / 8] >> (i % 8) & 1) != 0;
}
template <class T>
bool is_aligned(const void* data) {
  return reinterpret_cast<std::uintptr_t>(data) % alignof(T) == 0;
}

/// f(i) for i from 0 to n - 1, shared by threads.
template <class F>
void for_rows(std::int64_t n, const F& f) {
  constexpr std::int64_t together = 1 << 16;
  on_host_threads((n + together - 1) / together, [&](std::int64_t k) {
    const std::int64_t end = std::min(n, (k + 1) * together);
    for (std::int64_t i = k * together; i < end; ++i) f(i);
  });
}

/// Texts by their numbers, in the order in which they are found.
struct numbered_texts {
  std::unordered_map<std::string_view, std::int32_t> codes;

  std::int32_t code_of(const std::string& label, std::string_view text) {
    const auto [found, is_new] = codes.try_emplace(text, static_cast<std::int32_t>(codes.size()));
    if (is_new) check_codes(label, codes.size());
    return found->second;
  }
  /// All texts, sorted.
  categories_ptr categories() const {
    std::vector<std::string> all;
    for (const auto& text : codes) all.emplace_back(text.first);
    std::sort(all.begin(), all.end());
    return std::make_shared<const std::vector<std::string>>(std::move(all));
  }
  /// Where the texts are among all.
  std::vector<std::int32_t> positions(const std::vector<std::string>& all) const {
    std::vector<std::int32_t> positions(codes.size());
    for (const auto& [text, code] : codes)
      positions[static_cast<std::size_t>(code)] =
          static_cast<std::int32_t>(std::lower_bound(all.begin(), all.end(), text) - all.begin());
    return positions;
  }
};

/// What a letter of an integer type stands for: f(T()), or nothing where it is none.
template <class F>
bool with_integer(std::string_view format, const F& f) {
  if (format.size() != 1) return false;
  switch (format[0]) {
    case 'c':
      return f(std::int8_t()), true;
    case 'C':
      return f(std::uint8_t()), true;
    case 's':
      return f(std::int16_t()), true;
    case 'S':
      return f(std::uint16_t()), true;
    case 'i':
      return f(std::int32_t()), true;
    case 'I':
      return f(std::uint32_t()), true;
    case 'l':
      return f(std::int64_t()), true;
    case 'L':
      return f(std::uint64_t()), true;
    default:
      return false;
  }
}

/// Rows of an array that is no struct.
class array_reader {
 public:
  /// @param first the first of the rows, behind the array's own offset
  array_reader(const std::string& label, std::string name, const ArrowSchema& schema, const ArrowArray& array,
               std::int64_t first, std::int64_t rows)
      : label_(label), name_(std::move(name)), schema_(schema), array_(array), rows_(rows) {
    if (array.release == nullptr || schema.release == nullptr) fail("was released");
    if (schema.format == nullptr) fail("has no format");
    format_ = schema.format;
    if (array.length < 0 || array.offset < 0 || array.offset > std::numeric_limits<std::int64_t>::max() - array.length)
      fail("has the offset " + std::to_string(array.offset) + " and the length " + std::to_string(array.length));
    if (rows > array.length - first)
      fail("has " + std::to_string(array.length) + " rows, expected " + std::to_string(first + rows));
    at_ = array.offset + first;
    find_missing();
  }

  /// The column, in the array's memory where that may be.
  host_column read(const host_allocator& allocate, const std::shared_ptr<const void>& owner) {
    allocate_ = &allocate;
    owner_ = &owner;
    if (schema_.dictionary != nullptr) return read_dictionary();
    if (format_ == "g") return read_real<double, double>();
    if (format_ == "f") return read_real<float, float>();
    if (format_ == "e") return read_real<float, float16>();
    if (format_ == "b") return read_bools();
    if (format_ == "n") return read_nulls();
    if (is_text()) return read_texts();
    std::optional<host_column> column;
    with_integer(format_, [&]<class T>(T) { column = read_integers<T>(); });
    if (!column) reject("expected numbers, bools or texts");
    return *column;
  }
  /// The rows' texts, or nothing where one is missing.
  std::vector<std::optional<std::string_view>> texts() {
    if (schema_.dictionary != nullptr || !is_text()) reject("expected texts in its dictionary");
    std::vector<std::optional<std::string_view>> all(static_cast<std::size_t>(rows_));
    for_texts([&](std::int64_t i, std::string_view text) { all[static_cast<std::size_t>(i)] = text; });
    return all;
  }

 private:
  [[noreturn]] void fail(const std::string& what) const { throw Error(label_, "the column '" + name_ + "' " + what); }
  [[noreturn]] void reject(const std::string& expected) const {
    fail("is of Arrow's format '" + std::string(format_) + "', " + expected);
  }

  /// Finds out whether values are missing.
  void find_missing() {
    if (format_ == "n" || array_.null_count == 0 || rows_ == 0) return;
    const void* const bits = array_.n_buffers > 0 && array_.buffers != nullptr ? array_.buffers[0] : nullptr;
    if (bits == nullptr && array_.null_count > 0)
      fail("has " + std::to_string(array_.null_count) + " missing values, and no bitmap of them");
    if (bits == nullptr) return;
    for (std::int64_t i = 0; i < rows_ && there_ == nullptr; ++i)
      if (!bit(bits, at_ + i)) there_ = bits;
  }
  bool is_there(std::int64_t i) const { return there_ == nullptr || bit(there_, at_ + i); }
  /// One of the array's buffers, which exists where there are rows.
  const void* buffer(std::int64_t k, std::int64_t count) const {
    if (array_.n_buffers < count || array_.buffers == nullptr)
      fail("has " + std::to_string(array_.n_buffers) + " buffers, expected " + std::to_string(count));
    if (array_.buffers[k] == nullptr && rows_ > 0) fail("has no buffer " + std::to_string(k));
    return array_.buffers[k];
  }
  const std::byte* from_row(const void* data, std::size_t size) const {
    return static_cast<const std::byte*>(data) + (rows_ > 0 ? at_ * static_cast<std::int64_t>(size) : 0);
  }

  template <class T>
  T* memory() const {
    return reinterpret_cast<T*>((*allocate_)(bytes_of_array(label_, shape{rows_}, sizeof(T))));
  }
  template <class T>
  host_column made(const T* data, categories_ptr categories = {}) const {
    return {name_, categories ? column_type::text : type_of_column<T>(), data, rows_, std::move(categories), {}};
  }
  template <class T>
  host_column shared(const std::byte* data, categories_ptr categories = {}) const {
    host_column c = made(reinterpret_cast<const T*>(data), std::move(categories));
    c.owner = *owner_;
    return c;
  }
  /// A column of `value(i)`, or NaN where that is missing.
  template <class To, class Value>
  host_column computed(const Value& value) const {
    To* const to = memory<To>();
    for_rows(rows_, [&](std::int64_t i) {
      if constexpr (std::is_floating_point_v<To>) to[i] = is_there(i) ? static_cast<To>(value(i)) : To(NAN);
      else to[i] = static_cast<To>(value(i));
    });
    return made(to);
  }

  template <class To, class From>
  host_column read_real() const {
    const std::byte* const data = from_row(buffer(1, 2), sizeof(From));
    if constexpr (std::is_same_v<To, From>)
      if (rows_ > 0 && there_ == nullptr && is_aligned<To>(data)) return shared<To>(data);
    return computed<To>([&](std::int64_t i) { return element<From>(data, i); });
  }
  template <class From>
  host_column read_integers() const {
    using to = std::conditional_t<(sizeof(From) < 4 || std::is_same_v<From, std::int32_t>), std::int32_t, std::int64_t>;
    const std::byte* const data = from_row(buffer(1, 2), sizeof(From));
    const auto value = [&](std::int64_t i) { return element<From>(data, i); };
    if (there_ != nullptr) return computed<double>(value);
    if constexpr (std::is_same_v<to, From>)
      if (rows_ > 0 && is_aligned<to>(data)) return shared<to>(data);
    if constexpr (std::is_same_v<From, std::uint64_t>)
      for (std::int64_t i = 0; i < rows_; ++i)
        if (value(i) > static_cast<std::uint64_t>(std::numeric_limits<std::int64_t>::max()))
          fail("has " + std::to_string(value(i)) + " in row " + std::to_string(i) + ", which int64 does not hold");
    return computed<to>(value);
  }
  host_column read_bools() const {
    const void* const data = buffer(1, 2);
    const auto value = [&](std::int64_t i) { return bit(data, at_ + i); };
    return there_ != nullptr ? computed<double>(value) : computed<bool>(value);
  }
  host_column read_nulls() const {
    return computed<double>([](std::int64_t) { return NAN; });
  }

  bool is_text() const { return format_ == "u" || format_ == "U" || format_ == "vu"; }
  /// f(i, text) for the rows that have one.
  template <class F>
  void for_texts(const F& f) const {
    if (format_ == "u") for_offsets<std::int32_t>(f);
    else if (format_ == "U") for_offsets<std::int64_t>(f);
    else for_text_views(f);
  }
  template <class Offset, class F>
  void for_offsets(const F& f) const {
    const void* const offsets = buffer(1, 3);
    const auto* const bytes = static_cast<const char*>(array_.buffers[2]);
    for (std::int64_t i = 0; i < rows_; ++i) {
      if (!is_there(i)) continue;
      const auto begin = element<Offset>(offsets, at_ + i), end = element<Offset>(offsets, at_ + i + 1);
      if (begin < 0 || end < begin || (bytes == nullptr && end > begin))
        fail("has a text from byte " + std::to_string(begin) + " to " + std::to_string(end) + " in row " +
             std::to_string(i));
      f(i, end > begin ? std::string_view(bytes + begin, static_cast<std::size_t>(end - begin)) : std::string_view());
    }
  }
  /// Texts of at most 12 bytes stand behind their length, others in one of some buffers, whose sizes are the last one.
  template <class F>
  void for_text_views(const F& f) const {
    constexpr std::int64_t size = 16;
    const auto* const views = static_cast<const std::byte*>(buffer(1, 3));
    const std::int64_t more = array_.n_buffers - 3;
    const void* const sizes = array_.buffers[array_.n_buffers - 1];
    for (std::int64_t i = 0; i < rows_; ++i) {
      if (!is_there(i)) continue;
      const std::byte* const view = views + (at_ + i) * size;
      const auto length = element<std::int32_t>(view, 0);
      if (length < 0) fail("has a text of length " + std::to_string(length) + " in row " + std::to_string(i));
      const char* text = reinterpret_cast<const char*>(view) + 4;
      if (length > 12) {
        const std::int64_t k = element<std::int32_t>(view, 2), from = element<std::int32_t>(view, 3);
        if (k < 0 || k >= more || from < 0 || sizes == nullptr || array_.buffers[2 + k] == nullptr ||
            from + length > element<std::int64_t>(sizes, k))
          fail("has a text beyond its buffers in row " + std::to_string(i));
        text = static_cast<const char*>(array_.buffers[2 + k]) + from;
      }
      f(i, std::string_view(text, static_cast<std::size_t>(length)));
    }
  }
  host_column read_texts() const {
    std::int32_t* const codes = memory<std::int32_t>();
    std::fill_n(codes, rows_, -1);
    numbered_texts texts;
    for_texts([&](std::int64_t i, std::string_view text) { codes[i] = texts.code_of(label_, text); });
    const auto categories = texts.categories();
    const auto positions = texts.positions(*categories);
    for_rows(rows_, [&](std::int64_t i) {
      if (codes[i] >= 0) codes[i] = positions[static_cast<std::size_t>(codes[i])];
    });
    return made(codes, categories);
  }

  host_column read_dictionary() const {
    if (array_.dictionary == nullptr || array_.dictionary->release == nullptr) fail("has no dictionary");
    const auto texts =
        array_reader(label_, name_, *schema_.dictionary, *array_.dictionary, 0, array_.dictionary->length).texts();
    numbered_texts numbers;
    for (const auto& text : texts)
      if (text) numbers.code_of(label_, *text);
    const auto categories = numbers.categories();
    // Positions in the dictionary become positions in the categories.
    std::vector<std::int32_t> positions;
    bool in_order = true;
    for (const auto& text : texts) {
      const auto found = std::lower_bound(categories->begin(), categories->end(), text.value_or(std::string_view()));
      in_order &= text && std::cmp_equal(found - categories->begin(), positions.size());
      positions.push_back(text ? static_cast<std::int32_t>(found - categories->begin()) : -1);
    }
    std::optional<host_column> column;
    with_integer(format_, [&]<class T>(T) { column = read_indices<T>(positions, in_order, categories); });
    if (!column) reject("expected indices of integers");
    return *column;
  }
  template <class Index>
  host_column read_indices(const std::vector<std::int32_t>& positions, bool in_order,
                           const categories_ptr& categories) const {
    const std::byte* const data = from_row(buffer(1, 2), sizeof(Index));
    for (std::int64_t i = 0; i < rows_; ++i)
      if (is_there(i) && (std::cmp_less(element<Index>(data, i), 0) ||
                          std::cmp_greater_equal(element<Index>(data, i), positions.size())))
        fail("has the index " + std::to_string(element<Index>(data, i)) + " in row " + std::to_string(i) +
             ", of a dictionary of " + std::to_string(positions.size()));
    if (std::is_same_v<Index, std::int32_t> && in_order && rows_ > 0 && there_ == nullptr &&
        is_aligned<std::int32_t>(data))
      return shared<std::int32_t>(data, categories);
    std::int32_t* const codes = memory<std::int32_t>();
    for_rows(rows_, [&](std::int64_t i) {
      codes[i] = is_there(i) ? positions[static_cast<std::size_t>(element<Index>(data, i))] : -1;
    });
    return made(codes, categories);
  }

  const std::string& label_;
  const std::string name_;
  const ArrowSchema& schema_;
  const ArrowArray& array_;
  std::string_view format_;
  std::int64_t rows_, at_ = 0;   // at: the first row in the buffers
  const void* there_ = nullptr;  // bits of values that are not missing, where some are
  const host_allocator* allocate_ = nullptr;
  const std::shared_ptr<const void>* owner_ = nullptr;
};

void check_struct(const std::string& label, const ArrowSchema& schema, const ArrowArray& array) {
  const std::string format = schema.format == nullptr ? "" : schema.format;
  if (format != "+s" || schema.dictionary != nullptr)
    throw Error(label, "the array is of Arrow's format '" + format + "', expected '+s', one of structs");
  if (array.length < 0 || array.offset < 0 || array.offset > std::numeric_limits<std::int64_t>::max() - array.length)
    throw Error(label, "the array has the offset " + std::to_string(array.offset) + " and the length " +
                           std::to_string(array.length));
  const bool have_children = array.n_children == 0 || (schema.children != nullptr && array.children != nullptr);
  if (array.n_children < 0 || array.n_children != schema.n_children || !have_children)
    throw Error(label, "the array has " + std::to_string(array.n_children) + " children, and its schema " +
                           std::to_string(schema.n_children));
  if (array.n_children == 0 && array.length > 0)
    throw Error(label, "the array has " + std::to_string(array.length) + " rows and no column");
  const void* const bits = array.n_buffers > 0 && array.buffers != nullptr ? array.buffers[0] : nullptr;
  if (bits == nullptr && array.null_count > 0)
    throw Error(label, "the array has " + std::to_string(array.null_count) + " missing rows, and no bitmap of them");
  if (bits == nullptr || array.null_count == 0) return;
  for (std::int64_t i = 0; i < array.length; ++i)
    if (!bit(bits, array.offset + i)) throw Error(label, "the row " + std::to_string(i) + " is missing as a whole");
}

}  // namespace

std::vector<host_column> read(const std::string& label, const ArrowSchema& schema, const ArrowArray& array,
                              const host_allocator& allocate, const std::shared_ptr<const void>& owner) {
  check_struct(label, schema, array);
  std::vector<host_column> result;
  std::vector<std::string> names;
  for (std::int64_t k = 0; k < schema.n_children; ++k) {
    const ArrowSchema* const child = schema.children[k];
    if (child == nullptr || child->release == nullptr || array.children[k] == nullptr)
      throw Error(label, "there is no child " + std::to_string(k) + " of the array");
    names.emplace_back(child->name == nullptr ? "" : child->name);
    result.push_back(array_reader(label, names.back(), *child, *array.children[k], array.offset, array.length)
                         .read(allocate, owner));
  }
  check_distinct(label, names);
  return result;
}

}  // namespace quern::impl::arrow
