// SPDX-FileCopyrightText: the Quern authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef QUERN_STENCIL_FILTERS_HPP
#define QUERN_STENCIL_FILTERS_HPP

/// @file
/// Filters whose sizes are known when the program runs, after `scipy.ndimage`. All are called as
///
/// | call | what it does |
/// | --- | --- |
/// | `gaussian_filter(exec, out, sigma, edge, in)` | asynchronous on `exec` |
/// | `gaussian_filter(out, sigma, edge, in)` | on a default instance of in's execution space |
///
/// with `edge` what stands beyond the array, as for `quern::stencil`; `out` and `in` have equal extents and rank 1
/// to 3. A window of n values reaches from -(n / 2) to (n - 1) / 2. Sums are formed in the common type of values and
/// weights, those of integers in int64 (in int where values have less than 32 bits and weights at most 32), and
/// converted to the type of `out`.
///
/// @throws Error if extents do not fit, a window is empty, `out` shares memory with `in`, or `edge` does not fit

#include <cmath>
#include <quern/core/mirror.hpp>
#include <quern/core/workspace.hpp>
#include <quern/map/math.hpp>
#include <quern/reduce/reducers.hpp>
#include <quern/stencil/stencil.hpp>
#include <vector>

namespace quern {

/// A parameter of each axis: one for all, `3`, or one for each, `{3, 5}`.
template <class T>
class per_axis {
 public:
  per_axis(T all) : values_{all} {}                           // NOLINT(google-explicit-constructor)
  per_axis(std::initializer_list<T> each) : values_(each) {}  // NOLINT(google-explicit-constructor)

  /// Those of all axes.
  /// @throws Error if there are neither one nor `Rank`
  template <int Rank>
  std::array<T, Rank> all(const std::string& operation) const {
    if (values_.size() != 1 && values_.size() != Rank)
      throw Error(operation, std::to_string(values_.size()) + " parameters for " + std::to_string(Rank) + " axes");
    std::array<T, Rank> each;
    for (int d = 0; d < Rank; ++d) each[d] = values_[values_.size() == 1 ? 0 : d];
    return each;
  }

 private:
  std::vector<T> values_;
};

/// The weights of a filter that is a product of one along each axis: `separable(w0, w1)`, Views of rank 1.
template <class... W>
  requires(Kokkos::is_view_v<W> && ...)
std::tuple<W...> separable(const W&... weights) {
  static_assert(((W::rank() == 1) && ...), "quern::separable: Views of rank 1, one for each axis");
  return {weights...};
}

namespace impl {

/// A value for each axis; its rank is deduced from other arguments.
template <class T, int Rank>
using each_axis = std::type_identity_t<std::array<T, Rank>>;

/// How far a window reaches along each axis, known when the program runs.
struct run_time_box {
  static constexpr bool arms_only = false, fixed = false;
  static constexpr int radii = 1;
  int r[3] = {};
  int radius(int d) const { return r[d]; }
};

/// What the sum of values T with weights W is formed in.
template <class T, class W>
struct weighted_sum_of {
  static constexpr bool narrow = std::is_integral_v<T> && sizeof(T) < 4 && sizeof(W) <= 4;
  using type = std::conditional_t<std::is_integral_v<T> && std::is_integral_v<W>,
                                  std::conditional_t<narrow, int, std::int64_t>, decltype(T() * W())>;
};
template <class T, class W>
using weighted_sum_type = typename weighted_sum_of<T, W>::type;

/// The greatest integer up to a / b, b > 0.
template <class T>
KOKKOS_FUNCTION T floor_divide(T a, T b) {
  return a / b - (a % b < 0);
}

/// Weights for kernels: few go along with the kernel, where all threads read one at once, and more are in memory.
template <class W>
struct weight_list {
  static constexpr int most = 64;
  W few[most];
  const W* many = nullptr;

