// SPDX-FileCopyrightText: the Quern authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Rows of Views and structs as values, as in messages.cpp.

#include <Kokkos_Core.hpp>
#include <quern/quern.hpp>

struct identity {
  template <class T>
  KOKKOS_FUNCTION T operator()(const T& x) const {
    return x;
  }
};
struct first {
  template <class T, class U>
  KOKKOS_FUNCTION T operator()(const T& x, const U&) const {
    return x;
  }
};

struct pair {
  double x, y;
};
template <int>
struct copied {
  double x = 0, y = 0;
  copied() = default;
  copied(const copied& other) : x(other.x), y(other.y) {}
  copied& operator=(const copied&) = default;
};
struct without_default {
  double x, y;
  KOKKOS_FUNCTION without_default(double a, double b) : x(a), y(b) {}
};
struct number {
  double x, y;
};
struct both {
  KOKKOS_FUNCTION auto operator()(double x) const { return quern::values(x, without_default(x, x)); }
};

void misuse() {
  const Kokkos::DefaultExecutionSpace exec;
  const Kokkos::View<double**> v("v", 3, 2), w("w", 3, 2);
  const Kokkos::View<const double**> constant = v;
  const Kokkos::View<double* [3]> three("three", 3);
  const Kokkos::View<double*> x("x", 3);
  const Kokkos::View<pair*> pairs("pairs", 3);
  const Kokkos::View<number*> numbers("numbers", 3);
  const Kokkos::View<Kokkos::Array<double, 3>*> arrays("arrays", 3);

  const auto host = quern::on_host;
  const auto lacking = quern::reduced(host, first(), without_default(0, 0));

  // What rows are.
  quern::rows<2>(three);               // quern::rows: k is not the View's last extent
  quern::rows<3, pair>(v);             // quern::rows: the struct must have the size of k
  quern::rows<2, copied<0>>(v);        // quern::rows: the struct must be trivially copyable
  quern::rows<2, without_default>(v);  // quern::rows: the struct must be trivially copyable, and have a default
  quern::map(exec, quern::rows<2>(constant), identity(), quern::rows<2>(v));  // quern: out must not be const [map]
  quern::map(exec, quern::rows<2>(v), first(), x, quern::rows<2>(w));         // the values do not convert to out's type

  quern::reduced<quern::op::sum>(quern::rows<2>(v), quern::axis{1});  // results are not written to quern::rows

  // Values that kernels cannot copy, and structs that do not add up.
  quern::fill(exec, x, copied<1>());                        // a value is of a type that is not trivially copyable
  quern::fill(x, copied<2>());                              // a value is of a type that is not trivially copyable
  quern::map(exec, x, first(), x, copied<3>());             // a value is of a type that is not trivially copyable
  quern::map(x, first(), x, copied<4>());                   // a value is of a type that is not trivially copyable
  quern::reduce(exec, first(), copied<5>(), x);             // a value is of a type that is not trivially copyable
  quern::reduce(first(), copied<6>(), x);                   // a value is of a type that is not trivially copyable
  quern::reduced(host, first(), copied<7>());               // a value is of a type that is not trivially copyable
  quern::map(exec, quern::outputs(x, lacking), both(), x);  // must be of a type with a default constructor
  quern::var(exec, arrays, quern::reproducible);            // a reproducible variance is of numbers
  quern::norm(exec, quern::rows<2>(v));                     // quern: of rows and Arrays, sum, prod, mean, var
  quern::nansum(exec, quern::rows<2>(v));                   // quern: of rows and Arrays, sum, prod, mean, var
  quern::dot(exec, arrays, arrays);                         // quern: of rows and Arrays, sum, prod, mean, var
  quern::sum(exec, numbers);                                // quern: the sum of structs without + and -
  quern::argmax(exec, arrays);                              // Arrays have a min, max and minmax of each component
}
