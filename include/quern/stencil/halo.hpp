// SPDX-FileCopyrightText: the Quern authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef QUERN_STENCIL_HALO_HPP
#define QUERN_STENCIL_HALO_HPP

#include <array>
#include <memory>
#include <quern/core/call/call.hpp>
#include <quern/core/values/short_list.hpp>
#include <quern/stencil/halo_launch.hpp>
#include <utility>
#include <vector>

/// @file
/// Ghost cells of arrays that store them.

namespace quern {

/// The ghost layers that arrays store at both ends of every axis: `depth{2}`, or a number for each axis, `depth{2, 0}`.
struct depth : impl::axis_counts {
  using option_of = impl::any_place;
  using axis_counts::axis_counts;
};

/// The part of the stored ghost layers that a call is for, those next to the cells: `layers{1}`, or a number for each
/// axis. Default: all.
struct layers : impl::axis_counts {
  using option_of = impl::any_place;
  using axis_counts::axis_counts;
  explicit layers(const impl::axis_counts& numbers) : axis_counts(numbers) {}
};

/// Asks for the ghost cells across faces alone, without those across edges and corners.
struct faces_only_t {
  using option_of = impl::any_place;
};
inline constexpr faces_only_t faces_only{};

/// The cells of a grid along each axis, without ghosts: `grid_cells{ny, nx}`. A field with one more has its values on
/// the faces between them. Default: those of the smallest field of the call.
struct grid_cells : impl::axis_counts {
  using option_of = impl::any_place;
  using axis_counts::axis_counts;
};

/// Boundaries of their own for each field: `each_field{edges_of_u, edges_of_v}`.
struct each_field {
  std::shared_ptr<const std::vector<boundaries>> of;  // which calls do not copy
  each_field(std::initializer_list<boundaries> edges) : each_field(std::vector(edges)) {}
  explicit each_field(std::vector<boundaries> edges)
      : of(std::make_shared<const std::vector<boundaries>>(std::move(edges))) {}
};

/// The boundaries of the fields of a call: those of all, as of a stencil, or `each_field{...}`.
class field_boundaries {
 public:
  field_boundaries(const boundary& all) : all_(all) {}    // NOLINT(google-explicit-constructor)
  field_boundaries(const boundaries& all) : all_(all) {}  // NOLINT(google-explicit-constructor)
  field_boundaries(std::initializer_list<boundary_pair> all) : all_(all) {}
  field_boundaries(const each_field& each) : each_(each.of) {}  // NOLINT(google-explicit-constructor)

  /// Those of field number i.
  const boundaries& operator[](std::size_t i) const { return each_ ? (*each_)[i] : all_; }
  /// The number of fields that have their own, or 1 where all have the same.
  std::size_t count() const { return each_ ? each_->size() : 1; }
  bool for_each_field() const { return each_ != nullptr; }
  /// @throws Error if there are boundaries for each of another number of fields
  void check_count(const std::string& operation, std::size_t fields) const {
    if (each_ && each_->size() != fields)
      throw Error(operation, "each_field has boundaries for " + std::to_string(each_->size()) + ", and there " +
                                 (fields == 1 ? "is 1 field" : "are " + std::to_string(fields) + " fields"));
  }

 private:
  boundaries all_{boundary::keep};
  std::shared_ptr<const std::vector<boundaries>> each_;  // null where all fields have the same
};

/// Views of one type, whose number is known when the program runs: a `std::vector`, `std::span` or `std::array` of
/// them.
template <class T>
concept view_list = !view_like<T> && view_like<typename std::remove_cvref_t<T>::value_type> &&
                    requires(const T& v) { v.begin(), v.end(), v.size(); };

/// One array, several, `outputs(u, v)`, or a list of Views.
template <class T>
concept fields_like = view_like<T> || impl::is_outputs<T> || view_list<T>;

/// An option of the calls below. A depth is none, so that one with a functor is not taken for one without.
template <class T>
concept halo_option = !std::same_as<T, depth> && option<T, layers, faces_only_t, grid_cells>;

namespace impl {

template <view_list First, class... Rest>
struct first_execution_space<First, Rest...> {
  using type = typename view_traits<typename First::value_type>::execution_space;
};

/// The constant that ghosts of values T get beyond an end, if it has one.
/// @throws Error if the boundary is not one of such values
template <class T>
T ghost_constant(const std::string& label, const boundary& edge) {
  const bool odd = edge.kind() == boundary::mode::odd_reflect || edge.kind() == boundary::mode::odd_mirror;
  if (odd && !has_minus<T>) throw Error(label, "an odd boundary of values that have no sign");
  return edge.kind() == boundary::mode::constant ? edge.value_for<T>(label) : T{};
}

/// The fields of a call on their way to lists for kernels: their memory, checked, and what they have in common.
template <class Exec>
class halo_call {
 public:
  template <class... Options>
  halo_call(const std::string& label, const Exec& exec, bool prescribes, const field_boundaries& edges,
            const depth& stored, const Options&... options)
      : call_(label, exec),
        prescribes_(prescribes),
        edges_(edges),
        stored_(stored),
        layers_(find_option<layers>(options...)),
        cells_(find_option<grid_cells>(options...)) {}

