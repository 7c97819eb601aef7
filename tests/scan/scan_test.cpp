// SPDX-FileCopyrightText: the Quern authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <cmath>
#include <limits>
#include <quern/core.hpp>
#include <quern/reduce.hpp>
#include <quern/scan.hpp>
#include <support/reference_archive.hpp>
#include <support/testing.hpp>

namespace {

const test::reference_archive numpy("scan/data/numpy.npz");
constexpr double inf = std::numeric_limits<double>::infinity();

/// Plain scans of row-major contents along one axis, or (-1) over all.
template <class T, class S, std::size_t Rank, class Op>
std::vector<S> scanned(const std::array<std::int64_t, Rank>& extents, const std::vector<T>& values, int axis,
                       bool exclusive, S identity, const Op& op) {
  std::int64_t step = 1, n = static_cast<std::int64_t>(values.size());
  if (axis >= 0) {
    n = extents[axis];
    for (std::size_t d = axis + 1; d < Rank; ++d) step *= extents[d];
  }
  std::vector<S> out(values.size());
  for (std::int64_t first = 0; first < static_cast<std::int64_t>(values.size()); ++first) {
    if (first / step % n != 0) continue;
    S s = identity;
    for (std::int64_t k = 0; k < n; ++k) {
      const S next = op(s, static_cast<S>(values[first + k * step]));
      out[first + k * step] = exclusive ? s : next;
      s = next;
    }
  }
  return out;
}

template <class S>
struct add {
  KOKKOS_FUNCTION S operator()(const S& a, const S& b) const { return a + b; }
};

/// x -> scale x + shift, modulo 2^32: composition is associative and not commutative.
struct affine {
  std::uint32_t scale, shift;
};
struct compose {
  KOKKOS_FUNCTION affine operator()(const affine& a, const affine& b) const {
    return {a.scale * b.scale, a.shift * b.scale + b.shift};
  }
};

template <class Case>
struct Scan : testing::Test {
  using exec = typename Case::exec;
  using T = typename Case::value;
  using layout = typename Case::layout;
  using S = quern::impl::sum_type<T>;
  exec e;

