// SPDX-FileCopyrightText: the Quern authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <algorithm>
#include <quern/core/launch/compiled.hpp>
#include <quern/distributed/halo_exchange.hpp>
#include <quern/distributed/stencil_parts.hpp>

#include "decomposition_state.hpp"

namespace quern::impl {

namespace {

/// What an exchange depends on.
using exchange_key = std::vector<std::int64_t>;

/// The exchange of a decomposition that was made for this key and used lately, or null.
std::shared_ptr<void> find_exchange(const Decomposition& d, const exchange_key& key) {
  auto& s = d.shared();
  const std::lock_guard lock(s.mutex);
  const auto found = std::ranges::find(s.exchanges, key, &Decomposition::state::cached_exchange::key);
  if (found == s.exchanges.end()) return nullptr;
  s.exchanges.splice(s.exchanges.begin(), s.exchanges, found);
  return s.exchanges.front().exchange;
}
void keep_exchange(const Decomposition& d, const exchange_key& key, const std::shared_ptr<void>& exchange) {
  constexpr std::size_t most = 8;  // those of the arrays of a time step
  auto& s = d.shared();
  const std::lock_guard lock(s.mutex);
  s.exchanges.push_front({key, exchange});
  if (s.exchanges.size() > most) s.exchanges.pop_back();
}

template <class Exec>
constexpr char exchange_tag = 0;

}  // namespace

void check_halo_width(const std::string& label, const std::string& name, const Decomposition& d,
                      const std::array<int, max_rank>& radius) {
  for (int axis = 0; axis < d.extents().rank; ++axis)
    if (occupied(d, axis) > 1 && d.halo(axis) < radius[axis])
      throw Error(label, name + " has a halo of " + std::to_string(d.halo(axis)) + " along axis " +
                             std::to_string(axis) + ", which is cut, expected at least " +
                             std::to_string(radius[axis]));
}

template <class Exec>
std::shared_ptr<box_exchange<Exec>> exchange_of_halos(const Exec& exec, const std::string& label,
                                                      const boundaries& edge, const std::array<int, max_rank>& radius,
                                                      bool corners, const std::vector<halo_array>& arrays) {
  const Decomposition& d = arrays.front().blocks;
  auto wrapped = wraps(label, edge, d.extents().rank);
  std::array<int, max_rank> depth{};
  exchange_key key{reinterpret_cast<std::int64_t>(&exchange_tag<Exec>), exec.impl_instance_id(), corners ? 1 : 0};
  for (int axis = 0; axis < d.extents().rank; ++axis) {
    const bool cut = occupied(d, axis) > 1;
    depth[axis] = cut ? radius[axis] : 0;
    wrapped[axis] = wrapped[axis] && cut;
    key.insert(key.end(), {depth[axis], wrapped[axis] ? 1 : 0});
  }
  for (const auto& [blocks, cells] : arrays) {
    key.insert(key.end(), {reinterpret_cast<std::int64_t>(cells.data), cells.element});
    key.insert(key.end(), cells.stride.begin(), cells.stride.begin() + cells.extents.rank);
  }
  if (auto kept = find_exchange(d, key)) return std::static_pointer_cast<box_exchange<Exec>>(kept);
  std::vector<peer_box> out, in;
  for (const auto& a : arrays) add_halo_boxes(a.blocks, a.cells, depth, wrapped, corners, out, in);
  auto made = std::make_shared<box_exchange<Exec>>(d.communicator(), exec, label, out, in);
  keep_exchange(d, key, made);
  return made;
}

#define QUERN_STENCIL_EXCHANGE(Exec)                                                                                 \
  template std::shared_ptr<box_exchange<Exec>> exchange_of_halos(const Exec&, const std::string&, const boundaries&, \
                                                                 const std::array<int, max_rank>&, bool,             \
                                                                 const std::vector<halo_array>&);
QUERN_ON_ALL(QUERN_STENCIL_EXCHANGE)

}  // namespace quern::impl
