// SPDX-FileCopyrightText: the Quern authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef QUERN_LINALG_SMALL_KERNELS_HPP
#define QUERN_LINALG_SMALL_KERNELS_HPP

/// @file
/// Batches of small matrices: each is brought to scratch memory and worked on there by adjacent threads, the lanes
/// of one thread of a team. A host has one lane.

#include <Kokkos_Core.hpp>
#include <quern/core/call/call.hpp>
#include <quern/core/launch/arguments.hpp>
#include <quern/core/launch/team_scratch.hpp>
#include <quern/core/memory/workspace.hpp>
#include <quern/core/values/values.hpp>
#include <quern/linalg/tuning.hpp>

namespace quern {

/// The largest extent of a matrix that the operations on batches take.
inline constexpr int largest_small_matrix = 64;

namespace impl {

template <class T>
inline constexpr bool is_matrix_value = std::is_floating_point_v<real_type<T>>;

/// The size by which pivots are compared, with NaN the largest of all, so that it is found.
template <class T>
KOKKOS_FUNCTION real_type<T> pivot_size(const T& x) {
  const real_type<T> m = magnitude(x);
  return m == m ? m : Kokkos::Experimental::infinity_v<real_type<T>>;
}

/// The largest of the parts of a number, and infinity for what is not finite.
template <class T>
KOKKOS_FUNCTION real_type<T> largest_part(const T& x) {
  using R = real_type<T>;
  const auto part = [](R r) {
    return Kokkos::abs(r) <= Kokkos::Experimental::finite_max_v<R> ? Kokkos::abs(r)
                                                                   : Kokkos::Experimental::infinity_v<R>;
  };
  if constexpr (std::is_floating_point_v<T>) return part(x);
  else return Kokkos::max(part(x.real()), part(x.imag()));
}

/// The power of two next to a magnitude. Divided by it, a matrix with elements up to that magnitude has squares that
/// neither overflow nor vanish, and no rounding is added. Zero has the smallest power, and it has a normal inverse.
template <class R>
KOKKOS_FUNCTION R binary_scale(R magnitude) {
  using pattern = std::conditional_t<sizeof(R) == 8, std::uint64_t, std::uint32_t>;
  constexpr R least = Kokkos::Experimental::norm_min_v<R>, largest = 1 / least;
  constexpr R infinity = Kokkos::Experimental::infinity_v<R>;
  const auto exponent = Kokkos::bit_cast<pattern>(infinity);
  return Kokkos::clamp(Kokkos::bit_cast<R>(Kokkos::bit_cast<pattern>(magnitude) & exponent), least, largest);
}

/// The divisor of a matrix whose largest element has this magnitude: a power of two, or 1 where its squares are far
/// from both ends as they are.
template <class R>
KOKKOS_FUNCTION R matrix_scale(R magnitude) {
  constexpr R low = sizeof(R) == 8 ? R(0x1p-100) : R(0x1p-10), high = sizeof(R) == 8 ? R(0x1p+100) : R(0x1p+20);
  return magnitude >= low && magnitude <= high ? R(1) : binary_scale(magnitude);
}

/// Squares below this have lost digits to underflow.
template <class R>
inline constexpr R least_square = Kokkos::Experimental::norm_min_v<R> / Kokkos::Experimental::epsilon_v<R>;

/// One thread that has a matrix to itself.
struct single_lane {
  template <class F>
  KOKKOS_FUNCTION void for_each(int n, const F& f) const {
    for (int i = 0; i < n; ++i) f(i);
  }
  template <class F>
  KOKKOS_FUNCTION void for_each_group(int n, const F& f) const {
    for (int k = 0; k < n; ++k) f(k, *this);
  }
  template <class R, class F>
  KOKKOS_FUNCTION int largest(int first, int end, const F& f) const {
    int best = first;
    for (int i = first + 1; i < end; ++i)
      if (f(i) > f(best)) best = i;
    return best;
  }
  template <class R, class F>
  KOKKOS_FUNCTION R sum(int first, int end, const F& f) const {
    R total{};
    for (int i = first; i < end; ++i) total += f(i);
    return total;
  }
  template <class R, class F>
  KOKKOS_FUNCTION R maximum(int first, int end, const F& f) const {
    R best = 0;
    for (int i = first; i < end; ++i) best = Kokkos::max(best, f(i));
    return best;
  }
  template <class F>
  KOKKOS_FUNCTION void once(const F& f) const {
    f();
  }
};

/// The threads that share a matrix: the lanes of one thread of a team, or with `WholeTeam` those of all, of which each
/// forms reductions by itself. What one call has written, all of them see after it, and what it has read, any of them
/// may overwrite.
template <bool WholeTeam, class Member>
struct lane_group {
  const Member& team;

