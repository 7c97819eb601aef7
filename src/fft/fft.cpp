// SPDX-FileCopyrightText: the Quern authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <quern/fft/fft.hpp>

namespace quern::impl::fourier {

namespace {

/// The length along axis number i of the request, which is d of the arrays.
std::int64_t resolved_length(const std::string& label, const request& r, int i, int d, std::int64_t wanted,
                             const shape& out, const shape& in) {
  if (wanted < 0) throw Error(label, "a transform of length " + std::to_string(wanted));
  std::int64_t n = wanted;
  const bool to_real = r.what == kind::complex_to_real && i == r.count - 1;
  if (n == 0) n = to_real ? out.extent[d] : in.extent[d];
  if (n == 0) throw Error(label, "a transform of length 0 along axis " + std::to_string(d));
  if (to_real && wanted == 0 && n / 2 + 1 != in.extent[d])
    throw Error(label, "out has extents " + out.str() + ", expected " + std::to_string(2 * in.extent[d] - 2) + " or " +
                           std::to_string(2 * in.extent[d] - 1) + " along axis " + std::to_string(d) + " for in " +
                           in.str());
  return n;
}

void check_ranks(const std::string& label, const shape& out, const shape& in) {
  if (in.rank == 0) throw Error(label, "in has rank 0, and no axis");
  if (out.rank != in.rank)
    throw Error(label, "out has extents " + out.str() + ", expected the rank of in, " + in.str());
}

}  // namespace

request request_of(const std::string& label, kind what, const shape& out, const shape& in,
                   const transform_options& options, int axes_by_default) {
  check_ranks(label, out, in);
  request r{what, options.along.count, {}, {}, options.norm, options.rigor};
  const shape& lengths = options.lengths;
  if (r.count == 0) {
    r.count = axes_by_default < max_rank ? axes_by_default : lengths.rank > 0 ? lengths.rank : in.rank;
    if (r.count > in.rank)
      throw Error(label, "in has extents " + in.str() + ", expected a rank of " + std::to_string(r.count) + " or more");
    for (int i = 0; i < r.count; ++i) r.axis[i] = in.rank - r.count + i;
  } else {
    r.axis = axes_in_order(label, options.along, in.rank);
  }
  if (lengths.rank != 0 && lengths.rank != r.count)
    throw Error(label, "lengths are " + lengths.str() +
                           ", expected one for each axis that is transformed, of which the number is " +
                           std::to_string(r.count));
  for (int i = 0; i < r.count; ++i)
    r.length[i] = resolved_length(label, r, i, r.axis[i], lengths.rank > 0 ? lengths.extent[i] : 0, out, in);
  return r;
}

}  // namespace quern::impl::fourier
