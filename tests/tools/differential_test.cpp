// SPDX-FileCopyrightText: the Quern authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Random calls, each made twice: on the execution space under test, with arrays of random strides, paddings and
// offsets, and on one host thread with contiguous ones. QUERN_DIFFERENTIAL_ROUNDS says how many of each; a seed is
// printed with a difference, and QUERN_DIFFERENTIAL_SEED repeats it.
#include <cmath>
#include <cstdlib>
#include <quern/keyed.hpp>
#include <quern/map.hpp>
#include <quern/reduce.hpp>
#include <quern/scan.hpp>
#include <quern/stencil.hpp>
#include <random>
#include <support/testing.hpp>

namespace {

using host_exec = Kokkos::DefaultHostExecutionSpace;

std::int64_t from_environment(const char* name, std::int64_t otherwise) {
  const char* text = std::getenv(name);
  return text == nullptr ? otherwise : std::atoll(text);
}

/// An instance with one thread.
host_exec one_thread() {
  if (host_exec().concurrency() == 1) return host_exec();
  std::vector<int> weights(host_exec().concurrency(), 1);
  return Kokkos::Experimental::partition_space(host_exec(), weights)[0];
}

class generator {
 public:
  explicit generator(std::uint64_t seed) : bits_(seed) {}
  std::int64_t up_to(std::int64_t most) { return static_cast<std::int64_t>(bits_() % (most + 1)); }
  bool yes() { return up_to(1) == 1; }

  /// Mostly small extents, now and then zero, one, or around a power of two.
  std::int64_t extent(std::int64_t most) {
    switch (up_to(5)) {
      case 0:
        return up_to(2);
      case 1:
        return std::min(most, (std::int64_t{1} << up_to(11)) + up_to(2));
      case 2:
        return up_to(most);
      default:
        return up_to(std::min<std::int64_t>(most, 70));
    }
  }
  template <std::size_t Rank>
  std::array<std::int64_t, Rank> extents(std::int64_t most) {
    std::array<std::int64_t, Rank> n;
    for (auto& e : n) e = extent(most);
    return n;
  }
  /// Values with ties; sums of them are exact in every type but int8, which wraps.
  template <class T>
  std::vector<T> values(std::int64_t n) {
    const std::int64_t width = yes() ? 5 : 100;
    std::vector<T> v(n);
    for (T& x : v) x = static_cast<T>(up_to(2 * width) - width);
    return v;
  }

