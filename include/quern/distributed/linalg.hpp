// SPDX-FileCopyrightText: the Quern authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef QUERN_DISTRIBUTED_LINALG_HPP
#define QUERN_DISTRIBUTED_LINALG_HPP

/// @file
/// The engines of `matmul`, `qr`, `svd`, `lstsq` and `pca` over ranks, of tall matrices: DistributedViews of rank 2 (or
/// 1, for one column) on a grid of all ranks along axis 0. Small matrices, of n rows or
/// columns, are Views that every rank has, with the same bits.
///
/// Factorizations need Quern::linalg with a LAPACK. They are Cholesky QR as that of `quern::qr`, with the same checks
/// and the same recourse to reflections: each rank multiplies its own rows, and the Gram matrices, (n, n), are summed
/// over the ranks. Matrices that are not tall (less than 512 rows, or less than four times as many as columns) are
/// brought to every rank.
///
/// Collective; all but `matmul` wait.

#include <quern/core/call/label.hpp>
#include <quern/core/views/copies.hpp>
#include <quern/distributed/operands.hpp>
#include <quern/distributed/rank_sums.hpp>
#include <quern/distributed/redistribute.hpp>
#include <quern/distributed/reduce.hpp>
#include <quern/linalg/dense_kernels.hpp>
#include <quern/linalg/dense_orthogonal.hpp>
#include <quern/linalg/lapack.hpp>
#include <quern/linalg/least_squares.hpp>
#include <quern/linalg/matmul.hpp>
#include <quern/linalg/matrix_product.hpp>
#include <quern/linalg/principal_components.hpp>
#include <quern/linalg/product_kernels.hpp>
#include <quern/linalg/tall_kernels.hpp>

namespace quern::impl {

inline void check_rows(const std::string& label, std::string_view name, const Decomposition& d) {
  for (int axis = 1; axis < d.extents().rank; ++axis)
    if (d.grid(axis) != 1)
      throw Error(label, std::string(name) + " has a grid of " + std::to_string(d.grid(axis)) + " ranks along axis " +
                             std::to_string(axis) + ", expected 1: rows are distributed");
}
inline void check_same_rows(const std::string& label, std::string_view name, const Decomposition& d,
                            const Decomposition& a) {
  check_rows(label, name, d);
  if (d.extents().extent[0] != a.extents().extent[0] || !(d.communicator() == a.communicator()))
    throw Error(label, std::string(name) + " has other rows than a, or another communicator");
}

/// The checks of a factorization of `a` with its other arrays, after the ranks have compared what they call.
template <class More, class A, class... V>
void check_tall(const std::string& label, const More& more, const A& a, const V&... others) {
  static_assert(A::rank == 2, "quern: over ranks, matrices are DistributedViews of rank 2");
  const Decomposition& d = a.decomposition();
  check_same_arrays(d.communicator(), label, more, a, others...);
  check_rows(label, "a", d);
  if (d.extents().extent[0] < d.extents().extent[1])
    reject_extents(label, "a", d.extents(), "no more columns than rows");
}

/// The rows of the other ranks.
template <class Exec, class T>
class rows_of_ranks : public other_rows<T> {
 public:
  rows_of_ranks(const Exec& exec, const Communicator& comm) : exec_(exec), comm_(comm) {}
  void sum(const column_major<T>& m) const override { sum_over_ranks(exec_, comm_, m.data, m.ld * m.columns); }
  real_type<T> max(real_type<T> x) const override {
    for (const real_type<T> y : all_gather(comm_, x)) x = x != x || x > y ? x : y;
    return x;
  }
  void agree(void* value, std::size_t bytes) const override {
    broadcast(comm_, value, static_cast<std::int64_t>(bytes), 0);
  }
  std::int64_t count() const override { return comm_.size(); }
  std::int64_t number() const override { return comm_.rank(); }
  void stack(const column_major<T>& own, const column_major<T>& all) const override {
    const std::int64_t n = own.columns;
    const strided<T> mine{own.data, {n, n}, {1, own.ld}};
    std::vector<peer_box> out, in;
    for (int r = 0; r < comm_.size(); ++r) {
      out.emplace_back(r, mine);
      in.emplace_back(r, strided<T>{all.data + r * n, {n, n}, {1, all.ld}});
    }
    exchange_once(exec_, comm_, "quern::qr", out, in);
  }

