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
/// weights and
/// converted to the type of `out`. Those of integers are exact where they fit 64 bits, and wrap around where they do
/// not; they are unsigned where values and weights are, and a value has 64 bits.
///
/// @throws Error if extents do not fit, a window is empty, `out` shares memory with `in`, or `edge` does not fit

#include <cmath>
#include <limits>
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

/// What sums of values T with weights W are formed in, where no sum is known to be small.
template <class T, class W>
struct weighted_sum_of {
  static constexpr bool is_unsigned = sizeof(T) == 8 && std::is_unsigned_v<T> && std::is_unsigned_v<W>;
  using integer = std::conditional_t<is_unsigned, std::uint64_t, std::int64_t>;
  using type = std::conditional_t<std::is_integral_v<T> && std::is_integral_v<W>, integer, decltype(T() * W())>;
};
template <class T, class W>
using weighted_sum_type = typename weighted_sum_of<T, W>::type;

/// Calls f(std::type_identity<S>()) with the type that sums are formed in, `total` the sum of the magnitudes of the
/// weights: int, which is faster, where values are so narrow that no sum overflows it.
template <class T, class W, class F>
void with_sum_type(double total, const F& f) {
  if constexpr (std::is_integral_v<T> && std::is_integral_v<W> && sizeof(T) < 4) {
    constexpr double largest = static_cast<double>(std::uint64_t{1} << (8 * sizeof(T)));
    if (largest * total <= static_cast<double>(std::numeric_limits<int>::max())) return f(std::type_identity<int>());
  }
  f(std::type_identity<weighted_sum_type<T, W>>());
}
template <class W>
double total_magnitude(const std::vector<W>& weights) {
  double total = 0;
  if constexpr (std::is_integral_v<W>)
    for (const W w : weights) total += std::fabs(static_cast<double>(w));
  return total;
}

/// Adds the product of a weight and a value.
template <class S, class W, class T>
KOKKOS_FUNCTION void add_weighted(S& s, const W& weight, const T& value) {
  if constexpr (std::is_integral_v<S> && sizeof(S) == 8)
    s = wrapping_add(s, wrapping_multiply(static_cast<S>(weight), static_cast<S>(value)));
  else s += static_cast<S>(weight) * static_cast<S>(value);
}
template <class S, class T>
KOKKOS_FUNCTION void add_plain(S& s, const T& value) {
  if constexpr (std::is_integral_v<S> && sizeof(S) == 8) s = wrapping_add(s, static_cast<S>(value));
  else s += static_cast<S>(value);
}

/// A sum of integers of 64 bits: 128 bits in two's complement.
struct wide_sum {
  std::uint64_t low = 0;
  std::int64_t high = 0;

  wide_sum() = default;
  template <class T>
    requires(std::is_integral_v<T>)
  KOKKOS_FUNCTION explicit wide_sum(T x) : low(static_cast<std::uint64_t>(x)), high(x < T(0) ? -1 : 0) {}
  KOKKOS_FUNCTION wide_sum& operator+=(const wide_sum& other) {
    low += other.low;
    high += other.high + (low < other.low ? 1 : 0);
    return *this;
  }
  /// Times a number of cells, below 2^32.
  KOKKOS_FUNCTION wide_sum operator*(const wide_sum& cells) const {
    const std::uint64_t first = (low & digit) * cells.low, second = (low >> 32) * cells.low + (first >> 32);
    wide_sum product;
    product.low = second << 32 | (first & digit);
    product.high = static_cast<std::int64_t>(static_cast<std::uint64_t>(high) * cells.low + (second >> 32));
    return product;
  }
  /// The mean of a number of cells below 2^32, rounded down: the last 64 bits of it, which has no more.
  KOKKOS_FUNCTION std::uint64_t floor_mean(std::uint64_t cells) const {
    const std::uint64_t flip = high < 0 ? ~std::uint64_t{0} : 0;  // floor(-x - 1) is -floor(x) - 1
    const std::uint64_t top = (static_cast<std::uint64_t>(high) ^ flip) % cells, bottom = low ^ flip;
    const std::uint64_t upper = top << 32 | bottom >> 32, lower = upper % cells << 32 | (bottom & digit);
    return (upper / cells << 32 | lower / cells) ^ flip;
  }
  KOKKOS_FUNCTION explicit operator double() const {
    return static_cast<double>(high) * 0x1p64 + static_cast<double>(low);
  }

