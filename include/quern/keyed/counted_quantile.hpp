// SPDX-FileCopyrightText: the Quern authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef QUERN_KEYED_COUNTED_QUANTILE_HPP
#define QUERN_KEYED_COUNTED_QUANTILE_HPP

#include <quern/core/call/label.hpp>
#include <quern/core/memory/pool.hpp>
#include <quern/keyed/histogram.hpp>
#include <quern/map/functions.hpp>
#include <quern/reduce/quantile.hpp>
#include <quern/reducers/counted_selection.hpp>
#include <quern/transfer/as_view.hpp>
#include <quern/transfer/copy.hpp>

namespace quern::impl {

/// How many elements have each digit, on the host: of digits that come in chunks, lie over ranks, or are in memory.
template <class Exec>
class digit_counter {
 public:
  digit_counter(const std::string& label, const Exec& exec)
      : label_(label),
        exec_(exec),
        bins_(pool_view<Kokkos::View<std::int64_t*, typename Exec::memory_space>>(exec, digit_values)) {}

  /// Waits.
  template <class Digits, class... OfPlace>
  digit_counts operator()(const Digits& digits, const OfPlace&... of_place) const {
    count_call(count_operation{label_, own_bin{digit_values}}, exec_, bins_, digits, of_place...);
    digit_counts counts(digit_values);
    quern::copy(exec_, as_view(counts), bins_);
    exec_.fence(kernel_label(label_));
    return counts;
  }

 private:
  const std::string& label_;
  const Exec& exec_;
  Kokkos::View<std::int64_t*, typename Exec::memory_space> bins_;
};

/// Quantiles of all elements of an array that comes in chunks or lies over ranks: it is only counted. Waits.
struct counted_quantiles {
  template <class Exec, class Out, class In, class... Options>
  static auto run(const quantile_request& r, const Exec& exec, const Out& out, const In& in,
                  const Options&... options) {
    using T = value_of<In>;
    static_assert(!has_option<axes, Options...>, "quern: quantiles along axes are those in memory");
    if (!with_mask<Options...> && operand_extents(r.label, in).size() == 0) throw Error(r.label, "in has no elements");
    const interpolation how = option_or(interpolation::linear, options...);
    const digit_counter<Exec> counter(r.label, exec);
    const auto count = [&](const key_digit<T>& digit) {
      const auto count_digits = [&](const auto& digits) {
        return unpack([&](const auto&... of_place) { return counter(digits, of_place...); },
                      select_options<true>(options...));
      };
      if constexpr (with_mask<Options...>)
        return count_digits(lazy(digit_where<T>{digit}, in, mask_among(options...).where));
      else return count_digits(lazy(digit, in));
    };
    const auto quantile_of = [&](double q) { return counted_quantile<T>({q, how, r.skip_nan}, count); };
    if constexpr (std::is_same_v<Out, on_host_t>) {
      if (r.several) throw Error(r.label, "several probabilities need an output");
      return quantile_of(r.of.value[0]);
    } else {
      shape expected;
      if (r.several) expected = shape{static_cast<std::int64_t>(r.of.value.size())};
      const auto results = call<Exec>(r.label, exec).output(out);
      check_extents(r.label, "out", results.extents, expected);
      std::vector<mean_type<T>> found;
      for (const double q : r.of.value) found.push_back(quantile_of(q));
      if (!r.several) quern::fill(exec, out, found[0]);
      else if constexpr (known_rank<Out>() != 0) quern::copy(exec, out, as_view(found));
      exec.fence(kernel_label(r.label));
    }
  }
};

}  // namespace quern::impl

#endif
