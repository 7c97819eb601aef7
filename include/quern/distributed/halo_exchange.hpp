// SPDX-FileCopyrightText: the Quern authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef QUERN_DISTRIBUTED_HALO_EXCHANGE_HPP
#define QUERN_DISTRIBUTED_HALO_EXCHANGE_HPP

#include <any>
#include <array>
#include <cstring>
#include <quern/core/call/label.hpp>
#include <quern/distributed/box_exchange.hpp>
#include <quern/distributed/distributed_view.hpp>
#include <quern/distributed/same_calls.hpp>
#include <quern/stencil/boundary.hpp>

namespace quern {

namespace impl {

/// An array with its halo as bytes.
template <class Field>
peer_box with_halo(const Field& f) {
  return {0, describe(f.local_with_halo().data(), f.local_with_halo())};
}

/// Boundaries in the message of calls that differ between ranks.
std::string text_of(const boundaries& edge);

/// The axes whose ends are neighbours.
using wrapped_axes = std::array<bool, max_rank>;
wrapped_axes wraps(const std::string& label, const boundaries& edge, int rank);

/// Adds what a rank sends and receives of an array, `depth` cells along each axis: the cells across faces, and also
/// those across edges and corners.
void add_halo_boxes(const Decomposition& d, const peer_box& with_halo, const std::array<int, max_rank>& depth,
                    const wrapped_axes& wraps, bool corners, std::vector<peer_box>& out, std::vector<peer_box>& in);

/// The fills of the cells beyond the axes of a field, without their constants.
std::vector<edge_fill> edge_fills(const Decomposition& d, const peer_box& with_halo, const boundaries& edge);

template <class T>
std::vector<std::byte> constant_bytes(const std::string& label, const boundary& b) {
  if (b.kind() != boundary::mode::constant) return {};
  const T value = b.value_for<T>(label);
  std::vector<std::byte> bytes(sizeof(T));
  std::memcpy(bytes.data(), &value, sizeof(T));
  return bytes;
}

}  // namespace impl

/// Brings the cells of the neighbours to the halos of one or several fields:
///
/// @code
/// quern::HaloExchange exchange(exec, quern::boundary::wrap, u, v);
/// exchange.start();
/// compute_what_needs_no_halo(u, v);
/// exchange.finish();
/// @endcode
///
/// Cells across edges and corners come too, and the halo beyond the ends of the whole array gets what the boundary
/// says, as `quern::stencil` would see it; axes with `boundary::wrap` are periodic, and `boundary::keep` leaves the
/// halo as it is. All cells for one neighbour are one message, whatever the number of fields. The object holds the
/// messages' memory and its fields, and can be used again and again.
///
/// One kernel packs and one unpacks, and one for each axis with a boundary and each field fills the rest. On a device
/// packing, messages and unpacking run on a stream of the communicator, of higher priority: after what was launched on
/// `exec` before `start`, beside what is launched between `start` and `finish`, and before what comes after. With NCCL
/// `start` and `finish` are asynchronous. With MPI, `start` waits for its packing kernel, and so for what was launched
/// on the instance before, and `finish` waits for the messages.
template <execution_space Exec>
class HaloExchange {
 public:
  /// Collective.
  /// @param edge   the boundary for all axes, or one for each
  /// @param fields one or more DistributedViews of one communicator, which `exec` reaches
  /// @throws Error if the boundaries are not those of the fields' rank
  template <distributed_like First, distributed_like... Field>
  HaloExchange(const Exec& exec, const boundaries& edge, const First& first, const Field&... fields)
      : exchange_(make(exec, edge, first, fields...)) {
    add_edges(edge, first);
    (add_edges(edge, fields), ...);
  }

  /// Packs and sends.
  void start() { exchange_.start(); }
  /// Receives and unpacks, and fills what lies beyond the ends of the array.
  void finish() {
    exchange_.finish();
    for (const auto& e : edges_) impl::fill_edges(exchange_.exec(), "quern::HaloExchange/edges", e);
  }
  void exchange() {
    start();
    finish();
  }

  /// Bytes that this rank sends, and the number of its messages.
  std::int64_t bytes() const { return exchange_.bytes(); }
  int messages() const { return exchange_.messages(); }

 private:
  template <class... Field>
  static impl::box_exchange<Exec> make(const Exec& exec, const boundaries& edge, const Field&... fields) {
    const std::string& label = impl::label_text("quern::HaloExchange");
    const Communicator* comm = &std::get<0>(std::tie(fields...)).communicator();
    impl::check_same_arrays(*comm, label, [&] { return " with " + impl::text_of(edge); }, fields...);
    std::vector<impl::peer_box> out, in;
    const auto add = [&](const auto& f) {
      static_assert(
          Kokkos::SpaceAccessibility<Exec, typename std::remove_cvref_t<decltype(f)>::memory_space>::accessible,
          "quern::HaloExchange: exec does not reach the memory of a field");
      const Decomposition& d = f.decomposition();
      if (!(*comm == d.communicator())) throw Error(label, "fields of several communicators");
      std::array<int, max_rank> depth{};
      for (int a = 0; a < d.extents().rank; ++a) depth[a] = d.halo(a);
      impl::add_halo_boxes(d, impl::with_halo(f), depth, impl::wraps(label, edge, d.extents().rank), true, out, in);
    };
    (add(fields), ...);
    return {*comm, exec, label, out, in};
  }
  template <class Field>
  void add_edges(const boundaries& edge, const Field& f) {
    for (auto& e : impl::edge_fills(f.decomposition(), impl::with_halo(f), edge)) {
      const auto& pair = edge.axis(e.axis);
      e.value[0] = impl::constant_bytes<typename Field::value_type>("quern::HaloExchange", pair.low);
      e.value[1] = impl::constant_bytes<typename Field::value_type>("quern::HaloExchange", pair.high);
      edges_.push_back(std::move(e));
    }
    fields_.emplace_back(f);
  }

  impl::box_exchange<Exec> exchange_;
  std::vector<impl::edge_fill> edges_;
  std::vector<std::any> fields_;  // whose memory both have pointers into
};

}  // namespace quern

#endif
