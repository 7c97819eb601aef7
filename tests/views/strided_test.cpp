// SPDX-FileCopyrightText: the Quern authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <views/reading.hpp>

namespace {

using quern::end;

template <class Case>
struct Strided : test::Reindexed<Case> {};
TYPED_TEST_SUITE(Strided, test::reindexed_types);

TYPED_TEST(Strided, ExchangesAxes) {
  const auto y = this->y();
  this->expect("permute_y_201", quern::permute_dims(y, quern::axes{2, 0, 1}));
  this->expect("permute_y_021", quern::permute_dims(y, quern::axes{0, -1, 1}));
  this->expect("moveaxis_y_0_m1", quern::moveaxis(y, 0, -1));
  this->expect("moveaxis_y_01_m1m2", quern::moveaxis(y, {0, 1}, {-1, -2}));
}

TYPED_TEST(Strided, RunsBackwards) {
  this->expect("flip_x", quern::flip(this->x()));
  this->expect("flip_x_1", quern::flip(this->x(), quern::axis{-1}));
  this->expect("flip_y_02", quern::flip(this->y(), quern::axes{0, 2}));
}

TYPED_TEST(Strided, Slices) {
  const auto v = this->v();
  this->expect("slice_v_2_9_3", quern::slice(v, {{2, 9, 3}}));
  this->expect("slice_v_back", quern::slice(v, {{end(), end(), -1}}));
  this->expect("slice_v_8_1_m3", quern::slice(v, {{8, 1, -3}}));
  this->expect("slice_v_m4_end", quern::slice(v, {{-4, end()}}));
  this->expect("slice_v_beyond", quern::slice(v, {{-50, 50}}));
  this->expect("slice_v_beyond_back", quern::slice(v, {{50, -50, -4}}));
  this->expect("slice_v_none", quern::slice(v, {{7, 3}}));
  this->expect("slice_v_to_first", quern::slice(v, {{5, end(), -2}}));
  this->expect("slice_x", quern::slice(this->x(), {{1, end()}, {end(), end(), -2}}));
  this->expect("x", quern::slice(this->x(), {}));
}

TYPED_TEST(Strided, TakesDiagonals) {
  const auto x = this->x();
  this->expect("diagonal_x", quern::diagonal(x));
  this->expect("diagonal_x_2", quern::diagonal(x, 2));
  this->expect("diagonal_x_m3", quern::diagonal(x, -3));
  this->expect("diagonal_x_9", quern::diagonal(x, 9));
  this->expect("diagonal_y_1_2_0", quern::diagonal(this->y(), 1, 2, 0));
}

TYPED_TEST(Strided, AddsAndRepeatsAxes) {
  const auto x = this->x();
  this->expect("expand_x_1", quern::expand_dims(x, quern::axis{1}));
  this->expect("expand_x_0_3", quern::expand_dims(x, {0, -1}));
  this->expect("x", quern::squeeze(quern::expand_dims(x, {0, 3}), {0, 3}));
  this->expect("x", quern::squeeze(quern::expand_dims(x, {1}), quern::axis{1}));
  this->expect("broadcast_v_3", quern::broadcast_to(this->v(), {3, 11}));
  this->expect("broadcast_column", quern::broadcast_to(quern::slice(x, {{}, {2, 3}}), {2, 5, 4}));
}

TYPED_TEST(Strided, Reshapes) {
  this->expect("reshape_v", quern::reshape(this->template make<1>({12}), {3, 4}));
  this->expect("reshape_x_7_5", quern::reshape(quern::slice(this->x(), {}), {std::size_t(7), 5}));
  this->expect("reshape_y_8_m1", quern::reshape(quern::slice(this->y(), {}), {8, -1}));
  this->expect("reshape_yt_12_4", quern::reshape(quern::permute_dims(this->y(), quern::axes{2, 0, 1}), {12, 4}));
  this->expect("reshape_flip_y_6_8", quern::reshape(quern::flip(this->y(), quern::axis{2}), {6, 8}));
}

// An output of each kind gets what its input of the same kind has.
TYPED_TEST(Strided, AreOutputs) {
  using E = typename TestFixture::E;
  using T = typename TestFixture::T;
  const auto x = this->x();
  const auto to_z = [&](const auto& change) {
    const auto z = test::make_array<T, 2, typename TestFixture::L, E>({5, 7});
    quern::copy(E(), change(z), change(x));
    return test::contents(z);
  };
  const auto expected = test::contents(x);
  EXPECT_EQ(expected, to_z([](const auto& a) { return quern::flip(a); }));
  EXPECT_EQ(expected, to_z([](const auto& a) { return quern::permute_dims(a, quern::axes{1, 0}); }));
  EXPECT_EQ(expected, to_z([](const auto& a) { return quern::expand_dims(a, quern::axis{1}); }));
  const auto line = this->template make<1>({35});
  const auto z = test::make_array<T, 1, typename TestFixture::L, E>({35});
  quern::copy(E(), quern::reshape(z, {5, 7}), x);
  EXPECT_EQ(test::contents(line), test::contents(z));
}

}  // namespace
