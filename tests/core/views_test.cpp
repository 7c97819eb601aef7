// SPDX-FileCopyrightText: the Quern authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <Kokkos_DualView.hpp>
#include <Kokkos_DynRankView.hpp>
#include <quern/map.hpp>
#include <quern/reduce.hpp>
#include <support/testing.hpp>

namespace {

template <class Exec>
struct Views : testing::Test {};
TYPED_TEST_SUITE(Views, test::all_spaces);

TYPED_TEST(Views, TakesDynRankView) {
  using space = typename TypeParam::memory_space;
  Kokkos::DynRankView<double, space> x("x", 3, 4), y("y", 4), z("z", 3, 4);
  const TypeParam exec;
  quern::fill(exec, x, 2.0);
  quern::fill(exec, y, 3.0);
  quern::multiply(exec, z, x, y);
  EXPECT_EQ(72.0, quern::sum(exec, z));
  test::expect_error("quern::add: in 2 has extents (3, 4), which do not broadcast to (4)",
                     [&] { quern::add(exec, y, 1.0, x); });
}

TYPED_TEST(Views, TakesDualViewWhereItIsUpToDate) {
  Kokkos::DualView<double*, TypeParam> x("x", 5), y("y", 5);
  const TypeParam exec;
  x.modify_host();
  for (int i = 0; i < 5; ++i) x.view_host()(i) = i;
  x.sync_device();
  quern::add(exec, y, x, 1.0);
  EXPECT_TRUE((std::is_same_v<typename TypeParam::memory_space, Kokkos::HostSpace> || y.need_sync_host()));
  exec.fence();
  y.sync_host();
  EXPECT_EQ(5.0, y.view_host()(4));
}

TYPED_TEST(Views, RefusesStaleDualView) {
  if constexpr (std::is_same_v<typename TypeParam::memory_space, Kokkos::HostSpace>) {
    GTEST_SKIP() << "both sides are one";
  } else {
    Kokkos::DualView<double*, TypeParam> x("x", 5);
    x.modify_host();
    test::expect_error("quern::sum: a DualView was modified on the other side; synchronize it first",
                       [&] { quern::sum(TypeParam(), x); });
  }
}

TYPED_TEST(Views, TakesMdspan) {
  const TypeParam exec;
  Kokkos::View<float**, Kokkos::LayoutRight, TypeParam> memory("memory", 3, 4);
  using extents = Kokkos::dextents<std::size_t, 2>;
  const Kokkos::mdspan<float, extents, Kokkos::layout_left> left(memory.data(), extents(4, 3));
  const Kokkos::mdspan<const float, extents> right(memory.data(), extents(3, 4));
  quern::fill(exec, left, 1.5f);
  EXPECT_EQ(18.0f, quern::sum(exec, right));
}

TYPED_TEST(Views, TakesMdspanOfRankZero) {
  const TypeParam exec;
  Kokkos::View<float, TypeParam> memory("memory");
  const Kokkos::mdspan<float, Kokkos::extents<int>> one(memory.data());
  quern::fill(exec, one, 1.5f);
  EXPECT_EQ(1.5f, quern::sum(exec, one));
}

// Elements of an output must not share memory, in whatever way strides bring them together.
TYPED_TEST(Views, RefusesOutputsThatShareElements) {
  using view = Kokkos::View<double**, Kokkos::LayoutStride, TypeParam>;
  const Kokkos::View<double*, TypeParam> memory("memory", 100);
  const auto strided = [&](std::size_t m, std::size_t s, std::size_t n, std::size_t t) {
    return view(memory.data(), Kokkos::LayoutStride(m, s, n, t));
  };
  const TypeParam exec;
  test::expect_error("quern::fill: out has strides (1, 1) for extents (2, 2): its elements share memory",
                     [&] { quern::fill(exec, strided(2, 1, 2, 1), 1.0); });
  test::expect_error("quern::fill: out has strides (2, 3) for extents (4, 5): its elements share memory",
                     [&] { quern::fill(exec, strided(4, 2, 5, 3), 1.0); });
  test::expect_error("quern::fill: out has strides (4, 1) for extents (3, 5): its elements share memory",
                     [&] { quern::fill(exec, strided(3, 4, 5, 1), 1.0); });
  quern::fill(exec, strided(3, 2, 2, 3), 1.0);  // 0 2 4 3 5 7
  quern::fill(exec, strided(3, 5, 5, 1), 1.0);
  quern::fill(exec, strided(1, 1, 5, 1), 1.0);
  quern::fill(exec, strided(0, 1, 5, 1), 1.0);
}

template <class Case>
struct Mirrors : testing::Test {};
using mirror_cases = test::full_product<float>;
TYPED_TEST_SUITE(Mirrors, mirror_cases);

TYPED_TEST(Mirrors, BringsAnyLayoutToTheHostAndBack) {
  using exec = typename TypeParam::exec;
  const auto values = test::samples<float>(6 * 5);
  const auto v = test::make_array<float, 2, typename TypeParam::layout, exec>({6, 5}, values);
  const auto host = quern::to_host(v);
  EXPECT_EQ(values[3 * 5 + 2], host(3, 2));
  EXPECT_NE(static_cast<const void*>(host.data()), static_cast<const void*>(v.data())) << "a copy, even on the host";
  const auto part = Kokkos::subview(host, std::pair(1, 4), std::pair(2, 5));
  const auto device = quern::to_device<exec>(part);
  const auto back = test::contents(device);
  EXPECT_EQ(values[1 * 5 + 2], back[0]);
  EXPECT_EQ(values[3 * 5 + 4], back[8]);
  const auto same = quern::like(v);
  EXPECT_EQ(6u, same.extent(0));
  EXPECT_EQ(5u, same.extent(1));
  EXPECT_TRUE(same.span_is_contiguous());
}

}  // namespace
