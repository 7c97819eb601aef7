// SPDX-FileCopyrightText: the Quern authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef QUERN_STENCIL_BOUNDARY_HPP
#define QUERN_STENCIL_BOUNDARY_HPP

#include <array>
#include <cstddef>
#include <cstring>
#include <initializer_list>
#include <limits>
#include <memory>
#include <new>
#include <quern/core/values/short_list.hpp>
#include <quern/core/views/extents.hpp>
#include <typeinfo>
#include <utility>
#include <vector>

namespace quern {
namespace impl {

/// A value of any type: what is small and of bits alone, as numbers are, without an allocation.
class any_value {
 public:
  constexpr any_value() = default;
  any_value(const any_value&);
  any_value& operator=(const any_value&);
  ~any_value();
  template <class T>
  explicit any_value(const T& value) : type_(&typeid(T)) {
    if constexpr (is_stored<T>) std::memcpy(bytes_.data(), &value, sizeof(T));
    else shared_ = std::make_shared<T>(value);
  }
  /// Calls `f` with the value where it is of that type, and says whether it is.
  template <class T, class F>
  bool with(const F& f) const {
    if (type_ == nullptr || *type_ != typeid(T)) return false;
    if constexpr (is_stored<T>) f(*std::launder(reinterpret_cast<const T*>(bytes_.data())));
    else f(*static_cast<const T*>(shared_.get()));
    return true;
  }

 private:
  static constexpr std::size_t room = 32;
  template <class T>
  static constexpr bool is_stored = std::is_trivially_copyable_v<T> && sizeof(T) <= room && alignof(T) <= 16;

  const std::type_info* type_ = nullptr;
  alignas(16) std::array<std::byte, room> bytes_{};
  std::shared_ptr<const void> shared_;
};

}  // namespace impl

/// The values that a neighbourhood gets beyond the ends of an array `a b c d`. Names and values are those of
/// `scipy.ndimage`:
///
/// | mode | values before and after |
/// | --- | --- |
/// | `boundary::keep` | none: cells that would need them are left as they are |
/// | `boundary::constant(k)` | `k k k k` \| `a b c d` \| `k k k k` |
/// | `boundary::nearest` | `a a a a` \| `a b c d` \| `d d d d` |
/// | `boundary::reflect` | `d c b a` \| `a b c d` \| `d c b a` |
/// | `boundary::mirror` | `c d c b` \| `a b c d` \| `c b a b` |
/// | `boundary::wrap` | `a b c d` \| `a b c d` \| `a b c d` (scipy's `grid-wrap`) |
/// | `boundary::odd_reflect` | `-d -c -b -a` \| `a b c d` \| `-d -c -b -a`: zero at the face |
/// | `boundary::odd_mirror` | `-d -c -b` \| `a b c d` \| `-c -b -a`: zero at the last cell |
/// | `boundary::prescribed` | what a functor of the cell's indices returns |
///
/// The last three are for ghost cells that an array has, `quern::fill_halo`; stencils reject them.
///
/// Axes are continued one by one; where a constant meets another mode in a corner, the constant wins, and of two
/// constants that of the later axis.
class boundary {
 public:
  enum class mode : signed char { keep, constant, nearest, reflect, mirror, wrap, odd_reflect, odd_mirror, prescribed };

  static const boundary keep, nearest, reflect, mirror, wrap, odd_reflect, odd_mirror, prescribed;

  /// @param value converted to the value type of each input; a value that is not a number must have that type
  template <class V>
  static boundary constant(const V& value) {
    boundary b(mode::constant);
    if constexpr (std::is_integral_v<V> && std::is_signed_v<V>)
      b.value_ = impl::any_value(static_cast<std::int64_t>(value));
    else if constexpr (std::is_integral_v<V>) b.value_ = impl::any_value(static_cast<std::uint64_t>(value));
    else if constexpr (std::is_convertible_v<V, double>) b.value_ = impl::any_value(static_cast<double>(value));
    else b.value_ = impl::any_value(value);
    return b;
  }

  mode kind() const { return mode_; }
  /// The constant with all its digits, where it is a real number; an empty text elsewhere.
  std::string constant_text() const;

  /// The constant in the type of an input.
  /// @throws Error if it cannot be converted
  template <class T>
  T value_for(const std::string& operation) const {
    T result{};
    const auto take_number = [&](const auto& v) { result = static_cast<T>(static_cast<impl::real_type<T>>(v)); };
    if constexpr (std::is_constructible_v<T, double> && !std::is_aggregate_v<T>)  // whose members are no number
      if (value_.with<double>(take_number) || value_.with<std::int64_t>(take_number) ||
          value_.with<std::uint64_t>(take_number))
        return result;
    if (value_.with<T>([&](const T& v) { result = v; })) return result;
    throw Error(operation, "the boundary's constant has not the type of the input's values");
  }

