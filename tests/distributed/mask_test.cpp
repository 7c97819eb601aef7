// SPDX-FileCopyrightText: the Quern authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Masks over ranks, beside those of the whole array on one.
#include <distributed/reductions.hpp>
#include <quern/distributed/reduce.hpp>

namespace {

using quern::mask, quern::reproducible;

template <class Case>
struct DistributedMasks : testing::Test {};
TYPED_TEST_SUITE(DistributedMasks, test::reduce_cases);

TYPED_TEST(DistributedMasks, SelectAsOnOneDevice) {
  using E = typename TypeParam::exec;
  const E exec;
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
    EXPECT_EQ(quern::sum(exec, v, mask{whole}, reproducible), quern::sum(exec, u, mask{m}, reproducible));
    test::expect_near(quern::var(exec, v, mask{whole}, reproducible), quern::var(exec, u, mask{m}, reproducible), 1,
                      "reproducible var");
  });
}

TYPED_TEST(DistributedMasks, SelectAlongAxes) {
  using E = typename TypeParam::exec;
  const E exec;
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

TYPED_TEST(DistributedMasks, ThatDoNotBroadcastAreRejectedOnEveryRank) {
  using E = typename TypeParam::exec;
  const auto& comm = test::world();
  const quern::Decomposition d(comm, {12, 5});
  const quern::DistributedView<double, 2, Kokkos::LayoutRight, typename E::memory_space> u("u", d);
  const Kokkos::View<bool*, E> m("m", 4);
  test::expect_error("quern::sum: the mask has extents (4), which do not broadcast to (12, 5)",
                     [&] { quern::sum(E(), u, mask{m}); });
}

}  // namespace
