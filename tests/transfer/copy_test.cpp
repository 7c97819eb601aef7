// SPDX-FileCopyrightText: the Quern authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Copies between memory spaces. On a host all spaces are one; what brings data across the link is called by itself
// there, with the memory of the host in place of the device's.

#include <atomic>
#include <chrono>
#include <quern/map.hpp>
#include <quern/transfer.hpp>
#include <support/testing.hpp>
#include <thread>

namespace {

using host = Kokkos::DefaultHostExecutionSpace;
struct in_pinned_memory {
  using memory_space = Kokkos::SharedHostPinnedSpace;
};

constexpr std::int64_t chunk_bytes = 1 << 16;

/// Extents around those of one chunk, by the bytes of an element and of a row.
template <class T>
std::vector<std::array<std::int64_t, 3>> shapes() {
  const std::int64_t n = chunk_bytes / sizeof(T);
  return {{1, 1, 1},         {0, 3, 4},     {3, 5, 7},     {1, 1, n},
          {1, n / 7 + 1, 7}, {5, 1, n - 1}, {2, n + 3, 1}, {129, 3, n / 128}};
}

template <class T, class U, class To, class From, class Exec, class ToMemory, class FromMemory>
void check_copy(const Exec& exec, const std::array<std::int64_t, 3>& extents) {
  const std::int64_t n = extents[0] * extents[1] * extents[2];
  const auto values = test::samples<U>(n, 3);
  const auto to = test::make_array<T, 3, To, ToMemory>(extents, std::vector<T>(n));
  const auto from = test::make_array<U, 3, From, FromMemory>(extents, values);
  quern::copy(exec, to, from);
  exec.fence();
  std::vector<T> expected(n);
  for (std::int64_t i = 0; i < n; ++i) expected[i] = static_cast<T>(values[i]);
  EXPECT_EQ(expected, test::contents(to)) << extents[0] << " x " << extents[1] << " x " << extents[2];
}

template <class T, class U, class To, class From, class Exec>
void check_all_pairs(const std::array<std::int64_t, 3>& extents) {
  const Exec exec;
  check_copy<T, U, To, From, Exec, Exec, host>(exec, extents);
  check_copy<T, U, To, From, Exec, host, Exec>(exec, extents);
  check_copy<T, U, To, From, Exec, Exec, in_pinned_memory>(exec, extents);
  check_copy<T, U, To, From, Exec, in_pinned_memory, Exec>(exec, extents);
  check_copy<T, U, To, From, Exec, in_pinned_memory, host>(exec, extents);
  check_copy<T, U, To, From, Exec, host, host>(exec, extents);
  check_copy<T, U, To, From, host, Exec, host>(host(), extents);
  check_copy<T, U, To, From, host, host, Exec>(host(), extents);
  check_copy<T, U, To, From, host, Exec, Exec>(host(), extents);
}

template <class Case>
struct Copy : testing::Test {};
using copy_cases = test::covering<double, std::int8_t, Kokkos::complex<double>>;
TYPED_TEST_SUITE(Copy, copy_cases);

TYPED_TEST(Copy, BetweenAllSpacesAndLayouts) {
  using T = typename TypeParam::value;
  using E = typename TypeParam::exec;
  using L = typename TypeParam::layout;
  for (const auto& extents : {std::array<std::int64_t, 3>{3, 5, 7}, {0, 3, 4}, {33, 65, 17}}) {
    check_all_pairs<T, T, L, Kokkos::LayoutRight, E>(extents);
    check_all_pairs<T, T, Kokkos::LayoutLeft, L, E>(extents);
    check_all_pairs<T, T, Kokkos::LayoutStride, L, E>(extents);
  }
}

TYPED_TEST(Copy, ConvertsValues) {
  using E = typename TypeParam::exec;
  using L = typename TypeParam::layout;
  check_all_pairs<float, std::int16_t, L, Kokkos::LayoutLeft, E>({9, 10, 11});
  check_all_pairs<std::int64_t, float, Kokkos::LayoutRight, L, E>({9, 10, 11});
}

// Many chunks, with what lies between the elements left alone.
template <class Case>
struct Staging : testing::Test {};
using staging_cases = test::covering<double, std::int8_t, float>;
TYPED_TEST_SUITE(Staging, staging_cases);

template <class T, class Exec, class Device, class Host>
void check_link(const std::array<std::int64_t, 3>& extents, bool pinned) {
  const Exec exec;
  const test::with_gaps guard(test::gaps::columns);
  const std::int64_t n = extents[0] * extents[1] * extents[2];
  const auto values = test::samples<T>(n, 7);
  const auto there = test::make_array<T, 3, Device, Exec>(extents, std::vector<T>(n));
  const auto here = test::make_array<T, 3, Host, in_pinned_memory>(extents, values);
  const auto back = test::make_array<T, 3, Host, in_pinned_memory>(extents, std::vector<T>(n));
  const auto array = [](const auto& v) { return quern::impl::describe(v.data(), v); };
  const auto read = [](const auto& v) {
    using U = typename std::remove_cvref_t<decltype(v)>::value_type;
    return quern::impl::describe(static_cast<const U*>(v.data()), v);
  };
  quern::impl::copy_to_device(exec, array(there), read(here), pinned, chunk_bytes);
  quern::impl::copy_to_host(exec, array(back), read(there), pinned, chunk_bytes);
  exec.fence();
  const auto found = test::contents(back);
  const auto wrong = std::mismatch(values.begin(), values.end(), found.begin()).first - values.begin();
  EXPECT_EQ(n, wrong) << "first wrong element of " << extents[0] << " x " << extents[1] << " x " << extents[2];
}

TYPED_TEST(Staging, ManyPieces) {
  using T = typename TypeParam::value;
  using E = typename TypeParam::exec;
  using L = typename TypeParam::layout;
  for (const auto& extents : shapes<T>()) {
    check_link<T, E, L, Kokkos::LayoutRight>(extents, false);
    check_link<T, E, Kokkos::LayoutLeft, L>(extents, true);
  }
}

TYPED_TEST(Staging, BroadcastsWhatItSends) {
  using E = typename TypeParam::exec;
  const E exec{};
  const std::int64_t n = 300, m = 150;
  const Kokkos::View<float**, Kokkos::LayoutRight, E> to("to", n, m);
  const Kokkos::View<const float*, Kokkos::LayoutRight, Kokkos::HostSpace> row = [&] {
    const Kokkos::View<float*, Kokkos::LayoutRight, Kokkos::HostSpace> r("row", m);
    for (std::int64_t j = 0; j < m; ++j) r(j) = static_cast<float>(test::sample(j));
    return r;
  }();
  quern::impl::strided<const float> from = quern::impl::describe(row.data(), row);
  from.extents = {n, m};
  from.stride = {0, 1};
  quern::impl::copy_to_device(exec, quern::impl::describe(to.data(), to), from, false, chunk_bytes);
  const auto found = test::contents(to);
  std::int64_t wrong = 0;
  for (std::int64_t i = 0; i < n * m; ++i) wrong += found[i] != row(i % m);
  EXPECT_EQ(0, wrong);
  const Kokkos::View<float*, E> line("line", n);
  quern::copy(exec, line, Kokkos::subview(row, std::pair(2, 3)));
  EXPECT_EQ(std::vector<float>(n, row(2)), test::contents(line));
}

template <class Exec>
struct Transfers : testing::Test {};
TYPED_TEST_SUITE(Transfers, test::all_spaces);

TYPED_TEST(Transfers, RejectExtentsBeforeAnythingIsWritten) {
  const TypeParam exec;
  const Kokkos::View<double**, TypeParam> there("there", 3, 4);
  const Kokkos::View<double**, Kokkos::HostSpace> here("here", 4, 3);
  const std::string message = "quern::copy: in 1 has extents (4, 3), which do not broadcast to (3, 4)";
  test::expect_error(message, [&] { quern::copy(exec, there, here); });
  test::expect_error(message, [&] { (void)quern::copy_async(exec, there, here); });
  test::expect_error(message, [&] { quern::copy(there, here); });
}

TYPED_TEST(Transfers, ScalarsAndPositionsBroadcast) {
  const Kokkos::View<float**, TypeParam> out("out", 2, 2);
  quern::copy(TypeParam(), out, 2.5);
  EXPECT_EQ(std::vector<float>(4, 2.5F), test::contents(out));
  quern::copy(out, 7);
  EXPECT_EQ(std::vector<float>(4, 7.0F), test::contents(out));
  const Kokkos::View<Kokkos::Array<std::int64_t, 1>*, TypeParam> indices("indices", 3);
  quern::copy(TypeParam(), indices, quern::positions());
  const auto found = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), indices);
  for (int i = 0; i < 3; ++i) EXPECT_EQ(i, found(i)[0]);
}

