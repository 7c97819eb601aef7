// SPDX-FileCopyrightText: the Quern authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef QUERN_LINALG_TUNING_HPP
#define QUERN_LINALG_TUNING_HPP

#include <quern/core/launch/tuning.hpp>
#include <quern/core/values/values.hpp>

namespace quern::impl {

/// Constants of products (bench_linalg: products) and of small matrices (bench_linalg: batched).
template <execution_space Exec>
struct linalg_tuning : tuning<Exec> {
  /// A block of a matrix product (its columns on a host in bytes), the blocks of a team's tile, the terms of each sum
  /// that the team loads at a time, so that the first cache of a host holds them, and those that are added at a time.
  static constexpr int block_rows = is_device<Exec> ? 4 : 1;
  static constexpr int block_bytes = 512;
  static constexpr int blocks_down = is_device<Exec> ? 16 : 96;
  static constexpr int blocks_across = is_device<Exec> ? 16 : 1;
  static constexpr int depth = is_device<Exec> ? 16 : 32;
  static constexpr int terms = is_device<Exec> ? 1 : 4;

  /// Multiplications of a matrix product, or of each of a batch, from which a BLAS is the faster.
  static constexpr std::int64_t blas_work = is_device<Exec> ? 1 << 19 : 0;
  static constexpr std::int64_t blas_batched_work = is_device<Exec> ? 10'000 : 1 << 9;

  /// Threads of a team that adds up elements of a product, several for each.
  static constexpr int product_lanes = 128;

  /// Elements up to which, and rows from which, A^H B is made by products of rows: with more elements the vendor's BLAS
  /// no longer reads the columns for each; the threads of a device that share the place of one, which needs many
  /// registers (bench_dense: lstsq, qr m x 8).
  static constexpr int row_product_elements = 1599, row_product_rows = 4096, row_product_share = 4;

  /// Threads of a team that works on small matrices, each on several lanes; the threads for which a multiprocessor must
  /// have registers, since fewer teams at once make singular values slower; the bytes of matrices that a team holds.
  /// Matrices larger than the bytes of fast scratch memory spill.
  static constexpr int small_team = is_device<Exec> ? 128 : 1;
  static constexpr int small_resident_threads = 768;
  static constexpr int small_team_bytes = is_device<Exec> ? 24 << 10 : 0;
  static constexpr int small_fast_bytes = is_device<Exec> ? 40 << 10 : 0;

  /// Lanes and threads of a team that reflects a block of a tall matrix.
  static constexpr int tall_lanes = is_device<Exec> ? 32 : 1;
  static constexpr int tall_threads = is_device<Exec> ? 8 : 1;

  /// Columns of a single matrix up to which one team is faster than the vendor's library, if the matrix fits into its
  /// fast scratch memory (bench_dense: svd m x 100).
  static constexpr int team_columns = 128;

  /// Rows of a batch from which the vendor's eigenvalues are faster than Jacobi's sweeps, whose lanes on devices are
  /// 32 at most, and which are in packs on hosts for real numbers alone; and the bytes of matrices that are copied for
  /// it at a time. (bench_linalg: sweep_eigh)
  template <class T>
  static constexpr int vendor_eigh_rows = is_device<Exec> ? 33
                                          : is_complex<T> ? 5
                                                          : 17;
  static constexpr std::int64_t vendor_eigh_bytes = is_device<Exec> ? std::int64_t{1} << 62 : 1 << 25;
};

}  // namespace quern::impl

#endif
