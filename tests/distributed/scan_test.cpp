// SPDX-FileCopyrightText: the Quern authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Scans over ranks beside loops over the whole array.

#include <cmath>
#include <distributed/world.hpp>
#include <functional>
#include <quern/distributed/scan.hpp>
#include <vector>

namespace {

namespace distributed = quern::distributed;
using Kokkos::LayoutRight;
using quern::Decomposition, quern::shape;

struct larger {
  template <class T>
  KOKKOS_FUNCTION T operator()(const T& a, const T& b) const {
    return a < b ? b : a;
  }
};

template <class T>
struct scans {
  std::vector<T> inclusive, exclusive;
};
/// The scans of a whole array along an axis, by a loop.
template <class S, class T, class F>
scans<S> by_loop(const std::vector<T>& values, const shape& extents, int axis, S identity, const F& f) {
  std::int64_t step = 1;
  for (int d = axis + 1; d < extents.rank; ++d) step *= extents.extent[d];
  scans<S> all;
  for (std::int64_t i = 0; i < extents.size(); ++i) {
    all.exclusive.push_back(i / step % extents.extent[axis] == 0 ? identity : all.inclusive[i - step]);
    all.inclusive.push_back(f(all.exclusive.back(), static_cast<S>(values[i])));
  }
  return all;
}

template <class Case>
struct DistributedScan : testing::Test {
  using T = typename Case::value;
  using E = typename Case::exec;
  static constexpr std::int64_t size = 7 * 5 * 6;

  /// Calls check(array over ranks, axis, expected) for every grid of ranks and axis.
  template <class S, class F, class Check>
  static void for_arrays(S identity, const F& f, const Check& check) {
    const auto comm = test::world();
    const shape extents{7, 5, 6};
    const auto values = test::samples<T>(size, 2);
    for (const auto& grid : test::grids(comm.size(), 3)) {
      const Decomposition d(comm, extents, {.grid = grid});
      const auto u = test::distribute<T, 3, LayoutRight, E>(d, values);
      for (int axis = 0; axis < 3; ++axis) check(u, quern::axis{axis}, by_loop(values, extents, axis, identity, f));
    }
  }
  /// This rank's block of the array is that of `expected`, which is exact.
  template <class S, class V>
  static void expect(const std::vector<S>& expected, const V& found) {
    const Decomposition& d = found.decomposition();
    EXPECT_EQ(test::part_of(expected, d.extents(), d.local()), test::contents(found.local()));
  }
};
using scan_cases = test::covering<double, std::int8_t>;
TYPED_TEST_SUITE(DistributedScan, scan_cases);

TYPED_TEST(DistributedScan, Sums) {
  using E = typename TestFixture::E;
  using S = quern::impl::sum_type<typename TestFixture::T>;
  this->for_arrays(S(0), std::plus<S>(), [&](const auto& u, quern::axis along, const scans<S>& expected) {
    const quern::DistributedView<S, 3, E> sums("sums", u.decomposition());
    quern::cumsum(E(), sums, u, along);
    this->expect(expected.inclusive, sums);
  });
}

TYPED_TEST(DistributedScan, OfAFunctorWithAndWithoutEachElement) {
  using E = typename TestFixture::E;
  using T = typename TestFixture::T;
  this->for_arrays(T(-100), larger(), [&](const auto& u, quern::axis along, const scans<T>& expected) {
    const quern::DistributedView<T, 3, E> largest("largest", u.decomposition());
    quern::inclusive_scan(E(), largest, larger(), T(-100), u, along);
    this->expect(expected.inclusive, largest);
    quern::exclusive_scan(E(), largest, larger(), T(-100), u, along);
    this->expect(expected.exclusive, largest);
  });
}

template <class Exec>
struct DistributedScanOn : testing::Test {};
TYPED_TEST_SUITE(DistributedScanOn, test::all_spaces);

TYPED_TEST(DistributedScanOn, OfOneAxisMayWriteItsInput) {
  using E = TypeParam;
  const E exec{};
  const auto comm = test::world();
  std::vector<double> tenths(101, 0.1);
  const Decomposition d(comm, {101});
  const auto u = test::distribute<double, 1, LayoutRight, E>(d, tenths);
  quern::cumsum(exec, u, u);
  const auto found = test::contents(u.local());
  for (std::size_t i = 0; i < found.size(); ++i) {
    const double expected = 0.1 * static_cast<double>(d.local().first.extent[0] + static_cast<std::int64_t>(i) + 1);
    EXPECT_NEAR(expected, found[i], 4 * 2.3e-16 * expected);
  }
}

TYPED_TEST(DistributedScanOn, OfOneElement) {
  using E = TypeParam;
  const E exec{};
  const auto comm = test::world();
  const auto one = test::distribute<int, 1, LayoutRight, E>(Decomposition(comm, {1}), {7});
  quern::cumprod<int>(exec, one, one);
  if (one.local().size() == 1) {
    EXPECT_EQ(7, test::contents(one.local())[0]);
  }
}

struct append {  // depends on the order
  KOKKOS_FUNCTION void operator()(std::int64_t& lower, const std::int64_t& upper) const { lower = 10 * lower + upper; }
};

TYPED_TEST(DistributedScanOn, KernelsJoinItemsInTheOrderOfRanks) {
  using E = TypeParam;
  const E exec{};
  const auto comm = test::world();
  for (const std::int64_t n : {1, 3, 4, 101}) {
    const Kokkos::View<std::int64_t*, E> joined("joined", n), before("before", n);
    Kokkos::deep_copy(joined, comm.rank() + 1);
    Kokkos::deep_copy(before, comm.rank() + 1);
    const std::int64_t start = 5;
    quern::impl::join_by_kernels<false>(exec, comm, comm, "test", joined.data(), n, start, append());
    quern::impl::join_by_kernels<true>(exec, comm, comm, "test", before.data(), n, start, append());
    exec.fence();
    std::int64_t all = 0, lower = start;
    for (int r = 1; r <= comm.size(); ++r) append()(all, r);
    for (int r = 1; r <= comm.rank(); ++r) append()(lower, r);
    EXPECT_EQ(std::vector<std::int64_t>(n, all), test::contents(joined));
    EXPECT_EQ(std::vector<std::int64_t>(n, lower), test::contents(before));
  }
}

// More lines than one message between ranks takes.
TYPED_TEST(DistributedScanOn, OfManyLines) {
  using E = TypeParam;
  const E exec{};
  const auto comm = test::world();
  const std::int64_t n = 50'000;
  const auto values = test::samples<double>(6 * n, 5);
  const Decomposition d(comm, {6, n}, {.grid = {0, 1}});
  const auto u = test::distribute<double, 2, LayoutRight, E>(d, values);
  const quern::DistributedView<double, 2, E> sums("sums", d);
  quern::cumsum(exec, sums, u, quern::axis{0});
  const auto expected = by_loop(values, d.extents(), 0, 0.0, std::plus<double>()).inclusive;
  EXPECT_EQ(test::part_of(expected, d.extents(), d.local()), test::contents(sums.local()));  // of quarters: exact
}

}  // namespace
