// SPDX-FileCopyrightText: the Quern authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef QUERN_LINALG_BLOCK_PRODUCTS_HPP
#define QUERN_LINALG_BLOCK_PRODUCTS_HPP

/// @file
/// Products of many small matrices on devices.

#include <Kokkos_Core.hpp>
#include <algorithm>
#include <cstdint>
#include <quern/core/call/label.hpp>
#include <quern/core/launch/pack.hpp>
#include <quern/linalg/matrix_product.hpp>

namespace quern::impl {

/// A thread makes a block of one item of C in its registers, so that it reads half an element for each multiplication.
/// `Packs`: rows of A, B and C are read and written in packs of W.
template <class C, class A, class B, bool Packs>
struct block_product {
  using S = product_sum<C>;
  static constexpr int size = 4;
  template <class T>
  static constexpr int pack_width = sizeof(T) >= 16 ? 1 : std::min<int>(size, 16 / sizeof(T));

  matrix_product<C, A, B> p;
  std::uint32_t blocks_across, blocks;  // of an item
  bool items_first;                     // adjacent threads have adjacent items

  KOKKOS_FUNCTION void operator()(std::uint32_t work) const {
    const auto items = static_cast<std::uint32_t>(p.batch);
    const std::int64_t item = items_first ? work % items : work / blocks;
    const std::uint32_t block = items_first ? work / items : work % blocks;
    const std::int64_t i0 = block / blocks_across * size, j0 = block % blocks_across * size;
    // Beyond the matrix, its last row and column stand for those that are not there, and are not stored.
    const A* a[size];
    const B* b[size];
    for (int u = 0; u < size; ++u) {
      a[u] = p.a + item * p.a_stride[0] + Kokkos::min(i0 + u, p.m - 1) * p.a_stride[1];
      b[u] = p.b + item * p.b_stride[0] + Kokkos::min(j0 + u, p.n - 1) * p.b_stride[2];
    }
    S sum[size][size] = {};
    std::int64_t k = 0;
    if constexpr (Packs)
      for (; k + size <= p.k; k += size) add_packs(sum, a, b[0], k);
    for (; k < p.k; ++k) {
      S left[size], right[size];
      for (int u = 0; u < size; ++u) {
        left[u] = convert<S>(a[u][k * p.a_stride[2]]);
        right[u] = convert<S>(b[u][k * p.b_stride[1]]);
      }
      add_products(sum, left, right);
    }
    C* c = p.c + item * p.c_stride[0] + i0 * p.c_stride[1] + j0 * p.c_stride[2];
    const std::int64_t rows = Kokkos::min<std::int64_t>(size, p.m - i0);
    for (int i = 0; i < size; ++i)
      if (i < rows) store_row(c + i * p.c_stride[1], sum[i], p.n - j0);
  }

  /// `size` terms of each sum.
  KOKKOS_FUNCTION void add_packs(S (&sum)[size][size], const A* const (&a)[size], const B* b, std::int64_t k) const {
    S left[size][size], right[size];  // of A transposed, and a row of B
    for (int i = 0; i < size; ++i) {
      S row[size];
      load_row(row, a[i] + k);
      for (int u = 0; u < size; ++u) left[u][i] = row[u];
    }
    for (int u = 0; u < size; ++u) {
      load_row(right, b + (k + u) * p.b_stride[1]);
      add_products(sum, left[u], right);
    }
  }
  static KOKKOS_FUNCTION void add_products(S (&sum)[size][size], const S (&left)[size], const S (&right)[size]) {
    for (int i = 0; i < size; ++i)
      for (int j = 0; j < size; ++j) add_product(sum[i][j], left[i], right[j]);
  }
  template <class T>
  static KOKKOS_FUNCTION void load_row(S (&to)[size], const T* from) {
    constexpr int W = pack_width<T>;
    for (int u = 0; u < size; u += W) {
      const auto part = *reinterpret_cast<const pack<T, W>*>(from + u);
      for (int v = 0; v < W; ++v) to[u + v] = convert<S>(part.value[v]);
    }
  }
  KOKKOS_FUNCTION void store_row(C* c, const S (&sum)[size], std::int64_t columns) const {
    if constexpr (Packs) {
      constexpr int W = pack_width<C>;
      for (int u = 0; u < size; u += W) {
        pack<C, W> part;
        for (int v = 0; v < W; ++v) part.value[v] = p.result.value(c[u + v], sum[u + v]);
        *reinterpret_cast<pack<C, W>*>(c + u) = part;
      }
    } else {
      for (int j = 0; j < size; ++j)
        if (j < columns) p.result.store(c[j * p.c_stride[2]], sum[j]);
    }
  }

  /// Whether blocks of rows are packs: of elements that lie side by side, at distances that packs divide.
  static bool fits(const matrix_product<C, A, B>& p) {
    const auto packs = [](const auto* data, const auto& stride) {
      constexpr int W = pack_width<std::remove_cvref_t<decltype(*data)>>;
      return stride[2] == 1 && stride[0] % W == 0 && stride[1] % W == 0 &&
             reinterpret_cast<std::uintptr_t>(data) % (W * sizeof(*data)) == 0;
    };
    return p.n % size == 0 && packs(p.a, p.a_stride) && packs(p.b, p.b_stride) && packs(p.c, p.c_stride);
  }
};

/// Whether `multiply_blocks` takes a product: one with at least half of each block to do, and with enough blocks to
/// occupy the device, but less than 2^32.
template <class Exec, class C, class A, class B>
bool takes_blocks(const Exec& exec, const matrix_product<C, A, B>& p) {
  constexpr std::int64_t size = block_product<C, A, B, false>::size;
  const std::int64_t blocks = p.batch * ((p.m + size - 1) / size) * ((p.n + size - 1) / size);
  return p.m > size / 2 && p.n > size / 2 && blocks >= exec.concurrency() / 8 && std::in_range<std::uint32_t>(blocks);
}
template <class Exec, class C, class A, class B>
void multiply_blocks(const Exec& exec, const std::string& label, const matrix_product<C, A, B>& p) {
  constexpr int size = block_product<C, A, B, false>::size;
  if (p.c_stride[1] < p.c_stride[2]) return multiply_blocks(exec, label, p.transposed());
  const auto across = static_cast<std::uint32_t>((p.n + size - 1) / size),
             blocks = across * static_cast<std::uint32_t>((p.m + size - 1) / size);
  const bool items_first = p.c_stride[0] < p.c_stride[2];
  const auto launch = [&]<bool Packs>(std::bool_constant<Packs>) {
    using policy = Kokkos::RangePolicy<Exec, Kokkos::IndexType<std::uint32_t>>;
    Kokkos::parallel_for(kernel_label(label, "/blocks"), policy(exec, 0, static_cast<std::uint32_t>(p.batch) * blocks),
                         block_product<C, A, B, Packs>{p, across, blocks, items_first});
  };
  if (block_product<C, A, B, true>::fits(p)) launch(std::true_type());
  else launch(std::false_type());
}

}  // namespace quern::impl

#endif