  /// Calls `launch(list...)` with lists of all fields, or several times where they are too many for one kernel.
  template <class Out, class Launch>
  void run(const Out& out, const Launch& launch) const {
    if constexpr (view_list<Out>) run_list(out, launch);
    else unpack([&](const auto&... v) { run_views(launch, memory_of(v)...); }, as_outputs(out));
  }

 private:
  template <class V>
  auto memory_of(const V& v) const {
    static_assert(known_rank<V>() >= 1,
                  "quern: fields with ghost cells must have a rank of 1 or more, known when "
                  "compiling");
    call_.input(v);  // whose cells are read, so that they must be up to date
    return field_memory<std::max(known_rank<V>(), 1), first_axis_is_fastest<V>, value_of<V>>{call_.output(v)};
  }
  template <int Rank, bool Reversed, class T>
  struct field_memory {
    using field_type = halo_field<T, Rank, Reversed>;
    strided<T> array;
  };
  template <class V>
  static constexpr bool first_axis_is_fastest =
      requires { requires std::is_same_v<typename typical<V>::array_layout, Kokkos::LayoutLeft>; };

  static constexpr int bytes_of_kernel = 3850;  // arguments of kernels have at most 4 KB
  /// How many fields a kernel carries.
  template <class Field>
  static constexpr int capacity = std::clamp<int>(bytes_of_kernel / sizeof(Field), 1, 16);
  /// The number of the first list behind those that a kernel carries from number `Begin` on.
  template <std::size_t Begin, class... List>
  static constexpr std::size_t end_of_kernel(const std::tuple<List...>*) {
    constexpr std::array<std::size_t, sizeof...(List)> bytes{sizeof(List)...};
    std::size_t end = Begin + 1;
    for (std::size_t sum = bytes[Begin]; end < bytes.size() && (sum += bytes[end]) <= bytes_of_kernel;) ++end;
    return end;
  }
  template <std::size_t Begin, class Launch, class Lists>
  static void launch_from(const Launch& launch, const Lists& lists) {
    constexpr std::size_t end = end_of_kernel<Begin>(static_cast<const Lists*>(nullptr));
    [&]<std::size_t... I>(std::index_sequence<I...>) {
      launch(std::get<Begin + I>(lists)...);
    }(std::make_index_sequence<end - Begin>());
    if constexpr (end < std::tuple_size_v<Lists>) launch_from<end>(launch, lists);
  }

  template <class Launch, class First, class... Rest>
  void run_views(const Launch& launch, const First& first, const Rest&... rest) const {
    static_assert(((First::field_type::rank == Rest::field_type::rank) && ...),
                  "quern: fields with ghost cells must have the same rank");
    const array_bytes bytes[] = {array_bytes(first.array), array_bytes(rest.array)...};
    const halo_grid grid = grid_of(bytes);
    if constexpr ((std::is_same_v<First, Rest> && ...)) {
      const First all[] = {first, rest...};
      run_batches<std::min<int>(1 + sizeof...(Rest), capacity<typename First::field_type>)>(
          launch, grid, std::span<const First>(all));
    } else {
      int number = 0;
      const auto list_of = [&]<class Memory>(const Memory& memory) {
        return halo_list<typename Memory::field_type, 1>{{field_of(memory, grid, number++)}, 1};
      };
      const std::tuple lists{list_of(first), list_of(rest)...};
      launch_from<0>(launch, lists);
    }
  }
  template <class Out, class Launch>
  void run_list(const Out& out, const Launch& launch) const {
    using memory_type = decltype(memory_of(*out.begin()));
    short_list<memory_type, 16> memory;
    short_list<array_bytes, 16> bytes;
    for (const auto& v : out) {
      memory.push_back(memory_of(v));
      bytes.push_back(memory[memory.size() - 1].array);
    }
    run_batches<capacity<typename memory_type::field_type>>(
        launch, grid_of({bytes.begin(), bytes.size()}), std::span<const memory_type>(memory.begin(), memory.size()));
  }
  template <int Capacity, class Launch, class Memory>
  void run_batches(const Launch& launch, const halo_grid& grid, std::span<const Memory> memory) const {
    using field_type = typename Memory::field_type;
    std::vector<halo_list<field_type, Capacity>> full;  // all are checked before the first is launched
    halo_list<field_type, Capacity> list;
    for (std::size_t i = 0; i < memory.size(); ++i) {
      if (list.count == Capacity) full.push_back(std::exchange(list, {}));
      list.field[list.count++] = field_of(memory[i], grid, static_cast<int>(i));
    }
    for (const auto& l : full) launch(l);
    launch(list);
  }