  /// Kokkos's loops over lanes end with a barrier of them; its reductions give all lanes the result, but promise none.
  KOKKOS_FUNCTION void wait() const {
    for_each(0, [](int) {});
  }

  template <class F>
  KOKKOS_FUNCTION void for_each(int n, const F& f) const {
    if constexpr (WholeTeam) {
      Kokkos::parallel_for(Kokkos::TeamVectorRange(team, n), f);
      team.team_barrier();
    } else {
      Kokkos::parallel_for(Kokkos::ThreadVectorRange(team, n), f);
    }
  }
  /// Calls f(k, group) for k < n, where a group is what shares the work of one k: of a team the lanes of a thread, and
  /// one lane where there are no others.
  template <class F>
  KOKKOS_FUNCTION void for_each_group(int n, const F& f) const {
    if constexpr (WholeTeam) {
      Kokkos::parallel_for(Kokkos::TeamThreadRange(team, n), [&](int k) { f(k, lane_group<false, Member>{team}); });
      team.team_barrier();
    } else {
      for_each(n, [&](int k) { f(k, single_lane()); });
    }
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
    wait();
    return first + result.loc;
  }
  template <class R, class F>
  KOKKOS_FUNCTION R sum(int first, int end, const F& f) const {
    R total{};
    Kokkos::parallel_reduce(
        Kokkos::ThreadVectorRange(team, end - first), [&](int i, R& s) { s += f(first + i); }, total);
    wait();
    return total;
  }
  /// The largest f(i) of those from `first` to `end`, none of them negative.
  template <class R, class F>
  KOKKOS_FUNCTION R maximum(int first, int end, const F& f) const {
    R best = 0;
    Kokkos::parallel_reduce(
        Kokkos::ThreadVectorRange(team, end - first), [&](int i, R& m) { m = Kokkos::max(m, f(first + i)); },
        Kokkos::Max<R>(best));
    wait();
    return Kokkos::max(best, R(0));
  }
  template <class F>
  KOKKOS_FUNCTION void once(const F& f) const {
    if constexpr (WholeTeam) Kokkos::single(Kokkos::PerTeam(team), f);
    else Kokkos::single(Kokkos::PerThread(team), f);
  }
};

/// A matrix in scratch memory. Its rows have an odd distance, so that a column does not fall into one bank.
template <class T>
struct small_matrix {
  T* data;
  int ld;

