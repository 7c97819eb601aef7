// SPDX-FileCopyrightText: the Quern authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Outputs that share memory with re-indexed operands.

#include <quern/reduce.hpp>
#include <quern/scan.hpp>
#include <quern/transfer.hpp>
#include <views/numbered.hpp>

namespace {

using namespace test::numbered;

struct is_odd {
  KOKKOS_FUNCTION bool operator()(int a) const { return a % 2 != 0; }
};
struct same_twice {
  KOKKOS_FUNCTION auto operator()(double a) const { return quern::values(a, a); }
};

TEST(ReindexedOverlap, OfAnOutputWithWhatIsRead) {
  const line x = make({1, 2, 3, 4, 5});
  const matrix y = make(5, 5);
  const auto rejected = [](const auto& call) {
    test::expect_error("quern::map: out and in 1 share memory and are not the same View", call);
  };
  rejected([&] { quern::map(exec(), x, twice_plus(), quern::flip(x), 1.0); });
  rejected([&] { quern::map(exec(), y, twice_plus(), quern::permute_dims(y, quern::axes{1, 0}), 1.0); });
  const auto reads = [](const auto& call) {
    test::expect_error("quern::map: out and the array that in 1 re-indexes share memory", call);
  };
  reads([&] { quern::map(exec(), x, twice_plus(), quern::roll(x, 1), 1.0); });
  reads([&] { quern::map(exec(), x, twice_plus(), quern::roll(x, 0), 1.0); });
  reads(
      [&] { quern::map(exec(), x, twice_plus(), quern::flip(quern::lazy(twice_plus(), quern::roll(x, 1), x)), 1.0); });
  const auto indices = make_indices({0, 1});
  test::expect_error("quern::copy: out and the indices of in 1 share memory",
                     [&] { quern::copy(exec(), indices, quern::take(make_indices({4, 5}), indices, quern::axis{0})); });
  const Kokkos::View<std::int64_t, exec> outside("outside");
  test::expect_error("quern::sum: out and the info of in 1 share memory", [&] {
    quern::sum(exec(), outside, quern::take(make_indices({4, 5}), indices, quern::axis{0}, outside));
  });
  test::expect_error("quern::copy: out has stride 0 along axis 0 of extents (3, 5): its elements share memory",
                     [&] { quern::copy(exec(), quern::broadcast_to(x, {3, 5}), x); });
  EXPECT_EQ((std::vector<double>{1, 2, 3, 4, 5}), test::contents(x));
}

TEST(ReindexedOverlap, OfAnOutputWithAMask) {
  const Kokkos::View<int*, exec> x = make_indices({1, 2, 0, 4, 0}), counted = make_indices({0, 0, 0, 0, 0});
  const auto rejected = [](const std::string& message, const auto& call) {
    test::expect_error("quern::map: out and " + message, call);
  };
  rejected("the array that the mask re-indexes share memory",
           [&] { quern::map(exec(), x, twice_plus(), quern::mask{quern::roll(x, 1)}, counted, 1); });
  rejected("the array that the mask re-indexes share memory", [&] {
    quern::map(exec(), x, twice_plus(), quern::mask{quern::lazy(is_odd(), quern::roll(x, 1))}, counted, 1);
  });
  rejected("the mask share memory",
           [&] { quern::map(exec(), x, twice_plus(), quern::mask{quern::flip(x)}, counted, 1); });
  rejected("the indices of the mask share memory", [&] {
    quern::map(exec(), x, twice_plus(), quern::mask{quern::take(counted, x, quern::axis{0})}, counted, 1);
  });
  test::expect_error("quern::cumsum: out and the array that the mask re-indexes share memory",
                     [&] { quern::cumsum(exec(), x, counted, quern::mask{quern::roll(x, 1)}); });
  test::expect_error("quern::sum: out and the array that the mask re-indexes share memory",
                     [&] { quern::sum(exec(), Kokkos::subview(x, 0), counted, quern::mask{quern::roll(x, 1)}); });
  EXPECT_EQ((std::vector<int>{1, 2, 0, 4, 0}), test::contents(x));
  // A lazy mask reads element by element what is written.
  quern::map(exec(), x, twice_plus(), quern::mask{quern::lazy(is_odd(), x)}, counted, 9);
  EXPECT_EQ((std::vector<int>{9, 2, 0, 4, 0}), test::contents(x));
}

TEST(ReindexedOverlap, OfAReductionAmongOutputs) {
  const matrix x = make(5, 5), out = make(5, 5);
  const auto sums = Kokkos::subview(x, 2, Kokkos::ALL);
  test::expect_error("quern::map: a reduction's output and in 1 share memory", [&] {
    quern::map(exec(), quern::outputs(out, quern::reduced<quern::op::sum>(sums, quern::axis{0})), same_twice(),
               quern::roll(x, 1, quern::axis{0}));
  });
}

}  // namespace
