// SPDX-FileCopyrightText: the Quern authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef QUERN_MAP_MAP_HPP
#define QUERN_MAP_MAP_HPP

#include <Kokkos_Core.hpp>
#include <quern/core/call/call.hpp>
#include <quern/core/launch/ivdep.hpp>
#include <quern/core/launch/launch_units.hpp>
#include <quern/core/launch/loop_nest.hpp>
#include <quern/core/launch/nontemporal_store.hpp>
#include <quern/core/values/values.hpp>
#include <quern/map/transposing.hpp>
#include <quern/map/tuning.hpp>
#include <string>

namespace quern {
namespace impl {

struct pack_tag {};        // device: a thread handles aligned packs, a grid apart
struct element_tag {};     // device: a thread handles single elements, a grid apart
struct block_tag {};       // host: a work item handles a block of a row
struct transposed_tag {};  // host: a work item handles a tile of several rows

/// Whether hosts call `f.apply(to, from, k)` for `F::together` elements from k on, rather than f for each.
template <class F>
inline constexpr bool takes_several = false;

/// What a map writes: an array, or one for each element of what the function returns.
template <class... T>
struct map_output {
  static constexpr int count = sizeof...(T);
  using indices = std::index_sequence_for<T...>;
  operand_tuple<array_operand<T>...> array;

  template <std::size_t J, class R>
  KOKKOS_FORCEINLINE_FUNCTION static const auto& part(const R& r) {
    if constexpr (count == 1) return r;
    else return r[J];
  }
  /// One element of each.
  template <class R, class Offsets>
  KOKKOS_FORCEINLINE_FUNCTION void put(const Offsets& o, std::int64_t k, const R& r) const {
    put(o, k, r, indices());
  }
  template <class R, class Offsets, std::size_t... J>
  KOKKOS_FORCEINLINE_FUNCTION void put(const Offsets& o, std::int64_t k, const R& r, std::index_sequence<J...>) const {
    ((get<J>(array).data[o.of[J] + k * get<J>(array).step] = convert<T>(part<J>(r))), ...);
  }
  /// W elements of each, `element(k)` of which are results.
  template <int W, class Offsets, class Element>
  KOKKOS_FORCEINLINE_FUNCTION void put_packs(const Offsets& o, const Element& element) const {
    put_packs<W>(o, element, indices());
  }
  template <int W, class Offsets, class Element, std::size_t... J>
  KOKKOS_FORCEINLINE_FUNCTION void put_packs(const Offsets& o, const Element& element,
                                             std::index_sequence<J...>) const {
    operand_tuple<pack<T, W>...> result;
    for (int k = 0; k < W; ++k) {
      const auto r = element(k);
      ((get<J>(result).value[k] = convert<T>(part<J>(r))), ...);
    }
    ((*reinterpret_cast<pack<T, W>*>(get<J>(array).data + o.of[J]) = get<J>(result)), ...);
  }
};

/// out(i) = f(in(i)...). One functor with three ways through the same loop nest; `map_launch` picks one.
template <class Exec, class F, class Out, class... In>
struct map_kernel;
template <class Exec, class F, class... T, class... In>
struct map_kernel<Exec, F, map_output<T...>, In...> {
  static constexpr int outputs = sizeof...(T);
  static constexpr int operands = outputs + sizeof...(In);
  // Positions are not loaded, and functions of them have better things to do than to wait for memory.
  static constexpr bool of_positions = (std::is_same_v<In, position_operand> || ...);
  static constexpr int width = of_positions ? 1 : pack_width<Exec, T..., typename In::value_type...>();
  static constexpr int packs = map_tuning<Exec>::packs;
  static constexpr int unroll = map_tuning<Exec>::unroll;
  static constexpr std::int64_t block =
      map_tuning<Exec>::block_bytes /
      static_cast<std::int64_t>(std::max({sizeof(T)..., sizeof(typename In::value_type)...}));
  static constexpr std::int64_t tile = map_tuning<Exec>::largest_tile;
  using offsets = typename row_nest<operands>::offsets;

