// SPDX-FileCopyrightText: the Quern authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Ghost cells of arrays that store them, against plain loops that fill one axis after the other.

#include <Kokkos_DualView.hpp>
#include <algorithm>
#include <functional>
#include <quern/stencil.hpp>
#include <span>
#include <support/labels.hpp>
#include <support/testing.hpp>

namespace {

using quern::boundary;
using quern::boundary_pair;
using mode = boundary::mode;

/// A value as it depends on those of a field: a sign and a position in it, or nothing but a number.
struct term {
  int sign = 1;
  std::int64_t from = -1;
  double value = 0;
};

/// A field of rank 3, or fewer with extents 1 and no ghosts along the axes in front.
struct reference {
  std::array<std::int64_t, 3> n{1, 1, 1}, period{1, 1, 1}, stored{}, filled{};
  std::vector<boundary_pair> edge{3, boundary_pair(boundary::keep)};
  bool faces_only = false;
  std::function<double(std::array<std::int64_t, 3>)> inflow{};

  std::int64_t extent(int d) const { return n[d] + 2 * stored[d]; }
  std::int64_t size() const { return extent(0) * extent(1) * extent(2); }
  std::int64_t place(const std::array<std::int64_t, 3>& at) const {
    return ((at[0] + stored[0]) * extent(1) + at[1] + stored[1]) * extent(2) + at[2] + stored[2];
  }
  template <class F>
  void for_each(const F& f) const {
    std::array<std::int64_t, 3> at;
    for (at[0] = -stored[0]; at[0] < n[0] + stored[0]; ++at[0])
      for (at[1] = -stored[1]; at[1] < n[1] + stored[1]; ++at[1])
        for (at[2] = -stored[2]; at[2] < n[2] + stored[2]; ++at[2]) f(at);
  }
  /// Whether a ghost is one of those that are filled.
  bool filled_at(const std::array<std::int64_t, 3>& at) const {
    int ghosts = 0;
    for (int d = 0; d < 3; ++d) {
      if (at[d] < -filled[d] || at[d] >= n[d] + filled[d]) return false;
      if (at[d] < 0 || at[d] >= n[d]) ++ghosts;
    }
    return ghosts > 0 && (ghosts == 1 || !faces_only);
  }
  /// What each element is after a fill, axis by axis, of fields that have as many cells as layers.
  std::vector<term> terms() const {
    std::vector<term> t(size());
    for_each([&](const auto& at) { t[place(at)].from = place(at); });
    const auto kept = t;
    for (int d = 0; d < 3; ++d)
      for_each([&](const auto& at) {
        if (at[d] >= 0 && at[d] < n[d]) return;
        const boundary& b = at[d] < 0 ? edge[d].low : edge[d].high;
        const std::int64_t beyond = at[d] < 0 ? -1 - at[d] : at[d] - n[d];  // cells away from the first ghost
        const auto inwards = [&](std::int64_t k) { return at[d] < 0 ? k : n[d] - 1 - k; };
        auto from = at;
        int sign = 1;
        switch (b.kind()) {
          case mode::keep:
            return;
          case mode::constant:
            t[place(at)] = {1, -1, b.value_for<double>("test")};
            return;
          case mode::prescribed:
            t[place(at)] = {1, -1, inflow(at)};
            return;
          case mode::nearest:
            from[d] = inwards(0);
            break;
          case mode::odd_reflect:
            sign = -1;
            [[fallthrough]];
          case mode::reflect:
            from[d] = inwards(beyond);
            break;
          case mode::odd_mirror:
            sign = -1;
            [[fallthrough]];
          case mode::mirror:
            from[d] = inwards(beyond + 1);
            break;
          case mode::wrap:
            from[d] = at[d] < 0 ? at[d] + period[d] : at[d] - period[d];
            break;
        }
        t[place(at)] = t[place(from)];
        t[place(at)].sign *= sign;
        t[place(at)].value *= sign;
      });
    for_each([&](const auto& at) {
      if (!filled_at(at)) t[place(at)] = kept[place(at)];
    });
    return t;
  }
  template <class T>
  std::vector<T> filled_values(const std::vector<T>& v) const {
    const auto t = terms();
    std::vector<T> result(v.size());
    for (std::size_t i = 0; i < v.size(); ++i)
      result[i] = t[i].from < 0 ? static_cast<T>(t[i].value) : static_cast<T>(static_cast<T>(t[i].sign) * v[t[i].from]);
    return result;
  }
  template <class T>
  std::vector<T> added_values(const std::vector<T>& v) const {
    const auto t = terms();
    std::vector<T> result = v;
    for (std::size_t i = 0; i < v.size(); ++i) {
      if (t[i].from == static_cast<std::int64_t>(i)) continue;
      if (t[i].from >= 0) result[t[i].from] = static_cast<T>(result[t[i].from] + static_cast<T>(t[i].sign) * v[i]);
    }
    for (std::size_t i = 0; i < v.size(); ++i)
      if (t[i].from != static_cast<std::int64_t>(i)) result[i] = T(0);
    return result;
  }
};

/// A functor of a ghost's indices.
template <int Rank>
struct inflow {
  template <class Index>
  KOKKOS_FUNCTION std::int64_t operator()(const Index& at) const {
    std::int64_t s = 0;
    for (int d = 0; d < Rank; ++d) s = 3 * s + at[d];
    return s % 50;
  }
};
template <int Rank>
struct numbered_inflow {
  template <class Index>
  KOKKOS_FUNCTION std::int64_t operator()(const Index& at, int field) const {
    return inflow<Rank>()(at) + 10 * field;
  }
};

template <class Case>
struct Halo : testing::Test {
  using exec = typename Case::exec;
  using layout = typename Case::layout;
  using value = typename Case::value;

