// SPDX-FileCopyrightText: the Quern authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef QUERN_LINALG_PRODUCT_KERNELS_HPP
#define QUERN_LINALG_PRODUCT_KERNELS_HPP

/// @file
/// The form of every product of this module: matrices in a batch, of which tiles are multiplied (here or by a BLAS),
/// or sums over some axes of two arrays.

#include <Kokkos_Core.hpp>
#include <optional>
#include <quern/core/call/label.hpp>
#include <quern/core/launch/arguments.hpp>
#include <quern/core/launch/index_range.hpp>
#include <quern/core/launch/loop_nest.hpp>
#include <quern/core/launch/team_scratch.hpp>
#include <quern/core/values/values.hpp>
#include <quern/linalg/block_products.hpp>
#include <quern/linalg/lapack.hpp>
#include <quern/linalg/matrix_product.hpp>
#include <quern/linalg/short_rows_product.hpp>
#include <quern/linalg/tuning.hpp>

namespace quern::impl {

/// A team makes one tile of C, a step of k at a time in its scratch memory. The tile consists of blocks: on a device
/// each thread has the sums of one in registers, with rows and columns that lie apart, so that adjacent threads
/// read adjacent words; on a host one thread has them all, each a part of a row for its vector units.
template <class Exec, class C, class A, class B>
struct tiled_product {
  using S = product_sum<C>;
  using tune = linalg_tuning<Exec>;
  static constexpr bool device = is_device<Exec>;
  static constexpr int block_rows = tune::block_rows;
  static constexpr int block_columns = device ? tune::block_rows : tune::block_bytes / int(sizeof(S));
  static constexpr int down = tune::blocks_down, across = tune::blocks_across;
  static constexpr int depth = tune::depth, together = tune::terms;
  static constexpr int threads = device ? down * across : 1;
  static constexpr int rows = down * block_rows, columns = across * block_columns;
  static constexpr int row_step = device ? down : 1, first_row = device ? 1 : block_rows;
  static constexpr int column_step = device ? across : 1, first_column = device ? 1 : block_columns;
  static constexpr int a_ld = rows + (device ? 1 : 0), b_ld = columns + (device ? 1 : 0);  // no column in one bank

  using policy = Kokkos::TeamPolicy<Exec>;
  using member = typename policy::member_type;
  struct block {
    S sum[block_rows][block_columns];
  };

  matrix_product<C, A, B> p;
  std::int64_t tiles_down, tiles_across;

  static std::size_t scratch_bytes() {
    return 128 + depth * (a_ld + b_ld) * sizeof(S) + (device ? 0 : down * across * sizeof(block));
  }

  KOKKOS_FUNCTION void operator()(const member& team) const {
    const std::int64_t tiles = tiles_down * tiles_across, item = team.league_rank() / tiles;
    const std::int64_t tile = team.league_rank() - item * tiles;
    const std::int64_t row0 = tile / tiles_across * rows, column0 = tile % tiles_across * columns;
    const auto scratch = team.team_scratch(device ? 0 : 1);
    S* ta = static_cast<S*>(scratch.get_shmem_aligned(depth * a_ld * sizeof(S), 32));
    S* tb = static_cast<S*>(scratch.get_shmem_aligned(depth * b_ld * sizeof(S), 32));
    const A* a = p.a + item * p.a_stride[0] + row0 * p.a_stride[1];
    const B* b = p.b + item * p.b_stride[0] + column0 * p.b_stride[2];
    C* c = p.c + item * p.c_stride[0] + row0 * p.c_stride[1] + column0 * p.c_stride[2];
    const int rank = team.team_rank();
    const auto for_each_step = [&](const auto& multiply) {
      for (std::int64_t k = 0; k < p.k; k += depth) {
        load<rows, a_ld>(rank, ta, a + k * p.a_stride[2], p.a_stride[1], p.a_stride[2], p.m - row0, p.k - k);
        load<columns, b_ld>(rank, tb, b + k * p.b_stride[1], p.b_stride[2], p.b_stride[1], p.n - column0, p.k - k);
        team.team_barrier();
        multiply();
        team.team_barrier();
      }
    };
    if constexpr (device) {
      block mine{};
      for_each_step([&] { add_products(mine, rank, ta, tb); });
      store(mine, rank, c, p.m - row0, p.n - column0);
    } else {
      block* all = static_cast<block*>(scratch.get_shmem_aligned(down * across * sizeof(block), 64));
      for (int i = 0; i < down * across; ++i) all[i] = {};
      for_each_step([&] {
        for (int i = 0; i < down * across; ++i) {
          block mine = all[i];
          add_products(mine, i, ta, tb);
          all[i] = mine;
        }
      });
      for (int i = 0; i < down * across; ++i) store(all[i], i, c, p.m - row0, p.n - column0);
    }
  }

