// SPDX-FileCopyrightText: the Quern authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef QUERN_KEYED_GROUP_REDUCTIONS_HPP
#define QUERN_KEYED_GROUP_REDUCTIONS_HPP

/// @file
/// Reductions of the rows of each group. Their values may be lazy; `min`, `max`, `argmin` and `argmax` then compute
/// each once or twice.
///
/// With the option `mask{m}` (quern/core/call/mask.hpp), which broadcasts to the rows, those where m is zero take no
/// part: a result is that of the other rows of its group. Of a group of which none is selected, a sum and a count are
/// 0, a mean and a variance NaN, the smallest element the largest number of its type and the largest one the smallest,
/// both NaN in floating point, and the row of one -1. It takes 4 bytes of scratch memory for each row and 8 for each
/// group, and groups that were found by sorting compute the labels of their rows first (`Groups::labels`).

#include <quern/core/call/label.hpp>
#include <quern/core/call/mask.hpp>
#include <quern/core/launch/compiled.hpp>
#include <quern/core/memory/scratch_layout.hpp>
#include <quern/core/views/part_view.hpp>
#include <quern/keyed/group_by.hpp>
#include <quern/keyed/row_sample.hpp>
#include <quern/reduce/reduce.hpp>
#include <quern/reducers/reproducible.hpp>
#include <quern/scan/segmented_launch.hpp>

