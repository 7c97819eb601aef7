// SPDX-FileCopyrightText: the Quern authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef QUERN_FFT_RUN_HPP
#define QUERN_FFT_RUN_HPP

/// @file
/// Brings a transform of any arrays into forms that a library takes: inputs are converted, padded and, where their
/// strides do not suit the library, packed.

#include <cmath>
#include <numeric>
#include <quern/core/call/call.hpp>
#include <quern/core/launch/compiled.hpp>
#include <quern/core/launch/index_range.hpp>
#include <quern/core/launch/operations.hpp>
#include <quern/core/values/values.hpp>
#include <quern/fft/transform.hpp>
#include <quern/map/map.hpp>
#include <vector>

namespace quern {

/// How results are scaled, as in NumPy: by 1/n in inverse transforms (`backward`), by 1/sqrt(n) in both directions
/// (`ortho`), or by 1/n in forward ones (`forward`); n is the number of values that are transformed together.
enum class fft_norm { backward, ortho, forward };
template <>
inline constexpr bool impl::marked_option<fft_norm> = true;

}  // namespace quern

namespace quern::impl::fourier {

/// What a call asks for: the axes of a transform, the last of which is the halved one of real transforms, its lengths
/// and its norm. It knows nothing of strides and libraries: `run` makes one `transform` or more of it, with at most
/// three axes each, for arrays that are packed where the library wants that. Those alone are keys of plans.
struct request {
  kind what;
  int count = 0;
  std::array<int, max_rank> axis{};
  Kokkos::Array<std::int64_t, max_rank> length{};
  fft_norm norm = fft_norm::backward;
  fft_rigor rigor = fft_rigor::estimate;

  /// Along all axes of an array with these lengths.
  static request along_all(kind what, const shape& lengths) {
    request r{what, lengths.rank, {}, lengths.extent};
    std::iota(r.axis.begin(), r.axis.end(), 0);
    return r;
  }

  bool inverse() const { return what == kind::backward || what == kind::complex_to_real; }
  double factor() const {
    double n = 1;
    for (int i = 0; i < count; ++i) n *= static_cast<double>(length[i]);
    if (norm == fft_norm::ortho) return 1 / std::sqrt(n);
    return (norm == fft_norm::backward) == inverse() ? 1 / n : 1;
  }
  /// Numbers of the input and of the output along axis number i of the transform.
  std::int64_t in_extent(int i) const { return extent(i, kind::complex_to_real); }
  std::int64_t out_extent(int i) const { return extent(i, kind::real_to_complex); }
  /// The extents of the result for an array of these.
  shape result_of(shape extents) const {
    for (int i = 0; i < count; ++i) extents.extent[axis[i]] = out_extent(i);
    return extents;
  }

  /// A part of the axes.
  request part(kind k, int first, int number) const {
    request r{k, number, {}, {}, norm, rigor};
    std::copy_n(axis.begin() + first, number, r.axis.begin());
    std::copy_n(length.begin() + first, number, r.length.begin());
    return r;
  }

 private:
  std::int64_t extent(int i, kind halving) const {
    return what == halving && i == count - 1 ? length[i] / 2 + 1 : length[i];
  }
};

template <class R>
struct scaled_by {
  R factor;
  template <class T>
  KOKKOS_FUNCTION T operator()(const T& x) const {
    return x * factor;
  }
};

/// Plans that a user holds, for all arrays that they have met, whatever happens to those that are kept for everybody.
class held_plans {
 public:
  template <class Exec>
  std::shared_ptr<void> operator()(const Exec& exec, const plan_key& key) {
    for (const auto& [held, p] : plans_)
      if (held == key) return p;
    return plans_.emplace_back(key, plan(exec, key)).second;
  }

 private:
  std::vector<std::pair<plan_key, std::shared_ptr<void>>> plans_;
};

/// Launches kernels and transforms; or, where only plans are asked for, makes those and launches nothing.
template <class Exec>
struct launcher {
  const Exec& exec;
  held_plans* held = nullptr;
  bool plans_only = false;

