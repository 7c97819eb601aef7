// SPDX-FileCopyrightText: the Quern authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef QUERN_RANDOM_SOBOL_HPP
#define QUERN_RANDOM_SOBOL_HPP

#include <quern/core/call/call.hpp>
#include <quern/core/launch/index_range.hpp>
#include <quern/core/launch/noinline.hpp>
#include <quern/core/memory/workspace.hpp>
#include <quern/map/map.hpp>
#include <quern/random/key.hpp>
#include <quern/random/variates.hpp>

namespace quern::impl {

/// The parameters of Sobol's sequence in a dimension: degree and inner coefficients of a primitive polynomial over the
/// field of two elements, and the first direction numbers. Joe and Kuo, Constructing Sobol sequences with better
/// two-dimensional projections (SIAM J. Sci. Comput. 30, 2008). The numbers are Copyright (c) 2008, Frances Y. Kuo and
/// Stephen Joe, all rights reserved; their licence (BSD, three clauses) stands in THIRD-PARTY-NOTICES.
struct sobol_dimension {
  std::uint16_t degree, inner, first[9];
};
inline constexpr int sobol_dimensions = 64;
inline constexpr sobol_dimension sobol_table[sobol_dimensions] = {{0, 0, {}},
                                                                  {1, 0, {1}},
                                                                  {2, 1, {1, 3}},
                                                                  {3, 1, {1, 3, 1}},
                                                                  {3, 2, {1, 1, 1}},
                                                                  {4, 1, {1, 1, 3, 3}},
                                                                  {4, 4, {1, 3, 5, 13}},
                                                                  {5, 2, {1, 1, 5, 5, 17}},
                                                                  {5, 4, {1, 1, 5, 5, 5}},
                                                                  {5, 7, {1, 1, 7, 11, 19}},
                                                                  {5, 11, {1, 1, 5, 1, 1}},
                                                                  {5, 13, {1, 1, 1, 3, 11}},
                                                                  {5, 14, {1, 3, 5, 5, 31}},
                                                                  {6, 1, {1, 3, 3, 9, 7, 49}},
                                                                  {6, 13, {1, 1, 1, 15, 21, 21}},
                                                                  {6, 16, {1, 3, 1, 13, 27, 49}},
                                                                  {6, 19, {1, 1, 1, 15, 7, 5}},
                                                                  {6, 22, {1, 3, 1, 15, 13, 25}},
                                                                  {6, 25, {1, 1, 5, 5, 19, 61}},
                                                                  {7, 1, {1, 3, 7, 11, 23, 15, 103}},
                                                                  {7, 4, {1, 3, 7, 13, 13, 15, 69}},
                                                                  {7, 7, {1, 1, 3, 13, 7, 35, 63}},
                                                                  {7, 8, {1, 3, 5, 9, 1, 25, 53}},
                                                                  {7, 14, {1, 3, 1, 13, 9, 35, 107}},
                                                                  {7, 19, {1, 3, 1, 5, 27, 61, 31}},
                                                                  {7, 21, {1, 1, 5, 11, 19, 41, 61}},
                                                                  {7, 28, {1, 3, 5, 3, 3, 13, 69}},
                                                                  {7, 31, {1, 1, 7, 13, 1, 19, 1}},
                                                                  {7, 32, {1, 3, 7, 5, 13, 19, 59}},
                                                                  {7, 37, {1, 1, 3, 9, 25, 29, 41}},
                                                                  {7, 41, {1, 3, 5, 13, 23, 1, 55}},
                                                                  {7, 42, {1, 3, 7, 3, 13, 59, 17}},
                                                                  {7, 50, {1, 3, 1, 3, 5, 53, 69}},
                                                                  {7, 55, {1, 1, 5, 5, 23, 33, 13}},
                                                                  {7, 56, {1, 1, 7, 7, 1, 61, 123}},
                                                                  {7, 59, {1, 1, 7, 9, 13, 61, 49}},
                                                                  {7, 62, {1, 3, 3, 5, 3, 55, 33}},
                                                                  {8, 14, {1, 3, 1, 15, 31, 13, 49, 245}},
                                                                  {8, 21, {1, 3, 5, 15, 31, 59, 63, 97}},
                                                                  {8, 22, {1, 3, 1, 11, 11, 11, 77, 249}},
                                                                  {8, 38, {1, 3, 1, 11, 27, 43, 71, 9}},
                                                                  {8, 47, {1, 1, 7, 15, 21, 11, 81, 45}},
                                                                  {8, 49, {1, 3, 7, 3, 25, 31, 65, 79}},
                                                                  {8, 50, {1, 3, 1, 1, 19, 11, 3, 205}},
                                                                  {8, 52, {1, 1, 5, 9, 19, 21, 29, 157}},
                                                                  {8, 56, {1, 3, 7, 11, 1, 33, 89, 185}},
                                                                  {8, 67, {1, 3, 3, 3, 15, 9, 79, 71}},
                                                                  {8, 70, {1, 3, 7, 11, 15, 39, 119, 27}},
                                                                  {8, 84, {1, 1, 3, 1, 11, 31, 97, 225}},
                                                                  {8, 97, {1, 1, 1, 3, 23, 43, 57, 177}},
                                                                  {8, 103, {1, 3, 7, 7, 17, 17, 37, 71}},
                                                                  {8, 115, {1, 3, 1, 5, 27, 63, 123, 213}},
                                                                  {8, 122, {1, 1, 3, 5, 11, 43, 53, 133}},
                                                                  {9, 8, {1, 3, 5, 5, 29, 17, 47, 173, 479}},
                                                                  {9, 13, {1, 3, 3, 11, 3, 1, 109, 9, 69}},
                                                                  {9, 16, {1, 1, 1, 5, 17, 39, 23, 5, 343}},
                                                                  {9, 22, {1, 3, 1, 5, 25, 15, 31, 103, 499}},
                                                                  {9, 25, {1, 1, 1, 11, 11, 17, 63, 105, 183}},
                                                                  {9, 44, {1, 1, 5, 11, 9, 29, 97, 231, 363}},
                                                                  {9, 47, {1, 1, 5, 15, 19, 45, 41, 7, 383}},
                                                                  {9, 52, {1, 3, 7, 7, 31, 19, 83, 137, 221}},
                                                                  {9, 55, {1, 1, 1, 3, 23, 15, 111, 223, 83}},
                                                                  {9, 59, {1, 1, 5, 13, 31, 15, 55, 25, 161}},
                                                                  {9, 62, {1, 1, 3, 13, 25, 47, 39, 87, 257}}};

inline constexpr int sobol_digits = 53;

/// The numbers that the digits of a point's Gray code add up, from the highest bit of 64 on. Dimension 0 is van der
/// Corput's sequence.
KOKKOS_FUNCTION inline void sobol_directions(const sobol_dimension& of, std::uint64_t (&v)[sobol_digits]) {
  for (int k = 0; k < sobol_digits; ++k) {
    const int s = of.degree;
    if (s == 0) {
      v[k] = std::uint64_t{1} << (63 - k);
    } else if (k < s) {
      v[k] = std::uint64_t{of.first[k]} << (63 - k);
    } else {
      v[k] = v[k - s] ^ v[k - s] >> s;
      for (int j = 1; j < s; ++j)
        if ((of.inner >> (s - 1 - j)) % 2 == 1) v[k] ^= v[k - j];
    }
  }
}

/// A dimension as kernels read it.
struct sobol_axis {
  std::uint64_t direction[sobol_digits];
  random::key scramble;
};

/// Computes the axes, one for each work item.
struct sobol_setup {
  sobol_axis* axes;
  random::key key;
  sobol_dimension table[sobol_dimensions];