 private:
  const Exec& exec_;
  Communicator comm_;
};

/// A matrix that is not tall, on every rank.
template <class Exec, class A>
auto on_every_rank(const Exec& exec, const A& a) {
  using whole =
      Kokkos::View<typename A::view_type::non_const_data_type, Kokkos::LayoutLeft, typename Exec::memory_space>;
  typename whole::array_layout layout;
  for (int axis = 0; axis < A::rank; ++axis) layout.dimension[axis] = a.extents().extent[axis];
  const whole w(Kokkos::view_alloc(exec, Kokkos::WithoutInitializing, "quern::distributed"), layout);
  distributed::to_global(exec, w, a);
  return w;
}
/// `f(result, whole)` on every rank for a matrix that is not tall, of whose result each rank takes its rows.
template <class Exec, class Out, class A, class F>
void by_every_rank(const Exec& exec, const std::string& label, const Out& out, const A& a, const F& f) {
  const auto whole = on_every_rank(exec, a);
  const auto result = quern::like(whole);
  in_operation(label, [&] { f(result, whole); });
  distributed::from_global(exec, out, result);
  exec.fence(kernel_label(label));
}

template <class A>
strided<const value_of<A>> local_matrix(const A& a) {
  return describe<const value_of<A>>(a.local().data(), a.local());
}

/// The decomposition `left diag(values) right` of R, which rank 0 makes: where vectors are free, all take the same, and
/// no rank waits for the slowest one of them.
template <class Exec, class T>
struct svd_of_triangle {
  work_matrix<Exec, T> left, right;
  scratch_array<Exec, real_type<T>> values;

