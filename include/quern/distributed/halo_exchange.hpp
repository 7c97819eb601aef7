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
#include <quern/distributed/distributed_view.hpp>
#include <quern/distributed/halo_boxes.hpp>
#include <quern/distributed/own_blocks.hpp>
#include <quern/distributed/same_calls.hpp>
#include <quern/stencil/halo_fields.hpp>
#include <quern/stencil/halo_passes.hpp>
#include <utility>

namespace quern {

namespace impl {

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
/// says, as `quern::stencil` would see it; axes with `boundary::wrap` are periodic. What lies beyond an end with
/// `boundary::keep` stays, and is the block's that touches that end, as cells are, so that all is as of
/// `quern::fill_halo`: neighbours along other axes get it, and where the other end of the same axis mirrors more cells
/// than there are, that goes on with it. All cells for one neighbour are one message, whatever the number of fields.
/// The object holds the messages' memory and its fields, and can be used again and again.
///
/// One kernel packs and one unpacks; a list of more than 16 Views takes one of each for every 16. One kernel for each
/// axis with a boundary and each field fills the rest. On a device packing, messages and unpacking run on a stream of
/// the communicator, of higher priority: after what was launched on `exec` before `start`, beside what is launched
/// between `start` and `finish`, and before what comes after. With NCCL `start` and `finish` are asynchronous. With
/// MPI, `start` waits for its packing kernel, and so for what was launched on the instance before, and `finish` waits
/// for the messages.
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
/// are as many cells away from it as there are layers, unless it wraps around or is kept. Other ghosts beyond the ends
/// of the whole array are those of `quern::fill_halo`, which one kernel fills for all fields when the neighbours' cells
/// are there. All is as `fill_halo` would fill the whole array: each field may have boundaries of its own,
/// `each_field{edges_of_u, edges_of_v}`, and a functor says what is beyond ends with `boundary::prescribed`. On
/// staggered grids a field may have one value more than cells along an axis, on the faces between them. The face
/// between two blocks is in the Views of both, and the block behind it is its owner, whose value the other one gets.
///
/// The way back adds ghosts to the cells that they are copies of, and sets them to zero, as `quern::add_halo` would on
/// the whole array: what particles have deposited in the ghosts of their rank, and forces of half lists of neighbours:
///
/// @code
/// exchange.start_add(charge);
/// compute_what_needs_no_charge(from, to);
/// exchange.finish();
/// @endcode
///
/// `start_add` adds the ghosts beyond the ends of the whole array on this rank, and sends all others, in the messages
/// of `start` with sender and receiver swapped. `finish` adds to a cell, in this order, what the ranks 0, 1, ... have
/// sent for it, each all that it has: a cell in a corner may have a ghost on seven other ranks. One thread does so for
/// each cell, so that the bits are the same in each run with the same blocks. Ghosts that are kept, beyond the whole
/// array, stay, and get what copies of them have. Fields that are cut by a `quern::DistributedView` take part as its
/// block and `local_with_halo()`.
template <execution_space Exec>
class HaloExchange {
 public:
  /// Collective.
  /// @param edge   the boundary for all axes, or one for each
  /// @param fields one or more DistributedViews of one communicator, which `exec` reaches
  /// @throws Error if the boundaries are not those of the fields' rank
  template <distributed_like First, distributed_like... Field>
  HaloExchange(const Exec& exec, const boundaries& edge, const First& first, const Field&... fields) : exec_(exec) {
    plans_.push_back({{}, make(exec, edge, first, fields...), {}, nullptr});
    current_ = &plans_.back().exchange;
    add_edges(edge, first);
    (add_edges(edge, fields), ...);
  }
  /// Of the program's own blocks. Collective.
  /// @param edges  the boundaries of all fields, or of each, `each_field{edges_of_u, edges_of_v}`
  /// @param own    the cells of this rank, without ghosts: the first one, counted in the whole array, and the extents.
  ///               A rank may have none
  /// @param stored the ghost layers that Views have around the block
  ///
  /// Options: `layers{1}` is for a part of the layers, those next to the cells; with `faces_only`, ghosts across edges
  /// and corners are left as they are.
  /// @throws Error, the same on every rank, if blocks share cells or leave some to no rank, arguments differ between
  /// ranks, an axis that wraps around has fewer cells than layers, or layers reach beyond an end that their block does
  /// not touch
  template <option<layers, faces_only_t>... Options>
  HaloExchange(const Exec& exec, const Communicator& comm, const Decomposition::Block& own,
               const field_boundaries& edges, const depth& stored, const Options&... options)
      : exec_(exec),
        blocks_(std::make_shared<const impl::own_blocks>(comm, own, edges, stored,
                                                         impl::option_or<layers>(layers(stored), options...),
                                                         impl::has_option<faces_only_t, Options...>)) {}

