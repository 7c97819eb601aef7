// SPDX-FileCopyrightText: the Quern authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef QUERN_CORE_LAUNCH_PACK_HPP
#define QUERN_CORE_LAUNCH_PACK_HPP

#include <Kokkos_Core.hpp>
#include <algorithm>
#include <bit>
#include <cstdint>
#include <quern/core/launch/loop_nest.hpp>
#include <quern/core/launch/pack_types.hpp>
#include <quern/core/launch/tuning.hpp>
#include <quern/core/views/extents.hpp>
#include <tuple>
#include <utility>

namespace quern::impl {

/// The pack width for operands of these types: the widest of them fills `pack_bytes`. 1 where a type has a size that no
/// vector access serves.
template <class Exec, class... T>
constexpr int pack_width() {
  if (!((std::has_single_bit(sizeof(T)) && std::is_trivially_copyable_v<T>) && ...)) return 1;
  const std::size_t widest = std::max({sizeof(T)...});
  return widest >= tuning<Exec>::pack_bytes ? 1 : static_cast<int>(tuning<Exec>::pack_bytes / widest);
}

/// Whether packs stay aligned when they move by any multiples of these strides.
template <int W>
bool are_multiples(const std::int64_t* stride, int rank) {
  return std::all_of(stride, stride + rank, [](std::int64_t s) { return s % W == 0; });
}

/// An array operand of a kernel. `step` is its stride along axis 0 of the loop nest: 1, 0 (broadcast) or more; offsets
/// along the outer axes come from the nest's strides.
template <class T>
struct array_operand {
  using value_type = std::remove_const_t<T>;
  using pack_type = value_type;  // what decides on the width of packs
  static constexpr int components = 1;
  static constexpr std::int64_t unit = 1;  // the step of elements that follow each other
  T* data;
  std::int64_t step;

  array_operand with_step(std::int64_t other) const { return {data, other}; }
  /// Whether a host loop with that step finds elements that are neither contiguous nor the same.
  static bool gathers(std::int64_t step) { return step != 0 && step != 1; }

  /// Whether W elements from any multiple of W along axis 0 are one aligned pack or one repeated element.
  template <int W>
  bool packs(const std::int64_t (&stride)[max_rank], int rank) const {
    if (step == 0) return true;
    return step == 1 && reinterpret_cast<std::uintptr_t>(data) % (W * sizeof(T)) == 0 &&
           packs_at<W>(stride + 1, rank - 1);
  }
  template <int W>
  bool packs_at(const std::int64_t* stride, int rank) const {
    return step == 0 || are_multiples<W>(stride, rank);
  }

  template <int W>
  static bool components_align() {
    return true;
  }
  /// How many elements the one at `offset` is past an aligned pack of W; -1 where any will do.
  template <int W>
  KOKKOS_FUNCTION int phase(std::int64_t offset) const {
    return step == 0 ? -1 : static_cast<int>(reinterpret_cast<std::uintptr_t>(data + offset) / sizeof(T) % W);
  }

  KOKKOS_FUNCTION value_type load(std::int64_t offset) const { return data[offset]; }

  /// W elements; of a repeated one only the first is filled, and `expand` spreads it. Nothing that depends
  /// on a load must come between loads: the thread would wait for each before it asks for the next.
  template <int W>
  KOKKOS_FUNCTION loaded_pack<value_type, W> load_pack(std::int64_t offset) const {
    if (W > 1 && step == 0) {
      loaded_pack<value_type, W> p;
      p.set_first(data[offset]);
      return p;
    }
    return *reinterpret_cast<const loaded_pack<value_type, W>*>(data + offset);
  }
  template <int W>
  KOKKOS_FUNCTION value_type expand(const loaded_pack<value_type, W>& p, int k) const {
    return W > 1 && step == 0 ? p[0] : p[k];
  }
  /// Four elements of a byte as they are in memory.
  template <int W>
  KOKKOS_FUNCTION std::uint32_t expand_word(const narrow_pack<value_type, W>& p, int k) const {
    return step == 0 ? (p.word[0] & 0xff) * 0x01010101u : p.word[k];
  }

