// SPDX-FileCopyrightText: the Quern authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <algorithm>
#include <bit>
#include <quern/core/launch/loop_nest.hpp>
#include <quern/fft/run.hpp>

namespace quern::impl::fourier {

std::array<int, max_rank> transformed_last(const request& r, int rank) {
  std::array<int, max_rank> order{};
  int n = 0;
  const auto is_transformed = [&](int d) {
    return std::find(r.axis.begin(), r.axis.begin() + r.count, d) != r.axis.begin() + r.count;
  };
  for (int d = 0; d < rank; ++d)
    if (!is_transformed(d)) order[n++] = d;
  std::copy_n(r.axis.begin(), r.count, order.begin() + n);
  return order;
}

transform describe(const request& r, const shape& extents, const stride_array& out, const stride_array& in) {
  transform t;
  t.what = r.what;
  t.rigor = r.rigor;
  t.rank = r.count;
  for (int i = 0; i < r.count; ++i) t.axes[i] = {r.length[i], in[r.axis[i]], out[r.axis[i]]};
  // Libraries want the axis of the largest stride first; the halved one stays the last.
  const bool halved = r.what == kind::real_to_complex || r.what == kind::complex_to_real;
  std::stable_sort(t.axes.begin(), t.axes.begin() + r.count - (halved ? 1 : 0),
                   [](const auto& a, const auto& b) { return a.out > b.out; });
  const auto order = transformed_last(r, extents.rank);
  shape batch;
  stride_array strides[2]{};
  for (batch.rank = 0; batch.rank < extents.rank - r.count; ++batch.rank) {
    const int d = order[batch.rank];
    batch.extent[batch.rank] = extents.extent[d];
    strides[0][batch.rank] = out[d];
    strides[1][batch.rank] = in[d];
  }
  if (batch.size() == 1) return t;
  stride_array extent{}, merged[2]{};
  t.batch_rank = nest_by_strides(batch, strides, 2, 0, extent, merged);
  for (int d = 0; d < t.batch_rank; ++d) t.batch[d] = {extent[d], merged[1][d], merged[0][d]};
  return t;
}

std::int64_t fast_length(std::int64_t n) {
  if (n <= 1) return 1;
  auto least = static_cast<std::int64_t>(std::bit_ceil(static_cast<std::uint64_t>(n)));
  for (std::int64_t fives = 1; fives <= least / 2; fives *= 5)
    for (std::int64_t odd = fives; odd <= least / 2; odd *= 3) {
      std::int64_t length = 2 * odd;
      while (length < n) length *= 2;
      least = std::min(least, length);
    }
  return least;
}

QUERN_ON_ALL(QUERN_TRANSFORMS)

}  // namespace quern::impl::fourier
