// SPDX-FileCopyrightText: the Quern authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <distributed/world.hpp>
#include <quern/distributed/halo_exchange.hpp>

namespace {

using quern::boundary, quern::boundaries, quern::boundary_pair, quern::Decomposition, quern::shape;

/// The index from which a cell beyond an axis has its value: numpy.pad's modes, by walking. -1: the constant; -2: none.
std::int64_t source_index(boundary::mode mode, std::int64_t i, std::int64_t n) {
  if (i >= 0 && i < n) return i;
  switch (mode) {
    case boundary::mode::keep:
      return -2;
    case boundary::mode::constant:
      return -1;
    case boundary::mode::nearest:
      return i < 0 ? 0 : n - 1;
    case boundary::mode::wrap:
      return source_index(mode, i < 0 ? i + n : i - n, n);
    case boundary::mode::reflect:
      return source_index(mode, i < 0 ? -1 - i : 2 * n - 1 - i, n);
    case boundary::mode::mirror:
      return n == 1 ? 0 : source_index(mode, i < 0 ? -i : 2 * n - 2 - i, n);
    default:
      return -2;
  }
}

constexpr double untouched = -4, constant_low = 2, constant_high = 3;

boundary low_edge(boundary::mode m) {
  switch (m) {
    case boundary::mode::constant:
      return boundary::constant(constant_low);
    case boundary::mode::nearest:
      return boundary::nearest;
    case boundary::mode::reflect:
      return boundary::reflect;
    case boundary::mode::mirror:
      return boundary::mirror;
    case boundary::mode::wrap:
      return boundary::wrap;
    default:
      return boundary::keep;
  }
}
boundary high_edge(boundary::mode m) {
  return m == boundary::mode::constant ? boundary::constant(constant_high) : low_edge(m);
}

/// The value that a cell of a rank's array with its halo must have.
template <class T>
T expected(const std::vector<T>& values, const shape& whole, const std::vector<boundary::mode>& modes,
           const std::vector<std::int64_t>& cell) {
  std::int64_t place = 0;
  bool found = true;
  T constant{};
  bool has_constant = false;
  for (int d = 0; d < whole.rank; ++d) {
    const std::int64_t i = source_index(modes[d], cell[d], whole.extent[d]);
    if (i == -1) {
      has_constant = true;
      constant = static_cast<T>(cell[d] < 0 ? constant_low : constant_high);
    }
    // Beyond an end that is kept, cells in the corner of another axis have what that axis makes of what is there.
    if (i == -2) found = false;
    place = place * whole.extent[d] + std::max<std::int64_t>(i, 0);
  }
  if (has_constant) return constant;
  return found ? values[place] : test::value_of<T>(untouched);
}

template <int Rank, class T, class L, class E>
void check_halos(const shape& extents, const std::vector<boundary::mode>& modes, int halo) {
  const auto comm = test::world();
  const auto values = test::samples<T>(extents.size(), 1);
  for (const auto& grid : test::grids(comm.size(), Rank)) {
    bool fits = true;
    for (int d = 0; d < Rank; ++d)
      fits = fits && (extents.extent[d] < grid[d] ? 1 : extents.extent[d] / grid[d]) >= halo;
    if (!fits) continue;
    const Decomposition d(comm, extents, {.grid = grid, .halo = {halo}});
    const auto u = test::distribute<T, Rank, L, E>(d, values);
    std::vector<boundary_pair> edge;
    for (const auto m : modes) edge.emplace_back(low_edge(m), high_edge(m));
    quern::HaloExchange exchange(E(), boundaries(edge), u);
    for (int repeat = 0; repeat < 2; ++repeat) exchange.exchange();
    const auto found = test::contents(u.local_with_halo());
    if (d.local().extents.size() == 0) continue;
    shape all = d.local().extents;
    for (int a = 0; a < Rank; ++a) all.extent[a] += 2 * halo;
    for (std::int64_t i = 0; i < all.size(); ++i) {
      std::vector<std::int64_t> cell(Rank);
      std::int64_t rest = i;
      for (int a = Rank - 1; a >= 0; --a) {
        cell[a] = d.local().first.extent[a] + rest % all.extent[a] - halo;
        rest /= all.extent[a];
      }
      ASSERT_EQ(expected(values, extents, modes, cell), found[i])
          << "rank " << comm.rank() << " grid " << testing::PrintToString(grid) << " cell "
          << testing::PrintToString(cell);
    }
  }
}

template <class Case>
struct HaloExchange : testing::Test {};
using halo_cases = test::covering<double, std::int8_t, Kokkos::complex<double>, std::uint16_t, float>;
TYPED_TEST_SUITE(HaloExchange, halo_cases);

TYPED_TEST(HaloExchange, BringsNeighboursAndEdges) {
  using T = typename TypeParam::value;
  using E = typename TypeParam::exec;
  using L = std::conditional_t<std::is_same_v<typename TypeParam::layout, Kokkos::LayoutStride>, Kokkos::LayoutRight,
                               typename TypeParam::layout>;
  using m = boundary::mode;
  for (const auto mode : {m::keep, m::constant, m::nearest, m::reflect, m::mirror, m::wrap}) {
    check_halos<1, T, L, E>({23}, {mode}, 2);
    check_halos<2, T, L, E>({9, 14}, {mode, mode}, 2);
  }
  check_halos<3, T, L, E>({8, 9, 10}, {m::wrap, m::wrap, m::wrap}, 2);
  check_halos<3, T, L, E>({4, 5, 6}, {m::wrap, m::reflect, m::constant}, 1);
  check_halos<3, T, L, E>({5, 4, 4}, {m::mirror, m::wrap, m::nearest}, 1);
  check_halos<2, T, L, E>({2, 3}, {m::wrap, m::nearest}, 1);
  check_halos<1, T, L, E>({1}, {m::wrap}, 1);  // ranks without cells
  check_halos<2, T, L, E>({3, 2}, {m::reflect, m::wrap}, 1);
}

template <class Exec>
struct HaloExchangeOn : testing::Test {};
TYPED_TEST_SUITE(HaloExchangeOn, test::all_spaces);

TYPED_TEST(HaloExchangeOn, KeepsItsFields) {
  using E = TypeParam;
  const Decomposition d(test::world(), {12, 7}, {.halo = {1, 0}});
  const auto u = test::distribute<double, 2, Kokkos::LayoutRight, E>(d, test::samples<double>(84, 5));
  const auto owners = [&] { return u.local_with_halo().use_count(); };
  const auto before = owners();
  {
    const quern::HaloExchange exchange(E(), boundary::wrap, u);
    EXPECT_GT(owners(), before);
  }
  EXPECT_EQ(before, owners());
}

TYPED_TEST(HaloExchangeOn, SeveralFieldsInOneMessage) {
  using E = TypeParam;
  const auto comm = test::world();
  const shape extents{12, 7};
  const Decomposition d(comm, extents, {.grid = {comm.size(), 1}, .halo = {1, 0}});
  const auto x = test::samples<double>(84, 5);
  const auto y = test::samples<std::int8_t>(84, 6);
  const auto u = test::distribute<double, 2, Kokkos::LayoutRight, E>(d, x);
  const auto v = test::distribute<std::int8_t, 2, Kokkos::LayoutLeft, E>(d, y);
  quern::HaloExchange exchange(E(), boundary::wrap, u, v);
  EXPECT_EQ(comm.size() > 2 ? 2 : comm.size() - 1, exchange.messages());
  if (comm.size() > 1) {
    EXPECT_LE(2 * 7 * 9, exchange.bytes());
  }
  exchange.start();
  exchange.finish();
  const std::int64_t first = d.local().first.extent[0], rows = d.local().extents.extent[0];
  const auto found_u = test::contents(u.local_with_halo());
  const auto found_v = test::contents(v.local_with_halo());
  for (std::int64_t j = -1; j <= rows; ++j)
    for (std::int64_t i = 0; i < 7; ++i) {
      const std::int64_t from = (first + j + 12) % 12 * 7 + i;
      EXPECT_EQ(x[from], found_u[(j + 1) * 7 + i]);
      EXPECT_EQ(y[from], found_v[(j + 1) * 7 + i]);
    }
}

TYPED_TEST(HaloExchangeOn, ReportsMisuse) {
  const auto comm = test::world();
  const Decomposition d(comm, {12, 7}, {.halo = {1}});
  const quern::DistributedView<double, 2, TypeParam> u("u", d);
  const TypeParam exec;
  test::expect_error("quern::HaloExchange: 3 boundaries for rank 2",
                     [&] { quern::HaloExchange(exec, boundaries{boundary::wrap, boundary::wrap, boundary::wrap}, u); });
  test::expect_error("quern::HaloExchange: an axis that wraps around must do so at both ends", [&] {
    quern::HaloExchange(exec, boundaries{boundary_pair(boundary::wrap, boundary::keep), boundary::wrap}, u);
  });
  quern::HaloExchange exchange(exec, boundary::wrap, u);
  test::expect_error("quern::HaloExchange: an exchange is finished that was not started", [&] { exchange.finish(); });
  exchange.start();
  test::expect_error("quern::HaloExchange: an exchange is started twice", [&] { exchange.start(); });
  exchange.finish();
}

/// Blocks that no grid of ranks makes: of two ranks and more, the first has all columns of the first rows, and the
/// others share the rest by columns.
Decomposition::Block uneven_block(int rank, int ranks, std::int64_t rows, std::int64_t columns) {
  if (ranks == 1) return {{0, 0}, {rows, columns}};
  if (rank == 0) return {{0, 0}, {3, columns}};
  const std::int64_t first = (rank - 1) * columns / (ranks - 1), end = rank * columns / (ranks - 1);
  return {{3, first}, {rows - 3, end - first}};
}

/// What each element of a View of this rank's block and its ghosts must be, where the whole array with `layers` ghosts
/// is filled on one device.
template <class T, class E, class... Options>
std::vector<T> own_part(const std::vector<T>& values, const shape& whole, const Decomposition::Block& own,
                        const boundaries& edge, int stored, int layers, const std::vector<T>& before) {
  std::vector<T> padded((whole.extent[0] + 2 * layers) * (whole.extent[1] + 2 * layers), T(77));
  const std::int64_t pitch = whole.extent[1] + 2 * layers;
  for (std::int64_t j = 0; j < whole.extent[0]; ++j)
    for (std::int64_t i = 0; i < whole.extent[1]; ++i)
      padded[(j + layers) * pitch + i + layers] = values[j * whole.extent[1] + i];
  const auto u = test::make_array<T, 2, Kokkos::LayoutRight, E>({whole.extent[0] + 2 * layers, pitch}, padded);
  quern::fill_halo(E(), u, edge, quern::depth{layers});
  const auto filled = test::contents(u);
  std::vector<T> result = before;
  const std::int64_t own_pitch = own.extents.extent[1] + 2 * stored;
  for (std::int64_t j = -layers; j < own.extents.extent[0] + layers; ++j)
    for (std::int64_t i = -layers; i < own.extents.extent[1] + layers; ++i)
      result[(j + stored) * own_pitch + i + stored] =
          filled[(own.first.extent[0] + j + layers) * pitch + own.first.extent[1] + i + layers];
  return result;
}

template <class T, class Layout, class E>
struct own_field {
  std::vector<T> values, before;
  decltype(test::make_array<T, 2, Layout, E>({0, 0})) view;

