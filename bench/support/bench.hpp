// SPDX-FileCopyrightText: the Quern authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef QUERN_BENCH_SUPPORT_BENCH_HPP
#define QUERN_BENCH_SUPPORT_BENCH_HPP

#include <Kokkos_Core.hpp>
#include <cstdint>
#include <functional>
#include <string>
#include <type_traits>
#include <vector>

namespace bench {

using exec_space = QUERN_EXECUTION_SPACE;
using memory_space = exec_space::memory_space;
template <class Data>
using view = Kokkos::View<Data, Kokkos::LayoutRight, memory_space>;
using range = Kokkos::RangePolicy<exec_space, Kokkos::IndexType<std::int64_t>>;

/// A way to do the work. Where several are called plain, the best of them is the plain Kokkos loop.
struct variant {
  std::string name;
  std::function<void()> call;
};

/// One operation at one size: what it moves and computes, its variants, and whether the last call's result is right.
struct prepared {
  double bytes = 0;
  double flops = 0;
  std::vector<variant> variants;
  std::function<void()> poison;  // spoils the result, so that a variant that writes nothing is found out
  std::function<bool()> right;
  double limit = 0;  // bytes a second of what bounds the operation; 0: a copy within the memory
};

/// Makes the arrays of a size; called when the benchmark runs, its arrays are freed after it.
using prepare = std::function<prepared(const exec_space&, std::int64_t)>;

/// Registers an operation; `sizes` run from cache to memory, `tiny` is for --verify.
struct operation {
  std::string name;
  std::vector<std::int64_t> sizes;
  std::int64_t tiny;
  prepare make;
};
void add(operation o);

/// 64 bits that look random, different for each seed.
KOKKOS_INLINE_FUNCTION std::uint64_t mixed(std::uint64_t i, std::uint64_t seed) {
  std::uint64_t z = (i + 1) * 0x9e3779b97f4a7c15u + seed * 0xd1342543de82ef95u;
  z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
  z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
  return z ^ (z >> 31);
}
/// Uniform numbers in [0, 1).
KOKKOS_INLINE_FUNCTION double hashed(std::uint64_t i, std::uint64_t seed) {
  return static_cast<double>(mixed(i, seed) >> 11) * 0x1p-53;
}

template <class T>
struct fill_hashed {
  T* data;
  std::uint64_t seed;
  KOKKOS_FUNCTION void operator()(std::int64_t i) const { data[i] = static_cast<T>(hashed(i, seed)); }
};

template <class Data, class... N>
view<Data> make_view(const std::string& label, N... n) {
  return view<Data>(Kokkos::view_alloc(Kokkos::WithoutInitializing, label), n...);
}

template <class V>
V sampled(const V& v, std::uint64_t seed) {
  using T = typename V::value_type;
  Kokkos::parallel_for("bench::fill", range(0, v.size()), fill_hashed<T>{v.data(), seed});
  Kokkos::fence();
  return v;
}

/// How many of n indices fail on the device; `right(i)` is a functor.
template <class Right>
std::int64_t failures(std::int64_t n, const Right& right) {
  std::int64_t wrong = 0;
  Kokkos::parallel_reduce(
      "bench::check", range(0, n), KOKKOS_LAMBDA(std::int64_t i, std::int64_t& w) { w += !right(i); }, wrong);
  return wrong;
}

/// Adds hashes of elements, and of the line each is in: a row of so many elements, or one of so many columns.
template <class T>
struct add_hashes {
  const T* data;
  std::int64_t length;
  bool columns;
  KOKKOS_FUNCTION void operator()(std::int64_t i, std::uint64_t& sum) const {
    std::uint64_t bits = 0x7ff8dead;  // of any NaN
    if constexpr (std::is_same_v<T, double>)
      bits = data[i] == data[i] ? Kokkos::bit_cast<std::uint64_t>(data[i]) : bits;
    else if constexpr (std::is_same_v<T, float>)
      bits = data[i] == data[i] ? Kokkos::bit_cast<std::uint32_t>(data[i]) : bits;
    else bits = static_cast<std::uint64_t>(data[i]);
    sum += mixed(bits, static_cast<std::uint64_t>(columns ? i % length : i / length));
  }
};
template <class T>
std::uint64_t hash_of(const T* data, std::int64_t n, std::int64_t length, bool columns = false) {
  std::uint64_t sum = 0;
  Kokkos::parallel_reduce("bench::hashes", range(0, n), add_hashes<T>{data, length, columns}, sum);
  return sum;
}
/// Whether two Views have the same elements, bit by bit, in any order.
template <class V>
bool same_elements(const V& a, const V& b) {
  const auto n = static_cast<std::int64_t>(a.size());
  return hash_of(a.data(), n, n) == hash_of(b.data(), n, n);
}

}  // namespace bench

#endif