  /// to[k ld + line] = from(line, k), and zeros beyond the matrix. Adjacent threads read along the smaller stride.
  template <int Lines, int Ld, class T>
  static KOKKOS_FUNCTION void load(int rank, S* to, const T* from, std::int64_t line_stride, std::int64_t k_stride,
                                   std::int64_t lines, std::int64_t steps) {
    const auto copy = [&](int line, int k) {
      to[k * Ld + line] = line < lines && k < steps ? convert<S>(from[line * line_stride + k * k_stride]) : S(0);
    };
    if (k_stride < line_stride) for_each_pair<Lines, depth>(rank, copy);
    else for_each_pair<depth, Lines>(rank, [&](int k, int line) { copy(line, k); });
  }

  template <int Outer, int Inner, class F>
  static KOKKOS_FUNCTION void for_each_pair(int rank, const F& f) {
    if constexpr (device) {
      for (int e = rank; e < Outer * Inner; e += threads) f(e / Inner, e % Inner);
    } else {
      for (int i = 0; i < Outer; ++i)
        for (int j = 0; j < Inner; ++j) f(i, j);
    }
  }

  static KOKKOS_FUNCTION void add_products(block& mine, int number, const S* ta, const S* tb) {
    ta += number / across * first_row;
    tb += number % across * first_column;
    for (int k = 0; k < depth; k += together)
      for (int i = 0; i < block_rows; ++i) {
        S left[together];
        for (int u = 0; u < together; ++u) left[u] = ta[(k + u) * a_ld + i * row_step];
        for (int j = 0; j < block_columns; ++j)
          for (int u = 0; u < together; ++u) add_product(mine.sum[i][j], left[u], tb[(k + u) * b_ld + j * column_step]);
      }
  }

  KOKKOS_FUNCTION void store(const block& mine, int number, C* c, std::int64_t rows_left,
                             std::int64_t columns_left) const {
    const int row0 = number / across * first_row, column0 = number % across * first_column;
    for (int i = 0; i < block_rows; ++i)
      for (int j = 0; j < block_columns; ++j) {
        const int row = row0 + i * row_step, column = column0 + j * column_step;
        if (row < rows_left && column < columns_left)
          p.result.store(c[row * p.c_stride[1] + column * p.c_stride[2]], mine.sum[i][j]);
      }
  }
};

/// c(o) = alpha sum_i a(o, i) b(o, i) + beta c(o): o runs through the elements of c, i through axes that it does not
/// have.
template <class Exec, class C, class A, class B>
struct contraction_kernel {
  using S = product_sum<C>;
  using policy = Kokkos::TeamPolicy<Exec>;
  using member = typename policy::member_type;

  C* c;
  const A* a;
  const B* b;
  row_nest<3> outer;  // strides of c, a and b
  row_nest<2> inner;  // strides of a and b
  product_result<C> result;
  int block = 1;  // adjacent elements of a work item

  std::int64_t outputs() const { return outer.inner * outer.outer; }
  KOKKOS_FUNCTION std::int64_t blocks() const { return (outer.inner + block - 1) / block; }
  KOKKOS_FUNCTION std::int64_t terms() const { return inner.inner * inner.outer; }

  /// One thread an element; on a host a block of them.
  KOKKOS_FUNCTION void operator()(std::int64_t item) const {
    std::int64_t first;
    if constexpr (is_device<Exec>) {
      const auto at = outer.at_item(item, outer.inner, 1, first);
      result.store(c[at.of[0]], sum(a + at.of[1], b + at.of[2]));
    } else {
      const auto at = outer.at_item(item, blocks(), block, first);
      const std::int64_t count = Kokkos::min<std::int64_t>(block, outer.inner - first);
      for (std::int64_t i = 0; i < count; ++i)
        result.store(c[at.of[0] + i * outer.stride[0][0]],
                     sum(a + at.of[1] + i * outer.stride[1][0], b + at.of[2] + i * outer.stride[2][0]));
    }
  }

