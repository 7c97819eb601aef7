// SPDX-FileCopyrightText: the Quern authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef QUERN_INTEGRATE_MONTE_CARLO_HPP
#define QUERN_INTEGRATE_MONTE_CARLO_HPP

#include <bit>
#include <quern/integrate/domain.hpp>
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
  template <class F>
  KOKKOS_FUNCTION double value(const F& f, const std::uint64_t (&bits)[Rank]) const {
    return value(f, bits, std::make_index_sequence<Rank>());
  }
  double volume() const {
    double v = 1;
    for (int d = 0; d < Rank; ++d) v *= width[d];
    return v;
  }

 private:
  template <class F, std::size_t... D>
  KOKKOS_FUNCTION double value(const F& f, const std::uint64_t (&bits)[Rank], std::index_sequence<D...>) const {
    return static_cast<double>(f(within[D](lower[D] + to_unit_interval<T>(bits[D]) * width[D])...));
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
    return box.value(f, bits);
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

/// Mean and variance over the samples of a sequence, into device memory.
template <class T, int Rank, class Exec, class F, class Sequence, class State>
void sample_mean(const Exec& exec, const std::string& label, const F& f, const std::array<interval<T>, Rank>& box,
                 const Sequence& sequence, std::int64_t samples, State* to) {
  using kernel_type = sampling_kernel<T, F, Sequence, Rank>;
  const Kokkos::View<State, typename Exec::memory_space, Kokkos::MemoryTraits<Kokkos::Unmanaged>> out(to);
  const std::int64_t items = (samples + kernel_type::run - 1) / kernel_type::run;
  Kokkos::parallel_reduce(label, Kokkos::RangePolicy<Exec, Kokkos::IndexType<std::int64_t>>(exec, 0, items),
                          kernel_type{f, sampled_box<T, Rank>(box), sequence, samples}, out);
}

/// The means and variances of several sequences on the host; waits.
template <int Count, class Exec, class Launch>
auto sample_means(const Exec& exec, const std::string& label, const Launch& launch) {
  using state = typename moments_reducer<double>::state;
  lease<Exec> held(exec);
  auto* means = static_cast<state*>(held.scratch().require(exec, Count * sizeof(state)));
  for (int k = 0; k < Count; ++k) launch(k, means + k);
  std::array<state, Count> result;
  using unmanaged = Kokkos::MemoryTraits<Kokkos::Unmanaged>;
  Kokkos::deep_copy(exec, Kokkos::View<state*, Kokkos::HostSpace, unmanaged>(result.data(), Count),
                    Kokkos::View<const state*, typename Exec::memory_space, unmanaged>(means, Count));
  exec.fence(label + ": result");
  return result;
}

template <class T, class Exec, class F, int Rank, class... Options>
estimate<T> integrate_by(const Exec& exec, const F& f, const std::array<interval<T>, Rank>& box, const monte_carlo& how,
                         const Options&...) {
  static_assert((option<Options> && ...));
  const std::string label = "quern::integrate";
  check_domain<F>(label, box);
  check_lengths(label, box);
  if (how.samples < 2) throw Error(label, std::to_string(how.samples) + " samples, expected at least 2");
  const auto s = sample_means<1>(exec, label, [&](int, auto* to) {
    sample_mean<T, Rank>(exec, label + "/monte_carlo", f, box, random_points<Rank>{how.seed}, how.samples, to);
  })[0];
  const moments_reducer<double> moments;
  const double volume = sampled_box<T, Rank>(box).volume();
  return {static_cast<T>(moments.mean(s) * volume),
          static_cast<T>(std::fabs(volume) * std::sqrt(moments.deviations(s) / (s.n - 1) / s.n)), how.samples, true};
}

template <class T, class Exec, class F, int Rank, class... Options>
estimate<T> integrate_by(const Exec& exec, const F& f, const std::array<interval<T>, Rank>& box,
                         const quasi_monte_carlo& how, const Options&...) {
  static_assert((option<Options> && ...));
  constexpr int shifts = quasi_monte_carlo::shifts;
  const std::string label = "quern::integrate";
  check_domain<F>(label, box);
  check_lengths(label, box);
  if (how.samples < 1) throw Error(label, std::to_string(how.samples) + " samples, expected at least 1");
  const std::int64_t each = (how.samples - 1) / shifts + 1;
  const auto means = sample_means<shifts>(exec, label, [&](int k, auto* to) {
    sample_mean<T, Rank>(exec, label + "/quasi_monte_carlo", f, box, sobol_points<Rank>(how.seed, k), each, to);
  });
  const moments_reducer<double> over_means;
  auto s = over_means.init();
  for (const auto& mean : means) over_means.add(s, over_means.mean(mean));
  const double volume = sampled_box<T, Rank>(box).volume();
  return {static_cast<T>(over_means.mean(s) * volume),
          static_cast<T>(std::fabs(volume) * std::sqrt(over_means.deviations(s) / (shifts * (shifts - 1)))),
          shifts * each, true};
}

}  // namespace impl
}  // namespace quern

#endif
