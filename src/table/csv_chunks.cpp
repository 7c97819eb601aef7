// SPDX-FileCopyrightText: the Quern authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <quern/core/call/error.hpp>
#include <quern/table/csv_chunks.hpp>

#include "csv_records.hpp"
#include "csv_table.hpp"
#include "input_file.hpp"

namespace quern {
namespace impl {

/// One reading of a file.
template <class Exec>
class csv_reading {
 public:
  csv_reading(const std::string& label, const Exec& exec, const std::string& path, std::int64_t rows,
              const read_csv_options& options)
      : label_(label),
        exec_(exec),
        file_(path),
        chunks_(path, {path, [this](char* to, std::size_t most) { return file_.read(to, most); }, options.delimiter},
                rows, options) {}
  csv_reading(const csv_reading&) = delete;
  csv_reading& operator=(const csv_reading&) = delete;

  std::optional<Table<Exec>> next() {
    return in_operation(label_, [&]() -> std::optional<Table<Exec>> {
      host_memory<Exec> memory(label_, exec_);
      const auto chunk = chunks_.next([&](std::size_t bytes) { return memory.take(bytes); });
      if (!chunk) return {};
      return csv::table_of(exec_, memory, *chunk);
    });
  }
  bool can_be_repeated() const { return file_.regular(); }

 private:
  const std::string& label_;
  Exec exec_;
  input_file file_;
  csv::chunk_reader chunks_;
};

}  // namespace impl

template <execution_space Exec>
TableChunks<Exec> csv_chunks(const Exec& exec, const std::string& path, const chunk_rows& rows,
                             const read_csv_options& options) {
  const std::string& label = impl::label_text("quern::csv_chunks");
  if (rows.value < 1) throw Error(label, "chunk_rows is " + std::to_string(rows.value) + ", expected 1 or more");
  impl::in_operation(label, [&] { impl::csv::file_reader(path, options); });  // checks the options
  const auto read_once = std::make_shared<bool>(false);
  return TableChunks<Exec>([=, &label]() -> typename TableChunks<Exec>::next_table {
    if (*read_once) throw files::FileError(path, "is no file that can be read a second time");
    const auto reading = std::make_shared<impl::csv_reading<Exec>>(label, exec, path, rows.value, options);
    *read_once = !reading->can_be_repeated();
    return [reading] { return reading->next(); };
  });
}

#define QUERN_TABLE_CSV_CHUNKS(E) \
  template TableChunks<E> csv_chunks(const E&, const std::string&, const chunk_rows&, const read_csv_options&);
QUERN_ON_ALL(QUERN_TABLE_CSV_CHUNKS)

}  // namespace quern
