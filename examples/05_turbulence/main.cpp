// Turbulence in two dimensions: the vorticity of a periodic flow, by a pseudo-spectral method.
//
//   turbulence --points 256 --steps 1000 --viscosity 5e-4 --picture vorticity.png
//
// Derivatives are exact in the space of waves, and products are formed at the points of the grid. Of these products,
// the waves that the grid would mistake for others are set to zero (the 2/3 rule), so that without viscosity the energy
// changes by the errors of time steps alone.
#include <CLI/CLI.hpp>
#include <Kokkos_Core.hpp>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <quern/quern.hpp>
#include <stdexcept>

#define STB_IMAGE_WRITE_IMPLEMENTATION
#include <stb_image_write.h>

using complex = Kokkos::complex<double>;
using index2 = Kokkos::Array<std::int64_t, 2>;
using spectrum = Kokkos::View<complex**, Kokkos::LayoutRight>;
using field = Kokkos::View<double**, Kokkos::LayoutRight>;

/// The wave vector of an element of a halved spectrum, in a box of length 2 pi.
struct wave {
  std::int64_t n;
  KOKKOS_FUNCTION double x(const index2& i) const { return static_cast<double>(2 * i[0] > n ? i[0] - n : i[0]); }
  KOKKOS_FUNCTION double y(const index2& i) const { return static_cast<double>(i[1]); }
  KOKKOS_FUNCTION double square(const index2& i) const { return x(i) * x(i) + y(i) * y(i); }
  /// Whether products of such waves are told from others.
  KOKKOS_FUNCTION bool resolved(const index2& i) const {
    return 3 * Kokkos::abs(x(i)) < static_cast<double>(n) && 3 * y(i) < static_cast<double>(n);
  }
};

/// i k v, the derivative of v.
KOKKOS_INLINE_FUNCTION complex derivative(double k, const complex& v) { return {-k * v.imag(), k * v.real()}; }

struct flow {
  flow(std::int64_t n, double viscosity) : k_{n}, viscosity_(viscosity) {}

  /// Random vorticity of waves of about a length, with a mean square velocity of 1.
  void start(const spectrum& w, double length) const {
    const field noise("noise", k_.n, k_.n);
    quern::random::normal(noise, quern::random::key{2026});
    quern::rfft2(w, noise);
    const wave k = k_;
    quern::map(
        w,
        KOKKOS_LAMBDA(const complex& v, const index2& i) {
          const double distance = (Kokkos::sqrt(k.square(i)) - length) / 2;
          return k.resolved(i) && k.square(i) > 0 ? v * quern::math::exp(-distance * distance) : complex(0);
        },
        w, quern::positions());
    const double scale = 1 / Kokkos::sqrt(2 * energy(w));
    quern::map(w, KOKKOS_LAMBDA(const complex& v) { return scale * v; }, w);
  }

  /// Half the mean square of the velocity: each wave of a halved spectrum but those of y = 0 and y = n / 2 stands for
  /// two.
  double energy(const spectrum& w) const {
    const wave k = k_;
    const auto of_wave = KOKKOS_LAMBDA(const complex& v, const index2& i) {
      const double times = i[1] == 0 || 2 * i[1] == k.n ? 1 : 2, square = k.square(i);
      return square > 0 ? times * (v.real() * v.real() + v.imag() * v.imag()) / square : 0.0;
    };
    return quern::sum(quern::lazy(of_wave, w, quern::positions())) / 2 / std::pow(static_cast<double>(k.n), 4);
  }

  /// A step of the classical Runge-Kutta method.
  void step(const spectrum& w, double dt) const {
    quern::copy(start_, w);
    quern::copy(sum_, w);
    const double weights[] = {dt / 6, dt / 3, dt / 3, dt / 6}, offsets[] = {dt / 2, dt / 2, dt};
    for (int stage = 0; stage < 4; ++stage) {
      rate(w);
      add(sum_, sum_, weights[stage]);
      if (stage < 3) add(w, start_, offsets[stage]);
    }
    quern::copy(w, sum_);
  }

  void add(const spectrum& out, const spectrum& to, double factor) const {
    quern::map(out, KOKKOS_LAMBDA(const complex& a, const complex& b) { return a + factor * b; }, to, rate_);
  }

  /// dw/dt = -u dw/dx - v dw/dy + viscosity (d2w/dx2 + d2w/dy2), in the space of waves.
  void rate(const spectrum& w) const {
    const wave k = k_;
    const auto there = [&](int part) { return Kokkos::subview(parts_, part, Kokkos::ALL, Kokkos::ALL); };
    const auto here = [&](int part) { return Kokkos::subview(values_, part, Kokkos::ALL, Kokkos::ALL); };
    quern::map(
        quern::outputs(there(0), there(1), there(2), there(3)),
        KOKKOS_LAMBDA(const complex& v, const index2& i) {
          const double square = k.square(i);
          const complex stream =
              square > 0 ? v / square : complex(0);  // u is its derivative along y, v minus that along x
          return Kokkos::Array<complex, 4>{derivative(k.y(i), stream), derivative(-k.x(i), stream),
                                           derivative(k.x(i), v), derivative(k.y(i), v)};
        },
        w, quern::positions());
    quern::irfft2(values_, parts_);  // of all four at once
    quern::map(
        here(0), KOKKOS_LAMBDA(double u, double v, double dx, double dy) { return -u * dx - v * dy; }, here(0), here(1),
        here(2), here(3));
    quern::rfft2(rate_, here(0));
    const double viscosity = viscosity_;
    quern::map(
        rate_,
        KOKKOS_LAMBDA(const complex& r, const complex& v, const index2& i) {
          return k.resolved(i) ? r - viscosity * k.square(i) * v : complex(0);
        },
        rate_, w, quern::positions());
  }

