// SPDX-FileCopyrightText: the Quern authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef QUERN_REDUCE_ROW_SELECTION_HPP
#define QUERN_REDUCE_ROW_SELECTION_HPP

/// @file
/// Selection from a row that the registers of some threads of a device hold: pivots are compared with all of them until
/// few elements remain between two pivots, as in Floyd and Rivest, Communications of the ACM 18 (1975).

#include <quern/core/launch/lane_sort.hpp>
#include <quern/core/values/ordered.hpp>
#include <quern/reduce/select_threads.hpp>
#include <quern/reducers/quantile_rule.hpp>

namespace quern::impl {

/// What is known of the keys with two ranks, which are equal or adjacent: they are from `low` to `high`, `below` are
/// less than `low`, and `until` up to `high`. After a split the first rank is that of the last key up to `low`, the
/// second one that of the next.
template <class Key>
struct rank_bounds {
  int first, second;
  Key low, high;
  int below, until;
  bool split = false;

  KOKKOS_FUNCTION int remaining() const { return until - below; }
  KOKKOS_FUNCTION bool has(Key k) const { return static_cast<Key>(k - low) <= static_cast<Key>(high - low); }
  /// After `count` keys up to a pivot, which is less than `high`, were found.
  KOKKOS_FUNCTION void narrow(Key pivot, int count) {
    if (split || pivot < low || pivot >= high) return;
    if (second < count) {
      high = pivot;
      until = count;
    } else if (first >= count) {
      low = pivot + 1;
      below = count;
    } else {
      split = true;
      low = pivot;
    }
  }
};

/// A row of one to M elements for each of some threads. All threads call everything, and all learn the result.
template <class T, int M, class Threads>
class row_selection {
 public:
  using order = ordered<T>;
  using key = typename order::key;
  using bounds = rank_bounds<key>;
  struct pair {
    key first, second;
  };

  KOKKOS_FUNCTION row_selection(Threads& threads, const T* row, std::int64_t stride, int n)
      : threads_(threads), n_(n), own_((n - threads.rank() + threads.size() - 1) / threads.size()) {
    const T in_sample = row[(2 * threads.lane().lane + 1) * n / (2 * samples) * stride];
    const T* const from = row + threads.rank() * stride;
    T v[M];  // all are asked for before the first is looked at; behind the end the last one is asked for again
    if (stride == 1) unrolled<0, M>([&](auto j) { v[j] = from[Kokkos::min<int>(j, own_ - 1) * threads.size()]; });
    else unrolled<0, M>([&](auto j) { v[j] = from[Kokkos::min<int>(j, own_ - 1) * threads.size() * stride]; });
    unrolled<0, M>([&](auto j) { keys_[j] = is_there(j) ? order::key_of(v[j]) : none; });
    sample_[0] = order::key_of(in_sample);
  }

  KOKKOS_FUNCTION int nans() const {
    if constexpr (!order::floating) return 0;
    int count = 0;
    unrolled<0, M>([&](auto j) { count += is_there(j) && order::is_nan_key(keys_[j]) ? 1 : 0; });
    return threads_.sum(count);
  }
  /// The keys of two ranks, which are equal or adjacent.
  KOKKOS_FUNCTION pair find(int first, int second, int nans) {
    bounds b{first, second, 0, order::largest, 0, n_ - nans};
    if (b.remaining() > Threads::few) narrow_by_sample(b);
    int slow = 0;  // steps that left more than half of the keys
    while (!b.split && b.low < b.high && b.remaining() > Threads::few) {
      const int before = b.remaining();
      if (slow > 0) tighten(b);
      if (slow > 1) narrow_between(b, middle(b), middle(b));
      else narrow_by_values(b);
      slow = 2 * b.remaining() > before ? slow + 1 : 0;
    }
    if (b.split) return {largest_of(0, b.low), smallest_of(b.low + 1)};
    return b.low == b.high ? pair{b.low, b.low} : find_among_few(b);
  }

 private:
  static constexpr int samples = 32;
  static constexpr key none = static_cast<key>(~key{0});  // behind the row

  KOKKOS_FUNCTION bool is_there(int j) const { return j < own_; }
  /// Keys behind the row are those of no number, but may be those of the largest integer.
  KOKKOS_FUNCTION bool is_between(const bounds& b, int j) const {
    return b.has(keys_[j]) && (order::floating || is_there(j));
  }

