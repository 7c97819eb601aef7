// SPDX-FileCopyrightText: the Quern authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <distributed/world.hpp>
#include <quern/distributed/all_reduce.hpp>
#include <quern/map.hpp>
#include <quern/reduce.hpp>

namespace {

using quern::distributed::all_reduce;

template <class Exec>
struct AllReduceOn : testing::Test {};
TYPED_TEST_SUITE(AllReduceOn, test::all_spaces);

struct and_square {
  template <class T>
  KOKKOS_FUNCTION auto operator()(const T& x) const {
    return quern::values(x + 1, x * x);
  }
};

TYPED_TEST(AllReduceOn, ViewsOfSeveralTypesInOneMessage) {
  using E = TypeParam;
  const E exec{};
  const auto comm = test::world();
  const int ranks = comm.size(), rank = comm.rank();
  const Kokkos::View<double, E> a("a");
  const auto b = test::make_array<std::int64_t, 1, Kokkos::LayoutStride, E>({3}, {rank, rank + 1, 7 - rank});
  const auto c = test::make_array<Kokkos::complex<float>, 1, Kokkos::LayoutRight, E>(
      {2}, {Kokkos::complex<float>(1, static_cast<float>(rank)), Kokkos::complex<float>(0, 2)});
  Kokkos::deep_copy(a, 0.5 + rank);
  all_reduce(exec, comm, a, b, c);
  exec.fence();
  const int sum = ranks * (ranks - 1) / 2;
  EXPECT_EQ(0.5 * ranks + sum, quern::to_host(a)());
  EXPECT_EQ((std::vector<std::int64_t>{sum, sum + ranks, 7 * ranks - sum}), test::contents(b));
  const auto found = test::contents(c);
  EXPECT_EQ(Kokkos::complex<float>(static_cast<float>(ranks), static_cast<float>(sum)), found[0]);
  EXPECT_EQ(Kokkos::complex<float>(0, static_cast<float>(2 * ranks)), found[1]);
}

TYPED_TEST(AllReduceOn, OtherOperations) {
  using E = TypeParam;
  const auto comm = test::world();
  const int last = comm.size() - 1, rank = comm.rank();
  const auto make = [&] { return test::make_array<int, 1, Kokkos::LayoutRight, E>({2}, {rank + 1, -rank}); };
  const auto low = make(), high = make(), product = make(), named = make(),
             none = test::make_array<int, 1, Kokkos::LayoutRight, E>({0});
  all_reduce<quern::op::min>(E(), comm, low);
  all_reduce<quern::op::max>(comm, high, none);
  all_reduce<quern::op::prod>(E(), comm, product, quern::named{"product"});
  all_reduce(comm, named, quern::named{"sum"});
  all_reduce(E(), comm, none);
  int factorial = 1;
  for (int r = 0; r <= last; ++r) factorial *= r + 1;
  EXPECT_EQ((std::vector<int>{1, -last}), test::contents(low));
  EXPECT_EQ((std::vector<int>{last + 1, 0}), test::contents(high));
  EXPECT_EQ((std::vector<int>{factorial, 0}), test::contents(product));
  EXPECT_EQ((last + 1) * (last + 2) / 2, test::contents(named)[0]);
}

TYPED_TEST(AllReduceOn, AnOperationForEachView) {
  using E = TypeParam;
  const auto comm = test::world();
  const int ranks = comm.size(), rank = comm.rank();
  const auto sum = test::make_array<double, 1, Kokkos::LayoutRight, E>({2}, {0.5, 1.0 + rank});
  const auto high = test::make_array<int, 1, Kokkos::LayoutRight, E>({3}, {rank, -rank, 7});
  const auto low = test::make_array<int, 1, Kokkos::LayoutRight, E>({3}, {rank, -rank, 7});
  all_reduce<quern::op::sum, quern::op::max, quern::op::min>(E(), comm, sum, high, low);
  EXPECT_EQ((std::vector<double>{0.5 * ranks, ranks + ranks * (ranks - 1) / 2.0}), test::contents(sum));
  EXPECT_EQ((std::vector<int>{ranks - 1, 0, 7}), test::contents(high));
  EXPECT_EQ((std::vector<int>{0, 1 - ranks, 7}), test::contents(low));
  all_reduce<quern::op::max, quern::op::sum>(comm, high, low, quern::named{"step"});
  EXPECT_EQ((std::vector<int>{ranks - 1, 0, 7}), test::contents(high));
  EXPECT_EQ((std::vector<int>{0, ranks * (1 - ranks), 7 * ranks}), test::contents(low));
}

TYPED_TEST(AllReduceOn, NarrowTypes) {
  using E = TypeParam;
  const auto comm = test::world();
  const int ranks = comm.size(), rank = comm.rank();
  const auto sum = test::make_array<std::int8_t, 1, Kokkos::LayoutRight, E>(
      {3}, {static_cast<std::int8_t>(rank + 1), 100, static_cast<std::int8_t>(-rank)});
  const auto any = test::make_array<bool, 1, Kokkos::LayoutRight, E>({3}, {rank == ranks - 1, false, true});
  all_reduce<quern::op::sum, quern::op::max>(E(), comm, sum, any);
  const auto narrow = [](int x) { return static_cast<std::int8_t>(x); };
  EXPECT_EQ(
      (std::vector<std::int8_t>{narrow(ranks * (ranks + 1) / 2), narrow(100 * ranks), narrow(ranks * (1 - ranks) / 2)}),
      test::contents(sum));
  EXPECT_EQ((std::vector<bool>{true, false, true}), test::contents(any));
}

TYPED_TEST(AllReduceOn, NumbersOfTheHost) {
  const auto comm = test::world();
  const int ranks = comm.size(), rank = comm.rank();
  EXPECT_EQ(0.5 * ranks, all_reduce(comm, 0.5));
  EXPECT_EQ(ranks - 1, all_reduce<quern::op::max>(comm, rank));
  EXPECT_EQ(-ranks + 1, all_reduce<quern::op::min>(comm, -rank));
  EXPECT_TRUE(all_reduce<quern::op::max>(comm, rank == 0));
  EXPECT_EQ(ranks == 1, all_reduce<quern::op::min>(comm, rank == 0));
}

// Reductions of blocks that are the program's own.
TYPED_TEST(AllReduceOn, CompletesReductionsAmongOutputs) {
  using E = TypeParam;
  const E exec{};
  const auto comm = test::world();
  const Kokkos::View<double*, E> x("x", 10 + comm.rank());
  const Kokkos::View<double, E> squares("squares");
  quern::fill(exec, x, 2.0);
  quern::map(exec, quern::outputs(x, quern::reduced<quern::op::sum>(squares)), and_square(), x);
  all_reduce(exec, comm, squares);
  const int ranks = comm.size();
  EXPECT_EQ(4.0 * (10 * ranks + ranks * (ranks - 1) / 2), quern::to_host(squares)());
}

TYPED_TEST(AllReduceOn, RejectsMisuse) {
  const auto comm = test::world();
  const Kokkos::View<double**, TypeParam> u("u", 2, 3);
  test::expect_error("quern::distributed::all_reduce: a View of extents (2, 3), expected one axis or none",
                     [&] { all_reduce(TypeParam(), comm, u); });
  const Kokkos::View<double, TypeParam> one("one"), two("two");
  test::expect_error("quern::distributed::all_reduce: out 0 and out 1 share memory",
                     [&] { all_reduce<quern::op::max>(comm, one, one); });
  const quern::Communicator checked(comm.mpi(), {.check_calls = true});
  if (comm.size() == 1) return;
  const Kokkos::View<double*, TypeParam> v("v", test::is_other(comm) ? 3 : 2);
  const std::string label = "quern::distributed::all_reduce";
  test::expect_error(
      label + ": on rank " + std::to_string(comm.size() - 1) + ": " + label + ": out 0 and out 1 share memory",
      [&] { all_reduce<quern::op::max>(checked, one, test::is_other(comm) ? one : two); });
  test::expect_calls_differ(comm, label, label + " of float64 (2) with quern::sum",
                            label + " of float64 (3) with quern::sum", [&] { all_reduce(TypeParam(), checked, v); });
}

TYPED_TEST(AllReduceOn, ComparesOperationsAndScalarsWithViews) {
  const quern::Communicator comm(test::world().mpi(), {.check_calls = true});
  if (comm.size() == 1) return;
  const bool other = test::is_other(comm);
  const Kokkos::View<double, TypeParam> x("x");
  const std::string label = "quern::distributed::all_reduce", view = label + " of float64 ()",
                    number = label + " of one float64";
  const auto differ = [&](const std::string& first, const std::string& last, const auto& f) {
    test::expect_calls_differ(comm, label, first, last, f);
  };
  differ(view + " with quern::sum", view + " with quern::max", [&] {
    if (other) all_reduce<quern::op::max>(TypeParam(), comm, x);
    else all_reduce(TypeParam(), comm, x);
  });
  differ(view + " float64 () with quern::max", view + " float64 () with quern::sum with quern::max", [&] {
    const Kokkos::View<double, TypeParam> y("y");
    if (other) all_reduce<quern::op::sum, quern::op::max>(comm, x, y);
    else all_reduce<quern::op::max>(comm, x, y);
  });
  differ(number + " with quern::min", number + " with quern::sum", [&] {
    if (other) all_reduce(comm, 1.0);
    else all_reduce<quern::op::min>(comm, 1.0);
  });
  differ(view + " with quern::sum", number + " with quern::sum", [&] {
    if (other) all_reduce(comm, 1.0);
    else all_reduce(comm, x);
  });
  differ(number + " with quern::sum", label + " of one int32 with quern::sum", [&] {
    if (other) all_reduce(comm, 1);
    else all_reduce(comm, 1.0);
  });
  EXPECT_EQ(comm.size(), all_reduce(comm, 1));  // the ranks are in step
}

}  // namespace
