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
void compare(const Out& out, const Call& call, std::int64_t arrays = 2) {
  const auto a = behind<double>(extents);
  const auto whole = make(extents, a.values);
  call(out, whole);
  const auto expected = test::contents(out);
  quern::fill(out, -1.0);
  const auto o = test::memory_for(a, 5, arrays);
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
    compare(
        samples(extents, 3),
        [&](const auto& out, const auto& in, const auto&... o) {
          quern::stencil<quern::star<1>>(space(), out, cross(), edge, o..., in, quern::roll(y, 2, axis{0}));
        },
        3);
    compare(
        samples(extents, 3),
        [&](const auto& out, const auto& in, const auto&... o) {
          quern::stencil<quern::star<1>>(space(), out, cross(), edge, o..., in, quern::flip(y));
        },
        3);
  }
}

// Three chunks of four rows with the halo are 384 bytes: of the source, of out and, where it is copied, of the other
// input.
TEST(ReindexedBesideChunks, MemoryOfStencils) {
  const auto a = behind<double>(extents);
  const auto y = samples(extents, 2), out = samples(extents, 3);
  const auto reject = [&](const std::string& bytes, const auto& edge, const auto& other) {
    test::expect_error(
        "quern::stencil: the memory of 700 bytes is too little for chunks of 2 along axis 0, which take " + bytes +
            " bytes",
        [&] {
          quern::stencil<quern::star<1>>(space(), out, cross(), edge, quern::chunking{.memory = 700}, a.source(),
                                         other);
        });
  };
  reject("768", quern::boundary::reflect, y);
  reject("1152", quern::boundary::reflect, quern::roll(y, 2, axis{0}));
  reject("1152", quern::boundary::wrap, y);
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
  test::expect_error("quern::map: out and the array that an input re-indexes share memory", [&] {
    quern::map(space(), y, weighted(), test::memory_for(a, 5, 2), a.source(), quern::roll(y, 1, axis{0}));
  });
  const auto row = Kokkos::subview(y, 3, Kokkos::ALL);
  test::expect_error("quern::sum: out and the array that in 1 re-indexes share memory", [&] {
    quern::sum(space(), row, quern::lazy(weighted(), a.source(), quern::roll(y, 1, axis{0})), axis{0});
  });
  test::expect_error("quern::map: in 2 has extents (23, 5), which do not broadcast to (23, 4)", [&] {
    quern::map(space(), y, weighted(), a.source(), quern::pad(samples(extents, 3), {{0, 0}, {0, 1}}));
  });
}

/// A View of the host behind a reader of boxes, in the order of its layout.
template <class V>
auto boxes_of(const V& view) {
  const quern::impl::array_bytes a(quern::impl::describe(view));
  return quern::chunked::Source<double, quern::impl::rank_of<V>>(std::make_shared<quern::impl::view_reader>(a, false));
}

/// What `change` makes of an array in memory is what it makes of the same array that is read in chunks: by rows, by
/// boxes in C order and by boxes in Fortran order, in small chunks and in large ones.
template <class Change>
void compare_changes(const Change& change) {
  const auto a = behind<double>(extents);
  const auto whole = make(extents, a.values);
  const Kokkos::View<double**, LayoutRight, Kokkos::HostSpace> rows("rows", 23, 4);
  const Kokkos::View<double**, Kokkos::LayoutLeft, Kokkos::HostSpace> columns("columns", 23, 4);
  for (int i = 0; i < 23 * 4; ++i) rows(i / 4, i % 4) = columns(i / 4, i % 4) = a.values[i];
  const auto operand = change(whole);
  constexpr int rank = quern::impl::rank_of<std::remove_const_t<decltype(operand)>>;
  std::array<std::int64_t, rank> e;
  std::copy_n(quern::extents_of(operand).extent.begin(), rank, e.begin());
  const auto expected = test::make_array<double, rank, LayoutRight, space>(e),
             found = test::make_array<double, rank, LayoutRight, space>(e);
  quern::copy(space(), expected, operand);
  for (const auto& source : {a.source(), boxes_of(rows), boxes_of(columns)})
    for (const std::size_t memory : {2000, 1 << 20}) {
      const quern::chunking o{.memory = memory};
      quern::fill(found, -1.0);
      const auto changed = change(source);
      EXPECT_EQ(quern::extents_of(operand), quern::extents_of(changed));
      quern::copy(space(), found, changed, o);
      EXPECT_EQ(test::contents(expected), test::contents(found));
    }
  quern::fill(found, -1.0);
  quern::copy(space(), found, boxes_of(change(rows)));  // as a View of the host comes to a device
  EXPECT_EQ(test::contents(expected), test::contents(found));
}

