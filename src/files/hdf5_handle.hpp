// SPDX-FileCopyrightText: the Quern authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef QUERN_SRC_FILES_HDF5_HANDLE_HPP
#define QUERN_SRC_FILES_HDF5_HANDLE_HPP

/// @file
/// An open file of HDF5. Builds of its library that are not thread safe are the usual ones, so one call is made at a
/// time.

#include <hdf5.h>
#include <sys/stat.h>

#include <exception>
#include <mutex>
#include <optional>
#include <quern/files/hdf5.hpp>
#include <string>
#include <utility>

#include "file_shares.hpp"

namespace quern::files::impl {

inline std::recursive_mutex& library() {
  static std::recursive_mutex m;
  return m;
}

/// Holds the library for one call of Quern, and keeps it from printing.
class library_lock {
 public:
  library_lock() : lock_(library()) {
    H5Eget_auto2(H5E_DEFAULT, &print_, &data_);
    H5Eset_auto2(H5E_DEFAULT, nullptr, nullptr);
  }
  ~library_lock() { H5Eset_auto2(H5E_DEFAULT, print_, data_); }
  library_lock(const library_lock&) = delete;
  library_lock& operator=(const library_lock&) = delete;

 private:
  std::lock_guard<std::recursive_mutex> lock_;
  H5E_auto2_t print_ = nullptr;
  void* data_ = nullptr;
};

/// What the library says of its last failure, from where it began.
inline std::string hdf5_reason() {
  std::string text;
  H5Ewalk2(
      H5E_DEFAULT, H5E_WALK_UPWARD,
      [](unsigned n, const H5E_error2_t* e, void* to) -> herr_t {
        if (n == 0 && e->desc != nullptr) *static_cast<std::string*>(to) = e->desc;
        return 0;
      },
      &text);
  return text.empty() ? "HDF5 gives no reason" : text;
}

inline void check(const std::string& file, const std::string& what, herr_t status) {
  if (status < 0) throw FileError(file, what + ": " + hdf5_reason());
}

/// An identifier that is closed when it goes. What has written calls `close`, since the library brings some data to the
/// file, and reports that there is no room for them, only when the identifier is closed.
class id {
 public:
  id(const std::string& file, const std::string& what, hid_t value, herr_t (*closer)(hid_t))
      : value_(value), close_(closer) {
    check(file, what, value < 0 ? -1 : 0);
  }
  ~id() {
    if (value_ >= 0) close_(value_);  // of what was read, or where an error is under way
  }
  id(id&& other) noexcept : value_(std::exchange(other.value_, -1)), close_(other.close_) {}
  id& operator=(id&&) = delete;
  operator hid_t() const { return value_; }  // NOLINT(google-explicit-constructor)

  void close(const std::string& file, const std::string& what) { check(file, what, close_(std::exchange(value_, -1))); }

 private:
  hid_t value_;
  herr_t (*close_)(hid_t);
};

/// How names in a file are followed: other files, to which external links lead, are read and never changed.
/// @param kind of the list: what calls for links or for datasets take
inline id following(const std::string& file, hid_t kind) {
  id list(file, "names cannot be followed", H5Pcreate(kind), H5Pclose);
  check(file, "names cannot be followed", H5Pset_elink_acc_flags(list, H5F_ACC_RDONLY));
  return list;
}

/// What tells a file from another of the same name.
struct file_stamp {
  ino_t number = 0;
  std::int64_t bytes = -1, seconds = 0, nanoseconds = 0;
  explicit file_stamp(const std::string& path) {
    struct stat s{};
    if (::stat(path.c_str(), &s) == 0) *this = {s.st_ino, s.st_size, s.st_mtim.tv_sec, s.st_mtim.tv_nsec};
  }
  bool operator==(const file_stamp&) const = default;

