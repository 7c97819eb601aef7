// SPDX-FileCopyrightText: the Quern authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Arrays (n, k) of half a million doubles with k from 2 to 64, which is the size of a run, beside a loop over the rows
// with a loop over each row in it. Bytes count each array once.

#include <algorithm>
#include <quern/keyed.hpp>
#include <quern/map.hpp>
#include <quern/reduce.hpp>
#include <quern/scan.hpp>
#include <quern/stencil.hpp>

#include "support/bench.hpp"

namespace {

using bench::exec_space;
using bench::make_view;
using bench::prepared;
using bench::range;
using bench::sampled;
using std::int64_t;
using table = bench::view<double**>;
using part = Kokkos::View<double**, Kokkos::LayoutStride, bench::memory_space>;

constexpr int64_t elements = 1 << 19;
int64_t rows_of(int64_t k) { return elements / k; }

/// A row at a time.
template <class Row>
std::function<void()> by_rows(const exec_space& exec, int64_t n, const Row& row) {
  return [=] { Kokkos::parallel_for("plain", range(exec, 0, n), row); };
}
template <class V>
std::function<void()> poisons(const V& out) {
  return [=] { Kokkos::deep_copy(out, typename V::value_type(-7)); };
}
/// A call beside a plain loop, whose result `out` is to have; the sums of its rows may be added up otherwise.
template <class V>
prepared beside_plain(double bytes, const V& out, std::function<void()> call, std::function<void()> plain) {
  prepared p{bytes, 0, {{"quern", std::move(call)}, {"plain", plain}}, poisons(out), {}};
  p.right = [=] {
    const auto found = Kokkos::create_mirror(out);
    Kokkos::deep_copy(found, out);
    const auto of_call = Kokkos::create_mirror_view_and_copy(bench::memory_space(), found);
    plain();
    Kokkos::fence();
    const auto n = static_cast<int64_t>(out.extent(0)), k = static_cast<int64_t>(out.extent(1));
    return bench::failures(
               n * k, KOKKOS_LAMBDA(int64_t e) {
                 const auto a = static_cast<double>(out.access(e / k, e % k)),
                            b = static_cast<double>(of_call.access(e / k, e % k));
                 return Kokkos::abs(a - b) <= 1e-12 * Kokkos::abs(a);
               }) == 0;
  };
  return p;
}

struct scaled {
  KOKKOS_FUNCTION double operator()(double x) const { return 2 * x + 1; }
};
struct product_of {
  KOKKOS_FUNCTION double operator()(double x, double y) const { return x * y; }
};

/// Rows with two elements between them that are not the array's.
prepared map_padded(const exec_space& exec, int64_t k) {
  const int64_t n = rows_of(k);
  const auto columns = std::pair<int64_t, int64_t>(0, k);
  const part x = Kokkos::subview(sampled(make_view<double**>("x", n, k + 2), 1), Kokkos::ALL, columns);
  const part out = Kokkos::subview(make_view<double**>("out", n, k + 2), Kokkos::ALL, columns);
  return beside_plain(
      16.0 * n * k, out, [=] { quern::map(exec, out, scaled(), x); },
      by_rows(
          exec, n, KOKKOS_LAMBDA(int64_t i) {
            for (int64_t j = 0; j < k; ++j) out(i, j) = 2 * x(i, j) + 1;
          }));
}

/// Beside an array (k), or one (n, 1).
template <bool Columns>
prepared broadcast(const exec_space& exec, int64_t k) {
  const int64_t n = rows_of(k);
  const auto x = sampled(make_view<double**>("x", n, k), 1), out = make_view<double**>("out", n, k);
  const table v = sampled(Columns ? make_view<double**>("v", n, 1) : make_view<double**>("v", 1, k), 2);
  return beside_plain(
      16.0 * n * k + 8.0 * (Columns ? n : k), out, [=] { quern::map(exec, out, product_of(), x, v); },
      by_rows(
          exec, n, KOKKOS_LAMBDA(int64_t i) {
            for (int64_t j = 0; j < k; ++j) out(i, j) = x(i, j) * v(Columns ? i : 0, Columns ? 0 : j);
          }));
}

struct sum_of {
  static constexpr double first = 0;
  KOKKOS_FUNCTION static double join(double a, double b) { return a + b; }
  template <class... Args>
  static void call(const Args&... args) {
    quern::sum(args...);
  }
};
struct max_of {
  static constexpr double first = -1;
  KOKKOS_FUNCTION static double join(double a, double b) { return a > b ? a : b; }
  template <class... Args>
  static void call(const Args&... args) {
    quern::max(args...);
  }
};

template <class Op>
prepared reduce_rows(const exec_space& exec, int64_t k) {
  const int64_t n = rows_of(k);
  const auto x = sampled(make_view<double**>("x", n, k), 1), out = make_view<double**>("out", n, 1);
  const auto line = Kokkos::subview(out, Kokkos::ALL, 0);
  return beside_plain(
      8.0 * n * (k + 1), out, [=] { Op::call(exec, line, x, quern::axis{1}); },
      by_rows(
          exec, n, KOKKOS_LAMBDA(int64_t i) {
            double s = Op::first;
            for (int64_t j = 0; j < k; ++j) s = Op::join(s, x(i, j));
            out(i, 0) = s;
          }));
}
template <class Op>
prepared reduce_columns(const exec_space& exec, int64_t k) {
  const int64_t n = rows_of(k);
  const auto x = sampled(make_view<double**>("x", n, k), 1), out = make_view<double**>("out", 1, k);
  const auto line = Kokkos::subview(out, 0, Kokkos::ALL);
  return beside_plain(
      8.0 * (n + 1) * k, out, [=] { Op::call(exec, line, x, quern::axis{0}); },
      by_rows(
          exec, 1, KOKKOS_LAMBDA(int64_t) {
            double s[64];
            for (int64_t j = 0; j < k; ++j) s[j] = Op::first;
            for (int64_t i = 0; i < n; ++i)
              for (int64_t j = 0; j < k; ++j) s[j] = Op::join(s[j], x(i, j));
            for (int64_t j = 0; j < k; ++j) out(0, j) = s[j];
          }));
}

template <class T>
prepared argmax_rows(const exec_space& exec, int64_t k) {
  const int64_t n = rows_of(k);
  const auto x = make_view<T**>("x", n, k);
  Kokkos::parallel_for(
      "fill", range(exec, 0, n * k),
      KOKKOS_LAMBDA(int64_t e) { x(e / k, e % k) = static_cast<T>(1e6 * bench::hashed(e, 1)); });
  const auto out = make_view<int64_t**>("out", n, 1);
  const auto line = Kokkos::subview(out, Kokkos::ALL, 0);
  return beside_plain(
      1.0 * sizeof(T) * n * k + 8.0 * n, out, [=] { quern::argmax(exec, line, x, quern::axis{1}); },
      by_rows(
          exec, n, KOKKOS_LAMBDA(int64_t i) {
            int64_t at = 0;
            for (int64_t j = 1; j < k; ++j) at = x(i, j) > x(i, at) ? j : at;
            out(i, 0) = at;
          }));
}

template <int Axis>
prepared cumsum(const exec_space& exec, int64_t k) {
  const int64_t n = rows_of(k);
  const auto x = sampled(make_view<double**>("x", n, k), 1), out = make_view<double**>("out", n, k);
  return beside_plain(
      16.0 * n * k, out, [=] { quern::cumsum(exec, out, x, quern::axis{Axis}); },
      by_rows(
          exec, Axis == 0 ? 1 : n, KOKKOS_LAMBDA(int64_t row) {
            if (Axis == 1) {
              double s = 0;
              for (int64_t j = 0; j < k; ++j) out(row, j) = s += x(row, j);
            } else {
              for (int64_t j = 0; j < k; ++j) out(0, j) = x(0, j);
              for (int64_t i = 1; i < n; ++i)
                for (int64_t j = 0; j < k; ++j) out(i, j) = out(i - 1, j) + x(i, j);
            }
          }));
}

prepared sort_rows(const exec_space& exec, int64_t k) {
  const int64_t n = rows_of(k);
  const auto x = sampled(make_view<double**>("x", n, k), 1), out = make_view<double**>("out", n, k);
  return beside_plain(
      16.0 * n * k, out, [=] { quern::sort(exec, out, x); },
      by_rows(
          exec, n, KOKKOS_LAMBDA(int64_t i) {
            for (int64_t j = 0; j < k; ++j) {  // by insertion
              const double v = x(i, j);
              int64_t at = j;
              for (; at > 0 && out(i, at - 1) > v; --at) out(i, at) = out(i, at - 1);
              out(i, at) = v;
            }
          }));
}

struct five_points {
  template <class Window>
  KOKKOS_FUNCTION auto operator()(const Window& u) const {
    return u(-1, 0) + u(1, 0) + u(0, -1) + u(0, 1) - 4 * u(0, 0);
  }
};
/// Of (n, k), or of (k, n), with the values at the ends beyond them.
template <bool Rows>
prepared stencil(const exec_space& exec, int64_t k) {
  const int64_t n = Rows ? rows_of(k) : k, m = Rows ? k : rows_of(k);
  const auto x = sampled(make_view<double**>("x", n, m), 1), out = make_view<double**>("out", n, m);
  prepared p{16.0 * n * m, 0, {}, {}, {}};
  p.variants = {
      {"quern", [=] { quern::stencil<quern::star<1>>(exec, out, five_points(), quern::boundary::nearest, x); }},
      {"plain", by_rows(
                    exec, n, KOKKOS_LAMBDA(int64_t i) {
                      const int64_t above = i > 0 ? i - 1 : 0, below = i + 1 < n ? i + 1 : i;
                      const auto cell = [&](int64_t j, int64_t left, int64_t right) {
                        out(i, j) = x(above, j) + x(below, j) + x(i, left) + x(i, right) - 4 * x(i, j);
                      };
                      cell(0, 0, m > 1 ? 1 : 0);
                      for (int64_t j = 1; j < m - 1; ++j) cell(j, j - 1, j + 1);
                      if (m > 1) cell(m - 1, m - 2, m - 1);
                    })}};
  p.poison = poisons(out);
  p.right = [=] {
    return bench::failures(
               n * m, KOKKOS_LAMBDA(int64_t e) {
                 const int64_t i = e / m, j = e % m;
                 const auto at = [&](int64_t a, int64_t b) {
                   return x(Kokkos::clamp<int64_t>(a, 0, n - 1), Kokkos::clamp<int64_t>(b, 0, m - 1));
                 };
                 const double sum = at(i - 1, j) + at(i + 1, j) + at(i, j - 1) + at(i, j + 1) - 4 * at(i, j);
                 return Kokkos::abs(out(i, j) - sum) <= 1e-12;
               }) == 0;
  };
  return p;
}

[[maybe_unused]] const bool registered = [] {
  const auto add = [](const char* name, bench::prepare make) {
    bench::add({name, {2, 3, 4, 5, 7, 8, 12, 16, 24, 32, 48, 64}, 5, std::move(make)});
  };
  add("short_map_padded", map_padded);
  add("short_times_row", broadcast<false>);
  add("short_times_column", broadcast<true>);
  add("short_sum_rows", reduce_rows<sum_of>);
  add("short_max_rows", reduce_rows<max_of>);
  add("short_argmax_rows", argmax_rows<double>);
  add("short_argmax_rows_int64", argmax_rows<int64_t>);
  add("short_argmax_rows_int32", argmax_rows<std::int32_t>);
  add("short_sum_columns", reduce_columns<sum_of>);
  add("short_max_columns", reduce_columns<max_of>);
  add("short_cumsum_rows", cumsum<1>);
  add("short_cumsum_columns", cumsum<0>);
  add("short_sort_rows", sort_rows);
  add("short_stencil_rows", stencil<true>);
  add("short_stencil_columns", stencil<false>);
  return true;
}();

}  // namespace
