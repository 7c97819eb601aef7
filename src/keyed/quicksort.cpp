// SPDX-FileCopyrightText: the Quern authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <array>
#include <quern/keyed/quicksort.hpp>
#include <quern/keyed/sort.hpp>
#include <utility>

#include "sorted_words.hpp"

namespace quern::impl {
namespace {

/// Lines of arrays, each sorted by one thread.
template <class Number>
struct lines_sort {
  using order_type = sorted_words<Number>;
  using word = typename order_type::word;
  static constexpr std::int64_t padding = 64 / sizeof(word);  // against cache lines of one set

  order_type order;
  std::int64_t n, count;
  const word* in;
  word* out;
  std::int64_t in_step, out_step;
  int outer;  // dimensions beside the line
  Kokkos::Array<std::int64_t, max_rank> extent, in_stride, out_stride;
  word* room = nullptr;    // for the blocks of all threads
  std::int64_t units = 1;  // threads

  lines_sort(const order_type& by, const sort_lines& lines, const strided<Number>& to,
             const strided<const Number>& from)
      : order(by),
        n(lines.n),
        count(lines.count),
        in(reinterpret_cast<const word*>(from.data)),
        out(reinterpret_cast<word*>(to.data)),
        outer(lines.extents.rank - 1),
        extent(lines.extents.extent),
        in_stride(from.stride),
        out_stride(to.stride) {
    in_step = in_stride[outer];
    out_step = out_stride[outer];
    // What lies beside a line comes last, so that blocks of lines are read and written by cache lines.
    for (int d = 0; d + 1 < outer; ++d)
      if (in_stride[d] < in_stride[outer - 1]) {
        std::swap(extent[d], extent[outer - 1]);
        std::swap(in_stride[d], in_stride[outer - 1]);
        std::swap(out_stride[d], out_stride[outer - 1]);
      }
  }

  /// Where a line begins in `in` and in `out`.
  std::pair<std::int64_t, std::int64_t> begin(std::int64_t line) const {
    std::int64_t from = 0, to = 0;
    for (int d = outer - 1; d > 0; --d) {
      const std::int64_t i = line % extent[d];
      line /= extent[d];
      from += i * in_stride[d];
      to += i * out_stride[d];
    }
    if (outer > 0) {
      from += line * in_stride[0];
      to += line * out_stride[0];
    }
    return {from, to};
  }
  bool by_rows() const { return n < 2 || (in_step == 1 && out_step == 1); }
  /// Lines that are sorted together: of each row a cache line at least, which is read once then, and as many adjacent
  /// ones as the cache of a core has room for, but no more than a thread sorts in all: long lines take much memory.
  static constexpr std::int64_t max_block = 4 * padding, block_bytes = 1 << 19;
  std::int64_t block() const {
    const auto fitting = block_bytes / (apart() * static_cast<std::int64_t>(sizeof(word)));
    return std::min((count + units - 1) / units, std::clamp<std::int64_t>(fitting, padding, max_block));
  }
  /// The words between their beginnings.
  std::int64_t apart() const { return n + padding; }

  void operator()(std::int64_t unit) const {
    const std::int64_t first = unit * count / units, last = (unit + 1) * count / units;
    if (by_rows())
      for (std::int64_t l = first; l < last; ++l) {
        const auto [from, to] = begin(l);
        order.copy(in + from, 1, out + to, 1, n);
        order.sort(out + to, n);
      }
    else
      for (std::int64_t l = first; l < last; l += block())
        sort_block(l, std::min(block(), last - l), room + unit * block() * apart());
  }
  void sort_block(std::int64_t first, std::int64_t lines, word* words) const {
    std::array<std::int64_t, max_block> from, to;
    for (std::int64_t l = 0; l < lines; ++l) std::tie(from[l], to[l]) = begin(first + l);
    for_tiles(lines, [&](std::int64_t l, std::int64_t i) {
      words[l * apart() + i] = order.cleaned(in[from[l] + i * in_step]);
    });
    for (std::int64_t l = 0; l < lines; ++l) order.sort(words + l * apart(), n);
    for_tiles(lines, [&](std::int64_t l, std::int64_t i) { out[to[l] + i * out_step] = words[l * apart() + i]; });
  }
  /// Tiles of cache lines on both sides.
  template <class F>
  void for_tiles(std::int64_t lines, const F& f) const {
    for (std::int64_t first = 0; first < n; first += padding) {
      const std::int64_t last = std::min(first + padding, n);
      for (std::int64_t l = 0; l < lines; ++l)
        for (std::int64_t i = first; i < last; ++i) f(l, i);
    }
  }
};

}  // namespace

template <class Exec, class Number>
bool quicksort_numbers(const std::string& label, const Exec& exec, const sort_lines& lines, const strided<Number>& out,
                       const strided<const Number>& in, bool descending) {
  if (!has_vector_sort()) return false;
  const sorted_words<Number> order{descending};
  using word = typename sorted_words<Number>::word;
  const auto sort_one = [&](const word* from, std::int64_t from_step, word* to, std::int64_t to_step) {
    sort_line(label, exec, order, lines.n, from, from_step, to, to_step);
  };
  const auto words_of = [](auto* numbers) {
    return reinterpret_cast<
        std::conditional_t<std::is_const_v<std::remove_pointer_t<decltype(numbers)>>, const word, word>*>(numbers);
  };
  const int along = lines.extents.rank - 1;
  if (lines.count == 1 && lines.extents.extent[along] != lines.n) {  // several dimensions as one line
    if (!is_contiguous(out)) return false;
    if (is_contiguous(in)) {
      sort_one(words_of(in.data), 1, words_of(out.data), 1);
    } else {
      map_lines(label_text(label, "/copy"), exec, out, op::identity(), line_input(in));
      sort_one(words_of(out.data), 1, words_of(out.data), 1);
    }
    return true;
  }
  lines_sort<Number> kernel(order, lines, out, in);
  if (lines.count == 1 || (lines.count < exec.concurrency() && threads_for(exec, lines.n) > 1)) {
    for (std::int64_t l = 0; l < lines.count; ++l) {
      const auto [from, to] = kernel.begin(l);
      sort_one(kernel.in + from, kernel.in_step, kernel.out + to, kernel.out_step);
    }
    return true;
  }
  kernel.units = std::min(lines.count, threads_for(exec, lines.size()));
  const scratch_array<Exec, word> memory(exec, kernel.by_rows() ? 0 : kernel.units * kernel.block() * kernel.apart());
  kernel.room = memory.data();
  launch_units(exec, label, kernel.units, kernel);
  return true;
}

QUERN_ON_HOSTS(QUERN_QUICKSORT_NUMBERS)

}  // namespace quern::impl
