// SPDX-FileCopyrightText: the Quern authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Products of matrices beside Kokkos Kernels, which passes them on to the vendor's BLAS, and the plain loop. Flops are
// 2 m n k, bytes each operand once.

#include <quern/config.hpp>
#include <quern/linalg.hpp>

#include "support/bench.hpp"
#ifdef QUERN_BENCHMARK_KOKKOSKERNELS
#include <KokkosBlas3_gemm.hpp>
#endif

namespace {

using bench::exec_space;
using bench::make_view;
using bench::prepared;
using bench::range;
using bench::sampled;
using bench::view;

/// Whether (c r) agrees with a(b r) for numbers r that the products do not know (Freivalds, 1977), within rounding.
template <class C, class A, class B>
bool product_right(const C& c, const A& a, const B& b) {
  const std::int64_t batch = c.extent(0), m = c.extent(1), n = c.extent(2), k = a.extent(2);
  using T = typename C::non_const_value_type;
  const auto br = make_view<double**>("br", batch, k), magnitude = make_view<double**>("magnitude", batch, k);
  const auto r = KOKKOS_LAMBDA(std::int64_t j) { return bench::hashed(j, 7) - 0.5; };
  Kokkos::parallel_for(
      "bench::br", range(0, batch * k), KOKKOS_LAMBDA(std::int64_t at) {
        double sum = 0, size = 0;
        for (std::int64_t j = 0; j < n; ++j) {
          const double term = b(at / k, at % k, j) * r(j);
          sum += term;
          size += Kokkos::abs(term);
        }
        br(at / k, at % k) = sum;
        magnitude(at / k, at % k) = size;
      });
  const double bound = 8 * Kokkos::sqrt(static_cast<double>(k)) * Kokkos::Experimental::epsilon_v<T>;
  return bench::failures(
             batch * m, KOKKOS_LAMBDA(std::int64_t at) {
               double left = 0, right = 0, size = 0;
               for (std::int64_t j = 0; j < n; ++j) left += c(at / m, at % m, j) * r(j);
               for (std::int64_t p = 0; p < k; ++p) {
                 right += a(at / m, at % m, p) * br(at / m, p);
                 size += Kokkos::abs(a(at / m, at % m, p)) * magnitude(at / m, p);
               }
               return Kokkos::abs(left - right) <= bound * size;
             }) == 0;
}

/// Rank 3 for any of ours: a batch of one.
template <class V>
auto as_batch(const V& v) {
  using T = typename V::value_type;
  return Kokkos::View<T***, Kokkos::LayoutStride, bench::memory_space, Kokkos::MemoryTraits<Kokkos::Unmanaged>>(
      v.data(), Kokkos::LayoutStride(1, 0, v.extent(0), v.stride(0), v.extent(1), v.stride(1)));
}

template <class T>
void centre(const view<T**>& v) {
  Kokkos::parallel_for("bench::centre", range(0, v.size()), KOKKOS_LAMBDA(std::int64_t i) { v.data()[i] -= T(0.5); });
}

template <class T, class B>
prepared product(const exec_space& exec, const view<T**>& a, const B& b, const char* mode_b,
                 const view<T**>& stored_b) {
  const std::int64_t m = a.extent(0), n = b.extent(1), k = a.extent(1);
  const auto c = make_view<T**>("c", m, n);
  prepared p{1.0 * sizeof(T) * (m * k + k * n + m * n), 2.0 * m * n * k, {}, {}, {}};
  p.variants = {{"quern", [=] { quern::matmul(exec, c, a, b); }},
                {"quern_tiles",
                 [=] {
                   quern::impl::multiply_tiles(
                       exec, "tiles",
                       quern::impl::matrix_product<T, T, T>{c.data(),
                                                            a.data(),
                                                            b.data(),
                                                            1,
                                                            m,
                                                            n,
                                                            k,
                                                            {0, n, 1},
                                                            {0, k, 1},
                                                            {0, std::int64_t(b.stride(0)), std::int64_t(b.stride(1))},
                                                            {}});
                 }},
                {"plain", [=] {
                   using policy = Kokkos::MDRangePolicy<exec_space, Kokkos::Rank<2>, Kokkos::IndexType<std::int64_t>>;
                   Kokkos::parallel_for(
                       "plain", policy(exec, {0, 0}, {m, n}), KOKKOS_LAMBDA(std::int64_t i, std::int64_t j) {
                         T sum = 0;
                         for (std::int64_t l = 0; l < k; ++l) sum += a(i, l) * b(l, j);
                         c(i, j) = sum;
                       });
                 }}};
#ifdef QUERN_BENCHMARK_KOKKOSKERNELS
  p.variants.push_back({"vendor", [=] { KokkosBlas::gemm(exec, "N", mode_b, T(1), a, stored_b, T(0), c); }});
#else
  (void)mode_b;
  (void)stored_b;
#endif
  p.poison = [=] { Kokkos::deep_copy(c, T(-7)); };
  p.right = [=] { return product_right(as_batch(c), as_batch(a), as_batch(b)); };
  return p;
}

template <class T>
view<T**> matrix(std::int64_t m, std::int64_t n, std::uint64_t seed) {
  const auto v = sampled(make_view<T**>("matrix", m, n), seed);
  centre(v);
  return v;
}

prepared oblong(const exec_space& exec, std::int64_t n) {
  const auto b = matrix<double>(2 * n, n / 2, 2);
  return product(exec, matrix<double>(n, 2 * n, 1), b, "N", b);
}
template <class T>
prepared square(const exec_space& exec, std::int64_t n) {
  const auto b = matrix<T>(n, n, 2);
  return product(exec, matrix<T>(n, n, 1), b, "N", b);
}
prepared gram(const exec_space& exec, std::int64_t n) {
  const auto x = matrix<float>(n, n, 1);
  return product(exec, x, quern::transposed(x), "T", x);
}

constexpr auto as_is = quern::impl::blas::form::as_is, transposed = quern::impl::blas::form::transposed;

/// Many products of small matrices.
template <class T>
prepared batched(const exec_space& exec, std::int64_t batch, std::int64_t m, std::int64_t n, std::int64_t k) {
  const auto a = sampled(make_view<T***>("a", batch, m, k), 1), b = sampled(make_view<T***>("b", batch, k, n), 2);
  const auto c = make_view<T***>("c", batch, m, n);
  prepared p{1.0 * sizeof(T) * batch * (m * k + k * n + m * n), 2.0 * batch * m * n * k, {}, {}, {}};
  p.variants = {{"quern", [=] { quern::matmul(exec, c, a, b); }},
                {"plain", [=] {
                   Kokkos::parallel_for(
                       "plain", range(exec, 0, batch * m * n), KOKKOS_LAMBDA(std::int64_t at) {
                         const std::int64_t item = at / (m * n), i = at / n % m, j = at % n;
                         T sum = 0;
                         for (std::int64_t l = 0; l < k; ++l) sum += a(item, i, l) * b(item, l, j);
                         c(item, i, j) = sum;
                       });
                 }}};
  if (quern::impl::blas::available<exec_space>())
    p.variants.push_back({"vendor", [=] {
                            quern::impl::blas::gemm<exec_space, T>(
                                exec, batch, n, m, k, T(1), {b.data(), as_is, n, k * n}, {a.data(), as_is, k, m * k},
                                T(0), {c.data(), as_is, n, m * n});
                          }});
  p.poison = [=] { Kokkos::deep_copy(c, T(-7)); };
  p.right = [=] { return product_right(c, a, b); };
  return p;
}

template <class T>
auto column(const view<T**>& x) {
  return Kokkos::View<T***, Kokkos::LayoutStride, bench::memory_space, Kokkos::MemoryTraits<Kokkos::Unmanaged>>(
      x.data(), Kokkos::LayoutStride(x.extent(0), x.stride(0), x.extent(1), x.stride(1), 1, 1));
}

/// `batch` vectors times one matrix (many: one each).
template <class T, bool Many>
prepared vectors(const exec_space& exec, std::int64_t batch, std::int64_t m, std::int64_t n) {
  const auto a = sampled(make_view<T***>("a", Many ? batch : 1, m, n), 1);
  const auto one = Kokkos::subview(a, 0, Kokkos::ALL, Kokkos::ALL);
  const auto x = sampled(make_view<T**>("x", batch, n), 2), y = make_view<T**>("y", batch, m);
  prepared p{1.0 * sizeof(T) * (a.size() + batch * (m + n)), 2.0 * batch * m * n, {}, {}, {}};
  p.variants = {{"quern",
                 [=] {
                   if constexpr (Many) quern::matvec(exec, y, a, x);
                   else quern::matvec(exec, y, one, x);
                 }},
                {"plain", [=] {
                   Kokkos::parallel_for(
                       "plain", range(exec, 0, batch * m), KOKKOS_LAMBDA(std::int64_t at) {
                         const std::int64_t item = at / m, i = at % m;
                         T sum = 0;
                         for (std::int64_t l = 0; l < n; ++l) sum += a(Many ? item : 0, i, l) * x(item, l);
                         y(item, i) = sum;
                       });
                 }}};
  if constexpr (Many) {
    if (quern::impl::blas::available<exec_space>())
      p.variants.push_back({"vendor", [=] {
                              quern::impl::blas::gemm<exec_space, T>(
                                  exec, batch, m, 1, n, T(1), {a.data(), transposed, n, m * n}, {x.data(), as_is, n, n},
                                  T(0), {y.data(), as_is, m, m});
                            }});
  } else {
#ifdef QUERN_BENCHMARK_KOKKOSKERNELS
    p.variants.push_back({"vendor", [=] { KokkosBlas::gemm(exec, "N", "T", T(1), x, one, T(0), y); }});
#endif
  }
  p.poison = [=] { Kokkos::deep_copy(y, T(-7)); };
  p.right = [=] {
    const Kokkos::View<T***, Kokkos::LayoutStride, bench::memory_space, Kokkos::MemoryTraits<Kokkos::Unmanaged>> all(
        a.data(), Kokkos::LayoutStride(batch, Many ? m * n : 0, m, n, n, 1));
    return product_right(column<T>(y), all, column<T>(x));
  };
  return p;
}

const int registered = [] {
  const auto large = quern::impl::is_device<exec_space> ? 10'000 : 3000;
  bench::add({"matmul/float64 n x 2n x n/2", {1024}, 36, oblong});
  bench::add({"matmul/float64", {100, 1000, large}, 37, square<double>});
  bench::add({"matmul/float32", {1000}, 37, square<float>});
  bench::add({"matmul_transposed/float32", {3000}, 37, gram});
  const auto items = [](auto make, std::int64_t m, std::int64_t n, std::int64_t k) {
    return [=](const exec_space& exec, std::int64_t batch) { return make(exec, batch, m, n, k); };
  };
  bench::add({"batched_matmul/float64 8x8", {100'000}, 11, items(batched<double>, 8, 8, 8)});
  bench::add({"batched_matmul/float64 16x16", {100'000}, 11, items(batched<double>, 16, 16, 16)});
  bench::add({"batched_matmul/float32 16x16", {100'000}, 11, items(batched<float>, 16, 16, 16)});
  bench::add({"batched_matmul/float32 15x15", {100'000}, 11, items(batched<float>, 15, 15, 15)});
  bench::add({"batched_matmul/float64 32x32", {10'000}, 11, items(batched<double>, 32, 32, 32)});
  bench::add({"batched_matmul/float64 128x128", {1000}, 3, items(batched<double>, 128, 128, 128)});
  bench::add({"vmap_matvec/float32 150x100", {10, 10'000}, 3, [](const exec_space& exec, std::int64_t batch) {
                return vectors<float, false>(exec, batch, 150, 100);
              }});
  bench::add({"batched_matvec/float64 8x8", {100'000}, 5, [](const exec_space& exec, std::int64_t batch) {
                return vectors<double, true>(exec, batch, 8, 8);
              }});
  bench::add({"matvec/float64", {1000, 10'000}, 37, [](const exec_space& exec, std::int64_t n) {
                return vectors<double, false>(exec, 1, n, n);
              }});
  return 0;
}();

}  // namespace