  KOKKOS_FUNCTION T& operator()(int i, int j) const { return data[i * ld + j]; }
  static constexpr KOKKOS_FUNCTION int distance(int columns) { return columns | 1; }
  static KOKKOS_FUNCTION int elements(int rows, int columns) { return rows * distance(columns); }
};

/// The largest part of the elements of a matrix in scratch memory.
template <class Lanes, class T>
KOKKOS_FUNCTION real_type<T> largest_element(const Lanes& lanes, const small_matrix<T>& x, int rows, int columns) {
  using R = real_type<T>;
  return lanes.template maximum<R>(0, rows, [&](int i) {
    R largest = 0;
    for (int j = 0; j < columns; ++j) largest = Kokkos::max(largest, largest_part(x(i, j)));
    return largest;
  });
}
/// Multiplies it by a real number.
template <class Lanes, class T>
KOKKOS_FUNCTION void scale_elements(const Lanes& lanes, const small_matrix<T>& x, int rows, int columns,
                                    real_type<T> factor) {
  for (int i = 0; i < rows; ++i) lanes.for_each(columns, [&](int j) { x(i, j) *= factor; });
}

/// Subtracts `term(j)` from `target(j)` for j < n. The terms of a block are there before one of its elements is
/// written: what is written might be what the next term reads, and each would wait for the one before.
template <class Target, class Term>
KOKKOS_FUNCTION void subtract_terms(int n, const Target& target, const Term& term) {
  using T = std::remove_cvref_t<decltype(target(0))>;
  int j = 0;
  const auto subtract_blocks = [&]<int Size>(std::integral_constant<int, Size>) {
    for (; j + Size <= n; j += Size) {
      T rest[Size];
      for (int u = 0; u < Size; ++u) rest[u] = target(j + u) - term(j + u);
      for (int u = 0; u < Size; ++u) target(j + u) = rest[u];
    }
  };
  subtract_blocks(std::integral_constant<int, 8>());
  subtract_blocks(std::integral_constant<int, 2>());
  if (j < n) target(j) -= term(j);
}

/// The sum of `term(j)` for j < n, as four sums, none of which waits for another.
template <class T, class Term>
KOKKOS_FUNCTION T sum_terms(int n, const Term& term) {
  T sum[4] = {};
  int j = 0;
  for (; j + 4 <= n; j += 4)
    for (int u = 0; u < 4; ++u) sum[u] += term(j + u);
  for (; j < n; ++j) sum[0] += term(j);
  return (sum[0] + sum[1]) + (sum[2] + sum[3]);
}

/// The matrices of a batch in memory: strides of item, row and column.
template <class T>
struct matrix_batch {
  T* data;
  int rows, columns;
  std::int64_t stride[3];