  /// Packs and sends.
  void start() {
    if (blocks_) {
      blocks_->compare(impl::label_text(label, "::start"), {}, {});
      throw Error(label, "an exchange of the program's own blocks is started with its fields");
    }
    current_->start();
    name_.clear();
  }
  /// The same of the program's own blocks, of up to 16 Views of any types, the same and in the same order on all ranks.
  /// The first start of fields of a type and layout prepares the messages. One list of Views of one type may stand in
  /// their place, of any number that is known when the program runs, whose cells for one neighbour are one message too;
  /// of an empty list nothing is sent or filled. Beside them may stand `named{"ghosts of u"}`, a name for what is
  /// launched until the exchange is finished.
  /// @throws Error, before anything is sent, if the extents of a View are not those of the block with its ghost layers,
  /// or one more, Views share memory, there are boundaries for another number of fields, or a boundary is not one of
  /// their values, or is `boundary::prescribed` and there is no functor; or, where calls are checked, the ranks have
  /// other fields or calls. What one rank alone rejects, as Views that share memory there, all reject where calls are
  /// checked; elsewhere that rank alone throws, and the others wait for its messages
  template <class... Field>
    requires impl::exchanged_fields<Field...>
  void start(const Field&... fields) {
    start_fields<false>(impl::no_functor(), fields...);
  }
  /// The same, with a functor for the ends that have `boundary::prescribed`, as of `quern::fill_halo`: `f(at)` or
  /// `f(at, field)`, of the ghost's indices in a View of the whole array and its ghost layers.
  template <impl::not_named F, class... Field>
    requires impl::functor_and_fields<F, Field...>
  void start(const F& f, const Field&... fields) {
    start_fields<false>(f, fields...);
  }
  /// The way back: adds ghosts beyond the ends of the array to their owners, and sends the others, which become zero.
  /// @throws Error as `start`
  template <class... Field>
    requires impl::exchanged_fields<Field...>
  void start_add(const Field&... fields) {
    start_fields<true>(impl::no_functor(), fields...);
  }
  template <class... Args>
    requires impl::named_call<Args...>
  void start(const Args&... args) {
    impl::call_named([&](const auto&... others) { start(others...); }, args...);
    name_ = impl::find_option<named>(args...)->text;
  }
  template <class... Args>
    requires impl::named_call<Args...>
  void start_add(const Args&... args) {
    impl::call_named([&](const auto&... others) { start_add(others...); }, args...);
    name_ = impl::find_option<named>(args...)->text;
  }
  template <class... Args>
    requires impl::rejected_fields<Args...>
  void start(const Args&...) {
    impl::reject_fields<Args...>();
  }
  template <class... Args>
    requires impl::rejected_fields<Args...>
  void start_add(const Args&...) {
    impl::reject_fields<Args...>();
  }
  /// Receives and unpacks, or adds, and fills what lies beyond the ends of the array.
  void finish() {
    if (current_ == nullptr) throw Error(label, "an exchange is finished that was not started");
    auto* const started = std::exchange(started_, nullptr);
    std::optional<impl::label_scope> name;
    if (!name_.empty()) name.emplace(name_);
    try {
      current_->receive();
      if (started != nullptr) started->finish(*this);
    } catch (...) {
      current_->abandon();
      throw;
    }
    current_->join();
    for (const auto& e : edges_) impl::fill_edges(exec_, impl::label_text(label, "/edges"), e);
  }
  template <class... Field>
  void exchange(const Field&... fields) {
    start(fields...);
    finish();
  }
  template <class... Field>
  void add(const Field&... fields) {
    start_add(fields...);
    finish();
  }

  /// Bytes that this rank sends, and the number of its messages; of own blocks, those of the fields started last.
  std::int64_t bytes() const { return current_ == nullptr ? 0 : current_->bytes(); }
  int messages() const { return current_ == nullptr ? 0 : current_->messages(); }

 private:
  static constexpr const char* label = "quern::HaloExchange";

