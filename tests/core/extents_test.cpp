// SPDX-FileCopyrightText: the Quern authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <quern/core/launch/loop_nest.hpp>
#include <quern/core/values/bytes_text.hpp>
#include <quern/core/views/extents.hpp>
#include <quern/core/views/overlap.hpp>
#include <random>
#include <set>
#include <support/testing.hpp>

namespace {

using quern::shape;
using quern::impl::broadcast_strides;
using quern::impl::make_loop_nest;
using quern::impl::strided;
using strides = Kokkos::Array<std::int64_t, quern::max_rank>;

TEST(Shape, PrintsAndCounts) {
  EXPECT_EQ("()", shape{}.str());
  EXPECT_EQ(1, shape{}.size());
  EXPECT_EQ("(10, 20)", (shape{10, 20}).str());
  EXPECT_EQ(200, (shape{10, 20}).size());
  EXPECT_EQ(std::int64_t{1} << 40, (shape{1 << 20, 1 << 20}).size());
  test::expect_error("quern::shape: at most 8 extents are possible", [] { shape{1, 1, 1, 1, 1, 1, 1, 1, 1}; });
}

TEST(ByteUnit, FitsAllNumbersOfAMessage) {
  using quern::impl::byte_unit;
  EXPECT_EQ("0 bytes", byte_unit(0).text(0));
  EXPECT_EQ("999 bytes", byte_unit(999, 1'000'000).text(999));
  EXPECT_EQ("1000000 bytes", byte_unit(999, 1'000'000).text(1'000'000));
  EXPECT_EQ("8 kB", byte_unit(8'000, 16'000'000'000).text(8'000));
  EXPECT_EQ("16000000 kB", byte_unit(8'000, 16'000'000'000).text(16'000'000'000));
  EXPECT_EQ("1.001 MB", byte_unit(1'000'001).text(1'000'001)) << "rounded up";
  EXPECT_EQ("0.001 MB", byte_unit(0, 5'000'000).text(1));
  EXPECT_EQ("851.968 kB", byte_unit(851'968).text(851'968));
  EXPECT_EQ("18446744.074 TB", byte_unit(~std::uint64_t(0)).text(~std::uint64_t(0)));
}

TEST(Broadcast, MatchesAxesFromTheLast) {
  strides r;
  EXPECT_TRUE(broadcast_strides({5}, {1}, {3, 4, 5}, r));
  EXPECT_EQ((strides{0, 0, 1}), r);
  EXPECT_TRUE(broadcast_strides({4, 1}, {1, 1}, {3, 4, 5}, r));
  EXPECT_EQ((strides{0, 1, 0}), r);
  EXPECT_TRUE(broadcast_strides({}, {}, {3, 4}, r));
  EXPECT_EQ((strides{0, 0}), r);
  EXPECT_TRUE(broadcast_strides({1, 0}, {0, 1}, {3, 0}, r));
  EXPECT_FALSE(broadcast_strides({3}, {1}, {3, 4}, r));
  EXPECT_FALSE(broadcast_strides({1, 3}, {3, 1}, {3}, r));
  EXPECT_FALSE(broadcast_strides({3}, {1}, {1}, r)) << "an output is never broadcast";
}

TEST(LoopNest, MergesContiguousAxesOfAnyLayout) {
  const auto right = make_loop_nest<2>({3, 4, 5}, {strides{20, 5, 1}, strides{20, 5, 1}});
  EXPECT_EQ(1, right.rank);
  EXPECT_EQ(60, right.inner());
  const auto left = make_loop_nest<2>({3, 4, 5}, {strides{1, 3, 12}, strides{1, 3, 12}});
  EXPECT_EQ(1, left.rank);
  EXPECT_EQ(60, left.inner());
  EXPECT_EQ(1, left.stride[1][0]);
}

TEST(LoopNest, KeepsWhatDoesNotMerge) {
  // A padded row, and a row repeated for each row of the first.
  const auto nest = make_loop_nest<2>({3, 4}, {strides{8, 1}, strides{0, 1}});
  EXPECT_EQ(2, nest.rank);
  EXPECT_EQ(4, nest.inner());
  EXPECT_EQ(3, nest.outer());
  EXPECT_EQ(8, nest.stride[0][1]);
  EXPECT_EQ(0, nest.stride[1][1]);
}

TEST(LoopNest, RunsAlongTheOutputsFastestAxis) {
  const auto nest = make_loop_nest<2>({3, 4}, {strides{1, 3}, strides{4, 1}});
  EXPECT_EQ(3, nest.inner());
  EXPECT_EQ(1, nest.stride[0][0]);
  EXPECT_EQ(4, nest.stride[1][0]);
}

TEST(LoopNest, DropsAxesOfOneElementAndKeepsEmptyOnes) {
  const auto nest = make_loop_nest<1>({1, 7, 1}, {strides{99, 1, 77}});
  EXPECT_EQ(1, nest.rank);
  EXPECT_EQ(7, nest.inner());
  EXPECT_EQ(0, make_loop_nest<1>({3, 0}, {strides{0, 1}}).inner() * make_loop_nest<1>({3, 0}, {strides{0, 1}}).outer());
  EXPECT_EQ(1, make_loop_nest<1>({}, {strides{}}).inner());
}

std::set<const char*> bytes_of(const strided<float>& s) {
  std::set<const char*> all;
  for (std::int64_t i = 0; i < s.extents.size(); ++i) {
    std::int64_t rest = i, offset = 0;
    for (int d = s.extents.rank - 1; d >= 0; --d) {
      offset += rest % s.extents.extent[d] * s.stride[d];
      rest /= s.extents.extent[d];
    }
    for (int b = 0; b < 4; ++b) all.insert(reinterpret_cast<const char*>(s.data + offset) + b);
  }
  return all;
}

TEST(Overlap, AgreesWithEnumerationOfBytes) {
  std::mt19937 random(7);
  const auto draw = [&](int low, int high) { return std::uniform_int_distribution<int>(low, high)(random); };
  std::vector<float> memory(4096);
  int overlapping = 0;
  for (int trial = 0; trial < 3000; ++trial) {
    strided<float> s[2];
    for (auto& v : s) {
      v.data = memory.data() + draw(0, 25);
      v.extents.rank = draw(0, 3);
      for (int d = 0; d < v.extents.rank; ++d) {
        v.extents.extent[d] = draw(0, 9) == 0 ? 0 : draw(1, 4);
        v.stride[d] = draw(0, 15);
      }
    }
    const auto a = bytes_of(s[0]), b = bytes_of(s[1]);
    bool shared = false;
    for (const char* p : a) shared = shared || b.count(p) > 0;
    overlapping += shared;
    ASSERT_EQ(shared, quern::impl::overlap(s[0], s[1])) << "trial " << trial;
  }
  EXPECT_GT(overlapping, 300);
  EXPECT_LT(overlapping, 2700);
}

TEST(Overlap, TellsLargeNeighboursApart) {
  Kokkos::View<double**, Kokkos::HostSpace> a("a", 3000, 1000);
  const auto part = [&](int low, int high) {
    const auto v = Kokkos::subview(a, Kokkos::ALL, std::pair(low, high));
    return quern::impl::describe(v.data(), v);
  };
  EXPECT_FALSE(quern::impl::overlap(part(0, 500), part(500, 1000)));
  EXPECT_TRUE(quern::impl::overlap(part(0, 501), part(500, 1000)));
}

}  // namespace