  halo_grid grid_of(std::span<const array_bytes> fields) const {
    edges_.check_count(call_.label, fields.size());
    return halo_grid_of(call_.label, fields, stored_, layers_, cells_);
  }
  template <int Rank, bool Reversed, class T>
  halo_field<T, Rank, Reversed> field_of(const field_memory<Rank, Reversed, T>& memory, const halo_grid& grid,
                                         int number) const {
    halo_field<T, Rank, Reversed> field;
    const boundaries& edge = edges_[number];
    field.data = memory.array.data;
    field.number = number;
    for (int d = 0; d < Rank; ++d) {
      const int a = field.in_memory(d);
      halo_axis& axis = field.axis[a] = halo_axis_of(call_.label, memory.array, grid, d, edge);
      field.data += axis.stored * axis.stride;
      if (memory.array.extents.size() == 0) axis.cells = axis.layers = 0;
      for (const int side : {0, 1}) {
        const boundary& b = side == 0 ? edge.axis(d).low : edge.axis(d).high;
        if (b.kind() == boundary::mode::prescribed && !prescribes_) reject_prescribed(call_.label);
        field.value[a][side] = ghost_constant<T>(call_.label, b);
      }
    }
    return field;
  }

  const call<Exec> call_;
  const bool prescribes_;  // `boundary::prescribed` may be among the boundaries
  const field_boundaries& edges_;
  const depth& stored_;
  const layers* layers_;
  const grid_cells* cells_;
};

template <class Exec, class Out, class F, class... Options>
void fill_halo_call(const Exec& exec, const Out& out, const F& f, const field_boundaries& edges, const depth& stored,
                    const Options&... options) {
  const std::string& label = label_text("quern::fill_halo");
  const halo_call<Exec> c(label, exec, !std::is_same_v<F, no_functor>, edges, stored, options...);
  const fill_ghosts<F> pass{f, !has_option<faces_only_t, Options...>};
  c.run(out, [&](const auto&... list) { launch_halo(exec, label, pass, list...); });
}

}  // namespace impl

/// Fills the ghost cells that arrays store around their own cells: extents are those of the cells and two times the
/// depth.
///
/// @code
/// const quern::boundaries edges{quern::boundary::wrap, quern::boundary::odd_reflect};
/// quern::fill_halo(exec, quern::outputs(u, v), edges, quern::depth{2});
/// @endcode
///
/// @param out    one View, several, `quern::outputs(u, v)`, or a list of Views of one type, `std::vector` or
///               `std::span`, of which an empty one is nothing to do
/// @param edges  the boundaries of all fields, as of a stencil, or of each field,
///               `quern::each_field{edges_of_u, edges_of_v}`
/// @param stored the ghost layers at both ends of each axis, which may be none
///
/// Options: `layers{1}` fills a part of the layers, those next to the cells; `faces_only` leaves the ghosts across
/// edges and corners as they are; `grid_cells{ny, nx}` are the cells of a grid, see below.
///
/// Beyond an axis of cells `a b c d` are what the table of `quern::boundary` says. `reflect` is even and `odd_reflect`
/// odd about the face of the last cell; `mirror` and `odd_mirror` are so about the last cell itself, which is not
/// written: an odd function is zero there. Axes are continued one by one, so that a corner is what it would be if the
/// ghosts along the first axis were filled, then those along the second in all rows, and so on. Where an axis has fewer
/// cells than layers, what lies beyond its other end goes on. Ghosts at an end with `boundary::keep` are left as they
/// are, and others in corners with them are their copies, as where an exchange of messages has written them; so are
/// those at the other end that would be copies of cells which an axis with no more cells than layers has not: beyond
/// `x y | a b |` with the ghosts `x y` kept, `mirror` gives `a y`, and `reflect` of three layers `b a y`.
///
/// On a staggered grid, fields may have one cell more along some axes than others: their values are on the faces. Each
/// is continued about its own last cell or its face: for `reflect` of the cells, fields on faces need `mirror`.
/// `wrap` has the period of the grid, so that the last face is the first one: both are computed by whoever computes the
/// field, and ghosts are copies of what follows from there. The cells of the grid are those of the smallest field of
/// the call, or `grid_cells`.
///
/// One kernel for all sides and all fields of a call, of which it carries 16 of double precision and three axes. On
/// devices adjacent threads fill contiguous cells. Asynchronous on `exec`; allocates nothing where one kernel
/// carries all fields and their boundaries are made before.
/// @throws Error if a View has no cell between its ghosts, more layers are to be filled than are stored, numbers of
/// cells differ by more than one, Views share memory, or there are boundaries for another number of axes or fields
template <execution_space Exec, fields_like Out, halo_option... Options>
void fill_halo(const Exec& exec, const Out& out, const field_boundaries& edges, const depth& stored,
               const Options&... options) {
  impl::fill_halo_call(exec, out, impl::no_functor(), edges, stored, options...);
}
/// The same, with a functor for the ends that have `boundary::prescribed`, as an inflow: `f(at)` or, for several
/// fields, `f(at, field)`, of the ghost's indices in the View, a `Kokkos::Array<std::int64_t, rank>`, and the number of
/// the field in the call. In corners that a later axis continues, it is called with the indices of the ghost that is
/// continued.
template <execution_space Exec, fields_like Out, class F, halo_option... Options>
void fill_halo(const Exec& exec, const Out& out, const F& f, const field_boundaries& edges, const depth& stored,
               const Options&... options) {
  const impl::label_scope functor("quern::fill_halo", typeid(F));
  impl::fill_halo_call(exec, out, f, edges, stored, options...);
}
template <fields_like Out, halo_option... Options>
void fill_halo(const Out& out, const field_boundaries& edges, const depth& stored, const Options&... options) {
  fill_halo(impl::space_of(out), out, edges, stored, options...);
}
template <fields_like Out, class F, halo_option... Options>
void fill_halo(const Out& out, const F& f, const field_boundaries& edges, const depth& stored,
               const Options&... options) {
  fill_halo(impl::space_of(out), out, f, edges, stored, options...);
}
QUERN_REJECTS(place, fill_halo)
QUERN_TAKES_NAME(fill_halo)

/// The way back from `fill_halo`: adds each ghost to the cell that it is a copy of, with the sign of odd boundaries,
/// and sets the ghosts to zero. So are collected what particles near the border have deposited in ghosts, and forces of
/// half lists of neighbours.
///
/// It is the transpose of `fill_halo` with the same arguments. Ghosts that are no copies, as of constants, are added to
/// nothing and set to zero. Those at an end with `boundary::keep` stay, and those in corners with them are added to
/// them: an exchange of messages may bring them to their owner.
///
/// The sums are formed for each cell by itself, in the same order in each run. One kernel adds, and one sets ghosts to
/// zero. Asynchronous on `exec`; allocates nothing, as `fill_halo`.
/// @throws Error as `fill_halo`
template <execution_space Exec, fields_like Out, halo_option... Options>
void add_halo(const Exec& exec, const Out& out, const field_boundaries& edges, const depth& stored,
              const Options&... options) {
  const std::string& label = impl::label_text("quern::add_halo");
  constexpr bool faces = impl::has_option<faces_only_t, Options...>;
  const impl::halo_call<Exec> c(label, exec, true, edges, stored, options...);
  c.run(out, [&](const auto&... list) {
    impl::launch_halo(exec, label, impl::add_ghosts{faces}, list...);
    impl::launch_halo(exec, impl::label_text(label, "/clear"), impl::clear_ghosts{!faces}, list...);
  });
}
template <fields_like Out, halo_option... Options>
void add_halo(const Out& out, const field_boundaries& edges, const depth& stored, const Options&... options) {
  add_halo(impl::space_of(out), out, edges, stored, options...);
}
QUERN_REJECTS(place, add_halo)
QUERN_TAKES_NAME(add_halo)

}  // namespace quern

#endif
