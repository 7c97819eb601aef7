// SPDX-FileCopyrightText: the Quern authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef QUERN_PRINT_PRINT_HPP
#define QUERN_PRINT_PRINT_HPP

#include <algorithm>
#include <quern/core/call/call.hpp>
#include <quern/core/launch/operations.hpp>
#include <quern/core/memory/pool.hpp>
#include <quern/core/views/part_view.hpp>
#include <quern/map/map.hpp>
#include <quern/print/text.hpp>

namespace quern {
namespace impl {

/// The kind of number that T is, or of its components.
template <class T>
consteval printed_kind kind_of_number() {
  if constexpr (std::is_same_v<T, bool>) return printed_kind::boolean;
  else if constexpr (std::is_integral_v<T>)
    return std::is_signed_v<T> ? printed_kind::signed_integer : printed_kind::unsigned_integer;
  else if constexpr (std::is_floating_point_v<T>) return printed_kind::floating;
  else if constexpr (is_complex<T>) return printed_kind::complex;
  else return std::is_same_v<T, Kokkos::Experimental::half_t> ? printed_kind::half : printed_kind::bhalf;
}
template <class T>
inline constexpr bool is_printed =
    std::is_integral_v<T> || std::is_same_v<real_type<T>, float> || std::is_same_v<real_type<T>, double> || is_half<T>;

/// The array without its type: of elements that are Arrays, one more axis.
template <class T>
array_bytes components_of_array(const std::string& label, const strided<T>& s) {
  using value = std::remove_const_t<T>;
  constexpr auto n = static_cast<std::int64_t>(component_count<value>);
  array_bytes a(s);
  if constexpr (n > 0) {
    if (a.extents.rank == max_rank) throw Error(label, "of Arrays of numbers, a View has at most 7 axes");
    a.element = sizeof(component_type<value>);
    for (int d = 0; d < a.extents.rank; ++d) a.stride[d] *= n;
    a.extents.extent[a.extents.rank] = n;
    a.stride[a.extents.rank++] = 1;
  }
  return a;
}

template <class V>
std::string layout_name() {
  if constexpr (requires { typename V::array_layout; }) {
    if constexpr (std::is_same_v<typename V::array_layout, Kokkos::LayoutLeft>) return "LayoutLeft";
    if constexpr (std::is_same_v<typename V::array_layout, Kokkos::LayoutRight>) return "LayoutRight";
    return "LayoutStride";
  } else {
    return {};
  }
}
/// What a View says of itself beside its elements.
template <class V>
void describe_view(const V& v, printed_array& p) {
  if constexpr (dual_view<V>) {
    describe_view(v.view_device(), p);
  } else {
    p.layout = layout_name<V>();
    if constexpr (requires { v.label(); }) p.label = v.label();
    if constexpr (requires { V::memory_space::name(); }) p.space = V::memory_space::name();
  }
}

/// Whether the host reads the elements of an array by itself.
template <class Exec, class V>
inline constexpr bool host_reads = [] {
  if constexpr (!is_device<Exec>) return true;
  else if constexpr (requires { typename V::memory_space; })
    return Kokkos::SpaceAccessibility<Kokkos::DefaultHostExecutionSpace, typename V::memory_space>::accessible;
  else return false;
}();

template <class Exec, class In>
std::string text_of_elements(const operation_name& name, const Exec& exec, const In& in, const print_options& options) {
  using component = component_type<value_of<In>>;
  static_assert(is_printed<component>,
                "quern::print: the elements must be numbers (bool, integers, half, float, double, or complex), or "
                "Kokkos::Arrays of them");
  if constexpr (is_printed<component>) {
    const call c(name, exec);
    printed_array p;
    p.kind = kind_of_number<component>();
    p.elements = components_of_array(c.label, c.input(in));
    if (options.describe) describe_view(in, p);
    const shown_elements which = select_shown(c.label, p.elements.extents, options);
    std::vector<std::byte> packed(static_cast<std::size_t>(which.shown.size() * p.elements.element));
    if constexpr (host_reads<Exec, In>) {
      exec.fence(kernel_label(c.label));
      gather_on_host(which, p.elements, packed.data());
    } else if (!packed.empty()) {
      const auto block = take_block<result_space<Exec>>(instance_ref(exec), packed.size());
      gather_on_device(exec, c.label, which, p.elements, block.data());
      exec.fence(kernel_label(c.label));
      std::copy_n(block.data(), packed.size(), packed.begin());
    }
    return text_of_array(p, which, packed, options);
  } else {
    return {};
  }
}

/// The text of any array. What is computed or found by a map of indices is written to scratch memory first.
template <class Exec, class In>
std::string text_of(const operation_name& name, const Exec& exec, const In& in, const print_options& options) {
  if constexpr ((is_lazy<In> || is_mapped<In>) && rank_of<In> >= 0) {
    const std::string& label = name;
    const shape extents = operand_extents(label, in);
    const scratch_array<Exec, value_of<In>> memory(exec, extents.size());
    const auto elements =
        as_part<Exec, rank_of<In>, Kokkos::LayoutRight>(strided<value_of<In>>{memory.data(), extents, {}});
    map_checked(label, exec, elements, op::identity(), in);
    return text_of_elements(name, exec, elements, options);
  } else {
    return text_of_elements(name, exec, in, options);
  }
}

}  // namespace impl

/// An array as the text that NumPy prints of it (`numpy.array2string`): rows in brackets, columns aligned, lines of at
/// most 75 characters, of more than 1000 elements the three at each edge with `...` between them, and of floating-point
/// numbers the fewest digits that read back as the same number, at most 8 behind the point. `print_options` changes
/// that. A View of rank 0 is rounded so, too, where NumPy's `print` of it has all digits of the number.
///
/// @code
/// const Kokkos::View<double**> u("u", 2, 3);
/// quern::map(u, row_and_column(), quern::positions());
/// const std::string text = quern::to_string(u);  // "[[ 0.  1.  2.]\n [10. 11. 12.]]"
/// quern::print(u, quern::print_options{.precision = 3, .describe = true});
/// @endcode
///
/// @param in a View, DynRankView, DualView or mdspan of rank 0 to 8 and any layout, of bool, integers, half types,
///           float, double or complex numbers; of Kokkos::Arrays of these, whose components are the last axis. One
///           that is lazy or re-indexed is written to scratch memory first
///
/// Indices are in the order of the View's, whatever its layout. With `describe` a line with the View's label, the name
/// that NumPy has for its type, its extents, layout and memory space stands before the elements. Half types have the
/// digits that tell them apart from others of their type.
///
/// Waits for `exec`. From a device only the elements that are printed are copied. It allocates on the host, and may not
/// be captured in a device graph.
/// @throws Error if an option is out of range: a precision below 0, less than one item at an edge, or no width
template <execution_space Exec, array_like In, option<print_options>... Options>
std::string to_string(const Exec& exec, const In& in, const Options&... options) {
  return impl::text_of("quern::to_string", exec, in, impl::option_or(print_options(), options...));
}
template <array_like In, option<print_options>... Options>
std::string to_string(const In& in, const Options&... options) {
  return to_string(impl::space_of(in), in, options...);
}
QUERN_TAKES_NAME_NOT(place, to_string)

/// Writes `to_string(exec, in, options...)` and the end of a line to standard output (std::cout). Waits for `exec`.
/// @throws Error as `to_string`; std::ios_base::failure if it cannot be written
template <execution_space Exec, array_like In, option<print_options>... Options>
void print(const Exec& exec, const In& in, const Options&... options) {
  impl::print_line(impl::text_of("quern::print", exec, in, impl::option_or(print_options(), options...)));
}
template <array_like In, option<print_options>... Options>
void print(const In& in, const Options&... options) {
  print(impl::space_of(in), in, options...);
}
QUERN_TAKES_NAME_NOT(place, print)

}  // namespace quern

#endif