  /// Fields between start and finish, of types that finish does not know.
  struct any_fields {
    virtual ~any_fields() = default;
    /// Does what is left when the messages are there, and lets the Views go.
    virtual void finish(const HaloExchange& exchange) = 0;
  };
  template <bool Adds, class F, class... Field>
  struct fields_under_way : any_fields {
    std::optional<std::tuple<F, impl::held_field<Field>...>> now;
    void finish(const HaloExchange& exchange) override {
      const auto taken = std::exchange(now, std::nullopt);
      if constexpr (Adds) exchange.template add_received<impl::view_of_field<Field>...>();
      else std::apply([&](const auto&... v) { exchange.fill_beyond(v...); }, *taken);
    }
  };

  /// An exchange of fields of the program's own blocks, which serves others of their types and layouts.
  struct plan {
    std::vector<impl::peer_box> fields;
    impl::box_exchange<Exec> exchange;
    std::optional<impl::ghost_sums<Exec>> sums{};  // of the way back
    std::unique_ptr<any_fields> under_way{};
    std::vector<std::int64_t> shifts{};  // of its fields
  };
  template <class Kind>
  plan& plan_of(std::span<const impl::peer_box> whole, bool adds) {
    const auto found = std::ranges::find_if(plans_, [&](const plan& p) {
      return std::equal(whole.begin(), whole.end(), p.fields.begin(), p.fields.end(), impl::same_layout) &&
             dynamic_cast<Kind*>(p.under_way.get()) != nullptr;
    });
    if (found != plans_.end()) {
      plans_.splice(plans_.begin(), plans_, found);
      return plans_.front();
    }
    constexpr std::size_t max_plans = 64;
    if (plans_.size() == max_plans) plans_.pop_back();
    const auto cells = blocks_->cells_of(whole);
    const auto own = blocks_->boxes(whole, cells.of_own), ghosts = blocks_->boxes(whole, cells.of_ghosts);
    auto& made =
        plans_.emplace_front(plan{{whole.begin(), whole.end()},
                                  {exec_, blocks_->comm, label, adds ? ghosts : own, adds ? own : ghosts, adds},
                                  {},
                                  std::make_unique<Kind>()});
    using sums = impl::ghost_sums<Exec>;
    if (adds)
      made.sums.emplace(made.exchange.side(),
                        blocks_->sums(whole, cells.of_own, made.exchange.packed(), sums::row_item));
    return made;
  }
  /// Calls f with a View, or with each of a list.
  template <class F, class V>
  static void for_each_view(const F& f, const V& v) {
    if constexpr (view_like<V>) f(v);
    else
      for (const auto& one : v) f(one);
  }
  /// The fields of a start, checked.
  template <bool Adds, class F, class... Field>
  auto checked(const Field&... fields) const {
    constexpr bool has_functor = !std::is_same_v<F, impl::no_functor>;
    impl::short_list<impl::peer_box, impl::fields_of_kernel> whole;
    impl::short_list<impl::array_bytes, impl::fields_of_kernel> memory;
    impl::short_list<impl::type_name, impl::fields_of_kernel> types;
    const auto add = [&]<class V>(const V& v) {
      whole.push_back(memory_of(v));
      memory.push_back(impl::as_strided<Exec, impl::use::input>(v, impl::label_text(label)));
      types.push_back(impl::type_text<impl::value_of<V>>);
    };
    (for_each_view(add, fields), ...);
    check_fields(Adds ? "::start_add" : has_functor ? "::start with a functor" : "::start", whole, types, memory);
    std::size_t number = 0;
    const auto check_values = [&]<class V>(const V&) {
      blocks_->check_values<impl::value_of<V>>(impl::label_text(label), number++, Adds || has_functor);
    };
    (for_each_view(check_values, fields), ...);
    return whole;
  }
  template <class Field>
  static impl::peer_box memory_of(const Field& field) {
    static_assert(impl::view_traits<Field>::template accessible<Exec>,
                  "quern::HaloExchange: exec does not reach the memory of a field");
    return {0, impl::as_strided<Exec, impl::use::input>(field, impl::label_text(label))};
  }
  void check_fields(const char* call, std::span<const impl::peer_box> whole, std::span<const impl::type_name> types,
                    std::span<const impl::array_bytes> memory) const {
    if (!blocks_) throw Error(label, "an exchange of DistributedViews has its fields already");
    blocks_->compare(impl::label_text(label, call), whole, types);
    impl::check_together(blocks_->comm, label, [&] {
      if (started_ != nullptr) throw Error(label, "an exchange is started twice");
      blocks_->check(impl::label_text(label), whole);
      impl::check_no_overlap(impl::label_text(label), memory);
    });
  }
  template <bool Adds, class F, class... Field>
  void start_fields(const F& f, const Field&... fields) {
    using kind = fields_under_way<Adds, F, Field...>;
    const auto whole = checked<Adds, F>(fields...);
    plan& made = plan_of<kind>(whole, Adds);
    if constexpr (Adds)
      on_edges(blocks_->edge, [&](const auto&... more) { add_halo(exec_, fields_of_call(fields...), more...); });
    made.shifts.resize(whole.size());
    for (std::size_t i = 0; i < whole.size(); ++i) made.shifts[i] = whole[i].data - made.fields[i].data;
    made.exchange.start(made.shifts);
    current_ = &made.exchange;
    current_plan_ = &made;
    started_ = made.under_way.get();
    static_cast<kind*>(started_)->now.emplace(f, impl::hold_field(fields)...);
    name_.clear();
  }

