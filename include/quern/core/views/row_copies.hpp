// SPDX-FileCopyrightText: the Quern authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef QUERN_CORE_VIEWS_ROW_COPIES_HPP
#define QUERN_CORE_VIEWS_ROW_COPIES_HPP

/// @file
/// Copies of rows whose elements are found by maps of indices, on hosts: where a map leads is asked for once for many
/// rows. (bench_views)

#include <algorithm>
#include <cstring>
#include <quern/core/views/index_maps.hpp>

namespace quern::impl {

/// Copies of a row of so many bytes, in words of which the last two may overlap.
template <std::size_t Word>
struct words_of_row {
  std::int64_t bytes;
  KOKKOS_FORCEINLINE_FUNCTION void operator()(void* to, const void* from) const {
    auto* const target = static_cast<std::byte*>(to);
    const auto* const source = static_cast<const std::byte*>(from);
    const std::int64_t last = bytes - static_cast<std::int64_t>(Word);
    for (std::int64_t k = 0; k < last; k += static_cast<std::int64_t>(Word)) std::memcpy(target + k, source + k, Word);
    std::memcpy(target + last, source + last, Word);
  }
};
struct whole_row {
  std::int64_t bytes;
  void operator()(void* to, const void* from) const { std::memcpy(to, from, static_cast<std::size_t>(bytes)); }
};
/// f(copy) with what copies rows of n elements T: short ones without a call.
template <class T, class F>
void with_copy_of_row(std::int64_t n, const F& f) {
  const std::int64_t bytes = n * std::int64_t{sizeof(T)};
  if (bytes > 512) f(whole_row{bytes});
  else if (bytes >= 32) f(words_of_row<32>{bytes});
  else if (bytes >= 16) f(words_of_row<16>{bytes});
  else if (sizeof(T) >= 8 || bytes >= 8) f(words_of_row<8>{bytes});
  else f(words_of_row<(sizeof(T) < 8 ? sizeof(T) : 8)>{bytes});
}

/// Where rows are written, and how many elements each has.
template <class T>
struct row_target {
  T* to;
  std::int64_t apart, n;
};

/// Elements from an address on, n of them that are contiguous in memory, or null.
template <class Source>
const typename Source::value_type* contiguous_row(const Source& source, std::int64_t at, std::int64_t n) {
  const auto run = source.run(at, 1, n);
  return run.step == 1 && run.count >= n ? run.data : nullptr;
}
/// The elements that begin such rows, `step` addresses from each other, as far as they are at equal distances.
template <class Source>
source_run<typename Source::value_type> row_starts(const Source& source, std::int64_t at, std::int64_t step,
                                                   std::int64_t count, const typename Source::value_type* first) {
  const auto run = source.run(at, step, count);
  if (run.data == first && run.count > 0) return run;
  return {first, 0, 1};
}

template <class Source, class T>
std::int64_t copy_contiguous_rows(const Source& source, std::int64_t at, std::int64_t step, std::int64_t rows,
                                  const row_target<T>& target) {
  const T* const first = contiguous_row(source, at, target.n);
  if (first == nullptr) return 0;
  const auto starts = row_starts(source, at, step, rows, first);
  const std::int64_t count = starts.count;
  if (starts.step == target.n && target.apart == target.n) std::copy_n(first, count * target.n, target.to);
  else
    with_copy_of_row<T>(target.n, [=, step = starts.step](const auto& copy) {
      for (std::int64_t r = 0; r < count; ++r) copy(target.to + r * target.apart, first + r * step);
    });
  return count;
}

/// Those of a map along the axis of the rows go by its indices.
template <class Inner, class Map>
bool goes_along(const axis_source<Inner, Map>& source, std::int64_t at, std::int64_t step, std::int64_t n) {
  const std::int64_t below = std::int64_t{1} << source.bits.below;
  return step == below && (at & (below - 1)) + n <= below;
}
template <class Inner, class T>
std::int64_t copy_repeated_rows(const axis_source<Inner, repeat_map>& source, std::int64_t at, std::int64_t rows,
                                const row_target<T>& target) {
  const std::int64_t i = source.index(at), times = source.map.times, j = source.map(i), from = source.others(at);
  const T* const first = contiguous_row(source.inner, from + j * source.stride, target.n);
  if (first == nullptr) return 0;
  rows = std::min(rows, (std::int64_t{1} << source.bits.of_index) - i);
  const std::int64_t some = std::min((j + 1) * times - i, rows);  // of the first
  const auto starts =
      row_starts(source.inner, from + j * source.stride, source.stride, 1 + (rows - some + times - 1) / times, first);
  const std::int64_t done = std::min(rows, some + (starts.count - 1) * times);
  with_copy_of_row<T>(target.n, [=, step = starts.step](const auto& copy) {
    T* to = target.to;
    for (std::int64_t r = 0, end = some, k = 0; r < done; end = std::min(end + times, done), ++k)
      for (; r < end; ++r, to += target.apart) copy(to, first + k * step);
  });
  return done;
}
template <class M, class Indices, class T>
std::int64_t copy_taken_rows(const axis_source<memory_source<M>, take_map<Indices>>& source, std::int64_t at,
                             std::int64_t rows, const row_target<T>& target) {
  const auto map = source.map;
  const std::int64_t i = source.index(at), stride = source.stride;
  const T* const from = source.inner.data + source.others(at);
  rows = std::min(rows, (std::int64_t{1} << source.bits.of_index) - i);
  with_copy_of_row<T>(target.n, [=](const auto& copy) {
    for (std::int64_t r = 0; r < rows; ++r) copy(target.to + r * target.apart, from + map(i + r) * stride);
  });
  return rows;
}
/// Rows that are each a few copies of what a map tiles along them.
template <class Inner, class T>
std::int64_t copy_tiled_rows(const axis_source<Inner, tile_map>& source, std::int64_t at, std::int64_t step,
                             std::int64_t rows, const row_target<T>& target) {
  const std::int64_t n = source.map.n, from = source.others(at);
  const T* const first = contiguous_row(source.inner, from, n);
  if (first == nullptr) return 0;
  const auto starts =
      row_starts(source.inner, from, step >> source.bits.of_index << source.bits.outer_shift, rows, first);
  with_copy_of_row<T>(n, [=](const auto& copy) {
    for (std::int64_t r = 0; r < starts.count; ++r)
      for (std::int64_t k = 0; k < target.n; k += n) copy(target.to + r * target.apart + k, first + r * starts.step);
  });
  return starts.count;
}

/// Copies rows that begin `step` addresses from each other. Returns how many were copied, 0 where a row is neither
/// contiguous nor tiled.
template <class Source, class T>
std::int64_t copy_rows(const Source& source, std::int64_t at, std::int64_t step, std::int64_t rows,
                       const row_target<T>& target) {
  return copy_contiguous_rows(source, at, step, rows, target);
}
template <class Inner, class T>
std::int64_t copy_rows(const axis_source<Inner, repeat_map>& source, std::int64_t at, std::int64_t step,
                       std::int64_t rows, const row_target<T>& target) {
  if (source.map.times > 1 && goes_along(source, at, step, target.n))
    return copy_repeated_rows(source, at, rows, target);
  return copy_contiguous_rows(source, at, step, rows, target);
}
template <class M, class Indices, class T>
std::int64_t copy_rows(const axis_source<memory_source<M>, take_map<Indices>>& source, std::int64_t at,
                       std::int64_t step, std::int64_t rows, const row_target<T>& target) {
  if (goes_along(source, at, step, target.n)) return copy_taken_rows(source, at, rows, target);
  return copy_contiguous_rows(source, at, step, rows, target);
}
template <class Inner, class T>
std::int64_t copy_rows(const axis_source<Inner, tile_map>& source, std::int64_t at, std::int64_t step,
                       std::int64_t rows, const row_target<T>& target) {
  const std::int64_t line = std::int64_t{1} << source.bits.of_index;
  if (source.bits.below == 0 && source.stride == 1 && step % line == 0 && source.index(at) == 0 && target.n <= line &&
      target.n > source.map.n && target.n % source.map.n == 0)
    return copy_tiled_rows(source, at, step, rows, target);
  return copy_contiguous_rows(source, at, step, rows, target);
}

/// Copies the elements of `count` addresses: by rows where those of several rows follow each other.
template <class Source, class T>
void copy_elements(const Source& source, std::int64_t at, std::int64_t step, std::int64_t count, T* to) {
  source.gather(at, step, count, to);
}
template <class Inner, class Map, class T>
void copy_elements(const axis_source<Inner, Map>& source, std::int64_t at, std::int64_t step, std::int64_t count,
                   T* to) {
  const std::int64_t line = std::int64_t{1} << source.bits.below;
  if (step == 1 && line > 1 && count >= 2 * line) {
    const std::int64_t before = -at & (line - 1);
    source.gather(at, 1, before, to);
    std::int64_t rows = (count - before) / line, copied = 1;
    at += before, to += before, count -= before;
    for (; rows > 0 && copied > 0; rows -= copied) {
      copied = copy_rows(source, at, line, rows, row_target<T>{to, line, line});
      at += copied * line, to += copied * line, count -= copied * line;
    }
  }
  source.gather(at, step, count, to);
}

}  // namespace quern::impl

#endif
