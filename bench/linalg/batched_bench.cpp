// SPDX-FileCopyrightText: the Quern authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Batches of small matrices beside the vendor's, and systems beside the plain way, one thread a system that works in
// memory. Bytes count each operand once; flops are those of the direct factorizations, and none are stated where the
// number depends on the sweeps of Jacobi's methods.

#include <algorithm>
#include <iterator>
#include <quern/batch.hpp>
#include <quern/linalg.hpp>

#include "linalg/batched_vendor.hpp"
#include "support/bench.hpp"

namespace {

using bench::exec_space;
using bench::make_view;
using bench::prepared;
using bench::range;
using bench::sampled;
using bench::view;

/// One thread a system, as a user would write it: on a copy in memory, with partial pivoting.
template <class T>
struct plain_solve {
  view<T***> a;
  view<T**> x;
  KOKKOS_FUNCTION void operator()(std::int64_t item) const {
    const int n = static_cast<int>(x.extent(1));
    for (int k = 0; k < n; ++k) {
      int p = k;
      for (int i = k + 1; i < n; ++i)
        if (Kokkos::abs(a(item, i, k)) > Kokkos::abs(a(item, p, k))) p = i;
      for (int j = k; j < n; ++j) Kokkos::kokkos_swap(a(item, k, j), a(item, p, j));
      Kokkos::kokkos_swap(x(item, k), x(item, p));
      for (int i = k + 1; i < n; ++i) {
        const T factor = a(item, i, k) / a(item, k, k);
        for (int j = k + 1; j < n; ++j) a(item, i, j) -= factor * a(item, k, j);
        x(item, i) -= factor * x(item, k);
      }
    }
    for (int k = n - 1; k >= 0; --k) {
      for (int j = k + 1; j < n; ++j) x(item, k) -= a(item, k, j) * x(item, j);
      x(item, k) /= a(item, k, k);
    }
  }
};

/// The determinant by one thread, which destroys the matrix.
template <class T>
struct plain_det {
  view<T***> a;
  view<T*> out;
  KOKKOS_FUNCTION void operator()(std::int64_t item) const {
    const int n = static_cast<int>(a.extent(1));
    T product(1);
    for (int k = 0; k < n; ++k) {
      int p = k;
      for (int i = k + 1; i < n; ++i)
        if (Kokkos::abs(a(item, i, k)) > Kokkos::abs(a(item, p, k))) p = i;
      for (int j = k; j < n; ++j) Kokkos::kokkos_swap(a(item, k, j), a(item, p, j));
      product *= p == k ? a(item, k, k) : -a(item, k, k);
      for (int i = k + 1; i < n; ++i) {
        const T factor = a(item, i, k) / a(item, k, k);
        for (int j = k + 1; j < n; ++j) a(item, i, j) -= factor * a(item, k, j);
      }
    }
    out(item) = product;
  }
};

/// Whether the residuals are rounding errors.
template <class T>
bool solves(const view<T***>& a, const view<T**>& x, const view<T**>& b) {
  const std::int64_t items = a.extent(0), n = a.extent(1);
  const double bound = 8 * static_cast<double>(n) * Kokkos::Experimental::epsilon_v<T>;
  return bench::failures(
             items, KOKKOS_LAMBDA(std::int64_t item) {
               double largest = 0, error = 0;
               for (std::int64_t j = 0; j < n; ++j) largest = Kokkos::max<double>(largest, Kokkos::abs(x(item, j)));
               for (std::int64_t i = 0; i < n; ++i) {
                 double sum = -b(item, i);
                 for (std::int64_t j = 0; j < n; ++j) sum += static_cast<double>(a(item, i, j)) * x(item, j);
                 error = Kokkos::max(error, Kokkos::abs(sum));
               }
               return error <= bound * static_cast<double>(n) * largest;
             }) == 0;
}

template <class T>
prepared solve(const exec_space& exec, std::int64_t items, std::int64_t n) {
  const auto a = sampled(make_view<T***>("a", items, n, n), 1);
  const auto b = sampled(make_view<T**>("b", items, n), 2), x = make_view<T**>("x", items, n);
  const auto copy = make_view<T***>("copy", items, n, n);
  const auto info = make_view<int*>("info", items);
  const double cube = static_cast<double>(n) * n * n;
  prepared p{1.0 * sizeof(T) * items * (n * n + 2 * n), items * (2 * cube / 3 + 2.0 * n * n), {}, {}, {}};
  p.variants = {{"quern", [=] { quern::solve(exec, x, a, b, info); }},
                {"plain", [=] {
                   Kokkos::deep_copy(exec, copy, a);
                   Kokkos::deep_copy(exec, x, b);
                   Kokkos::parallel_for("plain", range(exec, 0, items), plain_solve<T>{copy, x});
                 }}};
  p.poison = [=] { Kokkos::deep_copy(x, T(-7)); };
  p.right = [=] { return solves(a, x, b); };
  return p;
}

/// A bound on errors, given for double, in the digits of T.
template <class T>
constexpr double bound_of(double bound) {
  return bound * Kokkos::Experimental::epsilon_v<T> / Kokkos::Experimental::epsilon_v<double>;
}

template <class T>
void add_to_diagonal(const view<T***>& a, std::int64_t n) {
  Kokkos::parallel_for(
      "bench::diagonal", range(0, a.extent(0) * n),
      KOKKOS_LAMBDA(std::int64_t i) { a(i / n, i % n, i % n) += static_cast<T>(n); });
  Kokkos::fence();
}

template <class T>
view<T***> symmetric(std::int64_t items, std::int64_t n, bool positive) {
  const auto a = sampled(make_view<T***>("a", items, n, n), 1);
  Kokkos::parallel_for(
      "bench::symmetric", range(0, items), KOKKOS_LAMBDA(std::int64_t b) {
        for (int i = 0; i < n; ++i)
          for (int j = 0; j < i; ++j) a(b, j, i) = a(b, i, j);
      });
  Kokkos::fence();
  if (positive) add_to_diagonal(a, n);
  return a;
}

#ifdef KOKKOS_ENABLE_CUDA
constexpr int vendor_rows = 32;  // the most that all of its batches take
#endif

template <class T>
prepared inv(const exec_space& exec, std::int64_t items, std::int64_t n) {
  const auto a = sampled(make_view<T***>("a", items, n, n), 1), out = make_view<T***>("out", items, n, n);
  add_to_diagonal(a, n);
  const view<int*> info("info", items);
  const double cube = static_cast<double>(n) * n * n;
  prepared p{2.0 * sizeof(T) * items * n * n, 2.0 * items * cube, {}, {}, {}};
  p.variants = {{"quern", [=] { quern::inv(exec, out, a, info); }}};
#ifdef KOKKOS_ENABLE_CUDA
  if constexpr (std::is_same_v<T, double>)
    if (n <= vendor_rows) p.variants.push_back({"vendor", bench::vendor::inv(exec, out, a)});
#endif
  p.poison = [=] { Kokkos::deep_copy(out, T(-7)); };
  p.right = [=] {
    const double bound = bound_of<T>(1e-11);
    return bench::failures(
               items, KOKKOS_LAMBDA(std::int64_t b) {
                 double error = 0;
                 for (int i = 0; i < n; ++i)
                   for (int j = 0; j < n; ++j) {
                     double sum = i == j ? -1 : 0;
                     for (int k = 0; k < n; ++k) sum += a(b, i, k) * out(b, k, j);
                     error = Kokkos::max(error, Kokkos::abs(sum));
                   }
                 return error < bound;
               }) == 0;
  };
  return p;
}

template <class T>
prepared cholesky(const exec_space& exec, std::int64_t items, std::int64_t n) {
  const auto a = symmetric<T>(items, n, true), l = make_view<T***>("l", items, n, n);
  const view<int*> info("info", items);
  const double cube = static_cast<double>(n) * n * n;
  prepared p{2.0 * sizeof(T) * items * n * n, items * cube / 3, {}, {}, {}};
  p.variants = {{"quern", [=] { quern::cholesky(exec, l, a, info); }}};
#ifdef KOKKOS_ENABLE_CUDA
  if constexpr (std::is_same_v<T, double>) p.variants.push_back({"vendor", bench::vendor::cholesky(exec, l, a)});
#endif
  p.poison = [=] { Kokkos::deep_copy(l, T(-7)); };
  p.right = [=] {
    const double bound = bound_of<T>(1e-12 * static_cast<double>(n * n));
    return bench::failures(
               items, KOKKOS_LAMBDA(std::int64_t b) {
                 double error = 0;
                 for (int i = 0; i < n; ++i)
                   for (int j = 0; j <= i; ++j) {
                     double sum = -a(b, i, j);
                     for (int k = 0; k <= j; ++k) sum += l(b, i, k) * l(b, j, k);
                     error = Kokkos::max(error, Kokkos::abs(sum));
                   }
                 return error < bound;
               }) == 0;
  };
  return p;
}

template <class T>
prepared qr(const exec_space& exec, std::int64_t items, std::int64_t n) {
  const auto a = sampled(make_view<T***>("a", items, n, n), 1), q = make_view<T***>("q", items, n, n),
             r = make_view<T***>("r", items, n, n);
  const double cube = static_cast<double>(n) * n * n;
  prepared p{3.0 * sizeof(T) * items * n * n, items * cube * 8 / 3, {}, {}, {}};
  p.variants = {{"quern", [=] { quern::qr(exec, q, r, a); }}};
  p.poison = [=] { Kokkos::deep_copy(q, T(-7)); };
  p.right = [=] {
    const double bound = bound_of<T>(1e-13 * static_cast<double>(n * n));
    return bench::failures(
               items, KOKKOS_LAMBDA(std::int64_t b) {
                 double error = 0;
                 for (int i = 0; i < n; ++i)
                   for (int j = 0; j < n; ++j) {
                     double product = -a(b, i, j), one = i == j ? -1 : 0;
                     for (int k = 0; k < n; ++k) {
                       product += q(b, i, k) * r(b, k, j);
                       one += q(b, k, i) * q(b, k, j);
                     }
                     error = Kokkos::max(error, Kokkos::max(Kokkos::abs(product), Kokkos::abs(one)));
                   }
                 return error < bound;
               }) == 0;
  };
  return p;
}

/// Whether values have the sum and the sum of squares that those of the matrix have, which vectors are not needed for.
template <class T>
bool invariants_right(const view<T***>& a, const view<T**>& w, bool trace) {
  const int n = static_cast<int>(a.extent(1));
  const double of_sum = bound_of<T>(1e-10), of_squares = bound_of<T>(1e-9);
  return bench::failures(
             a.extent(0), KOKKOS_LAMBDA(std::int64_t b) {
               double sum = 0, squares = 0;
               for (int i = 0; i < n; ++i) {
                 sum += w(b, i) - a(b, i, i);
                 squares += w(b, i) * w(b, i);
                 for (int j = 0; j < n; ++j) squares -= a(b, i, j) * a(b, i, j);
               }
               return (!trace || Kokkos::abs(sum) < of_sum) && Kokkos::abs(squares) < of_squares;
             }) == 0;
}

template <class T>
prepared eigh(const exec_space& exec, std::int64_t items, std::int64_t n) {
  const auto a = symmetric<T>(items, n, false), v = make_view<T***>("v", items, n, n);
  const auto w = make_view<T**>("w", items, n);
  const view<int*> info("info", items);
  prepared p{1.0 * sizeof(T) * items * (2 * n * n + n), 0, {}, {}, {}};
  p.variants = {{"quern", [=] { quern::eigh(exec, w, v, a, info); }}};
#ifdef KOKKOS_ENABLE_CUDA
  constexpr std::int64_t max_vendor_items = 10'000;  // of 100 000 the library wants 64 GiB
  if constexpr (std::is_same_v<T, double>)
    if (items <= max_vendor_items) p.variants.push_back({"vendor", bench::vendor::eigh(exec, w, v, a)});
#endif
  p.poison = [=] { Kokkos::deep_copy(w, T(-7)); };
  p.right = [=] { return invariants_right(a, w, true); };
  return p;
}

template <class T>
prepared svd(const exec_space& exec, std::int64_t items, std::int64_t n) {
  const auto a = sampled(make_view<T***>("a", items, n, n), 1), u = make_view<T***>("u", items, n, n),
             vt = make_view<T***>("vt", items, n, n);
  const auto s = make_view<T**>("s", items, n);
  const view<int*> info("info", items);
  prepared p{1.0 * sizeof(T) * items * (3 * n * n + n), 0, {}, {}, {}};
  p.variants = {{"quern", [=] { quern::svd(exec, u, s, vt, a, info); }}};
#ifdef KOKKOS_ENABLE_CUDA
  if constexpr (std::is_same_v<T, double>)
    if (n <= vendor_rows) p.variants.push_back({"vendor", bench::vendor::svd(exec, u, s, vt, a)});
#endif
  p.poison = [=] { Kokkos::deep_copy(s, T(-7)); };
  p.right = [=] { return invariants_right(a, s, false); };
  return p;
}

template <class T>
prepared lu(const exec_space& exec, std::int64_t items, std::int64_t n) {
  const auto a = sampled(make_view<T***>("a", items, n, n), 1), out = make_view<T***>("lu", items, n, n);
  const auto b = sampled(make_view<T**>("b", items, n), 2), x = make_view<T**>("x", items, n);
  const auto pivots = make_view<int**>("pivots", items, n);
  const auto info = make_view<int*>("info", items);
  const double cube = static_cast<double>(n) * n * n;
  prepared p{1.0 * items * (2 * sizeof(T) * n * n + sizeof(int) * n), items * 2 * cube / 3, {}, {}, {}};
  p.variants = {{"quern", [=] { quern::lu_factor(exec, out, pivots, a, info); }}};
  p.poison = [=] { Kokkos::deep_copy(out, T(-7)); };
  p.right = [=] {
    quern::lu_solve(exec, x, out, pivots, b);
    exec.fence();
    return solves(a, x, b);
  };
  return p;
}

/// The product of the pivots of one matrix, negated for each exchange of rows.
template <class T>
KOKKOS_FUNCTION T product_of_pivots(const view<T***>& lu, const view<int**>& rows, std::int64_t item) {
  T product(1);
  for (int k = 0; k < static_cast<int>(lu.extent(1)); ++k)
    product *= rows(item, k) == k ? lu(item, k, k) : -lu(item, k, k);
  return product;
}

/// Determinants of a batch, as a program makes them of its factors, beside factors by one thread a matrix.
template <class T>
prepared det(const exec_space& exec, std::int64_t items, std::int64_t n) {
  const auto a = sampled(make_view<T***>("a", items, n, n), 1), factors = make_view<T***>("lu", items, n, n);
  const auto exact = make_view<double***>("exact", items, n, n);
  const auto out = make_view<T*>("out", items);
  const auto expected = make_view<double*>("expected", items);
  const auto pivots = make_view<int**>("pivots", items, n);
  const auto info = make_view<int*>("info", items);
  Kokkos::parallel_for(
      "bench::exchanged", range(exec, 0, items * n),  // rows are exchanged, and no matrix is nearly singular
      KOKKOS_LAMBDA(std::int64_t i) { a(i / n, i % n, (i + 1) % n) += T(4); });
  Kokkos::deep_copy(exec, exact, a);
  Kokkos::parallel_for("expected", range(exec, 0, items), plain_det<double>{exact, expected});
  const double cube = static_cast<double>(n) * n * n;
  prepared p{1.0 * sizeof(T) * items * (n * n + 1), items * 2 * cube / 3, {}, {}, {}};
  p.variants = {{"quern",
                 [=] {
                   quern::lu_factor(exec, factors, pivots, a, info);
                   Kokkos::parallel_for(
                       "bench::pivots", range(exec, 0, items),
                       KOKKOS_LAMBDA(std::int64_t b) { out(b) = product_of_pivots(factors, pivots, b); });
                 }},
                {"plain", [=] {
                   Kokkos::deep_copy(exec, factors, a);
                   Kokkos::parallel_for("plain", range(exec, 0, items), plain_det<T>{factors, out});
                 }}};
  p.poison = [=] { Kokkos::deep_copy(out, T(-7)); };
  p.right = [=] {
    const double bound = bound_of<T>(1e-11);
    return bench::failures(
               items, KOKKOS_LAMBDA(std::int64_t b) {
                 return Kokkos::abs(out(b) - expected(b)) <= bound * Kokkos::abs(expected(b));
               }) == 0;
  };
  return p;
}

/// How many matrices a sweep has: for some sizes several numbers, in batches of at most 1 GiB, for all others one.
std::vector<std::int64_t> items_of_sweep(std::int64_t n, std::int64_t bytes) {
  constexpr std::int64_t most = std::int64_t{1} << 30, several[] = {2, 4, 8, 12, 16, 24, 32};
  std::vector<std::int64_t> items;
  for (const std::int64_t count : {1'000, 10'000, 100'000, 1'000'000})
    if (count * n * n * bytes <= most) items.push_back(count);
  if (std::find(std::begin(several), std::end(several), n) != std::end(several)) return items;
  return {std::min<std::int64_t>(items.back(), 100'000)};
}
/// All sizes and both types side by side, `--benchmark_filter=sweep`.
template <class T>
void add_sweep(const std::string& type) {
  using make = prepared (*)(const exec_space&, std::int64_t, std::int64_t);
  const std::pair<const char*, make> operations[] = {
      {"solve", solve<T>},       {"lu", lu<T>}, {"det", det<T>},   {"inv", inv<T>},
      {"cholesky", cholesky<T>}, {"qr", qr<T>}, {"eigh", eigh<T>}, {"svd", svd<T>}};
  for (const auto& [name, prepare] : operations)
    for (std::int64_t n = 2; n <= 32; ++n)
      bench::add({std::string("sweep_") + name + "/" + type + " " + std::to_string(n) + "x" + std::to_string(n),
                  items_of_sweep(n, sizeof(T)), 3,
                  [prepare, n](const exec_space& exec, std::int64_t items) { return prepare(exec, items, n); }});
}

template <class Make>
void add_sizes(const std::string& name, const Make& make) {
  for (const std::int64_t n : {8, 16, 32, 64})
    bench::add({name + "/float64 " + std::to_string(n) + "x" + std::to_string(n),
                {10'000},
                3,
                [make, n](const exec_space& exec, std::int64_t items) { return make(exec, items, n); }});
}

const int registered = [] {
  const auto of = [](std::int64_t n) {
    return [n](const exec_space& exec, std::int64_t items) { return solve<double>(exec, items, n); };
  };
  add_sizes("batched_inv", inv<double>);
  add_sizes("batched_cholesky", cholesky<double>);
  add_sizes("batched_qr", qr<double>);
  add_sizes("batched_eigh", eigh<double>);
  add_sizes("batched_svd", svd<double>);
  bench::add({"batched_solve/float64 4x4", {100'000}, 7, of(4)});
  bench::add({"batched_solve/float64 8x8", {1000, 100'000}, 7, of(8)});
  bench::add({"batched_solve/float64 16x16", {100'000}, 7, of(16)});
  bench::add({"batched_solve/float64 32x32", {10'000}, 3, of(32)});
  bench::add({"batched_solve/float64 64x64", {10'000}, 3, of(64)});
  for (const std::int64_t n : {2, 3, 5, 6, 9, 12, 13, 16, 17, 20, 24, 25, 28, 32}) {
    const std::string size = std::to_string(n) + "x" + std::to_string(n);
    const std::vector<std::int64_t> items =
        n == 12 ? std::vector<std::int64_t>{1'000, 100'000, 1'000'000} : std::vector<std::int64_t>{100'000};
    bench::add({"batched_solve/float32 " + size, items, 7,
                [n](const exec_space& exec, std::int64_t count) { return solve<float>(exec, count, n); }});
    if (n != 16 && n != 32) bench::add({"batched_solve/float64 " + size, items, 7, of(n)});
  }
  add_sweep<float>("float32");
  add_sweep<double>("float64");
  return 0;
}();

}  // namespace
