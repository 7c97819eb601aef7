// SPDX-FileCopyrightText: the Quern authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Options that an operation does not take, that are given twice, or that stand behind an input of a call with a
// functor; as in messages.cpp. What is in brackets, the operation and the option, stands in the first ten lines of the
// error.

#include <Kokkos_Core.hpp>
#include <quern/autodiff.hpp>
#include <quern/batch.hpp>
#include <quern/chunked.hpp>
#include <quern/fft.hpp>
#include <quern/linalg.hpp>
#include <quern/quern.hpp>

struct identity {
  template <class T>
  KOKKOS_FUNCTION T operator()(const T& x) const {
    return x;
  }
};

struct greater {
  KOKKOS_FUNCTION bool operator()(double a, double b) const { return a > b; }
};

template <class T>
using vector = Kokkos::View<T*>;
template <class T>
using matrix = Kokkos::View<T**>;
using box = quern::box<1>;

using quern::fft_rigor, quern::interpolation, quern::max_iterations, quern::reproducible, quern::search_side;
using quern::sort_order, quern::tolerance;

void foreign(const vector<double>& x, const vector<float>& f, const vector<int>& i, const matrix<double>& m,
             const vector<Kokkos::complex<double>>& z) {
  const Kokkos::DefaultExecutionSpace exec;
  const quern::bin_range bins{0, 1};
  const auto edge = quern::boundary::nearest;
  const auto groups = quern::group_by(exec, i);
  const quern::size_to size{Kokkos::View<std::int64_t>("n")};
  const quern::monte_carlo random;

  // One that another operation takes.
  quern::sum(exec, x, quern::ddof{1});                      // no such option [sum, ddof]
  quern::max(x, reproducible);                              // no such option [max, reproducible]
  quern::norm(exec, x, quern::checked);                     // no such option [norm, checked]
  quern::var(f, interpolation::lower);                      // no such option [var, interpolation]
  quern::median(exec, x, sort_order::ascending);            // no such option [median, sort_order]
  quern::kmeans(exec, m, i, m, quern::ddof{1});             // no such option [kmeans, ddof]
  quern::knn(exec, m, m, m, m, reproducible);               // no such option [knn, reproducible]
  quern::cumsum(exec, x, x, quern::fft_norm::ortho);        // no such option [cumsum, fft_norm]
  quern::cumprod(x, x, quern::axes{0});                     // no such option [cumprod, axes]
  quern::sort(exec, x, search_side::left);                  // no such option [sort, search_side]
  quern::argsort(exec, i, x, quern::weights{x});            // no such option [argsort, weights]
  quern::top_k(exec, x, i, x, size);                        // no such option [top_k, size_to]
  quern::unique(exec, x, x, quern::axis{0});                // no such option [unique, axis]
  quern::compact(exec, x, x, i, quern::dct_type{2});        // no such option [compact, dct_type]
  quern::histogram(exec, i, x, bins, quern::checked);       // no such option [histogram, checked]
  quern::bincount(i, i, quern::ddof{1});                    // no such option [bincount, ddof]
  quern::searchsorted(exec, i, x, x, quern::axis{0});       // no such option [searchsorted, axis]
  quern::sum(exec, x, x, groups, quern::axis{0});           // no such option [sum, axis]
  quern::fft(exec, z, z, quern::dct_type{2});               // no such option [fft, dct_type]
  quern::dct(exec, x, x, fft_rigor::measure);               // no such option [dct, fft_rigor]
  quern::fftshift(x, x, quern::period{1});                  // no such option [fftshift, period]
  quern::poisson(exec, m, m, quern::period{1});             // no such option [poisson, period]
  quern::fftconvolve(exec, x, x, x, quern::axis{0});        // no such option [fftconvolve, axis]
  quern::lstsq(exec, x, m, x, tolerance());                 // no such option [lstsq, tolerance]
  quern::pinv(exec, m, m, quern::norm_order::one);          // no such option [pinv, norm_order]
  quern::linear_regression(x, m, x, quern::alpha());        // no such option [linear_regression, alpha]
  quern::logistic_regression(x, m, i, quern::axes{0});      // no such option [logistic_regression, axes]
  quern::matrix_norm(exec, m, quern::axis{0});              // no such option [matrix_norm, axis]
  quern::truncated_svd(m, x, m, m, quern::rcond{1});        // no such option [truncated_svd, rcond]
  quern::gaussian_filter(x, x, 1.0, edge, quern::axis{0});  // no such option [gaussian_filter, axis]
  quern::trapezoid(exec, x, m, 0.5, quern::axes{0});        // no such option [trapezoid, axes]
  quern::integrate(identity(), {0, 1}, 9, quern::checked);  // no such option [integrate, checked]
  quern::integrate(exec, identity(), {0, 1}, quern::adaptive(), quern::axis{0});  // no such option [integrate, axis]
  quern::integrate(exec, identity(), {0, 1}, random, tolerance());        // no such option [integrate, tolerance]
  quern::fill(exec, x, 1.0, quern::rcond{1});                             // no such option [fill, rcond]
  quern::map(exec, x, identity(), fft_rigor::measure, x);                 // no such option [map, fft_rigor]
  quern::stencil<box>(exec, x, identity(), edge, reproducible, f);        // no such option [stencil, reproducible]
  quern::map(exec, x, identity(), quern::chunking(), quern::axis{0}, x);  // no such option [map, axis]
  quern::stencil<box>(x, identity(), edge, quern::chunking(), quern::ddof{1}, x);  // no such option [stencil, ddof]
  quern::map(x, identity(), quern::period{1}, quern::chunking(), x);               // no such option [map, period]
  quern::rolling<quern::op::sum>(x, x, quern::window{3}, quern::checked);          // no such option [rolling]
  quern::map_coordinates(x, x, quern::components(x), edge, quern::ddof{1});        // no such option [ddof]
  quern::newton<2>(exec, m, identity(), quern::max_steps{9}, m);                   // no such option [newton, max_steps]
  quern::odeint<2>(exec, m, identity(), max_iterations{9}, m, x);  // no such option [odeint, max_iterations]
}

