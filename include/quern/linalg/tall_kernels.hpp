// SPDX-FileCopyrightText: the Quern authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef QUERN_LINALG_TALL_KERNELS_HPP
#define QUERN_LINALG_TALL_KERNELS_HPP

/// @file
/// QR factorizations of matrices with many more rows than columns, almost wholly by matrix products: Cholesky QR, twice
/// (Yamamoto, Nakatsukasa, Yanagisawa and Fukaya, ETNA 44, 2015), after passes with a shift where the condition needs
/// them (Fukaya, Kannan, Nakatsukasa, Yamamoto and Yanagisawa, SIAM J. Sci. Comput. 42, 2020), and a tree of
/// Householder's factorizations (Demmel, Grigori, Hoemmen and Langou, SIAM J. Sci. Comput. 34, 2012) where even those
/// fail.

#include <cmath>
#include <limits>
#include <quern/core/call/label.hpp>
#include <quern/core/launch/team_scratch.hpp>
#include <quern/core/values/values.hpp>
#include <quern/linalg/dense_kernels.hpp>
#include <quern/linalg/gram_factors.hpp>
#include <quern/linalg/narrow_products.hpp>
#include <quern/linalg/tuning.hpp>

namespace quern::impl {

/// From so many rows on, and so many for each column, products are faster than reflections.
inline constexpr std::int64_t least_tall_rows = 512, least_tall_ratio = 4;
inline bool is_tall(const shape& matrix) {
  return matrix.extent[0] >= std::max(least_tall_rows, least_tall_ratio * matrix.extent[1]);
}

/// Householder's factorizations of blocks of rows, each by a team: a block becomes its Q, and its R, (n, n), one of
/// a stack of them. The last block also has the remaining rows.
template <class Exec, class T>
struct reflect_blocks {
  using R = real_type<T>;
  using policy = Kokkos::TeamPolicy<Exec>;
  using member = typename policy::member_type;
  column_major<T> a, r;
  std::int64_t block, blocks;
  static constexpr int lanes = linalg_tuning<Exec>::tall_lanes, threads = linalg_tuning<Exec>::tall_threads;

  KOKKOS_FUNCTION void operator()(const member& team) const {
    const std::int64_t which = team.league_rank(), first = which * block, n = a.columns;
    const std::int64_t rows = which == blocks - 1 ? a.rows - first : block;
    const column_major<T> w{a.data + first, rows, n, a.ld};
    T* const tau = static_cast<T*>(team.team_scratch(0).get_shmem_aligned(n * sizeof(T), alignof(T)));
    for (std::int64_t k = 0; k < n; ++k) {
      const T factor = reflect_column(team, w, k);
      Kokkos::single(Kokkos::PerTeam(team), [&] { tau[k] = factor; });
      apply(team, w, k, conjugate(factor));
    }
    Kokkos::parallel_for(Kokkos::TeamVectorRange(team, n * n), [&](std::int64_t e) {
      const std::int64_t j = e / n, i = e - j * n;
      r(which * n + i, j) = i <= j ? w(i, j) : T(0);
    });
    team.team_barrier();
    for (std::int64_t k = n - 1; k >= 0; --k) {
      const T factor = tau[k];
      apply(team, w, k, factor);
      Kokkos::parallel_for(Kokkos::TeamVectorRange(team, rows), [&](std::int64_t i) {
        w(i, k) = i < k ? T(0) : i == k ? T(1) - factor : -factor * w(i, k);
      });
      team.team_barrier();
    }
  }

