// SPDX-FileCopyrightText: the Quern authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef QUERN_TESTS_CORE_NAMED_HPP
#define QUERN_TESTS_CORE_NAMED_HPP

#include <quern/map.hpp>
#include <support/labels.hpp>
#include <support/testing.hpp>

namespace my {

struct halved {
  KOKKOS_FUNCTION double operator()(double x) const { return 0.5 * x; }
};
template <class T>
struct larger {
  KOKKOS_FUNCTION T operator()(T a, T b) const { return a > b ? a : b; }
};
struct greater {
  KOKKOS_FUNCTION bool operator()(double a, double b) const { return a > b; }
};
struct cross {
  template <class Window>
  KOKKOS_FUNCTION double operator()(const Window& w) const {
    return w(1, 0) + w(0, 1);
  }
};
struct middle {
  template <class Values>
  KOKKOS_FUNCTION double operator()(const Values& w) const {
    return w[w.size() / 2];
  }
};
struct first_index {
  template <class P>
  KOKKOS_FUNCTION int operator()(const P& p) const {
    return static_cast<int>(p[0]);
  }
};
/// A matrix, or many, of two numbers.
struct diagonal_and_others {
  double diagonal, others;
  template <class P>
  KOKKOS_FUNCTION double operator()(const P& p) const {
    return p[P::size() - 2] == p[P::size() - 1] ? diagonal : others;
  }
};
struct copied {
  template <class Y, class X>
  KOKKOS_FUNCTION void operator()(const Y& y, const X& x) const {
    for (std::size_t i = 0; i < x.extent(0); ++i) y(i) = x(i);
  }
};
struct square {
  KOKKOS_FUNCTION double operator()(double x) const { return x * x; }
};
struct root {
  template <class X>
  KOKKOS_FUNCTION auto operator()(const X& x, double a) const {
    return Kokkos::Array<std::remove_cvref_t<decltype(x[0])>, 1>{x[0] * x[0] - a};
  }
};
struct slope {
  template <class P>
  KOKKOS_FUNCTION auto operator()(double x, const P& p) const {
    return p[0] * x;
  }
};
struct decay {
  template <class Y, class T>
  KOKKOS_FUNCTION auto operator()(const Y& y, T, T rate) const {
    return Kokkos::Array<T, 1>{-rate * y[0]};
  }
};

}  // namespace my

namespace of_names {

using space = Kokkos::DefaultExecutionSpace;
using quern::named;
using vector = Kokkos::View<double*>;
using matrix = Kokkos::View<double**>;
using batch = Kokkos::View<double***>;
using indices = Kokkos::View<int*>;
using complexes = Kokkos::View<Kokkos::complex<double>*>;
using counts = Kokkos::View<std::int64_t*>;

using test::labels_of;

/// What a call launches, which is something, has the name.
inline void expect_named(const char* what, const test::call_ref<>& call) {
  EXPECT_FALSE(test::expect_named(what, call).empty()) << what;
}
#define EXPECT_NAMED(...) expect_named(#__VA_ARGS__, [&] { (void)(__VA_ARGS__); })

inline const named step{"step"};

struct Named : testing::Test {
  const space exec;
  const vector x{"x", 40}, y{"y", 40}, few{"few", 2};
  const matrix a{"a", 12, 12}, b{"b", 12, 12}, c{"c", 12, 12};
  const indices i{"i", 40}, j{"j", 40}, k{"k", 40};
  const Kokkos::View<double> total{"total"};
  const Kokkos::View<std::int64_t> index{"index"};
  Named() {
    quern::map(x, my::halved(), 3.0);
    quern::map(a, my::halved(), 3.0);
  }
};

}  // namespace of_names

#endif