  F f;
  map_output<T...> out;
  operand_tuple<In...> in;
  row_nest<operands> nest;
  std::int64_t per_row = 0;               // work items of a row
  std::int64_t span = 0;                  // device: items between those of one thread in a row
  std::int64_t row_step = 0, i_step = 0;  // device: between the items of one thread
  std::int64_t distance[operands] = {};
  bool nontemporal = false;  // host: write past the caches
  bool gathers = false;      // host: elements of a row are not neighbours

  template <std::size_t... I>
  KOKKOS_FUNCTION void element(const offsets& o, std::int64_t k, std::index_sequence<I...>) const {
    out.put(o, k, f(get<I>(in).load(o.of[outputs + I] + k * get<I>(in).step)...));
  }

  /// Items of W elements that one thread computes together: the loads of all come first.
  template <int W, int Count, std::size_t... I>
  KOKKOS_FUNCTION void whole_items(const offsets (&o)[Count], std::index_sequence<I...>) const {
    store<W>(o, load_packs<W, outputs + I>(get<I>(in), o)...);
  }
  template <int W, int Which, int Count, class Operand>
  KOKKOS_FUNCTION auto load_packs(const Operand& operand, const offsets (&o)[Count]) const {
    packs_of<decltype(operand.template load_pack<W>(0)), Count> p;
    for (int u = 0; u < Count; ++u) p.at[u] = operand.template load_pack<W>(o[u].of[Which]);
    return p;
  }
  template <int W, int Count, class... P>
  KOKKOS_FUNCTION void store(const offsets (&o)[Count], const P&... p) const {
    for (int u = 0; u < Count; ++u)
      out.template put_packs<W>(o[u], [&](int k) { return apply<W>(k, std::index_sequence_for<P...>(), p.at[u]...); });
  }
  template <int W, std::size_t... I, class... P>
  KOKKOS_FUNCTION auto apply(int k, std::index_sequence<I...>, const P&... p) const {
    return f(get<I>(in).template expand<W>(p, k)...);
  }

  /// Count items of W elements for one thread: of consecutive rows, or of one row and `span` items apart, so that
  /// neighbouring threads stay neighbours in memory and together read one stretch of it. The first place is found by
  /// division, and the others follow at equal distances.
  template <int W, int Count>
  KOKKOS_FUNCTION void device_items(std::int64_t work) const {
    constexpr std::index_sequence_for<In...> inputs;
    std::int64_t lane, j, row = nest.divide(work, per_row, j);
    const std::int64_t group = nest.divide(j, span, lane);
    std::int64_t i = (group * span * Count + lane) * W;
    if (row_step > 0) row *= Count;
    offsets one[1] = {nest.at(row, i)};
    if (row + (Count - 1) * row_step < nest.outer && i + (Count - 1) * i_step + W <= nest.inner) {
      offsets o[Count] = {one[0]};
      for (int u = 1; u < Count; ++u) o[u] = moved(o[u - 1]);
      whole_items<W>(o, inputs);
      return;
    }
    for (int u = 0; u < Count && row < nest.outer; ++u, row += row_step, i += i_step, one[0] = moved(one[0])) {
      if (i + W <= nest.inner) whole_items<W>(one, inputs);
      else
        for (std::int64_t k = 0; i + k < nest.inner; ++k) element(one[0], k, inputs);
    }
  }
  KOKKOS_FUNCTION offsets moved(offsets o) const {
    for (int k = 0; k < operands; ++k) o.of[k] += distance[k];
    return o;
  }

  /// Shares rows of `items` items of that width out to threads, Count items each, and returns the number of threads. In
  /// a matrix a thread's items are in consecutive rows, so that operands that repeat along rows come from the first
  /// cache.
  template <int Count>
  std::int64_t device_shares(std::int64_t items, int item_width) {
    const bool matrix = nest.rank == 2 && nest.outer >= 4 * Count;
    span = matrix ? items : Kokkos::min(map_tuning<Exec>::span, (items + Count - 1) / Count);
    per_row = matrix ? items : (items + span * Count - 1) / (span * Count) * span;
    row_step = matrix ? 1 : 0;
    i_step = matrix ? 0 : span * item_width;
    for (int k = 0; k < operands; ++k) distance[k] = row_step * nest.stride[k][1] + i_step * nest.stride[k][0];
    return per_row * (matrix ? (nest.outer + Count - 1) / Count : nest.outer);
  }