 private:
  file_stamp(ino_t n, std::int64_t b, std::int64_t s, std::int64_t ns)
      : number(n), bytes(b), seconds(s), nanoseconds(ns) {}
};

/// How a file is opened.
enum class opening { read, create, extend };

class hdf5_handle {
 public:
  /// @param path       what messages call the file
  /// @param how        whether it is read, or a new file, or a copy of an earlier one that gets more datasets
  /// @param opened     the name that it has now
  /// @param access     how the library reaches it
  /// @param unfinished what gives the file its name when it is committed, and removes it where it is not
  hdf5_handle(std::string path, opening how, const std::string& opened, hid_t access = H5P_DEFAULT,
              unfinished_file unfinished = {})
      : path_(std::move(path)),
        unfinished_(std::move(unfinished)),
        writes_(how != opening::read),
        shared_(access != H5P_DEFAULT) {
    const library_lock lock;
    file_ = how == opening::create
                ? H5Fcreate(c_name(path_, opened), H5F_ACC_TRUNC, H5P_DEFAULT, access)
                : H5Fopen(c_name(path_, opened), how == opening::read ? H5F_ACC_RDONLY : H5F_ACC_RDWR, access);
    if (file_ < 0)
      throw FileError(path_, std::string("cannot be ") + (how == opening::create ? "written" : "opened as HDF5") +
                                 ": " + hdf5_reason());
  }
  /// Closes what was read, and what was written and is complete or removed. A library that cannot write to a full disk
  /// would keep a file open, and try again when the program ends.
  /// Processes close a file together; one that ends for an error of its own does not wait for the others.
  ~hdf5_handle() {
    const library_lock lock;
    if (file_ < 0 || (shared_ && std::uncaught_exceptions() > exceptions_)) return;
    if (!writes_) H5Fclose(std::exchange(file_, -1));
    else abandon();  // without a commit it is removed
  }
  hdf5_handle(const hdf5_handle&) = delete;
  hdf5_handle& operator=(const hdf5_handle&) = delete;

  hid_t file() const {
    if (file_ < 0) throw FileError(path_, "was committed, or writing failed, and is closed");
    return file_;
  }
  const std::string& name() const { return path_; }

  /// f(), which writes. A file of which a part could not be written is never committed.
  template <class F>
  void writing(const F& f) {
    try {
      f();
    } catch (...) {
      damaged_ = true;
      throw;
    }
  }
  bool damaged() const { return damaged_; }
  void flush() {
    const library_lock lock;
    writing([&] { check(path_, "cannot be written", H5Fflush(file(), H5F_SCOPE_LOCAL)); });
  }

  void commit() {
    try {
      check_whole();
      close();
      give_name();
    } catch (...) {
      discard();
      throw;
    }
  }
  /// The steps of a commit; processes that share a file take each together.
  void check_whole() const {
    (void)file();
    if (damaged_) throw FileError(path_, "is not committed, as an earlier write to it failed");
  }
  /// Counts what something takes in the file, with what tells where it is, and groups: the library does not know how
  /// far a file of several processes reaches.
  void needs(std::int64_t bytes, std::int64_t groups = 0) {
    needed_ += static_cast<haddr_t>(bytes + 4096 * (1 + groups));
  }
  /// Makes sure that there is room for all that the library is going to write, where the file system can tell.
  void reserve();
  /// Brings all to the file and closes it, or abandons it.
  void close() {
    const library_lock lock;
    std::string problem;
    if (H5Fflush(file(), H5F_SCOPE_LOCAL) < 0) {
      problem = hdf5_reason();
    } else if (H5Fclose(file_) < 0) {
      problem = hdf5_reason();
      if (shared_) file_ = -1;  // processes close a file together, and so once
    } else {
      file_ = -1;
    }
    if (problem.empty()) return;
    abandon();
    throw FileError(path_, "cannot be written: " + problem);
  }
  void give_name() {
    if (earlier_ && *earlier_ != file_stamp(path_))
      throw FileError(path_, "is not written: another file has this name since this one was begun");
    unfinished_.commit();
  }
  /// The file takes the place of an earlier one, whose contents it has, and of none that comes in between.
  void replaces(const file_stamp& earlier) { earlier_ = earlier; }
  /// Brings all to the file, which stays open for more, and gives it its name if it has none.
  void publish();
  /// After a failure: closes a file, and leaves of it what was published last, or nothing.
  void revert() noexcept;
  /// Removes a file that has no name yet.
  void discard() noexcept { unfinished_.remove(); }
  /// Closes a file without writing what the library still has for it. Processes that share it call this together.
  void abandon() noexcept;

 private:
  std::string path_;
  unfinished_file unfinished_;  // removed when the file is closed
  bool writes_, shared_;        // by processes
  hid_t file_ = -1;
  bool damaged_ = false;
  int exceptions_ = std::uncaught_exceptions();
  std::optional<file_stamp> earlier_;
  haddr_t needed_ = 8192;  // bytes, with those of the file itself
  hsize_t published_ = 0;  // bytes
};

}  // namespace quern::files::impl

#endif
