// SPDX-FileCopyrightText: the Quern authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef QUERN_FILES_HDF5_HPP
#define QUERN_FILES_HDF5_HPP

#include <functional>
#include <quern/files/array_file.hpp>
#include <quern/files/chunks.hpp>
#include <vector>

namespace quern::files {

/// How a dataset of HDF5 is stored: `{.compression = 4}`.
struct hdf5_options {
  int compression = 0;  ///< the level of deflate, 1 to 9; 0: none, and then contiguous
};

namespace impl {

/// An open file.
class hdf5_handle;
std::shared_ptr<hdf5_handle> open_hdf5(const std::string& path);
/// A new file, which gets its name when it is committed, and is removed where it is not.
std::shared_ptr<hdf5_handle> create_hdf5(const std::string& path);
/// A file that gets one more dataset, or another in place of an earlier one; all else that the file holds stays.
std::shared_ptr<hdf5_handle> hdf5_for_dataset(const std::string& path, const std::string& dataset);
void commit_hdf5(hdf5_handle& file);
/// Brings what was written to the file, so that others can read it.
void flush_hdf5(hdf5_handle& file);
/// Does the same, and gives the file its name; it stays open.
void publish_hdf5(hdf5_handle& file);
/// Closes a file after a failure, as it was when it was published last.
void revert_hdf5(hdf5_handle& file);
/// @throws Error for a level of compression that there is not
void check_options(const hdf5_options& options);
std::vector<std::string> datasets_of(hdf5_handle& file);
std::shared_ptr<array_file> hdf5_array(std::shared_ptr<hdf5_handle> file, const std::string& dataset);
void create_dataset(hdf5_handle& file, const std::string& dataset, const array_info& info, const hdf5_options& options);
void write_dataset(hdf5_handle& file, const std::string& dataset, data_type type, const packed_box& box,
                   const void* from);
void write_attribute(hdf5_handle& file, const std::string& object, const std::string& name, data_type type,
                     const void* value);
void write_attribute(hdf5_handle& file, const std::string& object, const std::string& name, const std::string& text);
void read_attribute(hdf5_handle& file, const std::string& object, const std::string& name, data_type type, void* value);
std::string read_text_attribute(hdf5_handle& file, const std::string& object, const std::string& name);
std::shared_ptr<array_writer> hdf5_writer(std::shared_ptr<hdf5_handle> file, const std::string& dataset,
                                          const array_info& info, const hdf5_options& options);
/// Writes a View as the part of a dataset that begins at `first`; waits.
template <class V>
void write_part(const std::string& label, hdf5_handle& file, const std::string& dataset, const V& in,
                const stride_array& first) {
  using T = value_of<V>;
  write_chunks(label, in, false, false, [&](packed_box box, const T* packed) {
    for (int d = 0; d < box.extents.rank; ++d) box.first[d] += first[d];
    write_dataset(file, dataset, data_type_of<T>(), box, packed);
  });
}

}  // namespace impl

/// A file of HDF5. Datasets have any rank up to 8 and any numeric type, in C order; complex numbers are pairs `r`, `i`
/// and booleans the enumeration `FALSE` = 0, `TRUE` = 1, as in h5py. Groups in a name are made:
/// `file.write("fields/u", u)`. Other types (texts, other compounds and enumerations, arrays, references, ...) are
/// listed by `datasets`, and named by the error where they are read.
///
/// All functions wait. One file may be used by one host thread at a time; several files, by several.
/// @throws FileError where Quern was built without HDF5 (QUERN_ENABLE_HDF5), and if the file cannot be read or written
class Hdf5File {
 public:
  /// Opens a file to read.
  explicit Hdf5File(const std::string& path) : file_(impl::open_hdf5(path)) {}
  /// A new file. It gets its name by `commit`, so that an earlier one of that name stays whole until then; without
  /// that call nothing stays.
  static Hdf5File create(const std::string& path) { return Hdf5File(impl::create_hdf5(path)); }

  /// The names of all datasets, with their groups.
  std::vector<std::string> datasets() const { return impl::datasets_of(*file_); }
  array_info info(const std::string& dataset) const { return impl::hdf5_array(file_, dataset)->info(); }

  /// Reads a dataset into a View of any layout and memory space, converted as by `read_npy`.
  template <class V>
  void read(const std::string& dataset, const V& out) const {
    impl::read_into("quern::files::Hdf5File::read", *impl::hdf5_array(file_, dataset), out);
  }
  /// Reads the part of a dataset, of out's extents, that begins at `start`.
  template <class V>
  void read(const std::string& dataset, const V& out, const std::array<std::int64_t, V::rank()>& start) const {
    const auto array = impl::hdf5_array(file_, dataset);
    impl::read_box_into("quern::files::Hdf5File::read", *array, out,
                        impl::checked_start(*array, impl::array_of(out).extents, start));
  }
  /// A new View with a dataset.
  template <class V>
    requires(Kokkos::is_view_v<V>)
  V load(const std::string& dataset) const {
    return impl::load<V>("quern::files::Hdf5File::load", *impl::hdf5_array(file_, dataset));
  }

  /// Writes a View of any layout and memory space as a new dataset.
  template <class V>
  void write(const std::string& dataset, const V& in, const hdf5_options& options = {}) {
    create_dataset<quern::impl::value_of<V>>(dataset, impl::array_of(in).extents, options);
    write_part(dataset, in, std::array<std::int64_t, V::rank()>{});
  }
  /// A dataset whose elements `write_part` writes: it may be larger than memory.
  template <class T>
  void create_dataset(const std::string& dataset, const shape& extents, const hdf5_options& options = {}) {
    impl::create_dataset(*file_, dataset, {data_type_of<T>(), extents, false, false, 0}, options);
  }
  /// Writes the part of a dataset, of in's extents, that begins at `start`.
  template <class V>
  void write_part(const std::string& dataset, const V& in, const std::array<std::int64_t, V::rank()>& start) {
    const auto first = impl::checked_start(*impl::hdf5_array(file_, dataset), impl::array_of(in).extents, start);
    impl::write_part("quern::files::Hdf5File::write", *file_, dataset, in, first);
  }

