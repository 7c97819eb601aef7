// SPDX-FileCopyrightText: the Quern authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <algorithm>
#include <cstring>
#include <limits>
#include <quern/core/call/error.hpp>
#include <quern/core/call/label.hpp>
#include <quern/table/csv_source.hpp>

#include "columns.hpp"
#include "csv_records.hpp"
#include "input_file.hpp"

namespace quern::impl {
namespace {

constexpr std::int64_t block_lines = 1 << 18;

/// The options of a file of which some columns are of one type.
read_csv_options options_of_columns(const read_csv_options& given, const column_names& columns, column_type type) {
  read_csv_options options = given;
  options.columns = columns;
  options.types.clear();
  for (const auto& name : columns) options.types.emplace_back(name, type);
  return options;
}
/// The same where the bad lines are known.
read_csv_options options_to_repeat(read_csv_options options) {
  options.bad_lines = std::numeric_limits<std::int64_t>::max();
  options.left_out = nullptr;
  return options;
}

/// Columns of a file, read by blocks of lines whose places are known.
class csv_column_reader : public array_reader {
 public:
  csv_column_reader(const std::string& path, const column_names& columns, column_type type, int rank,
                    const read_csv_options& options)
      : path_(path),
        columns_(columns),
        size_(bytes_of(type)),
        delimiter_(options.delimiter),
        file_(path),
        again_(path, options_to_repeat(options)) {
    if (!file_.regular()) throw files::FileError(path, "is no file that can be read a second time");
    find_blocks(options);
    extents.rank = rank;
    extents.extent[0] = rows_;
    if (rank == 2) extents.extent[1] = static_cast<std::int64_t>(columns.size());
  }
  std::string location(const packed_box& box) const override { return path_ + ", " + rows_of(box); }
  void read(const packed_box& box, void* to) override {
    const std::int64_t across = extents.rank == 2 ? box.extents.extent[1] : 1;
    const std::int64_t first_column = extents.rank == 2 ? box.first[1] : 0;
    auto* const bytes = static_cast<std::byte*>(to);
    const std::int64_t first = box.first[0], end = first + box.extents.extent[0];
    for (std::int64_t row = first; row < end;) {
      const block& b = block_of(row);
      const std::int64_t n = std::min(end, b.first_row + b.rows) - row;
      for (std::int64_t j = 0; j < across; ++j)
        put_column(data_[static_cast<std::size_t>(first_column + j)] + (row - b.first_row) * size_, n,
                   bytes + ((row - first) * across + j) * size_, across);
      row += n;
    }
  }

 private:
  struct block {
    std::int64_t offset, bytes, lines, first_row, rows;
  };

  /// Puts elements of a column into one of rows.
  void put_column(const std::byte* from, std::int64_t n, std::byte* to, std::int64_t across) const {
    const auto put = [&](auto size) {
      for (std::int64_t i = 0; i < n; ++i) std::memcpy(to + i * across * size, from + i * size, size);
    };
    if (size_ == 4) put(std::integral_constant<int, 4>());
    else put(std::integral_constant<int, 8>());
  }
  host_allocator allocator() {
    memory_.clear();
    return [this](std::size_t bytes) {
      memory_.emplace_back(new std::byte[bytes]);
      return memory_.back().get();
    };
  }
  /// Reads the file once.
  void find_blocks(const read_csv_options& options) {
    csv::file_reader reader(path_, options);
    csv::record_reader records(
        path_, [this](char* to, std::size_t most) { return file_.read(to, most); }, options.delimiter);
    const auto begin = [&](csv::cursor lines) {
      csv::cursor same = lines;
      again_.begin(same);
      reader.begin(lines);
    };
    if (options.header) begin(records.next(1));
    for (bool begun = options.header; !begun || !records.at_end(); begun = true) {
      const std::int64_t offset = records.offset();
      const csv::cursor lines = records.next(block_lines);
      if (!begun) begin(lines);
      const std::int64_t rows = reader.read(lines, allocator()).rows;
      if (rows > 0) blocks_.push_back({offset, lines.end - lines.at, lines.lines, rows_, rows});
      rows_ += rows;
    }
  }
  const block& block_of(std::int64_t row) {
    const auto behind =
        std::partition_point(blocks_.begin(), blocks_.end(), [&](const block& b) { return b.first_row <= row; });
    const auto number = behind - blocks_.begin() - 1;
    const block& b = blocks_[static_cast<std::size_t>(number)];
    if (number != there_) read_block(b);
    there_ = number;
    return b;
  }
  void read_block(const block& b) {
    there_ = -1;
    text_.resize(static_cast<std::size_t>(b.bytes));
    const std::size_t n = file_.read_at(b.offset, text_.data(), text_.size());
    const auto found = again_.read({text_.data(), text_.data() + n, delimiter_, b.lines}, allocator());
    if (n != text_.size() || found.rows != b.rows) throw files::FileError(path_, "changed after its rows were counted");
    data_.clear();
    for (const auto& name : columns_) {
      const auto of_name = [&](const csv::column& c) { return c.name == name; };
      data_.push_back(std::find_if(found.columns.begin(), found.columns.end(), of_name)->data);
    }
  }

  std::string path_;
  column_names columns_;
  std::int64_t size_;  // bytes of an element
  char delimiter_;
  input_file file_;
  csv::file_reader again_;  // of blocks
  std::vector<block> blocks_{};
  std::int64_t rows_ = 0;
  // The block that was read last.
  std::ptrdiff_t there_ = -1;
  std::string text_{};
  std::vector<std::unique_ptr<std::byte[]>> memory_{};
  std::vector<const std::byte*> data_{};
};

}  // namespace

std::shared_ptr<array_reader> csv_columns(const std::string& path, const column_names& columns, column_type type,
                                          int rank, const read_csv_options& options) {
  const std::string& label = label_text("quern::csv_source");
  if (!options.columns.empty() || !options.types.empty())
    throw Error(label, "columns and their type are those of the source, and no options");
  if (columns.empty()) throw Error(label, "there is no column");
  if (rank == 1 && columns.size() != 1)
    throw Error(label, std::to_string(columns.size()) + " columns for a source of rank 1, expected one");
  return in_operation(label, [&] {
    return std::make_shared<csv_column_reader>(path, columns, type, rank, options_of_columns(options, columns, type));
  });
}

}  // namespace quern::impl
