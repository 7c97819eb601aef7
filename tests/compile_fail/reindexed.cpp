// SPDX-FileCopyrightText: the Quern authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Operands that cannot be re-indexed, and calls that take none that are found by maps of indices, as in messages.cpp.

#include <Kokkos_Core.hpp>
#include <Kokkos_DualView.hpp>
#include <quern/quern.hpp>

struct identity {
  template <class T>
  KOKKOS_FUNCTION T operator()(const T& x) const {
    return x;
  }
};

struct twice_itself {
  template <class T>
  KOKKOS_FUNCTION auto operator()(const T& x) const {
    return quern::values(x, x);
  }
};

void misuse() {
  const Kokkos::View<double*> x("x", 3);
  const Kokkos::View<float*> f("f", 3);
  const Kokkos::View<bool*> flags("flags", 3);
  const auto twice = quern::lazy(identity(), x);
  const Kokkos::View<int*> rows("rows", 3);
  const Kokkos::View<int> count("count");
  const auto square = quern::chunked::reader<double>({3, 3}, [](std::int64_t, std::int64_t, double*) {});
  const auto sink = quern::chunked::writer<double>({3, 3}, [](std::int64_t, std::int64_t, const double*) {});
  const Kokkos::DualView<double*> dual("dual", 3);

  quern::roll(quern::in_chunks(x), 1, quern::axis{0});       // not what comes in chunks; copy it to a View first
  quern::take(square, rows, quern::axis{0});                 // not what comes in chunks; copy it to a View first
  quern::remove_at(quern::in_chunks(f), 1, quern::axis{0});  // quern: roll, take, remove_at, pad, tile, repeat and
  quern::diagonal(square);                                   // is in_chunks(view) or, except for its diagonal, a source
  quern::flip(sink);                                         // a source; a sink is not
  quern::roll(dual, 1, quern::axis{0});                      // one side of a DualView
  quern::pad(quern::lazy(identity(), quern::positions()), 1);  // positions() have none
  quern::pad(twice, 1, quern::linear_ramp{0});                 // computed from a lazy array's values; copy it to a View
  quern::pad(flags, 1, quern::linear_ramp{0});                 // quern::pad: odd reflection and ramps are of numbers
  quern::take(x, f, quern::axis{0});                           // quern::take: indices must be integers
  quern::take(x, rows, quern::axis{0}, count);                 // quern::take: info must be a View of rank 0
  quern::repeat(x, f, quern::axis{0});                         // quern::repeat: counts must be a View of integers
  quern::repeat(x, count);                                     // quern::repeat: counts must have rank 1
  quern::remove_at(x, f, quern::axis{0});                      // quern::remove_at: indices must be a View of integers
  quern::insert(x, x, f, 1.0);                                 // quern::insert: indices must be a View of integers
  quern::diagonal(x);                                          // quern::diagonal: x must have two axes at least
  quern::squeeze(x, {0, 1});                                   // quern::squeeze: x has fewer axes
  quern::put(x, f, 1.0);                                       // quern: indices must be integers
  quern::take_along_axis(x, x, rows, count);                   // quern: info must be a View of rank 0
  quern::unwrap(rows, x);                                      // quern::unwrap: in must be of real numbers, and out
  const Kokkos::View<double**> m("m", 3, 3);
  const auto turned = quern::roll(m, 1);
  const auto floats = quern::chunked::writer<float>({3, 3}, [](std::int64_t, std::int64_t, const float*) {});
  const Kokkos::View<int**> n("n", 3, 3);
  const auto sums = quern::reduced<quern::op::sum>(quern::in_chunks(f), quern::axis{0});
  quern::map(m, identity(), sink);                    // a sink is written and not read: it is no input, and no output
  quern::map(floats, identity(), quern::mask{n}, m);  // a sink is written and not read: it is no input, and no output
  quern::map(quern::outputs(sums, sums), twice_itself(), m);  // where all outputs are reductions, out is a View
  const quern::boundary edge = quern::boundary::reflect;
  quern::argsort(rows, quern::roll(x, 1));             // a lazy array, or what roll, take, remove_at, pad, tile
  quern::top_k(x, rows, twice);                        // a lazy array, or what roll, take, remove_at, pad, tile
  quern::unique(x, quern::tile(x, {2}));               // a lazy array, or what roll, take, remove_at, pad, tile
  quern::interp(x, x, x, quern::roll(f, 1));           // a lazy array, or what roll, take, remove_at, pad, tile
  quern::polyval(x, twice, x);                         // a lazy array, or what roll, take, remove_at, pad, tile
  quern::take_along_axis(x, quern::roll(x, 1), rows);  // a lazy array, or what roll, take, remove_at, pad, tile
  quern::median_filter(m, turned, 3, edge);            // a lazy array, or what roll, take, remove_at, pad, tile
  quern::gaussian_filter(m, turned, 1.0, edge);        // a lazy array, or what roll, take, remove_at, pad, tile
  quern::map_coordinates(x, turned, quern::components(x, x), edge);  // a lazy array, or what roll, take, remove_at
  quern::unwrap(f, x);                                               // quern::unwrap: out must hold what is computed
  quern::interp(x, x, x, x, quern::period{1}, quern::checked);       // quern::interp: with a period no position is
}
