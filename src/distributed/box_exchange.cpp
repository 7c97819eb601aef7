// SPDX-FileCopyrightText: the Quern authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <Kokkos_Core.hpp>
#include <algorithm>
#include <cstring>
#include <numeric>
#include <quern/core/call/label.hpp>
#include <quern/core/launch/compiled.hpp>
#include <quern/core/launch/loop_nest.hpp>
#include <quern/core/launch/pack.hpp>
#include <quern/core/memory/pool.hpp>
#include <quern/distributed/box_exchange.hpp>
#include <quern/stencil/boundary.hpp>
#include <quern/transfer/staging.hpp>

#include "communicator_state.hpp"

namespace quern::impl {

namespace {

struct alignas(16) sixteen_bytes {
  std::uint64_t word[2];
};

template <class Unit>
KOKKOS_FUNCTION void copy_units(std::byte* to, const std::byte* from, std::int64_t bytes) {
  for (std::int64_t i = 0; i < bytes; i += static_cast<std::int64_t>(sizeof(Unit)))
    *reinterpret_cast<Unit*>(to + i) = *reinterpret_cast<const Unit*>(from + i);
}
KOKKOS_FUNCTION void copy_element(std::byte* to, const std::byte* from, std::int64_t bytes, std::int64_t unit) {
  switch (unit) {
    case 16:
      return copy_units<sixteen_bytes>(to, from, bytes);
    case 8:
      return copy_units<std::uint64_t>(to, from, bytes);
    case 4:
      return copy_units<std::uint32_t>(to, from, bytes);
    case 2:
      return copy_units<std::uint16_t>(to, from, bytes);
    default:
      return copy_units<std::uint8_t>(to, from, bytes);
  }
}

constexpr std::int64_t message_alignment = 16;
/// Bytes of the units in which the elements of an array are copied.
std::int64_t copied_unit(const peer_box& b) {
  return b.element % b.unit == 0 && b.unit <= message_alignment ? b.unit : 1;
}

template <class Unit>
KOKKOS_FUNCTION void clear_units(std::byte* at, std::int64_t bytes) {
  for (std::int64_t i = 0; i < bytes; i += static_cast<std::int64_t>(sizeof(Unit)))
    *reinterpret_cast<Unit*>(at + i) = Unit{};
}
/// Units of 16 bytes are halved, which is rare.
KOKKOS_FUNCTION void clear_element(std::byte* at, std::int64_t bytes, std::int64_t unit) {
  if (unit >= 8) clear_units<std::uint64_t>(at, bytes);
  else if (unit == 4) clear_units<std::uint32_t>(at, bytes);
  else clear_units<std::uint8_t>(at, bytes);
}

/// A box and its offset in a message. Work items are elements on devices, and rows on hosts.
struct packed_rows {
  std::int64_t first_item;
  std::byte* array;
  std::byte* packed;
  std::int64_t element, unit;
  row_nest<2> nest;  // of the array and of the message
  int field;
};

/// What a kernel does with boxes: copies them to messages, and sets them to zero, or from messages.
enum class box_pass { pack, pack_and_clear, unpack };

/// Copies all boxes between their arrays and the messages.
template <box_pass Pass>
struct copy_boxes {
  const packed_rows* box;
  int count;
  std::int64_t row_items;  // work items of a row; 0: as many as it has elements
  field_shifts shifts;

  KOKKOS_FUNCTION void operator()(std::int64_t item) const {
    const packed_rows& b = box[box_of_item(box, count, item)];
    const std::int64_t items = row_items > 0 ? row_items : b.nest.inner;
    std::int64_t first;
    auto o = b.nest.at_item(item - b.first_item, items, 1, first);
    std::int64_t elements = b.nest.inner / items, bytes = b.element;
    if (b.nest.stride[0][0] == 1 && b.nest.stride[1][0] == 1) {
      bytes *= elements;
      elements = 1;
    }
    for (std::int64_t i = 0; i < elements; ++i) {
      std::byte* array = b.array + shifts.bytes[b.field] + o.of[0] * b.element;
      std::byte* packed = b.packed + o.of[1] * b.element;
      if constexpr (Pass == box_pass::unpack) copy_element(array, packed, bytes, b.unit);
      else copy_element(packed, array, bytes, b.unit);
      if constexpr (Pass == box_pass::pack_and_clear) clear_element(array, bytes, b.unit);
      o.of[0] += b.nest.stride[0][0];
      o.of[1] += b.nest.stride[1][0];
    }
  }
};

/// The same messages in a block of memory, one behind the other.
template <class Space>
std::vector<message> moved_to(std::vector<message> messages, const pool_block<Space>& block) {
  auto* at = reinterpret_cast<std::byte*>(block.data());
  for (auto& m : messages) {
    m.data = at;
    at += m.bytes;
  }
  return messages;
}

/// The boxes of one direction, in device memory, and the messages that they make.
template <class Exec>
struct packed_boxes {
  using memory_space = typename Exec::memory_space;
  pool_block<memory_space> table, buffer;
  int count = 0;
  std::int64_t bytes = 0;
  std::vector<message> messages;        // one for each peer other than this rank, data in the buffer
  std::int64_t own = 0, own_bytes = 0;  // where the boxes of this rank begin in the buffer, and what they take

