// SPDX-FileCopyrightText: the Quern authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// HDF5 by its C library.
#include <algorithm>
#include <bit>
#include <filesystem>
#include <quern/files/hdf5.hpp>
#include <system_error>
#include <vector>

#include "elements.hpp"
#include "file_shares.hpp"
#include "hdf5_types.hpp"

namespace quern::files::impl {
namespace {

id open_dataset(const hdf5_handle& file, const std::string& dataset) {
  return {file.name(), "there is no dataset " + dataset,
          H5Dopen2(file.file(), c_name(file.name(), dataset), following(file.name(), H5P_DATASET_ACCESS)), H5Dclose};
}

id make_space(const std::string& file, const std::string& what, int rank, const hsize_t* extents) {
  return {file, what, rank == 0 ? H5Screate(H5S_SCALAR) : H5Screate_simple(rank, extents, nullptr), H5Sclose};
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
  const std::string what = "a part cannot be selected";
  id file(name, what, H5Dget_space(dataset), H5Sclose);
  if (rank > 0) check(name, what, H5Sselect_hyperslab(file, H5S_SELECT_SET, first, nullptr, count, nullptr));
  return {make_space(name, what, rank, count), std::move(file)};
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
    normalize(to, info().type, box.extents.size());
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

class dataset_writer : public file_writer {
 public:
  dataset_writer(std::shared_ptr<hdf5_handle> file, const std::string& dataset, const array_info& info)
      : file_writer(info), file_(std::move(file)), dataset_(dataset) {}
  std::string location(const packed_box&) const override { return file_->name() + ": " + dataset_; }
  void write(const packed_box& box, const void* from) override {
    if (box.extents.size() > 0) write_dataset(*file_, dataset_, type, box, from);
  }
  void finish() override { file_->commit(); }

 private:
  std::shared_ptr<hdf5_handle> file_;
  std::string dataset_;
};

/// Whether an object goes with a dataset that is replaced: the dataset itself, or a group without attributes on its
/// way.
bool goes_with(hid_t file, const std::string& name, H5L_type_t link, const std::string& dataset) {
  H5O_info2_t object;
  if (link != H5L_TYPE_HARD ||
      H5Oget_info_by_name3(file, name.c_str(), &object, H5O_INFO_BASIC | H5O_INFO_NUM_ATTRS, H5P_DEFAULT) < 0)
    return false;
  if (name == dataset) return object.type == H5O_TYPE_DATASET;
  return object.type == H5O_TYPE_GROUP && object.num_attrs == 0 && dataset.starts_with(name + "/");
}

/// Whether a file holds a dataset and nothing else: no other object or link, no attribute of a group, no user block.
bool holds_only(const std::string& path, const std::string& dataset) {
  (void)c_name(path, dataset);
  hdf5_handle file(path, opening::read, path);
  const id how(path, "cannot be read", H5Fget_create_plist(file.file()), H5Pclose);
  hsize_t user_block = 0;
  check(path, "cannot be read", H5Pget_userblock(how, &user_block));
  H5O_info2_t root;
  check(path, "cannot be read", H5Oget_info3(file.file(), &root, H5O_INFO_NUM_ATTRS));
  if (user_block > 0 || root.num_attrs > 0) return false;
  std::string name = dataset.substr(std::min(dataset.find_first_not_of('/'), dataset.size()));
  const auto visit = [](hid_t group, const char* link, const H5L_info2_t* info, void* to) -> herr_t {
    return goes_with(group, link, info->type, *static_cast<const std::string*>(to)) ? 0 : 1;
  };
  const herr_t other = H5Lvisit2(file.file(), H5_INDEX_NAME, H5_ITER_NATIVE, visit, &name);
  check(path, "cannot be read", other);
  return other == 0;
}

void remove_dataset(const hdf5_handle& file, const std::string& dataset) {
  const id follow = following(file.name(), H5P_LINK_ACCESS);
  const hid_t found = H5Oopen(file.file(), c_name(file.name(), dataset), follow);
  if (found < 0) return;
  const bool is_dataset = H5Iget_type(found) == H5I_DATASET;
  check(file.name(), "cannot be read", H5Oclose(found));
  if (is_dataset)
    check(file.name(), "the dataset " + dataset + " cannot be replaced",
          H5Ldelete(file.file(), c_name(file.name(), dataset), follow));
}

std::shared_ptr<hdf5_handle> write_hdf5(const std::string& path, opening how, unfinished_file unfinished) {
  const std::string name = unfinished.name();
  return std::make_shared<hdf5_handle>(path, how, name, H5P_DEFAULT, std::move(unfinished));
}

}  // namespace

void check_options(const hdf5_options& options) {
  if (options.compression < 0 || options.compression > 9)
    throw Error("quern::files::Hdf5File",
                "the level of compression is " + std::to_string(options.compression) + ", expected 0 to 9");
}

std::shared_ptr<hdf5_handle> open_hdf5(const std::string& path) {
  return std::make_shared<hdf5_handle>(path, opening::read, path);
}
std::shared_ptr<hdf5_handle> create_hdf5(const std::string& path) {
  return write_hdf5(path, opening::create, unfinished_file(path));
}
std::shared_ptr<hdf5_handle> hdf5_for_dataset(const std::string& path, const std::string& dataset) {
  const library_lock lock;
  (void)c_name(path);
  const file_stamp earlier(path);
  std::error_code unknown;  // where it cannot be looked at, making it says why
  const bool is_new = !std::filesystem::exists(path, unknown) || holds_only(path, dataset);
  unfinished_file unfinished(path);
  if (!is_new) {
    std::error_code problem;
    std::filesystem::copy_file(path, unfinished.name(), problem);
    if (!problem)
      std::filesystem::permissions(unfinished.name(), std::filesystem::perms::owner_write,
                                   std::filesystem::perm_options::add, problem);
    if (problem) throw FileError(path, "cannot be written: " + problem.message());
  }
  auto file = write_hdf5(path, is_new ? opening::create : opening::extend, std::move(unfinished));
  file->replaces(earlier);
  if (!is_new) remove_dataset(*file, dataset);
  return file;
}
void commit_hdf5(hdf5_handle& file) { file.commit(); }
void flush_hdf5(hdf5_handle& file) { file.flush(); }
void publish_hdf5(hdf5_handle& file) { file.publish(); }
void revert_hdf5(hdf5_handle& file) { file.revert(); }

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
  const id space(file->name(), "the extents of " + dataset + " cannot be read", H5Dget_space(set), H5Sclose);
  const id type(file->name(), "the type of " + dataset + " cannot be read", H5Dget_type(set), H5Tclose);
  const std::string what = "the dataset " + dataset;
  (void)elements_of(file->name(), what, space);
  const int rank = H5Sget_simple_extent_ndims(space);
  if (rank < 0 || rank > max_rank) throw UnreadType(file->name(), what + " has ", std::to_string(rank) + " axes");
  hsize_t extents[max_rank] = {};
  check(file->name(), "the extents of " + dataset + " cannot be read",
        H5Sget_simple_extent_dims(space, extents, nullptr));
  array_info info{stored_type(file->name(), what, type), {}, false, std::endian::native == std::endian::big, 0};
  info.extents.rank = rank;
  for (int d = 0; d < rank; ++d) info.extents.extent[d] = static_cast<std::int64_t>(extents[d]);
  if (!is_countable(info)) throw UnreadType(file->name(), what + " has ", "extents of more than 64 bits");
  return std::make_shared<dataset_array>(std::move(file), dataset, info);
}

void create_dataset(hdf5_handle& file, const std::string& dataset, const array_info& info,
                    const hdf5_options& options) {
  const library_lock lock;
  const int rank = info.extents.rank;
  const std::string what = "the dataset " + dataset + " cannot be made";
  check_options(options);
  if (!is_countable(info)) throw FileError(file.name(), what + ": it has more than 2^63 bytes");
  hsize_t extents[max_rank] = {}, chunk[max_rank] = {};
  for (int d = 0; d < rank; ++d) extents[d] = static_cast<hsize_t>(info.extents.extent[d]);
  const id groups(file.name(), what, H5Pcreate(H5P_LINK_CREATE), H5Pclose);
  check(file.name(), what, H5Pset_create_intermediate_group(groups, 1));
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
  const id space = make_space(file.name(), what, rank, extents), type = memory_type(file.name(), info.type);
  const id follow = following(file.name(), H5P_DATASET_ACCESS), look = following(file.name(), H5P_LINK_ACCESS);
  if (const hid_t found = H5Oopen(file.file(), c_name(file.name(), dataset), look); found >= 0) {
    H5Oclose(found);
    throw FileError(file.name(), what + ": there is an object of this name");
  }
  file.writing([&] {
    id made(file.name(), what, H5Dcreate2(file.file(), c_name(file.name(), dataset), type, space, groups, how, follow),
            H5Dclose);
    made.close(file.name(), what);
  });
}

void write_dataset(hdf5_handle& file, const std::string& dataset, data_type type, const packed_box& box,
                   const void* from) {
  const library_lock lock;
  const std::string what = "the dataset " + dataset + " cannot be written";
  file.writing([&] {
    id set = open_dataset(file, dataset);
    const selection s = select(file.name(), set, box);
    check(file.name(), what, H5Dwrite(set, memory_type(file.name(), type), s.memory, s.file, H5P_DEFAULT, from));
    set.close(file.name(), what);
  });
}

std::shared_ptr<array_writer> hdf5_writer(std::shared_ptr<hdf5_handle> file, const std::string& dataset,
                                          const array_info& info, const hdf5_options& options) {
  create_dataset(*file, dataset, info, options);
  return std::make_shared<dataset_writer>(std::move(file), dataset, info);
}

}  // namespace quern::files::impl