TYPED_TEST(Transfers, HandlesTellWhenTheyHaveEnded) {
  const TypeParam exec;
  const std::int64_t n = 3'000'000;
  const Kokkos::View<double*, TypeParam> there("there", n);
  Kokkos::View<double*, Kokkos::HostSpace> here("here", n), back("back", n);
  for (std::int64_t i = 0; i < n; ++i) here(i) = i;
  auto sent = quern::copy_async(exec, there, here);
  sent.wait();
  EXPECT_TRUE(sent.ready());
  auto received = quern::copy_async(exec, back, there);
  while (!received.ready()) std::this_thread::yield();
  std::int64_t wrong = 0;
  for (std::int64_t i = 0; i < n; ++i) wrong += back(i) != i;
  EXPECT_EQ(0, wrong);
  received.wait();
  {
    const auto unfinished = quern::copy_async(exec, there, back);
  }  // waits
  const Kokkos::View<float*, Kokkos::SharedHostPinnedSpace> pinned("pinned", n);
  auto converted = quern::copy_async(exec, pinned, there);
  converted.wait();
  EXPECT_EQ(float(n - 1), pinned(n - 1));
  quern::CopyHandle<TypeParam> none;
  EXPECT_TRUE(none.ready());
}

/// Waits until the host says so. A plain read: an atomic one of Kokkos is an exchange on devices, which may write over
/// what the host has written.
struct wait_for_host {
  Kokkos::View<int, Kokkos::SharedHostPinnedSpace> go;
  KOKKOS_FUNCTION void operator()(int) const {
    const volatile int* const flag = &go();
    while (*flag == 0) {
    }
  }
};
template <class Exec>
void launch_wait(const Exec& exec, const Kokkos::View<int, Kokkos::SharedHostPinnedSpace>& go) {
  Kokkos::parallel_for("wait_for_host", Kokkos::RangePolicy<Exec>(exec, 0, 1), wait_for_host{go});
}

