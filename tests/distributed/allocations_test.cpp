// SPDX-FileCopyrightText: the Quern authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Counts `operator new` in warm calls over ranks. What MPI takes from `malloc` is its own.

#include <support/allocations.hpp>
#include <support/small_functors.hpp>

#include <distributed/world.hpp>
#include <quern/distributed/all_reduce.hpp>
#include <quern/distributed/halo_exchange.hpp>
#include <quern/distributed/reducing_stencil.hpp>
#include <quern/map.hpp>

namespace {

namespace op = quern::op;
using quern::boundary, quern::boundaries, quern::boundary_pair, quern::Decomposition, quern::outputs, quern::reduced;
using test::half_and_square, test::halved, test::mean_and_square, test::mean_of_cross;

struct inflow {
  template <class Index>
  KOKKOS_FUNCTION double operator()(const Index& at) const {
    return static_cast<double>(at[0]);
  }
};

template <class Exec>
struct DistributedAllocations : testing::Test {
  Exec exec;
  void expect_none(const char* what, const test::call_ref<>& f) {
    for (int i = 0; i < 3; ++i) f();  // which fill the pools
    exec.fence();
    EXPECT_EQ(0, test::allocations_of(f)) << what;
    exec.fence();
  }
};
TYPED_TEST_SUITE(DistributedAllocations, test::all_spaces);

TYPED_TEST(DistributedAllocations, OfDistributedViews) {
  if (quern::impl::is_device<TypeParam>) GTEST_SKIP() << "the driver's own";
  using E = TypeParam;
  const E exec{};
  const auto comm = test::world();
  const Decomposition d(comm, {24, 13}, {.grid = {comm.size(), 1}, .halo = {1, 1}});
  const quern::DistributedView<double, 2, E> u("u", d), v("v", d);
  const Kokkos::View<double, E> total("total");
  const Kokkos::View<std::int64_t, E> position("position");
  this->expect_none("map", [&] { quern::map(exec, v, halved(), u); });
  this->expect_none("map with a reduction",
                    [&] { quern::map(exec, outputs(v, reduced<op::sum>(total)), half_and_square(), u); });
  this->expect_none("map with a position",
                    [&] { quern::map(exec, outputs(v, reduced<op::argmax>(position)), half_and_square(), u); });
  this->expect_none("map with a reduction to the host", [&] {
    static_cast<void>(quern::map(exec, outputs(v, reduced<op::sum>(quern::on_host)), half_and_square(), u));
  });
  for (const boundaries& edge :
       {boundaries(boundary::wrap),
        boundaries{boundary::keep, boundary_pair(boundary::constant(1.5), boundary::mirror)}}) {
    this->expect_none("stencil", [&] { quern::stencil<quern::star<1>>(exec, v, mean_of_cross(), edge, u); });
    this->expect_none("stencil with a reduction", [&] {
      quern::stencil<quern::star<1>>(exec, outputs(v, reduced<op::sum>(total)), mean_and_square(), edge, u);
    });
    this->expect_none("stencil with a reproducible sum", [&] {
      quern::stencil<quern::star<1>>(exec, outputs(v, reduced<op::sum>(total, quern::reproducible)), mean_and_square(),
                                     edge, u);
    });
  }
  std::vector<quern::DistributedView<double, 2, E>> fields;
  for (int i = 0; i < 24; ++i) fields.emplace_back("field", d);
  this->expect_none("stencils of many fields", [&] {
    for (const auto& field : fields) quern::stencil<quern::star<1>>(exec, v, mean_of_cross(), boundary::wrap, field);
  });
  this->expect_none("sum", [&] { quern::sum(exec, total, u); });
  this->expect_none("all_reduce", [&] { quern::distributed::all_reduce(exec, comm, total); });
  // Some versions of Kokkos allocate for each default instance.
  const auto of_an_instance = test::allocations_of([] { Kokkos::DefaultHostExecutionSpace(); });
  EXPECT_EQ(of_an_instance,
            test::allocations_of([&] { static_cast<void>(quern::distributed::all_reduce(comm, 1.0)); }));
  quern::HaloExchange exchange(exec, boundary::nearest, u, v);
  this->expect_none("HaloExchange", [&] { exchange.exchange(); });
}

TYPED_TEST(DistributedAllocations, OfOwnBlocks) {
  if (quern::impl::is_device<TypeParam>) GTEST_SKIP() << "the driver's own";
  using E = TypeParam;
  const E exec{};
  const auto comm = test::world();
  const Decomposition::Block own{{6 * comm.rank(), 0}, {6, 5}};
  const boundaries walls{boundary::prescribed, boundary::odd_reflect};
  quern::HaloExchange exchange(exec, comm, own, boundary::wrap, quern::depth{2}),
      with_functor(exec, comm, own, walls, quern::depth{2}),
      faces(exec, comm, own, boundary::reflect, quern::depth{2}, quern::layers{1}, quern::faces_only);
  using view = Kokkos::View<double**, E>;
  const view u("u", 10, 9), v("v", 10, 9);
  const std::vector<view> list{u, v};
  this->expect_none("start and finish", [&] {
    exchange.start(u, v);
    exchange.finish();
  });
  this->expect_none("swapped", [&] {
    exchange.exchange(u);
    exchange.exchange(v);
  });
  this->expect_none("boundaries", [&] { faces.exchange(u, v); });
  this->expect_none("a functor", [&] { with_functor.exchange(inflow(), u); });
  this->expect_none("a list", [&] { exchange.exchange(list); });
  this->expect_none("a list with boundaries", [&] { faces.exchange(list); });
  this->expect_none("a name", [&] { exchange.exchange(u, quern::named{"the ghosts of all the fields"}); });
  this->expect_none("add", [&] { faces.add(u, v); });
  this->expect_none("add a list", [&] { faces.add(list); });
}

// Lists of each number of fields have messages of their own, of which those are kept that were used lately.
TYPED_TEST(DistributedAllocations, OfManyPlans) {
  if (quern::impl::is_device<TypeParam>) GTEST_SKIP() << "the driver's own";
  using E = TypeParam;
  const auto comm = test::world();
  const Decomposition::Block own{{6 * comm.rank(), 0}, {6, 5}};
  quern::HaloExchange exchange(E(), comm, own, boundary::wrap, quern::depth{1});
  std::vector<Kokkos::View<double**, E>> fields;
  const auto exchange_first = [&](int count) {
    while (std::ssize(fields) < count) fields.emplace_back("field", 8, 7);
    const std::vector list(fields.begin(), fields.begin() + count);
    return test::allocations_of([&] { exchange.exchange(list); });
  };
  for (int count = 1; count <= 64; ++count) exchange_first(count);
  EXPECT_EQ(0, exchange_first(1));
  exchange_first(65);
  EXPECT_EQ(0, exchange_first(1));
  EXPECT_LT(0, exchange_first(2));
}

}  // namespace
