// SPDX-FileCopyrightText: the Quern authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Selections from rows that threads of a device hold in registers, by lanes that take turns and by threads of a host.

#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>
#include <quern/reduce.hpp>
#include <quern/reduce/lane_select.hpp>
#include <random>

#include "support/emulated_lanes.hpp"
#include "support/testing.hpp"
#include "support/thread_teams.hpp"

namespace {

using quern::impl::ordered;

/// A lane of 32 threads of a team, which all exchange values at a time.
struct thread_lane {
  static constexpr int width = 32;
  struct place {
    std::array<std::byte, 8> bytes;
  };
  int lane;
  const test::thread_member* team = nullptr;
  std::vector<place>* places = nullptr;

  template <class T>
  T from(int source, const T& x) const {
    const int rank = team->team_rank();
    std::memcpy((*places)[rank].bytes.data(), &x, sizeof(T));
    team->team_barrier();
    T result;
    std::memcpy(static_cast<void*>(&result), (*places)[rank - lane + source % width].bytes.data(), sizeof(T));
    team->team_barrier();
    return result;
  }
};

/// What select_work tells of the quantile of one row.
template <class T>
struct row_work {
  std::int64_t n;
  quern::impl::quantile_rule rule;
  double* out;

  bool is_nan(std::int64_t, std::int64_t nans) const { return rule.is_nan(n, nans); }
  quern::impl::quantile_position among(std::int64_t, std::int64_t nans) const { return rule.among(n - nans); }
  template <class Key>
  void write(std::int64_t to, Key first, Key second, double fraction) const {
    const auto number = [](Key k) { return static_cast<double>(ordered<T>::number_of(k)); };
    out[to] = quern::impl::between(number(first), number(second), fraction);
  }
  void write_nan(std::int64_t to) const { out[to] = std::numeric_limits<double>::quiet_NaN(); }
};

template <class T>
double expected(std::vector<T> v, const quern::impl::quantile_rule& rule) {
  const auto numbers = std::partition(v.begin(), v.end(), [](T x) { return x == x; });
  if (numbers == v.begin() || (numbers != v.end() && !rule.skip_nan)) return std::numeric_limits<double>::quiet_NaN();
  std::sort(v.begin(), numbers);
  const auto p = rule.among(numbers - v.begin());
  return quern::impl::between(static_cast<double>(v[p.first]), static_cast<double>(v[p.second]), p.fraction);
}
bool same(double a, double b) { return a == b || (a != a && b != b); }

/// By the lanes of a warp, of a row whose elements are `stride` apart.
template <int M, class T>
double by_lanes(const std::vector<T>& v, const quern::impl::quantile_rule& rule, std::int64_t stride) {
  std::vector<T> row(v.size() * stride, std::numeric_limits<T>::max());
  for (std::size_t i = 0; i < v.size(); ++i) row[i * stride] = v[i];
  double out[] = {-7, -7};
  const row_work<T> work{std::ssize(v), rule, out};
  test::lanes_in_turn<32> lanes;
  using key = typename ordered<T>::key;
  key* const memory = lanes.template scratch<key>(34);
  lanes.each([&](const auto& lane) {
    using lane_type = std::remove_cvref_t<decltype(lane)>;
    const quern::impl::selecting_warp<lane_type, key> threads{lane, memory};
    quern::impl::select_held_row<M>(work, threads, row.data(), stride, 1, true);
    quern::impl::select_held_row<M>(work, threads, row.data(), stride, 0, false);  // writes nothing
  });
  EXPECT_EQ(-7, out[0]);
  return out[1];
}
/// By a team of threads.
template <int M, class T>
double by_team(const std::vector<T>& v, const quern::impl::quantile_rule& rule) {
  double out = -7;
  const row_work<T> work{std::ssize(v), rule, &out};
  const int threads = static_cast<int>((v.size() + 32 * M - 1) / (32 * M)) * 32;
  std::vector<thread_lane::place> places(threads);
  using key = typename ordered<T>::key;
  using of_team = quern::impl::selecting_team<test::thread_member, thread_lane, key>;
  const auto kernel = [&](const test::thread_member& team) {
    of_team together(team, thread_lane{team.team_rank() % 32, &team, &places});
    quern::impl::select_held_row<M>(work, together, v.data(), 1, 0, true);
  };
  EXPECT_TRUE(test::run_teams(kernel, 1, threads, 1, of_team::bytes));
  return out;
}

/// Rows of many kinds.
template <class T>
std::vector<std::vector<T>> rows_of(int n) {
  std::mt19937_64 random(n);
  std::vector<std::vector<T>> rows;
  const auto add = [&](const auto& f) {
    auto& row = rows.emplace_back(n);
    for (int i = 0; i < n; ++i) row[i] = static_cast<T>(f(i));
  };
  const auto part = [&] { return std::generate_canonical<double, 53>(random); };
  constexpr double large = std::is_floating_point_v<T> ? 1e30 : 0x1p6;
  add([&](int) { return large * part(); });
  add([&](int) { return large * (part() - 0.5); });
  add([&](int) { return static_cast<int>(part() * 5); });
  add([&](int i) { return i % 100; });
  add([&](int i) { return (n - i) % 128; });
  add([&](int) { return 3; });
  add([&](int i) { return i == n / 3 ? 4 : 3; });
  if constexpr (std::is_integral_v<T>) {
    add([&](int) { return static_cast<T>(random()); });
    add([&](int i) { return i % 3 == 0 ? std::numeric_limits<T>::max() : std::numeric_limits<T>::min(); });
    add([&](int i) { return std::numeric_limits<T>::max() - i % 2; });
  } else {
    constexpr T inf = std::numeric_limits<T>::infinity(), nan = std::numeric_limits<T>::quiet_NaN();
    add([&](int i) { return i % 2 == 0 ? inf : -inf; });
    add([&](int i) { return i % 3 == 0 ? inf : part(); });
    add([&](int) { return std::pow(10, 60 * (part() - 0.5)) * (part() < 0.5 ? -1 : 1); });
    add([&](int i) { return std::ldexp(1, i % 250 - 125); });
    add([&](int i) { return (i % 2 == 0 ? 1 : -1) * std::numeric_limits<T>::max() * (1 - part() / 8); });
    add([&](int i) { return i % 2 == 0 ? T(0) : -T(0); });
    add([&](int i) { return i % 4 == 1 ? nan : part(); });
    add([&](int i) { return i == n - 1 ? nan : part(); });
    add([&](int) { return nan; });
  }
  return rows;
}
const std::vector<quern::impl::quantile_rule> rules{{0.5}, {0.5, quern::interpolation::linear, true},
                                                    {0.0}, {1.0, quern::interpolation::linear, true},
                                                    {0.9}, {0.01, quern::interpolation::higher}};

template <class T, int M>
void check_lanes(std::initializer_list<int> lengths) {
  for (const int n : lengths) {
    int kind = 0;
    for (const auto& row : rows_of<T>(n)) {
      for (const auto& rule : rules) {
        const double found = by_lanes<M>(row, rule, kind % 2 + 1);
        EXPECT_TRUE(same(expected(row, rule), found)) << n << " elements of kind " << kind << ", q " << rule.q << ": "
                                                      << found << " beside " << expected(row, rule);
      }
      ++kind;
    }
  }
}

TEST(RowSelection, ByLanes) {
  check_lanes<double, 4>({33, 101, 127, 128});
  check_lanes<float, 10>({129, 301, 320});
  check_lanes<float, 18>({321, 576});
  check_lanes<double, 32>({577, 1001, 1024});
  check_lanes<std::uint64_t, 4>({33, 128});
  check_lanes<std::int32_t, 10>({320});
  check_lanes<std::int8_t, 4>({101});
}

TEST(RowSelection, ByTeams) {
  for (const int n : {1025, 3001})
    for (const auto& row : rows_of<double>(n)) EXPECT_TRUE(same(expected(row, rules[1]), by_team<16>(row, rules[1])));
  for (const auto& row : rows_of<std::uint32_t>(2048))
    EXPECT_TRUE(same(expected(row, rules[0]), by_team<16>(row, rules[0])));
}

// Tiles have all lines once, and fit into the scratch memory that a team has anywhere.
TEST(RowSelection, TilesHaveAllLines) {
  for (const bool results_fastest : {false, true})
    for (const int bytes : {1, 4, 8})
      for (const std::int64_t n : {33, 101, 512, 1024})
        for (const std::int64_t inner : {1, 3, 64, 1001}) {
          const quern::impl::row_nest<2> results(
              quern::impl::loop_nest<2>{2, {inner, 3}, {{{1, 2 * inner}, {1, inner}}}});
          const auto t = quern::impl::lane_tiles_for(results, n, bytes, results_fastest);
          ASSERT_EQ(t.count, 3 * ((inner + t.lines - 1) / t.lines));
          ASSERT_TRUE(std::has_single_bit(static_cast<unsigned>(t.lines)));
          ASSERT_EQ(results_fastest, t.apart >= n);
          ASSERT_LE(t.lines * t.apart * bytes, 36 << 10);
        }
}

// Calls with lines of all lengths that registers of a device hold, whose adjacent elements are of one line or of many.
template <class Exec>
class HeldLines : public testing::Test {
 protected:
  template <class T, class Layout>
  static void check(std::int64_t lines, int n) {
    const auto kinds = rows_of<T>(n);
    std::vector<T> values(lines * n);
    for (std::int64_t i = 0; i < lines * n; ++i) values[i] = kinds[i / n % kinds.size()][i % n];
    const auto x = test::make_array<T, 2, Layout, Exec>({lines, n}, values);
    const auto out = test::make_array<double, 1, Kokkos::LayoutRight, Exec>({lines});
    quern::nanquantile(Exec(), out, x, 0.5, quern::axis(1));
    const auto found = test::contents(out);
    for (std::int64_t l = 0; l < lines; ++l)
      EXPECT_TRUE(same(expected(kinds[l % kinds.size()], rules[1]), found[l])) << l << " of " << lines << ", " << n;
  }
};
TYPED_TEST_SUITE(HeldLines, test::all_spaces);

TYPED_TEST(HeldLines, Medians) {
  for (const int n : {33, 101, 320, 321, 577, 1024, 1025, 4096}) {
    this->template check<double, Kokkos::LayoutRight>(19, n);
    this->template check<double, Kokkos::LayoutLeft>(21, n);
    this->template check<double, Kokkos::LayoutStride>(3, n);
  }
}

}  // namespace