  /// Makes the reflection H = 1 - tau v v^H of column k, v(k) = 1, which leaves a real number in row k and v below it.
  static KOKKOS_FUNCTION T reflect_column(const member& team, const column_major<T>& w, std::int64_t k) {
    const T alpha = w(k, k);
    R below = 0;
    Kokkos::parallel_reduce(
        Kokkos::TeamVectorRange(team, k + 1, w.rows), [&](std::int64_t i, R& sum) { sum += squared(w(i, k)); }, below);
    team.team_barrier();  // all have alpha
    if (below == 0 && alpha == T(real_value(alpha))) return T(0);
    const R length = Kokkos::sqrt(squared(alpha) + below), beta = real_value(alpha) > 0 ? -length : length;
    const T scale = T(1) / (alpha - beta);
    Kokkos::parallel_for(Kokkos::TeamVectorRange(team, k, w.rows),
                         [&](std::int64_t i) { w(i, k) = i == k ? T(beta) : w(i, k) * scale; });
    team.team_barrier();
    return (T(beta) - alpha) / beta;
  }

  /// (1 - factor v v^H) of the columns behind the k-th, one for each thread and its lanes.
  static KOKKOS_FUNCTION void apply(const member& team, const column_major<T>& w, std::int64_t k, const T& factor) {
    Kokkos::parallel_for(Kokkos::TeamThreadRange(team, k + 1, w.columns), [&](std::int64_t j) {
      T product(0);
      Kokkos::parallel_reduce(
          Kokkos::ThreadVectorRange(team, k + 1, w.rows),
          [&](std::int64_t i, T& sum) { sum += conjugate(w(i, k)) * w(i, j); }, product);
      product = (product + w(k, j)) * factor;
      Kokkos::parallel_for(Kokkos::ThreadVectorRange(team, k, w.rows),
                           [&](std::int64_t i) { w(i, j) -= i == k ? product : w(i, k) * product; });
    });
    team.team_barrier();
  }
};

/// A = Q R by a tree of Householder's factorizations of blocks of at least twice as many rows as columns. Destroys A.
template <class Exec, class T>
void tree_qr(const Exec& exec, const std::string& label, const column_major<T>& q, const column_major<T>& r,
             const column_major<T>& a) {
  using kernel = reflect_blocks<Exec, T>;
  const std::int64_t n = a.columns, block = std::max<std::int64_t>(256, 2 * n);
  const std::int64_t blocks = std::max<std::int64_t>(a.rows / block, 1);
  const work_matrix<Exec, T> stack(exec, blocks * n, n), stack_q(exec, blocks > 1 ? blocks * n : 0, n);
  typename kernel::policy policy(exec, static_cast<int>(blocks), kernel::threads, kernel::lanes);
  Kokkos::parallel_for(
      kernel_label(label, "/reflections"),
      policy.set_scratch_size(0, team_scratch<Exec>(label, kernel::threads * kernel::lanes, (n + 1) * sizeof(T))),
      kernel{a, blocks > 1 ? *stack : r, block, blocks});
  if (blocks == 1) return copy_matrix(exec, label, as_matrix(q), as_matrix(a));
  tree_qr(exec, label, *stack_q, r, *stack);
  const auto multiply_blocks = [&](std::int64_t first, std::int64_t count, std::int64_t rows) {
    const shape extents{count, rows, n};
    multiply_matrices(exec, label, strided<T>{q.data + first * block, extents, {block, 1, q.ld}},
                      strided<const T>{a.data + first * block, extents, {block, 1, a.ld}},
                      strided<const T>{stack_q->data + first * n, {count, n, n}, {n, 1, stack_q->ld}});
  };
  multiply_blocks(0, blocks - 1, block);
  multiply_blocks(blocks - 1, 1, a.rows - (blocks - 1) * block);
}

template <class T>
struct scaled_elements {
  column_major<T> a;
  real_type<T> factor;
  KOKKOS_FUNCTION void operator()(std::int64_t i, std::int64_t j) const { a(i, j) *= factor; }
};
template <class Exec, class T>
void scale_matrix(const Exec& exec, const std::string& label, const column_major<T>& a, real_type<T> factor) {
  for_each_element(exec, label_text(label, "/scale"), a.rows, a.columns, scaled_elements<T>{a, factor});
}

/// The processes that have other rows of a matrix. All of them factor it together, each with its own rows, and make the
/// same small matrices.
template <class T>
class other_rows {
 public:
  virtual ~other_rows() = default;
  /// The sum of a matrix over all processes.
  virtual void sum(const column_major<T>& m) const = 0;
  /// The greatest of all processes' values.
  virtual real_type<T> max(real_type<T> x) const = 0;
  /// The value of one process, so that all decide alike.
  virtual void agree(void* value, std::size_t bytes) const = 0;
  /// The matrices of all processes, one under the other, and the number of this process among them.
  virtual std::int64_t count() const = 0;
  virtual std::int64_t number() const = 0;
  virtual void stack(const column_major<T>& own, const column_major<T>& all) const = 0;
};

/// A = Q R of a tall matrix, without the last product: Q = `x` `inverse`, where x is almost orthonormal. What is made
/// of Q and R afterwards can take that product with it.
///
/// A pass takes the Gram matrix X^H X = R^H R and goes on with X R^-1. That a Cholesky factorization succeeds proves
/// nothing, so the Gram matrix of what a pass has made is looked at: near the identity, the next pass is the last, and
/// Q orthonormal to rounding; with columns longer than they can be, R was noise, and the pass is made again with a
/// shift of the diagonal, by a relative amount that grows until the factorization succeeds.
///
/// A device can go on before the host has seen the reports: then the factors are those of two passes, which are right
/// for most matrices, until `confirmed` makes others where they are not.
template <class Exec, class T>
struct tall_factors {
  using R = real_type<T>;
  enum class reports { awaited, later };