  template <class First, class... More>
  static decltype(auto) fields_of_call(const First& first, const More&... more) {
    if constexpr (sizeof...(More) == 0) return (first);
    else return outputs(first, more...);
  }
  /// Calls f with what `fill_halo` and `add_halo` have behind their fields, where the block touches an end.
  template <class F>
  void on_edges(const field_boundaries& edge, const F& f) const {
    const impl::own_blocks& b = *blocks_;
    if (!b.has_edges) return;
    if (b.faces_only) f(edge, b.stored, b.filled, b.own_cells, faces_only);
    else f(edge, b.stored, b.filled, b.own_cells);
  }
  template <class F, class First, class... More>
  void fill_beyond(const F& f, const First& first, const More&... more) const {
    const auto& edge = blocks_->edge;
    if constexpr (std::is_same_v<F, impl::no_functor>) {
      on_edges(edge, [&](const auto&... arguments) {
        fill_halo(current_->side(), fields_of_call(first, more...), arguments...);
      });
    } else {
      using in_whole = impl::prescribed_in_whole<F, impl::known_rank<impl::view_of_field<First>>()>;
      const std::span<const impl::peer_box> fields = current_plan_->fields;
      if (fields.size() <= in_whole::max_fields)
        return fill_prescribed(in_whole(f, *blocks_, fields), edge, fields_of_call(first, more...));
      if constexpr (view_list<First>)
        for (std::size_t i = 0; i < fields.size(); i += in_whole::max_fields) {
          const std::size_t n = std::min(fields.size() - i, in_whole::max_fields);
          fill_prescribed(in_whole(f, *blocks_, fields.subspan(i, n), i), blocks_->edge_of(i, n),
                          std::span(first.begin() + i, n));
        }
    }
  }
  template <class F, int Rank, class Out>
  void fill_prescribed(const impl::prescribed_in_whole<F, Rank>& f, const field_boundaries& edge,
                       const Out& out) const {
    on_edges(edge, [&](const auto&... arguments) {
      const impl::label_scope functor("quern::fill_halo", typeid(F));
      impl::fill_halo_call(current_->side(), out, f, arguments...);
    });
  }
  template <class First, class... More>
  void add_received() const {
    current_plan_->sums->template launch<impl::known_rank<First>(), impl::value_of<First>, impl::value_of<More>...>(
        current_->side(), impl::label_text(label, "/add"), current_plan_->shifts);
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
      const int rank = d.extents().rank;
      impl::add_halo_boxes(d, impl::with_halo(f), depth, impl::wraps(label, edge, rank), true, out, in,
                           impl::keep_ends_of(edge, rank));
    };
    (add(fields), ...);
    return {exec, *comm, label, out, in};
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
  std::list<plan> plans_{};                           // the last one used comes first
  impl::box_exchange<Exec>* current_ = nullptr;
  plan* current_plan_ = nullptr;   // of own blocks
  any_fields* started_ = nullptr;  // in the plan of an exchange of own blocks that is under way
  std::string name_{};             // of what is launched until it is finished, in memory that serves the next one
  std::vector<impl::edge_fill> edges_;
  std::vector<std::any> fields_;  // whose memory both have pointers into
};

}  // namespace quern

#endif
