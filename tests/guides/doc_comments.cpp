// SPDX-FileCopyrightText: the Quern authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// The code of the doc comments of all headers except those of quern/distributed, as part of functions that a user might
// write around it.
#include <unistd.h>

#include <cmath>
#include <filesystem>
#include <fstream>
#include <iterator>

#include "guide.hpp"

namespace {

struct product {
  template <class A, class B>
  KOKKOS_FUNCTION auto operator()(const A& a, const B& b) const {
    return a * b;
  }
};

void gradients(const space& exec) {
  const Kokkos::View<double*> a("a", 5), b("b", 5), y("y", 5), dy_da("dy/da", 5), dy_db("dy/db", 5);
  quern::fill(exec, a, 2.0);
  quern::fill(exec, b, 3.0);
  const product f;
  // # autodiff/derivatives.hpp
  EXPECT_EQ(std::vector<double>(5, 6), test::contents(y));
  EXPECT_EQ(std::vector<double>(5, 3), test::contents(dy_da));
  EXPECT_EQ(std::vector<double>(5, 2), test::contents(dy_db));
}

struct decay {
  template <class P>
  KOKKOS_FUNCTION auto operator()(double t, const P& p) const {
    return p[0] * exp(-p[1] * t);
  }
};

void curves(const space& exec) {
  const auto t = on_device<double>({0, 1, 2, 3});
  const Kokkos::View<double*> y("y", 4), p("p", 2);
  const Kokkos::View<double**> covariance("covariance", 2, 2), ys("ys", 3, 4), sigmas("sigmas", 3, 4), ps("ps", 3, 2);
  const Kokkos::View<double***> covariances("covariances", 3, 2, 2);
  const Kokkos::View<int*> status("status", 3), iterations("iterations", 3);
  for (std::int64_t k = 0; k < 4; ++k) {
    const double value = 2 * std::exp(-0.5 * static_cast<double>(k));
    quern::fill(exec, Kokkos::subview(y, Kokkos::pair(k, k + 1)), value);
    quern::fill(exec, Kokkos::subview(ys, Kokkos::ALL, k), value);
  }
  quern::fill(exec, sigmas, 0.1);
  quern::fill(exec, p, 1.0);
  quern::fill(exec, ps, 1.0);
  // # fits/curve_fit.hpp
  EXPECT_EQ(quern::curve_fit_status::converged, result.status);
  EXPECT_EQ(std::vector<int>(3, quern::curve_fit_status::converged), test::contents(status));
  EXPECT_NEAR(2, test::contents(p)[0], 1e-7);
  EXPECT_NEAR(0.5, test::contents(ps)[5], 1e-7);
}

void polynomials(const space& exec) {
  const auto x = on_device<double>({0, 1, 2}), y = on_device<double>({5, 7, 9});
  const Kokkos::View<double*> p("p", 2);
  // # fits/polyfit.hpp
  EXPECT_NEAR(2, test::contents(p)[0], 1e-14);
  EXPECT_NEAR(5, test::contents(p)[1], 1e-14);
}

void parts(const space& exec) {
  const Kokkos::View<int*> train("train", 6), test("test", 2);
  // # fits/train_test_split.hpp
  EXPECT_EQ(28, quern::sum(exec, train) + quern::sum(exec, test));
}

void fits(const space& exec) {
  const Kokkos::View<double**> x("x", 4, 1);
  const Kokkos::View<double*> y("y", 4), w("w", 4), coefficients("coefficients", 1);
  const Kokkos::View<double> intercept("intercept");
  for (std::int64_t i = 0; i < 4; ++i) {
    quern::fill(exec, Kokkos::subview(x, i, Kokkos::ALL), i);
    quern::fill(exec, Kokkos::subview(y, Kokkos::pair(i, i + 1)), 3 * i + 14);
  }
  quern::fill(exec, w, 0.5);
  // # fits/lasso.hpp
  EXPECT_EQ(quern::lasso_status::converged, ended.status);
  // # fits/linear_regression.hpp
  EXPECT_NEAR(14, test::value(intercept), 1e-13);
  EXPECT_NEAR(9, test::contents(coefficients)[0], 1e-13);  // 126 / 14, through the origin
}

void fitted_classes(const space& exec) {
  const Kokkos::View<double**> x("x", 4, 1);
  const Kokkos::View<double*> p("p", 4), coefficients("coefficients", 1);
  const Kokkos::View<double> intercept("intercept");
  const auto classes = on_device<int>({0, 0, 1, 0});
  // # fits/logistic_regression.hpp
  EXPECT_EQ(quern::logistic_status::converged, ended.status);
  EXPECT_NEAR(0.25, test::contents(p)[2], 1e-14);  // of columns that say nothing
}

using field_3d = Kokkos::View<double***>;
void advance(const space& exec, const field_3d& u) { quern::add(exec, u, u, 1.0); }

void statistics_of_steps(const space& exec) {
  const int steps = 5;
  const field_3d u("u", 3, 4, 5), mean_field("mean", 3, 4, 5);
  const Kokkos::View<double*> speed("speed", 7);
  const Kokkos::View<double**> velocity("velocity", 60, 3), matrix("matrix", 3, 3);
  using field = field_3d;
  // # analysis/running_statistics.hpp
  EXPECT_EQ(3, test::contents(mean_field)[59]);
  EXPECT_NEAR(std::sqrt(2.0), deviation, 1e-15);
  // # analysis/running_histogram.hpp
  EXPECT_EQ(35, counts(0));
  // # linalg/running_covariance.hpp
  EXPECT_EQ(0, test::contents(matrix)[8]);
}

void dual_numbers() {
  // # autodiff/dual.hpp
  EXPECT_NEAR(3 * std::sin(0.5), f.value, 1e-15);
  EXPECT_NEAR(std::sin(0.5), f.partial(0), 1e-15);
  EXPECT_NEAR(3 * std::cos(0.5), f.partial(1), 1e-15);
}

struct kick {
  double dt;
  KOKKOS_FUNCTION Kokkos::Array<double, 3> operator()(Kokkos::Array<double, 3> v, const Kokkos::Array<double, 3>& f,
                                                      double mass) const {
    for (int c = 0; c < 3; ++c) v[c] += dt * f[c] / mass;
    return v;
  }
};

void particles(const space& exec) {
  const Kokkos::View<double* [3]> x("x", 5), v("v", 5), f("f", 5);
  const Kokkos::View<double*> mass("mass", 5);
  const double dt = 0.5;
  quern::fill(exec, x, 3.0);
  quern::fill(exec, f, 4.0);
  quern::fill(exec, mass, 2.0);
  // # core/views/rows.hpp
  EXPECT_EQ(std::vector<double>(15, 1), test::contents(v));
  EXPECT_EQ(3, center[1]);
}

struct equations {
  template <class A, class P>
  KOKKOS_FUNCTION A operator()(const A& x, const P& a, const P& b) const {
    return {x[0] + x[1] - a, x[0] - x[1] - b};
  }
};

struct step_and_square {
  KOKKOS_FUNCTION auto operator()(double u, double r, double p, double w, double alpha) const {
    const double rest = r - alpha * w;
    return quern::values(u + alpha * p, rest, rest * rest);
  }
};

void conjugate_gradients(const space& exec) {
  const step_and_square step;
  const Kokkos::View<double*> u("u", 2), r("r", 2), p("p", 2), w("w", 2);
  const Kokkos::View<double> rr("rr"), alpha("alpha");
  for (const auto& v : {r, p, w}) quern::fill(exec, v, 2.0);
  quern::fill(exec, alpha, 0.5);
  // # reduce/reduced.hpp
  EXPECT_EQ(2.0, test::value(rr));
}

void systems(const space& exec) {
  const Kokkos::View<double**> x("x", 4, 2);
  const Kokkos::View<double*> a("a", 4), b("b", 4);
  const Kokkos::View<int*> status("status", 4);
  quern::fill(exec, a, 5.0);
  quern::fill(exec, b, 1.0);
  // # batch/newton.hpp
  EXPECT_EQ(std::vector<int>(4, quern::newton_status::converged), test::contents(status));
  EXPECT_NEAR(3, test::contents(x)[0], 1e-14);
}

struct predator_and_prey {
  template <class A, class T>
  KOKKOS_FUNCTION A operator()(const A& u, const T&, const T& rate) const {
    return {u[0] * (rate - u[1]), u[1] * (u[0] - 1)};
  }
};

void equations_in_time(const space& exec) {
  const Kokkos::View<double***> y("y", 4, 2, 2);
  const Kokkos::View<double**> y0("y0", 4, 2);
  const Kokkos::View<double*> rate("rate", 4);
  const auto t = on_device(std::vector<double>{0, 1});
  const Kokkos::View<int*> status("status", 4);
  quern::fill(exec, y0, 1.0);
  quern::fill(exec, rate, 1.0);
  // # batch/odeint.hpp
  EXPECT_EQ(std::vector<double>(16, 1), test::contents(y));  // at rest
}

void memory(const space& exec) {
  const std::size_t n = 3, m = 4;
  // # core/memory/pool.hpp
  EXPECT_EQ(12u, u.size());
  using Exec = space;
  const auto x = on_device(std::vector<double>{3, 1, 2});
  const Kokkos::View<double*> out("out", 3);
  // # core/memory/workspace.hpp
  EXPECT_EQ((std::vector<double>{1, 2, 3}), test::contents(out));
}

void scratch(const space& exec) {
  using quern::impl::scratch_layout;
  struct {
    double* left = nullptr;
    int* first = nullptr;
  } kernel;
  const std::int64_t tiles = 3;
  quern::Workspace<space> scratch;
  // # core/memory/scratch_layout.hpp
  EXPECT_NE(nullptr, kernel.left);
  EXPECT_NE(nullptr, kernel.first);
}
void scratch_of_a_call(const space& exec) {
  using quern::impl::scratch_arrays, quern::impl::scratch_part;
  using Exec = space;
  const std::int64_t n = 3;
  double* keys = nullptr;
  std::int64_t* positions = nullptr;
  // # core/memory/scratch_layout.hpp 2
  EXPECT_EQ(128, reinterpret_cast<std::byte*>(positions) - reinterpret_cast<std::byte*>(keys));
}

void compute_something_else() {}

void between_memories(const space& exec) {
  const auto on_device = ::on_device(std::vector<double>{1, 2, 3});
  const Kokkos::View<double*, Kokkos::HostSpace> on_host("on host", 3);
  // # transfer/copy_async.hpp
  EXPECT_EQ(2, on_host(1));
  const Kokkos::View<double**, Kokkos::HostSpace> field("field", 5, 6);
  const Kokkos::View<double**> smooth("smooth", 5, 6);
  Kokkos::deep_copy(field, 1.0);
  // # transfer/mirror.hpp
  EXPECT_NEAR(30, quern::sum(exec, smooth), 1e-12);
}

struct row_and_column {
  KOKKOS_FUNCTION double operator()(const Kokkos::Array<std::int64_t, 2>& at) const {
    return static_cast<double>(10 * at[0] + at[1]);
  }
};

void texts() {
  // # print/print.hpp
  EXPECT_EQ("[[ 0.  1.  2.]\n [10. 11. 12.]]", text);
}

void transforms(const space& exec) {
  const Kokkos::View<double**> signal("signal", 4, 6);
  const Kokkos::View<Kokkos::complex<double>**> spectrum("spectrum", 4, 4);
  Kokkos::deep_copy(signal, 1.0);
  // # fft/fft.hpp
  EXPECT_NEAR(24, test::contents(spectrum)[0].real(), 1e-12);
}

void tables(const space& exec) {
  const auto cell = on_device<std::int64_t>({0, 1});
  const auto mass = on_device<double>({1, 2});
  // # table/table.hpp
  EXPECT_EQ(3, total);
  EXPECT_EQ(2, quern::max(exec, m));
}

void tables_of_samples(const space& exec) {
  quern::Table runs(exec);
  runs.insert("time", on_device<double>({0, 1800, 3600})).insert("sensor", on_device<std::int64_t>({7, 8, 8}));
  runs.insert("u", on_device<double>({1, 2, 4}));
  // # table/table.hpp 2
  EXPECT_EQ(3, smooth.rows());
  EXPECT_EQ(4, quern::max(exec, hourly.column<double>("most")));
  // # table/table.hpp 3
  EXPECT_EQ((std::vector<std::string>{"time", "7", "8"}), wide.names());
}

void tables_of_arrow(const space& exec) {
  quern::Table runs(exec);
  runs.insert("u", on_device<double>({1, 2, 4}));
  const auto export_batch = [&](ArrowSchema* schema, ArrowArray* array) { quern::to_arrow(runs, schema, array); };
  // # table/arrow.hpp
  EXPECT_EQ(7, quern::sum(exec, t.column<double>("u")));
}

void arrow_of_tables(const space& exec) {
  quern::Table t(exec);
  t.insert("u", on_device<double>({1, 2, 4}));
  const auto import_batch = [](ArrowSchema* schema, ArrowArray* array) {
    schema->release(schema);
    array->release(array);
  };
  // # table/arrow.hpp 2
  EXPECT_EQ(nullptr, array.release);
}

void files_of_tables(const space& exec) {
  std::ofstream("runs.csv") << "id,energy\n1,-2.5\n";
  // # table/csv.hpp
  EXPECT_EQ(1, t.rows());
}

void chunks_of_tables(const space& exec) {
  std::ofstream("runs.csv") << "cell,mass,energy\n1,2,-2.5\n0,3,1\n1,4,3.5\n";
  // # table/chunks.hpp
  EXPECT_EQ(2, energy);
  EXPECT_EQ(8, all.rows());
  EXPECT_EQ("   cell  mass_sum\n0     0         3\n1     1         6", of_cells.to_string());
}
void tables_of_files(const space& exec) {
  const std::vector<std::string> paths = {"runs.csv", "runs.csv"};
  // # table/chunks.hpp 2
  const auto runs = all;
  // # table/chunks.hpp 3
  EXPECT_EQ(2, std::ranges::distance(heavy));
  EXPECT_EQ("   cell  n\n0     0  2\n1     1  4",
            all.group_by("cell").aggregate({{"n", "cell", quern::statistic::size}}).to_string());
}
void rows_of_a_file(const space& exec) {
  // # table/csv_chunks.hpp
  // # table/csv_source.hpp
  EXPECT_EQ(1, middle);
}

void larger_than_memory(const space& exec) {
  const Kokkos::View<float*, Kokkos::HostSpace> host_view("host_view", 3);
  Kokkos::deep_copy(host_view, 1.0f);
  // # chunked/source.hpp
  EXPECT_EQ(3, total);
}

void center_of_chunks(const space& exec) {
  const Kokkos::View<double* [3], Kokkos::HostSpace> positions("positions", 4);
  // # chunked/rows.hpp
  EXPECT_EQ(0, center[2]);
}

void series_of_files(const Kokkos::View<double***>& u) {
  const double t = 0;
  try {
    // # files/hdf5.hpp
    EXPECT_TRUE(std::filesystem::exists("heat.xdmf"));
  } catch (const quern::files::FileError& e) {
    EXPECT_NE(nullptr, std::strstr(e.what(), "built without HDF5")) << e.what();
  }
}

void groups(const space& exec) {
  const auto cell = on_device(std::vector<int>{3, 1, 3, 1}), species = on_device(std::vector<int>{0, 0, 0, 1});
  const auto particle_mass = on_device(std::vector<double>{1, 2, 4, 8});
  const Kokkos::View<int*> cell_of_group("cell of group", 3);
  // # keyed/group_by.hpp
  EXPECT_EQ((std::vector<double>{2, 8, 5}), test::contents(mass));
  EXPECT_EQ((std::vector<int>{1, 1, 3}), test::contents(cell_of_group));
}

void points_in_cells(const space& exec) {
  const int n = 3;
  const Kokkos::View<double**> points("points", n, 3);
  quern::fill(exec, quern::slice(points, {{0, 1}}), 0.5);
  // # particles/bin_by.hpp
  EXPECT_EQ((std::vector<int>{1, 2, 0}), test::contents(order));
  const quern::domain box({0, 0, 0}, {1, 1, 1});
  const auto others = points;
  // # particles/pair_counts.hpp
  EXPECT_EQ((std::vector<std::int64_t>{2, 0, 0}), test::contents(counts));
}

void in_kernels(const Kokkos::View<double*>& x, const Kokkos::View<double*>& p) {
  const quern::random::key k(1);
  const int n = static_cast<int>(x.extent(0));
  // # random/generator.hpp
}

struct heat_step {
  double rate;
  template <class Window>
  KOKKOS_FUNCTION double operator()(const Window& w) const {
    return w(0) + rate * (w(-1) + w(1) - 2 * w(0));
  }
};

void steps(const space& exec) {
  Kokkos::View<double*> u("u", 20), next("next", 20);
  quern::fill(exec, u, 2.0);
  // # stencil/iterate.hpp
  EXPECT_NEAR(40, quern::sum(exec, u), 1e-12);
}

void ghosts(const space& exec) {
  const Kokkos::View<double**> u("u", 7, 8), v("v", 7, 8);
  quern::fill(exec, u, 2.0);
  // # stencil/halo.hpp
  EXPECT_EQ(-2.0, test::contents(u)[0]);
  EXPECT_EQ(2.0, test::contents(u)[3]);
}

void chunks(const space& exec) {
  const Kokkos::View<double*> values("values", 5);
  quern::fill(exec, values, 1.5);
  quern::files::write_npy("in.npy", values);
  const auto x_source = quern::files::npy_source<double, 1>("in.npy");
  const auto y_sink = quern::files::npy_sink<double>("out.npy", {5});
  double total = 0;
  // # chunked/chunks.hpp
  EXPECT_EQ(7.5, total);
  EXPECT_EQ(5, quern::sum(exec, quern::files::load_npy<Kokkos::View<double*>>("out.npy")));
}

}  // namespace

