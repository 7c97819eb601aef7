// SPDX-FileCopyrightText: the Quern authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef QUERN_LINALG_SMALL_KERNELS_HPP
#define QUERN_LINALG_SMALL_KERNELS_HPP

/// @file
/// Batches of small matrices: each is brought to scratch memory and worked on there by neighbouring threads, the lanes
/// of one thread of a team. A host has one lane.

#include <Kokkos_Core.hpp>
#include <quern/core/arguments.hpp>
#include <quern/core/operations.hpp>
#include <quern/core/tuning.hpp>
#include <quern/core/workspace.hpp>

namespace quern {

/// The largest extent of a matrix that the operations on batches take.
inline constexpr int largest_small_matrix = 64;

namespace impl {

template <class T>
inline constexpr bool is_matrix_value = std::is_floating_point_v<real_type<T>>;

template <class T>
KOKKOS_FUNCTION real_type<T> real_value(const T& x) {
  if constexpr (std::is_floating_point_v<T>) return x;
  else return x.real();
}
template <class T>
KOKKOS_FUNCTION T conjugate(const T& x) {
  if constexpr (std::is_floating_point_v<T>) return x;
  else return Kokkos::conj(x);
}
/// |x|^2.
template <class T>
KOKKOS_FUNCTION real_type<T> squared(const T& x) {
  if constexpr (std::is_floating_point_v<T>) return x * x;
  else return x.real() * x.real() + x.imag() * x.imag();
}
/// What pivots are compared by: the absolute value, or that of both parts of a complex number.
template <class T>
KOKKOS_FUNCTION real_type<T> magnitude(const T& x) {
  if constexpr (std::is_floating_point_v<T>) return Kokkos::abs(x);
  else return Kokkos::abs(x.real()) + Kokkos::abs(x.imag());
}

/// The same, with NaN the largest of all, so that it is found.
template <class T>
KOKKOS_FUNCTION real_type<T> pivot_size(const T& x) {
  const real_type<T> m = magnitude(x);
  return m == m ? m : Kokkos::Experimental::infinity_v<real_type<T>>;
}

/// The threads that share a matrix. What one call of `for_each` has written, all of them see after it.
template <class Member>
struct lane_group {
  const Member& team;

  template <class F>
  KOKKOS_FUNCTION void for_each(int n, const F& f) const {
    Kokkos::parallel_for(Kokkos::ThreadVectorRange(team, n), f);
  }
  /// An i at which f(i) is the largest of those from `first` to `end`.
  template <class R, class F>
  KOKKOS_FUNCTION int largest(int first, int end, const F& f) const {
    using reducer = Kokkos::MaxLoc<R, int>;
    typename reducer::value_type result;
    Kokkos::parallel_reduce(
        Kokkos::ThreadVectorRange(team, end - first),
        [&](int i, typename reducer::value_type& best) {
          const R value = f(first + i);
          if (value > best.val) best = {value, i};
        },
        reducer(result));
    return first + result.loc;
  }
  template <class R, class F>
  KOKKOS_FUNCTION R sum(int first, int end, const F& f) const {
    R total = 0;
    Kokkos::parallel_reduce(
        Kokkos::ThreadVectorRange(team, end - first), [&](int i, R& s) { s += f(first + i); }, total);
    return total;
  }
  template <class F>
  KOKKOS_FUNCTION void once(const F& f) const {
    Kokkos::single(Kokkos::PerThread(team), f);
  }
};

/// A matrix in scratch memory. Its rows have an odd distance, so that a column does not fall into one bank.
template <class T>
struct small_matrix {
  T* data;
  int ld;

  KOKKOS_FUNCTION T& operator()(int i, int j) const { return data[i * ld + j]; }
  static KOKKOS_FUNCTION int distance(int columns) { return columns | 1; }
  static KOKKOS_FUNCTION int elements(int rows, int columns) { return rows * distance(columns); }
};

/// The matrices of a batch in memory: strides of item, row and column.
template <class T>
struct matrix_batch {
  T* data;
  int rows, columns;
  std::int64_t stride[3];

