// SPDX-FileCopyrightText: the Quern authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Single matrices beside LAPACK or the vendor's library, which is called as one would call it: reflections for QR, the
// whole matrix for singular values. Matrices are column-major, as those libraries want them. Bytes count each operand
// once, flops are those of the textbook's algorithm (Golub and Van Loan, Matrix Computations), not what was done.

#include <quern/linalg.hpp>

#include "support/bench.hpp"

namespace {

using bench::exec_space;
using bench::prepared;
using bench::range;
using matrix = Kokkos::View<double**, Kokkos::LayoutLeft, bench::memory_space>;
using vector = Kokkos::View<double*, bench::memory_space>;
namespace impl = quern::impl;

matrix make_matrix(const std::string& label, std::int64_t m, std::int64_t n) {
  return matrix(Kokkos::view_alloc(Kokkos::WithoutInitializing, label), m, n);
}
matrix sampled_matrix(std::int64_t m, std::int64_t n) {
  const auto a = bench::sampled(make_matrix("a", m, n), 1);
  Kokkos::parallel_for("bench::centre", range(0, m * n), KOKKOS_LAMBDA(std::int64_t i) { a.data()[i] -= 0.5; });
  return a;
}
vector probe(std::int64_t n) { return bench::sampled(vector("probe", n), 7); }

impl::strided<double> out(const matrix& a) { return impl::make_output<exec_space>(a, "bench"); }
impl::strided<const double> in(const matrix& a) { return impl::make_input<exec_space>(a, "bench").array; }
impl::column_major<double> columns(const matrix& a) { return *impl::as_columns(out(a)); }

/// Whether two vectors agree to `bound`, element by element.
bool agree(const vector& x, const vector& y, double bound) {
  return bench::failures(x.extent(0), KOKKOS_LAMBDA(std::int64_t i) { return Kokkos::abs(x(i) - y(i)) <= bound; }) == 0;
}
vector product(const exec_space& exec, const matrix& a, const vector& x) {
  const vector y("y", a.extent(0));
  quern::matvec(exec, y, a, x);
  exec.fence();
  return y;
}
vector adjoint_product(const exec_space& exec, const matrix& a, const vector& x) {
  const vector y("y", a.extent(1));
  quern::matvec(exec, y, quern::transposed(a), x);
  exec.fence();
  return y;
}
/// Whether a^T (a x) = x for a vector that the factorization did not know.
bool orthonormal(const exec_space& exec, const matrix& a) {
  const auto x = probe(a.extent(1));
  return agree(adjoint_product(exec, a, product(exec, a, x)), x, 1e-11);
}

prepared qr(const exec_space& exec, std::int64_t m, std::int64_t n) {
  const auto a = sampled_matrix(m, n), q = make_matrix("q", m, n), r = make_matrix("r", n, n);
  prepared p{8.0 * (2 * m * n + n * n), 4.0 * m * n * n - 4.0 / 3 * n * n * n, {}, {}, {}};
  p.variants = {{"quern", [=] { quern::qr(exec, q, r, a); }},
                {"vendor", [=] { impl::qr_by_reflections(exec, "bench", out(q), out(r), in(a)); }}};
  p.poison = [=] { Kokkos::deep_copy(q, -7.0); };
  p.right = [=] {
    const auto x = probe(n);
    return orthonormal(exec, q) && agree(product(exec, q, product(exec, r, x)), product(exec, a, x), 1e-10);
  };
  return p;
}

prepared svd(const exec_space& exec, std::int64_t m, std::int64_t n) {
  const auto a = sampled_matrix(m, n), u = make_matrix("u", m, n), vt = make_matrix("vt", n, n);
  const auto copy = make_matrix("copy", m, n);
  const vector s("s", n);
  const Kokkos::View<int, Kokkos::SharedSpace> info("info");
  prepared p{8.0 * (2 * m * n + n * n + n), 6.0 * m * n * n + 20.0 * n * n * n, {}, {}, {}};
  p.variants = {{"quern", [=] { quern::svd(exec, u, s, vt, a); }},
                {"vendor", [=] {
                   Kokkos::deep_copy(exec, copy, a);
                   impl::lapack::svd(exec, columns(copy), s.data(), columns(u), columns(vt), info.data());
                 }}};
  p.poison = [=] { Kokkos::deep_copy(u, -7.0); };
  p.right = [=] {
    const auto x = probe(n);
    const auto scaled = product(exec, vt, x);
    Kokkos::parallel_for("bench::scale", range(0, n), KOKKOS_LAMBDA(std::int64_t i) { scaled(i) *= s(i); });
    return orthonormal(exec, u) && orthonormal(exec, vt) && agree(product(exec, u, scaled), product(exec, a, x), 1e-10);
  };
  return p;
}

/// Few unknowns, by singular values and by a QR factorization.
prepared lstsq(const exec_space& exec, std::int64_t m, std::int64_t n) {
  const auto a = sampled_matrix(m, n);
  const auto known = probe(n), b = product(exec, a, known);
  const vector x("x", n);
  prepared p{8.0 * (m * n + m + n), 2.0 * m * n * n, {}, {}, {}};
  p.variants = {{"quern", [=] { quern::lstsq(exec, x, a, b); }},
                {"quern qr", [=] { quern::lstsq(exec, x, a, b, quern::least_squares::qr); }}};
  p.poison = [=] { Kokkos::deep_copy(x, -7.0); };
  p.right = [=] { return agree(x, known, 1e-11); };
  return p;
}

prepared solve(const exec_space& exec, std::int64_t n) {
  const auto a = sampled_matrix(n, n);
  const auto b = probe(n);
  const vector x("x", n);
  const Kokkos::View<int*, bench::memory_space> pivots("pivots", n);
  const Kokkos::View<int, Kokkos::SharedSpace> info("info");
  const auto copy = make_matrix("copy", n, n);
  prepared p{8.0 * (n * n + 2 * n), 2.0 / 3 * n * n * n, {}, {}, {}};
  p.variants = {{"quern", [=] { quern::solve(exec, x, a, b); }},
                {"vendor", [=] {
                   Kokkos::deep_copy(exec, copy, a);
                   Kokkos::deep_copy(exec, x, b);
                   impl::lapack::getrf(exec, columns(copy), pivots.data(), info.data());
                   impl::lapack::getrs<exec_space, double>(exec, columns(copy), pivots.data(), {x.data(), n, 1, n});
                 }}};
  p.poison = [=] { Kokkos::deep_copy(x, -7.0); };
  p.right = [=] {
    const double largest = quern::norm<quern::norm_order::infinity>(exec, x);
    return agree(product(exec, a, x), b, 1e-15 * static_cast<double>(n * n) * largest);
  };
  return p;
}

prepared inv(const exec_space& exec, std::int64_t n) {
  const auto a = sampled_matrix(n, n), inverse = make_matrix("inverse", n, n), copy = make_matrix("copy", n, n);
  const Kokkos::View<int*, bench::memory_space> pivots("pivots", n);
  const Kokkos::View<int, Kokkos::SharedSpace> info("info");
  prepared p{8.0 * 2 * n * n, 2.0 * n * n * n, {}, {}, {}};
  p.variants = {{"quern", [=] { quern::inv(exec, inverse, a); }},
                {"vendor", [=] {
                   Kokkos::deep_copy(exec, copy, a);
                   impl::set_identity(exec, "bench", columns(inverse));
                   impl::lapack::getrf(exec, columns(copy), pivots.data(), info.data());
                   impl::lapack::getrs<exec_space, double>(exec, columns(copy), pivots.data(), columns(inverse));
                 }}};
  p.poison = [=] { Kokkos::deep_copy(inverse, -7.0); };
  p.right = [=] {
    const auto x = probe(n), solution = product(exec, inverse, x);
    const double largest = quern::norm<quern::norm_order::infinity>(exec, solution);
    return agree(product(exec, a, solution), x, 1e-15 * static_cast<double>(n * n) * largest);
  };
  return p;
}

prepared eigh(const exec_space& exec, std::int64_t n) {
  const auto a = sampled_matrix(n, n), v = make_matrix("v", n, n);
  Kokkos::parallel_for(
      "bench::symmetric", range(0, n * n), KOKKOS_LAMBDA(std::int64_t e) {
        if (e % n < e / n) a(e % n, e / n) = a(e / n, e % n);
      });
  const vector w("w", n);
  const Kokkos::View<int, Kokkos::SharedSpace> info("info");
  prepared p{8.0 * (2 * n * n + n), 9.0 * n * n * n, {}, {}, {}};
  p.variants = {{"quern", [=] { quern::eigh(exec, w, v, a); }}, {"vendor", [=] {
                                                                   Kokkos::deep_copy(exec, v, a);
                                                                   impl::lapack::eigh(exec, columns(v), w.data(), true,
                                                                                      info.data());
                                                                 }}};
  p.poison = [=] { Kokkos::deep_copy(v, -7.0); };
  p.right = [=] {
    const auto x = probe(n);
    const auto scaled = bench::sampled(vector("scaled", n), 7);
    Kokkos::parallel_for("bench::scale", range(0, n), KOKKOS_LAMBDA(std::int64_t i) { scaled(i) *= w(i); });
    return orthonormal(exec, v) && agree(product(exec, a, product(exec, v, x)), product(exec, v, scaled), 1e-10);
  };
  return p;
}

const int registered = [] {
  const auto tall = [](auto make, std::int64_t n) {
    return [make, n](const exec_space& exec, std::int64_t m) { return make(exec, m, n); };
  };
  const auto square = [](const exec_space& exec, std::int64_t n) { return svd(exec, n, n); };
  bench::add({"qr/float64 m x 100", {10'000, 1'000'000}, 600, tall(qr, 100)});
  bench::add({"qr/float64 m x 8", {2'000'000}, 600, tall(qr, 8)});
  bench::add({"qr/float64 m x 1000", {20'000}, 4'000, tall(qr, 1000)});
  bench::add({"svd/float64 m x 100", {10'000, 1'000'000}, 600, tall(svd, 100)});
  bench::add({"svd/float64 m x 8", {2'000'000}, 600, tall(svd, 8)});
  bench::add({"svd/float64 m x 50", {300'000}, 600, tall(svd, 50)});
  bench::add({"svd/float64 m x 128", {100'000}, 600, tall(svd, 128)});
  bench::add({"svd/float64 m x 1000", {10'000, 20'000}, 1'100, tall(svd, 1000)});
  bench::add({"svd/float64 n x n", {50, 100, 1'000}, 40, square});
  bench::add({"lstsq/float64 m x 8", {10'000, 2'000'000}, 5'000, tall(lstsq, 8)});
  bench::add({"lstsq/float64 m x 50", {300'000}, 5'000, tall(lstsq, 50)});
  bench::add({"solve/float64 n x n", {100, 1'000, 4'000}, 60, solve});
  bench::add({"inv/float64 n x n", {100, 2'000}, 60, inv});
  bench::add({"eigh/float64 n x n", {100, 1'000, 4'000}, 60, eigh});
  return 0;
}();

}  // namespace