  std::vector<packed_rows> rows;
  std::vector<boxes_of_kernel> kernels;
  std::vector<std::int64_t> offsets;   // of their boxes in the buffer
  std::vector<std::size_t> numbers{};  // of the boxes as they were given
  std::size_t given = 0;

  /// The offset of each box in the buffer, peer by peer; the boxes of a peer keep their order.
  void lay_out(const std::vector<peer_box>& boxes, int rank) {
    given = boxes.size();
    std::vector<std::size_t> order(given);
    std::iota(order.begin(), order.end(), 0);
    std::stable_sort(order.begin(), order.end(), [&](auto i, auto k) { return boxes[i].peer < boxes[k].peer; });
    for (const std::size_t number : order) {
      const peer_box& b = boxes[number];
      if (b.extents.size() == 0) continue;
      numbers.push_back(number);
      if (b.peer == rank && (messages.empty() || messages.back().peer != rank)) own = bytes;
      if (messages.empty() || messages.back().peer != b.peer) messages.push_back({b.peer, nullptr, 0});
      offsets.push_back(bytes);
      rows.push_back({0, b.data, nullptr, b.element, copied_unit(b),
                      row_nest<2>(make_loop_nest<2>(b.extents, {b.stride, row_major_strides(b.extents)})), b.field});
      const std::int64_t size =
          (b.extents.size() * b.element + message_alignment - 1) / message_alignment * message_alignment;
      bytes += size;
      messages.back().bytes += size;
      if (b.peer == rank) own_bytes += size;
    }
    count = static_cast<int>(rows.size());
  }
  /// The boxes of one kernel behind those of the other.
  std::vector<packed_rows> rows_of_kernels() {
    std::vector<packed_rows> sorted;
    for (int first = 0; sorted.size() < rows.size(); first += fields_of_kernel) {
      boxes_of_kernel kernel{first, static_cast<int>(sorted.size()), 0, 0};
      for (packed_rows r : rows) {
        if (r.field / fields_of_kernel != first / fields_of_kernel) continue;
        r.field -= first;
        r.first_item = kernel.items;
        kernel.items += is_device<Exec> ? r.nest.outer * r.nest.inner : r.nest.outer;
        ++kernel.boxes;
        sorted.push_back(r);
      }
      if (kernel.boxes > 0) kernels.push_back(kernel);
    }
    return sorted;
  }

  /// Takes memory for the messages, with the boxes of this rank where they are already.
  void allocate(const Exec& exec, int rank, std::byte* own_boxes) {
    buffer = take_block<memory_space>(instance_ref(exec), std::max<std::int64_t>(bytes, 1));
    auto* begin = reinterpret_cast<std::byte*>(buffer.data());
    messages = moved_to(std::move(messages), buffer);
    for (std::size_t i = 0; i < rows.size(); ++i) {
      const bool mine = offsets[i] >= own && offsets[i] < own + own_bytes;
      rows[i].packed = mine && own_boxes != nullptr ? own_boxes + (offsets[i] - own) : begin + offsets[i];
    }
    std::erase_if(messages, [&](const message& m) { return m.peer == rank; });
    const std::int64_t table_bytes = count * static_cast<std::int64_t>(sizeof(packed_rows));
    table = take_block<memory_space>(instance_ref(exec), std::max<std::int64_t>(table_bytes, 1));
    // From pageable memory, which has been read when the call returns.
    const auto sorted = rows_of_kernels();
    if (count > 0) copy_to_device(exec, table.data(), sorted.data(), table_bytes);
  }

