// SPDX-FileCopyrightText: the Quern authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef QUERN_LINALG_DENSE_ORTHOGONAL_HPP
#define QUERN_LINALG_DENSE_ORTHOGONAL_HPP

/// @file
/// QR, singular value and eigenvalue decompositions of one matrix. Each function waits.

#include <quern/core/call/label.hpp>
#include <quern/core/launch/compiled.hpp>
#include <quern/core/memory/scratch_layout.hpp>
#include <quern/core/values/values.hpp>
#include <quern/linalg/small_svd.hpp>
#include <quern/linalg/tall_kernels.hpp>

namespace quern::impl {

/// Householder's factorization, `columns` of Q.
template <class Exec, class T>
void qr_by_reflections(const Exec& exec, const std::string& label, const strided<T>& q, const strided<T>& r,
                       const strided<const T>& a) {
  const std::int64_t m = a.extents.extent[0], n = a.extents.extent[1], columns = q.extents.extent[1];
  const work_matrix<Exec, T> work(exec, m, std::max(n, columns));
  copy_matrix(exec, label, as_matrix(work->first_columns(n)), a);
  if (!all_finite(exec, label, work->first_columns(n))) {
    fill_nan(exec, label, q);
    fill_nan(exec, label, r);
    return;
  }
  reflect(exec, label, *work, n, columns, r);
  copy_matrix(exec, label, q, as_matrix(work->first_columns(columns)));
}

template <class Exec, class T>
void qr_matrix(const Exec& exec, const std::string& label, const strided<T>& q, const strided<T>& r,
               const strided<const T>& a) {
  const std::int64_t m = a.extents.extent[0], n = a.extents.extent[1];
  if (m == 0 || n == 0) {  // of a matrix without columns, Q is any orthonormal basis
    const work_matrix<Exec, T> one(exec, m, q.extents.extent[1]);
    set_identity(exec, label, *one);
    return copy_matrix(exec, label, q, as_matrix(*one));
  }
  if (!is_tall(a.extents) || q.extents.extent[1] != n) return qr_by_reflections(exec, label, q, r, a);
  const tall_factors<Exec, T> f(exec, label, a);
  multiply_tall(exec, label, q, f.x, f.inverse());
  copy_matrix(exec, label, r, as_matrix(f.r()));
}

/// A matrix as a batch of one.
template <class T>
matrix_batch<T> as_one_item(const strided<T>& s) {
  return {s.data,
          static_cast<int>(s.extents.extent[0]),
          static_cast<int>(s.extents.extent[1]),
          {0, s.stride[0], s.stride[1]}};
}

/// Launches the decomposition A = U diag(s) Vt, m >= n, U of (m, n), or s alone where u has no data, by Jacobi's
/// rotations of one team of a device, which leaves A alone and 0 in `info` if they have converged. False where one team
/// has no room.
///
/// The rotations work on A^T, which is a lower triangle where A is an upper. Those of R from a QR factorization
/// converge after some ten sweeps, whatever its condition (Drmac and Veselic, SIAM J. Matrix Anal. Appl. 29, 2008); for
/// 100 columns of other matrices it may be thirty, so that these are as small as those of batches.
template <class Exec, class T>
bool launch_rotations(const Exec& exec, const std::string& label, const column_major<T>& u, real_type<T>* s,
                      const column_major<T>& vt, const column_major<T>& a, part which, int* info) {
  if constexpr (is_device<Exec>) {
    if (a.rows > (which == part::upper ? linalg_tuning<Exec>::team_columns : largest_small_matrix)) return false;
    const svd_op<T> rotations{as_one_item(strided<real_type<T>>{s, {a.columns, 1}, {1, 1}}),
                              as_one_item(exchanged(as_matrix(vt))), as_one_item(exchanged(as_matrix(u))),
                              as_one_item(exchanged(as_input(a))), item_info{info, 0}};
    return launch_alone<T>(exec, label_text(label, "/rotations"), a.rows, rotations);
  }
  return false;
}
/// The same, waited for: whether it could, and they have converged.
template <class Exec, class T>
bool svd_by_rotations(const Exec& exec, const std::string& label, const column_major<T>& u, real_type<T>* s,
                      const column_major<T>& vt, const column_major<T>& a, part which) {
  lease<Exec> held(exec);
  int* const info = held.template result<int>();
  if (!launch_rotations(exec, label, u, s, vt, a, which, info)) return false;
  exec.fence(kernel_label(label, ": info"));
  return *info == 0;
}

/// The same of the R of a tall matrix, by the one wait for its factors, which are right afterwards.
template <class Exec, class T>
bool svd_by_rotations(const Exec& exec, const std::string& label, const column_major<T>& u, real_type<T>* s,
                      const column_major<T>& vt, tall_factors<Exec, T>& f) {
  lease<Exec> held(exec);
  int* const info = held.template result<int>();
  const bool launched = launch_rotations(exec, label, u, s, vt, f.r(), part::upper, info);
  if (launched) exec.fence(kernel_label(label, ": info"));
  if (!f.confirmed(launched)) return svd_by_rotations(exec, label, u, s, vt, f.r(), part::upper);
  return launched && *info == 0;
}

/// A = U diag(s) Vt, m >= n, U of (m, n); s alone where u has no data. By rotations or else by LAPACK; reports as
/// `run_routine`.
template <class Exec, class T>
std::optional<int> svd_of_tall(const Exec& exec, const std::string& label, const strided<T>& u, real_type<T>* s,
                               const column_major<T>& vt, const strided<const T>& a, part which) {
  const std::int64_t m = a.extents.extent[0], n = a.extents.extent[1];
  const bool vectors = u.data != nullptr;
  const auto right = vectors ? vt : column_major<T>{};
  const auto by_library = [&](const column_major<T>& work, const column_major<T>& left) {
    return run_routine(exec, label, work, part::all, [&](int* info) { lapack::svd(exec, work, s, left, right, info); });
  };
  if (!is_tall(a.extents)) {
    const work_matrix<Exec, T> work(exec, m, n), left(exec, u);
    copy_matrix(exec, label, as_matrix(*work), a);
    const auto l = vectors ? *left : column_major<T>{};
    if (!svd_by_rotations(exec, label, l, s, right, *work, which))
      if (const auto status = by_library(*work, l); status != 0) return status;
    if (vectors) copy_matrix(exec, label, u, as_matrix(*left));
    return 0;
  }
  using factors = tall_factors<Exec, T>;
  factors f(exec, label, a, nullptr, factors::reports::later);
  const work_matrix<Exec, T> left(exec, n, n), both(exec, n, n);
  const auto l = vectors ? *left : column_major<T>{};
  if (!svd_by_rotations(exec, label, l, s, right, f))
    if (const auto status = by_library(f.r(), l); status != 0) return status;
  if (!vectors) return 0;
  multiply_matrices(exec, label, as_matrix(*both), as_input(f.inverse()), as_input(*left));
  multiply_tall(exec, label, u, f.x, *both);
  return 0;
}

/// The columns of U behind the n-th, orthogonal to those before.
template <class Exec, class T>
void complete_basis(const Exec& exec, const std::string& label, const strided<T>& u, std::int64_t n) {
  const std::int64_t m = u.extents.extent[0];
  if (m == n) return;
  const work_matrix<Exec, T> work(exec, m, m);
  copy_matrix(exec, label, as_matrix(work->first_columns(n)), first_columns(u, n));
  reflect(exec, label, *work, n, m, {});
  const auto behind = [&](const strided<T>& s) { return strided<T>{s.data + n * s.stride[1], {m, m - n}, s.stride}; };
  copy_matrix(exec, label, behind(u), behind(as_matrix(*work)));
}

/// A = U diag(s) Vt of any shape, thin, or full where U is (m, m) and Vt (n, n); s alone where u has no data. Elements
/// of A outside a part are zero.
template <class Exec, class T>
int svd_matrix(const Exec& exec, const std::string& label, const strided<T>& u, const strided<real_type<T>>& s,
               const strided<T>& vt, const strided<const T>& a, part which = part::all) {
  const std::int64_t m = a.extents.extent[0], n = a.extents.extent[1], k = std::min(m, n);
  const bool vectors = u.data != nullptr;
  if (m < n) return svd_matrix(exec, label, exchanged(vt), s, exchanged(u), exchanged(a));
  if (n == 0) {
    if (vectors) qr_matrix(exec, label, u, strided<T>{nullptr, {u.extents.extent[1], 0}, {}}, a);
    return 0;
  }
  const work_matrix<Exec, T> right(exec, vectors ? n : 0, vectors ? n : 0);
  const scratch_array<Exec, real_type<T>> values(exec, k);
  const strided<T> thin = vectors ? first_columns(u, k) : u;
  const auto status = svd_of_tall(exec, label, thin, values.data(), *right, a, which);
  if (status != 0) {
    fill_nan(exec, label, s);
    if (vectors) fill_nan(exec, label, u);
    if (vectors) fill_nan(exec, label, vt);
    return status.value_or(0);
  }
  copy_matrix(exec, label, s, strided<real_type<T>>{values.data(), {k}, {1}});
  if (!vectors) return 0;
  copy_matrix(exec, label, vt, as_matrix(*right));
  if (u.extents.extent[1] > k) complete_basis(exec, label, u, k);
  return 0;
}

/// A v = v diag(w); w alone where v has no data.
template <class Exec, class T>
int eigh_matrix(const Exec& exec, const std::string& label, const strided<real_type<T>>& w, const strided<T>& v,
                const strided<const T>& a) {
  const std::int64_t n = a.extents.extent[0];
  if (n == 0) return 0;
  const bool vectors = v.data != nullptr;
  const auto work = vectors ? work_matrix<Exec, T>(exec, v) : work_matrix<Exec, T>(exec, n, n);
  copy_matrix(exec, label, as_matrix(*work), a);
  const scratch_array<Exec, real_type<T>> values(exec, n);
  const auto status = run_routine(exec, label, *work, part::lower,
                                  [&](int* info) { lapack::eigh(exec, *work, values.data(), vectors, info); });
  if (status != 0) {
    fill_nan(exec, label, w);
    if (vectors) fill_nan(exec, label, v);
    return status.value_or(0);
  }
  copy_matrix(exec, label, w, strided<real_type<T>>{values.data(), {n}, {1}});
  if (vectors) copy_matrix(exec, label, v, as_matrix(*work));
  return 0;
}

/// What the vendor's library works on, for many Hermitian matrices: n by n side by side, one after the other, with
/// their eigenvalues, its report of each, and how many elements of each are not finite.
template <class T>
struct hermitian_batch {
  using R = real_type<T>;
  std::int64_t n;
  T* work;
  R* values;
  int *info, *others;

