// SPDX-FileCopyrightText: the Quern authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef QUERN_DISTRIBUTED_OPERANDS_HPP
#define QUERN_DISTRIBUTED_OPERANDS_HPP

/// @file
/// What operations on distributed arrays share.

#include <quern/distributed/box_exchange.hpp>
#include <quern/distributed/distributed_view.hpp>
#include <vector>

namespace quern::distributed::impl {

using namespace quern::impl;

inline void check_same_blocks(const std::string& label, const std::string& name, const Decomposition& d,
                              const Decomposition& other) {
  check_extents(label, name, other.extents(), d.extents());
  if (!d.same_blocks(other))
    throw Error(label, name + " is cut into other blocks, or for another communicator; redistribute it");
}

/// Rejects inputs that are cut into other blocks than the first array. Where calls are checked, all ranks compare what
/// they call.
template <class... Field>
void check_blocks(const std::string& label, const Decomposition& d, const Field&... fields) {
  std::vector<std::int64_t> call(d.extents().extent.begin(), d.extents().extent.begin() + d.extents().rank);
  [[maybe_unused]] std::size_t number = 0;
  (check_same_blocks(label, input_name(number++), d, fields.decomposition()), ...);
  check_same_call(d.communicator(), label, call);
}

/// What an exchange depends on.
struct exchange_key {
  std::vector<std::int64_t> part;

  template <class Exec>
  exchange_key(const Exec& exec, bool faces_only)
      : part{static_cast<std::int64_t>(exec.impl_instance_id()), faces_only ? 1 : 0} {}
  void add(int depth, bool wraps) { part.insert(part.end(), {depth, wraps ? 1 : 0}); }
  void add(const peer_box& array) {
    part.insert(part.end(), {reinterpret_cast<std::int64_t>(array.data), array.element});
    part.insert(part.end(), array.stride.begin(), array.stride.begin() + array.extents.rank);
  }
};

/// Exchanges of arrays of a decomposition that were made last, by what they depend on.
std::shared_ptr<void> find_exchange(const Decomposition& d, const exchange_key& key);
void keep_exchange(const Decomposition& d, const exchange_key& key, const std::shared_ptr<void>& exchange);

template <class Exec>
inline constexpr char exchange_tag = 0;

template <class Exec, class Make>
std::shared_ptr<box_exchange<Exec>> kept_exchange(const Decomposition& d, exchange_key key, const Make& make) {
  key.part.push_back(reinterpret_cast<std::int64_t>(&exchange_tag<Exec>));
  if (auto found = find_exchange(d, key)) return std::static_pointer_cast<box_exchange<Exec>>(found);
  auto made = std::make_shared<box_exchange<Exec>>(make());
  keep_exchange(d, key, made);
  return made;
}

}  // namespace quern::distributed::impl

#endif
