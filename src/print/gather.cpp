// SPDX-FileCopyrightText: the Quern authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <quern/print/gather.hpp>

#include <quern/core/launch/compiled.hpp>
#include <quern/core/launch/launch_units.hpp>

namespace quern::impl {

/// Element number `unit` of those that are printed, as bytes, which both the host and devices copy.
struct gathered_element {
  const std::byte* from;
  std::byte* to;
  std::int64_t bytes;
  int rank;
  Kokkos::Array<std::int64_t, max_rank> shown, skipped, stride;  // skipped: indices between the halves of an axis

  gathered_element(const shown_elements& which, const array_bytes& array, std::byte* out)
      : from(static_cast<const std::byte*>(array.data)), to(out), bytes(array.element), rank(which.shown.rank) {
    for (int d = 0; d < max_rank; ++d) {
      shown[d] = which.shown.extent[d];
      skipped[d] = d < rank ? which.whole.extent[d] - which.shown.extent[d] : 0;
      stride[d] = array.stride[d];
    }
  }
  KOKKOS_FUNCTION std::int64_t offset(std::int64_t unit) const {
    std::int64_t sum = 0;
    for (int d = rank - 1; d >= 0; --d) {
      const std::int64_t at = unit % shown[d];
      unit /= shown[d];
      sum += (2 * at >= shown[d] ? at + skipped[d] : at) * stride[d];
    }
    return sum * bytes;
  }
  KOKKOS_FUNCTION void operator()(std::int64_t unit) const {
    const std::byte* element = from + offset(unit);
    for (std::int64_t b = 0; b < bytes; ++b) to[unit * bytes + b] = element[b];
  }
};

shown_elements select_shown(const std::string& label, const shape& extents, const print_options& options) {
  const auto check = [&](bool right, const char* name, std::int64_t found, const char* least) {
    if (!right) throw Error(label, std::string(name) + " is " + std::to_string(found) + ", expected " + least);
  };
  check(options.precision >= 0, "precision", options.precision, "0 or more");
  check(options.edgeitems >= 1, "edgeitems", options.edgeitems, "1 or more");
  check(options.threshold >= 0, "threshold", options.threshold, "0 or more");
  check(options.linewidth >= 1, "linewidth", options.linewidth, "1 or more");
  shown_elements which{extents, extents, extents.size() > options.threshold};
  for (int d = 0; which.summarized && d < extents.rank; ++d)
    if (extents.extent[d] / 2 >= options.edgeitems && extents.extent[d] > 2 * options.edgeitems)
      which.shown.extent[d] = 2 * options.edgeitems;
  return which;
}

void gather_on_host(const shown_elements& which, const array_bytes& from, std::byte* to) {
  const gathered_element gather(which, from, to);
  const std::int64_t n = which.shown.size();
  for (std::int64_t unit = 0; unit < n; ++unit) gather(unit);
}

template <class Exec>
void gather_on_device(const Exec& exec, const std::string& label, const shown_elements& which, const array_bytes& from,
                      std::byte* to) {
  launch_units(exec, label, which.shown.size(), gathered_element(which, from, to));
}

#define QUERN_GATHER(Exec)                                                                                         \
  template void gather_on_device<Exec>(const Exec&, const std::string&, const shown_elements&, const array_bytes&, \
                                       std::byte*);
QUERN_ON_DEVICES(QUERN_GATHER)

}  // namespace quern::impl
