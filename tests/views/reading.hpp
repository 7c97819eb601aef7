// SPDX-FileCopyrightText: the Quern authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef QUERN_TESTS_VIEWS_READING_HPP
#define QUERN_TESTS_VIEWS_READING_HPP

#include <quern/transfer.hpp>
#include <support/reference_archive.hpp>
#include <support/testing.hpp>

namespace test {

/// What NumPy makes of arrays that are re-indexed, as tools/views_reference.py has written it.
inline const reference_archive re_indexed("views/data/numpy.npz");

template <class T>
std::vector<T> as_values(const std::vector<std::int64_t>& numbers) {
  std::vector<T> v;
  for (const std::int64_t n : numbers) v.push_back(value_of<T>(static_cast<double>(n)));
  return v;
}

/// Arrays v, x and y of NumPy's results.
template <class Case>
struct Reindexed : testing::Test {
  using T = typename Case::value;
  using E = typename Case::exec;
  using L = typename Case::layout;

  template <int Rank>
  static auto make(const std::array<std::int64_t, Rank>& extents) {
    std::int64_t n = 1;
    for (const auto e : extents) n *= e;
    std::vector<T> values;
    for (std::int64_t i = 0; i < n; ++i) values.push_back(value_of<T>(static_cast<double>(i)));
    return make_array<T, Rank, L, E>(extents, values);
  }
  static auto v() { return make<1>({11}); }
  static auto x() { return make<2>({5, 7}); }
  static auto y() { return make<3>({2, 4, 6}); }

  static std::vector<std::int64_t> extents_in(const quern::shape& s) {
    return std::vector<std::int64_t>(s.extent.begin(), s.extent.begin() + s.rank);
  }
  /// Copies an operand to new arrays, one of each other layout, and compares.
  template <class V>
  static void expect(const std::string& name, const V& operand) {
    const quern::shape s = quern::extents_of(operand);
    ASSERT_EQ(re_indexed.extents(name), extents_in(s)) << name;
    constexpr int rank = quern::impl::rank_of<V>;
    std::array<std::int64_t, rank> extents;
    std::copy_n(s.extent.begin(), rank, extents.begin());
    const auto rows = make_array<T, rank, Kokkos::LayoutRight, E>(extents);
    quern::copy(E(), rows, operand);
    EXPECT_EQ(as_values<T>(re_indexed.values<std::int64_t>(name)), contents(rows)) << name;
    const auto columns = make_array<T, rank, Kokkos::LayoutLeft, E>(extents);
    quern::copy(E(), columns, operand);
    EXPECT_EQ(as_values<T>(re_indexed.values<std::int64_t>(name)), contents(columns)) << name;
  }
};
using reindexed_types =
    covering<float, double, Kokkos::complex<double>, std::int8_t, std::int64_t, Kokkos::Experimental::half_t>;

template <class E, class T>
auto line(const std::vector<T>& values) {
  return make_array<T, 1, Kokkos::LayoutRight, E>({static_cast<std::int64_t>(values.size())}, values);
}

}  // namespace test

#endif