// However long it takes: the copy comes behind a kernel of more than a second, and another kernel comes behind the copy
// and ends only after it was waited for.
TYPED_TEST(Transfers, HandlesWaitForTheirCopyAlone) {
  const TypeParam exec;
  using flag = Kokkos::View<int, Kokkos::SharedHostPinnedSpace>;
  const Kokkos::View<double*, TypeParam> there("there", 100);
  const Kokkos::View<double*, Kokkos::SharedHostPinnedSpace> here("here", 100);
  const flag before("before"), after("after");
  Kokkos::deep_copy(there, 3.0);
  quern::copy_async(exec, here, there).wait();  // what is allocated once
  Kokkos::deep_copy(there, 4.0);
  Kokkos::fence();
  std::atomic<bool> waited = false, too_late = false;
  std::thread host_of_kernels([&] {
    std::this_thread::sleep_for(std::chrono::milliseconds(1500));
    std::atomic_ref(before()).store(1);
    for (int k = 0; k < 800 && !waited; ++k) std::this_thread::sleep_for(std::chrono::milliseconds(10));
    too_late = !waited;
    std::atomic_ref(after()).store(1);
  });
  launch_wait(exec, before);
  auto copy = quern::copy_async(exec, here, there);
  // On hosts a launch returns when its kernel has ended.
  std::thread launches([&] { launch_wait(exec, after); });
  if constexpr (quern::impl::is_device<TypeParam>) launches.join();
  copy.wait();
  waited = true;
  EXPECT_TRUE(copy.ready());
  EXPECT_EQ(std::vector<double>(100, 4.0), std::vector<double>(here.data(), here.data() + 100));
  if (launches.joinable()) launches.join();
  host_of_kernels.join();
  exec.fence();
  EXPECT_FALSE(too_late) << "it has waited for what came later";
}