  KOKKOS_FUNCTION S sum(const A* x, const B* y) const {
    S all(0);
    for (std::int64_t line = 0; line < inner.outer; ++line) {
      const auto start = inner.at(line, 0);
      all = wrapping_add(all, line_sum(x + start.of[0], y + start.of[1]));
    }
    return all;
  }

  KOKKOS_FUNCTION S line_sum(const A* x, const B* y) const {
    const std::int64_t length = inner.inner, sa = inner.stride[0][0], sb = inner.stride[1][0];
    S sum(0);
    std::int64_t k = 0;
    if constexpr (!is_device<Exec>) {
      constexpr int lanes = 64 / sizeof(S);
      if (sa == 1 && sb == 1 && length >= lanes) {
        S part[lanes] = {};
        for (; k + lanes <= length; k += lanes)
          for (int l = 0; l < lanes; ++l) add_product(part[l], convert<S>(x[k + l]), convert<S>(y[k + l]));
        for (int l = 0; l < lanes; ++l) sum = wrapping_add(sum, part[l]);
      }
    }
    for (; k < length; ++k) add_product(sum, convert<S>(x[k * sa]), convert<S>(y[k * sb]));
    return sum;
  }

  /// Adjacent threads, the lanes of one of the team, an element.
  KOKKOS_FUNCTION void operator()(const member& team) const {
    std::int64_t i = std::int64_t(team.league_rank()) * team.team_size() + team.team_rank();
    if (i >= outer.inner * outer.outer) return;
    const auto at = outer.at_item(i, outer.inner, 1, i);
    const A* x = a + at.of[1];
    const B* y = b + at.of[2];
    S sum(0);
    Kokkos::parallel_reduce(
        Kokkos::ThreadVectorRange(team, terms()),
        [&](std::int64_t k, S& s) {
          std::int64_t term;
          const auto from = inner.at_item(k, inner.inner, 1, term);
          add_product(s, convert<S>(x[from.of[0]]), convert<S>(y[from.of[1]]));
        },
        sum);
    Kokkos::single(Kokkos::PerThread(team), [&] { result.store(c[at.of[0]], sum); });
  }
};

/// Threads that share an element, where it has enough terms for all: several where they find its terms side by side and
/// adjacent elements do not, or where the elements are too few to occupy the device.
template <class Exec, class C, class A, class B>
int contraction_lanes(const Exec& exec, const contraction_kernel<Exec, C, A, B>& p) {
  if (!is_device<Exec>) return 1;
  const int lanes = std::min(contraction_kernel<Exec, C, A, B>::policy::vector_length_max(), 32);
  const auto together = [](std::int64_t a, std::int64_t b) { return (a == 0 || a == 1) && (b == 0 || b == 1); };
  const bool few = p.outputs() < exec.concurrency();
  const bool terms_together = together(p.inner.stride[0][0], p.inner.stride[1][0]);
  const bool elements_together = together(p.outer.stride[1][0], p.outer.stride[2][0]);
  return p.terms() >= lanes && (few || (terms_together && !elements_together)) ? lanes : 1;
}

template <class Exec, class C, class A, class B>
void contract(const Exec& exec, const std::string& label, contraction_kernel<Exec, C, A, B> p) {
  const int lanes = contraction_lanes(exec, p), team = linalg_tuning<Exec>::product_lanes / lanes;
  const std::int64_t league = (p.outputs() + team - 1) / team;
  if (lanes > 1 && league <= Kokkos::Experimental::finite_max_v<int>) {
    Kokkos::parallel_for(kernel_label(label, "/lanes"),
                         Kokkos::TeamPolicy<Exec>(exec, static_cast<int>(league), team, lanes), p);
  } else {
    if (!is_device<Exec>)
      p.block = static_cast<int>(std::clamp<std::int64_t>(p.outputs() / (4 * exec.concurrency()), 1, 32));
    Kokkos::parallel_for(kernel_label(label, "/elements"), index_range(exec, p.blocks() * p.outer.outer), p);
  }
}

/// A part of a row of C on a host, for items of which a tile would hold too little: the vector units work along the
/// row.
template <class C, class A, class B>
struct row_product {
  using S = product_sum<C>;
  static constexpr int width = linalg_tuning<Kokkos::DefaultHostExecutionSpace>::block_bytes / int(sizeof(S));
  matrix_product<C, A, B> p;
  std::int64_t parts;

