// SPDX-FileCopyrightText: the Quern authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numbers>
#include <quern/core.hpp>
#include <quern/map.hpp>
#include <quern/reduce.hpp>
#include <quern/stencil.hpp>

#include "image.hpp"
#include "stencil_rules.hpp"
#include "workload.hpp"

namespace app {
namespace {

template <class T>
using plane = device_view<T**>;

/// Smooths `in` and checks the result against the plain loop; `smoothed` receives it.
template <class T>
measurement smooth_plane(const settings& s, const plane<T>& in, host_view<T**>& smoothed) {
  const std::int64_t rows = in.extent(0), columns = in.extent(1);
  const auto out = uninitialized<plane<T>>("out", rows, columns);
  quern::copy(s.exec, out, in);
  measurement m = timed(s, {rows, columns}, 2.0 * sizeof(T) * rows * columns, 9.0 * rows * columns,
                        [&] { quern::stencil<quern::box<1>>(s.exec, out, smooth3x3(), quern::boundary::keep, in); });
  const host_view<T**> hin = quern::to_host(in), expected = quern::to_host(in);
  smoothed = quern::to_host(out);
  const auto plain = [&](std::int64_t j, std::int64_t i) {
    return smooth3x3()(cells_around<host_view<T**>>{hin, {j, i}});
  };
  m.baseline_seconds = time_elements(expected, plain, 1);
  for_elements(expected, rows, 1,
               [&](std::int64_t j, std::int64_t i) { expected(j, i) = static_cast<T>(plain(j, i)); });
  m.verified = all_right(rows * columns, [&](std::int64_t k) { return smoothed.data()[k] == expected.data()[k]; });
  return m;
}

measurement smooth_image(const settings& s) {
  image picture = read_image(s.input);
  if (!s.output.empty()) check_image(s.output, picture);
  const std::int64_t rows = picture.height, columns = picture.width;
  measurement all;
  for (int c = 0; c < picture.channels; ++c) {
    host_view<std::uint8_t**> channel("channel", rows, columns);
    for (std::int64_t k = 0; k < rows * columns; ++k) channel.data()[k] = picture.pixels[k * picture.channels + c];
    host_view<std::uint8_t**> smoothed;
    const auto m = smooth_plane<std::uint8_t>(s, quern::to_device<exec_space>(channel), smoothed);
    for (std::int64_t k = 0; k < rows * columns; ++k) picture.pixels[k * picture.channels + c] = smoothed.data()[k];
    all.seconds += m.seconds;
    all.bytes += m.bytes;
    all.flops += m.flops;
    all.baseline_seconds += m.baseline_seconds;
    all.verified = m.verified && (c == 0 || all.verified);
  }
  all.size = fmt::format("{} x {} x {}", rows, columns, picture.channels);
  all.type = "uint8";
  if (!s.output.empty()) {
    write_image(s.output, picture);
    all.note = "written to " + s.output;
  }
  return all;
}

measurement smooth(const settings& s, std::int64_t n) {
  if (!s.input.empty()) return smooth_image(s);
  const auto in = filled<plane<std::int8_t>>(s, hashes{1, -128, 128}, n, n);
  host_view<std::int8_t**> smoothed;
  return smooth_plane<std::int8_t>(s, in, smoothed);
}

measurement laplacian(const settings& s, std::int64_t n) {
  const auto in = filled<device_view<double***>>(s, hashes{1}, n, n, n);
  const device_view<double***> out("out", n, n, n);
  measurement m = timed(s, {n, n, n}, 16.0 * n * n * n, 7.0 * n * n * n,
                        [&] { quern::stencil<quern::star<1>>(s.exec, out, laplace7(), quern::boundary::keep, in); });
  const auto hin = quern::to_host(in), hout = quern::to_host(out);
  const auto plain = [&](std::int64_t i, std::int64_t j, std::int64_t k) {
    return laplace7()(cells_around<std::remove_cvref_t<decltype(hin)>>{hin, {i, j, k}});
  };
  m.verified = elements_right(hout, [&](std::int64_t i, std::int64_t j, std::int64_t k) {
    const bool inside = i > 0 && j > 0 && k > 0 && i + 1 < n && j + 1 < n && k + 1 < n;
    return std::fabs(hout(i, j, k) - (inside ? plain(i, j, k) : 0)) <= 16 * std::numeric_limits<double>::epsilon();
  });
  m.baseline_seconds = time_elements(hout, plain, 1);
  return m;
}

/// Ten explicit steps from sin(pi x) sin(pi y) sin(pi z) on the unit cube, zero at its faces. The exact solution is the
/// same mode times exp(-3 pi^2 t).
measurement heat(const settings& s, std::int64_t n) {
  constexpr int steps = 10;
  const double rate = 0.125, k = std::numbers::pi / static_cast<double>(n - 1);
  auto u = uninitialized<device_view<double***>>("u", n, n, n);
  auto next = uninitialized<device_view<double***>>("next", n, n, n);
  const auto mode = KOKKOS_LAMBDA(std::int64_t i) {
    return i == 0 || i == n - 1 ? 0.0 : Kokkos::sin(k * static_cast<double>(i));
  };
  const auto initial = KOKKOS_LAMBDA(std::int64_t e) { return mode(e / (n * n)) * mode(e / n % n) * mode(e % n); };
  const auto advance = [&] {
    quern::iterate(
        s.exec, u, next,
        [=](const auto& exec, const auto& from, const auto& to) {
          quern::stencil<quern::star<1>>(exec, to, heat_step{rate}, quern::boundary::keep, from);
        },
        steps);
  };
  const auto start = [&] {
    fill_with(s.exec, u, initial);
    fill_with(s.exec, next, initial);
  };
  const double cells = static_cast<double>(n) * static_cast<double>(n) * static_cast<double>(n);
  start();
  measurement m = timed(s, {n, n, n, steps}, 16.0 * steps * cells, 9.0 * steps * cells, advance);
  start();
  advance();
  // With t = steps rate h^2 the decay is exp(-3 rate k^2 steps), k = pi h. Of each step the scheme misses (rate k^4 / 4
  // of the second differences) and (3 rate k^2)^2 / 2 (of the step in time), and terms of higher order.
  const double decay = std::exp(-3 * rate * k * k * steps);
  const double missed = 1.1 * steps * (rate * std::pow(k, 4) / 4 + std::pow(3 * rate * k * k, 2) / 2) + 1e-14;
  const auto found = quern::to_host(u);
  m.verified =
      all_right(n * n * n, [&](std::int64_t e) { return std::fabs(found.data()[e] - decay * initial(e)) <= missed; });
  m.note = fmt::format("largest value {:.9f}, exact {:.9f}", found(n / 2, n / 2, n / 2),
                       decay * initial((n * n + n + 1) * (n / 2)));
  const auto from = quern::to_host(u), to = quern::to_host(next);
  const auto plain = [&](std::int64_t c, std::int64_t b, std::int64_t a) {
    return heat_step{rate}(cells_around<std::remove_cvref_t<decltype(from)>>{from, {c, b, a}});
  };
  m.baseline_seconds = steps * time_elements(to, plain, 1);
  return m;
}

/// Two layers around n^3 cells: periodic along the first axis, odd about the faces of the second, and continued by the
/// last cells of the third.
measurement ghost_cells(const settings& s, std::int64_t n) {
  constexpr std::int64_t depth = 2;
  using quern::boundary;
  const std::int64_t stored = n + 2 * depth;
  const auto cubed = [](std::int64_t k) {
    return static_cast<double>(k) * static_cast<double>(k) * static_cast<double>(k);
  };
  const auto u = filled<device_view<double***>>(s, hashes{1}, stored, stored, stored);
  const quern::boundaries edges{boundary::wrap, boundary::odd_reflect, boundary::nearest};
  measurement m = timed(s, {n, n, n}, 16.0 * (cubed(stored) - cubed(n)), 0,
                        [&] { quern::fill_halo(s.exec, u, edges, quern::depth{depth}); });
  const auto found = quern::to_host(u), expected = quern::to_host(u);
  const auto fill_axis = [&](std::int64_t rows, const auto& at) {
    for (std::int64_t j = 0; j < rows; ++j)
      for (std::int64_t i = 0; i < stored; ++i)
        for (std::int64_t k = 0; k < depth; ++k) at(j, i, k);
  };
  const std::int64_t end = n + depth;
  m.baseline_seconds = time_baseline(stored, [&](std::int64_t rows) {
    fill_axis(rows, [&](std::int64_t j, std::int64_t i, std::int64_t k) {
      expected(k, j, i) = expected(n + k, j, i);
      expected(end + k, j, i) = expected(depth + k, j, i);
    });
    fill_axis(rows, [&](std::int64_t j, std::int64_t i, std::int64_t k) {
      expected(j, depth - 1 - k, i) = -expected(j, depth + k, i);
      expected(j, end + k, i) = -expected(j, end - 1 - k, i);
    });
    fill_axis(rows, [&](std::int64_t j, std::int64_t i, std::int64_t k) {
      expected(j, i, k) = expected(j, i, depth);
      expected(j, i, end + k) = expected(j, i, end - 1);
    });
    keep(*expected.data());
  });
  const auto cell = [&](std::int64_t i) { return depth <= i && i < end; };
  m.verified = elements_right(found, [&](std::int64_t k, std::int64_t j, std::int64_t i) {
    const std::int64_t from_k = cell(k)     ? k
                                : k < depth ? k + n
                                            : k - n,
                       from_j = cell(j)     ? j
                                : j < depth ? 2 * depth - 1 - j
                                            : 2 * end - 1 - j,
                       from_i = std::clamp(i, depth, end - 1);
    return found(k, j, i) == (cell(j) ? 1 : -1) * found(from_k, from_j, from_i);
  });
  return m;
}

/// The two passes of an iteration of conjugate gradients that reduce what they write: w = A p with p.w, and u += alpha
/// p and r -= alpha w with r.r.
measurement cg_passes(const settings& s, std::int64_t n) {
  const auto p = filled<plane<double>>(s, hashes{1}, n, n), u = filled<plane<double>>(s, hashes{2}, n, n),
             r = filled<plane<double>>(s, hashes{3}, n, n), w = uninitialized<plane<double>>("w", n, n);
  const device_view<double> rr("r.r"), pw("p.w"), alpha("alpha"), next("next r.r");
  quern::dot(s.exec, rr, r, r);
  const auto passes = [&] {
    using quern::outputs, quern::reduced;
    quern::stencil<quern::star<1>>(s.exec, outputs(w, reduced<quern::op::sum>(pw)), apply5(),
                                   quern::boundary::constant(0), p);
    quern::divide(s.exec, alpha, rr, pw);
    quern::map(s.exec, outputs(u, r, reduced<quern::op::sum>(next)), advance_cg(), u, r, p, w, alpha);
  };
  const double cells = static_cast<double>(n) * static_cast<double>(n);
  measurement m = timed(s, {n, n}, 64 * cells, 14 * cells, passes);

  const auto hp = quern::to_host(p), old_u = quern::to_host(u), old_r = quern::to_host(r);
  passes();
  const auto hu = quern::to_host(u), hr = quern::to_host(r), hw = quern::to_host(w);
  const double factor = quern::to_host(alpha)(), found_pw = quern::to_host(pw)(), found_rr = quern::to_host(next)();
  const auto at = [&](std::int64_t j, std::int64_t i) { return 0 <= j && j < n && 0 <= i && i < n ? hp(j, i) : 0.0; };
  const auto near = [](double a, double b, double scale) {
    return std::fabs(a - b) <= 8 * std::numeric_limits<double>::epsilon() * scale;
  };
  long double plain_pw = 0, plain_rr = 0;
  const bool elements = elements_right(hw, [&](std::int64_t j, std::int64_t i) {
    const double here = at(j, i), ap = 4 * here - at(j - 1, i) - at(j + 1, i) - at(j, i - 1) - at(j, i + 1);
    plain_pw += static_cast<long double>(here) * hw(j, i);
    plain_rr += static_cast<long double>(hr(j, i)) * hr(j, i);
    return near(hw(j, i), ap, 8) && near(hu(j, i), old_u(j, i) + factor * here, std::fabs(old_u(j, i)) + factor) &&
           near(hr(j, i), old_r(j, i) - factor * hw(j, i), std::fabs(old_r(j, i)) + 4 * factor);
  });
  // Terms of p.w are 8 at most in magnitude, and cancel in part.
  m.verified = elements && near(found_pw, static_cast<double>(plain_pw), 8 * cells) &&
               near(found_rr, static_cast<double>(plain_rr), static_cast<double>(plain_rr)) &&
               near(factor, quern::to_host(rr)() / found_pw, factor);
  m.note = fmt::format("p.w {:.9e}, r.r {:.9e}", found_pw, found_rr);

  m.baseline_seconds = time_baseline(n, [&](std::int64_t rows) {
    double sum_pw = 0, sum_rr = 0;
    for_elements(hw, rows, 1, [&](std::int64_t j, std::int64_t i) {
      hw(j, i) = 4 * hp(j, i) - hp(j - 1, i) - hp(j + 1, i) - hp(j, i - 1) - hp(j, i + 1);
      sum_pw += hp(j, i) * hw(j, i);
    });
    for_elements(hu, rows, 0, [&](std::int64_t j, std::int64_t i) {
      hu(j, i) += factor * hp(j, i);
      hr(j, i) -= factor * hw(j, i);
      sum_rr += hr(j, i) * hr(j, i);
    });
    keep(sum_pw);
    keep(sum_rr);
  });
  return m;
}

}  // namespace

std::vector<workload> stencil_workloads() {
  workload smoothing{"smooth",       "int8", "mean of the 3x3 neighbourhood", sizes({4000}, {10'000, 20'000}),
                     arrays(2.5, 2), smooth};
  smoothing.takes.insert(smoothing.takes.end(), {option::input, option::output});
  return {smoothing,
          {"laplacian", "float64", "7-point Laplacian", sizes(192, 512), arrays(16, 3), laplacian},
          {"heat", "float64", "ten explicit 7-point steps", sizes(192, 512), arrays(16, 3), heat},
          {"fill_halo", "float64", "two ghost layers of a cube", sizes(192, 512), arrays(8, 3), ghost_cells},
          {"cg_fused", "float64", "CG: A p with p.w, u and r with r.r", sizes(2000, 8000), arrays(40, 2), cg_passes}};
}

}  // namespace app
