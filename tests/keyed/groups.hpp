// SPDX-FileCopyrightText: the Quern authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef QUERN_TESTS_KEYED_GROUPS_HPP
#define QUERN_TESTS_KEYED_GROUPS_HPP

/// @file
/// What tests of groups share: groups by a map on the host, and comparisons with loops over their rows.

#include <map>
#include <quern/keyed.hpp>
#include <support/keyed.hpp>
#include <vector>

namespace test {

/// NaN is the last key and equal to itself.
template <class K>
struct key_less {
  bool operator()(const K& a, const K& b) const { return a < b || (a == a && b != b); }
};
template <class K>
using rows_by_key = std::map<K, std::vector<std::int64_t>, key_less<K>>;
template <class K>
rows_by_key<K> rows_of(const std::vector<K>& keys) {
  rows_by_key<K> rows;
  for (std::size_t i = 0; i < keys.size(); ++i) rows[keys[i]].push_back(static_cast<std::int64_t>(i));
  return rows;
}

template <class Exec>
struct GroupTest : testing::Test {
  template <class T>
  static auto row(const std::vector<T>& v) {
    return test::row<Exec>(v);
  }
  template <class T>
  static auto row(std::int64_t n) {
    return Kokkos::View<T*, Kokkos::LayoutStride, Exec>(test::make_array<T, 1, Kokkos::LayoutStride, Exec>({n}));
  }

  /// Labels, first rows and counts of groups.
  template <class K>
  static void expect_groups(const quern::Groups<Exec>& by, const rows_by_key<K>& rows) {
    ASSERT_EQ(static_cast<std::int64_t>(rows.size()), by.size());
    std::vector<std::int32_t> labels(by.rows(), -1);
    std::vector<std::int64_t> first, counts;
    for (const auto& [key, at] : rows) {
      for (const auto i : at) labels[i] = static_cast<std::int32_t>(first.size());
      first.push_back(at[0]);
      counts.push_back(static_cast<std::int64_t>(at.size()));
    }
    EXPECT_EQ(labels, test::contents(by.labels()));
    EXPECT_EQ(first, test::contents(by.first()));
    EXPECT_EQ(counts, test::contents(by.counts()));
  }

  /// All reductions of x, whose sums are exact.
  template <class K, class T>
  static void expect_reductions(const quern::Groups<Exec>& by, const rows_by_key<K>& rows, const std::vector<T>& x) {
    const auto values = row(x);
    const std::int64_t n = by.size();
    const auto number = row<double>(n);
    const auto of_type = row<T>(n);
    const auto place = row<std::int32_t>(n);
    const auto expect = [&](const auto& out, const auto& f) {
      const auto found = test::contents(out);
      std::int64_t g = 0;
      for (const auto& [key, at] : rows) {
        using R = std::remove_cvref_t<decltype(found[g])>;
        ASSERT_TRUE(same(static_cast<R>(f(at)), found[g])) << g << ": " << f(at) << " and " << found[g];
        ++g;
      }
    };
    const auto sum = [&](const auto& at) {
      double s = 0;
      for (const auto i : at) s += static_cast<double>(x[i]);
      return s;
    };
    const auto best = [&](bool smallest) {
      return [&x, smallest](const auto& at) {
        std::int64_t b = at[0];
        for (const auto i : at)
          if (x[b] == x[b] && (x[i] != x[i] || (smallest ? x[i] < x[b] : x[i] > x[b]))) b = i;
        return b;
      };
    };
    const auto value_at = [&](const auto& f) { return [&, f](const auto& at) { return x[f(at)]; }; };
    quern::sum(Exec(), number, values, by);
    expect(number, sum);
    quern::sum(number, values, by, quern::reproducible);
    expect(number, sum);
    quern::mean(Exec(), number, values, by);
    expect(number, [&](const auto& at) { return sum(at) / static_cast<double>(at.size()); });
    quern::mean(number, values, by, quern::reproducible);
    expect(number, [&](const auto& at) { return sum(at) / static_cast<double>(at.size()); });
    quern::min(Exec(), of_type, values, by);
    expect(of_type, value_at(best(true)));
    quern::max(of_type, values, by);
    expect(of_type, value_at(best(false)));
    quern::argmin(Exec(), place, values, by);
    expect(place, best(true));
    quern::argmax(place, values, by);
    expect(place, best(false));
    quern::group_first(Exec(), of_type, values, by);
    expect(of_type, [&](const auto& at) { return x[at[0]]; });
    quern::count(place, by);
    expect(place, [&](const auto& at) { return at.size(); });
  }
};

}  // namespace test

#endif
