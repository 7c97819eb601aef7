// SPDX-FileCopyrightText: the Quern authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef QUERN_BATCH_VMAP_HPP
#define QUERN_BATCH_VMAP_HPP

#include <Kokkos_Core.hpp>
#include <quern/batch/tuning.hpp>
#include <quern/core/call/call.hpp>
#include <quern/core/launch/arguments.hpp>
#include <quern/core/launch/index_range.hpp>
#include <quern/core/views/axes.hpp>

namespace quern {

/// The argument that a functor of `vmap` gets for a View: one item of it, without the batch axis, or all of it where
/// items share it. `Data` is as for a Kokkos::View: `batch_item<double*>` is a vector that it may write,
/// `batch_item<const double**>` a matrix.
template <class Data, execution_space Exec = Kokkos::DefaultExecutionSpace>
using batch_item =
    Kokkos::View<Data, Kokkos::LayoutStride, typename Exec::memory_space, Kokkos::MemoryTraits<Kokkos::Unmanaged>>;

namespace impl {

/// An argument of vmap: its items lie along an axis, or all items share it.
template <class V, bool Batched>
struct items_of_view {
  static constexpr bool batched = Batched;
  V view;
  int axis = 0;
};
template <class T>
inline constexpr bool is_unbatched = requires { requires !T::batched; };

template <class T>
concept vmap_argument = view_like<T> || requires { T::batched; };
template <class T>
concept vmap_output = vmap_argument<T> || is_outputs<T>;

template <class T>
const auto& vmap_view(const T& x) {
  if constexpr (view_like<T>) return x;
  else return x.view;
}
template <class T>
int vmap_axis(const T& x) {
  if constexpr (view_like<T>) return 0;
  else return x.axis;
}

/// The rank of an argument, or -1 where it is not known when compiling.
template <class T>
inline constexpr int vmap_rank = known_rank<decltype(vmap_view(std::declval<const T&>()))>();

/// Makes the items of one argument.
template <class Exec, class T, int Rank>
struct item_source {
  using view = batch_item<typename with_pointers<T, Rank>::type, Exec>;
  T* data;
  std::int64_t step;
  Kokkos::LayoutStride layout;

  KOKKOS_FUNCTION view operator()(std::int64_t i) const { return view(data + i * step, layout); }
};

template <class Exec, class F, class... Item>
struct vmap_kernel {
  using policy = Kokkos::TeamPolicy<Exec>;
  using member = typename policy::member_type;
  using numbers = std::index_sequence_for<Item...>;
  static constexpr bool by_thread = std::is_invocable_v<const F&, typename Item::view...>;
  static constexpr bool by_team = std::is_invocable_v<const F&, const member&, typename Item::view...>;

  F f;
  operand_tuple<Item...> items;

  KOKKOS_FUNCTION void operator()(std::int64_t i) const { call(i, numbers()); }
  KOKKOS_FUNCTION void operator()(const member& team) const { call(team.league_rank(), numbers(), team); }

  template <std::size_t... I, class... Team>
  KOKKOS_FUNCTION void call(std::int64_t i, std::index_sequence<I...>, const Team&... team) const {
    f(team..., get<I>(items)(i)...);
  }
};

/// On a host, ranges of items, one for each thread, of an f that takes many side by side.
template <class F, class... Item>
struct vmap_ranges {
  F f;
  operand_tuple<Item...> items;
  std::int64_t count, threads;

  void operator()(std::int64_t thread) const { run(thread, std::index_sequence_for<Item...>()); }
  template <std::size_t... I>
  void run(std::int64_t thread, std::index_sequence<I...>) const {
    f.run_range(thread * count / threads, (thread + 1) * count / threads, get<I>(items)...);
  }
};
template <class F, class... Item>
concept takes_ranges = requires(const F& f, std::int64_t n, const Item&... items) { f.run_range(n, n, items...); };

/// An argument of vmap, checked: the array, and the axis of its items (none: -1). Rank is that of an item.
template <class Exec, class T, int Rank>
struct vmap_operand {
  strided<T> array;
  int axis;

