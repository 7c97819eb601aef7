// SPDX-FileCopyrightText: the Quern authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// First, second and third derivatives in kernels beside those of mpmath (tools/autodiff_reference.py), at ordinary
// points and beside special ones.
#include <cmath>
#include <limits>
#include <quern/autodiff.hpp>
#include <support/reference_archive.hpp>
#include <support/testing.hpp>

namespace {

#define QUERN_TEST_FUNCTION(name)                    \
  struct name##_of {                                 \
    template <class X>                               \
    KOKKOS_FUNCTION X operator()(const X& x) const { \
      return name(x);                                \
    }                                                \
  };
QUERN_TEST_FUNCTION(abs)
QUERN_TEST_FUNCTION(exp)
QUERN_TEST_FUNCTION(exp2)
QUERN_TEST_FUNCTION(expm1)
QUERN_TEST_FUNCTION(log)
QUERN_TEST_FUNCTION(log10)
QUERN_TEST_FUNCTION(log2)
QUERN_TEST_FUNCTION(log1p)
QUERN_TEST_FUNCTION(sqrt)
QUERN_TEST_FUNCTION(rsqrt)
QUERN_TEST_FUNCTION(cbrt)
QUERN_TEST_FUNCTION(sin)
QUERN_TEST_FUNCTION(cos)
QUERN_TEST_FUNCTION(tan)
QUERN_TEST_FUNCTION(asin)
QUERN_TEST_FUNCTION(acos)
QUERN_TEST_FUNCTION(atan)
QUERN_TEST_FUNCTION(sinh)
QUERN_TEST_FUNCTION(cosh)
QUERN_TEST_FUNCTION(tanh)
QUERN_TEST_FUNCTION(asinh)
QUERN_TEST_FUNCTION(acosh)
QUERN_TEST_FUNCTION(atanh)
QUERN_TEST_FUNCTION(erf)
QUERN_TEST_FUNCTION(erfc)
QUERN_TEST_FUNCTION(tgamma)
QUERN_TEST_FUNCTION(lgamma)
#undef QUERN_TEST_FUNCTION
template <int Exponent>
struct power {
  template <class X>
  KOKKOS_FUNCTION X operator()(const X& x) const {
    return pow(x, Exponent);
  }
};
/// The same with an exponent that is a dual number itself.
template <int Exponent>
struct power_of_duals {
  template <class X>
  KOKKOS_FUNCTION X operator()(const X& x) const {
    return pow(x, X(Exponent));
  }
};
struct pow_of {
  template <class X>
  KOKKOS_FUNCTION X operator()(const X& x, const X& y) const {
    return pow(x, y);
  }
};
struct atan2_of {
  template <class X>
  KOKKOS_FUNCTION X operator()(const X& x, const X& y) const {
    return atan2(x, y);
  }
};
struct hypot_of {
  template <class X>
  KOKKOS_FUNCTION X operator()(const X& x, const X& y) const {
    return hypot(x, y);
  }
};
struct quotient {
  template <class X>
  KOKKOS_FUNCTION X operator()(const X& x, const X& y) const {
    return x / y;
  }
};
struct product {
  template <class X>
  KOKKOS_FUNCTION X operator()(const X& x, const X& y) const {
    return x * y;
  }
};

/// Value and three derivatives by nested dual numbers, for the points in the first column.
template <class T, class F, class V>
struct line_kernel {
  F f;
  V rows;
  KOKKOS_FUNCTION void operator()(int i) const {
    using D = quern::dual<T, 1>;
    using DD = quern::dual<D, 1>;
    using DDD = quern::dual<DD, 1>;
    const DDD y = f(DDD::variable(DD::variable(D::variable(rows(i, 0), 0), 0), 0));
    rows(i, 1) = y.value.value.value;
    rows(i, 2) = y.value.value.derivative[0];
    rows(i, 3) = y.value.derivative[0].derivative[0];
    rows(i, 4) = y.derivative[0].derivative[0].derivative[0];
  }
};
template <class T, class F, class V>
struct plane_kernel {
  F f;
  V rows;
  KOKKOS_FUNCTION void operator()(int i) const {
    using D = quern::dual<T, 2>;
    using DD = quern::dual<D, 2>;
    const DD y = f(DD::variable(D::variable(rows(i, 0), 0), 0), DD::variable(D::variable(rows(i, 1), 1), 1));
    rows(i, 2) = y.value.value;
    rows(i, 3) = y.value.derivative[0];
    rows(i, 4) = y.value.derivative[1];
    rows(i, 5) = y.derivative[0].derivative[0];
    rows(i, 6) = y.derivative[0].derivative[1];
    rows(i, 7) = y.derivative[1].derivative[1];
    const T other = y.derivative[1].derivative[0];
    if (!(Kokkos::abs(other - rows(i, 6)) <= 64 * Kokkos::Experimental::epsilon_v<T> * Kokkos::abs(other)) &&
        other != rows(i, 6))
      rows(i, 6) = Kokkos::Experimental::quiet_NaN_v<T>;  // not symmetric
  }
};

const test::reference_archive mpmath("autodiff/data/derivatives.npz");

template <class Case>
struct Derivatives : testing::Test {
  using T = typename Case::value;
  using E = typename Case::exec;

