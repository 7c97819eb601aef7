// SPDX-FileCopyrightText: the Quern authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// How many messages calls send, and what is left where something throws while these are under way.
#include <distributed/world.hpp>
#include <numeric>
#include <quern/distributed/group_by.hpp>
#include <quern/distributed/halo_exchange.hpp>
#include <quern/distributed/merge.hpp>
#include <quern/distributed/reducing_map.hpp>
#include <quern/distributed/reducing_stencil.hpp>
#include <stdexcept>
#include <support/mpi_calls.hpp>

namespace {

namespace op = quern::op;
using Kokkos::LayoutRight;
using quern::Decomposition, quern::on_host, quern::outputs, quern::reduced;
using test::mpi_calls, test::mpi_calls_of;

template <class Exec>
struct Messages : testing::Test {};
TYPED_TEST_SUITE(Messages, test::all_spaces);

/// Whether values of an instance go by MPI, and straight from where they are.
template <class E>
bool by_host_messages(const quern::Communicator& comm) {
  return !quern::impl::is_device<E> && comm.size() > 1;
}

TYPED_TEST(Messages, AreCounted) {
  const auto comm = test::world();
  int values[] = {1, 2};
  const auto counted = mpi_calls_of([&] {
    MPI_Allreduce(MPI_IN_PLACE, values, 2, MPI_INT, MPI_SUM, comm.mpi());
    MPI_Bcast(values, 2, MPI_INT, 0, comm.mpi());
  });
  EXPECT_EQ((mpi_calls{.collectives = 2}), counted);
  EXPECT_EQ(2 * comm.size(), values[1]);
}

/// Of a table with several columns, as many as of one column; by the library's own instance.
TEST(MessagesOfTables, OneForAllColumns) {
  using space = Kokkos::DefaultExecutionSpace;
  const auto comm = test::world();
  if (!by_host_messages<space>(comm)) return;
  quern::Table<space> one, several;
  std::vector<std::int64_t> numbers(100);
  std::iota(numbers.begin(), numbers.end(), 0);
  const auto keys = test::make_array<std::int64_t, 1, LayoutRight, space>({100}, numbers);
  one.insert("key", keys);
  several.insert("key", keys).insert("x", Kokkos::View<double*, space>("x", 100));
  several.insert("y", Kokkos::View<float*, space>("y", 100)).insert("flag", Kokkos::View<bool*, space>("flag", 100));
  const auto groups = quern::distributed::group_by(comm, several, "key");
  const auto of_one = mpi_calls_of([&] { groups.aggregate({}); }),
             of_many = mpi_calls_of([&] {
               groups.aggregate(
                   {{"x", quern::statistic::var}, {"y", quern::statistic::max}, {"x", quern::statistic::sum}});
             });
  EXPECT_EQ(comm.size() - 1, of_one.sends);
  EXPECT_EQ(comm.size() - 1, of_one.receives);
  EXPECT_EQ(of_one, of_many);
  const auto merged = mpi_calls_of([&] { quern::distributed::merge(comm, several, one); });
  EXPECT_EQ(2 * (comm.size() - 1), merged.sends);
}

struct three_values {
  KOKKOS_FUNCTION auto operator()(double v) const { return quern::values(v, v * v, v, -v); }
};
struct three_of_window {
  template <class W>
  KOKKOS_FUNCTION auto operator()(const W& p) const {
    const double l = p(-1, 0) + p(1, 0) - 2 * p(0, 0);
    return quern::values(l, l * p(0, 0), l, -l);
  }
};

TYPED_TEST(Messages, OneForAllReductionsOfACall) {
  using E = TypeParam;
  const E exec{};
  const auto comm = test::world();
  if (!by_host_messages<E>(comm)) return;
  const Decomposition d(comm, {8 * comm.size(), 5}, {.grid = {comm.size(), 1}, .halo = {1, 0}});
  const quern::DistributedView<double, 2, E> u("u", d), x("x", d);
  Kokkos::deep_copy(x.local_with_halo(), 1.5);
  const double n = static_cast<double>(40 * comm.size());
  const Kokkos::View<double, E> total("total"), mean("mean");
  const Kokkos::View<std::int64_t, E> place("place");
  const Kokkos::View<double*, E> sums("sums", 5), least("least", 5), greatest("greatest", 5);
  const auto all = [&](const auto& call) {
    EXPECT_EQ((mpi_calls{.collectives = 1}), mpi_calls_of([&] {
                call(reduced<op::sum>(total), reduced<op::mean>(mean), reduced<op::argmax>(place));
              }));
    double sum = 0;
    EXPECT_EQ((mpi_calls{.collectives = 1}), mpi_calls_of([&] {
                sum = std::get<0>(call(reduced<op::sum>(on_host, quern::reproducible), reduced<op::var>(on_host),
                                       reduced<op::argmin>(place)));
              }));
    EXPECT_EQ(2.25 * n, sum);
    const quern::axis along{0};
    EXPECT_EQ((mpi_calls{.collectives = 1}), mpi_calls_of([&] {
                call(reduced<op::sum>(sums, along), reduced<op::min>(least, along), reduced<op::max>(greatest, along));
              }));
  };
  all([&](const auto&... results) { return quern::map(exec, outputs(u, results...), three_values(), x); });
}

// Beside those that bring halos: one to each neighbour.
TYPED_TEST(Messages, OneForAllReductionsOfAStencil) {
  using E = TypeParam;
  const E exec{};
  const auto comm = test::world();
  if (!by_host_messages<E>(comm)) return;
  const Decomposition d(comm, {8 * comm.size(), 5}, {.grid = {comm.size(), 1}, .halo = {1, 0}});
  const quern::DistributedView<double, 2, E> u("u", d), x("x", d);
  const int neighbours = comm.rank() == 0 || comm.rank() == comm.size() - 1 ? 1 : 2;
  const mpi_calls expected{.sends = neighbours, .receives = neighbours, .waits = 1, .collectives = 1};
  const Kokkos::View<double, E> total("total");
  const Kokkos::View<double*, E> sums("sums", 5), least("least", 5), greatest("greatest", 5);
  const auto step = [&](const auto&... results) {
    return mpi_calls_of([&] {
      quern::stencil<quern::star<1, 0>>(exec, outputs(u, results...), three_of_window(), quern::boundary::reflect, x);
    });
  };
  EXPECT_EQ(expected, step(reduced<op::sum>(total), reduced<op::mean>(on_host), reduced<op::argmax>(on_host)));
  const quern::axis along{0};
  EXPECT_EQ(expected,
            step(reduced<op::sum>(sums, along), reduced<op::min>(least, along), reduced<op::max>(greatest, along)));
}

// Of a program's own blocks: one to each neighbour for all fields, each time, and nothing else.
TYPED_TEST(Messages, OneToEachNeighbourOfOwnBlocks) {
  using E = TypeParam;
  const auto comm = test::world();
  if (!by_host_messages<E>(comm)) return;
  const Decomposition::Block own{{4 * comm.rank(), 0}, {4, 5}};
  quern::HaloExchange exchange(E(), comm, own, quern::boundary::reflect, quern::depth{1});
  const Kokkos::View<double**, E> u("u", 6, 7), w("w", 6, 7);
  const Kokkos::View<float**, LayoutRight, E> v("v", 6, 7);
  const int neighbours = comm.rank() == 0 || comm.rank() == comm.size() - 1 ? 1 : 2;
  const mpi_calls expected{.sends = neighbours, .receives = neighbours, .waits = 1};
  for (const auto& field : {u, w}) {
    EXPECT_EQ(expected, mpi_calls_of([&] { exchange.exchange(field, v); }));
    EXPECT_EQ(neighbours, exchange.messages());
    EXPECT_EQ(expected, mpi_calls_of([&] { exchange.add(field, v); }));
    EXPECT_EQ(neighbours, exchange.messages());
  }
}

// What goes wrong as a consequence does not hide what went wrong first, and the exchange can be used again.
TYPED_TEST(Messages, TheFirstExceptionOfAnExchangeIsTheOneThatIsSeen) {
  using E = TypeParam;
  const auto comm = test::world();
  const Decomposition d(comm, {4 * comm.size()}, {.halo = {1}});
  const auto u = test::distribute<double, 1, LayoutRight, E>(d, test::samples<double>(4 * comm.size(), 1));
  std::vector<quern::impl::peer_box> out, in;
  quern::impl::add_halo_boxes(d, quern::impl::with_halo(u), {1}, {true}, true, out, in);
  quern::impl::box_exchange<E> exchange(E(), comm, "test", out, in);
  const auto step = [&](bool throws) {
    exchange.start();
    try {
      if (throws) throw std::runtime_error("the step is too large");
      exchange.receive();
    } catch (...) {
      exchange.abandon();
      throw;
    }
    exchange.join();
  };
  const auto message = [&](bool throws) -> std::string {
    try {
      step(throws);
      return "";
    } catch (const std::exception& e) {
      return e.what();
    }
  };
  const bool mpi_waits = !quern::impl::is_device<E> || comm.transport() != quern::device_transport::nccl;
  test::fail_next_mpi_wait = mpi_waits;
  EXPECT_EQ("the step is too large", message(true));
  EXPECT_FALSE(test::fail_next_mpi_wait) << "messages are not waited for";
  EXPECT_EQ("", message(false));
  if (!mpi_waits) return;
  test::fail_next_mpi_wait = true;
  EXPECT_NE(std::string::npos, message(false).find("quern: messages: MPI reports"));
  EXPECT_EQ("", message(false));
}

}  // namespace
