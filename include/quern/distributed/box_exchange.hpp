// SPDX-FileCopyrightText: the Quern authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef QUERN_DISTRIBUTED_BOX_EXCHANGE_HPP
#define QUERN_DISTRIBUTED_BOX_EXCHANGE_HPP

#include <array>
#include <memory>
#include <quern/core/views/extents.hpp>
#include <quern/distributed/communicator.hpp>
#include <quern/stencil/boundary.hpp>
#include <span>
#include <string>
#include <vector>

namespace quern::impl {

/// A box of an array's elements that goes to another rank, or comes from it.
struct peer_box {
  int peer = 0;
  std::byte* data = nullptr;
  std::int64_t element = 0;  // bytes
  std::int64_t unit = 1;     // bytes by which its address is aligned
  shape extents;
  stride_array stride{};  // in elements
  int field = 0;          // whose shift it has

  peer_box() = default;
  template <class T>
  peer_box(int rank, const strided<T>& s)
      : peer(rank),
        data(reinterpret_cast<std::byte*>(const_cast<std::remove_const_t<T>*>(s.data))),
        element(sizeof(T)),
        unit(alignof(T)),
        extents(s.extents),
        stride(s.stride) {}
};

/// How many fields of an exchange a kernel is for: how far they have moved is among its arguments.
inline constexpr int fields_of_kernel = 16;
/// How far, in bytes, each field of a kernel has moved since the exchange was made.
struct field_shifts {
  std::int64_t bytes[fields_of_kernel] = {};
  field_shifts() = default;
  /// Of those from `first` on, among all fields of an exchange.
  field_shifts(std::span<const std::int64_t> all, int first) {
    for (int i = 0; i < fields_of_kernel && first + i < static_cast<int>(all.size()); ++i) bytes[i] = all[first + i];
  }
};
/// What a kernel is for: its first field, its boxes in a table of those of all kernels, and its work items.
struct boxes_of_kernel {
  int first_field = 0, first_box = 0, boxes = 0;
  std::int64_t items = 0;
};

/// Which of `count` boxes a work item is of, by the first items of each.
template <class Box>
KOKKOS_FUNCTION int box_of_item(const Box* boxes, int count, std::int64_t item) {
  int low = 0, high = count;
  while (high - low > 1) {
    const int middle = (low + high) / 2;
    if (boxes[middle].first_item <= item) low = middle;
    else high = middle;
  }
  return low;
}

/// Brings boxes of arrays from rank to rank: those of all arrays for one rank are one message, one kernel packs all
/// messages of 16 fields that may move, or of any number that do not, and one unpacks them. Boxes between two ranks
/// have the same order and the same extents on both. A rank's boxes for itself are copied.
///
/// What is to be added to arrays stays in the messages, `packed`, and what is sent of it becomes zero, in all bits.
///
/// `start` packs and sends; until `finish`, what is sent must not be written, and what is received must not be used. On
/// a device both happen beside what `exec` computes, on an instance of higher priority, which comes after what was
/// launched on `exec` before `start` and before what is launched there after `finish`. With NCCL nothing waits. With
/// MPI and a device, `start` waits for the kernel that packs, and so for what was launched before it, and `finish` for
/// the messages. Hosts do all of it on `exec`.
template <class Exec>
class box_exchange {
 public:
  box_exchange(const Exec& exec, const Communicator& comm, std::string label, const std::vector<peer_box>& out,
               const std::vector<peer_box>& in, bool adds = false);
  /// @param shifts how far, in bytes, each field has moved since the exchange was made; none: no field has
  void start(std::span<const std::int64_t> shifts = {});
  void finish() {
    receive();
    join();
  }
  /// The parts of `finish`: what is launched on `side()` between them finds what was received, and comes before what is
  /// launched on `exec` afterwards.
  void receive();
  void join();
  /// What is left of `finish` where an exception came between: the next exchange begins as after any other. It throws
  /// nothing, as that would hide what went wrong first.
  void abandon() noexcept;
  const Exec& side() const;
  const Exec& exec() const;
  /// Where each of the boxes is in a message that is received, in row-major order; null where it has no elements.
  std::vector<const std::byte*> packed() const;
  /// Bytes of messages that this rank sends, and their number.
  std::int64_t bytes() const;
  int messages() const;

 private:
  struct state;
  void send();
  /// Messages that are under way when it goes keep their memory, which is then lost.
  std::unique_ptr<state, void (*)(state*)> state_;
};

/// all = what each rank has at `mine`, in the order of ranks, in memory that kernels reach. With NCCL asynchronous on
/// `exec`; or else waits.
template <class Exec>
void all_gather_values(const Exec& exec, const Communicator& comm, const std::string& label, const std::byte* mine,
                       std::byte* all, std::int64_t bytes);

/// What cells beyond the ends of an axis get, in an array with a halo of `width` cells: those before it, and behind it.
struct edge_fill {
  peer_box array;
  int axis;
  std::int64_t width;
  std::int64_t cells;           // along the axis, of the whole array
  std::int64_t first;           // of the first element of `array` along the axis, in the whole array
  std::array<bool, 2> present;  // whether the array has the cells of that end
  std::array<boundary::mode, 2> mode;
  std::array<std::vector<std::byte>, 2> value;  // constants
};
/// Fills the cells of a halo that lie beyond the ends of the whole array along one axis; asynchronous.
template <class Exec>
void fill_edges(const Exec& exec, const std::string& label, const edge_fill& edge);

}  // namespace quern::impl

#endif
