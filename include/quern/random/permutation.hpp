// SPDX-FileCopyrightText: the Quern authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef QUERN_RANDOM_PERMUTATION_HPP
#define QUERN_RANDOM_PERMUTATION_HPP

#include <bit>
#include <quern/core/call/call.hpp>
#include <quern/core/launch/launch_units.hpp>
#include <quern/core/launch/loop_nest.hpp>
#include <quern/core/launch/noinline.hpp>
#include <quern/core/memory/workspace.hpp>
#include <quern/core/values/binary_search.hpp>
#include <quern/core/values/values.hpp>
#include <quern/random/distributions.hpp>
#include <quern/scan/scan.hpp>

namespace quern::random {

/// Asks `choice` for positions that are all different.
struct without_replacement_t {
  using option_of = impl::any_place;
};
inline constexpr without_replacement_t without_replacement{};

}  // namespace quern::random

namespace quern::impl {

/// A random permutation of 0 to n - 1 as a function: no memory, and the image of one position costs nothing but its own
/// computation. A Feistel network permutes a power of two, and what it takes beyond n goes through it again (cycle
/// walking): Black and Rogaway, Ciphers with arbitrary finite domains (CT-RSA 2002). At least 2^8, so that small n get
/// odd permutations too, of which a network alone has none.
class random_bijection {
 public:
  random_bijection(const random::key& k, std::int64_t n) : n_(static_cast<std::uint64_t>(n)) {
    const int bits = std::max(8, static_cast<int>(std::bit_width(n_ - 1)));
    low_bits_ = bits / 2;
    low_mask_ = static_cast<std::uint32_t>((std::uint64_t{1} << low_bits_) - 1);
    high_mask_ = static_cast<std::uint32_t>((std::uint64_t{1} << (bits - low_bits_)) - 1);
    for (int r = 0; r < rounds; ++r) round_key_[r] = static_cast<std::uint32_t>(random::fold_in(k, r).seed);
  }

  QUERN_IMPL_NOINLINE KOKKOS_FUNCTION std::int64_t operator()(std::int64_t position) const {
    auto x = static_cast<std::uint64_t>(position);
    do {
      std::uint32_t low[] = {low_half(x)}, high[] = {high_half(x)};
      permute(low, high, 1);
      x = joined(low[0], high[0]);
    } while (x >= n_);
    return static_cast<std::int64_t>(x);
  }

  static constexpr int block = 256;
  /// The images of up to that many consecutive numbers on a host, side by side for its vector units.
  void images(std::int64_t first, int count, std::int64_t (&image)[block]) const {
    std::uint32_t low[block], high[block];
    int walking[block];  // what has not come below n yet
    for (int i = 0; i < count; ++i) {
      low[i] = low_half(static_cast<std::uint64_t>(first + i));
      high[i] = high_half(static_cast<std::uint64_t>(first + i));
      walking[i] = i;
    }
    while (count > 0) {
      permute(low, high, count);
      int left = 0;
      for (int i = 0; i < count; ++i) {
        const std::uint64_t x = joined(low[i], high[i]);
        image[walking[i]] = static_cast<std::int64_t>(x);
        low[left] = low[i];
        high[left] = high[i];
        walking[left] = walking[i];
        left += x >= n_ ? 1 : 0;
      }
      count = left;
    }
  }

 private:
  static constexpr int rounds = 12;

  KOKKOS_FUNCTION std::uint32_t low_half(std::uint64_t x) const { return static_cast<std::uint32_t>(x) & low_mask_; }
  KOKKOS_FUNCTION std::uint32_t high_half(std::uint64_t x) const { return static_cast<std::uint32_t>(x >> low_bits_); }
  KOKKOS_FUNCTION std::uint64_t joined(std::uint32_t low, std::uint32_t high) const {
    return std::uint64_t{high} << low_bits_ | low;
  }
  KOKKOS_FORCEINLINE_FUNCTION void permute(std::uint32_t* low, std::uint32_t* high, int count) const {
    for (int r = 0; r < rounds; r += 2) {
      for (int i = 0; i < count; ++i) high[i] ^= mixed(low[i] + round_key_[r]) & high_mask_;
      for (int i = 0; i < count; ++i) low[i] ^= mixed(high[i] + round_key_[r + 1]) & low_mask_;
    }
  }
  /// The finalizer of Appleby's MurmurHash3.
  KOKKOS_FORCEINLINE_FUNCTION static std::uint32_t mixed(std::uint32_t z) {
    z = (z ^ z >> 16) * 0x85ebca6bu;
    z = (z ^ z >> 13) * 0xc2b2ae35u;
    return z ^ z >> 16;
  }