  /// Counts the keys up to two pivots in one sum, p <= q.
  KOKKOS_FUNCTION void narrow_between(bounds& b, key p, key q) const {
    const key last = b.high - 1;
    p = Kokkos::min(p, last);
    q = Kokkos::min(q, last);
    int to_p = 0, to_q = 0;
    unrolled<0, M>([&](auto j) {
      to_p += keys_[j] <= p ? 1 : 0;
      to_q += keys_[j] <= q ? 1 : 0;
    });
    const auto both = static_cast<unsigned>(threads_.sum(to_q << 16 | to_p));
    b.narrow(p, static_cast<int>(both & 0xffff));
    b.narrow(q, static_cast<int>(both >> 16));
  }
  /// Between two elements of a sample of the row, 6 places before and behind that of the ranks: about twice what such
  /// places of random rows vary by.
  KOKKOS_FUNCTION void narrow_by_sample(bounds& b) {
    constexpr int apart = 6;
    sort_on_lanes(threads_.lane(), sample_);
    const int middle = (b.first + b.second + 1) * (samples / 2) / n_;
    const key p = threads_.lane().from(Kokkos::max(middle - apart, 0), sample_[0]);
    const key q = threads_.lane().from(Kokkos::min(middle + apart - 1, samples - 1), sample_[0]);
    narrow_between(b, middle < apart || p == 0 ? 0 : p - 1, middle + apart > samples ? b.high : q);
  }
  /// Where the ranks would be if the values between the bounds were spread evenly, and some places before and behind.
  KOKKOS_FUNCTION void narrow_by_values(bounds& b) const {
    const auto all = static_cast<float>(b.remaining());
    const float wanted = 0.5f * static_cast<float>(b.first + b.second + 1) - static_cast<float>(b.below);
    const float apart = 0.75f * Kokkos::sqrt(all) + 1;
    narrow_between(b, part_of_way(b, (wanted - apart) / all), part_of_way(b, (wanted + apart) / all));
  }
  KOKKOS_FUNCTION static key middle(const bounds& b) { return b.low + (b.high - b.low) / 2; }
  /// A key so far from the lower bound to the upper one.
  KOKKOS_FUNCTION static key part_of_way(const bounds& b, float fraction) {
    const double part = Kokkos::min(Kokkos::max(fraction, 0.f), 0.999f);
    if constexpr (order::floating) {
      using number = typename order::number;
      const auto from = static_cast<double>(order::number_of(b.low)),
                 to = static_cast<double>(order::number_of(b.high));
      if (!(to - from <= Kokkos::Experimental::finite_max_v<double>)) return middle(b);  // infinite, or NaN
      return Kokkos::max(b.low, ordered<number>::key_of(static_cast<number>(from + part * (to - from))));
    } else {
      return b.low + static_cast<key>(part * static_cast<double>(b.high - b.low));
    }
  }
  /// Makes the bounds the first and the last key between them.
  KOKKOS_FUNCTION void tighten(bounds& b) const {
    const key low = smallest_of(b.low), high = largest_of(b.low, b.high);
    b.low = low;
    b.high = high;
  }
  /// The smallest key from `low` on, and the largest up to `high`.
  KOKKOS_FUNCTION key smallest_of(key low) const {
    key found = none;
    unrolled<0, M>([&](auto j) { found = keys_[j] >= low ? Kokkos::min(found, keys_[j]) : found; });
    return threads_.smallest(found);
  }
  KOKKOS_FUNCTION key largest_of(key low, key high) const {
    key found = low;
    unrolled<0, M>([&](auto j) { found = keys_[j] <= high && is_there(j) ? Kokkos::max(found, keys_[j]) : found; });
    return static_cast<key>(~threads_.smallest(static_cast<key>(~found)));
  }

  /// Of few keys, by counting those before each.
  KOKKOS_FUNCTION pair find_among_few(const bounds& b) const {
    int own = 0;
    unrolled<0, M>([&](auto j) { own += is_between(b, j) ? 1 : 0; });
    key* const few = threads_.few_keys();
    int next = threads_.sum_before(own);
    unrolled<0, M>([&](auto j) {
      if (is_between(b, j)) few[next++] = keys_[j];
    });
    threads_.wait();
    const int count = b.remaining();
    if (threads_.rank() < count) {
      const key mine = few[threads_.rank()];
      int before = 0;
      for (int i = 0; i < count; ++i) before += few[i] < mine || (few[i] == mine && i < threads_.rank()) ? 1 : 0;
      if (before == b.first - b.below) few[Threads::few] = mine;
      if (before == b.second - b.below) few[Threads::few + 1] = mine;
    }
    threads_.wait();
    return {few[Threads::few], few[Threads::few + 1]};
  }

  Threads& threads_;
  int n_, own_;
  key keys_[M], sample_[1];
};

/// Writes the quantile of a row that `threads` hold, as `work` (select_work) does.
template <int M, class Work, class T, class Threads>
KOKKOS_FUNCTION void select_held_row(const Work& work, Threads& threads, const T* row, std::int64_t stride,
                                     std::int64_t to, bool is_own) {
  row_selection<T, M, Threads> selection(threads, row, stride, static_cast<int>(work.n));
  const int nans = selection.nans();
  const bool writes = is_own && threads.rank() == 0;
  if (work.is_nan(to, nans)) {
    if (writes) work.write_nan(to);
    return;
  }
  const quantile_position p = work.among(to, nans);
  const auto first = static_cast<int>(p.fraction == 1 ? p.second : p.first);
  const auto second = static_cast<int>(p.fraction == 0 ? p.first : p.second);
  const auto found = selection.find(first, second, nans);
  threads.wait();  // before another row has the memory
  if (writes) work.write(to, found.first, found.second, p.fraction);
}

}  // namespace quern::impl

#endif