TYPED_TEST(Transfers, OneAfterTheOtherInTheOrderOfTheInstance) {
  const TypeParam exec;
  const std::int64_t n = 1'000'001;
  const Kokkos::View<float*, TypeParam> there("there", n);
  Kokkos::View<float*, Kokkos::HostSpace> here("here", n), back("back", n);
  for (int round = 0; round < 8; ++round) {
    for (std::int64_t i = 0; i < n; ++i) here(i) = static_cast<float>(i % 1000 + round);
    quern::copy(exec, there, here);
    for (std::int64_t i = 0; i < n; ++i) here(i) = -1;  // it may be used again
    quern::add(exec, there, there, 1.0f);
    quern::copy(exec, back, there);
    std::int64_t wrong = 0;
    for (std::int64_t i = 0; i < n; ++i) wrong += back(i) != static_cast<float>(i % 1000 + round + 1);
    ASSERT_EQ(0, wrong) << round;
  }
}

TYPED_TEST(Transfers, MirrorsServeOperations) {
  const TypeParam exec;
  const Kokkos::View<double**, Kokkos::LayoutRight, Kokkos::HostSpace> memory("memory", 20, 30);
  const auto part = Kokkos::subview(memory, std::pair(2, 12), std::pair(3, 24));
  const quern::Mirror<std::remove_const_t<decltype(part)>, Kokkos::View<double**, TypeParam>> u(part);
  EXPECT_TRUE(u.need_sync_device());
  for (int i = 0; i < 10; ++i)
    for (int j = 0; j < 21; ++j) part(i, j) = i * 100 + j;
  u.sync_device(exec);
  EXPECT_FALSE(u.need_sync_device());
  quern::add(exec, u, u, 0.5);
  if constexpr (!std::is_same_v<typename TypeParam::memory_space, Kokkos::HostSpace>) {
    EXPECT_TRUE(u.need_sync_host());
  }
  u.modify_device();
  u.sync_host();
  EXPECT_EQ(920.5, part(9, 20));
  EXPECT_EQ(0.0, memory(12, 24)) << "beside the part";
  u.modify_host();
  u.modify_device();
  test::expect_error("quern::Mirror::sync_host: both sides were modified", [&] { u.sync_host(); });
}

TYPED_TEST(Transfers, TakeTheMemoryOfOthers) {
  const TypeParam exec;
  std::vector<float> values{1, 2, 3, 4, 5, 6};
  const Kokkos::View<float**, TypeParam> there("there", 2, 3);
  quern::copy(exec, there, quern::as_view(values.data(), {2, 3}));
  EXPECT_EQ(values, test::contents(there));
  std::vector<double> spaced(10, -1);
  quern::copy(exec, quern::as_view(spaced.data(), {2, 3}, {5, 1}), there);
  exec.fence();
  EXPECT_EQ((std::vector<double>{1, 2, 3, -1, -1, 4, 5, 6, -1, -1}), spaced);
  const std::vector<float>& constant = values;
  EXPECT_EQ(values.data(), quern::as_view(constant).data());
  EXPECT_EQ(3u, quern::as_view(std::span(values).subspan(3)).size());
  using extents = Kokkos::dextents<std::size_t, 2>;
  const Kokkos::mdspan<float, extents, Kokkos::layout_left> left(values.data(), extents(3, 2));
  const Kokkos::View<float**, TypeParam> turned("turned", 3, 2);
  quern::fill(exec, turned, 4.0f);
  quern::copy(exec, quern::as_view(left), turned);
  exec.fence();
  EXPECT_EQ(std::vector<float>(6, 4), values);
  const auto span = quern::as_mdspan(quern::as_view(spaced.data(), {2, 3}, {5, 1}));
  EXPECT_EQ(5u, span.stride(0));
  EXPECT_EQ(spaced.data(), span.data_handle());
}

}  // namespace
