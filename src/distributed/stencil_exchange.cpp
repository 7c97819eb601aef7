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
class exchange_key {
 public:
  void add(std::int64_t value) { part_.push_back(value); }
  void add(const peer_box& array) {
    part_.insert(part_.end(), {reinterpret_cast<std::int64_t>(array.data), array.element});
    part_.insert(part_.end(), array.stride.begin(), array.stride.begin() + array.extents.rank);
  }

  /// The exchange of a decomposition that was made for this key and used lately, or null.
  std::shared_ptr<void> find(const Decomposition& d) const {
    auto& s = d.shared();
    const std::lock_guard lock(s.mutex);
    const auto found =
        std::find_if(s.exchanges.begin(), s.exchanges.end(), [&](const auto& e) { return e.key == part_; });
    if (found == s.exchanges.end()) return nullptr;
    s.exchanges.splice(s.exchanges.begin(), s.exchanges, found);
    return s.exchanges.front().exchange;
  }
  void keep(const Decomposition& d, const std::shared_ptr<void>& exchange) const {
    constexpr std::size_t most = 8;  // those of the arrays of a time step
    auto& s = d.shared();
    const std::lock_guard lock(s.mutex);
    s.exchanges.push_front({part_, exchange});
    if (s.exchanges.size() > most) s.exchanges.pop_back();
  }

 private:
  std::vector<std::int64_t> part_{};
};

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
  exchange_key key;
  key.add(reinterpret_cast<std::int64_t>(&exchange_tag<Exec>));
  key.add(exec.impl_instance_id());
  key.add(corners ? 1 : 0);
  for (int axis = 0; axis < d.extents().rank; ++axis) {
    const bool cut = occupied(d, axis) > 1;
    depth[axis] = cut ? radius[axis] : 0;
    wrapped[axis] = wrapped[axis] && cut;
    key.add(depth[axis]);
    key.add(wrapped[axis] ? 1 : 0);
  }
  for (const auto& a : arrays) key.add(a.cells);
  if (auto kept = key.find(d)) return std::static_pointer_cast<box_exchange<Exec>>(kept);
  std::vector<peer_box> out, in;
  for (const auto& a : arrays) add_halo_boxes(a.blocks, a.cells, depth, wrapped, corners, out, in);
  auto made = std::make_shared<box_exchange<Exec>>(d.communicator(), exec, label, out, in);
  key.keep(d, made);
  return made;
}

#define QUERN_STENCIL_EXCHANGE(Exec)                                                                                 \
  template std::shared_ptr<box_exchange<Exec>> exchange_of_halos(const Exec&, const std::string&, const boundaries&, \
                                                                 const std::array<int, max_rank>&, bool,             \
                                                                 const std::vector<halo_array>&);
QUERN_ON_ALL(QUERN_STENCIL_EXCHANGE)

}  // namespace quern::impl
