// SPDX-FileCopyrightText: the Quern authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Maps of what comes in chunks with reductions among their outputs, beside the calls in memory.

#include <algorithm>
#include <chunked/behind_function.hpp>
#include <numeric>
#include <quern/reduce.hpp>
#include <support/plain_statistics.hpp>
#include <support/small_functors.hpp>

namespace {

namespace op = quern::op;
using Kokkos::LayoutRight;
using quern::on_host, quern::outputs, quern::reduced;
using test::behind, test::memory_for, test::rounding_behind;

struct sum_and_product {
  template <class T>
  KOKKOS_FUNCTION auto operator()(const T& a, const T& b) const {
    const T product = static_cast<T>(a * b);
    return quern::values(static_cast<T>(a + b), product, product, a);
  }
};

struct product {
  KOKKOS_FUNCTION double operator()(double a, double b) const { return a * b; }
};
struct both {
  KOKKOS_FUNCTION Kokkos::Array<double, 2> operator()(double a, double b) const { return {a, b}; }
};
struct three {
  KOKKOS_FUNCTION Kokkos::Array<double, 3> operator()(double a, double b) const { return {a, b, a * b}; }
};
struct product_twice {
  KOKKOS_FUNCTION Kokkos::Array<double, 2> operator()(double p) const { return {p, p}; }
};

struct greater {
  KOKKOS_FUNCTION double operator()(double a, double b) const { return a > b ? a : b; }
};

template <class Exec>
struct ChunkedReducingMap : testing::Test {};
TYPED_TEST_SUITE(ChunkedReducingMap, test::all_spaces);

TYPED_TEST(ChunkedReducingMap, OthersThanSums) {
  using E = TypeParam;
  const E exec{};
  auto x = behind<double>(std::array<std::int64_t, 2>{97, 3}, 1);
  for (double& v : x.values) v = 1 + v / 64;  // so that products stay in range
  auto out = behind<double>(std::array<std::int64_t, 2>{97, 3}, 2);
  const auto [least, greatest, product, variance, length, range, both, own] =
      quern::map(exec,
                 outputs(out.sink(), reduced<op::min>(on_host), reduced<op::max>(on_host), reduced<op::prod>(on_host),
                         reduced<op::var>(on_host), reduced<op::norm>(on_host), reduced<op::minmax>(on_host),
                         reduced<op::mean_var>(on_host), reduced(on_host, greater(), 0.0)),
                 test::repeated<9>(), memory_for(x, 7, 2), x.source());
  const test::plain_statistics plain(x.values);
  EXPECT_EQ(plain.least, least);
  EXPECT_EQ(plain.greatest, greatest);
  const auto near = [](double a, double b) { return std::fabs(a - b) <= 1e-13 * std::fabs(b); };
  EXPECT_PRED2(near, product, plain.product);
  EXPECT_PRED2(near, variance, plain.var());
  EXPECT_PRED2(near, length, plain.norm);
  EXPECT_EQ(std::pair(least, greatest), std::pair(range.min, range.max));
  EXPECT_PRED2(near, both.mean, plain.mean);
  EXPECT_PRED2(near, both.var, plain.var());
  EXPECT_EQ(greatest, own);
  EXPECT_EQ(x.values, out.values);
}

TYPED_TEST(ChunkedReducingMap, ReducesAlone) {
  using E = TypeParam;
  const E exec{};
  const auto x = behind<double>(std::array<std::int64_t, 2>{97, 31}, 1),
             y = behind<double>(std::array<std::int64_t, 2>{97, 31}, 2);
  const auto whole_x = test::make_array<double, 2, LayoutRight, E>({97, 31}, x.values),
             whole_y = test::make_array<double, 2, LayoutRight, E>({97, 31}, y.values);
  const auto call = [&](const auto&... in) {
    return quern::map(exec,
                      outputs(reduced<op::sum>(on_host, quern::reproducible), reduced<op::max>(on_host),
                              reduced<op::argmax>(on_host), reduced<op::min>(on_host)),
                      sum_and_product(), in...);
  };
  EXPECT_EQ(call(whole_x, whole_y), call(memory_for(x, 7, 2), x.source(), y.source()));
  // To Views, along axes and of all elements.
  const auto to_views = [&](const auto& sums, const auto& greatest, const auto& options, const auto&... in) {
    const auto with = [&](const auto&... along) {
      quern::map(exec,
                 outputs(reduced<op::sum>(sums, quern::reproducible, along...), reduced<op::max>(greatest, along...)),
                 both(), in...);
    };
    std::apply(with, options);
    return std::pair(test::contents(sums), test::contents(greatest));
  };
  const auto expect_same = [&](const auto& sums, const auto& greatest, const auto&... along) {
    const std::tuple options(along...);
    const auto expected = to_views(sums, greatest, options, whole_x, whole_y);
    EXPECT_EQ(expected, to_views(sums, greatest, options, memory_for(x, 7, 2), x.source(), y.source()));
  };
  for (const int axis : {0, 1}) {
    const auto sums = test::make_array<double, 1, LayoutRight, E>({axis == 0 ? 31 : 97});
    expect_same(sums, quern::like(sums), quern::axis{axis});
  }
  expect_same(Kokkos::View<double, E>("sum"), Kokkos::View<double, E>("greatest"));
}

TYPED_TEST(ChunkedReducingMap, HasTheResultsOfTheCallInMemory) {
  using E = TypeParam;
  const E exec{};
  for (const auto& extents : {std::array<std::int64_t, 2>{97, 31}, {1, 50}, {64, 1}, {5, 300}}) {
    const auto x = rounding_behind(extents, 1), y = rounding_behind(extents, 2);
    const auto vx = test::make_array<double, 2, LayoutRight, E>(extents, x.values);
    const auto vy = test::make_array<double, 2, LayoutRight, E>(extents, y.values);
    const auto sums = test::make_array<double, 2, LayoutRight, E>(extents);
    const auto [dot, at] = quern::map(
        exec, outputs(sums, reduced<op::sum>(on_host, quern::reproducible), reduced<op::argmax>(on_host), vx),
        sum_and_product(), vx, vy);
    const Kokkos::View<double, E> total("total");
    for (const std::int64_t rows : {1, 7, 1000}) {
      auto z = behind<double>(extents, 3), copy = behind<double>(extents, 4);
      const auto [chunked_dot, chunked_at] = quern::map(
          exec,
          outputs(z.sink(), reduced<op::sum>(on_host, quern::reproducible), reduced<op::argmax>(on_host), copy.sink()),
          sum_and_product(), memory_for(x, rows, 4), x.source(), y.source());
      EXPECT_EQ(test::contents(sums), z.values) << rows;
      EXPECT_EQ(x.values, copy.values) << rows;
      EXPECT_EQ(dot, chunked_dot) << rows;
      EXPECT_EQ(at, chunked_at) << rows;
      // One reduction, to a View; a View of the execution space among the inputs.
      quern::map(exec, outputs(z.sink(), reduced<op::sum>(total, quern::reproducible)), product_twice(),
                 memory_for(x, rows, 4), quern::lazy(product(), vx, y.source()));
      EXPECT_EQ(dot, test::value(total)) << rows;
    }
  }
}

TYPED_TEST(ChunkedReducingMap, AlongTheAxisOfTheChunksAndTheOther) {
  using E = TypeParam;
  const E exec{};
  const std::array<std::int64_t, 2> extents{53, 17};
  const auto x = rounding_behind(extents, 1), y = rounding_behind(extents, 2);
  const auto vx = test::make_array<double, 2, LayoutRight, E>(extents, x.values);
  const auto vy = test::make_array<double, 2, LayoutRight, E>(extents, y.values);
  const auto sums = test::make_array<double, 2, LayoutRight, E>(extents);
  for (const int axis : {0, 1}) {
    const std::int64_t n = extents[1 - axis];
    const auto total = test::make_array<double, 1, LayoutRight, E>({n}),
               expected = test::make_array<double, 1, LayoutRight, E>({n});
    const auto first = test::make_array<std::int64_t, 1, LayoutRight, E>({n}),
               expected_first = test::make_array<std::int64_t, 1, LayoutRight, E>({n});
    const quern::axis along{axis};
    quern::map(exec,
               outputs(sums, reduced<op::sum>(expected, along, quern::reproducible),
                       reduced<op::argmin>(expected_first, along), vx),
               sum_and_product(), vx, vy);
    for (const std::int64_t rows : {1, 10, 1000}) {
      auto z = behind<double>(extents, 3), copy = behind<double>(extents, 4);
      quern::map(exec,
                 outputs(z.sink(), reduced<op::sum>(total, along, quern::reproducible),
                         reduced<op::argmin>(first, along), copy.sink()),
                 sum_and_product(), memory_for(x, rows, 4), x.source(), y.source());
      EXPECT_EQ(test::contents(sums), z.values) << rows;
      EXPECT_EQ(test::contents(expected), test::contents(total)) << rows;
      EXPECT_EQ(test::contents(expected_first), test::contents(first)) << rows;
    }
  }
  auto z = behind<double>(extents, 3);
  const auto wrong = test::make_array<double, 1, LayoutRight, E>({53});
  const auto before = z.values;
  test::expect_error("quern::map: a reduction's output has extents (53), expected (17)", [&] {
    quern::map(
        exec,
        outputs(z.sink(), reduced<op::sum>(wrong, quern::axis{0}), z.sink(), reduced<op::sum>(wrong, quern::axis{0})),
        sum_and_product(), memory_for(x, 5, 4), x.source(), y.source());
  });
  EXPECT_EQ(before, z.values);
}

// Chunks of Fortran order hold whole columns, so that positions of one chunk lie between those of others.
TYPED_TEST(ChunkedReducingMap, OfFortranOrder) {
  using E = TypeParam;
  const E exec{};
  const std::array<std::int64_t, 2> extents{53, 17};
  const auto x = behind<double>(extents, 1), y = behind<double>(extents, 2);
  const auto columns = [&](const std::vector<double>& values) {
    return test::make_array<double, 2, Kokkos::LayoutLeft, Kokkos::DefaultHostExecutionSpace>(extents, values);
  };
  const auto cx = columns(x.values), cy = columns(y.values), sums = columns(x.values);
  std::vector<double> added, products;
  for (std::size_t i = 0; i < x.values.size(); ++i) {
    added.push_back(x.values[i] + y.values[i]);
    products.push_back(x.values[i] * y.values[i]);
  }
  const auto first = std::max_element(products.begin(), products.end());
  for (const std::int64_t rows : {3, 10, 1000}) {
    const auto [total, at, least] =
        quern::map(exec,
                   outputs(test::fortran_sink(sums), reduced<op::sum>(on_host), reduced<op::argmax>(on_host),
                           reduced<op::min>(on_host)),
                   sum_and_product(), memory_for(x, rows, 4), test::fortran_source(cx), test::fortran_source(cy));
    EXPECT_EQ(added, test::contents(sums)) << rows;
    EXPECT_EQ(std::accumulate(products.begin(), products.end(), 0.0), total) << rows;  // of quarters, which are exact
    EXPECT_EQ(first - products.begin(), at) << rows;
    EXPECT_EQ(*std::min_element(x.values.begin(), x.values.end()), least) << rows;
    for (const int axis : {0, 1}) {
      const std::int64_t n = extents[1 - axis];
      std::vector<std::vector<double>> lines(n);
      for (std::size_t i = 0; i < products.size(); ++i) lines[axis == 0 ? i % 17 : i / 17].push_back(products[i]);
      const auto of_lines = test::make_array<double, 1, LayoutRight, E>({n});
      const auto places = test::make_array<std::int64_t, 1, LayoutRight, E>({n});
      const quern::axis along{axis};
      quern::map(exec,
                 outputs(test::fortran_sink(sums), reduced<op::sum>(of_lines, along),
                         reduced<op::argmax>(places, along), reduced<op::min>(quern::like(of_lines), along)),
                 sum_and_product(), memory_for(x, rows, 4), test::fortran_source(cx), test::fortran_source(cy));
      const auto found = test::contents(of_lines);
      const auto found_places = test::contents(places);
      for (std::int64_t l = 0; l < n; ++l) {
        EXPECT_EQ(std::accumulate(lines[l].begin(), lines[l].end(), 0.0), found[l]) << axis << ' ' << l;
        EXPECT_EQ(std::max_element(lines[l].begin(), lines[l].end()) - lines[l].begin(), found_places[l])
            << axis << ' ' << l;
      }
    }
  }
}

// Where there are no elements, no chunk comes: a sum is 0, as in memory.
struct value_three_times {
  template <class W>
  KOKKOS_FUNCTION Kokkos::Array<double, 3> operator()(const W& p) const {
    return {p(0, 0), p(0, 0), p(0, 0)};
  }
};
struct value_twice {
  template <class W>
  KOKKOS_FUNCTION Kokkos::Array<double, 2> operator()(const W& p) const {
    return {p(0, 0), p(0, 0)};
  }
};

TYPED_TEST(ChunkedReducingMap, WorkspacesHaveTheirScratchMemory) {
  using E = TypeParam;
  const E exec{};
  const std::array<std::int64_t, 2> extents{97, 31};
  const auto x = behind<double>(extents, 1);
  const auto vx = test::make_array<double, 2, LayoutRight, E>(extents, x.values);
  const double expected = quern::sum(exec, vx, quern::reproducible);
  const Kokkos::View<double, E> total("total");
  const auto sum = reduced<op::sum>(total, quern::reproducible);
  quern::Workspace<E> work;
  for (int repeat = 0; repeat < 3; ++repeat) {
    auto z = behind<double>(extents, 3);
    const quern::WorkspaceScope scope(work);
    Kokkos::deep_copy(total, -1.0);
    quern::map(exec, outputs(z.sink(), sum), product_twice(), memory_for(x, 7, 4), x.source());
    EXPECT_EQ(expected, test::value(total)) << repeat;
    EXPECT_EQ(x.values, z.values);
    Kokkos::deep_copy(total, -1.0);
    quern::stencil<quern::star<1>>(exec, outputs(z.sink(), sum), value_twice(), quern::boundary::wrap,
                                   memory_for(x, 7, 4), x.source());
    EXPECT_EQ(expected, test::value(total)) << repeat;
  }
}

// Before a chunk is read or written.
TYPED_TEST(ChunkedReducingMap, RejectsResultsThatShareMemory) {
  using E = TypeParam;
  const E exec{};
  const std::array<std::int64_t, 2> extents{20, 6};
  const auto x = behind<double>(extents, 1);
  auto z = behind<double>(extents, 2);
  const auto before = z.values;
  const auto row = test::make_array<double, 1, LayoutRight, E>({6}, test::samples<double>(6, 3));
  const auto row_before = test::contents(row);
  const auto table = test::make_array<double, 2, LayoutRight, E>({20, 6}, test::samples<double>(120, 4));
  const auto table_before = test::contents(table);
  const auto rejected = [&](const std::string& what, const auto& call) {
    test::expect_error(what + " share memory", call);
    EXPECT_EQ(before, z.values) << what;
    EXPECT_EQ(row_before, test::contents(row)) << what;
    EXPECT_EQ(table_before, test::contents(table)) << what;
  };
  const auto settings = memory_for(x, 5, 4);
  const auto first = Kokkos::subview(row, 0);
  const quern::axis along{0};
  rejected("quern::map: a reduction's output and in 2",
           [&] { quern::map(exec, outputs(z.sink(), reduced<op::sum>(first)), both(), settings, x.source(), row); });
  rejected("quern::map: a reduction's output and in 2", [&] {
    quern::map(exec, outputs(z.sink(), reduced<op::sum>(row, along)), both(), settings, x.source(), row);
  });
  rejected("quern::map: a reduction's output and another output", [&] {
    quern::map(exec, outputs(table, reduced<op::sum>(Kokkos::subview(table, 3, Kokkos::ALL()), along), z.sink()),
               three(), settings, x.source(), row);
  });
  rejected("quern::map: a reduction's output and another reduction's output", [&] {
    const Kokkos::View<double, E> total("total");
    quern::map(exec, outputs(z.sink(), reduced<op::sum>(total), reduced<op::max>(total)), three(), settings, x.source(),
               row);
  });
  rejected("quern::stencil: a reduction's output and another output", [&] {
    quern::stencil<quern::star<1>>(exec, outputs(table, reduced<op::sum>(Kokkos::subview(table, 3, 3))), value_twice(),
                                   quern::boundary::wrap, settings, x.source());
  });
  rejected("quern::stencil: a reduction's output and in 1", [&] {
    quern::stencil<quern::star<1>>(exec, outputs(z.sink(), reduced<op::sum>(Kokkos::subview(table, 3, 3))),
                                   value_twice(), quern::boundary::wrap, settings, table);
  });
  rejected("quern::stencil: a reduction's output and another reduction's output", [&] {
    quern::stencil<quern::star<1>>(exec, outputs(z.sink(), reduced<op::sum>(row, along), reduced<op::max>(row, along)),
                                   value_three_times(), quern::boundary::wrap, settings, x.source());
  });
}

TYPED_TEST(ChunkedReducingMap, OfNoElements) {
  using E = TypeParam;
  const E exec{};
  const std::array<std::int64_t, 2> extents{5, 0};
  const auto x = behind<double>(extents, 1);
  for (const int axis : {0, 1}) {
    auto z = behind<double>(extents, 2);
    const auto sums = test::make_array<double, 1, LayoutRight, E>({extents[1 - axis]});
    quern::fill(exec, sums, -77.0);
    quern::map(exec, outputs(z.sink(), reduced<op::sum>(sums, quern::axis{axis})), product_twice(), x.source());
    EXPECT_EQ(std::vector<double>(extents[1 - axis]), test::contents(sums)) << axis;
  }
}

struct laplacian {
  template <class W>
  KOKKOS_FUNCTION auto operator()(const Kokkos::Array<std::int64_t, 2>& at, const W& p) const {
    const double l = p(-1, 0) + p(1, 0) + p(0, -1) + p(0, 1) - 4.0 * p(0, 0) + 0.0 * at[0];
    return quern::values(l, l * p(0, 0), l);
  }
};

TYPED_TEST(ChunkedReducingMap, StencilsHaveTheResultsOfTheCallInMemory) {
  using E = TypeParam;
  const E exec{};
  for (const auto& extents : {std::array<std::int64_t, 2>{97, 31}, {3, 50}, {64, 3}}) {
    const auto x = rounding_behind(extents, 1);
    const auto vx = test::make_array<double, 2, LayoutRight, E>(extents, x.values);
    for (const auto& edge :
         std::vector<quern::boundaries>{quern::boundary::wrap, quern::boundary::constant(1.5), quern::boundary::keep}) {
      const auto out = test::make_array<double, 2, LayoutRight, E>(extents, std::vector<double>(x.values.size()));
      const auto reductions = [&](const auto& array) {
        return outputs(array, reduced<op::sum>(on_host, quern::reproducible), reduced<op::argmax>(on_host));
      };
      const auto expected =
          quern::stencil<quern::star<1>>(exec, reductions(out), quern::with_position(laplacian()), edge, vx);
      for (const std::int64_t rows : {3, 10, 1000}) {
        auto z = behind<double>(extents, 3);
        const auto found = quern::stencil<quern::star<1>>(exec, reductions(z.sink()), quern::with_position(laplacian()),
                                                          edge, memory_for(x, rows, 4), x.source());
        EXPECT_EQ(expected, found) << rows;
        EXPECT_EQ(test::contents(out), z.values) << rows;
      }
    }
  }
}

// Sums that are not reproducible, of chunks of one size.
TYPED_TEST(ChunkedReducingMap, RepeatsBitByBit) {
  using E = TypeParam;
  const E exec{};
  const std::array<std::int64_t, 2> extents{301, 130};
  const auto x = rounding_behind(extents, 1);
  auto z = rounding_behind(extents, 2);
  for (const std::int64_t rows : {7, 1000}) {
    test::expect_repeats([&] {
      return quern::map(exec, outputs(z.sink(), reduced<op::sum>(on_host)), product_twice(), memory_for(x, rows, 2),
                        x.source());
    });
    test::expect_repeats([&] {
      return quern::stencil<quern::star<1>>(exec, outputs(z.sink(), reduced<op::sum>(on_host)), value_twice(),
                                            quern::boundary::wrap, memory_for(x, rows, 2), x.source());
    });
    for (const int axis : {0, 1}) {
      const auto sums = test::make_array<double, 1, LayoutRight, E>({extents[1 - axis]});
      test::expect_repeats([&] {
        quern::map(exec, outputs(z.sink(), reduced<op::sum>(sums, quern::axis{axis})), product_twice(),
                   memory_for(x, rows, 2), x.source());
        return test::contents(sums);
      });
    }
  }
}

struct wide_difference {
  template <class W>
  KOKKOS_FUNCTION auto operator()(const W& p) const {
    const double d = p(-2, 0) - 2.0 * p(1, 0) + p(0, 2);
    return quern::values(d, d);
  }
};

TYPED_TEST(ChunkedReducingMap, StencilsOfRadiusTwo) {
  using E = TypeParam;
  const E exec{};
  const std::array<std::int64_t, 2> extents{41, 9};
  const auto x = behind<double>(extents, 1);
  const auto vx = test::make_array<double, 2, LayoutRight, E>(extents, x.values),
             out = test::make_array<double, 2, LayoutRight, E>(extents);
  const auto step = [&](const auto& to, const auto&... in) {
    return quern::stencil<quern::star<2>>(exec, outputs(to, reduced<op::sum>(on_host, quern::reproducible)),
                                          wide_difference(), quern::boundary::reflect, in...);
  };
  const double expected = step(out, vx);
  for (const std::int64_t rows : {5, 11, 1000}) {
    auto z = behind<double>(extents, 3);
    EXPECT_EQ(expected, step(z.sink(), memory_for(x, rows, 4), x.source())) << rows;
    EXPECT_EQ(test::contents(out), z.values) << rows;
  }
}

struct laplacian_and_more {
  template <class W>
  KOKKOS_FUNCTION auto operator()(const Kokkos::Array<std::int64_t, 2>& at, const W& p) const {
    const double l = p(-1, 0) + p(1, 0) + p(0, -1) + p(0, 1) - 4.0 * p(0, 0);
    return quern::values(l, l * p(0, 0), l, at[0] + l);
  }
};

TYPED_TEST(ChunkedReducingMap, StencilsAlongTheAxisOfTheChunksAndTheOther) {
  using E = TypeParam;
  const E exec{};
  for (const auto& extents : {std::array<std::int64_t, 2>{97, 31}, {3, 50}, {64, 3}}) {
    const auto x = behind<double>(extents, 1);
    const auto vx = test::make_array<double, 2, LayoutRight, E>(extents, x.values);
    for (const int axis : {0, 1})
      for (const bool leaves : {false, true})
        for (const auto& edge :
             leaves ? std::vector<quern::boundaries>{quern::boundary::keep,
                                                     quern::interior_only({{1, extents[0] - 1}, {1, 2}})}
                    : std::vector<quern::boundaries>{quern::boundary::wrap, quern::boundary::constant(1.5)}) {
          const auto out = test::make_array<double, 2, LayoutRight, E>(extents, std::vector<double>(x.values.size()));
          const std::int64_t rest = extents[1 - axis];
          const auto sums = test::make_array<double, 1, LayoutRight, E>({rest}),
                     expected_sums = test::make_array<double, 1, LayoutRight, E>({rest}),
                     means = test::make_array<double, 1, LayoutRight, E>({rest}),
                     expected_means = test::make_array<double, 1, LayoutRight, E>({rest});
          const auto first = test::make_array<std::int64_t, 1, LayoutRight, E>({rest}),
                     expected_first = test::make_array<std::int64_t, 1, LayoutRight, E>({rest});
          const quern::axis along{axis};
          const auto f = quern::with_position(laplacian_and_more());
          const auto call = [&](const auto& array, const auto& s, const auto& at, const auto& m, const auto&... in) {
            // A reduction that has no result where no cells are computed, or none.
            if (leaves) {
              quern::stencil<quern::star<1>>(
                  exec,
                  outputs(array, reduced<op::sum>(s, along, quern::reproducible), reduced<op::count>(at, along),
                          reduced<op::mean>(m, along, quern::reproducible)),
                  f, edge, in...);
            } else {
              quern::stencil<quern::star<1>>(
                  exec,
                  outputs(array, reduced<op::sum>(s, along, quern::reproducible), reduced<op::argmax>(at, along),
                          reduced<op::mean>(m, along, quern::reproducible)),
                  f, edge, in...);
            }
          };
          call(out, expected_sums, expected_first, expected_means, vx);
          for (const std::int64_t rows : {3, 10, 1000}) {
            auto z = behind<double>(extents, 3);
            z.values.assign(z.values.size(), 0.0);
            call(z.sink(), sums, first, means, memory_for(x, rows, 4), x.source());
            EXPECT_EQ(test::contents(out), z.values) << rows;
            EXPECT_EQ(test::contents(expected_sums), test::contents(sums)) << axis << ' ' << rows;
            EXPECT_EQ(test::contents(expected_first), test::contents(first)) << axis << ' ' << rows;
            const auto found = test::contents(means), wanted = test::contents(expected_means);
            for (std::size_t k = 0; k < found.size(); ++k)
              EXPECT_TRUE(found[k] == wanted[k] || (std::isnan(found[k]) && std::isnan(wanted[k]))) << k;
          }
        }
  }
}

}  // namespace