// Operations without options.
void options_of_none(const vector<double>& x, const vector<int>& i, const matrix<double>& m) {
  const Kokkos::DefaultExecutionSpace exec;
  const auto groups = quern::group_by(exec, i);
  const quern::random::key key(1);
  const auto edge = quern::boundary::nearest;
  quern::solve(exec, x, m, x, quern::rcond{1});                          // no such option [solve, rcond]
  quern::qr(exec, m, m, m, quern::checked);                              // no such option [qr, checked]
  quern::svd(m, x, m, m, quern::rcond{1});                               // no such option [svd, rcond]
  quern::det(m, quern::axis{0});                                         // no such option [det, axis]
  quern::eigh(exec, x, m, m, sort_order::descending);                    // no such option [eigh, sort_order]
  quern::laplacian(exec, m, m, 1.0, edge, quern::period{1});             // no such option [laplacian, period]
  quern::gradient(exec, x, x, 1.0, quern::ddof{1});                      // no such option [gradient, ddof]
  quern::correlate(x, x, x, edge, quern::axis{0});                       // no such option [correlate, axis]
  quern::copy(exec, x, x, quern::key_range{0, 1});                       // no such option [copy, key_range]
  quern::copy(exec, x, x, quern::chunking());                            // chunking is an option of calls [copy]
  quern::random::normal(exec, x, key, quern::ddof{1});                   // no such option [normal, ddof]
  quern::random::permutation(exec, i, key, quern::axis{0});              // no such option [permutation, axis]
  quern::fftfreq(x, 1.0, quern::fft_norm::ortho);                        // no such option [fftfreq, fft_norm]
  quern::matmul(exec, m, m, m, reproducible);                            // no such option [matmul, reproducible_t]
  quern::matvec(x, m, x, quern::axis{0});                                // no such option [matvec, axis]
  quern::einsum<"ij,jk->ik">(exec, m, m, m, quern::axis{0});             // no such option [einsum, axis]
  quern::max(exec, x, x, groups, quern::axis{0});                        // no such option [max, axis]
  quern::count(x, groups, quern::checked);                               // no such option [count, checked]
  quern::vmap(exec, m, identity(), m, quern::checked);                   // no such option [vmap, checked]
  quern::map(exec, x, identity(), x, quern::product_scaling<double>());  // before its inputs [map, product_scaling]
}

