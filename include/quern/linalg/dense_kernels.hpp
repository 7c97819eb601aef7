// SPDX-FileCopyrightText: the Quern authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef QUERN_LINALG_DENSE_KERNELS_HPP
#define QUERN_LINALG_DENSE_KERNELS_HPP

/// @file
/// Helpers of operations on one matrix: column-major matrices to work in, and what is said of a matrix without a
/// result.

#include <optional>
#include <quern/core/call/call.hpp>
#include <quern/core/launch/compiled.hpp>
#include <quern/core/launch/index_range.hpp>
#include <quern/core/launch/operations.hpp>
#include <quern/core/memory/workspace.hpp>
#include <quern/core/views/part_view.hpp>
#include <quern/linalg/lapack.hpp>
#include <quern/linalg/matrix_checks.hpp>
#include <quern/linalg/product_kernels.hpp>
#include <quern/linalg/row_products.hpp>
#include <quern/map/map.hpp>

namespace quern::impl {

/// A vector as a matrix of one column; a matrix as it is.
template <class T>
strided<T> columns_of(const strided<T>& s) {
  return s.extents.rank == 2 ? s : strided<T>{s.data, {s.extents.extent[0], 1}, {s.stride[0], s.extents.extent[0]}};
}
template <class T>
strided<T> first_columns(const strided<T>& s, std::int64_t n) {
  return {s.data, {s.extents.extent[0], n}, s.stride};
}
template <class T>
strided<T> as_matrix(const column_major<T>& m) {
  return {m.data, {m.rows, m.columns}, {1, m.ld}};
}
template <class T>
strided<const T> as_input(const strided<T>& s) {
  return {s.data, s.extents, s.stride};
}
template <class T>
strided<const T> as_input(const column_major<T>& m) {
  return as_input(as_matrix(m));
}

template <class Exec, class T, class U>
void copy_matrix(const Exec& exec, const std::string& label, const strided<T>& to, const strided<U>& from) {
  if (to.extents.size() == 0 || (to.data == from.data && to.stride == from.stride)) return;
  map_launch<Exec, op::identity, T>(exec, label_text(label, "/copy"), to, {}, false, {{to.stride, from.stride}},
                                    array_input<T>{as_input(from)});
}
template <class Exec, class T>
void fill_matrix(const Exec& exec, const std::string& label, const strided<T>& to, const T& value) {
  if (to.extents.size() == 0) return;
  map_launch<Exec, op::identity, T>(exec, label_text(label, "/fill"), to, {}, false, {{to.stride, {}}},
                                    scalar_input<T>{value});
}
/// Fills the output for a matrix that has no result.
template <class Exec, class T>
void fill_nan(const Exec& exec, const std::string& label, const strided<T>& to) {
  fill_matrix(exec, label, to, T(Kokkos::Experimental::quiet_NaN_v<real_type<T>>));
}

/// Which elements of a matrix are meant.
enum class part { all, lower, upper };
KOKKOS_INLINE_FUNCTION bool in_part(part p, std::int64_t i, std::int64_t j) {
  return p == part::all || (p == part::lower ? i >= j : i <= j);
}

template <class T>
struct largest_of_part {
  using value_type = real_type<T>;
  column_major<T> a;
  part which;
  KOKKOS_FUNCTION void operator()(std::int64_t e, value_type& largest) const {
    const std::int64_t j = e / a.rows, i = e - j * a.rows;
    if (in_part(which, i, j)) largest = Kokkos::max(largest, pivot_size(a(i, j)));
  }
};
/// The largest magnitude of the elements of a part; infinity where one is not a number.
template <class Exec, class T>
real_type<T> largest_in(const Exec& exec, const std::string& label, const column_major<T>& a, part which = part::all) {
  real_type<T> largest = 0;
  Kokkos::parallel_reduce(kernel_label(label), index_range(exec, a.rows * a.columns), largest_of_part<T>{a, which},
                          Kokkos::Max<real_type<T>>(largest));
  return largest;
}
/// Whether all elements of a part are finite. Vendors' routines may hang, or give numbers, where they are not.
template <class Exec, class T>
bool all_finite(const Exec& exec, const std::string& label, const column_major<T>& a, part which = part::all) {
  return largest_in(exec, label_text(label, "/finite"), a, which) <= Kokkos::Experimental::finite_max_v<real_type<T>>;
}

/// Calls f(i, j) for each element of a matrix, (m, n).
template <class F>
struct element_loop {
  std::int64_t m;
  F f;
  KOKKOS_FUNCTION void operator()(std::int64_t e) const {
    const std::int64_t j = e / m;
    f(e - j * m, j);
  }
};
template <class Exec, class F>
void for_each_element(const Exec& exec, const std::string& label, std::int64_t m, std::int64_t n, const F& f) {
  Kokkos::parallel_for(kernel_label(label), index_range(exec, m * n), element_loop<F>{m, f});
}
template <class T>
struct part_copy {
  T* to;
  std::int64_t down, across;
  column_major<const T> from;
  part which;
  KOKKOS_FUNCTION void operator()(std::int64_t i, std::int64_t j) const {
    to[i * down + j * across] = in_part(which, i, j) ? from(i, j) : T(0);
  }
};
/// Copies a part of a matrix; the other elements become zero.
template <class Exec, class T>
void copy_part(const Exec& exec, const std::string& label, const strided<T>& to, const column_major<const T>& from,
               part which) {
  for_each_element(exec, label_text(label, "/part"), to.extents.extent[0], to.extents.extent[1],
                   part_copy<T>{to.data, to.stride[0], to.stride[1], from, which});
}
template <class T>
struct identity_fill {
  column_major<T> a;
  KOKKOS_FUNCTION void operator()(std::int64_t i, std::int64_t j) const { a(i, j) = T(i == j ? 1 : 0); }
};
/// The identity.
template <class Exec, class T>
void set_identity(const Exec& exec, const std::string& label, const column_major<T>& a) {
  for_each_element(exec, label_text(label, "/identity"), a.rows, a.columns, identity_fill<T>{a});
}

/// C = A^H B.
template <class Exec, class T>
void multiply_adjoint(const Exec& exec, const std::string& label, const column_major<T>& c, const strided<const T>& a,
                      const strided<const T>& b) {
  if (multiply_by_rows(exec, label, as_matrix(c), a, b)) return;
  if constexpr (is_complex<T>) {  // whose columns are contiguous
    const auto left = *as_columns(a), right = *as_columns(b);
    blas::gemm<Exec, T>(exec, 1, c.rows, c.columns, a.extents.extent[0], T(1),
                        {left.data, blas::form::adjoint, left.ld, 0}, {right.data, blas::form::as_is, right.ld, 0},
                        T(0), {c.data, blas::form::as_is, c.ld, 0});
  } else {
    multiply_matrices(exec, label, as_matrix(c), exchanged(a), b);
  }
}

/// A column-major matrix to work in: `out` itself where it is one, so that nothing need be copied there, or scratch
/// memory.
template <class Exec, class T>
class work_matrix {
 public:
  work_matrix(const Exec& exec, std::int64_t rows, std::int64_t columns) { allocate(exec, rows, columns); }
  work_matrix(const Exec& exec, const strided<T>& out) {
    if (const auto columns = as_columns(out)) matrix_ = *columns;
    else allocate(exec, out.extents.extent[0], out.extents.extent[1]);
  }
  const column_major<T>& operator*() const { return matrix_; }
  const column_major<T>* operator->() const { return &matrix_; }

