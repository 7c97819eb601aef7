// SPDX-FileCopyrightText: the Quern authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Masks in chunks, beside those in memory.

#include <chunked/behind_function.hpp>
#include <quern/chunked.hpp>
#include <quern/keyed.hpp>
#include <quern/map.hpp>
#include <quern/reduce.hpp>
#include <quern/scan.hpp>

namespace {

using quern::axis, quern::mask, quern::reproducible;
using test::behind, test::memory_for;

template <class Exec>
struct ChunkedMasks : testing::Test {
  static constexpr std::array<std::int64_t, 3> extents{97, 3, 11};
  const test::behind_function<double, 3> array = behind<double>(extents);
  test::behind_function<int, 3> chosen = behind<int>(extents, 2);
  Exec e;

  auto in_memory() const { return test::make_array<double, 3, Kokkos::LayoutRight, Exec>(extents, array.values); }
  auto mask_in_memory() const { return test::make_array<int, 3, Kokkos::LayoutRight, Exec>(extents, chosen.values); }
};
TYPED_TEST_SUITE(ChunkedMasks, test::all_spaces);

TYPED_TEST(ChunkedMasks, SelectInChunksAsInMemory) {
  const auto& e = this->e;
  const auto x = this->in_memory();
  const auto m = this->mask_in_memory();
  for (const std::int64_t rows : {1, 10, 1000}) {
    const auto o = memory_for(this->array, rows, 3);
    const auto source = this->array.source();
    const mask chosen{this->chosen.source()};
    EXPECT_EQ(quern::sum(e, x, mask{m}), quern::sum(e, source, chosen, o));
    EXPECT_EQ(quern::sum(e, x, mask{m}, reproducible), quern::sum(e, source, chosen, o, reproducible));
    EXPECT_EQ(quern::mean(e, x, mask{m}), quern::mean(e, source, chosen, o));
    EXPECT_EQ(quern::min(e, x, mask{m}), quern::min(e, source, chosen, o));
    EXPECT_EQ(quern::argmax(e, x, mask{m}), quern::argmax(e, source, chosen, o));
    EXPECT_EQ(quern::dot(e, x, x, mask{m}), quern::dot(e, source, source, chosen, o));
    EXPECT_EQ(quern::ptp(e, x, mask{m}), quern::ptp(e, source, chosen, o));
    EXPECT_NEAR(quern::var(e, x, mask{m}), quern::var(e, source, chosen, o), 1e-13);
    EXPECT_NEAR(quern::nanstd(e, x, mask{m}), quern::nanstd(e, source, chosen, o), 1e-13);
    EXPECT_EQ(quern::var(e, x, mask{m}, reproducible), quern::var(e, source, o, chosen, reproducible));
    EXPECT_EQ(quern::sum(e, x, mask{m}), quern::sum(e, source, mask{m}, o));  // a mask in memory, cut as x is
  }
}

TYPED_TEST(ChunkedMasks, SelectAlongAxesAsInMemory) {
  const auto& e = this->e;
  const auto x = this->in_memory();
  const auto repeated = test::make_array<bool, 2, Kokkos::LayoutRight, TypeParam>({3, 1}, {true, false, true});
  const auto check = [&](const auto& m, const auto& of_source, int along, const quern::chunking& o) {
    std::array<std::int64_t, 2> kept{};
    for (int d = 0, k = 0; d < 3; ++d)
      if (d != along) kept[k++] = this->extents[d];
    const auto expected = test::make_array<double, 2, Kokkos::LayoutRight, TypeParam>(kept);
    const auto found = test::make_array<double, 2, Kokkos::LayoutRight, TypeParam>(kept);
    quern::sum(e, expected, x, axis{along}, mask{m});
    quern::sum(e, found, this->array.source(), axis{along}, mask{of_source}, o);
    EXPECT_EQ(test::contents(expected), test::contents(found));
    quern::argmin(e, expected, x, axis{along}, mask{m});
    quern::argmin(e, found, this->array.source(), axis{along}, mask{of_source}, o);
    EXPECT_EQ(test::contents(expected), test::contents(found));
  };
  for (const std::int64_t rows : {1, 10, 1000})
    for (int along = 0; along < 3; ++along) {
      check(this->mask_in_memory(), this->chosen.source(), along, memory_for(this->array, rows, 3));
      check(repeated, repeated, along, memory_for(this->array, rows));
    }
}

struct doubled {
  KOKKOS_FUNCTION double operator()(double x) const { return 2 * x; }
};

TYPED_TEST(ChunkedMasks, SelectForMapsAndScansAsInMemory) {
  using host = Kokkos::View<double***, Kokkos::LayoutRight, Kokkos::HostSpace>;
  const auto& e = this->e;
  const auto x = this->in_memory();
  const mask m{this->mask_in_memory()};
  const mask chosen{this->chosen.source()};
  const auto expected = test::make_array<double, 3, Kokkos::LayoutRight, TypeParam>(this->extents);
  const host found("found", 97, 3, 11);
  const auto compare = [&](const char* what) {
    e.fence();
    const auto values = test::contents(expected);
    EXPECT_TRUE(std::equal(values.begin(), values.end(), found.data())) << what;
  };
  for (const std::int64_t rows : {1, 10, 1000}) {
    const auto o = memory_for(this->array, rows, 4);
    Kokkos::deep_copy(expected, 7);
    Kokkos::deep_copy(found, 7);
    quern::map(e, expected, doubled(), m, x);
    quern::map(e, quern::in_chunks(found), doubled(), chosen, o, this->array.source());
    compare("map");
    for (int along = 0; along < 3; ++along) {
      quern::cumsum(e, expected, x, axis{along}, m);
      quern::cumsum(e, quern::in_chunks(found), this->array.source(), axis{along}, chosen, o);
      compare("cumsum");
    }
  }
}

/// Counts where it is called with what is not positive, for which it has no value.
template <class Exec>
struct of_positive {
  Kokkos::View<int, typename Exec::memory_space> others;
  KOKKOS_FUNCTION double operator()(double x) const {
    if (!(x > 0)) Kokkos::atomic_inc(others.data());
    return 1 / x;
  }
};
struct is_positive {
  KOKKOS_FUNCTION bool operator()(double x) const { return x > 0; }
};

TYPED_TEST(ChunkedMasks, SelectWhatLazyArraysCompute) {
  const auto& e = this->e;
  const Kokkos::View<int, typename TypeParam::memory_space> others("others");
  const of_positive<TypeParam> f{others};
  const auto o = memory_for(this->array, 10, 3);
  double sums[2] = {};
  const auto check = [&](const auto& in, int number, const auto&... place) {
    const auto x = quern::lazy(f, in);
    const mask positive{quern::lazy(is_positive(), in)};
    sums[number] = quern::sum(e, x, positive, place...);
    EXPECT_LT(1, quern::max(e, x, positive, place...));
    EXPECT_LT(0, quern::mean(e, x, positive, place...));
    quern::dot(e, in, x, positive, place...);
  };
  const auto x = this->in_memory();
  check(x, 0);
  check(this->array.source(), 1, o);
  EXPECT_NEAR(sums[0], sums[1], 1e-10);
  const auto source = this->array.source();
  EXPECT_LT(0, quern::median(e, quern::lazy(f, source), mask{quern::lazy(is_positive(), source)}, o));
  const auto out = this->in_memory();
  const mask positive{quern::lazy(is_positive(), x)};
  quern::cumsum(e, out, quern::lazy(f, x), axis{1}, positive);
  quern::map(e, out, doubled(), positive, quern::lazy(f, x));
  EXPECT_EQ(0, test::value(others));
}

TYPED_TEST(ChunkedMasks, SelectForCountsAsInMemory) {
  const auto& e = this->e;
  const auto x = this->in_memory();
  const mask m{this->mask_in_memory()};
  const mask chosen{this->chosen.source()};
  const auto counts = [] { return test::make_array<std::int64_t, 1, Kokkos::LayoutRight, TypeParam>({5}); };
  const auto expected = counts(), found = counts();
  const auto numbers = behind<int>(this->extents, 4);
  const auto in_memory = test::make_array<int, 3, Kokkos::LayoutRight, TypeParam>(this->extents, numbers.values);
  for (const std::int64_t rows : {1, 10, 1000}) {
    const auto o = memory_for(this->array, rows, 4);
    quern::histogram(e, expected, x, quern::bin_range{-1, 1}, m);
    quern::histogram(e, found, this->array.source(), quern::bin_range{-1, 1}, chosen, o);
    EXPECT_EQ(test::contents(expected), test::contents(found));
    quern::bincount(e, expected, in_memory, quern::key_range{-2, 3}, m);
    quern::bincount(e, found, numbers.source(), quern::key_range{-2, 3}, chosen, o);
    EXPECT_EQ(test::contents(expected), test::contents(found));
    EXPECT_EQ(quern::median(e, x, m), quern::median(e, this->array.source(), chosen, o));
  }
}

TYPED_TEST(ChunkedMasks, ThatDoNotBroadcastAreRejected) {
  const auto wrong = behind<int>(std::array<std::int64_t, 3>{96, 3, 11});
  test::expect_error("quern::sum: the mask has extents (96, 3, 11), which do not broadcast to (97, 3, 11)",
                     [&] { quern::sum(this->e, this->array.source(), mask{wrong.source()}); });
}

}  // namespace