  wave k_;
  double viscosity_;
  spectrum rate_{"rate", static_cast<std::size_t>(k_.n), static_cast<std::size_t>(k_.n / 2 + 1)};
  spectrum start_ = quern::like(rate_), sum_ = quern::like(rate_);
  Kokkos::View<complex***, Kokkos::LayoutRight> parts_{"parts", 4, rate_.extent(0), rate_.extent(1)};
  Kokkos::View<double***, Kokkos::LayoutRight> values_{"values", 4, rate_.extent(0), rate_.extent(0)};
};

/// Writes bytes as a file, which gets its name when it is complete.
void write_bytes(const std::string& path, const std::vector<char>& bytes) {
  using unmanaged = Kokkos::View<const char*, Kokkos::HostSpace, Kokkos::MemoryUnmanaged>;
  quern::files::write_raw(path, unmanaged(bytes.data(), bytes.size()));
}
void append(void* bytes, void* data, int size) {
  auto* to = static_cast<std::vector<char>*>(bytes);
  to->insert(to->end(), static_cast<const char*>(data), static_cast<const char*>(data) + size);
}

/// Blue where the flow turns one way, red where it turns the other way.
void write_picture(const std::string& path, const spectrum& w, std::int64_t n) {
  const field vorticity("vorticity", n, n);
  quern::irfft2(vorticity, w);
  const double most = quern::norm<quern::norm_order::infinity>(vorticity);
  const Kokkos::View<std::uint8_t***, Kokkos::LayoutRight> pixels("pixels", n, n, 3);
  const auto channel = [&](int c) { return Kokkos::subview(pixels, Kokkos::ALL, Kokkos::ALL, c); };
  quern::map(
      quern::outputs(channel(0), channel(1), channel(2)),
      KOKKOS_LAMBDA(double v) {
        const double s = 1.5 * v / most, pale = 255 * (1 - Kokkos::min(1.0, Kokkos::abs(s)));
        return Kokkos::Array<double, 3>{s > 0 ? 255 : pale, pale, s < 0 ? 255 : pale};
      },
      vorticity);
  const auto host = quern::to_host(pixels);
  const int side = static_cast<int>(n);
  std::vector<char> png;
  if (!stbi_write_png_to_func(append, &png, side, side, 3, host.data(), 3 * side))
    throw std::runtime_error(path + ": cannot be made");
  write_bytes(path, png);
}

/// Ends the program, without files that are not complete.
void stop(int signal) {
  quern::files::remove_unfinished();
  std::_Exit(128 + signal);
}

int main(int argc, char** argv) {
  std::int64_t n = 256;
  int steps = 1000;
  double viscosity = 5e-4, dt = 0.005;
  std::string picture;
  CLI::App options("Turbulence in two dimensions");
  options.add_option("--points", n, "along each axis")->check(CLI::Range(8, 16384));
  options.add_option("--steps", steps, "time steps")->check(CLI::NonNegativeNumber);
  options.add_option("--step", dt, "their length; the box has the length 2 pi, the velocity is 1")
      ->check(CLI::PositiveNumber);
  options.add_option("--viscosity", viscosity, "0: none")->check(CLI::NonNegativeNumber);
  options.add_option("--picture", picture, "PNG of the vorticity at the end")
      ->check(CLI::Validator(
          [](const std::string& p) { return p.ends_with(".png") ? "" : p + " does not end in .png"; }, ""));
  options.allow_extras();  // of Kokkos, which takes them out
  CLI11_PARSE(options, argc, argv);
  Kokkos::ScopeGuard kokkos(argc, argv);
  options.allow_extras(false);
  CLI11_PARSE(options, argc, argv);

  for (const int signal : {SIGINT, SIGTERM}) std::signal(signal, stop);
  try {
    const flow f(n, viscosity);
    const spectrum w("vorticity", n, n / 2 + 1);
    f.start(w, 6);
    const double before = f.energy(w);
    for (int i = 0; i < steps; ++i) {
      if (i % 100 == 0) std::printf("time %7.3f  energy %.12f\n", i * dt, f.energy(w));
      f.step(w, dt);
    }
    const double after = f.energy(w);
    std::printf("time %7.3f  energy %.12f, changed by %.1e\n", steps * dt, after, (after - before) / before);
    if (!picture.empty()) write_picture(picture, w, n);
    if (std::fflush(stdout) != 0 || std::ferror(stdout) != 0)
      throw std::runtime_error("standard output cannot be written");
  } catch (const std::exception& e) {
    std::fprintf(stderr, "turbulence: %s\n", e.what());
    return 2;
  }
}