  std::uint64_t n_;
  std::uint32_t low_mask_, high_mask_, round_key_[rounds];
  int low_bits_;
};

/// The element of `in` that a position along axis 0 gets; `rest` is its offset along the other axes.
template <class T>
struct permuted_element {
  random_bijection permutation;
  const T* in;
  std::int64_t stride;
  KOKKOS_FUNCTION T operator()(std::int64_t i, std::int64_t rest) const { return in[permutation(i) * stride + rest]; }
};

/// Calls put(position, image) for all positions, on a host.
template <class Exec, class Put>
void for_images(const Exec& exec, const std::string& label, const random_bijection& permutation, std::int64_t n,
                const Put& put) {
  constexpr int block = random_bijection::block;
  launch_units(exec, label, (n + block - 1) / block, [&](std::int64_t b) {
    const std::int64_t first = b * block;
    const int count = static_cast<int>(std::min<std::int64_t>(block, n - first));
    std::int64_t image[block];
    permutation.images(first, count, image);
    for (int i = 0; i < count; ++i) put(first + i, image[i]);
  });
}

/// A weight that is not positive, or NaN, counts as 0.
struct counted_weight {
  template <class W>
  KOKKOS_FUNCTION double operator()(const W& w) const {
    const auto x = convert<double>(w);
    return x > 0 ? x : 0;
  }
};

/// For each uniform number of 53 bits the first position whose cumulative weight is beyond it times all of the weight;
/// -1 where there is none.
template <class T>
struct choice_draw : word_draw<T, std::uint64_t, choice_draw<T>> {
  const double* cumulative;
  std::int64_t n;
  KOKKOS_FUNCTION T number(std::uint64_t w, const random::key&, std::int64_t) const {
    const double all = n > 0 ? cumulative[n - 1] : 0;
    if (!(all > 0 && all <= Kokkos::Experimental::finite_max_v<double>)) return static_cast<T>(-1);
    // Next to the smallest numbers, products would be rounded to few different ones.
    const double scale = all < 0x1p-900 ? 0x1p900 : 1;
    const double target = Kokkos::min(variate::uniform(w) * (scale * all), below(scale * all));
    return static_cast<T>(partition_point(cumulative, 1, n - 1, [=](double c) { return scale * c <= target; }));
  }
};

}  // namespace quern::impl