  sobol_setup(sobol_axis* to, const random::key& k) : axes(to), key(k) {
    for (int d = 0; d < sobol_dimensions; ++d) table[d] = sobol_table[d];
  }
  KOKKOS_FUNCTION void operator()(std::int64_t d) const {
    sobol_directions(table[d], axes[d].direction);
    axes[d].scramble = random::fold_in(key, d);
  }
};

/// Owen's nested scrambling in base 2: each digit is flipped or not by a random bit that depends on all digits before
/// it. 128 bits of Philox serve the tree of 7 digits below a prefix. After 35 digits prefixes of any two points differ,
/// and the rest is random.
template <int Digits>
KOKKOS_FUNCTION std::uint64_t owen_scrambled(std::uint64_t x, const random::key& k) {
  constexpr int tree = 7, trees = 5;
  std::uint64_t flips = 0;
  for (int t = 0; t < trees && t * tree < Digits; ++t) {
    const std::uint64_t prefix = t == 0 ? 0 : x >> (64 - tree * t);
    const auto w = philox(k.seed, prefix | std::uint64_t(t) << 58, k.stream);
    const std::uint64_t low = std::uint64_t{w[1]} << 32 | w[0], high = std::uint64_t{w[3]} << 32 | w[2];
    const std::uint64_t below = x << (tree * t);  // the digits of this tree, first at the top
    for (int digit = 0; digit < tree; ++digit) {
      const int node = (1 << digit) - 1 + static_cast<int>(digit == 0 ? 0 : below >> (64 - digit));
      const std::uint64_t flip = (node < 64 ? low >> node : high >> (node - 64)) & 1;
      flips |= flip << (63 - tree * t - digit);
    }
  }
  if constexpr (Digits > tree * trees) {
    const auto w = philox(k.seed, x >> (64 - tree * trees) | std::uint64_t{trees} << 58, k.stream);
    flips |= (std::uint64_t{w[1]} << 32 | w[0]) >> (tree * trees);
  }
  return x ^ flips;
}

/// Coordinate `d` of point `first + i`.
template <class T, bool Scrambled>
struct sobol_coordinate {
  const sobol_axis* axes;
  std::uint64_t first;
  QUERN_IMPL_NOINLINE KOKKOS_FUNCTION T operator()(std::int64_t i, std::int64_t d) const {
    const std::uint64_t point = first + static_cast<std::uint64_t>(i);
    std::uint64_t x = 0, gray = point ^ point >> 1;
    for (int k = 0; gray != 0; ++k, gray >>= 1)
      if (gray & 1) x ^= axes[d].direction[k];
    if constexpr (Scrambled) x = owen_scrambled<std::is_same_v<T, float> ? 24 : sobol_digits>(x, axes[d].scramble);
    return variate::uniform(static_cast<variate::word<T>>(x >> (64 - 8 * sizeof(T))));
  }
};

template <bool Scrambled, class Exec, class Out>
void sobol_points_into(const Exec& exec, const Out& out_view, const random::key& k, std::int64_t first) {
  using T = value_of<Out>;
  static_assert(std::is_same_v<T, float> || std::is_same_v<T, double>,
                "quern::random::sobol: out must be of float or double");
  check_exact<Out>();
  call c("quern::random::sobol", exec);
  const auto out = c.output(out_view);
  if (out.extents.rank != 2 || out.extents.extent[1] > sobol_dimensions)
    throw Error(c.label, "out has extents " + out.extents.str() + ", expected (points, dimensions) with at most " +
                             std::to_string(sobol_dimensions) + " dimensions");
  const std::int64_t points = out.extents.extent[0];
  if (first < 0 || points > (std::int64_t{1} << sobol_digits) || first > (std::int64_t{1} << sobol_digits) - points)
    throw Error(c.label,
                std::to_string(points) + " points from " + std::to_string(first) + " on are not all from 0 to 2^53");
  if (out.extents.size() == 0) return;
  const scratch_array<Exec, sobol_axis> axes(exec, sobol_dimensions);
  Kokkos::parallel_for(kernel_label(c.label, "/axes"), index_range(exec, out.extents.extent[1]),
                       sobol_setup(axes.data(), k));
  position_input point{{nullptr, out.extents, {1, 0}}}, axis{{nullptr, out.extents, {0, 1}}};
  map_checked(c.label, exec, out_view, sobol_coordinate<T, Scrambled>{axes.data(), static_cast<std::uint64_t>(first)},
              point, axis);
}

}  // namespace quern::impl

