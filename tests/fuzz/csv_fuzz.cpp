// SPDX-FileCopyrightText: the Quern authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// A fuzz target of libFuzzer over comma-separated values (./dev fuzz): whatever the bytes are, they give columns or an
// error, and the same ones however the text is cut into chunks, for threads or to be read one after the other.

#include <cstring>
#include <memory>
#include <quern/core/call/error.hpp>
#include <quern/files/array_info.hpp>
#include <string>
#include <table/csv_records.hpp>
#include <utility>
#include <vector>

namespace {

namespace csv = quern::impl::csv;

/// Memory for columns, with another pattern each time, so that what is not written differs.
class patterned_memory {
 public:
  quern::impl::host_allocator allocator() {
    static std::uint8_t pattern = 0;
    ++pattern;
    return [this](std::size_t bytes) {
      auto* const block = memory_.emplace_back(std::make_unique<std::byte[]>(bytes)).get();
      std::memset(block, pattern, bytes);
      return block;
    };
  }

 private:
  std::vector<std::unique_ptr<std::byte[]>> memory_;
};

/// The columns of a file as bytes that can be compared: names and types, and elements, of texts these.
struct columns_read {
  std::int64_t rows = 0;
  std::vector<std::string> types, elements;

  void add(const csv::parsed& file) {
    rows += file.rows;
    types.resize(file.columns.size());
    elements.resize(file.columns.size());
    for (std::size_t k = 0; k < file.columns.size(); ++k) {
      const auto& c = file.columns[k];
      types[k] = c.name + " " + std::string(name_of(csv::type_of(c.type)));
      constexpr std::size_t size_of_kinds[] = {8, 1, 4, 8, 4, 8, 4};
      for (std::int64_t row = 0; row < file.rows; ++row) {
        if (c.type == csv::kind::text) {
          const auto code = reinterpret_cast<const std::int32_t*>(c.data)[row];
          elements[k] += code < 0 ? "missing;" : "'" + c.categories->at(static_cast<std::size_t>(code)) + "';";
        } else {
          const std::size_t size = size_of_kinds[static_cast<int>(c.type)];
          elements[k].append(reinterpret_cast<const char*>(c.data) + static_cast<std::size_t>(row) * size, size);
        }
      }
    }
  }
  std::string text() const {
    std::string result = std::to_string(rows);
    for (std::size_t k = 0; k < types.size(); ++k) result += "\n" + types[k] + ": " + elements[k];
    return result;
  }
};

/// What f makes, or the message of the error that it throws.
template <class F>
std::string result_or_message(const F& f) {
  try {
    return f();
  } catch (const quern::files::FileError& e) {
    return e.what();
  } catch (const quern::Error& e) {
    return e.what();
  }
}

/// What a text gives, and the categories of its columns.
std::string result_of(std::string_view text, const quern::read_csv_options& options, std::int64_t chunk) {
  patterned_memory memory;
  return result_or_message([&] {
    const auto file = csv::parse("fuzz", text, options, memory.allocator(), chunk);
    columns_read all;
    all.add(file);
    std::string result = all.text();
    for (const auto& c : file.columns)
      if (c.categories)
        for (const auto& category : *c.categories) result += ";" + category;
    return result;
  });
}
std::string columns_of(std::string_view text, const quern::read_csv_options& options) {
  patterned_memory memory;
  return result_or_message([&] {
    columns_read all;
    all.add(csv::parse("fuzz", text, options, memory.allocator()));
    return all.text();
  });
}
/// The same of some rows at a time, from blocks of some bytes.
std::string columns_of_chunks(std::string_view text, const quern::read_csv_options& options, std::int64_t rows,
                              std::size_t block) {
  patterned_memory memory;
  const auto read = [&](char* to, std::size_t most) {
    const std::size_t n = text.copy(to, most);
    text.remove_prefix(n);
    return n;
  };
  return result_or_message([&] {
    csv::chunk_reader chunks("fuzz", {"fuzz", read, options.delimiter, block}, rows, options);
    columns_read all;
    while (const auto chunk = chunks.next(memory.allocator())) all.add(*chunk);
    return all.text();
  });
}
/// That rows of chunks are those of the whole text, unless one has a value that is not of the type that others have.
void compare_chunks(std::string_view text, const quern::read_csv_options& options) {
  const std::string whole = columns_of(text, options);
  for (const auto& [rows, block] : {std::pair<int, int>{1, 1}, {3, 7}, {2, 4096}}) {
    const std::string chunks = columns_of_chunks(text, options, rows, static_cast<std::size_t>(block));
    if (chunks.find("which the lines before are of; give its type") != std::string::npos) continue;
    // Errors differ by the number of bad lines so far.
    if (chunks.starts_with("fuzz: ") && whole.starts_with("fuzz: ")) continue;
    if (chunks != whole) __builtin_trap();
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size < 1) return 0;
  quern::read_csv_options options;
  options.delimiter = (data[0] & 1) != 0 ? ';' : ',';
  options.header = (data[0] & 2) != 0;
  options.bad_lines = (data[0] & 4) != 0 ? 1000000 : (data[0] & 8) != 0 ? 1 : 0;
  if ((data[0] & 16) != 0 && !options.header) options.types = {{"0", quern::column_type::int32}};
  if ((data[0] & 32) != 0) options.missing = {"-999", "True", "x"};
  if ((data[0] & 64) != 0 && !options.header) options.columns = {"0"};
  options.fill_short_lines = (data[0] & 128) != 0;
  const std::string_view text(reinterpret_cast<const char*>(data) + 1, size - 1);
  const std::string whole = result_of(text, options, 1 << 20);
  for (const std::int64_t chunk : {3, 16, 100})
    if (size < 4096 && result_of(text, options, chunk) != whole) __builtin_trap();
  if (size < 4096) compare_chunks(text, options);
  return 0;
}
