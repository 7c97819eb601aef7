// SPDX-FileCopyrightText: the Quern authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <Kokkos_Core.hpp>
#include <Kokkos_DynRankView.hpp>
#include <functional>
#include <quern/quern.hpp>

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

struct host_function {
  double operator()(double x) const { return x; }
};

void misuse() {
  const Kokkos::View<double*> x("x", 3);
  const Kokkos::View<const double*> constant = x;
  const Kokkos::View<Kokkos::complex<double>*> z("z", 3);
  quern::map(x, identity(), constant);
#ifndef __FAST_MATH__
  quern::sum(x, quern::reproducible);
#endif
#if defined(CASE_MAP_CONST_OUT)
  quern::map(constant, identity(), x);
#elif defined(CASE_MAP_ARITY)
  quern::map(x, identity(), x, x);
#elif defined(CASE_MAP_POSITIONS)
  quern::map(x, [](int i) { return i; }, quern::positions());
#elif defined(CASE_MAP_ATOMIC)
  const Kokkos::View<double*, Kokkos::MemoryTraits<Kokkos::Atomic> > atomic = x;
  quern::map(atomic, identity(), x);
#elif defined(CASE_COPY_COMPLEX)
  quern::copy(x, z);
#elif defined(CASE_MAP_COMPLEX)
  quern::map(x, identity(), z);
#elif defined(CASE_FILL_VIEW)
  quern::fill(x, x);
#elif defined(CASE_MAX_COMPLEX)
  quern::max(z);
#elif defined(CASE_ARGMAX_COMPLEX)
  quern::argmax(z);
#elif defined(CASE_HISTOGRAM_COMPLEX)
  quern::histogram(x, z, quern::bin_range{0, 1});
#elif defined(CASE_SUM_RESULT)
  quern::sum<double>(z);
#elif defined(CASE_SUM_OF_REALS)
  quern::sum<int>(x);
#elif defined(CASE_SUM_INTO_REAL)
  const Kokkos::View<double> total("total");
  quern::sum(total, z);
#elif defined(CASE_CUMSUM_INTO_REAL)
  quern::cumsum(x, z);
#elif defined(CASE_QUANTILE_COMPLEX)
  quern::quantile(x, z, 0.5);
#elif defined(CASE_SEARCHSORTED_COMPLEX)
  quern::searchsorted(Kokkos::View<int*>("places", 3), z, z);
#elif defined(CASE_DET_INTEGERS)
  quern::det(Kokkos::View<int**>("a", 3, 3));
#elif defined(CASE_EINSUM_ONE)
  const Kokkos::View<double**> one("one", 3, 3);
  quern::einsum<"ii->i">(x, one);
#elif defined(CASE_EINSUM_THREE)
  quern::einsum<"i,i,i->i">(x, x, x, x);
#elif defined(CASE_EINSUM_COMPLEX)
  quern::einsum<"i,i->i">(x, z, x);
#elif defined(CASE_MATMUL_COMPLEX)
  const Kokkos::View<Kokkos::complex<double>**> m("m", 3, 3);
  quern::matmul(Kokkos::View<double**>("product", 3, 3), m, m);
#elif defined(CASE_MATVEC_COMPLEX)
  quern::matvec(x, Kokkos::View<double**>("m", 3, 3), z);
#elif defined(CASE_COND_INTEGERS)
  quern::cond(Kokkos::View<int**>("a", 3, 3));
#elif defined(CASE_TRANSPOSED_ATOMIC)
  quern::transposed(Kokkos::View<double**, Kokkos::MemoryTraits<Kokkos::Atomic> >("a", 3, 3));
#elif defined(CASE_COPY_ATOMIC)
  quern::copy(x, Kokkos::View<double*, Kokkos::MemoryTraits<Kokkos::Atomic> >(x));
#elif defined(CASE_STENCIL_COMPLEX)
  quern::stencil<quern::box<1> >(x, next_cell(), quern::boundary::nearest, z);
#elif defined(CASE_FILTER_COMPLEX)
  quern::uniform_filter(x, z, 3, quern::boundary::nearest);
#elif defined(CASE_TRAPEZOID_COMPLEX)
  const Kokkos::View<double> area("area");
  quern::trapezoid(area, z, 0.1, quern::axis{0});
#elif defined(CASE_FLOOR_DIVIDE)
  quern::math::floor_divide<2.5>(1.0);
#elif defined(CASE_MATMUL_VECTOR)
  const Kokkos::View<double**> m("m", 3, 3);
  quern::matmul(x, m, x);
#elif defined(CASE_LAZY_POSITIONS)
  quern::sum(Kokkos::DefaultExecutionSpace(), quern::lazy(identity(), quern::positions()));
#elif defined(CASE_MDSPAN_TEMPORARY)
  quern::as_mdspan(Kokkos::View<double*>("gone", 3));
#elif defined(CASE_MAP_OUTPUTS)
  quern::map(quern::outputs(x, x), identity(), x);
#elif defined(CASE_STENCIL_RANK)
  const Kokkos::View<double****> four("four", 3, 3, 3, 3);
  quern::stencil<quern::box<1> >(four, identity(), quern::boundary::keep, four);
#elif defined(CASE_FILTER_RANK)
  const Kokkos::View<double> zero("zero");
  quern::uniform_filter(zero, zero, 3, quern::boundary::keep);
#elif defined(CASE_FILTER_DYNAMIC_RANK)
  const Kokkos::DynRankView<double> any("any", 3);
  quern::uniform_filter(any, any, 3, quern::boundary::keep);
#elif defined(CASE_BOX_RADIUS)
  (void)quern::box<-1>::radii;
#elif defined(CASE_SUM_ARGUMENTS)
  quern::sum(1.0);
#elif defined(CASE_SUM_OPTION)
  quern::sum(Kokkos::DefaultExecutionSpace(), x, quern::ddof{1});
#elif defined(CASE_SUM_AXES_TO_HOST)
  quern::sum(x, quern::axis{0});
#elif defined(CASE_REDUCE_IDENTITY)
  quern::reduce(std::plus<>(), 0, x);
#elif defined(CASE_REDUCE_DUAL_IDENTITY)
  quern::reduce(std::plus<>(), 0.0, Kokkos::View<quern::dual<double, 1>*>("duals", 3));
#elif defined(CASE_STREAM_IDENTITY)
  quern::stream::reduce(Kokkos::DefaultExecutionSpace(), std::plus<>(), 0, x);
#elif defined(CASE_SCAN_IDENTITY)
  quern::inclusive_scan(x, std::plus<>(), 0, x);
#elif defined(CASE_EXCLUSIVE_IDENTITY)
  quern::exclusive_scan(x, std::plus<>(), 0, x);
#elif defined(CASE_SEGMENTED_SCAN_IDENTITY)
  quern::segmented_scan(x, std::plus<>(), 0.0f, x, Kokkos::View<int*>("offsets", 2));
#elif defined(CASE_SEGMENTED_IDENTITY)
  quern::segmented_reduce(x, std::plus<>(), 0.0f, x, Kokkos::View<int*>());
#elif defined(CASE_SCAN_ARGUMENTS)
  quern::cumsum(x);
#elif defined(CASE_OFFSETS_TYPE)
  quern::segmented_reduce(x, identity(), 0.0, x, x);
#elif defined(CASE_INTEGRATE_ARITY)
  quern::integrate(identity(), {0, 1}, {0, 1}, {10, 10});
#elif defined(CASE_HISTOGRAM_ARGUMENTS)
  quern::histogram(x, x);
#elif defined(CASE_HISTOGRAM_TYPE)
  const Kokkos::View<char*> narrow("narrow", 3);
  quern::histogram(narrow, x, quern::bin_range{0, 1});
#elif defined(CASE_RANDOM_ARGUMENTS)
  quern::random::uniform(x);
#elif defined(CASE_HOST_FUNCTION)  // an error where there are devices
  quern::map(x, host_function(), x);
#elif defined(CASE_GROUPS_COMPLEX)
  quern::max(z, z, quern::group_by(Kokkos::View<int*>("keys", 3)));
#elif defined(CASE_GROUP_MEANS_COMPLEX)
  quern::var(x, z, quern::group_by(Kokkos::View<int*>("keys", 3)));
#elif defined(CASE_LAZY_ARITY)
  quern::sum(quern::lazy(identity(), x, x));
#elif defined(CASE_LAZY_OF_NOTHING)
  quern::lazy(identity(), 1.0);
#elif defined(CASE_LAZY_MATRIX)
  const Kokkos::View<double**> m("m", 3, 3);
  quern::solve(x, quern::lazy(identity(), m), x);
#elif defined(CASE_LAZY_QUANTILE)
  quern::median(quern::lazy(identity(), x));
#elif defined(CASE_EINSUM_LETTER)
  quern::einsum<"i,j->k">(x, x, x);
#elif defined(CASE_EINSUM_OPERANDS)
  quern::einsum<"ij->j">(x, x, x);
#elif defined(CASE_VMAP_ARITY)
  quern::vmap(x, [](int) {}, x);
#elif defined(CASE_SINGLE_MATRIX)
  const Kokkos::View<long double**> a("a", 3, 3);
  quern::inv(a, a);
#elif defined(CASE_RANDOM_TYPE)
  const Kokkos::View<int*> i("i", 3);
  quern::random::bits(i, quern::random::key(1));
#elif defined(CASE_RANDOM_FAST_MATH)
  quern::random::normal(x, quern::random::key(1));
#elif defined(CASE_FAST_MATH)
  quern::sum(x, quern::reproducible);
#endif
}
