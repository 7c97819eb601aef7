// SPDX-FileCopyrightText: the Quern authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef QUERN_FFT_CONVOLVE_BLOCKS_HPP
#define QUERN_FFT_CONVOLVE_BLOCKS_HPP

#include <algorithm>
#include <cmath>
#include <quern/fft/run.hpp>

namespace quern::impl::fourier {

/// The length of the transforms of a convolution in blocks, of which each gives length - nb + 1 results, or 0 where one
/// transform of the whole is faster.
inline std::int64_t block_length(std::int64_t results, std::int64_t nb, std::int64_t whole) {
  constexpr double in_cache = 1 << 15, beyond = 1.5;  // real numbers, and what transforms take longer that hold more
  const auto cost = [](std::int64_t n) {
    const auto x = static_cast<double>(n);
    return x * std::log2(x) * (x > in_cache ? beyond : 1);
  };
  double least = 3 * cost(whole);
  std::int64_t best = 0;
  for (std::int64_t length = 1024; length < whole; length *= 2) {
    const std::int64_t each = length - nb + 1;
    if (each < nb) continue;
    const double all = cost(length) * (1 + 2 * static_cast<double>((results + each - 1) / each));
    if (all < least) {
      least = all;
      best = length;
    }
  }
  return best;
}

/// Blocks that are transformed at a time: on hosts few, which stay in the caches of the cores.
template <class Exec>
std::int64_t blocks_at_a_time(const Exec& exec, std::int64_t length) {
  constexpr std::int64_t elements = is_device<Exec> ? 1 << 26 : 1 << 15;
  return std::max<std::int64_t>(1, (is_device<Exec> ? 1 : exec.concurrency()) * elements / length);
}

/// The results from number `first` of a convolution on, as many as `out` has, by transforms of overlapping blocks
/// (overlap-save): the first nb - 1 results of each are those of the block's ends, and are left out.
template <class T, class Exec, class A, class B>
class block_convolution {
  using C = Kokkos::complex<real_type<T>>;

 public:
  block_convolution(const std::string& label, const launcher<Exec>& launch, const strided<T>& out,
                    const strided<const A>& a, const strided<const B>& b, std::int64_t first, std::int64_t length)
      : label_(label),
        launch_(launch),
        out_(out),
        a_(a),
        b_(b),
        length_(length),
        overlap_(b.extents.extent[0] - 1),
        each_(length - overlap_),
        first_(first - overlap_) {}

  void run() const {
    request forward{is_complex<T> ? kind::forward : kind::real_to_complex, 1, {0}, {length_}};
    shape one = b_.extents;
    one.extent[0] = length_;
    const scratch_copy<Exec, C> of_b(launch_.exec, forward.result_of(one));
    const strided<C>& y = of_b.array();
    fourier::run(label_, launch_, y, b_, forward);
    forward.axis = {1};
    const std::int64_t results = out_.extents.extent[0], blocks = (results + each_ - 1) / each_;
    const std::int64_t some = std::min(blocks, blocks_at_a_time(launch_.exec, length_));
    shape parts = one;
    parts.rank = 2;
    parts.extent[0] = some;
    parts.extent[1] = length_;
    const scratch_copy<Exec, T> values(launch_.exec, parts);
    const scratch_copy<Exec, C> transformed(launch_.exec, forward.result_of(parts));
    for (std::int64_t block = 0; block < blocks; block += some)
      convolve(forward, first_blocks(values.array(), std::min(some, blocks - block)),
               first_blocks(transformed.array(), std::min(some, blocks - block)), y, block);
  }

 private:
  template <class V>
  static strided<V> first_blocks(strided<V> x, std::int64_t count) {
    x.extents.extent[0] = count;
    return x;
  }
  void convolve(request r, const strided<T>& x, const strided<C>& z, const strided<C>& y, std::int64_t block) const {
    read(x, block);
    fourier::run(label_, launch_, z, strided<const T>{x.data, x.extents, x.stride}, r);
    stride_array repeated{};
    repeated[1] = y.stride[0];
    map_launch(launch_.exec, "quern::fftconvolve/multiply", z, op::multiply(), true, {z.stride, z.stride, repeated},
               array_input<C>{{z.data, z.extents, z.stride}}, array_input<C>{{y.data, z.extents, repeated}});
    r.what = is_complex<T> ? kind::backward : kind::complex_to_real;
    r.norm = fft_norm::forward;  // results are scaled where they are written
    fourier::run(label_, launch_, x, z, r);
    write(x, block);
  }

  /// The part of a that belongs to blocks, and zeros beyond its ends.
  void read(const strided<T>& x, std::int64_t block) const {
    const std::int64_t count = x.extents.extent[0], na = a_.extents.extent[0];
    const auto begin = [&](std::int64_t n) { return first_ + (block + n) * each_; };
    std::int64_t n = 0;
    for (; n < count && begin(n) < 0; ++n) read_end(x, n, begin(n));
    std::int64_t inside = n;
    while (inside < count && begin(inside) + length_ <= na) ++inside;
    if (inside > n) {
      strided<T> to = x;
      to.data += n * x.stride[0];
      to.extents.extent[0] = inside - n;
      strided<const A> from{a_.data + begin(n) * a_.stride[0], to.extents, {}};
      from.stride[0] = each_ * a_.stride[0];
      from.stride[1] = a_.stride[0];
      launch_.apply("quern::fftconvolve/blocks", to, op::identity(), from);
    }
    for (n = inside; n < count; ++n) read_end(x, n, begin(n));
  }
  /// A block that goes beyond an end of a.
  void read_end(const strided<T>& x, std::int64_t n, std::int64_t begin) const {
    strided<T> to{x.data + n * x.stride[0], a_.extents, {}};
    to.extents.extent[0] = length_;
    to.stride[0] = x.stride[1];
    launch_.set_zero(to);
    const std::int64_t from = std::max<std::int64_t>(begin, 0), end = std::min(begin + length_, a_.extents.extent[0]);
    if (from >= end) return;
    to.data += (from - begin) * to.stride[0];
    to.extents.extent[0] = end - from;
    launch_.apply("quern::fftconvolve/blocks", to, op::identity(),
                  strided<const A>{a_.data + from * a_.stride[0], to.extents, a_.stride});
  }
  /// The results of blocks: all of most, and some of the last one.
  void write(const strided<T>& x, std::int64_t block) const {
    const std::int64_t rest = out_.extents.extent[0] - block * each_,
                       whole = std::min(x.extents.extent[0], rest / each_);
    const scaled_by<real_type<T>> scale{static_cast<real_type<T>>(1 / static_cast<double>(length_))};
    const auto copy = [&](std::int64_t n, std::int64_t count, std::int64_t results) {
      strided<T> to{out_.data + (block + n) * each_ * out_.stride[0], x.extents, {}};
      to.extents.extent[0] = count;
      to.extents.extent[1] = results;
      to.stride[0] = each_ * out_.stride[0];
      to.stride[1] = out_.stride[0];
      launch_.apply("quern::fftconvolve/result", to, scale,
                    strided<T>{x.data + n * x.stride[0] + overlap_ * x.stride[1], to.extents, x.stride});
    };
    if (whole > 0) copy(0, whole, each_);
    if (whole < x.extents.extent[0]) copy(whole, 1, rest - whole * each_);
  }

  const std::string& label_;
  const launcher<Exec>& launch_;
  const strided<T>& out_;
  const strided<const A>& a_;
  const strided<const B>& b_;
  std::int64_t length_, overlap_, each_, first_;  // of the first block, in a
};

}  // namespace quern::impl::fourier

#endif
