// SPDX-FileCopyrightText: the Quern authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <Kokkos_Core.hpp>
#include <quern/quern.hpp>

struct identity {
  template <class T>
  KOKKOS_FUNCTION T operator()(const T& x) const {
    return x;
  }
};

struct host_function {
  double operator()(double x) const { return x; }
};

void misuse() {
  const Kokkos::View<double*> x("x", 3);
  const Kokkos::View<const double*> constant = x;
  quern::map(x, identity(), constant);
#ifndef __FAST_MATH__
  quern::sum(x, quern::reproducible);
#endif
#if defined(CASE_MAP_CONST_OUT)
  quern::map(constant, identity(), x);
#elif defined(CASE_LAZY_POSITIONS)
  quern::sum(Kokkos::DefaultExecutionSpace(), quern::lazy(identity(), quern::positions()));
#elif defined(CASE_SUM_OPTION)
  quern::sum(Kokkos::DefaultExecutionSpace(), x, quern::ddof{1});
#elif defined(CASE_INTEGRATE_ARITY)
  quern::integrate(identity(), {0, 1}, {0, 1}, {10, 10});
#elif defined(CASE_MAP_ARITY)  // this one and the next five are for the compilers of devices
  quern::map(x, identity(), x, x);
#elif defined(CASE_SUM_ARGUMENTS)
  quern::sum(1.0);
#elif defined(CASE_SCAN_ARGUMENTS)
  quern::cumsum(x);
#elif defined(CASE_STENCIL_RANK)
  const Kokkos::View<double****> four("four", 3, 3, 3, 3);
  quern::stencil<quern::box<1> >(four, identity(), quern::boundary::keep, four);
#elif defined(CASE_RANDOM_TYPE)
  const Kokkos::View<int*> i("i", 3);
  quern::random::bits(i, quern::random::key(1));
#elif defined(CASE_HISTOGRAM_TYPE)
  const Kokkos::View<char*> narrow("narrow", 3);
  quern::histogram(narrow, x, quern::bin_range{0, 1});
#elif defined(CASE_HOST_FUNCTION)  // an error where there are devices
  quern::map(x, host_function(), x);
#elif defined(CASE_LAZY_ARITY)
  quern::sum(quern::lazy(identity(), x, x));
#elif defined(CASE_LAZY_MATRIX)
  const Kokkos::View<double**> m("m", 3, 3);
  quern::solve(x, quern::lazy(identity(), m), x);
#elif defined(CASE_LAZY_QUANTILE)
  quern::median(quern::lazy(identity(), x));
#elif defined(CASE_RANDOM_FAST_MATH)
  quern::random::normal(x, quern::random::key(1));
#elif defined(CASE_FAST_MATH)
  quern::sum(x, quern::reproducible);
#endif
}
