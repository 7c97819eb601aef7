// SPDX-FileCopyrightText: the Quern authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Calls whose parameters differ between ranks: all ranks say so, also where one of them would reject its own.
#include <distributed/checked_calls.hpp>
#include <quern/distributed/map.hpp>
#include <quern/distributed/reduce.hpp>
#include <quern/distributed/stencil.hpp>
#include <quern/map.hpp>
#include <quern/reduce/compare.hpp>
#include <quern/stencil/operators.hpp>

namespace {

using quern::axis, quern::boundary;
using test::checked_calls;

template <class Exec>
struct DifferingParameters : testing::Test {
  static auto line(const std::vector<double>& values) {
    return test::make_array<double, 1, Kokkos::LayoutRight, Exec>({static_cast<std::int64_t>(values.size())}, values);
  }
};
TYPED_TEST_SUITE(DifferingParameters, test::all_spaces);

TYPED_TEST(DifferingParameters, Differences) {
  using E = TypeParam;
  const E exec;
  const checked_calls<E> c;
  if (c.alone) return;
  const std::string name = "quern::gradient", both = c.array + c.array, all = both + c.array;
  c.expect("quern::laplacian", both + ", spacing 0.5", both + ", spacing 0",
           [&] { quern::laplacian(exec, c.v, c.u, c.differs ? 0.0 : 0.5, boundary::wrap); });
  c.expect(name, both + " along 0, spacing 0.5", both + " along 0, spacing 0",
           [&] { quern::gradient(exec, c.v, c.u, c.differs ? 0.0 : 0.5, axis{-2}); });
  c.expect(name, both + " along 0, spacing 1", both + " along 7, spacing 1",
           [&] { quern::gradient(exec, c.v, c.u, 1.0, axis{c.differs ? 7 : 0}); });
  c.expect(name, all + ", spacing 1 2", all + ", spacing 1 2 3", [&] {
    const auto out = quern::outputs(c.v, c.v);
    c.differs ? quern::gradient(exec, out, c.u, {1.0, 2.0, 3.0}) : quern::gradient(exec, out, c.u, {1.0, 2.0});
  });
  c.expect(name, both + " along 0, spacing 1", both + ", differences at the edges of order 2 along 0, spacing 1", [&] {
    c.differs ? quern::gradient(exec, c.v, c.u, 1.0, axis{0}, quern::edge_order<2>)
              : quern::gradient(exec, c.v, c.u, 1.0, axis{0});
  });
}

TYPED_TEST(DifferingParameters, PointsOfGradients) {
  using E = TypeParam;
  const E exec;
  const checked_calls<E> c;
  if (c.alone) return;
  const auto points = this->line({0, 1, 2, 3, 4, 5, 6, 7}), others = this->line({0, 1, 2, 3, 4, 5, 6, 8}),
             fewer = this->line({0, 1});
  const std::string both = c.array + c.array, of_points = both + " float64 (8) along 0, points 0 1 2 3 4 5 6 ";
  c.expect("quern::gradient", of_points + "7", of_points + "8",
           [&] { quern::gradient(exec, c.v, c.u, c.differs ? others : points, axis{0}); });
  c.expect("quern::gradient", of_points + "7", both + " float64 (2) along 0, points 0 1",
           [&] { quern::gradient(exec, c.v, c.u, c.differs ? fewer : points, axis{0}); });
}

TYPED_TEST(DifferingParameters, Elementwise) {
  using E = TypeParam;
  const E exec;
  const checked_calls<E> c;
  if (c.alone) return;
  const std::string both = c.array + c.array, all = both + c.array;
  const auto cubic = this->line({1, 0, 0, 2}), other = this->line({1, 0, 0, 3});
  c.expect("quern::polyval", both + " float64 (4), coefficients 1 0 0 2", both + " float64 (4), coefficients 1 0 0 3",
           [&] { quern::polyval(exec, c.v, c.differs ? other : cubic, c.u); });
  c.expect("quern::nan_to_num", both + ", nan 0", both + ", nan 0, posinf 1", [&] {
    quern::nan_to_num(exec, c.v, c.u, quern::replacements{.posinf = c.differs ? std::optional(1.0) : std::nullopt});
  });
  const auto close_to = [&](double absolute) { return quern::tolerance{.absolute = c.differs ? absolute : 0}; };
  c.expect("quern::isclose", all + ", absolute 0", all + ", absolute -1",
           [&] { quern::isclose(exec, c.v, c.u, c.u, close_to(-1)); });
  c.expect("quern::allclose", both + ", absolute 0", both + ", absolute 1",
           [&] { quern::allclose(exec, c.u, c.u, close_to(1)); });
  c.expect("quern::eye", c.array + ", diagonal 1", c.array + ", diagonal 2",
           [&] { quern::eye(exec, c.v, quern::diagonal_offset{c.differs ? 2 : 1}); });
}

TYPED_TEST(DifferingParameters, Ranges) {
  using E = TypeParam;
  const E exec;
  const checked_calls<E> c;
  if (c.alone) return;
  const quern::DistributedView<double, 1, E> line("line", quern::Decomposition(c.comm, {8}));
  const std::string array = " float64 (8) on a grid of " + c.ranks, numbers = " int32 0 int32 ";
  c.expect("quern::arange", array + numbers + "8 int32 1", array + numbers + "9 int32 1",
           [&] { quern::arange(exec, line, c.differs ? 9 : 8); });
  c.expect("quern::linspace", array + numbers + "8", array + numbers + "8, without_endpoint", [&] {
    c.differs ? quern::linspace(exec, line, 0, 8, quern::without_endpoint) : quern::linspace(exec, line, 0, 8);
  });
  c.expect("quern::logspace", array + numbers + "8 float64 10", array + numbers + "8 float64 2",
           [&] { quern::logspace(exec, line, 0, 8, quern::log_base{c.differs ? 2.0 : 10.0}); });
  c.expect("quern::geomspace", array + " int32 1 int32 8", array + " int32 -1 int32 8",
           [&] { quern::geomspace(exec, line, c.differs ? -1 : 1, 8); });
}

}  // namespace
