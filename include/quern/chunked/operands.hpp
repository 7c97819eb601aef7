// SPDX-FileCopyrightText: the Quern authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef QUERN_CHUNKED_OPERANDS_HPP
#define QUERN_CHUNKED_OPERANDS_HPP

/// @file
/// The operands of a chunked operation, and their parts in each chunk.

#include <quern/chunked/pipeline.hpp>
#include <quern/chunked/rows.hpp>
#include <quern/core/call/call.hpp>
#include <quern/core/memory/pool_array.hpp>
#include <quern/core/views/part_view.hpp>
#include <quern/core/views/whole_positions.hpp>
#include <quern/transfer/as_view.hpp>

namespace quern::impl {

/// Whether an execution space uses an operand where it is: Views and scalars, and Views that were to come in chunks.
template <class Exec, class V>
inline constexpr bool resident = !is_source<V> && !is_sink<V>;
template <class Exec, class V>
inline constexpr bool resident<Exec, chunked_view<V>> = reachable<Exec, V> && (!is_device<Exec> || !host_reachable<V>);
template <class Exec, class F, class... In>
inline constexpr bool resident<Exec, lazy_array<F, In...>> = (resident<Exec, In> && ...);
template <class Exec, class... Out>
inline constexpr bool resident<Exec, std::tuple<Out...>> = (resident<Exec, Out> && ...);

/// A resident operand, or several outputs, without what says that it may come in chunks.
template <class V>
const auto& as_resident(const V& v) {
  return v;
}
template <class V>
const V& as_resident(const chunked_view<V>& v) {
  return v.view;
}
template <class F, class... In>
auto as_resident(const lazy_array<F, In...>& v) {
  return unpack([&](const auto&... in) { return lazy_of(v.f, as_resident(in)...); }, v.in);
}
template <class... Out>
auto as_resident(const std::tuple<Out...>& out) {
  return unpack([](const auto&... o) { return std::tuple(as_resident(o)...); }, out);
}

/// A View that was to come in chunks, and other operands as they are.
template <class V>
const auto& without_chunks(const V& v) {
  if constexpr (is_chunked_view<V>) return v.view;
  else return v;
}

/// An operand on its way into a plan. `Access` is array_reader or array_writer.
template <class Exec, class V, class Access>
class operand_in_chunks {
 public:
  static constexpr bool writes = std::is_same_v<Access, array_writer>;
  static constexpr int rank = rank_of<V>;
  static constexpr bool is_resident = resident<Exec, V>;
  using operand_type = std::remove_cvref_t<decltype(without_chunks(std::declval<const V&>()))>;
  using values_type = std::remove_cvref_t<decltype(view_of(std::declval<const operand_type&>()))>;
  static constexpr bool has_rows = is_rows<operand_type>;
  /// What is in memory, of rows their values, which have an axis more.
  using value = std::conditional_t<writes, typename values_type::value_type, const typename values_type::value_type>;
  /// What a chunk holds.
  using element =
      std::conditional_t<has_rows && !is_resident, std::conditional_t<writes, value_of<V>, const value_of<V>>, value>;
  static_assert(!writes || !(is_source<V> || std::is_const_v<value>), "quern::chunked: out must not be const");

  explicit operand_in_chunks(const V& v) {
    static_assert(writes || !is_sink<V>,
                  "quern: a sink is written and not read: it is no input, and no output beside a mask");
    if constexpr (is_source<V> || (is_sink<V> && writes)) array_ = v.array();
    else if constexpr (is_chunked_view<V>) {
      static_assert(is_resident || (is_device<Exec> && host_reachable<operand_type>),
                    "quern::in_chunks: the View is reached neither by the execution space nor by the host");
      describe_memory(view_of(v.view));
      constexpr bool pinned = reachable<Exec, operand_type>;
      using view_access = std::conditional_t<writes, view_writer, view_reader>;
      if constexpr (!is_resident) array_ = std::make_shared<view_access>(memory_, pinned);
      if constexpr (!is_resident && has_rows) array_ = rows_of_access<std::remove_const_t<value>>(array_);
    } else if constexpr (!is_sink<V>) {
      static_assert(reachable<Exec, V>,
                    "quern: a View beside what comes in chunks is not accessible from the execution space; "
                    "quern::in_chunks(view) brings what the host has");
      describe_memory(view_of(v));
    }
  }
  /// An output, which is checked as a whole: a chunk of it may have one row.
  operand_in_chunks(const V& v, const std::string& label) : operand_in_chunks(v) { check_output(label, memory_); }

