// SPDX-FileCopyrightText: the Quern authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef TESTS_DISTRIBUTED_OWN_BLOCKS_HPP
#define TESTS_DISTRIBUTED_OWN_BLOCKS_HPP

/// @file
/// Views of a program's own blocks with ghosts around them, and what one device makes of the whole array.

#include <distributed/world.hpp>
#include <quern/distributed/halo_exchange.hpp>

namespace test {

using quern::boundaries, quern::boundary, quern::Decomposition, quern::shape;

/// Blocks that no grid of ranks makes: of two ranks and more, the first has all columns of the first rows, and the
/// others share the rest by columns.
inline Decomposition::Block uneven_block(int rank, int ranks, std::int64_t rows, std::int64_t columns) {
  if (ranks == 1) return {{0, 0}, {rows, columns}};
  if (rank == 0) return {{0, 0}, {3, columns}};
  const std::int64_t first = (rank - 1) * columns / (ranks - 1), end = rank * columns / (ranks - 1);
  return {{3, first}, {rows - 3, end - first}};
}

/// A View of an array with `stored` ghosts around, as the whole has it, and the position of its elements there.
struct padded {
  Decomposition::Block block;
  int stored;
  std::int64_t rows() const { return block.extents.extent[0] + 2 * stored; }
  std::int64_t columns() const { return block.extents.extent[1] + 2 * stored; }
  std::int64_t at(std::int64_t row, std::int64_t column) const {
    return (row - block.first.extent[0] + stored) * columns() + column - block.first.extent[1] + stored;
  }
  bool owns(std::int64_t row, std::int64_t column) const { return ghosts(row, column) == 0; }
  /// Along how many axes an element is a ghost.
  int ghosts(std::int64_t row, std::int64_t column) const {
    const auto outside = [&](int d, std::int64_t i) {
      return i < block.first.extent[d] || i >= block.first.extent[d] + block.extents.extent[d] ? 1 : 0;
    };
    return outside(0, row) + outside(1, column);
  }
  bool within(int layers, std::int64_t row, std::int64_t column) const {
    Decomposition::Block b = block;
    for (int d = 0; d < 2; ++d) {
      b.first.extent[d] -= layers;
      b.extents.extent[d] += 2 * layers;
    }
    return padded{b, 0}.owns(row, column);
  }
  template <class F>
  void for_each(const F& f) const {
    for (std::int64_t j = -stored; j < block.extents.extent[0] + stored; ++j)
      for (std::int64_t i = -stored; i < block.extents.extent[1] + stored; ++i)
        f(block.first.extent[0] + j, block.first.extent[1] + i);
  }
  template <class T>
  std::vector<T> values(T x) const {
    return std::vector<T>(rows() * columns(), x);
  }
};

using on_faces = std::array<int, 2>;  // 1 along axes where a field has its values on faces
/// With one more along some axes.
inline Decomposition::Block values_of(Decomposition::Block b, const on_faces& more) {
  for (int d = 0; d < 2; ++d) b.extents.extent[d] += more[d];
  return b;
}

/// Whether a block is the owner of an element of the whole array: one of its cells, of which a face between two blocks
/// is the block's behind it, or a ghost beyond an end that it touches and that is kept.
inline bool brings(const Decomposition::Block& own, const shape& whole, const boundaries& edge, const on_faces& more,
                   const std::array<std::int64_t, 2>& at) {
  const auto is_own = [&](int d) {
    const std::int64_t first = own.first.extent[d], end = first + own.extents.extent[d], n = whole.extent[d] + more[d];
    const bool is_last = end == whole.extent[d];
    if (at[d] < 0) return first == 0 && edge.axis(d).low.kind() == boundary::mode::keep;
    if (at[d] >= n) return is_last && edge.axis(d).high.kind() == boundary::mode::keep;
    return at[d] >= first && (at[d] < end || is_last);
  };
  return own.extents.size() > 0 && is_own(0) && is_own(1);
}

/// What each element of a View of this rank's block and its ghosts must be, where the whole array is filled on one
/// device.
template <class T, class E, class... F>
std::vector<T> own_part(const std::vector<T>& values, const shape& whole, const Decomposition::Block& own,
                        const boundaries& edge, int stored, int layers, const std::vector<T>& before,
                        const on_faces& more = {}, const F&... f) {
  const padded all{values_of({{0, 0}, whole}, more), stored}, mine{values_of(own, more), stored};
  auto filled = all.values(T(77));
  std::size_t k = 0;
  all.for_each([&](auto j, auto i) {
    if (all.owns(j, i)) filled[all.at(j, i)] = values[k++];
  });
  const auto u = make_array<T, 2, Kokkos::LayoutRight, E>({all.rows(), all.columns()}, filled);
  quern::fill_halo(E(), u, f..., edge, quern::depth{stored}, quern::layers{layers},
                   quern::grid_cells{whole.extent[0], whole.extent[1]});
  filled = contents(u);
  std::vector<T> result = before;
  mine.for_each([&](auto j, auto i) {
    if (mine.within(layers, j, i)) result[mine.at(j, i)] = filled[all.at(j, i)];
  });
  return result;
}

template <class T, class Layout, class E>
struct own_field {
  std::vector<T> values, before;
  decltype(make_array<T, 2, Layout, E>({0, 0})) view;

