// SPDX-FileCopyrightText: the Quern authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef QUERN_CORE_VIEWS_LAYOUTS_HPP
#define QUERN_CORE_VIEWS_LAYOUTS_HPP

/// @file
/// What re-indexing by strides makes of extents and strides. `label` is the operation's name in messages.

#include <quern/core/views/axes.hpp>
#include <quern/core/views/strided_array.hpp>
#include <string>

namespace quern {

/// The indices of a slice along one axis; made in braces, `{start, stop, step}`.
struct slice_range;

namespace impl {

/// The number of an axis, counted from the front.
int axis_number(const std::string& label, int axis, int rank);
/// The numbers of all axes, each once.
std::array<int, max_rank> permutation_of(const std::string& label, const axes& order, int rank);
/// That of `moveaxis`.
axes moved_order(const axes& from, const axes& to, int rank);

index_layout permuted(const index_layout& l, const std::array<int, max_rank>& order);
index_layout flipped(const index_layout& l, const axis_set& along);
index_layout sliced(const std::string& label, const index_layout& l, const slice_range* ranges, std::size_t count);
index_layout diagonal_of(const std::string& label, const index_layout& l, std::int64_t offset, int axis1, int axis2);
/// With axes of extent 1 at these numbers of the result, and without them.
index_layout with_axes(const std::string& label, const index_layout& l, const axes& numbers);
index_layout without_axes(const std::string& label, const index_layout& l, const axes& numbers);
/// `name` is what the array is called in messages.
index_layout broadcast_layout(const std::string& label, const char* name, const index_layout& l, const shape& to);

/// With axes of these extents in place of one.
index_layout with_axis_split(const std::string& label, const index_layout& l, int axis, const shape& to);

/// The extents of a reshaped array, one of which may be -1.
shape reshaped_extents(const std::string& label, const shape& from, shape to);
/// The elements in row-major order with other extents; false where no strides lead to them.
bool reshape_by_strides(const index_layout& l, const shape& to, index_layout& result);
/// The same of what has the strides of a row-major array.
index_layout reshaped(const std::string& label, const index_layout& l, const shape& to);

/// An index along an axis, counted from the front; one that is out of range is an error.
std::int64_t index_along_axis(const std::string& label, std::int64_t index, const shape& extents, int axis);

/// Rejects numbers and extents of `repeat`, `tile`, `pad` and `take`, and indices that a check has found.
[[noreturn]] void reject_times(const std::string& label, std::int64_t times);
void check_pad(const std::string& label, std::int64_t before, std::int64_t after, bool is_empty, int axis);
void check_take(const std::string& label, std::int64_t count, std::int64_t n, int axis);
/// The extents of an array whose elements are numbered: so many, of which none is negative, and 63 bits number all.
void check_numbered(const std::string& label, const shape& extents, int rank);
[[noreturn]] void reject_indices(const std::string& label, std::int64_t position, std::int64_t index, std::int64_t n,
                                 std::int64_t outside);

}  // namespace impl
}  // namespace quern

#endif
