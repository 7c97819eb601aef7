// SPDX-FileCopyrightText: the Quern authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef QUERN_CHUNKED_SOURCE_HPP
#define QUERN_CHUNKED_SOURCE_HPP

#include <memory>
#include <quern/chunked/array_io.hpp>
#include <quern/chunked/options.hpp>
#include <quern/core/views/each_array.hpp>
#include <quern/transfer/copy.hpp>

namespace quern {
namespace impl {

/// A View that comes in chunks; made by `quern::in_chunks`.
template <class V>
struct chunked_view {
  using place = in_chunks_place;
  using view_type = V;
  using value_type = typename V::value_type;
  using execution_space = Kokkos::DefaultExecutionSpace;
  static constexpr int rank = static_cast<int>(V::rank());
  V view;
  shape extents() const { return view_extents(view); }
};
template <class V>
concept is_chunked_view = std::is_same_v<V, chunked_view<typename V::view_type>>;

/// A handle of an array that is read, or written, chunk by chunk: copies are of the same array.
template <class Access, class T, int Rank>
class array_handle {
 public:
  using place = in_chunks_place;
  using access = Access;
  using value_type = T;
  using execution_space = Kokkos::DefaultExecutionSpace;
  static constexpr int rank = Rank;

  explicit array_handle(std::shared_ptr<Access> array) : array_(std::move(array)) {}
  const shape& extents() const { return array_->extents; }
  /// What other parts of the library need of it.
  const std::shared_ptr<Access>& array() const { return array_; }

 private:
  std::shared_ptr<Access> array_;
};
template <class S>
concept is_source = std::is_same_v<typename S::access, array_reader>;
template <class S>
concept is_sink = std::is_same_v<typename S::access, array_writer>;

}  // namespace impl

/// A View of the host beside a device, or larger than the memory of the execution space, as an operand: it is copied
/// there chunk by chunk, and an output back. One that the execution space reaches is used where it is; what a device
/// reaches in the memory of the host is copied all the same, since copy engines are faster.
///
/// @code
/// const double total = quern::sum(exec, quern::in_chunks(host_view));
/// @endcode
template <class V>
  requires(Kokkos::is_view_v<V> || impl::is_rows<V>)
impl::chunked_view<V> in_chunks(const V& view) {
  return {view};
}

}  // namespace quern

namespace quern::chunked {

/// An array of values T that is read chunk by chunk: a file (`quern::files::npy_source`), or a user's function
/// (`reader`). It is a handle: copies read the same array.
template <class T, int Rank>
class Source : public impl::array_handle<impl::array_reader, T, Rank> {
  using impl::array_handle<impl::array_reader, T, Rank>::array_handle;
};

/// An array of values T that is written chunk by chunk, once. What was written to a file has its name when the
/// operation ends, and goes where it fails.
template <class T, int Rank>
class Sink : public impl::array_handle<impl::array_writer, T, Rank> {
  using impl::array_handle<impl::array_writer, T, Rank>::array_handle;
};

}  // namespace quern::chunked

