// SPDX-FileCopyrightText: the Quern authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef QUERN_RANDOM_KEY_HPP
#define QUERN_RANDOM_KEY_HPP

#include <array>
#include <quern/core/views/extents.hpp>
#include <quern/random/philox.hpp>
#include <string>
#include <vector>

namespace quern::random {

/// Names a sequence of random numbers. There is no state: number i of a key is always the same, and an operation called
/// twice with one key gives the same numbers twice. New keys are made of old ones by `split` and `fold_in`.
///
/// Keys from different seeds, and all that descend from them, have sequences of their own: derived keys have 128 bits,
/// of which 2^40 keys have two alike with a probability of 2^-49.
struct key {
  std::uint64_t seed = 0;
  std::uint64_t stream = 0;

  KOKKOS_FUNCTION constexpr explicit key(std::uint64_t s = 0, std::uint64_t number = 0) : seed(s), stream(number) {}
  constexpr bool operator==(const key&) const = default;
};

}  // namespace quern::random

namespace quern::impl {

/// Keys are derived with other Philox keys than numbers are drawn with, by one purpose each.
enum class derivation : std::uint64_t { fold = 0x9c63a1f0d5b8472e, split = 0x3bd8e9047f2c651a };

KOKKOS_FUNCTION inline random::key derived(const random::key& k, derivation purpose, std::uint64_t data) {
  const auto w = philox(k.seed ^ static_cast<std::uint64_t>(purpose), data, k.stream);
  return random::key(std::uint64_t{w[1]} << 32 | w[0], std::uint64_t{w[3]} << 32 | w[2]);
}

}  // namespace quern::impl

namespace quern::random {

/// A key of its own for a number, as a time step or the index of a particle: `fold_in(k, step)`. May be called in any
/// kernel.
KOKKOS_FUNCTION inline key fold_in(const key& k, std::uint64_t data) {
  return impl::derived(k, impl::derivation::fold, data);
}

/// `n` keys in place of one. The first ones do not depend on `n`.
/// @throws Error if n is negative
inline std::vector<key> split(const key& k, std::int64_t n) {
  if (n < 0) throw Error("quern::random::split", std::to_string(n) + " keys asked for");
  std::vector<key> keys;
  for (std::int64_t i = 0; i < n; ++i) keys.push_back(impl::derived(k, impl::derivation::split, i));
  return keys;
}

/// As many keys as the code says: `auto [positions, velocities] = split<2>(k)`.
template <int N>
std::array<key, N> split(const key& k) {
  std::array<key, N> keys;
  for (int i = 0; i < N; ++i) keys[i] = impl::derived(k, impl::derivation::split, i);
  return keys;
}

/// Which numbers of a key an operation gives: those of the positions of `out`, in row-major order whatever its layout,
/// or those of a block of a larger array. `part_of(k, {nx, ny}, {x, y})` makes `out` the block at (x, y) of an array of
/// nx times ny, as a process of many has it, with the numbers that the whole array would have there.
struct part_of {
  key of;
  shape extents, first;  // of rank 0: `out` is all there is

  part_of(const key& k) : of(k) {}
  part_of(const key& k, const shape& whole, const shape& start) : of(k), extents(whole), first(start) {}
};

}  // namespace quern::random

#endif