  KOKKOS_FUNCTION void operator()(pack_tag, std::int64_t item) const { device_items<width, packs>(item); }
  KOKKOS_FUNCTION void operator()(element_tag, std::int64_t item) const { device_items<1, unroll>(item); }

  /// Elements up to the next cache line come first: vectors that cross lines cost up to 7 % even in a loop that waits
  /// for memory.
  template <std::size_t... J, class... P>
  static void loop(std::int64_t n, const F& g, std::index_sequence<J...>, T*... to, P... from) {
    in_loop<F> local = g;  // what the loop reads must not be what it might write
    std::int64_t k = 0;
    const auto& first = nth<0>(to...);
    const auto to_line = static_cast<std::int64_t>(bytes_to_line(first) / sizeof(*first));
    for (const std::int64_t end : {Kokkos::min(n, to_line), n}) {
      if constexpr (takes_several<F>)
        for (; k + F::together <= end; k += F::together) local.apply(to..., from..., k);
      // Equal pointers are the only overlap that map allows, so no iteration depends on another.
      QUERN_IMPL_IVDEP
      for (; k < end; ++k) {
        const auto r = local(from[k]...);
        ((to[k] = convert<T>(map_output<T...>::template part<J>(r))), ...);
      }
    }
  }

  /// Elements of one row on the host, n of them at most a block.
  template <std::size_t... J, std::size_t... I>
  void host_block(const offsets& o, std::int64_t n, std::index_sequence<J...> outs, std::index_sequence<I...>) const {
    if (gathers) {
      for (std::int64_t k = 0; k < n; ++k) out.put(o, k, f(get<I>(in).strided_from(o.of[outputs + I])[k]...));
      return;
    }
    alignas(64) std::byte buffer[outputs][map_tuning<Exec>::block_bytes];
    with_readers(
        [&](const auto&... from) {
          loop(n, f, outs, (nontemporal ? reinterpret_cast<T*>(buffer[J]) : get<J>(out.array).data + o.of[J])...,
               from...);
        },
        std::tuple<const In&...>(get<I>(in)...), o.of + outputs);
    if (nontemporal) (nontemporal_store(get<J>(out.array).data + o.of[J], buffer[J], n * sizeof(T)), ...);
  }
  void host_block(const offsets& o, std::int64_t n) const {
    host_block(o, n, std::index_sequence_for<T...>(), std::index_sequence_for<In...>());
  }

  void operator()(block_tag, std::int64_t item) const {
    std::int64_t i;
    const offsets o = nest.at_item(item, per_row, block, i);
    host_block(o, Kokkos::min(block, nest.inner - i));
    if (nontemporal) nontemporal_fence();
  }

  /// What lies transposed is read in lines that the next rows need as well.
  void operator()(transposed_tag, std::int64_t item) const {
    std::int64_t i, j;
    const std::int64_t tiles = (nest.extent[1] + tile - 1) / tile;
    const std::int64_t outer = nest.divide(nest.divide(item, per_row, i), tiles, j);
    const std::int64_t n = Kokkos::min(tile, nest.inner - i * tile);
    const std::int64_t rows = Kokkos::min(tile, nest.extent[1] - j * tile);
    in_loop<map_kernel> local = *this;  // what the loop reads must not be what it might write
    offsets o = nest.at(outer * nest.extent[1] + j * tile, i * tile);
    for (std::int64_t row = 0; row < rows; ++row) {
      local.host_block(o, n);
      for (int k = 0; k < operands; ++k) o.of[k] += local.nest.stride[k][1];
    }
  }

