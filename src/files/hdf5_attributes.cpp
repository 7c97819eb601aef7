// SPDX-FileCopyrightText: the Quern authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Attributes of HDF5: one number or one text each.
#include <array>
#include <utility>

#include "elements.hpp"
#include "hdf5_types.hpp"

namespace quern::files::impl {
namespace {

id open_object(const hdf5_handle& file, const std::string& object) {
  return {file.name(), "there is no object " + object,
          H5Oopen(file.file(), c_name(file.name(), object), following(file.name(), H5P_LINK_ACCESS)), H5Oclose};
}

/// Creates an attribute, in place of an earlier one of its name, and writes it.
void put_attribute(hdf5_handle& file, const std::string& object_name, const std::string& name, hid_t type,
                   const void* value) {
  const std::string what = "the attribute " + name + " cannot be written";
  const char* c_text = c_name(file.name(), name);
  id object = open_object(file, object_name);
  file.writing([&] {
    const htri_t exists = H5Aexists(object, c_text);
    check(file.name(), what, exists);
    if (exists > 0) check(file.name(), what, H5Adelete(object, c_text));
    const id space(file.name(), what, H5Screate(H5S_SCALAR), H5Sclose);
    id attribute(file.name(), what, H5Acreate2(object, c_text, type, space, H5P_DEFAULT, H5P_DEFAULT), H5Aclose);
    check(file.name(), what, H5Awrite(attribute, type, value));
    attribute.close(file.name(), what);
    object.close(file.name(), what);
  });
}

/// An attribute of one element, and its type in the file.
struct stored_attribute {
  std::string file, what;
  id attribute, type;

  stored_attribute(const hdf5_handle& from, const std::string& object, const std::string& name)
      : file(from.name()),
        what("the attribute " + name),
        attribute(file, "there is no " + what.substr(4),
                  H5Aopen(open_object(from, object), c_name(file, name), H5P_DEFAULT), H5Aclose),
        type(file, what + " cannot be read", H5Aget_type(attribute), H5Tclose) {
    const id space(file, what + " cannot be read", H5Aget_space(attribute), H5Sclose);
    const std::int64_t n = elements_of(file, what, space);
    if (n != 1) throw FileError(file, what + " is an array of " + std::to_string(n) + " values, and one was asked for");
  }
  void read(hid_t as, void* to) const { check(file, what + " cannot be read", H5Aread(attribute, as, to)); }
  std::string variable_text() const {
    char* text = nullptr;
    read(type, static_cast<void*>(&text));
    std::string result = text == nullptr ? "" : text;
    check(file, what + " cannot be read", H5free_memory(text));
    return result;
  }
  std::string fixed_text() const {
    std::string text(H5Tget_size(type), '\0');
    read(type, text.data());
    switch (H5Tget_strpad(type)) {
      case H5T_STR_NULLTERM:
        return text.substr(0, text.find('\0'));
      case H5T_STR_SPACEPAD:
        return text.substr(0, text.find_last_not_of(' ') + 1);
      default:
        return text.substr(0, text.find_last_not_of('\0') + 1);
    }
  }
};

bool is_integer(data_type t) {
  return t.kind == number_kind::signed_integer || t.kind == number_kind::unsigned_integer;
}
/// The lower 64 bits of an integer, and whether it is negative: those of two types are equal where these are.
std::pair<std::int64_t, bool> integer_of(data_type type, const void* value) {
  std::int64_t n = 0;
  convert_numbers(type, value, data_type_of<std::int64_t>(), &n, 1);
  return {n, type.kind == number_kind::signed_integer && n < 0};
}

}  // namespace

void write_attribute(hdf5_handle& file, const std::string& object, const std::string& name, data_type type,
                     const void* value) {
  const library_lock lock;
  put_attribute(file, object, name, memory_type(file.name(), type), value);
}

void write_attribute(hdf5_handle& file, const std::string& object, const std::string& name, const std::string& text) {
  if (text.find('\0') != std::string::npos)
    throw Error("quern::files::Hdf5File::set_attribute",
                "the text of " + name + " has a zero byte, which ends a text in HDF5");
  const library_lock lock;
  const id type(file.name(), "a type cannot be made", H5Tcopy(H5T_C_S1), H5Tclose);
  check(file.name(), "a type cannot be made", H5Tset_size(type, H5T_VARIABLE));
  check(file.name(), "a type cannot be made", H5Tset_cset(type, H5T_CSET_UTF8));
  const char* value = text.c_str();
  put_attribute(file, object, name, type, static_cast<const void*>(&value));
}

void read_attribute(hdf5_handle& file, const std::string& object, const std::string& name, data_type type,
                    void* value) {
  const library_lock lock;
  const stored_attribute a(file, object, name);
  const data_type stored = stored_type(a.file, a.what, a.type);
  const std::string cannot = ", which cannot be read as " + type.str();
  if (!is_convertible(stored, type)) throw FileError(a.file, a.what + " holds " + stored.str() + cannot);
  alignas(16) std::array<char, 16> read{};
  a.read(memory_type(a.file, stored), read.data());
  normalize(read.data(), stored, 1);
  convert_numbers(stored, read.data(), type, value, 1);
  if (is_integer(stored) && is_integer(type) && integer_of(stored, read.data()) != integer_of(type, value))
    throw FileError(a.file, a.what + " holds a number" + cannot);
}

std::string read_text_attribute(hdf5_handle& file, const std::string& object, const std::string& name) {
  const library_lock lock;
  const stored_attribute a(file, object, name);
  if (H5Tget_class(a.type) != H5T_STRING)
    throw FileError(a.file, a.what + " holds " + type_text(a.type) + ", which is not text");
  return H5Tis_variable_str(a.type) > 0 ? a.variable_text() : a.fixed_text();
}

}  // namespace quern::files::impl
