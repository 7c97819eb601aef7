// SPDX-FileCopyrightText: the Quern authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef QUERN_DISTRIBUTED_OWN_BLOCKS_HPP
#define QUERN_DISTRIBUTED_OWN_BLOCKS_HPP

#include <quern/distributed/halo_sums.hpp>
#include <quern/stencil/halo_fields.hpp>
#include <span>
#include <utility>
#include <vector>

namespace quern::impl {

/// The View that a field is, or those of a list are.
template <class Field>
struct field_view {
  using type = Field;
};
template <view_list List>
struct field_view<List> {
  using type = typename List::value_type;
};
template <class Field>
using view_of_field = typename field_view<Field>::type;

/// DualViews, or a list of them: an exchange may end long after the call that starts it.
template <class Field>
inline constexpr bool of_dual_views = dual_view<view_of_field<Field>>;

/// What an exchange of own blocks takes at once: Views, or one list of them.
template <class... Field>
concept exchanged_fields = sizeof...(Field) > 0 && sizeof...(Field) <= fields_of_kernel &&
                           ((view_like<Field> || (view_list<Field> && sizeof...(Field) == 1)) && ...) &&
                           !(of_dual_views<Field> || ...);

/// What a start has before its fields: a functor for the ends that have `boundary::prescribed`.
template <class F, class... Field>
concept functor_and_fields = !view_like<F> && !view_list<F> && !placed<F> && exchanged_fields<Field...>;
template <class... Args>
inline constexpr bool has_functor_and_fields = false;
template <class F, class... Field>
inline constexpr bool has_functor_and_fields<F, Field...> = functor_and_fields<F, Field...>;

/// Fields that no start takes; `reject_fields` says why.
template <class... Args>
concept rejected_fields =
    sizeof...(Args) > 0 && !exchanged_fields<Args...> && !has_functor_and_fields<Args...> && !named_call<Args...>;

/// Stops the compiler with what is wrong with the arguments of a start or of a way back.
template <class... Args>
constexpr void reject_fields() {
  constexpr bool dual = (of_dual_views<Args> || ...), blocks = (placed<Args> || ...), rows = (is_rows<Args> || ...);
  constexpr bool lists = (view_list<Args> || ...);
  constexpr int views = (0 + ... + (view_like<Args> ? 1 : 0));
  static_assert(!dual, "quern::HaloExchange: of a DualView, start takes one side, view_device() or view_host()");
  static_assert(dual || !blocks,
                "quern::HaloExchange: start takes Views of the program's own blocks; an exchange of DistributedViews "
                "has them from its construction");
  static_assert(dual || blocks || !rows,
                "quern::HaloExchange: start takes Views; rows of one are none, give the View itself");
  static_assert(dual || blocks || rows || !lists,
                "quern::HaloExchange: start takes Views, or one list of Views alone; put all into the list, or start "
                "an exchange for each");
  static_assert(dual || blocks || rows || lists || views <= fields_of_kernel,
                "quern::HaloExchange: start takes at most 16 Views; more come as a list of Views of one type");
  static_assert(dual || blocks || rows || lists || views > fields_of_kernel,
                "quern::HaloExchange: start takes Views of the program's own blocks, one list of them, or a functor "
                "and these");
}

/// A field while it is exchanged: a View, or a list of Views without memory of its own.
template <class Field>
using held_field = std::conditional_t<view_list<Field>, short_list<view_of_field<Field>, fields_of_kernel>, Field>;
template <class Field>
held_field<Field> hold_field(const Field& field) {
  if constexpr (view_list<Field>) return {field.begin(), field.end()};
  else return field;
}

/// Says the name of a value type, which is made where calls are compared.
using type_name = std::string (*)();

/// Whether a plan of messages for one array serves another.
bool same_layout(const peer_box& a, const peer_box& b);

/// The blocks into which a program has cut its arrays, and what goes between them: which boxes of cells this rank sends
/// to others and receives from them, and the boundaries that it has at the ends of the whole array.
struct own_blocks {
  Communicator comm;
  Decomposition::Block own, whole{};
  depth stored;
  layers filled;
  bool faces_only;
  field_boundaries whole_edge;  // of the whole array
  field_boundaries edge;        // the same, and `boundary::keep` where a neighbour is
  bool has_edges = false;       // whether one of them is another
  grid_cells own_cells{0};      // of the block

  /// Collective.
  own_blocks(const Communicator& c, const Decomposition::Block& block, const field_boundaries& edges,
             const depth& stored_layers, const layers& filled_layers, bool faces);