  /// A number, or a text, at the file ("/"), a group or a dataset, in place of an earlier one of that name. Texts are
  /// UTF-8 of variable length, `str` in h5py.
  /// @throws Error if a text has a zero byte, where HDF5 would end it
  template <class T>
    requires(std::is_arithmetic_v<T>)
  void set_attribute(const std::string& object, const std::string& name, T value) {
    impl::write_attribute(*file_, object, name, data_type_of<T>(), &value);
  }
  void set_attribute(const std::string& object, const std::string& name, const std::string& text) {
    impl::write_attribute(*file_, object, name, text);
  }
  /// `file.attribute<double>("u", "time")`, `file.attribute<std::string>("/", "title")`. Numbers are converted as by
  /// `read_npy`, but integers only to types that hold them. Texts have a variable length or a fixed one.
  /// @throws FileError if there is none, or it is something else than one number or text: an array of several, say
  template <class T>
  T attribute(const std::string& object, const std::string& name) const {
    if constexpr (std::is_same_v<T, std::string>) {
      return impl::read_text_attribute(*file_, object, name);
    } else {
      T value{};
      impl::read_attribute(*file_, object, name, data_type_of<T>(), &value);
      return value;
    }
  }

  /// Brings what was written to the file, so that others can read it.
  void flush() { impl::flush_hdf5(*file_); }
  /// Gives a new file its name. Nothing may be written afterwards.
  void commit() { impl::commit_hdf5(*file_); }

  /// What other parts of the library have opened, and need of it.
  explicit Hdf5File(std::shared_ptr<impl::hdf5_handle> file) : file_(std::move(file)) {}
  const std::shared_ptr<impl::hdf5_handle>& handle() const { return file_; }

 private:
  std::shared_ptr<impl::hdf5_handle> file_;
};

/// A dataset as a source of `quern::chunked`: `hdf5_source<double, 3>("u.h5", "fields/u")`.
template <class T, int Rank>
chunked::Source<T, Rank> hdf5_source(const std::string& path, const std::string& dataset) {
  return impl::source_of<T, Rank>(impl::hdf5_array(impl::open_hdf5(path), dataset));
}
/// A dataset as a sink. The file gets its name when the operation that writes it ends; other datasets of an earlier
/// file of that name stay (they are copied when the sink is made), and a dataset of the same name is replaced. Two
/// sinks of one file are for one operation after the other, and the second is made when the first operation has ended:
/// where another file has come in between, the operation fails at its end.
/// @throws FileError if an earlier file is not HDF5, or the new one cannot be written
template <class T, std::size_t Rank>
chunked::Sink<T, static_cast<int>(Rank)> hdf5_sink(const std::string& path, const std::string& dataset,
                                                   const std::size_t (&extents)[Rank],
                                                   const hdf5_options& options = {}) {
  return chunked::Sink<T, static_cast<int>(Rank)>(
      impl::hdf5_writer(impl::hdf5_for_dataset(path, dataset), dataset, impl::info_of<T>(extents, false), options));
}

/// Fields on a regular grid over time, as `NAME.h5` with `NAME.xdmf` beside it, which ParaView and VisIt open.
///
/// @code
/// quern::files::TimeSeries series("heat", {0.1, 0.1, 0.1});
/// series.write(t, "temperature", u);
/// @endcode
///
/// Both files are complete after each call, so that a run that is under way, or was killed, can be looked at. HDF5
/// locks a file that is open for writing: programs that read it meanwhile set `HDF5_USE_FILE_LOCKING=FALSE`. Earlier
/// files of those names stay until the first call has ended. Where writing fails, as on a full disk, the files are what
/// they were before the call, and nothing can be added any more; a file system that cannot reserve room (`fallocate`),
/// as NFS before version 4.2, may leave the last steps unreadable then. An argument that is refused changes nothing.
class TimeSeries {
 public:
  /// @param name    the files' names without ending
  /// @param spacing the distance of adjacent cells along each axis of the fields, two or three; not 0
  /// @param origin  the position of the first cell; 0 without
  /// @throws Error for other numbers of them, and where one is not finite
  TimeSeries(const std::string& name, std::vector<double> spacing, std::vector<double> origin = {});

  /// Adds a field of extents that are the same for all. A time that is greater than the last begins a step.
  ///
  /// @param time  finite, and not before the last
  /// @param field a name that is not empty, without control characters, '/' and ':' (XDMF ends the name of a file by
  /// it)
  /// @throws Error for other times, names, extents, types and options, and a field that the step has already
  template <class V>
  void write(double time, const std::string& field, const V& in, const hdf5_options& options = {}) {
    const std::string dataset =
        add(time, field, impl::array_of(in).extents, data_type_of<quern::impl::value_of<V>>(), options);
    complete([&] { file_.write(dataset, in, options); });
  }

 private:
  struct step {
    double time;
    std::vector<std::pair<std::string, data_type>> fields;
  };
  std::string add(double time, const std::string& field, const shape& extents, data_type type,
                  const hdf5_options& options);
  /// Writes a field, and what tells of it; where that fails, the files are those of before.
  void complete(const std::function<void()>& write);
  std::string description() const;

  std::string name_;
  std::vector<double> spacing_, origin_;
  Hdf5File file_;
  shape extents_;
  std::vector<step> steps_;
};

}  // namespace quern::files

#endif
