// SPDX-FileCopyrightText: the Quern authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef QUERN_DISTRIBUTED_QUANTILE_HPP
#define QUERN_DISTRIBUTED_QUANTILE_HPP

#include <quern/distributed/histogram.hpp>
#include <quern/reduce/counted_selection.hpp>
#include <quern/reduce/quantile.hpp>

namespace quern::distributed {
namespace impl {

template <class Exec, class In, class... Options>
auto quantile_of_ranks(const char* label, const Exec& exec, const In& in, double q, bool skip_nan,
                       const Options&... option) {
  using T = typename In::value_type;
  check_blocks(label, in.decomposition());
  check_probability(label, q);
  const std::int64_t n = in.extents().size();
  if (n == 0) throw Error(label, "in has no elements");
  const interpolation* how = find_option<interpolation>(option...);
  const auto count = [&](const key_digit<T>& digit) {
    digit_counts on_host(digit_values);
    sum_of_counts(label, in.communicator(), exec, as_view(on_host),
                  [&](const auto& counts) { quern::bincount(exec, counts, quern::lazy(digit, in.local())); });
    return on_host;
  };
  return counted_quantile<T>({q, how == nullptr ? interpolation::linear : *how, skip_nan}, n, count);
}

}  // namespace impl

/// `quern::quantile` of all elements of a distributed array: exact, with the bits of the call on one device. Each rank
/// counts its elements once for each 16 bits of an element, and seldom once more; the counts, 512 KB, are added up.
///
/// @param q      from 0 to 1
/// @param option optional: an `interpolation`
///
/// Collective; waits. @throws Error as `quern::quantile`
template <execution_space Exec, distributed_like In, option<interpolation>... Options>
auto quantile(const Exec& exec, const In& in, double q, const Options&... option) {
  return impl::quantile_of_ranks("quern::distributed::quantile", exec, in, q, false, option...);
}
/// The quantile of 0.5: the element in the middle, or the mean of the two there.
template <execution_space Exec, distributed_like In, option<interpolation>... Options>
auto median(const Exec& exec, const In& in, const Options&... option) {
  return impl::quantile_of_ranks("quern::distributed::median", exec, in, 0.5, false, option...);
}
/// `quantile` and `median` of the elements that are not NaN; NaN where there is none.
template <execution_space Exec, distributed_like In, option<interpolation>... Options>
auto nanquantile(const Exec& exec, const In& in, double q, const Options&... option) {
  return impl::quantile_of_ranks("quern::distributed::nanquantile", exec, in, q, true, option...);
}
template <execution_space Exec, distributed_like In, option<interpolation>... Options>
auto nanmedian(const Exec& exec, const In& in, const Options&... option) {
  return impl::quantile_of_ranks("quern::distributed::nanmedian", exec, in, 0.5, true, option...);
}

}  // namespace quern::distributed

#endif