 private:
  std::mt19937_64 bits_;
};

template <std::size_t Rank>
std::int64_t size_of(const std::array<std::int64_t, Rank>& n) {
  std::int64_t size = 1;
  for (const auto e : n) size *= e;
  return size;
}

/// An array in random order of axes, with gaps between elements and rows and in front.
template <class Exec, std::size_t Rank, class T>
auto scattered(generator& g, const std::array<std::int64_t, Rank>& n, const std::vector<T>& values) {
  Kokkos::LayoutStride layout;
  std::array<int, Rank> axes;
  for (std::size_t d = 0; d < Rank; ++d) axes[d] = static_cast<int>(d);
  for (std::size_t d = Rank - 1; d > 0; --d) std::swap(axes[d], axes[g.up_to(d)]);
  std::int64_t step = g.yes() ? 1 : 1 + g.up_to(2), first = g.up_to(3);
  for (const int d : axes) {
    layout.dimension[d] = n[d];
    layout.stride[d] = step;
    step = step * std::max<std::int64_t>(n[d], 1) + (g.yes() ? 0 : g.up_to(5));
  }
  const Kokkos::View<T*, typename Exec::memory_space> memory("memory", first + step);
  const Kokkos::View<T*, Kokkos::HostSpace> host("host", first + step);
  const auto s = quern::impl::strided<T>{host.data() + first, {}, {}};
  auto placed = s;
  placed.extents.rank = static_cast<int>(Rank);
  for (std::size_t d = 0; d < Rank; ++d) {
    placed.extents.extent[d] = n[d];
    placed.stride[d] = layout.stride[d];
  }
  test::for_each_place(placed, [&](std::int64_t i, std::int64_t place) { placed.data[place] = values[i]; });
  Kokkos::deep_copy(memory, host);
  using data = typename test::data_type<T, Rank>::type;
  // The memory lives as long as the View of it.
  return std::pair(
      memory,
      Kokkos::View<data, Kokkos::LayoutStride, typename Exec::memory_space, Kokkos::MemoryTraits<Kokkos::Unmanaged>>(
          memory.data() + first, layout));
}

template <std::size_t Rank, class T>
auto contiguous(const std::array<std::int64_t, Rank>& n, const std::vector<T>& values) {
  return test::make_array<T, Rank, Kokkos::LayoutRight, host_exec>(n, values);
}

/// NaN equals NaN; floating-point numbers agree to rounding.
template <class T>
void expect_same(const std::vector<T>& expected, const std::vector<T>& found, const std::string& call) {
  ASSERT_EQ(expected.size(), found.size()) << call;
  for (std::size_t i = 0; i < expected.size(); ++i) {
    if constexpr (std::is_integral_v<T>) {
      ASSERT_EQ(expected[i], found[i]) << call << " at " << i;
    } else {
      if (std::isnan(expected[i]) && std::isnan(found[i])) continue;
      const auto tolerance = 64 * std::numeric_limits<T>::epsilon() * (1 + std::fabs(expected[i]));
      ASSERT_NEAR(expected[i], found[i], tolerance) << call << " at " << i;
    }
  }
}

template <class Case>
struct Differential : testing::Test {
  using E = typename Case::exec;
  using T = typename Case::value;

  /// Calls `op(exec, out, in)` on both sides; Out is the type of the results, of extents `to`.
  template <class Out, std::size_t To, std::size_t From, class Op>
  static void compare(const std::string& call, generator& g, const std::array<std::int64_t, To>& to,
                      const std::array<std::int64_t, From>& from, const std::vector<T>& values, const Op& op) {
    const std::vector<Out> before(size_of<To>(to), Out(7));
    const auto in = scattered<E, From>(g, from, values);
    const auto out = scattered<E, To>(g, to, before);
    const auto host_in = contiguous<From>(from, values);
    const auto host_out = contiguous<To>(to, before);
    op(E(), out.second, in.second);
    op(one_thread(), host_out, host_in);
    Kokkos::fence();
    std::string text = call + " of (";
    for (const auto e : from) text += " " + std::to_string(e);
    expect_same(test::contents(host_out), test::contents(out.second), text + " )");
  }

