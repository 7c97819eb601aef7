// SPDX-FileCopyrightText: the Quern authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef QUERN_INTEGRATE_MONTE_CARLO_HPP
#define QUERN_INTEGRATE_MONTE_CARLO_HPP

#include <bit>
#include <quern/core/call/label.hpp>
#include <quern/core/launch/index_range.hpp>
#include <quern/integrate/domain.hpp>
#include <quern/random/philox.hpp>
#include <quern/random/sobol.hpp>
#include <quern/reducers/moments.hpp>
#include <utility>

namespace quern {

/// A method of `quern::integrate`: the mean of f over that many random points, times the volume. The points depend on
/// the seed alone (Philox). `error` is the standard error, the root of variance / samples: the value is within one
/// with a probability of 68 %, within two of 95 %, and it halves with four times the samples. At least 2 samples.
/// Points are inside the box, never at its ends.
struct monte_carlo {
  using integration_method = void;
  std::int64_t samples = 1 << 20;
  std::uint64_t seed = 0;
};

/// A method of `quern::integrate`: the mean of f over points of Sobol's sequence (USSR Comput. Math. Math. Phys. 7,
/// 1967; direction numbers of Joe and Kuo, SIAM J. Sci. Comput. 30, 2008), shifted at random in 16 ways by the bits of
/// the seed (digital shifts). `error` is the standard error of the mean of the 16 means; for a smooth f it falls nearly
/// as 1 / samples. Samples are rounded up to a multiple of 16, and best 16 times a power of two, which fill the box
/// evenly.
struct quasi_monte_carlo {
  using integration_method = void;
  static constexpr int shifts = 16;
  std::int64_t samples = 1 << 20;
  std::uint64_t seed = 0;
};

namespace impl {

/// Points of a box from as many 64-bit numbers as it has axes.
template <class T, int Rank>
struct sampled_box {
  T lower[Rank], width[Rank];
  inside<T> within[Rank];

  explicit sampled_box(const std::array<interval<T>, Rank>& box) {
    for (int d = 0; d < Rank; ++d) {
      lower[d] = box[d].lower;
      width[d] = box[d].upper - box[d].lower;
      within[d] = inside<T>(box[d]);
    }
  }
  template <class F, std::size_t... D>
  KOKKOS_FUNCTION double value(const F& f, const std::uint64_t (&bits)[Rank], std::index_sequence<D...>) const {
    return static_cast<double>(f(within[D](lower[D] + to_unit_interval<T>(bits[D]) * width[D])...));
  }
  double volume() const {
    double v = 1;
    for (int d = 0; d < Rank; ++d) v *= width[d];
    return v;
  }
};

/// Mean and squared deviations of f over the points that a sequence gives; a work item takes a run of them.
template <class T, class F, class Sequence, int Rank>
struct sampling_kernel {
  using value_type = typename moments_reducer<double>::state;
  static constexpr int run = 64, block = 8;
  F f;
  sampled_box<T, Rank> box;
  Sequence sequence;
  std::int64_t samples;

  KOKKOS_FUNCTION void operator()(std::int64_t item, value_type& s) const {
    const std::int64_t last = Kokkos::min((item + 1) * run, samples);
    std::int64_t i = item * run;
    auto points = sequence.from(i);
    for (; i + block <= last; i += block) {
      double v[block];
      for (int k = 0; k < block; ++k) v[k] = next(points);
      moments_reducer<double>().template add_block<block>(s, v);
    }
    for (; i < last; ++i) moments_reducer<double>().add(s, next(points));
  }
  template <class Points>
  KOKKOS_FUNCTION double next(Points& points) const {
    std::uint64_t bits[Rank];
    points.next(bits);
    return box.value(f, bits, std::make_index_sequence<Rank>());
  }
  KOKKOS_FUNCTION void init(value_type& s) const { s = moments_reducer<double>().init(); }
  KOKKOS_FUNCTION void join(value_type& s, const value_type& t) const { moments_reducer<double>().join(s, t); }
};

/// Independent random points.
template <int Rank>
struct random_points {
  std::uint64_t seed;
  struct cursor {
    std::uint64_t seed, i;
    KOKKOS_FUNCTION void next(std::uint64_t (&bits)[Rank]) {
      for (int d = 0; d < Rank; d += 2) {
        const auto r = philox(seed, i, d / 2);
        bits[d] = std::uint64_t{r[0]} << 32 | r[1];
        if (d + 1 < Rank) bits[d + 1] = std::uint64_t{r[2]} << 32 | r[3];
      }
      ++i;
    }
  };
  KOKKOS_FUNCTION cursor from(std::int64_t i) const { return {seed, static_cast<std::uint64_t>(i)}; }
};

/// Sobol's sequence in up to four dimensions, in the order of Gray codes, with a digital shift.
template <int Rank>
struct sobol_points {
  std::uint64_t direction[Rank][sobol_digits];
  std::uint64_t shift[Rank];

