// SPDX-FileCopyrightText: the Quern authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Re-indexed operands beside what comes in chunks: their parts are those that the whole call in memory reads.

#include <chunked/behind_function.hpp>

namespace {

using quern::axis;
using space = Kokkos::DefaultExecutionSpace;
using Kokkos::LayoutRight;
using test::behind;

struct weighted {
  KOKKOS_FUNCTION double operator()(double a, double b) const { return a + 3 * b; }
};
struct add_position {
  template <class At>
  KOKKOS_FUNCTION double operator()(double a, const At& at) const {
    return a + 100.0 * static_cast<double>(at[0]) + static_cast<double>(at[1]);
  }
};
struct cross {
  template <class W, class V>
  KOKKOS_FUNCTION double operator()(const W& w, const V& v) const {
    return w(-1, 0) + w(0, 1) - 2 * v(1, 0) + v(0, -1);
  }
};
struct sum_of_two {
  KOKKOS_FUNCTION double operator()(double a, double b) const { return a + b; }
};

using matrix = Kokkos::View<double**, LayoutRight, space>;
template <class T, std::size_t Rank>
auto make(const std::array<std::int64_t, Rank>& extents, const std::vector<T>& values) {
  return test::make_array<T, static_cast<int>(Rank), LayoutRight, space>(extents, values);
}
template <std::size_t Rank>
auto samples(const std::array<std::int64_t, Rank>& extents, std::uint64_t seed) {
  std::int64_t n = 1;
  for (const auto e : extents) n *= e;
  return make(extents, test::samples<double>(n, seed));
}
Kokkos::View<std::int64_t, space> counter() { return Kokkos::View<std::int64_t, space>("outside"); }
auto indices(const std::vector<int>& values) {
  return make<int, 1>({static_cast<std::int64_t>(values.size())}, values);
}

constexpr std::array<std::int64_t, 2> extents{23, 4};
const std::vector<int> some{3, -1, 0, 22, 5, 5, 9, 1, 2, 3, -23, 12, 13, 22, 21, 8, 8, 8, 0, 1, 17, -4, 6};

/// Calls `call(out, in)` with an array in memory, and with the same array in chunks of five rows.
template <class Out, class Call>
void compare(const Out& out, const Call& call) {
  const auto a = behind<double>(extents);
  const auto whole = make(extents, a.values);
  call(out, whole);
  const auto expected = test::contents(out);
  quern::fill(out, -1.0);
  const auto o = test::memory_for(a, 5, 2);
  call(out, a.source(), o);
  EXPECT_EQ(expected, test::contents(out));
}
/// The same for maps, reductions along both axes and scans of an operand beside that array.
template <class V>
void compare_beside(const V& operand) {
  const auto table = samples(extents, 9);
  compare(table, [&](const auto& out, const auto& in, const auto&... o) {
    quern::map(space(), out, weighted(), o..., in, operand);
  });
  const auto both = [&](const auto& in) { return quern::lazy(weighted(), in, operand); };
  compare(samples<1>({4}, 8), [&](const auto& out, const auto& in, const auto&... o) {
    quern::max(space(), out, both(in), axis{0}, o...);
  });
  compare(samples<1>({23}, 8), [&](const auto& out, const auto& in, const auto&... o) {
    quern::max(space(), out, both(in), axis{1}, o...);
  });
}

TEST(ReindexedBesideChunks, ByStrides) {
  const auto y = samples(extents, 2);
  compare_beside(quern::flip(y));
  compare_beside(quern::permute_dims(samples<2>({4, 23}, 3), quern::axes{1, 0}));
  compare_beside(quern::slice(samples<1>({9}, 4), {{quern::end(), 0, -2}}));
}

TEST(ReindexedBesideChunks, ByMapsOfIndices) {
  const auto y = samples(extents, 2);
  compare_beside(quern::take(quern::roll(y, 3, axis{0}), indices(some), axis{0}));
  compare_beside(quern::pad(samples<2>({20, 1}, 3), {{1, 2}, {2, 1}}, -0.5));
  compare_beside(quern::repeat(samples<1>({2}, 4), 2, axis{0}));  // in every chunk as a whole
}

TEST(ReindexedBesideChunks, OfLazyArraysWithPositions) {
  compare_beside(quern::roll(quern::lazy(add_position(), samples(extents, 2), quern::positions()), 7, axis{0}));
}

TEST(ReindexedBesideChunks, InScans) {
  const auto y = samples(extents, 2);
  compare(samples(extents, 3), [&](const auto& out, const auto& in, const auto&... o) {
    quern::exclusive_scan(space(), out, sum_of_two(), 0.0, quern::lazy(weighted(), in, quern::roll(y, 2, axis{0})),
                          axis{0}, o...);
  });
}

TEST(ReindexedBesideChunks, InStencils) {
  const auto y = samples(extents, 2);
  for (const auto& edge : {quern::boundary::wrap, quern::boundary::reflect}) {
    compare(samples(extents, 3), [&](const auto& out, const auto& in, const auto&... o) {
      quern::stencil<quern::star<1>>(space(), out, cross(), edge, o..., in, quern::roll(y, 2, axis{0}));
    });
    compare(samples(extents, 3), [&](const auto& out, const auto& in, const auto&... o) {
      quern::stencil<quern::star<1>>(space(), out, cross(), edge, o..., in, quern::flip(y));
    });
  }
}

TEST(ReindexedBesideChunks, IndicesAreCheckedBeforeTheFirstChunk) {
  const auto a = behind<double>(extents);
  const auto y = samples(extents, 2), out = make(extents, std::vector<double>(23 * 4, 7));
  auto wrong = some;
  wrong[21] = 23;  // of the last chunk
  const auto o = test::memory_for(a, 5, 2);
  try {
    quern::map(space(), out, weighted(), o, a.source(), quern::take(y, indices(wrong), axis{0}));
    ADD_FAILURE() << "no error";
  } catch (const quern::ElementError& e) {
    EXPECT_STREQ("quern::map: index 23 at position 21 is out of range for an extent of 23", e.what());
  }
  EXPECT_EQ(std::vector<double>(23 * 4, 7), test::contents(out));
  const auto outside = counter();
  quern::map(space(), out, weighted(), o, a.source(), quern::take(y, indices(wrong), axis{0}, outside));
  EXPECT_EQ(1, test::value(outside));
  EXPECT_EQ(a.values[21 * 4] + 3 * test::contents(y)[22 * 4], test::contents(out)[21 * 4]);
}

TEST(ReindexedBesideChunks, OverlapWithAnOutput) {
  const auto a = behind<double>(extents);
  const auto y = samples(extents, 2);
  test::expect_error("quern::map: out and an input share memory", [&] {
    quern::map(space(), y, weighted(), test::memory_for(a, 5, 2), a.source(), quern::roll(y, 1, axis{0}));
  });
  const auto row = Kokkos::subview(y, 3, Kokkos::ALL);
  test::expect_error("quern::sum: out and in 1 share memory", [&] {
    quern::sum(space(), row, quern::lazy(weighted(), a.source(), quern::roll(y, 1, axis{0})), axis{0});
  });
  test::expect_error("quern::map: in 2 has extents (23, 5), which do not broadcast to (23, 4)", [&] {
    quern::map(space(), y, weighted(), a.source(), quern::pad(samples(extents, 3), {{0, 0}, {0, 1}}));
  });
}

}  // namespace