  // No pointer to the few, for which devices would copy them to each thread.
  template <bool Many>
  KOKKOS_FUNCTION W at(int k) const {
    if constexpr (Many) return many[k];
    else return few[k];
  }
};

/// `list` for the kernels of `exec`, in scratch memory of at least as many weights.
template <class Exec, class W>
weight_list<W> send_weights(const Exec& exec, const std::vector<W>& list, W* memory) {
  weight_list<W> sent{};
  if (list.size() <= weight_list<W>::most) {
    std::copy(list.begin(), list.end(), sent.few);
    return sent;
  }
  using unmanaged = Kokkos::MemoryTraits<Kokkos::Unmanaged>;
  Kokkos::deep_copy(exec, Kokkos::View<W*, typename Exec::memory_space, unmanaged>(memory, list.size()),
                    Kokkos::View<const W*, Kokkos::HostSpace, unmanaged>(list.data(), list.size()));
  sent.many = memory;
  return sent;
}

/// A window of run-time extents with its weights in the order of the last axis fastest.
template <class S, class W, int Rank>
struct weighted_window {
  weight_list<W> weights;
  int first[Rank], count[Rank];

  template <class Window>
  KOKKOS_FUNCTION S operator()(const Window& at) const {
    return weights.many == nullptr ? sum<false>(at) : sum<true>(at);
  }

 private:
  template <bool Many, class Window>
  KOKKOS_FUNCTION S sum(const Window& at) const {
    S s = 0;
    int k = 0;
    if constexpr (Rank == 1) {
      row<Many>(s, k, [&](int i) { return at(i); });
    } else if constexpr (Rank == 2) {
      for (int j = 0; j < count[0]; ++j) row<Many>(s, k, [&](int i) { return at(first[0] + j, i); });
    } else {
      for (int l = 0; l < count[0]; ++l)
        for (int j = 0; j < count[1]; ++j) row<Many>(s, k, [&](int i) { return at(first[0] + l, first[1] + j, i); });
    }
    return s;
  }
  template <bool Many, class At>
  KOKKOS_FUNCTION void row(S& s, int& k, const At& at) const {
    for (int i = 0; i < count[Rank - 1]; ++i, ++k)
      s += static_cast<S>(weights.template at<Many>(k)) * static_cast<S>(at(first[Rank - 1] + i));
  }
};

/// The same of a window of 2 R + 1 along each axis, which kernels hold in registers.
template <class S, class W, int Rank, int R>
struct weighted_box {
  static constexpr int side = 2 * R + 1, cells = Rank == 1 ? side : Rank == 2 ? side * side : side * side * side;
  W weights[cells];

  template <class Window>
  KOKKOS_FUNCTION S operator()(const Window& at) const {
    S s = 0;
    for (int n = 0; n < cells; ++n) {
      const int i = n % side - R, j = n / side % side - R, k = n / side / side - R;
      if constexpr (Rank == 1) s += static_cast<S>(weights[n]) * static_cast<S>(at(i));
      else if constexpr (Rank == 2) s += static_cast<S>(weights[n]) * static_cast<S>(at(j, i));
      else s += static_cast<S>(weights[n]) * static_cast<S>(at(k, j, i));
    }
    return s;
  }
};

/// The sum of such a window of integers or floating-point numbers, and what is made of it.
template <class S, int Rank, int R, class Finish>
struct plain_box {
  Finish finish;
  template <class Window>
  KOKKOS_FUNCTION auto operator()(const Window& at) const {
    S s = 0;
    for (int k = Rank == 3 ? -R : 0; k <= (Rank == 3 ? R : 0); ++k)
      for (int j = Rank > 1 ? -R : 0; j <= (Rank > 1 ? R : 0); ++j)
        for (int i = -R; i <= R; ++i) {
          if constexpr (Rank == 1) s += static_cast<S>(at(i));
          else if constexpr (Rank == 2) s += static_cast<S>(at(j, i));
          else s += static_cast<S>(at(k, j, i));
        }
    return finish(s);
  }
};

/// The value i away along an axis.
template <int Rank, int Axis, class Window>
KOKKOS_FUNCTION auto along(const Window& at, int i) {
  if constexpr (Rank == 1) return at(i);
  else if constexpr (Rank == 2) return at(Axis == 0 ? i : 0, Axis == 1 ? i : 0);
  else return at(Axis == 0 ? i : 0, Axis == 1 ? i : 0, Axis == 2 ? i : 0);
}

/// A pass of a separable filter along one axis.
template <class S, class W, int Rank, int Axis>
struct weighted_line {
  weight_list<W> weights;
  int first, count;
  template <class Window>
  KOKKOS_FUNCTION S operator()(const Window& at) const {
    return weights.many == nullptr ? sum<false>(at) : sum<true>(at);
  }

