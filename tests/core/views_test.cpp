// SPDX-FileCopyrightText: the Quern authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <Kokkos_DualView.hpp>
#include <Kokkos_DynRankView.hpp>
#include <memory>
#include <quern/keyed.hpp>
#include <quern/map.hpp>
#include <quern/random.hpp>
#include <quern/reduce.hpp>
#include <quern/scan.hpp>
#include <quern/stencil.hpp>
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

/// A DualView whose sides differ even where one memory serves both, so that hosts can test what is done to its flags.
template <class Exec>
struct two_sides {
  using t_dev = Kokkos::View<double*, Exec>;
  using t_host = Kokkos::View<double*, Kokkos::HostSpace>;
  using execution_space = Exec;
  explicit two_sides(int n) : device("device", n), host("host", n) {}
  const t_dev& view_device() const { return device; }
  const t_host& view_host() const { return host; }
  bool need_sync_device() const { return flags->first; }
  bool need_sync_host() const { return flags->second; }
  void modify_host() { flags->first = true; }
  void modify_device() { flags->second = true; }
  void clear_sync_state() { *flags = {}; }

  t_dev device;
  t_host host;
  std::shared_ptr<std::pair<bool, bool>> flags = std::make_shared<std::pair<bool, bool>>();
};

// A call that throws leaves the flags as they were; one that reads its own output sees that it is not up to date.
TYPED_TEST(Views, MarksDualViewsWhenAllIsChecked) {
  const TypeParam exec;
  two_sides<TypeParam> x(5);
  const Kokkos::View<double*, TypeParam> y("y", 3), five("five", 5);
  const auto by = quern::group_by(exec, five);
  const auto changed_on_host = [&] {
    x.clear_sync_state();
    x.modify_host();
  };
  const auto expect_untouched = [&](const auto& call) {
    changed_on_host();
    EXPECT_THROW(call(), quern::Error);
    EXPECT_TRUE(x.need_sync_device());
    EXPECT_FALSE(x.need_sync_host());
  };
  expect_untouched([&] { quern::add(exec, x, y, 1.0); });
  expect_untouched([&] { quern::add(exec, x, x, 1.0); });  // in place, where it is not up to date
  expect_untouched([&] { quern::sum(exec, x, y); });
  expect_untouched([&] { quern::cumsum(exec, x, y); });
  expect_untouched([&] { quern::sum(exec, x, five, by); });
  expect_untouched([&] { quern::sort(exec, x, y); });
  expect_untouched([&] { quern::compact(exec, x, five, y); });
  expect_untouched([&] { quern::random::normal(exec, x, quern::random::part_of(quern::random::key(1), {3}, {0})); });
  expect_untouched([&] { quern::box_sum(exec, x, y, 3, quern::boundary::wrap); });
  expect_untouched([&] { quern::histogram(exec, x, five, {1, 0}); });

  const auto expect_marked = [&](const auto& call) {
    changed_on_host();
    call();
    EXPECT_FALSE(x.need_sync_device());
    EXPECT_TRUE(x.need_sync_host());
  };
  expect_marked([&] { quern::add(exec, x, five, 1.0); });
  expect_marked([&] { quern::cumsum(exec, x, five); });
  expect_marked([&] { quern::random::normal(exec, x, quern::random::key(1)); });
  expect_marked([&] { quern::sort(exec, x, five); });
  expect_marked([&] { quern::compact(exec, x, five, five); });
  expect_marked([&] { quern::box_sum(exec, x, five, 3, quern::boundary::wrap); });
  expect_marked([&] { quern::histogram(exec, x, five, {0, 1}); });
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