  tall_factors(const Exec& exec, const std::string& label, const strided<const T>& a,
               const other_rows<T>* others = nullptr, reports when = reports::awaited)
      : x(a),
        a_(a),
        exec_(exec),
        label_(label),
        others_(others),
        m_(a.extents.extent[0]),
        n_(a.extents.extent[1]),
        small_(exec, 9 * n_ * n_),
        reports_(exec) {
    column_major<T>* const squares[] = {&r_,
                                        &upper_,
                                        &product_,
                                        &now_.of.gram,
                                        &now_.of.factor,
                                        &now_.of.inverse,
                                        &next_.of.gram,
                                        &next_.of.factor,
                                        &next_.of.inverse};
    for (int i = 0; i < 9; ++i) *squares[i] = {small_.data() + i * n_ * n_, n_, n_, n_};
    now_.report = reports_.template result<gram_report<R>>();
    next_.report = now_.report + 1;
    if (is_complex<T> && !as_columns(a)) x = as_input(copied(a));
    columns_ = x;
    make_gram(now_, x);
    factor(now_, 0);
    if (when == reports::later && now_.awaited) make_two_passes();
    else make_all();
  }

  /// Whether the factors are those of before the call, when what has used them is enqueued, and perhaps `waited` for.
  bool confirmed(bool waited) {
    if (!unseen_) return true;
    unseen_ = false;
    if (waited) now_.awaited = next_.awaited = false;
    const gram_report<R> second = look(now_), first = look(next_);
    const bool finite = first.longest <= Kokkos::Experimental::finite_max_v<R>;
    if (finite && by_product(first.growth) && second.longest <= 2 && second.nearly_orthonormal()) return true;
    std::swap(now_, next_);
    x = columns_;
    make_all();
    return false;
  }

  strided<const T> x;
  const column_major<T>& r() const { return r_; }
  const column_major<T>& inverse() const { return now_.of.inverse; }

  static constexpr int max_attempts = 16;
  static constexpr R eps = Kokkos::Experimental::epsilon_v<R>;

  /// The Gram matrix of x, or of what a pass makes of it.
  struct stage {
    gram_factors<T> of;
    gram_report<R>* report = nullptr;  // on a host, in memory that devices write
    bool awaited = false, agreed = false;
  };

