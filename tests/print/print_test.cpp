// SPDX-FileCopyrightText: the Quern authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <iostream>
#include <quern/print.hpp>
#include <sstream>
#include <support/reference_archive.hpp>
#include <support/testing.hpp>

namespace {

const test::reference_archive numpy("print/data/numpy.npz");

using quern::float_mode;
using quern::print_options;

struct way {
  const char* name;
  print_options options;
};
// Those of tools/numpy_texts.py.
const way every_way[] = {{"", {}},
                         {"_precision_3", {.precision = 3}},
                         {"_precision_0", {.precision = 0}},
                         {"_fixed_2", {.precision = 2, .floatmode = float_mode::fixed}},
                         {"_unique", {.floatmode = float_mode::unique}},
                         {"_equal", {.floatmode = float_mode::maxprec_equal}},
                         {"_suppress", {.suppress = true}},
                         {"_narrow", {.linewidth = 20}},
                         {"_edges", {.threshold = 5, .edgeitems = 1}}};

std::string text_of(const std::string& name) {
  const auto bytes = numpy.values<std::uint8_t>(name);
  return std::string(bytes.begin(), bytes.end());
}

/// Compares the texts of an array with NumPy's, in all the ways in which there are some.
template <class View>
void expect_texts(const std::string& name, const View& x) {
  int found = 0;
  for (const auto& [suffix, options] : every_way) {
    const std::string text = name + "_text" + suffix;
    if (!numpy.contains(text)) continue;
    ++found;
    EXPECT_EQ(text_of(text), quern::to_string(x, options)) << text;
  }
  EXPECT_GT(found, 0) << name;
}

template <class Case>
struct Print : testing::Test {
  using E = typename Case::exec;
  template <int Rank, class T>
  static auto array(const std::string& name, const std::vector<T>& values) {
    using layout = std::conditional_t<Rank == 0, Kokkos::LayoutRight, typename Case::layout>;
    return test::make_array<T, Rank, layout, E>(numpy.extents_of_rank<Rank>(name), values);
  }
  template <class T, int Rank>
  static void compare(const std::string& name) {
    ASSERT_EQ(static_cast<std::size_t>(Rank), numpy.extents(name).size()) << name;
    expect_texts(name, array<Rank>(name, numpy.values<T>(name)));
  }
  template <int Rank>
  static void compare_bools(const std::string& name) {
    std::vector<bool> values;
    for (const auto b : numpy.values<std::uint8_t>(name)) values.push_back(b != 0);
    expect_texts(name, array<Rank>(name, values));
  }
};
using cases = test::covering<double>;
TYPED_TEST_SUITE(Print, cases);

TYPED_TEST(Print, ChoosesDigitsAsNumPyDoes) {
  for (const char* name : {"line", "large", "below_large", "ratio", "just_within", "small", "exponents", "rounded_up",
                           "ties", "zeros", "integers"})
    this->template compare<double, 1>(name);
  this->template compare<double, 2>("reals");
}

TYPED_TEST(Print, HasRoomForNanAndInfinities) {
  for (const char* name : {"mixed", "nan_and_exponents", "nans", "infinities"}) this->template compare<double, 1>(name);
}

TYPED_TEST(Print, SetsBracketsLinesAndEdges) {
  this->template compare<double, 0>("scalar");
  for (const char* name : {"empty", "thousand", "more_than_thousand"}) this->template compare<double, 1>(name);
  for (const char* name : {"one", "matrix", "few_long_rows", "seven_rows", "wrapped_rows"})
    this->template compare<double, 2>(name);
  for (const char* name : {"empty_rows", "cube"}) this->template compare<double, 3>(name);
  this->template compare<double, 4>("rank_4");
  this->template compare<double, 8>("rank_8");
}

TYPED_TEST(Print, KnowsIntegersAndBools) {
  this->template compare<std::int8_t, 2>("int8");
  this->template compare<std::uint8_t, 2>("uint8");
  this->template compare<std::int16_t, 2>("int16");
  this->template compare<std::uint16_t, 2>("uint16");
  this->template compare<std::int32_t, 2>("int32");
  this->template compare<std::uint32_t, 2>("uint32");
  this->template compare<std::int64_t, 2>("int64");
  this->template compare<std::uint64_t, 2>("uint64");
  this->template compare_bools<0>("bool");
  this->template compare_bools<1>("trues");
  this->template compare_bools<2>("bools");
}

TYPED_TEST(Print, KnowsFloatsAndComplexNumbers) {
  this->template compare<float, 2>("floats");
  this->template compare<float, 1>("float_limits");
  this->template compare<float, 1>("float_third");
  this->template compare<float, 1>("float_integers");
  using complex = Kokkos::complex<double>;
  this->template compare<complex, 0>("complex_scalar");
  this->template compare<complex, 1>("complex_mixed");
  this->template compare<complex, 1>("complex_exponents");
  this->template compare<complex, 2>("complex128");
  this->template compare<Kokkos::complex<float>, 1>("complex64");
}

// Where Kokkos has no type of 16 bits, its half types are float, and the digits of halves in it are chosen all the
// same.
TYPED_TEST(Print, KnowsHalfTypes) {
  using half = Kokkos::Experimental::half_t;
  const auto floats = numpy.values<float>("halves");
  std::vector<half> values;
  for (const float x : floats) values.push_back(static_cast<half>(x));
  if constexpr (sizeof(half) == 2) {
    expect_texts("halves", this->template array<1>("halves", values));
  } else {
    quern::impl::printed_array halves;
    halves.kind = quern::impl::printed_kind::half;
    halves.elements.element = sizeof(half);
    std::vector<std::byte> packed(values.size() * sizeof(half));
    std::memcpy(packed.data(), values.data(), packed.size());
    const quern::shape extents{static_cast<std::int64_t>(values.size())};
    for (const auto& [suffix, options] : every_way) {
      if (options.threshold < 1000) continue;  // all elements are packed here
      const auto which = quern::impl::select_shown("test", extents, options);
      EXPECT_EQ(text_of(std::string("halves_text") + suffix),
                quern::impl::text_of_array(halves, which, packed, options));
    }
  }
}

TYPED_TEST(Print, PrintsComponentsOfArraysAsAnAxis) {
  using E = typename TypeParam::exec;
  using pair = Kokkos::Array<std::int32_t, 2>;
  const Kokkos::View<pair*, E> x("x", 2);
  Kokkos::deep_copy(x, pair{3, -40});
  EXPECT_EQ("[[  3 -40]\n [  3 -40]]", quern::to_string(E(), x));
}

struct twice {
  KOKKOS_FUNCTION int operator()(int x) const { return 2 * x; }
};

TYPED_TEST(Print, PrintsReindexedAndLazyArrays) {
  const auto x =
      test::make_array<int, 2, typename TypeParam::layout, typename TypeParam::exec>({2, 3}, {1, 2, 3, 4, 5, 6});
  EXPECT_EQ("[1 2 3 4 5 6]", quern::to_string(quern::reshape(quern::slice(x, {}), {-1})));
  EXPECT_EQ("[[6 1 2]\n [3 4 5]]", quern::to_string(typename TypeParam::exec(), quern::roll(x, 1)));
  EXPECT_EQ("[[ 2  4  6]\n [ 8 10 12]]", quern::to_string(quern::lazy(twice(), x)));
}

TYPED_TEST(Print, DescribesOnRequest) {
  using E = typename TypeParam::exec;
  const Kokkos::View<float**, Kokkos::LayoutLeft, E> x("temperature", 1, 2);
  EXPECT_EQ(std::string("temperature: float32 (1, 2), LayoutLeft in ") + E::memory_space::name() + "\n[[0. 0.]]",
            quern::to_string(E(), x, print_options{.describe = true}));
  const Kokkos::View<std::int64_t, E> number("number");
  const Kokkos::View<const std::int64_t, E> constant = number;
  EXPECT_EQ(std::string("number: int64 (), ") +
                (std::is_same_v<typename decltype(constant)::array_layout, Kokkos::LayoutLeft> ? "LayoutLeft"
                                                                                               : "LayoutRight") +
                " in " + E::memory_space::name() + "\n0",
            quern::to_string(constant, print_options{.describe = true}));
}

TYPED_TEST(Print, WritesALineToStandardOutput) {
  using E = typename TypeParam::exec;
  const Kokkos::View<double*, E> x("x", 3);
  std::ostringstream line;
  std::streambuf* const before = std::cout.rdbuf(line.rdbuf());
  quern::print(E(), x, print_options{.precision = 2}, quern::named{"state"});
  quern::print(Kokkos::subview(x, 0));
  std::cout.rdbuf(nullptr);
  EXPECT_THROW(quern::print(x), std::ios_base::failure);
  std::cout.rdbuf(before);
  std::cout.clear();
  EXPECT_EQ("[0. 0. 0.]\n0.\n", line.str());
}

TYPED_TEST(Print, RejectsOptionsOutOfRange) {
  using E = typename TypeParam::exec;
  const Kokkos::View<double*, E> x("x", 3);
  test::expect_error("quern::to_string: precision is -1, expected 0 or more",
                     [&] { quern::to_string(x, print_options{.precision = -1}); });
  test::expect_error("quern::print: edgeitems is 0, expected 1 or more",
                     [&] { quern::print(x, print_options{.edgeitems = 0}); });
  test::expect_error("quern::to_string: threshold is -2, expected 0 or more",
                     [&] { quern::to_string(x, print_options{.threshold = -2}); });
  test::expect_error("quern::to_string: linewidth is 0, expected 1 or more",
                     [&] { quern::to_string(x, print_options{.linewidth = 0}); });
}

}  // namespace