  /// The elements from `offset` on for a host loop, with any step.
  struct reader {
    const T* from;
    std::int64_t step;
    value_type operator[](std::int64_t k) const { return from[k * step]; }
  };
  reader strided_from(std::int64_t offset) const { return {data + offset, step}; }
  /// What a host loop reads, or writes, where elements follow each other.
  T* contiguous_from(std::int64_t offset) const { return data + offset; }

  template <int W>
  KOKKOS_FORCEINLINE_FUNCTION void store_pack(std::int64_t offset, const pack<T, W>& p) const {
    *reinterpret_cast<pack<T, W>*>(data + offset) = p;
  }
};

/// The same of rows of values, whose packs are those of each component.
template <class M>
  requires is_row_memory<M>
struct array_operand<M> {
  using pointer = pointer_to<M>;
  using value_type = stored<M>;
  using pack_type = typename memory_of<M>::pack_type;
  using component = typename pointer::component;
  static constexpr int components = static_cast<int>(pointer::components);
  static constexpr std::int64_t unit = pointer::unit;
  template <int W>
  using pack_of_rows = row_pack<value_type, component, W>;
  pointer data;
  std::int64_t step;

  array_operand with_step(std::int64_t other) const { return {data, other}; }
  static bool gathers(std::int64_t step) { return step != 0 && step != unit; }
  template <int W>
  bool packs(const std::int64_t (&stride)[max_rank], int rank) const {
    if (step == 0) return true;
    return unit == 1 && step == 1 && components_align<W>() &&
           reinterpret_cast<std::uintptr_t>(data.data) % (W * sizeof(component)) == 0 &&
           packs_at<W>(stride + 1, rank - 1);
  }
  template <int W>
  bool packs_at(const std::int64_t* stride, int rank) const {
    return step == 0 || are_multiples<W>(stride, rank);
  }
  /// Whether packs of all components are aligned where those of the first are.
  template <int W>
  bool components_align() const {
    return step == 0 || components == 1 || data.apart % W == 0;
  }
  template <int W>
  KOKKOS_FUNCTION int phase(std::int64_t offset) const {
    return step == 0 ? -1
                     : static_cast<int>(reinterpret_cast<std::uintptr_t>(&data.at(offset, 0)) / sizeof(component) % W);
  }
  KOKKOS_FUNCTION value_type load(std::int64_t offset) const { return data.load(offset); }
  template <int W>
  KOKKOS_FUNCTION pack_of_rows<W> load_pack(std::int64_t offset) const {
    if constexpr (W == 1) {
      return data.template load_packs<W>(offset);
    } else {
      if (step != 0) return data.template load_packs<W>(offset);
      pack_of_rows<W> p;
      for (int c = 0; c < components; ++c) p.component[c].set_first(data.at(offset, c));
      return p;
    }
  }
  template <int W>
  KOKKOS_FUNCTION value_type expand(const pack_of_rows<W>& p, int k) const {
    return W > 1 && step == 0 ? p[0] : p[k];
  }
  struct reader {
    pointer from;
    std::int64_t step;
    value_type operator[](std::int64_t k) const { return from.load(k * step); }
  };
  reader strided_from(std::int64_t offset) const { return {data + offset, step}; }
  /// Rows without gaps are Arrays in memory, too.
  auto contiguous_from(std::int64_t offset) const {
    if constexpr (pointer::are_arrays && std::is_const_v<M>)
      return reinterpret_cast<const value_type*>(&data.at(offset, 0));
    else return row_run<pointer>{data + offset};
  }
  template <int W>
  KOKKOS_FORCEINLINE_FUNCTION void store_pack(std::int64_t offset,
                                              const written_rows<value_type, component, W>& p) const {
    data.template store_packs<W>(offset, p);
  }
};

/// The packs that are written to memory of T.
template <class T, int W>
struct written_pack_of {
  using type = pack<T, W>;
};
template <class M, int W>
  requires is_row_memory<M>
struct written_pack_of<M, W> {
  using type = written_rows<stored<M>, typename pointer_to<M>::component, W>;
};
template <class T, int W>
using written_pack = typename written_pack_of<T, W>::type;

/// One value for every index.
template <class T>
struct repeated {
  T value;
  T operator[](std::int64_t) const { return value; }
};

/// An operand that has no memory behind it, so that its elements lie in no way that packs do not fit.
struct memoryless_operand {
  static constexpr int components = 1;
  static constexpr std::int64_t unit = 1;
  static bool gathers(std::int64_t) { return false; }
  template <int W>
  bool packs(const std::int64_t (&)[max_rank], int) const {
    return true;
  }
  template <int W>
  bool packs_at(const std::int64_t*, int) const {
    return true;
  }
  template <int W>
  static bool components_align() {
    return true;
  }
  template <int W>
  KOKKOS_FUNCTION int phase(std::int64_t) const {
    return -1;
  }
};

/// A scalar operand: the value is part of the kernel, and is read like an array of step 0.
template <class T>
struct scalar_operand : memoryless_operand {
  using value_type = T;
  using pack_type = T;
  static constexpr std::int64_t step = 0;
  T value;

