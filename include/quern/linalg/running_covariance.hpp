// SPDX-FileCopyrightText: the Quern authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef QUERN_LINALG_RUNNING_COVARIANCE_HPP
#define QUERN_LINALG_RUNNING_COVARIANCE_HPP

#include <quern/core/launch/launch_units.hpp>
#include <quern/core/views/part_view.hpp>
#include <quern/linalg/covariance.hpp>

namespace quern {
namespace impl {

/// Means and sums of products of deviations of d variables, of a number of observations that each mean has beside it,
/// so that those can be updated in any order.
struct covariance_sums {
  double* data;  // counts (d), means (d), products (d, d)
  std::int64_t d;

  static std::int64_t size(std::int64_t d) { return d * (d + 2); }
  KOKKOS_FUNCTION double& count(std::int64_t i) const { return data[i]; }
  KOKKOS_FUNCTION double& mean(std::int64_t i) const { return data[d + i]; }
  KOKKOS_FUNCTION double& product(std::int64_t i, std::int64_t j) const { return data[(2 + i) * d + j]; }
};

/// Products of the deviations of both samples from the common mean (Chan, Golub and LeVeque), by the counts and means
/// before these are updated; those of `other` are times `scale`.
struct join_products {
  covariance_sums to, other;
  double scale;
  KOKKOS_FUNCTION void operator()(std::int64_t item) const {
    const std::int64_t i = item / to.d, j = item - i * to.d;
    const double n = to.count(0), m = other.count(0);
    if (m == 0) return;
    const double apart_i = other.mean(i) - to.mean(i), apart_j = other.mean(j) - to.mean(j);
    const double between = n == 0 ? 0 : apart_i * (apart_j * (n * (m / (n + m))));
    to.product(i, j) += other.product(i, j) * scale + between;
  }
};
struct join_means {
  covariance_sums to, other;
  KOKKOS_FUNCTION void operator()(std::int64_t i) const {
    const double n = to.count(i), m = other.count(i);
    if (m == 0) return;
    const double apart = other.mean(i) - to.mean(i), part = m / (n + m);
    if (n == 0) to.mean(i) = other.mean(i);
    else if (Kokkos::isfinite(apart)) to.mean(i) += apart * part;
    else to.mean(i) = to.mean(i) * (n / (n + m)) + other.mean(i) * part;  // of infinities, and where steps overflow
    to.count(i) = n + m;
  }
};

/// A sum of products divided by count - ddof; not at all where that is 0 or less, as NumPy's.
struct covariance_of_products {
  std::int64_t ddof;
  KOKKOS_FUNCTION double operator()(double product, double count) const {
    return product / Kokkos::max(count - static_cast<double>(ddof), 0.0);
  }
};

struct mean_or_nan {
  KOKKOS_FUNCTION double operator()(double mean, double count) const {
    return count == 0 ? Kokkos::Experimental::quiet_NaN_v<double> : mean;
  }
};

}  // namespace impl

/// The covariances of variables from all observations that have been added, step by step: the Reynolds stresses of the
/// components of a velocity, or what sensors say of each other.
///
/// @code
/// quern::RunningCovariance<> stresses(exec, 3);  // of three variables
/// for (int step = 0; step < steps; ++step)
///   stresses.add(exec, velocity, quern::axis{0});  // (cells, 3)
/// stresses.cov(exec, matrix);
/// @endcode
///
/// Sums are in double, whatever the type of the values. Each `add` takes means and products about them of its
/// observations, by `mean` and `cov`, and joins them with those before (Chan, Golub and LeVeque). Asynchronous on
/// `exec`: nothing waits, and a warm call allocates nothing. Work on one object must be ordered; copies share the sums.
/// NaN gives NaN wherever its variable takes part.
template <execution_space Space = Kokkos::DefaultExecutionSpace>
class RunningCovariance {
 public:
  using merged_over_ranks = void;
  using space_type = Space;
  using sums_view = Kokkos::View<double*, Kokkos::LayoutRight, typename Space::memory_space>;

  /// Of so many variables. Allocates.
  /// @throws Error if they are fewer than 0
  template <execution_space Exec>
  RunningCovariance(const Exec& exec, std::int64_t variables)
      : variables_(checked(variables)),
        sums_(Kokkos::view_alloc(exec, "quern::RunningCovariance"),
              static_cast<std::size_t>(impl::covariance_sums::size(variables))) {}