  KOKKOS_FUNCTION T& operator()(std::int64_t item, int i, int j) const {
    return data[item * stride[0] + i * stride[1] + j * stride[2]];
  }
};

/// A View of rank 3 as a batch of matrices, or of rank 2 as one of columns.
template <class T>
matrix_batch<T> as_matrices(const strided<T>& s) {
  const bool columns = s.extents.rank == 2;
  return {s.data,
          static_cast<int>(s.extents.extent[1]),
          columns ? 1 : static_cast<int>(s.extents.extent[2]),
          {s.stride[0], s.stride[1], columns ? 0 : s.stride[2]}};
}

template <class Lanes, class T, class U>
KOKKOS_FUNCTION void load_matrix(const Lanes& lanes, const small_matrix<T>& to, const matrix_batch<U>& from,
                                 std::int64_t item) {
  for (int i = 0; i < from.rows; ++i) lanes.for_each(from.columns, [&](int j) { to(i, j) = from(item, i, j); });
}
template <class Lanes, class T>
KOKKOS_FUNCTION void store_matrix(const Lanes& lanes, const matrix_batch<T>& to, const small_matrix<T>& from,
                                  std::int64_t item) {
  for (int i = 0; i < to.rows; ++i) lanes.for_each(to.columns, [&](int j) { to(item, i, j) = from(i, j); });
}
/// What an item that has no result gets.
template <class Lanes, class T>
KOKKOS_FUNCTION void store_nan(const Lanes& lanes, const matrix_batch<T>& to, std::int64_t item) {
  const T nan(Kokkos::Experimental::quiet_NaN_v<real_type<T>>);
  for (int i = 0; i < to.rows; ++i) lanes.for_each(to.columns, [&](int j) { to(item, i, j) = nan; });
}

/// Calls `op(lanes, item, scratch, more)` for each item. Of its scratch memory, `op.elements()` of T are fast where
/// they fit, `op.more_elements()` only where both do.
template <class Exec, class T, class Op>
struct small_kernel {
  using policy = Kokkos::TeamPolicy<Exec>;
  using member = typename policy::member_type;
  Op op;
  std::int64_t items;
  int bytes, more_bytes, level, more_level;

