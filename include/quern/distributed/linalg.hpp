// SPDX-FileCopyrightText: the Quern authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef QUERN_DISTRIBUTED_LINALG_HPP
#define QUERN_DISTRIBUTED_LINALG_HPP

/// @file
/// Linear algebra of tall matrices whose rows are distributed: DistributedViews of rank 2 (or 1, for one column) on a
/// grid of all ranks along axis 0. Small matrices, of n rows or columns, are Views that every rank has, with the same
/// bits.
///
/// Factorizations need Quern::linalg with a LAPACK. They are Cholesky QR as that of `quern::qr`, with the same checks
/// and the same recourse to reflections: each rank multiplies its own rows, and the Gram matrices, (n, n), are summed
/// over the ranks. Matrices that are not tall (less than 512 rows, or less than four times as many as columns) are
/// brought to every rank.
///
/// Collective; all but `matmul` wait.

#include <quern/core/mirror.hpp>
#include <quern/distributed/operands.hpp>
#include <quern/distributed/rank_sums.hpp>
#include <quern/distributed/redistribute.hpp>
#include <quern/distributed/reduce.hpp>
#include <quern/linalg/least_squares.hpp>
#include <quern/linalg/matmul.hpp>
#include <quern/linalg/principal_components.hpp>

namespace quern::distributed {
namespace impl {

inline void check_rows(const std::string& label, const std::string& name, const Decomposition& d) {
  for (int axis = 1; axis < d.extents().rank; ++axis)
    if (d.grid(axis) != 1)
      throw Error(label, name + " has a grid of " + std::to_string(d.grid(axis)) + " ranks along axis " +
                             std::to_string(axis) + ", expected 1: rows are distributed");
}
inline void check_same_rows(const std::string& label, const std::string& name, const Decomposition& d,
                            const Decomposition& a) {
  check_rows(label, name, d);
  if (d.extents().extent[0] != a.extents().extent[0] || !(d.communicator() == a.communicator()))
    throw Error(label, name + " has other rows than a, or another communicator");
}

/// The rows of the other ranks.
template <class Exec, class T>
class rows_of_ranks : public other_rows<T> {
 public:
  rows_of_ranks(const Exec& exec, const Communicator& comm) : exec_(exec), comm_(comm) {}
  void sum(const column_major<T>& m) const override { sum_over_ranks(comm_, exec_, m.data, m.ld * m.columns); }
  real_type<T> most(real_type<T> x) const override {
    for (const real_type<T> y : all_gather(comm_, x)) x = x != x || x > y ? x : y;
    return x;
  }
  void agree(void* value, std::size_t bytes) const override {
    broadcast(comm_, value, static_cast<std::int64_t>(bytes), 0);
  }
  std::int64_t count() const override { return comm_.size(); }
  std::int64_t place() const override { return comm_.rank(); }
  void stack(const column_major<T>& own, const column_major<T>& all) const override {
    const std::int64_t n = own.columns;
    const strided<T> mine{own.data, {n, n}, {1, own.ld}};
    std::vector<peer_box> out, in;
    for (int r = 0; r < comm_.size(); ++r) {
      out.emplace_back(r, mine);
      in.emplace_back(r, strided<T>{all.data + r * n, {n, n}, {1, all.ld}});
    }
    exchange_once(comm_, exec_, "quern::distributed::qr", out, in);
  }

 private:
  const Exec& exec_;
  Communicator comm_;
};

inline bool is_tall_matrix(const Decomposition& d) {
  const std::int64_t m = d.extents().extent[0], n = d.extents().extent[1];
  return m >= least_tall_rows && m >= least_tall_ratio * n;
}

/// A matrix that is not tall, on every rank.
template <class Exec, class A>
auto on_every_rank(const Exec& exec, const A& a) {
  using whole = Kokkos::View<typename A::view_type::data_type, Kokkos::LayoutLeft, typename Exec::memory_space>;
  typename whole::array_layout layout;
  for (int axis = 0; axis < A::rank; ++axis) layout.dimension[axis] = a.extents().extent[axis];
  const whole w(Kokkos::view_alloc(exec, Kokkos::WithoutInitializing, "quern::distributed"), layout);
  gather(exec, w, a);
  return w;
}
/// The rows of this rank in a matrix that every rank has.
template <class Exec, class Out, class Whole>
void take_rows(const Exec& exec, const Out& out, const Whole& whole) {
  from_global(exec, out, whole);
}

template <class Exec, class A>
auto local_matrix(const A& a) {
  const auto s = describe(a.local().data(), a.local());
  return strided<const typename A::value_type>{s.data, s.extents, s.stride};
}
template <class Exec, class A>
strided<typename A::value_type> local_output(const A& a) {
  return describe(a.local().data(), a.local());
}

/// The decomposition `left diag(values) right` of R, which rank 0 makes: where vectors are free, all take the same, and
/// no rank waits for the slowest one of them.
template <class Exec, class T>
struct svd_of_triangle {
  work_matrix<Exec, T> left, right;
  scratch_array<Exec, real_type<T>> values;

