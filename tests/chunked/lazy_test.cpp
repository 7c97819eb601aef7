// SPDX-FileCopyrightText: the Quern authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Lazy arrays of sources, and of what lies beside them in memory.
#include <chunked/behind_function.hpp>
#include <support/operand_functors.hpp>

namespace {

using Kokkos::LayoutRight;
using quern::axis, quern::lazy, quern::positions;
using test::at_row_and_column, test::behind, test::memory_for, test::of_row, test::weighted;

template <class Exec>
struct ChunkedLazy : testing::Test {};
TYPED_TEST_SUITE(ChunkedLazy, test::all_spaces);

TYPED_TEST(ChunkedLazy, LazyArraysOfSources) {
  using E = TypeParam;
  const E exec{};
  const std::array<std::int64_t, 2> extents{37, 5};
  const auto a = behind<double>(extents, 1), b = behind<double>(extents, 2),
             row = behind<double>(std::array<std::int64_t, 2>{1, 5}, 3);
  const auto va = test::make_array<double, 2, LayoutRight, E>(extents, a.values),
             vb = test::make_array<double, 2, LayoutRight, E>(extents, b.values),
             vrow = test::make_array<double, 2, LayoutRight, E>({1, 5}, row.values);
  for (const std::int64_t rows : {1, 4, 100}) {
    const auto o = memory_for(a, rows, 3);
    const auto r = quern::reproducible;
    EXPECT_EQ(quern::sum(exec, lazy(weighted(), va, vb), r),
              quern::sum(exec, lazy(weighted(), a.source(), b.source()), r, o));
    EXPECT_EQ(quern::sum(exec, lazy(weighted(), va, vb), r), quern::sum(exec, lazy(weighted(), a.source(), vb), r, o))
        << "beside an array in memory";
    EXPECT_EQ(quern::sum(exec, lazy(weighted(), va, vrow), r),
              quern::sum(exec, lazy(weighted(), a.source(), row.source()), r, o))
        << "beside a source that is repeated";
    EXPECT_EQ(quern::sum(exec, lazy(weighted(), va, 0.5), r),
              quern::sum(exec, lazy(weighted(), a.source(), 0.5), r, o));
    const auto counted = lazy(at_row_and_column(), va, positions());
    const auto counted_source = lazy(at_row_and_column(), a.source(), positions());
    EXPECT_EQ(quern::sum(exec, counted, r), quern::sum(exec, counted_source, r, o));
    EXPECT_EQ(quern::argmax(exec, counted), quern::argmax(exec, counted_source, o));
    const auto nested = [](const auto& x) { return lazy(weighted(), x, lazy(of_row(), positions())); };
    EXPECT_EQ(quern::sum(exec, nested(va), r), quern::sum(exec, nested(a.source()), r, o));
    EXPECT_EQ(quern::dot(exec, va, vb, r), quern::dot(exec, a.source(), vb, r, o));
    const auto expected = test::make_array<double, 1, LayoutRight, E>({5}),
               found = test::make_array<double, 1, LayoutRight, E>({5});
    quern::sum(exec, expected, nested(va), axis{0}, r);
    quern::sum(exec, found, nested(a.source()), axis{0}, r, o);
    EXPECT_EQ(test::contents(expected), test::contents(found));
    const auto mapped = test::make_array<double, 2, LayoutRight, E>(extents),
               right = test::make_array<double, 2, LayoutRight, E>(extents);
    quern::map(exec, right, weighted(), nested(va), va);
    quern::map(exec, mapped, weighted(), o, nested(a.source()), a.source());
    EXPECT_EQ(test::contents(right), test::contents(mapped));
  }
}

// What a scan reads may be where it writes.
TYPED_TEST(ChunkedLazy, ScansInPlace) {
  using E = TypeParam;
  const E exec{};
  const std::array<std::int64_t, 2> extents{23, 4};
  const auto a = behind<double>(extents, 1), b = behind<double>(extents, 2);
  const auto vb = test::make_array<double, 2, LayoutRight, E>(extents, b.values);
  for (const std::int64_t rows : {1, 5, 100}) {
    const auto o = memory_for(a, rows, 3);
    const auto expected = test::make_array<double, 2, LayoutRight, E>(extents, a.values),
               found = test::make_array<double, 2, LayoutRight, E>(extents, a.values);
    const quern::impl::plus<double> op;
    quern::exclusive_scan(exec, expected, op, 0.0, lazy(weighted(), expected, vb), axis{0});
    quern::exclusive_scan(exec, found, op, 0.0, lazy(weighted(), found, b.source()), axis{0}, o);
    EXPECT_EQ(test::contents(expected), test::contents(found)) << rows;  // of quarters: exact
    quern::cumsum(exec, expected, lazy(weighted(), expected, vb));
    quern::cumsum(exec, found, lazy(weighted(), found, b.source()), o);
    EXPECT_EQ(test::contents(expected), test::contents(found)) << rows;
  }
}

}  // namespace
