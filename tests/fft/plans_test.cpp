// SPDX-FileCopyrightText: the Quern authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Plans: those that are kept for all, and those of a user.
#include <quern/core.hpp>
#include <quern/fft.hpp>
#include <quern/map.hpp>
#include <support/fourier.hpp>
#include <thread>

namespace {

using test::expect_near;

struct mixed {
  std::int64_t first_row = 0;
  KOKKOS_FUNCTION double operator()(const Kokkos::Array<std::int64_t, 2>& i) const {
    return static_cast<double>((first_row + i[0]) * 5 % 7 + i[1] * i[1]);
  }
};
template <class Exec>
struct FftPlans : testing::Test {
  Exec e;
  template <class T>
  using view = Kokkos::View<T, Kokkos::LayoutRight, typename Exec::memory_space>;
  using C = Kokkos::complex<double>;
};
TYPED_TEST_SUITE(FftPlans, test::all_spaces);

TYPED_TEST(FftPlans, WarmCallsPlanNothing) {
  using C = typename TestFixture::C;
  const typename TestFixture::template view<C**> x("x", 8, 12), y("y", 8, 12);
  const auto transform = [&] {
    quern::fft(this->e, y, x, quern::axis(0));
    quern::fft2(this->e, y, x);
  };
  transform();
  const auto before = quern::fft_plans::usage();
  transform();
  const auto after = quern::fft_plans::usage();
  EXPECT_EQ(before.made, after.made);
  EXPECT_EQ(before.reused + 2, after.reused);
  EXPECT_EQ(before.cached, after.cached);
}

TYPED_TEST(FftPlans, PlansAreBounded) {
  using C = typename TestFixture::C;
  const std::size_t limit = quern::fft_plans::limit();
  quern::fft_plans::set_limit(3);
  for (std::int64_t n = 2; n < 9; ++n) {
    const typename TestFixture::template view<C*> x("x", n);
    quern::fft(this->e, x, x);
    EXPECT_LE(quern::fft_plans::usage().cached, 3u);
  }
  this->e.fence();
  quern::fft_plans::clear();
  EXPECT_EQ(0u, quern::fft_plans::usage().cached);
  quern::fft_plans::set_limit(0);
  const typename TestFixture::template view<C*> x("x", 4);
  quern::fft(this->e, x, x);
  EXPECT_EQ(0u, quern::fft_plans::usage().cached);
  quern::fft_plans::set_limit(limit);
}

TYPED_TEST(FftPlans, PlansFromSeveralThreads) {
  using C = typename TestFixture::C;
  using array = typename TestFixture::template view<C**>;
  constexpr int threads = 4;
  const auto instances = Kokkos::Experimental::partition_space(this->e, std::vector<int>(threads, 1));
  std::vector<array> x, y;
  for (std::int64_t n = 2; n < 12; ++n) {
    x.emplace_back("x", 3, n);
    quern::map(this->e, x.back(), mixed(), quern::positions());
  }
  for (std::size_t i = 0; i < threads * x.size(); ++i) y.emplace_back("y", 3, x[i % x.size()].extent(1));
  this->e.fence();
  const std::size_t limit = quern::fft_plans::limit();
  quern::fft_plans::set_limit(2);  // plans are given up by one thread while others use them
  std::vector<std::thread> running;
  for (int t = 0; t < threads; ++t)
    running.emplace_back([&, t] {
      for (int repeat = 0; repeat < 20; ++repeat)
        for (std::size_t i = 0; i < x.size(); ++i) quern::fft(instances[t], y[t * x.size() + i], x[i]);
      instances[t].fence();
    });
  for (auto& t : running) t.join();
  quern::fft_plans::set_limit(limit);
  for (std::size_t i = 0; i < y.size(); ++i) {
    const array expected("expected", 3, y[i].extent(1));
    quern::fft(this->e, expected, x[i % x.size()]);
    expect_near(test::contents(expected), test::contents(y[i]));
  }
}

TYPED_TEST(FftPlans, PlanOfTheUser) {
  using C = typename TestFixture::C;
  const typename TestFixture::template view<double**> x("x", 6, 9), other("other", 6, 8);
  const typename TestFixture::template view<C**> y("y", 6, 5), expected("expected", 6, 5);
  quern::fill(this->e, y, C(7, 7));
  quern::FftPlan transform(this->e, y, x, quern::fft_rigor::measure);
  EXPECT_EQ(std::vector<C>(30, C(7, 7)), test::contents(y));  // planning computes nothing
  quern::map(this->e, x, mixed(), quern::positions());
  transform(y, x);
  quern::rfft2(this->e, expected, x);
  expect_near(test::contents(expected), test::contents(y));
  test::expect_error("quern::FftPlan: in has extents (6, 8), expected (6, 9), for which it was planned",
                     [&] { transform(y, other); });
}

/// How many plans a call makes, and how many it takes from those that are kept for all.
template <class F>
std::pair<std::int64_t, std::int64_t> plans_of(const F& call) {
  const auto before = quern::fft_plans::usage();
  call();
  const auto after = quern::fft_plans::usage();
  return {after.made - before.made, after.reused - before.reused};
}
constexpr std::pair<std::int64_t, std::int64_t> no_plans{0, 0};

TYPED_TEST(FftPlans, AUsersPlanHoldsWhatItUses) {
  using C = typename TestFixture::C;
  using right = Kokkos::LayoutRight;
  const auto values = test::samples<double>(4 * 6 * 9);
  const auto x = test::make_array<double, 3, right, TypeParam>({4, 6, 9}, values);
  const auto back = test::make_array<double, 3, right, TypeParam>({4, 6, 9});
  const auto y = test::make_array<C, 3, right, TypeParam>({4, 6, 5});
  quern::FftPlan there(this->e, y, x);
  quern::FftPlan home(this->e, back, y);
  const std::size_t limit = quern::fft_plans::limit();
  quern::fft_plans::set_limit(0);  // gives all up that nobody holds
  quern::fft_plans::clear();
  EXPECT_EQ(no_plans, plans_of([&] { there(y, x); }));
  EXPECT_EQ(no_plans, plans_of([&] { home(back, y); }));
  expect_near(values, test::contents(back));
  quern::fft_plans::set_limit(limit);
}

/// Arrays of one element more, and their parts from the first element and from the second one on.
template <class T, class Exec>
struct two_alignments {
  Kokkos::View<T*, typename Exec::memory_space> memory;
  explicit two_alignments(std::int64_t n) : memory("memory", n + 1) {}
  auto from(std::int64_t first) const {
    return Kokkos::subview(memory, Kokkos::pair<std::int64_t, std::int64_t>(first, memory.extent(0) - 1 + first));
  }
};

template <class T, class U, class Exec>
void expect_plans_of_alignments(const Exec& e, std::int64_t n, std::int64_t m) {
  const two_alignments<T, Exec> in(n);
  const two_alignments<U, Exec> out(m);
  const auto values = test::samples<T>(n);
  quern::FftPlan transform(e, out.from(0), in.from(0));
  for (const int round : {0, 1})
    for (const int i : {0, 1})
      for (const int o : {0, 1}) {
        quern::copy(e, in.from(i), test::make_array<T, 1, Kokkos::LayoutRight, Exec>({n}, values));
        e.fence();
        quern::fft_plans::clear();
        const auto plans = plans_of([&] { transform(out.from(o), in.from(i)); });
        if (round == 1 || i + o == 0) EXPECT_EQ(no_plans, plans) << "alignments " << i << o;
        else EXPECT_LE(plans.first, 1);
        const auto found = test::contents(out.from(o));
        auto expected = test::as_kokkos(test::by_definition(values, n, -1));
        expected.resize(m);
        expect_near(expected, found);
      }
}

TYPED_TEST(FftPlans, AUsersPlanOfArraysThatAreOffByOneElement) {
  using complex = Kokkos::complex<float>;
  expect_plans_of_alignments<complex, complex>(this->e, 16, 16);
  expect_plans_of_alignments<float, complex>(this->e, 15, 8);
  expect_plans_of_alignments<double, Kokkos::complex<double>>(this->e, 16, 9);
}

// The same plan for one array and for two.
TYPED_TEST(FftPlans, AUsersPlanInPlaceAndOutOfIt) {
  using C = typename TestFixture::C;
  const auto values = test::samples<C>(12);
  const auto x = test::make_array<C, 1, Kokkos::LayoutRight, TypeParam>({12}, values);
  const auto y = test::make_array<C, 1, Kokkos::LayoutRight, TypeParam>({12});
  quern::FftPlan transform(this->e, y, x);
  transform(y, x);
  transform(x, x);
  EXPECT_EQ(no_plans, plans_of([&] { transform(y, y); }));
  const auto expected = test::as_kokkos(test::by_definition(values, 12, -1));
  expect_near(expected, test::contents(x));
}

}  // namespace
