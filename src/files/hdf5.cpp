// SPDX-FileCopyrightText: the Quern authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// HDF5 by its C library.
#include <quern/files/hdf5.hpp>

#include <algorithm>
#include <bit>

#include "hdf5_handle.hpp"

namespace quern::files::impl {
namespace {

hid_t integer_type(data_type t) {
  const bool is_signed = t.kind == number_kind::signed_integer;
  switch (t.bytes) {
    case 1:
      return is_signed ? H5T_NATIVE_INT8 : H5T_NATIVE_UINT8;
    case 2:
      return is_signed ? H5T_NATIVE_INT16 : H5T_NATIVE_UINT16;
    case 4:
      return is_signed ? H5T_NATIVE_INT32 : H5T_NATIVE_UINT32;
    default:
      return is_signed ? H5T_NATIVE_INT64 : H5T_NATIVE_UINT64;
  }
}

/// The library's type of a number in memory.
id memory_type(const std::string& file, data_type t) {
  const auto made = [&](hid_t type) { return id(file, "a type", type, H5Tclose); };
  const auto copy = [&](hid_t type) { return made(H5Tcopy(type)); };
  switch (t.kind) {
    case number_kind::boolean: {
      auto type = made(H5Tenum_create(H5T_NATIVE_INT8));
      for (const std::int8_t value : {std::int8_t(0), std::int8_t(1)})
        H5Tenum_insert(type, value != 0 ? "TRUE" : "FALSE", &value);
      return type;
    }
    case number_kind::signed_integer:
    case number_kind::unsigned_integer:
      return copy(integer_type(t));
    case number_kind::floating_point: {
      if (t.bytes != 2) return copy(t.bytes == 4 ? H5T_NATIVE_FLOAT : H5T_NATIVE_DOUBLE);
      auto half = copy(H5T_NATIVE_FLOAT);
      H5Tset_fields(half, 15, 10, 5, 0, 10);
      H5Tset_size(half, 2);
      H5Tset_ebias(half, 15);
      return half;
    }
    default: {
      auto type = made(H5Tcreate(H5T_COMPOUND, t.bytes));
      const hid_t part = t.bytes == 8 ? H5T_NATIVE_FLOAT : H5T_NATIVE_DOUBLE;
      H5Tinsert(type, "r", 0, part);
      H5Tinsert(type, "i", t.bytes / 2, part);
      return type;
    }
  }
}

/// The type of a dataset's numbers.
data_type stored_type(const std::string& file, const std::string& dataset, hid_t type) {
  const int bytes = static_cast<int>(H5Tget_size(type));
  const auto is_one_of = [&](std::initializer_list<int> sizes) {
    return std::find(sizes.begin(), sizes.end(), bytes) != sizes.end();
  };
  switch (H5Tget_class(type)) {
    case H5T_INTEGER:
      if (is_one_of({1, 2, 4, 8}))
        return {H5Tget_sign(type) == H5T_SGN_NONE ? number_kind::unsigned_integer : number_kind::signed_integer, bytes};
      break;
    case H5T_FLOAT:
      if (is_one_of({2, 4, 8})) return {number_kind::floating_point, bytes};
      break;
    case H5T_ENUM:
      if (bytes == 1 && H5Tget_nmembers(type) == 2) return {number_kind::boolean, 1};
      break;
    case H5T_COMPOUND:
      if (is_one_of({8, 16}) && H5Tget_nmembers(type) == 2 && H5Tget_member_class(type, 0) == H5T_FLOAT)
        return {number_kind::complex, bytes};
      break;
    default:
      break;
  }
  throw FileError(file, "the dataset " + dataset + " holds no numbers of a type that is read");
}

id open_dataset(const hdf5_handle& file, const std::string& dataset) {
  return {file.name(), "there is no dataset " + dataset, H5Dopen2(file.file(), dataset.c_str(), H5P_DEFAULT), H5Dclose};
}

struct selection {
  id memory, file;
};
/// A box of a dataset, and the packed memory of its elements.
selection select(const std::string& name, hid_t dataset, const packed_box& box) {
  const int rank = box.extents.rank;
  hsize_t first[max_rank] = {}, count[max_rank] = {};
  for (int d = 0; d < rank; ++d) {
    first[d] = static_cast<hsize_t>(box.first[d]);
    count[d] = static_cast<hsize_t>(box.extents.extent[d]);
  }
  id file(name, "a selection", H5Dget_space(dataset), H5Sclose);
  if (rank == 0) return {id(name, "a selection", H5Screate(H5S_SCALAR), H5Sclose), std::move(file)};
  check(name, "a selection", H5Sselect_hyperslab(file, H5S_SELECT_SET, first, nullptr, count, nullptr));
  return {id(name, "a selection", H5Screate_simple(rank, count, nullptr), H5Sclose), std::move(file)};
}

class dataset_array : public array_file {
 public:
  dataset_array(std::shared_ptr<hdf5_handle> file, const std::string& dataset, const array_info& info)
      : array_file(file->name() + ": " + dataset, info), file_(std::move(file)), dataset_(dataset) {}
  void read(const packed_box& box, void* to) override {
    if (box.extents.size() == 0) return;
    const library_lock lock;
    const id dataset = open_dataset(*file_, dataset_);
    const selection s = select(file_->name(), dataset, box);
    check(name(), "cannot be read",
          H5Dread(dataset, memory_type(name(), info().type), s.memory, s.file, H5P_DEFAULT, to));
  }
  std::string location(const packed_box& box) const override {
    shape last = box.extents, first = box.extents;
    for (int d = 0; d < last.rank; ++d) {
      first.extent[d] = box.first[d];
      last.extent[d] += box.first[d] - 1;
    }
    return name() + ", elements " + first.str() + " to " + last.str();
  }

