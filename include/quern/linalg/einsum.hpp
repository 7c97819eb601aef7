// SPDX-FileCopyrightText: the Quern authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef QUERN_LINALG_EINSUM_HPP
#define QUERN_LINALG_EINSUM_HPP

#include <algorithm>
#include <quern/core/call/call.hpp>
#include <quern/core/launch/loop_nest.hpp>
#include <quern/core/views/part_view.hpp>
#include <quern/linalg/product_kernels.hpp>
#include <quern/reduce/reduce.hpp>

namespace quern {
namespace impl {

/// The letters of an operand, one for each axis.
struct einsum_letters {
  char letter[max_rank] = {};
  int rank = 0;

  constexpr auto count(char c) const { return std::count(letter, letter + rank, c); }
};

/// A literal as an argument of a template. Nothing but characters: nvcc writes arguments of templates out as lists of
/// their members for the host's compiler, and a list of characters makes the same object again.
template <std::size_t N>
struct einsum_text {
  char text[N];
  constexpr einsum_text(const char (&literal)[N]) {  // NOLINT(google-explicit-constructor)
    for (std::size_t i = 0; i < N; ++i) text[i] = literal[i];
  }
};

/// `"ij,jk->ik"`, taken apart by the compiler.
struct einsum_subscripts {
  einsum_letters a, b, out;
  int commas = 0;
  bool letters_only = true, fits = true;

  template <std::size_t N>
  explicit constexpr einsum_subscripts(const einsum_text<N>& literal) {
    const auto& text = literal.text;
    bool arrow = false;
    for (std::size_t i = 0; i + 1 < N; ++i) {
      if (text[i] == ',') {
        ++commas;
      } else if (text[i] == '-' && text[i + 1] == '>') {
        arrow = true;
        ++i;
      } else if (text[i] != ' ') {
        append(arrow ? out : commas > 0 ? b : a, text[i]);
      }
    }
    // Without an arrow the output has the letters that appear once, in the order of the alphabet.
    for (char c = 'A'; c <= 'z' && !arrow; ++c)
      if (count(c) == 1) append(out, c);
  }

