// SPDX-FileCopyrightText: the Quern authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef QUERN_LINALG_JACOBI_PACKS_HPP
#define QUERN_LINALG_JACOBI_PACKS_HPP

#include <quern/core/launch/ivdep.hpp>
#include <quern/linalg/jacobi.hpp>

namespace quern::impl {

/// Rotations of many matrices side by side on hosts, one in each lane of vectors.
template <class T>
struct jacobi_packs {
  /// g++ writes out loops of 16 rounds or fewer, and then finds no vector instructions.
  static constexpr int lanes = 32;
  using values = T[lanes];  // one of each matrix
  /// As wide as T: vectors choose by flags of the same width.
  using flag = std::conditional_t<sizeof(T) == 8, std::int64_t, std::int32_t>;
  struct rotations {
    alignas(64) values cosine, sine, phase;
  };

  /// The rotations that make 2 x 2 matrices diagonal, as `jacobi_rotation` has them.
  static void diagonalize(const values& pp, const values& qq, const values& pq, const flag (&turning)[lanes],
                          rotations& to) {
    constexpr T large = 1 / Kokkos::Experimental::epsilon_v<T>;
    alignas(64) values tau, root, size;
    for (int l = 0; l < lanes; ++l) {
      size[l] = Kokkos::abs(pq[l]);
      tau[l] = (qq[l] - pp[l]) / (2 * (size[l] == 0 ? T(1) : size[l]));
    }
    for (int l = 0; l < lanes; ++l) root[l] = Kokkos::sqrt(1 + tau[l] * tau[l]);
    for (int l = 0; l < lanes; ++l) {
      const T far = Kokkos::abs(tau[l]);
      root[l] = (tau[l] < 0 ? T(-1) : T(1)) / (far + (far > large ? far : root[l]));
    }
    for (int l = 0; l < lanes; ++l) to.cosine[l] = 1 / Kokkos::sqrt(1 + root[l] * root[l]);
    for (int l = 0; l < lanes; ++l) {
      const flag turns = size[l] == 0 ? flag(0) : turning[l];
      to.sine[l] = turns != 0 ? root[l] * to.cosine[l] : T(0);
      to.cosine[l] = turns != 0 ? to.cosine[l] : T(1);
      to.phase[l] = pq[l] < 0 ? T(-1) : T(1);
      to.phase[l] = turns != 0 ? to.phase[l] : T(1);
    }
  }
  static void rotate(values& xp, values& xq, const rotations& by) {
    QUERN_IMPL_IVDEP
    for (int l = 0; l < lanes; ++l) {
      const T p = xp[l], q = by.phase[l] * xq[l];
      xp[l] = by.cosine[l] * p - by.sine[l] * q;
      xq[l] = by.sine[l] * p + by.cosine[l] * q;
    }
  }
};

}  // namespace quern::impl

#endif