  template <box_pass Pass>
  void launch(const Exec& exec, const std::string& label, std::span<const std::int64_t> shifts) const {
    const auto* boxes = reinterpret_cast<const packed_rows*>(table.data());
    for (const boxes_of_kernel& k : kernels)
      Kokkos::parallel_for(
          kernel_label(label), Kokkos::RangePolicy<Exec, Kokkos::IndexType<std::int64_t>>(exec, 0, k.items),
          copy_boxes<Pass>{boxes + k.first_box, k.boxes, is_device<Exec> ? 0 : 1, field_shifts(shifts, k.first_field)});
  }
};

/// Messages by MPI. Its counts have 32 bits, so that long messages go in parts.
class mpi_messages {
 public:
  explicit mpi_messages(MPI_Comm comm) : comm_(comm) {}

  void start(const std::vector<message>& sends, const std::vector<message>& receives) {
    post(receives, MPI_Irecv);
    post(sends, MPI_Isend);
  }
  void finish() {
    const int status = MPI_Waitall(static_cast<int>(requests_.size()), requests_.data(), MPI_STATUSES_IGNORE);
    requests_.clear();
    check_mpi("quern: messages", status);
  }
  bool under_way() const { return !requests_.empty(); }

 private:
  static constexpr int tag = 1, max_bytes = 1 << 30;
  template <class Call>
  void post(const std::vector<message>& messages, const Call& call) {
    for (const auto& m : messages)
      for (std::int64_t at = 0; at < m.bytes; at += max_bytes) {
        const int count = static_cast<int>(std::min<std::int64_t>(max_bytes, m.bytes - at));
        requests_.push_back(MPI_REQUEST_NULL);
        check_mpi("quern: messages", call(m.data + at, count, MPI_BYTE, m.peer, tag, comm_, &requests_.back()));
      }
  }
  MPI_Comm comm_;
  std::vector<MPI_Request> requests_;
};

std::int64_t bytes_of(const std::vector<message>& messages) {
  std::int64_t bytes = 0;
  for (const auto& m : messages) bytes += m.bytes;
  return bytes;
}

}  // namespace

/// Where an exchange runs beside an instance: on a device, the communicator's side stream.
template <class Exec>
struct exchange_instance {
  Exec main;
  explicit exchange_instance(const Exec& exec, const Communicator&) : main(exec) {}
  const Exec& side() const { return main; }
  void begin() const {}
  void end() const {}
  void start(device_link&, const std::vector<message>&, const std::vector<message>&) const {}
};
#if defined(KOKKOS_ENABLE_CUDA) || defined(KOKKOS_ENABLE_HIP)
template <>
struct exchange_instance<device_space> {
  device_space main;
  std::shared_ptr<side_instance> stream;
  exchange_instance(const device_space& exec, const Communicator& comm) : main(exec) {
    auto& side = comm.state().side;
    if (side == nullptr) side = std::make_shared<side_instance>();
    stream = side;
  }
  const device_space& side() const { return stream->exec(); }
  void begin() const { stream->after(main); }
  void end() const { stream->before(main); }
  void start(device_link& link, const std::vector<message>& sends, const std::vector<message>& receives) const {
    link.start(stream_of(side()), sends, receives);
  }
  void all_gather(device_link& link, const std::byte* mine, std::byte* all, std::int64_t bytes) const {
    link.all_gather(stream_of(side()), mine, all, bytes);
  }
};
#endif

template <class Exec>
struct box_exchange<Exec>::state {
  using memory_space = typename Exec::memory_space;
  using host_space = result_space<Exec>;
  Communicator comm;
  exchange_instance<Exec> instance;
  std::string label;
  bool staged, adds;
  packed_boxes<Exec> out{}, in{};
  pool_block<host_space> out_host{}, in_host{};
  std::vector<message> sends{}, receives{};  // in the memory that the transport reads and writes
  mpi_messages mpi;
  bool started = false;
  std::vector<std::int64_t> shifts{};

  state(const Exec& e, const Communicator& c, std::string l, bool a)
      : comm(c),
        instance(e, c),
        label(std::move(l)),
        staged(is_device<Exec> && c.transport() == device_transport::staged),
        adds(a),
        mpi(c.mpi()) {}

  device_link* link() const { return is_device<Exec> ? comm.state().link.get() : nullptr; }
  bool has_messages() const { return !sends.empty() || !receives.empty(); }
  bool has_boxes() const { return out.count > 0 || in.count > 0; }

