// SPDX-FileCopyrightText: the Quern authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Calls that must not compile. Each line ends with the one message that a user reads: no second error follows, and
// lines without a message have none. Types differ from line to line, as a compiler reports what it instantiates but
// once.

#include <Kokkos_Core.hpp>
#include <Kokkos_DynRankView.hpp>
#include <functional>
#include <quern/batch.hpp>
#include <quern/linalg.hpp>
#include <quern/quern.hpp>
#include <quern/table/csv_source.hpp>

struct identity {
  template <class T>
  KOKKOS_FUNCTION T operator()(const T& x) const {
    return x;
  }
};

struct next_cell {
  template <class W>
  KOKKOS_FUNCTION auto operator()(const W& w) const {
    return w(1);
  }
};

struct twice_itself {
  template <class W>
  KOKKOS_FUNCTION auto operator()(const W& w) const {
    if constexpr (requires { w(1); }) return quern::values(w(1), w(1));
    else return quern::values(w, w);
  }
};

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
  const auto wide = vector_of<Kokkos::complex<long double>>();
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
  quern::bincount(x, i, quern::weights(wide));                         // values do not convert to the output's
  quern::sum(exec, x, z, groups);                                      // values do not convert to the output's

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

  // Reductions among outputs.
  const auto variance = quern::reduced<quern::op::var>(quern::on_host, quern::reproducible);
  const auto total = quern::reduced<quern::op::sum>(quern::on_host);
  const auto two = quern::outputs(x, variance);
  const auto three = quern::outputs(x, total, total);
  const auto none = quern::outputs(total, total);
  quern::map(exec, quern::outputs(f, variance), twice_itself(), y);              // needs two passes
  quern::stencil<quern::box<1>>(exec, two, twice_itself(), boundary::wrap, y);   // needs two passes
  quern::map(exec, quern::outputs(f, total), identity(), y);                     // f must return as many values
  quern::stencil<quern::box<1>>(exec, three, next_cell(), boundary::wrap, y);    // f must return as many values
  quern::stencil<quern::box<1>>(exec, none, twice_itself(), boundary::wrap, y);  // no output is an array

  quern::map(exec, total, identity(), i);  // one reduction alone is a call of
  quern::map(total, identity(), i);        // one reduction alone is a call of

  // Masks.
  quern::median(exec, x, quern::mask{c});                    // the elements of a mask must be of bool or of an integer
  quern::bincount(exec, i, i, quern::mask{f});               // the elements of a mask must be of bool or of an integer
  quern::var(exec, x, y, groups, quern::mask{x});            // the elements of a mask must be of bool or of an integer
  quern::compact(exec, m, m, nothing<9>(), quern::axis{0});  // quern::compact: along an axis, out is a View, and the

  // Ranks that only the program knows.
  quern::laplacian(exec, d, e, 1.0, boundary::wrap);                      // differences take Views of rank 1, 2
  quern::divergence(exec, x, quern::components(e), 1.0, boundary::wrap);  // differences take Views of rank 1, 2
  quern::vmap(exec, d, nothing<8>(), e);                                  // the ranks of Views must be known

  // Windows.
  const quern::window five{5};
  quern::rolling<quern::op::sum>(exec, i, x, five);                          // out must be of floating-point numbers
  quern::rolling<quern::op::argmax>(exec, x, x, five);                       // needs the positions of values
  quern::rolling<quern::op::minmax>(exec, x, x, five);                       // do not convert to out's type
  quern::rolling<quern::op::median>(exec, x, z, five);                       // a median of complex numbers
  quern::map_coordinates(exec, x, m, quern::components(x), boundary::wrap);  // coordinates along each axis of in
  quern::map_coordinates(exec, x, z, quern::components(x), boundary::wrap);  // values that convert to those of out

  // Elements that a pointer does not reach.
  quern::correlate(exec, x, y, atomic, boundary::wrap);  // an argument is an Atomic View
  quern::sum(exec, x.to_mdspan());                       // an argument is an mdspan whose accessor
  quern::sum(exec, twice);                               // an argument is an mdspan whose accessor
}