  KOKKOS_FUNCTION void operator()(const member& team) const {
    const std::int64_t item = std::int64_t(team.league_rank()) * team.team_size() + team.team_rank();
    if (item >= items) return;
    T* scratch = static_cast<T*>(team.thread_scratch(level).get_shmem_aligned(bytes, alignof(T)));
    T* more = more_bytes == 0
                  ? nullptr
                  : static_cast<T*>(team.thread_scratch(more_level).get_shmem_aligned(more_bytes, alignof(T)));
    op(lane_group<member>{team}, item, scratch, more);
  }
};

template <class T, class Exec, class Op>
void launch_small(const Exec& exec, const std::string& label, std::int64_t items, int n, const Op& op) {
  using kernel = small_kernel<Exec, T, Op>;
  using tune = tuning<Exec>;
  if (items == 0) return;
  int lanes = 1;
  while (tune::device && lanes < n && lanes < 32) lanes *= 2;
  constexpr int size = sizeof(T), gap = alignof(T);
  const int bytes = op.elements() * size, more = op.more_elements() * size, all = bytes + more;
  const int level = bytes <= tune::small_fast_bytes ? 0 : 1, more_level = all <= tune::small_fast_bytes ? 0 : 1;
  const int team = std::clamp(tune::small_team_bytes / std::max(all, 1), 1, std::max(tune::small_team / lanes, 1));
  const std::int64_t league = (items + team - 1) / team;
  if (league > Kokkos::Experimental::finite_max_v<int>) throw Error(label, "too many items");
  typename kernel::policy policy(exec, static_cast<int>(league), team, lanes);
  for (const int l : {0, 1}) {
    const int wanted = (level == l ? bytes + gap : 0) + (more > 0 && more_level == l ? more + gap : 0);
    if (wanted > 0) policy.set_scratch_size(l, Kokkos::PerThread(wanted));
  }
  Kokkos::parallel_for(label, policy, kernel{op, items, bytes, more, level, more_level});
}

/// Checks a batch of square matrices.
template <class T>
void check_square(const std::string& label, const strided<T>& a) {
  if (a.extents.rank != 3 || a.extents.extent[1] != a.extents.extent[2])
    throw Error(label, "a has extents " + a.extents.str() + ", expected a batch of square matrices, (batch, n, n)");
  if (a.extents.extent[1] > largest_small_matrix)
    throw Error(label, "a has extents " + a.extents.str() + ", expected matrices of at most 64 rows");
}
template <class T>
void check_extents(const std::string& label, const std::string& name, const strided<T>& s, const shape& expected) {
  if (s.extents != expected)
    throw Error(label, name + " has extents " + s.extents.str() + ", expected " + expected.str());
}

template <class T, class... V>
inline constexpr bool are_matrices_of = is_matrix_value<T> && (std::is_same_v<T, value_of<V>> && ...);

/// What an operation reports of its items: in the caller's View, or in scratch memory that is looked at.
struct item_info {
  int* data;
  std::int64_t stride;
  KOKKOS_FUNCTION int& operator()(std::int64_t item) const { return data[item * stride]; }
};

/// The first item that failed, or `items`.
template <class Exec>
std::int64_t first_failure(const Exec& exec, const std::string& label, lease<Exec>& held, const item_info& info,
                           std::int64_t items) {
  auto* result = held.template result<std::int64_t>();
  using view = Kokkos::View<std::int64_t, result_space<Exec>, Kokkos::MemoryTraits<Kokkos::Unmanaged>>;
  Kokkos::parallel_reduce(
      label + "/check", Kokkos::RangePolicy<Exec, Kokkos::IndexType<std::int64_t>>(exec, 0, items),
      KOKKOS_LAMBDA(std::int64_t i, std::int64_t& first) {
        if (info(i) != 0 && i < first) first = i;
      },
      Kokkos::Min<std::int64_t, result_space<Exec>>(view(result)));
  exec.fence(label + ": check");
  return std::min(*result, items);
}

/// Calls `run(info)` with the caller's View, or with scratch memory, and then waits and throws an `E` for the first
/// item that failed.
template <class E, class Exec, class Run, class... Info>
void with_info(const Exec& exec, const std::string& label, std::string (*problem)(int row), std::int64_t items,
               const Run& run, const Info&... info_view) {
  if constexpr (sizeof...(Info) == 1) {
    const auto info = make_output<Exec>(info_view..., label);
    static_assert(std::is_same_v<std::remove_pointer_t<decltype(info.data)>, int>, "quern: info must be a View of int");
    if (info.extents != shape{items})
      throw Error(label, "info has extents " + info.extents.str() + ", expected " + shape{items}.str());
    run(item_info{info.data, info.stride[0]});
  } else {
    if (items == 0) return;
    lease<Exec> held(exec);
    const item_info info{static_cast<int*>(held.scratch().require(exec, items * sizeof(int))), 1};
    run(info);
    const std::int64_t failed = first_failure(exec, label, held, info, items);
    if (failed == items) return;
    int row = 0;
    const Kokkos::View<int, typename Exec::memory_space, Kokkos::MemoryTraits<Kokkos::Unmanaged>> there(&info(failed));
    Kokkos::deep_copy(exec, row, there);
    exec.fence(label + ": row");
    throw E(label, "item " + std::to_string(failed) + " " + problem(row - 1), failed, row - 1);
  }
}

}  // namespace impl
}  // namespace quern

#endif