  svd_of_triangle(const Exec& exec, const std::string& label, const Communicator& comm, const column_major<T>& r)
      : left(exec, r.columns, r.columns), right(exec, r.columns, r.columns), values(exec, r.columns) {
    const std::int64_t n = r.columns;
    int status = 0;
    if (comm.rank() == 0)
      status = svd_matrix(exec, label, as_matrix(*left), strided<real_type<T>>{values.data(), {n}, {1}},
                          as_matrix(*right), as_input(r));
    broadcast(comm, &status, sizeof status, 0);
    if (status != 0) throw ConvergenceError(label, "the matrix does not converge", 0, 0);
    take_from_first(comm, exec, values_of<T>{left->data, n * n}, values_of<T>{right->data, n * n},
                    values_of<real_type<T>>{values.data(), n});
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
  const auto view = matrix_view<Exec>(as_matrix(rows));
  if (rows.rows > 0) quern::sum(exec, rest, view, axis{0});
  else fill_matrix(exec, label, as_matrix(*sums), T(0));
  others.sum(*sums);
  quern::multiply(exec, rest, rest, T(1 / static_cast<real_type<T>>(m)));
  if (rows.rows > 0) quern::subtract(exec, view, view, rest);
  quern::add(exec, mean, mean, rest);
}

}  // namespace impl

/// `c = a b` for a distributed a, (m, k), and a small b, (k, n), that every rank has; c, (m, n), has the rows of a. No
/// messages; asynchronous on `exec`. See `quern::matmul`.
/// @throws Error as `quern::matmul`, and if the rows differ
template <execution_space Exec, distributed_like C, distributed_like A, view_like B>
void matmul(const Exec& exec, const C& c, const A& a, const B& b) {
  const std::string label = "quern::distributed::matmul";
  impl::check_rows(label, "a", a.decomposition());
  impl::check_same_rows(label, "c", c.decomposition(), a.decomposition());
  impl::in_operation(label, [&] { quern::matmul(exec, c.local(), a.local(), b); });
}

/// `a = q r` with orthonormal columns of q, (m, n), and upper triangular r, (n, n), for m >= n; q has the rows of a.
/// @throws Error if extents do not fit or rows differ
template <execution_space Exec, distributed_like Q, view_like R, distributed_like A>
void qr(const Exec& exec, const Q& q, const R& r, const A& a) {
  using T = typename A::value_type;
  const std::string label = "quern::distributed::qr";
  const Decomposition& d = a.decomposition();
  impl::check_rows(label, "a", d);
  impl::check_same_rows(label, "q", q.decomposition(), d);
  const std::int64_t m = d.extents().extent[0], n = d.extents().extent[1];
  if (m < n) impl::reject_extents(label, "a", d.extents(), "no more columns than rows");
  impl::check_extents(label, "q", q.extents(), d.extents());
  impl::call c(label, exec);
  const auto triangle = c.output(r);
  impl::check_extents(label, "r", triangle.extents, shape{n, n});
  if (!impl::is_tall_matrix(d)) {
    const auto whole = impl::on_every_rank(exec, a);
    const auto basis = quern::like(whole);
    impl::in_operation(label, [&] { quern::qr(exec, basis, r, whole); });
    impl::take_rows(exec, q, basis);
    exec.fence(label);
    return;
  }
  const impl::rows_of_ranks<Exec, T> others(exec, d.communicator());
  const impl::tall_factors<Exec, T> f(exec, label, impl::local_matrix<Exec>(a), &others);
  if (d.local().extents.size() > 0)
    impl::multiply_matrices(exec, label, impl::local_output<Exec>(q), f.x, impl::as_input(f.inverse()));
  impl::copy_matrix(exec, label, triangle, impl::as_matrix(f.r()));
  exec.fence(label);
}

/// `a = u diag(s) vt`, thin: u, (m, n), has the rows of a; s, (n), descending, and vt, (n, n), for m >= n.
/// @throws Error if extents do not fit or rows differ; ConvergenceError
template <execution_space Exec, distributed_like U, view_like S, view_like Vt, distributed_like A>
void svd(const Exec& exec, const U& u, const S& s, const Vt& vt, const A& a) {
  using T = typename A::value_type;
  using R = impl::real_type<T>;
  const std::string label = "quern::distributed::svd";
  const Decomposition& d = a.decomposition();
  impl::check_rows(label, "a", d);
  impl::check_same_rows(label, "u", u.decomposition(), d);
  const std::int64_t m = d.extents().extent[0], n = d.extents().extent[1];
  if (m < n) impl::reject_extents(label, "a", d.extents(), "no more columns than rows");
  impl::check_extents(label, "u", u.extents(), d.extents());
  if (!impl::is_tall_matrix(d)) {
    const auto whole = impl::on_every_rank(exec, a);
    const auto left = quern::like(whole);
    impl::in_operation(label, [&] { quern::svd(exec, left, s, vt, whole); });
    impl::take_rows(exec, u, left);
    exec.fence(label);
    return;
  }
  impl::call c(label, exec);
  const auto values = c.output(s);
  const auto right = c.output(vt);
  impl::check_extents(label, "s", values.extents, shape{n});
  impl::check_extents(label, "vt", right.extents, shape{n, n});
  const impl::rows_of_ranks<Exec, T> others(exec, d.communicator());
  const impl::tall_factors<Exec, T> f(exec, label, impl::local_matrix<Exec>(a), &others);
  const impl::svd_of_triangle<Exec, T> small(exec, label, d.communicator(), f.r());
  const impl::work_matrix<Exec, T> both(exec, n, n);
  impl::multiply_matrices(exec, label, impl::as_matrix(*both), impl::as_input(f.inverse()),
                          impl::as_input(*small.left));
  impl::copy_matrix(exec, label, values, impl::strided<const R>{small.values.data(), {n}, {1}});
  impl::copy_matrix(exec, label, right, impl::as_input(*small.right));
  if (d.local().extents.size() > 0)
    impl::multiply_matrices(exec, label, impl::local_output<Exec>(u), f.x, impl::as_input(*both));
  exec.fence(label);
}

/// The least-squares solution of `a x = b`, as `quern::lstsq`: of all x with the least `|a x - b|` the shortest. b has
/// the rows of a, (m) or (m, k); x is (n) or (n, k). Gives the rank of a.
/// @param rcond singular values up to so much of the largest count as zero; below 0: max(m, n) eps
/// @throws Error if extents do not fit or rows differ; ConvergenceError
template <execution_space Exec, view_like X, distributed_like A, distributed_like B>
std::int64_t lstsq(const Exec& exec, const X& x, const A& a, const B& b, quern::rcond rcond = {}) {
  using T = typename A::value_type;
  const std::string label = "quern::distributed::lstsq";
  const Decomposition& d = a.decomposition();
  impl::check_rows(label, "a", d);
  impl::check_same_rows(label, "b", b.decomposition(), d);
  const std::int64_t m = d.extents().extent[0], n = d.extents().extent[1];
  if (m < n) impl::reject_extents(label, "a", d.extents(), "no more columns than rows");
  if (!impl::is_tall_matrix(d)) {
    const auto whole = impl::on_every_rank(exec, a);
    const auto right = impl::on_every_rank(exec, b);
    return impl::in_operation(label, [&] { return quern::lstsq(exec, x, whole, right, {.rcond = rcond.value}); });
  }
  impl::call c(label, exec);
  const auto solution = c.output(x);
  shape expected = b.extents();
  expected.extent[0] = n;
  impl::check_extents(label, "x", solution.extents, expected);
  const auto xs = impl::columns_of(solution);
  const std::int64_t columns = xs.extents.extent[1];
  const impl::rows_of_ranks<Exec, T> others(exec, d.communicator());
  const impl::tall_factors<Exec, T> f(exec, label, impl::local_matrix<Exec>(a), &others);
  // Q^H b, summed over the ranks, is the right side of the small problem R x = Q^H b.
  const impl::work_matrix<Exec, T> sums(exec, n, columns), right(exec, n, columns);
  if (d.local().extents.extent[0] > 0) {
    const auto part = impl::columns_of(impl::local_matrix<Exec>(b));
    const impl::column_input<Exec, T> rows(exec, label, part);
    impl::multiply_adjoint(exec, label, *sums, f.x, impl::as_input(*rows));
  } else {
    impl::fill_matrix(exec, label, impl::as_matrix(*sums), T(0));
  }
  others.sum(*sums);
  const impl::column_input<Exec, T> inverse(exec, label, impl::as_input(f.inverse()));
  impl::multiply_adjoint(exec, label, *right, impl::as_input(*inverse), impl::as_input(*sums));
  const impl::decomposed<Exec, T> small(exec, label, impl::as_input(f.r()), true);
  const std::int64_t rank = small.rank(rcond.value < 0 ? impl::default_rcond<T>(m, n) : rcond.value);
  const impl::work_matrix<Exec, T> result(exec, n, columns);
  small.apply_inverse(exec, label, impl::as_matrix(*result), impl::as_input(*right), rank);
  impl::take_from_first(d.communicator(), exec, impl::values_of<T>{result->data, n * columns});
  impl::copy_matrix(exec, label, xs, impl::as_matrix(*result));
  exec.fence(label);
  return rank;
}

/// The principal components of m observations of n variables, the distributed rows of a, for m >= n: see `quern::pca`.
/// mean is (n), components (k, n), explained_variance (k) with k at most n.
/// @throws Error if extents do not fit; ConvergenceError
template <execution_space Exec, view_like Mean, view_like Components, view_like Variance, distributed_like A>
void pca(const Exec& exec, const Mean& mean, const Components& components, const Variance& explained_variance,
         const A& a) {
  using T = typename A::value_type;
  using R = impl::real_type<T>;
  const std::string label = "quern::distributed::pca";
  const Decomposition& d = a.decomposition();
  impl::check_rows(label, "a", d);
  const std::int64_t m = d.extents().extent[0], n = d.extents().extent[1];
  if (m < n) impl::reject_extents(label, "a", d.extents(), "no more columns than rows");
  if (!impl::is_tall_matrix(d))
    return impl::in_operation(
        label, [&] { quern::pca(exec, mean, components, explained_variance, impl::on_every_rank(exec, a)); });
  impl::call c(label, exec);
  const auto out = c.output(components);
  const std::int64_t k = out.extents.rank == 2 ? std::min(out.extents.extent[0], n) : n;
  impl::check_extents(label, "components", out.extents, shape{k, n});
  impl::check_extents(label, "explained_variance", impl::extents_of(explained_variance), shape{k});
  impl::in_operation(label, [&] { quern::mean(exec, mean, a, axis{0}); });
  const std::int64_t rows = d.local().extents.extent[0];
  const impl::work_matrix<Exec, T> centred(exec, rows, n);
  const impl::rows_of_ranks<Exec, T> others(exec, d.communicator());
  if (rows > 0) quern::subtract(exec, impl::matrix_view<Exec>(impl::as_matrix(*centred)), a.local(), mean);
  impl::subtract_rest_of_mean(exec, label, others, *centred, mean, m);
  const impl::tall_factors<Exec, T> f(exec, label, impl::as_input(*centred), &others);
  const impl::svd_of_triangle<Exec, T> small(exec, label, d.communicator(), f.r());
  impl::copy_matrix(exec, label, out, impl::strided<const T>{small.right->data, {k, n}, {1, small.right->ld}});
  const R scale = 1 / static_cast<R>(m - 1);
  quern::map(
      exec, explained_variance, KOKKOS_LAMBDA(R s) { return s * s * scale; },
      Kokkos::View<const R*, typename Exec::memory_space, Kokkos::MemoryTraits<Kokkos::Unmanaged>>(small.values.data(),
                                                                                                   k));
  exec.fence(label);
}

}  // namespace quern::distributed

#endif
