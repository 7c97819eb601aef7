// SPDX-FileCopyrightText: the Quern authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef QUERN_KEYED_GROUP_BY_HPP
#define QUERN_KEYED_GROUP_BY_HPP

/// @file
/// Groups of rows with equal keys, and reductions of each group.
///
/// ```
/// const auto by = quern::group_by(exec, cell, species);  // one or several columns of keys
/// Kokkos::View<double*> mass("mass", by.size());
/// quern::sum(exec, mass, particle_mass, by);             // mass(g): the sum of group g
/// quern::first(exec, cell_of_group, cell, by);           // the keys themselves
/// ```
///
/// Groups are numbered in the order of their keys, the first column's first. The reductions of groups are the functions
/// that reduce arrays, with the groups as the last argument: `sum`, `mean`, `var`, `min`, `max`, `argmin`, `argmax`,
/// and `first` and `count`. They are called as `op([exec,] out, x, by [, options])` with `out` and x of rank 1, one
/// element for each group and for each row, and are asynchronous.

#include <quern/core/operations.hpp>
#include <quern/core/options.hpp>
#include <quern/keyed/hash_keys.hpp>
#include <quern/keyed/histogram.hpp>
#include <quern/reduce/reproducible.hpp>
#include <quern/scan/segmented.hpp>

namespace quern {

/// Whole numbers from `low` to before `high`, all that keys can be.
struct key_range {
  std::int64_t low = 0, high = 0;
};

/// Rows grouped by keys: see `group_by`. A handle, as a View is: copies share the memory.
template <execution_space Exec>
class groups {
 public:
  using memory_space = typename Exec::memory_space;
  template <class T>
  using column = Kokkos::View<const T*, memory_space>;

  groups(const column<std::int32_t>& labels, const column<std::int64_t>& first, const column<std::int64_t>& counts)
      : labels_(labels), first_(first), counts_(counts) {}

  /// How many groups there are.
  std::int64_t size() const { return static_cast<std::int64_t>(first_.extent(0)); }
  /// How many rows there are, in groups and outside.
  std::int64_t rows() const { return static_cast<std::int64_t>(labels_.extent(0)); }
  /// The group of each row; -1 where its key is outside of the `key_range`.
  const column<std::int32_t>& labels() const { return labels_; }
  /// The first row of each group.
  const column<std::int64_t>& first() const { return first_; }
  /// The number of rows of each group.
  const column<std::int64_t>& counts() const { return counts_; }