 private:
  void allocate(const Exec& exec, std::int64_t rows, std::int64_t columns) {
    scratch_.emplace(exec, rows * columns);
    matrix_ = {scratch_->data(), rows, columns, std::max<std::int64_t>(rows, 1)};
  }
  std::optional<scratch_array<Exec, T>> scratch_;
  column_major<T> matrix_;
};

/// An input as a column-major matrix: itself where it is one, or a copy in scratch memory.
template <class Exec, class T>
class column_input {
 public:
  column_input(const Exec& exec, const std::string& label, const strided<const T>& in) {
    if (const auto columns = as_columns(in)) {
      matrix_ = *columns;
    } else {
      copy_.emplace(exec, in.extents.extent[0], in.extents.extent[1]);
      copy_matrix(exec, label, as_matrix(**copy_), in);
      matrix_ = **copy_;
    }
  }
  const column_major<const T>& operator*() const { return matrix_; }

 private:
  std::optional<work_matrix<Exec, T>> copy_;
  column_major<const T> matrix_;
};

/// Runs a routine of LAPACK's on a matrix, and gives what it reports; nothing where elements of a part are not finite.
template <class Exec, class T, class Routine>
std::optional<int> run_routine(const Exec& exec, const std::string& label, const column_major<T>& a, part which,
                               const Routine& routine) {
  if (!all_finite(exec, label, a, which)) return std::nullopt;
  lease<Exec> held(exec);
  int* const info = held.template result<int>();
  routine(info);
  exec.fence(kernel_label(label, ": info"));
  return *info;
}

/// Householder's factorization of the first n columns of a matrix: R, and in place of the first `columns` those of Q.
template <class Exec, class T>
void reflect(const Exec& exec, const std::string& label, const column_major<T>& a, std::int64_t n, std::int64_t columns,
             const strided<T>& r) {
  const std::int64_t steps = std::min(a.rows, n);
  const scratch_array<Exec, T> tau(exec, steps);
  lapack::geqrf(exec, a.first_columns(n), tau.data());
  copy_part<Exec, T>(exec, label, r, a.first_columns(n), part::upper);
  lapack::orgqr<Exec, T>(exec, a.first_columns(columns), steps, tau.data());
}

/// Checks a matrix of an operation that has no batches.
template <class Exec, class T, class U>
void check_one_matrix(const std::string& label, std::string_view name, const strided<U>& a) {
  static_assert(is_matrix_value<T>, "quern: a must have a floating-point or complex type");
  static_assert(takes_matrix<Exec, T>, "quern: not on this execution space");
  check_lapack<Exec>(label);
  if (a.extents.rank != 2 ||
      std::max(a.extents.extent[0], a.extents.extent[1]) > Kokkos::Experimental::finite_max_v<int>)
    reject_extents(label, name, a.extents, "a matrix of less than 2^31 rows and columns, (m, n)");
}
template <class Exec, class T, class U>
void check_one_square(const std::string& label, std::string_view name, const strided<U>& a) {
  check_one_matrix<Exec, T>(label, name, a);
  if (a.extents.extent[0] != a.extents.extent[1]) reject_extents(label, name, a.extents, "a square matrix, (n, n)");
}

/// Runs what factors a matrix, and says in the caller's `info`, where there is one, or by an exception, what became of
/// it: 0, or a row from 1.
template <class E, class Exec, class Run, class... Info>
void on_matrix(const Exec& exec, const std::string& label, std::string (*problem)(int row), const Run& run,
               const Info&... info_view) {
  if constexpr (sizeof...(Info) == 1) {
    const auto info = make_output<Exec>(info_view..., label);
    static_assert(std::is_same_v<std::remove_pointer_t<decltype(info.data)>, int>, "quern: info must be a View of int");
    if (info.extents.rank != 0) reject_extents(label, "info", info.extents, "those of one number, ()");
    const int status = run();
    Kokkos::deep_copy(exec, part_view<int, 0, Kokkos::LayoutRight, Exec>(info.data), status);
  } else if (const int status = run(); status != 0) {
    throw E(label, "the matrix " + problem(status - 1), 0, status - 1);
  }
}

/// Calls `one(a)` for a matrix, or launches the operation `many` for a batch, and says in the caller's `info`, or by an
/// E, what became of each.
template <class E, class A, class Exec, class T, class One, class Many, class... Info>
void factor(const Exec& exec, const std::string& label, std::string (*problem)(int row), const strided<const T>& a,
            const One& one, Many many, const Info&... info_view) {
  if constexpr (may_be_matrix<Exec, A>)
    if (a.extents.rank == 2) on_matrix<E>(exec, label, problem, [&] { return one(a); }, info_view...);
  if constexpr (may_be_batch<A>) {
    const std::int64_t items = a.extents.extent[0];
    const auto run = [&](const item_info& info) {
      many.info = info;
      launch_items(exec, label, items, many);
    };
    if (a.extents.rank == 3) with_info<E>(exec, label, problem, items, run, info_view...);
  }
}

#define QUERN_DENSE_KERNELS(HOW, Exec, T)                                                                              \
  HOW template real_type<T> largest_in(const Exec&, const std::string&, const column_major<T>&, part);                 \
  HOW template void copy_part(const Exec&, const std::string&, const strided<T>&, const column_major<const T>&, part); \
  HOW template void set_identity(const Exec&, const std::string&, const column_major<T>&);
QUERN_MATRICES_ELSEWHERE(QUERN_DENSE_KERNELS)

}  // namespace quern::impl

#endif