TEST(Guides, DocComments) {
  const space exec;
  gradients(exec);
  fits(exec);
  fitted_classes(exec);
  statistics_of_steps(exec);
  curves(exec);
  polynomials(exec);
  parts(exec);
  dual_numbers();
  particles(exec);
  conjugate_gradients(exec);
  systems(exec);
  equations_in_time(exec);
  groups(exec);
  points_in_cells(exec);
  steps(exec);
  ghosts(exec);
  memory(exec);
  scratch(exec);
  scratch_of_a_call(exec);
  between_memories(exec);
  texts();
  tables(exec);
  larger_than_memory(exec);
  center_of_chunks(exec);
  if (quern::impl::fourier::available<space>()) transforms(exec);
  const Kokkos::View<double*> x("x", 1000), p("p", 1000);
  quern::fill(exec, p, 0.5);
  in_kernels(x, p);
  EXPECT_LT(0, quern::count(exec, x));
  std::string folder = (std::filesystem::temp_directory_path() / "quern-comments-XXXXXX").string();
  ASSERT_NE(nullptr, mkdtemp(folder.data()));
  const auto before = std::filesystem::current_path();
  std::filesystem::current_path(folder);
  series_of_files(Kokkos::View<double***>("u", 3, 4, 5));
  chunks(exec);
  tables_of_samples(exec);
  tables_of_arrow(exec);
  arrow_of_tables(exec);
  files_of_tables(exec);
  chunks_of_tables(exec);
  tables_of_files(exec);
  rows_of_a_file(exec);
  std::filesystem::current_path(before);
  std::filesystem::remove_all(folder);
}
