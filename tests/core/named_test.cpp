// SPDX-FileCopyrightText: the Quern authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Every operation in memory and in chunks with a name, and what tools of Kokkos then see.

#include <quern/batch.hpp>
#include <quern/chunked.hpp>
#include <quern/fft.hpp>
#include <quern/linalg.hpp>
#include <quern/quern.hpp>
#include <support/labels.hpp>
#include <support/testing.hpp>

namespace my {

struct halved {
  KOKKOS_FUNCTION double operator()(double x) const { return 0.5 * x; }
};
template <class T>
struct larger {
  KOKKOS_FUNCTION T operator()(T a, T b) const { return a > b ? a : b; }
};
struct greater {
  KOKKOS_FUNCTION bool operator()(double a, double b) const { return a > b; }
};
struct cross {
  template <class Window>
  KOKKOS_FUNCTION double operator()(const Window& w) const {
    return w(1, 0) + w(0, 1);
  }
};
struct middle {
  template <class Values>
  KOKKOS_FUNCTION double operator()(const Values& w) const {
    return w[w.size() / 2];
  }
};
struct first_index {
  template <class P>
  KOKKOS_FUNCTION int operator()(const P& p) const {
    return static_cast<int>(p[0]);
  }
};
/// A matrix, or many, of two numbers.
struct diagonal_and_others {
  double diagonal, others;
  template <class P>
  KOKKOS_FUNCTION double operator()(const P& p) const {
    return p[P::size() - 2] == p[P::size() - 1] ? diagonal : others;
  }
};
struct copied {
  template <class Y, class X>
  KOKKOS_FUNCTION void operator()(const Y& y, const X& x) const {
    for (std::size_t i = 0; i < x.extent(0); ++i) y(i) = x(i);
  }
};
struct square {
  KOKKOS_FUNCTION double operator()(double x) const { return x * x; }
};
struct root {
  template <class X>
  KOKKOS_FUNCTION auto operator()(const X& x, double a) const {
    return Kokkos::Array<std::remove_cvref_t<decltype(x[0])>, 1>{x[0] * x[0] - a};
  }
};
struct slope {
  template <class P>
  KOKKOS_FUNCTION auto operator()(double x, const P& p) const {
    return p[0] * x;
  }
};
struct decay {
  template <class Y, class T>
  KOKKOS_FUNCTION auto operator()(const Y& y, T, T rate) const {
    return Kokkos::Array<T, 1>{-rate * y[0]};
  }
};

}  // namespace my

