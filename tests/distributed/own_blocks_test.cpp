// SPDX-FileCopyrightText: the Quern authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Halos of blocks that a program has cut itself.
#include <distributed/own_blocks.hpp>
#include <distributed/world.hpp>
#include <quern/distributed/halo_exchange.hpp>
#include <support/labels.hpp>

namespace {

using quern::boundary, quern::boundaries, quern::boundary_pair, quern::Decomposition, quern::shape;
using test::deposits, test::kept_ghosts, test::on_faces, test::own_field, test::own_part, test::uneven_block;

template <class Exec>
struct OwnBlocksOn : testing::Test {};
TYPED_TEST_SUITE(OwnBlocksOn, test::all_spaces);

TYPED_TEST(OwnBlocksOn, OwnBlocksOfAProgram) {
  using E = TypeParam;
  const auto comm = test::world();
  const shape whole{8, 13};
  const auto own = uneven_block(comm.rank(), comm.size(), 8, 13);
  for (const auto& edge : {boundaries(boundary::wrap), boundaries{boundary::odd_reflect, boundary::wrap},
                           boundaries{boundary_pair(boundary::constant(3), boundary::mirror), boundary::nearest}})
    for (const int layers : {2, 1}) {
      own_field<double, Kokkos::LayoutRight, E> u(whole, own, 2, 1), next(whole, own, 2, 2);
      own_field<float, Kokkos::LayoutLeft, E> v(whole, own, 2, 3);
      quern::HaloExchange exchange(E(), comm, own, edge, quern::depth{2}, quern::layers{layers});
      exchange.start(u.view, v.view);
      exchange.finish();
      EXPECT_LE(exchange.messages(), comm.size() - 1);
      EXPECT_EQ((own_part<double, E>(u.values, whole, own, edge, 2, layers, u.before)), test::contents(u.view));
      EXPECT_EQ((own_part<float, E>(v.values, whole, own, edge, 2, layers, v.before)), test::contents(v.view));
      exchange.exchange(next.view, v.view);  // the same messages, of another field
      EXPECT_EQ((own_part<double, E>(next.values, whole, own, edge, 2, layers, next.before)),
                test::contents(next.view));
      exchange.exchange(next.view);
      EXPECT_EQ((own_part<double, E>(next.values, whole, own, edge, 2, layers, next.before)),
                test::contents(next.view));
    }
}

TYPED_TEST(OwnBlocksOn, OwnBlocksOfOneRow) {
  using E = TypeParam;
  const auto comm = test::world();
  const shape whole{comm.size(), 4};
  const Decomposition::Block own{{comm.rank(), 0}, {1, 4}};
  for (const auto& edge : {boundary::mirror, boundary::odd_mirror, boundary::reflect, boundary::nearest}) {
    own_field<double, Kokkos::LayoutRight, E> u(whole, own, 2, 1);
    const boundaries edges{edge, boundary::wrap};
    quern::HaloExchange exchange(E(), comm, own, edges, quern::depth{2}, quern::layers{1});
    exchange.exchange(u.view);
    EXPECT_EQ((own_part<double, E>(u.values, whole, own, edges, 2, 1, u.before)), test::contents(u.view));
    // What lies two cells beyond the end would be filled from no cell of the last but one.
    if (comm.size() > 1) {
      test::expect_error(
          "quern::HaloExchange: 2 layers along axis 0, which reach beyond an end of the array that the "
          "block of rank " +
              std::to_string(comm.size() > 2 ? 1 : 0) + " does not touch",
          [&] { quern::HaloExchange(E(), comm, own, edges, quern::depth{2}); });
    }
  }
  const Kokkos::View<double**, E> u("u", 5, 8);
  quern::HaloExchange(E(), comm, own, {boundary::keep, boundary::reflect}, quern::depth{2}).exchange(u);
}

struct named_value {
  int name;
  double value;
};

// On all ranks, before anything is sent, so that the exchange can go on with other fields.
TYPED_TEST(OwnBlocksOn, RejectsBoundariesOfOtherValues) {
  using E = TypeParam;
  const auto comm = test::world();
  const Decomposition::Block own{{4 * comm.rank()}, {4}};
  const auto made = [&](const boundary& edge) { return quern::HaloExchange(E(), comm, own, edge, quern::depth{1}); };
  test::expect_error("quern::HaloExchange: layers{2} along axis 0, where a depth of 1 is stored", [&] {
    quern::HaloExchange(E(), comm, own, boundary::nearest, quern::depth{1}, quern::layers{2});
  });
  const Kokkos::View<double*, E> u("u", 6), v("v", 6);
  auto prescribed = made(boundary::prescribed);
  test::expect_error("quern::HaloExchange: boundary::prescribed without a functor", [&] { prescribed.start(u); });
  const Kokkos::View<named_value*, E> of_structs("of_structs", 6);
  auto odd = made(boundary::odd_reflect);
  test::expect_error("quern::HaloExchange: an odd boundary of values that have no sign",
                     [&] { odd.start(u, of_structs); });
  test::expect_error("quern::HaloExchange: out 0 and out 1 share memory", [&] { odd.start(u, u); });
  odd.exchange(u, v);
  auto constant = made(boundary::constant(named_value{1, 2}));
  test::expect_error("quern::HaloExchange: the boundary's constant has not the type of the input's values",
                     [&] { constant.start(u); });
  constant.exchange(of_structs);
}

// Ghosts across edges and corners stay as they are, of cells and of values on faces, and of a part of the layers.
TYPED_TEST(OwnBlocksOn, FacesOfOwnBlocks) {
  using E = TypeParam;
  const auto comm = test::world();
  const shape whole{8, 13};
  const auto own = uneven_block(comm.rank(), comm.size(), 8, 13);
  const boundaries edge{boundary::wrap, boundary::mirror};
  for (const int depth : {1, 2})
    for (int layers = 1; layers <= depth; ++layers)
      for (const on_faces& more : {on_faces{0, 0}, on_faces{1, 0}, on_faces{0, 1}}) {
        own_field<double, Kokkos::LayoutRight, E> u(whole, own, depth, 1, more), cells(whole, own, depth, 2);
        quern::HaloExchange exchange(E(), comm, own, edge, quern::depth{depth}, quern::layers{layers},
                                     quern::faces_only);
        exchange.exchange(u.view, cells.view);
        auto expected = own_part<double, E>(u.values, whole, own, edge, depth, layers, u.before, more);
        const test::padded mine{test::values_of(own, more), depth};
        mine.for_each([&](auto j, auto i) {
          if (mine.ghosts(j, i) > 1) expected[mine.at(j, i)] = u.before[mine.at(j, i)];
        });
        EXPECT_EQ(expected, test::contents(u.view)) << depth << ' ' << layers << ' ' << more[0] << more[1];
      }
}

TYPED_TEST(OwnBlocksOn, RanksWithoutCells) {
  using E = TypeParam;
  const auto comm = test::world();
  const shape whole{5, 4};
  const bool all = comm.rank() == comm.size() - 1;
  const Decomposition::Block own{{0, 0}, all ? whole : shape{0, 4}};
  own_field<double, Kokkos::LayoutRight, E> u(whole, own, 1, 1);
  quern::HaloExchange exchange(E(), comm, own, boundary::wrap, quern::depth{1});
  exchange.exchange(u.view);
  EXPECT_EQ(0, exchange.messages());
  if (all) {
    EXPECT_EQ((own_part<double, E>(u.values, whole, own, boundary::wrap, 1, 1, u.before)), test::contents(u.view));
  }
}

TYPED_TEST(OwnBlocksOn, RejectsBlocksThatDoNotTile) {
  const TypeParam exec;
  const auto comm = test::world();
  const std::int64_t last = comm.size() - 1;
  const auto made = [&](std::int64_t first, std::int64_t cells, const boundaries& edge, const quern::depth& stored) {
    quern::HaloExchange(exec, comm, Decomposition::Block{{first}, {cells}}, edge, stored);
  };
  if (comm.size() > 1) {
    test::expect_error("quern::HaloExchange: the blocks of rank 0 and rank 1 share cells",
                       [&] { made(4 * comm.rank(), comm.rank() == 0 ? 5 : 4, boundary::wrap, {1}); });
    test::expect_error("quern::HaloExchange: the blocks have " + std::to_string(4 * last + 3) + " of the " +
                           std::to_string(4 * last + 4) + " cells of extents (" + std::to_string(4 * last + 4) + ")",
                       [&] { made(4 * comm.rank(), comm.rank() == 0 ? 3 : 4, boundary::wrap, {1}); });
  }
  if (comm.size() > 2) {  // along the second axis alone, of the last ranks, from which the first one lies apart
    const std::string ranks = std::to_string(last - 1) + " and rank " + std::to_string(last);
    test::expect_error("quern::HaloExchange: the blocks of rank " + ranks + " share cells", [&] {
      const std::int64_t column = comm.rank() == last ? 4 * last - 3 : 4 * comm.rank();
      quern::HaloExchange(exec, comm, Decomposition::Block{{0, column}, {3, comm.rank() == last ? 2 : 4}},
                          boundary::wrap, quern::depth{1});
    });
  }
  test::expect_error(
      "quern::HaloExchange: 9 layers along axis 0, which wraps around after " + std::to_string(2 * last + 2) + " cells",
      [&] { made(2 * comm.rank(), 2, boundary::wrap, {9}); });
  quern::HaloExchange exchange(exec, comm, Decomposition::Block{{4 * comm.rank()}, {4}}, boundary::wrap,
                               quern::depth{1});
  const Kokkos::View<double*, TypeParam> u("u", 6), other("other", 8);
  test::expect_error(
      "quern::HaloExchange: a field has extents (8), expected (6), the block with its ghost layers, or one more where "
      "values are on faces",
      [&] { exchange.start(other); });
  test::expect_error("quern::HaloExchange: an exchange of the program's own blocks is started with its fields",
                     [&] { exchange.start(); });
  test::expect_error("quern::HaloExchange: an exchange is finished that was not started", [&] { exchange.finish(); });
  exchange.start(u);
  test::expect_error("quern::HaloExchange: an exchange is started twice", [&] { exchange.start(u); });
  exchange.finish();
}

struct value_of_ghosts {
  template <class Index>
  KOKKOS_FUNCTION double operator()(const Index&) const {
    return 1;
  }
};

TYPED_TEST(OwnBlocksOn, ComparesCallsOfOwnBlocks) {
  using E = TypeParam;
  const quern::Communicator comm(test::world().mpi(), {.check_calls = true});
  if (comm.size() == 1) return;
  const bool other = test::is_other(comm);
  const E exec{};
  const std::int64_t rows = other ? 5 : 4;  // blocks may differ
  quern::HaloExchange exchange(exec, comm, Decomposition::Block{{4 * comm.rank(), 0}, {rows, 3}}, boundary::reflect,
                               quern::depth{1});
  using view = Kokkos::View<double**, E>;
  const view u("u", rows + 2, 5), v("v", rows + 2, 5), faces("faces", rows + 2, 6), wrong("wrong", 2, 2);
  const Kokkos::View<float**, E> single("single", rows + 2, 5);
  const auto differ = [&](const std::string& first, const std::string& last, const auto& f) {
    test::expect_calls_differ(comm, "quern::HaloExchange", "quern::HaloExchange::start" + first,
                              "quern::HaloExchange::start" + last, f);
  };
  differ(" of float64", "_add of float64", [&] { other ? exchange.start_add(u) : exchange.start(u); });
  differ(" of float64", " of float64 float64", [&] { other ? exchange.start(u, v) : exchange.start(u); });
  differ(" of float64", " of float32", [&] { other ? exchange.start(single) : exchange.start(u); });
  differ("_add of float64 on faces of axis 1", "_add of float64",
         [&] { other ? exchange.start_add(u) : exchange.start_add(faces); });
  differ(" of float64", " of float64 (2, 2)", [&] { other ? exchange.start(wrong) : exchange.start(u); });
  differ(" with a functor of float64", " of float64",
         [&] { other ? exchange.start(u) : exchange.start(value_of_ghosts(), u); });
  differ(" of float64 float64", " of float64 float64 float64 on faces of axis 1",
         [&] { exchange.start(other ? std::vector{u, v, faces} : std::vector{u, v}); });
  test::expect_error("quern::HaloExchange: on rank " + std::to_string(comm.size() - 1) +
                         ": quern::HaloExchange: out 0 and out 1 share memory",
                     [&] { exchange.start(u, other ? u : v); });
  differ(" of float64", " of", [&] { other ? exchange.start() : exchange.start(u); });
  exchange.start(u);
  if (!other) exchange.finish();
  test::expect_error("quern::HaloExchange: on rank " + std::to_string(comm.size() - 1) +
                         ": quern::HaloExchange: an exchange is started twice",
                     [&] { exchange.start(u); });
  if (other) exchange.finish();
  exchange.exchange(u, v);  // the ranks are in step
  exchange.exchange(std::vector{u, v});
  exchange.add(u, v);
}

/// What is beyond an end, and differs from place to place.
struct inflow {
  template <class Index>
  KOKKOS_FUNCTION std::int64_t operator()(const Index& at, int field) const {
    return 1000 + 100 * field + 20 * at[0] + at[1] - 9;
  }
};
struct inflow_of_second {
  template <class Index>
  KOKKOS_FUNCTION std::int64_t operator()(const Index& at) const {
    return inflow()(at, 1);
  }
};

/// Of a list whose first field is another one's.
struct field_in_inflow {
  int first = 0;
  template <class Index>
  KOKKOS_FUNCTION std::int64_t operator()(const Index& at, int field) const {
    return inflow()(at, first + field);
  }
};

// Where later axes wrap, corners are copies of the ghosts beside cells.
TYPED_TEST(OwnBlocksOn, FunctorsBesideAxesThatWrap) {
  using E = TypeParam;
  const auto comm = test::world();
  const shape whole{8, 13};
  const auto own = uneven_block(comm.rank(), comm.size(), 8, 13);
  const boundaries rows_wrap{boundary_pair(boundary::nearest, boundary::prescribed), boundary::wrap},
      columns_wrap{boundary::wrap, boundary_pair(boundary::prescribed, boundary::mirror)};
  for (const boundaries& edge : {rows_wrap, columns_wrap})
    for (const on_faces& more : {on_faces{0, 0}, {0, 1}, {1, 0}, {1, 1}}) {
      const own_field<double, Kokkos::LayoutRight, E> u(whole, own, 2, 1, more);
      quern::HaloExchange exchange(E(), comm, own, edge, quern::depth{2});
      exchange.exchange(inflow_of_second(), u.view);
      EXPECT_EQ((own_part<double, E>(u.values, whole, own, edge, 2, 2, u.before, more, inflow_of_second())),
                test::contents(u.view))
          << testing::PrintToString(more);
    }
}

struct place_of_ghost {
  template <class Index>
  KOKKOS_FUNCTION std::int64_t operator()(const Index& at) const {
    return 10000 * at[0] + 100 * at[1] + at[2];
  }
};

// Neither ghosts that are kept nor the last face, along an axis behind one that wraps, hide that one.
TYPED_TEST(OwnBlocksOn, FunctorsBesideAxesThatWrapAndAreKept) {
  using E = TypeParam;
  const E exec{};
  const auto comm = test::world();
  constexpr std::int64_t columns = 4;
  const std::int64_t all = columns * comm.size();
  for (const boundary& last : {boundary::keep, boundary::nearest})
    for (const std::int64_t planes : {3, 4}) {  // cells, or their faces
      const boundaries edge{boundary_pair(boundary::prescribed, boundary::keep), boundary::wrap, last};
      const Kokkos::View<double***, Kokkos::LayoutRight, E> whole("whole", 5, all + 2, planes + 2),
          own("own", 5, columns + 2, planes + 2);
      quern::fill_halo(exec, whole, place_of_ghost(), edge, quern::depth{1}, quern::grid_cells{3, all, 3});
      quern::HaloExchange exchange(exec, comm, Decomposition::Block{{0, columns * comm.rank(), 0}, {3, columns, 3}},
                                   edge, quern::depth{1});
      exchange.exchange(place_of_ghost(), own);
      const auto part =
          Kokkos::subview(whole, 0, std::pair(columns * comm.rank(), columns * (comm.rank() + 1) + 2), Kokkos::ALL());
      EXPECT_EQ(test::contents(part), test::contents(Kokkos::subview(own, 0, Kokkos::ALL(), Kokkos::ALL())))
          << planes << " planes";
    }
}

// Blocks that are cut along one, two or three axes, whose cells are their numbers in the whole array.
TYPED_TEST(OwnBlocksOn, BlocksOfThreeAxes) {
  using E = TypeParam;
  const auto comm = test::world();
  const std::array<std::int64_t, 3> n{4, 5, 6};
  const boundaries edge{boundary::wrap, boundary::nearest, boundary::mirror};
  for (const auto& grid : test::grids(comm.size(), 3)) {
    const auto [first, extents] = Decomposition(comm, {4, 5, 6}, {.grid = grid}).local();
    const auto number_at = [&, from = first](std::int64_t a, std::int64_t b, std::int64_t c, bool ghosts) {
      std::array<std::int64_t, 3> at{from.extent[0] + a, from.extent[1] + b, from.extent[2] + c};
      if (!ghosts) return (at[0] * n[1] + at[1]) * n[2] + at[2];
      at[0] = (at[0] + n[0]) % n[0];
      at[1] = std::clamp<std::int64_t>(at[1], 0, n[1] - 1);
      at[2] = at[2] < 0 ? 1 : at[2] == n[2] ? n[2] - 2 : at[2];
      return (at[0] * n[1] + at[1]) * n[2] + at[2];
    };
    std::vector<std::int64_t> before, expected;
    const auto is_own = [](std::int64_t i, std::int64_t cells) { return i >= 0 && i < cells; };
    for (std::int64_t a = -1; a <= extents.extent[0]; ++a)
      for (std::int64_t b = -1; b <= extents.extent[1]; ++b)
        for (std::int64_t c = -1; c <= extents.extent[2]; ++c) {
          const bool own = is_own(a, extents.extent[0]) && is_own(b, extents.extent[1]) && is_own(c, extents.extent[2]);
          before.push_back(own ? number_at(a, b, c, false) : -1);
          expected.push_back(number_at(a, b, c, true));
        }
    const auto u = test::make_array<std::int64_t, 3, Kokkos::LayoutRight, E>(
        {extents.extent[0] + 2, extents.extent[1] + 2, extents.extent[2] + 2}, before);
    quern::HaloExchange exchange(E(), comm, Decomposition::Block{first, extents}, edge, quern::depth{1});
    exchange.exchange(u);
    EXPECT_EQ(expected, test::contents(u)) << testing::PrintToString(grid);
  }
}

TYPED_TEST(OwnBlocksOn, BoundariesOfEachFieldAndFunctors) {
  using E = TypeParam;
  const auto comm = test::world();
  const shape whole{8, 13};
  const auto own = uneven_block(comm.rank(), comm.size(), 8, 13);
  const boundaries of_u{boundary::wrap, boundary::odd_reflect},
      of_v{boundary_pair(boundary::reflect, boundary::constant(3)),
           boundary_pair(boundary::prescribed, boundary::wrap)},
      right_v{boundary_pair(boundary::reflect, boundary::constant(3)),
              boundary_pair(boundary::prescribed, boundary::nearest)};
  const own_field<double, Kokkos::LayoutRight, E> u(whole, own, 2, 1);
  const own_field<float, Kokkos::LayoutLeft, E> v(whole, own, 2, 2);
  test::expect_error("quern::HaloExchange: an axis that wraps around must do so at both ends",
                     [&] { quern::HaloExchange(E(), comm, own, quern::each_field{of_u, of_v}, quern::depth{2}); });
  quern::HaloExchange exchange(E(), comm, own, quern::each_field{of_u, right_v}, quern::depth{2});
  test::expect_error("quern::HaloExchange: each_field has boundaries for 2, and there is 1 field",
                     [&] { exchange.start(u.view); });
  test::expect_error("quern::HaloExchange: boundary::prescribed without a functor",
                     [&] { exchange.start(u.view, v.view); });
  for (int repeat = 0; repeat < 2; ++repeat) exchange.exchange(inflow(), u.view, v.view);
  EXPECT_LE(exchange.messages(), comm.size() - 1);
  EXPECT_EQ((own_part<double, E>(u.values, whole, own, of_u, 2, 2, u.before)), test::contents(u.view));
  EXPECT_EQ((own_part<float, E>(v.values, whole, own, right_v, 2, 2, v.before, {}, inflow_of_second())),
            test::contents(v.view));
}

TYPED_TEST(OwnBlocksOn, NamesStandBeforeLabels) {
  using E = TypeParam;
  const E exec{};
  const auto comm = test::world();
  const quern::named name{"the ghosts of u"};
  const auto named_in = [&](const std::vector<std::string>& labels) {
    return std::count_if(labels.begin(), labels.end(),
                         [](const std::string& l) { return l.starts_with("the ghosts of u: quern::"); });
  };
  const auto all_named = [&](const char* what, const auto& call) {
    const auto labels = test::labels_of(call);
    EXPECT_FALSE(labels.empty()) << what;
    EXPECT_EQ(static_cast<std::ptrdiff_t>(labels.size()), named_in(labels)) << what << ": " << labels.front();
    return labels;
  };
  const boundaries walls(boundary::prescribed);
  quern::HaloExchange exchange(exec, comm, Decomposition::Block{{4 * comm.rank(), 0}, {4, 3}}, walls, quern::depth{1});
  const Kokkos::View<double**, E> u("u", 6, 5);
  const auto labels = all_named("exchange", [&] { exchange.exchange(value_of_ghosts(), u, name); });
  EXPECT_TRUE(std::any_of(labels.begin(), labels.end(), [](const std::string& l) {
    return l.find("quern::fill_halo<") != std::string::npos && l.ends_with("value_of_ghosts>");
  })) << labels.back();
  all_named("a list", [&] { exchange.exchange(value_of_ghosts(), name, std::vector{u}); });
  all_named("add", [&] { exchange.add(u, name); });
  all_named("start", [&] {
    exchange.start(value_of_ghosts(), u, name);
    exchange.finish();
  });
  EXPECT_EQ(0, named_in(test::labels_of([&] { exchange.exchange(value_of_ghosts(), u); })));
  const Decomposition d(comm, {12, 7}, {.halo = {1, 1}});
  const quern::DistributedView<double, 2, E> v("v", d);
  quern::HaloExchange of_views(exec, boundary::nearest, v);
  all_named("DistributedViews", [&] { of_views.exchange(name); });
  EXPECT_EQ(0, named_in(test::labels_of([&] { of_views.exchange(); })));
}

TYPED_TEST(OwnBlocksOn, ListsOfFields) {
  using E = TypeParam;
  const auto comm = test::world();
  const shape whole{8, 13};
  const auto own = uneven_block(comm.rank(), comm.size(), 8, 13);
  const boundaries wrap(boundary::wrap), walls{boundary::prescribed, boundary::odd_reflect};
  quern::HaloExchange exchange(E(), comm, own, quern::each_field{wrap, walls}, quern::depth{2});
  for (int repeat = 0; repeat < 2; ++repeat) {
    const own_field<double, Kokkos::LayoutRight, E> u(whole, own, 2, 1), v(whole, own, 2, 2, {1, 0});
    exchange.exchange(inflow(), std::vector{u.view, v.view});
    EXPECT_EQ((own_part<double, E>(u.values, whole, own, wrap, 2, 2, u.before)), test::contents(u.view));
    EXPECT_EQ((own_part<double, E>(v.values, whole, own, walls, 2, 2, v.before, {1, 0}, inflow_of_second())),
              test::contents(v.view));
    const deposits<double, Kokkos::LayoutRight, E> a(whole, wrap, 2, 2, false, 1), b(whole, walls, 2, 2, false, 2);
    exchange.add(std::array{a.view, b.view});
    a.check("the first");
    b.check("the second");
    test::expect_error("quern::HaloExchange: boundary::prescribed without a functor",
                       [&] { exchange.start(std::vector{u.view, v.view}); });
  }
}

// More than one kernel packs, and than one functor fills.
TYPED_TEST(OwnBlocksOn, LongListsOfFields) {
  using E = TypeParam;
  const auto comm = test::world();
  const shape whole{8, 13};
  const auto own = uneven_block(comm.rank(), comm.size(), 8, 13);
  for (const std::size_t count : {20, 33}) {
    std::vector<boundaries> edges;
    for (std::size_t i = 0; i < count; ++i)
      edges.push_back(i % 3 == 0 ? boundaries(boundary::wrap)
                                 : boundaries{boundary::prescribed, boundary::constant(static_cast<double>(i))});
    quern::HaloExchange exchange(E(), comm, own, quern::each_field(edges), quern::depth{2});
    for (int repeat = 0; repeat < 2; ++repeat) {
      std::vector<own_field<double, Kokkos::LayoutRight, E>> fields;
      std::vector<deposits<double, Kokkos::LayoutRight, E>> charges;
      std::vector<decltype(fields[0].view)> views, sums;
      for (std::size_t i = 0; i < count; ++i) {
        const int seed = 100 * repeat + static_cast<int>(i);
        views.push_back(fields.emplace_back(whole, own, 2, seed, on_faces{i % 2 == 0 ? 0 : 1, 0}).view);
        sums.push_back(charges.emplace_back(whole, edges[i], 2, 2, false, seed).view);
      }
      exchange.exchange(field_in_inflow(), views);
      EXPECT_LE(exchange.messages(), comm.size() - 1);
      exchange.add(std::span(sums));
      EXPECT_LE(exchange.messages(), comm.size() - 1);
      for (std::size_t i = 0; i < count; ++i) {
        const std::string what = std::to_string(i) + " of " + std::to_string(count);
        const field_in_inflow inflow{static_cast<int>(i)};
        const auto expected = own_part<double, E>(fields[i].values, whole, own, edges[i], 2, 2, fields[i].before,
                                                  on_faces{i % 2 == 0 ? 0 : 1, 0}, inflow);
        EXPECT_EQ(expected, test::contents(views[i])) << what;
        charges[i].check(what);
      }
    }
  }
}

TYPED_TEST(OwnBlocksOn, EmptyListsAreNothingToDo) {
  using E = TypeParam;
  const auto comm = test::world();
  const shape whole{8, 13};
  const auto own = uneven_block(comm.rank(), comm.size(), 8, 13);
  const boundaries walls{boundary::prescribed, boundary::odd_reflect};
  quern::HaloExchange exchange(E(), comm, own, walls, quern::depth{2});
  const std::vector<Kokkos::View<double**, E>> none;
  const own_field<double, Kokkos::LayoutRight, E> u(whole, own, 2, 1);
  for (int repeat = 0; repeat < 2; ++repeat) {
    const auto labels = test::labels_of([&] {
      exchange.exchange(inflow_of_second(), none);
      exchange.add(none);
    });
    EXPECT_EQ(std::vector<std::string>(), labels);
    EXPECT_EQ(0, exchange.messages());
    EXPECT_EQ(0, exchange.bytes());
    exchange.exchange(inflow_of_second(), u.view);  // as after any other
    EXPECT_EQ((own_part<double, E>(u.values, whole, own, walls, 2, 2, u.before, {}, inflow_of_second())),
              test::contents(u.view));
  }
  quern::HaloExchange of_two(E(), comm, own, quern::each_field{walls, walls}, quern::depth{2});
  test::expect_error("quern::HaloExchange: each_field has boundaries for 2, and there are 0 fields",
                     [&] { of_two.start_add(none); });
}

// Ghosts that are kept are cells for the other axes, along which they are copied, mirrored and added.
TYPED_TEST(OwnBlocksOn, GhostsThatAreKeptAreAsThoseOfTheWholeArray) {
  using E = TypeParam;
  const auto comm = test::world();
  const shape whole{8, 13};
  const auto own = uneven_block(comm.rank(), comm.size(), 8, 13);
  const Decomposition d(comm, whole, {.halo = {2}});
  for (const auto& edge :
       {boundaries{boundary::wrap, boundary::keep}, boundaries{boundary::keep, boundary::wrap},
        boundaries(boundary::keep), boundaries{boundary::wrap, boundary_pair(boundary::keep, boundary::mirror)},
        boundaries{boundary_pair(boundary::nearest, boundary::keep),
                   boundary_pair(boundary::keep, boundary::reflect)}}) {
    for (const int layers : {2, 1})
      for (const on_faces& more : {on_faces{0, 0}, {1, 0}, {1, 1}}) {
        const kept_ghosts<E> u(own, whole, edge, 2, layers, more);
        quern::HaloExchange(E(), comm, own, edge, quern::depth{2}, quern::layers{layers}).exchange(u.view);
        EXPECT_EQ(u.expected, test::contents(u.view)) << layers << " layers, " << testing::PrintToString(more);
        deposits<double, Kokkos::LayoutRight, E> charge(whole, edge, 2, layers, false, 1, more);
        quern::HaloExchange(E(), comm, own, edge, quern::depth{2}, quern::layers{layers}).add(charge.view);
        charge.check(std::to_string(layers) + " layers");
      }
    const kept_ghosts<E> u(d.local(), whole, edge, 2, 2);
    const quern::DistributedView<double, 2, Kokkos::LayoutRight, typename E::memory_space> v("v", d);
    Kokkos::deep_copy(v.local_with_halo(), u.view);
    quern::HaloExchange(E(), edge, v).exchange();
    EXPECT_EQ(u.expected, test::contents(v.local_with_halo()));
  }
  // More layers than cells, whose mirrors go on with what is kept.
  const shape narrow{4 * comm.size(), 2};
  const Decomposition::Block rows{{4 * comm.rank(), 0}, {4, 2}};
  const boundaries edge{boundary::wrap, boundary_pair(boundary::keep, boundary::odd_mirror)};
  const kept_ghosts<E> u(rows, narrow, edge, 3, 3);
  quern::HaloExchange(E(), comm, rows, edge, quern::depth{3}).exchange(u.view);
  EXPECT_EQ(u.expected, test::contents(u.view));
}

// Fields on cells, on the faces along each axis, and on corners.
TYPED_TEST(OwnBlocksOn, StaggeredFields) {
  using E = TypeParam;
  const auto comm = test::world();
  const shape whole{8, 13};
  const auto own = uneven_block(comm.rank(), comm.size(), 8, 13);
  for (const auto& edge : {boundaries(boundary::wrap), boundaries{boundary::odd_mirror, boundary::wrap},
                           boundaries{boundary_pair(boundary::constant(3), boundary::mirror), boundary::nearest}})
    for (const int layers : {2, 1, 0}) {
      const own_field<double, Kokkos::LayoutRight, E> p(whole, own, 2, 1), v(whole, own, 2, 2, {1, 0}),
          corners(whole, own, 2, 4, {1, 1});
      const own_field<double, Kokkos::LayoutLeft, E> u(whole, own, 2, 3, {0, 1});
      quern::HaloExchange exchange(E(), comm, own, edge, quern::depth{2}, quern::layers{layers});
      exchange.exchange(p.view, v.view, u.view, corners.view);
      EXPECT_LE(exchange.messages(), comm.size() - 1);
      const auto check = [&](const auto& f, const on_faces& more) {
        EXPECT_EQ((own_part<double, E>(f.values, whole, own, edge, 2, layers, f.before, more)), test::contents(f.view))
            << layers << " layers, on faces " << testing::PrintToString(more);
      };
      check(p, {0, 0});
      check(v, {1, 0});
      check(u, {0, 1});
      check(corners, {1, 1});
    }
}

}  // namespace
