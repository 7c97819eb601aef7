// SPDX-FileCopyrightText: the Quern authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// A fuzz target of libFuzzer over comma-separated values (./dev fuzz): whatever the bytes are, they give columns or an
// error, and the same ones however the text is cut into chunks.

#include <cstring>
#include <memory>
#include <quern/core/call/error.hpp>
#include <quern/files/array_info.hpp>
#include <table/csv.hpp>

namespace {

namespace csv = quern::impl::csv;

/// What a text gives, as bytes that can be compared.
std::string result_of(std::string_view text, const quern::read_csv_options& options, std::int64_t chunk) {
  std::vector<std::unique_ptr<std::byte[]>> memory;
  static std::uint8_t pattern = 0;  // another one in each call, so that what is not written differs
  ++pattern;
  const auto allocate = [&](std::size_t bytes) {
    auto* const block = memory.emplace_back(std::make_unique<std::byte[]>(bytes)).get();
    std::memset(block, pattern, bytes);
    return block;
  };
  try {
    const auto file = csv::parse("fuzz", text, options, allocate, chunk);
    std::string result = std::to_string(file.rows);
    for (const auto& c : file.columns) {
      result += "\n" + c.name + " " + std::to_string(static_cast<int>(c.type)) + ":";
      constexpr std::size_t size_of_kinds[] = {8, 1, 4, 8, 4, 8, 4};
      result.append(reinterpret_cast<const char*>(c.data),
                    static_cast<std::size_t>(file.rows) * size_of_kinds[static_cast<int>(c.type)]);
      if (c.categories)
        for (const auto& category : *c.categories) result += ";" + category;
    }
    return result;
  } catch (const quern::files::FileError& e) {
    return e.what();
  } catch (const quern::Error& e) {
    return e.what();
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
  return 0;
}
