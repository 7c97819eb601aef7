// SPDX-FileCopyrightText: the Quern authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef QUERN_FILES_CONVERT_HPP
#define QUERN_FILES_CONVERT_HPP

#include <quern/files/hdf5.hpp>

namespace quern::files {
namespace impl {

/// An array of a file of any format; without a name, the only one that can be read.
std::shared_ptr<array_file> open_array(const std::string& path, const std::string& name);

}  // namespace impl

/// An array in a file of any format: its name (empty in a `.npy` file, which has one) and what it is.
struct named_array {
  std::string name;
  array_info info;
  /// Empty, or what the array holds that is not read, as `text of variable length`; `info` says nothing then.
  std::string unread{};
};

/// What a file holds whose name ends in `.npy`, `.npz`, `.h5` or `.hdf5`: all its arrays, those of types that are not
/// read too.
/// @throws FileError if its name ends otherwise, or it cannot be read
std::vector<named_array> contents(const std::string& path);

/// Writes an array of one file to another, whatever the formats, chunk by chunk: the arrays may be larger than memory.
/// Values keep their type. A `.npy` file keeps the order of what it is made from. An earlier `.npy` file is replaced;
/// of an earlier HDF5 file the dataset of that name is, and all else stays: it is copied, so that there is room for
/// both on the disk.
///
/// @param to      a name that ends in `.npy`, `.h5` or `.hdf5`; the file gets it when it is complete
/// @param array   which array of a `.npz` or HDF5 file; empty for the only one that can be read
/// @param dataset the name in a HDF5 file
/// @throws FileError if there are several arrays and none is named, where a file cannot be read or written, and where
/// an earlier file is not HDF5 though its name says so. Earlier files are as they were then
void convert(const std::string& from, const std::string& to, const std::string& array = "",
             const std::string& dataset = "data", const hdf5_options& options = {});

}  // namespace quern::files

#endif
