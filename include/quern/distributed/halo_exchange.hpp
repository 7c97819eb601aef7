// SPDX-FileCopyrightText: the Quern authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef QUERN_DISTRIBUTED_HALO_EXCHANGE_HPP
#define QUERN_DISTRIBUTED_HALO_EXCHANGE_HPP

#include <any>
#include <array>
#include <cstring>
#include <list>
#include <memory>
#include <optional>
#include <quern/core/call/label.hpp>
#include <quern/distributed/box_exchange.hpp>
#include <quern/distributed/distributed_view.hpp>
#include <quern/distributed/own_blocks.hpp>
#include <quern/distributed/same_calls.hpp>
#include <utility>

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
///
/// Arrays that a program cuts into blocks itself are Views of a block with the ghost layers around it. Each rank says
/// which cells it has, and the fields come with `start`, so that a loop may swap them:
///
/// @code
/// quern::HaloExchange exchange(exec, comm, own, quern::boundary::reflect, quern::depth{2}, quern::layers{1});
/// exchange.start(from, to);
/// compute_what_needs_no_halo(from, to);
/// exchange.finish();
/// std::swap(from, to);
/// @endcode
///
/// Blocks may be cut in any way, as long as each cell has one owner, and blocks that do not touch an end of the array
/// are as many cells away from it as there are layers, unless it wraps around or is kept. Ghosts beyond the ends of the
/// whole array are those of `quern::fill_halo`, which one kernel fills for all fields when the neighbours' cells are
/// there.
template <execution_space Exec>
class HaloExchange {
 public:
  /// Collective.
  /// @param edge   the boundary for all axes, or one for each
  /// @param fields one or more DistributedViews of one communicator, which `exec` reaches
  /// @throws Error if the boundaries are not those of the fields' rank
  template <distributed_like First, distributed_like... Field>
  HaloExchange(const Exec& exec, const boundaries& edge, const First& first, const Field&... fields) : exec_(exec) {
    plans_.push_back({{}, make(exec, edge, first, fields...), nullptr});
    current_ = &plans_.back().exchange;
    add_edges(edge, first);
    (add_edges(edge, fields), ...);
  }
  /// Of the program's own blocks. Collective.
  /// @param own    the cells of this rank, without ghosts: the first one, counted in the whole array, and the extents.
  ///               A rank may have none
  /// @param stored the ghost layers that Views have around the block
  ///
  /// Options: `layers{1}` is for a part of the layers, those next to the cells; with `faces_only`, ghosts across edges
  /// and corners are left as they are.
  /// @throws Error, the same on every rank, if blocks share cells or leave some to no rank, arguments differ between
  /// ranks, an axis that wraps around has fewer cells than layers, layers reach beyond an end that their block does not
  /// touch, or a boundary is `boundary::prescribed`
  template <option<layers, faces_only_t>... Options>
  HaloExchange(const Exec& exec, const Communicator& comm, const Decomposition::Block& own, const boundaries& edge,
               const depth& stored, const Options&... options)
      : exec_(exec),
        blocks_(std::make_shared<const impl::own_blocks>(comm, own, edge, stored,
                                                         impl::option_or<layers>(layers(stored), options...),
                                                         impl::has_option<faces_only_t, Options...>)) {}