  constexpr void append(einsum_letters& to, char c) {
    letters_only = letters_only && ((c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z'));
    if (to.rank == max_rank) fits = false;
    else to.letter[to.rank++] = c;
  }
  constexpr std::ptrdiff_t count(char c) const { return a.count(c) + b.count(c); }
  constexpr bool output_is_known() const {
    return std::all_of(out.letter, out.letter + out.rank, [&](char c) { return count(c) > 0; });
  }
  constexpr bool output_repeats() const {
    return std::any_of(out.letter, out.letter + out.rank, [&](char c) { return out.count(c) > 1; });
  }
};

/// Some letters, as axes with their extents and the strides of out, a and b.
struct einsum_axes {
  shape extents;
  std::array<Kokkos::Array<std::int64_t, max_rank>, 3> stride{};

  void add(std::int64_t extent, const std::array<std::int64_t, 3>& strides) {
    for (int k = 0; k < 3; ++k) stride[k][extents.rank] = strides[k];
    extents.extent[extents.rank++] = extent;
  }

  /// The axes as one, where each operand has one stride for all of them.
  bool merge(std::int64_t& extent, std::array<std::int64_t, 3>& strides) const {
    const auto nest = make_loop_nest<3>(extents, stride);
    extent = nest.inner();
    for (int k = 0; k < 3; ++k) strides[k] = nest.stride[k][0];
    return nest.rank == 1;
  }
};

/// Adds the axes of `array` that have this letter: those of one array are its diagonal, extents of 1 are repeated.
template <class T>
void einsum_collect(const std::string& label, char letter, const einsum_letters& letters, const strided<T>& array,
                    std::int64_t& extent, std::int64_t& stride) {
  for (int d = 0; d < letters.rank; ++d) {
    const std::int64_t e = array.extents.extent[d];
    if (letters.letter[d] != letter || e == 1) continue;
    if (extent != 1 && e != extent)
      throw Error(label, std::string("axes ") + letter + " have extents " + std::to_string(extent) + " and " +
                             std::to_string(e) + ", expected equal ones or 1");
    extent = e;
    stride += array.stride[d];
  }
}

/// The role of each letter's axis in the product, and the extents of the result.
struct einsum_plan {
  einsum_axes outer;  // of the result, which are those of the batch, the rows and the columns
  einsum_axes batch, rows, columns, terms;
  shape result;
};
template <class Out, class A, class B>
einsum_plan plan_einsum(const std::string& label, const einsum_subscripts& s, const strided<Out>& out,
                        const strided<const A>& a, const strided<const B>& b) {
  einsum_plan plan;
  plan.result.rank = s.out.rank;
  for (char c = 'A'; c <= 'z'; ++c) {
    if (s.count(c) == 0) continue;
    std::int64_t extent = 1;
    std::array<std::int64_t, 3> stride{};
    einsum_collect(label, c, s.a, a, extent, stride[1]);
    einsum_collect(label, c, s.b, b, extent, stride[2]);
    for (int d = 0; d < s.out.rank; ++d)
      if (s.out.letter[d] == c) {
        plan.result.extent[d] = extent;
        stride[0] = out.stride[d];
      }
    if (s.out.count(c) == 0) {
      if (plan.terms.extents.rank == max_rank) throw Error(label, "more than 8 letters are added up");
      plan.terms.add(extent, stride);
    } else {
      plan.outer.add(extent, stride);
      const bool in_a = s.a.count(c) > 0, in_b = s.b.count(c) > 0;
      (in_a && in_b ? plan.batch : in_a ? plan.rows : plan.columns).add(extent, stride);
    }
  }
  return plan;
}

/// Chooses what computes the sums: a dot product, a matrix product, or elements one by one where axes do not merge.
template <class Exec, class T, class A, class B>
void launch_einsum(const Exec& exec, const std::string& label, const einsum_plan& plan, const strided<T>& out,
                   const strided<const A>& a, const strided<const B>& b) {
  matrix_product<T, A, B> p{out.data, a.data, b.data, 1, 1, 1, 1, {}, {}, {}, {}};
  std::array<std::int64_t, 3> batch{}, rows{}, columns{}, terms{};
  const bool merge = plan.batch.merge(p.batch, batch) && plan.rows.merge(p.m, rows) &&
                     plan.columns.merge(p.n, columns) && plan.terms.merge(p.k, terms);
  if (!merge) {
    const std::array<Kokkos::Array<std::int64_t, max_rank>, 2> inner{{plan.terms.stride[1], plan.terms.stride[2]}};
    const row_nest<3> outer(make_loop_nest<3>(plan.outer.extents, plan.outer.stride));
    const row_nest<2> summed(make_loop_nest<2>(plan.terms.extents, inner));
    contract(exec, label, contraction_kernel<Exec, T, A, B>{out.data, a.data, b.data, outer, summed, {}});
  } else if (plan.outer.extents.size() == 1) {
    const auto x = as_part<Exec, 1>(strided<const A>{a.data, {p.k}, {terms[1]}});
    const auto y = as_part<Exec, 1>(strided<const B>{b.data, {p.k}, {terms[2]}});
    dot<product_sum<T>>(exec, as_part<Exec, 0>(strided<T>{out.data, {}, {}}), x, y);  // a full sum
  } else {
    p.c_stride = {batch[0], rows[0], columns[0]};
    p.a_stride = {batch[1], rows[1], terms[1]};
    p.b_stride = {batch[2], terms[2], columns[2]};
    multiply(exec, label, p);
  }
}

}  // namespace impl

/// Sums of products over named axes, `numpy.einsum` of two operands: `einsum<"ij,jk->ik">(exec, out, a, b)` is a matrix
/// product, `"bij,bj->bi"` one of each item of a batch, `"ii,ij->j"` one with a diagonal.
///
/// Each letter is an axis. `out(o...) = sum over the letters that out has not of a(...) b(...)`. A letter twice in one
/// operand takes its diagonal; letters of equal name must have equal extents, or 1, which is repeated. Without `->` the
/// output has the letters that appear once, in the order of the alphabet. The subscripts are part of the type: mistakes
/// in them do not compile.
///
/// Views of any layout; out must not share memory with a or b. The sums are taken in out's value type (half types add
/// up in float). Axes that can be walked through as one are merged: what is a matrix product then, of a batch or of
/// one, is computed and rounded as `matmul` does; a full sum as `dot`; everything else by a thread or several an
/// element. Asynchronous on `exec`; a full sum uses scratch memory of the pool.
/// @throws Error if ranks or extents do not fit or out shares memory with an input
template <impl::einsum_text Subscripts, execution_space Exec, view_like Out, view_like A, view_like B>
void einsum(const Exec& exec, const Out& out_view, const A& a_view, const B& b_view) {
  constexpr impl::einsum_subscripts s(Subscripts);
  static_assert(s.commas == 1, "quern::einsum: the subscripts must name two operands, as in \"ij,jk->ik\"");
  constexpr bool holds = impl::holds_product<impl::value_of<Out>, impl::value_of<A>, impl::value_of<B>>;
  static_assert(holds, "quern::einsum: products of complex numbers do not fit out, which is of real numbers");
  static_assert(s.letters_only, "quern::einsum: the subscripts must be letters");
  static_assert(s.fits, "quern::einsum: at most 8 letters name the axes of an operand");
  static_assert(s.output_is_known(), "quern::einsum: every letter of the output must be one of an operand");
  static_assert(!s.output_repeats(), "quern::einsum: no letter may be twice in the output");
  if constexpr (s.commas == 1 && holds && s.letters_only && s.fits && s.output_is_known() && !s.output_repeats()) {
    impl::call op("quern::einsum", exec);
    const auto out = op.output(out_view);
    const auto a = op.input(a_view);
    const auto b = op.input(b_view);
    if (a.extents.rank != s.a.rank || b.extents.rank != s.b.rank || out.extents.rank != s.out.rank)
      throw Error(op.label, "out, a and b have ranks " + std::to_string(out.extents.rank) + ", " +
                                std::to_string(a.extents.rank) + " and " + std::to_string(b.extents.rank) +
                                ", expected " + std::to_string(s.out.rank) + ", " + std::to_string(s.a.rank) + " and " +
                                std::to_string(s.b.rank));

    const impl::einsum_plan plan = impl::plan_einsum(op.label, s, out, a, b);
    impl::check_extents(op.label, "out", out.extents, plan.result);
    impl::check_overlap(op.label, out, a, "a", false);
    impl::check_overlap(op.label, out, b, "b", false);
    if (plan.result.size() > 0) impl::launch_einsum(exec, op.label, plan, out, a, b);
  }
}

template <impl::einsum_text Subscripts, view_like Out, view_like A, view_like B>
void einsum(const Out& out, const A& a, const B& b) {
  einsum<Subscripts>(impl::space_of(out), out, a, b);
}

/// Of one operand, or of three and more, it says what to call instead.
template <impl::einsum_text Subscripts, class... Args>
  requires(((view_like<Args> || execution_space<Args>) && ...) && (0 + ... + view_like<Args>) != 3)
void einsum(const Args&...) {
  static_assert((0 + ... + view_like<Args>) == 3,
                "quern::einsum: takes two operands; sum axes of one with quern::sum, and multiply three in two calls");
}

template <impl::einsum_text Subscripts, class... Args>
  requires(impl::rejected::option_or_place<Args...>::value)
void einsum(const Args&...) {}
QUERN_TAKES_NAME_WITH(einsum, impl::einsum_text Subscripts, Subscripts)

}  // namespace quern

#endif
