// SPDX-FileCopyrightText: the Quern authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef QUERN_MAP_LAUNCH_HPP
#define QUERN_MAP_LAUNCH_HPP

#include <quern/map/device_map.hpp>
#include <quern/map/host_map.hpp>

namespace quern::impl {

/// Launches a map. The strides are those of outputs and inputs, in the extents of the first output.
template <class Exec, class F, class... T, class... Input>
void map_arrays(const Exec& exec, const std::string& label, const std::tuple<strided<T>...>& out, const F& f,
                bool in_place, const std::array<stride_array, sizeof...(T) + sizeof...(Input)>& strides,
                const Input&... in) {
  constexpr int operands = sizeof...(T) + sizeof...(Input);
  const auto nest = make_loop_nest<operands>(std::get<0>(out).extents, strides);
  int k = 0;
  const auto arrays = unpack(
      [&](const auto&... o) { return map_output<T...>{{{array_operand<T>{o.data, nest.stride[k++][0]}}...}}; }, out);
  mapped_elements<Exec, F, map_output<T...>, typename Input::operand...> work{
      f, arrays, {{in.at_step(nest.stride[k++][0])}...}, row_nest<operands>(nest)};
  if constexpr (is_device<Exec>) map_on_device(exec, label, std::move(work), nest);
  else map_on_host(exec, label, std::move(work), nest, in_place);
}
template <class Exec, class F, class T, class... Input>
void map_launch(const Exec& exec, const std::string& label, const strided<T>& out, const F& f, bool in_place,
                const std::array<stride_array, 1 + sizeof...(Input)>& strides, const Input&... in) {
  map_arrays<Exec, F, T>(exec, label, std::tuple(out), f, in_place, strides, in...);
}

}  // namespace quern::impl

#endif
