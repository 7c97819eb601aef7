// SPDX-FileCopyrightText: the Quern authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef QUERN_DISTRIBUTED_STENCIL_PARTS_HPP
#define QUERN_DISTRIBUTED_STENCIL_PARTS_HPP

#include <memory>
#include <quern/core/values/short_list.hpp>
#include <quern/distributed/box_exchange.hpp>
#include <quern/distributed/decomposition.hpp>
#include <quern/stencil/boundary.hpp>

namespace quern::impl {

/// Some cells of a block with the cells around them that a stencil reads, and the boundaries of this array.
/// `boundary::keep` leaves those around that are not to be computed, except for ones at an end of the whole array,
/// which are computed again: results that are reduced are those of the cells from `low` to before `high`.
struct stencil_part {
  shape first, extents;  // first: counted from the block's first cell
  boundaries edge = boundary::keep;
  shape low, high;  // counted from the part's first cell
};

/// A block in parts: the cells whose neighbourhoods are in the block, and the others.
struct stencil_parts {
  short_list<stencil_part, 1> inner;
  short_list<stencil_part, 6> outer;

  stencil_parts();
  stencil_parts(stencil_parts&&) noexcept;
  ~stencil_parts();
};

/// @param overlap whether the inner cells are to be computed while the halo is under way; otherwise all are outer ones
/// @throws Error, the same on every rank, where the call on one device would do so for the boundaries
stencil_parts cut_stencil(const std::string& label, const Decomposition& d, const boundaries& edge,
                          const std::array<int, max_rank>& radius, bool overlap);

/// A stencil in the message of calls that differ between ranks.
std::string text_of_stencil(bool arms_only, const std::array<int, max_rank>& radius, int rank, const boundaries& edge);

/// An array of a stencil, with its halo.
struct halo_array {
  const Decomposition* blocks = nullptr;
  peer_box cells{};
};
using halo_arrays = short_list<halo_array, 4>;
/// Adds an array of an input, unless it is among them already.
/// @param like the blocks of the first output, which it must have, too
void add_halo_array(const std::string& label, std::size_t input, const Decomposition& like, const halo_array& array,
                    halo_arrays& arrays);
/// @throws Error where its halo is narrower than what neighbourhoods read along an axis that is cut
void check_halo_width(const std::string& label, std::string_view name, const Decomposition& d,
                      const std::array<int, max_rank>& radius);
/// The exchange of what neighbourhoods read of arrays that are cut into the same blocks, kept from call to call.
template <class Exec>
std::shared_ptr<box_exchange<Exec>> exchange_of_halos(const Exec& exec, const std::string& label,
                                                      const boundaries& edge, const std::array<int, max_rank>& radius,
                                                      bool corners, const halo_arrays& arrays);

/// What computes a part of a block: `f(exec, number, part)`, whose types are not known here.
template <class Exec>
struct part_computation {
  const void* f;
  void (*call)(const void* f, const Exec& exec, int number, const stencil_part& part);

  template <class F>
  explicit part_computation(const F& of)
      : f(&of), call([](const void* g, const Exec& exec, int number, const stencil_part& part) {
          (*static_cast<const F*>(g))(exec, number, part);
        }) {}
};
/// Computes the inner cells while the halo is under way, and the outer ones behind it.
template <class Exec>
void compute_parts(const Exec& exec, box_exchange<Exec>& exchange, const stencil_parts& parts,
                   const part_computation<Exec>& compute);

}  // namespace quern::impl

#endif