  void operator()(std::int64_t work) const {
    const std::int64_t row = work / parts, item = row / p.m, i = row - item * p.m, j0 = (work - row * parts) * width;
    const int count = static_cast<int>(std::min<std::int64_t>(width, p.n - j0));
    const A* a = p.a + item * p.a_stride[0] + i * p.a_stride[1];
    const B* b = p.b + item * p.b_stride[0] + j0;
    C* c = p.c + item * p.c_stride[0] + i * p.c_stride[1] + j0 * p.c_stride[2];
    S sum[width] = {};
    for (std::int64_t k = 0; k < p.k; ++k) {
      const S left = convert<S>(a[k * p.a_stride[2]]);
      for (int j = 0; j < count; ++j) sum[j] += left * convert<S>(b[k * p.b_stride[1] + j]);
    }
    for (int j = 0; j < count; ++j) p.result.store(c[j * p.c_stride[2]], sum[j]);
  }
};

template <class Exec, class C, class A, class B>
void multiply_rows(const Exec& exec, const std::string& label, const matrix_product<C, A, B>& p) {
  using kernel = row_product<C, A, B>;
  const std::int64_t parts = (p.n + kernel::width - 1) / kernel::width;
  Kokkos::parallel_for(kernel_label(label, "/rows"), index_range(exec, p.batch * p.m * parts), kernel{p, parts});
}

template <class Exec, class C, class A, class B>
void multiply_tiles(const Exec& exec, const std::string& label, const matrix_product<C, A, B>& p) {
  using kernel = tiled_product<Exec, C, A, B>;
  const std::int64_t down = (p.m + kernel::rows - 1) / kernel::rows;
  const std::int64_t across = (p.n + kernel::columns - 1) / kernel::columns;
  if (p.batch * down * across > Kokkos::Experimental::finite_max_v<int>) throw Error(label, "out has too many tiles");
  typename kernel::policy policy(exec, static_cast<int>(p.batch * down * across), kernel::threads);
  Kokkos::parallel_for(kernel_label(label, "/tiles"),
                       policy.set_scratch_size(kernel::device ? 0 : 1,
                                               team_scratch<Exec>(label, kernel::threads, kernel::scratch_bytes())),
                       kernel{p, down, across});
}

template <class Exec, class C, class A, class B>
void multiply_elements(const Exec& exec, const std::string& label, const matrix_product<C, A, B>& p) {
  const auto &c = p.c_stride, &a = p.a_stride, &b = p.b_stride;
  const auto outer = make_loop_nest<3>({p.batch, p.m, p.n}, {{{c[0], c[1], c[2]}, {a[0], a[1], 0}, {b[0], 0, b[2]}}});
  const auto inner = make_loop_nest<2>({p.k}, {{{a[2]}, {b[1]}}});
  contract(exec, label,
           contraction_kernel<Exec, C, A, B>{p.c, p.a, p.b, row_nest<3>(outer), row_nest<2>(inner), p.result});
}

/// A matrix with its axes exchanged.
template <class T>
strided<T> exchanged(const strided<T>& s) {
  return {s.data, {s.extents.extent[1], s.extents.extent[0]}, {s.stride[1], s.stride[0]}};
}
/// A matrix whose columns are contiguous in memory, as what it is.
template <class T>
std::optional<column_major<T>> as_columns(const strided<T>& s) {
  const std::int64_t m = s.extents.extent[0], n = s.extents.extent[1];
  if ((s.stride[0] != 1 && m > 1) || (s.stride[1] < m && n > 1)) return std::nullopt;
  return column_major<T>{s.data, m, n, n > 1 ? s.stride[1] : std::max<std::int64_t>(m, 1)};
}

/// A matrix as a BLAS takes it, where one of its axes has stride 1 and the other steps over whole lines of it.
template <class T>
std::optional<blas::operand<T>> as_blas(T* data, std::int64_t rows, std::int64_t columns,
                                        const Kokkos::Array<std::int64_t, 3>& stride) {
  const strided<T> matrix{data, {rows, columns}, {stride[1], stride[2]}};
  if (const auto c = as_columns(matrix)) return blas::operand<T>{data, blas::form::as_is, c->ld, stride[0]};
  if (const auto c = as_columns(exchanged(matrix)))
    return blas::operand<T>{data, blas::form::transposed, c->ld, stride[0]};
  return std::nullopt;
}

/// Leaves the product to a BLAS where it takes it.
template <class Exec, class T>
bool multiply_by_blas(const Exec& exec, const matrix_product<T, T, T>& p) {
  const std::int64_t largest = std::max({p.batch, p.m, p.n, p.k, p.c_stride[1], p.c_stride[2], p.a_stride[1],
                                         p.a_stride[2], p.b_stride[1], p.b_stride[2]});
  const auto c = as_blas(p.c, p.m, p.n, p.c_stride);
  const auto a = as_blas(p.a, p.m, p.k, p.a_stride);
  const auto b = as_blas(p.b, p.k, p.n, p.b_stride);
  if (!a || !b || !c || p.k == 0 || largest > Kokkos::Experimental::finite_max_v<int>) return false;
  if (c->transposed()) return multiply_by_blas(exec, p.transposed());
  blas::gemm(exec, p.batch, p.m, p.n, p.k, p.result.alpha, *a, *b, p.result.beta, *c);
  return true;
}

/// Elements of a product of small matrices.
template <class Exec, class C, class A, class B>
void multiply_small(const Exec& exec, const std::string& label, const matrix_product<C, A, B>& p) {
  if constexpr (!is_device<Exec>) {
    if (p.n >= 4 && p.b_stride[2] == 1) return multiply_rows(exec, label, p);
    if (p.m >= 4 && p.a_stride[1] == 1) return multiply_rows(exec, label, p.transposed());
    if (short_rows_product<C, A, B>::takes(p)) return multiply_short_rows(exec, label, p);
  } else {
    if (takes_blocks(exec, p)) return multiply_blocks(exec, label, p);
  }
  multiply_elements(exec, label, p);
}

/// Whether a BLAS takes the product faster than the kernels here do: not items that take less time than its call.
template <class Exec, class C, class A, class B>
bool blas_is_faster(const Exec& exec, const matrix_product<C, A, B>& p) {
  if (!blas::available<Exec>()) return false;
  const int threads = is_device<Exec> ? 1 : exec.concurrency();  // of a host, which would wait for small items
  const std::int64_t least =
      p.batch > 1 ? threads * linalg_tuning<Exec>::blas_batched_work : linalg_tuning<Exec>::blas_work;
  return p.m * p.n * p.k >= least;
}

/// Multiplies in the way that is the fastest for the shape.
template <class Exec, class C, class A, class B>
void multiply(const Exec& exec, const std::string& label, const matrix_product<C, A, B>& p) {
  using kernel = tiled_product<Exec, C, A, B>;
  if (p.batch * p.m * p.n == 0) return;
  if constexpr (blas::takes<Exec, C, A, B>) {
    if (blas_is_faster(exec, p) && multiply_by_blas(exec, p)) return;
  }
  const auto rounded = [](std::int64_t n, std::int64_t tile) { return (n + tile - 1) / tile * tile; };
  if (4 * p.m * p.n <= rounded(p.m, kernel::rows) * rounded(p.n, kernel::columns)) multiply_small(exec, label, p);
  else multiply_tiles(exec, label, p);
}

/// C = alpha A B + beta C for matrices of any strides, or for batches of them. Of a batch, A or B may be one matrix.
template <class Exec, class C, class A, class B>
void multiply_matrices(const Exec& exec, const std::string& label, const strided<C>& c, const strided<const A>& a,
                       const strided<const B>& b, const product_result<C>& result = {}) {
  const int rank = c.extents.rank;
  const std::int64_t batch = rank == 3 ? c.extents.extent[0] : 1;
  const std::int64_t m = c.extents.extent[rank - 2], n = c.extents.extent[rank - 1];
  const std::int64_t k = a.extents.extent[a.extents.rank - 1];
  const auto strides = [&](const auto& s) {
    const int r = s.extents.rank;
    const bool repeated = r == 2 || (s.extents.extent[0] == 1 && batch != 1);
    return Kokkos::Array<std::int64_t, 3>{repeated ? 0 : s.stride[0], s.stride[r - 2], s.stride[r - 1]};
  };
  const matrix_product<C, A, B> p{c.data, a.data, b.data, batch, m, n, k, strides(c), strides(a), strides(b), result};
  multiply(exec, label, p);
}

}  // namespace quern::impl

#endif
