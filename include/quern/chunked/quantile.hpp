// SPDX-FileCopyrightText: the Quern authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef QUERN_CHUNKED_QUANTILE_HPP
#define QUERN_CHUNKED_QUANTILE_HPP

#include <quern/chunked/histogram.hpp>
#include <quern/core/lazy.hpp>
#include <quern/reduce/counted_selection.hpp>
#include <quern/reduce/quantile.hpp>

namespace quern::chunked {
namespace impl {

template <class T>
concept quantile_setting = option<T, interpolation, chunking>;

template <class Exec, class In, class... Options>
auto quantile_in_chunks(const char* label, const Exec& exec, const In& in, double q, bool skip_nan,
                        const Options&... given) {
  using T = std::remove_const_t<typename element_of<In>::type>;
  check_probability(label, q);
  std::int64_t n = 0;
  if constexpr (Kokkos::is_view_v<In>) n = static_cast<std::int64_t>(in.size());
  else n = in.extents().size();
  if (n == 0) throw Error(label, "in has no elements");
  const interpolation* how = find_option<interpolation>(given...);
  const auto counts = pool_view<Kokkos::View<std::int64_t*, typename Exec::memory_space>>(exec, digit_values);
  const auto count = [&](const key_digit<T>& digit) {
    const auto of_chunk = [&](const auto& e, const auto& o, const auto& values) {
      quern::bincount(e, o, quern::lazy(digit, values));
    };
    count_stream(label, exec, counts, of_chunk, settings_of(given...), in);
    digit_counts on_host(digit_values);
    quern::copy(exec, as_view(on_host), counts);
    exec.fence(label);
    return on_host;
  };
  return counted_quantile<T>({q, how == nullptr ? interpolation::linear : *how, skip_nan}, n, count);
}

}  // namespace impl

/// `quern::quantile` of all elements of an array that need not fit into the memory of the execution space: exact, with
/// the bits of the call in memory. The source is read once for each 16 bits of an element, and seldom once more.
///
/// @param in      a View or a source of real numbers
/// @param q       from 0 to 1
/// @param options optional: an `interpolation`; memory and progress, `chunking`
///
/// Waits. @throws Error as `quern::quantile`; ChunkError if a chunk cannot be read
template <execution_space Exec, source_like In, impl::quantile_setting... Options>
auto quantile(const Exec& exec, const In& in, double q, const Options&... given) {
  return impl::quantile_in_chunks("quern::chunked::quantile", exec, in, q, false, given...);
}
template <source_like In, impl::quantile_setting... Options>
auto quantile(const In& in, double q, const Options&... given) {
  return quantile(Kokkos::DefaultExecutionSpace(), in, q, given...);
}
/// The quantile of 0.5: the element in the middle, or the mean of the two there.
template <execution_space Exec, source_like In, impl::quantile_setting... Options>
auto median(const Exec& exec, const In& in, const Options&... given) {
  return impl::quantile_in_chunks("quern::chunked::median", exec, in, 0.5, false, given...);
}
template <source_like In, impl::quantile_setting... Options>
auto median(const In& in, const Options&... given) {
  return median(Kokkos::DefaultExecutionSpace(), in, given...);
}

/// `quantile` and `median` of the elements that are not NaN; NaN where there is none.
template <execution_space Exec, source_like In, impl::quantile_setting... Options>
auto nanquantile(const Exec& exec, const In& in, double q, const Options&... given) {
  return impl::quantile_in_chunks("quern::chunked::nanquantile", exec, in, q, true, given...);
}
template <execution_space Exec, source_like In, impl::quantile_setting... Options>
auto nanmedian(const Exec& exec, const In& in, const Options&... given) {
  return impl::quantile_in_chunks("quern::chunked::nanmedian", exec, in, 0.5, true, given...);
}

}  // namespace quern::chunked

#endif
