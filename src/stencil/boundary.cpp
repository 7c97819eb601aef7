// SPDX-FileCopyrightText: the Quern authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <algorithm>
#include <array>
#include <quern/stencil/boundary.hpp>

namespace quern {

const boundary boundary::keep{boundary::mode::keep};
const boundary boundary::nearest{boundary::mode::nearest};
const boundary boundary::reflect{boundary::mode::reflect};
const boundary boundary::mirror{boundary::mode::mirror};
const boundary boundary::wrap{boundary::mode::wrap};
const boundary boundary::odd_reflect{boundary::mode::odd_reflect};
const boundary boundary::odd_mirror{boundary::mode::odd_mirror};
const boundary boundary::prescribed{boundary::mode::prescribed};

interior_only::interior_only(std::initializer_list<range_type> ranges) : range(ranges) {}
interior_only::interior_only(const std::vector<range_type>& ranges) : range(ranges.begin(), ranges.end()) {}
interior_only::interior_only(const impl::axis_list<range_type>& ranges) : range(ranges) {}

boundaries::boundaries(const boundary& all) { axes_.push_back(all); }
boundaries::boundaries(const interior_only& box) : ranges_(box.range) {}
boundaries::boundaries(std::initializer_list<boundary_pair> each) : axes_(each) {}
boundaries::boundaries(const std::vector<boundary_pair>& each) : axes_(each.begin(), each.end()) {}
boundaries::boundaries(const impl::axis_list<boundary_pair>& each) : axes_(each) {}
boundaries::boundaries(const boundaries&) = default;
boundaries::boundaries(boundaries&&) noexcept = default;
boundaries& boundaries::operator=(const boundaries&) = default;
boundaries& boundaries::operator=(boundaries&&) noexcept = default;
boundaries::~boundaries() = default;

std::string boundary::constant_text() const {
  std::string text;
  const auto of_integer = [&](auto v) { text = std::to_string(v); };
  const auto of_real = [&](double v) { text = impl::text_of(v); };
  if (!value_.with<std::int64_t>(of_integer) && !value_.with<std::uint64_t>(of_integer)) value_.with<double>(of_real);
  return text;
}

}  // namespace quern

namespace quern::impl {

// Not inline, as boundaries are copied in many places.
any_value::any_value(const any_value&) = default;
any_value& any_value::operator=(const any_value&) = default;
any_value::~any_value() = default;

template class short_list<boundary_pair, 3>;

void check_boundaries(const std::string& label, const boundaries& edge, int rank) {
  if (edge.count() != rank && (edge.is_box() || edge.count() != 1))
    throw Error(label, "boundaries for " + std::to_string(edge.count()) + " axes, expected " + std::to_string(rank));
}

std::pair<std::int64_t, std::int64_t> computed_cells(const std::string& label, const boundaries& edge, int axis,
                                                     const shape& extents, std::int64_t radius) {
  const std::int64_t n = extents.extent[axis];
  const auto where = [&] { return " along axis " + std::to_string(axis) + " of extents " + extents.str(); };
  if (edge.is_box()) {
    const auto [first, last] = edge.range(axis);
    if (first < radius || last > n - radius || first > last)
      throw Error(label, "interior_only from " + std::to_string(first) + " to " + std::to_string(last) + where() +
                             " needs values outside of them");
    return {first, last};
  }
  check_no_ghost_modes(label, edge, axis);
  const auto left = [&](const boundary& b) { return b.kind() == boundary::mode::keep ? radius : 0; };
  const std::int64_t first = left(edge.axis(axis).low), last = n - left(edge.axis(axis).high);
  if (last - first < std::min<std::int64_t>(n, 1))
    throw Error(label, "boundary::keep" + where() + " with a neighbourhood of " + std::to_string(2 * radius + 1));
  return {first, last};
}

const char* name_of(boundary::mode mode) {
  constexpr std::array names{"keep", "constant",    "nearest",    "reflect",   "mirror",
                             "wrap", "odd_reflect", "odd_mirror", "prescribed"};
  return names[static_cast<std::size_t>(mode)];
}

void check_no_ghost_modes(const std::string& label, const boundaries& edge, int axis) {
  const auto check = [&](const boundary& b) {
    if (b.kind() > boundary::mode::wrap)
      throw Error(label, std::string("boundary::") + name_of(b.kind()) + " is one of quern::fill_halo alone");
  };
  check(edge.axis(axis).low);
  check(edge.axis(axis).high);
}

bool wraps_around(const std::string& label, const boundaries& edge, int axis) {
  if (edge.is_box()) return false;
  const bool low = edge.axis(axis).low.kind() == boundary::mode::wrap;
  if (low != (edge.axis(axis).high.kind() == boundary::mode::wrap))
    throw Error(label, "an axis that wraps around must do so at both ends");
  return low;
}

}  // namespace quern::impl
