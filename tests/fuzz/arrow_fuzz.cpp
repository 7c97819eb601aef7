// SPDX-FileCopyrightText: the Quern authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// A fuzz target of libFuzzer over arrays of Arrow's C data interface (./dev fuzz): whatever an array says of itself
// within its buffers, it gives columns or an error, and columns come back from the array that is made of them.

#include <algorithm>
#include <cstring>
#include <functional>
#include <memory>
#include <quern/core/call/error.hpp>
#include <table/arrow.hpp>
#include <table/arrow_arrays.hpp>
#include <utility>
#include <vector>

namespace {

using quern::column_type;
namespace arrow = quern::impl::arrow;

void require(bool right) {
  if (!right) __builtin_trap();
}

/// Numbers from bytes; zeros behind their end.
class chooser {
 public:
  chooser(const std::uint8_t* data, std::size_t size) : at_(data), end_(data + size) {}
  int below(int n) { return byte() % n; }
  std::vector<std::uint8_t> bytes(std::int64_t n) {
    std::vector<std::uint8_t> all(static_cast<std::size_t>(n) + 1);
    for (auto& b : all) b = byte();
    return all;
  }

 private:
  std::uint8_t byte() { return at_ == end_ ? std::uint8_t(0) : *at_++; }
  const std::uint8_t *at_, *end_;
};

std::int64_t size_of(const std::string& format) {
  if (format == "vu") return 16;
  if (format == "g" || format == "l" || format == "L" || format == "U") return 8;
  if (format == "f" || format == "i" || format == "I" || format == "u") return 4;
  return format == "e" || format == "s" || format == "S" ? 2 : 1;
}

/// Keeps offsets within the bytes that there are, as no reader sees where these end.
template <class Offset>
void keep_within(std::vector<std::uint8_t>& offsets, std::size_t bytes) {
  for (std::size_t at = 0; at + sizeof(Offset) <= offsets.size(); at += sizeof(Offset)) {
    Offset offset;
    std::memcpy(&offset, offsets.data() + at, sizeof offset);
    offset = static_cast<Offset>(offset % static_cast<Offset>(bytes + 1));
    std::memcpy(offsets.data() + at, &offset, sizeof offset);
  }
}

test::arrow_field column_of(chooser& c, int dictionaries) {
  const char* const formats[] = {"g", "f", "e", "l", "L", "i", "I", "s", "S", "c", "C", "b", "n", "u", "U", "vu", "+l"};
  test::arrow_field f;
  f.format = formats[c.below(17)];
  f.name = std::string(1, static_cast<char>('a' + c.below(20)));
  f.offset = c.below(6) - (c.below(20) == 0 ? 1 : 0);
  f.length = c.below(12);
  f.null_count = c.below(4) - 1;
  const std::int64_t last = f.offset + f.length + 1, size = size_of(f.format);
  const auto bitmap = c.below(2) == 0 ? test::arrow_buffer() : c.bytes(last / 8 + 1);
  f.buffers = {bitmap, c.bytes(last * size)};
  if (f.format == "u" || f.format == "U" || f.format == "vu") {
    const auto text = c.bytes(c.below(24));
    const auto bytes = static_cast<std::int64_t>(text.size());
    if (f.format == "u") keep_within<std::int32_t>(*f.buffers[1], text.size());
    if (f.format == "U") keep_within<std::int64_t>(*f.buffers[1], text.size());
    f.buffers.push_back(c.below(8) == 0 && f.format == "vu" ? test::arrow_buffer() : text);
    if (f.format == "vu") f.buffers.push_back(test::buffer_of(std::vector<std::int64_t>{bytes}));
  }
  if (c.below(16) == 0) f.buffers.pop_back();
  f.shift = c.below(4) == 0 ? 1 : 0;
  if (dictionaries > 0 && c.below(3) == 1)
    f.dictionary = std::make_shared<const test::arrow_field>(column_of(c, dictionaries - 1));
  return f;
}

test::arrow_field batch_of(chooser& c) {
  test::arrow_field f{"+s", "", c.below(8), {test::arrow_buffer()}, c.below(4)};
  if (c.below(8) == 0) f.buffers[0] = c.bytes(2), f.null_count = -1;
  for (int k = c.below(4); k >= 0; --k) f.children.push_back(column_of(c, 2));
  return f;
}

struct memory {
  std::vector<std::unique_ptr<std::byte[]>> blocks;
  std::byte* operator()(std::size_t bytes) {
    return blocks.emplace_back(std::make_unique<std::byte[]>(bytes + 1)).get();
  }
};

template <class T>
bool same_values(const quern::impl::host_column& a, const quern::impl::host_column& b) {
  const auto *x = static_cast<const T*>(a.data), *y = static_cast<const T*>(b.data);
  return std::equal(x, x + a.rows, y, [](T v, T w) { return v == w || (v != v && w != w); });
}
bool same(const quern::impl::host_column& a, const quern::impl::host_column& b) {
  if (a.name != b.name || a.type != b.type || a.rows != b.rows) return false;
  switch (a.type) {
    case column_type::float64:
      return same_values<double>(a, b);
    case column_type::float32:
      return same_values<float>(a, b);
    case column_type::int64:
      return same_values<std::int64_t>(a, b);
    case column_type::boolean:
      return same_values<bool>(a, b);
    case column_type::text:
      return *a.categories == *b.categories && same_values<std::int32_t>(a, b);
    default:
      return same_values<std::int32_t>(a, b);
  }
}
void check_codes(const quern::impl::host_column& c) {
  const auto& texts = *c.categories;
  require(std::adjacent_find(texts.begin(), texts.end(), std::greater_equal<>()) == texts.end());
  const auto* const codes = static_cast<const std::int32_t*>(c.data);
  require(std::all_of(codes, codes + c.rows,
                      [&](std::int32_t code) { return code >= -1 && std::cmp_less(code, texts.size()); }));
}

void check_round_trip(const std::vector<quern::impl::host_column>& read) {
  ArrowSchema schema;
  ArrowArray array;
  arrow::write("fuzz", read, &schema, &array);
  {
    const arrow::releases<ArrowSchema> later(&schema);
    const arrow::releases<ArrowArray> later_too(&array);
    memory more;
    const auto back = arrow::read("fuzz", schema, array, std::ref(more), std::make_shared<int>(0));
    require(back.size() == read.size());
    for (std::size_t k = 0; k < back.size(); ++k) require(same(read[k], back[k]));
  }
  require(schema.release == nullptr && array.release == nullptr);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  chooser choose(data, size);
  const auto field = batch_of(choose);
  test::arrow_releases released;
  {
    auto schema = test::exported<ArrowSchema>(field, &released.schemas);
    auto array = test::exported<ArrowArray>(field, &released.arrays);
    const arrow::releases<ArrowSchema> later(&schema);
    const arrow::releases<ArrowArray> later_too(&array);
    memory blocks;
    try {
      const auto read = arrow::read("fuzz", schema, array, std::ref(blocks), std::make_shared<int>(0));
      for (const auto& c : read)
        if (c.categories) check_codes(c);
      check_round_trip(read);
    } catch (const quern::Error&) {
    }
  }
  require(released.schemas == 1 && released.arrays == 1);
  return 0;
}