  /// Packs and sends.
  void start() {
    if (blocks_) throw Error(label, "an exchange of the program's own blocks is started with its fields");
    current_->start();
  }
  /// The same of the program's own blocks, of up to 16 Views of any types, the same and in the same order on all ranks.
  /// The first start of fields of a type and layout prepares the messages.
  /// @throws Error, before anything is sent, if the extents of a View are not those of the block with its ghost layers,
  /// Views share memory, or a boundary is not one of their values
  template <class... Field>
    requires(sizeof...(Field) > 0 && sizeof...(Field) <= impl::max_moved_fields &&
             ((view_like<Field> && !impl::dual_view<Field>) && ...))
  void start(const Field&... fields) {
    static_assert((impl::view_traits<Field>::template accessible<Exec> && ...),
                  "quern::HaloExchange: exec does not reach the memory of a field");
    if (!blocks_) throw Error(label, "an exchange of DistributedViews has its fields already");
    const std::string& name = impl::label_text(label);
    const std::array<impl::peer_box, sizeof...(Field)> whole{
        impl::peer_box(0, impl::as_strided<Exec, impl::use::input>(fields, name))...};
    if (started_ != nullptr) throw Error(label, "an exchange is started twice");
    blocks_->check(name, whole);
    (blocks_->check_values<impl::value_of<Field>>(name), ...);
    const impl::array_bytes memory[] = {impl::as_strided<Exec, impl::use::input>(fields, name)...};
    impl::check_no_overlap(name, memory);
    auto& made = plan_of<Field...>(whole);
    impl::field_shifts shifts;
    for (std::size_t i = 0; i < whole.size(); ++i) shifts.bytes[i] = whole[i].data - made.fields[i].data;
    made.exchange.start(shifts);
    current_ = &made.exchange;
    started_ = made.fields_under_way.get();
    static_cast<fields_of<Field...>*>(started_)->views.emplace(fields...);
  }
  /// Receives and unpacks, and fills what lies beyond the ends of the array.
  void finish() {
    if (current_ == nullptr) throw Error(label, "an exchange is finished that was not started");
    auto* const started = std::exchange(started_, nullptr);
    current_->receive();
    try {
      if (started != nullptr) started->fill(current_->side(), *blocks_);
    } catch (...) {
      current_->join();
      throw;
    }
    current_->join();
    for (const auto& e : edges_) impl::fill_edges(exec_, "quern::HaloExchange/edges", e);
  }
  template <class... Field>
  void exchange(const Field&... fields) {
    start(fields...);
    finish();
  }

  /// Bytes that this rank sends, and the number of its messages; of own blocks, those of the fields started last.
  std::int64_t bytes() const { return current_ == nullptr ? 0 : current_->bytes(); }
  int messages() const { return current_ == nullptr ? 0 : current_->messages(); }

 private:
  static constexpr const char* label = "quern::HaloExchange";

  /// Views between start and finish, of types that finish does not know.
  struct any_fields {
    virtual ~any_fields() = default;
    /// Fills what lies beyond the ends of the array, and lets the Views go.
    virtual void fill(const Exec& on, const impl::own_blocks& blocks) = 0;
  };
  template <class... Field>
  struct fields_of : any_fields {
    std::optional<std::tuple<Field...>> views;
    void fill(const Exec& on, const impl::own_blocks& blocks) override {
      const auto now = std::exchange(views, std::nullopt);
      std::apply([&](const auto&... v) { fill_beyond(on, blocks, v...); }, *now);
    }
  };

  /// An exchange of fields of the program's own blocks, which serves others of their types and layouts.
  struct plan {
    std::vector<impl::peer_box> fields;
    impl::box_exchange<Exec> exchange;
    std::unique_ptr<any_fields> fields_under_way{};
  };
  template <class... Field>
  plan& plan_of(std::span<const impl::peer_box> whole) {
    for (auto& p : plans_)
      if (std::equal(whole.begin(), whole.end(), p.fields.begin(), p.fields.end(), impl::same_layout) &&
          dynamic_cast<fields_of<Field...>*>(p.fields_under_way.get()) != nullptr)
        return p;
    const auto [out, in] = blocks_->boxes(whole);
    return plans_.emplace_back(plan{{whole.begin(), whole.end()},
                                    impl::box_exchange<Exec>(blocks_->comm, exec_, label, out, in),
                                    std::make_unique<fields_of<Field...>>()});
  }
  template <class... Field>
  static void fill_beyond(const Exec& on, const impl::own_blocks& b, const Field&... fields) {
    if (!b.has_edges) return;
    const auto fill = [&](const auto& out) {
      if (b.faces_only) fill_halo(on, out, b.edge, b.stored, b.filled, faces_only);
      else fill_halo(on, out, b.edge, b.stored, b.filled);
    };
    if constexpr (sizeof...(Field) == 1) fill(fields...);
    else fill(outputs(fields...));
  }

  template <class... Field>
  static impl::box_exchange<Exec> make(const Exec& exec, const boundaries& edge, const Field&... fields) {
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
      for (int a = 0; a < edge.count() && !edge.is_box(); ++a) impl::check_no_ghost_modes(label, edge, a);
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

  Exec exec_;
  std::shared_ptr<const impl::own_blocks> blocks_{};  // null for DistributedViews, of which there is one plan
  std::list<plan> plans_{};
  impl::box_exchange<Exec>* current_ = nullptr;
  any_fields* started_ = nullptr;  // in the plan of an exchange of own blocks that is under way
  std::vector<impl::edge_fill> edges_;
  std::vector<std::any> fields_;  // whose memory both have pointers into
};

}  // namespace quern

#endif
