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

}  // namespace
