// SPDX-FileCopyrightText: the Quern authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef QUERN_TESTS_STREAM_BEHIND_FUNCTION_HPP
#define QUERN_TESTS_STREAM_BEHIND_FUNCTION_HPP

#include <quern/chunked.hpp>
#include <support/testing.hpp>

namespace test {

namespace chunked = quern::chunked;

/// An array in the memory of the host, behind a function.
template <class T, std::size_t Rank>
struct behind_function {
  std::vector<T> values;
  std::array<std::int64_t, Rank> extents;

  std::int64_t row() const {
    std::int64_t n = 1;
    for (std::size_t d = 1; d < Rank; ++d) n *= extents[d];
    return n;
  }
  auto source() const {
    return make([this](const std::size_t(&e)[Rank]) {
      return chunked::reader<T>(e, [this](std::int64_t first, std::int64_t rows, T* to) {
        std::copy_n(values.data() + first * row(), rows * row(), to);
      });
    });
  }
  auto sink() {
    return make([this](const std::size_t(&e)[Rank]) {
      return chunked::writer<T>(e, [this](std::int64_t first, std::int64_t rows, const T* from) {
        std::copy_n(from, rows * row(), values.data() + first * row());
      });
    });
  }

 private:
  template <class F>
  auto make(const F& f) const {
    std::size_t e[Rank];
    for (std::size_t d = 0; d < Rank; ++d) e[d] = extents[d];
    return f(e);
  }
};

template <class T, std::size_t Rank>
behind_function<T, Rank> behind(const std::array<std::int64_t, Rank>& extents, std::uint64_t seed = 1) {
  std::int64_t n = 1;
  for (const auto e : extents) n *= e;
  return {samples<T>(n, seed), extents};
}
/// Numbers whose sums round.
template <std::size_t Rank>
behind_function<double, Rank> rounding_behind(const std::array<std::int64_t, Rank>& extents, std::uint64_t seed) {
  auto all = behind<double>(extents, seed);
  all.values = rounding_samples<double>(static_cast<std::int64_t>(all.values.size()), seed);
  return all;
}
/// Memory for about `rows` rows in three chunks.
template <class A>
quern::chunking memory_for(const A& a, std::int64_t rows, std::int64_t arrays = 1) {
  quern::chunking o;
  o.memory = 3 * rows * a.row() * sizeof(a.values[0]) * arrays;
  return o;
}

/// An array of LayoutLeft in the memory of the host, as a source and as a sink in Fortran order.
template <class V>
auto fortran_source(const V& array) {
  return chunked::Source<typename V::value_type, 2>(
      std::make_shared<quern::impl::view_reader>(quern::impl::describe(array.data(), array), false));
}
template <class V>
auto fortran_sink(const V& array) {
  return chunked::Sink<typename V::value_type, 2>(
      std::make_shared<quern::impl::view_writer>(quern::impl::describe(array.data(), array), false));
}

struct pinned_memory {
  using memory_space = Kokkos::SharedHostPinnedSpace;
};

}  // namespace test

#endif
