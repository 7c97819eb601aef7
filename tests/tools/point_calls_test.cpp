// SPDX-FileCopyrightText: the Quern authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// What operations on points and graphs launch under their names and wait for, and that warm calls allocate nothing. The
// kernels of the sorts and sums that they are made of have tests of their own.
#include <support/allocations.hpp>

#include <quern/analysis.hpp>
#include <quern/particles.hpp>
#include <quern/random/distributions.hpp>
#include <support/testing.hpp>
#include <support/watch.hpp>

namespace {

using quern::domain, quern::size_to, test::allocations_of, test::expect_quiet;

template <class Exec>
struct PointCalls : testing::Test {
  const Kokkos::View<double**, Exec> points{"points", 500, 3}, distances{"distances", 500, 4};
  const Kokkos::View<int**, Exec> nearest{"nearest", 500, 4};
  const Kokkos::View<int*, Exec> offsets{"offsets", 501}, neighbors{"neighbors", 20'000}, labels{"labels", 500},
      ends{"ends", 217};
  const Kokkos::View<std::int64_t*, Exec> counts{"counts", 2};
  const Kokkos::View<int**, Exec> mask{"mask", 30, 40}, features{"features", 30, 40};
  const size_to<Kokkos::View<std::int64_t, Exec>> size{Kokkos::View<std::int64_t, Exec>("size")};
  const std::vector<double> radii{0.05, 0.1};
  // Wide enough for cells in a table, and so large that they are sparse.
  const domain box{{0, 0, 0}, {1, 1, 1}}, large{{0, 0, 0}, {1e6, 1e6, 1e6}};

  const quern::CellGrid grid{box, 0.15};

  PointCalls() { quern::random::uniform(points, quern::random::key(1)); }
  /// After `kernels` those that number what was found: in one pass, in two, or by one thread.
  static std::vector<std::string> numbered(std::vector<std::string> kernels) {
    if (quern::impl::keyed_tuning<Exec>::compaction_in_one_pass(0)) kernels.emplace_back("/number");
    else if (quern::impl::is_device<Exec>) kernels.insert(kernels.end(), {"/number/count", "/number/put"});
    else kernels.emplace_back("/number/put");
    kernels.emplace_back();
    return kernels;
  }
  /// `kernels` are the ends of their labels.
  static void expect(const std::string& label, const std::vector<std::string>& kernels, int fences,
                     const test::call_ref<const Exec&>& call) {
    std::vector<std::string> all;
    for (const std::string& k : kernels) all.push_back(label + k);
    expect_quiet<Exec>(all, fences, call, label);
  }
};
TYPED_TEST_SUITE(PointCalls, test::all_spaces);

TYPED_TEST(PointCalls, WaitForHostValuesAlone) {
  using namespace quern;
  const auto& t = *this;
  t.expect("quern::bin_by", {"/cells"}, 0, [&](const auto& exec) { bin_by(exec, t.labels, t.ends, t.points, t.grid); });
  const std::vector<std::string> list{"/cells", "/points", "", "/count", "/offsets", "/number", "/list"};
  t.expect("quern::radius_neighbors", list, 0,
           [&](const auto& exec) { radius_neighbors(exec, t.offsets, t.neighbors, t.points, t.box, 0.2, t.size); });
  t.expect("quern::radius_neighbors", list, 1,
           [&](const auto& exec) { radius_neighbors(exec, t.offsets, t.neighbors, t.points, t.box, 0.2); });
  t.expect("quern::radius_neighbors",
           {"/table", "/cells", "/keys", "/points", "", "/count", "/offsets", "/number", "/list"}, 0,
           [&](const auto& exec) { radius_neighbors(exec, t.offsets, t.neighbors, t.points, t.large, 0.2, t.size); });
  t.expect("quern::knn", {"/cells", "/points", "/search", "/neighbors", "/distances"}, 0,
           [&](const auto& exec) { knn(exec, t.nearest, t.distances, t.points, t.box); });
  std::vector<std::string> counted{"/cells", "/points", "/radii", "", "/sum"};
  if (impl::is_device<TypeParam>) counted.insert(counted.begin() + 3, "/zero");
  t.expect("quern::pair_counts", counted, 0,
           [&](const auto& exec) { pair_counts(exec, t.counts, t.points, t.box, t.radii); });
  counted.emplace_back("/counts");
  t.expect("quern::pair_counts", counted, 0, [&](const auto& exec) {
    pair_counts(exec, t.counts, t.points, t.points, t.box, t.radii, cumulative{false});
  });
  const std::vector<std::string> clusters = t.numbered({"/cells", "/points", "/core", "/join", "/flatten"});
  t.expect("quern::dbscan", clusters, 0,
           [&](const auto& exec) { dbscan(exec, t.labels, t.points, t.box, 0.1, 3, t.size); });
  t.expect("quern::dbscan", clusters, 1, [&](const auto& exec) { dbscan(exec, t.labels, t.points, t.box, 0.1, 3); });
}

TYPED_TEST(PointCalls, OfGraphsWaitForHostValuesAlone) {
  using namespace quern;
  const auto& t = *this;
  fill(t.ends, 0);
  t.expect("quern::connected_components", t.numbered({"/vertices", "/edges", "/flatten"}), 0,
           [&](const auto& exec) { connected_components(exec, t.labels, t.ends, t.ends, t.size); });
}

TYPED_TEST(PointCalls, AllocateNothingWhereWarm) {
  if (quern::impl::is_device<TypeParam>) GTEST_SKIP() << "the driver's own";
  using namespace quern;
  const auto& t = *this;
  const TypeParam exec;
  const auto expect_none = [&](const char* what, const test::call_ref<>& call) {
    for (int i = 0; i < 2; ++i) call();
    EXPECT_EQ(0, allocations_of(call)) << what;
  };
  expect_none("bin_by", [&] { bin_by(exec, t.labels, t.ends, t.points, t.grid); });
  for (const domain* box : {&t.box, &t.large}) {
    expect_none("radius_neighbors",
                [&] { radius_neighbors(exec, t.offsets, t.neighbors, t.points, *box, 0.2, t.size); });
    expect_none("pair_counts", [&] { pair_counts(exec, t.counts, t.points, *box, t.radii); });
    expect_none("dbscan", [&] { dbscan(exec, t.labels, t.points, *box, 0.1, 3, t.size); });
  }
  expect_none("knn", [&] { knn(exec, t.nearest, t.distances, t.points, t.box); });
  expect_none("label", [&] { label(exec, t.features, t.mask, t.size); });
  fill(t.labels, 0);
  expect_none("connected_components", [&] { connected_components(exec, t.ends, t.labels, t.labels, t.size); });
}

}  // namespace