  /// Calls f(item, i, j, matrix(i, j)) for the element e of all.
  template <class F>
  KOKKOS_FUNCTION void at(std::int64_t e, const F& f) const {
    const std::int64_t size = n * n, item = e / size, rest = e - item * size;
    const int i = static_cast<int>(rest / n), j = static_cast<int>(rest - i * n);
    f(item, i, j, work[item * size + i + j * n]);
  }
};
template <class T>
struct hermitian_check {
  hermitian_batch<T> batch;
  matrix_batch<const T> a;
  KOKKOS_FUNCTION void operator()(std::int64_t item) const {
    int count = 0;
    for (int i = 0; i < batch.n; ++i)
      for (int j = 0; j <= i; ++j)
        count += magnitude(a(item, i, j)) <= Kokkos::Experimental::finite_max_v<real_type<T>> ? 0 : 1;
    batch.others[item] = count;
  }
};
template <class T>
struct hermitian_load {
  hermitian_batch<T> batch;
  matrix_batch<const T> a;
  KOKKOS_FUNCTION void operator()(std::int64_t e) const {
    batch.at(e, [&](std::int64_t item, int i, int j, T& element) {
      element = batch.others[item] == 0 ? a(item, i, j) : T(i == j ? 1 : 0);
    });
  }
};
template <class T>
struct hermitian_store {
  using R = real_type<T>;
  hermitian_batch<T> batch;
  matrix_batch<R> w;
  matrix_batch<T> v;
  item_info failed;
  bool vectors;
  KOKKOS_FUNCTION void operator()(std::int64_t e) const {
    batch.at(e, [&](std::int64_t item, int i, int j, const T& element) {
      constexpr R nan = Kokkos::Experimental::quiet_NaN_v<R>;
      const bool right = batch.others[item] == 0 && batch.info[item] == 0;
      if (vectors) v(item, i, j) = right ? element : T(nan);
      if (j == 0) w(item, i, 0) = right ? batch.values[item * batch.n + i] : nan;
      if (i == 0 && j == 0) failed(item) = batch.others[item] == 0 && batch.info[item] != 0 ? 1 : 0;
    });
  }
};

/// Many Hermitian matrices, by the vendor's library, which is asynchronous, except when it allocates its own memory. A
/// matrix with elements that are not finite is the identity for it, and gives NaN.
template <class Exec, class T>
void eigh_batch(const Exec& exec, const std::string& label, const matrix_batch<real_type<T>>& w,
                const matrix_batch<T>& v, const matrix_batch<const T>& a, std::int64_t items, const item_info& failed) {
  const std::int64_t n = a.rows, size = n * n;
  hermitian_batch<T> batch{n, nullptr, nullptr, nullptr, nullptr};
  const scratch_arrays<Exec> memory(exec, scratch_part{batch.work, size * items}, scratch_part{batch.values, n * items},
                                    scratch_part{batch.info, items}, scratch_part{batch.others, items});
  const bool vectors = v.data != nullptr;
  Kokkos::parallel_for(kernel_label(label, "/finite"), index_range(exec, items), hermitian_check<T>{batch, a});
  Kokkos::parallel_for(kernel_label(label, "/load"), index_range(exec, size * items), hermitian_load<T>{batch, a});
  lapack::eigh_batch(exec, column_major<T>{batch.work, n, n * items, n}, batch.values, vectors, batch.info);
  Kokkos::parallel_for(kernel_label(label, "/store"), index_range(exec, size * items),
                       hermitian_store<T>{batch, w, v, failed, vectors});
}

#define QUERN_DENSE_ORTHOGONAL(HOW, Exec, T)                                                                     \
  HOW template void qr_matrix(const Exec&, const std::string&, const strided<T>&, const strided<T>&,             \
                              const strided<const T>&);                                                          \
  HOW template int svd_matrix(const Exec&, const std::string&, const strided<T>&, const strided<real_type<T>>&,  \
                              const strided<T>&, const strided<const T>&, part);                                 \
  HOW template int eigh_matrix(const Exec&, const std::string&, const strided<real_type<T>>&, const strided<T>&, \
                               const strided<const T>&);
QUERN_MATRICES_ELSEWHERE(QUERN_DENSE_ORTHOGONAL)

}  // namespace quern::impl

#endif