namespace quern {
namespace impl {

template <class Exec, class Out, class X>
void check_groups(const call<Exec>& c, const Out& out, const X& x, const Groups<Exec>& by) {
  check_extents(c.label, "out", view_extents(out), shape{by.size()}, ", one for each group");
  check_extents(c.label, "x", operand_extents(c.label, x), shape{by.rows()}, ", one for each row");
  check_overlap(c.label, c.output(out), c.elements(x), "x", false);
  by.record_use(c.exec);
}

/// The group of a row that a mask selects.
struct label_where {
  template <class M>
  KOKKOS_FUNCTION std::int32_t operator()(std::int32_t label, const M& m) const {
    return m != M(0) ? label : -1;
  }
};
/// `run(by, options...)` with the groups of a call; with a mask, of the rows that it selects, and without that option.
template <class Exec, class Out, class Run, class... Options>
void with_selected_rows(const call<Exec>& c, const Out& out, const Groups<Exec>& by, const Run& run,
                        const Options&... options) {
  static_assert(!repeated_option<Options...>::value);
  if constexpr (!with_mask<Options...>) {
    run(by, options...);
  } else if constexpr (check_mask_type<std::remove_cvref_t<decltype(mask_among(options...).where)>, 1>()) {
    const auto& m = mask_among(options...).where;
    check_mask(c.label, m, shape{by.rows()});
    const auto selected = lazy(label_where(), by.labels(c.exec), m);
    check_overlap(c.label, c.output(out), c.elements(selected), "the mask", false);
    std::int32_t* of_rows = nullptr;
    std::int64_t* of_groups = nullptr;
    const scratch_arrays<Exec> memory(c.exec, scratch_part{of_rows, by.rows()}, scratch_part{of_groups, by.size()});
    const scratch_view<Exec, std::int32_t*> labels(of_rows, by.rows());
    const scratch_view<Exec, std::int64_t*> counts(of_groups, by.size());
    map_checked(label_text(c.label, "/labels"), c.exec, labels, op::identity(), selected);
    with_bins(c.exec, label_text(c.label, "/counts"), counts, own_bin{by.size()}, labels);
    unpack([&](const auto&... others) { run(Groups<Exec>(labels, by.first(), counts), others...); },
           without_mask(options...));
  }
}

/// The offsets of groups whose rows follow each other.
struct add_counts_of_groups {
  const std::int64_t* counts;
  std::int64_t* offsets;
  KOKKOS_FUNCTION void operator()(std::int64_t g, std::int64_t& end, bool final) const {
    if (final && g == 0) offsets[0] = 0;
    end += counts[g];
    if (final) offsets[g + 1] = end;
  }
};
/// The element at the position that `position_of` makes of what it is called with.
template <class Source, class PositionOf = op::identity>
struct element_of {
  source_line<Source> x;
  PositionOf position_of;
  template <class Moved>
  KOKKOS_FUNCTION source_value_t<Source> operator()(const Moved& moved) const {
    return x[static_cast<std::int64_t>(position_of(moved))];
  }
};

/// Sums of the rows that follow each other in `order`, an input of a map from which `position_of` makes positions, as
/// segments that `offsets` bound.
template <class S, class Sum, class Exec, class Out, class X, class Order, class PositionOf>
void sum_in_order(const std::string& label, const Exec& exec, const Out& out, const X& x_view, std::int64_t size,
                  const std::int64_t* offsets, const Order& order, const PositionOf& position_of) {
  using T = value_of<X>;
  const sort_lines rows = sort_lines::flat(operand_extents(label, x_view));
  const scratch_array<Exec, T> values(exec, rows.n);
  with_sources(
      [&](const auto& x) {
        using source = std::remove_const_t<decltype(x.data)>;
        map_lines(label_text(label, "/rows"), exec, rows.contiguous(values.data()),
                  element_of<source, PositionOf>{source_line(x), position_of}, order);
      },
      call(label, exec).elements(x_view));
  lease<Exec> held(exec);
  segmented_launch<false>(exec, label, held.scratch(), sum_reducer<S, Sum>(), make_output<Exec>(out, label),
                          rows.contiguous<const T>(values.data()),
                          strided<const std::int64_t>{offsets, shape{size + 1}, {1}});
}

/// Sums that no order of additions changes, of rows with labels: the rows of each group are brought together first.
template <class S, class Index, class Exec, class Out, class X>
void sum_by_sorted_labels(const std::string& label, const Exec& exec, const Out& out, const X& x,
                          const Groups<Exec>& by) {
  const sort_lines lines = sort_lines::flat(shape{by.rows()});
  const scratch_array<Exec, std::int64_t> offsets(exec, by.size() + 1);
  Kokkos::parallel_scan(kernel_label(label, "/offsets"), index_range(exec, by.size()),
                        add_counts_of_groups{by.counts().data(), offsets.data()});
  // As unsigned numbers, so that rows of no group come last.
  const auto labels = lines.contiguous(reinterpret_cast<const std::uint32_t*>(by.labels(exec).data()));
  sort_pairs<Index>(label, exec, lines, labels, by_order<std::uint32_t>(), lines.positions(),
                    [&](const auto&, const auto& sorted, const auto& position_of) {
                      sum_in_order<S, reproducible_sum<S>>(label, exec, out, x, by.size(), offsets.data(),
                                                           line_input(sorted), position_of);
                    });
}

template <class S, class Exec, class Out, class X, class... Options>
void group_sum(const std::string& label, const Exec& exec, const Out& out, const X& x, const Groups<Exec>& by,
               const Options&...) {
  static_assert(!repeated_option<Options...>::value);
  using bin_type = std::conditional_t<std::is_integral_v<S>, own_bin, real_sums<own_bin>>;
  if (by.size() == 0) return;
  if (by.in_order()) {
    const array_input<std::uint32_t> rows{{by.order().data(), shape{by.rows()}, {1}}};
    sum_in_order<S, accumulator<S, Options...>>(label, exec, out, x, by.size(), by.offsets().data(), rows,
                                                op::identity());
  } else if constexpr (!reproducibly<Options...>) {
    with_bins(exec, label, out, bin_type{own_bin{by.size()}}, by.labels(exec), x);
  } else {
    with_index_type(by.rows(), [&]<class Index>(Index) { sum_by_sorted_labels<S, Index>(label, exec, out, x, by); });
  }
}

/// The same of Views, for the types of most data in the library.
template <class Exec, class T>
void group_sum_of_column(const std::string& label, const Exec& exec, const strided<sum_type<T>>& out,
                         const strided<const T>& x, const Groups<Exec>& by) {
  group_sum<sum_type<T>>(label, exec, as_part<Exec, 1>(out), as_part<Exec, 1>(x), by);
}
#define QUERN_GROUP_SUM(HOW, Exec, T)                                                                          \
  HOW template void group_sum_of_column<Exec, T>(const std::string&, const Exec&, const strided<sum_type<T>>&, \
                                                 const strided<const T>&, const Groups<Exec>&);
QUERN_COMPILED_ELSEWHERE(QUERN_GROUP_SUM)

template <class Exec, class Out, class X, class... Options>
void write_group_sum(const call<Exec>& c, const Out& out, const X& x, const Groups<Exec>& by,
                     const Options&... options) {
  using T = value_of<X>;
  using S = sum_type<T>;
  constexpr bool is_column = view_like<X> && !is_rows<X> && std::is_same_v<memory_type<Out>, S>;
  if constexpr (is_column && sizeof...(Options) == 0)
    group_sum_of_column(c.label, c.exec, c.output(out), strided<const T>(c.input(x)), by);
  else group_sum<S>(c.label, c.exec, out, x, by, options...);
}

struct mean_of_sum {
  KOKKOS_FUNCTION double operator()(double sum, std::int64_t count) const {
    return count > 0 ? sum / static_cast<double>(count) : Kokkos::Experimental::quiet_NaN_v<double>;
  }
};
/// The distance of a row from the mean of its group.
struct distance_in_group {
  const double* means;
  template <class T>
  KOKKOS_FUNCTION double operator()(const T& v, std::int32_t label) const {
    return label < 0 ? 0 : distance<double>(v, means[label]);
  }
};
/// The variance from squares and sum of the distances from a rounded mean.
struct var_of_sums {
  std::int64_t ddof;
  KOKKOS_FUNCTION double operator()(double sum_of_squares, double sum, std::int64_t count) const {
    if (count <= ddof) return Kokkos::Experimental::quiet_NaN_v<double>;
    return squares_about_mean(sum_of_squares, sum, static_cast<double>(count)) / static_cast<double>(count - ddof);
  }
};
/// The variances of groups.
template <class Exec, class Out, class X>
void group_variance(const std::string& label, const Exec& exec, const Out& out, const X& x, const Groups<Exec>& by,
                    std::int64_t ddof) {
  double *of_means = nullptr, *of_squares = nullptr, *of_rows = nullptr;
  const scratch_arrays<Exec> memory(exec, scratch_part{of_means, by.size()}, scratch_part{of_squares, by.size()},
                                    scratch_part{of_rows, by.rows()});
  // The means give way to the sums of distances from them.
  const scratch_view<Exec, double*> sums(of_means, by.size()), squares(of_squares, by.size()), rows(of_rows, by.rows());
  group_sum<double>(label_text(label, "/mean"), exec, sums, x, by);
  map_checked(label_text(label, "/mean"), exec, sums, mean_of_sum(), sums, by.counts());
  map_checked(label_text(label, "/distances"), exec, rows, distance_in_group{of_means}, x, by.labels(exec));
  group_sum<double>(label_text(label, "/distances"), exec, sums, rows, by);
  map_checked(label_text(label, "/squares"), exec, rows, absolute_square(), rows);
  group_sum<double>(label, exec, squares, rows, by);
  map_checked(label_text(label, "/divide"), exec, out, var_of_sums{ddof}, squares, sums, by.counts());
}
/// The first row with the best key; -1 where a group has no rows.
struct row_or_none {
  KOKKOS_FUNCTION std::int64_t operator()(std::int64_t row) const {
    return row == Kokkos::Experimental::finite_max_v<std::int64_t> ? -1 : row;
  }
};
/// The best key of each group, and then the first row that has it.
struct raise_best_tag {};
struct lower_position_tag {};
template <class Source>
struct group_extremum {
  using T = source_value_t<Source>;
  using key = typename by_order<T>::key;
  by_order<T> order;
  source_line<Source> x;
  const std::int32_t* labels;
  key* best;
  std::int64_t* position;
  KOKKOS_FUNCTION void operator()(raise_best_tag, std::int64_t i) const {
    if (labels[i] < 0) return;
    const key k = order.encode(x[i]);
    if (k > peek(best + labels[i])) Kokkos::atomic_max(best + labels[i], k);
  }
  KOKKOS_FUNCTION void operator()(lower_position_tag, std::int64_t i) const {
    if (labels[i] >= 0 && order.encode(x[i]) == best[labels[i]]) lower(position + labels[i], i);
  }
};

/// The largest elements of groups, or the smallest where the order is descending, or their first rows; NaN before all.
/// The key 0, which groups without rows keep, is that of the worst integer, and of a NaN in floating point.
template <bool Positions, class Exec, class Out, class X>
void write_extrema(const std::string& label, const Exec& exec, const Out& out, const X& x_view, const Groups<Exec>& by,
                   const by_order<value_of<X>>& order) {
  using key = typename by_order<value_of<X>>::key;
  const scratch_array<Exec, key> keys(exec, by.size());
  const scratch_view<Exec, key*> best(keys.data(), by.size());
  map_checked(label_text(label, "/best"), exec, best, op::identity(), key(0));
  const auto find = [&](const auto& x) {
    group_extremum<std::remove_const_t<decltype(x.data)>> kernel{order, source_line(x), by.labels(exec).data(),
                                                                 best.data(), nullptr};
    launch_sample<raise_best_tag>(exec, label, by.rows(), kernel);
    Kokkos::parallel_for(kernel_label(label), index_range<raise_best_tag>(exec, by.rows()), kernel);
    if constexpr (Positions) {
      const scratch_array<Exec, std::int64_t> rows(exec, by.size());
      const scratch_view<Exec, std::int64_t*> position(rows.data(), by.size());
      kernel.position = rows.data();
      map_checked(label_text(label, "/positions"), exec, position, op::identity(),
                  std::int64_t{Kokkos::Experimental::finite_max_v<std::int64_t>});
      launch_sample<lower_position_tag>(exec, label_text(label, "/positions"), by.rows(), kernel);
      Kokkos::parallel_for(kernel_label(label, "/positions"), index_range<lower_position_tag>(exec, by.rows()), kernel);
      map_checked(label_text(label, "/result"), exec, out, row_or_none(), position);
    } else {
      map_checked(label_text(label, "/values"), exec, out, value_of_key<by_order<value_of<X>>>{order}, best);
    }
  };
  with_sources(find, call(label, exec).elements(x_view));
}
template <bool Positions, class Exec, class Out, class X, class... Options>
void group_best(const operation_name& label, const Exec& exec, const Out& out, const X& x, const Groups<Exec>& by,
                bool smallest, const Options&... options) {
  using T = value_of<X>;
  if constexpr (Positions) check_positions<value_of<Out>>(label, "out", by.rows());
  static_assert(can_sort<T>, "quern: the smallest and largest of groups are of real numbers");
  if constexpr (can_sort<T>) {
    const call c(label, exec);
    check_groups(c, out, x, by);
    with_selected_rows(
        c, out, by,
        [&](const auto& rows) {
          write_extrema<Positions>(c.label, exec, out, x, rows, by_order<T>{smallest, !Positions});
        },
        options...);
  }
}

template <class T>
inline constexpr bool is_groups = false;
template <class Exec>
inline constexpr bool is_groups<Groups<Exec>> = true;
namespace rejected {
/// Those of calls with groups, beside reductions of the same names.
template <class... Args>
struct place_of_groups : std::false_type {};
template <class... Args>
  requires(is_groups<Args> || ...)
struct place_of_groups<Args...> : place<Args...> {};
}  // namespace rejected
}  // namespace impl

/// The form of `name(exec, out, x, by, options...)` on a default instance, and the overload that rejects operands that
/// are not in memory.
#define QUERN_OF_GROUPS(name, ...)                                                             \
  template <execution_space Exec, view_like Out, array_like X, option<__VA_ARGS__>... Options> \
  void name(const Out& out, const X& x, const Groups<Exec>& by, const Options&... options) {   \
    name(Exec(), out, x, by, options...);                                                      \
  }                                                                                            \
  QUERN_REJECTS(place_of_groups, name)

/// `out(g)` is the sum of group g's elements of x, as `bincount` forms it: in double (64-bit integers for integers), in
/// an order that may change from call to call. With `reproducible`, it has the bits of the reproducible `sum` of these
/// elements; that takes a sort of the rows, unless `group_by` has sorted them and there is no mask.
template <execution_space Exec, view_like Out, array_like X, option<reproducible_t, mask_t>... Options>
void sum(const Exec& exec, const Out& out, const X& x, const Groups<Exec>& by, const Options&... options) {
  const impl::call c("quern::sum", exec);
  impl::check_groups(c, out, x, by);
  const auto run = [&](const auto& rows, const auto&... others) { impl::write_group_sum(c, out, x, rows, others...); };
  impl::with_selected_rows(c, out, by, run, options...);
}
QUERN_OF_GROUPS(sum, reproducible_t, mask_t)

/// `out(g)` is the mean of group g, of sums in double. Option: `reproducible`, for the sum.
template <execution_space Exec, view_like Out, array_like X, option<reproducible_t, mask_t>... Options>
void mean(const Exec& exec, const Out& out, const X& x, const Groups<Exec>& by, const Options&... options) {
  static_assert(impl::can_sort<impl::value_of<X>>, "quern::mean, var: those of groups are of real numbers");
  const impl::call c("quern::mean", exec);
  impl::check_groups(c, out, x, by);
  const impl::scratch_array<Exec, double> memory(exec, by.size());
  const impl::scratch_view<Exec, double*> sums(memory.data(), by.size());
  const auto run = [&](const auto& rows, const auto&... others) {
    impl::group_sum<double>(c.label, exec, sums, x, rows, others...);
    impl::map_checked(impl::label_text(c.label, "/divide"), exec, out, impl::mean_of_sum(), sums, rows.counts());
  };
  impl::with_selected_rows(c, out, by, run, options...);
}
QUERN_OF_GROUPS(mean, reproducible_t, mask_t)

/// `out(g)` is the variance of group g: the mean of the squared distances from its mean, in double. The rounding of a
/// large mean costs no digits. Option: `ddof{1}` divides by one less; NaN where the group has no more rows than that.
/// Scratch memory: one double for each row and two for each group.
template <execution_space Exec, view_like Out, array_like X, option<ddof, mask_t>... Options>
void var(const Exec& exec, const Out& out, const X& x, const Groups<Exec>& by, const Options&... options) {
  static_assert(impl::can_sort<impl::value_of<X>>, "quern::mean, var: those of groups are of real numbers");
  const impl::call c("quern::var", exec);
  impl::check_groups(c, out, x, by);
  const auto run = [&](const auto& rows, const auto&... others) {
    impl::group_variance(c.label, exec, out, x, rows, impl::ddof_of(others...));
  };
  impl::with_selected_rows(c, out, by, run, options...);
}
QUERN_OF_GROUPS(var, ddof, mask_t)

/// `out(g)` is the smallest element of group g, NaN if one is NaN.
template <execution_space Exec, view_like Out, array_like X, option<mask_t>... Options>
void min(const Exec& exec, const Out& out, const X& x, const Groups<Exec>& by, const Options&... options) {
  impl::group_best<false>("quern::min", exec, out, x, by, true, options...);
}
QUERN_OF_GROUPS(min, mask_t)
/// `out(g)` is the largest element of group g, NaN if one is NaN.
template <execution_space Exec, view_like Out, array_like X, option<mask_t>... Options>
void max(const Exec& exec, const Out& out, const X& x, const Groups<Exec>& by, const Options&... options) {
  impl::group_best<false>("quern::max", exec, out, x, by, false, options...);
}
QUERN_OF_GROUPS(max, mask_t)
/// `out(g)` is the first row of group g with its smallest element, or with a NaN if there is one. Its type must hold
/// all rows.
template <execution_space Exec, view_like Out, array_like X, option<mask_t>... Options>
void argmin(const Exec& exec, const Out& out, const X& x, const Groups<Exec>& by, const Options&... options) {
  impl::group_best<true>("quern::argmin", exec, out, x, by, true, options...);
}
QUERN_OF_GROUPS(argmin, mask_t)
/// `out(g)` is the first row of group g with its largest element, or with a NaN if there is one. Its type must hold all
/// rows.
template <execution_space Exec, view_like Out, array_like X, option<mask_t>... Options>
void argmax(const Exec& exec, const Out& out, const X& x, const Groups<Exec>& by, const Options&... options) {
  impl::group_best<true>("quern::argmax", exec, out, x, by, false, options...);
}
QUERN_OF_GROUPS(argmax, mask_t)

/// `out(g)` is the element of x in the first row of group g: of a column of keys, the key of each group.
template <execution_space Exec, view_like Out, array_like X>
void group_first(const Exec& exec, const Out& out, const X& x_view, const Groups<Exec>& by) {
  const impl::call c("quern::group_first", exec);
  impl::check_groups(c, out, x_view, by);
  const auto gather = [&](const auto& x) {
    using source = std::remove_const_t<decltype(x.data)>;
    impl::map_checked(c.label, exec, out, impl::element_of<source>{impl::source_line(x), {}}, by.first());
  };
  impl::with_sources(gather, c.elements(x_view));
}
template <execution_space Exec, view_like Out, array_like X>
void group_first(const Out& out, const X& x, const Groups<Exec>& by) {
  group_first(Exec(), out, x, by);
}
QUERN_REJECTS(option_or_place, group_first)
QUERN_TAKES_NAME(group_first)

/// `out(g)` is the number of rows of group g.
template <execution_space Exec, view_like Out, option<mask_t>... Options>
void count(const Exec& exec, const Out& out, const Groups<Exec>& by, const Options&... options) {
  const impl::call c("quern::count", exec);
  impl::check_extents(c.label, "out", impl::view_extents(out), shape{by.size()}, ", one for each group");
  const auto run = [&](const auto& rows) {
    impl::map_checked(c.label, exec, out, impl::op::identity(), rows.counts());
  };
  impl::with_selected_rows(c, out, by, run, options...);
}
template <execution_space Exec, view_like Out, option<mask_t>... Options>
void count(const Out& out, const Groups<Exec>& by, const Options&... options) {
  count(Exec(), out, by, options...);
}
QUERN_REJECTS(place_of_groups, count)

}  // namespace quern

#endif
