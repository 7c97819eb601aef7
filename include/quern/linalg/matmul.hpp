// SPDX-FileCopyrightText: the Quern authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef QUERN_LINALG_MATMUL_HPP
#define QUERN_LINALG_MATMUL_HPP

#include <Kokkos_Core.hpp>
#include <quern/config.hpp>
#include <quern/core/arguments.hpp>
#include <quern/map/functions.hpp>
#include <string>
#ifdef QUERN_HAS_LINALG
#include <KokkosBlas3_gemm.hpp>
#endif

namespace quern {
namespace impl {

/// C = A B by tiles: a team makes one tile of C, a step of the inner extent at a time in its scratch memory, and each
/// thread a small block of the tile in its registers.
template <class Exec, class C, class A, class B>
struct matmul_kernel {
  static constexpr bool device = tuning<Exec>::device;
  static constexpr int tile = device ? 64 : 32;
  static constexpr int depth = 16;
  static constexpr int micro = device ? 4 : tile;  // rows and columns of a thread's block
  static constexpr int threads = (tile / micro) * (tile / micro);
  using policy = Kokkos::TeamPolicy<Exec>;
  using member = typename policy::member_type;

  C* c;
  const A* a;
  const B* b;
  std::int64_t m, n, inner;
  std::int64_t c_stride[2], a_stride[2], b_stride[2];
  std::int64_t tiles;  // along the columns of C

  static std::size_t scratch_bytes() { return (tile * (depth + 1)) * sizeof(A) + depth * tile * sizeof(B) + 64; }