  template <int Rank>
  static auto array(const reference& r, const std::vector<value>& v) {
    std::array<std::int64_t, Rank> extents;
    for (int d = 0; d < Rank; ++d) extents[d] = r.extent(3 - Rank + d);
    return test::make_array<value, Rank, layout, exec>(extents, v);
  }
  template <int Rank>
  static reference make(std::array<std::int64_t, Rank> n, std::int64_t stored, std::int64_t filled,
                        const std::vector<boundary_pair>& edge) {
    reference r;
    for (int d = 0; d < Rank; ++d) {
      r.n[3 - Rank + d] = r.period[3 - Rank + d] = n[d];
      r.stored[3 - Rank + d] = stored;
      r.filled[3 - Rank + d] = filled;
      r.edge[3 - Rank + d] = edge[edge.size() == 1 ? 0 : d];
    }
    return r;
  }
  static std::vector<value> samples(const reference& r, int seed = 0) { return test::samples<value>(r.size(), seed); }
  template <int Rank>
  static void check(const reference& plain, const std::vector<boundary_pair>& edge, const std::string& what) {
    const quern::boundaries edges(edge);
    const quern::depth stored{plain.stored[2]};
    const quern::layers filled{plain.filled[2]};
    reference r = plain;
    r.inflow = [&](std::array<std::int64_t, 3> at) {
      Kokkos::Array<std::int64_t, Rank> index;
      for (int d = 0; d < Rank; ++d) index[d] = at[3 - Rank + d] + r.stored[2];
      return static_cast<double>(inflow<Rank>()(index));
    };
    const auto v = samples(r);
    const auto u = array<Rank>(r, v), w = array<Rank>(r, v);
    quern::fill_halo(exec(), u, inflow<Rank>(), edges, stored, filled);
    ASSERT_EQ(r.filled_values(v), test::contents(u)) << what;
    quern::add_halo(exec(), w, edges, stored, filled);
    ASSERT_EQ(r.added_values(v), test::contents(w)) << what << ", added";
    r.faces_only = true;
    const auto x = array<Rank>(r, v), y = array<Rank>(r, v);
    quern::fill_halo(exec(), x, inflow<Rank>(), edges, stored, filled, quern::faces_only);
    ASSERT_EQ(r.filled_values(v), test::contents(x)) << what << ", faces";
    quern::add_halo(exec(), y, edges, stored, quern::faces_only, filled);
    ASSERT_EQ(r.added_values(v), test::contents(y)) << what << ", faces added";
  }
};
using halo_cases = test::covering<double, std::int32_t, float>;
TYPED_TEST_SUITE(Halo, halo_cases);

const std::vector<boundary> all_modes{boundary::keep,       boundary::constant(7), boundary::nearest,
                                      boundary::reflect,    boundary::mirror,      boundary::odd_reflect,
                                      boundary::odd_mirror, boundary::prescribed};

TYPED_TEST(Halo, EachModeAtEachSide) {
  using boundaries = std::vector<boundary_pair>;
  for (std::size_t m = 0; m < all_modes.size(); ++m) {
    const auto mode_at = [&](std::size_t k) { return all_modes[(m + k) % all_modes.size()]; };
    const std::string what = "mode " + std::to_string(m);
    const boundary_pair a(mode_at(0), mode_at(1)), b(mode_at(3), mode_at(6)), c(mode_at(5), mode_at(2));
    for (const std::int64_t depth : {1, 2, 3}) {
      const auto checked = [&]<int Rank>(std::array<std::int64_t, Rank> n, const boundaries& edge) {
        this->template check<Rank>(this->template make<Rank>(n, depth, depth, edge), edge, what);
        this->template check<Rank>(this->template make<Rank>(n, depth, depth - 1, edge), edge, what + ", a part");
      };
      checked.template operator()<1>({11}, {a});
      checked.template operator()<1>({4}, {boundary::wrap});
      checked.template operator()<2>({5, 7}, {a, b});
      checked.template operator()<2>({4, 6}, {boundary::wrap, c});
      checked.template operator()<2>({6, 4}, {b, boundary::wrap});
      checked.template operator()<3>({4, 5, 6}, {a, b, c});
      checked.template operator()<3>({5, 4, 7}, {c, boundary::wrap, b});
    }
  }
}

TYPED_TEST(Halo, LongAxes) {
  const boundary_pair odd(boundary::odd_reflect, boundary::mirror), value(boundary::constant(3), boundary::keep);
  for (const auto& n : {std::array<std::int64_t, 2>{700, 3}, {3, 9001}, {300, 70}}) {
    for (const std::vector<boundary_pair>& edge :
         {std::vector<boundary_pair>{boundary::wrap, odd}, {odd, boundary::wrap}, {value, odd}})
      this->template check<2>(this->template make<2>(n, 2, 2, edge), edge, "long");
  }
}

// Where an exchange has brought a neighbour's cell to the other end.
TYPED_TEST(Halo, OneCellBesideKeptGhosts) {
  using E = typename TypeParam::exec;
  using values = std::vector<typename TypeParam::value>;
  const auto line = [] {
    return test::make_array<typename TypeParam::value, 1, typename TypeParam::layout, E>({3}, values{1, 2, 3});
  };
  const auto filled = [&](const boundary& low, const boundary& high) {
    const auto u = line();
    quern::fill_halo(E(), u, {boundary_pair(low, high)}, quern::depth{1});
    return test::contents(u);
  };
  EXPECT_EQ((values{3, 2, 3}), filled(boundary::mirror, boundary::keep));
  EXPECT_EQ((values{1, 2, -1}), filled(boundary::keep, boundary::odd_mirror));
  EXPECT_EQ((values{2, 2, 3}), filled(boundary::reflect, boundary::keep));
  const auto u = line();
  quern::add_halo(E(), u, {boundary_pair(boundary::mirror, boundary::keep)}, quern::depth{1});
  EXPECT_EQ((values{0, 2, 4}), test::contents(u));
}

// Deposits beyond one end whose owner is a neighbour's cell, beyond the other.
TYPED_TEST(Halo, FewerCellsThanLayersBesideKeptGhosts) {
  const boundary_pair low(boundary::mirror, boundary::keep), high(boundary::keep, boundary::odd_reflect);
  for (const std::int64_t depth : {2, 3})
    for (const std::vector<boundary_pair>& edge :
         {std::vector<boundary_pair>{low, high}, {high, low}, {low, low}, {boundary::wrap, high}}) {
      const std::string what = "depth " + std::to_string(depth);
      this->template check<1>(this->template make<1>({1}, depth, depth, {edge[1]}), {edge[1]}, what);
      this->template check<2>(this->template make<2>({3, 1}, depth, depth, edge), edge, what);
      if (edge[0].low.kind() == mode::wrap) continue;
      this->template check<2>(this->template make<2>({1, 4}, depth, depth, edge), edge, what);
      this->template check<2>(this->template make<2>({1, 1}, depth, depth, edge), edge, what);
      const std::vector<boundary_pair> three{edge[0], edge[1], low};
      this->template check<3>(this->template make<3>({1, 1, 2}, depth, depth, three), three, what);
    }
}

TYPED_TEST(Halo, DepthsDifferBetweenAxes) {
  using E = typename TypeParam::exec;
  for (const bool part : {false, true}) {
    auto r = this->template make<3>({4, 3, 5}, 0, 0, {boundary::wrap, boundary::odd_reflect, boundary::reflect});
    r.stored = {2, 0, 1};
    r.filled = part ? std::array<std::int64_t, 3>{1, 0, 1} : r.stored;
    const auto v = this->samples(r);
    const auto u = this->template array<3>(r, v);
    const quern::boundaries edge{boundary::wrap, boundary::odd_reflect, boundary::reflect};
    if (part) quern::fill_halo(E(), u, edge, quern::depth{2, 0, 1}, quern::layers{1, 0, 1});
    else quern::fill_halo(E(), u, edge, quern::depth{2, 0, 1});
    EXPECT_EQ(r.filled_values(v), test::contents(u));
  }
}

TYPED_TEST(Halo, FewerCellsThanLayers) {
  using E = typename TypeParam::exec;
  using T = typename TypeParam::value;
  const auto line = [&](const std::vector<T>& v) {
    return test::make_array<T, 1, typename TypeParam::layout, E>({std::int64_t(v.size())}, v);
  };
  const auto filled = [&](const boundary_pair& edge, const std::vector<T>& cells, std::int64_t depth) {
    std::vector<T> v(cells.size() + 2 * depth, T(99));
    std::copy(cells.begin(), cells.end(), v.begin() + depth);
    const auto u = line(v);
    quern::fill_halo(E(), u, {edge}, quern::depth{depth});
    return test::contents(u);
  };
  using values = std::vector<T>;
  EXPECT_EQ((values{5, 5, 5, 5, 5}), filled(boundary::wrap, {5}, 2));
  EXPECT_EQ((values{5, 5, 5, 5, 5}), filled(boundary::mirror, {5}, 2));
  EXPECT_EQ((values{5, -5, 5, -5, 5}), filled(boundary::odd_reflect, {5}, 2));
  EXPECT_EQ((values{1, 2, 1, 2, 1, 2, 1, 2}), filled(boundary::wrap, {2, 1}, 3));
  EXPECT_EQ((values{2, 2, 1, 1, 2, 2, 1, 1}), filled(boundary::reflect, {1, 2}, 3));
  EXPECT_EQ((values{2, 1, 2, 1, 2, 1, 2, 1}), filled(boundary::mirror, {1, 2}, 3));
  EXPECT_EQ((values{7, 7, 2, 1, 1, 2, 7, 7, 7, 7}), filled({boundary::reflect, boundary::constant(7)}, {1, 2}, 4));
}

TYPED_TEST(Halo, StaggeredFieldsInOneLaunch) {
  using E = typename TypeParam::exec;
  const std::vector<boundary_pair> cells{boundary::wrap, boundary::reflect},
      rows{boundary::wrap, boundary_pair(boundary::prescribed, boundary::odd_reflect)},
      columns{boundary::wrap, boundary::odd_mirror};
  auto p = this->template make<2>({5, 6}, 2, 2, cells), v = this->template make<2>({6, 6}, 2, 2, rows),
       u = this->template make<2>({5, 7}, 2, 2, columns);
  v.period[1] = 5;
  v.inflow = [](std::array<std::int64_t, 3> at) {
    return static_cast<double>(numbered_inflow<2>()(Kokkos::Array<std::int64_t, 2>{at[1] + 2, at[2] + 2}, 1));
  };
  const auto pv = this->samples(p, 1), vv = this->samples(v, 2), uv = this->samples(u, 3);
  const auto pa = this->template array<2>(p, pv), va = this->template array<2>(v, vv),
             ua = this->template array<2>(u, uv);
  const quern::each_field edges{quern::boundaries(cells), quern::boundaries(rows), quern::boundaries(columns)};
  const auto labels = test::labels_of(
      [&] { quern::fill_halo(E(), quern::outputs(pa, va, ua), numbered_inflow<2>(), edges, quern::depth{2}); });
  EXPECT_EQ(1u, labels.size());
  for (const std::string& label : labels) EXPECT_TRUE(label.starts_with("quern::fill_halo")) << label;
  EXPECT_EQ(p.filled_values(pv), test::contents(pa));
  EXPECT_EQ(v.filled_values(vv), test::contents(va));
  EXPECT_EQ(u.filled_values(uv), test::contents(ua));

  for (const bool faces : {false, true}) {
    p.faces_only = v.faces_only = u.faces_only = faces;
    const auto pd = this->template array<2>(p, pv), vd = this->template array<2>(v, vv),
               ud = this->template array<2>(u, uv);
    if (faces) quern::add_halo(E(), quern::outputs(pd, vd, ud), edges, quern::depth{2}, quern::faces_only);
    else quern::add_halo(E(), quern::outputs(pd, vd, ud), edges, quern::depth{2});
    EXPECT_EQ(p.added_values(pv), test::contents(pd)) << faces;
    EXPECT_EQ(v.added_values(vv), test::contents(vd)) << faces;
    EXPECT_EQ(u.added_values(uv), test::contents(ud)) << faces;
  }
  v.faces_only = false;

  const auto alone = this->template array<2>(v, vv);
  quern::fill_halo(E(), alone, numbered_inflow<2>(),
                   {boundary::wrap, boundary_pair(boundary::prescribed, boundary::odd_reflect)}, quern::depth{2},
                   quern::grid_cells{5, 6});
  v.inflow = [](std::array<std::int64_t, 3> at) {
    return static_cast<double>(inflow<2>()(Kokkos::Array<std::int64_t, 2>{at[1] + 2, at[2] + 2}));
  };
  EXPECT_EQ(v.filled_values(vv), test::contents(alone));
}

TYPED_TEST(Halo, ListsOfFields) {
  using E = typename TypeParam::exec;
  for (const std::size_t count : {0, 1, 3, 16, 17, 40}) {
    std::vector<quern::boundaries> edges;
    std::vector<reference> fields;
    std::vector<std::vector<typename TypeParam::value>> values, added;
    std::vector<decltype(this->template array<2>(fields[0], values[0]))> views, sums;
    for (std::size_t i = 0; i < count; ++i) {
      const std::vector<boundary_pair> edge{i % 2 == 0 ? boundary::wrap : boundary::odd_reflect,
                                            boundary_pair(boundary::constant(static_cast<int>(i)), boundary::nearest)};
      edges.emplace_back(edge);
      fields.push_back(this->template make<2>({3, 5}, 2, 2, edge));
      values.push_back(this->samples(fields.back(), static_cast<int>(i)));
      views.push_back(this->template array<2>(fields.back(), values.back()));
      sums.push_back(this->template array<2>(fields.back(), values.back()));
    }
    quern::fill_halo(E(), views, quern::each_field(edges), quern::depth{2});
    quern::add_halo(E(), std::span(sums), quern::each_field(edges), quern::depth{2});
    for (std::size_t i = 0; i < count; ++i) {
      EXPECT_EQ(fields[i].filled_values(values[i]), test::contents(views[i])) << count << ": " << i;
      EXPECT_EQ(fields[i].added_values(values[i]), test::contents(sums[i])) << count << ": " << i;
    }
  }
}

TYPED_TEST(Halo, FieldsOfSeveralTypes) {
  using E = typename TypeParam::exec;
  using T = typename TypeParam::value;
  using layout = typename TypeParam::layout;
  const auto r = this->template make<2>({4, 5}, 1, 1, {boundary::wrap, boundary::odd_reflect});
  const auto v = this->samples(r);
  const auto w = test::samples<std::int64_t>(r.size());
  const auto a = this->template array<2>(r, v), c = this->template array<2>(r, v);
  const auto b = test::make_array<std::int64_t, 2, layout, E>({6, 7}, w);
  const auto d = test::make_array<T, 2, Kokkos::LayoutLeft, E>({6, 7}, v);
  quern::fill_halo(E(), quern::outputs(a, b, c, d), {boundary::wrap, boundary::odd_reflect}, quern::depth{1});
  EXPECT_EQ(r.filled_values(v), test::contents(a));
  EXPECT_EQ(r.filled_values(w), test::contents(b));
  EXPECT_EQ(r.filled_values(v), test::contents(c));
  EXPECT_EQ(r.filled_values(v), test::contents(d));
  quern::fill_halo(quern::outputs(a, b), boundary::constant(1), quern::depth{1});
  quern::fill_halo(a, inflow<2>(), boundary::prescribed, quern::depth{1});
  quern::add_halo(quern::outputs(a, b), boundary::wrap, quern::depth{1});
}

TYPED_TEST(Halo, FourAxes) {
  using E = typename TypeParam::exec;
  using T = typename TypeParam::value;
  // Components of a field as a fourth axis, which has no ghosts.
  const auto r = this->template make<3>({3, 4, 5}, 1, 1, {boundary::wrap, boundary::reflect, boundary::wrap});
  std::vector<T> all, expected;
  for (int c = 0; c < 2; ++c) {
    const auto v = this->samples(r, c);
    const auto f = r.filled_values(v);
    all.insert(all.end(), v.begin(), v.end());
    expected.insert(expected.end(), f.begin(), f.end());
  }
  const auto u = test::make_array<T, 4, typename TypeParam::layout, E>({2, 5, 6, 7}, all);
  quern::fill_halo(E(), u, {boundary::keep, boundary::wrap, boundary::reflect, boundary::wrap},
                   quern::depth{0, 1, 1, 1});
  EXPECT_EQ(expected, test::contents(u));
}

TYPED_TEST(Halo, EmptyViews) {
  using E = typename TypeParam::exec;
  using T = typename TypeParam::value;
  using layout = typename TypeParam::layout;
  const auto r = this->template make<2>({4, 5}, 1, 1, {boundary::wrap});
  const auto v = this->samples(r);
  const auto a = this->template array<2>(r, v);
  const auto none = test::make_array<T, 2, layout, E>({0, 7});
  quern::fill_halo(E(), none, boundary::wrap, quern::depth{1});
  quern::add_halo(E(), none, boundary::wrap, quern::depth{1});
  quern::fill_halo(E(), quern::outputs(none, a), boundary::wrap, quern::depth{1});
  EXPECT_EQ(r.filled_values(v), test::contents(a));
}

TYPED_TEST(Halo, AddIsTheTransposeOfFill) {
  using E = typename TypeParam::exec;
  const std::vector<boundary_pair> edge{boundary_pair(boundary::odd_mirror, boundary::nearest), boundary::wrap};
  const auto r = this->template make<2>({7, 5}, 2, 2, edge);
  const auto x = this->samples(r, 1), y = this->samples(r, 2);
  const auto u = this->template array<2>(r, x), w = this->template array<2>(r, y);
  quern::fill_halo(E(), u, quern::boundaries(edge), quern::depth{2});
  quern::add_halo(E(), w, quern::boundaries(edge), quern::depth{2});
  const auto filled = test::contents(u), added = test::contents(w);
  double with_filled = 0, with_added = 0;
  for (std::size_t i = 0; i < x.size(); ++i) {
    with_filled += double(filled[i]) * double(y[i]);
    with_added += double(x[i]) * double(added[i]);
  }
  EXPECT_EQ(with_filled, with_added);
}

/// The number of the field.
struct number_of_field {
  template <class Index>
  KOKKOS_FUNCTION double operator()(const Index&, int field) const {
    return 100.0 + field;
  }
};

struct particle {
  int id;
  double x;
};

TEST(HaloOf, Structs) {
  using space = Kokkos::DefaultHostExecutionSpace;
  const Kokkos::View<particle*, space> u("u", 6);
  for (int i = 0; i < 6; ++i) u(i) = {i, 0.5 * i};
  quern::fill_halo(space(), u, boundary::wrap, quern::depth{1});
  EXPECT_EQ(4, u(0).id);
  EXPECT_EQ(0.5, u(5).x);
  quern::fill_halo(space(), u, boundary::constant(particle{9, 1}), quern::depth{1});
  EXPECT_EQ(9, u(0).id);
  test::expect_error("quern::fill_halo: an odd boundary of values that have no sign",
                     [&] { quern::fill_halo(space(), u, boundary::odd_reflect, quern::depth{1}); });
}

template <class T>
void reject_odd() {
  using space = Kokkos::DefaultHostExecutionSpace;
  const Kokkos::View<T*, space> u("u", 6);
  test::expect_error("quern::fill_halo: an odd boundary of values that have no sign",
                     [&] { quern::fill_halo(space(), u, boundary::odd_mirror, quern::depth{1}); });
  quern::fill_halo(space(), u, boundary::mirror, quern::depth{1});
}
TEST(HaloOf, NumbersWithoutSign) {
  reject_odd<std::uint32_t>();
  reject_odd<std::uint8_t>();
  reject_odd<bool>();
}

// Of all types the first ghost is that of the field, in as few launches as carry all fields.
TEST(HaloOf, MoreFieldsOfSeveralTypesThanAKernelCarries) {
  using space = Kokkos::DefaultExecutionSpace;
  const auto fill = []<std::size_t... I>(std::index_sequence<I...>) {
    const std::tuple fields{Kokkos::View<std::conditional_t<I % 2 == 0, float, double>***, space>("field", 3, 3, 3)...};
    (Kokkos::deep_copy(std::get<I>(fields), I), ...);
    const auto labels = test::labels_of([&] {
      quern::fill_halo(space(), quern::outputs(std::get<I>(fields)...), number_of_field(), boundary::prescribed,
                       quern::depth{1});
    });
    EXPECT_EQ(2u, labels.size());
    const auto expect_field = [](const auto& field, double number) {
      const auto found = test::contents(field);
      EXPECT_EQ(number + 100, found.front());
      EXPECT_EQ(number, found[13]);
    };
    (expect_field(std::get<I>(fields), I), ...);
  };
  fill(std::make_index_sequence<18>());
}

/// What remains of a periodic line `a | b c d | e` whose ghosts are added.
template <class T>
void expect_added(const std::vector<T>& line, const std::vector<T>& expected) {
  using space = Kokkos::DefaultExecutionSpace;
  const auto u = test::make_array<T, 1, Kokkos::LayoutRight, space>({5}, line);
  quern::fill_halo(space(), u, boundary::wrap, quern::depth{0});  // of no ghosts
  quern::add_halo(space(), u, boundary::wrap, quern::depth{0});
  EXPECT_EQ(line, test::contents(u));
  quern::add_halo(space(), u, boundary::wrap, quern::depth{1});
  EXPECT_EQ(expected, test::contents(u));
}
TEST(HaloOf, SumsOfNarrowTypesAndComplexNumbers) {
  using complex = Kokkos::complex<float>;
  expect_added<std::int8_t>({100, 2, 3, 100, 5}, {0, 7, 3, -56, 0});
  expect_added<bool>({false, false, true, true, true}, {false, true, true, true, false});
  expect_added<complex>({{1, 2}, {3, 4}, {5, 6}, {7, 8}, {0, -1}}, {{}, {3, 3}, {5, 6}, {8, 10}, {}});
}

TEST(HaloOf, DualViewsSpansAndComplexNumbers) {
  using space = Kokkos::DefaultHostExecutionSpace;
  using complex = Kokkos::complex<double>;
  const Kokkos::View<complex*, space> u("u", 5);
  for (int i = 0; i < 5; ++i) u(i) = complex(i, 1);
  const Kokkos::mdspan<complex, Kokkos::dextents<int, 1>> span(u.data(), 5);
  quern::fill_halo(space(), span, boundary::odd_reflect, quern::depth{1});
  EXPECT_EQ(complex(-1, -1), u(0));
  quern::fill_halo(space(), u, boundary::constant(2), quern::depth{1});
  EXPECT_EQ(complex(2, 0), u(4));
  Kokkos::DualView<double*, space> both("both", 5);
  both.view_host()(1) = 4;
  both.modify_host();
  both.sync_device();
  quern::fill_halo(space(), both, boundary::nearest, quern::depth{1});
  both.sync_host();
  EXPECT_EQ(4.0, both.view_host()(0));
}

TEST(HaloOf, ListsOfDualViews) {
  using space = Kokkos::DefaultExecutionSpace;
  using dual = Kokkos::DualView<double*, space>;
  const std::vector<dual> both{dual("a", 5), dual("b", 5)};
  for (std::size_t i = 0; i < 2; ++i) {
    auto v = both[i];
    v.view_host()(1) = 4.0 + static_cast<double>(i);
    v.modify_host();
  }
  if (!std::is_same_v<typename dual::t_dev::memory_space, typename dual::t_host::memory_space>)
    test::expect_error("quern::fill_halo: a DualView was modified on the other side; synchronize it first",
                       [&] { quern::fill_halo(space(), both, boundary::nearest, quern::depth{1}); });
  for (auto v : both) v.sync_device();
  quern::fill_halo(space(), both, boundary::nearest, quern::depth{1});
  for (std::size_t i = 0; i < 2; ++i) {
    auto v = both[i];
    v.sync_host();
    EXPECT_EQ(4.0 + static_cast<double>(i), v.view_host()(0));
  }
  quern::add_halo(both, boundary::nearest, quern::depth{1});
  for (std::size_t i = 0; i < 2; ++i) {
    auto v = both[i];
    v.sync_host();
    EXPECT_EQ(8.0 + 2 * static_cast<double>(i), v.view_host()(1));
    EXPECT_EQ(0.0, v.view_host()(0));
  }
}

TYPED_TEST(Halo, RejectsMisuse) {
  using E = typename TypeParam::exec;
  using T = typename TypeParam::value;
  const auto make = [](std::array<std::int64_t, 2> n) {
    const std::vector<T> v(n[0] * n[1], T(3));
    return test::make_array<T, 2, typename TypeParam::layout, E>(n, v);
  };
  const auto a = make({6, 7}), b = make({6, 9}), c = make({4, 7});
  const auto fails = [&](const std::string& problem, const auto& out, const quern::field_boundaries& edges,
                         const quern::depth& stored, const auto&... options) {
    test::expect_error("quern::fill_halo: " + problem, [&] { quern::fill_halo(E(), out, edges, stored, options...); });
    test::expect_error("quern::add_halo: " + problem, [&] { quern::add_halo(E(), out, edges, stored, options...); });
  };
  const auto wrap = boundary::wrap;
  fails("out has extents (6, 7), which leave no cell between ghost layers of depth 3 at both ends of axis 0", a, wrap,
        quern::depth{3});
  fails("out 1 has extents (4, 7), which leave no cell between ghost layers of depth 2 at both ends of axis 0",
        quern::outputs(a, c), wrap, quern::depth{2});
  fails(
      "out 1 has 7 cells along axis 1 between its ghost layers, expected 5, or one more where they are on the faces "
      "of a grid",
      quern::outputs(a, b), wrap, quern::depth{1});
  fails(
      "out has 4 cells along axis 0 between its ghost layers, expected 2, or one more where they are on the faces of "
      "a grid",
      a, wrap, quern::depth{1}, quern::grid_cells{2, 5});
  fails("out 0 and out 1 share memory", quern::outputs(a, a), wrap, quern::depth{1});
  fails("layers{2} along axis 0, where a depth of 1 is stored", a, wrap, quern::depth{1}, quern::layers{2});
  fails("ghost layers of depth -1 along axis 1", a, wrap, quern::depth{1, -1});
  fails("a depth for 3 axes, expected 2", a, wrap, quern::depth{1, 1, 1});
  fails("layers for 3 axes, expected 2", a, wrap, quern::depth{1}, quern::layers{1, 1, 1});
  fails("boundaries for 3 axes, expected 2", a, {wrap, wrap, wrap}, quern::depth{1});
  fails("each_field has boundaries for 1, and there are 2 fields", quern::outputs(a, make({6, 7})),
        quern::each_field{wrap}, quern::depth{1});
  fails("an axis that wraps around must do so at both ends", a, {boundary_pair{wrap, boundary::keep}, wrap},
        quern::depth{1});
  fails("interior_only says nothing of ghost cells", a, quern::boundaries(quern::interior_only{{1, 2}, {1, 2}}),
        quern::depth{1});
  test::expect_error("quern::fill_halo: boundary::prescribed without a functor",
                     [&] { quern::fill_halo(E(), a, boundary::prescribed, quern::depth{1}); });
  for (const auto& v : {a, b, c})
    for (const T x : test::contents(v)) EXPECT_EQ(T(3), x);
}

TYPED_TEST(Halo, StencilsRejectBoundariesOfGhostCells) {
  using E = typename TypeParam::exec;
  const Kokkos::View<double*, E> u("u", 5), v("v", 5);
  test::expect_error("quern::laplacian: boundary::odd_reflect is one of quern::fill_halo alone",
                     [&] { quern::laplacian(E(), v, u, 1.0, boundary::odd_reflect); });
}

}  // namespace