  template <int Rank>
  void check(const std::array<std::int64_t, Rank>& extents) {
    std::int64_t n = 1;
    for (const auto x : extents) n *= x;
    auto values = test::samples<T>(n);
    if (std::is_floating_point_v<T>)  // small integers have exact sums
      for (auto& v : values) v = static_cast<T>(std::floor(static_cast<double>(v)));
    const auto x = test::make_array<T, Rank, layout, exec>(extents, values);
    const auto out = test::make_array<S, Rank, layout, exec>(extents);
    for (int axis = -1; axis < Rank; ++axis) {
      if (axis < 0) quern::cumsum(e, out, x);
      else quern::cumsum(e, out, x, quern::axis{axis});
      ASSERT_EQ(scanned(extents, values, axis, false, S(0), add<S>()), test::contents(out)) << "axis " << axis;
      if (axis < 0) quern::exclusive_scan(e, out, add<S>(), S(0), x);
      else quern::exclusive_scan(e, out, add<S>(), S(0), x, quern::axis{axis - Rank});
      ASSERT_EQ(scanned(extents, values, axis, true, S(0), add<S>()), test::contents(out)) << "axis " << axis;
    }
  }
};
using cases = test::covering<double, std::int32_t, float>;
TYPED_TEST_SUITE(Scan, cases);

TYPED_TEST(Scan, OneAxis) {
  for (const std::int64_t n : {1, 2, 31, 64, 65, 2'815, 2'816, 2'817, 100'003}) this->template check<1>({n});
}

TYPED_TEST(Scan, TwoAxes) {
  for (const std::array<std::int64_t, 2>& extents : {std::array<std::int64_t, 2>{5, 7},
                                                     {1, 4'000},
                                                     {4'000, 1},
                                                     {3, 30'011},
                                                     {30'011, 3},
                                                     {300, 301},
                                                     {130, 600},
                                                     {600, 130}})
    this->template check<2>(extents);
}

TYPED_TEST(Scan, OneShortAxis) {
  for (std::int64_t k = 1; k <= 66; ++k) {
    this->template check<2>({37, k});
    this->template check<2>({k, 37});
  }
}

TYPED_TEST(Scan, OneShortAxisOfPaddedRows) {
  const test::with_gaps padded(test::gaps::columns);
  for (const std::int64_t k : {2, 3, 7, 8, 15, 16, 17, 33, 64, 65}) {
    this->template check<2>({1'003, k});
    this->template check<2>({k, 1'003});
  }
}

TYPED_TEST(Scan, MoreAxes) {
  this->template check<3>({6, 70, 11});
  this->template check<3>({70, 3, 300});
  this->template check<4>({3, 5, 7, 9});
}

template <class Exec>
struct ScanOn : testing::Test {
  Exec e;
  template <class T, int Rank = 1>
  auto on_device(const std::array<std::int64_t, Rank>& extents, const std::vector<T>& v) {
    return test::make_array<T, Rank, Kokkos::LayoutRight, Exec>(extents, v);
  }
};
TYPED_TEST_SUITE(ScanOn, test::all_spaces);

TYPED_TEST(ScanOn, AgreesWithNumPy) {
  const auto t = this->template on_device<double, 3>({3, 4, 5}, numpy.values("t"));
  const auto t_nan = this->template on_device<double, 3>({3, 4, 5}, numpy.values("t_nan"));
  const auto out = quern::like(t);
  const auto expect = [&](const std::vector<double>& expected) {
    const auto found = test::contents(out);
    for (std::size_t i = 0; i < expected.size(); ++i) {
      if (std::isnan(expected[i])) EXPECT_TRUE(std::isnan(found[i])) << i;
      else EXPECT_NEAR(expected[i], found[i], 60 * 2.3e-16 * 10) << i;
    }
  };
  quern::cumsum(this->e, out, t);
  expect(numpy.values("t_cumsum"));
  quern::cumsum(this->e, out, t, quern::axis{0});
  expect(numpy.values("t_cumsum_0"));
  quern::cumsum(this->e, out, t, quern::axis{-2});
  expect(numpy.values("t_cumsum_1"));
  quern::cumsum(out, t, quern::axis{2});
  expect(numpy.values("t_cumsum_2"));
  quern::cumprod(this->e, out, t, quern::axis{1});
  expect(numpy.values("t_cumprod_1"));
  quern::cumsum(this->e, out, t_nan, quern::axis{1});
  expect(numpy.values("t_nan_cumsum_1"));
  quern::nancumprod(this->e, out, t_nan, quern::axis{1});
  expect(test::reference_archive("reduce/data/functions.npz").values("t_nancumprod_1"));
  quern::nancumsum(this->e, out, t_nan, quern::axis{1});
  expect(test::reference_archive("reduce/data/functions.npz").values("t_nancumsum_1"));
  quern::nancumsum(t_nan, t_nan, quern::axis{1});
  EXPECT_EQ(test::contents(out), test::contents(t_nan));
}

TYPED_TEST(ScanOn, InPlace) {
  for (const std::array<std::int64_t, 2>& extents : {std::array<std::int64_t, 2>{1, 50'000}, {400, 300}, {20'000, 2}})
    for (const int axis : {0, 1}) {
      const auto values = test::samples<double>(extents[0] * extents[1]);
      const auto x = this->template on_device<double, 2>(extents, values);
      quern::cumsum(this->e, x, x, quern::axis{axis});
      ASSERT_EQ(scanned(extents, values, axis, false, 0.0, add<double>()), test::contents(x));
    }
}

// More than the caches hold: the host's threads hand chunks on to each other, and many of them write past the caches.
TYPED_TEST(ScanOn, LargerThanCaches) {
  for (const std::array<std::int64_t, 2>& extents :
       {std::array<std::int64_t, 2>{1, 5'000'011}, {5'000'011, 1}, {4'001, 1'103}, {3, 1'500'007}, {1'500'007, 3}})
    for (const int axis : {0, 1}) {
      const auto values = test::samples<double>(extents[0] * extents[1]);
      const auto x = this->template on_device<double, 2>(extents, values);
      const auto out = quern::like(x);
      quern::cumsum(this->e, out, x, quern::axis{axis});
      ASSERT_EQ(scanned(extents, values, axis, false, 0.0, add<double>()), test::contents(out)) << extents[0] << axis;
    }
}

TYPED_TEST(ScanOn, KeepsTheOrder) {
  for (const std::int64_t n : {10, 3'000, 100'000, 1'000'003}) {
    std::vector<affine> maps(n);
    for (std::int64_t i = 0; i < n; ++i)
      maps[i] = {static_cast<std::uint32_t>(2 * i + 1), static_cast<std::uint32_t>(i * i)};
    const auto x = this->template on_device<affine>({n}, maps);
    const auto out = quern::like(x);
    quern::inclusive_scan(this->e, out, compose(), affine{1, 0}, x);
    const auto found = test::contents(out);
    const auto expected = scanned(std::array<std::int64_t, 1>{n}, maps, -1, false, affine{1, 0}, compose());
    for (std::int64_t i = 0; i < n; ++i) {
      ASSERT_EQ(expected[i].scale, found[i].scale) << i;
      ASSERT_EQ(expected[i].shift, found[i].shift) << i;
    }
    quern::exclusive_scan(out, compose(), affine{1, 0}, x);
    EXPECT_EQ(expected[n - 2].shift, test::contents(out)[n - 1].shift);
    quern::inclusive_scan(out, compose(), affine{1, 0}, x, quern::axis{0});
    EXPECT_EQ(expected[n - 1].shift, test::contents(out)[n - 1].shift);
  }
}

// Each prefix has the bits of the reproducible sum of its elements, wherever chunks and tiles begin.
TYPED_TEST(ScanOn, ReproducibleAsTheSums) {
  constexpr std::int64_t n = 30'011;
  std::vector<double> values(n);
  for (std::int64_t i = 0; i < n; ++i) values[i] = std::ldexp(test::sample(i) + 0.1, static_cast<int>(i * 7 % 90) - 40);
  const auto x = this->template on_device<double>({n}, values);
  const auto out = quern::like(x);
  quern::cumsum(this->e, out, x, quern::reproducible);
  const auto found = test::contents(out);
  for (std::int64_t i = 0; i < n; i += i < 10 ? 1 : 997) {
    const auto part =
        this->template on_device<double>({i + 1}, std::vector<double>(values.begin(), values.begin() + i + 1));
    ASSERT_EQ(quern::sum(this->e, part, quern::reproducible), found[i]) << i;
  }
}

// A plain float loop over these is wrong by more than 10 % at the end.
TYPED_TEST(ScanOn, ErrorsDoNotGrow) {
  constexpr std::int64_t n = 20'000'000;
  const Kokkos::View<float*, typename TypeParam::memory_space> x("x", n), out("out", n);
  Kokkos::deep_copy(x, 0.1f);
  quern::cumsum(this->e, out, x);
  const auto host = quern::to_host(out);
  for (std::int64_t i = 0; i < n; i += 99'991)
    ASSERT_NEAR(1.0, host(i) / (static_cast<double>(0.1f) * static_cast<double>(i + 1)), 1e-6) << i;
}

TYPED_TEST(ScanOn, TypesAndInfinities) {
  const auto bytes = this->template on_device<std::int8_t>({300}, std::vector<std::int8_t>(300, 127));
  const auto wide = test::make_array<std::int64_t, 1, Kokkos::LayoutRight, TypeParam>({300});
  quern::cumsum(this->e, wide, bytes);
  EXPECT_EQ(300 * 127, test::contents(wide)[299]);
  const auto narrow = test::make_array<std::int8_t, 1, Kokkos::LayoutRight, TypeParam>({300});
  quern::cumsum(this->e, narrow, bytes);
  EXPECT_EQ(static_cast<std::int8_t>(300 * 127), test::contents(narrow)[299]);

  std::vector<double> v(5'000, 1.0);
  v[3'000] = inf;
  const auto x = this->template on_device<double>({5'000}, v);
  quern::cumsum(this->e, x, x);
  const auto sums = test::contents(x);
  EXPECT_EQ(3'000.0, sums[2'999]);
  EXPECT_EQ(inf, sums[3'000]);
  EXPECT_EQ(inf, sums[4'999]);

  using complex = Kokkos::complex<double>;
  const auto z = this->template on_device<complex>({1'000}, test::samples<complex>(1'000));
  const auto sum = quern::sum(this->e, z);
  quern::cumsum(this->e, z, z);
  EXPECT_LE(Kokkos::abs(sum - test::contents(z)[999]), 1e-12);
}

TYPED_TEST(ScanOn, NothingAndErrors) {
  const auto empty = this->template on_device<double, 2>({0, 3}, {});
  quern::cumsum(this->e, empty, empty, quern::axis{0});
  const auto x = this->template on_device<double, 2>({2, 3}, std::vector<double>(6, 1.0));
  const auto other = this->template on_device<double, 2>({3, 2}, std::vector<double>(6, 1.0));
  const auto message = [&](const auto& call) {
    try {
      call();
    } catch (const quern::Error& error) {
      return std::string(error.what());
    }
    return std::string("no error");
  };
  EXPECT_EQ("quern::cumsum: out has extents (3, 2), expected (2, 3)",
            message([&] { quern::cumsum(this->e, other, x); }));
  EXPECT_EQ("quern::cumsum: axis 2 is out of range, expected one of an array of rank 2",
            message([&] { quern::cumsum(this->e, x, x, quern::axis{2}); }));
  const auto all = this->template on_device<double>({7}, std::vector<double>(7, 1.0));
  EXPECT_EQ("quern::cumprod: out and in share memory and are not the same View", message([&] {
              quern::cumprod(this->e, Kokkos::subview(all, std::pair(0, 6)), Kokkos::subview(all, std::pair(1, 7)));
            }));
}

TYPED_TEST(ScanOn, WithAWorkspace) {
  quern::Workspace<TypeParam> work;
  const quern::WorkspaceScope scope(work);
  const auto values = test::samples<double>(100'000);
  const auto x = this->template on_device<double>({100'000}, values);
  quern::cumsum(this->e, x, x, quern::axis{0});
  EXPECT_EQ(scanned(std::array<std::int64_t, 1>{100'000}, values, 0, false, 0.0, add<double>()), test::contents(x));
}

}  // namespace