  template <class Round>
  static void repeat(const Round& round) {
    const auto seed = from_environment("QUERN_DIFFERENTIAL_SEED", 20);
    const auto rounds = from_environment("QUERN_DIFFERENTIAL_ROUNDS", 10);
    for (std::int64_t i = 0; i < rounds && !testing::Test::HasFailure(); ++i) {
      SCOPED_TRACE("QUERN_DIFFERENTIAL_SEED=" + std::to_string(seed + i));
      generator g(seed + i);
      round(g);
    }
  }
};
using cases = test::covering<double, float, std::int32_t, std::int8_t>;
TYPED_TEST_SUITE(Differential, cases);

struct scale {
  template <class A, class B>
  KOKKOS_FUNCTION auto operator()(const A& a, const B& b) const {
    return a * b + a;
  }
};

TYPED_TEST(Differential, Maps) {
  using T = typename TestFixture::T;
  this->repeat([&](generator& g) {
    const auto n = g.extents<3>(150);
    const auto values = g.values<T>(size_of<3>(n));
    this->template compare<T>("map", g, n, n, values, [](const auto& e, const auto& out, const auto& in) {
      quern::map(e, out, scale(), in, in);
    });
    this->template compare<double>("copy", g, n, n, values,
                                   [](const auto& e, const auto& out, const auto& in) { quern::copy(e, out, in); });
  });
}

TYPED_TEST(Differential, Reductions) {
  using T = typename TestFixture::T;
  this->repeat([&](generator& g) {
    const auto n = g.extents<3>(g.yes() ? 60 : 700);
    if (size_of<3>(n) > 3'000'000) return;
    const auto values = g.values<T>(size_of<3>(n));
    const int along = static_cast<int>(g.up_to(2));
    std::array<std::int64_t, 2> rest{n[along == 0 ? 1 : 0], n[along == 2 ? 1 : 2]};
    const quern::axis axis{along};
    this->template compare<double>("sum", g, rest, n, values, [&](const auto& e, const auto& out, const auto& in) {
      quern::sum(e, out, in, axis);
    });
    this->template compare<double>("mean", g, rest, n, values, [&](const auto& e, const auto& out, const auto& in) {
      quern::mean(e, out, in, axis);
    });
    if (n[along] == 0) return;
    this->template compare<T>("max", g, rest, n, values,
                              [&](const auto& e, const auto& out, const auto& in) { quern::max(e, out, in, axis); });
    this->template compare<std::int64_t>(
        "argmin", g, rest, n, values,
        [&](const auto& e, const auto& out, const auto& in) { quern::argmin(e, out, in, axis); });
    this->template compare<double>("median", g, rest, n, values, [&](const auto& e, const auto& out, const auto& in) {
      quern::median(e, out, in, axis);
    });
  });
}

TYPED_TEST(Differential, LongMedians) {
  using T = typename TestFixture::T;
  this->repeat([&](generator& g) {
    const std::array<std::int64_t, 2> n{1 + g.up_to(3000), 1 + g.up_to(400)};
    const auto values = g.values<T>(size_of<2>(n));
    const int along = static_cast<int>(g.up_to(1));
    this->template compare<double>(
        "median", g, std::array<std::int64_t, 1>{n[1 - along]}, n, values,
        [&](const auto& e, const auto& out, const auto& in) { quern::median(e, out, in, quern::axis{along}); });
  });
}

TYPED_TEST(Differential, Scans) {
  using T = typename TestFixture::T;
  this->repeat([&](generator& g) {
    const auto n = g.extents<2>(g.yes() ? 300 : 3000);
    const auto values = g.values<T>(size_of<2>(n));
    const quern::axis axis{static_cast<int>(g.up_to(1))};
    this->template compare<double>("cumsum", g, n, n, values, [&](const auto& e, const auto& out, const auto& in) {
      quern::cumsum(e, out, in, axis);
    });
    this->template compare<std::int64_t>(
        "cumsum", g, n, n, values,
        [&](const auto& e, const auto& out, const auto& in) { quern::cumsum(e, out, in, axis); });
  });
}

TYPED_TEST(Differential, RollingWindows) {
  using T = typename TestFixture::T;
  this->repeat([&](generator& g) {
    const auto n = g.extents<2>(g.yes() ? 300 : 3000);
    const auto values = g.values<T>(size_of<2>(n));
    const quern::axis axis{static_cast<int>(g.up_to(1))};
    const quern::window window{.count = 1 + g.up_to(400), .center = g.yes(), .min_periods = g.up_to(1)};
    this->template compare<double>("rolling sum", g, n, n, values, [&](const auto& e, const auto& out, const auto& in) {
      quern::rolling<quern::op::sum>(e, out, in, window, axis);
    });
    this->template compare<double>("rolling median", g, n, n, values,
                                   [&](const auto& e, const auto& out, const auto& in) {
                                     quern::rolling<quern::op::median>(e, out, in, window, axis);
                                   });
  });
}

TYPED_TEST(Differential, OrderAndKeys) {
  using T = typename TestFixture::T;
  this->repeat([&](generator& g) {
    const auto n = g.extents<2>(g.yes() ? 300 : 3000);
    const auto values = g.values<T>(size_of<2>(n));
    const quern::axis axis{static_cast<int>(g.up_to(1))};
    this->template compare<T>("sort", g, n, n, values,
                              [&](const auto& e, const auto& out, const auto& in) { quern::sort(e, out, in, axis); });
    this->template compare<std::int32_t>(
        "argsort", g, n, n, values,
        [&](const auto& e, const auto& out, const auto& in) { quern::argsort(e, out, in, axis); });
    const std::array<std::int64_t, 1> line{g.extent(5000)}, bins{1 + g.up_to(300)};
    const auto row = g.values<T>(line[0]);
    this->template compare<T>("unique", g, std::array<std::int64_t, 1>{300}, line, row,
                              [](const auto& e, const auto& out, const auto& in) { quern::unique(e, out, in); });
    this->template compare<std::int64_t>(
        "histogram", g, bins, line, row,
        [](const auto& e, const auto& out, const auto& in) { quern::histogram(e, out, in, {-60.5, 77}); });
  });
}

struct weighted_cross {
  template <class W>
  KOKKOS_FUNCTION auto operator()(const W& w) const {
    return w(0, 0) * 3 + w(-1, 0) - w(1, 0) * 2 + w(0, -1) - w(0, 1);
  }
};
struct corners {
  template <class W>
  KOKKOS_FUNCTION auto operator()(const W& w) const {
    return w(-2, -2) + w(2, 2) * 2 - w(-2, 2) + w(0, 1);
  }
};

TYPED_TEST(Differential, Stencils) {
  using T = typename TestFixture::T;
  using E = typename TestFixture::E;
  using quern::boundary;
  this->repeat([&](generator& g) {
    const std::array<std::int64_t, 2> n{5 + g.up_to(60), 5 + g.extent(300)};
    const auto values = g.values<T>(size_of<2>(n));
    const std::vector<T> before(values.size(), T(7));
    const std::pair<std::int64_t, std::int64_t> down{2, n[0] - 2}, across{2, n[1] - 2 - g.up_to(1)};
    for (const quern::boundaries& edge : {quern::boundaries(boundary::keep), quern::boundaries(boundary::constant(3)),
                                          quern::boundaries(boundary::nearest), quern::boundaries(boundary::reflect),
                                          quern::boundaries(boundary::mirror), quern::boundaries(boundary::wrap),
                                          quern::boundaries(quern::interior_only{down, across})}) {
      const auto both = [&](const std::string& name, const auto& call) {
        this->template compare<T>(name, g, n, n, values, [&](const auto& e, const auto& out, const auto& in) {
          quern::copy(e, out, in);
          call(e, out, in, edge);
        });
      };
      both("star", [](const auto& e, const auto& out, const auto& in, const auto& b) {
        quern::stencil<quern::star<1>>(e, out, weighted_cross(), b, in);
      });
      both("box", [](const auto& e, const auto& out, const auto& in, const auto& b) {
        quern::stencil<quern::box<2>>(e, out, corners(), b, in);
      });
      both("box_sum", [](const auto& e, const auto& out, const auto& in, const auto& b) {
        quern::box_sum(e, out, in, {2, 4}, b);
      });
    }
    // Packed rows of the first axis.
    const auto left_in = test::make_array<T, 2, Kokkos::LayoutLeft, E>(n, values);
    const auto left_out = test::make_array<T, 2, Kokkos::LayoutLeft, E>(n, before);
    const auto right_in = contiguous<2>(n, values), right_out = contiguous<2>(n, before);
    quern::stencil<quern::star<1>>(left_out, weighted_cross(), boundary::mirror, left_in);
    quern::stencil<quern::star<1>>(right_out, weighted_cross(), boundary::mirror, right_in);
    expect_same(test::contents(right_out), test::contents(left_out), "stencil of LayoutLeft");
  });
}

}  // namespace
