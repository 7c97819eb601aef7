// SPDX-FileCopyrightText: the Quern authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Every operation in memory and in chunks with a name, and what tools of Kokkos then see: arrays, their reductions,
// windows and order.

#include <core/named.hpp>
#include <quern/quern.hpp>

namespace {

using namespace of_names;

using quern::boundary;

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

}  // namespace