  KOKKOS_FUNCTION T& operator()(std::int64_t item, int i, int j) const {
    return data[item * stride[0] + i * stride[1] + j * stride[2]];
  }
  /// The matrices from one on; no data stay none.
  matrix_batch from(std::int64_t item) const {
    return {data == nullptr ? data : data + item * stride[0], rows, columns, {stride[0], stride[1], stride[2]}};
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
/// Fills the output of an item that has no result, if there is one.
template <class Lanes, class T>
KOKKOS_FUNCTION void store_nan(const Lanes& lanes, const matrix_batch<T>& to, std::int64_t item) {
  const T nan(Kokkos::Experimental::quiet_NaN_v<real_type<T>>);
  for (int i = 0; i < to.rows; ++i) lanes.for_each(to.columns, [&](int j) { to(item, i, j) = nan; });
}

/// Calls `op(lanes, item, scratch, more)` for each item. Of its scratch memory, `op.elements()` of T are fast where
/// they fit, `op.more_elements()`, if it has any, only where both do. `WholeTeam`: a team has one item, and not a
/// thread.
template <class Exec, class T, class Op, bool WholeTeam>
struct small_kernel {
  // Teams are smaller. The bound limits the registers of a thread, so that as many threads run at once.
  using policy = Kokkos::TeamPolicy<Exec, Kokkos::LaunchBounds<linalg_tuning<Exec>::small_resident_threads>>;
  using member = typename policy::member_type;
  Op op;
  std::int64_t items;
  int bytes, more_bytes, level, more_level;

  KOKKOS_FUNCTION void operator()(const member& team) const {
    std::int64_t item = team.league_rank();
    if constexpr (!WholeTeam) item = item * team.team_size() + team.team_rank();
    if (item >= items) return;
    const auto memory = [&](int of_level, int size) {
      if constexpr (WholeTeam) return static_cast<T*>(team.team_scratch(of_level).get_shmem_aligned(size, alignof(T)));
      else return static_cast<T*>(team.thread_scratch(of_level).get_shmem_aligned(size, alignof(T)));
    };
    T* scratch = memory(level, bytes);
    T* more = more_bytes == 0 ? nullptr : memory(more_level, more_bytes);
    op(lane_group<WholeTeam, member>{team}, item, scratch, more);
  }
};

/// Threads of a whole team for each row of the matrix, 0 where an operation has no work for more lanes than a thread
/// has, and the lanes that share what one of Kokkos's threads does.
template <class Op>
struct whole_team {
  static constexpr int threads_of_row = 1, lanes = 32;
};

template <class T, bool WholeTeam = false, class Exec, class Op>
void launch_small(const Exec& exec, const std::string& label, std::int64_t items, int n, const Op& op) {
  using kernel = small_kernel<Exec, T, Op, WholeTeam>;
  using tune = linalg_tuning<Exec>;
  if (items == 0) return;
  if constexpr (is_device<Exec> && whole_team<Op>::threads_of_row > 0 && !WholeTeam)
    if (n > 32) return launch_small<T, true>(exec, label, items, n, op);
  int lanes = 1;
  while (is_device<Exec> && lanes < n && lanes < (WholeTeam ? whole_team<Op>::lanes : 32)) lanes *= 2;
  constexpr int size = sizeof(T), gap = alignof(T);
  int more = 0;
  if constexpr (requires { op.more_elements(); }) more = op.more_elements() * size;
  const int bytes = op.elements() * size, all = bytes + more;
  const int threads = std::max(tune::small_team, WholeTeam ? n * whole_team<Op>::threads_of_row : 1);
  const std::int64_t fast = std::min<std::int64_t>(tune::small_fast_bytes, team_scratch_room<Exec>(threads) - 2 * gap);
  const int level = bytes <= fast ? 0 : 1, more_level = all <= fast ? 0 : 1;
  const int max_items = std::max(tune::small_team / lanes, 1);
  const int team = WholeTeam ? (n * whole_team<Op>::threads_of_row + lanes - 1) / lanes
                             : std::clamp(tune::small_team_bytes / std::max(all, 1), 1, max_items);
  const std::int64_t league = WholeTeam ? items : (items + team - 1) / team;
  if (league > Kokkos::Experimental::finite_max_v<int>) throw Error(label, "too many items");
  typename kernel::policy policy(exec, static_cast<int>(league), team, lanes);
  for (const int l : {0, 1}) {
    const int wanted = (level == l ? bytes + gap : 0) + (more > 0 && more_level == l ? more + gap : 0);
    if (wanted == 0) continue;
    if constexpr (WholeTeam) policy.set_scratch_size(l, Kokkos::PerTeam(wanted));
    else policy.set_scratch_size(l, Kokkos::PerThread(wanted));
  }
  Kokkos::parallel_for(kernel_label(label), policy, kernel{op, items, bytes, more, level, more_level});
}

/// One matrix of up to n rows and columns, by one team of a device that has all fast scratch memory to itself. False,
/// and nothing is done, on hosts and where the matrix does not fit there.
template <class T, class Exec, class Op>
bool launch_alone(const Exec& exec, const std::string& label, std::int64_t n, const Op& op) {
  if constexpr (is_device<Exec>) {
    using kernel = small_kernel<Exec, T, Op, true>;
    constexpr int size = sizeof(T), gap = alignof(T), lanes = whole_team<Op>::lanes;
    if (n > linalg_tuning<Exec>::team_columns) return false;
    int more = 0;
    if constexpr (requires { op.more_elements(); }) more = op.more_elements() * size;
    const int bytes = op.elements() * size, all = bytes + more + 2 * gap;
    const int team = (static_cast<int>(n) * whole_team<Op>::threads_of_row + lanes - 1) / lanes;
    if (all > team_scratch_room<Exec>(team * lanes)) return false;
    typename kernel::policy policy(exec, 1, team, lanes);
    Kokkos::parallel_for(kernel_label(label), policy.set_scratch_size(0, Kokkos::PerTeam(all)),
                         kernel{op, 1, bytes, more, 0, 0});
    return true;
  }
  return false;
}
/// Launches an operation on the matrices `a` in the way that is the fastest, which some know better.
template <class Exec, template <class> class Op, class T>
void launch_items(const Exec& exec, const std::string& label, std::int64_t items, const Op<T>& op) {
  launch_small<T>(exec, label, items, std::max(op.a.rows, op.a.columns), op);
}

}  // namespace impl
}  // namespace quern

#endif
