// SPDX-FileCopyrightText: the Quern authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef QUERN_TESTS_STENCIL_NDIMAGE_HPP
#define QUERN_TESTS_STENCIL_NDIMAGE_HPP

#include <quern/stencil.hpp>
#include <string>
#include <support/reference_archive.hpp>
#include <support/testing.hpp>

namespace test {

/// Frozen results of scipy.ndimage, of cases "0/" to "13/", each at these boundaries.
inline const reference_archive ndimage("stencil/data/ndimage.npz");
inline constexpr int ndimage_cases = 14;
inline const quern::boundary ndimage_modes[] = {quern::boundary::constant(3), quern::boundary::nearest,
                                                quern::boundary::reflect, quern::boundary::mirror,
                                                quern::boundary::wrap};

/// A type and a layout for each execution space, one of them in each part: other tests of these filters have more.
template <class Spaces, class A, class B>
struct ndimage_cases_over;
template <class... Exec, class A, class B>
struct ndimage_cases_over<list<Exec...>, A, B> {
  using of_part_0 = list<combination<Exec, A, Kokkos::LayoutLeft>...>;
  using of_part_1 = list<combination<Exec, B, Kokkos::LayoutRight>...>;
#if !defined(QUERN_TEST_PART)
  using type = typename concat<of_part_0, of_part_1>::type;
#elif QUERN_TEST_PART == 0
  using type = of_part_0;
#else
  using type = of_part_1;
#endif
};
template <class A, class B>
using ndimage_types = typename as_types<typename ndimage_cases_over<spaces, A, B>::type>::type;

/// One case: its array, its window and where that lies.
template <int Rank, class T, class Layout, class Exec>
struct ndimage_case {
  std::string name;
  std::array<std::int64_t, Rank> extents, sizes;

  explicit ndimage_case(int k) : name(std::to_string(k) + "/") {
    std::copy_n(ndimage.extents(name + "in").begin(), Rank, extents.begin());
    std::copy_n(ndimage.extents(name + "footprint").begin(), Rank, sizes.begin());
  }
  static std::vector<T> as_values(const std::vector<std::int16_t>& v) { return std::vector<T>(v.begin(), v.end()); }
  auto array(const std::string& of) const {
    return make_array<T, Rank, Layout, Exec>(extents, as_values(ndimage.values<std::int16_t>(name + of)));
  }
  auto empty() const { return make_array<T, Rank, Layout, Exec>(extents, std::vector<T>(count(), T(99))); }
  auto footprint_view(const std::string& of = "footprint") const {
    return make_array<std::int16_t, Rank, Kokkos::LayoutRight, Exec>(sizes, ndimage.values<std::int16_t>(name + of));
  }
  std::int64_t count() const {
    std::int64_t n = 1;
    for (const auto e : extents) n *= e;
    return n;
  }
  bool is_box() const { return ndimage.values<std::int16_t>(name + "box")[0] != 0; }
  template <class P>
  P per_axis(const std::string& of) const {
    const auto v = ndimage.values<std::int16_t>(name + of);
    if constexpr (Rank == 1) return P(v[0]);
    else if constexpr (Rank == 2) return P({v[0], v[1]});
    else return P({v[0], v[1], v[2]});
  }
  /// By its sizes, or by a View of its cells.
  quern::footprint window() const {
    return is_box() ? per_axis<quern::footprint>("sizes") : quern::footprint(footprint_view());
  }
  quern::origin origin() const { return per_axis<quern::origin>("origin"); }
  /// What SciPy has at a boundary, the nth of arrays of the same extents.
  std::vector<T> expected(const std::string& operation, std::size_t n = 0) const {
    const auto all = ndimage.values<std::int16_t>(name + operation);
    return as_values({all.begin() + static_cast<std::ptrdiff_t>(n * count()),
                      all.begin() + static_cast<std::ptrdiff_t>((n + 1) * count())});
  }
};

/// Calls f with each case, as an ndimage_case. Of each layout two of three ranks are enough.
template <class T, class Layout, class Exec, class F>
void for_each_ndimage_case(const F& f) {
  for (int k = 0; k < ndimage_cases; ++k) {
    const auto rank = ndimage.extents(std::to_string(k) + "/in").size();
    if (rank == 2) f(ndimage_case<2, T, Layout, Exec>(k));
    if constexpr (std::is_same_v<Layout, Kokkos::LayoutRight>) {
      if (rank == 1) f(ndimage_case<1, T, Layout, Exec>(k));
    } else {
      if (rank == 3) f(ndimage_case<3, T, Layout, Exec>(k));
    }
  }
}

}  // namespace test

#endif