  void make_all() {
    if (!by_cholesky()) by_reflections(a_);
  }

  /// By the first Gram matrix and its factors.
  bool by_cholesky() {
    R shift = 0;
    bool first = true;
    strided<const T> y;
    for (int attempt = 0; attempt < max_attempts; ++attempt) {
      // The pass that is right for most matrices takes a device less time than to wait for what the report says.
      const bool ahead = now_.awaited;
      if (ahead) y = pass(0);
      const gram_report<R> report = look(now_);
      if (!(report.longest <= Kokkos::Experimental::finite_max_v<R>)) return false;
      if (shift == 0 && report.nearly_orthonormal()) {
        accumulate(first);
        return true;
      }
      if (report.growth <= Kokkos::Experimental::finite_max_v<R>) {
        if (!ahead || !by_product(report.growth)) y = pass(report.growth);
        if (look(next_).longest <= 2) {
          accumulate(first);
          first = false;
          std::swap(now_, next_);
          x = y;
          shift = 0;
          continue;
        }
      }
      shift = shift == 0 ? static_cast<R>(n_) * eps : 100 * shift;
      factor(now_, shift);
    }
    return false;
  }

  /// What that makes of most matrices, whatever the reports will say.
  void make_two_passes() {
    x = pass(0);
    accumulate(true);
    std::swap(now_, next_);
    accumulate(false);
    unseen_ = true;
  }

  /// X^H X, of the rows of all processes.
  void make_gram(const stage& s, const strided<const T>& rows) const {
    if (m_ > 0) multiply_adjoint(exec_, label_, s.of.gram, rows, rows);
    else fill_matrix(exec_, label_, as_matrix(s.of.gram), T(0));
    if (others_ != nullptr) others_->sum(s.of.gram);
  }
  /// Its factors, and a report on them, which is there when the kernel of a device has ended.
  void factor(stage& s, R shift) const {
    s.agreed = false;
    s.awaited = launch_alone<T>(exec_, label_text(label_, "/factors"), n_, factor_gram_op<T>{s.of, shift, s.report});
    if (!s.awaited) *s.report = factor_gram(exec_, label_, s.of, shift);
  }
  /// The report, the same for all processes.
  gram_report<R> look(stage& s) {
    if (s.awaited) {
      exec_.fence(kernel_label(label_, ": factors"));
      now_.awaited = next_.awaited = false;
    }
    if (others_ != nullptr && !s.agreed) others_->agree(s.report, sizeof *s.report);
    s.agreed = true;
    return *s.report;
  }

  /// The buffer that x does not occupy.
  const column_major<T>& free_buffer() {
    const int i = buffers_[0] && x.data == (*buffers_[0])->data ? 1 : 0;
    if (!buffers_[i]) buffers_[i].emplace(exec_, m_, n_);
    return **buffers_[i];
  }
  const column_major<T>& copied(const strided<const T>& from) {
    const column_major<T>& to = free_buffer();
    copy_matrix(exec_, label_, as_matrix(to), from);
    return to;
  }

  /// Whether X R^-1 may be a product with the inverse, which magnifies errors so much.
  bool by_product(R growth) const { return growth <= 16 * static_cast<R>(n_); }

  /// X R^-1 in the other memory, by a product or else row by row, with its Gram matrix and the factors of that.
  strided<const T> pass(R growth) {
    const column_major<T>& y = free_buffer();
    const bool product = m_ > 0 && by_product(growth);
    if (product && multiply_narrow(exec_, label_, as_matrix(y), x, now_.of.inverse, &next_.of.gram)) {
      if (others_ != nullptr) others_->sum(next_.of.gram);
      factor(next_, 0);
      return as_input(y);
    }
    if (product) {
      multiply_matrices(exec_, label_, as_matrix(y), x, as_input(now_.of.inverse));
    } else if (m_ > 0) {
      copy_matrix(exec_, label_, as_matrix(y), x);
      blas::trsm<Exec, T>(exec_, blas::side::right, {}, m_, n_, {now_.of.factor.data, blas::form::adjoint, n_, 0},
                          {y.data, blas::form::as_is, y.ld, 0});
    }
    make_gram(next_, as_input(y));
    factor(next_, 0);
    return as_input(y);
  }

