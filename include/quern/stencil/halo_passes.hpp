// SPDX-FileCopyrightText: the Quern authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef QUERN_STENCIL_HALO_PASSES_HPP
#define QUERN_STENCIL_HALO_PASSES_HPP

#include <algorithm>
#include <quern/core/launch/ivdep.hpp>
#include <quern/core/launch/pack.hpp>
#include <quern/stencil/halo_fields.hpp>

/// @file
/// What passes over ghost layers do with a cell, and on hosts with a run of cells along an axis, all between its ends.

namespace quern::impl {

/// No functor of `boundary::prescribed`.
struct no_functor {};

/// Numbers without a sign, and bool, have a minus in C++ that is no opposite.
template <class T>
inline constexpr bool has_minus = !std::is_unsigned_v<T> && requires(const T& x) { static_cast<T>(-x); };
template <class T>
KOKKOS_FUNCTION T with_sign(const T& x, bool odd) {
  if constexpr (has_minus<T>) return odd ? static_cast<T>(-x) : x;
  else return x;
}

/// Where the value of a ghost comes from: a cell, or what is beyond an end that has none.
template <int Rank>
struct ghost_source {
  Kokkos::Array<std::int64_t, Rank> at;
  int axis = -1, side = 0;  // of the end
  bool odd = false;
};
/// A View's later axes decide, as if they were filled after the others. Ghosts that are kept are read as they are.
template <class Field>
KOKKOS_FORCEINLINE_FUNCTION ghost_source<Field::rank> source_of(const Field& field,
                                                                const typename Field::index& ghost) {
  ghost_source<Field::rank> from{ghost};
  for (int d = Field::rank - 1; d >= 0; --d) {
    const int a = field.in_memory(d);
    const halo_axis& axis = field.axis[a];
    if (axis.find(from.at[a], from.odd) || axis.end_at(from.at[a]).mode == boundary::mode::keep) continue;
    from.axis = a;
    from.side = from.at[a] < 0 ? 0 : 1;
    return from;
  }
  return from;
}

/// The cells at the ends of a row, one by one.
template <class Pass, class Field>
void pass_over_row_ends(const Pass& pass, const Field& field, typename Field::index at) {
  constexpr int last = Field::rank - 1;
  for (std::int64_t k = 0; k < field.axis[last].ends(); ++k) {
    at[last] = field.axis[last].end_cell(k);
    pass.cell(field, at);
  }
}

/// Fills ghosts.
template <class F>
struct fill_ghosts {
  F f;
  bool corners;
  static void cover(halo_axis& axis) { axis.cover_ghosts(); }

  template <class Field>
  KOKKOS_FUNCTION void cell(const Field& field, const typename Field::index& ghost) const {
    auto* const to = field.at(ghost);
    const auto from = source_of(field, ghost);
    if (from.axis < 0) {
      const auto* const source = field.at(from.at);
      if (source != to) *to = with_sign(*source, from.odd);
    } else {
      *to = with_sign(beyond(field, from, from.at), from.odd);
    }
  }
  template <class Field>
  void run(const Field& field, const typename Field::index& first, int along, std::int64_t n) const {
    auto* const to = field.at(first);
    const auto from = source_of(field, first);
    const std::int64_t stride = field.axis[along].stride;
    if (from.axis >= 0) {
      auto at = from.at;
      for (std::int64_t k = 0; k < n; ++k, ++at[along]) to[k * stride] = with_sign(beyond(field, from, at), from.odd);
    } else if (const auto* const source = field.at(from.at); source != to) {
      copy(to, source, stride, n, from.odd);
    }
  }
  /// The ends of a row, which are often copied from one row.
  template <class Field>
  void row_ends(const Field& field, typename Field::index at) const {
    constexpr int last = Field::rank - 1;
    const halo_axis& axis = field.axis[last];
    at[last] = 0;
    const auto from = source_of(field, at);
    if (from.axis >= 0) return pass_over_row_ends(*this, field, at);
    auto* const to = field.at(at);
    const auto* const source = field.at(from.at);
    for (std::int64_t k = 0; k < axis.ends(); ++k) {
      std::int64_t i = at[last] = axis.end_cell(k);
      bool odd = from.odd;
      if (axis.find(i, odd)) to[at[last] * axis.stride] = with_sign(source[i * axis.stride], odd);
      else cell(field, at);
    }
  }

