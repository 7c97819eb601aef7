// SPDX-FileCopyrightText: the Quern authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Statistics that grow step by step, against NumPy's of the steps stacked.

#include <cmath>
#include <impl/Kokkos_Profiling.hpp>
#include <limits>
#include <quern/analysis.hpp>
#include <quern/chunked.hpp>
#include <quern/core.hpp>
#include <quern/linalg.hpp>
#include <support/reference_archive.hpp>
#include <support/testing.hpp>

namespace {

using quern::axis, quern::ddof, quern::RunningStatistics;

const test::reference_archive numpy("analysis/data/running.npz");

/// The numbers of an array of steps from `first` on.
template <class T>
std::vector<T> part(const std::string& name, std::int64_t first, std::int64_t size) {
  const auto all = numpy.values(name);
  return std::vector<T>(all.begin() + first, all.begin() + first + size);
}

template <class Case>
struct RunningStatisticsOf : testing::Test {
  using E = typename Case::exec;
  using T = typename Case::value;
  using L = typename Case::layout;
  using field = decltype(test::make_array<T, 2, L, E>({0, 0}));
  using scalar = Kokkos::View<T, E>;
  using line = Kokkos::View<T*, E>;

  static std::int64_t steps(const std::string& name) { return numpy.extents(name + "/x")[0]; }
  static field step(const std::string& name, std::int64_t number) {
    return test::make_array<T, 2, L, E>({5, 7}, part<T>(name + "/x", number * 35, 35));
  }
  template <class S, class Out>
  static void write(const E& exec, const S& s, const std::string& what, const Out& out) {
    if (what == "mean") s.mean(exec, out);
    if (what == "var") s.var(exec, out);
    if (what == "stddev") s.stddev(exec, out, ddof{1});
    if (what == "min") s.min(exec, out);
    if (what == "max") s.max(exec, out);
  }
  /// Equal, or near by some units in the last place; of subnormal numbers, by some of the smallest.
  static void expect_near(const std::string& name, const std::string& what, const std::vector<T>& found) {
    const auto expected = numpy.values(name + "/" + what);
    ASSERT_EQ(expected.size(), found.size());
    const bool exact = what == "min" || what == "max";
    for (std::size_t i = 0; i < found.size(); ++i) {
      const double e = expected[i], f = found[i];
      const std::string where = name + " " + what + " " + std::to_string(i);
      if (std::isnan(e)) EXPECT_TRUE(std::isnan(f)) << where << f;
      else if (exact || std::isinf(e)) EXPECT_EQ(static_cast<T>(e), found[i]) << where;
      else EXPECT_NEAR(e, f, 8 * test::eps<T>() * std::fabs(e) + 2e-323 + absolute(name, what)) << where;
    }
  }
  /// What NumPy's own means are wrong by, where they are near 0, or variances of equal values; and deviations whose
  /// squares are subnormal numbers.
  static double absolute(const std::string& name, const std::string& what) {
    if (name.rfind("1e-155", 0) == 0 && what == "stddev") return 2e-168;
    if (what == "mean") return 4 * test::eps<T>() * std::fabs(numpy.values(name + "/max")[0]);
    return name.rfind("equal", 0) == 0 ? 1e-16 : 0;
  }
  static void check(const std::string& name) {
    const E exec;
    const field like = step(name, 0);
    const RunningStatistics<field> cells(exec, like);
    const RunningStatistics<line> rows(exec, 5);
    const RunningStatistics<scalar> all(exec);
    for (std::int64_t k = 0; k < steps(name); ++k) {
      const field u = step(name, k);
      cells.add(exec, u);
      rows.add(exec, u, axis{1});
      all.add(exec, u);
    }
    const auto of_cells = test::make_array<T, 2, L, E>({5, 7});
    const line of_rows("of_rows", 5);
    const scalar of_all("of_all");
    for (const std::string what : {"mean", "var", "stddev", "min", "max"}) {
      write(exec, cells, what, of_cells);
      expect_near(name + "/cells", what, test::contents(of_cells));
      write(exec, rows, what, of_rows);
      expect_near(name + "/rows", what, test::contents(of_rows));
      write(exec, all, what, of_all);
      expect_near(name + "/all", what, {test::value(of_all)});
    }
    EXPECT_EQ(35 * steps(name), all.count(exec));
    const Kokkos::View<std::int64_t*, E> counts("counts", 5);
    rows.count(exec, counts);
    EXPECT_EQ(std::vector<std::int64_t>(5, 7 * steps(name)), test::contents(counts));
  }
};
using cases = test::covering<double, float, double>;
TYPED_TEST_SUITE(RunningStatisticsOf, cases);

TYPED_TEST(RunningStatisticsOf, CellsRowsAndAllAreNumPys) {
  for (const char* name : {"plain", "one", "equal", "nan", "infinite"}) this->check(name);
}

TYPED_TEST(RunningStatisticsOf, ExtremeValuesAreNumPys) {
  if constexpr (std::is_same_v<typename TestFixture::T, double>)
    for (const char* name : {"far", "grows", "1e150", "1e155", "1e305", "1e-155"}) this->check(name);
}

template <class Exec>
struct RunningStatisticsOn : testing::Test {
  using E = Exec;
  using field = Kokkos::View<double**, Kokkos::LayoutRight, E>;
  using scalar = Kokkos::View<double, E>;
  static field step(std::int64_t number) {
    return test::make_array<double, 2, Kokkos::LayoutRight, E>({5, 7}, part<double>("plain/x", number * 35, 35));
  }
};
TYPED_TEST_SUITE(RunningStatisticsOn, test::all_spaces);

TYPED_TEST(RunningStatisticsOn, MergedAreThoseOfAll) {
  using F = typename TestFixture::field;
  const TypeParam exec;
  const F like = this->step(0);
  const RunningStatistics<F> whole(exec, like), first(exec, 5, 7), second(exec, like), none(exec, like);
  for (int k = 0; k < 9; ++k) {
    whole.add(exec, this->step(k));
    (k < 4 ? first : second).add(exec, this->step(k));
  }
  const F expected("expected", 5, 7), found("found", 5, 7);
  const Kokkos::View<std::int64_t**, TypeParam> counts("counts", 5, 7);
  first.merge(exec, second);
  first.count(exec, counts);
  EXPECT_EQ(std::vector<std::int64_t>(35, 9), test::contents(counts));
  for (int what = 0; what < 4; ++what) {
    const auto write = [&](const auto& s, const F& to) {
      if (what == 0) s.mean(exec, to);
      else if (what == 1) s.var(exec, to, ddof{1});
      else if (what == 2) s.min(exec, to);
      else s.max(exec, to);
    };
    write(whole, expected);
    write(first, found);
    for (int i = 0; i < 35; ++i) {
      const double e = test::contents(expected)[i];
      EXPECT_NEAR(e, test::contents(found)[i], 4e-16 * std::max(1.0, std::fabs(e))) << what << ' ' << i;
    }
    // One of no values changes nothing, nor do values change when they are added to it.
    first.merge(exec, none);
    const RunningStatistics<F> copied(exec, like);
    copied.merge(exec, first);
    write(copied, expected);
    EXPECT_EQ(test::contents(found), test::contents(expected));
  }
  // Values that are added once more leave all but the count.
  first.merge(exec, first);
  first.count(exec, counts);
  EXPECT_EQ(18, test::contents(counts)[34]);
}

TYPED_TEST(RunningStatisticsOn, OfNoValuesAreNotANumber) {
  const TypeParam exec;
  const RunningStatistics<typename TestFixture::scalar> all(exec);
  const auto expect_none = [&] {
    EXPECT_EQ(0, all.count(exec));
    for (const double v : {all.mean(exec), all.var(exec), all.stddev(exec), all.min(exec), all.max(exec)})
      EXPECT_NE(v, v);
  };
  expect_none();
  all.add(exec, test::make_array<double, 1, Kokkos::LayoutRight, TypeParam>({0}));
  expect_none();
  all.add(exec, this->step(1));
  EXPECT_EQ(35, all.count(exec));
  EXPECT_EQ(all.max(exec), quern::max(exec, this->step(1)));
  all.reset(exec);
  expect_none();
  all.add(exec, test::make_array<int, 1, Kokkos::LayoutRight, TypeParam>({1}, {7}));
  EXPECT_EQ(7, all.mean(exec));
  EXPECT_EQ(0, all.var(exec));
  EXPECT_NE(all.var(exec, ddof{1}), all.var(exec, ddof{1}));
}

struct doubled {
  KOKKOS_FUNCTION double operator()(double x) const { return 2 * x; }
};

TYPED_TEST(RunningStatisticsOn, TakeLazyAndReindexedArrays) {
  const TypeParam exec;
  const auto u = this->step(0);
  const RunningStatistics<Kokkos::View<double**, TypeParam>> cells(exec, 7, 5);
  const RunningStatistics<typename TestFixture::scalar> all(exec);
  cells.add(exec, quern::lazy(doubled(), quern::permute_dims(u, quern::axes{1, 0})));
  all.add(exec, quern::lazy(doubled(), u));
  const Kokkos::View<double**, TypeParam> mean("mean", 7, 5);
  cells.mean(exec, mean);
  const auto values = test::contents(u), found = test::contents(mean);
  for (int i = 0; i < 5; ++i)
    for (int j = 0; j < 7; ++j) EXPECT_EQ(2 * values[7 * i + j], found[5 * j + i]);
  EXPECT_EQ(2 * quern::max(exec, u), all.max(exec));
}

TYPED_TEST(RunningStatisticsOn, TakeArraysInChunks) {
  const TypeParam exec;
  const Kokkos::View<double**, Kokkos::LayoutRight, Kokkos::HostSpace> u("u", 5, 7);
  const auto values = part<double>("plain/x", 0, 35);
  std::copy(values.begin(), values.end(), u.data());
  const RunningStatistics<typename TestFixture::scalar> all(exec);
  const quern::RunningHistogram<Kokkos::View<int*, TypeParam>> bins(exec, 8, {-2, 2});
  for (int k = 0; k < 2; ++k) {
    all.add(exec, quern::in_chunks(u), quern::chunking{.memory = 256});
    bins.add(exec, quern::in_chunks(u));
  }
  EXPECT_EQ(70, all.count(exec));
  EXPECT_EQ(quern::max(exec, quern::in_chunks(u)), all.max(exec));
  EXPECT_NEAR(quern::var(exec, quern::in_chunks(u)), all.var(exec), 1e-15);
  EXPECT_EQ(70, quern::sum(exec, bins.counts()));
}

TYPED_TEST(RunningStatisticsOn, RefuseWhatDoesNotFit) {
  const TypeParam exec;
  const auto u = this->step(0);
  const RunningStatistics<typename TestFixture::field> cells(exec, 7, 5);
  const Kokkos::View<double*, TypeParam> line("line", 5);
  const RunningStatistics<Kokkos::View<double*, TypeParam>> rows(exec, 4);
  test::expect_error("quern::RunningStatistics: x has extents (5, 7), expected (7, 5)", [&] { cells.add(exec, u); });
  test::expect_error("quern::RunningStatistics: an extent is -3, expected at least 0",
                     [&] { quern::RunningStatistics<Kokkos::View<double*, TypeParam>>(exec, -3); });
  test::expect_error("quern::RunningCovariance: -1 variables, expected at least 0",
                     [&] { quern::RunningCovariance<TypeParam>(exec, -1); });
  test::expect_error("quern::RunningStatistics/reduce: out has extents (4), expected (5)",
                     [&] { rows.add(exec, u, axis{1}); });
  test::expect_error("quern::RunningStatistics: out has extents (5), expected (4)", [&] { rows.mean(exec, line); });
  test::expect_error("quern::RunningStatistics: other has extents (5), expected (4)",
                     [&] { rows.merge(exec, RunningStatistics<Kokkos::View<double*, TypeParam>>(exec, line)); });
}

int fences = 0, allocated = 0;

TYPED_TEST(RunningStatisticsOn, NeitherWaitNorAllocateOnceTheyAreWarm) {
  const TypeParam exec;
  const auto u = this->step(0);
  const RunningStatistics<typename TestFixture::field> cells(exec, u);
  const RunningStatistics<Kokkos::View<double*, TypeParam>> rows(exec, 5);
  const RunningStatistics<typename TestFixture::scalar> all(exec);
  const quern::RunningHistogram<Kokkos::View<int*, TypeParam>> bins(exec, 8, {-2, 2});
  const quern::RunningCovariance<TypeParam> covariance(exec, 5);
  const Kokkos::View<double**, TypeParam> mean("mean", 5, 7), matrix("matrix", 5, 5);
  const auto run = [&] {
    cells.add(exec, u);
    rows.add(exec, u, axis{1});
    all.add(exec, u);
    bins.add(exec, u);
    covariance.add(exec, u);
    cells.merge(exec, cells);
    cells.mean(exec, mean);
    covariance.cov(exec, matrix);
  };
  run();
  exec.fence();
  namespace tools = Kokkos::Tools::Experimental;
  fences = allocated = 0;
  tools::set_begin_fence_callback([](const char* name, const std::uint32_t, std::uint64_t*) {
    if (std::string(name).find("Profile Tool Fence") == std::string::npos) ++fences;
  });
  tools::set_allocate_data_callback([](Kokkos::Profiling::SpaceHandle, const char*, const void*, std::uint64_t bytes) {
    allocated += bytes > 0 ? 1 : 0;
  });
  run();
  tools::set_begin_fence_callback(nullptr);
  tools::set_allocate_data_callback(nullptr);
  EXPECT_EQ(0, fences);
  EXPECT_EQ(0, allocated);
}

TYPED_TEST(RunningStatisticsOn, HistogramsAreNumPys) {
  using E = TypeParam;
  const E exec;
  const quern::RunningHistogram<Kokkos::View<std::int64_t*, E>> counts(exec, 8, {-2, 2}), second(exec, 8, {-2, 2});
  const quern::RunningHistogram<Kokkos::View<double*, E>> weighted(exec, 8, {-2, 2});
  for (int k = 0; k < 4; ++k) {
    const auto x = test::make_array<double, 1, Kokkos::LayoutRight, E>({100}, part<double>("counted/x", k * 100, 100));
    const auto w =
        test::make_array<double, 1, Kokkos::LayoutRight, E>({100}, part<double>("counted/weights", k * 100, 100));
    (k < 3 ? counts : second).add(exec, x);
    weighted.add(exec, x, quern::weights{w});
  }
  counts.merge(exec, second);
  EXPECT_EQ(numpy.values<std::int64_t>("counted/counts"), test::contents(counts.counts()));
  EXPECT_EQ(numpy.values("counted/weighted"), test::contents(weighted.counts()));  // quarters
  using histogram_type = quern::RunningHistogram<Kokkos::View<std::int64_t*, E>>;
  for (const int bins : {0, -1})
    test::expect_error("quern::RunningHistogram: " + std::to_string(bins) + " bins, expected at least 1",
                       [&] { histogram_type(exec, bins, {0, 1}); });
  for (const double high : {1.0, 0.5, std::numeric_limits<double>::quiet_NaN()})
    test::expect_error("quern::RunningHistogram: the range is from 1.000000 to " + std::to_string(high) +
                           ", expected low < high at a finite distance",
                       [&] { histogram_type(exec, 4, {1, high}); });
  test::expect_error("quern::RunningHistogram: the other one has another range", [&] {
    counts.merge(exec, quern::RunningHistogram<Kokkos::View<std::int64_t*, E>>(exec, 8, {-2, 3}));
  });
  counts.reset(exec);
  EXPECT_EQ(std::vector<std::int64_t>(8, 0), test::contents(counts.counts()));
}

TYPED_TEST(RunningStatisticsOn, CovariancesAreNumPys) {
  using E = TypeParam;
  const E exec;
  const auto x = test::make_array<double, 2, Kokkos::LayoutLeft, E>({4, 50}, numpy.values("observed/x"));
  const quern::RunningCovariance<E> whole(exec, 4), last(exec, 4);
  const Kokkos::View<double**, E> found("found", 4, 4);
  const Kokkos::View<double*, E> mean("mean", 4);
  whole.cov(exec, found);
  whole.mean(exec, mean);
  for (const double v : test::contents(found)) EXPECT_NE(v, v);
  for (const double v : test::contents(mean)) EXPECT_NE(v, v);
  std::int64_t first = 0;
  const auto parts = numpy.values<std::int64_t>("observed/parts");
  for (std::size_t k = 0; k < parts.size(); ++k) {
    const auto some = Kokkos::subview(x, Kokkos::ALL, std::pair(first, first + parts[k]));
    if (k == 0) whole.add(exec, quern::permute_dims(some, quern::axes{1, 0}), axis{0});
    else (k < 3 ? whole : last).add(exec, some);
    first += parts[k];
  }
  whole.merge(exec, last);
  const auto expect = [&](const std::string& name, const std::vector<double>& f, double scale) {
    const auto e = numpy.values(name);
    for (std::size_t i = 0; i < e.size(); ++i) EXPECT_NEAR(e[i], f[i], 1e-15 * scale) << name << i;
  };
  whole.mean(exec, mean);
  expect("observed/mean", test::contents(mean), 200);
  for (int lost = 0; lost < 2; ++lost) {
    whole.cov(exec, found, ddof{lost});
    expect(lost == 0 ? "observed/population" : "observed/cov", test::contents(found), 16);
  }
  whole.merge(exec, whole);  // twice the observations
  whole.cov(exec, found, ddof{0});
  expect("observed/population", test::contents(found), 16);
  test::expect_error("quern::RunningCovariance: x has extents (50, 4), expected observations of 4 variables",
                     [&] { whole.add(exec, quern::permute_dims(x, quern::axes{1, 0})); });
}

TYPED_TEST(RunningStatisticsOn, MeansOfInfinitiesAndOfWhatOverflows) {
  using E = TypeParam;
  const E exec;
  constexpr double inf = std::numeric_limits<double>::infinity(), large = 1.6e308;
  const auto x = test::make_array<double, 2, Kokkos::LayoutLeft, E>(
      {3, 4}, std::vector<double>{inf, 1, 2, 3, large, -large, large, -large, 1, inf, -inf, 2});
  const quern::RunningCovariance<E> all(exec, 3);
  for (int k = 0; k < 4; ++k) all.add(exec, Kokkos::subview(x, Kokkos::ALL, std::pair(k, k + 1)));
  const Kokkos::View<double*, E> mean("mean", 3);
  all.mean(exec, mean);
  const auto found = test::contents(mean);
  EXPECT_EQ(inf, found[0]);
  EXPECT_NEAR(0, found[1], 1e-15 * large);
  EXPECT_NE(found[2], found[2]);
}

}  // namespace
