// SPDX-FileCopyrightText: the Quern authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Types of HDF5: which are numbers, and what the others are called.
#include "hdf5_types.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <cstring>

#include "elements.hpp"

namespace quern::files::impl {
namespace {

hid_t integer_type(data_type t) {
  const hid_t unsigned_types[] = {H5T_NATIVE_UINT8, H5T_NATIVE_UINT16, H5T_NATIVE_UINT32, H5T_NATIVE_UINT64};
  const hid_t signed_types[] = {H5T_NATIVE_INT8, H5T_NATIVE_INT16, H5T_NATIVE_INT32, H5T_NATIVE_INT64};
  const auto& types = t.kind == number_kind::signed_integer ? signed_types : unsigned_types;
  return types[std::countr_zero(static_cast<unsigned>(t.bytes))];
}

/// A type that is part of another, and is closed when it goes.
id part_type(hid_t type) { return {"HDF5", "a type cannot be read", type, H5Tclose}; }

/// Text that the library has allocated.
std::string taken(char* text) {
  std::string s = text == nullptr ? "" : text;
  H5free_memory(text);
  return s;
}

/// How a number of floating point is laid out.
struct float_fields {
  std::size_t sign = 0, exponent_at = 0, exponent = 0, fraction_at = 0, fraction = 0, bias = 0;
  explicit float_fields(hid_t type) : bias(H5Tget_ebias(type)) {
    if (H5Tget_fields(type, &sign, &exponent_at, &exponent, &fraction_at, &fraction) < 0) fraction = 1 << 10;
  }
  bool is_half() const {
    return sign == 15 && exponent_at == 10 && exponent == 5 && fraction_at == 0 && fraction == 10 && bias == 15;
  }
};

/// The number of fewest bytes that holds all values of a floating-point type; 0 where there is none.
int float_bytes(hid_t type) {
  const float_fields f(type);
  if (H5Tget_size(type) == 2 && f.is_half()) return 2;
  if (f.exponent <= 8 && f.fraction <= 23) return 4;
  if (f.exponent <= 11 && f.fraction <= 52) return 8;
  return 0;
}
int integer_bytes(hid_t type) {
  const std::size_t size = H5Tget_size(type);
  return size == 0 || size > 8 ? 0 : static_cast<int>(std::bit_ceil(size));
}

/// The value of an enumeration's member, as a number of 64 bits.
std::int64_t member_value(hid_t type, unsigned member) {
  std::array<char, 64> value{};
  const auto base = part_type(H5Tget_super(type));
  if (H5Tget_size(type) > value.size() || H5Tget_member_value(type, member, value.data()) < 0 ||
      H5Tconvert(base, H5T_NATIVE_INT64, 1, value.data(), nullptr, H5P_DEFAULT) < 0)
    return -1;
  std::int64_t number = 0;
  std::memcpy(&number, value.data(), sizeof number);
  return number;
}
std::string member_name(hid_t type, unsigned member) { return taken(H5Tget_member_name(type, member)); }

/// h5py's booleans. What its members are called decides, and not in which order they lie.
bool is_boolean(hid_t type) {
  if (H5Tget_nmembers(type) != 2) return false;
  const unsigned no = member_name(type, 0) == "FALSE" ? 0 : 1;
  return member_name(type, no) == "FALSE" && member_name(type, 1 - no) == "TRUE" && member_value(type, no) == 0 &&
         member_value(type, 1 - no) == 1;
}

/// The bytes of h5py's complex numbers, two reals without a gap; 0 for other compounds.
int complex_bytes(hid_t type) {
  if (H5Tget_nmembers(type) != 2 || member_name(type, 0) != "r" || member_name(type, 1) != "i") return 0;
  if (H5Tget_member_class(type, 0) != H5T_FLOAT || H5Tget_member_class(type, 1) != H5T_FLOAT) return 0;
  const auto real = part_type(H5Tget_member_type(type, 0)), imaginary = part_type(H5Tget_member_type(type, 1));
  const int bytes = float_bytes(real);
  const auto size = static_cast<std::size_t>(bytes);
  if (bytes < 4 || H5Tequal(real, imaginary) <= 0 || H5Tget_size(real) != size || H5Tget_size(type) != 2 * size)
    return 0;
  return H5Tget_member_offset(type, 0) == 0 && H5Tget_member_offset(type, 1) == size ? 2 * bytes : 0;
}

/// Names of members, and values of those of an enumeration; of many, the first.
std::string members_text(hid_t type) {
  constexpr int shown = 4;
  const int n = H5Tget_nmembers(type);
  std::string text;
  for (int k = 0; k < std::min(n, shown); ++k) {
    text += (k > 0 ? ", " : "") + member_name(type, static_cast<unsigned>(k));
    if (H5Tget_class(type) == H5T_ENUM) text += " = " + std::to_string(member_value(type, static_cast<unsigned>(k)));
  }
  return text + (n > shown ? ", ..." : "");
}

std::string array_text(hid_t type) {
  std::array<hsize_t, H5S_MAX_RANK> extents{};
  const int rank = H5Tget_array_dims2(type, extents.data());
  std::string text;
  for (int d = 0; d < rank; ++d) text += (d > 0 ? ", " : "") + std::to_string(extents[d]);
  return "arrays of extents (" + text + ") of " + type_text(part_type(H5Tget_super(type)));
}

data_type number_type(hid_t type) {
  switch (H5Tget_class(type)) {
    case H5T_INTEGER:
      return {H5Tget_sign(type) == H5T_SGN_NONE ? number_kind::unsigned_integer : number_kind::signed_integer,
              integer_bytes(type)};
    case H5T_FLOAT:
      return {number_kind::floating_point, float_bytes(type)};
    case H5T_ENUM:
      return {number_kind::boolean, is_boolean(type) ? 1 : 0};
    case H5T_COMPOUND:
      return {number_kind::complex, complex_bytes(type)};
    default:
      return {number_kind::floating_point, 0};
  }
}

}  // namespace

id memory_type(const std::string& file, data_type t) {
  const auto made = [&](hid_t type) { return id(file, "a type cannot be made", type, H5Tclose); };
  const auto done = [&](herr_t status) { check(file, "a type cannot be made", status); };
  switch (t.kind) {
    case number_kind::boolean: {
      auto type = made(H5Tenum_create(H5T_NATIVE_INT8));
      for (const std::int8_t value : {std::int8_t(0), std::int8_t(1)})
        done(H5Tenum_insert(type, value != 0 ? "TRUE" : "FALSE", &value));
      return type;
    }
    case number_kind::signed_integer:
    case number_kind::unsigned_integer:
      return made(H5Tcopy(integer_type(t)));
    case number_kind::floating_point: {
      if (t.bytes != 2) return made(H5Tcopy(t.bytes == 4 ? H5T_NATIVE_FLOAT : H5T_NATIVE_DOUBLE));
      auto half = made(H5Tcopy(H5T_NATIVE_FLOAT));
      done(H5Tset_fields(half, 15, 10, 5, 0, 10));
      done(H5Tset_size(half, 2));
      done(H5Tset_ebias(half, 15));
      return half;
    }
    default: {
      auto type = made(H5Tcreate(H5T_COMPOUND, static_cast<std::size_t>(t.bytes)));
      const hid_t part = t.bytes == 8 ? H5T_NATIVE_FLOAT : H5T_NATIVE_DOUBLE;
      done(H5Tinsert(type, "r", 0, part));
      done(H5Tinsert(type, "i", static_cast<std::size_t>(t.bytes) / 2, part));
      return type;
    }
  }
}

data_type stored_type(const std::string& file, const std::string& what, hid_t type) {
  const data_type t = number_type(type);
  if (t.bytes == 0) throw UnreadType(file, what + " holds ", type_text(type));
  return t;
}

std::string type_text(hid_t type) {
  const data_type t = number_type(type);
  if (t.bytes > 0) return t.str();
  const auto bits = [&] { return std::to_string(H5Tget_precision(type)) + " bits"; };
  switch (H5Tget_class(type)) {
    case H5T_INTEGER:
      return "integers of " + bits();
    case H5T_FLOAT:
      return "floating-point numbers of " + bits();
    case H5T_ENUM:
      return "an enumeration (" + members_text(type) + ")";
    case H5T_COMPOUND:
      return "a compound (" + members_text(type) + ")";
    case H5T_STRING:
      return H5Tis_variable_str(type) > 0 ? "text of variable length"
                                          : "text of " + std::to_string(H5Tget_size(type)) + " bytes";
    case H5T_ARRAY:
      return array_text(type);
    case H5T_VLEN:
      return "sequences of variable length of " + type_text(part_type(H5Tget_super(type)));
    case H5T_REFERENCE:
      return "references";
    case H5T_OPAQUE:
      return "opaque values of " + std::to_string(H5Tget_size(type)) + " bytes";
    case H5T_BITFIELD:
      return "bit fields of " + bits();
    default:
      return "values of a type that is unknown";
  }
}

std::int64_t elements_of(const std::string& file, const std::string& what, hid_t space) {
  if (H5Sget_simple_extent_type(space) == H5S_NULL) throw UnreadType(file, what + " is ", "empty");
  const hssize_t n = H5Sget_simple_extent_npoints(space);
  check(file, what + " cannot be read", n < 0 ? -1 : 0);
  return n;
}

}  // namespace quern::files::impl