 private:
  /// A constant, or what the functor says.
  template <class Field>
  KOKKOS_FUNCTION typename Field::value_type beyond(const Field& field, const ghost_source<Field::rank>& from,
                                                    const typename Field::index& at) const {
    using T = typename Field::value_type;
    if constexpr (!std::is_same_v<F, no_functor>) {
      if (field.axis[from.axis].end[from.side].mode == boundary::mode::prescribed) {
        if constexpr (requires { f(field.in_view(at), 0); }) return convert<T>(f(field.in_view(at), field.number));
        else return convert<T>(f(field.in_view(at)));
      }
    }
    return field.value[from.axis][from.side];
  }
  template <class T>
  static void copy(T* to, const T* from, std::int64_t stride, std::int64_t n, bool odd) {
    if (stride == 1 && !odd) {
      std::copy_n(from, n, to);
    } else if (stride == 1) {
      QUERN_IMPL_IVDEP
      for (std::int64_t k = 0; k < n; ++k) to[k] = with_sign(from[k], true);
    } else if (!odd) {
      QUERN_IMPL_IVDEP
      for (std::int64_t k = 0; k < n; ++k) to[k * stride] = from[k * stride];
    } else {
      QUERN_IMPL_IVDEP
      for (std::int64_t k = 0; k < n; ++k) to[k * stride] = with_sign(from[k * stride], true);
    }
  }
};

template <class T>
inline constexpr bool has_sum = requires(const T& x) { static_cast<T>(x + x); };

/// Adds to each cell the ghosts that are copies of it, in an order of their own.
struct add_ghosts {
  bool faces_only;
  static constexpr bool corners = true;  // cells near two faces are owners of ghosts at both
  static void cover(halo_axis& axis) { axis.cover_owners(); }

  template <class Field>
  KOKKOS_FUNCTION void cell(const Field& field, const typename Field::index& owner) const {
    add_to<false>(field, owner, 0, 1);
  }
  template <class Field>
  void run(const Field& field, const typename Field::index& first, int along, std::int64_t n) const {
    add_to<false>(field, first, along, n);
  }
  template <class Field>
  void row_ends(const Field& field, typename Field::index at) const {
    at[Field::rank - 1] = 0;
    add_to<true>(field, at, 0, 1);
  }

 private:
  static constexpr int any_axis = -1, no_axis = -2;