void twice(const vector<double>& x, const vector<int>& i, const matrix<double>& m) {
  const Kokkos::DefaultExecutionSpace exec;
  const quern::size_to size{Kokkos::View<std::int64_t>("n")};
  const quern::weights w{x};
  const quern::rule::simpson rule;
  const Kokkos::View<std::int64_t> info("info");
  quern::sum(exec, x, m, quern::axis{0}, quern::axis{1});                        // given twice [sum, axis]
  quern::var(x, quern::ddof{1}, quern::ddof{1});                                 // given twice [var, ddof]
  quern::mean(exec, x, reproducible, reproducible);                              // given twice [mean, reproducible]
  quern::cumsum(exec, x, x, quern::axis{0}, quern::axis{0});                     // given twice [cumsum, axis]
  quern::median(x, interpolation::lower, interpolation::lower);                  // given twice [median, interpolation]
  quern::bincount(exec, i, i, w, w);                                             // given twice [bincount, weights]
  quern::sort(exec, x, sort_order::ascending, sort_order::ascending);            // given twice [sort, sort_order]
  quern::unique(exec, x, x, size, size);                                         // given twice [unique, size_to]
  quern::dct(exec, x, x, quern::dct_type{1}, quern::dct_type{2});                // given twice [dct, dct_type]
  quern::lstsq(exec, x, m, x, quern::rcond{1}, quern::rcond{1});                 // given twice [lstsq, rcond]
  quern::integrate(identity(), {0, 1}, 9, rule, rule);                           // given twice [integrate, simpson]
  quern::sum(exec, quern::in_chunks(x), quern::chunking(), quern::chunking());   // given twice [sum, chunking]
  quern::put(x, i, 1, quern::index_mode::wrap, quern::index_mode::clip);         // given twice [put, index_mode]
  quern::put(x, i, 1, info, info);                                               // given twice [put, View]
  quern::gradient(exec, x, x, 1.0, quern::edge_order<1>, quern::edge_order<2>);  // given twice [gradient, edge_order]
  quern::sort(exec, x, sort_order::descending, greater());                       // takes one order [sort, greater]
  quern::argsort(i, x, greater(), sort_order::ascending);                        // takes one order [argsort, greater]
  quern::top_k(exec, x, i, x, greater(), greater());                             // takes one order [top_k, greater]
  quern::group_by(exec, i, quern::key_range{0, 9}, quern::checked, quern::checked);  // given twice [group_by, checked]
}

void behind_inputs(const vector<double>& x, const vector<float>& f, const matrix<double>& m) {
  const Kokkos::DefaultExecutionSpace exec;
  const auto edge = quern::boundary::nearest;
  quern::map(exec, x, identity(), x, quern::chunking());                 // before its inputs [map, chunking]
  quern::map(x, identity(), x, quern::axis{0});                          // before its inputs [map, axis]
  quern::stencil<box>(exec, x, identity(), edge, f, quern::chunking());  // before its inputs [stencil, chunking]
  quern::stencil<box>(x, identity(), edge, x, quern::ddof{1});           // before its inputs [stencil, ddof]
  quern::newton<2>(exec, m, identity(), m, tolerance());                 // before its inputs [newton, tolerance]
  quern::odeint<2>(m, identity(), m, x, quern::max_steps{9});            // before its inputs [odeint, max_steps]
}
