// SPDX-FileCopyrightText: the Quern authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <algorithm>
#include <atomic>
#include <quern/autodiff.hpp>
#include <quern/batch.hpp>
#include <quern/batch/vmap.hpp>
#include <quern/integrate.hpp>
#include <quern/keyed.hpp>
#include <quern/map.hpp>
#include <quern/reduce.hpp>
#include <quern/scan.hpp>
#include <quern/stencil.hpp>
#include <support/testing.hpp>
#ifdef QUERN_USES_LINALG
#include <quern/fits.hpp>
#endif

// What a user hands to an operation may own something: it is copied before kernels start, and not by them.
namespace {

std::atomic<int> copies{0};
std::atomic<int> launches{0};

void on_launch(const char*, std::uint32_t, std::uint64_t*) { ++launches; }

/// A functor that counts its copies.
template <class F>
struct counted {
  F f;
  explicit counted(const F& function) : f(function) {}
  KOKKOS_FUNCTION counted(const counted& other) : f(other.f) { KOKKOS_IF_ON_HOST((++copies;)) }
  KOKKOS_FUNCTION ~counted() {}
  template <class... A>
  KOKKOS_FUNCTION auto operator()(const A&... a) const -> decltype(f(a...)) {
    return f(a...);
  }
};

struct plus_one {
  KOKKOS_FUNCTION double operator()(double x) const { return x + 1; }
};
struct first_index {
  template <class P>
  KOKKOS_FUNCTION double operator()(const P& p) const {
    return static_cast<double>(p[0]);
  }
};
struct plus {
  template <class T>
  KOKKOS_FUNCTION T operator()(const T& a, const T& b) const {
    return a + b;
  }
};
struct less {
  KOKKOS_FUNCTION bool operator()(double a, double b) const { return a < b; }
};
struct positive {
  KOKKOS_FUNCTION bool operator()(double a) const { return a > 0; }
};
struct mean_of_neighbours {
  template <class W>
  KOKKOS_FUNCTION double operator()(const W& w) const {
    return 0.5 * (w(-1) + w(1));
  }
};
struct mean_and_index {
  template <class W>
  KOKKOS_FUNCTION double operator()(const Kokkos::Array<std::int64_t, 1>& at, const W& w) const {
    return 0.5 * (w(-1) + w(1)) + static_cast<double>(at[0]);
  }
};
struct once_and_twice {
  KOKKOS_FUNCTION Kokkos::Array<double, 2> operator()(double x) const { return {x, 2 * x}; }
};
struct squared {
  template <class Y, class X>
  KOKKOS_FUNCTION void operator()(const Y& y, const X& x) const {
    y() = x() * x();
  }
};
struct root_of_two {
  template <class X>
  KOKKOS_FUNCTION X operator()(const X& x) const {
    X f;
    f[0] = x[0] * x[0] - 2.0;
    return f;
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
  KOKKOS_FUNCTION Y operator()(const Y& y, const T&) const {
    Y f;
    f[0] = -y[0];
    return f;
  }
};
struct parabola {
  KOKKOS_FUNCTION double operator()(double x) const { return x * x; }
};

template <class E>
struct arrays {
  Kokkos::View<double*, E> x, y;
  Kokkos::View<double**, Kokkos::LayoutRight, E> table, result;
  Kokkos::View<double**, Kokkos::LayoutLeft, E> turned;
  Kokkos::View<double*, E> rows;
  Kokkos::View<std::int64_t*, E> positions, offsets;
  std::int64_t n;

