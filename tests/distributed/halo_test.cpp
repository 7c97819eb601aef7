// SPDX-FileCopyrightText: the Quern authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <distributed/world.hpp>
#include <quern/distributed/halo_exchange.hpp>
#include <support/labels.hpp>

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

/// A View of an array with `stored` ghosts around, as the whole has it, and the position of its elements there.
struct padded {
  Decomposition::Block block;
  int stored;
  std::int64_t rows() const { return block.extents.extent[0] + 2 * stored; }
  std::int64_t columns() const { return block.extents.extent[1] + 2 * stored; }
  std::int64_t at(std::int64_t row, std::int64_t column) const {
    return (row - block.first.extent[0] + stored) * columns() + column - block.first.extent[1] + stored;
  }
  bool owns(std::int64_t row, std::int64_t column) const { return ghosts(row, column) == 0; }
  /// Along how many axes an element is a ghost.
  int ghosts(std::int64_t row, std::int64_t column) const {
    const auto outside = [&](int d, std::int64_t i) {
      return i < block.first.extent[d] || i >= block.first.extent[d] + block.extents.extent[d] ? 1 : 0;
    };
    return outside(0, row) + outside(1, column);
  }
  bool within(int layers, std::int64_t row, std::int64_t column) const {
    Decomposition::Block b = block;
    for (int d = 0; d < 2; ++d) {
      b.first.extent[d] -= layers;
      b.extents.extent[d] += 2 * layers;
    }
    return padded{b, 0}.owns(row, column);
  }
  template <class F>
  void for_each(const F& f) const {
    for (std::int64_t j = -stored; j < block.extents.extent[0] + stored; ++j)
      for (std::int64_t i = -stored; i < block.extents.extent[1] + stored; ++i)
        f(block.first.extent[0] + j, block.first.extent[1] + i);
  }
  template <class T>
  std::vector<T> values(T x) const {
    return std::vector<T>(rows() * columns(), x);
  }
};
using on_faces = std::array<int, 2>;  // 1 along axes where a field has its values on faces
/// With one more along some axes.
Decomposition::Block values_of(Decomposition::Block b, const on_faces& more) {
  for (int d = 0; d < 2; ++d) b.extents.extent[d] += more[d];
  return b;
}

/// Whether a block is the owner of an element of the whole array: one of its cells, of which a face between two blocks
/// is the block's behind it, or a ghost beyond an end that it touches and that is kept.
bool brings(const Decomposition::Block& own, const shape& whole, const boundaries& edge, const on_faces& more,
            const std::array<std::int64_t, 2>& at) {
  const auto is_own = [&](int d) {
    const std::int64_t first = own.first.extent[d], end = first + own.extents.extent[d], n = whole.extent[d] + more[d];
    const bool is_last = end == whole.extent[d];
    if (at[d] < 0) return first == 0 && edge.axis(d).low.kind() == boundary::mode::keep;
    if (at[d] >= n) return is_last && edge.axis(d).high.kind() == boundary::mode::keep;
    return at[d] >= first && (at[d] < end || is_last);
  };
  return own.extents.size() > 0 && is_own(0) && is_own(1);
}

/// What each element of a View of this rank's block and its ghosts must be, where the whole array is filled on one
/// device.
template <class T, class E, class... F>
std::vector<T> own_part(const std::vector<T>& values, const shape& whole, const Decomposition::Block& own,
                        const boundaries& edge, int stored, int layers, const std::vector<T>& before,
                        const on_faces& more = {}, const F&... f) {
  const padded all{values_of({{0, 0}, whole}, more), stored}, mine{values_of(own, more), stored};
  auto filled = all.values(T(77));
  std::size_t k = 0;
  all.for_each([&](auto j, auto i) {
    if (all.owns(j, i)) filled[all.at(j, i)] = values[k++];
  });
  const auto u = test::make_array<T, 2, Kokkos::LayoutRight, E>({all.rows(), all.columns()}, filled);
  quern::fill_halo(E(), u, f..., edge, quern::depth{stored}, quern::layers{layers},
                   quern::grid_cells{whole.extent[0], whole.extent[1]});
  filled = test::contents(u);
  std::vector<T> result = before;
  mine.for_each([&](auto j, auto i) {
    if (mine.within(layers, j, i)) result[mine.at(j, i)] = filled[all.at(j, i)];
  });
  return result;
}