  /// Adds the observations of x, (variables, observations), as `cov` takes them, or with `axis{0}` (observations,
  /// variables). x may be lazy or re-indexed.
  /// @throws Error if x has another rank or other variables
  template <execution_space Exec, array_like X, option<axis>... Options>
  void add(const Exec& exec, const X& x, const Options&... options) const {
    static_assert(impl::may_have_rank<X, 2, 2> && impl::has_order<impl::value_of<X>>,
                  "quern::RunningCovariance: x is a matrix of real numbers");
    const std::string& label = impl::label_text("quern::RunningCovariance");
    const shape extents = impl::operand_extents(label, x);
    const int along = impl::axis_option(label, 1, 2, options...);
    shape expected = extents;
    if (expected.rank == 2) expected.extent[1 - along] = variables_;
    if (extents.rank != 2 || extents != expected)
      impl::reject_extents(label, "x", extents, "observations of " + std::to_string(variables_) + " variables");
    const std::int64_t d = variables_, n = extents.extent[along];
    if (n == 0 || d == 0) return;
    const impl::scratch_array<Exec, double> memory(exec, impl::covariance_sums::size(d));
    const auto part = [&]<int Rank>(std::integral_constant<int, Rank>, std::int64_t first, const shape& of) {
      return impl::as_part<Exec, Rank, Kokkos::LayoutRight>(impl::strided<double>{memory.data() + first, of, {}});
    };
    quern::fill(exec, part(std::integral_constant<int, 1>(), 0, {d}), static_cast<double>(n));
    quern::mean<double>(exec, part(std::integral_constant<int, 1>(), d, {d}), x, axis{along});
    quern::cov(exec, part(std::integral_constant<int, 2>(), 2 * d, {d, d}), x, axis{along}, ddof{0});
    join(exec, memory.data(), static_cast<double>(n));
  }
  /// Adds all observations of another one.
  /// @throws Error if it has other variables
  template <execution_space Exec>
  void merge(const Exec& exec, const RunningCovariance& other) const {
    if (variables_ != other.variables_)
      throw Error("quern::RunningCovariance", "the other one has " + std::to_string(other.variables_) +
                                                  " variables, expected " + std::to_string(variables_));
    if (sums_.data() != other.sums_.data()) return join(exec, other.sums_.data(), 1);
    const impl::scratch_array<Exec, double> memory(exec, impl::covariance_sums::size(variables_));
    const impl::strided<double> copied{memory.data(), {impl::covariance_sums::size(variables_)}, {1}};
    impl::map_checked(impl::label_text("quern::RunningCovariance", "/copy"), exec,
                      impl::as_part<Exec, 1, Kokkos::LayoutRight>(copied), impl::op::identity(), sums_);
    join(exec, memory.data(), 1);
  }
  /// Forgets all observations.
  template <execution_space Exec>
  void reset(const Exec& exec) const {
    quern::fill(exec, sums_, 0.0);
  }

  /// The covariances, (variables, variables): sums of products divided by the number of observations - ddof, 1 without
  /// the option. NaN where nothing has been added.
  template <execution_space Exec, view_like Out, option<ddof>... Options>
  void cov(const Exec& exec, const Out& out, const Options&... options) const {
    const std::string& label = impl::label_text("quern::RunningCovariance", "/cov");
    const std::int64_t d = variables_;
    impl::check_extents(label, "out", impl::view_extents(out), {d, d});
    const std::int64_t lost = impl::option_or(ddof{1}, options...).value;
    impl::map_checked(label, exec, out, impl::covariance_of_products{lost}, part<2>(2 * d, {d, d}), part<1>(0, {d}));
  }
  /// The means, (variables); NaN where nothing has been added.
  template <execution_space Exec, view_like Out>
  void mean(const Exec& exec, const Out& out) const {
    const std::string& label = impl::label_text("quern::RunningCovariance", "/mean");
    impl::check_extents(label, "out", impl::view_extents(out), {variables_});
    impl::map_checked(label, exec, out, impl::mean_or_nan(), part<1>(variables_, {variables_}),
                      part<1>(0, {variables_}));
  }

  std::int64_t variables() const { return variables_; }
  /// Counts, means and products: what is kept of a run, and what ranks exchange.
  const sums_view& sums() const { return sums_; }
  /// Adds the observations of such sums, of as many variables, their products times a factor.
  template <execution_space Exec>
  void join(const Exec& exec, double* sums, double scale = 1) const {
    const impl::covariance_sums to{sums_.data(), variables_}, from{sums, variables_};
    impl::launch_units(exec, impl::label_text("quern::RunningCovariance", "/products"), variables_ * variables_,
                       impl::join_products{to, from, scale});
    impl::launch_units(exec, impl::label_text("quern::RunningCovariance", "/means"), variables_,
                       impl::join_means{to, from});
  }

 private:
  static std::int64_t checked(std::int64_t variables) {
    if (variables < 0)
      throw Error("quern::RunningCovariance", std::to_string(variables) + " variables, expected at least 0");
    return variables;
  }
  template <int Rank>
  auto part(std::int64_t first, const shape& of) const {
    return impl::as_part<Space, Rank, Kokkos::LayoutRight>(impl::strided<double>{sums_.data() + first, of, {}});
  }

  std::int64_t variables_;
  sums_view sums_;
};

}  // namespace quern

#endif