  own_field(const shape& whole, const Decomposition::Block& own, int stored, int seed)
      : values(test::samples<T>(whole.size(), seed)) {
    const std::int64_t rows = own.extents.extent[0], columns = own.extents.extent[1], pitch = columns + 2 * stored;
    before.assign((rows + 2 * stored) * pitch, T(55));
    for (std::int64_t j = 0; j < rows; ++j)
      for (std::int64_t i = 0; i < columns; ++i)
        before[(j + stored) * pitch + i + stored] =
            values[(own.first.extent[0] + j) * whole.extent[1] + own.first.extent[1] + i];
    view = test::make_array<T, 2, Layout, E>({rows + 2 * stored, pitch}, before);
  }
};

TYPED_TEST(HaloExchangeOn, OwnBlocksOfAProgram) {
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

TYPED_TEST(HaloExchangeOn, OwnBlocksOfOneRow) {
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
TYPED_TEST(HaloExchangeOn, RejectsBoundariesOfOtherValues) {
  using E = TypeParam;
  const auto comm = test::world();
  const Decomposition::Block own{{4 * comm.rank()}, {4}};
  const auto made = [&](const boundary& edge) { return quern::HaloExchange(E(), comm, own, edge, quern::depth{1}); };
  test::expect_error("quern::HaloExchange: boundary::prescribed without a functor",
                     [&] { made(boundary::prescribed); });
  const Kokkos::View<double*, E> u("u", 6), v("v", 6);
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

TYPED_TEST(HaloExchangeOn, FacesOfOwnBlocks) {
  using E = TypeParam;
  const auto comm = test::world();
  const shape whole{8, 13};
  const auto own = uneven_block(comm.rank(), comm.size(), 8, 13);
  const boundaries edge{boundary::wrap, boundary::reflect};
  own_field<double, Kokkos::LayoutRight, E> u(whole, own, 1, 1);
  quern::HaloExchange exchange(E(), comm, own, edge, quern::depth{1}, quern::faces_only);
  exchange.exchange(u.view);
  auto expected = own_part<double, E>(u.values, whole, own, edge, 1, 1, u.before);
  const std::int64_t rows = own.extents.extent[0] + 2, columns = own.extents.extent[1] + 2;
  for (const std::int64_t j : {std::int64_t(0), rows - 1})
    for (const std::int64_t i : {std::int64_t(0), columns - 1}) expected[j * columns + i] = 55;
  EXPECT_EQ(expected, test::contents(u.view));
}

TYPED_TEST(HaloExchangeOn, RanksWithoutCells) {
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

TYPED_TEST(HaloExchangeOn, RejectsBlocksThatDoNotTile) {
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
  test::expect_error(
      "quern::HaloExchange: 9 layers along axis 0, which wraps around after " + std::to_string(2 * last + 2) + " cells",
      [&] { made(2 * comm.rank(), 2, boundary::wrap, {9}); });
  quern::HaloExchange exchange(exec, comm, Decomposition::Block{{4 * comm.rank()}, {4}}, boundary::wrap,
                               quern::depth{1});
  const Kokkos::View<double*, TypeParam> u("u", 6), other("other", 7);
  test::expect_error("quern::HaloExchange: a field has extents (7), expected (6), the block with its ghost layers",
                     [&] { exchange.start(other); });
  test::expect_error("quern::HaloExchange: an exchange of the program's own blocks is started with its fields",
                     [&] { exchange.start(); });
  test::expect_error("quern::HaloExchange: an exchange is finished that was not started", [&] { exchange.finish(); });
  exchange.start(u);
  test::expect_error("quern::HaloExchange: an exchange is started twice", [&] { exchange.start(u); });
  exchange.finish();
}

}  // namespace
