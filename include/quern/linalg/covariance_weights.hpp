// SPDX-FileCopyrightText: the Quern authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef QUERN_LINALG_COVARIANCE_WEIGHTS_HPP
#define QUERN_LINALG_COVARIANCE_WEIGHTS_HPP

#include <quern/core/launch/index_range.hpp>
#include <quern/core/memory/scratch_layout.hpp>
#include <quern/map/functions.hpp>
#include <quern/reduce/reduce.hpp>

namespace quern {
namespace impl {
/// The options `fweights` and `aweights`, whatever the types of their arrays are.
struct fweights_t {
  using option_of = any_place;
};
struct aweights_t {
  using option_of = any_place;
};
}  // namespace impl

/// How often each observation of `cov` was made, a View of integers: `fweights{counts}`.
template <view_like V>
struct fweights : impl::fweights_t {
  V of;
  explicit fweights(const V& v) : of(v) {}
};
/// How important each observation of `cov` is, a View of real numbers: `aweights{importance}`.
template <view_like V>
struct aweights : impl::aweights_t {
  V of;
  explicit aweights(const V& v) : of(v) {}
};

namespace impl {

template <class Wanted, class... Options>
auto weights_of(const Options&... options) {
  static_assert((0 + ... + (is_option<Wanted, Options> ? 1 : 0)) <= 1, "quern: an option is given twice");
  [[maybe_unused]] const auto of = [](const auto& o) {
    if constexpr (is_option<Wanted, decltype(o)>) return std::tuple(o.of);
    else return std::tuple<>();
  };
  return std::tuple_cat(of(options)...);
}

struct product_of_weights {
  template <class F, class A>
  KOKKOS_FUNCTION auto operator()(const F& f, const A& a) const {
    using R = std::conditional_t<std::is_floating_point_v<A>, A, double>;
    return static_cast<R>(f) * static_cast<R>(a);
  }
};
/// A value in type T times its weight, and the conjugate of that.
template <class T>
struct weighted_value {
  template <class V, class R>
  KOKKOS_FUNCTION T operator()(const V& v, const R& w) const {
    return convert<T>(v) * w;
  }
};
struct weighted_conjugate {
  template <class T, class R>
  KOKKOS_FUNCTION T operator()(const T& v, const R& w) const {
    if constexpr (is_complex<T>) return Kokkos::conj(v) * w;
    else return v * w;
  }
};
/// A covariance of its sum of weighted products. `squares` is the sum of w a, where there are weights a.
template <class R>
struct covariance_of_sum {
  R ddof;
  bool importance;
  template <class T>
  KOKKOS_FUNCTION T operator()(const T& sum, const R& total, const R& squares) const {
    const R lost = importance && ddof != 0 ? ddof * squares / total : ddof, freedom = total - lost;
    return sum * (R(1) / (freedom <= 0 ? R(0) : freedom));
  }
};

template <class W>
struct first_negative_weight {
  const W* data;
  std::int64_t stride;
  KOKKOS_FUNCTION void operator()(std::int64_t k, std::int64_t& first) const {
    if (is_negative(data[k * stride]) && k < first) first = k;
  }
};

/// The weights of m observations, and their sums, in scratch memory.
template <class Exec, class R>
class observation_weights {
 public:
  template <class... Options>
  observation_weights(const call<Exec>& c, std::int64_t m, const Options&... options)
      : m_(m),
        importance_(has_option<aweights_t, Options...>),
        memory_(c.exec, scratch_part{each_, m}, scratch_part{sums_, 2}) {
    const auto counts = weights_of<fweights_t>(options...);
    const auto importance = weights_of<aweights_t>(options...);
    const auto all = unpack(
        [&](const auto&... w) {
          if constexpr (sizeof...(w) == 2) return lazy(product_of_weights(), w...);
          else return std::get<0>(std::tie(w...));
        },
        std::tuple_cat(counts, importance));
    map_checked(c.label, c.exec, line(), op::identity(), all);
    quern::sum(c.exec, total(), line());
    if constexpr (has_option<aweights_t, Options...>)
      quern::sum(c.exec, squares(), lazy(product_of_weights(), line(), std::get<0>(importance)));
    else quern::fill(c.exec, squares(), R(0));
  }
  auto line() const { return as_part<Exec, 1>(strided<R>{each_, {m_}, {1}}); }
  auto column() const { return as_part<Exec, 2>(strided<R>{each_, {m_, 1}, {1, 0}}); }
  auto total() const { return as_part<Exec, 0>(strided<R>{sums_, {}, {}}); }
  auto squares() const { return as_part<Exec, 0>(strided<R>{sums_ + 1, {}, {}}); }
  bool importance() const { return importance_; }

  /// The means of the columns of a.
  template <class Mean, class A>
  void average(const Exec& exec, const Mean& mean, const A& a) const {
    quern::sum(exec, mean, lazy(weighted_value<value_of<Mean>>(), a, column()), axis{0});
    quern::divide(exec, mean, mean, total());
  }

 private:
  std::int64_t m_;
  bool importance_;
  R *each_ = nullptr, *sums_ = nullptr;
  scratch_arrays<Exec> memory_;
};

/// Checks weights of m observations. Waits, where that is asked for.
template <class... Options, class Exec, class Out, class V>
void check_weights(const call<Exec>& c, const Out& out, const char* name, const V& view, std::int64_t m) {
  const auto w = c.input(view);
  check_extents(c.label, name, w.extents, shape{m});
  check_overlap(c.label, out, w, name, false);
  if constexpr (has_option<checked_t, Options...>) {
    using W = std::remove_const_t<std::remove_pointer_t<decltype(w.data)>>;
    std::int64_t first = m;
    Kokkos::parallel_reduce(kernel_label(c.label, "/weights"), index_range(c.exec, m),
                            first_negative_weight<W>{w.data, w.stride[0]}, Kokkos::Min<std::int64_t>(first));
    if (first < m)
      throw ElementError(c.label, std::string(name) + " has a negative weight at position " + std::to_string(first),
                         first);
  }
}
template <class... Options, class Exec, class Out>
void check_weights_among(const call<Exec>& c, const Out& out, std::int64_t m, const Options&... options) {
  const auto check = [&](const char* name) {
    return [&c, &out, m, name](const auto&... w) { (check_weights<Options...>(c, out, name, w, m), ...); };
  };
  unpack(check("fweights"), weights_of<fweights_t>(options...));
  unpack(check("aweights"), weights_of<aweights_t>(options...));
}
template <class Arrays>
inline constexpr bool are_integers = true;
template <class V>
inline constexpr bool are_integers<std::tuple<V>> = is_integer<value_of<V>>;
template <class Arrays>
inline constexpr bool are_reals = true;
template <class V>
inline constexpr bool are_reals<std::tuple<V>> =
    std::is_arithmetic_v<value_of<V>> && !std::is_same_v<value_of<V>, bool>;
template <class... Options>
constexpr bool weight_types() {
  constexpr bool integers = are_integers<decltype(weights_of<fweights_t>(std::declval<const Options&>()...))>;
  constexpr bool reals = are_reals<decltype(weights_of<aweights_t>(std::declval<const Options&>()...))>;
  static_assert(integers, "quern::cov: fweights must be integers");
  static_assert(reals, "quern::cov: aweights must be real numbers");
  return integers && reals;
}

}  // namespace impl
}  // namespace quern

#endif
