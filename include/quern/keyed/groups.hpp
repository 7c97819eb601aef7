// SPDX-FileCopyrightText: the Quern authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef QUERN_KEYED_GROUPS_HPP
#define QUERN_KEYED_GROUPS_HPP

#include <concepts>
#include <memory>
#include <mutex>
#include <quern/core/call/label.hpp>
#include <quern/core/launch/compiled.hpp>
#include <quern/core/launch/index_range.hpp>
#include <quern/core/launch/noinline.hpp>
#include <quern/core/memory/pool.hpp>
#include <quern/core/values/binary_search.hpp>
#include <quern/core/views/concepts.hpp>
#include <string>
#include <tuple>

namespace quern::impl {

template <class Exec, class T>
using column_of = Kokkos::View<T*, typename Exec::memory_space>;
template <class Exec, class T>
column_of<Exec, T> new_column(const Exec& exec, std::int64_t n) {
  return pool_view<column_of<Exec, T>>(exec, n);
}
/// Columns of these sizes, one behind the other.
template <class Exec, std::same_as<std::int64_t>... N>
auto new_columns(const Exec& exec, N... n) {
  const auto memory = new_column<Exec, std::int64_t>(exec, (n + ...));
  std::int64_t end = 0;
  const auto next = [&](std::int64_t size) {
    end += size;
    return Kokkos::subview(memory, Kokkos::pair<std::int64_t, std::int64_t>(end - size, end));
  };
  return std::tuple{next(n)...};  // in this order
}

/// Writes the group of the row that is the i-th in the order of the groups.
struct put_label {
  const std::uint32_t* order;
  const std::int64_t* offsets;
  std::int64_t size;
  std::int32_t* labels;
  KOKKOS_FUNCTION void operator()(std::int64_t i) const {
    const auto began = [i](std::int64_t offset) { return offset <= i; };
    labels[order[i]] = static_cast<std::int32_t>(partition_point(offsets, 1, size, began) - 1);
  }
};
/// The group of each row from the rows in the order of their groups, and where each group begins there.
template <class Exec>
column_of<Exec, std::int32_t> label_rows(const Exec& exec, std::int64_t rows, const std::uint32_t* order,
                                         const std::int64_t* offsets, std::int64_t size) {
  const auto column = new_column<Exec, std::int32_t>(exec, rows);
  Kokkos::parallel_for(kernel_label("quern::Groups/labels"), index_range(exec, rows),
                       put_label{order, offsets, size, column.data()});
  exec.fence(kernel_label("quern::Groups: wait for the labels"));
  return column;
}
#define QUERN_LABEL_ROWS(Exec, ...)                                                                              \
  __VA_ARGS__ template column_of<Exec, std::int32_t> label_rows(const Exec&, std::int64_t, const std::uint32_t*, \
                                                                const std::int64_t*, std::int64_t);
QUERN_ON_ALL(QUERN_LABEL_ROWS, extern)

/// Tells the pool that `exec` reads columns of groups.
template <class Exec>
QUERN_IMPL_NOINLINE void record_columns(const Exec& exec, const void* of_groups, const void* of_rows) {
  record_use<typename Exec::memory_space>(of_groups, instance_ref(exec));
  record_use<typename Exec::memory_space>(of_rows, instance_ref(exec));
}
#define QUERN_RECORD_COLUMNS(Exec, ...) __VA_ARGS__ template void record_columns(const Exec&, const void*, const void*);
QUERN_ON_ALL(QUERN_RECORD_COLUMNS, extern)

}  // namespace quern::impl

namespace quern {

/// Rows grouped by keys: see `group_by`. A handle, as a View is: copies share the memory, which is of the pool of its
/// space. Reductions of groups tell the pool which instances read it; for kernels of your own on another instance than
/// the one that grouped, do so by `record_use`.
template <execution_space Exec>
class Groups {
 public:
  using memory_space = typename Exec::memory_space;
  template <class T>
  using column = Kokkos::View<const T*, memory_space>;

  /// Of rows with labels.
  Groups(const column<std::int32_t>& labels, const column<std::int64_t>& first, const column<std::int64_t>& counts)
      : rows_(labels.extent(0)), first_(first), counts_(counts), labels_(labels) {}
  /// Of rows in the order of their groups; `offsets` has one element more than there are groups.
  Groups(const column<std::uint32_t>& order, const column<std::int64_t>& offsets, const column<std::int64_t>& first,
         const column<std::int64_t>& counts)
      : rows_(order.extent(0)),
        first_(first),
        counts_(counts),
        order_(order),
        offsets_(offsets),
        later_(std::make_shared<row_labels>()) {}

  /// How many groups there are.
  std::int64_t size() const { return static_cast<std::int64_t>(first_.extent(0)); }
  /// How many rows there are, in groups and outside.
  std::int64_t rows() const { return rows_; }
  /// The group of each row; -1 where its key is outside of the `key_range`. Groups that were found by sorting compute
  /// them at the first call, on `exec`, and wait for it.
  const column<std::int32_t>& labels(const Exec& exec = Exec()) const {
    if (in_order())
      std::call_once(later_->once,
                     [&] { later_->column = impl::label_rows(exec, rows_, order_.data(), offsets_.data(), size()); });
    const auto& labels = in_order() ? later_->column : labels_;
    impl::record_columns(exec, labels.data(), labels.data());
    return labels;
  }
  /// The first row of each group.
  const column<std::int64_t>& first() const { return first_; }
  /// The number of rows of each group.
  const column<std::int64_t>& counts() const { return counts_; }

  /// Whether they were found by sorting: group g is then the rows `order()(k)` from `k = offsets()(g)` to before
  /// `offsets()(g + 1)`.
  bool in_order() const { return offsets_.is_allocated(); }
  const column<std::uint32_t>& order() const { return order_; }
  const column<std::int64_t>& offsets() const { return offsets_; }

  /// Tells the pool that `exec` reads them.
  void record_use(const Exec& exec) const {
    // The first rows are one column of memory with what lies beside them.
    impl::record_columns(exec, first_.data(), in_order() ? static_cast<const void*>(order_.data()) : labels_.data());
  }

 private:
  struct row_labels {
    std::once_flag once;
    Groups::column<std::int32_t> column;
  };
  std::int64_t rows_;
  column<std::int64_t> first_, counts_;
  column<std::uint32_t> order_;
  column<std::int64_t> offsets_;
  column<std::int32_t> labels_;
  std::shared_ptr<row_labels> later_;  // where they are computed
};

}  // namespace quern

#endif
