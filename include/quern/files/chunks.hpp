// SPDX-FileCopyrightText: the Quern authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef QUERN_FILES_CHUNKS_HPP
#define QUERN_FILES_CHUNKS_HPP

/// @file
/// Files as sources and sinks of `quern::chunked`.

#include <quern/chunked/source.hpp>
#include <quern/files/npy.hpp>
#include <quern/files/raw.hpp>

namespace quern::files {
namespace impl {

template <class T, int Rank>
chunked::Source<T, Rank> source_of(std::shared_ptr<array_file> file) {
  if (file->info().extents.rank != Rank)
    throw FileError(file->name(), "has extents " + file->info().extents.str() + ", and a source of rank " +
                                      std::to_string(Rank) + " was asked for");
  return chunked::Source<T, Rank>(reader_of(std::move(file), data_type_of<T>()));
}
template <class T, std::size_t Rank>
array_info info_of(const std::size_t (&extents)[Rank], bool fortran_order) {
  return {data_type_of<T>(), quern::impl::shape_of(extents), fortran_order, false, 0};
}

}  // namespace impl

/// A `.npy` file as a source of values T: `quern::sum(exec, quern::files::npy_source<double, 2>("big.npy"))`.
/// Values are converted as by `read_npy`. Its header is read at once, and its elements when an operation asks for them.
/// @throws FileError if it cannot be read, is truncated, or has another rank
template <class T, int Rank>
chunked::Source<T, Rank> npy_source(const std::string& path) {
  return impl::source_of<T, Rank>(impl::open_npy(impl::open_file(path)));
}
/// The elements of a `.npy` file of any rank, in the order of the file, as a source of one axis.
template <class T>
chunked::Source<T, 1> npy_flat_source(const std::string& path) {
  return impl::source_of<T, 1>(impl::open_npy(impl::open_file(path), true));
}
/// An array of a `.npz` file as a source; one that is compressed is read again from its start where an operation reads
/// backwards.
template <class T, int Rank>
chunked::Source<T, Rank> npz_source(const std::string& path, const std::string& name) {
  return impl::source_of<T, Rank>(impl::open_npz(impl::open_file(path), name));
}
/// Elements in a file without a header as a source: `raw_source<float>("field.bin", {nz, ny, nx})`.
template <class T, std::size_t Rank>
chunked::Source<T, static_cast<int>(Rank)> raw_source(const std::string& path, const std::size_t (&extents)[Rank],
                                                      const raw_layout& layout = {}) {
  const array_info info{data_type_of<T>(), quern::impl::shape_of(extents), layout.fortran_order, layout.big_endian,
                        layout.offset};
  return impl::source_of<T, static_cast<int>(Rank)>(impl::plain_array(impl::open_file(path), info));
}

/// A `.npy` file as a sink: `npy_sink<float>("out.npy", {n, m})`. It gets its name when the operation that writes it
/// ends; a sink serves one operation.
/// @throws FileError if it cannot be written
template <class T, std::size_t Rank>
chunked::Sink<T, static_cast<int>(Rank)> npy_sink(const std::string& path, const std::size_t (&extents)[Rank],
                                                  bool fortran_order = false) {
  const array_info info = impl::info_of<T>(extents, fortran_order);
  return chunked::Sink<T, static_cast<int>(Rank)>(impl::writer_of(path, impl::npy_header(info), info));
}
/// A file without a header as a sink.
template <class T, std::size_t Rank>
chunked::Sink<T, static_cast<int>(Rank)> raw_sink(const std::string& path, const std::size_t (&extents)[Rank],
                                                  bool fortran_order = false) {
  return chunked::Sink<T, static_cast<int>(Rank)>(impl::writer_of(path, "", impl::info_of<T>(extents, fortran_order)));
}

}  // namespace quern::files

#endif
