// SPDX-FileCopyrightText: the Quern authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <quern/map.hpp>
#include <support/reference_archive.hpp>
#include <support/testing.hpp>

namespace {

const test::reference_archive numpy("map/data/numpy.npz");

struct positive {
  KOKKOS_FUNCTION bool operator()(double x) const { return x > 0; }
};

struct product {
  KOKKOS_FUNCTION double operator()(float x, double factor) const { return x * factor; }
};

template <class Case>
struct Functions : testing::Test {};
using cases = test::covering<double>;
TYPED_TEST_SUITE(Functions, cases);

TYPED_TEST(Functions, AgreeWithNumPyOnBroadcastInputs) {
  using L = typename TypeParam::layout;
  using E = typename TypeParam::exec;
  const E exec{};
  const auto a = test::make_array<double, 3, L, E>({3, 1, 5}, numpy.values("a"));
  const auto b = test::make_array<double, 2, L, E>({4, 1}, numpy.values("b"));
  const auto z = test::make_array<double, 3, L, E>({3, 4, 5});
  quern::add(exec, z, a, b);
  EXPECT_EQ(numpy.values("a_plus_b"), test::contents(z));
  quern::subtract(exec, z, a, b);
  EXPECT_EQ(numpy.values("a_minus_b"), test::contents(z));
  quern::multiply(exec, z, a, b);
  EXPECT_EQ(numpy.values("a_times_b"), test::contents(z));
  quern::divide(exec, z, a, b);
  EXPECT_EQ(numpy.values("a_over_b"), test::contents(z));
  const auto c = test::make_array<bool, 3, Kokkos::LayoutRight, E>({3, 1, 5});
  quern::map(exec, c, positive(), a);
  quern::where(exec, z, c, a, b);
  EXPECT_EQ(numpy.values("where_a_positive"), test::contents(z));
}

TYPED_TEST(Functions, HaveOverloadsWithoutAnInstance) {
  using L = typename TypeParam::layout;
  using E = typename TypeParam::exec;
  const auto a = test::make_array<double, 1, L, E>({3}, {1, -2, 4});
  const auto z = test::make_array<double, 1, L, E>({3});
  using v = std::vector<double>;
  quern::fill(z, 5);
  EXPECT_EQ((v{5, 5, 5}), test::contents(z));
  quern::copy(z, a);
  EXPECT_EQ((v{1, -2, 4}), test::contents(z));
  quern::add(z, a, 1);
  EXPECT_EQ((v{2, -1, 5}), test::contents(z));
  quern::subtract(z, 1.0, a);
  EXPECT_EQ((v{0, 3, -3}), test::contents(z));
  quern::multiply(z, a, a);
  EXPECT_EQ((v{1, 4, 16}), test::contents(z));
  quern::divide(z, 8.0, a);
  EXPECT_EQ((v{8, -4, 2}), test::contents(z));
  quern::where(z, a, 1.0, 0.0);
  EXPECT_EQ((v{1, 1, 1}), test::contents(z));
  quern::axpy(z, 2.0, a, z);
  EXPECT_EQ((v{3, -3, 9}), test::contents(z));
}

TYPED_TEST(Functions, DivideIntegersAsNumPyDoes) {
  using E = typename TypeParam::exec;
  const auto i = test::make_array<std::int32_t, 1, Kokkos::LayoutRight, E>({7}, numpy.values<std::int32_t>("i"));
  const auto j = test::make_array<std::int32_t, 1, Kokkos::LayoutRight, E>({7}, numpy.values<std::int32_t>("j"));
  const auto z = test::make_array<double, 1, Kokkos::LayoutRight, E>({7});
  quern::divide(E(), z, i, j);
  EXPECT_EQ(numpy.values("i_over_j"), test::contents(z));
}

// Values that tell the type in which they were computed: 0.1 is no float, and neither are its products.
TYPED_TEST(Functions, ScalarsAreWeak) {
  using E = typename TypeParam::exec;
  using complex = Kokkos::complex<float>;
  const auto line = [](const auto& v) {
    using T = typename std::remove_cvref_t<decltype(v)>::value_type;
    return test::make_array<T, 1, Kokkos::LayoutRight, E>({static_cast<std::int64_t>(v.size())}, v);
  };
  const auto x = line(std::vector<float>{1, 3, 7});
  const auto wide = line(std::vector<double>{1, 3, 7});
  const auto integers = line(std::vector<std::int32_t>{1, 3, 7});
  const auto z = line(std::vector<double>(3));
  using reals = std::vector<double>;
  const auto each = [](const auto& f) { return reals{f(1), f(3), f(7)}; };
  quern::multiply(E(), z, x, 0.1);
  EXPECT_EQ(each([](float v) { return v * 0.1f; }), test::contents(z));
  quern::multiply(z, x, 0.1);
  EXPECT_EQ(each([](float v) { return v * 0.1f; }), test::contents(z));
  quern::add(E(), z, 0.1, x);
  EXPECT_EQ(each([](float v) { return 0.1f + v; }), test::contents(z));
  quern::subtract(E(), z, x, 16777217);  // no float
  EXPECT_EQ(each([](float v) { return v - 16777216.0f; }), test::contents(z));
  quern::divide(E(), z, x, 0.1);
  EXPECT_EQ(each([](float v) { return v / 0.1f; }), test::contents(z));
  quern::multiply(E(), z, quern::lazy(quern::impl::op::identity(), x), 0.1);
  EXPECT_EQ(each([](float v) { return v * 0.1f; }), test::contents(z));
  quern::axpy(E(), z, 0.1, x, wide);  // the arrays' types are those of double
  EXPECT_EQ(each([](double v) { return 0.1 * v + v; }), test::contents(z));
  quern::multiply(E(), z, wide, 0.1f);
  EXPECT_EQ(each([](double v) { return v * static_cast<double>(0.1f); }), test::contents(z));
  quern::multiply(E(), z, integers, 0.1);
  EXPECT_EQ(each([](double v) { return v * 0.1; }), test::contents(z));
  const Kokkos::View<double, E> array("of rank 0");
  Kokkos::deep_copy(array, 0.1);
  quern::multiply(E(), z, x, array);
  EXPECT_EQ(each([](double v) { return v * 0.1; }), test::contents(z));
  quern::map(E(), z, product(), x, 0.1);  // a functor gets what the call has
  EXPECT_EQ(each([](double v) { return v * 0.1; }), test::contents(z));
  const auto c = line(std::vector<complex>{{1, 2}}), d = line(std::vector<complex>(1));
  quern::multiply(E(), d, c, 0.1);
  EXPECT_EQ((std::vector<complex>{{0.1f, 2 * 0.1f}}), test::contents(d));
  quern::multiply(E(), d, c, 2);
  EXPECT_EQ((std::vector<complex>{{2, 4}}), test::contents(d));
  quern::add(E(), d, c, Kokkos::complex<double>(1, 0.1));
  EXPECT_EQ((std::vector<complex>{{2, 2 + 0.1f}}), test::contents(d));
}

// Integers whose types have different signs are numbers still; quotients to integers are exact.
TYPED_TEST(Functions, TakeMixedIntegersAsNumbers) {
  using E = typename TypeParam::exec;
  const auto line = [](const auto& v) {
    using T = typename std::remove_cvref_t<decltype(v)>::value_type;
    return test::make_array<T, 1, Kokkos::LayoutRight, E>({static_cast<std::int64_t>(v.size())}, v);
  };
  constexpr auto largest = std::numeric_limits<std::int64_t>::max(),
                 smallest = std::numeric_limits<std::int64_t>::min();
  const auto i = line(std::vector<std::int32_t>{-1, 7, -3});
  const auto u = line(std::vector<std::uint32_t>{2, 0, 4000000000u});
  const auto wide = line(std::vector<std::int64_t>{-1, largest, smallest});
  const auto natural = line(std::vector<std::uint64_t>{1, 1ull << 63, 3});
  const auto z = test::make_array<std::int64_t, 1, Kokkos::LayoutRight, E>({3});
  const auto d = test::make_array<double, 1, Kokkos::LayoutRight, E>({3});
  using integers = std::vector<std::int64_t>;
  using reals = std::vector<double>;
  quern::add(E(), z, i, u);
  EXPECT_EQ((integers{1, 7, 3999999997}), test::contents(z));
  quern::subtract(z, u, i);
  EXPECT_EQ((integers{3, -7, 4000000003}), test::contents(z));
  quern::multiply(d, i, u);
  EXPECT_EQ((reals{-2, 0, -12e9}), test::contents(d));
  quern::axpy(d, -1, u, line(reals{0.5, 1, 2}));
  EXPECT_EQ((reals{-1.5, 1, -4e9 + 2}), test::contents(d));
  quern::add(d, wide, natural);
  EXPECT_EQ((reals{0, 0x1p64, -0x1p63}), test::contents(d));
  const auto first = line(std::vector<std::int8_t>{1, 0, 1});
  quern::where(E(), d, first, wide, natural);
  EXPECT_EQ((reals{-1, 0x1p63, -0x1p63}), test::contents(d));
  quern::where(z, first, i, u);
  EXPECT_EQ((integers{-1, 0, -3}), test::contents(z));
  quern::divide(E(), z, wide, line(std::vector<std::int64_t>{0, 3, -1}));
  EXPECT_EQ((integers{0, largest / 3, smallest}), test::contents(z));
  quern::divide(z, natural, wide);
  EXPECT_EQ((integers{-1, 1, 0}), test::contents(z));
  const auto n = test::make_array<std::uint64_t, 1, Kokkos::LayoutRight, E>({3});
  quern::divide(n, natural, line(std::vector<std::uint64_t>{1, 1, 2}));
  EXPECT_EQ((std::vector<std::uint64_t>{1, 1ull << 63, 1}), test::contents(n));
  quern::divide(d, wide, 2);
  EXPECT_EQ((reals{-0.5, 0x1p62, -0x1p62}), test::contents(d));
}

// As NumPy's; without behaviour that the language leaves undefined, which sanitizers would find.
TYPED_TEST(Functions, OfIntegersWrapAround) {
  using E = typename TypeParam::exec;
  const auto check = [&]<class T>(T least) {
    const T most = std::numeric_limits<T>::max();
    const auto line = [](const std::vector<T>& v) {
      return test::make_array<T, 1, Kokkos::LayoutRight, E>({static_cast<std::int64_t>(v.size())}, v);
    };
    const auto a = line({most, least, least}), b = line({2, T(-1), least}), z = line({0, 0, 0});
    quern::add(E(), z, a, b);
    EXPECT_EQ((std::vector<T>{T(least + 1), most, 0}), test::contents(z));
    quern::subtract(E(), z, b, a);
    EXPECT_EQ((std::vector<T>{T(least + 3), most, 0}), test::contents(z));
    quern::multiply(E(), z, a, b);
    EXPECT_EQ((std::vector<T>{-2, least, 0}), test::contents(z));
    quern::axpy(E(), z, T(2), a, b);
    EXPECT_EQ((std::vector<T>{0, -1, least}), test::contents(z));
  };
  check(std::numeric_limits<int>::min());
  check(std::numeric_limits<std::int64_t>::min());
}

template <class Case>
struct Copy : testing::Test {};
using copy_cases = test::full_product<double>;
TYPED_TEST_SUITE(Copy, copy_cases);

TYPED_TEST(Copy, GoesFromAnyLayoutToAny) {
  using L = typename TypeParam::layout;
  using E = typename TypeParam::exec;
  const std::array<std::int64_t, 3> n{5, 67, 33};
  const auto values = test::samples<double>(5 * 67 * 33);
  const auto check = [&](const auto& from) {
    const auto to = test::make_array<double, 3, L, E>(n);
    quern::copy(E(), to, from);
    EXPECT_EQ(values, test::contents(to));
  };
  check(test::make_array<double, 3, Kokkos::LayoutLeft, E>(n, values));
  check(test::make_array<double, 3, Kokkos::LayoutRight, E>(n, values));
  check(test::make_array<double, 3, Kokkos::LayoutStride, E>(n, values));
}

}  // namespace