  explicit arrays(std::int64_t size)
      : x("x", size),
        y("y", size),
        table("table", size / 4, 4),
        result("result", size / 4, 4),
        turned("turned", size / 4, 4),
        rows("rows", size / 4),
        positions("positions", size),
        offsets("offsets", size / 10 + 1),
        n(size) {
    for (std::int64_t i = 0; i < n; ++i) x(i) = static_cast<double>(i * 7919 % n) - static_cast<double>(n / 2);
    for (std::size_t i = 0; i < offsets.extent(0); ++i) offsets(i) = static_cast<std::int64_t>(i) * 10;
  }
};

template <class E>
class Functors : public testing::Test {
 public:
  /// Few elements, many and ten times as many: there may be more launches, and no more copies for each. Between the
  /// last two, whose algorithms are the same, a copy for every 90000 elements is seen.
  template <class Operation>
  static void expect_few_copies(const char* name, const Operation& operation) {
    struct cost {
      int copies, launches;
    };
    namespace tools = Kokkos::Tools::Experimental;
    const auto cost_of = [&](std::int64_t n) {
      const arrays<E> a(n);
      copies = launches = 0;
      tools::set_begin_parallel_for_callback(on_launch);
      tools::set_begin_parallel_reduce_callback(on_launch);
      tools::set_begin_parallel_scan_callback(on_launch);
      operation(a);
      tools::set_begin_parallel_for_callback(nullptr);
      tools::set_begin_parallel_reduce_callback(nullptr);
      tools::set_begin_parallel_scan_callback(nullptr);
      return cost{copies.load(), launches.load()};
    };
    const cost few = cost_of(400), many = cost_of(100000), most = cost_of(1000000);
    EXPECT_LE(few.copies, 60) << name;
    EXPECT_LE(many.copies, few.copies + 60) << name;
    EXPECT_LE(most.copies, many.copies + 10 + 8 * std::max(0, most.launches - many.launches)) << name;
  }
};

using hosts = testing::Types<Kokkos::DefaultHostExecutionSpace>;  // devices get the bits of a functor
TYPED_TEST_SUITE(Functors, hosts);

TYPED_TEST(Functors, AreCopiedOnceALaunchByMapsAndReductions) {
  using E = TypeParam;
  const E e;
  const auto expect = [](const char* name, const auto& operation) { TestFixture::expect_few_copies(name, operation); };
  const counted f{plus_one()};
  const counted at{first_index()};
  const counted op{plus()};
  expect("map", [&](const auto& a) { quern::map(e, a.y, f, a.x); });
  expect("map of positions", [&](const auto& a) { quern::map(e, a.result, at, quern::positions()); });
  expect("map, gathering", [&](const auto& a) { quern::map(e, a.result, f, a.turned); });
  expect("map of lazy", [&](const auto& a) { quern::map(e, a.result, f, quern::lazy(f, a.turned)); });
  expect("map to two", [&](const auto& a) {
    const Kokkos::View<double*, E> z("z", a.n);
    quern::map(e, quern::outputs(a.y, z), counted{once_and_twice()}, a.x);
  });
  expect("trapezoid", [&](const auto& a) { quern::trapezoid(e, quern::lazy(f, a.x), 0.5); });
  expect("cumulative_trapezoid",
         [&](const auto& a) { quern::cumulative_trapezoid(e, a.y, quern::lazy(f, a.x), 0.5, quern::axis{0}); });
  expect("sum of lazy", [&](const auto& a) { quern::sum(e, quern::lazy(f, a.x)); });
  expect("sum along rows", [&](const auto& a) { quern::sum(e, a.rows, quern::lazy(f, a.table), quern::axis{1}); });
  expect("sum along columns", [&](const auto& a) { quern::sum(e, a.rows, quern::lazy(f, a.turned), quern::axis{1}); });
  expect("norm", [&](const auto& a) { quern::norm(e, quern::lazy(f, a.turned)); });
  expect("var", [&](const auto& a) { quern::var(e, quern::lazy(f, a.x), quern::reproducible); });
  expect("reduce", [&](const auto& a) { quern::reduce(e, op, 0.0, a.x); });
  expect("reduce along rows", [&](const auto& a) { quern::reduce(e, a.rows, op, 0.0, a.table, quern::axis{1}); });
  expect("inclusive_scan", [&](const auto& a) { quern::inclusive_scan(e, a.y, op, 0.0, a.x); });
  expect("exclusive_scan",
         [&](const auto& a) { quern::exclusive_scan(e, a.result, op, 0.0, a.table, quern::axis{0}); });
  expect("cumsum of lazy", [&](const auto& a) { quern::cumsum(e, a.y, quern::lazy(f, a.x)); });
  expect("segmented_reduce", [&](const auto& a) {
    quern::segmented_reduce(e, Kokkos::subview(a.y, std::pair(0, int(a.n / 10))), op, 0.0, a.x, a.offsets);
  });
  expect("segmented_scan",
         [&](const auto& a) { quern::segmented_scan(e, a.y, op, 0.0, quern::lazy(f, a.x), a.offsets); });
}

TYPED_TEST(Functors, AreCopiedOnceALaunchBySortsStencilsAndSolvers) {
  using E = TypeParam;
  const E e;
  const auto expect = [](const char* name, const auto& operation) { TestFixture::expect_few_copies(name, operation); };
  const counted f{plus_one()};
  const counted before{less()};
  expect("sort", [&](const auto& a) { quern::sort(e, a.y, a.x, before); });
  expect("sort along rows", [&](const auto& a) { quern::sort(e, a.result, a.turned, before, quern::axis{1}); });
  expect("argsort", [&](const auto& a) { quern::argsort(e, a.positions, a.x, before); });
  expect("partial_sort",
         [&](const auto& a) { quern::partial_sort(e, Kokkos::subview(a.y, std::pair(0, 10)), a.x, before); });
  expect("is_sorted", [&](const auto& a) { quern::is_sorted(e, a.x, before); });
  expect("compact", [&](const auto& a) { quern::compact(e, a.y, a.x, counted{positive()}); });
  expect("histogram", [&](const auto& a) {
    quern::histogram(e, Kokkos::subview(a.y, std::pair(0, 10)), quern::lazy(f, a.x), quern::bin_range{-1.0, 1.0});
  });
  expect("stencil", [&](const auto& a) {
    quern::stencil<quern::star<1>>(e, a.y, counted{mean_of_neighbours()}, quern::boundary::reflect, a.x);
  });
  expect("stencil with positions", [&](const auto& a) {
    const auto mean = quern::with_position(counted{mean_and_index()});
    quern::stencil<quern::star<1>>(e, a.y, mean, quern::boundary::reflect, a.x);
  });
  expect("nonzero", [&](const auto& a) { quern::nonzero(e, a.positions, quern::lazy(counted{positive()}, a.x)); });
  expect("sum of groups", [&](const auto& a) {
    const Kokkos::View<int*, E> keys("keys", a.n);
    for (std::int64_t i = 0; i < a.n; ++i) keys(i) = static_cast<int>(i % 10);
    const auto groups = quern::group_by(e, keys);
    quern::sum(e, Kokkos::subview(a.y, std::pair(0, 10)), quern::lazy(f, a.x), groups);
  });
  expect("vmap", [&](const auto& a) { quern::vmap(e, a.y, counted{squared()}, a.x); });
  expect("newton", [&](const auto& a) {
    const Kokkos::View<double**, E> guesses("guesses", a.n / 10, 1);
    Kokkos::deep_copy(guesses, 1.0);
    quern::newton<1>(e, guesses, counted{root_of_two()});
  });
#ifdef QUERN_USES_LINALG
  expect("curve_fit", [&](const auto& a) {
    const Kokkos::View<double*, E> guess("guess", 1);
    const Kokkos::View<double**, E> variance("variance", 1, 1);
    quern::curve_fit<1>(e, quern::outputs(guess, variance), counted{slope()}, quern::max_iterations{1}, a.x, a.y);
  });
#endif
  expect("odeint", [&](const auto& a) {
    const Kokkos::View<double***, E> y("y", a.n / 100, 2, 1);
    const Kokkos::View<double**, E> y0("y0", a.n / 100, 1);
    const Kokkos::View<double*, E> t("t", 2);
    t(1) = 1;
    quern::odeint<1>(e, y, counted{decay()}, y0, t);
  });
  expect("integrate", [&](const auto& a) { quern::integrate(e, counted{parabola()}, {0, 1}, a.n); });
}

/// The owner of a View that looks at how many others there are.
template <class E>
struct owner {
  using view = Kokkos::View<const double*, E>;
  view table;
  const view* outside;
  int* least;
  int* most;
  KOKKOS_FUNCTION void look() const {
    KOKKOS_IF_ON_HOST((Kokkos::atomic_min(least, static_cast<int>(outside->use_count()));
                       Kokkos::atomic_max(most, static_cast<int>(outside->use_count()));))
  }
  template <class T>
  KOKKOS_FUNCTION double operator()(const T& x) const {
    look();
    if constexpr (std::is_floating_point_v<T>) return x + table(0);
    else return table(x[1]);
  }
  KOKKOS_FUNCTION bool operator()(double a, double b) const {
    look();
    return a + table(0) < b + table(0);
  }
};

TYPED_TEST(Functors, KeepTheReferenceCountsOfTheirViews) {
  using E = TypeParam;
  const E e;
  const arrays<E> a(100000);
  const Kokkos::View<const double*, E> table = Kokkos::View<double*, E>("table", 4);
  const auto expect = [&](const char* name, const auto& operation) {
    int least = 1 << 20, most = 0;
    operation(owner<E>{table, &table, &least, &most});
    EXPECT_GT(most, 1) << name;
    EXPECT_EQ(least, most) << name;
    EXPECT_EQ(1, table.use_count()) << name;
  };
  expect("map", [&](const auto& f) { quern::map(e, a.y, f, a.x); });
  expect("map of positions", [&](const auto& f) { quern::map(e, a.result, f, quern::positions()); });
  expect("sum of lazy", [&](const auto& f) { quern::sum(e, quern::lazy(f, a.x)); });
  expect("cumsum of lazy", [&](const auto& f) { quern::cumsum(e, a.y, quern::lazy(f, a.x)); });
  expect("sort", [&](const auto& f) { quern::sort(e, a.y, a.x, f); });
  expect("is_sorted", [&](const auto& f) { quern::is_sorted(e, a.x, f); });
}

}  // namespace