 private:
  column<std::int32_t> labels_;
  column<std::int64_t> first_, counts_;
};

namespace impl {

template <class Exec, class T>
Kokkos::View<T*, typename Exec::memory_space> new_column(const Exec& exec, const std::string& name, std::int64_t n) {
  return Kokkos::View<T*, typename Exec::memory_space>(Kokkos::view_alloc(exec, Kokkos::WithoutInitializing, name), n);
}

/// Lowers `place` to `value`, with few atomic operations where most values are no improvement.
template <class T>
KOKKOS_FUNCTION void lower(T* place, const T& value) {
  if (value < peek(place)) Kokkos::atomic_min(place, value);
}

struct lower_first {
  const std::int32_t* labels;
  std::int64_t* first;
  KOKKOS_FUNCTION void operator()(std::int64_t i) const {
    if (labels[i] >= 0) lower(first + labels[i], i);
  }
};

/// The first rows of the groups that labels number.
template <class Exec, class Labels>
auto first_rows(const std::string& label, const Exec& exec, const Labels& labels, std::int64_t size) {
  const auto first = new_column<Exec, std::int64_t>(exec, label + "/first", size);
  map_checked(label + "/first", exec, first, op::identity(),
              std::int64_t{Kokkos::Experimental::finite_max_v<std::int64_t>});
  Kokkos::parallel_for(label + "/first",
                       Kokkos::RangePolicy<Exec, Kokkos::IndexType<std::int64_t>>(exec, 0, labels.extent(0)),
                       lower_first{labels.data(), first.data()});
  return first;
}

/// Two columns of labels as one of keys.
struct combined_labels {
  std::int64_t second_size;
  KOKKOS_FUNCTION std::int64_t operator()(std::int32_t a, std::int32_t b) const { return a * second_size + b; }
};

/// Labels of rows with several columns of keys, and how many groups there are.
template <class Exec, class Keys, class... More>
auto label_columns(const std::string& label, const Exec& exec, const Keys& keys, const More&... more) {
  const std::int64_t rows = extents_of(keys).extent[0];
  auto labels = new_column<Exec, std::int32_t>(exec, label + "/labels", rows);
  std::int64_t size = label_keys(label, exec, labels, keys);
  [[maybe_unused]] const auto refine = [&](const auto& column) {
    const scratch_array<Exec, std::int32_t> own(exec, rows);
    const scratch_array<Exec, std::int64_t> both(exec, rows);
    const scratch_view<Exec, std::int32_t*> its(own.data(), rows);
    const scratch_view<Exec, std::int64_t*> combined(both.data(), rows);
    const std::int64_t its_size = label_keys(label, exec, its, column);
    map_checked(label + "/combine", exec, combined, combined_labels{its_size}, labels, its);
    size = label_keys(label, exec, labels, combined);
  };
  (refine(more), ...);
  return std::pair(labels, size);
}

/// Numbers of bins of a range that some key is in.
struct bin_has_keys {
  const std::int64_t* counts;
  KOKKOS_FUNCTION bool operator()(std::int64_t bin) const { return counts[bin] > 0; }
};
struct put_bin_rank {
  std::int64_t* counts;
  std::int32_t* rank_of;
  std::int64_t* counts_of_groups;
  KOKKOS_FUNCTION void operator()(std::int64_t bin, std::int64_t k) const {
    rank_of[bin] = static_cast<std::int32_t>(k);
    counts_of_groups[k] = counts[bin];
  }
};
struct rank_of_bin {
  range_bin bin;
  const std::int32_t* rank_of;
  template <class T>
  KOKKOS_FUNCTION std::int32_t operator()(const T& key) const {
    const std::int64_t b = bin.of_key(key);
    return b < 0 ? -1 : rank_of[b];
  }
};

/// Groups of keys in a range, by a table of it.
template <class Exec, class Keys>
groups<Exec> group_range(const std::string& label, const Exec& exec, const range_bin& bin, const Keys& keys) {
  const scratch_array<Exec, std::int64_t> memory(exec, 2 * bin.bins);
  const scratch_array<Exec, std::int32_t> rank_of(exec, bin.bins);
  const scratch_view<Exec, std::int64_t*> in_range(memory.data(), bin.bins);
  with_bins(exec, label + "/count", in_range, keys, bin);
  lease<Exec> held(exec);
  auto* found = held.template result<std::int64_t>();
  std::int64_t* of_groups = memory.data() + bin.bins;
  for_kept(label + "/ranks", exec, bin.bins, bin_has_keys{in_range.data()},
           put_bin_rank{in_range.data(), rank_of.data(), of_groups}, found);
  const auto labels = new_column<Exec, std::int32_t>(exec, label + "/labels", extents_of(keys).extent[0]);
  map_checked(label + "/labels", exec, labels, rank_of_bin{bin, rank_of.data()}, keys);
  exec.fence(label + ": wait for the number of groups");
  const auto counts = new_column<Exec, std::int64_t>(exec, label + "/counts", *found);
  map_checked(label + "/counts", exec, counts, op::identity(), scratch_view<Exec, std::int64_t*>(of_groups, *found));
  return {labels, first_rows(label, exec, labels, *found), counts};
}

/// The bins of a range of keys.
template <class Keys>
range_bin check_key_range(const std::string& label, const key_range& range, const Keys& keys) {
  static_assert(std::is_integral_v<value_of<Keys>>, "quern::group_by: keys of a range must be integers");
  const shape rows = extents_of(keys);
  if (rows.rank != 1) throw Error(label, "keys have extents " + rows.str() + ", expected rank 1");
  const std::uint64_t numbers = static_cast<std::uint64_t>(range.high) - static_cast<std::uint64_t>(range.low);
  if (range.low >= range.high || numbers > std::numeric_limits<std::int32_t>::max())
    throw Error(label, "the range is from " + std::to_string(range.low) + " to " + std::to_string(range.high) +
                           ", expected 1 to 2147483647 numbers");
  return {{static_cast<std::int64_t>(numbers), range.low}};
}

template <class T>
inline constexpr bool is_groups = false;
template <class Exec>
inline constexpr bool is_groups<groups<Exec>> = true;

/// Arguments of a reduction of groups: [exec,] so many Views, the groups [, options].
template <int Views, class... Args>
constexpr bool are_group_arguments(int most_ddof, int most_reproducible) {
  constexpr int execs = (0 + ... + (execution_space<Args> ? 1 : 0));
  constexpr int views = (0 + ... + (view_like<Args> ? 1 : 0));
  constexpr int by = (0 + ... + (is_groups<std::remove_cvref_t<Args>> ? 1 : 0));
  constexpr int ddofs = (0 + ... + (is_ddof<Args> ? 1 : 0));
  constexpr int reproducibles = (0 + ... + (is_reproducible<Args> ? 1 : 0));
  return execs <= 1 && views == Views && by == 1 && ddofs <= most_ddof && reproducibles <= most_reproducible &&
         execs + views + by + ddofs + reproducibles == sizeof...(Args);
}
template <int Views, class... Args>
concept group_arguments = are_group_arguments<Views, Args...>(0, 0);
template <class... Args>
concept group_sum_arguments = are_group_arguments<2, Args...>(0, 1);
template <class... Args>
concept group_variance_arguments = are_group_arguments<2, Args...>(1, 0);

template <class Exec>
Exec execution_space_of(const groups<Exec>&) {
  return Exec();
}
/// Calls `run(exec, arguments...)` with a default instance where none is given.
template <class Run, class First, class... Rest>
void group_call(const Run& run, const First& first, const Rest&... rest) {
  if constexpr (execution_space<First>) {
    const deferred_marks marks;
    run(first, rest...);
  } else {
    const auto exec_of = []<class T>(const T& argument) {
      if constexpr (is_groups<T>) return std::tuple(execution_space_of(argument));
      else return std::tuple<>();
    };
    const deferred_marks marks;
    run(std::get<0>(std::tuple_cat(exec_of(rest)...)), first, rest...);
  }
}

template <class Exec, class Out>
void check_group_output(const std::string& label, const Out& out, const groups<Exec>& by) {
  const shape found = extents_of(out);
  if (found != shape{by.size()})
    throw Error(label,
                "out has extents " + found.str() + ", expected " + shape{by.size()}.str() + ", one for each group");
}
template <class Exec, class Out, class X>
void check_groups(const std::string& label, const Out& out, const X& x, const groups<Exec>& by) {
  check_group_output(label, out, by);
  const shape found = extents_of(x);
  if (found != shape{by.rows()})
    throw Error(label, "x has extents " + found.str() + ", expected " + shape{by.rows()}.str() + ", one for each row");
  check_overlap(label, make_output<Exec>(out, label), make_input<Exec>(x, label).array, "x", false);
}

/// The offsets of groups whose rows follow each other.
struct offsets_of_counts {
  const std::int64_t* counts;
  std::int64_t* offsets;
  KOKKOS_FUNCTION void operator()(std::int64_t g, std::int64_t& end, bool final) const {
    if (final && g == 0) offsets[0] = 0;
    end += counts[g];
    if (final) offsets[g + 1] = end;
  }
};
template <class T>
struct element_at {
  const T* x;
  std::int64_t stride;
  KOKKOS_FUNCTION T operator()(std::int64_t i) const { return x[i * stride]; }
};
template <class T, class PositionOf>
struct element_of {
  element_at<T> element;
  PositionOf position_of;
  template <class Moved>
  KOKKOS_FUNCTION T operator()(const Moved& moved) const {
    return element(static_cast<std::int64_t>(position_of(moved)));
  }
};

/// Sums that no order of additions changes: the rows of each group are brought together first.
template <class S, class Index, class Exec, class Out, class X>
void reproducible_group_sum(const std::string& label, const Exec& exec, const Out& out, const X& x_view,
                            const groups<Exec>& by) {
  using T = value_of<X>;
  const auto x = make_input<Exec>(x_view, label).array;
  const sort_lines lines = sort_lines::flat(shape{by.rows()});
  const scratch_array<Exec, T> values(exec, by.rows());
  const scratch_array<Exec, std::int64_t> offsets(exec, by.size() + 1);
  // As unsigned numbers, so that rows of no group come last.
  const auto labels = lines.contiguous(reinterpret_cast<const std::uint32_t*>(by.labels().data()));
  sort_pairs<Index>(label, exec, lines, labels, by_order<std::uint32_t>(), lines.positions(),
                    [&](const auto&, const auto& sorted, const auto& position_of) {
                      using position_type = std::remove_cvref_t<decltype(position_of)>;
                      map_lines(label + "/rows", exec, lines.contiguous(values.data()),
                                element_of<T, position_type>{{x.data, x.stride[0]}, position_of}, line_input(sorted));
                    });
  Kokkos::parallel_scan(label + "/offsets",
                        Kokkos::RangePolicy<Exec, Kokkos::IndexType<std::int64_t>>(exec, 0, by.size()),
                        offsets_of_counts{by.counts().data(), offsets.data()});
  lease<Exec> held(exec);
  segmented_launch<false>(
      exec, label, held.scratch(), sum_reducer<S, accumulator<S, reproducible_t>>(), make_output<Exec>(out, label),
      lines.contiguous<const T>(values.data()),
      sort_lines::flat(shape{by.size() + 1}).template contiguous<const std::int64_t>(offsets.data()));
}

template <class S, class Exec, class Out, class X, class... Options>
void group_sum(const std::string& label, const Exec& exec, const Out& out, const X& x, const groups<Exec>& by,
               const Options&...) {
  using bin_type = std::conditional_t<std::is_integral_v<S>, own_bin, real_sums<own_bin>>;
  if (by.size() == 0) return;
  if constexpr (!reproducibly<Options...>) with_bins(exec, label, out, by.labels(), bin_type{own_bin{by.size()}}, x);
  else if (std::in_range<std::uint32_t>(by.rows())) reproducible_group_sum<S, std::uint32_t>(label, exec, out, x, by);
  else reproducible_group_sum<S, std::uint64_t>(label, exec, out, x, by);
}

struct mean_of_sum {
  std::int64_t ddof = 0;
  KOKKOS_FUNCTION double operator()(double sum, std::int64_t count) const {
    return count > ddof ? sum / static_cast<double>(count - ddof) : Kokkos::Experimental::quiet_NaN_v<double>;
  }
};
struct squared_distance {
  const double* means;
  template <class T>
  KOKKOS_FUNCTION double operator()(const T& x, std::int32_t label) const {
    const double d = label < 0 ? 0 : convert<double>(x) - means[label];
    return d * d;
  }
};

/// The best key of each group so far.
template <class T>
struct raise_best {
  using key = typename by_order<T>::key;
  by_order<T> order;
  const T* x;
  std::int64_t stride;
  const std::int32_t* labels;
  key* best;
  KOKKOS_FUNCTION void operator()(std::int64_t i) const {
    if (labels[i] < 0) return;
    const key k = order.encode(x[i * stride]);
    if (k > peek(best + labels[i])) Kokkos::atomic_max(best + labels[i], k);
  }
};
template <class T>
struct lower_position {
  using key = typename by_order<T>::key;
  by_order<T> order;
  const T* x;
  std::int64_t stride;
  const std::int32_t* labels;
  const key* best;
  std::int64_t* position;
  KOKKOS_FUNCTION void operator()(std::int64_t i) const {
    if (labels[i] >= 0 && order.encode(x[i * stride]) == best[labels[i]]) lower(position + labels[i], i);
  }
};

/// The largest elements of groups, or the smallest where the order is descending; NaN before all. `finish(best, each)`
/// gets their keys and a function that launches kernels over all rows.
template <class Exec, class X, class Finish>
void group_extremum(const std::string& label, const Exec& exec, const X& x_view, const groups<Exec>& by,
                    const by_order<value_of<X>>& order, const Finish& finish) {
  using T = value_of<X>;
  using key = typename by_order<T>::key;
  static_assert(can_sort<T>, "quern: the smallest and largest of groups are of real numbers");
  const auto x = make_input<Exec>(x_view, label).array;
  const scratch_array<Exec, key> memory(exec, by.size());
  const scratch_view<Exec, key*> best(memory.data(), by.size());
  map_checked(label + "/best", exec, best, op::identity(), key(0));
  const auto each = [&](const std::string& name, const auto& kernel) {
    Kokkos::parallel_for(name, Kokkos::RangePolicy<Exec, Kokkos::IndexType<std::int64_t>>(exec, 0, by.rows()), kernel);
  };
  each(label, raise_best<T>{order, x.data, x.stride[0], by.labels().data(), best.data()});
  finish(x, best, each);
}
template <class Exec, class Out, class X>
void group_best(const std::string& label, const Exec& exec, const Out& out, const X& x, const groups<Exec>& by,
                bool smallest) {
  using T = value_of<X>;
  check_groups(label, out, x, by);
  const by_order<T> order{smallest, true};
  group_extremum(label, exec, x, by, order, [&](const auto&, const auto& best, const auto&) {
    map_checked(label + "/values", exec, out, value_of_key<by_order<T>>{order}, best);
  });
}
template <class Exec, class Out, class X>
void group_best_position(const std::string& label, const Exec& exec, const Out& out, const X& x_view,
                         const groups<Exec>& by, bool smallest) {
  using T = value_of<X>;
  static_assert(std::is_integral_v<value_of<Out>>, "quern::argmin, argmax: out must be of an integer type");
  check_groups(label, out, x_view, by);
  const by_order<T> order{smallest};
  group_extremum(label, exec, x_view, by, order, [&](const auto& x, const auto& best, const auto& each) {
    const scratch_array<Exec, std::int64_t> memory(exec, by.size());
    const scratch_view<Exec, std::int64_t*> position(memory.data(), by.size());
    map_checked(label + "/positions", exec, position, op::identity(),
                std::int64_t{Kokkos::Experimental::finite_max_v<std::int64_t>});
    each(label + "/positions",
         lower_position<T>{order, x.data, x.stride[0], by.labels().data(), best.data(), position.data()});
    map_checked(label + "/result", exec, out, op::identity(), position);
  });
}

}  // namespace impl

/// Groups rows by the values of one or several columns of keys.
///
/// Waits for `exec`, and allocates what the groups keep: 4 bytes a row and 16 a group. Scratch memory is a hash table
/// of the keys (12 bytes for each of two to thirty times as many places as there are different keys), which need not be
/// known or small; only the different ones are sorted.
///
/// @param keys Views of rank 1 and equal extents, of any real number type; NaN are one key, the last, and zeros of
///             either sign are equal
/// @throws Error if extents do not fit; DataError if there are more than about 1.5e9 different keys
template <execution_space Exec, view_like Keys, view_like... More>
groups<Exec> group_by(const Exec& exec, const Keys& keys, const More&... more) {
  const std::string label = "quern::group_by";
  const shape rows = impl::extents_of(keys);
  const auto check = [&](const auto& column) {
    static_assert(impl::can_sort<impl::value_of<decltype(column)>>, "quern::group_by: keys must be real numbers");
    const shape found = impl::extents_of(column);
    if (found.rank != 1 || found != rows)
      throw Error(label, "keys have extents " + found.str() + ", expected rank 1" +
                             (rows.rank == 1 ? " and extents " + rows.str() : ""));
  };
  check(keys);
  (check(more), ...);
  const auto [labels, size] = impl::label_columns(label, exec, keys, more...);
  const auto counts = impl::new_column<Exec, std::int64_t>(exec, label + "/counts", size);
  if (size > 0) impl::with_bins(exec, label + "/counts", counts, labels, impl::own_bin{size});
  return {labels, impl::first_rows(label, exec, labels, size), counts};
}
/// The same on a default instance of the keys' execution space.
template <view_like Keys, view_like... More>
auto group_by(const Keys& keys, const More&... more) {
  return group_by(impl::default_execution_space<Keys>(), keys, more...);
}

/// Groups whole numbers in a range that is known and small: faster, by a table of 20 bytes for each number. Rows
/// whose key is outside are in no group; with `checked` they are an error.
///
/// @throws DataError with `checked`, whose `item()` is the first row with a key outside
template <execution_space Exec, view_like Keys>
groups<Exec> group_by(const Exec& exec, const key_range& range, const Keys& keys) {
  const std::string label = "quern::group_by";
  return impl::group_range(label, exec, impl::check_key_range(label, range, keys), keys);
}
template <execution_space Exec, view_like Keys>
groups<Exec> group_by(const Exec& exec, const key_range& range, const Keys& keys, checked_t) {
  const std::string label = "quern::group_by";
  impl::check_keys(exec, label, keys, impl::check_key_range(label, range, keys));
  return group_by(exec, range, keys);
}
/// The same on a default instance of the keys' execution space.
template <view_like Keys, class... Checked>
auto group_by(const key_range& range, const Keys& keys, const Checked&... check) {
  return group_by(impl::default_execution_space<Keys>(), range, keys, check...);
}

/// `out(g)` is the sum of group g's elements of x, as `bincount` forms it: in double (64-bit integers for integers), in
/// an order that changes from call to call. With `reproducible`, it has the bits of the reproducible `sum` of these
/// elements; that takes a sort of the rows.
template <class... Args>
  requires impl::group_sum_arguments<Args...>
void sum(const Args&... args) {
  impl::group_call(
      []<class Exec>(const Exec& exec, const auto& out, const auto& x, const groups<Exec>& by, const auto&... options) {
        const std::string label = "quern::sum";
        impl::check_groups(label, out, x, by);
        impl::group_sum<impl::sum_type<impl::value_of<decltype(x)>>>(label, exec, out, x, by, options...);
      },
      args...);
}

/// `out(g)` is the mean of group g, of sums in double. Option: `reproducible`, for the sum.
template <class... Args>
  requires impl::group_sum_arguments<Args...>
void mean(const Args&... args) {
  impl::group_call(
      []<class Exec>(const Exec& exec, const auto& out, const auto& x, const groups<Exec>& by, const auto&... options) {
        const std::string label = "quern::mean";
        impl::check_groups(label, out, x, by);
        const impl::scratch_array<Exec, double> memory(exec, by.size());
        const impl::scratch_view<Exec, double*> sums(memory.data(), by.size());
        impl::group_sum<double>(label, exec, sums, x, by, options...);
        impl::map_checked(label + "/divide", exec, out, impl::mean_of_sum(), sums, by.counts());
      },
      args...);
}

/// `out(g)` is the variance of group g: the mean of the squared distances from its mean, in double. Option: `ddof{1}`
/// divides by one less; NaN where the group has no more rows than that. Scratch memory: one double for each row and for
/// each group.
template <class... Args>
  requires impl::group_variance_arguments<Args...>
void var(const Args&... args) {
  impl::group_call(
      []<class Exec>(const Exec& exec, const auto& out, const auto& x, const groups<Exec>& by, const auto&... options) {
        const std::string label = "quern::var";
        impl::check_groups(label, out, x, by);
        const impl::scratch_array<Exec, double> of_groups(exec, by.size()), of_rows(exec, by.rows());
        const impl::scratch_view<Exec, double*> means(of_groups.data(), by.size()), squares(of_rows.data(), by.rows());
        impl::group_sum<double>(label + "/mean", exec, means, x, by);
        impl::map_checked(label + "/mean", exec, means, impl::mean_of_sum(), means, by.counts());
        impl::map_checked(label + "/squares", exec, squares, impl::squared_distance{means.data()}, x, by.labels());
        impl::group_sum<double>(label, exec, means, squares, by);
        impl::map_checked(label + "/divide", exec, out, impl::mean_of_sum{impl::ddof_of(options...)}, means,
                          by.counts());
      },
      args...);
}

/// `out(g)` is the smallest element of group g, NaN if one is NaN.
template <class... Args>
  requires impl::group_arguments<2, Args...>
void min(const Args&... args) {
  impl::group_call([](const auto&... a) { impl::group_best("quern::min", a..., true); }, args...);
}
/// `out(g)` is the largest element of group g, NaN if one is NaN.
template <class... Args>
  requires impl::group_arguments<2, Args...>
void max(const Args&... args) {
  impl::group_call([](const auto&... a) { impl::group_best("quern::max", a..., false); }, args...);
}
/// `out(g)` is the first row of group g with its smallest element, or with a NaN if there is one.
template <class... Args>
  requires impl::group_arguments<2, Args...>
void argmin(const Args&... args) {
  impl::group_call([](const auto&... a) { impl::group_best_position("quern::argmin", a..., true); }, args...);
}
/// `out(g)` is the first row of group g with its largest element, or with a NaN if there is one.
template <class... Args>
  requires impl::group_arguments<2, Args...>
void argmax(const Args&... args) {
  impl::group_call([](const auto&... a) { impl::group_best_position("quern::argmax", a..., false); }, args...);
}

/// `out(g)` is the element of x in the first row of group g: of a column of keys, the key of each group.
template <class... Args>
  requires impl::group_arguments<2, Args...>
void first(const Args&... args) {
  impl::group_call(
      []<class Exec>(const Exec& exec, const auto& out, const auto& x_view, const groups<Exec>& by) {
        const std::string label = "quern::first";
        impl::check_groups(label, out, x_view, by);
        const auto x = impl::make_input<Exec>(x_view, label).array;
        impl::map_checked(label, exec, out, impl::element_at<impl::value_of<decltype(x_view)>>{x.data, x.stride[0]},
                          by.first());
      },
      args...);
}

/// `out(g)` is the number of rows of group g.
template <class... Args>
  requires impl::group_arguments<1, Args...>
void count(const Args&... args) {
  impl::group_call(
      []<class Exec>(const Exec& exec, const auto& out, const groups<Exec>& by) {
        impl::check_group_output("quern::count", out, by);
        impl::map_checked("quern::count", exec, out, impl::op::identity(), by.counts());
      },
      args...);
}

}  // namespace quern

#endif
