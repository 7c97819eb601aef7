// SPDX-FileCopyrightText: the Quern authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef QUERN_BATCH_NEWTON_HPP
#define QUERN_BATCH_NEWTON_HPP

#include <quern/autodiff/derivatives.hpp>
#include <quern/batch/items.hpp>
#include <quern/core/call/label.hpp>
#include <quern/core/call/tolerance.hpp>

namespace quern {

/// What `newton` says of an item.
struct newton_status {
  static constexpr int converged = 0, iteration_limit = 1, singular_jacobian = 2, not_finite = 3;
};

namespace batch::impl {

/// d with J d = f, in place of f, by elimination with partial pivoting; false where a pivot is zero or not finite.
///
/// It has an elimination of its own beside those of linalg/small_solve.hpp: N is known, and the matrix is in registers
/// beside what f needs of them, so that rows that are in order are not moved; the first bad pivot ends it; and
/// quotients are divisions, not products with an inverse that may overflow. Each of these makes other bits or takes
/// more registers in the others.
template <class T, std::size_t N>
KOKKOS_FUNCTION bool solve_in_place(Kokkos::Array<Kokkos::Array<T, N>, N>& j, Kokkos::Array<T, N>& f) {
  for (std::size_t k = 0; k < N; ++k) {
    // Rows change places one by one, at indices that are known when loops are unrolled: the matrix stays in registers.
    for (std::size_t i = k + 1; i < N; ++i) {
      if (Kokkos::abs(j[i][k]) > Kokkos::abs(j[k][k])) {
        Kokkos::kokkos_swap(j[i], j[k]);
        Kokkos::kokkos_swap(f[i], f[k]);
      }
    }
    if (j[k][k] == T(0) || !Kokkos::isfinite(j[k][k])) return false;
    for (std::size_t i = k + 1; i < N; ++i) {
      const T factor = j[i][k] / j[k][k];
      for (std::size_t c = k + 1; c < N; ++c) j[i][c] -= factor * j[k][c];
      f[i] -= factor * f[k];
    }
  }
  for (std::size_t k = N; k-- > 0;) {
    for (std::size_t c = k + 1; c < N; ++c) f[k] -= j[k][c] * f[c];
    f[k] /= j[k][k];
  }
  return all_finite(f);
}

template <int N, class F>
struct newton_item {
  F f;
  quern::impl::tolerances within;
  int max_iterations;

  template <class X, class Status, class... In>
  KOKKOS_FUNCTION void operator()(const X& x_item, const Status& status, const In&... in) const {
    using T = typename X::value_type;
    const auto function = [&](const auto& x) { return call_function(f, x, argument_of_item(in)...); };
    auto x = load_item<T, N>(x_item);
    status() = iterate(x, function);
    store_item(x_item, x);
  }