 private:
  template <bool Many, class Window>
  KOKKOS_FUNCTION S sum(const Window& at) const {
    S s = 0;
    for (int i = 0; i < count; ++i)
      s += static_cast<S>(weights.template at<Many>(i)) * static_cast<S>(along<Rank, Axis>(at, first + i));
    return s;
  }
};
template <class S, int Rank, int Axis, class Finish>
struct plain_line {
  Finish finish;
  int first, count;
  template <class Window>
  KOKKOS_FUNCTION auto operator()(const Window& at) const {
    S s = 0;
    for (int i = 0; i < count; ++i) s += static_cast<S>(along<Rank, Axis>(at, first + i));
    return finish(s);
  }
};

/// What becomes of a sum: itself, its mean, or that rounded down.
struct keep_sum {
  template <class S>
  KOKKOS_FUNCTION S operator()(const S& s) const {
    return s;
  }
};
template <class S>
struct scale_sum {
  S factor;
  template <class T>
  KOKKOS_FUNCTION S operator()(const T& s) const {
    return static_cast<S>(s) * factor;
  }
};
template <class S>
struct floor_mean {
  S count;
  KOKKOS_FUNCTION S operator()(const S& s) const { return floor_divide(s, count); }
};
/// The same by a number that the compiler knows.
template <int Count>
struct floor_mean_of {
  KOKKOS_FUNCTION int operator()(int s) const { return math::floor_divide<Count>(s); }
  KOKKOS_FUNCTION std::int64_t operator()(std::int64_t s) const { return floor_divide<std::int64_t>(s, Count); }
};

/// The checked arrays of a filter.
template <int Rank, bool Reversed, class Exec, class Out, class In>
struct filter_call {
  const Exec& exec;
  std::string label;
  const boundaries& edges;
  strided<Out> out;
  strided<const In> in;

  template <class Shape, class F>
  void launch(const Shape& reach, const F& f) const {
    pass(reach, f, edges, out, in);
  }
  template <class Shape, class F, class To, class From>
  void pass(const Shape& reach, const F& f, const boundaries& e, const strided<To>& to,
            const strided<const From>& from) const {
    stencil_launch<Shape, Rank, Reversed>(exec, label, reach, f, e, std::tuple(to), std::index_sequence<0>(), from);
  }
  void check_edges(const std::array<int, Rank>& radius) const {
    struct {
      std::int64_t extent[3];
      boundary::mode mode[3][2];
      grid_box all, inner;
    } unused;
    set_boxes<decltype(unused), run_time_box, Rank, Reversed>(unused, label, box_of(radius), in.extents, edges);
  }
  static run_time_box box_of(const std::array<int, Rank>& radius) {
    run_time_box b;
    std::copy(radius.begin(), radius.end(), b.r);
    return b;
  }
};

/// Checks arrays and calls f with them as a filter_call.
template <class Exec, class Out, class In, class F>
void with_filter(const std::string& label, const Exec& exec, const Out& out_view, const boundaries& edges,
                 const In& in_view, const F& f) {
  constexpr int rank = static_cast<int>(typical<Out>::rank());
  static_assert(rank >= 1 && rank <= 3, "quern: filters take Views of rank 1, 2 or 3");
  static_assert(static_cast<int>(typical<In>::rank()) == rank, "quern: in must have the rank of out");
  const auto out = make_output<Exec>(out_view, label);
  const auto in = make_input<Exec>(in_view, label).array;
  check_stencil_input(label, std::tuple(out), in);
  using T = std::remove_pointer_t<decltype(out.data)>;
  f(filter_call<rank, first_axis_fastest<Out>(), Exec, T, value_of<In>>{exec, label, edges, out, in},
    std::integral_constant<int, rank>());
}

template <std::size_t Rank>
std::array<int, Rank> radii_of(const std::string& label, const std::array<int, Rank>& size) {
  std::array<int, Rank> radius;
  for (std::size_t d = 0; d < Rank; ++d) {
    if (size[d] < 1)
      throw Error(label, "a window of " + std::to_string(size[d]) + " along axis " + std::to_string(d) +
                             ", expected at least 1");
    radius[d] = size[d] / 2;
  }
  return radius;
}

/// The boundaries of the pass of a separable filter along axis d, and how far it reaches.
///
/// Values from beyond along d are those of the passes before, where a constant has become `factor` times as large.
/// Earlier axes that keep cells have none to give there; later ones will need what lies around a box.
template <class S, class T, int Rank>
boundaries edges_of_pass(const std::string& label, const boundaries& edges, int d, const each_axis<int, Rank>& radius,
                         S factor, run_time_box& reach) {
  reach.r[d] = radius[d];
  if (edges.is_box()) {
    std::vector<std::pair<std::int64_t, std::int64_t>> range;
    for (int e = 0; e < Rank; ++e) {
      const int more = e > d ? radius[e] : 0;
      range.emplace_back(edges.range(e).first - more, edges.range(e).second + more);
    }
    return interior_only(range);
  }
  const auto scaled = [&](const boundary& b) {
    if (b.kind() != boundary::mode::constant || d == 0) return b;
    return boundary::constant(static_cast<S>(static_cast<S>(b.value_for<T>(label)) * factor));
  };
  std::vector<sides> each;
  for (int e = 0; e < Rank; ++e) {
    const sides& s = edges.axis(e);
    const bool keeps = s.low.kind() == boundary::mode::keep || s.high.kind() == boundary::mode::keep;
    if (e < d && keeps) reach.r[e] = radius[e];
    if (e == d) each.emplace_back(scaled(s.low), scaled(s.high));
    else each.push_back(s);
  }
  return boundaries(each);
}

/// One pass along each axis, the sums S of all but the last in scratch memory. `lines.make<D, Last>()` gives the
/// functor of axis D, and `sums` are those of the weights along each.
template <class S, int Rank, bool Reversed, class Exec, class Out, class In, class Lines>
struct separable_passes {
  const filter_call<Rank, Reversed, Exec, Out, In>& call;
  std::array<int, Rank> radius;
  std::array<S, Rank> sums;
  const Lines& lines;
  strided<S> between[2];
  S factor = 1;

