// SPDX-FileCopyrightText: the Quern authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef QUERN_CHUNKED_ROWS_HPP
#define QUERN_CHUNKED_ROWS_HPP

#include <cstring>
#include <memory>
#include <quern/chunked/source.hpp>
#include <quern/core/views/rows.hpp>

namespace quern {
namespace impl {

/// An array whose elements are the rows along the last axis of another one, each of k values T. Boxes of it are packed
/// as those of an array of such elements, also where the other one is in Fortran order and its rows are no runs.
template <class Access, class T>
struct rows_io : Access {
  std::shared_ptr<Access> array;

  explicit rows_io(std::shared_ptr<Access> of) : array(std::move(of)) {
    this->extents = array->extents;
    this->extents.extent[--this->extents.rank] = 0;
    this->fortran_order = array->fortran_order;
    this->middle_axis = array->middle_axis;  // never the last axis, of values
  }
  std::string location(const packed_box& box) const override { return array->location(values(box)); }
  bool has_whole_rows() const override { return array->has_whole_rows(); }
  void* address(const packed_box& box) const override {
    return this->fortran_order ? nullptr : array->address(values(box));
  }

 protected:
  /// The number of values of a row.
  std::int64_t row() const { return array->extents.extent[this->extents.rank]; }
  /// The box of values of a box of rows.
  packed_box values(const packed_box& box) const {
    shape extents = box.extents;
    extents.extent[extents.rank++] = row();
    stride_array first = box.first;
    first[box.extents.rank] = 0;
    return make_box(extents, first, this->fortran_order);
  }
};
template <class T>
struct rows_reader : rows_io<array_reader, T> {
  using rows_io<array_reader, T>::rows_io;
  void read(const packed_box& box, void* to) override {
    const auto whole = this->values(box);
    if (!this->fortran_order) return this->array->read(whole, to);
    const auto columns = std::make_unique_for_overwrite<T[]>(static_cast<std::size_t>(whole.extents.size()));
    this->array->read(whole, columns.get());
    const std::int64_t n = box.extents.size(), k = this->row();
    for (std::int64_t i = 0; i < n; ++i)
      for (std::int64_t c = 0; c < k; ++c) static_cast<T*>(to)[i * k + c] = columns[c * n + i];
  }
};
template <class T>
struct rows_writer : rows_io<array_writer, T> {
  using rows_io<array_writer, T>::rows_io;
  void begin(const std::string& operation) override { this->array->begin(operation); }
  void finish() override { this->array->finish(); }
  void write(const packed_box& box, const void* from) override {
    const auto whole = this->values(box);
    if (!this->fortran_order) return this->array->write(whole, from);
    const auto columns = std::make_unique_for_overwrite<T[]>(static_cast<std::size_t>(whole.extents.size()));
    const std::int64_t n = box.extents.size(), k = this->row();
    for (std::int64_t i = 0; i < n; ++i)
      for (std::int64_t c = 0; c < k; ++c) columns[c * n + i] = static_cast<const T*>(from)[i * k + c];
    this->array->write(whole, columns.get());
  }
};
template <class T>
std::shared_ptr<array_reader> rows_of_access(std::shared_ptr<array_reader> array) {
  return std::make_shared<rows_reader<T>>(std::move(array));
}
template <class T>
std::shared_ptr<array_writer> rows_of_access(std::shared_ptr<array_writer> array) {
  return std::make_shared<rows_writer<T>>(std::move(array));
}

/// Rows of a View that comes in chunks.
template <std::size_t K, class Element, class V>
struct chunked_view<row_array<K, Element, V>> {
  using place = in_chunks_place;
  using view_type = row_array<K, Element, V>;
  using value_type = std::conditional_t<std::is_const_v<typename V::value_type>, const Element, Element>;
  using execution_space = Kokkos::DefaultExecutionSpace;
  static constexpr int rank = rank_of<view_type>;
  view_type view;
  shape extents() const { return view_extents(view); }
};
template <std::size_t K, class Element, class V>
inline constexpr bool is_placed_rows<chunked_view<row_array<K, Element, V>>> = true;

template <template <class, int> class Handle, std::size_t K, class Struct, class V>
auto rows_of_handle(const V& v) {
  using T = std::remove_const_t<typename V::value_type>;
  static_assert(K > 0, "quern::rows: k must be positive");
  static_assert(V::rank > 1, "quern::rows: what comes in chunks needs an axis of elements beside that of their values");
  check_rows(K, v.extents());
  return Handle<typename row_element<K, T, Struct>::type, V::rank - 1>(rows_of_access<T>(v.array()));
}

}  // namespace impl

/// The rows of what comes in chunks, (n, k), as n elements of k values:
///
/// @code
/// const Kokkos::Array<double, 3> center = quern::mean(exec, quern::rows<3>(quern::in_chunks(positions)));
/// @endcode
///
/// Those of a source or a sink are a source or a sink of elements, for all operations in chunks. Those of
/// `in_chunks(view)` are inputs and outputs of `map`, `copy`, `fill`, and inputs of reductions, where rows of Views
/// in memory may stand beside them.
/// @throws Error if K is not the last extent of v
template <std::size_t K, class Struct = void, class V>
  requires(impl::is_source<V>)
auto rows(const V& v) {
  return impl::rows_of_handle<chunked::Source, K, Struct>(v);
}
template <std::size_t K, class Struct = void, class V>
  requires(impl::is_sink<V>)
auto rows(const V& v) {
  return impl::rows_of_handle<chunked::Sink, K, Struct>(v);
}
template <std::size_t K, class Struct = void, class V>
  requires(impl::is_chunked_view<V>)
auto rows(const V& v) {
  static_assert(V::rank > 1, "quern::rows: what comes in chunks needs an axis of elements beside that of their values");
  return in_chunks(rows<K, Struct>(v.view));
}

template <>
struct impl::rows_in_place<impl::in_chunks_place> {
  template <std::size_t K, class V>
  static auto of(const V& v) {
    return rows<K>(v);
  }
};

}  // namespace quern

#endif