  KOKKOS_FUNCTION void operator()(const member& team) const {
    const std::int64_t row0 = team.league_rank() / tiles * tile, col0 = team.league_rank() % tiles * tile;
    // One column more than the step, so that a column of the tile does not fall into one bank.
    auto* ta = static_cast<A*>(team.team_shmem().get_shmem_aligned(tile * (depth + 1) * sizeof(A), 16));
    auto* tb = static_cast<B*>(team.team_shmem().get_shmem_aligned(depth * tile * sizeof(B), 16));
    const int t = team.team_rank();
    constexpr int across = tile / micro;
    const int mi = t / across, mj = t % across;
    C sum[micro][micro] = {};
    for (std::int64_t k0 = 0; k0 < inner; k0 += depth) {
      for (int e = t; e < tile * depth; e += threads) {
        const int i = e / depth, k = e % depth;
        ta[i * (depth + 1) + k] =
            row0 + i < m && k0 + k < inner ? a[(row0 + i) * a_stride[0] + (k0 + k) * a_stride[1]] : A(0);
        const int kb = e / tile, j = e % tile;
        tb[kb * tile + j] =
            k0 + kb < inner && col0 + j < n ? b[(k0 + kb) * b_stride[0] + (col0 + j) * b_stride[1]] : B(0);
      }
      team.team_barrier();
      for (int k = 0; k < depth; ++k)
        for (int i = 0; i < micro; ++i) {
          const C left = static_cast<C>(ta[(mi + i * across) * (depth + 1) + k]);
          for (int j = 0; j < micro; ++j) sum[i][j] += left * static_cast<C>(tb[k * tile + mj + j * across]);
        }
      team.team_barrier();
    }
    for (int i = 0; i < micro; ++i)
      for (int j = 0; j < micro; ++j) {
        const std::int64_t row = row0 + mi + i * across, col = col0 + mj + j * across;
        if (row < m && col < n) c[row * c_stride[0] + col * c_stride[1]] = sum[i][j];
      }
  }
};

template <class Exec, class C, class A, class B>
void matmul_tiled(const Exec& exec, const strided<C>& c, const strided<const A>& a, const strided<const B>& b) {
  using kernel = matmul_kernel<Exec, C, A, B>;
  const std::int64_t m = c.extents.extent[0], n = c.extents.extent[1];
  const std::int64_t rows = (m + kernel::tile - 1) / kernel::tile, tiles = (n + kernel::tile - 1) / kernel::tile;
  if (rows * tiles > Kokkos::Experimental::finite_max_v<int>) throw Error("quern::matmul", "c has too many tiles");
  typename kernel::policy policy(exec, static_cast<int>(rows * tiles), kernel::threads);
  Kokkos::parallel_for("quern::matmul/tiled", policy.set_scratch_size(0, Kokkos::PerTeam(kernel::scratch_bytes())),
                       kernel{c.data,
                              a.data,
                              b.data,
                              m,
                              n,
                              a.extents.extent[1],
                              {c.stride[0], c.stride[1]},
                              {a.stride[0], a.stride[1]},
                              {b.stride[0], b.stride[1]},
                              tiles});
}

/// Views that a BLAS takes as they are: one floating-point type, one plain layout, and rows or columns without gaps.
template <class Exec, class V>
inline constexpr bool blas_view =
    Kokkos::is_view_v<V> &&
    (std::is_same_v<value_of<V>, float> || std::is_same_v<value_of<V>, double> ||
     std::is_same_v<value_of<V>, Kokkos::complex<float>> || std::is_same_v<value_of<V>, Kokkos::complex<double>>);

template <class V>
using layout_of = typename V::array_layout;

template <class Exec, class C, class A, class B>
concept blas_operands =
    blas_view<Exec, C> && blas_view<Exec, A> && blas_view<Exec, B> && std::is_same_v<value_of<C>, value_of<A>> &&
    std::is_same_v<value_of<C>, value_of<B>> && std::is_same_v<layout_of<C>, layout_of<A>> &&
    std::is_same_v<layout_of<C>, layout_of<B>> && !std::is_same_v<layout_of<C>, Kokkos::LayoutStride>;

}  // namespace impl

/// The matrix product `c = a b`.
///
/// @param c (m, n), @param a (m, k), @param b (k, n): Views of rank 2 of any layout; c must not share memory with a or
/// b.
///        The product is taken in c's value type.
///
/// With the `linalg` component and floating-point Views of one type and one of LayoutLeft or LayoutRight, Kokkos
/// Kernels (and through it the vendor's BLAS) computes it; otherwise a tiled Kokkos kernel. Asynchronous on `exec`; the
/// order of the additions, and so the rounding, is the library's. `k = 0` gives zeros.
/// @throws Error if the extents do not fit or c shares memory with an input
template <execution_space Exec, view_like C, view_like A, view_like B>
void matmul(const Exec& exec, const C& c_view, const A& a_view, const B& b_view) {
  const std::string label = "quern::matmul";
  const auto c = impl::make_output<Exec>(c_view, label);
  const auto a = impl::make_input<Exec>(a_view, label).array;
  const auto b = impl::make_input<Exec>(b_view, label).array;
  if (c.extents.rank != 2 || a.extents.rank != 2 || b.extents.rank != 2)
    throw Error(label, "c, a and b have ranks " + std::to_string(c.extents.rank) + ", " +
                           std::to_string(a.extents.rank) + " and " + std::to_string(b.extents.rank) + ", expected 2");
  if (a.extents.extent[1] != b.extents.extent[0])
    throw Error(label, "a has extents " + a.extents.str() + ", which do not fit b with extents " + b.extents.str());
  const shape expected{a.extents.extent[0], b.extents.extent[1]};
  if (c.extents != expected) throw Error(label, "c has extents " + c.extents.str() + ", expected " + expected.str());
  impl::check_overlap(label, c, a, "a", false);
  impl::check_overlap(label, c, b, "b", false);
  if (expected.size() == 0) return;
#ifdef QUERN_HAS_LINALG
  if constexpr (impl::blas_operands<Exec, C, A, B>) {
    if (a.extents.extent[1] > 0) {
      using T = impl::value_of<C>;
      KokkosBlas::gemm(exec, "N", "N", T(1), a_view, b_view, T(0), c_view);
      return;
    }
  }
#endif
  impl::matmul_tiled(exec, c, a, b);
}

/// The same on a default instance of c's execution space.
template <view_like C, view_like A, view_like B>
void matmul(const C& c, const A& a, const B& b) {
  matmul(impl::default_execution_space<C>(), c, a, b);
}

}  // namespace quern

#endif
