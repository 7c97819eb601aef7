// SPDX-FileCopyrightText: the Quern authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef QUERN_SRC_FILES_HDF5_HANDLE_HPP
#define QUERN_SRC_FILES_HDF5_HANDLE_HPP

/// @file
/// An open file of HDF5. Builds of its library that are not thread safe are the usual ones, so one call is made at a
/// time.

#include <hdf5.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <memory>
#include <mutex>
#include <quern/files/hdf5.hpp>
#include <string>
#include <utility>

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
  return text;
}

/// An identifier that is closed when it goes.
class id {
 public:
  id(const std::string& file, const std::string& what, hid_t value, herr_t (*close)(hid_t))
      : value_(value), close_(close) {
    if (value < 0) throw FileError(file, what + ": " + hdf5_reason());
  }
  ~id() {
    if (value_ >= 0) close_(value_);
  }
  id(id&& other) noexcept : value_(std::exchange(other.value_, -1)), close_(other.close_) {}
  id& operator=(id&&) = delete;
  operator hid_t() const { return value_; }  // NOLINT(google-explicit-constructor)

 private:
  hid_t value_;
  herr_t (*close_)(hid_t);
};

inline void check(const std::string& file, const std::string& what, herr_t status) {
  if (status < 0) throw FileError(file, what + ": " + hdf5_reason());
}

class hdf5_handle {
 public:
  /// @param create whether it is a new file
  /// @param beside whether a new file gets its name when it is committed, and goes where it is not
  hdf5_handle(const std::string& path, bool create, bool beside) : path_(path), unfinished_(path) {
    if (beside) unfinished_ += ".part-" + std::to_string(::getpid());
    open(create, beside, H5P_DEFAULT);
  }
  /// A file that several processes open together.
  /// @param unfinished the name of a new file until it is committed, or empty
  /// @param access     how the library reaches the file
  /// @param renames    whether this process gives the file its name, or removes it
  hdf5_handle(const std::string& path, const std::string& unfinished, hid_t access, bool renames)
      : path_(path), unfinished_(unfinished.empty() ? path : unfinished) {
    open(!unfinished.empty(), renames && !unfinished.empty(), access);
  }
  ~hdf5_handle() {
    const library_lock lock;
    if (file_ >= 0) H5Fclose(file_);
    if (goes_) ::unlink(unfinished_.c_str());
  }
  hdf5_handle(const hdf5_handle&) = delete;
  hdf5_handle& operator=(const hdf5_handle&) = delete;

  hid_t file() const {
    if (file_ < 0) throw FileError(path_, "was committed, and is closed");
    return file_;
  }
  const std::string& name() const { return path_; }

  void commit() {
    close();
    give_name();
  }
  void close() {
    const library_lock lock;
    const hid_t closed = std::exchange(file_, -1);
    check(path_, "cannot be written", H5Fclose(closed));
  }
  void give_name() {
    if (goes_ && std::rename(unfinished_.c_str(), path_.c_str()) != 0)
      throw FileError(path_, std::string("cannot be given its name: ") + std::strerror(errno));
    goes_ = false;
  }

 private:
  void open(bool create, bool goes, hid_t access) {
    const library_lock lock;
    file_ = create ? H5Fcreate(unfinished_.c_str(), H5F_ACC_TRUNC, H5P_DEFAULT, access)
                   : H5Fopen(path_.c_str(), H5F_ACC_RDONLY, access);
    if (file_ < 0)
      throw FileError(path_,
                      std::string("cannot be ") + (create ? "written" : "opened as HDF5") + ": " + hdf5_reason());
    goes_ = goes;
  }
  std::string path_, unfinished_;
  hid_t file_ = -1;
  bool goes_ = false;
};

}  // namespace quern::files::impl

#endif
