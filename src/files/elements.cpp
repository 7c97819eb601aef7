// SPDX-FileCopyrightText: the Quern authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Elements of files: their types, and conversions between them.
#include "elements.hpp"

#include <algorithm>
#include <bit>
#include <utility>

#include "file_shares.hpp"

namespace quern::files::impl {
namespace {

/// A number of IEEE's binary16, as its bits: hosts have no type for it, and Kokkos's half_t is a float there.
struct binary16 {
  std::uint16_t bits;

  static binary16 from(float value) {
    const auto word = std::bit_cast<std::uint32_t>(value);
    const std::uint32_t sign = word >> 16 & 0x8000, magnitude = word & 0x7fffffff;
    const auto half = [&](std::uint32_t m) { return binary16{static_cast<std::uint16_t>(sign | m)}; };
    if (magnitude > 0x7f800000) return half(0x7e00);   // NaN
    if (magnitude >= 0x477ff000) return half(0x7c00);  // what rounds to infinity
    if (magnitude < 0x38800000) {                      // subnormal: added to 0.5, its bits are the last ones
      const float shifted = std::bit_cast<float>(magnitude) + 0.5f;
      return half(std::bit_cast<std::uint32_t>(shifted) - 0x3f000000);
    }
    const std::uint32_t odd = magnitude >> 13 & 1;  // ties go to even
    return half((magnitude - 0x38000000 + 0xfff + odd) >> 13);
  }
  explicit operator float() const {
    const std::uint32_t sign = (bits & 0x8000u) << 16, magnitude = bits & 0x7fffu;
    if (magnitude >= 0x7c00) return std::bit_cast<float>(sign | 0x7f800000 | (magnitude & 0x3ff) << 13);
    if (magnitude >= 0x400) return std::bit_cast<float>(sign | ((magnitude << 13) + 0x38000000));
    const float subnormal = static_cast<float>(magnitude) * 0x1p-24f;
    return sign != 0 ? -subnormal : subnormal;
  }
};

/// Elements that a thread converts at a time.
constexpr std::int64_t converted_share = 1 << 16;

template <class F>
void with_type(data_type type, const F& f) {
  const auto of_size = [&]<class A, class B, class C, class D>(A, B, C, D) {
    if (type.bytes == 1) f(A());
    else if (type.bytes == 2) f(B());
    else if (type.bytes == 4) f(C());
    else f(D());
  };
  switch (type.kind) {
    case number_kind::boolean:
      return f(bool());
    case number_kind::signed_integer:
      return of_size(std::int8_t(), std::int16_t(), std::int32_t(), std::int64_t());
    case number_kind::unsigned_integer:
      return of_size(std::uint8_t(), std::uint16_t(), std::uint32_t(), std::uint64_t());
    case number_kind::floating_point:
      return of_size(binary16(), binary16(), float(), double());
    default:
      return type.bytes == 8 ? f(Kokkos::complex<float>()) : f(Kokkos::complex<double>());
  }
}

template <class To, class From>
To converted(const From& v) {
  if constexpr (std::is_same_v<From, binary16> && std::is_same_v<To, binary16>) return v;
  else if constexpr (std::is_same_v<From, binary16>) return converted<To>(static_cast<float>(v));
  else if constexpr (is_complex<From> && is_complex<To>)
    return To(static_cast<real_type<To>>(v.real()), static_cast<real_type<To>>(v.imag()));
  else if constexpr (is_complex<From>) return To();  // is_convertible says no
  else if constexpr (std::is_same_v<To, binary16>) return binary16::from(static_cast<float>(v));
  else if constexpr (is_complex<To>) return To(static_cast<real_type<To>>(v));
  else return static_cast<To>(v);
}

void swap_bytes(void* data, data_type type, std::int64_t n) {
  const int each = type.kind == number_kind::complex ? 2 : 1;
  const auto swap = [&]<int Size>(std::integral_constant<int, Size>) {
    for_each_share(n * each, converted_share, [&](std::int64_t first, std::int64_t count) {
      auto* number = static_cast<char*>(data) + first * Size;
      for (std::int64_t i = 0; i < count; ++i, number += Size) std::reverse(number, number + Size);
    });
  };
  if (type.bytes == 2 * each) swap(std::integral_constant<int, 2>());
  else if (type.bytes == 4 * each) swap(std::integral_constant<int, 4>());
  else if (type.bytes == 8 * each) swap(std::integral_constant<int, 8>());
}

class uncompressed_array : public array_file {
 public:
  uncompressed_array(std::shared_ptr<byte_source> bytes, const array_info& info)
      : array_file(bytes->name(), info), bytes_(std::move(bytes)) {}
  void read(const packed_box& box, void* to) override {
    const auto& a = info();
    for_each_run(a.extents, a.fortran_order, box, [&](std::int64_t element, std::int64_t n, std::int64_t at) {
      bytes_->read(a.offset + element * a.type.bytes, n * a.type.bytes, static_cast<char*>(to) + at * a.type.bytes);
    });
    if (a.big_endian != (std::endian::native == std::endian::big)) swap_bytes(to, a.type, box.extents.size());
    normalize(to, a.type, box.extents.size());
  }

 private:
  std::shared_ptr<byte_source> bytes_;
};

}  // namespace

void convert_numbers(data_type from_type, const void* from, data_type to_type, void* to, std::int64_t n) {
  with_type(from_type, [&]<class From>(From) {
    with_type(to_type, [&]<class To>(To) {
      for_each_share(n, converted_share, [&](std::int64_t first, std::int64_t count) {
        const auto* source = static_cast<const From*>(from) + first;
        auto* target = static_cast<To*>(to) + first;
        for (std::int64_t i = 0; i < count; ++i) target[i] = converted<To>(source[i]);
      });
    });
  });
}

bool is_convertible(data_type from, data_type to) {
  return to.kind == number_kind::complex || from.kind == to.kind ||
         (to.kind == number_kind::floating_point && from.kind != number_kind::complex) ||
         (to.kind != number_kind::floating_point && to.kind != number_kind::boolean &&
          from.kind != number_kind::floating_point && from.kind != number_kind::complex);
}

void normalize(void* data, data_type type, std::int64_t n) {
  if (type.kind != number_kind::boolean) return;
  auto* byte = static_cast<unsigned char*>(data);
  for (std::int64_t i = 0; i < n; ++i) byte[i] = byte[i] != 0;
}

bool is_countable(const array_info& info) {
  std::int64_t bytes = info.type.bytes;
  for (int d = 0; d < info.extents.rank; ++d)
    if (__builtin_mul_overflow(bytes, std::max<std::int64_t>(info.extents.extent[d], 1), &bytes)) return false;
  return true;
}

file_writer::file_writer(const array_info& info) : type(info.type) {
  extents = info.extents;
  fortran_order = info.fortran_order;
}
void file_writer::begin(const std::string& label) {
  if (std::exchange(used_, true))
    throw Error(label, "the sink " + location({}) + " was used before; a sink serves one operation");
}

std::unique_ptr<array_file> array_of_bytes(std::shared_ptr<byte_source> bytes, const array_info& info) {
  return std::make_unique<uncompressed_array>(std::move(bytes), info);
}

}  // namespace quern::files::impl
