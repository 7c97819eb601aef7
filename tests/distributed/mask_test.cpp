// SPDX-FileCopyrightText: the Quern authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Masks over ranks, beside those of the whole array on one.
#include <distributed/reductions.hpp>
#include <quern/distributed/histogram.hpp>
#include <quern/distributed/quantile.hpp>
#include <quern/distributed/reduce.hpp>
#include <quern/distributed/reducing_map.hpp>
#include <quern/distributed/scan.hpp>

namespace {

using quern::mask, quern::reproducible;

template <class Case>
struct DistributedMasks : testing::Test {};
TYPED_TEST_SUITE(DistributedMasks, test::reduce_cases);

TYPED_TEST(DistributedMasks, SelectAsOnOneDevice) {
  using E = typename TypeParam::exec;
  const E exec{};
  test::for_distributed_arrays<TypeParam>([&](const auto& v, const auto& u) {
    std::vector<std::uint8_t> chosen;
    for (std::size_t i = 0; i < v.size(); ++i) chosen.push_back(test::sample(i, 3) > 1);
    const auto whole = test::make_array<std::uint8_t, 3, Kokkos::LayoutRight, E>(
        {static_cast<std::int64_t>(v.extent(0)), static_cast<std::int64_t>(v.extent(1)),
         static_cast<std::int64_t>(v.extent(2))},
        chosen);
    const auto m = test::distribute<std::uint8_t, 3, Kokkos::LayoutRight, E>(u.decomposition(), chosen);
    test::expect_near(quern::sum(exec, v, mask{whole}), quern::sum(exec, u, mask{m}), v.size(), "sum");
    test::expect_near(quern::sum(exec, v, mask{whole}), quern::sum(exec, u, mask{whole}), v.size(), "replicated");
    test::expect_near(quern::mean(exec, v, mask{whole}), quern::mean(exec, u, mask{m}), v.size(), "mean");
    test::expect_near(quern::var(exec, v, mask{whole}), quern::var(exec, u, mask{m}), v.size(), "var");
    test::expect_near(quern::dot(exec, v, v, mask{whole}), quern::dot(exec, u, u, mask{m}), v.size(), "dot");
    test::expect_near(quern::min(exec, v, mask{whole}), quern::min(exec, u, mask{m}), 1, "min");
    EXPECT_EQ(quern::argmax(exec, v, mask{whole}), quern::argmax(exec, u, mask{m}));
    test::expect_near(quern::ptp(exec, v, mask{whole}), quern::ptp(exec, u, mask{m}), 1, "ptp");
    EXPECT_EQ(quern::sum(exec, v, mask{whole}, reproducible), quern::sum(exec, u, mask{m}, reproducible));
    test::expect_near(quern::var(exec, v, mask{whole}, reproducible), quern::var(exec, u, mask{m}, reproducible), 1,
                      "reproducible var");
  });
}

TYPED_TEST(DistributedMasks, SelectAlongAxes) {
  using E = typename TypeParam::exec;
  const E exec{};
  test::for_distributed_arrays<TypeParam>([&](const auto& v, const auto& u) {
    std::vector<bool> row(v.extent(2));
    for (std::size_t i = 0; i < row.size(); ++i) row[i] = i % 2 == 0;
    const Kokkos::View<bool*, E> m("m", row.size());
    const auto on_host = Kokkos::create_mirror_view(m);
    for (std::size_t i = 0; i < row.size(); ++i) on_host(i) = row[i];
    Kokkos::deep_copy(m, on_host);
    const Kokkos::View<double**, Kokkos::LayoutRight, E> expected("expected", v.extent(0), v.extent(1));
    const Kokkos::View<double**, Kokkos::LayoutRight, E> found("found", v.extent(0), v.extent(1));
    quern::mean(exec, expected, v, quern::axis{2}, mask{m});
    quern::mean(exec, found, u, quern::axis{2}, mask{m});
    const auto a = test::contents(expected), b = test::contents(found);
    for (std::size_t i = 0; i < a.size(); ++i) test::expect_near(a[i], b[i], v.extent(2), "mean");
  });
}

struct twice_and_itself {
  KOKKOS_FUNCTION auto operator()(double x) const { return quern::values(2 * x, x); }
};

template <class Exec>
struct DistributedMasksOn : testing::Test {};
TYPED_TEST_SUITE(DistributedMasksOn, test::all_spaces);

TYPED_TEST(DistributedMasksOn, SelectInMapsWithReductions) {
  using E = TypeParam;
  using quern::on_host, quern::outputs, quern::reduced;
  namespace op = quern::op;
  const E exec{};
  const auto& comm = test::world();
  const quern::Decomposition d(comm, {12, 5});
  const auto values = test::samples<double>(60, 1);
  std::vector<std::uint8_t> chosen(60);
  double sum = 0;
  std::int64_t at = -1;
  for (int i = 0; i < 60; ++i) {
    chosen[i] = i % 4 == 1;
    if (chosen[i] == 0) continue;
    sum += values[i];
    if (at < 0 || values[i] > values[at]) at = i;
  }
  const auto x = test::distribute<double, 2, Kokkos::LayoutRight, E>(d, values),
             out = test::distribute<double, 2, Kokkos::LayoutRight, E>(d, std::vector<double>(60, 7));
  const auto m = test::distribute<std::uint8_t, 2, Kokkos::LayoutRight, E>(d, chosen);
  EXPECT_EQ(sum, quern::map(exec, outputs(out, reduced<op::sum>(on_host)), twice_and_itself(), mask{m}, x));
  std::vector<double> expected(60, 7);
  for (int i = 0; i < 60; ++i)
    if (chosen[i] != 0) expected[i] = 2 * values[i];
  EXPECT_EQ(test::part_of(expected, d.extents(), d.local()), test::contents(out.local()));
  const auto alone = quern::map(exec, outputs(reduced<op::argmax>(on_host), reduced<op::sum>(on_host)),
                                twice_and_itself(), mask{m}, x);
  EXPECT_EQ(at, std::get<0>(alone));
  EXPECT_EQ(sum, std::get<1>(alone));
  const auto whole = test::make_array<double, 2, Kokkos::LayoutRight, E>({12, 5}, values),
             whole_out = test::make_array<double, 2, Kokkos::LayoutRight, E>({12, 5});
  const auto whole_mask = test::make_array<std::uint8_t, 2, Kokkos::LayoutRight, E>({12, 5}, chosen);
  for (const int axis : {0, 1}) {
    const auto reduce = [&](const auto& to, const auto& selected, const auto& in) {
      const quern::axis along{axis};
      const auto sums = test::make_array<double, 1, Kokkos::LayoutRight, E>({axis == 0 ? 5 : 12}),
                 again = quern::like(sums), greatest = quern::like(sums);
      quern::map(exec, outputs(to, reduced<op::sum>(sums, along)), twice_and_itself(), mask{selected}, in);
      quern::map(exec, outputs(reduced<op::max>(greatest, along), reduced<op::sum>(again, along)), twice_and_itself(),
                 mask{selected}, in);
      return std::tuple(test::contents(sums), test::contents(again), test::contents(greatest));
    };
    EXPECT_EQ(reduce(whole_out, whole_mask, whole), reduce(out, m, x)) << axis;
  }
  EXPECT_THROW(quern::map(exec, m, quern::impl::op::identity(), mask{m}, x), quern::Error);
  const Kokkos::View<bool*, E> wrong("m", 4);
  EXPECT_THROW(quern::map(exec, outputs(reduced<op::max>(on_host), reduced<op::sum>(on_host)), twice_and_itself(),
                          mask{wrong}, x),
               quern::Error);
}

TYPED_TEST(DistributedMasksOn, SelectForScans) {
  using E = TypeParam;
  const E exec{};
  const auto values = test::samples<double>(60, 1);  // quarters, whose sums are exact
  std::vector<std::uint8_t> chosen(60);
  for (int i = 0; i < 60; ++i) chosen[i] = test::sample(i, 3) > 0;
  const auto whole = test::make_array<double, 2, Kokkos::LayoutRight, E>({12, 5}, values),
             sums = test::make_array<double, 2, Kokkos::LayoutRight, E>({12, 5});
  const auto whole_mask = test::make_array<std::uint8_t, 2, Kokkos::LayoutRight, E>({12, 5}, chosen);
  const quern::Decomposition d(test::world(), {12, 5});
  const auto x = test::distribute<double, 2, Kokkos::LayoutRight, E>(d, values),
             found = test::distribute<double, 2, Kokkos::LayoutRight, E>(d, values);
  const auto m = test::distribute<std::uint8_t, 2, Kokkos::LayoutRight, E>(d, chosen);
  for (const int along : {0, 1}) {
    quern::cumsum(exec, sums, whole, quern::axis{along}, mask{whole_mask});
    quern::cumsum(exec, found, x, quern::axis{along}, mask{m});
    exec.fence();
    EXPECT_EQ(test::part_of(test::contents(sums), d.extents(), d.local()), test::contents(found.local())) << along;
  }
}

TYPED_TEST(DistributedMasksOn, SelectInCountsAndQuantiles) {
  using E = TypeParam;
  const E exec{};
  const quern::Decomposition d(test::world(), {12, 5});
  const auto values = test::samples<double>(60, 1);
  std::vector<std::uint8_t> chosen(60);
  for (int i = 0; i < 60; ++i) chosen[i] = test::sample(i, 3) > 0;
  const auto whole = test::make_array<double, 2, Kokkos::LayoutRight, E>({12, 5}, values);
  const auto whole_mask = test::make_array<std::uint8_t, 2, Kokkos::LayoutRight, E>({12, 5}, chosen);
  const auto x = test::distribute<double, 2, Kokkos::LayoutRight, E>(d, values);
  const auto m = test::distribute<std::uint8_t, 2, Kokkos::LayoutRight, E>(d, chosen);
  const auto columns = test::make_array<bool, 1, Kokkos::LayoutRight, E>({5}, {true, false, false, true, true});
  EXPECT_EQ(quern::median(exec, whole, mask{whole_mask}), quern::median(exec, x, mask{m}));
  EXPECT_EQ(quern::quantile(exec, whole, 0.2, mask{columns}), quern::quantile(exec, x, 0.2, mask{columns}));
  EXPECT_TRUE(std::isnan(quern::median(exec, x, mask{false})));
  const Kokkos::View<int*, E> expected("expected", 6), found("found", 6);
  quern::histogram(exec, expected, whole, quern::bin_range{-3, 3}, mask{whole_mask});
  quern::histogram(exec, found, x, quern::bin_range{-3, 3}, mask{m});
  EXPECT_EQ(test::contents(expected), test::contents(found));
  quern::bincount(exec, expected, whole_mask, mask{columns}, quern::weights{whole_mask});
  quern::bincount(exec, found, m, mask{columns}, quern::weights{m});
  EXPECT_EQ(test::contents(expected), test::contents(found));
}

TYPED_TEST(DistributedMasksOn, SelectRowsThatRanksCount) {
  using E = TypeParam;
  const auto& comm = test::world();
  const auto keys = test::make_array<int, 1, Kokkos::LayoutRight, E>({4}, {0, 1, 2, 1});
  const auto m = test::make_array<int, 1, Kokkos::LayoutRight, E>({4}, {1, 0, 1, 3});
  const Kokkos::View<double*, E> out("out", 3);
  quern::bincount(E(), comm, out, keys, mask{m}, quern::weights{keys});
  const auto ranks = static_cast<double>(comm.size());
  EXPECT_EQ((std::vector<double>{0, ranks, 2 * ranks}), test::contents(out));
}

TYPED_TEST(DistributedMasksOn, ThatDoNotBroadcastAreRejectedOnEveryRank) {
  using E = TypeParam;
  const auto& comm = test::world();
  const quern::Decomposition d(comm, {12, 5});
  const quern::DistributedView<double, 2, Kokkos::LayoutRight, typename E::memory_space> u("u", d);
  const Kokkos::View<bool*, E> m("m", 4);
  test::expect_error("quern::sum: the mask has extents (4), which do not broadcast to (12, 5)",
                     [&] { quern::sum(E(), u, mask{m}); });
  test::expect_error("quern::median: the mask has extents (4), which do not broadcast to (12, 5)",
                     [&] { quern::median(E(), u, mask{m}); });
  const Kokkos::View<int*, E> counts("counts", 3);
  test::expect_error("quern::histogram: the mask has extents (4), which do not broadcast to (12, 5)",
                     [&] { quern::histogram(E(), counts, u, quern::bin_range{0, 1}, mask{m}); });
}

}  // namespace
