// SPDX-FileCopyrightText: the Quern authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef QUERN_TESTS_SUPPORT_GAPS_HPP
#define QUERN_TESTS_SUPPORT_GAPS_HPP

/// @file
/// Arrays that lie in larger ones, as subviews do: the memory before, between and behind their rows holds bytes that no
/// operation may change.

#include <gtest/gtest.h>

#include <Kokkos_Core.hpp>
#include <cstdlib>
#include <cstring>
#include <functional>
#include <quern/core/views/extents.hpp>
#include <string>
#include <utility>
#include <vector>

namespace test {

/// What lies between the rows of an array, or the columns where those are contiguous. Before and behind it there is
/// other memory, too, unless it has no gaps at all.
enum class gaps {
  none,
  columns,  // some before and some behind each row; the first element is not aligned
  one,      // one element
  halved,   // rows of n are 2 (n / 2 + 1) apart, as those of real transforms in place are
  mixed     // one of the above after the other
};
inline constexpr gaps all_gaps[] = {gaps::columns, gaps::one, gaps::halved};

/// Those of the arrays that are made next: first what QUERN_TEST_GAPS says, by their names.
inline gaps& chosen_gaps() {
  static gaps chosen = [] {
    const char* const given = std::getenv("QUERN_TEST_GAPS");
    const std::string name = given == nullptr ? "none" : given;
    if (name == "columns") return gaps::columns;
    if (name == "one") return gaps::one;
    if (name == "halved") return gaps::halved;
    if (name == "mixed") return gaps::mixed;
    if (name != "none") std::abort();
    return gaps::none;
  }();
  return chosen;
}

/// An array whose gaps are watched.
struct guarded_array {
  quern::impl::strided<const char> elements;          // in units of elements; data is null
  std::size_t element_bytes = 0, before = 0;          // elements before the first one
  std::function<std::vector<unsigned char>()> bytes;  // all that it lies in; keeps that
};
inline std::vector<guarded_array>& guarded_arrays() {
  static std::vector<guarded_array> all;
  return all;
}

/// Bytes of gaps: NaN in floating-point numbers, -1 in integers.
inline constexpr unsigned char gap_byte = 0xff;

/// Fails where a gap of an array that was made since the last call has changed, and forgets those arrays.
inline void check_gaps() {
  Kokkos::fence();
  int number = 0;
  for (const guarded_array& a : std::exchange(guarded_arrays(), {})) {
    std::vector<unsigned char> bytes = a.bytes();
    const quern::shape& n = a.elements.extents;
    for (std::int64_t i = 0; i < n.size(); ++i) {
      std::int64_t rest = i, place = static_cast<std::int64_t>(a.before);
      for (int d = n.rank - 1; d >= 0; --d) {
        place += rest % n.extent[d] * a.elements.stride[d];
        rest /= n.extent[d];
      }
      std::memset(&bytes[place * a.element_bytes], gap_byte, a.element_bytes);
    }
    ++number;
    for (std::size_t i = 0; i < bytes.size(); ++i) {
      if (bytes[i] == gap_byte) continue;
      ADD_FAILURE() << "array " << number << " with extents " << n.str() << " and elements of " << a.element_bytes
                    << " bytes: memory beside them is written, " << i / a.element_bytes - a.before
                    << " elements from the first one";
      break;
    }
  }
}

/// While it lives, arrays are made with these gaps; they are checked at its end.
class with_gaps {
 public:
  explicit with_gaps(gaps kind) : before_(std::exchange(chosen_gaps(), kind)) {}
  ~with_gaps() {
    check_gaps();
    chosen_gaps() = before_;
  }
  with_gaps(const with_gaps&) = delete;
  with_gaps& operator=(const with_gaps&) = delete;

 private:
  gaps before_;
};

/// Those of the next array.
inline gaps next_gaps() {
  static unsigned made = 0;
  if (chosen_gaps() != gaps::mixed) return chosen_gaps();
  made = made * 1664525u + 1013904223u;
  return all_gaps[(made >> 16) % 3];
}

/// Fills the memory of `whole` with bytes of gaps, and watches what is not of `part`, which lies in it.
template <class Whole, class Part>
void guard_around(const Whole& whole, const Part& part) {
  using bytes = Kokkos::View<unsigned char*, typename Whole::memory_space, Kokkos::MemoryTraits<Kokkos::Unmanaged>>;
  constexpr std::size_t element = sizeof(typename Whole::non_const_value_type);
  const bytes memory(reinterpret_cast<unsigned char*>(whole.data()), whole.span() * element);
  Kokkos::deep_copy(memory, gap_byte);
  guarded_array a;
  a.elements = quern::impl::describe<const char>(nullptr, part);
  a.element_bytes = element;
  a.before = part.data() - whole.data();
  a.bytes = [whole, memory] {
    std::vector<unsigned char> copy(memory.size());
    Kokkos::deep_copy(Kokkos::View<unsigned char*, Kokkos::HostSpace>(copy.data(), copy.size()), memory);
    return copy;
  };
  guarded_arrays().push_back(std::move(a));
}

/// A View of the layout that lies in memory with gaps. Of LayoutStride, whose strides are set, they are not widened.
template <class V, class Layout>
V make_guarded(Layout layout, gaps kind) {
  using T = typename V::non_const_value_type;
  constexpr int rank = static_cast<int>(V::rank());
  std::size_t pitch = 0;
  if constexpr (rank > 1 && !std::is_same_v<Layout, Kokkos::LayoutStride>) {
    const std::size_t n = layout.dimension[std::is_same_v<Layout, Kokkos::LayoutLeft> ? 0 : rank - 1];
    pitch = kind == gaps::columns ? n + 3 : kind == gaps::one ? n + 1 : 2 * (n / 2 + 1);
    layout.stride = pitch;
  }
  const std::size_t before = kind == gaps::columns ? 33 : 32;
  const auto s = quern::impl::describe<const char>(nullptr, V(static_cast<T*>(nullptr), layout));
  std::size_t size = before + 33 + pitch;
  if (s.extents.size() > 0)
    for (int d = 0; d < rank; ++d) size += (s.extents.extent[d] - 1) * s.stride[d];
  const Kokkos::View<T*, typename V::memory_space> memory(Kokkos::view_alloc("test", Kokkos::WithoutInitializing),
                                                          size);
  const V array(memory.data() + before, layout);
  guard_around(memory, array);
  return array;
}

/// Checks the gaps after each test.
struct gaps_listener : testing::EmptyTestEventListener {
  void OnTestEnd(const testing::TestInfo&) override { check_gaps(); }
};
/// For `main`, before all tests run.
inline void watch_gaps() { testing::UnitTest::GetInstance()->listeners().Append(new gaps_listener); }

}  // namespace test

#endif