  scalar_operand with_step(std::int64_t) const { return *this; }
  KOKKOS_FUNCTION T load(std::int64_t) const { return value; }
  template <int W>
  KOKKOS_FUNCTION pack<T, W> load_pack(std::int64_t) const {
    return {};
  }
  template <int W>
  KOKKOS_FUNCTION T expand(const pack<T, W>&, int) const {
    return value;
  }
  repeated<T> strided_from(std::int64_t) const { return {value}; }
};

/// Counts on from a position.
struct counting {
  std::int64_t from, step;
  std::int64_t operator[](std::int64_t k) const { return from + k * step; }
};

/// Stands for the positions of elements: its offset at an element is the position.
struct position_operand : memoryless_operand {
  using value_type = std::int64_t;
  using pack_type = char;
  std::int64_t step;

  position_operand with_step(std::int64_t other) const { return {{}, other}; }
  KOKKOS_FUNCTION std::int64_t load(std::int64_t offset) const { return offset; }
  /// Only the first is filled, and `expand` counts on.
  template <int W>
  KOKKOS_FUNCTION pack<std::int64_t, W> load_pack(std::int64_t offset) const {
    pack<std::int64_t, W> p;
    p.value[0] = offset;
    return p;
  }
  template <int W>
  KOKKOS_FUNCTION std::int64_t expand(const pack<std::int64_t, W>& p, int k) const {
    return p.value[0] + k * step;
  }
  counting strided_from(std::int64_t offset) const { return {offset, step}; }
};

/// The elements of an array as what is written: the values of this operand are pointers.
template <class T>
struct target_operand : array_operand<T> {
  using value_type = pointer_to<T>;

  target_operand with_step(std::int64_t other) const { return {{this->data, other}}; }
  static bool gathers(std::int64_t step) { return step != array_operand<T>::unit; }
  KOKKOS_FUNCTION value_type load(std::int64_t offset) const { return this->data + offset; }
  /// The pointer to the first, from which `expand` goes on.
  template <int W>
  KOKKOS_FUNCTION pack<value_type, 1> load_pack(std::int64_t offset) const {
    return {{this->data + offset}};
  }
  template <int W>
  KOKKOS_FUNCTION value_type expand(const pack<value_type, 1>& p, int k) const {
    return p.value[0] + k * (W > 1 ? 1 : this->step);
  }