  /// @throws Error unless fields have the extents of the block with its ghosts, or one more on faces
  void check(const std::string& label, std::span<const peer_box> fields) const;
  /// Where calls are checked, compares one with those of the other ranks: its name and its fields, whose extents are
  /// those of each rank's block. Collective.
  /// @param types of the values of each field
  void compare(const std::string& call, std::span<const peer_box> fields, std::span<const type_name> types) const;
  /// @throws Error if boundaries of a field are not those of values T, the same on ranks that are at no end
  /// @param prescribed there is a functor for `boundary::prescribed`
  template <class T>
  void check_values(const std::string& label, std::size_t field, bool prescribed) const {
    const boundaries& edges = whole_edge[field];
    for (int d = 0; d < edges.count(); ++d)
      for (const boundary* b : {&edges.axis(d).low, &edges.axis(d).high}) {
        if (!prescribed && b->kind() == boundary::mode::prescribed) reject_prescribed(label);
        ghost_constant<T>(label, *b);
      }
  }
  /// The cells of fields that go between this rank and others.
  struct cells_between {
    std::vector<peer_cells> of_own, of_ghosts;  // cells of this rank that others have as ghosts, and the other way
  };
  cells_between cells_of(std::span<const peer_box> fields) const;
  /// The same as boxes of memory.
  std::vector<peer_box> boxes(std::span<const peer_box> fields, const std::vector<peer_cells>& cells) const;
  /// What is added to cells of this rank from boxes that were received.
  summed_table sums(std::span<const peer_box> fields, const std::vector<peer_cells>& cells,
                    std::span<const std::byte* const> packed, bool row_item) const;
  /// Along which axes the values of a field are on the faces between cells, as one more than these.
  using on_faces = std::array<bool, max_rank>;
  on_faces faces_of(const peer_box& field) const;
  /// `edge` of `count` fields from `first` on.
  field_boundaries edge_of(std::size_t first, std::size_t count) const;

 private:
  /// The extents of a field.
  shape with_ghosts(const on_faces& faces) const;
  /// Checks the boundaries of a field, and leaves those at ends that the block touches.
  boundaries own_edges(const boundaries& edges);
  /// The boxes that a block receives: all around what it owns, or those across each of its faces.
  std::vector<Decomposition::Block> values_received(const Decomposition::Block& block, const on_faces& faces) const;
  void add_cells(int field, const boundaries& edges, const on_faces& faces, cells_between& between) const;

  std::vector<Decomposition::Block> blocks_;
};

/// A functor of a ghost's indices in the whole array, given those in the View of a block, for some fields of a call.
template <class F, int Rank>
struct prescribed_in_whole {
  using fields = std::uint32_t;  // a bit for each
  static constexpr std::size_t max_fields = 32;

  F f;
  int first_field;
  /// What indices in the block's View lack to those in the whole array's, and where the cells of that begin.
  Kokkos::Array<std::int64_t, Rank> moved, first;
  Kokkos::Array<std::int64_t, Rank> cells;
  Kokkos::Array<fields, Rank> on_faces{}, wraps{}, low{}, high{};  // the latter are prescribed ends

  prescribed_in_whole(const F& functor, const own_blocks& b, std::span<const peer_box> of, std::size_t first_of = 0)
      : f(functor), first_field(static_cast<int>(first_of)) {
    for (int d = 0; d < Rank; ++d) {
      moved[d] = b.own.first.extent[d] - b.whole.first.extent[d];
      first[d] = b.stored.along(d);
      cells[d] = b.whole.extents.extent[d];
    }
    for (std::size_t i = 0; i < of.size(); ++i) {
      const auto faces = b.faces_of(of[i]);
      for (int d = 0; d < Rank; ++d) {
        const boundary_pair& edge = b.whole_edge[first_of + i].axis(d);
        const auto mark = [&](fields& marks, bool is_so) { marks |= static_cast<fields>(is_so) << i; };
        mark(on_faces[d], faces[d]);
        mark(wraps[d], edge.low.kind() == boundary::mode::wrap);
        mark(low[d], edge.low.kind() == boundary::mode::prescribed);
        mark(high[d], edge.high.kind() == boundary::mode::prescribed);
      }
    }
  }

  template <class Index>
    requires(std::invocable<const F&, const Index&> || std::invocable<const F&, const Index&, int>)
  KOKKOS_FUNCTION auto operator()(const Index& at, int field) const {
    if constexpr (std::invocable<const F&, const Index&, int>) return f(in_whole(at, field), first_field + field);
    else return f(in_whole(at, field));
  }

 private:
  /// Axes compose one by one, from the last: until one has the end that is prescribed, ghosts along those that wrap are
  /// copies of what is beside cells, and those at ends that are kept stay. Ghosts at other ends are continued already.
  template <class Index>
  KOKKOS_FUNCTION Index in_whole(Index at, int field) const {
    const auto is_marked = [&](fields marks) { return (marks >> field & 1) != 0; };
    for (int d = 0; d < Rank; ++d) at[d] += moved[d];
    for (int d = Rank - 1; d >= 0; --d) {
      const std::int64_t values = cells[d] + (is_marked(on_faces[d]) ? 1 : 0);
      std::int64_t cell = at[d] - first[d];
      if (is_marked(cell < 0 ? low[d] : high[d]) && (cell < 0 || cell >= values)) break;
      if (!is_marked(wraps[d])) continue;
      // The last face is no ghost, although it is the first one, too.
      while (cell < 0) cell += cells[d];
      while (cell >= values) cell -= cells[d];
      at[d] = first[d] + cell;
    }
    return at;
  }
};

}  // namespace quern::impl

#endif
