// SPDX-FileCopyrightText: the Quern authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// The same of points, groups, random numbers, matrices, transforms and chunks.

#include <core/named.hpp>
#include <quern/batch.hpp>
#include <quern/chunked.hpp>
#include <quern/fft.hpp>
#include <quern/linalg.hpp>
#include <quern/quern.hpp>

namespace {

using namespace of_names;

TEST_F(Named, Components) {
  const quern::size_to size{index};
  EXPECT_NAMED(quern::label(exec, i, x, step));
  EXPECT_NAMED(quern::label(exec, i, x, quern::generate_binary_structure(1, 1), size, step));
  EXPECT_NAMED(quern::connected_components(exec, j, i, i, size, step));
}

TEST_F(Named, Points) {
  const quern::size_to size{index};
  const matrix points("points", 40, 1);
  const quern::domain box({0}, {1});
  const Kokkos::View<int*> ends("ends", 6), starts("starts", 41), near("near", 1600);
  EXPECT_NAMED(quern::bin_by(exec, i, ends, points, quern::CellGrid(box, 0.2), step));
  EXPECT_NAMED(quern::bounding_domain(exec, points, step));
  EXPECT_NAMED(quern::radius_neighbors(exec, starts, near, points, box, 0.1, step));
  const std::vector<double> radii{0.1, 0.2};
  const counts pairs("pairs", 2);
  EXPECT_NAMED(quern::pair_counts(exec, pairs, points, box, radii, quern::cumulative{false}, step));
  EXPECT_NAMED(quern::pair_counts(exec, pairs, points, points, box, radii, step));
  const Kokkos::View<int**> nearest("nearest", 40, 3);
  const matrix distances("distances", 40, 3);
  EXPECT_NAMED(quern::knn(exec, nearest, distances, points, box, step));
  EXPECT_NAMED(quern::knn(exec, nearest, distances, points, points, box, step));
  EXPECT_NAMED(quern::knn(exec, nearest, distances, points, points, quern::metric::cosine, step));
  EXPECT_NAMED(quern::dbscan(exec, j, points, box, 0.1, 2, size, step));
  const matrix centers("centers", 2, 1);
  EXPECT_NAMED(quern::kmeans(exec, centers, j, points, step));
  EXPECT_NAMED(quern::kmeans(exec, centers, j, points, centers, quern::max_iterations{1}, step));
}

TEST_F(Named, Groups) {
  quern::fill(i, 0);
  EXPECT_NAMED(quern::group_by(exec, i, step));
  EXPECT_NAMED(quern::group_by(exec, i, quern::key_range{0, 5}, step));
  const auto by = quern::group_by(exec, i, step);
  const vector sums("sums", 1);
  const counts positions("positions", 1);
  EXPECT_NAMED(quern::sum(exec, sums, x, by, step));
  EXPECT_NAMED(quern::mean(exec, sums, x, by, step, quern::mask{true}));
  EXPECT_NAMED(quern::var(exec, sums, x, by, step));
  EXPECT_NAMED(quern::min(exec, sums, x, by, step));
  EXPECT_NAMED(quern::max(exec, sums, x, by, step));
  EXPECT_NAMED(quern::argmin(exec, positions, x, by, step));
  EXPECT_NAMED(quern::argmax(exec, positions, x, by, step));
  EXPECT_NAMED(quern::count(exec, positions, by, step));
  EXPECT_NAMED(quern::group_first(exec, sums, x, by, step));
}

TEST_F(Named, Joins) {
  const quern::size_to size{index};
  const indices left("left", 2000), right("right", 2000), short_keys("short", 3);
  quern::map(short_keys, my::first_index(), quern::positions());
  EXPECT_NAMED(quern::join(exec, left, right, short_keys, short_keys, step));
  EXPECT_NAMED(quern::left_join(exec, left, right, short_keys, short_keys, size, step));
  EXPECT_NAMED(quern::full_join(exec, left, right, short_keys, short_keys, step));
  EXPECT_NAMED(quern::semi_join(exec, left, short_keys, short_keys, step));
  EXPECT_NAMED(quern::anti_join(exec, left, short_keys, short_keys, step));
  EXPECT_NAMED(quern::asof_join(exec, left, right, right, step));
  EXPECT_NAMED(quern::join_count(exec, short_keys, short_keys, step));
  EXPECT_NAMED(quern::left_join_count(exec, index, short_keys, short_keys, step));
  EXPECT_NAMED(quern::full_join_count(short_keys, short_keys, step));
}

TEST_F(Named, RandomNumbers) {
  namespace random = quern::random;
  const random::key key(1);
  const Kokkos::View<std::uint64_t*> words("words", 40);
  const matrix covariance("covariance", 12, 12);
  quern::map(covariance, my::diagonal_and_others{1, 0}, quern::positions());
  EXPECT_NAMED(random::bits(exec, words, key, step));
  EXPECT_NAMED(random::uniform(exec, y, key, step));
  EXPECT_NAMED(random::uniform(y, key, -1.0, 1.0, step));
  EXPECT_NAMED(random::integers(exec, i, key, 0, 5, step));
  EXPECT_NAMED(random::normal(exec, y, key, step));
  EXPECT_NAMED(random::normal(exec, y, random::part_of(key), step));
  EXPECT_NAMED(random::normal(y, key, 0.0, 2.0, step));
  EXPECT_NAMED(random::exponential(exec, y, key, step));
  EXPECT_NAMED(random::bernoulli(exec, i, key, 0.5, step));
  EXPECT_NAMED(random::poisson(exec, i, key, 2.0, step));
  EXPECT_NAMED(random::gamma(exec, y, key, 2.0, step));
  EXPECT_NAMED(random::permutation(exec, i, key, step));
  EXPECT_NAMED(random::shuffle(exec, y, key, x, step));
#ifdef QUERN_USES_LINALG
  EXPECT_NAMED(quern::train_test_split(exec, i, Kokkos::View<int*>("test", 5), key, step));
#endif
  EXPECT_NAMED(random::choice(exec, i, key, 100, step));
  EXPECT_NAMED(random::choice(exec, i, key, x, step));
  EXPECT_NAMED(random::sobol(exec, a, key, step));
  EXPECT_NAMED(random::multivariate_normal(exec, a, key, Kokkos::subview(x, std::pair(0, 12)), covariance, step));
}

TEST_F(Named, LinearAlgebra) {
  const Kokkos::View<int**> m("m", 4, 4), n("n", 4, 4), o("o", 4, 4);
  const Kokkos::View<int*> v("v", 4), w("w", 4), info("info", 3);
  const batch p("p", 3, 4, 4), q("q", 3, 4, 4), r("r", 3, 4, 4);
  const matrix s("s", 3, 4), t("t", 3, 4);
  const Kokkos::View<int**> pivots("pivots", 3, 4);
  quern::map(p, my::diagonal_and_others{2, 0}, quern::positions());
  quern::map(a, my::diagonal_and_others{2, 0.1}, quern::positions());
  EXPECT_NAMED(quern::matmul(exec, o, m, n, step));
  EXPECT_NAMED(quern::matvec(exec, w, m, v, step));
  EXPECT_NAMED(quern::outer(exec, m, v, w, step));
  EXPECT_NAMED(quern::einsum<"ij,jk->ik">(exec, o, m, n, step));
  EXPECT_NAMED(quern::solve(exec, s, p, t, info, step));
  EXPECT_NAMED(quern::inv(exec, q, p, step));
  EXPECT_NAMED(quern::lu_factor(exec, q, pivots, p, step));
  EXPECT_NAMED(quern::lu_solve(exec, s, q, pivots, t, step));
  EXPECT_NAMED(quern::cholesky(exec, q, p, step));
  EXPECT_NAMED(quern::qr(exec, q, r, p, step));
  EXPECT_NAMED(quern::eigh(exec, s, q, p, step));
  EXPECT_NAMED(quern::eigvalsh(exec, s, p, step));
  EXPECT_NAMED(quern::svd(exec, q, s, r, p, step));
  EXPECT_NAMED(quern::svdvals(exec, s, p, step));
  if (!quern::impl::lapack::available<space>()) return;
  const vector twelve("twelve", 12), other("other", 12);
  EXPECT_NAMED(quern::triangular_solve(exec, b, a, c, quern::triangle::lower, step));
  EXPECT_NAMED(quern::det(exec, a, step));
  EXPECT_NAMED(quern::slogdet(exec, a, step));
  EXPECT_NAMED(quern::lstsq(exec, twelve, a, other, step));
  EXPECT_NAMED(quern::pinv(exec, b, a, step));
  EXPECT_NAMED(quern::matrix_rank(exec, a, step));
  EXPECT_NAMED(quern::matrix_norm(exec, a, step));
  EXPECT_NAMED(quern::cond(exec, a, step));
  const vector three("three", 3);
  const matrix components("components", 3, 12), left("left", 12, 3), right("right", 3, 12);
  const Kokkos::View<int*> classes("classes", 12);
  EXPECT_NAMED(quern::pca(exec, twelve, components, three, a, step));
  EXPECT_NAMED(quern::truncated_svd(exec, left, three, right, a, step, quern::oversampling{4}));
  EXPECT_NAMED(quern::linear_regression(exec, twelve, a, other, step));
  EXPECT_NAMED(quern::lasso(exec, twelve, a, other, step));
  EXPECT_NAMED(quern::ridge(twelve, a, other, step, quern::alpha{0.5}));
  EXPECT_NAMED(quern::polyfit(exec, three, other, other, step));
  EXPECT_NAMED(quern::logistic_regression(exec, twelve, a, classes, step));
  EXPECT_NAMED(quern::predict_proba(exec, other, a, twelve, step));
}

TEST_F(Named, IntegralsAndBatches) {
  const vector line("line", 12);
  EXPECT_NAMED(quern::integrate(exec, my::square(), {0.0, 1.0}, 100, step));
  EXPECT_NAMED(quern::integrate(my::square(), {0.0, 1.0}, 100, quern::rule::simpson(), step));
  EXPECT_NAMED(
      quern::integrate(exec, my::square(), {0.0, 1.0}, quern::adaptive(), step, quern::tolerance{.relative = 1e-6}));
  EXPECT_NAMED(quern::integrate(exec, my::square(), {0.0, 1.0}, quern::monte_carlo{.samples = 1000}, step));
  EXPECT_NAMED(quern::trapezoid(exec, line, a, 0.5, quern::axis{1}, step));
  EXPECT_NAMED(quern::simpson(exec, x, 0.5, step));
  EXPECT_NAMED(quern::cumulative_trapezoid(exec, y, x, 0.5, step));
  EXPECT_NAMED(quern::vmap(exec, b, my::copied(), a, step));
  const matrix unknowns("unknowns", 40, 1), start("start", 40, 1);
  const batch values("values", 40, 2, 1);
  quern::fill(unknowns, 1.0);
  quern::map(few, my::first_index(), quern::positions());
  EXPECT_NAMED(quern::newton<1>(exec, unknowns, my::root(), quern::max_iterations{50}, step, x));
  EXPECT_NAMED(quern::odeint<1>(exec, values, my::decay(), step, start, few, x));
#ifdef QUERN_USES_LINALG
  const vector guess("guess", 1);
  EXPECT_NAMED(quern::curve_fit<1>(exec, quern::outputs(guess, matrix("variance", 1, 1)), my::slope(), step, x, y));
#endif
}

// Libraries of transforms launch no kernels of Kokkos; Quern's own pack and scale.
TEST_F(Named, FourierTransforms) {
  if (!quern::impl::fourier::available<space>()) GTEST_SKIP() << "no library of transforms";
  const complexes z("z", 40), w("w", 40), half("half", 21);
  const Kokkos::View<Kokkos::complex<double>**, Kokkos::LayoutRight> f("f", 12, 12), g("g", 12, 12), h("h", 12, 7);
  const Kokkos::View<double**, Kokkos::LayoutRight> r("r", 12, 12), s("s", 12, 12);
  const vector small("small", 21);
  EXPECT_NAMED(quern::ifft(exec, w, z, step));
  EXPECT_NAMED(quern::fft(exec, w, z, step, quern::fft_norm::ortho));
  EXPECT_NAMED(quern::rfft(exec, half, x, step, quern::fft_norm::ortho));
  EXPECT_NAMED(quern::irfft(exec, y, half, step));
  EXPECT_NAMED(quern::hfft(exec, y, half, step));
  EXPECT_NAMED(quern::ihfft(exec, half, x, step));
  EXPECT_NAMED(quern::fft2(exec, f, g, step, quern::fft_norm::ortho));
  EXPECT_NAMED(quern::ifft2(exec, f, g, step));
  EXPECT_NAMED(quern::rfft2(exec, h, r, step, quern::fft_norm::ortho));
  EXPECT_NAMED(quern::irfft2(exec, r, h, step));
  EXPECT_NAMED(quern::fftn(exec, f, g, step, quern::fft_norm::ortho));
  EXPECT_NAMED(quern::ifftn(exec, f, g, step));
  EXPECT_NAMED(quern::rfftn(exec, h, r, step, quern::fft_norm::ortho));
  EXPECT_NAMED(quern::irfftn(exec, r, h, step));
  EXPECT_NAMED(quern::dct(exec, y, x, step));
  EXPECT_NAMED(quern::idct(exec, y, x, step));
  EXPECT_NAMED(quern::dst(exec, y, x, step));
  EXPECT_NAMED(quern::idst(exec, y, x, step));
  EXPECT_NAMED(quern::fftfreq(exec, y, 0.1, step));
  EXPECT_NAMED(quern::rfftfreq(exec, small, 40, 0.1, step));
  EXPECT_NAMED(quern::fftshift(exec, y, x, step));
  EXPECT_NAMED(quern::ifftshift(exec, y, x, step));
  EXPECT_NAMED(quern::fftconvolve(exec, y, x, few, quern::convolve_mode::same, step));
  EXPECT_NAMED(quern::fftcorrelate(exec, y, x, few, quern::convolve_mode::same, step));
  EXPECT_NAMED(quern::spectral_derivative(exec, y, x, step));
  EXPECT_NAMED(quern::poisson(exec, s, r, step));
  EXPECT_NAMED(quern::power_spectrum(exec, small, x, step));
}

TEST_F(Named, Chunks) {
  using Host = Kokkos::View<double*, Kokkos::HostSpace>;
  const Host in("in", 4000), out("out", 4000);
  const auto source = quern::in_chunks(in);
  const auto sink = quern::in_chunks(out);
  const quern::chunking small{.memory = 20'000};
  EXPECT_NAMED(quern::map(exec, sink, my::halved(), small, step, source));
  EXPECT_NAMED(quern::multiply(exec, sink, source, 2.0, small, step));
  EXPECT_NAMED(quern::sum(exec, source, step, small));
  EXPECT_NAMED(quern::var(exec, source, small, step));
  EXPECT_NAMED(quern::cumsum(exec, sink, source, step));
  EXPECT_EQ("step: quern::map<my::halved>",
            labels_of([&] { quern::map(exec, sink, my::halved(), small, step, source); }).at(0));
}

}  // namespace
