// SPDX-FileCopyrightText: the Quern authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Elements at indices that arrays hold, against NumPy's.

#include <limits>
#include <quern/map.hpp>
#include <support/reference_archive.hpp>
#include <support/testing.hpp>

namespace {

const test::reference_archive numpy("map/data/making.npz");

using quern::index_mode;

template <class Case>
struct Indices : testing::Test {
  using L = typename Case::layout;
  using E = typename Case::exec;
  template <int Rank, class T = double>
  static auto array(const std::string& name) {
    return test::make_array<T, Rank, L, E>(numpy.extents_of_rank<Rank>(name), numpy.values<T>(name));
  }
};
using index_cases = test::covering<double>;
TYPED_TEST_SUITE(Indices, index_cases);

TYPED_TEST(Indices, ElementsAlongAnAxisAreNumPys) {
  const typename TypeParam::exec exec;
  const auto x = this->template array<3>("cube"), out = this->template array<3>("cube"),
             largest = this->template array<3>("of_largest"), taken = this->template array<3>("taken");
  quern::take_along_axis(exec, out, x, this->template array<3, std::int64_t>("order"), quern::axis{1});
  EXPECT_EQ(numpy.values("sorted"), test::contents(out));
  quern::take_along_axis(largest, x, this->template array<3, std::int64_t>("largest"));
  EXPECT_EQ(numpy.values("of_largest"), test::contents(largest));
  // Indices that broadcast, are negative and of a narrow type.
  quern::take_along_axis(exec, taken, x, this->template array<3, std::int16_t>("some"), quern::axis{-2});
  EXPECT_EQ(numpy.values("taken"), test::contents(taken));
}

TYPED_TEST(Indices, WriteAlongAnAxisAsNumPy) {
  const typename TypeParam::exec exec;
  const auto out = this->template array<3>("cube"), again = this->template array<3>("cube");
  quern::put_along_axis(exec, out, this->template array<3, std::int32_t>("few"), this->template array<3>("values"),
                        quern::axis{1});
  EXPECT_EQ(numpy.values("put_along"), test::contents(out));
  quern::put_along_axis(again, this->template array<3, std::int64_t>("largest"), -1);
  EXPECT_EQ(numpy.values("put_largest"), test::contents(again));
}

TYPED_TEST(Indices, WriteAtPositionsAsNumPy) {
  const typename TypeParam::exec exec;
  const auto fresh = [&] { return this->template array<3>("cube"); };
  const auto two = test::make_array<double, 1, typename TypeParam::layout, typename TypeParam::exec>({2}, {1.5, 2.5});
  const auto out = fresh(), wrapped = fresh(), clipped = fresh();
  quern::put(exec, out, this->template array<1, std::int64_t>("positions"), two);
  EXPECT_EQ(numpy.values("put"), test::contents(out));
  const auto wild = this->template array<1, std::int64_t>("wild");
  const auto three = test::make_array<double, 1, typename TypeParam::layout, typename TypeParam::exec>({3}, {1, 2, 3});
  quern::put(exec, wrapped, wild, three, index_mode::wrap);
  EXPECT_EQ(numpy.values("put_wrap"), test::contents(wrapped));
  quern::put(clipped, wild, three, index_mode::clip);
  EXPECT_EQ(numpy.values("put_clip"), test::contents(clipped));
}

// Of arrays whose strides are negative, in another order, or with steps.
TYPED_TEST(Indices, ReindexedByStrides) {
  const typename TypeParam::exec exec;
  const auto x = this->template array<3>("cube"), out = this->template array<3>("cube");
  const auto order = this->template array<3, std::int64_t>("order");
  const auto check = [&](const auto& turn) {
    quern::fill(exec, out, 0.0);
    quern::take_along_axis(exec, turn(out), turn(x), turn(order), quern::axis{1});
    EXPECT_EQ(numpy.values("sorted"), test::contents(out));
    const auto written = this->template array<3>("cube");
    quern::put_along_axis(exec, turn(written), turn(this->template array<3, std::int32_t>("few")),
                          turn(this->template array<3>("values")), quern::axis{1});
    EXPECT_EQ(numpy.values("put_along"), test::contents(written));
  };
  check([](const auto& v) { return quern::flip(v, quern::axes{0, 2}); });
  check([](const auto& v) { return quern::permute_dims(v, quern::axes{2, 1, 0}); });
  const auto written = this->template array<3>("cube");
  auto positions = numpy.values<std::int64_t>("positions");
  const auto n = static_cast<std::int64_t>(written.size());
  for (auto& p : positions) p = p < 0 ? -1 - p : n - 1 - p;
  const auto at = test::make_array<std::int64_t, 1, typename TypeParam::layout, typename TypeParam::exec>(
      {static_cast<std::int64_t>(positions.size())}, positions);
  const auto three =
      test::make_array<double, 1, typename TypeParam::layout, typename TypeParam::exec>({3}, {1.5, 7, 2.5});
  quern::put(exec, quern::flip(written), at, quern::slice(three, {{0, quern::end(), 2}}));
  EXPECT_EQ(numpy.values("put"), test::contents(written));
}

TYPED_TEST(Indices, OfElementsByNumber) {
  const typename TypeParam::exec exec;
  const auto numbers = this->template array<2, std::int64_t>("numbers");
  const auto i = this->template array<2, std::int64_t>("numbers"), j = this->template array<2, std::int64_t>("numbers"),
             k = this->template array<2, std::int64_t>("numbers");
  quern::unravel_index(exec, quern::outputs(i, j, k), numbers, {3, 4, 5});
  EXPECT_EQ(numpy.values<std::int64_t>("unraveled_0"), test::contents(i));
  EXPECT_EQ(numpy.values<std::int64_t>("unraveled_1"), test::contents(j));
  EXPECT_EQ(numpy.values<std::int64_t>("unraveled_2"), test::contents(k));
  const auto back = this->template array<2, std::int64_t>("numbers");
  quern::ravel_index(back, quern::components(i, j, k), {3, 4, 5});
  EXPECT_EQ(numpy.values<std::int64_t>("numbers"), test::contents(back));
  const auto line = this->template array<1, std::int64_t>("rows");
  const auto out = this->template array<1, std::int64_t>("raveled");
  quern::ravel_index(exec, out, quern::components(line, this->template array<1, std::int64_t>("columns")), {4, 5});
  EXPECT_EQ(numpy.values<std::int64_t>("raveled"), test::contents(out));
  const auto rows = this->template array<1, std::int64_t>("wild_rows"),
             columns = this->template array<1, std::int64_t>("wild_columns");
  for (const auto& [mode, name] : {std::pair(index_mode::wrap, "raveled_wrap"), {index_mode::clip, "raveled_clip"}}) {
    quern::ravel_index(exec, out, quern::components(rows, columns), {4, 5}, mode);
    EXPECT_EQ(numpy.values<std::int64_t>(name), test::contents(out)) << name;
  }
}

template <class Exec>
struct IndicesOn : testing::Test {
  template <class T>
  static auto row(const std::vector<T>& v) {
    return test::make_array<T, 1, Kokkos::LayoutRight, Exec>({static_cast<std::int64_t>(v.size())}, v);
  }
  using number = std::int64_t;
};
TYPED_TEST_SUITE(IndicesOn, test::all_spaces);

TYPED_TEST(IndicesOn, OutOfRangeAreAnErrorBeforeAnythingIsWritten) {
  const TypeParam exec;
  const auto x = this->row(std::vector<double>{1, 2, 3}), out = this->row(std::vector<double>{7, 7, 7});
  const auto bad = this->row(std::vector<int>{0, 3, -4});
  const auto fails = [&](const std::string& problem, std::int64_t position, const auto& run) {
    try {
      run();
      ADD_FAILURE() << "no error";
    } catch (const quern::ElementError& e) {
      EXPECT_EQ("quern::" + problem, e.what());
      EXPECT_EQ(position, e.position());
    }
  };
  const std::string range = " is out of range for an extent of 3";
  fails("take_along_axis: index 3 at position 1" + range + "; so is another", 1,
        [&] { quern::take_along_axis(exec, out, x, bad); });
  fails("put_along_axis: index 3 at position 1" + range + "; so is another", 1,
        [&] { quern::put_along_axis(exec, out, bad, 1.0); });
  fails("put: index 3 at position 1" + range + "; so is another", 1, [&] { quern::put(exec, out, bad, x); });
  const auto numbers = this->row(std::vector<int>{2, 1, -1}), at = this->row(std::vector<int>{7, 7, 7});
  fails("unravel_index: index -1 at position 2" + range, 2, [&] { quern::unravel_index(exec, at, numbers, {3}); });
  fails("ravel_index: index -1 at position 2" + range, 2, [&] {
    quern::ravel_index(exec, at, quern::components(this->row(std::vector<int>{0, 1, 2}), numbers), {3, 3});
  });
  const auto huge = this->row(std::vector<std::uint64_t>{0, std::numeric_limits<std::uint64_t>::max(), 0});
  fails("put: index 9223372036854775807 at position 1" + range, 1, [&] { quern::put(exec, out, huge, 1.0); });
  EXPECT_EQ(std::vector<double>(3, 7.0), test::contents(out));
  EXPECT_EQ(std::vector<int>(3, 7), test::contents(at));
}

TYPED_TEST(IndicesOn, OutOfRangeAreCounted) {
  const TypeParam exec;
  const auto x = this->row(std::vector<double>{1, 2, 3}), out = this->row(std::vector<double>{7, 7, 7});
  const auto bad = this->row(std::vector<int>{0, 3, -4});
  const Kokkos::View<std::int64_t, TypeParam> info("info");
  Kokkos::deep_copy(info, 99);
  quern::take_along_axis(exec, out, x, bad, info);
  EXPECT_EQ((std::vector<double>{1, 3, 1}), test::contents(out));
  EXPECT_EQ(2, test::value(info));
  quern::put(exec, out, bad, 9, info);
  EXPECT_EQ((std::vector<double>{9, 3, 1}), test::contents(out));
  EXPECT_EQ(2, test::value(info));
  quern::put_along_axis(exec, out, this->row(std::vector<int>{1, -1}), 5, quern::axis{0}, info);
  EXPECT_EQ((std::vector<double>{9, 5, 5}), test::contents(out));
  EXPECT_EQ(0, test::value(info));
  const auto at = this->row(std::vector<int>(3));
  quern::unravel_index(exec, at, this->row(std::vector<int>{-1, 5, 2}), {3}, info);
  EXPECT_EQ((std::vector<int>{0, 2, 2}), test::contents(at));
  EXPECT_EQ(2, test::value(info));
  quern::ravel_index(exec, at, quern::components(bad, bad), {3, 4}, info);
  EXPECT_EQ((std::vector<int>{0, 11, 0}), test::contents(at));
  EXPECT_EQ(3, test::value(info));
}

TYPED_TEST(IndicesOn, OneIndexTakesAnAxisAway) {
  const auto x = test::make_array<double, 2, Kokkos::LayoutLeft, TypeParam>({2, 3}, {1, 2, 3, 4, 5, 6});
  const auto row = this->row(std::vector<double>(3)), column = this->row(std::vector<double>(2));
  quern::map(TypeParam(), row, quern::impl::op::identity(), quern::take(x, -1, quern::axis{0}));
  EXPECT_EQ((std::vector<double>{4, 5, 6}), test::contents(row));
  quern::map(TypeParam(), column, quern::impl::op::identity(), quern::take(quern::roll(x, 1), 0U, quern::axis{-1}));
  EXPECT_EQ((std::vector<double>{6, 3}), test::contents(column));
  quern::fill(quern::take(x, 1, quern::axis{1}), 9);
  EXPECT_EQ((std::vector<double>{1, 9, 3, 4, 9, 6}), test::contents(x));
  EXPECT_THROW(quern::take(x, 2, quern::axis{0}), quern::Error);
  EXPECT_THROW(quern::take(x, -3, quern::axis{0}), quern::Error);
}

TYPED_TEST(IndicesOn, OfTheValuesAreCheckedToo) {
  const TypeParam exec;
  const auto x = this->row(std::vector<double>{1, 2, 3}), out = this->row(std::vector<double>{7, 7, 7});
  const auto at = this->row(std::vector<int>{0, 2}), bad = this->row(std::vector<int>{1, 3});
  const auto taken = quern::take(x, bad, quern::axis{0});
  EXPECT_THROW(quern::put(exec, out, at, taken), quern::ElementError);
  EXPECT_THROW(quern::put_along_axis(exec, out, at, taken), quern::ElementError);
  EXPECT_EQ(std::vector<double>(3, 7.0), test::contents(out));
  const Kokkos::View<std::int64_t, TypeParam> info("info");
  for (const bool along : {false, true}) {
    Kokkos::deep_copy(info, 99);
    const auto counted = quern::take(x, bad, quern::axis{0}, info);
    if (along) quern::put_along_axis(exec, out, at, counted);
    else quern::put(exec, out, at, counted);
    EXPECT_EQ((std::vector<double>{2, 7, 3}), test::contents(out));
    EXPECT_EQ(1, test::value(info));
  }
}

TYPED_TEST(IndicesOn, AreNotCountedInWhatIsWrittenOrRead) {
  using number = std::int64_t;
  const TypeParam exec;
  const auto at = this->row(std::vector<number>{2, 1, 0}), x = this->row(std::vector<number>{4, 5, 6}),
             out = this->row(std::vector<number>{7, 7, 7});
  const auto in_at = Kokkos::subview(at, 1), in_x = Kokkos::subview(x, 1), in_out = Kokkos::subview(out, 1);
  const auto fails = [&](const std::string& problem, const auto& run) {
    test::expect_error("quern::" + problem + " and info share memory", run);
  };
  fails("take_along_axis: out", [&] { quern::take_along_axis(exec, out, x, at, in_out); });
  fails("take_along_axis: in", [&] { quern::take_along_axis(exec, out, x, at, in_x); });
  fails("take_along_axis: indices", [&] { quern::take_along_axis(exec, out, x, at, in_at); });
  fails("put_along_axis: indices", [&] { quern::put_along_axis(exec, out, quern::roll(at, 1), x, in_at); });
  fails("put_along_axis: values", [&] { quern::put_along_axis(exec, out, at, x, in_x); });
  fails("put: indices", [&] { quern::put(exec, out, at, 1, in_at); });
  fails("put: values", [&] { quern::put(exec, out, at, quern::roll(x, 1), in_x); });
  fails("unravel_index: indices", [&] { quern::unravel_index(exec, out, at, {3}, in_at); });
  fails("ravel_index: indices", [&] { quern::ravel_index(exec, out, quern::components(at, x), {3, 9}, in_x); });
  fails("take: indices", [&] { quern::copy(exec, out, quern::take(x, at, quern::axis{0}, in_at)); });
  fails("take: in", [&] { quern::copy(exec, out, quern::take(x, at, quern::axis{0}, in_x)); });
  EXPECT_EQ((std::vector<number>{2, 1, 0}), test::contents(at));
  EXPECT_EQ((std::vector<number>{4, 5, 6}), test::contents(x));
  EXPECT_EQ((std::vector<number>{7, 7, 7}), test::contents(out));
}

TYPED_TEST(IndicesOn, AreNotCountedByCallsThatAreRejected) {
  const TypeParam exec;
  const auto x = this->row(std::vector<double>{1, 2, 3}), out = this->row(std::vector<double>{7, 7, 7});
  const auto at = this->row(std::vector<std::int64_t>{0, 1, 2}), two = this->row(std::vector<std::int64_t>{0, 1});
  const Kokkos::View<std::int64_t, TypeParam> info("info");
  Kokkos::deep_copy(info, 99);
  EXPECT_THROW(quern::take_along_axis(exec, out, x, two, info), quern::Error);
  EXPECT_THROW(quern::put_along_axis(exec, out, two, x, info), quern::Error);
  const auto where = this->row(std::vector<int>{8, 8, 8});
  EXPECT_THROW(quern::unravel_index(exec, where, two, {3}, info), quern::Error);
  EXPECT_THROW(quern::unravel_index(exec, quern::outputs(where, where), at, {3, 4}, info), quern::Error);
  EXPECT_THROW(quern::unravel_index(exec, at, quern::roll(at, 1), {3}, info), quern::Error);
  EXPECT_THROW(quern::ravel_index(exec, where, quern::components(at, two), {3, 4}, info), quern::Error);
  EXPECT_EQ(99, test::value(info));
  EXPECT_EQ(std::vector<int>(3, 8), test::contents(where));
  EXPECT_EQ(std::vector<double>(3, 7.0), test::contents(out));
}

TYPED_TEST(IndicesOn, OfTypesThatDoNotHoldThemAreRejected) {
  const TypeParam exec;
  const auto at = this->row(std::vector<int>{25'599, 0});
  const auto wide = this->row(std::vector<std::uint8_t>(2));
  const auto narrow = this->row(std::vector<std::int8_t>(2));
  quern::unravel_index(exec, quern::outputs(narrow, wide), at, {100, 256});
  EXPECT_EQ((std::vector<std::int8_t>{99, 0}), test::contents(narrow));
  EXPECT_EQ((std::vector<std::uint8_t>{255, 0}), test::contents(wide));
  test::expect_error("quern::unravel_index: positions to before 256 do not fit the type of output 1, of 8 bits",
                     [&] { quern::unravel_index(exec, quern::outputs(wide, narrow), at, {100, 256}); });
  test::expect_error("quern::ravel_index: positions to before 257 do not fit the type of out, of 8 bits", [&] {
    quern::ravel_index(exec, wide, quern::components(narrow, narrow), {1, 257}, index_mode::clip);
  });
  EXPECT_EQ((std::vector<std::uint8_t>{255, 0}), test::contents(wide));
}

TYPED_TEST(IndicesOn, OfNothingIsNothing) {
  const TypeParam exec;
  const auto x = this->row(std::vector<double>{1, 2}), none = this->row(std::vector<double>());
  const auto no_indices = this->row(std::vector<int>()), first = this->row(std::vector<int>{0});
  quern::take_along_axis(exec, none, x, no_indices);
  quern::put_along_axis(exec, x, no_indices, 1.0);
  quern::put(exec, x, no_indices, x.extent(0) > 0 ? 1.0 : 2.0);
  quern::put(exec, x, first, none);
  quern::unravel_index(exec, this->row(std::vector<int>()), no_indices, {0});
  EXPECT_EQ((std::vector<double>{1, 2}), test::contents(x));
  test::expect_error("quern::put: axis 0 is empty, and there are indices", [&] { quern::put(exec, none, first, 1.0); });
}

TYPED_TEST(IndicesOn, RejectsWhatDoesNotFit) {
  const TypeParam exec;
  const auto x = this->row(std::vector<double>{1, 2, 3}), out = this->row(std::vector<double>{7, 7, 7});
  const auto at = this->row(std::vector<int>{0, 1, 2}), two = this->row(std::vector<int>{0, 1});
  test::expect_error("quern::take_along_axis: out and in share memory",
                     [&] { quern::take_along_axis(exec, x, x, at); });
  test::expect_error("quern::put: out and values share memory", [&] { quern::put(exec, x, at, x); });
  test::expect_error("quern::take_along_axis: the array of indices has extents (2), which do not broadcast to (3)",
                     [&] { quern::take_along_axis(exec, out, x, two); });
  test::expect_error("quern::put_along_axis: the array of values has extents (3), which do not broadcast to (2)",
                     [&] { quern::put_along_axis(exec, out, two, x); });
  const auto square = test::make_array<double, 2, Kokkos::LayoutRight, TypeParam>({2, 3}, std::vector<double>(6)),
             tall = test::make_array<double, 2, Kokkos::LayoutRight, TypeParam>({3, 3}, std::vector<double>(9));
  const auto pairs = test::make_array<int, 2, Kokkos::LayoutRight, TypeParam>({3, 2}, std::vector<int>(6));
  test::expect_error("quern::take_along_axis: in has extents (3, 3), which do not broadcast to (2, 3)",
                     [&] { quern::take_along_axis(exec, square, tall, pairs); });
  test::expect_error("quern::put_along_axis: the array of indices has extents (3, 2), which do not broadcast to (2, 2)",
                     [&] { quern::put_along_axis(exec, square, pairs, 1.0); });
  test::expect_error("quern::take_along_axis: axis 1 is out of range, expected one of an array of rank 1",
                     [&] { quern::take_along_axis(exec, out, x, at, quern::axis{1}); });
  test::expect_error("quern::unravel_index: the numbered array has extents (3, 4), expected rank 1",
                     [&] { quern::unravel_index(exec, this->row(std::vector<int>(3)), at, {3, 4}); });
  EXPECT_THROW(quern::ravel_index(exec, at, quern::components(at, at), {std::int64_t{1} << 40, std::int64_t{1} << 40}),
               quern::Error);
  EXPECT_EQ(std::vector<double>(3, 7.0), test::contents(out));
}

}  // namespace
