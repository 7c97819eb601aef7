// SPDX-FileCopyrightText: the Quern authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef QUERN_MAP_TRANSPOSING_HPP
#define QUERN_MAP_TRANSPOSING_HPP

#include <algorithm>
#include <bit>
#include <cstdlib>
#include <quern/core/call/label.hpp>
#include <quern/core/launch/pack.hpp>
#include <quern/core/launch/team_scratch.hpp>
#include <quern/core/values/values.hpp>
#include <quern/map/tuning.hpp>

namespace quern::impl {

/// The operands of a nest that are read in tiles, the output being operand 0: those whose elements are in sectors of
/// memory of their own along axis 0, and are contiguous along another, which becomes axis 1 of the nest.
template <int N>
struct tiled_operands {
  bool tiled[N] = {};
  int bytes = 0;  // of an element of each

  /// `size[k]` is that of an element of operand k, 0 where it is no array. Axes shorter than `least` are not worth it.
  tiled_operands(loop_nest<N>& nest, const std::size_t (&size)[N], int least) {
    const auto distance = [&](int k, int d) { return std::abs(nest.stride[k][d]) * std::int64_t(size[k]); };
    const auto lies_along = [&](int k, int d) {
      constexpr std::int64_t sector = 32;
      return distance(k, 0) > sector && distance(k, d) > 0 && distance(k, d) < sector;
    };
    int axis = 0;
    for (int k = 1; k < N; ++k)
      for (int d = 1; d < nest.rank && axis == 0; ++d)
        if (lies_along(k, d) && std::min(nest.extent[0], nest.extent[d]) >= least) axis = d;
    if (axis == 0) return;
    for (int k = 1; k < N; ++k)
      if (lies_along(k, axis)) {
        tiled[k] = true;
        bytes += static_cast<int>(size[k]);
      }
    std::swap(nest.extent[1], nest.extent[axis]);
    for (auto& stride : nest.stride) std::swap(stride[1], stride[axis]);
  }
};

/// The bytes of an element of an array operand; 0 where there is nothing to read, and of rows, which come whole.
template <class Operand>
inline constexpr std::size_t element_bytes = 0;
template <class T>
inline constexpr std::size_t element_bytes<array_operand<T>> = is_row_memory<T> ? 0 : sizeof(T);

/// out(i) = f(in(i)...) on a device, where elements contiguous in out are far apart in some of the inputs. Of these a
/// team reads a square tile along the axis on which they are contiguous, and keeps it in its scratch memory, from which
/// each thread takes the elements that are contiguous in out.
template <int Side, class Exec, class F, class T, class... In>
struct transposing_kernel {
  using tune = map_tuning<Exec>;
  using policy = Kokkos::TeamPolicy<Exec, Kokkos::LaunchBounds<tune::tile_team>>;
  static constexpr int operands = 1 + sizeof...(In);
  static constexpr int rows = tune::tile_team / Side;  // which a team takes at a time
  static constexpr int at_once = [] {                  // of them, which it loads before it waits
    constexpr int bytes = std::max<int>(1, (0 + ... + int(element_bytes<In>)));
    return std::min(Side / rows,
                    std::max(4, static_cast<int>(std::bit_floor(tune::tile_bytes_of_thread / unsigned(bytes)))));
  }();
  static constexpr int pitch = Side + 1;  // so that a column of a tile does not fall into one bank
  static constexpr int alignment = 16;    // of tiles
  using nest_type = row_nest<operands>;
  using offsets = typename nest_type::offsets;

  F f;
  array_operand<T> out;
  operand_tuple<In...> in;
  nest_type nest;  // its axis 1 is the one along which tiled inputs are contiguous
  tiled_operands<operands> which;
  std::int64_t tiles[2] = {};  // along axes 0 and 1

  /// The tile of a team: where its operands begin, the elements within the arrays, and the first one of a thread.
  struct tile {
    offsets first;
    int extent[2];
    bool whole;
    int column, row;
    std::byte* scratch;
    /// How many rows from row r on have this thread's column along that axis; not above 0 of none.
    KOKKOS_FUNCTION int rows_from(int r, int axis) const { return column < extent[axis] ? extent[1 - axis] - r : 0; }
  };

  template <class Member>
  KOKKOS_FUNCTION void operator()(const Member& team) const {
    std::int64_t i, j;
    const std::int64_t outer = nest.divide(nest.divide(team.league_rank(), tiles[0], i), tiles[1], j);
    i *= Side;
    j *= Side;
    const int wide = static_cast<int>(Kokkos::min<std::int64_t>(Side, nest.inner - i)),
              high = static_cast<int>(Kokkos::min<std::int64_t>(Side, nest.extent[1] - j));
    const tile t{
        first_of(outer, i, j),        {wide, high},
        wide == Side && high == Side, team.team_rank() % Side,
        team.team_rank() / Side,      static_cast<std::byte*>(team.team_shmem().get_shmem_aligned(bytes(), alignment))};
    const auto compute = [&]<std::size_t... I>(std::index_sequence<I...>) {
      (keep_tile<I>(t), ...);
      team.team_barrier();
      for (int r = t.row; r < Side; r += at_once * rows) store(t, r, fetch<I>(t, r)...);
    };
    compute(std::index_sequence_for<In...>());
  }

  /// Where the operands are at indices i and j of the first two axes, and a number of all others.
  KOKKOS_FUNCTION offsets first_of(std::int64_t outer, std::int64_t i, std::int64_t j) const {
    offsets o;
    for (int k = 0; k < operands; ++k) o.of[k] = i * nest.stride[k][0] + j * nest.stride[k][1];
    for (int d = 2; d < nest.rank; ++d) {
      std::int64_t index = outer;
      if (d + 1 < nest.rank) outer = nest.divide(outer, nest.extent[d], index);
      for (int k = 0; k < operands; ++k) o.of[k] += index * nest.stride[k][d];
    }
    return o;
  }