namespace quern::random {

/// Points of Sobol's low-discrepancy sequence in [0, 1)^d, in the order of Gray codes and from the origin on, with the
/// direction numbers of Joe and Kuo (2008): row i of `out` is point number `first + i`, as `scipy.stats.qmc.Sobol`
/// without scrambling gives them. The first 2^m points fill the cube evenly; other numbers less so.
///
/// Asynchronous on `exec`; takes scratch memory of some kilobytes from the pool.
/// @param out (n, d) of float or double, d at most 64
/// @throws Error if out has another rank or more dimensions, or a point is not from 0 to 2^53
template <execution_space Exec, view_like Out>
void sobol(const Exec& exec, const Out& out, std::int64_t first = 0) {
  impl::sobol_points_into<false>(exec, out, key(), first);
}
template <view_like Out>
void sobol(const Out& out, std::int64_t first = 0) {
  sobol(impl::space_of(out), out, first);
}

/// Sobol points scrambled at random: every point is uniform on the cube, so that means over the points are unbiased,
/// and together they keep the evenness, so that errors fall faster (for smooth functions with n^-3/2). Owen, Randomly
/// permuted (t,m,s)-nets and (t,s)-sequences (1995), in full: each digit is flipped by a random bit of the digits
/// before it. Means over several keys show the error. The points depend on key and number alone.
template <execution_space Exec, view_like Out>
void sobol(const Exec& exec, const Out& out, const key& k, std::int64_t first = 0) {
  impl::sobol_points_into<true>(exec, out, k, first);
}
template <view_like Out>
void sobol(const Out& out, const key& k, std::int64_t first = 0) {
  sobol(impl::space_of(out), out, k, first);
}
QUERN_TAKES_NAME_NOT(option_or_place, sobol)

}  // namespace quern::random

#endif
