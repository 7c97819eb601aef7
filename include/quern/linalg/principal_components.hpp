// SPDX-FileCopyrightText: the Quern authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef QUERN_LINALG_PRINCIPAL_COMPONENTS_HPP
#define QUERN_LINALG_PRINCIPAL_COMPONENTS_HPP

/// @file
/// The few directions in which data vary most: principal components, and the first singular values of a matrix. Both
/// need the component `linalg`.

#include <quern/core/call/call.hpp>
#include <quern/core/values/values.hpp>
#include <quern/linalg/covariance.hpp>
#include <quern/linalg/least_squares.hpp>
#include <quern/map/functions.hpp>
#include <quern/random/generator.hpp>

namespace quern {
namespace impl {

/// s and Vt of A, without its U: of a matrix with many more rows than columns those of its R.
template <class Exec, class T>
void right_vectors(const Exec& exec, const std::string& label, real_type<T>* s, const column_major<T>& vt,
                   const strided<const T>& a) {
  const std::int64_t k = vt.rows;
  std::optional<tall_factors<Exec, T>> tall;
  if (is_tall(a.extents)) tall.emplace(exec, label, a);
  const work_matrix<Exec, T> left(exec, tall ? k : a.extents.extent[0], k);
  if (svd_matrix(exec, label, as_matrix(*left), strided<real_type<T>>{s, {k}, {1}}, as_matrix(vt),
                 tall ? as_input(tall->r()) : a, tall ? part::upper : part::all) != 0)
    throw ConvergenceError(label, "the matrix does not converge", 0, 0);
}

/// Random directions: each element is normal, of a stream of its own.
template <class T>
struct normal_fill {
  T* to;
  random::key key;
  KOKKOS_FUNCTION void operator()(std::int64_t e) const {
    random::Generator numbers(key, e);
    to[e] = T(numbers.normal<real_type<T>>());
  }
};

/// The first singular values of A, from `size` random combinations of its columns.
template <class Exec, class T>
struct randomized_svd {
  using R = real_type<T>;
  work_matrix<Exec, T> u, vt;
  scratch_array<Exec, R> s;