  void run(workspace<Exec>& scratch) {
    call.check_edges(radius);
    strided<S> array{nullptr, call.in.extents, {}};
    std::int64_t next = 1;
    for (int k = Rank - 1; k >= 0; --k) {
      const int d = Reversed ? Rank - 1 - k : k;
      array.stride[d] = next;
      next *= array.extents.extent[d];
    }
    if (next == 0) return;
    for (int part = 0; part < 2; ++part) {
      between[part] = array;
      if (part + 1 < Rank) between[part].data = static_cast<S*>(scratch.require(call.exec, next * sizeof(S), part));
    }
    passes<0>();
  }

 private:
  template <int D>
  void passes() {
    run_time_box reach;
    const boundaries e = edges_of_pass<S, In, Rank>(call.label, call.edges, D, radius, factor, reach);
    factor = static_cast<S>(factor * sums[D]);
    constexpr bool last = D + 1 == Rank;
    if constexpr (last) call.pass(reach, lines.template make<D, last>(), e, call.out, from<D>());
    else call.pass(reach, lines.template make<D, last>(), e, between[D % 2], from<D>());
    if constexpr (!last) passes<D + 1>();
  }
  template <int D>
  auto from() const {
    if constexpr (D == 0) return call.in;
    else return strided<const S>{between[(D - 1) % 2].data, call.in.extents, between[(D - 1) % 2].stride};
  }
};
template <class S, int Rank, bool Reversed, class Exec, class Out, class In, class Lines>
void run_passes(const filter_call<Rank, Reversed, Exec, Out, In>& call, workspace<Exec>& scratch,
                const each_axis<int, Rank>& radius, const each_axis<S, Rank>& sums, const Lines& lines) {
  separable_passes<S, Rank, Reversed, Exec, Out, In, Lines>{call, radius, sums, lines, {}}.run(scratch);
}

/// The functors of a separable filter with weights.
template <class S, class W, int Rank>
struct weighted_lines {
  std::array<weight_list<W>, Rank> weights;
  std::array<int, Rank> first, count;
  template <int D, bool>
  weighted_line<S, W, Rank, D> make() const {
    return {weights[D], first[D], count[D]};
  }
};
/// Those of one that sums boxes.
template <class S, int Rank, class Finish>
struct plain_lines {
  Finish finish;
  std::array<int, Rank> count;
  template <int D, bool Last>
  auto make() const {
    if constexpr (Last) return plain_line<S, Rank, D, Finish>{finish, -(count[D] / 2), count[D]};
    else return plain_line<S, Rank, D, keep_sum>{{}, -(count[D] / 2), count[D]};
  }
};

/// A View where the host can read it: itself if it is in host memory, else a copy, which waits.
template <class V>
auto readable(const V& view) {
  if constexpr (std::is_same_v<typename V::memory_space, Kokkos::HostSpace>) return view;
  else return to_host(view);
}

/// The values of weights, the last axis fastest; turned around for a convolution.
template <class V>
auto weight_values(const V& view, bool turned) {
  const auto host = readable(view);
  const auto s = describe(host.data(), host);
  std::vector<std::remove_cv_t<typename V::value_type>> values(s.extents.size());
  for (std::size_t n = 0; n < values.size(); ++n) {
    auto rest = static_cast<std::int64_t>(n);
    std::int64_t at = 0;
    for (int d = s.extents.rank - 1; d >= 0; --d) {
      at += rest % s.extents.extent[d] * s.stride[d];
      rest /= s.extents.extent[d];
    }
    values[turned ? values.size() - 1 - n : n] = s.data[at];
  }
  return values;
}

/// The first offset of a window of n, or of one turned around.
inline int first_offset(int n, bool turned) { return turned ? -((n - 1) / 2) : -(n / 2); }

/// A window of one weight for each cell.
template <class Call, int Rank, class Weights>
void weighted_filter(const Call& call, std::integral_constant<int, Rank>, const Weights& weights, bool turned) {
  static_assert(Weights::rank() == Rank, "quern: weights must have the rank of in");
  using W = std::remove_cv_t<typename Weights::value_type>;
  using S = weighted_sum_type<typename decltype(call.in)::value_type, W>;
  std::array<int, Rank> size;
  for (int d = 0; d < Rank; ++d) size[d] = static_cast<int>(weights.extent(d));
  const auto radius = radii_of(call.label, size);
  call.check_edges(radius);
  const auto list = weight_values(weights, turned);
  const auto all = [&](int n) { return std::all_of(size.begin(), size.end(), [&](int s) { return s == n; }); };
  const auto in_registers = [&]<int R>(std::integral_constant<int, R>) {
    weighted_box<S, W, Rank, R> f;
    std::copy(list.begin(), list.end(), f.weights);
    call.launch(box<R>(), f);
  };
  if (all(3)) return in_registers(std::integral_constant<int, 1>());
  if constexpr (Rank == 2) {
    if (all(5)) return in_registers(std::integral_constant<int, 2>());
  }
  using exec_type = std::remove_cvref_t<decltype(call.exec)>;
  lease<exec_type> held(call.exec);
  auto* memory = static_cast<W*>(held.scratch().require(call.exec, list.size() * sizeof(W)));
  weighted_window<S, W, Rank> f{send_weights(call.exec, list, memory), {}, {}};
  for (int d = 0; d < Rank; ++d) {
    f.first[d] = first_offset(size[d], turned);
    f.count[d] = size[d];
  }
  call.launch(Call::box_of(radius), f);
}

/// Weights along each axis, on the host.
template <class W, class Call, int Rank>
void separable_filter(const Call& call, std::integral_constant<int, Rank>,
                      const each_axis<std::vector<W>, Rank>& weights, bool turned) {
  using S = weighted_sum_type<typename decltype(call.in)::value_type, W>;
  using exec_type = std::remove_cvref_t<decltype(call.exec)>;
  std::array<int, Rank> size;
  std::array<S, Rank> sums{};
  std::size_t most = 0;
  for (int d = 0; d < Rank; ++d) {
    size[d] = static_cast<int>(weights[d].size());
    for (const W& w : weights[d]) sums[d] += static_cast<S>(w);
    most += weights[d].size();
  }
  const auto radius = radii_of(call.label, size);
  lease<exec_type> held(call.exec), lists(call.exec);
  auto* memory = static_cast<W*>(lists.scratch().require(call.exec, most * sizeof(W)));
  weighted_lines<S, W, Rank> lines{{}, {}, size};
  for (int d = 0; d < Rank; ++d) {
    lines.weights[d] = send_weights(call.exec, weights[d], memory);
    lines.first[d] = first_offset(size[d], turned);
    memory += size[d];
  }
  run_passes<S>(call, held.scratch(), radius, sums, lines);
}

template <class Exec, class Out, class Weights, class In>
void weights_call(const std::string& label, const Exec& exec, const Out& out, const Weights& weights,
                  const boundaries& edge, const In& in, bool turned) {
  with_filter(label, exec, out, edge, in, [&]<int Rank>(const auto& call, std::integral_constant<int, Rank> rank) {
    if constexpr (Kokkos::is_view_v<Weights>) {
      weighted_filter(call, rank, weights, turned);
    } else {
      static_assert(std::tuple_size_v<Weights> == Rank, "quern::separable: one View of weights for each axis");
      std::apply(
          [&](const auto&... w) {
            using W = std::common_type_t<std::remove_cv_t<typename std::remove_cvref_t<decltype(w)>::value_type>...>;
            const auto list = [&](const auto& v) {
              const auto values = weight_values(v, turned);
              return std::vector<W>(values.begin(), values.end());
            };
            separable_filter<W>(call, rank, std::array<std::vector<W>, Rank>{list(w)...}, turned);
          },
          weights);
    }
  });
}

/// Sums of boxes; `Mean` divides them by the number of cells.
template <bool Mean, class Exec, class Out, class In>
void box_call(const std::string& label, const Exec& exec, const Out& out, const per_axis<int>& sizes,
              const boundaries& edge, const In& in) {
  with_filter(label, exec, out, edge, in, [&]<int Rank>(const auto& call, std::integral_constant<int, Rank>) {
    using T = value_of<In>;
    constexpr bool integers = std::is_integral_v<T>, floors = Mean && integers && std::is_integral_v<value_of<Out>>;
    using S = weighted_sum_type<T, std::conditional_t<integers, int, T>>;
    using mean = std::conditional_t<integers, double, S>;
    const auto size = sizes.template all<Rank>(label);
    const auto radius = radii_of(label, size);
    call.check_edges(radius);
    double count = 1;
    std::array<S, Rank> sums{};
    for (int d = 0; d < Rank; ++d) {
      count *= size[d];
      sums[d] = static_cast<S>(size[d]);
    }
    const auto finish = [&] {
      if constexpr (!Mean) return keep_sum();
      else if constexpr (floors) return floor_mean<S>{static_cast<S>(count)};
      else return scale_sum<mean>{static_cast<mean>(1 / count)};
    }();
    if (std::all_of(size.begin(), size.end(), [](int s) { return s == 3; })) {
      constexpr int cells = weighted_box<S, S, Rank, 1>::cells;
      if constexpr (floors) call.launch(box<1>(), plain_box<S, Rank, 1, floor_mean_of<cells>>{});
      else call.launch(box<1>(), plain_box<S, Rank, 1, std::remove_const_t<decltype(finish)>>{finish});
      return;
    }
    using exec_type = std::remove_cvref_t<decltype(call.exec)>;
    lease<exec_type> held(call.exec);
    run_passes<S>(call, held.scratch(), radius, sums,
                  plain_lines<S, Rank, std::remove_const_t<decltype(finish)>>{finish, size});
  });
}

/// The weights of a Gaussian, normalized; they end `truncate` standard deviations from the middle.
inline std::vector<double> gaussian_weights(const std::string& label, double sigma, double truncate) {
  if (!(sigma >= 0 && std::isfinite(sigma)) || !(truncate >= 0 && std::isfinite(truncate)))
    throw Error(label, "sigma and truncate must be finite and not negative");
  const double reach = truncate * sigma + 0.5;
  if (reach > 1 << 24) throw Error(label, "a window of more than 2^25 values");
  const int radius = static_cast<int>(reach);
  std::vector<double> w(2 * radius + 1, 1.0);
  double sum = 0;
  for (int i = -radius; i <= radius && sigma > 0; ++i) w[i + radius] = std::exp(-0.5 * (i / sigma) * (i / sigma));
  for (const double v : w) sum += v;
  for (double& v : w) v /= sum;
  return w;
}

template <class W>
inline constexpr bool is_filter_weights = false;
template <class W>
  requires Kokkos::is_view_v<W>
inline constexpr bool is_filter_weights<W> = true;
template <class... W>
inline constexpr bool is_filter_weights<std::tuple<W...>> = true;

}  // namespace impl

/// Correlation: `out(j, i) = sum_kl weights(k, l) in(j + k - nk / 2, i + l - nl / 2)`, nk x nl the extents of weights.
///
/// @param weights a View of the rank of `in`, of any extents, or `quern::separable(w0, w1)`, a View of rank 1 for each
///                axis, whose product they are: one pass for each, with the sums in between in scratch memory. The host
///                reads them before the call returns: from host memory as they are, from other memory by a copy, which
///                waits for all kernels
///
/// 3 weights along every axis, and 5 x 5, are applied from registers. The weights of larger windows go with the kernel
/// up to 64, beyond by scratch memory; a device then reads each value from its first cache.
template <execution_space Exec, view_like Out, class Weights, view_like In>
  requires impl::is_filter_weights<Weights>
void correlate(const Exec& exec, const Out& out, const Weights& weights, const boundaries& edge, const In& in) {
  impl::weights_call("quern::correlate", exec, out, weights, edge, in, false);
}
/// The same on a default instance of in's execution space.
template <view_like Out, class Weights, view_like In>
  requires impl::is_filter_weights<Weights>
void correlate(const Out& out, const Weights& weights, const boundaries& edge, const In& in) {
  correlate(impl::default_execution_space<In>(), out, weights, edge, in);
}

/// Convolution: `out(j, i) = sum_kl weights(k, l) in(j - k + nk / 2, i - l + nl / 2)`; else as `correlate`.
template <execution_space Exec, view_like Out, class Weights, view_like In>
  requires impl::is_filter_weights<Weights>
void convolve(const Exec& exec, const Out& out, const Weights& weights, const boundaries& edge, const In& in) {
  impl::weights_call("quern::convolve", exec, out, weights, edge, in, true);
}
/// The same on a default instance of in's execution space.
template <view_like Out, class Weights, view_like In>
  requires impl::is_filter_weights<Weights>
void convolve(const Out& out, const Weights& weights, const boundaries& edge, const In& in) {
  convolve(impl::default_execution_space<In>(), out, weights, edge, in);
}

/// The sum of a box of `size` around each cell, one size or one for each axis: `box_sum(exec, out, {3, 5}, edge, in)`.
/// Windows of 3 along every axis take one pass, others one along each axis.
template <execution_space Exec, view_like Out, view_like In>
void box_sum(const Exec& exec, const Out& out, const per_axis<int>& size, const boundaries& edge, const In& in) {
  impl::box_call<false>("quern::box_sum", exec, out, size, edge, in);
}
/// The same on a default instance of in's execution space.
template <view_like Out, view_like In>
void box_sum(const Out& out, const per_axis<int>& size, const boundaries& edge, const In& in) {
  box_sum(impl::default_execution_space<In>(), out, size, edge, in);
}

/// The mean of that box. From integers to integers it is the exact mean rounded down, of negative values too (Python's
/// `//`; SciPy's filter rounds towards zero, after each axis).
template <execution_space Exec, view_like Out, view_like In>
void uniform_filter(const Exec& exec, const Out& out, const per_axis<int>& size, const boundaries& edge, const In& in) {
  impl::box_call<true>("quern::uniform_filter", exec, out, size, edge, in);
}
/// The same on a default instance of in's execution space.
template <view_like Out, view_like In>
void uniform_filter(const Out& out, const per_axis<int>& size, const boundaries& edge, const In& in) {
  uniform_filter(impl::default_execution_space<In>(), out, size, edge, in);
}

/// A Gaussian of standard deviation `sigma`, in cells, one or one for each axis: a separable filter with the weights
/// exp(-i^2 / (2 sigma^2)), normalized, up to `truncate` standard deviations. Weights are float for arrays of float,
/// else double.
template <execution_space Exec, view_like Out, view_like In>
void gaussian_filter(const Exec& exec, const Out& out, const per_axis<double>& sigma, const boundaries& edge,
                     const In& in, double truncate = 4) {
  const std::string label = "quern::gaussian_filter";
  using W = std::conditional_t<std::is_same_v<impl::real_type<impl::value_of<In>>, float>, float, double>;
  impl::with_filter(label, exec, out, edge, in,
                    [&]<int Rank>(const auto& call, std::integral_constant<int, Rank> rank) {
                      const auto sigmas = sigma.template all<Rank>(label);
                      std::array<std::vector<W>, Rank> weights;
                      for (int d = 0; d < Rank; ++d) {
                        const auto exact = impl::gaussian_weights(label, sigmas[d], truncate);
                        weights[d].assign(exact.begin(), exact.end());
                      }
                      impl::separable_filter<W>(call, rank, weights, false);
                    });
}
/// The same on a default instance of in's execution space.
template <view_like Out, view_like In>
void gaussian_filter(const Out& out, const per_axis<double>& sigma, const boundaries& edge, const In& in,
                     double truncate = 4) {
  gaussian_filter(impl::default_execution_space<In>(), out, sigma, edge, in, truncate);
}

}  // namespace quern

#endif