  template <bool RowEnds, class Field>
  KOKKOS_FUNCTION void add_to(const Field& field, const typename Field::index& owner, int along, std::int64_t n) const {
    const int from = faces_only ? axis_of_faces(field, owner) : any_axis;
    if (from != no_axis) images<0, RowEnds>(field, owner, owner, from, false, 0, along, n);
  }
  /// The axis along which the ghosts across faces lie whose owner this is: any of a cell, and of a ghost that is kept
  /// its own one.
  template <class Field>
  KOKKOS_FUNCTION static int axis_of_faces(const Field& field, const typename Field::index& at) {
    int axis = any_axis;
    for (int a = 0; a < Field::rank; ++a)
      if (field.axis[a].is_ghost(at[a])) axis = axis == any_axis ? a : no_axis;
    return axis;
  }
  /// Whether a ghost is a copy of what is at another index of its axis, which becomes `i`.
  KOKKOS_FUNCTION static bool find_owner(const halo_axis& axis, std::int64_t& i, bool& odd) {
    const std::int64_t ghost = i;
    const bool of_cell = axis.find(i, odd) || axis.end_at(i).mode == boundary::mode::keep;
    return of_cell && i != ghost;
  }
  KOKKOS_FUNCTION static std::int64_t ghost_at(const halo_axis& axis, int k) {
    return k < axis.layers ? -1 - k : axis.cells + k - axis.layers;
  }
  /// Goes through the ghosts of the View's axes from D on, or along one of them, whose sources are the owner's indices.
  /// Of the ends of a row, the fastest axis is left for last.
  template <int D, bool RowEnds, class Field>
  KOKKOS_FUNCTION void images(const Field& field, const typename Field::index& owner, typename Field::index at,
                              int from, bool odd, int axes, int along, std::int64_t n) const {
    if constexpr (D == Field::rank) {
      if constexpr (RowEnds) add_row_ends(field.axis[Field::rank - 1], field.at(owner), field.at(at), from, odd, axes);
      else if (axes > 0) add(field.at(owner), field.at(at), field.axis[along].stride, n, odd);
    } else {
      constexpr int a = Field::in_memory(D);
      images<D + 1, RowEnds>(field, owner, at, from, odd, axes, along, n);
      if constexpr (RowEnds && a == Field::rank - 1) return;
      const halo_axis& axis = field.axis[a];
      const std::int64_t own = owner[a];
      if ((own >= axis.low && own < axis.cells - axis.high) || (faces_only && axes > 0)) return;
      if (from != any_axis && from != a) return;
      for (int k = 0; k < 2 * axis.layers; ++k) {
        std::int64_t source = at[a] = ghost_at(axis, k);
        bool ghost_odd = odd;
        if (!find_owner(axis, source, ghost_odd) || source != own) continue;
        images<D + 1, RowEnds>(field, owner, at, from, ghost_odd, axes + 1, along, n);
      }
    }
  }
  /// The cells at the ends of a row: what is beside them in a row that is its image, and the ghosts of that.
  template <class T>
  KOKKOS_FUNCTION void add_row_ends(const halo_axis& axis, T* to, const T* image, int from, bool odd, int axes) const {
    for (std::int64_t k = 0; k < axis.ends() && axes > 0; ++k)
      if (const std::int64_t i = axis.end_cell(k); !faces_only || !axis.is_ghost(i))
        add(to + i * axis.stride, image + i * axis.stride, 0, 1, odd);
    if (faces_only && (axes > 0 || from != any_axis)) return;
    for (int k = 0; k < 2 * axis.layers; ++k) {
      const std::int64_t ghost = ghost_at(axis, k);
      std::int64_t i = ghost;
      bool ghost_odd = odd;
      if (find_owner(axis, i, ghost_odd)) add(to + i * axis.stride, image + ghost * axis.stride, 0, 1, ghost_odd);
    }
  }
  template <class T>
  KOKKOS_FUNCTION static void add(T* to, const T* ghost, std::int64_t stride, std::int64_t n, bool odd) {
    static_assert(has_sum<T>, "quern::add_halo: the values of a field have no sum");
    if constexpr (has_sum<T>)
      for (std::int64_t k = 0; k < n; ++k)
        to[k * stride] = static_cast<T>(to[k * stride] + with_sign(ghost[k * stride], odd));
  }
};

/// Sets ghosts to zero, except those that are kept.
struct clear_ghosts {
  bool corners;
  static void cover(halo_axis& axis) { axis.cover_ghosts(); }

  template <class Field>
  KOKKOS_FUNCTION void cell(const Field& field, const typename Field::index& ghost) const {
    if (cleared(field, ghost)) *field.at(ghost) = typename Field::value_type{};
  }
  template <class Field>
  void run(const Field& field, const typename Field::index& first, int along, std::int64_t n) const {
    if (!cleared(field, first)) return;
    auto* const to = field.at(first);
    const std::int64_t stride = field.axis[along].stride;
    for (std::int64_t k = 0; k < n; ++k) to[k * stride] = typename Field::value_type{};
  }
  template <class Field>
  void row_ends(const Field& field, const typename Field::index& at) const {
    pass_over_row_ends(*this, field, at);
  }

 private:
  template <class Field>
  KOKKOS_FUNCTION static bool cleared(const Field& field, const typename Field::index& at) {
    bool clear = false;
    for (int a = 0; a < Field::rank; ++a) {
      const halo_axis& axis = field.axis[a];
      clear = clear || (axis.is_ghost(at[a]) && axis.end_at(at[a]).mode != boundary::mode::keep);
    }
    return clear;
  }
};

}  // namespace quern::impl

#endif
