// SPDX-FileCopyrightText: the Quern authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Tiles of operands that lie transposed, by teams of threads of the host in place of those of a device.

#include <quern/map.hpp>
#include <quern/map/transposing.hpp>
#include <support/testing.hpp>
#include <support/thread_teams.hpp>

namespace {

namespace impl = quern::impl;
using quern::axes;
using host = Kokkos::DefaultHostExecutionSpace;
template <class T>
using block = Kokkos::View<T****, Kokkos::LayoutRight, host>;

/// out = f(in...) by the kernel of a device, with tiles of Side rows and columns.
template <int Side, class F, class Out, class... V>
void map_in_tiles(const F& f, const Out& out, const V&... in) {
  using T = typename Out::value_type;
  constexpr int operands = 1 + sizeof...(V);
  const auto o = impl::describe(out);
  const auto run = [&](const auto&... leaf) {
    auto nest = impl::make_loop_nest<operands>(o.extents, {o.stride, leaf.array.stride...});
    const impl::tiled_operands<operands> which(
        nest, {sizeof(T), sizeof(typename std::remove_cvref_t<decltype(leaf)>::value_type)...}, 1);
    ASSERT_GT(which.bytes, 0);
    int k = 1;
    using kernel_type =
        impl::transposing_kernel<Side, host, F, T, typename std::remove_cvref_t<decltype(leaf)>::operand...>;
    const auto step = [&] { return nest.stride[k++][0]; };
    kernel_type kernel{
        f, {o.data, nest.stride[0][0]}, {{leaf.at_step(step())}...}, impl::row_nest<operands>(nest), which};
    const auto teams = static_cast<int>(kernel.divide());
    EXPECT_TRUE(test::run_teams(kernel, teams, kernel_type::tune::tile_team, 1, kernel.bytes() + 16));
  };
  run(std::get<0>(impl::expand<host, 4>("map", in, o.extents).leaves)...);
}

template <class T>
block<T> numbers(const quern::shape& n) {
  const block<T> x("x", n.extent[0], n.extent[1], n.extent[2], n.extent[3]);
  for (std::size_t i = 0; i < x.size(); ++i) x.data()[i] = static_cast<T>(i % 251 + 1);
  return x;
}
/// Room for an array of those extents, with a gap behind each of its rows.
template <class T>
block<T> room_for(const quern::shape& n) {
  return block<T>("room", n.extent[0], n.extent[1], n.extent[2], n.extent[3] + 1);
}
template <class T>
auto without_gaps(const block<T>& room) {
  return Kokkos::subview(room, Kokkos::ALL, Kokkos::ALL, Kokkos::ALL,
                         Kokkos::make_pair(std::size_t{0}, room.extent(3) - 1));
}

/// Parts of a tile, whole ones, and one row or column more or less.
const std::vector<quern::shape> shapes{{1, 1, 20, 33},  {1, 1, 64, 128}, {1, 3, 65, 63}, {2, 1, 129, 64},
                                       {1, 1, 127, 65}, {2, 3, 17, 40},  {1, 1, 3, 200}, {3, 2, 36, 64}};

template <int Side, class T>
void expect_transposed(const axes& order) {
  for (const quern::shape& n : shapes) {
    const auto from = quern::permute_dims(numbers<T>(n), order);
    const block<T> expected = room_for<T>(quern::extents_of(from)), found = room_for<T>(quern::extents_of(from));
    quern::copy(host(), without_gaps(expected), from);
    map_in_tiles<Side>(impl::op::identity(), without_gaps(found), from);
    for (std::size_t i = 0; i < found.size(); ++i)
      ASSERT_EQ(expected.data()[i], found.data()[i]) << n.str() << " at " << i;
  }
}
TEST(TransposingTiles, OfPlanes) { expect_transposed<64, float>(axes{0, 1, 3, 2}); }
TEST(TransposingTiles, OfAllAxes) { expect_transposed<64, float>(axes{3, 0, 1, 2}); }
TEST(TransposingTiles, OfBytes) { expect_transposed<64, std::uint8_t>(axes{0, 1, 3, 2}); }
TEST(TransposingTiles, ThatAreSmall) { expect_transposed<32, double>(axes{1, 3, 0, 2}); }

struct hundreds_and_ones {
  KOKKOS_FUNCTION double operator()(double x, double y) const { return 1000 * x + y; }
};
TEST(TransposingTiles, BesideAnOperandThatLiesAsTheOutput) {
  for (const quern::shape& n : shapes) {
    const auto x = quern::permute_dims(numbers<double>(n), axes{0, 1, 3, 2});
    const auto y = numbers<double>(quern::extents_of(x));
    const block<double> expected("expected", x.extent(0), x.extent(1), x.extent(2), x.extent(3)),
        found("found", x.extent(0), x.extent(1), x.extent(2), x.extent(3));
    quern::map(host(), expected, hundreds_and_ones(), x, y);
    map_in_tiles<32>(hundreds_and_ones(), found, x, y);
    for (std::size_t i = 0; i < found.size(); ++i)
      ASSERT_EQ(expected.data()[i], found.data()[i]) << n.str() << " at " << i;
  }
}

}  // namespace
