// SPDX-FileCopyrightText: the Quern authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef QUERN_FITS_TRAIN_TEST_SPLIT_HPP
#define QUERN_FITS_TRAIN_TEST_SPLIT_HPP

#include <quern/core/call/call.hpp>
#include <quern/map/map.hpp>
#include <quern/random/permutation.hpp>

namespace quern {
namespace impl {

/// The images of positions from `first` on.
template <class T>
struct later_image {
  random_bijection permutation;
  std::int64_t first;
  KOKKOS_FUNCTION T operator()(const Kokkos::Array<std::int64_t, 1>& at) const {
    return static_cast<T>(permutation(first + at[0]));
  }
};

}  // namespace impl

/// Splits the numbers from 0 to n - 1 into two parts at random, as scikit-learn's `train_test_split` and
/// `ShuffleSplit`: `test` gets the first of `random::permutation`'s numbers of that key, `train` those that follow.
/// Rows of both parts are then `take(x, train)` and `take(x, test)`.
///
/// @code
/// quern::train_test_split(exec, train, test, quern::random::key(42));
/// @endcode
///
/// @param train,test of rank 1 and an integer type, with as many elements as the parts have; n is their sum
///
/// The same key gives the same parts on every back end; they are not scikit-learn's. Asynchronous on `exec`, without
/// scratch memory; may be captured in a device graph.
/// @throws Error if ranks do not fit, a type does not hold the numbers, or both share memory
template <execution_space Exec, view_like Train, view_like Test>
void train_test_split(const Exec& exec, const Train& train_view, const Test& test_view, const random::key& k) {
  const impl::call c("quern::train_test_split", exec);
  const auto train = c.output(train_view);
  const auto test = c.output(test_view);
  if (train.extents.rank != 1) impl::reject_extents(c.label, "train", train.extents, "rank 1");
  if (test.extents.rank != 1) impl::reject_extents(c.label, "test", test.extents, "rank 1");
  const std::int64_t before = test.extents.extent[0], n = train.extents.extent[0] + before;
  impl::check_positions<impl::value_of<Train>>(c.label, "train", n);
  impl::check_positions<impl::value_of<Test>>(c.label, "test", n);
  impl::check_apart(c.label, {"train", "test"}, train, test);
  if (n == 0) return;
  const impl::random_bijection order(k, n);
  impl::map_checked(c.label, exec, test_view, impl::later_image<impl::value_of<Test>>{order, 0}, positions());
  impl::map_checked(c.label, exec, train_view, impl::later_image<impl::value_of<Train>>{order, before}, positions());
}
template <view_like Train, view_like Test>
void train_test_split(const Train& train, const Test& test, const random::key& k) {
  train_test_split(impl::space_of(train), train, test, k);
}
QUERN_TAKES_NAME_NOT(option_or_place, train_test_split)

}  // namespace quern

#endif