  shape extents() const {
    if (array_) return array_->extents;
    shape extents = memory_.extents;
    if constexpr (has_rows) extents.extent[--extents.rank] = 0;
    return extents;
  }
  const std::shared_ptr<Access>& array() const { return array_; }
  /// The memory of a View.
  const strided<value>& memory() const { return memory_; }

  /// Adds what is not resident to a plan.
  void join(std::vector<planned_array<Access>>& arrays, bool with_halo) {
    if (!array_) return;
    number_ = static_cast<int>(arrays.size());
    arrays.push_back({array_, static_cast<std::int64_t>(sizeof(element)), with_halo});
  }

  /// The part of the array in a chunk.
  strided<element> part(int axis, const array_chunk& c, bool with_halo) const {
    if constexpr (is_resident) {
      strided<element> s = memory_;
      s.data += c.begin(with_halo) * s.stride[axis];
      s.extents.extent[axis] = c.extent(with_halo);
      return s;
    } else {
      const packed_box box = box_along(*array_, axis, c.begin(with_halo), c.extent(with_halo));
      return {static_cast<element*>((writes ? c.out : c.in)[number_]), box.extents, box.packed};
    }
  }
  /// A part as what operations take.
  static auto view_of_part(const strided<element>& part) {
    constexpr bool of_values = has_rows && is_resident;
    const auto view = as_part<Exec, rank + (of_values ? 1 : 0)>(part);
    if constexpr (of_values) return rows_with_strides(std::type_identity<operand_type>(), view);
    else return view;
  }

 private:
  void describe_memory(const values_type& v) { memory_ = describe(static_cast<value*>(v.data()), v); }

  std::shared_ptr<Access> array_;
  strided<value> memory_;
  int number_ = -1;
};
template <class Exec, class V>
using input_in_chunks = operand_in_chunks<Exec, V, array_reader>;
template <class Exec, class V>
using output_in_chunks = operand_in_chunks<Exec, V, array_writer>;

/// The axis of an input along which it is cut as the iteration is, or -1 where it is repeated along that and whole in
/// every chunk.
inline int cut_axis(const chunk_plan& p, const shape& extents, const std::string& name) {
  const int axis = p.axis - (p.extents.rank - extents.rank);
  const bool is_whole = p.extents.extent[p.axis] == 1 && extents.rank == p.extents.rank;  // one row, as one chunk
  stride_array ignored;
  if (!broadcast_strides(extents, {}, p.extents, ignored)) reject_broadcast(p.label, name, extents, p.extents);
  return axis >= 0 && (extents.extent[axis] != 1 || is_whole) ? axis : -1;
}

/// An input of a call: cut along the axis of the iteration, or repeated along it and then whole in every chunk.
template <class Exec, class V>
class chunk_input : public input_in_chunks<Exec, V> {
  using base = input_in_chunks<Exec, V>;

 public:
  using place = in_chunks_place;
  using base::base;
  void join_call(const Exec& exec, chunk_plan& p, const std::string& name) {
    axis_ = cut_axis(p, this->extents(), name);
    if (axis_ >= 0) {
      if (!base::is_resident && base::rank != p.extents.rank)
        throw Error(p.label, "an input of fewer axes than out must be in memory that is repeated along axis " +
                                 std::to_string(p.axis));
      this->join(p.inputs, false);
    } else if (this->array()) {
      bring(exec, p.label);
    }
  }
  /// The array in a chunk, or all of it where it is repeated.
  auto in(const array_chunk& c) const {
    if (axis_ >= 0) return this->part(axis_, c, false);
    if constexpr (base::is_resident) return this->memory();
    else return brought_;
  }

