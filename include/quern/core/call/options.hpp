// SPDX-FileCopyrightText: the Quern authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef QUERN_CORE_CALL_OPTIONS_HPP
#define QUERN_CORE_CALL_OPTIONS_HPP

/// @file
/// Options that operations of several modules take.

#include <quern/core/views/axes.hpp>
#include <quern/core/views/concepts.hpp>
#include <string_view>
#include <type_traits>

namespace quern {

/// The delta degrees of freedom of a variance, which is divided by n - ddof: `var(exec, x, ddof{1})` is the estimate
/// for the population that x is a sample of. Default 0.
struct ddof {
  using option_of = impl::any_place;
  std::int64_t value;
};

/// The length after which something repeats, of `spectral_derivative` along the axis, of `unwrap` among the values;
/// 2 pi without it.
struct period {
  using option_of = impl::any_place;
  double value;
};

/// Asks for a result that depends on the values alone: `sum(exec, x, reproducible)`.
///
/// It is the same, bit by bit, on every back end, device and number of threads, in every layout, and whatever the order
/// of the elements. Each value is rounded to a multiple of a unit, and the multiples are added exactly. The unit is a
/// power of two, at most 2^-77 times the largest magnitude (2^-51 for results in float): so far below it that the error
/// of the sum is the rounding of the result, unless the values cancel by more than that. Up to 2^37 values.
///
/// Refused, by a static_assert, in code that is compiled with the liberties of `-ffast-math` or computes in the long
/// registers of the x87.
struct reproducible_t {
  using option_of = impl::any_place;
};
inline constexpr reproducible_t reproducible{};

/// Asks a reduction for results that keep the axes along which it reduces, with the extent 1 (NumPy's `keepdims`), so
/// that they broadcast to what was reduced: `mean(exec, m, x, axis{1}, keep_axes)` with m of extents (n, 1) for x of
/// (n, k). Results are then written to Views in memory.
struct keep_axes_t {
  using option_of = impl::any_place;
};
inline constexpr keep_axes_t keep_axes{};

/// Asks for a check of data before anything is computed, for which the call waits: of keys that are in no bin, of
/// offsets that decrease.
struct checked_t {
  using option_of = impl::any_place;
};
inline constexpr checked_t checked{};

/// The option `mask`, whatever the type of its array is.
struct mask_t {
  using option_of = impl::any_place;
};

/// A name for what a call launches, in profiles: every operation takes `named{"pressure"}` among its options, and tools
/// of Kokkos then see its kernels and fences as `pressure: quern::stencil<my::flux>`, those of operations that it is
/// made of included, in memory, in chunks and over ranks. Messages of errors do not change. Beside it, an argument in
/// braces needs its type: `quern::boundaries{boundary::wrap, boundary::keep}`.
///
/// The text is read until the call returns, and only where a tool listens; the call allocates nothing for it.
struct named {
  std::string_view text;
};

namespace impl {

template <class... Args>
inline constexpr bool reproducibly = (std::is_same_v<reproducible_t, std::remove_cvref_t<Args>> || ...);

}  // namespace impl
}  // namespace quern

#endif