  /// R = L^H R.
  void accumulate(bool first) {
    for_each_element(exec_, label_text(label_, "/adjoint"), n_, n_,
                     adjoint_elements<T>{now_.of.factor, first ? r_ : upper_});
    if (first) return;
    multiply_matrices(exec_, label_, as_matrix(product_), as_input(upper_), as_input(r_));
    std::swap(r_, product_);
  }

  /// A power of two that brings a number near 1, or as near as may be.
  static R to_one(R x) {
    int exponent = 0;
    std::frexp(x, &exponent);
    return std::ldexp(R(1), std::min(-exponent, std::numeric_limits<R>::max_exponent - 2));
  }

  /// By reflections: those of LAPACK for many columns, since a tree of blocks is for few.
  void by_reflections(const strided<const T>& a) {
    x = {};
    const column_major<T> work = copied(a);
    R largest = m_ > 0 ? largest_in(exec_, label_text(label_, "/largest"), work) : R(0);
    if (others_ != nullptr) largest = others_->max(largest);
    set_identity(exec_, label_, now_.of.inverse);
    x = as_input(work);
    if (!(largest <= Kokkos::Experimental::finite_max_v<R>)) {
      fill_nan(exec_, label_, as_matrix(r_));
      fill_nan(exec_, label_, as_matrix(now_.of.inverse));
    } else if (others_ != nullptr) {
      reflect_all(work);
    } else if (n_ <= 128) {
      const R scale = to_one(largest);  // squares must not overflow
      scale_matrix(exec_, label_, work, scale);
      const column_major<T>& q = free_buffer();
      tree_qr(exec_, label_, q, r_, work);
      scale_matrix(exec_, label_, r_, 1 / scale);
      x = as_input(q);
    } else {
      reflect(exec_, label_, work, n_, n_, as_matrix(r_));
    }
  }

  /// Each process reflects its own rows, and all reflect the stack of what that leaves.
  void reflect_all(const column_major<T>& rows) {
    // With rows of zeros, so that there are at least as many as columns.
    const work_matrix<Exec, T> own(exec_, std::max(m_, n_), n_), stack(exec_, others_->count() * n_, n_);
    fill_matrix(exec_, label_, as_matrix(*own), T(0));
    const auto first_rows = [](const column_major<T>& m, std::int64_t first, std::int64_t count) {
      return column_major<T>{m.data + first, count, m.columns, m.ld};
    };
    copy_matrix(exec_, label_, as_matrix(first_rows(*own, 0, m_)), as_input(rows));
    reflect(exec_, label_, *own, n_, n_, as_matrix(product_));
    others_->stack(product_, *stack);
    reflect(exec_, label_, *stack, n_, n_, as_matrix(r_));
    const column_major<T>& q = free_buffer();
    if (m_ > 0)
      multiply_matrices(exec_, label_, as_matrix(q), as_input(first_rows(*own, 0, m_)),
                        as_input(first_rows(*stack, others_->number() * n_, n_)));
    x = as_input(q);
  }

  strided<const T> a_, columns_;  // as given, and as passes begin with
  const Exec& exec_;
  const std::string& label_;
  const other_rows<T>* others_;
  std::int64_t m_, n_;
  scratch_array<Exec, T> small_;
  lease<Exec> reports_;
  column_major<T> r_, upper_, product_;
  stage now_, next_;
  bool unseen_ = false;  // nobody has looked at the reports of two passes
  std::optional<work_matrix<Exec, T>> buffers_[2];
};

}  // namespace quern::impl

#endif
