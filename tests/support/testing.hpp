// SPDX-FileCopyrightText: the Quern authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef QUERN_TESTS_SUPPORT_TESTING_HPP
#define QUERN_TESTS_SUPPORT_TESTING_HPP

/// @file
/// What typed tests share: the cases {execution space} x {value type} x {layout}, arrays of each, and their contents.

#include <gtest/gtest.h>

#include <Kokkos_Core.hpp>
#include <algorithm>
#include <cmath>
#include <cstdint>
#include <memory>
#include <quern/core.hpp>
#include <string>
#include <support/call_ref.hpp>
#include <support/gaps.hpp>
#include <tuple>
#include <utility>
#include <vector>

#if defined(QUERN_TEST_PART) && QUERN_TEST_PART == 1
/// GoogleTest has no list without a type, but ends the walk through every list with this one.
template <>
struct testing::internal::ProxyTypeList<> {
  using type = None;
};
#endif

namespace test {

template <class Exec, class T, class Layout>
struct combination {
  using exec = Exec;
  using value = T;
  using layout = Layout;
};

template <class... T>
struct list {};

template <class... Lists>
struct concat;
template <class... T>
struct concat<list<T...>> {
  using type = list<T...>;
};
template <class... A, class... B, class... Rest>
struct concat<list<A...>, list<B...>, Rest...> : concat<list<A..., B...>, Rest...> {};

template <class L>
struct as_types;
template <class... T>
struct as_types<list<T...>> {
  using type = testing::Types<T...>;
};

// A device's compiler that is not asked for hosts compiles with QUERN_TEST_WITHOUT_SERIAL.
using spaces = concat<list<>
#if defined(KOKKOS_ENABLE_SERIAL) && !defined(QUERN_TEST_WITHOUT_SERIAL)
                      ,
                      list<Kokkos::Serial>
#endif
#ifdef KOKKOS_ENABLE_OPENMP
                      ,
                      list<Kokkos::OpenMP>
#endif
#ifdef KOKKOS_ENABLE_CUDA
                      ,
                      list<Kokkos::Cuda>
#endif
#ifdef KOKKOS_ENABLE_HIP
                      ,
                      list<Kokkos::HIP>
#endif
                      >::type;

using layouts = list<Kokkos::LayoutLeft, Kokkos::LayoutRight, Kokkos::LayoutStride>;

template <class Exec, class T, class Layouts>
struct over_layouts;
template <class Exec, class T, class... Layout>
struct over_layouts<Exec, T, list<Layout...>> {
  using type = list<combination<Exec, T, Layout>...>;
};

template <class Exec, class... T>
using product_for = typename concat<list<>, typename over_layouts<Exec, T, layouts>::type...>::type;

template <class Spaces, class... T>
struct product_over;
template <class... Exec, class... T>
struct product_over<list<Exec...>, T...> {
  using type = typename concat<list<>, product_for<Exec, T...>...>::type;
};

template <std::size_t I, class List>
struct nth;
template <std::size_t I, class... T>
struct nth<I, list<T...>> {
  using type = std::tuple_element_t<I, std::tuple<T...>>;
};

// With QUERN_TEST_PART=0 or 1, every other case: two configurations that take a part each have all of them. What
// depends on neither value types nor layouts is in part 0 alone.
#ifdef QUERN_TEST_PART
inline constexpr std::size_t first_case = QUERN_TEST_PART, case_step = 2;
#else
inline constexpr std::size_t first_case = 0, case_step = 1;
#endif

template <class Exec, class Types, std::size_t Count, class Index>
struct cover_one;
template <class Exec, class Types, std::size_t Count, std::size_t... I>
struct cover_one<Exec, Types, Count, std::index_sequence<I...>> {
  template <std::size_t Case>
  using one = combination<Exec, typename nth<Case % Count, Types>::type, typename nth<Case % 3, layouts>::type>;
  using type = list<one<first_case + case_step * I>...>;
};
template <class Spaces, class... T>
struct cover_over;
template <class... Exec, class... T>
struct cover_over<list<Exec...>, T...> {
  static constexpr std::size_t cases = std::max<std::size_t>(sizeof...(T), 3);
  using index = std::make_index_sequence<(cases - first_case + case_step - 1) / case_step>;
  using type = typename concat<list<>, typename cover_one<Exec, list<T...>, sizeof...(T), index>::type...>::type;
};
/// A covering array: each execution space meets each of these types and each layout, in turn.
template <class... T>
using covering = typename as_types<typename cover_over<spaces, T...>::type>::type;

/// Every enabled execution space x these types x every layout; of a part, a covering array.
#ifdef QUERN_TEST_PART
template <class... T>
using full_product = covering<T...>;
#else
template <class... T>
using full_product = typename as_types<typename product_over<spaces, T...>::type>::type;
#endif

/// Every enabled execution space alone.
#if defined(QUERN_TEST_PART) && QUERN_TEST_PART == 1
using all_spaces = testing::Types<>;
#else
using all_spaces = typename as_types<spaces>::type;
#endif

/// Numbers that look random, are the same everywhere, and are small integers plus quarters: exact in every type.
inline double sample(std::uint64_t i, std::uint64_t seed = 0) {
  std::uint64_t z = (i + 1) * 0x9e3779b97f4a7c15u + seed * 0xbf58476d1ce4e5b9u;
  z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
  z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
  return static_cast<double>((z ^ (z >> 31)) % 41) / 4.0 - 5.0;
}

template <class T>
T value_of(double x) {
  if constexpr (std::is_unsigned_v<T>) return static_cast<T>(static_cast<std::int64_t>(x + 5));
  else if constexpr (std::is_integral_v<T>) return static_cast<T>(x);
  else if constexpr (std::is_same_v<T, Kokkos::complex<float>> || std::is_same_v<T, Kokkos::complex<double>>)
    return T(static_cast<typename T::value_type>(x), static_cast<typename T::value_type>(1 - x));
  else return static_cast<T>(x);
}

template <class T>
std::vector<T> samples(std::int64_t n, std::uint64_t seed = 0) {
  std::vector<T> v(n);
  for (std::int64_t i = 0; i < n; ++i) v[i] = value_of<T>(sample(i, seed));
  return v;
}

/// Numbers whose sums and products round: added in another order, they have other bits.
template <class T>
std::vector<T> rounding_samples(std::int64_t n, std::uint64_t seed = 0) {
  std::vector<T> v(n);
  for (std::int64_t i = 0; i < n; ++i) v[i] = value_of<T>(std::sin(static_cast<double>(i) + 0.7 * seed));
  return v;
}

/// Expects the same bits of all calls, which return numbers that == compares.
template <class Call>
void expect_repeats(const Call& call, const std::string& what = "", int times = 8) {
  const auto first = call();
  for (int i = 1; i < times; ++i) ASSERT_EQ(first, call()) << what << ", call " << i;
}

template <class T, int Rank>
struct data_type;
template <class T>
struct data_type<T, 0> {
  using type = T;
};
template <class T, int Rank>
  requires(Rank > 0)
struct data_type<T, Rank> {
  using type = typename data_type<T, Rank - 1>::type*;
};

/// An uninitialized View of the layout; a strided one has gaps along every axis, and others have what is chosen.
template <class T, int Rank, class Layout, class Exec>
auto make_array(const std::array<std::int64_t, Rank>& extents) {
  using data = typename data_type<T, Rank>::type;
  Layout layout;
  std::size_t step = 2;
  for (int d = Rank - 1; d >= 0; --d) {
    layout.dimension[d] = extents[d];
    if constexpr (std::is_same_v<Layout, Kokkos::LayoutStride>) {
      layout.stride[d] = step;
      step *= extents[d] + 1;
    }
  }
  using view = Kokkos::View<data, Layout, typename Exec::memory_space>;
  const gaps kind = next_gaps();
  return kind == gaps::none ? view("test", layout) : make_guarded<view>(layout, kind);
}

/// Memory as bytes: what Kokkos's copies of Views of every type, layout and rank take to compile is most of a test.
template <class Space>
auto bytes(const void* data, std::size_t size) {
  using view = Kokkos::View<char*, Space, Kokkos::MemoryTraits<Kokkos::Unmanaged>>;
  return view(static_cast<char*>(const_cast<void*>(data)), size);
}

/// Calls f(i, place) for every element, in the order of the last index fastest, with its distance from the first.
template <class T, class F>
void for_each_place(const quern::impl::strided<T>& s, const F& f) {
  for (std::int64_t i = 0; i < s.extents.size(); ++i) {
    std::int64_t rest = i, place = 0;
    for (int d = s.extents.rank - 1; d >= 0; --d) {
      place += rest % s.extents.extent[d] * s.stride[d];
      rest /= s.extents.extent[d];
    }
    f(i, place);
  }
}

/// The same with contents, given in the order of the last index fastest.
template <class T, int Rank, class Layout, class Exec>
auto make_array(const std::array<std::int64_t, Rank>& extents, const std::vector<T>& values) {
  auto result = make_array<T, Rank, Layout, Exec>(extents);
  const std::unique_ptr<T[]> memory(new T[result.span()]);
  std::memset(static_cast<void*>(memory.get()), gap_byte, result.span() * sizeof(T));
  for_each_place(quern::impl::describe(result.data(), result),
                 [&](std::int64_t i, std::int64_t place) { memory[place] = values[i]; });
  const std::size_t size = result.span() * sizeof(T);
  Kokkos::deep_copy(bytes<typename Exec::memory_space>(result.data(), size),
                    bytes<Kokkos::HostSpace>(memory.get(), size));
  return result;
}

/// The contents in the order of the last index fastest. Waits for all kernels.
template <class V>
auto contents(const V& v) {
  Kokkos::fence();
  using T = typename V::non_const_value_type;
  const std::unique_ptr<T[]> memory(new T[v.span()]);
  const std::size_t size = v.span() * sizeof(T);
  Kokkos::deep_copy(bytes<Kokkos::HostSpace>(memory.get(), size), bytes<typename V::memory_space>(v.data(), size));
  const auto s = quern::impl::describe(v.data(), v);
  std::vector<T> values(s.extents.size());
  for_each_place(s, [&](std::int64_t i, std::int64_t place) { values[i] = memory[place]; });
  return values;
}

/// The value of a rank-0 View. Waits for all kernels.
template <class V>
auto value(const V& v) {
  Kokkos::fence();
  const auto host = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), v);
  return host();
}

template <class T>
double eps() {
  if constexpr (std::is_same_v<T, Kokkos::complex<double>>) return 2.220446049250313e-16;
  else if constexpr (std::is_same_v<T, Kokkos::complex<float>>) return 1.1920929e-7;
  else return std::numeric_limits<T>::epsilon();
}

/// Runs f and expects a quern::Error with exactly this message.
inline void expect_error(const std::string& message, const call_ref<>& f) {
  try {
    f();
    ADD_FAILURE() << "no error; expected: " << message;
  } catch (const quern::Error& e) {
    EXPECT_EQ(message, e.what());
  }
}

}  // namespace test

#endif
