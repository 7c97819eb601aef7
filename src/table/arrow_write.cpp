// SPDX-FileCopyrightText: the Quern authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <algorithm>
#include <cstring>
#include <limits>
#include <quern/core/call/error.hpp>
#include <utility>

#include "arrow.hpp"

namespace quern::impl::arrow {
namespace {

/// A struct that is released unless it was handed over.
template <class Struct>
struct owned {
  Struct s{};
  owned() = default;
  owned(owned&& other) noexcept : s(std::exchange(other.s, {})) {}
  owned& operator=(owned&& other) noexcept {
    std::swap(s, other.s);
    return *this;
  }
  ~owned() { const releases<Struct> now(&s); }
};

/// What a struct has of its own: the consumer may take its children out and release them on their own.
template <class Struct, class Content>
struct node {
  Content content;
  std::vector<owned<Struct>> children;
  std::vector<Struct*> pointers;
  owned<Struct> dictionary;

  static owned<Struct> made(Content c, std::vector<owned<Struct>> children = {}, owned<Struct> dictionary = {}) {
    auto n = std::make_unique<node>(node{std::move(c), std::move(children), {}, std::move(dictionary)});
    for (auto& child : n->children) n->pointers.push_back(&child.s);
    owned<Struct> result;
    result.s.n_children = static_cast<std::int64_t>(n->pointers.size());
    result.s.children = n->pointers.empty() ? nullptr : n->pointers.data();
    result.s.dictionary = n->dictionary.s.release == nullptr ? nullptr : &n->dictionary.s;
    result.s.private_data = n.release();
    result.s.release = [](Struct* s) {
      delete static_cast<node*>(s->private_data);
      s->release = nullptr;
    };
    return result;
  }
};

struct schema_texts {
  std::string format, name;
};
using schema_node = node<ArrowSchema, schema_texts>;
owned<ArrowSchema> schema_of(std::string format, std::string name, std::int64_t flags,
                             std::vector<owned<ArrowSchema>> children = {}, owned<ArrowSchema> dictionary = {}) {
  auto result = schema_node::made({std::move(format), std::move(name)}, std::move(children), std::move(dictionary));
  const auto& texts = static_cast<schema_node*>(result.s.private_data)->content;
  result.s.format = texts.format.c_str();
  result.s.name = texts.name.c_str();
  result.s.flags = flags;
  return result;
}

struct array_buffers {
  std::vector<const void*> buffers;
  std::vector<std::shared_ptr<const void>> owners;
};
using array_node = node<ArrowArray, array_buffers>;
owned<ArrowArray> array_of(std::int64_t length, std::int64_t missing, array_buffers buffers,
                           std::vector<owned<ArrowArray>> children = {}, owned<ArrowArray> dictionary = {}) {
  auto result = array_node::made(std::move(buffers), std::move(children), std::move(dictionary));
  auto& own = static_cast<array_node*>(result.s.private_data)->content;
  result.s.buffers = own.buffers.data();
  result.s.n_buffers = static_cast<std::int64_t>(own.buffers.size());
  result.s.length = length;
  result.s.null_count = missing;
  return result;
}

/// Puts elements behind the buffers.
template <class T>
void add_buffer(array_buffers& to, std::vector<T> elements) {
  const auto owner = std::make_shared<const std::vector<T>>(std::move(elements));
  // Readers want an address where there is no element, too.
  static const std::int64_t nothing = 0;
  to.buffers.push_back(owner->empty() ? static_cast<const void*>(&nothing) : owner->data());
  to.owners.push_back(owner);
}
/// Bits of is(i) for the rows from 0 to before n; how many are 0.
template <class F>
std::int64_t set_bits(std::vector<std::uint8_t>& bits, std::int64_t n, const F& is) {
  bits.assign(static_cast<std::size_t>(n / 8 + (n % 8 > 0 ? 1 : 0)), 0);
  std::int64_t unset = 0;
  for (std::int64_t i = 0; i < n; ++i) {
    const bool yes = is(i);
    bits[static_cast<std::size_t>(i / 8)] |= static_cast<std::uint8_t>((yes ? 1 : 0) << (i % 8));
    unset += yes ? 0 : 1;
  }
  return unset;
}
/// The bitmap of the values that are there, unless all are; how many are missing.
template <class F>
std::int64_t add_bitmap(array_buffers& to, std::int64_t n, const F& is_there) {
  std::vector<std::uint8_t> bits;
  const std::int64_t missing = set_bits(bits, n, is_there);
  if (missing > 0) add_buffer(to, std::move(bits));
  else to.buffers.push_back(nullptr);
  return missing;
}
template <class T>
std::int64_t add_bitmap_of_reals(array_buffers& to, const host_column& c) {
  const auto* const values = static_cast<const T*>(c.data);
  return add_bitmap(to, c.rows, [=](std::int64_t i) { return values[i] == values[i]; });
}

/// Texts one behind the other, with offsets of where they begin.
template <class Offset>
owned<ArrowArray> array_of_texts(const std::vector<std::string>& texts) {
  std::vector<Offset> offsets = {0};
  std::vector<char> bytes;
  for (const auto& text : texts) {
    bytes.insert(bytes.end(), text.begin(), text.end());
    offsets.push_back(static_cast<Offset>(bytes.size()));
  }
  array_buffers own;
  own.buffers.push_back(nullptr);
  add_buffer(own, std::move(offsets));
  add_buffer(own, std::move(bytes));
  return array_of(static_cast<std::int64_t>(texts.size()), 0, std::move(own));
}
bool is_large(const std::vector<std::string>& texts) {
  std::size_t bytes = 0;
  for (const auto& text : texts) bytes += text.size();
  return bytes > static_cast<std::size_t>(std::numeric_limits<std::int32_t>::max());
}

owned<ArrowSchema> schema_of(const host_column& c) {
  constexpr const char* formats[] = {"f", "g", "i", "l", "b", "i"};
  const bool may_miss = c.type == column_type::float32 || c.type == column_type::float64 || c.categories;
  owned<ArrowSchema> dictionary;
  if (c.categories) dictionary = schema_of(is_large(*c.categories) ? "U" : "u", "", 0);
  return schema_of(formats[static_cast<int>(c.type)], c.name, may_miss ? ARROW_FLAG_NULLABLE : 0, {},
                   std::move(dictionary));
}
owned<ArrowArray> array_of(const host_column& c) {
  array_buffers own;
  std::int64_t missing = 0;
  if (c.type == column_type::float32) missing = add_bitmap_of_reals<float>(own, c);
  else if (c.type == column_type::float64) missing = add_bitmap_of_reals<double>(own, c);
  else if (c.categories)
    missing = add_bitmap(own, c.rows, [&](std::int64_t i) { return static_cast<const std::int32_t*>(c.data)[i] >= 0; });
  else own.buffers.push_back(nullptr);
  if (c.type == column_type::boolean) {
    std::vector<std::uint8_t> bits;
    set_bits(bits, c.rows, [&](std::int64_t i) { return static_cast<const bool*>(c.data)[i]; });
    add_buffer(own, std::move(bits));
  } else if (c.rows == 0) {
    add_buffer(own, std::vector<char>());
  } else {
    own.buffers.push_back(c.data);
    own.owners.push_back(c.owner);
  }
  owned<ArrowArray> dictionary;
  if (c.categories)
    dictionary = is_large(*c.categories) ? array_of_texts<std::int64_t>(*c.categories)
                                         : array_of_texts<std::int32_t>(*c.categories);
  return array_of(c.rows, missing, std::move(own), {}, std::move(dictionary));
}

}  // namespace

void write(const std::string& label, const std::vector<host_column>& columns, ArrowSchema* schema, ArrowArray* array) {
  if (schema == nullptr || array == nullptr) throw Error(label, "a struct to write is null");
  std::vector<owned<ArrowSchema>> schemas;
  std::vector<owned<ArrowArray>> arrays;
  for (const auto& c : columns) {
    schemas.push_back(schema_of(c));
    arrays.push_back(array_of(c));
  }
  array_buffers none;
  none.buffers.push_back(nullptr);
  owned<ArrowSchema> all_schemas = schema_of("+s", "", 0, std::move(schemas));
  owned<ArrowArray> all = array_of(columns.empty() ? 0 : columns.front().rows, 0, std::move(none), std::move(arrays));
  *schema = std::exchange(all_schemas.s, {});
  *array = std::exchange(all.s, {});
}

}  // namespace quern::impl::arrow