namespace quern::impl {

template <class T, class F>
struct function_reader : array_reader {
  F f;
  bool has_whole_rows() const override { return true; }
  function_reader(const shape& of, F function) : f(std::move(function)) { extents = of; }
  std::string location(const packed_box& box) const override { return "a reader, " + rows_of(box); }
  void read(const packed_box& box, void* to) override {
    check_whole_rows(*this, box);
    f(box.first[0], box.extents.extent[0], static_cast<T*>(to));
  }
};
template <class T, class F>
struct function_writer : array_writer {
  F f;
  function_writer(const shape& of, F function) : f(std::move(function)) { extents = of; }
  std::string location(const packed_box& box) const override { return "a writer, " + rows_of(box); }
  void write(const packed_box& box, const void* from) override {
    check_whole_rows(*this, box);
    f(box.first[0], box.extents.extent[0], static_cast<const T*>(from));
  }
  void finish() override {}
};

/// A source is read by boxes; a View of the host has strides.
template <class T, int Rank>
struct chunked_reindexing<chunked::Source<T, Rank>> {
  static constexpr bool possible(reindexing how) { return how == reindexing::by_boxes; }
  template <int NewRank, class Change>
  static auto restride(const chunked::Source<T, Rank>& v, const Change& change) {
    return chunked::Source<T, NewRank>(reindexed_reader(v.array(), sizeof(T), change));
  }
};
template <class V>
struct chunked_reindexing<chunked_view<V>> {
  static constexpr bool possible(reindexing how) { return how != reindexing::by_map; }
  template <int NewRank, class Change>
  static auto restride(const chunked_view<V>& v, const Change& change) {
    const auto view = quern::impl::restride<NewRank>(v.view, change);
    return chunked_view<std::remove_const_t<decltype(view)>>{view};
  }
};

template <std::size_t Rank>
shape shape_of(const std::size_t (&extents)[Rank]) {
  shape s;
  s.rank = static_cast<int>(Rank);
  for (std::size_t d = 0; d < Rank; ++d) s.extent[d] = static_cast<std::int64_t>(extents[d]);
  bytes_of_array("quern::chunked", s, 1);  // rejects what cannot be counted
  return s;
}

/// A View of the host as what is read from, or written to, beside a device.
template <class Access>
struct view_io : Access {
  array_bytes array;
  bool pinned;
  view_io(const array_bytes& a, bool is_pinned) : array(a), pinned(is_pinned) {
    this->extents = a.extents;
    const auto last = a.extents.rank - 1;
    const std::int64_t first = std::abs(a.stride[0]);  // 0 where the axis repeats elements
    this->fortran_order = a.extents.rank > 1 && first != 0 && first < std::abs(a.stride[last]);
  }
  std::string location(const packed_box&) const override { return "a View"; }
  array_bytes part(const packed_box& box) const { return at(box, address_of(array, box.first), array.stride); }
  array_bytes packed(const packed_box& box, const void* data) const { return at(box, data, box.packed); }
  /// The elements of a box where they are, if the link's copy engine can take them from there or put them there.
  void* address(const packed_box& box) const override {
    return pinned && is_packed(array, box) ? const_cast<void*>(address_of(array, box.first)) : nullptr;
  }

 private:
  array_bytes at(const packed_box& box, const void* data, const stride_array& stride) const {
    array_bytes p = array;
    p.data = data;
    p.extents = box.extents;
    p.stride = stride;
    return p;
  }
};
struct view_reader : view_io<array_reader> {
  using view_io::view_io;
  void read(const packed_box& box, void* to) override { copy_on_host(packed(box, to), part(box)); }
};
struct view_writer : view_io<array_writer> {
  using view_io::view_io;
  void write(const packed_box& box, const void* from) override { copy_on_host(part(box), packed(box, from)); }
  void finish() override {}
};

}  // namespace quern::impl

namespace quern::chunked {

/// A user's function as a source: `reader<float>({n, m}, f)` calls `f(first_row, rows, float* to)` for one chunk after
/// the other, from a thread of its own; to takes the rows in row-major order. What f throws ends the operation.
///
/// Operations that need some rows twice, as stencils do, read them twice.
template <class T, std::size_t Rank, class F>
  requires(std::is_invocable_v<F&, std::int64_t, std::int64_t, T*>)
Source<T, static_cast<int>(Rank)> reader(const std::size_t (&extents)[Rank], F f) {
  using of_rows = impl::function_reader<T, F>;
  return Source<T, static_cast<int>(Rank)>(std::make_shared<of_rows>(impl::shape_of(extents), std::move(f)));
}

/// A user's function as a sink: `writer<float>({n, m}, f)` calls `f(first_row, rows, const float* from)` for one chunk
/// after the other, from a thread of its own.
template <class T, std::size_t Rank, class F>
  requires(std::is_invocable_v<F&, std::int64_t, std::int64_t, const T*>)
Sink<T, static_cast<int>(Rank)> writer(const std::size_t (&extents)[Rank], F f) {
  using of_rows = impl::function_writer<T, F>;
  return Sink<T, static_cast<int>(Rank)>(std::make_shared<of_rows>(impl::shape_of(extents), std::move(f)));
}

/// An array that operations read in chunks: a `source`, `in_chunks(view)`, or a View that the execution space reaches.
template <class S>
concept source_like = impl::is_source<std::remove_cvref_t<S>> || impl::is_chunked_view<std::remove_cvref_t<S>> ||
                      Kokkos::is_view_v<std::remove_cvref_t<S>>;
/// An array that operations write in chunks: a `sink`, `in_chunks(view)`, or a View that the execution space reaches.
template <class S>
concept sink_like = impl::is_sink<std::remove_cvref_t<S>> || impl::is_chunked_view<std::remove_cvref_t<S>> ||
                    Kokkos::is_view_v<std::remove_cvref_t<S>>;

}  // namespace quern::chunked

#endif