  /// `to = f(from)`, of arrays of the same extents.
  template <class T, class U, class F>
  void apply(const operation_name& label, const strided<T>& to, const F& f, const strided<U>& from) const {
    using In = std::remove_const_t<U>;
    if (plans_only) return;
    const strided<const In> in{from.data, from.extents, from.stride};
    map_launch(exec, label, to, f, static_cast<const void*>(to.data) == in.data, {to.stride, in.stride},
               array_input<In>{in});
  }
  template <class T>
  void set_zero(const strided<T>& to) const {
    if (!plans_only)
      map_launch(exec, "quern::fft/pad", to, op::identity(), false, {to.stride, stride_array{}}, scalar_input<T>{T(0)});
  }
  void operator()(const transform& t, const void* in, void* out) const {
    const plan_key key = key_of(exec, t, in, out);
    const auto p = held != nullptr ? (*held)(exec, key) : plan(exec, key);
    if (!plans_only) execute(exec, p, t, const_cast<void*>(in), out);
  }
};

/// Calls f with 0 to count - 1, behind a tag if there is one.
template <class Tag = void, class Exec, class F>
void for_elements(const launcher<Exec>& launch, const operation_name& label, std::int64_t count, const F& f) {
  Kokkos::parallel_for(kernel_label(label), index_range<Tag>(launch.exec, count), f);
}

/// An array in scratch memory, in row-major order.
template <class Exec, class T>
class scratch_copy {
 public:
  scratch_copy(const Exec& exec, const shape& extents)
      : memory_(exec, extents.size()), array_{memory_.data(), extents, row_major_strides(extents)} {}
  const strided<T>& array() const { return array_; }

 private:
  scratch_array<Exec, T> memory_;
  strided<T> array_;
};

/// The axes of a transform as a library sees them, for each index along the other axes of the arrays.
transform describe(const request& r, const shape& extents, const stride_array& out, const stride_array& in);
/// The order of axes in which those that are not transformed come first.
std::array<int, max_rank> transformed_last(const request& r, int rank);
/// The least number from n on with no prime factor above 5, for which transforms are fast; even where n > 1.
std::int64_t fast_length(std::int64_t n);

template <class T>
strided<T> permuted(const strided<T>& a, const std::array<int, max_rank>& order) {
  strided<T> p = a;
  for (int d = 0; d < a.extents.rank; ++d) {
    p.extents.extent[d] = a.extents.extent[order[d]];
    p.stride[d] = a.stride[order[d]];
  }
  return p;
}

/// One unscaled transform of what a library computes at a time, from and to arrays of any strides.
template <class Exec>
class stage {
 public:
  stage(const launcher<Exec>& launch, const request& r) : launch_(launch), request_(r) {}

  /// Whether a library does it without packing.
  template <class O, class I>
  bool direct(const strided<O>& out, const strided<I>& in) const {
    return takes<Exec>(transform_of(out, in), in.data, out.data);
  }

  /// Leaves an input of constant elements as it is, and may overwrite another.
  template <class O, class I>
  void run(const strided<O>& out, const strided<I>& in) const {
    const transform t = transform_of(out, in);
    // Whether the library may read the input where it is.
    const bool usable = !std::is_const_v<I> || t.in_place || !overwrites<Exec>(request_.what, request_.count);
    if (usable && takes<Exec>(t, in.data, out.data)) return launch_(t, in.data, out.data);
    const int rank = out.extents.rank;
    const auto order = transformed_last(request_, rank);
    const auto from = permuted(in, order);
    const auto to = permuted(out, order);
    request last_axes = request_;
    for (int i = 0; i < request_.count; ++i) last_axes.axis[i] = rank - request_.count + i;
    const stage packed(launch_, last_axes);
    const auto unpack = [&](const strided<O>& result) {
      launch_.apply("quern::fft/unpack", to, op::identity(), result);
    };
    const strided<O> contiguous{nullptr, to.extents, row_major_strides(to.extents)};
    if (usable && packed.direct(contiguous, from)) {
      const scratch_copy<Exec, O> result(launch_.exec, to.extents);
      launch_(packed.transform_of(result.array(), from), from.data, result.array().data);
      return unpack(result.array());
    }
    const scratch_copy<Exec, std::remove_const_t<I>> source(launch_.exec, from.extents);
    launch_.apply("quern::fft/pack", source.array(), op::identity(), from);
    const auto transformed = [&](const strided<O>& result) {
      launch_(packed.transform_of(result, source.array()), source.array().data, result.data);
    };
    if (packed.direct(to, source.array())) return transformed(to);
    const scratch_copy<Exec, O> result(launch_.exec, to.extents);
    transformed(result.array());
    unpack(result.array());
  }