TEST(ReindexedInChunks, WithTheAxesInTheirOrder) {
  using quern::end;
  compare_changes([](const auto& x) { return quern::flip(x); });
  compare_changes([](const auto& x) { return quern::flip(x, axis{0}); });
  compare_changes([](const auto& x) { return quern::flip(x, axis{1}); });
  compare_changes([](const auto& x) { return quern::slice(x, {{3, 19}}); });
  compare_changes([](const auto& x) { return quern::slice(x, {{}, {1, 3}}); });
  compare_changes([](const auto& x) { return quern::slice(x, {{20, 1, -3}, {end(), end(), -2}}); });
  compare_changes([](const auto& x) { return quern::slice(x, {{5, 5}}); });
  compare_changes([](const auto& x) { return quern::slice(quern::flip(x, axis{0}), {{1, end(), 2}, {2, 3}}); });
  compare_changes([](const auto& x) { return quern::squeeze(quern::expand_dims(x, axis{0}), axis{0}); });
  compare_changes([](const auto& x) { return quern::squeeze(quern::slice(x, {{7, 8}}), axis{0}); });
}

TEST(ReindexedInChunks, WithTheAxesInAnotherOrder) {
  compare_changes([](const auto& x) { return quern::permute_dims(x, quern::axes{1, 0}); });
  compare_changes([](const auto& x) { return quern::flip(quern::moveaxis(x, 0, 1), axis{1}); });
  compare_changes([](const auto& x) { return quern::moveaxis(quern::slice(x, {{4, 17, 2}, {1, 4}}), 0, 1); });
}

TEST(ReindexedInChunks, WithMoreAxes) {
  compare_changes([](const auto& x) { return quern::expand_dims(x, axis{0}); });  // cut along the axis in the middle
  compare_changes([](const auto& x) { return quern::expand_dims(x, axis{1}); });
  compare_changes([](const auto& x) { return quern::expand_dims(quern::flip(x), axis{2}); });
  compare_changes([](const auto& x) { return quern::broadcast_to(x, {2, 23, 4}); });
  compare_changes([](const auto& x) { return quern::broadcast_to(quern::slice(x, {{}, {2, 3}}), {3, 23, 5}); });
}

/// An array whose elements are their positions in C order, and the bytes that were read of it at once.
struct positions_reader : quern::impl::array_reader {
  explicit positions_reader(const quern::shape& e) { extents = e; }
  std::string location(const quern::impl::packed_box&) const override { return "positions"; }
  void read(const quern::impl::packed_box& box, void* to) override {
    most_read = std::max(most_read, box.extents.size() * std::int64_t{sizeof(double)});
    const quern::shape& n = box.extents;
    double* next = static_cast<double*>(to);
    for (std::int64_t i = 0; i < n.extent[0]; ++i)
      for (std::int64_t j = 0; j < n.extent[1]; ++j)
        for (std::int64_t k = 0; k < n.extent[2]; ++k)
          *next++ = value(box.first[0] + i, box.first[1] + j, box.first[2] + k);
  }
  double value(std::int64_t i, std::int64_t j, std::int64_t k) const {
    return static_cast<double>((i * extents.extent[1] + j) * extents.extent[2] + k);
  }
  std::int64_t most_read = 0;
};