 private:
  constexpr explicit boundary(mode m) : mode_(m) {}
  mode mode_;
  impl::any_value value_;
};

/// The boundaries of one axis: before its first index and after its last.
struct boundary_pair {
  boundary low = boundary::keep, high = boundary::keep;
  boundary_pair() = default;
  boundary_pair(const boundary& both) : low(both), high(both) {}  // NOLINT(google-explicit-constructor)
  boundary_pair(boundary before, boundary after) : low(std::move(before)), high(std::move(after)) {}
};

/// The cells to compute, from an index to before another along each axis: `interior_only{{1, 99}, {1, 99}}` of an array
/// of 100 x 100 with one layer of ghost cells. All values that their neighbourhoods need are in the array,
/// unless all inputs have ghosts or boundaries of their own (`with_ghosts`, `with_boundary`).
struct interior_only {
  using range_type = std::pair<std::int64_t, std::int64_t>;
  impl::axis_list<range_type> range;
  interior_only(std::initializer_list<range_type> ranges);
  explicit interior_only(const std::vector<range_type>& ranges);
  explicit interior_only(const impl::axis_list<range_type>& ranges);
};

/// The boundaries of all axes: one for all, `boundary::reflect`; one for each,
/// `boundaries{boundary::wrap, boundary_pair{boundary::keep, boundary::constant(0)}}`; or none, `interior_only{...}`.
class boundaries {
 public:
  boundaries(const boundary& all);       // NOLINT(google-explicit-constructor)
  boundaries(const interior_only& box);  // NOLINT(google-explicit-constructor)
  boundaries(std::initializer_list<boundary_pair> each);
  explicit boundaries(const std::vector<boundary_pair>& each);
  explicit boundaries(const impl::axis_list<boundary_pair>& each);
  boundaries(const boundaries&);
  boundaries(boundaries&&) noexcept;
  boundaries& operator=(const boundaries&);
  boundaries& operator=(boundaries&&) noexcept;
  ~boundaries();

  /// Cells are those of a box, and no boundary is looked at.
  bool is_box() const { return !ranges_.empty(); }
  int count() const { return static_cast<int>(is_box() ? ranges_.size() : axes_.size()); }
  const boundary_pair& axis(int d) const { return axes_[axes_.size() == 1 ? 0 : d]; }
  std::pair<std::int64_t, std::int64_t> range(int d) const { return ranges_[d]; }

 private:
  impl::axis_list<boundary_pair> axes_;
  impl::axis_list<interior_only::range_type> ranges_;
};

namespace impl {

extern template class short_list<boundary_pair, 3>;

/// Where an index beyond an axis of n elements is found, for the modes that continue the array. With `keep`, which
/// stands for ghosts that are stored, it stays.
KOKKOS_FUNCTION inline std::int64_t continued(boundary::mode mode, std::int64_t i, std::int64_t n) {
  if (mode == boundary::mode::keep) return i;
  if (mode == boundary::mode::wrap || mode == boundary::mode::reflect || mode == boundary::mode::mirror) {
    const std::int64_t period = mode == boundary::mode::wrap      ? n
                                : mode == boundary::mode::reflect ? 2 * n
                                                                  : Kokkos::max<std::int64_t>(2 * n - 2, 1);
    i %= period;
    if (i < 0) i += period;
    return i < n ? i : mode == boundary::mode::reflect ? period - 1 - i : period - i;
  }
  return i < 0 ? 0 : n - 1;
}

/// The same for indices less than an axis away from it, at `from + slope * i`.
struct continuation {
  std::int64_t from = 0, slope = 0;
};
inline continuation continuation_of(boundary::mode mode, bool low, std::int64_t n) {
  switch (mode) {
    case boundary::mode::wrap:
      return {low ? n : -n, 1};
    case boundary::mode::reflect:
      return {low ? -1 : 2 * n - 1, -1};
    case boundary::mode::mirror:
      return {low ? 0 : 2 * n - 2, -1};
    case boundary::mode::keep:
      return {0, 1};
    default:
      return {low ? 0 : n - 1, 0};
  }
}
/// How far beyond an axis of n elements that is so.
inline std::int64_t continuation_reach(boundary::mode mode, std::int64_t n) {
  const bool repeats = mode == boundary::mode::wrap || mode == boundary::mode::reflect;
  return mode == boundary::mode::mirror ? n - 1 : repeats ? n : std::numeric_limits<std::int64_t>::max();
}

/// @throws Error unless there are boundaries for all axes, or one for each, or a range for each
void check_boundaries(const std::string& label, const boundaries& edge, int rank);

/// The cells along an axis that are computed, from one to before another.
/// @throws Error where `interior_only` needs values from outside, or no cell is left
std::pair<std::int64_t, std::int64_t> computed_cells(const std::string& label, const boundaries& edge, int axis,
                                                     const shape& extents, std::int64_t radius);

/// The name of a mode.
const char* name_of(boundary::mode mode);

/// Rejects the boundaries that ghost cells alone have.
void check_no_ghost_modes(const std::string& label, const boundaries& edge, int axis);

/// Whether an axis wraps around.
/// @throws Error where it does so at one end alone
bool wraps_around(const std::string& label, const boundaries& edge, int axis);

}  // namespace impl
}  // namespace quern

#endif
