// SPDX-FileCopyrightText: the Quern authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef QUERN_DISTRIBUTED_QUANTILE_HPP
#define QUERN_DISTRIBUTED_QUANTILE_HPP

#include <quern/distributed/histogram.hpp>
#include <quern/keyed/counted_quantile.hpp>

namespace quern::impl {

template <>
struct engine<over_ranks_place, selections> {
  template <class Exec, class Out, class In, class... Options>
  static auto run(const quantile_request& r, const Exec& exec, const Out& out, const In& in,
                  const Options&... options) {
    const Communicator comm = leading_field(in).communicator();
    const auto more = [&] {
      std::string call = " at";
      for (const double q : r.of.value) call += " " + text_of(q);
      if (const interpolation* given = find_option<interpolation>(options...))
        call += ", interpolation " + std::to_string(static_cast<int>(*given));
      return call;
    };
    check_same_arrays(comm, r.label, more, in);
    return counted_quantiles::run(r, exec, out, in, options...);
  }
};

}  // namespace quern::impl

#endif
