// SPDX-FileCopyrightText: the Quern authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef QUERN_REDUCE_CHOSEN_ELEMENTS_HPP
#define QUERN_REDUCE_CHOSEN_ELEMENTS_HPP

#include <quern/core/launch/ivdep.hpp>
#include <quern/core/launch/launch_units.hpp>
#include <quern/core/views/operands.hpp>
#include <tuple>

namespace quern::impl {

/// `values[k] = f(p[k]...)` for k < n on a host, which `apply` returns, of an f that computes all of some elements
/// alone, by a mask. Where a mask selects all of a few elements, or none, compilers make vector instructions of a loop
/// without a branch. Of others those that it selects are listed, and come later: a branch at each element would be
/// mispredicted at masks without a pattern, which takes longer than most functions, and so would the ends of short
/// lists.
template <class F, class T, class... P>
class chosen_elements {
  static constexpr std::int64_t together = 64, listed = 4 * together;
  static constexpr bool is_one_mask = masks_of<F> == 1;
  in_loop<F> f_;  // what the loop reads must not be what it might write
  T* values_;
  std::tuple<const P&...> from_;
  std::int64_t chosen_[listed + together], left_[listed + together];
  std::int64_t count_ = 0, of_left_ = 0;

 public:
  chosen_elements(const F& f, T* values, const P&... p) : f_(f), values_(values), from_(p...) {}

  const T* apply(std::int64_t n) {
    for (std::int64_t first = 0; first < n; first += together) {
      apply_to(first, Kokkos::min(first + together, n));
      if (Kokkos::max(count_, of_left_) > listed) apply_listed();
    }
    apply_listed();
    return values_;
  }

 private:
  template <class G>
  auto at(std::int64_t k, const G& g) const {
    return std::apply([&](const auto&... p) { return g(p[k]...); }, from_);
  }
  bool computes_all(std::int64_t k) const {
    return at(k, [&](const auto&... v) { return f_.template computes_all<0>(v...); });
  }
  T chosen(std::int64_t k) const {
    return at(k, [&](const auto&... v) { return f_.template where_known<true, 0>(v...); });
  }
  T other(std::int64_t k) const {
    return at(k, [&](const auto&... v) {
      if constexpr (is_one_mask) return f_.template where_known<false, 0>(v...);
      else return f_(v...);
    });
  }
  void apply_to(std::int64_t first, std::int64_t end) {
    int all = 0;
    independent_loop(first, end, [&](std::int64_t k) { all += computes_all(k) ? 1 : 0; });
    const auto write_others = [&, to = values_] {
      independent_loop(first, end, [&](std::int64_t k) { to[k] = other(k); });
    };
    if (all == end - first) {
      independent_loop(first, end, [&, to = values_](std::int64_t k) { to[k] = chosen(k); });
    } else if (all == 0) {
      write_others();
    } else if constexpr (is_one_mask && is_safe_without_mask<F>) {
      write_others();
      for (std::int64_t k = first; k < end; ++k) {
        chosen_[count_] = k;
        count_ += computes_all(k) ? 1 : 0;
      }
    } else {
      for (std::int64_t k = first; k < end; ++k) {
        const bool c = computes_all(k);
        chosen_[count_] = left_[of_left_] = k;
        count_ += c ? 1 : 0;
        of_left_ += c ? 0 : 1;
      }
    }
  }
  void apply_listed() {
    for (std::int64_t i = 0; i < count_; ++i) values_[chosen_[i]] = chosen(chosen_[i]);
    for (std::int64_t i = 0; i < of_left_; ++i) values_[left_[i]] = other(left_[i]);
    count_ = of_left_ = 0;
  }
};

}  // namespace quern::impl

#endif