namespace {

using space = Kokkos::DefaultExecutionSpace;
using quern::boundary;
using quern::named;
using vector = Kokkos::View<double*>;
using matrix = Kokkos::View<double**>;
using batch = Kokkos::View<double***>;
using indices = Kokkos::View<int*>;
using complexes = Kokkos::View<Kokkos::complex<double>*>;
using counts = Kokkos::View<std::int64_t*>;

using test::labels_of;

/// What a call launches, which is something, has the name.
template <class F>
void expect_named(const char* what, const F& call) {
  EXPECT_FALSE(test::expect_named(what, call).empty()) << what;
}
#define EXPECT_NAMED(...) expect_named(#__VA_ARGS__, [&] { (void)(__VA_ARGS__); })

const named step{"step"};

struct Named : testing::Test {
  const space exec;
  const vector x{"x", 40}, y{"y", 40}, few{"few", 2};
  const matrix a{"a", 12, 12}, b{"b", 12, 12}, c{"c", 12, 12};
  const indices i{"i", 40}, j{"j", 40}, k{"k", 40};
  const Kokkos::View<double> total{"total"};
  const Kokkos::View<std::int64_t> index{"index"};
  Named() {
    quern::map(x, my::halved(), 3.0);
    quern::map(a, my::halved(), 3.0);
  }
};

TEST_F(Named, LabelsTellFunctorsApart) {
  using list = std::vector<std::string>;
  EXPECT_EQ((list{"quern::map<my::halved>"}), labels_of([&] { quern::map(exec, y, my::halved(), x); }));
  EXPECT_EQ((list{"flux: quern::map<my::halved>"}),
            labels_of([&] { quern::map(exec, y, my::halved(), named{"flux"}, x); }));
  EXPECT_EQ((list{"outer: inner: quern::fill"}), labels_of([&] {
              const quern::impl::label_scope scope("outer");
              quern::fill(y, 1, named{"inner"});
            }));
  EXPECT_EQ((list{"quern::reduce<my::larger<double>>"}),
            labels_of([&] { quern::reduce(exec, total, my::larger<double>(), 0.0, x); }));
  EXPECT_EQ((list{"quern::vmap<my::copied>"}), labels_of([&] { quern::vmap(exec, b, my::copied(), a); }));
  EXPECT_EQ("quern::stencil<my::cross>",
            labels_of([&] { quern::stencil<quern::star<1>>(exec, b, my::cross(), boundary::wrap, a); }).at(0));
  EXPECT_EQ((list{"quern::fill_halo<my::first_index>"}),
            labels_of([&] { quern::fill_halo(exec, b, my::first_index(), boundary::prescribed, quern::depth{1}); }));
  EXPECT_EQ("quern::fill", labels_of([&] { quern::fill(y, 1); }).at(0));
}

TEST_F(Named, MessagesKeepTheNameOfTheOperation) {
  test::expect_error("quern::map: in 1 has extents (2), which do not broadcast to (40)",
                     [&] { quern::map(exec, y, my::halved(), step, few); });
  test::expect_error("quern::add: in 2 has extents (2), which do not broadcast to (40)",
                     [&] { quern::add(y, x, few, step); });
  EXPECT_EQ("quern::fill", labels_of([&] { quern::fill(y, 1); }).at(0));  // the name has gone with the call
}

TEST_F(Named, Elementwise) {
  EXPECT_NAMED(quern::map(exec, y, my::halved(), step, x));
  EXPECT_NAMED(quern::map(y, my::halved(), x, step));
  EXPECT_NAMED(quern::fill(exec, y, 1.0, step));
  EXPECT_NAMED(quern::fill(y, 1.0, step));
  EXPECT_NAMED(quern::copy(exec, y, x, step));
  EXPECT_NAMED(quern::copy(y, quern::lazy(my::halved(), x), step));
  EXPECT_NAMED(quern::add(exec, y, x, 1.0, step));
  EXPECT_NAMED(quern::subtract(y, x, 1.0, step));
  EXPECT_NAMED(quern::multiply(exec, y, x, x, step));
  EXPECT_NAMED(quern::divide(exec, y, x, 2, step));
  EXPECT_NAMED(quern::axpy(exec, y, 2.0, x, x, step));
  EXPECT_NAMED(quern::where(exec, y, i, x, 0.0, step));
  EXPECT_NAMED(quern::clip(exec, y, x, 0.0, 1.0, step));
  EXPECT_NAMED(quern::nan_to_num(y, x, step, quern::replacements{.nan = 1}));
  EXPECT_NAMED(quern::isclose(exec, i, x, y, step, quern::equal_nan));
  EXPECT_NAMED(quern::select(exec, y, i, x, step));
  EXPECT_NAMED(quern::piecewise(y, quern::pieces(my::halved(), 2.0), x, i, step));
  EXPECT_NAMED(quern::concatenate(exec, vector("out", 80), quern::components(x, y), step));
  EXPECT_NAMED(quern::insert(vector("out", 41), x, 3, 1.0, step));
  EXPECT_NAMED(quern::insert(vector("out", 80), x, i, 1.0, step));
  EXPECT_NAMED(quern::stack(matrix("out", 2, 40), std::vector{x, y}, step, quern::axis{0}));
  EXPECT_NAMED(quern::diff(exec, vector("out", 39), x, step, quern::axis{0}));
}

TEST_F(Named, IndicesAndProducts) {
  const Kokkos::View<std::int64_t> info("info");
  EXPECT_NAMED(quern::take_along_axis(exec, y, x, i, step, quern::index_mode::clip));
  EXPECT_NAMED(quern::put_along_axis(y, i, 1.0, quern::axis{0}, step));
  EXPECT_NAMED(quern::put(exec, y, i, x, info, step));
  EXPECT_NAMED(quern::repeat(exec, x, i, step));
  EXPECT_NAMED(quern::repeat(x, i, quern::axis{0}, step));
  EXPECT_NAMED(quern::remove_at(exec, x, i, quern::axis{0}, step));
  const Kokkos::View<int*> at("at", 40);
  EXPECT_NAMED(quern::unravel_index(exec, at, i, quern::shape{40}, step));
  EXPECT_NAMED(quern::ravel_index(exec, at, quern::components(i, i), quern::shape{40, 40}, step));
  EXPECT_NAMED(quern::cross(exec, matrix("out", 12, 3), matrix("in", 12, 3), Kokkos::Array<double, 3>{1, 2, 3}, step));
  EXPECT_NAMED(quern::kron(exec, matrix("out", 12, 480), a, x, step));
  EXPECT_NAMED(quern::polyval(y, x, 2.0, step));
  EXPECT_NAMED(quern::unwrap(exec, y, x, step, quern::period{1}));
  EXPECT_NAMED(quern::cov(exec, c, a, step, quern::ddof{0}));
  EXPECT_NAMED(quern::cov(exec, c, a, step, quern::fweights{Kokkos::subview(i, std::pair(0, 12))}));
  EXPECT_NAMED(quern::corrcoef(exec, c, a, step));
}

TEST_F(Named, RangesAndMatrices) {
  EXPECT_NAMED(quern::arange(exec, y, 40, step));
  EXPECT_NAMED(quern::arange(y, 0, 20, 0.5, step));
  EXPECT_NAMED(quern::linspace(exec, y, 0, 1, step, quern::without_endpoint));
  EXPECT_NAMED(quern::logspace(y, 0, 1, quern::log_base{2}, step));
  EXPECT_NAMED(quern::geomspace(exec, y, 1, 2, step));
  EXPECT_NAMED(quern::eye(exec, c, quern::diagonal_offset{1}, step));
  EXPECT_NAMED(quern::tril(c, a, step));
  EXPECT_NAMED(quern::triu(exec, c, a, step, quern::diagonal_offset{-1}));
  const vector line("line", 12);
  EXPECT_NAMED(quern::meshgrid(exec, quern::outputs(b, c), quern::components(line, line), quern::indexing::ij, step));
}

// What is on the host is read there: nothing is launched, but the fence has the name.
TEST_F(Named, Texts) {
  const auto named_calls = [&] {
    (void)quern::to_string(exec, x, step);
    (void)quern::to_string(few, step, quern::print_options{.precision = 2});
    quern::print(exec, few, step);
    quern::print(few, step);
  };
  for (const auto& label : labels_of(named_calls)) EXPECT_EQ(0u, label.find("step: quern::")) << label;
}

TEST_F(Named, Reductions) {
  using quern::axis;
  const vector out("out", 12);
  EXPECT_NAMED(quern::sum(exec, x, step));
  EXPECT_NAMED(quern::sum(x, step));
  EXPECT_NAMED(quern::sum<double>(exec, total, x, step, quern::reproducible));
  EXPECT_NAMED(quern::sum(exec, out, a, step, axis{1}));
  EXPECT_NAMED(quern::sum(out, a, axis{1}, step));
  EXPECT_NAMED(quern::prod(exec, total, x, step));
  EXPECT_NAMED(quern::norm<1>(exec, x, step));
  EXPECT_NAMED(quern::norm(exec, x, step));
  EXPECT_NAMED(quern::mean(exec, total, x, step));
  EXPECT_NAMED(quern::var(exec, total, x, quern::ddof{1}, step));
  EXPECT_NAMED(quern::var(exec, out, a, axis{1}, quern::reproducible, step));  // two passes
  EXPECT_NAMED(quern::stddev(exec, total, x, step));
  EXPECT_NAMED(quern::mean_var(exec, x, step));
  const vector other("other", 12);
  EXPECT_NAMED(quern::mean_var(exec, quern::outputs(out, other), a, axis{1}, step));
  EXPECT_NAMED(quern::min(exec, total, x, step));
  EXPECT_NAMED(quern::max(exec, total, x, step));
  EXPECT_NAMED(quern::minmax(exec, x, step));
  EXPECT_NAMED(quern::minmax(exec, quern::outputs(out, other), a, axis{1}, step));
  EXPECT_NAMED(quern::argmin(exec, index, x, step));
  EXPECT_NAMED(quern::argmax(exec, index, x, step));
  EXPECT_NAMED(quern::count(exec, index, x, step));
  EXPECT_NAMED(quern::all(exec, x, step));
  EXPECT_NAMED(quern::any(exec, x, step));
  EXPECT_NAMED(quern::nansum(exec, total, x, step));
  EXPECT_NAMED(quern::nanmean(exec, total, x, step));
  EXPECT_NAMED(quern::nanvar(exec, total, x, step));
  EXPECT_NAMED(quern::nanstd(exec, total, x, step));
  EXPECT_NAMED(quern::nanprod(exec, total, x, step));
  EXPECT_NAMED(quern::ptp(exec, total, x, step));
  EXPECT_NAMED(quern::allclose(exec, x, y, step));
  EXPECT_NAMED(quern::array_equal(index, x, x, step));
  EXPECT_NAMED(quern::nanmin(exec, total, x, step));
  EXPECT_NAMED(quern::nanmax(exec, total, x, step));
  EXPECT_NAMED(quern::nanargmin(exec, index, x, step));
  EXPECT_NAMED(quern::nanargmax(exec, index, x, step));
  EXPECT_NAMED(quern::nancount(exec, index, x, step));
  EXPECT_NAMED(quern::dot(exec, total, x, x, step));
  EXPECT_NAMED(quern::dot(x, x, step));
  EXPECT_NAMED(quern::vdot(exec, total, x, x, step));
  EXPECT_NAMED(quern::reduce(exec, total, my::larger<double>(), 0.0, x, step));
  EXPECT_NAMED(quern::reduce(my::larger<double>(), 0.0, x, step));
  EXPECT_NAMED(quern::median(exec, total, x, step));
  EXPECT_NAMED(quern::nanmedian(exec, x, step, quern::mask{true}));
  EXPECT_NAMED(quern::quantile(exec, x, 0.5, step));
  EXPECT_NAMED(quern::quantile(exec, few, x, quern::probabilities{0.1, 0.9}, step));
  EXPECT_NAMED(quern::nanquantile(exec, x, 0.5, quern::interpolation::lower, step));
}

TEST_F(Named, Scans) {
  const indices offsets("offsets", 3);
  EXPECT_NAMED(quern::cumsum(exec, y, x, step));
  EXPECT_NAMED(quern::nancumsum(exec, y, x, step));
  EXPECT_NAMED(quern::nancumprod(exec, y, x, step));
  EXPECT_NAMED(quern::cumsum<double>(y, x, step));
  EXPECT_NAMED(quern::cumprod(exec, y, x, step));
  EXPECT_NAMED(quern::inclusive_scan(exec, y, my::larger<double>(), 0.0, x, step));
  EXPECT_NAMED(quern::exclusive_scan(exec, y, my::larger<double>(), 0.0, x, step));
  EXPECT_NAMED(quern::segmented_reduce(exec, few, my::larger<double>(), 0.0, x, offsets, step));
  EXPECT_NAMED(quern::segmented_scan(exec, y, my::larger<double>(), 0.0, x, offsets, step));
}

TEST_F(Named, Stencils) {
  const matrix weights("weights", 3, 3);
  EXPECT_NAMED(quern::stencil<quern::star<1>>(exec, b, my::cross(), boundary::wrap, step, a));
  EXPECT_NAMED(quern::stencil<quern::star<1>>(b, my::cross(), boundary::wrap, a, step));
  EXPECT_NAMED(quern::gradient<4>(exec, quern::outputs(b, c), a, 1.0, boundary::wrap, step));
  EXPECT_NAMED(quern::gradient(exec, quern::outputs(b, c), a, 1.0, boundary::wrap, step));
  EXPECT_NAMED(quern::gradient(exec, c, a, 1.0, step, quern::axis{1}));
  EXPECT_NAMED(quern::gradient(exec, c, a, vector("points", a.extent(0)), quern::axis{0}, step, quern::edge_order<2>));
  EXPECT_NAMED(quern::laplacian(exec, b, a, 1.0, boundary::wrap, step));
  EXPECT_NAMED(quern::divergence(exec, c, quern::components(a, b), 1.0, boundary::wrap, step));
  EXPECT_NAMED(quern::gaussian_filter(exec, b, a, 1.0, boundary::wrap, step, quern::truncate_at{2}));
  EXPECT_NAMED(quern::uniform_filter(exec, b, a, 3, boundary::wrap, step));
  EXPECT_NAMED(quern::box_sum(exec, b, a, quern::per_axis<int>{3, 5}, boundary::wrap, step));
  EXPECT_NAMED(quern::correlate(exec, b, a, quern::to_host(weights), boundary::wrap, step));
  EXPECT_NAMED(quern::convolve(exec, b, a, quern::to_host(weights), boundary::wrap, step));
  EXPECT_NAMED(quern::minimum_filter(exec, b, a, 3, boundary::wrap, step));
  EXPECT_NAMED(quern::maximum_filter(exec, b, a, 3, boundary::wrap, step, quern::origin{1}));
  EXPECT_NAMED(quern::median_filter(exec, b, a, 5, boundary::wrap, step));
  EXPECT_NAMED(quern::rank_filter(exec, b, a, 2, 4, boundary::wrap, step));
  EXPECT_NAMED(quern::percentile_filter(exec, b, a, 10, 4, boundary::wrap, step));
  EXPECT_NAMED(quern::generic_filter(exec, b, my::middle(), 3, boundary::wrap, step, a));
  EXPECT_NAMED(quern::rolling<quern::op::mean>(exec, b, a, quern::window{3}, step, quern::axis{0}));
  EXPECT_NAMED(quern::rolling<quern::op::mean>(y, x, quern::window{3}, step));
  EXPECT_NAMED(quern::rolling<quern::op::median>(exec, y, x, x, quern::value_window{3}, step));
  EXPECT_NAMED(quern::map_coordinates(exec, y, x, quern::components(x), boundary::wrap, step, quern::spline_order{0}));
  EXPECT_NAMED(quern::gaussian_laplace(exec, b, a, 1.0, boundary::wrap, step));
  EXPECT_NAMED(quern::gaussian_gradient_magnitude(exec, b, a, 1.0, boundary::wrap, step));
  EXPECT_NAMED(quern::fill_halo(exec, b, boundary::wrap, quern::depth{1}, step));
  EXPECT_NAMED(quern::fill_halo(quern::outputs(b, c), boundary::wrap, quern::depth{1}, step, quern::layers{1}));
  EXPECT_NAMED(quern::fill_halo(exec, b, my::first_index(), boundary::prescribed, quern::depth{1}, step));
  EXPECT_NAMED(quern::add_halo(exec, b, boundary::wrap, quern::depth{1}, step));
  matrix now = a, next = b;
  EXPECT_NAMED(quern::iterate(
      exec, now, next,
      [](const auto& on, const auto& from, const auto& to) {
        quern::stencil<quern::star<1>>(on, to, my::cross(), boundary::wrap, from);
      },
      2, step));
}

TEST_F(Named, Morphology) {
  const Kokkos::View<unsigned char**> mask("mask", 40, 30), changed("changed", 40, 30);
  EXPECT_NAMED(quern::grey_erosion(exec, b, a, 3, boundary::wrap, step));
  EXPECT_NAMED(quern::grey_dilation(exec, b, a, 3, boundary::wrap, step, quern::origin{1}));
  EXPECT_NAMED(quern::grey_opening(exec, b, a, 3, boundary::wrap, step));
  EXPECT_NAMED(quern::grey_closing(exec, b, a, 3, boundary::wrap, step));
  EXPECT_NAMED(quern::binary_erosion(exec, changed, mask, 3, boundary::wrap, step));
  EXPECT_NAMED(quern::binary_dilation(exec, changed, mask, 3, boundary::wrap, step));
  EXPECT_NAMED(quern::binary_opening(exec, changed, mask, 3, boundary::wrap, step));
  EXPECT_NAMED(quern::binary_closing(exec, changed, mask, 3, boundary::wrap, step));
}

TEST_F(Named, Sorts) {
  EXPECT_NAMED(quern::sort(exec, y, x, step));
  EXPECT_NAMED(quern::sort(exec, y, x, step, quern::sort_order::descending));
  EXPECT_NAMED(quern::sort(y, my::greater(), step));
  EXPECT_NAMED(quern::argsort(exec, i, x, step));
  EXPECT_NAMED(quern::sort_by_key(exec, y, i, step));
  EXPECT_NAMED(quern::partial_sort(exec, few, x, step));
  EXPECT_NAMED(quern::top_k(exec, few, Kokkos::subview(i, std::pair(0, 2)), x, step));
  EXPECT_NAMED(quern::is_sorted(exec, x, step));
}

TEST_F(Named, Bins) {
  const counts number("number", 4);
  const vector edges("edges", 5);
  quern::map(edges, my::first_index(), quern::positions());
  EXPECT_NAMED(quern::histogram(exec, number, x, quern::bin_range{0, 1}, step));
  EXPECT_NAMED(quern::histogram(exec, number, x, edges, step));
  quern::fill(i, 0);
  EXPECT_NAMED(quern::bincount(exec, number, i, step));
  EXPECT_NAMED(quern::bincount(exec, number, i, quern::mask{i}, step));
  EXPECT_NAMED(quern::digitize(exec, i, x, edges, step));
  EXPECT_NAMED(quern::interp(exec, y, x, edges, edges, step));
  EXPECT_NAMED(quern::interp(exec, y, x, edges, edges, step, quern::period{3}));
  EXPECT_NAMED(quern::cubic_spline(exec, y, x, edges, edges, quern::spline_ends::natural, step));
  EXPECT_NAMED(quern::searchsorted(exec, i, edges, x, step));
}

TEST_F(Named, Selections) {
  const quern::size_to size{index};
  const counts many("many", 40);
  EXPECT_NAMED(quern::compact(exec, y, x, x, step));
  EXPECT_NAMED(quern::compact(exec, y, x, x, quern::axis{0}, step));
  EXPECT_NAMED(quern::nonzero(exec, i, x, size, step));
  quern::fill(i, 0);
  EXPECT_NAMED(quern::unique(exec, y, x, step));
  EXPECT_NAMED(quern::unique_counts(exec, y, many, x, step));
  EXPECT_NAMED(quern::unique_inverse(exec, y, j, x, step));
  EXPECT_NAMED(quern::unique_all(exec, y, k, j, many, x, step));
}

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
  EXPECT_NAMED(quern::semi_join(exec, left, short_keys, short_keys, step));
  EXPECT_NAMED(quern::anti_join(exec, left, short_keys, short_keys, step));
  EXPECT_NAMED(quern::join_count(exec, short_keys, short_keys, step));
  EXPECT_NAMED(quern::left_join_count(exec, index, short_keys, short_keys, step));
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
