// SPDX-FileCopyrightText: the Quern authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef QUERN_MAP_INDEX_RULES_HPP
#define QUERN_MAP_INDEX_RULES_HPP

/// @file
/// What operations do with indices that they read from arrays, among them those that are out of range.

#include <quern/core/views/check_indices.hpp>
#include <quern/map/map.hpp>

namespace quern::impl {

/// An array of indices: a View, or one that is re-indexed.
template <class T>
concept index_array = view_like<T> || is_mapped<std::remove_cvref_t<T>>;

/// Options of operations on indices: `index_mode`, or the View that counts those out of range, and the axis.
template <class T>
concept index_option = option<T, axis, index_mode> || view_like<T>;
template <class T>
concept index_mode_option = option<T, index_mode> || view_like<T>;

/// Indices of an axis of n elements.
struct index_rule {
  std::int64_t n;
  index_mode mode;
  bool from_end;            // whether those from -n on count from the end
  std::int64_t* outside{};  // where those that are out of range are counted, in place of an error

  template <class I>
  KOKKOS_FORCEINLINE_FUNCTION bool valid(const I& v) const {
    const std::int64_t i = index_number(v);
    return i < n && i >= (from_end ? -n : 0);
  }
  /// The index that it stands for; one that is counted is the nearest.
  template <class I>
  KOKKOS_FORCEINLINE_FUNCTION std::int64_t operator()(const I& v) const {
    if (outside != nullptr && !valid(v)) Kokkos::atomic_inc(outside);
    return index_by_mode(v, n, from_end || mode != index_mode::raise ? mode : index_mode::clip);
  }
};

/// Indices in row-major order, for their check.
template <class Source>
struct ruled_indices {
  Source source;
  index_rule rule;
  KOKKOS_FORCEINLINE_FUNCTION std::int64_t given(std::int64_t i) const { return index_number(source.load(i)); }
  KOKKOS_FORCEINLINE_FUNCTION bool valid(std::int64_t i) const { return rule.valid(source.load(i)); }
};

/// An array as a source that is read by row-major positions.
template <class Exec, class V>
auto source_in_order(const V& v) {
  static_assert(!dual_view<V>, "quern: indices are one side of a DualView: view_device() or view_host()");
  const auto mapped = as_mapped(v);
  static_cast<void>(mapped_leaf<Exec>(mapped));  // rejects memory that is out of reach
  return in_row_major_order(mapped).source;
}

template <class V>
constexpr bool are_indices() {
  constexpr bool integers = is_integer<value_of<V>>;
  static_assert(integers, "quern: indices must be integers");
  return integers;
}

/// What a call says about its indices.
template <class Exec>
class index_settings {
 public:
  template <class... Options>
  index_settings(const call<Exec>& c, const Options&... options)
      : call_(c), mode_(option_or(index_mode::raise, options...)) {
    constexpr bool both = has_option<index_mode, Options...> && (view_like<Options> || ...);
    static_assert(!both, "quern: info counts indices that are out of range; with an index_mode there are none");
    static_assert((0 + ... + (view_like<Options> ? 1 : 0)) <= 1, "quern: an option is given twice");
    (take_info(options), ...);
  }
  index_rule rule(std::int64_t n, bool from_end) const { return {n, mode_, from_end, outside_.data}; }

  /// Rejects memory that is written or read, and counts, too.
  template <class T>
  void check_apart(const char* name, const strided<T>& array) const {
    impl::check_apart(call_.label, {name, "info"}, array, outside_);
  }
  template <class V>
  void check_apart(const char* name, const V& read) const {
    if constexpr (!scalar_value<V>)
      for (const source_bytes& m : as_mapped(read).memory)
        impl::check_apart(call_.label, {name, "info"}, m.bytes, outside_);
  }
  /// Rejects indices of an axis without elements, and waits for a check of the others where that is asked for.
  template <class V>
  void check(const V& indices, const index_rule& rule, int axis) const {
    const std::int64_t count = operand_extents(call_.label, indices).size();
    check_take(call_.label, count, rule.n, axis);
    check_indices(call_.exec, call_.label, indices);
    if (mode_ != index_mode::raise || outside_.data != nullptr || count == 0) return;
    const auto source = source_in_order<Exec>(indices);
    search_indices(call_.exec, call_.label, ruled_indices<std::remove_const_t<decltype(source)>>{source, rule}, count,
                   rule.n);
  }
  /// Before the kernel that counts.
  void start_count() const {
    if (outside_.data != nullptr)
      map_checked(call_.label, call_.exec, as_part<Exec, 0>(outside_), op::identity(), std::int64_t{0});
  }
  /// Before a `map` that counts: what it rejects is rejected while the count still stands.
  template <class... T, class... In>
  void start_count(const std::tuple<strided<T>...>& out, const In&... in) const {
    if (outside_.data == nullptr) return;
    check_outputs(call_.label, out);
    const shape& extents = std::get<0>(out).extents;
    std::size_t number = 0;
    const auto check = [&](const auto& leaf) {
      broadcast_input(call_.label, leaf, extents, number);
      unpack([&](const auto&... o) { (check_leaf_overlap(call_.label, o, leaf, input_name(number), true), ...); }, out);
      ++number;
    };
    (unpack(check, expand<Exec, rank_of<In>>(call_.label, in, extents).leaves), ...);
    start_count();
  }

 private:
  template <class T>
  void take_info(const T& info) {
    if constexpr (view_like<T>) {
      constexpr bool counts = std::is_same_v<value_of<T>, std::int64_t> && may_have_rank<T, 0, 0>;
      static_assert(counts, "quern: info must be a View of rank 0 of std::int64_t");
      if constexpr (counts) {
        outside_ = call_.output(info);
        check_extents(call_.label, "info", outside_.extents, shape{});
      }
    }
  }
  const call<Exec>& call_;
  index_mode mode_;
  strided<std::int64_t> outside_{};
};

}  // namespace quern::impl

#endif
