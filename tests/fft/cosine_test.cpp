// SPDX-FileCopyrightText: the Quern authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <algorithm>
#include <cmath>
#include <fft/transforms.hpp>
#include <numbers>
#include <quern/core.hpp>
#include <quern/fft.hpp>
#include <support/testing.hpp>

namespace {

using quern::fft_norm;

template <class T>
void expect_near(const std::vector<double>& expected, const std::vector<T>& found) {
  ASSERT_EQ(expected.size(), found.size());
  double sum = 0;
  for (const double x : expected) sum += x * x;
  const double n = static_cast<double>(found.size());
  const double bound = 6 * test::eps<T>() * (2 + std::log2(n)) * std::max(std::sqrt(sum), 1.0);
  for (std::size_t i = 0; i < found.size(); ++i) EXPECT_NEAR(expected[i], found[i], bound) << "element " << i;
}

template <class Case>
struct Cosine : testing::Test {
  using exec = typename Case::exec;
  using T = typename Case::value;
  using layout = typename Case::layout;
  exec e;

  template <class In, class Out, class... Options>
  void transform(const std::string& name, const Out& out, const In& in, const Options&... options) {
    if (name == "dct") quern::dct(e, out, in, options...);
    else if (name == "idct") quern::idct(e, out, in, options...);
    else if (name == "dst") quern::dst(e, out, in, options...);
    else quern::idst(e, out, in, options...);
  }
  template <int Rank>
  void compare(const test::transform& r) {
    SCOPED_TRACE(r.name + " " + r.norm + " of " + std::to_string(r.in_extents[0]));
    std::array<std::int64_t, Rank> extents;
    std::copy_n(r.in_extents.begin(), Rank, extents.begin());
    const auto values = test::transforms.values(r.group + "in");
    const auto in = test::make_array<T, Rank, layout, exec>(extents, std::vector<T>(values.begin(), values.end()));
    const auto out = test::make_array<T, Rank, layout, exec>(extents);
    const quern::dct_type type{r.name.back() - '0'};
    const quern::axis along(static_cast<int>(r.axes[0]));
    const fft_norm norm = r.normalization();
    const std::string name = r.name.substr(0, r.name.size() - 1);
    transform(name, out, in, type, along, norm);
    expect_near(test::transforms.values(r.group + "out"), test::contents(out));
    transform(name, in, in, norm, type, along);
    EXPECT_EQ(test::contents(out), test::contents(in));
  }
};
using cases = test::covering<double, float>;
TYPED_TEST_SUITE(Cosine, cases);

TYPED_TEST(Cosine, AsSciPy) {
  int compared = 0;
  for (const test::transform& r : test::transforms_of(true)) {
    ++compared;
    if (r.in_extents.size() == 1) this->template compare<1>(r);
    else this->template compare<2>(r);
  }
  EXPECT_GT(compared, 100);
}

TYPED_TEST(Cosine, LongByDefinition) {
  using T = typename TestFixture::T;
  using exec = typename TestFixture::exec;
  for (const std::int64_t n : {1, 64, 101, 1000}) {
    const auto values = test::samples<T>(n);
    const auto in = test::make_array<T, 1, typename TestFixture::layout, exec>({n}, values);
    const auto out = test::make_array<T, 1, typename TestFixture::layout, exec>({n});
    for (int type : {2, 4}) {
      quern::dct(this->e, out, in, quern::dct_type{type});
      std::vector<double> expected(n);
      for (std::int64_t k = 0; k < n; ++k) {
        long double sum = 0;
        for (std::int64_t j = 0; j < n; ++j) {
          const std::int64_t turns = (type == 2 ? 2 * k : 2 * k + 1) * (2 * j + 1) % (8 * n);  // of 8 n quarters
          sum += 2 * values[j] * std::cos(std::numbers::pi_v<long double> * turns / (4 * n));
        }
        expected[k] = static_cast<double>(sum);
      }
      expect_near(expected, test::contents(out));
    }
  }
}

TYPED_TEST(Cosine, InversesOfEachOther) {
  using T = typename TestFixture::T;
  using exec = typename TestFixture::exec;
  const auto values = test::samples<T>(9 * 30);
  for (const std::string name : {"dct", "dst"})
    for (int type = 1; type <= 4; ++type)
      for (int axis : {0, 1})
        for (const auto norm : {fft_norm::backward, fft_norm::ortho, fft_norm::forward}) {
          const auto x = test::make_array<T, 2, typename TestFixture::layout, exec>({9, 30}, values);
          this->transform(name, x, x, quern::dct_type{type}, quern::axis(axis), norm);
          this->transform("i" + name, x, x, quern::dct_type{type}, quern::axis(axis), norm);
          expect_near(std::vector<double>(values.begin(), values.end()), test::contents(x));
        }
}

TYPED_TEST(Cosine, BadInput) {
  using T = typename TestFixture::T;
  using exec = typename TestFixture::exec;
  const auto x = test::make_array<T, 1, Kokkos::LayoutRight, exec>({1});
  const auto y = test::make_array<T, 1, Kokkos::LayoutRight, exec>({2});
  test::expect_error("quern::dct: type 1 has 2 elements or more, and in has extents (1)",
                     [&] { quern::dct(this->e, x, x, quern::dct_type{1}); });
  test::expect_error("quern::dst: type 5, expected 1 to 4", [&] { quern::dst(this->e, x, x, quern::dct_type{5}); });
  test::expect_error("quern::idct: out has extents (2), expected (1)", [&] { quern::idct(this->e, y, x); });
}

}  // namespace