 private:
  /// Copies an array that every chunk needs to memory of `exec`.
  void bring(const Exec& exec, const std::string& label) {
    using value = std::remove_const_t<typename base::element>;
    array_reader& from = *this->array();
    const packed_box all = make_box(from.extents, {}, from.fortran_order);
    const auto bytes = from.extents.size() * static_cast<std::int64_t>(sizeof(value));
    memory_ = take_block<typename Exec::memory_space>(instance_ref(exec), bytes);
    const auto host = take_block<result_space<Exec>>(instance_ref(exec), bytes);
    from.read(all, host.data());
    copy_to_device(exec, memory_.data(), host.data(), bytes);
    exec.fence(kernel_label(label));
    brought_ = {reinterpret_cast<const value*>(memory_.data()), all.extents, all.packed};
  }
  int axis_ = 0;
  pool_block<typename Exec::memory_space> memory_;
  strided<typename base::element> brought_;
};

/// An input of a call whose elements are found by a map of indices; all that it reads is in reach.
template <class Exec, class V>
class mapped_chunk_input {
 public:
  using place = in_chunks_place;
  static constexpr int rank = rank_of<V>;

  explicit mapped_chunk_input(const V& v) : array_(v) {}
  const shape& extents() const { return array_.extents; }
  std::shared_ptr<array_reader> array() const { return nullptr; }
  const V& memory() const { return array_; }
  void check(const Exec& exec, const std::string& label) { check_indices_once(exec, label, array_); }
  void join(std::vector<planned_array<array_reader>>&, bool) {}
  void join_call(const Exec& exec, chunk_plan& p, const std::string& name) {
    axis_ = cut_axis(p, extents(), name);
    check(exec, p.label);
  }
  V part(int axis, const array_chunk& c, bool with_halo) const {
    return part_along(array_, axis, c.begin(with_halo), c.extent(with_halo));
  }
  V in(const array_chunk& c) const { return axis_ < 0 ? array_ : part(axis_, c, false); }
  static const V& view_of_part(const V& part) { return part; }

 private:
  V array_;
  int axis_ = 0;
};

/// An operand of a call: a `chunk_input` for each array, in a lazy one too; scalars and positions are what they are.
template <class Exec, class V>
auto as_chunk_operand(const V& v) {
  if constexpr (is_mapped<V>) return mapped_chunk_input<Exec, V>(v);
  else if constexpr (is_lazy<V>)
    return unpack([&](const auto&... in) { return lazy_of(v.f, as_chunk_operand<Exec>(in)...); }, v.in);
  else if constexpr (any_array<V>) return chunk_input<Exec, V>(v);
  else return v;
}
template <class F, class V>
void for_each_input(const F& f, V& v) {
  if constexpr (is_lazy<V>) std::apply([&](auto&... in) { (for_each_input(f, in), ...); }, v.in);
  else if constexpr (requires { v.array(); }) f(v);
}
/// An operand of a call of rank `Rank`, of whose arrays in a chunk `part(array, rank)` is what is wanted.
template <class Exec, int Rank, class V, class Part>
auto operand_in(const V& v, const chunk_plan& p, const array_chunk& c, const shape& origin, const Part& part) {
  return at_part<Rank>(p.label, v, origin, origin, [&](const auto& leaf) {
    if constexpr (placed<decltype(leaf)>) {
      constexpr int rank = rank_of<std::remove_cvref_t<decltype(leaf)>>;
      return leaf.view_of_part(part(leaf.in(c), rank));
    } else {
      return leaf;
    }
  });
}
/// The operand in a chunk, whose arrays have the rows of the chunk alone, without a halo.
template <class Exec, int Rank, class V>
auto operand_in(const V& v, const chunk_plan& p, const array_chunk& c) {
  return operand_in<Exec, Rank>(v, p, c, p.first_of_chunk(c, false), [](const auto& array, int) { return array; });
}
/// The last elements of that along the axis of the chunks, or along all axes.
template <class Exec, int Rank, class V>
auto operand_at_end(const V& v, const chunk_plan& p, const array_chunk& c, bool all_axes) {
  shape origin = p.extents;
  for (int d = 0; d < Rank; ++d) origin.extent[d] = all_axes ? p.extents.extent[d] - 1 : 0;
  origin.extent[p.axis] = c.first + c.count - 1;
  return operand_in<Exec, Rank>(
      v, p, c, origin, [&](const auto& array, int rank) { return last_of(array, p.axis - (Rank - rank), all_axes); });
}

/// Memory for the iteration's part in a chunk, in the order in which it is cut.
template <class T, class Exec>
scratch_block<T, Exec> scratch_of_chunk(const Exec& exec, const chunk_plan& p, const array_chunk& c, bool with_halo) {
  shape extents = p.extents;
  extents.extent[p.axis] = c.extent(with_halo);
  return {exec, extents, packed_strides(extents, p.axis != 0)};
}

/// Rejects an output that shares memory with an input; where chunks do not overlap, it may be the same View.
template <class T, class In>
void check_input_apart(const std::string& label, const strided<T>& out, const In& in, bool same_allowed,
                       const std::string& name) {
  if (out.data == nullptr) return;
  if constexpr (is_mapped<std::remove_cvref_t<decltype(in.memory())>>)
    check_leaf_overlap(label, out, in.memory(), name, false);
  else if (in.memory().data != nullptr) check_overlap(label, out, in.memory(), name, same_allowed);
}
template <class Out, class In>
void check_memory(const std::string& label, const Out& out, const In& in, bool same_allowed,
                  const char* name = "an input") {
  check_input_apart(label, out.memory(), in, same_allowed, name);
}

/// The slowest axis of the first array that is not resident among those that `for_each(visit)` visits.
template <class ForEach>
int axis_of(const ForEach& for_each) {
  int axis = -1;
  for_each([&](const auto& o) {
    if (axis < 0 && o.array()) axis = slowest_axis(*o.array());
  });
  return std::max(axis, 0);
}

/// How the chunks of a call are taken.
template <class... Options>
chunking settings_of(const Options&... o) {
  return option_or(chunking(), o...);
}

/// The inputs of a call of rank `Rank`.
template <class Exec, int Rank, class... In>
class chunk_inputs {
 public:
  explicit chunk_inputs(const In&... in) : in_(as_chunk_operand<Exec>(in)...) {}

