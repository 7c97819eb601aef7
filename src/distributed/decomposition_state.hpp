// SPDX-FileCopyrightText: the Quern authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef QUERN_SRC_DISTRIBUTED_DECOMPOSITION_STATE_HPP
#define QUERN_SRC_DISTRIBUTED_DECOMPOSITION_STATE_HPP

#include <list>
#include <map>
#include <mutex>
#include <quern/distributed/decomposition.hpp>

namespace quern {

struct Decomposition::state {
  Communicator comm;
  shape extents{};
  std::array<int, max_rank> grid{}, halo{};
  std::mutex mutex{};
  std::map<unsigned, Communicator> along{};  // by the cut axes along which the ranks differ

  std::shared_ptr<state> rows{};  // the cut of the rows along the last axis

  struct cached_exchange {
    std::vector<std::int64_t> key;
    std::shared_ptr<void> exchange;
  };
  std::list<cached_exchange> exchanges{};  // the last one used comes first
};

}  // namespace quern

#endif
