// SPDX-FileCopyrightText: the Quern authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// The threads of a map on a device, in turn on the host: together they write each element once, and nothing else.

#include <quern/map.hpp>
#include <quern/map/device_map.hpp>
#include <support/testing.hpp>

namespace {

namespace impl = quern::impl;
using quern::axes;
using host = Kokkos::DefaultHostExecutionSpace;
using cube = Kokkos::View<float***, Kokkos::LayoutRight, host>;

/// A value that says how often it was written.
struct counted {
  float value = 0;
  int times = 0;
  counted() = default;
  KOKKOS_FUNCTION counted(float v) : value(v) {}
  KOKKOS_FUNCTION counted& operator=(const counted& v) {
    value = v.value;
    ++times;
    return *this;
  }
};

/// Runs the kernel of a copy with packs, or with single elements.
template <bool Packs, class Out, class V>
void copy_by_threads(const Out& out, const V& in) {
  using T = typename Out::value_type;
  const auto o = impl::describe(out);
  const auto leaf = std::get<0>(impl::expand<host, impl::rank_of<V>>("copy", in, o.extents).leaves);
  const auto nest = impl::make_loop_nest<2>(o.extents, {o.stride, leaf.array.stride});
  using work = impl::mapped_elements<host, impl::op::identity, impl::map_output<T>, typename decltype(leaf)::operand>;
  impl::device_map<work> kernel{{{},
                                 {{impl::array_operand<T>{o.data, nest.stride[0][0]}}},
                                 {{leaf.at_step(nest.stride[1][0])}},
                                 impl::row_nest<2>(nest)}};
  const std::int64_t inner = kernel.work.nest.inner;
  if constexpr (Packs) {
    constexpr int w = work::width;
    const auto threads = kernel.template divide_items<kernel.packs>((inner + w - 1) / w, w);
    for (std::int64_t t = 0; t < threads; ++t) kernel(impl::pack_tag(), t);
  } else {
    const auto threads = kernel.template divide_items<kernel.unroll>(inner, 1);
    for (std::int64_t t = 0; t < threads; ++t) kernel(impl::element_tag(), t);
  }
}

cube numbers(std::int64_t a, std::int64_t b, std::int64_t c) {
  const cube x("x", a, b, c);
  for (std::int64_t i = 0; i < a * b * c; ++i) x.data()[i] = static_cast<float>(i + 1);
  return x;
}
/// Compares what the threads write to a part of an array with the copy that hosts make; what is around stays.
template <class V>
void expect_each_once(const std::string& what, const V& v) {
  const quern::shape n = quern::extents_of(v);
  const std::int64_t a = n.extent[0], b = n.extent[1], c = n.extent[2];
  const cube expected("expected", a, b, c);
  quern::copy(host(), expected, v);
  const Kokkos::View<counted***, Kokkos::LayoutRight, host> out("out", a + 1, b, c + 1);
  copy_by_threads<false>(
      Kokkos::subview(out, Kokkos::make_pair(std::int64_t{0}, a), Kokkos::ALL, Kokkos::make_pair(std::int64_t{0}, c)),
      v);
  for (std::int64_t i = 0; i < a + 1; ++i)
    for (std::int64_t j = 0; j < b; ++j)
      for (std::int64_t k = 0; k < c + 1; ++k) {
        const bool inside = i < a && k < c;
        ASSERT_EQ(inside ? 1 : 0, out(i, j, k).times) << what << " at " << i << " " << j << " " << k;
        ASSERT_EQ(inside ? expected(i, j, k) : 0.0f, out(i, j, k).value) << what << " at " << i << " " << j << " " << k;
      }
}

TEST(DeviceMap, OfRowsOfAnyLength) {
  for (const auto& [a, b, c] : {std::tuple(1, 1, 1),
                                {3, 1, 7},
                                {1, 33, 5},
                                {2, 31, 9},
                                {3, 32, 17},
                                {2, 39, 1},
                                {5, 45, 57},
                                {1, 2, 2100},
                                {1, 700, 3},
                                {3, 401, 5},
                                {2, 33, 453},
                                {2, 200, 33},
                                {1, 1, 70000},
                                {2, 3, 2049}}) {
    const std::string n = std::to_string(a) + " " + std::to_string(b) + " " + std::to_string(c);
    const cube x = numbers(a, b, c);
    expect_each_once("copy " + n, x);
    expect_each_once("permuted " + n, quern::permute_dims(x, axes{1, 0, 2}));
    expect_each_once("columns " + n, quern::permute_dims(x, axes{2, 1, 0}));
  }
}
TEST(DeviceMap, OfArraysByIndex) {
  for (const auto& [a, b, c] :
       {std::tuple(1, 1, 1), {2, 67, 37}, {1, 70, 300}, {1, 500, 3}, {2, 1, 30001}, {3, 5, 700}}) {
    const cube x = numbers(a, b, c);
    expect_each_once("roll", quern::roll(x, {1, 2, -3}, axes{0, 1, 2}));
    expect_each_once("pad", quern::pad(x, {{0, 1}, {2, 1}, {3, 4}}, -1.0f));
    expect_each_once("repeat", quern::repeat(x, 3, quern::axis{2}));
    expect_each_once("tile", quern::tile(x, {2, 1, 3}));
  }
}
TEST(DeviceMap, OfRowsThatAreTaken) {
  const Kokkos::View<int*, host> rows("rows", 300);
  for (int i = 0; i < 300; ++i) rows(i) = (i * 37) % 61 - 30;
  const cube x = numbers(1, 31, 3);
  for (const auto mode : {quern::index_mode::wrap, quern::index_mode::clip}) {
    expect_each_once("rows", quern::take(x, rows, quern::axis{1}, mode));
    expect_each_once("rows that are taken and padded", quern::pad(quern::take(x, rows, quern::axis{1}, mode), 1, 0.5f));
    expect_each_once("elements", quern::take(x, rows, quern::axis{2}, mode));
  }
}
// Distances at which repeated elements are found together.
TEST(DeviceMap, OfLongRowsThatRepeat) {
  for (const int times : {1, 2, 3, 7, 16, 17}) {
    const cube x = numbers(1, 1, 3001);
    expect_each_once("repeat " + std::to_string(times), quern::repeat(x, times, quern::axis{2}));
    expect_each_once("repeat of roll", quern::repeat(quern::roll(x, 5, quern::axis{2}), times, quern::axis{2}));
    expect_each_once("roll of repeat", quern::roll(quern::repeat(x, times, quern::axis{2}), 5, quern::axis{2}));
  }
}
struct hundreds_and_ones {
  KOKKOS_FUNCTION float operator()(float x, float y) const { return 100 * x + y; }
};
template <class X, class Y>
void expect_both(const X& x, const Y& y) {
  const quern::shape n = quern::extents_of(x);
  const cube expected("expected", n.extent[0], n.extent[1], n.extent[2]);
  quern::map(host(), expected, hundreds_and_ones(), x, y);
  const Kokkos::View<counted***, Kokkos::LayoutRight, host> out("out", n.extent[0], n.extent[1], n.extent[2]);
  const auto o = impl::describe(out);
  const auto a = std::get<0>(impl::expand<host, 3>("map", x, n).leaves),
             b = std::get<0>(impl::expand<host, 3>("map", y, n).leaves);
  const auto nest = impl::make_loop_nest<3>(n, {o.stride, a.array.stride, b.array.stride});
  using work = impl::mapped_elements<host, hundreds_and_ones, impl::map_output<counted>,
                                     typename std::remove_const_t<decltype(a)>::operand,
                                     typename std::remove_const_t<decltype(b)>::operand>;
  impl::device_map<work> kernel{{{},
                                 {{impl::array_operand<counted>{o.data, nest.stride[0][0]}}},
                                 {{a.at_step(nest.stride[1][0])}, {b.at_step(nest.stride[2][0])}},
                                 impl::row_nest<3>(nest)}};
  const auto threads = kernel.template divide_items<kernel.unroll>(kernel.work.nest.inner, 1);
  for (std::int64_t t = 0; t < threads; ++t) kernel(impl::element_tag(), t);
  for (std::size_t i = 0; i < out.size(); ++i) {
    ASSERT_EQ(1, out.data()[i].times) << i;
    ASSERT_EQ(expected.data()[i], out.data()[i].value) << i;
  }
}
TEST(DeviceMap, OfSeveralInputs) {
  for (const auto& [a, b, c] : {std::tuple(1, 1, 5), {2, 200, 33}, {1, 1, 30001}, {3, 67, 37}}) {
    const cube x = numbers(a, b, c);
    expect_both(x, quern::flip(x, quern::axis{2}));
    expect_both(quern::roll(x, 2, quern::axis{1}), quern::roll(x, -3, quern::axis{2}));
  }
}
// Rows of packs: of one axis with elements that are left, and of several axes.
TEST(DeviceMap, OfPacks) {
  for (const int n : {1, 3, 4, 5, 1023, 4096, 4099}) {
    const Kokkos::View<float*, host> x("x", n), out("out", n + 1);
    for (int i = 0; i < n; ++i) x(i) = static_cast<float>(i + 1);
    copy_by_threads<true>(Kokkos::subview(out, Kokkos::make_pair(0, n)), x);
    for (int i = 0; i <= n; ++i) ASSERT_EQ(i < n ? static_cast<float>(i + 1) : 0.0f, out(i)) << n;
  }
  for (const int rows : {3, 16, 19, 33, 200}) {
    const cube x = numbers(3, rows, 20), out("out", rows, 3, 20);
    copy_by_threads<true>(out, quern::permute_dims(x, axes{1, 0, 2}));
    for (int i = 0; i < rows; ++i)
      for (int j = 0; j < 3; ++j)
        for (int k = 0; k < 20; ++k) ASSERT_EQ(x(j, i, k), out(i, j, k)) << rows << " rows";
    const cube wide("wide", 3, rows, 20);
    copy_by_threads<true>(wide, quern::roll(x, 1, quern::axis{1}));
    for (int i = 0; i < rows; ++i)
      for (int k = 0; k < 20; ++k) ASSERT_EQ(x(2, (i + rows - 1) % rows, k), wide(2, i, k)) << rows << " rows";
    const Kokkos::View<int*, host> at("at", rows);
    for (int i = 0; i < rows; ++i) at(i) = (7 * i + 1) % rows - rows;
    copy_by_threads<true>(wide, quern::take(x, at, quern::axis{1}, quern::index_mode::wrap));
    for (int i = 0; i < rows; ++i)
      for (int k = 0; k < 20; ++k) ASSERT_EQ(x(1, at(i) + rows, k), wide(1, i, k)) << rows << " rows";
  }
}

}  // namespace