  randomized_svd(const Exec& exec, const std::string& label, const strided<const T>& a, std::int64_t size,
                 int iterations, const random::key& key)
      : u(exec, a.extents.extent[0], size), vt(exec, size, a.extents.extent[1]), s(exec, size) {
    const std::int64_t m = a.extents.extent[0], n = a.extents.extent[1];
    const work_matrix<Exec, T> range(exec, m, size), basis(exec, m, size), r(exec, size, size), back(exec, n, size),
        domain(exec, n, size), small(exec, size, size);
    // A complex matrix must have contiguous columns to be multiplied from the left by its adjoint.
    std::optional<column_input<Exec, T>> columns;
    if (is_complex<T>) columns.emplace(exec, label, a);
    const strided<const T> matrix = columns ? as_input(**columns) : a;
    Kokkos::parallel_for(kernel_label(label, "/sample"), index_range(exec, n * size),
                         normal_fill<T>{domain->data, key});
    for (int i = 0;; ++i) {
      multiply_matrices(exec, label, as_matrix(*range), matrix, as_input(*domain));
      qr_matrix(exec, label, as_matrix(*basis), as_matrix(*r), as_input(*range));
      if (i == iterations) break;
      multiply_adjoint(exec, label, *back, matrix, as_input(*basis));
      qr_matrix(exec, label, as_matrix(*domain), as_matrix(*r), as_input(*back));
    }
    const work_matrix<Exec, T> projected(exec, size, n);
    multiply_adjoint(exec, label, *projected, as_input(*basis), matrix);
    const strided<R> values{s.data(), {size}, {1}};
    if (svd_matrix(exec, label, as_matrix(*small), values, as_matrix(*vt), as_input(*projected)) != 0)
      throw ConvergenceError(label, "the matrix does not converge", 0, 0);
    multiply_matrices(exec, label, as_matrix(*u), as_input(*basis), as_input(*small));
  }
};

/// variances(j) = s(j)^2 / (m - 1), from singular values s of m observations without their means.
template <class Exec, class Variances, class R>
void set_variances(const Exec& exec, const Variances& variances, const R* s, std::int64_t m) {
  const auto values = as_part<Exec, 1>(strided<const R>{s, {static_cast<std::int64_t>(variances.extent(0))}, {1}});
  quern::multiply(exec, variances, values, values);
  quern::multiply(exec, variances, variances, 1 / static_cast<R>(m - 1));
}

struct principal_component_analyses {};

template <>
struct engine<in_memory, principal_component_analyses> {
  template <class Exec, class Mean, class Components, class Variance, class A>
  static void run(const Exec& exec, const Mean& mean_view, const Components& components_view,
                  const Variance& variance_view, const A& a_view) {
    using T = value_of<A>;
    using R = real_type<T>;
    call c("quern::pca", exec);
    static_assert(std::is_same_v<value_of<Mean>, T> && std::is_same_v<value_of<Components>, T>,
                  "quern::pca: mean, components and a must have one type");
    static_assert(std::is_same_v<value_of<Variance>, R>, "quern::pca: explained_variance must be real");
    const auto means = c.output(mean_view);
    const auto components = c.output(components_view);
    const auto variance = c.output(variance_view);
    const auto a = c.input(a_view);
    check_one_matrix<Exec, T>(c.label, "a", a);
    const std::int64_t m = a.extents.extent[0], n = a.extents.extent[1], max_components = std::min(m, n);
    const std::int64_t k =
        components.extents.rank == 2 ? std::min(components.extents.extent[0], max_components) : max_components;
    if (m < 2) reject_extents(c.label, "a", a.extents, "at least two rows");
    check_extents(c.label, "mean", means.extents, shape{n});
    check_extents(c.label, "components", components.extents, shape{k, n});
    check_extents(c.label, "explained_variance", variance.extents, shape{k});
    check_overlap(c.label, means, a, "a", false);
    check_overlap(c.label, components, a, "a", false);
    check_overlap(c.label, variance, a, "a", false);
    check_apart(c.label, {"mean", "components", "explained_variance"}, means, components, variance);
    if (n == 0) return;
    const work_matrix<Exec, T> centred(exec, m, n), vt(exec, max_components, n);
    const scratch_array<Exec, R> values(exec, max_components);
    const auto centred_view = as_part<Exec, 2>(as_matrix(*centred));
    centre_columns(exec, centred_view, mean_view, a_view);
    right_vectors(exec, c.label, values.data(), *vt, as_input(*centred));
    copy_matrix(exec, c.label, components, strided<const T>{vt->data, {k, n}, {1, vt->ld}});
    set_variances(exec, variance_view, values.data(), m);
  }
};

}  // namespace impl

/// The principal components of m observations of n variables, the rows of a: the directions in which they vary most.
///
/// | a | mean | components | explained_variance |
/// | --- | --- | --- | --- |
/// | (m, n) | (n) | (k, n) | (k), real |
///
/// The mean of each variable; orthonormal rows, of which the first has the direction of the greatest variance of `a -
/// mean`, the next the greatest of those orthogonal to it, and so on; and these variances, over m - 1, as
/// `sklearn.decomposition.PCA` gives them; the sign of a component is free. k is at most min(m, n). `(a - mean)
/// components^H` are the data in these directions.
///
/// Views of any layout, of float, double or their complex numbers; waits for `exec`; needs scratch memory for two or
/// three copies of a. The singular values come from the R of a QR factorization of `a - mean` (see `qr`), so that no
/// squares spoil small variances. NaN in a give NaN.
///
/// Over ranks a is a DistributedView whose rows, no fewer than columns, are distributed; the outputs are Views, the
/// same on every rank. Collective; waits.
/// @throws Error if ranks or extents do not fit, m < 2, or outputs share memory with a; ConvergenceError
template <execution_space Exec, result_view Mean, result_view Components, result_view Variance, any_array A>
void pca(const Exec& exec, const Mean& mean, const Components& components, const Variance& explained_variance,
         const A& a) {
  impl::engine_of<impl::principal_component_analyses, Mean, Components, Variance, A>::run(exec, mean, components,
                                                                                          explained_variance, a);
}
template <result_view Mean, result_view Components, result_view Variance, any_array A>
void pca(const Mean& mean, const Components& components, const Variance& explained_variance, const A& a) {
  pca(impl::space_of(mean, a), mean, components, explained_variance, a);
}
QUERN_TAKES_NAME_NOT(option, pca)

/// Of `truncated_svd`: directions more than are wanted, which make the wanted ones more accurate; 10 without it.
struct oversampling {
  using option_of = impl::any_place;
  int value;
};
/// Of `truncated_svd`: products with a and its adjoint, more where singular values descend slowly; 4 without it.
struct power_iterations {
  using option_of = impl::any_place;
  int value;
};

/// The k greatest singular values of a large matrix and their vectors, `a ~ u diag(s) vt`, from random combinations of
/// its columns (Halko, Martinsson and Tropp, SIAM Review 53, 2011, with orthonormal subspace iterations).
///
/// | a | u | s | vt |
/// | --- | --- | --- | --- |
/// | (m, n) | (m, k) | (k), real | (k, n) |
///
/// Takes products with a and QR factorizations of k + oversampling columns, instead of a decomposition of a. The error
/// of s(j) is of the order of `s(k) (s(k + oversampling) / s(j))^(2 power_iterations + 1)`, or rounding. The same key
/// gives the same result on one machine; k at most min(m, n). Views of any layout, of float, double or their complex
/// numbers; waits for `exec`. NaN in a give NaN.
/// @param options `oversampling`, 10 without it; `power_iterations`, 4 without it; a `random::key`, `key(0)` without it
/// @throws Error if ranks or extents do not fit, outputs share memory with a, or an option is negative
/// @throws ConvergenceError
template <execution_space Exec, view_like U, view_like S, view_like Vt, array_like A,
          option<oversampling, power_iterations, random::key>... Options>
void truncated_svd(const Exec& exec, const U& u_view, const S& s_view, const Vt& vt_view, const A& a_view,
                   const Options&... options) {
  using T = impl::value_of<A>;
  impl::call c("quern::truncated_svd", exec);
  static_assert(std::is_same_v<impl::value_of<U>, T> && std::is_same_v<impl::value_of<Vt>, T>,
                "quern::truncated_svd: u, vt and a must have one type");
  static_assert(std::is_same_v<impl::value_of<S>, impl::real_type<T>>, "quern::truncated_svd: s must be real");
  const auto u = c.output(u_view);
  const auto s = c.output(s_view);
  const auto vt = c.output(vt_view);
  const auto a = c.input(a_view);
  impl::check_one_matrix<Exec, T>(c.label, "a", a);
  const std::int64_t m = a.extents.extent[0], n = a.extents.extent[1], max_components = std::min(m, n);
  const std::int64_t k = s.extents.rank == 1 ? std::min(s.extents.extent[0], max_components) : max_components;
  impl::check_extents(c.label, "u", u.extents, shape{m, k});
  impl::check_extents(c.label, "s", s.extents, shape{k});
  impl::check_extents(c.label, "vt", vt.extents, shape{k, n});
  impl::check_overlap(c.label, u, a, "a", false);
  impl::check_overlap(c.label, vt, a, "a", false);
  impl::check_overlap(c.label, s, a, "a", false);
  impl::check_apart(c.label, {"u", "s", "vt"}, u, s, vt);
  const int more = impl::option_or(oversampling{10}, options...).value;
  const int products = impl::option_or(power_iterations{4}, options...).value;
  if (more < 0 || products < 0) throw Error(c.label, "an option is negative");
  if (k == 0) return;
  const impl::randomized_svd<Exec, T> r(exec, c.label, a, std::min(k + more, max_components), products,
                                        impl::option_or(random::key(0), options...));
  impl::copy_matrix(exec, c.label, u, impl::as_matrix(r.u->first_columns(k)));
  impl::copy_matrix(exec, c.label, vt, impl::strided<const T>{r.vt->data, {k, n}, {1, r.vt->ld}});
  impl::copy_matrix(exec, c.label, s, impl::strided<const impl::real_type<T>>{r.s.data(), {k}, {1}});
}
template <view_like U, view_like S, view_like Vt, array_like A,
          option<oversampling, power_iterations, random::key>... Options>
void truncated_svd(const U& u, const S& s, const Vt& vt, const A& a, const Options&... options) {
  truncated_svd(impl::space_of(u), u, s, vt, a, options...);
}
QUERN_TAKES_NAME_NOT(place, truncated_svd)

}  // namespace quern

#endif
