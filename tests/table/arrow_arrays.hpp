// SPDX-FileCopyrightText: the Quern authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef QUERN_TESTS_TABLE_ARROW_ARRAYS_HPP
#define QUERN_TESTS_TABLE_ARROW_ARRAYS_HPP

/// @file
/// Arrays of Arrow's C data interface as another library would have them, made by hand.

#include <cstdint>
#include <cstring>
#include <memory>
#include <optional>
#include <quern/table/arrow.hpp>
#include <string>
#include <utility>
#include <vector>

namespace test {

using arrow_buffer = std::optional<std::vector<std::uint8_t>>;
template <class T>
arrow_buffer buffer_of(const std::vector<T>& values) {
  std::vector<std::uint8_t> bytes(values.size() * sizeof(T) + 1);  // so that an empty one has an address
  if (!values.empty()) std::memcpy(bytes.data(), values.data(), values.size() * sizeof(T));
  return bytes;
}
inline arrow_buffer bits_of(const std::vector<int>& values) {
  std::vector<std::uint8_t> bytes(values.size() / 8 + 1);
  for (std::size_t i = 0; i < values.size(); ++i) bytes[i / 8] |= static_cast<std::uint8_t>(values[i] << (i % 8));
  return bytes;
}

/// An array and its schema in one.
struct arrow_field {
  std::string format, name;
  std::int64_t length = 0;
  std::vector<arrow_buffer> buffers{};
  std::int64_t offset = 0, null_count = 0;
  std::vector<arrow_field> children{};
  std::shared_ptr<const arrow_field> dictionary{};
  std::size_t shift = 0;  // bytes by which the second buffer is moved in memory
};

/// A field of bits that are set where values are there.
inline arrow_field with_missing(arrow_field f, const std::vector<int>& there) {
  f.buffers[0] = bits_of(there);
  f.null_count = -1;
  return f;
}
template <class T>
arrow_field numbers(const std::string& format, const std::string& name, const std::vector<T>& values) {
  return {format, name, static_cast<std::int64_t>(values.size()), {arrow_buffer(), buffer_of(values)}};
}
template <class Offset>
arrow_field texts(const std::string& format, const std::string& name, const std::vector<std::string>& values) {
  std::vector<Offset> offsets = {0};
  std::string all;
  for (const auto& v : values) {
    all += v;
    offsets.push_back(static_cast<Offset>(all.size()));
  }
  return {format,
          name,
          static_cast<std::int64_t>(values.size()),
          {arrow_buffer(), buffer_of(offsets), buffer_of(std::vector<char>(all.begin(), all.end()))}};
}
template <class Index>
arrow_field codes(const std::string& format, const std::string& name, const std::vector<Index>& values,
                  arrow_field dictionary) {
  arrow_field f = numbers(format, name, values);
  f.dictionary = std::make_shared<const arrow_field>(std::move(dictionary));
  return f;
}
inline arrow_field batch(std::vector<arrow_field> children) {
  const std::int64_t rows = children.empty() ? 0 : children.front().length;
  return {"+s", "", rows, {arrow_buffer()}, 0, 0, std::move(children)};
}

/// How often the structs were released that a field was exported to.
struct arrow_releases {
  int schemas = 0, arrays = 0;
};

/// What an exported struct has of its own, gone with it.
template <class Struct>
struct arrow_memory {
  arrow_field field;
  std::vector<Struct> children;
  std::vector<Struct*> pointers{};
  Struct dictionary{};
  std::vector<const void*> buffers{};
  int* releases = nullptr;
};
template <class Struct>
void release_exported(Struct* s) {
  auto* const memory = static_cast<arrow_memory<Struct>*>(s->private_data);
  for (auto& child : memory->children)
    if (child.release != nullptr) child.release(&child);
  if (memory->dictionary.release != nullptr) memory->dictionary.release(&memory->dictionary);
  if (memory->releases != nullptr) ++*memory->releases;
  delete memory;
  s->release = nullptr;
}
template <class Struct>
Struct exported(const arrow_field& f, int* releases) {
  auto* const memory = new arrow_memory<Struct>{f, std::vector<Struct>(f.children.size())};
  memory->releases = releases;
  for (std::size_t k = 0; k < f.children.size(); ++k) {
    memory->children[k] = exported<Struct>(f.children[k], nullptr);
    memory->pointers.push_back(&memory->children[k]);
  }
  if (f.dictionary) memory->dictionary = exported<Struct>(*f.dictionary, nullptr);
  Struct s{};
  s.n_children = static_cast<std::int64_t>(memory->children.size());
  s.children = memory->pointers.data();
  s.dictionary = f.dictionary ? &memory->dictionary : nullptr;
  s.private_data = memory;
  s.release = &release_exported<Struct>;
  if constexpr (requires { s.format; }) {
    s.format = memory->field.format.c_str();
    s.name = memory->field.name.c_str();
  } else {
    for (auto& b : memory->field.buffers) {
      if (b && memory->buffers.size() == 1) b->insert(b->begin(), memory->field.shift, 0);
      const std::size_t shift = memory->buffers.size() == 1 ? memory->field.shift : 0;
      memory->buffers.push_back(b ? b->data() + shift : nullptr);
    }
    s.length = f.length;
    s.null_count = f.null_count;
    s.offset = f.offset;
    s.n_buffers = static_cast<std::int64_t>(memory->buffers.size());
    s.buffers = memory->buffers.data();
  }
  return s;
}

}  // namespace test

#endif