  svd_of_triangle(const Exec& exec, const Communicator& comm, const std::string& label, const column_major<T>& r)
      : left(exec, r.columns, r.columns), right(exec, r.columns, r.columns), values(exec, r.columns) {
    const std::int64_t n = r.columns;
    int status = 0;
    if (comm.rank() == 0)
      status = svd_matrix(exec, label, as_matrix(*left), strided<real_type<T>>{values.data(), {n}, {1}},
                          as_matrix(*right), as_input(r), part::upper);
    broadcast(comm, &status, sizeof status, 0);
    if (status != 0) throw ConvergenceError(label, "the matrix does not converge", 0, 0);
    const auto count = static_cast<std::size_t>(n);
    take_from_first(exec, comm, std::span(left->data, count * count), std::span(right->data, count * count),
                    std::span(values.data(), count));
  }
};

/// Subtracts the means of the columns of m rows, of which these are a rank's, and adds them to `mean`: what the
/// rounding of means has left.
template <class Exec, class T, class Mean>
void subtract_rest_of_mean(const Exec& exec, const std::string& label, const rows_of_ranks<Exec, T>& others,
                           const column_major<T>& rows, const Mean& mean, std::int64_t m) {
  const std::int64_t n = rows.columns;
  const work_matrix<Exec, T> sums(exec, n, 1);
  const Kokkos::View<T*, typename Exec::memory_space, Kokkos::MemoryTraits<Kokkos::Unmanaged>> rest(sums->data, n);
  const auto view = as_part<Exec, 2>(as_matrix(rows));
  if (rows.rows > 0) quern::sum(exec, rest, view, axis{0});
  else fill_matrix(exec, label, as_matrix(*sums), T(0));
  others.sum(*sums);
  quern::multiply(exec, rest, rest, T(1 / static_cast<real_type<T>>(m)));
  if (rows.rows > 0) quern::subtract(exec, view, view, rest);
  quern::add(exec, mean, mean, rest);
}

template <>
struct engine<over_ranks_place, matrix_products> {
  template <class Exec, class C, class A, class B>
  static void run(const Exec& exec, const C& c, const A& a, const B& b, const product_scaling<value_of<C>>& scaling) {
    static_assert(distributed_like<C> && distributed_like<A> && view_like<B>,
                  "quern::matmul: over ranks, c and a are DistributedViews and b is a View");
    static_assert(A::rank == 2 && C::rank == 2, "quern: over ranks, matrices are DistributedViews of rank 2");
    const std::string& label = label_text("quern::matmul");
    const auto scaled = [&] {
      return ", alpha" + text_of_scalar(scaling.alpha) + ", beta" + text_of_scalar(scaling.beta);
    };
    check_same_arrays(a.decomposition().communicator(), label, scaled, c, a, b);
    check_rows(label, "a", a.decomposition());
    check_same_rows(label, "c", c.decomposition(), a.decomposition());
    in_operation(label, [&] { quern::matmul(exec, c.local(), a.local(), b, scaling); });
  }
};

template <>
struct engine<over_ranks_place, qr_factorizations> {
  template <class Exec, class Q, class R, class A>
  static void run(const Exec& exec, const Q& q, const R& r, const A& a) {
    static_assert(distributed_like<Q> && view_like<R> && distributed_like<A>,
                  "quern::qr: over ranks, q and a are DistributedViews and r is a View");
    using T = value_of<A>;
    const std::string& label = label_text("quern::qr");
    const Decomposition& d = a.decomposition();
    check_tall(label, [] { return ""; }, a, q, r);
    check_same_rows(label, "q", q.decomposition(), d);
    const std::int64_t n = d.extents().extent[1];
    check_extents(label, "q", q.extents(), d.extents());
    call c(label, exec);
    const auto triangle = c.output(r);
    check_extents(label, "r", triangle.extents, shape{n, n});
    if (!is_tall(d.extents()))
      return by_every_rank(exec, label, q, a,
                           [&](const auto& basis, const auto& whole) { quern::qr(exec, basis, r, whole); });
    const rows_of_ranks<Exec, T> others(exec, d.communicator());
    const tall_factors<Exec, T> f(exec, label, local_matrix(a), &others);
    if (d.local().extents.size() > 0)
      multiply_matrices(exec, label, describe(q.local().data(), q.local()), f.x, as_input(f.inverse()));
    copy_matrix(exec, label, triangle, as_matrix(f.r()));
    exec.fence(kernel_label(label));
  }
};

template <>
struct engine<over_ranks_place, singular_values> {
  template <class Exec, class U, class S, class Vt, class A, class... Info>
  static void run(const Exec& exec, const U& u, const S& s, const Vt& vt, const A& a, const Info&...) {
    static_assert(sizeof...(Info) == 0, "quern::svd: over ranks, info is not written; a ConvergenceError is thrown");
    static_assert(distributed_like<U> && view_like<S> && view_like<Vt> && distributed_like<A>,
                  "quern::svd: over ranks, u and a are DistributedViews, s and vt are Views");
    using T = value_of<A>;
    using R = real_type<T>;
    const std::string& label = label_text("quern::svd");
    const Decomposition& d = a.decomposition();
    check_tall(label, [] { return ""; }, a, u, s, vt);
    check_same_rows(label, "u", u.decomposition(), d);
    const std::int64_t n = d.extents().extent[1];
    check_extents(label, "u", u.extents(), d.extents());
    if (!is_tall(d.extents()))
      return by_every_rank(exec, label, u, a,
                           [&](const auto& left, const auto& whole) { quern::svd(exec, left, s, vt, whole); });
    call c(label, exec);
    const auto values = c.output(s);
    const auto right = c.output(vt);
    check_extents(label, "s", values.extents, shape{n});
    check_extents(label, "vt", right.extents, shape{n, n});
    const rows_of_ranks<Exec, T> others(exec, d.communicator());
    const tall_factors<Exec, T> f(exec, label, local_matrix(a), &others);
    const svd_of_triangle<Exec, T> small(exec, d.communicator(), label, f.r());
    const work_matrix<Exec, T> both(exec, n, n);
    multiply_matrices(exec, label, as_matrix(*both), as_input(f.inverse()), as_input(*small.left));
    copy_matrix(exec, label, values, strided<const R>{small.values.data(), {n}, {1}});
    copy_matrix(exec, label, right, as_input(*small.right));
    if (d.local().extents.size() > 0)
      multiply_matrices(exec, label, describe(u.local().data(), u.local()), f.x, as_input(*both));
    exec.fence(kernel_label(label));
  }
};

template <>
struct engine<over_ranks_place, least_squares_problems> {
  template <class Exec, class X, class A, class B>
  static std::int64_t run(const Exec& exec, const X& x, const A& a, const B& b, const lstsq_options& options) {
    static_assert(view_like<X> && distributed_like<A> && distributed_like<B>,
                  "quern::lstsq: over ranks, a and b are DistributedViews and x is a View");
    using T = value_of<A>;
    const std::string& label = label_text("quern::lstsq");
    const Decomposition& d = a.decomposition();
    const auto described = [&] {
      return ", method " + std::to_string(static_cast<int>(options.method)) + ", rcond " + text_of(options.rcond);
    };
    check_tall(label, described, a, b, x);
    check_same_rows(label, "b", b.decomposition(), d);
    if (options.method != least_squares::svd) throw Error(label, "over ranks the method is svd");
    const std::int64_t m = d.extents().extent[0], n = d.extents().extent[1];
    if (!is_tall(d.extents())) {
      const auto whole = on_every_rank(exec, a);
      const auto right = on_every_rank(exec, b);
      return in_operation(label, [&] { return quern::lstsq(exec, x, whole, right, rcond{options.rcond}); });
    }
    call c(label, exec);
    const auto solution = c.output(x);
    shape expected = b.extents();
    expected.extent[0] = n;
    check_extents(label, "x", solution.extents, expected);
    const auto xs = columns_of(solution);
    const std::int64_t columns = xs.extents.extent[1];
    const rows_of_ranks<Exec, T> others(exec, d.communicator());
    const tall_factors<Exec, T> f(exec, label, local_matrix(a), &others);
    // Q^H b, summed over the ranks, is the right side of the small problem R x = Q^H b.
    const work_matrix<Exec, T> sums(exec, n, columns), right(exec, n, columns);
    if (d.local().extents.extent[0] > 0) {
      const auto part = columns_of(local_matrix(b));
      const column_input<Exec, T> rows(exec, label, part);
      multiply_adjoint(exec, label, *sums, f.x, as_input(*rows));
    } else {
      fill_matrix(exec, label, as_matrix(*sums), T(0));
    }
    others.sum(*sums);
    const column_input<Exec, T> inverse(exec, label, as_input(f.inverse()));
    multiply_adjoint(exec, label, *right, as_input(*inverse), as_input(*sums));
    const decomposed<Exec, T> small(exec, label, as_input(f.r()), true);
    const std::int64_t rank = small.rank(options.rcond < 0 ? default_rcond<T>(m, n) : options.rcond);
    const work_matrix<Exec, T> result(exec, n, columns);
    small.apply_inverse(exec, label, as_matrix(*result), as_input(*right), rank);
    take_from_first(exec, d.communicator(), std::span(result->data, static_cast<std::size_t>(n * columns)));
    copy_matrix(exec, label, xs, as_matrix(*result));
    exec.fence(kernel_label(label));
    return rank;
  }
};

template <>
struct engine<over_ranks_place, principal_component_analyses> {
  template <class Exec, class Mean, class Components, class Variance, class A>
  static void run(const Exec& exec, const Mean& mean, const Components& components, const Variance& explained_variance,
                  const A& a) {
    static_assert(view_like<Mean> && view_like<Components> && view_like<Variance> && distributed_like<A>,
                  "quern::pca: over ranks, a is a DistributedView and the outputs are Views");
    using T = value_of<A>;
    const std::string& label = label_text("quern::pca");
    const Decomposition& d = a.decomposition();
    check_tall(label, [] { return ""; }, a, mean, components, explained_variance);
    const std::int64_t m = d.extents().extent[0], n = d.extents().extent[1];
    if (!is_tall(d.extents()))
      return in_operation(label,
                          [&] { quern::pca(exec, mean, components, explained_variance, on_every_rank(exec, a)); });
    call c(label, exec);
    const auto out = c.output(components);
    const std::int64_t k = out.extents.rank == 2 ? std::min(out.extents.extent[0], n) : n;
    check_extents(label, "components", out.extents, shape{k, n});
    check_extents(label, "explained_variance", view_extents(explained_variance), shape{k});
    in_operation(label, [&] { quern::mean(exec, mean, a, axis{0}); });
    const std::int64_t rows = d.local().extents.extent[0];
    const work_matrix<Exec, T> centred(exec, rows, n);
    const rows_of_ranks<Exec, T> others(exec, d.communicator());
    if (rows > 0) quern::subtract(exec, as_part<Exec, 2>(as_matrix(*centred)), a.local(), mean);
    subtract_rest_of_mean(exec, label, others, *centred, mean, m);
    const tall_factors<Exec, T> f(exec, label, as_input(*centred), &others);
    const svd_of_triangle<Exec, T> small(exec, d.communicator(), label, f.r());
    copy_matrix(exec, label, out, strided<const T>{small.right->data, {k, n}, {1, small.right->ld}});
    set_variances(exec, explained_variance, small.values.data(), m);
    exec.fence(kernel_label(label));
  }
};

}  // namespace quern::impl

#endif