 private:
  template <class O, class I>
  transform transform_of(const strided<O>& out, const strided<I>& in) const {
    transform t = describe(request_, out.extents, out.stride, in.stride);
    t.single = std::is_same_v<real_type<O>, float>;
    t.in_place = static_cast<const void*>(in.data) == out.data;
    return t;
  }

  const launcher<Exec>& launch_;
  const request request_;
};

/// Transforms along all axes of the request, in groups that a library takes: along the last axes from `in` to `out`,
/// then along the others in place.
template <class Exec, class R, class I>
void run_stages(const launcher<Exec>& launch, const request& r, const strided<Kokkos::complex<R>>& out,
                const strided<I>& in) {
  int first = std::max(0, r.count - transform::max_axes);
  while (first < r.count - 1 && !stage(launch, r.part(r.what, first, r.count - first)).direct(out, in)) ++first;
  stage(launch, r.part(r.what, first, r.count - first)).run(out, in);
  const kind others = r.what == kind::backward ? kind::backward : kind::forward;
  while (first > 0) {
    int count = std::min(first, transform::max_axes);
    while (count > 1 && !stage(launch, r.part(others, first - count, count)).direct(out, out)) --count;
    first -= count;
    stage(launch, r.part(others, first, count)).run(out, out);
  }
}
/// From complex to real numbers: along the first axes in the memory of the input, at last along the halved one.
template <class Exec, class R>
void run_stages(const launcher<Exec>& launch, const request& r, const strided<R>& out,
                const strided<Kokkos::complex<R>>& in) {
  const stage all(launch, r);
  if (r.count == 1 || (r.count <= transform::max_axes && all.direct(out, in))) return all.run(out, in);
  run_stages(launch, r.part(kind::backward, 0, r.count - 1), in, in);
  stage(launch, r.part(r.what, r.count - 1, 1)).run(out, in);
}
template <class Exec, class R>
void run_stages(const launcher<Exec>& launch, const request& r, const strided<R>& out,
                const strided<const Kokkos::complex<R>>& in) {
  if (r.count == 1) return stage(launch, r).run(out, in);
  const scratch_copy<Exec, Kokkos::complex<R>> copy(launch.exec, in.extents);
  launch.apply("quern::fft/pack", copy.array(), op::identity(), in);
  run_stages(launch, r, out, copy.array());
}

/// Reads an input as numbers of type V, which a library takes, cropped or padded with zeros to the lengths of the
/// transform.
template <class V, class Exec, class O, class I>
void run_from(const launcher<Exec>& launch, const request& r, const strided<O>& out, const strided<I>& in) {
  shape wanted = in.extents, common = in.extents;
  for (int i = 0; i < r.count; ++i) {
    const int d = r.axis[i];
    wanted.extent[d] = r.in_extent(i);
    common.extent[d] = std::min(wanted.extent[d], in.extents.extent[d]);
  }
  const bool pad = common != wanted;
  const strided<I> used{in.data, common, in.stride};
  if constexpr (std::is_same_v<std::remove_const_t<I>, V>) {
    if (!pad) return run_stages(launch, r, out, used);
  }
  const scratch_copy<Exec, V> copy(launch.exec, wanted);
  const strided<V>& source = copy.array();
  if (pad) launch.set_zero(source);
  launch.apply("quern::fft/convert", strided<V>{source.data, common, source.stride}, op::identity(), used);
  run_stages(launch, r, out, source);
}

/// Whether a real transform is in place: rows of real and of complex numbers begin at the same places.
template <class Real, class Complex>
bool same_rows(const request& r, const strided<Real>& real, const strided<Complex>& complex) {
  const int halved = r.axis[r.count - 1];
  bool same = static_cast<const void*>(real.data) == complex.data;
  for (int d = 0; d < real.extents.rank; ++d) {
    if (real.extents.extent[d] == 1 && complex.extents.extent[d] == 1) continue;
    same =
        same && (d == halved ? real.stride[d] == 1 && complex.stride[d] == 1 : real.stride[d] == 2 * complex.stride[d]);
  }
  return same;
}
template <class O, class I>
bool in_place_rows(const request& r, const strided<O>& out, const strided<I>& in) {
  using R = real_type<O>;
  using E = std::remove_const_t<I>;
  if constexpr (std::is_same_v<E, R> && is_complex<O>) return same_rows(r, in, out);
  else if constexpr (std::is_same_v<E, Kokkos::complex<R>> && !is_complex<O>) return same_rows(r, out, in);
  else return false;
}

/// Rejects an output that has not the extents of what the request makes of `in`.
inline void check_result(const std::string& label, const shape& out, const shape& in, const request& r) {
  check_extents(label, "out", out, r.result_of(in), " for this transform of in");
}

template <class Exec>
void check_available(const std::string& label) {
  if (!available<Exec>())
    throw BackendError(label, "this Quern was built without a library for Fourier transforms (QUERN_ENABLE_FFT=OFF)");
}
template <class Exec, class O, class I>
void check(const std::string& label, const strided<O>& out, const strided<I>& in, const request& r) {
  check_available<Exec>(label);
  check_result(label, out.extents, in.extents, r);
  if (!in_place_rows(r, out, in)) check_overlap(label, out, in, "in", std::is_same_v<O, std::remove_const_t<I>>);
}

/// A transform of arrays that are checked. It may overwrite an input whose elements are not constant.
template <class Exec, class O, class I>
void run_checked(const launcher<Exec>& launch, const strided<O>& out, const strided<I>& in, const request& r) {
  using R = real_type<O>;
  if (out.extents.size() == 0) return;
  constexpr bool real_in = is_complex<O> && !is_complex<std::remove_const_t<I>>;
  using V = std::conditional_t<real_in, R, Kokkos::complex<R>>;
  if (!real_in || r.what == kind::real_to_complex) run_from<V>(launch, r, out, in);
  else run_from<Kokkos::complex<R>>(launch, r, out, in);
  const double factor = r.factor();
  if (factor != 1) launch.apply("quern::fft/scale", out, scaled_by<R>{static_cast<R>(factor)}, out);
}

#define QUERN_TRANSFORM(HOW, Space, O, I) \
  HOW template void run_checked(const launcher<Space>&, const strided<O>&, const strided<I>&, const request&);
#define QUERN_TRANSFORMS_OF(HOW, Space, R)                                  \
  QUERN_TRANSFORM(HOW, Space, Kokkos::complex<R>, const Kokkos::complex<R>) \
  QUERN_TRANSFORM(HOW, Space, Kokkos::complex<R>, const R)                  \
  QUERN_TRANSFORM(HOW, Space, R, const Kokkos::complex<R>)                  \
  QUERN_TRANSFORM(HOW, Space, R, Kokkos::complex<R>)
#define QUERN_TRANSFORMS(Space, ...)             \
  QUERN_TRANSFORMS_OF(__VA_ARGS__, Space, float) \
  QUERN_TRANSFORMS_OF(__VA_ARGS__, Space, double)
QUERN_ON_ALL(QUERN_TRANSFORMS, extern)

/// The checks of a transform, then its launches.
template <class Exec, class O, class E>
void run(const std::string& label, const launcher<Exec>& launch, const strided<O>& out, const strided<E>& in,
         const request& r) {
  check<Exec>(label, out, in, r);
  // In place, the output takes the memory of the input.
  using I = std::remove_const_t<E>;
  if constexpr (is_complex<I> && !is_complex<O>)
    if (in_place_rows(r, out, in))
      return run_checked(launch, out, strided<I>{const_cast<I*>(in.data), in.extents, in.stride}, r);
  run_checked(launch, out, in, r);
}

}  // namespace quern::impl::fourier

#endif
