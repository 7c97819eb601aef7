// SPDX-FileCopyrightText: the Quern authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef QUERN_SRC_FILES_HDF5_TYPES_HPP
#define QUERN_SRC_FILES_HDF5_TYPES_HPP

#include "hdf5_handle.hpp"

namespace quern::files::impl {

/// HDF5's type of a number in memory. Booleans and complex numbers are those of h5py: the enumeration FALSE = 0,
/// TRUE = 1, and the compound of `r` and `i`.
id memory_type(const std::string& file, data_type t);

/// The type of the numbers that a dataset or an attribute holds, which HDF5 converts to from what lies in the file.
/// @param what `the dataset u`
/// @throws UnreadType for all else
data_type stored_type(const std::string& file, const std::string& what, hid_t type);

/// A type in words, for messages.
std::string type_text(hid_t type);

/// The number of elements of a dataspace.
/// @throws UnreadType if it is HDF5's null dataspace, which holds nothing
std::int64_t elements_of(const std::string& file, const std::string& what, hid_t space);

}  // namespace quern::files::impl

#endif
