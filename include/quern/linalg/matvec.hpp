// SPDX-FileCopyrightText: the Quern authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef QUERN_LINALG_MATVEC_HPP
#define QUERN_LINALG_MATVEC_HPP

#include <quern/core/call/call.hpp>
#include <quern/linalg/product_kernels.hpp>
#include <quern/map/map.hpp>
#include <quern/reduce/launch.hpp>
#include <quern/reduce/strided_reduction.hpp>

namespace quern {
namespace impl {

/// The extents of a product of a matrix and a vector, or of batches of them.
struct matvec_shape {
  bool batched;
  std::int64_t batch, rows, columns;

  matvec_shape(const std::string& label, const shape& a, const shape& x) {
    if (a.rank < 2 || a.rank > 3 || x.rank < 1 || x.rank > 2)
      throw Error(label,
                  "a and x have extents " + a.str() + " and " + x.str() + ", expected rank 2 or 3 and rank 1 or 2");
    batched = a.rank == 3 || x.rank == 2;
    batch = a.rank == 3 ? a.extent[0] : x.rank == 2 ? x.extent[0] : 1;
    rows = a.extent[a.rank - 2];
    columns = a.extent[a.rank - 1];
    if (x.extent[x.rank - 1] != columns || (x.rank == 2 && x.extent[0] != batch))
      throw Error(label, "x has extents " + x.str() + ", which do not fit a with extents " + a.str());
  }
  shape results() const { return batched ? shape{batch, rows} : shape{rows}; }
};

/// y = alpha a x + beta y of arrays in memory.
template <class Exec, class Y, class A, class X>
void multiply_vectors(const call<Exec>& c, const strided<Y>& y, const strided<const A>& a, const strided<const X>& x,
                      const product_result<Y>& result) {
  const auto column = [](auto vectors) {
    vectors.stride[vectors.extents.rank] = 0;
    vectors.extents.extent[vectors.extents.rank++] = 1;
    return vectors;
  };
  // One matrix and many vectors are the rows of a product with the transposed matrix; all else has one column.
  const bool rows = a.extents.rank == 2 && x.extents.rank == 2;
  if (rows) multiply_matrices(c.exec, c.label, y, x, exchanged(a), result);
  else multiply_matrices(c.exec, c.label, column(y), a, column(x), result);
}

/// Vectors with an axis for the rows before their last one: those of a batch, (batch, n), are (batch, 1, n).
template <class Part, class... Leaf>
expanded<Part, Leaf...> with_row_axis(const expanded<Part, Leaf...>& x) {
  const auto insert = [](auto leaf) {
    auto& array = leaf.array;
    if (array.extents.rank == 2) {
      array.extents = {array.extents.extent[0], 1, array.extents.extent[1]};
      array.stride = {array.stride[0], 0, array.stride[1]};
    }
    return leaf;
  };
  return {x.part, unpack([&](const auto&... leaf) { return std::tuple(insert(leaf)...); }, x.leaves)};
}
template <class Y>
struct scale_and_add {
  product_scaling<Y> by;
  KOKKOS_FUNCTION auto operator()(const product_sum<Y>& sum, const Y& y) const {
    auto scaled = wrapping_multiply(by.alpha, sum);
    if (by.beta != product_sum<Y>(0)) add_product(scaled, by.beta, convert<product_sum<Y>>(y));
    return scaled;
  }
};

/// The product of lazy operands, as sums along rows.
template <class Exec, class YView, class A, class X>
void sum_rows(call<Exec>& c, const matvec_shape& n, const YView& y, const A& a, const X& x,
              const product_scaling<value_of<YView>>& scaling) {
  using S = product_sum<value_of<YView>>;
  const shape all = n.batched ? shape{n.batch, n.rows, n.columns} : shape{n.rows, n.columns};
  const shape results = n.results();
  const scratch_array<Exec, S> memory(c.exec, results.size());
  const strided<S> sums{memory.data(), results, row_major_strides(results)};
  with_leaves(
      product<S>(),
      [&](const auto& f, const auto&... leaf) {
        reduce_launch(c.exec, c.label, c.scratch(),
                      describe_reduction<Exec>(sum_reducer<S>(), f, axis_set(c.label, axis{-1}, all.rank), sums,
                                               broadcast_leaf(c.label, leaf, all)...));
      },
      a, with_row_axis(x));
  map_checked(label_text(c.label, "/scale"), c.exec, y, scale_and_add<value_of<YView>>{scaling},
              array_input<S>{{sums.data, results, sums.stride}}, y);
}

}  // namespace impl

/// Products of matrices with vectors, `y(b, i) = alpha sum_k a(b, i, k) x(b, k) + beta y(b, i)`, by default without
/// scaling, with NumPy's `matvec` rules for the batch axis b:
///
/// | a | x | y | |
/// | --- | --- | --- | --- |
/// | (m, n) | (n) | (m) | one product; by the BLAS where `linalg` is on |
/// | (m, n) | (batch, n) | (batch, m) | one matrix times many vectors |
/// | (batch, m, n) | (batch, n) | (batch, m) | many products |
/// | (batch, m, n) | (n) | (batch, m) | many matrices times one vector |
///
/// Arrays of any layout; y must not share memory with a or x, and is not read where beta is 0. Where a or x is lazy,
/// the products are summed along the rows by a reduction, and scratch memory takes one sum for each element of y.
/// Types, rounding, what computes and asynchrony are as for `matmul`.
/// @throws Error if ranks or extents do not fit or y shares memory with an input
template <execution_space Exec, view_like Y, array_like A, array_like X>
void matvec(const Exec& exec, const Y& y_view, const A& a_view, const X& x_view,
            const product_scaling<impl::value_of<Y>>& scaling = {}) {
  constexpr bool holds = impl::holds_product<impl::value_of<Y>, impl::value_of<A>, impl::value_of<X>>;
  static_assert(holds, "quern::matvec: products of complex numbers do not fit y, which is of real numbers");
  if constexpr (holds) {
    impl::call c("quern::matvec", exec);
    const auto y = c.output(y_view);
    if (scaling.beta != decltype(scaling.beta)(0)) c.input(y_view);  // which is read, too
    const auto a_elements = c.elements(a_view);
    const auto x_elements = c.elements(x_view);
    const impl::matvec_shape n(c.label, impl::operand_extents(c.label, a_view), impl::operand_extents(c.label, x_view));
    impl::check_extents(c.label, "y", y.extents, n.results());
    impl::check_overlap(c.label, y, a_elements, "a", false);
    impl::check_overlap(c.label, y, x_elements, "x", false);
    if (y.extents.size() == 0) return;
    if constexpr (view_like<A> && view_like<X>) {
      impl::multiply_vectors(c, y, impl::as_source(a_elements), impl::as_source(x_elements),
                             impl::product_result<impl::value_of<Y>>{scaling.alpha, scaling.beta});
    } else {
      impl::sum_rows(c, n, y_view, a_elements, x_elements, scaling);
    }
  }
}

template <view_like Y, array_like A, array_like X>
void matvec(const Y& y, const A& a, const X& x, const product_scaling<impl::value_of<Y>>& scaling = {}) {
  matvec(impl::space_of(y), y, a, x, scaling);
}
QUERN_REJECTS(place, matvec)
QUERN_TAKES_NAME_NOT(option_of_products, matvec)

}  // namespace quern

#endif