 private:
  static constexpr std::uint64_t digit = 0xffffffff;
};

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

/// Weights on their way to memory, as part of a kernel: nothing on the host has to outlive the call.
template <class W>
struct store_weights {
  static constexpr int most = 128;
  W list[most];
  W* to;
  KOKKOS_FUNCTION void operator()(int k) const { to[k] = list[k]; }
};

/// `list` for the kernels of `exec`, in scratch memory of at least as many weights.
template <class Exec, class W>
weight_list<W> send_weights(const Exec& exec, const std::string& label, const std::vector<W>& list, W* memory) {
  weight_list<W> sent{};
  if (list.size() <= weight_list<W>::most) {
    std::copy(list.begin(), list.end(), sent.few);
    return sent;
  }
  for (std::size_t first = 0; first < list.size(); first += store_weights<W>::most) {
    const auto count = std::min<std::size_t>(store_weights<W>::most, list.size() - first);
    store_weights<W> some{{}, memory + first};
    std::copy_n(list.begin() + first, count, some.list);
    Kokkos::parallel_for(label + "/weights", Kokkos::RangePolicy<Exec>(exec, 0, count), some);
  }
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
      add_weighted(s, weights.template at<Many>(k), at(first[Rank - 1] + i));
  }
};

/// The cells of a window of 2 R + 1 along each axis.
template <int Rank, int R>
inline constexpr int box_cells = (2 * R + 1) * box_cells<Rank - 1, R>;
template <int R>
inline constexpr int box_cells<0, R> = 1;

/// The same of such a window, which kernels hold in registers.
template <class S, class W, int Rank, int R>
struct weighted_box {
  static constexpr int side = 2 * R + 1, cells = box_cells<Rank, R>;
  W weights[cells];

