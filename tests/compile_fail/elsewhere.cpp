// SPDX-FileCopyrightText: the Quern authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Calls that must not compile, of operations that do not work where their operands are, with all of Quern included; as
// in options.cpp.

#include <Kokkos_Core.hpp>
#include <quern/quern.hpp>

/// What a DistributedView is to the headers of operations.
template <class T, int Rank>
struct blocks {
  using place = quern::impl::over_ranks_place;
  using value_type = T;
  using execution_space = Kokkos::DefaultExecutionSpace;
  static constexpr int rank = Rank;
  quern::shape extents() const { return {}; }
};

struct difference {
  template <class Window>
  KOKKOS_FUNCTION auto operator()(const Window& w) const {
    return w(0);
  }
};

// In chunks there is an engine for other kinds of operations.
void without_engine() {
  const Kokkos::DefaultExecutionSpace exec;
  const quern::random::key key(1);
  using line = Kokkos::View<double*>;
  const line x("x", 3);
  const Kokkos::View<int*> i("i", 3);
  const Kokkos::View<int**> i2("i2", 3, 2);
  const Kokkos::View<float**> f("f", 3, 3);
  const Kokkos::View<double**> m("m", 3, 3), v("v", 3, 2);
  const Kokkos::View<double***> t("t", 3, 3, 2);
  const Kokkos::View<Kokkos::complex<double>**> z("z", 3, 3);
  const auto rows = quern::rows<2>(quern::in_chunks(v));
  const auto wrap = quern::boundary::wrap;
  quern::stencil<quern::star<1>>(exec, x, difference(), wrap, rows);            // quern::rows: over ranks and in chunks
  quern::cumsum(exec, rows, rows);                                              // quern::rows: over ranks and in chunks
  quern::sum(exec, rows, quern::rows<2>(quern::in_chunks(t)), quern::axis{1});  // quern::rows: results of a reduction
  quern::sort(exec, quern::in_chunks(x));                                       // does not work in chunks [sort]
  quern::random::normal(exec, quern::in_chunks(x), key);   // does not work in chunks [random_fields]
  quern::matmul(exec, m, quern::in_chunks(m), m);          // does not work in chunks [matrix_products]
  quern::qr(quern::in_chunks(f), f, quern::in_chunks(f));  // does not work in chunks [qr_factorizations]
  quern::RunningStatistics<line>(exec, 3).add(exec, quern::in_chunks(x));  // statistics of each element are of arrays
  quern::fftn(exec, quern::in_chunks(z), z);                               // does not work in chunks [transforms]
  quern::knn(exec, i2, m, m, quern::in_chunks(m));                         // does not work in chunks [nearest_searches]
  quern::kmeans(exec, m, i, quern::in_chunks(m), quern::reproducible);     // clusters that are reproducible
}

// Others work in memory alone.
void in_memory() {
  const Kokkos::DefaultExecutionSpace exec;
  const auto edge = quern::boundary::nearest;
  const Kokkos::View<int*> i("i", 3);
  const Kokkos::View<double*> x("x", 3);
  const Kokkos::View<double**> m("m", 3, 3), v("v", 3, 2);
  const Kokkos::View<double***> t("t", 3, 3, 2);
  const auto chunks = quern::in_chunks(x);
  const auto source = quern::chunked::reader<float>({3}, [](std::int64_t, std::int64_t, float*) {});
  const Kokkos::View<double****> h("h", 3, 3, 3, 3);
  const blocks<double, 1> u;
  const blocks<double, 2> w;
  quern::gradient(exec, h, quern::in_chunks(h), 1.0, quern::axis{0});  // quern::gradient: in chunks and over ranks
  quern::argsort(exec, i, chunks);                                     // takes arrays in memory [argsort, chunked_view]
  quern::argsort(i, u, quern::sort_order::descending);                 // takes arrays in memory [argsort, blocks]
  quern::unique(exec, x, source);                                      // takes arrays in memory [unique, source]
  quern::solve(exec, x, w, x);                                         // takes arrays in memory [solve, blocks]
  quern::gaussian_filter(u, u, 1.0, edge);                   // takes arrays in memory [gaussian_filter, blocks]
  quern::map_coordinates(x, u, quern::components(x), edge);  // takes arrays in memory [map_coordinates, blocks]
  quern::put(x, i, u);                                       // takes arrays in memory [put, blocks]
  quern::insert(x, u, 1, 2.0);                               // takes arrays in memory [insert, blocks]
  quern::dct(exec, x, chunks);                               // takes arrays in memory [dct, chunked_view]
  quern::trapezoid(exec, u, 0.5);                            // takes arrays in memory [trapezoid, blocks]
  quern::compact(x, u, i);                                   // takes arrays in memory [compact, blocks]
  quern::sum(exec, x, u, quern::group_by(exec, i));          // takes arrays in memory [sum, blocks]
  quern::matvec(x, w, x);                                    // takes arrays in memory [matvec, blocks]
  quern::random::permutation(u, quern::random::key(1));      // takes arrays in memory [permutation, blocks]
}