  void copy_messages(const std::vector<message>& to, const std::vector<message>& from, bool to_host) {
    for (std::size_t i = 0; i < to.size(); ++i)
      if (to_host) copy_to_host(instance.side(), to[i].data, from[i].data, to[i].bytes);
      else copy_to_device(instance.side(), to[i].data, from[i].data, to[i].bytes);
  }
};

template <class Exec>
box_exchange<Exec>::box_exchange(const Exec& exec, const Communicator& comm, std::string label,
                                 const std::vector<peer_box>& out, const std::vector<peer_box>& in, bool adds)
    : state_(new state(exec, comm, std::move(label), adds), [](state* s) {
        if (!s->mpi.under_way()) delete s;
      }) {
  auto& s = *state_;
  const Exec& side = s.instance.side();
  s.out.lay_out(out, comm.rank());
  s.in.lay_out(in, comm.rank());
  s.out.allocate(side, comm.rank(), nullptr);
  s.in.allocate(side, comm.rank(), reinterpret_cast<std::byte*>(s.out.buffer.data()) + s.out.own);
  s.sends = s.out.messages;
  s.receives = s.in.messages;
  if (s.staged) {
    using host_space = typename state::host_space;
    s.out_host = take_block<host_space>(instance_ref(side), std::max<std::int64_t>(bytes_of(s.sends), 1));
    s.in_host = take_block<host_space>(instance_ref(side), std::max<std::int64_t>(bytes_of(s.receives), 1));
    s.sends = moved_to(s.sends, s.out_host);
    s.receives = moved_to(s.receives, s.in_host);
  }
}

template <class Exec>
void box_exchange<Exec>::start(std::span<const std::int64_t> shifts) {
  auto& s = *state_;
  if (s.started) throw Error(s.label, "an exchange is started twice");
  s.shifts.assign(shifts.begin(), shifts.end());
  if (s.has_boxes()) send();
  s.started = true;  // not where sending throws
}

template <class Exec>
void box_exchange<Exec>::send() {
  auto& s = *state_;
  s.instance.begin();
  const std::string& pack = label_text(s.label, "/pack");
  if (s.adds) s.out.template launch<box_pass::pack_and_clear>(side(), pack, s.shifts);
  else s.out.template launch<box_pass::pack>(side(), pack, s.shifts);
  if (!s.has_messages()) return;
  if (auto* link = s.link()) {
    s.instance.start(*link, s.sends, s.receives);
  } else {
    if (s.staged) s.copy_messages(s.sends, s.out.messages, true);
    side().fence(kernel_label(s.label, ": packed"));
    s.mpi.start(s.sends, s.receives);
  }
}

template <class Exec>
void box_exchange<Exec>::receive() {
  auto& s = *state_;
  if (!std::exchange(s.started, false)) throw Error(s.label, "an exchange is finished that was not started");
  if (auto* link = s.link()) {
    link->check_transfers();
  } else {
    s.mpi.finish();
    if (s.staged) s.copy_messages(s.in.messages, s.receives, false);
  }
  if (!s.adds) s.in.template launch<box_pass::unpack>(side(), label_text(s.label, "/unpack"), s.shifts);
}

template <class Exec>
void box_exchange<Exec>::join() {
  if (state_->has_boxes()) state_->instance.end();
}

template <class Exec>
void box_exchange<Exec>::abandon() noexcept {
  const auto attempt = [](const auto& f) {
    try {
      f();
    } catch (...) {  // a consequence of the first exception, or less than that
    }
  };
  if (state_->started) attempt([&] { receive(); });
  attempt([&] { join(); });
}

template <class Exec>
const Exec& box_exchange<Exec>::side() const {
  return state_->has_boxes() ? state_->instance.side() : exec();
}
template <class Exec>
const Exec& box_exchange<Exec>::exec() const {
  return state_->instance.main;
}
template <class Exec>
std::vector<const std::byte*> box_exchange<Exec>::packed() const {
  const auto& in = state_->in;
  std::vector<const std::byte*> at(in.given, nullptr);
  for (std::size_t i = 0; i < in.rows.size(); ++i) at[in.numbers[i]] = in.rows[i].packed;
  return at;
}
template <class Exec>
std::int64_t box_exchange<Exec>::bytes() const {
  return bytes_of(state_->sends);
}
template <class Exec>
int box_exchange<Exec>::messages() const {
  return static_cast<int>(state_->sends.size());
}

template <class Exec>
void all_gather_values(const Exec& exec, const Communicator& comm, const std::string& label, const std::byte* mine,
                       std::byte* all, std::int64_t bytes) {
  if constexpr (is_device<Exec>) {
    if (auto* const link = comm.state().link.get()) {
      const exchange_instance<Exec> instance(exec, comm);
      instance.begin();
      instance.all_gather(*link, mine, all, bytes);
      instance.end();
      return link->check_transfers();
    }
    const auto block = take_block<result_space<Exec>>(instance_ref(exec), (comm.size() + 1) * bytes);
    auto* const all_on_host = reinterpret_cast<std::byte*>(block.data());
    std::byte* const mine_on_host = all_on_host + comm.size() * bytes;
    copy_to_host(exec, mine_on_host, mine, bytes);
    exec.fence(kernel_label(label, ": values for the host"));
    all_gather(comm, mine_on_host, all_on_host, bytes);
    copy_to_device(exec, all, all_on_host, comm.size() * bytes);
  } else {
    exec.fence(kernel_label(label, ": values"));
    all_gather(comm, mine, all, bytes);
  }
}

// ---- cells beyond the ends of an array -----------------------------------------------------------------------------

namespace {

constexpr int max_element_bytes = 64;

struct fill_kernel {
  std::byte* array;
  std::int64_t element, unit;
  row_nest<1> nest;                               // of the array's other axes
  std::int64_t stride, width, own, cells, first;  // own: elements of the array between its halos
  bool low;
  boundary::mode mode[2];
  continuation once[2];  // with a slope where the other end is kept: what is beyond that goes on, as of `fill_halo`
  alignas(16) std::byte value[2][max_element_bytes];

