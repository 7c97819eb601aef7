// SPDX-FileCopyrightText: the Quern authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <cmath>
#include <quern/stencil/filters.hpp>

namespace quern::impl {

host_weights<double> gaussian_weights(const std::string& label, double sigma, double truncate) {
  if (!(sigma >= 0 && std::isfinite(sigma)) || !(truncate >= 0 && std::isfinite(truncate)))
    throw Error(label, "sigma and truncate must be finite and not negative");
  const double reach = truncate * sigma + 0.5;
  if (reach > 1 << 24) throw Error(label, "a window of more than 2^25 values");
  const int radius = static_cast<int>(reach);
  host_weights<double> w(static_cast<std::size_t>(2 * radius + 1), 1.0);
  double sum = 0;
  for (int i = -radius; i <= radius && sigma > 0; ++i) w[i + radius] = std::exp(-0.5 * (i / sigma) * (i / sigma));
  for (const double v : w) sum += v;
  for (double& v : w) v /= sum;
  return w;
}

QUERN_ON_DEVICES(QUERN_SEPARABLE_FILTERS)

}  // namespace quern::impl