  std::int64_t output_bytes() const {
    return nest.inner * nest.outer * static_cast<std::int64_t>((0 + ... + sizeof(T)));
  }

  /// Goes by tiles on a host, where operands lie transposed in arrays that caches do not hold; false elsewhere.
  bool launch_tiles(const Exec& exec, const std::string& label, loop_nest<operands> loops) {
    if (output_bytes() < tuning<Exec>::streaming_bytes) return false;
    const tiled_operands<operands> transposed(loops, {sizeof(T)..., element_bytes<In>...}, tile / 4);
    if (transposed.bytes == 0) return false;
    nest = row_nest<operands>(loops);
    gathers = true;
    per_row = (nest.inner + tile - 1) / tile;
    launch<transposed_tag>(exec, label, per_row * ((nest.extent[1] + tile - 1) / tile) * (nest.outer / nest.extent[1]));
    return true;
  }

  template <class Tag>
  void launch(const Exec& exec, const std::string& label, std::int64_t work) const {
    launch_units<Tag>(exec, label, work, *this);
  }
};

/// Chooses the way through the loop nest and launches it. The strides are those of outputs and inputs, in the extents
/// of the first output.
template <class Exec, class F, class... T, class... Input>
void map_arrays(const Exec& exec, const std::string& label, const std::tuple<strided<T>...>& out, const F& f,
                bool in_place, const std::array<stride_array, sizeof...(T) + sizeof...(Input)>& strides,
                const Input&... in) {
  constexpr int operands = sizeof...(T) + sizeof...(Input);
  using kernel_type = map_kernel<Exec, F, map_output<T...>, typename Input::operand...>;
  const auto nest = make_loop_nest<operands>(std::get<0>(out).extents, strides);
  int k = 0;
  const auto arrays = unpack(
      [&](const auto&... o) { return map_output<T...>{{{array_operand<T>{o.data, nest.stride[k++][0]}}...}}; }, out);
  kernel_type kernel{f, arrays, {{in.at_step(nest.stride[k++][0])}...}, row_nest<operands>(nest)};
  const auto& rows = kernel.nest;
  const auto all_outputs = [&](const auto& has) {
    return [&]<std::size_t... J>(std::index_sequence<J...>) {
      return (has(get<J>(arrays.array), rows.stride[J]) && ...);
    }(std::index_sequence_for<T...>());
  };

  if constexpr (!is_device<Exec>) {
    if (kernel.launch_tiles(exec, label, nest)) return;
    kernel.per_row = (rows.inner + kernel.block - 1) / kernel.block;
    const bool neighbours = all_outputs([](const auto& o, const auto&) { return o.step == 1; });
    kernel.gathers = !neighbours || [&]<std::size_t... I>(std::index_sequence<I...>) {
      const bool few = sizeof...(I) <= 3;
      return ((get<I>(kernel.in).step > 1 || (get<I>(kernel.in).step == 0 && !few)) || ...);
    }(std::index_sequence_for<Input...>());
    kernel.nontemporal = !in_place && !kernel.gathers && exec.concurrency() >= tuning<Exec>::streaming_threads &&
                         kernel.output_bytes() >= tuning<Exec>::streaming_bytes;
    kernel.template launch<block_tag>(exec, label, kernel.per_row * rows.outer);
  } else {
    constexpr int w = kernel_type::width;
    const auto packed = [&]<std::size_t... I>(std::index_sequence<I...>) {
      return w > 1 && all_outputs([&](const auto& o, const auto& stride) {
               return o.step == 1 && o.template packs<w>(stride, rows.rank);
             }) &&
             (get<I>(kernel.in).template packs<w>(rows.stride[sizeof...(T) + I], rows.rank) && ...) &&
             (rows.outer == 1 || rows.inner % w == 0);
    }(std::index_sequence_for<Input...>());
    if constexpr (w > 1) {
      if (packed) {
        const auto work = kernel.template device_shares<kernel_type::packs>((rows.inner + w - 1) / w, w);
        return kernel.template launch<pack_tag>(exec, label, work);
      }
    }
    if constexpr (sizeof...(T) == 1) {
      using transposing = transposing_map<Exec, F, T..., typename Input::operand...>;
      if constexpr (transposing::bytes > 0)
        if (transposing{exec, label, f, get<0>(arrays.array), kernel.in}.launch(nest)) return;
    }
    const auto work = kernel.template device_shares<kernel_type::unroll>(rows.inner, 1);
    kernel.template launch<element_tag>(exec, label, work);
  }
}
template <class Exec, class F, class T, class... Input>
void map_launch(const Exec& exec, const std::string& label, const strided<T>& out, const F& f, bool in_place,
                const std::array<stride_array, 1 + sizeof...(Input)>& strides, const Input&... in) {
  map_arrays<Exec, F, T>(exec, label, std::tuple(out), f, in_place, strides, in...);
}

/// What is wrong with the function of a map, as its types show.
struct map_types {
  bool callable, outputs = false, converts = false;
  constexpr bool right() const { return callable && outputs && converts; }
};
template <class F, class Outputs, class... V>
constexpr map_types check_map() {
  map_types found{std::is_invocable_v<const F&, V...>};
  if constexpr (std::is_invocable_v<const F&, V...>) {
    using result = std::remove_cvref_t<std::invoke_result_t<const F&, V...>>;
    constexpr std::size_t count = std::tuple_size_v<Outputs>;
    if constexpr (count == 1) {
      found.outputs = true;
      found.converts = converts<result, value_of<std::tuple_element_t<0, Outputs>>>;
    } else if constexpr (requires { result::size(); }) {
      found.outputs = result::size() == count;
      found.converts = [&]<std::size_t... I>(std::index_sequence<I...>) {
        return (converts<typename result::value_type, value_of<std::tuple_element_t<I, Outputs>>> && ...);
      }(std::make_index_sequence<count>());
    }
  }
  return found;
}

/// Checks the operands against the outputs, and launches.
template <class Exec, class F, class... T, class... Operand>
void map_operands(const Exec& exec, const std::string& label, const std::tuple<strided<T>...>& out, const F& f,
                  const Operand&... operand) {
  constexpr int leaves = (0 + ... + std::remove_cvref_t<decltype(operand.part)>::leaves);
  const shape& extents = std::get<0>(out).extents;
  std::array<stride_array, sizeof...(T) + leaves> strides;
  int k = 0;
  std::size_t number = 0;
  bool in_place = false;
  unpack([&](const auto&... o) { ((strides[k++] = o.stride), ...); }, out);
  const auto check_leaf = [&](const auto& leaf) {
    strides[k++] = broadcast_input(label, leaf, extents, number);
    if (leaf.array.data == nullptr) return;
    const auto check_against = [&](const auto& o) {
      check_overlap(label, o, leaf.array, input_name(number), true);
      in_place = in_place || static_cast<const void*>(leaf.array.data) == o.data;
    };
    unpack([&](const auto&... o) { (check_against(o), ...); }, out);
  };
  [[maybe_unused]] const auto check = [&](const auto& o) {
    unpack([&](const auto&... leaf) { (check_leaf(leaf), ...); }, o.leaves);
    ++number;
  };
  (check(operand), ...);
  if (extents.size() == 0) return;
  with_leaves(
      f, [&](const auto& g, const auto&... leaf) { map_arrays(exec, label, out, g, in_place, strides, leaf...); },
      operand...);
}

/// The checks of every elementwise operation, then its launch. `label` is both the name in messages and the kernel's.
template <class Exec, class Out, class F, class... In>
void map_checked(const std::string& label, const Exec& exec, const Out& out_views, const F& f, const In&... in) {
  using outputs = decltype(as_outputs(out_views));
  constexpr int rank = known_rank<std::tuple_element_t<0, outputs>>();
  constexpr map_types types = check_map<F, outputs, typename argument_of<In, rank>::type...>();
  static_assert(types.callable,
                "quern::map: f must be callable with one value of each input, and of positions() with a "
                "Kokkos::Array<std::int64_t, rank>");
  static_assert(!types.callable || types.outputs,
                "quern::map: f must return a Kokkos::Array of as many values as there are outputs");
  static_assert(!types.outputs || types.converts,
                "quern: the values do not convert to out's type, as complex numbers to real ones");
  if constexpr (types.right()) {
    const call c(label, exec);
    const auto out = unpack([&](const auto&... o) { return std::tuple(c.output(o)...); }, as_outputs(out_views));
    check_outputs(label, out);
    map_operands(exec, label, out, f, expand<Exec, rank>(label, in, std::get<0>(out).extents)...);
  }
}

/// Elementwise operations on arrays in memory.
template <>
struct engine<in_memory, maps> {
  template <class Exec, class Out, class F, class... In, class... Options>
  static void run(const char* label, const Exec& exec, const Out& out, const F& f,
                  const std::tuple<const In&...>& inputs, const Options&...) {
    check_place_options<Options...>();
    unpack([&](const auto&... in) { map_checked(label, exec, out, f, in...); }, inputs);
  }
};

/// `out = f(in...)` of every elementwise operation, by the engine of the place where its operands are.
template <class Exec, class Out, class F, class... In, class... Options>
void map_call(const char* label, const Exec& exec, const Out& out, const F& f, const std::tuple<const In&...>& inputs,
              const Options&... options) {
  engine_of<maps, Out, In...>::run(label, exec, out, f, inputs, options...);
}

}  // namespace impl

/// Applies a function element by element: `out(i...) = f(in(i...)...)`.
///
/// @param exec the execution space instance to run on
/// @param out  an array of any rank, layout and value type, whose extents are those of the operation: a View, a sink,
/// or
///             a DistributedView; or several of the same extents that share no memory, `quern::outputs(u, v)`
/// @param f    a functor or `KOKKOS_LAMBDA` that takes one value of each input; its result is converted to out's type.
///             For several outputs it returns a `Kokkos::Array` of a value for each
/// @param in   any number of arrays, scalars, lazy arrays and `positions()`. They broadcast to the extents of `out` by
///             NumPy's rule: axes are matched from the last one backwards, and an extent of 1 or a missing axis is
///             repeated
///
/// Each element is computed once, so `out` may be the same View as an input. Contiguous, aligned operands of any rank
/// move in packs of 16 bytes; otherwise the axis along which `out` is closest in memory runs fastest, and large inputs
/// that are closest along another, as of LayoutLeft beside LayoutRight, are read in tiles.
///
/// Asynchronous on `exec`, but for what comes in chunks; uses no scratch memory, allocates nothing, and may be captured
/// in a device graph. Over ranks, each computes the cells of its block, without messages: beside DistributedViews,
/// which all have the same blocks, Views are whole and equal on all ranks, and positions are those in the whole array.
/// In chunks, an option `chunking` stands before the inputs; what is repeated along the axis of the chunks is copied to
/// the execution space once. The results have the same bits in every place.
/// @throws Error if an input does not broadcast to `out` or shares memory with it otherwise, or if outputs differ in
/// extents or share memory
template <execution_space Exec, output_like Out, class F, class... In>
  requires operands<In...>
void map(const Exec& exec, const Out& out, const F& f, const In&... in) {
  impl::map_call("quern::map", exec, out, f, std::tie(in...));
}
template <execution_space Exec, output_like Out, class F, call_option Option, class... In>
  requires operands<In...>
void map(const Exec& exec, const Out& out, const F& f, const Option& option, const In&... in) {
  impl::map_call("quern::map", exec, out, f, std::tie(in...), option);
}

template <output_like Out, class F, class... In>
  requires operands<In...>
void map(const Out& out, const F& f, const In&... in) {
  map(impl::space_of(out, in...), out, f, in...);
}
template <output_like Out, class F, call_option Option, class... In>
  requires operands<In...>
void map(const Out& out, const F& f, const Option& option, const In&... in) {
  map(impl::space_of(out, in...), out, f, option, in...);
}

}  // namespace quern

#endif