// 17 MB lie between the first and the last element that are read.
TEST(ReindexedInChunks, WhatLiesBetweenElementsIsReadInParts) {
  const auto array = std::make_shared<positions_reader>(quern::shape{3, 3000, 750});
  const quern::chunked::Source<double, 3> source(array);
  const auto check = [&](const auto& in, const auto& value) {
    array->most_read = 0;
    const std::array<std::int64_t, 2> e{quern::extents_of(in).extent[0], quern::extents_of(in).extent[1]};
    const auto found = test::make_array<double, 2, LayoutRight, space>(e);
    quern::copy(space(), found, in);
    std::vector<double> expected;
    for (std::int64_t i = 0; i < e[0]; ++i)
      for (std::int64_t j = 0; j < e[1]; ++j) expected.push_back(value(i, j));
    EXPECT_EQ(expected, test::contents(found));
    EXPECT_LE(array->most_read, 16 << 20);
  };
  const auto slab =
      quern::squeeze(quern::slice(source, {{1, 2}, {0, quern::end(), 1000 - 1}, {0, quern::end(), 7}}), axis{0});
  check(slab, [&](std::int64_t j, std::int64_t k) { return array->value(1, 999 * j, 7 * k); });
  check(quern::permute_dims(slab, quern::axes{1, 0}),
        [&](std::int64_t k, std::int64_t j) { return array->value(1, 999 * j, 7 * k); });
}

TEST(ReindexedInChunks, InReductionsAndLazyArrays) {
  const auto y = samples(extents, 5);
  compare(samples<1>({4}, 8), [&](const auto& out, const auto& in, const auto&... o) {
    quern::max(space(), out, quern::flip(in), axis{0}, o...);
  });
  compare(samples<1>({23}, 8), [&](const auto& out, const auto& in, const auto&... o) {
    quern::max(space(), out, quern::lazy(weighted(), quern::flip(in, axis{0}), y), axis{1}, o...);
  });
  compare(samples(extents, 8), [&](const auto& out, const auto& in, const auto&... o) {
    quern::copy(space(), out, quern::flip(quern::lazy(add_position(), in, quern::positions())), o...);
  });
}

TEST(ReindexedInChunks, OfViewsOfTheHost) {
  const auto y = samples(extents, 5), out = samples(extents, 6);
  const auto expected = samples(extents, 7);
  quern::copy(space(), expected, quern::flip(y));
  quern::copy(space(), quern::in_chunks(out), quern::flip(quern::in_chunks(y)));
  EXPECT_EQ(test::contents(expected), test::contents(out));
  quern::fill(space(), out, 0.0);
  quern::copy(space(), quern::flip(quern::in_chunks(out)), y);
  EXPECT_EQ(test::contents(expected), test::contents(out));
  EXPECT_EQ(quern::sum(space(), quern::diagonal(y)), quern::sum(space(), quern::diagonal(quern::in_chunks(y))));
}

TEST(ReindexedInChunks, RepeatedElementsAreNoOutput) {
  const auto a = behind<double>(extents);
  const auto row = samples(std::array<std::int64_t, 1>{4}, 3);
  test::expect_error("quern::copy: out has stride 0 along axis 0 of extents (23, 4): its elements share memory",
                     [&] { quern::copy(space(), quern::broadcast_to(quern::in_chunks(row), {23, 4}), a.source()); });
}

TEST(ReindexedInChunks, RowsOfAFunctionAreNotCutAcross) {
  const auto a = behind<double>(extents);
  const Kokkos::View<double**, LayoutRight, Kokkos::HostSpace> rows("rows", 4, 23);  // cut along axis 0
  try {
    quern::map(space(), samples<2>({4, 23}, 3), sum_of_two(), quern::chunking{.memory = 3000}, boxes_of(rows),
               quern::permute_dims(a.source(), quern::axes{1, 0}));
    ADD_FAILURE() << "no error";
  } catch (const quern::chunked::ChunkError& e) {
    EXPECT_STREQ(
        "quern::map: chunk 0 of 2 (a reader, rows 0 to 22): quern::chunked: a user's reader has rows along axis 0, "
        "which is axis 1 of what it is re-indexed to; all operands must be cut along that axis",
        e.what());
  }
}

}  // namespace