void misuse_without_exec() {
  constexpr std::plus<> op;
  const auto edge = quern::boundary::nearest;
  const Kokkos::DefaultExecutionSpace exec;
  const quern::bin_range bins{0, 1};
  const auto x = vector_of<double>();
  const auto f = vector_of<float>();
  const auto i = vector_of<int>();
  const auto z = vector_of<Kokkos::complex<double>>();
  const auto duals = vector_of<quern::dual<double, 1>>();
  const auto bytes = vector_of<char>();
  const Kokkos::View<double> scalar("scalar");
  const Kokkos::View<double**> m("m", 3, 3);
  const Kokkos::View<int**> im("im", 3, 3);
  const Kokkos::View<long double**> lm("lm", 3, 3);
  const Kokkos::View<Kokkos::complex<double>**> zm("zm", 3, 3);
  const Kokkos::View<double****> four("four", 3, 3, 3, 3);
  const Kokkos::DynRankView<double> any("any", 3);
  const Kokkos::View<float*, Kokkos::MemoryTraits<Kokkos::Atomic>> atomic = f;
  const Kokkos::View<int*, Kokkos::MemoryTraits<Kokkos::Atomic>> atomic_i = i;
  const Kokkos::View<double**, Kokkos::MemoryTraits<Kokkos::Atomic>> atomic_m = m;
  const auto groups = quern::group_by(i);
  const auto two = quern::outputs(x, x);

  // What goes in and out.
  quern::map(x, identity(), x, x);  // quern::map: f must be callable with one value of each input
  quern::map(two, identity(), x);   // f must return as many values as there are outputs
  quern::map(x, [](int k) { return k; }, quern::positions());  // and of positions() with a Kokkos::Array
  quern::map(atomic, identity(), x);                           // quern: an argument is an Atomic View
  quern::copy(x, atomic_i);                                    // quern: an argument is an Atomic View
  quern::transposed(atomic_m);                                 // quern::transposed: v is an Atomic View
  quern::fill(x, x);                                           // quern::fill: a View as the value must have rank 0
  quern::as_mdspan(vector_of<double>());                       // use of deleted function
  quern::lazy(identity(), 1.0);                                // quern::lazy: at least one input must be an array
  quern::sum(x, quern::axis{0});                               // quern: a reduction along axes writes to a View
  quern::sum(1.0);                                             // no matching function for call to
  quern::cumsum(x);                                            // no matching function for call to
  quern::histogram(x, x);                                      // no matching function for call to
  quern::random::uniform(x);                                   // no matching function for call to

  // Complex numbers do not become real ones, and have no order.
  quern::map(x, identity(), z);      // quern: the values do not convert to out's type
  quern::copy(x, z);                 // quern::copy: in's values do not convert to out's type
  quern::max(z);                     // argmin, argmax: complex numbers have no order
  quern::argmax(z);                  // argmin, argmax: complex numbers have no order
  quern::max(z, z, groups);          // quern: the smallest and largest of groups are of real numbers
  quern::var(x, z, groups);          // quern::mean, var: those of groups are of real numbers
  quern::histogram(x, z, bins);      // quern::histogram: x must be of real numbers
  quern::sum<double>(z);             // quern: the result of a reduction or a scan does not fit the type
  quern::sum(scalar, z);             // quern: the result of the reduction does not convert to out's type
  quern::cumsum(x, z);               // quern: the scan's values do not convert to out's type
  quern::quantile(x, z, 0.5);        // quern::quantile, median: complex numbers have no order
  quern::searchsorted(i, z, z);      // quern::searchsorted, digitize: complex numbers have no order
  quern::einsum<"i,i->i">(x, z, x);  // quern::einsum: products of complex numbers do not fit out
  quern::matmul(m, zm, zm);          // quern::matmul: products of complex numbers do not fit c
  quern::matvec(x, m, z);            // quern::matvec: products of complex numbers do not fit y
  quern::stencil<quern::box<1>>(x, next_cell(), edge, z);  // the values do not convert to out's type
  quern::uniform_filter(x, z, 3, edge);                    // quern: the filter's values do not convert to out's type
  quern::trapezoid(scalar, z, 0.1, quern::axis{0});        // quern: the integral does not convert to out's type

  // Places.
  const auto source = quern::chunked::reader<float>({3}, [](std::int64_t, std::int64_t, float*) {});
  quern::sum(x, quern::chunking());               // quern: chunking is an option of calls with an operand
  quern::cumsum(x, source, quern::reproducible);  // quern: reproducible scans are those in memory
  quern::trapezoid(exec, scalar, quern::lazy(identity(), source), 0.5);  // quern: this operation takes arrays in memory

  // Types that cannot hold the numbers.
  quern::sum<int>(x);                          // quern: the result of a reduction or a scan does not fit the type
  quern::reduce(op, 0, x);                     // identity must be of a type that holds
  quern::reduce(op, 0.0, duals);               // identity must be of a type that holds
  quern::reduce(exec, op, 0, f);               // identity must be of a type that holds
  quern::inclusive_scan(x, op, 0, x);          // identity must be of a type that holds
  quern::exclusive_scan(x, op, 0, x);          // identity must be of a type that holds
  quern::segmented_scan(x, op, 0.0f, x, i);    // identity must be of a type that holds
  quern::segmented_reduce(x, op, 0.0f, x, i);  // identity must be of a type that holds
  quern::segmented_reduce(x, op, 0.0, x, x);   // quern: offsets must be integers
  quern::histogram(bytes, x, bins);  // quern::histogram: out must be of integers of 32 or 64 bits, float or double
  quern::random::bits(i, quern::random::key(1));  // quern::random::bits: out must be of 32 or 64 unsigned bits
  quern::det(im);                                 // quern::det: a must have a floating-point or complex type
  quern::cond(im);                                // quern::cond: a must have a floating-point or complex type
  quern::inv(lm, lm);  // quern: a single matrix must be of float, double or their complex numbers

  // Numbers of arguments, ranks and radii.
  quern::einsum<"ii->i">(x, m);                // quern::einsum: takes two operands
  quern::einsum<"i,i,i->i">(x, x, x, x);       // quern::einsum: takes two operands
  quern::einsum<"i,j->k">(x, x, x);            // quern::einsum: every letter of the output must be one of an operand
  quern::einsum<"ij->j">(x, x, x);             // quern::einsum: the subscripts must name two operands
  quern::cov(m, m, quern::fweights{x});        // quern::cov: fweights must be integers
  quern::ridge(x, m, x, quern::weights{f});    // the weights of a fit must have the type of x
  quern::cov(m, m, quern::aweights{z});        // quern::cov: aweights must be real numbers
  quern::matmul(x, m, x);                      // quern::matvec multiplies a matrix and a vector
  quern::odeint<2>(m, identity(), m);          // quern::odeint: the first values y0 and the times t
  quern::kmeans(m, x, m);                      // quern::kmeans: labels must be of signed integers
  quern::logistic_regression(x, m, x);         // y must be of integers, the classes
  quern::predict_proba(x, m, f);               // quern::predict_proba: all arrays must be of float, or all of double
  quern::vmap(x, [](int) {}, x);               // quern::vmap: f must be callable with an item of each output and input
  quern::math::floor_divide<2.5>(1.0);         // quern::math::floor_divide: the divisor must be an integer
  quern::csv_source<double, 3>("t.csv", "x");  // quern::csv_source: rows of columns have rank 2, and one column rank 1
  quern::csv_source<unsigned, 1>("t.csv", "x");  // quern::csv_source: elements are float, double, or signed integers
  quern::stencil<quern::box<1>>(four, identity(), edge, four);  // out must have rank 1, 2 or 3
  quern::uniform_filter(scalar, scalar, 3, edge);               // filters take Views of rank 1, 2 or 3
  quern::uniform_filter(any, any, 3, edge);                     // filters take Views of rank 1, 2 or 3
  quern::box<-1>();                                             // quern::stencil: a radius must not be negative
}
