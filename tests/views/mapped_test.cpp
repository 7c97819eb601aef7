// SPDX-FileCopyrightText: the Quern authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <numeric>
#include <quern/reduce.hpp>
#include <views/reading.hpp>

namespace {

using quern::axes;
using quern::axis;
using quern::pad_mode;

template <class Case>
struct Mapped : test::Reindexed<Case> {};
TYPED_TEST_SUITE(Mapped, test::reindexed_types);

TYPED_TEST(Mapped, Rolls) {
  const auto v = this->v();
  const auto x = this->x();
  for (const int shift : {0, 1, -1, 4, 13, -30}) {
    const std::string s = std::to_string(shift);
    this->expect("roll_v_" + s, quern::roll(v, shift));
    this->expect("roll_x_" + s, quern::roll(x, shift));
    this->expect("roll_x_0_" + s, quern::roll(x, shift, axis{0}));
    this->expect("roll_x_1_" + s, quern::roll(x, shift, axis{-1}));
  }
  this->expect("roll_y_1_m2", quern::roll(this->y(), {1, -2}, axes{0, 2}));
}

TYPED_TEST(Mapped, Takes) {
  using E = typename TestFixture::E;
  const auto x = this->x();
  const auto rows = test::line<E>(test::re_indexed.values<std::int64_t>("rows"));
  this->expect("take_x_0", quern::take(x, rows, axis{0}));
  this->expect("take_x_1", quern::take(x, rows, axis{1}));
  this->expect("take_y_1", quern::take(this->y(), test::line<E>(std::vector<std::uint8_t>{3, 3, 0}), axis{1}));
  const auto wild = test::line<E>(test::re_indexed.values<std::int64_t>("wild"));
  this->expect("take_x_0_wrap", quern::take(x, wild, axis{0}, quern::index_mode::wrap));
  this->expect("take_x_0_clip", quern::take(x, wild, axis{0}, quern::index_mode::clip));
}

TYPED_TEST(Mapped, Pads) {
  const auto x = this->x();
  for (const auto& [mode, name] :
       {std::pair(pad_mode::edge, "edge"), std::pair(pad_mode::wrap, "wrap"), std::pair(pad_mode::reflect, "reflect"),
        std::pair(pad_mode::symmetric, "symmetric")}) {
    this->expect(std::string("pad_x_") + name, quern::pad(x, {{2, 1}, {0, 3}}, mode));
    this->expect(std::string("pad_x_wide_") + name, quern::pad(x, {{11, 17}, {23, 9}}, mode));
    this->expect(std::string("pad_y_") + name, quern::pad(this->y(), 1, mode));
    this->expect(std::string("pad_one_") + name, quern::pad(quern::slice(this->v(), {{3, 4}}), {{3, 2}}, mode));
  }
  using T = typename TestFixture::T;
  const auto of = [](int n) { return test::value_of<T>(n); };
  this->expect("pad_x_constant", quern::pad(x, {{2, 1}, {0, 3}}, of(9)));
  this->expect("pad_y_zero", quern::pad(this->y(), {{1, 2}}, of(0)));
  this->expect("pad_empty", quern::pad(this->template make<1>({0}), {{2, 1}}, of(3)));
}

TYPED_TEST(Mapped, PadsWithMirroredValuesAndRamps) {
  using quern::reflect_type;
  const auto x = this->x();
  const auto one = quern::slice(this->v(), {{3, 4}});
  for (const auto& [mode, name] :
       {std::pair(pad_mode::reflect, "reflect"), std::pair(pad_mode::symmetric, "symmetric")}) {
    const std::string odd = std::string(name) + "_odd";
    this->expect("pad_x_" + odd, quern::pad(x, {{2, 1}, {0, 3}}, mode, reflect_type::odd));
    this->expect("pad_y_" + odd, quern::pad(this->y(), 1, mode, reflect_type::odd));
    this->expect("pad_one_" + odd, quern::pad(one, {{3, 2}}, mode, reflect_type::odd));
  }
  this->expect("pad_x_even", quern::pad(x, {{11, 17}, {23, 9}}, pad_mode::reflect, reflect_type::even));
  if constexpr (!quern::impl::is_complex<typename TestFixture::T>) {  // whose test values have imaginary parts
    this->expect("pad_y_ramp", quern::pad(this->y(), 1, quern::linear_ramp{{3, 5}}));
    this->expect("pad_v_ramp", quern::pad(one, {{3, 2}}, quern::linear_ramp{{0, 1}}));
  }
}

TYPED_TEST(Mapped, TilesAndRepeats) {
  const auto v = this->v();
  const auto x = this->x();
  this->expect("tile_v_3", quern::tile(v, {3}));
  this->expect("tile_x_2_3", quern::tile(x, {2, 3}));
  this->expect("tile_x_3", quern::tile(x, {3}));
  this->expect("tile_v_2_2", quern::tile(v, {2, 2}));
  this->expect("tile_x_0", quern::tile(x, {0, 2}));
  this->expect("repeat_x", quern::repeat(x, 2));
  this->expect("repeat_x_0", quern::repeat(x, 3, axis{0}));
  this->expect("repeat_x_1", quern::repeat(x, 3, axis{1}));
  this->expect("repeat_x_none", quern::repeat(x, 0, axis{1}));
}

TYPED_TEST(Mapped, Removes) {
  const auto x = this->x();
  const quern::slice_range none{3, 3}, some{2, 5}, every_second{1, quern::end(), 2},
      backwards{quern::end(), quern::end(), -3};
  this->expect("remove_x_0_2", quern::remove_at(x, 2, axis{0}));
  this->expect("remove_x_1_m1", quern::remove_at(x, -1, axis{1}));
  this->expect("remove_x_1_2_5", quern::remove_at(x, some, axis{1}));
  this->expect("remove_x_1_every_2", quern::remove_at(x, every_second, axis{-1}));
  this->expect("remove_x_1_every_3_back", quern::remove_at(x, backwards, axis{1}));
  this->expect("remove_x_0_all", quern::remove_at(x, {}, axis{0}));
  this->expect("remove_x_0_none", quern::remove_at(x, none, axis{0}));
  this->expect("flip_remove_roll_x", quern::flip(quern::remove_at(quern::roll(x, 1, axis{0}), 1, axis{0}), axis{1}));
}

TYPED_TEST(Mapped, Nest) {
  using E = typename TestFixture::E;
  using T = typename TestFixture::T;
  using quern::end;
  const auto x = this->x();
  const auto rows = test::line<E>(test::re_indexed.values<std::int64_t>("rows"));
  const auto of = [](int n) { return test::value_of<T>(n); };
  this->expect("flip_roll_x", quern::flip(quern::roll(x, 2, axis{1})));
  this->expect("roll_flip_x", quern::roll(quern::flip(x, axis{0}), 2, axis{0}));
  this->expect("pad_take_flip", quern::pad(quern::take(quern::flip(x, axis{1}), rows, axis{0}), 1, pad_mode::reflect));
  this->expect("slice_pad_tile", quern::slice(quern::pad(quern::tile(x, {1, 2}), {{1, 1}, {2, 2}}, of(7)),
                                              {{end(), end(), -2}, {1, -1, 3}}));
  this->expect("transpose_repeat", quern::permute_dims(quern::repeat(x, 2, axis{0}), axes{1, 0}));
  this->expect("reshape_pad", quern::reshape(quern::pad(x, {{0, 1}, {1, 0}}, of(8)), {4, 12}));
  this->expect("take_take",
               quern::take(quern::take(x, rows, axis{0}), test::line<E>(std::vector<int>{1, 6, 0}), axis{1}));
  this->expect("roll_padded_diagonal", quern::roll(quern::diagonal(quern::pad(x, 1, pad_mode::edge), 1), 1));
}

template <class Exec>
struct MappedOn : testing::Test {};
TYPED_TEST_SUITE(MappedOn, test::all_spaces);

// Addresses of arrays of many axes are not longer than they must be. Nothing of these is read.
TYPED_TEST(MappedOn, OfManyAxesAreNotTooLarge) {
  float some = 0;
  const Kokkos::View<const float***, Kokkos::LayoutRight, TypeParam, Kokkos::MemoryTraits<Kokkos::Unmanaged>> cube(
      &some, 1100, 1100, 1100);
  const Kokkos::View<const float****, Kokkos::LayoutLeft, TypeParam, Kokkos::MemoryTraits<Kokkos::Unmanaged>> four(
      &some, 128, 128, 128, 128);
  EXPECT_EQ(1102, quern::extents_of(quern::pad(cube, 1)).extent[2]);
  EXPECT_EQ(1100, quern::extents_of(quern::roll(cube, {1, 1, 1}, axes{0, 1, 2})).extent[0]);
  EXPECT_EQ(130, quern::extents_of(quern::pad(four, 1)).extent[0]);
  EXPECT_EQ(128, quern::extents_of(quern::roll(four, {1, 2, 3, 4}, axes{0, 1, 2, 3})).extent[3]);
}

// Where a repeated axis has a power of two of indices, lines follow each other without a gap in the addresses.
TYPED_TEST(MappedOn, LinesOfPowersOfTwoEnd) {
  using E = TypeParam;
  for (const std::int64_t n : {1, 2, 4, 8, 16})
    for (const std::int64_t times : {1, 2, 4}) {
      std::vector<int> values(5 * n), tiled, repeated, again;
      std::iota(values.begin(), values.end(), 1);
      for (std::int64_t i = 0; i < 5 * n * times; ++i) {
        const std::int64_t row = i / (n * times), k = i % (n * times);
        tiled.push_back(values[row * n + k % n]);
        repeated.push_back(values[row * n + k / times]);
        again.push_back(values[i % (5 * n)]);
      }
      for (const bool strided : {false, true}) {
        const auto check = [&](const auto& x) {
          const auto out = test::make_array<int, 2, Kokkos::LayoutRight, E>({5, n * times});
          const auto rows = test::make_array<int, 2, Kokkos::LayoutRight, E>({5 * times, n});
          quern::copy(E(), out, quern::tile(x, {std::int64_t{1}, times}));
          EXPECT_EQ(tiled, test::contents(out)) << n << ' ' << times;
          quern::copy(E(), out, quern::repeat(x, times, axis{1}));
          EXPECT_EQ(repeated, test::contents(out)) << n << ' ' << times;
          quern::copy(E(), rows, quern::tile(x, {times, std::int64_t{1}}));
          EXPECT_EQ(again, test::contents(rows)) << n << ' ' << times;
        };
        if (strided) check(test::make_array<int, 2, Kokkos::LayoutStride, E>({5, n}, values));
        else check(test::make_array<int, 2, Kokkos::LayoutRight, E>({5, n}, values));
      }
    }
}

TYPED_TEST(MappedOn, OfSixAxesReadTheirElements) {
  const TypeParam exec;
  const Kokkos::View<double******, Kokkos::LayoutLeft, TypeParam> x("x", 8, 7, 6, 5, 4, 3),
      copy("copy", 8, 7, 6, 5, 4, 3);
  quern::copy(
      exec, x,
      quern::reshape(test::line<TypeParam>(test::samples<double>(8 * 7 * 6 * 5 * 4 * 3, 1)), {8, 7, 6, 5, 4, 3}));
  EXPECT_EQ(quern::sum(exec, x), quern::sum(exec, quern::pad(x, 1)));
  const auto there = quern::roll(x, {1, 2, 3, 4, 5, 6}, axes{0, 1, 2, 3, 4, 5});
  quern::copy(exec, copy, quern::roll(there, {-1, -2, -3, -4, -5, -6}, axes{0, 1, 2, 3, 4, 5}));
  EXPECT_EQ(test::contents(x), test::contents(copy));
  quern::copy(exec, copy, there);
  const auto before = test::contents(x), after = test::contents(copy);
  EXPECT_EQ(before[0], after[((((1 * 7 + 2) * 6 + 3) * 5 + 4) * 4 + 1) * 3 + 0]);
}

// Rows of 4 whose matrices are an odd number of elements apart: packs of rows would not be aligned.
TYPED_TEST(MappedOn, OfOddDistancesReadTheirElements) {
  const TypeParam exec;
  const Kokkos::View<double*, TypeParam> memory("memory", 3 * 21);
  const auto all = test::samples<double>(3 * 21, 4);
  quern::copy(exec, memory, test::line<TypeParam>(all));
  const Kokkos::View<const double***, Kokkos::LayoutStride, TypeParam, Kokkos::MemoryTraits<Kokkos::Unmanaged>> x(
      memory.data(), Kokkos::LayoutStride(3, 21, 4, 4, 4, 1));
  const Kokkos::View<double***, Kokkos::LayoutRight, TypeParam> out("out", 3, 4, 4);
  quern::copy(exec, out, quern::roll(x, 1, axis{1}));
  const auto found = test::contents(out);
  for (int i = 0; i < 3; ++i)
    for (int j = 0; j < 4; ++j)
      for (int k = 0; k < 4; ++k)
        EXPECT_EQ(all[21 * i + 4 * ((j + 3) % 4) + k], found[16 * i + 4 * j + k]) << i << j << k;
}

// Quotients at all multiples of the divisor that a step of a prime number meets, and at their neighbours.
TEST(Divisor, DividesAsIntegersDo) {
  constexpr std::int64_t most = (std::int64_t{1} << 31) - 1;
  for (const std::int64_t by : {std::int64_t{1}, std::int64_t{2}, std::int64_t{3}, std::int64_t{5}, std::int64_t{7},
                                std::int64_t{10}, std::int64_t{641}, std::int64_t{4001}, std::int64_t{65535},
                                std::int64_t{65537}, most / 2, most / 2 + 1, most / 2 + 2, most - 1, most, most + 1}) {
    const quern::impl::divisor small(by, true), large(by, false);
    const std::int64_t multiples = most / by;
    for (std::int64_t k = 0; k <= multiples; k += multiples / 1009 + 1)
      for (const std::int64_t i : {k * by - 1, k * by, k * by + 1, k * by + by - 1, most - k, most - most % by - 1})
        if (i >= 0 && i <= most) {
          ASSERT_EQ(i / by, small(i)) << i << " by " << by;
          ASSERT_EQ(i / by, large(i)) << i << " by " << by;
        }
  }
}

/// Compares all that `source.strided` finds in an array of rank 2, of which no two elements are equal, and returns how
/// often it does.
template <class V>
int expect_strides(const V& v, const std::string& what) {
  const auto& n = v.extents.extent;
  const auto is_inside = [&](std::int64_t i, std::int64_t j) { return i >= 0 && i < n[0] && j >= 0 && j < n[1]; };
  int times = 0;
  for (std::int64_t i = 0; i < n[0]; ++i)
    for (std::int64_t j = 0; j < n[1]; ++j)
      for (int down = -2; down <= 2; ++down)
        for (int across = -3; across <= 3; ++across)
          for (const int count : {2, 3, 5}) {
            if (!is_inside(i + (count - 1) * down, j + (count - 1) * across)) continue;
            const std::int64_t at = v.first + i * v.stride[0] + j * v.stride[1],
                               step = down * v.stride[0] + across * v.stride[1];
            const auto found = v.source.strided(at, step, count);
            times += found.count > 0 ? 1 : 0;
            for (int k = 0; found.count > 0 && k < count; ++k)
              EXPECT_EQ(v.source.load(at + k * step), found.data[k * found.step])
                  << what << " " << i << " " << j << " by " << down << " " << across << ", number " << k;
          }
  return times;
}

TEST(MappedStrides, AreThoseOfTheElements) {
  using host = Kokkos::DefaultHostExecutionSpace;
  const Kokkos::View<double**, Kokkos::LayoutRight, host> x("x", 6, 7);
  for (std::int64_t k = 0; k < 42; ++k) x.data()[k] = static_cast<double>(k);
  const auto rows = test::line<host>(std::vector<int>{5, 0, 1, 2, 4, 4});
  const auto rolled = quern::roll(x, {2, -3}, axes{0, 1});
  EXPECT_GT(expect_strides(rolled, "roll"), 300);
  EXPECT_GT(expect_strides(quern::pad(x, 2, pad_mode::edge), "edge"), 300);
  EXPECT_GT(expect_strides(quern::pad(x, 3, pad_mode::wrap), "wrap"), 300);
  EXPECT_GT(expect_strides(quern::pad(x, 4, pad_mode::reflect), "reflect"), 300);
  EXPECT_GT(expect_strides(quern::pad(x, 2, 99.0), "constant"), 300);
  EXPECT_GT(expect_strides(quern::tile(x, {2, 2}), "tile"), 300);
  EXPECT_GT(expect_strides(quern::repeat(x, 2, axis{1}), "repeat"), 50);
  EXPECT_GT(expect_strides(quern::take(x, rows, axis{0}), "take"), 100);
  EXPECT_GT(expect_strides(quern::roll(quern::flip(quern::pad(x, 1, pad_mode::wrap)), 2, axis{1}), "nested"), 300);
}

}  // namespace
