// SPDX-FileCopyrightText: the Quern authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <bit>
#include <quern/keyed/quicksort.hpp>

#include "sorted_words.hpp"

namespace quern::impl {
namespace {

/// What keys have in common: the least and the greatest, and the bits that some and that all of them have.
struct key_survey {
  std::uint64_t least = ~std::uint64_t{0}, greatest = 0, some = 0, all = ~std::uint64_t{0};

  void add(const key_survey& other) {
    least = std::min(least, other.least);
    greatest = std::max(greatest, other.greatest);
    some |= other.some;
    all &= other.all;
  }
};

/// Sorts positions by keys, in words of 64 bits that have the leading bits in which keys differ above the position.
/// Words are all different, so that any sort of them is stable. Where so few bits do not tell all keys apart, runs of
/// positions with the same ones are sorted by what is left, which fits: with positions of p bits it has p bits at most.
template <class Key>
struct positions_sort {
  std::int64_t n;
  const Key* keys;
  std::int64_t step;  // from key to key
  key_alias<Key> equal;
  std::uint64_t* words;
  int position_bits;
  std::uint64_t least = 0;  // of the keys
  int dropped = 0;          // trailing bits in which they do not differ
  int left = 0;             // bits after those for which a word has no room

  positions_sort(std::int64_t of, const Key* of_keys, std::int64_t apart, const key_alias<Key>& alias,
                 std::uint64_t* to)
      : n(of),
        keys(of_keys),
        step(apart),
        equal(alias),
        words(to),
        position_bits(std::bit_width(static_cast<std::uint64_t>(std::max<std::int64_t>(of - 1, 1)))) {}

  Key key_at(std::int64_t i) const {
    const Key k = keys[i * step];
    return k == equal.alias ? equal.key : k;
  }
  key_survey survey(std::int64_t first, std::int64_t last) const {
    Key low = static_cast<Key>(~Key{0}), high = 0, some = 0, all = low;
    for (std::int64_t i = first; i < last; ++i) {
      const Key k = key_at(i);
      low = std::min(low, k);
      high = std::max(high, k);
      some |= k;
      all &= k;
    }
    return {low, high, some, all};
  }
  void use(const key_survey& found) {
    const std::uint64_t differing = found.some ^ found.all;
    if (differing == 0) return;
    least = found.least;
    dropped = std::countr_zero(differing);
    const int width = std::bit_width((found.greatest - least) >> dropped);
    left = std::max(0, width + position_bits - 64);
  }
  std::uint64_t position_mask() const { return (std::uint64_t{1} << position_bits) - 1; }
  std::uint64_t distance(std::int64_t i) const { return (key_at(i) - least) >> dropped; }
  void pack(std::int64_t first, std::int64_t last) const {
    for (std::int64_t i = first; i < last; ++i)
      words[i] = distance(i) >> left << position_bits | static_cast<std::uint64_t>(i);
  }
  bool begins_run(std::int64_t i) const { return i == 0 || words[i] >> position_bits != words[i - 1] >> position_bits; }
  /// The first run that begins at i or later.
  std::int64_t run_from(std::int64_t i) const {
    while (left > 0 && i < n && !begins_run(i)) ++i;
    return i;
  }
  /// Leaves the positions of whole runs alone, in order.
  void finish(std::int64_t first, std::int64_t last) const {
    for (std::int64_t i = first; i < last;) {
      std::int64_t end = i + 1;
      while (left > 0 && end < last && words[end] >> position_bits == words[i] >> position_bits) ++end;
      if (end - i > 1) sort_run(i, end);
      for (; i < end; ++i) words[i] &= position_mask();
    }
  }
  void sort_run(std::int64_t first, std::int64_t last) const {
    const std::uint64_t left_mask = (std::uint64_t{1} << left) - 1;
    bool in_order = true;
    for (std::int64_t i = first; i < last; ++i) {
      const std::uint64_t position = words[i] & position_mask();
      words[i] = (distance(static_cast<std::int64_t>(position)) & left_mask) << position_bits | position;
      in_order &= i == first || words[i - 1] < words[i];
    }
    if (!in_order) vector_sort(words + first, last - first, false);
  }
  void sort_alone() {
    use(survey(0, n));
    pack(0, n);
    if (n > 1) vector_sort(words, n, false);
    finish(0, n);
  }
};

/// One line, by several threads.
template <class Exec, class Key>
void sort_positions_of_line(const std::string& label, const Exec& exec, positions_sort<Key>& line) {
  const std::int64_t n = line.n, chunks = threads_for(exec, n);
  const auto begin = [=](std::int64_t chunk) { return chunk * n / chunks; };
  key_survey* found = nullptr;
  std::int64_t* runs = nullptr;
  const scratch_arrays<Exec> memory(exec, scratch_part{found, chunks}, scratch_part{runs, chunks + 1});
  launch_units(exec, label_text(label, "/bits"), chunks,
               [&](std::int64_t c) { found[c] = line.survey(begin(c), begin(c + 1)); });
  for (std::int64_t c = 1; c < chunks; ++c) found[0].add(found[c]);
  line.use(found[0]);
  launch_units(exec, label_text(label, "/words"), chunks, [&](std::int64_t c) { line.pack(begin(c), begin(c + 1)); });
  sort_line(label, exec, sorted_words<std::uint64_t>{false}, n, line.words, 1, line.words, 1);
  for (std::int64_t c = 0; c <= chunks; ++c) runs[c] = line.run_from(begin(c));
  launch_units(exec, label_text(label, "/runs"), chunks, [&](std::int64_t c) { line.finish(runs[c], runs[c + 1]); });
}

}  // namespace

bool keys_differ(std::array<std::uint64_t, sampled_keys>& sample) {
  std::uint64_t some = 0, all = ~std::uint64_t{0};
  for (const std::uint64_t k : sample) {
    some |= k;
    all &= k;
  }
  int digits = 0;
  for (std::uint64_t differing = some ^ all; differing != 0; differing >>= 8) digits += (differing & 255) != 0;
  if (digits < 7) return false;
  vector_sort(sample.data(), sampled_keys, false);
  return std::unique(sample.begin(), sample.end()) - sample.begin() >= sampled_keys * 3 / 4;
}

template <class Exec, class Key>
bool quicksort_positions(const std::string& label, const Exec& exec, std::int64_t count, std::int64_t n,
                         std::int64_t step, const Key* keys, const key_alias<Key>& equal, std::uint64_t* positions) {
  if (!has_vector_sort() || !std::in_range<std::uint32_t>(n)) return false;
  const auto line_at = [&](std::int64_t l) {
    return positions_sort<Key>(n, keys + l * n * step, step, equal, positions + l * n);
  };
  if (count == 1 || (count < exec.concurrency() && threads_for(exec, n) > 1)) {
    for (std::int64_t l = 0; l < count; ++l) {
      auto line = line_at(l);
      sort_positions_of_line(label, exec, line);
    }
    return true;
  }
  const std::int64_t units = std::min(count, threads_for(exec, count * n));
  launch_units(exec, label, units, [&](std::int64_t unit) {
    for (std::int64_t l = unit * count / units; l < (unit + 1) * count / units; ++l) line_at(l).sort_alone();
  });
  return true;
}

QUERN_ON_HOSTS(QUERN_QUICKSORT_POSITIONS)

}  // namespace quern::impl