  item_source<Exec, T, Rank> source() const {
    item_source<Exec, T, Rank> s{array.data, axis < 0 ? 0 : array.stride[axis], Kokkos::LayoutStride()};
    for (int d = 0, n = 0; d < array.extents.rank; ++d) {
      if (d == axis) continue;
      s.layout.dimension[n] = array.extents.extent[d];
      s.layout.stride[n++] = array.stride[d];
    }
    return s;
  }
  std::int64_t item_size() const {
    std::int64_t n = 1;
    for (int d = 0; d < array.extents.rank; ++d) n *= d == axis ? 1 : array.extents.extent[d];
    return n;
  }
};

template <class Exec, use Use, class Argument>
auto vmap_checked(const std::string& label, const Argument& x) {
  const auto array = [&] {
    if constexpr (Use == use::output) return make_output<Exec>(vmap_view(x), label);
    else return make_input<Exec>(vmap_view(x), label).array;
  }();
  const int along = is_unbatched<Argument> ? -1 : axis_set(label, axis(vmap_axis(x)), array.extents.rank).only();
  constexpr int item_rank = known_rank<decltype(vmap_view(x))>() - (is_unbatched<Argument> ? 0 : 1);
  return vmap_operand<Exec, std::remove_pointer_t<decltype(array.data)>, item_rank>{array, along};
}

/// Every other argument has the items of the first output, and shares no memory with an output: but an input may be the
/// same View, so that an item can be changed in place.
template <class Out, class Other>
void vmap_check_pair(const std::string& label, const Out& out, const Other& other, std::string_view name,
                     bool is_input) {
  const std::int64_t items = out.array.extents.extent[out.axis];
  if (other.axis >= 0 && other.array.extents.extent[other.axis] != items)
    throw Error(label, std::string(name) + " has " + std::to_string(other.array.extents.extent[other.axis]) +
                           " items, expected " + std::to_string(items));
  check_overlap(label, out.array, other.array, name, is_input && other.axis == out.axis);
}

/// Threads of a team that works on one item: as many as its largest argument has elements, within what a team may have.
template <class Exec, class Kernel>
int vmap_team(const Exec& exec, const Kernel& kernel, int items, std::int64_t elements) {
  if (!is_device<Exec>) return 1;
  const int max_threads = typename Kernel::policy(exec, items, 1).team_size_max(kernel, Kokkos::ParallelForTag());
  int threads = batch_tuning<Exec>::least_team;
  while (threads < elements && threads < batch_tuning<Exec>::max_team && 2 * threads <= max_threads) threads *= 2;
  return threads;
}

template <class Exec, class F, class... Operand>
void vmap_launch(const Exec& exec, const std::string& label, const F& f, std::int64_t items, const Operand&... x) {
  using kernel = vmap_kernel<Exec, F, decltype(x.source())...>;
  static_assert(kernel::by_thread || kernel::by_team,
                "quern::vmap: f must be callable with an item of each output and input, or with a team before them");
  const kernel k{f, {{x.source()}...}};
  if (items == 0) return;
  if constexpr (!is_device<Exec> && takes_ranges<F, decltype(x.source())...>) {
    const std::int64_t threads = std::min<std::int64_t>(exec.concurrency(), items);
    Kokkos::parallel_for(kernel_label(label), index_range(exec, threads),
                         vmap_ranges<F, decltype(x.source())...>{f, {{x.source()}...}, items, threads});
  } else if constexpr (kernel::by_thread) {
    Kokkos::parallel_for(kernel_label(label), index_range(exec, items), k);
  } else {
    if (items > Kokkos::Experimental::finite_max_v<int>)
      throw Error(label, std::to_string(items) + " items, expected at most 2^31 - 1 for a team each");
    const int count = static_cast<int>(items);
    const int threads = vmap_team(exec, k, count, std::max({x.item_size()...}));
    Kokkos::parallel_for(kernel_label(label), typename kernel::policy(exec, count, threads), k);
  }
}

template <class Exec, class F, class... Out, class... In>
void vmap_call(const std::string& label, const Exec& exec, const std::tuple<Out...>& outs, const F& f,
               const In&... ins) {
  static_assert(!(is_unbatched<Out> || ...), "quern::vmap: items cannot share an output");
  constexpr bool known = ((vmap_rank<Out> >= 0) && ...) && ((vmap_rank<In> >= 0) && ...);
  static_assert(known, "quern::vmap: the ranks of Views must be known when compiling");
  if constexpr (known) {
    const call c(label, exec);
    const auto out =
        unpack([&](const auto&... o) { return std::tuple(vmap_checked<Exec, use::output>(label, o)...); }, outs);
    const auto in = std::tuple(vmap_checked<Exec, use::input>(label, ins)...);
    const auto check = [&](const auto& o, std::size_t number) {
      std::size_t before = 0, inputs = 0;
      unpack(
          [&](const auto&... p) {
            ((before++ < number ? vmap_check_pair(label, o, p, "out " + std::to_string(before), false) : void()), ...);
          },
          out);
      unpack([&](const auto&... p) { (vmap_check_pair(label, o, p, input_name(inputs++), true), ...); }, in);
    };
    std::size_t number = 0;
    unpack([&](const auto&... o) { (check(o, number++), ...); }, out);
    const auto& first = std::get<0>(out);
    unpack([&](const auto&... x) { vmap_launch(exec, label, f, first.array.extents.extent[first.axis], x...); },
           std::tuple_cat(out, in));
  }
}

}  // namespace impl

/// An argument of `vmap` whose items lie along another axis than the first: `batched(a, axis{1})`.
template <view_like V>
auto batched(const V& view, const axis& number) {
  return impl::items_of_view<V, true>{view, number.number[0]};
}
/// An argument of `vmap` that has no batch axis: every item gets all of it.
template <view_like V>
auto unbatched(const V& view) {
  return impl::items_of_view<V, false>{view};
}

/// Applies a functor that is written for one item to every item of a batch: `f(out(b), in(b)...)` for each b.
///
/// @param out a View, or several, `quern::outputs(q, r)`
/// @param f   a functor or lambda that takes a `batch_item` of each output and input: a View of one rank less, of
///            LayoutStride, or the whole View where it is unbatched. It runs on one thread for each item; if it takes a
///            team before them (`typename Kokkos::TeamPolicy<Exec>::member_type`), on a team for each, which divides
///            its work with TeamThreadRange or TeamVectorRange
/// @param in  Views, of any types
///
/// Items lie along axis 0; `batched(a, axis{1})` names another axis and `unbatched(a)` gives all of `a` to every item.
/// All batched arguments have as many items. Adjacent items run on adjacent threads of a device: without a
/// team, items along the axis of stride 1 are the fastest.
///
/// An input may be the same View as an output, batched in the same way: the functor then changes its items in place.
/// Views of any layout whose rank their types tell. Asynchronous on `exec`; uses no scratch memory, and may be captured
/// in a device graph. Teams have from 32 to 256 threads on devices, by the size of an item, and one on hosts.
/// @throws Error if the numbers of items differ, an axis is out of range, or outputs share memory otherwise
template <execution_space Exec, impl::vmap_output Out, class F, impl::vmap_argument... In>
void vmap(const Exec& exec, const Out& out, const F& f, const In&... in) {
  const impl::label_scope functor("quern::vmap", typeid(F));
  impl::vmap_call("quern::vmap", exec, impl::as_outputs(out), f, in...);
}
template <impl::vmap_output Out, class F, impl::vmap_argument... In>
void vmap(const Out& out, const F& f, const In&... in) {
  vmap(impl::space_of(impl::vmap_view(std::get<0>(impl::as_outputs(out)))), out, f, in...);
}
QUERN_TAKES_NAME_NOT(option_or_place, vmap)

}  // namespace quern

#endif
