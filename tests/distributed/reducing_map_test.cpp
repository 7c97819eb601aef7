// SPDX-FileCopyrightText: the Quern authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Maps of DistributedViews with reductions among their outputs, beside the calls in memory.
#include <distributed/world.hpp>
#include <functional>
#include <quern/distributed/all_reduce.hpp>
#include <quern/distributed/halo_exchange.hpp>
#include <quern/distributed/reducing_map.hpp>
#include <quern/distributed/reducing_stencil.hpp>
#include <support/labels.hpp>
#include <support/plain_statistics.hpp>
#include <support/small_functors.hpp>

namespace {

namespace op = quern::op;
using Kokkos::LayoutRight;
using quern::Decomposition, quern::shape;
using quern::on_host, quern::outputs, quern::reduced;

struct sum_and_product {
  template <class T, std::size_t N>
  KOKKOS_FUNCTION auto operator()(const T& a, const T& b, double scale,
                                  const Kokkos::Array<std::int64_t, N>& at) const {
    const double product = scale * a * b;
    return quern::values(a + static_cast<double>(at[0]), product, product, b, product);
  }
};

struct product_twice {
  KOKKOS_FUNCTION Kokkos::Array<double, 2> operator()(double a, double b) const { return {a * b, a * b}; }
};

struct value_twice {
  template <class W>
  KOKKOS_FUNCTION Kokkos::Array<double, 2> operator()(const W& p) const {
    return {p(0, 0), p(0, 0)};
  }
};

struct value_three_times {
  template <class W>
  KOKKOS_FUNCTION Kokkos::Array<double, 3> operator()(const W& p) const {
    return {p(0, 0), p(0, 0), p(0, 0)};
  }
};

struct square_of {
  KOKKOS_FUNCTION double operator()(double x) const { return x * x; }
};

struct greater {
  KOKKOS_FUNCTION double operator()(double a, double b) const { return a > b ? a : b; }
};

template <class Exec>
struct DistributedReducingMap : testing::Test {};
TYPED_TEST_SUITE(DistributedReducingMap, test::all_spaces);

TYPED_TEST(DistributedReducingMap, HasTheResultsOfTheCallInMemory) {
  using E = TypeParam;
  const E exec{};
  const auto comm = test::world();
  for (const shape& extents : {shape{7, 10}, shape{1, 9}, shape{5, 1}, shape{2, 3}, shape{64, 33}})
    for (const auto& grid : test::grids(comm.size(), 2)) {
      const Decomposition d(comm, extents, {.grid = grid, .halo = {1, 1}});
      const auto x = test::rounding_samples<double>(extents.size(), 1),
                 y = test::rounding_samples<double>(extents.extent[1], 2);
      const std::array<std::int64_t, 2> n{extents.extent[0], extents.extent[1]};
      const auto vx = test::make_array<double, 2, LayoutRight, E>(n, x),
                 vu = test::make_array<double, 2, LayoutRight, E>(n);
      const auto vv = test::make_array<double, 2, LayoutRight, E>(n);
      const auto row = test::make_array<double, 1, LayoutRight, E>({n[1]}, y);
      const quern::DistributedView<double, 2, E> u("u", d), v("v", d);
      const auto distributed_x = test::distribute<double, 2, LayoutRight, E>(d, x);
      const auto [dot, at, mean] =
          quern::map(exec,
                     outputs(vu, reduced<op::sum>(on_host, quern::reproducible), reduced<op::argmax>(on_host), vv,
                             reduced<op::mean>(on_host, quern::reproducible)),
                     sum_and_product(), vx, row, 0.5, quern::positions());
      const auto result =
          quern::map(exec,
                     outputs(u, reduced<op::sum>(on_host, quern::reproducible), reduced<op::argmax>(on_host), v,
                             reduced<op::mean>(on_host, quern::reproducible)),
                     sum_and_product(), distributed_x, row, 0.5, quern::positions());
      EXPECT_EQ(std::tuple(dot, at, mean), result);
      EXPECT_EQ(test::part_of(test::contents(vu), extents, d.local()), test::contents(u.local()));
      EXPECT_EQ(test::part_of(test::contents(vv), extents, d.local()), test::contents(v.local()));
      // To Views, which are whole on every rank; one alone, and several.
      const Kokkos::View<double, E> total("total");
      const Kokkos::View<std::int64_t, E> place("place");
      quern::map(exec, outputs(u, reduced<op::sum>(total, quern::reproducible)), product_twice(), distributed_x, row);
      EXPECT_EQ(2 * dot, test::value(total));
      quern::map(exec,
                 outputs(u, reduced<op::sum>(total, quern::reproducible), reduced<op::argmax>(place), v,
                         reduced<op::mean>(on_host)),
                 sum_and_product(), distributed_x, row, 0.5, quern::positions());
      EXPECT_EQ(dot, test::value(total));
      EXPECT_EQ(at, test::value(place));
      for (const int axis : {0, 1}) {
        const quern::axis along{axis};
        const auto sums = test::make_array<double, 1, LayoutRight, E>({n[1 - axis]}),
                   expected = test::make_array<double, 1, LayoutRight, E>({n[1 - axis]});
        quern::map(exec, outputs(vu, reduced<op::sum>(expected, along, quern::reproducible)), product_twice(), vx, row);
        quern::map(exec, outputs(u, reduced<op::sum>(sums, along, quern::reproducible)), product_twice(), distributed_x,
                   row);
        EXPECT_EQ(test::contents(expected), test::contents(sums)) << axis;
      }
    }
}

TYPED_TEST(DistributedReducingMap, ReducesAlone) {
  using E = TypeParam;
  const E exec{};
  const auto comm = test::world();
  const shape extents{7, 10};
  const Decomposition d(comm, extents);
  const auto x = test::rounding_samples<double>(70, 1);
  const auto whole = test::make_array<double, 2, LayoutRight, E>({7, 10}, x);
  const auto u = test::distribute<double, 2, LayoutRight, E>(d, x);
  const auto call = [&](const auto& in) {
    return quern::map(exec,
                      outputs(reduced<op::sum>(on_host, quern::reproducible), reduced<op::argmax>(on_host),
                              reduced<op::max>(on_host)),
                      test::repeated<3>(), in);
  };
  EXPECT_EQ(call(whole), call(u));
  const auto make = [](std::int64_t n) { return test::make_array<double, 1, LayoutRight, E>({n}); };
  for (const int axis : {0, 1}) {
    const quern::axis along{axis};
    const auto sums = make(axis == 0 ? 10 : 7), greatest = make(axis == 0 ? 10 : 7);
    const auto to_views = [&](const auto& in) {
      quern::map(exec, outputs(reduced<op::sum>(sums, along, quern::reproducible), reduced<op::max>(greatest, along)),
                 test::repeated<2>(), in);
      return std::pair(test::contents(sums), test::contents(greatest));
    };
    EXPECT_EQ(to_views(whole), to_views(u)) << axis;
  }
}

TYPED_TEST(DistributedReducingMap, OthersThanSums) {
  using E = TypeParam;
  const E exec{};
  const auto comm = test::world();
  const shape extents{13, 11};
  const Decomposition d(comm, extents);
  auto x = test::samples<double>(extents.size(), 3);
  for (double& v : x) v = 1 + v / 64;  // so that products stay in range
  const auto u = test::distribute<double, 2, LayoutRight, E>(d, x);
  const quern::DistributedView<double, 2, E> out("out", d);
  const auto [least, greatest, product, variance, length, range, both, own] =
      quern::map(exec,
                 outputs(out, reduced<op::min>(on_host), reduced<op::max>(on_host), reduced<op::prod>(on_host),
                         reduced<op::var>(on_host), reduced<op::norm>(on_host), reduced<op::minmax>(on_host),
                         reduced<op::mean_var>(on_host), reduced(on_host, greater(), 0.0)),
                 test::repeated<9>(), u);
  const test::plain_statistics plain(x);
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
  EXPECT_EQ(test::part_of(x, extents, d.local()), test::contents(out.local()));
}

struct laplacian {
  template <class W>
  KOKKOS_FUNCTION auto operator()(const Kokkos::Array<std::int64_t, 2>& at, const W& p) const {
    const double l = p(-1, 0) + p(1, 0) + p(0, -1) + p(0, 1) - 4.0 * p(0, 0);
    return quern::values(l, l * p(0, 0), l, at[0] + l);
  }
};

TYPED_TEST(DistributedReducingMap, StencilsHaveTheResultsOfTheCallInMemory) {
  using E = TypeParam;
  const E exec{};
  const auto comm = test::world();
  for (const shape& extents : {shape{9, 10}, shape{4, 33}, shape{31, 4}, shape{64, 33}})
    for (const auto& grid : test::grids(comm.size(), 2)) {
      const Decomposition d(comm, extents, {.grid = grid, .halo = {1, 1}});
      const std::array<std::int64_t, 2> n{extents.extent[0], extents.extent[1]};
      const auto x = test::rounding_samples<double>(extents.size(), 1);
      const auto vx = test::make_array<double, 2, LayoutRight, E>(n, x),
                 vu = test::make_array<double, 2, LayoutRight, E>(n, x);
      const auto u = test::distribute<double, 2, LayoutRight, E>(d, x),
                 p = test::distribute<double, 2, LayoutRight, E>(d, x);
      for (const auto& edge : std::vector<quern::boundaries>{quern::boundary::wrap, quern::boundary::constant(1.5),
                                                             quern::boundary::keep}) {
        const auto step = [&](const auto& out, const auto& in) {
          return quern::stencil<quern::star<1>>(
              exec,
              outputs(out, reduced<op::sum>(on_host, quern::reproducible), reduced<op::argmax>(on_host),
                      reduced<op::mean>(on_host, quern::reproducible)),
              quern::with_position(laplacian()), edge, in);
        };
        EXPECT_EQ(step(vu, vx), step(u, p));
        EXPECT_EQ(test::part_of(test::contents(vu), extents, d.local()), test::contents(u.local()));
      }
    }
}

/// Calls check(d, along, whole x, whole out, x, out, rest) for every grid of ranks and axis, of which `rest` cells are
/// left.
template <class E, class Check>
void for_axes_of_fields(const Check& check) {
  const auto comm = test::world();
  for (const shape& extents : {shape{9, 10}, shape{4, 33}, shape{31, 4}, shape{64, 33}})
    for (const auto& grid : test::grids(comm.size(), 2)) {
      const Decomposition d(comm, extents, {.grid = grid, .halo = {1, 1}});
      const std::array<std::int64_t, 2> n{extents.extent[0], extents.extent[1]};
      const auto x = test::rounding_samples<double>(extents.size(), 1);
      const auto whole_x = test::make_array<double, 2, LayoutRight, E>(n, x),
                 whole_out = test::make_array<double, 2, LayoutRight, E>(n, x);
      const auto out = test::distribute<double, 2, LayoutRight, E>(d, x),
                 part = test::distribute<double, 2, LayoutRight, E>(d, x);
      for (const int axis : {0, 1}) check(d, quern::axis{axis}, whole_x, whole_out, part, out, n[1 - axis]);
    }
}

/// Results to Views, which are whole on every rank, and to DistributedViews, of several reductions.
TYPED_TEST(DistributedReducingMap, StencilsAlongAxes) {
  using E = TypeParam;
  const E exec{};
  for_axes_of_fields<E>([&](const Decomposition& d, const quern::axis& along, const auto& whole_x,
                            const auto& whole_out, const auto& x, const auto& out, std::int64_t rest) {
    const auto view = [&]<class T>(T) { return test::make_array<T, 1, LayoutRight, E>({rest}); };
    const auto sums = view(0.0), expected_sums = view(0.0), means = view(0.0), expected_means = view(0.0);
    const auto first = view(std::int64_t{}), expected_first = view(std::int64_t{});
    const Decomposition rows(d.communicator(), shape{rest});
    const quern::DistributedView<double, 1, E> cut_sums("sums", rows);
    const quern::DistributedView<std::int64_t, 1, E> cut_first("first", rows);
    const auto step = [&](const auto& to, const auto& in, const quern::boundaries& edge, const auto& s, const auto& at,
                          const auto& m) {
      quern::stencil<quern::star<1>>(
          exec,
          outputs(to, reduced<op::sum>(s, along, quern::reproducible), reduced<op::argmax>(at, along),
                  reduced<op::mean>(m, along, quern::reproducible)),
          quern::with_position(laplacian()), edge, in);
    };
    const auto expect_part = [](const auto& whole, const auto& cut) {
      EXPECT_EQ(test::part_of(test::contents(whole), cut.extents(), cut.decomposition().local()),
                test::contents(cut.local()));
    };
    for (const auto& edge : std::vector<quern::boundaries>{quern::boundary::wrap, quern::boundary::constant(1.5)}) {
      step(whole_out, whole_x, edge, expected_sums, expected_first, expected_means);
      step(out, x, edge, sums, first, means);
      expect_part(whole_out, out);
      EXPECT_EQ(test::contents(expected_sums), test::contents(sums));
      EXPECT_EQ(test::contents(expected_first), test::contents(first));
      EXPECT_EQ(test::contents(expected_means), test::contents(means));
      step(out, x, edge, cut_sums, cut_first, means);
      expect_part(expected_sums, cut_sums);
      expect_part(expected_first, cut_first);
      EXPECT_EQ(test::contents(expected_means), test::contents(means));
    }
  });
}

// Where cells are left, results of none are those of an empty axis.
TYPED_TEST(DistributedReducingMap, StencilsThatLeaveCells) {
  using E = TypeParam;
  const E exec{};
  for_axes_of_fields<E>([&](const Decomposition& d, const quern::axis& along, const auto& whole_x,
                            const auto& whole_out, const auto& x, const auto& out, std::int64_t rest) {
    const std::int64_t rows = d.extents().extent[0], columns = d.extents().extent[1];
    const auto view = [&]<class T>(T) { return test::make_array<T, 1, LayoutRight, E>({rest}); };
    const auto sums = view(0.0), expected_sums = view(0.0), means = view(0.0), expected_means = view(0.0);
    const auto counts = view(std::int64_t{}), expected_counts = view(std::int64_t{});
    const auto call = [&](const auto& to, const auto& in, const quern::boundaries& edge, const auto& s, const auto& m,
                          const auto& c) {
      quern::stencil<quern::star<1>>(
          exec,
          outputs(to, reduced<op::sum>(s, along, quern::reproducible), reduced<op::mean>(m, along, quern::reproducible),
                  reduced<op::count>(c, along)),
          quern::with_position(laplacian()), edge, in);
    };
    for (const auto& edge : std::vector<quern::boundaries>{quern::boundary::keep,
                                                           quern::interior_only({{1, rows - 2}, {2, columns - 1}})}) {
      call(whole_out, whole_x, edge, expected_sums, expected_means, expected_counts);
      call(out, x, edge, sums, means, counts);
      EXPECT_EQ(test::contents(expected_sums), test::contents(sums));
      EXPECT_EQ(test::contents(expected_counts), test::contents(counts));
      const auto found = test::contents(means), wanted = test::contents(expected_means);
      for (std::size_t k = 0; k < found.size(); ++k)
        EXPECT_TRUE(found[k] == wanted[k] || (std::isnan(found[k]) && std::isnan(wanted[k]))) << k;
      EXPECT_TRUE(std::isnan(found[0])) << "of no cells";
      EXPECT_EQ(0, test::contents(sums)[0]);
    }
  });
}

TYPED_TEST(DistributedReducingMap, WorkspacesHaveTheirScratchMemory) {
  using E = TypeParam;
  const E exec{};
  const auto comm = test::world();
  const shape extents{48, 21};
  const Decomposition d(comm, extents, {.halo = {1, 1}});
  const auto x = test::rounding_samples<double>(extents.size(), 1);
  const auto u = test::distribute<double, 2, LayoutRight, E>(d, x),
             p = test::distribute<double, 2, LayoutRight, E>(d, x);
  const auto whole = test::make_array<double, 2, LayoutRight, E>({48, 21}, x);
  const double expected = quern::sum(exec, whole, quern::reproducible);
  const Kokkos::View<double, E> total("total");
  const auto sum = reduced<op::sum>(total, quern::reproducible);
  quern::Workspace<E> work;
  for (int repeat = 0; repeat < 3; ++repeat) {
    const quern::WorkspaceScope scope(work);
    Kokkos::deep_copy(total, -1.0);
    quern::map(exec, outputs(u, sum), product_twice(), p, 1.0);
    EXPECT_EQ(expected, test::value(total)) << repeat;
    Kokkos::deep_copy(total, -1.0);
    quern::stencil<quern::star<1>>(exec, outputs(u, sum), value_twice(), quern::boundary::wrap, p);
    EXPECT_EQ(expected, test::value(total)) << repeat;
    EXPECT_EQ(test::part_of(x, extents, d.local()), test::contents(u.local()));
  }
}

struct apply_matrix {
  template <class W>
  KOKKOS_FUNCTION auto operator()(const W& p) const {
    const double a = 4.5 * p(0, 0) - p(-1, 0) - p(1, 0) - p(0, -1) - p(0, 1);
    return quern::values(a, a * p(0, 0));
  }
};
struct advance {
  KOKKOS_FUNCTION auto operator()(double u, double r, double p, double w, double rr, double pw) const {
    const double alpha = rr / pw, next = r - alpha * w;
    return quern::values(u + alpha * p, next, next * next);
  }
};
struct turn {
  KOKKOS_FUNCTION double operator()(double r, double p, double next, double rr) const { return r + next / rr * p; }
};

/// That a call waits for nothing with NCCL, and on hosts so many times, for what is reduced and for messages alone.
template <class E>
void expect_waits(const E& exec, const quern::Communicator& comm, const std::string& reduced, std::size_t times,
                  const std::function<void()>& f) {
  exec.fence();
  const auto fences = test::fences_of(f);
  exec.fence();
  if (quern::impl::is_device<E> && comm.transport() == quern::device_transport::nccl) {
    EXPECT_EQ(std::vector<std::string>(), fences);
  } else if (!quern::impl::is_device<E>) {
    for (const std::string& name : fences) EXPECT_TRUE(name.ends_with(reduced) || name.ends_with(": packed")) << name;
    EXPECT_EQ(times, fences.size());
  }
}

// An iteration of conjugate gradients whose sums stay where the arrays are. With NCCL nothing waits; with MPI the host
// does for what feeds messages, and for nothing else.
TYPED_TEST(DistributedReducingMap, IterationsOfConjugateGradientsWaitForMessagesAlone) {
  using E = TypeParam;
  const E exec{};
  const auto comm = test::world();
  const Decomposition d(comm, shape{48, 21}, {.grid = {comm.size(), 1}, .halo = {1, 0}});
  const auto b = test::distribute<double, 2, LayoutRight, E>(d, test::rounding_samples<double>(48 * 21, 1));
  const quern::DistributedView<double, 2, LayoutRight, typename E::memory_space> u("u", d), r("r", d), p("p", d),
      w("w", d);
  const Kokkos::View<double, E> rr("rr"), next("next"), pw("pw");
  const auto begin = [&] {
    Kokkos::deep_copy(exec, u.local_with_halo(), 0.0);
    for (const auto& v : {r, p}) Kokkos::deep_copy(exec, v.local_with_halo(), b.local_with_halo());
    quern::sum(exec, rr, quern::lazy(square_of(), r));
  };
  begin();
  const double before = test::value(rr);
  const auto iteration = [&](const auto& now, const auto& then) {
    quern::stencil<quern::star<1>>(exec, outputs(w, reduced<op::sum>(pw)), apply_matrix(), quern::boundary::constant(0),
                                   p);
    quern::map(exec, outputs(u, r, reduced<op::sum>(then)), advance(), u, r, p, w, now, pw);
    quern::map(exec, p, turn(), r, p, then, now);
  };
  for (int i = 0; i < 2; ++i) {
    iteration(rr, next);
    iteration(next, rr);
  }
  expect_waits(exec, comm, ": states", comm.size() == 1 ? 2 : 3, [&] { iteration(rr, next); });
  EXPECT_LT(test::value(next), 0.5 * before);
  // The same bits in each run, of sums that are not reproducible.
  test::expect_repeats([&] {
    begin();
    iteration(rr, next);
    iteration(next, rr);
    return std::tuple(test::value(pw), test::value(next), test::value(rr), test::contents(u.local()));
  });
}

// The same of Views that a program has cut itself, whose ghosts are exchanged and whose sums are completed by calls of
// their own.
TYPED_TEST(DistributedReducingMap, IterationsOfOwnBlocksWaitForMessagesAlone) {
  using E = TypeParam;
  using quern::distributed::all_reduce;
  const E exec{};
  const auto comm = test::world();
  const Decomposition d(comm, shape{48, 21}, {.grid = {comm.size(), 1}});
  const auto [first, n] = d.local();
  const Kokkos::View<double**, E> p("p", n.extent[0] + 2, n.extent[1] + 2), u("u", n.extent[0], n.extent[1]);
  const auto r = quern::like(u), w = quern::like(u);
  const auto cells = Kokkos::subview(p, std::pair<int, int>(1, n.extent[0] + 1), std::pair<int, int>(1, 22));
  const auto b = test::distribute<double, 2, LayoutRight, E>(d, test::samples<double>(48 * 21, 1));
  quern::copy(exec, r, b.local());
  quern::copy(exec, cells, r);
  quern::HaloExchange ghosts(exec, comm, d.local(), quern::boundary::constant(0), quern::depth{1}, quern::faces_only);
  const Kokkos::View<double, E> rr("rr"), next("next"), pw("pw");
  quern::sum(exec, rr, quern::lazy(square_of(), r));
  all_reduce(exec, comm, rr);
  const double before = test::value(rr);
  const auto iteration = [&](const auto& now, const auto& then) {
    ghosts.exchange(p);
    quern::stencil<quern::star<1>>(exec, outputs(w, reduced<op::sum>(pw)), apply_matrix(), quern::boundary::nearest,
                                   quern::with_ghosts(p, quern::depth{1}));
    all_reduce(exec, comm, pw);
    quern::map(exec, outputs(u, r, reduced<op::sum>(then)), advance(), u, r, cells, w, now, pw);
    all_reduce(exec, comm, then);
    quern::map(exec, cells, turn(), r, cells, then, now);
  };
  for (int i = 0; i < 2; ++i) {
    iteration(rr, next);
    iteration(next, rr);
  }
  expect_waits(exec, comm, ": values", comm.size() == 1 ? 0 : 3, [&] { iteration(rr, next); });
  EXPECT_LT(test::value(next), 0.5 * before);
}

TYPED_TEST(DistributedReducingMap, RejectsResultsOfAnotherCommunicatorBeforeItWrites) {
  using E = TypeParam;
  const E exec{};
  const auto comm = test::world();
  const quern::Communicator other(comm.mpi());
  const Decomposition d(comm, shape{6, 5}, {.halo = {1, 1}}), rows(other, shape{6});
  const quern::DistributedView<double, 2, E> u("u", d), x("x", d);
  const quern::DistributedView<double, 1, E> sums("sums", rows);
  Kokkos::deep_copy(u.local_with_halo(), -1.0);
  const auto before = test::contents(u.local());
  const auto reduction = reduced<op::sum>(sums, quern::axis{1});
  test::expect_error("quern::map: out and in are of two communicators",
                     [&] { quern::map(exec, outputs(u, reduction), product_twice(), x, 1.0); });
  test::expect_error("quern::stencil: out and in are of two communicators", [&] {
    quern::stencil<quern::star<1>>(exec, outputs(u, reduction), value_twice(), quern::boundary::wrap, x);
  });
  EXPECT_EQ(before, test::contents(u.local()));
}

// On all ranks that have what is shared, before anything is launched or sent.
TYPED_TEST(DistributedReducingMap, RejectsResultsThatShareMemoryBeforeItWrites) {
  using E = TypeParam;
  const E exec{};
  const auto comm = test::world();
  const Decomposition d(comm, shape{4 * comm.size(), 6}, {.grid = {comm.size(), 1}, .halo = {1, 1}});
  const quern::DistributedView<double, 2, Kokkos::LayoutRight, typename E::memory_space> u("u", d), x("x", d);
  Kokkos::deep_copy(u.local_with_halo(), -1.0);
  const auto row = test::make_array<double, 1, LayoutRight, E>({6});
  const auto rejected = [&](const std::string& what, const auto& call) {
    const auto labels = test::labels_of([&] { test::expect_error(what + " share memory", call); });
    EXPECT_EQ(std::vector<std::string>(), labels) << what;
    EXPECT_EQ(std::vector<double>(u.local_with_halo().size(), -1.0), test::contents(u.local_with_halo())) << what;
  };
  const quern::axis along{0};
  const auto of = [](const auto& v) { return reduced<op::sum>(Kokkos::subview(v.local_with_halo(), 1, 2)); };
  const auto map = [&](const auto&... results) {
    return [&, results...] { quern::map(exec, outputs(u, results...), test::repeated<1 + sizeof...(results)>(), x); };
  };
  rejected("quern::map: a reduction's output and another output", map(of(u)));
  rejected("quern::map: a reduction's output and in 1", map(of(x)));
  rejected("quern::map: a reduction's output and another reduction's output",
           map(reduced<op::sum>(row, along), reduced<op::max>(row, along)));
  rejected("quern::map: a reduction's output and in 2",
           [&] { quern::map(exec, outputs(u, reduced<op::sum>(row, along)), product_twice(), x, row); });
  const auto stencil = [&](const auto& f, const auto&... results) {
    return [&, f, results...] {
      quern::stencil<quern::star<1>>(exec, outputs(u, results...), f, quern::boundary::wrap, x);
    };
  };
  rejected("quern::stencil: a reduction's output and another output", stencil(value_twice(), of(u)));
  rejected("quern::stencil: a reduction's output and in 1", stencil(value_twice(), of(x)));
  rejected("quern::stencil: a reduction's output and another reduction's output",
           stencil(value_three_times(), reduced<op::sum>(row, along), reduced<op::max>(row, along)));
}

// Where calls are checked, what one rank has wrong is an error of all, and nobody waits for the others.
TYPED_TEST(DistributedReducingMap, RejectsOnAllRanksWhatOneHasWrong) {
  using E = TypeParam;
  const E exec{};
  const quern::Communicator comm(MPI_COMM_WORLD, {.check_calls = true});
  if (comm.size() == 1) return;
  const Decomposition d(comm, shape{4 * comm.size(), 6}, {.grid = {comm.size(), 1}, .halo = {1, 1}});
  using field = quern::DistributedView<double, 2, Kokkos::LayoutRight, typename E::memory_space>;
  const field u("u", d), x("x", d), other("other", d);
  const bool wrong = test::is_other(comm);
  const auto result = [&](const field& shared) {
    return reduced<op::sum>(Kokkos::subview((wrong ? shared : other).local_with_halo(), 1, 2));
  };
  const auto rejected = [&](const std::string& operation, const std::string& what, const auto& call) {
    test::expect_error(
        operation + ": on rank " + std::to_string(comm.size() - 1) + ": " + operation + ": " + what + " share memory",
        call);
  };
  const auto stencil = [&](const auto& out, const field& in) {
    quern::stencil<quern::star<1>>(exec, out, value_twice(), quern::boundary::wrap, in);
  };
  rejected("quern::map", "a reduction's output and another output",
           [&] { quern::map(exec, outputs(u, result(u)), test::repeated<2>(), x); });
  rejected("quern::map", "a reduction's output and in 1",
           [&] { quern::map(exec, outputs(result(x), reduced<op::max>(on_host)), test::repeated<2>(), x); });
  rejected("quern::stencil", "a reduction's output and in 1", [&] { stencil(outputs(u, result(x)), x); });
  rejected("quern::stencil", "out and in", [&] { stencil(outputs(u, result(other)), wrong ? u : x); });
  stencil(outputs(u, reduced<op::sum>(Kokkos::subview(other.local_with_halo(), 1, 2))), x);  // the ranks are in step
}

TYPED_TEST(DistributedReducingMap, CallsThatDiffer) {
  using E = TypeParam;
  const E exec{};
  const quern::Communicator comm(MPI_COMM_WORLD, {.check_calls = true});
  const Decomposition d(comm, shape{6, 5});
  const quern::DistributedView<double, 2, E> u("u", d), x("x", d);
  const bool other = test::is_other(comm);
  if (comm.size() == 1) return;
  const Kokkos::View<double*, E> results("results", other ? 6 : 5);
  const std::string arrays = "quern::map of float64 (6, 5)" + test::text_of_grid(d) + " float64 (6, 5)" +
                             test::text_of_grid(d) + " float64 1 with quern::sum";
  test::expect_calls_differ(comm, "quern::map", arrays + " along axis 0 float64 (5)",
                            arrays + " along axis 1 float64 (6)", [&] {
                              const quern::axis along{other ? 1 : 0};
                              quern::map(exec, outputs(u, reduced<op::sum>(results, along)), product_twice(), x, 1.0);
                            });
}

}  // namespace
