// SPDX-FileCopyrightText: the Quern authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef QUERN_DISTRIBUTED_CHECKPOINT_HPP
#define QUERN_DISTRIBUTED_CHECKPOINT_HPP

#include <functional>
#include <quern/distributed/distributed_view.hpp>
#include <quern/distributed/same_calls.hpp>
#include <quern/files/array_file.hpp>
#include <quern/files/hdf5.hpp>

namespace quern::impl {

/// Files that all ranks open together.
std::shared_ptr<files::impl::hdf5_handle> open_hdf5(const Communicator& comm, const std::string& path);
std::shared_ptr<files::impl::hdf5_handle> create_hdf5(const Communicator& comm, const std::string& path);
void commit_hdf5(const Communicator& comm, files::impl::hdf5_handle& file);
/// Makes sure that there is room for something in the file: a rank that cannot write its part of it would leave the
/// others waiting within HDF5. Where there is none on one rank, all abandon the file.
/// @param name of what is made, whose groups take room, too
void reserve_hdf5(const Communicator& comm, files::impl::hdf5_handle& file, std::int64_t bytes,
                  const std::string& name);
/// f() on every rank, which writes. Where that fails on one, all abandon the file, and throw as `together` does.
void write_together(const Communicator& comm, files::impl::hdf5_handle& file, const std::function<void()>& f);
/// f() on every rank; if it throws on one, all throw a FileError with that message.
void on_all_ranks(const Communicator& comm, const std::string& path, const std::function<void()>& f);

}  // namespace quern::impl

namespace quern::distributed {

/// A file of HDF5 with distributed arrays, which all ranks write and read together: what a run needs to go on, on the
/// same number of ranks or on another.
///
/// @code
/// auto file = quern::distributed::Checkpoint::create(comm, "run.h5");
/// file.write("u", u);
/// file.set_attribute("/", "time", t);
/// file.commit();
/// // later, on any number of ranks
/// const quern::distributed::Checkpoint last(comm, "run.h5");
/// last.read("u", u);
/// t = last.attribute<double>("/", "time");
/// @endcode
///
/// A new file gets its name by `commit`: until then, and if it fails, an earlier one of that name stays whole. Arrays
/// are datasets of the whole array in C order, without halos, as `quern::files::Hdf5File` and other programs read
/// them.
///
/// All functions are collective and wait. What fails on one rank throws on all.
/// @throws files::FileError if the file cannot be read or written, or Quern was built without a parallel HDF5
class Checkpoint {
 public:
  /// Opens a file to read.
  Checkpoint(const Communicator& comm, const std::string& path)
      : comm_(comm), path_(path), file_(impl::open_hdf5(comm, path)) {}
  /// A new file.
  static Checkpoint create(const Communicator& comm, const std::string& path) {
    return {comm, path, impl::create_hdf5(comm, path)};
  }

  /// Writes a DistributedView as a new dataset.
  template <distributed_like V>
  void write(const std::string& dataset, const V& in) {
    using T = typename V::value_type;
    check_same("write", dataset, "", in);
    const auto bytes = in.extents().size() * static_cast<std::int64_t>(sizeof(T));
    write_reserved(bytes, dataset, [&] { file_.create_dataset<T>(dataset, in.extents()); });
    impl::write_together(comm_, *file_.handle(), [&] {
      files::impl::write_part("quern::distributed::Checkpoint", *file_.handle(), dataset, in.local(), first_of(in));
    });
  }
  /// Reads a dataset of the extents of out.
  template <distributed_like V>
  void read(const std::string& dataset, const V& out) const {
    check_same("read", dataset, "", out);
    impl::on_all_ranks(comm_, path_, [&] {
      const auto array = files::impl::hdf5_array(file_.handle(), dataset);
      if (array->info().extents != out.extents())
        throw files::FileError(array->name(), "has extents " + array->info().extents.str() + ", expected " +
                                                  out.extents().str() + " as of out");
      files::impl::read_box_into("quern::distributed::Checkpoint::read", *array, out.local(), first_of(out));
    });
  }

  /// A number, or a text, at the file ("/"), a group or a dataset; the same on every rank.
  template <class T>
    requires(std::is_arithmetic_v<T>)
  void set_attribute(const std::string& object, const std::string& name, T value) {
    check_same("set_attribute", object, name + " = " + impl::type_text<T>() + " " + text_of_number(value));
    write_reserved(sizeof(T), name, [&] { file_.set_attribute(object, name, value); });
  }
  void set_attribute(const std::string& object, const std::string& name, const std::string& text) {
    check_same("set_attribute", object, name + " = " + text);
    write_reserved(static_cast<std::int64_t>(text.size()), name, [&] { file_.set_attribute(object, name, text); });
  }
  template <class T>
  T attribute(const std::string& object, const std::string& name) const {
    T value{};
    check_same("attribute", object, name);
    impl::on_all_ranks(comm_, path_, [&] { value = file_.attribute<T>(object, name); });
    return value;
  }

  /// The names of all datasets, with their groups.
  std::vector<std::string> datasets() const { return file_.datasets(); }
  /// Gives a new file its name. Nothing may be written afterwards.
  void commit() { impl::commit_hdf5(comm_, *file_.handle()); }

 private:
  Checkpoint(const Communicator& comm, std::string path, std::shared_ptr<files::impl::hdf5_handle> file)
      : comm_(comm), path_(std::move(path)), file_(std::move(file)) {}

  template <class T>
  static std::string text_of_number(T value) {
    if constexpr (std::is_floating_point_v<T>) return quern::impl::text_of(static_cast<double>(value));
    else return std::to_string(value);
  }
  template <class... V>
  void check_same(const std::string& function, const std::string& object, const std::string& attribute,
                  const V&... arrays) const {
    impl::check_same_arrays(
        comm_, "quern::distributed::Checkpoint::" + function,
        [&] { return " " + object + (attribute.empty() ? "" : ", attribute " + attribute); }, arrays...);
  }
  /// The position of the rank's block in the dataset.
  template <class V>
  static quern::impl::stride_array first_of(const V& v) {
    return v.decomposition().local().first.extent;
  }
  /// f(), which writes something of a name on every rank, where there is room for it.
  template <class F>
  void write_reserved(std::int64_t bytes, const std::string& name, const F& f) {
    impl::reserve_hdf5(comm_, *file_.handle(), bytes, name);
    impl::write_together(comm_, *file_.handle(), f);
  }

  Communicator comm_;
  std::string path_;
  files::Hdf5File file_;
};

}  // namespace quern::distributed

#endif
