// SPDX-FileCopyrightText: the Quern authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef QUERN_LINALG_NARROW_PRODUCTS_HPP
#define QUERN_LINALG_NARROW_PRODUCTS_HPP

/// @file
/// Products of a matrix of very many rows of up to 8 columns with a small one on devices: a lane has a row of each in
/// its registers, and in the same read of the rows the Gram matrix of the product is made.

#include <quern/linalg/dense_kernels.hpp>
#include <quern/linalg/row_products.hpp>

namespace quern::impl {

/// Y = X F, a segment of the rows for the lanes of a warp. With `Gram`, F is an upper triangle, and the sums of
/// Y^H Y over the segment are made as well.
template <class T, bool Gram>
struct narrow_product {
  static constexpr int width = 32, most = 8;
  tall_columns<T> x;
  column_major<const T> f;
  T* y;
  std::int64_t y_down, y_across, rows, rows_of_segment, segments;
  T* partial = nullptr;  // element (i, j) of the segment s at (i n + j) segments + s

  static constexpr int blocks() { return 1; }

  template <class Lanes>
  KOKKOS_FUNCTION void operator()(const Lanes& lanes, std::int64_t segment, bool is_own) const {
    lanes.each([&](const auto& lane) {
      const std::int64_t first = segment * rows_of_segment, end = Kokkos::min(first + rows_of_segment, rows);
      [[maybe_unused]] T sum[most][most] = {};  // of which the upper triangle is used
      for (std::int64_t row = first + lane.lane; row < end; row += width) {
        T of_x[most], of_y[most];
        unrolled<0, most>([&](auto k) { of_x[k] = x.at(row, k); });
        multiply(of_x, of_y);
        if (is_own) store(row, of_y);
        if constexpr (Gram) for_triangle([&](auto i, auto j) { sum[i][j] += conjugate(of_y[i]) * of_y[j]; });
      }
      if constexpr (Gram)
        for_triangle([&](auto i, auto j) {
          const T all = sum_of_lanes(lane, sum[i][j]);
          if (!is_own || lane.lane != j || j >= x.columns) return;
          partial[(i * x.columns + j) * segments + segment] = all;
          if (i != j) partial[(j * x.columns + i) * segments + segment] = conjugate(all);
        });
    });
  }

 private:
  /// Calls f(i, j) for i <= j.
  template <class F>
  KOKKOS_FORCEINLINE_FUNCTION static void for_triangle(const F& call) {
    unrolled<0, most>([&](auto j) { unrolled<0, j + 1>([&](auto i) { call(i, j); }); });
  }
  KOKKOS_FORCEINLINE_FUNCTION void multiply(const T (&of_x)[most], T (&of_y)[most]) const {
    const auto n = static_cast<int>(f.columns);
    unrolled<0, most>([&](auto j) {
      of_y[j] = T(0);
      unrolled<0, Gram ? j + 1 : most>([&](auto k) {
        if (k < x.columns && j < n) of_y[j] += of_x[k] * f(k, j);
      });
    });
  }
  KOKKOS_FORCEINLINE_FUNCTION void store(std::int64_t row, const T (&of_y)[most]) const {
    unrolled<0, most>([&](auto j) {
      if (j < static_cast<int>(f.columns)) y[row * y_down + j * y_across] = of_y[j];
    });
  }
};

/// Whether such products are made by these kernels: a lane has registers for numbers of up to 8 bytes.
template <class Exec, class T>
bool are_narrow(const strided<const T>& x, std::int64_t columns) {
  using kernel = narrow_product<T, true>;
  return is_device<Exec> && sizeof(T) <= 8 && x.extents.extent[1] <= kernel::most && columns <= kernel::most &&
         x.extents.extent[0] >= linalg_tuning<Exec>::row_product_rows;
}

/// Y = X F with the Gram matrix of Y in `gram`, if it is not null, where F is then an upper triangle; otherwise false,
/// and nothing is done, if the matrices are not narrow.
template <class Exec, class T>
bool multiply_narrow(const Exec& exec, const std::string& label, const strided<T>& y, const strided<const T>& x,
                     const column_major<T>& f, const column_major<T>* gram = nullptr) {
  if constexpr (is_device<Exec> && sizeof(T) <= 8) {
    if (!are_narrow<Exec>(x, f.columns)) return false;
    const auto launch = [&]<bool Gram>(std::bool_constant<Gram>) {
      using kernel = narrow_product<T, Gram>;
      const std::int64_t elements = f.columns * f.columns;
      kernel product{tall_columns<T>(x), f, y.data, y.stride[0], y.stride[1], x.extents.extent[0], 0, 0};
      set_segments(product, exec.concurrency() / kernel::width / linalg_tuning<Exec>::row_product_share);
      const scratch_array<Exec, T> partial(exec, Gram ? elements * product.segments : 0);
      product.partial = partial.data();
      launch_lanes<kernel::width>(label_text(label, "/narrow"), exec, product.segments, product);
      if constexpr (Gram)
        launch_lanes<kernel::width>(
            label_text(label, "/segments"), exec, elements,
            segment_sums<T>{gram->data, 1, gram->ld, static_cast<int>(f.columns), product.segments, partial.data()});
    };
    if (gram != nullptr) launch(std::true_type());
    else launch(std::false_type());
    return true;
  }
  return false;
}

/// Y = X F in the way that is the fastest.
template <class Exec, class T>
void multiply_tall(const Exec& exec, const std::string& label, const strided<T>& y, const strided<const T>& x,
                   const column_major<T>& f) {
  if (!multiply_narrow(exec, label, y, x, f)) multiply_matrices(exec, label, y, x, as_input(f));
}

}  // namespace quern::impl

#endif
