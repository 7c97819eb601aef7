// SPDX-FileCopyrightText: the Quern authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// In place of HDF5 in builds without it: no file is ever opened.
#include <quern/files/hdf5.hpp>

namespace quern::files::impl {

class hdf5_handle {};

[[noreturn]] static void refuse(const std::string& path) {
  throw FileError(path, "this Quern was built without HDF5 (QUERN_ENABLE_HDF5)");
}

std::shared_ptr<hdf5_handle> open_hdf5(const std::string& path) { refuse(path); }
std::shared_ptr<hdf5_handle> create_hdf5(const std::string& path) { refuse(path); }
std::shared_ptr<hdf5_handle> hdf5_for_dataset(const std::string& path, const std::string&) { refuse(path); }
void commit_hdf5(hdf5_handle&) {}
void flush_hdf5(hdf5_handle&) {}
void publish_hdf5(hdf5_handle&) {}
void revert_hdf5(hdf5_handle&) {}
void check_options(const hdf5_options&) {}
std::vector<std::string> datasets_of(hdf5_handle&) { return {}; }
std::shared_ptr<array_file> hdf5_array(std::shared_ptr<hdf5_handle>, const std::string& dataset) { refuse(dataset); }
void create_dataset(hdf5_handle&, const std::string&, const array_info&, const hdf5_options&) {}
void write_dataset(hdf5_handle&, const std::string&, data_type, const packed_box&, const void*) {}
void write_attribute(hdf5_handle&, const std::string&, const std::string&, data_type, const void*) {}
void write_attribute(hdf5_handle&, const std::string&, const std::string&, const std::string&) {}
void read_attribute(hdf5_handle&, const std::string&, const std::string&, data_type, void*) {}
std::string read_text_attribute(hdf5_handle&, const std::string&, const std::string&) { return {}; }
std::shared_ptr<array_writer> hdf5_writer(std::shared_ptr<hdf5_handle>, const std::string& dataset, const array_info&,
                                          const hdf5_options&) {
  refuse(dataset);
}

}  // namespace quern::files::impl
