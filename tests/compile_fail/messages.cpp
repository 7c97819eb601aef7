// SPDX-FileCopyrightText: the Quern authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Calls that must not compile. Each line ends with the one message that a user reads: no second error follows, and
// lines without a message have none. Types differ from line to line, as a compiler reports what it instantiates but
// once.

#include <Kokkos_Core.hpp>
#include <Kokkos_DynRankView.hpp>
#include <quern/quern.hpp>

template <int>
struct nothing {};

template <class T>
struct add {
  KOKKOS_FUNCTION T operator()(const T& a, const T& b) const { return a + b; }
};

struct doubled {
  using offset_policy = doubled;
  using element_type = double;
  using reference = double;
  using data_handle_type = double*;
  reference access(data_handle_type p, std::size_t i) const { return 2 * p[i]; }
  data_handle_type offset(data_handle_type p, std::size_t i) const { return p + i; }
};

template <class T>
Kokkos::View<T*> vector_of() {
  return Kokkos::View<T*>("v", 3);
}

void misuse() {
  using quern::boundary;
  using fine = Kokkos::complex<double>;
  using coarse = Kokkos::complex<float>;
  const Kokkos::DefaultExecutionSpace exec;
  const quern::random::key key(1);
  const auto x = vector_of<double>(), y = vector_of<double>();
  const auto f = vector_of<float>();
  const auto i = vector_of<int>();
  const auto offsets = vector_of<std::int64_t>();
  const auto mask = vector_of<bool>();
  const auto z = vector_of<fine>();
  const auto c = vector_of<coarse>();
  const Kokkos::View<double**> m("m", 3, 2);
  const Kokkos::View<double***> rows("rows", 3, 3, 2);
  const Kokkos::DynRankView<double> d("d", 3, 3), e("e", 3, 3);
  const auto groups = quern::group_by(exec, i);
  const Kokkos::View<double*, Kokkos::MemoryTraits<Kokkos::Atomic>> atomic = x;
  const Kokkos::mdspan<double, Kokkos::dextents<int, 1>, Kokkos::layout_right, doubled> twice(
      x.data(), Kokkos::layout_right::mapping(Kokkos::dextents<int, 1>(3)), doubled());

  // Complex numbers do not become real ones.
  quern::where(vector_of<signed char>(), mask, z, z);                  // values do not convert to the output's
  quern::compact(exec, f, c, mask);                                    // values do not convert to the output's
  quern::segmented_reduce(exec, f, add<fine>(), fine(0), z, offsets);  // values do not convert to the output's
  quern::cumulative_trapezoid(exec, x, c, 0.5);                        // values do not convert to the output's
  quern::bincount(x, i, quern::weights(z));                            // values do not convert to the output's
  quern::sum(exec, vector_of<unsigned>(), z, groups);                  // values do not convert to the output's

  // Positions are integers.
  quern::random::permutation(exec, vector_of<long double>(), key);  // an output of positions must be
  quern::argsort(exec, mask, x);                                    // an output of positions must be
  quern::nonzero(exec, x, x);                                       // an output of positions must be
  quern::searchsorted(exec, f, x, x);                               // an output of positions must be
  quern::unique_inverse(exec, x, c, x);                             // an output of positions must be
  quern::top_k(exec, x, z, x);                                      // an output of positions must be

  // Functors that cannot be called.
  quern::reduce(exec, nothing<0>(), 0.0, x);                                // op must be callable with two values
  quern::inclusive_scan(exec, x, nothing<1>(), 0.0, x);                     // op must be callable with two values
  quern::segmented_reduce(exec, x, nothing<2>(), 0.0, x, offsets);          // op must be callable with two values
  quern::stencil<quern::box<1>>(exec, x, nothing<3>(), boundary::wrap, y);  // f must be callable with a window
  quern::newton<2>(exec, m, nothing<4>(), m);                               // f must be callable with a Kokkos::Array
  quern::odeint<2>(exec, rows, nothing<5>(), m, x);                         // f must be callable with a Kokkos::Array
  quern::vmap(exec, m, nothing<6>(), m);                                    // f must be callable with an item
  quern::map(x, nothing<7>(), y);                                           // f must be callable with one value

  // Ranks that only the program knows.
  quern::laplacian(exec, d, e, 1.0, boundary::wrap);                  // differences take Views of rank 1, 2
  quern::divergence(exec, x, quern::inputs(e), 1.0, boundary::wrap);  // differences take Views of rank 1, 2
  quern::vmap(exec, d, nothing<8>(), e);                              // the ranks of Views must be known

  // Elements that a pointer does not reach.
  quern::correlate(exec, x, y, atomic, boundary::wrap);  // an argument is an Atomic View
  quern::sum(exec, x.to_mdspan());                       // an argument is an mdspan whose accessor
  quern::sum(exec, twice);                               // an argument is an mdspan whose accessor
}