namespace quern::random {

/// Positions from 0 to before `population`, each as likely as the others at every element of `out`: `integers`.
///
/// @param out of an integer type that holds them
/// @param where a key, or a part of its field
/// @throws Error if the population is not positive or does not fit out's type; if the part is not within its field
template <execution_space Exec, result_view Out>
void choice(const Exec& exec, const Out& out, const part_of& where, std::int64_t population) {
  impl::compare_fields("quern::random::choice", out, where, population);
  if (population < 1)
    throw Error("quern::random::choice", "the population is " + std::to_string(population) + ", expected at least 1");
  impl::fill_integers("quern::random::choice", exec, out, where, 0, population - 1);
}
template <result_view Out>
void choice(const Out& out, const part_of& where, std::int64_t population) {
  choice(impl::space_of(out), out, where, population);
}

/// Different positions from 0 to before `population` in random order: every ordered choice of so many is as likely as
/// the others. Asynchronous; neither memory nor sorting: a keyed permutation of the whole population (a Feistel network
/// of 12 rounds with cycle walking) is computed where it is wanted, so a few of very many cost no more than they are.
///
/// @param out of an integer type that holds the positions, of any rank; the same on every back end
/// @throws Error if `out` has more elements than there are, or its type does not hold them
template <execution_space Exec, view_like Out>
void choice(const Exec& exec, const Out& out_view, const key& k, std::int64_t population, without_replacement_t) {
  using T = impl::value_of<Out>;
  impl::call c("quern::random::choice", exec);
  const auto out = c.output(out_view);
  if (population < out.extents.size())
    throw Error(c.label, "out with extents " + out.extents.str() + " has more elements than the population of " +
                             std::to_string(population));
  if (out.extents.size() == 0) return;
  impl::check_positions<T>(c.label, "out", population);
  const impl::random_bijection order(k, population);
  if constexpr (impl::is_device<Exec>) {
    const impl::field_positions positions(c.label, out.extents, k);
    impl::map_checked(c.label, exec, out_view, order, positions.at);
  } else {
    const impl::row_nest<2> nest(impl::row_major_nest(out.extents, out.stride, out.stride));
    impl::for_images(exec, c.label, order, out.extents.size(), [=](std::int64_t i, std::int64_t image) {
      std::int64_t j;
      out.data[nest.at_item(i, nest.inner, 1, j).of[0]] = static_cast<T>(image);
    });
  }
}
template <view_like Out>
void choice(const Out& out, const key& k, std::int64_t population, without_replacement_t how) {
  choice(impl::space_of(out), out, k, population, how);
}

/// Positions with probabilities that are proportional to `weights`, drawn with replacement: a search in their
/// cumulative sums. Asynchronous; takes scratch memory of one double for each weight from the pool. Weights that are
/// negative or NaN count as 0; where all of them are 0, or their sum is not finite, all positions are -1. The same on
/// every back end, as the sums are those of the `reproducible` cumsum.
///
/// @param out of a signed integer type that holds the positions, of any rank
/// @param where a key, or a part of its field
/// @param weights of rank 1 and any arithmetic type
/// @throws Error if the part is not within its field, out's type does not hold the positions, or out and weights share
/// memory
template <execution_space Exec, view_like Out, view_like Weights>
void choice(const Exec& exec, const Out& out, const part_of& where, const Weights& weights) {
  using T = impl::value_of<Out>;
  static_assert(std::is_integral_v<T> && std::is_signed_v<T>,
                "quern::random::choice: out must be of a signed integer type");
  const std::string& label = impl::label_text("quern::random::choice");
  const auto in = impl::as_strided<Exec, impl::use::input>(weights, label);
  if (in.extents.rank != 1) impl::reject_extents(label, "weights", in.extents, "rank 1");
  impl::check_overlap(label, impl::as_strided<Exec, impl::use::output>(out, label), in, "weights", false);
  const std::int64_t n = in.extents.extent[0];
  impl::check_positions<T>(label, "out", n);
  const impl::scratch_array<Exec, double> held(exec, 2 * n);
  const impl::scratch_view<Exec, double*> counted(held.data(), n), cumulative(held.data() + n, n);
  impl::map_checked(quern::impl::label_text(label, "/weights"), exec, counted, impl::counted_weight(), weights);
  cumsum(exec, cumulative, counted, reproducible);
  impl::fill_drawn(label, exec, out, where, impl::choice_draw<T>{{}, cumulative.data(), n});
}
template <view_like Out, view_like Weights>
void choice(const Out& out, const part_of& where, const Weights& weights) {
  choice(impl::space_of(out), out, where, weights);
}
QUERN_TAKES_NAME(choice)

/// The numbers from 0 to n - 1 in random order, n the number of elements of `out`: `choice` without replacement of all.
template <execution_space Exec, view_like Out>
void permutation(const Exec& exec, const Out& out, const key& k) {
  choice(exec, out, k, impl::view_extents(out).size(), without_replacement);
}
template <view_like Out>
void permutation(const Out& out, const key& k) {
  permutation(impl::space_of(out), out, k);
}
QUERN_TAKES_NAME_NOT(option_or_place, permutation)

/// `out` is `in` in random order along axis 0, rows of higher rank as a whole: `out(i, ...) = in(p(i), ...)` with the
/// `permutation` p of that key. Asynchronous, without scratch memory.
///
/// @throws Error if the extents differ or out and in share memory
template <execution_space Exec, view_like Out, view_like In>
void shuffle(const Exec& exec, const Out& out_view, const key& k, const In& in_view) {
  using T = impl::value_of<Out>;
  static_assert(std::is_same_v<T, impl::value_of<In>>, "quern::random::shuffle: out and in must have one value type");
  impl::call c("quern::random::shuffle", exec);
  const auto out = c.output(out_view);
  const auto in = c.input(in_view);
  if (in.extents != out.extents || out.extents.rank == 0)
    throw Error(c.label, "out has extents " + out.extents.str() + " and in " + in.extents.str() +
                             ", expected the same, of rank 1 or more");
  impl::check_overlap(c.label, out, in, "in", false);
  if (out.extents.size() == 0) return;
  const impl::random_bijection order(k, out.extents.extent[0]);
  if constexpr (impl::is_device<Exec>) {
    impl::position_input row{{nullptr, out.extents, {}}}, rest{{nullptr, out.extents, in.stride}};
    row.array.stride[0] = 1;
    rest.array.stride[0] = 0;
    impl::map_checked(c.label, exec, out_view, impl::permuted_element<T>{order, in.data, in.stride[0]}, row, rest);
  } else {
    shape row = out.extents;
    row.extent[0] = 1;
    const impl::row_nest<2> rest(impl::make_loop_nest<2>(row, {out.stride, in.stride}));  // the other axes
    const std::int64_t out_step = out.stride[0], in_step = in.stride[0];
    impl::for_images(exec, c.label, order, out.extents.extent[0], [=](std::int64_t i, std::int64_t image) {
      for (std::int64_t r = 0; r < rest.inner * rest.outer; ++r) {
        std::int64_t j;
        const auto o = rest.at_item(r, rest.inner, 1, j);
        out.data[i * out_step + o.of[0]] = in.data[image * in_step + o.of[1]];
      }
    });
  }
}
template <view_like Out, view_like In>
void shuffle(const Out& out, const key& k, const In& in) {
  shuffle(impl::space_of(out), out, k, in);
}
QUERN_TAKES_NAME_NOT(option_or_place, shuffle)

}  // namespace quern::random

#endif