  KOKKOS_FUNCTION void operator()(std::int64_t item) const {
    const std::int64_t rows = nest.inner * nest.outer;
    std::int64_t inner;
    const auto o = nest.at_item(item % rows, nest.inner, 1, inner);
    std::int64_t k = item / rows;  // of the halo cells: those of the low end first
    const bool at_low = low && k < width;
    if (!at_low) k = width + own + (low ? k - width : k);
    std::byte* to = array + (o.of[0] + k * stride) * element;
    const int side = at_low ? 0 : 1;
    if (mode[side] == boundary::mode::constant) return copy_element(to, value[side], element, unit);
    const std::int64_t i = first + k;
    const std::int64_t from =
        (once[side].slope != 0 ? once[side].from + once[side].slope * i : continued(mode[side], i, cells)) - first;
    copy_element(to, array + (o.of[0] + from * stride) * element, element, unit);
  }
};

}  // namespace

template <class Exec>
void fill_edges(const Exec& exec, const std::string& label, const edge_fill& edge) {
  const peer_box& array = edge.array;
  const auto filled = [&](int side) {
    const boundary::mode mode = edge.mode[side];
    return edge.present[side] && mode != boundary::mode::keep && mode != boundary::mode::wrap;
  };
  const bool low = filled(0), high = filled(1);
  const std::int64_t own = array.extents.extent[edge.axis] - 2 * edge.width;
  if ((!low && !high) || edge.width == 0 || own <= 0) return;
  shape rest = array.extents;
  rest.extent[edge.axis] = 1;
  fill_kernel kernel{array.data,
                     array.element,
                     copied_unit(array),
                     row_nest<1>(make_loop_nest<1>(rest, {array.stride})),
                     array.stride[edge.axis],
                     edge.width,
                     own,
                     edge.cells,
                     edge.first,
                     low,
                     {edge.mode[0], edge.mode[1]},
                     {},
                     {}};
  for (int side = 0; side < 2; ++side) {
    if (edge.mode[1 - side] == boundary::mode::keep)
      kernel.once[side] = continuation_of(edge.mode[side], side == 0, edge.cells);
    const auto& value = edge.value[side];
    if (value.empty()) continue;
    if (array.element > max_element_bytes) throw Error(label, "constants of more than 64 bytes are not supported");
    std::memcpy(kernel.value[side], value.data(), value.size());
  }
  const std::int64_t items = rest.size() * edge.width * ((low ? 1 : 0) + (high ? 1 : 0));
  Kokkos::parallel_for(kernel_label(label), Kokkos::RangePolicy<Exec, Kokkos::IndexType<std::int64_t>>(exec, 0, items),
                       kernel);
}

#define QUERN_BOX_EXCHANGE(Exec)                                                                                \
  template class box_exchange<Exec>;                                                                            \
  template void all_gather_values<Exec>(const Exec&, const Communicator&, const std::string&, const std::byte*, \
                                        std::byte*, std::int64_t);                                              \
  template void fill_edges<Exec>(const Exec&, const std::string&, const edge_fill&);
QUERN_ON_ALL(QUERN_BOX_EXCHANGE)

}  // namespace quern::impl