  own_field(const shape& whole, const Decomposition::Block& own, int stored, int seed, const on_faces& more = {}) {
    const auto all = values_of({{0, 0}, whole}, more);
    const padded mine{values_of(own, more), stored};
    values = samples<T>(all.extents.size(), seed);
    before = mine.values(T(55));
    mine.for_each([&](auto j, auto i) {
      // The face between two blocks comes from the one behind it.
      const auto owned = [&](int d, std::int64_t k) {
        const std::int64_t end = own.first.extent[d] + own.extents.extent[d];
        return k < end || end == whole.extent[d];
      };
      if (mine.owns(j, i) && owned(0, j) && owned(1, i)) before[mine.at(j, i)] = values[j * all.extents.extent[1] + i];
    });
    view = make_array<T, 2, Layout, E>({mine.rows(), mine.columns()}, before);
  }
};

/// Deposits of all ranks in their Views, each with ghosts, and what the whole array has of them in the end.
template <class T, class Layout, class E>
struct deposits {
  padded all, mine;
  on_faces more;
  int layers;
  bool faces_only;
  shape cells;
  boundaries edge;
  std::vector<T> before;
  decltype(make_array<T, 2, Layout, E>({0, 0})) view;
  std::vector<T> whole;

  deposits(const shape& n, const boundaries& e, int stored, int l, bool faces, int seed, const on_faces& m = {})
      : all{values_of({{0, 0}, n}, m), stored},
        more(m),
        layers(l),
        faces_only(faces),
        cells(n),
        edge(e),
        whole(all.values(T(0))) {
    const auto comm = world();
    for (int r = 0; r < comm.size(); ++r) {
      const padded p{values_of(uneven_block(r, comm.size(), cells.extent[0], cells.extent[1]), more), stored};
      const auto values = samples<T>(p.rows() * p.columns(), 10 * seed + r);
      p.for_each([&](auto j, auto i) {
        if (moves(p, j, i)) whole[all.at(j, i)] += values[p.at(j, i)];
      });
      if (r != comm.rank()) continue;
      mine = p;
      before = values;
      view = make_array<T, 2, Layout, E>({p.rows(), p.columns()}, values);
    }
    const auto u = make_array<T, 2, Kokkos::LayoutRight, E>({all.rows(), all.columns()}, whole);
    const quern::grid_cells grid{cells.extent[0], cells.extent[1]};
    if (faces) quern::add_halo(E(), u, edge, quern::depth{stored}, quern::layers{l}, grid, quern::faces_only);
    else quern::add_halo(E(), u, edge, quern::depth{stored}, quern::layers{l}, grid);
    whole = contents(u);
  }
  bool moves(const padded& p, std::int64_t j, std::int64_t i) const {
    return p.within(layers, j, i) && !(faces_only && p.ghosts(j, i) > 1);
  }
  void check(const std::string& what) const {
    const auto comm = world();
    const auto found = contents(view);
    std::vector<T> expected = before;
    const auto own = uneven_block(comm.rank(), comm.size(), cells.extent[0], cells.extent[1]);
    mine.for_each([&](auto j, auto i) {
      if (moves(mine, j, i))
        expected[mine.at(j, i)] = brings(own, cells, edge, more, {j, i}) ? whole[all.at(j, i)] : T(0);
    });
    EXPECT_EQ(expected, found) << what;
  }
};

/// Views of a block and its ghosts, of which those that other blocks own are yet to come, and what must be there then.
template <class E>
struct kept_ghosts {
  using array = decltype(make_array<double, 2, Kokkos::LayoutRight, E>({0, 0}));
  array view;
  std::vector<double> expected;
  kept_ghosts(const Decomposition::Block& own, const shape& whole, const boundaries& edge, int stored, int layers,
              const on_faces& more = {}) {
    const padded all{values_of({{0, 0}, whole}, more), stored}, mine{values_of(own, more), stored};
    const auto values = samples<double>(all.rows() * all.columns(), 1);
    const array u = make_array<double, 2, Kokkos::LayoutRight, E>({all.rows(), all.columns()}, values);
    quern::fill_halo(E(), u, edge, quern::depth{stored}, quern::layers{layers},
                     quern::grid_cells{whole.extent[0], whole.extent[1]});
    const auto filled = contents(u);
    auto before = mine.values(55.0);
    expected = before;
    mine.for_each([&](auto j, auto i) {
      if (brings(own, whole, edge, more, {j, i})) before[mine.at(j, i)] = values[all.at(j, i)];
      expected[mine.at(j, i)] = mine.within(layers, j, i) ? filled[all.at(j, i)] : before[mine.at(j, i)];
    });
    view = make_array<double, 2, Kokkos::LayoutRight, E>({mine.rows(), mine.columns()}, before);
  }
};

}  // namespace test

#endif