template <class T, class Layout, class E>
struct own_field {
  std::vector<T> values, before;
  decltype(test::make_array<T, 2, Layout, E>({0, 0})) view;

  own_field(const shape& whole, const Decomposition::Block& own, int stored, int seed, const on_faces& more = {}) {
    const auto all = values_of({{0, 0}, whole}, more);
    const padded mine{values_of(own, more), stored};
    values = test::samples<T>(all.extents.size(), seed);
    before = mine.values(T(55));
    mine.for_each([&](auto j, auto i) {
      // The face between two blocks comes from the one behind it.
      const auto owned = [&](int d, std::int64_t k) {
        const std::int64_t end = own.first.extent[d] + own.extents.extent[d];
        return k < end || end == whole.extent[d];
      };
      if (mine.owns(j, i) && owned(0, j) && owned(1, i)) before[mine.at(j, i)] = values[j * all.extents.extent[1] + i];
    });
    view = test::make_array<T, 2, Layout, E>({mine.rows(), mine.columns()}, before);
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
  test::expect_error("quern::HaloExchange: 2 layers along axis 0, of which 1 are stored", [&] {
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

TYPED_TEST(HaloExchangeOn, ComparesCallsOfOwnBlocks) {
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

// Where later axes wrap, corners are copies of the ghosts beside cells.
TYPED_TEST(HaloExchangeOn, FunctorsBesideAxesThatWrap) {
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
TYPED_TEST(HaloExchangeOn, FunctorsBesideAxesThatWrapAndAreKept) {
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

TYPED_TEST(HaloExchangeOn, BoundariesOfEachFieldAndFunctors) {
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
  test::expect_error("quern::HaloExchange: boundaries for 2 fields, expected 1", [&] { exchange.start(u.view); });
  test::expect_error("quern::HaloExchange: boundary::prescribed without a functor",
                     [&] { exchange.start(u.view, v.view); });
  for (int repeat = 0; repeat < 2; ++repeat) exchange.exchange(inflow(), u.view, v.view);
  EXPECT_LE(exchange.messages(), comm.size() - 1);
  EXPECT_EQ((own_part<double, E>(u.values, whole, own, of_u, 2, 2, u.before)), test::contents(u.view));
  EXPECT_EQ((own_part<float, E>(v.values, whole, own, right_v, 2, 2, v.before, {}, inflow_of_second())),
            test::contents(v.view));
}

/// Deposits of all ranks in their Views, each with ghosts, and what the whole array has of them in the end.
template <class T, class Layout, class E>
struct deposits {
  padded all, mine;
  on_faces more;
  int layers;
  bool faces_only;
  shape cells;
  boundaries edge;
  std::vector<T> before;
  decltype(test::make_array<T, 2, Layout, E>({0, 0})) view;
  std::vector<T> whole;

  deposits(const shape& n, const boundaries& e, int stored, int l, bool faces, int seed, const on_faces& m = {})
      : all{values_of({{0, 0}, n}, m), stored},
        more(m),
        layers(l),
        faces_only(faces),
        cells(n),
        edge(e),
        whole(all.values(T(0))) {
    const auto comm = test::world();
    for (int r = 0; r < comm.size(); ++r) {
      const padded p{values_of(uneven_block(r, comm.size(), cells.extent[0], cells.extent[1]), more), stored};
      const auto values = test::samples<T>(p.rows() * p.columns(), 10 * seed + r);
      p.for_each([&](auto j, auto i) {
        if (moves(p, j, i)) whole[all.at(j, i)] += values[p.at(j, i)];
      });
      if (r != comm.rank()) continue;
      mine = p;
      before = values;
      view = test::make_array<T, 2, Layout, E>({p.rows(), p.columns()}, values);
    }
    const auto u = test::make_array<T, 2, Kokkos::LayoutRight, E>({all.rows(), all.columns()}, whole);
    const quern::grid_cells grid{cells.extent[0], cells.extent[1]};
    if (faces) quern::add_halo(E(), u, edge, quern::depth{stored}, quern::layers{l}, grid, quern::faces_only);
    else quern::add_halo(E(), u, edge, quern::depth{stored}, quern::layers{l}, grid);
    whole = test::contents(u);
  }
  bool moves(const padded& p, std::int64_t j, std::int64_t i) const {
    return p.within(layers, j, i) && !(faces_only && p.ghosts(j, i) > 1);
  }
  void check(const std::string& what) const {
    const auto comm = test::world();
    const auto found = test::contents(view);
    std::vector<T> expected = before;
    const auto own = uneven_block(comm.rank(), comm.size(), cells.extent[0], cells.extent[1]);
    mine.for_each([&](auto j, auto i) {
      if (moves(mine, j, i))
        expected[mine.at(j, i)] = brings(own, cells, edge, more, {j, i}) ? whole[all.at(j, i)] : T(0);
    });
    EXPECT_EQ(expected, found) << what;
  }
};

TYPED_TEST(HaloExchangeOn, NamesStandBeforeLabels) {
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
    return l.find("quern::fill_halo<value_of_ghosts>") != std::string::npos;
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

TYPED_TEST(HaloExchangeOn, ListsOfFields) {
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

TYPED_TEST(HaloExchangeOn, EmptyListsAreNothingToDo) {
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
  using many = std::vector<std::remove_cvref_t<decltype(u.view)>>;
  test::expect_error("quern::HaloExchange: 17 fields, expected at most 16",
                     [&] { exchange.start_add(many(17, u.view)); });
  quern::HaloExchange of_two(E(), comm, own, quern::each_field{walls, walls}, quern::depth{2});
  test::expect_error("quern::HaloExchange: boundaries for 2 fields, expected 0", [&] { of_two.start_add(none); });
}

// Where the other end of the axis has no more cells than layers, what is kept goes on there.
TYPED_TEST(HaloExchangeOn, MirrorsOfGhostsThatAreKept) {
  using E = TypeParam;
  const auto comm = test::world();
  const Decomposition d(comm, {4 * comm.size(), 2}, {.grid = {comm.size(), 1}, .halo = {0, 2}});
  const auto numbered = [](const auto& view) {
    std::vector<double> values(view.size());
    for (std::size_t i = 0; i < values.size(); ++i) values[i] = static_cast<double>(i + 1);
    return test::make_array<double, 2, Kokkos::LayoutRight, E>({4, 6}, values);
  };
  for (const auto& [ends, row] :
       {std::pair(boundary_pair(boundary::keep, boundary::mirror), std::array{0, 1, 2, 3, 2, 1}),
        std::pair(boundary_pair(boundary::mirror, boundary::keep), std::array{4, 3, 2, 3, 4, 5}),
        std::pair(boundary_pair(boundary::keep, boundary::reflect), std::array{0, 1, 2, 3, 3, 2}),
        std::pair(boundary_pair(boundary::keep, boundary::nearest), std::array{0, 1, 2, 3, 3, 3})}) {
    const boundaries edge{boundary::keep, ends};
    std::vector<double> expected;
    for (int j = 0; j < 4; ++j)
      for (const int i : row) expected.push_back(6 * j + i + 1);
    const quern::DistributedView<double, 2, Kokkos::LayoutRight, typename E::memory_space> u("u", d);
    const auto before = numbered(u.local_with_halo());
    Kokkos::deep_copy(u.local_with_halo(), before);
    quern::HaloExchange(E(), edge, u).exchange();
    EXPECT_EQ(expected, test::contents(u.local_with_halo()));
    quern::HaloExchange of_blocks(E(), comm, d.local(), edge, quern::depth{0, 2});
    of_blocks.exchange(before);
    EXPECT_EQ(expected, test::contents(before));
  }
}

/// Views of a block and its ghosts, of which those that other blocks own are yet to come, and what must be there then.
template <class E>
struct kept_ghosts {
  using array = decltype(test::make_array<double, 2, Kokkos::LayoutRight, E>({0, 0}));
  array view;
  std::vector<double> expected;
  kept_ghosts(const Decomposition::Block& own, const shape& whole, const boundaries& edge, int stored, int layers,
              const on_faces& more = {}) {
    const padded all{values_of({{0, 0}, whole}, more), stored}, mine{values_of(own, more), stored};
    const auto values = test::samples<double>(all.rows() * all.columns(), 1);
    const array u = test::make_array<double, 2, Kokkos::LayoutRight, E>({all.rows(), all.columns()}, values);
    quern::fill_halo(E(), u, edge, quern::depth{stored}, quern::layers{layers},
                     quern::grid_cells{whole.extent[0], whole.extent[1]});
    const auto filled = test::contents(u);
    auto before = mine.values(55.0);
    expected = before;
    mine.for_each([&](auto j, auto i) {
      if (brings(own, whole, edge, more, {j, i})) before[mine.at(j, i)] = values[all.at(j, i)];
      expected[mine.at(j, i)] = mine.within(layers, j, i) ? filled[all.at(j, i)] : before[mine.at(j, i)];
    });
    view = test::make_array<double, 2, Kokkos::LayoutRight, E>({mine.rows(), mine.columns()}, before);
  }
};

// Ghosts that are kept are cells for the other axes, along which they are copied, mirrored and added.
TYPED_TEST(HaloExchangeOn, GhostsThatAreKeptAreAsThoseOfTheWholeArray) {
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
TYPED_TEST(HaloExchangeOn, StaggeredFields) {
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

TYPED_TEST(HaloExchangeOn, AddsGhostsToTheirOwners) {
  using E = TypeParam;
  const auto comm = test::world();
  const shape whole{8, 13};
  const auto own = uneven_block(comm.rank(), comm.size(), 8, 13);
  for (const auto& edge : {boundaries(boundary::wrap), boundaries{boundary::odd_reflect, boundary::wrap},
                           boundaries{boundary_pair(boundary::constant(3), boundary::mirror), boundary::nearest},
                           boundaries{boundary::prescribed, boundary::odd_mirror}})
    for (const int layers : {2, 1})
      for (const bool faces : {false, true}) {
        const deposits<double, Kokkos::LayoutRight, E> u(whole, edge, 2, layers, faces, 1),
            next(whole, edge, 2, layers, faces, 2);
        const deposits<std::int32_t, Kokkos::LayoutLeft, E> n(whole, edge, 2, layers, faces, 3);
        const std::string what = std::to_string(layers) + (faces ? " layers, faces" : " layers");
        const quern::layers part{layers};
        auto exchange = faces ? quern::HaloExchange(E(), comm, own, edge, quern::depth{2}, part, quern::faces_only)
                              : quern::HaloExchange(E(), comm, own, edge, quern::depth{2}, part);
        exchange.start_add(u.view, n.view);
        exchange.finish();
        EXPECT_LE(exchange.messages(), comm.size() - 1);
        u.check(what);
        n.check(what);
        const deposits<std::int32_t, Kokkos::LayoutLeft, E> again(whole, edge, 2, layers, faces, 4);
        exchange.add(next.view, again.view);  // the same messages, of other fields
        next.check(what);
        again.check(what);
      }
}

TYPED_TEST(HaloExchangeOn, AddsOnStaggeredGrids) {
  using E = TypeParam;
  const auto comm = test::world();
  const shape whole{8, 13};
  const auto own = uneven_block(comm.rank(), comm.size(), 8, 13);
  for (const auto& edge : {boundaries(boundary::wrap), boundaries{boundary::odd_mirror, boundary::wrap},
                           boundaries{boundary_pair(boundary::constant(3), boundary::mirror), boundary::nearest}})
    for (const bool faces : {false, true}) {
      const deposits<double, Kokkos::LayoutRight, E> v(whole, edge, 2, 2, faces, 1, {1, 0}),
          u(whole, edge, 2, 2, faces, 2, {0, 1}), corners(whole, edge, 2, 2, faces, 3, {1, 1});
      auto exchange = faces ? quern::HaloExchange(E(), comm, own, edge, quern::depth{2}, quern::faces_only)
                            : quern::HaloExchange(E(), comm, own, edge, quern::depth{2});
      exchange.add(v.view, u.view, corners.view);
      v.check("faces along axis 0");
      u.check("faces along axis 1");
      corners.check("corners");
    }
}

// Cells of which one rank has several ghosts, and several ranks one.
TYPED_TEST(HaloExchangeOn, AddsInThreeDimensions) {
  using E = TypeParam;
  const auto comm = test::world();
  for (const auto& grid : test::grids(comm.size(), 3)) {
    const Decomposition d(comm, {4, 5, 6}, {.grid = grid, .halo = {1}});
    const auto own = d.local();
    const quern::DistributedView<std::int64_t, 3, E> u("u", d);
    const auto v = u.local_with_halo();
    Kokkos::deep_copy(v, 1);
    quern::HaloExchange exchange(E(), comm, own, boundary::wrap, quern::depth{1});
    exchange.add(v);
    const auto cells = test::contents(u.local());
    std::size_t k = 0;
    const auto copies = [&](int axis, std::int64_t i) {  // and the cell itself
      const std::int64_t n = own.extents.extent[axis];
      return 1 + (i == 0 ? 1 : 0) + (i == n - 1 ? 1 : 0);
    };
    for (std::int64_t a = 0; a < own.extents.extent[0]; ++a)
      for (std::int64_t b = 0; b < own.extents.extent[1]; ++b)
        for (std::int64_t c = 0; c < own.extents.extent[2]; ++c) {
          ASSERT_EQ(copies(0, a) * copies(1, b) * copies(2, c), cells[k++])
              << testing::PrintToString(grid) << " at " << a << ' ' << b << ' ' << c;
        }
    std::int64_t sum = 0;
    for (const std::int64_t x : test::contents(v)) sum += x;
    for (const std::int64_t x : cells) sum -= x;
    EXPECT_EQ(0, sum);
  }
}

TYPED_TEST(HaloExchangeOn, AddsTheSameBitsInEachRun) {
  using E = TypeParam;
  const auto comm = test::world();
  const auto own = uneven_block(comm.rank(), comm.size(), 8, 13);
  std::vector<double> values((own.extents.extent[0] + 4) * (own.extents.extent[1] + 4)), first;
  for (std::size_t i = 0; i < values.size(); ++i) values[i] = 1.0 / static_cast<double>(i + 3 * comm.rank() + 1);
  quern::HaloExchange exchange(E(), comm, own, boundary::wrap, quern::depth{2});
  for (int run = 0; run < 20; ++run) {
    const auto u = test::make_array<double, 2, Kokkos::LayoutRight, E>(
        {own.extents.extent[0] + 4, own.extents.extent[1] + 4}, values);
    exchange.add(u);
    const auto found = test::contents(u);
    if (run == 0) first = found;
    ASSERT_EQ(first, found);
  }
}

TYPED_TEST(HaloExchangeOn, AddsOfRanksWithoutCells) {
  using E = TypeParam;
  const auto comm = test::world();
  const bool all = comm.rank() == comm.size() - 1;
  const Decomposition::Block own{{0, 0}, all ? shape{5, 4} : shape{0, 4}};
  const Kokkos::View<int**, E> u("u", all ? 7 : 2, 6);
  Kokkos::deep_copy(u, 1);
  quern::HaloExchange exchange(E(), comm, own, boundary::wrap, quern::depth{1});
  exchange.add(u);
  EXPECT_EQ(0, exchange.messages());
  if (!all) return;
  int sum = 0;
  for (const int x : test::contents(u)) sum += x;
  EXPECT_EQ(42, sum);
}

}  // namespace
