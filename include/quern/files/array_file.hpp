// SPDX-FileCopyrightText: the Quern authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef QUERN_FILES_ARRAY_FILE_HPP
#define QUERN_FILES_ARRAY_FILE_HPP

/// @file
/// Arrays in files behind one interface, and Views that are read from and written to them chunk by chunk.

#include <memory>
#include <quern/chunked/array_io.hpp>
#include <quern/files/array_info.hpp>
#include <quern/files/output_file.hpp>
#include <quern/transfer/copy.hpp>
#include <span>

namespace quern::files::impl {

using namespace quern::impl;

/// Bytes of a chunk of a file: enough for several threads to read, few enough to stay in caches while they are copied.
inline constexpr std::int64_t chunk_bytes = 16 << 20;

/// An array in a file, in the type that it has there.
class array_file {
 public:
  virtual ~array_file() = default;
  const array_info& info() const { return info_; }
  const std::string& name() const { return name_; }
  /// The elements of a box, packed in the order of the file and in the byte order of the machine.
  virtual void read(const packed_box& box, void* to) = 0;
  virtual std::string location(const packed_box& box) const;

 protected:
  array_file(std::string name, const array_info& info) : name_(std::move(name)), info_(info) {}

 private:
  std::string name_;
  array_info info_;
};

/// Reads a box and converts its elements.
void read_as(array_file& from, const packed_box& box, data_type type, void* to);
/// @throws FileError unless values of one type can be stored in the other: reals are no integers, complex numbers no
/// reals
void check_conversion(const array_file& from, data_type to);
/// A file as an array of another type.
std::shared_ptr<array_reader> reader_of(std::shared_ptr<array_file> file, data_type type);

/// The bytes of a file, or of what is in an archive, read from any offset. One call at a time.
class byte_source {
 public:
  virtual ~byte_source() = default;
  virtual std::int64_t size() const = 0;
  virtual const std::string& name() const = 0;
  /// @throws FileError where the file ends earlier, or cannot be read
  virtual void read(std::int64_t offset, std::int64_t bytes, void* to) = 0;
};
std::shared_ptr<byte_source> open_file(const std::string& path);

/// Elements that lie in a file one behind the other.
/// @throws FileError if the file is too short for them
std::unique_ptr<array_file> plain_array(std::shared_ptr<byte_source> file, const array_info& info);

/// A file that is written box by box behind a header.
std::shared_ptr<array_writer> writer_of(const std::string& path, const std::string& header, const array_info& info);

/// Whether a View lies in Fortran order and not in C order, so that its file better does.
bool is_fortran_ordered(const array_bytes& array);

template <class V>
auto array_of(const V& v) {
  static_assert(Kokkos::is_view_v<V>, "quern::files: arrays in memory must be Kokkos::Views");
  return describe(v.data(), v);
}

/// An execution space for copies between files and a View's memory.
template <class V>
using copy_space = typename V::execution_space;

/// Calls f with a buffer of the host for each chunk of an array that is packed in the order of a file. Copies between
/// the buffer and a device are asynchronous.
template <class V, class F>
void for_each_packed_chunk(const copy_space<V>& exec, const shape& extents, bool fortran_order, const F& f) {
  using T = value_of<V>;
  const strided<const T> in_file{nullptr, extents, packed_strides(extents, fortran_order)};
  const auto buffer = take_block<result_space<copy_space<V>>>(instance_ref(exec), chunk_bytes + sizeof(T));
  for_each_box(in_file, chunk_bytes, [&](const packed_box& box) { f(box, reinterpret_cast<T*>(buffer.data())); });
}

/// Reads the part of a file's array that begins at `first` into a View of any layout and memory space; waits.
template <class V>
void read_box_into(const std::string& label, array_file& file, const V& out, const stride_array& first) {
  using T = value_of<V>;
  const auto whole = array_of(out);
  check_output(label, whole);
  check_conversion(file, data_type_of<T>());
  const bool fortran = file.info().fortran_order;
  if (whole.extents.size() == 0) return;
  const copy_space<V> exec;
  exec.fence(quern::impl::kernel_label(label));
  if (host_reachable<V> && whole.stride == packed_strides(whole.extents, fortran))
    return read_as(file, make_box(whole.extents, first, fortran), data_type_of<T>(), whole.data);
  for_each_packed_chunk<V>(exec, whole.extents, fortran, [&](const packed_box& box, T* packed) {
    exec.fence(quern::impl::kernel_label(label));  // the last chunk has left the buffer
    packed_box in_file = box;
    for (int d = 0; d < whole.extents.rank; ++d) in_file.first[d] += first[d];
    read_as(file, in_file, data_type_of<T>(), packed);
    const strided<T> part = box_of(whole, whole.extents, box);
    const strided<const T> from{packed, box.extents, box.packed};
    if constexpr (host_reachable<V>) copy_on_host(part, from);
    else copy_to_device(exec, part, from, true);
  });
  exec.fence(quern::impl::kernel_label(label));
}

/// The offset of a part of a file's array.
/// @throws FileError if the part is not within the array
stride_array checked_start(const array_file& file, const shape& part, std::span<const std::int64_t> start);

/// Reads a whole array.
template <class V>
void read_into(const std::string& label, array_file& file, const V& out) {
  const shape extents = array_of(out).extents;
  if (extents != file.info().extents)
    throw FileError(file.name(),
                    "has extents " + file.info().extents.str() + ", and out of " + label + " " + extents.str());
  read_box_into(label, file, out, {});
}

/// Calls write(box, packed) with the elements of a View chunk by chunk, in C order or in Fortran order; waits. With
/// `at_once`, all of a View of the host that lies in that order are one chunk.
template <class V, class Write>
void write_chunks(const std::string& label, const V& in, bool fortran_order, bool at_once, const Write& write) {
  using T = value_of<V>;
  const auto described = array_of(in);
  const strided<const T> whole{described.data, described.extents, described.stride};
  if (whole.extents.size() == 0) return;
  const copy_space<V> exec;
  exec.fence(quern::impl::kernel_label(label));
  if (at_once && host_reachable<V> && whole.stride == packed_strides(whole.extents, fortran_order))
    return write(packed_box{{}, whole.extents, whole.stride}, whole.data);
  for_each_packed_chunk<V>(exec, whole.extents, fortran_order, [&](const packed_box& box, T* packed) {
    const strided<const T> part = box_of(whole, whole.extents, box);
    const strided<T> to{packed, box.extents, box.packed};
    if constexpr (host_reachable<V>) copy_on_host(to, part);
    else copy_to_host(exec, to, part, true);
    exec.fence(quern::impl::kernel_label(label));
    write(box, packed);
  });
}
/// Appends the elements of a View to a file.
template <class V>
void write_elements(const std::string& label, output_file& file, const V& in, bool fortran_order) {
  using T = value_of<V>;
  write_chunks(label, in, fortran_order, true, [&](const packed_box& box, const T* packed) {
    file.write(packed, box.extents.size() * static_cast<std::int64_t>(sizeof(T)));
  });
}

/// A new View with a whole array.
template <class V>
V load(const std::string& label, array_file& file) {
  check_conversion(file, data_type_of<value_of<V>>());
  const shape& extents = file.info().extents;
  if (extents.rank != static_cast<int>(V::rank()))
    throw FileError(file.name(), "has extents " + extents.str() + ", and " + label + " was asked for rank " +
                                     std::to_string(V::rank()));
  typename V::array_layout layout;
  for (int d = 0; d < extents.rank; ++d) layout.dimension[d] = extents.extent[d];
  const V v(Kokkos::view_alloc(Kokkos::WithoutInitializing, file.name()), layout);
  read_into(label, file, v);
  return v;
}

}  // namespace quern::files::impl

#endif
