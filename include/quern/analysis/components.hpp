// SPDX-FileCopyrightText: the Quern authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef QUERN_ANALYSIS_COMPONENTS_HPP
#define QUERN_ANALYSIS_COMPONENTS_HPP

/// @file
/// The connected components of a graph, and the trees in which operations find them: by union and find without locks,
/// each vertex below one with a smaller number (J. Jaiganesh and M. Burtscher, A high-performance connected components
/// implementation for GPUs, HPDC 2018, section 3).

#include <quern/core/call/call.hpp>
#include <quern/core/launch/index_range.hpp>
#include <quern/keyed/compact.hpp>
#include <quern/keyed/histogram.hpp>
#include <quern/scan/segments.hpp>

namespace quern {
namespace impl {

/// Trees of vertices: each has the number of one above it, which is smaller, and a root has its own. Once roots are
/// numbered, the k-th has -2 - k. Vertices of no tree have -1. Threads read and write at the same time: what one reads
/// may be late, and is still an ancestor.
template <class Index>
struct component_trees {
  static constexpr Index none = -1;
  Index* above;

  KOKKOS_FUNCTION Index at(std::int64_t i) const { return peek(above + i); }
  KOKKOS_FUNCTION void set(std::int64_t i, Index to) const {
    KOKKOS_IF_ON_DEVICE((above[i] = to;))
    KOKKOS_IF_ON_HOST((*static_cast<volatile Index*>(above + i) = to;))
  }
  /// The root of the tree of a vertex. Halves the path to it: `shorten(i, to)`.
  template <class Shorten>
  KOKKOS_FUNCTION Index root_of(Index i, const Shorten& shorten) const {
    Index next = at(i);
    while (next != i) {
      const Index second = at(next);
      if (second != next) shorten(i, second);
      i = next;
      next = second;
    }
    return i;
  }
  KOKKOS_FUNCTION Index root_of(Index i) const {
    return root_of(i, [this](Index v, Index to) { set(v, to); });
  }
  /// Puts a vertex right below its root, where no trees are joined meanwhile: of two threads that shorten a path, the
  /// one that has come closer to the root, whose number is the smallest, must not lose.
  KOKKOS_FUNCTION void flatten(Index i) const {
    const Index root = root_of(i, [this](Index v, Index to) { Kokkos::atomic_min(above + v, to); });
    if (root != i) Kokkos::atomic_min(above + i, root);
  }
  /// Makes one of the trees of two vertices.
  KOKKOS_FUNCTION void unite(Index a, Index b) const {
    a = root_of(a);
    b = root_of(b);
    while (a != b) {
      const Index low = a < b ? a : b, high = a < b ? b : a;
      const Index found = Kokkos::atomic_compare_exchange(above + high, high, low);
      if (found == high) return;
      a = root_of(found);
      b = root_of(low);
    }
  }
};

template <class Index>
struct is_root {
  const Index* above;
  KOKKOS_FUNCTION bool operator()(std::int64_t i) const { return above[i] == i; }
};
template <class Index>
struct put_root_number {
  Index* above;
  KOKKOS_FUNCTION void operator()(std::int64_t i, std::int64_t k) const { above[i] = static_cast<Index>(-2 - k); }
};
/// Puts each vertex right below its root: paths get long where vertices are joined in descending order.
template <class Index>
struct flatten_tree {
  component_trees<Index> trees;
  KOKKOS_FUNCTION void operator()(std::int64_t i) const {
    if (trees.at(i) >= 0) trees.flatten(static_cast<Index>(i));
  }
};
/// The number of the tree of a vertex that is right below its root, from what is above it: `first` is that of the first
/// tree, the one before it that of vertices of none.
template <class Index>
struct number_of_tree {
  const Index* above;
  std::int64_t first;
  KOKKOS_FUNCTION std::int64_t operator()(Index next) const {
    if (next >= 0) next = above[next];
    return first - 2 - next;
  }
};
/// Numbers the trees, whose vertices are right below the roots, in the order of these.
template <class Exec, class Index>
void number_trees(const std::string& label, const Exec& exec, const component_trees<Index>& trees, std::int64_t n,
                  std::int64_t* number) {
  for_selected(label_text(label, "/number"), exec, n, is_root<Index>{trees.above}, put_root_number<Index>{trees.above},
               number);
}
template <class Exec, class Index>
void flatten_and_number(const std::string& label, const Exec& exec, const component_trees<Index>& trees, std::int64_t n,
                        std::int64_t* number) {
  Kokkos::parallel_for(kernel_label(label, "/flatten"), index_range(exec, n), flatten_tree<Index>{trees});
  number_trees(label, exec, trees, n, number);
}

/// Calls f(Index()) with the type of the numbers of n vertices.
template <class F>
void with_vertex_type(std::int64_t n, const F& f) {
  if (n < Kokkos::Experimental::finite_max_v<std::int32_t>) f(std::int32_t());
  else f(std::int64_t());
}

template <class Index>
struct plant_tree {
  component_trees<Index> trees;
  KOKKOS_FUNCTION void operator()(std::int64_t i) const { trees.above[i] = static_cast<Index>(i); }
};
template <class Index, class From, class To>
struct unite_ends {
  component_trees<Index> trees;
  source_line<From> from;
  source_line<To> to;
  std::int64_t vertices;
  KOKKOS_FUNCTION void operator()(std::int64_t k) const {
    const auto a = static_cast<std::int64_t>(from[k]), b = static_cast<std::int64_t>(to[k]);
    if (a >= 0 && a < vertices && b >= 0 && b < vertices) trees.unite(static_cast<Index>(a), static_cast<Index>(b));
  }
};

template <class Exec, class Out, class From, class To>
void components_into(const call<Exec>& c, const Out& out, const From& from_view, const To& to_view, bool checked,
                     std::int64_t* number) {
  const auto components = c.output(out);
  const auto from = c.elements(from_view);
  const auto to = c.elements(to_view);
  const shape edges = operand_extents(c.label, from_view);
  if (edges.rank != 1) reject_extents(c.label, "from", edges, "rank 1");
  check_extents(c.label, "to", operand_extents(c.label, to_view), edges, ", as from");
  if (components.extents.rank != 1) reject_extents(c.label, "components", components.extents, "rank 1");
  const std::int64_t vertices = components.extents.extent[0];
  check_positions<value_of<Out>>(c.label, "components", vertices);
  check_overlap(c.label, components, from, "from", false);
  check_overlap(c.label, components, to, "to", false);
  if (checked) {
    check_keys(c.exec, c.label, from_view, range_bin{{vertices, 0}});
    check_keys(c.exec, c.label, to_view, range_bin{{vertices, 0}});
  }
  with_vertex_type(vertices, [&]<class Index>(Index) {
    const scratch_array<Exec, Index> memory(c.exec, vertices);
    const component_trees<Index> trees{memory.data()};
    Kokkos::parallel_for(kernel_label(c.label, "/vertices"), index_range(c.exec, vertices), plant_tree<Index>{trees});
    with_sources(
        [&](const auto& a, const auto& b) {
          using first = std::remove_const_t<decltype(a.data)>;
          using second = std::remove_const_t<decltype(b.data)>;
          Kokkos::parallel_for(kernel_label(c.label, "/edges"), index_range(c.exec, edges.extent[0]),
                               unite_ends<Index, first, second>{trees, source_line(a), source_line(b), vertices});
        },
        from, to);
    flatten_and_number(c.label, c.exec, trees, vertices, number);
    map_checked(c.label, c.exec, out, number_of_tree<Index>{trees.above, 0},
                scratch_view<Exec, Index*>(trees.above, vertices));
  });
}

}  // namespace impl

/// The connected components of an undirected graph from a list of its edges, as
/// `scipy.sparse.csgraph.connected_components`.
///
/// `n = connected_components([exec,] components, from, to)` or `connected_components([exec,] components, from, to,
/// size_to{n})`:
/// - components: of rank 1 and an integer type, with an element for each vertex: the number of its component. They are
///   numbered from 0 in the order of their first vertices, so that the result does not depend on the order of the edges
/// - from, to: of rank 1 and integers, the two ends of each edge, which may occur several times and in both directions
///
/// Waits, and returns the number of components; with `size_to` it does not. Scratch memory is 4 bytes for each vertex,
/// 8 from 2^31 - 1 on, and that of `compact`.
///
/// @throws Error if extents do not fit, or the type of `components` does not hold the numbers; KeyRangeError if an end
///         is no vertex and the call waits. With `size_to`, such edges are left out
template <execution_space Exec, view_like Components, array_like From, array_like To, size_option... Size>
auto connected_components(const Exec& exec, const Components& components, const From& from, const To& to,
                          const Size&... size) {
  static_assert(impl::is_integer<impl::value_of<From>> && impl::is_integer<impl::value_of<To>>,
                "quern::connected_components: from and to must be of integers");
  impl::call c("quern::connected_components", exec);
  return impl::run_counted(
      c, std::tie(components),
      [&](std::int64_t* number) { impl::components_into(c, components, from, to, sizeof...(Size) == 0, number); },
      size...);
}
template <view_like Components, array_like From, array_like To, size_option... Size>
auto connected_components(const Components& components, const From& from, const To& to, const Size&... size) {
  return connected_components(impl::space_of(components), components, from, to, size...);
}
QUERN_TAKES_NAME_NOT(place, connected_components)

}  // namespace quern

#endif
