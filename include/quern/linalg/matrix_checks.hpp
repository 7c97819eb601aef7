// SPDX-FileCopyrightText: the Quern authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef QUERN_LINALG_MATRIX_CHECKS_HPP
#define QUERN_LINALG_MATRIX_CHECKS_HPP

/// @file
/// What operations on matrices and on batches of them check, and the report on each item of a batch.

#include <quern/core/call/label.hpp>
#include <quern/core/launch/index_range.hpp>
#include <quern/linalg/lapack.hpp>
#include <quern/linalg/small_kernels.hpp>

namespace quern::impl {

/// Whether single matrices of T on `Exec` are what a LAPACK takes.
template <class Exec, class T>
inline constexpr bool takes_matrix = blas::takes<Exec, T, T, T>;

/// Whether a View may be one matrix that a LAPACK takes, and whether it may be a batch. A DynRankView may be
/// either.
template <class Exec, class V>
inline constexpr bool may_be_matrix = rank_of<V> < 0 ? takes_matrix<Exec, value_of<V>> : rank_of<V> <= 2;
template <class V>
inline constexpr bool may_be_batch = may_have_rank<V, 3, max_rank>;

/// Whether this installation has what factors single matrices on `Exec`.
template <class Exec>
void check_lapack(const std::string& label) {
  if (!lapack::available<Exec>())
    throw Error(label, std::string("a single matrix on ") + Exec::name() +
                           " needs a LAPACK, and this Quern was built without (QUERN_ENABLE_LINALG=OFF)");
}

/// Checks one matrix, or a batch of small ones.
template <class Exec, class V, class T>
void check_matrices(const std::string& label, const strided<T>& a) {
  static_assert(takes_matrix<Exec, std::remove_const_t<T>> || may_be_batch<V>,
                "quern: a single matrix must be of float, double or their complex numbers, on an execution space that "
                "Kokkos was built with");
  const int rank = a.extents.rank;
  const auto wrong = [&](const char* expected) { reject_extents(label, "a", a.extents, expected); };
  if (rank == 2 && !may_be_matrix<Exec, V>) wrong("a batch, (batch, m, n)");
  if (rank == 2) check_lapack<Exec>(label);
  if (rank < 2 || rank > 3) wrong("a matrix, (m, n), or a batch of them, (batch, m, n)");
  const std::int64_t max_extent = rank == 2 ? Kokkos::Experimental::finite_max_v<int> : largest_small_matrix;
  if (std::max(a.extents.extent[rank - 2], a.extents.extent[rank - 1]) > max_extent)
    wrong(rank == 2 ? "less than 2^31 rows and columns" : "matrices of at most 64 rows and columns");
}
template <class Exec, class V, class T>
void check_square(const std::string& label, const strided<T>& a) {
  const int rank = a.extents.rank;
  if (rank < 2 || rank > 3 || a.extents.extent[rank - 2] != a.extents.extent[rank - 1])
    reject_extents(label, "a", a.extents, "square matrices, (n, n) or (batch, n, n)");
  check_matrices<Exec, V>(label, a);
}
/// Checks right-hand sides, one or several for each matrix of a.
template <class T, class U>
void check_right_side(const std::string& label, const strided<T>& a, const strided<U>& b) {
  const int rank = a.extents.rank;
  const bool fits = b.extents.rank == rank - 1 || b.extents.rank == rank;
  if (!fits || !std::equal(b.extents.extent.begin(), b.extents.extent.begin() + rank - 1, a.extents.extent.begin()))
    throw Error(label, "b has extents " + b.extents.str() + ", which do not fit a with extents " + a.extents.str());
}
/// The extents of another matrix for each of those.
inline shape with_matrix(shape s, std::int64_t rows, std::int64_t columns) {
  s.extent[s.rank - 2] = rows;
  s.extent[s.rank - 1] = columns;
  return s;
}
inline shape without_last(shape s) {
  s.extent[--s.rank] = 0;
  return s;
}

template <class T, class... V>
inline constexpr bool are_matrices_of = is_matrix_value<T> && (std::is_same_v<T, value_of<V>> && ...);

/// The report of an operation on its items: in the caller's View, or in scratch memory that is looked at.
struct item_info {
  int* data;
  std::int64_t stride;
  KOKKOS_FUNCTION int& operator()(std::int64_t item) const { return data[item * stride]; }
  item_info from(std::int64_t item) const { return {data + item * stride, stride}; }
};
/// Stores the result of an item, or NaN where a row has no pivot, and reports the row.
template <class Lanes, class T>
KOKKOS_FUNCTION void store_result(const Lanes& lanes, const matrix_batch<T>& to, const small_matrix<T>& from,
                                  std::int64_t item, const item_info& info, int row) {
  if (row == 0) store_matrix(lanes, to, from, item);
  else store_nan(lanes, to, item);
  lanes.once([&] { info(item) = row; });
}

struct failed_items {
  using value_type = std::int64_t;
  item_info info;
  KOKKOS_FUNCTION void operator()(std::int64_t i, value_type& first) const {
    if (info(i) != 0 && i < first) first = i;
  }
};
/// The first item that failed, or `items`.
template <class Exec>
std::int64_t first_failure(const Exec& exec, const std::string& label, lease<Exec>& held, const item_info& info,
                           std::int64_t items) {
  auto* result = held.template result<std::int64_t>();
  using view = Kokkos::View<std::int64_t, result_space<Exec>, Kokkos::MemoryTraits<Kokkos::Unmanaged>>;
  Kokkos::parallel_reduce(kernel_label(label, "/check"), index_range(exec, items), failed_items{info},
                          Kokkos::Min<std::int64_t, result_space<Exec>>(view(result)));
  exec.fence(kernel_label(label, ": check"));
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
    check_extents(label, "info", info.extents, shape{items});
    run(item_info{info.data, info.stride[0]});
  } else {
    if (items == 0) return;
    lease<Exec> held(exec);
    const item_info info{scratch_for<int>(exec, held.scratch(), items), 1};
    run(info);
    const std::int64_t failed = first_failure(exec, label, held, info, items);
    if (failed == items) return;
    int row = 0;
    copy_items_to_host(exec, &row, &info(failed), 1);
    exec.fence(kernel_label(label, ": row"));
    throw E(label, "item " + std::to_string(failed) + " " + problem(row - 1), failed, row - 1);
  }
}

/// An `info` that is passed must not share memory with the other arrays of the call.
template <class Exec, class... Array, class... Info>
void check_info(const std::string& label, const std::tuple<const Array&...>& others, const Info&... info_view) {
  static_assert(sizeof...(Info) <= 1, "quern: info is one View of int");
  [[maybe_unused]] const auto check = [&](const auto& view) {
    const auto info = as_strided<Exec, use::output>(view, label);
    unpack([&](const auto&... other) { (check_apart(label, {"info", "another array"}, info, other), ...); }, others);
  };
  (check(info_view), ...);
}

inline std::string does_not_converge(int) { return "does not converge"; }

}  // namespace quern::impl

#endif
