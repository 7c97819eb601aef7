// SPDX-FileCopyrightText: the Quern authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Keys, bits and the numbers of a position: frozen, in every layout, as a whole and in parts, and in users' kernels.

#include <quern/map/functions.hpp>
#include <quern/random/distributions.hpp>
#include <set>

#include "support/reference_archive.hpp"
#include "support/testing.hpp"

namespace {

using quern::random::key;
using quern::random::part_of;

const test::reference_archive reference("random/data/fields.npz");

TEST(Philox, KnownAnswers) {
  // From the distribution of Random123.
  using words = Kokkos::Array<std::uint32_t, 4>;
  const auto is = [](const words& expected, const words& found) {
    for (int i = 0; i < 4; ++i) EXPECT_EQ(expected[i], found[i]);
  };
  is({0x6627e8d5, 0xe169c58d, 0xbc57ac4c, 0x9b00dbd8}, quern::impl::philox(0, 0, 0));
  is({0x408f276d, 0x41c83b0e, 0xa20bc7c6, 0x6d5451fd}, quern::impl::philox(~0ull, ~0ull, ~0ull));
  is({0xd16cfe09, 0x94fdcceb, 0x5001e420, 0x24126ea1},
     quern::impl::philox(0x299f31d0a4093822, 0x85a308d3243f6a88, 0x0370734413198a2e));
}

TEST(Generators, GammaOfASmallShape) {
  std::int64_t k = 0, known = 0;
  const auto positions = reference.values<std::int64_t>("position");
  for (const double expected : reference.values("generator_gamma64")) {
    quern::random::Generator s(key(42), positions[k++]);
    const double found = s.gamma(0.5);
    if (expected < 0) continue;  // not at the first attempt
    EXPECT_EQ(expected, found) << k;
    ++known;
  }
  EXPECT_GT(known, 5);
}

TEST(Keys, AreDerivedAsDocumented) {
  const key k(42);
  const auto folded = reference.values<std::uint64_t>("folded_key"),
             second = reference.values<std::uint64_t>("split_key");
  EXPECT_EQ(key(folded[0], folded[1]), fold_in(k, 3));
  EXPECT_EQ(key(second[0], second[1]), split<2>(k)[1]);
  const auto many = split(k, 1000);
  EXPECT_EQ(split<2>(k)[0], many[0]);
  EXPECT_EQ(split<2>(k)[1], many[1]);
  EXPECT_EQ(0u, split(k, 0).size());
  std::set<std::uint64_t> seeds{k.seed};
  for (int i = 0; i < 1000; ++i) {
    seeds.insert(many[i].seed);
    seeds.insert(fold_in(k, i).seed);
    seeds.insert(fold_in(many[1], i).seed);
  }
  EXPECT_EQ(3001u, seeds.size());
  test::expect_error("quern::random::split: -1 keys asked for", [&] { split(k, -1); });
}

/// The numbers at the frozen positions, each as a field of one element.
template <class T, class Exec, class Fill>
void expect_frozen(const std::vector<T>& expected, const Fill& fill) {
  std::int64_t k = 0;
  for (const auto position : reference.values<std::int64_t>("position")) {
    const Kokkos::View<T*, typename Exec::memory_space> out("out", 1);
    fill(out, position);
    EXPECT_EQ(expected[k++], test::contents(out)[0]) << "position " << position;
  }
}
/// The first of them as one field.
template <class T, class Exec, class Fill>
void expect_frozen_field(const std::vector<T>& expected, const Fill& fill) {
  const Kokkos::View<T*, typename Exec::memory_space> out("out", 8);
  fill(out);
  const auto found = test::contents(out);
  for (int i = 0; i < 8; ++i) EXPECT_EQ(expected[i], found[i]) << i;
}

template <class Exec>
class Frozen : public testing::Test {
 public:
  template <class T, class Fill>
  static void check(const std::string& name, const Fill& fill) {
    const auto expected = reference.values<T>(name);
    expect_frozen_field<T, Exec>(expected, [&](const auto& out) { fill(Exec(), out, part_of(key(42))); });
    expect_frozen<T, Exec>(expected, [&](const auto& out, std::int64_t i) {
      fill(Exec(), out, part_of(key(42), {std::int64_t{1} << 40}, {i}));
    });
  }
};
TYPED_TEST_SUITE(Frozen, test::all_spaces);

// As tools/random_reference.py computes them.
TYPED_TEST(Frozen, Numbers) {
  namespace random = quern::random;
  const auto bits = [](auto e, const auto& out, const part_of& p) { random::bits(e, out, p); };
  this->template check<std::uint32_t>("bits32", bits);
  this->template check<std::uint64_t>("bits64", bits);
  const auto uniform = [](auto e, const auto& out, const part_of& p) { random::uniform(e, out, p); };
  this->template check<float>("uniform32", uniform);
  this->template check<double>("uniform64", uniform);
  // The same with an end that is not the default, through the general draw.
  this->template check<double>("uniform64", [](auto e, const auto& out, const part_of& p) {
    random::uniform(e, out, p, 0.0, 4.0);
    quern::map(e, out, quern::impl::op::multiply(), 0.25, out);
  });
  const auto normal = [](auto e, const auto& out, const part_of& p) { random::normal(e, out, p); };
  this->template check<float>("normal32", normal);
  this->template check<double>("normal64", normal);
  const auto exponential = [](auto e, const auto& out, const part_of& p) { random::exponential(e, out, p); };
  this->template check<float>("exponential32", exponential);
  this->template check<double>("exponential64", exponential);
  this->template check<std::int64_t>(
      "dice", [](auto e, const auto& out, const part_of& p) { random::integers(e, out, p, 1, 7); });
  this->template check<std::int64_t>("far", [](auto e, const auto& out, const part_of& p) {
    random::integers(e, out, p, -500'000'000'000'000, 500'000'000'000'000);
  });
  this->template check<double>("gamma64",
                               [](auto e, const auto& out, const part_of& p) { random::gamma(e, out, p, 2.5); });
  this->template check<double>("small_gamma64",
                               [](auto e, const auto& out, const part_of& p) { random::gamma(e, out, p, 0.5); });
  for (const auto& [rate, name] :
       {std::pair(0.7, "poisson_few"), std::pair(30.5, "poisson_some"), std::pair(750.0, "poisson_many")})
    this->template check<std::int64_t>(
        name, [r = rate](auto e, const auto& out, const part_of& p) { random::poisson(e, out, p, r); });
  this->template check<std::int64_t>(
      "poisson_large", [](auto e, const auto& out, const part_of& p) { random::poisson(e, out, p, 1e4); });
}

TYPED_TEST(Frozen, FieldOfAMillion) {
  const Kokkos::View<std::uint32_t*, typename TypeParam::memory_space> out("out", 1'000'000);
  quern::random::bits(TypeParam(), out, key(42));
  std::uint64_t sum = 0;
  for (const auto w : test::contents(out)) sum += w;
  EXPECT_EQ(reference.value<std::uint64_t>("sum_of_bits32"), sum);
}

template <class Case>
class Fields : public testing::Test {
 public:
  /// The first n numbers of the field.
  static auto row(std::int64_t n) {
    const auto v = test::make_array<typename Case::value, 1, Kokkos::LayoutRight, typename Case::exec>({n});
    quern::random::normal(typename Case::exec(), v, key(7));
    return test::contents(v);
  }
};
using field_cases = test::covering<double, float>;
TYPED_TEST_SUITE(Fields, field_cases);

TYPED_TEST(Fields, LayoutsAndExtents) {
  using exec = typename TypeParam::exec;
  using T = typename TypeParam::value;
  const auto check = [&]<std::size_t Rank>(const std::array<std::int64_t, Rank>& extents) {
    std::int64_t n = 1;
    for (const auto e : extents) n *= e;
    const auto v = test::make_array<T, Rank, typename TypeParam::layout, exec>(extents);
    quern::random::normal(exec(), v, key(7));
    EXPECT_EQ(this->row(n), test::contents(v)) << n;
  };
  check.template operator()<1>({0});
  check.template operator()<1>({1});
  check.template operator()<1>({20011});  // a prime
  check.template operator()<2>({37, 53});
  check.template operator()<2>({40, 64});
  check.template operator()<2>({1, 12});
  check.template operator()<3>({5, 12, 16});
  check.template operator()<3>({5, 1, 7});
  check.template operator()<4>({3, 4, 2, 8});
}

TYPED_TEST(Fields, PartsOfTheWhole) {
  using exec = typename TypeParam::exec;
  using T = typename TypeParam::value;
  const std::int64_t rows = 30, columns = 44;
  const auto whole = this->row(rows * columns);
  const auto check = [&](std::int64_t m, std::int64_t n, std::int64_t i, std::int64_t j) {
    const auto v = test::make_array<T, 2, typename TypeParam::layout, exec>({m, n});
    quern::random::normal(exec(), v, part_of(key(7), {rows, columns}, {i, j}));
    const auto found = test::contents(v);
    for (std::int64_t r = 0; r < m; ++r)
      for (std::int64_t c = 0; c < n; ++c)
        ASSERT_EQ(whole[(i + r) * columns + j + c], found[r * n + c]) << r << ' ' << c;
  };
  check(30, 44, 0, 0);
  check(7, 44, 3, 0);
  check(7, 8, 4, 4);
  check(7, 4, 4, 4);  // one block of floats or two of doubles a row
  check(7, 2, 4, 6);
  check(7, 9, 4, 3);
  check(30, 1, 0, 43);
  check(1, 1, 29, 43);
  check(0, 5, 30, 0);
  // A subview that starts at an odd element.
  const Kokkos::View<T*, typename exec::memory_space> storage("storage", 1000);
  const auto odd = Kokkos::subview(storage, Kokkos::pair<int, int>(1, 998));
  quern::random::normal(exec(), odd, part_of(key(7), {rows * columns}, {5}));
  EXPECT_EQ(std::vector<T>(whole.begin() + 5, whole.begin() + 5 + 997), test::contents(odd));
  EXPECT_EQ(T(0), test::contents(storage)[0]);
  EXPECT_EQ(T(0), test::contents(storage)[998]);
}

template <class Exec>
class Random : public testing::Test {};
TYPED_TEST_SUITE(Random, test::all_spaces);

template <class V>
struct generator_values {
  V out;
  KOKKOS_FUNCTION void operator()(int i) const {
    quern::random::Generator s(key(9, 1), i);
    out(i, 0) = s.uniform();
    out(i, 1) = s.uniform<float>();
    out(i, 2) = static_cast<double>(s.bits32());
    out(i, 3) = static_cast<double>(s.integer(-5, 1000));
    out(i, 4) = s.normal();
    out(i, 5) = s.normal<float>();
    out(i, 6) = s.exponential();
    out(i, 7) = s.exponential<float>();
    out(i, 8) = s.bernoulli(0.25);
    out(i, 9) = static_cast<double>(s.poisson(0.01 * i));
    out(i, 10) = s.gamma(0.01 * i);
    out(i, 11) = static_cast<double>(s.bits64() >> 11);
  }
};

// What a Generator gives in a kernel has the bits of what it gives to this thread.
TYPED_TEST(Random, GeneratorsInKernels) {
  using view = Kokkos::View<double**, Kokkos::LayoutRight, typename TypeParam::memory_space>;
  const int n = 3000;
  const view out("out", n, 12);
  Kokkos::parallel_for(Kokkos::RangePolicy<TypeParam>(0, n), generator_values<view>{out});
  const auto found = test::contents(out);
  const Kokkos::View<double**, Kokkos::LayoutRight, Kokkos::HostSpace> here("here", n, 12);
  for (int i = 0; i < n; ++i) generator_values<decltype(here)>{here}(i);
  for (int i = 0; i < n; ++i)
    for (int j = 0; j < 12; ++j) ASSERT_EQ(here(i, j), found[i * 12 + j]) << i << ' ' << j;
}

TYPED_TEST(Random, ViewsOfGenerators) {
  const int n = 500;
  const auto counts = test::make_array<std::int32_t, 1, Kokkos::LayoutRight, TypeParam>({n});
  const auto same = [&](double rate) {
    const auto events = test::contents(counts);
    for (int i = 0; i < n; ++i) {
      quern::random::Generator s(key(3), i);
      ASSERT_EQ(s.poisson(rate), events[i]);
    }
  };
  for (const double rate : {4.0, 40.0, 1e4}) {
    quern::random::poisson(TypeParam(), counts, key(3),
                           test::make_array<double, 1, Kokkos::LayoutRight, TypeParam>({1}, std::vector<double>{rate}));
    same(rate);
  }
}

/// What hosts draw in vectors has the numbers of what they draw one by one, those that are refused at first too.
template <class T, class Exec, class Fill>
void expect_same_in_vectors(const Fill& fill) {
  const int n = 2000;
  const Kokkos::View<T*, typename Exec::memory_space> row("row", n);
  const auto apart = test::make_array<T, 2, Kokkos::LayoutRight, Exec>({n, 2});
  const auto column = Kokkos::subview(apart, Kokkos::ALL, 1);
  fill(row);
  fill(column);
  const auto values = test::contents(row);
  const auto others = test::contents(apart);
  for (int i = 0; i < n; ++i) ASSERT_EQ(values[i], others[2 * i + 1]) << i;
}
TYPED_TEST(Random, VectorsOfRefusedNumbers) {
  using E = TypeParam;
  for (const double shape : {1e-3, 0.5, 1.0, 2.5}) {
    const auto gamma = [&](const auto& v) { quern::random::gamma(E(), v, key(7), shape, 3); };
    expect_same_in_vectors<double, E>(gamma);
    expect_same_in_vectors<float, E>(gamma);
  }
  for (const double rate : {751.0, 1e9}) {
    const auto poisson = [&](const auto& v) { quern::random::poisson(E(), v, key(7), rate); };
    expect_same_in_vectors<std::int32_t, E>(poisson);
    expect_same_in_vectors<std::uint64_t, E>(poisson);
    expect_same_in_vectors<double, E>(poisson);
  }
  expect_same_in_vectors<bool, E>([](const auto& v) { quern::random::poisson(E(), v, key(7), 800); });
}

/// Parameters that are Views give the numbers that scalars give (but those of poisson).
TYPED_TEST(Random, ParametersThatAreViews) {
  const std::int64_t rows = 9, columns = 21;
  const auto make = [&] { return test::make_array<double, 2, Kokkos::LayoutRight, TypeParam>({rows, columns}); };
  const auto two =
      test::make_array<double, 1, Kokkos::LayoutRight, TypeParam>({columns}, std::vector<double>(columns, 2));
  const auto a = make(), b = make();
  const auto same = [&](const char* what) { EXPECT_EQ(test::contents(a), test::contents(b)) << what; };
  const TypeParam e;
  quern::random::uniform(e, a, key(5), 1, 2);
  quern::random::uniform(e, b, key(5), 1, two);
  same("uniform");
  quern::random::normal(e, a, key(5), 2, 3);
  quern::random::normal(e, b, key(5), two, 3);
  same("normal");
  quern::random::exponential(e, a, key(5), 2);
  quern::random::exponential(e, b, key(5), two);
  same("exponential");
  quern::random::gamma(e, a, key(5), 2);
  quern::random::gamma(e, b, key(5), two);
  same("gamma");
  quern::random::gamma(e, a, key(5), 0.5, two);
  quern::fill(e, b, 0.5);
  quern::random::gamma(e, Kokkos::subview(a, std::pair(3, 9), Kokkos::ALL), part_of(key(5), {9, 21}, {3, 0}),
                       Kokkos::subview(b, 0, Kokkos::ALL), 2);
  quern::random::gamma(e, b, key(5), 0.5, 2);
  same("small gamma");
  quern::random::gamma(e, a, key(5), 2);
  quern::random::gamma(e, Kokkos::subview(b, std::pair(3, 9), Kokkos::ALL), part_of(key(5), {9, 21}, {3, 0}), 2, 1);
  quern::random::gamma(e, Kokkos::subview(b, std::pair(0, 3), Kokkos::ALL), part_of(key(5), {9, 21}, {0, 0}), two);
  same("parts of gamma");
  const auto chance =
      test::make_array<double, 1, Kokkos::LayoutRight, TypeParam>({columns}, std::vector<double>(columns, 0.3));
  quern::random::bernoulli(e, a, key(5), 0.3);
  quern::random::bernoulli(e, b, key(5), chance);
  same("bernoulli");
}

// Computed in double, and rounded once.
TYPED_TEST(Random, GammaOfFloats) {
  const std::int64_t n = 1000;
  const auto wide = test::make_array<double, 1, Kokkos::LayoutRight, TypeParam>({n});
  const auto narrow = test::make_array<float, 1, Kokkos::LayoutRight, TypeParam>({n});
  for (const double shape : {0.5, 2.5}) {
    quern::random::gamma(TypeParam(), wide, key(5), shape, 3);
    quern::random::gamma(TypeParam(), narrow, key(5), shape, 3);
    const auto exact = test::contents(wide);
    EXPECT_EQ(std::vector<float>(exact.begin(), exact.end()), test::contents(narrow)) << shape;
  }
}

TYPED_TEST(Random, DefaultInstances) {
  const auto a = test::make_array<double, 1, Kokkos::LayoutRight, TypeParam>({100});
  const auto b = test::make_array<double, 1, Kokkos::LayoutRight, TypeParam>({100});
  const auto words = test::make_array<std::uint64_t, 1, Kokkos::LayoutRight, TypeParam>({100});
  const auto same = [&](const char* what) { EXPECT_EQ(test::contents(a), test::contents(b)) << what; };
  const TypeParam e;
  const key k(1);
  quern::random::uniform(e, a, k), quern::random::uniform(b, k);
  same("uniform");
  quern::random::normal(e, a, k), quern::random::normal(b, k);
  same("normal");
  quern::random::exponential(e, a, k), quern::random::exponential(b, k);
  same("exponential");
  quern::random::bernoulli(e, a, k, 0.5), quern::random::bernoulli(b, k, 0.5);
  same("bernoulli");
  quern::random::poisson(e, a, k, 5), quern::random::poisson(b, k, 5);
  same("poisson");
  quern::random::gamma(e, a, k, 5), quern::random::gamma(b, k, 5);
  same("gamma");
  quern::random::bits(words, k);
  const auto first = test::contents(words);
  quern::random::integers(words, k, 0, 1000);
  quern::random::bits(e, words, k);
  EXPECT_EQ(first, test::contents(words));
}

/// The end of a range is never reached, not even by rounding, and the beginning is.
template <class T, class Exec>
void expect_half_open(double low, double high) {
  const auto v = test::make_array<T, 1, Kokkos::LayoutRight, Exec>({200'000});
  quern::random::uniform(Exec(), v, key(11), low, high);
  double least = high, most = low;
  for (const T x : test::contents(v)) {
    const auto y = static_cast<double>(static_cast<float>(x));
    const double z = sizeof(T) == 8 ? static_cast<double>(x) : y;
    least = std::min(least, z);
    most = std::max(most, z);
  }
  EXPECT_LE(static_cast<double>(static_cast<float>(static_cast<T>(low))), least) << low;
  EXPECT_LT(most, high);
  EXPECT_NEAR(low, least, (high - low) * 0.13);
  EXPECT_NEAR(high, most, (high - low) * 0.13);
}
TYPED_TEST(Random, RangesAreHalfOpen) {
  expect_half_open<double, TypeParam>(-3, 5);
  expect_half_open<double, TypeParam>(1e15, 1e15 + 1);  // eight numbers
  expect_half_open<float, TypeParam>(0, 1);
  expect_half_open<float, TypeParam>(1e7, 1e7 + 16);
  expect_half_open<float, TypeParam>(-1, 0);
  expect_half_open<Kokkos::Experimental::half_t, TypeParam>(0, 1);
  expect_half_open<Kokkos::Experimental::half_t, TypeParam>(-2, -1);
  expect_half_open<Kokkos::Experimental::bhalf_t, TypeParam>(0, 1);
}

/// Integers of every type, at the ends of their ranges, and with words that are refused half of the time.
template <class T, class Exec>
void expect_integers(std::int64_t low, std::int64_t high) {
  const auto v = test::make_array<T, 1, Kokkos::LayoutRight, Exec>({100'000});
  quern::random::integers(Exec(), v, key(12), low, high);
  const double width = static_cast<double>(high) - static_cast<double>(low);
  double sum = 0;
  for (const T x : test::contents(v)) {
    ASSERT_TRUE(!std::cmp_less(x, low) && std::cmp_less(x, high)) << static_cast<std::int64_t>(x);
    sum += (static_cast<double>(x) - static_cast<double>(low)) / width;
  }
  const double middle = 0.5 - 0.5 / width;
  EXPECT_NEAR(middle, sum / 100'000, 5 * std::sqrt(1.0 / 12 / 100'000));
}
TYPED_TEST(Random, Integers) {
  expect_integers<std::int8_t, TypeParam>(-128, 127);
  expect_integers<std::uint8_t, TypeParam>(0, 256);
  expect_integers<std::int16_t, TypeParam>(-7, 8);
  expect_integers<std::int32_t, TypeParam>(std::numeric_limits<std::int32_t>::min(), std::int64_t{1} << 31);
  expect_integers<std::uint32_t, TypeParam>(0, 3ll << 30);  // refuses a quarter of all words
  expect_integers<std::int64_t, TypeParam>(-(1ll << 32) - 1, 1ll << 32);
  expect_integers<std::int64_t, TypeParam>(std::numeric_limits<std::int64_t>::min(),
                                           std::numeric_limits<std::int64_t>::max() / 2);  // and here
  expect_integers<std::uint64_t, TypeParam>(0, std::numeric_limits<std::int64_t>::max());
}

/// All of a type, of which a quarter has each of the two highest bits.
template <class T, class Exec>
void expect_whole_type() {
  constexpr T low = std::numeric_limits<T>::min(), high = std::numeric_limits<T>::max();
  const auto v = test::make_array<T, 1, Kokkos::LayoutRight, Exec>({40'000});
  quern::random::integers(v, key(14), low, high, quern::random::endpoint);
  std::array<int, 4> quarters{};
  for (const T x : test::contents(v)) ++quarters[static_cast<std::make_unsigned_t<T>>(x) >> (8 * sizeof(T) - 2)];
  for (const int c : quarters) EXPECT_NEAR(10'000, c, 4.5 * std::sqrt(7500));
  quern::random::integers(Exec(), v, key(14), high, high, quern::random::endpoint);
  for (const T x : test::contents(v)) ASSERT_EQ(high, x);
}
TYPED_TEST(Random, IntegersOfWholeTypes) {
  expect_whole_type<std::int8_t, TypeParam>();
  expect_whole_type<std::uint16_t, TypeParam>();
  expect_whole_type<std::int32_t, TypeParam>();
  expect_whole_type<std::uint32_t, TypeParam>();
  expect_whole_type<std::int64_t, TypeParam>();
  expect_whole_type<std::uint64_t, TypeParam>();
  const auto v = test::make_array<std::uint64_t, 1, Kokkos::LayoutRight, TypeParam>({100});
  const std::uint64_t high = 1ull << 63 | 3;
  quern::random::integers(TypeParam(), v, key(15), high - 2, high);
  for (const auto x : test::contents(v)) ASSERT_TRUE(x == high - 2 || x == high - 1);
}

// What the types of the ends make of a difference is not what the ends are.
template <class T, class Exec, class Low, class High>
void expect_between(Low low, High high) {
  const auto v = test::make_array<T, 1, Kokkos::LayoutRight, Exec>({10'000});
  quern::random::integers(Exec(), v, key(16), low, high);
  const auto x = test::contents(v);
  const auto [least, greatest] = std::minmax_element(x.begin(), x.end());
  EXPECT_FALSE(std::cmp_less(*least, +low)) << +*least;
  EXPECT_TRUE(std::cmp_less(*greatest, +high)) << +*greatest;
  EXPECT_LT(*least, *greatest);
}
TYPED_TEST(Random, IntegersUpToTheLeastOfAType) {
  expect_between<std::int32_t, TypeParam>(-5, 0u);
  expect_between<std::int8_t, TypeParam>(-5, std::uint64_t{0});
  expect_between<std::int64_t, TypeParam>(-1000, static_cast<std::int8_t>(-128));
  expect_between<std::int64_t, TypeParam>(std::numeric_limits<std::int64_t>::min(),
                                          std::numeric_limits<std::int32_t>::min());
  expect_between<std::int64_t, TypeParam>(std::numeric_limits<std::int64_t>::min(), static_cast<unsigned char>(0));
  expect_between<std::int64_t, TypeParam>(static_cast<signed char>(-128), false);
  expect_between<std::uint64_t, TypeParam>(static_cast<short>(0), std::numeric_limits<std::uint64_t>::max());
  expect_between<std::int64_t, TypeParam>(-1, std::uint64_t{1} << 63);
  const auto v = test::make_array<bool, 1, Kokkos::LayoutRight, TypeParam>({10'000});
  quern::random::integers(TypeParam(), v, key(17), 0, 2);
  const auto bits = test::contents(v);
  EXPECT_NEAR(5'000, static_cast<double>(std::count(bits.begin(), bits.end(), true)), 250);
  test::expect_error("quern::random::integers: numbers from 0 to 2 do not fit out's type of 1 bits",
                     [&] { quern::random::integers(TypeParam(), v, key(17), 0, 3); });
  const auto w = test::make_array<std::int64_t, 1, Kokkos::LayoutRight, TypeParam>({4});
  test::expect_error("quern::random::integers: low is 0 and high -1, expected low < high",
                     [&] { quern::random::integers(TypeParam(), w, key(17), 0u, -1); });
  test::expect_error(
      "quern::random::integers: numbers from -1 to 18446744073709551614 do not fit out's type of 64 bits",
      [&] { quern::random::integers(TypeParam(), w, key(17), -1, std::numeric_limits<std::uint64_t>::max()); });
}

TYPED_TEST(Random, IntegersAreUnbiased) {
  // Of a range of 3 * 2^30 words of 32 bits give the first third twice as often unless some are refused.
  const std::int64_t n = 300'000;
  const auto v = test::make_array<std::uint32_t, 1, Kokkos::LayoutRight, TypeParam>({n});
  quern::random::integers(TypeParam(), v, key(13), 0, 3ll << 30);
  std::array<std::int64_t, 3> thirds{};
  std::array<std::int64_t, 3> last_digits{};
  for (const auto x : test::contents(v)) ++thirds[x >> 30], ++last_digits[x % 3];
  for (const auto& counts : {thirds, last_digits})
    for (const auto c : counts) EXPECT_NEAR(n / 3.0, c, 4.5 * std::sqrt(n * 2.0 / 9));
}

TYPED_TEST(Random, EdgesOfParameters) {
  const auto v = test::make_array<double, 1, Kokkos::LayoutRight, TypeParam>({64});
  const TypeParam e;
  const auto all = [&](double x) {
    for (const double found : test::contents(v)) {
      if (std::isnan(x)) EXPECT_TRUE(std::isnan(found));
      else EXPECT_EQ(x, found);
    }
  };
  quern::random::bernoulli(e, v, key(1), 0);
  all(0);
  quern::random::bernoulli(e, v, key(1), 1);
  all(1);
  quern::random::poisson(e, v, key(1), 0);
  all(0);
  quern::random::gamma(e, v, key(1), 0);
  all(0);
  quern::random::exponential(e, v, key(1), 0);
  all(0);
  quern::random::normal(e, v, key(1), 3, 0);
  all(3);
  const auto bad =
      test::make_array<double, 1, Kokkos::LayoutRight, TypeParam>({64}, std::vector<double>(64, std::nan("")));
  quern::random::poisson(e, v, key(1), bad);
  all(-1);
  quern::random::gamma(e, v, key(1), bad);
  all(std::nan(""));
  quern::random::poisson(e, v, key(1), 1e15);
  for (const double x : test::contents(v)) EXPECT_NEAR(1e15, x, 6 * std::sqrt(1e15));
  for (const double tiny : {5e-324, 1e-300, 1e-20}) {
    quern::random::gamma(e, v, key(1), tiny);
    all(0);
  }
  for (const double large : {1e40, 1e308, std::numeric_limits<double>::max()}) {  // beyond the digits of a double
    quern::random::gamma(e, v, key(1), large);
    for (const double x : test::contents(v)) EXPECT_NEAR(1, x / large, 1e-15);
  }
  quern::random::normal(e, v, key(1), 1e300, 1e290);
  for (const double x : test::contents(v)) EXPECT_NEAR(0, (x - 1e300) / 1e290, 9);
  quern::random::exponential(e, v, key(1), 1e-300);
  for (const double x : test::contents(v)) EXPECT_TRUE(x > 0 && x < 40e-300) << x;
  quern::random::bernoulli(e, v, key(1), 1e-18);
  all(0);
  quern::random::bernoulli(e, v, key(1), 1 - 0x1p-53);
  all(1);
  quern::random::gamma(e, v, key(1), 1e-3);  // most are too small for a double
  for (const double x : test::contents(v)) EXPECT_TRUE(x >= 0 && x < 10);
}

TYPED_TEST(Random, ReportsMisuse) {
  const auto v = test::make_array<double, 2, Kokkos::LayoutRight, TypeParam>({4, 5});
  const auto small = test::make_array<std::int8_t, 1, Kokkos::LayoutRight, TypeParam>({4});
  const TypeParam e;
  const key k(1);
  test::expect_error(
      "quern::random::uniform: out with extents (4, 5) at (7, 0) is not within a field of extents (10, 5)",
      [&] { quern::random::uniform(e, v, part_of(k, {10, 5}, {7, 0})); });
  test::expect_error(
      "quern::random::uniform: the field has extents (20) and out is its part at (0), expected rank 2 as of out",
      [&] { quern::random::uniform(e, v, part_of(k, {20}, {0})); });
  test::expect_error(
      "quern::random::uniform: low is 1.000000 and high 1.000000, expected low < high at a finite distance",
      [&] { quern::random::uniform(e, v, k, 1, 1); });
  test::expect_error("quern::random::integers: low is 3 and high 3, expected low < high",
                     [&] { quern::random::integers(e, small, k, 3, 3); });
  test::expect_error("quern::random::integers: numbers from 0 to 128 do not fit out's type of 8 bits",
                     [&] { quern::random::integers(e, small, k, 0, 129); });
  test::expect_error("quern::random::integers: low is 4 and high 3, expected low <= high",
                     [&] { quern::random::integers(e, small, k, 4, 3, quern::random::endpoint); });
  constexpr auto largest = std::numeric_limits<std::int64_t>::max();
  test::expect_error(
      "quern::random::bernoulli: out with extents (4) at (9223372036854775807) is not within a field of "
      "extents (100)",
      [&] { quern::random::bernoulli(e, small, part_of(k, {100}, {largest}), 0.5); });
  test::expect_error(
      "quern::random::uniform: the field has extents (4294967296, 4294967296), more than 2^63 - 1 "
      "positions",
      [&] { quern::random::uniform(e, v, part_of(k, {1ll << 32, 1ll << 32}, {0, 0})); });
  quern::random::uniform(e, v, part_of(k, {1ll << 31, 1ll << 31}, {(1ll << 31) - 4, (1ll << 31) - 5}));
  test::expect_error("quern::random::normal: stddev is -1.000000, expected a finite number of at least 0",
                     [&] { quern::random::normal(e, v, k, 0, -1); });
  test::expect_error("quern::random::exponential: scale is -1.000000, expected a finite number of at least 0",
                     [&] { quern::random::exponential(e, v, k, -1); });
  test::expect_error("quern::random::bernoulli: p is 1.500000, expected a number from 0 to 1",
                     [&] { quern::random::bernoulli(e, v, k, 1.5); });
  test::expect_error("quern::random::poisson: rate is -1.000000, expected from 0 to before 2^62",
                     [&] { quern::random::poisson(e, v, k, -1); });
  test::expect_error("quern::random::gamma: shape is nan, expected a finite number of at least 0",
                     [&] { quern::random::gamma(e, v, k, std::nan("")); });
}

}  // namespace