 private:
  std::shared_ptr<hdf5_handle> file_;
  std::string dataset_;
};

class dataset_writer : public array_writer {
 public:
  dataset_writer(std::shared_ptr<hdf5_handle> file, const std::string& dataset, const array_info& info)
      : file_(std::move(file)), dataset_(dataset), type_(info.type) {
    extents = info.extents;
  }
  std::string location(const packed_box&) const override { return file_->name() + ": " + dataset_; }
  void write(const packed_box& box, const void* from) override { write_dataset(*file_, dataset_, type_, box, from); }
  void finish() override { file_->commit(); }

 private:
  std::shared_ptr<hdf5_handle> file_;
  std::string dataset_;
  data_type type_;
};

id open_object(const hdf5_handle& file, const std::string& object) {
  return {file.name(), "there is no object " + object, H5Oopen(file.file(), object.c_str(), H5P_DEFAULT), H5Oclose};
}
id open_attribute(const hdf5_handle& file, hid_t object, const std::string& name) {
  return {file.name(), "there is no attribute " + name, H5Aopen(object, name.c_str(), H5P_DEFAULT), H5Aclose};
}

/// Creates an attribute, in place of an earlier one of its name, and writes it.
void put_attribute(const hdf5_handle& file, const std::string& object_name, const std::string& name, hid_t type,
                   const void* value) {
  const id object = open_object(file, object_name);
  if (H5Aexists(object, name.c_str()) > 0) H5Adelete(object, name.c_str());
  const id space(file.name(), "an attribute", H5Screate(H5S_SCALAR), H5Sclose);
  const id attribute(file.name(), "the attribute " + name + " cannot be made",
                     H5Acreate2(object, name.c_str(), type, space, H5P_DEFAULT, H5P_DEFAULT), H5Aclose);
  check(file.name(), "the attribute " + name + " cannot be written", H5Awrite(attribute, type, value));
}

}  // namespace

std::shared_ptr<hdf5_handle> open_hdf5(const std::string& path) {
  return std::make_shared<hdf5_handle>(path, false, false);
}
std::shared_ptr<hdf5_handle> create_hdf5(const std::string& path, bool beside) {
  return std::make_shared<hdf5_handle>(path, true, beside);
}
void commit_hdf5(hdf5_handle& file) { file.commit(); }
void flush_hdf5(hdf5_handle& file) {
  const library_lock lock;
  check(file.name(), "cannot be written", H5Fflush(file.file(), H5F_SCOPE_LOCAL));
}

std::vector<std::string> datasets_of(hdf5_handle& file) {
  const library_lock lock;
  std::vector<std::string> names;
  const auto visit = [](hid_t, const char* name, const H5O_info2_t* info, void* to) -> herr_t {
    if (info->type == H5O_TYPE_DATASET) static_cast<std::vector<std::string>*>(to)->emplace_back(name);
    return 0;
  };
  check(file.name(), "cannot be read",
        H5Ovisit3(file.file(), H5_INDEX_NAME, H5_ITER_NATIVE, visit, &names, H5O_INFO_BASIC));
  return names;
}

std::shared_ptr<array_file> hdf5_array(std::shared_ptr<hdf5_handle> file, const std::string& dataset) {
  const library_lock lock;
  const id set = open_dataset(*file, dataset);
  const id space(file->name(), "the extents of " + dataset, H5Dget_space(set), H5Sclose);
  const id type(file->name(), "the type of " + dataset, H5Dget_type(set), H5Tclose);
  const int rank = H5Sget_simple_extent_ndims(space);
  if (rank < 0 || rank > max_rank)
    throw FileError(file->name(), "the dataset " + dataset + " has " + std::to_string(rank) + " axes");
  hsize_t extents[max_rank] = {};
  H5Sget_simple_extent_dims(space, extents, nullptr);
  array_info info{stored_type(file->name(), dataset, type), {}, false, std::endian::native == std::endian::big, 0};
  info.extents.rank = rank;
  for (int d = 0; d < rank; ++d) info.extents.extent[d] = static_cast<std::int64_t>(extents[d]);
  return std::make_shared<dataset_array>(std::move(file), dataset, info);
}

void create_dataset(hdf5_handle& file, const std::string& dataset, const array_info& info,
                    const hdf5_options& options) {
  const library_lock lock;
  const int rank = info.extents.rank;
  const std::string what = "the dataset " + dataset + " cannot be made";
  if (options.compression < 0 || options.compression > 9)
    throw Error("quern::files::hdf5_file",
                "the level of compression is " + std::to_string(options.compression) + ", expected 0 to 9");
  hsize_t extents[max_rank] = {}, chunk[max_rank] = {};
  for (int d = 0; d < rank; ++d) extents[d] = static_cast<hsize_t>(info.extents.extent[d]);
  const id groups(file.name(), what, H5Pcreate(H5P_LINK_CREATE), H5Pclose);
  H5Pset_create_intermediate_group(groups, 1);
  const id how(file.name(), what, H5Pcreate(H5P_DATASET_CREATE), H5Pclose);
  if (options.compression > 0 && rank > 0 && info.extents.size() > 0) {
    // Chunks of about a megabyte: whole rows as far as they go.
    hsize_t left = std::max<hsize_t>((1 << 20) / info.type.bytes, 1);
    for (int d = rank - 1; d >= 0; --d) {
      chunk[d] = std::min(extents[d], left);
      left = std::max<hsize_t>(left / chunk[d], 1);
    }
    check(file.name(), what, H5Pset_chunk(how, rank, chunk));
    check(file.name(), what, H5Pset_shuffle(how));
    check(file.name(), what, H5Pset_deflate(how, static_cast<unsigned>(options.compression)));
  }
  const id space(file.name(), what, rank == 0 ? H5Screate(H5S_SCALAR) : H5Screate_simple(rank, extents, nullptr),
                 H5Sclose);
  const id made(
      file.name(), what,
      H5Dcreate2(file.file(), dataset.c_str(), memory_type(file.name(), info.type), space, groups, how, H5P_DEFAULT),
      H5Dclose);
}

void write_dataset(hdf5_handle& file, const std::string& dataset, data_type type, const packed_box& box,
                   const void* from) {
  const library_lock lock;
  const id set = open_dataset(file, dataset);
  const selection s = select(file.name(), set, box);
  check(file.name(), "the dataset " + dataset + " cannot be written",
        H5Dwrite(set, memory_type(file.name(), type), s.memory, s.file, H5P_DEFAULT, from));
}

void write_attribute(hdf5_handle& file, const std::string& object, const std::string& name, data_type type,
                     const void* value) {
  const library_lock lock;
  put_attribute(file, object, name, memory_type(file.name(), type), value);
}

void write_attribute(hdf5_handle& file, const std::string& object, const std::string& name, const std::string& text) {
  const library_lock lock;
  const id type(file.name(), "a type", H5Tcopy(H5T_C_S1), H5Tclose);
  H5Tset_size(type, std::max<std::size_t>(text.size(), 1));
  H5Tset_strpad(type, H5T_STR_NULLPAD);
  H5Tset_cset(type, H5T_CSET_UTF8);
  put_attribute(file, object, name, type, text.c_str());
}

void read_attribute(hdf5_handle& file, const std::string& object_name, const std::string& name, data_type type,
                    void* value) {
  const library_lock lock;
  const id object = open_object(file, object_name);
  const id attribute = open_attribute(file, object, name);
  check(file.name(), "the attribute " + name + " is no number",
        H5Aread(attribute, memory_type(file.name(), type), value));
}

std::string read_text_attribute(hdf5_handle& file, const std::string& object_name, const std::string& name) {
  const library_lock lock;
  const id object = open_object(file, object_name);
  const id attribute = open_attribute(file, object, name);
  const id type(file.name(), "a type", H5Aget_type(attribute), H5Tclose);
  if (H5Tget_class(type) != H5T_STRING) throw FileError(file.name(), "the attribute " + name + " is no text");
  if (H5Tis_variable_str(type) > 0) {
    char* text = nullptr;
    check(file.name(), "the attribute " + name + " cannot be read", H5Aread(attribute, type, &text));
    std::string result = text == nullptr ? "" : text;
    H5free_memory(text);
    return result;
  }
  std::string text(H5Tget_size(type), '\0');
  check(file.name(), "the attribute " + name + " cannot be read", H5Aread(attribute, type, text.data()));
  return text.substr(0, text.find('\0'));
}

std::shared_ptr<array_writer> hdf5_writer(std::shared_ptr<hdf5_handle> file, const std::string& dataset,
                                          const array_info& info, const hdf5_options& options) {
  create_dataset(*file, dataset, info, options);
  return std::make_shared<dataset_writer>(std::move(file), dataset, info);
}

}  // namespace quern::files::impl