  struct pointers {
    value_type from;
    value_type operator[](std::int64_t k) const { return from + k * array_operand<T>::unit; }
  };
  struct strided_pointers {
    value_type from;
    std::int64_t step;
    value_type operator[](std::int64_t k) const { return from + k * step; }
  };
  pointers contiguous_from(std::int64_t offset) const { return {this->data + offset}; }
  strided_pointers strided_from(std::int64_t offset) const { return {this->data + offset, this->step}; }
};
template <class Operand>
inline constexpr bool is_target = false;
template <class T>
inline constexpr bool is_target<target_operand<T>> = true;

/// Several packs of one operand, all loaded before any is used.
template <class Pack, int Count>
struct packs_of {
  Pack at[Count];
};
/// Those at positions that have an offset for each operand, this one's being number `Which`.
template <int W, std::size_t Which, int Count, class Operand, class Offsets>
KOKKOS_FUNCTION auto load_packs(const Operand& operand, const Offsets (&o)[Count]) {
  packs_of<decltype(operand.template load_pack<W>(0)), Count> p;
  for (int u = 0; u < Count; ++u) p.at[u] = operand.template load_pack<W>(o[u].of[Which]);
  return p;
}

/// A tuple that device code may use.
template <std::size_t I, class T>
struct operand_leaf {
  T value;
};
template <class Index, class... T>
struct operand_leaves;
template <std::size_t... I, class... T>
struct operand_leaves<std::index_sequence<I...>, T...> : operand_leaf<I, T>... {};
template <class... T>
using operand_tuple = operand_leaves<std::index_sequence_for<T...>, T...>;

template <std::size_t I, class T>
KOKKOS_FUNCTION const T& get(const operand_leaf<I, T>& leaf) {
  return leaf.value;
}
template <std::size_t I, class T>
KOKKOS_FUNCTION T& get(operand_leaf<I, T>& leaf) {
  return leaf.value;
}
/// Whether a test is true of each, and its number.
template <std::size_t... I, class... T, class Test>
bool all_of(const operand_leaves<std::index_sequence<I...>, T...>& leaves, const Test& test) {
  return (test(get<I>(leaves), I) && ...);
}

/// The loop nest over N operands as kernels carry it: from the number of a row (all axes but axis 0) to the offset of
/// each operand at its start. Dividing in 32 bits, where the extents allow it, is several times faster on a GPU.
template <int N>
struct row_nest {
  int rank;
  bool small;
  std::int64_t inner;
  std::int64_t outer;
  std::int64_t extent[max_rank];
  std::int64_t stride[N][max_rank];

  explicit row_nest(const loop_nest<N>& nest)
      : rank(nest.rank),
        small(nest.inner() * nest.outer() < (std::int64_t{1} << 31)),
        inner(nest.inner()),
        outer(nest.outer()) {
    for (int d = 0; d < max_rank; ++d) {
      extent[d] = nest.extent[d];
      for (int k = 0; k < N; ++k) stride[k][d] = nest.stride[k][d];
    }
  }

  KOKKOS_FUNCTION std::int64_t divide(std::int64_t a, std::int64_t b, std::int64_t& remainder) const {
    const std::int64_t q = small ? static_cast<std::uint32_t>(a) / static_cast<std::uint32_t>(b) : a / b;
    remainder = a - q * b;
    return q;
  }

  struct offsets {
    std::int64_t of[N];
  };

  /// The offset of each operand at element `i` of row `row`.
  KOKKOS_FUNCTION offsets at(std::int64_t row, std::int64_t i) const {
    offsets o;
    for (int k = 0; k < N; ++k) o.of[k] = i * stride[k][0];
    for (int d = 1; d < rank; ++d) {
      std::int64_t j = row;
      if (d + 1 < rank) row = divide(row, extent[d], j);
      for (int k = 0; k < N; ++k) o.of[k] += j * stride[k][d];
    }
    return o;
  }

  /// Where item number `item` starts; `items` of them make a row, each of `width` elements. `i` becomes the index of
  /// its first element in the row.
  KOKKOS_FUNCTION offsets at_item(std::int64_t item, std::int64_t items, int width, std::int64_t& i) const {
    std::int64_t row = 0;
    i = item;
    if (rank > 1) row = divide(item, items, i);
    i *= width;
    return at(row, i);
  }

  /// The elements from number `item` on, one after the other: a division is taken only where a row begins.
  class element_walk {
   public:
    element_walk(const row_nest& nest, std::int64_t item) : nest_(nest), item_(item) {}
    const offsets& next() {
      if (left_ > 0) {
        for (int k = 0; k < N; ++k) at_.of[k] += nest_.stride[k][0];
      } else {
        std::int64_t i;
        at_ = nest_.at_item(item_, nest_.inner, 1, i);
        left_ = nest_.inner - i;
      }
      ++item_;
      --left_;
      return at_;
    }

   private:
    const row_nest& nest_;
    offsets at_{};
    std::int64_t item_, left_ = 0;
  };
};

}  // namespace quern::impl

#endif