  sobol_points(std::uint64_t seed, int number) {
    for (int d = 0; d < Rank; ++d) {
      sobol_directions(sobol_table[d], direction[d]);
      const auto r = philox(seed, number, d);
      shift[d] = std::uint64_t{r[0]} << 32 | r[1];
    }
  }

  struct cursor {
    const sobol_points& sequence;
    std::uint64_t i;
    std::uint64_t at[Rank];
    KOKKOS_FUNCTION void next(std::uint64_t (&bits)[Rank]) {
      const int changed = Kokkos::Experimental::countr_zero_builtin(++i);
      for (int d = 0; d < Rank; ++d) {
        bits[d] = at[d];
        at[d] ^= sequence.direction[d][changed];
      }
    }
  };
  KOKKOS_FUNCTION cursor from(std::int64_t i) const {
    cursor c{*this, static_cast<std::uint64_t>(i), {}};
    for (int d = 0; d < Rank; ++d) {
      c.at[d] = shift[d];
      int k = 0;
      for (std::uint64_t gray = c.i ^ c.i >> 1; gray != 0; gray >>= 1, ++k)
        if (gray % 2 == 1) c.at[d] ^= direction[d][k];
    }
    return c;
  }
};

/// The means and variances over the samples of each of several sequences, on the host; waits.
template <int Count, class T, int Rank, class Exec, class F, class SequenceOf>
auto sample_means(const Exec& exec, const std::string& label, const std::string& method, const F& f,
                  const std::array<interval<T>, Rank>& box, std::int64_t samples, const SequenceOf& sequence_of) {
  using kernel_type = sampling_kernel<T, F, std::invoke_result_t<const SequenceOf&, int>, Rank>;
  using state = typename kernel_type::value_type;
  const scratch_array<Exec, state> memory(exec, Count);
  const std::int64_t items = (samples + kernel_type::run - 1) / kernel_type::run;
  for (int k = 0; k < Count; ++k)
    Kokkos::parallel_reduce(kernel_label(label, method), index_range(exec, items),
                            kernel_type{f, sampled_box<T, Rank>(box), sequence_of(k), samples},
                            scratch_view<Exec, state>(memory.data() + k));
  std::array<state, Count> result;
  copy_items_to_host(exec, result.data(), memory.data(), Count);
  exec.fence(kernel_label(label, ": result"));
  return result;
}

template <class F, class T, std::size_t Rank>
void check_sampling(const std::string& label, const std::array<interval<T>, Rank>& box, std::int64_t samples,
                    std::int64_t least) {
  check_domain<F>(label, box);
  check_lengths(label, box);
  if (samples < least)
    throw Error(label, std::to_string(samples) + " samples, expected at least " + std::to_string(least));
}
/// From the mean of f, and its variance.
template <class T, int Rank>
estimate<T> estimate_of(const std::array<interval<T>, Rank>& box, double mean, double variance,
                        std::int64_t evaluations) {
  const double volume = sampled_box<T, Rank>(box).volume();
  return {static_cast<T>(mean * volume), static_cast<T>(std::fabs(volume) * std::sqrt(variance)), evaluations, true};
}

template <class T, class Exec, class F, int Rank, class... Options>
estimate<T> integrate_by(const Exec& exec, const F& f, const std::array<interval<T>, Rank>& box, const monte_carlo& how,
                         const Options&...) {
  static_assert((option<Options> && ...));
  const std::string& label = label_text("quern::integrate");
  check_sampling<F>(label, box, how.samples, 2);
  const auto points = [&](int) { return random_points<Rank>{how.seed}; };
  const auto [s] = sample_means<1, T, Rank>(exec, label, "/monte_carlo", f, box, how.samples, points);
  const moments_reducer<double> moments;
  return estimate_of<T, Rank>(box, moments.mean(s), moments.deviations(s) / (s.n - 1) / s.n, how.samples);
}

template <class T, class Exec, class F, int Rank, class... Options>
estimate<T> integrate_by(const Exec& exec, const F& f, const std::array<interval<T>, Rank>& box,
                         const quasi_monte_carlo& how, const Options&...) {
  static_assert((option<Options> && ...));
  constexpr int shifts = quasi_monte_carlo::shifts;
  const std::string& label = label_text("quern::integrate");
  check_sampling<F>(label, box, how.samples, 1);
  const std::int64_t each = (how.samples - 1) / shifts + 1;
  const auto points = [&](int shift) { return sobol_points<Rank>(how.seed, shift); };
  const moments_reducer<double> over_means;
  auto s = over_means.init();
  for (const auto& mean : sample_means<shifts, T, Rank>(exec, label, "/quasi_monte_carlo", f, box, each, points))
    over_means.add(s, over_means.mean(mean));
  return estimate_of<T, Rank>(box, over_means.mean(s), over_means.deviations(s) / (shifts * (shifts - 1)),
                              shifts * each);
}

}  // namespace impl
}  // namespace quern

#endif