  template <class Window>
  KOKKOS_FUNCTION S operator()(const Window& at) const {
    S s = 0;
    for (int n = 0; n < cells; ++n) {
      const int i = n % side - R, j = n / side % side - R, k = n / side / side - R;
      if constexpr (Rank == 1) add_weighted(s, weights[n], at(i));
      else if constexpr (Rank == 2) add_weighted(s, weights[n], at(j, i));
      else add_weighted(s, weights[n], at(k, j, i));
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
    S s(0);
    for (int k = Rank == 3 ? -R : 0; k <= (Rank == 3 ? R : 0); ++k)
      for (int j = Rank > 1 ? -R : 0; j <= (Rank > 1 ? R : 0); ++j)
        for (int i = -R; i <= R; ++i) {
          if constexpr (Rank == 1) add_plain(s, at(i));
          else if constexpr (Rank == 2) add_plain(s, at(j, i));
          else add_plain(s, at(k, j, i));
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
    for (int i = 0; i < count; ++i) add_weighted(s, weights.template at<Many>(i), along<Rank, Axis>(at, first + i));
    return s;
  }
};
template <class S, int Rank, int Axis, class Finish>
struct plain_line {
  Finish finish;
  int first, count;
  template <class Window>
  KOKKOS_FUNCTION auto operator()(const Window& at) const {
    S s(0);
    for (int i = 0; i < count; ++i) add_plain(s, along<Rank, Axis>(at, first + i));
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
/// Means of values T.
template <class T>
using mean_of = std::conditional_t<sizeof(T) == 8 && std::is_unsigned_v<T>, std::uint64_t, std::int64_t>;
template <class T>
struct floor_mean {
  std::int64_t count;
  KOKKOS_FUNCTION int operator()(int s) const { return floor_divide(s, static_cast<int>(count)); }
  KOKKOS_FUNCTION std::int64_t operator()(std::int64_t s) const { return floor_divide(s, count); }
  KOKKOS_FUNCTION mean_of<T> operator()(const wide_sum& s) const {
    return static_cast<mean_of<T>>(s.floor_mean(count));
  }
};
/// The same by a number that the compiler knows.
template <class T, int Count>
struct floor_mean_of {
  KOKKOS_FUNCTION int operator()(int s) const { return math::floor_divide<Count>(s); }
  KOKKOS_FUNCTION std::int64_t operator()(std::int64_t s) const { return floor_divide<std::int64_t>(s, Count); }
  KOKKOS_FUNCTION mean_of<T> operator()(const wide_sum& s) const {
    return static_cast<mean_of<T>>(s.floor_mean(Count));
  }
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
    boxes_of<Rank, Reversed>(label, box_of(radius), in.extents, edges);
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
  constexpr int rank = known_rank<Out>();
  static_assert(rank >= 1 && rank <= 3, "quern: filters take Views of rank 1, 2 or 3, known when compiling");
  static_assert(known_rank<In>() == rank, "quern: in must have the rank of out");
  if constexpr (rank >= 1 && rank <= 3 && known_rank<In>() == rank) {  // else one message is enough
    const auto out = make_output<Exec>(out_view, label);
    const auto in = make_input<Exec>(in_view, label).array;
    check_stencil_input(label, std::tie(out), in);
    using T = std::remove_pointer_t<decltype(out.data)>;
    f(filter_call<rank, first_axis_fastest<Out>(), Exec, T, value_of<In>>{exec, label, edges, out, in},
      std::integral_constant<int, rank>());
  }
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
    each.emplace_back(scaled(s.low), scaled(s.high));  // along other axes it is not read, but has a type
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
  S factor{1};

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

/// A window of one weight for each cell, with sums of S.
template <class S, class Call, int Rank, class Weights, class W>
void weighted_filter(const Call& call, std::integral_constant<int, Rank>, const Weights& weights,
                     const std::vector<W>& list, bool turned) {
  std::array<int, Rank> size;
  for (int d = 0; d < Rank; ++d) size[d] = static_cast<int>(weights.extent(d));
  const auto radius = radii_of(call.label, size);
  call.check_edges(radius);
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
  weighted_window<S, W, Rank> f{send_weights(call.exec, call.label, list, memory), {}, {}};
  for (int d = 0; d < Rank; ++d) {
    f.first[d] = first_offset(size[d], turned);
    f.count[d] = size[d];
  }
  call.launch(Call::box_of(radius), f);
}

template <class Call, int Rank, class Weights>
void weighted_filter(const Call& call, std::integral_constant<int, Rank> rank, const Weights& weights, bool turned) {
  static_assert(Weights::rank() == Rank, "quern: weights must have the rank of in");
  using W = std::remove_cv_t<typename Weights::value_type>;
  const auto list = weight_values(weights, turned);
  with_sum_type<typename decltype(call.in)::value_type, W>(total_magnitude(list), [&]<class S>(std::type_identity<S>) {
    weighted_filter<S>(call, rank, weights, list, turned);
  });
}
/// Weights along each axis, on the host, with sums of S.
template <class S, class W, class Call, int Rank>
void separable_filter_in(const Call& call, const std::array<std::vector<W>, Rank>& weights, bool turned) {
  using exec_type = std::remove_cvref_t<decltype(call.exec)>;
  std::array<int, Rank> size;
  std::array<S, Rank> sums{};
  std::size_t most = 0;
  for (int d = 0; d < Rank; ++d) {
    size[d] = static_cast<int>(weights[d].size());
    for (const W& w : weights[d]) add_plain(sums[d], w);
    most += weights[d].size();
  }
  const auto radius = radii_of(call.label, size);
  lease<exec_type> held(call.exec), lists(call.exec);
  auto* memory = static_cast<W*>(lists.scratch().require(call.exec, most * sizeof(W)));
  weighted_lines<S, W, Rank> lines{{}, {}, size};
  for (int d = 0; d < Rank; ++d) {
    lines.weights[d] = send_weights(call.exec, call.label, weights[d], memory);
    lines.first[d] = first_offset(size[d], turned);
    memory += size[d];
  }
  run_passes<S>(call, held.scratch(), radius, sums, lines);
}
template <class W, class Call, int Rank>
void separable_filter(const Call& call, std::integral_constant<int, Rank>,
                      const each_axis<std::vector<W>, Rank>& weights, bool turned) {
  double total = 1;
  for (const auto& of_axis : weights) total *= std::max(1.0, total_magnitude(of_axis));
  with_sum_type<typename decltype(call.in)::value_type, W>(
      total, [&]<class S>(std::type_identity<S>) { separable_filter_in<S, W, Call, Rank>(call, weights, turned); });
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

/// Sums S of boxes of `size`; `finish` makes the results of them, and `Three` those of boxes of three cells each way.
template <class S, class Call, int Rank, class Three, class Finish>
void box_filter(const Call& call, const std::array<int, Rank>& size, const Three& three, const Finish& finish) {
  const auto radius = radii_of(call.label, size);
  call.check_edges(radius);
  if (std::all_of(size.begin(), size.end(), [](int n) { return n == 3; }))
    return call.launch(box<1>(), plain_box<S, Rank, 1, Three>{three});
  std::array<S, Rank> sums;
  for (int d = 0; d < Rank; ++d) sums[d] = static_cast<S>(size[d]);
  lease<std::remove_cvref_t<decltype(call.exec)>> held(call.exec);
  run_passes<S>(call, held.scratch(), radius, sums, plain_lines<S, Rank, Finish>{finish, size});
}

/// Sums of boxes; `Mean` divides them by the number of cells. Sums of integers of 64 bits that are divided are formed
/// in 128, so that the mean is exact.
template <bool Mean, class Exec, class Out, class In>
void box_call(const std::string& label, const Exec& exec, const Out& out, const per_axis<int>& sizes,
              const boundaries& edge, const In& in) {
  with_filter(label, exec, out, edge, in, [&]<int Rank>(const auto& call, std::integral_constant<int, Rank>) {
    using T = value_of<In>;
    using call_type = std::remove_cvref_t<decltype(call)>;
    constexpr bool integers = std::is_integral_v<T>;
    const auto size = sizes.template all<Rank>(label);
    std::int64_t count = 1;
    for (const int n : size) {
      count *= std::max(n, 1);
      if (count > std::numeric_limits<int>::max()) throw Error(label, "a window of more than 2^31 - 1 values");
    }
    const auto run = [&]<class S>(std::type_identity<S>) {
      using mean = std::conditional_t<integers, double, S>;
      const auto filter = [&](const auto& three, const auto& finish) {
        box_filter<S, call_type, Rank>(call, size, three, finish);
      };
      const auto with = [&](const auto& finish) { filter(finish, finish); };
      if constexpr (!Mean) with(keep_sum());
      else if constexpr (integers && std::is_integral_v<value_of<Out>>)
        filter(floor_mean_of<T, box_cells<Rank, 1>>(), floor_mean<T>{count});
      else with(scale_sum<mean>{static_cast<mean>(1 / static_cast<double>(count))});
    };
    if constexpr (Mean && integers && sizeof(T) == 8) run(std::type_identity<wide_sum>());
    else
      with_sum_type<T, std::conditional_t<!integers, T, std::conditional_t<std::is_unsigned_v<T>, unsigned, int>>>(
          static_cast<double>(count), run);
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