  const auto& first() const { return std::get<0>(in_); }
  /// f(array, name) for each array, also of lazy inputs.
  template <class F>
  void for_each(const F& f) {
    std::size_t number = 0;
    const auto visit = [&](auto& array) { f(array, input_name(number)); };
    std::apply([&](auto&... operand) { ((for_each_input(visit, operand), ++number), ...); }, in_);
  }
  /// What is to be done for a call. It is cut along the slowest axis of its first output that is not resident, or else
  /// of the first input that is not, has all axes and is not repeated along that one.
  /// @param whose the extents are
  template <class... Out>
  chunk_plan plan(const operation_name& label, const char* whose, const shape& extents, const chunking& settings,
                  const Out&... out) {
    if (extents.rank == 0) throw Error(label, std::string(whose) + " of rank 0 is one element, in memory");
    int axis = -1;
    const auto look = [&](const auto& o) {
      if (axis >= 0 || !o.array() || o.extents().rank != Rank) return;
      const int best = best_cut(*o.array());
      if (o.extents().extent[best] != 1) axis = best;
    };
    (look(out), ...);
    for_each([&](const auto& array, const std::string&) { look(array); });
    chunk_plan p{label, extents, std::max(axis, 0)};
    p.settings = settings;
    return p;
  }
  void join(const Exec& exec, chunk_plan& p) {
    for_each([&](auto& array, const std::string& name) { array.join_call(exec, p, name); });
  }
  /// Calls `f(part...)` with the inputs in a chunk.
  template <class F>
  void with_parts(const chunk_plan& p, const array_chunk& c, const F& f) const {
    unpack([&](const auto&... operand) { f(operand_in<Exec, Rank>(operand, p, c)...); }, in_);
  }
  /// Calls `f(input...)`.
  template <class F>
  auto with_operands(const F& f) const {
    return unpack(f, in_);
  }

 private:
  std::tuple<decltype(as_chunk_operand<Exec>(std::declval<const In&>()))...> in_;
};

}  // namespace quern::impl

#endif