 private:
  template <class T, std::size_t M, class Function>
  KOKKOS_FUNCTION int iterate(Kokkos::Array<T, M>& x, const Function& function) const {
    const T relative = within.relative > 0 ? static_cast<T>(within.relative) : 8 * Kokkos::Experimental::epsilon_v<T>;
    T before = Kokkos::Experimental::infinity_v<T>;  // the change of the step before
    for (int k = 0; k < max_iterations; ++k) {
      auto at = value_and_jacobian(function, x);
      if (!all_finite(at.value)) return newton_status::not_finite;
      const bool solved = is_rounding(at.value, at.jacobian, x);
      if (!solve_in_place(at.jacobian, at.value)) return newton_status::singular_jacobian;
      T change = 0, largest = 0;
      for (std::size_t i = 0; i < M; ++i) {
        x[i] -= at.value[i];
        change = Kokkos::max(change, Kokkos::abs(at.value[i]));
        largest = Kokkos::max(largest, Kokkos::abs(x[i]));
      }
      if (change <= relative * largest + static_cast<T>(within.absolute)) return newton_status::converged;
      if (solved && change >= before) return newton_status::converged;
      before = change;
    }
    return newton_status::iteration_limit;
  }
  /// Whether the values of f at x are no more than what rounding may make of zero.
  template <class T, std::size_t M>
  KOKKOS_FUNCTION static bool is_rounding(const Kokkos::Array<T, M>& value,
                                          const Kokkos::Array<Kokkos::Array<T, M>, M>& jacobian,
                                          const Kokkos::Array<T, M>& x) {
    bool all = true;
    for (std::size_t i = 0; i < M; ++i) {
      T size = 0;
      for (std::size_t j = 0; j < M; ++j) size += Kokkos::abs(jacobian[i][j]) * Kokkos::abs(x[j]);
      all = all && Kokkos::abs(value[i]) <= 8 * static_cast<T>(M) * Kokkos::Experimental::epsilon_v<T> * size;
    }
    return all;
  }
};

inline std::string newton_problem(int status) {
  switch (status) {
    case newton_status::singular_jacobian:
      return "the Jacobian is singular";
    case newton_status::not_finite:
      return "the function is not finite";
    default:
      return "the limit of iterations is reached";
  }
}

}  // namespace batch::impl

/// Solves `f(x) = 0` for many small systems by Newton's method, with Jacobians by dual numbers: one thread for each
/// system.
///
/// @code
/// quern::newton<2>(exec, quern::outputs(x, status), equations(), a, b);  // f(x, a(i), b(i)) for item i
/// @endcode
///
/// @tparam N  the number of unknowns of a system
/// @param out x, (items, N) of float or double: at first the guesses, then the solutions; or also an int for each item,
///            `quern::outputs(x, status)`, which gets its `newton_status`
/// @param f   returns a `Kokkos::Array` of N values for a `Kokkos::Array` of N unknowns and the parameters of the item;
///            it takes numbers of any type
/// @param options `tolerance` and `max_iterations`, 50 without it, before the inputs. An item has converged where no
///            unknown changes by more than `relative` times the largest of them plus `absolute`; both are 0 without it,
///            and a relative one of 0 stands for 8 units in the last place. Also where changes no longer shrink while
///            the values of f are rounding errors, `|f_i| <= 8 N epsilon (|J| |x|)_i` for every i: a Jacobian of
///            condition c leaves changes of about c units
/// @param in  parameters, as inputs of `quern::vmap`: of a View of rank 1 f gets the item's number, of others its View
///
/// Convergence is quadratic near simple roots; steps are whole, so that a poor guess may diverge. An item that fails
/// keeps its last iterate, and others are not affected.
///
/// Asynchronous on `exec` where statuses are asked for; otherwise waits.
/// @throws Error if extents do not fit, or a tolerance is negative or NaN; ConvergenceError with the first item that
/// failed, without statuses
template <int N, execution_space Exec, output_like Out, class F, class... In>
  requires((impl::vmap_argument<In> || option<In, tolerance, max_iterations>) && ...)
void newton(const Exec& exec, const Out& out, const F& f, const In&... in) {
  const impl::label_scope functor("quern::newton", typeid(F));
  const std::string& label = impl::label_text("quern::newton");
  batch::impl::check_unknowns<N>(label, std::get<0>(impl::as_outputs(out)));
  impl::with_options_first(
      [&](const auto& inputs, const auto&... options) {
        const batch::impl::newton_item<N, F> item{f, impl::tolerances_of(label, {0, 0}, options...),
                                                  impl::option_or(max_iterations{50}, options...).value};
        const auto solve = [&](const auto&... one) {
          batch::impl::solve_items(label, exec, out, batch::impl::newton_problem, item, one...);
        };
        impl::unpack(solve, inputs);
      },
      in...);
}
template <int N, output_like Out, class F, class... In>
  requires((impl::vmap_argument<In> || option<In, tolerance, max_iterations>) && ...)
void newton(const Out& out, const F& f, const In&... in) {
  newton<N>(impl::space_of(out), out, f, in...);
}
QUERN_TAKES_NAME_WITH(newton, int N, N)

}  // namespace quern

#endif
