// SPDX-FileCopyrightText: the Quern authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef QUERN_KEYED_BINNING_HPP
#define QUERN_KEYED_BINNING_HPP

#include <quern/keyed/device_binning.hpp>
#include <quern/keyed/host_binning.hpp>

namespace quern::impl {

/// An array of weights that are all 1.
struct unit_weights {
  no_weights data;
  shape extents{};
  Kokkos::Array<std::int64_t, max_rank> stride{};
};

/// Adds the weight of every value to its bin. Weights broadcast to the values.
template <class Exec, class Out, class X, class Bin, class Weights = unit_weights>
void add_by_bin(const Exec& exec, const std::string& label, const strided<Out>& out, const X& x, const Bin& bin,
                const Weights& weights = {}) {
  using work_type = binned_values<Exec, Bin, std::remove_const_t<decltype(X::data)>,
                                  std::remove_const_t<decltype(Weights::data)>, Out>;
  constexpr int width = work_type::width;
  const std::int64_t bins = out.extents.size(), n = x.extents.size();
  if (n == 0 || bins == 0) return;

  Kokkos::Array<std::int64_t, max_rank> weight_stride;
  broadcast_strides(weights.extents, weights.stride, x.extents, weight_stride);
  const row_nest<2> nest(make_loop_nest<2>(x.extents, {x.stride, weight_stride}));
  bool contiguous = !work_type::of_points && nest.rank == 1 && nest.stride[0][0] == 1 && holds_packs<width>(x.data);
  if constexpr (work_type::weighted)
    contiguous = contiguous && nest.stride[1][0] == 1 && holds_packs<width>(weights.data);
  const work_type work{bin,  x.data, weights.data, nest, n, contiguous, out.data, element_offsets<Bin::rank>(out),
                       bins, false};
  if constexpr (is_device<Exec>) bin_on_device(exec, label, work);
  else bin_on_host(exec, label, work);
}

}  // namespace quern::impl

#endif
