// SPDX-FileCopyrightText: the Quern authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <algorithm>

#include "arrow.hpp"
#include "host_columns.hpp"

namespace quern {
namespace impl {
namespace {

/// An array that was taken over. As the element of a View it is released with the View's memory.
class taken_array {
 public:
  taken_array() = default;
  ~taken_array() { const arrow::releases<ArrowArray> now(&array_); }
  taken_array(const taken_array&) = delete;
  taken_array& operator=(const taken_array&) = delete;
  void take(ArrowArray& from) { array_ = std::exchange(from, {}); }
  const ArrowArray& get() const { return array_; }

 private:
  ArrowArray array_{};
};

template <class Exec>
Table<Exec> table_of_array(const std::string& label, const Exec& exec, const ArrowSchema& schema, ArrowArray& array) {
  using holder = Kokkos::View<taken_array*, Kokkos::HostSpace>;
  const holder taken(Kokkos::view_alloc(Kokkos::SequentialHostInit, "quern::from_arrow"), 1);
  taken(0).take(array);
  host_memory<Exec> memory(label, exec);
  const auto keeps = std::make_shared<const holder>(taken);
  const auto read =
      arrow::read(label, schema, taken(0).get(), [&](std::size_t bytes) { return memory.take(bytes); }, keeps);
  std::vector<column_in<Exec>> columns;
  for (const auto& c : read) {
    using block = pool_block<Kokkos::HostSpace>;
    auto* const bytes = static_cast<std::byte*>(const_cast<void*>(c.data));
    // Shares the count of the array's users.
    const block in_array(block::data_handle_type(taken.data_handle().tracker(), bytes), block::array_layout(0));
    columns.push_back(memory.column(c.name, c.type, c.data, c.rows, c.categories, c.owner ? in_array : block()));
  }
  return table_access<Exec>::make(exec, std::move(columns));
}

}  // namespace
}  // namespace impl

template <execution_space Exec>
Table<Exec> from_arrow(const Exec& exec, ArrowSchema* schema, ArrowArray* array) {
  const std::string& label = impl::label_text("quern::from_arrow");
  const impl::arrow::releases<ArrowSchema> release_schema(schema);
  const impl::arrow::releases<ArrowArray> release_array(array);  // unless it is taken over
  if (schema == nullptr || array == nullptr) throw Error(label, "the schema or the array is null");
  if (schema->release == nullptr || array->release == nullptr)
    throw Error(label, "the schema or the array was released");
  return impl::table_of_array(label, exec, *schema, *array);
}
template <execution_space Exec>
void to_arrow(const Table<Exec>& table, ArrowSchema* schema, ArrowArray* array) {
  const std::string& label = impl::label_text("quern::to_arrow");
  impl::arrow::write(label, impl::host_columns_of(label, table), schema, array);
}

#define QUERN_TABLE_ARROW(E)                                         \
  template Table<E> from_arrow(const E&, ArrowSchema*, ArrowArray*); \
  template void to_arrow(const Table<E>&, ArrowSchema*, ArrowArray*);
QUERN_ON_ALL(QUERN_TABLE_ARROW)

}  // namespace quern