  static constexpr int elements = Side * pitch;
  KOKKOS_FUNCTION int bytes() const { return elements * which.bytes + operands * alignment; }
  /// The tile of input I: the tiles of those before it come first.
  template <std::size_t I>
  KOKKOS_FUNCTION auto* tile_of(std::byte* scratch) const {
    constexpr std::size_t size[] = {element_bytes<In>...};
    for (int k = 0; k < static_cast<int>(I); ++k)
      if (which.tiled[k + 1]) scratch += (elements * size[k] + alignment - 1) / alignment * alignment;
    return reinterpret_cast<typename std::tuple_element_t<I, std::tuple<In...>>::value_type*>(scratch);
  }
  static constexpr int arrays = (0 + ... + (element_bytes<In> > 0 ? 1 : 0));
  /// A single array is.
  template <std::size_t I>
  KOKKOS_FORCEINLINE_FUNCTION bool is_tiled() const {
    constexpr bool is_array = element_bytes<std::remove_cvref_t<decltype(get<I>(in))>> > 0;
    return is_array && (arrays == 1 || which.tiled[I + 1]);
  }
  template <std::size_t I>
  KOKKOS_FUNCTION void keep_tile(const tile& t) const {
    if (!is_tiled<I>()) return;
    auto* const to = tile_of<I>(t.scratch) + t.column * pitch;
    for (int r = t.row; r < Side; r += at_once * rows) {
      const auto v = load<I>(t, r, 1);
      for (int u = 0; u < at_once; ++u) to[r + u * rows] = v.at[u];
    }
  }
  /// Elements of rows r, r + rows ... of input I, where columns are contiguous along this axis.
  template <std::size_t I>
  KOKKOS_FUNCTION auto load(const tile& t, int r, int axis) const {
    const auto& array = get<I>(in);
    const std::int64_t stride = nest.stride[I + 1][axis], down = nest.stride[I + 1][1 - axis];
    std::int64_t at = t.first.of[I + 1] + t.column * stride + r * down;
    packs_of<std::remove_cvref_t<decltype(array.load(0))>, at_once> v;
    constexpr bool anywhere = std::is_base_of_v<memoryless_operand, std::remove_cvref_t<decltype(array)>>;
    if (anywhere || t.whole)
      for (int u = 0; u < at_once; ++u, at += rows * down) v.at[u] = array.load(at);
    else
      for (int u = 0; u < at_once && u * rows < t.rows_from(r, axis); ++u, at += rows * down) v.at[u] = array.load(at);
    return v;
  }
  template <std::size_t I>
  KOKKOS_FUNCTION auto fetch(const tile& t, int r) const {
    if (!is_tiled<I>()) return load<I>(t, r, 0);
    const auto* const from = tile_of<I>(t.scratch) + t.column;
    decltype(load<I>(t, r, 0)) v;
    for (int u = 0; u < at_once; ++u) v.at[u] = from[(r + u * rows) * pitch];
    return v;
  }
  template <class... V>
  KOKKOS_FUNCTION void store(const tile& t, int r, const V&... v) const {
    const std::int64_t step = rows * nest.stride[0][1];
    T* to = out.data + t.first.of[0] + t.column * nest.stride[0][0] + r * nest.stride[0][1];
    if (t.whole)
      for (int u = 0; u < at_once; ++u, to += step) *to = convert<T>(f(v.at[u]...));
    else
      for (int u = 0; u < at_once && u * rows < t.rows_from(r, 0); ++u, to += step) *to = convert<T>(f(v.at[u]...));
  }

  static bool fits(int bytes_of_elements) {
    return elements * bytes_of_elements + (operands + 1) * alignment <= team_scratch_room<Exec>(tune::tile_team);
  }
  /// Divides the arrays into tiles, one for each team, and returns their number.
  std::int64_t divide() {
    for (int d = 0; d < 2; ++d) tiles[d] = (nest.extent[d] + Side - 1) / Side;
    return tiles[0] * tiles[1] * (nest.outer / nest.extent[1]);
  }
  void launch(const Exec& exec, const std::string& label) {
    policy p(exec, static_cast<int>(divide()), tune::tile_team);
    p.set_scratch_size(0, Kokkos::PerTeam(bytes() + alignment));
    Kokkos::parallel_for(kernel_label(label), p, *this);
  }
};

/// The map of those operands in tiles, as large as the teams' memory allows. False where nothing lies transposed, or
/// more than fits.
template <class Exec, class F, class T, std::size_t... I, class... In>
bool map_by_tiles(const Exec& exec, const std::string& label, const F& f, const array_operand<T>& out,
                  const operand_leaves<std::index_sequence<I...>, In...>& in, loop_nest<1 + sizeof...(In)> nest) {
  using tune = map_tuning<Exec>;
  constexpr std::size_t bytes = (element_bytes<In> + ... + 0);
  const tiled_operands<1 + sizeof...(In)> which(nest, {sizeof(T), element_bytes<In>...}, tune::least_tile / 2);
  if (which.bytes == 0) return false;
  const auto launch = [&]<int Side>(std::integral_constant<int, Side>) {
    using kernel = transposing_kernel<Side, Exec, F, T, In...>;
    if (!kernel::fits(which.bytes)) return false;
    kernel{f, out, in, row_nest<1 + sizeof...(In)>(nest), which}.launch(exec, label);
    return true;
  };
  if (launch(std::integral_constant<int, tune::largest_tile>())) return true;
  if constexpr (bytes > tune::bytes_of_largest_tile) return launch(std::integral_constant<int, tune::least_tile>());
  else return false;
}

}  // namespace quern::impl

#endif
