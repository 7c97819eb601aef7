// SPDX-FileCopyrightText: the Quern authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef QUERN_LINALG_SVD_HPP
#define QUERN_LINALG_SVD_HPP

#include <quern/core/call/call.hpp>
#include <quern/core/values/values.hpp>
#include <quern/linalg/dense_orthogonal.hpp>
#include <quern/linalg/small_svd.hpp>
#include <quern/linalg/svd_packs.hpp>

namespace quern {
namespace impl {

/// Decomposes one matrix at a time, or on a host a pack of them.
template <class Exec, class T>
void launch_items(const Exec& exec, const std::string& label, std::int64_t items, const svd_op<T>& op) {
  if constexpr (!is_device<Exec> && !is_complex<T>)
    if (svd_in_packs(exec, label, svd_packs<T, svd_op<T>>{op, items})) return;
  launch_small<T>(exec, label, items, std::max(op.a.rows, op.a.columns), op);
}

/// Checks a and s, and decomposes; u and vt have no data where they are not wanted.
template <class A, class Exec, class T, class... Info>
void svd_checked(const Exec& exec, const std::string& label, const strided<T>& u, const strided<real_type<T>>& s,
                 const strided<T>& vt, const strided<const T>& a, const Info&... info) {
  const int rank = a.extents.rank;
  shape values = without_last(a.extents);
  values.extent[rank - 2] = std::min(a.extents.extent[rank - 2], a.extents.extent[rank - 1]);
  check_extents(label, "s", s.extents, values);
  check_overlap(label, s, a, "a", false);
  const auto one = [&](const auto& matrix) { return svd_matrix(exec, label, u, s, vt, matrix); };
  const svd_op<T> many{as_matrices(s), as_matrices(u), as_matrices(vt), as_matrices(a), {}};
  factor<ConvergenceError, A>(exec, label, does_not_converge, a, one, many, info...);
}

struct singular_values {};

template <>
struct engine<in_memory, singular_values> {
  template <class Exec, class U, class S, class Vt, class A, class... Info>
  static void run(const Exec& exec, const U& u_view, const S& s_view, const Vt& vt_view, const A& a_view,
                  const Info&... info) {
    using T = value_of<A>;
    static_assert(are_matrices_of<T, U, Vt>, "quern::svd: u, vt and a must have one floating-point or complex type");
    static_assert(std::is_same_v<value_of<S>, real_type<T>>, "quern::svd: s must have a's real type");
    call c("quern::svd", exec);
    const auto u = c.output(u_view);
    const auto s = c.output(s_view);
    const auto vt = c.output(vt_view);
    const auto a = c.input(a_view);
    check_matrices<Exec, A>(c.label, a);
    const int rank = a.extents.rank;
    const std::int64_t m = a.extents.extent[rank - 2], n = a.extents.extent[rank - 1], k = std::min(m, n);
    const bool full = rank == 2 && u.extents == shape{m, m} && vt.extents == shape{n, n};
    check_extents(c.label, "u", u.extents, with_matrix(a.extents, m, full ? m : k));
    check_extents(c.label, "vt", vt.extents, with_matrix(a.extents, full ? n : k, n));
    check_overlap(c.label, u, a, "a", false);
    check_overlap(c.label, vt, a, "a", false);
    check_apart(c.label, {"u", "s", "vt"}, u, s, vt);
    check_info<Exec>(c.label, std::tie(u, s, vt, a), info...);
    svd_checked<A, Exec, T>(exec, c.label, u, s, vt, a, info...);
  }
};

}  // namespace impl

/// The singular value decomposition of a matrix, or those of many small ones, `a = u diag(s) vt` with orthonormal
/// columns of u and rows of vt.
///
/// | a | u | s | vt | |
/// | --- | --- | --- | --- | --- |
/// | (m, n) | (m, k) | (k), real | (k, n) | thin, k = min(m, n) |
/// | (m, n) | (m, m) | (k), real | (n, n) | full |
/// | (batch, m, n) | (batch, m, k) | (batch, k), real | (batch, k, n) | many matrices, m and n up to 64 |
///
/// s descends. Views of any layout of float, double or their complex numbers. The error of s is some m eps of the
/// largest value, of whatever size the elements are.
///
/// One matrix is decomposed by LAPACK, cuSOLVER (by the polar decomposition) or rocSOLVER (component `linalg`), and the
/// call waits for `exec`; of one with many more rows than columns, or columns than rows, only the R of its QR
/// factorization is. On devices one of up to 64 rows and columns, or an R of up to 128 columns, that fits into shared
/// memory is decomposed by the method of batches. A batch is decomposed by one-sided Jacobi rotations in one kernel,
/// often with far less error in small values. Matrices that do not fit into fast scratch memory spill to global memory,
/// which grows when first needed.
///
/// With `info`, a View of int of one element an item (of rank 0 for one matrix), `info(b)` is 0, or not 0 where the
/// iteration has not converged (30 sweeps of Jacobi's), and a batch is asynchronous on `exec`; without it the call
/// waits for `exec` and throws. NaN or infinities in an item give NaN there.
///
/// Over ranks u and a are DistributedViews whose rows, no fewer than columns, are distributed in the same way, s and vt
/// are Views, the same on every rank, and the decomposition is thin, without `info`. Collective; waits.
/// @throws Error if ranks or extents do not fit or Views share memory
/// @throws ConvergenceError for the first item that did not converge, without `info`
template <execution_space Exec, result_view U, result_view S, result_view Vt, any_array A, view_like... Info>
void svd(const Exec& exec, const U& u, const S& s, const Vt& vt, const A& a, const Info&... info) {
  impl::engine_of<impl::singular_values, U, S, Vt, A>::run(exec, u, s, vt, a, info...);
}
template <result_view U, result_view S, result_view Vt, any_array A, view_like... Info>
void svd(const U& u, const S& s, const Vt& vt, const A& a, const Info&... info) {
  svd(impl::space_of(s, a), u, s, vt, a, info...);
}
QUERN_TAKES_NAME_NOT(option, svd)

/// The singular values alone, as `svd` gives them.
template <execution_space Exec, view_like S, array_like A, view_like... Info>
void svdvals(const Exec& exec, const S& s_view, const A& a_view, const Info&... info) {
  using T = impl::value_of<A>;
  static_assert(impl::are_matrices_of<T>, "quern::svdvals: a must have a floating-point or complex type");
  static_assert(std::is_same_v<impl::value_of<S>, impl::real_type<T>>, "quern::svdvals: s must have a's real type");
  impl::call c("quern::svdvals", exec);
  const auto s = c.output(s_view);
  const auto a = c.input(a_view);
  impl::check_matrices<Exec, A>(c.label, a);
  impl::check_info<Exec>(c.label, std::tie(s, a), info...);
  impl::svd_checked<A, Exec, T>(exec, c.label, {}, s, {}, a, info...);
}
template <view_like S, array_like A, view_like... Info>
void svdvals(const S& s, const A& a, const Info&... info) {
  svdvals(impl::space_of(s), s, a, info...);
}
QUERN_TAKES_NAME_NOT(option_or_place, svdvals)

}  // namespace quern

#endif
