// SPDX-FileCopyrightText: the Quern authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef QUERN_DISTRIBUTED_RANDOM_HPP
#define QUERN_DISTRIBUTED_RANDOM_HPP

#include <quern/distributed/distributed_view.hpp>
#include <quern/random/key.hpp>

namespace quern::distributed {

/// The numbers of a key that the rank's block of a distributed array has, for every operation of quern/random.hpp:
///
/// @code
/// quern::random::normal(exec, u.local(), quern::distributed::part(quern::random::key{42}, u));
/// @endcode
///
/// The whole array then holds the numbers that it would have on one device, with any number of ranks and any grid.
template <distributed_like V>
random::part part(const random::key& key, const V& v) {
  return {key, v.extents(), v.decomposition().local().first};
}

}  // namespace quern::distributed

#endif
