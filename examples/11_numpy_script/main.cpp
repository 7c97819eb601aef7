// Cleans the frame of a detector and measures the star in it: numpy_version.py, line by line. It prints the same.
#include <Kokkos_Core.hpp>
#include <cstdio>
#include <quern/quern.hpp>

using quern::axis;
using quern::end;
using image = Kokkos::View<double**>;  // of the layout of the back end, which makes no difference
using line = Kokkos::View<double*>;

constexpr int ny = 60, nx = 80;

/// What the detector sends: noise, read backwards by an amplifier for each four rows, a star and hot pixels.
image record() {
  const Kokkos::View<std::int64_t*> stream("stream", ny * nx);
  quern::arange(stream, ny * nx);
  const line noise("noise", ny * nx);
  quern::map(noise, KOKKOS_LAMBDA(std::int64_t i) { return static_cast<double>(i * 7919 % 1009) / 1009; }, stream);
  const image frame("frame", ny, nx), y("y", ny, nx), x("x", ny, nx);
  quern::copy(frame, quern::flip(quern::reshape(noise, {ny, nx}), axis{1}));
  const line rows("rows", ny), columns("columns", nx);
  quern::arange(rows, ny);
  quern::arange(columns, nx);
  quern::meshgrid(quern::outputs(y, x), quern::components(rows, columns), quern::indexing::ij);
  quern::map(
      frame,
      KOKKOS_LAMBDA(double f, double v, double u) {
        return f + 40 * quern::math::exp(-((v - 21) * (v - 21) + (u - 33) * (u - 33)) / 18);
      },
      frame, y, x);
  const line offsets("offsets", ny / 4);
  quern::linspace(offsets, 100.0, 107.0);
  quern::add(frame, frame, quern::expand_dims(quern::repeat(offsets, 4), axis{1}));
  quern::fill(quern::slice(frame, {{5, end(), 17}, {3, end(), 13}}), 4000.0);
  return frame;
}

/// Replaces hot pixels by the median around them, and subtracts the level of each row.
void clean(const image& frame, const quern::print_options& digits) {
  const image median = quern::like(frame);
  quern::median_filter(median, frame, 3, quern::boundary::nearest);
  const Kokkos::View<bool**> hot("hot", ny, nx);
  quern::map(hot, KOKKOS_LAMBDA(double f, double m) { return Kokkos::abs(f - m) > 100; }, frame, median);
  const auto others = quern::lazy(KOKKOS_LAMBDA(bool h) { return !h; }, hot);
  std::printf("%d hot pixels, the mean of the others is %.4f\n", static_cast<int>(quern::count(hot)),
              quern::mean(frame, quern::mask{others}));
  quern::where(frame, hot, median, frame);
  const image level("level", ny, 1);
  quern::median(level, frame, axis{1}, quern::keep_axes);
  const line steps("steps", 4);
  quern::diff(steps, quern::slice(Kokkos::subview(level, Kokkos::ALL, 0), {{0, end(), 12}}));
  quern::print(steps, digits);
  quern::subtract(frame, frame, level);
}

/// Prints where the star is, and how wide.
void measure(const image& frame, const quern::print_options& digits) {
  const image padded("padded", ny + 4, nx + 4);
  quern::copy(padded, quern::pad(frame, 2, quern::pad_mode::reflect));
  quern::print(quern::slice(padded, {{0, 4}, {-5, end()}}), digits);
  const image jumps = quern::like(frame);
  quern::map(
      jumps, KOKKOS_LAMBDA(double a, double b) { return Kokkos::abs(a - b); }, frame, quern::roll(frame, 1, axis{0}));
  const line highest("highest", ny);
  quern::max(highest, jumps, axis{1});
  quern::print(quern::slice(highest, {{18, 26}}), digits);
  const auto brightest = static_cast<int>(quern::argmax(frame)), row = brightest / nx, column = brightest % nx;
  std::printf("brightest pixel: %d %d\n", row, column);
  const line light("light", 19), share("share", 19), columns("columns", 19);
  quern::sum(light, quern::slice(frame, {{row - 9, row + 10}, {column - 9, column + 10}}), axis{0});
  quern::clip(light, light, 0.0, Kokkos::Experimental::infinity_v<double>);
  quern::cumsum(share, light);
  quern::divide(share, share, quern::sum(light));
  const line quarters("quarters", 3), quartiles("quartiles", 3);
  quern::linspace(quarters, 0.25, 0.75);
  quern::arange(columns, column - 9, column + 10);
  quern::interp(quartiles, quarters, share, columns);
  quern::print(quartiles, digits);
  const Kokkos::View<std::int64_t*> order("order", 19);
  quern::argsort(order, light);
  const line most("most", 5);
  quern::copy(most, quern::take(light, quern::slice(order, {{-5, end()}}), axis{0}));
  quern::print(most, digits);
}

int main(int argc, char** argv) {
  Kokkos::ScopeGuard kokkos(argc, argv);
  if (argc > 1) return std::puts("numpy_script takes options of Kokkos alone, and shows them with --kokkos-help"), 2;
  const quern::print_options digits{.precision = 3, .threshold = 100};
  const image frame = record();
  quern::print(frame, digits);
  clean(frame, digits);
  measure(frame, digits);
}
