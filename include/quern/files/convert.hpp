// SPDX-FileCopyrightText: the Quern authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef QUERN_FILES_CONVERT_HPP
#define QUERN_FILES_CONVERT_HPP

#include <functional>
#include <quern/files/hdf5.hpp>

namespace quern::files {
namespace impl {

/// An array of a file of any format; without a name, its only one.
std::shared_ptr<array_file> open_array(const std::string& path, const std::string& name);

}  // namespace impl

/// An array in a file of any format: its name (empty in a `.npy` file, which has one) and what it is.
struct named_array {
  std::string name;
  array_info info;
};

/// What a file holds whose name ends in `.npy`, `.npz`, `.h5` or `.hdf5`.
/// @throws FileError if its name ends otherwise, or it cannot be read
std::vector<named_array> contents(const std::string& path);

/// Writes an array of one file to another, whatever the formats, piece by piece: the arrays may be larger than memory.
/// Values keep their type. A `.npy` file keeps the order of what it is made from.
///
/// @param to      a name that ends in `.npy`, `.h5` or `.hdf5`; the file gets it when it is complete
/// @param array   which array of a `.npz` or HDF5 file; empty for the only one
/// @param dataset the name in a new HDF5 file
/// @param before_piece is called before each piece of a few megabytes; where it throws, nothing is left of the new file
/// @throws FileError if there are several arrays and none is named, and where a file cannot be read or written
void convert(const std::string& from, const std::string& to, const std::string& array = "",
             const std::string& dataset = "data", const hdf5_options& options = {},
             const std::function<void()>& before_piece = {});

}  // namespace quern::files

#endif