  /// Within that many units in the last place of the expected values; `absolute` times larger where terms cancel.
  template <template <class, class, class> class Kernel, class F>
  void check(const std::string& name, const F& f, double units, int inputs, double least = 0) {
    const auto extents = mpmath.extents(name);
    const int n = static_cast<int>(extents[0]), columns = static_cast<int>(extents[1]);
    const auto expected = [columns, values = mpmath.values(name)](int i, int c) { return values[i * columns + c]; };
    const Kokkos::View<T**, Kokkos::LayoutRight, E> rows("rows", n, columns);
    const auto host = Kokkos::create_mirror_view(rows);
    for (int i = 0; i < n; ++i)
      for (int c = 0; c < inputs; ++c) host(i, c) = static_cast<T>(expected(i, c));
    Kokkos::deep_copy(rows, host);
    Kokkos::parallel_for(Kokkos::RangePolicy<E>(0, n),
                         Kernel<T, F, Kokkos::View<T**, Kokkos::LayoutRight, E>>{f, rows});
    Kokkos::deep_copy(host, rows);
    constexpr double most = std::numeric_limits<T>::max(), tiny = std::numeric_limits<T>::min();
    int compared = 0;
    for (int i = 0; i < n; ++i) {
      bool same_point = true;
      for (int c = 0; c < inputs; ++c) same_point = same_point && host(i, c) == expected(i, c);
      if (!same_point) continue;  // a number of float64 alone
      ++compared;
      for (int c = inputs; c < columns; ++c) {
        const double e = expected(i, c), found = host(i, c);
        const std::string what = name + " at " + std::to_string(i) + " (" + testing::PrintToString(expected(i, 0)) +
                                 "), column " + std::to_string(c);
        if (std::fabs(e) > most) {
          EXPECT_EQ(e > 0 ? std::numeric_limits<double>::infinity() : -std::numeric_limits<double>::infinity(), found)
              << what;
        } else {
          const double unit = std::numeric_limits<T>::epsilon() * std::fmax(std::fabs(e), least);
          EXPECT_LE(std::fabs(e - found), units * unit + 4 * tiny) << what << ": " << e << ' ' << found;
        }
      }
    }
    const int least_compared = std::is_same_v<T, double> ? n : inputs == 2 ? n / 2 : 0;
    EXPECT_GE(compared, least_compared) << name;  // most points of one variable need float64
  }
  template <class F>
  void line(const std::string& name, const F& f, double units, double least = 0) {
    check<line_kernel>(name, f, units, 1, least);
  }
  template <class F>
  void plane(const std::string& name, const F& f, double units) {
    check<plane_kernel>(name, f, units, 2);
  }
};
using cases = test::covering<double, float>;
TYPED_TEST_SUITE(Derivatives, cases);

TYPED_TEST(Derivatives, OfElementaryFunctions) {
  this->line("abs", abs_of(), 1);
  this->line("exp", exp_of(), 4);
  this->line("exp2", exp2_of(), 8);
  this->line("expm1", expm1_of(), 4);
  this->line("log", log_of(), 8);
  this->line("log10", log10_of(), 8);
  this->line("log2", log2_of(), 8);
  this->line("log1p", log1p_of(), 8);
  this->line("sqrt", sqrt_of(), 8);
  this->line("rsqrt", rsqrt_of(), 8);
  this->line("cbrt", cbrt_of(), 16);
}
TYPED_TEST(Derivatives, OfTrigonometricFunctions) {
  this->line("sin", sin_of(), 4);
  this->line("cos", cos_of(), 4);
  this->line("tan", tan_of(), 16);
  this->line("asin", asin_of(), 32);
  this->line("acos", acos_of(), 32);
  this->line("atan", atan_of(), 32);
}
TYPED_TEST(Derivatives, OfHyperbolicFunctions) {
  this->line("sinh", sinh_of(), 8);
  this->line("cosh", cosh_of(), 8);
  this->line("tanh", tanh_of(), 32);
  this->line("asinh", asinh_of(), 32);
  this->line("acosh", acosh_of(), 32);
  this->line("atanh", atanh_of(), 32);
}
TYPED_TEST(Derivatives, OfErrorAndGammaFunctions) {
  this->line("erf", erf_of(), 32);
  this->line("erfc", erfc_of(), 32);
  this->line("tgamma", tgamma_of(), 256, 1);
  this->line("lgamma", lgamma_of(), 256, 1);
}
TYPED_TEST(Derivatives, OfPowers) {
  this->line("pow_m2", power<-2>(), 16);
  this->line("pow_2", power<2>(), 8);
  this->line("pow_3", power<3>(), 8);
  this->line("pow_7", power<7>(), 16);
  this->line("pow_m2", power_of_duals<-2>(), 16);
  this->line("pow_2", power_of_duals<2>(), 8);
  this->line("pow_3", power_of_duals<3>(), 8);
  this->line("pow_7", power_of_duals<7>(), 16);
  this->plane("pow", pow_of(), 32);
}
TYPED_TEST(Derivatives, OfTwoNumbers) {
  this->plane("atan2", atan2_of(), 32);
  this->plane("hypot", hypot_of(), 32);
  this->plane("divide", quotient(), 16);
  this->plane("multiply", product(), 4);
}

}  // namespace
