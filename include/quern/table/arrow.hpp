// SPDX-FileCopyrightText: the Quern authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef QUERN_TABLE_ARROW_HPP
#define QUERN_TABLE_ARROW_HPP

#include <quern/table/table.hpp>

// Arrow's C data interface, an ABI that every library declares for itself.
#ifndef ARROW_C_DATA_INTERFACE
#define ARROW_C_DATA_INTERFACE

#define ARROW_FLAG_DICTIONARY_ORDERED 1
#define ARROW_FLAG_NULLABLE 2
#define ARROW_FLAG_MAP_KEYS_SORTED 4

extern "C" {

struct ArrowSchema {
  const char* format;
  const char* name;
  const char* metadata;
  int64_t flags;
  int64_t n_children;
  struct ArrowSchema** children;
  struct ArrowSchema* dictionary;
  void (*release)(struct ArrowSchema*);
  void* private_data;
};

struct ArrowArray {
  int64_t length;
  int64_t null_count;
  int64_t offset;
  int64_t n_buffers;
  int64_t n_children;
  const void** buffers;
  struct ArrowArray** children;
  struct ArrowArray* dictionary;
  void (*release)(struct ArrowArray*);
  void* private_data;
};

}  // extern "C"

#endif  // ARROW_C_DATA_INTERFACE

namespace quern {

/// A table of the columns of an Arrow array of structs, as Arrow's C data interface hands record batches over: from
/// pyarrow, Polars, DuckDB and others, without a library of Arrow's.
///
/// @code
/// ArrowSchema schema;
/// ArrowArray array;
/// export_batch(&schema, &array);  // by what has the data, as pyarrow's RecordBatch._export_to_c
/// const auto t = quern::from_arrow(exec, &schema, &array);
/// @endcode
///
/// | Arrow's type | column |
/// | --- | --- |
/// | float64, float32, int64, int32 | of the same type, in the array's own memory |
/// | float16 | float32 |
/// | int8, int16, uint8, uint16 | int32 |
/// | uint32, uint64 | int64 |
/// | bool | bool |
/// | utf8, large_utf8, utf8_view, and dictionaries of these | text |
/// | null | float64, all missing |
///
/// The first row is copied only where it must be: missing values become NaN and -1, so that a column that has some is a
/// copy; integers and bools become double then, as pandas makes of them. On hosts all other columns of the first row
/// whose memory is aligned share the array's memory, whatever the offset, and so do codes of int32 in a dictionary that
/// is sorted; on devices all are copied. Waits.
///
/// Takes both structs over: they are released when this returns or throws, except that an array whose memory is shared
/// is released, by whatever thread, with its last column, which must be before Kokkos ends. Nothing may write that
/// memory meanwhile.
/// @throws Error if a struct is null or released, is not one of structs, has missing rows or rows without a column,
/// names that occur twice, columns of other types (as times, decimals, lists or structs) or too short ones, or what is
/// in no array (as indices beyond a dictionary); if a uint64 is beyond int64
template <execution_space Exec>
Table<Exec> from_arrow(const Exec& exec, ArrowSchema* schema, ArrowArray* array);
inline Table<> from_arrow(ArrowSchema* schema, ArrowArray* array) {
  return from_arrow(Kokkos::DefaultExecutionSpace(), schema, array);
}

/// Hands a table over as an Arrow array of structs.
///
/// @code
/// ArrowSchema schema;
/// ArrowArray array;
/// quern::to_arrow(t, &schema, &array);
/// import_batch(&schema, &array);  // by what takes it over, as pyarrow's RecordBatch._import_from_c
/// @endcode
///
/// Numbers are of the same types, in the columns' own memory on hosts where their stride is 1; bools are packed to
/// bits. Texts are dictionaries of utf8 (large_utf8 beyond 2 GiB) with indices of int32. NaN and missing texts are
/// marked as missing in bitmaps, and NaN is in the values, too. Columns of devices are copied to the host. Waits.
///
/// The consumer releases both structs, and may move columns out of them. Memory of Views that count their users lives
/// as long as their arrays do, also when the table is gone; that must be before Kokkos ends.
/// @param schema,array where to write them; what is there is neither read nor released
template <execution_space Exec>
void to_arrow(const Table<Exec>& table, ArrowSchema* schema, ArrowArray* array);

}  // namespace quern

#endif
